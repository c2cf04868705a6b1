"""How a value adds up, document by document: the steps of both systems side by side, rank by rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.core.digits import short
from assay.report.html.grid import grid
from assay.report.html.markup import Html, element, given, number, percent
from assay.show.axis import Axis, rounded_out

if TYPE_CHECKING:
    from assay.reporting.contents import ChangedQuery, Contribution, Side

#: Up to here every rank has its place; further down only ranks that add something.
MOST_RANKS = 20
_ROOM = 0.14  # between the places of two ranks, as a share of one


def waterfall(query: ChangedQuery) -> Html:
    """The chart and its key; nothing where the value does not add up over documents."""
    steps = (*query.baseline.steps, *query.system.steps)
    ranks = shown_ranks(steps)
    if not ranks:
        return Html("")
    tops = [0.0 if query.best is None else query.best, *(step.running for step in steps)]
    axis = rounded_out((*tops, *(step.running - step.adds for step in steps)), about=4)
    parts = grid(axis, 4)
    if query.best is not None:
        level = percent(axis.from_top(query.best))
        parts.append(element("line", x1="0", x2="100%", y1=level, y2=level, class_="best"))
    every = 1 if len(ranks) <= 12 else 2 if len(ranks) <= 24 else 5
    parts += [
        element(
            "text",
            "below" if rank is None else str(rank),
            x=percent((place + 0.5) / len(ranks)),
            y="100%",
            dy="17",
            class_="middle",
        )
        for place, rank in enumerate(ranks)
        if place % every == 0 or rank is None
    ]
    for side, name in ((query.baseline, "from"), (query.system, "to")):
        parts += _steps(axis, ranks, side, name)
    says = (
        f"{query.measure} of query {query.query_id}, summed up by rank: {query.baseline.system} reaches "
        f"{number(query.baseline.value)}, {query.system.system} {number(query.system.value)}"
    )
    return element(
        "figure",
        element("figcaption", f"How {query.measure} adds up, rank by rank", class_="eyebrow"),
        element(
            "ul",
            element("li", _swatch("from"), given(query.baseline.system), f" {number(query.baseline.value)}"),
            element("li", _swatch("to"), given(query.system.system), f" {number(query.system.value)}"),
            *([] if query.best is None else [element("li", _swatch("best"), f"best possible {number(query.best)}")]),
            class_="key flat",
        ),
        element(
            "div",
            element("svg", element("title", says), *parts, class_="waterfall", role="img"),
            class_="plot",
        ),
        element("p", "rank", class_="axis-name right"),
    )


def shown_ranks(steps: tuple[Contribution, ...]) -> list[int | None]:
    """The ranks that have a place in the chart; None, at the end, stands for all below the ranking that is shown.

    >>> from assay.reporting.contents import Contribution
    >>> shown_ranks((Contribution(2, "d2", 1.0, 0.5, 0.5), Contribution(50, "", None, 0.1, 0.6)))
    [1, 2, None]
    """
    ranks = [step.rank for step in steps if step.doc_id]
    last = max(ranks, default=0)
    below: list[int | None] = [None] if any(not step.doc_id and step.adds for step in steps) else []
    if last <= MOST_RANKS:
        return [*range(1, last + 1), *below]
    return [*sorted({step.rank for step in steps if step.doc_id and step.adds}), *below]


def _steps(axis: Axis, ranks: Sequence[int | None], side: Side, name: str) -> list[Html]:
    """The bars of one system, each from the sum before it to the sum after it, and the line that joins them."""
    slot = 1 / len(ranks)
    width = slot * (1 - _ROOM) / 2
    shift = slot * _ROOM / 2 + (width if name == "to" else 0.0)
    by_rank = {step.rank if step.doc_id else None: step for step in side.steps}
    parts, running, reached = [], 0.0, 0.0
    for place, rank in enumerate(ranks):
        step, x = by_rank.get(rank), place * slot + shift
        if step is None or not step.adds:
            continue
        if reached:
            parts.append(_join(axis, running, reached, x, name))
        ends = sorted((axis.from_top(step.running), axis.from_top(step.running - step.adds)))
        parts.append(
            element(
                "rect",
                element("title", f"{side.system}, {_says(step)}"),
                x=percent(x),
                y=percent(ends[0]),
                width=percent(width),
                height=percent(max(ends[1] - ends[0], 0.004)),
                class_=f"step {name}",
            )
        )
        running, reached = step.running, x + width
    return [*parts, *([_join(axis, running, reached, 1.0, name)] if reached else [])]


def _says(step: Contribution) -> str:
    adds = f"adds {number(step.adds)}, so far {number(step.running)}"
    if not step.doc_id:
        return f"all below, to rank {step.rank}: {adds}"
    grade = "not judged" if step.grade is None else f"grade {short(step.grade)}"
    return f"rank {step.rank}: {step.doc_id}, {grade}, {adds}"


def _join(axis: Axis, value: float, start: float, end: float, name: str) -> Html:
    level = percent(axis.from_top(value))
    return element("line", x1=percent(start), x2=percent(end), y1=level, y2=level, class_=f"join {name}")


def _swatch(name: str) -> Html:
    if name == "best":
        shape = element("line", x1="0", x2="100%", y1="50%", y2="50%", class_="best")
    else:
        shape = element("rect", width="100%", height="100%", class_=f"step {name}")
    return element("svg", shape, class_="swatch", aria_hidden="true")
