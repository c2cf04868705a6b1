"""The verb `extract`: spans or tuples of documents against the true ones."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from typing import Any, get_args

import numpy as np
import polars as pl

from assay.counting.confusion import Confusion
from assay.errors import InputError, ParameterError, did_you_mean, number_of
from assay.extraction.matching import Match, matched, rows_of
from assay.extraction.reading import read_spans, read_truth_and_predicted
from assay.extraction.result import Extraction
from assay.extraction.spans import Spans
from assay.extraction.tags import Bio
from assay.files.sources import Source, is_file


def extract(
    truth: Any,
    predicted: Any = None,
    *,
    match: Match = "exact",
    bio: Bio = "conlleval",
    beta: float = 1.0,
    name: str | None = None,
) -> Extraction:
    """Precision, recall and F of extracted spans or tuples, in all, per type and per document.

    `truth` and `predicted` are files, `Spans`, or rows `(document, start, end, type)`; one file may have both. `match`
    says when a predicted span is the true one:

    - `exact`: document, start, end and type are equal (of tuples: document, values and type);
    - `type_overlap`: same document, same type, and at least one character (or token) in common;
    - `overlap`: same document and at least one character in common, whatever the types.

    A true span matches one predicted span at most, and the other way round. By overlap, pairs are made one by one in
    the order of what they have in common, largest first; of equal overlaps those of equal type come first, then the
    true span that is earlier in the text, then the predicted one. A hit counts for the type of the true span, a miss
    likewise; a false alarm counts for the type that was predicted. `bio` is the rule for tags that do not follow one
    another: `conlleval` starts a span at an I- without B-, `strict` refuses it. `name` is what the system is called.

    >>> result = extract([("d", 0, 4, "PER"), ("d", 9, 12, "LOC")], [("d", 0, 4, "PER"), ("d", 8, 12, "LOC")])
    >>> result.value("Precision"), result.misses["type"].to_list()
    (0.5, ['LOC'])
    >>> extract(result.truth, result.predicted, match="type_overlap").value("F")
    1.0
    """
    if match not in get_args(Match):
        hint = did_you_mean(str(match), get_args(Match))
        raise ParameterError(f"match is one of {', '.join(get_args(Match))}, not {match!r}{hint}")
    if isinstance(beta, bool) or not isinstance(beta, int | float) or not 0 < beta < float("inf"):
        raise ParameterError(f"beta is a number above 0, not {beta!r}")
    gold, found = _given(truth, predicted, bio)
    if not len(gold) and not len(found):
        raise InputError("there is no span, neither a true nor a predicted one")
    pairs = matched(gold, found, match)
    hit, called = [one for one, _ in pairs], [other for _, other in pairs]
    missed = sorted(set(range(len(gold))) - set(hit))
    false = sorted(set(range(len(found))) - set(called))
    hits, misses, alarms = rows_of(gold.once, hit), rows_of(gold.once, missed), rows_of(found.once, false)
    units = _in_order([*gold.documents, *found.documents, *gold.once["document"], *found.once["document"]])
    kinds = sorted({*gold.once["type"].to_list(), *found.once["type"].to_list()})
    return Extraction(
        truth=gold,
        predicted=found,
        match=match,
        beta=float(beta),
        documents=_counted(units, "document", hits, misses, alarms),
        types=_counted(kinds, "class", hits, misses, alarms),
        hits=_beside(hits, rows_of(found.once, called)),
        misses=misses,
        false_alarms=alarms,
        name=name or _called(truth if predicted is None else predicted),
        warnings=(*gold.warnings, *found.warnings, *_repeated(gold, "true"), *_repeated(found, "predicted")),
    )


def _given(truth: Any, predicted: Any, bio: Bio) -> tuple[Spans, Spans]:
    if bio not in get_args(Bio):
        raise ParameterError(f"bio is one of {', '.join(get_args(Bio))}, not {bio!r}")
    files = [isinstance(one, Source) or is_file(one) for one in (truth, predicted)]
    if files[0] and (files[1] or predicted is None):
        return read_truth_and_predicted(truth, predicted, bio=bio)
    if predicted is None:
        raise ParameterError("give the predicted spans, too: extract(truth, predicted)")
    sides = [
        read_spans(one, bio=bio) if is_path else Spans.of(one)
        for one, is_path in zip((truth, predicted), files, strict=True)
    ]
    return sides[0], sides[1]


def _called(given: Any) -> str:
    """What a system is called: the file's name, if it is one."""
    if isinstance(given, str | os.PathLike):
        given = Source(given) if given != "-" else None
    return given.stem if isinstance(given, Source) else "extraction"


def _counted(
    units: Sequence[str], kind: str, hits: pl.DataFrame, misses: pl.DataFrame, alarms: pl.DataFrame
) -> Confusion:
    """How many of each there are, a unit each: a document, or a type."""
    column = "document" if kind == "document" else "type"
    counts = [Counter(frame[column].to_list()) for frame in (hits, alarms, misses)]
    tp, fp, fn = (np.array([count[unit] for unit in units], dtype=np.int64) for count in counts)
    return Confusion(tuple(units), tp, fp, fn, unit_kind=kind)


def _beside(hits: pl.DataFrame, found: pl.DataFrame) -> pl.DataFrame:
    """True spans, and beside each the predicted one that it was matched with."""
    renamed = found.drop("document").rename(lambda name: f"predicted_{name}")
    return pl.concat([hits, renamed], how="horizontal")


def _in_order(names: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _repeated(spans: Spans, which: str) -> tuple[str, ...]:
    if not spans.repeated:
        return ()
    return (f"{spans.origin}: {number_of(f'{which} span', spans.repeated)} given again, counted once",)
