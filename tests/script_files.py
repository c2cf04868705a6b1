"""Simulations in `scripts/`, loaded as modules, so that short runs of them are tests."""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


@cache
def script(name: str) -> Any:
    """The script of this name."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
