"""What is correlated: systems under measures, judgments or topic sets, or somebody's own lists of numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
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
    """A number for each item, and the units that the numbers are made of, if they are known."""

    name: str
    numbers: Mapping[str, float]
    sample: Sample | None = None
    #: Of somebody's own list, whether the smaller number is the better one.
    lower_is_better: bool = False

    @property
    def item(self) -> str:
        """What the items are."""
        return "item" if self.sample is None else "system"

    @property
    def higher_is_better(self) -> bool:
        """Whether the larger number is the better one; in somebody's own lists it is, unless stated otherwise."""
        return not self.lower_is_better if self.sample is None else self.sample.higher_is_better is not False

    @property
    def weighted(self) -> Sample | None:
        """The units, if they are known and can be drawn anew."""
        return self.sample if self.sample is not None and self.sample.can_be_reweighted else None


class Asked(NamedTuple):
    """What `correlate` was asked for besides what it was given."""

    measure: str | Measure | None = None
    units: Sequence[Collection[str]] | None = None
    split: int | None = None
    names: Sequence[str] | None = None
    seed: int = 0
    direction: Directions = None


def holds_systems(value: Any) -> bool:
    """Whether systems can be measured on it: results and tables know their subject, somebody's own numbers do not.

    >>> holds_systems([0.1, 0.2])
    False
    """
    several = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else (value,)
    return bool(several) and all(hasattr(each, "subject") for each in several)


def lists_of(given: tuple[Any, ...], asked: Asked) -> list[ListOfNumbers]:
    """The lists, at least two.

    >>> [one.name for one in lists_of(([0.1, 0.2], [0.3, 0.1]), Asked())]
    ['first', 'second']
    """
    found = _lists(given, asked)
    if len(found) < 2:
        raise ParameterError("correlate takes two lists at least: two measures, two evaluations, two lists of scores")
    return found


def _lists(given: tuple[Any, ...], asked: Asked) -> list[ListOfNumbers]:
    if not given:
        raise ParameterError("there is nothing to correlate")
    if not holds_systems(given[0]):
        return _own_lists(given, asked)
    rest = given[1:]
    if rest and all(map(holds_systems, rest)):
        return _of_each(given, asked)
    if not all(isinstance(name, str | Measure) for name in rest):
        raise ParameterError("after an evaluation come the names of measures, or another evaluation")
    if rest and asked.measure is not None:
        raise ParameterError("say the measures after the evaluation, or one as measure=: not both")
    wanted = rest or (None if asked.measure is None else (asked.measure,))
    measured = pairing_of(lists_of, given[0], measures=wanted, direction=asked.direction)
    if asked.units is not None or asked.split is not None:
        return _topic_sets(measured, _one_measure(measured, wanted), asked)
    chosen = measured.measure_names(wanted)
    if len(chosen) < 2:
        raise ParameterError(f"correlate takes two measures at least, not {', '.join(chosen)} alone")
    return [_of_systems(measured, name) for name in chosen]


def _own_lists(given: tuple[Any, ...], asked: Asked) -> list[ListOfNumbers]:
    """Numbers matched by name, or by place."""
    if asked.measure is not None or asked.units is not None or asked.split is not None:
        raise ParameterError("measure, units and split go with an evaluation, not with lists of scores")
    names = names_of(asked.names, len(given))
    stated = dict.fromkeys(names, asked.direction) if isinstance(asked.direction, str) else asked.direction or {}
    for name, word in stated.items():
        if name not in names or word not in {"higher", "lower"}:
            raise ParameterError(f"a direction is higher or lower, of {' or '.join(names)}, not {word!r} of {name}")
    own = [
        _own(one, name)._replace(lower_is_better=stated.get(name) == "lower")
        for one, name in zip(given, names, strict=True)
    ]
    if len({isinstance(one, Mapping) for one in given}) > 1:
        raise ParameterError("give two dicts, matched by name, or two lists, matched by place: not one of each")
    if not isinstance(given[0], Mapping) and len({len(one.numbers) for one in own}) > 1:
        lengths = " and ".join(str(len(one.numbers)) for one in own)
        raise ParameterError(f"lists are matched by place and equally long, not {lengths}")
    return own


def _own(given: Any, name: str) -> ListOfNumbers:
    if isinstance(given, Mapping):
        return ListOfNumbers(name, {str(item): _number(value, name, item) for item, value in given.items()})
    if isinstance(given, str | bytes) or not hasattr(given, "__len__"):
        raise ParameterError(f"{name}: expected a list of numbers or a dict of them, got {type(given).__name__}")
    return ListOfNumbers(name, {str(place): _number(value, name, place) for place, value in enumerate(given, 1)})


def _number(value: Any, name: str, item: Any) -> float:
    try:
        return float("nan") if value is None else float(value)
    except (TypeError, ValueError):
        raise ParameterError(f"{name}: {item}: expected a number, got {value!r}") from None


def _of_each(given: Iterable[Any], asked: Asked) -> list[ListOfNumbers]:
    """Systems under one measure in each of the evaluations."""
    if asked.units is not None or asked.split is not None:
        raise ParameterError("units and split go with one evaluation, not with several")
    wanted = None if asked.measure is None else (asked.measure,)
    measured = [pairing_of(lists_of, each, measures=wanted, direction=asked.direction) for each in given]
    called = names_of(asked.names or _told_apart(measured), len(measured))
    return [_of_systems(one, _one_measure(one, wanted), name) for one, name in zip(measured, called, strict=True)]


def _of_systems(measured: Pairing, measure: str, name: str | None = None) -> ListOfNumbers:
    """Systems under a measure; `name` tells which of the lists under that measure."""
    sample = measured.sample(measure)
    numbers = dict(zip(sample.systems, sample.observed.tolist(), strict=True))
    return ListOfNumbers(sample.measure if name is None else f"{sample.measure} ({name})", numbers, sample)


def _one_measure(measured: Pairing, wanted: tuple[str | Measure, ...] | None) -> str:
    found = measured.measure_names(wanted)
    if len(found) != 1:
        raise ParameterError(f"choose one measure of {', '.join(found)}")
    return found[0]


def _topic_sets(measured: Pairing, measure: str, asked: Asked) -> list[ListOfNumbers]:
    """Systems under a measure on each set of units."""
    if not isinstance(measured, ScorePairing):
        raise ParameterError(f"units and split take numbers of units, and {measured.holds} have none")
    if not measured.sample(measure).averages_units:
        raise ParameterError(f"{measure} sums counts up over queries: correlate topic sets under an averaged measure")
    if asked.split is None:
        sets, names = asked.units or (), asked.names
    elif asked.units is None:
        sets = _split(measured.sample(measure).units, asked.split, asked.seed)
        names = asked.names or (f"{asked.split} drawn", f"{asked.split} others")
    else:
        raise ParameterError("choose units or split")
    sides = []
    for name, chosen in zip(names_of(names, len(sets)), sets, strict=True):
        frame = measured.scores.frame.filter(pl.col("unit").is_in([str(unit) for unit in chosen]), measure=measure)
        if not frame.height:
            raise InputError(f"{name}: no unit of this set has scores")
        sides.append(_of_systems(replace(measured, scores=replace(measured.scores, frame=frame)), measure, name))
    return sides


def _split(units: Sequence[str], size: int, seed: int) -> tuple[list[str], list[str]]:
    """Two random sets of units that have none in common."""
    if not 1 <= size <= len(units) // 2:
        raise ParameterError(f"split draws two sets of 1 to {len(units) // 2} of the {len(units)} units, not {size}")
    drawn = np.random.default_rng(seed).permutation(np.array(units, dtype=object)).tolist()
    return drawn[:size], drawn[size : 2 * size]


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


def _told_apart(measured: Iterable[Pairing]) -> list[str] | None:
    """The names of the judgments, if they tell the evaluations apart."""
    called = [pairing.reference for pairing in measured]
    return called if len(set(called)) == len(called) else None
