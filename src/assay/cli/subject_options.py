"""Options of classifiers and clusterings: which columns hold what, and how they are read."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, TypeAlias

from assay.cli.options import System, group
from assay.core.options import COLUMNS, ClusterRules, Columns, MissingItems, Positive, Threshold, option

Truth: TypeAlias = Annotated[str, option(metavar="COLUMN", help="The true labels, or classes (detected).")]
ItemId: TypeAlias = Annotated[
    str, option("--item-id", metavar="COLUMN", help="The items' ids (detected).", panel=COLUMNS)
]
Weight: TypeAlias = Annotated[str, option(metavar="COLUMN", help="The items' weights (detected).", panel=COLUMNS)]


@group
class PredictionColumns:
    """The columns of predictions."""

    columns: Columns = None
    truth: Truth | None = None
    prediction: Annotated[str | None, option(metavar="COLUMN", help="The predicted labels (detected).")] = None
    score: Annotated[str | None, option(metavar="COLUMN", help="The scores of the positive label (detected).")] = None
    item: ItemId | None = None
    weight: Weight | None = None
    list_separator: Annotated[
        str | None, option(metavar="';'", help="What stands between several labels in a cell.", panel=COLUMNS)
    ] = None
    pos_label: Positive = None


@group
class LabelInputs(PredictionColumns):
    """Predictions: their columns, and which labels and systems count."""

    system: System = ()
    one_class: Annotated[str | None, option("--class", metavar="LABEL", help="This class against all others.")] = None
    labels: Annotated[str | None, option(metavar="A,B,C", help="All labels in their order.", panel=COLUMNS)] = None
    unknown: Annotated[
        str | None, option(help="Labels that --labels lacks: error (default), other (count as one).", panel=COLUMNS)
    ] = None
    nulls: Annotated[
        str | None, option(help="Absent labels: error (default), drop, label (is never right).", panel=COLUMNS)
    ] = None


@group
class PairedLabels(LabelInputs):
    """Predictions of several systems, whose items are paired."""

    threshold: Threshold | None = None
    missing: MissingItems | None = None


@group
class ClusterColumns:
    """The columns of clusterings."""

    columns: Columns = None
    truth: Truth | None = None
    cluster: Annotated[
        tuple[str, ...], option(metavar="COLUMN", help="The clusters; repeat for several clusterings.")
    ] = ()
    points: Annotated[str | None, option(metavar="x,y", help="Columns of the points, or rest: all other numbers.")] = (
        None
    )
    item: ItemId | None = None
    weight: Weight | None = None


@group
class ClusterInputs(ClusterColumns):
    """Clusterings: the columns of a file, which of several are meant, and how they are counted."""

    system: System = ()
    rules: ClusterRules = field(default_factory=ClusterRules)


@group
class PairedClusters(ClusterInputs):
    """Clusterings whose items are paired."""

    missing: MissingItems | None = None
