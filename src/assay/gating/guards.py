"""Guards: whether the inputs are fit to be compared at all; coverage, and the topics that a run lacks."""

from __future__ import annotations

from math import isnan
from typing import Any, NamedTuple

import polars as pl

from assay.errors import number_of
from assay.evaluation import Evaluation
from assay.gating.checks import Settings


class Coverage(NamedTuple):
    """What a system's scores rest on: judged topics, those that its run lacks, and the share judged of its top 10."""

    system: str
    topics: int
    missing: int
    judged: float

    @classmethod
    def of(cls, evaluation: Evaluation, system: str) -> Coverage:
        """The coverage of one system.

        >>> from assay import evaluate
        >>> Coverage.of(evaluate({"q1": {"d1": 1}, "q2": {"d2": 1}}, {"bm25": {"q1": {"d1": 1.0}}}, "RR"), "bm25")
        Coverage(system='bm25', topics=2, missing=1, judged=1.0)
        """
        row = evaluation.coverage.row(by_predicate=pl.col("system") == system, named=True)
        return cls(system, len(evaluation.qrels.topics), row["missing"], row["judged@10"])


class Guard(NamedTuple):
    """A condition on the inputs: what it is about, whether it holds, and that in words."""

    name: str
    system: str
    holds: bool
    says: str

    def row(self) -> dict[str, Any]:
        """One row of a table."""
        return self._asdict()


def guards_of(coverage: tuple[Coverage, Coverage], settings: Settings) -> tuple[Guard, ...]:
    """The conditions on both systems: not too many topics missing and, if asked for, enough documents judged.

    >>> settings = Settings(0.05, "report", max_missing=0.1, min_judged=None, resamples=100, bootstrap_resamples=100)
    >>> for guard in guards_of((Coverage("old", 10, 1, 0.9), Coverage("new", 10, 2, 0.9)), settings):
    ...     print(guard.holds, guard.says)
    True old lacks 1 of 10 judged topics (10.0%); allowed are 10.0%
    False new lacks 2 of 10 judged topics (20.0%); allowed are 10.0%
    """
    made = []
    for one in coverage:
        allowed = settings.max_missing
        share = one.missing / max(one.topics, 1)
        # Counted topics, not shares, are compared: 3 of 30 is a tenth, whatever the last digit says.
        holds = one.missing <= allowed * one.topics + 1e-9
        lacks = f"{one.system} lacks {one.missing:,} of {number_of('judged topic', one.topics)} ({share:.1%})"
        made.append(Guard("missing topics", one.system, holds, f"{lacks}; allowed are {allowed:.1%}"))
    if settings.min_judged is not None:
        for one in coverage:
            known = not isnan(one.judged)
            holds = known and one.judged >= settings.min_judged - 1e-12
            share_said = f"{one.judged:.1%}" if known else "nothing"
            says = f"{share_said} judged in the top 10 of {one.system}; at least {settings.min_judged:.1%} is asked for"
            made.append(Guard("judged documents", one.system, holds, says))
    return tuple(made)
