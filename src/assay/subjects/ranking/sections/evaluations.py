"""What an evaluation shows: scores, the counts that matter beside them, and every query."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Literal

import polars as pl

from assay.show.model import Column, Document, Section, Table
from assay.verbs.sections.estimates import end_of

if TYPE_CHECKING:
    from assay.measures.registry import Measure
    from assay.subjects.ranking.evaluation import Evaluation


def document(evaluation: Evaluation, per_query: bool = False) -> Document:
    """The queries if they are asked for; then scores and coverage, why there is no number, and how scores were made."""
    scores = [
        {"system": system.name, "measure": str(measure)} | evaluation.summary(measure, system.name)._asdict()
        for system in evaluation.systems
        for measure in evaluation.measures
    ]
    qrels = evaluation.qrels
    judgments = {"name": qrels.name, "format": qrels.format, "topics": len(qrels.topics)}
    settings = {
        "qrels": judgments | {"judgments": qrels.frame.height},
        "policies": asdict(evaluation.policies) | {"undefined": evaluation.undefined},
        "seed": evaluation.seed,
        "signatures": evaluation.signatures,
        "warnings": list(evaluation.warnings),
    }
    sections = (
        *([_queries(evaluation)] if per_query else []),
        Section("systems", parts=(_systems(evaluation),), data={"scores": scores}),
        _coverage(evaluation),
        Section.of_lines("undefined", evaluation.without_number),
        Section("settings", data=settings),
    )
    return Document("evaluation", sections, "Evaluation")


def _kind(measure: Measure) -> Literal["short", "number"]:
    """Counts are whole numbers, unless ties are counted as expected."""
    return "short" if measure.definition.summary == "sum" else "number"


def _systems(evaluation: Evaluation) -> Table:
    numbers = (
        Column(str(measure), kind=_kind(measure), compared="column", best=end_of(measure))
        for measure in evaluation.measures
    )
    return Table("systems", evaluation.to_frame(), (Column("system"), *numbers), turned=True)


def _queries(evaluation: Evaluation) -> Section:
    """Every query of every system, and why one has no value."""
    numbers = (Column(str(measure), kind=_kind(measure)) for measure in evaluation.measures)
    columns = (Column("system"), Column("query_id"), *numbers)
    undefined = {
        system.name: {
            str(measure): {query: why for query, why in zip(system.ranks.queries, result.reasons(), strict=True) if why}
            for measure, result in system.results.items()
            if result.undefined
        }
        for system in evaluation.systems
    }
    table = Table("queries", evaluation.to_frame(per_query=True), columns)
    return Section("queries", parts=(table,), data={"undefined": undefined})


def _coverage(evaluation: Evaluation) -> Section:
    topics = {
        "missing_topics": {system.name: system.ranks.missing_topics for system in evaluation.systems},
        "ignored_topics": {system.name: sorted(system.ranks.ignored_topics) for system in evaluation.systems},
    }
    return Section("coverage", parts=(coverage_table(evaluation),), data=topics)


def coverage_table(evaluation: Evaluation) -> Table:
    """Topics, missing and ignored ones, relevant documents found, the share judged, ties, undefined values."""
    undefined = [
        max(evaluation.summary(measure, system.name).undefined for measure in evaluation.measures)
        for system in evaluation.systems
    ]
    counts = evaluation.coverage.select("relevant_retrieved", "relevant").rows()
    retrieved = [f"{relevant:,} of {every:,}" for relevant, every in counts]
    frame = evaluation.coverage.with_columns(_relevant_found=pl.Series(retrieved), undefined=pl.Series(undefined))
    share = Column("judged@10", "judged in top 10", "percent")
    if evaluation.policies.complete:
        frame, share = frame.with_columns(judgments=pl.lit("declared complete")), Column("judgments", kind="words")
    columns = (
        Column("system"),
        *(Column(name, kind="count") for name in ("topics", "missing", "ignored")),
        Column("_relevant_found", "relevant found", "words"),
        share,
        Column("tied", "judged, but tied", "count"),
        Column("undefined", kind="count"),
    )
    return Table("coverage", frame, columns, turned=True)
