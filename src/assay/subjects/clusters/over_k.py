"""Numbers of clusters held against one another: stability of subsamples, points without structure, votes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from assay.core import registry
from assay.core.digits import as_level, number
from assay.core.errors import ParameterError, listed, not_among, number_of
from assay.core.results import Result
from assay.measures.counting.contingency import Contingency
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.counting.points import Points
from assay.measures.parser import parse_measure
from assay.measures.registry import Measure
from assay.measures.steps import PerUnit
from assay.subjects.clusters.rules import measure_of

if TYPE_CHECKING:
    import altair as alt


#: The work to cite for it, by its key in the bibliography.
CITES_REFERENCE = "tibshirani2001"
#: Reference data have so many points at most.
MOST_POINTS = 500
#: Clusters of fewer points than this, on average, look unlike those of many: with fewer points than the data have, so
#: many clusters are not held against them.
_FEWEST_EACH = 5

_TINY = 1e-12


def even_points(points: Floats) -> Callable[[int, np.random.Generator], Floats]:
    """What draws so many points, spread evenly over the smallest box along the principal axes that holds all points.

    >>> draw = even_points(np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]))  # a diagonal, and nothing across
    >>> bool(np.ptp(draw(100, np.random.default_rng(0)) @ [1, -1]) < 1e-9)
    True
    """
    middle = points.mean(axis=0)
    centred = points - middle
    axes = np.linalg.svd(centred, full_matrices=False)[2]
    turned = centred @ axes.T
    flat = np.ptp(turned, axis=0) <= _TINY * float(np.abs(centred).max())
    low, high = (np.where(flat, 0.0, end) for end in (turned.min(axis=0), turned.max(axis=0)))

    def draw(count: int, rng: np.random.Generator) -> Floats:
        drawn: Floats = rng.uniform(low, high, size=(count, len(low))) @ axes + middle
        return drawn

    return draw


class Reference(NamedTuple):
    """The largest silhouette over all numbers of clusters: that of the data, and those of data without structure."""

    value: float
    without: tuple[float, ...]
    #: Points of each of the data sets without structure, and the largest number of clusters that they were put into.
    points: int
    most: int

    @property
    def reached(self) -> int:
        """How many data sets without structure come as high."""
        return sum(best >= self.value for best in self.without)

    @property
    def has_structure(self) -> bool:
        """Whether the data stand out from all data without structure.

        >>> Reference(0.5, (0.3, 0.4), 100, 9).has_structure, Reference(0.4, (0.3, 0.4), 100, 9).has_structure
        (True, False)
        """
        return self.reached == 0


def most_held(points: int, drawn_from: int) -> int:
    """The largest number of clusters that reference data can be held against, of `points`, for data of `drawn_from`.

    >>> most_held(60, 60), most_held(500, 20_000)
    (59, 100)
    """
    return points - 1 if points == drawn_from else points // _FEWEST_EACH


def reference_of(
    points: Floats, silhouettes: Mapping[int, float], fit: Callable[[int, Floats], Ints], *, sets: int, items: int,
    rng: np.random.Generator, metric: str = "euclidean", tell: Callable[[], None] = lambda: None,
) -> Reference | None:  # fmt: skip
    """Cluster data without structure as the data were; None if nothing can be held against them.

    `silhouettes` are those of the data by number of clusters, `points` some or all of the `items`. `tell` is called
    after each data set.
    """
    draw, size = even_points(points), min(len(points), MOST_POINTS)
    held = {k: value for k, value in silhouettes.items() if k <= most_held(size, items) and not np.isnan(value)}
    largest = []
    for _ in range(sets if held else 0):
        sample = draw(size, rng)
        values = [float(np.mean(Points.of(sample, fit(k, sample), metric=metric).silhouettes)) for k in held]
        largest += [np.nanmax(values)] if not np.isnan(values).all() else []
        tell()
    return Reference(max(held.values()), tuple(map(float, largest)), size, max(held)) if largest else None


#: Puts points into clusters: the place of each one's cluster.
Fit: TypeAlias = Callable[[Floats], Ints]
#: The work to cite for it, by its key in the bibliography.
CITES = "benhur2002"
#: The part of the items that a subsample has.
SHARE = 0.8
#: Tables of so many cells at most are held at once.
MOST_CELLS = 2_000_000

_NOT_DRAWN = -1


class ClusterStability(NamedTuple):
    """The mean of the adjusted Rand indices of every two subsamples, and how they spread; NaN if there is none."""

    mean: float = np.nan
    spread: float = np.nan


def subsamples(items: int, resamples: int, rng: np.random.Generator) -> list[Ints]:
    """Random subsamples without replacement, each in the order of the items.

    >>> [len(drawn) for drawn in subsamples(10, 3, np.random.default_rng(0))]
    [8, 8, 8]
    """
    size = max(1, round(SHARE * items))
    return [np.sort(rng.choice(items, size, replace=False)) for _ in range(resamples)]


def stability_of(points: Floats, fit: Fit, samples: Sequence[Ints]) -> ClusterStability:
    """Cluster each subsample, and see how far every two of them agree on the items that both have.

    >>> two = np.array([[0.0], [0.1], [0.2], [9.0], [9.1], [9.2]])
    >>> halves = [np.array([0, 1, 3, 4]), np.array([0, 1, 2, 3, 4])]
    >>> stability_of(two, lambda X: (X[:, 0] > 5).astype(np.int64), halves)
    ClusterStability(mean=1.0, spread=nan)
    """
    labels = []
    for rows in samples:
        labels_of_sample = np.full(len(points), _NOT_DRAWN, dtype=np.int64)
        labels_of_sample[rows] = np.unique(fit(points[rows]), return_inverse=True)[1]
        labels.append(labels_of_sample)
    values = agreements(labels)
    known = values[~np.isnan(values)]
    if not len(known):
        return ClusterStability()
    spread = float(known.std(ddof=1)) if len(known) > 1 else np.nan
    return ClusterStability(float(known.mean()), spread)


def agreements(labels: Sequence[Ints]) -> Floats:
    """The adjusted Rand index of every two clusterings on the items that both have; -1 marks those that one lacks.

    >>> agreements([np.array([0, 0, 1, 1, -1]), np.array([1, 1, 0, 0, 0])])
    array([1.])
    """
    width = 1 + max((int(labelling.max()) for labelling in labels), default=0)
    adjusted_rand = parse_measure("ARI", "clustering").of
    names = tuple(range(width))
    row, column = np.divmod(np.arange(width * width), width)
    values = []
    # A table each pair over the same cells, so that the measure is computed for many at once; not all, to spare memory.
    pairs = list(combinations(labels, 2))
    for start in range(0, len(pairs), step := max(1, MOST_CELLS // width**2)):
        counts = [
            np.bincount((first * width + other)[(first >= 0) & (other >= 0)], minlength=width * width)
            for first, other in pairs[start : start + step]
        ]
        tables = Contingency(names, names, row, column, np.array(counts), tuple(map(str, range(len(counts)))))
        values.append(adjusted_rand(tables))
    return np.concatenate(values) if values else np.empty(0)


#: Measures that are largest, or smallest, where the number of clusters suits; others rise or fall all along.
VOTING = ("Silhouette", "DaviesBouldin", "CalinskiHarabasz")

STABILITY = "Stability"

Verdict = Literal["agree", "disagree", "no structure", "undefined"]

_A_MAJORITY = 0.5
#: Numbers of clusters are equally stable if they differ by less than so many standard errors.
_STANDARD_ERRORS = 2.0

_ROUNDING = 1e-9


def _has_a_say(measure: str | Measure) -> bool:
    """Whether a measure is best where the number of clusters suits, whatever its parameters."""
    return str(measure).split("(")[0] in VOTING


class AtK(NamedTuple):
    """One number of clusters: the numbers of all measures, how stable it is, and the items of its smallest cluster."""

    k: int
    results: Mapping[Measure, PerUnit]
    stability: ClusterStability | None = None
    smallest: int = 0


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

    rows: tuple[AtK, ...]
    measures: tuple[Measure, ...]
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
    #: As many clusters as there could be at most; None if that is not known.
    most: int | None = None

    def __repr__(self) -> str:
        return f"<NumberOfClusters: {self.ks[0]} to {self.ks[-1]}, {self.verdict}, k = {self.k}>"

    @property
    def ks(self) -> tuple[int, ...]:
        """The numbers of clusters that were tried."""
        return tuple(row.k for row in self.rows)

    def at(self, k: int) -> AtK:
        """What is known about one number of clusters."""
        if k not in self.ks:
            raise ParameterError(f"choose a number of clusters of {listed([*map(str, self.ks)])}, not {k!r}")
        return self.rows[self.ks.index(k)]

    def value(self, measure: str | Measure, k: int) -> float:
        """A measure's number, or that of `ClusterStability`; NaN if it is undefined."""
        row = self.at(k)
        if measure == STABILITY:
            return math.nan if row.stability is None else row.stability.mean
        wanted = measure_of(measure)
        if wanted not in self.measures:
            raise not_among("measure", measure, self.names)
        return float(row.results[wanted].values[0])

    @property
    def names(self) -> list[str]:
        """The measures, and stability if it was looked at."""
        stable = [STABILITY] if any(row.stability is not None for row in self.rows) else []
        return [*map(str, self.measures), *stable]

    def best(self, measure: str | Measure) -> tuple[int, ...]:
        """Where a measure is best: several numbers if it cannot tell them apart, none if it has no best.

        Two numbers are equally stable if they differ by less than twice the standard error. A measure that is undefined
        where others have a number, since clusters have no width there, cannot say where it is best.
        """
        higher = True if measure == STABILITY else measure_of(measure).definition.higher_is_better
        values = {k: value for k in self.ks if not math.isnan(value := self.value(measure, k))}
        lacks = _has_a_say(measure) and any(k not in values for k in self._measured)
        if higher is None or not values or lacks:
            return ()
        top = max(values.values()) if higher else min(values.values())
        return tuple(k for k, value in values.items() if abs(top - value) <= self._slack(measure, k, top))

    def _slack(self, measure: str | Measure, k: int, top: float) -> float:
        """By how much a number may be below the best one and still count as that."""
        stability = self.at(k).stability if measure == STABILITY else None
        if stability is not None and not math.isnan(stability.spread):
            return _STANDARD_ERRORS * stability.spread / math.sqrt(self.resamples)
        return _ROUNDING * abs(top)

    @property
    def _measured(self) -> list[int]:
        """The numbers of clusters that any of the measures with a say has a number for."""
        say = [measure for measure in self.measures if _has_a_say(measure)]
        return [k for k in self.ks if any(not math.isnan(self.value(measure, k)) for measure in say)]

    def preferred(self, measure: str | Measure) -> int | None:
        """The number of clusters where a measure is best; None if it has no best.

        Of several that it cannot tell apart: what most of the other measures prefer. If none of them helps, the largest
        that is as stable as any, and the smallest by other measures.
        """
        sure = Counter(best[0] for name in self._voters if len(best := self.best(name)) == 1)
        sign = 1 if measure == STABILITY else -1
        return max(self.best(measure), key=lambda k: (sure[k], sign * k), default=None)

    @property
    def _voters(self) -> list[str]:
        return [name for name in self.names if name == STABILITY or _has_a_say(name)]

    @property
    def votes(self) -> dict[str, int]:
        """Which number each measure prefers that has a say: those that are best where the number suits."""
        return {name: k for name in self._voters if (k := self.preferred(name)) is not None}

    @property
    def verdict(self) -> Verdict:
        """Whether the measures agree; and first of all, whether there is anything to find."""
        if not self.votes:
            return "undefined"
        if self.reference is not None and not self.reference.has_structure:
            return "no structure"
        return "agree" if len(set(self.votes.values())) == 1 else "disagree"

    @property
    def k(self) -> int | None:
        """The number of clusters that more than half of the votes are for; None without structure."""
        if self.verdict in {"no structure", "undefined"}:
            return None
        (k, count), *_ = Counter(self.votes.values()).most_common()
        return k if count > _A_MAJORITY * len(self.votes) else None

    def to_frame(self) -> pl.DataFrame:
        """A row a number of clusters and measure: value, spread (of stability), why it is undefined."""
        rows: list[tuple[int, str, float, float | None, str | None]] = []
        for row in self.rows:
            rows += [
                (row.k, str(measure), float(result.values[0]), None, result.reason(0))
                for measure, result in row.results.items()
            ]
            if row.stability is not None:
                rows.append((row.k, STABILITY, row.stability.mean, row.stability.spread, None))
        numbers = {"value": pl.Float64, "spread": pl.Float64}
        schema = {"k": pl.Int64, "measure": pl.String, **numbers, "undefined": pl.String}
        return pl.DataFrame(rows, schema=schema, orient="row").with_columns(pl.col(pl.Float64).fill_nan(None))

    def says(self) -> str:
        """The verdict in a sentence."""
        if self.verdict == "undefined":
            if any(not math.isnan(self.value(name, k)) for name in self.names for k in self.ks):
                return "no measure has a say: those that were asked for do not tell the number of clusters"
            return "no measure has a number: nothing can be said"
        if self.reference is not None and self.verdict == "no structure":
            return (
                f"no structure: of {len(self.reference.without)} data sets spread evenly over the same box, "
                f"{self.reference.reached} reached a silhouette of {number(self.reference.value)}, the largest of "
                "these points; so high a number comes without any clusters, too"
            )
        if self.verdict == "agree":
            names = list(self.votes)
            both = "" if len(names) == 1 else "both " if len(names) == 2 else "all of "
            return f"{self.k} clusters: {both}{listed(names)} {'prefers' if len(names) == 1 else 'prefer'} that"
        by_k: dict[int, list[str]] = {}
        for name, k in self.votes.items():
            by_k.setdefault(k, []).append(name)
        preferences = "; ".join(
            f"{listed(names)} {'prefers' if len(names) == 1 else 'prefer'} {k}" for k, names in sorted(by_k.items())
        )
        return f"no clear number of clusters: {preferences}"

    def remarks(self) -> Iterator[str]:
        """What else to know: structure, ends of what was tried, tiny clusters."""
        if self.reference is not None and self.reference.has_structure:
            yield (
                f"there is structure: the largest silhouette is {number(self.reference.value)}, and none of "
                f"{len(self.reference.without)} data sets spread evenly over the same box comes to more than "
                f"{number(max(self.reference.without))}"
            )
        for name in self._voters:
            if len(best := self.best(name)) > 1:
                yield f"{name} cannot tell {listed([*map(str, best)])} clusters apart: it sides with the others there"
        if self.verdict != "no structure":
            ends = [name for name, k in self.votes.items() if k == self.ks[-1]]
            if ends and len(self.ks) > 1 and (self.most is None or self.ks[-1] < self.most):
                prefer = "prefers" if len(ends) == 1 else "prefer"
                yield f"{listed(ends)} {prefer} {self.ks[-1]}, the largest number that was tried: try more"
            if self.k is not None and self.at(self.k).smallest == 1:
                yield f"with {self.k} clusters, the smallest has one item only: look for outliers"

    def chart(self) -> alt.ConcatChart:
        """Each measure over k, as an Altair object; needs the extra `report`."""
        chart: alt.ConcatChart = registry.load("assay.subjects.clusters.curves:over_k")(self).chart()
        return chart

    def basis(self) -> Iterator[str]:
        """How the numbers were made, in sentences."""
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
            yield "Whether there is any structure was not looked at: too many clusters for the data without any."
