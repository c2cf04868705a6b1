"""A report on classifiers in LaTeX: a document that compiles as it is, whose parts can be taken over into a paper."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.report.written_classifier import (
    classes_table,
    compared_table,
    flips,
    matrix_table,
    measures_table,
    of_dummy,
    pairs_table,
    thresholds_table,
)
from assay.report.written_items import as_latex
from assay.report.written_latex import floated, paragraphs, tabular

if TYPE_CHECKING:
    from assay.reporting.classifier_contents import ClassifierContents


def to_latex(contents: ClassifierContents) -> str:
    """The summary, the tables, the methods, the references and BibTeX entries for them."""
    return as_latex(contents, _tables(contents))


def _tables(contents: ClassifierContents) -> Iterator[str]:
    yield floated(tabular(measures_table(contents)), f"Measures, with intervals. {of_dummy(contents)}")
    if contents.verdicts:
        yield floated(tabular(compared_table(contents)), "Classifiers compared.")
    yield from paragraphs("Items that changed", flips(contents))
    for matrix in contents.matrices:
        said = f"Confusion matrix of {matrix.system}: rows are true labels, columns predicted ones. {matrix.left_out}"
        yield floated(tabular(matrix_table(matrix)), said)
    for part in contents.thresholds:
        said = f"Thresholds of {part.system}: {part.positive} is predicted from the threshold on."
        yield floated(tabular(thresholds_table(part)), said)
    for classes in contents.classes:
        yield floated(tabular(classes_table(classes)), f"Class by class, {classes.system}. {classes.left_out}")
    for pairs in contents.pairs:
        yield floated(tabular(pairs_table(pairs)), f"The pairs that {pairs.system} confuses most.")
