"""`correlate`: do measures, judgments, topic sets or somebody's lists of numbers order systems alike?"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assay.core.errors import InputError, ParameterError, did_you_mean, number_of
from assay.core.results import Result
from assay.measures.counting.judgments import Floats
from assay.measures.registry import Measure
from assay.stats.bootstrap import Interval
from assay.stats.correlation import COEFFICIENTS, Correlation
from assay.stats.estimates import snapped
from assay.stats.overlap import rbo
from assay.stats.pairing import Directions, Pairing, ScorePairing
from assay.stats.samples import Sample
from assay.stats.stability import with_other_units
from assay.verbs.subject import pairing_of


class PairOfLists(NamedTuple):
    """Two lists: all coefficients, how they move with other units where units are known, the items side by side.

    The columns of `items`: item, first, first_rank, second, second_rank, movement (ranks won in the second list).
    """

    first: str
    second: str
    coefficients: tuple[Correlation, ...]
    with_other_units: Mapping[str, Interval]
    items: pl.DataFrame


@dataclass(frozen=True, eq=False)
class Correlations(Result):
    """The correlation of lists that order the same items: one pair of lists, or every two of more.

    >>> from assay.verbs.correlation import correlate
    >>> print(correlate({"a": 3, "b": 2, "c": 1}, {"a": 9, "b": 4, "c": 5}, names=("AP", "RR")))
    AP and RR
    coefficient       value  95% interval
    Kendall's tau-b  0.3333            NA
    tau_AP           0.5000            NA
    Spearman's rho   0.5000            NA
    Pearson's r      0.7559            NA
    <BLANKLINE>
    item      AP  rank      RR  rank  movement
    a     3.0000     1  9.0000     1         0
    b     2.0000     2  4.0000     3        -1
    c     1.0000     3  5.0000     2        +1
    <BLANKLINE>
    Kendall's tau-b: no interval with fewer than 5 items.
    tau_AP: no interval with fewer than 10 items.
    Spearman's rho, Pearson's r: no interval with fewer than 4 items.
    """

    kind = "correlations"

    pairs: tuple[PairOfLists, ...]
    item: str
    unit_kind: str | None
    resamples: int
    seed: int
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Correlations of {', '.join(self.lists)}: {number_of(self.item, self.pairs[0].items.height)}>"

    @property
    def lists(self) -> tuple[str, ...]:
        """The names of the lists."""
        return tuple(dict.fromkeys(name for pair in self.pairs for name in (pair.first, pair.second)))

    @property
    def constant(self) -> tuple[str, ...]:
        """The lists in which all items have the same number, and so no order."""
        return tuple(
            dict.fromkeys(
                name
                for pair in self.pairs
                for name, side in ((pair.first, "first"), (pair.second, "second"))
                if side in pair.items.columns and pair.items[side].n_unique() == 1
            )
        )

    def value(self, coefficient: str, first: str | None = None, second: str | None = None) -> float:
        """One coefficient; the lists may be left out if there are only two."""
        fitting = [pair for pair in self.pairs if first in {None, pair.first} and second in {None, pair.second}]
        if len(fitting) != 1:
            known = ", ".join(f"{pair.first} and {pair.second}" for pair in self.pairs)
            raise ParameterError(f"choose two lists: {known}")
        by_name = {one.name: one.value for one in fitting[0].coefficients}
        if coefficient not in by_name:
            hint = did_you_mean(coefficient, by_name)
            raise ParameterError(f"choose a coefficient of {', '.join(by_name)}, not {coefficient!r}{hint}")
        return by_name[coefficient]

    def to_frame(self) -> pl.DataFrame:
        """One row per pair of lists and coefficient; `low_units` to `high_units` is with units redrawn."""
        nothing = Interval(math.nan, math.nan, math.nan, "")
        rows = []
        for pair in self.pairs:
            for each in pair.coefficients:
                redrawn = pair.with_other_units.get(each.name, nothing)
                row = {"first": pair.first, "second": pair.second, "coefficient": each.name} | each._asdict()
                rows.append(row | {"low_units": redrawn.low, "high_units": redrawn.high})
        frame = pl.DataFrame(rows, infer_schema_length=None).select(pl.exclude("name", "note"), "note")
        return frame.fill_nan(None)


class ListOfNumbers(NamedTuple):
    """A number for each item, which way is good, and the units that the numbers are made of, if they are known."""

    name: str
    numbers: Mapping[str, float]
    sample: Sample | None = None
    lower_is_better: bool = False

    @property
    def item(self) -> str:
        """The kind of the items."""
        return "item" if self.sample is None else "system"


def holds_systems(value: Any) -> bool:
    """True if systems can be measured on it: results and tables know their subject, somebody's own numbers do not.

    >>> holds_systems([0.1, 0.2])
    False
    """
    several = list(value.values()) if isinstance(value, Mapping) else value
    if not isinstance(several, list | tuple):
        several = [several]
    return bool(several) and all(hasattr(each, "subject") for each in several)


def lists_of(
    given: tuple[Any, ...],
    *,
    measure: str | Measure | None = None,
    units: Sequence[Collection[str]] | None = None,
    split: int | None = None,
    names: Sequence[str] | None = None,
    seed: int = 0,
    direction: Directions = None,
) -> list[ListOfNumbers]:
    """The lists, at least two.

    >>> [each.name for each in lists_of(([0.1, 0.2], [0.3, 0.1]))]
    ['first', 'second']
    """
    if len(given) > 1 and not isinstance(given[1], str | Measure):
        own = not holds_systems(given[0])
        if units is not None or split is not None or (own and measure is not None):
            raise ParameterError("units and split go with one evaluation; they and measure not with lists of scores")
        if own:
            return _own_lists(given, names_of(names, len(given)), direction)
        wanted = None if measure is None else (measure,)
        each = [pairing_of(lists_of, data, measures=wanted, direction=direction) for data in given]
        origins = [pairing.reference for pairing in each]
        called = names_of(names or (origins if len(set(origins)) == len(origins) else None), len(each))
        return [_of_systems(pairing, _one(pairing, wanted), name) for pairing, name in zip(each, called, strict=True)]
    if not given:
        raise ParameterError("there is nothing to correlate")
    if not holds_systems(given[0]):
        raise ParameterError("correlate takes two lists at least: two measures, two evaluations, two lists of scores")
    if given[1:] and measure is not None:
        raise ParameterError("say the measures after the evaluation, or one as measure=: not both")
    wanted = given[1:] or (None if measure is None else (measure,))
    pairing = pairing_of(lists_of, given[0], measures=wanted, direction=direction)
    if units is not None or split is not None:
        return _topic_sets(pairing, _one(pairing, wanted), units=units, split=split, names=names, seed=seed)
    chosen = pairing.measure_names(wanted)
    if len(chosen) < 2:
        raise ParameterError(f"correlate takes two measures at least, not {', '.join(chosen)} alone")
    return [_of_systems(pairing, name) for name in chosen]


def _own_lists(given: tuple[Any, ...], names: Sequence[str], direction: Directions) -> list[ListOfNumbers]:
    """Numbers matched by name, or by place."""
    stated = dict.fromkeys(names, direction) if isinstance(direction, str) else direction or {}
    for name, word in stated.items():
        if name not in names or word not in {"higher", "lower"}:
            raise ParameterError(f"a direction is higher or lower, of {' or '.join(names)}, not {word!r} of {name}")
    own = [
        ListOfNumbers(name, _own(numbers, name), lower_is_better=stated.get(name) == "lower")
        for numbers, name in zip(given, names, strict=True)
    ]
    if len({isinstance(numbers, Mapping) for numbers in given}) > 1:
        raise ParameterError("give two dicts, matched by name, or two lists, matched by place: not one of each")
    lengths = [len(each.numbers) for each in own]
    if not isinstance(given[0], Mapping) and len(set(lengths)) > 1:
        raise ParameterError(f"lists are matched by place and equally long, not {' and '.join(map(str, lengths))}")
    return own


def _own(given: Any, name: str) -> dict[str, float]:
    if isinstance(given, str | bytes) or not hasattr(given, "__len__"):
        raise ParameterError(f"{name}: expected a list of numbers or a dict of them, got {type(given).__name__}")
    numbers = {}
    for item, value in given.items() if isinstance(given, Mapping) else enumerate(given, 1):
        try:
            numbers[str(item)] = float("nan") if value is None else float(value)
        except (TypeError, ValueError):
            raise ParameterError(f"{name}: {item}: expected a number, got {value!r}") from None
    return numbers


def _of_systems(pairing: Pairing, measure: str, name: str | None = None) -> ListOfNumbers:
    """Systems under a measure; `name` tells which of the lists under that measure."""
    sample = pairing.sample(measure)
    numbers = dict(zip(sample.systems, sample.observed.tolist(), strict=True))
    called = sample.measure if name is None else f"{sample.measure} ({name})"
    return ListOfNumbers(called, numbers, sample, sample.higher_is_better is False)


def _one(pairing: Pairing, wanted: tuple[str | Measure, ...] | None) -> str:
    names = pairing.measure_names(wanted)
    if len(names) != 1:
        raise ParameterError(f"choose one measure of {', '.join(names)}")
    return names[0]


def _topic_sets(
    pairing: Pairing,
    measure: str,
    *,
    units: Sequence[Collection[str]] | None,
    split: int | None,
    names: Sequence[str] | None,
    seed: int,
) -> list[ListOfNumbers]:
    """Systems under a measure on each set of units: those given, or two random ones that have none in common."""
    if not isinstance(pairing, ScorePairing):
        raise ParameterError(f"units and split take numbers of units, and {pairing.holds} have none")
    sample = pairing.sample(measure)
    if not sample.averages_units:
        raise ParameterError(f"{measure} sums counts up over queries: correlate topic sets under an averaged measure")
    if units is not None and split is not None:
        raise ParameterError("choose units or split")
    sets = list(units or ())
    if split is not None:
        most = len(sample.units) // 2
        if not 1 <= split <= most:
            raise ParameterError(f"split draws two sets of 1 to {most} of the {len(sample.units)} units, not {split}")
        drawn = np.random.default_rng(seed).permutation(np.array(sample.units, dtype=object)).tolist()
        sets, names = [drawn[:split], drawn[split : 2 * split]], names or (f"{split} drawn", f"{split} others")
    sides = []
    for name, chosen in zip(names_of(names, len(sets)), sets, strict=True):
        frame = pairing.scores.frame.filter(pl.col("unit").is_in([str(unit) for unit in chosen]), measure=measure)
        if not frame.height:
            raise InputError(f"{name}: no unit of this set has scores")
        sides.append(_of_systems(replace(pairing, scores=replace(pairing.scores, frame=frame)), measure, name))
    return sides


def names_of(names: Sequence[str] | None, count: int) -> tuple[str, ...]:
    """The names of the lists: those given, or by their number.

    >>> names_of(None, 3)
    ('first', 'second', 'list 3')
    """
    if names is None:
        return ("first", "second", *(f"list {number}" for number in range(3, count + 1)))[:count]
    if len(names) != count or len(set(names)) != count:
        raise ParameterError(f"names are {count}, all different, not {', '.join(names)}")
    return tuple(names)


def correlate(
    *given: Any,
    measure: str | Measure | None = None,
    units: Sequence[Collection[str]] | None = None,
    split: int | None = None,
    names: Sequence[str] | None = None,
    direction: Directions = None,
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    p: float = 0.9,
) -> Correlations:
    """Say how far two lists order the same items alike.

    - `correlate(evaluation, "AP", "nDCG@10")`: systems under two measures, or more (then every two of them);
    - `correlate(one, other, measure="AP")`: two evaluations, as with two sets of judgments, under one measure;
    - `correlate(evaluation, measure="AP", units=(A, B))`: two sets of topics; `split=25` draws two of 25 each;
    - `correlate({"a": 0.3, "b": 0.2}, {"a": 0.5, "b": 0.6})`: two lists of scores, matched by name, or by place if they
      are lists of numbers;
    - `correlate(["d1", "d2"], ["d2", "d7"])`: two rankings, by rank-biased overlap with chance `p` to read on.

    A `Scores` table stands for an evaluation, and so do results or tables of classifiers, clusterings and extractions
    (several in a list), but for `units` and `split`. `direction`: whether `higher` or `lower` is better, for all
    measures and lists of which it is not known, or by name; of those that nothing is known of, the higher number comes
    first. The first list is the reference, which matters to tau_AP only. Every coefficient comes with an interval over
    items. Where units (topics) are known, they are also drawn anew `resamples` times, which shows how the coefficient
    moves with other units for these very items; that is no confidence interval.

    >>> found = correlate({"bm25": 0.31, "dense": 0.35, "mixed": 0.42}, {"bm25": 0.50, "dense": 0.47, "mixed": 0.61})
    >>> found.value("Kendall's tau-b")  # 2 of 3 pairs agree: (2 - 1) / 3
    0.3333
    """
    if resamples < 0:
        raise ParameterError(f"resamples are 0 or more, not {resamples}")
    if len(given) == 2 and all(map(_is_ranking, given)):
        return _rankings(given[0], given[1], names_of(names, 2), level, p)
    sides = lists_of(given, measure=measure, units=units, split=split, names=names, seed=seed, direction=direction)
    found = [_pair(one, other, level, resamples, seed) for one, other in combinations(sides, 2)]
    notes = dict.fromkeys(note for _, said in found for note in said)
    kind = sides[0].sample.unit_kind if sides[0].sample is not None else None
    return Correlations(tuple(pair for pair, _ in found), sides[0].item, kind, resamples, seed, tuple(notes))


def _pair(
    one: ListOfNumbers, other: ListOfNumbers, level: float, resamples: int, seed: int
) -> tuple[PairOfLists, list[str]]:
    """Two lists, and what is worth a note."""
    items, notes = _matched(one, other)
    first, second = (np.array([side.numbers[item] for item in items]) for side in (one, other))
    signs = [-1.0 if side.lower_is_better else 1.0 for side in (one, other)]
    found = tuple(coefficient.of(signs[0] * first, signs[1] * second, level) for coefficient in COEFFICIENTS)
    redrawn: Mapping[str, Interval] = {}
    samples = [side.sample for side in (one, other) if side.sample is not None and side.sample.can_be_reweighted]
    if len(samples) == 2:
        redrawn = with_other_units(samples[0], samples[1], items, level=level, resamples=resamples, seed=seed)
    pair = PairOfLists(one.name, other.name, found, redrawn, _side_by_side(items, first, second, signs))
    return pair, [*notes, *_notes_on(one), *_notes_on(other)]


def _matched(one: ListOfNumbers, other: ListOfNumbers) -> tuple[list[str], list[str]]:
    """The items that have a number in both lists, two at least; and what is left out."""
    items = [item for item in one.numbers if item in other.numbers]
    if not items:
        raise InputError(f"{one.name} and {other.name} have no {one.item} in common")
    known = [item for item in items if np.isfinite(one.numbers[item]) and np.isfinite(other.numbers[item])]
    if len(known) < 2:
        numbers = f"{number_of(one.item, len(known))} with a number in both"
        whys = "".join(f"; {side.name} is {why}" for side in (one, other) if (why := _why_not(side.sample)))
        raise InputError(f"{one.name} and {other.name}: expected 2 {one.item}s or more, got {numbers}{whys}")
    notes = []
    left_out = len(one.numbers) + len(other.numbers) - 2 * len(items)
    if left_out:
        notes.append(f"{number_of(one.item, left_out)} not in both of {one.name} and {other.name}, left out")
    if len(known) < len(items):
        notes.append(f"{number_of(one.item, len(items) - len(known))} without a number, left out")
    return known, notes


def _why_not(sample: Sample | None) -> str:
    """The systems that have no number, and why; nothing where only numbers are known."""
    return "" if sample is None else sample.why_not(*range(len(sample.systems)))


def _notes_on(side: ListOfNumbers) -> Iterator[str]:
    if side.sample is not None and side.sample.left_out:
        units = number_of(side.sample.unit_kind, side.sample.left_out)
        yield f"{side.name}: {units} that not all systems have left out"
    if side.lower_is_better:
        yield f"{side.name}: the smaller number is the better one"
    if side.sample is not None and side.sample.is_undirected:
        yield f"{side.name}: whether higher or lower is better is not known; higher is taken as better"


def _side_by_side(items: Sequence[str], first: Floats, second: Floats, signs: Sequence[float]) -> pl.DataFrame:
    """Both numbers and ranks of each item, the best by the first list on top; tied items share the mean rank."""
    numbers = {"first": snapped(first), "second": snapped(second)}
    frame = pl.DataFrame({"item": items} | numbers, schema_overrides={"item": pl.String})
    ranked = frame.with_columns(
        (pl.col(name) * -sign).rank("average").alias(f"{name}_rank")
        for name, sign in zip(("first", "second"), signs, strict=True)
    )
    ordered = ranked.with_columns(movement=pl.col("first_rank") - pl.col("second_rank"))
    columns = ("item", "first", "first_rank", "second", "second_rank", "movement")
    return ordered.sort("first_rank", "second_rank", maintain_order=True).select(columns)


def _is_ranking(given: Any) -> bool:
    if isinstance(given, Mapping | str) or holds_systems(given) or not hasattr(given, "__len__"):
        return False
    return bool(len(given)) and all(isinstance(item, str) for item in given)


def _rankings(
    first: Sequence[str], second: Sequence[str], names: Sequence[str], level: float, p: float
) -> Correlations:
    """Two rankings of items: rank-biased overlap; where they hold the same items, also the other coefficients."""
    overlap = rbo(list(first), list(second), p)
    note = "bounds, whatever follows the lists"
    found = [
        Correlation(
            f"RBO(p={p:g})", overlap.extrapolated, overlap.least, overlap.most, 1.0, len({*first, *second}), note
        )
    ]
    ranks = [{str(item): float(rank) for rank, item in enumerate(ranking, 1)} for ranking in (first, second)]
    items = list(dict.fromkeys([*ranks[0], *ranks[1]]))
    table = pl.DataFrame(
        {"item": items, "first_rank": map(ranks[0].get, items), "second_rank": map(ranks[1].get, items)},
        schema={"item": pl.String, "first_rank": pl.Float64, "second_rank": pl.Float64}, strict=False,
    ).with_columns(movement=pl.col("first_rank") - pl.col("second_rank"))  # fmt: skip
    notes: tuple[str, ...] = ()
    if ranks[0].keys() == ranks[1].keys():
        one, other = (np.array([-own[item] for item in items]) for own in ranks)
        found += [coefficient.of(one, other, level) for coefficient in COEFFICIENTS if coefficient.of_order]
    else:
        notes = ("the rankings hold different items: rank-biased overlap alone is defined",)
    return Correlations((PairOfLists(names[0], names[1], tuple(found), {}, table),), "item", None, 0, 0, notes)
