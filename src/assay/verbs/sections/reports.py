"""The parts that reports on all subjects are made of: claims, verdicts, the summary, numbers in sentences."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assay.core.digits import numbers
from assay.core.errors import joined, number_of
from assay.core.words import tone_of
from assay.show.model import Part, Prose, Section, Verdict
from assay.stats.tests import SIMULTANEOUS
from assay.verbs.sections.comparisons import verdicts_table
from assay.verbs.sections.sentences import conflict, headline, of_finding, of_verdict

if TYPE_CHECKING:
    from assay.measures.registry import Measure
    from assay.stats.pairing import EffectColumns
    from assay.verbs.comparison import Comparison

#: Of more systems than these, only the first are looked at closely; all are in the table.
MOST_SYSTEMS = 6
#: Names of items, labels and clusters are no longer than this.
LONGEST_NAME = 80
_A_PAIR = 2


def named(text: Any) -> str:
    """An id or a label by itself as it is shown, not too long."""
    return shortened(str(text), LONGEST_NAME)


def claims(held: Comparison | None, worth: Iterable[str], kind: str) -> list[Prose | Verdict]:
    """The verdict on a single pair, short and then with its numbers; and what the systems are worth, in sentences."""
    parts: list[Prose | Verdict] = []
    if held is not None and len(held.systems) == _A_PAIR:
        finding = held.findings[0]
        word = finding.verdict.word
        short = f"{headline(finding)} under {finding.measure}."
        numbers = filter(None, (of_verdict(finding, kind), conflict(finding, kind)))
        parts += [Verdict(word, tone_of(word), short), *map(Prose, numbers)]
    return parts + [Prose(text) if place or parts else Prose(text, "claim") for place, text in enumerate(worth)]


def is_bounded(measure: Measure) -> bool:
    """True if a measure has a place on the axis that all share: its values are from -1 to 1, or from 0 to 1."""
    low, high = measure.definition.bounds or (-math.inf, math.inf)
    return low >= -1 and high <= 1


def verdicts(
    held: Comparison,
    caption: str,
    drawn: Collection[str] | None = None,
    *,
    kind: str = "item",
    effects: EffectColumns = "none",
) -> Section:
    """Each verdict on a line, and all of them in words; differences are drawn of measures in `drawn`, or of all."""
    tested = any(not math.isnan(finding.p) for finding in held.findings)  # clusterings have intervals only
    table = verdicts_table(held.findings, caption=caption, effects=effects, tested=tested, drawn=drawn)
    words = tuple(Prose(of_finding(finding, kind, held.settings.power)) for finding in held.findings)
    settings = {"comparisons": held.family_size, "correction": held.correction, "settings": held.settings._asdict()}
    return Section("verdicts", parts=(table, Section("words", "In words", words, fold="closed")), data=settings)


_BLANKS = re.compile(r"\s+")


def shortened(text: str, most: int) -> str:
    """Text on one line, cut where it is too long.

    >>> shortened("one  two\\nthree", 9)
    'one two …'
    """
    line = _BLANKS.sub(" ", text).strip()
    if len(line) <= most:
        return line
    return f"{line[: most - 1].rstrip()} …" if line[most - 2] == " " else f"{line[: most - 1]}…"


def values_of_systems(values: Mapping[str, float], most: int) -> str:
    """The number of each system in a sentence, with decimals until they differ.

    >>> values_of_systems({"a": 0.5, "b": 0.90001, "c": 0.90002}, most=6)
    'a has 0.5000, b has 0.90001 and c has 0.90002'
    """
    texts = zip(values, values.values(), numbers(values.values()), strict=True)
    return joined([f"{name} has {'no number' if math.isnan(value) else text}" for name, value, text in texts], most)


def summed_up(
    lead: str, claims: Sequence[Part], advice: Prose | None, minded: Sequence[str], data: Mapping[str, Any]
) -> Section:
    """The top of every report: the claims, then advice, then caveats.

    >>> [part.style for part in summed_up("2 runs", [Prose("a is better", "claim")], None, ["few topics"], {}).parts]
    ['claim', 'warning']
    """
    parts = [*claims, advice] if advice is not None else [*claims]
    if minded:
        parts.append(Prose(style="warning", title="Mind this", points=tuple(minded)))
    return Section("summary", "", tuple(parts), lead, data=data)


def correction_of(comparison: Comparison) -> str:
    """The correction of p-values, and over how many comparisons."""
    size = comparison.family_size
    if comparison.settings.test in SIMULTANEOUS:
        return f"none: the test covers all {number_of('pair', size)} of systems at once"
    separator = ":" if size == 1 else ","
    return f"{comparison.correction or 'none'}{separator} {number_of('comparison', size)}"
