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
    remarks,
    thresholds_table,
)
from assay.report.written_latex import escaped, floated, paragraphs, provenance_part, references_part, tabular, whole

if TYPE_CHECKING:
    from assay.reporting.classifier_contents import ClassifierContents


def to_latex(contents: ClassifierContents) -> str:
    """The summary, the tables, the methods, the references and BibTeX entries for them."""
    return whole(contents.provenance, _parts(contents))


def _parts(contents: ClassifierContents) -> Iterator[str]:
    yield rf"\section*{{{escaped(contents.title)}}}" + f"\n{escaped(contents.lead)}."
    yield escaped(" ".join(contents.summary))
    yield from paragraphs("What to know", [f"{text}." for text in remarks(contents)])
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
    yield from paragraphs("Notes", [*contents.warnings, *contents.notes])
    yield r"\section*{Methods}" + f"\n{escaped(contents.methods)}"
    yield from references_part(contents.references)
    yield from provenance_part(contents.provenance)
    yield r"\end{document}"
