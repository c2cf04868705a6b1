"""What clusters of search results show: the best cluster beside chance and the flat list, and the reading order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from assay.core.digits import number, numbers
from assay.core.errors import number_of
from assay.show.model import Column, Document, Prose, Section, Table
from assay.verbs.sections.comparisons import document as of_comparison
from assay.verbs.sections.estimates import settings_of

if TYPE_CHECKING:
    from assay.subjects.ranking.clustered_results import ClustersByUse

_PARTS = {"precision": "precision", "recall": "recall", "f1": "F1"}
_ROWS = {
    "best cluster of each query": "",
    "flat list, cut after as many": "_flat",
    "best cluster, by chance": "_chance",
}


def document(result: ClustersByUse) -> Document:
    """First what the best cluster is worth, which is more than anybody gets; then the comparison of both orders."""
    compared = of_comparison(result.comparison)
    title = f"reading order: {result.says}, against the flat list"
    findings, *others = compared.sections
    first = Section("findings", parts=tuple(replace(part, caption=title) for part in findings.tables()))
    order = Section("reading_order", parts=(replace(first, data=findings.data), *others))
    return Document("clusters by use", (_best(result), order), "Clusters of search results")


def _best(result: ClustersByUse) -> Section:
    means = {name: result.mean(name) for name in result.best.columns if name.startswith(tuple(_PARTS))}
    rows = [{"of": words} | {part: means[f"{part}{of}"] for part in _PARTS} for words, of in _ROWS.items()]
    columns = (Column("of", "mean over queries"), *(Column(part, name, "number") for part, name in _PARTS.items()))
    caption = f"best cluster (of {number(result.mean('clusters'), 1)} per query)"
    in_clusters, of_list, by_chance = numbers([means["f1"], means["f1_flat"], means["f1_chance"]])
    parts = (
        Table("means", pl.DataFrame(rows), columns, caption),
        Prose(
            "The best cluster is optimistic: whoever picks it knows which documents are relevant. Random clusters of "
            f"the same sizes come to an F1 of {by_chance} that way ({result.draws:,} deals, seed {result.seed}), these "
            f"to {in_clusters}, and the flat list, cut after as many documents, to {of_list}."
        ),
        Prose(f"{number_of('query', result.best.height)}; relevant from a grade of {result.level:g} on."),
    )
    data = settings_of(result, "order", "level", "draws", "seed", "warnings") | {"queries": result.best.to_dicts()}
    return Section("best", parts=parts, data=data)
