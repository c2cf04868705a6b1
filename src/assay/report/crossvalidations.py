"""Cross-validations for people: the mean of folds beside the pooled number, the spread, the gap; fold by fold."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import polars as pl

from assay.core.digits import as_level, bracketed, number, p_phrase, signed, significant
from assay.core.errors import number_of, of_kind
from assay.measures.spoken import called
from assay.report.estimates import best
from assay.report.layout import Cell, Table, as_json
from assay.report.titled import Titled

if TYPE_CHECKING:
    from assay.crossvalidation import CrossValidation, LeakageCheck, Nested

JSON_SCHEMA_VERSION = 1


def tables(result: CrossValidation) -> list[Titled]:
    """The measures of all systems, then each fold if asked for."""
    shown = [Titled("", _summary(result))]
    if result.shows_folds:
        for system in result.systems:
            title = f"{system.name}: each fold" if len(result.systems) > 1 else "each fold"
            shown.append(Titled(title, _each_fold(result, system.name)))
    return shown


def _summary(result: CrossValidation) -> Table:
    several, percent = len(result.systems) > 1, f"{as_level(result.confidence)} interval"
    looked = any(system.train for system in result.systems)
    ends = any(
        result.interval(measure, system.name).is_known for measure in result.measures for system in result.systems
    )
    rows = []
    for measure in result.measures:
        means = [result.mean(measure, system.name) for system in result.systems]
        top = best(means, measure.definition.higher_is_better)
        for place, system in enumerate(result.systems):
            names = (called(measure, result.task.kind),) + ((system.name,) if several else ())
            values = result.values(measure, system.name)
            known = [one for one in values.tolist() if not math.isnan(one)]
            interval = result.interval(measure, system.name)
            cells = [Cell(number(means[place]), means[place] == top)]
            if ends:
                cells.append(Cell(bracketed(interval.low, interval.high) if interval.is_known else "–"))
            if len(result.folds) > 1:
                cells += [Cell(_or_dash(result.spread(measure, system.name)))]
                cells += [Cell(_or_dash(min(known, default=math.nan))), Cell(_or_dash(max(known, default=math.nan)))]
            if result.is_pooled:
                cells.append(Cell(number(result.pooled(measure, system.name))))
            if looked:
                learned = result.train_values(measure, system.name)
                mean = [one for one in learned.tolist() if not math.isnan(one)]
                cells.append(Cell(_or_dash(sum(mean) / len(mean) if mean else math.nan)))
                cells.append(Cell(_signed(result.optimism(measure, system.name))))
            rows.append((names, tuple(cells)))
    columns = ["mean of folds" if len(result.folds) > 1 else "value", *([percent] if ends else [])]
    columns += ["sd", "min", "max"] if len(result.folds) > 1 else []
    columns += ["pooled"] if result.is_pooled else []
    columns += ["on training items", "optimism"] if looked else []
    return Table(("measure", "system")[: 2 if several else 1], tuple(columns), tuple(rows))


def _each_fold(result: CrossValidation, system: str) -> Table:
    names = ("repeat", "fold") if result.repeats > 1 else ("fold",)
    columns = [result.values(measure, system) for measure in result.measures]
    rows = [
        (
            (str(fold.repeat), str(fold.fold))[-len(names) :],
            (
                Cell(f"{fold.train_items:,}"),
                Cell(f"{fold.test_items:,}"),
                *(Cell(number(float(values[place]))) for values in columns),
            ),
        )
        for place, fold in enumerate(result.folds)
    ]
    measures = (called(measure, result.task.kind) for measure in result.measures)
    return Table(names, ("learned from", "tested", *measures), tuple(rows))


def _or_dash(value: float) -> str:
    return "–" if math.isnan(value) else number(value)


def _signed(value: float) -> str:
    return "–" if math.isnan(value) else signed(value)


def lines(result: CrossValidation) -> list[str]:
    """What is undefined, what the numbers are, how items were split."""
    return [*_undefined(result), *_basis(result), *result.notes]


def _undefined(result: CrossValidation) -> Iterator[str]:
    for system in result.systems:
        of = f" of {system.name}" if len(result.systems) > 1 else ""
        for measure in result.measures:
            values, reasons, left_out = system.values[measure]
            missing = [reason for value, reason in zip(values.tolist(), reasons, strict=True) if math.isnan(value)]
            if missing:
                where = (
                    "every fold"
                    if len(missing) == len(values)
                    else f"{len(missing)} of {number_of('fold', len(values))}"
                )
                rest = "" if len(missing) == len(values) else "; the mean is that of the others"
                known = dict.fromkeys(reason for reason in missing if reason)
                why = f": {', or '.join(known)}" if known else ""
                yield f"{called(measure, result.task.kind)}{of} is undefined in {where}{why}{rest}."
            if without := [labels for labels in left_out if labels]:
                absent = of_kind("class", list(dict.fromkeys(name for labels in without for name in labels)))
                where = f"{len(without)} of {number_of('fold', len(values))}"
                yield f"{called(measure, result.task.kind)}{of} leaves out {absent} in {where}, where it is undefined."


def _basis(result: CrossValidation, *, optimism: bool = True) -> Iterator[str]:
    yield _splits(result)
    if result.tiny:
        yield (
            f"A fold is {number_of('item', max(one.test_items for one in result.folds))}, of which most measures say "
            "nothing: read the pooled numbers."
        )
    if result.is_pooled:
        of = ", the mean of each repeat's" if result.repeats > 1 else ""
        yield (
            "Mean of folds: the measure on the tested items of each fold, averaged. "
            f"Pooled: one number for all out-of-fold predictions together{of}."
        )
    yield from _intervals(result)
    if optimism and any(system.train for system in result.systems):
        yield "Optimism: how much better models look on the items that they learned from."


def _splits(result: CrossValidation) -> str:
    predictions = result.systems[0].predictions
    tested = predictions.item_id.n_unique()
    often = "" if tested == len(predictions) else f" {len(predictions):,} times in all"
    positive = f", positive is {result.task.positive}" if result.task.positive is not None else ""
    return (
        f"{result.says}; {number_of('item', tested)} tested{often}, "
        f"{number_of('label', len(result.task.labels))}{positive}."
    )


def _intervals(result: CrossValidation) -> Iterator[str]:
    freedom = {
        result.known_folds(measure, system.name) - 1
        for measure in result.measures
        for system in result.systems
        if result.interval(measure, system.name).is_known
    }
    if freedom:
        least, most = min(freedom), max(freedom)
        degrees = (
            f"{number_of('degree', most)} of freedom"
            if least == most
            else f"{least} to {most} degrees of freedom (one less than folds with a number)"
        )
        yield (
            f"Intervals of the mean of folds: corrected resampled t, {degrees}, since "
            f"folds share what they learn from (tested to learned: {number(result.test_share, 3)})."
        )


def to_json(result: CrossValidation) -> str:
    """Everything that is known, numbers in full, null where there is none."""
    return as_json(told_of(result))


def told_of(result: CrossValidation) -> dict[str, Any]:
    """Everything that is known, as plain data."""
    rows, folds = result.to_frame().to_dicts(), result.per_fold().to_dicts()
    positive = result.task.positive
    return {
        "schema_version": JSON_SCHEMA_VERSION,
        "task": result.task.kind,
        "labels": list(result.task.labels),
        "positive": positive,
        "splits": result.says,
        "seed": result.seed,
        "confidence": result.confidence,
        "test_share": result.test_share,
        "notes": list(result.notes),
        "warnings": list(result.warnings),
        "folds": [one._asdict() for one in result.folds],
        "systems": [
            {
                "name": system.name,
                "measures": [_without(row, "system") for row in rows if row["system"] == system.name],
                "folds": [_without(row, "system") for row in folds if row["system"] == system.name],
            }
            for system in result.systems
        ],
    }


def _without(row: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key != name}


def nested_tables(result: Nested) -> list[Titled]:
    """The measures, nested and not, and what each fold chose."""
    rows = []
    for measure in result.measures:
        interval = result.outer.interval(measure)
        cells = {
            "nested": number(result.mean(measure)),
            f"{as_level(result.outer.confidence)} interval": (
                bracketed(interval.low, interval.high) if interval.is_known else "–"
            ),
            "pooled": number(result.pooled(measure)),
            "not nested": number(result.not_nested.mean(measure)),
        }
        if result.outer.tiny:
            cells = {"nested, pooled": cells["pooled"], "not nested, pooled": number(result.not_nested.pooled(measure))}
        elif not result.outer.is_pooled:
            del cells["pooled"]
        cells |= {"optimism": _signed(result.optimism(measure))}
        rows.append(((called(measure, result.outer.task.kind),), tuple(map(Cell, cells.values()))))
    measures = Table(("measure",), tuple(cells), tuple(rows))
    shown = result.chosen if result.outer.repeats > 1 else result.chosen.drop("repeat")
    if "threshold" in shown.columns and result.is_threshold:
        shown = shown.with_columns(
            pl.col("threshold").map_elements(lambda one: significant(one, 4), return_dtype=pl.String)
        )
    return [Titled("", measures), Titled("chosen in each fold", Table.of(shown))]


def nested_lines(result: Nested) -> list[str]:
    """What nested means, and how items were split."""
    return [
        f"Chosen: {result.says}; tested on the items of the outer folds.",
        "Not nested: chosen and tested by the same folds, which mostly flatters.",
        *([] if result.outer.tiny else _undefined(result.outer)),
        *_basis(result.outer, optimism=False),
        *result.outer.notes,
    ]


def nested_to_json(result: Nested) -> str:
    """Both cross-validations and the choices, numbers in full."""
    told = {
        "schema_version": JSON_SCHEMA_VERSION,
        "chosen_by": result.says,
        "chosen": result.chosen.to_dicts(),
        "measures": result.to_frame().to_dicts(),
        "nested": told_of(result.outer),
        "not_nested": told_of(result.not_nested),
    }
    return as_json(told)


def leakage_tables(check: LeakageCheck) -> list[Titled]:
    """The number with real labels, with permuted ones, and by chance."""
    cells = (check.real, float(check.permuted.mean()), float(check.chance.mean()))
    row = ((str(check.measure),), tuple(Cell(number(value)) for value in cells))
    what = "pooled" if check.is_pooled else "mean of folds"
    return [Titled("", Table((what,), ("real labels", "permuted labels", "chance"), (row,)))]


def leakage_lines(check: LeakageCheck) -> list[str]:
    """Whether labels have leaked, and whether anything is learned."""
    if not (check.leaks or check.is_fine):
        return ["Cannot tell whether labels leak: predictions that are dealt out anew give the same numbers, or none."]
    how = f"({p_phrase(check.p)}, {number_of('permutation', len(check.permuted))}, seed {check.seed})"
    if check.leaks:
        first = f"Leak: permuted labels are predicted better than by chance {how}."
        return [first, "Whatever looked at labels before items were split has to be done inside each fold."]
    return [
        f"No leak seen: permuted labels are predicted no better than by chance {how}.",
        f"Permuted labels did as well as the real ones with {p_phrase(check.p_real)}.",
    ]
