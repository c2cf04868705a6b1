"""Changes from one release to another: grades, documents, and the verdicts on the project's runs that they move."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import polars as pl

from assay.core.errors import InputError
from assay.core.results import Result
from assay.store.kept_runs import kept_runs
from assay.store.projects import Project
from assay.store.releases import Release


@dataclass(frozen=True, eq=False)
class ReleaseDiff(Result):
    """Changes between two releases: grades, documents, and verdicts on the project's runs."""

    kind: ClassVar[str] = "release difference"

    first: str
    second: str
    changed: pl.DataFrame
    added: int
    removed: int
    moves: pl.DataFrame
    verdicts: pl.DataFrame
    facts: Mapping[str, Any]

    def to_frame(self) -> pl.DataFrame:
        """The documents whose grade changed."""
        return self.changed


def release_diff(
    project: Project, first: Release, second: Release, measures: tuple[str, ...] = ("nDCG@10", "AP")
) -> ReleaseDiff:
    """Changes from one release to another: grades, documents, and the verdicts that move."""
    if first.policy.aspect != second.policy.aspect:
        raise InputError(
            f"{first.name} is of {first.policy.aspect}, {second.name} of {second.policy.aspect}: their grades have "
            "nothing in common"
        )
    keys = ["query_id", "doc_id"]
    old, new = (each.frame.select(*keys, "relevance", "provenance") for each in (first, second))
    both = old.join(new, on=keys, how="full", coalesce=True, suffix="_after")
    is_new = pl.col("relevance").is_null() & pl.col("relevance_after").is_not_null()
    is_gone = pl.col("relevance").is_not_null() & pl.col("relevance_after").is_null()
    changed = both.filter(pl.col("relevance") != pl.col("relevance_after")).sort(keys)
    changed = changed.select(*keys, before="relevance", after="relevance_after", because="provenance_after")
    moves = changed.group_by("before", "after").agg(documents=pl.len()).sort("before", "after")
    runs = kept_runs(project)
    return ReleaseDiff(
        first.name, second.name, changed, both.filter(is_new).height, both.filter(is_gone).height, moves,
        _verdicts(first, second, runs, measures), {"first": first.facts, "second": second.facts, "runs": list(runs)},
    )  # fmt: skip


def _verdicts(first: Release, second: Release, runs: Mapping[str, Any], measures: tuple[str, ...]) -> pl.DataFrame:
    """The verdicts on every two runs under both releases."""
    schema = {"measure": pl.String, "baseline": pl.String, "system": pl.String,
              "before": pl.Float64, "after": pl.Float64,
              "verdict_before": pl.String, "verdict_after": pl.String}  # fmt: skip
    if len(runs) < 2 or first.facts.get("preferences"):
        return pl.DataFrame(schema=schema)
    from assay.verbs.comparison import compare  # noqa: PLC0415  # loads SciPy

    found = [
        {
            (str(each.measure), each.baseline, each.system): each
            for each in compare(
                release.to_qrels(), runs, measures=list(measures), all_pairs=True, look_into=False
            ).findings
        }
        for release in (first, second)
    ]
    rows = [
        (*key, old.difference, new.difference, str(old.verdict.word), str(new.verdict.word))
        for key, old in found[0].items()
        if (new := found[1].get(key)) is not None
    ]
    return pl.DataFrame(rows, schema=schema, orient="row")
