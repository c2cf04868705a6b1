"""Ids that differ in how they are written: which rule of writing would bring two sets of them together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import NamedTuple, TypeAlias
from urllib.parse import unquote

import polars as pl

Form: TypeAlias = Callable[[pl.Series], pl.Series]

# As many ids are looked at to find out what was put before or behind them.
_SAMPLE = 500
_ENDINGS = r"(?i)\.(txt|html?|xml|json|pdf|md|gz|docx?)$"


def _unquoted(ids: pl.Series) -> pl.Series:
    if not ids.str.contains("%", literal=True).any():
        return ids
    return ids.map_elements(unquote, return_dtype=pl.String)


#: What may differ, and the id without it; simple ones first.
FORMS: dict[str, Form] = {
    "blanks or invisible characters": lambda ids: ids.str.replace_all(r"[\s\p{Cc}\p{Cf}]", ""),
    "quotation marks": lambda ids: ids.str.strip_chars("\"'`“”‘’"),
    "upper and lower case": lambda ids: ids.str.to_lowercase(),
    "Unicode normal form": lambda ids: ids.str.normalize("NFKC"),
    "URL encoding": _unquoted,
    "leading zeros": lambda ids: ids.str.replace(r"^0+(\d+)$", "${1}"),
    "a trailing .0": lambda ids: ids.str.replace(r"\.0$", ""),
    "a file ending": lambda ids: ids.str.replace(_ENDINGS, ""),
    "a folder in front": lambda ids: ids.str.replace(r"^.*[/\\]", ""),
}
_NUMBER: Form = lambda ids: ids.str.replace(r"^[^\d]*0*(\d+)$", "${1}")  # noqa: E731  # one of the forms above


class Bridge(NamedTuple):
    """Ids of ours and of theirs that are the same but for a way of writing."""

    differ_in: str
    ours: pl.Series
    theirs: pl.Series


def bridge(ours: pl.Series, theirs: pl.Series, *, loosely: bool) -> Bridge | None:
    """The way of writing under which most of our ids are among theirs; None if there is none.

    `loosely` also tries what may bring different ids together: without what stands before a number, or what one side
    puts before or behind its ids.

    >>> found = bridge(pl.Series(["Q1", "Q2"]), pl.Series(["q1", "q3"]), loosely=False)
    >>> found.differ_in, found.ours.to_list(), found.theirs.to_list()
    ('upper and lower case', ['Q1'], ['q1'])
    """
    if not ours.len() or not theirs.len():
        return None
    forms = dict(FORMS)
    forms["several of these"] = _all_of_them
    if loosely:
        forms |= _loose(ours, theirs)
    best: Bridge | None = None
    for says, form in forms.items():
        ours_formed, theirs_formed = form(ours), form(theirs)
        table = pl.DataFrame({"theirs": theirs, "formed": theirs_formed}).filter(
            (pl.col("formed") != "") & ~pl.col("formed").is_duplicated()
        )
        found = pl.DataFrame({"ours": ours, "formed": ours_formed}).join(table, on="formed", maintain_order="left")
        found = found.filter(pl.col("ours") != pl.col("theirs"))
        if found.height > (0 if best is None else best.ours.len()):
            best = Bridge(says, found["ours"], found["theirs"])
    return best


def _all_of_them(ids: pl.Series) -> pl.Series:
    for form in FORMS.values():
        ids = form(ids)
    return ids


def _loose(ours: pl.Series, theirs: pl.Series) -> dict[str, Form]:
    """What comes before a number; a start or an end that one side has and the other has not."""
    forms: dict[str, Form] = {"what stands before the number": _NUMBER}
    for longer, shorter in ((ours, theirs), (theirs, ours)):
        start, end = _added(longer, shorter)
        if start:
            forms[f"the start {start!r}"] = partial(_without_start, start)
        if end:
            forms[f"the end {end!r}"] = partial(_without_end, end)
    return forms


def _without_start(start: str, ids: pl.Series) -> pl.Series:
    return ids.str.strip_prefix(start)


def _without_end(end: str, ids: pl.Series) -> pl.Series:
    return ids.str.strip_suffix(end)


def _added(longer: pl.Series, shorter: pl.Series) -> tuple[str, str]:
    """The start, and the end, without which most of some ids are among others; nothing where there is none."""
    known = set(shorter)
    starts: Counter[str] = Counter()
    ends: Counter[str] = Counter()
    for one in longer.gather_every(max(1, longer.len() // _SAMPLE)).head(_SAMPLE):
        starts.update(one[:place] for place in range(1, len(one)) if one[place:] in known)
        ends.update(one[place:] for place in range(1, len(one)) if one[:place] in known)
    return tuple(counts.most_common(1)[0][0] if counts else "" for counts in (starts, ends))  # type: ignore[return-value]
