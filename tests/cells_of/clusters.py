"""Every verb on clusterings: what it is called with."""

from __future__ import annotations

import assay
from assay import Clusters, compare, make_report, plan

UNITS = range(12)
TRUE = [number % 2 for number in UNITS] * 2
CLUSTERS = [
    Clusters.of(TRUE, [number % 3 for number in range(24)], name="old"),
    Clusters.of(TRUE, [number % 4 for number in range(24)], name="new"),
]
#: Two systems, as the inputs of `compare`.
TWO = (CLUSTERS,)
#: There is no test of clusterings whose power could be planned.
NO_MEANING = {"plan"}
CELLS = {
    "evaluate": lambda: assay.cluster(CLUSTERS),
    "compare": lambda: compare(CLUSTERS),
    "gate": lambda: assay.gate(CLUSTERS[0], CLUSTERS[1]),
    "report": lambda: make_report(CLUSTERS),
    "explain": lambda: assay.explain("NMI", CLUSTERS[0]),
    "doctor": lambda: assay.doctor(CLUSTERS),
    "plan": lambda: plan(CLUSTERS, measures="ARI"),
    "correlate": lambda: assay.correlate(assay.cluster(CLUSTERS), "ARI", "NMI"),
    "plot": lambda: assay.cluster_curves.contingency(assay.cluster(CLUSTERS)),
}
