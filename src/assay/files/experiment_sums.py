"""A/B tests as a warehouse sums them up: one row per variant, with counts, sums, squares and products; or per look."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import polars as pl

from assay.core.errors import InputError, listed, number_of
from assay.files.named_columns import named_columns, names_in_any
from assay.tables.experiment import Experiment, VariantSums, in_order
from assay.tables.named_columns import NamedColumns
from assay.tables.roles import TABLES, find, folded_name

_COUNTS = ("n", "count", "users", "units", "visitors", "sample_size", "nobs", "size")
_SUM = re.compile(r"(?P<name>.+)_sum")
_SQUARES = re.compile(r"(?P<name>.+?)_(?:sum_squares|sum_sq|sumsq|sum_of_squares|squares)")
_PRODUCT = re.compile(r"(?P<name>.+?)_(?:sum_product|sum_of_products|product|cross_product)")
_METRICS = ("metric", "metric_id", "metric_name", "measure")
_SPREADS = {"variance": 1, "var": 1, "sd": 2, "std": 2, "stddev": 2, "standard_deviation": 2}
#: Both variants side by side, as in the datasets of ASOS: control and treatment.
_SIDES = tuple(f"{name}_{side}" for name in ("count", "mean", "variance") for side in "ct")
_LOOKS = ("time_since_start", "time", "day", "date", "look")


def layout_of_sums(names: Sequence[str]) -> str | None:
    """How sums of variants stand in columns of these names: `sums`, `moments`, `sides`; None: they do not.

    >>> layout_of_sums(["variation", "n", "main_sum", "main_sum_squares"]), layout_of_sums(["user", "variant", "n"])
    ('sums', None)
    """
    folded = [folded_name(name) for name in names]
    if set(_SIDES) <= set(folded):
        return "sides"
    if find(TABLES["experiment"][1], names) is None or not set(_COUNTS) & set(folded):
        return None
    if any(_SQUARES.fullmatch(name) for name in folded):
        return "sums"
    return "moments" if "mean" in folded and set(_SPREADS) & set(folded) else None


def looks_like_sums(value: Any) -> bool:
    """True if a table has sums of variants."""
    return layout_of_sums(names_in_any(value)) is not None


def read_sums(data: Any, *, control: str | None = None) -> Experiment:
    """Read an A/B test that was summed up by variant.

    >>> rows = {"variant": ["a", "b"], "n": [10, 12], "clicks_sum": [20.0, 30.0], "clicks_sum_squares": [60.0, 90.0]}
    >>> read_sums(pl.DataFrame(rows)).sums["a"].total["clicks"]
    20.0
    """
    table = named_columns(data, "experiment")
    layout = layout_of_sums(table.frame.columns)
    remarks: list[str] = []
    if layout == "sides":
        sums, remarks = _sides(table)
    else:
        sums = _moments(table) if layout == "moments" else _sums(table)
    in_place = control is None and layout == "sides"
    variants = list(sums) if in_place else in_order(list(sums), control)
    numbers = [name for name in next(iter(sums.values())).total if all(name in each.total for each in sums.values())]
    empty = pl.DataFrame(schema={"user_id": pl.String, "variant": pl.String})
    return Experiment(
        empty, tuple(variants), tuple(numbers), name=table.stem or "experiment", origin=table.path,
        remarks=("sums per variant: nothing is known of single users", *remarks), sums=sums,
    )  # fmt: skip


def _numbers(table: NamedColumns, name: str) -> list[float]:
    values = table.numbers(name, name).cast(pl.Float64)
    table.refuse(values.is_null(), f"a number in {name}", name)
    return values.to_list()


def _variants(table: NamedColumns) -> list[str]:
    names = table.texts(str(find(TABLES["experiment"][1], table.frame.columns)), "a variant").to_list()
    if len(set(names)) < len(names):
        raise InputError(f"{table.path}: expected one row per variant, got {listed(names)}")
    return names


def _column(table: NamedColumns, names: Sequence[str]) -> str:
    return next(name for name in table.frame.columns if folded_name(name) in names)


def _sums(table: NamedColumns) -> dict[str, VariantSums]:
    """One row per variant: counts, sums, sums of squares, and of products."""
    counts = _numbers(table, _column(table, _COUNTS))
    totals, products = dict[str, list[float]](), dict[tuple[str, str], list[float]]()
    columns = table.frame.columns
    squares = {found["name"]: name for name in columns if (found := _SQUARES.fullmatch(folded_name(name)))}
    for name in columns:
        if (found := _SUM.fullmatch(folded_name(name))) and found["name"] in squares:
            totals[found["name"]] = _numbers(table, name)
    for measure, name in squares.items():
        if measure not in totals:
            raise InputError(f"{table.path}: expected a column {measure}_sum beside {name}, got none")
        products[measure, measure] = _numbers(table, name)
    for name in columns:
        if found := _PRODUCT.fullmatch(folded_name(name)):
            pair = next(((a, b) for a in totals for b in totals if found["name"] == f"{a}_{b}"), None)
            if pair is not None:
                products[pair] = products[pair[::-1]] = _numbers(table, name)
    return {
        variant: VariantSums(
            int(counts[row]), {name: each[row] for name, each in totals.items()},
            {pair: each[row] for pair, each in products.items()},
        )
        for row, variant in enumerate(_variants(table))
    }  # fmt: skip


def _moments(table: NamedColumns) -> dict[str, VariantSums]:
    """One row per variant, and per metric if there are several: count, mean, and variance or standard deviation."""
    spread = _column(table, tuple(_SPREADS))
    power = _SPREADS[folded_name(spread)]
    metric = next((name for name in table.frame.columns if folded_name(name) in _METRICS), None)
    variants = table.texts(str(find(TABLES["experiment"][1], table.frame.columns)), "a variant").to_list()
    names = ["value"] * len(variants) if metric is None else table.texts(metric, "a metric").to_list()
    columns = (
        _numbers(table, _column(table, _COUNTS)),
        _numbers(table, _column(table, ("mean",))),
        _numbers(table, spread),
    )
    return _of_moments(table.path, zip(variants, names, *columns, strict=True), power)


def _sides(table: NamedColumns) -> tuple[dict[str, VariantSums], list[str]]:
    """Cumulative rows per look, both variants side by side: the last look of each metric."""
    frame = table.frame
    remarks = []
    for role in ("experiment_id", "variant_id"):
        if role in frame.columns and frame[role].n_unique() > 1:
            got = listed(frame[role].unique(maintain_order=True).cast(pl.String).to_list())
            raise InputError(f"{table.path}: expected one {role}, got {got}: leave the others out")
    metric = next((name for name in frame.columns if folded_name(name) in _METRICS), None)
    look = next((name for name in frame.columns if folded_name(name) in _LOOKS), None)
    columns = {name: _numbers(table, _column(table, (name,))) for name in _SIDES}
    names = ["value"] * frame.height if metric is None else table.texts(metric, "a metric").to_list()
    order = (
        list(range(frame.height))
        if look is None
        else sorted(range(frame.height), key=_numbers(table, look).__getitem__)
    )
    last = {names[row]: row for row in order}
    users = sorted({columns["count_c"][row] + columns["count_t"][row] for row in order})
    if len(users) > 1:
        remarks.append(f"{number_of('look', len(users))}, cumulative: the last one counts ({users[-1]:,.0f} users)")
    rows = [
        (variant, name, *(columns[f"{part}_{side}"][row] for part in ("count", "mean", "variance")))
        for name, row in last.items()
        for variant, side in (("control", "c"), ("treatment", "t"))
    ]
    return _of_moments(table.path, rows, 1), remarks


def _of_moments(path: str, rows: Any, power: int) -> dict[str, VariantSums]:
    found: dict[str, tuple[dict[str, float], dict[tuple[str, str], float], set[int]]] = {}
    for variant, name, count, mean, spread in rows:
        totals, products, counts = found.setdefault(variant, ({}, {}, set()))
        if name in totals:
            raise InputError(f"{path}: expected one row per variant and metric, got two of {variant}, {name}")
        totals[name] = count * mean
        products[name, name] = (count - 1) * spread**power + count * mean**2
        counts.add(int(count))
    for variant, (_, _, counts) in found.items():
        if len(counts) > 1:
            raise InputError(
                f"{path}: expected one count of users of {variant}, got {listed(sorted(map(str, counts)))}"
            )
    return {name: VariantSums(counts.pop(), totals, products) for name, (totals, products, counts) in found.items()}


def refuse_without_users(experiment: Experiment, what: str) -> None:
    """Refuse what sums per variant cannot tell."""
    if experiment.sums:
        raise InputError(
            f"{experiment.origin}: {what} needs the numbers of single users, and these are sums per variant"
        )
