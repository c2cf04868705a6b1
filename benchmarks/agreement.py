"""Compare two tools' values query by query: `python -m benchmarks.agreement ours.json theirs.json`.

A process of its own, so that the one that starts the measured processes stays small.
"""

import json
import sys
from math import inf, isnan
from pathlib import Path
from typing import Any

from benchmarks.worker import MEASURES, Values

#: A difference that cannot come from the order of additions.
REAL = 1e-6


def compare(ours: Values, theirs: Values) -> dict[str, Any]:
    """Tell the largest difference of each measure, and how many queries really differ."""
    shared = ours.keys() & theirs.keys()
    largest = dict.fromkeys(MEASURES, 0.0)
    differing = dict.fromkeys(MEASURES, 0)
    for query in shared:
        for measure, our, their in zip(MEASURES, ours[query], theirs[query], strict=True):
            difference = abs(our - their)
            difference = inf if isnan(difference) else difference
            largest[measure] = max(largest[measure], difference)
            differing[measure] += difference > REAL
    return {
        "largest": largest,
        "differing": differing,
        "queries": len(shared),
        "unshared": len(ours.keys() ^ theirs.keys()),
    }


if __name__ == "__main__":
    ours, theirs = (json.loads(Path(path).read_text(encoding="utf-8")) for path in sys.argv[1:])
    print(json.dumps(compare(ours, theirs)))
