"""What several test files share: one browser a process, and the commands made ready once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING
from unittest import mock

import pytest
import typer
import typer.testing
from browser import launched

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Playwright runs only one at a time."""
    with launched() as running:
        yield running


@pytest.fixture(scope="session", autouse=True)
def commands_made_once() -> Iterator[None]:
    """Typer makes all commands ready for every call, which takes longer than most calls that are tested."""
    made = cache(typer.main.get_command)
    with mock.patch("typer.main.get_command", made), mock.patch("typer.testing._get_command", made):
        yield
