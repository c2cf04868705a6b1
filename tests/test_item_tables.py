"""Tables of measures on the pages of classifiers and clusterings: what stands in a column is drawn on one axis."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest
from assay.report.html.item_tables import measures_table, verdicts_table
from assay.reporting.cluster_contents import ClusterContents

from assay import Clusters, cluster

_WITHOUT_BOUNDS = ("DaviesBouldin", "CalinskiHarabasz")
_DRAWN = re.compile(r'<svg class="whisker[^"]*"[^>]*><title>(.*?)</title>.*?<circle cx="([\d.]+)%"')


@cache
def pair() -> ClusterContents:
    """A good clustering, and one that is worse than chance: some of its numbers are negative."""
    truth = np.arange(60) % 3
    points = np.random.default_rng(0).normal(size=(60, 2)) + np.array([[0, 0], [4, 0], [0, 4]])[truth]
    good = Clusters.of(truth.tolist(), np.where(np.arange(60) < 50, truth, 0).tolist(), X=points)
    poor = Clusters.of(truth.tolist(), (np.arange(60) // 3 % 4).tolist(), X=points)
    result = cluster({"good": good, "poor": poor}, resamples=200)
    made: ClusterContents = result.report(comparison={"bootstrap_resamples": 200}).contents
    return made


def places(html: str) -> dict[str, float]:
    """Where the dot of each drawing stands, by what the drawing says."""
    return {says: float(place) for says, place in _DRAWN.findall(html)}


@pytest.mark.parametrize("system", ["good", "poor"])
def test_dots_of_a_column_stand_where_their_numbers_are_on_one_axis(system: str) -> None:
    row = next(row for row in pair().systems if row.system == system)
    values = {one.measure: one.value for one in row.estimates if one.measure not in _WITHOUT_BOUNDS}
    found = places(measures_table(pair()._replace(systems=(row,))))
    at = {measure: next(x for says, x in found.items() if f", {measure}: " in says) for measure in values}
    low = min(0.0, *(one.low for one in row.estimates if one.measure in values))
    assert (low < 0) is (system == "poor")
    # One straight line from value to place serves all of them; 1 is at its end.
    slope, zero = np.polyfit(list(values.values()), list(at.values()), 1)
    assert list(at.values()) == pytest.approx([zero + slope * value for value in values.values()], abs=0.02)
    assert zero + slope == pytest.approx(100, abs=0.05)
    assert zero == pytest.approx(0, abs=0.05) if low == 0 else zero > 0


def test_the_axis_is_told_once_over_each_column() -> None:
    html = measures_table(pair())
    heads, rows = html.split("</thead>")
    assert heads.count('class="ticks-of"') == 2
    assert "ticks-of" not in rows
    assert all(f">{tick}</text>" in heads for tick in ("0", "0.5", "1"))


def test_measures_without_bounds_have_numbers_and_no_dot() -> None:
    for html in (measures_table(pair()), verdicts_table(pair(), "Compared")):
        assert "DaviesBouldin" in html
        assert [says for says in places(html) if any(name in says for name in _WITHOUT_BOUNDS)] == []
    one = next(one for one in pair().systems[0].estimates if one.measure == "CalinskiHarabasz")
    assert f"{one.value:.4f}" in measures_table(pair())


def test_differences_of_all_measures_stand_on_one_axis() -> None:
    html = verdicts_table(pair(), "Compared")
    found = places(html)
    drawn = [one for one in pair().verdicts if one.measure not in _WITHOUT_BOUNDS]
    at = [next(x for says, x in found.items() if f" under {one.measure}:" in says) for one in drawn]
    values = [one.difference for one in drawn]
    slope, zero = np.polyfit(values, at, 1)
    assert len(drawn) > 2
    assert at == pytest.approx([zero + slope * value for value in values], abs=0.02)
    assert html.count('class="ticks-of"') == 1


def test_why_there_is_no_interval_is_told_in_every_form() -> None:
    contents = pair()
    report = cluster(Clusters.of(None, [0, 0, 1, 1], X=[[0.0], [1.0], [5.0], [7.0]]), "CalinskiHarabasz").report()
    for text in (report.to_html(), report.to_markdown(), report.to_latex()):
        assert "of CalinskiHarabasz: it grows with the number of items" in text
    assert "No interval (–) of CalinskiHarabasz" in measures_table(contents)
