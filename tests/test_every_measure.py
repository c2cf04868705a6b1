"""What holds for every registered measure. Measures are not listed here: a new one is tested by being registered."""

from __future__ import annotations

import inspect
import itertools
import math
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from assay import Measure, PerQuery, Ranks, parse_measure
from assay.counting.judgments import Floats
from assay.errors import ParameterError
from assay.measures import registered
from assay.measures.domains import Choice, Real, Whole, WordOrTable
from assay.measures.registry import Parameter
from hypothesis import given
from hypothesis import strategies as st
from strategies import TOP_GRADE, Table, Tables, quickly, random_tables, shuffled, tables
from twin import TWINS, Topic, rank

EXACT = 1e-9
SAMPLES = 400
MEASURES = tuple(registered().values())

each_measure = pytest.mark.parametrize("measure", MEASURES, ids=str)


# Parameters to try: the ends of their domains and something in between, one at a time and with a cut-off.


def values(parameter: Parameter) -> list[Any]:
    match parameter.domain:
        case WordOrTable(words=words):
            return [*words, {1: 3, 2: 9.5}, {0: 0.5, TOP_GRADE: 1}]
        case Choice(words=words):
            return list(words)
        case Whole(low=low):
            return [low, low + 2, low + 9]
        case Real(low=low, high=high, inside=inside):
            if math.isinf(low):
                return [-1.0, 0.0, 2.0]
            width = TOP_GRADE if math.isinf(high) else high - low
            ends = [] if inside else [low]
            return [*ends, *(low + width * share for share in (0.1, 0.25, 0.5)), *(ends and [low + width]), low + 0.9 * width]
        case domain:
            raise NotImplementedError(f"no values to try for {domain}")


def takes_all_grades(measure: Measure) -> bool:
    """Whether the parameters allow for the grades that are used here (a `max_grade` may be too low)."""
    try:
        measure.of(Ranks.from_grades([TOP_GRADE]))
    except ParameterError:
        return False
    return True


@cache
def variants(measure: Measure) -> tuple[Measure, ...]:
    parameters = measure.definition.parameters
    one = [measure(**{name: value}) for name, parameter in parameters.items() for value in values(parameter)]
    at = measure.definition.at
    both = [] if at is None else [changed @ values(parameters[at])[1] for changed in one]
    return tuple(filter(takes_all_grades, dict.fromkeys([measure, *one, *both])))


def table_of(measure: Measure) -> dict[float, float]:
    """The gains by grade, if the measure has a table of them."""
    gain = measure.parameters.get("gain")
    return dict(gain) if isinstance(gain, tuple) else {}


# Data: seeded tables, made once.

SEEDED = [random_tables(1), random_tables(2, fractions=True), random_tables(3, topics=10, documents=6)]
UNTIED = random_tables(4, tied=False, fractions=True)


def by_query(measure: Measure, data: Tables, **rules: Any) -> dict[str, float]:
    ranks = Ranks.from_tables(data.run, data.qrels, **rules)
    return dict(zip(ranks.queries, measure.of(ranks).tolist(), strict=True))


def same(left: Floats | list[float], right: Floats | list[float], tolerance: float = EXACT) -> bool:
    return bool(np.allclose(left, right, rtol=0, atol=tolerance, equal_nan=True))


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


@each_measure
def test_it_has_a_card(measure: Measure) -> None:
    """The docstring says in a sentence what the measure is, gives the formula, and shows an example."""
    card = inspect.getdoc(measure) or ""
    assert card.split("\n\n")[0].endswith(".")
    assert ".. math::" in card
    assert f">>> {measure.name}" in card
    assert measure.definition.user_model


@each_measure
def test_names_of_other_tools_mean_the_same(measure: Measure) -> None:
    """What the measure is called elsewhere is understood, and gives the same numbers."""
    ranks = Ranks.from_tables(SEEDED[0].run, SEEDED[0].qrels)
    definition = measure.definition
    for template in filter(None, (*definition.trec_eval, definition.ir_measures, definition.ranx)):
        filled, name = fill(measure, template)
        names = {name, name.replace(".", "_", 1)} if template in definition.trec_eval else {name}
        for said in names:
            assert same(parse_measure(said).of(ranks), filled.of(ranks)), f"{said} is read as {parse_measure(said)!r}"


def fill(measure: Measure, template: str, value: Any = None) -> tuple[Measure, str]:
    """Put a value for the parameter that the template names into the measure, and into the template."""
    named = [name for name in measure.definition.parameters if f"{{{name}}}" in template]
    if not named:
        return measure, template
    value = values(measure.definition.parameters[named[0]])[1] if value is None else value
    return measure(**{named[0]: value}), template.format(**{named[0]: value})


# Numbers: within bounds, whatever the names and the order of rows, and at their best for the best ranking.


def within_bounds(measure: Measure, result: Floats) -> bool:
    low, high = measure.definition.bounds or (-math.inf, math.inf)
    known = result[~np.isnan(result)]
    return bool((known >= low - 1e-12).all() and (known <= high + 1e-12).all())


@each_measure
def test_values_are_within_the_declared_bounds(measure: Measure) -> None:
    """Also when ties are averaged, when ranks close up over unjudged documents, and when lists are cut."""
    for data, rules in itertools.product(SEEDED, [{}, {"judged_only": True}, {"depth": 3}, {"relevance_level": 2}]):
        ranks = Ranks.from_tables(data.run, data.qrels, **rules)
        for variant in variants(measure):
            assert within_bounds(variant, variant.of(ranks)), f"{variant} under {rules}"


@each_measure
def test_the_order_of_rows_makes_no_difference(measure: Measure) -> None:
    """Rows of the run and of the judgments come in any order, those of one query far apart."""
    data = SEEDED[0]
    rng = np.random.default_rng(5)
    mixed = Ranks.from_tables(shuffled(data.run, rng), shuffled(data.qrels, rng))
    for variant in variants(measure):
        wanted = by_query(variant, data)
        got = variant.of(mixed).tolist()
        assert same(got, [wanted[query] for query in mixed.queries], 1e-12), str(variant)


@each_measure
def test_names_make_no_difference(measure: Measure) -> None:
    """Queries may be called anything; documents too, where no tie is settled by their names."""
    for data, renamed in [
        (SEEDED[0], SEEDED[0].renamed(query="Ω{}")),
        (UNTIED, Tables(*(backwards(table) for table in UNTIED))),
    ]:
        ranks, others = (Ranks.from_tables(given.run, given.qrels) for given in (data, renamed))
        for variant in variants(measure):
            assert same(variant.of(ranks), variant.of(others), 1e-12), str(variant)


def backwards(table: Table) -> Table:
    """Documents under names in which their order by name changes."""
    return {query: {f"é{doc[::-1]}": value for doc, value in docs.items()} for query, docs in table.items()}


@each_measure
def test_the_ideal_ranking_is_best(measure: Measure) -> None:
    """No ranking beats all documents with a gain, best first, and all relevant documents, best first."""
    if measure.definition.bounds is None:
        pytest.skip("without an upper bound there is no best value")
    data = SEEDED[0]
    ranks = Ranks.from_tables(data.run, data.qrels, missing="zero")
    nothing = Ranks.from_grades(*([None] * 5 for _ in data.qrels), judged=[list(d.values()) for d in data.qrels.values()])
    if (np.nan_to_num(measure.of(nothing)) > np.nan_to_num(measure.of(ranks)) + 1e-12).any():
        pytest.skip("it does not reward what is found: a ranking of unjudged documents alone does better than others")
    for variant in variants(measure):
        best = np.nanmax([variant.of(ideal) for ideal in ideals(variant, data)], axis=0, initial=-math.inf)
        worse = np.nan_to_num(variant.of(ranks), nan=-math.inf) <= best + 1e-12
        assert worse.all(), f"{variant}: {np.array(ranks.queries)[~worse]}"


def ideals(measure: Measure, data: Tables) -> list[Ranks]:
    """Rankings of the judged documents: those that are relevant, and those that have a gain, best first."""
    worth = table_of(measure)
    level = measure.parameters.get("rel")
    made = []
    for wanted in (lambda grade: grade >= (1.0 if level is None else level), lambda grade: worth.get(grade, grade) > 0):
        chosen = [[grade for grade in docs.values() if grade >= 0 and wanted(grade)] for docs in data.qrels.values()]
        ranking = [sorted(grades, key=lambda grade: worth.get(grade, grade), reverse=True) for grades in chosen]
        rest = [[g for g in docs.values() if not (g >= 0 and wanted(g))] for docs in data.qrels.values()]
        made.append(Ranks.from_grades(*ranking, judged=rest))
    return made


# Steps: whoever adds up what is shown gets the value.


def recomputed(node: PerQuery) -> list[float]:
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
        case "ln", (x,):
            return math.log(x)
        case "/", (x, y):
            return x / y if y else math.nan
        case ("+" | "-" | "*" | "max" | "min"), (x, y):
            return {"+": x + y, "-": x - y, "*": x * y, "max": max(x, y), "min": min(x, y)}[op]
    raise NotImplementedError(f"{op} of {numbers}")


@each_measure
def test_steps_reduce_to_the_value(measure: Measure) -> None:
    """The tree of sums and divisions gives the number, and each undefined one has a reason."""
    for data, ties in itertools.product(SEEDED[:2], ["doc_id_descending", "expected"]):
        if ties == "expected" and not measure.definition.closed_under_ties:
            continue  # the mean of many orders, each with steps of its own
        ranks = Ranks.from_tables(data.run, data.qrels, ties=ties)
        for variant in variants(measure):
            result = variant.per_unit(ranks)
            assert same(recomputed(result), result.values), str(variant)
            reasons = [reason is not None for reason in result.reasons()]
            assert reasons == np.isnan(result.values).tolist(), str(variant)
            for leaf in result.leaves():
                assert not leaf.operands
                assert leaf.steps is None or all(len(c) == len(leaf.steps.unit) for c in leaf.steps.columns.values())


@each_measure
def test_steps_show_documents_that_are_there(measure: Measure) -> None:
    """Each row of the working is a retrieved or a judged document, with its rank and grade, in order."""
    ranks = Ranks.from_tables(SEEDED[1].run, SEEDED[1].qrels)
    places = {
        "ranking": {*zip(ranks.hits.query.tolist(), ranks.hits.rank.tolist(), ranks.hits.grade.tolist(), strict=True)},
        "ideal": {*zip(ranks.ideal.query.tolist(), ranks.ideal.grade.tolist(), strict=True)},
    }
    for variant in variants(measure):
        for leaf in variant.per_unit(ranks).leaves():
            if leaf.steps is None:
                continue
            rows = list(zip(*(c.tolist() for c in (leaf.steps.unit, leaf.steps["rank"], leaf.steps["grade"])), strict=True))
            assert rows == sorted(rows, key=lambda row: row[:2])
            shown = set(rows) if leaf.steps.says == "ranking" else {(unit, grade) for unit, _, grade in rows}
            assert shown <= places[leaf.steps.says], str(variant)


# Ties: the expected value is the mean over all orders.


def orders(scores: dict[str, float]) -> list[tuple[str, ...]]:
    """All rankings by falling score."""
    groups = [[doc for doc in scores if scores[doc] == score] for score in sorted({*scores.values()}, reverse=True)]
    each = itertools.product(*(itertools.permutations(group) for group in groups))
    return [tuple(itertools.chain.from_iterable(order)) for order in each]


TIED = random_tables(6, topics=18, documents=5)
RULES: list[dict[str, Any]] = [{}, {"depth": 3}, {"judged_only": True}]


@cache
def all_orders(rule: int) -> tuple[Ranks, list[int]]:
    """Every order of every topic as a query of its own, and how many orders each topic has."""
    rules = RULES[rule]
    rankings, rest, counts = [], [], []
    for query, judged in TIED.qrels.items():
        of_topic = orders(TIED.run.get(query, {}))
        counts.append(len(of_topic))
        for order in of_topic:
            kept = [doc for doc in order if judged.get(doc, -1) >= 0] if rules.get("judged_only") else list(order)
            kept = kept[: rules.get("depth")]
            rankings.append([judged.get(doc) for doc in kept])
            rest.append([grade for doc, grade in judged.items() if doc not in kept])
    return Ranks.from_grades(*rankings, judged=rest), counts


@pytest.mark.parametrize("rule", range(len(RULES)), ids=lambda rule: str(RULES[rule]))
@each_measure
def test_expected_ties_are_the_mean_over_all_orders(measure: Measure, rule: int) -> None:
    """Exact where the measure has a closed form; else within five standard errors of the sample."""
    closed = measure.definition.closed_under_ties
    ranks = Ranks.from_tables(TIED.run, TIED.qrels, ties="expected", **RULES[rule])
    brute, counts = all_orders(rule)
    for variant in variants(measure) if closed else sampled_variants(measure):
        each = np.split(variant.of(brute), np.cumsum(counts)[:-1])
        mean = np.array([values_.mean() for values_ in each])
        spread = np.array([values_.std() for values_ in each])
        tolerance = EXACT if closed else EXACT + 5 * spread / math.sqrt(SAMPLES)
        got = variant.per_unit(ranks, samples=SAMPLES, seed=7).values
        assert (np.isnan(got) == np.isnan(mean)).all(), str(variant)
        off = np.nan_to_num(np.abs(got - mean)) > np.nan_to_num(tolerance)
        assert not off.any(), f"{variant}: {got[off]} for {mean[off]}"


def sampled_variants(measure: Measure) -> list[Measure]:
    return [measure] if measure.definition.at is None else [measure, measure @ 1]


# Oracles: the slow twin, the reference tool, and ir_measures.

TWIN_NAMES = {"tp": "a", "fp": "b", "fn": "c", "tn": "d"}


def slowly(measure: Measure, topic: Topic, max_grade: float) -> float:
    """The twin's value for one topic; NaN where it is undefined."""
    slow = TWINS[measure.name]
    taken = inspect.signature(slow).parameters
    asked = {TWIN_NAMES.get(name, name): value for name, value in measure.parameters.items()}
    if "rel" in asked and "rel" not in taken:
        level = asked.pop("rel")
        topic = topic if level is None else replace(topic, level=level)
    if "gain" in asked and not isinstance(asked["gain"], str):
        asked["gain"] = dict(asked["gain"])
    if "gain" in asked and "gain" not in taken:
        gain = asked.pop("gain")
        asked["gains"] = None if gain == "linear" else gain
    if asked.get("discount") == "log2max2" and asked["base"] != 2:
        asked["discount"] = "log_b"
    if "max_grade" in asked:
        asked["max_grade"] = asked["max_grade"] or max_grade
    value = slow(topic, **asked)
    return math.nan if value is None else value


def top_of(qrels: Table) -> float:
    return max([0.0, *(grade for docs in qrels.values() for grade in docs.values())])


TWINNED = [measure for measure in MEASURES if measure.name in TWINS]
POLICIES: list[dict[str, Any]] = [
    {},
    {"ties": "doc_id_ascending", "relevance_level": 2.0},
    {"ties": "input_order", "relevance_level": 0.5},
    {"depth": 3},
    {"judged_only": True},
    {"judged_only": True, "depth": 4, "relevance_level": 0.0},
]


@pytest.mark.parametrize("rules", POLICIES, ids=str)
@pytest.mark.parametrize("measure", TWINNED, ids=str)
def test_agrees_with_the_slow_twin(measure: Measure, rules: dict[str, Any]) -> None:
    """On seeded tables, for every parameter and policy."""
    chosen = [measure, *variants(measure)[1::3]] if rules else variants(measure)
    for data in [*SEEDED, TIED] if rules else SEEDED:
        ranks = Ranks.from_tables(data.run, data.qrels, **rules)
        topics = data.topics(rules.get("relevance_level", 1.0), rules.get("ties", "doc_id_descending"))
        topics = [shortened(topic, rules) for topic in topics]
        for variant in chosen:
            wanted = [slowly(variant, topic, top_of(data.qrels)) for topic in topics]
            assert same(variant.of(ranks), wanted), f"{variant} under {rules}"


def shortened(topic: Topic, rules: dict[str, Any]) -> Topic:
    """Cut the ranking, and then take unjudged documents out, as the reference tool does."""
    kept = topic.ranking[: rules.get("depth")]
    if rules.get("judged_only"):
        kept = tuple(doc for doc in kept if topic.judged.get(doc, -1.0) >= 0)
    return replace(topic, ranking=kept)


@quickly
@given(tables(), st.data())
def test_agrees_with_the_slow_twin_on_anything(data: Tables, draw: st.DataObject) -> None:
    """Every measure, each with parameters drawn at random, on tables drawn at random."""
    ranks = Ranks.from_tables(data.run, data.qrels)
    topics = [Topic(rank(data.run.get(query, {})), data.qrels[query]) for query in ranks.queries]
    for measure in TWINNED:
        variant = draw.draw(st.sampled_from(variants(measure)))
        wanted = [slowly(variant, topic, top_of(data.qrels)) for topic in topics]
        assert same(variant.of(ranks), wanted), str(variant)


def reference_rule(measure: Measure) -> Measure:
    """The packages are built on version 9 of the reference tool."""
    return measure(rule="trec_eval-9") if "rule" in measure.parameters else measure


def as_the_reference_tool_has_it(measure: Measure, value: float) -> float:
    """Undefined values count as declared, 0 for most; geometric means are given as logarithms."""
    known = (measure.definition.counted_as or 0.0) if math.isnan(value) else value
    return math.log(known) if measure.definition.summary == "geometric" else known


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("measure", [measure for measure in MEASURES if measure.definition.trec_eval], ids=str)
def test_agrees_with_the_reference_tool(measure: Measure, level: int) -> None:
    """Query by query, for each name that the measure has there and the package knows."""
    package = pytest.importorskip("pytrec_eval")
    asked: dict[str, Measure] = {}
    for template in measure.definition.trec_eval:
        stem, _, parameter = template.partition(".")
        if stem not in package.supported_measures:
            continue
        if not parameter:
            asked[stem] = reference_rule(measure)
            continue
        declared = measure.definition.parameters[parameter.strip("{}")]
        for value in [*values(declared), 5 if isinstance(declared.domain, Whole) else 0.2]:
            shown = f"{value}" if isinstance(declared.domain, Whole) else f"{value:.2f}"
            asked[f"{stem}_{shown}"] = reference_rule(measure(**{declared.name: value}))
    if not asked:
        pytest.skip(f"the package knows none of {', '.join(measure.definition.trec_eval)}")
    for seeded in [*SEEDED[::2], TIED, UNTIED]:
        data = seeded.for_the_reference_tool()
        theirs = package.RelevanceEvaluator(data.whole(), set(asked), relevance_level=level).evaluate(data.run)
        for name, ours in asked.items():
            got = by_query(ours, data, relevance_level=level)
            for query, values_ in theirs.items():
                wanted = values_[name]
                assert as_the_reference_tool_has_it(ours, got[query]) == pytest.approx(wanted, abs=EXACT), (name, query)


@pytest.mark.parametrize("measure", [measure for measure in MEASURES if measure.definition.ir_measures], ids=str)
def test_agrees_with_ir_measures(measure: Measure) -> None:
    """Query by query, where its own code or the reference tool behind it computes the measure."""
    package = pytest.importorskip("ir_measures")
    template = measure.definition.ir_measures or ""
    asked = [fill(measure, template)] + ([(measure, template.removesuffix("@{cutoff}"))] if "@{cutoff}" in template else [])
    compared = 0
    for ours, name in asked:
        try:
            theirs = package.parse_measure(name)
        except AssertionError:
            continue  # it wants a cut-off
        for provider, ties in ((package.pytrec_eval, "doc_id_descending"), (package.judged, "doc_id_ascending")):
            if not provider.supports(theirs):
                continue
            data = SEEDED[0].for_the_reference_tool()
            got = by_query(reference_rule(ours), data, ties=ties)
            for result in provider.iter_calc([theirs], data.whole(), data.run):
                if result.query_id in data.run:
                    value = as_the_reference_tool_has_it(ours, got[result.query_id])
                    assert value == pytest.approx(result.value, abs=EXACT), (name, result.query_id)
                    compared += 1
    if not compared:
        pytest.skip(f"{template} is computed by another provider, with rules of its own")
