"""Judging in a real browser, against a server process: nothing is lost, nothing goes out too often, nothing is given away."""

from __future__ import annotations

import os
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from judging import fast_folder, make_project, new_database
from sqlalchemy import select, update
from workbench import PASSWORD, Server, running

from assay.store import schema as db
from assay.store.accounts import User, add_account, open_session
from assay.store.database import Database
from assay.store.memberships import add_member
from assay.store.projects import Project
from assay.web.asking import COOKIE
from assay.web.passwords import Passwords

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

#: How often the server is killed while somebody judges; more by hand.
KILLS = int(os.environ.get("ASSAY_KILLS", "5"))
#: What no assessor's browser may get: names of runs, their scores, what others said.
HIDDEN = ("zebra-run", "okapi-run", "41.5", "63.25", "said by the other")
RUNS = {
    "zebra-run": {f"q{topic}": {f"d{topic}-{d}": 41.5 - d for d in range(10)} for topic in range(3)},
    "okapi-run": {f"q{topic}": {f"d{topic}-{d}": 63.25 + d for d in range(10)} for topic in range(3)},
}
READY = "#judging.live:not(.waiting)"


@dataclass
class Desk:
    """A server, its database, and the people who judge: what their browsers asked for, got and complained about."""

    server: Server
    database: Database
    browser: Browser
    users: dict[str, User]
    stack: ExitStack
    asked: list[str] = field(default_factory=list)
    got: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def project(self, name: str, **more: Any) -> Project:
        """A project of which everybody is an assessor."""
        project = make_project(self.database, name, people=(), **more)
        for user in self.users.values():
            add_member(project, user, "assessor")
        return project

    def enter(self, who: str, **more: Any) -> BrowserContext:
        """A browser in which somebody is signed in."""
        context = self.stack.enter_context(self.browser.new_context(**more))
        context.set_default_timeout(20_000)
        self.sign_in(context, who)
        return context

    def sign_in(self, context: BrowserContext, who: str) -> None:
        secret = open_session(self.database, self.users[who].id)
        context.add_cookies([{"name": COOKIE, "value": secret, "url": self.server.address}])

    def judge(self, context: BrowserContext, project: Project) -> Page:
        """The judging page, opened."""
        page = context.new_page()
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda said: said.type == "error" and self.complaints.append(said.text))
        page.goto(f"{self.server.address}/projects/{project.id}/judge")
        page.wait_for_selector(READY)
        return page

    def labels(self, project: Project) -> list[Any]:
        """All labels of a project, the oldest first, with who gave them to what."""
        rows = (
            select(db.label, db.item.c.doc_id, db.assessor.c.name)
            .join(db.assignment, db.assignment.c.id == db.label.c.assignment_id)
            .join(db.item, db.item.c.id == db.assignment.c.item_id)
            .join(db.assessor, db.assessor.c.id == db.assignment.c.assessor_id)
            .where(db.item.c.project_id == project.id)
            .order_by(db.label.c.id)
        )
        with self.database.reading() as connection:
            return list(connection.execute(rows).all())

    def leases(self, project: Project) -> Counter[str]:
        """Documents that each assessor has now."""
        rows = (
            select(db.assessor.c.name)
            .join(db.assignment, db.assignment.c.assessor_id == db.assessor.c.id)
            .where(db.assessor.c.project_id == project.id, db.assignment.c.state == "leased")
        )
        with self.database.reading() as connection:
            return Counter(connection.scalars(rows))

    def quiet(self) -> None:
        """No error was written to the console, and nothing was asked of anybody else."""
        assert not self.complaints
        assert not [url for url in self.asked if not url.startswith((self.server.address, "data:"))]


@contextmanager
def opened_desk(browser: Browser) -> Iterator[Desk]:
    with fast_folder() as folder, new_database(folder / "judging.db") as database, ExitStack() as stack:
        password = Passwords(is_cheap=True).hashed(PASSWORD)
        users = {name: add_account(database, name, password) for name in ("ana", "ben")}
        server = stack.enter_context(running(folder / "judging.db"))
        yield Desk(server, database, browser, users, stack)


@pytest.fixture(scope="module")
def shared(browser: Browser) -> Iterator[Desk]:
    with opened_desk(browser) as desk:
        yield desk


@pytest.fixture
def desk(shared: Desk) -> Iterator[Desk]:
    """The desk of all tests here that do not kill the server."""
    shared.asked.clear()
    shared.complaints.clear()
    with ExitStack() as stack:
        shared.stack = stack
        yield shared


def document(page: Page) -> str:
    """The document at hand."""
    return page.inner_text(".current .doc-id").removeprefix("Document ")


def press(page: Page, *keys: str) -> None:
    """Press keys, each when there is a document."""
    for key in keys:
        page.wait_for_selector(READY)
        page.keyboard.press(key)


def all_saved(page: Page) -> None:
    """Wait until nothing is unsaved."""
    page.wait_for_function("!Object.keys(localStorage).some((name) => name.startsWith('assay/unsaved/'))")


def unsaved(page: Page, number: int) -> None:
    """Wait until the page says how much is not saved."""
    page.wait_for_function(f"document.getElementById('unsaved').innerText === '{number} unsaved'")


def test_two_assessors_judge_thirty_documents_by_keyboard_and_their_browsers_learn_nothing(desk: Desk) -> None:
    project = desk.project("thirty", runs=RUNS, overlap=2)
    contexts = {who: desk.enter(who) for who in desk.users}
    got: list[tuple[str, str]] = []
    for context in contexts.values():
        context.on("response", lambda response: got.append((response.url, _text(response))))
    pages = {who: desk.judge(context, project) for who, context in contexts.items()}
    press(pages["ben"], "n")
    pages["ben"].keyboard.type("said by the other")
    pages["ben"].keyboard.press("Enter")
    for number in range(30):
        for who, page in pages.items():
            press(page, "0123"[(number + len(who) + ord(who[0])) % 4])
    for page in pages.values():
        page.wait_for_selector("text=Nothing is left to judge")
        assert "You have judged 30 documents" in page.inner_text("main")
        page.goto(f"{desk.server.address}/projects/{project.id}")
    labels = desk.labels(project)
    assert Counter(Counter((each.name, each.doc_id) for each in labels).values()) == {1: 60}
    assert {each.input for each in labels} == {"key"}
    assert all(each.active_ms is not None and len(each.shown) == 64 for each in labels)
    assert [each.note for each in labels if each.note] == ["said by the other"]
    desk.quiet()
    assert len(got) > 80
    for url, text in got:
        for secret in (*HIDDEN[:4], "ben" if "judge" in url and '"ana"' in text else HIDDEN[0]):
            assert secret not in text, (url, secret)
        for word in ('"rank"', '"score"', '"run"', '"stratum"', '"priority"', '"purpose"', '"expected"'):
            assert word not in text, (url, word)
    assert not [url for url, text in got if "said by the other" in text]


def _text(response: Any) -> str:
    try:
        return str(response.text())
    except Exception:  # an answer without a body, such as a redirect
        return ""


def test_a_server_that_is_killed_again_and_again_loses_nothing(browser: Browser) -> None:
    """Every decision is there once, in the end; with ASSAY_KILLS=50, more often."""
    rng = random.Random(1)
    with opened_desk(browser) as desk:
        project = desk.project("killed", topics=2, documents=4 * KILLS)
        context = desk.enter("ana")
        page = desk.judge(context, project)
        given: dict[str, str] = {}
        while "Nothing is left" not in page.inner_text("main"):
            for _ in range(rng.randrange(4)):
                if page.query_selector(READY):
                    given[document(page)] = key = rng.choice("0123")
                    page.keyboard.press(key)
            page.wait_for_timeout(rng.randrange(40))
            if len(given) < 8 * KILLS:
                desk.server.kill()
                if page.query_selector(READY):
                    given[document(page)] = key = rng.choice("0123")
                    page.keyboard.press(key)
                desk.server.start()
                if rng.random() < 0.3:  # the page is closed meanwhile: what it kept outlives it
                    page.close()
                    page = desk.judge(context, project)
                page.evaluate("dispatchEvent(new Event('online'))")
            page.wait_for_timeout(20)
            if not page.query_selector(READY):
                page.wait_for_selector(f"{READY}, .empty")
        all_saved(page)
        labels = desk.labels(project)
        assert {each.doc_id: str(each.value) for each in labels} == given
        assert len(labels) == len(given) == 8 * KILLS
