"""Figures -> files, in the form that a file's suffix says: pictures, a page, or the points. Nothing is fetched."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from assay.core.errors import ParameterError, need
from assay.files.atomic import write_bytes
from assay.show.figure import Figure
from assay.show.svg import standalone

if TYPE_CHECKING:
    from assay.show.model import Document

#: A picture in pixels has so many for each of the drawing.
_SCALE = 2


class Drawable(Protocol):
    """What can be saved: it has a figure, a page, and points."""

    def figure(self) -> Figure: ...  # noqa: D102
    def page(self) -> Document: ...  # noqa: D102
    def to_json(self) -> str: ...  # noqa: D102
    def to_csv(self) -> str: ...  # noqa: D102
    def to_markdown(self) -> str: ...  # noqa: D102


def save(drawn: Drawable, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
    """Write a figure or its points in the form that the suffix says; the file appears whole or not at all."""
    target = Path(path)
    write_bytes(target, FORMS[suffix_of(target)](drawn), overwrite=overwrite)
    return target


def suffix_of(path: str | os.PathLike[str]) -> str:
    """The suffix of a file to write, if there is a form that goes with it and the installed packages can draw it."""
    suffix = Path(path).suffix.lower()
    if suffix not in FORMS:
        raise ParameterError(f"{path}: the name ends in one of {', '.join(FORMS)}, to say in which form to write")
    if suffix in (".png", ".pdf"):
        _converter()
    return suffix


def _converter() -> Any:
    need("vl_convert", extra="report", purpose="a chart in a file")
    import vl_convert  # noqa: PLC0415  # heavy, and only here

    return vl_convert


def _page(drawn: Drawable) -> bytes:
    from assay.show.html import write  # noqa: PLC0415  # pictures need no templates

    return write(drawn.page()).encode()


FORMS: dict[str, Callable[[Drawable], bytes]] = {
    ".svg": lambda drawn: standalone(drawn.figure()).encode(),
    ".png": lambda drawn: bytes(_converter().svg_to_png(standalone(drawn.figure()), scale=_SCALE)),
    ".pdf": lambda drawn: bytes(_converter().svg_to_pdf(standalone(drawn.figure()))),
    ".html": _page,
    ".json": lambda drawn: drawn.to_json().encode(),
    ".csv": lambda drawn: drawn.to_csv().encode(),
    ".md": lambda drawn: drawn.to_markdown().encode(),
}
