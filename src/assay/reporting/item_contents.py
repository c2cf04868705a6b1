"""What reports on classifiers and on clusterings hold alike: measures of each system with intervals, and advice."""

from __future__ import annotations

import math
from typing import NamedTuple, Protocol

from assay.reporting.contents import Provenance, Reference, Spoken


class ShownMeasure(NamedTuple):
    """A measure of the table: its bounds, infinite where there are none, and whether more of it is good.

    `note` says what its name does not: over what it is an average.
    """

    name: str
    low: float = 0.0
    high: float = 1.0
    higher_is_better: bool | None = True
    note: str = ""


class Estimated(NamedTuple):
    """A system's number under a measure; `undefined` says why there is none, `method` how the interval was made.

    `dummy` is what a classifier without any skill scores, which `ItemContents.dummy` names.
    """

    measure: str
    value: float
    low: float = math.nan
    high: float = math.nan
    method: str = ""
    undefined: str = ""
    dummy: float = math.nan
    #: Why a number has no interval, where that is known.
    no_interval: str = ""
    #: Classes that an average over classes leaves out, in words.
    left_out: str = ""


class MeasuredSystem(NamedTuple):
    """A classifier or a clustering and its numbers, in the order of `ItemContents.measures`."""

    system: str
    estimates: tuple[Estimated, ...]


class RemarkOf(NamedTuple):
    """A piece of advice: which kind, what it says, and about which system; empty if about all."""

    code: str
    says: str
    system: str = ""


class ItemContents(Protocol):
    """A report on what was done with items, whether they got labels or were put into clusters."""

    @property
    def title(self) -> str:
        """What the report is about."""

    @property
    def lead(self) -> str:
        """How much of it there is."""

    @property
    def confidence(self) -> float:
        """The level of the intervals."""

    @property
    def dummy(self) -> str:
        """What has no skill and stands beside the measures; empty if nothing does."""

    @property
    def summary(self) -> tuple[str, ...]:
        """Sentences: what the systems are worth."""

    @property
    def remarks(self) -> tuple[RemarkOf, ...]:
        """The advice."""

    @property
    def measures(self) -> tuple[ShownMeasure, ...]:
        """The measures of the table."""

    @property
    def systems(self) -> tuple[MeasuredSystem, ...]:
        """The numbers of each system."""

    @property
    def verdicts(self) -> tuple[Spoken, ...]:
        """Systems held against the baseline, under the first measure first."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to mind."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What else there is to know: what is not shown, and why; what a comparison leaves open."""

    @property
    def methods(self) -> str:
        """How the numbers were made, a paragraph."""

    @property
    def references(self) -> tuple[Reference, ...]:
        """What the methods cite."""

    @property
    def provenance(self) -> Provenance:
        """Where the report comes from."""
