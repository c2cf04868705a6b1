"""Every verb on extractions: what it is called with."""

from __future__ import annotations

import assay
from assay import compare, extract, make_report, plan

UNITS = range(12)
SPANS = [(f"d{number}", 10 * place, 10 * place + 4, "PER") for number in UNITS for place in range(3)]
EXTRACTIONS = [extract(SPANS, SPANS[::2], name="old"), extract(SPANS, SPANS[:-5], name="new")]
#: Two systems, as the inputs of `compare`.
TWO = (EXTRACTIONS,)
CELLS = {
    "evaluate": lambda: EXTRACTIONS[0],
    "compare": lambda: compare(EXTRACTIONS),
    "gate": lambda: assay.gate(EXTRACTIONS[0], EXTRACTIONS[1]),
    "report": lambda: make_report(EXTRACTIONS),
    "explain": lambda: assay.explain("F", EXTRACTIONS[0], label="PER"),
    "doctor": lambda: assay.doctor(EXTRACTIONS[0]),
    "plan": lambda: plan(EXTRACTIONS),
    "correlate": lambda: assay.correlate(EXTRACTIONS, "F", "Recall"),
    "plot": lambda: compare(EXTRACTIONS).intervals(),
}
