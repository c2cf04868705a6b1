"""Styles and scripts of pages, served by the workbench itself; those of reports among them, so that both look alike."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import resources
from typing import NamedTuple

from assay.show.html import scripts, styles

_TYPES = {
    ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
}  # fmt: skip


class Asset(NamedTuple):
    """A file for browsers."""

    content: bytes
    type: str


@cache
def every() -> dict[str, Asset]:
    """All files by name: those in `static`, and what reports bring along."""
    found = {"report.css": styles().encode(), "report.js": scripts().encode()}
    for file in resources.files("assay.web").joinpath("static").iterdir():
        found[file.name] = file.read_bytes()
    types = {name: _TYPES.get(f".{name.rpartition('.')[2]}", "") for name in found}
    return {name: Asset(content, types[name]) for name, content in sorted(found.items()) if types[name]}


@cache
def version() -> str:
    """What changes with any of the files: it is a part of their addresses, so that browsers keep them for good."""
    digest = hashlib.sha256()
    for name, asset in every().items():
        digest.update(f"{name}:{len(asset.content)}:".encode() + asset.content)
    return digest.hexdigest()[:12]
