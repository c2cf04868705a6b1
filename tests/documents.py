"""What a result shows, for tests: its words line by line, and its JSON."""

from __future__ import annotations

import json
from typing import Any

from assay.core.results import Result
from assay.show.model import Prose, Section, Verdict


def lines_of(result: Result, *sections: str) -> list[str]:
    """All that a result says in words, or that some of its sections say."""
    return [
        line
        for section in result.document().sections
        if not sections or section.name in sections
        for line in _lines(section)
    ]


def _lines(section: Section) -> list[str]:
    lines: list[str] = []
    for part in section.parts:
        if isinstance(part, Prose):
            lines += part.lines
        elif isinstance(part, Verdict):
            lines.append(part.text)
        elif isinstance(part, Section):
            lines += _lines(part)
    return lines


def json_of(result: Result) -> dict[str, Any]:
    """The sections of a result's JSON."""
    sections: dict[str, Any] = json.loads(result.to_json())["sections"]
    return sections
