"""Layouts of other tools: the rows of a table as their files have them, in the order of the rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Any

from odd_data import Rows

Text = Callable[[Rows], str]


def lines(records: Iterable[object]) -> str:
    """One JSON value per line."""
    return "".join(f"{json.dumps(record)}\n" for record in records)


def grouped(rows: Rows, *columns: str) -> dict[tuple[Any, ...], Rows]:
    """Rows by what they have in columns; groups in the order of their first rows."""
    groups: dict[tuple[Any, ...], Rows] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in columns), []).append(row)
    return groups


def pages(rows: Rows) -> list[tuple[dict[str, Any], Rows, list[str]]]:
    """What each result page has in common, its results from the top, and the documents that were clicked."""
    found = []
    for results in grouped(rows, "serp_id").values():
        listed = sorted(results, key=lambda row: row["rank"])
        found.append((results[0], listed, [row["doc_id"] for row in listed if row["clicked"]]))
    return found


def later(row: dict[str, Any], seconds: int) -> str:
    """A time after that of a row."""
    return (datetime.fromisoformat(row["timestamp"]) + timedelta(seconds=seconds)).isoformat()


def ubi(rows: Rows) -> str:
    """Events of UBI before the queries whose pages they are on."""
    events = [
        {"query_id": row["serp_id"], "client_id": row["user_id"], "session_id": row["session_id"],
         "action_name": "click", "timestamp": later(row, row["rank"]),
         "event_attributes": {"object": {"object_id": row["doc_id"]}, "position": {"ordinal": row["rank"]}}}
        for row in rows if row["clicked"]
    ]  # fmt: skip
    queries = [
        {"query_id": page["serp_id"], "client_id": page["user_id"], "user_query": page["query"],
         "query_response_hit_ids": [row["doc_id"] for row in results], "timestamp": page["timestamp"],
         "query_attributes": {"system": page["variant"], "session_id": page["session_id"]}}
        for page, results, _ in pages(rows)
    ]  # fmt: skip
    return lines([*events, *queries])


def _seconds(time: str) -> int:
    return int((datetime.fromisoformat(time) - datetime(2026, 1, 1)).total_seconds())


def yandex(rows: Rows) -> str:
    """Queries and clicks by session and time; clicks name no page."""
    records = [
        (page["session_id"], _seconds(page["timestamp"]), "Q", page["query"], 1, *(row["doc_id"] for row in results))
        for page, results, _ in pages(rows)
    ]
    clicks = [(row["session_id"], _seconds(later(row, row["rank"])), "C", row["doc_id"])
              for row in rows if row["clicked"]]  # fmt: skip
    return "".join("\t".join(map(str, record)) + "\n" for record in [*records, *clicks])


def yandex_sample(rows: Rows) -> str:
    """Pages with their clicks behind a colon."""
    return ";\n".join(
        f"{page['query']}_1\t{','.join(row['doc_id'] for row in results)} : {' , '.join(clicked)}"
        for page, results, clicked in pages(rows)
    )


def baidu(rows: Rows) -> str:
    """A line for the query of each page, and then one for each of its results, in any order."""
    text = ""
    for results in grouped(rows, "serp_id").values():
        text += f"{results[0]['query']}\tsome words\t\n"
        for row in results:
            fields = [str(row["rank"]), row["doc_id"], "", "", "", str(row["clicked"]), *["0"] * 20]
            text += "\t".join(fields) + "\n"
    return text


def events(rows: Rows) -> str:
    """A table with one row per event: results that were shown, and clicks on them."""
    shown = [{**{key: row[key] for key in row if key != "clicked"}, "action": "impression"} for row in rows]
    clicks = [{**seen, "action": "click"} for seen, row in zip(shown, rows, strict=True) if row["clicked"]]
    return lines([*clicks, *shown])


def listed(rows: Rows, clicked: Callable[[Rows, list[str]], list[Any]]) -> str:
    """A table with one row per page: lists of results, and of clicks."""
    return lines(
        {**{key: page[key] for key in page if key not in {"doc_id", "rank", "clicked"}},
         "results": [row["doc_id"] for row in results], "clicks": clicked(results, documents)}
        for page, results, documents in pages(rows)
    )  # fmt: skip


def nameless(rows: Rows) -> str:
    """A table whose pages have no names: session, query, time and rank tell them apart."""
    return lines({key: row[key] for key in row if key != "serp_id"} for row in rows)


#: Click logs: the layout as `--from` has it, and whether it says all that a table with a row per result says.
LOGS: dict[str, tuple[str, Text, bool]] = {
    "UBI": ("ubi", ubi, True),
    "UBI, a dump": ("ubi", lambda rows: lines({"_index": "ubi_events", "_source": json.loads(line)}
                                              for line in ubi(rows).splitlines()), True),
    "Yandex": ("yandex", yandex, False),
    "Yandex, a sample": ("yandex-sample", yandex_sample, False),
    "Baidu-ULTR": ("baidu", baidu, False),
    "a row per event": ("table", events, True),
    "a row per page, documents clicked": ("table", lambda rows: listed(rows, lambda _, documents: documents), True),
    "a row per page, clicks as flags": (
        "table", lambda rows: listed(rows, lambda results, _: [row["clicked"] for row in results]), True),
    "a row per result, pages without names": ("table", nameless, True),
}  # fmt: skip


def label_studio(rows: Rows) -> str:
    """Tasks with annotations of several people."""
    return json.dumps([
        {"id": number, "data": {"query_id": query, "doc_id": item}, "annotations": [
            {"completed_by": {"email": row["judge"]}, "result": [
                {"from_name": "relevance", "value": {"choices": [row["label"]]}}]} for row in found]}
        for number, ((query, item), found) in enumerate(grouped(rows, "query_id", "item_id").items())
    ])  # fmt: skip


def book(rows: Rows) -> str:
    """A book of Quepid as JSON."""
    return json.dumps({"name": "tea", "query_doc_pairs": [
        {"query_text": query, "doc_id": item, "position": 1, "judgements": [
            {"rating": float(row["label"]), "unrateable": False, "user_email": row["judge"]} for row in found]}
        for (query, item), found in grouped(rows, "query_id", "item_id").items()
    ]})  # fmt: skip


def book_table(rows: Rows) -> str:
    """A book of Quepid as a table with a column per person."""
    people = sorted({row["judge"] for row in rows})
    text = f"query,docid,{','.join(people)}\n"
    for (query, item), found in grouped(rows, "query_id", "item_id").items():
        said = {row["judge"]: f"{row['label']}.0" for row in found}
        quoted = ",".join('"' + each.replace('"', '""') + '"' for each in (query, item))
        text += f"{quoted},{','.join(said.get(who, '') for who in people)}\n"
    return text


def _about(row: dict[str, Any]) -> dict[str, Any]:
    return {"query_id": row["query_id"], "doc_id": row["item_id"]}


def argilla(rows: Rows) -> str:
    """Records with the answers of several people by question."""
    return json.dumps([
        {"id": f"{query}/{item}", "fields": {"text": "."}, "metadata": _about(found[0]), "responses": {
            "relevance": [{"value": row["label"], "user_id": row["judge"]} for row in found]}}
        for (query, item), found in grouped(rows, "query_id", "item_id").items()
    ])  # fmt: skip


def argilla_server(rows: Rows) -> str:
    """Records with the answers of several people by person."""
    return lines(
        {"id": f"{query}/{item}", "fields": _about(found[0]), "responses": [
            {"user_id": row["judge"], "status": "submitted", "values": {"relevance": {"value": row["label"]}}}
            for row in found]}
        for (query, item), found in grouped(rows, "query_id", "item_id").items()
    )  # fmt: skip


def argilla_dataset(rows: Rows) -> str:
    """Records as rows of a dataset."""
    return lines(
        {"id": f"{query}/{item}", "metadata.query_id": query, "metadata.doc_id": item,
         "relevance.responses": [str(row["label"]) for row in found],
         "relevance.responses.users": [row["judge"] for row in found]}
        for (query, item), found in grouped(rows, "query_id", "item_id").items()
    )  # fmt: skip


def turk(rows: Rows) -> str:
    """Results of Mechanical Turk."""

    def quoted(*cells: object) -> str:
        return ",".join('"' + str(cell).replace('"', '""') + '"' for cell in cells) + "\n"

    header = quoted("HITId", "WorkerId", "AssignmentStatus", "Input.query_id", "Input.doc_id", "Answer.label")
    return header + "".join(
        quoted(f"h{row['query_id']}/{row['item_id']}", row["judge"], "Approved", row["query_id"], row["item_id"],
               row["label"]) for row in rows
    )  # fmt: skip


#: Labels as tools export them; those that name no topics have documents of one topic alone.
LABELS: dict[str, Text] = {
    "Label Studio": label_studio,
    "Quepid": book,
    "Quepid, a table": book_table,
    "Argilla": argilla,
    "Argilla's server": argilla_server,
    "Argilla's datasets": argilla_dataset,
    "Mechanical Turk": turk,
    "doccano": lambda rows: lines(
        {"id": f"{query}/{item}", "annotations": [{"label": row["label"], "user": row["judge"]} for row in found]}
        for (query, item), found in grouped(rows, "query_id", "item_id").items()
    ),
    "Prodigy": lambda rows: lines(
        {"_input_hash": f"{row['query_id']}/{row['item_id']}", "_annotator_id": row["judge"], "answer": "accept",
         "accept": [row["label"]]} for row in rows
    ),
    "Langfuse": lambda rows: lines(
        {"id": str(number), "traceId": "t", "name": "relevance", "value": row["label"], "dataType": "NUMERIC",
         "source": "ANNOTATION", "authorUserId": row["judge"], "metadata": _about(row)}
        for number, row in enumerate(rows)
    ),
    "LangSmith": lambda rows: lines(
        {"id": str(number), "run_id": "r", "key": "relevance", "score": row["label"],
         "feedback_source": {"type": "app", "user_name": row["judge"]}, "extra": {"metadata": _about(row)}}
        for number, row in enumerate(rows)
    ),
    "Braintrust": lambda rows: lines(
        {"id": str(number), "input": _about(row), "scores": {"relevance": row["label"]},
         "metadata": {"judge": row["judge"]}} for number, row in enumerate(rows)
    ),
    "UMBRELA": lambda rows: lines(
        {"model": row["judge"], "query": "words", "passage": ".", "judgment": row["label"], "result_status": 1,
         "qid": row["query_id"], "docid": row["item_id"]} for row in rows
    ),
}  # fmt: skip
#: Of these exports of one person each, the whole is a file per judge.
OF_ONE: dict[str, Text] = {
    "Quepid, ratings of a case": lambda rows: "query,docid,rating\n" + "".join(
        f'"{row["query_id"]}","{row["item_id"]}",{row["label"]}\n'.replace('q"t', 'q""t') for row in rows
    ),
    "Quepid, ratings as JSON": lambda rows: json.dumps({"queries": [
        {"query": query, "ratings": {row["item_id"]: row["label"] for row in found}}
        for (query,), found in grouped(rows, "query_id").items()
    ]}),
    "Quepid for RRE": lambda rows: json.dumps({"id_field": "id", "queries": [
        {"placeholders": {"$query": query}, "relevant_documents": {
            str(label): [row["item_id"] for row in of_label]
            for (label,), of_label in grouped(found, "label").items()}}
        for (query,), found in grouped(rows, "query_id").items()
    ]}),
    "RRE": lambda rows: json.dumps({"id_field": "id", "query_groups": [
        {"queries": [{"placeholders": {"$query": query}}], "relevant_documents": [
            {row["item_id"]: {"gain": row["label"]} for row in found}]}
        for (query,), found in grouped(rows, "query_id").items()
    ]}),
    "doccano": lambda rows: lines(
        {"id": f"{row['query_id']}/{row['item_id']}", "label": [row["label"]]} for row in rows
    ),
}  # fmt: skip


def _tags(rows: Rows, length: int) -> list[str]:
    tags = ["O"] * length
    for row in rows:
        tags[row["start"] : row["end"]] = [f"B-{row['type']}", *[f"I-{row['type']}"] * (row["end"] - row["start"] - 1)]
    return tags


def conll(rows: Rows, documents: Iterable[str], length: int = 200) -> str:
    """A tag per token, with a line before each document."""
    found = grouped(rows, "document")
    return "".join(
        "-DOCSTART- O\n\n" + "".join(f"w{n} {tag}\n" for n, tag in enumerate(_tags(found.get((name,), []), length)))
        + "\n" for name in documents
    )  # fmt: skip


def document_lines(rows: Rows, documents: Iterable[str], key: str = "spans") -> str:
    """A document per line, with its spans."""
    found = grouped(rows, "document")
    return lines(
        {"document": name, key: [[row["start"], row["end"], row["type"]] for row in found.get((name,), [])]}
        for name in documents
    )
