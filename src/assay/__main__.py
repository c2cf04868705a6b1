"""The command `assay`, also `python -m assay`: what has to be right before the rest is loaded, which takes a while."""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import sys
from typing import NoReturn


def main() -> None:
    """Run the command line; Ctrl-C ends it quietly from the start; what is said to a closed stderr is swallowed."""
    # A closed stream leaves its number free, and the first file that is opened would take it.
    if sys.stdin is None:
        os.open(os.devnull, os.O_RDONLY)
    if sys.stdout is None:
        from assay.cli.streams import Closed  # noqa: PLC0415

        os.open(os.devnull, os.O_WRONLY)
        sys.stdout = Closed()
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115  # until the end
    interrupted = signal.getsignal(signal.SIGINT)
    if interrupted is signal.default_int_handler:
        signal.signal(signal.SIGINT, lambda *_: os._exit(130))  # nothing is written yet that could be left half done
    status = 2
    # Python takes down what was loaded piece by piece, which takes longer than a small job. What is registered first
    # runs last: by then, temporary files are gone.
    atexit.register(lambda: _leave(status))
    from assay.cli import main as run  # noqa: PLC0415  # loads everything
    from assay.core import signals  # noqa: PLC0415

    signal.signal(signal.SIGINT, interrupted)
    try:
        run()
    except SystemExit as end:
        signals.hold()
        status = end.code if isinstance(end.code, int) else 0
        raise


def _leave(status: int) -> NoReturn:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # commands have flushed what they printed, and said what failed
            stream.flush()
    from assay.core import signals  # noqa: PLC0415

    os._exit(signals.exit_code() or status)


if __name__ == "__main__":
    main()
