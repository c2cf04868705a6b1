"""What statistics start from: an evaluation, classifiers, clusterings or bare scores, with systems paired by unit."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.core.errors import InputError, ParameterError, did_you_mean, refuse_unknown
from assay.files import is_file
from assay.files.small_tables import read_scores
from assay.measures.counting.policies import Policies
from assay.measures.parser import split_measures
from assay.measures.registry import Measure
from assay.measures.summary import Undefined
from assay.stats.mean_samples import MeanSample
from assay.stats.pairing import Directions, Pairing, Wanted
from assay.stats.pooled_samples import PooledSample
from assay.stats.samples import Sample
from assay.subjects.clusters.pairing import RULES as RULES_OF_CLUSTERINGS
from assay.subjects.clusters.pairing import Clusterings
from assay.subjects.clusters.subject import are_clusters
from assay.subjects.labels.pairing import Classifiers
from assay.subjects.labels.subject import are_predictions
from assay.subjects.ranking.evaluation import Evaluation, evaluate
from assay.tables import Scores

if TYPE_CHECKING:
    from assay.verbs.comparison.result import Comparison

#: What systems are compared by unless told otherwise.
DEFAULT_MEASURES = ("AP", "nDCG@10", "RR", "P@10")

#: Rules of reading predictions, as opposed to those of evaluating rankings.
_RULES_OF_PREDICTIONS = ("pos_label", "threshold", "missing")


def check_rules(rules: Iterable[str], *verbs: Callable[..., Any]) -> None:
    """Refuse keyword arguments that neither these verbs take, nor rankings, predictions or clusterings as rules."""
    refuse_unknown(rules, *verbs, Policies, evaluate, _RULES_OF_PREDICTIONS, RULES_OF_CLUSTERINGS)


def misplaced(name: str) -> ParameterError:
    """The error for a rule that goes with other data than were given.

    >>> print(misplaced("noise"))
    'noise' is a rule of clusterings: it goes with clusters of items
    """
    if name in RULES_OF_CLUSTERINGS and name != "missing":
        return ParameterError(f"{name!r} is a rule of clusterings: it goes with clusters of items")
    if name in _RULES_OF_PREDICTIONS and name != "missing":
        return ParameterError(f"{name!r} is a rule of classifiers: it goes with predictions")
    return ParameterError(f"{name!r} is a rule of evaluation: it goes with judgments and runs")


@dataclass(frozen=True, eq=False)
class ScorePairing(Pairing):
    """Scores of systems, and the evaluation that they come from if there is one.

    `undefined`: what a value that there is not does to its unit.

    >>> judged, runs = {"q1": {"d1": 1}}, {"a": {"q1": {"d1": 1.0}}, "b": {"q1": {"d2": 1.0}}}
    >>> unit_pairing_of("a test", judged, runs, ["RR"]).sample("RR").observed
    array([1., 0.])
    """

    scores: Scores
    evaluation: Evaluation | None = None
    undefined: Undefined = "counted_as"

    @property
    def is_bare(self) -> bool:
        """Whether all there is are somebody's own scores."""
        return self.evaluation is None

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is odd about judgments and runs."""
        return () if self.evaluation is None else self.evaluation.warnings

    def measure_names(self, wanted: Wanted = None) -> list[str]:
        """The measures asked for, as the scores call them; all there are, if none is."""
        known = [str(name) for name in self.scores.frame["measure"].unique(maintain_order=True)]
        if wanted is None:
            return known
        names = _listed(wanted)
        if self.evaluation is not None:
            return list(dict.fromkeys(str(self.evaluation.measure(name)) for name in names))
        for name in names:
            if str(name) not in known:
                hint = did_you_mean(str(name), known)
                raise ParameterError(f"the scores are of {', '.join(known)}, not of {name}{hint}")
        return list(dict.fromkeys(map(str, names)))

    def undirected(self, measure: str | Measure) -> Sample:
        """The systems under one measure; micro averages keep their formulas."""
        sample, evaluation = MeanSample.of_scores(self.scores, str(measure), self.undefined), self.evaluation
        if evaluation is None or not evaluation.measure(measure).is_micro:
            return sample
        formulas = tuple(system.results[evaluation.measure(measure)] for system in evaluation.systems)
        queries = {system.ranks.queries for system in evaluation.systems}
        if len(queries) > 1:
            raise InputError(f"{measure} sums counts up over queries: with missing='skip' the systems have other ones")
        return PooledSample(
            formulas,
            systems=sample.systems,
            units=queries.pop(),
            measure=sample.measure,
            unit_kind=sample.unit_kind,
            bounds=sample.bounds,
            direction=sample.direction,
        )

    @property
    def no_documents(self) -> str:
        """Why documents cannot be looked at."""
        return "the documents are not known: compare from judgments and runs, not from scores"

    def look_into(self, comparison: Comparison) -> Comparison:
        """The comparison with what documents of the runs tell."""
        return comparison.with_document_analysis()

    def signatures(self, measures: Iterable[str]) -> dict[str, str]:
        """Everything that each measure's number depends on, in one line."""
        del measures
        return {} if self.evaluation is None else dict(self.evaluation.signatures)


def pairing_of(
    given: Any, runs: Any = None, measures: Any = None, *, seed: int = 0, direction: Directions = None, **rules: Any
) -> Pairing:
    """Take an evaluation; or judgments and runs, and the rules of `evaluate`; or scores, or a file of them.

    Or predictions: a `Classification`, `Predictions` or files of them, several in a list or one after the other,
    with `pos_label`, `threshold` and `missing` (`error`, or `drop` items that a system lacks). Or clusterings, in
    the same shapes, with the rules of `cluster`, and `missing`.

    `direction`: whether `higher` or `lower` is better, for all measures of which it is not known, or by measure.
    """
    return _opened(given, runs, measures, seed, rules).directed(direction, measures)


def _opened(given: Any, runs: Any, measures: Any, seed: int, rules: dict[str, Any]) -> Pairing:
    inputs = [given] if runs is None else [given, runs]
    if all(map(are_predictions, inputs)):
        for name in rules:
            if name not in _RULES_OF_PREDICTIONS:
                raise misplaced(name)
        return given if isinstance(given, Classifiers) and runs is None else Classifiers.of(inputs, **rules)
    if all(map(are_clusters, inputs)):
        for name in rules:
            if name not in RULES_OF_CLUSTERINGS:
                raise ParameterError(f"{name!r} is no rule for clusterings{did_you_mean(name, RULES_OF_CLUSTERINGS)}")
        return given if isinstance(given, Clusterings) and runs is None else Clusterings.of(inputs, seed=seed, **rules)
    if runs is not None:
        wanted = DEFAULT_MEASURES if measures is None else measures
        evaluation = evaluate(given, runs, wanted, seed=seed, **rules)
        return ScorePairing(evaluation.scores, evaluation, evaluation.undefined)
    return _of_scores(given, measures, rules)


def _of_scores(given: Any, measures: Any, rules: dict[str, Any]) -> ScorePairing:
    if rules:
        raise misplaced(next(iter(rules)))
    if isinstance(given, ScorePairing):
        return given
    if isinstance(given, Evaluation):
        return ScorePairing(given.scores, given, given.undefined)
    if isinstance(given, Scores):
        return ScorePairing(given)
    if is_file(given):
        # A matrix of scores does not say what was measured; whoever asks for a measure does.
        asked = _listed(measures or ())
        # An empty field is no value, and no measure of ours has declared what it counts as.
        return ScorePairing(read_scores(given, measure=str(asked[0]) if asked else "score"), undefined="skip")
    kind = type(given).__name__
    raise ParameterError(f"expected an evaluation, judgments and runs, or scores, got {kind} alone")


def unit_pairing_of(verb: str, given: Any, runs: Any = None, measures: Any = None, **options: Any) -> ScorePairing:
    """The same where numbers of units are needed: refuse classifiers and clusterings, whose measures have none."""
    for what, is_such in (("predictions", are_predictions), ("clusterings", are_clusters)):
        if is_such(given):
            raise InputError(f"{verb} takes numbers of units, and {what} have none; `assay compare` takes them")
    pairing = pairing_of(given, runs, measures, **options)
    if not isinstance(pairing, ScorePairing):
        raise InputError(f"{verb} takes numbers of units, and {pairing.holds} have none")
    return pairing


def _listed(measures: Iterable[str | Measure] | str | Measure) -> list[str | Measure]:
    """Measures one by one; text may hold several, separated by commas."""
    several = [measures] if isinstance(measures, str | Measure) else list(measures)
    return [name for each in several for name in (split_measures(each) if isinstance(each, str) else (each,))]
