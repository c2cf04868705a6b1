"""The command line: one module a command. Results go to stdout, messages to stderr.

Exit codes: 0 done, 1 the data say no, 2 the call or the input is wrong, 3 inconclusive.
"""

from __future__ import annotations

import atexit
import gc
import signal
import sys

import typer

from assay import __version__
from assay.cli import (
    audit,
    compare,
    convert,
    correlate,
    demo,
    doctor,
    evaluate,
    explain,
    gate,
    measures,
    plot,
    power,
    report,
    trec_eval,
)
from assay.errors import AssayError

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
    compare,
    report,
    gate,
    power,
    correlate,
    plot,
    measures,
    trec_eval,
    doctor,
    demo,
    convert,
):
    command.register(app)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"assay {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Show the version."),
) -> None:
    """Evaluate search systems against judgments; every rule named."""


def main() -> None:
    """Run the command line: one clear line for a wrong call or input, none for a closed pipe."""
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # whoever read our output has gone: end as other tools do
    # At its end Python looks through all objects once more for cycles of garbage, which takes longer than a small job.
    atexit.register(gc.freeze)
    try:
        app()
    except AssayError as problem:
        sys.stdout.flush()
        sys.stderr.write(f"assay: {problem}\n")
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
