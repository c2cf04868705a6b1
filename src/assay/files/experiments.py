"""A/B tests as people have them: one row per user, with the variant and what the user did."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl

from assay.core.errors import AssayError, InputError, argument, quote
from assay.core.evaluation_options import Columns
from assay.files.experiment_sums import layout_of_sums
from assay.files.named_columns import as_numbers, named_columns, names_in_any
from assay.files.sources import Source, is_file
from assay.tables.experiment import UNIT, VARIANT, Experiment, in_order
from assay.tables.named_columns import TRUTH_VALUES, NamedColumns
from assay.tables.roles import TABLES, absent, columns_of, find, folded_name, is_frame, named_by

#: A column in which so large a share of the cells are numbers is one of numbers.
_MOSTLY = 0.9
#: What stands for no value in a cell of text, in small letters.
_EMPTY = ("", "na", "n/a", "nan", "null", "none")
#: What units are called, by the name of their column; others are users.
_KINDS = ("visitor", "session", "customer", "account", "device", "player", "participant", "client", "store", "unit")


def read_experiment(data: Any, *, columns: Columns = None, control: str | None = None) -> Experiment:
    """Read an A/B test: a table with one row per user, in a file or a data frame; see `Experiment`.

    The columns of users and variants are known by their names; all others with numbers, or with true and false, are
    what users did. `control`: the variant that the others are held against.

    >>> import io
    >>> read_experiment(io.StringIO("userid,version,clicks,bought\\n1,a,3,TRUE\\n2,b,1,FALSE\\n")).numbers
    ('clicks', 'bought')
    """
    if isinstance(data, Experiment):
        return data if control is None else replace(data, variants=tuple(in_order(data.variants, control)))
    with named_by(columns):
        table = named_columns(data, "experiment")
        return of_table(table, control)


def of_table(table: NamedColumns, control: str | None = None) -> Experiment:
    """The A/B test in a table."""
    roles = table.roles("experiment")
    unit, variant = roles[UNIT], roles[VARIANT]
    others = [_cells(table, name) for name in table.frame.columns if name not in {unit, variant}]
    if not any(each.dtype == pl.Float64 for each in others):
        events = f"or give what users did with {argument('events')}"
        raise InputError(f"{table.path}: expected a column of numbers beside {unit} and {variant}, got none ({events})")
    frame = pl.DataFrame(
        [table.ids(unit, UNIT).alias(UNIT), table.texts(variant, f"a variant in {variant}").alias(VARIANT), *others]
    )
    name = table.stem or "experiment"
    return Experiment.of(frame, control=control, name=name, origin=table.path, unit_kind=kind_of_units(unit))


def read_past(data: Any, *, columns: Columns = None) -> Experiment:
    """Read what users did before a test: a row per user, whose variants, if there are any, do not matter.

    >>> read_past(pl.DataFrame({"user": [1, 2], "clicks": [3, 1]})).variants
    ('all',)
    """
    if isinstance(data, Experiment):
        frame = data.frame.with_columns(pl.lit("all").alias(VARIANT))
        return Experiment.of(frame, name=data.name, origin=data.origin, unit_kind=data.unit_kind)
    with named_by(columns):
        table = named_columns(data, "experiment")
        unit, variant = (find(role, table.frame.columns) for role in TABLES["experiment"][:2])
        if unit is None:
            raise absent("experiment", table.frame.columns, table.path)
        others = [_cells(table, name) for name in table.frame.columns if name not in {unit, variant}]
        every = pl.Series(VARIANT, ["all"]).new_from_index(0, table.frame.height)
        frame = pl.DataFrame([table.ids(unit, UNIT).alias(UNIT), every, *others])
    return Experiment.of(frame, name=table.stem or "past", origin=table.path, unit_kind=kind_of_units(unit))


def kind_of_units(column: str) -> str:
    """What units are called, by their column.

    >>> kind_of_units("player_id"), kind_of_units("userid")
    ('player', 'user')
    """
    return next((kind for kind in _KINDS if folded_name(column).startswith(kind)), "user")


def _cells(table: NamedColumns, name: str) -> pl.Series:
    """A column as numbers, if it holds any but for single cells, which are then refused; else as text."""
    values = table.frame[name]
    if values.dtype == pl.String:
        text = values.str.strip_chars().str.to_lowercase()
        text = text.set(text.is_in(_EMPTY), None)
        if text.drop_nulls().is_in([*TRUTH_VALUES, "0", "1"]).all() and text.null_count() < len(text):
            return text.replace(TRUTH_VALUES).cast(pl.Float64).alias(name)
        known = len(text) - text.null_count()
        numbers = as_numbers(text)
        found = known - (numbers.null_count() - text.null_count())
        if not known or found < _MOSTLY * known:
            return values.alias(name)
    elif not (values.dtype.is_numeric() or values.dtype == pl.Boolean):
        return values.cast(pl.String, strict=False).alias(name)
    return table.numbers(name, quote(name)).cast(pl.Float64).alias(name)


def looks_like_experiment(value: object) -> bool:
    """True if a file or a data frame has a row per user, with variants.

    >>> looks_like_experiment(pl.DataFrame({"user": [1], "variant": ["a"], "clicks": [2]}))
    True
    """
    if not (is_file(value) and value != "-") and not isinstance(value, Source) and not is_frame(value):
        return False
    try:
        names = names_in_any(value)
    except AssayError:
        return False
    return (len(names) > 2 and columns_of("experiment", names) is not None) or layout_of_sums(names) is not None
