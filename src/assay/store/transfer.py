"""Labels made elsewhere come in once and whole; labels, judgments and tasks go out in the forms of other tools."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

import polars as pl
from sqlalchemy import Connection, func, select

from assay.core.domains import Choice
from assay.core.errors import InputError, ParameterError, argument, listed, number_of
from assay.core.results import frame_as_csv
from assay.store import schema as db
from assay.store.database import now
from assay.store.everything import everything
from assay.store.labels_table import aspect_key, frame_of, history, labels_of
from assay.store.listings import LabelImport
from assay.store.preferences import sides
from assay.store.projects import RELEVANCE, Project, add_assessors, record
from assay.store.releases import open_release
from assay.store.rows import batched, digest, insert_many, storable
from assay.store.saving import IS_CURRENT, STATE, settle
from assay.tables.labels import Labels

_KINDS = ("human", "program", "model")


def take_labels(
    project: Project,
    labels: Labels,
    *,
    kind: str = "human",
    grades: Mapping[str, int] | str | None = None,
    dry_run: bool = False,
    actor: str = "",
) -> LabelImport:
    """Take labels that were made elsewhere into a project, each with its author and time.

    People's labels fill places of the overlap as if they had been given here; those of programs and models never do. A
    label that is there already is not taken again, so an import can be repeated. What is not in the pool or not on the
    scale is refused, and listed. Topics may be named by their titles, and assessors by their aliases. `grades`: the
    grades of labels that are on another scale, as in `{"0.5": 1}` or `"0=0,0.5=1,1=3"`. `dry_run`: find out, and
    change nothing.
    """
    Choice(_KINDS).check("kind", kind)
    if not labels.has_topics:
        raise InputError(
            f"{labels.origin}: expected labels of documents for topics, got none: name their column as query_id"
        )
    known_grades = _grades(project, grades)
    _check_scale(project, labels, known_grades)
    with project.database.reading() as connection:
        keys, titles = _items(connection, project), _titles(connection, project)
        names = _assessors(connection, project)
    frame = labels.frame.with_columns(
        pl.Series("grade", [known_grades.get(_plain(each)) for each in labels.frame["label"]], dtype=pl.Int64),
        query_id=pl.col("query_id").replace(titles),
        judge=pl.col("judge").replace(names),
    )
    placed = frame.join(keys, on=["query_id", "item_id"], how="left", maintain_order="left")
    topics = set(keys["query_id"])
    reason = (
        pl.when(~pl.col("query_id").is_in(topics)).then(pl.lit("the topic is not in the project"))
        .when(pl.col("item").is_null()).then(pl.lit("the document is not in the topic's pool"))
        .when(pl.col("grade").is_null()).then(pl.lit("the grade is not on the scale"))
    )  # fmt: skip
    placed = placed.with_columns(reason=reason)
    refused = placed.filter(pl.col("reason").is_not_null()).select(
        "query_id", "item_id", "judge", pl.col("label").cast(pl.String), "reason"
    )
    rows = [
        {**row, "key": _key(project, row)} for row in placed.filter(pl.col("reason").is_null()).iter_rows(named=True)
    ]
    with project.database.reading() as connection:
        known, current = _known(connection, rows), _current(connection, project, rows)
    new = [
        row for row in rows
        if row["key"] not in known and current.get((row["item"], row["judge"])) != row["grade"]
    ]  # fmt: skip
    judges = tuple(dict.fromkeys(row["judge"] for row in new))
    if new and not dry_run:
        _take(project, new, judges, kind, actor)
    return LabelImport(
        project.name, labels.origin, len(new), len(rows) - len(new), refused, judges, dry_run, labels.remarks
    )


def _check_scale(project: Project, labels: Labels, grades: Mapping[str, int]) -> None:
    """Refuse scores between grades: they are on another scale, and so is a 1 among them."""
    between = [
        each for each in labels.frame["label"].unique().sort()
        if isinstance(each, float) and not each.is_integer() and _plain(each) not in grades
    ]  # fmt: skip
    if between:
        text = ",".join(f"{_plain(each)}=GRADE" for each in between[:3])
        got = listed(list(map(_plain, between)))
        raise InputError(
            f"{labels.origin}: expected grades, {project.scale.described()}, got {got}: "
            f"say which grade each score is, {argument('grades', text)}"
        )


def _key(project: Project, row: Mapping[str, Any]) -> str:
    """The key that tells a label from all others: its assessor, item and grade, and its time, if that is known."""
    time = _milliseconds(row.get("time"))
    parts = [project.name, row["judge"], row["query_id"], row["item_id"], str(row["grade"])]
    return f"import:{digest(*parts, *([] if time is None else [str(time)]))}"


def _take(project: Project, rows: list[dict[str, Any]], judges: tuple[str, ...], kind: str, actor: str) -> None:
    add_assessors(project, judges, kind=kind, actor=actor)
    purpose = "main" if kind == "human" else "import"
    with project.database.writing() as connection:
        people = select(db.assessor.c.name, db.assessor.c.id).filter_by(project_id=project.id)
        keys = dict(map(tuple, connection.execute(people.where(db.assessor.c.name.in_(judges)))))
        time = now(connection)
        pairs = dict.fromkeys((row["item"], keys[row["judge"]]) for row in rows)
        before = _assignments(connection, keys.values(), purpose)
        insert_many(connection, db.assignment, (
            {"item_id": item, "assessor_id": person, "purpose": purpose, "state": "done", "number": 0,
             "handed_at": time, "lease_until": time}
            for item, person in pairs if (item, person) not in before
        ))  # fmt: skip
        if ended := [before[pair].id for pair in pairs if pair in before and before[pair].state != "done"]:
            connection.execute(STATE, [{"key": key, "to": "done"} for key in ended])
        held = _assignments(connection, keys.values(), purpose)
        _say(connection, [(held[row["item"], keys[row["judge"]]].id, row) for row in rows], time)
        if purpose == "main":
            took = Counter(item for item, _ in pairs)
            took.subtract(pair[0] for pair in pairs if pair in before and before[pair].state in {"leased", "done"})
            settle(connection, project, took)
        record(connection, project.id, actor, "labels imported", number_of("label", len(rows)), {"kind": kind})


def _assignments(connection: Connection, people: Iterable[int], purpose: str) -> dict[tuple[int, int], Any]:
    """The assignments of some people, by item and person."""
    columns = db.assignment.c
    rows = select(columns.item_id, columns.assessor_id, columns.id, columns.state).where(
        columns.purpose == purpose, columns.assessor_id.in_(people)
    )
    return {(row.item_id, row.assessor_id): row for row in connection.execute(rows)}


def _say(connection: Connection, said: list[tuple[int, dict[str, Any]]], time: int) -> None:
    """Write down labels of assignments; each supersedes what was said before, also in the same file."""
    while said:
        turn: dict[int, dict[str, Any]] = {}
        for key, row in said:
            turn.setdefault(key, row)
        said = [(key, row) for key, row in said if turn[key] is not row]
        label = db.label.c
        newest: dict[int, int] = {}
        for part in batched(turn, db.BATCH):
            last = select(label.assignment_id, func.max(label.id)).where(label.assignment_id.in_(part))
            newest.update(map(tuple, connection.execute(last.group_by(label.assignment_id))))
        insert_many(connection, db.label, (
            {"assignment_id": key, "verdict": "graded", "value": row["grade"], "input": "file",
             "client_key": row["key"], "created_at": time, "client_at": _milliseconds(row.get("time")),
             "supersedes": newest.get(key), "note": storable(row.get("note")),
             "active_ms": None if row.get("seconds") is None else round(float(row["seconds"]) * 1000)}
            for key, row in turn.items()
        ))  # fmt: skip


def _milliseconds(at: Any) -> int | None:
    """A point in time, or seconds since 1970, in milliseconds."""
    seconds = at.timestamp() if isinstance(at, datetime) else at
    return None if seconds is None else round(seconds * 1000)


def _plain(label: Any) -> str:
    """A label as it is compared with grades: numbers by their value, words without case."""
    try:
        return f"{float(label):g}"
    except (TypeError, ValueError):
        return str(label).strip().casefold()


def _grades(project: Project, stated: Mapping[str, int] | str | None) -> dict[str, int]:
    """The grades by their values and by their words; or by what somebody says that they are called elsewhere."""
    grades = project.scale.grades
    if isinstance(stated, str):
        pairs = [part.rpartition("=") for part in stated.split(",")]
        if wrong := [part for part in pairs if not part[0].strip() or not re.fullmatch(r"\s*-?\d+\s*", part[2])]:
            raise ParameterError(f"grades: expected LABEL=GRADE, as in 0=0,0.5=1,1=3, got {''.join(wrong[0])!r}")
        stated = {label: int(grade) for label, _, grade in pairs}
    if stated is not None:
        return {_plain(label): project.scale.grade(value).value for label, value in stated.items()}
    return {grade.label.casefold(): grade.value for grade in grades} | {
        f"{grade.value:g}": grade.value for grade in grades
    }


def _titles(connection: Connection, project: Project) -> dict[str, str]:
    """The topics by their titles, where only one has it and it is no topic's name: tools may know no other name."""
    rows = connection.execute(
        select(db.topic.c.topic_id, db.topic.c.title).where(db.topic.c.collection_id == project.collection)
    ).all()
    count, ids = Counter(row.title.strip() for row in rows), {row.topic_id for row in rows}
    titles = {row.title.strip(): row.topic_id for row in rows}
    return {title: topic for title, topic in titles.items() if count[title] == 1 and title not in ids}


def _assessors(connection: Connection, project: Project) -> dict[str, str]:
    """The names of assessors by their aliases, also as these stand in files of TREC, unless somebody is called so."""
    rows = connection.execute(
        select(db.assessor.c.name, db.assessor.c.alias).where(db.assessor.c.project_id == project.id)
    ).all()
    names = {row.name for row in rows}
    aliases = {spelled: row.name for row in rows for spelled in (row.alias, _without_blanks(row.alias))}
    return {alias: name for alias, name in aliases.items() if alias not in names}


def _known(connection: Connection, rows: list[dict[str, Any]]) -> set[str]:
    """The keys of labels that were taken before."""
    asked = select(db.label.c.client_key)
    return {
        key
        for part in batched((row["key"] for row in rows), db.BATCH)
        for key in connection.scalars(asked.where(db.label.c.client_key.in_(part)))
    }


def _current(
    connection: Connection, project: Project, rows: list[dict[str, Any]]
) -> dict[tuple[int, str], int | None]:  # fmt: skip
    """The current opinion of each assessor on each item."""
    said = (
        select(db.assignment.c.item_id, db.assessor.c.name, db.label.c.value)
        .select_from(db.label)
        .join(db.assignment, db.assignment.c.id == db.label.c.assignment_id)
        .join(db.assessor, db.assessor.c.id == db.assignment.c.assessor_id)
        .where(db.assessor.c.project_id == project.id, db.assignment.c.purpose != "repeat", IS_CURRENT)
        .where(db.assessor.c.name.in_({row["judge"] for row in rows}))
    )
    return {
        (item, name): value
        for part in batched({row["item"] for row in rows}, db.BATCH)
        for item, name, value in connection.execute(said.where(db.assignment.c.item_id.in_(part)))
    }


def _without_blanks(name: str) -> str:
    return re.sub(r"\s+", "-", name)


def _items(connection: Connection, project: Project) -> pl.DataFrame:
    rows = (
        select(db.topic.c.topic_id, db.item.c.doc_id, db.item.c.id)
        .join(db.topic, db.topic.c.id == db.item.c.topic_id)
        .where(db.item.c.project_id == project.id)
    )
    return frame_of(connection, rows, {"query_id": pl.String, "item_id": pl.String, "item": pl.Int64})


def exported(
    project: Project,
    what: str = "release",
    *,
    ending: str = "",
    version: int | None = None,
    aspect: str | None = None,
    unjudged: bool = False,
    tool: str = "label-studio",
) -> tuple[str, str]:
    """A project's judgments, labels, history or tasks as text, and what it is in a line; `ending` names the form."""
    Choice(tuple(_EXPORTS)).check("what", what)
    if aspect is not None:
        aspect_key(project, aspect)
    return _EXPORTS[what](project, ending, {"version": version, "aspect": aspect, "unjudged": unjudged, "tool": tool})


def _release(project: Project, ending: str, asked: Mapping[str, Any]) -> tuple[str, str]:
    found = open_release(project, asked["version"], aspect=asked["aspect"] or RELEVANCE)
    if asked["aspect"] not in {None, found.policy.aspect}:
        raise ParameterError(f"{found.name} is a release of {found.policy.aspect}, not of {asked['aspect']}")
    said = f"{found.name}: {number_of('judgment', found.facts['judged'])}, sha256 {found.sha256[:12]}"
    if ending in {"", ".qrels", ".trec", ".txt"}:
        return found.to_trec(unjudged=asked["unjudged"]), said
    frame = found.frame if asked["unjudged"] else found.frame.drop_nulls("relevance")
    if found.facts.get("preferences"):
        frame = sides(frame)
    return _table(frame, ending), said


def _labels(project: Project, ending: str, asked: Mapping[str, Any]) -> tuple[str, str]:
    labels = labels_of(project, aspect=asked["aspect"])
    return _table(
        labels.frame, ending or ".csv"
    ), f"{number_of('label', len(labels))} by {number_of('judge', len(labels.judges))}"


def _judges(project: Project, ending: str, asked: Mapping[str, Any]) -> tuple[str, str]:
    """`topic judge document grade`, which trec_eval reads and averages over judges."""
    labels = labels_of(project, aspect=asked["aspect"])
    if ending not in {"", ".qrels", ".trec", ".txt"}:
        return _table(labels.frame, ending), number_of("label", len(labels))
    rows = labels.frame.with_columns(pl.col("judge").str.replace_all(r"\s+", "-"))
    for column in ("query_id", "item_id"):
        if (odd := rows.filter(pl.col(column).str.contains(r"\s"))).height:
            raise InputError(
                f"{odd[column][0]!r} has a blank, which TREC's format cannot hold: export as .csv or .jsonl"
            )
    lines = rows.sort("query_id", "judge", "item_id").select(
        pl.format("{} {} {} {}\n", "query_id", "judge", "item_id", "label")
    )
    return "".join(lines.to_series()), number_of("label", len(labels))


def _history(project: Project, ending: str, _: Mapping[str, Any]) -> tuple[str, str]:
    if ending not in {"", ".jsonl", ".ndjson"}:
        raise ParameterError("the history is written as lines of JSON: name a file that ends in .jsonl")
    lines = [json.dumps(row, ensure_ascii=False) for row in history(project)]
    return "".join(f"{line}\n" for line in lines), f"{number_of('label', len(lines))}, all that was ever said"


def _everything(project: Project, ending: str, _: Mapping[str, Any]) -> tuple[str, str]:
    if ending not in {"", ".jsonl", ".ndjson"}:
        raise ParameterError("everything is written as lines of JSON: name a file that ends in .jsonl")
    lines = [json.dumps(row, ensure_ascii=False) for row in everything(project)]
    return "".join(f"{line}\n" for line in lines), number_of("record", len(lines))


def _tasks(project: Project, ending: str, asked: Mapping[str, Any]) -> tuple[str, str]:
    """Open tasks for another tool: topics and documents, nothing of runs, ranks or labels."""
    Choice(("label-studio", "quepid")).check("tool", asked["tool"])
    with project.database.reading() as connection:
        rows = list(_open(connection, project))
    if asked["tool"] == "quepid":
        return _quepid_tasks(project, rows, ending), number_of("document", len(rows))
    if ending not in {"", ".json"}:
        raise ParameterError("Label Studio takes tasks as JSON: name a file that ends in .json")
    tasks = [
        {"data": {"query_id": row["query_id"], "query": row["title"], "doc_id": row["doc_id"], "title": row["heading"],
                  "text": row["text"]}}
        for row in rows
    ]  # fmt: skip
    return json.dumps(tasks, ensure_ascii=False, indent=1), number_of("task", len(tasks))


def _quepid_tasks(project: Project, rows: list[dict[str, str]], ending: str) -> str:
    """A book of Quepid with its documents; or a table of ratings to fill in. Quepid tells queries by their text."""
    Choice(("", ".json", ".csv")).check("form", ending)
    texts = {(row["title"], row["query_id"]) for row in rows}
    if twice := [title for title, count in Counter(title for title, _ in texts).items() if count > 1]:
        raise InputError(f"two topics have the title {twice[0]!r}, and Quepid knows topics by nothing else")
    if ending != ".json":
        columns = {"query": pl.String, "docid": pl.String, "rating": pl.String}
        pairs = [(row["title"], row["doc_id"], None) for row in rows]
        return frame_as_csv(pl.DataFrame(pairs, schema=columns, orient="row"), spreadsheet=True)
    listed_pairs = [
        {"query_text": row["title"], "doc_id": row["doc_id"], "position": None,
         "document_fields": json.dumps({"title": row["heading"], "text": row["text"]}, ensure_ascii=False)}
        for row in rows
    ]  # fmt: skip
    scale = {"scale": [grade.value for grade in project.scale.grades],
             "scale_with_labels": {str(grade.value): grade.label for grade in project.scale.grades}}  # fmt: skip
    book = {"name": project.name, "show_rank": False, "support_implicit_judgements": False, **scale}
    return json.dumps({**book, "query_doc_pairs": listed_pairs}, ensure_ascii=False, indent=1)


def _open(connection: Connection, project: Project) -> Iterator[dict[str, str]]:
    rows = connection.execute(
        select(
            db.topic.c.topic_id,
            db.topic.c.title,
            db.item.c.doc_id,
            db.document.c.title.label("heading"),
            db.document.c.body,
        )
        .join(db.topic, db.topic.c.id == db.item.c.topic_id)
        .outerjoin(
            db.document,
            (db.document.c.collection_id == db.topic.c.collection_id) & (db.document.c.doc_id == db.item.c.doc_id),
        )
        .where(db.item.c.project_id == project.id, db.item.c.state == "open")
        .order_by(db.topic.c.place, db.item.c.shuffle)
    )
    for row in rows:
        yield {"query_id": row.topic_id, "title": row.title, "doc_id": row.doc_id, "heading": row.heading or "",
               "text": row.body or ""}  # fmt: skip


def _table(frame: pl.DataFrame, ending: str) -> str:
    if ending == ".csv":
        return frame_as_csv(frame, spreadsheet=True)
    if ending in {".jsonl", ".ndjson"}:
        return frame.write_ndjson()
    raise ParameterError(f"expected a file that ends in .qrels, .csv or .jsonl, got {ending or 'none'}")


_EXPORTS: dict[str, Callable[[Project, str, Mapping[str, Any]], tuple[str, str]]] = {
    "release": _release, "labels": _labels, "judges": _judges, "history": _history,
    "everything": _everything, "tasks": _tasks,
}  # fmt: skip
