"""Checks whether a run is what a system would make: not upside down, and not made from the judgments."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.core.digits import number
from assay.counting.judgments import Floats
from assay.counting.ranks import Ranks
from assay.diagnosis.case import LEAST_TOPICS, System
from assay.diagnosis.findings import Example, Finding, share
from assay.diagnosis.registry import check, finding
from assay.measures import AP, RR, nDCG
from assay.measures.doubts import NEARLY_ALL, ROUNDING, reverse_of


@check(
    "upside-down", "run", "warning",
    question="Is the reverse of the run better, by half in AP and in more topics than chance allows (sign test, 1 %)?",
    advice="if low scores are the good ones, as distances are, write them with a minus",
)  # fmt: skip
def upside_down(system: System) -> Iterator[Finding]:
    """A run that would be better if it were read from its end."""
    ranks = system.ranks
    # Where the ranks say so, it has been told with certainty.
    if ranks is None or system.ranks_are_upside_down or system.columns_are_swapped:
        return
    reverse = reverse_of(ranks)
    if reverse.is_better:
        message = (
            "lower scores seem to be better: from its end, the run wins in "
            f"{share(reverse.better, reverse.topics, 'topic')}"
        )
        example = Example(f"mean AP: {number(reverse.forwards)}, and {number(reverse.backwards)} from the end")
        details = [
            {"measure": "AP", "value": reverse.forwards, "reversed": reverse.backwards, "topics": reverse.topics}
        ]
        yield finding(
            "upside-down", "warning", system.run, message, reverse.better, examples=[example], details=details
        )


@check(
    "perfect", "run", "warning",
    question="Are nDCG, AP and RR at their largest value in (nearly) all topics, as if the judgments had made the run?",
    advice="find out how the run was made: a system that has seen the judgments says nothing about others",
)  # fmt: skip
def perfect(system: System) -> Iterator[Finding]:
    """A ranking without a fault in at least nine of ten topics, and in five at least."""
    topics, faultless = _faultless(system.ranks)
    if topics >= LEAST_TOPICS and faultless >= NEARLY_ALL * topics:
        message = f"a perfect ranking (nDCG, AP and RR are 1) in {share(faultless, topics, 'topic')}"
        yield finding("perfect", "warning", system.run, message, faultless)


def _faultless(ranks: Ranks | None) -> tuple[int, int]:
    """How many topics have something to find, and how many of them a ranking without a fault."""
    if ranks is None:
        return 0, 0
    values: list[Floats] = [measure.of(ranks) for measure in (nDCG(), AP(), RR())]
    lowest = np.min(values, axis=0)
    return int((ranks.relevant() > 0).sum()), int((lowest >= 1 - ROUNDING).sum())
