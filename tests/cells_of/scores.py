"""Every verb on bare scores: what it is called with."""

from __future__ import annotations

from typing import Any

import polars as pl

import assay
from assay import Scores, compare, make_report, plan

NAMES: dict[str, Any] = {"baseline": "old", "candidate": "new"}
UNITS = range(12)
SCORES = Scores(
    pl.DataFrame(
        [
            (system, measure, "query", f"q{number}", (number * 7 % 5 + better * (number % 4)) / 10, None)
            for better, system in enumerate(("old", "new"))
            for measure in ("AP", "RR")
            for number in UNITS
        ],
        schema=Scores.SCHEMA,
        orient="row",
    )
)
#: Two systems, as the inputs of `compare`.
TWO = (SCORES,)
#: Scores are evaluated already, and what they are made of is not known.
NO_MEANING = {"evaluate", "explain"}
CELLS = {
    "evaluate": lambda: assay.evaluate(SCORES, SCORES, "AP"),
    "compare": lambda: compare(SCORES),
    "gate": lambda: assay.gate(SCORES, **NAMES),
    "report": lambda: make_report(SCORES),
    "explain": lambda: assay.explain("AP", SCORES),
    "doctor": lambda: assay.doctor(SCORES),
    "plan": lambda: plan(SCORES),
    "correlate": lambda: assay.correlate(SCORES, "AP", "RR"),
    "plot": lambda: compare(SCORES).intervals(),
}
