"""`thresholds`: scores beside the truth in whatever shape -> the threshold that each rule chooses."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Unpack

import numpy as np
import polars as pl

from assay.core.domains import Whole
from assay.core.errors import ParameterError, argument, number_of, refuse_unknown
from assay.core.options import Sampling
from assay.measures.counting.judgments import Floats, Ints, Mask
from assay.measures.counting.scored import Scored
from assay.measures.score_curves import AUC
from assay.stats.bootstrap import Interval, percentiles
from assay.stats.estimates import ROUNDING, checked_confidence
from assay.subjects.labels.inputs import ScoredSystem, ScoreInputs, only_system, scored_systems, warnings_of
from assay.subjects.labels.measurement import mean_of_known
from assay.subjects.labels.thresholds.candidates import Candidates, ThresholdCells
from assay.subjects.labels.thresholds.groups import GROUP, groups_of
from assay.subjects.labels.thresholds.result import ChoiceSettings, ChosenThreshold, Thresholds, ThresholdTable
from assay.subjects.labels.thresholds.rules import DEFAULT_RULES, Objective, Rule, parse_rule


class ChoiceOptions(ScoreInputs, Sampling, total=False):
    """Arguments of choosing by one rule: the options of `thresholds`."""

    judged_on: Any
    groups: Any


def _kept(groups: Any) -> dict[str, str | None] | None:
    """The column of a file to keep."""
    return {GROUP: groups} if isinstance(groups, str) else None


def threshold_table(
    y_true: Any, y_score: Any = None, *, rows: int | None = None, **inputs: Unpack[ScoreInputs]
) -> ThresholdTable:
    """Count the decisions that every threshold makes; `rows`: only so many of them, evenly spaced.

    >>> threshold_table([1, 0], [0.9, 0.1]).frame["tpr"].to_list()
    [0.0, 1.0, 1.0]
    """
    scores = only_system(scored_systems(y_true, y_score, **inputs))
    frame = table_frame(scores.scored)
    every = frame["threshold"].to_numpy()
    total = frame.height
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


class Drawn(NamedTuple):
    """Choices of a rule in resamples (place), the criterion there, and that threshold on all items as they are.

    `fixed` is the criterion of the threshold that was chosen on all items, in each resample; `kept` says whether what
    was chosen in a resample keeps the rule's bound on all items, if it has one.
    """

    place: Ints
    value: Floats
    on_all: Floats
    fixed: Floats
    kept: Mask | None


def best_places(rule: Rule, candidates: Candidates) -> Ints:
    """The places of the thresholds with the best criterion, the highest first, which is the one to choose.

    >>> from assay.measures.counting.scored import Scored
    >>> from assay.subjects.labels.thresholds.rules import max_accuracy
    >>> best_places(max_accuracy, Candidates(Scored.from_lists(positive=[0.9, 0.8], negative=[0.7])))
    array([2])
    """
    wanted = rule.of(candidates.cells)
    if rule.is_given:
        return np.array([candidates.place(rule.parameters["threshold"])])
    return np.flatnonzero(_best(wanted, rule.definition.smallest))


def _best(wanted: Objective, smallest: bool) -> Mask:
    """The thresholds with the best criterion; of those with the same, the ones that have most of what is bounded.

    Two numbers that differ by rounding are the same.
    """
    value = wanted.eligible()
    best = _largest(-value if smallest else value, wanted.scale)
    if wanted.bound is not None and not wanted.bound.at_most:
        best = _largest(np.where(best, wanted.bound.quantity, np.nan), 1.0)
    return best


def _largest(value: Floats, scale: float) -> Mask:
    """Places of the largest of the numbers, by row; nowhere, if there are none."""
    return np.asarray(value >= np.fmax.reduce(value, axis=-1, keepdims=True) - ROUNDING * scale)


def reason(wanted: Objective, cells: ThresholdCells) -> str:
    """The reason why no threshold can be chosen."""
    bound = wanted.bound
    cannot = np.isnan(wanted.value).all() or not np.any(wanted.possible)
    if bound is not None and not cannot and not np.isnan(bound.quantity).all():
        return f"no threshold has {bound}: {np.nanmax(bound.quantity):.6g} is the most"
    for kind in ("positive", "negative") if cannot or bound is not None else ():
        if not np.any(getattr(cells, f"{kind}s") > 0):
            return f"there is no {kind} item"
    return "the criterion is undefined"


def redrawn(rules: Sequence[Rule], taken: Ints, candidates: Candidates, *, resamples: int, seed: int) -> list[Drawn]:
    """Choose again with items drawn anew; all rules see the same resamples. `taken`: what they chose on all items."""
    observed = [rule.of(candidates.cells) for rule in rules]
    every = np.arange(len(candidates.threshold))
    among = [candidates.corners if wanted.corners else every for wanted in observed]
    among = [taken[[at]] if rule.is_given else among[at] for at, rule in enumerate(rules)]
    distinct = {id(places): places for places in among}  # most rules look at the same thresholds
    places, values, fixed = [], [], []
    for block in candidates.drawn(resamples, seed):
        tables = {key: block.cells(some) for key, some in distinct.items()}
        again = [_chosen_again(rule, tables[id(some)], some) for rule, some in zip(rules, among, strict=True)]
        places.append(block.occurring(np.column_stack([place for place, _ in again])))
        values.append(np.column_stack([value for _, value in again]))
        there = [rule.of(block.cells(taken[[at]])).value for at, rule in enumerate(rules)]
        fixed.append(np.where(taken >= 0, np.column_stack(there), np.nan))
    columns = (np.concatenate(column).T for column in (places, values, fixed))
    samples = []
    for wanted, place, value, at_chosen in zip(observed, *columns, strict=True):
        on_all = np.where(place >= 0, wanted.value[place], np.nan)
        kept = None if wanted.bound is None else wanted.bound.kept()[place] & (place >= 0)
        samples.append(Drawn(place, value, on_all, at_chosen, kept))
    return samples


def _chosen_again(rule: Rule, cells: ThresholdCells, among: Ints) -> tuple[Ints, Floats]:
    """The place that a rule chooses in each resample, of these, and the criterion there."""
    wanted = rule.of(cells)
    rows = np.arange(len(cells.tp))
    best = _best(wanted, rule.definition.smallest)
    column = best.argmax(axis=1)
    known = best[rows, column]
    return np.where(known, among[column], -1), np.where(known, wanted.value[rows, column], np.nan)


def interval_of_threshold(sample: Drawn, threshold: Floats, confidence: float) -> Interval:
    """The middle of the thresholds chosen in resamples; both ends are scores that occur, or infinity."""
    known = np.sort(threshold[sample.place[sample.place >= 0]])
    if not len(known):
        return Interval.unknown(confidence, "percentile")
    tails = np.array([(1 - confidence) / 2, (1 + confidence) / 2])
    low, high = known[np.clip(np.ceil(tails * len(known)).astype(int) - 1, 0, len(known) - 1)]
    return Interval(float(low), float(high), confidence, "percentile")


def optimism(sample: Drawn) -> float:
    """The advantage of a criterion on the items it was chosen on over others, on average over resamples.

    A threshold is chosen on each resample and looked at there and on all items (Efron and Gong 1983).
    """
    return mean_of_known(sample.value - sample.on_all)


#: What other data are called that come from no file.
_ELSEWHERE = "the other data"


def choose_threshold(
    y_true: Any, y_score: Any = None, *, rule: str | Rule = "youden", **options: Unpack[ChoiceOptions]
) -> ChosenThreshold:
    """Choose the score from which on positive is predicted, by a rule.

    `y_true` is the truth, with `y_score`, one score an item; or `Predictions`, `Scored` or the path of a file with
    scores (`system` says which one of several). `rule` is a name or a text such as "max_f(beta=2)". Thresholds are
    scores that occur, and infinity.

    Of several thresholds with the same criterion the highest is taken; what differs by rounding only is the same. (Of
    those with the same criterion under a bound such as TNR >= 0.9, first those count that have most of what is
    bounded.) `judged_on`: other data, in the same shapes or as a pair of y_true and y_score, to judge the chosen
    threshold on; without, there is a warning. `resamples`, drawn with `seed`, give the intervals; 0 for none.

    >>> choose_threshold([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.1], rule="max_tpr_given_tnr(0.9)").threshold
    0.8
    """
    wanted = parse_rule(rule)
    if inside := {name: value for name, value in options.items() if name in wanted.definition.domains}:
        instead = argument("rule", str(wanted(**inside)))
        raise ParameterError(f"unknown argument {next(iter(inside))!r}: parameters stand in the rule: say {instead}")
    refuse_unknown(options, thresholds, ScoreInputs.__annotations__)
    return thresholds(y_true, y_score, [wanted], **options)[wanted]


def thresholds(
    y_true: Any,
    y_score: Any = None,
    rules: Iterable[str | Rule] | None = None,
    *,
    judged_on: Any = None,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    groups: Any = None,
    **inputs: Unpack[ScoreInputs],
) -> Thresholds:
    """Choose thresholds by several rules at once, in one pass over the scores.

    Without `rules`: those that need nothing said, and those with a bound, which is 0.9. The other parameters are those
    of `choose_threshold`.

    `groups`: which items belong together, such as those of one query: a value per item, or the column of a file that
    holds it. Resamples then draw whole groups, so that intervals allow for items of a group being alike.

    >>> thresholds([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.1], resamples=0)["youden"].threshold
    0.8
    """
    wanted = _asked(DEFAULT_RULES if rules is None else rules)
    system = only_system(scored_systems(y_true, y_score, **inputs, keep=_kept(groups)))
    grouped = groups_of(system, groups)
    other = None if judged_on is None else _other(judged_on, system, groups)
    settings = ChoiceSettings(
        system.name,
        system.positive,
        system.scored.positives + system.scored.negatives,
        system.scored.positives,
        checked_confidence(confidence),
        Whole(0).check("resamples", resamples),
        Whole(0).check("seed", seed),
        None if other is None else other.origin or _ELSEWHERE,
        None if grouped is None else grouped.number,
    )
    candidates = Candidates(system.scored, grouped)
    places = [best_places(rule, candidates) for rule in wanted]
    samples: Sequence[Drawn | None] = [None] * len(wanted)
    if settings.resamples:
        taken = np.array([int(best[0]) if len(best) else -1 for best in places])
        samples = redrawn(wanted, taken, candidates, resamples=settings.resamples, seed=settings.seed)
    results = [
        _chosen(rule, best, sample, candidates, settings)
        for rule, best, sample in zip(wanted, places, samples, strict=True)
    ]
    warnings = [*warnings_of([system, *([] if other is None else [other])])]
    if other is not None:
        results = _judged(results, other, settings, groups)
        if both := _shared(system, other):
            items = number_of("item", both)
            warnings.append(f"{items} in both data sets: the judgment is not independent of the choice")
    elif any(choice.is_chosen and not choice.rule.is_given for choice in results):
        correct = " (the corrected value allows for that)" if settings.resamples else ""
        warnings.append(
            "chosen and judged on the same data: on new data the criterion will be worse"
            f"{correct}; {argument('judged_on')} takes other data"
        )
    chosen = (replace(choice, warnings=(*warnings, *choice.warnings)) for choice in results)
    return Thresholds(tuple(chosen), settings)


def _asked(rules: Any) -> list[Rule]:
    """The rules, each once."""
    several = rules if isinstance(rules, Iterable) and not isinstance(rules, str) else [rules]
    wanted = [*dict.fromkeys(parse_rule(text) for text in several)]
    if not wanted:
        raise ParameterError("expected at least one rule, got none: leave rules out for the usual ones")
    return wanted


def _other(judged_on: Any, system: ScoredSystem, groups: Any) -> ScoredSystem | None:
    """The other data, of several systems the one with the same name; None if they are the same data."""
    if groups is not None and not isinstance(groups, str):
        raise ParameterError("groups as values are of one data set: name a column of both to judge on another")
    systems = scored_systems(judged_on, pos_label=system.positive, keep=_kept(groups))
    other = only_system([candidate for candidate in systems if candidate.name == system.name] or systems)
    names = ("positive", "negative", "positive_weight", "negative_weight")
    is_same = all(np.array_equal(getattr(system.scored, name), getattr(other.scored, name)) for name in names)
    return None if is_same else other


def _shared(system: ScoredSystem, other: ScoredSystem) -> int:
    """The number of the other's items that are the one's, too, by their ids."""
    held, others = system.predictions, other.predictions
    if held is None or others is None or not (held.has_ids and others.has_ids):
        return 0
    return int(others.item_id.is_in(held.item_id.implode()).sum())


def _chosen(
    rule: Rule, places: Ints, sample: Drawn | None, candidates: Candidates, settings: ChoiceSettings
) -> ChosenThreshold:
    """The choice, its counts on the data it was chosen on, and the say of resamples on both."""
    column = candidates.threshold
    level = settings.confidence
    none = Interval.unknown(settings.confidence)
    wanted = rule.of(candidates.cells)
    threshold = math.nan
    value = math.nan
    if len(places):
        threshold = float(column[places[0]])
        value = float(wanted.value[places[0]])
    if rule.is_given:
        threshold = float(rule.parameters["threshold"])
    result = ChosenThreshold(
        rule=rule,
        threshold=threshold,
        value=value,
        confusion=candidates.scored.at(math.inf if math.isnan(threshold) else threshold),
        tied=tuple(column[places[1:]].tolist()),
        interval=none,
        value_interval=none,
        corrected=math.nan,
        kept=math.nan,
        scores=column,
        undefined=reason(wanted, candidates.cells) if math.isnan(value) else None,
        settings=settings,
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
        corrected=min(max(value - too_good, least), most),
        kept=math.nan if sample.kept is None else float(sample.kept.mean()),
    )


def _judged(
    results: Sequence[ChosenThreshold], other: ScoredSystem, settings: ChoiceSettings, groups: Any
) -> list[ChosenThreshold]:
    """The same judged on other data, with a warning if a rule's bound does not hold there."""
    candidates = Candidates(other.scored, groups_of(other, groups))
    places = [np.array([candidates.place(result.threshold)]) for result in results]
    samples: list[list[Floats]] = [[] for _ in results]
    for block in candidates.drawn(settings.resamples, settings.seed):
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
        bound = wanted.bound
        value = float(wanted.value[0])
        warnings = []
        if math.isnan(value) or (bound is not None and math.isnan(bound.quantity[0])):
            why = reason(wanted, cells)
            warnings.append(f"{result.rule}: its criterion is undefined on {settings.judged_on}: {why}")
        elif bound is not None and not bound.kept()[0]:
            there = f"it is {bound.quantity[0]:.6g} there"
            warnings.append(f"{result.rule}: {bound} does not hold on {settings.judged_on}: {there}")
        interval = _interval(np.concatenate(values), settings.confidence) if values else result.value_interval
        judged.append(
            replace(result, confusion=confusion, value=value, value_interval=interval, corrected=math.nan,
                    warnings=tuple(warnings))
        )  # fmt: skip
    return judged


def _interval(samples: Floats, confidence: float) -> Interval:
    """The middle of the resamples; unknown if all give the same, which is not to say that it is certain."""
    known = samples[~np.isnan(samples)]
    return percentiles(known, confidence) if len(known) and np.ptp(known) > 0 else Interval.unknown(confidence)
