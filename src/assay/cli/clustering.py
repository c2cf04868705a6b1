"""`assay clustering ...`: commands on clusters, of items with classes or of points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from assay.cli import inputs, items, options, output
from assay.cli.compare import Comparing, deliver_comparison
from assay.cli.doctor import Diagnosing, examined
from assay.cli.explain import Explaining, deliver_explanation
from assay.cli.gate import Gating, TwoFiles, decided
from assay.cli.literals import names_in, numbers_in
from assay.cli.options import (
    ClusterColumns,
    ClusterInputs,
    Evaluating,
    Measured,
    Output,
    PairedClusters,
    PointColumns,
    group,
)
from assay.cli.plot import Target, deliver_curve
from assay.cli.report import Reporting, write_report
from assay.core import options as shared
from assay.core.domains import Choice
from assay.core.errors import ParameterError, listed, number_of
from assay.core.evaluation_options import Level, Seed, option

if TYPE_CHECKING:
    from assay.files import Source
    from assay.subjects.clusters.over_k import NumberOfClusters
    from assay.tables.clusters import Clusters as Clustering
    from assay.verbs.curves import Curve


class ClusterParts(TypedDict, total=False):
    """The parts of a clustering's result that are shown."""

    per_class: Annotated[bool, option(help="Show where each class went, and its best match.")]
    per_cluster: Annotated[bool, option(help="Show what each cluster contains.")]
    moves: Annotated[bool, option(help="Show which classes are split, and which clusters merge classes.")]


def evaluate(
    to: Evaluating,
    clusters: ClusterInputs,
    parts: ClusterParts,
    sampling: shared.Sampling,
    files: options.ClusterFiles | None = None,
    table: options.Table | None = None,
    mute: options.Mute = (),
) -> None:
    """Evaluate a clustering: measures with intervals, against classes and by points, splits, merges, advice.

    Classes are a column of the file, such as `class`; --points names the columns of points. Either is enough.

    $ assay clustering evaluate notes/notes.csv --unlabelled drop
    $ assay clustering evaluate --contingency '5 1 2; 1 4 0; 0 1 3' -m NMI -m ARI
    """
    from assay.subjects.clusters.evaluation import cluster
    from assay.subjects.clusters.result import ClusteringView

    items.one_source({"a file of clusters": files, "--contingency": table})
    rules = items.cluster_rules(clusters)
    if table is not None:
        systems: Any = items.typed_contingency(table, clusters)
    else:
        systems = items.clusterings(files or [], clusters, quiet=to.quiet)
    view = ClusteringView(**parts)
    stated = {"mute": mute, "shown": view}
    inputs.give(cluster, "computing intervals", to, systems, to.measures or None, **stated, **rules, **sampling)


def compare(files: options.ClusterFiles, to: Comparing, clusters: PairedClusters) -> None:
    """Decide whether one clustering is better than another, by the interval of the difference.

    Clusterings of the same items, side by side in one file, or one file each. Without -m: ARI, NMI, BCubedF,
    Silhouette, DaviesBouldin.

    $ assay clustering compare notes/notes.csv --unlabelled drop -b kmeans -m ARI
    """
    rules = items.cluster_rules(clusters)
    deliver_comparison([items.clusterings(files, clusters, quiet=to.quiet)], rules, to)


def explain(
    measure: options.MeasureName,
    clusters: ClusterInputs,
    drawing: shared.SeedOption,
    to: Explaining,
    path: options.ClusterFile | None = None,
    table: options.Table | None = None,
    typed: Annotated[
        str | None, option("--clusters", metavar="'0 1 2 | 10 11'", help="Points in clusters instead of a file.")
    ] = None,
    names: Annotated[
        str | None, option("--cluster-names", metavar="a,b,c", help="Names of the typed clusters.")
    ] = None,
    classes: Annotated[
        str | None, option("--class-names", metavar="a,b,c", help="Names of the classes of --contingency.")
    ] = None,
    item: Annotated[str | None, option(metavar="ID", help="Which item, for Silhouette.")] = None,
) -> None:
    """Show how a clustering's number was computed: every step, the formula with its numbers, the result.

    From a file of clusters, a --contingency of classes and clusters, or points in --clusters.

    $ assay clustering explain NMI --contingency '5 1 2; 1 4 0; 0 1 3'
    $ assay clustering explain Silhouette --clusters '0 1 2 | 10 11'
    """
    items.one_source({"a file of clusters": path, "--contingency": table, "--clusters": typed})
    if drawing and "sample_size" not in clusters.rules:
        raise ParameterError("--seed goes with --sample-size, which draws items at random")
    if classes is not None and table is None:
        raise ParameterError("--class-names goes with --contingency")
    stated: dict[str, Any] = {**drawing, "item": item, "system": options.only(clusters.system, "--system")}
    if table is not None:
        system: Any = items.typed_contingency(table, clusters, classes, names)
    elif typed is not None:
        system = items.typed_points(typed, names, clusters)
    else:
        if names is not None:
            raise ParameterError("--cluster-names goes with --contingency or --clusters: a file names its clusters")
        system = items.clusterings([str(path)], options.without(clusters, "system"))
        stated |= items.cluster_rules(clusters)
    deliver_explanation(measure, [system], stated, to)


def report(files: options.ClusterFiles, to: Reporting, clusters: ClusterInputs) -> None:
    """Write a report on one clustering or more: measures, clusters, classes, silhouettes, advice.

    $ assay clustering report notes/notes.csv --unlabelled drop
    """
    write_report(items.clusterings(list(files), clusters), None, to.of_items() | items.cluster_rules(clusters), to)


@decided
def gate(two: TwoFiles, to: Gating, clusters: PairedClusters) -> Any:
    """Decide whether a new clustering may replace the baseline: exit 0 not worse, 1 worse, 3 inconclusive.

    Worse means: by the margin or more. Exit 2 if the input is invalid. Give two files, or one with several
    clusterings, and name two of them by -b and -c. Without -m: ARI, or Silhouette.

    $ assay clustering gate notes/notes.csv -b density -c kmeans --unlabelled drop
    """
    rules = items.cluster_rules(clusters)
    return to.gate(two.sides(lambda file: items.clusterings([file], clusters, quiet=to.quiet)), rules)


def doctor(files: options.ClusterFiles, columns: ClusterColumns, to: Diagnosing, noise: shared.Noise = None) -> int:
    """Check clusterings for anything that makes numbers wrong or misleading.

    It goes on where `assay clustering evaluate` refuses points. Exit 1 if there is an error among the findings.

    $ assay clustering doctor notes/notes.csv
    $ assay clustering doctor notes/notes.csv --noise -1 --points x,y,z --all
    """
    inputs.each_named("", files)
    stated = {"columns": items.cluster_columns(columns)} | ({} if noise is None else {"noise": noise})
    return examined("clusters", [*map(items.source_of, files)], to, stated)


#: Which measure each kind goes with: no other has to be computed.
OF_CLUSTERS = {"silhouette": "Silhouette", "contingency": "Purity", "over-k": ""}


def plot(
    files: options.ClusterFiles,
    clusters: ClusterInputs,
    drawing: shared.SeedOption,
    to: Target,
    kind: Annotated[
        str, option("-k", "--kind", help="silhouette (with --points; default), contingency, over-k.")
    ] = "silhouette",
    ks: options.Ks | None = None,
) -> None:
    """Draw silhouettes, classes by clusters, or measures by number of clusters (with --ks).

    $ assay clustering plot notes/notes.csv --unlabelled drop --kind contingency -o contingency.svg
    """
    Choice(OF_CLUSTERS).check("--kind", kind)
    target = to.checked(kind)
    with inputs.working("looking at clusters", hidden=to.quiet):
        if kind == "over-k":
            from assay.subjects.clusters.curves import over_k as curve_over_k

            numbers = Numbers(ks=ks, seed=drawing.get("seed"))
            curve = curve_over_k(_clustered(files, clusters, clusters.rules, numbers))
        else:
            items.refuse({"ks": ks} if ks else {}, "goes with --kind over-k")
            curve = _of_clusters(kind, files, clusters, drawing)
    deliver_curve(curve, target, quiet=to.quiet)


def _of_clusters(kind: str, files: list[str], clusters: ClusterInputs, drawing: shared.SeedOption) -> Curve:
    """The picture of all clusterings in the files, or of some."""
    from assay.subjects.clusters import curves as cluster_curves
    from assay.subjects.clusters.evaluation import cluster

    # Silhouettes need no classes, and items without one are points as others are.
    rules: dict[str, Any] = ({"unlabelled": "drop"} if kind == "silhouette" else {}) | items.cluster_rules(clusters)
    systems = items.clusterings(files, clusters)
    name, what = {"silhouette": ("points", "points"), "contingency": ("truth", "classes")}[kind]
    if lacking := next((each for each in systems if getattr(each, name) is None), None):
        raise ParameterError(f"{lacking.whence}: {kind} is of {what}, and there are none: --{name} names them")
    draw = cluster_curves.silhouettes if kind == "silhouette" else cluster_curves.contingency
    return draw(cluster(systems, OF_CLUSTERS[kind], **rules, **drawing))


#: So many subsamples and data sets without structure, unless told otherwise.
_RESAMPLES = 20


@group
class Numbers(Measured):
    """The numbers of clusters to try, and how."""

    ks: options.Ks | None = None
    resamples: shared.Resamples | None = None
    seed: Seed | None = None


def number(
    path: options.ClusterFile, numbers: Numbers, points: PointColumns, rules: shared.PointRules, to: Output
) -> None:
    """Choose the number of clusters: cluster the points into each number of --ks, and compare.

    $ assay clustering number notes/notes.csv --points x,y,z --ks 2:4
    """
    result = _clustered([path], points, rules, numbers, hidden=to.quiet)
    output.give(result, to)


def by_use(
    qrels: options.Judgments,
    run: options.Run,
    path: Annotated[str, options.argument("CLUSTERS", "A file with columns doc_id and cluster.")],
    drawing: shared.SeedOption,
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
    from assay.subjects.ranking.clustered_results import clusters_by_use

    files = inputs.opened(qrels, [run])
    _, clusters = inputs.named(path)
    stated = {"order": order, "level": level, **drawing}
    inputs.give(clusters_by_use, "judging clusters by use", to, qrels, files, clusters, measures or None, **stated)


def _clustered(
    files: Sequence[str | Source],
    columns: PointColumns,
    rules: shared.PointRules,
    asked: Numbers,
    *,
    hidden: bool = True,
) -> NumberOfClusters:
    """Cluster the points of a file; a bar shows how far it is, unless it is hidden."""
    from assay.subjects.clusters.number_of_clusters import number_of_clusters

    if asked.ks is None:
        raise ParameterError("name the numbers of clusters to try, as in --ks 2:10")
    if len(files) != 1:
        raise ParameterError(f"expected one file to choose a number of clusters for, got {len(files)}")
    sampling = options.settings(asked, "seed")
    measures = asked.measures or None
    tried = numbers_in(asked.ks)
    points = _points_of(files[0], columns)
    if not hidden:
        shape = f"points of {number_of('number', len(points.point_names))}: {listed(list(points.point_names))}"
        output.message(f"{points.origin}: {number_of('item', len(points))}, {shape}")
    resamples = _RESAMPLES if asked.resamples is None else asked.resamples
    sampling |= {name: value for name, value in rules.items() if name in {"metric", "sample_size"}}
    with inputs.bar("clustering", 2 * len(tried) + resamples, hidden=hidden) as advance:
        tell = (lambda: None) if advance is None else (lambda: advance(1))
        return number_of_clusters(points, tried, measures=measures, resamples=resamples, tell=tell, **sampling)


def _points_of(file: str | Source, stated: PointColumns) -> Clustering:
    """The points of a file, and the classes if there are any; it need not hold clusters."""
    from assay.files.clusters import read_points

    if stated.points is None:
        raise ParameterError("--ks: expected the columns of the points, as --points x,y or --points rest")
    name, path = inputs.named(file)
    columns = {role: getattr(stated, role, None) for role in ("truth", "item", "weight")}
    return read_points(path, points=names_in(stated.points, "--points", "columns"), **columns, name=name)
