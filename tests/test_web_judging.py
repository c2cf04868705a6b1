"""Judging in a real browser, against a server process: nothing is lost, goes out too often, or is given away."""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from judging import fast_folder, make_project, new_database
from sqlalchemy import select, update
from workbench import PASSWORD, Server, running

from assay import make_pool
from assay.store import schema as db
from assay.store.accounts import User, add_account, open_session
from assay.store.database import Database
from assay.store.memberships import add_member
from assay.store.preferences import in_pairs
from assay.store.projects import Project, create_project
from assay.store.scales import SCALES
from assay.tables import Documents, Topics
from assay.web import assets
from assay.web.asking import COOKIE
from assay.web.passwords import Passwords

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page

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
        page.on("console", self._hear)
        page.goto(f"{self.server.address}/projects/{project.id}/judge")
        page.wait_for_selector(READY)
        return page

    def _hear(self, said: ConsoleMessage) -> None:
        if said.type == "error":
            self.complaints.append(said.text)

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


def until(page: Page, holds: Callable[[], object]) -> None:
    """Wait until something holds; the policy of the page forbids Playwright to ask for it in the page."""
    deadline = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < deadline
        page.wait_for_timeout(20)


def all_saved(page: Page) -> None:
    """Wait until nothing is unsaved."""
    unsaved = "Object.keys(localStorage).some((name) => name.startsWith('assay/unsaved/'))"
    until(page, lambda: not page.evaluate(unsaved))


def wait_for_unsaved(page: Page, number: int) -> None:
    """Wait until the page says how much is not saved."""
    page.wait_for_selector(f"#unsaved:has-text('{number} unsaved')")


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
        for secret in (*HIDDEN, *(f'"{word}"' for word in ("rank", "score", "run", "stratum", "priority", "purpose"))):
            assert secret not in text, (url, secret)


def _text(response: Any) -> str:
    try:
        return str(response.text())
    except Exception:  # an answer without a body, such as a redirect
        return ""


def test_a_server_that_is_killed_again_and_again_loses_nothing(browser: Browser) -> None:
    """Every decision is there once, in the end; with ASSAY_KILLS=50, more often."""
    rng, number = random.Random(1), 5 * KILLS
    given: dict[str, str] = {}

    def judge(page: Page) -> None:
        if len(given) < number and page.query_selector(READY):
            given[document(page)] = key = rng.choice("0123")
            page.keyboard.press(key)

    with opened_desk(browser) as desk:
        project = desk.project("killed", topics=2, documents=3 * KILLS)
        context = desk.enter("ana")
        page = desk.judge(context, project)
        for kill in range(KILLS):
            for _ in range(rng.randrange(4)):
                judge(page)
            page.wait_for_timeout(rng.randrange(30))
            desk.server.kill()
            judge(page)
            if kill % 3 == 2:  # the page ends as well: what it kept outlives it
                page.close()
            desk.server.start()
            page = desk.judge(context, project) if page.is_closed() else page
            page.evaluate("dispatchEvent(new Event('online'))")
        while len(given) < number:
            page.wait_for_selector(READY)
            judge(page)
        all_saved(page)
        labels = desk.labels(project)
        assert {each.doc_id: str(each.value) for each in labels} == given
        assert len(labels) == number


def test_two_tabs_of_one_assessor_never_have_the_same_document(desk: Desk) -> None:
    project = desk.project("tabs", topics=2, documents=8)
    context = desk.enter("ana")
    tabs = [desk.judge(context, project)]
    tabs.append(desk.judge(context, project))
    tabs[1].wait_for_load_state("networkidle")
    until(tabs[1], lambda: document(tabs[0]) != document(tabs[1]))
    for number in range(12):
        assert len({document(tab) for tab in tabs}) == 2
        press(tabs[number % 2], "1")
    for tab in tabs:
        all_saved(tab)
    assert Counter(Counter(each.assignment_id for each in desk.labels(project)).values()) == {1: 12}
    tabs[1].close(run_before_unload=True)
    tabs[0].bring_to_front()
    for _ in range(4):
        press(tabs[0], "2")
    tabs[0].wait_for_selector("text=Nothing is left to judge")
    assert len(desk.labels(project)) == 16
    desk.quiet()


def test_what_is_judged_after_its_lease_ended_is_saved_and_said_to_be_late(desk: Desk) -> None:
    project = desk.project("late", topics=1, documents=2)
    ana = desk.judge(desk.enter("ana"), project)
    until(ana, lambda: desk.leases(project)["ana"] == 2)
    first = document(ana)
    with desk.database.writing() as connection:
        connection.execute(update(db.assignment).values(lease_until=1))
    ben = desk.judge(desk.enter("ben"), project)  # both documents are free again
    while document(ben) != first:
        press(ben, "0")
    press(ben, "1")
    all_saved(ben)
    press(ana, "3")
    all_saved(ana)
    assert "late" in ana.inner_text("#saving")
    found = {each.name: each for each in desk.labels(project) if each.doc_id == first}
    assert (found["ana"].value, found["ana"].is_late, found["ana"].is_surplus) == (3, True, True)
    assert (found["ben"].value, found["ben"].is_surplus) == (1, False)
    desk.quiet()


def test_documents_stay_with_whoever_is_at_work_and_go_back_when_they_leave(desk: Desk) -> None:
    project = desk.project("leases", topics=1, documents=6)
    page = desk.enter("ana").new_page()
    page.clock.install()
    page.goto(f"{desk.server.address}/projects/{project.id}/judge")
    page.wait_for_load_state("networkidle")
    assert desk.leases(project)["ana"] == 4

    def after(minutes: int) -> bool:
        """Whether leases are renewed when so many minutes have passed."""
        with desk.database.writing() as connection:
            handed = select(db.assignment.c.handed_at).order_by(db.assignment.c.id.desc())
            soon = (connection.scalar(handed) or 0) + 60_000
            connection.execute(update(db.assignment).values(lease_until=soon))
        page.clock.fast_forward(minutes * 60_000)
        page.wait_for_timeout(300)
        with desk.database.reading() as connection:
            return bool(
                connection.scalar(select(db.assignment.c.lease_until).where(db.assignment.c.lease_until > soon))
            )

    assert after(8)
    assert not after(40)  # nobody has touched anything
    page.reload()
    page.wait_for_load_state("networkidle")
    assert desk.leases(project)["ana"] == 4
    page.goto(f"{desk.server.address}/projects/{project.id}")
    until(page, lambda: not desk.leases(project))


def test_labels_wait_for_a_new_sign_in_and_are_then_saved(desk: Desk) -> None:
    project = desk.project("expired", topics=1, documents=6)
    context = desk.enter("ana")
    page = desk.judge(context, project)
    page.wait_for_load_state("networkidle")
    with desk.database.writing() as connection:
        connection.execute(update(db.session).values(expires_at=1))
    press(page, "1", "2")
    wait_for_unsaved(page, 2)
    page.wait_for_selector("#trouble:has-text('You are signed out')")
    with context.expect_page() as opened:
        page.click("text=Sign in again")
    entry = opened.value
    entry.fill("[name=name]", "ana")
    entry.fill("[name=password]", PASSWORD)
    entry.press("[name=password]", "Enter")
    entry.wait_for_selector(READY)  # the page that was asked for; it saves what the other one left, too
    page.evaluate("dispatchEvent(new Event('focus'))")
    all_saved(page)
    page.wait_for_selector("#trouble", state="hidden")
    press(page, "3")
    all_saved(page)
    assert sorted(each.value for each in desk.labels(project)) == [1, 2, 3]


def test_a_label_of_somebody_who_was_signed_in_before_is_not_sent_as_anybody_elses(desk: Desk) -> None:
    project = desk.project("other", topics=1, documents=6)
    context = desk.enter("ana")
    page = desk.judge(context, project)
    page.wait_for_load_state("networkidle")
    desk.sign_in(context, "ben")
    press(page, "1")
    page.wait_for_selector("#trouble:has-text('You are signed out')")
    desk.sign_in(context, "ana")
    page.evaluate("dispatchEvent(new Event('focus'))")
    all_saved(page)
    assert [(each.name, each.value) for each in desk.labels(project)] == [("ana", 1)]


def test_judging_goes_on_while_the_server_cannot_be_reached(desk: Desk) -> None:
    project = desk.project("away", topics=1, documents=8)
    context = desk.enter("ana")
    page = desk.judge(context, project)
    page.wait_for_load_state("networkidle")
    context.set_offline(True)
    press(page, "1", "2", "x")
    wait_for_unsaved(page, 3)
    page.wait_for_selector("#trouble:has-text('3 unsaved: kept in this browser')")
    asked: list[str] = []

    def stay(dialog: Any) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", stay)
    page.close(run_before_unload=True)
    page.wait_for_timeout(100)
    assert asked == ["beforeunload"]
    press(page, "u")  # taken back before it was ever sent
    press(page, "0")
    context.set_offline(False)
    all_saved(page)
    page.wait_for_selector("#trouble", state="hidden")
    said = {each.assignment_id: (each.verdict, each.value) for each in desk.labels(project)}
    assert sorted(said.values(), key=str) == [("graded", 0), ("graded", 1), ("graded", 2)]


def test_every_key_does_what_the_list_of_keys_says(desk: Desk) -> None:
    project = desk.project("keys", topics=1, documents=9)
    page = desk.judge(desk.enter("ana"), project)
    press(page, "?")
    page.wait_for_selector("#keys[open]")
    press(page, "2")  # reads, and judges nothing
    page.keyboard.press("Escape")
    first = document(page)
    press(page, "n")
    page.keyboard.type("3 of it, unsure")
    page.keyboard.press("Enter")
    press(page, "1")
    second = document(page)
    press(page, "x", "s", "u")
    assert page.evaluate("document.activeElement.classList.contains('heading')")
    third = document(page)
    press(page, "u")
    assert document(page) == second
    press(page, "2")
    assert document(page) == third
    page.click("button.grade:has-text('perfect')")
    all_saved(page)
    newest = {each.doc_id: (each.verdict, each.value, each.note, each.input) for each in desk.labels(project)}
    assert newest == {
        first: ("graded", 1, "3 of it, unsure", "key"), second: ("graded", 2, "", "key"),
        third: ("graded", 3, "", "click"),
    }  # fmt: skip
    page.wait_for_selector("#saving:has-text('Saved: perfect.')")
    assert page.inner_text("#progress") == "3 judged, about 6 left"
    page.reload()
    press(page, "u")
    page.wait_for_selector(f".current .doc-id:has-text('{third}')")
    assert page.inner_text("#progress") == "2 judged, about 7 left"
    desk.quiet()


def test_words_are_highlighted_found_and_kept_for_the_topic(desk: Desk) -> None:
    project = desk.project("words", topics=1, documents=5)
    page = desk.judge(desk.enter("ana"), project)
    assert not page.query_selector("mark")
    press(page, "/")
    page.keyboard.type("text of")
    assert page.inner_text("mark.found") == "text of"
    page.keyboard.press("Enter")
    assert (page.inner_text("mark.mine"), page.inner_text("#hits")) == ("text of", "1 of 1 hit")
    press(page, "1")
    assert page.inner_text("mark.mine") == "text of"
    page.click("#own button")
    assert not page.query_selector("mark")


def test_a_list_takes_the_same_keys(desk: Desk) -> None:
    project = desk.project("list", topics=2, documents=4)
    page = desk.judge(desk.enter("ana"), project)
    press(page, "b")
    page.wait_for_selector("#judging.as-list")
    assert page.locator(".paper").count() == 4
    press(page, "3", "2", "ArrowUp", "0", "u", "1")
    page.click(".paper:first-child")
    press(page, "2", "1", "0")
    page.wait_for_selector(".current .doc-id:has-text('-')")
    until(page, lambda: not page.query_selector(".paper.decided"))  # the next topic
    all_saved(page)
    done = {each.doc_id: each.value for each in desk.labels(project)}
    assert sorted(done.values()) == [0, 1, 1, 2]
    assert len({each.split("-")[0] for each in done}) == 1
    desk.quiet()


def test_the_better_one_of_two_documents_is_chosen_side_by_side(desk: Desk) -> None:
    ids = [f"d{number}" for number in range(4)]
    texts = Documents.of({each: f"The text of {each}." for each in ids})
    pool = make_pool({"only": {"q0": dict.fromkeys(ids, 1.0)}}, depth=10)
    pairs, both = in_pairs(pool, texts, each=2)
    project = create_project(
        desk.database, "pairs", pairs, Topics.of({"q0": "about text"}), both, scale=SCALES["preference"]
    )
    add_member(project, desk.users["ana"], "assessor")
    page = desk.judge(desk.enter("ana"), project)
    left, right = document(page).split(" : ")
    assert page.locator(".sides .text").all_inner_texts() == [f"The text of {left}.", f"The text of {right}."]
    places = [page.locator(".sides section").nth(place).bounding_box() for place in (0, 1)]
    assert places[0] is not None
    assert places[1] is not None
    assert places[0]["y"] == places[1]["y"]
    press(page, "3")
    all_saved(page)
    assert [(each.doc_id, each.value) for each in desk.labels(project)] == [(f"{left} : {right}", 1)]
    desk.quiet()


def test_further_questions_are_answered_one_after_the_other_and_the_last_answer_saves(desk: Desk) -> None:
    project = desk.project("aspects", topics=1, documents=4, aspects=("support", "reading level"))
    page = desk.judge(desk.enter("ana"), project)
    names = list(project.aspects.values())
    press(page, "2")
    assert page.locator(".further.asked").get_attribute("data-name") == names[1].name
    press(page, "u", "3", names[1].scale.grades[0].key, names[2].scale.grades[-1].key)
    page.click("button.grade:has-text('related')")
    page.click("button.grade:has-text('related')")  # again: without the other answers
    all_saved(page)
    assert [each.value for each in desk.labels(project)] == [3, 1]
    with desk.database.reading() as connection:
        further = connection.scalars(select(db.label_aspect.c.value).order_by(db.label_aspect.c.aspect_id)).all()
    assert further == [names[1].scale.grades[0].value, names[2].scale.grades[-1].value]
    desk.quiet()


def test_a_phone_shows_more_of_the_document_than_of_anything_else(desk: Desk) -> None:
    runs = {"only": {"q0": {"long": 1.0, "short": 0.5}}}
    project = desk.project("phone", runs=runs)
    long = " ".join(f"word{number}" for number in range(1_000)) + " about everything"
    with desk.database.writing() as connection:
        connection.execute(update(db.document).where(db.document.c.doc_id.in_(["long", "short"])).values(body=long))
    page = desk.judge(desk.enter("ana", viewport={"width": 390, "height": 760}), project)
    heights = {each: page.locator(each).bounding_box() for each in (".decision", ".topic")}
    assert sum(box["height"] for box in heights.values() if box) < 760 / 3
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    whole = page.inner_text(".paper .single")
    press(page, "f")
    excerpt = page.inner_text(".paper .single")
    assert len(excerpt) < len(whole) / 5
    assert "about" in page.locator("mark").all_inner_texts()
    press(page, "j")
    assert page.locator("mark.current").count() == 1
    desk.quiet()


def test_scripts_of_the_workbench_are_small() -> None:
    own = [asset.content for name, asset in assets.every().items() if name.endswith(".js") and name != "report.js"]
    assert len(own) > 3
    assert sum(map(len, own)) < 50_000
