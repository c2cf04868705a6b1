"""`compare`: an evaluation, or scores -> a `Comparison`, with a verdict for every pair and measure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, get_args

import numpy as np

from assay.comparison.findings import Finding, Settings, Standing, finding_of
from assay.comparison.pairing import Family, Pairs, family_says, pairs_of
from assay.comparison.result import Comparison
from assay.errors import InputError, ParameterError, did_you_mean, number_of
from assay.measures.registry import Measure
from assay.scored import Scored
from assay.stats.bootstrap import Method
from assay.stats.corrections import CORRECTIONS, corrected
from assay.stats.groups import groups
from assay.stats.paired import Paired
from assay.stats.pairs import SIMULTANEOUS, Resampled, resamples_for, tested
from assay.stats.permutation import Outcome

_FEWEST_UNITS = 2


def compare(
    given: Any,
    runs: Any = None,
    *,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    baseline: str | Iterable[str] | None = None,
    all_pairs: bool = False,
    test: str = "permutation",
    correction: str = "holm",
    family: Family = "measure",
    interval: Method = "bca",
    alpha: float = 0.05,
    margin: float | None = None,
    power: float = 0.8,
    resamples: int | None = None,
    bootstrap_resamples: int = 10_000,
    seed: int = 0,
    **rules: Any,
) -> Comparison:
    """Compare systems: is one better, and how sure can one be?

    `given` is an `Evaluation`, or judgments (with `runs`: what `evaluate` takes, and its rules as keyword arguments),
    or bare scores: a `Scores` table or a file of one, see `read_scores`. Scores alone tell nothing of judgments,
    documents and counts, so coverage, unjudged documents and what users would notice are then left out.

    `baseline`: the system, or systems, that the others are held against; unless given, the first of two systems, or
    `all_pairs` of more than two. `test`: permutation, bootstrap, t, wilcoxon, sign; or tukey and randomised_tukey, for
    all systems at once. `correction`: holm, bonferroni, benjamini-hochberg or none, over the `family` of comparisons
    under one `measure`, or under `all` measures together. `interval`: bca or percentile. `margin`: the smallest
    difference that matters; unless given, 0.01 of the measure's range. `power` is what the needed units are counted
    for. `resamples`: how many random swaps; unless given, enough for the correction. Everything random is drawn from
    `seed`.

    >>> judged = {f"q{n}": {"good": 1} for n in range(6)}
    >>> first = {f"q{n}": {"good": 1.0, "bad": 2.0} for n in range(6)}
    >>> second = {f"q{n}": {"good": 3.0, "bad": 2.0} for n in range(6)}
    >>> print(compare(judged, {"first": first, "second": second}, measures="RR").findings[0].verdict)
    better
    """
    _check(alpha, margin, power)
    _check_words(correction=correction, family=family, interval=interval)
    scored = Scored.of(given, runs, measures, seed=seed, **rules)
    paired = [scored.paired(name) for name in scored.measures(measures)]
    for one in paired:
        if len(one.units) < _FEWEST_UNITS:
            raise InputError(
                f"{one.measure}: expected at least {number_of(one.unit_kind, _FEWEST_UNITS)} that all systems have, "
                f"got {len(one.units)}"
            )
    pairs = pairs_of(paired[0].systems, baseline, all_pairs)
    if resamples is None:
        resamples = resamples_for(len(pairs.pairs) * (len(paired) if family == "all" else 1), alpha)
    if test in SIMULTANEOUS:
        correction = "none"
    settings = Settings(
        alpha, margin, test, correction, family_says(pairs, len(paired), family), interval, resamples,
        bootstrap_resamples, power, seed,
    )  # fmt: skip
    results = [tested(one, pairs.pairs, test, resamples, seed) for one in paired]
    p = _corrected(results, correction, family)
    findings: list[Finding] = []
    standings: list[Standing] = []
    for one, found, values in zip(paired, results, p, strict=True):
        resampled = Resampled(one, bootstrap_resamples, seed, interval)
        findings += [
            finding_of(resampled, pair, result, value, settings)
            for pair, result, value in zip(pairs.pairs, found, values, strict=True)
        ]
        standings += _standings(one, pairs, values, resampled, alpha)
    notes = tuple(dict.fromkeys(note for one in paired for note in _notes(one)))
    comparison = Comparison(tuple(findings), tuple(standings), tuple(paired), settings, pairs, scored.evaluation, notes)
    return comparison.with_what_runs_tell()


def _check(alpha: float, margin: float | None, power: float) -> None:
    for name, value, most in (("alpha", alpha, 0.5), ("power", power, 1)):
        if isinstance(value, bool) or not 0 < value < most:
            raise ParameterError(f"{name} lies between 0 and {most}, not {value!r}")
    if margin is not None and not (np.isfinite(margin) and margin > 0):
        raise ParameterError(f"the margin is a number above 0, not {margin!r}")


def _check_words(**given: str) -> None:
    choices = {"correction": CORRECTIONS, "family": get_args(Family), "interval": get_args(Method)}
    for name, value in given.items():
        known = choices[name]
        if value not in known:
            raise ParameterError(f"{name} is one of {', '.join(known)}, not {value!r}{did_you_mean(str(value), known)}")


def _corrected(results: list[list[Outcome]], correction: str, family: Family) -> list[list[float]]:
    raw = [np.array([one.p for one in found]) for found in results]
    if family == "measure":
        return [corrected(p, correction).tolist() for p in raw]
    together = corrected(np.concatenate(raw), correction)
    return [part.tolist() for part in np.split(together, np.cumsum([len(p) for p in raw])[:-1])]


def _standings(paired: Paired, pairs: Pairs, p: list[float], resampled: Resampled, alpha: float) -> list[Standing]:
    """The systems with the best first, and their groups if all pairs were tested."""
    sign = -1 if paired.higher_is_better else 1
    order = sorted(range(len(paired.systems)), key=lambda system: sign * paired.observed[system])
    letters: list[tuple[str, ...]] = [()] * len(order)
    if pairs.all_pairs:
        place = {system: number for number, system in enumerate(order)}
        apart = [(place[i], place[j]) for (i, j), value in zip(pairs.pairs, p, strict=True) if value < alpha]
        letters = groups(len(order), apart)
    return [
        Standing(
            paired.measure,
            paired.systems[system],
            float(paired.observed[system]),
            resampled.of_system(system, 1 - alpha),
            letters[number],
        )
        for number, system in enumerate(order)
    ]


def _notes(paired: Paired) -> Iterable[str]:
    if paired.left_out:
        yield f"{paired.measure}: {number_of(paired.unit_kind, paired.left_out)} that not all systems have left out"
    if paired.undefined:
        yield f"{paired.measure}: {number_of('undefined value', paired.undefined)} counted as the measure declares"
