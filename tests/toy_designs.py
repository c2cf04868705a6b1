"""Subjects of other designs than paired numbers: visitors who saw one layout each, and people who prefer one of two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from toy_subject import Reading, Readings, ReadingSubject

from assay.core.options import Method
from assay.measures.counting.judgments import Floats
from assay.stats.bootstrap import Interval
from assay.stats.pairing import Pairing
from assay.stats.permutation import Alternative, Outcome
from assay.stats.ratio_samples import RatioSample, RatioSums
from assay.stats.samples import Contrast, Drawing, Effects, Pair, Sample
from assay.stats.tests import sign_test, wins
from assay.verbs.gating.gate import Sides, Two, chosen_two
from assay.verbs.subject import Words


@dataclass(frozen=True)
class Visits(Reading):
    """The seconds of each visitor, by layout; nobody saw two of them."""

    subject: ClassVar[str] = "visits"


class PairedVisits(Readings):
    """Layouts with visitors of their own."""

    subject: ClassVar[str] = "visits"
    holds: ClassVar[str] = "visits"
    gate_test: ClassVar[str] = "test"

    def undirected(self, measure: Any) -> Sample:
        start, sums = 0, []
        for times in self.data.by_layout.values():
            seconds = np.array(list(times.values()))
            sums.append(RatioSums(np.arange(start, start + len(seconds)), seconds, np.ones(len(seconds))))
            start += len(seconds)
        layouts = tuple(self.data.by_layout)
        return RatioSample(tuple(sums), systems=layouts, measure=str(measure), unit_kind="visitor", direction="lower")


class VisitSubject(ReadingSubject):
    """Visits as a subject of the verbs."""

    name = "visits"
    words = Words("layout", "visitor", "visits", "visits of people")
    gated = f"{__name__}:two_layouts"

    def pairing(self, inputs: Sequence[Any], measures: Any, seed: int, rules: Mapping[str, Any]) -> Pairing:
        return PairedVisits(inputs[0])


@dataclass(frozen=True)
class Votes:
    """What people said of two layouts each: 1 for the second, -1 for the first, 0 for neither."""

    subject: ClassVar[str] = "votes"

    by_pair: Mapping[tuple[str, str], Sequence[int]]

    @property
    def by_layout(self) -> dict[str, dict[str, float]]:
        """The layouts; nobody was timed."""
        return {name: {} for pair in self.by_pair for name in pair}

    def only(self, first: str, second: str) -> Self:
        votes = self.by_pair.get((first, second)) or [-vote for vote in self.by_pair[second, first]]
        return replace(self, by_pair={(first, second): votes})


@dataclass(frozen=True, eq=False)
class VoteSample(Sample):
    """Preferences between two systems at a time: there are differences, and no numbers of single systems."""

    votes: Mapping[tuple[str, str], Floats]

    only_differences: ClassVar[bool] = True
    made_of: ClassVar[str] = "preferences"
    power_test: ClassVar[str] = "t test of preferences"

    @property
    def size(self) -> int:
        return sum(map(len, self.votes.values()))

    def pair_size(self, first: int, second: int) -> int:
        return len(self.preferences(first, second))

    @cached_property
    def observed(self) -> Floats:
        return np.full(len(self.systems), np.nan)

    def preferences(self, first: int, second: int) -> Floats:
        pair = self.systems[first], self.systems[second]
        return self.votes[pair] if pair in self.votes else -self.votes[pair[::-1]]

    def difference(self, first: int, second: int) -> float:
        return float(self.preferences(first, second).mean())

    def undefined(self) -> list[str | None]:
        return [None] * len(self.systems)

    def is_same(self, first: int, second: int) -> bool:
        return not self.preferences(first, second).any()

    def spread(self, first: int, second: int, drawing: Drawing) -> float:
        return float(self.preferences(first, second).std(ddof=1))

    def intervals(
        self, of: Contrast, levels: Sequence[float], drawing: Drawing, method: Method = "hull"
    ) -> list[Interval]:
        if len(of) == 1:
            return [Interval.unknown(level) for level in levels]
        votes = self.preferences(*of)
        error = self.spread(*of, drawing) / np.sqrt(len(votes))
        return [Interval.by_t(self.difference(*of), error, len(votes) - 1, level, "t") for level in levels]

    def redraws(self, drawing: Drawing, method: Method = "hull") -> Drawing:
        return drawing._replace(resamples=0)

    @property
    def tests(self) -> tuple[str, ...]:
        return ("sign",)

    def why_not_test(self, test: str) -> str:
        return f"{self.measure} is made of preferences"

    def effects(self, first: int, second: int) -> Effects:
        return Effects(np.nan, np.nan, wins(self.preferences(first, second)))

    def only(self, *systems: int) -> Self:
        names = self._names(systems)
        kept = {pair: votes for pair, votes in self.votes.items() if {*pair} <= {*names}}
        return replace(self, votes=kept, systems=names)

    def _tested(self, pairs: Sequence[Pair], test: str, drawing: Drawing, alternative: Alternative) -> list[Outcome]:
        outcomes = [sign_test(self.preferences(*pair)) for pair in pairs]
        if alternative == "two-sided":
            return outcomes
        sign = 1 if alternative == "greater" else -1
        return [each._replace(p=each.p / 2 if each.sign == sign else 1 - each.p / 2) for each in outcomes]


@dataclass(frozen=True, eq=False)
class PairedVotes(Readings):
    """Layouts that people chose between."""

    data: Any

    subject: ClassVar[str] = "votes"
    holds: ClassVar[str] = "preferences"
    measure: ClassVar[str] = "Preference"
    gate_test: ClassVar[str] = "sign test"

    def undirected(self, measure: Any) -> Sample:
        votes = {pair: np.array(each, dtype=np.float64) for pair, each in self.data.by_pair.items()}
        return VoteSample(
            votes, systems=tuple(self.data.by_layout), measure=str(measure), unit_kind="person", bounds=(-1.0, 1.0)
        )


class VoteSubject(ReadingSubject):
    """Preferences as a subject of the verbs."""

    name = "votes"
    explained = ""
    words = Words("layout", "person", "preferences", "preferences of people")
    gated = f"{__name__}:two_layouts"

    def pairing(self, inputs: Sequence[Any], measures: Any, seed: int, rules: Mapping[str, Any]) -> Pairing:
        return PairedVotes(inputs[0])


VISITS, VOTES = VisitSubject(), VoteSubject()


def two_layouts(data: Any, two: Two, measures: Any, seed: int, rules: Mapping[str, Any]) -> Sides:
    """The baseline and the candidate of a gate, by their names."""
    chosen = chosen_two(list(data.by_layout), *two)
    subject = {each.name: each for each in (VISITS, VOTES)}[data.subject]
    pairing = subject.pairing([data.only(*chosen)], measures, seed, rules)
    return Sides(pairing, pairing.measure_names(measures))
