"""A `Clustering` -> a report on clusterings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from assay.clustering import Clustering, cluster
from assay.clustering.computing import called
from assay.clustering.over_k import NumberOfClusters
from assay.clustering.pairing import Clusterings
from assay.comparison import Comparison, compare
from assay.core.arguments import argument
from assay.core.errors import InputError, ParameterError, number_of
from assay.reporting.basis import compared_with
from assay.reporting.cluster_sections import sections
from assay.reporting.cluster_words import lead_of, summary_of, title_of
from assay.reporting.contents import Provenance
from assay.reporting.items import (
    MOST_SYSTEMS,
    baseline_of,
    inputs_of,
    provenance_of,
    refuse_told,
    refuse_unknown,
    renamed,
    summary,
)
from assay.reporting.options import check_options
from assay.reporting.stamps import Stamp, stamps_of
from assay.sections.closing import closing
from assay.sections.methods import items_of, methods
from assay.sections.report import Report
from assay.show.model import Document

#: What else than measures a report on clusterings may be told.
RULES = ("noise", "noise_as", "unlabelled", "metric", "sample_size", "confidence", "resamples", "seed", "mute")


def cluster_report(
    given: Any,
    measures: Any = None,
    *,
    title: str | None = None,
    command: str = "",
    stamps: Mapping[str, Stamp] | None = None,
    baseline: str | None = None,
    comparison: Mapping[str, Any] | None = None,
    over_k: NumberOfClusters | None = None,
    **rules: Any,
) -> Report:
    """Put together everything that is known about clusterings: what they are worth, how sure that is, and why.

    `given` is a `Clustering`; or a `Comparison` of clusters with one baseline; or what `cluster` takes, with `measures`
    and its further arguments. Of several
    clusterings the first, or the one that `baseline` names, is what the others are held against; `comparison` are
    further arguments of `compare` for that. `over_k`: what `number_of_clusters` found.

    >>> from assay import Clusters
    >>> report = cluster_report(Clusters.of(list("xxoo"), [0, 0, 0, 1]))
    >>> report.table("matrix").row(0)  # one item of class o is in cluster 0, one in cluster 1
    ('o', 1.0, 1.0, 2.0)
    """
    check_options(rules, cluster_report)
    before = stamps_of(given) | dict(stamps or {})
    held_already = given if isinstance(given, Comparison) else None
    if isinstance(given, Comparison) and isinstance(given.pairing, Clusterings):
        refuse_told({"measures": measures, "comparison": comparison, **rules}, "comparison", "compare")
        result = _clustered(given, given.pairing)
    elif isinstance(given, Clustering):
        refuse_told({"measures": measures, **rules}, "clustering", "cluster")
        result = given
    else:
        refuse_unknown(rules, RULES, "clusterings")
        result = cluster(given, measures, **rules)
    held, notes = _compared(result, baseline, dict(comparison or {}), held_already)
    odd = () if over_k is None else over_k.warnings
    worth = summary_of(result, judged=held is not None)
    parts = (summary(result, lead_of(result), worth, held, odd), *sections(result, held, over_k))
    silhouettes = any(section.name == "silhouettes" for section in parts)
    made = _provenance(result, command, before)
    last = closing(*methods(result, held, over_k), made, (*notes, *_notes(result, silhouettes)))
    return Report(
        Document("report", (*parts, *last), title or title_of(result), page=True, eyebrow="Clustering report")
    )


def _clustered(held: Comparison, clusterings: Clusterings) -> Clustering:
    """The clusterings of a comparison under its measures, with intervals at its level."""
    return cluster(
        [one.clusters for one in clusterings.systems],
        list(held.measures),
        confidence=round(1 - held.settings.alpha, 12),
        seed=held.settings.seed,
        **clusterings.rules._asdict(),
    )


def _compared(
    result: Clustering, baseline: str | None, settings: dict[str, Any], held: Comparison | None
) -> tuple[Comparison | None, tuple[str, ...]]:
    """Hold the clusterings against the baseline, the first one unless another is named, as `compare` does.

    `held`: the comparison, if it has been made. None of one clustering, or with the reason why not.
    """
    first = baseline_of(result, baseline) if held is None else compared_with(held, baseline)
    if len(result.systems) == 1:
        return None, ()
    asked = {"alpha": round(1 - result.confidence, 12), "seed": result.seed} | settings
    try:
        held = compare(result, baseline=first, **asked) if held is None else held
    except (InputError, ParameterError) as problem:
        return None, (f"the clusterings are not compared: {problem}",)
    return renamed(held, {str(measure): called(measure) for measure in result.measures}), tuple(held.notes)


def _notes(result: Clustering, silhouettes: bool) -> Iterator[str]:
    """What the report does not show, and why."""
    if len(result.systems) > MOST_SYSTEMS:
        yield (
            f"{number_of('clustering', len(result.systems))} are too many to look at each closely: maps, silhouettes "
            f"and clusters are of the first {MOST_SYSTEMS}, the table has all"
        )
    first = result.systems[0].name
    if all(system.clusters is None for system in result.systems):
        yield "a table holds no items: none are listed behind its cells"
    if result.points(first) is None:
        yield f"without points there are no silhouettes: say {argument('points')}"
    elif not silhouettes:
        yield "no silhouettes are drawn: there is one cluster only, or very many points and nobody asked for them"
    if result.contingency(first) is None:
        yield f"without classes there is no map of classes and clusters: say {argument('truth')}"


def _provenance(result: Clustering, command: str, before: Mapping[str, Stamp]) -> Provenance:
    rules = result.rules
    settings = {
        "noise": None if rules.noise is None else f"{rules.noise}, as {rules.noise_as}",
        "without a class": rules.unlabelled,
        "distance": rules.metric,
        "sample of silhouettes": None if rules.sample_size is None else f"{rules.sample_size:,}",
        "confidence": f"{result.confidence:g}",
        "halves": f"{result.resamples:,}",
    }
    origins = {one.name: None if one.clusters is None else one.clusters.origin for one in result.systems}
    counts = number_of("item", items_of(result))
    inputs = inputs_of(origins, "clusters", lambda names: f"clusterings {names}", counts, before)
    return provenance_of(result, settings, inputs, command)
