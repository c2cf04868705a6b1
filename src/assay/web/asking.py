"""What a request says: who asks, whether a browser was made to ask by another site, and the fields of its form."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from secrets import compare_digest
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from pydantic import ValidationError
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import Message, Receive

from assay.store import accounts
from assay.store.database import Database
from assay.web import access
from assay.web.context import Fields, ProblemError, Settings, Upload
from assay.web.routes import Route

COOKIE: Final = "assay"
#: Numbers in addresses beyond this are nobody's keys.
_BIGGEST: Final = 2**53


class Asker(NamedTuple):
    """Who asks: by a session or by a token, or nobody who is known."""

    user: accounts.User | None
    #: The secret of the session; of a visitor, one that is no session yet.
    secret: str = ""
    #: What the token is good for; empty for a browser.
    scope: str = ""


def asker_of(database: Database, request: Request) -> Asker:
    """Whoever asks. A token that is not known is refused, and not taken for nobody."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":
        found = accounts.token_user(database, token.strip())
        if found is None:
            raise ProblemError(401, "this token is not known here: it was dropped, or is too old")
        return Asker(found[0], scope=found[1])
    secret = request.cookies.get(COOKIE, "")
    return Asker(accounts.session_user(database, secret) if secret else None, secret)


def check_scope(route: Route, asker: Asker) -> None:
    """Refuse a token that is not good for a route."""
    if asker.scope and not access.token_may(asker.scope, route.needs):
        what = "needs a session in a browser" if route.needs == "session" else f"needs a token that may {route.needs}"
        raise ProblemError(403, f"this {what}")


def csrf_of(secret: str) -> str:
    """What a form has to send along, which no other site can know."""
    return hashlib.sha256(f"csrf:{secret}".encode()).hexdigest()


def check_origin(request: Request, asker: Asker, sent: str) -> None:
    """Refuse a change that another site has made a browser ask for. Programs with a token send no cookie."""
    if asker.scope:
        return
    origin = request.headers.get("origin")
    is_ours = origin is None or urlsplit(origin).netloc == request.headers.get("host")
    site = request.headers.get("sec-fetch-site", "same-origin")
    token = request.headers.get("x-csrf-token", "") or sent
    if not is_ours or site not in {"same-origin", "none"}:
        raise ProblemError(403, "this was sent from another site: nothing was changed")
    if not asker.secret or not compare_digest(token.encode(), csrf_of(asker.secret).encode()):
        raise ProblemError(403, "this page is too old, or was sent from another site: load it again, then send it")


def key_in(path: Mapping[str, Any]) -> int:
    """The key of the project in an address; 0 where there is none, or none could be."""
    key = path.get("project", 0)
    return key if key <= _BIGGEST else 0


def check_keys(path: Mapping[str, Any]) -> None:
    """Refuse numbers that nothing can have."""
    if any(isinstance(value, int) and value > _BIGGEST for value in path.values()):
        raise ProblemError(404, "there is no such thing")


def limited(request: Request, settings: Settings, route: Route) -> Request:
    """The request with a body that ends with an error where it is larger than its route takes."""
    most = settings.most_upload if route.takes_files else settings.most_form
    length = request.headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > most:
        raise _too_large(most)
    seen = 0
    receive: Receive = request.receive

    async def counted() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > most:
            raise _too_large(most)
        return message

    return Request(request.scope, counted)


async def form_of(request: Request) -> tuple[dict[str, Any], dict[str, list[Upload]]]:
    """The fields of a form that a browser sends, and its files; `a.b` is the field `b` of `a`, empty ones are none."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in {"application/x-www-form-urlencoded", "multipart/form-data", ""}:
        raise ProblemError(415, "expected a form")
    try:
        given = await request.form(max_files=100, max_fields=1000)
    except HTTPException as problem:
        raise ProblemError(400, f"the form cannot be read: {problem.detail}") from None
    fields: dict[str, Any] = {}
    for name, value in given.multi_items():
        if not isinstance(value, str) or not value:
            continue
        first, _, rest = name.partition(".")
        if rest:
            inner = fields.setdefault(first, {})
            if isinstance(inner, dict):
                inner[rest] = value
        else:
            fields[name] = value
    return fields, _files(given)


async def json_of(request: Request) -> dict[str, Any]:
    """The fields that a program sends as JSON; nothing is an object without any."""
    body = await request.body()
    if not body:
        return {}
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise ProblemError(400, "expected JSON") from None
    if not isinstance(found, dict):
        raise ProblemError(422, "expected a JSON object")
    return found


def checked(fields: type[Fields], given: Mapping[str, Any]) -> Fields:
    """The fields as their form declares them; what is wrong with each is said."""
    try:
        return fields.model_validate(dict(given))
    except ValidationError as problem:
        told = [
            f"{'.'.join(map(str, each['loc'])) or 'the form'}: {each['msg'][:1].lower()}{each['msg'][1:]}"
            for each in problem.errors(include_url=False, include_context=False, include_input=False)
        ]
        raise ProblemError(422, "; ".join(told[:10])) from None


def _files(given: FormData) -> dict[str, list[Upload]]:
    files: dict[str, list[Upload]] = {}
    for name, value in given.multi_items():
        if isinstance(value, UploadFile) and value.filename:
            called = value.filename.replace("\\", "/").rpartition("/")[2]
            files.setdefault(name, []).append(Upload(called, value.size or 0, value.file))
    return files


def _too_large(most: int) -> ProblemError:
    return ProblemError(413, f"this is too large: at most {most // 2**20:,} MB are taken")
