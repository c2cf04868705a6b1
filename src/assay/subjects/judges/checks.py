"""Checks of labels of several judges, and labels as the doctor looks at them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from assay.core.errors import ParameterError, listed, number_of, quote
from assay.files.labels import read_labels
from assay.files.sources import Source, is_file
from assay.measures.counting.ratings import Ratings
from assay.subjects.judges.evaluation import JudgeAgreement, as_labels, ratings_of
from assay.tables.labels import Labels
from assay.verbs.diagnosis.examination import (
    CheckFinding,
    Examination,
    Examined,
    Overview,
    Severity,
    WholeFile,
    check,
    examples_of,
    finding,
    share,
    unreadable,
)

#: A judge of fewer labels than this may well have given the same answer to all.
_FEW_LABELS = 10
#: Coefficients of fewer common items than this say next to nothing.
_FEW_ITEMS = 30
#: A judge whose pairs agree less than chance by so much mixes something up.
_AGAINST = -0.1


@dataclass(frozen=True, eq=False)
class ExaminedLabels:
    """Labels, and the scale that was said, if one was."""

    file: str
    labels: Labels
    categories: list[Any] | None = None
    system: None = None

    @cached_property
    def frame(self) -> pl.DataFrame:
        """One row per label, with the item's name."""
        return self.labels.frame.with_columns(item=self.labels.items)

    @cached_property
    def ratings(self) -> Ratings:
        """The labels counted."""
        return ratings_of(self.labels)


class JudgesExamination(Examination):
    """A file as it was read, and the labels in it."""

    modules = ("assay.subjects.judges.checks",)
    options = ("grades",)

    def things(self) -> Iterator[Examined]:
        """The labels."""
        if len(self.inputs) != 1:
            raise ParameterError(f"doctor takes one set of labels, not {len(self.inputs)}")
        (given,) = self.inputs
        data = Source.of(given) if is_file(given) else given
        if isinstance(data, JudgeAgreement):
            data = data.labels
        self.file = data.name if isinstance(data, Source) else "labels"
        # Where judges contradict themselves, their first labels are looked at.
        reading, self.labels = self.opened(
            self.file, lambda: read_labels(data), lambda: read_labels(data, repeated="first")
        )
        yield Examined(reading, ("file",))
        if self.labels is not None:
            stated = self.stated.get("grades")
            known = None if stated is None else as_labels(stated, self.labels.frame["label"])
            yield Examined(ExaminedLabels(self.file, self.labels, known), ("labels",))

    def overview(self) -> Overview:
        """The file, and how much is in it."""
        title = self.file
        if self.labels is not None:
            labels, items, judges = self.labels.sizes
            title += f", {number_of('label', labels)} of {number_of('item', items)} by {number_of('judge', judges)}"
        return Overview(title, {"labels": self.file}, 1, system="set of labels")


unreadable(
    "unreadable-labels",
    __name__,
    question="Is the file no table of labels, or does a judge contradict themselves about an item?",
    advice="write `item_id,judge,label`, one row per label, or one column per judge; see docs/can-i-trust-my-judges",
)


@check(
    "one-judge", "labels", "error",
    question="Is there only one judge, or does no item have labels from two?",
    advice="have some items labelled by a second judge: agreement is unknown otherwise",
)  # fmt: skip
def one_judge(labels: ExaminedLabels) -> Iterator[CheckFinding]:
    """Nobody to agree with."""
    judges = labels.labels.judges
    if len(judges) < 2:
        yield finding("one-judge", "error", labels, f"all labels are by {quote(judges[0])}")
    elif labels.frame.group_by("item").len()["len"].max() == 1:
        yield finding("one-judge", "error", labels, f"{number_of('judge', len(judges))}, but no item has two labels")


@check(
    "outside-scale", "labels", "error",
    question="Are there labels outside the scale that was stated?",
    advice="correct the labels, or state the whole scale",
)  # fmt: skip
def outside_scale(labels: ExaminedLabels) -> Iterator[CheckFinding]:
    """Labels that nobody could give."""
    if labels.categories is None:
        return
    strange = labels.frame.filter(~pl.col("label").is_in(labels.categories))
    if strange.height:
        odd = listed([str(value) for value in strange["label"].unique(maintain_order=True)])
        message = f"{share(strange.height, labels.frame.height, 'label')} outside the scale: {odd}"
        examples = examples_of(
            strange, lambda row: f"judge {quote(row['judge'])}, item {quote(row['item'])}: {row['label']}"
        )
        yield finding("outside-scale", "error", labels, message, strange.height, examples=examples)


@check(
    "constant-judge", "labels", "warning",
    question="Does a judge give the same label to everything, where others do not?",
    advice="go through some items with that judge, who may not have read them; or leave the judge out",
)  # fmt: skip
def constant_judge(labels: ExaminedLabels) -> Iterator[CheckFinding]:
    """Judges with one answer, on items to which others gave another."""
    ratings = labels.ratings
    other = ratings.labels_of_others()
    other[np.arange(len(other)), ratings.category] = 0
    contradicted = np.bincount(ratings.judge, weights=other.sum(axis=1), minlength=len(ratings.judges))
    for judge, row in enumerate(ratings.by_judge(ratings.judge, ratings.category)):
        if row.sum() >= _FEW_LABELS and row.max() == row.sum() and contradicted[judge]:
            name = ratings.judges[judge]
            answer = ratings.categories[row.argmax()]
            message = f"{quote(name)} labels all of {number_of('item', int(row.sum()))} {answer}"
            yield finding("constant-judge", "warning", WholeFile(labels.file, name), message, int(row.sum()))


@check(
    "contrary-judge", "labels", "warning",
    question="Does a judge agree with the others less often than by chance?",
    advice="ask that judge what the labels mean to them: scales are sometimes read upside down",
)  # fmt: skip
def contrary_judge(labels: ExaminedLabels) -> Iterator[CheckFinding]:
    """Judges who say the opposite of what most others say."""
    ratings = labels.ratings
    others = ratings.labels_of_others()
    total = others.sum(axis=1)
    shares = others / np.maximum(total, 1)[:, None]
    for place, judge in enumerate(ratings.judges):
        rows = (ratings.judge == place) & (total > 0)
        if rows.sum() < _FEW_ITEMS:
            continue
        same = shares[rows, ratings.category[rows]].mean()
        shares_of_judge = np.bincount(ratings.category[rows], minlength=len(ratings.categories)) / rows.sum()
        chance = float(shares_of_judge @ shares[rows].mean(axis=0))
        if same - chance < _AGAINST * (1 - chance):
            message = f"{quote(judge)} agrees with the others on {same:.0%}, where chance would give {chance:.0%}"
            yield finding("contrary-judge", "warning", WholeFile(labels.file, judge), message, int(rows.sum()))


@check(
    "odd-labels", "labels", "warning",
    question="Did a judge label an item more than once, or are there labels that look like slips?",
    advice="keep one label per judge and item, and one spelling per label",
)  # fmt: skip
def odd_labels(labels: ExaminedLabels) -> Iterator[CheckFinding]:
    """What the reader noticed."""
    yield from (finding("odd-labels", "warning", labels, remark) for remark in labels.labels.remarks)


@check(
    "few-common-items", "labels", "warning", "note",
    question="Do few items (a warning), or not all (a note), have labels from two judges?",
    advice="have more items labelled by several judges: at least 30, and 100 for a useful interval",
)  # fmt: skip
def few_common_items(labels: ExaminedLabels) -> Iterator[CheckFinding]:
    """Items with one label say nothing of agreement."""
    counts = labels.frame.group_by("item", maintain_order=True).len()
    single = counts.filter(pl.col("len") == 1)
    several = counts.height - single.height
    if several and (several < _FEW_ITEMS or single.height):
        message = f"{share(several, counts.height, 'item')} with two labels or more"
        examples = examples_of(single, lambda row: f"item {quote(row['item'])}")
        severity: Severity = "warning" if several < _FEW_ITEMS else "note"
        yield finding("few-common-items", severity, labels, message, max(single.height, 1), examples=examples)
