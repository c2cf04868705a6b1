"""Two models or more over the same folds: which is better, and how sure one can be, though folds share their items."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.core.domains import Choice, check_levels
from assay.core.errors import InputError, ParameterError, listed, number_of
from assay.core.results import Result
from assay.measures.registry import Measure
from assay.stats.corrections import CORRECTIONS, corrected_as_stated
from assay.stats.fold_samples import FoldSample
from assay.stats.fold_tests import checked_fold_test
from assay.stats.samples import NO_DRAWING, Pair
from assay.subjects.labels.crossvalidation.result import CrossValidation, named
from assay.verbs.comparison.findings import Finding, Levels, finding_of, select_finding
from assay.verbs.comparison.pairs import Pairs, pairs_of


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
    test: str
    levels: Levels
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
        return select_finding(self.findings, measure, system, baseline)

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
    repeats of two folds (`cv="5x2"`) "5x2cv" (Alpaydin's combined F). Plain paired tests of
    folds are refused. p-values are corrected over the pairs under one measure.

    >>> from assay import Predictions, crossval
    >>> truth, folds = [0, 1] * 20, [fold for fold in range(5) for _ in range(8)]
    >>> systems = {"old": Predictions.of(truth, [0, 1, 1, 0] * 10), "new": Predictions.of(truth, [0, 1] * 18 + [1] * 4)}
    >>> found = compare_folds(crossval(systems, fold=folds, measures="Accuracy"))
    >>> found.finding().interval  # 0.45 ± 2.776 · 0.112 · sqrt(1/5 + 8/32)
    Interval(low=0.242, high=0.658, level=0.95, method='corrected t')
    """
    test, levels = checked_fold_test(test), Levels(alpha, margin, power, correction)
    check_levels(alpha=alpha, power=power, margin=margin)
    Choice(CORRECTIONS).check("correction", correction)
    if result.tiny:
        raise ParameterError(
            "folds of an item or two have no numbers of their own to test: compare the out-of-fold predictions"
        )
    names = [system.name for system in result.systems]
    pairs = _pairs(names, first, second)
    measures = result.measures if measure is None else (result.measure(measure),)
    _refuse_other_folds(result, test)
    findings: list[Finding] = []
    notes: list[str] = []
    for wanted in measures:
        samples = [_sample(result, wanted, pair, test, alpha) for pair in pairs.pairs]
        notes += [note for sample in samples for note in sample.notes()]
        outcomes = [sample.test([(0, 1)], None, NO_DRAWING)[0] for sample in samples]
        # A pair that has no number is a member of the family all the same.
        p = corrected_as_stated(np.array([outcome.p for outcome in outcomes]), correction).tolist()
        findings += [
            finding_of(sample, (0, 1), outcome, value, levels)
            for sample, outcome, value in zip(samples, outcomes, p, strict=True)
            if sample.size
        ]
    if not findings:
        raise InputError(f"there is nothing to compare: {notes[0]}")
    return FoldComparison(tuple(findings), test, levels, pairs, result.says, tuple(dict.fromkeys(notes)))


def _pairs(names: list[str], first: str | None, second: str | None) -> Pairs:
    if second is None:
        return pairs_of(names, first)
    if first is None:
        raise ParameterError("say which system the second one is to be held against")
    pair = names.index(named(first, names, "system")), names.index(named(second, names, "system"))
    if pair[0] == pair[1]:
        raise ParameterError(f"a comparison takes two systems, not {first!r} twice")
    return Pairs((pair,), all_pairs=False)


def _refuse_other_folds(result: CrossValidation, test: str) -> None:
    """Refuse folds that a test is not made for."""
    if test == "corrected-t":
        return
    repeats = Counter(fold.repeat for fold in result.folds)
    if sorted(repeats.values()) != [2] * 5:
        folds = f"{number_of('fold', len(result.folds))} in {number_of('repeat', len(repeats))}"
        raise ParameterError(f"{test} takes 5 repeats of 2 folds, not {folds}; corrected-t takes any folds")


def _sample(result: CrossValidation, measure: Measure, pair: Pair, test: str, alpha: float) -> FoldSample:
    """Two systems on the folds where both have a number."""
    systems = result.systems[pair[0]].name, result.systems[pair[1]].name
    values = np.column_stack([result.values(measure, name) for name in systems])
    known = np.flatnonzero(~np.isnan(values).any(axis=1))
    folds = [result.folds[place] for place in known]
    return FoldSample(
        values[known],
        train_items=np.array([fold.train_items for fold in folds], dtype=np.float64),
        test_items=np.array([fold.test_items for fold in folds], dtype=np.float64),
        fold_test=test,
        alpha=alpha,
        systems=systems,
        units=tuple(f"{fold.repeat}.{fold.fold}" for fold in folds),
        measure=str(measure),
        unit_kind="fold",
        bounds=measure.definition.bounds,
        direction=measure.definition.direction,
        left_out=len(values) - len(folds),
    )
