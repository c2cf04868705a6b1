"""The common part of classifiers and clusterings: systems that are given in many shapes, and `ItemResult`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, Self, TypeVar, Unpack

import polars as pl

from assay.core import registry
from assay.core.errors import InputError, ParameterError, naming, only_one, several
from assay.core.options import PlaceOptions
from assay.core.results import Result
from assay.measures.registry import Measure
from assay.measures.steps import PerUnit
from assay.tables import Scores

if TYPE_CHECKING:
    from assay.stats.estimates import Estimate
    from assay.verbs.explanation import Explanation
    from assay.verbs.subject import Remark


TableT = TypeVar("TableT")


def named_systems(
    data: Any, opened: Callable[[Any], Iterable[tuple[str, TableT]]], word: str, held: str
) -> dict[str, TableT]:
    """The tables that were given, by the names of the systems: what `opened` takes, or lists and dicts of such.

    A dict names its parts; where one holds several systems, each is called by both names. `word` and `held` are what a
    system and what is given are called.

    >>> tables = {"tea": {"black": 1, "green": 2}, "mine": [3]}
    >>> named_systems(tables, lambda number: [("a number", number)], "system", "numbers")
    {'tea black': 1, 'tea green': 2, 'mine': 3}
    """
    systems: dict[str, TableT] = {}
    for name, table in _each_system(data, opened):
        if name in systems:
            raise ParameterError(f"two {several(word)} are called {name!r}: give each a name of its own, {naming()}")
        systems[name] = table
    if not systems:
        raise ParameterError(f"expected {held}, got none")
    return systems


def _each_system(data: Any, opened: Callable[[Any], Iterable[tuple[str, TableT]]]) -> Iterator[tuple[str, TableT]]:
    if isinstance(data, Mapping):
        for name, part in data.items():
            systems = list(_each_system(part, opened))
            yield from ((str(name) if len(systems) == 1 else f"{name} {each}", table) for each, table in systems)
    elif isinstance(data, Sequence) and not isinstance(data, str | bytes):
        for part in data:
            yield from _each_system(part, opened)
    else:
        yield from opened(data)


def not_alike(tables: Sequence[Any], align: Callable[[Any], object], word: str) -> tuple[str, ...]:
    """A warning if systems were not given the same items with the same truth, as far as they hold any."""
    try:
        align(tables) if len(tables) > 1 else None
    except InputError as problem:
        return (f"the {several(word)} do not have the same items, so their numbers are not comparable: {problem}",)
    return ()


class ItemSystem(Protocol):
    """A system as it was evaluated: its name, its counts by their type, and what each measure gave."""

    @property
    def name(self) -> str:
        """The name of the system."""

    @property
    def counts(self) -> Mapping[type, Any]:
        """The counts of its measures."""

    @property
    def results(self) -> Mapping[Measure, PerUnit]:
        """The results of its measures."""


SystemT = TypeVar("SystemT", bound=ItemSystem)


@dataclass(frozen=True, eq=False)
class ItemResult(Result, ABC, Generic[SystemT]):
    """Every measure of every system, with intervals, signatures and advice; subjects add what they know of items.

    >>> from assay import Predictions, classify
    >>> result = classify(Predictions.of([1, 1, 1, 0, 0], [1, 1, 0, 0, 0], name="mine"), ["Recall", "Specificity"])
    >>> isinstance(result, ItemResult), result.system().name, str(result.measure("Recall"))
    (True, 'mine', 'Recall')
    """

    subject: ClassVar[str]
    #: What people call a system.
    system_word: ClassVar[str] = "system"

    systems: tuple[SystemT, ...]
    measures: tuple[Measure, ...]
    #: The level of the intervals, how often is drawn for them, and from which seed.
    confidence: float = field(default=0.95, kw_only=True)
    resamples: int = field(default=2000, kw_only=True)
    seed: int = field(default=0, kw_only=True)
    #: Codes of remarks that are not made.
    mute: tuple[str, ...] = field(default=(), kw_only=True)
    warnings: tuple[str, ...] = field(default=(), kw_only=True)

    @property
    @abstractmethod
    def items(self) -> int:
        """The number of items of the first system."""

    @abstractmethod
    def value(self, measure: str | Measure | None = None, system: str | None = None) -> float:
        """One number, NaN if it is undefined; `estimate` says why."""

    @cached_property
    @abstractmethod
    def advice(self) -> tuple[Remark, ...]:
        """Advice to whoever relies on the numbers, each remark with the number behind it."""

    @abstractmethod
    def _parsed(self, name: str | Measure) -> Measure:
        """A measure of the subject's vocabulary by name."""

    @abstractmethod
    def _estimates(self, system: SystemT) -> Mapping[Measure, Estimate]:
        """Every number of a system with its interval."""

    @abstractmethod
    def _signature(self, measure: Measure, system: SystemT) -> str:
        """All that a number depends on."""

    @abstractmethod
    def _unit_scores(self, system: SystemT, measure: Measure) -> pl.DataFrame:
        """A measure's numbers, one row per unit, as `Scores` has them."""

    def complete(self) -> Self:
        """Finish every number with its interval, and the advice that rests on them."""
        for system in self.systems:
            for measure in self.measures:
                self.estimate(measure, system.name)
        return self._finish("advice")

    def system(self, name: str | None = None) -> SystemT:
        """A system by name; may be left out if there is only one."""
        return only_one(self.system_word, name, {system.name: system for system in self.systems})

    def measure(self, name: str | Measure | None = None) -> Measure:
        """A measure of this result by name; may be left out if there is only one."""
        wanted = None if name is None else self._parsed(name)
        return only_one("measure", wanted, {measure: measure for measure in self.measures})

    def estimate(self, measure: str | Measure | None = None, system: str | None = None) -> Estimate:
        """One number with its interval and the way that was found; or the reason why there is no number."""
        chosen = self.system(system)
        estimates = self._once("estimates", chosen.name, lambda: self._estimates(chosen))
        return estimates[self.measure(measure)]

    def explain(
        self, measure: str | Measure | None = None, system: str | None = None, **chosen: Unpack[PlaceOptions]
    ) -> Explanation:
        """Show how a number came about, step by step: see `explain`, whose `label`, `item`, `threshold` go here, too.

        >>> from assay import Predictions, classify
        >>> classify(Predictions.of([1, 0, 1], [1, 1, 1]), "Precision").explain().formula.numbers
        '2 / 3'
        """
        wanted = self.measure() if measure is None else measure
        explanation: Explanation = registry.verb("explain")(wanted, self, system=system, **chosen)
        return explanation

    @cached_property
    def scores(self) -> Scores:
        """One number per system, measure and unit."""
        rows = [self._unit_scores(system, measure) for system in self.systems for measure in system.results]
        return Scores(pl.concat(rows), {str(measure): measure.definition.direction for measure in self.measures})

    @property
    def signatures(self) -> dict[str, dict[str, str]]:
        """Everything each number depends on, by system and measure.

        >>> from assay import Predictions, classify
        >>> classify(Predictions.of([0, 1], y_score=[0.2, 0.7], name="mine"), "Recall").signatures["mine"]["Recall"]
        'Recall|average=binary|positive=1|threshold=0.5|ties=>=|undefined=skip|v1'
        """
        return {
            system.name: {str(measure): self._signature(measure, system) for measure in self.measures}
            for system in self.systems
        }
