"""Rankings of systems by each judge's own labels, and whether they change with the judge."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
import polars as pl

from assay.core.digits import as_level, number
from assay.core.domains import Whole
from assay.core.errors import InputError, ParameterError, listed, number_of
from assay.core.evaluation_options import Columns, Level, Seed
from assay.core.options import Confidence, JudgeNames, RepeatedLabels, Resamples
from assay.core.results import Result
from assay.measures import parse_measure
from assay.show.model import Column, Document, Section, Table
from assay.stats.aggregation import majority, median
from assay.stats.bootstrap import Interval
from assay.stats.correlation import kendall, tau_ap
from assay.stats.estimates import checked_confidence
from assay.stats.samples import Sample
from assay.stats.stability import with_other_units
from assay.subjects.judges.evaluation import is_numeric, opened, ratings_of
from assay.subjects.ranking.evaluation import Evaluation, evaluate, named_runs
from assay.tables import Qrels
from assay.tables.labels import Labels
from assay.verbs.comparison import compare
from assay.verbs.sections.estimates import DASH, prose_section
from assay.verbs.subject import pairing_of

#: Rankings this alike are usually taken for the same: about what two good judges give (Voorhees 2000).
ALIKE = 0.9
#: Of more judges than this, rankings by each are no help: name some.
_MOST_JUDGES = 20
_TAU, _TAU_AP = "Kendall's tau-b", "tau_AP"


@dataclass(frozen=True, eq=False)
class JudgeRankings(Result):
    """Systems scored by each judge's labels and by what most judges say, and how alike the rankings are.

    `scores`: one row per system, one column per judge. `correlations`: one row per pair of judges, with Kendall's tau,
    tau_AP and their intervals over topics. `verdicts`: one row per pair of systems, one column per judge.
    """

    kind: ClassVar[str] = "judge rankings"

    measure: str
    judges: tuple[str, ...]
    #: What takes the place of a judge where all are heard: `majority`, `median` for grades; None of two judges.
    together: str | None
    scores: pl.DataFrame
    correlations: pl.DataFrame
    verdicts: pl.DataFrame
    topics: int
    confidence: float
    resamples: int
    seed: int
    notes: tuple[str, ...] = ()
    #: The systems as each judge's labels score them.
    evaluations: Mapping[str, Evaluation] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<JudgeRankings of {number_of('system', self.scores.height)} under {self.measure}: {self.conclusion}>"

    def to_frame(self) -> pl.DataFrame:
        """One row per pair of judges: how alike they rank the systems."""
        return self.correlations

    @property
    def flips(self) -> pl.DataFrame:
        """The pairs of systems on which judges come to different verdicts."""
        return self.verdicts.filter(pl.col("outcome") != "same")

    @property
    def conclusion(self) -> str:
        """The conclusion, in a sentence."""
        outcomes = self.verdicts["outcome"].to_list()
        known = self.correlations["tau"].drop_nulls().to_list()
        judges = "All judges" + " whose labels tell them apart" * (len(known) < self.correlations.height)
        if not known:
            alike = "The systems have no order that judges could share"
        elif min(known) >= 1.0:
            alike = f"{judges} put the systems in the same order"
        elif min(known) >= ALIKE:
            alike = f"{judges} rank the systems alike (tau {number(min(known))} or more)"
        else:
            alike = f"The ranking changes with the judge (tau as low as {number(min(known))})"
        same, opposite = outcomes.count("same"), outcomes.count("reversed")
        verdicts = number_of("verdict", len(outcomes))
        are = "is" if same == 1 else "are"
        return f"{alike}; of {verdicts}, {same:,} {are} the same with every judge, and {opposite:,} reversed."


def agree_on_systems(
    labels: Any,
    runs: Any,
    *,
    measure: str = "nDCG@10",
    judges: JudgeNames = None,
    relevance_level: Level = 1.0,
    repeated: RepeatedLabels = "error",
    columns: Columns = None,
    confidence: Confidence = 0.95,
    resamples: Resamples = 1000,
    seed: Seed = 0,
) -> JudgeRankings:
    """Say whether the ranking of systems changes with the judge, which is what disagreement matters for.

    The runs are evaluated by each judge's own labels and, of three judges or more, by what most of them say (of grades,
    their median), on the topics that all judges have labelled. Kendall's tau and tau_AP say how alike two rankings are;
    their intervals come from drawing topics anew. `verdicts` has what `compare` says of every two systems with each
    judge's labels: `same`, `reversed` (better with one judge, worse with another), or `decided by some`.

    >>> said = {"ana": (1, 0), "ben": (1, 0), "cy": (0, 1)}
    >>> rows = [(f"q{n}", f"d{d + 1}", judge, said[judge][d]) for n in range(6) for d in (0, 1) for judge in said]
    >>> frame = pl.DataFrame(rows, schema=["query_id", "item_id", "judge", "label"], orient="row")
    >>> runs = {"one": {f"q{n}": {"d1": 2.0, "d2": 1.0} for n in range(6)}}
    >>> runs |= {"two": {f"q{n}": {"d1": 1.0, "d2": 2.0} for n in range(6)}}
    >>> agree_on_systems(Labels.of(frame), runs, measure="RR").verdicts["outcome"].to_list()
    ['reversed']
    """
    confidence = checked_confidence(confidence)
    resamples, seed = Whole(0).check("resamples", resamples), Whole(0).check("seed", seed)
    wanted = str(parse_measure(measure))
    held = opened(labels, judges=judges, repeated=repeated, columns=columns)
    if not held.has_topics or not is_numeric(held):
        lacking = "topics" if not held.has_topics else "grades"
        raise InputError(f"{held.origin}: expected {lacking}, so that runs can be evaluated by the labels, got none")
    held = replace(held, frame=held.frame.with_columns(pl.col("judge").replace(_other_names(held.judges))))
    names = held.judges
    if len(names) > _MOST_JUDGES:
        raise ParameterError(f"rankings by each of {len(names):,} judges are too many to compare: name up to 20 judges")
    systems = named_runs(runs)
    if len(systems) < 2:
        raise ParameterError("a ranking takes two systems or more")
    together, tables, topics = _judgments(held)
    evaluations = {
        name: evaluate(Qrels(frame, name), systems, [wanted], relevance_level=relevance_level)
        for name, frame in tables.items()
    }
    samples = {name: pairing_of(compare, each, measures=[wanted]).sample(wanted) for name, each in evaluations.items()}
    rows = [
        _alike(first, second, samples, list(systems), (resamples, seed, confidence))
        for first, second in combinations(samples, 2)
    ]
    numbers = {name: [each.mean(wanted, system) for system in systems] for name, each in evaluations.items()}
    scores = pl.DataFrame({"system": list(systems), **numbers}).sort(
        together or names[0], descending=True, maintain_order=True
    )
    left_out = held.frame["query_id"].n_unique() - topics
    notes = [*held.remarks]
    if left_out:
        notes.append(f"{number_of('topic', left_out)} left out: not all judges have labelled documents for them")
    verdicts = _verdicts(evaluations, wanted, 1 - confidence, seed)
    return JudgeRankings(
        wanted, names, together, scores, pl.DataFrame(rows).fill_nan(None), verdicts, topics, confidence, resamples,
        seed, tuple(notes), evaluations,
    )  # fmt: skip


def _other_names(judges: Sequence[str]) -> dict[str, str]:
    """Other names for judges who are called as columns are, or as what judges say together.

    >>> _other_names(["ana", "median", "judge median"])
    {'median': 'judge judge median'}
    """
    names = {}
    for judge in {"baseline", "system", "outcome", "majority", "median"} & set(judges):
        names[judge] = f"judge {judge}"
        while names[judge] in judges:
            names[judge] = f"judge {names[judge]}"
    return names


def _judgments(labels: Labels) -> tuple[str | None, dict[str, pl.DataFrame], int]:
    """The judgments of each judge, and of all together, on the topics that all have labelled."""
    judges, frame = labels.judges, labels.frame
    per_topic = frame.group_by("query_id").agg(pl.col("judge").n_unique())
    common = per_topic.filter(pl.col("judge") == len(judges))["query_id"]
    if not len(common):
        raise InputError(f"{labels.origin}: expected topics that all of {listed(judges)} have labelled, got none")
    frame = frame.filter(pl.col("query_id").is_in(common.implode()))
    tables = {judge: _qrels(frame.filter(judge=judge)) for judge in judges}
    if len(judges) < 3:
        return None, tables, len(common)
    ratings = ratings_of(Labels(frame, labels.name, labels.origin))
    together = "majority" if len(ratings.categories) == 2 else "median"
    chosen = (majority(ratings) if together == "majority" else median(ratings)).chosen
    pairs = frame.select("query_id", "item_id").unique(maintain_order=True)
    tables[together] = _qrels(pairs.with_columns(label=pl.Series(ratings.values[chosen])))
    return together, tables, len(common)


def _qrels(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.select("query_id", doc_id="item_id", relevance=pl.col("label").cast(pl.Float64))


def _alike(
    first: str, second: str, samples: Mapping[str, Sample], systems: Sequence[str], drawing: tuple[int, int, float]
) -> dict[str, Any]:
    """Rank correlations of two judges' orders of systems: tau and tau_AP, with intervals over resampled topics."""
    resamples, seed, confidence = drawing
    ours, theirs = samples[first], samples[second]
    sign = -1.0 if ours.higher_is_better is False else 1.0
    row: dict[str, Any] = {"first": first, "second": second}
    if not np.isfinite([ours.observed, theirs.observed]).all():  # to one of them, nothing is relevant
        return row | dict.fromkeys(("tau", "tau_low", "tau_high", "tau_AP", "tau_AP_low", "tau_AP_high"), math.nan)
    intervals = with_other_units(ours, theirs, systems, resamples=resamples, seed=seed, level=confidence)
    for name, coefficient, key in (("tau", kendall, _TAU), ("tau_AP", tau_ap, _TAU_AP)):
        value = coefficient(sign * ours.observed, sign * theirs.observed, confidence).value
        interval = intervals.get(key, Interval.unknown(confidence))
        row |= {name: value, f"{name}_low": interval.low, f"{name}_high": interval.high}
    return row


def _verdicts(evaluations: Mapping[str, Evaluation], measure: str, alpha: float, seed: int) -> pl.DataFrame:
    """Verdicts of `compare` on every two systems with each judge's labels, and whether they are the same."""
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for name, evaluation in evaluations.items():
        for finding in compare(evaluation, measures=[measure], alpha=alpha, seed=seed).findings:
            rows.setdefault((finding.baseline, finding.system), {})[name] = finding.verdict.word
    table = []
    for (baseline, system), words in rows.items():
        outcomes = set(words.values())
        if {"better", "worse"} <= outcomes:
            outcome = "reversed"
        elif len(outcomes) == 1:
            outcome = "same"
        else:
            outcome = "decided by some"
        table.append({"baseline": baseline, "system": system, **words, "outcome": outcome})
    return pl.DataFrame(table)


def sections(result: JudgeRankings) -> Iterator[Section]:
    """The conclusion, how alike the rankings are, the scores, and the verdicts that depend on the judge."""
    yield prose_section("conclusion", [result.conclusion])
    level = as_level(result.confidence)
    columns = (
        Column("first", "by"), Column("second", "and by"),
        Column("tau", "Kendall's tau", kind="estimate", ends=("tau_low", "tau_high"), missing=DASH),
        Column("tau_AP", kind="estimate", ends=("tau_AP_low", "tau_AP_high"), missing=DASH),
    )  # fmt: skip
    topics = number_of("resampled topic", result.topics)
    caption = f"How alike the rankings are, with {level} intervals over {topics}"
    yield Section("rankings", "Rankings of systems", (Table("rankings", result.correlations, columns, caption),))
    numbers = (Column(name, kind="number") for name in result.scores.columns[1:])
    scores = Table("scores", result.scores, (Column("system"), *numbers), f"{result.measure} by each judge's labels")
    yield Section("scores", "Scores", (scores,))
    if result.flips.height:
        words = (Column(name) for name in result.flips.columns)
        flips = Table("verdicts", result.flips, tuple(words), "Verdicts that depend on the judge", most=20)
        yield Section("verdicts", "Verdicts", (flips,))
    settings = {"measure": result.measure, "resamples": result.resamples, "seed": result.seed, "topics": result.topics}
    every = {"verdicts": result.verdicts.to_dicts()}
    yield prose_section("ranking basis", _basis(result), settings | every)


def _basis(result: JudgeRankings) -> Iterator[str]:
    together = f"; {result.together}: what judges say together" if result.together else ""
    yield (
        f"{number_of('system', result.scores.height)} on {number_of('topic', result.topics)} that all judges have "
        f"labelled{together}. {result.resamples:,} resamples, seed {result.seed}."
    )
    yield from (f"{note[0].upper()}{note[1:]}." for note in result.notes)


def document(result: JudgeRankings) -> Document:
    """All of it."""
    return Document("judge rankings", tuple(sections(result)), "Rankings of systems by judge")
