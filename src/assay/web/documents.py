"""Documents of results as pages of the workbench, or as files: what is computed is shown as everywhere else."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import Annotated, Any

from pydantic import Field, PlainSerializer, WithJsonSchema

from assay.core.registry import writer
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
class DocumentPage:
    """A page that shows a document, by the template `document.html`."""

    document: Shown


def document_file(document: Document, *, name: str = "", title: str = "") -> File:
    """A document as a page by itself, as commands write it: to look at, or to download under a name.

    It brings its style along, which the policy in it lets in by its digest, and nothing else.
    """
    named = title or document.title or document.kind.replace("_", " ").capitalize()
    text: str = writer("html")(replace(document, page=True, title=named))
    found = _POLICY.search(text)
    assert found is not None
    policy = found[1].replace("&#39;", "'")
    return File(text.encode("utf-8", "backslashreplace"), "text/html; charset=utf-8", name, policy=policy)
