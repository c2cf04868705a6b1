"""Random labels, true and predicted, and slow twins of the measures made of them."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from hypothesis import strategies as st

from assay import ConfusionMatrix, PerUnit

NAN = math.nan


class Labelled(NamedTuple):
    """True and predicted labels, all labels there may be (some occur nowhere), and weights or None."""

    truth: list[Any]
    prediction: list[Any]
    labels: list[Any]
    weight: list[float] | None

    def matrix(self, pos_label: Any = None) -> ConfusionMatrix:
        return ConfusionMatrix.from_labels(
            self.truth, self.prediction, labels=self.labels, pos_label=pos_label, sample_weight=self.weight
        )


#: Labels of one kind each: text of which one is the start of another, in several scripts; numbers far apart; booleans.
KINDS: tuple[list[Any], ...] = (
    ["a", "ab", "B", "é", "日本", ""],
    [0, 1, 2, 3, 4, 5],
    [-7, 0, 3, 10**12, 5, 1],
    [False, True],
)
WEIGHTS = st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.7, 1.0, 2.5, 1e3])


@st.composite
def labelled(draw: st.DrawFn, most: int = 6, least: int = 1, weighted: bool = True, items: int = 25) -> Labelled:
    """Small tables: of one label, or with labels that are never true, never predicted, or neither."""
    kind = draw(st.sampled_from(KINDS))
    labels = sorted(kind[: draw(st.integers(least, min(most, len(kind))))])
    true, predicted = (draw(st.lists(st.sampled_from(labels), min_size=1, unique=True)) for _ in range(2))
    size = draw(st.integers(1, items))
    truth = draw(st.lists(st.sampled_from(true), min_size=size, max_size=size))
    prediction = draw(st.lists(st.sampled_from(predicted), min_size=size, max_size=size))
    weights = st.lists(WEIGHTS, min_size=size, max_size=size).filter(any)
    weight = draw(st.none() | weights) if weighted else None
    return Labelled(truth, prediction, labels, weight)


def forms(labels: list[Any]) -> dict[str, Any]:
    """The same labels as callers may have them."""
    text = isinstance(labels[0], str)
    found: dict[str, Any] = {"list": labels, "numpy": np.array(labels), "polars": pl.Series(labels)}
    found["object"] = np.array(labels, dtype=object)
    if text:
        names = sorted(set(labels))
        found |= {
            "enum": pl.Series(labels, dtype=pl.Enum(names)),
            "categorical": pl.Series(labels, dtype=pl.Categorical),
        }
    return found


def over(numerator: float, denominator: float) -> float:
    return numerator / denominator if denominator else NAN


class Cells(NamedTuple):
    """One table of two labels."""

    tp: float
    fp: float
    fn: float
    tn: float


def f_of(tp: float, fp: float, fn: float, beta: float = 1.0) -> float:
    """By precision and recall as far as there are, else by the limit: 0 if there is anything to be found or said."""
    if tp == 0:
        return 0.0 if fp + fn > 0 else NAN
    p, r = tp / (tp + fp), tp / (tp + fn)
    return (1 + beta**2) * p * r / (beta**2 * p + r)


def mcc_of(tp: float, fp: float, fn: float, tn: float) -> float:
    """The correlation of two columns of 0 and 1, from their means."""
    total = tp + fp + fn + tn
    if 0 in (tp + fp, tp + fn, tn + fp, tn + fn):
        return NAN
    x, y = (tp + fn) / total, (tp + fp) / total
    return (tp / total - x * y) / math.sqrt(x * (1 - x) * y * (1 - y))


def kappa_of(tp: float, fp: float, fn: float, tn: float) -> float:
    """Observed and expected agreement."""
    total = tp + fp + fn + tn
    if not total or total in {tp, tn}:
        return NAN
    observed = (tp + tn) / total
    expected = ((tp + fp) * (tp + fn) + (tn + fn) * (tn + fp)) / total**2
    return (observed - expected) / (1 - expected)


#: Measures of four cells, TP, FP, FN and TN, by their names for classifiers.
TWINS: dict[str, Callable[[Cells], float]] = {
    "TP": lambda c: c.tp,
    "FP": lambda c: c.fp,
    "FN": lambda c: c.fn,
    "TN": lambda c: c.tn,
    "Positives": lambda c: c.tp + c.fn,
    "Negatives": lambda c: c.fp + c.tn,
    "PredictedPositives": lambda c: c.tp + c.fp,
    "PredictedNegatives": lambda c: c.fn + c.tn,
    "Right": lambda c: c.tp + c.tn,
    "Wrong": lambda c: c.fp + c.fn,
    "Accuracy": lambda c: over(c.tp + c.tn, c.tp + c.fp + c.fn + c.tn),
    "ErrorRate": lambda c: over(c.fp + c.fn, c.tp + c.fp + c.fn + c.tn),
    "Precision": lambda c: over(c.tp, c.tp + c.fp),
    "Recall": lambda c: over(c.tp, c.tp + c.fn),
    "Specificity": lambda c: over(c.tn, c.tn + c.fp),
    "FPR": lambda c: over(c.fp, c.tn + c.fp),
    "FNR": lambda c: over(c.fn, c.tp + c.fn),
    "FDR": lambda c: over(c.fp, c.tp + c.fp),
    "FOR": lambda c: over(c.fn, c.tn + c.fn),
    "NPV": lambda c: over(c.tn, c.tn + c.fn),
    "Prevalence": lambda c: over(c.tp + c.fn, c.tp + c.fp + c.fn + c.tn),
    "F": lambda c: f_of(c.tp, c.fp, c.fn),
    "Jaccard": lambda c: over(c.tp, c.tp + c.fp + c.fn),
    "FowlkesMallows": lambda c: math.sqrt(over(c.tp, c.tp + c.fp) * over(c.tp, c.tp + c.fn)),
    "MCC": lambda c: mcc_of(*c),
    "Kappa": lambda c: kappa_of(*c),
    "BalancedAccuracy": lambda c: (over(c.tp, c.tp + c.fn) + over(c.tn, c.tn + c.fp)) / 2,
    "Youden": lambda c: over(c.tp, c.tp + c.fn) - over(c.fp, c.fp + c.tn),
    "Markedness": lambda c: over(c.tp, c.tp + c.fp) - over(c.fn, c.fn + c.tn),
    "ExactMatch": lambda c: float(c.fp == c.fn == 0),
    "LRPlus": lambda c: over(over(c.tp, c.tp + c.fn), over(c.fp, c.fp + c.tn)),
    "LRMinus": lambda c: over(over(c.fn, c.tp + c.fn), over(c.tn, c.fp + c.tn)),
    "DOR": lambda c: over(c.tp * c.tn, c.fp * c.fn),
}


def recomputed(node: PerUnit, unit: int) -> float:
    """The value of a tree of steps for one unit, in plain Python."""
    if node.reason(unit) is not None:
        return NAN
    if node.operands:
        numbers = [recomputed(operand, unit) for operand in node.operands]
        return NAN if any(map(math.isnan, numbers)) else OPERATIONS[node.op](*numbers)
    if node.steps is None or node.column is None:
        return float(node.values[unit])
    shown = node.steps.columns[node.column][node.steps.unit == unit].tolist()
    return math.fsum(shown) if node.op == "sum" else max([0.0, *shown])


OPERATIONS: dict[str, Callable[..., float]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": over, "max": max, "min": min,
    "ln": math.log, "sqrt": math.sqrt,
}  # fmt: skip
