"""What stands on top of every report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.show.model import Part, Prose, Section


def summed_up(
    lead: str, claims: Sequence[Part], advice: Prose | None, minded: Sequence[str], data: Mapping[str, Any]
) -> Section:
    """What stands on top of every report: the claims, then advice, then what to mind.

    >>> [part.style for part in summed_up("2 runs", [Prose("a is better", "claim")], None, ["few topics"], {}).parts]
    ['claim', 'warning']
    """
    parts = [*claims, advice] if advice is not None else [*claims]
    if minded:
        parts.append(Prose(style="warning", title="Mind this", points=tuple(minded)))
    return Section("summary", "", tuple(parts), lead, data=data)
