"""`Baseline`: a system's scores, topic by topic, frozen in a file with all that they depend on; and `freeze`."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Unpack

import polars as pl

from assay import __version__
from assay.core.errors import InputError, ParameterError, did_you_mean, refuse_unknown
from assay.core.options import EvaluationOptions
from assay.files.atomic import write_text
from assay.measures.counting.policies import Policies
from assay.measures.registry import Measure
from assay.show.data import as_json
from assay.subjects.ranking.digests import of_json, of_qrels, of_run
from assay.subjects.ranking.evaluation import Evaluation, evaluate, listed_measures
from assay.subjects.ranking.inputs import named_runs
from assay.tables import Scores
from assay.verbs.gating.guards import Coverage
from assay.verbs.subject import name_of

#: What a gate looks at unless told otherwise.
DEFAULT_MEASURES = ("nDCG@10",)
#: The key that marks a file as a frozen baseline; its value is the schema's number.
MARK = "assay_baseline"
SCHEMA_VERSION = 1
#: The rules of `evaluate` besides the policies.
_RULES = ("undefined", "compat", "judge", "subtopics", "seed", "samples")


@dataclass(frozen=True, eq=False)
class Baseline:
    """A system's scores for every topic, with the rules, digests and versions that they depend on.

    Of each measure there are its signature, the values of the topics, and why some have none; of the judgments and the
    run, their name, and the SHA-256 of what they held.

    >>> frozen = freeze({"q1": {"d1": 1}}, {"bm25": {"q1": {"d2": 2.0, "d1": 1.0}}}, "RR")
    >>> frozen.system, frozen.measures["RR"]["values"]
    ('bm25', {'q1': 0.5})
    """

    system: str
    measures: Mapping[str, Mapping[str, Any]]
    policies: Policies
    rules: Mapping[str, Any]
    coverage: Coverage
    qrels: Mapping[str, str]
    run: Mapping[str, str]
    version: str = __version__

    def __repr__(self) -> str:
        return f"<Baseline {self.system}: {', '.join(self.measures)} on {self.coverage.topics} topics>"

    @property
    def scores(self) -> Scores:
        """The scores as a table."""
        rows = [
            (self.system, measure, "query", unit, value, frozen["undefined"].get(unit))
            for measure, frozen in self.measures.items()
            for unit, value in frozen["values"].items()
        ]
        return Scores(pl.DataFrame(rows, schema=Scores.SCHEMA, orient="row"))

    def wanted(self, measures: Iterable[str | Measure] | str | Measure | None) -> list[str]:
        """The measures asked for, or all; refuse those that it does not hold."""
        if measures is None:
            return list(self.measures)
        names = [str(measure) for measure in listed_measures(measures)]
        for name in names:
            if name not in self.measures:
                known = list(self.measures)
                raise ParameterError(
                    f"the frozen baseline holds {', '.join(known)}, not {name}{did_you_mean(name, known)}; "
                    "to have it, freeze again with it"
                )
        return names

    def evaluate(self, qrels: Any, runs: Any, measures: Iterable[str]) -> Evaluation:
        """Evaluate runs under the rules of this baseline; refuse other judgments, or numbers made otherwise."""
        chosen = list(measures)
        evaluation = evaluate(qrels, runs, chosen, **self.rules, **asdict(self.policies))
        if of_qrels(evaluation.qrels) != self.qrels["sha256"]:
            raise InputError(
                f"{evaluation.qrels.name}: the judgments are not those that the baseline was frozen with "
                f"({self.qrels['name']}, SHA-256 {self.qrels['sha256'][:12]}…): freeze the baseline again"
            )
        for name in chosen:
            was, now = self.measures[name]["signature"], evaluation.signatures[name]
            if was != now:
                raise InputError(f"{name}: the baseline was measured as {was}, now it is {now}: freeze it again")
        return evaluation

    def contents(self) -> dict[str, Any]:
        """What the file holds, except for the digest of it all."""
        coverage = self.coverage._asdict()
        del coverage["system"]
        if math.isnan(self.coverage.judged):  # of a run without a document in common with the judgments
            coverage["judged"] = None
        return {MARK: SCHEMA_VERSION, **asdict(self), "coverage": coverage}

    def to_json(self) -> str:
        """The file's text: everything in full, and a digest of it all."""
        told = self.contents()
        return as_json(told | {"digest": of_json(told)})

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the file, whole or not at all; one that may not be written to is left alone.

        A file that was read is not replaced, unless `overwrite` says so.
        """
        # Files are replaced, not written to, which would not ask for leave.
        if Path(path).is_file() and not (os.access(path, os.W_OK) and Path(path).stat().st_mode & 0o222):
            raise InputError(f"{os.fspath(path)}: cannot be written: it is read-only")
        write_text(path, self.to_json(), overwrite=overwrite)


def freeze(
    qrels: Any,
    run: Any,
    measures: Iterable[str | Measure] | str | Measure = DEFAULT_MEASURES,
    **rules: Unpack[EvaluationOptions],
) -> Baseline:
    """Freeze a run's scores as the baseline of later gates.

    `qrels`, `run`, `measures` and the rules are what `evaluate` takes; one run only.

    >>> freeze({"q1": {"d1": 1}}, {"q1": {"d1": 1.0}}, ["RR", "P@1"])
    <Baseline run: RR, P@1 on 1 topics>
    """
    refuse_unknown(rules, freeze, Policies, evaluate)
    refuse_predictions(qrels, run)
    wanted = listed_measures(measures)
    for measure in wanted:
        if measure.is_micro:
            raise ParameterError(f"{measure} sums counts up over topics: it cannot be frozen; keep the run instead")
    opened = named_runs(run)
    if len(opened) != 1:
        raise ParameterError(f"one run is frozen at a time, not {len(opened)}")
    evaluation = evaluate(qrels, opened, wanted, **rules)
    system = evaluation.systems[0]
    if not system.name:
        raise ParameterError("the run has no name: give it one")
    measured = {}
    for measure, result in system.results.items():
        reasons = {
            unit: str(why) for unit, why in zip(system.ranks.queries, result.reasons(), strict=True) if why is not None
        }
        values = dict(zip(system.ranks.queries, result.values.tolist(), strict=True))
        measured[str(measure)] = {
            "signature": evaluation.signatures[str(measure)],
            "values": {unit: None if unit in reasons else value for unit, value in values.items()},
            "undefined": reasons,
        }
    file = next(iter(opened.values()))
    return Baseline(
        system.name,
        measured,
        evaluation.policies,
        {name: getattr(evaluation, name) for name in _RULES},
        coverage_of(evaluation, system.name),
        {"name": evaluation.qrels.name, "sha256": of_qrels(evaluation.qrels)},
        {"name": file.origin, "sha256": of_run(file, evaluation.policies.rank_by)},
    )


def coverage_of(evaluation: Evaluation, system: str) -> Coverage:
    """The coverage of a system.

    >>> coverage_of(evaluate({"q1": {"d1": 1}, "q2": {"d2": 1}}, {"bm25": {"q1": {"d1": 1.0}}}, "RR"), "bm25")
    Coverage(system='bm25', topics=2, missing=1, judged=1.0)
    """
    row = evaluation.coverage.row(by_predicate=pl.col("system") == system, named=True)
    judged = 1.0 if evaluation.policies.complete else row["judged@10"]
    return Coverage(system, len(evaluation.qrels.topics), row["missing"], judged)


def refuse_predictions(*given: Any) -> None:
    """Predictions cannot be frozen as numbers of items, and need not be: say what to do instead."""
    if any((name_of(one) == "labels") for one in given):
        raise ParameterError(
            "predictions are their own baseline, as they hold the truth: keep the file, and give it to the gate"
        )
