"""`Experiment`: who was in which variant of an A/B test, and the numbers of each of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple, Self

import polars as pl

from assay.core.errors import InputError, listed, not_among, number_of
from assay.tables.ranking_tables import Direction

UNIT, VARIANT = "user_id", "variant"
#: Names of what a change is held against, in small letters.
_CONTROLS = ("control", "baseline", "a", "old", "off", "original", "default", "0", "false", "holdout", "none")
_DIGITS = re.compile(r"([0-9]+)")


class VariantSums(NamedTuple):
    """The sums of a variant: its units, the total of each column, and the totals of products of two (or of squares)."""

    units: int
    total: Mapping[str, float]
    product: Mapping[tuple[str, str], float]


@dataclass(frozen=True, eq=False)
class Experiment:
    """An A/B test: one row per unit in `frame`, with its `variant`, the `numbers` of what it did, and `attributes`.

    Units of several variants are apart, in `in_several`, with a row for each of their variants.

    >>> rows = {"user_id": ["u1", "u2", "u3"], "variant": ["new", "old", "old"], "clicks": [3, 1, 2]}
    >>> Experiment.of(pl.DataFrame(rows))
    <Experiment 'experiment': 3 users in old (2), new (1); clicks>
    """

    subject: ClassVar[str] = "experiments"

    frame: pl.DataFrame
    #: The control first.
    variants: tuple[str, ...]
    numbers: tuple[str, ...]
    attributes: tuple[str, ...] = ()
    name: str = "experiment"
    origin: str = "in memory"
    unit_kind: str = "user"
    in_several: pl.DataFrame = field(default_factory=pl.DataFrame)
    #: What was assumed or left out when it was read, and why.
    remarks: tuple[str, ...] = ()
    #: Ratios that have names of their own: the columns above and below, and the direction.
    ratios: Mapping[str, tuple[str, str, Direction | None]] = field(default_factory=dict)
    #: Columns of numbers that are no measure unless asked for: of before the test, or parts of ratios.
    aside: frozenset[str] = frozenset()
    #: Of data that were summed up, the sums by variant; then there are no rows of units.
    sums: Mapping[str, VariantSums] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        frame: pl.DataFrame,
        *,
        control: str | None = None,
        name: str = "experiment",
        origin: str = "in memory",
        unit_kind: str = "user",
        remarks: Sequence[str] = (),
    ) -> Experiment:
        """Take one row per unit and variant: `user_id`, `variant`, columns of numbers, and columns of text.

        `control`: the variant that the others are held against; unless given, one with a usual name, or the first.
        """
        rows = frame.with_columns(pl.col(UNIT, VARIANT).cast(pl.String))
        rows, spelt = _one_spelling(rows)
        remarks = [*remarks, *spelt]
        again = rows[UNIT].is_duplicated()
        apart, kept = rows.filter(again), rows.filter(~again) if again.any() else rows
        twice = apart.filter(pl.struct(UNIT, VARIANT).is_duplicated()) if apart.height else apart
        if twice.height:
            unit = twice[UNIT][0]
            got = f"{twice.filter(pl.col(UNIT) == unit).height} of {unit!r}"
            raise InputError(f"{origin}: expected one row per {unit_kind}, got {got}: add them up first")
        numbers = [each for each in rows.columns if each not in {UNIT, VARIANT} and _is_number(rows.schema[each])]
        texts = [each for each in rows.columns if each not in {UNIT, VARIANT, *numbers}]
        kept, apart = (
            each.with_columns(pl.col(numbers).cast(pl.Float64)) if numbers else each for each in (kept, apart)
        )
        variants = in_order(rows[VARIANT].unique().to_list(), control)
        return cls(
            kept, tuple(variants), tuple(numbers), tuple(texts), name, origin, unit_kind, apart, tuple(remarks),
        )  # fmt: skip

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name} ({size:,})" for name, size in self.sizes.items())
        units = number_of(self.unit_kind, self.units)
        return f"<Experiment {self.name!r}: {units} in {sizes}; {listed(list(self.numbers)) or 'no numbers'}>"

    def with_aside(self, columns: Sequence[str]) -> Self:
        """The same, in which some columns are no measures unless they are asked for."""
        return replace(self, aside=self.aside | set(columns))

    def with_ratios(self, ratios: Mapping[str, tuple[str, str, Direction | None]]) -> Self:
        """The same with ratios that have names; their parts are no measures unless they are asked for."""
        parts = [part for above, below, _ in ratios.values() for part in (above, below)]
        return replace(self, ratios=dict(ratios)).with_aside(parts)

    def clustered(self, column: str) -> Experiment:
        """The units of a column, such as stores, in place of users: each with the sums over its users.

        What is the mean per user stays it, as the ratio of both sums; what varies is the cluster.

        >>> rows = {"user_id": ["a", "b", "c"], "variant": ["x", "x", "y"], "store": ["s", "s", "t"], "sold": [1, 2, 5]}
        >>> Experiment.of(pl.DataFrame(rows)).clustered("store").frame.rows()
        [('s', 'x', 3.0, 2.0), ('t', 'y', 5.0, 1.0)]
        """
        if self.sums or column not in (known := [*self.attributes, *self.numbers]):
            raise not_among("unit", column, () if self.sums else known)
        count = f"{self.unit_kind}s"
        rows = pl.concat([self.frame, self.in_several]).rename({column: "_cluster"})
        rows = rows.with_columns(pl.col("_cluster").cast(pl.String)).drop_nulls("_cluster")
        numbers = [name for name in self.numbers if name != column]
        sums = rows.group_by("_cluster", VARIANT, maintain_order=True).agg(
            *(pl.col(name).sum() for name in numbers), pl.len().cast(pl.Float64).alias(count)
        )
        test = Experiment.of(
            sums.rename({"_cluster": UNIT}), control=self.variants[0], name=self.name, origin=self.origin,
            unit_kind=column, remarks=self.remarks,
        )  # fmt: skip
        means = {name: (name, count, None) for name in numbers if name not in self.aside}
        return test.with_ratios({**means, **self.ratios})

    @property
    def usual(self) -> list[str]:
        """The measures, unless others are asked for."""
        return [*self.ratios, *(name for name in self.numbers if name not in self.aside)]

    @property
    def sizes(self) -> dict[str, int]:
        """The number of units of each variant, without those of several."""
        if self.sums:
            return {name: self.sums[name].units for name in self.variants}
        counted: Mapping[str, int] = dict(self.frame.group_by(VARIANT).len().iter_rows())
        return {name: counted.get(name, 0) for name in self.variants}

    @property
    def units(self) -> int:
        """The number of units of all variants, without those of several."""
        return sum(self.sizes.values())

    @property
    def units_of_several(self) -> int:
        """How many units are in several variants."""
        return self.in_several[UNIT].n_unique() if self.in_several.height else 0

    def arm(self, variant: str) -> pl.DataFrame:
        """The rows of a variant."""
        return self.frame.filter(pl.col(VARIANT) == variant)


def _one_spelling(rows: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Variants that differ in case and blanks only are one, spelt as most are; and a remark on each."""
    counted = rows[VARIANT].value_counts(sort=True)
    names, remarks = dict[str, str](), list[str]()
    for name in counted[VARIANT].to_list():
        usual = names.setdefault(str(name).strip().casefold(), name)
        if usual != name:
            remarks.append(f"variant {name!r} is taken for {usual!r}: was it renamed?")
    if not remarks:
        return rows, []
    spelling = {name: names[str(name).strip().casefold()] for name in counted[VARIANT].to_list()}
    return rows.with_columns(pl.col(VARIANT).replace(spelling)), remarks


def in_order(variants: Sequence[str], control: str | None = None) -> list[str]:
    """Variants, the control first: the one that was named, one with a usual name, or the first by name.

    >>> in_order(["gate_40", "gate_30"]), in_order(["treatment", "Control"]), in_order(["v10", "v9"])
    (['gate_30', 'gate_40'], ['Control', 'treatment'], ['v9', 'v10'])
    """
    if control is not None and control not in variants:
        raise not_among("variant", control, variants)

    def place(name: str) -> tuple[Any, ...]:
        folded = name.strip().casefold()
        usual = _CONTROLS.index(folded) if folded in _CONTROLS else len(_CONTROLS)
        starts = not folded.startswith(_CONTROLS[:2])
        parts = [(int(part), "") if part.isdigit() else (-1, part) for part in _DIGITS.split(folded)]
        return name != control, usual, starts, parts, name

    return sorted(variants, key=place)


def _is_number(kind: pl.DataType) -> bool:
    return kind.is_numeric() or kind == pl.Boolean
