"""`compare`: an evaluation, or scores -> a `Comparison`, with a verdict for every pair and measure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import isnan
from typing import Any

import numpy as np

from assay.clustering.pairing import Clusterings, refuse_drawing
from assay.comparison.findings import EACH_ITS_OWN, Finding, Settings, Standing, finding_of
from assay.comparison.pairing import Family, Pairs, pairs_of
from assay.comparison.result import Comparison
from assay.core.arguments import argument
from assay.core.domains import Choice, Whole
from assay.core.notes import Note
from assay.given import check_levels
from assay.measured import Directions, Measured, check_rules
from assay.measures.registry import Measure
from assay.stats.bootstrap import Method
from assay.stats.corrections import CORRECTIONS, corrected_as_stated
from assay.stats.groups import groups
from assay.stats.pairs import Resampled, out_of_reach, outcomes, resamples_for
from assay.stats.permutation import Outcome
from assay.stats.score_samples import Drawing, ScoreSample
from assay.stats.suited_tests import SIMULTANEOUS, chosen_test


def compare(
    given: Any,
    runs: Any = None,
    *,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    baseline: str | Iterable[str] | None = None,
    direction: Directions = None,
    all_pairs: bool = False,
    test: str | None = None,
    correction: str = "holm",
    family: Family = "measure",
    interval: Method = "hull",
    alpha: float = 0.05,
    margin: float | None = None,
    power: float = 0.8,
    resamples: int | None = None,
    bootstrap_resamples: int = 10_000,
    seed: int = 0,
    look_into: bool = True,
    **rules: Any,
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

    `baseline`: the system, or systems, that the others are held against; unless given, the first of two systems, or
    `all_pairs` of more than two. `direction`: whether `higher` or `lower` is better, for every measure of which that is
    not known, as `latency_ms`, or by name (`{"latency_ms": "lower"}`); until it is stated, verdicts on such a measure
    are *higher* and *lower*. `test`: permutation, bootstrap, t, wilcoxon, sign; or tukey and randomised_tukey, for
    all systems at once; for predicted labels swap, and for their accuracy mcnemar, mcnemar_exact, mcnemar_chi2 or
    mcnemar_chi2_corrected; for AUC delong. Unless one is named, each measure has its own: mcnemar for the accuracy of
    classifiers, swap for other label measures, delong for AUC, else permutation. `correction`: holm, bonferroni,
    benjamini-hochberg or none, over the `family` of comparisons under one `measure`, or under `all` measures together.
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
    check_rules(rules, compare)
    check_levels(alpha=alpha, power=power, margin=margin)
    Choice(CORRECTIONS).check("correction", correction)
    Choice(Family).check("family", family)
    Choice(Method).check("interval", interval)
    seed, redraws = Whole(0).check("seed", seed), Whole(100).check("bootstrap_resamples", bootstrap_resamples)
    measured = Measured.of(given, runs, measures, seed=seed, direction=direction, **rules)
    untested = measured.clusterings is not None
    if untested:
        refuse_drawing(resamples, interval)
    paired, left_out = measured.comparable(measures)
    pairs = pairs_of(paired[0].systems, baseline, all_pairs)
    wanted = resamples_for(len(pairs.pairs) * (len(paired) if family == "all" else 1), alpha)
    if resamples is not None:
        wanted = Whole(100).check("resamples", resamples)
    tests = [chosen_test(one, test) for one in paired]
    results = [outcomes(one, pairs.pairs, own, wanted, seed) for one, own in zip(paired, tests, strict=True)]
    redrawn = [Resampled(one, redraws, seed, interval) for one in paired]
    family_size = len(pairs.pairs) * (len(paired) if family == "all" else 1)
    settings = Settings(
        alpha=alpha,
        margin=margin,
        test=tests[0] if len(set(tests)) == 1 else EACH_ITS_OWN,
        correction=_correction(correction, test, untested=untested),
        family=family,
        interval="subsampling" if untested else interval,
        resamples=max((one.resamples for found in results for one in found if one.resamples), default=None),
        bootstrap_resamples=_redraws(redrawn),
        power=power,
        seed=seed,
    )
    findings: list[Finding] = []
    standings: list[Standing] = []
    for resampled, found, p in zip(redrawn, results, _corrected(results, settings), strict=True):
        made = [
            finding_of(resampled, pair, result, value, settings, family=family_size)
            for pair, result, value in zip(pairs.pairs, found, p, strict=True)
        ]
        findings += made
        standings += _standings(resampled, pairs, [one.is_sure(alpha) for one in made], alpha)
    undirected = "whether higher or lower is better is not known; with its direction, the verdict is better or worse"
    notes = left_out + [Note.on(one.measure, undirected) for one in paired if one.undirected]
    notes += [note for one in paired for note in one.notes(absences=measured.evaluation is None)]
    notes += [note for one in redrawn for note in one.notes()]
    if margin is not None:
        notes += [
            f"the margin {margin:g} is more than a tenth of the range of {one.measure}"
            for one in paired
            if one.is_wide(margin)
        ]
    if settings.correction in {"holm", "bonferroni"}:
        for one, found in zip(paired, results, strict=True):
            if why := out_of_reach(found, len(one.units), family_size, alpha):
                test = argument("test", "t")
                notes.append(f"{why}; name a baseline, choose {test} or randomised_tukey, or draw more")
    if measured.itemised is not None:
        notes += measured.itemised.notes
    if measured.classifiers is not None:
        notes += measured.classifiers.notes_on(one.measure for one in paired)
        notes += measured.classifiers.why_not_accuracy() if measures is None else []
    if measured.clusterings is not None:
        notes += _notes_on(measured.clusterings, findings, settings)
    comparison = Comparison(
        tuple(findings),
        tuple(standings),
        tuple(paired),
        settings,
        pairs,
        measured.evaluation,
        tuple(dict.fromkeys(notes)),
        measured.classifiers,
        measured.clusterings,
    )
    if measured.itemised is not None:
        return comparison.with_flips()
    return comparison.with_what_runs_tell() if look_into else comparison


def _correction(asked: str, test: str | None, *, untested: bool) -> str:
    """The correction that is made: tests of all pairs at once need none, and intervals know but Bonferroni's."""
    if test in SIMULTANEOUS:
        return "none"
    return "bonferroni" if untested and asked != "none" else asked


def _notes_on(clusterings: Clusterings, findings: list[Finding], settings: Settings) -> Iterator[str]:
    """What to know about differences of clusterings besides their intervals."""
    yield from clusterings.notes_on(list(dict.fromkeys(one.measure for one in findings)))
    drawing = Drawing(settings.bootstrap_resamples, settings.seed)
    for one in findings:
        if one.interval.is_known and not one.all_zero:
            reach = (one.interval.high - one.interval.low) / 2
            said = clusterings.drifted(one.measure, (one.baseline, one.system), reach, drawing)
        elif one.all_zero or isnan(one.difference):
            continue
        else:
            said = clusterings.without_interval(one.measure, (one.baseline, one.system), drawing)
        if said is not None:
            yield said if len(findings) == 1 else f"{one.system} against {one.baseline}: {said}"


def _redraws(redrawn: list[Resampled]) -> int:
    """How often units were drawn anew; measures of scores have their own number, or draw none."""
    drawn = [one.resamples for one in redrawn if not isinstance(one.paired.sample, ScoreSample)]
    return min(drawn or [one.resamples for one in redrawn])


def _corrected(results: list[list[Outcome]], settings: Settings) -> list[list[float]]:
    """The p-values of each measure's pairs, corrected over the family."""
    raw = [np.array([one.p for one in found]) for found in results]
    families = raw if settings.family == "measure" else [np.concatenate(raw)]
    p = np.concatenate([corrected_as_stated(p, settings.correction) for p in families])
    return [part.tolist() for part in np.split(p, np.cumsum([len(one) for one in raw])[:-1])]


def _standings(resampled: Resampled, pairs: Pairs, sure: list[bool], alpha: float) -> list[Standing]:
    """The systems with the best first, and their groups if all pairs were tested."""
    paired = resampled.paired
    sign = 1 if paired.higher_is_better is False else -1
    numbers = paired.observed
    order = sorted(range(len(numbers)), key=lambda system: (isnan(numbers[system]), sign * numbers[system]))
    letters: list[tuple[str, ...]] = [()] * len(order)
    if pairs.all_pairs:
        place = {system: number for number, system in enumerate(order)}
        apart = [(place[i], place[j]) for (i, j), is_sure in zip(pairs.pairs, sure, strict=True) if is_sure]
        letters = groups(len(order), apart)
    told = [pair for pair, is_sure in zip(pairs.pairs, sure, strict=True) if is_sure]
    alike = [len(order) - 1 - sum(system in pair for pair in told) for system in range(len(order))]
    return [
        Standing(
            paired.measure,
            paired.systems[system],
            float(paired.observed[system]),
            resampled.of_system(system, 1 - alpha),
            letters[number],
            alike[system] if pairs.all_pairs else None,
        )
        for number, system in enumerate(order)
    ]
