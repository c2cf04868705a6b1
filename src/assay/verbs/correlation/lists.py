"""What is correlated: systems under measures, judgments or topic sets, or somebody's own lists of numbers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assay.core.errors import InputError, ParameterError
from assay.measures.registry import Measure
from assay.stats.pairing import Directions, Pairing
from assay.stats.samples import Sample
from assay.verbs.scores import ScorePairing
from assay.verbs.subject import pairing_of


class ListOfNumbers(NamedTuple):
    """A number for each item, which way is good, and the units that the numbers are made of, if they are known."""

    name: str
    numbers: Mapping[str, float]
    sample: Sample | None = None
    lower_is_better: bool = False

    @property
    def item(self) -> str:
        """What the items are."""
        return "item" if self.sample is None else "system"


def holds_systems(value: Any) -> bool:
    """Whether systems can be measured on it: results and tables know their subject, somebody's own numbers do not.

    >>> holds_systems([0.1, 0.2])
    False
    """
    several = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else (value,)
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
