"""Two models or more over the same folds: which is better, and how sure one can be, though folds share their items."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from assay.comparison.findings import Finding, Margin, the_one
from assay.comparison.pairing import Pairs, pairs_of
from assay.core.domains import Choice
from assay.core.errors import InputError, ParameterError, listed, number_of
from assay.core.results import Result
from assay.crossvalidation.fitting import named
from assay.crossvalidation.result import CrossValidation
from assay.given import check_levels
from assay.measures.registry import Measure
from assay.stats.bootstrap import Interval
from assay.stats.corrections import CORRECTIONS, corrected_as_stated
from assay.stats.fold_tests import checked_fold_test, corrected_t, five_by_two
from assay.stats.paired import Paired
from assay.stats.permutation import Outcome
from assay.stats.power import smallest_detectable
from assay.stats.samples import Averaged
from assay.stats.verdict import verdict


class FoldSettings(NamedTuple):
    """How models were compared over folds: everything besides the folds that the numbers depend on."""

    test: str = "corrected-t"
    alpha: float = 0.05
    margin: float | None = None
    power: float = 0.8
    correction: str = "holm"


@dataclass(frozen=True, eq=False)
class FoldComparison(Result):
    """Models compared over folds: a `Finding` per measure and pair, whose units are folds.

    >>> from assay import Predictions, crossval
    >>> truth, folds = [0, 1] * 20, [fold for fold in range(5) for _ in range(8)]
    >>> old = Predictions.of(truth, [0, 1, 1, 0] * 10, name="old")
    >>> new = Predictions.of(truth, [0, 1] * 18 + [1, 1, 1, 1], name="new")
    >>> found = crossval({"old": old, "new": new}, fold=folds, measures="Accuracy").compare()
    >>> print(found.finding().verdict, found.finding().difference)
    better 0.45
    """

    kind = "fold comparison"

    findings: tuple[Finding, ...]
    settings: FoldSettings
    pairs: Pairs
    #: How items were split, in words.
    says: str
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        systems = dict.fromkeys(name for finding in self.findings for name in (finding.baseline, finding.system))
        return f"<FoldComparison of {listed([*systems])}: {number_of('fold', self.findings[0].units)}>"

    def finding(
        self, measure: str | Measure | None = None, system: str | None = None, baseline: str | None = None
    ) -> Finding:
        """One finding; what there is only one of may be left out."""
        return the_one(self.findings, measure, system, baseline)

    def to_frame(self) -> pl.DataFrame:
        """One row for each finding."""
        rows = [
            {name: value for name, value in finding.row().items() if not name.startswith("unjudged")}
            | {"test": finding.outcome.test, "statistic": finding.outcome.statistic}
            for finding in self.findings
        ]
        return pl.DataFrame(rows, infer_schema_length=None).with_columns(pl.col(pl.Float64).fill_nan(None))


def compare_folds(
    result: CrossValidation,
    first: str | None = None,
    second: str | None = None,
    measure: str | Measure | None = None,
    *,
    test: str = "corrected-t",
    alpha: float = 0.05,
    margin: float | None = None,
    power: float = 0.8,
    correction: str = "holm",
) -> FoldComparison:
    """Compare systems of a cross-validation: `second` less `first`, over the folds that both were tested on.

    Without `second`, all others are held against `first`; without both, the second of two systems against the first,
    or all pairs of more. `measure`: one of the result's, or all. `test`: "corrected-t" (Nadeau and Bengio), or for five
    repeats of two folds (`cv="5x2"`) "5x2cv" (Alpaydin's combined F) or "5x2cv-t" (Dietterich). Plain paired tests of
    folds are refused. p-values are corrected over the pairs under one measure.

    >>> from assay import Predictions, crossval
    >>> truth, folds = [0, 1] * 20, [fold for fold in range(5) for _ in range(8)]
    >>> systems = {"old": Predictions.of(truth, [0, 1, 1, 0] * 10), "new": Predictions.of(truth, [0, 1] * 18 + [1] * 4)}
    >>> found = compare_folds(crossval(systems, fold=folds, measures="Accuracy"))
    >>> found.finding().interval  # 0.45 ± 2.776 · 0.112 · sqrt(1/5 + 8/32)
    Interval(low=0.242, high=0.658, level=0.95, method='corrected t')
    """
    settings = FoldSettings(checked_fold_test(test), alpha, margin, power, correction)
    check_levels(alpha=alpha, power=power, margin=margin)
    Choice(CORRECTIONS).check("correction", correction)
    if result.tiny:
        raise ParameterError(
            "folds of an item or two have no numbers of their own to test: compare the out-of-fold predictions"
        )
    names = [system.name for system in result.systems]
    pairs = _pairs(names, first, second)
    measures = result.measures if measure is None else (result.measure(measure),)
    _refuse_other_folds(result, settings.test)
    findings: list[Finding] = []
    notes: list[str] = []
    for wanted in measures:
        tested = [_tested(result, wanted, pair, settings) for pair in pairs.pairs]
        notes += [note for pair in tested for note in pair.notes]
        # A pair that has no number is a member of the family all the same.
        p = corrected_as_stated(np.array([pair.outcome.p for pair in tested]), correction).tolist()
        findings += [
            finding_of(pair, p_value, settings) for pair, p_value in zip(tested, p, strict=True) if pair.paired.units
        ]
    if not findings:
        raise InputError(f"there is nothing to compare: {notes[0]}")
    return FoldComparison(tuple(findings), settings, pairs, result.says, tuple(dict.fromkeys(notes)))


def _pairs(names: list[str], first: str | None, second: str | None) -> Pairs:
    if second is None:
        return pairs_of(names, first)
    if first is None:
        raise ParameterError("say which system the second one is to be held against")
    left, other = (names.index(named(name, names, "system")) for name in (first, second))
    if left == other:
        raise ParameterError(f"a comparison takes two systems, not {first!r} twice")
    return Pairs(((left, other),), all_pairs=False)


def _refuse_other_folds(result: CrossValidation, test: str) -> None:
    """Refuse folds that a test is not made for."""
    if test == "corrected-t":
        return
    repeats = Counter(fold.repeat for fold in result.folds)
    if sorted(repeats.values()) != [2] * 5:
        count = f"{number_of('fold', len(result.folds))} in {number_of('repeat', len(repeats))}"
        raise ParameterError(f"{test} takes 5 repeats of 2 folds, not {count}; corrected-t takes any folds")


class Tested(NamedTuple):
    """Two systems on the units where both have a number, such as folds, and what the test says of them."""

    paired: Paired
    outcome: Outcome
    #: The interval of the difference at a level.
    interval: Callable[[float], Interval]
    error: float
    notes: list[str]


def _tested(result: CrossValidation, measure: Measure, pair: tuple[int, int], settings: FoldSettings) -> Tested:
    systems = result.systems[pair[0]].name, result.systems[pair[1]].name
    values = np.column_stack([result.values(measure, name) for name in systems])
    known = np.flatnonzero(~np.isnan(values).any(axis=1))
    folds = [result.folds[place] for place in known]
    paired = Paired(
        str(measure),
        "fold",
        systems,
        tuple(f"{fold.repeat}.{fold.fold}" for fold in folds),
        Averaged(values[known]),
        measure.definition.bounds,
        measure.definition.higher_is_better,
    )
    notes = []
    if len(folds) < len(values):
        of = f"{len(values) - len(folds)} of {number_of('fold', len(values))}"
        notes.append(f"{measure} of {' or '.join(systems)} is undefined in {of}, which are left out")
    if not folds or (settings.test != "corrected-t" and len(folds) < len(values)):
        nothing = Outcome(settings.test, math.nan, math.nan, None, "no p-value: a fold has no number")
        return Tested(paired, nothing, Interval.unknown, math.nan, notes)
    differences = paired.differences(0, 1)
    if settings.test == "corrected-t":
        train, test = (np.array([getattr(fold, f"{side}_items") for fold in folds]) for side in ("train", "test"))
        outcome = corrected_t(differences, train, test)
        return Tested(paired, outcome.outcome, outcome.interval, outcome.error, notes)
    both = five_by_two(differences.reshape(5, 2))
    if settings.test == "5x2cv":
        # Where no common difference fits all repeats, equality is rejected, but in favour of neither.
        fits = both.interval(1 - settings.alpha).is_known
        return Tested(paired, both.f if fits else both.f._replace(sign=0), both.interval, math.nan, notes)
    return Tested(paired, both.t, both.interval_of_t, math.nan, notes)


def finding_of(tested: Tested, p: float, settings: FoldSettings) -> Finding:
    """What is found of two systems by a test that knows what units have in common; `p` may be corrected."""
    paired, units = tested.paired, len(tested.paired.units)
    (first, second), (baseline, value) = paired.systems, paired.observed.tolist()
    narrow = tested.interval(1 - 2 * settings.alpha)
    margin = Margin(*paired.margin(0, settings.margin))
    interval, difference = tested.interval(1 - settings.alpha), paired.difference(0, 1)
    word = verdict(
        difference=difference,
        all_zero=paired.is_same(0, 1),
        units=units,
        interval=interval,
        narrow=narrow,
        p=p,
        margin=margin.value,
        sign=tested.outcome.sign,
        alpha=settings.alpha,
        higher_is_better=paired.higher_is_better,
    )
    return Finding(
        paired.measure,
        first,
        second,
        units,
        baseline,
        value,
        difference,
        interval,
        narrow,
        paired.is_same(0, 1),
        **paired.effects(0, 1)._asdict(),
        spread=paired.spread(0, 1),
        outcome=tested.outcome,
        p=p,
        # As if so many independent units had this error: the corrected one, of course.
        detectable=smallest_detectable(tested.error * math.sqrt(units), units, settings.alpha, settings.power),
        # Folds, however many, are of the same items, and of more topics the choice would be another: none are enough.
        needed=None,
        margin=margin,
        verdict=word,
        direction=paired.direction,
    )
