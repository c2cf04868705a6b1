"""Sameness of layouts: each says what a plain table says, in any order of its records, compressed, in several files."""

from __future__ import annotations

import gzip
import inspect
import json
import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import odd_data
import polars as pl
import pytest
from fuzzing.script import FUZZ
from layouts import LABELS, LOGS, OF_ONE, conll, document_lines, events, grouped, ubi
from odd_data import Rows
from sameness import RENAMED, differences, written
from test_sameness import CASES, answer, told

import assay
from assay.cli.commands import every_command
from assay.core import registry
from assay.files import formats, labelling_tools, quepid, score_exports
from assay.files.log_looks import LOOKS
from assay.files.logs import LOG_FORMATS
from assay.files.registry import Format


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


# Nothing stands outside: a new command, layout, tool, format or subject joins a table, or says here why it does not.

_PICTURES = "pictures of numbers that reports have in these tables"
_PROJECT = "works on the database of a project, whose rows have no order"
_FOLDER = "works on a folder, or writes files: see what is read back"
OUTSIDE = {
    "freeze": _FOLDER, "convert": _FOLDER, "agreement convert": _FOLDER, "log import": _FOLDER, "crowd hits": _FOLDER,
    "topics write": _FOLDER, "clicks simulate": "draws what it makes, from a model",
    **dict.fromkeys(("plot", "classifier plot", "clustering plot", "clicks plot"), _PICTURES),
    **{f"collection {verb}": _FOLDER for verb in ("new", "add", "show", "check", "export", "list")},
    **{f"judge {verb}": _PROJECT for verb in (
        "start", "init", "status", "assign", "change", "adjudicate", "next", "release", "diff", "import", "export",
        "backup", "restore", "check")},
    **dict.fromkeys(("measures", "demo", "examples", "completion"), "reads no data"),
    "serve": "serves pages of a project",
    "abtest plan": "plans before there are data", "abtest assign": "hashes each user alone",
    "abtest watch": "looks at a test as `abtest compare` does, and writes the look down",
    "abtest simulate": "draws users anew",
    "show": "shows rows as they stand in a file", "trec-eval": "is compared with the reference tool line by line",
    "scores explain": "takes two orders, which are in order",
    "audit": "tells what rules would give, among them the order of the file",
    "tune": "chooses among runs by what `compare` and `evaluate` measure",
}  # fmt: skip


def test_every_command_is_in_the_table_of_sameness_or_says_why_not() -> None:
    typed = [command for case in CASES.values() for command in case.commands]
    outside = {name for name in every_command() if not any(command.startswith(f"{name} ") for command in typed)}
    assert outside == set(OUTSIDE)


def test_every_subject_is_in_the_table_of_sameness() -> None:
    typed = [command for case in CASES.values() for command in case.commands]
    for subject in registry.declarations():
        assert any(command.startswith(f"{subject.word} ".lstrip()) for command in typed), subject.name


def test_every_layout_of_logs_and_every_tool_is_here() -> None:
    """Tools are those that the readers name."""
    assert {layout for layout, _, _ in LOGS.values()} == set(LOG_FORMATS) == set(LOOKS)
    source = "".join(inspect.getsource(module) for module in (labelling_tools, quepid))
    tools = set(re.findall(r'gathered\(source, "([^"]+)"', source))
    tools |= set(re.findall(r'^        "([^"]+)": \(', inspect.getsource(score_exports.score_reader), re.MULTILINE))
    assert len(tools) >= 10
    here = {name.partition(",")[0] for name in (*LABELS, *OF_ONE)}
    assert tools <= here, tools - here


#: How the records of an example part, where they are neither lines nor objects; a first part may be a header.
RECORDS = {
    "smart-documents": r"(?m)^(?=\.I )", "smart-plain": r"(?m)^(?=\.I )", "smart-topics": r"(?m)^(?=\.I )",
    "trec-topics": r"(?=<top>)|(?=<topic )", "trec-documents": r"(?=<DOC>)",
    "topic-sections": r"(?m)^(?=\[topic )", "npl-documents": r"(?<=/\n)", "npl-topics": r"(?<=/\n)",
    "npl-qrels": r"(?<=/\n)(?=\d)", "time-documents": r"(?=\*TEXT)|(?=\*STOP)", "time-topics": r"(?=\*FIND)|(?=\*STOP)",
    "lisa-documents": r"(?=Document )", "lisa-topics": r"(?<=#\n)", "lisa-qrels": r"(?<=\n)(?=           [12] )",
    "cf-documents": r"(?=<RECORD>)|(?=</root>)", "cf-topics": r"(?=<QUERY>)|(?=</root>)",
    "cf-qrels": r"(?=<QUERY>)|(?=</root>)",
}  # fmt: skip
ORDERED = {
    "time-documents": "documents are numbered in the order of the file",
    **{f"parquet-{kind}": "files of columns have no records" for kind in ("run", "qrels", "topics", "documents")},
}
READERS: dict[str, Callable[..., Any]] = {
    "run": assay.read_run, "qrels": assay.read_qrels, "topics": assay.read_topics, "documents": assay.read_documents,
}  # fmt: skip


def turned(name: str, text: str) -> str:
    """An example with its records in another order: objects with their keys turned round, too."""
    if text.startswith("{") and "}\n{" in text:
        return "".join(f"{json.dumps(_turned(json.loads(line)))}\n" for line in text.splitlines()[::-1])
    if text.startswith(("{", "[{")):
        whole = json.loads(text)
        return json.dumps([_turned(each) for each in whole[::-1]] if isinstance(whole, list) else _turned(whole))
    if name in RECORDS:
        parts = [part for part in re.split(RECORDS[name], text) if part]
        movable = [
            part for part in parts if part.strip() and not part.startswith(("<root", "</root", "*STOP", "<?xml"))
        ]
        rest = iter(movable[::-1])
        return "".join(next(rest) if part in movable else part for part in parts)
    rows = text.splitlines(keepends=True)
    fixed = [row for row in rows if row.startswith("#") or (row is rows[0] and re.match(r"(query|doc)_id\W", row))]
    return "".join([*fixed, *(row for row in rows[::-1] if row not in fixed)])


def _turned(value: Any) -> Any:
    """An object with its keys in another order; lists of results are ranked, and stay."""
    if isinstance(value, dict):
        return {key: _turned(held) for key, held in reversed(value.items())}
    return [_turned(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize("known", formats(), ids=lambda known: known.name)
def test_a_format_is_read_the_same_in_any_order_of_its_records(known: Format, tmp_path: Path) -> None:
    own = FUZZ.TEXTS.get(known.name) or FUZZ.TEXTS.get(known.name.rpartition("-")[0])
    if known.name in ORDERED:
        pytest.skip(ORDERED[known.name])
    assert own, "an example in scripts/fuzz.py"
    for text in own:
        other = turned(known.name, text)
        read = READERS[known.kind]
        tables = [read(packed(each, tmp_path / "file.gz"), format=known.name).frame for each in (text, other)]
        columns = [name for name in tables[0].columns if tables[0][name].dtype != pl.List]
        first, second = (table.select(sorted(columns)).sort(sorted(columns)) for table in tables)
        assert first.equals(second)
