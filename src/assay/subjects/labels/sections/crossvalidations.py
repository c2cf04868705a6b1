"""Documents of cross-validations: mean of folds beside pooled number, the gap; nested ones; comparisons; leaks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING, Any

import polars as pl

from assay.core.digits import as_level, number
from assay.core.errors import listed, number_of, of_kind
from assay.core.words import CORRECTED_BY, TESTS
from assay.show.cells import best
from assay.show.data import as_data
from assay.show.model import Column, Document, Section, Table
from assay.verbs.sections.comparisons import verdicts_table
from assay.verbs.sections.estimates import DASH, end_of, prose_section, settings_of, whose
from assay.verbs.sections.sentences import of_finding

if TYPE_CHECKING:
    from assay.subjects.labels.crossvalidation.result import CrossValidation, FoldComparison, Nested
    from assay.subjects.labels.crossvalidation.validation import LeakageCheck


def document(result: CrossValidation) -> Document:
    """The measures of all systems, then each fold if asked for; and what they rest on."""
    each = tuple(_each_fold(result, system.name) for system in result.systems) if result.shows_folds else ()
    values = {"folds": [fold._asdict() for fold in result.folds], "values": result.per_fold().to_dicts()}
    settings = {"task": result.task.kind, "splits": result.says} | settings_of(result.task, "labels", "positive")
    settings |= settings_of(result, "seed", "confidence", "test_share", "warnings")
    sections = (
        Section("measures", parts=(_measures(result),)),
        Section("folds", parts=each, data=values),
        prose_section("basis", (*_undefined(result), *_basis(result)), settings),
        prose_section("notes", result.notes),
    )
    names = ", ".join(system.name for system in result.systems)
    return Document("cross-validation", sections, f"{names} over {number_of('fold', len(result.folds))}")


def _measures(result: CrossValidation) -> Table:
    """One row per measure and system: of each measure, the best system stands out."""
    rows: list[dict[str, Any]] = []
    tops = set()
    every = result.to_frame().partition_by("measure", maintain_order=True)
    for measure, systems in zip(result.measures, every, strict=True):
        means = systems["mean_of_folds"].fill_null(math.nan).to_list()
        top = best(means, end_of(measure))
        tops |= {(len(rows) + place, "mean_of_folds") for place, mean in enumerate(means) if mean == top}
        rows += [row | {"called": str(measure)} for row in systems.to_dicts()]
    frame = pl.DataFrame(rows, infer_schema_length=None)
    columns = [Column("called", "measure"), *([Column("system")] if len(result.systems) > 1 else [])]
    columns.append(Column("mean_of_folds", "mean of folds" if len(result.folds) > 1 else "value", "number"))
    if not frame["low"].is_null().all():
        columns.append(_interval("mean_of_folds", result))
    if len(result.folds) > 1:
        titles = {"spread": "sd", "smallest": "min", "largest": "max"}
        columns += [Column(name, title, "number", missing=DASH) for name, title in titles.items()]
    columns += [Column("pooled", kind="number")] if result.is_pooled else []
    if not frame["train"].is_null().all():
        columns += [Column("train", "on training items", "number", missing=DASH), _optimism()]
    return Table("measures", frame, tuple(columns), best=frozenset(tops))


def _interval(name: str, result: CrossValidation) -> Column:
    title = f"{as_level(result.confidence)} interval"
    return Column(name, title, "bracketed", ends=("low", "high"), missing=DASH)


def _optimism() -> Column:
    return Column("optimism", kind="number", signed=True, missing=DASH)


def _each_fold(result: CrossValidation, system: str) -> Table:
    keys = ("repeat", "fold", "train_items", "test_items")
    frame = result.per_fold(system=system).pivot("measure", index=keys, values="value")
    columns = (
        *([Column("repeat")] if result.repeats > 1 else []),
        Column("fold"),
        Column("train_items", "learned from", "count"),
        Column("test_items", "tested", "count"),
        *(Column(str(measure), str(measure), "number") for measure in result.measures),
    )
    return Table(system, frame, columns, f"{system}: each fold" if len(result.systems) > 1 else "each fold")


def _undefined(result: CrossValidation) -> Iterator[str]:
    """Measures, or parts of them, that have no number, and the reasons."""
    folds = number_of("fold", len(result.folds))
    for system, measure in product(result.systems, result.measures):
        numbers = system.numbers.filter(measure=str(measure))
        name = f"{measure}{whose(result, system.name)}"
        lacking = numbers.filter(pl.col("value").is_null())
        missing = lacking["undefined"]
        if len(missing):
            known = missing.drop_nulls().unique(maintain_order=True).to_list()
            why = f": {', or '.join(known)}" if known else ""
            some = len(missing) < len(numbers)
            where = f"{len(missing)} of {folds}" if some else "every fold"
            yield f"{name} is undefined in {where}{why}{_in_mean(lacking['taken'], some=some)}."
        without = numbers["left_out"].filter(numbers["left_out"].list.len() > 0)
        if len(without):
            absent = of_kind("class", without.explode().unique(maintain_order=True).to_list())
            yield f"{name} leaves out {absent} in {len(without)} of {folds}, where it is undefined."
        for (value,), part in numbers.filter(pl.col("counted_as").is_not_null()).group_by("counted_as"):
            absent = of_kind("class", part["counted"].explode().unique(maintain_order=True).to_list())
            yield f"{name} counts {absent} as {value:g} in {len(part)} of {folds}, where nothing is predicted so."


def _in_mean(taken: pl.Series, *, some: bool) -> str:
    """The number that the mean of folds takes for those without one; `some`: others have one."""
    counted = taken.drop_nulls()
    if not len(counted):
        return "; the mean is that of the others" if some else ""
    which = "them" if len(counted) == len(taken) else f"{len(counted)} of them"
    rest = "" if len(counted) == len(taken) else ", and leaves the rest out"
    return f"; the mean counts {which} as {counted[0]:g}{rest}"


def _basis(result: CrossValidation, *, optimism: bool = True) -> Iterator[str]:
    """The split of items, and the meaning of the numbers."""
    rows = result.systems[0].predictions
    tested = rows.item_id.n_unique()
    often = "" if tested == len(rows) else f" {len(rows):,} times in all"
    positive = f", positive is {result.task.positive}" if result.task.positive is not None else ""
    labels = number_of("label", len(result.task.labels))
    yield f"{result.says}; {number_of('item', tested)} tested{often}, {labels}{positive}."
    if result.tiny:
        items = number_of("item", max(fold.test_items for fold in result.folds))
        yield f"A fold has at most {items}, too few for most measures: read the pooled numbers."
    if result.is_pooled:
        repeats = ", the mean of each repeat's" if result.repeats > 1 else ""
        yield (
            "Mean of folds: the measure on the tested items of each fold, averaged. "
            f"Pooled: one number for all out-of-fold predictions together{repeats}."
        )
    if any(result.interval(measure, system.name).is_known for measure in result.measures for system in result.systems):
        yield (
            "Intervals of the mean of folds: corrected resampled t, since folds share what they learn from "
            f"(tested to learned: {number(result.test_share, 3)})."
        )
    if optimism and not all(system.numbers["train"].is_null().all() for system in result.systems):
        yield "Optimism: how much better models look on the items that they learned from."


def nested_document(result: Nested) -> Document:
    """The measures, nested and not, and what each fold chose; JSON has both cross-validations."""
    outer = result.outer
    lines = [
        f"Chosen: {result.says}; tested on the items of the outer folds.",
        "Not nested: chosen and tested on the same folds, which is mostly too optimistic.",
        *([] if outer.tiny else _undefined(outer)),
        *_basis(outer, optimism=False),
    ]
    both = {name: as_data(document(each)) for name, each in (("nested", outer), ("not_nested", result.not_nested))}
    kinds: dict[str, Any] = {"threshold": "significant"} if result.is_threshold else {}
    chosen = Table.of("chosen", result.chosen, "chosen in each fold", **kinds)
    if outer.repeats == 1:
        chosen = chosen.only(*(name for name in result.chosen.columns if name != "repeat"))
    sections = (
        Section("measures", parts=(_nested_measures(result),)),
        Section("chosen", parts=(chosen,)),
        prose_section("basis", lines, {"chosen_by": result.says} | both),
        prose_section("notes", outer.notes),
    )
    return Document("nested cross-validation", sections, f"{outer.systems[0].name}, nested")


def _nested_measures(result: Nested) -> Table:
    outer = result.outer
    if outer.tiny:
        titles = {"pooled": "nested, pooled", "not_nested_pooled": "not nested, pooled"}
        columns = [Column(name, title, "number") for name, title in titles.items()]
    else:
        columns = [Column("nested", kind="number"), _interval("nested", outer)]
        columns += [Column("pooled", kind="number")] if outer.is_pooled else []
        columns.append(Column("not_nested", "not nested", "number"))
    names = [str(measure) for measure in result.measures]
    frame = result.to_frame().with_columns(called=pl.Series(names))
    return Table("measures", frame, (Column("called", "measure"), *columns, _optimism()))


def fold_document(comparison: FoldComparison) -> Document:
    """Models compared over folds: verdicts, sentences, and what the test takes for granted."""
    findings, settings = comparison.findings, comparison.levels
    scope = (
        f"{comparison.says}. The verdict is about models trained on this many items of this kind; more folds of the "
        "same items add little, more items add more."
    )
    words = (of_finding(finding, "fold", settings.power) for finding in findings)
    data = {"settings": {"test": comparison.test} | settings._asdict(), "splits": comparison.says}
    sections = (
        Section("findings", parts=(verdicts_table(findings, effects="wins"),)),
        Section.of_lines("sentences", words, "paragraph"),
        Section.of_lines("method", [_fold_test(comparison), scope], "fine", data),
        Section.of_lines("notes", comparison.notes),
    )
    systems = dict.fromkeys(name for finding in findings for name in (finding.baseline, finding.system))
    return Document("fold comparison", sections, f"{listed([*systems])} compared over folds")


def _fold_test(comparison: FoldComparison) -> str:
    settings = comparison.levels
    test = TESTS[comparison.test]
    notes = [*dict.fromkeys(finding.outcome.note for finding in comparison.findings)]
    how = f", {notes[0]}" if len(notes) == 1 and notes[0] else ""
    pairs = len(comparison.pairs.pairs)
    name = CORRECTED_BY.get(settings.correction)
    corrected = f"; p corrected by {name} over {number_of('pair', pairs)}" if pairs > 1 and name else ""
    margins = " or ".join(dict.fromkeys(f"{finding.margin.value:g}" for finding in comparison.findings))
    return f"{test[0].upper()}{test[1:]}{how}{corrected}; margin {margins}; alpha {settings.alpha:g}."


def leakage_document(check: LeakageCheck) -> Document:
    """The number with permuted labels, and by chance: whether labels leak."""
    means = {"permuted labels": check.permuted, "chance": check.chance.mean()}
    frame = pl.DataFrame({"mean of folds": str(check.measure)} | means)
    lines = [check.says]
    if check.leaks:
        lines.append("Whatever looked at labels before items were split has to be done inside each fold.")
    sections = (
        Section("means", parts=(Table.of("means", frame),)),
        Section("permutations", data={"permutations": check.to_frame().to_dicts()}),
        prose_section("verdict", lines, settings_of(check, "leaks", "p", "seed")),
    )
    return Document("leakage check", sections, "Leakage check")
