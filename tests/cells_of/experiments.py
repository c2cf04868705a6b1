"""Every verb on A/B tests: what it is called with."""

from __future__ import annotations

from typing import Any

import polars as pl

import assay
from assay import compare, make_report, plan

NAMES: dict[str, Any] = {"baseline": "old", "candidate": "new"}
TEST = pl.DataFrame(
    {
        "user_id": range(60),
        "variant": ["old", "new"] * 30,
        "converted": [int(number % 7 == 0 or number % 6 == 1) for number in range(60)],
        "clicks": [number * 7 % 5 for number in range(60)],
        "pages": [number * 7 % 5 + number % 3 + 1 for number in range(60)],
    }
)

#: Two systems, as the inputs of `compare`.
TWO = (TEST,)
CELLS = {
    "evaluate": lambda: assay.abtest(TEST, "converted, clicks/pages"),
    "compare": lambda: compare(TEST),
    "gate": lambda: assay.gate(TEST, **NAMES),
    "report": lambda: make_report(TEST),
    "explain": lambda: assay.explain("clicks/pages", TEST, system="new"),
    "doctor": lambda: assay.doctor(TEST),
    "plan": lambda: plan(TEST),
    "correlate": lambda: assay.correlate(assay.abtest(TEST), "clicks", "pages"),
    "plot": lambda: compare(TEST).intervals(),
}
