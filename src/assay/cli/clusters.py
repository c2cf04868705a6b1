"""`assay clustering number FILE` and `assay clustering by-use QRELS RUN CLUSTERS`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from assay.cli import inputs, items, options, output
from assay.cli.options import Measured, Output, group
from assay.cli.subject_options import ClusterInputs
from assay.core.errors import ParameterError, listed
from assay.core.errors import number_of as counted
from assay.core.options import Level, Resamples, Seed, SeedOption, option

if TYPE_CHECKING:
    from assay.files import Source
    from assay.subjects.clusters.over_k import NumberOfClusters
    from assay.tables.clusters import Clusters as Clustering

_HOLE = "{}"
_RANGE = re.compile(r"(\d+):(\d+)(?::(\d+))?")
#: So many subsamples and data sets without structure, unless told otherwise.
RESAMPLES = 20


@group
class Numbers(Measured):
    """Which numbers of clusters are tried, and how."""

    ks: options.Ks | None = None
    over_k: options.OverK | None = None
    resamples: Resamples | None = None
    seed: Seed | None = None


def number(
    path: options.ClusterFile,
    /,
    *,
    numbers: Numbers = Numbers(),
    clusters: ClusterInputs = ClusterInputs(),
    to: Output = Output(),
) -> None:
    """Say which number of clusters the points have.

    With --ks, the points are clustered into each number; with --over-k, columns of the file are such clusterings.

    $ assay clustering number notes/notes.csv --points x,y,z --ks 2:4
    """
    if numbers.ks is None and numbers.over_k is None:
        raise ParameterError("say --ks 2:10 to cluster the points, or --over-k 'cluster_{}' for columns of the file")
    if numbers.ks is not None:
        unused = ("weight", "unlabelled", "cluster", "system", "noise", "noise_as")
        stated = {name: value for name, value in items.every(clusters).items() if name in unused}
        items.refuse(stated, "has no meaning where points are clustered")
    result = number_of([path], clusters, numbers, hidden=to.quiet)
    output.give(result, to, warnings=result.warnings)


def by_use(
    qrels: options.Judgments,
    run: options.Run,
    path: Annotated[str, options.argument("CLUSTERS", "A file with doc_id and cluster.")],
    /,
    *,
    measures: options.Measures = (),
    order: Annotated[
        str, option(help="Which cluster is read first: best-rank (default), size, mean-score.")
    ] = "best-rank",
    level: Level = 1.0,
    drawing: SeedOption = SeedOption(),
    to: Output = Output(),
) -> None:
    """Say what clusters of a run's results are good for: the best cluster, and reading cluster by cluster.

    $ assay clustering by-use qrels.txt words.run clusters.csv
    """
    from assay.subjects.ranking.clustered_results import clusters_by_use  # noqa: PLC0415  # `assay --help` need not load Polars

    files, clusters = inputs.opened(qrels, [run]), inputs.named(path)[1]
    with inputs.progress(files, hidden=to.quiet), inputs.working("judging clusters by use", hidden=to.quiet):
        result = clusters_by_use(qrels, files, clusters, measures or None, order=order, level=level, **drawing)
    output.give(result, to, warnings=result.warnings)


def number_of(
    files: Sequence[str | Source], clusters: ClusterInputs, asked: Numbers, *, hidden: bool = True
) -> NumberOfClusters:
    """Cluster the points of a file, or take its clusterings; a bar shows how far it is, unless it is hidden."""
    from assay.subjects.clusters.number_of_clusters import number_of_clusters, numbers_given  # noqa: PLC0415
    from assay.subjects.clusters.rules import Rules  # noqa: PLC0415

    if asked.ks is not None and asked.over_k is not None:
        raise ParameterError("--ks clusters the points, --over-k takes clusterings of the file: choose one")
    if len(files) != 1:
        raise ParameterError(f"expected one file to choose a number of clusters for, got {len(files)}")
    sampling, measures = options.settings(asked, "seed"), asked.measures or None
    if asked.ks is None:
        if asked.resamples is not None:
            raise ParameterError("--resamples goes with --ks: nothing is drawn of clusters that were made")
        series = numbered(files[0], asked.over_k or f"cluster_{_HOLE}", clusters)
        return numbers_given(series, measures, rules=Rules(**items.cluster_rules(clusters)), **sampling)
    tried, points = numbers_in(asked.ks), points_of(files[0], clusters)
    if not hidden:
        shape = f"points of {counted('number', len(points.point_names))}: {listed(list(points.point_names))}"
        output.message(f"{points.origin}: {counted('item', len(points))}, {shape}")
    resamples = RESAMPLES if asked.resamples is None else asked.resamples
    sampling |= {name: value for name, value in clusters.rules.items() if name in {"metric", "sample_size"}}
    with inputs.bar("clustering", 2 * len(tried) + resamples, hidden=hidden) as advance:
        tell = (lambda: None) if advance is None else (lambda: advance(1))
        return number_of_clusters(points, tried, measures=measures, resamples=resamples, tell=tell, **sampling)


def numbers_in(text: str) -> list[int]:
    """Numbers of clusters as they are typed: from one to another, both included, or one by one.

    >>> numbers_in("2:5"), numbers_in("2:10:4"), numbers_in("2, 8")
    ([2, 3, 4, 5], [2, 6, 10], [2, 8])
    """
    if (ends := _RANGE.fullmatch(text.strip())) is not None:
        low, high, step = int(ends[1]), int(ends[2]), int(ends[3] or 1)
        if low <= high and step > 0:
            return list(range(low, high + 1, step))
    elif all(part.strip().isdecimal() for part in text.split(",")):
        return [int(part) for part in text.split(",")]
    raise ParameterError(f"--ks: expected numbers of clusters, as 2:10 or 2,4,8, got {text!r}")


def numbered(file: str | Source, pattern: str, clusters: ClusterInputs) -> Mapping[int, Clustering]:
    """The clusterings of a file whose columns fit a pattern, by the number in their name."""
    from assay.files.named_columns import names_of  # noqa: PLC0415  # `assay --help` loads no Polars
    from assay.files.registry import head_of  # noqa: PLC0415
    from assay.files.sources import Source  # noqa: PLC0415  # one source for both looks at the file

    if pattern.count(_HOLE) != 1:
        raise ParameterError(f"--over-k: expected a name with {{}} for the number, as 'cluster_{{}}', got {pattern!r}")
    items.refuse(options.settings(clusters, "cluster"), "is said by --over-k")
    before, after = pattern.split(_HOLE)
    path = inputs.named(file)[1]
    source = Source(path) if isinstance(path, str) else path
    head = head_of(source)
    names = names_of(head) if head.numbered else []
    wanted = re.compile(f"{re.escape(before)}(\\d+){re.escape(after)}")
    columns = {int(match[1]): name for name in names if (match := wanted.fullmatch(name)) is not None}
    if not columns:
        raise ParameterError(f"{source.name}: no column is called {pattern} with a number: there are {listed(names)}")
    series = items.clusterings([source], replace(clusters, cluster=tuple(columns.values())))
    return dict(zip(columns, series, strict=True))


def points_of(file: str | Source, clusters: ClusterInputs) -> Clustering:
    """The points of a file, and the classes if there are any; it need not hold clusters."""
    from assay.files.clusters import read_points  # noqa: PLC0415

    if clusters.points is None:
        raise ParameterError("--ks: expected the columns of the points, as --points x,y or --points rest")
    name, path = inputs.named(file)
    columns = {"truth": clusters.truth, "item": clusters.item, "weight": clusters.weight}
    return read_points(path, points=items.point_columns(clusters.points), **columns, name=name)
