"""What holds for every registered measure. Measures are not listed here: a new one is tested by being registered."""

from __future__ import annotations

import inspect
import itertools
import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import in_turn
from strategies import shuffled
from variants import DATA, EXACT, MEASURES, by_query, counted, fill, gain_table, has_gain_table, same, values, variants

from assay import Confusion, Measure, ParameterError, PerUnit, Ranks, measures, parse_measure
from assay.measures import vocabularies
from assay.measures.counting.judgments import Floats
from assay.measures.summary import filled, summarise
from assay.measures.summary import values_in_mean as settled

SAMPLES = 80
SIZE = 60  # documents in the collection, where that is known
each_measure = in_turn("measure", MEASURES, ids=str)


# A measure is a value, a string and a card.


@each_measure
def test_its_name_reads_back(measure: Measure) -> None:
    """`str` and `parse_measure` are inverse, and equal measures are one dict key."""
    for variant in variants(measure):
        again = parse_measure(str(variant))
        assert again == variant, str(variant)
        assert (hash(again), str(again), repr(again)) == (hash(variant), str(variant), str(variant))
        assert len({again, variant}) == 1
    assert len(set(map(str, variants(measure)))) == len(variants(measure))


@each_measure
def test_the_order_of_parameters_makes_no_difference(measure: Measure) -> None:
    """Equal measures are written alike, since scores are filed under what is written."""
    changes = {name: values(parameter)[-1] for name, parameter in measure.definition.parameters.items()}
    forwards, backwards = measure(**changes), measure(**dict(reversed(changes.items())))
    assert forwards == backwards
    assert str(forwards) == str(backwards)


@each_measure
def test_what_a_domain_lets_in_can_be_computed(measure: Measure) -> None:
    """None is let in only where it means something, and then it reads back as well."""
    for name in measure.definition.parameters:
        try:
            without = measure(**{name: None})
        except ParameterError:
            continue
        assert parse_measure(str(without)) == without
        assert within_bounds(without, without.of(Ranks.from_grades([1, 0, None])))


def test_every_family_is_named_where_names_are_looked_for() -> None:
    folder = Path(vocabularies.__file__).parent
    families = {path.stem for path in folder.glob("*.py") if "\n@measure" in path.read_text(encoding="utf-8")}
    assert families == set(vocabularies._FAMILIES)


def test_measures_of_rankings_are_listed_where_they_are_imported_from() -> None:
    """Notebooks complete what `dir` lists."""
    assert {*vocabularies.registered(), "parse_measure"} <= set(dir(measures))


@each_measure
def test_it_has_a_card(measure: Measure) -> None:
    """The docstring says in a sentence what the measure is, gives the formula, and shows an example."""
    card = inspect.getdoc(measure) or ""
    assert card.split("\n\n")[0].endswith(".")
    assert ".. math::" in card
    assert f">>> {measure.name}" in card


@each_measure
def test_names_of_other_tools_mean_the_same(measure: Measure) -> None:
    """What the measure is called elsewhere is understood, and gives the same numbers."""
    ranks, definition = counted("graded"), measure.definition
    for template in filter(None, (*definition.trec_eval, definition.ir_measures, definition.ranx)):
        filled, name = fill(measure, template)
        names = {name, name.replace(".", "_", 1)} if template in definition.trec_eval else {name}
        for said in names:
            assert same(parse_measure(said).of(ranks), filled.of(ranks)), f"{said} is read as {parse_measure(said)!r}"


# Numbers: within bounds, whatever the names and the order of rows, and at their best for the best ranking.


def within_bounds(measure: Measure, result: Floats) -> bool:
    low, high = measure.definition.bounds or (-math.inf, math.inf)
    known = result[~np.isnan(result)]
    return bool((known >= low - 1e-12).all() and (known <= high + 1e-12).all())


@each_measure
def test_values_are_within_the_declared_bounds(measure: Measure) -> None:
    """Also when ties are averaged, when ranks close up over unjudged documents, and when lists are cut."""
    some_rules: list[dict[str, Any]] = [
        {"collection_size": SIZE},
        {"judged_only": True},
        {"depth": 3, "relevance_level": 2, "collection_size": SIZE},
    ]
    for name, rules in itertools.product(["graded", "fractions"], some_rules):
        for variant in variants(measure):
            assert within_bounds(variant, variant.of(counted(name, **rules))), f"{variant} under {rules} on {name}"


@each_measure
def test_the_order_of_rows_makes_no_difference(measure: Measure) -> None:
    """Rows of the run and of the judgments come in any order, those of one query far apart."""
    for variant in variants(measure):
        wanted, got = by_query(variant, counted("graded")), by_query(variant, mixed_up())
        assert got == pytest.approx(wanted, rel=0, abs=1e-12, nan_ok=True), str(variant)


@cache
def mixed_up() -> Ranks:
    rng = np.random.default_rng(5)
    return Ranks.from_tables(shuffled(DATA["graded"].run, rng), shuffled(DATA["graded"].qrels, rng))


@each_measure
def test_names_make_no_difference(measure: Measure) -> None:
    """Queries may be called anything; documents too, where no tie is settled by their names."""
    for name in ("graded", "untied"):
        for variant in variants(measure):
            assert same(variant.of(counted(name)), variant.of(renamed(name)), 1e-12), str(variant)


@cache
def renamed(name: str) -> Ranks:
    """New names for queries, and for documents where nothing is tied: names that sort in another order."""

    def new(doc: str) -> str:
        return f"é{doc[::-1]}" if name == "untied" else doc

    qrels, run = (
        {f"Ω{query}": {new(doc): value for doc, value in docs.items()} for query, docs in table.items()}
        for table in DATA[name]
    )
    return Ranks.from_tables(run, qrels)


@each_measure
def test_the_ideal_ranking_is_best(measure: Measure) -> None:
    """No ranking beats all documents with a gain, best first, and all relevant documents, best first."""
    if measure.definition.bounds is None:
        pytest.skip("without an upper bound there is no best value")
    if not measure.definition.higher_is_better:
        pytest.skip("its best value is the lowest, and a ranking may be good for it that finds little")
    data, ranks = DATA["graded"], counted("graded", collection_size=SIZE)
    judged = [list(docs.values()) for docs in data.qrels.values()]
    nothing = in_a_collection(Ranks.from_grades(*([None] * 5 for _ in judged), judged=judged))
    if (np.nan_to_num(measure.of(nothing)) > np.nan_to_num(measure.of(ranks)) + 1e-12).any():
        pytest.skip("it does not reward what is found: a ranking of unjudged documents alone does better than others")
    for variant in variants(measure):
        chances = "satisfaction" in measure.parameters
        best_first = ideals(tuple(gain_table(variant).items()), variant.parameters.get("rel"), chances)
        best = np.max([np.nan_to_num(variant.of(ideal)) for ideal in best_first], axis=0)
        worse = np.nan_to_num(variant.of(ranks)) <= best + 1e-12
        assert worse.all(), f"{variant}: {np.array(ranks.queries)[~worse]}"


@cache
def ideals(gains: tuple[tuple[float, float], ...], level: float | None, chances: bool) -> list[Ranks]:
    """Rankings of the judged documents: those that are relevant, and those that have a gain, best first.

    And the relevant ones with another one after them, for measures that compare what was retrieved. A grade that has
    no gain in a table is its own gain, or no `chances` to satisfy.
    """
    table, data = dict(gains), DATA["graded"]

    def worth(grade: float) -> float:
        of_others = 0.0 if table and chances else grade
        return table.get(grade, of_others) if grade >= 0 else 0.0

    def relevant(grade: float) -> bool:
        return grade >= (1.0 if level is None else level)

    def ideal(wanted: Callable[[float], bool], *more: None) -> Ranks:
        judged = [sorted(docs.values(), key=worth, reverse=True) for docs in data.qrels.values()]
        chosen = [[grade for grade in grades if grade >= 0 and wanted(grade)] for grades in judged]
        rest = [[grade for grade in grades if not (grade >= 0 and wanted(grade))] for grades in judged]
        return in_a_collection(Ranks.from_grades(*([*grades, *more] for grades in chosen), judged=rest))

    return [ideal(relevant), ideal(lambda grade: worth(grade) > 0), ideal(relevant, None)]


def in_a_collection(ranks: Ranks) -> Ranks:
    return replace(ranks, policies=replace(ranks.policies, collection_size=SIZE))


# Steps: whoever adds up what is shown gets the value.


def recomputed(node: PerUnit) -> list[float]:
    """The value of a tree of steps, in plain Python."""
    units = len(node.values)
    if node.operands:
        columns = [recomputed(operand) for operand in node.operands]
        result = [combined(node.op, *row) for row in zip(*columns, strict=True)]
    elif node.steps is not None and node.column is not None:
        result = [0.0] * units
        shown = node.steps.columns[node.column].tolist()
        for unit, value in zip(node.steps.unit.tolist(), shown, strict=True):
            result[unit] = result[unit] + value if node.op == "sum" else max(result[unit], value)
    else:
        result = node.values.tolist()
    return [math.nan if node.reason(unit) else value for unit, value in enumerate(result)]


def combined(op: str, *numbers: float) -> float:
    if any(map(math.isnan, numbers)):
        return math.nan
    match op, numbers:
        case (("ln" | "sqrt"), (x,)):
            return math.log(x) if op == "ln" else math.sqrt(x)
        case "/", (x, y):
            return x / y if y else math.nan
        case (("+" | "-" | "*" | "max" | "min"), (x, y)):
            return {"+": x + y, "-": x - y, "*": x * y, "max": max(x, y), "min": min(x, y)}[op]
    raise NotImplementedError(f"{op} of {numbers}")


@each_measure
def test_steps_reduce_to_the_value(measure: Measure) -> None:
    """The tree of sums and divisions gives the number, and each undefined one has a reason."""
    for name, ties in itertools.product(["graded", "fractions"], ["doc_id_descending", "expected"]):
        if ties == "expected" and is_sampled(measure):
            continue  # the mean of many orders, each with steps of its own
        for variant in variants(measure):
            result = variant.per_unit(counted(name, ties=ties, collection_size=SIZE))
            assert same(recomputed(result), result.values), str(variant)
            reasons = [reason is not None for reason in result.reasons()]
            assert reasons == np.isnan(result.values).tolist(), str(variant)
            for leaf in result.leaves():
                assert not leaf.operands
                assert leaf.steps is None or all(len(c) == len(leaf.steps.unit) for c in leaf.steps.columns.values())


@each_measure
def test_steps_show_documents_that_are_there(measure: Measure) -> None:
    """Each row of the working is a retrieved or a judged document, with its rank and grade, in order."""
    ranks = counted("fractions")
    hits, judged = (
        set(zip(rows.query.tolist(), rows.rank.tolist(), rows.grade.tolist(), strict=True))
        for rows in (ranks.hits, ranks.ideal)
    )
    for variant in variants(measure):
        for leaf in variant.per_unit(ranks).leaves():
            if leaf.steps is None:
                continue
            columns = (leaf.steps.unit, leaf.steps["rank"], leaf.steps["grade"])
            rows = list(zip(*(column.tolist() for column in columns), strict=True))
            assert rows == sorted(rows, key=lambda row: row[:2])
            if leaf.steps.says == "ranking":
                assert set(rows) <= hits, str(variant)
            else:  # the ideal ranking goes by gain, not by grade
                assert {(unit, grade) for unit, _, grade in rows} <= {(unit, grade) for unit, _, grade in judged}


# Averages: the mean over units is macro; micro is the same formula on summed counts.


@in_turn("measure", [m for m in MEASURES if "average" in m.parameters], ids=str)
@in_turn("rules", [{}, {"collection_size": SIZE}], ids=str)
def test_micro_is_the_value_of_the_summed_table(measure: Measure, rules: dict[str, Any]) -> None:
    """Values of queries stay as they are, and those that are undefined have their counts in the sum."""
    ranks = counted("graded", **rules)
    table = Confusion.from_ranks(ranks)
    cells = [None if cell is None else int(cell.sum()) for cell in (table.tp, table.fp, table.fn, table.tn)]
    summed = Confusion.from_table(*cells)  # type: ignore[arg-type]  # only tn may be None
    for variant in variants(measure):
        if variant.parameters["rel"] is not None:
            continue  # a table that is counted already has no grades
        micro, macro = variant(average="micro"), variant(average="macro")
        assert same(micro.of(ranks), macro.of(ranks))
        assert [summarise(micro, micro.per_unit(ranks)).value] == pytest.approx(macro.of(summed), nan_ok=True)
        taken = settled(macro, macro.per_unit(ranks))
        mean = np.mean(taken[~np.isnan(taken)]) if not np.isnan(taken).all() else math.nan
        assert summarise(macro, macro.per_unit(ranks)).value == pytest.approx(mean, nan_ok=True)


def test_micro_where_tied_documents_may_be_cut_off() -> None:
    """The mean over orders of the micro average: b or c is the second document, and only c is relevant."""
    run = {"q": {"a": 2.0, "b": 1.0, "c": 1.0}, "r": {"a": 1.0}}
    ranks = Ranks.from_tables(run, {"q": {"a": 1, "c": 1}, "r": {"x": 1}}, ties="expected", depth=2)
    micro = parse_measure("MicroP")
    value = summarise(micro, micro.per_unit(ranks, samples=2000)).value
    assert value == pytest.approx((1 / 3 + 2 / 3) / 2, abs=0.02)


# Ties: the expected value is the mean over all orders.


def orders(scores: dict[str, float]) -> list[tuple[str, ...]]:
    """All rankings by falling score."""
    groups = [[doc for doc in scores if scores[doc] == score] for score in sorted({*scores.values()}, reverse=True)]
    each = itertools.product(*(itertools.permutations(group) for group in groups))
    return [tuple(itertools.chain.from_iterable(order)) for order in each]


RULES: list[dict[str, Any]] = [
    {},
    {"depth": 3, "collection_size": SIZE},
    {"judged_only": True, "collection_size": SIZE},
]


@cache
def all_orders(
    depth: int | None = None, judged_only: bool = False, collection_size: int | None = None
) -> tuple[Ranks, list[int]]:
    """Every order of every topic as a query of its own, and how many orders each topic has."""
    rankings, rest, counts = [], [], []
    for query, judged in DATA["small"].qrels.items():
        of_topic = orders(DATA["small"].run.get(query, {}))
        counts.append(len(of_topic))
        for order in of_topic:
            kept = [doc for doc in order if judged.get(doc, -1) >= 0] if judged_only else list(order)
            kept = kept[:depth]
            rankings.append([judged.get(doc) for doc in kept])
            rest.append([grade for doc, grade in judged.items() if doc not in kept])
    ranks = Ranks.from_grades(*rankings, judged=rest)
    return ranks if collection_size is None else in_a_collection(ranks), counts


def tied(**rules: Any) -> Ranks:
    return counted("small", ties="expected", **rules)


@cache
def is_sampled(measure: Measure, **rules: Any) -> bool:
    return measure.per_unit(tied(**rules), samples=1).op.startswith("mean of")


def off_the_mean(measure: Measure, **rules: Any) -> list[tuple[str, float, float]]:
    """Topics whose expected value is not the mean over all orders, with what it is and what it should be.

    Exactly so where the measure has a closed form; else by more than five standard errors of the sample.
    """
    brute, counts = all_orders(**rules)
    ranks = tied(**rules)
    each = np.split(measure.of(brute), np.cumsum(counts)[:-1])
    # Where some orders leave a topic undefined, they count as declared, or not at all.
    each = [of_topic if np.isnan(of_topic).all() else filled(measure, of_topic) for of_topic in each]
    each = [of_topic if np.isnan(of_topic).all() else of_topic[~np.isnan(of_topic)] for of_topic in each]
    mean, spread = np.array([(of_topic.mean(), of_topic.std()) for of_topic in each]).T
    margin = EXACT + (5 * spread / math.sqrt(SAMPLES) if is_sampled(measure, **rules) else 0)
    got = measure.per_unit(ranks, samples=SAMPLES, seed=7).values
    fits = (np.abs(got - mean) <= margin) | (np.isnan(got) & np.isnan(mean))
    return [(ranks.queries[row], got[row], mean[row]) for row in np.flatnonzero(~fits)]


@pytest.mark.parametrize("rules", RULES, ids=str)
@each_measure
def test_expected_ties_are_the_mean_over_all_orders(measure: Measure, rules: dict[str, Any]) -> None:
    """With every parameter where the measure has a closed form, else with its defaults and a cut-off."""
    few = {measure} if rules or measure.definition.at is None else {measure, measure @ 1}
    for variant in variants(measure):
        if variant in few or not is_sampled(variant, **rules):
            assert not off_the_mean(variant, **rules), str(variant)


@each_measure
def test_a_closed_form_is_used_where_it_is_declared(measure: Measure) -> None:
    """Random orders are drawn for the other measures only, unless the depth cuts through ties."""
    for rules in ({}, {"judged_only": True}):
        assert is_sampled(measure, **rules) == (not measure.definition.closed_under_ties)


@in_turn("measure", [m for m in MEASURES if has_gain_table(m)], ids=str)
def test_expected_ties_where_unjudged_documents_have_a_gain(measure: Measure) -> None:
    """A table may give a gain to documents that nobody judged (-1), or that were pooled only (-2)."""
    with_table = measure(gain={-2: 0.25, -1: 0.5, 1: 2})
    for rules in RULES[:1] if is_sampled(with_table) else RULES:
        assert not off_the_mean(with_table, **rules), str(rules)
