"""Classes in clusters as a map: shaded cells, four ways to read their numbers, and the items behind each.

It works as the map of a classifier does, without a script: see `classifier_heat`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.core.digits import counted
from assay.core.errors import number_of
from assay.report.html.classifier_heat import Way, as_percent, choice, shade, size_of
from assay.report.html.markup import Html, element, given, joined, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.reporting.cluster_contents import ContingencyMap, MapCell

_WAYS = (
    Way("count", "Counts"),
    Way("truth", "Share of each class (rows)"),
    Way("predicted", "Share of each cluster (columns)"),
    Way("all", "Share of all items"),
)


def maps(parts: Sequence[ContingencyMap]) -> Html:
    """A map for each clustering, the first one open."""
    made = []
    for place, one in enumerate(parts, start=1):
        drawn = contingency_map(one, f"m{place}")
        if len(parts) > 1:
            line = element("summary", element("h3", given(one.system)), _pure(one))
            drawn = element("details", line, drawn, class_="panel on-paper", open=place == 1, id=f"m{place}-panel")
        made.append(drawn)
    return joined(*made)


def contingency_map(one: ContingencyMap, id: str) -> Html:
    """The map, the choice of what its cells show, and the items of each cell."""
    left_out = [element("p", one.left_out, class_="dim small")] if one.left_out else []
    first = element("div", _table(one, id), element("p", _legend(one), class_="dim small"), *left_out)
    return element(
        "div",
        choice(id, _WAYS),
        element("div", first, _panels(one, id), class_="map-and-items"),
        class_=size_of(one.clusters),
        id=id,
    )


def _pure(one: ContingencyMap) -> Html:
    """How many items are of the largest class of their cluster, for the line that opens the map."""
    cells = [cell for row in one.cells for cell in row]
    total = sum(cell.number for cell in cells)
    held = sum(max(row[place].number for row in one.cells) for place in range(len(one.clusters)))
    return element(
        "span", f"{counted(held)} of {counted(total)} are of the largest class of their cluster", class_="dim"
    )


def _legend(one: ContingencyMap) -> str:
    linked = any(cell.items for row in one.cells for cell in row)
    return (
        "Rows are classes, columns clusters. Green is the largest class of a cluster, which purity counts; red are the "
        f"others in it. The stronger the colour, the more.{' A cell leads to its items.' if linked else ''}"
    )


def _table(one: ContingencyMap, id: str) -> Html:
    most = max((cell.number for row in one.cells for cell in row), default=0.0) or 1.0
    every = "shown" if one.left_out else "all"  # sums are of what is here
    head = joined(
        element("th", "class ↓ cluster →", scope="col", class_="corner"),
        *(element("th", element("span", given(label), title=label), scope="col") for label in one.clusters),
        element("th", every, scope="col", class_="margin"),
    )
    rows = []
    for row, name in enumerate(one.classes):
        cells = [_cell(one, row, column, most=most, id=f"{id}-{row}-{column}") for column in range(len(one.clusters))]
        total = counted(sum(cell.number for cell in one.cells[row]))
        head_of_row = element("th", element("span", given(name), title=name), scope="row")
        rows.append(element("tr", head_of_row, *cells, element("td", total, class_="margin")))
    columns = [sum(row[place].number for row in one.cells) for place in range(len(one.clusters))]
    sums = [element("td", counted(column), class_="margin") for column in (*columns, sum(columns))]
    rows.append(element("tr", element("th", every, scope="row", class_="margin"), *sums))
    return table(f"Classes of {one.system} in rows, clusters in columns", head, rows)


def _cell(one: ContingencyMap, row: int, column: int, *, most: float, id: str) -> Html:
    cell = one.cells[row][column]
    shades = [f"c{shade(cell.number / most)}", f"t{shade(cell.of_class)}", f"p{shade(cell.of_cluster)}"]
    numbers = joined(
        element("span", counted(cell.number), class_="in-count"),
        element("span", as_percent(cell.of_class), class_="in-truth"),
        element("span", as_percent(cell.of_cluster), class_="in-predicted"),
        element("span", as_percent(cell.of_all), class_="in-all"),
    )
    says = ". ".join((_headline(one, row, column), *_shares(one, row, column)))
    inside = element("a", numbers, href=f"#{id}", title=says) if cell.items else element("span", numbers, title=says)
    kind = "right" if cell.largest else "wrong"
    return element("td", inside, class_=" ".join([kind, *shades, *([] if cell.number else ["none"])]))


def _headline(one: ContingencyMap, row: int, column: int) -> str:
    """How many items a cell holds, in words."""
    cell = one.cells[row][column]
    weight = "" if cell.number == (cell.all_items or cell.number) else f", with a weight of {counted(cell.number)}"
    items = number_of("item", cell.all_items) if cell.all_items else f"{counted(cell.number)} items"
    return f"{items} of class {one.classes[row]} in cluster {one.clusters[column]}{weight}"


def _shares(one: ContingencyMap, row: int, column: int) -> list[str]:
    cell = one.cells[row][column]
    return [
        f"{as_percent(cell.of_class)} of the class {one.classes[row]}",
        f"{as_percent(cell.of_cluster)} of the cluster {one.clusters[column]}",
        f"{as_percent(cell.of_all)} of all items",
    ]


def _panels(one: ContingencyMap, id: str) -> Html:
    """The items of each cell; without a cell chosen, how to choose one."""
    panels = [
        _panel(one, row, column, f"{id}-{row}-{column}")
        for row, cells in enumerate(one.cells)
        for column, cell in enumerate(cells)
        if cell.items
    ]
    if not panels:
        return Html("")
    hint = element("p", "Choose a cell to see its items here.", class_="dim hint")
    return element("div", hint, *panels, class_="cell-items")


def _panel(one: ContingencyMap, row: int, column: int, id: str) -> Html:
    cell: MapCell = one.cells[row][column]
    listed = element("ul", *(element("li", given(name)) for name in cell.items), class_="ids")
    rest = cell.all_items - len(cell.items)
    return element(
        "div",
        element("p", element("b", _headline(one, row, column))),
        element("ul", *(element("li", text) for text in _shares(one, row, column))),
        listed,
        *([element("p", f"and {rest:,} more", class_="dim small")] if rest else []),
        element("p", element("a", "Back to the map", href=f"#{id.split('-', maxsplit=1)[0]}"), class_="small"),
        class_="cell-panel",
        id=id,
        tabindex=-1,
    )
