"""A format of one's own, as a package adds it: a query and its documents on each line, the best first."""

from __future__ import annotations

from assay import Run
from assay.files.registry import Head, register
from assay.files.sources import Source


def _read(source: Source, name: str) -> Run:
    with source.open() as file:
        lines = [line.decode().split(" => ") for line in file.read().splitlines(keepends=False)]
    documents = {query: rest.split() for query, rest in lines}
    ranks = {query: {each: -float(rank) for rank, each in enumerate(ids)} for query, ids in documents.items()}
    return Run.of(ranks, name)


@register("toy-run", "run", "runs with arrows", "`query => doc doc`", _read)
def arrows(head: Head) -> bool:
    """An arrow on the first line."""
    return " => " in head.first
