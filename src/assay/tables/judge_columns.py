"""The judges of a wide table: which of its columns hold labels, and which are ours, positions, prices or times."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import polars as pl

from assay.core.errors import listed
from assay.tables.named_columns import TRUTH_VALUES
from assay.tables.roles import CLUSTER, PREDICTION, SCORE, TABLES, TRUTH, folded_name, suffix

#: Columns that Assay writes beside items and that are no labels, besides those that have a role.
_WRITTEN = frozenset({
    "order", "priority", "best_rank", "runs", "first_run", "stratum", "inclusion", "run", "tag", "system",
    "place", "known", "frequency", "count", "labels", "workers", "judges", "votes", "entropy", "tied",
    "probability", "agreement", "majority", "share", "margin", "chosen", "expected", "low", "high", "lower",
    "upper", "undefined", "measure", "value", "note", "unit", "query", "topic", "grade_by", "change", "other",
    "won", "lost", "pages", "p", "p_corrected", "decided", "impressions", "clicks", "estimate", "reason",
    "judged", "relevant", "cluster", "nearest", "part", "number", "name", "topics", "documents", "classes",
    "year", "language", "licence",
})  # fmt: skip
#: Tables whose columns are no judges', whatever these are called there.
_OTHER_TABLES = ("run", "topics", "documents", "sampled pool")
#: The last word of names that say what a column holds: a position, a price, a time, a text.
_NAMED = frozenset({
    "rank", "position", "pos", "place", "price", "cost", "revenue", "amount", "time", "date", "datetime",
    "timestamp", "seconds", "ms", "duration", "at", "id", "url", "link", "comment", "comments", "note",
    "notes", "text", "title",
})  # fmt: skip
#: Labels have no more values than this, unless all columns have more.
_MOST_VALUES = 12
#: A column with more of its cells outside the scale of the others than this has another scale.
_FOREIGN = 0.5


class JudgeColumns(NamedTuple):
    """The columns of judges, and remarks on others that might have been taken for some."""

    names: list[str]
    remarks: tuple[str, ...]


def is_ours(name: str) -> bool:
    """Tell whether a column is one that Assay writes beside items.

    >>> is_ours("best_rank"), is_ours("anna")
    (True, False)
    """
    folded = folded_name(name)
    return folded in _WRITTEN or any(folded in role.names for table in _OTHER_TABLES for role in TABLES[table])


def judge_columns(cells: pl.DataFrame, is_measure: Callable[[str], bool] = lambda _: False) -> JudgeColumns:
    """The columns that can be judges', of those without another role: few values, those of one scale.

    Names of measures, and those such as `prediction_bm25`, are no judges' where others are left.

    >>> cells = pl.DataFrame({"order": ["1", "2"], "ana": ["1", "0"], "ben": ["0", "0"], "price": ["3.5", "20"]})
    >>> judge_columns(cells)
    JudgeColumns(names=['ana', 'ben'], remarks=('columns that look like no judges are left out: price',))
    """
    candidates = [name for name in cells.columns if not is_ours(name)]
    others = [name for name in candidates if not (_is_of_system(name) or is_measure(name))]
    judges = candidates = _where_enough(candidates, others)
    judges = _where_enough(judges, [name for name in judges if not _is_named_otherwise(name)])
    values = {name: _values(cells[name]) for name in judges}
    judges = _where_enough(judges, [name for name in judges if values[name].n_unique() <= _MOST_VALUES])
    judges = _of_one_scale(judges, values)
    odd = [name for name in candidates if name not in judges]
    return JudgeColumns(judges, (f"columns that look like no judges are left out: {listed(odd)}",) if odd else ())


def _where_enough(before: list[str], after: list[str]) -> list[str]:
    """The remaining columns, if they are enough for an agreement."""
    return after if len(after) >= 2 else before


def _is_of_system(name: str) -> bool:
    return any(suffix(name, role) != name for role in (TRUTH, PREDICTION, SCORE, CLUSTER))


def _is_named_otherwise(name: str) -> bool:
    words = folded_name(name).split("_")
    return words[-1] in _NAMED or words[0] == "price"


def _values(column: pl.Series) -> pl.Series:
    """Cells as text, in which equal labels are alike."""
    if column.dtype in {pl.Object, pl.List}:
        return pl.Series(column.name, [None if cell is None else str(cell) for cell in column], dtype=pl.String)
    texts = column.cast(pl.String).str.strip_chars().drop_nulls()
    texts = texts.filter(texts != "")
    meant = texts.str.to_lowercase().replace(TRUTH_VALUES)
    numbers = meant.cast(pl.Float64, strict=False).cast(pl.String)
    return numbers.zip_with(numbers.is_not_null(), texts)


def _of_one_scale(names: list[str], values: dict[str, pl.Series]) -> list[str]:
    """Columns most of whose cells are labels of the others, if there are two or more that are so alike."""
    alike = [name for name in names if _foreign(name, names, values) <= _FOREIGN]
    if len(alike) < 2 or len(alike) == len(names):
        return names
    return alike if all(_foreign(name, alike, values) <= _FOREIGN for name in alike) else names


def _foreign(name: str, names: Sequence[str], values: dict[str, pl.Series]) -> float:
    """The share of a column's cells that hold no label of the others."""
    own = values[name]
    others = pl.concat([values[other] for other in names if other != name]).unique() if len(names) > 1 else own
    return int((~own.is_in(others.implode())).sum()) / max(1, len(own))
