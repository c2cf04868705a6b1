"""The order in which a click log's rows stand changes no number: pages are made of what rows share."""

from __future__ import annotations

import csv
import io
import random
import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from command import run_assay
from hypothesis import given, settings
from hypothesis import strategies as st
from log_files import START
from polars.testing import assert_frame_equal
from strategies import quickly

from assay import Log, check_log, clicks, read_log
from assay.core.errors import InputError
from assay.files import log_assembly, logs
from assay.files.sources import Source

HEADER = ("session_id", "user_id", "search_query", "product_id", "position", "clicked", "ts", "variant")
Row = tuple[Any, ...]


def export(pages: int = 300, *, seed: int = 1) -> list[Row]:
    """What SQL exports of a shop's log: a row per result, with the time of its search, sessions one after the other."""
    rng = random.Random(seed)
    rows: list[Row] = []
    for session in range(pages):
        when, query = START + timedelta(seconds=rng.randrange(900_000)), f"words {rng.randrange(9)}"
        for _ in range(rng.choice([1, 1, 2, 3])):
            query = query if rng.random() < 0.4 else f"words {rng.randrange(9)}"
            for rank, doc in enumerate(rng.sample(range(30), rng.choice([4, 8])), 1):
                clicked = int(rng.random() < 0.5 / rank)
                who = (f"s{session}", f"u{session // 3}")
                rows.append((*who, query, f"p{doc}", rank, clicked, when, "AB"[session // 3 % 2]))
            when += timedelta(seconds=rng.randrange(60, 900))
    return rows


def table(rows: Sequence[Row], without: Sequence[str] = ()) -> str:
    """Rows as CSV, without some of the columns."""
    kept = [place for place, name in enumerate(HEADER) if name not in without]
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow([HEADER[place] for place in kept])
    for row in rows:
        cells = [f"{cell.isoformat()}Z" if isinstance(cell, datetime) else cell for cell in row]
        writer.writerow(["" if cells[place] is None else cells[place] for place in kept])
    return out.getvalue()


def shuffled(rows: Sequence[Row], seed: int = 7) -> list[Row]:
    return random.Random(seed).sample(list(rows), len(rows))


def numbers(log: Log) -> dict[tuple[str, str], tuple[float, float, float]]:
    """Every measure of behaviour of every system, with its interval."""
    frame = clicks(log).to_frame()
    return {
        row[:2]: row[2:]
        for row in frame.select("system", "measure", "value", "low", "high").fill_null(np.nan).iter_rows()
    }


def tables(log: Log) -> list[pl.DataFrame]:
    """All that numbers are made of."""
    return [frame.collect() for frame in (log.impressions, log.results, log.events)]


def same(log: Log, other: Log) -> None:
    mine, theirs = numbers(log), numbers(other)
    assert mine.keys() == theirs.keys()
    for each, values in mine.items():
        assert values == pytest.approx(theirs[each], rel=1e-12, abs=1e-12, nan_ok=True), each


def read(text: str, **rules: Any) -> Log:
    return read_log(io.StringIO(text), name="log", **rules)


def click_times(rows: Sequence[Row], *, only: bool = False) -> list[Row]:
    """The same rows with the time of the click where there is one; `only`: and no time elsewhere."""
    return [
        (*row[:6], row[6] + timedelta(seconds=4 * row[4] + 1) if row[5] else None if only else row[6], row[7])
        for row in rows
    ]


# Every order of the same rows -----------------------------------------------------------------------------------------

ROWS = export()
#: The rows of a log, by what was done to them.
ORDERS = {
    "shuffled": shuffled(ROWS),
    "by session and position": sorted(ROWS, key=lambda row: (row[0], row[4])),
    "by document": sorted(ROWS, key=lambda row: row[3]),
    "backwards": ROWS[::-1],
    "times of clicks on clicked rows": click_times(ROWS),
    "times of clicks on clicked rows, shuffled": shuffled(click_times(ROWS)),
}


@pytest.mark.parametrize("rows", ORDERS.values(), ids=ORDERS.keys())
def test_an_export_gives_the_same_numbers_in_whatever_order(rows: list[Row], tmp_path: Path) -> None:
    pages = len({(row[0], row[2], row[6]) for row in ROWS})
    sorted_log = read(table(ROWS))
    assert sorted_log.sizes[:2] == (pages, len(ROWS))
    path = tmp_path / "log.csv"
    path.write_text(table(rows))
    other = read_log(path, name="log")
    same(sorted_log, other)
    assert sorted_log.remarks == (
        "no column names result pages: rows with the same session, user, query, system, time are of one, and a rank "
        "that comes again is of another",
    )


def test_where_only_clicks_have_times_clicked_rows_are_of_the_page_that_lacks_them() -> None:
    log, truth = read(table(click_times(ROWS, only=True))), read(table(ROWS))
    assert log.sizes == truth.sizes
    assert numbers(log)["A", "CTR"] == pytest.approx(numbers(truth)["A", "CTR"], abs=1e-12)


def test_without_sessions_the_query_and_the_time_tell_pages_apart() -> None:
    hidden = ("session_id", "user_id")
    same(read(table(ROWS, hidden)), read(table(shuffled(ROWS), hidden)))


def test_pages_are_the_same_in_parts_on_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    text = table(shuffled(click_times(ROWS)))
    whole = read(text)
    monkeypatch.setattr(Source.chunks, "__defaults__", (2000,))
    monkeypatch.setattr(logs, "_PART_BYTES", len(text) // 5)
    monkeypatch.setattr(log_assembly, "_ROWS_AT_ONCE", 200)
    same(read(text), whole)


def test_a_page_may_stand_in_two_files() -> None:
    half = len(ROWS) // 2 + 1
    parts = [io.StringIO(table(rows)) for rows in (ROWS[half:], ROWS[:half])]
    same(read_log(parts, name="log"), read(table(ROWS)))


@st.composite
def small_logs(draw: st.DrawFn, *, named: bool) -> list[Row]:
    """Pages that something tells apart: an id; or a session, a query and a time that no other page has together."""
    size = st.integers(0, 3)
    keys = draw(st.lists(st.tuples(size, size, size), min_size=1, max_size=8, unique=True))
    rows: list[Row] = []
    for number, (session, query, minute) in enumerate(keys):
        docs = draw(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=5))
        ranks = draw(st.lists(st.integers(1, 6), min_size=len(docs), max_size=len(docs), unique=not named))
        for rank, doc in zip(ranks, docs, strict=True):
            when = START + timedelta(minutes=minute)
            who = f"p{number % 6}" if named else f"s{session}"
            rows.append((who, f"u{session}", f"q{query}", doc, rank, draw(st.integers(0, 2)), when, "AB"[session % 2]))
    return rows


@pytest.mark.parametrize("named", [True, False], ids=["with the page's id", "with session, query, time and rank"])
@settings(quickly, max_examples=8)
@given(data=st.data())
def test_any_shuffle_of_any_log_gives_every_number(named: bool, data: st.DataObject) -> None:
    rows = data.draw(small_logs(named=named))
    order = data.draw(st.permutations(range(len(rows))))
    columns = {"columns": {"impression_id": "session_id"}} if named else {}
    first, second = (read(table(each), **columns) for each in (rows, [rows[place] for place in order]))
    for one, other in zip(tables(first), tables(second), strict=True):
        assert_frame_equal(one, other)
    pages = {(row[0], row[2], row[6]) for row in rows}
    with_skips = {(row[0], row[2], row[6]) for row in rows if not row[5]}
    if not named and pages == with_skips:  # a page of clicks alone may be the rest of another one
        assert first.sizes[0] == len(pages)


# What does not tell ---------------------------------------------------------------------------------------------------


def test_without_times_a_rank_that_comes_again_begins_a_page_in_the_order_of_rows() -> None:
    log, truth = read(table(ROWS, ["ts"])), read(table(ROWS))
    assert log.sizes == truth.sizes
    assert numbers(log)["A", "CTR"] == pytest.approx(numbers(truth)["A", "CTR"])


def row_times(rows: Sequence[Row]) -> list[Row]:
    """The same with a time for each row, a millisecond after the one above it, as a logger writes them."""
    return [(*row[:6], row[6] + timedelta(milliseconds=row[4]), row[7]) for row in rows]


UNKNOWABLE = {
    "no times, out of order": (shuffled(ROWS), ["ts"], "share all that tells them apart"),
    "no ranks, out of order": (shuffled(ROWS), ["position"], "no column tells their ranks"),
    "nothing but queries and ranks": (
        shuffled(ROWS), ["ts", "session_id", "user_id"], "would begin below the first rank",
    ),
    "times of clicks, and nobody": (
        click_times(ROWS), ["session_id", "user_id"], "times of clicked rows seem to be those of the clicks",
    ),
    "times of rows": (row_times(ROWS), [], "times seem to be those of rows"),
    "times of rows, out of order": (shuffled(row_times(ROWS)), [], "times seem to be those of rows"),
    "times of rows, and nobody": (row_times(ROWS), ["session_id", "user_id"], "times seem to be those of rows"),
}  # fmt: skip


@pytest.mark.parametrize(("rows", "without", "says"), UNKNOWABLE.values(), ids=UNKNOWABLE.keys())
def test_what_nobody_can_tell_apart_is_refused(rows: list[Row], without: list[str], says: str, tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text(table(rows, without))
    with pytest.raises(InputError, match=says):
        read_log(path)
    done = run_assay("clicks", "evaluate", "log.csv", folder=tmp_path)
    assert done.returncode == 2
    assert says in done.stderr
    assert "--columns impression_id=COLUMN" in done.stderr or "--columns rank=COLUMN" in done.stderr


def test_the_advice_to_name_a_column_of_pages_works(tmp_path: Path) -> None:
    """What is refused without it: no times, rows out of order."""
    names = {
        key: f"page {number}" for number, key in enumerate(dict.fromkeys((row[0], row[2], row[6]) for row in ROWS))
    }
    rows = [(names[row[0], row[2], row[6]], *row[1:]) for row in shuffled(ROWS)]
    path = tmp_path / "log.csv"
    path.write_text(table(rows, ["ts"]).replace("session_id", "view", 1))
    refused = run_assay("log", "show", "log.csv", folder=tmp_path).stderr
    advice = re.search(r"--columns impression_id=COLUMN", refused)
    assert advice is not None
    words = advice[0].replace("COLUMN", "view").split()
    done = run_assay("log", "show", "log.csv", *words, folder=tmp_path)
    assert done.returncode == 0
    assert f"{len(names):,}" in done.stdout


def test_two_pages_that_share_everything_are_told_apart_by_the_order_of_rows_or_not_at_all() -> None:
    one = [("s1", "u1", "tea", f"p{rank}", rank, int(rank == 1), START, "A") for rank in (1, 2, 3)]
    two = [("s1", "u1", "tea", f"p{rank}", rank, int(rank == 3), START, "A") for rank in (1, 2, 3)]
    assert read(table([*one, *two])).sizes == (2, 6, 2)
    with pytest.raises(InputError, match="2 of 2 result pages share all that tells them apart"):
        read(table([one[0], two[0], one[1], two[1], one[2], two[2]][::-1]))
    # It does not matter which is which where they differ at one rank only.
    alike = [*one, one[0], (*one[1][:5], 1, *one[1][6:]), one[2]]
    assert read(table(alike)).sizes == read(table(shuffled(alike))).sizes == (2, 6, 3)


def test_checks_say_that_rows_are_out_of_order_and_nothing_else() -> None:
    found = check_log(read(table(shuffled(ROWS)))).findings
    assert [each.check for each in found] == ["rows-out-of-order"]
    assert "whose rows are out of order" in found[0].says
    assert not check_log(read(table(ROWS))).findings
    refused = check_log(io.StringIO(table(shuffled(ROWS), ["ts"]))).findings
    assert "rows out of order" in refused[0].says
