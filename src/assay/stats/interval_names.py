"""What intervals are called that come from no test of units; `core.words` names all of them for people."""

from __future__ import annotations

BOOTSTRAP, SUBSAMPLING, NO_INTERVAL = "bootstrap", "subsampling", "none"
