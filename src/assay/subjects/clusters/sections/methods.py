"""How clusterings were evaluated and compared, in sentences for a paper."""

from __future__ import annotations

from collections.abc import Iterator

from assay.core.digits import as_level
from assay.core.errors import number_of
from assay.measures.names import display_name
from assay.stats import confidence
from assay.stats.confidence import SUBSAMPLING
from assay.subjects.clusters import stability
from assay.subjects.clusters.over_k import NumberOfClusters
from assay.subjects.clusters.result import Clustering
from assay.verbs.comparison import Comparison
from assay.verbs.sections.bibliography import Citations
from assay.verbs.sections.methods import differences_from, measured_by, systems_named, were

_NOISE = {"drop": "left out", "singletons": "a cluster of its own each", "cluster": "one cluster"}


def of_clusterings(
    result: Clustering, comparison: Comparison | None, over_k: NumberOfClusters | None, cite: Citations
) -> Iterator[str]:
    """How clusterings were evaluated and compared, and how a number of clusters was looked for."""
    called = {measure: display_name(measure) for measure in result.measures}
    names = [system.name for system in result.systems]
    table = result.contingency(names[0])
    against = "" if table is None else f" with {number_of('class', len(table.classes))}"
    systems, items = systems_named("clustering", names), number_of("item", result.items)
    yield f"{systems} of {items}{against} {were(names)} evaluated{_left_out(result)}."
    yield measured_by(called, len(names), cite)
    if any(result.points(name) is not None for name in names):
        yield f"Distances of points are {result.rules.metric}."
    estimates = [result.estimate(measure, name) for name in names for measure in called]
    if halves := max((each.resamples for each in estimates if each.method == SUBSAMPLING), default=0):
        yield (
            f"Intervals at the {as_level(result.confidence)} level are from {halves:,} random halves of the items, "
            f"drawn without replacement{cite(*confidence.CITES[SUBSAMPLING])}; the clusters were taken as they are."
        )
    if comparison is not None:
        yield (
            f"{differences_from(comparison)} have intervals from random halves that all clusterings share; there is no "
            "test, the interval speaks."
        )
    if over_k is not None:
        yield f"{'; '.join(_numbers_of_clusters(over_k, cite))}."


def _left_out(result: Clustering) -> str:
    """What was done about noise and items without a class, if there were any."""
    rules, parts = result.rules, []
    if rules.noise is not None:
        parts.append(f"items labelled {rules.noise} (noise) {_NOISE[rules.noise_as]}")
    classes = [system.clusters.truth for system in result.systems if system.clusters is not None]
    if any(truth is not None and truth.null_count() for truth in classes):
        parts.append(f"items without a class {'left out' if rules.unlabelled == 'drop' else 'as a class of their own'}")
    return f", {' and '.join(parts)}" if parts else ""


def _numbers_of_clusters(over_k: NumberOfClusters, cite: Citations) -> Iterator[str]:
    yield f"Numbers of clusters from {over_k.ks[0]} to {over_k.ks[-1]} were tried ({over_k.by})"
    if over_k.resamples:
        yield (
            f"stability is the mean adjusted Rand index of every two of {over_k.resamples} clustered subsamples on "
            f"their shared items{cite(stability.CITES)}"
        )
    if over_k.reference is not None:
        yield (
            f"structure was tested against {len(over_k.reference.without)} data sets spread evenly over the box along "
            f"the principal axes{cite(stability.CITES_REFERENCE)}"
        )
