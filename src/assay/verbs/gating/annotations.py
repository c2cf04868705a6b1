"""A gate as workflow commands of GitHub Actions, which shows them beside the change that was made."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Literal, TypeAlias

from assay.verbs.gating.rules import Outcome
from assay.verbs.gating.sentences import details

if TYPE_CHECKING:
    from assay.verbs.gating.result import GateResult

Level: TypeAlias = Literal["error", "warning", "notice"]

_LEVELS: dict[Outcome, Level] = {"pass": "notice", "inconclusive": "warning", "fail": "error", "invalid": "error"}
_IN_MESSAGES = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_IN_PROPERTIES = _IN_MESSAGES | str.maketrans({":": "%3A", ",": "%2C"})
#: The service shows ten of a level a step; the first says it all.
_MOST = 10


def annotated(result: GateResult) -> str:
    """A line for the outcome and, of several checks, one for each that did not pass, worst first.

    >>> from assay import gate
    >>> judged = {f"q{n}": {"good": 1} for n in range(6)}
    >>> run = {query: {"good": 1.0} for query in judged}
    >>> print(annotated(gate(judged, run, run, measures="RR")))
    ::notice title=Quality gate::Passed: candidate and baseline are identical under RR: no query differs (1.0000).
    """
    made = [annotation(_LEVELS[result.counted(result.outcome)], "Quality gate", result.sentence)]
    for check, said in zip(result.decisive, details(result), strict=False):
        made.append(annotation(_LEVELS[result.counted(check.outcome)], f"Quality gate: {check.name}", said))
    return "".join(made[:_MOST])


def without_commands(text: str) -> str:
    """Text of a log in which nothing is taken for a command, whatever the ids in it begin with.

    >>> print(without_commands("::error::not ours\\n"), end="")
    ::stop-commands::...
    ::error::not ours
    ::...::
    """
    # Nobody who writes the text may know the word that ends it, so it is not drawn from a seed.
    word = secrets.token_hex(16)
    return f"::stop-commands::{word}\n{text.removesuffix(chr(10))}\n::{word}::\n"


def annotation(level: Level, title: str, message: str) -> str:
    """One command; what would end it or its properties is escaped.

    >>> annotation("error", "nDCG@10, short", "50% fell: see below")
    '::error title=nDCG@10%2C short::50%25 fell: see below\\n'
    """
    return f"::{level} title={_escaped(title, _IN_PROPERTIES)}::{_escaped(message, _IN_MESSAGES)}\n"


def _escaped(text: str, escapes: dict[int, str]) -> str:
    return text.translate(escapes)
