"""`thresholds`: scores beside the truth in whatever shape -> the threshold that each rule chooses."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Unpack

import numpy as np
import polars as pl

from assay.core.domains import Whole
from assay.core.errors import (
    InputError,
    ParameterError,
    argument,
    did_you_mean,
    listed,
    naming,
    number_of,
    refuse_unknown,
)
from assay.core.results import Result
from assay.measures.counting.judgments import Floats
from assay.measures.counting.label_pairs import weights_of
from assay.measures.counting.scored import Scored, positives
from assay.measures.score_curves import AUC
from assay.stats.bootstrap import Interval, percentiles
from assay.stats.estimates import checked_confidence
from assay.subjects.labels.inputs import against_rest, opened
from assay.subjects.labels.thresholds.result import (
    ChosenThreshold,
    Drawn,
    Made,
    RuleChoice,
    Thresholds,
    chosen,
    interval_of_threshold,
    optimism,
    reason,
    redrawn,
)
from assay.subjects.labels.thresholds.rules import (
    DEFAULT_RULES,
    Candidates,
    Rule,
    RuleParameters,
    ThresholdCells,
    parse_rule,
)
from assay.tables.label_rules import label_among
from assay.tables.predictions import Predictions


class ScoredSystem(NamedTuple):
    """One system's scores: its name, the positive label, what is odd, its file, the items' ids; None: not known."""

    name: str
    scored: Scored
    positive: Any = None
    warnings: tuple[str, ...] = ()
    origin: str | None = None
    item_id: pl.Series | None = None


def scored_systems(
    predictions: Any,
    y_score: Any = None,
    *,
    pos_label: Any = None,
    sample_weight: Any = None,
    system: str | None = None,
) -> list[ScoredSystem]:
    """All systems, or the one that is asked for.

    `given` is the truth, with `y_score` (an array, or a dict from names to arrays); or `Predictions`, `Scored` or a
    path; or several of these in a list, or in a dict with their names.

    >>> [one.name for one in scored_systems([0, 1], {"old": [0.2, 0.1], "new": [0.2, 0.7]})]
    ['old', 'new']
    """
    if y_score is not None:
        systems = _of_arrays(predictions, y_score, pos_label, sample_weight)
    elif sample_weight is not None:
        raise ParameterError("sample_weight goes with y_true and y_score; predictions hold their own weights")
    else:
        systems = _of(predictions, pos_label)
    for scored in systems:
        if not len(scored.scored.positive) + len(scored.scored.negative):
            raise InputError(
                f"{scored.name}: {'all weights are 0' if scored.scored.is_weighted else 'there is no item'}"
            )
    names = [system.name for system in systems]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ParameterError(f"two systems are called {twice!r}: give each a name of its own, {naming()}")
    if system is None:
        return systems
    if system not in names:
        raise ParameterError(
            f"no system is called {system!r}{did_you_mean(system, names) or f'; there is {listed(names)}'}"
        )
    return [systems[names.index(system)]]


def only_one(systems: list[ScoredSystem]) -> ScoredSystem:
    """The only system, or an error that says which there are; its scores as numbers that thresholds can be."""
    if len(systems) > 1:
        names = [system.name for system in systems]
        raise ParameterError(
            f"a threshold is of one system, and there are {listed(names)}: say {argument('system', names[0])}"
        )
    scored = systems[0].scored
    sides = scored.positive, scored.negative
    positive, negative = (side if side.dtype.kind == "f" else side.astype(np.float64) for side in sides)
    return systems[0]._replace(scored=replace(scored, positive=positive, negative=negative))


def _of(predictions: Any, pos_label: Any) -> list[ScoredSystem]:
    if isinstance(predictions, ScoredSystem):
        return [predictions]
    if isinstance(predictions, Scored):
        return [ScoredSystem("scores", predictions, pos_label)]
    if isinstance(predictions, Mapping):
        return [
            system._replace(name=str(name) if len(systems) == 1 else f"{name} {system.name}")
            for name, value in predictions.items()
            for systems in [_of(value, pos_label)]
            for system in systems
        ]
    if isinstance(predictions, tuple) and len(predictions) == 2 and not isinstance(predictions[0], Predictions):
        return _of_arrays(*predictions, pos_label, None)
    if isinstance(predictions, list | tuple):
        return [system for value in predictions for system in _of(value, pos_label)]
    return [_of_predictions(table) for table in opened(predictions, pos_label)]


def _of_predictions(predictions: Predictions) -> ScoredSystem:
    label, score = predictions.pos_label, predictions.score
    if predictions.kind == "multilabel" and label is not None:  # who has the label, against who has not
        two_labels: Any = against_rest(predictions, label)
        return _of_predictions(two_labels)
    if score is None and predictions.class_scores:
        if label is None:
            names = [str(label) for label in predictions.class_scores]
            raise ParameterError(
                f"{predictions.name}: there is a score a class: say which class is positive, against all others, "
                f"as in {argument('pos_label', names[0])}"
            )
        label = label_among(list(predictions.class_scores), label)
        score = predictions.class_scores[label]
    if score is None:
        raise InputError(f"{predictions.name}: there is no score an item to choose a threshold from")
    if label is None:
        label = predictions.positive
    scored = Scored.from_scores(predictions.truth, score, pos_label=label, sample_weight=predictions.weight)
    origin = None if predictions.origin == "in memory" else predictions.origin
    return ScoredSystem(
        predictions.name,
        scored,
        label,
        predictions.warnings,
        origin,
        predictions.item_id if predictions.has_ids else None,
    )


def _of_arrays(y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any) -> list[ScoredSystem]:
    if not isinstance(y_score, Mapping):
        y_score = {"scores": y_score}
    if not y_score:
        raise ParameterError("y_score: expected the scores of at least one system, got none")
    _, label = positives(y_true, pos_label)
    if sample_weight is not None:
        sample_weight = weights_of(sample_weight, len(y_true))
    return [
        ScoredSystem(str(name), Scored.from_scores(y_true, scores, pos_label=label, sample_weight=sample_weight), label)
        for name, scores in y_score.items()
    ]


def warnings_of(systems: Iterable[ScoredSystem]) -> tuple[str, ...]:
    """What is odd about any of them, once each."""
    return tuple(dict.fromkeys(warning for system in systems for warning in system.warnings))


@dataclass(frozen=True, eq=False)
class ThresholdTable(Result):
    """TP, FP, FN, TN, TPR, FPR and accuracy from each threshold on, the highest first.

    >>> print(threshold_table([1, 1, 0, 1], [0.9, 0.8, 0.7, 0.6]))
    threshold         TP  FP  FN  TN     TPR     FPR     ACC
    above all scores   0   0   3   1  0.0000  0.0000  0.2500
    0.9                1   0   2   1  0.3333  0.0000  0.5000
    0.8                2   0   1   1  0.6667  0.0000  0.7500
    0.7                2   1   1   0  0.6667  1.0000  0.5000
    0.6                3   1   0   0  1.0000  1.0000  0.7500
    <BLANKLINE>
    scores: 4 items, 3 positive; AUC 0.6667. Positive is predicted where the score is at least the threshold.
    """

    kind = "threshold_table"

    frame: pl.DataFrame
    system: str
    auc: float
    #: All thresholds, of which those in the frame may be some.
    scores: Floats
    warnings: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What the command line says on stderr."""
        return self.warnings

    def __repr__(self) -> str:
        return f"<ThresholdTable of {self.system}: {number_of('threshold', self.frame.height)}>"

    def to_frame(self) -> pl.DataFrame:
        """One row a threshold; the first one is infinite."""
        return self.frame


def threshold_table(
    y_true: Any,
    y_score: Any = None,
    *,
    pos_label: Any = None,
    sample_weight: Any = None,
    system: str | None = None,
    rows: int | None = None,
) -> ThresholdTable:
    """Count the decisions that every threshold makes; `rows`: only so many of them, evenly spaced.

    >>> threshold_table([1, 0], [0.9, 0.1]).frame["tpr"].to_list()
    [0.0, 1.0, 1.0]
    """
    scores = only_one(scored_systems(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight, system=system))
    frame = table_frame(scores.scored)
    every, total = frame["threshold"].to_numpy(), frame.height
    if rows is not None and total > Whole(2).check("rows", rows):
        frame = frame[np.unique(np.linspace(0, total - 1, rows).round().astype(np.int64))]
    return ThresholdTable(frame, scores.name, float(AUC.of(scores.scored)[0]), every, warnings_of([scores]))


def table_frame(scored: Scored) -> pl.DataFrame:
    """The cells, rates and accuracy at each threshold; null where a rate is undefined.

    >>> table_frame(Scored.from_lists([0.9], [0.1]))["accuracy"].to_list()
    [0.5, 1.0, 0.5]
    """
    cells = Candidates(scored).cells
    frame = scored.table.to_frame().with_columns(accuracy=pl.Series(cells.accuracy))
    return frame.with_columns(pl.col("tpr", "fpr", "accuracy").fill_nan(None))


#: What other data are called that come from no file.
_ELSEWHERE = "the other data"


def choose_threshold(
    y_true: Any,
    y_score: Any = None,
    *,
    rule: str | Rule = "youden",
    pos_label: Any = None,
    sample_weight: Any = None,
    system: str | None = None,
    judged_on: Any = None,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    **parameters: Unpack[RuleParameters],
) -> ChosenThreshold:
    """Choose the score from which on positive is predicted, by a rule.

    `y_true` is the truth, with `y_score`, one score an item; or `Predictions`, `Scored` or the path of a file with
    scores (`system` says which one of several). `rule` is a name or a text such as "max_f(beta=2)"; parameters may also
    be given by themselves, as in `rule="max_tpr_given_tnr", tnr=0.95`. Thresholds are scores that occur, and infinity.

    Of several thresholds with the same criterion the highest is taken; what differs by rounding only is the same. (Of
    those with the same criterion under a bound such as TNR >= 0.9, first those count that have most of what is
    bounded.) `judged_on`: other data, in the same shapes or as a pair of y_true and y_score, to judge the chosen
    threshold on; without, there is a warning. `resamples`, drawn with `seed`, give the intervals; 0 for none.

    >>> choose_threshold([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.1], rule="max_tpr_given_tnr", tnr=0.9).threshold
    0.8
    """
    refuse_unknown(parameters, choose_threshold, parse_rule(rule).definition.domains)
    wanted = parse_rule(rule, **parameters)
    found = thresholds(
        y_true, y_score, [wanted], pos_label=pos_label, sample_weight=sample_weight, system=system,
        judged_on=judged_on, confidence=confidence, resamples=resamples, seed=seed,
    )  # fmt: skip
    return found[wanted]


def thresholds(
    y_true: Any,
    y_score: Any = None,
    rules: Iterable[str | Rule] | None = None,
    *,
    pos_label: Any = None,
    sample_weight: Any = None,
    system: str | None = None,
    judged_on: Any = None,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    watch: Callable[[int], None] | None = None,
) -> Thresholds:
    """Choose thresholds by several rules at once, in one pass over the scores.

    Without `rules`: those that need nothing said, and those with a bound, which is 0.9. The other parameters are those
    of `choose_threshold`; `watch` is called with the number of resamples that were drawn since.

    >>> thresholds([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.1], resamples=0)["youden"].threshold
    0.8
    """
    wanted = _asked(DEFAULT_RULES if rules is None else rules)
    given = only_one(scored_systems(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight, system=system))
    other = None if judged_on is None else _other(judged_on, given)
    made = Made(
        given.name,
        given.positive,
        given.scored.positives + given.scored.negatives,
        checked_confidence(confidence),
        Whole(0).check("resamples", resamples),
        Whole(0).check("seed", seed),
        None if other is None else other.origin or _ELSEWHERE,
    )
    candidates = Candidates(given.scored)
    choices = [chosen(rule, candidates) for rule in wanted]
    samples: list[Drawn | None] = [None] * len(wanted)
    if made.resamples:
        samples = [*redrawn(wanted, choices, candidates, resamples=made.resamples, seed=made.seed, watch=watch)]
    results = [
        _chosen(rule, choice, sample, candidates, made)
        for rule, choice, sample in zip(wanted, choices, samples, strict=True)
    ]
    warnings = [*warnings_of([given, *([] if other is None else [other])])]
    if other is not None:
        results = _judged(results, other, made)
        if both := _shared(given, other):
            items = number_of("item", both)
            warnings.append(f"{items} in both data: what is judged there is not independent of the choice")
    elif any(choice.is_chosen and not choice.rule.is_given for choice in results):
        correct = " (the corrected value allows for that)" if made.resamples else ""
        warnings.append(
            "chosen and judged on the same data: on new data the criterion will be worse"
            f"{correct}; {argument('judged_on')} takes other data"
        )
    return Thresholds(tuple(results), made, tuple(warnings))


def _asked(rules: Any) -> list[Rule]:
    """The rules, each once."""
    several = [rules] if isinstance(rules, str | Rule) else rules
    if not isinstance(several, Iterable):
        raise ParameterError(f"rules are given by name, such as ['youden', 'max_f(beta=2)'], not {rules!r}")
    wanted = [*dict.fromkeys(parse_rule(text) for text in several)]
    if not wanted:
        raise ParameterError("no rule is asked for: give one at least, or none of the parameter for the usual ones")
    return wanted


def _other(judged_on: Any, system: ScoredSystem) -> ScoredSystem | None:
    """The other data, of several systems the one with the same name; None if they are the same data."""
    systems = scored_systems(judged_on, pos_label=system.positive)
    other = only_one([candidate for candidate in systems if candidate.name == system.name] or systems)
    names = ("positive", "negative", "positive_weight", "negative_weight")
    is_same = all(np.array_equal(getattr(system.scored, name), getattr(other.scored, name)) for name in names)
    return None if is_same else other


def _shared(system: ScoredSystem, other: ScoredSystem) -> int:
    """How many of the other's items are the one's, too, by their ids."""
    if system.item_id is None or other.item_id is None:
        return 0
    return int(other.item_id.is_in(system.item_id.implode()).sum())


def _chosen(
    rule: Rule, choice: RuleChoice, sample: Drawn | None, candidates: Candidates, made: Made
) -> ChosenThreshold:
    """What was chosen, what it counts on the data it was chosen on, and what resamples say of both."""
    column, level, none = candidates.threshold, made.confidence, Interval.unknown(made.confidence)
    threshold = math.nan if choice.place < 0 else float(column[choice.place])
    if rule.is_given:
        threshold = float(rule.parameters["threshold"])
    result = ChosenThreshold(
        rule=rule,
        threshold=threshold,
        value=choice.value,
        confusion=candidates.scored.at(math.inf if math.isnan(threshold) else threshold),
        tied=tuple(column[choice.tied].tolist()),
        interval=none,
        value_interval=none,
        corrected=math.nan,
        kept=math.nan,
        scores=column,
        undefined=choice.undefined,
        made=made,
    )
    if sample is None or not result.is_chosen:
        return result
    of_value = _interval(sample.fixed, level)
    if rule.is_given:
        return replace(result, value_interval=of_value)
    too_good = optimism(sample)
    least, most = rule.definition.bounds
    low, high = (min(max(end - too_good, least), most) for end in (of_value.low, of_value.high))
    return replace(
        result,
        interval=interval_of_threshold(sample, column, level),
        # The interval of this very threshold, moved by what choosing it has gained: simulations favour that over the
        # spread of what each resample finds best, which lies too high altogether.
        value_interval=of_value._replace(low=low, high=high),
        corrected=min(max(choice.value - too_good, least), most),
        kept=math.nan if sample.kept is None else float(sample.kept.mean()),
    )


def _judged(results: Sequence[ChosenThreshold], other: ScoredSystem, made: Made) -> list[ChosenThreshold]:
    """The same judged on other data, with a warning if a rule's bound does not hold there."""
    candidates = Candidates(other.scored)
    places = [np.array([candidates.place(result.threshold)]) for result in results]
    samples: list[list[Floats]] = [[] for _ in results]
    for block in candidates.drawn(made.resamples, made.seed):
        for result, place, values in zip(results, places, samples, strict=True):
            values.append(result.rule.of(block.cells(place)).value[:, 0])
    judged = []
    for result, values in zip(results, samples, strict=True):
        if not result.is_chosen:
            judged.append(result)
            continue
        confusion = other.scored.at(result.threshold)
        cells = ThresholdCells.of(confusion)
        wanted = result.rule.of(cells)
        bound, value, warnings = wanted.bound, float(wanted.value[0]), []
        if math.isnan(value) or (bound is not None and math.isnan(bound.quantity[0])):
            why = reason(wanted, cells)
            warnings.append(f"{result.rule}: how good it is on {made.judged_on} cannot be told: {why}")
        elif bound is not None and not bound.kept()[0]:
            there = f"it is {bound.quantity[0]:.6g} there"
            warnings.append(f"{result.rule}: {bound} does not hold on {made.judged_on}: {there}")
        interval = _interval(np.concatenate(values), made.confidence) if values else result.value_interval
        judged.append(
            replace(result, confusion=confusion, value=value, value_interval=interval, corrected=math.nan,
                    warnings=tuple(warnings))
        )  # fmt: skip
    return judged


def _interval(samples: Floats, confidence: float) -> Interval:
    """Where the middle of the resamples lies; unknown if all give the same, which is not to say that it is certain."""
    known = samples[~np.isnan(samples)]
    return percentiles(known, confidence) if len(known) and np.ptp(known) > 0 else Interval.unknown(confidence)
