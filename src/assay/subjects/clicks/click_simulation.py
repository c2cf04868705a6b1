"""`simulate_clicks`: a log as a fitted click model would have it, on the pages of a log or of a run."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from assay.core.digits import as_percent
from assay.core.domains import Whole
from assay.core.errors import InputError, ParameterError
from assay.core.evaluation_options import Seed
from assay.files.collections import read_run
from assay.files.log_looks import looks_like_log
from assay.files.logs import read_log
from assay.measures.counting.clicked_lists import ClickedLists
from assay.stats.click_models.fitting import ClickModel
from assay.tables import Run
from assay.tables.log import Log


def simulate_clicks(model: Any, pages: Any, *, times: int = 1, depth: int | None = None, seed: Seed = 0) -> Log:
    """Draw clicks from a click model on the pages of a log, or on the results of a run.

    `model`: a `ClickModel`, or the file of one. `pages`: a log, or a run: one page per query with its first `depth`
    results (10). `times`: how often each page is shown. The log has no times, but whose pages these are, if `pages` say
    so.

    >>> from assay import fit_clicks
    >>> log = Log.from_pages([("q", ["a", "b"], ["a"]), ("q", ["a", "b"], [])])
    >>> simulate_clicks(fit_clicks(log, "PBM", prior=(0, 0)), log, times=50, seed=1)
    <Log 'log': 100 result pages, 200 results, 47 clicks>
    """
    Whole(1).check("times", times)
    fitted = model if isinstance(model, ClickModel) else ClickModel.load(model)
    if fitted.keys != ["query_id", "doc_id"]:
        raise InputError(f"the model knows {' and '.join(fitted.keys)}, not queries and documents")
    log = _repeated(_opened(pages, depth), times)
    lists = ClickedLists.from_log(log)
    clicked = fitted.sample(lists, seed).clicked
    results = log.results.with_columns(clicks=pl.Series(clicked).cast(pl.Int64)).collect()
    remarks = [f"clicks were drawn from {fitted.name}, seed {seed}"]
    unseen = 1 - fitted.is_seen(lists)
    if fitted.model.relevance and unseen.any():
        share = as_percent(float(unseen.mean()))
        remarks.append(f"{share} of the results are new to the model for their query: they count with the mean of all")
    return Log.of(log.impressions.drop("time").collect(), results, name=log.name, remarks=tuple(remarks))


def _opened(pages: Any, depth: int | None) -> Log:
    if isinstance(pages, Log) or (not isinstance(pages, Run) and looks_like_log(pages)):
        if depth is not None:
            raise ParameterError("a number of results per page goes with a run: pages of a log are taken as they are")
        return read_log(pages)
    depth = 10 if depth is None else Whole(1).check("depth", depth)
    run = pages if isinstance(pages, Run) else read_run(pages)
    ordered = run.frame.sort("query_id", "score", "doc_id", descending=[False, True, True])
    ranked = ordered.with_columns(rank=pl.int_range(1, pl.len() + 1).over("query_id")).filter(pl.col("rank") <= depth)
    queries = ranked.select("query_id").unique(maintain_order=True).with_row_index("impression")
    results = ranked.join(queries, on="query_id", how="left", maintain_order="left")
    return Log.of(queries, results.select("impression", "rank", "doc_id").with_columns(clicks=pl.lit(0)), name=run.name)


def _repeated(log: Log, times: int) -> Log:
    """Every page so often."""
    if times == 1:
        return log
    pages, results = pl.collect_all([log.impressions, log.results])
    shift = np.repeat(np.arange(times), results.height) * pages.height
    many = pl.concat([pages] * times).with_columns(impression=pl.int_range(pages.height * times), impression_id=None)
    results = pl.concat([results] * times).with_columns(impression=pl.col("impression") + pl.Series(shift))
    return Log.of(many, results, name=log.name)
