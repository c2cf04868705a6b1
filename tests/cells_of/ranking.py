"""Every verb on rankings: what it is called with."""

from __future__ import annotations

import assay
from assay import compare, make_report, plan

UNITS = range(12)
QRELS = {f"q{number}": {"good": 1, "fair": 1, "bad": 0} for number in UNITS}
RUNS = {
    "old": {query: {"bad": 3.0, "good": 2.0, "fair": 1.0} for query in QRELS},
    "new": {query: {"good": 3.0, "bad": 2.0 - number % 3, "fair": 1.0} for number, query in enumerate(QRELS)},
}
#: Two systems, as the inputs of `compare`.
TWO = (QRELS, RUNS)
CELLS = {
    "evaluate": lambda: assay.evaluate(QRELS, RUNS),
    "compare": lambda: compare(QRELS, RUNS),
    "gate": lambda: assay.gate(QRELS, {"old": RUNS["old"]}, {"new": RUNS["new"]}),
    "report": lambda: make_report(QRELS, RUNS),
    "explain": lambda: assay.explain("AP", QRELS, RUNS["old"], query="q1"),
    "doctor": lambda: assay.doctor(QRELS, RUNS),
    "plan": lambda: plan(QRELS, RUNS),
    "correlate": lambda: assay.correlate(assay.evaluate(QRELS, RUNS, ["AP", "RR"]), "AP", "RR"),
    "plot": lambda: assay.curves.precision_recall(QRELS, RUNS),
}
