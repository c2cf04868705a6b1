"""How often points without groups are said to have structure, and points with groups are seen to have it.

Usage: python -m benchmarks.studies.calibrate_structure [--samples 60] [--seed 0]
"""

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np

from assay import number_of_clusters

POINTS = 100
SLANTED = np.array([[5.0, 3.0], [0.0, 1.0]])
CENTRES = ((0, 0), (4, 0), (0, 4))

KINDS: dict[str, Callable[[np.random.Generator], Any]] = {
    "normal, 2 columns": lambda rng: rng.normal(size=(POINTS, 2)),
    "normal, slanted": lambda rng: rng.normal(size=(POINTS, 2)) @ SLANTED,
    "normal, 8 columns": lambda rng: rng.normal(size=(POINTS, 8)),
    "uniform, 3 columns": lambda rng: rng.uniform(size=(POINTS, 3)),
    "t with 3 degrees of freedom": lambda rng: rng.standard_t(3, size=(POINTS, 2)),
    "exponential": lambda rng: rng.exponential(size=(POINTS, 2)),
    "three groups": lambda rng: np.concatenate([rng.normal(centre, 1, size=(POINTS // 3, 2)) for centre in CENTRES]),
}


def main() -> None:
    """Draw samples of each kind, and tell in how many structure was seen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    rng = np.random.default_rng(asked.seed)
    for kind, drawn in KINDS.items():
        seen = [
            number_of_clusters(drawn(rng), range(2, 6), stability=False).verdict != "no structure"
            for _ in range(asked.samples)
        ]
        print(f"{kind}: {np.mean(seen):.0%} of {asked.samples} samples", flush=True)


if __name__ == "__main__":
    main()
