"""The workbench: who may do what, by the table of routes; sessions, forms, headers, and judging without a script."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from judging import fast_folder
from sqlalchemy import select
from workbench import ORIGIN, PASSWORD, Workbench, fields_of, opened, problem_in, served

from assay.store import accounts
from assay.store import schema as db
from assay.web import access
from assay.web.context import Settings
from assay.web.routes import ROUTES, Route

PEOPLE = ("", "stranger", *db.ROLES, "administrator")


@pytest.fixture(scope="module")
def bench() -> Iterator[Workbench]:
    """One for all tests that change nothing of it."""
    with fast_folder() as folder, opened(folder) as workbench:
        yield workbench


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Workbench]:
    with opened(tmp_path) as workbench:
        yield workbench


def expected(route: Route, who: str, *, is_page: bool) -> set[int]:
    """The statuses that somebody may get from a route, by what the table says."""
    answers = {200, 303, 400, 404, 409, 422}  # the form is empty, and what it is about may not be there
    role = "owner" if who == "administrator" else who
    if route.who == access.ANYONE:
        return answers | {403}
    if not who:
        return {303} if is_page and not route.is_form else {401}
    if route.in_project and who == "stranger":
        return {404}
    if route.who == access.ADMINISTRATOR:
        return answers if who == "administrator" else {403}
    if route.who == access.SIGNED_IN or role in route.who:
        return answers
    return {403}


@pytest.mark.parametrize("who", PEOPLE)
def test_everybody_gets_what_the_table_of_routes_says_and_nothing_else(fresh: Workbench, who: str) -> None:
    values = {"project": fresh.project.id, "key": 10**6, "secret": "x", "version": "x", "name": "x"}
    for route in ROUTES:
        browser = fresh.browser(who)  # some routes end the session
        page = browser.post(route.filled(**values)) if route.is_form else browser.get(route.filled(**values))
        assert page.status_code in expected(route, who, is_page=True), f"{route.name}: {page.text[-500:]}"
        if page.status_code == 303 and not who and route.who != access.ANYONE:
            assert page.headers["location"].startswith("/sign-in")
        if route.twin:
            path = route.twin.format(**values)
            data = fresh.browser(who).call(path) if route.is_form else fresh.browser(who).get(path)
            assert data.status_code in expected(route, who, is_page=False), f"{path}: {data.text}"
            assert data.headers["content-type"] == "application/json"


def test_every_route_of_the_application_is_in_the_table_and_has_a_rule(bench: Workbench) -> None:
    known = {(path, route.method) for route in ROUTES for path in (route.path, route.twin) if path}
    served = {
        (str(getattr(each, "path", "")).replace(":int", ""), method)
        for each in bench.app.routes
        for method in getattr(each, "methods", ())
    }
    assert served == known
    for route in ROUTES:
        words = {*access.ANYONE, *access.SIGNED_IN, *access.ADMINISTRATOR}
        assert set(route.who) <= set(db.ROLES) or set(route.who) <= words, route
        assert route.who, route
        assert not route.in_project or set(route.who) <= set(db.ROLES), f"{route.path} is open to other projects"
    assert len({route.name for route in ROUTES}) == len(ROUTES)


@pytest.mark.parametrize("route", [each for each in ROUTES if each.is_form], ids=lambda each: each.name)
def test_no_form_takes_what_another_site_sends(bench: Workbench, route: Route) -> None:
    values = {"project": bench.project.id, "key": 10**6, "secret": "x"}
    browser, path = bench.browser("owner"), route.filled(**values)
    for wrong in ({"csrf": ""}, {"csrf": "0" * 64}):
        assert browser.post(path, wrong).status_code == 403
    for headers in ({"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}):
        assert browser.post(path, headers=headers).status_code == 403
    if route.twin:
        headers = {"Origin": ORIGIN}
        assert browser.client.post(route.twin.format(**values), json={}, headers=headers).status_code == 403


def test_a_session_begins_with_a_secret_that_nobody_had_before_and_ends_for_good(fresh: Workbench) -> None:
    browser = fresh.browser()
    browser.client.cookies.set("assay", "planted", domain="localhost.local")
    browser.get("/sign-in")
    answer = browser.post("/sign-in", {"name": "Owner", "password": PASSWORD, "next": "/account"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/account")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "planted" not in cookie
    secret = re.search("assay=([^;]+)", cookie)
    assert secret is not None
    assert fresh.browser().get("/account").status_code == 303
    with fresh.database.reading() as connection:
        assert secret[1] not in connection.scalars(select(db.session.c.digest)).all()
    kept = fresh.browser()
    kept.client.cookies.set("assay", secret[1])
    assert kept.get("/account").status_code == 200
    assert kept.post("/sign-out").headers["location"] == "/sign-in"
    kept.client.cookies.set("assay", secret[1])
    assert kept.get("/account").status_code == 303


def test_a_page_that_is_not_there_ends_no_session(bench: Workbench) -> None:
    browser = bench.browser("viewer")
    assert browser.get("/nowhere").status_code == 404
    assert browser.get("/account").status_code == 200


def test_guessing_passwords_is_slowed_down_whether_there_is_an_account_or_not(fresh: Workbench) -> None:
    for name in ("owner", "nobody"):
        fresh.browser().get("/sign-in")
        browser = fresh.browser()
        browser.get("/sign-in")
        said = [browser.post("/sign-in", {"name": name, "password": "wrong"}) for _ in range(6)]
        assert [each.status_code for each in said] == [403] * 5 + [429], said[0].text
        accounts.forget_failures(fresh.database, "from:testclient")


@pytest.mark.parametrize("place", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)"])
def test_signing_in_leads_to_no_other_site(fresh: Workbench, place: str) -> None:
    browser = fresh.browser()
    browser.get("/sign-in")
    answer = browser.post("/sign-in", {"name": "owner", "password": PASSWORD, "next": place})
    assert answer.headers["location"] == "/"


def test_links_work_once(tmp_path: Path) -> None:
    from judging import new_database  # noqa: PLC0415
    from starlette.testclient import TestClient  # noqa: PLC0415
    from workbench import Browser  # noqa: PLC0415

    from assay.web.app import create_app  # noqa: PLC0415
    from assay.web.passwords import Passwords  # noqa: PLC0415

    with new_database(tmp_path / "empty.db") as database:
        app = create_app(database, Settings(), Passwords(is_cheap=True))
        path = f"/first/{accounts.add_link(database, 'first')}"
        given = {"name": "ana", "password": PASSWORD}
        first, second = (Browser(TestClient(app, base_url=ORIGIN, follow_redirects=False)) for _ in range(2))
        assert first.get(path).status_code == second.get(path).status_code == 200
        assert first.post(path, {"name": "ana", "password": "short"}).status_code == 400
        assert first.post(path, given).headers["location"] == "/"
        assert second.post(path, {**given, "name": "ben"}).status_code == 400
        assert second.get(path).status_code == 404
        assert first.get("/account.json").json()["is_administrator"] is True


def test_an_invitation_makes_one_member_of_the_role_that_it_names(fresh: Workbench) -> None:
    owner, guest = fresh.browser("owner"), fresh.browser()
    link = owner.call(f"/api{fresh.at}/people/invite", {"role": "assessor"}).json()["data"]["link"]
    path = link.removeprefix(ORIGIN)
    assert "tea" in guest.get(path).text
    assert guest.post(path, {"name": "dora", "password": PASSWORD}).headers["location"] == fresh.at
    assert guest.get(f"{fresh.at}/judge").status_code == 200
    assert guest.get(f"{fresh.at}/people").status_code == 403
    assert fresh.browser("stranger").post(path).status_code == 400  # it was used
    assert fresh.browser("manager").call(f"/api{fresh.at}/people/invite", {"role": "owner"}).status_code == 403


def test_a_document_is_judged_by_form_once_however_often_the_form_is_sent(fresh: Workbench) -> None:
    browser = fresh.browser("assessor")
    page = browser.get(f"{fresh.at}/judge").text
    given = {**fields_of(page, "/judge"), "grade": "2", "note": "a <b> note"}
    for _ in range(2):
        answer = browser.post(f"{fresh.at}/judge", given)
        assert (answer.status_code, answer.headers["location"]) == (303, f"{fresh.at}/judge")
    after = browser.get(f"{fresh.at}/judge")
    assert "Saved: relevant" in after.text
    assert "Saved" not in browser.get(f"{fresh.at}/judge").text
    with fresh.database.reading() as connection:
        rows = connection.execute(select(db.label.c.value, db.label.c.note, db.label.c.input)).all()
    assert rows == [(2, "a <b> note", "form")]
    undone = browser.post(f"{fresh.at}/judge/undo", fields_of(after.text, "/judge/undo"))
    assert undone.status_code == 303
    again = browser.get(f"{fresh.at}/judge").text
    assert fields_of(again, "/judge")["assignment"] == given["assignment"]
    assert browser.post(f"{fresh.at}/judge/skip", fields_of(again, "/judge")).status_code == 303


def test_a_token_is_good_for_its_scope_and_shown_once(fresh: Workbench) -> None:
    browser = fresh.browser("assessor")
    page = browser.post("/account/tokens", {"name": "script", "scope": "judge"})
    assert page.status_code == 303
    secret = re.search("assay_[-_0-9A-Za-z]{20,}", browser.get("/account").text)
    assert secret is not None
    assert secret[0] not in browser.get("/account").text
    program = fresh.browser()
    headers = {"Authorization": f"Bearer {secret[0]}"}
    task = program.get(f"{fresh.at}/judge.json", headers=headers).json()["task"]
    given = {"assignment": task["assignment"], "key": task["key"], "grade": 1}
    saved = program.client.post(f"/api{fresh.at}/judge", json=given, headers=headers)
    assert saved.json()["data"]["is_repeated"] is False
    assert program.get("/account", headers=headers).status_code == 403
    wrong = program.get("/.json", headers={"Authorization": "Bearer nothing"})
    assert (wrong.status_code, "not known" in problem_in(wrong)) == (401, True)


@pytest.mark.parametrize("path", ["/", "/sign-in", "/nowhere", "/health", "/.json"])
def test_every_answer_has_the_headers_that_keep_browsers_safe(bench: Workbench, path: str) -> None:
    headers = bench.browser("owner").get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert (headers["x-content-type-options"], headers["referrer-policy"]) == ("nosniff", "same-origin")


def test_no_page_has_script_or_style_of_its_own(bench: Workbench) -> None:
    browser = bench.browser("owner")
    for route in ROUTES:
        if route.template and not {"{secret}", "{key}"} & set(route.path.split("/")):
            text = browser.get(route.filled(project=bench.project.id)).text
            assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*src=)|https?://", text), route.name


def test_names_of_hosts_that_are_not_ours_are_refused(bench: Workbench) -> None:
    for host, status in {"localhost:8000": 200, "evil.example": 421, "": 421, "127.0.0.1": 200}.items():
        assert bench.browser().get("/health", headers={"Host": host}).status_code == status


def test_below_a_path_every_link_begins_with_it(tmp_path: Path) -> None:
    with opened(tmp_path, Settings(root_path="/assay")) as bench:
        browser = bench.browser("owner")
        text = browser.get("/").text
        links = re.findall(r'(?:href|src|action)="([^"#]+)"', text)
        assert len(links) > 5
        assert all(each.startswith("/assay/") for each in links), links
        assert browser.get(links[0].removeprefix("/assay")).status_code == 200


@pytest.mark.parametrize(
    ("sent", "status"),
    [(b"{", 400), (b"[]", 422), (b'{"assignment": "x"}', 422), (b"x" * (2**20 + 1), 413), (b"\xff", 400)],
)
def test_what_programs_send_is_checked(bench: Workbench, sent: bytes, status: int) -> None:
    browser = bench.browser("assessor")
    headers = {"X-CSRF-Token": browser.csrf, "Content-Type": "application/json"}
    answer = browser.client.post(f"/api{bench.at}/judge", content=sent, headers=headers)
    assert (answer.status_code, answer.json()["error"]["status"]) == (status, status)


def test_an_error_that_nobody_foresaw_says_nothing_of_itself(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("a secret of the inside")

    monkeypatch.setattr("assay.web.pages.home.memberships_of", broken)
    answer = bench.browser("owner").get("/.json")
    assert answer.status_code == 500
    assert "inside" not in answer.text
    assert f'"request": "{answer.json()["error"]["request"]}"' in capsys.readouterr().err


def test_the_demonstration_signs_in_by_its_link_and_ends_in_peace(tmp_path: Path) -> None:
    with served("--demo", folder=tmp_path) as link, httpx2.Client(follow_redirects=True, timeout=30) as client:
        page = client.get(link)
        assert page.status_code == 200
        assert "bicycles" in page.text
    assert "Traceback" not in (tmp_path / "server.log").read_text()


def test_an_address_that_is_taken_is_an_error_in_one_line(tmp_path: Path) -> None:
    import socket  # noqa: PLC0415

    from command import run_assay  # noqa: PLC0415

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = run_assay("serve", "--demo", "--port", port, folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"port {port} of 127.0.0.1 is taken: choose another one, or 0 for any that is free" in done.stderr
