"""The reference of the library: subjects that `api.md` says nothing of are added to it, from what they declare."""

from __future__ import annotations

import re

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

import assay
from assay.core import registry


def completed(page: str) -> str:
    """The page with a section for each subject that has public names which are not on it."""
    sections = []
    for declared in registry.declarations():
        public = [name for names in declared.public.values() for name in names]
        if lacking := [name for name in public if not re.search(rf":: assay\.{name}\b", page)]:
            entries = "\n\n".join(map(entry, lacking))
            title = (declared.word or declared.name).capitalize()
            sections.append(f"\n## {title}\n\n{declared.summary}\n\n```{{eval-rst}}\n{entries}\n```\n")
    return page + "".join(sections)


def entry(name: str) -> str:
    """A public name, as Sphinx documents it: a class with what it can do, or a function."""
    if isinstance(getattr(assay, name), type):
        return f".. autoclass:: assay.{name}()\n   :members:"
    return f".. autofunction:: assay.{name}"


def _read(_: Sphinx, page: str, source: list[str]) -> None:
    if page == "api":
        source[0] = completed(source[0])


def setup(app: Sphinx) -> ExtensionMetadata:
    app.connect("source-read", _read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
