"""`ScorePairing`: systems paired by unit, of which one number per unit is known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from assay.core.errors import InputError, Note, ParameterError, did_you_mean
from assay.measures.parser import split_measures
from assay.measures.registry import Measure
from assay.measures.summary import Undefined
from assay.stats.mean_samples import MeanSample
from assay.stats.pairing import Directions, Pairing, Wanted
from assay.stats.samples import Sample
from assay.tables import Scores
from assay.verbs.subject import pairing_of

if TYPE_CHECKING:
    from assay.verbs.comparison import Comparison

#: The kind of the note that says why nothing is known of documents.
UNSEEN = "unseen"


FROM_SCORES = "from scores alone: nothing is known of coverage, unjudged documents and what users would notice"


@dataclass(frozen=True, eq=False)
class ScorePairing(Pairing):
    """Scores of systems; `undefined`: what a value that there is not does to its unit."""

    scores: Scores
    undefined: Undefined = "counted_as"

    subject: ClassVar[str] = "scores"

    @property
    def is_bare(self) -> bool:
        """Whether all there is are somebody's own scores."""
        return True

    def measure_names(self, wanted: Wanted = None) -> list[str]:
        """The measures asked for, as the scores call them; all there are, if none is."""
        known = [str(name) for name in self.scores.frame["measure"].unique(maintain_order=True)]
        names = known if wanted is None else list(dict.fromkeys(map(str, listed(wanted))))
        for name in names:
            if name not in known:
                raise ParameterError(f"the scores are of {', '.join(known)}, not of {name}{did_you_mean(name, known)}")
        return names

    def undirected(self, measure: str | Measure) -> Sample:
        """The systems under one measure."""
        return MeanSample.of_scores(self.scores, str(measure), self.undefined)

    def look_into(self, comparison: Comparison) -> Comparison:
        """The comparison with a note of what scores alone cannot tell."""
        return replace(comparison, notes=(*comparison.notes, Note(FROM_SCORES, kind=UNSEEN)))

    @property
    def no_documents(self) -> str:
        """Why documents cannot be looked at."""
        return "the documents are not known: compare from judgments and runs, not from scores"


def unit_pairing_of(
    verb: Callable[..., Any],
    what: str,
    given: Any,
    runs: Any = None,
    measures: Any = None,
    *,
    seed: int = 0,
    direction: Directions = None,
    rules: Mapping[str, Any] | None = None,
) -> ScorePairing:
    """The systems of what was given to a verb, where numbers of units are needed; `what` stands in the error.

    >>> from assay import compare
    >>> unit_pairing_of(compare, "a test", {"q1": {"d1": 1}}, {"a": {"q1": {"d1": 1.0}}}, ["RR"]).measure_names()
    ['RR']
    """
    pairing = pairing_of(verb, given, runs, measures, seed=seed, direction=direction, rules=rules)
    if not isinstance(pairing, ScorePairing):
        raise InputError(f"{what} takes numbers of units, and {pairing.holds} have none; `compare` takes them")
    return pairing


def listed(measures: Iterable[str | Measure] | str | Measure) -> list[str | Measure]:
    """Measures one by one; text may hold several, separated by commas.

    >>> listed("AP, RR"), listed(["P@10", "RR"])
    (['AP', 'RR'], ['P@10', 'RR'])
    """
    several = [measures] if isinstance(measures, str | Measure) else list(measures)
    return [
        name
        for each in several
        for name in (map(str.strip, split_measures(each)) if isinstance(each, str) else (each,))
    ]
