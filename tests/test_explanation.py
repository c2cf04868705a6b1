"""`explain`: what is shown is what was computed, for every measure; worked examples as they are typed."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from test_cli import run_assay

import assay
from assay import Confusion, ParameterError, Ranks, explain
from assay.explanation import ranks_of
from assay.measures import registered
from assay.measures.registry import Measure

TEA = Path(assay.__file__).parent / "data" / "tea"
MEASURES = list(registered().values())


def tables(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Judgments with grades -1 to 3, and a run with ties and unjudged documents."""
    rng = np.random.default_rng(seed)
    qrels = {f"q{q}": {f"d{d}": int(rng.integers(-1, 4)) for d in rng.choice(30, 12, replace=False)} for q in range(4)}
    run = {q: {f"d{d}": float(rng.integers(0, 8)) for d in rng.choice(30, 15, replace=False)} for q in qrels}
    return qrels, run


@pytest.mark.parametrize("measure", [m for m in MEASURES if not m.definition.subtopics], ids=str)
@pytest.mark.parametrize("seed", range(2))
def test_the_steps_of_every_measure_reduce_to_its_value(measure: Measure, seed: int) -> None:
    qrels, run = tables(seed)
    system = assay.evaluate(qrels, run, measure, collection_size=100).systems[0]
    result = system.results[measure]
    for number, query in enumerate(system.ranks.queries):
        expected = float(result.values[number])
        found = explain(measure, qrels, run, query=query, collection_size=100, show=1000)
        assert found.value == pytest.approx(expected, nan_ok=True)
        assert found.is_defined == (not math.isnan(expected))
        assert str(found).splitlines()[-1] == found.signature
        # What is shown adds up to what the formula holds: the leaves of the result, each from its own table.
        for table in found.steps:
            made = {
                float(leaf.values[number])
                for leaf in result.leaves()
                if leaf.steps is not None
                and (leaf.steps.says, leaf.column, leaf.op) == (table.says, table.column, table.op)
            }
            column = table.frame[table.column].drop_nulls()
            total = column.sum() if table.op == "sum" else max(column.to_list(), default=0.0)
            assert any(total == pytest.approx(value) for value in made)


def test_every_rank_is_shown_with_its_document_also_where_there_is_no_step() -> None:
    found = explain("AP", {"q": {"a": 1, "c": 1, "d": 0}}, {"q": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}})
    rows = found.steps[0].frame.select("rank", "doc_id", "grade", "precision").rows()
    assert rows == [(1, "a", 1.0, 1.0), (2, "b", None, None), (3, "c", 1.0, pytest.approx(2 / 3)), (4, "d", 0.0, None)]


def test_the_ideal_stands_beside_the_ranking() -> None:
    found = explain("nDCG@2", {"q": {"a": 1, "b": 3}}, {"q": {"a": 2.0, "b": 1.0}})
    assert [table.says for table in found.steps] == ["ranking", "ideal"]
    assert found.steps[1].frame["doc_id"].to_list() == ["b", "a"]
    assert found.formula.words == "sum of contribution (ranking) / sum of contribution (ideal)"


def test_the_ideal_of_a_measure_with_an_order_of_its_own_names_no_documents() -> None:
    found = explain("nDCG(gain={1: 9, 2: 1})", {"q": {"a": 1, "b": 2}}, {"q": {"b": 2.0, "a": 1.0}})
    assert found.steps[1].frame.select("grade", "gain").rows() == [(1.0, 9.0), (2.0, 1.0)]
    assert "doc_id" not in found.steps[1].frame.columns


def test_what_is_not_shown_is_said_and_is_in_the_data() -> None:
    found = explain("DCG", Ranks.from_grades([1] * 30), show=3)
    assert any(line.startswith("27 ranks of the ranking not shown; they add") for line in found.lines())
    assert len(found.tables()[0].table.rows) == 3
    assert found.to_frame().filter(part="ranking").height == 30


@pytest.mark.parametrize("form", ["to_markdown", "to_latex", "to_html", "to_json", "to_csv"])
def test_it_is_written_in_every_form(form: str) -> None:
    assert "contribution" in getattr(explain("DCG", Ranks.from_grades([2, 1])), form)()


def test_what_cannot_be_explained_is_refused() -> None:
    ranks = Ranks.from_grades([1, 0], [0, 1])
    refused: dict[str, Callable[[], object]] = {
        "choose a query of q1, q2": lambda: explain("AP", ranks),
        "choose a query of q1, q2, not 'q3'": lambda: explain("AP", ranks, query="q3"),
        "explain the macro average": lambda: explain("SetP(average='micro')", Confusion.from_table(1, 1, 1)),
        "not int alone": lambda: explain("AP", 3),
        "too few": lambda: ranks_of([1, 1], relevant=1),
        "not both": lambda: ranks_of([1], relevant=1, exist={1: 1}),
    }
    for message, call in refused.items():
        with pytest.raises(ParameterError, match=message):
            call()


COMMANDS = {
    "S1": ("SetF --counts 4,6,4,999986", 0.4444),
    "S1 accuracy": ("Accuracy --counts 4,6,4,999986", 0.99999),
    "S2": ("SetP --counts 0,0,8,999992", math.nan),
    "S5": ("SetF --counts 7,7,13", 0.4118),
    "R1": ("AP --grades 1,0,0,1,0,1,0,0,1,0 --relevant 8", 0.3056),
    "R1 Rprec": ("Rprec --grades 1,0,0,1,0,1,0,0,1,0 --relevant 8", 0.375),
    "R2": ("AUC --grades 1,0,0,1,0,1,0,0,1,0 --collection-size 10", 14 / 24),
    "R3": ("IPrec@0.3 --grades 0,1,0,0,1,0,0,1,0,0 --relevant 4", 0.4),
    "R5": ("AP --grades 1,0,1,1,1,1,1,0,1,0,1,0,0,1,0,0,0,0,0,1 --relevant 10", 0.7555),
    "R7": ("AP --grades 1,0,1,0,1,1,0,0 --relevant 4", 0.7333),
    "R10": ("SystemEfficiency --grades 1,0,0,1,0,1,0,0,1,0 --relevant 8", 0.4715),
    "R11": ("PrecisionAtRecall@0.2 --grades 1,0,1,1,1,1,1,0,1,0,1,0,0,1,0,0,0,0,0,1 --relevant 10", 2 / 3),
    "R13": ("RR --grades 0,0,0,1", 0.25),
    "R15": ("InterpolatedAP --grades 1,0,0,1,0,1,0,0,1,0 --relevant 8", (1 + 1 / 2 + 1 / 2 + 4 / 9) / 8),
    "G1": ("DCG --grades 4,3,4,2,0,0,0,1,1,0 --discount log2max2", 11.1725),
    "G4": ("nDCG@10 --grades 0,2,1,3,0,2,0,3,1,3 --exist 3:5,2:10", 0.4886),
    "G5": ("nDCG --grades 3,2,3,0,1,2", 0.9608),
    "G8": ("ERR(max_grade=3) --grades 3,0,2", 0.890625),
    "C1": ("MCC --counts 20,180,10,1820", 0.2335),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_worked_examples_can_be_typed(name: str) -> None:
    command, expected = COMMANDS[name]
    done = run_assay("explain", *command.split(), "--json", folder=TEA)
    assert done.returncode == 0, done.stderr
    value = json.loads(done.stdout)["value"]
    assert (math.nan if value is None else value) == pytest.approx(expected, abs=5e-5, nan_ok=True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("AP", "give judgments and a run, or --grades, or --counts"),
        ("AP qrels.txt", "give a run after the judgments"),
        ("AP qrels.txt words.run", "choose a query of"),
        ("AP --grades 1,x", "--grades: expected a number, got 'x'"),
        ("SetF --counts 1,2", "--counts is three or four whole numbers"),
        ("nDCG --grades 1 --exist 3", "--exist is grades and counts"),
        ("nDGC --grades 1", "did you mean nDCG"),
        ("AP --counts 1,2,3", "AP is computed from Ranks, not Confusion"),
        ("AP --grades 1,0 --depth 1", "--depth goes with judgments and runs"),
        ("AP --grades 1,0 --query q", "--query goes with files"),
        ("AP qrels.txt words.run -q t1 --relevant 4", "--relevant goes with --grades"),
        ("SetF --counts nan,1,1", "--counts: expected a number, got 'nan'"),
        ("Accuracy --counts 1,2,3,4 --collection-size 100", "--collection-size goes with TP,FP,FN"),
        ("nDCG --grades 3,1 --exist 3:2,3:4", "--exist names grade 3 twice"),
    ],
)
def test_bad_calls_get_one_line(arguments: str, message: str) -> None:
    done = run_assay("explain", *arguments.split(), folder=TEA)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") <= 2
