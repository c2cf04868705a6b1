"""Where the public test collections are, if they are there: beside the checkout, never in it."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


def shared(*parts: str) -> Path:
    """A file of the shared data; the test is skipped where there are none."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"the public test data are not here: {path}")
    return path
