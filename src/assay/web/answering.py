"""Answers: a page as HTML or JSON, a place to go on, a file, or what is wrong and how to mend it."""

from __future__ import annotations

import base64
import binascii
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeAlias

from pydantic import TypeAdapter
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse

from assay.core.errors import AssayError
from assay.store.accounts import SESSION_DAYS, new_secret
from assay.store.database import StoreError
from assay.store.saving import ConflictError
from assay.web.asking import COOKIE, csrf_of
from assay.web.context import Context, Done, File, ProblemError, SignedIn
from assay.web.routes import Route
from assay.web.templates import render

#: Who is answered: a browser, or a program that reads a page's data or sends a form's.
Form: TypeAlias = Literal["page", "data", "call"]
_SAID = "assay_said"
_TITLES = {
    400: "This does not fit", 401: "Please sign in", 403: "This is not for you", 404: "There is nothing here",
    405: "This cannot be done here", 409: "This has changed meanwhile", 413: "This is too large",
    422: "Something is missing", 429: "Please wait", 503: "The database does not answer",
}  # fmt: skip


@dataclass
class Exchange:
    """A request that is being answered."""

    context: Context
    request: Request
    form: Form
    #: The secret of the session, or of a visitor.
    secret: str
    route: Route | None = None

    @property
    def base(self) -> str:
        """What is before every path."""
        return self.context.settings.root_path

    def keep(self, response: Response, name: str, value: str, *, days: int = 0) -> None:
        """Give the browser a cookie that no script reads, for some days or until it is closed."""
        response.set_cookie(
            name, value, max_age=days * 86_400 if days else None, path=self.base or "/", httponly=True,
            samesite="lax", secure=self.request.url.scheme == "https",
        )  # fmt: skip


@dataclass(frozen=True)
class Problem:
    """What is wrong, and what to do about it."""

    status: int
    title: str
    message: str
    #: The number under which it is in the log.
    request: str


def status_of(problem: Exception) -> int:
    """The status of the answer where something went wrong."""
    if isinstance(problem, ProblemError):
        return problem.status
    if isinstance(problem, HTTPException):
        return problem.status_code
    if isinstance(problem, ConflictError):
        return 409
    if isinstance(problem, StoreError):  # the database itself, or what a project does not allow
        return 503 if problem.__cause__ is not None else 409
    return 400 if isinstance(problem, AssayError) else 500


def problem_of(problem: Exception, request: Request) -> Problem:
    """What is told of an error: nothing of what nobody has foreseen."""
    status = status_of(problem)
    told = problem.detail if isinstance(problem, HTTPException) else str(problem)
    message = told if status != 500 else "Something went wrong, and was written to the log."
    message = "there is no such page" if isinstance(problem, HTTPException) and status == 404 else message
    return Problem(status, _TITLES.get(status, "Something went wrong"), message, request.scope.get("assay_id", ""))


def answer(exchange: Exchange, route: Route, found: Any) -> Response:
    """What a handler gave, as whoever asks wants it."""
    if isinstance(found, File):
        return _file(found)
    if isinstance(found, Done):
        to = exchange.base + found.to
        if exchange.form == "call":
            return data({"message": found.message, "to": to, "data": found.data})
        response = RedirectResponse(to, 303)
        if isinstance(found, SignedIn):
            exchange.secret = found.secret or new_secret()
            exchange.keep(response, COOKIE, exchange.secret, days=SESSION_DAYS)
        if found.message:
            exchange.keep(response, _SAID, _signed(found.message, exchange.secret))
        return response
    if exchange.form == "data":
        return Response(_adapter(route).dump_json(found), media_type="application/json")
    return page(exchange, route.template, found)


def page(exchange: Exchange, template: str, found: Any, status: int = 200) -> Response:
    """A page as HTML, with what the last form had to say."""
    cookies, secret = exchange.request.cookies, exchange.secret
    said = _unsigned(cookies.get(_SAID, ""), secret)
    text = render(template, exchange.context, route=exchange.route, csrf=csrf_of(secret), flash=said, page=found)
    response = Response(text.encode("utf-8", "replace"), status, media_type="text/html; charset=utf-8")
    if _SAID in cookies:
        response.delete_cookie(_SAID, path=exchange.base or "/")
    if cookies.get(COOKIE) != secret:
        exchange.keep(response, COOKIE, secret)
    return response


def told(exchange: Exchange, problem: Problem) -> Response:
    """What is wrong, as a page or as JSON."""
    if exchange.form == "page":
        exchange.route = None
        return page(exchange, "problem.html", problem, problem.status)
    return data({"error": vars(problem)}, problem.status)


def data(found: Mapping[str, Any], status: int = 200) -> Response:
    """Data as JSON."""
    return Response(json.dumps(found, default=str), status, media_type="application/json")


@cache
def _adapter(route: Route) -> TypeAdapter[Any]:
    return TypeAdapter(route.answer)


def _file(found: File) -> Response:
    lasting = "public, max-age=31536000, immutable" if found.is_lasting else "no-store"
    headers = {"Cache-Control": lasting}
    if found.policy:
        headers["Content-Security-Policy"] = f"{found.policy}; frame-ancestors 'none'"
    if found.name:
        plain = "".join(each if each.isascii() and (each.isalnum() or each in "._-") else "_" for each in found.name)
        headers["Content-Disposition"] = f'attachment; filename="{plain}"'
    if isinstance(found.content, bytes):
        return Response(found.content, headers=headers, media_type=found.type)
    return StreamingResponse(found.content, headers=headers, media_type=found.type)


def _signed(text: str, secret: str) -> str:
    """What is said on the next page, so that nobody else can put it there."""
    mac = hmac.digest(secret.encode(), text.encode("utf-8", "replace"), "sha256").hex()
    return f"{mac}.{base64.urlsafe_b64encode(text.encode('utf-8', 'replace')).decode()}"


def _unsigned(said: str, secret: str) -> str:
    mac, _, coded = said.partition(".")
    try:
        text = base64.urlsafe_b64decode(coded)
    except (binascii.Error, ValueError):
        return ""
    fits = hmac.compare_digest(mac, hmac.digest(secret.encode(), text, "sha256").hex()) if mac.isascii() else False
    return text.decode("utf-8", "replace") if fits else ""
