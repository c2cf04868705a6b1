"""Tables of clicks (CSV, TSV, JSONL, Parquet, Arrow, data frames): one row per shown result, per event, or per page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import polars as pl

from assay.core.errors import FormatError
from assay.files.json_values import object_lines
from assay.files.log_records import (
    ReadingRules,
    Records,
    amounts_of,
    exploded,
    ids_in,
    numbers_of,
    ordinals_of,
    query_ids,
    times_of,
    told_once,
    truths_of,
    wholes_of,
)
from assay.files.named_columns import field_chunks, names_of
from assay.files.nameless_pages import PageNames
from assay.files.page_ids import with_page_ids
from assay.files.parquet import batches_of, check_file
from assay.files.registry import head_of
from assay.files.sources import Source
from assay.tables.log import CLICK
from assay.tables.named_columns import NamedColumns
from assay.tables.roles import absent, columns_of, shape_of

#: Events that say that a result was shown, and that a query was asked; and what these and clicks may be called.
SHOWN, ASKED = "impression", "\0query"  # no source has a name for the latter
_ACTIONS = {
    SHOWN: (SHOWN, "view", "show", "shown", "display", "seen"),
    ASKED: ("search", "query", "search_request"),
    CLICK: (CLICK, "clicked", "click_through", "clickthrough", "select", "open"),
}
#: What stands between the documents of a cell.
_BETWEEN = r"""["']?[\s,;|]+["']?"""
#: What says of each result of a page whether it was clicked, in the place of the clicked documents: yes, then no.
_FLAGS = ("1", "true", "0", "false")
#: What data frames have where there is nothing.
_NO_VALUE = ("None", "nan", "NaT", "<NA>")
_OF_PAGES = ("user_id", "session_id", "query_id", "query_text", "system")
_CELLS = ("time", "latency_ms", "page", "answered", "n_results")


def read_click_table(source: Source, rules: ReadingRules) -> Iterator[Records]:
    """The records of a file, piece by piece."""
    names = names_of(head_of(source))
    roles = columns_of("log", names)
    if roles is None:
        raise absent("log", names, source.name, 1)
    yield from _records(*with_page_ids(_pieces(source, roles, rules), roles, rules), rules)


def _texts_of(values: pl.Series) -> pl.Series:
    """Cells of several types, or of one that Polars does not know, as a file would have them; true is 1."""
    cells = (each if isinstance(each, str) else str(int(each) if isinstance(each, bool) else each) for each in values)
    texts = pl.Series(values.name, cells, dtype=pl.String)
    return texts.set(pl.Series(not isinstance(each, str) for each in values) & texts.is_in(_NO_VALUE), None)


def read_click_frame(data: Any, rules: ReadingRules) -> Iterator[Records]:
    """The records of a data frame."""
    table = NamedColumns.of(data, "log")
    roles = table.roles("log")
    frame = table.frame.select(**{ours: pl.col(theirs) for ours, theirs in roles.items()})
    frame = frame.with_columns(_texts_of(each) for each in frame if each.dtype == pl.Object)
    numbered = frame.with_row_index("row", 1).with_columns(pl.col("row").cast(pl.Int64))
    yield from _records(*with_page_ids([numbered], roles, rules), rules)


def _pieces(source: Source, roles: Mapping[str, str], rules: ReadingRules) -> Iterator[pl.DataFrame]:
    """Rows in our columns, whatever their types, with their lines (`row`)."""
    head = head_of(source)
    ours = {theirs: mine for mine, theirs in roles.items()}
    if head.is_binary:
        check_file(source)
        start = 1
        for frame in batches_of(source, list(ours)):
            rows = pl.int_range(start, start + pl.len(), dtype=pl.Int64)
            yield frame.rename(ours).with_columns(row=rows)
            start += frame.height
    elif head.is_json:
        schema = dict.fromkeys(ours, pl.String)
        line = 1
        for chunk in source.chunks():
            yield object_lines(chunk, line, schema, rules.malformed).rename(ours)
            line += chunk.count(b"\n")
    else:
        for fields, lines in field_chunks(source, f"a table {shape_of('log')}", rules.malformed):
            yield fields.select(*ours).rename(ours).with_columns(row=pl.Series(lines, dtype=pl.Int64))


def _records(pieces: Iterable[pl.DataFrame], roles: Mapping[str, str], rules: ReadingRules) -> Iterator[Records]:
    """Rows of pages, of events or of results, by the columns that are there."""
    pages = PageNames(roles, rules.label)
    for piece in pieces:
        frame = _filled(_without_objects(piece, rules), roles, rules)
        if {"results", "clicks"} <= roles.keys() and "doc_id" not in roles:
            yield _page_rows(frame, rules)
        elif "action" in roles:
            yield event_rows(_acts(frame, rules), rules)
        else:
            if "impression_id" not in roles:
                frame = pages.named(frame, rules)
            yield _result_rows(frame, rules)
    pages.check(rules.path)


def _without_objects(frame: pl.DataFrame, rules: ReadingRules) -> pl.DataFrame:
    """The rows whose lists are lists of ids; objects in their place are refused."""
    for name in ("results", "clicks"):
        kind = frame.schema.get(name)
        if isinstance(kind, pl.List) and kind.inner.is_nested():
            raise FormatError(rules.path, None, expected=f"lists of ids as {name}", got=str(kind))
        if kind == pl.String:
            objects = frame[name].str.contains(r"^\s*\[\s*[\[{]").fill_null(False)
            for row, cell in frame.filter(objects).select("row", name).iter_rows():
                rules.malformed(row, f"a list of ids as {name}", cell)
            frame = frame.filter(~objects)
    return frame


def _filled(frame: pl.DataFrame, roles: Mapping[str, str], rules: ReadingRules) -> pl.DataFrame:
    """Ids as text; a query that has only a text is known by it."""
    ids = [name for name in ("impression_id", *_OF_PAGES, "doc_id") if name in roles]
    frame = frame.with_columns(ids_in(frame[name]).alias(name) for name in ids)
    missing = [name for name in ("impression_id", *_OF_PAGES) if name not in roles]
    frame = frame.with_columns(pl.lit(None, pl.String).alias(name) for name in missing)
    if "query_id" not in roles:
        frame = frame.with_columns(query_id=query_ids(frame["query_text"], rules))
    return frame


def _cells(frame: pl.DataFrame, rules: ReadingRules) -> dict[str, pl.Series]:
    """The other columns of pages, in their types."""
    makers: dict[str, Any] = {
        "time": partial(times_of, rules=rules), "latency_ms": partial(amounts_of, rules=rules), "page": wholes_of,
        "answered": truths_of, "n_results": wholes_of,
    }  # fmt: skip
    return {name: make(frame[name]) for name, make in makers.items() if name in frame.columns}


def _result_cells(frame: pl.DataFrame, rules: ReadingRules) -> dict[str, pl.Series]:
    """The other columns of results and events, in their types; dwell in milliseconds."""
    names = [name for name in ("propensity", "dwell_ms", "dwell_seconds") if name in frame.columns]
    cells: dict[str, pl.Series] = {name: amounts_of(frame[name], rules) for name in names}
    if "value" in frame.columns:  # of actions of any kind, it may be a word
        cells["value"] = numbers_of(frame["value"])
    if "dwell_seconds" in cells:
        stated = 1000.0 * cells.pop("dwell_seconds")
        known = cells.get("dwell_ms", stated)
        cells["dwell_ms"] = known.zip_with(known.is_not_null(), stated)
    if "rank" in frame.columns:
        cells["ordinal"] = ordinals_of(frame["rank"], rules)
    return cells | ({"seen": truths_of(frame["seen"])} if "seen" in frame.columns else {})


def _result_rows(frame: pl.DataFrame, rules: ReadingRules) -> Records:
    """One row per shown result, with how often it was clicked; one without a document or a rank is of an empty page."""
    frame = frame.with_columns(clicks=_counts(frame, rules))
    stated = {name: wholes_of(frame[name]) if name in frame.columns else pl.lit(None) for name in ("rank", "n_results")}
    no_document, no_page = pl.col("doc_id").is_null(), pl.col("impression_id").is_null()
    is_empty = ~no_page & no_document & stated["rank"].is_null() & (pl.col("clicks") == 0)
    frame = frame.with_columns(
        n_results=pl.coalesce(stated["n_results"], pl.when(is_empty).then(0)),
        is_empty=is_empty, lacks=(no_document | no_page) & ~is_empty,
    )  # fmt: skip
    lacking = frame.filter("lacks")
    rules.tallies.add("no-document", lacking.height, f"row {lacking['row'].first()!r}")
    pages = _pages(frame.filter(~pl.col("lacks")), rules)
    frame = frame.filter(~pl.col("lacks") & ~pl.col("is_empty"))
    cells = _result_cells(frame, rules)
    results = frame.select("^group$", "row", "doc_id", key="impression_id", listed=pl.lit(True), **cells)
    events = frame.select(
        "^group$",
        "row",
        "doc_id",
        key="impression_id",
        action=pl.lit(CLICK),
        times="clicks",
        counted=pl.lit(True),
        **cells,
    )
    # As many rows as there are clicks.
    events = events.select(pl.all().gather(pl.arg_where(pl.col("times") > 0)))
    events = events.select(pl.all().gather(pl.int_range(pl.len()).repeat_by("times").explode()))
    return Records.of(pages, results, events)


def _counts(frame: pl.DataFrame, rules: ReadingRules) -> pl.Series:
    """Clicks of each row: numbers, or yes and no."""
    stated = frame["clicks"]
    counts = wholes_of(stated.cast(pl.Int64) if stated.dtype == pl.Boolean else stated)
    counts = counts.zip_with(counts.is_not_null(), truths_of(stated).cast(pl.Int64))
    odd = (counts.is_null() & stated.is_not_null()) | (counts > 10_000).fill_null(False)
    for row, got in frame.select("row", "clicks").filter(odd).iter_rows():
        rules.malformed(row, "a number of clicks, or yes or no", str(got))
    return counts.set(odd, None).fill_null(0)


def _pages(frame: pl.DataFrame, rules: ReadingRules) -> pl.DataFrame:
    """The pages that rows are of, with what each row says of its page that no other did: see `told_once`."""
    said = [name for name in ("impression_id", *_OF_PAGES, *_CELLS) if name in frame.columns]
    told = frame.unique(said, keep="first", maintain_order=True)
    called = pl.col("called" if "called" in told.columns else "impression_id").alias("impression_id")
    names = ("^group$", "row", *_OF_PAGES, called)
    return told_once(told.select(*names, key="impression_id", partial=pl.lit(True), **_cells(told, rules)))


def _acts(frame: pl.DataFrame, rules: ReadingRules) -> pl.DataFrame:
    """Events with one name for each kind of them; one that shows no document is that of its page."""
    if frame["impression_id"].null_count() == frame.height:
        rules.tallies.assume("no column names result pages: a query of a session, or of a user, is one")
        who = pl.coalesce("session_id", "user_id", pl.lit(""))
        frame = frame.with_columns(impression_id=pl.concat_str(who, pl.lit("/"), "query_id"))
    names = {each: name for name, others in _ACTIONS.items() for each in others}
    frame = frame.with_columns(pl.col("action").cast(pl.String).str.strip_chars().str.to_lowercase().replace(names))
    doc_id = pl.col("doc_id") if "doc_id" in frame.columns else pl.lit(None, pl.String)
    is_page = (pl.col("action") == SHOWN) & doc_id.is_null()
    return frame.with_columns(doc_id=doc_id, action=pl.when(is_page).then(pl.lit(ASKED)).otherwise("action"))


def event_rows(frame: pl.DataFrame, rules: ReadingRules, *, whole_pages: bool = False) -> Records:
    """One row per event: results that were shown, queries with their results, clicks and others.

    `whole_pages`: the row of a query tells all of its page, so that another with the same name is another page.
    """
    if "results" in frame.columns:
        frame = frame.with_columns(results=_split(frame["results"]), n_results=_sizes(frame))
    cells = {**_cells(frame, rules), **_result_cells(frame, rules)}
    rows = frame.select("^source$", "row", *_OF_PAGES, "doc_id", "action", key="impression_id", **cells)
    known = pl.col("key").is_not_null()
    is_query = (pl.col("action") == ASKED) & known
    is_view = (pl.col("action") == SHOWN) & known & pl.col("doc_id").is_not_null()
    asked, views = rows.filter(is_query), rows.filter(is_view)
    if not whole_pages:
        asked = told_once(asked.with_columns(partial=pl.lit(True)))
    glimpses = told_once(views.with_columns(partial=pl.lit(True)))
    shown = views.with_columns(listed=pl.lit(False), seen=pl.lit(True))
    if "results" in frame.columns:
        listed = _documents_in(rows.select("row", "key", "^source$"), frame["results"], rules)
        shown = pl.concat([shown, listed], how="diagonal_relaxed")
    return Records.of(pl.concat([asked, glimpses], how="diagonal"), shown, rows.filter(~(is_query | is_view)))


def _page_rows(frame: pl.DataFrame, rules: ReadingRules) -> Records:
    """One row per page, with what was shown and what was clicked, in lists."""
    named = frame["impression_id"]
    frame = frame.with_columns(
        impression_id=named.zip_with(named.is_not_null(), rules.label + frame["row"].cast(pl.String)),
        results=_split(frame["results"]), clicks=_split(frame["clicks"]), n_results=_sizes(frame).fill_null(0),
    )  # fmt: skip
    results, clicks = pl.col("results"), pl.col("clicks")
    length = clicks.list.len()
    documents = clicks.list.set_intersection("results")
    are_flags = clicks.list.eval(pl.element().str.to_lowercase().is_in(_FLAGS)).list.all()
    are_flags &= (length > 0) & (length == results.list.len()) & (documents.list.len() == 0)
    keys = frame.select("row", key="impression_id", counted=are_flags.fill_null(False))
    pages = frame.select("row", *_OF_PAGES, key="impression_id", **_cells(frame, rules))
    shown = _documents_in(keys, frame["results"], rules)
    clicked = _documents_in(keys, frame["clicks"], rules).with_columns(action=pl.lit(CLICK))
    flags = clicked.filter("counted", pl.col("doc_id").str.to_lowercase().is_in(_FLAGS[:2])).drop("doc_id")
    flagged = flags.join(shown.select("row", "rank", "doc_id"), on=["row", "rank"]).rename({"rank": "ordinal"})
    by_name = clicked.filter(~pl.col("counted")).drop("rank", "counted")
    return Records.of(pages, shown, pl.concat([by_name, flagged], how="diagonal"))


def _sizes(frame: pl.DataFrame) -> pl.Series:
    """Numbers of results: as stated, or as many as are listed."""
    listed = _split(frame["results"]).list.len().cast(pl.Int64)
    stated = wholes_of(frame["n_results"]) if "n_results" in frame.columns else listed
    return stated.zip_with(stated.is_not_null(), listed)


def _documents_in(rows: pl.DataFrame, cells: pl.Series, rules: ReadingRules) -> pl.DataFrame:
    """The documents of cells that hold several, in order; those without a name are counted and left out."""
    listed = exploded(rows.with_columns(doc_id=cells))
    named = (pl.col("doc_id") != "").fill_null(False)
    unnamed = listed.filter(~named)
    rules.tallies.add("no-document", unnamed.height, f"row {unnamed['row'].first()!r}")
    return listed.filter(named)


def _split(cells: pl.Series) -> pl.Series:
    """Cells as lists: they are, or are text in JSON, as Python prints it, or with something between the documents."""
    if cells.dtype != pl.String:
        return (
            cells.cast(pl.List(pl.String))
            if isinstance(cells.dtype, pl.List) or not len(cells)
            else (cells.cast(pl.String).reshape((-1, 1)).arr.to_list())
        )
    in_json = cells.str.contains(r"^\s*\[").fill_null(False)
    try:
        lists = cells.set(~in_json, None).str.json_decode(pl.List(pl.String))
    except pl.exceptions.PolarsError:
        lists = pl.repeat(None, len(cells), dtype=pl.List(pl.String), eager=True)
    if lists.null_count() == cells.null_count():
        return lists
    bare = cells.str.strip_chars("[]() \t\"'").str.replace_all(_BETWEEN, " ").str.strip_chars()
    return lists.zip_with(lists.is_not_null(), bare.set((bare == "").fill_null(False), None).str.split(" "))
