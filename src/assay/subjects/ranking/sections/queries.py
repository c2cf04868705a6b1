"""Query by query: differences, every value, and the rankings of those that changed most side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from assay.core.digits import number, short, signed
from assay.core.errors import ParameterError, argument, joined, number_of
from assay.core.words import counts, meaning, meant, noted
from assay.show import charts
from assay.show.figure import Figure, Scale, Series
from assay.show.model import Column, Prose, Section, Table, Widget, shown_rows
from assay.subjects.ranking.evidence import Evidence

#: Of more queries than this, only the differences of one system are shown.
_MOST_QUERIES = 1000
#: In a text that is read at a stretch, so many queries are listed.
_READ = 20

_FIRST = {True: "largest gain first", False: "best first", None: "largest rise first"}

_ALONE = {True: "best first", False: "lowest, which is best, first", None: "highest first"}


def differences(basis: Evidence) -> Iterator[Section | str]:
    """The change of each query, of the system looked at closest first; or the values of one system alone."""
    values = basis.query_values
    title = f"{basis.main}, query by query"
    parts = list[Section]()
    for system, part in _of_systems(basis):
        if isinstance(part, str):
            yield part
        elif part.height:
            parts.append(_changes(basis, system, part, len(parts) + 1))
    if parts:
        heading = f"{basis.main} of every system for each query"
        every = Section("values", parts=(_values_table(basis, values, heading),), long=True)
        lead = "How each query changes. A mean can rise while many queries fall."
        yield Section("differences", title, (*parts, every), lead, "Queries", paper=False)
    elif values.height:
        yield Section("differences", title, tuple(_alone(basis, values)), "", "Queries", paper=False)


def _of_systems(basis: Evidence) -> Iterator[tuple[str, pl.DataFrame | str]]:
    """The differences of each system; or, in words, why there are none."""
    findings = {finding.system: finding for finding in basis.findings()}
    others = sorted((name for name in basis.detailed if name != basis.baseline), key=lambda name: name != basis.system)
    if not basis.system:
        return
    same = [name for name in others if name in findings and findings[name].all_zero]
    others = [name for name in others if name not in same]
    if same:
        names = joined([basis.baseline, *same], most=len(same) + 1)
        yield "", f"{names} have the same {basis.main} for every {basis.unit_kind}: there are no differences to list"
    if len(others) > 1 and others[0] in findings and findings[others[0]].units > _MOST_QUERIES:
        units = number_of(basis.unit_kind, findings[others[0]].units)
        another = f"{argument('system')} chooses another"
        yield "", f"with {units}, differences are shown of {basis.system} only; {another}"
        others = others[:1]
    for name in others:
        frame = basis.differences_of(name)
        if isinstance(frame, ParameterError):
            yield "", str(frame)
            return
        yield name, frame


def _changes(basis: Evidence, system: str, frame: pl.DataFrame, place: int) -> Section:
    """One system: a bar for each query, and the numbers."""
    way = basis.higher_is_better(basis.main)
    total = frame.height
    cards = {}
    if system == basis.system:
        cards = {query: f"q{number}" for number, query in enumerate(basis.in_full["query_id"], start=1)}
    left_out = total - len(shown_rows(total))
    cells = frame.with_columns(
        _places(total, f"d{place}-"),
        pl.Series("_card", [cards.get(query, "") for query in frame["query_id"]], dtype=pl.String),
        pl.Series("_meaning", [meaning(value, way) for value in frame["difference"]], dtype=pl.String),
        pl.Series("_label", list(map(_label, frame.iter_rows(named=True))), dtype=pl.String),
    )
    has_card = (pl.col("_place") != "") & (pl.col("_card") != "")
    cells = cells.with_columns(_link=pl.when(has_card).then("_card").otherwise("_place"))
    note = noted(way)
    lead = f"Difference in {basis.main}{f' ({note})' if note else ''}, {_FIRST[way]}."
    fold = f"All {total} queries in numbers"
    if left_out:
        between = f"{left_out:,} between them are left out"
        fold = f"The {total - left_out} queries that differ most in numbers ({between})"
    columns = (
        Column("query_id", "query", "link", link="_card"),
        *([Column("text")] if any(frame["text"]) else []),
        Column("baseline_value", basis.baseline, "number", compared="row"),
        Column("value", system, "number", compared="row"),
        Column("difference", kind="number", signed=True),
    )
    caption = f"{basis.main} of {system} and {basis.baseline} for each query"
    table = Table("queries", cells, columns, caption, most=_READ, fold=fold, ids="_place")
    higher, lower = (int(side.sum()) for side in (frame["difference"] > 0, frame["difference"] < 0))
    return Section(
        f"d{place}",
        f"{system} against {basis.baseline}",
        (_bars(f"bars-{place}", cells, "difference", f"{basis.main} of {system} less that of {basis.baseline}"), table),
        lead,
        data={"measure": basis.main, "baseline": basis.baseline, "system": system},
        fold="open" if place == 1 else "closed",
        aside="\u2003".join(text.replace(" ", "\u00a0") for text in counts(higher, total - higher - lower, lower, way)),
        sparks=tuple(cells.select("difference", "_meaning").rows()),
        long=place > 1,
    )


def _bars(name: str, frame: pl.DataFrame, column: str, of: str, *, meaning: str = "_meaning", look: str = "") -> Figure:
    """One bar for each query, in the order of the frame, each a link to its query."""
    x, y = Scale(kind="category", names=tuple(frame["query_id"])), Scale(zero=True, exact=True)
    frame = frame.with_columns(pl.col(column).fill_nan(None))
    panel = charts.bars(frame, column, x=x, y=y, meaning=meaning, label="_label", link="_link")
    return Figure(name, (panel,), says=f"{of}, a bar for each query", look=look)


def _label(row: dict[str, str | float]) -> str:
    query = f"Query {row['query_id']}" + (f": {row['text']}" if row["text"] else "")
    before, after, change = float(row["baseline_value"]), float(row["value"]), float(row["difference"])
    return f"{query}\n{signed(change)}: {number(before)} to {number(after)}".replace("-", "−")


def _values_table(basis: Evidence, frame: pl.DataFrame, fold: str) -> Table:
    left_out = frame.height - len(shown_rows(frame.height))
    columns = (
        Column("query_id", "query"),
        *([Column("text")] if any(frame["text"]) else []),
        *(Column(basis.column_of(name), name, "number") for name in basis.detailed),
    )
    fold += f" ({number_of('query', left_out)} left out)" if left_out else ""
    cells = frame.with_columns(_places(frame.height, "e"))
    caption = f"{basis.main} for each query"
    return Table("values", cells, columns, caption, most=_READ, fold=fold, ids="_place")


def _places(rows: int, before: str) -> pl.Series:
    """The ids of the rows that a page shows, and nothing for the others."""
    kept = set(shown_rows(rows))
    return pl.Series("_place", [f"{before}{at + 1}" if at in kept else "" for at in range(rows)], dtype=pl.String)


def _alone(basis: Evidence, frame: pl.DataFrame) -> Iterator[Prose | Figure | Table]:
    """One system alone: its value for each query as bars, the best first, and in numbers."""
    way = basis.higher_is_better(basis.main)
    name = basis.detailed[0]
    column = basis.column_of(name)
    value = pl.col(column).fill_nan(None)
    ordered = frame.sort(value, descending=way is not False, nulls_last=True, maintain_order=True)
    labels = [
        f"Query {query}: {text}\n{number(value)}".replace("-", "−")
        for query, text, value in ordered.select("query_id", "text", column).rows()
    ]
    link = _places(ordered.height, "e").alias("_link")
    bars = ordered.with_columns(link, pl.Series("_label", labels, dtype=pl.String))
    yield Prose(f"{basis.main} of {name}, {_ALONE[way]}.", "dim")
    yield _bars("bars", bars, column, f"{basis.main} of {name}", meaning="filled", look="keyed")
    yield _values_table(basis, ordered, "All queries in numbers")


_LINE, _SHORT = 36, 12  # letters in a line on paper, and lines of a query that is kept on one sheet

_MARKS = {"gained": "+", "lost": "×", "up": "▲", "down": "▼", "same": "="}

_LONGEST = 90


def changed(basis: Evidence) -> Iterator[Section | str]:
    """Both rankings of the queries that changed most."""
    queries, moved = basis.query_rankings
    if not queries:
        return
    shown = [item["doc_id"] for query in queries for side in _sides(query) for item in side["ranking"]]
    yield from basis.texts.notes([], shown)
    grades = [item["grade"] for query in queries for side in _sides(query) for item in side["ranking"]]
    top = max((grade for grade in grades if grade is not None), default=1.0)
    data = [_drawn(basis, query, place, top) for place, query in enumerate(queries, start=1)]
    parts = tuple(part for place, query in enumerate(queries, start=1) for part in _written(query, moved, place))
    lead = "Both rankings side by side, with the grade of each document and where it moved."
    yield Section(
        "changed", "The queries that changed most", (Widget("rankings", data, parts),), lead, "Rankings",
        {"queries": queries}, paper=False,
    )  # fmt: skip


def _sides(query: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    return query["baseline"], query["system"]


def _written(query: Mapping[str, Any], moved: pl.DataFrame, place: int) -> Iterator[Prose | Table]:
    """A query for those who read: the documents that one of the systems has, and where each stands."""
    name = f"{query['query_id']}: {query['text']}" if query["text"] else query["query_id"]
    before, after = _sides(query)
    values = " and ".join(f"{number(side['value'])} with {side['system']}" for side in (before, after))
    text = f"{query['measure']}: {values}, {signed(query['difference'])}."
    why = f" There are no contributions by rank: {query['no_steps']}." if query["no_steps"] else ""
    yield Prose(text + why, title=name)
    documents = moved.filter(query_id=query["query_id"]).with_columns(pl.col("change").replace("gained", "new"))
    columns = (
        Column("doc_id", "document"),
        *([Column("title")] if any(documents["title"]) else []),
        Column("grade", kind="short", missing="?"),
        Column("rank_baseline", before["system"], "count", missing=""),
        Column("rank_system", after["system"], "count", missing=""),
        Column("change"),
        *([] if query["no_steps"] else [Column("share", "adds", "number", signed=True)]),
    )
    if documents.height:
        yield Table(f"rankings_{place}", documents, columns)


def _drawn(basis: Evidence, query: Mapping[str, Any], place: int, top: float) -> dict[str, Any]:
    """A query for the page; `top` is the highest grade, the darkest."""
    sides = _sides(query)
    way = basis.higher_is_better(basis.main)
    change = query["difference"]
    if change > 0:
        mark = "▲"
    elif change < 0:
        mark = "▼"
    else:
        mark = "="
    depth = max((item["rank"] for side in sides for item in side["ranking"]), default=0)
    values = " → ".join(number(side["value"]) for side in sides)
    lines = [sum(1 + len(item["title"]) // _LINE for item in side["ranking"]) for side in sides]
    reached = " and ".join(f"{side['system']} reaches {number(side['value'])}" for side in sides)
    says = f"{basis.main} of query {query['query_id']}, summed up by rank: {reached}"
    return {
        "id": f"q{place}",
        "measure": basis.main,
        "query_id": query["query_id"],
        "text": query["text"],
        "meaning": meaning(change, way),
        "change": f"{mark} {signed(change)}{meant(change, way)}",
        "both": f"{basis.main} {values}{noted(way, ', ')}",
        "is_short": max(lines) <= _SHORT,
        "no_steps": query["no_steps"],
        "best": "" if query["best"] is None else number(query["best"]),
        "figure": _waterfall(query, says),
        "sides": [
            {
                "name": name,
                "system": side["system"],
                "value": number(side["value"]),
                "ranking": [item | _moved(item, name, depth) | _graded(item, top) for item in side["ranking"]],
            }
            for name, side in zip(("from", "to"), sides, strict=True)
        ],
    }


def _waterfall(query: Mapping[str, Any], says: str) -> Figure | None:
    """The steps by which both values add up, rank by rank; None where they do not."""
    rows = [
        {
            "side": name,
            "rank": item["rank"] if "doc_id" in item else None,
            "adds": item["adds"],
            "running": item["running"],
            "words": f"{side['system']}, {_step(item)}",
        }
        for name, side in zip(("from", "to"), _sides(query), strict=True)
        for item in [*side["ranking"], *([side["below"]] if side["below"] else [])]
        if item["adds"] is not None
    ]
    if not any(row["adds"] for row in rows):
        return None
    series = [Series(side["system"]) for side in _sides(query)]
    figure = charts.waterfall(pl.DataFrame(rows, infer_schema_length=None), series, best=query["best"])
    return replace(figure, says=says, key=None)


def _step(item: Mapping[str, Any]) -> str:
    """The amount that a rank adds, in words."""
    adds = f"adds {number(item['adds'])}, so far {number(item['running'])}"
    if "doc_id" not in item:
        return f"all below, to rank {item['rank']}: {adds}"
    grade = "not judged" if item["grade"] is None else f"grade {short(item['grade'])}"
    return f"rank {item['rank']}: {item['doc_id']}, {grade}, {adds}"


def _graded(item: Mapping[str, Any], top: float) -> dict[str, Any]:
    """A document's name and its grade, the darker the higher it is on the scale."""
    grade, text = item["grade"], item["text"]
    title = item["title"] or text[:_LONGEST] + ("…" if len(text) > _LONGEST else "") or item["doc_id"]
    if grade is None:
        return {"title": title, "chip": "?", "level": "unjudged", "alternative": "not judged"}
    level = 0 if grade <= 0 else min(3, max(1, round(3 * grade / top)))
    words = f"grade {short(grade)} of {short(top)}"
    return {"title": title, "chip": short(grade), "level": f"g{level}", "alternative": words}


def _moved(item: Mapping[str, Any], name: str, depth: int) -> dict[str, Any]:
    """The place of the document in the other system, in a mark and words."""
    other = "" if item["other_rank"] is None else f" {item['other_rank']}"
    words = {
        "gained": f"enters the top {depth}, was{other}" if other else "new",
        "lost": f"leaves the top {depth}, now{other}" if other else "gone",
        "up": f"{'rises to' if name == 'from' else 'up from'}{other}",
        "down": f"{'falls to' if name == 'from' else 'down from'}{other}",
        "same": "same rank",
    }
    return {"moved": words[item["change"]], "mark": _MARKS[item["change"]]}
