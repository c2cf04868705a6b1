"""Every result of feedback from clicks in every output form, JSON strict, numbers in full."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest

from assay import Log, agree_with_clicks, calibrate_measures, judge_clicks, prefer_clicks, value_rankings
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
