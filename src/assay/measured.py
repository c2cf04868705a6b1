"""What statistics start from: an evaluation, classifiers, clusterings or bare scores, with systems paired by unit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

import polars as pl

from assay.classification.pairing import Classifiers, are_predictions
from assay.clustering.pairing import RULES as RULES_OF_CLUSTERINGS
from assay.clustering.pairing import Clusterings, are_clusters
from assay.core.errors import InputError, ParameterError, did_you_mean, number_of, refuse_unknown
from assay.core.notes import Note
from assay.counting.policies import Policies
from assay.evaluation import Evaluation, evaluate
from assay.files import is_file
from assay.files.small_tables import read_scores
from assay.measures.parser import split_measures
from assay.measures.registry import Measure
from assay.measures.summary import Undefined
from assay.stats.paired import Paired
from assay.stats.samples import Pooled
from assay.tables import Direction, Scores

#: What systems are compared by unless told otherwise.
DEFAULT_MEASURES = ("AP", "nDCG@10", "RR", "P@10")

#: Units that nothing is to be inferred from, or not like this.
_NO_SAMPLE = {
    "class": "classes are not a sample of anything: there is no test over them",
    "fold": "folds share their training data: paired tests of folds find differences that are not there",
}


_GOOD: dict[str, Direction] = {"higher": "higher", "lower": "lower"}
#: Which way measures are good: one word for those of which it is not known, or a word each by name.
Directions: TypeAlias = str | Mapping[str, str] | None

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


class Measured(NamedTuple):
    """Scores, and the evaluation that they come from if there is one; or classifiers or clusterings, which have none.

    >>> measured = Measured.of({"q1": {"d1": 1}}, {"a": {"q1": {"d1": 1.0}}, "b": {"q1": {"d2": 1.0}}}, ["RR"])
    >>> measured.paired("RR").observed
    array([1., 0.])
    """

    scores: Scores
    evaluation: Evaluation | None = None
    #: What a value that there is not does to its unit.
    undefined: Undefined = "counted_as"
    classifiers: Classifiers | None = None
    clusterings: Clusterings | None = None
    #: Which way measures are good, where somebody has said so.
    directions: Mapping[str, Direction] = {}

    @classmethod
    def of(
        cls,
        given: Any,
        runs: Any = None,
        measures: Any = None,
        *,
        seed: int = 0,
        direction: Directions = None,
        **rules: Any,
    ) -> Measured:
        """Take an evaluation; or judgments and runs, and the rules of `evaluate`; or scores, or a file of them.

        Or predictions: a `Classification`, `Predictions` or files of them, several in a list or one after the other,
        with `pos_label`, `threshold` and `missing` (`error`, or `drop` items that a system lacks). Or clusterings, in
        the same shapes, with the rules of `cluster`, and `missing`.

        `direction`: whether `higher` or `lower` is better, for all measures of which it is not known, or by measure.
        """
        return cls._of(given, runs, measures, seed=seed, **rules).directed(direction, measures)

    @classmethod
    def _of(cls, given: Any, runs: Any, measures: Any, *, seed: int, **rules: Any) -> Measured:
        for of_items, made in ((are_predictions, cls._of_predictions), (are_clusters, cls._of_clusters)):
            if of_items(given) and (runs is None or of_items(runs)):
                return made([given] if runs is None else [given, runs], seed, rules)
        if runs is not None:
            wanted = DEFAULT_MEASURES if measures is None else measures
            return cls.of(evaluate(given, runs, wanted, seed=seed, **rules))
        if rules:
            raise misplaced(next(iter(rules)))
        if isinstance(given, Measured):
            return given
        if isinstance(given, Evaluation):
            return cls(given.scores, given, given.undefined)
        if isinstance(given, Scores):
            return cls(given)
        if is_file(given):
            # A matrix of scores does not say what was measured; whoever asks for a measure does.
            asked = _listed(measures or ())
            # An empty field is no value, and no measure of ours has declared what it counts as.
            return cls(read_scores(given, measure=str(asked[0]) if asked else "score"), undefined="skip")
        kind = type(given).__name__
        raise ParameterError(f"expected an evaluation, judgments and runs, or scores, got {kind} alone")

    @classmethod
    def _of_predictions(cls, given: list[Any], _: int, rules: dict[str, Any]) -> Measured:
        for name in rules:
            if name not in _RULES_OF_PREDICTIONS:
                raise misplaced(name)
        (first, *others) = given
        classifiers = first if isinstance(first, Classifiers) and not others else Classifiers.of(given, **rules)
        return cls(Scores(pl.DataFrame(schema=Scores.SCHEMA)), undefined="skip", classifiers=classifiers)

    @classmethod
    def _of_clusters(cls, given: list[Any], seed: int, rules: dict[str, Any]) -> Measured:
        for name in rules:
            if name not in RULES_OF_CLUSTERINGS:
                raise ParameterError(f"{name!r} is no rule for clusterings{did_you_mean(name, RULES_OF_CLUSTERINGS)}")
        (first, *others) = given
        made = first if isinstance(first, Clusterings) and not others else Clusterings.of(given, seed=seed, **rules)
        return cls(Scores(pl.DataFrame(schema=Scores.SCHEMA)), undefined="skip", clusterings=made)

    @property
    def itemised(self) -> Classifiers | Clusterings | None:
        """Classifiers or clusterings, if that is what is measured: their measures are made of all items together."""
        return self.classifiers if self.clusterings is None else self.clusterings

    @classmethod
    def of_units(cls, verb: str, given: Any, runs: Any = None, measures: Any = None, **rules: Any) -> Measured:
        """The same where numbers of units are needed: refuse classifiers and clusterings, whose measures have none."""
        for what, given_is in (("predictions", are_predictions), ("clusterings", are_clusters)):
            if given_is(given):
                raise InputError(f"{verb} takes numbers of units, and {what} have none; `assay compare` takes them")
        return cls.of(given, runs, measures, **rules)

    def measures(self, wanted: Iterable[str | Measure] | str | Measure | None = None) -> list[str]:
        """The measures asked for, as the scores call them; all there are, if none is."""
        if self.itemised is not None:
            return [str(one) for one in self.itemised.measures(wanted)]
        known = [str(name) for name in self.scores.frame["measure"].unique(maintain_order=True)]
        if wanted is None:
            return known
        listed = _listed(wanted)
        if self.evaluation is not None:
            return list(dict.fromkeys(str(self.evaluation.measure(name)) for name in listed))
        for name in listed:
            if str(name) not in known:
                hint = did_you_mean(str(name), known)
                raise ParameterError(f"the scores are of {', '.join(known)}, not of {name}{hint}")
        return list(dict.fromkeys(map(str, listed)))

    def directed(self, direction: Directions, measures: Any = None) -> Measured:
        """The same with what was said about directions; what Assay knows of its own measures cannot be turned round."""
        if direction is None:
            return self
        known = {name: self._paired(name).direction for name in self.measures(measures)}
        named = direction if isinstance(direction, Mapping) else {
            name: direction for name, own in known.items() if own not in _GOOD
        }  # fmt: skip
        if not named:
            own = ", ".join(f"{name} ({good} is better)" for name, good in known.items())
            raise ParameterError(f"the direction of every measure is known: {own}; to state another, name the measure")
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
        return self._replace(directions=stated)

    @property
    def is_bare(self) -> bool:
        """Whether all there is are somebody's own scores."""
        return self.evaluation is None and self.itemised is None

    def paired(self, measure: str) -> Paired:
        """The systems under one measure; micro averages keep their formulas, and label measures their items."""
        paired = self._paired(measure)
        stated = self.directions.get(paired.measure)
        return paired if stated is None else paired.directed(stated)

    def _paired(self, measure: str) -> Paired:
        if self.itemised is not None:
            return self.itemised.paired(self.itemised.measure(measure))
        evaluation = self.evaluation
        paired = Paired.of(self.scores, measure, self.undefined)
        if evaluation is None or not evaluation.measure(measure).is_micro:
            return paired
        formulas = tuple(system.results[evaluation.measure(measure)] for system in evaluation.systems)
        queries = {system.ranks.queries for system in evaluation.systems}
        if len(queries) > 1:
            raise InputError(f"{measure} sums counts up over queries: with missing='skip' the systems have other ones")
        return paired.with_sample(queries.pop(), Pooled(formulas))

    def all_paired(self, wanted: Iterable[str | Measure] | str | Measure | None = None) -> list[Paired]:
        """The systems under each measure asked for; with a single unit there is nothing to say about others."""
        found = [self.paired(name) for name in self.measures(wanted)]
        for one in found:
            if why := _NO_SAMPLE.get(one.unit_kind):
                raise InputError.on(one.measure, why)
            if len(one.units) < 2:
                least = number_of(one.unit_kind, 2)
                raise InputError.on(
                    one.measure, f"expected at least {least} that all systems have, got {len(one.units)}"
                )
            # Real systems may all be perfect; a table of scores in which no unit differs is no table of units.
            if self.is_bare and (one.unit_values == one.unit_values[0]).all():
                units = number_of(one.unit_kind, len(one.units))
                each = f"{'an' if one.unit_kind == 'item' else 'a'} {one.unit_kind}"
                raise InputError.on(one.measure, f"expected a score {each}, got the same ones on all {units}")
        return found

    def comparable(
        self, wanted: Iterable[str | Measure] | str | Measure | None = None
    ) -> tuple[list[Paired], list[str]]:
        """The systems under the measures asked for, and why not under some: undefined for too many units, mostly.

        It is an error if they have too few units in common under every measure, and if somebody's own scores have.
        """
        found: list[Paired] = []
        problems: list[InputError] = []
        for name in self.measures(wanted):
            try:
                found += self.all_paired([name])
            except InputError as problem:
                if self.evaluation is None:
                    raise
                problems.append(problem)
        if problems and not found:
            raise problems[0]
        return found, [Note.of_problem(problem, end="; it is left out") for problem in problems]


def _listed(measures: Iterable[str | Measure] | str | Measure) -> list[str | Measure]:
    """Measures one by one; text may hold several, separated by commas."""
    given = [measures] if isinstance(measures, str | Measure) else list(measures)
    return [name for one in given for name in (split_measures(one) if isinstance(one, str) else (one,))]
