"""`clicks`: a log of result pages -> a `Behaviour`, every measure of every system with an interval over its users."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import polars as pl

from assay.core.digits import p_phrase
from assay.core.errors import InputError, ParameterError, did_you_mean, listed, number_of, only_one, several
from assay.core.evaluation_options import Columns
from assay.core.options import Confidence, Segments, UnitOfLog
from assay.core.results import Result
from assay.files.logs import read_log
from assay.measures import Measure, parse_measure
from assay.measures.counting.behaviour import BehaviourCounts
from assay.measures.counting.click_counts import QUERY
from assay.measures.counting.judgments import Ints
from assay.measures.summary import escaped, signature
from assay.measures.vocabularies import registered
from assay.stats.estimates import Estimate, checked_confidence
from assay.stats.pairing import Wanted, each_measure
from assay.stats.ratio_samples import RatioSample, RatioSums
from assay.stats.sample_ratio import MISMATCH, mismatch
from assay.stats.samples import NO_DRAWING
from assay.tables.log import IMPRESSIONS, Log

#: What is compared and gated by, unless asked for: the first is the headline.
USUAL = ("CTR", "ClickRR", "SessionSuccess", "Reformulation", "ZeroResults", "Latency")
#: What is shown besides, where the log knows enough.
_MORE = ("CTR@1", "CTR@3")
#: More segments than this are no segments.
MOST_SEGMENTS = 50
#: So many measures stand beside one another in a table of segments.
_MOST_BY_SEGMENT = 3
#: Rates by rank are shown down to this one.
DEEPEST = 10
#: Over more days than this, weeks are shown.
_MOST_DAYS = 45
#: Segments that are made of columns: those of queries by how often they are asked, and of times, which are in UTC.
FREQUENCY = "frequency"
_BANDS = ("head", "torso", "tail")
PERIODS = {
    "day": pl.col("time").dt.strftime("%Y-%m-%d"),
    "week": pl.col("time").dt.strftime("%G-W%V"),
    "weekday": pl.col("time").dt.strftime("%u %a"),
    "hour": pl.col("time").dt.strftime("%H"),
}


@dataclass(frozen=True, eq=False)
class Behaviour(Result):
    """The behaviour of the users of each system: measures with intervals; by rank, over time, by segment.

    >>> from assay import Log, clicks
    >>> pages = [("q1", ["d1", "d2"], ["d2"]), ("q2", ["d3"], []), ("q1", ["d1", "d2"], ["d1"])]
    >>> result = clicks(Log.from_pages(pages, user_id=["ana", "ana", "ben"]), measures="CTR, ClickRR")
    >>> result.value("CTR"), result.value("ClickRR")
    (0.6666666666666666, 0.5)
    """

    kind: ClassVar[str] = "behaviour"
    subject: ClassVar[str] = "clicks"

    logs: tuple[Log, ...]
    systems: tuple[str, ...]
    counts: tuple[BehaviourCounts, ...]
    measures: tuple[Measure, ...]
    by: str | None = None
    confidence: float = 0.95
    warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Behaviour of {listed(self.systems)}: {', '.join(map(str, self.measures))}>"

    @property
    def name(self) -> str:
        """The name of the log."""
        return listed([log.name for log in self.logs])

    @property
    def unit_kind(self) -> str:
        """The unit that stands for a person: user, session or page."""
        return self.counts[0].unit_kind

    def measure(self, name: str | Measure) -> Measure:
        """A measure of behaviour by name."""
        return parse_measure(name, "behaviour")

    def signature(self, measure: str | Measure, system: str | None = None) -> str:
        """Everything that a measure's number depends on, in one line."""
        return behaviour_signature(self.measure(measure), self.name, self.unit_kind, system)

    def sample(self, measure: str | Measure) -> RatioSample:
        """All systems under one measure."""
        wanted = self.measure(measure)
        return self._once("sample", str(wanted), lambda: ratios(wanted, self.systems, self.counts, self.who))

    def estimate(self, measure: str | Measure, system: str | None = None) -> Estimate:
        """A system's number with its interval; where there is none, the reason. One system need not be named."""
        sample, place = self.sample(measure), self.place(system)
        return self._once("estimate", (sample.measure, place), lambda: _estimated(sample, place, self.confidence))

    def complete(self) -> Self:
        """Finish every number with its interval; by rank, and by segment where that was asked for."""
        for measure in self.measures:
            for system in self.systems:
                self.estimate(measure, system)
        return self._finish("rates", "_reasons", "sizes", "span", "ranks", "by_segment")

    @cached_property
    def _reasons(self) -> dict[str, str]:
        reasons = {str(each): self.sample(each).undefined() for each in self.measures}
        return {name: each[0] for name, each in reasons.items() if each[0] and all(each)}

    @cached_property
    def rates(self) -> Mapping[str, Estimate]:
        """The share of the result pages of each system that have a click, which every page says in words."""
        return {system: self.estimate("CTR", system) for system in self.systems}

    def value(self, measure: str | Measure, system: str | None = None) -> float:
        """A system's number; NaN where it is undefined."""
        return self.estimate(measure, system).value

    def undefined(self) -> dict[str, str]:
        """The reason why a measure has no number for any system, by measure."""
        return self._reasons

    def to_frame(self) -> pl.DataFrame:
        """One row per system and measure, with the ends of the interval."""
        rows = [
            {"system": system, "measure": str(measure), **_row(self.estimate(measure, system))}
            for measure in self.measures
            for system in self.systems
        ]
        return pl.DataFrame(rows, schema={"system": pl.String, "measure": pl.String, **_ENDS})

    @cached_property
    def sizes(self) -> pl.DataFrame:
        """Numbers of units, pages and clicks of each system."""
        rows = []
        for system, counts in zip(self.systems, self.counts, strict=True):
            pages, clicks = (int(counts.total(name, amount).values.sum()) for name, amount in _SIZES.items())
            rows.append({"system": system, "units": len(counts.people), "pages": pages, "clicks": clicks})
        return pl.DataFrame(rows)

    @cached_property
    def span(self) -> tuple[Any, Any]:
        """The times of the first and the last page; None where the log has none."""
        ends = [
            log.impressions.select(low=pl.col("time").min(), high=pl.col("time").max()).collect().row(0)
            for log in self.logs
        ]
        known = [end for pair in ends for end in pair if end is not None]
        return (min(known), max(known)) if known else (None, None)

    @cached_property
    def ranks(self) -> pl.DataFrame:
        """The share of results that were clicked, by rank and system, with intervals."""
        rows = []
        for system, counts in zip(self.systems, self.counts, strict=True):
            for rank, part in counts.by_rank(DEEPEST).group_by("rank", maintain_order=True):
                who = np.arange(part.height)
                sums = RatioSums(who, part["clicked"].to_numpy().astype(float), part["shown"].to_numpy().astype(float))
                estimate = _estimated(RatioSample((sums,), bounds=(0.0, 1.0)), 0, self.confidence)
                rows.append({"system": system, "rank": rank[0], "shown": int(part["shown"].sum()), **_row(estimate)})
        kinds = {"system": pl.String, "rank": pl.Int64, "shown": pl.Int64, **_ENDS}
        return pl.DataFrame(rows, schema=kinds)

    @property
    def period(self) -> str | None:
        """The period shown over time: day, or week of a long log; None where times are not known, or are of one day."""
        first, last = self.span
        if first is None or (days := (last.date() - first.date()).days) < 1:
            return None
        return "day" if days <= _MOST_DAYS else "week"

    @cached_property
    def by_segment(self) -> pl.DataFrame:
        """The first measures within the segments that were asked for; empty where none were."""
        return pl.DataFrame() if self.by is None else self.segments(self.by, self.measures[:_MOST_BY_SEGMENT])

    def over_time(self, measure: str | Measure | None = None) -> pl.DataFrame:
        """A measure by day, or by week of a long log, with intervals; the first measure unless named."""
        wanted = self.measures[0] if measure is None else self.measure(measure)
        frame = self._once("over time", wanted, lambda: self.segments(self.period or "day", [wanted]))
        return frame if self.period else frame.clear()

    def segments(self, by: str | None, measures: Sequence[Measure] | None = None) -> pl.DataFrame:
        """The measures within segments of the pages: one row per segment, system and measure.

        `by`: day, week, weekday, hour, in UTC; frequency (head, torso and tail: a third of the traffic each, from the
        queries asked most often to those asked least); or a column of the log, such as page or answered.
        """
        wanted = self.measures if measures is None else tuple(measures)
        kinds = {"segment": pl.String, "system": pl.String, "measure": pl.String, "units": pl.Int64, "pages": pl.Int64}
        rows = []
        for system, counts in zip(self.systems, self.counts, strict=True):
            log, expression = _segmented(counts.log, by)
            parts = counts.within(log).split({"segment": expression}, wanted)
            if len(parts) > MOST_SEGMENTS:
                most = f"{MOST_SEGMENTS} segments at most"
                raise InputError(f"{log.origin}: expected {most}, got {len(parts):,} values of {by}")
            for (value,), part in parts.items():
                pages = int(part.total("pages", pl.lit(1)).values.sum())
                for each in wanted:
                    sample = ratios(each, (system,), (part,), (np.arange(len(part.people)),))
                    names = {"segment": _text(value), "system": system, "measure": str(each)}
                    sizes = {"units": len(part.people), "pages": pages}
                    rows.append(names | sizes | _row(_estimated(sample, 0, self.confidence)))
        frame = pl.DataFrame(rows, schema={**kinds, **_ENDS}).sort("segment", maintain_order=True)
        numbered = by in {FREQUENCY, "weekday"}  # a number keeps them in order
        return frame.with_columns(pl.col("segment").str.slice(2)) if numbered else frame

    @cached_property
    def who(self) -> tuple[Ints, ...]:
        """The units of each system as numbers, one per user; sessions and pages of two logs are never the same."""
        names = [each.people for each in self.counts]
        if self.unit_kind != "user":
            logs = list({id(each.log): None for each in self.counts})
            names = [pl.Series([f"{logs.index(id(each.log))} "]) + each.people for each in self.counts]
        every = pl.concat(names).unique().sort()
        return tuple(every.search_sorted(each).to_numpy().astype(np.int64) for each in names)

    def place(self, system: str | None = None) -> int:
        """The place of a system among all; one alone need not be named."""
        return only_one("system", system, {name: place for place, name in enumerate(self.systems)})


_SIZES = {"pages": pl.lit(1), "clicks": pl.col("clicks")}
_ENDS = {"value": pl.Float64, "low": pl.Float64, "high": pl.Float64, "undefined": pl.String}


def clicks(
    log: Any,
    measures: Wanted = None,
    *,
    unit: UnitOfLog | None = None,
    by: Segments | None = None,
    columns: Columns = None,
    confidence: Confidence = 0.95,
) -> Behaviour:
    """Say what users do on result pages: click-through, ranks of clicks, abandonment, reformulation, and more.

    `log`: a `Log`, or a file that `read_log` reads, or several in a list, or by name. The systems are those of the
    log's `system` column; a log without one is a system of its own. `measures`: of the vocabulary of behaviour; unless
    given, all that the log knows enough for. `unit`: who intervals and tests are over: user, session or page; unless
    given, the first of these that the log has. Pages of a user are alike, so that intervals over pages are too narrow
    where users come back. `by`: also show the measures within segments: see `Behaviour.segments`.

    >>> from assay import Log
    >>> pages = [("q1", ["d1", "d2"], ["d2"]), ("q1", ["d1", "d2"], [])]
    >>> clicks(Log.from_pages(pages, system=["old", "new"]), measures="CTR").value("CTR", "old")
    1.0
    """
    confidence = checked_confidence(confidence)
    logs = logs_of(log, columns=columns)
    wanted = _measures(logs, measures)
    systems = systems_of(logs, unit, wanted)
    if by is not None:
        _segmented(logs[0], by)
    result = Behaviour(tuple(logs), tuple(systems), tuple(systems.values()), wanted, by, confidence)
    return replace(result, warnings=(*remarks(result), *result.sample(wanted[0]).interval_notes()))


def logs_of(source: Any, columns: Columns = None) -> list[Log]:
    """The logs of a source: one, several, or by name; each has a name of its own."""
    logs = list(_logs(source, columns))
    names = [log.name for log in logs]
    if len(set(names)) < len(names):
        raise ParameterError(f"each log has a name of its own, not {listed(names)}")
    if not logs:
        raise ParameterError("expected a log, got none")
    return logs


def _logs(source: Any, columns: Columns) -> Iterator[Log]:
    if isinstance(source, Behaviour):
        yield from source.logs
    elif isinstance(source, Mapping):
        for name, value in source.items():
            yield from (replace(log, name=str(name)) for log in _logs(value, columns))
    elif isinstance(source, list | tuple):
        for value in source:
            yield from _logs(value, columns)
    else:
        yield source if isinstance(source, Log) else read_log(source, columns=columns)


def systems_of(logs: Sequence[Log], unit: str | None, measures: Iterable[Measure]) -> dict[str, BehaviourCounts]:
    """The systems by name, each with its counts: those that the logs name, or a system for each log.

    >>> log = Log.from_pages([("q1", ["d1"], []), ("q1", ["d1"], [])], system=["old", "new"])
    >>> list(systems_of([log], None, []))
    ['new', 'old']
    """
    kinds = {log.unit_kind for log in logs}
    if unit is None and len(kinds) > 1:
        raise InputError(f"expected logs with the same kind of unit, got {listed(sorted(kinds))}: choose the unit")
    asked = list(measures)
    found = [
        (log.name if value is None else str(value), f"{log.name}: {_text(value)}", counts)
        for log in logs
        for (value,), counts in BehaviourCounts.of(log, unit).split({"system": pl.col("system")}, asked).items()
    ]
    often = Counter(name for name, _, _ in found)
    systems = {name if often[name] == 1 else full_name: counts for name, full_name, counts in found}
    if not systems:
        raise InputError(f"{logs[0].origin}: expected result pages, got none")
    return systems


def ratios(
    measure: Measure, systems: Sequence[str], counts: Sequence[BehaviourCounts], who: Sequence[Ints]
) -> RatioSample:
    """Systems under one measure of behaviour."""
    formulas = [measure.per_unit(each) for each in counts]
    return RatioSample(
        tuple(RatioSums.of(formula, people) for formula, people in zip(formulas, who, strict=True)),
        tuple(formula.pooled().reason(0) for formula in formulas),
        tuple(len(each.people) for each in counts),
        systems=tuple(systems),
        measure=str(measure),
        unit_kind=counts[0].unit_kind,
        bounds=measure.definition.bounds,
        direction=measure.definition.direction,
    )


def remarks(result: Behaviour) -> Iterator[str]:
    """Remarks: rows that were dropped, the units, users who saw several systems, and the division of users."""
    logs, kind, who = result.logs, result.unit_kind, result.who
    for log in logs:
        yield from (f"{log.name}: {remark}" if len(logs) > 1 else remark for remark in log.remarks)
        if log.sizes[1] and log.sizes[2] and "events.rank" not in log.known:
            yield (
                f"{log.name}: no click is on a document that its page showed: are ids of clicks and of results alike?"
            )
    if kind != "user":
        lacks = "users" if kind == "session" else "users and sessions"
        why = "as asked for" if logs[0].unit_kind != kind else f"the log has no {lacks}"
        yield f"units are {several(kind)} ({why}): where users come back, intervals are too narrow"
    elif anonymous := sum(log.impressions.select(pl.col("user_id").is_null().sum()).collect().item() for log in logs):
        yield f"{number_of('result page', anonymous)} without a user: sessions, or else pages, stand for them"
    sizes = [len(each) for each in who]
    if shared := sum(sizes) - len(np.unique(np.concatenate(who))):
        seen = f"{number_of(kind, shared)} in several systems"
        yield f"{seen}: their covariance is in the intervals of differences; were systems assigned by page?"
    elif len(sizes) > 1 and (p := mismatch(sizes)) < MISMATCH and len(logs) == 1:
        parts = ", ".join(f"{name} {size:,}" for name, size in zip(result.systems, sizes, strict=True))
        yield (
            f"{several(kind)} are divided unequally between the systems ({parts}; {p_phrase(p)} if they were assigned "
            "evenly): if they should be equal, something in the assignment or the logging is wrong"
        )


def _measures(logs: Sequence[Log], wanted: Wanted) -> tuple[Measure, ...]:
    """The measures asked for; or all that some log knows enough for."""
    if wanted:
        return tuple(dict.fromkeys(parse_measure(name, "behaviour") for name in each_measure(wanted)))
    every = list(registered("behaviour").values())
    every[1:1] = [parse_measure(name, "behaviour") for name in _MORE]
    draft = [BehaviourCounts.of(log).outline() for log in logs]
    return tuple(each for each in every if any(not each.per_unit(counts).undefined for counts in draft))


def usual(logs: Sequence[Log]) -> list[str]:
    """The measures that are compared unless others are asked for."""
    known = set(map(str, _measures(logs, None)))
    return [name for name in USUAL if name in known]


def _segmented(log: Log, by: str | None) -> tuple[Log, pl.Expr]:
    """The log with what segments are made of, and the column of segments."""
    columns = [name for name in IMPRESSIONS if f"impressions.{name}" in log.known and name not in _NO_SEGMENTS]
    timed = list(PERIODS) if "impressions.time" in log.known else []
    known = [*timed, FREQUENCY, *columns]
    if by not in known:
        raise ParameterError(f"choose segments of {', '.join(known)}, not {by!r}{did_you_mean(str(by), known)}")
    if by in PERIODS:
        return log, PERIODS[str(by)]
    if by != FREQUENCY:
        return log, pl.col(str(by)).cast(pl.String)
    asked = log.impressions.select(query=QUERY).group_by("query").len("asked").collect(engine="streaming")
    asked = asked.sort("asked", "query", descending=[True, False])
    before = (pl.col("asked").cum_sum() - pl.col("asked")) / pl.col("asked").sum()
    third = (before * len(_BANDS)).floor().cast(pl.Int64).clip(0, len(_BANDS) - 1)
    bands = asked.select("query", band=pl.format("{} {}", third + 1, third.replace_strict(dict(enumerate(_BANDS)))))
    pages = log.impressions.with_columns(query=QUERY).join(bands.lazy(), on="query", how="left", nulls_equal=True)
    return replace(log, impressions=pages), pl.col("band")


#: Columns in which nearly every page has its own value.
_NO_SEGMENTS = frozenset({"impression", "impression_id", "time", "user_id", "session_id", "latency_ms", "system"})


def _estimated(sample: RatioSample, place: int, confidence: float) -> Estimate:
    value = float(sample.observed[place])
    reason = sample.undefined()[place]
    (interval,) = sample.intervals((place,), [confidence], NO_DRAWING)
    if interval.is_known and not np.isnan(value):
        return Estimate(value, interval.low, interval.high, interval.method)
    alone = len(sample.sums[place].who) < 2
    why = "one unit says nothing about others" if alone else f"nothing varies between {several(sample.unit_kind)}"
    return Estimate(value, np.nan, np.nan, "none", reason, 0, None if reason else why)


def _row(estimate: Estimate) -> dict[str, Any]:
    return {**estimate.as_columns(), "undefined": estimate.undefined}


def _text(value: Any) -> str:
    return "(none)" if value is None else str(value)


def behaviour_signature(measure: Measure, log: str, unit: str, system: str | None = None) -> str:
    """The measure with all its parameters, whose pages were counted, and by what.

    >>> behaviour_signature(parse_measure("SatisfiedClicks", "behaviour"), "log", "user")
    'SatisfiedClicks|dwell=30|last=True|log=log|unit=user|undefined=skip|v1'
    """
    name, *parameters, undefined, version = signature(measure, None, 0.0, "skip").split("|")
    whose = [f"log={escaped(log)}", *([] if system is None else [f"system={escaped(system)}"]), f"unit={unit}"]
    return "|".join([name, *parameters, *whose, undefined, version])
