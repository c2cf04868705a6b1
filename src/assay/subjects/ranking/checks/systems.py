"""Checks of the runs beside one another: depth, copies, tags; and of a run that stops too early."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from assay.core.errors import listed, number_of, quote
from assay.subjects.ranking.checks.case import ALL_RUNS, ExaminedRun
from assay.verbs.diagnosis.findings import CheckFinding, Example, check, finding

#: Runs differ much in depth if the median of one is so many times that of another.
_DEEPER = 5
#: A run is cut short if its last query has less than this share of what every other one has.
_SHORT = 0.5
_LEAST_DEPTH, _LEAST_QUERIES = 10, 5


@check(
    "truncated", "ranking", "warning", "note",
    question="Is the last query less than half as long as every other, or one shorter where all others are equal?",
    advice="write or copy the file again; if the query really has so few results, all is well",
)  # fmt: skip
def truncated(system: ExaminedRun) -> Iterator[CheckFinding]:
    """The last query has less than half of what any other one has; or one has less than what all others have."""
    counts = system.queries.select("query_id", "count").sort("count", maintain_order=True)
    if counts.height < _LEAST_QUERIES:
        return
    last = system.run.rows["query_id"][-1]
    (shortest, length), *others = counts.rows()
    least, most = others[0][1], others[-1][1]
    if least < _LEAST_DEPTH or length == least or (shortest != last and least != most):
        return
    cut = shortest == last and length < _SHORT * least
    # Lines that were left out make a query shorter, and have been told as such.
    is_whole = system.run.tolerated is None and not system.repeated.any()
    if cut or (least == most and is_whole):
        which = "the last query" if shortest == last else "one query"
        message = f"{which} has {number_of('document', length)}, every other {'at least ' * (least != most)}{least:,}"
        row = system.run.rows.height - 1 - int((system.run.rows["query_id"].reverse() == shortest).arg_max() or 0)
        example = Example(f"query {quote(shortest)}", system.run.line(row))
        yield finding("truncated", "warning" if cut else "note", system.run, message, examples=[example])


def _of_several(name: str, systems: Sequence[ExaminedRun], message: str, examples: Sequence[Example]) -> CheckFinding:
    return finding(name, "warning", ALL_RUNS, message, len(systems), examples=examples)


@check(
    "depth", "rankings", "warning",
    question="Do runs differ in depth by a factor of 5 or more?",
    advice="compare them at one depth (`{depth}`), or by measures with a cut-off that all of them reach",
)  # fmt: skip
def depth(systems: Sequence[ExaminedRun]) -> Iterator[CheckFinding]:
    """The median number of documents a query."""
    depths = {system.name: float(np.median(system.queries["count"].to_numpy())) for system in systems}
    if len(depths) < 2:
        return
    shallow, deep = min(depths, key=lambda name: depths[name]), max(depths, key=lambda name: depths[name])
    if depths[deep] >= _DEEPER * depths[shallow]:
        message = (
            f"runs differ much in depth: from {depths[shallow]:g} documents a query ({shallow}) "
            f"to {depths[deep]:g} ({deep})"
        )
        few = sorted((name for name in depths if depths[name] * _DEEPER <= depths[deep]), key=lambda name: depths[name])
        examples = [Example(f"{name}: {depths[name]:g}") for name in few[:3]]
        yield _of_several("depth", [system for system in systems if system.name in {shallow, deep}], message, examples)


@check(
    "identical-runs", "rankings", "warning",
    question="Do two runs rank the same documents in the same order?",
    advice="one was probably copied, or a change had no effect: leave one out of the comparison",
)  # fmt: skip
def identical_runs(systems: Sequence[ExaminedRun]) -> Iterator[CheckFinding]:
    """The same queries, documents and order; scores may differ."""
    alike: dict[tuple[int, int], list[ExaminedRun]] = {}
    if len(systems) > 1:
        for system in systems:
            alike.setdefault(_digest(system), []).append(system)
    for group in alike.values():
        first = _ordered(group[0]) if len(group) > 1 else None
        same = [system for system in group[1:] if first is not None and _ordered(system).equals(first)]
        if same:
            names = [group[0].name, *(system.name for system in same)]
            message = f"{number_of('run', len(names))} with the same ranking: {listed(names)}"
            yield _of_several("identical-runs", [group[0], *same], message, [])


def _digest(system: ExaminedRun) -> tuple[int, int]:
    """A number that runs with the same rows have in common, and their number of rows."""
    hashes = system.frame.select(pl.struct("query_id", "doc_id").hash()).to_series()
    return int(np.bitwise_xor.reduce(hashes.to_numpy())), system.frame.height


def _ordered(system: ExaminedRun) -> pl.DataFrame:
    # Equal scores are put in the order that evaluation gives them.
    by = [pl.col("query_id"), pl.col("score"), pl.col("doc_id")]
    return system.frame.sort(by, descending=[False, True, True]).select("query_id", "doc_id")


@check(
    "same-tag", "rankings", "note",
    question="Do different runs carry the same tag?",
    advice="nothing, for Assay, which calls runs by their files; tools that go by the tag take them for one",
)  # fmt: skip
def same_tag(systems: Sequence[ExaminedRun]) -> Iterator[CheckFinding]:
    """One tag in several files."""
    by_tag: dict[str, list[ExaminedRun]] = {}
    for system in systems:
        if "tag" in system.run.rows.columns and system.run.rows.height:
            by_tag.setdefault(str(system.run.rows["tag"][0]), []).append(system)
    for tag, group in by_tag.items():
        if len(group) > 1 and tag:
            names = listed([system.name for system in group])
            message = f"{number_of('run', len(group))} carry the tag {quote(tag)}: {names}"
            yield replace(_of_several("same-tag", group, message, []), severity="note")
