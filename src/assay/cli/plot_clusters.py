"""`assay plot silhouette FILE`, `assay plot contingency FILE`, `assay plot over-k FILE`: clusterings to look at."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli.cluster_inputs import ClusterInputs
from assay.cli.inputs import each_named
from assay.cli.numbers_of_clusters import NumberInputs
from assay.core.errors import ParameterError

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
        try:
            return cluster_curves.over_k(numbers.result(files, said, None, seed=seed))
        except ParameterError as problem:
            if numbers:
                raise
            raise ParameterError(
                f"{problem}; --ks 2:10 clusters the points, --over-k names the columns of clusterings"
            ) from problem
    numbers.refuse("goes with over-k: assay plot over-k FILE")
    drawn: Callable[[Clustering], Any] = (
        cluster_curves.silhouettes if kind == "silhouette" else cluster_curves.contingency
    )
    # Silhouettes need no classes, and items without one are points as others are.
    rules = ({"unlabelled": "drop"} if kind == "silhouette" else {}) | said.rules()
    given = said.read(files)
    option, what = {"silhouette": ("points", "points"), "contingency": ("truth", "classes")}[kind]
    if lacking := next((one for one in given if getattr(one, option) is None), None):
        raise ParameterError(f"{lacking.whence}: {kind} is of {what}, and there are none: --{option} names them")
    made: Curve = drawn(cluster(given, KINDS[kind], seed=seed, **rules))
    return made
