"""Query by query: differences, every value, and the rankings of those that changed most side by side."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import accumulate
from typing import Any

import numpy as np
import polars as pl

from assay.core.digits import number, short, signed
from assay.core.errors import ParameterError, argument, joined, number_of
from assay.core.words import counts, meaning, meant, noted
from assay.measures.counting.ranks import Ranks, as_judged
from assay.measures.registry import Measure
from assay.show import charts
from assay.show.figure import Figure, Scale, Series
from assay.show.model import Column, Prose, Section, Table, Widget, listed
from assay.subjects.ranking.document_analysis import changes, on_units, why_no_shares
from assay.subjects.ranking.sections.basis import Basis

#: Of more queries than this, only the differences of one system are shown.
_MOST_QUERIES = 1000
#: In a text that is read at a stretch, so many queries are listed.
_READ = 20

_FIRST = {True: "largest gain first", False: "best first", None: "largest rise first"}

_NONE = pl.DataFrame(schema={"query_id": pl.String, "difference": pl.Float64})

_ALONE = {True: "best first", False: "lowest, which is best, first", None: "highest first"}


def differences(basis: Basis) -> Iterator[Section | str]:
    """How each query changes, of the system looked at closest first; or the values of one system alone."""
    values = _values(basis)
    title, parts = f"{basis.main}, query by query", list[Section]()
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


def differences_of(basis: Basis, system: str) -> pl.DataFrame:
    """Both values of each query and their difference, the best change first.

    Where lower is better, that is the largest fall; where neither is, the largest rise. Where systems have too little
    in common for a test, one query mostly, it is what they have in common.
    """
    if basis.comparison is not None and basis.findings():
        frame = basis.comparison.queries(basis.main, system, basis.baseline)
        frame = frame.rename(dict(zip(frame.columns[:3], ("query_id", "baseline_value", "value"), strict=True)))
    elif basis.evaluation is not None and not basis.measure(basis.main).is_micro:
        names = {_column_of(basis.baseline): "baseline_value", _column_of(system): "value"}
        frame = _values(basis).select("query_id", *names).rename(names)
        frame = frame.with_columns(difference=pl.col("value") - pl.col("baseline_value"))
        frame = frame.filter(pl.col("difference").is_not_nan())
    else:
        return _NONE
    descending = basis.higher_is_better(basis.main) is not False
    frame = frame.sort("difference", descending=descending, maintain_order=True)
    return frame.select("query_id", _text(basis, frame), "baseline_value", "value", "difference")


def most_changed(frame: pl.DataFrame, most: int, higher_is_better: bool | None) -> pl.DataFrame:
    """The queries with the largest gains, then those with the largest losses: half and half, if there are enough.

    What is a gain depends on the measure; of one that is neither good nor bad, rises come first. The best change stands
    first in the frame.

    >>> frame = pl.DataFrame({"query_id": ["q0", "q1", "q2", "q3", "q4"], "difference": [0.5, 0.2, 0.1, 0.0, -0.4]})
    >>> most_changed(frame, 4, True)["query_id"].to_list()
    ['q0', 'q1', 'q2', 'q4']
    """
    change = pl.col("difference") * (-1 if higher_is_better is False else 1)
    gains, losses = frame.filter(change > 0), frame.filter(change < 0).reverse()
    lost = min(losses.height, max(most // 2, most - gains.height))
    return pl.concat([gains.head(most - lost), losses.head(lost)])


def shown_in_full(basis: Basis) -> pl.DataFrame:
    """The queries whose rankings are shown side by side, those of the system that is looked at closest."""
    if not basis.system or not basis.changed or not basis.counts:
        return _NONE
    try:
        # A system without a number has no difference, and may lack the query.
        frame = differences_of(basis, basis.system).filter(pl.col("difference").is_not_nan())
    except ParameterError:  # the measure is of all queries together
        return _NONE
    if frame.height == 1:  # all there is: the value need not change, but the rankings may
        return frame
    return most_changed(frame, basis.changed, basis.higher_is_better(basis.main)) if frame.height else frame


def _of_systems(basis: Basis) -> Iterator[tuple[str, pl.DataFrame | str]]:
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
    try:
        for name in others:
            yield name, differences_of(basis, name)
    except ParameterError as problem:
        yield "", str(problem)


def _changes(basis: Basis, system: str, frame: pl.DataFrame, place: int) -> Section:
    """One system: a bar for each query, and the numbers."""
    way, total = basis.higher_is_better(basis.main), frame.height
    cards = {}
    if system == basis.system:
        cards = {query: f"q{number}" for number, query in enumerate(shown_in_full(basis)["query_id"], start=1)}
    left_out = total - len(listed(total))
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


def _values(basis: Basis) -> pl.DataFrame:
    """Every query's value under the main measure, of the systems that are looked at closely: one column for each."""
    columns = {name: _column_of(name) for name in basis.detailed}
    if basis.evaluation is None:
        paired = basis.paired[basis.main]
        values = np.asarray(paired.unit_values())[:, [paired.systems.index(name) for name in columns]]
        frame = pl.DataFrame({"query_id": paired.units, **dict(zip(columns.values(), values.T, strict=True))})
    else:
        every = basis.evaluation.to_frame(per_query=True).filter(pl.col("system").is_in(basis.detailed))
        every = every.with_columns(pl.col("system").replace(columns))
        frame = every.pivot("system", index="query_id", values=basis.main, maintain_order=True)
    return frame.select("query_id", _text(basis, frame), pl.col(*columns.values()).fill_null(math.nan))


def _text(basis: Basis, frame: pl.DataFrame) -> pl.Series:
    """What each query of a table looks for."""
    texts = basis.texts.of_queries(frame["query_id"].to_list())
    return pl.Series("text", texts.values(), dtype=pl.String)


def _column_of(system: str) -> str:
    """The column with a system's values: its name, unless a column of every table is called so."""
    return f"{system} (system)" if system in {"query_id", "text"} else system


def _values_table(basis: Basis, frame: pl.DataFrame, fold: str) -> Table:
    left_out = frame.height - len(listed(frame.height))
    columns = (
        Column("query_id", "query"),
        *([Column("text")] if any(frame["text"]) else []),
        *(Column(_column_of(name), name, "number") for name in basis.detailed),
    )
    fold += f" ({number_of('query', left_out)} left out)" if left_out else ""
    cells, caption = frame.with_columns(_places(frame.height, "e")), f"{basis.main} for each query"
    return Table("values", cells, columns, caption, most=_READ, fold=fold, ids="_place")


def _places(rows: int, before: str) -> pl.Series:
    """The ids of the rows that a page shows, and nothing for the others."""
    kept = set(listed(rows))
    return pl.Series("_place", [f"{before}{at + 1}" if at in kept else "" for at in range(rows)], dtype=pl.String)


def _alone(basis: Basis, frame: pl.DataFrame) -> Iterator[Prose | Figure | Table]:
    """One system alone: its value for each query as bars, the best first, and in numbers."""
    way, name = basis.higher_is_better(basis.main), basis.detailed[0]
    column = _column_of(name)
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


def changed(basis: Basis) -> Iterator[Section | str]:
    """Both rankings of the queries that changed most."""
    chosen = shown_in_full(basis)
    if not chosen.height:
        return
    queries, moved = _queries(basis, chosen)
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


def _queries(basis: Basis, chosen: pl.DataFrame) -> tuple[list[dict[str, Any]], pl.DataFrame]:
    """What is known of each query: values, both rankings with what each rank adds, and the best possible value.

    `best` is None where it is not known; `no_steps` says why ranks add nothing. And the documents that changed.
    """
    measure = basis.measure(basis.main)
    names, depth = {"baseline": basis.baseline, "system": basis.system}, basis.show
    ranks = {side: on_units(basis.counts[name], chosen["query_id"]) for side, name in names.items()}
    no_steps = why_no_shares(measure, ranks["baseline"]) or ""
    best = {} if no_steps else _best_values(measure, ranks["baseline"])
    moved = changes(measure, ranks["baseline"], ranks["system"], ("baseline", "system"), depth)
    texts = basis.texts.of_documents(moved["doc_id"].to_list())
    words = [texts[document] for document in moved["doc_id"]]
    moved = moved.with_columns(pl.DataFrame(words, schema={"title": pl.String, "text": pl.String}, orient="row"))
    queries = []
    for row in chosen.iter_rows(named=True):
        query: dict[str, Any] = {"measure": basis.main, "query_id": row["query_id"], "text": row["text"]}
        for side, value in (("baseline", row["baseline_value"]), ("system", row["value"])):
            ranking = _ranking(moved.filter(query_id=row["query_id"]), side, depth)
            added = {} if no_steps else _added(measure, ranks[side], row["query_id"])
            query[side] = {"system": names[side], "value": value, **_steps(ranking, added)}
        most = best.get(row["query_id"], math.nan)
        # Where a value is higher, the measure has another idea of what is best.
        known = most >= max(row["value"], row["baseline_value"])
        query |= {"difference": row["difference"], "best": most if known else None, "no_steps": no_steps}
        queries.append(query)
    return queries, moved


def _sides(query: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    return query["baseline"], query["system"]


def _ranking(moved: pl.DataFrame, side: str, depth: int) -> list[dict[str, Any]]:
    """One side's documents; `grade` is None if nobody judged it, `other_rank` None if the other system lacks it."""
    rank, other = f"rank_{side}", "rank_system" if side == "baseline" else "rank_baseline"
    documents = moved.filter(pl.col(rank) <= depth).sort(rank)
    facts = ("doc_id", "title", "text", "grade", "change")
    return documents.select(pl.col(rank).alias("rank"), *facts, pl.col(other).alias("other_rank")).to_dicts()


def _added(measure: Measure, ranks: Ranks, query: str) -> dict[int, float]:
    """What each rank adds to the value of a query."""
    of_query = as_judged(ranks).only(np.array([each == query for each in ranks.queries], dtype=np.bool_))
    result = measure.per_unit(of_query)
    shares, at_rank = result.shares(), dict[int, float]()
    if shares is not None and not np.isnan(result.values[0]):
        for rank, share in zip(shares.rank.tolist(), shares.share.tolist(), strict=True):
            at_rank[rank] = at_rank.get(rank, 0.0) + share
    return at_rank


def _steps(ranking: list[dict[str, Any]], at_rank: dict[int, float]) -> dict[str, Any]:
    """The ranking with what each rank adds and the value so far; `below` adds up all that stands further down."""
    if not at_rank:
        return {"ranking": [item | {"adds": None, "running": None} for item in ranking], "below": None}
    adds = [at_rank.pop(item["rank"], 0.0) for item in ranking]
    running = list(accumulate(adds))
    steps = [item | {"adds": add, "running": so_far} for item, add, so_far in zip(ranking, adds, running, strict=True)]
    rest, deeper = sum(at_rank.values()), [rank for rank, share in at_rank.items() if share]
    so_far = (running[-1] if running else 0.0) + rest
    below = {"rank": max(deeper), "adds": rest, "running": so_far} if deeper else None
    return {"ranking": steps, "below": below}


def _best_values(measure: Measure, ranks: Ranks) -> dict[str, float]:
    """The value of each query if what is relevant stood first, best first; nothing where that need not be best."""
    judged = as_judged(ranks)
    by_grade = not isinstance(measure.parameters.get("gain"), tuple) and judged.subtopics is None
    if not by_grade or not measure.definition.higher_is_better or judged.policies.depth is not None:
        return {}
    ideal = judged.ideal.where(judged.ideal.grade > 0)
    counts = np.bincount(ideal.query, minlength=len(judged.queries))
    values = measure.per_unit(replace(judged, hits=ideal, retrieved=counts)).values.tolist()
    return {query: value for query, value in zip(judged.queries, values, strict=True) if not np.isnan(value)}


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


def _drawn(basis: Basis, query: Mapping[str, Any], place: int, top: float) -> dict[str, Any]:
    """A query for the page; `top` is the highest grade, the darkest."""
    sides, way, change = _sides(query), basis.higher_is_better(basis.main), query["difference"]
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
    """How both values add up, rank by rank; None where they do not."""
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
    """What a rank adds, in words."""
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
    """Where the other system has the document, in a mark and words."""
    other = "" if item["other_rank"] is None else f" {item['other_rank']}"
    words = {
        "gained": f"enters the top {depth}, was{other}" if other else "new",
        "lost": f"leaves the top {depth}, now{other}" if other else "gone",
        "up": f"{'rises to' if name == 'from' else 'up from'}{other}",
        "down": f"{'falls to' if name == 'from' else 'down from'}{other}",
        "same": "same rank",
    }
    return {"moved": words[item["change"]], "mark": _MARKS[item["change"]]}
