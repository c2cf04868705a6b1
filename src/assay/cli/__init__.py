"""The command line: options are declared once, commands loaded when called. Results to stdout, messages to stderr.

Exit codes: 0 done, 1 the data say no, 2 the call or the input is wrong (or Assay itself), 3 inconclusive.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
import traceback

from assay.cli.streams import prepare
from assay.core import signals
from assay.core.errors import AssayError, reason


def main() -> None:
    """Run the command line: one clear line for a wrong call or input, none for a closed pipe."""
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # whoever read our output has gone: end as other tools do
    signals.listen()  # what is half-written is taken away
    prepare()
    # Python looks for cycles of garbage again and again while modules are loaded: that takes longer than a small job.
    gc.set_threshold(100_000)
    try:
        from assay.cli.calling import call  # Ctrl-C while it is loaded ends quietly

        code = call(sys.argv[1:])
        sys.stdout.flush()
    except BaseException as problem:
        if signals.exit_code() is None:
            _explain(problem)
        code = 2
    sys.exit(signals.exit_code() or code)  # a library may have made something else of a signal


def _explain(problem: BaseException) -> None:
    """Say what went wrong; what asks for the end is raised again."""
    if isinstance(problem, AssayError):
        _say(str(problem))
    elif isinstance(problem, MemoryError):
        _say("there is too little memory for this")
    elif isinstance(problem, OSError):  # a full disk behind stdout, mostly
        where = f"{problem.filename}: " if problem.filename else ""
        _say(f"{where}reading or writing failed: {reason(problem)}")
    elif isinstance(problem, KeyboardInterrupt):
        sys.exit(130)
    elif isinstance(problem, Exception) or type(problem).__name__ == "PanicException":  # that is Polars'
        # 1 would be an answer, such as that quality fell; the traceback is for whoever reports the bug.
        from assay.show.legible import legible

        sys.stderr.write(legible("".join(traceback.format_exception(problem))))
        _say("this is a bug in assay: please report it with the lines above")
    else:
        raise problem


def _say(problem: str) -> None:
    """Say what is wrong in one line."""
    from assay.show.legible import on_one_line

    for stream, last in ((sys.stdout, ""), (sys.stderr, f"assay: {on_one_line(problem)}\n")):
        try:
            stream.write(last)
            stream.flush()
        except OSError:
            # Python would try once more at its end, and complain: what is left goes nowhere.
            with contextlib.suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
