"""Every verb on judges: what it is called with."""

from __future__ import annotations

import assay
from assay import Labels, compare, make_report, plan

JUDGED = [
    Labels.of(
        [
            (f"d{number}", judge, number % 3 if judge == "ana" or number % turn else 0)
            for number in range(24)
            for judge in ("ana", "ben")
        ],
        name=name,
    )
    for name, turn in (("old", 4), ("new", 7))
]
#: Two systems, as the inputs of `compare`.
TWO = (JUDGED,)
CELLS = {
    "evaluate": lambda: assay.agree(JUDGED[0]),
    "compare": lambda: compare(JUDGED),
    "gate": lambda: assay.gate(JUDGED[0], JUDGED[1]),
    "report": lambda: make_report(JUDGED),
    "explain": lambda: assay.explain("Kappa", JUDGED[0]),
    "doctor": lambda: assay.doctor(JUDGED[0]),
    "plan": lambda: plan(JUDGED),
    "correlate": lambda: assay.correlate(JUDGED, "Alpha", "Agreement"),
    "plot": lambda: compare(JUDGED).intervals(),
}
