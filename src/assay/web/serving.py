"""A server process: the address it takes, the links it prints, how it ends."""

from __future__ import annotations

import errno
import socket
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace

import uvicorn

from assay.core.errors import InputError, reason
from assay.store.accounts import account_named, add_account, add_link, has_accounts, set_password
from assay.store.database import Database
from assay.store.jobs import interrupt_silent
from assay.web.app import create_app
from assay.web.context import Settings

#: Requests that are under way get so many seconds when the server is told to stop.
_GRACE = 10
#: So many connections wait for the server to take them.
_WAITING = 2048
_DEMO_NAME = "you"


def serve(
    database: Database, settings: Settings, *, host: str, port: int, proxies: str = "127.0.0.1",
    begun: Callable[[str, str], None],
) -> None:  # fmt: skip
    """Serve until somebody stops it; `begun` gets its address, and a link to sign in with, if there is one."""
    with closing(_listening(host, port)) as listener:
        port = listener.getsockname()[1]
        reached = "127.0.0.1" if host in {"0.0.0.0", ""} else host
        shown = f"[{reached}]" if ":" in reached else reached
        settings = replace(settings, hosts=tuple({*settings.hosts, shown.lower()}))
        address = f"http://{shown}:{port}{settings.root_path}"
        path = _link(database, is_demo=settings.is_demo)
        config = uvicorn.Config(
            create_app(database, settings), log_config=None, access_log=False, server_header=False, lifespan="off",
            proxy_headers=True, forwarded_allow_ips=proxies, timeout_graceful_shutdown=_GRACE, ws="none",
        )  # fmt: skip
        interrupt_silent(database)
        begun(address, f"{address}{path}" if path else "")
        uvicorn.Server(config).run(sockets=[listener])


def link_for(database: Database, name: str) -> str:
    """Where somebody signs in who has lost their password, which stops working: they can choose another one."""
    found = account_named(database, name)
    if found is None:
        raise InputError(f"{database.name}: there is no account {name!r}")
    user, _ = found
    set_password(database, user.id, "")
    return f"/enter/{add_link(database, 'sign-in', account=user.id, hours=24)}"


def _link(database: Database, *, is_demo: bool) -> str:
    """Where to begin: the link for the first account, or one that signs in to a demonstration; else none."""
    if is_demo:
        found = account_named(database, _DEMO_NAME)
        user = found[0] if found else add_account(database, _DEMO_NAME, "", is_administrator=True, actor=_DEMO_NAME)
        return f"/enter/{add_link(database, 'sign-in', account=user.id, hours=24)}"
    return "" if has_accounts(database) else f"/first/{add_link(database, 'first', hours=24)}"


def _listening(host: str, port: int) -> socket.socket:
    """A socket that takes connections; an error says what to do where the address is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    if sys.platform != "win32":  # there it would let two servers take one address
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(_WAITING)  # who follows a link that was just printed waits, and is not turned away
    except OSError as problem:
        listener.close()
        if problem.errno == errno.EADDRINUSE:
            raise InputError(f"port {port} of {host} is taken: choose another one, or 0 for any that is free") from None
        raise InputError(f"{host}:{port} cannot be served: {reason(problem)}") from None
    return listener
