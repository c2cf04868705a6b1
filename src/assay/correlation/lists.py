"""What is correlated: systems under measures, judgments or topic sets, or somebody's own lists of numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assay.errors import InputError, ParameterError, did_you_mean
from assay.evaluation import Evaluation
from assay.measures.registry import Measure
from assay.scored import Scored
from assay.stats.paired import Paired
from assay.tables import Scores


class ListOfNumbers(NamedTuple):
    """A number for each item, and the units that the numbers are made of, if they are known."""

    name: str
    numbers: Mapping[str, float]
    paired: Paired | None = None
    higher_is_better: bool = True


class Asked(NamedTuple):
    """What `correlate` was asked for besides what it was given."""

    measure: str | Measure | None = None
    units: Sequence[Collection[str]] | None = None
    split: int | None = None
    names: Sequence[str] | None = None
    seed: int = 0


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
    measure, units, split, names, _ = asked
    if not given:
        raise ParameterError("there is nothing to correlate")
    if not isinstance(given[0], Evaluation | Scores):
        if measure is not None or units is not None or split is not None:
            raise ParameterError("measure, units and split go with an evaluation, not with lists of scores")
        own = [_own(one, name) for one, name in zip(given, names_of(names, len(given)), strict=True)]
        if len({isinstance(one, Mapping) for one in given}) > 1:
            raise ParameterError("give two dicts, matched by name, or two lists, matched by place: not one of each")
        if not isinstance(given[0], Mapping) and len({len(one.numbers) for one in own}) > 1:
            lengths = " and ".join(str(len(one.numbers)) for one in own)
            raise ParameterError(f"lists are matched by place and equally long, not {lengths}")
        return own
    if all(isinstance(one, Evaluation | Scores) for one in given[1:]) and len(given) > 1:
        called = names_of(names or _told_apart(given), len(given))
        sides = [_of_units(one, _measure(one, measure)) for one in given]
        return [side._replace(name=f"{side.name} ({name})") for side, name in zip(sides, called, strict=True)]
    if units is not None or split is not None:
        return _topic_sets(given[0], measure or (given[1] if len(given) > 1 else None), asked)
    wanted = given[1:] or (_measures(given[0]) if measure is None else (measure,))
    if not all(isinstance(name, str | Measure) for name in wanted):
        raise ParameterError("after an evaluation come the names of measures, or another evaluation")
    chosen = dict.fromkeys(_measure(given[0], name) for name in wanted)
    if len(chosen) < 2:
        raise ParameterError(f"correlate takes two measures at least, not {', '.join(chosen)} alone")
    return [_of_units(given[0], name) for name in chosen]


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


def _of_units(given: Evaluation | Scores, measure: str) -> ListOfNumbers:
    """Systems under a measure."""
    paired = Scored.of(given).paired(measure)
    numbers = dict(zip(paired.systems, paired.observed.tolist(), strict=True))
    return ListOfNumbers(paired.measure, numbers, paired, paired.higher_is_better)


def _topic_sets(given: Evaluation | Scores, measure: Any, asked: Asked) -> list[ListOfNumbers]:
    _, units, split, names, seed = asked
    wanted = _measure(given, measure)
    scores = given.scores if isinstance(given, Evaluation) else given
    if isinstance(given, Evaluation) and given.measure(wanted).is_micro:
        raise ParameterError(f"{wanted} sums counts up over queries: correlate topic sets under an averaged measure")
    if split is not None:
        if units is not None:
            raise ParameterError("choose units or split")
        paired = Paired.of(scores, wanted)
        if not 1 <= split <= len(paired.units) // 2:
            raise ParameterError(
                f"split draws two sets of 1 to {len(paired.units) // 2} of the {len(paired.units)} units, not {split}"
            )
        drawn = np.random.default_rng(seed).permutation(np.array(paired.units, dtype=object))
        units = (drawn[:split].tolist(), drawn[split : 2 * split].tolist())
        names = names or (f"{split} drawn", f"{split} others")
    sides = []
    called = names_of(names, len(units or ()))
    for name, chosen in zip(called, units or (), strict=True):
        frame = scores.frame.filter(pl.col("unit").is_in([str(unit) for unit in chosen]), measure=wanted)
        if not frame.height:
            raise InputError(f"{name}: no unit of this set has scores")
        undefined = given.undefined if isinstance(given, Evaluation) else "counted_as"
        paired = Paired.of(Scores(frame), wanted, undefined)
        numbers = dict(zip(paired.systems, paired.observed.tolist(), strict=True))
        sides.append(ListOfNumbers(f"{wanted} ({name})", numbers, paired, paired.higher_is_better))
    return sides


def _measures(given: Evaluation | Scores) -> list[str]:
    if isinstance(given, Evaluation):
        return list(map(str, given.measures))
    return [str(name) for name in given.frame["measure"].unique(maintain_order=True)]


def _measure(given: Evaluation | Scores, name: str | Measure | None) -> str:
    if isinstance(given, Evaluation):
        return str(given.measure(name))
    known = _measures(given)
    if name is None and len(known) == 1:
        return known[0]
    if str(name) not in known:
        raise ParameterError(f"choose a measure of {', '.join(known)}, not {name}{did_you_mean(str(name), known)}")
    return str(name)


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


def _told_apart(given: Iterable[Evaluation | Scores]) -> list[str] | None:
    """The names of the judgments, if they tell the evaluations apart."""
    called = [one.qrels.name if isinstance(one, Evaluation) else "" for one in given]
    return called if len(set(called)) == len(called) else None
