"""The rules under which clusterings are counted: what noise is, items without a class, which distance."""

from __future__ import annotations

from typing import Any, NamedTuple

import polars as pl

from assay.core.arguments import argument
from assay.core.domains import Whole
from assay.core.errors import InputError, ParameterError, number_of
from assay.counting.contingency import NoisePolicy, UnlabelledPolicy, check_noise, singletons
from assay.tables.clusters import Clusters
from assay.tables.label_rules import label_like


class Rules(NamedTuple):
    """What holds for all clusterings of a result; see `cluster`."""

    noise: Any = None
    noise_as: NoisePolicy = "drop"
    unlabelled: UnlabelledPolicy = "error"
    metric: str = "euclidean"
    sample_size: int | None = None

    def checked(self) -> Rules:
        """The same, if noise is named where it is spoken of, and the sample is of a whole number of items."""
        check_noise(self.noise, self.noise_as)
        if self.sample_size is None:
            return self
        return self._replace(sample_size=Whole(2).check("sample_size", self.sample_size))

    def noisy(self, given: Clusters) -> pl.Series:
        """Which items are in no cluster.

        >>> Rules(noise="-1").noisy(Clusters.of(None, [0, -1])).to_list()
        [False, True]
        """
        absent = pl.repeat(False, len(given), eager=True, dtype=pl.Boolean)
        if self.noise is None:
            return absent
        try:
            label = label_like(given.cluster[0], self.noise)
        except ParameterError:  # clusters are whole numbers, and noise is a word, which another clustering may have
            return absent
        noisy: pl.Series = given.cluster == label
        return noisy

    def clusters_of(self, given: Clusters) -> pl.Series:
        """The cluster of each item, null where it is left out as noise; as singletons, each has a name of its own.

        >>> Rules(noise=-1, noise_as="singletons").clusters_of(Clusters.of(None, [0, -1, -1])).to_list()
        [0, 1, 2]
        """
        noisy = self.noisy(given)
        if self.noise_as == "cluster" or not noisy.any():
            return given.cluster
        if self.noise_as == "drop":
            return pl.select(pl.when(~noisy).then(given.cluster)).to_series().alias("cluster")
        return singletons(given.cluster, noisy)

    def refuse_unlabelled(self, given: Clusters) -> None:
        """Refuse items without a class, unless it was said what to do about them."""
        truth = given.truth
        if truth is None or self.unlabelled != "error" or not truth.null_count():
            return
        first = given.item_id[int(truth.is_null().arg_max() or 0)]
        count = number_of("item", truth.null_count())
        drop, own = argument("unlabelled", "drop"), argument("unlabelled", "class")
        raise InputError(
            f"{given.whence}: {count} without a class, first {first!r}: "
            f"{drop} leaves such items out, {own} makes them a class of their own"
        )
