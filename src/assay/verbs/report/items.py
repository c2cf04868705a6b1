"""Reports on items, of classifiers and clusterings: what both have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Generic, Self, TypeVar, cast

from assay.core import registry
from assay.core.errors import ParameterError, did_you_mean, joined, number_of, several
from assay.verbs.comparison import Comparison
from assay.verbs.item_results import ItemResult
from assay.verbs.report.report import (
    IN_MEMORY,
    InputFile,
    Reported,
    Request,
    check_name,
    compared_with,
    refuse_repeated,
)
from assay.verbs.sections.reports import MOST_SYSTEMS

_MOST_NAMES = 6


ResultT = TypeVar("ResultT", bound=ItemResult[Any])


@dataclass(frozen=True, eq=False)
class Items(Reported, Generic[ResultT]):
    """The basis of such a report: the systems' numbers, and their comparison with a baseline.

    `comparison` is None if nothing could be compared; `notes` then say why.
    """

    #: The name of the subject.
    subject: ClassVar[str]
    #: What a system is, what its file is read as, and how that file is described.
    kind: ClassVar[str]
    role: ClassVar[str]
    described: ClassVar[str]
    #: What is shown of systems that are looked at closely.
    details: ClassVar[str]
    #: What makes the result, and of which class that is.
    verb: ClassVar[Callable[..., Any]]
    result_type: ClassVar[type[Any]]

    result: ResultT
    baseline: str = ""
    comparison: Comparison | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, request: Request) -> Self:
        """Take a result, or a comparison of such systems with one baseline; or evaluate what the verb takes.

        Of several systems the first, or the one that `baseline` names, is what the others are compared with; the rule
        `comparison` are further arguments of `compare` for that.
        """
        source = request.source
        rules = request.rules
        if isinstance(source, Comparison):
            refuse_repeated({"measures": request.measures, **rules}, "comparison", "compare")
            first = compared_with(source, request.baseline)
            inputs, settings = cls.taken_from(source.pairing)
            settings |= {"confidence": round(1 - source.settings.alpha, 12), "seed": source.settings.seed}
            result = cls.verb(inputs, list(source.measures), **settings)
            return cls(result, first, notes=tuple(getattr(result, "notes", ()))).compared({}, source)
        asked = rules.pop("comparison", None) or {}
        runs = request.runs
        result = cls._result(source if runs is None else [*_each(source), *_each(runs)], request.measures, rules)
        names = [system.name for system in result.systems]
        check_name("baseline", request.baseline, names)
        basis = cls(result, request.baseline or names[0], notes=tuple(getattr(result, "notes", ())))
        settings = {"alpha": round(1 - result.confidence, 12), "seed": result.seed, **asked}
        return basis if len(names) == 1 else basis.compared(settings, None)

    @classmethod
    def _result(cls, source: Any, measures: Any, rules: Mapping[str, Any]) -> ResultT:
        """The result that was given, or the one that the verb makes of the data."""
        if isinstance(source, cls.result_type):
            refuse_repeated({"measures": measures, **rules}, source.kind, cls.verb.__name__)
            return cast("ResultT", source)
        known = registry.subject(cls.subject).report_rules
        for name in rules:
            if name not in known:
                raise ParameterError(f"{name!r} is no rule of {several(cls.kind)}{did_you_mean(name, known)}")
        return cast("ResultT", cls.verb(source, measures, **rules))

    @staticmethod
    @abstractmethod
    def taken_from(systems: Any) -> tuple[list[Any], dict[str, Any]]:
        """The inputs of the verb for systems that were compared, and their rules."""

    @abstractmethod
    def compared(self, asked: dict[str, Any], comparison: Comparison | None) -> Self:
        """The same with the systems held against the baseline, as `compare` does, if that has not been done."""

    @cached_property
    def close(self) -> list[str]:
        """The systems that are looked at closely."""
        return [system.name for system in self.result.systems[:MOST_SYSTEMS]]

    def too_many(self) -> Iterator[str]:
        """A note where not all systems are looked at closely."""
        if len(self.result.systems) > MOST_SYSTEMS:
            yield (
                f"{number_of(self.kind, len(self.result.systems))} are too many to show each in detail: "
                f"{self.details} are of the first {MOST_SYSTEMS}, the table has all"
            )

    @property
    def title(self) -> str:
        """The systems' names."""
        return joined([system.name for system in self.result.systems], _MOST_NAMES)

    @property
    def seed(self) -> int:
        """The seed of everything random."""
        return self.result.seed

    @property
    def signatures(self) -> Iterable[str]:
        """The signatures of the numbers: of systems that were counted by the same rules, each has one."""
        return dict.fromkeys(text for by_measure in self.result.signatures.values() for text in by_measure.values())

    def inputs(self) -> Iterator[InputFile]:
        """The files, each once, and what was in memory."""
        origins: dict[str, list[str]] = {}
        for system in self.result.systems:
            origin = getattr(getattr(system, self.role), "origin", None)
            origins.setdefault(origin or IN_MEMORY, []).append(system.name)
        counts = number_of("item", self.result.items)
        for origin, names in origins.items():
            systems = ", ".join(names)
            if origin == IN_MEMORY:
                yield InputFile(self.role, systems, IN_MEMORY, counts)
            else:
                yield InputFile(self.role, origin, f"{self.described} {systems}", counts)


def _each(systems: Any) -> list[Any]:
    return list(systems) if isinstance(systems, list | tuple) else [systems]
