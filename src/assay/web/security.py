"""What holds for every answer: names of hosts, headers, and a line in the log without secrets."""

from __future__ import annotations

import json
import sys
import time
import traceback
import uuid
from typing import Any, Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assay.web.context import Settings

#: Pages load only what the workbench itself serves, and run only scripts that are files of it.
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}


class Guard:
    """Stands before the application: refuses names of hosts that are not its own, adds headers, logs requests."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self.settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        scope["root_path"] = self.settings.root_path  # a proxy may leave it before the path, or take it away
        scope["assay_id"] = uuid.uuid4().hex[:12]
        began, status = time.perf_counter(), 500

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                if scope.get("scheme") == "https":
                    headers.setdefault("Strict-Transport-Security", "max-age=31536000")
            await send(message)

        try:
            if is_known_host(Headers(scope=scope).get("host", ""), self.settings.hosts):
                await self.app(scope, receive, sending)
            else:
                await _refuse(sending)
        finally:
            if self.settings.logs_requests or status >= 500:
                log("request", **_facts(scope, status, began))


def is_known_host(host: str, known: tuple[str, ...]) -> bool:
    """True if a browser asked for a name that is ours; else somebody's name leads here who should not know it.

    >>> is_known_host("localhost:8000", ("localhost",)), is_known_host("[::1]:80", ("[::1]",))
    (True, True)
    >>> is_known_host("evil.example", ("localhost",)), is_known_host("", ("localhost",))
    (False, False)
    """
    name = host.rpartition("]")[0] + "]" if host.startswith("[") else host.partition(":")[0]
    return name.lower() in known


def log(what: str, **facts: Any) -> None:
    """Write a line of JSON to stderr."""
    line = {"time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "event": what, **facts}
    sys.stderr.write(json.dumps(line, default=str) + "\n")


def log_error(problem: Exception, request: str) -> None:
    """Write down an error that nobody has foreseen, with where it happened, and without what was sent."""
    frames = [f"{each.filename}:{each.lineno}" for each in traceback.extract_tb(problem.__traceback__)]
    log("error", request=request, kind=type(problem).__name__, message=str(problem)[:500], frames=frames[-12:])


def _facts(scope: Scope, status: int, began: float) -> dict[str, Any]:
    # The path as the table of routes has it: an address may hold the secret of a link.
    return {
        "request": scope["assay_id"], "method": scope["method"], "route": scope.get("assay_route", ""),
        "status": status, "ms": round((time.perf_counter() - began) * 1000, 1), "user": scope.get("assay_user"),
    }  # fmt: skip


async def _refuse(send: Send) -> None:
    body = b"This name does not lead here: start the workbench with --allow-host NAME.\n"
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 421, "headers": headers})
    await send({"type": "http.response.body", "body": body})
