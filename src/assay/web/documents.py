"""Documents of results as pages of the workbench, or as files: what is computed is shown as everywhere else."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import Annotated, Any

from pydantic import Field, PlainSerializer, WithJsonSchema

from assay.core.registry import writer
from assay.show import html
from assay.show.model import Document
from assay.web.context import File

_POLICY = re.compile(r'http-equiv="Content-Security-Policy" content="([^"]+)"')


def as_data(document: Document) -> dict[str, Any]:
    """A document as the JSON that commands give."""
    data: dict[str, Any] = json.loads(writer("json")(document))
    return data


#: A document in a page's data: programs get it as JSON.
Shown = Annotated[Any, PlainSerializer(as_data), WithJsonSchema({"type": "object"}), Field()]


@dataclass(frozen=True)
class Kept:
    """A document as it was written down when it was made: its sections for a page, the page by itself, and its data."""

    html: str
    page: str
    data: dict[str, Any]

    @classmethod
    def of(cls, document: Document) -> Kept:
        """A document, written in every way in which it will be shown."""
        return cls(str(html.sections(document)), _page_of(document), as_data(document))

    @classmethod
    def of_bytes(cls, content: bytes) -> Kept:
        """What was put into bytes."""
        return cls(**json.loads(content))

    def to_bytes(self) -> bytes:
        """Bytes to keep it as."""
        return json.dumps(vars(self)).encode()


#: A document that was kept, or is not there yet, in a page's data.
KeptShown = Annotated[
    Any,
    PlainSerializer(lambda kept: None if kept is None else kept.data),
    WithJsonSchema({"type": ["object", "null"]}),
    Field(),
]


@dataclass(frozen=True)
class DocumentPage:
    """A page that shows a document, by the template `document.html`."""

    document: Shown


def document_file(document: Document, *, name: str = "", title: str = "") -> File:
    """A document as a page by itself, as commands write it: to look at, or to download under a name.

    It brings its style along, which the policy in it lets in by its digest, and nothing else.
    """
    return page_file(_page_of(document, title), name=name)


def page_file(text: str, *, name: str = "") -> File:
    """The text of such a page as a file."""
    found = _POLICY.search(text)
    assert found is not None
    policy = found[1].replace("&#39;", "'")
    return File(text.encode("utf-8", "backslashreplace"), "text/html; charset=utf-8", name, policy=policy)


def _page_of(document: Document, title: str = "") -> str:
    named = title or document.title or document.kind.replace("_", " ").capitalize()
    text: str = writer("html")(replace(document, page=True, title=named))
    return text
