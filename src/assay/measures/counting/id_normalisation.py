"""Ids that mean the same and are written differently: ways of writing them, and documents and topics so renamed."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple, TypeAlias
from urllib.parse import unquote

import polars as pl

from assay.core.errors import quote, spelt

Form: TypeAlias = Callable[[pl.Series], pl.Series]

# As many ids are looked at to find out what was put before or behind them.
_SAMPLE = 500
_ENDINGS = r"(?i)\.(txt|html?|xml|json|pdf|md|gz|docx?)$"
#: A way of writing that brings more than this share of their ids together tells ids apart there: `d1` is not `D1`.
_TELLS_APART = 0.05
#: What may bring different ids together has to explain this share of the smaller set of ids, and so many of them.
LOOSE_SHARE, LOOSE_LEAST = 0.5, 2


def _unquoted(ids: pl.Series) -> pl.Series:
    if not ids.str.contains("%", literal=True).any():
        return ids
    return ids.map_elements(unquote, return_dtype=pl.String)


_CASE = "upper and lower case"
#: What may differ, and the id without it; simple ones first.
FORMS: dict[str, Form] = {
    "blanks or invisible characters": lambda ids: ids.str.replace_all(r"[\s\p{C}\p{Z}]", ""),
    "quotation marks": lambda ids: ids.str.strip_chars("\"'`“”‘’"),
    _CASE: lambda ids: ids.str.to_lowercase(),
    "Unicode normal form": lambda ids: ids.str.normalize("NFKC"),
    "URL encoding": _unquoted,
    "leading zeros": lambda ids: ids.str.replace(r"^0+(\d+)$", "${1}"),
    "a trailing .0": lambda ids: ids.str.replace(r"\.0$", ""),
}
#: What one side may have and the other not: `a.txt` is `a`, but it is not `a.html`.
ADDITIONS: dict[str, Form] = {
    "a file ending": lambda ids: ids.str.replace(_ENDINGS, ""),
    "a folder in front": lambda ids: ids.str.replace(r"^.*[/\\]", ""),
}
#: Where some ids match as they are, others may have what these do not: `T103` is `103`.
_SINGLE: dict[str, Form] = {"a word in front": lambda ids: ids.str.replace(r"^\D+(\d.*)$", "${1}")}
#: What may bring different ids together, on both sides.
_LOOSE: dict[str, Form] = {
    "what stands before the number": lambda ids: ids.str.replace(r"^[^\d]*0*(\d+)$", "${1}"),
    "the folder in front": ADDITIONS["a folder in front"],
}
_PASSAGE: Form = lambda ids: ids.str.replace(r"[^\p{L}\d]+p?\d+$", "")  # noqa: E731  # one of the forms above


class IdMatch(NamedTuple):
    """Ids of ours and of theirs that are the same but for a way of writing."""

    differ_in: str
    ours: pl.Series
    theirs: pl.Series

    @property
    def example(self) -> str:
        """The first of the ids on both sides, for messages."""
        show = quote if self.differ_in == _CASE else spelt
        return f"{show(self.ours[0])} in the run, {show(self.theirs[0])} in the judgments"


#: What differs, our ids and theirs without it, and whether different ids may come together so.
_Attempt: TypeAlias = tuple[str, pl.Series, pl.Series, bool]


def bridge(ours: pl.Series, theirs: pl.Series, *, loosely: bool, one_to_one: bool = True) -> IdMatch | None:
    """The way of writing under which most of our ids are among theirs; None if there is none.

    `loosely` also tries what may bring different ids together: without what stands before a number, or what one side
    puts before or behind its ids. Such a way has to explain half of the smaller set, and two ids at least; it never
    cuts a number in two. Where two of theirs become one, they are left out, unless told otherwise.

    >>> found = bridge(pl.Series(["Q1", "Q2"]), pl.Series(["q1", "q3"]), loosely=False)
    >>> found.differ_in, found.ours.to_list(), found.theirs.to_list()
    ('upper and lower case', ['Q1'], ['q1'])
    >>> bridge(pl.Series(["401", "402"]), pl.Series(["1", "2"]), loosely=True) is None
    True
    """
    if not ours.len() or not theirs.len():
        return None
    best: IdMatch | None = None
    for differ_in, our_form, formed, is_loose in _attempts(ours, theirs, loosely):
        if our_form.equals(ours) and formed.equals(theirs):  # nothing is written in another way
            continue
        if not is_loose and formed.is_duplicated().sum() > max(2, _TELLS_APART * theirs.len()):
            continue
        table = pl.DataFrame({"theirs": theirs, "formed": formed}).filter(pl.col("formed") != "")
        if one_to_one:
            table = table.filter(~pl.col("formed").is_duplicated())
        pairs = pl.DataFrame({"ours": ours, "formed": our_form}).join(table, on="formed", maintain_order="left")
        pairs = pairs.filter(pl.col("ours") != pl.col("theirs"))
        least = max(LOOSE_LEAST, LOOSE_SHARE * min(ours.len(), theirs.len())) if is_loose else 1
        if pairs.height >= least and pairs.height > (0 if best is None else best.ours.len()):
            best = IdMatch(differ_in, pairs["ours"], pairs["theirs"])
    return best


def _attempts(ours: pl.Series, theirs: pl.Series, loosely: bool) -> Iterator[_Attempt]:
    for words, form in FORMS.items():
        yield words, form(ours), form(theirs), False
    for words, form in (ADDITIONS if loosely else ADDITIONS | _SINGLE).items():
        yield words, form(ours), theirs, False
        yield words, ours, form(theirs), False
    yield "several ways of writing", _all_of_them(ours), _all_of_them(theirs), False
    if loosely:
        for words, form in (_LOOSE | _added_words(ours, theirs)).items():
            yield words, form(ours), form(theirs), True
        yield "the number of a passage", _PASSAGE(ours), theirs, True


def _all_of_them(ids: pl.Series) -> pl.Series:
    for form in FORMS.values():
        ids = form(ids)
    return ids


def _added_words(ours: pl.Series, theirs: pl.Series) -> dict[str, Form]:
    """A start or an end that one side has and the other has not."""
    forms: dict[str, Form] = {}
    for longer, shorter in ((ours, theirs), (theirs, ours)):
        start, end = _added(longer, shorter)
        if start:
            forms[f"the start {start!r}"] = partial(_without, start=start)
        if end:
            forms[f"the end {end!r}"] = partial(_without, end=end)
    return forms


def _without(ids: pl.Series, start: str = "", end: str = "") -> pl.Series:
    return ids.str.strip_prefix(start).str.strip_suffix(end)


def _added(longer: pl.Series, shorter: pl.Series) -> tuple[str, str]:
    """The start, and the end, without which most of some ids are among others; nothing where there is none."""
    known = set(shorter)
    starts: Counter[str] = Counter()
    ends: Counter[str] = Counter()
    for identifier in longer.gather_every(max(1, longer.len() // _SAMPLE)).head(_SAMPLE):
        cuts = [
            place
            for place in range(1, len(identifier))
            if not (identifier[place - 1].isdigit() and identifier[place].isdigit())
        ]
        starts.update(identifier[:place] for place in cuts if identifier[place:] in known)
        ends.update(identifier[place:] for place in cuts if identifier[:place] in known)
    return tuple(counts.most_common(1)[0][0] if counts else "" for counts in (starts, ends))  # type: ignore[return-value]


#: So many documents of each query are looked at when ids do not match.
TOP = 100
#: Where this share of documents is written differently, scores mean nothing.
_HALF = 0.5
_PAIR = ["query_id", "doc_id"]


class RenamedDocuments(NamedTuple):
    """Retrieved documents that are not judged as they are written, but would be if they were written as `theirs`.

    `pairs`: `query_id`, `doc_id`, `theirs`, and whether the run has that one `too`; `hits`: how many documents are
    judged as they are; `top`: how many were looked at.
    """

    differ_in: str
    pairs: pl.DataFrame
    hits: int
    top: int

    @property
    def is_most_of_what_is_judged(self) -> bool:
        """True if at least as many documents are lost as are found."""
        return self.pairs.height >= _HALF * (self.hits + self.pairs.height)

    @property
    def explains_the_run(self) -> bool:
        """True if so many documents are written differently that all other doubts about them say the same."""
        return self.pairs.height >= _HALF * self.top


def other_topics(ours: pl.Series, theirs: pl.Series) -> IdMatch | None:
    """The topics that a run or the judgments have alone, and that the other side writes differently.

    >>> found = other_topics(pl.Series(["051", "52"]), pl.Series(["51", "52"]))
    >>> found.differ_in, found.ours.to_list()
    ('leading zeros', ['051'])
    """
    shared = ours.filter(ours.is_in(theirs.implode()))
    our_rest, their_rest = (ids.filter(~ids.is_in(shared.implode())) for ids in (ours, theirs))
    if not shared.len():
        return bridge(ours, theirs, loosely=True)
    # A line of `Q1` beside those of `q1`: the odd one is compared with all, whoever else has the other one.
    bridges = [bridge(our_rest, theirs, loosely=False), bridge(ours, their_rest, loosely=False)]
    return max((way for way in bridges if way is not None), key=lambda way: way.ours.len(), default=None)


def renamed_documents(run: pl.DataFrame, judgments: pl.DataFrame, common: Sequence[str]) -> RenamedDocuments | None:
    """The documents at the top that are judged for their query under an id that is written differently.

    `common`: the queries that both have.

    >>> run, judgments = ({"query_id": ["q"], "doc_id": [name]} for name in ("0756", "756"))
    >>> renamed_documents(pl.DataFrame(run), pl.DataFrame(judgments), ["q"]).differ_in
    'leading zeros'
    """
    judged = judgments.select(_PAIR)
    top = run.select(_PAIR).filter(pl.col("query_id").is_in(common), pl.int_range(pl.len()).over("query_id") < TOP)
    unjudged = top.join(judged, on=_PAIR, how="anti", maintain_order="left")
    hits = top.height - unjudged.height
    if not unjudged.height:
        return None
    ours, theirs = (frame["doc_id"].unique(maintain_order=True) for frame in (unjudged, judged))
    way = bridge(ours, theirs, loosely=not hits, one_to_one=False)
    if way is None:
        return None
    renamed = _renamed(way, run, unjudged, judged)
    return RenamedDocuments(way.differ_in, renamed, hits, top.height) if renamed.height else None


def _renamed(way: IdMatch, run: pl.DataFrame, unjudged: pl.DataFrame, judged: pl.DataFrame) -> pl.DataFrame:
    """The unjudged documents that a bridge leads to a document judged for the same query."""
    names = pl.DataFrame({"doc_id": way.ours, "theirs": way.theirs})
    pairs = unjudged.join(names, on="doc_id", maintain_order="left").join(
        judged.rename({"doc_id": "theirs"}), on=["query_id", "theirs"], maintain_order="left"
    )
    if not pairs.height:
        return pairs
    # Two ids that both come up elsewhere under their own names are two documents, however alike they look.
    elsewhere = pl.col("doc_id").is_in(judged["doc_id"].implode()) & pl.col("theirs").is_in(
        run["doc_id"].unique().implode()
    )
    here = run.select("query_id", theirs="doc_id", too=pl.lit(value=True)).join(
        pairs.select("query_id", "theirs"), on=["query_id", "theirs"], how="semi"
    )
    pairs = pairs.filter(~elsewhere).join(here, on=["query_id", "theirs"], how="left", maintain_order="left")
    return pairs.unique(_PAIR, keep="first", maintain_order=True).with_columns(pl.col("too").fill_null(value=False))
