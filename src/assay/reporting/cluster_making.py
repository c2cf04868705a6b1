"""A `Clustering` -> a `ClusterReport`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from assay.clustering import Clustering, cluster
from assay.clustering.over_k import NumberOfClusters
from assay.clustering.pairing import Clusterings
from assay.comparison import Comparison, compare
from assay.core.arguments import argument
from assay.core.errors import InputError, ParameterError, number_of
from assay.report.clusterings import called
from assay.reporting.basis import compared_with
from assay.reporting.classifier_words import interval_by
from assay.reporting.cluster_contents import ClusterContents
from assay.reporting.cluster_parts import groups_of, map_of, number_of_clusters_in, silhouettes_of
from assay.reporting.cluster_result import ClusterReport
from assay.reporting.cluster_words import items_of, lead_of, methods_of, summary_of, title_of
from assay.reporting.contents import Provenance, Spoken
from assay.reporting.item_contents import Estimated, MeasuredSystem
from assay.reporting.item_parts import (
    MOST_SYSTEMS,
    baseline_of,
    inputs_of,
    provenance_of,
    refuse_told,
    refuse_unknown,
    remarks_of,
    shown_measure,
    verdicts_of,
)
from assay.reporting.options import check_options
from assay.reporting.stamps import Stamp, stamps_of

#: What else than measures a report on clusterings may be told.
RULES = ("noise", "noise_as", "unlabelled", "metric", "sample_size", "confidence", "resamples", "seed", "mute")


class _Compared(NamedTuple):
    """What a comparison adds; all empty where there is one clustering only, and `notes` says why otherwise."""

    verdicts: tuple[Spoken, ...] = ()
    summary: tuple[str, ...] = ()
    methods: str = ""
    notes: tuple[str, ...] = ()


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
) -> ClusterReport:
    """Put together everything that is known about clusterings: what they are worth, how sure that is, and why.

    `given` is a `Clustering`; or a `Comparison` of clusters with one baseline; or what `cluster` takes, with `measures`
    and its further arguments. Of several
    clusterings the first, or the one that `baseline` names, is what the others are held against; `comparison` are
    further arguments of `compare` for that. `over_k`: what `number_of_clusters` found.

    >>> from assay import Clusters
    >>> report = cluster_report(Clusters.of(list("xxoo"), [0, 0, 0, 1]))
    >>> report.contents.maps[0].cells[0][1].items  # class o in cluster 0
    ('3',)
    """
    check_options(rules, cluster_report)
    before = stamps_of(given) | dict(stamps or {})
    held_already = given if isinstance(given, Comparison) else None
    if isinstance(given, Comparison) and given.clusterings is not None:
        refuse_told({"measures": measures, "comparison": comparison, **rules}, "comparison", "compare")
        result = _clustered(given, given.clusterings)
    elif isinstance(given, Clustering):
        refuse_told({"measures": measures, **rules}, "clustering", "cluster")
        result = given
    else:
        refuse_unknown(rules, RULES, "clusterings")
        result = cluster(given, measures, **rules)
    names = [system.name for system in result.systems]
    close = names[:MOST_SYSTEMS]
    held = _compared(result, baseline, dict(comparison or {}), held_already)
    paragraph, references = methods_of(result, over_k, held.methods)
    silhouettes = tuple(filter(None, (silhouettes_of(result, name) for name in close)))
    return ClusterReport(
        ClusterContents(
            title=title or title_of(result),
            lead=lead_of(result),
            confidence=result.confidence,
            summary=(*held.summary, *summary_of(result, judged=bool(held.summary))),
            remarks=tuple(remarks_of(result)),
            measures=tuple(shown_measure(one, called(one)) for one in result.measures),
            systems=tuple(MeasuredSystem(name, tuple(_estimates(result, name))) for name in names),
            verdicts=held.verdicts,
            maps=tuple(filter(None, (map_of(result, name) for name in close))),
            silhouettes=silhouettes,
            groups=tuple(groups_of(result, name) for name in close),
            number_of=None if over_k is None else number_of_clusters_in(over_k),
            warnings=(*result.warnings, *(() if over_k is None else over_k.warnings)),
            notes=tuple(_notes(result, held, bool(silhouettes))),
            methods=paragraph,
            references=tuple(references),
            provenance=_provenance(result, command, before),
        )
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
    result: Clustering, baseline: str | None, settings: dict[str, Any], held: Comparison | None = None
) -> _Compared:
    """Hold the clusterings against the baseline, the first one unless another is named, as `compare` does.

    `held`: the comparison, if it has been made.
    """
    first = baseline_of(result, baseline) if held is None else compared_with(held, baseline)
    if len(result.systems) == 1:
        return _Compared()
    asked = {"alpha": round(1 - result.confidence, 12), "seed": result.seed} | settings
    try:
        held = compare(result, baseline=first, **asked) if held is None else held
    except (InputError, ParameterError) as problem:
        return _Compared(notes=(f"the clusterings are not compared: {problem}",))
    called_so = {str(measure): called(measure) for measure in result.measures}
    verdicts, summary = verdicts_of(held, called_so, len(result.systems))
    methods = (
        f"Differences from {first} have intervals from random halves that all clusterings share; there is no test, the "
        "interval speaks."
    )
    return _Compared(verdicts, tuple(summary), methods, tuple(held.notes))


def _estimates(result: Clustering, system: str) -> Iterator[Estimated]:
    for measure in result.measures:
        one = result.estimate(measure, system)
        yield Estimated(
            called(measure), one.value, one.low, one.high, interval_by(one.method), one.undefined or "",
            no_interval=one.no_interval or "",
        )  # fmt: skip


def _notes(result: Clustering, held: _Compared, drawn: bool) -> Iterator[str]:
    yield from held.notes
    if len(result.systems) > MOST_SYSTEMS:
        yield (
            f"{number_of('clustering', len(result.systems))} are too many to look at each closely: maps, silhouettes "
            f"and clusters are of the first {MOST_SYSTEMS}, the table has all"
        )
    first = result.systems[0]
    if all(system.clusters is None for system in result.systems):
        yield "a table holds no items: none are listed behind its cells"
    if result.points(first.name) is None:
        yield f"without points there are no silhouettes: say {argument('points')}"
    elif not drawn:
        yield "no silhouettes are drawn: there is one cluster only, or very many points and nobody asked for them"
    if result.contingency(first.name) is None:
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
