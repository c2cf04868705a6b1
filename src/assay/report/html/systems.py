"""The table of systems: every number with its interval drawn below it, on one axis a measure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.core.digits import as_percent
from assay.core.errors import number_of
from assay.report.html.direction import noted
from assay.report.html.markup import TALL, Html, change, element, given, joined, number, span, table, tested
from assay.report.html.whiskers import Reach, whisker
from assay.report.written import LEGEND, compared_decimals, marks
from assay.show.axis import Axis, around

if TYPE_CHECKING:
    from assay.reporting.contents import Contents, Measured, Score, SystemRow

_TONES = {"▲": "good", "▼": "bad"}


def systems_table(contents: Contents) -> Html:
    """The table, and what its marks mean."""
    systems = contents.systems
    axes = {
        measure.name: around(
            (
                value
                for row in systems
                for score in row.scores
                if score.measure == measure.name
                for value in (score.value, score.low, score.high)
            ),
            zero=False,
        )
        for measure in contents.measures
    }
    judged = any(not math.isnan(row.judged) for row in systems)
    head = joined(
        element("th", "system", scope="col"),
        *map(_measure, contents.measures),
        *([element("th", "judged@10", scope="col", class_="n")] if judged else []),
    )
    least = compared_decimals(contents)
    rows = [_row(row, axes, least, judged) for row in systems]
    return joined(
        table("Systems, with intervals", head, rows, "systems"), element("p", _legend(contents), class_="dim small")
    )


def _measure(measure: Measured) -> Html:
    says = noted(measure.higher_is_better)
    return element(
        "th", measure.name, *([element("span", says, class_="way")] if says else []), scope="col", class_="n"
    )


def _row(row: SystemRow, axes: dict[str, Axis], least: dict[str, int], judged: bool) -> Html:
    name = joined(given(row.system), *([" ", element("span", "baseline", class_="tag")] if row.is_baseline else []))
    by_measure = {score.measure: score for score in row.scores}
    cells = [
        _cell(by_measure[measure], axis, row, least[measure])
        if measure in by_measure
        else element("td", "–", class_="n")
        for measure, axis in axes.items()
    ]
    if judged:
        share = as_percent(row.judged)
        cells.append(element("td", share, class_="n"))
    return element("tr", element("th", name, scope="row"), *cells, class_="is-baseline" if row.is_baseline else None)


def _cell(score: Score, axis: Axis, row: SystemRow, least: int) -> Html:
    mark, text = [], number(score.value, least)
    if score.mark:
        means = LEGEND[score.mark]
        if not math.isnan(score.difference):
            means = f"{means}: {change(score.difference)}, {tested(score.p)}"
        mark = [
            element("span", score.mark, class_=f"mark-{_tone(score.mark)}", role="img", aria_label=means, title=means),
            " ",
        ]
    value = element("b", text) if score.is_best else element("span", text)
    if math.isnan(score.low):
        return element("td", *mark, value, class_="n")
    reach = f"{number(score.low, 3)} – {number(score.high, 3)}"
    says = f"{row.system}, {score.measure}: {text}, interval {span(score.low, score.high)}"
    tone = _tone(score.mark) if score.mark else "plain"
    return element(
        "td",
        element("span", *mark, value, class_="value"),
        whisker(axis, Reach(score.value, score.low, score.high), says, tone),
        element("span", reach, class_="reach-text"),
        class_="n",
    )


def _tone(mark: str) -> str:
    return _TONES.get(mark, "even")


def _legend(contents: Contents) -> Html:
    systems = contents.systems
    scores = [score for row in systems for score in row.scores]
    says = [f"{number_of('system', len(systems))} in all."] if len(systems) > TALL else []
    if any(score.is_best for score in scores):
        says.append("Bold: the best number of its column.")
    says += [f"{told}." for told in marks(contents)]
    if any(not math.isnan(score.low) for score in scores):
        says.append("Below each number its interval, on one axis for each column.")
    return joined(" ".join(says))
