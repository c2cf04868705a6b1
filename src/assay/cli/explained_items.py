"""What `assay explain` takes besides rankings and classifiers: clusters, points in clusters, and two orders."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple, TypeAlias

import typer

from assay.cli import cluster_inputs
from assay.cli.cluster_inputs import ClusterInputs
from assay.cli.prediction_inputs import NOT_OF_CLUSTERS, PredictionInputs
from assay.core.errors import ParameterError, did_you_mean, listed

_TYPED = "Clusters: a table or points instead of files"
_ORDERS = "Two orders of the same items"

Table: TypeAlias = Annotated[
    str | None,
    typer.Option(help="Items by class (rows) and cluster: '5 1 2; 1 4 0; 0 1 3'.", rich_help_panel=_TYPED),
]
ClusterNames: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="Names of the clusters of --table or --points: a,b,c; --labels names the classes.", rich_help_panel=_TYPED
    ),
]
Orders: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--order", help="Items, the best first, = between tied ones: 'A B=C D'; twice.", rich_help_panel=_ORDERS
    ),
]
ClusterColumns: TypeAlias = cluster_inputs.ClusterColumns
Noise: TypeAlias = cluster_inputs.Noise
NoiseAs: TypeAlias = cluster_inputs.NoiseAs
Unlabelled: TypeAlias = cluster_inputs.Unlabelled
Metric: TypeAlias = cluster_inputs.Metric
SampleSize: TypeAlias = cluster_inputs.SampleSize
Seed: TypeAlias = Annotated[
    int | None,
    typer.Option(help="Seed of what --sample-size draws (0).", min=0, rich_help_panel=cluster_inputs.PANEL),
]


class Given(NamedTuple):
    """What is explained, and the rules that were said for it."""

    given: tuple[Any, ...]
    rules: dict[str, Any]


class ItemInputs(NamedTuple):
    """What was typed about clusters or orders: a table, points, columns of a file, items with the best first."""

    clustered: ClusterInputs
    predicted: PredictionInputs
    table: str | None = None
    points: list[str] | None = None
    names: str | None = None
    orders: list[str] | None = None
    seed: int | None = None

    @property
    def are_points(self) -> bool:
        """Whether --points are points in clusters, and not those of a curve, which have an @."""
        return bool(self.points) and not any("@" in text for text in self.points or ())

    def given(self, measure: str, path: str | None, run: str | None) -> Given | None:
        """The clusters or the two orders, if that is what was given."""
        from assay.explanation.coefficients import is_coefficient  # noqa: PLC0415  # `assay --help` loads no Polars

        if self.seed is not None and self.clustered.sample_size is None:
            raise ParameterError("--seed goes with --sample-size, which draws items at random")
        if self.orders or is_coefficient(measure):
            if not is_coefficient(measure):
                known = ("Kendall", "tau", "Spearman", "tau_AP", "RBO")
                raise ParameterError(
                    f"--order goes with {listed(known)}, not with {measure}{did_you_mean(measure, known)}"
                )
            self.refuse()
            self.predicted.refuse("has no meaning for two orders")
            return Given(two_orders(measure, self.orders, path), {})
        return self._clusters(measure, path, run)

    def _clusters(self, measure: str, path: str | None, run: str | None) -> Given | None:
        from assay.measures.vocabularies import by_alias  # noqa: PLC0415

        if self.table is not None:
            return self._table(self.table)
        if path is None:
            # Where rankings alone have the measure, points are those of a curve, and lack their @.
            of_curve = by_alias(measure) is not None and by_alias(measure, "clustering") is None
            return self._points() if self.are_points and not of_curve else None
        columns = self.points[0] if self.points and self.are_points else None
        if columns is not None and len(self.points or ()) > 1:
            raise ParameterError("--points: expected the columns of a file once, with commas between them")
        clustered = self.clustered._replace(points=columns)
        files = None if run is not None else clustered.among([path])
        if files is None:
            return None
        self._refuse_names("goes with --table or --points: a file names its clusters")
        self.predicted.refuse("is about classifiers, and these are clusters", *NOT_OF_CLUSTERS)
        drawn = {} if self.seed is None else {"seed": self.seed}
        return Given((clustered.read(files),), clustered.rules() | drawn)

    def refuse(self) -> None:
        """Refuse what only clusters have, where there are none."""
        self._refuse_names("goes with clusters: --table, or --points")
        own = ("cluster", "noise", "noise_as", "unlabelled", "metric", "sample_size")
        self.clustered.refuse("goes with clusters, and these are none", *own)

    def _table(self, text: str) -> Given:
        from assay.cli.typed_labels import labels_in, table_in  # noqa: PLC0415
        from assay.counting.contingency import Contingency  # noqa: PLC0415  # `assay --help` need not load Polars

        self.clustered.refuse("goes with a file, not with --table")
        others = [name for name in NOT_OF_CLUSTERS if name != "labels"]
        self.predicted.refuse("is about classifiers, and this is a table of clusters", *others)
        rows, labels = table_in(text), self.predicted.labels
        classes = None if labels is None else labels_in(labels)
        return Given((Contingency.from_table(rows, classes, self._named(len(rows[0]))),), {})

    def _points(self) -> Given:
        from assay.cli.typed_orders import points_in_clusters  # noqa: PLC0415
        from assay.counting.points import Points  # noqa: PLC0415

        if len(self.points or ()) > 1:
            raise ParameterError("--points: expected all points once, with | between clusters")
        self.clustered._replace(metric=None).refuse("goes with a file, not with --points")
        self.predicted.refuse("is about classifiers, and these are points", *NOT_OF_CLUSTERS)
        typed = points_in_clusters((self.points or [""])[0])
        names = self._named(max(typed.clusters)) or [str(place) for place in range(1, max(typed.clusters) + 1)]
        labels = [names[place - 1] for place in typed.clusters]
        return Given((Points.of(typed.rows, labels, metric=self.clustered.metric or "euclidean"),), {})

    def _named(self, clusters: int) -> list[str] | None:
        from assay.cli.typed_labels import labels_in  # noqa: PLC0415

        if self.names is None:
            return None
        found = labels_in(self.names, "--cluster-names")
        if len(found) != clusters:
            raise ParameterError(f"--cluster-names: expected {clusters} names, one a cluster, got {len(found)}")
        return found

    def _refuse_names(self, why: str) -> None:
        if self.names is not None:
            raise ParameterError(f"--cluster-names {why}")


def two_orders(measure: str, orders: list[str] | None, path: str | None) -> tuple[Any, Any]:
    """The two orders that were typed, or the two columns of numbers in a file."""
    if orders:
        from assay.cli.typed_orders import numbers_of, order_in  # noqa: PLC0415

        if path is not None or len(orders) != 2:
            raise ParameterError(f"{measure} takes --order twice, and no file: got {len(orders)} of them")
        first, second = (numbers_of(order_in(text)) for text in orders)
        return first, second
    if path is None:
        raise ParameterError(f"{measure} is about two orders: --order 'A B C' --order 'B A C', or a CSV of numbers")
    from assay.files.small_tables import read_numbers  # noqa: PLC0415

    columns = read_numbers(path)
    if len(columns) != 2:
        raise ParameterError(f"{path}: expected two columns of numbers beside the names, got {len(columns)}")
    for name, numbers in columns.items():
        for item, number in numbers.items():
            if number is None:
                raise ParameterError(f"{path}: {name}: {item}: expected a number, got nothing")
    one, other = columns.values()
    return one, other
