"""What `explain` says beside the numbers has to be true: of columns, of what is left out and of what is not there."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from assay import GivenCurve, explain
from assay.verbs.explanation import ranks_of

TIED = {"q": {"a": 3.0, "b": 2.0, "c": 2.0, "d": 2.0, "e": 1.0}}


def lines_of(measure: str, *grades: list[float], **said: Any) -> list[str]:
    return str(explain(measure, ranks_of(*grades, **said))).splitlines()


def test_what_columns_are_holds_for_negative_grades_and_ties_too() -> None:
    assert "gain = the grade" in lines_of("nDCG", [1, 0])
    assert "gain = the grade, 0 for a negative one" in lines_of("nDCG", [1, -1])
    for measure in ("G", "Q", "nDCGRel", "Rndcg"):
        assert "gain = the grade" in lines_of(measure, [1, 0, 2])
    tied = str(explain("AUC", {"q": {"c": 1}}, TIED, ties="expected", collection_size=9))
    assert "area = the step of FPR × the mean of TPR here and at the rank above" in tied
    averaged = str(explain("nDCG", {"q": {"c": 1}}, TIED, ties="expected"))
    assert "discount = 1 / log2(rank + 1), the mean over tied ranks" in averaged
    assert "discount (ideal) = 1 / log2(rank + 1)" in averaged


def test_documents_that_are_only_said_to_exist_are_mentioned() -> None:
    said = "not in the list, but there for the ideal ranking: "
    assert f"{said}3 documents of grade 1" in lines_of("nDCG", [1, 0], relevant=4)
    assert f"{said}1 document of grade 3, 2 documents of grade 2" in lines_of("nDCG", [3, 2], exist={3: 2, 2: 3})
    assert not any(line.startswith(said) for line in lines_of("AP", [1, 0], relevant=4))


def test_true_negatives_that_cannot_be_are_not_called_so() -> None:
    lines = lines_of("Utility", [1, 0, 1], relevant=4)
    assert not any(line.startswith("TN") for line in lines)
    assert "Utility = TP + FP × -1 + FN × 0 + (0 - TP - FP - FN) × 0" in lines


def test_points_below_the_recall_asked_for_are_seen_and_the_reason_where_none_is_left() -> None:
    found = explain("IPrec@0.5", ranks_of([1, 0, 1], relevant=4))
    assert found.steps[0].frame["reaching"].to_list() == [0, None, pytest.approx(2 / 3)]
    never = "a recall of 0.9 is never reached: there is no precision to look at, and it counts as 0"
    assert never in lines_of("IPrec@0.9", [1, 0, 1], relevant=4)
    assert never in lines_of("PrecisionAtRecall@0.9", [1, 0, 1], relevant=4)
    assert never in str(explain("IPrec@0.9", GivenCurve.from_points([(1, 0.5)])))
    assert never not in str(explain("IPrec@0.9", GivenCurve.from_points([(0, 1)])))


def test_the_subtopics_of_each_document_are_named() -> None:
    qrels = pl.DataFrame(
        [("q", "x", "a", 1), ("q", "y", "a", 1), ("q", "x", "b", 0), ("q", "y", "b", 1)],
        ["query_id", "judge", "doc_id", "relevance"],
        orient="row",
    )
    found = explain("StRecall@3", qrels, {"q": {"b": 3.0, "c": 2.0, "a": 1.0}}, subtopics=True)
    assert found.steps[0].frame["subtopics"].to_list() == ["y", None, "x y"]
