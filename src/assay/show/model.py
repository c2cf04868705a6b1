"""The document model: what every result shows itself as, whatever form it is then written in. Plain frozen data."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import polars as pl

from assay.core.errors import number_of

if TYPE_CHECKING:
    from assay.show.figure import Axis, Figure  # a table on a terminal does not wait for it

Kind: TypeAlias = Literal[
    "text", "count", "number", "percent", "interval", "bracketed", "estimate", "range", "p", "verdict", "bar", "link",
    "code", "flag", "short", "chosen", "significant", "words", "drawn",
]  # fmt: skip
#: How a text is meant: a paragraph is set apart from others, a claim stands on top, advice and warnings beside it, dim
#: text explains what is above it, fine print says how it was made; what is to be copied has a button.
Style: TypeAlias = Literal[
    "plain", "paragraph", "claim", "lead", "advice", "warning", "dim", "fine", "code", "copy", "list"
]
#: How a verdict is meant: for the system, against it, as good as the baseline, or open.
Tone: TypeAlias = Literal["good", "bad", "even", "open"]


#: Of more rows than this, a page has only so many from both ends.
LONGEST, ENDS = 1000, 100


def shown_rows(rows: int) -> list[int]:
    """The places of the rows that a page shows of a table of so many: all, or those at both ends.

    >>> shown_rows(3), len(shown_rows(5000)), shown_rows(5000)[100]
    ([0, 1, 2], 200, 4900)
    """
    return list(range(rows)) if rows <= LONGEST else [*range(ENDS), *range(rows - ENDS, rows)]


@dataclass(frozen=True)
class Column:
    """The look of a column of a table's frame; `title` is its name unless given.

    | kind | the values are | shown as |
    |---|---|---|
    | text, code | strings | they are |
    | words | strings among numbers | they are |
    | link | strings; `link` names the column with the places that they lead to | they are |
    | count | numbers of things, or weights | 1,200 |
    | number | numbers | 0.5000, with `least` decimals or more |
    | short | numbers such as grades | 3, 0.25 |
    | chosen | numbers that somebody chose, such as a margin | 0.01 |
    | significant | numbers of any size | 0.02503, 5.767e-05 |
    | percent | shares | 12.5% |
    | bar | shares | 12.5%, and a bar where one can be drawn |
    | interval | `ends` name the columns of both ends | 0.4000 to 0.6000 |
    | bracketed | the same | [0.4000, 0.6000] |
    | estimate | numbers; `ends` name the columns of both ends | 0.500 [0.400, 0.600] |
    | range | numbers; `ends` name the columns of the smallest and the largest | 0.5000 (0.4000 to 0.6000) |
    | p | p-values | 0.0400, < 0.0001 |
    | verdict | words of verdicts | better, with its mark where there is colour |
    | flag | booleans | yes, no |
    | drawn | numbers; `ends` name the columns of both ends | a drawing; left out where nothing is drawn |

    `signed`: numbers, shares and intervals with their sign. `compared`: "column" if the numbers of the column are
    compared with one another, and so have decimals until they differ; any other word if they are with those of other
    columns that have the same word, row by row (what was chosen is shown as it is). `best`: which end of the column is
    best, and stands out; `marked` names a column of booleans, for values that stand out. `also` names a column of words
    behind the value, or of numbers behind a ±; `missing` stands where there is no value. `note` stands below the title.
    `axis`: where there is drawing, intervals are drawn on it, over a `band` of what is too small to matter; `ground`
    names a column of numbers to compare with, drawn as a thin line. `mark` names a column of verdicts, whose marks
    stand beside the value; `hint` one of words for who points at it. `spare`: left out where there is little room.
    """

    name: str
    title: str | None = None
    kind: Kind = "text"
    least: int | None = None
    signed: bool = False
    compared: str = ""
    best: Literal["high", "low"] | None = None
    marked: str = ""
    ends: tuple[str, str] | None = None
    axis: Axis | None = None
    ground: str = ""
    link: str = ""
    also: str = ""
    missing: str = "NA"
    note: str = ""
    spare: bool = False
    band: float = 0.0
    mark: str = ""
    hint: str = ""

    @property
    def head(self) -> str:
        """The heading above it."""
        return self.name if self.title is None else self.title


@dataclass(frozen=True, eq=False)
class Table:
    """A frame, and the columns of it that are shown. The columns of names, to the left, come first.

    Columns whose names begin with `_` are there to be shown or drawn, and are no data: JSON and CSV leave them out.

    `name` is its key in JSON, and what `--table` calls it. `caption` stands above it, `notes` below. `most`: in text to
    be read at a stretch, so many rows are shown, from both ends; 0: all. `fold`: where a page can fold it away, the
    line that opens it. `turned`: it reads best with its rows side by side, as long as these fit. `best`: cells that
    stand out, by row and column, besides the best of columns. `foot`: a last row in words, by column. `marked` names a
    column of booleans, for rows that stand out: those of the baseline; `drawn` one for rows that are drawn on axes,
    where not all are; `ids` one of places that links lead to. `look` is a class of the page's style.
    """

    name: str
    frame: pl.DataFrame
    columns: tuple[Column, ...]
    caption: str = ""
    notes: tuple[str, ...] = ()
    most: int = 0
    fold: str = ""
    turned: bool = False
    best: frozenset[tuple[int, str]] = frozenset()
    foot: Mapping[str, str] = field(default_factory=dict)
    marked: str = ""
    drawn: str = ""
    ids: str = ""
    look: str = ""

    @classmethod
    def of(
        cls,
        name: str,
        frame: pl.DataFrame,
        caption: str = "",
        titles: Mapping[str, str] | None = None,
        *,
        notes: tuple[str, ...] = (),
        most: int = 0,
        least: int | None = None,
        blank: Container[str] = (),
        **kinds: Kind,
    ) -> Table:
        """A table that shows all of a frame, each column by its type unless a kind is given.

        `titles`: of columns that are not called as in the frame. `least`: decimals of numbers. `blank`: columns whose
        cells may be empty.

        >>> table = Table.of("documents", pl.DataFrame({"doc_id": ["d1"], "effect": [0.25], "rank": [3]}))
        >>> [(column.name, column.kind) for column in table.columns]
        [('doc_id', 'text'), ('effect', 'number'), ('rank', 'count')]
        """
        columns = []
        for key, dtype in frame.schema.items():
            kind = kinds.get(key, _kind_of(dtype))
            decimals = least if kind == "number" else None
            missing = "" if key in blank else "NA"
            columns.append(Column(key, (titles or {}).get(key), kind, decimals, missing=missing))
        columns.sort(key=lambda column: column.kind not in NAMES)
        return cls(name, frame, tuple(columns), caption, notes, most)

    def on_page(self) -> Table:
        """The same with as many rows as a page that opens at once can show; the others are left out in between."""
        return self if self.frame.height <= LONGEST else replace(self, frame=self.frame[shown_rows(self.frame.height)])

    def at_most(self) -> Table:
        """The same with no more rows than there should be, and a note where some are left out.

        >>> table = Table("t", pl.DataFrame({"n": range(9)}), (Column("n", kind="count"),), most=4).at_most()
        >>> table.frame["n"].to_list(), table.notes
        ([0, 1, 7, 8], ('5 rows in between are left out; the page and JSON have all.',))
        """
        left_out = self.frame.height - self.most
        if not self.most or left_out <= 0:
            return self
        half = self.most // 2
        frame = pl.concat([self.frame.head(self.most - half), self.frame.tail(half)])
        note = f"{number_of('row', left_out)} in between are left out; the page and JSON have all."
        return replace(self, frame=frame, notes=(*self.notes, note), most=0)

    def only(self, *names: str) -> Table:
        """The same with some of its columns only, in the order of the table."""
        return replace(self, columns=tuple(column for column in self.columns if column.name in names))


def _kind_of(dtype: pl.DataType) -> Kind:
    if dtype == pl.Boolean:
        return "flag"
    if dtype.is_integer():
        return "count"
    if dtype.is_numeric():
        return "number"
    return "text"


#: Columns of these kinds are names, and stand to the left, as long as no other column stands before them.
NAMES: frozenset[str] = frozenset({"text", "link", "code"})


@dataclass(frozen=True)
class Prose:
    """A paragraph; or, in the style `list`, one point for each line of `points`. `title` stands above it.

    The `points` below the text of advice are what to type.
    """

    text: str = ""
    style: Style = "plain"
    points: tuple[str, ...] = ()
    title: str = ""

    @property
    def lines(self) -> tuple[str, ...]:
        """Its lines of text."""
        return (self.text, *self.points) if self.text else self.points


@dataclass(frozen=True)
class Verdict:
    """An outcome in a word, how that is meant, and a sentence that says why.

    `heading` stands above it where a summary needs one, as in Markdown for the page of a pipeline.
    """

    word: str
    tone: Tone
    text: str
    heading: str = ""

    @property
    def lines(self) -> tuple[str, ...]:
        """Its lines of text."""
        return (self.text,)


@dataclass(frozen=True)
class Task:
    """A point of a checklist: how grave it is in a word, how that is meant, what is the case, and what to do about it.

    `code` is what it is called, `points` are its evidence, a line each.

    >>> task = Task("error", "bad", "2 documents twice", "duplicates", ("line 3: d1",), "write the file again")
    >>> task.head, task.evidence
    ('error: 2 documents twice [duplicates]', ('line 3: d1', '→ write the file again'))
    """

    word: str
    tone: Tone
    text: str
    code: str = ""
    points: tuple[str, ...] = ()
    advice: str = ""

    @property
    def lines(self) -> tuple[str, ...]:
        """Its lines of text."""
        return (self.head, *self.evidence)

    @property
    def evidence(self) -> tuple[str, ...]:
        """The points, and the advice behind an arrow."""
        return (*self.points, *([f"→ {self.advice}"] if self.advice else []))

    @property
    def head(self) -> str:
        """The state of things, on one line."""
        return (f"{self.word}: " if self.word else "") + self.text + (f" [{self.code}]" if self.code else "")


@dataclass(frozen=True)
class Work:
    """A work that is cited: its key in the text, such as `[2]`, its entry in a list, and the same for BibTeX."""

    key: str
    entry: str
    bibtex: str = ""


@dataclass(frozen=True)
class References:
    """The works that a text cites."""

    works: tuple[Work, ...]


@dataclass(frozen=True, eq=False)
class Widget:
    """Something to play with, in a page: `name` says what, `data` is what it needs. Elsewhere, what stands for it."""

    name: str
    data: Any
    fallback: tuple[Table | Prose | Figure, ...]


@dataclass(frozen=True, eq=False)
class Section:
    """A part of a document; or a part of a part.

    `name` is its key in JSON, and where links find it. `short` is its name in a list of sections. `lead` stands below
    the title. `data` are further values for JSON, where tables and text do not hold all there is. `fold`: a page shows
    it folded away or open, with `aside` beside its title, and `sparks`: numbers drawn small, each with what it means;
    None: it cannot be folded. `paper`: whether it belongs in a paper, too. `long`: it is too long for a text that is
    read at a stretch; the page and JSON have it.
    """

    name: str
    title: str = ""
    parts: tuple[Part, ...] = ()
    lead: str = ""
    short: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)
    fold: Literal["open", "closed"] | None = None
    aside: str = ""
    sparks: tuple[tuple[float, str], ...] = ()
    paper: bool = True
    long: bool = False

    @classmethod
    def of_lines(
        cls, name: str, lines: Iterable[str], style: Style = "plain", data: Mapping[str, Any] | None = None
    ) -> Section:
        """A part of prose alone, one paragraph for each line."""
        return cls(name, parts=tuple(Prose(line, style) for line in lines), data=data or {})

    def tables(self) -> Iterator[Table]:
        """All tables in it, those that stand for widgets too."""
        for part in self.still():
            if isinstance(part, Section):
                yield from part.tables()
            elif isinstance(part, Table):
                yield part

    def figures(self) -> Iterator[Figure]:
        """All figures in it."""
        from assay.show.figure import Figure  # noqa: PLC0415  # a table on a terminal does not wait for it

        for part in self.parts:
            if isinstance(part, Section):
                yield from part.figures()
            elif isinstance(part, Figure):
                yield part

    def still(self) -> Iterator[Part]:
        """Its parts, with what stands for widgets in their place."""
        for part in self.parts:
            yield from part.fallback if isinstance(part, Widget) else (part,)


Part: TypeAlias = "Prose | Table | Figure | Verdict | Task | References | Widget | Section"


@dataclass(frozen=True, eq=False)
class Document:
    """The document of a result: sections in reading order.

    `kind` is what it is of (`comparison`, `gate`, ...). A `page` stands by itself, with its title on top; what is no
    page is part of something: the output of a command, a cell of a notebook. `eyebrow` stands above the title. `words`:
    in LaTeX, those of what is no page are comments, for whoever writes the caption; or text, as part of an example.
    """

    kind: str
    sections: tuple[Section, ...]
    title: str = ""
    page: bool = False
    eyebrow: str = ""
    words: Literal["comments", "text"] = "comments"

    def tables(self) -> dict[str, Table]:
        """All tables by their names, the main one first; of several with one name, one for each system, the first."""
        tables: dict[str, Table] = {}
        for table in (table for section in self.sections for table in section.tables()):
            tables.setdefault(table.name, table)
        return tables

    def figures(self) -> Iterator[Figure]:
        """All figures in it."""
        yield from (part for section in self.sections for part in section.figures())

    def section(self, name: str) -> Section:
        """A section by its name."""
        return next(section for section in self.sections if section.name == name)
