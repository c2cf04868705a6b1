"""Documents of collections: statistics, findings, the catalogue, and samples of topics."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.core.errors import number_of
from assay.ground_truth.catalogue import COUNTED
from assay.show.model import Column, Document, Prose, Section, Table
from assay.verbs.sections.results import named_table

if TYPE_CHECKING:
    from assay.ground_truth.catalogue import Catalogue
    from assay.ground_truth.description import CollectionCheck, CollectionStatistics
    from assay.ground_truth.topic_sampling import TopicSample

_MOST_TOPICS = 10


def statistics_document(statistics: CollectionStatistics) -> Document:
    """Facts, judgments, runs and topics; and which known collection it is."""
    facts = {name: f"{value:,}" if isinstance(value, int) else str(value) for name, value in statistics.facts.items()}
    if (entry := statistics.entry) is not None:
        facts["looks like"] = f"{entry.title}: {entry.purpose}"
    sections = (
        Section("facts", parts=(named_table("facts", facts),), data={"facts": statistics.facts}),
        Section(
            "judgments", "Judgments, and relevant documents per topic", tuple(_judgments(statistics)), short="Judgments"
        ),
        Section("runs", "Coverage by run", tuple(_runs(statistics)), short="Runs"),
        Section(
            "topics",
            "Topics, those with the fewest relevant documents first",
            tuple(_topics(statistics)),
            short="Topics",
        ),
        Section("remarks", "Against the catalogue", tuple(map(Prose, statistics.remarks))),
        Section.of_lines("warnings", statistics.warnings),
    )
    title = f"Collection {statistics.facts['name']}"
    return Document("collection", tuple(section for section in sections if section.parts), title)


def _judgments(statistics: CollectionStatistics) -> Iterator[Table]:
    columns = (
        Column("judgments"), Column("topics", kind="count"), Column("documents_judged", "judged", kind="count"),
        Column("judges", kind="count", missing=""), Column("relevant", kind="count"),
        Column("median", "per topic", kind="number", least=1), Column("least", kind="count"),
        Column("most", kind="count"), Column("topics_without_relevant", "topics without", kind="count"),
        Column("grades", spare=True),
    )  # fmt: skip
    if statistics.judgments.height:
        known = tuple(column for column in columns if statistics.judgments[column.name].count())
        yield Table("judgments", statistics.judgments, known)


def _runs(statistics: CollectionStatistics) -> Iterator[Table]:
    titles = {"missing_topics": "missing", "documents_per_topic": "documents", "judged_at_10": "judged in top 10"}
    titles |= {"relevant_found": "relevant found"}
    if statistics.runs.height:
        runs = statistics.runs if any(statistics.runs["group"]) else statistics.runs.drop("group")
        yield Table.of("runs", runs, "", titles, least=1, judged_at_10="percent", relevant_found="percent")


def _topics(statistics: CollectionStatistics) -> Iterator[Table]:
    if statistics.topics.height:
        fewest = statistics.topics.sort("relevant", maintain_order=True)
        yield Table.of("topics", fewest, "", {"query_id": "topic"}, most=_MOST_TOPICS)


def check_document(check: CollectionCheck) -> Document:
    """The verdict, and the findings, the worst first."""
    counts = {word: int((check.findings["severity"] == word).sum()) for word in ("error", "warning", "note")}
    summary = ", ".join(number_of(word, count) for word, count in counts.items() if count)
    if check.is_sound:
        summary = f"no errors ({summary})" if summary else "no problems found"
    data = {"collection": check.name, "sound": check.is_sound}
    sections = [Section("verdict", parts=(Prose(f"{check.name}: {summary}", "claim"),), data=data)]
    if check.findings.height:
        table = Table("findings", check.findings, (Column("severity", ""), Column("says", "")))
        sections.append(Section("findings", parts=(table,)))
    return Document("collection_check", tuple(sections))


def catalogue_document(catalogue: Catalogue) -> Document:
    """One line per collection; of a single one, all that is known."""
    if not catalogue.entries:
        nothing = "No collection fits. `assay collection list` shows all."
        return Document("catalogue", (Section("nothing", parts=(Prose(nothing),)),))
    if len(catalogue.entries) == 1:
        (entry,) = catalogue.entries
        facts = {"name": entry.name, "title": entry.title, "task": entry.task, "year": entry.year}
        facts |= {"language": ", ".join(entry.language), "for": entry.purpose}
        of_search, of_classes = ("documents", "topics", "judgments"), ("documents", "classes")
        for what in of_classes if entry.task == "classification" else of_search:
            facts[COUNTED[what]] = entry.count(what)
        facts |= {"licence": entry.licence, "obtain": entry.obtain} | ({"note": entry.note} if entry.note else {})
        return Document("catalogue", (Section("collection", parts=(named_table("collection", facts),), data=facts),))
    counted = "classes" if all("search" not in entry.task for entry in catalogue.entries) else "topics"
    columns = (
        Column("name"), Column("task"), Column("year"), Column("documents"), Column(counted), Column("purpose"),
    )  # fmt: skip
    table = Table("collections", catalogue.to_frame(), columns)
    return Document("catalogue", (Section("collections", parts=(table,)),))


def sample_document(sample: TopicSample) -> Document:
    """The document of a sample: the way topics were drawn, the strata, and the topics."""
    how = {"uniform": "every distinct query with the same chance", "frequency": "in proportion to their searches"}
    way = how.get(sample.plan, "a third each from head, torso and tail, as far as these have enough queries")
    summary = f"{number_of('topic', sample.frame.height)} drawn from {sample.log}: {way}; seed {sample.seed}."
    note = "Head, torso and tail: the queries that make up the first, second and last third of all searches."
    titles = {"share": "share of searches"}
    strata = Table.of("strata", sample.strata, "", titles, notes=(note,), searches="count", share="percent")
    topics = Table.of("topics", sample.frame, most=_MOST_TOPICS)
    data = {"log": sample.log, "by": sample.plan, "seed": sample.seed}
    return Document("topic_sample", (
        Section("sample", parts=(Prose(summary),), data=data),
        Section("strata", parts=(strata,)),
        Section("topics", parts=(topics,)),
        *([Section.of_lines("notes", sample.notes)] * bool(sample.notes)),
    ))  # fmt: skip
