"""Reports on items, of classifiers and clusterings: what both have in common, and the heat map with its items."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, Self, TypeVar, cast

import numpy as np
import polars as pl

from assay.core import registry
from assay.core.digits import as_level, as_percent, counted, percent_span
from assay.core.errors import ParameterError, did_you_mean, joined, number_of, several
from assay.core.words import INTERVALS, tone_of
from assay.measures.parser import display_name
from assay.show.figure import Axis, rounded_out
from assay.show.model import Column, Kind, Prose, Section, Table, Verdict, Widget
from assay.stats.bootstrap import Interval, wilson
from assay.verbs.comparison import Comparison
from assay.verbs.item_results import ItemResult
from assay.verbs.report.report import (
    IN_MEMORY,
    InputFile,
    Request,
    Role,
    check_name,
    compared_with,
    refuse_repeated,
    shortened,
    summed_up,
)
from assay.verbs.sections.comparisons import Effects, verdicts_table
from assay.verbs.sections.estimates import (
    NoSkill,
    counts_table,
    measures_table,
    remarks_of,
    undefined,
    without_interval,
)
from assay.verbs.sections.sentences import conflict, headline, of_finding, of_verdict

if TYPE_CHECKING:
    from assay.measures.registry import Measure


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
class Items(ABC, Generic[ResultT]):
    """What such a report rests on: the systems' numbers, and what came of holding them against a baseline.

    `comparison` is None if nothing could be compared; `notes` then say why.
    """

    #: The name of the subject.
    subject: ClassVar[str]
    #: What a system is, what its file is read as, and how that file is described.
    kind: ClassVar[str]
    role: ClassVar[Role]
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

        Of several systems the first, or the one that `baseline` names, is what the others are held against; the rule
        `comparison` are further arguments of `compare` for that.
        """
        source, runs, measures, baseline, details, rules = request
        for name in details:
            raise ParameterError(f"{name} goes with rankings: a report on {several(cls.kind)} has none")
        if isinstance(source, Comparison):
            refuse_repeated({"measures": measures, **rules}, "comparison", "compare")
            first = compared_with(source, baseline)
            inputs, settings = cls.taken_from(source.pairing)
            settings |= {"confidence": round(1 - source.settings.alpha, 12), "seed": source.settings.seed}
            result = cls.verb(inputs, list(source.measures), **settings)
            return cls(result, first, notes=tuple(getattr(result, "notes", ()))).compared({}, source)
        asked = rules.pop("comparison", None) or {}
        result = cls._result(source if runs is None else [*_each(source), *_each(runs)], measures, rules)
        names = [system.name for system in result.systems]
        check_name("baseline", baseline, names)
        basis = cls(result, baseline or names[0], notes=tuple(getattr(result, "notes", ())))
        settings = {"alpha": round(1 - result.confidence, 12), "seed": result.seed, **asked}
        return basis if len(names) == 1 else basis.compared(settings, None)

    @classmethod
    def _result(cls, source: Any, measures: Any, rules: Mapping[str, Any]) -> ResultT:
        """What was given, where it is a result; or what the verb makes of it."""
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
        """What the verb takes to evaluate systems that were compared, and the rules for it."""

    @abstractmethod
    def compared(self, asked: dict[str, Any], comparison: Comparison | None) -> Self:
        """The same with the systems held against the baseline, as `compare` does, if that has not been done."""

    @cached_property
    def held(self) -> Comparison | None:
        """The comparison, with measures named as people call them."""
        if self.comparison is None:
            return None
        names = {str(measure): display_name(measure) for measure in self.result.measures}
        findings = (
            finding._replace(measure=names.get(finding.measure, finding.measure))
            for finding in self.comparison.findings
        )
        return replace(self.comparison, findings=tuple(findings))

    @cached_property
    def close(self) -> list[str]:
        """The systems that are looked at closely."""
        return [system.name for system in self.result.systems[:MOST_SYSTEMS]]

    def too_many(self) -> Iterator[str]:
        """That not all systems are looked at closely, where that is so."""
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
        """What everything random is drawn from."""
        return self.result.seed

    @property
    def signatures(self) -> Iterable[str]:
        """How each number was computed: of systems that were counted by the same rules, each has one signature."""
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
    """What the systems are worth in words, what to know about that, and what to mind: `warnings`, besides those of all.

    The verdict on a single pair under the main measure stands on top: short, then with its numbers.
    """
    result, held = basis.result, basis.held
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
    """Whether a measure has a place on the axis that all share: its values are from -1 to 1, or from 0 to 1."""
    low, high = measure.definition.bounds or (-math.inf, math.inf)
    return low >= -1 and high <= 1


def _note(measure: Measure, averages: Mapping[str, str]) -> str:
    """What the name of a measure does not say: over what it is an average, and which way it is good."""
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
    effects: Effects = "none",
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


#: Of more columns than these the names are turned, and items stand below the map.
_MANY_LABELS = 8
#: Of names that are longer than this together, items stand below the map, too.
_LONG_NAMES, _LONGEST_LINE = 48, 16
#: So many items stand behind a cell, and behind all cells of a map together.
MOST_ITEMS, MOST_ITEMS_IN_ALL = 25, 600
#: Shades from none to full.
_SHADES = 10


class HeatSides(NamedTuple):
    """What the rows and columns of a map are, in words; `{}` stands for a label.

    `keys` are their names in JSON, and in tables. `wholes` is what the shares of a row and of a column are of; `right`
    and `wrong` say what a cell holds, of `items` with a `row` and a `column`; `legend` is about the whole map.
    """

    keys: tuple[str, str]
    corner: str
    ways: tuple[str, str]
    wholes: tuple[str, str]
    right: str
    wrong: str
    legend: str
    back: str


@dataclass(frozen=True, eq=False)
class HeatMap:
    """A map of counts, or of weights; `name` must be unlike all others of the document.

    `sums` of rows, of columns and of all are what shares are of: they may hold more than is shown, and `left_out` says
    so. `is_right` marks the cells to be green. `confidence`: shares have intervals at this level; None: they have none.
    `items` are the first ones of a cell, by its row and column, of `all_items`.
    """

    name: str
    caption: str
    sides: HeatSides
    rows: Sequence[str]
    columns: Sequence[str]
    counts: np.ndarray
    sums: tuple[np.ndarray, np.ndarray, float]
    is_right: np.ndarray
    confidence: float | None = None
    left_out: str = ""
    items: Mapping[tuple[int, int], pl.DataFrame] = field(default_factory=dict)
    all_items: Mapping[tuple[int, int], int] = field(default_factory=dict)
    order: str = "in the order of the file"

    def section(self, system: str, aside: str) -> Section:
        """The map as a part of a section, which can be folded; JSON has its `cells`, too."""
        cells = ({key: value for key, value in cell.items() if key[0] != "_"} for row in self.cells for cell in row)
        data = {"system": system, "cells": list(cells)}
        heads = (" \\ ".join(self.sides.keys), self.rows, self.columns)
        table = counts_table("matrix", heads, self.counts, self.is_right, self.caption)
        table = replace(table, notes=(self.left_out,) if self.left_out else ())
        return Section(self.name, system, (Widget("heat", self, (table,)),), aside=aside, data=data)

    def with_items(
        self,
        labels: tuple[pl.Series, pl.Series],
        known: tuple[Sequence[Any], Sequence[Any]],
        item_id: pl.Series | None,
        score: pl.Series | None = None,
        sure: pl.Series | None = None,
    ) -> HeatMap:
        """The same with the first items of each cell: the surest ones, else as they come.

        `labels` of all items, in rows and in columns; `known` are those of the map. Items without ids are numbered: of
        these only, as there may be millions of others.
        """
        places = map(_places, labels, known)
        frame = pl.DataFrame(dict(zip(("row", "column"), places, strict=True))).with_row_index("at")
        if sure is not None:
            frame = frame.sort(sure, descending=True, nulls_last=True, maintain_order=True)
        groups = frame.drop_nulls().group_by("row", "column", maintain_order=True)
        cells = groups.agg(pl.col("at").head(MOST_ITEMS), pl.len())
        most = max(1, min(MOST_ITEMS, MOST_ITEMS_IN_ALL // max(1, cells.height)))
        items, counts = {}, {}
        for row, column, every, counts[row, column] in cells.iter_rows():
            at = every[:most]
            ids = [place + 1 for place in at] if item_id is None else item_id.gather(at)
            names = dict(zip(self.sides.keys, (self.rows[row], self.columns[column]), strict=True))
            listed = pl.DataFrame({"item_id": list(map(named, ids)), **names})
            scores = {} if score is None else {"score": score.gather(at).cast(pl.Float64)}
            items[row, column] = listed.with_columns(**scores)
        order = self.order if sure is None else "the surest predictions first"
        return replace(self, items=items, all_items=counts, order=order)

    @property
    def margins(self) -> tuple[list[str], list[str]]:
        """The sums of what is shown: of the rows; of the columns, and of all."""
        rows, columns = (list(map(counted, self.counts.sum(axis=axis).tolist())) for axis in (1, 0))
        return rows, [*columns, counted(float(self.counts.sum()))]

    @property
    def size(self) -> str:
        """The class of the style, by how many columns there are, and how long their names."""
        if len(self.columns) > _MANY_LABELS:
            return "heat many"
        length = sum(min(len(label), _LONGEST_LINE) for label in self.columns)
        return "heat wide" if length > _LONG_NAMES else "heat"

    @cached_property
    def cells(self) -> list[list[dict[str, Any]]]:
        """All cells, row by row: the number, what share of its row, its column and all it is, and the first items.

        Keys that begin with `_` are what a page shows: the number in all four ways, the shades of the first three, the
        same in words, and the items as a table.
        """
        return [[self._cell(row, column) for column in range(len(self.columns))] for row in range(len(self.rows))]

    def _cell(self, row: int, column: int) -> dict[str, Any]:
        names, number = (self.rows[row], self.columns[column]), float(self.counts[row, column])
        cell: dict[str, Any] = {**dict(zip(self.sides.keys, names, strict=True)), "number": number}
        wholes = (self.sums[0][row], self.sums[1][column], self.sums[2])
        texts, facts, shades = [counted(number)], [], [_shade(number / (self.counts.max(initial=0.0) or 1.0))]
        of_what = (*(words.format(name) for words, name in zip(self.sides.wholes, names, strict=True)), "of all items")
        for key, whole, says in zip((*self.sides.keys, "all"), map(float, wholes), of_what, strict=True):
            share = number / whole if whole else math.nan
            interval = Interval.unknown(0, "") if self.confidence is None else wilson(number, whole, self.confidence)
            cell |= {f"of_{key}": share, f"of_{key}_low": interval.low, f"of_{key}_high": interval.high}
            texts.append(as_percent(share) if whole else "–")
            shades.append(_shade(share))
            if whole:
                level = f" ({as_level(interval.level)} interval {percent_span(interval.low, interval.high)})"
                facts.append(f"{as_percent(share)}{level if interval.is_known else ''} {says}")
        every, frame = self.all_items.get((row, column), 0), self.items.get((row, column))
        words = self.sides.right if self.is_right[row, column] else self.sides.wrong
        headline = words.format(items=_items(number, every), row=names[0], column=names[1])
        headline += "" if number == (every or number) else f", with a weight of {counted(number)}"
        cell |= {"_texts": texts, "_shades": shades, "_headline": headline, "_facts": facts, "_items": None}
        cell["_kind"] = ("right" if self.is_right[row, column] else "wrong") + ("" if number else " none")
        if frame is not None:
            columns = [Column("item_id", "item"), *map(Column, self.sides.keys)]
            columns += [Column("score", kind="short")] if "score" in frame.columns else []
            some = f"The first {frame.height:,} of {every:,}" if frame.height < every else "All of them"
            cell |= {"all_items": every, "items": frame.to_dicts(), "_order": f"{some}, {self.order}."}
            cell["_items"] = Table(f"{self.name}-{row}-{column}", frame, tuple(columns), headline, look="listed")
        return cell


def _places(labels: pl.Series, known: Sequence[Any]) -> pl.Series:
    """Where the label of each item stands among those that are shown; none where it does not."""
    places = {label: place for place, label in enumerate(known)}
    of_none = places.pop(None, None)
    at = labels.replace_strict(list(places), list(places.values()), default=None, return_dtype=pl.Int64)
    return at if of_none is None else at.zip_with(labels.is_not_null(), pl.Series([of_none] * len(labels)))


def _shade(share: float) -> int:
    """The nearest shade, but some shade for whatever is not nothing."""
    return 0 if math.isnan(share) or share <= 0 else max(1, round(_SHADES * share))


def _items(number: float, every: int) -> str:
    """How many items a cell holds, or what they weigh."""
    if every and number != every:
        return number_of("item", every)
    return number_of("item", int(number)) if number == int(number) else f"items of weight {counted(number)}"
