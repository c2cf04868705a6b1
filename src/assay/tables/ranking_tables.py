"""The tables of a search evaluation: what a system returned, what assessors judged, topics, documents, and scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Literal, Protocol, Self, TypeAlias, TypeVar, cast, get_args

import polars as pl

from assay.core.errors import FormatError, InputError, ParameterError, quote
from assay.core.evaluation_options import Undefined
from assay.core.registry import load
from assay.tables.roles import Where, refuse_rows, roles_of_frame, turned_round
from assay.tables.shapes import FlatDicts, InMemory, rows_of

T = TypeVar("T")

_BATCH_ROWS = 1 << 18
#: The kind of a warning that grades may stand in another column.
MISPLACED = "misplaced grades"


class Batches(Protocol):
    """A run that can be gone through in pieces, more than once: a table in memory, or a file."""

    @property
    def name(self) -> str:
        """The name of the run."""

    @property
    def origin(self) -> str:
        """The origin of the run, for messages: a file's path, or the name."""

    @property
    def format(self) -> str:
        """The format that it is in, for messages."""

    def batches(self, prepare: Callable[[pl.DataFrame], T], rank_by: str = "score") -> Iterator[T]:
        """Give `prepare` each piece (query_id, doc_id, score, in input order), and yield what it returns."""

    def read(self) -> Run:
        """Read the whole table into memory."""

    def whereabouts(self, query_id: str, doc_id: str) -> tuple[str, int | None]:
        """Tell the file and the line where this document comes up for the second time."""


class _Rows:
    """Rows of queries and documents, with a number each."""

    #: What the number is called.
    value: ClassVar[str]

    def __init__(self, rows: pl.DataFrame | FlatDicts, name: str, format: str) -> None:
        self.name, self.format = name, format
        #: The rows as they came, if they came in dicts: whoever can do with those need not make columns of text.
        self.dicts = rows if isinstance(rows, FlatDicts) else None
        if isinstance(rows, pl.DataFrame):
            self.frame = rows

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The rows, in the order in which they came."""
        return cast("FlatDicts", self.dicts).frame(self.value)


class Run(_Rows):
    """The results of a system: `query_id, doc_id, score` and, if it was given, `rank`.

    >>> Run.of({"q1": {"d1": 2.0, "d2": 1.5}}).frame.rows()
    [('q1', 'd1', 2.0), ('q1', 'd2', 1.5)]
    """

    subject: ClassVar[str] = "ranking"
    value = "score"

    def __init__(
        self,
        rows: pl.DataFrame | FlatDicts,
        name: str = "run",
        format: str = "in memory",
        metadata: str = "",
        *,
        where: Where | None = None,
        origin: str | None = None,
        warnings: tuple[str, ...] = (),
    ) -> None:
        super().__init__(rows, name, format)
        #: What is said of its columns: that lower scores are better, if they are distances.
        self.warnings = warnings
        #: Where the run comes from, for messages: a file's path, or the name.
        self.origin = name if origin is None else origin
        #: Finds the line of a row.
        self.where = where
        #: What the run says about itself: YAML, as an `ir_metadata` header has it.
        self.metadata = metadata

    @classmethod
    def of(cls, data: InMemory, name: str = "run") -> Run:
        """Take a run from dicts of dicts, a data frame of any library, or `(query_id, doc_id, score)` tuples."""
        if isinstance(data, Run):
            return data
        return cls(rows_of(data, "score", name), name, warnings=turned_round(name, roles_of_frame("run", data)))

    @property
    def is_turned(self) -> bool:
        """True if the scores are distances, with their sign turned round."""
        return bool(self.warnings)

    def read(self) -> Run:
        """The run itself, which is in memory."""
        return self

    def batches(self, prepare: Callable[[pl.DataFrame], T], rank_by: str = "score") -> Iterator[T]:
        """Go through the rows in pieces; with `rank_by="rank"` the score is the negative rank."""
        frame = self.frame
        if rank_by == "rank":
            if "rank" not in frame.columns:
                raise InputError(
                    f"{self.name}: rank_by='rank' needs a column `rank` of numbers, there is {', '.join(frame.columns)}"
                )
            frame = frame.with_columns(score=-pl.col("rank").cast(pl.Float64))
        for start in range(0, frame.height, _BATCH_ROWS):
            yield prepare(frame.slice(start, _BATCH_ROWS))

    def whereabouts(self, query_id: str, doc_id: str) -> tuple[str, int | None]:
        """Tell the row (from 1), or the line of the file, where this document comes up for the second time."""
        same = (self.frame["query_id"] == query_id) & (self.frame["doc_id"] == doc_id)
        row = int(same.arg_true()[1])
        return (self.origin, row + 1) if self.where is None else self.where(row)


class Qrels(_Rows):
    """The judgments of assessors: `query_id, doc_id, relevance`, and `judge` where several judged the same document.

    Relevance is a number: whole grades or fractions. A negative one means: in the pool, but not judged. `release`: the
    frozen release of a judging project that they are, with the start of its SHA-256, as in `bikes@3:01bccbc009cf`.

    >>> Qrels.of([("q1", "d1", 1), ("q1", "d2", 0)]).topics
    ['q1']
    """

    value = "relevance"

    def __init__(
        self,
        rows: pl.DataFrame | FlatDicts,
        name: str = "qrels",
        format: str = "in memory",
        warnings: tuple[str, ...] = (),
        release: str = "",
    ) -> None:
        super().__init__(rows, name, format)
        self.warnings, self.release = warnings, release

    @classmethod
    def of(cls, data: InMemory, name: str = "qrels") -> Qrels:
        """Take judgments from dicts of dicts, any data frame, or `(query_id, doc_id, relevance)` tuples."""
        if isinstance(data, Qrels):
            return data
        rows = rows_of(data, "relevance", name)
        # A dict whose keys are text cannot hold a pair twice.
        if isinstance(rows, FlatDicts):
            return cls(rows, name)
        return cls.settled(rows.drop("iteration", strict=False), name)

    @classmethod
    def settled(cls, frame: pl.DataFrame, name: str, format: str = "in memory", where: Where | None = None) -> Qrels:
        """Collapse rows given twice; refuse rows that contradict one another."""
        keys = [name for name in ("query_id", "doc_id", "judge") if name in frame.columns]
        if frame.n_unique(keys) == frame.height:
            return cls(frame, name, format)
        unique = frame.unique(maintain_order=True)
        if unique.n_unique(keys) < unique.height:
            first = unique.filter(unique.select(keys).is_duplicated()).row(0, named=True)
            wanted = {key: first[key] for key in keys}
            rows = frame.with_row_index("row").filter(*(pl.col(key) == value for key, value in wanted.items()))
            grades = rows["relevance"].unique(maintain_order=True).to_list()
            path, line = where(rows.filter(pl.col("relevance") == grades[1])["row"][0]) if where else (name, None)
            by = f" by judge {quote(wanted['judge'])}" if "judge" in wanted else ""
            pair = f"document {quote(wanted['doc_id'])} for query {quote(wanted['query_id'])}"
            raise FormatError(
                path,
                line,
                expected=f"one judgment of {pair}{by}",
                got=" and ".join(f"{grade:g}" for grade in grades),
            )
        repeated = frame.height - unique.height
        warnings = (f"{name}: {repeated} judgments given twice alike count once",) if repeated else ()
        return cls(unique, name, format, warnings)

    @property
    def topics(self) -> list[str]:
        """The query ids, in the order of their first judgment."""
        return self.frame["query_id"].unique(maintain_order=True).to_list()

    @property
    def judges(self) -> list[str]:
        """The judges, if the table names them."""
        if self.dicts is not None or "judge" not in self.frame.columns:
            return []
        return self.frame["judge"].unique().sort().to_list()

    def by_judge(self, judge: str) -> Qrels:
        """Keep one judge's judgments."""
        if judge not in self.judges:
            if not self.judges:
                raise InputError(
                    f"{self.name}: expected judgments by several judges, got those of one; leave judge out"
                )
            known = ", ".join(map(repr, self.judges[:10]))
            raise InputError(f"{self.name}: expected a judge of {known}, got {judge!r}")
        frame = self.frame.filter(pl.col("judge") == judge).drop("judge")
        return Qrels(frame, self.name, self.format, self.warnings, self.release)


class _Texts:
    """Rows of text under an id that comes once."""

    key = "id"
    columns: tuple[str, ...] = ()
    #: The column that a dict of texts holds.
    text = "text"

    def __init__(
        self,
        frame: pl.DataFrame,
        name: str,
        format: str,
        warnings: tuple[str, ...] = (),
        where: Where | None = None,
    ) -> None:
        self.name, self.format, self.warnings = name, format, warnings
        if self.key not in frame.columns:
            raise InputError(f"{name}: expected a column {self.key}, got {', '.join(frame.columns) or 'none'}")
        # What is not text and has none, such as a list, is left out; the table's own columns have to be text.
        held = [column for column in frame.columns if _is_text(frame[column])]
        if odd := [column for column in (self.key, *self.columns) if column in set(frame.columns) - set(held)]:
            raise FormatError(name, None, expected=f"text in column {odd[0]}", got=str(frame[odd[0]].dtype))
        missing = [column for column in self.columns if column not in held]
        frame = frame.select(held).with_columns(pl.lit("").alias(column) for column in missing)
        rest = [column for column in frame.columns if column not in {self.key, *self.columns}]
        wanted = [self.key, *self.columns, *rest]
        self.frame = frame.select(pl.col(column).cast(pl.String).fill_null("") for column in wanted)
        self._check_ids(where or (lambda row: (f"{name}: row {row + 1}", None)))

    @classmethod
    def of(cls, data: dict[str, str] | pl.DataFrame | Any, name: str | None = None) -> Self:
        """Take them from a dict of ids to texts, or a frame."""
        frame = pl.DataFrame({cls.key: list(data), cls.text: list(data.values())}) if isinstance(data, dict) else data
        return cls(pl.DataFrame(frame), name or cls.__name__.lower(), "in memory")

    def _check_ids(self, where: Where) -> None:
        """Refuse a row without an id, and the second row under one id."""
        ids = self.frame[self.key]
        refuse_rows(ids == "", where, f"a {self.key}")
        refuse_rows(~ids.is_first_distinct(), where, f"each {self.key} once", ids)

    def __len__(self) -> int:
        return self.frame.height


class Topics(_Texts):
    """The information needs of users: `query_id, title, description, narrative`, and other columns of the file.

    >>> Topics.of({"1": "bitter green tea"}).frame["title"].to_list()
    ['bitter green tea']
    """

    key = "query_id"
    columns = ("title", "description", "narrative")
    text = "title"


class Documents(_Texts):
    """The documents of a collection: `doc_id, title, text`, and other columns of the file.

    >>> Documents.of({"d1": "Steep it for three minutes."}).frame.rows()
    [('d1', '', 'Steep it for three minutes.')]
    """

    key = "doc_id"
    columns = ("title", "text")


def _is_text(values: pl.Series) -> bool:
    """Text, or what has one way to be written as text."""
    return not (values.dtype.is_nested() or values.dtype.base_type() in {pl.Object, pl.Binary, pl.Duration})


#: Which way a measure is good. `neither`: it describes, as a count of topics does; `unknown`: nobody has said.
Direction: TypeAlias = Literal["higher", "lower", "neither", "unknown"]


class UnitNumbers(Protocol):
    """The numbers of a measure: one per unit, NaN where there is none, and the reason why."""

    @property
    def values(self) -> Any:
        """The numbers."""

    def reasons(self) -> list[str | None]:
        """Reasons why there is no number, None where there is one."""


@dataclass(frozen=True, eq=False)
class Scores:
    """One number per system, measure and unit; where there is none, `undefined` says why.

    Columns: `system, measure, unit_kind, unit, value, undefined`.

    >>> from assay import evaluate
    >>> evaluate({"q1": {"d1": 1}}, {"q1": {"d1": 0.9}}, "AP").scores.of("run", "AP").rows()
    [('run', 'AP', 'query', 'q1', 1.0, None)]

    `directions` says by measure whether `higher` or `lower` is better; scores that Assay computes bring theirs along. A
    measure that is not in it has the direction that its name has in Assay, or none.

    `undefined` says what a value that is missing does in a comparison: it counts as its measure declares, or leaves its
    unit out (`skip`), as in a file, which does not say why there is none.
    """

    subject: ClassVar[str] = "scores"

    frame: pl.DataFrame
    directions: Mapping[str, Direction] = field(default_factory=dict)
    undefined: Undefined = "counted_as"

    SCHEMA = pl.Schema(
        {
            "system": pl.String,
            "measure": pl.String,
            "unit_kind": pl.String,
            "unit": pl.String,
            "value": pl.Float64,
            "undefined": pl.String,
        }
    )

    def __post_init__(self) -> None:
        if self.frame.schema != self.SCHEMA:
            raise InputError(f"scores: expected the columns {dict(self.SCHEMA)}, got {dict(self.frame.schema)}")
        for measure, direction in self.directions.items():
            if direction not in get_args(Direction):
                known = ", ".join(get_args(Direction))
                raise ParameterError(f"scores: the direction of {measure} is one of {known}, not {direction!r}")

    @staticmethod
    def rows(system: str, measure: object, unit_kind: str, units: Sequence[str], numbers: UnitNumbers) -> pl.DataFrame:
        """The rows of one system under one measure."""
        held = {
            "unit": pl.Series(units, dtype=pl.String),
            "value": pl.Series(numbers.values, dtype=pl.Float64).fill_nan(None),
            "undefined": pl.Series(numbers.reasons(), dtype=pl.String),
        }
        whose = {"system": pl.lit(system), "measure": pl.lit(str(measure)), "unit_kind": pl.lit(unit_kind)}
        return pl.DataFrame(held).select(**whose, unit="unit", value="value", undefined="undefined")

    def of(self, system: str, measure: str) -> pl.DataFrame:
        """The units of one system under one measure, by any of its names."""
        names = self.frame["measure"].unique(maintain_order=True).to_list()
        measure = str(measure) if str(measure) in names else load("assay.measures.parser:same_name")(measure, names)
        for column, wanted in (("system", system), ("measure", measure)):
            known = self.frame[column].unique(maintain_order=True).to_list()
            if wanted not in known:
                raise InputError(f"scores: expected a {column} of {', '.join(known)}, got {wanted!r}")
        return self.frame.filter(pl.col("system") == system, pl.col("measure") == measure)
