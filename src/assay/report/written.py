"""The contents of a report as JSON."""

from __future__ import annotations

import math
from typing import Any

from assay.report.layout import as_json

JSON_SCHEMA_VERSION = 1


def as_json_text(contents: Any) -> str:
    """Everything, numbers in full; the fields are those of the contents, and `schema_version`."""
    return as_json({"schema_version": JSON_SCHEMA_VERSION, **plain(contents)})


def plain(value: Any) -> Any:
    """Named tuples as dicts, whatever they hold; null for what is no finite number.

    >>> from assay.reporting.contents import Reference
    >>> plain((Reference("[1]", "Holm"), float("inf")))
    [{'key': '[1]', 'entry': 'Holm', 'bibtex': ''}, None]
    """
    if hasattr(value, "_asdict"):
        return {name: plain(item) for name, item in value._asdict().items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
