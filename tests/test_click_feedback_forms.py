"""Every result of feedback from clicks in every output form, JSON strict, numbers in full."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest

from assay import InputError, Log, agree_with_clicks, calibrate_measures, judge_clicks, prefer_clicks, value_rankings
from assay.core.results import Result

DATA = Path(__file__).parents[1] / "src" / "assay" / "data"
LOG, QRELS, RUN = DATA / "clicks/log.ndjson.gz", DATA / "bicycles/qrels.txt", DATA / "bicycles/runs/titles.run"
TINY = Log.from_pages([("q", ["a", "b"], ["b"])])
RESULTS: dict[str, Callable[[], Result]] = {
    "judge": lambda: judge_clicks(LOG, by="PBM"),
    "judge nothing": lambda: judge_clicks(TINY),
    "agree": lambda: agree_with_clicks(QRELS, LOG, resamples=20),
    "agree on little": lambda: agree_with_clicks({"q": {"a": 1, "b": 0}}, TINY, min_impressions=1, min_expected=0.0),
    "prefer": lambda: prefer_clicks(LOG, qrels=QRELS, resamples=20),
    "prefer nothing": lambda: prefer_clicks(Log.from_pages([("q", ["a"], [])])),
    "calibrate": lambda: calibrate_measures(QRELS, LOG),
    "calibrate on pages of one result": lambda: calibrate_measures(
        {"q": {"a": 1}}, Log.from_pages([("q", ["a"], ["a"])])
    ),
    "value": lambda: value_rankings(LOG, RUN, resamples=20),
    "value of nothing": lambda: value_rankings(TINY, {"new": {"q": {"z": 1.0}}}, examination=[1.0]),
}


@pytest.mark.parametrize("name", RESULTS)
def test_every_form(name: str) -> None:
    result = RESULTS[name]()

    def refused(word: str) -> NoReturn:
        raise AssertionError(f"{word} is no JSON")

    data: dict[str, Any] = json.loads(result.to_json(), parse_constant=refused)
    assert data["kind"] == result.kind
    assert result.to_html().startswith('<div class="assay">')
    assert str(result).strip()
    assert result.to_markdown().strip()
    assert "tabular" in result.to_latex()
    assert len(result.to_csv().splitlines()) == result.to_frame().height + 1


def test_judgments_that_share_no_document_with_the_log_are_refused() -> None:
    for call in (prefer_clicks, lambda log, qrels: calibrate_measures(qrels, log)):
        with pytest.raises(InputError, match=r"expected judgments of documents that in memory shows, got none$"):
            call(TINY, qrels={"q": {"z": 1}})


def test_models_of_a_log_without_clicks_are_refused() -> None:
    log = Log.from_pages([("q", ["a", "b"], [])] * 20)
    for call in (lambda: judge_clicks(log, by="DBN"), lambda: calibrate_measures({"q": {"a": 1}}, log)):
        with pytest.raises(InputError, match="expected clicks to fit a model to, got none on 20 pages"):
            call()
    elsewhere = Log.from_pages([("q", ["a", "b"], ["b"])] * 20)
    with pytest.raises(InputError, match="in memory: expected clicks on judged documents, got none"):
        calibrate_measures({"q": {"a": 1}}, elsewhere)  # every measure would be 0


def test_calibration_says_what_the_log_does_not_tell() -> None:
    """Nobody reads on below the first document, which everybody clicks; grade 3 is never shown."""
    log = Log.from_pages([("q", ["a", "b"], ["a", "b"]), ("q", ["a", "b"], ["a"])] * 10)
    result = calibrate_measures({"q": {"a": 1, "b": 2, "c": 3}}, log)
    assert str(result.measures[0]) == "ERR(satisfaction={1: 1})@2"
    assert result.warnings[0] == "results below rank 2 do not count: no page shows more"
    told = "CM: the log does not tell what users make of grade 2 and 3, whose chances count as 0 in ERR"
    assert result.warnings[1] == told


def test_a_value_without_any_overlap_is_refused_at_every_limit() -> None:
    result = value_rankings(TINY, {"new": {"q": {"z": 1.0}}}, examination=[1.0], min_coverage=0.0)
    assert result.values["refused"][0] == "the log covers 0.0% of what users would look at"
