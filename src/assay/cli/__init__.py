"""The command line: one module a command. Results go to stdout, messages to stderr.

Exit codes: 0 done, 1 the data say no, 2 the call or the input is wrong (or Assay itself), 3 inconclusive.
"""

from __future__ import annotations

import atexit
import contextlib
import copy
import gc
import os
import signal
import sys
import traceback
from typing import NoReturn

import typer

from assay import __version__
from assay.cli import (
    audit,
    classify,
    cluster,
    compare,
    convert,
    correlate,
    crossval,
    demo,
    doctor,
    evaluate,
    examples,
    explain,
    extract,
    gate,
    measures,
    plot,
    power,
    report,
    thresholds,
    trec_eval,
)
from assay.cli.output import with_common_options
from assay.cli.wording import Options
from assay.core.arguments import speaking
from assay.core.errors import AssayError

app = typer.Typer(
    name="assay",
    help="Evaluate search systems against judgments; every rule named.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    evaluate,
    explain,
    audit,
    classify,
    cluster,
    compare,
    report,
    gate,
    power,
    correlate,
    crossval,
    extract,
    thresholds,
    plot,
    measures,
    trec_eval,
    doctor,
    demo,
    examples,
    convert,
):
    command.register(app)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"assay {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    context: typer.Context,
    version: bool = typer.Option(  # noqa: ARG001  # its callback answers
        False, "--version", callback=_version, is_eager=True, help="Show the version."
    ),
) -> None:
    """Evaluate search systems against judgments; every rule named."""
    context.with_resource(speaking(Options()))


def main() -> None:
    """Run the command line: one clear line for a wrong call or input, none for a closed pipe."""
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # whoever read our output has gone: end as other tools do
    # At its end Python looks through all objects once more for cycles of garbage, which takes longer than a small job.
    atexit.register(gc.freeze)
    try:
        _called(sys.argv[1:])()
    except AssayError as problem:
        _end(str(problem))
    except OSError as problem:  # a full disk behind stdout, mostly
        where = f"{problem.filename}: " if problem.filename else ""
        _end(f"{where}reading or writing failed: {(problem.strerror or str(problem)).lower()}")
    except KeyboardInterrupt:
        sys.exit(130)
    except BaseException as problem:
        if not isinstance(problem, Exception) and type(problem).__name__ != "PanicException":  # that is Polars'
            raise
        # 1 would be an answer, such as that quality fell; the traceback is for whoever reports the bug.
        from assay.show.legible import legible  # noqa: PLC0415  # `assay --help` need not wait for it

        sys.stderr.write(legible(traceback.format_exc()))
        _end("this is a bug in assay: please report it with the lines above")


def _called(arguments: list[str]) -> typer.Typer:
    """The app with the one command that is called: to make all of them ready takes longer than a small job."""
    wanted = [command for command in app.registered_commands if command.name in arguments[:1]]
    if not wanted:
        return app
    alone = copy.copy(app)
    alone.registered_commands = [copy.copy(command) for command in wanted]
    for command in alone.registered_commands:
        command.callback = with_common_options(command.callback) if command.callback else None
    return alone


def _end(problem: str) -> NoReturn:
    """Say what is wrong in one line, and leave with exit code 2."""
    from assay.show.legible import on_one_line  # noqa: PLC0415

    for stream, last in ((sys.stdout, ""), (sys.stderr, f"assay: {on_one_line(problem)}\n")):
        try:
            stream.write(last)
            stream.flush()
        except OSError:
            # Python would try once more at its end, and complain: what is left goes nowhere.
            with contextlib.suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    sys.exit(2)
