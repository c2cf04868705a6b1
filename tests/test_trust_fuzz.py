"""A short seeded run of `scripts/fuzz.py`: mutated files are read or refused, by every reader and every command."""

from __future__ import annotations

import contextlib
import importlib.util
from pathlib import Path
from typing import Any

import pytest

import assay

SCRIPT = Path(__file__).parents[1] / "scripts" / "fuzz.py"
SEED, INPUTS = 7, 12


def loaded() -> Any:
    spec = importlib.util.spec_from_file_location("fuzz", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


FUZZ = loaded()
TARGETS: dict[str, Any] = {target.name: target for target in FUZZ.targets()}


@pytest.mark.parametrize("name", TARGETS)
def test_mutated_files_are_read_or_refused(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    target = TARGETS[name]
    for number in range(1 if target.is_verb else INPUTS):
        with contextlib.suppress(assay.AssayError):
            target.read(FUZZ.mutated(target, SEED, number))
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("name", TARGETS)
def test_an_example_of_each_target_is_read(name: str) -> None:
    """Else all that is tried is how it is refused."""
    target = TARGETS[name]
    read = 0
    for data in target.examples:
        try:
            target.read(data)
            read += 1
        except assay.AssayError:
            continue
    assert read


def test_every_registered_format_is_a_target() -> None:
    assert {known.name for known in FUZZ.formats()} <= set(TARGETS)
