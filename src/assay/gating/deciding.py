"""`gate`: judgments, a baseline and a candidate -> a `GateResult`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from math import isnan
from typing import Any, NamedTuple

import polars as pl

from assay import __version__
from assay.classification.pairing import Classifiers, are_predictions
from assay.clustering.pairing import Clusterings, are_clusters, refuse_drawing
from assay.comparison.slices import NONE, attribute_of
from assay.core.digits import as_percents
from assay.core.domains import SHARE, Whole
from assay.core.errors import InputError, ParameterError, number_of, refuse_unknown
from assay.evaluation import Evaluation, evaluate
from assay.files import Source, is_file, read_topics
from assay.gating.baselines import frozen_in
from assay.gating.checks import Check, Part, Settings, as_drawn, checks_of, parts_of
from assay.gating.clustered import two_clusterings, usual_measure
from assay.gating.frozen import DEFAULT_MEASURES, Baseline, listed_measures
from assay.gating.guards import Coverage, guards_of, undefined_in
from assay.gating.predicted import DEFAULT_MEASURES as PREDICTED_MEASURES
from assay.gating.predicted import in_order, missing_items, two_classifiers
from assay.gating.result import GateResult
from assay.gating.rules import Inconclusive, Margins, check_inconclusive, named_of_rankings
from assay.given import check_levels, named_runs
from assay.measured import Directions, Measured, check_rules
from assay.measures.registry import Measure
from assay.stats.cluster_samples import MOST_HALVES
from assay.stats.paired import Paired
from assay.stats.pairs import few_units, resamples_for
from assay.stats.samples import Averaged, Pooled
from assay.stats.score_samples import Drawing
from assay.stats.verdict import FEWEST_UNITS
from assay.tables import Batches, Scores, Topics


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
    check_rules(rules, gate)
    predicted = are_predictions(qrels)
    itemised = predicted or are_clusters(qrels)
    baseline, candidate = in_order(two, baseline, candidate, predicted=itemised)
    margins = Margins.of(margin, str if itemised else named_of_rankings)
    check_levels(alpha=alpha, power=0.8)
    check_inconclusive(inconclusive)
    seed, redraws = Whole(0).check("seed", seed), Whole(100).check("bootstrap_resamples", bootstrap_resamples)
    allowed = SHARE.check("max_missing", max_missing)
    least = None if min_judged is None else SHARE.check("min_judged", min_judged)
    attribute = _attribute(slices, topics)
    if itemised:
        held: Classifiers | Clusterings
        if predicted:
            held = two_classifiers(qrels, baseline, candidate, rules)
            wanted = PREDICTED_MEASURES if measures is None else measures
        else:
            refuse_drawing(resamples)
            held = two_clusterings(qrels, baseline, candidate, rules, seed)
            wanted = usual_measure(held) if measures is None else measures
        sides = _itemised_sides(held, wanted)
        margins = Margins.of(margins, sides.named)
        if least is not None:
            raise ParameterError("min_judged goes with judgments and runs")
    elif baseline is None or candidate is None:
        raise ParameterError(
            "a gate takes judgments, a baseline and a candidate; or predictions of two classifiers; or two clusterings"
        )
    else:
        sides = _sides(qrels, baseline, candidate, measures, {"seed": seed} | rules)
    sides = sides._replace(measured=sides.measured.directed(direction, sides.measures))
    margins.check(sides.measures)
    paired = [_paired(sides, measure) for measure in sides.measures]
    parts = parts_of(paired, margins, slices, attribute)
    drawn = resamples_for(len(parts), alpha) if resamples is None else Whole(100).check("resamples", resamples)
    settings = Settings(alpha, inconclusive, allowed, least, drawn, redraws, seed)
    checks = checks_of(parts, settings)
    notes = [note for one in paired for note in one.notes(absences=False)] + _notes(checks, sides.coverage, alpha)
    few = [one for one in checks if one.interval == "t" and not one.slice]
    notes += [*(note for one in few for note in few_units(one.unit_kind, one.units)), *_ungrouped(parts, slices)]
    compared = sides.measured.itemised
    if compared is not None:
        notes += [*compared.notes, *_notes_on_classifiers(sides, usual=measures is None)]
        notes += _without_interval(sides.measured.clusterings, checks, Drawing(min(redraws, MOST_HALVES), seed))
        guards = missing_items(compared, allowed)
    else:
        complete = sides.evaluation is not None and sides.evaluation.policies.complete
        guards = guards_of(sides.coverage, settings, _undefined(sides, paired), complete=complete)
    if sides.frozen is not None and sides.frozen.version != __version__:
        notes.append(f"the baseline was frozen by assay {sides.frozen.version}, this is {__version__}")
    return GateResult(
        paired[0].systems[0],
        paired[0].systems[1],
        checks,
        guards,
        sides.coverage,
        as_drawn(settings, checks),
        sides.evaluation,
        sides.frozen,
        tuple(dict.fromkeys(notes)),
        sides.measured.classifiers,
        sides.measured.clusterings,
    )


class _Sides(NamedTuple):
    """Baseline and candidate, evaluated under the same rules; items have no coverage and no evaluation."""

    measured: Measured
    measures: list[str]
    coverage: tuple[Coverage, ...]
    evaluation: Evaluation | None
    frozen: Baseline | None

    def named(self, measure: Any) -> str:
        """What a measure of classifiers or clusterings is called here."""
        return str(measure) if self.measured.itemised is None else str(self.measured.itemised.measure(measure))


def _itemised_sides(held: Classifiers | Clusterings, measures: Any) -> _Sides:
    measured = Measured.of(held)
    return _Sides(measured, measured.measures(measures), (), None, None)


def _sides(qrels: Any, baseline: Any, candidate: Any, measures: Any, rules: dict[str, Any]) -> _Sides:
    # What can be read only once is looked at and then read again.
    baseline, candidate = (Source(one) if isinstance(one, str | os.PathLike) else one for one in (baseline, candidate))
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
    return _Sides(Measured.of(evaluation), [str(one) for one in evaluation.measures], coverage, evaluation, None)


def _paired(sides: _Sides, measure: str) -> Paired:
    """Both systems under a measure; where one has no value to compare, that is what is said."""
    try:
        paired = sides.measured.paired(measure)
    except InputError as problem:
        lacking = [undefined_in(sides.measured.scores, measure, one.system) for one in sides.coverage]
        if any(lacking):
            raise InputError("; ".join(one for one in lacking if one)) from problem
        raise
    for system, value in zip(paired.systems, paired.observed, strict=True):
        if not isinstance(paired.sample, Averaged) and isnan(value):
            raise InputError(f"{measure} is undefined for {system}: there is nothing to compare")
    return paired


def _undefined(sides: _Sides, paired: Sequence[Paired]) -> dict[str, list[str]]:
    """The measures that have no value at all, by system."""
    # Counts that are summed up may have a value together where no topic has one.
    averaged = [one.measure for one in paired if not isinstance(one.sample, Pooled)]
    return {
        one.system: [why for name in averaged if (why := undefined_in(sides.measured.scores, name, one.system))]
        for one in sides.coverage
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
    measured = Measured(Scores(both, evaluation.scores.directions), undefined=evaluation.undefined)
    coverage = baseline.coverage._replace(system=first), Coverage.of(evaluation, name)
    return _Sides(measured, wanted, coverage, evaluation, baseline)


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


def _notes_on_classifiers(sides: _Sides, usual: bool) -> Iterator[str]:
    """What measures leave out, and why the usual one may say little."""
    classifiers = sides.measured.classifiers
    if classifiers is not None:
        yield from classifiers.notes_on(sides.measures)
        yield from classifiers.why_not_accuracy("would say more") if usual else ()


def _ungrouped(parts: Sequence[Part], by: str | None) -> list[str]:
    """How many units the attribute says nothing about; refuse one that says nothing about any."""
    if by is None:
        return []
    whole = parts[0].paired
    rest = [part.paired for part in parts if part.slice == f"{by} = {NONE}" and part.paired.measure == whole.measure]
    lacking = sum(len(paired.units) for paired in rest)
    without = f"{number_of(whole.unit_kind, lacking)} of {len(whole.units):,} without {by} in the topics"
    if lacking == len(whole.units):
        raise ParameterError(f"{without}: there is nothing to group; are these the topics of the judgments?")
    return [f"{without}: a group of their own"] if lacking else []


def _without_interval(clusterings: Clusterings | None, checks: Iterable[Check], drawing: Drawing) -> list[str]:
    """Why differences of clusterings have no interval."""
    if clusterings is None:
        return []
    first, second = clusterings.names
    nothing = [one for one in checks if one.outcome == "inconclusive" and isnan(one.at_worst)]
    return [clusterings.without_interval(one.measure, (first, second), drawing) for one in nothing]


def _notes(checks: tuple[Check, ...], coverage: tuple[Coverage, ...], alpha: float) -> list[str]:
    notes = []
    for one in checks:
        # With so few units that differ the test has a smallest p-value, and a correction may lift it above alpha.
        differing = one.improved + one.worsened
        least = 2.0**-differing
        corrected = least * (len(checks) - sum(other.p_uncorrected < least for other in checks))
        counted = one.improved + one.same + one.worsened > 0  # scores are compared without counting items
        if counted and one.units >= FEWEST_UNITS and corrected >= alpha and one.outcome != "pass":
            few = f"{number_of(one.unit_kind, differing)} that {'differs is' if differing == 1 else 'differ are'}"
            notes.append(f"{one.name}: cannot fail, as {few} too few for {number_of('check', len(checks))}")
    if not coverage:
        return notes
    before, after = coverage
    if after.judged < before.judged - 0.1:
        own, other = as_percents([after.judged, before.judged])
        notes.append(
            f"judged in the top 10: {own} of {after.system}, {other} of {before.system}; "
            "documents without judgment count as irrelevant, so a loss may come from them"
        )
    return notes
