"""Reading runs and judgments: every way of writing the same table gives the same table, and errors say where."""

from __future__ import annotations

import gc
import gzip
import io
import math
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, TypeAlias, cast

import polars as pl
import pytest
import zstandard
from cases import in_turn
from hypothesis import given
from hypothesis import strategies as st
from strategies import quickly

from assay import FormatError, InputError, ParameterError, Qrels, Ranks, Run, evaluate, read_qrels, read_run, scan_run
from assay.files import RunFile, Source, columns, detect, formats
from assay.files.sources import is_file

Rows: TypeAlias = Sequence[tuple[str, ...]]
Writing: TypeAlias = Callable[[Rows], str]

RUN: Rows = [
    ("q1", "Q0", "d1", "1", "2.5", "mine"),
    ("q1", "Q0", "d2", "2", "-1", "mine"),
    ("q2", "Q0", "d1", "1", "1e-3", "mine"),
]
RUN_TABLE = [("q1", "d1", 2.5), ("q1", "d2", -1.0), ("q2", "d1", 0.001)]
QRELS: Rows = [("q1", "0", "d1", "2"), ("q1", "0", "d9", "-1"), ("q2", "0", "d1", "0.5")]
SHORT_QRELS: Rows = [(query, document, grade) for query, _, document, grade in QRELS]
QRELS_TABLE = [("q1", "d1", 2.0), ("q1", "d9", -1.0), ("q2", "d1", 0.5)]

BOM = "\ufeff"


def lines(rows: Rows, separator: str = " ", end: str = "\n", before: str = "", after: str = "") -> str:
    return "".join(before + separator.join(row) + after + end for row in rows)


# Each of these is a way to write the same table.
WRITINGS: dict[str, Writing] = {
    "single spaces": lines,
    "tabs": lambda rows: lines(rows, "\t"),
    "several spaces": lambda rows: lines(rows, "   "),
    "tabs among spaces": lambda rows: lines(rows, " \t "),
    "tabs first, then spaces": lambda rows: lines(rows[:1], "\t") + lines(rows[1:]),
    "spaces first, then tabs": lambda rows: lines(rows[:1]) + lines(rows[1:], "\t"),
    "vertical tabs and form feeds": lambda rows: lines(rows, "\v\f"),
    "leading blanks": lambda rows: lines(rows, before=" \t"),
    "a leading blank on one line": lambda rows: lines(rows[:1]) + " " + lines(rows[1:]),
    "trailing blanks": lambda rows: lines(rows, after=" \t "),
    "a trailing space": lambda rows: lines(rows, after=" "),
    "CRLF": lambda rows: lines(rows, end="\r\n"),
    "CRLF on one line": lambda rows: lines(rows[:1], end="\r\n") + lines(rows[1:]),
    "CRLF after a blank": lambda rows: lines(rows, after=" ", end="\r\n"),
    "no final newline": lambda rows: lines(rows).removesuffix("\n"),
    "no final newline after tabs": lambda rows: lines(rows, "\t").removesuffix("\n"),
    "no final newline but a blank": lambda rows: lines(rows).removesuffix("\n") + " ",
    "byte-order mark": lambda rows: BOM + lines(rows),
    "byte-order mark, tabs and CRLF": lambda rows: BOM + lines(rows, "\t", "\r\n"),
    "byte-order mark and a comment": lambda rows: BOM + "# made by hand\n" + lines(rows),
    "comment first": lambda rows: "# query iteration document and so on\n" + lines(rows),
    "two comments first": lambda rows: "#one\n#two\n" + lines(rows),
    "comment in the middle": lambda rows: lines(rows[:1]) + "# half\n" + lines(rows[1:]),
    "comment with as many columns": lambda rows: lines(rows[:1]) + lines([("#q9", *rows[0][1:])]) + lines(rows[1:]),
    "comment last": lambda rows: lines(rows) + "# the end\n",
    "comment last without newline": lambda rows: lines(rows) + "#",
    "indented comment": lambda rows: lines(rows[:1]) + "\t # half\n" + lines(rows[1:]),
    "comment that is not UTF-8": lambda rows: lines(rows[:1]) + "# caf\udce9\n" + lines(rows[1:]),
    "blank lines first": lambda rows: "\n\n" + lines(rows),
    "blank line in the middle": lambda rows: lines(rows[:1]) + "\n" + lines(rows[1:]),
    "blank lines last": lambda rows: lines(rows) + "\n\n",
    "lines of blanks": lambda rows: " \n" + lines(rows[:1]) + "\t \r\n" + lines(rows[1:]) + "  ",
}
EXTRA_COLUMNS: dict[str, Writing] = {
    "an extra column": lambda rows: lines(rows, after=" more"),
    "extra columns on one line": lambda rows: lines(rows[:1], after=" and more") + lines(rows[1:]),
    "a tag with a space and blanks": lambda rows: lines(rows, "  ", after=" more "),
}
REGULAR = ("single spaces", "tabs", "no final newline", "byte-order mark")
IRREGULAR = "several spaces"

each_writing = in_turn("writing", WRITINGS.values(), ids=WRITINGS)
either_way = in_turn("separator", [" ", "\t", "  "], ids=["regular", "regular tabs", "irregular"])
each_chunk_size = in_turn("size", [1, 8 << 20], ids=["a chunk a line", "one chunk"])


@contextmanager
def chunks_of(size: int) -> Iterator[None]:
    """Read files in chunks of about this many bytes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Source.chunks, "__defaults__", (size,))
        yield


def file(text: str) -> IO[bytes]:
    return io.BytesIO(text.encode(errors="surrogateescape"))


def rows_of(run: Run) -> list[tuple[Any, ...]]:
    """What every run has; ranks may come along."""
    return run.frame.select("query_id", "doc_id", "score").rows()


def run_of(text: str) -> list[tuple[Any, ...]]:
    return rows_of(read_run(file(text)))


def qrels_of(text: str) -> list[tuple[Any, ...]]:
    return read_qrels(file(text)).frame.rows()


# Ways of writing.


@each_chunk_size
@each_writing
def test_a_run_reads_the_same_however_it_is_written(writing: Writing, size: int) -> None:
    with chunks_of(size):
        assert run_of(writing(RUN)) == RUN_TABLE


@in_turn("writing", EXTRA_COLUMNS.values(), ids=EXTRA_COLUMNS)
def test_further_columns_of_a_run_are_ignored(writing: Writing) -> None:
    assert run_of(writing(RUN)) == RUN_TABLE


@each_chunk_size
@each_writing
def test_qrels_of_four_columns_read_the_same_however_they_are_written(writing: Writing, size: int) -> None:
    with chunks_of(size):
        assert qrels_of(writing(QRELS)) == QRELS_TABLE


@each_writing
def test_qrels_of_three_columns_read_the_same_however_they_are_written(writing: Writing) -> None:
    assert qrels_of(writing(SHORT_QRELS)) == QRELS_TABLE


@in_turn("name", REGULAR)
def test_regular_files_are_parsed_the_fast_way(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "_parse_tidied", None)  # to call it would be an error
    assert run_of(WRITINGS[name](RUN)) == RUN_TABLE
    assert qrels_of(WRITINGS[name](QRELS)) == QRELS_TABLE
    assert qrels_of(WRITINGS[name](SHORT_QRELS)) == QRELS_TABLE


def test_lines_that_cross_the_blocks_of_the_first_look_are_seen_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two blanks side by side make a file irregular, also where one block ends between them."""
    text = lines(RUN).replace("d2 2", "d2  2")
    for block in range(1, 40):
        monkeypatch.setattr(columns, "_BLOCK", block)
        assert run_of(text) == RUN_TABLE
        assert run_of(lines(RUN)) == RUN_TABLE


# Random tables, written at random.

# What separates fields is what C's isspace accepts; of the rest, ids may hold anything that UTF-8 can write.
id_characters = st.characters(exclude_categories=["Cs"], exclude_characters=" \t\n\v\f\r")
ids = st.text(id_characters, min_size=1, max_size=6) | st.sampled_from(["001", "NA", "nan", "null", "1e5", '"', "d#1"])
query_ids = ids.filter(lambda text: not text.startswith(("#", BOM)))
numbers = st.floats(allow_nan=False) | st.integers(-3, 3).map(float)
blanks = st.text(" \t\r\v\f", max_size=3)
separators = st.text(" \t\v\f", min_size=1, max_size=3)


@st.composite
def written_at_random(draw: st.DrawFn, rows: Rows) -> str:
    """The rows with any blanks, and with comments and blank lines in between."""
    text = draw(st.sampled_from(["", BOM, "# first\n", "\n"]))
    for row in rows:
        text += draw(blanks) + "".join(field + draw(separators) for field in row[:-1]) + row[-1] + draw(blanks) + "\n"
        text += draw(st.sampled_from(["", "", "", " \n", "# between\n", "\t#\r\n"]))
    return text.removesuffix("\n") if draw(st.booleans()) else text


@given(
    st.lists(st.tuples(query_ids, ids, ids, st.integers(0, 9).map(str), numbers, ids), min_size=1, max_size=6),
    st.sampled_from(" \t"),
    st.integers(1, 60),
    st.data(),
)
@quickly
def test_fast_and_slow_parsing_of_a_run_agree(
    table: list[tuple[str, str, str, str, float, str]], separator: str, size: int, data: st.DataObject
) -> None:
    rows = [(query, iteration, doc, rank, repr(score), tag) for query, iteration, doc, rank, score, tag in table]
    expected = pl.DataFrame(
        [(query, doc, score) for query, _, doc, _, score, _ in table],
        schema={"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64},
        orient="row",
    )
    regular = read_run(file(lines(rows, separator))).frame.select(expected.columns)
    with chunks_of(size):
        irregular = read_run(file(data.draw(written_at_random(rows)))).frame.select(expected.columns)
    assert regular.equals(expected)
    assert irregular.equals(expected)


@given(
    st.dictionaries(st.tuples(query_ids, ids), numbers.filter(math.isfinite), min_size=1, max_size=6),
    st.sampled_from(" \t"),
    st.integers(1, 60),
    st.booleans(),
    st.data(),
)
@quickly
def test_fast_and_slow_parsing_of_qrels_agree(
    table: dict[tuple[str, str], float], separator: str, size: int, short: bool, data: st.DataObject
) -> None:
    rows: Rows = [
        (query, *(() if short else ("0",)), doc, repr(grade).removesuffix(".0"))
        for (query, doc), grade in table.items()
    ]
    expected = [(query, doc, grade) for (query, doc), grade in table.items()]
    assert read_qrels(file(lines(rows, separator))).frame.rows() == expected
    with chunks_of(size):
        assert read_qrels(file(data.draw(written_at_random(rows)))).frame.rows() == expected


def test_a_byte_order_mark_in_the_middle_means_the_same_wherever_chunks_are_cut() -> None:
    """Files with such marks that were put together one after another have them."""
    text = lines(RUN) + BOM + lines(RUN)
    with chunks_of(1):
        in_chunks = run_of(text)
    assert in_chunks == run_of(text)


# Ids are text, scores are numbers.


ODD_IDS = ["001", "1", "1.0", "1e5", "NA", "nan", "NaN", "null", "None", "inf", "True", "-", "d#1", "#d", '"d', "d'"]
ODD_IDS += ["a,b", "a\\b", "é", "e\u0301", "日本", "𝔡", "d\u00a0x", "d\u2028x", "d\x85x", "d\x1cx", "d\x00x", "x" * 999]


@either_way
@in_turn("name", ODD_IDS)
def test_ids_are_kept_letter_by_letter(name: str, separator: str) -> None:
    query = name if not name.startswith("#") else "q1"  # a line that starts so is a comment
    assert run_of(lines([(query, "Q0", name, "1", "1", "mine")], separator)) == [(query, name, 1.0)]
    assert qrels_of(lines([(query, "0", name, "1")], separator)) == [(query, name, 1.0)]
    assert qrels_of(lines([(query, name, "1")], separator)) == [(query, name, 1.0)]


@either_way
@in_turn(
    "text",
    ["1", "+1", "-1", "1.", ".5", "-.5", "00012", "-0", "1e3", "1E+3", "-2.5e-3", "1e-400", "123456.75"],
)
def test_numbers_are_read_as_python_reads_them(text: str, separator: str) -> None:
    assert run_of(lines([("q1", "Q0", "d1", "1", text, "mine")], separator)) == [("q1", "d1", float(text))]
    assert qrels_of(lines([("q1", "0", "d1", text)], separator)) == [("q1", "d1", float(text))]


@either_way
@in_turn("text", ["inf", "-inf", "+inf", "Inf", "INF", "infinity", "-Infinity", "1e400"])
def test_scores_may_be_infinite_but_grades_may_not(text: str, separator: str) -> None:
    assert run_of(lines([("q1", "Q0", "d1", "1", text, "mine")], separator)) == [("q1", "d1", float(text))]
    with pytest.raises(FormatError, match="relevance") as error:
        qrels_of(lines([*QRELS, ("q1", "0", "d5", text)], separator))
    assert error.value.line == 4


@either_way
def test_the_rank_column_is_not_looked_at_when_scores_rank(separator: str) -> None:
    rows = [("q1", "Q0", "d1", "0", "2.5", "mine"), ("q1", "Q0", "d2", "NA", "-1", "mine")]
    assert run_of(lines(rows, separator)) == RUN_TABLE[:2]


@either_way
def test_ranks_may_count_from_0(separator: str) -> None:
    run = scan_run(file(lines([("q1", "Q0", "d1", "1", "9", "mine"), ("q1", "Q0", "d2", "0", "1", "mine")], separator)))
    ranks = Ranks.from_tables(run, {"q1": {"d1": 0, "d2": 1}}, rank_by="rank")
    assert ranks.hits.grade.tolist() == [1.0, 0.0]  # d2 has the smaller rank
    assert ranks.hits.rank.tolist() == [1, 2]


@either_way
def test_a_rank_that_is_no_number_is_refused_when_ranks_rank(separator: str) -> None:
    run = scan_run(file(lines([*RUN, ("q2", "Q0", "d7", "second", "1", "mine")], separator)))
    with pytest.raises(FormatError, match="a number as rank, got 'second'") as error:
        Ranks.from_tables(run, {"q1": {"d1": 1}}, rank_by="rank")
    assert error.value.line == 4


def test_a_run_read_into_memory_can_still_be_ranked_by_rank() -> None:
    run = read_run(file(lines(RUN)))
    assert Ranks.from_tables(run, {"q1": {"d2": 1}}, rank_by="rank").hits.rank.tolist() == [2]


def test_the_tag_is_that_of_the_last_line() -> None:
    run = scan_run(file(lines(RUN) + "q9 Q0 d1 1 1 last of all\n# end\n"))
    assert isinstance(run, RunFile)
    assert run.tag() == "last"


def test_the_tag_is_found_before_a_chunk_of_comments() -> None:
    with chunks_of(30):
        run = scan_run(file(lines(RUN) + "# end\n# of\n# the run, a long line\n# really\n"))
        assert isinstance(run, RunFile)
        assert run.tag() == "mine"


# What is wrong is refused, with its line.

MANY = [(f"q{number // 10}", "Q0", f"d{number}", str(number % 10), str(-number), "mine") for number in range(40)]
MANY_QRELS = [(f"q{number // 10}", "0", f"d{number}", "1") for number in range(40)]


def with_bad_line(rows: Rows, separator: str, line: int, bad: str) -> str:
    """Comments and blank lines are lines too: every tenth is one, if the file is irregular."""
    written = [separator.join(row) for row in rows]
    if separator == "  ":
        written[9::10] = ["", "# comment", " ", "#"]
    written[line - 1] = bad.replace(" ", separator)
    return "\n".join(written) + "\n"


each_line = in_turn("line", [1, 2, 39])
few_chunks_or_one = in_turn("size", [200, 8 << 20], ids=["few chunks", "one chunk"])


@each_line
@few_chunks_or_one
@either_way
@in_turn(
    ("bad", "message"),
    [
        ("q1 Q0 d7 1 nan mine", "expected a number as score, got 'nan'"),
        ("q1 Q0 d7 1 -NaN mine", "expected a number as score, got '-NaN'"),
        ("q1 Q0 d7 1 high mine", "expected a number as score, got 'high'"),
        ("q1 Q0 d7 1 1,5 mine", "expected a number as score, got '1,5'"),
        ("q1 Q0 d7 1 0x10 mine", "expected a number as score, got '0x10'"),
        ("q1 Q0 d7 1 1_000 mine", "expected a number as score, got '1_000'"),
        ("q1 Q0 d7 1 2.5", "expected 6 columns `query_id iteration doc_id rank score tag`, got 'q1"),
        ("q1", "expected 6 columns `query_id iteration doc_id rank score tag`, got 'q1'"),
    ],
)
def test_a_bad_line_of_a_run_is_named(bad: str, message: str, separator: str, size: int, line: int) -> None:
    """The first line is also what tells the format, so other words are said there."""
    with chunks_of(size), pytest.raises(FormatError) as error:
        read_run(file(with_bad_line(MANY, separator, line, bad)))
    assert error.value.line == line
    assert message in str(error.value) or (line == 1 and "expected TREC run" in str(error.value))
    assert str(error.value).startswith(f"<file>:{line}: ")


@each_line
@few_chunks_or_one
@either_way
@in_turn(
    ("bad", "message"),
    [
        ("q1 0 d7 nan", "expected a number as relevance, got 'nan'"),
        ("q1 0 d7 good", "expected a number as relevance, got 'good'"),
        ("q1 0 d7", "expected 4 columns `query_id iteration doc_id relevance`, got 'q1"),
        ("q1 0 d7 1 more", "expected 4 columns `query_id iteration doc_id relevance`, got 'q1"),
    ],
)
def test_a_bad_line_of_qrels_is_named(bad: str, message: str, separator: str, size: int, line: int) -> None:
    with chunks_of(size), pytest.raises(FormatError) as error:
        read_qrels(file(with_bad_line(MANY_QRELS, separator, line, bad)))
    assert error.value.line == line
    assert message in str(error.value) or (line == 1 and "expected TREC qrels" in str(error.value))


@either_way
def test_a_short_and_a_long_line_do_not_make_up_for_one_another(separator: str) -> None:
    text = lines([*QRELS, ("q3", "0", "d1"), ("q3", "0", "d2", "1", "1")], separator)
    with pytest.raises(FormatError) as error:
        read_qrels(file(text))
    assert error.value.line == 4


@either_way
@in_turn("column", range(6))
def test_text_that_is_not_utf8_is_refused_with_its_line(column: int, separator: str) -> None:
    row = list(MANY[0])
    row[column] += "\udce9"  # a Latin-1 é
    with pytest.raises(FormatError, match=r"UTF-8|a number as score") as error:
        read_run(file(lines([*MANY[1:], tuple(row)], separator)))
    assert error.value.line == len(MANY)


def test_errors_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "bad.run"
    path.write_text("q1 Q0 d1 1 2.5 mine\nq1 Q0 d2\n", encoding="utf-8")
    with pytest.raises(FormatError) as error:
        read_run(path)
    assert (error.value.path, error.value.line, error.value.got) == (str(path), 2, "q1 Q0 d2")
    assert error.value.expected == "6 columns `query_id iteration doc_id rank score tag`"
    assert str(error.value) == f"{path}:2: expected {error.value.expected}, got 'q1 Q0 d2'"


def test_messages_quote_what_came_on_one_short_line() -> None:
    with pytest.raises(FormatError) as error:
        run_of(lines([*RUN, ("q1", "Q0", "d2", "1", "\x1b[31m" * 1000, "mine")]))
    assert "\x1b" not in str(error.value)
    assert len(str(error.value)) < 200


# Which format it is.


def test_detection_says_what_it_found() -> None:
    assert [read_qrels(file(lines(rows))).format for rows in (QRELS, SHORT_QRELS)] == [
        "TREC qrels",
        "qrels in three columns",
    ]
    assert read_run(file(lines(RUN))).format == "TREC run"
    assert [detect(Source(file(lines(rows))), "qrels").name for rows in (QRELS, SHORT_QRELS)] == [
        "trec-qrels",
        "qrels-3",
    ]
    assert {known.name for known in formats()} >= {"trec-run", "trec-qrels", "qrels-3"}


LONG_ID = "https://example.org/" + "path/" * 20


@in_turn("document", ["d1", LONG_ID], ids=["short id", "long id"])
def test_a_file_of_the_other_kind_is_told_for_what_it_looks_like(document: str) -> None:
    for rows, says in ([("q1", "0", document, "1")], "TREC qrels"), ([("q1", document, "1")], "qrels in three columns"):
        with pytest.raises(FormatError, match=f"expected TREC run .* looks like {says}") as error:
            read_run(file("# judged by hand\n\n" + lines(rows)))
        assert error.value.line == 3
    with pytest.raises(FormatError, match=r"expected TREC qrels .* looks like TREC run"):
        read_qrels(file(lines([("q1", "Q0", document, "1", "2.5", "mine")])))


def test_a_table_with_commas_and_no_header_is_told_what_it_lacks() -> None:
    for row in "q1,d1,1", "q1;d1;1":
        with pytest.raises(FormatError, match=r"needs a first line that names its columns"):
            read_qrels(file(f"{row}\n"))


def test_a_file_of_neither_kind_shows_its_first_line() -> None:
    for read in read_run, read_qrels:
        with pytest.raises(FormatError, match="got 'query, document, score'") as error:
            read(file("\nquery,document,score\nq1,d1,1\n"))
        assert error.value.line == 2


def test_a_format_can_be_named_and_is_then_not_guessed() -> None:
    assert read_qrels(file(lines(SHORT_QRELS)), format="qrels-3").frame.rows() == QRELS_TABLE
    with pytest.raises(FormatError, match="expected 6 columns") as error:
        read_run(file(lines(QRELS)), format="trec-run")
    assert error.value.line == 1


def test_an_unknown_format_brings_up_the_nearest_one() -> None:
    with pytest.raises(ParameterError, match="no format is called 'trec-runs'; did you mean trec-run"):
        read_run(file(lines(RUN)), format="trec-runs")


def test_a_format_of_the_other_kind_is_refused() -> None:
    with pytest.raises(ParameterError, match="format 'trec-qrels' holds qrels, not run"):
        read_run(file(lines(RUN)), format="trec-qrels")


@in_turn("text", ["", "\n", " \n\t\n", "# nothing\n", "#", "# a\n\n# b\n", BOM, BOM + "\n", BOM + "# a"])
def test_a_file_without_data_says_so(text: str) -> None:
    for read in read_run, read_qrels:
        with pytest.raises(FormatError, match="no data"):
            read(file(text))


@in_turn("text", ["", "# nothing\n", "# a\n\n# b\n", BOM + "\n", BOM + "# a"])
def test_a_file_without_data_says_so_also_if_the_format_is_given(text: str) -> None:
    with pytest.raises(FormatError, match="no data"):
        read_run(file(text), format="trec-run")
    with pytest.raises(FormatError, match="no data"):
        read_qrels(file(text), format="trec-qrels")


def test_a_byte_order_mark_alone_is_no_data_also_if_the_format_is_given() -> None:
    with pytest.raises(FormatError, match="no data"):
        read_run(file(BOM), format="trec-run")


def test_data_are_found_after_a_long_preamble() -> None:
    preamble = "# a long story\n" * 10_000  # longer than what is read to find out the format
    assert run_of(preamble + lines(RUN)) == RUN_TABLE
    with pytest.raises(FormatError, match="looks like TREC qrels") as error:
        run_of(preamble + lines(QRELS))
    assert error.value.line == 10_001


def test_lines_that_end_in_carriage_returns_alone_are_not_lost() -> None:
    with suppress(FormatError):  # to refuse them would also be right
        assert run_of(lines(RUN, end="\r")) == RUN_TABLE


def test_a_directory_is_refused(tmp_path: Path) -> None:
    for read in read_run, read_qrels:
        with pytest.raises(InputError, match="cannot be read: is a directory") as error:
            read(tmp_path)
        assert str(tmp_path) in str(error.value)


def test_an_absent_file_is_refused(tmp_path: Path) -> None:
    for read in read_run, read_qrels:
        with pytest.raises(InputError, match="cannot be read: no such file") as error:
            read(tmp_path / "absent.txt")
        assert "absent.txt" in str(error.value)


# Where the bytes come from.


def zstd(*parts: bytes, checksum: bool = False) -> bytes:
    """Each part a frame of its own."""
    return b"".join(zstandard.ZstdCompressor(write_checksum=checksum).compress(part) for part in parts)


def zstd_stream(data: bytes) -> bytes:
    """A frame that does not tell its length, as written to a pipe."""
    packer = zstandard.ZstdCompressor().compressobj()
    return packer.compress(data) + packer.flush()


PLAIN = lines(RUN).encode()
HALF = len(PLAIN) // 2  # in the middle of a line
SKIPPABLE = b"\x50\x2a\x4d\x18\x04\x00\x00\x00skip"
PACKED = {
    "gz": gzip.compress(PLAIN, mtime=0),
    "gz of two members": gzip.compress(PLAIN[:HALF], mtime=0) + gzip.compress(PLAIN[HALF:], mtime=0),
    "gz with zeros after it": gzip.compress(PLAIN) + bytes(512),
    "zst": zstd(PLAIN),
    "zst with a checksum": zstd(PLAIN, checksum=True),
    "zst of unknown length": zstd_stream(PLAIN),
    "zst of two frames": zstd(PLAIN[:HALF], PLAIN[HALF:]),
    "zst of many frames": zstd(*(PLAIN[place : place + 1] for place in range(len(PLAIN)))),
    "zst with empty frames": zstd(b"", PLAIN[:HALF], b"", PLAIN[HALF:], b""),
    "zst with a skippable frame after it": zstd(PLAIN) + SKIPPABLE,
    "not compressed": PLAIN,
}


@each_chunk_size
@in_turn("data", PACKED.values(), ids=PACKED)
@in_turn("name", ["run.txt.gz", "run.txt.zst", "run.txt"])
def test_compressed_files_are_known_by_their_content(name: str, data: bytes, size: int, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(data)
    with chunks_of(size):
        assert rows_of(read_run(tmp_path / name)) == RUN_TABLE


def test_a_skippable_frame_may_come_first() -> None:
    assert rows_of(read_run(io.BytesIO(SKIPPABLE + zstd(PLAIN)))) == RUN_TABLE


def test_compressed_qrels_are_read(tmp_path: Path) -> None:
    for name, data in ("q.gz", gzip.compress(lines(QRELS).encode())), ("q.zst", zstd(lines(QRELS).encode())):
        (tmp_path / name).write_bytes(data)
        assert read_qrels(tmp_path / name).frame.rows() == QRELS_TABLE


@each_chunk_size
@in_turn("name", ["gz", "zst", "zst with a checksum", "zst of unknown length"])
def test_compressed_files_that_were_cut_short_are_refused(name: str, size: int, tmp_path: Path) -> None:
    """Wherever they were cut; what is shorter than the mark at the start is no compressed file."""
    for length in range(4, len(PACKED[name])):
        (tmp_path / "cut").write_bytes(PACKED[name][:length])
        with chunks_of(size), pytest.raises(FormatError, match="expected an intact compressed file") as error:
            read_run(tmp_path / "cut")
        assert error.value.path == str(tmp_path / "cut")


@in_turn("name", ["gz of two members", "zst of two frames"])
def test_a_second_part_that_was_cut_short_is_refused(name: str) -> None:
    with pytest.raises(FormatError, match="expected an intact compressed file"):
        read_run(io.BytesIO(PACKED[name][:-3]))


@in_turn("name", ["gz", "zst"])
def test_junk_after_compressed_data_is_refused(name: str) -> None:
    with pytest.raises(FormatError, match="expected an intact compressed file"):
        read_run(io.BytesIO(PACKED[name] + b"junk"))


@in_turn("empty", [gzip.compress(b""), zstd(b""), zstd(b"", b"")], ids=["gz", "zst", "two frames"])
def test_compressed_nothing_is_no_data(empty: bytes) -> None:
    with pytest.raises(FormatError, match="no data"):
        read_run(io.BytesIO(empty))


class Pipe(io.RawIOBase):
    """Bytes that can be read once, a few at a time."""

    def __init__(self, data: bytes) -> None:
        self._rest = data

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        part = self._rest[: min(7, len(buffer))]
        self._rest = self._rest[len(part) :]
        buffer[: len(part)] = part
        return len(part)


def pipe(data: bytes) -> IO[bytes]:
    return cast("IO[bytes]", Pipe(data))


UNCLOSED = pytest.mark.filterwarnings("ignore:Unclosed file:ResourceWarning")  # has a test of its own below


each_packing_of_a_stream = pytest.mark.parametrize(
    "data",
    [pytest.param(data, id=name) for name, data in PACKED.items()],
)


@each_packing_of_a_stream
@UNCLOSED
def test_a_dash_is_standard_input(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Pipe(data))))
    run = scan_run("-")
    assert run.name == "stdin"
    assert [rows_of(run.read()) for _ in range(2)] == [RUN_TABLE, RUN_TABLE]


@UNCLOSED
def test_errors_in_standard_input_name_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(PLAIN + b"q1 Q0\n")))
    with pytest.raises(FormatError, match=r"^<stdin>:4: "):
        read_run("-")


@in_turn("data", PACKED.values(), ids=PACKED)
def test_open_files_are_read_as_often_as_needed(data: bytes) -> None:
    run = scan_run(io.BytesIO(data))
    assert [rows_of(run.read()) for _ in range(2)] == [RUN_TABLE, RUN_TABLE]


@each_packing_of_a_stream
@UNCLOSED
def test_streams_that_can_be_read_once_are_read_as_often_as_needed(data: bytes) -> None:
    for opened in pipe(data), cast("IO[bytes]", io.BufferedReader(Pipe(data))):
        run = scan_run(opened)
        assert [rows_of(run.read()) for _ in range(2)] == [RUN_TABLE, RUN_TABLE]


def test_the_copy_of_a_stream_is_closed_when_it_is_no_longer_needed() -> None:
    gc.collect()  # what other tests have left
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        read_run(pipe(PLAIN))
        gc.collect()
    assert heard == []


def test_a_compressed_file_that_is_open_for_update_is_read(tmp_path: Path) -> None:
    with (tmp_path / "run.gz").open("w+b") as opened:
        opened.write(gzip.compress(PLAIN))
        opened.seek(0)
        assert rows_of(read_run(opened)) == RUN_TABLE


def test_text_files_are_read(tmp_path: Path) -> None:
    path = tmp_path / "übung.run"
    path.write_text(lines(RUN) + "q3 Q0 日本 1 1 mine\n", encoding="utf-16")
    with path.open(encoding="utf-16") as opened:
        run = scan_run(opened)
        assert rows_of(run.read()) == rows_of(run.read()) == [*RUN_TABLE, ("q3", "日本", 1.0)]
        assert run.origin == str(path)


def test_open_files_are_read_from_where_they_stand_and_stay_open(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_bytes(b"a header of another program\n" + PLAIN)
    with path.open("rb") as binary, path.open(encoding="utf-8") as text:
        for opened in binary, text:
            opened.readline()
            assert rows_of(read_run(cast("IO[bytes] | IO[str]", opened))) == RUN_TABLE
            assert not opened.closed


def test_large_streams_go_through_a_temporary_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.files.sources._SPOOL_BYTES", 10)
    source = Source(pipe(PLAIN))
    try:
        assert [b"".join(source.chunks(20)) for _ in range(2)] == [PLAIN, PLAIN]
    finally:
        cast("IO[bytes]", source._file).close()


def test_a_closed_file_is_refused() -> None:
    closed = io.BytesIO(PLAIN)
    closed.close()
    with pytest.raises(InputError):
        read_run(closed)


def test_paths_may_be_text_or_paths(tmp_path: Path) -> None:
    (tmp_path / "run.txt").write_bytes(PLAIN)
    assert read_run(str(tmp_path / "run.txt")).frame.equals(read_run(tmp_path / "run.txt").frame)


@in_turn(
    ("name", "stem"),
    [
        ("bm25.run", "bm25"),
        ("bm25.txt.gz", "bm25"),
        ("bm25.run.zst", "bm25"),
        ("bm25.v2.res", "bm25.v2"),
        ("bm25", "bm25"),
        ("bm25.k1=0.9", "bm25.k1=0.9"),
        (".run", ".run"),
    ],
)
def test_runs_are_called_like_their_files(name: str, stem: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(PLAIN)
    assert read_run(tmp_path / name).name == stem
    assert read_run(tmp_path / name, name="mine").name == "mine"


@given(st.binary(max_size=60), st.integers(1, 70))
@quickly
def test_chunks_are_the_file_cut_between_lines(data: bytes, size: int) -> None:
    pieces = list(Source(io.BytesIO(b"plain\n" + data)).chunks(size))
    assert b"".join(pieces) == b"plain\n" + data
    assert all(piece.endswith(b"\n") for piece in pieces[:-1])
    assert all(len(piece) >= size for piece in pieces[:-1])


@in_turn("data", [PLAIN, gzip.compress(PLAIN)], ids=["plain", "gz"])
def test_who_watches_hears_of_every_byte(data: bytes) -> None:
    source, heard = Source(io.BytesIO(data)), list[int]()
    source.watch = heard.append
    assert len(list(source.chunks(20))) == len(heard) > 1
    assert sum(heard) == len(PLAIN)


def test_what_is_no_file_is_refused_in_one_line() -> None:
    for wrong in (None, 5, {"q1": {"d1": 1}}):
        with pytest.raises(ParameterError, match="expected a file, or the name of one, got"):
            read_run(cast("Any", wrong))


def test_a_data_frame_with_a_column_that_is_called_read_is_no_file() -> None:
    pandas = pytest.importorskip("pandas")
    assert not is_file(pandas.DataFrame({"read": [1]}))
    for table in (pandas.DataFrame({"read": [1]}), pl.DataFrame({"score": [1.0]}), pl.LazyFrame({"query_id": ["q1"]})):
        with pytest.raises(ParameterError, match=r"expected a file, or the name of one, got \w+Frame"):
            Source(table)  # type: ignore[arg-type]


def test_the_size_is_known_of_plain_files_only(tmp_path: Path) -> None:
    (tmp_path / "run.txt").write_bytes(PLAIN)
    (tmp_path / "run.gz").write_bytes(gzip.compress(PLAIN))
    assert Source(tmp_path / "run.txt").size == len(PLAIN)
    assert Source(tmp_path / "run.gz").size is None
    assert Source(io.BytesIO(PLAIN)).size is None


def test_a_run_file_and_the_run_read_from_it_give_the_same_rows() -> None:
    with chunks_of(30):
        scanned = scan_run(file(lines(MANY)))
        batches = list(scanned.batches(lambda frame: frame))
        assert len(batches) > 5
        assert pl.concat(batches).rows() == rows_of(scanned.read())
        assert isinstance(scanned.read(), Run)


# What qrels may say, and what they may not.


@either_way
def test_grades_may_be_negative_and_fractional(separator: str) -> None:
    rows = [("q1", "0", f"d{place}", grade) for place, grade in enumerate(["-2", "-1", "0", "0.25", "3", "1e1"])]
    assert [row[2] for row in qrels_of(lines(rows, separator))] == [-2.0, -1.0, 0.0, 0.25, 3.0, 10.0]


@either_way
def test_judgments_given_twice_alike_count_once_with_a_warning(separator: str) -> None:
    qrels = read_qrels(file(lines([*QRELS, QRELS[0], ("q1", "0", "d1", "2.0"), QRELS[2]], separator)), name="gold")
    assert qrels.frame.rows() == QRELS_TABLE
    assert [(warning.startswith("gold: "), "3 judgments" in warning) for warning in qrels.warnings] == [(True, True)]
    assert read_qrels(file(lines(QRELS))).warnings == ()


@each_chunk_size
@either_way
@in_turn("rows", [QRELS, SHORT_QRELS], ids=["four columns", "three columns"])
def test_judgments_that_contradict_one_another_are_refused(rows: Rows, separator: str, size: int) -> None:
    contradiction = (*rows[0][:-1], "0")
    text = "# comment\n\n" + lines([*rows, contradiction, ("q4", *rows[0][1:])], separator)
    with chunks_of(size), pytest.raises(FormatError, match="one judgment of document 'd1' for query 'q1'") as error:
        read_qrels(file(text))
    assert error.value.line == 2 + len(rows) + 1
    assert "'2 and 0'" in str(error.value)


def test_the_line_named_is_that_of_the_contradiction() -> None:
    with pytest.raises(FormatError) as error:
        read_qrels(file("q1 0 d1 2\nq1 0 d1 2\nq1 0 d1 0\n"))
    assert error.value.line == 3


def test_the_line_named_is_that_of_the_judge_who_contradicts_himself() -> None:
    with pytest.raises(FormatError) as error:
        read_qrels(file("q1 anna d1 2\nq1 bert d1 1\nq1 anna d1 0\n"))
    assert error.value.line == 3
    assert error.value.got == "2 and 0"


TWO_JUDGES = "q1 anna d1 2\nq1 bert d1 0\nq1 anna d2 1\nq2 bert d1 1\n"


def test_judges_are_found_out_from_documents_judged_twice() -> None:
    qrels = read_qrels(file(TWO_JUDGES))
    assert qrels.judges == ["anna", "bert"]
    assert qrels.format == "TREC qrels by 2 judges"
    assert sorted(qrels.by_judge("anna").frame.rows()) == [("q1", "d1", 2.0), ("q1", "d2", 1.0)]
    assert sorted(qrels.by_judge("bert").frame.rows()) == [("q1", "d1", 0.0), ("q2", "d1", 1.0)]


def test_column_2_is_no_judge_while_every_document_is_judged_once() -> None:
    qrels = read_qrels(file("q1 0 d1 2\nq1 1 d2 0\nq2 7 d1 1\n"))
    assert qrels.judges == []
    assert qrels.frame.columns == ["query_id", "doc_id", "relevance"]


def test_whether_column_2_is_the_judge_can_be_said() -> None:
    named = read_qrels(file("q1 anna d1 2\nq2 bert d1 1\n"), judges=True)
    assert (named.judges, named.by_judge("bert").topics) == (["anna", "bert"], ["q2"])
    with pytest.raises(FormatError, match="one judgment of document 'd1' for query 'q1'"):
        read_qrels(file(TWO_JUDGES), judges=False)


def test_documents_judged_twice_alike_by_the_same_hand_make_no_judges() -> None:
    qrels = read_qrels(file("q1 0 d1 2\nq1 0 d1 2\nq2 1 d1 1\nq2 1 d1 1\n"))
    assert qrels.judges == []
    assert len(qrels.warnings) == 1


def test_an_unknown_judge_is_refused_with_those_there_are() -> None:
    with pytest.raises(InputError, match="expected a judge of 'anna', 'bert', got 'carl'"):
        read_qrels(file(TWO_JUDGES)).by_judge("carl")
    with pytest.raises(InputError, match="gold: expected judgments by several judges"):
        read_qrels(file(lines(QRELS)), name="gold").by_judge("anna")


def test_several_judges_are_not_evaluated_together() -> None:
    qrels = read_qrels(file(TWO_JUDGES), name="gold")
    with pytest.raises(InputError, match=r"gold: .* 2 judges .* anna, bert; choose one: judge="):
        evaluate(qrels, {"q1": {"d1": 1.0}}, "P@1")
    assert evaluate(qrels.by_judge("anna"), {"q1": {"d1": 1.0}}, "P@1").mean() == 1.0
    # q1 has a document that bert does not find relevant, q2 is missing
    assert evaluate(qrels, {"q1": {"d1": 1.0}}, "P@1", judge="bert").mean() == (0 + 0) / 2


def test_one_judge_is_evaluated() -> None:
    qrels = read_qrels(file("q1 anna d1 2\n"), judges=True)
    assert evaluate(qrels, {"q1": {"d1": 1.0}}, "P@1").mean() == 1.0


def test_files_are_evaluated_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "mine.run.gz").write_bytes(gzip.compress(PLAIN))
    (tmp_path / "gold.qrels").write_text(lines(QRELS), encoding="utf-8")
    result = evaluate(tmp_path / "gold.qrels", tmp_path / "mine.run.gz", "P@1")
    # d1 has grade 2 in q1, but only 0.5 in q2
    assert (result.mean(), result.systems[0].name) == ((1 + 0) / 2, "mine")
    assert isinstance(result.qrels, Qrels)
