"""Click logs: every layout gives the same tables; sessions, dwell, zones, filters; folders; what was left out."""

from __future__ import annotations

import io
import json
import random
import runpy
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from cases import in_turn
from command import run_assay
from log_files import START, Page, assert_sound, contents, rows, stamp, ubi
from shared_data import shared

from assay import AssayError, FormatError, InputError, Log, ParameterError, clicks, import_log, read_log, write_log
from assay.files import json_values, log_assembly, logs
from assay.files.log_looks import looks_like_log
from assay.files.sources import Source

ROOT = Path(__file__).parents[1]
BUNDLED = ROOT / "src" / "assay" / "data" / "clicks" / "log.ndjson.gz"
PAGES = [
    Page("tea", ["d1", "d2", "d3"], [1, 0], "u1", "s1", 0),
    Page("green tea", ["d2", "d4"], [], "u1", None, 2),
    Page("coffee", ["d5", "d6"], [1, 1], "u2", "s2", 1),
    Page("tee", [], [], "u2", None, 90),
]


def file(lines: list[str] | str, name: str = "log.ndjson") -> Source:
    text = lines if isinstance(lines, str) else "\n".join(lines) + "\n"
    return Source(io.BytesIO(text.encode()), name=name)


def read(lines: list[str] | str, **rules: Any) -> Log:
    log = read_log(file(lines), **rules)
    assert_sound(log)
    return log


def random_pages(count: int, seed: int) -> list[Page]:
    """Pages of some users, with clicks on what they show and on what they do not."""
    rng = random.Random(seed)
    pages = []
    for _ in range(count):
        docs = rng.sample([f"d{number}" for number in range(30)], rng.randrange(13))
        clicks: list[int | str] = [rng.randrange(len(docs)) for _ in range(rng.randrange(3))] if docs else []
        clicks += ["elsewhere"] * (rng.random() < 0.1)
        user = f"u{rng.randrange(9)}"
        session = f"{user}-named" if rng.random() < 0.2 else None
        pages.append(Page(f"q{rng.randrange(5)}", docs, clicks, user, session, rng.randrange(2000), rng.choice("ab")))
    return pages


# UBI ------------------------------------------------------------------------------------------------------------------


def test_a_page_has_its_results_its_clicks_and_its_session() -> None:
    log = read(ubi(PAGES))
    assert rows(log.impressions, "impression_id", "user_id", "session_id", "query_id", "n_results") == [
        ("p0", "u1", "s1", "tea", 3), ("p2", "u2", "s2", "coffee", 2), ("p1", "u1", "s1", "green tea", 2),
        ("p3", "u2", "u2#2026-03-02T09:30:00", "tee", 0),
    ]  # fmt: skip
    assert rows(log.results, "impression", "rank", "doc_id", "clicks") == [
        (0, 1, "d1", 1), (0, 2, "d2", 1), (0, 3, "d3", 0), (1, 1, "d5", 0), (1, 2, "d6", 2), (2, 1, "d2", 0),
        (2, 2, "d4", 0),
    ]  # fmt: skip
    # Until the next click or page of the session; of the last of a session, nobody knows.
    assert rows(log.events, "impression", "doc_id", "dwell_ms") == [
        (0, "d2", 10_000), (0, "d1", 100_000), (1, "d6", 10_000), (1, "d6", None),
    ]  # fmt: skip


def test_index_lines_the_order_of_lines_and_the_number_of_files_change_nothing() -> None:
    lines = ubi(PAGES)
    expected = contents(read(lines))
    assert contents(read(ubi(PAGES, index=True))) == expected
    random.Random(1).shuffle(lines)
    assert contents(read(lines)) == expected
    queries, events = ([line for line in lines if ("action_name" in line) == wanted] for wanted in (False, True))
    assert contents(read_log([file(events), file(queries)])) == expected


def test_a_dump_of_an_index_holds_the_same_log() -> None:
    lines = ubi(PAGES)
    dump = [json.dumps({"_index": "ubi", "_source": json.loads(line)}) for line in lines]
    assert contents(read(dump)) == contents(read(lines))
    last = len(dump) + 2
    odd = '{"_source": {"user_query": "tea", "query_id": "p9", "query_response_hit_ids": "d1"}}'
    for bad, expected in (("[1]", "a JSON object"), ("{}", "a query"), (odd, "a list as query_response_hit_ids")):
        with pytest.raises(FormatError, match=f"log.ndjson:{last}: expected {expected}"):
            read([*dump, "", bad])


@pytest.mark.parametrize("seed", range(2))
def test_a_log_in_parts_is_the_log_in_memory(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages and sessions straddle chunks and parts: it makes no difference."""
    pages = random_pages(60, seed)
    lines = ubi(pages)
    random.Random(seed).shuffle(lines)
    path = tmp_path / "log.ndjson"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    whole = read_log(path)
    monkeypatch.setattr(Source.chunks, "__defaults__", (900,))
    monkeypatch.setattr(logs, "_PART_BYTES", path.stat().st_size // 5)
    monkeypatch.setattr(log_assembly, "_ROWS_AT_ONCE", 100)
    parts = import_log(path, tmp_path / "kept")
    assert_sound(parts)
    assert contents(parts) == contents(whole)
    assert parts.remarks == whole.remarks
    assert contents(read_log(path)) == contents(whole)
    truth = {f"p{number}": page for number, page in enumerate(pages)}
    for key, rank, doc, count, _ in contents(whole)["results"]:
        places = [place for place in truth[key].clicks if place == rank - 1]
        assert truth[key].docs[rank - 1] == doc
        assert count == len(places)


ODD_VALUES = [
    "1", "1.0", "-0.0", "1e-7", "1e22", "1e400", "NaN", "9" * 60, "01", "true", "null", '""', '" a "', '"a', '"é\\n"',
    '"d\\u0031"', '"\\ud800"', '"2026-03-02"', '"2026-03-02T08:00:00Z"', "[]", '[1, 2.50, "d1", {"a": [1.0]}]', "{}",
    '{"object_id": 1.50}', '{"ordinal": "2", "ordinal": 3}', '{"t\\u006fok": 12.50, "page": "2"}',
    '{"object": {"object_id": "d2"}, "position": {"ordinal": 0}}', '{"object": 7, "position": []}',
    '{"position": {"ordinal": 1e0}, "dwell_ms": 5}',
]  # fmt: skip
ODD_NAMES = [
    "query_id", "user_query", "action_name", "timestamp", "client_id", "session_id", "index", "query_response_hit_ids",
    "query_attributes", "event_attributes", "application", "other",
]  # fmt: skip


@pytest.mark.parametrize("seed", range(2))
def test_lines_read_one_by_one_give_the_log_that_lines_read_at_once_give(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where a key comes twice, a value is of another kind, or a line is broken."""
    rng = random.Random(seed)
    lines = [*ubi(random_pages(40, seed), index=True), "{"]
    for place in rng.sample(range(len(lines) - 1), len(lines) // 6):
        fields = [f'"{rng.choice(ODD_NAMES)}": {rng.choice(ODD_VALUES)}' for _ in range(rng.randrange(1, 4))]
        others = rng.choice([lines[place][1:-1], '"query_id": "p1", "action_name": "click"', '"user_query": "tea"'])
        rng.shuffle(fields := [*fields, others])
        lines[place] = rng.choice(["{%s}", "{%s}\r", " {%s} ", "{%s}\n"]) % ", ".join(fields)
    monkeypatch.setattr(Source.chunks, "__defaults__", (3000,))
    monkeypatch.setattr(json_values, "_CAREFUL_BYTES", 400)

    def outcomes() -> list[Any]:
        log = read(lines, format="ubi", malformed="drop")
        with pytest.raises(FormatError) as refused:
            read(lines, format="ubi")
        tables = [frame.collect().rows() for frame in (log.impressions, log.results, log.events)]
        return [tables, log.remarks, log.oddities, str(refused.value)]

    fast, were_fast = json_values._fast_object_lines, set()

    def watched(*given: Any) -> pl.DataFrame | None:
        frame = fast(*given)
        were_fast.add(frame is not None)
        return frame

    monkeypatch.setattr(json_values, "_fast_object_lines", watched)
    expected = outcomes()
    assert were_fast == {False, True}
    monkeypatch.setattr(json_values, "_fast_object_lines", lambda *_: None)
    assert outcomes() == expected


def test_ranks_from_0_are_found_out_for_each_application() -> None:
    def shown(application: str, ordinal: int, action: str = "impression") -> str:
        about = {"object": {"object_id": f"d{ordinal}"}, "position": {"ordinal": ordinal}}
        return json.dumps({"application": application, "query_id": application, "action_name": action,
                           "user_query": "tea", "timestamp": stamp(0), "event_attributes": about})  # fmt: skip

    lines = [shown("a", 0), shown("a", 1), shown("a", 1, "click"), shown("b", 1), shown("b", 3), shown("b", 3, "click")]
    log = read(lines)
    assert contents(log)["results"] == [
        ("a", 1, "d0", 0, True), ("a", 2, "d1", 1, True), ("b", 1, "d1", 0, True), ("b", 3, "d3", 1, True),
    ]  # fmt: skip
    assert "1 application with ranks that start at 0: one was added to each" in log.remarks
    assert [rank for _, rank, *_ in contents(read(lines[3:], rank_base=0))["results"]] == [2, 4]


def test_what_was_seen_is_marked_on_what_was_returned() -> None:
    about = {"object": {"object_id": "d2"}, "position": {"ordinal": 2}}
    seen = {"query_id": "p0", "action_name": "impression", "timestamp": stamp(0), "event_attributes": about}
    log = read([*ubi(PAGES[:2]), json.dumps(seen)])
    assert [(key, doc, seen) for key, _, doc, _, seen in contents(log)["results"]] == [
        ("p0", "d1", False), ("p0", "d2", True), ("p0", "d3", False), ("p1", "d2", None), ("p1", "d4", None),
    ]  # fmt: skip
    assert log.sizes[2] == 2  # seeing is no click


def test_a_document_twice_on_a_page_is_clicked_where_it_was_clicked() -> None:
    clicks = [row[-1] for row in rows(read(ubi([Page("tea", ["d1", "d2", "d1"], [2])])).results, "clicks")]
    assert clicks == [0, 0, 1]
    unplaced = ubi([Page("tea", ["d1", "d2", "d1"], ["d1"])])
    assert [row[-1] for row in rows(read(unplaced).results, "clicks")] == [1, 0, 0]
    again = Log.from_pages([("tea", ["d1", "d2", "d1"], ["d1", "d1"])])
    assert rows(again.results, "clicks") == [(2,), (0,), (0,)]


def test_a_log_may_start_with_an_event_without_a_time() -> None:
    lines = [*ubi(PAGES[:1]), '{"action_name": "click", "query_id": "p0", "event_attributes": {}}']
    assert read(lines[::-1]).sizes == read(lines).sizes == (1, 3, 3)


def test_a_query_that_comes_again_is_the_first_that_returned_anything() -> None:
    empty = Page("tea", [], [], "u1", None, 0, name="p0")
    full = Page("tea", ["d1"], [0], "u1", None, 0.01, name="p0")
    other = Page("tea", ["d2"], [], "u1", None, 3, name="p0")
    log = read(ubi([empty, full, other]))
    assert rows(log.results, "doc_id", "clicks") == [("d1", 1)]
    assert log.remarks == ("2 result pages came again under the same id: the first was kept",)


def test_attributes_of_queries_and_events_are_found_by_their_names_or_as_said() -> None:
    query = json.dumps({
        "query_id": "p0", "user_query": "Tea  Pot", "query_response_hit_ids": [7], "timestamp": stamp(0),
        "query_attributes": {"variant": "B", "took": 12.5, "page": "2", "answered": True, "bucket": "new"},
    })  # fmt: skip
    about = {"object": {"object_id": 7}, "position": {"ordinal": "1"}, "dwell_time": 2.5}
    click = json.dumps({"query_id": "p0", "action_name": "click", "timestamp": stamp(1), "event_attributes": about})
    log = read([query, click])
    names = ("system", "latency_ms", "page", "answered", "query_id", "query_text")
    assert rows(log.impressions, *names) == [("B", 12.5, 2, True, "Tea  Pot", "Tea  Pot")]
    assert rows(log.events, "rank", "doc_id", "dwell_ms") == [(1, "7", 2500.0)]
    assert rows(read([query, click], columns={"system": "bucket"}).impressions, "system") == [("new",)]
    with pytest.raises(ParameterError, match="no table has a column 'buckt'"):
        read([query, click], columns={"system": "buckt"})


# Other layouts --------------------------------------------------------------------------------------------------------


def test_yandex_clicks_are_of_the_last_page_of_their_session_that_showed_the_document() -> None:
    lines = ["s1\t0\tQ\t7\t1\ta\tb", "s2\t0\tQ\t9\t1\ta", "s1\t3\tC\tb", "s1\t5\tQ\t8\t1\tc\tb", "s1\t7\tC\ta",
             "s1\t8\tC\tb", "s1\t9\tC\tz", "s2\t4\tC\ta"]  # fmt: skip
    log = read(lines)
    names = rows(log.impressions, "impression_id")
    assert [(*names[page], doc, rank) for page, doc, rank in rows(log.events, "impression", "doc_id", "rank")] == [
        ("s1/1", "b", 2), ("s1/1", "a", 1), ("s2/2", "a", 1), ("s1/4", "b", 2), ("s1/4", "z", None),
    ]  # fmt: skip
    # Nobody knows what their times count, so that none is taken for seconds.
    assert "in units that are not known" in log.remarks[0]
    assert not {"impressions.time", "events.time", "events.dwell_ms"} & log.known
    reasons = clicks(log, measures="TimeToFirstClick, Reformulation, PogoSticking, SatisfiedClicks").undefined()
    assert {reason.partition("has n")[0] for reason in reasons.values()} == {"the log "}
    assert len(reasons) == 4


def test_the_sample_of_yandex_has_repeated_clicks_and_clicks_on_what_was_not_shown() -> None:
    log = read("7_1\ta,b,c : b , b , z;  7_1\ta,b,c :\n8_2\td,e,f : d\n")
    assert rows(log.results, "impression", "doc_id", "clicks") == [
        (0, "a", 0), (0, "b", 2), (0, "c", 0), (1, "a", 0), (1, "b", 0), (1, "c", 0), (2, "d", 1), (2, "e", 0),
        (2, "f", 0),
    ]  # fmt: skip
    assert rows(log.events, "doc_id", "rank") == [("b", 2), ("b", 2), ("z", None), ("d", 1)]


def baidu(rank: int, url: str, clicked: int, count: int = 0, dwell: str = "0") -> str:
    fields = ["-"] * 32
    fields[0], fields[1], fields[5], fields[16], fields[25] = str(rank), url, str(clicked), dwell, str(count)
    return "\t".join(fields)


def test_baidu_has_a_line_for_the_query_and_one_for_each_result() -> None:
    log = read(["7\t1\x012\t-", baidu(1, "m1", 0), baidu(2, "m2", 1, 2, "8.5"), "7\t1\x012\t-", baidu(1, "m1", 1)])
    assert rows(log.impressions, "query_id", "query_text") == [("7", "1 2"), ("7", "1 2")]
    assert rows(log.results, "impression", "rank", "doc_id", "clicks") == [
        (0, 1, "m1", 0), (0, 2, "m2", 2), (1, 1, "m1", 1),
    ]  # fmt: skip
    assert rows(log.events, "value", "dwell_ms") == [(8.5, None), (8.5, None), (0.0, None)]


TABLE = "serp_id,user,query,position,url,clicked\np0,u1,Tea,0,d1,0\np0,u1,Tea,1,d2,yes\np1,u2,tea,0,d2,no\n"


def test_a_table_of_results_of_events_or_of_pages_gives_the_same_clicks() -> None:
    of_results = read(TABLE)
    of_events = read(
        "serp_id,user,query,event,pos,url\np0,u1,Tea,impression,1,d1\np0,u1,Tea,impression,2,d2\np0,u1,Tea,click,2,d2\n"
        "p1,u2,tea,view,1,d2\n"
    )
    of_pages = read([
        '{"search_id": "p0", "user": "u1", "query": "Tea", "results": ["d1", "d2"], "clicks": ["d2"]}',
        '{"search_id": "p1", "user": "u2", "query": "tea", "results": ["d2"], "clicks": []}',
    ])  # fmt: skip
    in_cells = read("search_id;user;query;docs;clicks\np0;u1;Tea;d1|d2;d2\np1;u2;tea;d2;\n")
    expected = [("p0", 1, "d1", 0), ("p0", 2, "d2", 1), ("p1", 1, "d2", 0)]
    for log in (of_results, of_events, of_pages, in_cells):
        assert [row[:4] for row in contents(log)["results"]] == expected
        assert rows(log.impressions, "query_id", "user_id") == [("Tea", "u1"), ("tea", "u2")]
    folded = read(TABLE.replace("Tea", " TEA"), fold_queries=True)
    assert rows(folded.impressions, "query_id", "query_text") == [("tea", " TEA"), ("tea", "tea")]


def test_events_of_a_page_in_two_pieces_of_a_file_are_all_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Source.chunks, "__defaults__", (60,))
    shown = [f"p{page},u1,tea,impression,{rank},d{rank}" for page in range(9) for rank in (1, 2, 3)]
    log = read(["serp_id,user,query,event,pos,url", *shown, "p8,u1,tea,click,2,d2"])
    assert log.sizes == (9, 27, 1)
    assert not log.remarks


def test_clicks_that_rows_of_results_count_are_in_the_order_of_ranks_whatever_the_order_of_rows() -> None:
    lines = ["p1,tea,d1,1,0", "p1,tea,d2,2,1", "p1,tea,d3,3,2", "p2,tea,d1,1,1", "p2,tea,d9,2,1"]
    for seed in range(5):
        shuffled = random.Random(seed).sample(lines, len(lines))
        log = read(["serp_id,query,doc_id,rank,clicked", *shuffled])
        events = log.events.select("rank").collect()["rank"]
        assert sorted(events.to_list()) == [1, 2, 2, 3, 3]
        by_page = log.events.group_by("impression").agg("rank").collect()["rank"].to_list()
        assert all(ranks == sorted(ranks) for ranks in by_page)


def test_a_row_of_a_result_that_comes_again_is_left_out_with_its_clicks() -> None:
    lines = ["serp_id,query,doc_id,rank,clicked", "p1,tea,d1,1,0", "p1,tea,d2,2,2", "p2,tea,d1,1,0", "p2,tea,d1,1,1"]
    log = read([*lines, "p1,tea,d2,2,2", "p1,tea,d3,2,0"])
    assert log.results.select("doc_id", "clicks").collect().rows() == [("d1", 0), ("d2", 2), ("d1", 1)]
    assert log.sizes == (2, 3, 3)
    assert log.remarks == (
        "2 results came again at the same rank of a page: the first was kept",
        "1 result at a rank where another document stands: left out",
    )


def test_tables_are_read_from_every_kind_of_file_and_from_frames(tmp_path: Path) -> None:
    expected = contents(read(TABLE))
    frame = pl.read_csv(io.StringIO(TABLE))
    frame.write_parquet(tmp_path / "log.parquet")
    frame.write_ipc(tmp_path / "log.arrow", compression="uncompressed")
    (tmp_path / "log.tsv").write_text(TABLE.replace(",", "\t"), encoding="utf-8")
    (tmp_path / "log.jsonl").write_bytes(frame.write_ndjson().encode())
    for name in ("log.parquet", "log.arrow", "log.tsv", "log.jsonl"):
        assert contents(read_log(tmp_path / name)) == expected, name
    assert contents(read_log(frame)) == expected
    assert contents(read_log(frame.to_pandas())) == expected


def test_a_data_frame_may_have_columns_of_several_types() -> None:
    """What pandas keeps as objects: numbers and text, true and 1, decimals of a database, cells of nothing."""
    pandas = pytest.importorskip("pandas")
    columns = {
        "query": [1, "tea", 1], "doc": ["nan", 2, 3.5], "rank": [1, "2", 3], "serp": ["a", "a", "a"],
        "clicks": [True, Decimal(2), pandas.NA],
    }  # fmt: skip
    log = read_log(pandas.DataFrame(columns).assign(query="tea"))
    rows = log.results.select("doc_id", "rank", "clicks").collect().rows()
    assert rows == [("nan", 1, 1), ("2", 2, 2), ("3.5", 3, 0)]
    assert read_log(pandas.DataFrame(columns).assign(serp=[1, 2, 3])).impressions.collect()["query_text"].to_list() == [
        "1", "tea", "1",
    ]  # fmt: skip


def test_rows_without_a_page_are_one_while_ranks_rise_also_across_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    table = "query,rank,doc,click\n" + "".join(
        f"q{page % 3 // 2},{rank},d{rank},{int(rank == page % 4)}\n" for page in range(40) for rank in range(1, 5)
    )
    whole = read(table)
    assert whole.sizes[0] == 40
    monkeypatch.setattr(Source.chunks, "__defaults__", (50,))
    assert contents(read(table)) == contents(whole)
    assert whole.remarks[0].startswith("no column names result pages")


def test_a_quoted_line_break_is_part_of_a_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Source.chunks, "__defaults__", (10,))
    log = read('serp_id,query,doc,rank,clicks\np0,"tea\npot",d1,1,1\np0,"tea\npot",d2,2,0\n')
    assert rows(log.impressions, "query_id", "n_results") == [("tea\npot", 2)]


# Lines that are wrong -------------------------------------------------------------------------------------------------


WRONG: dict[str, tuple[list[str] | str, int, str]] = {
    "not JSON": ([*ubi(PAGES[:1]), '{"query_id": '], 4, "a JSON object"),
    "a list": ([*ubi(PAGES[:1]), "[1]"], 4, "a JSON object"),
    "neither query nor event": ([*ubi(PAGES[:1]), '{"client_id": "u1"}'], 4, "a query"),
    "one result": (
        [*ubi(PAGES[:1]), '{"user_query": "tea", "query_response_hit_ids": "d1"}'],
        4,
        "a list as query_resp",
    ),
    "yandex": (["s1\t0\tQ\t7\t1\ta", "s1\tx\tC\ta"], 2, "SessionID"),
    "yandex sample": ("7_1\ta,b : a\n7_1\ta,,b : a\n", 2, "query_region"),
    "baidu": (["7\t1\t-", baidu(1, "m1", 0), "1\t2"], 3, "Qid"),
    "a short row": ("serp,query,doc,clicks\n1,tea,d1,0\n1,tea\n", 3, "4 fields"),
    "clicks": ("serp,query,doc,clicks\n1,tea,d1,0\n1,tea,d2,often\n", 3, "a number of clicks"),
    "an open quote": ('serp,query,doc,clicks\n1,"tea,d1,0\n2,tea,d1,0\n', 2, "fields quoted as in CSV"),
    "objects for ids": (
        ['{"query": "tea", "results": ["d1"], "clicks": []}', '{"query": "tea", "results": [{"id": 1}], "clicks": []}'],
        2,
        "a list of ids as results",
    ),
}


@in_turn("wrong", WRONG)
def test_a_line_that_is_no_record_is_named_or_counted(wrong: str) -> None:
    lines, number, expected = WRONG[wrong]
    with pytest.raises(FormatError) as refused:
        read(lines)
    assert str(refused.value).startswith(f"log.ndjson:{number}: expected ")
    assert expected in refused.value.expected
    log = read(lines, malformed="drop")
    assert log.remarks[-1] == "1 line that cannot be read as a record: left out"
    assert log.sizes[0] == 1


@in_turn("text", ["", "q1 Q0 d1 1 0.5 tag\n", "some text\n", "query,doc\na,b\n", '{"a": 1}\n'])
def test_what_is_no_log_is_refused(text: str) -> None:
    assert not looks_like_log(file(text))
    with pytest.raises(InputError, match=r"log\.ndjson"):
        read(text)


def test_empty_lists_long_lists_and_giant_sessions_are_read() -> None:
    pages = [Page("tea", [], [], session="s", minute=minute) for minute in range(500)]
    pages.append(Page("tea", [f"d{number}" for number in range(2000)], [1999], session="s"))
    log = read(ubi(pages))
    assert log.sizes == (501, 2000, 1)
    assert rows(log.events, "rank") == [(2000,)]
    assert log.impressions.collect()["session_id"].n_unique() == 1


# Times, sessions, filters ---------------------------------------------------------------------------------------------


@in_turn(
    ("text", "expected"),
    [
        ("2026-03-02T08:00:00Z", START), ("2026-03-02T09:00:00+01:00", START), ("2026-03-02T08:00:00.000+0000", START),
        ("2026-03-02 08:00:00", START), ("2026-03-02T08:00", START), ("2026-03-02T08:00Z", START),
        ("2026-03-02", START.replace(hour=0)), ("Mon Mar 02 08:00:00 2026", START),
        ("1772438400", START), ("1772438400000", START),
        ("1772438400000000", START), ("2026-03-02 09:00:00+01:00", START), ("soon", None), ("-5", None), ("9e18", None),
    ],
)  # fmt: skip
def test_times_are_in_utc_whatever_they_are_written_in(text: str, expected: datetime | None) -> None:
    log = read(f'serp,query,doc,clicks,time\n1,tea,d1,0,"{text}"\n')
    assert rows(log.impressions, "time") == [(expected,)]
    assert (log.oddities[0].code == "odd-time") if expected is None else all("odd" not in odd for odd in log.oddities)


def test_a_time_without_a_zone_is_in_the_one_that_is_said_and_counted() -> None:
    table = "serp,query,doc,clicks,time\n1,tea,d1,0,2026-07-02 08:00:00\n2,tea,d1,0,2026-01-02 08:00:00\n"
    assert rows(read(table).impressions, "time") == [(datetime(2026, 1, 2, 8),), (datetime(2026, 7, 2, 8),)]
    assert read(table).remarks == ("2 times without a time zone: read as UTC",)
    berlin = read(table, zone="Europe/Berlin")
    assert rows(berlin.impressions, "time") == [(datetime(2026, 1, 2, 7),), (datetime(2026, 7, 2, 6),)]
    with pytest.raises(ParameterError, match="no time zone is called 'Berlin'"):
        read(table, zone="Berlin")


def test_a_row_without_a_document_or_a_rank_is_of_a_page_that_showed_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rows_of = ["p1,tea,1,d1,1", "p2,teaa,,,", "p3,mug,,,0", "p4,mug,1,,0", "p4,mug,2,d4,0", "p5,pot,3,,0", "p6,pot,,,0",
               "p6,pot,1,d6,0", "p6,pot,2,d7,0", "p7,cup,,,1"]  # fmt: skip
    for piece in (1000, 20):
        monkeypatch.setattr(Source.chunks, "__defaults__", (piece,))
        log = read("\n".join(["serp,query,position,url,clicked", *rows_of, ""]), rank_base=1)
        pages = rows(log.impressions, "impression_id", "n_results")
        assert sorted(pages) == [("p1", 1), ("p2", 0), ("p3", 0), ("p4", 1), ("p6", 2)]
        assert "3 rows without a document: left out" in log.remarks
        assert clicks(log, "ZeroResults").value("ZeroResults") == 2 / 5


def test_sessions_end_with_a_pause_and_named_ones_spread_to_their_neighbours() -> None:
    minutes = [(0, None), (29, "S"), (58, None), (89, None), (119, None)]
    pages = [Page("tea", ["d1"], [0] * (name is not None), "u1", name, minute) for minute, name in minutes]
    first, *others = (f"u1#2026-03-02T{start}:00" for start in ("08:00", "08:58", "09:29", "09:59"))
    assert rows(read(ubi(pages)).impressions, "session_id") == [("S",)] * 3 + [(others[1],)] * 2
    finer = read(ubi(pages), session_gap=10)
    assert [row[0] for row in rows(finer.impressions, "session_id")] == [first, "S", *others]
    nobody = [page._replace(user=None) for page in pages[2:]]
    assert rows(read(ubi(nobody)).impressions, "session_id") == [(None,)] * 3


def test_a_click_before_its_page_tells_no_dwell() -> None:
    lines = ubi([Page("tea", ["d1"], [0], "u1", "s1", 0), Page("tea", ["d1"], [], "u1", "s1", 5)])
    early = [line.replace("T08:", "T07:") if "click" in line else line for line in lines]
    dwells = [rows(read(log).events, "dwell_ms") for log in (lines, early)]
    assert dwells == [[(5 * 60_000.0 - 10_000.0,)], [(None,)]]


def test_logs_that_were_read_one_by_one_keep_their_sessions_apart() -> None:
    first, second = (read(ubi([Page("tea", ["d1"], [], "u1", None, minute)])) for minute in (0, 600))
    assert read_log([first, second]).impressions.collect()["session_id"].n_unique() == 2


@pytest.mark.parametrize("user", ["u1", None])
def test_pages_that_logs_read_one_by_one_have_in_common_count_once(
    user: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = ubi([Page("tea", ["d1"], [0], user, None, minute) for minute in range(0, 400, 40)])
    first, second = (read(part) for part in (lines[:12], lines[8:]))
    for part_bytes in (logs._PART_BYTES, 300):
        monkeypatch.setattr(logs, "_PART_BYTES", part_bytes)
        assert read(lines).sizes == (10, 10, 10)
        for given in ([first, second], [first, file(lines[8:])], [file(lines[:12]), second]):
            both = read_log(given)
            assert both.sizes == (10, 10, 10)
            assert "2 result pages came again under the same id: the first was kept" in both.remarks


HEADER, SECOND = "serp,query,results,clicks\np1,tea,,\n", '"query": "tea", "results": ["d1", "d2"], "clicks": ["d2"]}\n'
LISTS = {
    "JSON in CSV": f'{HEADER}p2,tea,"[""d1"", ""d 2""]","[""d 2""]"\n',
    "Python in CSV": f"{HEADER}p2,tea,\"['d1', 'd2']\",['d2']\n",
    "blanks in CSV": f"{HEADER}p2,tea,d1 d2,d2\n",
    "JSONL, null first": f'{{"serp": "p1", "query": "tea", "results": null, "clicks": null}}\n{{"serp": "p2", {SECOND}',
    "JSONL, nothing first": f'{{"serp": "p1", "query": "tea"}}\n{{"serp": "p2", {SECOND}',
}


@in_turn("text", LISTS.values(), ids=LISTS)
def test_lists_of_results_and_clicks_hold_ids_however_they_are_written(text: str) -> None:
    documents = [doc.replace(" ", "") for (doc,) in rows(read(text).results, "doc_id")]
    assert (documents, rows(read(text).results, "clicks")) == (["d1", "d2"], [(0,), (1,)])


FLAGGED = {
    "JSONL": '{"query": "tea", "results": ["d1", "d2", "d1"], "clicks": [0, 1, 1]}\n'
    '{"query": "tea", "results": ["d1", "d2"], "clicks": [false, false]}\n'
    '{"query": "pot", "results": [], "clicks": []}',
    "CSV": 'query;results;clicks\ntea;d1 d2 d1;0 1 1\ntea;["d1", "d2"];["False", "false"]\npot;;',
    "frame": pl.DataFrame({"query": ["tea", "tea", "pot"], "results": [["d1", "d2", "d1"], ["d1", "d2"], []],
                           "clicks": [[False, True, True], [False, False], None]}),
}  # fmt: skip


@in_turn("given", FLAGGED.values(), ids=FLAGGED.keys())
def test_clicks_may_say_of_each_result_whether_it_was_clicked(given: str | pl.DataFrame) -> None:
    log = read(given) if isinstance(given, str) else read_log(given)
    assert log.sizes == (3, 5, 2)
    clicked = log.results.filter(pl.col("clicks") > 0)
    assert rows(clicked, "impression", "rank", "doc_id") == [(0, 2, "d2"), (0, 3, "d1")]


def test_documents_may_be_called_0_and_1() -> None:
    log = read('{"query": "tea", "results": ["0", "1"], "clicks": ["1", "0"]}')
    assert rows(log.events, "doc_id", "rank") == [("1", 2), ("0", 1)]


def test_events_may_have_the_results_of_a_search_and_no_column_of_documents() -> None:
    log = read('search_id,query,event,results\np1,tea,search,"d1,d2"\np1,tea,leave,\n')
    assert (log.sizes, rows(log.events, "action")) == ((1, 2, 0), [("leave",)])


def test_text_that_is_not_utf_8_is_refused_by_its_line() -> None:
    table = b"serp,query,doc,clicks\n1,tea,d1,0\n2,th\xe9,d1,1\n"
    with pytest.raises(FormatError, match=r":3: expected text in UTF-8"):
        read_log(io.BytesIO(table))
    assert read_log(io.BytesIO(table), malformed="drop").sizes == (1, 1, 0)


def test_a_quotation_mark_within_a_field_is_part_of_it() -> None:
    log = read('serp,query,doc,clicks\n1,27" screen,d1,0\n2,tea,d1,1\n')
    assert rows(log.impressions, "query_text") == [('27" screen',), ("tea",)]


def test_files_that_number_their_pages_alike_are_noticed() -> None:
    days = [file(f"serp,query,doc,rank,clicks\n1,{query},d1,1,1\n", f"{query}.csv") for query in ("tea", "milk")]
    assert "1 result page came again under the same id: the first was kept" in read_log(days).remarks
    assert not read_log([days[0], file("serp,query,doc,rank,clicks\n1,tea,d2,2,0\n")]).remarks


def test_a_rank_that_no_list_reaches_is_unknown() -> None:
    log = read("serp,query,doc,rank,clicks\n1,tea,d1,1,0\n1,tea,d2,999999999,1\n")
    assert (rows(log.results, "rank"), log.oddities[0].code) == ([(1,)], "odd-rank")


def test_amounts_that_cannot_be_read_are_counted() -> None:
    log = read(
        'serp,query,doc,clicks,dwell_seconds,took\n1,tea,d1,1,"12,5",fast\n1,tea,d2,1,12.5,\n2,milk,d1,1,NA,20\n'
    )
    assert log.remarks == ("2 cells of dwell, latency or propensity without a readable number: unknown",)
    assert rows(log.events, "dwell_ms") == [(None,), (12_500.0,), (None,)]


def test_ids_that_a_frame_holds_as_floats_are_whole_numbers() -> None:
    frame = pl.DataFrame({"serp": [1.0, 1.0], "query": ["tea", "tea"], "doc": [7.0, None], "clicks": [1, 0]})
    assert rows(read_log(frame).results, "doc_id") == [("7",)]


def test_what_comes_through_a_pipe_is_read_in_parts_too() -> None:
    assert logs._bytes(file("x" * 1000)) == 1000


def test_events_sent_again_are_left_out_unless_they_are_kept() -> None:
    lines = ubi(PAGES[:1])
    log = read([*lines, lines[-1]])
    assert log.sizes[2] == 2
    assert log.remarks == ("1 event sent again, with the same time, action and document: left out",)
    assert read([*lines, lines[-1]], repeated_events="keep").sizes[2] == 3
    assert read("7_1\ta,b : b , b\n").sizes[2] == 2  # there are no times: they may well be two clicks


def test_clicks_that_name_a_rank_alone_are_other_clicks_at_other_ranks() -> None:
    shown = [f"p1,2026-03-02T08:00:00,tea,impression,{rank},d{rank}" for rank in (1, 2, 3)]
    clicked = [f"p1,2026-03-02T08:00:07,tea,click,{rank}," for rank in (2, 3, 2)]
    log = read(["serp_id,time,query,event,position,url", *shown, *clicked])
    assert rows(log.events, "rank", "doc_id") == [(2, "d2"), (3, "d3")]


def test_every_filter_counts_what_it_leaves_out() -> None:
    pages = [
        Page("tea", ["d1"], [0], f"u{number}", None, number, "old" if number % 2 else "new") for number in range(10)
    ]
    pages += [Page("tea", ["d1"], [], "robot", None, 20 + number / 60) for number in range(30)]
    pages += [Page("tea", ["d1"], [], f"qa-{number}", None, 40) for number in range(3)]
    filters: dict[str, tuple[dict[str, Any], int, str]] = {
        "since": ({"since": stamp(5)}, 5, "5 result pages outside the period: left out"),
        "until": ({"until": datetime(2026, 3, 2, 8, 30)}, 3, "3 result pages outside the period: left out"),
        "systems": ({"systems": ["old"]}, 5, "5 result pages of other systems: left out"),
        "exclude by parts": ({"exclude": ["user_id=*a-*", "query_text=c*f*e"]}, 3,
                             "3 result pages excluded by user_id=*a-*, query_text=c*f*e: left out"),
        "exclude": ({"exclude": ["user_id=qa-?", "query_text=coffee"]}, 3,
                    "3 result pages excluded by user_id=qa-?, query_text=coffee: left out"),
        "robots": ({"most_per_minute": 20}, 30,
                   "30 result pages of users with more than 20 queries in a minute: left out"),
    }  # fmt: skip
    for name, (rules, left, remark) in filters.items():
        log = read(ubi(pages), **rules)
        assert log.sizes[0] == len(pages) - left, name
        assert log.remarks == (remark,), name
    both = read(ubi(pages), most_per_minute=20, systems="old", exclude="user_id=qa-*")
    assert sum(odd.number for odd in both.oddities) + both.sizes[0] == len(pages)
    assert read(ubi(pages), most_per_minute=30).sizes[0] == len(pages)
    assert read("serp,query,doc,clicks\n1,tea,d1,0\n", most_per_minute=1).sizes[0] == 1  # nobody knows whose it is
    with pytest.raises(InputError, match="43 result pages outside the period: left out"):
        read(ubi(pages), since="2027-01-01")


def test_dwell_that_cannot_be_is_unknown_not_zero() -> None:
    pages = [Page("tea", ["d1", "d2"], [0], "u1", "s", 0), Page("tea", ["d1"], [0], "u1", "s", 100)]
    assert rows(read(ubi(pages)).events, "dwell_ms") == [(99 * 60_000 + 50_000,), (None,)]
    log = read(ubi(pages), longest_dwell=60)
    assert rows(log.events, "dwell_ms") == [(None,), (None,)]
    assert log.remarks == ("1 dwell time negative, or longer than 60 minutes: unknown",)
    assert clicks(log).value("SatisfiedClicks") == 0.5  # the last, not the one of which nobody knows
    assert rows(read_log(log, most_per_minute=99).events, "dwell_ms") == [(None,), (None,)]
    table = "serp,query,doc,clicks,dwell\n1,tea,d1,1,-3\n2,tea,d1,1,3\n"
    assert rows(read(table).events, "dwell_ms") == [(None,), (3000.0,)]


@in_turn(
    ("rules", "says"),
    [
        ({"rank_base": 2}, "rank_base=... is 0 or 1, not 2"), ({"session_gap": 0}, "above 0, not 0"),
        ({"since": "Monday"}, "not 'Monday'"), ({"exclude": ["user"]}, "as user_id=qa-*, not 'user'"),
        ({"exclude": ["latency_ms=3"]}, "not 'latency_ms=3'"), ({"format": "ubo"}, "choose a format of ubi"),
        ({"sytems": ["a"]}, "unknown argument 'sytems'; did you mean systems?"),
    ],
)  # fmt: skip
def test_rules_that_make_no_sense_are_refused(rules: dict[str, Any], says: str) -> None:
    with pytest.raises(ParameterError) as refused:
        read(ubi(PAGES), **rules)
    assert says in str(refused.value)


# Folders --------------------------------------------------------------------------------------------------------------


def test_a_log_is_written_and_read_back_with_its_remarks(tmp_path: Path) -> None:
    lines = ubi(PAGES)
    log = read([*lines, lines[1]])
    folder = write_log(log, tmp_path / "kept")
    back = read_log(folder)
    assert contents(back) == contents(log)
    assert (back.remarks, back.oddities, back.name) == (log.remarks, log.oddities, log.name)
    assert json.loads((folder / "log.json").read_text())["counts"] == {"impressions": 4, "results": 7, "events": 4}
    assert looks_like_log(folder)
    cleaned = read_log(folder, systems=("old",), since=stamp(1))
    assert_sound(cleaned)
    assert [row[0] for row in contents(cleaned)["pages"]] == ["p1", "p2", "p3"]
    assert cleaned.remarks == (*log.remarks, "1 result page outside the period: left out")


def test_periods_are_in_the_zone_that_is_said() -> None:
    """Midnight in Berlin is an hour before that of UTC."""
    pages = [{"user_query": "tea", "query_id": str(hour), "timestamp": f"2026-03-02T{hour:02d}:30:00"}
             for hour in range(3)]  # fmt: skip
    for rules, left in (({"zone": "Europe/Berlin"}, 2), ({}, 2), ({"zone": "America/New_York"}, 2)):
        log = read([json.dumps(page) for page in pages], since="2026-03-02T01:00", **rules)
        assert log.sizes[0] == left
    stated = [json.dumps(page | {"timestamp": page["timestamp"] + "Z"}) for page in pages]
    assert read(stated, since="2026-03-02T02:00", zone="Europe/Berlin").sizes[0] == 2
    assert read(stated, since="2026-03-02T02:00Z", zone="Europe/Berlin").sizes[0] == 1


def test_hits_without_an_id_leave_their_rank_empty_and_are_counted() -> None:
    query = {
        "user_query": "tea",
        "query_id": "p",
        "timestamp": stamp(0),
        "query_response_hit_ids": ["a", None, "", "b"],
    }
    log = read([json.dumps(query)])
    assert log.results.select("rank", "doc_id").collect().rows() == [(1, "a"), (4, "b")]
    assert any("2 rows without a document" in remark for remark in log.remarks)


def test_what_an_import_settled_is_not_asked_for_again(tmp_path: Path) -> None:
    folder = write_log(read(ubi(PAGES)), tmp_path / "kept")
    asked: dict[str, Any] = {"session_gap": 5.0, "rank_base": 0, "format": "ubi"}
    for name, value in asked.items():
        with pytest.raises(
            ParameterError, match=f"kept: was read before, .*: use {name}=... where you read its source"
        ):
            read_log(folder, **{name: value})
    assert read_log(folder, session_gap=30.0, zone="Europe/Berlin").sizes == read(ubi(PAGES)).sizes
    users = Log.from_pages([("tea", ["d1"], [])] * 2, user_id=["u1"] * 2, time=[START, START.replace(minute=20)])
    assert read_log(users, session_gap=5.0).impressions.collect()["session_id"].n_unique() == 2


def test_a_folder_is_replaced_only_if_it_is_a_log_and_no_input(tmp_path: Path) -> None:
    log = read(ubi(PAGES))
    folder = write_log(log, tmp_path / "kept")
    with pytest.raises(InputError, match="already exists"):
        write_log(log, folder)
    write_log(log.where(pl.col("query_id") == "tea"), folder, overwrite=True)
    assert read_log(folder).sizes[0] == 1
    with pytest.raises(ParameterError, match="is an input"):
        write_log(read_log(folder), folder, overwrite=True)
    (tmp_path / "mine").mkdir()
    with pytest.raises(InputError, match="not the folder of a log"):
        write_log(log, tmp_path / "mine", overwrite=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept", "mine"]


def test_an_import_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    source = tmp_path / "log.ndjson"
    source.write_text("\n".join([*ubi(PAGES), "{"]), encoding="utf-8")
    with pytest.raises(FormatError):
        import_log(source, tmp_path / "kept")
    assert [path.name for path in tmp_path.iterdir()] == ["log.ndjson"]


def test_an_import_refuses_columns_that_are_not_there_before_it_writes(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("serp_id,query,doc_id,rank,clicked\np1,tea,d1,1,0\n", encoding="utf-8")
    done = run_assay("log", "import", "log.csv", "-o", "kept", "--columns", "system=bucket", folder=tmp_path)
    there = "serp_id, query, doc_id, rank, clicked"
    assert (done.returncode, done.stderr) == (
        2,
        f"assay: --columns: no table has a column 'bucket': there are {there}\n",
    )
    assert [path.name for path in tmp_path.iterdir()] == ["log.csv"]


def test_a_table_of_which_columns_are_not_known_says_how_to_name_them() -> None:
    with pytest.raises(FormatError, match=r"clicks may be called click, clicked.*as in query_id='Suchwort'"):
        read("Suchwort,Artikel,geklickt\ntea,d1,1\n")


def test_a_damaged_folder_is_refused(tmp_path: Path) -> None:
    folder = write_log(read(ubi(PAGES)), tmp_path / "kept")
    (folder / "events.parquet").write_bytes(b"PAR1" + bytes(40) + b"PAR1")
    with pytest.raises(FormatError, match=r"events\.parquet"):
        read_log(folder)
    (folder / "log.json").write_text('{"assay_log": 99}')
    with pytest.raises(FormatError, match="version 1"):
        read_log(folder)


def test_progress_adds_up_to_the_whole(tmp_path: Path) -> None:
    source = tmp_path / "log.ndjson"
    source.write_text("\n".join(ubi(PAGES)) + "\n", encoding="utf-8")
    shares: list[float] = []
    import_log(source, tmp_path / "kept", watch=shares.append)
    assert sum(shares) == pytest.approx(1.0)


# Real logs ------------------------------------------------------------------------------------------------------------


def test_the_bundled_log_is_what_the_script_makes() -> None:
    module = runpy.run_path(str(ROOT / "scripts" / "make_clicks.py"))
    lines = [json.dumps(record, separators=(",", ":")) for record in module["make"]()]
    assert b"".join(Source(BUNDLED).pieces()) == ("\n".join(lines) + "\n").encode()
    log = read_log(BUNDLED)
    assert_sound(log)
    assert log.sizes[0] == 3000
    assert {"impressions.latency_ms", "impressions.answered", "impressions.page", "events.dwell_ms"} <= log.known
    assert BUNDLED.stat().st_size < 400_000


def test_the_ubi_sample_of_opensearch() -> None:
    log = read_log(shared("ubi-esci-sample", "ubi_queries_events.ndjson.gz"))
    assert_sound(log)
    assert log.sizes[0] == 284 + 6  # queries by their ids, and pages of which only views are known
    assert log.sizes[2] == 287
    assert {odd.code: odd.number for odd in log.oddities} == {
        "zero-rank": 1, "repeated-page": 473 - 284, "lost-event": 834, "taken-rank": 54,
    }  # fmt: skip


@pytest.mark.parametrize(("name", "sizes"), [("trainSample.gz", (35_064, 350_640, 50_321)), ("oneQueryTest", None)])
def test_the_yandex_sample(name: str, sizes: tuple[int, int, int] | None) -> None:
    log = read_log(shared("clicks-yandex-wscd2012", name))
    assert sizes is None or log.sizes == sizes
    assert_sound(log)


def test_a_log_says_its_subject_and_other_files_do_not() -> None:
    assert looks_like_log(BUNDLED)
    assert not looks_like_log(ROOT / "src" / "assay" / "data" / "bicycles" / "qrels.txt")
    assert not looks_like_log(ROOT / "src" / "assay" / "data" / "bicycles" / "runs" / "bm25.run")
    for path in (ROOT / "src" / "assay" / "data").rglob("*.csv"):
        assert not looks_like_log(path), path


def test_where_keeps_results_and_events_of_the_pages_it_keeps() -> None:
    log = read(ubi(PAGES)).where(pl.col("user_id") == "u2", "two")
    assert_sound(log)
    assert (log.sizes, log.remarks) == ((2, 2, 2), ("two",))


def test_wrong_kinds_of_input_are_refused() -> None:
    empty: list[str] = []
    for given in (empty, pl.DataFrame({"a": [1]})):
        with pytest.raises(AssayError):
            read_log(given)


def test_a_full_disk_is_told_in_one_line_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = "parquet: File out of specification: underlying IO error: No space left on device (os error 28)"

    def full(*_: object, **__: object) -> None:
        raise pl.exceptions.ComputeError(words)

    monkeypatch.setattr(pl.DataFrame, "write_parquet", full)
    with pytest.raises(InputError, match=r"kept: cannot be written: no space left on device$"):
        import_log(file(ubi(PAGES)), tmp_path / "kept")
    assert not list(tmp_path.iterdir())
