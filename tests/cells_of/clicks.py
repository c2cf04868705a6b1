"""Every verb on clicks: what it is called with."""

from __future__ import annotations

from typing import Any

import assay
from assay import Log, compare, make_report, plan

NAMES: dict[str, Any] = {"baseline": "old", "candidate": "new"}
PAGES = [("tea", ["a", "b"], ["a", "b"][: number * 7 % 3]) for number in range(48)]
LOG = Log.from_pages(PAGES, user_id=[f"u{number % 24}" for number in range(48)], system=["old", "new"] * 24, name="log")
#: Two systems, as the inputs of `compare`.
TWO = (LOG,)
CELLS = {
    "evaluate": lambda: assay.clicks(LOG, by="frequency"),
    "compare": lambda: compare(LOG),
    "gate": lambda: assay.gate(LOG, **NAMES),
    "report": lambda: make_report(LOG),
    "explain": lambda: assay.explain("CTR", LOG, system="old"),
    "doctor": lambda: assay.doctor(LOG),
    "plan": lambda: plan(LOG),
    "correlate": lambda: assay.correlate(LOG, "CTR", "ClickRR"),
    "plot": lambda: assay.click_curves.by_rank(assay.clicks(LOG)),
}
