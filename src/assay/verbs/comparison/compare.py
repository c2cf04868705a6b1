"""`compare`: an evaluation, or scores -> a `Comparison`, with a verdict for every pair and measure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isnan
from typing import Any, Unpack

import numpy as np

from assay.core import options
from assay.core.domains import Choice, Whole, check_levels
from assay.core.errors import Note, ParameterError, argument, argument_name
from assay.core.evaluation_options import Seed
from assay.core.idle_options import BY_FORMULA, OF_TESTS, UNDRAWN, refuse_idle
from assay.core.options import Family, Method, SubjectRules
from assay.measures.registry import Measure
from assay.stats.bootstrap import Interval
from assay.stats.pairing import Directions
from assay.stats.permutation import Outcome
from assay.stats.samples import Drawing, Sample
from assay.stats.tests import SIMULTANEOUS
from assay.stats.verdict import CORRECTIONS, FEWEST_UNITS, corrected_as_stated, groups, out_of_reach, resamples_for
from assay.verbs.comparison.findings import EACH_ITS_OWN, Finding, Pairs, Settings, Standing, finding_of, pairs_of
from assay.verbs.comparison.result import Comparison
from assay.verbs.subject import pairing_of


def compare(
    given: Any,
    runs: Any = None,
    *,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    baseline: str | Iterable[str] | None = None,
    direction: Directions = None,
    all_pairs: bool = False,
    test: options.TestName | None = None,
    correction: options.Correction = "holm",
    family: options.Family = "measure",
    interval: options.Method = "hull",
    alpha: options.Alpha = 0.05,
    margin: options.Margin | None = None,
    power: options.Power = 0.8,
    resamples: options.Permutations | None = None,
    bootstrap_resamples: options.Resamples = 10_000,
    seed: Seed = 0,
    look_into: bool = True,
    **rules: Unpack[SubjectRules],
) -> Comparison:
    """Compare systems: is one better, and how sure can one be?

    `given` is an `Evaluation`, or judgments (with `runs`: what `evaluate` takes, and its rules as keyword arguments),
    or bare scores: a `Scores` table or a file of one, see `read_scores`. Scores alone tell nothing of judgments,
    documents and counts, so coverage, unjudged documents and what users would notice are then left out.

    Or it is predictions of classifiers: a `Classification`, or `Predictions` or files of them, two or more in a list
    or a dict from names, or two as `given` and `runs`. Items are paired by their ids. Rules are `pos_label`,
    `threshold` and `missing="drop"`, which leaves out items that a system lacks.

    Or it is clusterings, in the same shapes: a `Clustering`, or `Clusters` or files of them, with the rules of
    `cluster`, and `missing`. There is no test of clusterings: random halves of the items, which both see, give the
    interval of the difference, and that decides. Of several comparisons of a `family`, it decides at the level
    1 - alpha / comparisons (Bonferroni), whatever the `correction` is, unless that is none.

    `baseline`: the system, or systems, that the others are compared with; unless given, the first of two systems, or
    `all_pairs` of more than two. `direction`: whether `higher` or `lower` is better, for every measure of which that is
    not known, as `latency_ms`, or by name (`{"latency_ms": "lower"}`); until it is stated, verdicts on such a measure
    are *higher* and *lower*. `test`: permutation, bootstrap, t, wilcoxon, sign; or randomised_tukey, for
    all systems at once; for predicted labels swap, and for their accuracy mcnemar; for AUC delong. Unless one is
    named, each measure has its own: mcnemar for the accuracy of classifiers, swap for other label measures, delong for
    AUC, else permutation. `correction`: holm, bonferroni, benjamini-hochberg or none, over the `family` of comparisons
    under one `measure`, or under `all` measures together.
    `interval`: hull (from the lower to the higher end of t and bca together), bca, percentile or t; that of AUC is
    DeLong's, and clusterings have their own. `margin`: the smallest difference that matters; unless given, 0.01 of the
    measure's range. `power` is what the needed units are counted
    for. `resamples`: how many random swaps; unless given, enough for the correction. Everything random is drawn from
    `seed`. `look_into`: whether to go through the documents of runs for what users would notice and what unjudged ones
    could change; of many runs, that takes most of the time.

    >>> judged = {f"q{n}": {"good": 1} for n in range(6)}
    >>> first = {f"q{n}": {"good": 1.0, "bad": 2.0} for n in range(6)}
    >>> second = {f"q{n}": {"good": 3.0, "bad": 2.0} for n in range(6)}
    >>> print(compare(judged, {"first": first, "second": second}, measures="RR").findings[0].verdict)
    better
    """
    drawn = {"resamples": resamples, "bootstrap_resamples": bootstrap_resamples, "interval": interval}
    stated = {**drawn, "test": test, "correction": correction, "family": family}
    refuse_idle(OF_TESTS, stated, compare.__kwdefaults__ or {})
    check_levels(alpha=alpha, power=power, margin=margin)
    Choice(CORRECTIONS).check("correction", correction)
    Choice(Family).check("family", family)
    Choice(Method).check("interval", interval)
    seed, redraws = Whole(0).check("seed", seed), Whole(100).check("bootstrap_resamples", bootstrap_resamples)
    pairing = pairing_of(compare, given, runs, measures, seed=seed, direction=direction, rules=rules)
    pairing.check_drawing(resamples, interval)
    samples, left_out = pairing.comparable(measures)
    pairs = pairs_of(samples[0].systems, baseline, all_pairs)
    family_size = len(pairs.pairs) * (len(samples) if family == "all" else 1)
    swaps = resamples_for(family_size, alpha) if resamples is None else Whole(100).check("resamples", resamples)
    tests = [sample.chosen_test(test) for sample in samples]
    outcomes = [
        sample.test(pairs.pairs, name, Drawing(swaps, seed)) for sample, name in zip(samples, tests, strict=True)
    ]
    drawing = Drawing(redraws, seed)
    _refuse_undrawn(drawn, samples, tests)
    by_interval = samples[0].decides_by == "interval"
    settings = Settings(
        alpha=alpha,
        margin=margin,
        test=tests[0] if len(set(tests)) == 1 else EACH_ITS_OWN,
        correction=_correction(correction, test, by_interval=by_interval),
        family=family,
        interval="subsampling" if by_interval else interval,
        resamples=max((outcome.resamples or 0 for each in outcomes for outcome in each), default=0) or None,
        bootstrap_resamples=_redraws(samples, drawing, interval),
        power=power,
        seed=seed,
    )
    findings: list[Finding] = []
    standings: list[Standing] = []
    names = [sample.measure for sample in samples]
    planned = [[names.index(name) for name in each] for each in pairing.families(names)]
    for sample, tested, p in zip(samples, outcomes, _corrected(outcomes, settings, planned), strict=True):
        of_sample = [
            finding_of(
                sample, pair, outcome, value, settings.levels, drawing=drawing, method=interval, family=family_size
            )
            for pair, outcome, value in zip(pairs.pairs, tested, p, strict=True)
        ]
        findings += of_sample
        intervals = [
            sample.intervals((place,), [1 - alpha], drawing, interval)[0] for place in range(len(sample.systems))
        ]
        standings += _standings(sample, intervals, pairs, [finding.is_sure(alpha) for finding in of_sample])
    undirected = "whether higher or lower is better is not known; with its direction, the verdict is better or worse"
    notes = left_out + [Note.on(sample.measure, undirected) for sample in samples if sample.is_undirected]
    notes += [note for sample in samples for note in sample.notes(absences=pairing.evaluation is None)]
    notes += [note for sample in samples for note in sample.interval_notes()]
    if margin is not None:
        notes += [note for sample in samples for note in sample.margin_notes(margin)]
    if settings.correction in {"holm", "bonferroni"}:
        for sample, tested in zip(samples, outcomes, strict=True):
            # With fewer units no verdict depends on the test.
            if sample.size >= FEWEST_UNITS and (why := out_of_reach(tested, sample.size, family_size, alpha)):
                baseline_helps = pairs.all_pairs and len(pairs.pairs) > 1
                notes.append(f"{why}; {'name a baseline, or ' if baseline_helps else ''}choose {argument('test', 't')}")
    notes += pairing.remarks([sample.measure for sample in samples], usual=measures is None)
    findings, of_pairs = pairing.between(findings, settings.drawing)
    comparison = Comparison(
        tuple(findings),
        tuple(standings),
        tuple(samples),
        settings,
        pairs,
        pairing,
        tuple(dict.fromkeys([*notes, *of_pairs])),
    )
    return pairing.look_into(comparison) if look_into else comparison


def _refuse_undrawn(stated: Mapping[str, Any], samples: list[Sample], tests: list[str]) -> None:
    """Refuse how tests and intervals draw, where those of no measure do."""
    defaults = compare.__kwdefaults__ or {}
    measures = ", ".join(sample.measure for sample in samples)
    for name, value in stated.items():
        if value == defaults[name]:
            continue
        if name == "resamples" and set(tests) <= UNDRAWN:
            raise ParameterError(f"{argument_name(name)} has no effect: the test of {measures} draws no permutations")
        if name != "resamples" and all(sample.tests[0] in BY_FORMULA for sample in samples):
            raise ParameterError(f"{argument_name(name)} has no effect: intervals of {measures} draw no resamples")


def _correction(asked: str, test: str | None, *, by_interval: bool) -> str:
    """The correction that is made: tests of all pairs at once need none, and intervals know but Bonferroni's."""
    if test in SIMULTANEOUS:
        return "none"
    return "bonferroni" if by_interval and asked != "none" else asked


def _redraws(samples: list[Sample], drawing: Drawing, method: Method) -> int:
    """The number of resamples; measures of scores have their own, or draw none."""
    shared = [sample for sample in samples if not sample.draws_alike] or samples
    return min(sample.redraws(drawing, method).resamples for sample in shared)


def _corrected(outcomes: list[list[Outcome]], settings: Settings, planned: list[list[int]]) -> list[list[float]]:
    """The p-values of each measure's pairs, corrected over the family: as planned, or as the settings say."""
    places = [[place] for place in range(len(outcomes))]
    families = planned or (places if settings.family == "measure" else [[place for (place,) in places]])
    result: list[list[float]] = [[] for _ in outcomes]
    for family in families:
        p = corrected_as_stated(
            np.array([outcome.p for place in family for outcome in outcomes[place]]), settings.correction
        )
        ends = np.cumsum([len(outcomes[place]) for place in family])[:-1]
        for place, part in zip(family, np.split(p, ends), strict=True):
            result[place] = part.tolist()
    return result


def _standings(sample: Sample, intervals: list[Interval], pairs: Pairs, sure: list[bool]) -> list[Standing]:
    """The systems with the best first, and their groups if all pairs were tested."""
    sign = 1 if sample.higher_is_better is False else -1
    numbers = sample.observed
    order = sorted(range(len(numbers)), key=lambda system: (isnan(numbers[system]), sign * numbers[system]))
    apart = [pair for pair, is_sure in zip(pairs.pairs, sure, strict=True) if is_sure]
    letters: list[tuple[str, ...]] = [()] * len(order)
    if pairs.all_pairs and not sample.only_differences:  # systems without numbers have no order to be grouped in
        place = {system: number for number, system in enumerate(order)}
        letters = groups(len(order), [(place[first], place[second]) for first, second in apart])
    alike = [len(order) - 1 - sum(system in pair for pair in apart) for system in range(len(order))]
    return [
        Standing(
            sample.measure,
            sample.systems[system],
            float(numbers[system]),
            intervals[system],
            letters[number],
            alike[system] if pairs.all_pairs else None,
        )
        for number, system in enumerate(order)
    ]
