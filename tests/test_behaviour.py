"""What users do, by measures that are counted from a log: held against plain loops, page by page and click by click."""

from __future__ import annotations

import io
import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
import pytest
from cases import in_turn

from assay import InputError, Log, ParameterError, clicks, parse_measure, read_log
from assay.measures.counting import behaviour
from assay.measures.counting.behaviour import BehaviourCounts
from assay.measures.vocabularies import registered

START = datetime(2026, 3, 2)


def random_log(seed: int, pages: int = 120) -> Log:
    """A log with gaps: pages without users, sessions, results, texts; clicks without dwell, rank, twice, on nothing."""
    rng = np.random.default_rng(seed)
    rows, results, events = [], [], []
    now = START
    for page in range(pages):
        now += timedelta(milliseconds=int(rng.integers(0, 900_000)))
        user = int(rng.integers(0, 12))
        known = rng.random() < 0.9
        shown = int(rng.integers(0, 8))
        rows.append({
            "impression": page, "time": now, "user_id": f"u{user}" if known else None,
            "session_id": f"s{user}-{page // 20}" if rng.random() < 0.9 else None,
            "query_id": f"q{rng.integers(0, 3)}", "query_text": ["Tea", "tea ", "pots", None][rng.integers(0, 4)],
            "system": ["old", "new"][user % 2], "n_results": shown, "latency_ms": float(rng.integers(20, 90)),
            "page": int(rng.choice([1, 1, 2])), "answered": [True, False, None][rng.integers(0, 3)],
        })  # fmt: skip
        results += [{"impression": page, "rank": rank, "doc_id": f"d{rank}"} for rank in range(1, shown + 1)]
        for _ in range(int(rng.choice([0, 0, 1, 2, 3]))):
            click = {"impression": page, "action": "click", "doc_id": f"d{rng.integers(1, 9)}"}
            stated = float(rng.integers(0, 60_000)) if rng.random() < 0.5 else None
            after = timedelta(milliseconds=int(rng.integers(-2000, 90_000 if rng.random() < 0.7 else 4_000_000)))
            events.append({**click, "time": now + after, "dwell_ms": stated, "value": stated})
    frames = (pl.DataFrame(part, infer_schema_length=None) for part in (rows, results, events))
    return Log.of(*frames)


def mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers)


class Twin:
    """The same numbers by loops: one dict per page, in the order of the log, with its clicks in the order of time."""

    def __init__(self, log: Log, system: str) -> None:
        pages = log.impressions.filter(pl.col("system") == system).collect().to_dicts()
        self.clicks: dict[int, list[dict[str, Any]]] = defaultdict(list)
        for event in log.events.collect().to_dicts():
            self.clicks[event["impression"]].append(event)
        self.pages = pages
        sessions: dict[Any, list[dict[str, Any]]] = defaultdict(list)
        for page in pages:
            user = page["user_id"] or page["session_id"] or page["impression"]
            key = (user, page["session_id"]) if page["session_id"] else (user, page["impression"])
            sessions[key].append(page)
        self.sessions = list(sessions.values())
        self.after: dict[int, dict[str, Any]] = {}
        for session in self.sessions:
            session.sort(key=lambda page: (page["time"], page["impression"]))
            self.after.update({one["impression"]: other for one, other in pairwise(session)})

        self.stays: dict[tuple[int, int], float | None] = {}
        self.last: set[tuple[int, int]] = set()
        for session in self.sessions:
            self.look_at(session)

    def look_at(self, session: list[dict[str, Any]]) -> None:
        """How long people stayed at what they clicked, where the log does not state it, and what they clicked last."""
        clicked = [
            (page, place, click) for page in session for place, click in enumerate(self.clicks[page["impression"]])
        ]
        steps = [(page["time"], page["impression"], -1) for page in session]
        steps += [
            (click["time"], page["impression"], place)
            for page, place, click in clicked
            if click["time"] >= page["time"]
        ]
        follows = {one[1:]: (other[0] - one[0]) / timedelta(seconds=1) for one, other in pairwise(sorted(steps))}
        for page, place, click in clicked:
            here = page["impression"], place
            self.stays[here] = follows.get(here) if click["value"] is None else click["value"] / 1000
        if clicked:
            page, place, click = max(clicked, key=lambda each: (each[2]["time"], each[0]["impression"], each[1]))
            is_last = page is session[-1] or click["time"] >= session[-1]["time"]
            self.last |= {(page["impression"], place)} if is_last else set()

    def stay(self, page: dict[str, Any], place: int) -> float | None:
        """Seconds that somebody stayed at what was clicked."""
        return self.stays[page["impression"], place]

    def satisfied(self, page: dict[str, Any]) -> int:
        """How many clicks of a page satisfied."""
        found = 0
        for place in range(len(self.clicks[page["impression"]])):
            stay = self.stay(page, place)
            found += stay >= 30 if stay is not None else (page["impression"], place) in self.last
        return found

    def ranks(self, page: dict[str, Any]) -> list[int]:
        return [click["rank"] for click in self.clicks[page["impression"]] if click["rank"] is not None]

    def of_ranks(self) -> list[list[int]]:
        return [ranks for page in self.pages if (ranks := self.ranks(page))]

    def waits(self) -> list[float]:
        found = []
        for page in self.pages:
            first = min((click["time"] for click in self.clicks[page["impression"]]), default=None)
            waited = math.inf if first is None else (first - page["time"]) / timedelta(seconds=1)
            found += [waited] if waited >= 0 else []  # clocks differ
        return sorted(found)

    def text(self, page: dict[str, Any]) -> str:
        return str(page["query_text"] or page["query_id"]).strip().lower()

    def searches(self) -> int:
        return sum(
            1 + sum(self.text(one) != self.text(other) for one, other in pairwise(session)) for session in self.sessions
        )

    def every_click(self) -> list[tuple[dict[str, Any], int]]:
        return [(page, place) for page in self.pages for place in range(len(self.clicks[page["impression"]]))]

    def good_abandonment(self) -> float:
        left = [page for page in self.pages if not self.clicks[page["impression"]]]
        return mean([bool(page["answered"]) for page in left])

    def reformulation(self) -> float:
        again = 0
        for page in self.pages:
            other = self.after.get(page["impression"])
            again += (
                other is not None
                and self.text(other) != self.text(page)
                and other["time"] - page["time"] <= timedelta(seconds=1800)
            )
        return again / self.searches()

    def pogo_sticking(self) -> float:
        back = 0
        for page, place in self.every_click():
            stay, rest = self.stay(page, place), self.clicks[page["impression"]][place : place + 2]
            elsewhere = len(rest) > 1 and rest[0]["doc_id"] != rest[1]["doc_id"]
            back += elsewhere and stay is not None and stay < 10
        return back / len(self.every_click())


TWINS: dict[str, Callable[[Twin], float]] = {
    "CTR": lambda twin: mean([bool(twin.clicks[page["impression"]]) for page in twin.pages]),
    "ClicksPerQuery": lambda twin: len(twin.every_click()) / len(twin.pages),
    "ClickRR": lambda twin: sum(1 / ranks[0] for ranks in twin.of_ranks()) / len(twin.pages),
    "FirstClickRank": lambda twin: mean([ranks[0] for ranks in twin.of_ranks()]),
    "LastClickRank": lambda twin: mean([ranks[-1] for ranks in twin.of_ranks()]),
    "MeanClickRank": lambda twin: mean([rank for ranks in twin.of_ranks() for rank in ranks]),
    "Skips": lambda twin: mean([max(ranks) - len(set(ranks)) for ranks in twin.of_ranks()]),
    "TimeToFirstClick": lambda twin: mean([min(wait, 60.0) for wait in twin.waits()]),
    "Abandonment": lambda twin: mean([not twin.clicks[page["impression"]] for page in twin.pages]),
    "GoodAbandonment": Twin.good_abandonment,
    "ZeroResults": lambda twin: mean([page["n_results"] == 0 for page in twin.pages]),
    "Reformulation": Twin.reformulation,
    "PogoSticking": Twin.pogo_sticking,
    "Pagination": lambda twin: mean([page["page"] > 1 for page in twin.pages]),
    "SatisfiedClicks": lambda twin: sum(map(twin.satisfied, twin.pages)) / len(twin.every_click()),
    "SessionSuccess": lambda twin: mean([any(map(twin.satisfied, session)) for session in twin.sessions]),
    "QueriesPerSession": lambda twin: twin.searches() / len(twin.sessions),
    "Latency": lambda twin: mean([page["latency_ms"] for page in twin.pages]),
}


@in_turn("seed", range(4))
def test_every_measure_is_what_plain_loops_give(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if seed == 3:  # gone through part by part, as a log that is too large for one go
        monkeypatch.setattr(behaviour, "PAGES_AT_A_TIME", 30)
    log = random_log(seed)
    result = clicks(log)
    assert {measure.name for measure in result.measures} == set(registered("behaviour")) == set(TWINS)
    for system in ("old", "new"):
        twin = Twin(log, system)
        for name in registered("behaviour"):
            assert result.value(name, system) == pytest.approx(TWINS[name](twin), rel=1e-9), (name, system)
        first = sum(1 in twin.ranks(page) for page in twin.pages) / len(twin.pages)
        assert result.value("CTR@1", system) == pytest.approx(first)
        rank = result.ranks.filter((pl.col("system") == system) & (pl.col("rank") == 2)).row(0, named=True)
        shown = [page for page in twin.pages if page["n_results"] >= 2]
        assert rank["shown"] == len(shown)
        assert rank["value"] == pytest.approx(sum(2 in twin.ranks(page) for page in shown) / len(shown))


def test_one_pass_gives_what_each_measure_gives_by_itself() -> None:
    log = random_log(5)
    together = clicks(log, measures=["CTR", "SessionSuccess", "SatisfiedClicks(dwell=5)", "Latency"])
    for measure in together.measures:
        alone = clicks(log, measures=[measure])
        assert together.value(measure, "old") == alone.value(measure, "old")


def test_sessions_of_several_systems_are_one_whatever_is_asked_for_first_and_whoever_is_counted() -> None:
    """Sessions of two queries, the second of which another system answers: half of the searches are followed by one."""
    times = [datetime(2026, 3, 2, 10, minute) for minute in range(8)]
    log = Log.from_pages(
        [(f"q{n}", ["d1"], ["d1"] * (n % 3)) for n in range(8)], time=times, user_id=list("aabbccdd"),
        session_id=list("ssttuuvv"), system=["old", "new"] * 2 + ["new", "old"] * 2,
    )  # fmt: skip
    for measure in ("Reformulation", "QueriesPerSession"):
        asked, later = clicks(log, measures=measure), clicks(log, measures="CTR")
        assert [asked.value(measure, system) for system in ("old", "new")] == [
            later.value(measure, system) for system in ("old", "new")
        ]  # fmt: skip
        for unit in ("user", "session", "page"):
            one = replace(log, impressions=log.impressions.with_columns(system=pl.lit("one")))
            assert clicks(one, measures=measure, unit=unit).value(measure) == {"R": 0.5, "Q": 2.0}[measure[0]]
    assert clicks(log).value("Reformulation", "old") == 0.5
    assert clicks(log).value("QueriesPerSession", "old") == 2.0  # 4 searches, 2 sessions that begin here


def test_parameters_move_numbers_the_way_they_should() -> None:
    result = clicks(random_log(6))
    value = {name: result.value(name, "new") for name in (
        "SatisfiedClicks(dwell=1)", "SatisfiedClicks(dwell=50)", "SatisfiedClicks(dwell=50, last=False)",
        "TimeToFirstClick(horizon=5)", "TimeToFirstClick(horizon=90)", "Reformulation(within=1)", "Reformulation",
        "CTR@1", "CTR@3", "CTR",
    )}  # fmt: skip
    assert value["SatisfiedClicks(dwell=1)"] > value["SatisfiedClicks(dwell=50)"]
    assert value["SatisfiedClicks(dwell=50)"] > value["SatisfiedClicks(dwell=50, last=False)"]
    assert value["TimeToFirstClick(horizon=5)"] < 5 < value["TimeToFirstClick(horizon=90)"]
    assert value["Reformulation(within=1)"] < value["Reformulation"]
    assert value["CTR@1"] <= value["CTR@3"] <= value["CTR"]


def test_what_the_log_does_not_know_is_undefined_with_the_reason() -> None:
    bare = Log.from_pages([("q1", ["d1", "d2"], ["d2"]), ("q2", ["d1"], [])])
    result = clicks(bare, measures=list(registered("behaviour").values()))
    reasons = result.undefined()
    assert reasons["TimeToFirstClick"] == "the log has no times of pages"
    assert reasons["Reformulation"] == reasons["SessionSuccess"] == "the log has no sessions"
    assert reasons["SatisfiedClicks"] == "the log has neither dwell times nor times of clicks"
    assert reasons["GoodAbandonment"] == "the log does not say whether an answer stood on the page"
    assert reasons["Latency"] == "the log has no latencies"
    assert reasons["Pagination"] == "the log does not number the pages of results"
    assert set(result.undefined()).isdisjoint({"CTR", "ClickRR", "ZeroResults", "Skips"})
    assert set(map(str, clicks(bare).measures)).isdisjoint(reasons)
    nothing = clicks(Log.from_pages([("q1", ["d1"], [])] * 3), measures="MeanClickRank")
    assert nothing.undefined() == {"MeanClickRank": "nothing was clicked"}


def test_units_are_users_else_sessions_else_pages_with_a_warning() -> None:
    pages = [("q1", ["d1"], ["d1"] * (n % 2)) for n in range(6)]
    users, sessions = ["a", "a", "b", "b", "c", None], ["s1", "s2", "s3", "s3", "s4", "s5"]
    every = Log.from_pages(pages, user_id=users, session_id=sessions)
    assert clicks(every).unit_kind == "user"
    assert clicks(every).counts[0].units == ("a", "b", "c", "session s5")
    assert any("1 result page without a user" in note for note in clicks(every).warnings)
    without = clicks(Log.from_pages(pages, session_id=sessions))
    assert (without.unit_kind, len(without.counts[0].people)) == ("session", 5)
    assert any("the log has no users" in note for note in without.warnings)
    bare = clicks(Log.from_pages(pages))
    assert (bare.unit_kind, len(bare.counts[0].people)) == ("page", 6)
    assert any("the log has no users and sessions" in note for note in bare.warnings)
    asked = clicks(every, unit="page")
    assert asked.value("CTR") == clicks(every).value("CTR") == 0.5
    assert any("as asked for" in note for note in asked.warnings)
    with pytest.raises(InputError, match="expected a column of users"):
        clicks(Log.from_pages(pages), unit="user")


def test_remarks_name_shared_users_and_unequal_traffic() -> None:
    pages: list[tuple[str, list[str], list[str]]] = [("q1", ["d1"], [])] * 200
    users = [f"u{n}" for n in range(200)]
    uneven = clicks(Log.from_pages(pages, user_id=users, system=["old"] * 140 + ["new"] * 60))
    assert any("divided unequally" in note for note in uneven.warnings)
    even = clicks(Log.from_pages(pages, user_id=users, system=["old", "new"] * 100))
    assert not any("divided unequally" in note for note in even.warnings)
    shared = clicks(Log.from_pages(pages, user_id=users[:100] * 2, system=["old"] * 100 + ["new"] * 100))
    assert any("100 users in several systems" in note for note in shared.warnings)
    few = clicks(Log.from_pages(pages[:10], user_id=users[:10]))
    assert any("a system has 10 users only" in note for note in few.warnings)


def test_clicks_of_which_none_is_on_what_was_shown_are_remarked_on() -> None:
    pages = [("tea", ["d1", "d2"], ["https://shop/d1"]), ("tea", ["d1"], [])]
    remark = "log: no click is on a document that its page showed: are ids of clicks and of results alike?"
    assert remark in clicks(Log.from_pages(pages)).warnings
    assert remark not in clicks(Log.from_pages([*pages, ("tea", ["d1"], ["d1"])])).warnings


def test_segments_divide_the_pages_and_add_up() -> None:
    log = random_log(7)
    result = clicks(log, measures="CTR", by="weekday")
    for by in ("day", "week", "weekday", "hour", "frequency", "page", "answered"):
        frame = result.segments(by)
        pages = frame.group_by("system").agg(pl.col("pages").sum()).sort("system")
        assert pages.rows() == result.sizes.select("system", "pages").sort("system").rows(), by
        weighted = frame.filter(pl.col("system") == "old").select((pl.col("value") * pl.col("pages")).sum()).item()
        assert weighted == pytest.approx(result.value("CTR", "old") * dict(pages.rows())["old"])
    assert result.segments("frequency")["segment"].unique(maintain_order=True).to_list() == ["head", "torso", "tail"]
    with pytest.raises(ParameterError, match=r"choose segments of day, week.* not 'devise'"):
        clicks(log, by="devise")
    many = Log.from_pages([(f"q{n}", ["d1"], []) for n in range(60)])
    with pytest.raises(InputError, match="expected 50 segments at most, got 60 values of query_id"):
        clicks(many, measures="CTR").segments("query_id")


def test_several_logs_are_several_systems_of_the_same_users() -> None:
    pages = [("q1", ["d1"], ["d1"] * (n % 2)) for n in range(40)]
    users = [f"u{n % 20}" for n in range(40)]
    first = Log.from_pages(pages, user_id=users, name="monday")
    result = clicks({"monday": first, "friday": Log.from_pages(pages[::-1], user_id=users)})
    assert result.systems == ("monday", "friday")
    assert result.sample("CTR").size == 20
    alone = clicks([Log.from_pages(pages, name="a"), Log.from_pages(pages, name="b")])
    assert alone.sample("CTR").size == 80  # pages of two logs are others
    with pytest.raises(ParameterError, match="each log has a name of its own"):
        clicks([first, first])


def test_systems_of_the_same_name_in_several_logs_are_called_by_both_names() -> None:
    pages = [("tea", ["d1"], ["d1"])] * 2
    old, new = (Log.from_pages(pages, system=["shop", name]) for name in ("shop", "trial"))
    assert clicks({"old": old, "new": new}, "CTR").systems == ("old: shop", "new: shop", "trial")
    assert clicks(Log.from_pages(pages, system=[None, "log"]), "CTR").systems == ("log: log", "log: (none)")


def test_counts_take_expressions_that_are_not_pages_for_granted() -> None:
    counts = BehaviourCounts.of(random_log(8))
    whole = parse_measure("CTR", "behaviour").per_unit(counts)
    parts = counts.split({"system": pl.col("system")})
    assert sorted(parts) == [("new",), ("old",)]
    each = [parse_measure("CTR", "behaviour").per_unit(part) for part in parts.values()]
    assert sum(part.operands[0].values.sum() for part in each) == whole.operands[0].values.sum()


def test_where_nobody_clicks_rates_are_0_and_waits_are_the_horizon() -> None:
    """What would be a mean over clicks is undefined; it is not that ranks or times of clicks were not logged."""
    log = Log.from_pages([("q", ["a", "b"], [])] * 3, user_id=["u", "u", "v"], time=[START] * 3)
    result = clicks(log)
    expected = {"CTR": 0.0, "CTR@1": 0.0, "CTR@3": 0.0, "ClickRR": 0.0, "TimeToFirstClick": 60.0, "Abandonment": 1.0}
    assert {name: result.value(name) for name in expected} == expected
    assert math.isnan(result.value("FirstClickRank"))
    assert result.undefined()["FirstClickRank"] == "nothing was clicked"


#: Two people, one over midnight, the other on another clock: what they saw and did, event by event.
DIARY = """\
serp,user,time,query,page,answered,doc,rank,event
p1,ana,2026-03-02T23:50:00Z,tea,1,no,d1,1,impression
p1,ana,2026-03-02T23:50:00Z,tea,1,no,d2,2,impression
p1,ana,2026-03-02T23:50:00Z,tea,1,no,d3,3,impression
p1,ana,2026-03-02T23:50:10Z,tea,1,no,d2,2,click
p1,ana,2026-03-02T23:50:14Z,tea,1,no,d1,1,click
p2,ana,2026-03-03T00:05:00Z,green tea,1,no,d4,1,impression
p2,ana,2026-03-03T00:05:20Z,green tea,1,no,d4,1,click
p2,ana,2026-03-03T00:05:20.3Z,green tea,1,no,d4,1,click
p3,ben,2026-03-03T11:00:00+01:00,time in tokyo,1,yes,d5,1,impression
p4,ben,2026-03-03T11:01:00+01:00,tea pots,1,no,d6,1,impression
p5,ben,2026-03-03T11:02:00+01:00,Tea pots ,2,no,d11,11,impression
p5,ben,2026-03-03T11:02:00+01:00,Tea pots ,2,no,d12,12,impression
p5,ben,2026-03-03T11:02:00+01:00,Tea pots ,2,no,d13,13,impression
p5,ben,2026-03-03T11:03:10+01:00,Tea pots ,2,no,d12,12,click
p6,ben,2026-03-03T12:00:00+01:00,tea pots,1,no,d6,1,impression
p6,ben,2026-03-03T11:59:59+01:00,tea pots,1,no,d6,1,click
"""


def test_a_diary_of_two_people_gives_the_numbers_worked_out_by_hand() -> None:
    result = clicks(read_log(io.StringIO(DIARY)), measures=list(registered("behaviour").values()))
    expected = {
        "CTR": 4 / 6,
        "FirstClickRank": (2 + 1 + 12 + 1) / 4,
        "Skips": 1 / 4,  # d11; what the first page showed is none of p5's results
        "TimeToFirstClick": (10 + 20 + 60 + 60 + 60) / 5,  # p5's click comes after 70 s, p6's before the page: left out
        "Abandonment": 2 / 6,
        "GoodAbandonment": 1 / 2,  # p3 and p4
        "Reformulation": 2
        / 5,  # tea -> green tea, over midnight; time in tokyo -> tea pots, whose next page is no other
        "PogoSticking": 1 / 6,  # d2 for 4 s, then d1; the double click on d4 goes nowhere else
        "Pagination": 1 / 6,
        "SatisfiedClicks": 4 / 6,  # not d2 (4 s), not the first click on d4 (0.3 s)
        "QueriesPerSession": 5 / 3,  # ben's last page is 57 minutes after the one before
        "SessionSuccess": 3 / 3,
    }
    assert {name: result.value(name) for name in expected} == pytest.approx(expected)
    assert result.segments("day", [parse_measure("CTR", "behaviour")])["pages"].to_list() == [1, 5]


def test_reformulations_may_have_to_share_words() -> None:
    result = clicks(read_log(io.StringIO(DIARY)), measures="Reformulation")
    assert result.value("Reformulation(overlap=0.5)") == 1 / 5  # tea, green tea: one of two words
    assert result.value("Reformulation(overlap=0.6)") == 0.0
    same = Log.from_pages(
        [("q1", ["d1"], []), ("q2", ["d1"], [])], query_text=["flat  Tyre", " flat tyre"], session_id=["s", "s"],
        time=[START, START + timedelta(minutes=1)],
    )  # fmt: skip
    assert clicks(same, measures="Reformulation").value("Reformulation") == 0.0


def test_sessions_that_each_user_numbers_from_1_are_not_one_session() -> None:
    """The second user comes while the first one reads: that ends nobody's dwell, and follows nobody's query."""
    table = (
        "serp,user,session,time,query,doc,rank,event\n"
        "p1,ana,1,2026-03-02T08:00:00Z,tea,d1,1,impression\np1,ana,1,2026-03-02T08:00:01Z,tea,d1,1,click\n"
        "p2,ben,1,2026-03-02T08:00:02Z,cup,d2,1,impression\np2,ben,1,2026-03-02T08:00:03Z,cup,d2,1,click\n"
    )
    log = read_log(io.StringIO(table))
    assert log.events.collect()["dwell_ms"].to_list() == [None, None]
    expected = {"SatisfiedClicks": 1.0, "SessionSuccess": 1.0, "Reformulation": 0.0, "QueriesPerSession": 1.0}
    for unit in ("user", "session"):
        result = clicks(log, unit=unit)
        assert {name: result.value(name) for name in expected} == expected
        assert result.sizes["units"].to_list() == [2]


def test_the_last_click_of_a_page_does_not_end_a_session_that_goes_on() -> None:
    """Pages have no times, so that nobody knows how long the first click was worth; another page follows it."""
    pages = pl.DataFrame({"impression": [0, 1], "query_id": ["q", "r"], "session_id": ["s", "s"]})
    results = pl.DataFrame({"impression": [0, 1], "rank": [1, 1], "doc_id": ["a", "b"]})
    events = results.select("impression", "doc_id", action=pl.lit("click"), time=pl.lit(START))
    assert clicks(Log.of(pages, results, events), measures="SatisfiedClicks").value("SatisfiedClicks") == 0.5


def test_what_was_clicked_was_shown_whatever_the_log_says_it_saw() -> None:
    pages = Log.from_pages([("q", ["a", "b", "c"], ["c"])] * 4)
    seen = pl.Series([True, False, False] * 4)
    log = Log.of(pages.impressions.collect(), pages.results.collect().with_columns(seen=seen))
    assert clicks(log).ranks.select("rank", "shown", "value").rows() == [(1, 4, 0.0), (3, 4, 1.0)]
    assert clicks(log).value("Skips") == 1.0  # b never came into view


def test_ranks_of_a_log_count_from_1() -> None:
    pages = pl.DataFrame({"impression": [0], "query_id": ["q"]})
    for rank in (0, -3, None):
        results = pl.DataFrame(
            {"impression": [0], "rank": [rank], "doc_id": ["a"]}, schema_overrides={"rank": pl.Int64}
        )
        with pytest.raises(
            InputError, match=f"expected ranks that count from 1, got {'none' if rank is None else rank}"
        ):
            Log.of(pages, results)


def test_one_day_has_no_course() -> None:
    times = [datetime(2026, 3, 1, hour) for hour in (9, 10, 11)]
    pages = [("q", ["d1"], ["d1"]), ("q", ["d1"], []), ("q", ["d1"], ["d1"])]
    one_day = clicks(Log.from_pages(pages, user_id=["u", "v", "w"], time=times), "CTR")
    assert (one_day.period, one_day.over_time().height) == (None, 0)
    several = clicks(
        Log.from_pages(pages, user_id=["u", "v", "w"], time=[*times[:2], times[2] + timedelta(days=1)]), "CTR"
    )
    assert (several.period, several.over_time().height) == ("day", 2)
