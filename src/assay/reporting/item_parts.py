"""What reports on classifiers and on clusterings are put together from alike."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import TYPE_CHECKING

from assay.reporting.contents import Spoken
from assay.reporting.item_contents import RemarkOf, ShownMeasure
from assay.reporting.verdicts import spoken
from assay.sections.conflicts import conflict
from assay.sections.sentences import of_verdict

if TYPE_CHECKING:
    from assay.classification import Classification
    from assay.clustering import Clustering
    from assay.comparison import Comparison
    from assay.measures.registry import Measure

_A_PAIR = 2
#: Advice on items that all systems were given; all other advice is on what a system made of them.
_ABOUT_ITEMS = frozenset({"left_out"})


def verdicts_of(held: Comparison, called: Mapping[str, str], systems: int) -> tuple[tuple[Spoken, ...], list[str]]:
    """The verdicts, measures as people call them; and those under the main measure in words, of a single pair."""
    findings = [one._replace(measure=called.get(one.measure, one.measure)) for one in held.findings]
    main = [one for one in findings if one.measure == findings[0].measure]
    said = [text for one in main for text in (of_verdict(one, "item"), conflict(one, "item")) if text]
    summary = said if systems == _A_PAIR else []
    return tuple(spoken(one, held, "item") for one in findings), summary


def shown_measure(measure: Measure, name: str, note: str = "") -> ShownMeasure:
    """A measure of the table with its bounds, infinite where it has none."""
    low, high = measure.definition.bounds or (-math.inf, math.inf)
    return ShownMeasure(name, float(low), float(high), measure.definition.higher_is_better, note)


def remarks_of(result: Classification | Clustering) -> Iterator[RemarkOf]:
    """The advice; of several systems, each remark names the one that it is about, unless it is about items of all."""
    several = len(result.systems) > 1
    said = [(one.code, one.says) for one in result.advice]
    once: set[tuple[str, str]] = set()
    # In turn: what stands on top must not be about the first system alone.
    by_system = [[one for one in result.advice if one.system == system.name] for system in result.systems]
    for one in filter(None, (remark for turn in zip_longest(*by_system) for remark in turn)):
        of_all = one.code in _ABOUT_ITEMS and said.count((one.code, one.says)) == len(result.systems)
        if of_all and (one.code, one.says) in once:
            continue
        once.add((one.code, one.says))
        yield RemarkOf(one.code, one.says, one.system if several and not of_all else "")
