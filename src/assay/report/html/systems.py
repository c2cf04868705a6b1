"""The table of systems: every number with its interval drawn below it, on one axis a measure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.report.html.axis import Axis, around
from assay.report.html.markup import Html, change, element, given, joined, number, table, tested
from assay.report.html.whiskers import Reach, whisker

if TYPE_CHECKING:
    from assay.reporting.contents import Score, SystemRow

_MEANT = {"▲": "better than the baseline", "▼": "worse than the baseline", "≈": "equivalent to the baseline"}


def systems_table(systems: Sequence[SystemRow], measures: Sequence[str]) -> Html:
    """The table, and what its marks mean."""
    axes = {
        measure: around(
            (
                value
                for row in systems
                for score in row.scores
                if score.measure == measure
                for value in (score.value, score.low, score.high)
            ),
            zero=False,
        )
        for measure in measures
    }
    judged = any(not math.isnan(row.judged) for row in systems)
    head = joined(
        element("th", "system", scope="col"),
        *(element("th", measure, scope="col", class_="n") for measure in measures),
        *([element("th", "judged@10", scope="col", class_="n")] if judged else []),
    )
    rows = [_row(row, axes, judged) for row in systems]
    return joined(
        table("Systems, with intervals", head, rows, "systems"), element("p", _legend(systems), class_="dim small")
    )


def _row(row: SystemRow, axes: dict[str, Axis], judged: bool) -> Html:
    name = joined(given(row.system), *([" ", element("span", "baseline", class_="tag")] if row.is_baseline else []))
    by_measure = {score.measure: score for score in row.scores}
    cells = [
        _cell(by_measure[measure], axis, row) if measure in by_measure else element("td", "–", class_="n")
        for measure, axis in axes.items()
    ]
    if judged:
        share = "NA" if math.isnan(row.judged) else f"{row.judged:.1%}"
        cells.append(element("td", share, class_="n"))
    return element("tr", element("th", name, scope="row"), *cells, class_="is-baseline" if row.is_baseline else None)


def _cell(score: Score, axis: Axis, row: SystemRow) -> Html:
    mark = []
    if score.mark:
        means = _MEANT.get(score.mark, score.verdict)
        if not math.isnan(score.difference):
            means = f"{means}: {change(score.difference)}, {tested(score.p)}"
        mark = [
            element("span", score.mark, class_=f"mark-{_tone(score.mark)}", role="img", aria_label=means, title=means),
            " ",
        ]
    value = element("b", number(score.value)) if score.is_best else element("span", number(score.value))
    if math.isnan(score.low):
        return element("td", *mark, value, class_="n")
    reach = f"{number(score.low, 3)} – {number(score.high, 3)}"
    says = f"{row.system}, {score.measure}: {number(score.value)}, interval {number(score.low)} to {number(score.high)}"
    tone = "plain" if row.is_baseline else ""
    return element(
        "td",
        element("span", *mark, value, class_="value"),
        whisker(axis, Reach(score.value, score.low, score.high), says, tone),
        element("span", reach, class_="reach-text"),
        class_="n",
    )


def _tone(mark: str) -> str:
    return {"▲": "good", "▼": "bad", "≈": "even"}.get(mark, "open")


def _legend(systems: Sequence[SystemRow]) -> Html:
    scores = [score for row in systems for score in row.scores]
    says = []
    if any(score.is_best for score in scores):
        says.append("Bold: the best number of its column.")
    used = {score.mark for score in scores}
    says += [f"{mark} {means}." for mark, means in _MEANT.items() if mark in used]
    if any(not math.isnan(score.low) for score in scores):
        says.append("Below each number its interval, on one axis for each column.")
    return joined(" ".join(says))
