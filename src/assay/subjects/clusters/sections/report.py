"""Reports on clusterings: how they are compared, their sections and notes, and where the numbers come from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

from assay.core.arguments import argument
from assay.core.errors import InputError, ParameterError
from assay.show.model import Section
from assay.subjects.clusters.evaluation import cluster
from assay.subjects.clusters.over_k import NumberOfClusters
from assay.subjects.clusters.pairing import Clusterings
from assay.subjects.clusters.result import Clustering
from assay.subjects.clusters.sections.methods import of_clusterings
from assay.subjects.clusters.sections.parts import sections
from assay.subjects.clusters.sections.words import lead_of, summary_of
from assay.verbs.comparison import Comparison, compare
from assay.verbs.report.items import Items, summary
from assay.verbs.report.subject import Request
from assay.verbs.sections.bibliography import Citations


@dataclass(frozen=True, eq=False)
class ReportedClusterings(Items[Clustering]):
    """Clusterings, by the classes of their items, and by the points. `over_k`: what `number_of_clusters` found.

    >>> from assay import Clusters, make_report
    >>> report = make_report(Clusters.of(list("xxoo"), [0, 0, 0, 1]))
    >>> report.table("matrix").row(0)  # one item of class o is in cluster 0, one in cluster 1
    ('o', 1.0, 1.0, 2.0)
    """

    eyebrow = "Clustering report"
    kind = "clustering"
    role = "clusters"
    described = "clusterings"
    details = "maps, silhouettes and clusters"
    verb = staticmethod(cluster)
    result_type = Clustering
    subject = "clusters"

    over_k: NumberOfClusters | None = None

    @classmethod
    def of(cls, request: Request) -> Self:
        """The same, with how a number of clusters was looked for."""
        over_k = request.rules.pop("over_k", None)
        return replace(super().of(request), over_k=over_k)

    @staticmethod
    def taken_from(clusterings: Clusterings) -> tuple[list[Any], dict[str, Any]]:
        """The clusters that were compared, and by which rules."""
        return [system.clusters for system in clusterings.systems], clusterings.rules._asdict()

    def compared(self, asked: dict[str, Any], comparison: Comparison | None) -> Self:
        """The same with the clusterings held against the baseline; or why not."""
        try:
            comparison = comparison or compare(self.result, baseline=self.baseline, **asked)
        except (InputError, ParameterError) as problem:
            return replace(self, notes=(f"the clusterings are not compared: {problem}",))
        return replace(self, comparison=comparison, notes=comparison.notes)

    def sections(self) -> Iterator[Section | str]:
        """All that has something to show, and what could not be shown."""
        result, first = self.result, self.result.systems[0].name
        warnings = () if self.over_k is None else self.over_k.warnings
        worth = summary_of(result, judged=self.comparison is not None)
        yield summary(self, lead_of(result), worth, warnings)
        parts = list(sections(result, self.held, self.over_k))
        yield from parts
        yield from self.too_many()
        if all(system.clusters is None for system in result.systems):
            yield "a table holds no items: none are listed behind its cells"
        if result.points(first) is None:
            yield f"without points there are no silhouettes: say {argument('points')}"
        elif all(section.name != "silhouettes" for section in parts):
            yield "no silhouettes are drawn: there is one cluster only, or very many points and nobody asked for them"
        if result.contingency(first) is None:
            yield f"without classes there is no map of classes and clusters: say {argument('truth')}"

    def methods(self, cite: Citations) -> Iterator[str]:
        """How it was done, in sentences for a paper."""
        return of_clusterings(self.result, self.held, self.over_k, cite)

    def configuration(self) -> dict[str, str | None]:
        """How the numbers were made, for readers."""
        rules = self.result.rules
        return {
            "noise": None if rules.noise is None else f"{rules.noise}, as {rules.noise_as}",
            "without a class": rules.unlabelled,
            "distance": rules.metric,
            "sample of silhouettes": None if rules.sample_size is None else f"{rules.sample_size:,}",
            "confidence": f"{self.result.confidence:g}",
            "halves": f"{self.result.resamples:,}",
        }
