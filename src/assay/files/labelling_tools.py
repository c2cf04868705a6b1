"""Labels as labelling tools export them: Label Studio, doccano and Prodigy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import polars as pl

from assay.core.errors import FormatError, number_of
from assay.files.json_values import records
from assay.files.registry import Head
from assay.files.sources import Source
from assay.tables.roles import TABLES, Where, find, roles_in

ROLES = {role.name: role for role in TABLES["labels"]}


class LabelRows(NamedTuple):
    """Rows in our columns, as they stand in a file, and who finds their lines."""

    frame: pl.DataFrame
    where: Where
    remarks: tuple[str, ...] = ()


def tool_of(head: Head) -> Callable[[Source, str | None], LabelRows] | None:
    """Whose export a JSON file is, by its first object; None if it is a table."""
    first = head.first_object
    if first is None:
        # A task of Label Studio may be longer than what was looked at.
        return _label_studio if head.text.startswith("[") and '"annotations"' in head.text else None
    if isinstance(first.get("annotations"), list):
        return _label_studio if "data" in first else _doccano
    if "_task_hash" in first or "_input_hash" in first:
        return _prodigy
    if isinstance(first.get("label", first.get("labels")), list) and ("id" in first or "username" in first):
        return _doccano
    return None


def _gathered(
    source: Source,
    tool: str,
    rows_of: Callable[[dict[str, Any], Callable[[str, Any], FormatError]], Iterator[dict[str, Any]]],
) -> LabelRows:
    """The labels of each object in the export of a tool."""
    rows: list[dict[str, Any]] = []
    places: list[int | None] = []
    for number, (line, record) in enumerate(records(source), 1):

        def wrong(expected: str, got: Any, line: int | None = line, number: int = number) -> FormatError:
            note = None if line is not None else f"in object {number} of the list"
            return FormatError(source.name, line, expected=expected, got=str(got), note=note)

        try:
            labelled = list(rows_of(record, wrong))
        except (AttributeError, TypeError, KeyError) as problem:
            raise wrong(f"a record of {tool}", record) from problem
        rows += labelled
        places += [line] * len(labelled)
    if not rows:
        raise FormatError(source.name, None, expected="labels", note="nothing in it is labelled")
    frame = pl.DataFrame(rows, infer_schema_length=None, strict=False)
    return LabelRows(frame, lambda row: (source.name, places[row]))


def _only(choices: Any, wrong: Callable[[str, Any], FormatError]) -> Any:
    """The one label of a list; several labels of one judge for an item have no agreement here."""
    values = choices if isinstance(choices, list) else [choices]
    if len(values) != 1 or isinstance(values[0], dict | list):
        raise wrong("one label of an item by a judge", ", ".join(map(str, values)))
    return values[0]


def _label_studio(source: Source, judge: str | None) -> LabelRows:
    """Tasks of Label Studio (JSON): annotations of each, with who made them, when, and in how many seconds."""

    def rows_of(task: dict[str, Any], wrong: Callable[[str, Any], FormatError]) -> Iterator[dict[str, Any]]:
        item = _item(task.get("data") or {}) or {"item_id": str(task.get("id"))}
        for each in task.get("annotations") or ():
            if each.get("was_cancelled") or not each.get("result"):
                continue
            value = _answer(each["result"], wrong)
            who = each.get("completed_by")
            who = who.get("email") or who.get("id") if isinstance(who, dict) else who
            if who is None and judge is None:
                raise wrong("`completed_by`, who made an annotation", "nothing")
            yield item | {
                "judge": str(who if who is not None else judge), "label": _only(value, wrong),
                "seconds": each.get("lead_time"), "time": each.get("created_at"),
            }  # fmt: skip

    return _gathered(source, "Label Studio", rows_of)


def _answer(parts: list[dict[str, Any]], wrong: Callable[[str, Any], FormatError]) -> Any:
    """What was chosen, rated or counted; of several questions, the one whose name is that of the label."""
    answers: dict[str, list[Any]] = {}
    for kinds in (("choices", "rating", "number"), ("text",)):  # a comment beside an answer is no label
        for part in () if answers else parts:
            for kind in kinds:
                if kind in part.get("value", {}):
                    answers.setdefault(str(part.get("from_name")), []).append(part["value"][kind])
    if not answers:
        raise wrong("a choice, a rating or a number", ", ".join(key for part in parts for key in part.get("value", {})))
    question = find(ROLES["label"], list(answers)) or (next(iter(answers)) if len(answers) == 1 else None)
    if question is None:
        raise wrong("one question per item, or which one is the label, said by columns", ", ".join(answers))
    values = answers[question]
    return values[0] if len(values) == 1 else values


def _item(data: Mapping[str, Any]) -> dict[str, str]:
    """What was labelled, where the data of a task say so: the document, and its topic."""
    roles = roles_in("labels", list(data))
    ids = [role for role in roles if role in {"item_id", "query_id"}]
    return {role: str(data[roles[role]]) for role in ids} if "item_id" in roles else {}


def _doccano(source: Source, judge: str | None) -> LabelRows:
    """JSONL of doccano: the labels of one user (whose name the file has), or annotations with users."""

    def rows_of(record: dict[str, Any], wrong: Callable[[str, Any], FormatError]) -> Iterator[dict[str, Any]]:
        item = {"item_id": str(record.get("id", record.get("doc_id")))}
        if isinstance(record.get("annotations"), list):
            for each in record["annotations"]:
                yield item | {"judge": str(each.get("user", judge)), "label": each.get("label")}
            return
        who = next((record[name] for name in ("user", "annotator", "username") if name in record), judge)
        if who is None:
            raise wrong("one file per user, each named, as doccano exports them", "a file without users")
        labels = record.get("label", record.get("labels"))
        if labels:
            yield item | {"judge": str(who), "label": _only(labels, wrong)}

    return _gathered(source, "doccano", rows_of)


def _prodigy(source: Source, judge: str | None) -> LabelRows:
    """JSONL of Prodigy: of choices the one accepted, of yes-or-no questions the answer."""
    ignored = 0

    def rows_of(record: dict[str, Any], wrong: Callable[[str, Any], FormatError]) -> Iterator[dict[str, Any]]:
        nonlocal ignored
        answer, chosen = record.get("answer", "accept"), record.get("accept")
        who = next((record[name] for name in ("_annotator_id", "_session_id") if record.get(name)), judge)
        if who is None:
            raise wrong("`_annotator_id` or `_session_id`, who answered", "neither")
        if answer == "ignore" or (chosen is not None and (answer != "accept" or not chosen)):
            ignored += 1
            return
        item = record.get("_task_hash" if chosen is None else "_input_hash")
        label = answer if chosen is None else _only(chosen, wrong)
        yield {"item_id": str(item), "judge": str(who), "label": label, "time": record.get("_timestamp")}

    rows = _gathered(source, "Prodigy", rows_of)
    return (
        rows._replace(remarks=(f"{number_of('answer', ignored)} ignored or rejected: no label",)) if ignored else rows
    )
