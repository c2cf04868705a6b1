"""`NumberOfClusters`: measures over the number of clusters, what each prefers, and the verdict."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

import polars as pl

from assay.core import registry
from assay.core.digits import as_level, number
from assay.core.errors import ParameterError, joined, listed, not_among, number_of
from assay.core.results import Result
from assay.measures.registry import Measure
from assay.subjects.clusters.rules import measure_of

if TYPE_CHECKING:
    import altair as alt

#: Measures that are largest, or smallest, where the number of clusters suits; others rise or fall all along.
VOTING = ("Silhouette", "DaviesBouldin", "CalinskiHarabasz")
STABILITY = "Stability"
#: The part of the items that a subsample has.
SHARE = 0.8
#: What there is for each number of clusters and measure; only stability has a spread.
NUMBERS = {"k": pl.Int64, "measure": pl.String, "value": pl.Float64, "spread": pl.Float64, "undefined": pl.String}

Verdict = Literal["agree", "disagree", "no structure", "undefined"]

_A_MAJORITY = 0.5


class Reference(NamedTuple):
    """The largest silhouette over all numbers of clusters: that of the data, and those of data without structure."""

    value: float
    without: tuple[float, ...]
    #: Points of each of the data sets without structure, and the largest number of clusters that they were put into.
    points: int
    most: int

    @property
    def reached(self) -> int:
        """The number of data sets without structure that come as high.

        >>> Reference(0.5, (0.3, 0.4), 100, 9).reached, Reference(0.4, (0.3, 0.4), 100, 9).reached
        (0, 1)
        """
        return sum(best >= self.value for best in self.without)


@dataclass(frozen=True, eq=False)
class NumberOfClusters(Result):
    """Measures over the number of clusters k, and what they prefer.

    `verdict`: `agree` if all prefer the same k, `disagree` if not, `no structure` if data without any come as high,
    `undefined` if no measure has a number. `k` is the number that all prefer, or most of them; None if there is none.

    >>> from assay import number_of_clusters
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(middle, 0.2, size=(30, 2)) for middle in (0, 3, 6)])
    >>> result = number_of_clusters(X, range(2, 6))
    >>> result.verdict, result.k, result.preferred("Silhouette")
    ('agree', 3, 3)
    """

    kind = "number of clusters"

    numbers: pl.DataFrame
    #: The items of the smallest cluster, for each number of clusters.
    smallest: Mapping[int, int]
    items: int
    #: What made the clusters, in words.
    by: str
    reference: Reference | None = None
    #: How many subsamples stability is from, and how many items they were drawn from.
    resamples: int = 0
    resampled: int = 0
    seed: int = 0
    metric: str = "euclidean"
    warnings: tuple[str, ...] = ()
    #: As many clusters as there could be at most.
    most: int = 0

    def __repr__(self) -> str:
        return f"<NumberOfClusters: {self.ks[0]} to {self.ks[-1]}, {self.verdict}, k = {self.k}>"

    @property
    def ks(self) -> tuple[int, ...]:
        """The numbers of clusters that were tried."""
        return tuple(self.smallest)

    @property
    def names(self) -> list[str]:
        """The measures, and stability if it was looked at."""
        return [*self._columns]

    def value(self, measure: str | Measure, k: int) -> float:
        """A measure's number, or that of `Stability`; NaN if it is undefined."""
        if k not in self.ks:
            raise ParameterError(f"choose a number of clusters of {listed([*map(str, self.ks)])}, not {k!r}")
        return self._values(measure)[k]

    def to_frame(self) -> pl.DataFrame:
        """A row a number of clusters and measure: value, spread (of stability), why it is undefined."""
        return self.numbers

    @cached_property
    def _columns(self) -> dict[str, dict[int, float]]:
        """The numbers of each measure by k, NaN where there is none."""
        columns: dict[str, dict[int, float]] = {}
        for k, name, value in self.numbers.select("k", "measure", pl.col("value").fill_null(math.nan)).rows():
            columns.setdefault(name, {})[k] = value
        return columns

    @cached_property
    def spreads(self) -> dict[int, float]:
        """The standard deviation of stability by k, NaN where there is none."""
        stability = self.numbers.filter(measure=STABILITY)
        return dict(stability.select("k", pl.col("spread").fill_null(math.nan)).rows())

    def _values(self, measure: str | Measure) -> dict[int, float]:
        name = STABILITY if measure == STABILITY else str(measure_of(measure))
        if name not in self._columns:
            raise not_among("measure", measure, self.names)
        return self._columns[name]

    def preferred(self, measure: str | Measure) -> int | None:
        """The number of clusters where a measure is best; None if it has no best.

        Of several, the smallest; of those that are equally stable, the largest. A measure that is undefined where
        others have a number, since clusters have no width there, cannot say where it is best.
        """
        higher = True if measure == STABILITY else measure_of(measure).definition.higher_is_better
        values = {k: value for k, value in self._values(measure).items() if not math.isnan(value)}
        if higher is None or not values or (_has_a_say(measure) and not self._measured <= values.keys()):
            return None
        sign = 1 if higher else -1
        order = 1 if measure == STABILITY else -1
        # What differs but for rounding is the same.
        return max(values, key=lambda k: (sign * float(f"{values[k]:.9g}"), order * k))

    @property
    def _measured(self) -> set[int]:
        """The numbers of clusters that any of the measures with a say has a number for."""
        columns = [column for name, column in self._columns.items() if _has_a_say(name)]
        return {k for column in columns for k, value in column.items() if not math.isnan(value)}

    @property
    def votes(self) -> dict[str, int]:
        """Votes of the measures that have a say: those that are best where the number suits."""
        voters = [name for name in self.names if name == STABILITY or _has_a_say(name)]
        return {name: k for name in voters if (k := self.preferred(name)) is not None}

    @property
    def verdict(self) -> Verdict:
        """The verdict on whether the measures agree; and first of all, whether there is anything to find."""
        if not self.votes:
            return "undefined"
        if self.reference is not None and self.reference.reached:
            return "no structure"
        return "agree" if len(set(self.votes.values())) == 1 else "disagree"

    @property
    def k(self) -> int | None:
        """The number of clusters that more than half of the votes are for; None without structure."""
        if self.verdict in {"no structure", "undefined"}:
            return None
        (k, count), *_ = Counter(self.votes.values()).most_common()
        return k if count > _A_MAJORITY * len(self.votes) else None

    def says(self) -> str:
        """The verdict in a sentence."""
        if self.verdict == "undefined":
            if self.numbers["value"].is_not_null().any():
                return "none of the measures asked for can tell the number of clusters"
            return "every measure is undefined: nothing can be said"
        if self.reference is not None and self.verdict == "no structure":
            return (
                f"no structure: {self.reference.reached} of {len(self.reference.without)} data sets spread evenly over "
                f"the same box reach a silhouette of {number(self.reference.value)}, the largest of these points: it "
                "takes no clusters to come so high"
            )
        by_k: dict[int, list[str]] = {}
        for name, k in self.votes.items():
            by_k.setdefault(k, []).append(name)
        preferences = "; ".join(f"{_prefer(names)} {k}" for k, names in sorted(by_k.items()))
        start = f"{self.k} clusters" if self.verdict == "agree" else "no clear number of clusters"
        return f"{start}: {preferences}"

    def remarks(self) -> Iterator[str]:
        """Further remarks: structure, ends of what was tried, tiny clusters."""
        if self.reference is not None and not self.reference.reached:
            yield (
                f"there is structure: the largest silhouette is {number(self.reference.value)}, and none of "
                f"{len(self.reference.without)} data sets spread evenly over the same box exceeds "
                f"{number(max(self.reference.without))}"
            )
        if self.verdict != "no structure":
            last = self.ks[-1]
            ends = [name for name, k in self.votes.items() if k == last]
            if ends and len(self.ks) > 1 and last < self.most:
                yield f"{_prefer(ends)} {last}, the largest number tried: try more"
            if self.k is not None and self.smallest[self.k] == 1:
                yield f"with {self.k} clusters, the smallest has a single item: look for outliers"

    def chart(self) -> alt.ConcatChart:
        """Each measure over k, as an Altair object; needs the extra `report`."""
        chart: alt.ConcatChart = registry.load("assay.subjects.clusters.curves:over_k")(self).chart()
        return chart

    def basis(self) -> Iterator[str]:
        """The basis of the numbers, in sentences."""
        yield f"{number_of('point', self.items)}; {self.by}; distances are {self.metric}."
        if self.resamples:
            of = "" if self.resampled == self.items else f" of {self.resampled:,} points, drawn once"
            yield (
                f"Stability: {self.resamples} random subsamples ({as_level(SHARE)}{of}) are clustered, and every two "
                f"are compared on the items they share (adjusted Rand: 0 by chance); mean ± standard deviation; "
                f"seed {self.seed}."
            )
        if self.reference is not None:
            held = "all k" if self.reference.most >= self.ks[-1] else f"k up to {self.reference.most}"
            yield (
                f"Structure: {len(self.reference.without)} data sets of {number_of('point', self.reference.points)}, "
                "even over the box along the principal axes, clustered alike; the largest silhouette over "
                f"{held} counts."
            )
        else:
            yield "Structure was not tested: there are too many clusters for data sets without structure."


def _has_a_say(measure: str | Measure) -> bool:
    """True if a measure is best where the number of clusters suits, whatever its parameters."""
    return (measure.name if isinstance(measure, Measure) else str(measure).split("(")[0]) in VOTING


def _prefer(names: list[str]) -> str:
    """The voters for a number, with the verb.

    >>> _prefer(["Silhouette"]), _prefer(["Silhouette", "Stability"])
    ('Silhouette prefers', 'Silhouette and Stability prefer')
    """
    return f"{joined(names)} {'prefers' if len(names) == 1 else 'prefer'}"
