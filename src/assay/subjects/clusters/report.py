"""Reports on clusterings: the sections, what stands first, and the methods in sentences for a paper."""

from __future__ import annotations

import math
from collections.abc import Iterator

from assay.core.digits import as_level, as_percent, number, percent_span, span
from assay.core.errors import argument, number_of
from assay.measures.registry import Measure
from assay.show.model import Section
from assay.stats.estimates import CITES as CITES_OF_INTERVALS
from assay.stats.estimates import SUBSAMPLING
from assay.subjects.clusters.evidence import Evidence
from assay.subjects.clusters.result import Clustering
from assay.subjects.clusters.sections import sections
from assay.verbs.comparison import Comparison
from assay.verbs.sections.items import summary
from assay.verbs.sections.methods import Citations, differences_from, measured_by, systems_named, were
from assay.verbs.sections.reports import values_of_systems

_NOISE = {"drop": "left out", "singletons": "a cluster of its own each", "cluster": "one cluster"}


def of_clusterings(result: Clustering, comparison: Comparison | None, cite: Citations) -> Iterator[str]:
    """The way clusterings were evaluated and compared."""
    called = {measure: str(measure) for measure in result.measures}
    names = [system.name for system in result.systems]
    table = result.contingency(names[0])
    against = "" if table is None else f" with {number_of('class', len(table.classes))}"
    systems = systems_named("clustering", names)
    items = number_of("item", result.items)
    yield f"{systems} of {items}{against} {were(names)} evaluated{_left_out(result)}."
    yield measured_by(called, len(names), cite)
    if any(result.points(name) is not None for name in names):
        yield f"Distances of points are {result.rules.metric}."
    estimates = [result.estimate(measure, name) for name in names for measure in called]
    if halves := max((each.resamples for each in estimates if each.method == SUBSAMPLING), default=0):
        yield (
            f"Intervals at the {as_level(result.confidence)} level are from {halves:,} random halves of the items, "
            f"drawn without replacement{cite(*CITES_OF_INTERVALS[SUBSAMPLING])}; the clusters were taken as they are."
        )
    if comparison is not None:
        yield (
            f"{differences_from(comparison)} have intervals from random halves that all clusterings share; there is no "
            "test, the interval speaks."
        )


def _left_out(result: Clustering) -> str:
    """The treatment of noise and of items without a class, if there were any."""
    rules = result.rules
    parts = []
    if rules.noise is not None:
        parts.append(f"items labelled {rules.noise} (noise) {_NOISE[rules.noise_as]}")
    classes = [system.clusters.truth for system in result.systems if system.clusters is not None]
    if any(truth is not None and truth.null_count() for truth in classes):
        parts.append(f"items without a class {'left out' if rules.unlabelled == 'drop' else 'as a class of their own'}")
    return f", {' and '.join(parts)}" if parts else ""


_MOST_NAMES = 6

_A_PAIR = 2
#: What the best known measures say of a clustering.
_SENTENCES = {
    "ARI": "{who} agrees with the classes to an adjusted Rand index of {value}; by chance it is 0.",
    "Purity": "{who} puts {value} of the items in a cluster whose largest class is theirs.",
    "Silhouette": "{who} has a mean silhouette of {value}; 1 is far apart, 0 is overlapping.",
}


def lead_of(result: Clustering) -> str:
    """Numbers of clusterings, items, classes and clusters."""
    parts = [number_of("clustering", len(result.systems)), number_of("item", result.items)]
    first = result.systems[0].name
    table, points = result.contingency(first), result.points(first)
    if table is not None:
        parts.append(number_of("class", len(table.classes)))
    if len(result.systems) == 1:
        parts.append(number_of("cluster", clusters_of(result, first)))
    if points is not None:
        features = f"points of {number_of('number', points.X.shape[1])}"
        parts.append("distances" if points.metric == "precomputed" else features)
    return ", ".join(parts)


def clusters_of(result: Clustering, system: str) -> int:
    """The number of clusters of a clustering."""
    table, points = result.contingency(system), result.points(system)
    if table is not None:
        return len(table.clusters)
    if points is None:
        return 0
    return len(points.clusters)


def summary_of(result: Clustering, *, judged: bool = False) -> Iterator[str]:
    """The worth of each clustering: by its best known measures, of several by the first of them.

    `judged`: that a verdict says already how two of them stand, if there are no more.
    """
    usual = {measure.name: measure for measure in reversed(result.measures) if not measure.given}
    measures = [usual[name] for name in _SENTENCES if name in usual] or list(result.measures[:1])
    if len(result.systems) == 1:
        for measure in measures:
            yield _sentence(result, measure, "It" if measure is not measures[0] else result.systems[0].name)
    elif not judged or len(result.systems) > _A_PAIR:
        values = {system.name: result.value(measures[0], system.name) for system in result.systems}
        yield f"Under {measures[0]}, {values_of_systems(values, _MOST_NAMES)}."


def _sentence(result: Clustering, measure: Measure, who: str) -> str:
    estimate = result.estimate(measure)
    is_share = measure.name == "Purity"
    if math.isnan(estimate.value):
        return f"{measure} of {result.systems[0].name} is undefined: {estimate.undefined}."
    value = as_percent(estimate.value) if is_share else number(estimate.value)
    if not math.isnan(estimate.low):
        reach = (percent_span if is_share else span)(estimate.low, estimate.high)
        value += f" ({as_level(result.confidence)} interval {reach})"
    words = _SENTENCES.get(measure.name, f"{{who}} has {measure} {{value}}.")
    return words.format(who=who, value=value)


class ReportedClusterings(Evidence):
    """Clusterings, by the classes of their items, and by the points.

    >>> from assay import Clusters, make_report
    >>> report = make_report(Clusters.of(list("xxoo"), [0, 0, 0, 1]))
    >>> report.table("matrix").row(0)  # one item of class o is in cluster 0, one in cluster 1
    ('o', 1.0, 1.0, 2.0)
    """

    eyebrow = "Clustering report"

    def sections(self) -> Iterator[Section | str]:
        """All that has something to show, and what could not be shown."""
        result = self.result
        first = self.result.systems[0].name
        worth = summary_of(result, judged=self.comparison is not None)
        yield summary(self, lead_of(result), worth)
        parts = list(sections(self))
        yield from parts
        yield from self.too_many()
        if all(system.clusters is None for system in result.systems):
            yield "a table holds no items: none are listed behind its cells"
        if result.points(first) is None:
            yield f"without points there are no silhouettes: say {argument('points')}"
        elif all(section.name != "silhouettes" for section in parts):
            yield "no silhouettes are drawn: there is one cluster, or there are many points and nobody asked for them"
        if result.contingency(first) is None:
            yield f"without classes there is no map of classes and clusters: say {argument('truth')}"

    def methods(self, cite: Citations) -> Iterator[str]:
        """The methods, in sentences for a paper."""
        return of_clusterings(self.result, self.comparison, cite)

    def configuration(self) -> dict[str, str | None]:
        """The configuration, for readers."""
        rules = self.result.rules
        return {
            "noise": None if rules.noise is None else f"{rules.noise}, as {rules.noise_as}",
            "without a class": rules.unlabelled,
            "distance": rules.metric,
            "sample of silhouettes": None if rules.sample_size is None else f"{rules.sample_size:,}",
            "confidence": f"{self.result.confidence:g}",
            "halves": f"{self.result.resamples:,}",
        }
