"""The description of the API, made from the table of routes: what programs send, and what they get."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel

from assay.web import access
from assay.web.answering import Form
from assay.web.routes import Route


class ProblemTold(BaseModel):
    """What is wrong, and what to do about it."""

    status: int
    title: str
    message: str
    request: str


class Refusal(BaseModel):
    """The answer where something is wrong."""

    error: ProblemTold


class Outcome(BaseModel):
    """The answer to a form: what to say, where to go on, and what programs need."""

    message: str
    to: str
    data: dict[str, Any]


def options_of(route: Route, form: Form) -> dict[str, Any]:
    """How a route is described; pages for browsers are not."""
    if form == "page":
        return {"include_in_schema": False, "response_model": None}
    refused: dict[int | str, dict[str, Any]] = {
        status: {"model": Refusal, "description": what} for status, what in _refusals(route).items()
    }
    first, *_ = (route.handler.__doc__ or "").splitlines()
    return {
        "response_model": Outcome if route.is_form else route.answer,
        "responses": refused,
        "operation_id": route.name,
        "summary": first.rstrip("."),
        "description": f"Who may: {', '.join(route.who)}. A token has to be good for: {route.needs}.",
        "tags": [route.name.partition(".")[0]],
        "openapi_extra": _sent(route),
    }


def described(app: FastAPI, root_path: str) -> Mapping[str, Any]:
    """The whole description."""
    if app.openapi_schema is None:
        found = get_openapi(title=app.title, version=app.version, summary=app.summary, routes=app.routes)
        schemes = {
            "token": {"type": "http", "scheme": "bearer"},
            "session": {"type": "apiKey", "in": "cookie", "name": "assay"},
        }
        found.setdefault("components", {})["securitySchemes"] = schemes
        if root_path:
            found["servers"] = [{"url": root_path}]
        app.openapi_schema = found
    return app.openapi_schema


def _refusals(route: Route) -> dict[int, str]:
    refusals = {400: "it does not fit", 422: "a field is missing or wrong", 503: "the database does not answer"}
    if route.who != access.ANYONE or route.is_form or route.scope == "session":
        refusals |= {401: "nobody is signed in", 403: "it is for others"}
    if "{" in route.path:
        refusals |= {404: "there is no such thing"}
    if route.in_project or route.is_form:
        refusals |= {409: "it has changed meanwhile, or the project does not allow it"}
    if route.is_form:
        refusals |= {413: "it is too large", 415: "it is of another type"}
    return refusals


def _sent(route: Route) -> dict[str, Any]:
    """What programs send: JSON for a form, a query for a page; and how they say who they are."""
    security: list[dict[str, list[str]]] = [] if route.who == access.ANYONE else [{"token": []}, {"session": []}]
    schema = route.fields.model_json_schema()
    if route.takes_files:
        files = {"type": "array", "items": {"type": "string", "format": "binary"}}
        sent = {**schema, "properties": {**schema.get("properties", {}), "files": files}}
        return {"security": security, "requestBody": {"content": {"multipart/form-data": {"schema": sent}}}}
    if route.is_form:
        body = {"application/json": {"schema": schema}}
        return {"security": security, "requestBody": {"content": body, "required": bool(schema.get("required"))}}
    required = schema.get("required", [])
    query = [
        {"name": name, "in": "query", "required": name in required, "schema": each}
        for name, each in schema.get("properties", {}).items()
    ]
    return {"security": security, **({"parameters": query} if query else {})}
