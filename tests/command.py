"""The command in this process: a process of its own takes longer to start than most commands take to run."""

from __future__ import annotations

import contextlib
import copy
import inspect
import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from cyclopts import App

from assay.cli import calling, main
from assay.cli.calling import call
from assay.cli.commands import application
from assay.core import signals


class Terminal(io.TextIOWrapper):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def run_assay(
    *arguments: object,
    folder: Path,
    stdin: bytes = b"",
    together: bool = False,
    terminal: bool = False,
    encoding: str = "utf-8",
) -> subprocess.CompletedProcess[str]:
    """What `main` gives for these arguments, with streams that are no `terminal`; `together`, messages go to stdout.

    A process of its own is needed where the system's streams are: for pipes, `/dev/stdout`, a full disk, signals.
    """
    command = ["assay", *map(str, arguments)]
    said, told = io.BytesIO(), io.BytesIO()
    stream = Terminal if terminal else io.TextIOWrapper
    out = stream(said, encoding=encoding, write_through=True)
    err = out if together else stream(told, "utf-8", errors="backslashreplace", write_through=True)
    given = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
    width = {"COLUMNS": os.environ.get("COLUMNS", "80")}  # not that of the terminal in which the tests are run
    handlers = {each: signal.getsignal(each) for each in (signal.SIGPIPE, signal.SIGINT, signal.SIGTERM)}
    code = 0
    try:
        with (
            mock.patch.object(sys, "argv", command), mock.patch.object(sys, "stdin", given),
            mock.patch.dict(os.environ, width), mock.patch("atexit.register"),
            mock.patch.object(signals, "_asked", None), mock.patch.object(sys, "unraisablehook", sys.unraisablehook),
            contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err),
        ):  # fmt: skip
            main()
    except SystemExit as ended:
        code = int(ended.code or 0)
    finally:
        for each, handler in handlers.items():
            signal.signal(each, handler)
    return subprocess.CompletedProcess(command, code, said.getvalue().decode(encoding), told.getvalue().decode())


_parse, _application = App.parse_args, cache(application)
_PARSED: dict[tuple[str, ...], Any] = {}


@contextlib.contextmanager
def parsed_once() -> Iterator[None]:
    """Keep what the words of commands mean: to find out takes longer than most commands do on small files."""
    with mock.patch.object(App, "parse_args", _remembered), mock.patch.object(calling, "application", _application):
        yield


def _remembered(app: App, words: list[str], **options: Any) -> Any:
    if tuple(words) not in _PARSED:
        _PARSED[tuple(words)] = _parse(app, words, **options)
    function, bound, ignored = _PARSED[tuple(words)]
    return function, inspect.BoundArguments(bound.signature, copy.deepcopy(bound.arguments)), ignored


class Invoked(NamedTuple):
    """What a command gave, or the error that it raised."""

    exit_code: int
    stdout: str
    stderr: str
    exception: BaseException | None = None

    @property
    def output(self) -> str:
        """Results, then messages."""
        return self.stdout + self.stderr


def invoke(
    words: Sequence[object], *, input: str = "", catch_exceptions: bool = True, env: Mapping[str, str] | None = None
) -> Invoked:
    """What a command gives in this folder; errors that `main` would put in words are kept, or raised."""
    out, err = io.StringIO(), io.StringIO()
    stdin = io.TextIOWrapper(io.BytesIO(input.encode()), encoding="utf-8")
    arguments = [str(word) for word in words]
    with (
        mock.patch.object(sys, "argv", ["assay", *arguments]), mock.patch.object(sys, "stdin", stdin),
        mock.patch.dict(os.environ, env or {}), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err),
    ):  # fmt: skip
        try:
            code = call(arguments)
        except Exception as problem:
            if not catch_exceptions:
                raise
            return Invoked(1, out.getvalue(), err.getvalue(), problem)
    return Invoked(code, out.getvalue(), err.getvalue())


def explained(text: str) -> dict[str, Any]:
    """An explanation as JSON: its facts, its `steps` by name, and the facts of its parts."""
    sections: dict[str, Any] = json.loads(text)["sections"]
    return {**sections.pop("arithmetic"), **sections}
