"""Runs on the same topics: paired for comparisons, and gated."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import isnan
from typing import TYPE_CHECKING, Any, ClassVar

import polars as pl

from assay.core.digits import as_percent, as_percents
from assay.core.errors import InputError, ParameterError, argument, number_of, refuse_unknown
from assay.core.errors import listed as listed_names
from assay.files import Source, is_file
from assay.measures import parse_measure
from assay.measures.counting.ranking import Policies
from assay.measures.parser import meanings
from assay.measures.registry import Measure
from assay.measures.summary import takes_none
from assay.stats.pairing import ScorePairing, Wanted, each_measure
from assay.stats.samples import Sample
from assay.stats.weighted_samples import PooledSample
from assay.subjects.ranking.baselines import (
    DEFAULT_MEASURES,
    Baseline,
    coverage_of,
    frozen_in,
    refuse_without_topics,
)
from assay.subjects.ranking.document_analysis import DocumentAnalysis, with_document_analysis
from assay.subjects.ranking.evaluation import Evaluation, evaluate, listed_measures, named_runs
from assay.tables import Batches, Scores
from assay.verbs.gating.checks import (
    Coverage,
    GateSettings,
    Guard,
)
from assay.verbs.gating.gate import TAKES, Sides, Two

if TYPE_CHECKING:
    from assay.verbs.comparison.findings import Finding
    from assay.verbs.comparison.result import Comparison


@dataclass(frozen=True, eq=False)
class RunPairing(ScorePairing):
    """Scores of runs, and the evaluation that they come from."""

    runs: Evaluation = field(kw_only=True)

    subject: ClassVar[str] = "ranking"
    to_have_more: ClassVar[str] = "Judge"

    @classmethod
    def of(cls, evaluation: Evaluation) -> RunPairing:
        """The runs of an evaluation.

        >>> from assay import evaluate
        >>> runs = {"a": {"q1": {"d1": 1.0}}, "b": {"q1": {"d2": 1.0}}}
        >>> RunPairing.of(evaluate({"q1": {"d1": 1}}, runs, ["RR"])).sample("RR").observed
        array([1., 0.])
        """
        refuse_without_topics(evaluation)
        return cls(evaluation.scores, runs=evaluation)

    @property
    def evaluation(self) -> Evaluation:
        """The evaluation of the runs."""
        return self.runs

    @property
    def is_bare(self) -> bool:
        """There are judgments and runs behind the scores."""
        return False

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings of what is odd about judgments and runs."""
        return self.runs.warnings

    def remarks(self, measures: Sequence[str], *, usual: bool, instead: str = "is the headline") -> list[str]:
        """Remarks on the judgments, where they say something of every verdict."""
        level = self.runs.policies.relevance_level
        if level == Policies().relevance_level or any(self.runs.measure(name).depends_on_level for name in measures):
            return list(self.runs.notes)
        idle = (
            f"{argument('relevance_level', level)} has no effect on {listed_names(measures)}: grades count as they are"
        )
        return [*self.runs.notes, idle]

    def measure_names(self, wanted: Wanted = None) -> list[str]:
        """The measures asked for, in any tool's notation; all there are, if none is."""
        if wanted is None:
            return super().measure_names()
        return list(dict.fromkeys(str(self.runs.measure(name)) for name in each_measure(wanted)))

    def undirected(self, measure: str | Measure) -> Sample:
        """The systems under one measure; micro averages keep their formulas."""
        sample = super().undirected(measure)
        wanted = self.runs.measure(measure)
        if not wanted.is_micro:
            return sample
        queries = {system.ranks.queries for system in self.runs.systems}
        if len(queries) > 1:
            raise InputError(f"{measure} sums counts up over queries: with missing='skip' the systems have other ones")
        return PooledSample(
            tuple(system.results[wanted] for system in self.runs.systems),
            systems=sample.systems,
            units=queries.pop(),
            measure=sample.measure,
            unit_kind=sample.unit_kind,
            bounds=sample.bounds,
            direction=sample.direction,
        )

    def look_into(self, comparison: Comparison) -> Comparison:
        """The comparison with what documents of the runs tell."""
        return with_document_analysis(comparison)

    def further_sentences(self, finding: Finding, *, alone: bool) -> Iterator[str]:
        """The changes that users would notice."""
        if finding.noticed is not None:
            which = "" if alone else f" of {finding.system} in place of {finding.baseline}"
            yield f"What users would notice{which}: {finding.noticed.in_words()}"

    def documents(self, comparison: Comparison) -> DocumentAnalysis:
        """The facts that the documents of the runs tell of a comparison."""
        return DocumentAnalysis(comparison)

    @property
    def is_complete(self) -> bool:
        """True if the judgments were declared complete."""
        return self.runs.policies.complete

    @property
    def reference(self) -> str:
        """The name of the judgments."""
        return self.runs.qrels.name

    def signatures(self, measures: Iterable[str]) -> dict[str, str]:
        """Everything that each measure's number depends on, in one line."""
        return dict(self.runs.signatures)


class RunSides(Sides):
    """Two runs, of which not too many topics may be missing, and some documents have to be judged."""

    pairing: ScorePairing

    def _undefined(self, measure: str, system: str) -> str | None:
        return undefined_in(self.pairing.scores, measure, system)

    def why_undefined(self, measure: str) -> str:
        """The reason why a measure has no value for any topic of a run; empty if it has one."""
        return "; ".join(why for side in self.coverage if (why := self._undefined(measure, side.system)))

    def guards(self, samples: Sequence[Sample], settings: GateSettings) -> tuple[Guard, ...]:
        """The conditions on both runs."""
        # Counts that are summed up may have a value together where no topic has one.
        averaged = [sample.measure for sample in samples if sample.averages_units]
        undefined = {
            side.system: [why for name in averaged if (why := self._undefined(name, side.system))]
            for side in self.coverage
        }
        return guards_of(self.coverage, settings, undefined, complete=self.pairing.is_complete)

    def notes(self) -> list[str]:
        """A note if much less is judged of the candidate."""
        before, after = self.coverage
        if not after.judged < before.judged - 0.1:
            return []
        now, then = as_percents([after.judged, before.judged])
        return [
            f"judged in the top 10: {now} of {after.system}, {then} of {before.system}; "
            "documents without judgment count as irrelevant, so a loss may come from them"
        ]


def two_runs(qrels: Any, two: Two, measures: Any, seed: int, rules: Mapping[str, Any]) -> RunSides:
    """Both runs; the rules are those of `evaluate`.

    >>> judged, run = {"q1": {"d1": 1}}, {"q1": {"d1": 1.0}}
    >>> two_runs(judged, Two(run, {"new": run}), "RR", 0, {}).coverage[1]
    Coverage(system='new', topics=1, missing=0, judged=1.0)
    """
    if two.baseline is None or two.candidate is None:
        raise ParameterError(TAKES)
    # What can be read only once is looked at and then read again.
    baseline, candidate = (Source(run) if isinstance(run, str | os.PathLike) else run for run in two)
    if frozen_in(candidate) is not None:
        raise ParameterError("the candidate looks like a frozen baseline: give it as the baseline, and a run instead")
    name, run = _named(candidate, "candidate")
    if (frozen := frozen_in(baseline)) is not None:
        # The seed of the statistics is not that of the scores.
        return _against_frozen(qrels, frozen, (name, run), measures, rules)
    first, other = _named(baseline, "baseline")
    first, name = _apart(first, name)
    wanted = listed_measures(DEFAULT_MEASURES if measures is None else measures)
    evaluation = evaluate(qrels, {first: other, name: run}, wanted, **({"seed": seed} | dict(rules)))
    coverage = coverage_of(evaluation, first), coverage_of(evaluation, name)
    names = [str(measure) for measure in evaluation.measures]
    return RunSides(RunPairing.of(evaluation), names, called, coverage)


def _against_frozen(
    qrels: Any, baseline: Baseline, named: tuple[str, Batches], measures: Any, rules: Mapping[str, Any]
) -> RunSides:
    held = asdict(baseline.policies) | dict(baseline.rules)
    for rule, value in rules.items():
        refuse_unknown([rule], held)
        if value != held[rule]:
            raise ParameterError(
                f"{rule} is {held[rule]!r} in the frozen baseline, not {value!r}: to change it, freeze again"
            )
    wanted = baseline.wanted(measures)
    first, name = _apart(baseline.system, named[0])
    evaluation = baseline.evaluate(qrels, {name: named[1]}, wanted)
    refuse_without_topics(evaluation)
    both = pl.concat([replace(baseline, system=first).scores.frame, evaluation.scores.frame])
    pairing = RunPairing(replace(evaluation.scores, frame=both), runs=evaluation)
    coverage = baseline.coverage._replace(system=first), coverage_of(evaluation, name)
    return RunSides(pairing, wanted, called, coverage, baseline)


def called(measure: Any) -> str:
    """The name of a measure in the scores, whichever tool's name it was given by.

    >>> called("ndcg_cut_10")
    'nDCG@10'
    """
    return str(parse_measure(measure))


def _named(run: Any, role: str) -> tuple[str, Batches]:
    """A run with its name; one in memory that has none is called by its role."""
    opened = named_runs(run)
    if len(opened) != 1:
        raise ParameterError(f"one run is the {role}, not {len(opened)}")
    name, table = next(iter(opened.items()))
    return (role if name == "run" and not is_file(run) else name), table


def _apart(baseline: str, candidate: str) -> tuple[str, str]:
    """Two names that differ: in many pipelines both runs have the same."""
    return (baseline, candidate) if baseline != candidate else (f"{baseline} (baseline)", f"{candidate} (candidate)")


#: What to do if a measure has no value anywhere.
_DEFINE = (
    "look whether the judgments hold documents that count as relevant, and whether the measure needs to know more, "
    "such as the size of the collection ({relevance_level}, {collection_size})"
)


def guards_of(
    coverage: Sequence[Coverage],
    settings: GateSettings,
    undefined: Mapping[str, Sequence[str]] | None = None,
    *,
    complete: bool = False,
) -> tuple[Guard, ...]:
    """The conditions on both systems.

    Not too many topics are missing; each measure has a value somewhere (`undefined`: by system, those that have none,
    in words); one of the runs has a judged document in its first ten; and, if asked for, enough of them are judged.
    With judgments that were declared `complete`, every document is.

    >>> settings = GateSettings(0.05, "report", 0.1, min_judged=None, resamples=100, bootstrap_resamples=100)
    >>> for guard in guards_of((Coverage("old", 10, 1, 0.9), Coverage("new", 10, 2, 0.9)), settings):
    ...     print(guard.holds, guard.says)
    True old lacks 1 of 10 judged topics (10.0%); allowed are 10.0%
    False new lacks 2 of 10 judged topics (20.0%); allowed are 10.0%
    True every measure is defined for some topic of old
    True every measure is defined for some topic of new
    True judged in the top 10: 90.0% of old, 90.0% of new
    """
    guards = []
    for system, topics, missing, _ in coverage:
        # Counted topics, not shares, are compared: 3 of 30 is a tenth, whatever the last digit says.
        holds = missing <= settings.max_missing * topics + 1e-9
        share, most = as_percents([missing / max(topics, 1), settings.max_missing])
        lacks = f"{system} lacks {missing:,} of {number_of('judged topic', topics)} ({share}); allowed are {most}"
        advice = "complete the run; or allow more topics to be missing ({max_missing})"
        guards.append(Guard("missing topics", system, holds, lacks, advice))
    for side in coverage:
        lacking = (undefined or {}).get(side.system, ())
        says = "; ".join(lacking) or f"every measure is defined for some topic of {side.system}"
        guards.append(Guard("defined values", side.system, not lacking, says, _DEFINE))
    guards.append(_judged_at_all(*coverage, complete=complete))
    if settings.min_judged is not None:
        if complete:
            raise ParameterError("min_judged asks how much is judged, and the judgments were declared complete")
        for side in coverage:
            holds = side.judged >= settings.min_judged - 1e-12  # not so where nothing was retrieved
            says = f"{_share(side.judged)} judged in the top 10 of {side.system}"
            asked = f"at least {as_percent(settings.min_judged)} is asked for"
            advice = "judge more documents; or ask for less ({min_judged})"
            guards.append(Guard("judged documents", side.system, holds, f"{says}; {asked}", advice))
    return tuple(guards)


def _judged_at_all(first: Coverage, second: Coverage, *, complete: bool) -> Guard:
    """Two runs without a judged document are equally bad by every measure, and nothing was compared."""
    both = f"{first.system} and {second.system}"
    holds = True
    shares = ", ".join(f"{_share(side.judged)} of {side.system}" for side in (first, second))
    says = "judgments declared complete" if complete else f"judged in the top 10: {shares}"
    if not (complete or first.judged > 0 or second.judged > 0):
        holds = False
        says = f"no document in the top 10 of {first.system} or {second.system} is judged"
    advice = "look whether runs and judgments are of the same collection, with document ids spelt alike"
    return Guard("judged at all", both, holds, says, advice)


def _share(judged: float) -> str:
    return "nothing" if isnan(judged) else as_percent(judged)


def undefined_in(scores: Scores, measure: str, system: str) -> str | None:
    """The reason why a measure has no value for any unit of a system, in words; None if it has one.

    >>> from assay import evaluate
    >>> undefined_in(evaluate({"q1": {"d1": 0}}, {"bm25": {"q1": {"d1": 1.0}}}, "AP").scores, "AP", "bm25")
    'AP is undefined for every query of bm25 (no relevant document)'
    """
    rows = scores.frame.filter((pl.col("measure") == measure) & (pl.col("system") == system))
    if not rows.height or rows["value"].null_count() < rows.height:
        return None
    reasons = rows["undefined"].drop_nulls().unique(maintain_order=True).to_list()
    if takes_none(next(iter(meanings(measure, ["ranking"])), None), reasons, scores.undefined):
        return None
    why = f" ({reasons[0]})" if len(reasons) == 1 else ""
    return f"{measure} is undefined for every {rows['unit_kind'][0]} of {system}{why}"
