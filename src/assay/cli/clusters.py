"""`assay clustering number FILE` and `assay clustering by-use QRELS RUN CLUSTERS`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from assay.cli import inputs, options, output
from assay.cli.literals import names_in, numbers_in
from assay.cli.options import Measured, Output, PointColumns, group
from assay.core.errors import ParameterError, listed
from assay.core.errors import number_of as counted
from assay.core.options import Level, PointRules, Resamples, Seed, SeedOption, option

if TYPE_CHECKING:
    from assay.files import Source
    from assay.subjects.clusters.over_k import NumberOfClusters
    from assay.tables.clusters import Clusters as Clustering

#: So many subsamples and data sets without structure, unless told otherwise.
RESAMPLES = 20


@group
class Numbers(Measured):
    """Which numbers of clusters are tried, and how."""

    ks: options.Ks | None = None
    resamples: Resamples | None = None
    seed: Seed | None = None


def number(path: options.ClusterFile, numbers: Numbers, points: PointColumns, rules: PointRules, to: Output) -> None:
    """Choose the number of clusters: cluster the points into each number of --ks, and compare.

    $ assay clustering number notes/notes.csv --points x,y,z --ks 2:4
    """
    result = number_of([path], points, rules, numbers, hidden=to.quiet)
    output.give(result, to, warnings=result.warnings)


def by_use(
    qrels: options.Judgments,
    run: options.Run,
    path: Annotated[str, options.argument("CLUSTERS", "A file with columns doc_id and cluster.")],
    drawing: SeedOption,
    to: Output,
    measures: options.Measures = (),
    order: Annotated[
        str, option(help="Order of reading clusters: best-rank (default), size, mean-score.")
    ] = "best-rank",
    level: Level = 1.0,
) -> None:
    """Measure what clusters of a run's results are worth to a reader: the best cluster, and reading cluster by cluster.

    $ assay clustering by-use qrels.txt words.run clusters.csv
    """
    from assay.subjects.ranking.clustered_results import clusters_by_use  # noqa: PLC0415  # `assay --help` need not load Polars

    files, clusters = inputs.opened(qrels, [run]), inputs.named(path)[1]
    with inputs.progress(files, hidden=to.quiet), inputs.working("judging clusters by use", hidden=to.quiet):
        result = clusters_by_use(qrels, files, clusters, measures or None, order=order, level=level, **drawing)
    output.give(result, to, warnings=result.warnings)


def number_of(
    files: Sequence[str | Source], columns: PointColumns, rules: PointRules, asked: Numbers, *, hidden: bool = True
) -> NumberOfClusters:
    """Cluster the points of a file; a bar shows how far it is, unless it is hidden."""
    from assay.subjects.clusters.number_of_clusters import number_of_clusters  # noqa: PLC0415

    if asked.ks is None:
        raise ParameterError("name the numbers of clusters to try, as in --ks 2:10")
    if len(files) != 1:
        raise ParameterError(f"expected one file to choose a number of clusters for, got {len(files)}")
    sampling, measures = options.settings(asked, "seed"), asked.measures or None
    tried, points = numbers_in(asked.ks), points_of(files[0], columns)
    if not hidden:
        shape = f"points of {counted('number', len(points.point_names))}: {listed(list(points.point_names))}"
        output.message(f"{points.origin}: {counted('item', len(points))}, {shape}")
    resamples = RESAMPLES if asked.resamples is None else asked.resamples
    sampling |= {name: value for name, value in rules.items() if name in {"metric", "sample_size"}}
    with inputs.bar("clustering", 2 * len(tried) + resamples, hidden=hidden) as advance:
        tell = (lambda: None) if advance is None else (lambda: advance(1))
        return number_of_clusters(points, tried, measures=measures, resamples=resamples, tell=tell, **sampling)


def points_of(file: str | Source, stated: PointColumns) -> Clustering:
    """The points of a file, and the classes if there are any; it need not hold clusters."""
    from assay.files.clusters import read_points  # noqa: PLC0415

    if stated.points is None:
        raise ParameterError("--ks: expected the columns of the points, as --points x,y or --points rest")
    name, path = inputs.named(file)
    columns = {role: getattr(stated, role, None) for role in ("truth", "item", "weight")}
    return read_points(path, points=names_in(stated.points, "--points", "columns"), **columns, name=name)
