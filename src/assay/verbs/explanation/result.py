"""`Explanation`: a number taken apart; and `Place`: which number is meant."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assay.core.digits import NOT_AVAILABLE, short
from assay.core.errors import ParameterError
from assay.core.results import Result
from assay.measures.counting.confusion_matrix import Orientation
from assay.measures.registry import Measure
from assay.measures.steps import OPERATIONS, PerUnit, Steps
from assay.verbs.subject import misplaced


class Place(NamedTuple):
    """The place of a number: system, query, class, item and threshold, and how matrices are turned.

    >>> Place(label="spam").refuse("is about classifiers", "item", "label")
    Traceback (most recent call last):
        ...
    assay.core.errors.ParameterError: label is about classifiers
    """

    system: str | None = None
    query: str | None = None
    label: Any = None
    item: str | None = None
    threshold: float | None = None
    orientation: Orientation = "rows_are_true"

    def refuse(self, why: str, *names: str) -> None:
        """Refuse what has no meaning here."""
        for name in names:
            if getattr(self, name) is not None:
                raise ParameterError(f"{name} {why}")

    def refuse_labels(self) -> None:
        """Refuse what goes with classifiers only."""
        self.refuse("is about classifiers: give their predictions, scores or matrix", "label", "item", "threshold")

    def of_counts(self, rules: Iterable[str]) -> None:
        """Refuse what goes with files, evaluations or classifiers only: counts by hand are of nobody.

        >>> Place().of_counts(["noise"])
        Traceback (most recent call last):
            ...
        assay.core.errors.ParameterError: 'noise' is a rule of clusterings: it goes with clusters of items
        """
        for name in rules:
            raise misplaced(name)
        self.refuse("says whose number of an evaluation is meant: counts are of nobody", "system")
        self.refuse_labels()


def not_explained(value: object) -> ParameterError:
    """The error for what holds no number that could be taken apart.

    >>> raise not_explained({"q1": 0.5})
    Traceback (most recent call last):
        ...
    assay.core.errors.ParameterError: explain takes judgments and a run, or counts, not dict alone
    """
    return ParameterError(f"explain takes judgments and a run, or counts, not {type(value).__name__} alone")


_INFIX = {"+": " + ", "-": " - ", "*": " × ", "/": " / "}

_BINDS = {"+": 1, "-": 1, "*": 2, "/": 2}

_FUNCTIONS = {"sqrt": "√"}

_REDUCED = {"sum": "sum of", "max": "largest"}

_ALONE = 3
#: Where in a table a largest value stands.
_PLACES = ("rank", "threshold", "recall")
#: So many numbers that are added up are written out.
_MOST_TERMS = 8


class StepTable(NamedTuple):
    """The rows of a computation for one unit, which columns of it are summed up (or searched), and what columns are."""

    says: str
    reduced: tuple[tuple[str, str], ...]
    frame: pl.DataFrame
    meanings: Mapping[str, str]

    @property
    def column(self) -> str | None:
        """The column that is reduced, the first if there are several."""
        return self.reduced[0][0] if self.reduced else None

    @property
    def op(self) -> str | None:
        """The reduction of the column: `sum` or `max`."""
        return self.reduced[0][1] if self.reduced else None


def step_tables(results: Sequence[tuple[PerUnit, int]]) -> list[StepTable]:
    """The tables of steps that numbers of a unit are made of: one of the ranking, one of the ideal, and so on.

    Each result comes with the unit's place in it.

    >>> from assay.measures.counting import Ranks
    >>> from assay.measures import DCG
    >>> step_tables([(DCG.per_unit(Ranks.from_grades([2, 0, 1])), 0)])[0].frame["contribution"].to_list()
    [2.0, 0.0, 0.5]
    """
    tables: dict[str, StepTable] = {}
    for result, unit in results:
        for leaf in result.leaves():
            if leaf.steps is None:
                continue
            there = tables.get(leaf.steps.says)
            rows = _rows_of_unit(leaf.steps, unit)
            if leaf.column is None:  # counted from the rows, and no sum of a column
                tables.setdefault(leaf.steps.says, StepTable(leaf.steps.says, (), rows, leaf.steps.meanings))
                continue
            table = StepTable(leaf.steps.says, ((leaf.column, leaf.op),), rows, leaf.steps.meanings)
            if there is None:
                tables[table.says] = _with_running_sum(table, "running_sum")
            elif (leaf.column, leaf.op) in there.reduced:
                tables[table.says] = there._replace(frame=_joined(there.frame, table.frame))
            else:
                summed = _with_running_sum(table, f"running_{leaf.column}")
                meanings = {**there.meanings, **table.meanings}
                frame = _joined(there.frame, summed.frame)
                tables[table.says] = StepTable(there.says, there.reduced + table.reduced, frame, meanings)
    return list(tables.values())


def _rows_of_unit(steps: Steps, unit: int) -> pl.DataFrame:
    rows = steps.unit == unit
    return pl.DataFrame({name: values[rows] for name, values in steps.columns.items()})


def _with_running_sum(table: StepTable, name: str) -> StepTable:
    column, op = table.reduced[0]
    if op != "sum":
        return table
    return table._replace(frame=table.frame.with_columns(pl.col(column).cum_sum().alias(name)))


def _joined(first: pl.DataFrame, other: pl.DataFrame) -> pl.DataFrame:
    """The rows and columns of both; those of the longer one if there are no ranks or thresholds to go by."""
    key = next((name for name in ("rank", "threshold") if name in first.columns and name in other.columns), None)
    if key is None and _same_rows(first, other):
        return pl.concat([first, other.select(pl.exclude(first.columns))], how="horizontal")
    if key is None:
        return first if first.height >= other.height else other
    new = [name for name in other.columns if name not in first.columns]
    old = [name for name in first.columns if name in other.columns and name != key]
    rows = [frame.with_columns(pl.col(key).cast(pl.Float64)) for frame in (first, other)]
    joined = rows[0].join(rows[1], on=key, how="full", coalesce=True, suffix=" again")
    joined = joined.sort(key, descending=key == "threshold")
    joined = joined.with_columns(pl.coalesce(name, f"{name} again").alias(name) for name in old)
    return joined.select(*first.columns, *new)


def _same_rows(first: pl.DataFrame, other: pl.DataFrame) -> bool:
    """True if two tables have the same rows, as far as they have columns in common."""
    shared = [name for name in first.columns if name in other.columns]
    return first.height == other.height and first.select(shared).equals(other.select(shared))


def with_class_names(table: StepTable, labels: Sequence[object]) -> StepTable:
    """Steps that are numbered by class, with the names of the classes; what is added up so far says nothing of them.

    >>> with_class_names(StepTable("classes", (), pl.DataFrame({"class": [1, 0]}), {}), ["a", "b"]).frame["class"][0]
    'b'
    """
    if "class" not in table.frame.columns:
        return table
    names = pl.Series("class", list(map(str, labels)), dtype=pl.String)
    named = table.frame.with_columns(names.gather(table.frame["class"].cast(pl.UInt32)))
    return table._replace(frame=named.select(pl.exclude("^running_.*$")))


def named_parts(result: PerUnit, unit: int) -> StepTable | None:
    """The parts of a formula that have names of their own, such as interpolated precision at each level of recall."""
    named = [leaf for leaf in result.leaves() if leaf.name is not None]
    if len(named) < 2:
        return None
    parts = [_at(leaf, unit) for leaf in named]
    at = [None if place is None else place[1] for place in parts]
    columns = {
        "name": pl.Series([leaf.name for leaf in named], dtype=pl.String),
        "at": pl.Series(at, dtype=pl.Float64),
        "value": pl.Series([float(leaf.values[unit]) for leaf in named]),
    }
    place = next((place[0] for place in parts if place is not None), "rank")
    return StepTable("parts", (), pl.DataFrame(columns).rename({"at": f"at_{place}"}), {})


def _at(leaf: PerUnit, unit: int) -> tuple[str, float] | None:
    """The first rank that has the largest value, or the first threshold or recall if there are no ranks."""
    steps, column = leaf.steps, leaf.column
    if leaf.op != "max" or steps is None or column is None:
        return None
    there = np.flatnonzero((steps.unit == unit) & (steps[column] == leaf.values[unit]))
    place = next((name for name in _PLACES if name in steps.columns), None)
    return (place, float(steps[place][there[0]])) if place is not None and len(there) else None


class Formula(NamedTuple):
    """A number as it is put together: in words, and with the numbers of one unit.

    `is_plain` if it is a single number that nothing was done to. `place` is where a largest value was found; `words`
    says it too.
    """

    words: str
    numbers: str
    is_plain: bool
    place: str = ""

    @property
    def for_all(self) -> str:
        """The words that hold for every unit: without the place."""
        return self.words.removesuffix(f", {self.place}") if self.place else self.words


def formula(result: PerUnit, unit: int) -> Formula:
    """The formula behind a unit's number; a sum of few terms is written out.

    >>> from assay.measures.counting import Ranks
    >>> from assay.measures import AP, RR
    >>> formula(AP.per_unit(Ranks.from_grades([1, 0, 1])), 0)[:2]
    ('sum of precision / relevant', '(1 + 0.6667) / 2')
    >>> formula(RR.per_unit(Ranks.from_grades([0, 1])), 0).words
    'largest reciprocal, at rank 2'
    """
    several = len({leaf.steps.says for leaf in result.leaves() if leaf.steps is not None}) > 1

    def word(node: PerUnit) -> tuple[str, int]:
        if node.name is not None and node is not result:
            return node.name, _ALONE
        if node.constant is not None:
            return short(node.constant), _ALONE
        if node.column is None:
            return node.op, _ALONE
        where = f" ({node.steps.says})" if several and node.steps is not None else ""
        return f"{_REDUCED[node.op]} {node.column}{where}", _ALONE

    def number(node: PerUnit) -> tuple[str, int]:
        terms = _terms(node, unit)
        return _added(terms) if terms else (short(float(node.values[unit])), _ALONE)

    words, numbers = (_written(result, leaf_text, outermost=True)[0] for leaf_text in (word, number))
    place = ""
    if not result.operands and result.values[unit] != 0 and (at := _at(result, unit)) is not None:
        place = f"in the row of recall {short(at[1])}" if at[0] == "recall" else f"at {at[0]} {short(at[1])}"
        words = f"{words}, {place}"
    if np.isnan(result.values[unit]) and not np.isnan(_comes_to(result, unit)):
        return Formula(
            words, NOT_AVAILABLE, is_plain=True, place=place
        )  # a number that must not be taken for the value
    return Formula(words, numbers, not result.operands and not _terms(result, unit), place)


def _terms(node: PerUnit, unit: int) -> list[float]:
    """The terms of a sum that are not 0; nothing if it is one number, or too many."""
    if node.op != "sum" or node.steps is None or node.column is None:
        return []
    terms = node.steps[node.column][node.steps.unit == unit]
    terms = terms[terms != 0]
    # The steps of a micro average are those of single units, and do not add up to it.
    together = 2 <= len(terms) <= _MOST_TERMS and np.isclose(terms.sum(), node.values[unit])
    return terms.tolist() if together else []


def _added(terms: list[float]) -> tuple[str, int]:
    rest = "".join(f" {'-' if term < 0 else '+'} {short(abs(term))}" for term in terms[1:])
    return f"{short(terms[0])}{rest}", _BINDS["+"]


def _comes_to(node: PerUnit, unit: int) -> float:
    """The value of the formula alone, whatever else must hold: NaN if there is a 0 below a line."""
    if not node.operands:
        return float(node.values[unit])
    operands = [np.float64(_comes_to(operand, unit)) for operand in node.operands]
    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(OPERATIONS[node.op](*operands))
    return value if np.isfinite(value) else np.nan


def _written(
    node: PerUnit, leaf_text: Callable[[PerUnit], tuple[str, int]], outermost: bool = False
) -> tuple[str, int]:
    """The text of a formula, and how strongly its outermost operation binds."""
    if not node.operands or (node.name is not None and not outermost):
        return leaf_text(node)
    others = [operand for operand in node.operands if operand.constant != 1]
    if node.op == "*" and len(others) == 1:  # times 1 says nothing
        return _written(others[0], leaf_text)
    parts = [_written(operand, leaf_text) for operand in node.operands]
    if node.op in _FUNCTIONS:
        return f"{_FUNCTIONS[node.op]}({parts[0][0]})", _ALONE
    if node.op not in _INFIX:
        return f"{node.op}({', '.join(text for text, _ in parts)})", _ALONE
    strength = _BINDS[node.op]
    (left, left_strength), (right, right_strength) = parts
    left = f"({left})" if left_strength < strength else left
    # What is subtracted or divided by keeps its brackets: a / (b / c) is not a / b / c.
    keeps = right_strength < strength or (right_strength == strength and node.op in "-/")
    return f"{left}{_INFIX[node.op]}{f'({right})' if keeps else right}", strength


def counts_named(results: Sequence[tuple[PerUnit, int]]) -> Iterator[tuple[str, float]]:
    """The numbers that were counted and not summed up from steps: their names and values, each once."""
    seen = set()
    for result, unit in results:
        for leaf in (*result.leaves(), *(leaf for need in _needs(result) for leaf in need.leaves())):
            is_count = leaf.steps is None or leaf.column is None
            if is_count and leaf.constant is None and leaf.op not in seen:
                seen.add(leaf.op)
                yield leaf.op, float(leaf.values[unit])


def _needs(result: PerUnit) -> Iterator[PerUnit]:
    """Quantities that must not be 0, for the result or for its parts."""
    yield from result.needs
    for operand in result.operands:
        yield from _needs(operand)


class OtherWay(NamedTuple):
    """The same number made in another way: what that is called, its formula, and what it comes to."""

    says: str
    formula: Formula
    value: float


@dataclass(frozen=True, eq=False)
class Explanation(Result):
    """One measure's number for one unit: its steps, its formula with the numbers in it, and its signature.

    Or how the numbers of several units are put together: `steps` are then the units, and `parts` explains each if they
    were given by hand.

    >>> from assay import explain, Ranks
    >>> print(explain("P@2", Ranks.from_grades([1, 0])))
    P@2, for q1
    rank  grade  found  running_sum
       1      1      1            1
       2      0
    <BLANKLINE>
    found = 1 for a relevant document within the cut-off
    P@2 = sum of found / 2
    P@2 = 1 / 2
    P@2 = 0.5
    P@2|rel=1|ties=doc_id_descending|unjudged=irrelevant|missing=zero|undefined=0|v1
    """

    kind = "explanation"

    measure: Measure
    unit: str
    unit_kind: str
    value: float
    reason: str | None
    steps: tuple[StepTable, ...]
    counts: tuple[tuple[str, float], ...]
    formula: Formula
    signature: str
    #: So many ranks are shown in tables, the steps hold all.
    shown: int = 20
    other_ways: tuple[OtherWay, ...] = ()
    remarks: tuple[str, ...] = ()
    #: How several units are put together, such as `mean`; None for one unit.
    summary: str | None = None
    parts: tuple[Explanation, ...] = ()
    #: How many of several units had no number, and what an undefined one counts as in a mean.
    undefined_units: int = 0
    counted_as: float | None = None

    def __repr__(self) -> str:
        return f"<Explanation of {self.measure} for {self.unit_kind} {self.unit}: {self.value}>"

    def to_frame(self) -> pl.DataFrame:
        """The rows of all steps, one below the other, then what was counted and the value; `part` says which."""
        frames = [
            table.frame.select(pl.lit(table.says).alias("part"), pl.all().exclude("part")) for table in self.steps
        ]
        counted = [("counts", *count) for count in (*self.counts, (str(self.measure), self.value))]
        frames.append(
            pl.DataFrame(counted, schema={"part": pl.String, "name": pl.String, "number": pl.Float64}, orient="row")
        )
        frame = pl.concat(frames, how="diagonal_relaxed").fill_nan(None)
        if not self.parts:
            return frame
        each = [part.to_frame().select(pl.lit(part.unit).alias(self.unit_kind), pl.all()) for part in self.parts]
        return pl.concat([*each, frame], how="diagonal_relaxed")

    @property
    def is_defined(self) -> bool:
        """True if there is a number."""
        return not math.isnan(self.value)
