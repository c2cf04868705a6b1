"""Documents of judging projects: their state, disputes, releases, imports, checks."""

from __future__ import annotations

from collections.abc import Iterator
from shlex import quote
from typing import TYPE_CHECKING

import polars as pl

from assay.core.errors import listed, number_of
from assay.show.model import Column, Document, Prose, Section, Table

if TYPE_CHECKING:
    from assay.store.deciding import JudgeNext
    from assay.store.listings import Disputes, LabelImport, ReleaseList
    from assay.store.quality import ProjectStatus
    from assay.store.release_changes import ReleaseDiff
    from assay.store.upkeep import StoreCheck

_MOST, _FEW = 20, 6


def status_document(status: ProjectStatus) -> Document:
    """Progress, what is worth a look, assessors, topics, agreement over time."""
    every = sum(status.items.values())
    settled, disputed = (status.items.get(state, 0) for state in ("settled", "disputed"))
    labels = number_of("label", status.labels)
    claim = f"{settled:,} of {number_of('document', every)} settled ({status.share:.0%}), {labels}"
    data = {
        "project": status.name, "place": status.place, "items": dict(status.items), "labels": status.labels,
        "cannot_judge": status.cannot_judge, "late": status.late, "settings": dict(status.settings),
    }  # fmt: skip
    lines = [f"{number_of('document', disputed)} disputed, {status.items.get('open', 0):,} open."]
    lines += [f"Agreement: {line}." for line in _agreement(status)]
    sections = [
        Section("progress", parts=(Prose(claim, "claim"), *map(Prose, lines)), data=data),
        Section("remarks", "Worth a look", tuple(Prose(f"* {remark}") for remark in status.remarks)),
        Section("assessors", parts=(_assessors(status),)),
        Section("topics", "Topics", (_topics(status),)),
    ]
    if status.over_time.height:
        sections.append(Section("over_time", parts=(_over_time(status),)))
    if status.releases:
        newest = status.releases[-1]
        said = f"Newest release: {status.place}@{newest['version']} ({newest['policy'].described()})."
        sections.append(Section("releases", parts=(Prose(said),), data={"newest": newest["version"]}))
    return Document("judging_status", tuple(each for each in sections if each.parts), f"Project {status.name}")


def _agreement(status: ProjectStatus) -> Iterator[str]:
    for row in status.agreement.iter_rows(named=True):
        if row["value"] is None:
            yield f"{row['measure']} is not defined: {row['undefined']}"
        else:
            within = "" if row["low"] is None else f" (95% interval {row['low']:.2f} to {row['high']:.2f})"
            yield f"{row['measure']} {row['value']:.2f}{within}"


def _assessors(status: ProjectStatus) -> Table:
    frame = status.assessors
    columns = [
        Column("name"), Column("alias"), Column("labels", kind="count"),
        Column("seconds", "seconds per label", "estimate", ends=("seconds_low", "seconds_high"), missing=""),
    ]  # fmt: skip
    shares = {
        "with_others": ("with others (alpha)", "number"), "self_agreement": ("repeated alike", "percent"),
        "gold_share": ("known answers", "percent"), "drift": ("drift", "number"),
    }  # fmt: skip
    for name, (title, _) in shares.items():
        if frame[name].count():
            columns.append(Column(name, title, "estimate", ends=(f"{name}_low", f"{name}_high"), missing=""))
    for name, title in (("cannot_judge", "cannot judge"), ("late", "late")):
        if frame[name].sum():
            columns.append(Column(name, title, "count"))
    notes = {
        "seconds": "Seconds per label: the median.",
        "with_others": "With others: Krippendorff's alpha with what other people said of the same documents.",
        "drift": "Drift: how much higher grades are, beside those of others, in the second half than in the first.",
    }
    told = tuple(note for name, note in notes.items() if frame[name].count())
    return Table("assessors", frame, tuple(columns), "Assessors", told)


def _topics(status: ProjectStatus) -> Table:
    columns: tuple[Column, ...] = (
        Column("query_id", "topic"), Column("title"), Column("items", "documents", "count"),
        Column("settled", kind="count"),
        Column("open", kind="count"), Column("disputed", kind="count"),
    )  # fmt: skip
    if status.topics["seconds"].count():
        columns += (Column("seconds", kind="estimate", ends=("seconds_low", "seconds_high"), missing=""),)
    if "Alpha" in status.topics.columns:
        columns += (Column("Alpha", kind="estimate", ends=("Alpha_low", "Alpha_high"), missing=""),)
    return Table("topics", status.topics, columns, most=_MOST)


def _over_time(status: ProjectStatus) -> Table:
    columns = (
        Column("time", ""), Column("items", "documents", "count"),
        Column("Alpha", kind="estimate", ends=("Alpha_low", "Alpha_high")),
    )  # fmt: skip
    return Table("over_time", status.over_time, columns, "Agreement over time")


def disputes_document(result: Disputes) -> Document:
    """Each disputed document with what was said of it."""
    if not result.found:
        nothing = Prose("Nothing is disputed: where assessors differ, others are still being asked, or have decided.")
        return Document("disputes", (Section("disputes", parts=(nothing,), data={"disputed": 0}),))
    frame = result.to_frame()
    columns = (
        Column("query_id", "topic"), Column("title", spare=True), Column("doc_id", "document"), Column("judge"),
        Column("label", kind="count", missing="cannot judge"), Column("note"),
    )  # fmt: skip
    first = result.found[0]
    where = f"--topic {quote(first.topic_id)} --document {quote(first.doc_id)}"
    how = f"assay judge adjudicate {quote(result.place)} {where} --grade GRADE --reason TEXT"
    labels = (Section("labels", parts=(Table("labels", frame, columns),)),) if frame.height else ()
    if result.is_of_one:
        texts = (f"{first.doc_id}  {first.heading}", *(first.text or "(this document has no text)").splitlines())
        lead = (
            Section("topic", f"{first.topic_id}  {first.title}", _lines(first.description, first.narrative)),
            Section("document", parts=_lines(*texts)),
        )
        return Document("disputes", (*lead, *labels, Section("how", parts=(Prose(f"Decide with: {how}", "dim"),))))
    waits = "waits" if len(result.found) == 1 else "wait"
    claim = f"{number_of('document', len(result.found))} {waits} for a decision"
    sections = (
        Section("disputes", parts=(Prose(claim, "claim"),), data={"disputed": len(result.found)}),
        *labels,
        Section(
            "how",
            parts=(
                Prose(f"Read one with: assay judge adjudicate {quote(result.place)} {where}", "dim"),
                Prose(f"Decide with: {how}", "dim"),
            ),
        ),
    )
    return Document("disputes", sections, f"Disputes of {result.name}")


def _lines(*texts: str) -> tuple[Prose, ...]:
    return tuple(Prose(text) for text in texts if text.strip())


def releases_document(result: ReleaseList) -> Document:
    """One row per release, and how to use the newest."""
    frame = result.to_frame()
    if not frame.height:
        nothing = Prose("There is no release yet: `assay judge release` makes one.")
        return Document("releases", (Section("releases", parts=(nothing,)),))
    newest = result.releases[-1]
    facts = newest["facts"]
    claim = f"Release {newest['version']}: {facts['judged']:,} of {number_of('document', facts['pooled'])} judged"
    states = facts["states"]
    lines = [f"Made by: {newest['policy'].described()}. sha256 {newest['sha256']}."]
    if open_ := states.get("open", 0) + states.get("disputed", 0):
        lines.append(f"{number_of('document', open_)} are still open or disputed: a later release may say otherwise.")
    if facts["agreement"]["value"] is None:
        lines.append(f"Agreement is not known: {facts['agreement']['reason']}.")
    if facts["guidelines"]:
        lines.append(f"Judged by version {facts['guidelines']} of the guidelines.")
    if (facts["relevant_from"] or 0) > 1 and not facts.get("preferences"):
        lines.append(
            f"Relevant are grades from {facts['relevant_from']} on: evaluate with --level {facts['relevant_from']}."
        )
    aspects = (Column("aspect"),) if frame["aspect"].n_unique() > 1 else ()
    columns = (
        Column("release"), Column("made"), *aspects, Column("judged", kind="count"), Column("labels", kind="count"),
        Column("adjudicated", kind="count"), Column("alpha", kind="estimate", ends=("low", "high"), missing=""),
        Column("guidelines", kind="count", missing=""), Column("note"),
    )  # fmt: skip
    data = {"releases": [{**each, "policy": vars(each["policy"])} for each in result.releases]}
    how = f"Use it as judgments: assay evaluate {result.place}@{newest['version']} RUN..."
    if facts.get("preferences"):
        how = f"Take the preferences: assay judge export {result.place} -o preferences.csv"
    sections = (
        Section("newest", parts=(Prose(claim, "claim"), *map(Prose, lines)), data=data),
        Section("releases", parts=(Table("releases", frame, columns),)),
        Section("how", parts=(Prose(how, "dim"),)),
    )
    return Document("releases", sections, f"Releases of {result.name}")


def import_document(result: LabelImport) -> Document:
    """Numbers of labels taken, and the labels that were not."""
    would = "would be taken" if result.is_dry else "taken"
    claim = f"{number_of('label', result.taken)} {would} from {result.source}"
    lines = []
    if result.judges:
        lines.append(f"Given by {listed(list(result.judges))}.")
    if result.known:
        lines.append(f"{number_of('label', result.known)} {'were' if result.known > 1 else 'was'} there already.")
    if result.is_dry:
        lines.append("Nothing was changed: this was a dry run.")
    data = {"taken": result.taken, "known": result.known, "refused": result.refused.height, "dry_run": result.is_dry}
    sections = [Section("import", parts=(Prose(claim, "claim"), *map(Prose, lines)), data=data)]
    if result.refused.height:
        reasons = (
            result.refused.group_by("reason").agg(labels=pl.len()).sort("labels", "reason", descending=[True, False])
        )
        columns = (
            Column("query_id", "topic"),
            Column("item_id", "document"),
            Column("judge"),
            Column("label"),
            Column("reason"),
        )
        sections += [
            Section("reasons", parts=(Table.of("reasons", reasons, "Refused", labels="count"),)),
            Section("refused", parts=(Table("refused", result.refused, columns, most=_FEW),)),
        ]
    return Document("label_import", tuple(sections), f"Labels for {result.name}")


def next_document(result: JudgeNext) -> Document:
    """The verdict so far, how far it could move, and the documents that decide."""
    if result.can_turn:
        claim = "More judgments could turn it: go on"
    elif result.can_change:
        claim = "More judgments could change the verdict: go on"
    else:
        claim = "More judgments cannot change the verdict: you may stop"
    columns = (
        Column("query_id", "topic"), Column("doc_id", "document"), Column("favours"),
        *(Column(name, name.replace("rank_", "rank in "), "count", missing="") for name in result.documents.columns
          if name.startswith("rank_")),
        Column("effect", kind="number", signed=True),
    )  # fmt: skip
    data = {
        "measure": result.measure, "system": result.system, "baseline": result.baseline, "verdict": result.verdict,
        "difference": result.difference, "low": result.low, "high": result.high, "exact": result.is_exact,
        "verdict_low": result.verdict_low, "verdict_high": result.verdict_high, "topics": result.topics,
        "topics_without": result.without, "unjudged": result.unjudged, "can_change": result.can_change,
        "queued": result.queued, "added": result.added, "outside": result.outside,
    }  # fmt: skip
    sections = [Section("decision", parts=(Prose(claim, "claim"), *map(Prose, _outlook(result))), data=data)]
    if result.documents.height:
        table = Table("documents", result.documents, columns, "Judge these first", most=_MOST)
        sections.append(Section("documents", parts=(table,)))
    return Document("judge_next", tuple(sections), "What to judge next")


def _outlook(result: JudgeNext) -> Iterator[str]:
    """The difference now, what it could become, and what was done about it."""
    pair = f"{result.system} against {result.baseline} under {result.measure}"
    yield f"{pair}: {result.difference:+.4f}, {result.verdict}."
    if result.without:
        counts = "has no judgment yet, and counts" if result.without == 1 else "have no judgment yet, and count"
        yield f"{result.without:,} of {number_of('topic', result.topics)} {counts} as no difference."
    if not result.unjudged:
        yield "All documents that count for it are judged."
    else:
        further = "" if result.is_exact else ", perhaps a little further"
        yield (
            f"Whatever grades the {number_of('unjudged document', result.unjudged)} get, the difference lies between "
            f"{result.low:+.4f} and {result.high:+.4f}{further}."
        )
        if None not in {result.verdict_low, result.verdict_high}:
            yield (
                f"At these ends the verdict is {result.verdict_low} and {result.verdict_high}."
                if result.verdict_low != result.verdict_high
                else f"At both ends the verdict is {result.verdict_low}."
            )
    if result.verdict == "inconclusive" and not result.can_change:
        yield "What would settle it are more topics."
    if result.queued:
        new = f", {result.added:,} of them new in the pool" if result.added else ""
        yield f"{number_of('document', result.queued)} will be handed out first{new}."
    if result.outside:
        are = "is" if result.outside == 1 else "are"
        yield (
            f"{number_of('document', result.outside)} {are} in no pool of this project, and left out: --documents FILE "
            "adds what it has the text of."
        )
    if result.closed:
        waits = "waits" if result.closed == 1 else "wait"
        yield f"{number_of('document', result.closed)} {waits} for a decision, or could not be judged."


def diff_document(result: ReleaseDiff) -> Document:
    """Changes, their numbers, and the verdicts that moved."""
    moved = result.verdicts.filter(pl.col("verdict_before") != pl.col("verdict_after"))
    claim = f"{number_of('grade', result.changed.height)} changed, {result.added:,} new, {result.removed:,} gone"
    lines = [f"From {result.first} to {result.second}."]
    if result.verdicts.height:
        count, every = moved.height, result.verdicts.height
        lines.append(f"{count} of {number_of('verdict', every)} on the project's runs moved.")
    elif not result.facts["first"].get("preferences"):
        lines.append("The project keeps fewer than two runs: which verdicts move is not known.")
    lines.append("Scores by different releases must not be compared with one another.")
    data = {"first": result.first, "second": result.second, "changed": result.changed.height, "added": result.added,
            "removed": result.removed}  # fmt: skip
    sections = [Section("difference", parts=(Prose(claim, "claim"), *map(Prose, lines)), data=data)]
    if result.verdicts.height:
        columns = (
            Column("measure"), Column("system"), Column("baseline"), Column("before", kind="number", signed=True),
            Column("after", kind="number", signed=True), Column("verdict_before", "verdict before", "verdict"),
            Column("verdict_after", "after", "verdict"),
        )  # fmt: skip
        shown = moved if moved.height else result.verdicts
        sections.append(
            Section("verdicts", parts=(Table("verdicts", shown, columns, "Differences and verdicts", most=_MOST),))
        )
    if result.changed.height:
        sections.append(Section("changed", parts=(Table.of("changed", result.changed, "Changed grades", most=_MOST),)))
    return Document("release_diff", tuple(sections), "What changed between releases")


def check_document(result: StoreCheck) -> Document:
    """The outcome of a check, and numbers of rows."""
    claim = "nothing is wrong" if result.ok else number_of("problem", len(result.problems))
    counts = pl.DataFrame({"table": list(result.counts), "rows": list(result.counts.values())})
    sections = [
        Section(
            "verdict",
            parts=(Prose(f"{result.name}: {claim}", "claim"),),
            data={"sound": result.ok, "problems": list(result.problems)},
        ),
        Section.of_lines("problems", [f"* {problem}" for problem in result.problems]),
        Section("counts", parts=(Table.of("counts", counts.filter(pl.col("rows") > 0), rows="count"),)),
    ]
    return Document("store_check", tuple(each for each in sections if each.parts))
