"""`prefer_clicks`: what clicks prefer to what, whether that is more than chance, and the ranking that it makes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl

from assay.core.domains import Choice, Real, Whole
from assay.core.errors import number_of
from assay.core.evaluation_options import Seed
from assay.core.options import Alpha, GradeQuantiles, MinVotes, PreferenceStrategy, Resamples, SameText, StrengthPrior
from assay.core.results import Result
from assay.measures.counting.preferences import STRATEGIES, preference_votes, suited
from assay.stats.estimates import standard_errors
from assay.stats.paired_preferences import NOT_CONNECTED, bradley_terry, sign_tests
from assay.stats.ratio_samples import ratio_of_sums
from assay.stats.verdict import corrected
from assay.subjects.clicks.inputs import grades_of, grades_shown, opened_log, opened_qrels
from assay.subjects.clicks.judgments import QUANTILES, graded
from assay.tables import Qrels
from assay.tables.log import Log

_STRATEGIES = {
    "strategy": pl.String, "title": pl.String, "pairs": pl.Int64, "votes": pl.Int64, "compared": pl.Int64,
    "agree": pl.Float64, "low": pl.Float64, "high": pl.Float64,
}  # fmt: skip
_RANKING = {
    "query_id": pl.String, "doc_id": pl.String, "place": pl.Int64, "strength": pl.Float64, "low": pl.Float64,
    "high": pl.Float64, "votes": pl.Int64, "connected": pl.Boolean, "grade": pl.Int64, "reason": pl.String,
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class ClickPreferences(Result):
    """Preferences between documents, read off clicks.

    `pairs`: one row per query and pair of documents: the preferred one (`doc_id`), the `other`, votes `won` and `lost`,
    `pages`, the sign test's `p` and, corrected, `p_corrected`, and whether that decides it. `strategies`: how many
    preferences each strategy gives, and how many of them judgments share. `ranking`: documents of each query by their
    strength in the Bradley-Terry model of all votes.
    """

    kind: ClassVar[str] = "click preferences"

    log: Log
    pairs: pl.DataFrame
    strategies: pl.DataFrame
    ranking: pl.DataFrame
    settings: Mapping[str, Any]
    warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<ClickPreferences by {self.settings['strategy']}: {number_of('pair', self.pairs.height)}>"

    def to_frame(self) -> pl.DataFrame:
        """One row per pair of documents."""
        return self.pairs

    def to_qrels(self) -> Qrels:
        """Judgments by the place in the ranking of each query: see `quantiles` of `prefer_clicks`."""
        frame = self.ranking.drop_nulls("grade").select(
            "query_id", "doc_id", pl.col("grade").cast(pl.Float64).alias("relevance"), "strength", "votes"
        )
        return Qrels(frame, self.log.name, f"preferences by {self.settings['strategy']}")


def prefer_clicks(
    log: Any,
    *,
    qrels: Any = None,
    strategy: PreferenceStrategy = "skip-above",
    min_votes: MinVotes = 5,
    prior: StrengthPrior = 0.5,
    quantiles: GradeQuantiles = QUANTILES,
    same_text: SameText = False,
    alpha: Alpha = 0.05,
    resamples: Resamples = 1000,
    seed: Seed = 0,
) -> ClickPreferences:
    """Read off clicks which documents users prefer to which.

    `strategy`: `skip-above`, `last-click`, `earlier-click`, `skip-previous`, `no-click-next` or `query-chain`; all of
    them are compared with `qrels`, if given. A user has one vote on a pair. Pairs with `min_votes` or more are tested
    (sign test, corrected by Holm's method over all of them). `prior`: so many imagined wins and losses of each
    document against an average one, which keep the strengths finite; without them, a query has a ranking only if its
    preferences connect all documents both ways. `quantiles`: where grades begin among the strengths of a query.

    >>> log = Log.from_pages([("q", ["a", "b", "c"], ["b"])] * 6 + [("q", ["b", "a", "c"], ["c"])] * 2)
    >>> prefer_clicks(log).pairs.select("doc_id", "other", "won", "lost", "p").rows()
    [('b', 'a', 6, 0, 0.0312), ('c', 'a', 2, 0, None), ('c', 'b', 2, 0, None)]
    """
    Choice(tuple(STRATEGIES)).check("strategy", strategy)
    Whole(1).check("min_votes", min_votes)
    Real(0.0).check("prior", prior)
    Real(0.0, 1.0, inside=True).check("alpha", alpha)
    opened, _ = opened_log(log, same_text=same_text)
    votes = {name: preference_votes(opened, name) for name in dict.fromkeys([strategy, *suited(opened)])}
    judgments = None if qrels is None else opened_qrels(qrels)
    if judgments is not None:
        grades_shown(judgments, opened)
    settings = {
        "strategy": strategy, "min_votes": min_votes, "prior": prior, "quantiles": tuple(quantiles), "alpha": alpha,
        "same_text": same_text, "resamples": resamples, "seed": seed, "unit": opened.unit_kind,
        "qrels": None if judgments is None else judgments.name,
    }  # fmt: skip
    rows = [_strategy(name, votes[name], judgments, settings) for name in STRATEGIES if name in votes]
    warnings = [*opened.remarks]
    if "events.time" not in opened.known and strategy in {"last-click", "earlier-click"}:
        warnings.append("the log has no times: clicks are taken in the order in which it has them")
    return ClickPreferences(
        opened, _tested(votes[strategy], min_votes, alpha), pl.DataFrame(rows, schema=_STRATEGIES, orient="row"),
        pl.DataFrame(list(_ranked(votes[strategy], prior, quantiles, alpha)), schema=_RANKING, orient="row"), settings,
        tuple(warnings),
    )  # fmt: skip


def _tested(votes: pl.DataFrame, min_votes: int, alpha: float) -> pl.DataFrame:
    won, lost = votes["won"].to_numpy(), votes["lost"].to_numpy()
    p = np.where(won + lost >= min_votes, sign_tests(won, lost), np.nan)
    holm = corrected(p, "holm")
    return votes.with_columns(
        p=pl.Series(p).fill_nan(None), p_corrected=pl.Series(holm).fill_nan(None), decided=pl.Series(holm < alpha)
    )


def _strategy(name: str, votes: pl.DataFrame, qrels: Qrels | None, settings: Mapping[str, Any]) -> tuple[Any, ...]:
    """The votes of a strategy, and the share of them that judgments with different grades share, by query."""
    total = int((votes["won"] + votes["lost"]).sum())
    counts = (name, STRATEGIES[name].title, votes.height, total)
    if qrels is None:
        return (*counts, None, None, None, None)
    judged = with_grades(votes, qrels).filter(pl.col("grade") != pl.col("other_grade"))
    right = pl.when(pl.col("grade") > pl.col("other_grade")).then("won").otherwise("lost")
    judged = judged.with_columns(right=right, votes=pl.col("won") + pl.col("lost"))
    queries = judged.group_by("query_id").agg(pl.col("right", "votes").sum()).sort("query_id")
    share = ratio_of_sums(
        queries["right"].to_numpy().astype(np.float64), queries["votes"].to_numpy().astype(np.float64),
        confidence=1 - settings["alpha"], bounds=(0.0, 1.0), resamples=settings["resamples"], seed=settings["seed"],
    )  # fmt: skip
    return (*counts, int(queries["votes"].sum()), *share.as_columns().values())


def with_grades(pairs: pl.DataFrame, qrels: Qrels) -> pl.DataFrame:
    """Pairs of documents (`doc_id`, `other`) with both their grades; those without are left out."""
    known = grades_of(qrels)
    others = known.rename({"doc_id": "other", "grade": "other_grade"})
    return pairs.join(known, on=["query_id", "doc_id"]).join(others, on=["query_id", "other"])


def _ranked(votes: pl.DataFrame, prior: float, quantiles: Sequence[float], alpha: float) -> Iterator[tuple[Any, ...]]:
    """The documents of each query by their strength, with a grade within the query."""
    reach = standard_errors(1 - alpha)
    for (query,), rows in votes.group_by("query_id", maintain_order=True):
        names = pl.concat([rows["doc_id"], rows["other"]]).unique().sort()
        place = {name: number for number, name in enumerate(names)}
        wins = np.zeros((len(names), len(names)))
        for first, second, won, lost in rows.select("doc_id", "other", "won", "lost").iter_rows():
            wins[place[first], place[second]] += won
            wins[place[second], place[first]] += lost
        fit = bradley_terry(wins, prior)
        known = not np.isnan(fit.strength).any()
        grades = graded(fit.strength, quantiles)[0] if known else np.zeros(len(names), dtype=np.int64)
        cast = wins.sum(axis=0) + wins.sum(axis=1)
        for number, item in enumerate(np.argsort(-fit.strength, kind="stable"), start=1):
            numbers: tuple[float | None, ...] = (None, None, None, None)
            if known:
                strength = float(fit.strength[item])
                error = reach * float(fit.error[item])
                numbers = (number, strength, strength - error, strength + error)
            yield (
                query, names[int(item)], *numbers, int(cast[item]), fit.connected,
                int(grades[item]) if known else None, None if known else NOT_CONNECTED,
            )  # fmt: skip
