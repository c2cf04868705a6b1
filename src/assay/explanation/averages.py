"""The other averages over classes, beside one of them: they are easily taken for one another."""

from __future__ import annotations

import math
from collections.abc import Iterator

from assay.core.digits import NOT_AVAILABLE, short
from assay.counting.confusion_matrix import ConfusionMatrix
from assay.measures.over_classes import overall
from assay.measures.registry import Measure
from assay.measures.vocabularies import by_name

_AVERAGES = ("macro", "micro", "weighted")
#: The other thing that is called macro F1.
_OF_MEANS = "FOfMeans"


def other_averages(measure: Measure, matrix: ConfusionMatrix, average: str) -> Iterator[str]:
    """What the other averages come to.

    >>> from assay.measures import parse_measure
    >>> matrix = ConfusionMatrix.from_matrix([[5, 0, 0], [1, 3, 0], [1, 2, 4]], ["a", "b", "c"])
    >>> list(other_averages(parse_measure("Recall", "multiclass"), matrix, "macro"))
    ['other averages: micro 0.7500, weighted 0.7500']
    """
    if "average" in measure.parameters and measure.definition.summary == "mean":
        values = {name: overall(measure(average=name), matrix) for name in _AVERAGES if name != average}
        yield "other averages: " + ", ".join(
            f"{name} {_shown(float(result.values[0]))}" for name, result in values.items()
        )
    of_means = by_name(_OF_MEANS, measure.definition.vocabulary)
    if measure.name == "F" and of_means is not None:
        shared = {name: value for name, value in measure.chosen.items() if name in of_means.parameters}
        value = float(overall(of_means(**shared), matrix).values[0])
        yield (
            f"{_OF_MEANS}, which is called macro F too: F of the macro averages of precision and recall: "
            f"{_shown(value)}"
        )


def _shown(value: float) -> str:
    return NOT_AVAILABLE if math.isnan(value) else short(value)
