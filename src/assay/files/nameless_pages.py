"""Result pages that no column names: made of what their rows share, and told apart, whatever the order of the rows.

Rows that share their session or user, query, system and time are of one page (`PageNames`, while a table is read). A
clicked row whose time is that of the click goes back to its page, and rows at a rank that comes again are of another
page (`told_apart`, once all rows that share something are in one part).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from datetime import timedelta

import polars as pl

from assay.core.errors import InputError, argument_name, listed, number_of
from assay.files.log_records import ReadingRules, Records, Tallies, numbers_of

#: Stands between what the name of a page is made of, and before the number of one that shares all of it.
_BETWEEN, _NUMBER = " | ", " #"
#: A click later than this is hardly of that page.
_LATEST = timedelta(hours=24)
#: Rows of one page that have times of their own are hardly further apart.
_MOMENT = timedelta(seconds=2)
#: So many clicked rows at the end of a page may be missing among those with its time.
_MOST_AT_END = 5
#: The largest share of pages that may be told apart by a rule and not by what is known.
_MOST_UNSURE = 0.01
#: The largest share of pages that may begin below the first rank, where the order of rows makes them.
_MOST_BELOW = 0.2
#: Fewer odd pages than this say nothing of a log.
_FEWEST = 10
#: Lists are cut into pages of so many results.
_RESULTS = 10
_CALLED = {
    "session_id": "session", "user_id": "user", "query_id": "query", "query_text": "query", "system": "system",
    "page": "page of results", "time": "time",
}  # fmt: skip


class PageNames:
    """Names for the pages of a table of results: what their rows share.

    Rows without a session, a user or a time are of one page while they follow one another and ranks rise.
    """

    def __init__(self, columns: Collection[str], label: str) -> None:
        self.shared = [
            name for name in ("session_id", "user_id", "query_id", "query_text", "system", "page") if name in columns
        ]
        self.is_ranked, self.is_timed = "rank" in columns, "time" in columns
        self.label, self.number = label, 0
        self.last: pl.DataFrame | None = None
        #: How many pages start at each rank, where the order of rows makes them.
        self.starts: Counter[int] = Counter()

    @property
    def says(self) -> str:
        """The way in which pages are known, in words."""
        told = list(dict.fromkeys(_CALLED[name] for name in (*self.shared, *["time"] * self.is_timed)))
        if self.is_timed or not {"session", "user"}.isdisjoint(told):
            again = "rank" if self.is_ranked else "document"
            return f"rows with the same {listed(told)} are of one, and a {again} that comes again is of another"
        rising = " and ranks rise" if self.is_ranked else " and no document comes again"
        return f"one goes on while its {listed(told)} stay{'s' * (len(told) == 1)} the same{rising}"

    def named(self, frame: pl.DataFrame, rules: ReadingRules) -> pl.DataFrame:
        """Rows with the names of their pages, and the `group` of pages that share all but the time."""
        rules.tallies.assume(f"no column names result pages: {self.says}")
        columns = {name: pl.col(name).cast(pl.String) for name in self.shared}
        time = pl.col("time").cast(pl.String).fill_null("") if self.is_timed else pl.lit("")
        frame = frame.with_columns(pl.concat_str(*columns.values(), separator=_BETWEEN, ignore_nulls=True).alias("of"))
        has_person = pl.col("session_id").is_not_null() | pl.col("user_id").is_not_null()
        frame = frame.with_columns(stamp=time, has_person=has_person)
        key = pl.struct("of", "stamp").hash(0).cast(pl.String)
        called = pl.concat_str("of", "stamp", separator=_BETWEEN).str.strip_suffix(_BETWEEN)
        lost = ~pl.col("has_person") & (pl.col("stamp") == "")
        if frame.select(lost.any()).item():
            frame = self._numbered(frame)
            key = pl.when(lost).then(pl.lit(self.label) + pl.col("run").cast(pl.String)).otherwise(key)
            called = pl.when(lost).then(pl.lit(self.label) + pl.col("run").cast(pl.String)).otherwise(called)
        group = pl.when("has_person").then("of").otherwise("impression_id").hash(0)
        return (
            frame.with_columns(impression_id=key, called=called)
            .with_columns(group=group)
            .drop("of", "stamp", "has_person")
        )

    def _numbered(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Rows with the number of their run; those at the start may be of the last one of the rows before."""
        same = pl.struct("of", "stamp", "has_person").hash(0)
        rank = numbers_of(frame["rank"]) if self.is_ranked else pl.Series("rank", [None] * frame.height, pl.Float64)
        kept = frame.select(same=same).with_columns(rank.alias("rank"))
        before = kept.head(1) if self.last is None else self.last
        ends = (pl.col("same") != pl.col("same").shift()) | (pl.col("rank") <= pl.col("rank").shift()).fill_null(False)
        new = pl.concat([before, kept]).select(ends)[1:, 0]
        new = new if self.last is not None else pl.concat([pl.Series([True]), new[1:]])
        numbers = new.cast(pl.Int64).cum_sum() + self.number
        lost = frame.select(~pl.col("has_person") & (pl.col("stamp") == ""))[:, 0]
        self.starts.update(rank.filter(new & lost).drop_nulls().cast(pl.Int64, strict=False).drop_nulls().to_list())
        self.last, self.number = kept.tail(1), int(numbers[-1])
        return frame.with_columns(run=numbers)

    def check(self, path: str) -> None:
        """Refuse rows out of order, where the order of rows makes pages."""
        first = min(self.starts, default=0)
        pages = self.starts.total()
        below = sum(count for rank, count in self.starts.items() if (rank - first) % _RESULTS)
        if below > _MOST_BELOW * pages:
            raise InputError(
                f"{path}: rows out of order: {below:,} of {number_of('result page', pages)} would begin below the "
                f"first rank; {_advice('sessions, users, times or result pages')}"
            )


def _advice(what: str) -> str:
    named = f"{argument_name('columns')} impression_id=COLUMN"
    return f"no column tells {what}: write an id of the page on each row (`serp_id`, or name its column: {named})"


def told_apart(records: Records, tallies: Tallies) -> Records:
    """Records in which no two rows of a nameless page have the same rank; clicked rows are back on their pages."""
    rows = records.results.filter(pl.col("group").is_not_null()).select("key", "row", "ordinal", "doc_id", "group")
    if not rows.height:
        return records
    clicks = records.events.filter(pl.col("group").is_not_null()).group_by("row").len("clicks")
    clicks = clicks.with_columns(pl.col("clicks").cast(pl.Int64))
    pages = (
        records.pages.filter(pl.col("group").is_not_null())
        .select("key", "group", "time", "impression_id", "user_id", "session_id")
        .unique("key")
    )
    moves = [_returned(rows, clicks, pages, tallies)]
    rows = _moved(rows, moves[0])
    moves.append(_split(rows, clicks, pages, tallies))
    rows = _moved(rows, moves[1])
    _look_at_order(rows, pages, tallies)
    _refuse_click_times(rows, clicks, pages, tallies)
    _refuse_row_times(rows, pages, tallies)
    records = records._replace(**{
        name: frame.drop("group").with_columns(group=pl.lit(None, pl.UInt64))
        for name, frame in records._asdict().items()
    })  # fmt: skip
    both = [each for each in moves if each.height]
    return _with_pages(records, pl.concat(both).unique("row", keep="last", maintain_order=True)) if both else records


def _called(pages: pl.DataFrame, keys: pl.Series) -> str:
    """The first of some pages, by its name."""
    names = pages.filter(pl.col("key").is_in(keys.implode()))["impression_id"]
    return f"page {names.min()!r}"


def _moved(rows: pl.DataFrame, moves: pl.DataFrame) -> pl.DataFrame:
    """Rows with their new pages (`row`, `to`)."""
    if not moves.height:
        return rows
    joined = rows.join(moves, on="row", how="left", maintain_order="left")
    return joined.with_columns(key=pl.coalesce("to", "key")).drop("to")


def _with_pages(records: Records, moves: pl.DataFrame) -> Records:
    """Records whose rows are on their new pages; a page that no row is left of is gone."""
    left = records.results.join(moves, on="row", how="left", maintain_order="left")
    new = left.filter(pl.col("to").is_not_null()).select("key", "to").unique()
    gone = new.select("key").unique().join(left.filter(pl.col("to").is_null()), on="key", how="anti")
    number = pl.col("to").str.extract(f"({_NUMBER}.*)$").fill_null("")
    copies = records.pages.join(new, on="key").with_columns(key="to", impression_id=pl.col("impression_id") + number)
    copies = copies.drop("to")
    pages = pl.concat([records.pages.join(gone, on="key", how="anti", maintain_order="left"), copies])
    return Records(pages, _moved(records.results, moves), _moved(records.events, moves))


# Clicked rows with the time of the click ------------------------------------------------------------------------------

_MOVES = {"row": pl.Int64, "to": pl.String}


def _returned(rows: pl.DataFrame, clicks: pl.DataFrame, pages: pl.DataFrame, tallies: Tallies) -> pl.DataFrame:
    """Clicked rows that share their time with no other, moved to the last page before them that lacks their rank."""
    several = pages.filter(pl.col("group").is_duplicated())
    here = rows.join(several.select("key", "time"), on="key", maintain_order="left")
    here = here.with_columns(clicked=pl.col("row").is_in(clicks["row"].implode()))
    here = here.with_columns(alone=pl.col("clicked").all().over("key"))
    groups = here.filter("alone", pl.col("time").is_not_null())["group"].unique()
    here = here.filter(pl.col("group").is_in(groups.implode()))
    if not here.height:
        return pl.DataFrame(schema=_MOVES)
    timeless = _without_time(here)
    gaps = _into_gaps(here.join(timeless, on="row", how="anti", maintain_order="left"))
    # If times are those of clicks, most clicked rows have left a gap.
    moves = pl.concat([timeless, gaps]) if 2 * gaps.height > clicks.height - timeless.height else timeless
    tallies.add("click-time", moves.height, _called(pages, moves["to"]))
    return moves


def _without_time(here: pl.DataFrame) -> pl.DataFrame:
    """Moves of all clicked rows of groups in which only these have a time."""
    timed = pl.col("time").is_not_null()
    is_so = (timed == pl.col("clicked")).all().over("group") & (~timed).any().over("group")
    page = pl.col("key").filter(~timed).first().over("group")
    return here.with_columns(to=page).filter(is_so & timed).select(*_MOVES)


def _into_gaps(here: pl.DataFrame) -> pl.DataFrame:
    """Moves of clicked rows into the gaps that they left."""
    clicked = here.filter("alone", pl.col("time").is_not_null())
    targets = here.filter(~pl.col("alone"), pl.col("time").is_not_null())
    at_end = clicked.group_by("group").len("more").with_columns(pl.col("more").clip(upper_bound=_MOST_AT_END))
    ranks = targets.group_by("key", "group", "time").agg("ordinal", last=pl.col("ordinal").max())
    gaps = ranks.join(at_end, on="group").filter(pl.col("last").is_not_null())
    gaps = gaps.with_columns(free=pl.int_ranges(0, pl.col("last") + pl.col("more") + 1))
    gaps = gaps.select("group", "time", to="key", ordinal=pl.col("free").list.set_difference("ordinal"))
    gaps = gaps.explode("ordinal").with_columns(pl.col("ordinal").cast(pl.Int64)).sort("time", "to")
    found = clicked.sort("time").join_asof(
        gaps, on="time", by=["group", "ordinal"], strategy="backward", tolerance=_LATEST, check_sortedness=False
    ).filter(pl.col("to").is_not_null())  # fmt: skip
    there = targets.select("doc_id", to="key")
    found = found.join(there, on=["to", "doc_id"], how="anti").sort("time", "doc_id")
    return found.unique(["to", "ordinal"], keep="first", maintain_order=True).select(*_MOVES)


# Pages that share everything ------------------------------------------------------------------------------------------


def _split(rows: pl.DataFrame, clicks: pl.DataFrame, pages: pl.DataFrame, tallies: Tallies) -> pl.DataFrame:
    """Rows whose rank, or without ranks whose document, comes again, moved to further pages of the same name.

    By the order of the rows where these stand page by page, and it is needed: times do not tell, or many pages share
    them. Else the first row at each rank, in the order of documents and clicks, is of the first page, and so on; it
    does not matter which where copies differ at one rank at most.
    """
    slot = pl.struct("key", "ordinal", pl.when(pl.col("ordinal").is_null()).then("doc_id")).hash(0)
    again = rows.filter(rows.select(slot.is_duplicated())[:, 0]).select("key").unique()
    if not again.height:
        return pl.DataFrame(schema=_MOVES)
    twice = rows.join(again, on="key", maintain_order="left").join(clicks, on="row", how="left", maintain_order="left")
    twice = twice.join(pages.select("key", "time"), on="key", how="left", maintain_order="left")
    twice = twice.with_columns(pl.col("clicks").fill_null(0), slot=slot).sort("key", "row", maintain_order=True)
    twice = twice.with_columns(by_order=_runs(twice), copies=pl.len().over("slot"))
    place = pl.int_range(pl.len()).over("slot", order_by=["doc_id", "clicks", "row"]).cast(pl.Int64)
    differs = pl.struct("doc_id", "clicks").n_unique().over("slot") > 1
    differs |= pl.col("copies") < pl.col("copies").max().over("key")
    twice = twice.with_columns(by_content=place, differs=differs)
    each = twice.group_by("key").agg(
        pl.col("copies").max(), runs=pl.col("by_order").max() + 1, is_timed=pl.col("time").first().is_not_null(),
        unsure=pl.col("slot").filter("differs").n_unique() > 1,
    )  # fmt: skip
    total = rows["key"].n_unique() + int(each["copies"].sum()) - each.height
    unsure = pl.col("unsure")
    many = int(each.filter(unsure)["copies"].sum()) > _MOST_UNSURE * total
    needed = pl.lit(many) | ~pl.col("is_timed")
    each = each.with_columns(ordered=needed & (pl.col("runs") == pl.col("copies")))
    guessed = each.filter(unsure & ~pl.col("ordered"))
    if guessed.height:
        number = int(guessed["copies"].sum())
        page = _called(pages, guessed["key"])
        tallies.add("alike-page", number, page)
        if number > _MOST_UNSURE * total:
            tallies.refuse(
                f"rows out of order: {number:,} of {number_of('result page', total)} share all that tells them apart, "
                f"such as {page}; {_advice('which row is of which')}"
            )
    place = pl.when("ordered").then("by_order").otherwise("by_content")
    moved = twice.join(each.select("key", "ordered"), on="key").with_columns(place=place).filter(pl.col("place") > 0)
    return moved.select("row", to=pl.format(f"{{}}{_NUMBER}{{}}", "key", pl.col("place") + 1))


def _runs(rows: pl.DataFrame) -> pl.Series:
    """The number of each row's run on its page, from 0: one ends where ranks fall, or a document comes again."""
    ordinals = rows["ordinal"]
    first = (rows["key"] != rows["key"].shift()).fill_null(True)
    if not ordinals.null_count():
        falls = (ordinals.diff() <= 0).fill_null(False) & ~first
        return _pages_by_ends(falls, first)
    seen: set[str] = set()
    before = None
    ends = []
    for is_first, ordinal, doc_id in zip(first, ordinals, rows["doc_id"], strict=True):
        again = not is_first and (doc_id in seen or (ordinal is not None and before is not None and ordinal <= before))
        if is_first or again:
            seen = set()
        seen.add(doc_id)
        ends.append(again)
        before = ordinal
    return _pages_by_ends(pl.Series(ends, dtype=pl.Boolean), first)


def _pages_by_ends(ends: pl.Series, first: pl.Series) -> pl.Series:
    frame = pl.DataFrame({"ends": ends, "page": first.cast(pl.Int64).cum_sum()})
    return frame.select(pl.col("ends").cast(pl.Int64).cum_sum().over("page"))[:, 0]


# Order ----------------------------------------------------------------------------------------------------------------


def _look_at_order(rows: pl.DataFrame, pages: pl.DataFrame, tallies: Tallies) -> None:
    """Count pages whose rows are not together, or not in the order of their ranks."""
    rows = rows if rows["row"].is_sorted() else rows.sort("row")
    stays = (rows["key"] == rows["key"].shift()).fill_null(False)
    falls = stays & (rows["ordinal"].diff() <= 0).fill_null(False)
    total = rows["key"].n_unique()
    if int((~stays).sum()) == total and not falls.any():
        return
    each = rows.select("key", begins=~stays, falls=falls).group_by("key").agg(
        pl.col("begins").sum(), pl.col("falls").any()
    )  # fmt: skip
    odd = each.filter((pl.col("begins") > 1) | pl.col("falls"))
    tallies.add("out-of-order", odd.height, _called(pages, odd["key"]))


def _refuse_click_times(rows: pl.DataFrame, clicks: pl.DataFrame, pages: pl.DataFrame, tallies: Tallies) -> None:
    """Refuse times that seem to be those of clicks, where no session or user tells whose page they are of."""
    nobody = pages.filter(pl.all_horizontal(pl.col("user_id", "session_id").is_null()), pl.col("time").is_not_null())
    if not nobody.height:
        return
    here = rows.drop_nulls("ordinal").join(nobody.select("key"), on="key", how="semi", maintain_order="left")
    here = here.with_columns(is_clicked=pl.col("row").is_in(clicks["row"].implode()))
    each = here.group_by("key").agg(pl.len(), pl.col("is_clicked").all(), pl.col("ordinal").min())
    lone = each.filter("is_clicked", (pl.col("len") == 1) & (pl.col("ordinal") > pl.col("ordinal").min())).height
    if lone >= _FEWEST and lone > _MOST_BELOW * each.height and not here["is_clicked"].all():
        tallies.refuse(
            f"{lone:,} of {number_of('result page', each.height)} would hold one clicked row alone: times of clicked "
            f"rows seem to be those of the clicks, and {_advice('sessions or users')}"
        )


def _refuse_row_times(rows: pl.DataFrame, pages: pl.DataFrame, tallies: Tallies) -> None:
    """Refuse times that seem to be those of rows: a moment after a page another one would go on where it ended."""
    # Where nobody knows who searched, a page may go on from any other.
    group = pl.when(pl.any_horizontal(pl.col("user_id", "session_id").is_not_null())).then("group").otherwise(0)
    timed = pages.drop_nulls("time").select("key", "time", group=group).filter(pl.col("group").is_duplicated())
    if not timed.height:
        return
    here = rows.drop_nulls("ordinal").drop("group").join(timed, on="key")
    each = here.group_by("key", "group", "time").agg(first=pl.col("ordinal").min(), last=pl.col("ordinal").max())
    each = each.sort("group", "time", "first")
    soon = (pl.col("group") == pl.col("group").shift()) & (pl.col("time") - pl.col("time").shift() <= _MOMENT)
    is_within = (pl.col("first") - pl.col("first").min()) % _RESULTS != 0
    parts = each.filter(soon & is_within & (pl.col("first") > pl.col("last").shift())).height
    if parts >= _FEWEST and parts > _MOST_BELOW * rows["key"].n_unique():
        tallies.refuse(
            f"{parts:,} of {number_of('result page', rows['key'].n_unique())} would go on, within "
            f"{_MOMENT.seconds} seconds, where another one of the same search ended: times seem to be those of rows, "
            f"and {_advice('which rows are of one page')}"
        )


def refuse_scattered(rows: pl.DataFrame, tallies: Tallies) -> None:
    """Refuse rows of pages without ranks, which stand in their order, if rows of a page do not stand together."""
    pages = rows["key"].n_unique()
    blocks = int((rows["key"] != rows["key"].shift()).fill_null(True).sum())
    if 2 * (blocks - pages) > rows.height - pages:
        tallies.refuse(
            f"rows out of order: those of {number_of('result page', pages)} do not stand together, and no column tells "
            f"their ranks: write the position of each result (`position`, or name its column: "
            f"{argument_name('columns')} rank=COLUMN)"
        )
