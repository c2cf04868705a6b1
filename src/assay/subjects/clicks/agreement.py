"""`agree_with_clicks`: do clicks and judgments order documents alike, where do they not, and which look out of date."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Unpack

import numpy as np
import polars as pl

from assay.core.domains import Real
from assay.core.errors import InputError, number_of
from assay.core.evaluation_options import Level, Seed
from assay.core.options import Alpha, JudgingRules, Resamples
from assay.core.results import Result
from assay.measures.counting.judgments import Floats
from assay.measures.counting.orders import Comparisons
from assay.measures.counting.preferences import judgment_votes
from assay.stats.correlation import row_by_row
from assay.stats.paired_preferences import one_sided_sign_tests
from assay.stats.ratio_samples import ratio_of_sums
from assay.stats.verdict import corrected
from assay.subjects.clicks.inputs import grades_of, opened_qrels
from assay.subjects.clicks.judgments import ClickJudgments, beside_grades, judge_clicks
from assay.subjects.clicks.query_names import other_names
from assay.tables import Qrels

_KENDALL, _SPEARMAN = "Kendall's tau-b", "Spearman's rho"
#: The coefficients by query: what each is called in a column, and in words.
COEFFICIENTS = {"kendall": _KENDALL, "spearman": _SPEARMAN, "auc": "AUC of relevance"}
#: Pairs of documents that are looked at together.
_MOST_PAIRS = 1_000_000
_THIRDS = ("most frequent", "middle", "least frequent")


@dataclass(frozen=True, eq=False)
class ClickAgreement(Result):
    """Clicks and judgments of the same documents, held together.

    `summary`: the coefficients with their intervals, for all queries and by how frequent they are. `grades`: what
    clicks say of documents of each grade. `documents`: all that have both, with the grade that their clicks look like
    (`clicked_like`) and whether the two disagree. `queries`: the coefficients of each query, and how many people's
    clicks go with its judgments and against, with the sign test.
    """

    kind: ClassVar[str] = "click agreement"

    judgments: ClickJudgments
    qrels: Qrels
    summary: pl.DataFrame
    grades: pl.DataFrame
    documents: pl.DataFrame
    queries: pl.DataFrame
    settings: Mapping[str, Any]
    warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<ClickAgreement on {number_of('query', self.queries.height)}>"

    def to_frame(self) -> pl.DataFrame:
        """The coefficients, for all queries and by frequency."""
        return self.summary

    @property
    def out_of_date(self) -> pl.DataFrame:
        """The queries whose clicks speak against their judgments, most clearly first."""
        return self.queries.filter("out_of_date").sort("p", "query_id")

    @property
    def disagreements(self) -> pl.DataFrame:
        """The documents on which clicks and judgments disagree, those furthest apart first."""
        return self.documents.filter("disagrees").sort(
            "distance", "query_id", "doc_id", descending=[True, False, False]
        )


def agree_with_clicks(
    qrels: Any,
    log: Any,
    *,
    relevance_level: Level = 1.0,
    alpha: Alpha = 0.05,
    resamples: Resamples = 1000,
    seed: Seed = 0,
    **judging: Unpack[JudgingRules],
) -> ClickAgreement:
    """Say whether clicks and judgments agree.

    What clicks say of a document is estimated as by `judge_clicks`, which says what `judging` takes. Within each query,
    the estimates and the grades are correlated; intervals come from drawing queries anew. `auc`: how likely a relevant
    document has the higher estimate of the two. A query's judgments look out of date if significantly more people
    preferred documents of lower grades to such of higher grades that stood above and were passed over than the other
    way round (one-sided sign test over people, corrected by Benjamini and Hochberg's method).

    >>> from assay.tables.log import Log
    >>> log = Log.from_pages([("q", ["a", "b"], ["b"])] * 12 + [("q", ["b", "a"], ["b"])] * 12)
    >>> result = agree_with_clicks({"q": {"a": 1, "b": 0}}, log)
    >>> result.out_of_date.select("query_id", "with", "against", "p").rows()
    [('q', 0, 12, 0.0002)]
    """
    Real(0.0, 1.0, inside=True).check("alpha", alpha)
    judged = opened_qrels(qrels)
    grades = grades_of(judged)
    estimated = judge_clicks(log, confidence=1 - alpha, **judging)
    rows = beside_grades(estimated.judged.drop("grade"), grades)
    if not rows.height:
        known = estimated.pairs.join(grades, on=["query_id", "doc_id"], how="semi")["reason"].unique(
            maintain_order=True
        )
        why = f"none that clicks can say something of: {', '.join(known)}" if len(known) else "none"
        why = "; ".join([why, *other_names(judged, estimated.log)])
        raise InputError(f"{judged.name}: expected judgments of documents that {estimated.log.origin} shows, got {why}")
    pages = estimated.log.impressions.group_by("query_id").agg(pages=pl.len().cast(pl.Int64)).collect()
    drawing = {"confidence": 1 - alpha, "resamples": resamples, "seed": seed}
    queries = _by_query(rows, relevance_level).join(pages, on="query_id", how="left", maintain_order="left")
    queries = _tested(queries, judgment_votes(estimated.log, grades), alpha)
    by_grade = pl.DataFrame([_grade(rows, grade, drawing) for grade in rows["grade"].unique().sort()])
    settings = {
        **estimated.settings, "relevance_level": relevance_level, "alpha": alpha, "resamples": resamples, "seed": seed,
        "shown": estimated.judged.height, "judged": grades.height, "unit": estimated.log.unit_kind,
    }  # fmt: skip
    return ClickAgreement(
        estimated, judged, pl.DataFrame(list(_summary(queries, drawing))), by_grade, _documents(rows, by_grade),
        queries, settings, (*estimated.warnings, *other_names(judged, estimated.log)),
    )  # fmt: skip


def _by_query(rows: pl.DataFrame, level: float) -> pl.DataFrame:
    """The coefficients of each query: those with as many documents are computed at once."""
    lists = rows.sort("query_id", "doc_id").group_by("query_id", maintain_order=True).agg("estimate", "grade")
    lists = lists.with_columns(documents=pl.col("grade").list.len().cast(pl.Int64))
    parts = []
    for (size,), alike in lists.group_by("documents", maintain_order=True):
        documents = int(str(size))
        for same in alike.iter_slices(max(1, _MOST_PAIRS // documents**2)):
            estimates, grades = (np.array(same[name].to_list(), dtype=np.float64) for name in ("estimate", "grade"))
            columns = {name: np.full(same.height, np.nan) for name in COEFFICIENTS}
            won = pairs = np.zeros(same.height)
            if documents > 1:
                correlations = row_by_row(grades, estimates)
                columns |= {name: correlations[word] for name, word in COEFFICIENTS.items() if word in correlations}
                won, pairs = _orderings(estimates, grades >= level)
                columns["auc"] = np.divide(won, pairs, out=np.full(same.height, np.nan), where=pairs > 0)
            values = {name: pl.Series(column).fill_nan(None) for name, column in columns.items()}
            counts = {"_won": pl.Series(won), "_pairs": pl.Series(pairs)}
            parts.append(same.select("query_id", "documents").with_columns(**values, **counts))
    return pl.concat(parts).sort("query_id")


def _orderings(estimates: Floats, relevant: Any) -> tuple[Floats, Floats]:
    """Of pairs of a relevant document and another, row by row: how many have the estimates in order, and all."""
    signs = Comparisons.of(estimates).signs
    counted = relevant[:, :, None] & ~relevant[:, None, :]
    won: Floats = ((signs + 1) / 2 * counted).sum(axis=(1, 2))
    return won, counted.sum(axis=(1, 2)).astype(np.float64)


def _tested(queries: pl.DataFrame, votes: pl.DataFrame, alpha: float) -> pl.DataFrame:
    counts = [pl.col(name).fill_null(0) for name in ("with", "against")]
    queries = queries.join(votes, on="query_id", how="left", maintain_order="left").with_columns(counts)
    right, wrong = queries["with"].to_numpy(), queries["against"].to_numpy()
    p = np.where(right + wrong > 0, one_sided_sign_tests(right, wrong), np.nan)
    fixed = corrected(p, "benjamini-hochberg")
    return queries.with_columns(
        p=pl.Series(p).fill_nan(None), p_corrected=pl.Series(fixed).fill_nan(None), out_of_date=pl.Series(fixed < alpha)
    )


def _summary(queries: pl.DataFrame, drawing: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The coefficients over all queries, and over each third of them by frequency."""
    parts = {"all": queries}
    if queries.height >= len(_THIRDS):
        place = pl.col("pages").rank("ordinal", descending=True) - 1
        third = queries.select((place * len(_THIRDS) // pl.len()).cast(pl.Int64)).to_series()
        parts |= {name: queries.filter(third == number) for number, name in enumerate(_THIRDS)}
    for name, part in parts.items():
        row: dict[str, Any] = {"queries": name, "n": part.height}
        row |= {count: part[count].sum() for count in ("pages", "documents")}
        for column in COEFFICIENTS:
            if column == "auc":
                above, below = part["_won"].to_numpy(), part["_pairs"].to_numpy()
            else:
                above = part[column].drop_nulls().to_numpy()
                below = np.ones(len(above))
            row |= _estimated(column, above, below, {**drawing, "bounds": (0.0 if column == "auc" else -1.0, 1.0)})
        yield row


def _estimated(column: str, above: Floats, below: Floats, drawing: Mapping[str, Any]) -> dict[str, float | None]:
    return ratio_of_sums(above, below, **drawing).as_columns(column, f"{column}_low", f"{column}_high")


def _grade(rows: pl.DataFrame, grade: float, drawing: Mapping[str, Any]) -> dict[str, Any]:
    """The estimate for the documents of a grade from clicks: the mean, with queries resampled."""
    part = rows.filter(pl.col("grade") == grade)
    sums = part.group_by("query_id").agg(pl.col("estimate").sum(), pl.len().cast(pl.Float64)).sort("query_id")
    bounded = {**drawing, "bounds": (0.0, np.inf)}
    row: dict[str, Any] = {"grade": grade, "documents": part.height}
    row |= {name: part[name].sum() for name in ("impressions", "clicks")}
    return row | _estimated("estimate", sums["estimate"].to_numpy(), sums["len"].to_numpy(), bounded)


def _documents(rows: pl.DataFrame, by_grade: pl.DataFrame) -> pl.DataFrame:
    """Documents with the grade whose mean estimate is nearest; a disagreement if the interval says so, too."""
    grades, means = (by_grade[name].to_numpy().astype(np.float64) for name in ("grade", "estimate"))
    like = grades[np.abs(rows["estimate"].to_numpy()[:, None] - means).argmin(axis=1)]
    rows = rows.drop("reason").with_columns(clicked_like=pl.Series(like))
    other = pl.col("clicked_like") != pl.col("grade")
    same_side = (pl.col("clicked_like") > pl.col("grade")) == (pl.col("estimate") > pl.col("usual"))
    return rows.with_columns(disagrees=other & same_side & (pl.col("distance") > 0))
