"""Parts of a report in Markdown, as GitHub shows it: everything that comes from files is escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from assay.report.layout import Cell, Table, piped
from assay.show.legible import legible

if TYPE_CHECKING:
    from assay.reporting.contents import Provenance

_SPECIAL = re.compile(r"([\\`*_\[\]<>#|~&$])")
_BLANKS = re.compile(r"\s+")
# What begins a list, a rule or a title if a line begins with it.
_STARTS_A_BLOCK = re.compile(r"^([-+=]|\d+[.)])(?=\s|[-+=]|$)")


def escaped(text: str) -> str:
    r"""Text that Markdown shows as it is, on one line.

    >>> print(escaped("a_b <i>*"))
    a\_b \<i\>\*
    """
    line = _SPECIAL.sub(r"\\\1", _BLANKS.sub(" ", legible(text)).strip())
    return _STARTS_A_BLOCK.sub(lambda start: f"{start[0][:-1]}\\{start[0][-1]}", line)


def table(given: Table) -> str:
    """A pipe table with all of its text escaped; the best number of each column in bold."""
    lines = [
        piped([escaped(name) for name in (*given.names, *given.numbers)]),
        piped([*["---"] * len(given.names), *["---:"] * len(given.numbers)]),
    ]
    for names, cells in given.rows:
        lines.append(piped([*map(escaped, names), *(_cell(cell) for cell in cells)]))
    return "\n".join(lines)


def _cell(cell: Cell) -> str:
    text = legible(cell.text).replace("|", r"\|").replace("<", r"\<")
    return f"**{text}**" if cell.best else text


def with_title(title: str, blocks: Iterable[str]) -> Iterator[str]:
    """The blocks below a title; no title without a block."""
    kept = [block for block in blocks if block]
    if kept:
        yield f"## {title}"
        yield from kept


def listed_lines(lines: Iterable[str]) -> str:
    """A list; empty without lines."""
    return "\n".join(f"- {escaped(line)}" for line in lines)


def provenance_blocks(made: Provenance) -> Iterator[str]:
    """Command, inputs, settings and signatures."""
    yield escaped(f"Assay {made.version}, {made.made}, seed {made.seed}.")
    yield _code([made.command] if made.command else [])
    rows = tuple(((one.role, one.name, one.says, one.sha256 or "none"), ()) for one in made.inputs)
    yield table(Table(("input", "name", "what it is", "SHA-256"), (), rows)) if rows else ""
    yield table(Table(("setting", "value"), (), tuple((pair, ()) for pair in made.settings)))
    yield _code(made.signatures)


def _code(lines: Iterable[str]) -> str:
    text = "\n".join(_BLANKS.sub(" ", legible(line)) for line in lines)
    # A fence longer than any in the text cannot be closed from within.
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{fence}text\n{text}\n{fence}" if text else ""
