"""The basis of a report on classifiers: their numbers, comparison, shares, thresholds, calibration, changed items."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple, Self

import numpy as np
import polars as pl

from assay.core.errors import InputError, Note, ParameterError
from assay.measures.counting.confusion_matrix import ConfusionMatrix
from assay.measures.counting.judgments import Floats
from assay.measures.counting.probabilities import Probabilities
from assay.measures.registry import Measure
from assay.show.legible import cut_apart
from assay.stats.bootstrap import Interval, wilson
from assay.subjects.labels.curves import reliability
from assay.subjects.labels.evaluation import classify
from assay.subjects.labels.measurement import LEADING, SPARE, four_cells, imbalance_of
from assay.subjects.labels.moving_threshold import SystemThresholds, thresholds_of
from assay.subjects.labels.pairing import Classifiers, Flips
from assay.subjects.labels.result import Classification, sureness, together
from assay.verbs.comparison import Comparison, compare
from assay.verbs.report.items import Items
from assay.verbs.report.report import Request
from assay.verbs.sections.reports import LONGEST_NAME

#: Of more labels than these, only those that are confused most are drawn.
MOST_LABELS = 20
#: Of more labels than these, a resample is a large matrix: as few are drawn as for the intervals.
MANY_LABELS = 12


class Share(NamedTuple):
    """A part of a whole, with its interval where items are counted one by one."""

    value: float
    interval: Interval | None = None


class LabelShares(NamedTuple):
    """The shares that a classifier has right: of all items, of the positive ones, and of what it calls positive.

    `most`: the share of the commonest label, which is the `label`. What has no items is None.
    """

    right: Share
    most: Share
    label: Any
    found: Share | None
    called: Share | None
    is_imbalanced: bool


class ConfusedLabels(NamedTuple):
    """The matrix of a system for the labels that are drawn: `sums` of rows, of columns and of all hold the others, too.

    `intervals` are those of the shares of a cell, by its row and column: of the row, of the column and of all.
    """

    system: str
    labels: list[Any]
    every: int
    counts: Floats
    sums: tuple[Floats, Floats, float]
    intervals: Mapping[tuple[int, int], tuple[Interval, ...]]
    sure: pl.Series | None


@dataclass(frozen=True, eq=False)
class Evidence(Items[Classification]):
    """The basis of a report on classifiers; `paired`: the predictions of the same items, where there are such."""

    kind = "classifier"
    role = "predictions"
    described = "predictions of"

    eyebrow = "Classifier report"
    details = "matrices, curves and classes"
    verb = staticmethod(classify)
    result_type = Classification
    subject = "labels"

    paired: Classifiers | None = None

    @classmethod
    def of(cls, request: Request) -> Self:
        """The same; intervals are at the level that is asked for comparisons, where there is no other."""
        alpha = (request.rules.get("comparison") or {}).get("alpha")
        if alpha is not None and not isinstance(request.source, Classification):
            request.rules.setdefault("confidence", round(1 - alpha, 12))
        return super().of(request)

    @staticmethod
    def taken_from(classifiers: Classifiers) -> tuple[list[Any], dict[str, Any]]:
        """The predictions that were compared, and the rules by which labels were read off scores."""
        thresholds = set(classifiers.thresholds)
        threshold = thresholds.pop() if len(thresholds) == 1 else None
        return list(classifiers.predictions), {"pos_label": classifiers.positive, "threshold": threshold}

    def compared(self, asked: dict[str, Any], comparison: Comparison | None) -> Self:
        """The same with the classifiers held against the baseline, by the measures that allow for it."""
        result = self.result
        notes = list(self.notes)
        if len(result.labels) > MANY_LABELS:
            asked.setdefault("bootstrap_resamples", result.resamples)
        try:
            paired = Classifiers.of(result)
        except (InputError, ParameterError) as problem:
            return replace(self, notes=(*notes, f"the classifiers are not compared: {problem}"))
        known = list(map(str, result.measures))
        wanted = list[str]()
        # By what classifiers are usually compared, where it is among the measures computed; else by all of them.
        usual = [str(paired.measure(name)) for name in (*paired.usual_measures, *(["AUC"] if "AUC" in known else []))]
        for name in [name for name in usual if name in known] or known:
            try:
                paired.sample(name)
            except (InputError, ParameterError) as problem:
                notes.append(Note.on(name, f"not compared: {problem}"))
            else:
                wanted.append(name)
        if wanted and comparison is None:
            comparison = compare(result, measures=wanted, baseline=self.baseline, **asked)
        if wanted and comparison is not None:
            notes += [*comparison.notes, *(paired.why_not_accuracy() if wanted[0] == paired.headline else ())]
        return replace(self, comparison=comparison if wanted else None, paired=paired, notes=tuple(notes))

    def complete(self) -> Self:
        """Finish every measure, the shares, matrices and thresholds, the calibration, and what became of items."""
        self.result.complete()
        for name in ("headline", "shares", "confused", "thresholds", "calibrations", "changes"):
            getattr(self, name)
        return self

    @cached_property
    def labelled(self) -> list[str]:
        """Those of them that predict something for every item."""
        return [name for name in self.close if self.result.system(name).is_labelled]

    @cached_property
    def counted(self) -> list[str]:
        """Those of them that have a confusion matrix."""
        return self.labelled if self.result.task != "multilabel" else []

    @cached_property
    def names(self) -> dict[str, str]:
        """The labels as they are shown, by what they are as text: not too long, and no two alike."""
        matrices = (system.counts.get(ConfusionMatrix) for system in self.result.systems)
        known = chain(self.result.labels, *(matrix.labels for matrix in matrices if matrix is not None))
        labels = list(dict.fromkeys(map(str, known)))
        return dict(zip(labels, cut_apart(labels, LONGEST_NAME), strict=True))

    @cached_property
    def headline(self) -> Measure:
        """The measure that stands for all, of those computed: not accuracy where one label has most items."""
        result = self.result
        first = result.systems[0]
        leads: tuple[str, ...] = ("Accuracy", "F")
        if first.is_labelled and imbalance_of(first.predictions or result.matrix(first.name)) is not None:
            leads = (LEADING, SPARE, "F")
        known = {measure.name: measure for measure in reversed(result.measures)}
        for measure in (known[name] for name in leads if name in known):
            if not any(math.isnan(result.value(measure, system.name)) for system in result.systems):
                return measure
        return result.measures[0]

    @cached_property
    def shares(self) -> Mapping[str, LabelShares]:
        """The shares that each system with a matrix has right."""
        return {name: self._shares(self.result.matrix(name)) for name in self.counted}

    def _shares(self, matrix: ConfusionMatrix) -> LabelShares:
        support = matrix.table.sum(axis=1)
        total = float(matrix.items[0])
        most = int(support.argmax())
        found = None
        called = None
        if self.result.task == "binary":
            tp, fp, fn, _ = four_cells(matrix)
            found, called = self._share(matrix, tp, tp + fn), self._share(matrix, tp, tp + fp)
        right = self._share(matrix, float(matrix.table.trace()), total)
        assert right is not None  # there are items
        common = Share(float(support[most]) / total)
        return LabelShares(right, common, matrix.labels[most], found, called, imbalance_of(matrix) is not None)

    def _share(self, matrix: ConfusionMatrix, part: float, whole: float) -> Share | None:
        if not whole:
            return None
        counts_items = matrix.tables.dtype.kind in "iu"
        return Share(part / whole, wilson(part, whole, self.result.confidence) if counts_items else None)

    @cached_property
    def confused(self) -> tuple[ConfusedLabels, ...]:
        """The matrices, all of the same labels in one order: if many, those confused most."""
        return tuple(self._confused(name, self._most_confused) for name in self.counted)

    @cached_property
    def _most_confused(self) -> list[Any]:
        """The labels with most errors, in their order."""
        if not self.counted:
            return []
        matrix = together(self.result, self.counted)
        _, fp, fn, _ = matrix.cells()
        most = np.argsort(-(fp + fn)[0], kind="stable")[:MOST_LABELS]
        return [matrix.labels[place] for place in np.sort(most)]

    def _confused(self, system: str, labels: Sequence[Any]) -> ConfusedLabels:
        whole = self.result.matrix(system)
        predictions = self.result.system(system).predictions
        known = [label for label in labels if label in whole.labels]
        places = list(map(whole.labels.index, known))
        table = whole.table.astype(np.float64)
        counts = table[np.ix_(places, places)]
        sums = (table.sum(axis=1)[places], table.sum(axis=0)[places])
        total = float(table.sum())
        level = self.result.confidence if whole.tables.dtype.kind in "iu" else None
        intervals = {
            (row, column): tuple(
                wilson(float(counts[row, column]), float(of), level) for of in (sums[0][row], sums[1][column], total)
            )
            for row in range(len(known))
            for column in range(len(known))
            if level is not None
        }
        # Within a cell, a threshold makes no difference to what is sure.
        sure = None if predictions is None or predictions.prediction is None else sureness(predictions)
        return ConfusedLabels(system, known, len(whole.labels), counts, (*sums, total), intervals, sure)

    @cached_property
    def thresholds(self) -> tuple[SystemThresholds, ...]:
        """The effect of each threshold, of each system with scores."""
        every = (thresholds_of(self.result, name, self.names) for name in self.close)
        return tuple(each for each in every if each is not None)

    @cached_property
    def calibrations(self) -> Mapping[str, tuple[pl.DataFrame, float]]:
        """Bins of probabilities with what came true, and the expected calibration error."""
        counts = {name: self.result.system(name).counts.get(Probabilities) for name in self.close}
        confidence = self.result.confidence
        return {name: reliability(each, confidence=confidence) for name, each in counts.items() if each is not None}

    @cached_property
    def changes(self) -> Mapping[str, tuple[Flips, pl.DataFrame]]:
        """The items that changed in each system but the baseline, where something is predicted."""
        if self.paired is None:
            return {}
        paired = self.paired
        others = [each.name for each in self.result.systems if each.name != self.baseline]
        flips = {name: paired.flips(self.baseline, name) for name in others}
        return {name: (each, paired.flipped(self.baseline, name)) for name, each in flips.items() if each is not None}
