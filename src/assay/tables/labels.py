"""`Labels`: what several judges said of the same items, one row per label; who they are is never lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, TypeAlias, get_args

import polars as pl

from assay.core.domains import Choice
from assay.core.errors import FormatError, InputError, argument, number_of
from assay.tables.roles import Where, refuse_rows

_IN_MEMORY = "in memory"
#: What holds where a judge labels an item again, and differently.
Repeated: TypeAlias = Literal["error", "first", "last"]
#: What a table of labels has at least, and what it may have: the topic, seconds of work, when, the right answer, and
#: what the judge wrote.
NEEDED = ("item_id", "judge", "label")
OPTIONAL = ("query_id", "seconds", "time", "gold", "note")
#: A label is smaller than this.
_BITS_64 = 2.0**63
_KEY = ("query_id", "item_id", "judge")


def item_names(topic: str, item: str) -> pl.Expr:
    """Names of items with their topics before them; topics of several words in quotes, so that no two are called alike.

    >>> pl.DataFrame({"query": ["7", "iced tea"], "doc": ["tea d1", "d1"]}).select(item_names("query", "doc")).rows()
    [('7 tea d1',), ('"iced tea" d1',)]
    """
    apart = pl.col(topic).str.contains(r'^"|[ ]')
    quoted = pl.format('"{}"', pl.col(topic).str.replace_all('"', '""', literal=True))
    return pl.format("{} {}", pl.when(apart).then(quoted).otherwise(pl.col(topic)), item).alias("item")


@dataclass(frozen=True, eq=False)
class Labels:
    """One row per label: `item_id`, `judge`, `label`; where known `query_id`, `seconds`, `time`, `gold` and `note`.

    With topics, an item is a document for a topic. Labels keep their type: numbers, or text. A judge labels an item
    once; a label that comes again is dropped and counted, and is an error if it differs, unless told otherwise.

    >>> labels = Labels.of([("d1", "ana", 1), ("d1", "ben", 0), ("d2", "ana", 1)])
    >>> labels
    <Labels 'labels': 3 labels of 2 items by 2 judges>
    """

    subject: ClassVar[str] = "judges"

    frame: pl.DataFrame
    name: str = "labels"
    #: A file's path, for messages.
    origin: str = _IN_MEMORY
    remarks: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        rows: Any,
        *,
        name: str = "labels",
        origin: str = _IN_MEMORY,
        where: Where | None = None,
        repeated: Repeated = "error",
    ) -> Labels:
        """Take rows of item, judge and label, or a frame with columns of these names.

        `repeated`: what holds where a judge labels an item more than once, and not alike.
        """
        Choice(get_args(Repeated)).check("repeated", repeated)
        if isinstance(rows, Labels):
            return rows
        if isinstance(rows, pl.DataFrame):
            frame = rows
        else:
            try:
                frame = pl.DataFrame(rows, schema=list(NEEDED), orient="row", infer_schema_length=None)
            except (pl.exceptions.PolarsError, TypeError, ValueError) as problem:
                raise InputError(
                    f"{origin}: expected rows of item, judge and label, got others: {problem}"
                ) from problem
        if not set(NEEDED) <= set(frame.columns):
            raise InputError(f"{origin}: expected the columns {', '.join(NEEDED)}, got {', '.join(frame.columns)}")
        kept = [column for column in (*OPTIONAL[:1], *NEEDED, *OPTIONAL[1:]) if column in frame.columns]
        frame = frame.select(kept).with_columns(
            pl.col(column).cast(pl.String) for column in ("query_id", "item_id", "judge") if column in kept
        )
        if frame["label"].dtype.is_float():
            frame = frame.with_columns(pl.col("label").fill_nan(None))
        elif frame["label"].dtype == pl.Int128:  # a whole number beyond 64 bits
            frame = frame.with_columns(pl.col("label").cast(pl.Float64))
        elif frame["label"].dtype == pl.Boolean:  # text, as in files
            frame = frame.with_columns(pl.col("label").cast(pl.String))
        labelled = frame["label"].is_not_null().arg_true()
        frame = frame.filter(pl.col("label").is_not_null())

        def given_row(row: int) -> tuple[str, int | None]:
            return f"{origin}: row {int(labelled[row]) + 1}", None

        if frame["label"].dtype.is_float():
            beyond = ~frame["label"].is_between(-_BITS_64, _BITS_64, closed="none")
            refuse_rows(beyond, where or given_row, "a number of 64 bits as label", frame["label"])
        for column in set(_KEY) & set(kept):
            refuse_rows(frame[column].is_null(), where or given_row, f"text or a number as {column}")
        return cls(frame, name, origin)._once(where or given_row, repeated)

    def _once(self, where: Where, repeated: Repeated) -> Labels:
        """One label per judge and item; those that were dropped are counted."""
        key = [column for column in _KEY if column in self.frame.columns]
        again = self.frame.filter(pl.struct(key).is_duplicated()).height
        if not again:
            return self
        differing = self.frame.unique([*key, "label"], keep="first", maintain_order=True)
        differing = differing.filter(pl.struct(key).is_duplicated())
        if differing.height and repeated == "error":
            at = differing.row(0, named=True)
            other = differing["label"].to_list()
            rows = self.frame.with_row_index("row").filter(pl.all_horizontal(pl.col(k) == at[k] for k in key))
            path, line = where(int(rows.filter(pl.col("label") != at["label"])["row"][0]))
            item = " ".join(at[k] for k in key if k != "judge")
            raise FormatError(
                path,
                line,
                expected=f"one label of {item!r} by {at['judge']!r}, which is {at['label']!r} above",
                got=str(next(label for label in other if label != at["label"])),
                note=f"{argument('repeated')} can keep the first or the last",
            )
        keep: Literal["first", "last"] = "last" if repeated == "last" else "first"
        frame = self.frame.unique(key, keep=keep, maintain_order=True)
        dropped = number_of("label", self.frame.height - frame.height)
        differ = f", {differing.select(key).n_unique():,} of them with a different label" if differing.height else ""
        remark = f"{dropped} repeated{differ}: the {keep} one counts"
        return replace(self, frame=frame, remarks=(*self.remarks, remark))

    def __len__(self) -> int:
        return self.frame.height

    def __repr__(self) -> str:
        labels, items, judges = (number_of(*each) for each in zip(("label", "item", "judge"), self.sizes, strict=True))
        return f"<Labels {self.name!r}: {labels} of {items} by {judges}>"

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Numbers of labels, items and judges."""
        return len(self), self.items.n_unique(), self.frame["judge"].n_unique()

    @property
    def has_topics(self) -> bool:
        """True if items are documents for topics."""
        return "query_id" in self.frame.columns

    @property
    def items(self) -> pl.Series:
        """The name of each row's item: its id, with the topic before it where there are topics."""
        if not self.has_topics:
            return self.frame["item_id"].alias("item")
        return self.frame.select(item_names("query_id", "item_id")).to_series()

    @property
    def judges(self) -> tuple[str, ...]:
        """The judges, in the order in which they first come."""
        return tuple(self.frame["judge"].unique(maintain_order=True))

    def only(self, judges: Sequence[str]) -> Labels:
        """The labels of some judges.

        >>> Labels.of([("d1", "ana", 1), ("d1", "ben", 0)]).only(["ben"]).judges
        ('ben',)
        """
        return replace(self, frame=self.frame.filter(pl.col("judge").is_in(list(judges))))
