"""Checks of items of predictions: twins, doubtful truths, and items that were learned from."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from assay.core.digits import as_level, as_percent, number, significant
from assay.core.errors import number_of, quote
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.counting.label_pairs import codes
from assay.measures.counting.probabilities import Probabilities
from assay.measures.parser import parse_measure
from assay.subjects.labels.checks.examination import (
    CONTENT,
    SURE,
    ExaminedPredictions,
    PredictionsFile,
    Trained,
)
from assay.verbs.diagnosis.examination import EXAMPLES, CheckFinding, Example, Severity, check, finding, share

_MOST_NAMED = 3

_LOOK = "look at conflicting labels: one of them is wrong"

_COPIES = "leave copies out, or keep them on one side of a split"


@check(
    "item-ids", "predictions", "error", "warning",
    question="Does an item id occur twice, with different true labels (an error) or the same one (a warning)?",
    advice="keep one row per item: copies count twice, and make every number look more certain than it is",
)  # fmt: skip
def item_ids(file: PredictionsFile) -> Iterator[CheckFinding]:
    """Ids that come again."""
    if not file.has_ids:
        return
    rows = file.rows.select("item_id", "truth").with_row_index("row").filter(pl.col("item_id").is_not_null())
    for conflict, groups in _again(rows, ["item_id"]):
        severity: Severity = "error" if conflict else "warning"
        how = "with different true labels" if conflict else "with the same true label"
        examples = [file.example(places[1]) for places in groups[:EXAMPLES]]
        message = f"{number_of('item id', len(groups))} more than once, {how}"
        yield finding("item-ids", severity, file, message, len(groups), examples=examples)


def _again(rows: pl.DataFrame, by: list[str]) -> Iterator[tuple[bool, list[list[int]]]]:
    """Groups of rows that are alike: first those with different true labels, then those with the same."""
    groups = rows.group_by(by, maintain_order=True).agg(pl.col("truth").n_unique().alias("truths"), pl.col("row"))
    groups = groups.filter(pl.col("row").list.len() > 1)
    for conflict in (True, False):
        if chosen := groups.filter((pl.col("truths") > 1) == conflict)["row"].to_list():
            yield conflict, chosen


@check(
    "same-items", "predictions", "warning", "note",
    question="Do items have the same text (without text: columns), with different true labels (a warning) or not?",
    advice=f"{_LOOK}; {_COPIES}",
)  # fmt: skip
def same_items(file: PredictionsFile) -> Iterator[CheckFinding]:
    """Rows with the same text, or without text with the same further columns; blanks at the ends and case apart."""
    if not file.content:
        return
    names = [f"{CONTENT}{name}" for name in file.texts]
    folded = [pl.col(name).str.strip_chars().str.to_lowercase() for name in names if file.rows[name].dtype == pl.String]
    rows = file.rows.with_row_index("row").with_columns(folded).filter(~pl.all_horizontal(pl.col(names).is_null()))
    for conflict, groups in _again(rows, names):
        items = sum(map(len, groups))
        how = "but different true labels" if conflict else "and the same true label"
        examples = [_alike(file, places) for places in groups[:EXAMPLES]]
        alike = f"{number_of('item', items)} with the same {columns_named(file.texts)} as another"
        message = f"{alike}, {how} ({number_of('group', len(groups))})"
        severity: Severity = "warning" if conflict else "note"
        todo = _LOOK if conflict else _COPIES
        yield finding("same-items", severity, file, message, items, examples=examples, todo=todo)


def columns_named(names: Sequence[str]) -> str:
    """Columns by name, as long as they are few.

    >>> columns_named(["title", "text"])
    "'title' and 'text'"
    """
    return " and ".join(map(quote, names)) if len(names) <= _MOST_NAMED else f"{len(names)} further columns"


def _alike(file: PredictionsFile, rows: list[int]) -> Example:
    labels = ", ".join(dict.fromkeys(map(str, file.rows["truth"].gather(rows).to_list())))
    text, line = file.example(rows[0])
    others = number_of("other", len(rows) - 1)
    return Example(f"{text} and {others}: {file.cell(rows[0], file.texts[0])}: {labels}", line)


#: The true label has a very low probability if it is at most this.
VERY_LOW = 0.1
#: Probabilities are believed if they are off by at most this on average (ECE), in so many items or more.
CALIBRATED, LEAST_ITEMS = 0.1, 50
#: So many items are listed, the most doubtful first, if there are more than expected.
LISTED = 10


class Doubtful(NamedTuple):
    """Rows whose truth is doubtful, the most doubtful first; the label that scores say; how many are expected."""

    rows: Ints
    rather: Ints
    expected: float
    spread: float


def doubtful(truth: Ints, probabilities: Floats) -> Doubtful:
    """Items whose true label has a very low probability while another label is as likely as for items that have it.

    As likely means: at least the mean probability of that label over the items that have it (the thresholds of
    confident learning, Northcutt and others 2021). `expected` says of how many items a calibrated score would say the
    same though their labels are right; `spread` is the standard deviation of that.

    >>> probabilities = np.array([[0.9, 0.1], [0.8, 0.2], [0.2, 0.8], [0.05, 0.95], [0.02, 0.98]])
    >>> doubtful(np.array([0, 0, 1, 1, 0]), probabilities).rows
    array([4])
    """
    items, labels = probabilities.shape
    is_true = np.arange(labels) == truth[:, None]
    with np.errstate(invalid="ignore"):
        usual = np.where(is_true, probabilities, 0.0).sum(axis=0) / is_true.sum(axis=0)
    likely = np.where(probabilities >= np.nan_to_num(usual, nan=math.inf), probabilities, -math.inf)
    rather = likely.argmax(axis=1)
    certain = likely.max(axis=1) > -math.inf
    # What the scores themselves say about how often one of the other labels, each very unlikely, is true.
    low = (probabilities <= VERY_LOW) & (np.arange(labels) != rather[:, None])
    chance = np.where(low, probabilities, 0.0).sum(axis=1) * certain
    is_low = low[np.arange(items), truth] & certain
    rows = np.flatnonzero(is_low)
    margin = probabilities[rows, truth[rows]] - probabilities[rows, rather[rows]]
    rows = rows[np.argsort(margin, kind="stable")]
    return Doubtful(rows, rather[rows], float(chance.sum()), math.sqrt(float((chance * (1 - chance)).sum())))


@check(
    "label-noise", "probabilities", "warning", "note",
    question="Do calibrated probabilities contradict true labels, more often than expected (a warning)?",
    advice="check the labels of these items, from the top: either they are wrong, or the system is confidently wrong",
)  # fmt: skip
def label_noise(system: ExaminedPredictions) -> Iterator[CheckFinding]:
    """Items whose truth has a very low probability, where probabilities can be believed."""
    known = system.probabilities
    if known is None or system.of.is_multilabel:
        return
    labels, table = known
    places = codes(system.of.rows["truth"], labels)
    rows = np.flatnonzero(system.usable & (places >= 0))
    if len(rows) < LEAST_ITEMS:
        return
    table, truth = np.clip(table[rows], 0.0, 1.0), places[rows]
    off = float(parse_measure("ECE", "multiclass")(of="predicted").of(Probabilities(tuple(labels), truth, table))[0])
    if off > CALIBRATED:
        return
    doubts = doubtful(truth, table)
    count = len(doubts.rows)
    if not count:
        return
    more = count > doubts.expected + SURE * doubts.spread
    severity: Severity = "warning" if more else "note"
    details, examples = [], []
    limit = LISTED if more else EXAMPLES
    for row, other in zip(doubts.rows[:limit].tolist(), doubts.rather[:limit].tolist(), strict=True):
        at = int(rows[row])
        label = labels[truth[row]]
        rather = labels[other]
        low, high = float(table[row, truth[row]]), float(table[row, other])
        example = system.of.example(
            at, f"{quote(label)} has {significant(low, 3)}, {quote(rather)} {significant(high, 3)}"
        )
        examples.append(example)
        item = {"item": system.of.example(at).text, "line": example.line, "truth": label, "probability": low}
        details.append(item | {"rather": rather, "its_probability": high})
    message = (
        f"{number_of('item', count)} whose true label has a probability of {VERY_LOW:g} or less, and another label a "
        f"high one; {number(doubts.expected, 1)} would be expected (ECE {number(off, 3)})"
    )
    yield finding("label-noise", severity, system, message, count, examples=examples, details=details)


@check(
    "truth-conflict", "together", "error",
    question="Do items have different true labels in different files?",
    advice="find out which file is right: systems are compared on one truth",
)  # fmt: skip
def truth_conflict(systems: Sequence[ExaminedPredictions]) -> Iterator[CheckFinding]:
    """Each against the first."""
    first = systems[0]
    place = _called(systems[0], systems)
    name = place.system or place.file
    for other in systems[1:]:
        if other.of.is_multilabel != first.of.is_multilabel:
            message = f"of this and {name} only one has several labels per item"
            yield finding("truth-conflict", "error", _called(other, systems), message, other.of.rows.height)
            continue
        if not _can_be_paired(first, other):
            continue
        both = _items(other).join(_items(first), on="item_id", suffix=" before", maintain_order="left")
        wrong = both.filter(pl.col("truth") != pl.col("truth before"))
        if not wrong.height:
            continue
        examples = [
            other.of.example(row, f"{quote(truth)} here, {quote(before)} in {name}")
            for row, truth, before in wrong.select("row", "truth", "truth before").head(EXAMPLES).rows()
        ]
        message = f"{number_of('item', wrong.height)} with a different true label than in {name}"
        yield finding("truth-conflict", "error", _called(other, systems), message, wrong.height, examples=examples)


@check(
    "missing-items", "together", "warning",
    question="Does a file lack items that another one has, or can items not be paired: by ids, or row by row?",
    advice="let all systems predict the same items: `compare` stops here, and `{missing=drop}` leaves such items out",
)  # fmt: skip
def missing_items(systems: Sequence[ExaminedPredictions]) -> Iterator[CheckFinding]:
    """Each against all others, by id; without ids, against the first."""
    first = systems[0]
    place = _called(systems[0], systems)
    name = place.system or place.file
    for other in systems[1:]:
        if _can_be_paired(first, other):
            continue
        if first.of.has_ids != other.of.has_ids:
            message = f"{'no item' if first.of.has_ids else 'item'} ids, unlike {name}: items cannot be paired"
        else:
            rows = number_of("row", other.of.rows.height)
            message = f"{rows}, {name} has {first.of.rows.height:,}: without ids, items are paired row by row"
        yield finding(
            "missing-items", "warning", _called(other, systems), message, todo="write the id of each item to all files"
        )
    with_ids = [system for system in systems if system.of.has_ids]
    if len(with_ids) < 2:
        return
    every = pl.concat([_items(system).select("item_id") for system in with_ids]).unique(maintain_order=True)
    for system in with_ids:
        lacking = every.join(_items(system), on="item_id", how="anti", maintain_order="left")["item_id"]
        if len(lacking):
            examples = [Example(f"item {quote(item)}") for item in lacking.head(EXAMPLES)]
            message = f"{number_of('item', len(lacking))} missing that others have"
            yield finding(
                "missing-items", "warning", _called(system, systems), message, len(lacking), examples=examples
            )


def _called(
    system: ExaminedPredictions, systems: Sequence[ExaminedPredictions]
) -> ExaminedPredictions | PredictionsFile:
    """The file, unless it holds several tables, one a system."""
    return system.of if sum(other.file == system.file for other in systems) == 1 else system


def _can_be_paired(first: ExaminedPredictions, other: ExaminedPredictions) -> bool:
    if first.of.has_ids or other.of.has_ids:
        return first.of.has_ids and other.of.has_ids
    return first.of.rows.height == other.of.rows.height


def _items(system: ExaminedPredictions) -> pl.DataFrame:
    """The `row` and `truth` of each item, as text, by its id or by its row; of an id that comes again, the first."""
    truth = pl.col("truth").list.unique().list.sort().list.join(", ") if system.of.is_multilabel else pl.col("truth")
    rows = system.of.rows.with_row_index("row")
    item = pl.col("item_id" if system.of.has_ids else "row").cast(pl.String)
    items = rows.select("row", truth, item_id=item)
    return items.drop_nulls("item_id").unique("item_id", keep="first", maintain_order=True)


#: From this share of the items on, numbers are wrong rather than doubtful.
MANY = 0.05


@check(
    "trained-ids", "training", "error",
    question="Are there test items with the id of a training item?",
    advice="take them out of the test: a model may know by heart what it was trained on",
)  # fmt: skip
def trained_ids(trained: Trained) -> Iterator[CheckFinding]:
    """Ids that are in both files; bare row numbers are no ids."""
    ids, file = trained.ids, trained.file
    if ids is None or not file.has_ids or _are_row_numbers(file.rows["item_id"]):
        return
    shared = file.rows["item_id"].is_in(ids.drop_nulls().unique().implode())
    if count := int(shared.sum()):
        part = as_percent(count / file.rows.height)
        message = f"{share(count, file.rows.height, 'item')} ({part}) are also in {trained.name}, by id"
        yield finding("trained-ids", "error", file, message, count, examples=file.examples(shared))


def _are_row_numbers(ids: pl.Series) -> bool:
    """True if ids merely number the rows, from 0 or 1 on."""
    first = ids[0] if len(ids) else None
    if first not in {"0", "1"}:
        return False
    return ids.equals(pl.int_range(int(first), int(first) + len(ids), eager=True).cast(pl.String))


@check(
    "trained-items", "training", "error", "warning",
    question="Are there test items with the content of a training item: "
    f"{as_level(MANY)} or more (an error)?",
    advice="take them out of the test or of the training items; split by content, so that copies stay on one side",
)  # fmt: skip
def trained_items(trained: Trained) -> Iterator[CheckFinding]:
    """Content that is in both files, blanks at the ends and case apart."""
    file = trained.file
    if not trained.columns:
        return
    ours = file.rows.select(_key(f"{CONTENT}{name}").alias(name) for name in trained.columns).with_row_index("row")
    theirs = trained.training.select(_key(name) for name in trained.columns).unique()
    shared = ours.join(theirs, on=trained.columns, how="semi", nulls_equal=True, maintain_order="left")
    shared = shared.filter(~pl.all_horizontal(pl.col(trained.columns).is_null()))
    if not shared.height:
        return
    part = shared.height / file.rows.height
    severity: Severity = "error" if part >= MANY else "warning"
    both = f"{share(shared.height, file.rows.height, 'item')} ({as_percent(part)}) are also in {trained.name}"
    message = f"{both}, with the same {columns_named(trained.columns)}"
    rows = shared["row"].head(EXAMPLES).to_list()
    first = trained.columns[0]
    examples = [file.example(row, file.cell(row, first)) for row in rows]
    yield finding("trained-items", severity, file, message, shared.height, examples=examples)


def _key(name: str) -> pl.Expr:
    return pl.col(name).cast(pl.String, strict=False).str.strip_chars().str.to_lowercase()
