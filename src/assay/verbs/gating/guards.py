"""Guards: whether the inputs are fit to be compared at all; and what the numbers of runs rest on."""

from __future__ import annotations

from typing import NamedTuple


class Coverage(NamedTuple):
    """What a system's scores rest on: judged topics, those that its run lacks, and the share judged of its top 10.

    With judgments that were declared complete, that share is 1.
    """

    system: str
    topics: int
    missing: int
    judged: float


class Guard(NamedTuple):
    """A condition on the inputs: what it is about, whether it holds, and that in words."""

    name: str
    system: str
    holds: bool
    says: str


#: What guards are about; advice is given by these names.
MISSING, DEFINED, JUDGED_AT_ALL, JUDGED = "missing topics", "defined values", "judged at all", "judged documents"
#: The same, of predictions.
MISSING_ITEMS = "missing items"
