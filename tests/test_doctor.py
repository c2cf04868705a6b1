"""The doctor finds what is wrong, says where, and is silent about what is not."""

from __future__ import annotations

import gzip
import io
import json
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import doctor_twin as twin
import numpy as np
import polars as pl
import pytest
from cases import in_turn
from command import invoke
from hypothesis import example, given
from hypothesis import strategies as st
from shared_data import shared
from strategies import quickly

from assay import AssayError, Diagnosis, Documents, ParameterError, Ranks, Topics, doctor, evaluate
from assay.cli.output import Options
from assay.core.errors import speaking
from assay.files.line_reader import read_lines
from assay.measures import AP, RR, P, nDCG, registered
from assay.measures.counting.id_normalisation import bridge
from assay.measures.remarks import contradictions
from assay.subjects.ranking.checks.run_scores import tie_ranges
from assay.verbs.diagnosis import CheckFinding, checks

DOCS = Path(__file__).parents[1] / "docs"
TOPICS, DEPTH = 12, 24
Found: TypeAlias = set[tuple[str, str]]
Written: TypeAlias = bytes | str | list[str]


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


@in_turn("seed", range(5))
def test_a_clean_pair_is_passed_over_in_silence(tmp_path: Path, seed: int) -> None:
    diagnosis = examined(tmp_path, *files(seed))
    assert diagnosis.findings == ()
    assert diagnosis.is_healthy
    number = len(checks("ranking"))
    assert str(diagnosis).splitlines() == [f"{tmp_path}/qrels.txt and 1 run: nothing found ({number} checks)"]


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
    assert {name for name, _ in found_in(doctor(*tables))} == set()


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
    Planted("an empty run", run_lines(lambda _: b""), {("empty", "warning")}),
    Planted("a run of blank lines and comments", run_lines(lambda _: "\n\n# nothing\n"), {("empty", "warning")}),
    Planted("empty judgments", qrels_lines(lambda _: b""), {("empty", "error")}),
    Planted(
        "a gzip file cut short",
        run_lines(lambda lines: gzip.compress(text(lines).encode())[:-900]),
        {("compression", "error")},
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
        {("compression", "error")},
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
        {("no-common-topics", "error")},
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
        {("odd-ids", "warning"), ("doc-ids", "warning")},
    ),
    Planted(
        "stands for a missing value",
        run_lines(lambda lines: lines.append("112 Q0 None 25 1 mine")),
        {("odd-ids", "warning")},
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
        {("grades-like-ranks", "error"), ("only-relevant", "note")},
    ),
    Planted(
        "only relevant documents judged",
        qrels_lines(lambda lines: [line for line in lines if not line.endswith(" 0")]),
        {("only-relevant", "note"), ("unjudged", "warning")},
    ),
    # Measures
    Planted("AP with one relevant document", one_relevant, {("measure-fit", "warning")}, None, {"measures": "AP"}),
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
        "lists shorter than the cut-off",
        run_lines(lambda lines: [line for line in lines if int(line.split()[3]) <= (8 if line < "104" else 24)]),
        {("short-lists", "note")},
    ),
    Planted(
        "lists shorter than a cut-off that was asked for",
        run_lines(lambda lines: [line for line in lines if int(line.split()[3]) <= (8 if line < "104" else 24)]),
        {("short-lists", "warning")},
        None,
        {"measures": "P@10"},
    ),
    # Runs
    Planted(
        "two tags",
        run_lines(lambda lines: [re.sub("mine$", "yours", line) if line.startswith("108") else line for line in lines]),
        {("tags", "warning")},
        1,
    ),
    Planted(
        "a run cut short",
        run_lines(lambda lines: lines[: -DEPTH + 5]),
        {("truncated", "warning")},
        (TOPICS - 1) * DEPTH + 5,
    ),
]


def numbered(given: Files) -> Files:
    """Documents that are plain numbers, the same in all topics."""
    return Files(*(every(r"doc-\d+-(\d+)", r"\1")(lines) for lines in given))


def delimited(lines: list[str], separator: str, columns: tuple[int, ...], header: str | None = None) -> list[str]:
    rows = [separator.join(line.split()[column] for column in columns) for line in lines]
    return rows if header is None else [header, *rows]


def tarred(content: bytes) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        member = tarfile.TarInfo("a.run")
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def zipped(content: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.run", content)
    return packed.getvalue()


def both(*changes: Callable[[list[str]], Any]) -> Callable[[list[str]], list[str]]:
    """One change after the other."""

    def change(lines: list[str]) -> list[str]:
        for one in changes:
            lines = _changed(lines, one)
        return lines

    return change


def gzip_with_wrong_sum(lines: list[str]) -> bytes:
    data = gzip.compress(text(lines).encode())
    return data[:-8] + bytes(byte ^ 255 for byte in data[-8:-4]) + data[-4:]


MENDED = [
    # Ids
    Planted(
        "a topic with a digit more",
        run_lines(every("^103 ", "1031 ")),
        {("missing-topics", "warning"), ("extra-topics", "note")},
    ),
    Planted(
        "a topic with another letter in front",
        lambda given: (
            _changed(given.qrels, every("^", "B-")),
            _changed(given.run, both(every("^", "B-"), every("^B-103", "C-103"))),
        ),
        {("missing-topics", "warning"), ("extra-topics", "note")},
    ),
    Planted(
        "topics of another set, with a digit in front",
        run_lines(every("^", "4")),
        {("no-common-topics", "error")},
    ),
    Planted(
        "a line with a zero before its topic",
        run_lines(field(5, 0, "0101")),
        {("topic-ids", "error")},
        5,
    ),
    Planted(
        "documents with a digit in front",
        lambda given: (numbered(given).qrels, _changed(numbered(given).run, every(r"Q0 (\d+)", r"Q0 5\1"))),
        {("nothing-found", "error"), ("unjudged", "warning")},
    ),
    Planted(
        "documents of another collection and one in capitals",
        run_lines(both(every("doc-(?!1-1 )", "clueweb"), every("doc-1-1 ", "DOC-1-1 "))),
        {("doc-ids", "error"), ("nothing-found", "error"), ("unjudged", "warning")},
    ),
    Planted(
        "a judged document with a zero in front, judged elsewhere without",
        lambda given: (_changed(numbered(given).qrels, field(3, 2, "03")), numbered(given).run),
        {("doc-ids", "warning")},
    ),
    Planted(
        "a document that a query has twice, once in capitals",
        run_lines(lambda lines: lines.append("112 Q0 DOC-12-3 25 1 mine")),
        {("doc-ids", "warning")},
        TOPICS * DEPTH + 1,
    ),
    Planted(
        "some documents with a word in front",
        lambda given: (numbered(given).qrels, _changed(numbered(given).run, every("^103 Q0 ", "103 Q0 cran-"))),
        {("doc-ids", "warning"), ("unjudged", "note")},
        2 * DEPTH + 1,
    ),
    Planted(
        "passages of documents",
        run_lines(lambda lines: [re.sub(r"(doc-\S+)", rf"\1_p{place % 4}", line) for place, line in enumerate(lines)]),
        {("doc-ids", "error")},
        1,
    ),
    Planted(
        "a separator of lines in an id",
        run_lines(every("doc-2-1 ", "doc-2-1\u2028 ")),
        {("odd-ids", "warning"), ("doc-ids", "warning")},
    ),
    Planted("a lost character in an id", run_lines(every("doc-2-1 ", "doc-2-1\ufffd ")), {("odd-ids", "warning")}),
    # Ranks
    Planted(
        "a rank that is a word, and a conflict elsewhere",
        run_lines(both(field(9, 3, "nine"), swap_scores)),
        {("ranks", "warning"), ("rank-conflict", "warning")},
        DEPTH + 5,
    ),
    Planted("a rank that is NaN", run_lines(field(9, 3, "nan")), {("ranks", "warning")}, 9),
    Planted("an infinite rank", run_lines(field(9, 3, "inf")), {("ranks", "warning")}, 9),
    Planted("a rank with a fraction", run_lines(field(9, 3, "9.5")), {("ranks", "warning")}, 9),
    Planted(
        "rank and score swapped",
        run_lines(every(r" (\d+) (\S+) mine$", r" \2 \1 mine")),
        {("ranks", "error")},
    ),
    Planted(
        "a run upside down",
        lambda given: (given.qrels, by_grade(given, best_first=False)),
        {("upside-down", "warning")},
    ),
    Planted(
        "one query alone, upside down",
        lambda given: (given.qrels[:DEPTH], distances(given.run[:DEPTH])),
        {("rank-conflict", "error")},
        2,
    ),
    Planted(
        "a document twice, with a conflict of its own",
        run_lines(lambda lines: lines.insert(9, " ".join([*lines[3].split()[:4], "1", "mine"]))),
        {("duplicates", "error")},
        10,
    ),
    # Lines and columns
    Planted("commas and no header", run_lines(lambda lines: delimited(lines, ",", (0, 2, 4))), {("format", "error")}),
    Planted("tabs and no header", run_lines(lambda lines: delimited(lines, "\t", (0, 2, 4))), {("format", "error")}),
    Planted(
        "a header of unknown names",
        run_lines(lambda lines: delimited(lines, ",", (0, 2, 4, 3), "a,b,c,d")),
        {("format", "error")},
    ),
    Planted(
        "a run with a header in the place of judgments",
        lambda given: (delimited(given.run, ",", (0, 2, 4), "query_id,doc_id,score"), given.run),
        {("swapped", "error")},
    ),
    Planted(
        "judgments with a header in the place of a run",
        lambda given: (given.qrels, delimited(given.qrels, ",", (0, 2, 3), "query_id,doc_id,relevance")),
        {("swapped", "error")},
    ),
    Planted("a seventh column", run_lines(every("^(101 .* 9 .*)$", r"\1 more")), {("malformed", "error")}, 9),
    Planted("a blank in an id", run_lines(every("doc-2-1 ", "doc-2- 1 ")), {("malformed", "error")}),
    Planted("a seventh column in all lines", run_lines(every("$", " more")), set()),
    Planted(
        "a line without a rank", run_lines(replace_line(30, "102 Q0 doc-2-9 4.5 mine")), {("malformed", "error")}, 30
    ),
    Planted("tabs in a blank line", run_lines(lambda lines: lines.insert(9, " \t ")), set()),
    Planted("a score in digits that are not ASCII", run_lines(field(31, 4, "７９.5")), {("numbers", "error")}, 31),
    # Files
    Planted("a gzip file with a wrong sum", run_lines(gzip_with_wrong_sum), {("compression", "error")}),
    Planted(
        "gzip in gzip",
        run_lines(lambda lines: gzip.compress(gzip.compress(text(lines).encode()))),
        {("compression", "error")},
    ),
    Planted("a zip archive", run_lines(lambda lines: zipped(text(lines).encode())), {("compression", "error")}),
    Planted("a tar archive", run_lines(lambda lines: tarred(text(lines).encode())), {("compression", "error")}),
    Planted(
        "empty judgments and a document twice",
        lambda given: (b"", [*given.run, given.run[3]]),
        {("empty", "error"), ("duplicates", "error")},
        TOPICS * DEPTH + 1,
    ),
    # Runs
    Planted(
        "a run made from the judgments",
        lambda given: (given.qrels, perfect_run(given)),
        {("perfect", "warning")},
    ),
]


@in_turn("planted", [*PLANTED, *MENDED], ids=lambda planted: planted.name)
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


def by_grade(given: Files, *, best_first: bool, tag: str = "made") -> list[str]:
    """The judged documents by grade."""
    rows = []
    for topic in range(101, 101 + TOPICS):
        judged = [line.split() for line in given.qrels if line.startswith(f"{topic} ")]
        judged.sort(key=lambda row: (int(row[3]), row[2]), reverse=best_first)
        rows += [f"{topic} Q0 {row[2]} {rank} {100 - rank} {tag}" for rank, row in enumerate(judged, 1)]
    return rows


def perfect_run(given: Files) -> list[str]:
    """What the judgments themselves would rank."""
    return by_grade(given, best_first=True)


def second_run(given: Files, *, tag: str = "yours", depth: int = DEPTH) -> list[str]:
    """A run that is worse on every topic: relevant documents stand in the middle."""
    grades = {(line.split()[0], line.split()[2]): int(line.split()[3]) for line in given.qrels}
    rows = []
    for topic in range(101, 101 + TOPICS):
        docs = sorted((pair for pair in grades if pair[0] == str(topic)), key=lambda pair: (grades[pair], pair))
        irrelevant = [doc for pair in docs if not grades[pair] for doc in [pair[1]]]
        relevant = [doc for pair in docs if grades[pair] for doc in [pair[1]]]
        half = len(irrelevant) // 2
        docs_in_order = [*irrelevant[:half], *relevant, *irrelevant[half:]]
        rows += [f"{topic} Q0 {doc} {rank} {50 - rank} {tag}" for rank, doc in enumerate(docs_in_order[:depth], 1)]
    return rows


SEVERAL = [
    ("runs that differ", lambda given: [given.run, second_run(given)], set()),
    ("the same run twice", lambda given: [given.run, [line.replace("mine", "yours") for line in given.run]],
     {("identical-runs", "warning")}),
    ("the same ranking with other scores",
     lambda given: [given.run, [" ".join([*line.split()[:4], str(-int(line.split()[3])), "x"]) for line in given.run]],
     {("identical-runs", "warning")}),
    ("runs of different depth", lambda given: [given.run, second_run(given, depth=4)],
     {("depth", "warning"), ("short-lists", "note"), ("nothing-found", "error")}),
    ("a run made from the judgments beside another", lambda given: [second_run(given), perfect_run(given)],
     {("perfect", "warning")}),
]  # fmt: skip


@in_turn(("plant", "found"), [one[1:] for one in SEVERAL], ids=[one[0] for one in SEVERAL])
def test_defects_of_several_runs(plant: Callable[[Files], list[list[str]]], found: Found, tmp_path: Path) -> None:
    given = files()
    diagnosis = examined(tmp_path, given.qrels, *plant(given))
    assert found_in(diagnosis) == found, str(diagnosis)


def test_files_of_topics_and_documents(tmp_path: Path) -> None:
    given = files()
    topics = Topics.of({str(topic): "title" for topic in range(102, 102 + TOPICS)})
    documents = Documents.of({line.split()[2]: "text" for line in given.qrels[1:]})
    diagnosis = examined(tmp_path, *given, topics=topics, documents=documents)
    assert found_in(diagnosis) == {("other-files", "warning"), ("unknown-documents", "warning")}


# Ties and ranks, against the slow twin


@pytest.fixture(scope="module")
def covid() -> tuple[Path, list[Path]]:
    return shared("trec-covid-r1", "qrels.covid-round1.txt"), sorted(shared("trec-covid-r1", "runs").glob("*.gz"))


def test_on_trec_covid_exactly_the_runs_of_the_twin_tie_or_contradict(covid: tuple[Path, list[Path]]) -> None:
    """The runs whose ties change a measure, with worst and best; and those whose ranks contradict their scores."""
    qrels, runs = covid[0], covid[1][3::6]  # among them runs of either kind
    diagnosis = doctor(qrels, runs)
    found = {one.system: one for one in diagnosis.findings if one.check == "ties"}
    conflicts = {one.system: one.count for one in diagnosis.findings if one.check == "rank-conflict"}
    grades = twin.read_qrels(qrels)
    ties: dict[str, dict[str, tuple[float, float]]] = {}
    contradicted: dict[str, int] = {}
    for path in runs:
        rows = twin.read_run(path)
        name = path.name.removesuffix(".gz")
        ranges = twin.ranges(rows, grades)
        if any(best - worst >= 0.0001 for worst, best in ranges.values()):
            ties[name] = ranges
        if count := sum(twin.contradicts_in_one_pass(query) for query in rows.values()):
            contradicted[name] = count
    assert set(found) == set(ties) != set()
    assert conflicts == contradicted != {}
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


def test_ties_are_told_by_the_number_that_evaluate_gives() -> None:
    """A sum and a geometric mean over topics are no means."""
    judged = {f"q{n}": {"a": 1, "b": 0, "c": n % 2} for n in range(6)}
    run = {query: {"a": 1.0, "b": 1.0, "c": 2.0 - n % 3} for n, query in enumerate(judged)}
    measures = ["GMAP", "NumRelRet@2", "AP"]
    [ties] = [finding for finding in doctor(judged, run, measures).findings if finding.check == "ties"]
    result = evaluate(judged, run, measures)
    assert {row["measure"]: row["value"] for row in ties.details} == {
        measure: pytest.approx(result.mean(measure)) for measure in measures
    }


def test_every_measure_can_be_asked_for() -> None:
    """Also those that have a cut-off and were given none."""
    judged = {f"q{n}": {"a": 1, "b": 0, "c": n % 2} for n in range(6)}
    run = {query: {"a": 1.0, "b": 1.0, "c": 2.0} for query in judged}
    assert doctor(judged, run, list(registered().values())).findings


# What the findings say


def the(diagnosis: Diagnosis, check: str) -> CheckFinding:
    """The only finding of a check."""
    [finding] = [one for one in diagnosis.findings if one.check == check]
    return finding


def test_ties_that_hardly_matter_are_not_told() -> None:
    qrels = {str(topic): {f"d{place}": int(place in {1, 900}) for place in range(1, 1001)} for topic in range(50)}
    run = {topic: {doc: -float(doc[1:]) for doc in docs} for topic, docs in qrels.items()}
    run["7"]["d901"] = run["7"]["d900"]
    assert "ties" not in {one.check for one in doctor(qrels, run).findings}


def test_many_tags_are_all_counted(tmp_path: Path) -> None:
    given = files()
    finding = the(examined(tmp_path, given.qrels, every(r"^(\d+)(.*)mine", r"\1\2run\1")(given.run)), "tags")
    assert finding.says.startswith("12 tags in one file: run101, run102, ")
    assert finding.says.endswith("… (12 in all)")
    assert [example.line for example in finding.examples] == [1, DEPTH + 1, 2 * DEPTH + 1]


def test_an_infinite_score_is_shown_as_it_was_written(tmp_path: Path) -> None:
    given = files()
    finding = the(examined(tmp_path, given.qrels, _changed(given.run, field(1, 4, "1e400"))), "numbers")
    assert "1e400" in finding.examples[0].text


def test_ids_that_look_alike_are_spelt_out(tmp_path: Path) -> None:
    given = files()
    qrels, run = every("doc-", "d\u00e9-")(given.qrels), every("doc-", "de\u0301-")(given.run)
    finding = the(examined(tmp_path, qrels, run), "doc-ids")
    assert finding.examples[0].text.isascii()
    assert "'de\\u0301-1-" in finding.examples[0].text


@in_turn(("column", "place"), [(0, "query id"), (1, "document id")])
def test_an_empty_id_is_an_error(tmp_path: Path, column: int, place: str) -> None:
    given = files()
    rows = [line.split(",") for line in delimited(given.run, ",", (0, 2, 4), "query_id,doc_id,score")]
    rows[7][column] = ""
    qrels, run = written(tmp_path / "q.txt", given.qrels), written(tmp_path / "a.csv", [",".join(row) for row in rows])
    finding = the(doctor(qrels, run), "odd-ids")
    assert (finding.severity, finding.says, finding.examples[0].line) == ("error", f"1 {place} that is empty", 8)


def test_a_bad_line_of_json_is_named_and_the_others_read(tmp_path: Path) -> None:
    given = files()
    rows = [dict(zip(("query_id", "doc_id", "score"), line.split(), strict=True)) for line in
            delimited(given.run, " ", (0, 2, 4))]  # fmt: skip
    lines = [json.dumps(row | {"score": float(row["score"])}) for row in rows]
    lines[4], lines[6] = lines[4][:30], json.dumps(rows[6] | {"score": None})
    qrels, run = written(tmp_path / "q.txt", given.qrels), written(tmp_path / "a.jsonl", lines)
    found = {finding.check: finding.examples[0].line for finding in doctor(qrels, run).findings}
    assert found == {"malformed": 5, "numbers": 7}


def test_a_compressed_file_of_no_bytes_is_only_empty(tmp_path: Path) -> None:
    qrels, run = written(tmp_path / "q.txt", files().qrels), written(tmp_path / "a.run.gz", b"")
    assert found_in(doctor(qrels, run)) == {("empty", "warning")}


def test_damage_is_told_with_its_brackets(tmp_path: Path) -> None:
    given = files()
    run = gzip.compress(text(given.run).encode()) + b"garbage"
    errors = [one for one in examined(tmp_path, given.qrels, run).findings if one.severity == "error"]
    assert [one.says for one in errors] == ["the compressed file is damaged: Not a gzipped file (b'ga')"]


def test_checks_that_could_not_be_made_have_not_passed(tmp_path: Path) -> None:
    diagnosis = examined(tmp_path, b"", files().run)
    not_made = {check.name for check in diagnosis.not_made}
    assert {"ties", "unjudged", "topic-ids", "scale"} <= not_made
    assert not_made.isdisjoint({check.name for check in diagnosis.passed})
    assert {"duplicates", "ranks", "rank-conflict", "truncated"} <= {check.name for check in diagnosis.passed}
    assert f"; {len(not_made)} not made)" in str(diagnosis)
    told = json.loads(diagnosis.to_json())["sections"]["verdict"]
    assert set(told["not_made"]) == not_made


def test_fewer_than_five_topics_tell_no_runs_apart(tmp_path: Path) -> None:
    given = files()
    for topics in (1, 4):
        runs = (given.run[: topics * DEPTH], second_run(given)[: topics * DEPTH])
        finding = the(examined(tmp_path, given.qrels[: topics * DEPTH], *runs), "few-topics")
        assert finding.says.startswith(f"with {topics} topic")
    assert "few-topics" not in {
        one.check for one in examined(tmp_path, given.qrels[:DEPTH], given.run[:DEPTH]).findings
    }


def test_one_of_everything_is_told_in_the_singular() -> None:
    assert the(doctor({"q": {"a": 1}}, {"q": {"a": 1.0}}), "only-relevant").says == (
        "the only judgment is of a relevant document"
    )
    assert "is not in the run" in the(doctor({"q": {"a": 1}}, {"q": {"b": 1.0}}), "nothing-found").says
    qrels = {f"q{number}": {"a": 1, "b": 0} for number in range(9)}
    run = {query: {"b": 2.0, "a": 1.0} for query in qrels}
    assert the(doctor(qrels, run, "P@10"), "measure-fit").says.endswith("has 1 relevant document")


def test_grades_without_0_lead_to_the_level() -> None:
    qrels = {f"q{number}": {"a": 1, "b": 2, "c": 4} for number in range(5)}
    run = {query: {"a": 3.0, "b": 2.0, "c": 1.0} for query in qrels}
    assert "`level=...`" in the(doctor(qrels, run), "only-relevant").says


def graded(counts: dict[int, int]) -> dict[str, dict[str, int]]:
    """Judgments with so many of each grade."""
    grades = [grade for grade, count in counts.items() for _ in range(count)]
    return {"q": {f"d{place}": grade for place, grade in enumerate(grades)}}


@in_turn(
    ("counts", "says"),
    [
        ({0: 900, 1: 300, 2: 100, 4: 70, 22: 3}, "3 judgments with the grade 22, far from the next grade, 4"),
        ({0: 900, 1: 300, 2: 100, 22: 2, 33: 1}, "3 judgments with the grade 22, 33, far from the next grade, 2"),
        ({0: 900, 1: 300, -99: 1}, "1 judgment with the grade -99, far from the next grade, 0"),
        ({0: 20, 1: 9, 11: 1}, None),
        ({0: 20, 1: 9, 111: 1}, "1 judgment with the grade 111, far from the next grade, 1"),
        ({0: 4, 25: 1, 100: 1}, None),
        ({0: 80, 1: 20, 3: 8, 7: 1}, None),
        ({0: 200, 25: 80, 50: 20, 75: 3, 100: 1}, None),
        ({0: 200, 1: 80, 2: 20, 3: 1}, None),
    ],
)
def test_lonely_grades(counts: dict[int, int], says: str | None) -> None:
    """By share if the gap is huge; never where too little is known of the scale."""
    qrels = graded(counts)
    run = {"q": {doc: -float(doc[1:]) for doc in qrels["q"]}}
    warnings = [one.says for one in doctor(qrels, run).findings if (one.check, one.severity) == ("scale", "warning")]
    assert warnings == ([] if says is None else [says])


@in_turn(
    ("ours", "theirs", "differ_in"),
    [
        (["401", "402", "410"], ["1", "2", "10"], None),
        (["51", "52"], ["5", "6"], None),
        (["107"], ["7"], None),
        (["0", "1", "2"], ["40", "41", "42"], None),
        (["q1"], ["1"], None),
        (["q1", "q2"], ["1", "2"], "what stands before the number"),
        (["q1", "q2", "x", "y", "z"], ["1", "2", "3", "4", "5"], None),
        (["1_a", "2_a"], ["1", "2"], "the end '_a'"),
        (["a.txt", "b.txt"], ["a", "b"], "a file ending"),
        (["a.txt"], ["a.html"], None),
        (["01", "2"], ["1", "3"], "leading zeros"),
    ],
)
def test_ways_of_writing(ours: list[str], theirs: list[str], differ_in: str | None) -> None:
    """Loose ways explain half of the smaller set and two ids at least, and never cut a number in two."""
    found = bridge(pl.Series(ours), pl.Series(theirs), loosely=True)
    assert (None if found is None else found.differ_in) == differ_in


def test_ids_that_case_tells_apart_are_different_ids() -> None:
    """Where many ids differ in case alone, case is a part of the id."""
    docs = [f"{letter}{number}" for number in range(20) for letter in "dD"]
    qrels = {"q": {doc: int(doc[0] == "d") for doc in docs[:30]}}
    run = {"q": {doc: -float(place) for place, doc in enumerate(docs)}}
    assert "doc-ids" not in {one.check for one in doctor(qrels, run).findings}


def test_one_run_is_looked_at_without_scipy() -> None:
    call = "assay.doctor({'q': {'a': 1, 'b': 0}}, {'q': {'a': 1.0}})"
    code = f"import sys, assay; {call}; print('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


# The tolerant reader


@given(st.binary(max_size=300))
@example(b"PAR1")
@example(b"\xef\xbb\xbfARROW1\nq1 Q0 d1 1 2.5 t")
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


def test_a_repeated_name_of_a_column_is_what_is_wrong_with_a_table(tmp_path: Path) -> None:
    run = ["query_id,doc_id,score,score", "q1,a,1,2", "q1,b,2,1"]
    findings = {one.check: one.says for one in examined(tmp_path, ["q1 0 a 1", "q1 0 b 0"], run).findings}
    assert "line 1: expected a name of its own for each column, got 'score'" in findings["format"]
    assert "swapped" not in findings


def test_lines_of_named_tables_are_quoted_as_they_stand_in_the_file(tmp_path: Path) -> None:
    """Also a line behind a comment, and fields of columns that nobody needs."""
    run = ["# mine", "query_id,doc_id,score,rank,tag", "q1,a,3,1,t", "q1,b,high,2,t", "q1,c,1"]
    findings = {one.check: one for one in examined(tmp_path, ["q1 0 a 1", "q1 0 b 0"], run).findings}
    [number], [malformed] = findings["numbers"].examples, findings["malformed"].examples
    assert (number.line, number.text) == (4, "'q1,b,high,2,t' ('high' is no number)")
    assert (malformed.line, malformed.text) == (5, "'q1,c,1' (expected 5 fields)")


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


@in_turn("separator", [",", ";", "\t"])
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
    assert invoke(["doctor", qrels, run]).exit_code == 0
    assert invoke(["doctor", qrels, written(tmp_path / "short.run", given.run[:-100])]).exit_code == 0
    assert invoke(["doctor", qrels, written(tmp_path / "twice.run", [*given.run, given.run[0]])]).exit_code == 1
    for call in ([qrels, str(tmp_path / "nowhere.run")], [str(tmp_path), run], [qrels, run, "--grades", "low"]):
        with pytest.raises(AssayError):
            invoke(["doctor", *call], catch_exceptions=False)


def test_json_has_everything(tmp_path: Path) -> None:
    given = files()
    qrels, run = written(tmp_path / "qrels.txt", given.qrels), written(tmp_path / "a.run", [*given.run, given.run[0]])
    sections = json.loads(invoke(["doctor", qrels, f"mine={run}", "--json"]).stdout)["sections"]
    told = sections["verdict"]
    [finding] = sections["findings"]["findings"]
    assert (told["counts"]["error"], told["runs"]) == (1, ["mine"])
    assert (finding["check"], finding["severity"], finding["system"], finding["file"]) == (
        "duplicates",
        "error",
        "mine",
        run,
    )
    assert finding["examples"] == [{"text": finding["examples"][0]["text"], "line": len(given.run) + 1}]
    assert set(told["passed"]) == {check.name for check in checks("ranking")} - {"duplicates"}


def test_forms_and_the_list_of_all_checks(tmp_path: Path) -> None:
    given = files()
    qrels, run = written(tmp_path / "qrels.txt", given.qrels), written(tmp_path / "a.run", [*given.run, given.run[0]])
    markdown = invoke(["doctor", qrels, run, "--markdown"]).stdout
    assert "- [ ] **error** `duplicates`" in markdown
    assert invoke(["doctor", qrels, run, "--csv"]).stdout.startswith("severity,check,file,system,count,says")
    to = tmp_path / "checklist.txt"
    assert invoke(["doctor", qrels, run, "--all", "-o", str(to)]).exit_code == 1
    shown = to.read_text(encoding="utf-8")
    assert all(f"✓ {check.name}: " in shown for check in checks("ranking") if check.name != "duplicates")
    assert "<code>duplicates</code>" in doctor(qrels, run).to_html()


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


@in_turn("scale", ["3", "1..2..3", "a..b", "", "0..inf"])
def test_odd_scales_are_refused_or_taken_as_one_grade(scale: str) -> None:
    if scale == "3":
        assert found_in(doctor({"q": {"a": 3}}, {"q": {"a": 1.0}}, "RR", grades=scale)) == {("only-relevant", "note")}
        return
    with pytest.raises(ParameterError, match=r"0\.\.3"):
        doctor({"q": {"a": 1}}, {"q": {"a": 1.0}}, grades=scale)


def test_the_page_lists_every_check_as_it_is() -> None:
    page = (DOCS / "doctor.md").read_text(encoding="utf-8")
    with speaking(Options()):
        known = [
            check for name in ("ranking", "clusters", "spans", "scores", "judges", "clicks") for check in checks(name)
        ]
    rows = [f"| `{one.name}` | {', '.join(one.severities)} | {one.question} | {one.advice} |" for one in known]
    listed = [line for line in page.splitlines() if re.match(r"\| `[a-z-]+` \| (error|warning|note)", line)]
    assert listed == rows
