"""A measure of a run under other rules: the rows that each rule gives, and the value."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from assay.core.errors import ParameterError
from assay.measures.counting.judgments import Graded, Judgments, Mask, place_in_group
from assay.measures.counting.ranks import Ranks
from assay.measures.steps import PerUnit
from assay.measures.summary import filled, summarise
from assay.subjects.ranking.audit import measure_rules  # noqa: F401  # it registers its rules, after those of reading
from assay.subjects.ranking.audit.rules import AuditSetting, Data
from assay.tables import Qrels, Run

_PAIR = ("query_id", "doc_id")


# Stands in the names of documents that come again, which no id holds, and sorts them right behind the first.
_AGAIN = "\x00"


class AuditCase:
    """The case that is audited: all rows of a run, as they came, the judgments, and one query or none for the mean.

    >>> from assay.measures import P
    >>> from assay.measures.counting.ranking import Policies
    >>> run = Run.of([("q", "a", 2.0), ("q", "a", 1.0)])
    >>> case = AuditCase(run, Qrels.of({"q": {"a": 1}}))
    >>> first = AuditSetting(P @ 2, Policies(duplicates="first"))
    >>> case.value(first), case.value(first.having(repeated="kept"))
    (0.5, 1.0)
    """

    def __init__(self, run: Run, qrels: Qrels, query: str | None = None, *, seed: int = 0, samples: int = 100) -> None:
        self.run, self.qrels, self.query, self.seed, self.samples = run, qrels, query, seed, samples
        pairs = run.frame.select(_PAIR)
        #: How often the row's document stood in the query before.
        self._before = pairs.select(pl.int_range(pl.len()).over(_PAIR)).to_series()
        self.has_repeated_rows = bool((self._before > 0).any())
        of_query = pl.lit(True) if query is None else pl.col("query_id") == query
        self.repeated_rows = pairs.filter(of_query, self._before > 0).height
        grades = qrels.frame["relevance"].to_numpy()
        self.data = Data(
            float(grades.max(initial=0.0)),
            is_mean=query is None,
            has_ranks="rank" in run.frame.columns,
            has_fractions=bool((grades != np.floor(grades)).any()),
        )
        self._ranks: dict[tuple[object, ...], Ranks] = {}
        self._values: dict[AuditSetting, float] = {}

    def value(self, setting: AuditSetting) -> float:
        """The query's value, or the mean; NaN if there is none."""
        if setting not in self._values:
            self._values[setting] = self._valued(setting)
        return self._values[setting]

    def ranks(self, setting: AuditSetting) -> Ranks:
        """The counts of all queries that a tool with these rules would work on."""
        # Without repeated rows, all that is done about them is the same.
        repeated = setting.repeated if self.has_repeated_rows else "one"
        seen = (repeated, setting.in_file_order, setting.grades, setting.policies)
        if seen not in self._ranks:
            self._ranks[seen] = self._ranks_under(setting)
        return _with_ideal(self._ranks[seen], setting)

    def _valued(self, setting: AuditSetting) -> float:
        ranks = self.ranks(setting)
        measure = setting.measure
        asked = np.array([self.query in {None, query} for query in ranks.queries], dtype=np.bool_)
        # What is drawn at random for a query depends on those before it.
        is_drawn = setting.counted is None and measure.is_sampled(setting.policies)
        if not is_drawn and self.query is not None:
            ranks, asked = ranks.only(asked), asked[asked]
        if setting.counted is None:
            result = measure.per_unit(ranks, seed=self.seed, samples=self.samples)
        else:
            result = _plain(setting.counted(ranks, measure))
        if not measure.is_micro:
            # In other tools what counts as 0 is 0, even if there is nothing else.
            values = filled(measure, result.values[asked], setting.undefined)
            result = _plain(values if setting.digits is None else np.round(values, setting.digits))
        summary = summarise(measure, result, setting.undefined)
        if setting.topics == "returned":
            return summary.value * summary.units / max(summary.units + len(ranks.ignored_topics), 1)
        return summary.value

    def _ranks_under(self, seen: AuditSetting) -> Ranks:
        graded = self._grades(seen)
        run = self.run.frame
        if seen.repeated == "last":
            # As in a dict that is filled row by row: the place of the first row, the score of the last.
            run = run.group_by(_PAIR, maintain_order=True).agg(pl.all().last())
        elif seen.repeated != "one":
            name = pl.when(self._before > 0).then(pl.format("{}{}{}", "doc_id", pl.lit(_AGAIN), self._before))
            again = run.select(*_PAIR, renamed=name.otherwise(pl.col("doc_id")))
            run = run.with_columns(doc_id=again["renamed"])
            more = again.filter(self._before > 0).join(graded, on=_PAIR, how="inner", maintain_order="left")
            graded = pl.concat([graded, more.select("query_id", doc_id="renamed", relevance="relevance")])
        if seen.in_file_order:
            run = run.with_columns(score=-pl.int_range(pl.len()).cast(pl.Float64))
        judgments = Judgments.of(Qrels(graded, self.qrels.name))
        ranks = Ranks.from_tables(Run(run, self.run.name), judgments, seen.policies)
        if seen.repeated == "kept":
            first = ~ranks.doc_ids.str.contains(_AGAIN, literal=True).to_numpy()
            ranks = replace(ranks, ideal=_ranked_anew(ranks.ideal, first[ranks.ideal.document]))
        return ranks

    def _grades(self, seen: AuditSetting) -> pl.DataFrame:
        """The judgments as the tool takes them."""
        grade = pl.col("relevance")
        changed = {
            "given": grade,
            "whole": pl.when(grade < 0).then(grade.ceil()).otherwise(grade.floor()),  # towards zero, as C does
            "not_negative": pl.max_horizontal(grade, 0.0),
        }[seen.grades]
        return self.qrels.frame.select(*_PAIR, relevance=changed)


def _plain(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> PerUnit:
    return PerUnit(values, "counted", undefined={"no number": np.isnan(values)})


def _with_ideal(ranks: Ranks, setting: AuditSetting) -> Ranks:
    """The same counts with another ideal: not all judged documents, or other ones."""
    if setting.ideal == "judged":
        return ranks
    if setting.ideal == "retrieved":
        hits = ranks.hits
        if setting.cutoff is not None:
            if hits.averaged:
                raise ParameterError("which tied documents stand above the cut-off is open")
            hits = hits.where(hits.rank <= setting.cutoff)
        order = np.lexsort((-hits.grade, hits.query))
        rank, query = hits.rank[order], hits.query[order]
        best = Graded(query, rank, hits.grade[order], rank, rank, hits.document[order])
        return replace(ranks, ideal=_ranked_anew(best, np.ones(len(order), dtype=np.bool_)))
    if setting.ideal == "hits":
        most = ranks.retrieved[ranks.ideal.query]
    elif setting.cutoff is None:
        raise ParameterError(f"{setting.measure} has no cut-off")
    else:
        most = np.full(len(ranks.ideal.query), setting.cutoff)
    return replace(ranks, ideal=ranks.ideal.where(ranks.ideal.rank <= most))


def _ranked_anew(rows: Graded, kept: Mask) -> Graded:
    rows = rows.where(kept)
    place = place_in_group(rows.query) + 1
    return replace(rows, rank=place, tie_first=place, tie_last=place)
