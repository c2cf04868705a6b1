"""A choice of runs that make a varied pool: one after the other, the run that adds most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl

from assay.core.domains import Whole
from assay.core.errors import ParameterError, not_among, number_of
from assay.core.results import Result
from assay.ground_truth.run_ranks import PAIR, RunRanks, empty_runs, judged_pairs, membership, overlaps
from assay.measures.counting.judgments import Mask

#: So many random selections the choice is compared with.
_DRAWS = 200


@dataclass(frozen=True, eq=False)
class RunChoice(Result):
    """Runs in the order in which they were chosen, with what each adds; and other selections of as many.

    `chosen`: one row per run with `new` documents, `documents` in all and the largest `overlap` with a run before it;
    with judgments also `new_relevant` and `relevant`. `selections`: the same totals for this choice, for the one that
    was given, for random ones (on average) and for all runs.
    """

    kind: ClassVar[str] = "run choice"

    chosen: pl.DataFrame
    selections: pl.DataFrame
    settings: Mapping[str, Any]
    warnings: tuple[str, ...] = ()

    def to_frame(self) -> pl.DataFrame:
        """One row per run, in the order of choice."""
        return self.chosen


def choose_runs(
    runs: Any,
    n: int,
    *,
    qrels: Any = None,
    depth: int = 20,
    compared_with: Sequence[str] = (),
    seed: int = 0,
) -> RunChoice:
    """Choose the `n` runs whose pool of a depth is the most varied, one after the other by what they add.

    Without judgments that is the number of new documents; with `qrels`, of new relevant ones, then of documents.
    `compared_with`: another selection, to see what it has.

    >>> runs = {"a": {"q": {"d1": 2.0, "d2": 1.0}}, "b": {"q": {"d2": 2.0, "d1": 1.0}}, "c": {"q": {"d9": 1.0}}}
    >>> choose_runs(runs, 2).chosen.select("run", "new", "documents").rows()
    [('a', 2, 2), ('c', 1, 3)]
    """
    ranks = RunRanks.of(runs, depth=Whole(1).check("depth", depth))
    if Whole(1).check("n", n) > len(ranks.runs):
        raise ParameterError(f"cannot choose {number_of('run', n)} from {len(ranks.runs)}")
    for name in compared_with:
        if name not in ranks.runs:
            raise not_among("run", name, ranks.runs)
    pairs, held = membership(ranks)
    holds = held.T.toarray() > 0
    relevant = np.zeros(pairs.height, dtype=np.bool_)
    if qrels is not None:
        known = judged_pairs(qrels).filter(pl.col("relevance") > 0)
        relevant = pairs.join(known, on=PAIR, how="left", maintain_order="left")["relevance"].is_not_null().to_numpy()
    table = _chosen(ranks, holds, relevant, n)
    others = {"this choice": [[ranks.places[name] for name in table["run"]]]}
    others |= {"your selection": [[ranks.places[name] for name in compared_with]]} if compared_with else {}
    rng = np.random.default_rng(Whole(0).check("seed", seed))
    others["random (mean)"] = [rng.permutation(len(ranks.runs))[:n].tolist() for _ in range(_DRAWS)]
    others["all runs"] = [list(range(len(ranks.runs)))]
    selections = _selections(others, holds, relevant)
    settings = {"n": n, "depth": depth, "runs": len(ranks.runs), "compared_with": list(compared_with), "seed": seed}
    settings |= {"by": "new documents" if qrels is None else "new relevant documents"}
    hidden = ["new_relevant", "relevant"] if qrels is None else []
    warnings = [*empty_runs(ranks), *_idle(table)]
    if qrels is not None and not relevant.any():
        warnings.append("no run has a relevant document at this depth: the choice is by new documents alone")
    return RunChoice(table.drop(hidden), selections.drop(hidden[1:]), settings, tuple(warnings))


def _chosen(ranks: RunRanks, holds: Mask, relevant: Mask, n: int) -> pl.DataFrame:
    """The runs by what each adds to those before it: relevant documents first, then any; of equals, the first.

    `overlap` is the largest share of documents that a run has in common with one before it.
    """
    shares = overlaps(ranks)["overlap"].to_numpy().reshape(len(ranks.runs), -1)
    covered = np.zeros(len(relevant), dtype=np.bool_)
    order = list[int]()
    rows = []
    for _ in range(n):
        new = holds & ~covered
        worth = (new & relevant).sum(axis=1) * (len(relevant) + 1) + new.sum(axis=1)
        worth[order] = -1
        run = int(worth.argmax())
        covered |= holds[run]
        counts = (new[run].sum(), covered.sum(), (new[run] & relevant).sum(), (covered & relevant).sum())
        alike = float(shares[run, order].max()) if order else None
        order.append(run)
        rows.append((len(order), ranks.runs[run], *map(int, counts), alike))
    numbers = dict.fromkeys(("new", "documents", "new_relevant", "relevant"), pl.Int64)
    schema = {"place": pl.Int64, "run": pl.String} | numbers | {"overlap": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _selections(selections: Mapping[str, Sequence[Sequence[int]]], holds: Mask, relevant: Mask) -> pl.DataFrame:
    rows = []
    for name, several in selections.items():
        covered = np.array([holds[list(selection)].any(axis=0) for selection in several])
        row = {"selection": name, "runs": len(several[0]), "documents": covered.sum(axis=1).mean()}
        rows.append(row | {"relevant": (covered & relevant).sum(axis=1).mean()})
    return pl.DataFrame(rows)


def _idle(table: pl.DataFrame) -> list[str]:
    idle = table.filter(pl.col("new") == 0)["run"].to_list()
    add = "adds" if len(idle) == 1 else "add"
    return [f"{number_of('run', len(idle))} of the choice {add} no document: {', '.join(idle)}"] if idle else []
