"""What tolerant reading makes of a file: the rows that make sense, and the lines that do not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import polars as pl

from assay.counting.judgments import Ints
from assay.files.registry import Kind, is_number


class Bad(NamedTuple):
    """A line that does not make sense: which one, what it says, what is wrong with it."""

    line: int
    text: str
    problem: str


class Lines(NamedTuple):
    """What was made of a file: the rows that make sense, their lines, and what is wrong with the others."""

    kind: Kind
    says: str
    frame: pl.DataFrame
    lines: Ints
    malformed: tuple[Bad, ...] = ()
    numbers: tuple[Bad, ...] = ()
    header: Bad | None = None
    encoding: str = "UTF-8"
    encoding_lines: tuple[int, ...] = ()
    separator: str | None = None
    #: How many columns there should be, and whether a header names them.
    columns: int = 0
    named: bool = False


def number_in(text: str) -> float | None:
    """A number, also with a decimal comma; None if it is none.

    >>> number_in("2,5"), number_in("high")
    (2.5, None)
    """
    plain = text.replace(",", ".") if text.count(",") == 1 else text
    # Python reads digits of all scripts, other tools only those of ASCII.
    return float(plain) if plain.isascii() and is_number(plain) else None


def frame_of(columns: Mapping[str, Sequence[str]], values: Sequence[float], kind: Kind) -> pl.DataFrame:
    """Columns of texts, and the numbers that make a run or judgments of them.

    >>> frame_of({"query_id": ["q1"], "doc_id": ["d1"]}, [2.0], "run").rows()
    [('q1', 'd1', 2.0)]
    """
    texts = {name: pl.Series(column, dtype=pl.String) for name, column in columns.items()}
    if "rank" in texts:
        texts["rank"] = ranks_of(texts["rank"])
    ids = {name: texts.pop(name) for name in ("query_id", "doc_id")}
    number = "score" if kind == "run" else "relevance"
    return pl.DataFrame(ids | {number: pl.Series(values, dtype=pl.Float64)} | texts)


def ranks_of(texts: pl.Series) -> pl.Series:
    """Ranks as numbers; null where they are none, or no finite ones.

    >>> ranks_of(pl.Series(["1", "nan", "first"])).to_list()
    [1.0, None, None]
    """
    ranks = texts.cast(pl.Float64, strict=False)
    return ranks.set(~ranks.is_finite(), None)
