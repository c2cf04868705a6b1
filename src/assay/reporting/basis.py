"""What a report is made from: an evaluation, its comparison with a baseline, and what is looked at closely."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from assay.comparison import Comparison, Finding, compare
from assay.comparison.findings import Settings
from assay.core.domains import Whole
from assay.core.errors import InputError, ParameterError, did_you_mean, listed, number_of
from assay.counting.ranks import Ranks
from assay.counting.retrieved import retrieved, why_not
from assay.evaluation import Evaluation
from assay.files import is_file
from assay.given import check_levels
from assay.measured import Measured
from assay.measures.registry import Measure
from assay.stats.bootstrap import Interval
from assay.stats.paired import Paired
from assay.stats.pairs import Resampled, few_units

#: What a report shows unless told otherwise; charts and queries are of the first one.
DEFAULT_MEASURES = ("nDCG@10", "AP", "RR", "P@10")
#: Of more systems than these, only some are looked at closely; all are in the table.
MOST_SYSTEMS = 8
#: Runs with more rows than this are not gone through once more for every document that they hold.
MOST_ROWS = 5_000_000
#: How a comparison is made, besides the rules of evaluation, and what holds unless told otherwise.
COMPARED_BY: dict[str, Any] = {
    "test": "permutation", "correction": "holm", "family": "measure", "interval": "hull", "alpha": 0.05, "margin": None,
    "power": 0.8, "resamples": None, "bootstrap_resamples": 10_000, "seed": 0,
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Basis:
    """Everything that the parts of a report are read off from.

    `systems`: best first by the main measure. `detailed`: those that are looked at closely. `system`: the one whose
    queries are shown beside the baseline's; empty if there is one system only.
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
    paired: Mapping[str, Paired]
    notes: tuple[str, ...]
    origin: str = ""  # of scores alone: the file that they were read from

    @property
    def main(self) -> str:
        """The measure that charts and queries are shown for."""
        return self.measures[0]

    @property
    def unit_kind(self) -> str:
        """What the values are of: queries, mostly."""
        return next((one.unit_kind for one in self.paired.values()), "query")

    def findings(self, measure: str | None = None) -> list[Finding]:
        """What was found about each system, best first, under the main measure unless another is named."""
        if self.comparison is None:
            return []
        of_measure = {one.system: one for one in self.comparison.findings if one.measure == (measure or self.main)}
        return [of_measure[system] for system in self.systems if system in of_measure]

    @cached_property
    def no_documents(self) -> str:
        """Why documents cannot be looked at; empty if they can."""
        if self.evaluation is None:
            return "from scores alone, nothing is known of documents: there is no coverage, no curve and no ranking"
        rows = int(self.evaluation.coverage["retrieved"].sum())
        if rows > MOST_ROWS:
            return f"the runs have more than {MOST_ROWS:,} rows: their documents are not gone through once more"
        why = why_not(self.evaluation.policies)
        return f"documents are not looked at: {why}" if why else ""

    def higher_is_better(self, measure: str) -> bool | None:
        """Whether more of a measure is good; None if it is neither good nor bad."""
        if measure in self.paired:  # it knows what was stated, too
            return self.paired[measure].higher_is_better
        return self.measure(measure).definition.higher_is_better

    @property
    def is_complete(self) -> bool:
        """Whether the judgments were declared complete, so that nothing is unjudged."""
        return self.evaluation is not None and self.evaluation.policies.complete

    @property
    def is_unchecked(self) -> bool:
        """Whether documents without judgment may matter to the verdicts, and nobody could look at what they do."""
        if self.evaluation is None or self.evaluation.policies.unjudged == "error" or self.is_complete:
            return False
        return any(one.reach is None and not math.isnan(one.difference) for one in self.findings())

    def retrieved(self, systems: Sequence[str], depth: int | None) -> dict[str, Ranks]:
        """Every document that one of these systems returned down to a depth, judged or not."""
        evaluation = self._known
        runs = {name: evaluation.runs[name] for name in systems}
        return retrieved(runs, evaluation.qrels, evaluation.policies, depth, subtopics=evaluation.subtopics)

    def measure(self, name: str) -> Measure:
        """A measure of the evaluation."""
        return self._known.measure(name)

    @property
    def _known(self) -> Evaluation:
        if self.evaluation is None:
            raise ParameterError(self.no_documents)
        return self.evaluation


def on_units(ranks: Ranks, units: Iterable[str]) -> Ranks:
    """The counts of some queries only."""
    wanted = set(units)
    kept = np.array([query in wanted for query in ranks.queries], dtype=np.bool_)
    return ranks if kept.all() else ranks.only(kept)


def basis_of(
    given: Any, runs: Any, measures: Any, *, baseline: str | None, system: str | None, rules: dict[str, Any]
) -> Basis:
    """Evaluate and compare what was given, as far as it has not been done; `rules` are those of both verbs."""
    if isinstance(given, Comparison):
        return _of_comparison(given, baseline, system, {"runs": runs, "measures": measures, **rules})
    asked = {name: rules.pop(name, default) for name, default in COMPARED_BY.items()}
    check_levels(alpha=asked["alpha"], power=asked["power"], margin=asked["margin"])
    if runs is not None and measures is None:
        measures = DEFAULT_MEASURES
    measured = Measured.of(given, runs, measures, seed=Whole(0).check("seed", asked["seed"]), **rules)
    names = measured.measures(measures)
    systems = [str(name) for name in measured.scores.frame["system"].unique(maintain_order=True)]
    paired, notes = _paired(measured, names)
    comparison = None
    if len(systems) > 1:
        _check_name("baseline", baseline, systems)
        if paired:
            comparison = compare(measured, measures=list(paired), baseline=baseline or systems[0], **asked)
    elif baseline is not None or system is not None:
        raise ParameterError(f"there is one system, {systems[0]}: leave baseline and system out")
    if comparison is not None:
        standings = _standings(comparison)
        settings = comparison.settings
    else:
        settings = Settings(**{**asked, "resamples": None})
        standings = _alone(paired, settings)
        notes += [note for one in paired.values() for note in few_units(one.unit_kind, len(one.units))]
    for name in [name for name in names if name not in paired]:
        for one in systems:
            known = math.nan if measured.evaluation is None else measured.evaluation.mean(name, one)
            standings[name, one] = known, _NO_INTERVAL
    first = (baseline or systems[0]) if len(systems) > 1 else ""
    basis = _basis(measured.evaluation, comparison, settings, names, systems, first, system, standings, paired, notes)
    return replace(basis, origin=_origin(given)) if measured.evaluation is None else basis


def _origin(given: Any) -> str:
    """Where scores come from: a path, or what stands for one."""
    if isinstance(given, str | os.PathLike):
        return "<stdin>" if given == "-" else os.fspath(given)
    return str(getattr(given, "name", "")) if is_file(given) else ""


def _of_comparison(given: Comparison, baseline: str | None, system: str | None, said: dict[str, Any]) -> Basis:
    for name, value in said.items():
        if value is not None:
            raise ParameterError(f"{name} belongs to the comparison that the report is made of: give it to compare")
    first = compared_with(given, baseline)
    paired = {one.measure: one for one in given.paired}
    return _basis(
        given.evaluation,
        given,
        given.settings,
        given.measures,
        given.systems,
        first,
        system,
        _standings(given),
        paired,
        [],
    )


def compared_with(comparison: Comparison, baseline: str | None) -> str:
    """The one baseline of a comparison; if another was asked for, or there are several, it is no basis of a report."""
    baselines = list(dict.fromkeys(one.baseline for one in comparison.findings))
    if len(baselines) > 1:
        raise ParameterError("a report holds systems against one baseline: compare(..., baseline=NAME)")
    if baseline is not None and baseline != baselines[0]:
        raise ParameterError(f"the baseline of the comparison is {baselines[0]}, not {baseline!r}")
    return baselines[0]


_NO_INTERVAL = Interval(float("nan"), float("nan"), float("nan"), "none")


def _basis(  # noqa: PLR0917  # the parts of a basis, in its order
    evaluation: Evaluation | None,
    comparison: Comparison | None,
    settings: Settings,
    measures: Sequence[str],
    systems: Sequence[str],
    baseline: str,
    system: str | None,
    standings: dict[tuple[str, str], tuple[float, Interval]],
    paired: dict[str, Paired],
    notes: list[str],
) -> Basis:
    """Put the systems in order, and choose which to look at closely."""
    main = measures[0]
    same: set[str] = set()
    if comparison is not None and main in paired:
        ordered = [one.system for one in comparison.standing(main)]
        same = {one.system for one in comparison.findings if one.measure == main and one.all_zero}
    else:
        ordered = list(systems) if evaluation is None else [one.name for one in evaluation.sorted_by(main).systems]
    others = [name for name in ordered if name != baseline]
    _check_name("system", system, others)
    # Of a system whose queries are all the same, there is nothing to show.
    closest = system or next((name for name in others if name not in same), others[0]) if baseline else ""
    detailed = ordered
    if len(ordered) > MOST_SYSTEMS:
        first = [name for name in (baseline, closest) if name]
        chosen = {*first, *[name for name in ordered if name not in first][: MOST_SYSTEMS - len(first)]}
        detailed = [name for name in ordered if name in chosen]
        notes.append(
            f"{number_of('system', len(ordered))} are too many to look at each closely: verdicts in words, curves and "
            f"bounds are of {len(detailed)} (the baseline, the one looked at and the best of the others), the table "
            "has all; report on some of the runs to see others"
        )
    told = [] if comparison is None else [note for note in comparison.notes if note != comparison.unseen]
    basis = Basis(
        evaluation,
        comparison,
        settings,
        tuple(measures),
        tuple(ordered),
        tuple(detailed),
        baseline,
        closest,
        standings,
        paired,
        tuple(dict.fromkeys([*notes, *told])),
    )
    # Where no documents can be looked at, a report says why of all of them, not of unjudged ones alone.
    unseen = () if comparison is None or basis.no_documents else tuple(filter(None, (comparison.unseen,)))
    return replace(basis, notes=(*basis.notes, *unseen))


def _paired(measured: Measured, names: Sequence[str]) -> tuple[dict[str, Paired], list[str]]:
    """The systems paired by unit under each measure; and why not, where they cannot be."""
    paired = {}
    reasons: dict[str, list[str]] = {}
    for name in names:
        try:
            paired[name] = measured.all_paired([name])[0]
        except InputError as problem:
            if measured.evaluation is None:  # scores that cannot be paired are good for nothing
                raise
            reasons.setdefault(str(problem).removeprefix(f"{name}: "), []).append(name)
    return paired, [f"{', '.join(of)}: no interval and no comparison: {why}" for why, of in reasons.items()]


def _standings(comparison: Comparison) -> dict[tuple[str, str], tuple[float, Interval]]:
    return {(one.measure, one.system): (one.value, one.interval) for one in comparison.standings}


def _alone(paired: dict[str, Paired], settings: Settings) -> dict[tuple[str, str], tuple[float, Interval]]:
    """Each system's number and its interval, where there is nothing to compare with."""
    found = {}
    for name, one in paired.items():
        resampled = Resampled(one, settings.bootstrap_resamples, settings.seed, settings.bootstrap)
        for place, system in enumerate(one.systems):
            found[name, system] = float(one.observed[place]), resampled.of_system(place, 1 - settings.alpha)
    return found


def _check_name(role: str, name: str | None, known: Sequence[str]) -> None:
    if name is not None and name not in known:
        raise ParameterError(f"the {role} is one of {listed(known)}, not {name!r}{did_you_mean(str(name), known)}")
