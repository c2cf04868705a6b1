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
from typing import NoReturn

from assay.core.errors import AssayError, reason


def main() -> None:
    """Run the command line: one clear line for a wrong call or input, none for a closed pipe."""
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # whoever read our output has gone: end as other tools do
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # what is half-written is taken away
    # Python looks for cycles of garbage again and again while modules are loaded: that takes longer than a small job.
    gc.set_threshold(100_000)
    try:
        from assay.cli.calling import call  # noqa: PLC0415  # Ctrl-C while it is loaded ends quietly

        code = call(sys.argv[1:])
        sys.stdout.flush()
    except AssayError as problem:
        _end(str(problem))
    except OSError as problem:  # a full disk behind stdout, mostly
        where = f"{problem.filename}: " if problem.filename else ""
        _end(f"{where}reading or writing failed: {reason(problem)}")
    except KeyboardInterrupt:
        sys.exit(130)
    except BaseException as problem:
        if not isinstance(problem, Exception) and type(problem).__name__ != "PanicException":  # that is Polars'
            raise
        # 1 would be an answer, such as that quality fell; the traceback is for whoever reports the bug.
        from assay.show.legible import legible  # noqa: PLC0415  # `assay --help` need not wait for it

        sys.stderr.write(legible(traceback.format_exc()))
        _end("this is a bug in assay: please report it with the lines above")
    sys.exit(code)


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
