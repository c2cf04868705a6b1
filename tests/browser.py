"""A real browser for tests: the machine's Chromium, driven by Playwright."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
#: `make test` sets this: there a missing browser is a failure. Elsewhere the tests are skipped.
REQUIRED = "ASSAY_BROWSER"


@contextmanager
def launched() -> Iterator[Browser]:
    """A headless browser; without one the test fails where it is required, and is skipped elsewhere."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        _missing(f"no browser on this machine (looked for {', '.join(NAMES)}): apt-get install chromium")
    try:
        from playwright.sync_api import sync_playwright  # noqa: PLC0415  # only needed where there is a browser
    except ImportError:
        _missing("Playwright is not installed: pip install --group test")
    # Chromium has no sandbox for root; the pages are our own, and have no network to reach.
    sandbox = ["--no-sandbox"] if os.name == "posix" and os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*sandbox, "--disable-dev-shm-usage"])
        try:
            yield browser
        finally:
            browser.close()


def _missing(reason: str) -> NoReturn:
    if os.environ.get("CI") == "true" or os.environ.get(REQUIRED) == "required":
        pytest.fail(reason)
    pytest.skip(reason)
