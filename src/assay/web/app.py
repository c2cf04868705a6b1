"""The application, made from the table of routes: who asks, whether they may, what they get."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response

from assay import __version__
from assay.store.accounts import new_secret, session_user
from assay.store.database import Database
from assay.store.memberships import role_in
from assay.web import access, answering, asking
from assay.web.answering import Exchange, Form, Problem
from assay.web.asking import COOKIE
from assay.web.context import Context, NotFoundError, ProblemError, Settings
from assay.web.passwords import Passwords
from assay.web.routes import ROUTES, Route
from assay.web.schema import described, options_of
from assay.web.security import Guard, log_error

#: Names in paths that are numbers; all others are text.
_NUMBERS = ("project", "key")


def create_app(database: Database, settings: Settings | None = None, passwords: Passwords | None = None) -> FastAPI:
    """The workbench on an open database."""
    settings = settings or Settings()
    app = FastAPI(
        title="Assay", version=__version__, openapi_url=None, docs_url=None,
        redoc_url=None, summary="Judging projects: what pages show, as data, and what forms do, for programs.",
    )  # fmt: skip
    blank = Context(database, settings, passwords or Passwords(), described=lambda: described(app, settings.root_path))
    for route in sorted(ROUTES, key=lambda each: "{" in each.path):
        forms: list[tuple[str, Form]] = [(route.path, "page")]
        if route.twin:
            forms.insert(0, (route.twin, "call" if route.is_form else "data"))
        for path, form in forms:
            app.add_api_route(
                _typed(path), _endpoint(blank, route, form), methods=[route.method], name=f"{route.name}.{form}",
                **options_of(route, form),
            )  # fmt: skip
    app.add_exception_handler(HTTPException, _unrouted(blank))
    app.add_middleware(Guard, settings=settings)
    return app


def _typed(path: str) -> str:
    for name in _NUMBERS:
        path = path.replace(f"{{{name}}}", f"{{{name}:int}}")
    return path


def _endpoint(blank: Context, route: Route, form: Form) -> Callable[..., Any]:
    """What answers a route in one of its forms."""

    async def endpoint(request: Request, **path: Any) -> Response:
        return await _answered(replace(blank, path=path), route, form, request)

    named = [name for name in ("project", "key", "secret", "version", "name") if f"{{{name}}}" in route.path]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    endpoint.__signature__ = inspect.Signature([  # type: ignore[attr-defined]
        inspect.Parameter("request", kind, annotation=Request),
        *(inspect.Parameter(name, kind, annotation=int if name in _NUMBERS else str) for name in named),
    ])  # fmt: skip
    return endpoint


async def _answered(context: Context, route: Route, form: Form, request: Request) -> Response:
    request.scope["assay_route"] = route.path
    exchange = Exchange(context, request, form, request.cookies.get(COOKIE) or new_secret(), route)
    try:
        asker = await run_in_threadpool(asking.asker_of, context.database, request)
        exchange.secret = asker.secret or exchange.secret
        context.user = asker.user
        request.scope["assay_user"] = context.actor
        await run_in_threadpool(_admit, context, route, asker)
        context.session = "" if asker.user is None or asker.scope else exchange.secret
        context.address = request.client.host if request.client else ""
        context.origin = f"{request.url.scheme}://{request.headers.get('host', '')}"
        await _read(context, route, form, request, asker)
        found = await run_in_threadpool(route.handler, context)
        return await run_in_threadpool(answering.answer, exchange, route, found)
    except ClientDisconnect:
        return Response(status_code=400)  # nobody is there to read it
    except Exception as problem:  # whatever it is, an answer is given, and it is logged
        return await run_in_threadpool(_refused, exchange, problem)
    finally:
        for upload in itertools.chain(*context.files.values()):
            upload.file.close()


def _admit(context: Context, route: Route, asker: asking.Asker) -> None:
    """Let in who may. Of a project that somebody does not belong to, they do not even learn that there is one."""
    asking.check_keys(context.path)
    if route.who != access.ANYONE and asker.user is None:
        raise ProblemError(401, "sign in to see this")
    if route.in_project and asker.user is not None:
        key = asking.key_in(context.path)
        role = role_in(context.database, asker.user, key)
        if role is None:
            raise NotFoundError
        context.role, context.project_key = role, key
    if not access.may(route.who, asker.user, context.role):
        raise ProblemError(403, f"this is for: {', '.join(route.who)}")
    asking.check_scope(route, asker)


async def _read(context: Context, route: Route, form: Form, request: Request, asker: asking.Asker) -> None:
    """Read the query or the form, after it is known that whoever sends it may."""
    if not route.is_form:
        context.query = asking.checked(route.fields, request.query_params)
        return
    request = asking.limited(request, context.settings, route)
    if form == "call":
        asking.check_origin(request, asker, "")
        if route.takes_files and request.headers.get("content-type", "").startswith("multipart/"):
            given, context.files = await asking.form_of(request)
        else:
            given = await asking.json_of(request)
    else:
        given, context.files = await asking.form_of(request)
        asking.check_origin(request, asker, str(given.pop("csrf", "")))
    context.form = asking.checked(route.fields, given)


def _refused(exchange: Exchange, problem: Exception) -> Response:
    request, base = exchange.request, exchange.base
    told = answering.problem_of(problem, request)
    told = replace(told, message=told.message.removeprefix(f"{exchange.context.database.name}: "))
    if told.status == 500:
        log_error(problem, told.request)
    if told.status == 401 and exchange.form == "page" and request.method == "GET":
        wanted = request.url.path.removeprefix(base)
        place = f"/sign-in?next={quote(wanted)}" if wanted != "/" else "/sign-in"
        return RedirectResponse(base + place, 303)
    try:
        return answering.told(exchange, told)
    except Exception as another:  # the page of an error has an error
        log_error(another, told.request)
        return Response(told.message, told.status, media_type="text/plain")


def _unrouted(blank: Context) -> Callable[[Request, Exception], Any]:
    """What answers where there is no route."""

    async def handler(request: Request, problem: Exception) -> Response:
        path = request.url.path.removeprefix(blank.settings.root_path)
        form: Form = "data" if path.startswith("/api/") or path.endswith(".json") else "page"
        told: Problem = answering.problem_of(problem, request)
        exchange = Exchange(replace(blank), request, form, request.cookies.get(COOKIE) or new_secret())
        if form == "page":  # with the navigation of whoever is lost
            exchange.context.user = await run_in_threadpool(session_user, blank.database, exchange.secret)
        response = await run_in_threadpool(answering.told, exchange, told)
        allowed: Mapping[str, str] = getattr(problem, "headers", None) or {}
        for name, value in allowed.items():
            response.headers[name] = value
        return response

    return handler
