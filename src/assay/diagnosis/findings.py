"""`Finding`: something that is wrong, doubtful or worth knowing, with its evidence and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from assay.core.errors import number_of, quote

#: So many cases of a finding are shown.
EXAMPLES = 3

Severity: TypeAlias = Literal["error", "warning", "note"]

#: The gravest first.
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


class Example(NamedTuple):
    """A case of what was found: what it is, and on which line of the file, if it comes from one.

    >>> str(Example("query 'q1', document 'd7'", 12))
    "line 12: query 'q1', document 'd7'"
    """

    text: str
    line: int | None = None

    def __str__(self) -> str:
        return self.text if self.line is None else f"line {self.line:,}: {self.text}"


@dataclass(frozen=True)
class Finding:
    """What a check found in a file, or in several together.

    `count` says how often, `examples` are the first cases, `details` a small table of numbers. `weight` orders findings
    of one check in several runs, the largest first.

    >>> str(Finding("empty", "error", "new.run", "the file is empty", "write it again"))
    'error: new.run: the file is empty; write it again [empty]'
    """

    check: str
    severity: Severity
    file: str
    says: str
    advice: str
    count: int = 1
    examples: tuple[Example, ...] = ()
    details: tuple[Mapping[str, Any], ...] = ()
    system: str | None = None
    weight: float = 0.0

    def __str__(self) -> str:
        return f"{self.severity}: {self.file}: {self.says}; {self.advice} [{self.check}]"


def pair(query_id: str, doc_id: str) -> str:
    """A document of a query, for examples.

    >>> pair("q1", "d7")
    "query 'q1', document 'd7'"
    """
    return f"query {quote(query_id)}, document {quote(doc_id)}"


def share(count: int, total: int, what: str) -> str:
    """So many of all there are.

    >>> share(1000, 1000, "topic"), share(1, 1, "topic")
    ('1,000 of 1,000 topics', '1 of 1 topic')
    """
    return f"{count:,} of {number_of(what, total)}"
