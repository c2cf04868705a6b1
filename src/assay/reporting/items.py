"""What reports on classifiers and on clusterings have alike: the summary, advice, verdicts, provenance."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import polars as pl

from assay import __version__
from assay.classification import Classification
from assay.core.digits import as_level
from assay.core.errors import ParameterError, did_you_mean, listed, number_of
from assay.core.words import INTERVALS, tone_of
from assay.reporting.contents import Input, Provenance, Role
from assay.reporting.provenance import described, now
from assay.reporting.stamps import Stamp
from assay.reporting.texts import shortened
from assay.sections.estimates import measures_table, undefined, without_interval
from assay.sections.sentences import conflict, headline, of_finding, of_verdict
from assay.sections.verdicts import verdicts_table
from assay.show.axis import Axis, rounded_out
from assay.show.model import Column, Kind, Prose, Section, Table, Verdict

if TYPE_CHECKING:
    from assay.classification import Baseline
    from assay.clustering import Clustering
    from assay.comparison import Comparison
    from assay.measures.registry import Measure

#: Of more systems than these, only the first are looked at closely; all are in the table.
MOST_SYSTEMS = 6
#: Names of items, labels and clusters are no longer than this.
LONGEST_NAME = 80
#: So many remarks stand beside the claim; the others below it.
_MOST_REMARKS = 4
_A_PAIR = 2
_IN_MEMORY = "in memory"
#: Advice on items that all systems were given; all other advice is on what a system made of them.
_ABOUT_ITEMS = frozenset({"left_out"})


def named(text: Any) -> str:
    """An id or a label by itself as it is shown, not too long."""
    return shortened(str(text), LONGEST_NAME)


def refuse_told(told: Mapping[str, Any], result: str, verb: str) -> None:
    """A report that is made of a result takes its measures and rules from there."""
    for name in [name for name, value in told.items() if value is not None]:
        raise ParameterError(f"{name} belongs to the {result} that the report is made of: give it to {verb}")


def refuse_unknown(rules: Iterable[str], known: Sequence[str], of: str) -> None:
    """A rule that there is none of, with the one that may be meant."""
    for name in rules:
        if name not in known:
            raise ParameterError(f"{name!r} is no rule of {of}{did_you_mean(name, known)}")


def baseline_of(result: Classification | Clustering, baseline: str | None) -> str:
    """The system that the others are held against: the first one unless another is named."""
    names = [system.name for system in result.systems]
    if baseline is not None and baseline not in names:
        hint = did_you_mean(baseline, names)
        raise ParameterError(f"the baseline is one of {listed(names)}, not {baseline!r}{hint}")
    return baseline or names[0]


def renamed(held: Comparison, called: Mapping[str, str]) -> Comparison:
    """A comparison whose measures are named as people call them."""
    findings = (finding._replace(measure=called.get(finding.measure, finding.measure)) for finding in held.findings)
    return replace(held, findings=tuple(findings))


def summary(
    result: Classification | Clustering,
    lead: str,
    worth: Iterable[str],
    held: Comparison | None,
    warnings: Iterable[str] = (),
) -> Section:
    """What the systems are worth in words, what to know about that, and what to mind: `warnings`, besides those of all.

    The verdict on a single pair under the main measure stands on top: short, then with its numbers.
    """
    words, of_pair = list(map(Prose, worth)), held is not None and len(result.systems) == _A_PAIR
    parts: list[Prose | Verdict] = [
        each if of_pair or at else replace(each, style="claim") for at, each in enumerate(words)
    ]
    if held is not None and of_pair:
        finding = held.findings[0]
        short = f"{headline(finding)} under {finding.measure}."
        numbers = filter(None, (of_verdict(finding, "item"), conflict(finding, "item")))
        word = finding.verdict.word
        parts = [Verdict(word, tone_of(word), short), *map(Prose, numbers), *parts]
    remarks = tuple(remarks_of(result))
    if remarks:
        parts.append(Prose(style="advice", title="What to know", points=remarks[:_MOST_REMARKS]))
    minded = (*result.warnings, *warnings)
    if minded:
        parts.append(Prose(style="warning", title="Mind this", points=minded))
    data = {
        "confidence": result.confidence,
        "remarks": [remark._asdict() for remark in result.advice],
        "caveats": list(remarks),
        "warnings": list(minded),
    }
    return Section("summary", "", tuple(parts), lead, data=data)


def further_advice(result: Classification | Clustering) -> Iterator[Section]:
    """The remarks that have no place beside the claim."""
    if rest := tuple(remarks_of(result))[_MOST_REMARKS:]:
        yield Section("advice", "More to know", (Prose(style="list", points=rest),), short="Advice")


def remarks_of(result: Classification | Clustering) -> Iterator[str]:
    """The advice in sentences; of several systems, each names the one that it is about, unless it is about all."""
    several = len(result.systems) > 1
    every = [(remark.code, remark.says) for remark in result.advice]
    once: set[tuple[str, str]] = set()
    # In turn: what stands on top must not be about the first system alone.
    by_system = [[remark for remark in result.advice if remark.system == system.name] for system in result.systems]
    for remark in filter(None, (remark for turn in zip_longest(*by_system) for remark in turn)):
        key = remark.code, remark.says
        of_all = remark.code in _ABOUT_ITEMS and every.count(key) == len(result.systems)
        if of_all and key in once:
            continue
        once.add(key)
        yield f"{remark.system}: {remark.says}." if several and not of_all else f"{remark.says}."


def measured(
    result: Classification | Clustering,
    called: Callable[[Measure], str],
    beside: Sequence[Baseline] = (),
    averages: Mapping[str, str] | None = None,
) -> Section:
    """Every measure with its interval, drawn where it has bounds, and beside it what no skill at all would score.

    `called` is what people call a measure; `averages` says what the averages are over, by their names.
    """
    table, bounds = measures_table(result, called, beside), [is_bounded(measure) for measure in result.measures]
    notes = [_note(measure, averages or {}) for measure in result.measures]
    frame = table.frame.with_columns(pl.Series("note", notes, dtype=pl.String), pl.Series("is_bounded", bounds))
    estimates = [result.estimate(measure, system.name) for system in result.systems for measure in result.measures]
    axis = _axis(frame.filter("is_bounded"), [each.kind for each in beside], table)
    ways = dict.fromkeys(INTERVALS[each.method].short for each in estimates if each.method in INTERVALS)
    legend = [f"Lines: {as_level(result.confidence)} intervals ({', '.join(ways)})."] if ways else []
    if not all(bounds):
        legend.append("Measures that are not from 0 to 1, or from -1 to 1, are not drawn.")
    legend += [f"No skill: what one scores that says {each.says}; a thin line where it lies." for each in beside]
    whys = (
        (called(measure), system.name, result.estimate(measure, system.name).no_interval)
        for system in result.systems
        for measure in result.measures
    )
    lines = (" ".join(legend), *undefined(result, called), *without_interval(whys, len(result.systems)))
    size = "systems measured" if len(result.systems) == 1 else "systems measured several"
    shown = replace(
        table, frame=frame, columns=tuple(_drawn(column, axis, beside) for column in table.columns),
        caption="Measures, with intervals", notes=tuple(filter(None, lines)), drawn="is_bounded", look=size,
    )  # fmt: skip
    lead = "Every number with its interval" + (", and beside it what no skill at all would score." if beside else ".")
    return Section("measures", "Measures", (shown,), lead, data={"estimates": result.to_frame().to_dicts()})


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


def _drawn(column: Column, axis: Axis | None, beside: Sequence[Baseline]) -> Column:
    """A column of the table as the page draws it."""
    if column.ends:
        kind: Kind = "estimate" if column.kind == "estimate" else "interval"
        ground = beside[0].kind if beside else ""
        return replace(column, kind=kind, axis=axis, ground=ground, least=4)
    if column.name == "measure":
        return replace(column, also="note")
    return replace(column, title="no skill") if column.name in {each.kind for each in beside} else column


def verdicts(held: Comparison, caption: str, drawn: Collection[str]) -> Section:
    """Each verdict on a line, and all of them in words; differences are drawn of measures in `drawn`."""
    tested = any(not math.isnan(finding.p) for finding in held.findings)  # clusterings have intervals only
    table = verdicts_table(held.findings, caption=caption, effects="none", tested=tested, drawn=drawn)
    words = tuple(Prose(of_finding(finding, "item", held.settings.power)) for finding in held.findings)
    settings = {"comparisons": held.family_size, "correction": held.correction, "settings": held.settings._asdict()}
    return Section("verdicts", parts=(table, Section("words", "In words", words, fold="closed")), data=settings)


def by_system(
    name: str,
    title: str,
    lead: str,
    parts: Sequence[Section],
    result: Classification | Clustering,
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
    systems = number_of("classifier" if isinstance(result, Classification) else "clustering", len(result.systems))
    some = f" Shown for {len(parts):,} of {systems}." if every and len(parts) != len(result.systems) else ""
    return Section(name, title, tuple(folded), f"{lead}{some}".strip(), short)


def provenance_of(
    result: Classification | Clustering,
    settings: Mapping[str, str | None],
    inputs: Iterable[Input],
    command: str,
) -> Provenance:
    """Everything that the report can be made again from."""
    return Provenance(
        version=__version__,
        command=command,
        made=now(),
        seed=result.seed,
        inputs=tuple(inputs),
        # Of systems that were counted by the same rules, each number has one signature.
        signatures=tuple(dict.fromkeys(text for by in result.signatures.values() for text in by.values())),
        settings=tuple((name, value) for name, value in settings.items() if value is not None),
    )


def inputs_of(
    origins: Mapping[str, str | None], role: Role, says: Callable[[str], str], counts: str, before: Mapping[str, Stamp]
) -> Iterator[Input]:
    """The files, each once, and what was in memory; `origins` are those of the systems, None if there is none."""
    groups: dict[str, list[str]] = {}
    for name, origin in origins.items():
        groups.setdefault(origin or _IN_MEMORY, []).append(name)
    for origin, names in groups.items():
        systems = ", ".join(names)
        if origin == _IN_MEMORY:
            yield described(before, role, systems, _IN_MEMORY, counts)
        else:
            yield described(before, role, origin, says(systems), counts)
