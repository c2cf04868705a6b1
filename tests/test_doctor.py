"""The doctor finds what is wrong, says where, and is silent about what is not."""

from __future__ import annotations

import codecs
import gzip
import json
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import doctor_twin as twin
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared_data import shared
from strategies import quickly
from typer.testing import CliRunner

from assay import AssayError, Diagnosis, Documents, ParameterError, Ranks, Topics, doctor, evaluate
from assay.cli import app
from assay.diagnosis import checks
from assay.diagnosis.scores import contradictions, tie_ranges
from assay.diagnosis.tolerant import read_lines
from assay.measures import AP, RR, P, nDCG

DOCS = Path(__file__).parents[1] / "docs"
TOPICS, DEPTH = 12, 24
Found: TypeAlias = set[tuple[str, str]]
Written: TypeAlias = bytes | str | list[str]

run_cli = CliRunner().invoke


class Files(NamedTuple):
    """Lines of judgments and of a run."""

    qrels: list[str]
    run: list[str]


def files(seed: int = 0, *, grades: tuple[int, ...] = (0, 0, 0, 1, 0, 2)) -> Files:
    """A clean pair: every topic and document judged, no ties, ranks that agree, some relevant documents found early."""
    rng = np.random.default_rng(seed + 7)
    qrels, run = [], []
    for topic in range(1, TOPICS + 1):
        drawn = rng.permutation(np.resize(grades, DEPTH)).tolist()
        for number, grade in enumerate(drawn, 1):
            qrels.append(f"{topic + 100} 0 doc-{topic}-{number} {grade}")
        order = sorted(range(DEPTH), key=lambda place: drawn[place] + 12 * rng.random(), reverse=True)
        for rank, place in enumerate(order, 1):
            run.append(f"{topic + 100} Q0 doc-{topic}-{place + 1} {rank} {90 - rank * 1.5:g} mine")
    return Files(qrels, run)


def written(path: Path, content: Written) -> str:
    """A file of lines, of text or of bytes."""
    if isinstance(content, list):
        content = "".join(f"{line}\n" for line in content)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def examined(folder: Path, qrels: Written, *runs: Written, **options: Any) -> Diagnosis:
    """What the doctor says of files with these contents."""
    names = [written(folder / f"run{number}.run", run) for number, run in enumerate(runs)]
    return doctor(written(folder / "qrels.txt", qrels), names, **options)


def found_in(diagnosis: Diagnosis) -> Found:
    return {(finding.check, finding.severity) for finding in diagnosis.findings}


# A clean pair


@pytest.mark.parametrize("seed", range(5))
def test_a_clean_pair_is_passed_over_in_silence(tmp_path: Path, seed: int) -> None:
    diagnosis = examined(tmp_path, *files(seed))
    assert diagnosis.findings == ()
    assert diagnosis.is_healthy
    assert str(diagnosis).splitlines() == [f"{tmp_path}/qrels.txt and 1 run: nothing found ({len(checks())} checks)"]


ids = st.text(st.characters(categories=("Ll", "Lu", "Nd")), min_size=1, max_size=6)


@st.composite
def clean_tables(draw: st.DrawFn) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Fully judged topics with relevant documents and others, all of them retrieved in some order without ties."""
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for query in draw(st.lists(st.integers(1, 999).map(str), min_size=1, max_size=6, unique=True)):
        docs = [f"d{number}" for number in draw(st.lists(st.integers(1, 99), min_size=4, max_size=30, unique=True))]
        grades = [0, 1, 1, *draw(st.lists(st.integers(0, 2), min_size=len(docs) - 3, max_size=len(docs) - 3))]
        qrels[query] = dict(zip(docs, grades, strict=True))
        order = draw(st.permutations(docs))
        top = draw(st.floats(-1e6, 1e6))
        run[query] = {doc: top - place for place, doc in enumerate(order)}
        # A perfect topic is fine; that nearly all of them are would be worth a note.
        best = max(docs, key=lambda doc: run[query][doc])
        qrels[query][best] = 0
        if not any(qrels[query].values()):
            qrels[query][order[-1]] = 1
    return qrels, run


@given(clean_tables())
@quickly
def test_well_formed_judged_tables_without_ties_raise_no_alarm(
    tables: tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]],
) -> None:
    assert {name for name, _ in found_in(doctor(*tables))} <= {"one-relevant"}


def test_tables_in_memory_have_no_lines() -> None:
    found = doctor({"q": {"a": 1, "b": 0}}, {"mine": {"q": {"a": 1.0, "b": 1.0}}}, "RR")
    assert found_in(found) == {("ties", "warning"), ("equal-scores", "error")}
    assert all(example.line is None for finding in found.findings for example in finding.examples)
    assert {finding.system for finding in found.findings} == {"mine"}


# Planted defects: exactly this is found, and nothing else


class Planted(NamedTuple):
    """A defect, how it is planted, and what is to be found; `line` is the first line named."""

    name: str
    plant: Callable[[Files], tuple[Written, ...]]
    found: Found
    line: int | None = None
    options: dict[str, Any] = {}  # noqa: RUF012  # never changed


def run_lines(change: Callable[[list[str]], Any]) -> Callable[[Files], tuple[Written, ...]]:
    """Change the lines of the run, in place or by giving others."""
    return lambda given: (given.qrels, _changed(given.run, change))


def qrels_lines(change: Callable[[list[str]], Any]) -> Callable[[Files], tuple[Written, ...]]:
    """Change the lines of the judgments."""
    return lambda given: (_changed(given.qrels, change), given.run)


def _changed(lines: list[str], change: Callable[[list[str]], Any]) -> Any:
    kept = list(lines)
    made = change(kept)
    return kept if made is None else made


def field(line: int, column: int, value: str) -> Callable[[list[str]], None]:
    """Replace one field; lines count from 1."""

    def change(lines: list[str]) -> None:
        fields = lines[line - 1].split()
        fields[column] = value
        lines[line - 1] = " ".join(fields)

    return change


def every(pattern: str, by: str) -> Callable[[list[str]], list[str]]:
    """Replace in every line."""
    return lambda lines: [re.sub(pattern, by, line) for line in lines]


def text(lines: list[str], end: str = "\n") -> str:
    return "".join(f"{line}{end}" for line in lines)


def replace_line(line: int, by: str) -> Callable[[list[str]], None]:
    def change(lines: list[str]) -> None:
        lines[line - 1] = by

    return change


def first_topics(lines: list[str], number: int) -> list[str]:
    return lines[: number * DEPTH]


def renamed_best(ending: str) -> Callable[[list[str]], list[str]]:
    return every(r"(doc-\S+)", rf"\1{ending}")


def one_relevant(given: Files) -> tuple[Written, ...]:
    """The second document of each ranking is the only relevant one."""
    wanted = {tuple(line.split()[column] for column in (0, 2)) for line in given.run if line.split()[3] == "2"}
    qrels = [
        " ".join([*line.split()[:3], str(int((line.split()[0], line.split()[2]) in wanted))]) for line in given.qrels
    ]
    return qrels, given.run


def two_grades() -> tuple[Written, ...]:
    """Binary grades, one of them mistyped."""
    given = files(grades=(0, 1))
    return qrels_lines(field(9, 3, "11"))(given)


def tie_of_first_relevant(given: Files) -> tuple[Written, ...]:
    """In topic 103, the first relevant document and a document that is not relevant beside it get the same score."""
    grades = {(line.split()[0], line.split()[2]): int(line.split()[3]) for line in given.qrels}
    rows = [line.split() for line in given.run]
    for above, below in pairwise(rows):
        if above[0] == below[0] == "103" and (grades["103", above[2]] > 0) != (grades["103", below[2]] > 0):
            below[4] = above[4]
            return given.qrels, [" ".join(row) for row in rows]
    raise AssertionError("the clean pair has such documents")


def thinly_judged(given: Files) -> tuple[Written, ...]:
    """Of topic 103, three relevant documents are judged and one that is not relevant."""
    own = [line for line in given.qrels if line.startswith("103 ")]
    kept = [line for line in own if not line.endswith(" 0")][:3] + [line for line in own if line.endswith(" 0")][:1]
    return [line for line in given.qrels if not line.startswith("103 ") or line in kept], given.run


def harmless_tie(given: Files) -> tuple[Written, ...]:
    """The last documents of a topic, of the same grade, get the same score."""
    grades = {(line.split()[0], line.split()[2]): int(line.split()[3]) for line in given.qrels}
    rows = [line.split() for line in given.run]
    for above, below in pairwise(rows):
        if above[0] == below[0] and grades[above[0], above[2]] == grades[below[0], below[2]]:
            below[4] = above[4]
    return given.qrels, [" ".join(row) for row in rows]


def swap_scores(lines: list[str]) -> None:
    """Ranks 4 and 5 of the second topic keep their ranks and exchange their scores."""
    one, other = lines[DEPTH + 3].split(), lines[DEPTH + 4].split()
    one[4], other[4] = other[4], one[4]
    lines[DEPTH + 3], lines[DEPTH + 4] = " ".join(one), " ".join(other)


def distances(lines: list[str]) -> list[str]:
    """Scores that are best when small."""
    return [" ".join([*line.split()[:4], f"{float(line.split()[3]) * 0.25:g}", "mine"]) for line in lines]


PLANTED = [
    # Files as such
    Planted("an empty run", run_lines(lambda _: b""), {("empty", "error")}),
    Planted("a run of blank lines and comments", run_lines(lambda _: "\n\n# nothing\n"), {("empty", "error")}),
    Planted("empty judgments", qrels_lines(lambda _: b""), {("empty", "error")}),
    Planted(
        "a gzip file without .gz",
        run_lines(lambda lines: gzip.compress(text(lines).encode())),
        {("compression", "note")},
    ),
    Planted(
        "a gzip file cut short",
        run_lines(lambda lines: gzip.compress(text(lines).encode())[:-900]),
        {("compression", "error"), ("compression", "note"), ("missing-topics", "warning")},
    ),
    Planted(
        "a byte-order mark", run_lines(lambda lines: codecs.BOM_UTF8 + text(lines).encode()), {("encoding", "note")}, 1
    ),
    Planted("UTF-16", run_lines(lambda lines: text(lines).encode("utf-16")), {("encoding", "error")}),
    Planted(
        "UTF-16 without a mark", qrels_lines(lambda lines: text(lines).encode("utf-16-le")), {("encoding", "error")}
    ),
    Planted(
        "a line of Latin-1",
        run_lines(lambda lines: text(lines).replace("mine\n", "méthode\n").encode("latin-1")),
        {("encoding", "error")},
        1,
    ),
    Planted("Windows line ends", run_lines(lambda lines: text(lines, "\r\n")), {("line-ends", "note")}),
    Planted("old Mac line ends", qrels_lines(lambda lines: text(lines, "\r")), {("line-ends", "note")}),
    Planted(
        "tabs among spaces", run_lines(replace_line(5, "101\tQ0\tdoc-1-x\t5\t82.5\tmine")), {("separators", "note")}, 5
    ),
    Planted("commas without a header", run_lines(every(" ", ",")), {("separators", "error")}),
    Planted(
        "another kind of file",
        run_lines(lambda _: "To be or not to be,\nthat is the question.\n" * 3),
        {("format", "error")},
    ),
    Planted("judgments in the place of a run", lambda given: (given.qrels, given.qrels), {("swapped", "error")}),
    Planted("a run in the place of judgments", lambda given: (given.run, given.run), {("swapped", "error")}),
    Planted("both swapped", lambda given: (given.run, given.qrels), {("swapped", "error")}),
    Planted(
        "a header in a run", run_lines(lambda lines: ["qid Q0 docno rank score tag", *lines]), {("header", "error")}, 1
    ),
    Planted(
        "a header in judgments",
        qrels_lines(lambda lines: ["query_id iteration doc_id relevance", *lines]),
        {("header", "error")},
        1,
    ),
    Planted("a line cut short", run_lines(replace_line(30, "102 Q0 doc-2-")), {("malformed", "error")}, 30),
    Planted("a run without tags", run_lines(every(" mine$", "")), {("malformed", "error")}, 1),
    Planted(
        "a judgment with a fifth column", qrels_lines(replace_line(7, "101 0 doc 7 1")), {("malformed", "error")}, 7
    ),
    Planted("a score that is a word", run_lines(field(31, 4, "high")), {("numbers", "error")}, 31),
    Planted("a score that is NaN", run_lines(field(31, 4, "nan")), {("numbers", "error")}, 31),
    Planted("a score with a decimal comma", run_lines(field(31, 4, "79,5")), {("numbers", "error")}, 31),
    Planted("an infinite score", run_lines(field(1, 4, "inf")), {("numbers", "warning")}, 1),
    Planted("a grade that is a word", qrels_lines(field(12, 3, "good")), {("numbers", "error")}, 12),
    Planted(
        "a gzip file damaged from the start",
        run_lines(lambda _: b"\x1f\x8b" + b"damage" * 9),
        {("compression", "error"), ("compression", "note")},
    ),
    Planted(
        "a table in JSON that ends too soon", run_lines(lambda _: '{"101": {"doc-1-1": 1.0,'), {("format", "error")}
    ),
    # What is there twice
    Planted(
        "a document twice",
        run_lines(lambda lines: lines.insert(DEPTH, lines[DEPTH - 1])),
        {("duplicates", "error")},
        DEPTH + 1,
    ),
    Planted(
        "a document twice, other score",
        run_lines(lambda lines: lines.insert(DEPTH, "101 Q0 " + lines[0].split()[2] + " 25 1 mine")),
        {("duplicates", "error")},
        DEPTH + 1,
    ),
    Planted(
        "a judgment twice",
        qrels_lines(lambda lines: lines.append(lines[3])),
        {("judged-twice", "warning")},
        TOPICS * DEPTH + 1,
    ),
    Planted(
        "a judgment contradicted",
        qrels_lines(lambda lines: lines.append(" ".join([*lines[3].split()[:3], "3"]))),
        {("judged-twice", "error")},
        TOPICS * DEPTH + 1,
    ),
    Planted(
        "several judges",
        qrels_lines(lambda lines: [*lines, *(re.sub(" 0 d", " 1 d", line) for line in lines)]),
        {("judges", "error")},
    ),
    # Scores and ranks
    Planted("a tie that matters", tie_of_first_relevant, {("ties", "warning")}),
    Planted("ties of equal grades", harmless_tie, set()),
    Planted(
        "all scores the same",
        run_lines(every(r"\S+ mine$", "1.0 mine")),
        {("equal-scores", "error"), ("ties", "warning")},
    ),
    Planted("a rank that contradicts a score", run_lines(swap_scores), {("rank-conflict", "warning")}, DEPTH + 5),
    Planted("distances for scores", run_lines(distances), {("rank-conflict", "error")}, 2),
    Planted(
        "ranks from 0",
        run_lines(
            lambda lines: [
                re.sub(r" (\d+) (\S+) mine", lambda m: f" {int(m[1]) - 1} {m[2]} mine", line) for line in lines
            ]
        ),
        {("ranks", "note")},
    ),
    Planted("a gap in the ranks", run_lines(field(DEPTH, 3, "99")), {("ranks", "note")}),
    Planted("the same rank for all", run_lines(every(r" \d+ (\S+) mine$", r" 1 \1 mine")), {("ranks", "note")}),
    Planted("a rank that is a word", run_lines(field(9, 3, "nine")), {("ranks", "warning")}, 9),
    # Topics
    Planted("topics with a prefix", run_lines(every(r"^(\d+)", r"q\1")), {("topic-ids", "error")}, 1),
    Planted("topics with leading zeros", qrels_lines(every(r"^(\d+)", r"00\1")), {("topic-ids", "error")}, 1),
    Planted(
        "one topic written differently",
        run_lines(lambda lines: [line.replace("103 Q0", "T103 Q0") for line in lines]),
        {("topic-ids", "error")},
        2 * DEPTH + 1,
    ),
    Planted("topics of another set", run_lines(every(r"^1(\d+)", r"7\1")), {("no-common-topics", "error")}, 1),
    Planted(
        "query and document swapped",
        run_lines(every(r"^(\S+) Q0 (\S+)", r"\2 Q0 \1")),
        {("no-common-topics", "error"), ("ranks", "note")},
        1,
    ),
    Planted("missing topics", run_lines(lambda lines: first_topics(lines, 10)), {("missing-topics", "warning")}),
    Planted(
        "extra topics", qrels_lines(lambda lines: first_topics(lines, 10)), {("extra-topics", "note")}, 10 * DEPTH + 1
    ),
    Planted(
        "a topic without relevant documents",
        qrels_lines(lambda lines: [re.sub(r"\d$", "0", line) if line.startswith("105") else line for line in lines]),
        {("no-relevant", "warning")},
    ),
    Planted("no relevant document at all", qrels_lines(every(r"\d$", "0")), {("no-relevant", "error")}),
    Planted(
        "no grade reaches the level",
        lambda given: (given.qrels, given.run),
        {("no-relevant", "error")},
        None,
        {"level": 3},
    ),
    Planted("a topic with few judgments", thinly_judged, {("few-judged", "warning"), ("unjudged", "note")}),
    # Documents
    Planted(
        "unjudged documents",
        qrels_lines(lambda lines: [line for line in lines if not re.search(r"-(1|2|3|4|5|6|7) \d$", line)]),
        {("unjudged", "warning")},
    ),
    Planted(
        "a few unjudged documents",
        qrels_lines(lambda lines: [line for line in lines if not re.search(r"-(3|9|15) \d$", line)]),
        {("unjudged", "note")},
    ),
    Planted(
        "documents in capitals",
        run_lines(lambda lines: [re.sub("doc-", "DOC-", line) for line in lines]),
        {("doc-ids", "error")},
        1,
    ),
    Planted("documents with .txt", run_lines(renamed_best(".txt")), {("doc-ids", "error")}, 1),
    Planted("documents with a folder", run_lines(every("doc-", "corpus/v2/doc-")), {("doc-ids", "error")}, 1),
    Planted("documents with a prefix", run_lines(every("doc-", "trec_doc-")), {("doc-ids", "error")}, 1),
    Planted(
        "documents URL-encoded",
        lambda given: (_changed(given.qrels, every("doc-", "doc/")), _changed(given.run, every("doc-", "doc%2F"))),
        {("doc-ids", "error")},
        1,
    ),
    Planted(
        "numbers as pandas writes them",
        lambda given: (
            _changed(given.qrels, every(r"doc-(\d+)-(\d+)", r"\g<1>0\2")),
            _changed(given.run, every(r"doc-(\d+)-(\d+)", r"\g<1>0\2.0")),
        ),
        {("doc-ids", "error")},
        1,
    ),
    Planted(
        "documents of another collection",
        run_lines(every("doc-", "clueweb")),
        {("nothing-found", "error"), ("unjudged", "warning")},
    ),
    Planted(
        "quotation marks", run_lines(every(r"(doc-\S+)", r'"\1"')), {("odd-ids", "warning"), ("doc-ids", "error")}, 1
    ),
    Planted(
        "a zero-width space",
        run_lines(every("doc-1-", "doc-1-\u200b")),
        {("odd-ids", "warning"), ("doc-ids", "warning"), ("unjudged", "note")},
        1,
    ),
    Planted(
        "a control character in a topic",
        run_lines(every("^104", "104\x01")),
        {("odd-ids", "warning"), ("topic-ids", "error")},
        3 * DEPTH + 1,
    ),
    Planted(
        "NUL in an id", run_lines(every("doc-2-1 ", "doc-2-1\0 ")), {("odd-ids", "warning"), ("doc-ids", "warning")}
    ),
    Planted(
        "two normal forms",
        lambda given: (
            _changed(given.qrels, every("doc-", "dé-")),
            [*_changed(given.run, every("doc-", "dé-")), "112 Q0 de\u0301-12-1 25 1 mine"],
        ),
        {("odd-ids", "warning")},
    ),
    Planted(
        "a word for nothing",
        run_lines(lambda lines: lines.append("112 Q0 None 25 1 mine")),
        {("odd-ids", "warning")},
        TOPICS * DEPTH + 1,
    ),
    Planted(
        "a very long id",
        run_lines(lambda lines: lines.append(f"112 Q0 {'x' * 300} 25 1 mine")),
        {("odd-ids", "note")},
        TOPICS * DEPTH + 1,
    ),
    # Grades
    Planted("a mistyped grade", qrels_lines(field(9, 3, "22")), {("scale", "warning")}, 9),
    Planted("a mistyped grade among two", lambda _: two_grades(), {("scale", "warning")}, 9),
    Planted("a fraction", qrels_lines(field(9, 3, "1.5")), {("scale", "warning")}, 9),
    Planted(
        "grades below 0",
        qrels_lines(
            lambda lines: [
                re.sub(" 0$", " -1", line) if line.startswith("10") and "-7 " in line else line for line in lines
            ]
        ),
        {("scale", "note")},
    ),
    Planted(
        "a grade outside the scale",
        lambda given: (given.qrels, given.run),
        {("scale", "error")},
        None,
        {"grades": "0..1"},
    ),
    Planted(
        "a grade that is not listed",
        lambda given: (given.qrels, given.run),
        {("scale", "error")},
        None,
        {"grades": "0,2"},
    ),
    Planted("a grade within the scale", lambda given: (given.qrels, given.run), set(), None, {"grades": "0..2"}),
    Planted(
        "ranks for grades",
        lambda given: ([f"{line.split()[0]} {line.split()[2]} {line.split()[3]}" for line in given.run], given.run),
        {("grades-like-ranks", "error"), ("only-relevant", "note"), ("saturation", "note")},
    ),
    Planted(
        "only relevant documents judged",
        qrels_lines(lambda lines: [line for line in lines if not line.endswith(" 0")]),
        {("only-relevant", "note"), ("unjudged", "warning")},
    ),
    # Measures
    Planted("AP with one relevant document", one_relevant, {("one-relevant", "warning")}),
    Planted("RR with one relevant document", one_relevant, set(), None, {"measures": "RR"}),
    Planted(
        "recall far below",
        lambda given: (given.qrels, given.run),
        {("measure-fit", "warning")},
        None,
        {"measures": "R@2"},
    ),
    Planted("precision far above", one_relevant, {("measure-fit", "warning")}, None, {"measures": "P@10"}),
    Planted(
        "ERR without the top of the scale",
        lambda given: (given.qrels, given.run),
        {("measure-fit", "warning")},
        None,
        {"measures": "ERR@10", "grades": "0..4"},
    ),
    Planted(
        "ERR with the top of the scale",
        lambda given: (given.qrels, given.run),
        set(),
        None,
        {"measures": "ERR(max_grade=4)@10", "grades": "0..4"},
    ),
    Planted(
        "exponential gains of binary grades",
        lambda _: files(grades=(0, 0, 1)),
        {("measure-fit", "note")},
        None,
        {"measures": "nDCG(gain='exp')@10"},
    ),
    Planted(
        "exponential gains of grades",
        lambda given: (given.qrels, given.run),
        set(),
        None,
        {"measures": "nDCG(gain='exp')@10"},
    ),
    Planted(
        "lists shorter than the cut-off",
        run_lines(lambda lines: [line for line in lines if int(line.split()[3]) <= (8 if line < "104" else 24)]),
        {("short-lists", "warning")},
    ),
    # Runs
    Planted(
        "two tags",
        run_lines(lambda lines: [re.sub("mine$", "yours", line) if line.startswith("108") else line for line in lines]),
        {("tags", "warning")},
        7 * DEPTH + 1,
    ),
    Planted(
        "a run cut short",
        run_lines(lambda lines: lines[: -DEPTH + 5]),
        {("truncated", "warning")},
        (TOPICS - 1) * DEPTH + 5,
    ),
]


@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted.name)
def test_a_planted_defect_is_found_and_nothing_else(planted: Planted, tmp_path: Path) -> None:
    diagnosis = examined(tmp_path, *planted.plant(files()), **planted.options)
    assert found_in(diagnosis) == planted.found, str(diagnosis)
    assert diagnosis.is_healthy == all(severity != "error" for _, severity in planted.found)
    if planted.line is not None:
        lines = [example.line for finding in diagnosis.findings for example in finding.examples[:1]]
        assert planted.line in lines, str(diagnosis)


def test_examples_name_query_and_document(tmp_path: Path) -> None:
    given = files()
    qrels = [*given.qrels, given.qrels[3]]
    [finding] = examined(tmp_path, qrels, given.run).findings
    assert str(finding.examples[0]) == f"line {len(qrels)}: query '101', document 'doc-1-4': {qrels[3][-1]} again"
    [finding] = examined(tmp_path, given.qrels, given.run, grades="0..1").findings
    row = next(line.split() for line in given.qrels if line.endswith(" 2"))
    assert finding.examples[0].text == f"query {row[0]!r}, document {row[2]!r}: 2"


# Several runs


def second_run(given: Files, *, tag: str = "yours", depth: int = DEPTH) -> list[str]:
    """A run that is worse on every topic: the documents by grade, the worst first."""
    grades = {(line.split()[0], line.split()[2]): int(line.split()[3]) for line in given.qrels}
    rows = []
    for topic in range(101, 101 + TOPICS):
        docs = sorted((pair for pair in grades if pair[0] == str(topic)), key=lambda pair: (grades[pair], pair))
        rows += [f"{topic} Q0 {doc} {rank} {50 - rank} {tag}" for rank, (_, doc) in enumerate(docs[:depth], 1)]
    return rows


SEVERAL = [
    ("runs that differ", lambda given: [given.run, second_run(given)], set()),
    ("the same run twice", lambda given: [given.run, [line.replace("mine", "yours") for line in given.run]],
     {("identical-runs", "warning")}),
    ("the same ranking with other scores",
     lambda given: [given.run, [" ".join([*line.split()[:4], str(-int(line.split()[3])), "x"]) for line in given.run]],
     {("identical-runs", "warning")}),
    ("one tag for two runs", lambda given: [given.run, second_run(given, tag="mine")], {("same-tag", "note")}),
    ("runs of different depth", lambda given: [given.run, second_run(given, depth=4)],
     {("depth", "warning"), ("short-lists", "warning"), ("nothing-found", "error")}),
]  # fmt: skip


@pytest.mark.parametrize(("plant", "found"), [one[1:] for one in SEVERAL], ids=[one[0] for one in SEVERAL])
def test_defects_of_several_runs(plant: Callable[[Files], list[list[str]]], found: Found, tmp_path: Path) -> None:
    given = files()
    diagnosis = examined(tmp_path, given.qrels, *plant(given))
    assert found_in(diagnosis) == found, str(diagnosis)


def test_a_measure_at_its_top_cannot_tell_runs_apart(tmp_path: Path) -> None:
    given = files()
    rows = second_run(given)
    perfect = []
    for start in range(0, len(rows), DEPTH):
        docs = [line.split()[2] for line in reversed(rows[start : start + DEPTH])]
        topic = rows[start].split()[0]
        perfect.append([f"{topic} Q0 {doc} {rank} {100 - rank} a" for rank, doc in enumerate(docs, 1)])
    best = [line for lines in perfect for line in lines]
    last_two_swapped = [
        line
        for lines in perfect
        for line in (*lines[:-2], lines[-1].replace(" 24 76 a", " 23 77 a"), lines[-2].replace(" 23 77 a", " 24 76 a"))
    ]
    other = [line.replace(" a", " b") for line in last_two_swapped]
    diagnosis = examined(tmp_path, given.qrels, best, other)
    assert found_in(diagnosis) == {("saturation", "warning")}, str(diagnosis)
    assert {row["measure"] for row in diagnosis.findings[0].details} >= {"nDCG@10", "AP", "RR"}
    alone = examined(tmp_path, given.qrels, best)
    assert found_in(alone) == {("saturation", "note")}


def test_too_few_topics_for_the_differences_are_told_with_how_many_it_takes(tmp_path: Path) -> None:
    given = files()
    upside_down = [
        re.sub(r" (\d+) (\S+) mine", lambda m: f" {25 - int(m[1])} {int(m[1])} yours", line) for line in given.run
    ]
    worse = [
        line.replace("mine", "yours") if line < "110" else changed
        for line, changed in zip(given.run, upside_down, strict=True)
    ]
    diagnosis = examined(tmp_path, given.qrels, given.run, worse, measures=["nDCG@10"])
    [finding] = [one for one in diagnosis.findings if one.check == "few-topics"]
    assert ("few-topics", "warning") in found_in(diagnosis)
    evaluation = evaluate(tmp_path / "qrels.txt", [tmp_path / "run0.run", tmp_path / "run1.run"], "nDCG@10")
    assert finding.details[0]["difference"] == pytest.approx(
        abs(evaluation.mean(system="run0") - evaluation.mean(system="run1"))
    )
    assert finding.details[0]["topics_needed"] > TOPICS


def test_files_of_topics_and_documents(tmp_path: Path) -> None:
    given = files()
    topics = Topics.of({str(topic): "title" for topic in range(102, 102 + TOPICS)})
    documents = Documents.of({line.split()[2]: "text" for line in given.qrels[1:]})
    diagnosis = examined(tmp_path, *given, topics=topics, documents=documents)
    of_topics = {("topics-file", "warning"), ("topics-file", "note")}
    assert found_in(diagnosis) == of_topics | {("documents-file", "warning"), ("unknown-documents", "warning")}


# Ties and ranks, against the slow twin


@pytest.fixture(scope="module")
def covid() -> tuple[Path, list[Path]]:
    return shared("trec-covid-r1", "qrels.covid-round1.txt"), sorted(shared("trec-covid-r1", "runs").glob("*.gz"))


def test_on_trec_covid_exactly_the_runs_of_the_twin_tie_or_contradict(covid: tuple[Path, list[Path]]) -> None:
    """The runs whose ties change a measure, with worst and best; and those whose ranks contradict their scores."""
    qrels, runs = covid
    diagnosis = doctor(qrels, runs)
    found = {one.system: one for one in diagnosis.findings if one.check == "ties"}
    conflicts = {one.system: one.count for one in diagnosis.findings if one.check == "rank-conflict"}
    grades = twin.read_qrels(qrels)
    ties: dict[str, dict[str, tuple[float, float]]] = {}
    contradicted: dict[str, int] = {}
    for path in runs:
        rows = twin.read_run(path)
        name = path.name.removesuffix(".gz")
        if ranges := twin.ranges(rows, grades):
            ties[name] = ranges
        if count := sum(twin.contradicts_in_one_pass(query) for query in rows.values()):
            contradicted[name] = count
    assert set(found) == set(ties)
    assert conflicts == contradicted
    for name, ranges in ties.items():
        details = {row["measure"]: (row["worst"], row["best"]) for row in found[name].details}
        assert details == {measure: pytest.approx(ends, abs=1e-12) for measure, ends in ranges.items()}


rows = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 4)), min_size=1, max_size=6)


@given(st.lists(rows, min_size=1, max_size=3))
@quickly
def test_a_contradiction_is_a_worse_rank_with_a_higher_score(queries: list[list[tuple[int, int]]]) -> None:
    named = {f"q{n}": [twin.Row(f"d{place}", *row) for place, row in enumerate(q)] for n, q in enumerate(queries)}
    flat = [(query, row.rank, row.score) for query, rows in named.items() for row in rows]
    frame = pl.DataFrame(flat, schema={"query_id": pl.String, "rank": pl.Float64, "score": pl.Float64}, orient="row")
    expected = {query for query, rows in named.items() if twin.contradicts(rows)}
    assert set(contradictions(frame).queries) == expected
    assert set(contradictions(frame.reverse()).queries) == expected
    assert {query for query, rows in named.items() if twin.contradicts_in_one_pass(rows)} == expected


@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from([None, -1, 0, 1, 2, 3])), min_size=1, max_size=7))
@quickly
def test_worst_and_best_are_those_of_all_orders_of_ties(documents: list[tuple[int, int | None]]) -> None:
    run = {"q": {f"d{place}": float(score) for place, (score, _) in enumerate(documents)}}
    grades = {f"d{place}": float(grade) for place, (_, grade) in enumerate(documents) if grade is not None}
    grades["elsewhere"] = 1.0
    rows = [twin.Row(doc, 0, score) for doc, score in run["q"].items()]
    values = [twin.measures(order, grades) for order in twin.every_order(rows)]
    found = {
        str(one.measure): one for one in tie_ranges(Ranks.from_tables(run, {"q": grades}), (nDCG @ 10, AP, RR, P @ 10))
    }
    for name in values[0]:
        low, high = min(value[name] for value in values), max(value[name] for value in values)
        assert (name in found) == (high - low > 1e-12)
        if name in found:
            assert (found[name].worst, found[name].best) == pytest.approx((low, high))


# The tolerant reader


@given(st.binary(max_size=300))
@quickly
def test_the_tolerant_reader_reads_anything(data: bytes) -> None:
    for kind in ("run", "qrels"):
        lines = read_lines(data, kind)
        assert lines is None or lines.frame.height == len(lines.lines)


@given(
    st.lists(
        st.sampled_from(["q1 Q0 d1 1 2.5 t", "q1 Q0 d2 2 1.5 t", "q1", "", "# note", "q1 Q0 d3 3 x t", "\x00"]),
        max_size=12,
    )
)
@quickly
def test_every_line_is_a_row_or_named_as_bad(lines: list[str]) -> None:
    found = read_lines("\n".join(lines).encode(), "run")
    data = [number for number, line in enumerate(lines, 1) if line.strip() and not line.startswith("#")]
    if found is not None:
        bad = [one.line for one in (*found.malformed, *found.numbers)]
        assert sorted([*found.lines.tolist(), *bad]) == data


@given(st.binary(max_size=200), st.binary(max_size=200))
@quickly
def test_the_doctor_survives_any_bytes(tmp_path_factory: pytest.TempPathFactory, qrels: bytes, run: bytes) -> None:
    folder = tmp_path_factory.mktemp("bytes")
    assert isinstance(examined(folder, qrels, run), Diagnosis)


def test_lines_are_counted_with_comments_and_blank_lines(tmp_path: Path) -> None:
    given = files()
    commented = ["# a run", "", *given.run[:3], "", *given.run[3:], given.run[0]]
    [finding] = examined(tmp_path, given.qrels, commented).findings
    assert (finding.check, finding.examples[0].line) == ("duplicates", len(commented))


def test_lines_of_tables_with_a_header_are_counted(tmp_path: Path) -> None:
    given = files()
    rows = [",".join(line.split()[place] for place in (0, 2, 4)) for line in ("query_id _ doc_id _ score", *given.run)]
    run = written(tmp_path / "run.csv", [*rows, rows[1]])
    [finding] = doctor(written(tmp_path / "qrels.txt", given.qrels), run).findings
    assert (finding.check, finding.examples[0].line) == ("duplicates", len(rows) + 1)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_bad_lines_of_tables_with_a_header_are_named_and_the_others_read(tmp_path: Path, separator: str) -> None:
    given = files()
    rows = [line.split() for line in ("query_id _ doc_id _ score", *given.run)]
    lines = [separator.join(row[place] for place in (0, 2, 4)) for row in rows]
    lines[7], lines[9] = (
        separator.join(lines[7].split(separator)[:2]),
        lines[9].rpartition(separator)[0] + f"{separator}x",
    )
    qrels, run = written(tmp_path / "qrels.txt", given.qrels), written(tmp_path / "run.csv", lines)
    found = {finding.check: finding.examples[0].line for finding in doctor(qrels, run).findings}
    assert found == {"malformed": 8, "numbers": 10}


# The command


def test_exit_codes(tmp_path: Path) -> None:
    """0 if all is well or there are warnings, 1 if there is an error, 2 if a file cannot be read at all."""
    given = files()
    qrels, run = written(tmp_path / "qrels.txt", given.qrels), written(tmp_path / "a.run", given.run)
    assert run_cli(app, ["doctor", qrels, run]).exit_code == 0
    assert run_cli(app, ["doctor", qrels, written(tmp_path / "short.run", given.run[:-100])]).exit_code == 0
    assert run_cli(app, ["doctor", qrels, written(tmp_path / "twice.run", [*given.run, given.run[0]])]).exit_code == 1
    for call in ([qrels, str(tmp_path / "nowhere.run")], [str(tmp_path), run], [qrels, run, "--grades", "low"]):
        with pytest.raises(AssayError):
            run_cli(app, ["doctor", *call], catch_exceptions=False)


def test_json_has_everything(tmp_path: Path) -> None:
    given = files()
    qrels, run = written(tmp_path / "qrels.txt", given.qrels), written(tmp_path / "a.run", [*given.run, given.run[0]])
    told = json.loads(run_cli(app, ["doctor", qrels, f"mine={run}", "--json"]).stdout)
    [finding] = told["findings"]
    assert (told["counts"]["error"], told["runs"]) == (1, ["mine"])
    assert (finding["check"], finding["severity"], finding["system"], finding["file"]) == (
        "duplicates",
        "error",
        "mine",
        run,
    )
    assert finding["examples"] == [{"text": finding["examples"][0]["text"], "line": len(given.run) + 1}]
    assert set(told["passed"]) == {check.name for check in checks()} - {"duplicates"}


def test_forms_and_the_list_of_all_checks(tmp_path: Path) -> None:
    given = files()
    qrels, run = written(tmp_path / "qrels.txt", given.qrels), written(tmp_path / "a.run", [*given.run, given.run[0]])
    markdown = run_cli(app, ["doctor", qrels, run, "--markdown"]).stdout
    assert "- [ ] **error** `duplicates`" in markdown
    assert run_cli(app, ["doctor", qrels, run, "--csv"]).stdout.startswith("severity,check,file,system,count,says")
    to = tmp_path / "checklist.txt"
    assert run_cli(app, ["doctor", qrels, run, "--all", "-o", str(to)]).exit_code == 1
    shown = to.read_text(encoding="utf-8")
    assert all(f"✓ {check.name}: " in shown for check in checks() if check.name != "duplicates")
    assert "<table>" in doctor(qrels, run).to_html()


def test_many_runs_are_put_together(tmp_path: Path) -> None:
    """One finding lists all runs that have it, the worst first."""
    given = files()
    runs = {f"run{number}": [*given.run, *given.run[: number + 1]] for number in range(7)}
    paths = {name: written(tmp_path / f"{name}.txt", lines) for name, lines in runs.items()}
    diagnosis = doctor(written(tmp_path / "qrels.txt", given.qrels), paths)
    shown = str(diagnosis)
    assert shown.count("[duplicates]") == 1
    assert "7 of 7 runs [duplicates]" in shown
    assert shown.index("run6: 7 documents") < shown.index("run5: 6 documents")
    assert "also run1, run0" in shown


@pytest.mark.parametrize("scale", ["3", "1..2..3", "a..b", "", "0..inf"])
def test_odd_scales_are_refused_or_taken_as_one_grade(scale: str) -> None:
    if scale == "3":
        assert found_in(doctor({"q": {"a": 3}}, {"q": {"a": 1.0}}, "RR", grades=scale)) == {("only-relevant", "note")}
        return
    with pytest.raises(ParameterError, match=r"0\.\.3"):
        doctor({"q": {"a": 1}}, {"q": {"a": 1.0}}, grades=scale)


def test_the_page_lists_every_check_as_it_is() -> None:
    page = (DOCS / "doctor.md").read_text(encoding="utf-8")
    rows = [
        f"| `{check.name}` | {', '.join(check.severities)} | {check.question} | {check.advice} |" for check in checks()
    ]
    listed = [line for line in page.splitlines() if re.match(r"\| `[a-z-]+` \| (error|warning|note)", line)]
    assert listed == rows
