"""Many small cases of one test, one after the other: to pytest, an item costs more than such a case takes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, TypeAlias

import pytest

Test: TypeAlias = Callable[..., None]


def in_turn(
    names: str | Sequence[str], values: Iterable[Any], *, ids: Callable[[Any], Any] | Iterable[Any] | None = None
) -> Callable[[Test], Test]:
    """Try the cases of a test in one item, all of them; written like `pytest.mark.parametrize`.

    A failure names its case, and the other cases that fail. Each case has a `tmp_path`, a `monkeypatch` and captured
    output of its own; other fixtures are shared.
    """
    parameters = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    cases = list(values)
    labels = list(map(str, ids)) if isinstance(ids, Iterable) else [_label(case, ids) for case in cases]

    def decorate(test: Test) -> Test:
        @wraps(test)
        def tried(**fixtures: Any) -> None:
            failures: list[tuple[str, BaseException]] = []
            skipped = []
            for number, (case, label) in enumerate(zip(cases, labels, strict=True)):
                arguments = dict(zip(parameters, [case] if len(parameters) == 1 else case, strict=True))
                try:
                    _tried_alone(test, number, arguments, fixtures)
                except pytest.skip.Exception as reason:
                    skipped.append(reason)
                except (Exception, pytest.fail.Exception) as problem:
                    failures.append((label, problem))
            if failures:
                first, failing = failures[0][1], [label for label, _ in failures]
                first.add_note(f"{len(failures)} of {len(cases)} cases fail, first shown: {failing}")
                raise first
            if skipped and len(skipped) == len(cases):
                raise skipped[0]

        signature = inspect.signature(test)
        kept = [each for each in signature.parameters.values() if each.name not in parameters]
        tried.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]  # what pytest fills in
        return tried

    return decorate


def _tried_alone(test: Test, number: int, arguments: dict[str, Any], fixtures: dict[str, Any]) -> None:
    """One case, with a folder and patches that the next one does not see."""
    own = dict(fixtures)
    if "tmp_path" in own:
        own["tmp_path"] = Path(own["tmp_path"]) / str(number)
        own["tmp_path"].mkdir()
    for name in {"capsys", "capfd"} & own.keys():
        own[name].readouterr()
    with pytest.MonkeyPatch.context() as patches:
        if "monkeypatch" in own:
            own["monkeypatch"] = patches
        test(**arguments, **own)


def _label(case: Any, name: Callable[[Any], Any] | None) -> str:
    """A case in a message, shortened."""
    text = str(name(case)) if name is not None else repr(case)
    return text if len(text) <= 100 else f"{text[:100]}..."
