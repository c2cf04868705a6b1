"""Curves: judgments and runs -> points to look at, as a table and as a chart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Unpack

import numpy as np
import polars as pl

from assay.core.errors import ParameterError, did_you_mean, number_of
from assay.core.options import EvaluationOptions
from assay.core.words import short_name
from assay.measures import AUC, parse_measure
from assay.measures.curve_points import (
    about_topic,
    averaged_precision,
    level_measures,
    over_topics,
    pr_frame,
    rank_by_rank,
    roc_frame,
    roc_points,
    summary_frame,
    trivial,
    undefined_topic,
    undefined_topics,
    universe,
    without_curve,
)
from assay.measures.definition import RuleName, UnretrievedName
from assay.measures.registry import Measure
from assay.measures.steps import PerUnit
from assay.measures.summary import Summary, summarise, values_in_mean
from assay.subjects.ranking.evaluation import Evaluation, RankedSystem, evaluate
from assay.verbs.curves import Curve

#: Cut-offs that `by_cutoff` looks at, as far as the longest result reaches.
CUTOFFS = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000)


def precision_recall(
    qrels: Any,
    runs: Any,
    *,
    query: str | None = None,
    levels: int = 11,
    interpolated: bool = True,
    rule: RuleName | None = None,
    **options: Unpack[EvaluationOptions],
) -> Curve:
    """Precision against recall: averaged over queries at levels of recall, or of one query.

    The averaged curve is the mean of `IPrec` at each level. Of one query there is a point for every rank (the
    sawtooth) and, unless `interpolated` is False, interpolated precision at the levels. `rule`: how a level is
    reached, as in `IPrec`. Further options are those of `evaluate`: `undefined`, `compat`, `judge`, policies.

    >>> curve = precision_recall({"q": {"a": 1, "c": 1}}, {"q": {"a": 3, "b": 2, "c": 1}}, query="q")
    >>> curve.frame["precision"].to_list()[:2]  # 1/1, 1/2
    [1.0, 0.5]
    """
    evaluation = evaluate(qrels, runs, level_measures(levels, rule), **options)
    if query is None:
        if not interpolated:
            raise ParameterError(
                "queries reach different levels of recall, so an average has to be interpolated: choose one query"
            )
        frame, summary = averaged_precision({s.name: s.results for s in evaluation.systems}, evaluation.undefined)
        title = f"Interpolated precision at {levels} levels of recall"
    else:
        rows = [point for system, unit in _with_query(evaluation, query) for point in _sawtooth(system, unit, query)]
        if interpolated:
            rows += _levels_of_query(evaluation, query)
        frame = pr_frame(rows)
        summary = _summary(evaluation, evaluation.measures[-1], query)
        title = "Precision and recall, rank by rank"
    last = {system.name: system.results[evaluation.measures[-1]] for system in evaluation.systems}
    topics = _Topics(evaluation, query, _reasons(evaluation, last, query))
    return Curve("pr", title, topics.title, frame, summary, topics.warnings(summary))


def roc(
    qrels: Any,
    runs: Any,
    *,
    query: str | None = None,
    unretrieved: UnretrievedName | None = None,
    **options: Unpack[EvaluationOptions],
) -> Curve:
    """The ROC curve: true against false positive rate, rank by rank; averaged over queries, or of one.

    Without `collection_size` the retrieved documents of each query are all there is (`unretrieved="left_out"`). With
    it, the others follow in random order, a straight line (`"random_order"`), or the relevant ones among them come
    last of all (`"relevant_last"`). A query without relevant or without irrelevant documents has no curve: it is left
    out and counted (`undefined="counted_as"`: its curve lies at 0, as its AUC). The average is that of the true
    positive rates at 101 levels. Further options are those of `evaluate`.

    >>> roc({"q": {"a": 1, "c": 1}}, {"q": {"a": 3, "b": 2, "c": 1}}).summary["value"].to_list()  # 1 of 2 pairs
    [0.5]
    """
    collection_size = options.get("collection_size")
    undefined = options.setdefault("undefined", "skip")
    rule = universe(collection_size, unretrieved)
    if options.get("ties") == "expected" and options.get("depth") is not None and rule != "random_order":
        raise ParameterError(
            "which tied documents the depth leaves in is open: use another rule for ties than expected, or no depth"
        )
    evaluation = evaluate(qrels, runs, AUC(unretrieved=rule), **options)
    (area,) = evaluation.measures
    curves = {
        system.name: [roc_points(system.ranks, unit, rule) for unit in _units(evaluation, system, query)]
        for system in evaluation.systems
    }
    frame = pl.concat([roc_frame(name, points, query, undefined) for name, points in curves.items()])
    summary = _summary(evaluation, area, query)
    among = "the retrieved documents" if collection_size is None else f"{collection_size:,} documents"
    topics = _Topics(evaluation, query, {name: points[0].reason for name, points in curves.items() if points})
    remarks = trivial(curves, collection_size)
    warnings = topics.warnings(summary, *remarks, without=without_curve(curves, undefined))
    return Curve("roc", f"ROC curve among {among}", topics.title, frame, summary, warnings)


def by_cutoff(
    qrels: Any,
    runs: Any,
    measure: str | Measure = "nDCG",
    cutoffs: Iterable[int] | None = None,
    *,
    query: str | None = None,
    **options: Unpack[EvaluationOptions],
) -> Curve:
    """A measure against its cut-off: the mean over queries, or one query. Options as for `precision_recall`.

    >>> by_cutoff({"q": {"a": 1}}, {"q": {"b": 2, "a": 1}}, "P", [1, 2]).frame["value"].to_list()
    [0.0, 0.5]
    """
    plain = parse_measure(measure)
    if plain.definition.at != "cutoff" or "cutoff" in plain.given:
        raise ParameterError(f"choose a measure that takes a cut-off, without one: nDCG, P or R, not {plain}")
    asked = None if cutoffs is None else _each_cutoff(plain, cutoffs)
    # Not every measure has a value without a cut-off.
    evaluation = evaluate(qrels, runs, plain @ 1 if asked is None else asked[0], **options)
    deepest = max(int(system.ranks.retrieved.max(initial=1)) for system in evaluation.systems)
    wanted = asked or [plain @ k for k in CUTOFFS if k <= max(deepest, 2)]
    points = []
    last = []
    results = {}
    for system in evaluation.systems:
        for at_cutoff in wanted:
            result = at_cutoff.per_unit(system.ranks, seed=evaluation.seed, samples=evaluation.samples)
            if query is None:
                number = summarise(at_cutoff, result, evaluation.undefined)
            else:
                values = [float(result.values[unit]) for unit in _units(evaluation, system, query)]
                number = Summary(values[0] if values else np.nan, len(values), int(np.isnan(values).sum()))
            points.append((system.name, query, at_cutoff.parameters["cutoff"], number.value))
        last.append((system.name, at_cutoff, number))
        results[system.name] = result
    schema = {"system": pl.String, "query_id": pl.String, "cutoff": pl.Int64, "value": pl.Float64}
    frame = pl.DataFrame(points, schema=schema, orient="row").with_columns(pl.col("value").fill_nan(None))
    summary = summary_frame(last)
    topics = _Topics(evaluation, query, _reasons(evaluation, results, query))
    name = str(plain) if plain.parameters["cutoff"] is None else str(plain).rpartition("@")[0]
    title = f"{short_name(name)} by cut-off"
    return Curve("cutoff", title, topics.title, frame, summary, topics.warnings(summary))


def per_query(evaluation: Evaluation, measure: str | Measure | None = None) -> Curve:
    """One measure, query by query: the bars behind a mean.

    >>> result = evaluate({"q": {"a": 1}}, {"q": {"b": 2, "a": 1}}, "RR")
    >>> per_query(result).frame.rows()
    [('run', 'q', 0.5, None)]
    """
    wanted = evaluation.measure(measure)
    frame = evaluation.scores.frame.filter(pl.col("measure") == str(wanted))
    frame = frame.select("system", pl.col("unit").alias("query_id"), "value", "undefined")
    summary = _summary(evaluation, wanted)
    title = f"{short_name(str(wanted))}, topic by topic"
    over = number_of("topic", frame["query_id"].n_unique())
    return Curve("queries", title, over, frame, summary, _Topics(evaluation).warnings(summary))


def differences(
    evaluation: Evaluation,
    measure: str | Measure | None = None,
    baseline: str | None = None,
    system: str | None = None,
) -> Curve:
    """The lead of a system over another on each query, largest gain first.

    Without names: the second system against the first. An undefined value counts as in the mean.

    >>> result = evaluate({"q": {"a": 1}}, {"old": {"q": {"b": 2, "a": 1}}, "new": {"q": {"a": 1}}}, "RR")
    >>> differences(result).frame.rows()
    [('q', 0.5, 1.0, 0.5)]
    """
    wanted = evaluation.measure(measure)
    old, new = _pair(evaluation, baseline, system)
    columns = []
    for name, as_name in ((old, "baseline"), (new, "value")):
        chosen = evaluation.system(name)
        values = values_in_mean(wanted, chosen.results[wanted], evaluation.undefined)
        columns.append(pl.DataFrame({"query_id": chosen.ranks.queries, as_name: pl.Series(values).fill_nan(None)}))
    joined = columns[0].join(columns[1], on="query_id", how="inner", maintain_order="left")
    frame = joined.drop_nulls().with_columns(difference=pl.col("value") - pl.col("baseline"))
    frame = frame.sort("difference", descending=wanted.definition.higher_is_better is not False, maintain_order=True)
    summary = summary_frame([(name, wanted, evaluation.summary(wanted, name)) for name in (old, new)])
    warnings = [*_Topics(evaluation).warnings(summary)]
    if (left_out := max(column.height for column in columns) - frame.height) > 0:
        warnings.append(f"{number_of('topic', left_out)} without a value of both systems: left out")
    up, down = int((frame["difference"] > 0).sum()), int((frame["difference"] < 0).sum())
    counts = {
        True: f"better on {up}, worse on {down}",
        False: f"better on {down}, worse on {up}",
        None: f"higher on {up}, lower on {down}",
    }[wanted.definition.higher_is_better] + f", the same on {frame.height - up - down}"
    title = f"{short_name(str(wanted))}: {short_name(new)} minus {short_name(old)}"
    return Curve("difference", title, f"{number_of('topic', frame.height)}: {counts}", frame, summary, tuple(warnings))


def _sawtooth(system: RankedSystem, unit: int, query: str) -> list[tuple[object, ...]]:
    counted = rank_by_rank(system.ranks, unit)
    points = zip(counted.rank.tolist(), counted.recall.tolist(), counted.precision.tolist(), strict=True)
    return [(system.name, query, "every rank", int(rank), recall, precision) for rank, recall, precision in points]


def _levels_of_query(evaluation: Evaluation, query: str) -> list[tuple[object, ...]]:
    return [
        (system.name, query, "interpolated", None, measure.parameters["recall"], float(result.values[unit]))
        for system, unit in _with_query(evaluation, query)
        for measure, result in system.results.items()
        if "recall" in measure.parameters
    ]


def _summary(evaluation: Evaluation, measure: Measure, query: str | None = None) -> pl.DataFrame:
    """The number of each system under a measure: the mean, or the value of one query."""
    if query is None:
        names = [system.name for system in evaluation.systems]
        return summary_frame([(name, measure, evaluation.summary(measure, name)) for name in names])
    values = [(s.name, float(s.results[measure].values[unit])) for s, unit in _with_query(evaluation, query)]
    return summary_frame([(name, measure, Summary(value, 1, int(np.isnan(value)))) for name, value in values])


def _units(evaluation: Evaluation, system: RankedSystem, query: str | None) -> list[int]:
    """The numbers of all queries in a system, or of one; none if the system leaves that one out."""
    if query is None:
        return list(range(len(system.ranks.queries)))
    topics = list(evaluation.qrels.topics)
    if query not in topics:
        some = f"; there are {', '.join(topics[:3])}{', …' if len(topics) > 3 else ''}"
        raise ParameterError(f"no topic of the judgments is called {query!r}{did_you_mean(str(query), topics) or some}")
    return [system.ranks.queries.index(query)] if query in system.ranks.queries else []


def _with_query(evaluation: Evaluation, query: str) -> list[tuple[RankedSystem, int]]:
    return [(system, unit) for system in evaluation.systems for unit in _units(evaluation, system, query)]


def _pair(evaluation: Evaluation, baseline: str | None, system: str | None) -> tuple[str, str]:
    names = [each.name for each in evaluation.systems]
    old = evaluation.system(names[0] if baseline is None else baseline).name
    others = [name for name in names if name != old]
    if len(others) != 1 and system is None:
        raise ParameterError(f"a difference is between two systems: choose two; there are {', '.join(names)}")
    new = evaluation.system(others[0] if system is None else system).name
    if old == new:
        raise ParameterError(f"a difference is between two systems, not {old} and itself")
    return old, new


def _each_cutoff(plain: Measure, cutoffs: Iterable[int]) -> list[Measure]:
    if not isinstance(cutoffs, Iterable) or isinstance(cutoffs, str):
        raise ParameterError(f"cutoffs is a list of whole numbers, such as [5, 10], not {cutoffs!r}")
    wanted = [plain @ k for k in cutoffs]
    if not wanted:
        raise ParameterError("there is no cut-off to look at")
    return wanted


def _reasons(evaluation: Evaluation, results: Mapping[str, PerUnit], query: str | None) -> dict[str, str | None]:
    """The reason why a system has no value for the query that was asked for; None where it has one."""
    if query is None:
        return {}
    return {system.name: results[system.name].reason(unit) for system, unit in _with_query(evaluation, query)}


class _Topics(NamedTuple):
    """The topics of points: one, with the reasons why systems have no value for it, or the mean over several."""

    evaluation: Evaluation
    query: str | None = None
    reasons: Mapping[str, str | None] = {}

    @property
    def title(self) -> str:
        """The topic, or how many there are."""
        if self.query is None:
            summary = self.evaluation.measures[-1].definition.summary
            return over_topics((system.ranks.queries for system in self.evaluation.systems), summary)
        return about_topic(self.query, self.reasons.values())

    def warnings(self, summary: pl.DataFrame, *remarks: str, without: Iterable[str] | None = None) -> tuple[str, ...]:
        """Warnings of topics that have no value, unless it is said which are `without`, and that are missing."""
        if self.query is None:
            undefined = undefined_topics(summary, self.evaluation.undefined) if without is None else without
            return (*self.evaluation.warnings, *undefined, *remarks)
        missing = (
            f"{system.name}: nothing was retrieved for topic {self.query}"
            for system in self.evaluation.systems
            if self.query in system.ranks.missing_topics
        )
        return (
            *self.evaluation.warnings,
            *undefined_topic(summary, self.query, self.reasons),
            *remarks,
            *missing,
        )
