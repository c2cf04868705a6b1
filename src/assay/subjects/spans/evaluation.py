"""`extract`: true and predicted spans -> an `Extraction`, with intervals over documents drawn anew."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import polars as pl

from assay.core.domains import Choice, Real, Whole
from assay.core.errors import InputError, ParameterError, listed, number_of
from assay.core.evaluation_options import Undefined
from assay.core.options import Match
from assay.files.sources import Source, is_file
from assay.measures.undefined import policy_of
from assay.stats.estimates import checked_confidence
from assay.subjects.spans.counts import cells_of, confusion_of
from assay.subjects.spans.result import Extraction
from assay.subjects.spans.span_files import read_spans, read_truth_and_predicted, spans_in
from assay.subjects.spans.spans import Spans, matched, rows_of
from assay.tables.named_columns import NamedColumns
from assay.tables.roles import ColumnNames, is_frame, named_by


def extract(
    truth: Any,
    predicted: Any = None,
    *,
    match: Match = "exact",
    beta: float = 1.0,
    name: str | None = None,
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    columns: ColumnNames = None,
    undefined: Undefined | float = "counted_as",
    zero_division: float | str | None = None,
) -> Extraction:
    """Precision, recall and F of extracted spans or tuples, in all, per type and per document.

    `truth` and `predicted` are files, data frames, `Spans`, or rows `(document, start, end, type)`; one file may have
    both. `columns`: which columns of these have which role, as in `columns={"start": "Von"}`. `match` says when a
    predicted span is the true one:

    - `exact`: document, start, end and type are equal (of tuples: document, values and type);
    - `type_overlap`: same document, same type, and at least one character (or token) in common;
    - `overlap`: same document and at least one character in common, whatever the types.

    A true span matches one predicted span at most, and the other way round. By overlap, pairs are made one by one in
    the order of what they have in common, largest first; of equal overlaps those of equal type come first, then the
    true span that is earlier in the text, then the predicted one. A hit counts for the type of the true span, a miss
    likewise; a false alarm counts for the type that was predicted. `name` is what the system is called.

    `undefined`: what the mean of types does with those that have no number: unless another policy is chosen, a type
    that is never predicted counts as 0 in precision, and one that there truly is none of is left out of recall (`skip`:
    both are left out; `error`; 0 or 1, which `zero_division` means, too).

    Intervals of this `confidence` are made by drawing documents anew, so many `resamples` of them, from `seed`.

    >>> result = extract([("d", 0, 4, "PER"), ("d", 9, 12, "LOC")], [("d", 0, 4, "PER"), ("d", 8, 12, "LOC")])
    >>> result.value("Precision"), result.misses["type"].to_list()
    (0.5, ['LOC'])
    >>> extract(result.truth, result.predicted, match="type_overlap").value("F")
    1.0
    """
    Choice(Match).check("match", match)
    policy = policy_of(undefined, zero_division)
    Real(0.0, inside=True, infinite=True).check("beta", beta)
    confidence = checked_confidence(confidence)
    resamples, seed = Whole(1).check("resamples", resamples), Whole(0).check("seed", seed)
    with named_by(columns):
        gold, guesses = _alike(*_given(truth, predicted))
    pairs = matched(gold, guesses, match)
    hit, called = [row for row, _ in pairs], [other for _, other in pairs]
    missed = sorted(set(range(len(gold))) - set(hit))
    false = sorted(set(range(len(guesses))) - set(called))
    hits, misses, alarms = rows_of(gold.once, hit), rows_of(gold.once, missed), rows_of(guesses.once, false)
    units = tuple(
        dict.fromkeys([*gold.documents, *guesses.documents, *gold.once["document"], *guesses.once["document"]])
    )
    if not units:
        raise InputError("there is no document, and no span, neither a true nor a predicted one")
    kinds = tuple(sorted({*gold.once["type"].to_list(), *guesses.once["type"].to_list()}))
    cells = cells_of(units, kinds, hits, alarms, misses)
    return Extraction(
        truth=gold,
        predicted=guesses,
        match=match,
        beta=float(beta),
        documents=confusion_of(units, cells.sum(axis=1), "document"),
        types=confusion_of(kinds, cells.sum(axis=0), "class"),
        cells=cells,
        hits=_beside(hits, rows_of(guesses.once, called)),
        misses=misses,
        false_alarms=alarms,
        name=name or _called(truth if predicted is None else predicted),
        confidence=confidence,
        resamples=resamples,
        seed=seed,
        undefined_units=policy,
        warnings=(
            *gold.warnings,
            *guesses.warnings,
            *_repeated(gold, "true"),
            *_repeated(guesses, "predicted"),
            *_on_one_side(gold, guesses),
        ),
    )


def _given(truth: Any, predicted: Any) -> tuple[Spans, Spans]:
    files = [is_file(source) for source in (truth, predicted)]
    if files[0] and (files[1] or predicted is None):
        return read_truth_and_predicted(truth, predicted)
    if predicted is None:
        raise ParameterError("give the predicted spans, too: extract(truth, predicted)")
    gold = read_spans(truth) if files[0] else _in_memory(truth)
    return gold, read_spans(predicted, may_be_empty=True) if files[1] else _in_memory(predicted)


def _in_memory(data: Any) -> Spans:
    return spans_in(NamedColumns.of(data, "spans")) if is_frame(data) else Spans.of(data)


def _alike(gold: Spans, guesses: Spans) -> tuple[Spans, Spans]:
    """No spans are no tuples as well: an empty side is of the form of the other."""
    if not len(guesses):
        return gold, replace(guesses, frame=gold.frame.clear())
    return (gold, guesses) if len(gold) else (replace(gold, frame=guesses.frame.clear()), guesses)


def _called(source: Any) -> str:
    """The name of a system: the file's name, if it is one."""
    if isinstance(source, str | os.PathLike):
        source = Source(source) if source != "-" else None
    return source.stem if isinstance(source, Source) else "extraction"


def _beside(hits: pl.DataFrame, frame: pl.DataFrame) -> pl.DataFrame:
    """True spans, and beside each the predicted one that it was matched with."""
    renamed = frame.drop("document").rename(lambda name: f"predicted_{name}")
    return pl.concat([hits, renamed], how="horizontal")


def _repeated(spans: Spans, which: str) -> tuple[str, ...]:
    if not spans.repeated:
        return ()
    return (f"{spans.origin}: {number_of(f'repeated {which} span', spans.repeated)}, counted once",)


def _on_one_side(gold: Spans, spans: Spans) -> Iterator[str]:
    """Documents whose spans have nothing to be matched with: the other side does not know of them."""
    if not len(gold) or not len(spans):
        return
    ours, theirs = (dict.fromkeys([*side.documents, *side.once["document"]]) for side in (gold, spans))
    if not ours.keys() & theirs.keys():
        names = f"{listed(list(ours))} in the truth, {listed(list(theirs))} in the predictions"
        yield f"truth and predictions have no document in common: {names}"
        return
    for side, others, where, become in (
        (gold, theirs, "of the truth without predictions", "misses"),
        (spans, ours, "of the predictions unknown to the truth", "false alarms"),
    ):
        alone = sorted({*side.once["document"]} - others.keys())
        if alone:
            names = ", ".join(alone[:3]) + (", …" if len(alone) > 3 else "")
            yield f"{number_of('document', len(alone))} {where} ({names}): all spans there are {become}"
