"""Checks of items of predictions: twins, doubtful truths, and items that files do not share."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from assay.core.digits import number, significant
from assay.core.errors import number_of, quote
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.counting.probabilities import Probabilities
from assay.measures.parser import parse_measure
from assay.subjects.labels.checks.examined_predictions import CONTENT, ExaminedPredictions, PredictionsFile
from assay.verbs.diagnosis.findings import EXAMPLES, CheckFinding, Example, Severity, check, finding

_LONGEST = 40
_MOST_NAMED = 3
_LOOK = "look at conflicting labels: one of them is wrong"
_COPIES = "leave copies out, or keep them on one side of a split"


@check(
    "item-ids", "predictions", "error", "warning",
    question="Does an item id come twice, with another truth (an error) or with the same?",
    advice="keep one row an item: items that are there twice count twice, and make everything look surer than it is",
)  # fmt: skip
def item_ids(file: PredictionsFile) -> Iterator[CheckFinding]:
    """Ids that come again."""
    if not file.has_ids:
        return
    rows = file.rows.select("item_id", "truth").with_row_index("row").filter(pl.col("item_id").is_not_null())
    again = rows.filter(pl.col("item_id").is_duplicated())
    if not again.height:
        return
    truths = again.group_by("item_id", maintain_order=True).agg(pl.col("truth").n_unique(), pl.col("row"))
    for conflict in (True, False):
        groups = truths.filter((pl.col("truth") > 1) == conflict)
        if not groups.height:
            continue
        severity: Severity = "error" if conflict else "warning"
        how = "with different true labels" if conflict else "with the same true label"
        examples = [file.example(rows[1]) for rows in groups["row"].head(EXAMPLES).to_list()]
        message = f"{number_of('item id', groups.height)} more than once, {how}"
        yield finding("item-ids", severity, file, message, groups.height, examples=examples)


@check(
    "same-items", "predictions", "warning", "note",
    question="Do items have the same text (or, without any, further columns), with another truth (a warning) or not?",
    advice=f"{_LOOK}; {_COPIES}",
)  # fmt: skip
def same_items(file: PredictionsFile) -> Iterator[CheckFinding]:
    """Rows with the same text, or without text with the same further columns; blanks at the ends and case apart."""
    if not file.content:
        return
    names = [f"{CONTENT}{name}" for name in file.texts]
    folded = [pl.col(name).str.strip_chars().str.to_lowercase() for name in names if file.rows[name].dtype == pl.String]
    rows = file.rows.with_row_index("row").with_columns(folded).filter(~pl.all_horizontal(pl.col(names).is_null()))
    groups = rows.group_by(names, maintain_order=True).agg(pl.col("truth").n_unique().alias("truths"), pl.col("row"))
    groups = groups.filter(pl.col("row").list.len() > 1)
    for conflict in (True, False):
        chosen = groups.filter((pl.col("truths") > 1) == conflict)
        if not chosen.height:
            continue
        items = int(chosen["row"].list.len().sum())
        how = "but different true labels" if conflict else "and the same true label"
        row_groups = [places.to_list() for places in chosen["row"].head(EXAMPLES)]
        examples = [_alike(file, places) for places in row_groups]
        groups_of = number_of("group", chosen.height)
        message = (
            f"{number_of('item', items)} with the same {columns_named(file.texts)} as another, {how} ({groups_of})"
        )
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
    example = file.example(rows[0])
    truths = file.rows["truth"].gather(rows).to_list()
    content = str(file.rows[f"{CONTENT}{file.texts[0]}"][rows[0]])
    short = content if len(content) <= _LONGEST else content[: _LONGEST - 1] + "…"
    labels = ", ".join(str(label) for label in dict.fromkeys(map(str, truths)))
    return Example(f"{example.text} and {number_of('other', len(rows) - 1)}: {quote(short)}: {labels}", example.line)


@check(
    "truth-in-column", "predictions", "warning",
    question="Does a further column tell the truth of every item, value by value?",
    advice="a model that has seen this column has seen the answer: leave it out of the features",
)  # fmt: skip
def truth_in_column(file: PredictionsFile) -> Iterator[CheckFinding]:
    """Columns with as many values as there are labels, one for each."""
    if file.is_multilabel or len(file.labels) < 2 or file.rows.height < 2 * len(file.labels):
        return
    for name in file.content:
        column = file.rows[f"{CONTENT}{name}"]
        if isinstance(column.dtype, pl.List | pl.Struct | pl.Object):
            continue
        pairs = file.rows.select("truth", value=column).drop_nulls().unique()
        values = pairs["value"].n_unique()
        if pairs.height == values == len(file.labels) and int(column.null_count()) == 0:
            examples = [Example(f"{quote(str(value))}: {quote(truth)}") for truth, value in pairs.sort("truth").rows()]
            message = f"the column {quote(name)} has one value for each label"
            yield finding("truth-in-column", "warning", file, message, examples=examples[:EXAMPLES])


#: The true label has a very low probability if it is at most this.
VERY_LOW = 0.1
#: Probabilities are believed if they are off by at most this on average (ECE), in so many items or more.
CALIBRATED, LEAST_ITEMS = 0.1, 50
#: So many items are listed, the most doubtful first, if there are more than expected.
LISTED = 10
_SURE = 2.326


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
    question="Do good probabilities contradict true labels, more often than they claim to be wrong (a warning)?",
    advice="look at the labels of these items, the first ones first: either they are wrong, or the system errs surely",
)  # fmt: skip
def label_noise(system: ExaminedPredictions) -> Iterator[CheckFinding]:
    """Items whose truth has a very low probability, where probabilities can be believed."""
    known = system.probabilities
    if known is None or system.of.is_multilabel:
        return
    labels, table = known
    place = {label: number for number, label in enumerate(labels)}
    codes = np.array([place.get(label, -1) for label in system.of.rows["truth"].to_list()])
    rows = np.flatnonzero(system.usable & (codes >= 0))
    if len(rows) < LEAST_ITEMS:
        return
    table, truth = np.clip(table[rows], 0.0, 1.0), codes[rows]
    off = float(parse_measure("ECE", "multiclass")(of="predicted").of(Probabilities(tuple(labels), truth, table))[0])
    if off > CALIBRATED:
        return
    doubts = doubtful(truth, table)
    count = len(doubts.rows)
    if not count:
        return
    more = count > doubts.expected + _SURE * doubts.spread
    severity: Severity = "warning" if more else "note"
    details, examples = [], []
    limit = LISTED if more else EXAMPLES
    for row, other in zip(doubts.rows[:limit].tolist(), doubts.rather[:limit].tolist(), strict=True):
        at, true_label = int(rows[row]), int(truth[row])
        probability, likelier = float(table[row, true_label]), float(table[row, other])
        comparison = f"{quote(labels[true_label])} has {significant(probability, 3)}, "
        comparison += f"{quote(labels[other])} {significant(likelier, 3)}"
        examples.append(system.of.example(at, comparison))
        details.append(
            {
                "item": system.of.example(at).text,
                "line": system.of.line(at),
                "truth": labels[true_label],
                "probability": probability,
            }
            | {"rather": labels[other], "its_probability": likelier}
        )
    message = (
        f"the truth of {number_of('item', count)} has a probability of {VERY_LOW:g} or less, and another label a usual "
        f"one; {number(doubts.expected, 1)} would be expected (ECE {number(off, 3)})"
    )
    yield finding("label-noise", severity, system, message, count, examples=examples, details=details)


@check(
    "truth-conflict", "together", "error",
    question="Have items another true label in one file than in another?",
    advice="find out which file is right: systems are compared on one truth",
)  # fmt: skip
def truth_conflict(systems: Sequence[ExaminedPredictions]) -> Iterator[CheckFinding]:
    """Each against the first."""
    first, place = systems[0], _called(systems[0], systems)
    name = place.system or place.file
    for other in systems[1:]:
        if other.of.is_multilabel != first.of.is_multilabel:
            message = f"of this and {name} only one has several labels an item"
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
        message = f"{number_of('item', wrong.height)} with another true label than in {name}"
        yield finding("truth-conflict", "error", _called(other, systems), message, wrong.height, examples=examples)


@check(
    "missing-items", "together", "warning",
    question="Does a file lack items that another one has, or can items not be paired: by ids, or row by row?",
    advice="let all systems predict the same items: `compare` stops here, and `{missing=drop}` leaves such items out",
)  # fmt: skip
def missing_items(systems: Sequence[ExaminedPredictions]) -> Iterator[CheckFinding]:
    """Each against all others, by id; without ids, against the first."""
    first, place = systems[0], _called(systems[0], systems)
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
            message = f"{number_of('item', len(lacking))} missing that another has"
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
