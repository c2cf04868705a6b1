"""The page of a report on classifiers: what they are worth on top, and the sections below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.core.digits import as_level
from assay.report.html.classifier_calibration import calibration
from assay.report.html.classifier_heat import matrices
from assay.report.html.classifier_tables import classes, compared, confused_pairs
from assay.report.html.classifier_threshold import explorers
from assay.report.html.document import Section, document
from assay.report.html.item_page import closing, further_advice, hero, shown_for
from assay.report.html.item_tables import measures_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.reporting.classifier_contents import ClassifierContents


def classifier_page(contents: ClassifierContents) -> str:
    """The whole report as one file of HTML; `contents` as `assay.classify(...).report().contents`."""
    sections = list(_sections(contents))
    return document(
        contents.title,
        hero(contents, "Classifier report"),
        sections,
        contents.provenance,
        styles=("style.css", "classifier.css"),
        scripts=("script.js", "classifier.js"),
    )


def _sections(contents: ClassifierContents) -> Iterator[Section]:
    """The parts of the page that have something to show."""
    lead = "Every number with its interval, and beside it what no skill at all would score."
    yield Section("measures", "Measures", "Measures", lead, measures_table(contents))
    yield from further_advice(contents)
    if contents.verdicts or contents.flips:
        lead = "Whether the difference could be chance, and what became of single items."
        yield Section("compared", "Compared", "Compared", lead, compared(contents))
    if contents.matrices:
        lead = f"What was taken for what.{_some(contents, len(contents.matrices))}"
        yield Section("confusion", "Confusion", "Confusion matrix", lead, matrices(contents))
    if contents.thresholds:
        lead = "Move the threshold and see what it costs: all parts below move together."
        lead += _some(contents, len(contents.thresholds))
        yield Section("threshold", "Threshold", "Which threshold?", lead, explorers(contents.thresholds))
    if contents.classes:
        lead = _some(contents, len(contents.classes)).strip()
        yield Section("classes", "Classes", "Class by class", lead, classes(contents))
    if contents.pairs:
        yield Section("pairs", "Pairs", "Most confused pairs", "", confused_pairs(contents.pairs))
    if contents.calibration:
        are = "positive" if contents.positive else "predicted rightly"
        lead = (
            f"If scores are probabilities, of all items with a score of 0.8 four fifths are {are}. "
            f"Lines: {as_level(contents.confidence)} intervals.{_some(contents, len(contents.calibration))}"
        )
        yield Section(
            "calibration",
            "Calibration",
            "Can scores be read as probabilities?",
            lead,
            calibration(contents.calibration),
        )
    yield from closing(contents)


def _some(contents: ClassifierContents, shown: int) -> str:
    """That a section does not show all classifiers, where it does not."""
    return shown_for(contents, shown, "classifier")
