"""A short seeded run of `scripts/fuzz.py`: mutated files are read or refused, by every reader and every command."""

from __future__ import annotations

import contextlib
import re
from typing import Any

import pytest
from fuzzing.script import FUZZ

import assay

SEED, INPUTS = 7, 12
#: Tables per command: fewer for those that fit models, simulate or draw anew, which take several times as long.
TABLES, TABLES_OF_LONG = 44, 15
LONG = re.compile(r" (bias|prefer|simulate|calibrate|fit|value|aggregate|audit|agree) | --runs ")

EVERY = list(FUZZ.targets())
TARGETS: dict[str, Any] = {target.name: target for target in EVERY if target.make is None}
#: Commands that are given tables of any cells.
COMMANDS: dict[str, Any] = {target.name: target for target in EVERY if target.make is not None}


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


@pytest.mark.parametrize("name", COMMANDS)
def test_a_table_of_any_cells_is_taken_or_refused_in_one_line(name: str) -> None:
    """Commands on labels, clicks, pools and topics end with an answer, or say what is wrong; some tables are taken."""
    target, refused, tables = COMMANDS[name], list[list[str]](), tables_of(name)
    for number in range(tables):
        try:
            target.read(FUZZ.mutated(target, SEED, number))
        except assay.AssayError as problem:
            refused.append(str(problem).splitlines())
    assert len(refused) < tables
    for lines in refused:
        assert [line for line in lines if line.startswith("assay: ")] == lines[-1:]


def tables_of(command: str) -> int:
    return TABLES_OF_LONG if LONG.search(command) else TABLES


def test_commands_are_given_two_thousand_tables() -> None:
    assert sum(map(tables_of, COMMANDS)) >= 2000


def test_tables_are_small_and_always_the_same() -> None:
    for target in COMMANDS.values():
        tables = [FUZZ.mutated(target, SEED, number) for number in range(5)]
        assert tables == [FUZZ.mutated(target, SEED, number) for number in range(5)]


def test_every_registered_format_is_a_target() -> None:
    assert {known.name for known in FUZZ.formats()} <= set(TARGETS)
