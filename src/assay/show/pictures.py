"""Figures -> files, in the form that a file's suffix says: pictures, a page, or the points. Nothing is fetched."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.core import registry
from assay.core.errors import ParameterError, need
from assay.files.atomic import write_bytes
from assay.show.svg import standalone

if TYPE_CHECKING:
    from assay.verbs.curves import Curve

#: A picture in pixels has so many for each of the drawing.
_SCALE = 2


def save(curve: Curve, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
    """Write a figure or its points in the form that the suffix says; the file appears whole or not at all."""
    target = Path(path)
    write_bytes(target, FORMS[suffix_of(target)](curve), overwrite=overwrite)
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


def _page(curve: Curve) -> bytes:
    return str(registry.writer("html")(curve.page())).encode()


FORMS: dict[str, Callable[[Curve], bytes]] = {
    ".svg": lambda curve: standalone(curve.figure()).encode(),
    ".png": lambda curve: bytes(_converter().svg_to_png(standalone(curve.figure()), scale=_SCALE)),
    ".pdf": lambda curve: bytes(_converter().svg_to_pdf(standalone(curve.figure()))),
    ".html": _page,
    ".json": lambda curve: curve.to_json().encode(),
    ".csv": lambda curve: curve.to_csv().encode(),
    ".md": lambda curve: curve.to_markdown().encode(),
}
