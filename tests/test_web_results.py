"""Results of a release in the browser: leaderboard, comparison, query, explanation, report; what contestants see."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from judging import RUNS, fast_folder, judge_all
from sqlalchemy import select
from workbench import Browser, Workbench, opened, problem_in, running

from assay.files.sources import Source
from assay.store import schema as db
from assay.store.handout import hand_out
from assay.store.kept_runs import keep_runs
from assay.store.projects import add_assessors
from assay.store.releases import make_release
from assay.web import makings, working
from assay.web.pages import contest

#: Ten topics, of which the first run does better on most.
RUNS_OF_TEN: dict[str, dict[str, dict[str, float]]] = {
    name: {f"q{q}": {f"d{q}-{d}": float((d * step + q) % 7) for d in range(first, first + 6)} for q in range(10)}
    for name, first, step in (("first", 0, 3), ("second", 2, 5), ("third", 1, 2))
}
PAIR = "baseline=first&system=second"


def run_file(run: dict[str, dict[str, float]], name: str) -> Source:
    """A run as a file of TREC."""
    lines = [
        f"{query} Q0 {doc} {rank} {score} {name}\n"
        for query, found in run.items()
        for rank, (doc, score) in enumerate(sorted(found.items(), key=lambda each: -each[1]), 1)
    ]
    return Source(io.BytesIO("".join(lines).encode()), name=f"{name}.run")


@pytest.fixture(scope="module")
def bench() -> Iterator[Workbench]:
    """Three runs, of which most results are judged, and a release."""
    with fast_folder() as folder, opened(folder, runs=RUNS_OF_TEN) as workbench:
        released(workbench)
        yield workbench


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Workbench]:
    with opened(tmp_path) as workbench:
        yield workbench


def released(workbench: Workbench, runs: Any = RUNS_OF_TEN, most: int = 60) -> None:
    """Keep the runs, judge some of the pool, and release it."""
    keep_runs(workbench.project, {name: run_file(run, name) for name, run in runs.items()})
    add_assessors(workbench.project, ["ana"])
    judge_all(workbench.project, "ana", lambda task: sum(map(ord, task.doc_id)) % 3, most=most)
    make_release(workbench.project)


def test_the_leaderboard_has_intervals_coverage_and_groups(bench: Workbench) -> None:
    viewer = bench.browser("viewer")
    page = viewer.get(f"{bench.at}/results.json").json()
    assert (page["release"], page["measure"], page["runs"]) == (1, "nDCG@10", ["first", "second", "third"])
    rows = page["board"]["sections"]["leaderboard"]["leaderboard"]
    assert sorted(row["system"] for row in rows) == ["first", "second", "third"]
    assert [row["value"] for row in rows] == sorted((row["value"] for row in rows), reverse=True)
    for row in rows:
        assert row["low"] <= row["value"] <= row["high"]
        assert 0 < row["judged@10"] < 1
        assert set(row["group"]) <= set("abc")
    text = viewer.get(f"{bench.at}/results?measure=AP").text
    assert "95% interval" in text
    assert "<td>a" in text or ">a<" in text
    with pytest.raises(KeyError):
        _ = viewer.get(f"{bench.at}/results.json?measure=AP").json()["error"]


def test_before_there_are_runs_and_a_release_the_page_says_what_to_do(fresh: Workbench) -> None:
    viewer = fresh.browser("viewer")
    assert "There is no release yet" in viewer.get(f"{fresh.at}/results").text
    add_assessors(fresh.project, ["ana"])
    judge_all(fresh.project, "ana", lambda _: 1)
    make_release(fresh.project)
    assert "keeps no runs" in viewer.get(f"{fresh.at}/results").text
    keep_runs(fresh.project, {"only": run_file(RUNS["first"], "only")})
    rows = viewer.get(f"{fresh.at}/results.json").json()["board"]["sections"]["leaderboard"]["leaderboard"]
    assert [row["system"] for row in rows] == ["only"]
    assert rows[0]["low"] is None or rows[0]["low"] <= rows[0]["value"]


def test_two_runs_lead_to_queries_rankings_and_the_steps_of_a_value(bench: Workbench) -> None:
    viewer = bench.browser("viewer")
    page = viewer.get(f"{bench.at}/results/compare?{PAIR}").text
    assert "Queries" in page
    data = viewer.get(f"{bench.at}/results/compare.json?{PAIR}").json()
    first = data["document"]["sections"]["queries"]["queries"][0]
    link = f"/results/query?measure=nDCG%4010&amp;{PAIR.replace('&', '&amp;')}&amp;query={first['query_id']}"
    assert link in page
    query = viewer.get(f"{bench.at}/results/query.json?{PAIR}&query={first['query_id']}").json()
    for ranking in query["rankings"]:
        assert ranking["value"] == pytest.approx(first[f"value_{ranking['run']}"])
        assert [hit["rank"] for hit in ranking["hits"]] == list(range(1, len(ranking["hits"]) + 1))
    grades = {hit["doc_id"]: hit["grade"] for ranking in query["rankings"] for hit in ranking["hits"]}
    assert query["unjudged"] == sum(grade is None for grade in grades.values())
    shown = viewer.get(f"{bench.at}/results/query?{PAIR}&query={first['query_id']}").text
    assert shown.count(">unjudged<") >= query["unjudged"]
    steps = viewer.get(f"{bench.at}/results/explanation?{PAIR}&run=second&query={first['query_id']}").text
    assert "sum of contribution" in steps
    assert "discount" in steps
    assert viewer.get(f"{bench.at}/results/explanation?{PAIR}&run=second").status_code == 200


def test_what_decides_is_handed_out_first(tmp_path: Path) -> None:
    with opened(tmp_path, runs=RUNS_OF_TEN, order="random") as fresh:
        released(fresh, most=30)
        _ask_for_what_decides(fresh)


def _ask_for_what_decides(fresh: Workbench) -> None:
    manager = fresh.browser("manager")
    query = next(
        each
        for each in RUNS_OF_TEN["first"]
        if manager.get(f"{fresh.at}/results/query.json?{PAIR}&query={each}").json().get("unjudged")
    )
    given = {"baseline": "first", "system": "second", "query": query}
    sent = manager.call(f"/api{fresh.at}/results/judge-query", given).json()
    assert sent["data"]["queued"] > 0
    with fresh.database.reading() as connection:
        urgent = connection.scalars(select(db.item.c.doc_id).where(db.item.c.urgency > 0)).all()
    assert len(urgent) == sent["data"]["queued"]
    add_assessors(fresh.project, ["ben"])
    task = hand_out(fresh.project, "ben")
    assert task is not None
    assert task.topic_id == query
    assert task.doc_id in urgent
    page = manager.post(f"{fresh.at}/results/judge-next", {"baseline": "first", "system": "second", "number": "5"})
    assert page.status_code == 303
    assert "handed out first" in manager.get(page.headers["location"]).text
    for who in ("viewer", "assessor"):
        assert fresh.browser(who).call(f"/api{fresh.at}/results/judge-query", given).status_code == 403


def test_what_is_not_there_is_said(bench: Workbench) -> None:
    viewer = bench.browser("viewer")
    for path, status, said in (
        ("results.json?release=7", 404, "there is no release 7: the newest is 1"),
        ("results.json?measure=nDGC", 400, "nDCG"),
        (f"results/compare.json?{PAIR}x", 400, "secondx"),
        ("results/compare.json?baseline=first&system=first", 400, "held against itself"),
        ("results/compare.json", 422, "baseline"),
        (f"results/query.json?{PAIR}&query=nothing", 404, "no such query"),
        (f"results/explanation.json?{PAIR}&run=nobody", 400, "nobody"),
        ("jobs/999999.json", 404, "no such work"),
    ):
        answer = viewer.get(f"{bench.at}/{path}")
        assert answer.status_code == status, f"{path}: {answer.text}"
        assert said in problem_in(answer), path


def test_a_leaderboard_of_many_runs_is_made_by_a_job_and_kept(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[int] = []
    monkeypatch.setattr(makings, "is_quick", lambda _: False)
    monkeypatch.setattr(working, "start", lambda _, key: begun.append(key))
    manager = bench.browser("manager")
    assert "Make the leaderboard" in manager.get(f"{bench.at}/results?measure=RR").text
    for _ in range(2):  # asked for twice, done once
        answer = manager.post(f"{bench.at}/results/rank", {"measure": "RR"})
        assert answer.headers["location"] == f"{bench.at}/jobs/{begun[0]}"
    assert len(begun) == 1
    assert "is being made" in manager.get(f"{bench.at}/results?measure=RR").text
    finish(bench, begun[0])
    page = manager.get(f"{bench.at}/results.json?measure=RR").json()
    assert len(page["board"]["sections"]["leaderboard"]["leaderboard"]) == 3
    assert (
        manager.post(f"{bench.at}/results/rank", {"measure": "RR"})
        .headers["location"]
        .startswith(f"{bench.at}/results?")
    )
    assert len(begun) == 1


def finish(workbench: Workbench, key: int) -> None:
    """Do a job in this process."""
    from assay.web.makings import Progress  # noqa: PLC0415
    from assay.web.work import do  # noqa: PLC0415

    do(workbench.database, key, Progress())


def test_the_report_of_a_pair_is_a_page_and_a_download(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[int] = []
    monkeypatch.setattr(working, "start", lambda _, key: begun.append(key))
    viewer = bench.browser("viewer")
    viewer.post(f"{bench.at}/results/report", {"baseline": "first", "system": "second"})
    place = f"{bench.at}/jobs/{begun[0]}"
    assert "Waiting" in viewer.get(place).text
    assert viewer.get(f"{place}/file").status_code == 404
    finish(bench, begun[0])
    assert "Download" in viewer.get(place).text
    page = viewer.get(f"{place}/file")
    assert "second" in page.text
    policy = page.headers["content-security-policy"]
    assert "sha256-" in policy
    assert "unsafe" not in policy
    kept = viewer.get(f"{place}/file?download=true").headers["content-disposition"]
    assert kept == 'attachment; filename="report-first-second.html"'
    assert bench.browser("contestant").get(f"{place}/file").status_code == 403


def send(browser: Browser, place: str, text: bytes, name: str, **fields: str) -> Any:
    """Send a run as a browser does."""
    return browser.post(f"{place}/contest/send", fields, files={"run": (name, text, "text/plain")})


def test_a_contestant_sends_runs_and_sees_how_they_did_and_nothing_else(
    fresh: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    released(fresh, RUNS)
    own = fresh.browser("contestant")
    good = b"q1 Q0 d1 1 2.0 mine\nq1 Q0 d3 2 1.0 mine\nq2 Q0 d4 1 1.0 mine\n"
    sent = send(own, fresh.at, good, "../../mine.run")
    assert (sent.status_code, sent.headers["location"]) == (303, f"{fresh.at}/contest")
    for text, name, said in (
        (b"q1 Q0 d1 1 2.0 x\nq1 Q0 d2 2\n", "bad.run", "bad.run:2:"),
        (b"z9 Q0 d1 1 2.0 x\n", "other.run", "none of its topics is among those of the project"),
        (good, "mine.run", "already"),
    ):
        headers = {"X-CSRF-Token": own.csrf, "Origin": "http://localhost"}
        answer = own.client.post(f"/api{fresh.at}/contest/send", files={"run": (name, text)}, headers=headers)
        assert answer.status_code in {400, 409}, answer.text
        assert said in problem_in(answer)
    page = own.get(f"{fresh.at}/contest.json").json()
    assert [each["name"] for each in page["runs"]] == ["contestant/mine"]
    rows = page["board"]["sections"]["leaderboard"]["leaderboard"]
    assert [row["system"] for row in rows] == ["contestant/mine"]
    assert set(rows[0]) == {"system", "value", "low", "high"}
    assert "contestant/mine" in fresh.browser("viewer").get(f"{fresh.at}/results").text
    monkeypatch.setattr(contest, "MOST_RUNS", 1)
    assert send(own, fresh.at, good, "more.run").status_code == 409


def test_what_contestants_and_assessors_are_sent_holds_no_judgments_and_no_runs_of_others(fresh: Workbench) -> None:
    """Whatever they ask for: every page and every address that there is."""
    from assay.web.routes import ROUTES  # noqa: PLC0415

    secret = {"zebra": RUNS["first"], "walrus": RUNS["second"]}
    released(fresh, secret, most=4)
    for name in ("contestant", "assessor"):
        own = fresh.browser(name)
        if name == "contestant":
            assert send(own, fresh.at, b"q1 Q0 d1 1 2.0 mine\n", "mine.run").status_code == 303
        values = {"project": fresh.project.id, "key": 1, "secret": "x", "version": "x", "name": "x"}
        for route in ROUTES:
            if route.is_form or route.name == "service.openapi":
                continue
            for path in filter(None, (route.path, route.twin)):
                asked = "?baseline=zebra&system=walrus&query=q1&run=zebra"
                text = own.get(path.format(**values) + asked).text.replace("zebra&", "").replace(asked, "")
                for word in ("zebra", "walrus", "query_id", "unjudged", "judged@10"):
                    assert word not in text, f"{path} tells {name} {word}"


def test_guessed_ids_of_another_project_lead_nowhere(fresh: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    from judging import make_project  # noqa: PLC0415

    from assay.store.memberships import add_member  # noqa: PLC0415

    released(fresh, RUNS)
    begun: list[int] = []
    monkeypatch.setattr(working, "start", lambda _, key: begun.append(key))
    given = {"baseline": "first", "system": "second"}
    fresh.browser("owner").post(f"{fresh.at}/results/report", given)
    finish(fresh, begun[0])
    other = make_project(fresh.database, "coffee", people=())
    add_member(other, fresh.users["stranger"], "owner")
    stranger = fresh.browser("stranger")
    for path in ("results", "jobs", f"jobs/{begun[0]}", f"jobs/{begun[0]}/file", f"results/compare?{PAIR}", "contest"):
        assert stranger.get(f"{fresh.at}/{path}").status_code == 404, path
    for path in (f"jobs/{begun[0]}", f"jobs/{begun[0]}/file", f"jobs/{begun[0]}.json"):
        assert stranger.get(f"/projects/{other.id}/{path}").status_code == 404, path
    for path in ("stop", "again"):
        assert stranger.call(f"/api/projects/{other.id}/jobs/{begun[0]}/{path}").status_code == 404
    assert stranger.get(f"/projects/{other.id}/jobs.json").json()["jobs"] == []


def test_names_of_runs_are_text_wherever_they_stand(fresh: Workbench) -> None:
    odd = "<img src=x onerror=alert(1)>"
    keep_runs(fresh.project, {name: run_file(RUNS["first"], "x") for name in (odd, "second")})
    add_assessors(fresh.project, ["ana"])
    judge_all(fresh.project, "ana", lambda _: 1)
    make_release(fresh.project)
    viewer, pair = fresh.browser("viewer"), {"baseline": odd, "system": "second"}
    for path, query in (("results", {}), ("results/compare", pair), ("results/query", pair | {"query": "q1"})):
        answer = viewer.get(f"{fresh.at}/{path}", params=query)
        assert answer.status_code == 200, answer.text
        assert "<img" not in answer.text
        assert "&lt;img" in answer.text
    assert json.loads(viewer.get(f"{fresh.at}/results.json").text)["runs"][0] == odd


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_pages_of_results_are_silent_fit_and_can_be_used_by_everybody(
    browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, width: int, scheme: str
) -> None:
    """No message of the console, no request elsewhere, nothing beyond the edge, and no serious issue found by axe."""
    from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]  # noqa: PLC0415

    begun: list[int] = []
    monkeypatch.setattr(working, "start", lambda _, key: begun.append(key))
    with opened(tmp_path, runs=RUNS_OF_TEN) as bench:
        released(bench, most=200)
        contestant, owner = bench.browser("contestant"), bench.browser("owner")
        send(contestant, bench.at, b"".join(run_file(RUNS_OF_TEN["third"], "mine").chunks()), "mine.run")
        owner.post(f"{bench.at}/results/report", {"baseline": "first", "system": "second"})
        pages = [
            (owner, ("results", f"results/compare?{PAIR}", f"results/query?{PAIR}&query=q1", "jobs",
                     f"results/explanation?{PAIR}&query=q1&run=first", f"jobs/{begun[0]}")),
            (contestant, ("contest",)),
        ]  # fmt: skip
        with running(tmp_path / "judging.db") as server:
            for who, paths in pages:
                context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
                cookie = {"name": "assay", "value": who.client.cookies["assay"], "url": server.address}
                context.add_cookies([cookie])
                page = context.new_page()
                problems: list[str] = []
                page.on("console", lambda message, told=problems: told.append(message.text))
                page.on("request", lambda request, told=problems: told.append(request.url)
                        if not request.url.startswith(server.address) else None)  # fmt: skip
                for path in paths:
                    page.goto(f"{server.address}{bench.at}/{path}")
                    beyond = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
                    assert page.evaluate(beyond) <= 1, path
                    grave = [
                        each["id"] for each in Axe().run(page).response["violations"]
                        if each["impact"] in {"serious", "critical"}
                    ]  # fmt: skip
                    assert not grave, path
                    assert not problems, path
                context.close()
