"""Tables on a terminal: numbers are never cut, and no name steers the terminal or breaks a row."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
from cases import in_turn
from command import run_assay
from hypothesis import given
from hypothesis import strategies as st

from assay import Clusters, cluster
from assay.show.legible import cut_apart, legible, on_one_line
from assay.show.model import Column, Document, Section, Table
from assay.show.terminal import Screen, show, show_table

_STEERING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_ODD = "\x1b]0;title\x07\x9b31m\u202e\x85two\r\nlines\t|"


def printed(table: Table, width: int) -> list[str]:
    screen = Screen(width)
    show_table(table, screen)
    return screen.text.split("\n")[:-1]


def labelled(labels: list[str], numbers: list[str], heads: list[str]) -> Table:
    texts = {f"number {place}": [number] * len(labels) for place, number in enumerate(numbers)}
    shown = (Column(key, head, "words") for key, head in zip(texts, heads, strict=True))
    return Table("t", pl.DataFrame({"class": labels} | texts), (Column("class"), *shown))


@in_turn("width", [40, 60, 80])
def test_numbers_stay_whole_beside_long_labels(width: int) -> None:
    labels = [f"a label of many words that tells what these items are about, number {n}" for n in range(3)]
    numbers = ["0.8125", "0.123 [0.045, 0.678]", "1,234,567"]
    lines = printed(labelled(labels, numbers, [f"{one} as a head" for one in labels]), width)
    assert max(map(len, lines)) <= width
    assert not any("…" in line for line in lines if re.search(r"\d[.,]\d", line) and "label" not in line)
    for number in numbers:
        assert sum(number in line for line in lines) == len(labels)


def test_labels_are_whole_where_there_is_room() -> None:
    labels = ["x" * 60, "y"]
    assert printed(labelled(labels, ["0.5"], ["value"]), 100)[1].startswith("x" * 60)
    assert "".join(line.split()[0] for line in printed(labelled(labels, ["0.5"], ["value"]), 40)[1:-1]) == "x" * 60


def test_several_columns_of_names_leave_room_for_the_numbers() -> None:
    frame = pl.DataFrame(dict.fromkeys("abcd", "n" * 40) | {"value": 0.8125})
    lines = printed(Table.of("t", frame), 80)
    assert max(map(len, lines)) <= 80
    assert lines[1].endswith("0.8125")
    assert sum(line.count("n") for line in lines) == 160


@in_turn(("width", "lines"), [(80, ["", "AP", "", "topics"]), (24, ["system", "a", "b", "", "system"])])
def test_turned_tables_are_one_as_long_as_all_systems_fit(width: int, lines: list[str]) -> None:
    """Else they stand one below the other, one row for each system."""
    frame = pl.DataFrame({"system": ["a" * 10, "b" * 10], "AP": [0.25, 0.5], "topics": [8, 8]})
    number, count = Column("AP", kind="number"), Column("topics", kind="count")
    parts = [Table(column.name, frame, (Column("system"), column), turned=True) for column in (number, count)]
    screen = Screen(width)
    show(Document("example", (Section("systems", parts=tuple(parts)),)), screen)
    first = [line.split(" ")[0].strip("ab") or line[:1].strip() for line in screen.text.splitlines()]
    assert first[: len(lines)] == lines


@given(st.lists(st.text(max_size=80), min_size=1, max_size=5), st.integers(30, 200))
def test_whatever_labels_hold_every_number_is_printed_and_nothing_steers(labels: list[str], width: int) -> None:
    text = "\n".join(printed(labelled(labels, ["0.8125"], ["value"]), width))
    assert text.count("0.8125") - sum(label.count("0.8125") for label in labels) == len(labels)
    assert _STEERING.search(text) is None


@given(st.text())
def test_one_line_is_one_line_and_holds_nothing_that_steers(text: str) -> None:
    line = on_one_line(text)
    assert len(line.splitlines()) <= 1
    assert _STEERING.search(line) is None
    assert on_one_line(line) == line == legible(line)


@given(st.lists(st.text(max_size=60), unique=True), st.integers(8, 40))
def test_names_that_are_cut_can_be_told_apart(names: list[str], most: int) -> None:
    cut = cut_apart(names, most)
    assert len(set(cut)) == len(names)
    assert all(short == name for short, name in zip(cut, names, strict=True) if len(name) <= most)


def test_no_form_for_people_passes_controls_on() -> None:
    odd = Clusters.of([f"a{_ODD}", f"a{_ODD}", "b", "b"], [f"k{_ODD}", f"k{_ODD}", "m", f"k{_ODD}"], name=f"s{_ODD}")
    other = Clusters.of(odd.truth, ["x", "x", "y", "y"], name="t")
    result = cluster([odd, other], ["ARI", "Purity"], resamples=50)
    for text in (str(result), result.to_markdown(), result.to_latex()):
        assert _STEERING.search(text) is None
        assert "two lines" in text
    assert _ODD in "".join(result.contingency(odd.name).to_frame()["class"].to_list())  # type: ignore[union-attr]


def test_commands_pass_no_controls_on_to_either_stream(tmp_path: Path) -> None:
    rows = "".join(f'"a\x1b]0;title\x07",{n % 2},{n}\n' for n in range(8)) + 'b,"0\u202e\n1",9\nb,1,10\n'
    (tmp_path / "c.csv").write_text(f"class,cluster,x\n{rows}")
    for arguments in (
        ("clustering", "evaluate", "c.csv", "--points", "x", "--per-cluster", "-m", "ARI"),
        ("clustering", "evaluate", "c.csv", "--markdown"),
    ):
        done = run_assay(*arguments, folder=tmp_path)
        assert done.returncode == 0, done.stderr
        assert _STEERING.search(done.stdout + done.stderr) is None
    raw = run_assay("clustering", "evaluate", "c.csv", "--json", folder=tmp_path).stdout
    assert "\\u001b]0;title" in raw  # data stay as they are
