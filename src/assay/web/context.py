"""What a page gets and gives: a `Context` of who asks for what; data for a page, a place to go on, or a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

from pydantic import BaseModel, ConfigDict

from assay.core.errors import AssayError
from assay.store.accounts import User
from assay.store.database import Database
from assay.store.projects import Project, project_by_key

if TYPE_CHECKING:
    from assay.web.passwords import Passwords


class Fields(BaseModel):
    """The fields of a form, or of a query: what is not among them is ignored."""

    model_config = ConfigDict(str_strip_whitespace=True, str_max_length=100_000)


class Nothing(Fields):
    """A form that has only a button."""


class ProblemError(AssayError):
    """What is asked for cannot be had: the status of the answer, and what to do about it."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class NotFoundError(ProblemError):
    """There is no such thing, or it is nobody's business whether there is."""

    def __init__(self, message: str = "there is no such page") -> None:
        super().__init__(404, message)


@dataclass(frozen=True)
class Done:
    """What a form answers: where to go on, and what to say there; `data`: what only programs need."""

    to: str
    message: str = ""
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class SignedIn(Done):
    """The answer of a form that begins a session: its secret goes to the browser alone."""

    secret: str = field(default="", repr=False)


@dataclass(frozen=True)
class File:
    """A file to show or to download, whole or in pieces."""

    content: bytes | Iterable[bytes]
    type: str
    #: To download under this name; empty: to show.
    name: str = ""
    #: Content whose address changes with it, such as styles, is kept for good.
    is_lasting: bool = False
    #: A policy of its own, for a page that brings its style along.
    policy: str = ""


@dataclass(frozen=True)
class Upload:
    """A file that somebody sends: its name, as they call it, and its bytes, on disk where they are many."""

    name: str
    size: int
    file: BinaryIO


@dataclass(frozen=True)
class Settings:
    """How the workbench is served."""

    #: Where a proxy mounts it, such as `/assay`.
    root_path: str = ""
    #: Names under which browsers may ask for it.
    hosts: tuple[str, ...] = ("localhost", "127.0.0.1", "[::1]")
    #: The largest upload, and the largest form without one, in bytes.
    most_upload: int = 512 * 2**20
    most_form: int = 2**20
    #: What one upload may expand to in bytes, and the rows that it may hold.
    most_expanded: int = 2 * 2**30
    most_rows: int = 5_000_000
    #: Requests are logged, and not only what goes wrong.
    logs_requests: bool = False
    #: Nobody is asked for a password: a project to try, on this machine.
    is_demo: bool = False


@dataclass
class Context:
    """A request, after it is known who asks and that they may."""

    database: Database
    settings: Settings
    passwords: Passwords
    user: User | None = None
    #: What the user is in the project of the address; empty outside of projects.
    role: str = ""
    #: The key of that project.
    project_key: int = 0
    path: Mapping[str, Any] = field(default_factory=dict)
    form: Any = None
    query: Any = None
    files: Mapping[str, list[Upload]] = field(default_factory=dict)
    #: The secret of the session, to keep it where others end; empty for tokens.
    session: str = field(default="", repr=False)
    #: Where the request came from, for throttling.
    address: str = ""
    #: The description of the API, made when it is asked for.
    described: Callable[[], Mapping[str, Any]] = dict
    #: Scheme and host under which the browser sees the workbench: links to send begin with it.
    origin: str = ""

    @cached_property
    def project(self) -> Project:
        """The project of the address."""
        return project_by_key(self.database, self.project_key)

    @property
    def somebody(self) -> User:
        """The user, on pages for those who are signed in."""
        assert self.user is not None
        return self.user

    @property
    def actor(self) -> str:
        """Who it is, for the log of events."""
        return self.user.name if self.user else ""

    def link(self, path: str) -> str:
        """A whole address, to send to somebody."""
        return f"{self.origin}{self.settings.root_path}{path}"


#: What a handler is: pages give a dataclass, forms give `Done`, and both may give a `File`.
Handler: TypeAlias = Callable[[Context], Any]


def safe_place(place: str) -> str:
    """A place to go on that lies within the workbench; its beginning for any other.

    >>> safe_place("/projects/1?all=1"), safe_place("//evil.example"), safe_place("https://evil.example")
    ('/projects/1?all=1', '/', '/')
    >>> safe_place("/\\\\evil.example"), safe_place("/\\tx"), safe_place("")
    ('/', '/', '/')
    """
    is_within = place.startswith("/") and place[1:2] not in {"/", "\\"} and place.isprintable() and "\\" not in place
    return place if is_within else "/"
