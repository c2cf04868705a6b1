"""What judgments from clicks, their agreement with others, preferences and values of other rankings show."""

from __future__ import annotations

from collections.abc import Iterator
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
_DASH, _ENDS = "-", ("estimate_low", "estimate_high")


def judgments_document(result: ClickJudgments) -> Document:
    """How many documents have which grade, why others have none, what each rank earns, which queries were merged."""
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
    columns = (
        Column("grade", kind="short"), Column("documents", kind="count"), Column("impressions", kind="count"),
        Column("clicks", kind="count"), Column("estimate", "mean estimate", "number", least=3),
    )  # fmt: skip
    sections = [
        Section("judgments", parts=(Prose(claim, "claim"), *map(Prose, without), *rules),
                data={"settings": dict(settings)}),
        Section("grades", parts=(Table("grades", grades, columns, "Documents by grade"),)),
        Section("ranks", parts=_ranks(result.ranks)),
    ]  # fmt: skip
    if result.merges.height:
        table = Table.of("merges", result.merges, "Queries that read alike, taken for one")
        sections.append(Section("merges", parts=(_cut(table),)))
    pairs = (
        Column("query_id", "query"), Column("doc_id", "document"), Column("impressions", kind="count"),
        Column("clicks", kind="count"),
        *([Column("expected", "expected clicks", "number", least=1)] if "expected" in result.pairs.columns else []),
        Column("_estimate", "estimate", "estimate", ends=("_low", "_high"), missing=_DASH, least=3),
        Column("grade", kind="short", missing=_DASH), Column("reason", "none, since", "words", missing=""),
    )  # fmt: skip
    best = result.pairs.sort(pl.col("grade").is_null(), -pl.col("estimate"), nulls_last=True, maintain_order=True)
    best = _rounded(best, "estimate", "low", "high")
    sections.append(Section("pairs", "Documents", (Table("pairs", best, pairs, most=_MOST),), long=True))
    sections.append(Section.of_lines("warnings", result.warnings))
    return Document("click judgments", tuple(sections), claim)


def _ranks(ranks: pl.DataFrame) -> tuple[Table | Figure, ...]:
    """What is known of each rank, as a table and drawn."""
    value = next(name for name in ("examination", "rate") if name in ranks.columns)
    title = {"examination": "looked at", "rate": "click-through rate"}[value]
    counts = [Column(name, kind="count") for name in ("impressions", "clicks") if name in ranks.columns]
    rate = [Column("rate", "click-through rate", "percent")] if "rate" in ranks.columns else []
    look = [Column("examination", "looked at", "percent", missing=_DASH)] if "examination" in ranks.columns else []
    table = Table("ranks", ranks, (Column("rank", kind="short"), *counts, *rate, *look), "By rank", most=_MOST)
    return table, _curve(ranks.select("rank", value), value, title)


def _curve(frame: pl.DataFrame, value: str, title: str) -> Figure:
    points = frame.with_columns(system=pl.lit(title), rank=pl.col("rank").cast(pl.Float64))
    ranks = Scale("rank", 1, max(float(points["rank"].max() or 2), 2.0))  # type: ignore[arg-type]
    return charts.lines(points, ("rank", ranks), (value, Scale(title, percent=True, zero=True)), [Series(title)])


def _rounded(frame: pl.DataFrame, *names: str) -> pl.DataFrame:
    """With further columns, to be shown: estimates that differ from 0 or 1 beyond what a log can tell are 0 and 1."""
    return frame.with_columns(pl.col(name).round(3).alias(f"_{name}") for name in names)


def _cut(table: Table) -> Table:
    return Table(table.name, table.frame, table.columns, table.caption, table.notes, most=_MOST)


def agreement_document(result: ClickAgreement) -> Document:
    """How well clicks and judgments agree, by frequency and grade; documents and queries on which they do not."""
    settings, everything = result.settings, result.summary.row(0, named=True)
    level = as_level(1 - settings["alpha"])
    sections = [
        Section("agreement", parts=tuple(Prose(line, style) for line, style in _claims(result, everything)),
                data={"settings": dict(settings)}),
        Section("summary", parts=(_summary(result, level),)),
        Section("grades", parts=(_by_grade(result, level),)),
    ]  # fmt: skip
    parts: list[Any] = [_disagreements(result)] if result.disagreements.height else []
    sections.append(
        Section("documents", "Documents that disagree most", (*parts, *_nothing(parts, "None does clearly.")))
    )
    stale = [_stale(result)] if result.out_of_date.height else []
    tested = result.queries["p"].drop_nulls().len()
    lead = (
        f"{number_of('query', tested)} tested: do more {settings['unit']}s click a document that was judged lower "
        "and pass over one above it that was judged higher than the other way round?"
    )
    lines = _nothing(stale, "No query's clicks speak clearly against its judgments.")
    sections.append(Section("out_of_date", "Judgments that look out of date", (*stale, *lines), lead=lead))
    sections += [
        Section(
            "queries",
            "Queries",
            (_queries(result),),
            long=True,
        ),
        Section.of_lines("warnings", result.warnings),
    ]
    return Document("click agreement", tuple(sections), "Clicks and judgments")


def _nothing(parts: list[Any], line: str) -> tuple[Prose, ...]:
    return () if parts else (Prose(line),)


def _claims(result: ClickAgreement, row: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    if row["auc"] is None:
        yield "Nothing to tell: no query has both relevant and other documents with enough clicks data.", "claim"
    elif not result.grades["clicks"].sum():
        yield "Nothing to tell: no judged document was clicked.", "claim"
    else:
        low, high = row["auc_low"], row["auc_high"]
        if low is None:
            word = "go the same way" if row["auc"] > 0.5 else "do not go the same way"
        else:
            word = "agree" if low > 0.5 else "contradict one another" if high < 0.5 else "do not clearly agree"
        yield (
            f"Clicks and judgments {word}: of a relevant document and another, clicks favour the relevant one in "
            f"{as_percent(row['auc'])} of pairs", "claim",
        )  # fmt: skip
    shown, both = result.settings["shown"], result.documents.height
    yield (
        f"{both:,} of {number_of('document', shown)} with enough click data are judged, for "
        f"{number_of('query', result.queries.height)}; by {result.settings['by']}.", "plain",
    )  # fmt: skip


def _summary(result: ClickAgreement, level: str) -> Table:
    columns = [Column("queries"), Column("n", "number", "count"), Column("pages", kind="count")]
    for name, title in COEFFICIENTS.items():
        columns.append(Column(name, title, "estimate", ends=(f"{name}_low", f"{name}_high"), missing=_DASH, least=2))
    caption = f"Agreement within queries, with {level} intervals over resampled queries"
    notes = ("AUC of relevance: how likely a relevant document has the higher click estimate; 0.5 is chance.",)
    return Table("summary", result.summary, tuple(columns), caption, notes)


def _by_grade(result: ClickAgreement, level: str) -> Table:
    columns = (
        Column("grade", "judged", "short"), Column("documents", kind="count"), Column("impressions", kind="count"),
        Column("clicks", kind="count"),
        Column("estimate", f"mean {result.settings['by']}", "estimate", ends=_ENDS, least=2),
    )  # fmt: skip
    return Table("grades", result.grades, columns, f"What clicks say of each grade, with {level} intervals")


def _disagreements(result: ClickAgreement) -> Table:
    columns = (
        Column("query_id", "query"), Column("doc_id", "document"), Column("grade", "judged", "short"),
        Column("clicked_like", "clicked like", "short"), Column("impressions", kind="count"),
        Column("clicks", kind="count"),
        Column("_estimate", result.settings["by"], "estimate", ends=("_low", "_high"), least=2),
        Column("usual", "usual for its grade", "number", least=2),
    )  # fmt: skip
    frame = _rounded(result.disagreements, "estimate", "low", "high")
    return Table("disagreements", frame, columns, most=_MOST)


def _queries(result: ClickAgreement) -> Table:
    coefficients = (Column(name, title, "number", least=2, missing=_DASH) for name, title in COEFFICIENTS.items())
    columns = (
        Column("query_id", "query"), Column("pages", kind="count"), Column("documents", kind="count"), *coefficients,
        Column("with", "with the judgments", "count"), Column("against", kind="count"),
        Column("p_corrected", "p, corrected", "p", missing=_DASH),
    )  # fmt: skip
    frame = result.queries.select(~cs.starts_with("_")).sort("kendall", nulls_last=True, maintain_order=True)
    return Table("queries", frame, columns, "Those that agree least first", most=_MOST)


def _stale(result: ClickAgreement) -> Table:
    columns = (
        Column("query_id", "query"), Column("pages", kind="count"), Column("with", "with the judgments", "count"),
        Column("against", kind="count"), Column("p_corrected", "p, corrected", "p"),
    )  # fmt: skip
    return Table("out_of_date", result.out_of_date, columns, most=_MOST)


def preferences_document(result: ClickPreferences) -> Document:
    """What each strategy gives and how far judgments share it; the pairs; the ranking of each query."""
    settings, pairs = result.settings, result.pairs
    tested, decided = pairs["p"].drop_nulls().len(), int(pairs["decided"].sum())
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
    strategies = [Column("title", "strategy"), Column("pairs", kind="count"), Column("votes", kind="count")]
    if settings["qrels"] is not None:
        level = as_level(1 - settings["alpha"])
        share = Column(
            "agree", f"as judged, {level} interval", "estimate", ends=("low", "high"), missing=_DASH, least=2
        )
        strategies += [Column("compared", "votes on judged pairs", "count"), share]
    first = (
        Column("query_id", "query"), Column("doc_id", "preferred"), Column("other", "to"), Column("won", kind="count"),
        Column("lost", kind="count"), Column("p_corrected", "p, corrected", "p", missing=_DASH),
        Column("decided", kind="flag"),
    )  # fmt: skip
    ranked = (
        Column("query_id", "query"), Column("doc_id", "document"), Column("place", kind="short", missing=_DASH),
        Column("strength", kind="estimate", ends=("low", "high"), missing=_DASH, least=2),
        Column("votes", kind="count"), Column("grade", kind="short", missing=_DASH),
    )  # fmt: skip
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
    """What each ranking would have earned, what that rests on, and how much it depends on what is assumed."""
    settings, level = result.settings, as_level(result.settings["confidence"])
    columns = (
        Column("run"), Column("estimator"),
        Column("value", "clicks per page", "estimate", ends=("low", "high"), missing="refused", least=3),
        Column("difference", "against the log", "estimate", ends=("difference_low", "difference_high"), signed=True,
               missing=_DASH, least=3),
    )  # fmt: skip
    basis = (
        Column("run"), Column("estimator"), Column("pages", kind="count"), Column("coverage", kind="percent"),
        Column("results", kind="count"), Column("_worth", "worth, of equal weight", "count"),
        Column("largest", "largest weight", "number", least=2),
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
    rounded = result.values.with_columns(_worth=pl.col("effective").round().cast(pl.Int64))
    covered = ("Coverage: the share of what users would look at in this ranking that the log can speak of.",)
    sections = [
        Section("values", parts=(*claims, *refused, values), data={"settings": dict(settings)}),
        Section("basis", parts=(Table("basis", rounded, basis, "What that rests on", covered),)),
    ]
    if result.sensitivity.height:
        wide = result.sensitivity.pivot("estimator", index=["run", "setting"], values="value")
        shown = (
            Column("run"),
            Column("setting"),
            *(Column(name, kind="number", least=3, missing=_DASH) for name in wide.columns[2:]),
        )
        sections.append(
            Section("sensitivity", parts=(Table("sensitivity", wide, shown, "If something else is assumed"),))
        )
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
        low, high, missing = row["difference_low"], row["difference_high"], 1 - row["coverage"]
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
    columns = (
        Column("model", "measure"), Column("judged", "grade"), Column("impressions", kind="count"),
        Column("clicks", kind="count"), Column("_attraction", "attraction", "number", least=3),
        Column("_satisfaction", "satisfaction", "number", least=3, missing=_DASH),
        Column("_relevance", f"both, {level} interval", "estimate", ends=("_low", "_high"), least=3),
    )  # fmt: skip
    going_on = result.fits["DBN"].shared.filter(pl.col("parameter") == "continuation")["value"][0]
    note = f"Continuation of EBU and rrDBN: {number(going_on, 3)}."
    texts = Prose(style="copy", points=tuple(map(str, result.measures)), text="")
    sections = (
        Section("measures", parts=(Prose(claim, "claim"), texts), data={"settings": dict(result.settings)}),
        Section("parameters", parts=(Table("parameters", frame, columns, "What users make of each grade", (note,)),)),
        Section.of_lines("warnings", result.warnings),
    )
    return Document("calibrated measures", sections, claim)
