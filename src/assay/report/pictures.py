"""Charts -> files and notebooks: SVG, PNG, PDF, a page of its own. Nothing is fetched from anywhere."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.core.errors import MissingDependencyError, ParameterError, need
from assay.files.atomic import write_bytes
from assay.report.charts import Drawable, chart
from assay.report.points import to_html, to_json, to_markdown
from assay.show.legible import legible

if TYPE_CHECKING:
    from assay.curves import Curve

# Scripts in the page, the only ones, build functions from the chart's expressions; no request leaves it.
_POLICY = "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:"


def save(curve: Curve, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
    """Write a curve in the form that the file's suffix says; the file appears whole or not at all."""
    target = Path(path)
    write_bytes(target, _FORMS[suffix_of(target)](curve), overwrite=overwrite)
    return target


def suffix_of(path: str | os.PathLike[str]) -> str:
    """The suffix of a file to write, if there is a form that goes with it."""
    suffix = Path(path).suffix.lower()
    if suffix not in _FORMS:
        raise ParameterError(f"{path}: the name ends in one of {', '.join(_FORMS)}, to say in which form to write")
    return suffix


def ask_for_packages(suffix: str) -> None:
    """Refuse at the door what the installed packages cannot draw."""
    if suffix not in _WITHOUT_CHART:
        need("altair", extra="report", purpose="a chart")
        need("vl_convert", extra="report", purpose="a chart in a file")


def svg(curve: Drawable) -> str:
    """The chart as SVG."""
    return str(_converter().vegalite_to_svg(_specification(curve)))


def in_notebook(curve: Curve) -> dict[str, str]:
    """What a notebook shows: the chart, or the points where charts cannot be drawn."""
    try:
        return {"image/svg+xml": svg(curve), "text/plain": repr(curve)}
    except (MissingDependencyError, ParameterError):
        return {"text/html": to_html(curve), "text/plain": repr(curve)}


def page(curve: Drawable, warnings: tuple[str, ...] = ()) -> str:
    """The chart as one self-contained page with tooltips."""
    # What stands in the data must not end the script that it stands in.
    spec = json.dumps(_specification(curve)).replace("<", "\\u003c")
    title = _words(curve)
    said = "".join(f"<li>{html.escape(legible(text))}</li>" for text in warnings)
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<title>{title}</title>
<style>body {{ font: 14px/1.5 system-ui, sans-serif; color: #5c6675; background: #fff; margin: 1rem; }}</style>
</head><body><div id="chart" role="img" aria-label="{title}"></div>{f"<ul>{said}</ul>" if said else ""}
<script>{_converter().javascript_bundle()}</script>
<script>vegaEmbed("#chart", {spec}, {{renderer: "svg", actions: false}});</script>
</body></html>
"""


def _words(curve: Drawable) -> str:
    return html.escape(legible(f"{curve.title}, {curve.subtitle}"))


def _specification(curve: Drawable) -> dict[str, Any]:
    made: dict[str, Any] = chart(curve).to_dict()
    made.pop("$schema", None)  # an address that is not to be asked
    return made


def _converter() -> Any:
    need("altair", extra="report", purpose="a chart")
    need("vl_convert", extra="report", purpose="a chart in a file")
    import vl_convert  # noqa: PLC0415

    return vl_convert


def _png(curve: Curve) -> bytes:
    return bytes(_converter().vegalite_to_png(_specification(curve), scale=2))


def _pdf(curve: Curve) -> bytes:
    return bytes(_converter().vegalite_to_pdf(_specification(curve)))


_FORMS: dict[str, Callable[[Curve], bytes]] = {
    ".svg": lambda curve: svg(curve).encode(),
    ".png": _png,
    ".pdf": _pdf,
    ".html": lambda curve: page(curve, curve.warnings).encode(),
    ".json": lambda curve: to_json(curve).encode(),
    ".csv": lambda curve: curve.to_csv().encode(),
    ".md": lambda curve: to_markdown(curve).encode(),
}
_WITHOUT_CHART = {".json", ".csv", ".md"}
