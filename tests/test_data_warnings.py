"""In Python, what is odd about data is shown as a warning, once, where the function was called."""

from __future__ import annotations

import inspect
import warnings
from pathlib import Path

import pytest
from command import run_assay

import assay

JUDGED = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 1, "d2": 0}}
#: Nothing that was retrieved is judged.
STRANGE = {"q1": {"x1": 2.0, "x2": 1.0}, "q2": {"x1": 2.0, "x2": 1.0}}


def test_a_result_shows_its_warnings_where_the_function_was_called() -> None:
    with pytest.warns(assay.DataWarning, match="none is judged") as shown:
        result = assay.evaluate(JUDGED, {"strange": STRANGE}, "AP")
    assert {str(each.message) for each in shown} == set(result.warnings)
    assert {each.filename for each in shown} == {__file__}


def test_a_verb_on_a_result_does_not_show_its_warnings_again() -> None:
    with pytest.warns(assay.DataWarning):
        result = assay.evaluate(JUDGED, {"strange": STRANGE, "found": JUDGED}, "AP")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert set(assay.compare(result).warnings) == set(result.warnings)
        result.compare()


def test_a_verb_on_data_shows_its_warnings() -> None:
    with pytest.warns(assay.DataWarning, match="none is judged"):
        assay.compare(JUDGED, {"strange": STRANGE, "found": JUDGED}, measures=["AP"])


def test_nothing_is_shown_where_nothing_is_odd() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert assay.evaluate(JUDGED, {"found": JUDGED}, "AP").warnings == ()


def test_a_warning_is_shown_once_in_a_loop() -> None:
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("default")
        for _ in range(3):
            result = assay.evaluate(JUDGED, {"strange": STRANGE}, "AP")
    assert [str(each.message) for each in shown] == list(result.warnings)


def test_a_command_says_it_in_its_own_words(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\nq1 0 d2 0\n", "utf-8")
    (tmp_path / "strange.run").write_text("q1 Q0 x1 1 2 t\nq1 Q0 x2 2 1 t\n", "utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        told = run_assay("evaluate", "qrels.txt", "strange.run", "-m", "AP", folder=tmp_path)
        assert told.stderr.count("none is judged") == 1
        report = run_assay("report", "qrels.txt", "strange.run", "-m", "AP", "-o", "page.html", folder=tmp_path)
        assert (report.returncode, report.stderr.count("none is judged")) == (0, 1)


def test_public_functions_keep_their_signature_and_are_the_same_each_time() -> None:
    from assay.subjects.ranking.evaluation import evaluate  # noqa: PLC0415  # not the public one

    assert assay.evaluate is assay.evaluate
    assert inspect.signature(assay.evaluate) == inspect.signature(evaluate)
    assert assay.evaluate.__doc__ == evaluate.__doc__
