"""`Pairing`: several systems on the same units, which gives a sample under each measure; each subject has its own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeAlias

import polars as pl

from assay.core.errors import InputError, Note, ParameterError, did_you_mean, number_of
from assay.measures.parser import same_name, split_measures
from assay.measures.registry import Measure
from assay.stats.mean_samples import MeanSample
from assay.stats.samples import Drawing, Sample
from assay.tables import Direction, Scores

if TYPE_CHECKING:
    from assay.subjects.ranking.evaluation import Evaluation
    from assay.verbs.comparison.findings import Finding
    from assay.verbs.comparison.result import Comparison

#: Which measures are asked for; None: the usual ones.
Wanted: TypeAlias = Iterable[str | Measure] | str | Measure | None
#: Which way measures are good: one word for those of which it is not known, or a word each by name.
Directions: TypeAlias = str | Mapping[str, str] | None
#: Which effects a table of differences shows: the relative one, units won and lost, all of them with d_z, or none.
EffectColumns: TypeAlias = Literal["all", "wins", "relative", "none"]

_GOOD: dict[str, Direction] = {"higher": "higher", "lower": "lower"}
#: Units that nothing is to be inferred from, or not like this.
_NO_SAMPLE = {
    "class": "classes are not a sample of anything: there is no test over them",
    "fold": "folds share their training data: paired tests of folds find differences that are not there",
}
#: The kind of the note that says why nothing is known of documents.
UNSEEN = "unseen"
FROM_SCORES = "from scores alone: nothing is known of coverage, unjudged documents and what users would notice"


@dataclass(frozen=True, eq=False, kw_only=True)
class Pairing(ABC):
    """Systems on the same units, and what only their subject can tell; `directions` are those that somebody stated."""

    directions: Mapping[str, Direction] = field(default_factory=dict)

    #: The name of the subject.
    subject: ClassVar[str]
    #: What was paired, in words.
    holds: ClassVar[str] = "scores"
    #: What stands beside a difference; items that are right or wrong, or in clusters, have no numbers to set off.
    effects: ClassVar[EffectColumns] = "relative"
    #: What a gate's test is called, where its own words do not say.
    gate_test: ClassVar[str] = "paired permutation test"
    #: What people do to have more units.
    to_have_more: ClassVar[str] = "Get"

    @abstractmethod
    def measure_names(self, wanted: Wanted = None) -> list[str]:
        """The measures asked for, as samples call them; the usual ones, if none is."""

    @abstractmethod
    def undirected(self, measure: str | Measure) -> Sample:
        """The systems under one measure, good which way the measure itself says."""

    def sample(self, measure: str | Measure) -> Sample:
        """The systems under one measure."""
        sample = self.undirected(measure)
        stated = self.directions.get(sample.measure)
        return sample if stated is None else sample.directed(stated)

    @property
    def evaluation(self) -> Evaluation | None:
        """The evaluation of runs that the systems come from, if they do."""
        return None

    @property
    def is_complete(self) -> bool:
        """True if judgments were declared complete, so that no document is unjudged."""
        return False

    @property
    def reference(self) -> str:
        """The name of what the systems were held against, where that stands by itself."""
        return ""

    @property
    def is_bare(self) -> bool:
        """True if there is nothing but somebody's own scores."""
        return False

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about odd data."""
        return ()

    def check_drawing(self, resamples: int | None, interval: str = "hull") -> None:
        """Refuse what says how a test or a bootstrap draws, where there is neither."""
        del resamples, interval

    def remarks(self, measures: Sequence[str], *, usual: bool, instead: str = "is the headline") -> list[str]:
        """Remarks on the numbers; `usual`: no measures were asked for, and one of them is said `instead`."""
        return []

    def families(self, measures: Sequence[str]) -> list[list[str]]:
        """The families of measures that p-values are corrected within, as they were planned; none, where none were."""
        del measures
        return []

    def between(self, findings: Sequence[Finding], drawing: Drawing) -> tuple[list[Finding], list[str]]:
        """The findings with what the subject knows of each pair besides its numbers, and what to note of them."""
        return list(findings), []

    def without_intervals(self, measure: str, systems: Sequence[str], drawing: Drawing) -> list[str]:
        """The reason why the difference of two systems has no interval, where only the subject knows."""
        return []

    def further_sentences(self, finding: Finding, *, alone: bool) -> Iterable[str]:
        """Sentences of the subject on a pair besides its numbers; `alone`: there is no other pair."""
        return ()

    def check_flips(self) -> None:
        """Refuse what has no predictions that could flip."""
        raise ParameterError("only predictions of classifiers flip: compare those")

    def flipped(self, first: str, second: str) -> pl.DataFrame:
        """The items that two classifiers predict differently."""
        self.check_flips()
        return pl.DataFrame()

    @property
    def no_documents(self) -> str:
        """The reason why documents cannot be looked at."""
        return f"this is about the documents of rankings: {self.holds} have none"

    def documents(self, comparison: Comparison) -> Any:
        """The documents of runs in a comparison; refused where there are none."""
        raise ParameterError(self.no_documents)

    def look_into(self, comparison: Comparison) -> Comparison:
        """The comparison with what takes a second look at the data, where that is worth its time."""
        return comparison

    def signatures(self, measures: Sequence[str]) -> dict[str, str]:
        """Everything that each measure's number depends on, in one line."""
        return {}

    def directed(self, direction: Directions, measures: Any = None) -> Self:
        """The same with what was said about directions; what Assay knows of its own measures cannot be turned round."""
        if direction is None:
            return self
        known = {name: self.undirected(name).direction for name in self.measure_names(measures)}
        named = direction
        if isinstance(named, str):
            named = {name: named for name, good in known.items() if good not in _GOOD}
        if not named:
            each = ", ".join(f"{name} ({good} is better)" for name, good in known.items())
            raise ParameterError(f"the direction of every measure is known: {each}; to state another, name the measure")
        stated: dict[str, Direction] = {}
        for name, word in named.items():
            if name not in known:
                raise ParameterError(
                    f"a direction is given for {name}, but the measures are {', '.join(known)}"
                    f"{did_you_mean(name, known)}"
                )
            if word not in _GOOD:
                raise ParameterError(f"the direction of {name} is higher or lower, not {word!r}")
            if not self.is_bare and known[name] in _GOOD and word != known[name]:
                raise ParameterError(f"{name}: {known[name]} is better, not {word}")
            stated[name] = _GOOD[word]
        return replace(self, directions=stated)

    def samples(self, wanted: Wanted = None) -> list[Sample]:
        """The systems under each measure asked for; with a single unit there is nothing to say about others."""
        samples = [self.sample(name) for name in self.measure_names(wanted)]
        for sample in samples:
            if why := _NO_SAMPLE.get(sample.unit_kind):
                raise InputError.on(sample.measure, why)
            if sample.size < 2:
                least = number_of(sample.unit_kind, 2)
                raise InputError.on(
                    sample.measure, f"expected at least {least} that all systems have, got {sample.size}"
                )
            self._refuse_constant(sample)
        return samples

    def _refuse_constant(self, sample: Sample) -> None:
        """Real systems may all be perfect; a table of scores in which no unit differs is no table of units."""
        values = sample.unit_values() if self.is_bare else None
        if values is not None and (values == values[0]).all():
            units = number_of(sample.unit_kind, sample.size)
            why = f"expected one score per {sample.unit_kind}, got the same scores for all {units}"
            raise InputError.on(sample.measure, why)

    def comparable(self, wanted: Wanted = None) -> tuple[list[Sample], list[str]]:
        """The systems under the measures asked for, and why not under some: undefined for too many units, mostly.

        It is an error if they have too few units in common under every measure, and if somebody's own scores have
        under a measure that is asked for by name.
        """
        samples: list[Sample] = []
        problems: list[InputError] = []
        for name in self.measure_names(wanted):
            try:
                samples += self.samples([name])
            except InputError as problem:
                if self.evaluation is None and wanted is not None:
                    raise
                problems.append(problem)
        if problems and not samples:
            raise problems[0]
        return samples, [Note.of_problem(problem, end="; it is left out") for problem in problems]


class MeasuredPairing(Pairing):
    """Systems under measures of a vocabulary, as all have them whose numbers Assay computes."""

    @abstractmethod
    def measure(self, name: str | Measure) -> Measure:
        """A measure by name."""

    @abstractmethod
    def usual(self) -> Sequence[str]:
        """The measures if none is asked for; the first is the headline."""

    def measure_names(self, wanted: Wanted = None) -> list[str]:
        """The measures asked for, or the usual ones, as samples call them."""
        names = each_measure(self.usual() if wanted is None else wanted)
        if not names:
            raise ParameterError("there is no measure to compute")
        return list(dict.fromkeys(str(self.measure(name)) for name in names))


class ItemPairing(MeasuredPairing):
    """The common part of classifiers and clusterings: items, of which measures are made all together."""

    notes: tuple[str, ...]
    sizes: tuple[int, ...]

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The systems, in the order in which they were given."""

    @property
    @abstractmethod
    def items(self) -> tuple[str, ...]:
        """The ids of the items."""

    @abstractmethod
    def signature(self, measure: str | Measure) -> str:
        """Everything that a number depends on, in one line."""

    def signatures(self, measures: Sequence[str]) -> dict[str, str]:
        """Everything that each measure's number depends on, in one line."""
        return {name: self.signature(name) for name in measures}

    def remarks(self, measures: Sequence[str], *, usual: bool, instead: str = "is the headline") -> list[str]:
        """Remarks on odd items."""
        return list(self.notes)


@dataclass(frozen=True, eq=False)
class ScorePairing(Pairing):
    """Scores of systems."""

    scores: Scores

    subject: ClassVar[str] = "scores"
    effects: ClassVar[EffectColumns] = "all"

    @property
    def is_bare(self) -> bool:
        """True if there is nothing but somebody's own scores."""
        return True

    def measure_names(self, wanted: Wanted = None) -> list[str]:
        """The measures asked for, as the scores call them; all there are, if none is."""
        known = [str(name) for name in self.scores.frame["measure"].unique(maintain_order=True)]
        if not known:
            raise InputError("expected scores, got a table without rows")
        names = (
            known if wanted is None else list(dict.fromkeys(same_name(name, known) for name in each_measure(wanted)))
        )
        for name in names:
            if name not in known:
                raise ParameterError(f"the scores are of {', '.join(known)}, not of {name}{did_you_mean(name, known)}")
        return names

    def undirected(self, measure: str | Measure) -> Sample:
        """The systems under one measure."""
        return MeanSample.of_scores(self.scores, str(measure))

    def look_into(self, comparison: Comparison) -> Comparison:
        """The comparison with a note of what scores alone cannot tell."""
        return replace(comparison, notes=(*comparison.notes, Note(FROM_SCORES, kind=UNSEEN)))

    @property
    def no_documents(self) -> str:
        """The reason why documents cannot be looked at."""
        return "the documents are not known: compare from judgments and runs, not from scores"


def each_measure(measures: Iterable[str | Measure] | str | Measure) -> list[str | Measure]:
    """Measures one by one; text may hold several, separated by commas.

    >>> each_measure("AP, RR"), each_measure(["P@10", "RR"])
    (['AP', 'RR'], ['P@10', 'RR'])
    """
    if not isinstance(measures, str | Measure | Iterable):
        raise ParameterError(f"measures are names, not {measures!r}")
    several = [measures] if isinstance(measures, str | Measure) else list(measures)
    return [
        name
        for each in several
        for name in (map(str.strip, split_measures(each)) if isinstance(each, str) else (each,))
    ]
