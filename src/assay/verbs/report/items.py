"""Reports on items, of classifiers and clusterings: what both have in common."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar, cast

import polars as pl

from assay.core import registry
from assay.core.digits import as_level
from assay.core.errors import ParameterError, did_you_mean, joined, number_of, several
from assay.core.words import INTERVALS, tone_of
from assay.show.figure import Axis, rounded_out
from assay.show.model import Column, Kind, Prose, Section, Table, Verdict
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
    shortened,
    summed_up,
)
from assay.verbs.sections.comparisons import verdicts_table
from assay.verbs.sections.estimates import (
    NoSkill,
    measures_table,
    remarks_of,
    undefined,
    without_interval,
)
from assay.verbs.sections.sentences import conflict, headline, of_finding, of_verdict

if TYPE_CHECKING:
    from assay.measures.registry import Measure
    from assay.stats.pairing import EffectColumns


#: Of more systems than these, only the first are looked at closely; all are in the table.
MOST_SYSTEMS = 6
#: Names of items, labels and clusters are no longer than this.
LONGEST_NAME = 80
#: So many remarks stand beside the claim; the others below it.
_MOST_REMARKS = 4
_MOST_NAMES = 6
_A_PAIR = 2


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
            return cast(ResultT, source)
        known = registry.subject(cls.subject).report_rules
        for name in rules:
            if name not in known:
                raise ParameterError(f"{name!r} is no rule of {several(cls.kind)}{did_you_mean(name, known)}")
        return cast(ResultT, cls.verb(source, measures, **rules))

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


def named(text: Any) -> str:
    """An id or a label by itself as it is shown, not too long."""
    return shortened(str(text), LONGEST_NAME)


def summary(
    basis: Items[Any],
    lead: str,
    worth: Iterable[str],
    warnings: Iterable[str] = (),
    data: Mapping[str, Any] | None = None,
) -> Section:
    """The worth of the systems in words, remarks on it, and caveats: `warnings`, besides those of all.

    The verdict on a single pair under the main measure stands on top: short, then with its numbers.
    """
    result, held = basis.result, basis.comparison
    parts = claims(held, worth, "item")
    remarks = tuple(f"{text}." for text in remarks_of(result))
    advice = Prose(style="advice", title="What to know", points=remarks[:_MOST_REMARKS]) if remarks else None
    minded = [*result.warnings, *warnings]
    shared = {
        "confidence": result.confidence,
        "remarks": [remark._asdict() for remark in result.advice],
        "caveats": list(remarks),
        "warnings": minded,
    }
    return summed_up(lead, parts, advice, minded, {**shared, **(data or {})})


def claims(held: Comparison | None, worth: Iterable[str], kind: str) -> list[Prose | Verdict]:
    """The verdict on a single pair, short and then with its numbers; and what the systems are worth, in sentences."""
    parts: list[Prose | Verdict] = []
    if held is not None and len(held.systems) == _A_PAIR:
        finding = held.findings[0]
        word, short = finding.verdict.word, f"{headline(finding)} under {finding.measure}."
        numbers = filter(None, (of_verdict(finding, kind), conflict(finding, kind)))
        parts += [Verdict(word, tone_of(word), short), *map(Prose, numbers)]
    return parts + [Prose(text) if place or parts else Prose(text, "claim") for place, text in enumerate(worth)]


def further_advice(result: ItemResult[Any]) -> Iterator[Section]:
    """The remarks that have no place beside the claim."""
    if rest := tuple(f"{text}." for text in remarks_of(result))[_MOST_REMARKS:]:
        yield Section("advice", "More to know", (Prose(style="list", points=rest),), short="Advice")


def measured(
    result: ItemResult[Any],
    beside: Sequence[NoSkill] = (),
    averages: Mapping[str, str] | None = None,
) -> Section:
    """Every measure with its interval, drawn where it has bounds, and beside it what no skill at all would score.

    `averages` says what the averages are over, by their names.
    """
    table, bounds = measures_table(result, beside), [is_bounded(measure) for measure in result.measures]
    notes = [_note(measure, averages or {}) for measure in result.measures]
    frame = table.frame.with_columns(pl.Series("note", notes, dtype=pl.String), pl.Series("is_bounded", bounds))
    estimates = [result.estimate(measure, system.name) for system in result.systems for measure in result.measures]
    axis = _axis(frame.filter("is_bounded"), [each.kind for each in beside], table)
    ways = dict.fromkeys(INTERVALS[each.method].short for each in estimates if each.method in INTERVALS)
    legend = [f"Lines: {as_level(result.confidence)} intervals ({', '.join(ways)})."] if ways else []
    if not all(bounds):
        legend.append("Only measures from 0 to 1, or from -1 to 1, are drawn.")
    legend += [f"No skill: the score if the answer is {each.says}, drawn as a thin line." for each in beside]
    lines = (" ".join(legend), *undefined(result), *without_interval(result))
    size = "systems measured" if len(result.systems) == 1 else "systems measured several"
    columns = tuple(_drawn(column, axis, beside) for column in table.columns)
    table = replace(table, frame=frame, columns=columns, caption="Measures, with intervals", drawn="is_bounded")
    table = replace(table, notes=tuple(filter(None, lines)), look=size)
    lead = "Every number with its interval" + (", and beside it what no skill at all would score." if beside else ".")
    return Section("measures", "Measures", (table,), lead, data={"estimates": result.to_frame().to_dicts()})


def is_bounded(measure: Measure) -> bool:
    """True if a measure has a place on the axis that all share: its values are from -1 to 1, or from 0 to 1."""
    low, high = measure.definition.bounds or (-math.inf, math.inf)
    return low >= -1 and high <= 1


def _note(measure: Measure, averages: Mapping[str, str]) -> str:
    """A note that the name of a measure lacks: the units of its average, and which way it is good."""
    way = {False: "lower is better", None: "neither high nor low is taken as better", True: ""}
    parts = (averages.get(measure.parameters.get("average", "")), way[measure.definition.higher_is_better])
    text = "; ".join(filter(None, parts))
    return f" ({text})" if text else ""


def _axis(frame: pl.DataFrame, kinds: Sequence[str], table: Table) -> Axis | None:
    """From 0, or from below it where something shown is negative, to 1; None if no measure has its place there."""
    names = {name for column in table.columns if column.ends for name in (column.name, *column.ends)}
    values = [value for name in (*names, *kinds) for value in frame[name].drop_nulls().drop_nans()]
    return Axis(rounded_out(min(value, 0.0) for value in values).low, 1.0) if frame.height else None


def _drawn(column: Column, axis: Axis | None, beside: Sequence[NoSkill]) -> Column:
    """A column of the table as the page draws it."""
    if column.ends:
        kind: Kind = "estimate" if column.kind == "estimate" else "interval"
        ground = beside[0].kind if beside else ""
        return replace(column, kind=kind, axis=axis, ground=ground, least=4)
    if column.name == "measure":
        return replace(column, also="note")
    return replace(column, title="no skill") if column.name in {each.kind for each in beside} else column


def verdicts(
    held: Comparison,
    caption: str,
    drawn: Collection[str] | None = None,
    *,
    kind: str = "item",
    effects: EffectColumns = "none",
) -> Section:
    """Each verdict on a line, and all of them in words; differences are drawn of measures in `drawn`, or of all."""
    tested = any(not math.isnan(finding.p) for finding in held.findings)  # clusterings have intervals only
    table = verdicts_table(held.findings, caption=caption, effects=effects, tested=tested, drawn=drawn)
    words = tuple(Prose(of_finding(finding, kind, held.settings.power)) for finding in held.findings)
    settings = {"comparisons": held.family_size, "correction": held.correction, "settings": held.settings._asdict()}
    return Section("verdicts", parts=(table, Section("words", "In words", words, fold="closed")), data=settings)


def by_system(
    name: str,
    title: str,
    lead: str,
    parts: Sequence[Section],
    result: ItemResult[Any],
    *,
    short: str,
    every: bool = True,
) -> Section:
    """A section of parts, one for each system, of which the first is open; one alone needs no title.

    `every`: it says so if not all systems are there.
    """
    if len(parts) == 1:
        folded = [replace(parts[0], title="", aside="")]
    else:
        folded = [replace(part, fold="closed" if place else "open") for place, part in enumerate(parts)]
    systems = number_of(registry.subject(result.subject).words.system, len(result.systems))
    some = f" Shown for {len(parts):,} of {systems}." if every and len(parts) != len(result.systems) else ""
    return Section(name, title, tuple(folded), f"{lead}{some}".strip(), short)
