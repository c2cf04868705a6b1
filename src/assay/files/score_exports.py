"""Scores as they are exported by Argilla, Langfuse, LangSmith, Braintrust and UMBRELA: answers to named questions.

All but UMBRELA score records of their own (traces, runs, rows); which document of which topic it was is said by what is
attached to them: metadata, or fields.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from assay.core.errors import FormatError, argument, listed, naming, number_of
from assay.files.json_values import loaded, records
from assay.files.label_records import ROLES, LabelRows, Reader, frame_of, item_in, only
from assay.files.registry import Head
from assay.files.sources import Source
from assay.tables.roles import find

_PAGE = re.compile(r'\{\s*"data"\s*:\s*\[\s*\{')
_RELEVANCE = "relevance"


class _Score(NamedTuple):
    """An answer to a question: what it is about is said by the first of `places` that does, or else by `record`."""

    question: str
    label: Any
    judge: Any
    places: tuple[Any, ...]
    record: Any = None
    time: Any = None
    note: Any = None


_Scores: TypeAlias = Callable[[dict[str, Any]], Iterator[_Score]]


def score_reader(head: Head) -> Reader | None:
    """The reader of a file, if it is an export of one of these tools."""
    if _PAGE.match(head.text) and re.search(r'"trace_?[iI]d"', head.text):  # as Langfuse's API answers
        return _reader("Langfuse", _langfuse)
    first = head.first_object or {}
    keys = first.keys()
    known: dict[str, tuple[Any, _Scores]] = {
        "Langfuse": (
            keys & {"traceId", "trace_id"} and "name" in keys and keys & {"value", "stringValue", "string_value"},
            _langfuse,
        ),
        "LangSmith": ({"run_id", "key"} <= keys and keys & {"score", "value"}, _langsmith),
        "Braintrust": (isinstance(first.get("scores"), Mapping) and keys & {"input", "output", "expected", "metadata"},
                       _braintrust),
        "Argilla": ("fields" in keys and isinstance(first.get("responses"), Mapping | list), _argilla),
        "Argilla's datasets": (any(key.endswith(".responses") for key in keys), _argilla_row),
        "UMBRELA": (is_of_a_model(head), _umbrela),
    }  # fmt: skip
    return next((_reader(tool, scores_of) for tool, (is_it, scores_of) in known.items() if is_it), None)


def is_of_a_model(head: Head) -> bool:
    """True of labels that a language model gave, for all that their file says: those of UMBRELA."""
    keys = (head.first_object or {}).keys()
    return {"judgment", "passage", "query"} <= keys and bool(keys & {"prediction", "result_status", "model"})


def _langfuse(score: dict[str, Any]) -> Iterator[_Score]:
    """A score of Langfuse, in its own spelling or in that of its client for Python."""
    fields = {re.sub(r"_(\w)", lambda found: found[1].upper(), key): value for key, value in score.items()}
    words = fields.get("stringValue")
    label = words if fields.get("dataType") == "CATEGORICAL" or fields.get("value") is None else fields["value"]
    trace = fields.get("trace")
    places = (fields.get("metadata"), trace.get("metadata") if isinstance(trace, Mapping) else None)
    who = fields.get("authorUserId") or str(fields.get("source") or "").lower()
    record = fields.get("observationId") or fields.get("traceId")
    yield _Score(fields["name"], label, who, places, record, fields.get("timestamp"), fields.get("comment"))


def _langsmith(feedback: dict[str, Any]) -> Iterator[_Score]:
    source, extra = feedback.get("feedback_source") or {}, feedback.get("extra") or {}
    label = feedback.get("score") if feedback.get("score") is not None else feedback.get("value")
    who = next((source[name] for name in ("user_name", "user_id", "ls_user_id", "type") if source.get(name)), None)
    places = (extra, extra.get("metadata"), source.get("metadata"))
    yield _Score(feedback["key"], label, who, places, feedback["run_id"], feedback.get("created_at"),
                 feedback.get("comment"))  # fmt: skip


def _braintrust(row: dict[str, Any]) -> Iterator[_Score]:
    metadata = row.get("metadata") or {}
    who = find(ROLES["judge"], list(metadata))
    for question, score in (row["scores"] or {}).items():
        yield _Score(question, score, metadata.get(who or ""), (metadata, row.get("input")), row.get("id"),
                     row.get("created"))  # fmt: skip


def _argilla(record: dict[str, Any]) -> Iterator[_Score]:
    """A record of Argilla: answers by question; or, as its server has them, by person."""
    places = (record.get("metadata"), record["fields"])
    responses = record["responses"]
    if isinstance(responses, Mapping):
        answers = [(question, each) for question, given in responses.items() for each in given]
    else:
        answers = [
            (question, {**response, "value": value.get("value")})
            for response in responses for question, value in (response.get("values") or {}).items()
        ]  # fmt: skip
    for question, each in answers:
        if each.get("status") not in {"draft", "discarded"}:
            yield _Score(question, each.get("value"), each.get("user_id"), places, record.get("id"),
                         each.get("updated_at"))  # fmt: skip


def _argilla_row(record: dict[str, Any]) -> Iterator[_Score]:
    """A record of Argilla as a row of a dataset, such as `relevance.responses` and `relevance.responses.users`."""
    plain = {key.removeprefix("metadata."): value for key, value in record.items() if ".responses" not in key}
    for name, answers in record.items():
        question, dot, rest = name.rpartition(".responses")
        if dot and not rest:
            given = answers or []
            states = record.get(f"{name}.status") or [None] * len(given)
            for value, who, state in zip(given, record.get(f"{name}.users") or (), states, strict=True):
                if state not in {"draft", "discarded"}:
                    yield _Score(question, value, who, (plain,), record.get("id"))


def _umbrela(judgment: dict[str, Any]) -> Iterator[_Score]:
    """A judgment by a language model; one whose answer was no grade is none."""
    query = judgment["query"]
    topic = query if isinstance(query, Mapping) else {"query": query}
    about = {key: value for key, value in judgment.items() if key not in {"query", "passage"}}
    label = judgment["judgment"] if judgment.get("result_status", 1) else None
    yield _Score(_RELEVANCE, label, judgment.get("model") or "umbrela", (about, topic))


def _reader(tool: str, scores_of: _Scores) -> Reader:
    def read(source: Source, judge: str | None) -> LabelRows:
        return _read(source, judge, tool, scores_of)

    return read


def _read(source: Source, judge: str | None, tool: str, scores_of: _Scores) -> LabelRows:
    """The answers to the question that is the label, each with its document, its topic and its judge."""
    found: list[tuple[int | None, int, _Score]] = []
    for number, (line, record) in enumerate(_records(source), 1):
        try:
            found += [(line, number, score) for score in scores_of(record)]
        except (AttributeError, TypeError, KeyError, ValueError) as problem:
            raise FormatError(source.name, line, expected=f"a record of {tool}", got=str(record)) from problem
    question = _question(source, dict.fromkeys(str(score.question) for _, _, score in found))
    asked = [each for each in found if str(each[2].question) == question]
    given = [each for each in asked if each[2].label not in (None, [])]
    # What was written in answer to a question of its own belongs to the label of the same record by the same judge.
    notes = {
        (score.record, score.judge): score.label for _, _, score in found
        if score.question != question and isinstance(score.label, str) and find(ROLES["note"], [str(score.question)])
    }  # fmt: skip
    rows = [
        _row(source, line, number, score._replace(note=score.note or notes.get((score.record, score.judge))), judge)
        for line, number, score in given
    ]
    if not rows:
        raise FormatError(source.name, None, expected="labels", note="nothing in it is labelled")
    others = len(found) - len(asked) - len(notes)
    remarks = [f"{number_of('score', others)} of other questions left out"] * (others > 0)
    remarks += [f"{number_of('record', len(asked) - len(given))} without a label left out"] * (given != asked)
    places = [line for line, _, _ in given]
    return LabelRows(frame_of(rows), lambda row: (source.name, places[row]), tuple(remarks))


def _records(source: Source) -> Iterator[tuple[int | None, dict[str, Any]]]:
    """The objects of a file: one per line, or listed; or those of a page as an API answers it."""
    if _PAGE.match(source.read()[:1024].decode("utf-8-sig", "replace").lstrip()):
        return ((None, each) for each in loaded(source)["data"])
    return records(source)


def _question(source: Source, questions: Mapping[str, None]) -> str:
    """The question whose answers are the labels: the one that is named so, or the only one."""
    asked = find(ROLES["label"], list(questions)) or (next(iter(questions)) if len(questions) == 1 else None)
    if asked is None:
        raise FormatError(
            source.name, None, expected="one score that is the label", got=listed(list(questions)) or "none",
            note=f"name it with {argument('columns')}, as in label={next(iter(questions), 'relevance')!r}",
        )  # fmt: skip
    return asked


def _row(source: Source, line: int | None, number: int, score: _Score, judge: str | None) -> dict[str, Any]:
    note = None if line is not None else f"in object {number} of the list"
    item = item_in(*score.places)
    if "item_id" not in item:
        if score.record is None:
            expected = "the document that was judged, as `docid`, and its topic, as `qid`"
            raise FormatError(source.name, line, expected=expected, got="neither", note=note)
        item = {"item_id": str(score.record)}  # what was scored is the record itself
    who = score.judge or judge
    if not who:
        raise FormatError(
            source.name, line, expected="who gave a score", got="nobody",
            note=f"name them: as `judge` in the metadata, or {naming()}",
        )  # fmt: skip
    label = only(score.label, lambda expected, got: FormatError(source.name, line, expected=expected, got=got))
    return {**item, "judge": str(who), "label": int(label) if isinstance(label, bool) else label, "time": score.time,
            "note": score.note}  # fmt: skip
