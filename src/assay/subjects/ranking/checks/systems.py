"""Checks of the runs beside one another: depth, copies; and of a run that stops too early."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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
    "truncated", "ranking", "warning",
    question="Is the last query less than half as long as every other?",
    advice="write or copy the file again; if the query really has so few results, all is well",
)  # fmt: skip
def truncated(system: ExaminedRun) -> Iterator[CheckFinding]:
    """The last query has less than half of what any other one has."""
    *others, length = system.queries["count"].to_list()
    last = system.run.rows["query_id"][-1]
    if len(others) < _LEAST_QUERIES - 1 or system.queries["query_id"][-1] != last:
        return
    least = min(others)
    if least >= _LEAST_DEPTH and length < _SHORT * least:
        message = f"the last query has {number_of('document', length)}, every other at least {least:,}"
        example = Example(f"query {quote(last)}", system.run.line(system.run.rows.height - 1))
        yield finding("truncated", "warning", system.run, message, examples=[example])


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
    alike: dict[bytes, list[ExaminedRun]] = {}
    for system in systems if len(systems) > 1 else ():
        alike.setdefault(_ordered(system).hash_rows().to_numpy().tobytes(), []).append(system)
    for same in alike.values():
        if len(same) > 1:
            names = [system.name for system in same]
            message = f"{number_of('run', len(names))} with the same ranking: {listed(names)}"
            yield _of_several("identical-runs", same, message, [])


def _ordered(system: ExaminedRun) -> pl.DataFrame:
    # Equal scores are put in the order that evaluation gives them.
    by = [pl.col("query_id"), pl.col("score"), pl.col("doc_id")]
    return system.frame.sort(by, descending=[False, True, True]).select("query_id", "doc_id")
