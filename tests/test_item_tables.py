"""Tables of measures on the pages of classifiers and clusterings: what stands in a column is drawn on one axis."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

from assay import Clustering, Clusters, Predictions, Report, classify, cluster
from assay.show.html import write
from assay.show.model import Document, Section

_WITHOUT_BOUNDS = ("DaviesBouldin", "CalinskiHarabasz")
_DRAWN = re.compile(r'<svg class="whisker[^"]*"[^>]*><title>(.*?)</title>.*?<circle cx="([\d.]+)%"')


@cache
def pair() -> Clustering:
    """A good clustering, and one that is worse than chance: some of its numbers are negative."""
    truth = np.arange(60) % 3
    points = np.random.default_rng(0).normal(size=(60, 2)) + np.array([[0, 0], [4, 0], [0, 4]])[truth]
    good = Clusters.of(truth.tolist(), np.where(np.arange(60) < 50, truth, 0).tolist(), X=points)
    poor = Clusters.of(truth.tolist(), (np.arange(60) // 3 % 4).tolist(), X=points)
    return cluster({"good": good, "poor": poor}, resamples=200)


@cache
def of_pair() -> Report:
    made: Report = pair().report(comparison={"bootstrap_resamples": 200})
    return made


def page(report: Report, name: str) -> str:
    """A page with one section of the report."""
    return write(Document("report", (Section("summary"), report.section(name)), "x", page=True))


def places(html: str) -> dict[str, float]:
    """Where the dot of each drawing stands, by what the drawing says."""
    return {says: float(place) for says, place in _DRAWN.findall(html)}


def test_dots_stand_where_their_numbers_are_on_one_axis() -> None:
    result, found = pair(), places(page(of_pair(), "measures"))
    shown = [measure for measure in result.measures if str(measure) not in _WITHOUT_BOUNDS]
    values, at = [], []
    for says, place in found.items():
        name, _, rest = says.partition(", ")
        system, _, _ = rest.partition(":")
        (measure,) = (each for each in shown if str(each) == name.removesuffix("1") or str(each) == name)
        values.append(result.value(measure, system))
        at.append(place)
    assert len(found) == 2 * len(shown)
    assert min(values) < 0
    # One straight line from value to place serves all of them; 1 is at its end.
    slope, zero = np.polyfit(values, at, 1)
    assert at == pytest.approx([zero + slope * value for value in values], abs=0.02)
    assert zero + slope == pytest.approx(100, abs=0.05)
    assert zero > 0


def test_the_axis_is_told_once_over_each_column() -> None:
    heads, _, rows = page(of_pair(), "measures").partition("</thead>")
    assert heads.count('class="ticks-of"') == 2
    assert "ticks-of" not in rows
    assert all(f">{tick}</text>" in heads for tick in ("0", "0.5", "1"))


def test_measures_without_bounds_have_numbers_and_no_dot() -> None:
    for name in ("measures", "compared"):
        html = page(of_pair(), name)
        assert "DaviesBouldin" in html
        assert [says for says in places(html) if any(measure in says for measure in _WITHOUT_BOUNDS)] == []
    assert f"{pair().value('CalinskiHarabasz', 'good'):.4f}" in page(of_pair(), "measures")


def test_differences_of_all_measures_stand_on_one_axis() -> None:
    html = page(of_pair(), "compared")
    found = places(html)
    frame = of_pair().table("findings")
    drawn = [row for row in frame.iter_rows(named=True) if row["measure"] not in _WITHOUT_BOUNDS]
    at = [next(x for says, x in found.items() if says.startswith(f"{row['measure']},")) for row in drawn]
    values = [row["difference"] for row in drawn]
    slope, zero = np.polyfit(values, at, 1)
    assert len(drawn) > 2
    assert at == pytest.approx([zero + slope * value for value in values], abs=0.02)
    assert html.count('class="ticks-of"') == 1


def test_classifiers_are_drawn_so_too() -> None:
    truth = [1, 0, 1, 0, 1, 1, 0, 0] * 5
    given = Predictions.of(truth, [1, 0, 0, 0, 1, 1, 1, 0] * 5)
    result = classify(given, ["Accuracy", "MCC", "Kappa", "BalancedAccuracy"], resamples=100)
    found = places(page(result.report(), "measures"))
    values = {str(measure): result.value(measure) for measure in result.measures}
    at = {name: next(x for says, x in found.items() if says.startswith(f"{name},")) for name in values}
    assert sorted(at, key=at.__getitem__) == sorted(values, key=values.__getitem__)


def test_why_there_is_no_interval_is_told_in_every_form() -> None:
    report = cluster(Clusters.of(None, [0, 0, 1, 1], X=[[0.0], [1.0], [5.0], [7.0]]), "CalinskiHarabasz").report()
    for text in (report.to_html(), report.to_markdown(), report.to_latex()):
        assert "of CalinskiHarabasz: it grows with the number of items" in text
    assert "No interval (–) of CalinskiHarabasz" in page(of_pair(), "measures")
