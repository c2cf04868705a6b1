"""The verbs on thresholds: a table of all, a threshold by a rule, and several rules side by side."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np
import polars as pl

from assay.core.arguments import argument
from assay.core.domains import Whole
from assay.core.errors import ParameterError, number_of, refuse_unknown
from assay.core.results import Result
from assay.measures.counting.judgments import Floats
from assay.measures.counting.scored import Scored
from assay.measures.score_curves import AUC
from assay.stats.bootstrap import Interval, percentiles
from assay.stats.confidence import checked_confidence
from assay.subjects.labels.thresholds.candidates import Candidates, ThresholdCells
from assay.subjects.labels.thresholds.inputs import ScoredSystem, only_one, scored_systems, warnings_of
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
from assay.subjects.labels.thresholds.rules import DEFAULT_RULES, Rule, RuleParameters, parse_rule


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
