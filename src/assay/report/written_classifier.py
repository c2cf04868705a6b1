"""A report on classifiers in Markdown, and the tables that it shares with the LaTeX form."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.core.digits import (
    NOT_AVAILABLE,
    as_level,
    as_percent,
    counted,
    number,
    p_value,
    signed,
    signed_span,
    span,
    threshold,
)
from assay.core.errors import number_of
from assay.report.layout import Cell, Table
from assay.report.written_items import as_markdown
from assay.report.written_markdown import escaped, table, with_title

if TYPE_CHECKING:
    from assay.reporting.classifier_contents import (
        Classes,
        ClassifierContents,
        ConfusedPairs,
        Matrix,
        Share,
        SystemThresholds,
    )
    from assay.reporting.item_contents import Estimated

#: Measures of the table of thresholds.
AT_THRESHOLD = ("Precision", "Recall", "Specificity", "Accuracy", "F1", "MCC")


def to_markdown(contents: ClassifierContents) -> str:
    """What the classifiers are worth, then what that rests on."""
    return as_markdown(contents, _blocks(contents))


def _blocks(contents: ClassifierContents) -> Iterator[str]:
    yield "## Measures"
    yield table(measures_table(contents))
    yield escaped(of_dummy(contents))
    yield from with_title("Compared", _compared(contents))
    for matrix in contents.matrices:
        yield from with_title(f"Confusion matrix of {escaped(matrix.system)}", [table(matrix_table(matrix))])
        yield escaped(f"Rows are true labels, columns predicted ones. {matrix.left_out}")
    for part in contents.thresholds:
        yield from with_title(f"Thresholds of {escaped(part.system)}", [table(thresholds_table(part))])
        yield escaped(f"{part.positive} is predicted from the threshold on.")
    for classes in contents.classes:
        yield from with_title(
            f"Class by class, {escaped(classes.system)}", [table(classes_table(classes)), escaped(classes.left_out)]
        )
    for pairs in contents.pairs:
        yield from with_title(f"Most confused pairs, {escaped(pairs.system)}", [table(pairs_table(pairs))])
    for one in contents.calibration:
        rows = tuple(
            ((number(group.score),), (Cell(number(group.share.value)), Cell(_reach(group.share)), _count(group.items)))
            for group in one.bins
        )
        shown = Table(("mean score",), (f"share of {one.label}", "interval", "items"), rows)
        said = f"Expected calibration error {number(one.error)}."
        yield from with_title(f"Calibration of {escaped(one.system)}", [table(shown), said])


def of_dummy(contents: ClassifierContents) -> str:
    """What the column of the classifier without skill means."""
    if not any(not math.isnan(one.dummy) for row in contents.systems for one in row.estimates):
        return ""
    return f"No skill: what one scores that says {contents.dummy}."


def measures_table(contents: ClassifierContents) -> Table:
    """One row a system and measure: value, interval, how that was made, and what no skill scores."""
    rows = tuple(
        (
            (row.system, one.measure, one.method),
            (
                Cell(_value(one)),
                Cell(span(one.low, one.high)),
                Cell(number(one.dummy)),
            ),
        )
        for row in contents.systems
        for one in row.estimates
    )
    return Table(
        ("system", "measure", "interval by"), ("value", f"{as_level(contents.confidence)} interval", "no skill"), rows
    )


def _value(one: Estimated) -> str:
    """A number with the classes that it leaves out, or why there is none."""
    if one.undefined:
        return f"{NOT_AVAILABLE} ({one.undefined})"
    return number(one.value) + (f" (without {one.left_out})" if one.left_out else "")


def _compared(contents: ClassifierContents) -> Iterator[str]:
    if contents.verdicts:
        yield table(compared_table(contents))
        yield from (escaped(one.paragraph) for one in contents.verdicts)
    yield from map(escaped, flips(contents))


def compared_table(contents: ClassifierContents) -> Table:
    """One row a verdict."""
    rows = tuple(
        (
            (one.measure, one.system, one.baseline, one.word),
            tuple(
                map(
                    Cell,
                    (
                        signed(one.difference),
                        signed_span(one.low, one.high),
                        p_value(one.p),
                    ),
                )
            ),
        )
        for one in contents.verdicts
    )
    return Table(("measure", "system", "against", "verdict"), ("difference", "interval", "p"), rows)


def flips(contents: ClassifierContents) -> list[str]:
    """Items that were set right and broken, a sentence a pair."""
    return [
        f"{one.system} in place of {one.baseline}: {number_of('item', one.fixed)} fixed, {one.broke:,} broken."
        for one in contents.flips
    ]


def matrix_table(matrix: Matrix) -> Table:
    """Counts, with the true labels in the first column."""
    rows = tuple(
        ((label,), tuple(_count(cell.number) for cell in cells))
        for label, cells in zip(matrix.labels, matrix.cells, strict=True)
    )
    return Table(("truth",), tuple(f"predicted {label}" for label in matrix.labels), rows)


def thresholds_table(part: SystemThresholds) -> Table:
    """What rules choose, below the threshold that is in use, if one is."""
    from assay.reporting.classifier_contents import MEASURED_AT  # noqa: PLC0415  # the report is made before it is written

    places = [MEASURED_AT.index(name) for name in AT_THRESHOLD]
    shown = [("in use", part.rows[part.start], part.values)] if part.in_use else []
    shown += [(rule.name, rule.at, rule.values) for rule in part.rules]
    rows = tuple(
        (
            (name, threshold(at.threshold, at.below)),
            (*map(_count, at.cells), *(Cell(number(values[place])) for place in places)),
        )
        for name, at, values in shown
    )
    return Table(("rule", "threshold"), ("TP", "FP", "FN", "TN", *AT_THRESHOLD), rows)


def classes_table(classes: Classes) -> Table:
    """One row a class."""
    rows = tuple(
        (
            (row.label,),
            (
                _count(row.support),
                *(
                    Cell(text)
                    for one in (row.precision, row.recall, row.f1)
                    for text in (number(one.value), _reach(one))
                ),
            ),
        )
        for row in classes.rows
    )
    return Table(("class",), ("support", "precision", "interval", "recall", "interval ", "F1", "interval  "), rows)


def pairs_table(pairs: ConfusedPairs) -> Table:
    """One row a pair."""
    rows = tuple(
        ((one.truth, one.prediction), (_count(one.number), Cell(as_percent(one.of_truth)))) for one in pairs.pairs
    )
    return Table(("truth", "taken for"), ("items", "of the label"), rows)


def _reach(one: Share) -> str:
    return span(one.low, one.high)


def _count(value: float) -> Cell:
    return Cell(counted(value))
