"""Running a project in the workbench: files, pool, settings, people, disagreements, releases, labels in and out."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any, Literal

import polars as pl
import pytest
from httpx2 import Response
from judging import fast_folder, judge_all, say, tasks_of
from shared_data import shared
from sqlalchemy import select
from workbench import ORIGIN, PASSWORD, Browser, Workbench, opened, problem_in, served

from assay.store import schema as db
from assay.store.bundled import bundled_project
from assay.store.changes import change_settings
from assay.store.database import open_database
from assay.store.events import events_of
from assay.store.projects import Project, add_assessors, open_project, project_by_key
from assay.store.releases import Policy, make_release
from assay.store.settings import Settings
from assay.web.context import Settings as Served
from assay.web.routes import ROUTES

RUN = b"q1 Q0 d1 1 2.0 r\nq1 Q0 d2 2 1.0 r\n"
TOPICS = b"q1\tgreen tea\n"
DOCUMENTS = b'{"_id": "d1", "text": "Steep it."}\n{"_id": "d2", "text": "Cool it."}\n'


@pytest.fixture
def bench() -> Iterator[Workbench]:
    with fast_folder() as folder, opened(folder) as workbench:
        yield workbench


def send(browser: Browser, path: str, files: dict[str, bytes], **fields: Any) -> Response:
    """Send files with a form, as a program in the browser does."""
    parts = [("files", (name, content)) for name, content in files.items()]
    headers = {"Origin": ORIGIN, "X-CSRF-Token": browser.csrf}
    return browser.client.post(path, data=fields, files=parts, headers=headers)


def done(answer: Response) -> dict[str, Any]:
    assert answer.status_code == 200, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


def new_project(bench: Workbench, **fields: Any) -> tuple[Browser, str, Project]:
    """A project without files, made by an administrator."""
    browser = bench.browser("administrator")
    made = done(browser.call("/api/projects/new", {"name": "mint", **fields}))
    return browser, f"/projects/{made['project']}", project_by_key(bench.database, made["project"])


def filled(bench: Workbench, **fields: Any) -> tuple[Browser, str, Project]:
    """The same with its files and a pool of two documents."""
    browser, at, project = new_project(bench, **fields)
    for part, files in {
        "topics": {"t.tsv": TOPICS},
        "documents": {"d.jsonl": DOCUMENTS},
        "runs": {"r.run": RUN},
    }.items():
        done(send(browser, f"/api{at}/files/{part}", files))
    done(browser.call(f"/api{at}/pool", {"depth": 10}))
    return browser, at, project


def judged_apart(project: Project, most: int = 10_000) -> None:
    """Two people judge documents, and differ on one; the other has odd notes."""
    add_assessors(project, ["dora", "emil"])
    judge_all(project, "dora", lambda _: 1, most)
    for number, task in enumerate(tasks_of(project, "emil", most)):
        say(project, "emil", task, 3 if number == 0 else 1, note="<script>alert(1)</script>")


def test_a_project_of_the_bundled_collection_goes_from_one_button_to_a_second_release(bench: Workbench) -> None:
    lead = bench.browser("administrator")
    assert "Make a project of the bundled collection" in lead.get("/").text
    made = lead.post("/projects/bundled")
    at = made.headers["location"]
    project = project_by_key(bench.database, int(at.rpartition("/")[2]))
    assert "ready to judge" in lead.get(at).text
    for name in ("dora", "emil"):
        link = done(lead.call(f"/api{at}/people/invite", {"role": "assessor"}))["link"]
        guest = bench.browser()
        guest.get(link.removeprefix(ORIGIN))
        joined = guest.post(link.removeprefix(ORIGIN), {"name": name, "password": PASSWORD})
        assert joined.headers["location"] == at
        for number in range(3):
            task = guest.get(f"{at}/judge.json").json()["task"]
            guest.call(f"/api{at}/judge", {"assignment": task["assignment"], "key": f"{name}{number}", "grade": 1})
    judged_apart(project)
    assert lead.get(f"{at}/status.json").json()["steps"][0]["button"] == "Decide"
    seen = lead.get(f"{at}/disagreements.json").json()
    assert seen["waiting"] >= 1
    first = seen["dispute"]
    decided = {"topic_id": first["topic_id"], "doc_id": first["doc_id"], "grade": 2, "reason": "answers a part"}
    for _ in range(seen["waiting"]):
        page = lead.get(f"{at}/disagreements.json").json()["dispute"]
        decided = {**decided, "topic_id": page["topic_id"], "doc_id": page["doc_id"]}
        assert done(lead.call(f"/api{at}/disagreements", decided))["left"] >= 0
    assert lead.get(f"{at}/disagreements.json").json()["dispute"] is None
    assert lead.call(f"/api{at}/disagreements", decided).status_code == 409  # nobody waits for it any more
    held = lead.get(f"{at}/releases.json?look=true").json()["held"]
    made_release = done(lead.call(f"/api{at}/releases", {"note": "first"}))
    assert made_release["version"] == 1
    done(lead.call(f"/api{at}/releases", {"method": "highest"}))
    shown = lead.get(f"{at}/releases.json").json()["releases"]
    assert [each["version"] for each in shown] == [2, 1]
    assert shown[1]["judged"] == held["judged"] == sum(count for _, count in held["grades"])
    assert shown[1]["adjudicated"] == seen["waiting"]
    assert "verdicts" in lead.get(f"{at}/releases/changes?first=1&second=2").text
    qrels = lead.get(f"{at}/releases/file?version=1")
    assert qrels.headers["content-disposition"] == 'attachment; filename="bicycles-release-1.qrels"'
    assert len(qrels.text.splitlines()) == held["judged"]
    for what in ("labels", "judges", "history", "everything"):
        assert lead.get(f"{at}/export?what={what}").status_code == 200
    assert json.loads(lead.get(f"{at}/export?what=everything").text.splitlines()[0])["record"] == "project"


def test_a_project_of_uploaded_files_is_pooled_after_its_cost_is_seen(bench: Workbench) -> None:
    cranfield = shared("cranfield")
    browser, at, _ = new_project(bench, name="cranfield", scale="binary", overlap=2)
    files = {"documents": cranfield / "docs.jsonl", "topics": cranfield / "topics.tsv"}
    for part, path in files.items():
        packed = {f"{path.name}.gz": gzip.compress(path.read_bytes(), 1)}
        assert done(send(browser, f"/api{at}/files/{part}", packed))["added"] > 100
    queries = [line.split("\t")[0] for line in (cranfield / "topics.tsv").read_text().splitlines()]
    ids = [json.loads(line) for line in (cranfield / "docs.jsonl").read_text().splitlines()]
    key = next(name for name in ("_id", "doc_id", "id") if name in ids[0])
    queries = [each for each in queries if each != "query_id"]
    run = "".join(
        f"{query} Q0 {ids[(7 * number + rank) % len(ids)][key]} {rank} {10 - rank} r\n"
        for number, query in enumerate(queries) for rank in range(1, 4)
    )  # fmt: skip
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packing:
        packing.writestr("runs/one.run", run)
    assert done(send(browser, f"/api{at}/files/runs", {"runs.zip": archive.getvalue()}))["runs"] == ["one"]
    assert browser.get(f"{at}/pool.json").json()["cost"] is None
    cost = browser.get(f"{at}/pool.json?depth=2&seconds=36").json()["cost"]
    assert cost["new"] == 2 * len(queries)
    assert cost["judgments"] == 2 * cost["new"]
    assert cost["hours"] == pytest.approx(cost["judgments"] * 36 / 3600)
    assert browser.get(f"{at}/files.json").json()["pooled"] == 0
    assert done(browser.call(f"/api{at}/pool", {"depth": 2}))["added"] == cost["new"]
    assert browser.get(f"{at}/judge.json").json()["task"]["text"]
    assert browser.get(f"{at}/pool.json?depth=3").json()["cost"]["new"] == len(queries)  # it can grow


def bomb() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.run", b"0" * (20 << 20))
    return packed.getvalue()


def leading_out() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("../../etc/cron.d/a.run", RUN)
        archive.writestr("b.run", RUN)
    return packed.getvalue()


def columns(rows: int) -> bytes:
    written = io.BytesIO()
    pl.DataFrame({"doc_id": [f"d{n}" for n in range(rows)], "text": ["tea"] * rows}).write_parquet(written)
    return written.getvalue()


BAD = {
    "a line that is wrong": ("runs", {"a.run": RUN, "b.run": RUN + b"q1 Q0 d3\n"}, 400, "b.run:3: expected"),
    "no file": ("runs", {}, 422, "choose a file"),
    "an empty file": ("topics", {"t.tsv": b""}, 400, "t.tsv: expected"),
    "another kind of file": ("topics", {"d.run": RUN}, 400, "d.run"),
    "documents without an id": ("documents", {"d.jsonl": b'{"text": "x"}\n'}, 400, "d.jsonl"),
    "a document twice": ("documents", {"d.jsonl": DOCUMENTS + DOCUMENTS[:35]}, 400, "d.jsonl:3"),
    "a bomb": ("documents", {"d.jsonl.gz": gzip.compress(b"0" * (20 << 20))}, 400, "compressed bytes"),
    "a zip bomb": ("runs", {"a.zip": bomb()}, 413, "a.zip: "),
    "a zip that leads out": ("runs", {"a.zip": leading_out()}, 400, "leads out of the archive"),
    "a damaged zip": ("runs", {"a.zip": leading_out()[:60]}, 400, "expected an intact zip archive"),
    "a damaged gzip": ("runs", {"a.run.gz": gzip.compress(RUN)[:20]}, 400, "an intact compressed file"),
    "too many rows": ("runs", {"a.run": b"".join(b"q Q0 d%d 1 %d r\n" % (n, n) for n in range(60))}, 413, "50 rows"),
    "too many rows in few bytes": ("documents", {"d.parquet": columns(100)}, 413, "50 rows"),
    "a damaged Parquet file": ("documents", {"d.parquet": columns(10)[:200]}, 400, "d.parquet"),
    "too many bytes": ("runs", {"a.run": b"q Q0 d 1 1 r\n" * 8_000}, 413, "too large"),
    "two runs of a name": ("runs", {"a.run": RUN, "a.txt": RUN}, 400, "'a'"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_a_bad_upload_is_one_clear_line_and_leaves_nothing(case: str) -> None:
    part, files, status, said = BAD[case]
    small = Served(most_rows=50, most_upload=80_000 if case == "too many bytes" else 2**22)
    with fast_folder() as folder, opened(folder, small) as bench:
        browser, at, _ = new_project(bench)
        answer = send(browser, f"/api{at}/files/{part}", files)
        assert answer.status_code == status, answer.text
        message = problem_in(answer)
        assert said in message
        assert "\n" not in message
        held = browser.get(f"{at}/files.json").json()
        assert (held["topics"], held["documents"], held["runs"]) == (0, 0, [])


def test_names_of_files_and_texts_are_shown_as_text_and_lead_nowhere(bench: Workbench) -> None:
    browser, at, _ = new_project(bench, name="<b>mint</b>")
    for name in ("../../etc/passwd", "<img src=x onerror=alert(1)>.run", "a\x1b[31mb.run"):
        answer = send(browser, f"/api{at}/files/runs", {name: RUN})
        assert answer.status_code == 200, answer.text
    names = [run["name"] for run in browser.get(f"{at}/files.json").json()["runs"]]
    assert names[0] == "passwd"
    for page in ("", "/files", "/log", "/settings", "/releases", "/exchange", "/people", "/pool?depth=1"):
        answer = browser.get(f"{at}{page}")
        text = answer.text
        assert answer.status_code == 200, text[-500:]
        assert "<img" not in text
        assert "<b>mint" not in text
        assert "\x1b" not in text
    assert send(browser, f"/api{at}/files/runs", {"passwd": RUN}).status_code == 400  # it is there already


def test_a_project_without_anything_has_all_its_pages_and_says_what_to_do_next(bench: Workbench) -> None:
    browser, at, _ = new_project(bench)
    steps = browser.get(f"{at}.json").json()["steps"]
    assert steps[0] == {"why": "This project still lacks topics, documents and runs.", "button": "Add files",
                        "to": f"{at}/files"}  # fmt: skip
    for route in ROUTES:
        if route.nav == "project" and "owner" in route.who:
            answer = browser.get(route.filled(project=at.rpartition("/")[2]))
            assert answer.status_code == 200, f"{route.name}: {answer.text[-500:]}"
    for page, said in {
        "pool": "There is no run yet", "deciding": "two runs or more", "releases": "There is no release yet",
        "disagreements": "No document waits", "exchange": "No document is open",
    }.items():  # fmt: skip
        assert said in browser.get(f"{at}/{page}").text, page
    assert "nothing is judged yet" in problem_in(browser.call(f"/api{at}/releases"))


def test_files_can_be_taken_away_until_there_is_a_pool(bench: Workbench) -> None:
    browser, at, _ = filled(bench)
    assert browser.call(f"/api{at}/files/remove", {"part": "runs"}).status_code == 400
    browser, at, _ = new_project(bench, name="other")
    done(send(browser, f"/api{at}/files/topics", {"t.tsv": TOPICS}))
    assert done(send(browser, f"/api{at}/files/topics", {"t.tsv": TOPICS})) == {"added": 0, "known": 1}
    assert done(browser.call(f"/api{at}/files/remove", {"part": "topics"}))["removed"] == 1


def test_a_pool_needs_the_texts_of_what_is_in_it(bench: Workbench) -> None:
    browser, at, _ = new_project(bench)
    assert "no run yet" in browser.get(f"{at}/pool").text
    done(send(browser, f"/api{at}/files/runs", {"r.run": RUN}))
    assert "have no text" in problem_in(browser.call(f"/api{at}/pool", {"depth": 2}))
    done(send(browser, f"/api{at}/files/topics", {"t.tsv": TOPICS}))
    assert browser.get(f"{at}/pool.json?depth=2").json()["cost"]["documents_without"] == ["d1", "d2"]
    assert browser.call(f"/api{at}/pool", {"depth": 2}).status_code == 400
    assert done(browser.call(f"/api{at}/pool", {"depth": 2, "keep_missing": True}))["added"] == 2


def test_preferences_are_pooled_in_pairs(bench: Workbench) -> None:
    browser, at, _ = filled(bench, scale="preference")
    text = browser.get(f"{at}/judge.json").json()["task"]["text"]
    assert "LEFT:" in text
    assert "RIGHT:" in text


def test_rules_guidelines_state_and_known_answers_are_changed_and_written_down(bench: Workbench) -> None:
    browser, at, project = filled(bench)
    settings = {"overlap": 2, "gold_every": 3, "repeat_every": 6, "blind": True, "order": "random"}
    changed = done(browser.call(f"/api{at}/settings", settings))["settings"]
    assert {name: changed[name] for name in settings} == settings
    assert changed["most"] == 2
    assert "gold_every needs blind" in problem_in(browser.call(f"/api{at}/settings", {"blind": False}))
    assert done(browser.call(f"/api{at}/settings/guidelines", {"text": "Be fair."}))["version"] == 1
    assert browser.call(f"/api{at}/settings/guidelines", {"text": "Be fair."}).status_code == 400
    assert done(send(browser, f"/api{at}/settings/gold", {"gold.qrels": b"q1 0 d1 2\n"}))["added"] == 1
    assert "not in the pool" in problem_in(send(browser, f"/api{at}/settings/gold", {"g.qrels": b"q1 0 d9 2\n"}))
    done(browser.call(f"/api{at}/settings/state", {"state": "paused"}))
    assert browser.get(f"{at}/judge").status_code == 409
    verbs = [each["verb"] for each in browser.get(f"{at}/log.json").json()["events"]]
    assert {"settings changed", "guidelines added", "gold added", "state changed", "pool made"} <= set(verbs)
    only = browser.get(f"{at}/log.json?verb=gold+added").json()["events"]
    assert [each["what"] for each in only] == ["1 item"]
    rules = next(each for each in browser.get(f"{at}/log.json").json()["events"] if each["verb"] == "settings changed")
    assert rules["details"]["overlap"] == "1 → 2"
    assert {each.project for each in events_of(bench.database, project.id)} == {"mint"}


def test_a_member_who_is_dropped_gives_back_what_they_had_and_judges_no_more(bench: Workbench) -> None:
    lead, judge = bench.browser("owner"), bench.browser("assessor")
    assert judge.get(f"{bench.at}/judge.json").json()["task"]
    member = next(each for each in lead.get(f"{bench.at}/people.json").json()["members"] if each["role"] == "assessor")
    done(lead.call(f"/api{bench.at}/people/{member['account']}/drop"))
    assert judge.get(f"{bench.at}/judge").status_code == 404
    verbs = [each.verb for each in events_of(bench.database, bench.project.id)]
    assert verbs[:2] == ["assessors stopped", "member dropped"]
    assert lead.get(f"{bench.at}/exchange.json").json()["open"] == 6


def test_a_member_who_only_looks_from_now_on_gives_back_what_they_had(bench: Workbench) -> None:
    lead, judge = bench.browser("owner"), bench.browser("assessor")
    assert judge.get(f"{bench.at}/judge.json").json()["task"]
    member = next(each for each in lead.get(f"{bench.at}/people.json").json()["members"] if each["role"] == "assessor")
    done(lead.call(f"/api{bench.at}/people/{member['account']}/role", {"role": "viewer"}))
    assert judge.get(f"{bench.at}/judge").status_code == 403
    with bench.database.reading() as connection:
        assert set(connection.scalars(select(db.assignment.c.state))) == {"released"}


def test_a_link_can_be_revoked_by_those_who_may_make_it(bench: Workbench) -> None:
    owner, manager = bench.browser("owner"), bench.browser("manager")
    link = done(owner.call(f"/api{bench.at}/people/invite", {"role": "owner"}))["link"]
    links = manager.get(f"{bench.at}/people.json").json()["links"]
    assert [each["role"] for each in links] == ["owner"]
    assert link.rpartition("/")[2] not in manager.get(f"{bench.at}/people").text
    path = f"/api{bench.at}/people/links/{links[0]['id']}/revoke"
    assert manager.call(path).status_code == 400
    done(owner.call(path))
    assert bench.browser().get(link.removeprefix(ORIGIN)).status_code == 404
    assert owner.call(path).status_code == 400


def test_decisions_see_aliases_and_notes_as_text(bench: Workbench) -> None:
    browser, at, project = filled(bench, overlap=2)
    judged_apart(project)
    text = browser.get(f"{at}/disagreements").text
    assert "dora" not in text
    assert "emil" not in text
    assert "&lt;script&gt;" in text
    assert "<script>alert" not in text
    assert "Deciding" not in text
    bad = {"topic_id": "q1", "doc_id": "d1"}
    assert "choose a grade" in problem_in(browser.call(f"/api{at}/disagreements", bad))


def test_labels_of_others_come_in_after_somebody_has_looked(bench: Workbench) -> None:
    browser, at, _ = filled(bench)
    table = b"query_id,item_id,judge,label\nq1,d1,zoe,2\nq1,d9,zoe,1\n"
    looked = done(send(browser, f"/api{at}/import/look", {"<i>labels.csv": table}))
    assert (looked["taken"], looked["refused"]) == (1, 1)
    page = browser.get(f"{at}/exchange?file={looked['file']}").text
    assert "Import 1 label" in page
    assert "pool" in page
    assert "<i>labels" not in page
    elsewhere = bench.browser("owner").get(f"{bench.at}/exchange?file={looked['file']}")
    assert elsewhere.status_code == 400  # it waits in another project
    assert done(browser.call(f"/api{at}/import", {"file": looked["file"]})) == {"taken": 1, "known": 0}
    assert browser.call(f"/api{at}/import", {"file": looked["file"]}).status_code == 400
    again = done(send(browser, f"/api{at}/import/look", {"labels.csv": table}))
    assert (again["taken"], again["known"]) == (0, 1)
    done(browser.call(f"/api{at}/import/leave", {"file": again["file"]}))
    wrong = send(browser, f"/api{at}/import/look", {"labels.csv": b"query_id,item_id,judge,label\nq1,d1,zoe\n"})
    assert wrong.status_code == 400
    assert "labels.csv:2" in problem_in(wrong)


@pytest.mark.parametrize("tool", ["label-studio", "quepid"])
def test_tasks_for_other_tools_hold_no_run(bench: Workbench, tool: str) -> None:
    browser, at, _ = filled(bench)
    text = browser.get(f"{at}/export?what=tasks&tool={tool}&form=.json").text
    assert "Steep it." in text
    assert "r.run" not in text


def test_what_decides_is_handed_out_first_by_a_button(bench: Workbench) -> None:
    browser, at, _ = filled(bench)
    assert "two runs or more" in browser.get(f"{at}/deciding").text
    project = bundled_project(bench.database)
    at = f"/projects/{project.id}"
    assert "nothing is judged yet" in browser.get(f"{at}/deciding.json").json()["problem"]
    add_assessors(project, ["dora"])
    judge_all(project, "dora", lambda task: int(task.doc_id[-1]) % 4, most=12)
    before = len(events_of(bench.database, project.id))
    assert browser.get(f"{at}/deciding.json?number=5").json()["problem"] == ""
    assert len(events_of(bench.database, project.id)) == before  # looking changes nothing
    first = done(browser.call(f"/api{at}/deciding", {"number": 5}))
    assert 1 <= first["queued"] <= 5


def test_an_administrator_takes_a_backup_that_restores(bench: Workbench, tmp_path: Path) -> None:
    from assay.store.upkeep import restore  # noqa: PLC0415

    browser = bench.browser("administrator")
    assert "nothing is wrong" in browser.get("/database").text
    answer = browser.get("/database/backup")
    assert answer.headers["content-disposition"].endswith('.backup"')
    (tmp_path / "b").write_bytes(answer.content)
    with restore(tmp_path / "b", str(tmp_path / "new.db")) as restored:
        assert project_by_key(restored, bench.project.id).name == "tea"
    browser.post("/account/tokens", {"name": "t", "scope": "all"})
    token = browser.get("/account").text.partition("assay_")[2].partition("<")[0]
    headers = {"Authorization": f"Bearer assay_{token}"}
    assert bench.browser().get("/database/backup", headers=headers).status_code == 403  # it holds the accounts


#: All pages of this module, as an administrator of a project that people have judged sees them.
PAGES = (
    "/", "/projects/new", "/database", "/projects/1", "/projects/1/status", "/projects/1/files",
    "/projects/1/pool?depth=8", "/projects/1/deciding", "/projects/1/settings", "/projects/1/disagreements",
    "/projects/1/releases?look=true", "/projects/1/releases/changes?first=1&second=2", "/projects/1/exchange",
    "/projects/1/log", "/projects/1/people",
)  # fmt: skip
SERIOUS = """axe.run(document, {resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa"]})
    .then(found => found.violations
    .filter(each => ["serious", "critical"].includes(each.impact))
    .map(each => `${each.id}: ${each.nodes.map(node => node.html).join(" ").slice(0, 300)}`))"""

NARROW = """[...document.querySelectorAll("main button, main .button")]
    .filter(each => each.offsetWidth && each.offsetWidth < 40).map(each => each.outerHTML)"""


def test_pages_have_no_error_no_overflow_and_no_serious_fault_on_desktops_and_phones(
    browser: Any, tmp_path: Path
) -> None:
    axe = Path(str(resources.files("axe_playwright_python") / "axe.min.js")).read_text("utf-8")
    with served("--demo", "--db", "demo.db", folder=tmp_path) as link, browser.new_context() as context:
        with open_database(tmp_path / "demo.db") as database:
            project = change_settings(open_project(database), Settings(overlap=2, most=2))
            judged_apart(project, most=30)
            for method in ("majority", "highest"):
                make_release(project, Policy(method))
        site = link.partition("/enter")[0]
        page = context.new_page()
        faults: list[str] = []
        page.on("console", lambda said: faults.append(said.text) if said.type in {"error", "warning"} else None)
        page.on("pageerror", lambda problem: faults.append(str(problem)))
        page.on("request", lambda sent: None if sent.url.startswith(site) else faults.append(sent.url))
        page.goto(link)
        debugger = page.context.new_cdp_session(page)
        for place in PAGES:
            page.set_viewport_size({"width": 1280, "height": 900})
            answer = page.goto(site + place)
            assert answer is not None
            assert answer.status == 200, place
            debugger.send("Runtime.evaluate", {"expression": f"{axe};0"})  # the policy of pages lets it in by no tag
            schemes: tuple[tuple[int, Literal["light", "dark"]], ...] = ((1280, "light"), (390, "dark"))
            for width, scheme in schemes:
                page.set_viewport_size({"width": width, "height": 900})
                page.emulate_media(color_scheme=scheme)
                assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, (place, width)
                assert page.evaluate(NARROW) == [], (place, width)
                assert page.evaluate(SERIOUS) == [], (place, width, scheme)
        assert faults == []
