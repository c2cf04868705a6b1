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
from layouts import LABELS, LOGS, OF_ONE, conll, document_lines, grouped
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
BY_LOG = ("clicks evaluate {log}", "log show {log}")


@pytest.mark.parametrize("layout", LOGS)
def test_a_log_in_another_layout_says_the_same(layout: str, tmp_path: Path) -> None:
    _, text, says_all = LOGS[layout]
    table = written(CLICKS, tmp_path, "log")
    first = plainly(text(CLICKS), tmp_path / "log.ndjson")
    rows = renamed(odd_data.mixed(Random(1), list(CLICKS)), "doc_id")
    second = packed(text(rows), tmp_path / "log.gz")
    commands = (*BY_LOG, "clicks compare {log}") if says_all else BY_LOG
    for command in commands:
        one, other = (answer(command, {"log": path}, tmp_path) for path in (first, second))
        same(told(one), told(other))
        if says_all:
            same(told(answer(command, {"log": table}, tmp_path)), told(one))


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
