"""Which units make the difference between two systems."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from assay.stats.rounding import ROUNDING
from assay.stats.samples import Averaged


def parts(units: Sequence[str], sample: Averaged, names: tuple[str, str], key: str = "query_id") -> pl.DataFrame:
    """Two systems' numbers (columns of the sample) unit by unit, those that differ most first.

    `share` is the unit's part in the difference of the means: a unit that goes the other way has a negative one, and
    all together add up to 1. `cumulated` adds them up from the first row. Both are null if the means do not differ.

    >>> parts(["q1", "q2"], Averaged(np.array([[0.5, 1.0], [0.25, 0.25]])), ("a", "b")).rows()
    [('q1', 0.5, 1.0, 0.5, 1.0, 1.0), ('q2', 0.25, 0.25, 0.0, 0.0, 1.0)]
    """
    own = np.diff(sample.additive, axis=1)[:, 0]
    total = own.sum()
    share = own / total if abs(total) > ROUNDING * max(np.abs(own).sum(), ROUNDING) else np.full(len(own), np.nan)
    difference = np.diff(sample.values, axis=1)[:, 0]
    order = np.argsort(-np.abs(difference), kind="stable")
    return pl.DataFrame(
        {
            key: pl.Series([units[place] for place in order], dtype=pl.String),
            f"value_{names[0]}": sample.values[order, 0],
            f"value_{names[1]}": sample.values[order, 1],
            "difference": difference[order],
            "share": share[order],
            "cumulated": np.cumsum(share[order]),
        }
    ).with_columns(pl.col("share", "cumulated").fill_nan(None))
