"""Options of classifiers, clusterings and spans: which columns hold what, and how they are read."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from assay.cli.options import COLUMNS, Columns, ItemId, System, Truth, Weight, group, option


@group
class PredictionColumns:
    """The columns of predictions."""

    columns: Columns = ()
    truth: Truth = None
    prediction: Annotated[
        str | None, option("--prediction", metavar="COLUMN", help="The predicted labels (detected).")
    ] = None
    score: Annotated[
        str | None, option("--score", metavar="COLUMN", help="The scores of the positive label (detected).")
    ] = None
    item: ItemId = None
    weight: Weight = None
    list_separator: Annotated[
        str | None,
        option("--list-separator", metavar="';'", help="What stands between several labels in a cell.", panel=COLUMNS),
    ] = None
    pos_label: Annotated[
        str | None, option("--positive", metavar="LABEL", help="The positive one of two labels, if not 1 or true.")
    ] = None


@group
class LabelInputs(PredictionColumns):
    """Predictions: their columns, and which labels and systems count."""

    system: System = ()
    one_class: Annotated[str | None, option("--class", metavar="LABEL", help="This class against all others.")] = None
    labels: Annotated[
        str | None, option("--labels", metavar="A,B,C", help="All labels in their order.", panel=COLUMNS)
    ] = None
    unknown: Annotated[
        str | None,
        option("--unknown", help="Labels that --labels lacks: error (default), other (count as one).", panel=COLUMNS),
    ] = None
    nulls: Annotated[
        str | None,
        option("--nulls", help="Absent labels: error (default), drop, label (is never right).", panel=COLUMNS),
    ] = None


Noise: TypeAlias = Annotated[
    str | None, option("--noise", metavar="LABEL", help="Label of items that are in no cluster, such as -1.")
]


@group
class ClusterRules:
    """Clusterings: which of several, noise, items without a class, distances."""

    system: System = ()
    noise: Noise = None
    noise_as: Annotated[
        str | None, option("--noise-as", help="Such items: drop (default), singletons, cluster.", panel=COLUMNS)
    ] = None
    unlabelled: Annotated[
        str | None, option("--unlabelled", help="Items without a class: error (default), drop, class.", panel=COLUMNS)
    ] = None
    metric: Annotated[
        str | None, option("--metric", help="Distance of points: euclidean (default), cosine, ...", panel=COLUMNS)
    ] = None
    sample_size: Annotated[
        int | None,
        option("--sample-size", help="Average the silhouettes of N items only.", panel=COLUMNS, least=2),
    ] = None


@group
class ClusterColumns:
    """The columns of clusterings."""

    columns: Columns = ()
    truth: Truth = None
    cluster: Annotated[
        tuple[str, ...], option("--cluster", metavar="COLUMN", help="The clusters; repeat for several clusterings.")
    ] = ()
    points: Annotated[
        str | None, option("--points", metavar="x,y", help="Columns of the points, or rest: all other numbers.")
    ] = None
    item: ItemId = None
    weight: Weight = None


@group
class ClusterInputs(ClusterColumns, ClusterRules):
    """Clusterings: the columns of a file, and the rules."""


@group
class SpanRules:
    """How spans are read and matched."""

    columns: Columns = ()
    match: Annotated[
        str | None, option("--match", help="When a span is the true one: exact (default), overlap, type_overlap.")
    ] = None
    beta: Annotated[float | None, option("--beta", help="How much recall weighs in F, against precision (1).")] = None
