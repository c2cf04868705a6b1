"""Labels of classes and clusters as columns, and items that are in no cluster."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from assay.core.domains import Choice
from assay.core.errors import InputError, ParameterError
from assay.core.options import NoisePolicy
from assay.tables.label_rules import label_like

#: What to do about items without a label of a cluster.
NO_CLUSTER = "name the label of items in no cluster with `noise`"


def same_length(truth: pl.Series, cluster: pl.Series) -> None:
    """Refuse labels of different lengths, and none at all."""
    if len(truth) != len(cluster):
        raise InputError(
            f"expected as many clusters as classes, one of each an item, got {len(cluster)} and {len(truth)}"
        )
    if not len(truth):
        raise InputError("expected at least one item, got none")


def noisy_items(cluster: pl.Series, noise: Any) -> pl.Series:
    """A mask of the items in no cluster, as they have the label that says so.

    >>> noisy_items(pl.Series([0, -1]), -1).to_list()
    [False, True]
    """
    if isinstance(noise, bool | np.bool) and cluster.dtype != pl.Boolean:
        raise ParameterError(f"noise is a label of the clusters, such as {cluster[0]!r}, not {noise!r}")
    noisy: pl.Series = cluster == label_like(cluster[0], noise)
    return noisy


#: After larger whole numbers there is no room for those of single items.
_LARGEST = 1 << 62


def check_noise(noise: Any, noise_as: NoisePolicy) -> None:
    """Refuse a policy for noise that does not exist, or that nothing comes of as there is no noise.

    >>> check_noise(None, "singletons")
    Traceback (most recent call last):
    assay.core.errors.ParameterError: noise_as='singletons' goes with `noise`, the label of items that are in no cluster
    """
    Choice(NoisePolicy).check("noise_as", noise_as)
    if noise is None and noise_as != "drop":
        raise ParameterError(f"noise_as={noise_as!r} goes with `noise`, the label of items that are in no cluster")


def singletons(cluster: pl.Series, is_noise: pl.Series) -> pl.Series:
    """Each item of the noise in a cluster of its own, with a number after those that occur, or a name.

    >>> singletons(pl.Series([0, -1, -1]), pl.Series([False, True, True])).to_list()
    [0, 1, 2]
    """
    if not is_noise.any():
        return cluster
    numbered = is_noise.cast(pl.Int64).cum_sum()
    if cluster.dtype.is_integer() and (largest := int(cluster.max())) < _LARGEST:  # type: ignore[arg-type]
        return pl.select(pl.when(is_noise).then(numbered + largest).otherwise(cluster.cast(pl.Int64))).to_series()
    named = cluster.cast(pl.String)
    mark = f"{named.filter(is_noise)[0]} "
    while named.str.starts_with(mark).any():
        mark += "#"  # a name that no cluster has already
    names = pl.concat_str(pl.lit(mark), numbered.cast(pl.String))
    return pl.select(pl.when(is_noise).then(names).otherwise(named)).to_series()
