"""Labels as labelling tools export them: Label Studio, doccano and Prodigy; and whose export a file is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assay.core.errors import number_of
from assay.files.label_records import ROLES, LabelRows, Reader, Wrong, gathered, item_in, only
from assay.files.quepid import quepid_reader
from assay.files.registry import Head
from assay.files.score_exports import score_reader
from assay.files.sources import Source
from assay.tables.roles import find


def tool_of(head: Head) -> Reader | None:
    """The tool whose export a file is, by its first object or its header; None if it is a table."""
    if (other := quepid_reader(head) or score_reader(head)) is not None or not head.is_json:
        return other
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


def _label_studio(source: Source, judge: str | None) -> LabelRows:
    """Tasks of Label Studio (JSON): annotations of each, with who made them, when, and in how many seconds."""

    def rows_of(task: dict[str, Any], wrong: Wrong) -> Iterator[dict[str, Any]]:
        item = item_in(task.get("data"))
        item = item if "item_id" in item else {"item_id": str(task.get("id"))}
        for each in task.get("annotations") or ():
            if each.get("was_cancelled") or not each.get("result"):
                continue
            value = _answer(each["result"], wrong)
            who = each.get("completed_by")
            who = who.get("email") or who.get("id") if isinstance(who, dict) else who
            if who is None and judge is None:
                raise wrong("`completed_by`, who made an annotation", "nothing")
            yield item | {
                "judge": str(who if who is not None else judge), "label": only(value, wrong),
                "seconds": each.get("lead_time"), "time": each.get("created_at"), "note": _comment(each["result"]),
            }  # fmt: skip

    return gathered(source, "Label Studio", rows_of)


def _answer(parts: list[dict[str, Any]], wrong: Wrong) -> Any:
    """The choice, rating or number; of several questions, the one whose name is that of the label."""
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


def _comment(parts: list[dict[str, Any]]) -> str | None:
    """The text beside a choice, a rating or a number."""
    kinds = {kind for part in parts for kind in part.get("value", {})}
    texts = [part["value"]["text"] for part in parts if "text" in part.get("value", {})]
    words = [word for text in texts for word in (text if isinstance(text, list) else [text]) if isinstance(word, str)]
    return "\n".join(words) if words and kinds & {"choices", "rating", "number"} else None


def _doccano(source: Source, judge: str | None) -> LabelRows:
    """JSONL of doccano: the labels of one user (whose name the file has), or annotations with users."""

    def rows_of(record: dict[str, Any], wrong: Wrong) -> Iterator[dict[str, Any]]:
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
            yield item | {"judge": str(who), "label": only(labels, wrong)}

    return gathered(source, "doccano", rows_of)


def _prodigy(source: Source, judge: str | None) -> LabelRows:
    """JSONL of Prodigy: of choices the one accepted, of yes-or-no questions the answer."""
    ignored = 0

    def rows_of(record: dict[str, Any], wrong: Wrong) -> Iterator[dict[str, Any]]:
        nonlocal ignored
        answer = record.get("answer", "accept")
        chosen = record.get("accept")
        who = next((record[name] for name in ("_annotator_id", "_session_id") if record.get(name)), judge)
        if who is None:
            raise wrong("`_annotator_id` or `_session_id`, who answered", "neither")
        if answer == "ignore" or (chosen is not None and (answer != "accept" or not chosen)):
            ignored += 1
            return
        item = record.get("_task_hash" if chosen is None else "_input_hash")
        label = answer if chosen is None else only(chosen, wrong)
        yield {"item_id": str(item), "judge": str(who), "label": label, "time": record.get("_timestamp")}

    rows = gathered(source, "Prodigy", rows_of)
    return (
        rows._replace(remarks=(f"{number_of('answer', ignored)} ignored or rejected: no label",)) if ignored else rows
    )
