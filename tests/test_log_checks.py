"""Whatever comes as a click log, tables or an `AssayError` come out; what is odd is found; the commands say so."""

from __future__ import annotations

import contextlib
import io
import json
import random
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from cases import in_turn
from command import run_assay
from hypothesis import given, settings
from hypothesis import strategies as st
from log_files import Page, assert_sound, stamp, ubi
from strategies import quickly

from assay import AssayError, Log, check_log, clicks, describe_log, read_log
from assay.core.registry import WRITERS
from assay.core.results import written
from assay.files.logs import LOG_FORMATS
from assay.files.sources import Source
from assay.verbs.diagnosis.examination import checks_in

thoroughly = settings(quickly, max_examples=8)
BUNDLED = Path(__file__).parents[1] / "src" / "assay" / "data" / "clicks" / "log.ndjson.gz"
CLEAN = [Page("tea", ["d1", "d2"], [1], f"u{number}", f"s{number}", number) for number in range(5)]


def source(lines: list[str]) -> Source:
    return Source(io.BytesIO(("\n".join(lines) + "\n").encode()), name="log.ndjson")


def event(**fields: Any) -> str:
    return json.dumps({"query_id": "p0", "client_id": "u0", "action_name": "click", "timestamp": stamp(0.1)} | fields)


def about(doc: str, ordinal: Any = 1, **more: Any) -> dict[str, Any]:
    return {"event_attributes": {"object": {"object_id": doc}, "position": {"ordinal": ordinal}, **more}}


#: Lines that are added to a clean log, and what should be found, in how many cases.
ODD: dict[str, tuple[list[str], str, int]] = {
    "half a line": (['{"query_id":'], "unreadable-log", 1),
    "ranks from 0": ([event(**about("d1", 0))], "zero-ranks", 1),
    "a rank that is none": ([event(**about("d1", "first"))], "odd-ranks", 1),
    "a gap": ([event(action_name="impression", **about("d7", 5))], "rank-gaps", 1),
    "no results": ([json.dumps({"query_id": "x", "user_query": "tea", "timestamp": stamp(0)})],
                   "pages-without-results", 1),
    "not shown": ([event(**about("d9"))], "clicks-not-shown", 1),
    "too early": ([event(timestamp=stamp(-3), **about("d1"))], "clicks-before-pages", 1),
    "much too late": ([event(timestamp=stamp(3 * 24 * 60), **about("d1"))], "odd-times", 1),
    "no time": ([event(timestamp="yesterday", **about("d1"))], "odd-times", 1),
    "no zone": ([event(timestamp="2026-03-02 08:00:09", **about("d1"))], "no-zones", 1),
    "sent twice": ([event(**about("d1"))] * 3, "repeated-events", 2),
    "no page": ([event(query_id="nowhere", **about("d1"))], "lost-events", 1),
    "a giant session": (ubi([Page("tea", ["d1"], [0], "u7", "s7", 200 + number, name=f"g{number}")
                             for number in range(201)]), "giant-sessions", 1),
    "a robot": (ubi([Page("tea", ["d1"], [], "u7", None, 200 + number / 60, name=f"g{number}")
                     for number in range(30)]), "robots", 1),
    "a long stay": ([event(**about("d1", dwell_ms=9e6))], "impossible-dwell", 1),
    "a negative stay": ([event(**about("d1", dwell_ms=-5))], "impossible-dwell", 1),
}  # fmt: skip


@in_turn("odd", ODD)
def test_each_thing_that_is_odd_is_found_counted_and_shown(odd: str) -> None:
    lines, name, number = ODD[odd]
    diagnosis = check_log(source([*ubi(CLEAN), *lines]))
    found = {each.check: each for each in diagnosis.findings}
    assert name in found, odd
    assert found[name].count == number
    assert found[name].advice
    assert found[name].examples or name in {"unreadable-log", "no-clicks", "zero-ranks"}


def test_a_clean_log_has_no_findings_and_every_check_can_fail() -> None:
    assert check_log(source(ubi(CLEAN))).verdict == "nothing found"
    nothing = check_log(Log.from_pages([("tea", ["d1"], [])]))
    assert [each.check for each in nothing.findings] == ["no-clicks", "no-times", "no-users"]
    assert not nothing
    found = {name for _, name, _ in ODD.values()} | {each.check for each in nothing.findings} | {"malformed-lines"}
    # Rows of a page whose clicked one has the time of the click, the last first.
    table = "session,query,doc,position,clicked,ts\n" + "".join(
        f"s{page},tea,d{rank},{rank},{int(rank == 2)},{stamp(page + (rank == 2) / 9)}\n"
        for page in range(3) for rank in (3, 2, 1)
    )  # fmt: skip
    scattered = {each.check: each.count for each in check_log(io.StringIO(table)).findings}
    assert scattered == {"rows-out-of-order": 3, "unsure-pages": 3, "no-users": 1}
    found |= scattered.keys()
    assert {check.name for check in checks_in(("assay.subjects.clicks.checks",))} == found


def test_a_bad_line_is_named_and_the_others_are_looked_at() -> None:
    diagnosis = check_log(source([*ubi(CLEAN), "{", event(**about("d9"))]))
    found = {each.check: each for each in diagnosis.findings}
    assert found["unreadable-log"].says.startswith("line 11: expected a JSON object")
    assert found["malformed-lines"].count == 1
    assert found["clicks-not-shown"].count == 1
    assert check_log(source(["some text"])).findings[0].check == "unreadable-log"


def test_what_was_odd_when_a_log_was_imported_is_found_in_its_folder(tmp_path: Path) -> None:
    assert run_assay("log", "import", BUNDLED, "-o", "kept", folder=tmp_path).returncode == 0
    assert [
        (each.check, each.count) for each in check_log(tmp_path / "kept").findings
    ] == [(each.check, each.count) for each in check_log(BUNDLED).findings]  # fmt: skip


def test_the_overview_counts_what_is_there() -> None:
    pages = [*CLEAN, Page("pot", [], [], "u9", None, 50, "new"), Page("pot", ["d1"], [], "u9", None, 51, "new")]
    overview = describe_log(source([*ubi(pages), event(action_name="add_to_cart", **about("d2", 2))]))
    assert {name: overview.facts[name] for name in ("result pages", "clicks", "users", "sessions", "queries")} == {
        "result pages": 7, "clicks": 5, "users": 6, "sessions": 6, "queries": 2,
    }  # fmt: skip
    assert overview.facts["pages with a click"] == pytest.approx(5 / 7)
    assert overview.facts["pages without results"] == 1
    assert overview.by_rank.rows() == [(1, 6, 0, 0.0), (2, 5, 5, 1.0)]
    assert overview.systems.rows() == [("new", 2, 1, 0.0), ("old", 5, 5, 1.0)]
    assert overview.actions.rows() == [("add_to_cart", 1)]
    for form in WRITERS:
        assert written(overview.document(), form)


def test_the_overview_counts_clicked_pages_as_the_click_through_rate_does() -> None:
    log = Log.from_pages([("q", ["a"], ["elsewhere"]), ("q", ["a"], ["a"]), ("q", ["a"], [])], system=["x", "x", "y"])
    overview = describe_log(log)
    assert overview.facts["pages with a click"] == pytest.approx(2 / 3)
    assert overview.systems["clicked"].to_list() == [clicks(log, measures="CTR").value("CTR", name) for name in "xy"]


def test_the_commands_import_show_and_check(tmp_path: Path) -> None:
    done = run_assay("log", "import", BUNDLED, "-o", "kept", "--most-per-minute", 20, folder=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    assert "kept: 2,960 result pages" in done.stderr
    assert "40 result pages of users with more than 20 queries in a minute: left out" in done.stderr
    shown = run_assay("log", "show", "kept", "--json", folder=tmp_path)
    assert json.loads(shown.stdout)["sections"]["log"]["facts"]["result pages"] == 2960
    checked = run_assay("log", "check", "kept", folder=tmp_path)
    assert (checked.returncode, "[clicks-not-shown]" in checked.stdout) == (0, True)
    again = run_assay("log", "import", BUNDLED, "-o", "kept", folder=tmp_path)
    assert (again.returncode, "already exists" in again.stderr) == (2, True)
    (tmp_path / "bad.ndjson").write_text('{"user_query": "tea"}\n{\n')
    bad = run_assay("log", "show", "bad.ndjson", folder=tmp_path)
    assert (bad.returncode, bad.stderr) == (2, "assay: bad.ndjson:2: expected a JSON object, got '{'\n")
    assert run_assay("log", "check", "bad.ndjson", folder=tmp_path).returncode == 1


# Whatever comes -------------------------------------------------------------------------------------------------------

PIECES = [b"{", b"}", b"[", b"]", b",", b";", b":", b"\t", b"\n", b"\r\n", b'"', b" ", b"0", b"1", b"-1", b"9" * 30]
PIECES += [b"Q", b"C", b"s1", b"d1", b"null", b"true", b"1e400", b"nan", b"\xff", b"\0", b"\xed\xa0\x80", b"PAR1"]
PIECES += [b'"user_query": "tea"', b'"action_name": "click"', b'"timestamp": ', b'"query_id": "p0"', b"\\ud800"]
PIECES += [b'"event_attributes": {"position": {"ordinal": ', b'"query_response_hit_ids": ["d1", "d2"]', b"impression"]
PIECES += [b"query,", b"doc,", b"rank,", b"clicks\n", b"time,", b"2026-03-02", b"event,", b"results", b"0.5", b"\x01"]
junk = st.binary(max_size=60) | st.lists(st.sampled_from(PIECES), max_size=30).map(b"".join)
TABLE = b"serp_id,session,time,query,rank,doc,clicks,dwell\np0,s,2026-03-02,tea,1,d1,0,\np0,s,2026-03-02,tea,2,d2,1,3\n"
SEEDS: dict[str, bytes] = {
    "ubi": "\n".join(ubi(CLEAN[:2], index=True)).encode(),
    "yandex": b"s1\t0\tQ\t7\t1\ta\tb\ns1\t3\tC\tb\ns2\t0\tQ\t7\t1\ta\n",
    "yandex-sample": b"7_1\ta,b,c : b , z; 7_1\ta,b,c :\n8_1\td,e : d\n",
    "baidu": b"7\t1\x012\t-\n1\tm1\tt\ta\t0\t1" + b"\t0" * 26 + b"\n2\tm2\tt\ta\t0\t0" + b"\t0" * 26 + b"\n",
    "table": TABLE,
    "events": b"serp,action,query,pos,doc\n1,impression,tea,0,d1\n1,click,tea,0,d1\n",
    "pages": b'{"query": "tea", "results": ["d1", "d2"], "clicks": ["d2"]}\n{"query": "tea", "results": []}\n',
}


def mutated(data: bytes, seed: int, filling: bytes) -> bytes:
    """A file with a few bytes taken out, put in, or repeated."""
    rng = random.Random(seed)
    for _ in range(rng.randrange(1, 4)):
        start = rng.randrange(len(data) + 1)
        end = min(len(data), start + rng.randrange(12))
        data = rng.choice([
            data[:start] + data[end:], data[:start] + filling + data[start:], data[:end] + data[start:],
            data[:start] + filling + data[end:],
        ])  # fmt: skip
    return data


def read_or_refuse(data: bytes, **rules: Any) -> None:
    with contextlib.suppress(AssayError):
        assert_sound(read_log(Source(io.BytesIO(data), name="log"), **rules))


RULES: list[dict[str, Any]] = [
    {}, {"malformed": "drop"}, {"malformed": "drop", "zone": "Europe/Berlin", "rank_base": 0, "most_per_minute": 1},
    {"malformed": "drop", "longest_dwell": 1, "exclude": ["user_id=u*"], "session_gap": 1},
]  # fmt: skip


@pytest.mark.parametrize("layout", SEEDS)
@given(seed=st.integers(0, 2**32), filling=junk, rules=st.sampled_from(RULES))
@thoroughly
def test_a_damaged_log_is_read_or_refused(layout: str, seed: int, filling: bytes, rules: dict[str, Any]) -> None:
    read_or_refuse(SEEDS[layout], **rules)
    read_or_refuse(mutated(SEEDS[layout], seed, filling), **rules)


@pytest.mark.parametrize("layout", [*LOG_FORMATS, None])
@given(data=junk)
@thoroughly
def test_junk_is_read_as_any_layout_or_refused(layout: str | None, data: bytes) -> None:
    read_or_refuse(data, format=layout)
    read_or_refuse(data, format=layout, malformed="drop")


cells: dict[str, st.SearchStrategy[Any]] = {
    "serp": st.sampled_from(["p0", "p1", None]), "query": st.sampled_from(["tea", "", None]),
    "doc": st.sampled_from(["d1", "d2", "", None]), "rank": st.none() | st.integers(-2, 12) | st.just(2.5),
    "clicks": st.none() | st.integers(0, 3), "time": st.none() | st.integers(-(10**18), 10**18),
    "session": st.sampled_from(["s", None]), "user": st.sampled_from(["u", None]),
    "dwell": st.none() | st.floats(), "seen": st.none() | st.booleans(),
}  # fmt: skip


@given(data=st.data(), names=st.sets(st.sampled_from(["serp", "rank", "time", "session", "user", "dwell", "seen"])))
@thoroughly
def test_a_frame_of_odd_values_is_read_or_refused(data: st.DataObject, names: set[str]) -> None:
    columns = ["query", "doc", "clicks", *sorted(names)]
    rows = data.draw(st.lists(st.fixed_dictionaries({name: cells[name] for name in columns}), min_size=1, max_size=8))
    frame = pl.DataFrame({name: pl.Series([row[name] for row in rows], strict=False) for name in columns})
    with contextlib.suppress(AssayError):
        assert_sound(read_log(frame))
