"""Documents of judgments from clicks, their agreement with others, preferences and values of other rankings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl
from polars import selectors as cs

from assay.core.digits import as_level, as_percent, number, signed
from assay.core.errors import number_of
from assay.show import charts
from assay.show.figure import Figure, Scale, Series
from assay.show.model import Column, Document, Prose, Section, Table
from assay.subjects.clicks.agreement import COEFFICIENTS
from assay.subjects.clicks.calibration import MODELS
from assay.subjects.clicks.counterfactual import ESTIMATORS

if TYPE_CHECKING:
    from assay.subjects.clicks.agreement import ClickAgreement
    from assay.subjects.clicks.calibration import CalibratedMeasures
    from assay.subjects.clicks.counterfactual import RankingValues
    from assay.subjects.clicks.judgments import ClickJudgments
    from assay.subjects.clicks.preferences import ClickPreferences

#: So many rows of long tables are shown where there is little room.
_MOST = 20
#: So much of a ranking may be missing from a log without a word.
_LITTLE = 0.02
_DASH = "-"
#: Columns that several tables have.
_COLUMNS = {
    "query_id": Column("query_id", "query"), "doc_id": Column("doc_id", "document"),
    "impressions": Column("impressions", kind="count"), "clicks": Column("clicks", kind="count"),
    "pages": Column("pages", kind="count"), "documents": Column("documents", kind="count"),
    "votes": Column("votes", kind="count"), "with": Column("with", "with the judgments", "count"),
    "against": Column("against", kind="count"), "run": Column("run"), "estimator": Column("estimator"),
    "p_corrected": Column("p_corrected", "p, corrected", "p", missing=_DASH),
    "grade": Column("grade", kind="short", missing=_DASH), "judged": Column("grade", "judged", "short"),
}  # fmt: skip


def _columns(*columns: str | Column) -> tuple[Column, ...]:
    """Columns by name, or as they are."""
    return tuple(_COLUMNS[each] if isinstance(each, str) else each for each in columns)


def _estimate(name: str, title: str, low: str = "low", high: str = "high", least: int = 2, **looks: Any) -> Column:
    """A number with its interval."""
    return Column(name, title, "estimate", ends=(low, high), least=least, **{"missing": _DASH, **looks})


def judgments_document(result: ClickJudgments) -> Document:
    """Documents by grade, reasons why others have none, what each rank earns, queries that were merged."""
    judged, settings = result.judged, result.settings
    claim = (
        f"{number_of('document', judged.height)} graded for {number_of('query', judged['query_id'].n_unique())}, "
        f"by {settings['by']}"
    )
    left = result.pairs.filter(pl.col("grade").is_null()).group_by("reason").len("n").sort("reason")
    without = [f"{number_of('document', n)} without a grade: {reason}." for reason, n in left.iter_rows()]
    ends = [number(cut, 3) for cut in result.cuts]
    where = "above" if settings["rule"] == "quantiles" else "from"
    rule = f"Grades begin {where} {', '.join(ends)}" + (
        f": the quantiles {', '.join(f'{each:g}' for each in settings['at'])} of all estimates."
        if settings["rule"] == "quantiles" else "."
    )  # fmt: skip
    rules = [Prose(rule, "dim")] if judged.height else []
    grades = judged.group_by("grade").agg(
        documents=pl.len(), impressions=pl.col("impressions").sum(), clicks=pl.col("clicks").sum(),
        estimate=pl.col("estimate").mean(),
    ).sort("grade")  # fmt: skip
    mean = Column("estimate", "mean estimate", "number", least=3)
    columns = _columns("grade", "documents", "impressions", "clicks", mean)
    expected = [Column("expected", "expected clicks", "number", least=1)] if "expected" in result.pairs.columns else []
    pairs = _columns(
        "query_id", "doc_id", "impressions", "clicks", *expected,
        _estimate("_estimate", "estimate", "_low", "_high", 3), "grade",
        Column("reason", "why no grade", "words", missing=""),
    )  # fmt: skip
    best = result.pairs.sort(pl.col("grade").is_null(), -pl.col("estimate"), nulls_last=True, maintain_order=True)
    best = _rounded(best, "estimate", "low", "high")
    merges = replace(Table.of("merges", result.merges, "Queries that read alike, taken for one"), most=_MOST)
    sections = (
        Section("judgments", parts=(Prose(claim, "claim"), *map(Prose, without), *rules),
                data={"settings": dict(settings)}),
        Section("grades", parts=(Table("grades", grades, columns, "Documents by grade"),)),
        Section("ranks", parts=_ranks(result.ranks)),
        *([Section("merges", parts=(merges,))] if result.merges.height else []),
        Section("pairs", "Documents", (Table("pairs", best, pairs, most=_MOST),), long=True),
        Section.of_lines("warnings", result.warnings),
    )  # fmt: skip
    return Document("click judgments", sections, claim)


def _ranks(ranks: pl.DataFrame) -> tuple[Table | Figure, ...]:
    """Facts about each rank, as a table and drawn."""
    titles = {"rate": "click-through rate", "examination": "looked at"}
    shares = [name for name in titles if name in ranks.columns]
    counts = [name for name in ("impressions", "clicks") if name in ranks.columns]
    columns = (Column(name, titles[name], "percent", missing=_DASH) for name in shares)
    table = Table("ranks", ranks, _columns(Column("rank", kind="short"), *counts, *columns), "By rank", most=_MOST)
    title = titles[shares[-1]]
    points = ranks.select(pl.col("rank").cast(pl.Float64), shares[-1], system=pl.lit(title))
    across = Scale("rank", 1, max(float(points["rank"].max() or 2), 2.0))  # type: ignore[arg-type]
    up = (shares[-1], Scale(title, percent=True, zero=True))
    return table, charts.lines(points, ("rank", across), up, [Series(title)])


def _rounded(frame: pl.DataFrame, *names: str) -> pl.DataFrame:
    """With further columns, to be shown: estimates that differ from 0 or 1 beyond what a log can tell are 0 and 1."""
    return frame.with_columns(pl.col(name).round(3).alias(f"_{name}") for name in names)


def agreement_document(result: ClickAgreement) -> Document:
    """Agreement of clicks and judgments, by frequency and grade; documents and queries on which they differ."""
    settings = result.settings
    by = result.settings["by"]
    level = as_level(1 - settings["alpha"])
    among = [_estimate(name, title, f"{name}_low", f"{name}_high") for name, title in COEFFICIENTS.items()]
    summary = Table(
        "summary", result.summary, _columns(Column("queries"), Column("n", "number", "count"), "pages", *among),
        f"Agreement within queries, with {level} intervals over resampled queries",
        ("AUC of relevance: how likely a relevant document has the higher click estimate; 0.5 is chance.",),
    )  # fmt: skip
    usual = _estimate("estimate", f"mean {by}", "estimate_low", "estimate_high")
    grades = Table(
        "grades", result.grades, _columns("judged", "documents", "impressions", "clicks", usual),
        f"What clicks say of each grade, with {level} intervals",
    )  # fmt: skip
    other = _columns(
        "query_id", "doc_id", "judged", Column("clicked_like", "clicked like", "short"), "impressions", "clicks",
        _estimate("_estimate", by, "_low", "_high"), Column("usual", "usual for its grade", "number", least=2),
    )  # fmt: skip
    furthest = _rounded(result.disagreements, "estimate", "low", "high")
    disagreements = Table("disagreements", furthest, other, most=_MOST)
    tests = ("with", "against", "p_corrected")
    stale = Table("out_of_date", result.out_of_date, _columns("query_id", "pages", *tests), most=_MOST)
    coefficients = [Column(name, title, "number", least=2, missing=_DASH) for name, title in COEFFICIENTS.items()]
    queries = result.queries.select(~cs.starts_with("_")).sort("kendall", nulls_last=True, maintain_order=True)
    every = _columns("query_id", "pages", "documents", *coefficients, *tests)
    lead = (
        f"{number_of('query', result.queries['p'].drop_nulls().len())} tested: do more {settings['unit']}s click a "
        "document that was judged lower and pass over one above it that was judged higher than the other way round?"
    )
    clear = "No query's clicks speak clearly against its judgments."
    sections = (
        Section("agreement", parts=(Prose(_verdict(result), "claim"), Prose(_judged(result))),
                data={"settings": dict(settings)}),
        Section("summary", parts=(summary,)),
        Section("grades", parts=(grades,)),
        Section("documents", "Documents that disagree most", _some(disagreements, "None does clearly.")),
        Section("out_of_date", "Judgments that look out of date", _some(stale, clear), lead=lead),
        Section("queries", "Queries",
                (Table("queries", queries, every, "Those that agree least first", most=_MOST),), long=True),
        Section.of_lines("warnings", result.warnings),
    )  # fmt: skip
    return Document("click agreement", sections, "Clicks and judgments")


def _some(table: Table, otherwise: str) -> tuple[Table | Prose]:
    """A table, or a sentence where it has no rows."""
    return (table,) if table.frame.height else (Prose(otherwise),)


def _verdict(result: ClickAgreement) -> str:
    row = result.summary.row(0, named=True)
    if row["auc"] is None:
        return "No verdict: no query has both relevant and non-relevant documents with enough click data."
    if not result.grades["clicks"].sum():
        return "No verdict: no judged document was clicked."
    low, high = row["auc_low"] or 0.0, row["auc_high"] or 1.0
    if low > 0.5:
        word = "agree"
    elif high < 0.5:
        word = "contradict one another"
    else:
        word = "do not clearly agree"
    favour = "of a relevant document and another, clicks favour the relevant one in"
    return f"Clicks and judgments {word}: {favour} {as_percent(row['auc'])} of pairs"


def _judged(result: ClickAgreement) -> str:
    documents = f"{result.documents.height:,} of {number_of('document', result.settings['shown'])}"
    queries = number_of("query", result.queries.height)
    return f"{documents} with enough click data are judged, for {queries}; by {result.settings['by']}."


def preferences_document(result: ClickPreferences) -> Document:
    """Preferences of each strategy and judgments that share them; the pairs; the ranking of each query."""
    settings, pairs = result.settings, result.pairs
    tested = pairs["p"].drop_nulls().len()
    decided = int(pairs["decided"].sum())
    queries = result.ranking.group_by("query_id").agg(pl.col("connected").first())
    enough = f"{number_of('pair', tested)} with {settings['min_votes']} votes or more"
    claim = f"{decided:,} of {enough} {'is' if decided == 1 else 'are'} decided, by {settings['strategy']}"
    whole = int(queries["connected"].sum())
    lines = [
        f"{number_of('pair', pairs.height)} of documents in {number_of('query', queries.height)}; votes are "
        f"of {settings['unit']}s; "
        f"sign test, Holm's correction over the pairs tested, alpha {settings['alpha']:g}.",
        f"Preferences connect all documents both ways in {whole:,} of {number_of('query', queries.height)}: only there "
        "would strengths be finite without a prior." if settings["prior"] else
        f"{whole:,} of {number_of('query', queries.height)} have a ranking: in the others, preferences do not connect "
        "all documents both ways.",
    ]  # fmt: skip
    strategies = [Column("title", "strategy"), Column("pairs", kind="count"), _COLUMNS["votes"]]
    if settings["qrels"] is not None:
        share = _estimate("agree", f"as judged, {as_level(1 - settings['alpha'])} interval")
        strategies += [Column("compared", "votes on judged pairs", "count"), share]
    first = _columns(
        "query_id", Column("doc_id", "preferred"), Column("other", "to"), Column("won", kind="count"),
        Column("lost", kind="count"), "p_corrected", Column("decided", kind="flag"),
    )  # fmt: skip
    place = Column("place", kind="short", missing=_DASH)
    ranked = _columns("query_id", "doc_id", place, _estimate("strength", "strength"), "votes", "grade")
    surest = pairs.sort("p_corrected", "won", descending=[False, True], nulls_last=True, maintain_order=True)
    sections = (
        Section("preferences", parts=(Prose(claim, "claim"), *map(Prose, lines)), data={"settings": dict(settings)}),
        Section("strategies", parts=(Table("strategies", result.strategies, tuple(strategies), "By strategy"),)),
        Section("pairs", "Preferences", (Table("pairs", surest, first, most=_MOST),)),
        Section("ranking", "Ranking (Bradley-Terry)", (Table("ranking", result.ranking, ranked, most=_MOST),)),
        Section.of_lines("warnings", result.warnings),
    )
    return Document("click preferences", sections, claim)


def values_document(result: RankingValues) -> Document:
    """Earnings of each ranking, their basis, and their dependence on assumptions."""
    settings = result.settings
    level = as_level(result.settings["confidence"])
    difference = _estimate("difference", "against the log", "difference_low", "difference_high", 3, signed=True)
    columns = _columns(
        "run", "estimator", _estimate("value", "clicks per page", least=3, missing="refused"), difference
    )
    basis = _columns(
        "run", "estimator", "pages", Column("coverage", kind="percent"), Column("results", kind="count"),
        Column("_effective", "effective sample size", "count"), Column("largest", "largest weight", "number", least=2),
    )  # fmt: skip
    notes = tuple(f"{name}: {ESTIMATORS[name]}." for name in result.values["estimator"].unique(maintain_order=True))
    caption = (
        f"Clicks per page in the first {settings['cutoff']} results, with {level} intervals over {settings['unit']}s"
    )
    refused = (
        Prose(f"{row['run']}, {row['estimator']}: refused. {row['refused'][0].upper()}{row['refused'][1:]}.", "warning")
        for row in result.values.drop_nulls("refused").iter_rows(named=True)
    )
    claims = (Prose(line, "claim") for line in _value_claims(result))
    values = Table("values", result.values, columns, caption, notes)
    rounded = result.values.with_columns(_effective=pl.col("effective").round().cast(pl.Int64))
    covered = ("Coverage: the share of what users would look at in this ranking that the log covers.",)
    sections = [
        Section("values", parts=(*claims, *refused, values), data={"settings": dict(settings)}),
        Section("basis", parts=(Table("basis", rounded, basis, "What that rests on", covered),)),
    ]
    if result.sensitivity.height:
        wide = result.sensitivity.pivot("estimator", index=["run", "setting"], values="value")
        numbers = (Column(name, kind="number", least=3, missing=_DASH) for name in wide.columns[2:])
        table = Table("sensitivity", wide, _columns("run", Column("setting"), *numbers), "If something else is assumed")
        sections.append(Section("sensitivity", parts=(table,)))
    curve = pl.DataFrame({"rank": range(1, len(result.examination) + 1), "examination": result.examination})
    sections.append(Section("examination", f"How far users look ({settings['examination']})", _ranks(curve)))
    sections.append(Section.of_lines("warnings", result.warnings))
    return Document("ranking values", tuple(sections), "What other rankings would have earned")


def _value_claims(result: RankingValues) -> Iterator[str]:
    """A sentence for each run, by the estimate that covers most: what a log does not show can only add clicks."""
    for (run,), rows in result.values.group_by("run", maintain_order=True):
        known = rows.filter(pl.col("value").is_not_null())
        if not known.height:
            continue
        row = known.sort("coverage", descending=True, maintain_order=True).row(0, named=True)
        change = f"{signed(row['difference'], 3)} against the {number(row['logged'], 3)} of the log"
        low = row["difference_low"]
        high = row["difference_high"]
        missing = 1 - row["coverage"]
        if low is None:
            sure = "no interval"
        elif high < 0 and missing > _LITTLE:
            sure = f"but {as_percent(missing)} of what users would look at was not shown, and counts as not clicked"
        else:
            sure = "a clear difference" if low > 0 or high < 0 else "no clear difference"
        earned = f"{run} would have earned {number(row['value'], 3)} clicks per page"
        yield f"{earned}, {change}: {sure} ({row['estimator']})"


def calibration_document(result: CalibratedMeasures) -> Document:
    """The measures as text, and what each grade is worth to the users of the log."""
    claim = f"{number_of('measure', len(result.measures))} whose users are those of {result.settings['log']}"
    level = as_level(result.settings["confidence"])
    frame = (
        _rounded(result.parameters, "attraction", "satisfaction", "relevance", "low", "high")
        .with_columns(
            judged=pl.Series(["not judged" if grade < 0 else f"{grade:g}" for grade in result.parameters["grade"]]),
        )
        .with_columns(pl.col("model").replace({name: f"{', '.join(of)} ({name})" for name, of in MODELS.items()}))
    )
    columns = _columns(
        Column("model", "measure"), Column("judged", "grade"), "impressions", "clicks",
        Column("_attraction", "attraction", "number", least=3),
        Column("_satisfaction", "satisfaction", "number", least=3, missing=_DASH),
        _estimate("_relevance", f"both, {level} interval", "_low", "_high", 3),
    )  # fmt: skip
    going_on = result.fits["DBN"].shared["value"][0]
    told = "NA, no page has two results" if going_on is None else number(going_on, 3)
    note = f"Continuation of EBU and rrDBN: {told}."
    texts = Prose(style="copy", points=tuple(map(str, result.measures)), text="")
    sections = (
        Section("measures", parts=(Prose(claim, "claim"), texts), data={"settings": dict(result.settings)}),
        Section("parameters", parts=(Table("parameters", frame, columns, "What users make of each grade", (note,)),)),
        Section.of_lines("warnings", result.warnings),
    )
    return Document("calibrated measures", sections, claim)
