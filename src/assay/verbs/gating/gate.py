"""`gate`: judgments, a baseline and a candidate -> a `GateResult`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from math import isnan
from typing import Any, NamedTuple

import polars as pl

from assay import __version__
from assay.core.digits import as_percents
from assay.core.domains import SHARE, Whole
from assay.core.errors import InputError, ParameterError, number_of, refuse_unknown
from assay.files import Source, is_file, read_topics
from assay.measures.registry import Measure
from assay.stats.corrections import resamples_for
from assay.stats.pairing import Directions, ItemPairing, Pairing
from assay.stats.samples import Sample, few_units
from assay.stats.verdict import FEWEST_UNITS
from assay.subjects.ranking.evaluation import Evaluation, evaluate
from assay.subjects.ranking.inputs import check_levels, named_runs
from assay.subjects.ranking.pairing import RunPairing
from assay.tables import Batches, Scores, Topics
from assay.verbs.comparison.slices import NONE, attribute_of
from assay.subjects.ranking.baseline_files import frozen_in
from assay.verbs.gating.checks import Check, GateSettings, Part, as_drawn, checks_of, parts_of
from assay.verbs.gating.clustered import two_clusterings, usual_measure
from assay.subjects.ranking.baselines import DEFAULT_MEASURES, Baseline, listed_measures
from assay.verbs.gating.guards import Coverage, Guard, guards_of, undefined_in
from assay.verbs.gating.predicted import DEFAULT_MEASURES as PREDICTED_MEASURES
from assay.verbs.gating.predicted import in_order, missing_items, two_classifiers
from assay.verbs.gating.result import GateResult
from assay.verbs.gating.rules import Inconclusive, Margins, check_inconclusive, named_of_rankings
from assay.verbs.scores import ScorePairing
from assay.verbs.subject import check_rules, name_of, subject_of


def gate(
    qrels: Any,
    *two: Any,
    baseline: Any = None,
    candidate: Any = None,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    margin: float | Mapping[str, float] | Margins | None = None,
    direction: Directions = None,
    alpha: float = 0.05,
    inconclusive: Inconclusive = "report",
    max_missing: float = 0.1,
    min_judged: float | None = None,
    slices: str | None = None,
    topics: Any = None,
    resamples: int | None = None,
    bootstrap_resamples: int = 10_000,
    seed: int = 0,
    **rules: Any,
) -> GateResult:
    """Say whether a candidate may take the baseline's place: it passes, fails, or is inconclusive.

    `baseline` and `candidate`, by name or in this order, are runs in any shape that `evaluate` takes; the baseline may
    also be frozen: what `freeze` gives, or its file. It then brings its own rules, and has no others. `measures`:
    nDCG@10 unless given, or all that a frozen baseline holds. `margin`: the smallest loss that matters, for all
    measures or by measure; unless given, 0.01 of a measure's range. `direction`: whether `higher` or `lower` is better,
    for measures that are neither good nor bad when they are high, such as counts. `slices`: also check the topics that
    share a value of this attribute of `topics` (a table or a file; or a dict from topics to values, and `slices` is
    what it is called).

    A check passes if the candidate is surely not worse by the margin or more (the one-sided bound of the difference
    lies within it), and fails if it is surely worse (one-sided test, corrected by Holm over all checks) and the loss
    reaches the margin. The gate is as good as the worst of its checks. It is invalid if a run lacks more than
    `max_missing` of the judged topics, if less than `min_judged` of a run's first ten documents are judged or none of
    both runs', and if a measure is undefined for all topics of a run.

    Predictions of classifiers hold the truth themselves: `gate(old, new)`, `gate(new, baseline=old)`, or one table or
    file with several systems, of which `baseline` and `candidate` are names. `measures` is then Accuracy unless given;
    the rules are `pos_label`, `threshold` and `missing` (`error`, or `drop` items that one of them lacks, at most
    `max_missing`).

    So do clusterings: the same calls, with the rules of `cluster` and `missing`, and `measures` is ARI unless given, or
    Silhouette where no classes are known. There is no test of them: a check fails if the interval of the difference,
    made wider for the other checks, lies on the bad side of 0 as a whole, and the loss reaches the margin.

    `inconclusive`: what the exit code then is: 3 (`report`), or that of `pass` or `fail`. Files that cannot be read,
    runs of other topics and a frozen baseline of other judgments raise an error.

    >>> judged = {f"q{n}": {"good": 1} for n in range(6)}
    >>> old = {query: {"good": 2.0, "bad": 1.0} for query in judged}
    >>> new = {query: {"good": 1.0, "bad": 2.0} for query in judged}
    >>> gate(judged, old, new, measures="RR").outcome, gate(judged, old, old, measures="RR").outcome
    ('fail', 'pass')
    """
    check_rules(rules, subject_of(qrels, *two, candidate), gate)
    predicted = name_of(qrels) == "labels"
    itemised = predicted or (name_of(qrels) == "clusters")
    baseline, candidate = in_order(two, baseline, candidate, predicted=itemised)
    margins = Margins.of(margin, str if itemised else named_of_rankings)
    check_levels(alpha=alpha, power=0.8)
    check_inconclusive(inconclusive)
    seed, redraws = Whole(0).check("seed", seed), Whole(100).check("bootstrap_resamples", bootstrap_resamples)
    allowed = SHARE.check("max_missing", max_missing)
    least = None if min_judged is None else SHARE.check("min_judged", min_judged)
    attribute = _attribute(slices, topics)
    if itemised:
        held: ItemPairing
        if predicted:
            held, usual = two_classifiers(qrels, baseline, candidate, rules), PREDICTED_MEASURES
        else:
            clusterings = two_clusterings(qrels, baseline, candidate, rules, seed)
            held, usual = clusterings, (usual_measure(clusterings),)
        held.check_drawing(resamples)
        sides = _Sides(held, held.measure_names(usual if measures is None else measures), held)
        margins = Margins.of(margins, lambda measure: str(held.measure(measure)))
        if least is not None:
            raise ParameterError("min_judged goes with judgments and runs")
    elif baseline is None or candidate is None:
        raise ParameterError(
            "a gate takes judgments, a baseline and a candidate; or predictions of two classifiers; or two clusterings"
        )
    else:
        sides = _sides(qrels, baseline, candidate, measures, {"seed": seed} | rules)
    pairing = sides.pairing.directed(direction, sides.measures)
    margins.check(sides.measures)
    samples = [_sample(sides, pairing, measure) for measure in sides.measures]
    parts = parts_of(samples, margins, slices, attribute)
    swaps = resamples_for(len(parts), alpha) if resamples is None else Whole(100).check("resamples", resamples)
    settings = GateSettings(alpha, inconclusive, allowed, least, swaps, redraws, seed)
    checks = checks_of(parts, settings)
    notes = [note for sample in samples for note in sample.notes(absences=False)]
    notes += _notes(checks, sides.coverage, alpha)
    few = [check for check in checks if check.interval == "t" and not check.slice]
    notes += [note for check in few for note in few_units(check.unit_kind, check.units)]
    notes += _ungrouped(parts, slices)
    notes += pairing.remarks(sides.measures, usual=measures is None, instead="would say more")
    unknown = [check.measure for check in checks if check.outcome == "inconclusive" and isnan(check.at_worst)]
    drawing = samples[0].redraws(settings.drawing)
    notes += [note for measure in unknown for note in pairing.without_intervals(measure, samples[0].systems, drawing)]
    if sides.frozen is not None and sides.frozen.version != __version__:
        notes.append(f"the baseline was frozen by assay {sides.frozen.version}, this is {__version__}")
    first, second = samples[0].systems
    return GateResult(
        first,
        second,
        checks,
        sides.guards(samples, settings),
        sides.coverage,
        as_drawn(settings, checks),
        pairing,
        sides.evaluation,
        sides.frozen,
        tuple(dict.fromkeys(notes)),
    )


class _Sides(NamedTuple):
    """Baseline and candidate, evaluated under the same rules; items have no coverage and no evaluation."""

    pairing: Pairing
    measures: list[str]
    items: ItemPairing | None = None
    coverage: tuple[Coverage, ...] = ()
    evaluation: Evaluation | None = None
    frozen: Baseline | None = None

    def undefined_in(self, measure: str, system: str) -> str | None:
        """Why a measure has no value for any unit of a system; None if it has one."""
        return undefined_in(self.pairing.scores, measure, system) if isinstance(self.pairing, ScorePairing) else None

    def guards(self, samples: Sequence[Sample], settings: GateSettings) -> tuple[Guard, ...]:
        """The conditions on the inputs of both."""
        if self.items is not None:
            return missing_items(self.items, settings.max_missing)
        complete = self.evaluation is not None and self.evaluation.policies.complete
        return guards_of(self.coverage, settings, _undefined(self, samples), complete=complete)


def _sides(qrels: Any, baseline: Any, candidate: Any, measures: Any, rules: dict[str, Any]) -> _Sides:
    # What can be read only once is looked at and then read again.
    baseline, candidate = (Source(run) if isinstance(run, str | os.PathLike) else run for run in (baseline, candidate))
    if frozen_in(candidate) is not None:
        raise ParameterError("the candidate looks like a frozen baseline: give it as the baseline, and a run instead")
    name, run = _named(candidate, "candidate")
    if (frozen := frozen_in(baseline)) is not None:
        # The seed of the statistics is not that of the scores.
        held = {rule: value for rule, value in rules.items() if rule != "seed"}
        return _against_frozen(qrels, frozen, (name, run), measures, held)
    first, other = _named(baseline, "baseline")
    first, name = _apart(first, name)
    wanted = listed_measures(DEFAULT_MEASURES if measures is None else measures)
    evaluation = evaluate(qrels, {first: other, name: run}, wanted, **rules)
    coverage = Coverage.of(evaluation, first), Coverage.of(evaluation, name)
    pairing = RunPairing.of(evaluation)
    return _Sides(pairing, [str(measure) for measure in evaluation.measures], None, coverage, evaluation)


def _sample(sides: _Sides, pairing: Pairing, measure: str) -> Sample:
    """Both systems under a measure; where one has no value to compare, that is what is said."""
    try:
        sample = pairing.sample(measure)
    except InputError as problem:
        lacking = [sides.undefined_in(measure, side.system) for side in sides.coverage]
        if any(lacking):
            raise InputError("; ".join(why for why in lacking if why)) from problem
        raise
    for system, value in zip(sample.systems, sample.observed, strict=True):
        if not sample.averages_units and isnan(value):
            raise InputError(f"{measure} is undefined for {system}: there is nothing to compare")
    return sample


def _undefined(sides: _Sides, samples: Sequence[Sample]) -> dict[str, list[str]]:
    """The measures that have no value at all, by system."""
    # Counts that are summed up may have a value together where no topic has one.
    averaged = [sample.measure for sample in samples if sample.averages_units]
    return {
        side.system: [why for name in averaged if (why := sides.undefined_in(name, side.system))]
        for side in sides.coverage
    }


def _against_frozen(
    qrels: Any, baseline: Baseline, named: tuple[str, Batches], measures: Any, rules: dict[str, Any]
) -> _Sides:
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
    renamed = replace(baseline, system=first)
    both = pl.concat([renamed.scores.frame, evaluation.scores.frame])
    pairing = ScorePairing(Scores(both, evaluation.scores.directions), undefined=evaluation.undefined)
    coverage = baseline.coverage._replace(system=first), Coverage.of(evaluation, name)
    return _Sides(pairing, wanted, None, coverage, evaluation, baseline)


def _named(given: Any, role: str) -> tuple[str, Batches]:
    """One run with its name; one in memory that has none is called by its role."""
    opened = named_runs(given)
    if len(opened) != 1:
        raise ParameterError(f"one run is the {role}, not {len(opened)}")
    name, run = next(iter(opened.items()))
    nameless = not is_file(given) and name == "run"
    return (role if nameless else name), run


def _apart(baseline: str, candidate: str) -> tuple[str, str]:
    """Two names that differ: in many pipelines both runs have the same."""
    return (baseline, candidate) if baseline != candidate else (f"{baseline} (baseline)", f"{candidate} (candidate)")


def _attribute(by: str | None, topics: Any) -> dict[str, Any]:
    if (by is None) != (topics is None):
        raise ParameterError("slices (an attribute) and topics go together")
    if by is None:
        return {}
    if isinstance(topics, Mapping):
        return attribute_of(topics)
    if is_file(topics):
        return attribute_of(read_topics(topics), by)
    return attribute_of(topics if isinstance(topics, Topics) else Topics.of(topics), by)


def _ungrouped(parts: Sequence[Part], by: str | None) -> list[str]:
    """How many units the attribute says nothing about; refuse one that says nothing about any."""
    if by is None:
        return []
    whole = parts[0].sample
    rest = [part.sample for part in parts if part.slice == f"{by} = {NONE}" and part.sample.measure == whole.measure]
    lacking = sum(sample.size for sample in rest)
    without = f"{number_of(whole.unit_kind, lacking)} of {whole.size:,} without {by} in the topics"
    if lacking == whole.size:
        raise ParameterError(f"{without}: there is nothing to group; are these the topics of the judgments?")
    return [f"{without}: a group of their own"] if lacking else []


def _notes(checks: tuple[Check, ...], coverage: tuple[Coverage, ...], alpha: float) -> list[str]:
    notes = []
    for check in checks:
        # With so few units that differ the test has a smallest p-value, and a correction may lift it above alpha.
        differing = check.improved + check.worsened
        least = 2.0**-differing
        corrected = least * (len(checks) - sum(other.p_uncorrected < least for other in checks))
        counted = check.improved + check.same + check.worsened > 0  # scores are compared without counting items
        if counted and check.units >= FEWEST_UNITS and corrected >= alpha and check.outcome != "pass":
            few = f"{number_of(check.unit_kind, differing)} that {'differs is' if differing == 1 else 'differ are'}"
            notes.append(f"{check.name}: cannot fail, as {few} too few for {number_of('check', len(checks))}")
    if not coverage:
        return notes
    before, after = coverage
    if after.judged < before.judged - 0.1:
        now, then = as_percents([after.judged, before.judged])
        notes.append(
            f"judged in the top 10: {now} of {after.system}, {then} of {before.system}; "
            "documents without judgment count as irrelevant, so a loss may come from them"
        )
    return notes
