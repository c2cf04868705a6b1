"""The workbench for tests: in this process with somebody of each role signed in, or as a server of its own."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from httpx2 import Response
from judging import make_project, new_database
from starlette.testclient import TestClient

from assay.store.accounts import User, add_account, open_session
from assay.store.database import Database, open_database
from assay.store.memberships import add_member
from assay.store.projects import Project
from assay.store.schema import ROLES
from assay.web.app import create_app
from assay.web.asking import COOKIE, csrf_of
from assay.web.context import Settings
from assay.web.passwords import Passwords

#: Servers are forked from a process that has loaded what they need: one starts in no time.
_FORK: Any = multiprocessing.get_context("forkserver" if sys.platform != "win32" else "spawn")
_FORK.set_forkserver_preload(["assay.web.serving"])

ORIGIN = "http://localhost"
#: Passwords of all accounts in tests.
PASSWORD = "a password for tests"


class Browser:
    """A browser without script: it keeps cookies, follows links, and sends the forms of a page."""

    def __init__(self, client: TestClient, secret: str = "") -> None:
        self.client = client
        if secret:
            client.cookies.set(COOKIE, secret)

    @property
    def csrf(self) -> str:
        """What a form of the session has to send along."""
        return csrf_of(self.client.cookies.get(COOKIE) or "")

    def get(self, path: str, **more: Any) -> Response:
        return self.client.get(path, **more)

    def post(self, path: str, fields: dict[str, Any] | None = None, **more: Any) -> Response:
        """Send a form as a browser does."""
        headers = {"Origin": ORIGIN} | more.pop("headers", {})
        return self.client.post(path, data={"csrf": self.csrf, **(fields or {})}, headers=headers, **more)

    def call(self, path: str, fields: dict[str, Any] | None = None, **more: Any) -> Response:
        """Send a form as a script of the page does."""
        headers = {"Origin": ORIGIN, "X-CSRF-Token": self.csrf} | more.pop("headers", {})
        return self.client.post(path, json=fields or {}, headers=headers, **more)


@dataclass
class Workbench:
    """A workbench on a database with a project, and somebody of each role: `owner`, ..., `viewer`.

    `administrator` may do everything, `stranger` belongs to no project.
    """

    database: Database
    project: Project
    settings: Settings = field(default_factory=Settings)
    users: dict[str, User] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.passwords = Passwords(is_cheap=True)
        self.app = create_app(self.database, self.settings, self.passwords)
        hashed = self.passwords.hashed(PASSWORD)
        for name in ("administrator", *ROLES, "stranger"):
            is_administrator = name == "administrator"
            self.users[name] = add_account(self.database, name, hashed, is_administrator=is_administrator)
            if name in ROLES:
                add_member(self.project, self.users[name], name)

    def browser(self, name: str = "") -> Browser:
        """A browser in which somebody is signed in; nobody, without a name. Redirects are not followed."""
        secret = open_session(self.database, self.users[name].id) if name else ""
        root = self.settings.root_path
        return Browser(TestClient(self.app, base_url=ORIGIN + root, follow_redirects=False), secret)

    @property
    def at(self) -> str:
        """Where the project is."""
        return f"/projects/{self.project.id}"


@contextlib.contextmanager
def opened(folder: Path, settings: Settings | None = None, **project: Any) -> Iterator[Workbench]:
    """A workbench on a new database in a folder."""
    with new_database(folder / "judging.db") as database:
        yield Workbench(database, make_project(database, people=(), **project), settings or Settings())


@contextlib.contextmanager
def served(*options: str, folder: Path) -> Iterator[str]:
    """`assay serve` as a process of its own; the link that it prints."""
    with contextlib.ExitStack() as stack:
        errors = stack.enter_context((folder / "server.log").open("w+b"))
        command = [sys.executable, "-m", "assay", "serve", "--port", "0", *options]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, cwd=folder, text=True)
        stack.enter_context(process)
        stack.callback(process.terminate)
        assert process.stdout is not None
        link = process.stdout.readline().strip()
        assert link, (folder / "server.log").read_text()
        yield link


class Server:
    """A server process on a database, which can be killed and started again at the same address."""

    def __init__(self, database: Path) -> None:
        self.database = database
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            self.port = int(found.getsockname()[1])
        self.address = f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self.process = _FORK.Process(target=_run, args=(str(self.database), self.port), daemon=True)
        self.process.start()
        deadline = time.monotonic() + 60
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=5):
                return
            assert self.process.is_alive(), "the server has ended"
            assert time.monotonic() < deadline, "the server does not answer"
            time.sleep(0.02)

    def kill(self) -> None:
        """End it as a machine that fails does: nothing is finished."""
        self.process.kill()
        self.process.join(30)


def _run(database: str, port: int) -> None:
    from assay.web.serving import serve  # noqa: PLC0415

    with open_database(database) as opened_database:
        serve(opened_database, Settings(), host="127.0.0.1", port=port, begun=lambda *_: None)


@contextlib.contextmanager
def running(database: Path) -> Iterator[Server]:
    """A server on a database."""
    server = Server(database)
    server.start()
    try:
        yield server
    finally:
        server.kill()


def fields_of(page: str, action: str) -> dict[str, str]:
    """The hidden fields of a form of a page, by the end of its address."""
    form = next(each for each in page.split("<form")[1:] if re.search(rf'action="[^"]*{re.escape(action)}"', each))
    hidden = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form.partition("</form>")[0])
    return dict(hidden)


def problem_in(response: Response) -> str:
    """What an answer says is wrong."""
    message: str = json.loads(response.text)["error"]["message"]
    return message
