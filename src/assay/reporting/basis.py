"""What a report is made from: an evaluation, its comparison with a baseline, and what is looked at closely."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from assay.comparison import Comparison, Finding, compare
from assay.comparison.findings import Settings
from assay.core.domains import Whole
from assay.core.errors import InputError, ParameterError, did_you_mean, listed, number_of
from assay.counting.ranks import Ranks
from assay.counting.retrieved import retrieved, why_not
from assay.evaluation import Evaluation
from assay.files import is_file
from assay.inputs import check_levels
from assay.measures.registry import Measure
from assay.pairing import ScorePairing, unit_pairing_of
from assay.rankings.noticed import PAGE
from assay.reporting.texts import Texts
from assay.reporting.wording import Wording
from assay.stats.bootstrap import Interval
from assay.stats.samples import Sample, few_units

#: What a report shows unless told otherwise; charts and queries are of the first one.
DEFAULT_MEASURES = ("nDCG@10", "AP", "RR", "P@10")
#: Of more systems than these, only some are looked at closely; all are in the table.
MOST_SYSTEMS = 8
#: Verdicts under other measures than the main one are told in words as long as all are not more than this.
MOST_VERDICTS = 12
#: Runs with more rows than this are not gone through once more for every document that they hold.
MOST_ROWS = 5_000_000
#: How a comparison is made, besides the rules of evaluation, and what holds unless told otherwise.
COMPARED_BY: dict[str, Any] = {
    "test": "permutation", "correction": "holm", "family": "measure", "interval": "hull", "alpha": 0.05, "margin": None,
    "power": 0.8, "resamples": None, "bootstrap_resamples": 10_000, "seed": 0,
}  # fmt: skip
_NO_INTERVAL = Interval(float("nan"), float("nan"), float("nan"), "none")


class Shown(NamedTuple):
    """How many of the most changed queries to show, how many ranks of each, the texts behind ids, and how to ask."""

    queries: int
    ranks: int
    texts: Texts
    wording: Wording


@dataclass(frozen=True, eq=False)
class Basis:
    """What the sections of a report are made from: a comparison, or where there is none what it would rest on.

    `systems`: best first by the main measure. `detailed`: those that are looked at closely. `system`: the one whose
    queries are shown beside the baseline's; empty if there is one system only. `counts`: every document of those in
    `detailed`; empty where documents cannot be looked at, and `no_documents` says why.
    """

    evaluation: Evaluation | None
    comparison: Comparison | None
    settings: Settings
    measures: tuple[str, ...]
    systems: tuple[str, ...]
    detailed: tuple[str, ...]
    baseline: str
    system: str
    standings: Mapping[tuple[str, str], tuple[float, Interval]]
    paired: Mapping[str, Sample]
    notes: tuple[str, ...]
    shown: Shown
    origin: str = ""  # of scores alone: the file that they were read from
    no_documents: str = ""
    counts: Mapping[str, Ranks] = field(default_factory=dict)

    @property
    def main(self) -> str:
        """The measure that charts and queries are shown for."""
        return self.measures[0]

    @property
    def unit_kind(self) -> str:
        """What the values are of: queries, mostly."""
        return next((paired.unit_kind for paired in self.paired.values()), "query")

    def findings(self, measure: str | None = None) -> list[Finding]:
        """What was found about each system, best first, under the main measure unless another is named."""
        if self.comparison is None:
            return []
        of_measure = {each.system: each for each in self.comparison.findings if each.measure == (measure or self.main)}
        return [of_measure[system] for system in self.systems if system in of_measure]

    @property
    def told(self) -> list[Finding]:
        """The findings that are told in words: by the main measure, then by the others if all are few."""
        every = [each for name in self.measures for each in self.findings(name) if each.system in self.detailed]
        return every if len(every) <= MOST_VERDICTS else [each for each in every if each.measure == self.main]

    def higher_is_better(self, measure: str) -> bool | None:
        """Whether more of a measure is good; None if it is neither good nor bad."""
        if measure in self.paired:  # it knows what was stated, too
            return self.paired[measure].higher_is_better
        return self.measure(measure).definition.higher_is_better

    @property
    def is_complete(self) -> bool:
        """Whether the judgments were declared complete, so that nothing is unjudged."""
        return self.evaluation is not None and self.evaluation.policies.complete

    def is_unchecked(self, finding: Finding) -> bool:
        """Whether documents without judgment may matter to a verdict, and nobody has looked at what they do."""
        if self.evaluation is None or self.evaluation.policies.unjudged == "error" or self.is_complete:
            return False
        return finding.reach is None and not math.isnan(finding.difference)

    def measure(self, name: str) -> Measure:
        """A measure of the evaluation."""
        if self.evaluation is None:
            raise ParameterError(self.no_documents)
        return self.evaluation.measure(name)

    def on_units(self, ranks: Ranks, measure: str) -> Ranks:
        """The counts of the queries that a measure's numbers are of."""
        return ranks if measure not in self.paired else on_units(ranks, self.paired[measure].units)


def on_units(ranks: Ranks, units: Iterable[str]) -> Ranks:
    """The counts of some queries only."""
    wanted = set(units)
    kept = np.array([query in wanted for query in ranks.queries], dtype=np.bool_)
    return ranks if kept.all() else ranks.only(kept)


def basis_of(
    given: Any,
    runs: Any,
    measures: Any,
    *,
    baseline: str | None,
    system: str | None,
    rules: dict[str, Any],
    shown: Shown,
) -> Basis:
    """Evaluate and compare what was given, as far as it has not been done; `rules` are those of both verbs."""
    if isinstance(given, Comparison):
        for name, value in {"runs": runs, "measures": measures, **rules}.items():
            if value is not None:
                raise ParameterError(f"{name} belongs to the comparison that the report is made of: give it to compare")
        paired = {each.measure: each for each in given.samples}
        # The report says so itself, of all that it lacks.
        better_told = given.unseen if _why_no_documents(given.evaluation) else None
        notes = [note for note in given.notes if note != better_told]
        known = _Known(given.evaluation, given, given.settings, given.measures, paired, notes)
        return _basis(known, given.systems, compared_with(given, baseline), system, shown)
    asked = {name: rules.pop(name, default) for name, default in COMPARED_BY.items()}
    check_levels(alpha=asked["alpha"], power=asked["power"], margin=asked["margin"])
    if runs is not None and measures is None:
        measures = DEFAULT_MEASURES
    seed = Whole(0).check("seed", asked["seed"])
    measured = unit_pairing_of("a report on rankings", given, runs, measures, seed=seed, **rules)
    names = measured.measure_names(measures)
    systems = [str(name) for name in measured.scores.frame["system"].unique(maintain_order=True)]
    paired, notes = _paired(measured, names)
    comparison = None
    if len(systems) > 1:
        check_name("baseline", baseline, systems)
        if paired:
            first = baseline or systems[0]
            comparison = compare(measured, measures=list(paired), baseline=first, look_into=False, **asked)
            notes += comparison.notes
    elif baseline is not None or system is not None:
        raise ParameterError(f"there is one system, {systems[0]}: leave baseline and system out")
    settings = Settings(**{**asked, "resamples": None}) if comparison is None else comparison.settings
    if comparison is None:
        notes += [note for each in paired.values() for note in few_units(each.unit_kind, len(each.units))]
    known = _Known(measured.evaluation, comparison, settings, tuple(names), paired, notes)
    first = (baseline or systems[0]) if len(systems) > 1 else ""
    basis = _looked_into(_basis(known, systems, first, system, shown))
    return replace(basis, origin=_origin(given)) if measured.evaluation is None else basis


def _origin(given: Any) -> str:
    """Where scores come from: a path, or what stands for one."""
    if isinstance(given, str | os.PathLike):
        return "<stdin>" if given == "-" else os.fspath(given)
    return str(getattr(given, "name", "")) if is_file(given) else ""


def compared_with(comparison: Comparison, baseline: str | None) -> str:
    """The one baseline of a comparison; if another was asked for, or there are several, it is no basis of a report."""
    baselines = list(dict.fromkeys(finding.baseline for finding in comparison.findings))
    if len(baselines) > 1:
        raise ParameterError("a report holds systems against one baseline: compare(..., baseline=NAME)")
    if baseline is not None and baseline != baselines[0]:
        raise ParameterError(f"the baseline of the comparison is {baselines[0]}, not {baseline!r}")
    return baselines[0]


class _Known(NamedTuple):
    """What is known before systems are put in order."""

    evaluation: Evaluation | None
    comparison: Comparison | None
    settings: Settings
    measures: tuple[str, ...]
    paired: dict[str, Sample]
    notes: list[str]


def _basis(known: _Known, systems: Sequence[str], baseline: str, system: str | None, shown: Shown) -> Basis:
    """Put the systems in order, choose which to look at closely, and count the documents of these."""
    evaluation, comparison, _, measures, paired, notes = known
    same: set[str] = set()
    if comparison is not None and measures[0] in paired:
        ordered = [standing.system for standing in comparison.standing(measures[0])]
        same = {each.system for each in comparison.findings if each.measure == measures[0] and each.all_zero}
    else:
        ordered = (
            list(systems) if evaluation is None else [each.name for each in evaluation.sorted_by(measures[0]).systems]
        )
    others = [name for name in ordered if name != baseline]
    check_name("system", system, others)
    # Of a system whose queries are all the same, there is nothing to show.
    closest = system or next((name for name in others if name not in same), others[0]) if baseline else ""
    first = [name for name in (baseline, closest) if name]
    chosen = {*first, *[name for name in ordered if name not in first][: MOST_SYSTEMS - len(first)]}
    detailed = [name for name in ordered if name in chosen]
    if len(ordered) > MOST_SYSTEMS:
        notes.append(
            f"{number_of('system', len(ordered))} are too many to look at each closely: verdicts in words, curves and "
            f"bounds are of {len(detailed)} (the baseline, the one looked at and the best of the others), the table "
            "has all; report on some of the runs to see others"
        )
    no_documents = _why_no_documents(evaluation)
    counts: dict[str, Ranks] = {}
    if evaluation is not None and not no_documents:
        looked_at = {name: evaluation.runs[name] for name in detailed}
        depth = _depth(evaluation, measures, shown)
        counts = retrieved(looked_at, evaluation.qrels, evaluation.policies, depth, subtopics=evaluation.subtopics)
    return Basis(
        evaluation,
        comparison,
        known.settings,
        tuple(measures),
        tuple(ordered),
        tuple(detailed),
        baseline,
        closest,
        _standings(known, systems),
        paired,
        tuple(dict.fromkeys(notes)),
        shown,
        no_documents=no_documents,
        counts=counts,
    )


def _looked_into(basis: Basis) -> Basis:
    """The same with what documents tell about the findings that are told in words."""
    if basis.comparison is None or not basis.counts:
        return basis
    only = {(finding.measure, finding.system) for finding in basis.told}
    seen = basis.comparison.with_document_analysis(only, basis.counts)
    return replace(basis, comparison=seen, notes=tuple(dict.fromkeys([*basis.notes, *seen.notes])))


def _depth(evaluation: Evaluation, measures: Sequence[str], shown: Shown) -> int | None:
    """How deep documents have to be counted for all measures and for what is shown; None: all of them."""
    cutoffs = [evaluation.measure(name).parameters.get("cutoff") for name in measures]
    return None if None in cutoffs else max([PAGE, shown.ranks, *(int(cutoff) for cutoff in cutoffs if cutoff)])


def _why_no_documents(evaluation: Evaluation | None) -> str:
    """Why documents cannot be looked at; empty if they can."""
    if evaluation is None:
        return "from scores alone, nothing is known of documents: there is no coverage, no curve and no ranking"
    if int(evaluation.coverage["retrieved"].sum()) > MOST_ROWS:
        return f"the runs have more than {MOST_ROWS:,} rows: their documents are not gone through once more"
    why = why_not(evaluation.policies)
    return f"documents are not looked at: {why}" if why else ""


def _standings(known: _Known, systems: Sequence[str]) -> dict[tuple[str, str], tuple[float, Interval]]:
    """Each system's number under each measure and its interval, where there is one."""
    standings: dict[tuple[str, str], tuple[float, Interval]] = {}
    for name in known.measures:
        if name not in known.paired:
            for system in systems:
                value = math.nan if known.evaluation is None else known.evaluation.mean(name, system)
                standings[name, system] = value, _NO_INTERVAL
        elif known.comparison is None:
            paired, settings = known.paired[name], known.settings
            level = [1 - settings.alpha]
            for place, system in enumerate(paired.systems):
                (interval,) = paired.intervals((place,), level, settings.drawing, settings.bootstrap)
                standings[name, system] = float(paired.observed[place]), interval
        else:
            for each in known.comparison.standing(name):
                standings[name, each.system] = each.value, each.interval
    return standings


def _paired(measured: ScorePairing, names: Sequence[str]) -> tuple[dict[str, Sample], list[str]]:
    """The systems paired by unit under each measure; and why not, where they cannot be."""
    paired = {}
    reasons: dict[str, list[str]] = {}
    for name in names:
        try:
            paired[name] = measured.samples([name])[0]
        except InputError as problem:
            if measured.evaluation is None:  # scores that cannot be paired are good for nothing
                raise
            reasons.setdefault(str(problem).removeprefix(f"{name}: "), []).append(name)
    return paired, [f"{', '.join(of)}: no interval and no comparison: {why}" for why, of in reasons.items()]


def check_name(role: str, name: str | None, known: Sequence[str]) -> None:
    """Refuse a name that is not among those known."""
    if name is not None and name not in known:
        raise ParameterError(f"the {role} is one of {listed(known)}, not {name!r}{did_you_mean(str(name), known)}")
