"""Every verb on classifiers: what it is called with."""

from __future__ import annotations

import assay
from assay import Predictions, compare, make_report, plan

UNITS = range(12)
TRUE = [number % 2 for number in UNITS] * 2
LABELS = [
    Predictions.of(TRUE, [0, 1, 1] * 8, y_score=[0.2, 0.8, 0.6] * 8, name="old"),
    Predictions.of(TRUE, [0, 1, 0, 1, 0, 0] * 4, y_score=[0.1, 0.9, 0.3, 0.8, 0.2, 0.4] * 4, name="new"),
]
#: Two systems, as the inputs of `compare`.
TWO = (LABELS,)
CELLS = {
    "evaluate": lambda: assay.classify(LABELS),
    "compare": lambda: compare(LABELS),
    "gate": lambda: assay.gate(LABELS[0], LABELS[1]),
    "report": lambda: make_report(LABELS),
    "explain": lambda: assay.explain("F1", LABELS[0]),
    "doctor": lambda: assay.doctor(LABELS),
    "plan": lambda: plan(LABELS, measures="Accuracy"),
    "correlate": lambda: assay.correlate(assay.classify(LABELS), "Accuracy", "F"),
    "plot": lambda: assay.classifier_curves.roc(LABELS),
}
