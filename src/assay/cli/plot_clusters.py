"""`assay plot silhouette FILE`, `assay plot contingency FILE`, `assay plot over-k FILE`: clusterings to look at."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli.cluster_inputs import ClusterInputs
from assay.cli.inputs import each_named
from assay.cli.numbers_of_clusters import NumberInputs

if TYPE_CHECKING:
    from assay.clustering import Clustering
    from assay.curves import Curve

#: Which measure each kind goes with: no other has to be computed.
KINDS = {"silhouette": "Silhouette", "contingency": "Purity", "over-k": ""}
#: Options that no other curve has.
OWN = ("cluster", "points", "noise", "noise_as", "unlabelled", "metric", "sample_size")


def is_kind(word: str) -> bool:
    """Whether the first word is a kind of picture of clusterings, and not a file."""
    return word in KINDS and not Path(word).exists()


def curve_of(kind: str, files: list[str], said: ClusterInputs, numbers: NumberInputs, seed: int) -> Curve:
    """The picture of all clusterings in the files, or of some."""
    from assay import cluster_curves  # noqa: PLC0415  # `--help` need not load Polars
    from assay.clustering import cluster  # noqa: PLC0415

    each_named("", files)
    if kind == "over-k":
        return cluster_curves.over_k(numbers.result(files, said, None, seed=seed))
    numbers.refuse("goes with over-k: assay plot over-k FILE")
    drawn: Callable[[Clustering], Any] = (
        cluster_curves.silhouettes if kind == "silhouette" else cluster_curves.contingency
    )
    # Silhouettes need no classes, and items without one are points as others are.
    rules = ({"unlabelled": "drop"} if kind == "silhouette" else {}) | said.rules()
    made: Curve = drawn(cluster(said.read(files), KINDS[kind], seed=seed, **rules))
    return made
