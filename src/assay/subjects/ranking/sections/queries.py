"""Query by query: the differences from the baseline as bars and in numbers, and every value of every system."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import polars as pl

from assay.core.digits import number, signed
from assay.core.errors import ParameterError, argument, joined, number_of
from assay.core.words import counts, meaning, noted
from assay.show import charts
from assay.show.figure import Figure, Scale
from assay.show.model import Column, Prose, Section, Table, listed
from assay.subjects.ranking.sections.basis import Basis

#: Of more queries than this, only the differences of one system are shown.
_MOST_QUERIES = 1000
#: In a text that is read at a stretch, so many queries are listed.
_READ = 20
_FIRST = {True: "largest gain first", False: "best first", None: "largest rise first"}
_NONE = pl.DataFrame(schema={"query_id": pl.String})
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
        names = {basis.baseline: "baseline_value", system: "value"}
        frame = _values(basis).select("query_id", *names).rename(names)
        frame = frame.with_columns(difference=pl.col("value") - pl.col("baseline_value"))
        frame = frame.filter(pl.col("difference").is_not_nan())
    else:
        return _NONE
    descending = basis.higher_is_better(basis.main) is not False
    frame = frame.sort("difference", descending=descending, maintain_order=True)
    texts = basis.shown.texts.of_queries(frame["query_id"].to_list())
    text = pl.Series("text", [texts[query] for query in frame["query_id"]], dtype=pl.String)
    return frame.select("query_id", text, "baseline_value", "value", "difference")


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
    if not basis.system or not basis.shown.queries or not basis.counts:
        return _NONE
    try:
        frame = differences_of(basis, basis.system)
    except ParameterError:  # the measure is of all queries together
        return _NONE
    if frame.height == 1:  # all there is: the value need not change, but the rankings may
        return frame
    return most_changed(frame, basis.shown.queries, basis.higher_is_better(basis.main)) if frame.height else frame


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
    if basis.evaluation is None:
        paired = basis.paired[basis.main]
        values = np.asarray(paired.unit_values())[:, [paired.systems.index(name) for name in basis.detailed]]
        frame = pl.DataFrame({"query_id": paired.units, **dict(zip(basis.detailed, values.T, strict=True))})
    else:
        every = basis.evaluation.to_frame(per_query=True).filter(pl.col("system").is_in(basis.detailed))
        frame = every.pivot("system", index="query_id", values=basis.main, maintain_order=True)
    texts = basis.shown.texts.of_queries(frame["query_id"].to_list())
    text = pl.Series("text", [texts[query] for query in frame["query_id"]], dtype=pl.String)
    return frame.select("query_id", text, pl.col(basis.detailed).fill_null(math.nan))


def _values_table(basis: Basis, frame: pl.DataFrame, fold: str) -> Table:
    left_out = frame.height - len(listed(frame.height))
    columns = (
        Column("query_id", "query"),
        *([Column("text")] if any(frame["text"]) else []),
        *(Column(name, kind="number") for name in basis.detailed),
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
    value = pl.col(name).fill_nan(None)
    ordered = frame.sort(value, descending=way is not False, nulls_last=True, maintain_order=True)
    labels = [
        f"Query {query}: {text}\n{number(value)}".replace("-", "−")
        for query, text, value in ordered.select("query_id", "text", name).rows()
    ]
    link = _places(ordered.height, "e").alias("_link")
    bars = ordered.with_columns(link, pl.Series("_label", labels, dtype=pl.String))
    yield Prose(f"{basis.main} of {name}, {_ALONE[way]}.", "dim")
    yield _bars("bars", bars, name, f"{basis.main} of {name}", meaning="filled", look="keyed")
    yield _values_table(basis, ordered, "All queries in numbers")
