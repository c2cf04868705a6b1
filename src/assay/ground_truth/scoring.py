"""Runs counted once against complete judgments, then scored under any part of these."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from assay.core.errors import InputError, ParameterError
from assay.files.manifest import is_collection, open_collection
from assay.ground_truth.run_ranks import PAIR, RunRanks, judged_pairs
from assay.measures import Measure, parse_measure
from assay.measures.counting import Ranks
from assay.measures.counting.judgments import Floats, Judgments, Mask
from assay.measures.summary import summarise
from assay.stats.correlation import kendall, tau_ap
from assay.stats.pairing import Wanted, each_measure
from assay.tables import Qrels, Run
from assay.tables.shapes import picked


def measures_of(measures: Wanted, default: Sequence[str]) -> list[Measure]:
    """The measures asked for, each once, or those that are looked at otherwise."""
    names = each_measure(default if measures is None else measures)
    if not names:
        raise ParameterError("there is no measure to compute")
    return list({str(measure): measure for measure in map(parse_measure, names)}.values())


class JudgedRuns:
    """Runs counted against complete judgments, to be scored as if only some of these had been made.

    >>> ranks = RunRanks.of({"a": {"q": {"d1": 2.0, "d2": 1.0}}})
    >>> judged = pl.DataFrame({"query_id": ["q", "q"], "doc_id": ["d1", "d2"], "relevance": [1.0, 1.0]})
    >>> runs = JudgedRuns(ranks, judged, measures_of("P@2", ()))
    >>> runs.scores(runs.among(judged.head(1))).rows()
    [('a', 'P@2', 0.5)]
    """

    def __init__(self, ranks: RunRanks, judged: pl.DataFrame, measures: Sequence[Measure]) -> None:
        self.ranks, self.judged, self.measures = ranks, judged, measures
        self._judgments = Judgments.of(Qrels(judged))
        parts: Mapping[Any, pl.DataFrame] = ranks.frame.partition_by("run", as_dict=True)
        nothing = ranks.frame.clear()
        self._counts = {name: self._ranks_of(parts.get((name,), nothing), name) for name in ranks.runs}
        query = picked(pl.Series(self._judgments.topics, dtype=pl.String), self._judgments.topic)
        #: The judged pairs with their grades, in the order of masks.
        self.pairs = pl.DataFrame(
            {"query_id": query, "doc_id": self._judgments.doc_id, "relevance": self._judgments.grade}
        )
        self.full = self.scores(np.ones(self.pairs.height, dtype=np.bool_))

    @classmethod
    def of(
        cls, qrels: Any, runs: Any, measures: Sequence[Measure], groups: Mapping[str, str] | None = None
    ) -> JudgedRuns:
        """Runs on the topics that have judgments; a collection brings its judgments, and its runs if none are given."""
        if is_collection(qrels):
            collection = open_collection(qrels)
            qrels, runs = collection.qrels(), collection if runs is None else runs
        judged = judged_pairs(qrels)
        ranks = RunRanks.of(runs, groups=groups)
        frame = ranks.frame.join(judged.select("query_id").unique(), on="query_id", how="semi", maintain_order="left")
        if not frame.height:
            raise InputError("the runs and the judgments have no topic in common")
        return cls(replace(ranks, frame=frame), judged, measures)

    def _ranks_of(self, rows: pl.DataFrame, name: str) -> Ranks:
        # Ties were broken when the run was ranked.
        run = Run(rows.select(*PAIR, score=-pl.col("rank").cast(pl.Float64)), name)
        ranks = Ranks.from_tables(run, self._judgments)
        return replace(ranks, added=np.ones(len(self._judgments.grade), dtype=np.bool_))

    def among(self, pairs: pl.DataFrame) -> Mask:
        """A mask of the judgments of these pairs."""
        marked = pairs.select(PAIR).unique().with_columns(among=pl.lit(True))
        return self.pairs.join(marked, on=PAIR, how="left", maintain_order="left")["among"].fill_null(False).to_numpy()

    def scores(self, kept: Mask, runs: Iterable[str] | None = None) -> pl.DataFrame:
        """Each run's number under each measure, with these judgments only: `run, measure, value`.

        Topics that lose all of their judgments stay, so that all means are over the same topics.
        """
        grades = np.where(kept, self._judgments.grade, -1.0)
        rows = []
        for name in self.ranks.runs if runs is None else runs:
            counts = self._counts[name].regraded(grades)
            rows += [(name, str(each), summarise(each, each.per_unit(counts)).value) for each in self.measures]
        return pl.DataFrame(rows, schema={"run": pl.String, "measure": pl.String, "value": pl.Float64}, orient="row")

    @property
    def undefined(self) -> dict[str, str]:
        """Why a measure has no number for any run, where it has none."""
        reasons = {}
        for each in self.measures:
            whys = [summarise(each, each.per_unit(self._counts[name])).reason for name in self.ranks.runs]
            if all(whys):
                reasons[str(each)] = next(filter(None, whys)).partition(": give ")[0]  # here, there is no such option
        return reasons

    def under(self, kept: Mask) -> pl.DataFrame:
        """These judgments alone against all: `judged, relevant, measure, mean_full, mean, tau, tau_ap`, null if none.

        The means are over runs; tau and tau_AP compare the two orders of runs.
        """
        both = self.full.join(self.scores(kept), on=["run", "measure"], maintain_order="left", suffix="_kept")
        relevant = int((self.pairs["relevance"].to_numpy()[kept] > 0).sum())
        rows = []
        for each in self.measures:
            measure = str(each)
            values = both.filter(measure=measure).select("value", "value_kept").to_numpy().T
            row = {"judged": int(kept.sum()), "relevant": relevant, "measure": measure}
            row |= {"mean_full": values[0].mean(), "mean": values[1].mean()}
            tau, top = orders_alike(*values, is_lower_better=each.definition.direction == "lower")
            rows.append(row | {"tau": tau, "tau_ap": top})
        return pl.DataFrame(rows).fill_nan(None)


def orders_alike(first: Floats, second: Floats, *, is_lower_better: bool = False) -> tuple[float, float]:
    """Kendall's tau and tau_AP of two scores of the same runs; NaN where a score is undefined: so is the order.

    The best come first, which are those with the smallest scores where `is_lower_better`.

    >>> orders_alike(np.array([0.3, 0.2, 0.1]), np.array([0.3, 0.1, 0.2]))
    (0.3333, 0.5)
    """
    if len(first) < 2 or np.isnan([first, second]).any():
        return np.nan, np.nan
    sign = -1.0 if is_lower_better else 1.0
    return kendall(first, second).value, tau_ap(sign * first, sign * second).value
