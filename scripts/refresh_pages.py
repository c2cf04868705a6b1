"""Run the console sessions of README and docs anew, and write down what the terminal shows now.

    .venv/bin/python scripts/refresh_pages.py [PAGE...] [--check]

A session that still holds is left as it is, `...` included. In one that does not, the lines between two `...` are
replaced by the lines of the output that resemble them most, and the command is named: read the diff before you commit.
"""

from __future__ import annotations

import difflib
import doctest
import os
import re
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from command import run_assay  # noqa: E402
from test_docs import EXIT_CODE, PAGES, Command, files, lay_out, session, terminal, words  # noqa: E402


def output(command: Command, folder: Path) -> str:
    """What the terminal shows, blanks at line ends apart."""
    typed = words(command.text)
    if not typed:
        text = terminal(command.text, folder)
    else:
        names = (name for word in typed[1:] for name in files(word, folder))
        done = run_assay(*names, folder=folder, together=True)
        text = done.stdout + (f"exit code {done.returncode}\n" if command.text.endswith(EXIT_CODE) else "")
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


def resembling(wanted: list[str], lines: list[str]) -> list[str]:
    """The stretch of `lines` that is most like `wanted`, from its first matching line to its last."""
    matcher = difflib.SequenceMatcher(a="\n".join(wanted), b="\n".join(lines), autojunk=False)
    blocks = [block for block in matcher.get_matching_blocks() if block.size > 3]
    if not blocks:
        return wanted
    text = "\n".join(lines)
    first = text.count("\n", 0, blocks[0].b)
    last = text.count("\n", 0, blocks[-1].b + blocks[-1].size - 1)
    return lines[first : last + 1]


def refreshed(command: Command, folder: Path) -> str:
    """The output to write below a command: as it stands where it holds."""
    got = output(command, folder)
    if doctest.OutputChecker().check_output(command.shown, got, doctest.ELLIPSIS):
        return command.shown
    if "..." not in command.shown:
        return got
    parts = re.split(r"^\.\.\.\n", command.shown, flags=re.MULTILINE)
    lines = got.splitlines()
    return "...\n".join(
        "".join(f"{line}\n" for line in resembling(part.splitlines(), lines)) if part.strip() else part
        for part in parts
    )


def refresh(page: Path, check: bool) -> int:
    """How many sessions of a page no longer hold; they are rewritten unless only to be checked."""
    text, changed = page.read_text(encoding="utf-8"), 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "tea"
        lay_out(folder)
        for command in session(page):
            after = refreshed(command, folder)
            if after != command.shown:
                changed += 1
                print(f"{page.name}: $ {command.text}")
                head = f"$ {command.text}\n"
                text = text.replace(head + command.shown, head + after, 1)
    if changed and not check:
        page.write_text(text, encoding="utf-8")
    return changed


def main() -> None:
    """Refresh the pages that are named, or all."""
    os.environ |= {"NO_COLOR": "1", "COLUMNS": "80"}
    names = {Path(argument).name for argument in sys.argv[1:] if not argument.startswith("-")}
    check = "--check" in sys.argv[1:]
    changed = sum(refresh(page, check) for page in PAGES if not names or page.name in names)
    print(f"{changed} sessions {'no longer hold' if check else 'rewritten'}")
    sys.exit(1 if check and changed else 0)


if __name__ == "__main__":
    main()
