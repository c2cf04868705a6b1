"""The points of a curve for other programs and for papers: JSON, Markdown, HTML."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

import polars as pl

from assay.core.digits import NOT_AVAILABLE, number
from assay.report.layout import as_json, escaped_cell, piped

if TYPE_CHECKING:
    from assay.curves import Curve

JSON_SCHEMA_VERSION = 1


def to_json(curve: Curve) -> str:
    """What is shown, the numbers that go with it, warnings and points; numbers in full, null where there is none."""
    told = {
        "schema_version": JSON_SCHEMA_VERSION,
        "kind": curve.kind,
        "title": curve.title,
        "subtitle": curve.subtitle,
        "warnings": list(curve.warnings),
        "summary": _finite(curve.summary).to_dicts(),
        "points": _finite(curve.frame).to_dicts(),
    }
    return as_json(told)


def _finite(frame: pl.DataFrame) -> pl.DataFrame:
    """JSON has no infinity, which is a classifier's first threshold: null."""
    numbers = [name for name, dtype in frame.schema.items() if dtype == pl.Float64]
    return frame.with_columns(pl.when(pl.col(name).is_finite()).then(pl.col(name)).alias(name) for name in numbers)


def to_markdown(curve: Curve) -> str:
    """A pipe table, numbers to the right."""
    numeric = [dtype.is_numeric() for dtype in curve.frame.dtypes]
    lines = [piped(curve.frame.columns), piped(["---:" if number else "---" for number in numeric])]
    for row in curve.frame.rows():
        lines.append(piped([escaped_cell(_shown(value)) for value in row]))
    return "\n".join(lines) + "\n"


def to_html(curve: Curve) -> str:
    """A plain table, for notebooks."""
    head = "".join(f"<th>{html.escape(name)}</th>" for name in curve.frame.columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(_shown(value))}</td>" for value in row) + "</tr>"
        for row in curve.frame.rows()
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _shown(value: Any) -> str:
    if value is None:
        return NOT_AVAILABLE
    return number(value) if isinstance(value, float) else str(value)
