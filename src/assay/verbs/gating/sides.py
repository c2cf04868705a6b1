"""`Sides`: the baseline and the candidate as a subject pairs them for a gate, and how two are chosen of several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

from assay.core.digits import as_percents
from assay.core.errors import ParameterError, listed, not_among, number_of
from assay.stats.pairing import ItemPairing, Pairing
from assay.stats.samples import Sample
from assay.verbs.gating.checks import GateSettings
from assay.verbs.gating.guards import MISSING_ITEMS, Coverage, Guard
from assay.verbs.gating.rules import Named
from assay.verbs.subject import name_of

#: What to say where there is nothing that a gate could be on.
TAKES = (
    "a gate takes judgments, a baseline and a candidate; or predictions of two classifiers; or two clusterings; or two "
    "extractions; or scores of two systems"
)
#: A table of one system, or its result: a dataclass with a `name`.
System = TypeVar("System", bound=Any)


class Two(NamedTuple):
    """Who is the baseline and who the candidate, as they were given: systems, or names of systems, or nothing."""

    baseline: Any = None
    candidate: Any = None

    @classmethod
    def of(cls, data: Any, rest: Sequence[Any], baseline: Any, candidate: Any) -> Two:
        """Those given by name or, after the data, by place; after data that hold the truth comes the candidate alone.

        >>> Two.of("qrels.txt", ["old", "new"], None, None), Two.of("scores.csv", ["words"], None, "bayes")
        (Two(baseline='old', candidate='new'), Two(baseline='words', candidate='bayes'))
        """
        if len(rest) == 1 and candidate is None and name_of(data) and name_of(rest[0]) == name_of(data):
            rest = [None, *rest]
        sides = [baseline, candidate]
        if len(rest) > len(sides):
            raise ParameterError(f"a gate takes a baseline and a candidate, not {number_of('system', len(rest))}")
        for place, each in enumerate(rest):
            if each is not None and sides[place] is not None:
                raise ParameterError(f"the {cls._fields[place]} is given twice")
            sides[place] = sides[place] if each is None else each
        return cls(*sides)

    def among(self, data: Any, opened: Callable[[Any], list[System]], holds: str, truth: str = "truth") -> list[System]:
        """Both systems, baseline first; `opened` gives those that data hold.

        The data and, where they are data too, baseline and candidate hold the systems; where the latter are names, they
        choose among the systems. Of two systems, the one without a part takes the other's; where neither has one, the
        first is the baseline. `holds`: what data are, in words; `truth`: what is in them.
        """
        subject = name_of(data)
        first, second = (opened(side) if side is not None and name_of(side) == subject else [] for side in self)
        rest = opened(data)
        if first and second:
            named = listed([system.name for system in rest])
            raise ParameterError(
                f"{holds} hold the {truth} themselves: beside a baseline and a candidate, {named} is none"
            )
        groups = [group for group in (first, rest, second) if group]
        # In many pipelines both files have the same name.
        if [len(group) for group in groups] == [1, 1] and groups[0][0].name == groups[1][0].name:
            groups = [
                [replace(group[0], name=f"{group[0].name} ({role})")]
                for group, role in zip(groups, self._fields, strict=True)
            ]
            first, second = (groups[0] if first else []), (groups[1] if second else [])
        every = [system for group in groups for system in group]
        names = [system.name for system in every]
        old, new = chosen_two(names, _name(self.baseline, first, holds), _name(self.candidate, second, holds))
        ends = ((old, every), (new, every[::-1]))
        return [next(system for system in systems if system.name == name) for name, systems in ends]


def _name(side: Any, opened: Sequence[Any], holds: str) -> str | None:
    """The name of the system that was meant, as far as it is known."""
    if side is None or opened:
        return opened[0].name if len(opened) == 1 else None
    if not isinstance(side, str):
        kind = type(side).__name__
        raise ParameterError(f"beside {holds}, expected more of them or the name of a system, not {kind}")
    return side


def chosen_two(names: list[str], baseline: str | None, candidate: str | None) -> tuple[str, str]:
    """The names of the baseline and the candidate, of which one or both may not have been said.

    >>> chosen_two(["old", "new"], None, "old")
    ('new', 'old')
    """
    for name in (baseline, candidate):
        if name is not None and name not in names:
            raise not_among("system", name, names)
    rest = [name for name in names if name not in {baseline, candidate}]
    first = baseline or (rest.pop(0) if rest else None)
    second = candidate or (rest.pop(0) if rest else None)
    if first is not None and first == second:
        raise ParameterError(f"the baseline and the candidate are both {first!r}")
    if first is None or second is None:
        raise ParameterError(f"a gate takes a baseline and a candidate, not {listed(names)} alone")
    if rest and (baseline is None or candidate is None):
        raise ParameterError(f"which of {listed(names)} is the baseline, and which the candidate? name both")
    return first, second


@dataclass(frozen=True, eq=False)
class Sides:
    """Baseline and candidate, paired under the same rules, and the measures to gate on.

    `named`: what a measure is called here. `coverage`: what the numbers of runs rest on. `frozen`: the baseline, where
    it was one of earlier numbers.
    """

    pairing: Pairing
    measures: list[str]
    named: Named = str
    coverage: tuple[Coverage, ...] = ()
    frozen: Any = None

    def guards(self, samples: Sequence[Sample], settings: GateSettings) -> tuple[Guard, ...]:
        """The conditions on the inputs of both."""
        del samples, settings
        return ()

    def why_undefined(self, measure: str) -> str:
        """Why a measure has no value for any unit of a system, where only the subject knows."""
        del measure
        return ""

    def notes(self) -> list[str]:
        """What to note of the inputs."""
        return []


class ItemSides(Sides):
    """Two systems on the same items: neither may lack too many that the other has."""

    pairing: ItemPairing

    @classmethod
    def of(cls, pairing: ItemPairing, measures: Any, usual: Sequence[str]) -> ItemSides:
        """Both systems; `usual`: the measures unless others are asked for."""
        names = pairing.measure_names(usual if measures is None else measures)
        return cls(pairing, names, lambda measure: str(pairing.measure(measure)))

    def guards(self, samples: Sequence[Sample], settings: GateSettings) -> tuple[Guard, ...]:
        """Whether neither system lacks too many of the items that the other has."""
        del samples
        guards, pairing, allowed = [], self.pairing, settings.max_missing
        for system, other, size in zip(pairing.names, pairing.names[::-1], pairing.sizes[::-1], strict=True):
            lacking = size - len(pairing.items)
            part, most = as_percents([lacking / size, allowed])
            says = f"{system} lacks {lacking:,} of {number_of('item', size)} of {other} ({part})"
            guards.append(Guard(MISSING_ITEMS, system, lacking <= allowed * size + 1e-9, f"{says}; allowed are {most}"))
        return tuple(guards)
