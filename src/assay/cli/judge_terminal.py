"""Judging at a terminal: keys come in one by one, the screen is drawn anew after each; plain: line by line."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import sys
from collections.abc import Iterable, Iterator

from assay.cli.judge_screen import document_lines, frame, help_lines, hit_line, plain_lines, question, topic_lines
from assay.cli.judge_session import Left, Session
from assay.core.errors import InputError
from assay.show.legible import legible, on_one_line

#: What terminals send for keys that are no characters.
_KEYS = {
    "\x1b[A": "up", "\x1b[B": "down", "\x1bOA": "up", "\x1bOB": "down", "\x1b[5~": "pageup", "\x1b[6~": "pagedown",
    "\x1b[H": "home", "\x1bOH": "home", "\x1b[1~": "home", "\x1b[F": "end", "\x1bOF": "end", "\x1b[4~": "end",
    "\r": "enter", "\n": "enter", "\x7f": "backspace", "\x08": "backspace", "\x1b": "escape",
}  # fmt: skip
#: How long the rest of what a key sends may take, in seconds.
_REST = 0.05
#: How soon a screen of another size is drawn, in seconds.
_RESIZED = 0.5


def judge_on_screen(session: Session) -> None:
    """Let somebody judge on the whole screen, until they leave or nothing is left."""
    if not sys.stdin.isatty() or not sys.stdout.isatty():
        raise InputError("judging needs a terminal for keys and screen; --plain reads lines instead")
    session.start()
    colour = "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    with _raw(sys.stdin.fileno()), _until_left(session):
        while True:
            size = shutil.get_terminal_size()
            lines = frame(session, size.columns, size.lines, colour=colour)
            sys.stdout.write("\x1b[H" + "".join(f"{line}\x1b[K\r\n" for line in lines[:-1]) + f"{lines[-1]}\x1b[J")
            sys.stdout.flush()
            while shutil.get_terminal_size() == size:
                if select.select([sys.stdin], [], [], _RESIZED)[0]:
                    for key in _keys(sys.stdin.fileno()):
                        session.press(key)
                    break
    sys.stdout.write(f"{session.pace()}.\n")


def judge_in_lines(session: Session) -> None:
    """Let somebody judge line by line: for screen readers, slow lines, and scripts."""
    session.start()
    if hasattr(signal, "siginterrupt"):  # Polars takes up a line that Ctrl-C has interrupted as if nothing had come
        signal.siginterrupt(signal.SIGINT, True)
    is_new, topic = True, ""
    with _until_left(session):
        while True:
            if is_new:
                _write(plain_lines(session, topic=topic))
                topic = session.task.topic_id if session.task else ""
            sys.stdout.write("> ")
            sys.stdout.flush()
            line = sys.stdin.readline()
            if not line:
                session.leave()
            before = session.task, len(session.given)
            _answer(session, line.strip())
            if session.message:
                _write([on_one_line(session.message)])
            is_new = (session.task, len(session.given)) != before
    sys.stdout.write(f"{session.pace()}.\n")


def _answer(session: Session, line: str) -> None:
    """What a line says: a key, or a note or a search with its text behind it; an empty one: the document again."""
    session.message = ""
    word, _, rest = line.partition(" ")
    if session.mode == "done":
        session.press(word)
    elif word in {"n", "/"}:
        session.press(word)
        session.typed = rest.strip()
        session.press("enter")
        _write([hit_line(session)] if word == "/" and session.hit >= 0 else [])
    elif word in {"j", "k"}:
        session.press(word)
        _write([hit_line(session)])
    elif word == "?":
        _write([*help_lines(session), "", "An empty line reads the document again.", question(session)])
    elif word == "h":
        guidelines = session.task.guidelines if session.task else ""
        _write([legible(guidelines) or "This project has no guidelines."])
    elif word == "t":
        _write(topic_lines(session))
    elif word:
        session.press(word)
    else:
        _write(document_lines(session))


def _write(lines: Iterable[str]) -> None:
    sys.stdout.writelines(f"{line}\n" for line in lines)


@contextlib.contextmanager
def _until_left(session: Session) -> Iterator[None]:
    """Let somebody judge until they leave; to interrupt is to leave."""
    with contextlib.suppress(Left):
        try:
            yield
        except KeyboardInterrupt:
            session.leave()


@contextlib.contextmanager
def _raw(terminal: int) -> Iterator[None]:
    """Take keys as they come, on a screen of one's own; the terminal is left as it was, whatever happens."""
    import termios  # Windows has none, and judges in lines
    import tty

    before = termios.tcgetattr(terminal)
    try:
        tty.setcbreak(terminal)
        sys.stdout.write("\x1b[?1049h\x1b[?25l")
        yield
    finally:
        sys.stdout.write("\x1b[?25h\x1b[?1049l")
        sys.stdout.flush()
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def _keys(terminal: int) -> Iterator[str]:
    """The keys that were pressed: characters, and names of others; a character may come in pieces."""
    data = os.read(terminal, 1024)
    if not data:
        raise Left
    while select.select([terminal], [], [], _REST if data[:1] == b"\x1b" or data[-1] >= 0x80 else 0)[0]:
        more = os.read(terminal, 1024)
        if not more:
            break
        data += more
    text = data.decode("utf-8", "replace")
    while text:
        known = next((code for code in sorted(_KEYS, key=len, reverse=True) if text.startswith(code)), None)
        if known is None and text[0] == "\x1b":
            return  # a key that means nothing here
        if known == "\x1b" and len(text) > 1:
            return
        yield _KEYS[known] if known else text[0]
        text = text[len(known) if known else 1 :]
