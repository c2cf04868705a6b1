"""Compute, then show: numbers are finished when a presenter is called, and the line of progress is gone by then."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import CO_NEWLOCALS
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from command import run_assay
from sameness import written as written_to_file
from test_product import CELLS, VERBS, outcome
from test_sameness import CASES, tables_of

from assay.cli import inputs
from assay.core import registry
from assay.core.results import Result, written

#: What a value or a sample says of itself: nothing is computed.
OF_ITSELF = {"is_known", "unknown", "as_columns", "size", "evaluation", "is_complete", "warnings", "signatures",
             "__str__", "__repr__", "__hash__", "__eq__"}  # fmt: skip
#: Where measures are computed: what else `measures` holds are names, parameters, words.
COMPUTES = {"Measure.per_unit", "Measure.of", "PerUnit.pooled", "summarise"}


class Computed:
    """Counts the functions that compute, while it is watching."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()

    def start(self) -> None:
        sys.setprofile(self._note)

    def stop(self) -> None:
        sys.setprofile(None)

    def _note(self, frame: FrameType, event: str, _: Any) -> None:
        if event != "call":
            return
        code, (_, _, module) = frame.f_code, frame.f_code.co_filename.partition("/src/assay/")
        # Modules and classes that are loaded compute nothing.
        is_new = code.co_flags & CO_NEWLOCALS and code.co_name not in OF_ITSELF and not code.co_name.startswith("<")
        if (module.startswith("stats/") and is_new) or (
            module.startswith("measures/") and code.co_qualname in COMPUTES
        ):
            self.calls[f"{module}:{code.co_qualname}"] += 1


@contextmanager
def nothing_computed(what: str) -> Iterator[None]:
    computed = Computed()
    computed.start()
    try:
        yield
    finally:
        computed.stop()
    assert not computed.calls, f"{what} computes: {computed.calls.most_common(5)}"


def show(result: Result) -> None:
    """Write a result in every form."""
    document = result.document()
    for form in registry.WRITERS:
        if form == "csv":
            result.to_csv()
        else:
            written(document, form)


@pytest.mark.parametrize("subject", CELLS)
def test_showing_a_result_computes_nothing(subject: str) -> None:
    for verb in VERBS:
        if (result := outcome(subject, verb)) is None:
            continue
        result.complete()
        with nothing_computed(f"{verb} of {subject}, complete,"):
            show(result)


@pytest.mark.parametrize("case", [name for name in CASES if name != "weighted items"])
def test_what_is_computed_is_computed_before_the_line_of_progress_ends_and_anything_is_printed(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {name: written_to_file(table.rows, tmp_path, name) for name, table in tables_of(case).items()}
    for command in CASES[case].commands:
        words = [str(files[word[1:-1]]) if word.startswith("{") else word for word in command.split()]
        computed, lines = Computed(), list[bytes]()
        monkeypatch.setattr(inputs, "bar", watched(inputs.bar, computed, lines))
        try:
            ended = run_assay(*words, folder=tmp_path)
        finally:
            computed.stop()
            monkeypatch.undo()
        assert ended.returncode in {0, 1, 3}, f"{command}: {ended.stderr}"
        assert lines, f"{command} shows no progress"
        assert not any(lines), f"{command} prints before its progress has ended: {lines}"
        assert not computed.calls, f"{command} computes after that: {computed.calls.most_common(5)}"


def watched(bar: Callable[..., Any], computed: Computed, lines: list[bytes]) -> Callable[..., Any]:
    """The line of progress, which tells what stdout has when it ends; what is computed after the last one counts."""

    @contextmanager
    def watching(activity: str, total: float, *, hidden: bool) -> Iterator[Any]:
        computed.stop()
        with bar(activity, total, hidden=hidden) as advance:
            yield advance
        stdout: Any = sys.stdout
        lines.append(stdout.buffer.getvalue())
        computed.calls.clear()
        computed.start()

    return watching


@pytest.mark.parametrize("subject", CELLS)
def test_the_sections_of_a_report_compute_nothing(subject: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = registry.load(registry.subject(subject).reported)
    sections, computed = kind.sections, Computed()

    def watched_sections(reported: Any) -> Any:
        computed.start()
        try:
            return [*sections(reported)]
        finally:
            computed.stop()

    monkeypatch.setattr(kind, "sections", watched_sections)
    assert outcome(subject, "report") is not None
    assert not computed.calls, f"{subject}: {computed.calls.most_common(12)}"
