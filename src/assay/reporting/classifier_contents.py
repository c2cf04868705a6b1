"""What a report on classifiers holds: plain data, from which every form of it is written."""

from __future__ import annotations

import math
from typing import NamedTuple

from assay.reporting.contents import Provenance, Reference, Spoken
from assay.reporting.item_contents import Estimated, MeasuredSystem, RemarkOf, ShownMeasure


class Item(NamedTuple):
    """An item in a cell; `score` is NaN where there is none."""

    item_id: str
    truth: str
    prediction: str
    score: float = math.nan


class Share(NamedTuple):
    """A share with its interval; NaN where there is nothing to be a share of, or no interval."""

    value: float
    low: float = math.nan
    high: float = math.nan


class MatrixCell(NamedTuple):
    """How many items of a true label got a label, as a count (or weight) and as three shares; some of them."""

    number: float
    of_truth: Share
    of_predicted: Share
    of_all: Share
    items: tuple[Item, ...] = ()
    all_items: int = 0  # how many there are, of which `items` are the first


class Matrix(NamedTuple):
    """A system's confusion matrix: rows are true labels, columns predicted ones.

    `order` says which items of a cell come first. `left_out` says which labels are not shown; empty if all are.
    """

    system: str
    labels: tuple[str, ...]
    cells: tuple[tuple[MatrixCell, ...], ...]
    order: str = "in the order of the file"
    left_out: str = ""


class ClassRow(NamedTuple):
    """A class of a system: true and predicted items, and how well it is told from the others."""

    label: str
    support: float
    predicted: float
    precision: Share
    recall: Share
    f1: Share


class Classes(NamedTuple):
    """A system's classes; `left_out` says which are not shown."""

    system: str
    rows: tuple[ClassRow, ...]
    left_out: str = ""


class ConfusedPair(NamedTuple):
    """Items of one label that were taken for another: how many, and as a share of the label's items."""

    truth: str
    prediction: str
    number: float
    of_truth: float


class ConfusedPairs(NamedTuple):
    """The pairs that a system confuses most."""

    system: str
    pairs: tuple[ConfusedPair, ...]


class AtThreshold(NamedTuple):
    """The four cells when items are predicted positive from a threshold on; infinite: none is.

    `below` is the next lower score: each number above it, up to the threshold, decides alike.
    """

    threshold: float
    tp: float
    fp: float
    fn: float
    tn: float
    below: float

    @property
    def cells(self) -> tuple[float, float, float, float]:
        """TP, FP, FN, TN."""
        return self.tp, self.fp, self.fn, self.tn


class RuleChoice(NamedTuple):
    """A threshold that a rule chooses, and the measures there, in the order of `MEASURED_AT`."""

    name: str
    says: str
    at: AtThreshold
    values: tuple[float, ...]


class Histogram(NamedTuple):
    """How many positive and negative items have scores between one edge and the next."""

    edges: tuple[float, ...]
    positive: tuple[float, ...]
    negative: tuple[float, ...]


class SystemThresholds(NamedTuple):
    """What each threshold would do: the thresholds descend, and the first one is infinite.

    `positive_first`: whether the positive label comes first among the labels, as it then does in every matrix.
    `every` is how many thresholds there are; where these are too many, `rows` are some of them, so spread that the
    curves look the same. `start` is the row that is shown first, `start_says` why, and `values` are the measures there;
    `in_use`: whether the system decides there.
    """

    system: str
    positive: str
    negative: str
    positive_first: bool
    rows: tuple[AtThreshold, ...]
    every: int
    start: int
    start_says: str
    in_use: bool
    values: tuple[float, ...]
    rules: tuple[RuleChoice, ...]
    histogram: Histogram
    auc: Estimated
    average_precision: Estimated


#: The measures that are shown at a threshold, all computed from four cells.
MEASURED_AT = (
    "Precision", "Recall", "Specificity", "NPV", "Accuracy", "BalancedAccuracy", "F1", "MCC", "Youden", "Jaccard",
    "FPR", "FNR",
)  # fmt: skip


class CalibrationBin(NamedTuple):
    """Items with similar scores: how many, their mean score, and the share of them that is positive."""

    items: float
    score: float
    share: Share


class Calibration(NamedTuple):
    """How far scores can be read as probabilities."""

    system: str
    label: str  # the positive label, or what the scores are of
    bins: tuple[CalibrationBin, ...]
    error: float  # expected calibration error


class FlippedItem(NamedTuple):
    """An item that two systems predict differently, one of them rightly."""

    item_id: str
    truth: str
    before: str
    after: str


class Flips(NamedTuple):
    """What changes with another system in place of the baseline: items set right, and items broken; some of each."""

    baseline: str
    system: str
    fixed: int
    broke: int
    fixed_items: tuple[FlippedItem, ...]
    broken_items: tuple[FlippedItem, ...]


class ClassifierContents(NamedTuple):
    """Everything in a report on classifiers, in reading order. What cannot be had is empty, and `notes` says why."""

    title: str
    lead: str  # "2 classifiers, 200 items, 2 labels"
    task: str  # binary, multiclass, multilabel
    positive: str  # the positive label; empty if there is none
    confidence: float  # of the intervals
    dummy: str  # the classifier without skill: "always ham"
    summary: tuple[str, ...]  # sentences: what the classifiers are worth
    remarks: tuple[RemarkOf, ...]
    measures: tuple[ShownMeasure, ...]
    systems: tuple[MeasuredSystem, ...]
    verdicts: tuple[Spoken, ...]  # of the first measure first
    flips: tuple[Flips, ...]
    matrices: tuple[Matrix, ...]
    thresholds: tuple[SystemThresholds, ...]
    classes: tuple[Classes, ...]
    pairs: tuple[ConfusedPairs, ...]
    calibration: tuple[Calibration, ...]
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    methods: str
    references: tuple[Reference, ...]
    provenance: Provenance
