"""Predictions as the doctor looks at them: columns as they stand in a file, also where the strict reader stops."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from assay.core.errors import FormatError, ParameterError, listed, number_of, quote
from assay.files.named_columns import as_numbers, as_whole, named_columns, read_named_columns
from assay.files.predictions import ColumnPlan, StatedColumns, SystemColumns, plan
from assay.files.sources import Source, is_file
from assay.measures.counting.judgments import Floats, Mask
from assay.measures.counting.scored import Scored
from assay.tables import Predictions
from assay.tables.label_columns import FOLD_COLUMNS
from assay.tables.label_rules import distinct, positive_label
from assay.tables.named_columns import NamedColumns
from assay.tables.roles import ITEM, Where, find, is_frame
from assay.verbs.diagnosis.examination import EXAMPLES, Examination, Examined, Example, Overview

_TWO = 2
_LONGEST = 40
#: One-sided 1 % of the normal distribution.
SURE = 2.326
#: What further columns of a file are called in its table.
CONTENT = "content:"
#: Words with a blank between them, or letters of scripts that have none.
_WORDS = r"\p{L}\S*\s+\S|\p{Lo}{4}"


@dataclass(frozen=True, eq=False)
class PredictionsFile:
    """A file of predictions, or a table: what is true of each item, its id, and whatever else is known of it.

    `frame` has `truth` (text, or lists of text), `item_id` if there is one, and the further columns of the file, which
    are `content`. It is None if the file could not be read; `refusal` says why.
    """

    file: str
    frame: pl.DataFrame | None = None
    content: tuple[str, ...] = ()
    refusal: FormatError | None = None
    where: Where | None = None
    #: A file may hold several systems.
    system: None = None

    @property
    def rows(self) -> pl.DataFrame:
        """The table; empty if there is none."""
        return pl.DataFrame({"truth": []}, schema={"truth": pl.String}) if self.frame is None else self.frame

    @property
    def has_ids(self) -> bool:
        """True if items have ids."""
        return "item_id" in self.rows.columns

    @cached_property
    def is_multilabel(self) -> bool:
        """True if items have several labels."""
        return isinstance(self.rows["truth"].dtype, pl.List)

    @cached_property
    def support(self) -> pl.DataFrame:
        """The number of items of each `label`, the commonest first."""
        labels = self.rows["truth"].explode() if self.is_multilabel else self.rows["truth"]
        counts = labels.drop_nulls().value_counts(name="items").rename({"truth": "label"})
        return counts.sort(["items", "label"], descending=[True, False])

    @cached_property
    def labels(self) -> list[str]:
        """The labels that items have, in order."""
        return sorted(self.support["label"].to_list())

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The further columns that tell whether two items are the same: those of text; if there are none, all.

        A date or a number that each item has for itself makes no other item of a copy.
        """
        return tuple(name for name in self.content if _is_text(self.rows[f"{CONTENT}{name}"])) or self.content

    def line(self, row: int) -> int | None:
        """The line of a row, if it comes from a file."""
        return None if self.where is None else self.where(row)[1]

    def example(self, row: int, remark: str = "") -> Example:
        """An item as a case of something: its id, its line, and what there is to say of it."""
        item = f"item {quote(str(self.rows['item_id'][row]))}" if self.has_ids else f"row {row + 1:,}"
        return Example(f"{item}: {remark}" if remark else item, self.line(row))

    def examples(self, rows: pl.Series) -> list[Example]:
        """The first of the items that something is true of."""
        return [self.example(row) for row in rows.arg_true().head(EXAMPLES).to_list()]

    def cell(self, row: int, column: str) -> str:
        """The text of a further column, quoted, and cut where it is long."""
        text = str(self.rows[f"{CONTENT}{column}"][row])
        return quote(text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…")


@dataclass(frozen=True, eq=False)
class ExaminedPredictions:
    """One system's predictions: `prediction` (text, or lists of text) and scores, null where there is no number."""

    of: PredictionsFile
    name: str
    prediction: pl.Series | None = None
    score: pl.Series | None = None
    class_scores: Mapping[str, pl.Series] | None = None
    pos_label: Any = None

    @property
    def system(self) -> str:
        """The name of the classifier."""
        return self.name

    @property
    def file(self) -> str:
        """The file that it comes from."""
        return self.of.file

    @cached_property
    def positive(self) -> str | None:
        """The positive label of two: as said, as usual, or the one that is predicted where scores are higher."""
        labels = sorted({*self.of.labels, *(distinct(self.prediction) if self.prediction is not None else ())})
        if self.of.is_multilabel or len(labels) > _TWO or self.score is None:
            return None
        with suppress(ParameterError):
            return str(positive_label(labels, None if self.pos_label is None else str(self.pos_label)))
        if self.pos_label is not None or self.prediction is None or len(labels) != _TWO:
            return None
        means = [self.score.filter(self.prediction == label).mean() for label in labels]
        low, high = (-np.inf if mean is None else float(mean) for mean in means)  # type: ignore[arg-type]  # of numbers
        return str(labels[int(high > low)])

    @cached_property
    def has_scores(self) -> pl.Series:
        """A mask of the items that have all scores, as finite numbers."""
        held = pl.Series(np.ones(self.of.rows.height, dtype=np.bool_))
        for column in (*([] if self.score is None else [self.score]), *(self.class_scores or {}).values()):
            held &= column.fill_null(np.nan).is_finite()
        return held

    @cached_property
    def usable(self) -> Mask:
        """Items with a true label and all scores."""
        return np.array(self.of.rows["truth"].is_not_null() & self.has_scores, dtype=np.bool_)

    @cached_property
    def scored(self) -> Scored | None:
        """The scores of positive and of negative items; None unless there are two labels, and one is positive."""
        if self.positive is None or self.score is None or not self.usable.any():
            return None
        keep = pl.Series(self.usable)
        truth = (self.of.rows["truth"] == self.positive).filter(keep)
        return Scored.from_scores(truth, self.score.filter(keep), pos_label=True)

    @cached_property
    def probabilities(self) -> tuple[list[str], Floats] | None:
        """Labels and the probability of each (column) for each item (row); None if scores are none."""
        if self.score is not None and self.positive is not None:
            others = [label for label in self.of.labels if label != self.positive]
            share = self.score.fill_null(np.nan).to_numpy()
            labels = [self.positive, *others[:1]]
            table = np.column_stack([share, 1 - share][: 1 + len(others[:1])])
        elif self.class_scores:
            labels = list(self.class_scores)
            table = np.column_stack([column.fill_null(np.nan).to_numpy() for column in self.class_scores.values()])
        else:
            return None
        held = table[self.usable]
        sums = held.sum(axis=1)
        fits = len(labels) >= _TWO and len(held) and (held >= 0).all() and (held <= 1).all()
        return (labels, table) if fits and (np.abs(sums - 1) <= 0.01).all() else None


def open_predictions(
    source_input: Any, names: StatedColumns, pos_label: Any = None, list_separator: str | None = None
) -> tuple[PredictionsFile, list[ExaminedPredictions]]:
    """Open predictions: a file, a data frame, or a table that was read already; or a dict of one, by the system's name.

    >>> file, [system] = open_predictions(Predictions.of(["a", "b"], ["a", "a"], name="old"), StatedColumns())
    >>> file.labels, system.name
    (['a', 'b'], 'old')
    """
    name = None
    if isinstance(source_input, Mapping) and len(source_input) == 1:
        [(name, source_input)] = source_input.items()
    if isinstance(source_input, Predictions):
        return _of_table(source_input if name is None else replace(source_input, name=name), pos_label)
    if not (is_file(source_input) or is_frame(source_input)):
        raise ParameterError(f"doctor takes files of predictions, or Predictions, not {type(source_input).__name__}")
    source = Source.of(source_input) if is_file(source_input) else source_input
    path = source.name if isinstance(source, Source) else "predictions"
    try:
        table = named_columns(source, "predictions")

        def occurring(columns: Iterable[str]) -> set[str]:
            return {str(label) for column in columns for label in distinct(_text(table.frame[column], list_separator))}

        plan_of_columns = plan(path, table.frame.columns, names, occurring)
        labels = [plan_of_columns.truth, *(system.prediction for system in plan_of_columns.systems)]
        text = [_text(table.frame[column], list_separator) for column in labels if column is not None]
        # Labels that are whole numbers are told as the strict reader reads them: 1.0, true and 1 are one label.
        text = [column if column.dtype != pl.Int64 else column.cast(pl.String) for column in as_whole(text)]
        table = table._replace(frame=table.frame.with_columns(text))
        return _of_columns(table, plan_of_columns, name or table.stem, pos_label)
    except FormatError as problem:
        return PredictionsFile(path, refusal=problem), []


def _of_columns(
    table: NamedColumns, layout: ColumnPlan, stem: str, pos_label: Any
) -> tuple[PredictionsFile, list[ExaminedPredictions]]:
    used = {layout.truth, layout.item, layout.weight, layout.system, *layout.indicators.values()}
    for columns in layout.systems:
        used |= {columns.prediction, columns.score, *columns.indicators.values(), *columns.class_scores.values()}
    content = tuple(name for name in table.frame.columns if name not in {*used, *FOLD_COLUMNS})
    files, systems = [], []
    for name, part in _parts(table, layout.system):
        truth = _indicated(part, layout.indicators) if layout.truth is None else _text(part.frame[layout.truth])
        ids = [] if layout.item is None else [_text(part.frame[layout.item]).alias("item_id")]
        kept = [part.frame[column].alias(f"{CONTENT}{column}") for column in content]
        frame = pl.DataFrame([truth.alias("truth"), *ids, *kept])
        files.append(PredictionsFile(table.path, frame, content, where=part.where))
        for columns in layout.systems:
            called = " ".join(filter(None, (name, columns.name))) or stem
            systems.append(_system(files[-1], part, columns, called, pos_label))
    return files[0], systems


def _parts(table: NamedColumns, column: str | None) -> list[tuple[str | None, NamedColumns]]:
    """The rows of each system, if a column names it; else all rows."""
    if column is None:
        return [(None, table)]
    names = _text(table.frame[column]).fill_null("(none)")
    each = [(name, (names == name).arg_true()) for name in names.unique(maintain_order=True).to_list()]
    return [(name, table._replace(frame=table.frame[rows], where=_moved(table.where, rows))) for name, rows in each]


def _moved(where: Where, rows: pl.Series) -> Where:
    return lambda row: where(int(rows[row]))


def _system(
    file: PredictionsFile, table: NamedColumns, system: SystemColumns, name: str, pos_label: Any
) -> ExaminedPredictions:
    prediction = None
    if system.indicators:
        prediction = _indicated(table, system.indicators)
    elif system.prediction is not None:
        prediction = _text(table.frame[system.prediction])
    score = None if system.score is None else as_numbers(table.frame[system.score])
    each = {label: as_numbers(table.frame[column]) for label, column in system.class_scores.items()}
    return ExaminedPredictions(file, name, prediction, score, each or None, pos_label)


def _of_table(predictions: Predictions, pos_label: Any) -> tuple[PredictionsFile, list[ExaminedPredictions]]:
    columns = [_text(predictions.truth).alias("truth"), *([predictions.item_id] if predictions.has_ids else [])]
    file = PredictionsFile(
        predictions.origin if predictions.origin != "in memory" else predictions.name, pl.DataFrame(columns)
    )
    prediction = None if predictions.prediction is None else _text(predictions.prediction)
    each = {str(label): values for label, values in predictions.class_scores.items()}
    chosen = predictions.pos_label if pos_label is None else pos_label
    return file, [ExaminedPredictions(file, predictions.name, prediction, predictions.score, each or None, chosen)]


def _text(values: pl.Series, list_separator: str | None = None) -> pl.Series:
    """Labels as text, null where a cell is empty; lists stay lists, and a separator makes lists of cells."""
    if isinstance(values.dtype, pl.List):
        return values.cast(pl.List(pl.String))
    if values.dtype == pl.Object:
        values = pl.Series(values.name, [None if value is None else str(value) for value in values], dtype=pl.String)
    text = values.cast(pl.String)
    text = text.set(text.str.strip_chars().str.len_bytes() == 0, None)
    if not list_separator:
        return text
    return text.str.split(list_separator).list.eval(pl.element().str.strip_chars())


def _is_text(values: pl.Series) -> bool:
    """True if most cells hold words, and not the same few again and again, as names of places or of sources do."""
    held = values.drop_nulls()
    if held.dtype != pl.String or 3 * held.n_unique() < len(held):
        return False
    return 2 * int(held.str.contains(_WORDS).sum()) > len(held)


def _indicated(table: NamedColumns, columns: Mapping[str, str]) -> pl.Series:
    """Lists of labels from columns of 0 and 1, label by label."""
    has = {label: as_numbers(table.frame[column]).fill_null(0.0) > 0 for label, column in columns.items()}
    rows = zip(*(mask.to_list() for mask in has.values()), strict=True)
    lists = [[label for label, is_set in zip(has, row, strict=True) if is_set] for row in rows]
    return pl.Series(lists, dtype=pl.List(pl.String))


_TABLE = "a table with named columns"


@dataclass(frozen=True, eq=False)
class Trained:
    """A file of predictions beside the items that the system was trained on."""

    file: PredictionsFile
    name: str
    training: pl.DataFrame

    @cached_property
    def columns(self) -> list[str]:
        """Further columns that both have, by name: those of text, or all if there are none."""
        return [name for name in self.file.texts if name in self.training.columns] or [
            name for name in self.file.content if name in self.training.columns
        ]

    @cached_property
    def ids(self) -> pl.Series | None:
        """The ids of the items that were trained on, if they have some."""
        column = find(ITEM, [name for name in self.training.columns if name])
        return None if column is None else _joined(self.training[column])


def open_training(file: PredictionsFile, training: Any) -> Trained:
    """Read the items that a system was trained on: a file, or a data frame in which something can be looked up.

    >>> test = PredictionsFile("test.csv", pl.DataFrame({"truth": ["a"], "item_id": ["2"]}))
    >>> open_training(test, pl.DataFrame({"id": [1, 2]})).ids.to_list()
    ['1', '2']
    """
    if isinstance(training, pl.DataFrame):
        trained = Trained(file, "train", training)
    elif is_file(training):
        source = Source.of(training)
        trained = Trained(file, source.name, read_named_columns(source, _TABLE).frame)
    else:
        raise ParameterError(f"train is a file or a Polars data frame, not {type(training).__name__}")
    if not trained.columns and not (trained.ids is not None and file.has_ids):
        expected = f"ids, or further columns of {file.file}"
        raise FormatError(trained.name, 1, expected=expected, got=", ".join(trained.training.columns))
    return trained


def _joined(values: pl.Series) -> pl.Series:
    is_list = isinstance(values.dtype, pl.List)
    return values.cast(pl.List(pl.String)).list.join(" ") if is_list else values.cast(pl.String)


class LabelsExamination(Examination):
    """A file of predictions, one beside what was trained on, systems, their scores and probabilities, all files.

    Further options: `column_names`: which columns hold what; `list_separator`: what stands between several labels in a
    cell. `{name: file}` as an input names a file's system.
    """

    modules = tuple(f"assay.subjects.labels.checks.{name}" for name in ("columns", "items"))
    options = ("train", "pos_label")

    def things(self) -> Iterator[Examined]:
        """Each file, with its systems, then all files together."""
        if not self.inputs:
            raise ParameterError("there is no file of predictions to look at")
        self.files: list[PredictionsFile] = []
        self.systems: list[ExaminedPredictions] = []
        names = self.stated.get("column_names") or StatedColumns()
        train = self.stated.get("train")
        for path in self.inputs:
            separator = self.stated.get("list_separator")
            file, systems = open_predictions(path, names, self.stated.get("pos_label"), separator)
            self.watch(file.file)
            self.files.append(file)
            self.systems += systems
            yield Examined(file, ("predictions",))
            if file.frame is not None and train is not None:
                yield Examined(open_training(file, train), ("training",))
            for system in systems:
                yield Examined(system, ("system",))
                if system.scored is not None:
                    yield Examined(system, ("scored",))
                if system.probabilities is not None:
                    yield Examined(system, ("probabilities",))
        tables = list({id(system.of): system for system in reversed(self.systems)}.values())[::-1]
        if len(tables) > 1:
            yield Examined(tables, ("together",))

    def overview(self) -> Overview:
        """The files, and the systems in them."""
        files, systems = tuple(file.file for file in self.files), tuple(system.name for system in self.systems)
        title = f"{listed(files)}, {number_of('system', len(systems))}"
        return Overview(title, {"predictions": [*files], "systems": [*systems]}, len(systems), systems=systems)
