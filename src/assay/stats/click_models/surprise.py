"""Prediction of clicks: perplexity by rank and in all, with intervals over units, and differences."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from scipy import special

from assay.measures.counting.clicked_lists import ClickedLists, sums
from assay.measures.counting.judgments import Floats, Ints
from assay.stats.bootstrap import Interval

#: Beyond this a ratio is as good as infinite.
_MOST_LOGARITHM = 700.0


@dataclass(frozen=True, eq=False)
class Surprise:
    """The surprise of a model: minus the binary logarithm of the probability of the outcome at each result.

    Perplexity at a rank is 2 to the mean over the results shown there, and in all the mean over ranks: 1 is perfect,
    2 a fair coin. Intervals are by the delta method: how far each unit (user, session or list) moves a number.
    """

    lists: ClickedLists
    bits: Floats

    @cached_property
    def shown(self) -> Floats:
        """Numbers of results at each rank from 0 on."""
        return sums(self.lists.rank, self.lists.row_weight)

    @cached_property
    def ranks(self) -> Ints:
        """The ranks at which results are."""
        return np.flatnonzero(self.shown)

    @cached_property
    def mean_bits(self) -> Floats:
        """The mean of bits at each rank."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return sums(self.lists.rank, self.lists.row_weight * self.bits) / self.shown

    @property
    def log_likelihood(self) -> float:
        """The mean natural logarithm per result; -inf where something happened that the model rules out."""
        return -float(np.average(self.bits, weights=self.lists.row_weight)) * math.log(2)

    @cached_property
    def impossible(self) -> float:
        """The share of lists on which something happened that the model rules out."""
        row = np.repeat(np.arange(len(self.lists)), self.lists.length)
        lists = np.unique(row[np.isinf(self.bits)])
        return float(self.lists.weight[lists].sum() / self.lists.weight.sum())

    @property
    def perplexity(self) -> float:
        """The mean over ranks."""
        return float(np.mean(2 ** self.mean_bits[self.ranks]))

    @cached_property
    def log_likelihood_pull(self) -> Floats:
        """The pull of each unit on the mean logarithm per result."""
        mean = -self.log_likelihood / np.log(2)
        with np.errstate(invalid="ignore"):  # of what is impossible nothing is known
            return self._by_unit(-np.log(2) * (self.bits - mean) / self.lists.row_weight.sum())

    @cached_property
    def perplexity_pull(self) -> Floats:
        """The pull of each unit on the perplexity in all."""
        steep = np.log(2) * 2**self.mean_bits / np.maximum(self.shown, 1) / len(self.ranks)
        rank = self.lists.rank
        with np.errstate(invalid="ignore"):  # of what is impossible nothing is known
            return self._by_unit(steep[rank] * (self.bits - self.mean_bits[rank]))

    def perplexity_interval(self, confidence: float) -> tuple[float, float]:
        """Both ends of the perplexity in all, which is never below 1: by its logarithm, as at each rank."""
        bits = np.log2(self.perplexity)
        mean = self.perplexity
        pull = self.perplexity_pull / (mean * np.log(2)) if np.isfinite(mean) else self.perplexity_pull
        low, high = interval(float(bits), pull, confidence, positive=True)[:2]
        return float(np.exp2(low)), float(np.exp2(high))

    def log_likelihood_interval(self, confidence: float) -> tuple[float, float]:
        """Both ends of the log-likelihood, which is never above 0."""
        low, high = interval(-self.log_likelihood, self.log_likelihood_pull, confidence, positive=True)[:2]
        return -high, -low

    @property
    def units(self) -> int:
        """The number of users, sessions or lists with results here."""
        return len(self.log_likelihood_pull)

    def _by_unit(self, pull: Floats) -> Floats:
        """Sums over the units that have results here; others say nothing about how sure the mean is."""
        unit = np.arange(len(self.lists)) if self.lists.unit is None else self.lists.unit
        _, whose = np.unique(np.repeat(unit, self.lists.length), return_inverse=True)
        return sums(whose, pull * self.lists.row_weight)

    def by_rank(self, confidence: float) -> pl.DataFrame:
        """One row per rank: how many results, perplexity, and its interval."""
        rank, unit = self.lists.rank, self.lists.unit
        units = np.repeat(np.arange(len(self.lists)) if unit is None else unit, self.lists.length)
        order = np.argsort(rank, kind="stable")
        ends = np.cumsum(np.bincount(rank))
        rows = []
        for each in self.ranks.tolist():
            here = order[ends[each - 1] if each else 0 : ends[each]]
            mean, results = self.mean_bits[each], self.shown[each]
            bits = self.bits[here] if np.isfinite(mean) else np.zeros(len(here))
            pull = self.lists.row_weight[here] * (bits - mean) / results
            _, whose = np.unique(units[here], return_inverse=True)
            low, high = interval(mean, sums(whose, pull), confidence, positive=True)[:2]
            rows.append((each, int(results), *np.exp2([mean, low, high]).tolist()))
        schema = {"rank": pl.Int64, "shown": pl.Int64, "perplexity": pl.Float64, "low": pl.Float64, "high": pl.Float64}
        return pl.DataFrame(rows, schema=schema, orient="row")


def interval(value: float, pull: Floats, confidence: float, *, positive: bool = False) -> Interval:
    """The interval of a number that units move so far; unknown for fewer than two units, or if infinite.

    `positive`: it is never below 0, so that its interval is that of its logarithm.

    >>> interval(0.5, np.array([0.01, -0.01]), 0.95)
    Interval(low=0.4608, high=0.5392, level=0.95, method='delta')
    >>> interval(0.5, np.array([0.4, -0.4]), 0.95, positive=True)
    Interval(low=0.0217, high=11.5, level=0.95, method='delta')
    """
    units = len(pull)
    if units < 2 or not np.isfinite(value):
        return Interval.unknown(confidence, "delta")
    error = float(np.sqrt((pull @ pull) * units / (units - 1)))
    reach = float(special.ndtri((1 + confidence) / 2)) * error
    if positive and value > 0:
        ratio = math.exp(min(reach / value, _MOST_LOGARITHM))
        return Interval(value / ratio, value * ratio, confidence, "delta")
    return Interval(value - reach, value + reach, confidence, "delta")
