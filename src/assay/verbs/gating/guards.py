"""Guards: whether the inputs are fit to be compared at all; coverage, and the topics that a run lacks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from types import MappingProxyType
from typing import Any, NamedTuple

import polars as pl

from assay.core.digits import as_percent, as_percents
from assay.core.errors import ParameterError, number_of
from assay.subjects.ranking.evaluation import Evaluation
from assay.tables import Scores
from assay.verbs.gating.checks import GateSettings

NOTHING: Mapping[str, Sequence[str]] = MappingProxyType({})


class Coverage(NamedTuple):
    """What a system's scores rest on: judged topics, those that its run lacks, and the share judged of its top 10.

    With judgments that were declared complete, that share is 1.
    """

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
        judged = 1.0 if evaluation.policies.complete else row["judged@10"]
        return cls(system, len(evaluation.qrels.topics), row["missing"], judged)


class Guard(NamedTuple):
    """A condition on the inputs: what it is about, whether it holds, and that in words."""

    name: str
    system: str
    holds: bool
    says: str

    def row(self) -> dict[str, Any]:
        """One row of a table."""
        return self._asdict()


#: What guards are about; advice is given by these names.
MISSING, DEFINED, JUDGED_AT_ALL, JUDGED = "missing topics", "defined values", "judged at all", "judged documents"
#: The same, of predictions.
MISSING_ITEMS = "missing items"


def guards_of(
    coverage: Sequence[Coverage],
    settings: GateSettings,
    undefined: Mapping[str, Sequence[str]] = NOTHING,
    *,
    complete: bool = False,
) -> tuple[Guard, ...]:
    """The conditions on both systems.

    Not too many topics are missing; each measure has a value somewhere (`undefined`: by system, those that have none,
    in words); one of the runs has a judged document in its first ten; and, if asked for, enough of them are judged.
    With judgments that were declared `complete`, every document is.

    >>> settings = GateSettings(0.05, "report", 0.1, min_judged=None, resamples=100, bootstrap_resamples=100)
    >>> for guard in guards_of((Coverage("old", 10, 1, 0.9), Coverage("new", 10, 2, 0.9)), settings):
    ...     print(guard.holds, guard.says)
    True old lacks 1 of 10 judged topics (10.0%); allowed are 10.0%
    False new lacks 2 of 10 judged topics (20.0%); allowed are 10.0%
    True every measure is defined for some topic of old
    True every measure is defined for some topic of new
    True judged in the top 10: 90.0% of old, 90.0% of new
    """
    made = []
    for one in coverage:
        allowed = settings.max_missing
        share = one.missing / max(one.topics, 1)
        # Counted topics, not shares, are compared: 3 of 30 is a tenth, whatever the last digit says.
        holds = one.missing <= allowed * one.topics + 1e-9
        lacking_share, most = as_percents([share, allowed])
        lacks = f"{one.system} lacks {one.missing:,} of {number_of('judged topic', one.topics)} ({lacking_share})"
        made.append(Guard(MISSING, one.system, holds, f"{lacks}; allowed are {most}"))
    for one in coverage:
        lacking = undefined.get(one.system, ())
        says = "; ".join(lacking) or f"every measure is defined for some topic of {one.system}"
        made.append(Guard(DEFINED, one.system, not lacking, says))
    made.append(_judged_at_all(*coverage, complete=complete))
    if settings.min_judged is not None:
        if complete:
            raise ParameterError("min_judged asks how much is judged, and the judgments were declared complete")
        for one in coverage:
            holds = one.judged >= settings.min_judged - 1e-12  # not so where nothing was retrieved
            says = f"{_share(one.judged)} judged in the top 10 of {one.system}"
            asked = f"at least {as_percent(settings.min_judged)} is asked for"
            made.append(Guard(JUDGED, one.system, holds, f"{says}; {asked}"))
    return tuple(made)


def _judged_at_all(first: Coverage, second: Coverage, *, complete: bool) -> Guard:
    """Two runs without a judged document are equally bad by every measure, and nothing was compared."""
    both = f"{first.system} and {second.system}"
    if complete:
        return Guard(JUDGED_AT_ALL, both, True, "judgments declared complete")
    if first.judged > 0 or second.judged > 0:
        shares = ", ".join(f"{_share(one.judged)} of {one.system}" for one in (first, second))
        return Guard(JUDGED_AT_ALL, both, True, f"judged in the top 10: {shares}")
    return Guard(
        JUDGED_AT_ALL, both, False, f"no document in the top 10 of {first.system} or {second.system} is judged"
    )


def _share(judged: float) -> str:
    return "nothing" if isnan(judged) else as_percent(judged)


def undefined_in(scores: Scores, measure: str, system: str) -> str | None:
    """Why a measure has no value for any unit of a system, in words; None if it has one.

    >>> from assay import evaluate
    >>> undefined_in(evaluate({"q1": {"d1": 0}}, {"bm25": {"q1": {"d1": 1.0}}}, "AP").scores, "AP", "bm25")
    'AP is undefined for every query of bm25 (no relevant document)'
    """
    rows = scores.frame.filter((pl.col("measure") == measure) & (pl.col("system") == system))
    if not rows.height or rows["value"].null_count() < rows.height:
        return None
    reasons = rows["undefined"].drop_nulls().unique(maintain_order=True).to_list()
    why = f" ({reasons[0]})" if len(reasons) == 1 else ""
    return f"{measure} is undefined for every {rows['unit_kind'][0]} of {system}{why}"
