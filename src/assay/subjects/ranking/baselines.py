"""`freeze`: an evaluation as numbers with digests of what it rests on, in a file that a gate takes as its baseline."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Unpack

import polars as pl
from polars.exceptions import PolarsError

from assay import __version__
from assay.core.errors import (
    AssayError,
    FormatError,
    InputError,
    ParameterError,
    argument,
    did_you_mean,
    refuse_unknown,
)
from assay.core.options import EvaluationOptions
from assay.files import Readable, Source
from assay.files.atomic import write_text
from assay.files.json_values import loaded
from assay.files.sources import BYTE_ORDER_MARK
from assay.measures.counting.ranking import Policies
from assay.measures.registry import Measure
from assay.show.data import as_json
from assay.subjects.ranking.evaluation import Evaluation, evaluate, listed_measures, named_runs
from assay.tables import Batches, Qrels, Scores
from assay.verbs.gating.checks import Coverage
from assay.verbs.subject import name_of


def of_qrels(qrels: Qrels) -> str:
    """The SHA-256 of judgments; their order does not matter.

    >>> qrels, turned = Qrels.of([("q1", "a", 1), ("q2", "b", 0)]), Qrels.of([("q2", "b", 0), ("q1", "a", 1)])
    >>> of_qrels(qrels) == of_qrels(turned)
    True
    """
    keys = [name for name in ("query_id", "doc_id", "judge") if name in qrels.frame.columns]
    return _digest([_bytes(qrels.frame.sort(keys), keys, "relevance")])


def of_run(run: Batches, rank_by: str = "score") -> str:
    """The SHA-256 of a run: its rows in their order, read piece by piece.

    >>> from assay.tables import Run
    >>> of_run(Run.of({"q1": {"d1": 2.0}})) == of_run(Run.of({"q1": {"d1": 2.5}}))
    False
    """
    return _digest(run.batches(lambda frame: _bytes(frame, ["query_id", "doc_id"], "score"), rank_by))


def of_json(payload: Any) -> str:
    """The SHA-256 of a JSON value: the order of keys and the blanks between them do not matter.

    >>> of_json({"a": 1, "b": [2.5]}) == of_json({"b": [2.5], "a": 1})
    True
    """
    text = json.dumps(payload, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _bytes(frame: pl.DataFrame, keys: Sequence[str], number: str) -> tuple[bytes, bytes]:
    """The ids of all rows, each with its length, so that no two tables give the same bytes; and their numbers."""
    parts = [part for key in keys for part in (pl.col(key).str.len_bytes().cast(pl.String), pl.lit(":"), pl.col(key))]
    rows = frame.select(pl.concat_str(parts)).to_series()
    numbers = frame[number].cast(pl.Float64).to_numpy() + 0.0  # -0 is 0
    return "".join(f"{row}\n" for row in rows.to_list()).encode(), numbers.astype("<f8").tobytes()


def _digest(pieces: Iterable[tuple[bytes, bytes]]) -> str:
    texts, numbers = hashlib.sha256(), hashlib.sha256()
    for ids, values in pieces:
        texts.update(ids)
        numbers.update(values)
    return hashlib.sha256(texts.digest() + numbers.digest()).hexdigest()


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
                f"{_between(self.qrels['name'], evaluation.qrels)}"
            )
        for name in chosen:
            was = self.measures[name]["signature"]
            now = evaluation.signatures[name]
            if was != now:
                raise InputError(f"{name}: the baseline was measured as {was}, now it is {now}: freeze it again")
        return evaluation

    def contents(self) -> dict[str, Any]:
        """The contents of the file, except for the digest of it all."""
        coverage = self.coverage._asdict()
        del coverage["system"]
        if math.isnan(self.coverage.judged):  # of a run without a document in common with the judgments
            coverage["judged"] = None
        return {MARK: SCHEMA_VERSION, **asdict(self), "coverage": coverage}

    def to_json(self) -> str:
        """The file's text: everything in full, and a digest of it all."""
        payload = self.contents()
        return as_json(payload | {"digest": of_json(payload)})

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the file, whole or not at all; one that may not be written to is left alone.

        A file that was read is not replaced, unless `overwrite` says so.
        """
        write_text(path, self.to_json(), overwrite=overwrite)


def _between(frozen: str, qrels: Qrels) -> str:
    """Where both are releases of one project: why their scores are not compared, and what can be."""
    (place, at, before), (other, _, after) = frozen.rpartition("@"), qrels.name.rpartition("@")
    if not (at and qrels.release and place == other):
        return ""
    return (
        f"; other judgments make other scores, whatever the runs are worth: `assay judge diff {before} {after} --in "
        f"{place}` compares both under each release"
    )


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
    refuse_without_topics(evaluation)
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


def refuse_without_topics(evaluation: Evaluation) -> None:
    """Refuse runs that have no score at all: those without a judged topic, where missing ones are left out.

    >>> refuse_without_topics(evaluate({"q1": {"d1": 1}}, {}, "RR", missing="skip"))
    Traceback (most recent call last):
        ...
    assay.core.errors.InputError: run: the run has none of the judged topics, and missing='skip' leaves them out
    """
    for system in evaluation.systems:
        if not system.ranks.queries:
            left_out = f"{argument('missing', 'skip')} leaves them out"
            raise InputError(f"{system.name}: the run has none of the judged topics, and {left_out}")


def refuse_predictions(*inputs: Any) -> None:
    """Predictions cannot be frozen as numbers of items, and need not be: say what to do instead."""
    if "labels" in map(name_of, inputs):
        raise ParameterError(
            "predictions are their own baseline, as they hold the truth: keep the file, and give it to the gate"
        )


_AGAIN = "freeze the baseline again"

_MARKED = re.compile(rb"\s*\{\s*\"" + MARK.encode() + rb"\"\s*:")


def is_baseline(file: Any) -> bool:
    """True if a path or a source holds a frozen baseline, by its mark; anything else is a run, or not there.

    >>> is_baseline("bm25.run")
    False
    """
    if isinstance(file, str | os.PathLike) and Path(file).is_file():
        file = Source(file)
    # Pipes are left alone unless they come as a source: what was read of them is gone.
    if not isinstance(file, Source):
        return False
    with file.open() as opened:
        return _MARKED.match(opened.read(256).removeprefix(BYTE_ORDER_MARK)) is not None


def frozen_in(run: Any) -> Baseline | None:
    """The frozen baseline that was given: itself, its file, or one of both under a name; None if it is something else.

    >>> frozen_in({"q1": {"d1": 1.0}}) is None
    True
    """
    if isinstance(run, Baseline):
        return run
    if isinstance(run, Mapping) and len(run) == 1:
        name, inner = next(iter(run.items()))
        frozen = None if isinstance(inner, Mapping) else frozen_in(inner)
        return None if frozen is None else replace(frozen, system=str(name))
    return read_baseline(run) if is_baseline(run) else None


def read_baseline(file: Readable | Source) -> Baseline:
    """Read a frozen baseline; refuse one of another schema, or one that was changed since.

    >>> import io
    >>> read_baseline(io.BytesIO(b'{"assay_baseline": 99}'))
    Traceback (most recent call last):
        ...
    assay.core.errors.FormatError: <file>: expected a baseline of schema 1, got '99' (freeze the baseline again)
    """
    source = Source.of(file)

    def refused(expected: str, got: Any = None) -> FormatError:
        text = got if got is None or isinstance(got, str) else repr(got)[:80]
        return FormatError(source.name, None, expected=expected, got=text, note=_AGAIN)

    payload = loaded(source)
    if not isinstance(payload, dict) or MARK not in payload:
        raise refused(f"a frozen baseline, with the key {MARK!r}")
    if isinstance(payload[MARK], bool) or payload[MARK] != SCHEMA_VERSION:
        raise refused(f"a baseline of schema {SCHEMA_VERSION}", payload[MARK])
    stated = payload.pop("digest", None)
    try:
        digest = of_json(payload)
    except (ValueError, RecursionError) as problem:
        raise refused("finite numbers") from problem
    if stated != digest:
        changed = f"its digest does not fit: it was changed; {_AGAIN}"
        raise FormatError(source.name, None, expected="a file as it was written", note=changed)
    try:
        return _made(payload)
    except (AssayError, LookupError, TypeError, ValueError, AttributeError, ArithmeticError, PolarsError) as problem:
        raise refused("what `assay freeze` writes", f"{type(problem).__name__}: {problem}") from problem


def _made(payload: dict[str, Any]) -> Baseline:
    """The baseline that a file with these contents is of."""
    rest = {name: payload[name] for name in ("system", "measures", "rules", "qrels", "run", "version")}
    policies = Policies(**payload["policies"])
    coverage = payload["coverage"]
    payload["policies"] = asdict(policies)  # a rule that is younger than the file is as it was before
    judged = math.nan if coverage["judged"] is None else coverage["judged"]
    made = Baseline(**rest, policies=policies, coverage=Coverage(rest["system"], **coverage | {"judged": judged}))
    if not made.scores.frame.height or made.contents() != payload:
        raise ValueError("other keys or values")
    return made
