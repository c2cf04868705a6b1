"""The page of a report on classifiers: what they are worth on top, and the sections below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.errors import number_of
from assay.report.html.classifier_calibration import calibration
from assay.report.html.classifier_heat import matrices
from assay.report.html.classifier_tables import classes, compared, confused_pairs, measures_table
from assay.report.html.classifier_threshold import explorers
from assay.report.html.document import Section, document, minded
from assay.report.html.markup import Html, element, given, prose
from assay.report.html.sources import methods, provenance

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.reporting.classifier_contents import ClassifierContents, RemarkOf

#: So many remarks stand beside the claim; the others below it.
MOST_REMARKS = 4
_A_PAIR = 2


def classifier_page(contents: ClassifierContents) -> str:
    """The whole report as one file of HTML; `contents` as `assay.classify(...).report().contents`."""
    sections = list(_sections(contents))
    return document(
        contents.title,
        _hero(contents),
        sections,
        contents.provenance,
        styles=("style.css", "classifier.css"),
        scripts=("script.js", "classifier.js"),
    )


def _sections(contents: ClassifierContents) -> Iterator[Section]:
    """The parts of the page that have something to show."""
    lead = "Every number with its interval, and beside it what no skill at all would score."
    yield Section("measures", "Measures", "Measures", lead, measures_table(contents))
    if len(contents.remarks) > MOST_REMARKS:
        said = element("ul", *map(remark, contents.remarks[MOST_REMARKS:]), class_="said-list")
        yield Section("advice", "Advice", "More to know", "", said)
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
            f"Lines: {contents.confidence:.0%} intervals.{_some(contents, len(contents.calibration))}"
        )
        yield Section(
            "calibration",
            "Calibration",
            "Can scores be read as probabilities?",
            lead,
            calibration(contents.calibration),
        )
    yield Section("methods", "Methods", "Methods", "Ready to paste into a paper.", methods(contents))
    lead = "Everything it takes to make this report again."
    yield Section("provenance", "Provenance", "How it was made", lead, provenance(contents.provenance))
    if contents.notes:
        said = element("ul", *(element("li", prose(text)) for text in contents.notes))
        yield Section("notes", "Notes", "What is not shown", "", said)


def _some(contents: ClassifierContents, shown: int) -> str:
    """That a section does not show all classifiers, where it does not."""
    if shown == len(contents.systems):
        return ""
    return f" Shown for {shown:,} of {number_of('classifier', len(contents.systems))}."


def _hero(contents: ClassifierContents) -> Html:
    """What the classifiers are worth in words, what to know about that, and what to mind."""
    claim, *said = contents.summary
    if contents.verdicts and len(contents.systems) == _A_PAIR:
        # The sentence on a single pair is full of numbers: the table has them.
        claim = f"{contents.verdicts[0].headline} under {contents.verdicts[0].measure}."
    aside = []
    if contents.remarks:
        first = element("ul", *map(remark, contents.remarks[:MOST_REMARKS]))
        aside.append(
            element(
                "aside", element("p", element("b", "What to know")), first, class_="advice remarks", aria_label="Advice"
            )
        )
    aside += [minded(contents.warnings)] if contents.warnings else []
    return element(
        "div",
        element(
            "div",
            element("p", "Classifier report", class_="eyebrow"),
            element("h1", prose(contents.title)),
            element("p", prose(contents.lead), class_="lead"),
        ),
        element("div", element("p", prose(claim), class_="claim"), *(element("p", prose(text)) for text in said)),
        *([element("div", *aside, class_="aside")] if aside else []),
        class_="hero",
    )


def remark(one: RemarkOf) -> Html:
    """A piece of advice, and whom it is about."""
    about = [given(one.system), ": "] if one.system else []
    return element("li", *about, prose(f"{one.says}."))
