"""The queries that changed most: both rankings side by side, and what each rank adds to the value."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import accumulate
from typing import Any

import numpy as np
import polars as pl

from assay.core.digits import number, short, signed
from assay.core.words import meaning, meant, noted
from assay.measures.counting.ranks import Ranks, as_judged
from assay.measures.registry import Measure
from assay.show import charts
from assay.show.figure import Figure, Series
from assay.show.model import Column, Prose, Section, Table, Widget
from assay.subjects.ranking.document_analysis import changes, on_units, why_no_shares
from assay.subjects.ranking.sections.basis import Basis
from assay.subjects.ranking.sections.queries import shown_in_full

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
    yield from basis.shown.texts.notes([], shown)
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
    names, depth = {"baseline": basis.baseline, "system": basis.system}, basis.shown.ranks
    ranks = {side: on_units(basis.counts[name], chosen["query_id"]) for side, name in names.items()}
    no_steps = why_no_shares(measure, ranks["baseline"]) or ""
    best = {} if no_steps else _best_values(measure, ranks["baseline"])
    moved = changes(measure, ranks["baseline"], ranks["system"], ("baseline", "system"), depth)
    texts = basis.shown.texts.of_documents(moved["doc_id"].to_list())
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
    mark = "▲" if change > 0 else "▼" if change < 0 else "="
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
