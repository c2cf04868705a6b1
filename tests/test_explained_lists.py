"""`explain` on lists: what is typed or given by hand is read or refused in a line, and several lists are told apart."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import in_turn
from command import explained, invoke, run_assay
from hypothesis import given
from hypothesis import strategies as st
from strategies import quickly

import assay
from assay import Confusion, GivenCurve, ParameterError, Ranks, explain
from assay.cli.literals import cells_in, grades_in, lists_by_name, numbers_by_grade, order_in, points_in
from assay.show.model import Table
from assay.verbs.explanation import ranks_of

TEA = Path(assay.__file__).parent / "data" / "tea"


@quickly
@given(st.text(alphabet="0123456789.,-:@= RNe\t", max_size=30))
def test_what_is_typed_is_read_or_refused_in_a_line(text: str) -> None:
    for read in (grades_in, cells_in, points_in, numbers_by_grade, order_in, lambda said: lists_by_name([said], str)):
        try:
            read(text)
        except ParameterError as error:
            said = str(error)
        else:
            continue
        assert said.count("\n") == 0


@quickly
@given(st.lists(st.none() | st.integers(0, 9).map(float), min_size=1, max_size=20))
def test_grades_read_back(grades: list[float | None]) -> None:
    for between in (",", " ", ", "):
        assert grades_in(between.join("-" if grade is None else f"{grade:g}" for grade in grades)) == grades


def test_what_goes_with_several_lists_is_said_once_or_for_each() -> None:
    def relevant(*options: str) -> list[int]:
        done = invoke(["explain", "R", *options, "--json"])
        assert done.exit_code == 0, done.output
        return [query["counts"]["relevant"] for query in explained(done.stdout)["queries"].values()]

    lists = ["--grades", "1,0", "--grades", "second=0,1"]
    assert relevant(*lists) == [1, 1]
    assert relevant(*lists, "--relevant", "4") == [4, 4]
    assert relevant(*lists, "--relevant", "4", "--relevant", "5") == [4, 5]


@in_turn(
    ("arguments", "message"),
    [
        ("AP", "give judgments and a run, or --grades, or --counts, or --points"),
        ("AP --grades 1 --points 1@0", "or --points, not several"),
        ("AP qrels.txt", "give a run after the judgments"),
        ("qrels.txt words.run", "the measure comes first: MEASURE QRELS RUN"),
        ("AP qrels.txt words.run -q t99", "choose a query of"),
        ("AP --grades 1,x", "--grades: expected a number, got 'x'"),
        ("SetF --counts 1,2", "--counts is three or four whole numbers"),
        ("nDCG --grades 1 --exist 3", "--exist is grades and counts"),
        ("nDGC --grades 1", "did you mean nDCG"),
        ("AP --counts 1,2,3", "AP is computed from Ranks, not Confusion"),
        ("AP --grades 1,0 --depth 1", "--depth goes with judgments and runs"),
        ("AP --grades 1,0 --query q", "choose a query of q1, not 'q'"),
        ("AP --grades a=1 --grades a=0", "two lists are called 'a'"),
        ("AP --grades =1", "expected a name before the ="),
        ("AP --grades 1,,0", "--grades: expected a number, got nothing"),
        ("SetP --counts 1,2,3 --relevant 2", "--relevant goes with --grades"),
        ("SetP --counts 1,2,3 --counts 1,2,3,4", "give TP,FP,FN,TN for every query"),
        ("IPrec --points .5", "--points is precision@recall"),
        ("IPrec --points .5@2", "precision and recall lie between 0 and 1"),
        ("IPrec --points .5@1 --collection-size 9", "--collection-size has no meaning for points"),
        ("AP --points .5@1", "AP cannot be read off points"),
        ("alpha_nDCG --grades 1,0", "computed from judgments of subtopics"),
        ("Rprec --grades 1,0 --running", "Rprec has no cut-off"),
        ("AP qrels.txt words.run -q t1 --relevant 4", "--relevant goes with --grades"),
        ("SetF --counts nan,1,1", "--counts: expected a number, got 'nan'"),
        ("Accuracy --counts 1,2,3,4 --collection-size 100", "--collection-size goes with TP,FP,FN"),
        ("nDCG --grades 3,1 --exist 3:2,3:4", "--exist names grade 3 twice"),
        ("nDCG --grades 3,1 --exist 3:0", "the list holds 1 document of grade 3"),
        ("SetP --counts 1,2,3 --level 2", "--level goes with judgments and runs"),
        ("IPrec --points .5@1 --level 2", "--level goes with judgments and runs"),
        ("RR --grades 1,0 --collection-size 1", "--collection-size is 1, but a query has 2 documents"),
        ("SetP --counts 1,2,3 --undefined maybe", "--undefined is one of counted_as, skip, error"),
        ("RR qrels.txt words.run -q t1 --ties expected --running", "RR has no closed form for tied documents"),
        ("P@5 qrels.txt words.run --running", "running is about the ranks of one query"),
    ],
)
def test_bad_calls_are_refused(arguments: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(TEA)
    done = invoke(["explain", *arguments.split()])
    assert done.stdout == ""
    assert isinstance(done.exception, ParameterError)
    assert message in str(done.exception)
    assert "\n" not in str(done.exception)


def test_a_bad_call_gets_one_line_and_exit_2() -> None:
    done = run_assay("explain", "AP", "--grades", "1,x", folder=TEA)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "assay: --grades: expected a number, got 'x'\n"


# Whatever is made by hand, checked by nobody before.
TABLE: Any = Confusion.from_table
COUNTS: Any = Confusion
LISTS: Any = ranks_of
CURVE: Any = GivenCurve.from_points


@in_turn(
    ("make", "message"),
    [
        (lambda: TABLE(1.5, 1, 1), "tp is a whole number from 0 on, not 1.5"),
        (lambda: TABLE(1, -1, 1), "fp is a whole number from 0 on, not -1"),
        (lambda: TABLE(1, 1, "2"), "fn is a whole number from 0 on, not '2'"),
        (lambda: TABLE(1, 1, 1, math.nan), "tn is a whole number from 0 on, not nan"),
        (lambda: COUNTS(("a", "b"), *(np.array([1]),) * 3), "tp is one number for each of 2 units"),
        (lambda: COUNTS(("a",), *(np.array([-1]),) * 3), "tp is made of whole numbers from 0 on, not -1"),
        (lambda: COUNTS(("a",), *(np.array([1.5]),) * 3), "tp is made of whole numbers from 0 on, not 1.5"),
        (ranks_of, "there is no list of grades"),
        (lambda: LISTS([1, math.nan]), "a grade is a number, not nan"),
        (lambda: LISTS([1, "x"]), "a grade is a number, not 'x'"),
        (lambda: LISTS("101"), "a ranking is a list of grades by rank"),
        (lambda: LISTS([1], exist={math.nan: 2}), "a grade is a number, not nan"),
        (lambda: LISTS([1], exist={1: 2.5}), "exist is a whole number from 0 on, not 2.5"),
        (lambda: LISTS([1], exist=3), "exist is a table of grades"),
        (lambda: LISTS([1], relevant=2.5), "relevant is a whole number from 0 on, not 2.5"),
        (lambda: LISTS([1], relevant=-1), "relevant is a whole number from 0 on, not -1"),
        (lambda: CURVE([("a", 0.5)]), "a point of a curve is two numbers"),
        (lambda: CURVE([(0.1, 0.5, 1)]), "a point of a curve is two numbers"),
        (lambda: CURVE([0.5]), "a point of a curve is two numbers"),
        (lambda: CURVE(0.5), "a precision-recall curve is a list of one point at least"),
        (lambda: CURVE([(math.nan, 0.5)]), "between 0 and 1"),
        (lambda: explain("AP", Ranks.from_grades([1]), system="zzz"), "system says whose number of an evaluation"),
    ],
)
def test_what_is_made_by_hand_is_checked(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        make()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_whole_numbers_may_be_written_with_a_point_and_lists_may_be_arrays() -> None:
    assert TABLE(4.0, 6, 4).tp.tolist() == [4]
    assert LISTS(np.array([1.0, 0.0])).retrieved.tolist() == [2]


# Several lists.


def told(measure: str, *lists: Sequence[float], **options: Any) -> list[str]:
    return str(explain(measure, ranks_of(*lists), **options)).splitlines()


def test_each_list_has_its_own_place_and_what_columns_are_comes_from_all() -> None:
    lines = told("RR", [0, 0], [0, 1], [1])
    assert "reciprocal = 1 / rank" in lines
    assert "RR = largest reciprocal" in lines
    assert "q2: RR = 0.5, at rank 2" in lines
    assert "q3: RR = 1, at rank 1" in lines
    assert not any(line.startswith("RR =") and "at rank" in line for line in lines)


def test_the_mean_of_ap_shows_both_ways_to_each_list() -> None:
    lines = told("AP", [0, 0], [1, 0, 1], [0, 1])
    assert "q2: AP = (1 + 0.6667) / 2 = 0.8333333333" in lines
    assert "q2: also the area under the precision-recall curve: sum of area = 0.5000 + 0.3333 = 0.8333" in lines
    assert "q3: also the area under the precision-recall curve: sum of area = 0.5000" in lines
    assert "area = precision × recall_step" in lines  # which the first list does not have


def test_hidden_ranks_say_whose_they_are_and_how_they_are_seen() -> None:
    assert "q2: 3 ranks of the ranking not shown; they add 3 (show=5 shows all)" in told("CG", [1], [1] * 5, show=2)
    done = invoke(["explain", "CG", "--grades", "1,1,1", "--show", "2"])
    assert "1 rank of the ranking not shown; it adds 1 (--show 3 shows all)" in done.stdout


def test_what_is_undefined_is_left_out_of_the_mean_of_lists_if_asked() -> None:
    counts = Confusion(("a", "b"), np.array([0, 1]), np.array([0, 1]), np.array([3, 1]))
    assert explain("SetP", counts).value == 0.25
    assert explain("SetP", counts, undefined="skip").value == 0.5
    with pytest.raises(assay.InputError, match="undefined for 1 of 2 units"):
        explain("SetP", counts, undefined="error")


def test_the_table_of_a_micro_average_ends_with_the_sums() -> None:
    counts = Confusion(("a", "b"), np.array([0, 3]), np.array([0, 1]), np.array([8, 2]))
    found = explain("MicroP", counts)
    table = found.document().section("steps").parts[-1]
    assert isinstance(table, Table)
    assert table.frame.row(-1) == ("all", 3, 4)
    assert "in a micro average its counts are summed all the same" in str(found)
    assert "counted as" not in str(found)


def test_counts_that_somebody_gives_have_no_rules_of_counting_in_their_signature() -> None:
    assert explain("SetF", Confusion.from_table(4, 6, 4)).signature == "SetF|beta=1|average=macro|undefined=0|v1"
    assert explain("IPrec@0.5", GivenCurve.from_points([(1, 1)])).signature == "IPrec@0.5|rule=exact|undefined=0|v1"
    assert "ties=doc_id_descending" in explain("AP", ranks_of([1])).signature


def test_counts_of_a_class_have_it_in_their_signature() -> None:
    done = run_assay("classifier", "explain", "F1", "--counts", "5,1,2,3", "--positive", "ill", folder=TEA)
    assert done.stdout.splitlines()[-1] == "F|beta=1|average=binary|positive=ill|undefined=skip|v1"
    assert "positive=" not in run_assay("explain", "F1", "--counts", "5,1,2,3", folder=TEA).stdout
