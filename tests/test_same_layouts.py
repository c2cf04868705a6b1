"""Sameness of layouts: each says what a plain table says, in any order of its records, compressed, in several files."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import odd_data
import pytest
from layouts import LABELS, LOGS, OF_ONE, conll, document_lines, events, grouped, ubi
from odd_data import Rows
from sameness import RENAMED, differences, written
from test_sameness import answer, told


def renamed(rows: Rows, *columns: str) -> Rows:
    return [{key: f"{RENAMED}{value}" if key in columns else value for key, value in row.items()} for row in rows]


def packed(text: str, path: Path) -> Path:
    path.write_bytes(gzip.compress(text.encode()))
    return path


def plainly(text: str, path: Path) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def same(one: Any, other: Any) -> None:
    assert list(differences(one, other))[:5] == []


CLICKS = odd_data.clicks(Random("layouts"), quoted=False)["log"].rows
#: Measures that need no times of clicks, which a table with a row per result has not.
COMPARED = "clicks compare {log} -m CTR -m ClickRR -m ClicksPerQuery"
BY_LOG = ("clicks evaluate {log}", "log show {log}")


@pytest.mark.parametrize("layout", LOGS)
def test_a_log_in_another_layout_says_the_same(layout: str, tmp_path: Path) -> None:
    _, text, says_all = LOGS[layout]
    table = written(CLICKS, tmp_path, "log")
    first = plainly(text(CLICKS), tmp_path / "log.ndjson")
    rows = renamed(odd_data.mixed(Random(1), list(CLICKS)), "doc_id")
    second = packed(text(rows), tmp_path / "log.gz")
    for command in BY_LOG:
        one, other = (told(answer(command, {"log": path}, tmp_path)) for path in (first, second))
        same(one, other)
    if says_all:
        expected, one = (told(answer(COMPARED, {"log": path}, tmp_path)) for path in (table, first))
        same(expected, one)


LAB = [
    row | {"item_id": f"{row['query_id']}/{row['item_id']}", "query_id": "t"}
    for row in odd_data.judged(Random("layouts"))
]


@pytest.mark.parametrize("tool", LABELS)
def test_labels_of_another_tool_say_the_same(tool: str, tmp_path: Path) -> None:
    table = written(LAB, tmp_path, "lab")
    first = plainly(LABELS[tool](LAB), tmp_path / "first.json")
    rows = renamed(odd_data.mixed(Random(1), list(LAB)), "item_id", "query_id")
    second = packed(LABELS[tool](rows), tmp_path / "second.gz")
    expected, one, other = (
        told(answer("agreement evaluate {lab}", {"lab": path}, tmp_path)) for path in (table, first, second)
    )
    same(expected, one)
    same(one, other)


@pytest.mark.parametrize("tool", OF_ONE)
def test_exports_of_one_person_each_say_what_a_table_says(tool: str, tmp_path: Path) -> None:
    """Given as the file of each judge, by name."""
    rows = odd_data.mixed(Random(1), list(LAB))
    by_judge = {judge: found for (judge,), found in grouped(rows, "judge").items()}
    plain = {judge: plainly(OF_ONE[tool](found), tmp_path / f"{judge}.json") for judge, found in by_judge.items()}
    turned = {judge: packed(OF_ONE[tool](found[::-1]), tmp_path / f"{judge}.gz") for judge, found in by_judge.items()}
    table = written(LAB, tmp_path, "lab")
    expected = told(answer("agreement evaluate {lab}", {"lab": table}, tmp_path))
    for files in (plain, turned):
        command = "agreement evaluate " + " ".join(f"{judge}={path.name}" for judge, path in files.items())
        same(expected, told(answer(command, {}, tmp_path)))


def halves(rows: Rows) -> tuple[Rows, Rows]:
    half = len(rows) // 2
    return rows[:half], rows[half:]


#: Logs in two files: queries and events apart, or any half of the rows in another layout than the rest.
PARTS: dict[str, Callable[[Rows], tuple[str, str]]] = {
    "queries of UBI, and events": lambda rows: _parted(ubi(rows), '"user_query"'),
    "lists shown, and clicks": lambda rows: _parted(events(rows), '"impression"'),
    "pages of UBI, a half each": lambda rows: _of_pages(rows, ubi),
    "rows per page, a half each": lambda rows: _of_pages(rows, LOGS["a row per page, documents clicked"][1]),
}


def _parted(text: str, mark: str) -> tuple[str, str]:
    whole = text.splitlines(keepends=True)
    first, second = ("".join(line for line in whole if (mark in line) is wanted) for wanted in (True, False))
    return first, second


def _of_pages(rows: Rows, text: Callable[[Rows], str]) -> tuple[str, str]:
    names = sorted({row["serp_id"] for row in rows})[::2]
    first, second = (text([row for row in rows if (row["serp_id"] in names) is wanted]) for wanted in (True, False))
    return first, second


@pytest.mark.parametrize("parts", PARTS)
def test_a_log_in_two_files_says_what_it_says_in_one(parts: str, tmp_path: Path) -> None:
    table = written(CLICKS, tmp_path, "log")
    first, second = PARTS[parts](CLICKS)
    files = {
        "log": table,
        "first": plainly(first, tmp_path / "first.jsonl"),
        "second": packed(second, tmp_path / "b.gz"),
    }
    expected = told(answer(COMPARED, files, tmp_path))
    for both in ("{first} {second}", "{second} {first}"):
        same(expected, told(answer(COMPARED.replace("{log}", both), files, tmp_path)))


SPANS = {name: table.rows for name, table in odd_data.spans(Random("layouts")).items()}
DOCUMENTS = sorted({row["document"] for rows in SPANS.values() for row in rows})
EVALUATED = "extraction evaluate {truth} {old}"


def of_spans(document: Any, *, named: bool) -> Any:
    """Numbers of spans: tagged tokens number documents, and a table has no document without spans to warn of."""
    left_out = {"warnings"} if named else {"warnings", "documents", "misses", "false_alarms"}
    return {key: value for key, value in told(document).items() if key not in left_out}


@pytest.mark.parametrize("form", ["tags", "a document per line"])
def test_spans_in_another_layout_say_the_same(form: str, tmp_path: Path) -> None:
    tables = {name: written(rows, tmp_path, name) for name, rows in SPANS.items()}
    named, text = form != "tags", conll if form == "tags" else document_lines
    for command in (EVALUATED, "extraction compare {truth} {old} {new} -m F -m Recall")[: 1 + named]:  # drawn by names
        expected = of_spans(answer(command, tables, tmp_path), named=named)
        for order, write in ((DOCUMENTS, plainly), (DOCUMENTS[::-1], packed)):
            files = {name: write(text(rows, order), tmp_path / f"{name}.x") for name, rows in SPANS.items()}
            same(expected, of_spans(answer(command, files, tmp_path), named=named))


def test_truth_and_predictions_in_one_file_say_the_same(tmp_path: Path) -> None:
    tables = {name: written(rows, tmp_path, name) for name, rows in SPANS.items()}
    expected = answer(EVALUATED, tables, tmp_path)
    columns = zip(*(conll(SPANS[name], DOCUMENTS).splitlines() for name in ("truth", "old")), strict=True)
    tags = "".join(f"{true} {other.rpartition(' ')[2]}\n".lstrip() if true else "\n" for true, other in columns)
    both = [
        json.loads(first) | json.loads(second)
        for first, second in zip(
            document_lines(SPANS["truth"], DOCUMENTS, "truth").splitlines(),
            document_lines(SPANS["old"], DOCUMENTS, "prediction").splitlines(), strict=True,
        )
    ]  # fmt: skip
    for text, named in ((tags, False), (json.dumps(both[::-1]), True)):
        found = answer("extraction evaluate {both}", {"both": plainly(text, tmp_path / "both.x")}, tmp_path)
        same(of_spans(expected, named=named), of_spans(found, named=named))
