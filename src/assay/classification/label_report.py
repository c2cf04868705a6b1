"""`classification_report`: precision, recall and F1 of every class and their averages, by the shortest way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.results import Result
from assay.counting.confusion_matrix import ConfusionMatrix
from assay.measures.over_classes import Averages, averages
from assay.measures.parser import parse_measure

if TYPE_CHECKING:
    import polars as pl

_MEASURES = tuple(parse_measure(name, "multiclass") for name in ("Precision", "Recall", "F"))


@dataclass(frozen=True, eq=False)
class LabelReport(Result):
    """Precision, recall and F1 of every class, and their averages; NaN where one is undefined.

    >>> from assay import classification_report
    >>> report = classification_report(["ham", "spam", "spam"], ["ham", "spam", "ham"])
    >>> report.recall.classes
    array([1. , 0.5])
    >>> report.f1.macro, report.accuracy
    (0.6667, 0.6667)
    """

    kind = "label_report"

    matrix: ConfusionMatrix
    precision: Averages
    recall: Averages
    f1: Averages

    @property
    def labels(self) -> tuple[Any, ...]:
        """The classes, in order."""
        return self.matrix.classes

    @property
    def accuracy(self) -> float:
        """The share of items that were predicted rightly: the recall of all classes together."""
        return self.recall.micro

    def _rows(self) -> Iterator[tuple[str, float, float, float, float]]:
        """A name, precision, recall, F1 and support: of each class, then of each average."""
        support = self.matrix.table.sum(axis=1)
        for place, label in enumerate(self.labels):
            numbers = (float(column.classes[place]) for column in (self.precision, self.recall, self.f1))
            yield (str(label), *numbers, support[self.matrix.place(label)].item())
        total = support.sum().item()
        for average in ("micro", "macro", "weighted"):
            numbers = (getattr(column, average) for column in (self.precision, self.recall, self.f1))
            yield (f"{average} avg", *numbers, total)

    def to_dict(self) -> dict[str, Any]:
        """The numbers under the keys of scikit-learn's report; `accuracy` and all three averages are always there.

        >>> from assay import classification_report
        >>> classification_report([0, 1, 1], [0, 1, 0]).to_dict()["1"]
        {'precision': 1.0, 'recall': 0.5, 'f1-score': 0.6667, 'support': 2}
        """
        keys = ("precision", "recall", "f1-score", "support")
        payload: dict[str, Any] = {name: dict(zip(keys, numbers, strict=True)) for name, *numbers in self._rows()}
        return payload | {"accuracy": self.accuracy}

    def to_frame(self) -> pl.DataFrame:
        """A row a class and a row an average; null where a number is undefined."""
        import polars as pl  # noqa: PLC0415  # who wants the numbers alone does not wait for a table of them

        columns = {"label": pl.String, "precision": pl.Float64, "recall": pl.Float64, "f1": pl.Float64}
        support = pl.Float64 if self.matrix.tables.dtype.kind == "f" else pl.Int64
        frame = pl.DataFrame([*self._rows()], schema=columns | {"support": support}, orient="row")
        return frame.with_columns(pl.col("precision", "recall", "f1").fill_nan(None))

    @property
    def left_out(self) -> dict[str, list[Any]]:
        """The classes that have no number, and that the macro and weighted averages leave out, by column.

        >>> from assay import classification_report
        >>> classification_report(["a", "b"], ["a", "a"]).left_out
        {'precision': ['b']}
        """
        columns = {"precision": self.precision, "recall": self.recall, "F1": self.f1}
        absent = {
            name: [self.labels[place] for place in np.flatnonzero(np.isnan(column.classes))]
            for name, column in columns.items()
        }
        return {name: classes for name, classes in absent.items() if classes}


def classification_report(
    y_true: Any, y_pred: Any, *, labels: Sequence[Any] | None = None, sample_weight: Any = None
) -> LabelReport:
    """Precision, recall, F1 and support of every class, accuracy, and the micro, macro and weighted averages.

    It is what scikit-learn's function of this name tells; `classify` has intervals, baselines and advice besides.
    `labels`: the order of the classes, all of which are to be named. An undefined number is NaN, and averages over
    classes leave it out.

    >>> from assay import classification_report
    >>> print(classification_report(["a", "b", "c", "c"], ["a", "b", "b", "c"]))
    class         precision  recall      F1  support
    a                1.0000  1.0000  1.0000        1
    b                0.5000  1.0000  0.6667        1
    c                1.0000  0.5000  0.6667        2
    micro avg        0.7500  0.7500  0.7500        4
    macro avg        0.8333  0.8333  0.7778        4
    weighted avg     0.8750  0.7500  0.7500        4
    <BLANKLINE>
    accuracy 0.7500
    """
    matrix = ConfusionMatrix.from_labels(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    return LabelReport(matrix, *averages(_MEASURES, matrix).values())
