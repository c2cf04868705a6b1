"""What the verbs are given: judgments and runs in any shape, opened and named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import polars as pl

from assay.core.arguments import naming
from assay.core.errors import EmptyFileError, ParameterError
from assay.files import Source, is_file, read_qrels, scan_run
from assay.tables import Batches, Qrels, Run

#: The format of a file that holds nothing.
EMPTY_FILE = "empty file"


def named_runs(runs: Any) -> dict[str, Batches]:
    """Give every run a name: its key, its file's name or its own; no two the same.

    >>> list(named_runs({"bm25": {"q1": {"d1": 1.0}}, "dense": {"q1": {"d1": 0.5}}}))
    ['bm25', 'dense']
    """
    if isinstance(runs, Mapping) and not _is_one_run(runs):
        return {str(name): opened_run(run, str(name)) for name, run in runs.items()}
    listed = list(runs) if isinstance(runs, list | tuple) and not _is_rows(runs) else [runs]
    if not listed:
        raise ParameterError("there is no run to evaluate")
    opened = [opened_run(run, None) for run in listed]
    named = {_name(run, opened): run for run in opened}
    if len(named) < len(opened):
        names = [run.name for run in opened]
        twice = next(name for name in names if names.count(name) > 1)
        raise ParameterError(f"two runs are called {twice!r}: each needs a name of its own, {naming()}")
    return named


def _is_one_run(runs: Mapping[Any, Any]) -> bool:
    """Tell {query: {doc: score}} from {system: run}: the values of its values are numbers."""
    first: Any = next((value for value in runs.values() if not (isinstance(value, Mapping) and not value)), {})
    return isinstance(first, Mapping) and not any(isinstance(value, Mapping) for value in first.values())


def _is_rows(runs: Sequence[Any]) -> bool:
    """Tell a list of (query_id, doc_id, score) rows from a list of runs."""
    return bool(runs) and isinstance(runs[0], tuple | list) and not any(isinstance(x, tuple | list) for x in runs[0])


def opened_run(given: Any, name: str | None = None) -> Batches:
    """A run, opened if it is a file; one without a line is that of a system that returned nothing.

    >>> opened_run({"q1": {"d1": 1.0}}, "bm25").name
    'bm25'
    """
    if hasattr(given, "batches"):
        return cast("Batches", given)
    if not is_file(given):
        return Run.of(given, name or "run")
    source = given if isinstance(given, Source) else Source(given)
    try:
        return scan_run(source, name=name)
    except EmptyFileError:
        nothing = pl.DataFrame(schema={"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64})
        return Run(nothing, name or source.stem, EMPTY_FILE, origin=source.name)


def _name(run: Batches, others: list[Batches]) -> str:
    """The run's name; with its folder in front where another run has the same."""
    alike = [other for other in others if other.name == run.name]
    return Path(run.origin).as_posix() if len(alike) > 1 else run.name


def check_text(name: str) -> None:
    """Refuse names with halves of characters, as file names in another encoding have them: no table holds those."""
    try:
        name.encode()
    except UnicodeEncodeError:
        raise ParameterError(f"the run's name {name!a} is not text: give it another, {naming()}") from None


def judgments_of(given: Any, judge: str | None = None, subtopics: bool = False) -> Qrels:
    """Take judgments from a file or from memory; column 2 is kept if it names judges or subtopics that matter.

    >>> judgments_of({"q1": {"d1": 1}}).topics
    ['q1']
    """
    if is_file(given) and subtopics:
        return read_qrels(given, subtopics=True)
    if is_file(given):
        return read_qrels(given, judges=None if judge is None else True)
    return Qrels.of(given)
