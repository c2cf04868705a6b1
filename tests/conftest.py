"""What several test files share: one browser a process, and how properties are tried."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browser import launched
from hypothesis import settings
from postgres import serving
from strategies import quickly

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# What is compiled once is compiled for all workers, and for the processes that tests start: a third of their time.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# There is a worker to a core: threads of scikit-learn and of matrix products would wait for one another, at full speed.
for _threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_threads, "1")
# As the command does: while modules are loaded, looking for cycles of garbage takes long and finds none.
gc.set_threshold(100_000)
settings.register_profile("assay", quickly)
settings.load_profile("assay")

#: Loaded a second time, in search of doctests, toys would register their checks under another module.
collect_ignore = [path.name for path in Path(__file__).parent.glob("toy_*.py")]


def pytest_collection_finish() -> None:
    """What is loaded by now stays: no collection of garbage need look at it again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Playwright runs only one at a time."""
    with launched() as running:
        yield running


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a PostgreSQL server of these tests' own."""
    with serving() as url:
        yield url
