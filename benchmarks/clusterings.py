"""How fast clusterings are measured: `python -m benchmarks.clusterings`.

All measures against known classes together stand beside scikit-learn's `adjusted_rand_score` alone, in the same process
and in turn. Measures of points come from `benchmarks.points`.
"""

import argparse
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn import metrics as sklearn_metrics

from assay.measures import Measure, registered
from assay.measures.counting.contingency import Contingency
from assay.measures.partition_information import expected_by_unit
from benchmarks import points
from benchmarks.classifiers import Work, row, seconds

HERE = Path(__file__).parent
SIZES = (100_000, 1_000_000, 10_000_000)
CLASSES, CLUSTERS = 10, 12
#: So many items in so many classes and clusters: five in each.
MANY_ITEMS, MANY_GROUPS = 1_000_000, 200_000
#: Items for scikit-learn's adjusted mutual information, which adds up all numbers of common items.
ADJUSTED_SIZES = (10_000, 100_000, 1_000_000)


class Grouped(NamedTuple):
    """The class and the cluster of each item."""

    truth: NDArray[np.int64]
    cluster: NDArray[np.int64]


def grouped(items: int, classes: int = CLASSES, clusters: int = CLUSTERS, seed: int = 0) -> Grouped:
    """Classes and clusters, of which seven in ten go together."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, classes, items)
    return Grouped(truth, np.where(rng.random(items) < 0.7, truth, rng.integers(0, clusters, items)))


def external_measures() -> list[Measure]:
    """All measures of a clustering against known classes."""
    return [one for one in registered("clustering").values() if one.definition.counts is Contingency]


def all_measures(truth: Any, cluster: Any, wanted: list[Measure]) -> dict[str, float]:
    """The table of classes and clusters and every measure of it."""
    table = Contingency.from_labels(truth, cluster)
    return {str(one): float(one.of(table)[0]) for one in wanted}


def _beside_rand(what: str, truth: Any, cluster: Any, promised: float | None = None) -> Work:
    wanted = external_measures()
    return Work(
        f"all {len(wanted)} external measures, {what} (scikit-learn: adjusted Rand alone)",
        lambda: all_measures(truth, cluster, wanted),
        lambda: float(sklearn_metrics.adjusted_rand_score(truth, cluster)),
        promised,
        ours_gives=lambda told: told["ARI"],
        theirs_give=float,
    )


def _on_labels(items: int) -> list[Work]:
    data = grouped(items)
    names = pl.Series([f"group {number}" for number in range(CLUSTERS)])
    text = [names.gather(codes) for codes in data]
    promised = 20 if items == SIZES[-1] else None
    return [
        _beside_rand(f"{items:,} whole numbers", *data, promised),
        _beside_rand(f"{items:,} strings", text[0], text[1], promised),
    ]


def _adjusted(items: int) -> Work:
    data = grouped(items)
    (measure,) = (one for one in external_measures() if one.name == "AMI")
    return Work(
        f"adjusted mutual information, {items:,} whole numbers",
        lambda: float(measure.of(Contingency.from_labels(*data))[0]),
        lambda: float(sklearn_metrics.adjusted_mutual_info_score(*data)),
        ours_gives=float,
        theirs_give=float,
    )


def _many_sizes(groups: int = 2_000, items: int = 10_000_000) -> str:
    """How long the expected information takes where nearly all sizes differ."""
    rng = np.random.default_rng(0)
    sides = [rng.multinomial(items, rng.dirichlet(np.full(groups, 0.5))).astype(np.float64) for _ in range(2)]
    pairs = np.prod([len(np.unique(side)) for side in sides])
    took = seconds(lambda: expected_by_unit(sides[0][None], sides[1][None]))
    return (
        f"The mutual information that chance gives to {groups:,} x {groups:,} groups of {items:,} items, with "
        f"{pairs:,} different pairs of sizes, took {took:.1f} s."
    )


def lines(repeats: int, quick: bool = False) -> list[str]:
    """The table of all works on labels."""
    told = [
        f"Medians of {repeats}, side by side in one process; seconds. {CLASSES} classes and {CLUSTERS} clusters.",
        "",
        "| work | scikit-learn | Assay | times as fast | promised | same number |",
        "| --- | ---: | ---: | ---: | ---: | --- |",
    ]
    for items in SIZES[:1] if quick else SIZES:
        told += [row(work, repeats) for work in _on_labels(items)]
    told += [row(_adjusted(items), repeats) for items in (ADJUSTED_SIZES[:1] if quick else ADJUSTED_SIZES)]
    if quick:
        return told
    what = f"{MANY_ITEMS:,} items in {MANY_GROUPS:,} classes and clusters"
    many = _beside_rand(what, *grouped(MANY_ITEMS, MANY_GROUPS, MANY_GROUPS))
    return [*told, row(many, repeats), "", _many_sizes()]


def main() -> None:
    """Print the tables; `--write` also puts them into CLUSTERINGS.md."""
    about = (__doc__ or "").split("\n")[0]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.clusterings", description=about)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="the smallest sizes only")
    parser.add_argument("--labels", action="store_true", help="measures against known classes only")
    parser.add_argument("--write", action="store_true", help="write CLUSTERINGS.md")
    options = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        told = ["# Clusterings", "", "## Against known classes", "", *lines(options.repeats, options.quick)]
        if not options.labels:
            told += ["", "## Of points", "", *points.lines(max(1, options.repeats // 2), options.quick)]
    text = "\n".join(told)
    print(text)
    if options.write:
        command = "Made by `python -m benchmarks.clusterings --write`.\n"
        (HERE / "CLUSTERINGS.md").write_text(f"{text}\n\n{command}", encoding="utf-8")


if __name__ == "__main__":
    main()
