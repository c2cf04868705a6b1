"""The table of permissions on the page about running the workbench, from the table of routes."""

from __future__ import annotations

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from assay.web.routes import permissions

PAGE = "run-the-workbench"
MARK = "<!-- permissions -->"


def table() -> str:
    """A row for each page and each form: where it is, where programs find it, and who may."""
    rows = [
        f"| {'form' if method == 'POST' else 'page'} | `{path}` | {f'`{twin}`' if twin else ''} | {who} |"
        for method, path, twin, who in permissions()
    ]
    return "\n".join(["| | where | for programs | who may |", "| --- | --- | --- | --- |", *rows])


def fill(_: Sphinx, name: str, source: list[str]) -> None:
    """Put the table where its mark stands."""
    if name == PAGE:
        source[0] = source[0].replace(MARK, table())


def setup(app: Sphinx) -> ExtensionMetadata:
    app.connect("source-read", fill)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
