"""`assay serve`: the workbench, for a browser."""

from __future__ import annotations

import contextlib
import sys
import tempfile
from pathlib import Path
from typing import Annotated

from assay.cli import options, output
from assay.cli.judge_projects import USUAL, demo_project, opened_store
from assay.core.errors import ParameterError
from assay.core.evaluation_options import option


def serve(
    place: Annotated[
        str | None,
        option("--db", metavar="PROJECT", help="The database: a file (judging.db), or postgresql://... of a team."),
    ] = None,
    host: Annotated[
        str, option(metavar="NAME", help="The address to serve (127.0.0.1: this machine alone).")
    ] = "127.0.0.1",
    port: Annotated[int, option(metavar="N", help="The port (8000); 0: any that is free.", least=0)] = 8000,
    demo: Annotated[bool, option(help="Open a project on the notes that come with Assay, to try it.")] = False,
    root_path: Annotated[str, option(metavar="PATH", help="Where a proxy mounts it, such as /assay.")] = "",
    allow_host: Annotated[
        tuple[str, ...], option(metavar="NAME", help="A name under which browsers ask for it; repeat.")
    ] = (),
    trust_proxy: Annotated[
        str, option(metavar="IP", help="Believe the headers of this proxy (127.0.0.1); several with commas.")
    ] = "127.0.0.1",
    link: Annotated[
        str | None,
        option(metavar="NAME", help="Print a link that signs in NAME, whose password stops working, and end."),
    ] = None,
    log_requests: Annotated[
        bool, option(help="Log every request to stderr as JSON, not only what goes wrong.")
    ] = False,
    quiet: options.Quiet = False,
) -> None:
    """Serve the workbench: judge documents and run judging projects in a browser.

    The first start prints a link that makes the first account. Stop with Ctrl-C; nothing is lost.

    $ assay serve --demo
    """
    from assay.web.context import Settings
    from assay.web.serving import serve as run

    path = root_path.rstrip("/")
    if path and (not path.startswith("/") or not path.isprintable() or set(path) & set(" ?#\\{}\"'<>")):
        raise ParameterError(f"--root-path: expected a path such as /assay, got {root_path!r}")
    settings = Settings(root_path=path, logs_requests=log_requests, is_demo=demo)
    settings = Settings(**{**vars(settings), "hosts": (*settings.hosts, *(each.lower() for each in allow_host))})

    def begun(address: str, first: str) -> None:
        if not quiet:
            output.message(f"serving {address} (Ctrl-C stops it)")
        if first:
            said = "sign in with this link" if demo else "make the first account with this link"
            output.message(f"{said}, which works once:")
            sys.stdout.write(f"{first}\n")
            sys.stdout.flush()

    with contextlib.ExitStack() as stack:
        if demo and place is None:
            place = str(Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="assay-"))) / USUAL)
        database = stack.enter_context(opened_store(place or USUAL, create=link is None))
        if link is not None:
            from assay.web.serving import link_for

            origin = f"https://{allow_host[0]}" if allow_host else f"http://{host}:{port}"
            way = link_for(database, link)
            output.message(f"{link} signs in with this link, once, within a day; the password so far works no more:")
            sys.stdout.write(f"{origin}{path}{way}\n")
            return
        if demo:
            from assay.store.memberships import has_projects

            if not has_projects(database):
                demo_project(database)
        run(database, settings, host=host, port=port, proxies=trust_proxy, begun=begun)
