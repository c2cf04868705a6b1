"""The confusion matrix as a map: shaded cells, four ways to read their numbers, and the items behind each.

All of it works without a script: what the cells show is chosen by radio buttons that the style reads, and a cell is a
link to its items, which the style shows as long as they are what the address points at.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from assay.core import digits
from assay.core.digits import counted
from assay.core.errors import number_of
from assay.report.html.markup import Html, element, given, joined, number, table

if TYPE_CHECKING:
    from assay.reporting.classifier_contents import ClassifierContents, Matrix, MatrixCell, Share

#: Of more labels than these the columns' names are turned, and items stand below the map.
MANY_LABELS = 8
#: Of names that are longer than this together, items stand below the map, too.
LONG_NAMES, LONGEST_LINE = 48, 16
#: Shades from none to full.
SHADES = 10


class Way(NamedTuple):
    """A way to read the cells: the value of its radio button, and what it is called."""

    value: str
    says: str


_WAYS = (
    Way("count", "Counts"),
    Way("truth", "Share of each true label (rows)"),
    Way("predicted", "Share of each predicted label (columns)"),
    Way("all", "Share of all items"),
)


def matrices(contents: ClassifierContents) -> Html:
    """A map for each system, the first one open."""
    maps = []
    for place, matrix in enumerate(contents.matrices, start=1):
        drawn = heat_map(matrix, f"m{place}", contents.confidence)
        if len(contents.matrices) > 1:
            line = element("summary", element("h3", given(matrix.system)), _right(matrix))
            drawn = element("details", line, drawn, class_="panel on-paper", open=place == 1, id=f"m{place}-panel")
        maps.append(drawn)
    return joined(*maps)


def heat_map(matrix: Matrix, id: str, confidence: float) -> Html:
    """The map, the choice of what its cells show, and the items of each cell."""
    left_out = [element("p", matrix.left_out, class_="dim small")] if matrix.left_out else []
    return element(
        "div",
        choice(id, _WAYS),
        element(
            "div",
            element(
                "div",
                _table(matrix, id, confidence),
                element("p", _legend(matrix), class_="dim small"),
                *left_out,
            ),
            _panels(matrix, id, confidence),
            class_="map-and-items",
        ),
        class_=size_of(matrix.labels),
        id=id,
    )


def choice(id: str, ways: Sequence[Way]) -> Html:
    """Radio buttons that say how to read the cells; the first is chosen."""
    return element(
        "fieldset",
        element("legend", "Cells show"),
        *(
            element(
                "label",
                element("input", type="radio", name=f"{id}-by", value=way.value, checked=way == ways[0]),
                element("span", way.says),
            )
            for way in ways
        ),
        class_="by",
    )


def size_of(labels: Sequence[str]) -> str:
    """The class of a map, by how many labels its columns have, and how long they are."""
    if len(labels) > MANY_LABELS:
        return "heat many"
    return "heat wide" if sum(min(len(label), LONGEST_LINE) for label in labels) > LONG_NAMES else "heat"


def _right(matrix: Matrix) -> Html:
    """How many items a system got right, for the line that opens its map."""
    total = sum(cell.number for row in matrix.cells for cell in row)
    right = sum(matrix.cells[place][place].number for place in range(len(matrix.labels)))
    return element("span", f"{counted(right)} of {counted(total)} right", class_="dim")


def _legend(matrix: Matrix) -> str:
    linked = any(cell.items for row in matrix.cells for cell in row)
    listed = " A cell leads to its items." if linked else ""
    return (
        "Rows are true labels, columns predicted ones. On the diagonal, green, predictions are right; elsewhere, red, "
        f"they are wrong. The stronger the colour, the more.{listed}"
    )


def _table(matrix: Matrix, id: str, confidence: float) -> Html:
    most = max((cell.number for row in matrix.cells for cell in row), default=0.0) or 1.0
    columns = [sum(row[place].number for row in matrix.cells) for place in range(len(matrix.labels))]
    every = "shown" if matrix.left_out else "all"  # sums are of the labels that are here
    head = joined(
        element("th", "truth ↓ predicted →", scope="col", class_="corner"),
        *(element("th", element("span", given(label), title=label), scope="col") for label in matrix.labels),
        element("th", every, scope="col", class_="margin"),
    )
    rows = []
    for row, label in enumerate(matrix.labels):
        cells = [
            _cell(matrix, row, column, most=most, id=f"{id}-{row}-{column}", confidence=confidence)
            for column in range(len(matrix.labels))
        ]
        total = counted(sum(cell.number for cell in matrix.cells[row]))
        name = element("th", element("span", given(label), title=label), scope="row")
        rows.append(element("tr", name, *cells, element("td", total, class_="margin")))
    sums = [element("td", counted(column), class_="margin") for column in (*columns, sum(columns))]
    rows.append(element("tr", element("th", every, scope="row", class_="margin"), *sums))
    return table(f"Confusion matrix of {matrix.system}: true labels in rows, predicted ones in columns", head, rows)


def _cell(matrix: Matrix, row: int, column: int, *, most: float, id: str, confidence: float) -> Html:
    cell = matrix.cells[row][column]
    shades = [
        f"{name}{shade(share)}"
        for name, share in (
            ("c", cell.number / most),
            ("t", cell.of_truth.value),
            ("p", cell.of_predicted.value),
        )
    ]
    numbers = joined(
        element("span", counted(cell.number), class_="in-count"),
        element("span", as_percent(cell.of_truth.value), class_="in-truth"),
        element("span", as_percent(cell.of_predicted.value), class_="in-predicted"),
        element("span", as_percent(cell.of_all.value), class_="in-all"),
    )
    says = ". ".join((_headline(matrix, row, column), *_shares(matrix, row, column, confidence)))
    inside = element("a", numbers, href=f"#{id}", title=says) if cell.items else element("span", numbers, title=says)
    kind = "right" if row == column else "wrong"
    return element("td", inside, class_=" ".join([kind, *shades, *([] if cell.number else ["none"])]))


def shade(share: float) -> int:
    """The nearest shade, but some shade for whatever is not nothing."""
    if math.isnan(share) or share <= 0:
        return 0
    return max(1, round(SHADES * share))


def _panels(matrix: Matrix, id: str, confidence: float) -> Html:
    """The items of each cell; without a cell chosen, how to choose one."""
    panels = [
        _panel(matrix, row, column, f"{id}-{row}-{column}", confidence)
        for row, column, cell in _with_items(matrix)
        if cell.items
    ]
    if not panels:
        return Html("")
    hint = element("p", "Choose a cell to see its items here.", class_="dim hint")
    return element("div", hint, *panels, class_="cell-items")


def _with_items(matrix: Matrix) -> Iterator[tuple[int, int, MatrixCell]]:
    for row, cells in enumerate(matrix.cells):
        for column, cell in enumerate(cells):
            yield row, column, cell


def _panel(matrix: Matrix, row: int, column: int, id: str, confidence: float) -> Html:
    cell = matrix.cells[row][column]
    scored = any(not math.isnan(item.score) for item in cell.items)
    names = ["item", "truth", "prediction"]
    head = joined(
        *(element("th", name, scope="col") for name in names),
        *([element("th", "score", scope="col", class_="n")] if scored else []),
    )
    rows = [
        element(
            "tr",
            element("th", given(item.item_id), scope="row"),
            element("td", given(item.truth)),
            element("td", given(item.prediction)),
            *([element("td", _score(item.score), class_="n")] if scored else []),
        )
        for item in cell.items
    ]
    headline = _headline(matrix, row, column)
    shown = f"The first {len(rows):,} of {cell.all_items:,}" if len(rows) < cell.all_items else "All of them"
    facts = element("ul", *(element("li", text) for text in _shares(matrix, row, column, confidence)))
    return element(
        "div",
        element("p", element("b", headline)),
        facts,
        element("p", f"{shown}, {matrix.order}.", class_="dim small"),
        table(headline, head, rows, "listed"),
        element("p", element("a", "Back to the matrix", href=f"#{id.split('-', maxsplit=1)[0]}"), class_="small"),
        class_="cell-panel",
        id=id,
        tabindex=-1,
    )


def _score(value: float) -> str:
    """A score of any size.

    >>> _score(0.5), _score(-3e307), _score(2.5e-12)
    ('0.5000', '−3e+307', '2.5e−12')
    """
    usual = not value or math.isnan(value) or 1e-4 <= abs(value) < 1e9
    return number(value) if usual else digits.significant(value, 4).replace("-", "−")


def _headline(matrix: Matrix, row: int, column: int) -> str:
    """How many items a cell holds, in words."""
    cell = matrix.cells[row][column]
    count, known = cell.number, cell.all_items or cell.number
    truth, prediction = matrix.labels[row], matrix.labels[column]
    items = number_of("item", int(count)) if count == known == int(count) else f"items of weight {counted(count)}"
    weight = ""
    if count != known:
        items, weight = number_of("item", cell.all_items), f", with a weight of {counted(count)}"
    if row == column:
        return f"{items} of {truth} predicted rightly{weight}"
    return f"{items} of {truth} predicted as {prediction}{weight}"


def _shares(matrix: Matrix, row: int, column: int, confidence: float) -> list[str]:
    cell = matrix.cells[row][column]
    told = (
        (cell.of_truth, f"of all that are {matrix.labels[row]}"),
        (cell.of_predicted, f"of all predicted as {matrix.labels[column]}"),
        (cell.of_all, "of all items"),
    )
    return [f"{_with_interval(share, confidence)} {of}" for share, of in told if not math.isnan(share.value)]


def _with_interval(share: Share, confidence: float) -> str:
    if math.isnan(share.low):
        return as_percent(share.value)
    reach = f"{digits.as_level(confidence)} interval {digits.percent_span(share.low, share.high)}"
    return f"{as_percent(share.value)} ({reach})"


def as_percent(share: float) -> str:
    """A share as people read it.

    >>> as_percent(0.25), as_percent(math.nan)
    ('25.0%', '–')
    """
    return "–" if math.isnan(share) else digits.as_percent(share)
