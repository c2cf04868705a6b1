"""Labels and numbers as callers have them (lists, NumPy, pandas, Polars, Arrow, sparse matrices) -> Polars columns.

Labels stay what they are: text, whole numbers, booleans, Categorical, Enum. Several labels per item are lists of text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from numbers import Real
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.core.errors import InputError, ParameterError, number_of, quote

#: The largest of an evaluation's weights: sums of them, multiplied four times as in MCC, are still numbers.
_LARGEST = 1e60
#: From here on, not every whole number is one of floating point.
_EXACT = 2.0**53
#: Words that tell rows that were tested from rows that were learned from.
IS_TESTED = {"train": False, "training": False, "test": True, "testing": True}
_TEXTS = (pl.String, pl.Categorical, pl.Enum)


def labels_of(values: Any, what: str) -> pl.Series:
    """One label per item: text, whole numbers or booleans; null where there is none. Or lists of several as text.

    >>> labels_of([1, 0, None], "y_true").to_list()
    [1, 0, None]
    >>> labels_of([{"b", "a"}, []], "y_true").to_list()
    [['a', 'b'], []]
    """
    labels = series_of(values, what)
    kind = labels.dtype
    if isinstance(kind, pl.List | pl.Array):
        return _several(labels, what)
    if kind.base_type() in _TEXTS or kind in {pl.Boolean, pl.Int64}:
        return labels.alias(what)
    if kind.is_integer() or kind.is_float() or kind.is_decimal():
        return _whole(labels, what)
    if kind == pl.Null:
        return labels.cast(pl.String).alias(what)
    raise InputError(f"{what}: expected labels as text, whole numbers or booleans, got {_type_in_words(kind)}")


def single_labels_of(values: Any, what: str) -> pl.Series:
    """The same, where an item has one label.

    >>> single_labels_of(np.array([1, 0]), "labels_true").to_list()
    [1, 0]
    """
    labels = labels_of(values, what)
    if isinstance(labels.dtype, pl.List):
        raise InputError(f"{what}: expected one label per item, got lists of them: overlapping groups are not measured")
    return labels


def ids_of(values: Any, what: str) -> pl.Series:
    """One id per item, as text; null where there is none.

    >>> ids_of([7, 8], "item_id").to_list()
    ['7', '8']
    """
    ids = labels_of(values, what)
    if isinstance(ids.dtype, pl.List):
        raise InputError(f"{what}: expected text or whole numbers as ids, got lists")
    return ids.cast(pl.String)


def times_of(values: Iterable[Any], what: str) -> NDArray[np.float64]:
    """Times as numbers that keep their order: finite numbers, dates, or text such as 2024-05-31 (ISO 8601).

    >>> times_of(["1970-01-02", "1970-01"], "time").tolist()
    [86400.0, 0.0]
    """
    times = []
    for row, value in enumerate(values, 1):
        try:
            times.append(time_of(value.item() if isinstance(value, np.generic) else value))
        except ValueError:
            raise InputError(
                f"{what}: row {row}: expected a number or a date such as 2024-05-31, got {quote(str(value))}"
            ) from None
    return np.array(times)


def time_of(value: Any) -> float:
    """A number as it is; a date, or text that is none, in seconds. Text of another form would sort by its letters."""
    text = str(value)
    try:
        number = float(text)
    except ValueError:
        moment = datetime.fromisoformat(f"{text}-01" if len(text) == len("2024-05") else text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    if not np.isfinite(number):
        raise ValueError(text)
    return number


def _is_time(text: str) -> bool:
    try:
        time_of(text)
    except ValueError:
        return False
    return True


#: What the columns of folds are called in tables of predictions, and in files that say nothing else.
FOLD_COLUMNS = ("fold", "repeat", "split", "group", "time")

#: What columns of folds may hold: whether a text is right, and what was expected.
FOLD_DOMAINS: dict[str, tuple[Callable[[str], bool], str]] = {
    "split": (lambda text: text.lower() in IS_TESTED, "train or test"),
    "time": (_is_time, "a number or a date such as 2024-05-31"),
}


def refuse_nulls(labels: pl.Series, what: str, advice: str) -> None:
    """Refuse items without a label, and say what to do about them.

    >>> refuse_nulls(pl.Series([1, None]), "y_true", "drop those items")
    Traceback (most recent call last):
    assay.core.errors.InputError: y_true: 1 null, the first at item 2: drop those items
    """
    if nulls := labels.null_count():
        first = int(labels.is_null().arg_max() or 0) + 1
        raise InputError(f"{what}: {number_of('null', nulls)}, the first at item {first}: {advice}")


def numbers_of(values: Any, what: str) -> pl.Series:
    """One number per item, finite; null where there is none. Whole numbers beyond 2^53 stay what they are.

    >>> numbers_of([0.5, 1], "y_score").to_list()
    [0.5, 1.0]
    """
    column = series_of(values, what)
    if column.dtype == pl.Null:
        return column.cast(pl.Float64).alias(what)
    if not (column.dtype.is_numeric() or column.dtype == pl.Boolean):
        raise InputError(f"{what}: expected numbers, got {_type_in_words(column.dtype)}")
    numbers = column if column.dtype == pl.Float64 else column.cast(pl.Float64)
    if not numbers.is_finite().all():
        row = int((~numbers.is_finite()).arg_max() or 0)
        raise InputError(f"{what}: row {row + 1}: expected a finite number, got {numbers[row]}")
    return (column if column.dtype.is_integer() and is_beyond_floats(numbers) else numbers).alias(what)


def is_beyond_floats(numbers: pl.Series) -> bool:
    """True if whole numbers are so large that floating point does not tell all of them apart.

    >>> is_beyond_floats(pl.Series([2.0**53 - 1])), is_beyond_floats(pl.Series([-(2.0**60), 0]))
    (False, True)
    """
    low, high = numbers.min(), numbers.max()
    return low is not None and max(-float(low), float(high)) >= _EXACT  # type: ignore[arg-type]  # they are numbers


def refuse_extreme(weights: NDArray[Any], what: str) -> None:
    """Refuse weights so large, or all of them so small, that products of their sums are no longer numbers."""
    largest = float(weights.max(initial=0.0))
    if largest and not 1 / _LARGEST <= largest <= _LARGEST:
        wanted = f"expected weights of which the largest is from {1 / _LARGEST:g} to {_LARGEST:g}"
        raise InputError(f"{what}: {wanted}, got {largest:g}: divide them all by it")


def refuse_no_threshold(threshold: Any) -> None:
    """Refuse a threshold that scores cannot be compared with."""
    if not isinstance(threshold, Real) or math.isnan(threshold):
        raise ParameterError(f"a threshold is a number, not {threshold!r}")


def series_of(values: Any, what: str) -> pl.Series:
    """Values of any library as a column, of whatever type; that they are labels or numbers is not yet looked at.

    >>> series_of((3, 1), "y_score").to_list()
    [3, 1]
    """
    values = _only_column(values)
    if isinstance(values, pl.Series):
        return _from_list(values.to_list(), what) if values.dtype == pl.Object else values
    odd = isinstance(values, pl.Expr | pl.DataFrame | pl.LazyFrame | str | bytes | Mapping)
    if odd or not (isinstance(values, Iterable) or hasattr(values, "__array__")):
        raise InputError(f"{what}: expected one value per item, as a list or an array, got {type(values).__name__}")
    if hasattr(values, "isna") and hasattr(values, "dtype"):
        return _from_pandas(values, what)
    if hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__"):
        try:
            return pl.Series(values)
        except (TypeError, ValueError, pl.exceptions.PolarsError) as problem:
            raise InputError(f"{what}: expected a column: {problem}") from problem
    if isinstance(values, np.ma.MaskedArray):
        return _from_list(values.tolist(), what)  # None where it is masked
    if isinstance(values, np.ndarray) or (hasattr(values, "__array__") and not isinstance(values, list | tuple)):
        return _from_array(np.asarray(values), what)
    if isinstance(values, set | frozenset):
        raise InputError(f"{what}: expected a list or an array, got a set, which has no order")
    return _from_list(list(values), what)


def _only_column(values: Any) -> Any:
    """The column of a frame or a matrix that has one only; all else as it is."""
    shape = getattr(values, "shape", None)
    if not isinstance(shape, tuple) or len(shape) != 2 or shape[1] != 1:
        return values
    if hasattr(values, "iloc"):
        return values.iloc[:, 0]
    if hasattr(values, "toarray"):
        return values.toarray()[:, 0]
    return values[:, 0] if isinstance(values, np.ndarray | pl.DataFrame) else values.column(0)


def _from_array(values: np.ndarray[Any, Any], what: str) -> pl.Series:
    if values.ndim != 1:
        raise InputError(f"{what}: expected one value per item, got an array of shape {values.shape}")
    if values.dtype.kind in "biuf":
        # Float16 and long doubles are not for Polars.
        odd = values.dtype.kind == "f" and values.dtype.itemsize not in {4, 8}
        return pl.Series(values.astype(np.float64 if odd else values.dtype))  # a copy: arrays may change later
    if values.dtype.kind == "U":
        return pl.Series(values.astype(object), dtype=pl.String)
    return _from_list(values.tolist(), what)


def _from_pandas(values: Any, what: str) -> pl.Series:
    missing = np.asarray(values.isna())
    if not missing.any() and getattr(values.dtype, "kind", "O") in "biuf":
        return _from_array(np.asarray(values.to_numpy(dtype=getattr(values.dtype, "numpy_dtype", None))), what)
    plain = values.tolist()
    if missing.any():
        plain = [None if gone else value for value, gone in zip(plain, missing.tolist(), strict=True)]
    return _from_list(plain, what)


def _from_list(values: list[Any], what: str) -> pl.Series:
    """Python objects: one look at each type, not at each value."""
    kinds = {kind for kind in set(map(type, values)) if kind is not type(None)}
    if any(issubclass(kind, set | frozenset | list | tuple | np.ndarray) for kind in kinds):
        return _from_lists(values, what)
    if any(issubclass(kind, float | np.floating) for kind in kinds) and any(issubclass(kind, str) for kind in kinds):
        # What other tools put where a text is absent is a number that is none.
        values = [None if isinstance(value, float | np.floating) and math.isnan(value) else value for value in values]
        kinds = {kind for kind in set(map(type, values)) if kind is not type(None)}
    if len({_sort(kind) for kind in kinds}) > 1:
        types = sorted({kind.__name__ for kind in kinds})
        raise InputError(f"{what}: expected values of one type, got {' and '.join(types)}")
    sort = _sort(next(iter(kinds))) if kinds else "nothing"
    try:
        if sort == "text":
            return pl.Series(values, dtype=pl.String)
        if sort == "bool":
            return pl.Series([None if value is None else bool(value) for value in values], dtype=pl.Boolean)
        if sort == "number":
            if all(issubclass(kind, int | np.integer) for kind in kinds):
                return _whole_numbers(values, what)
            return pl.Series(values, dtype=pl.Float64, strict=False)
        if sort == "nothing":
            return pl.Series(values, dtype=pl.Null)
    except (TypeError, ValueError, OverflowError, UnicodeError, pl.exceptions.PolarsError) as problem:
        raise InputError(f"{what}: {' '.join(str(problem).split())[:200]}") from problem
    odd = next(iter(kinds)).__name__
    raise InputError(f"{what}: expected text, numbers or booleans, got {odd}")


def _whole_numbers(values: list[Any], what: str) -> pl.Series:
    try:
        return pl.Series(values, dtype=pl.Int64)
    except (TypeError, OverflowError):
        wide = next((value for value in values if value is not None and not -(2**63) <= value < 2**63), None)
        if wide is None:
            raise
        raise InputError(f"{what}: expected whole numbers of 64 bits, got {wide}") from None


def _sort(kind: type) -> str:
    if issubclass(kind, bool | np.bool):
        return "bool"
    if issubclass(kind, int | float | np.integer | np.floating):
        return "number"
    return "text" if issubclass(kind, str) else kind.__name__


def _from_lists(values: list[Any], what: str) -> pl.Series:
    lists: list[list[str] | None] = []
    for row, held in enumerate(values, 1):
        if held is None or (isinstance(held, float) and math.isnan(held)):
            lists.append(None)
        elif isinstance(held, set | frozenset | list | tuple | np.ndarray):
            lists.append(sorted({_label_text(label, row, what) for label in held}))
        else:
            raise InputError(f"{what}: row {row}: expected a list of labels as in the other rows, got {held!r}")
    try:
        return pl.Series(lists, dtype=pl.List(pl.String))
    except UnicodeError as problem:
        raise InputError(f"{what}: expected text that UTF-8 can write: {problem}") from problem


def _label_text(label: Any, row: int, what: str) -> str:
    if isinstance(label, str | int | np.integer | np.bool):
        return str(label)
    raise InputError(f"{what}: row {row}: expected labels as text or whole numbers, got {label!r}")


def _several(values: pl.Series, what: str) -> pl.Series:
    """Lists of whatever labels as lists of text, each label once, sorted."""
    inner = getattr(values.dtype, "inner", None)
    if inner is None or not (inner.is_integer() or inner.base_type() in {*_TEXTS, pl.Boolean, pl.Null}):
        raise InputError(f"{what}: expected lists of text or whole numbers, got {_type_in_words(values.dtype)}")
    lists = values.cast(pl.List(inner)).cast(pl.List(pl.String))
    absent = lists.list.eval(pl.element().is_null()).list.any()
    if absent.any():
        row = int(absent.arg_max() or 0)
        raise InputError(f"{what}: row {row + 1}: expected labels in the list, got nothing for one")
    return lists.list.unique().list.sort().alias(what)


def _whole(values: pl.Series, what: str) -> pl.Series:
    """Numbers that are labels are whole, however they are stored; what is not a number is nothing."""
    if values.dtype.is_float():
        values = values.fill_nan(None)
        wrong = (values != values.floor()) | values.is_infinite()
        if wrong.any():
            got = values[int(wrong.arg_max() or 0)]
            note = "" if what.startswith("labels_") else ": scores are given as y_score"
            raise InputError(f"{what}: expected labels, got the number {got}{note}")
    whole = values.cast(pl.Int64, strict=False)
    if whole.null_count() > values.null_count():
        got = values.filter(whole.is_null() & values.is_not_null())[0]
        raise InputError(f"{what}: expected whole numbers of 64 bits as labels, got {got}")
    return whole.alias(what)


def _type_in_words(kind: pl.DataType) -> str:
    return f"values of the type {kind}"
