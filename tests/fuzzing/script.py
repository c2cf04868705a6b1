"""The script that fuzzes for hours, for short runs of it."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any
from unittest import mock

_SCRIPT = Path(__file__).parents[2] / "scripts" / "fuzz.py"


def _loaded() -> Any:
    spec = importlib.util.spec_from_file_location("fuzz", _SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with mock.patch.object(sys, "path", [str(_SCRIPT.parent), *sys.path]):
        spec.loader.exec_module(module)
    return module


#: `scripts/fuzz.py`, a script and no module of the tests.
FUZZ = _loaded()
