"""Documents as Markdown, as GitHub shows it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from assay.show.cells import Cell, grid
from assay.show.legible import legible, on_one_line
from assay.show.model import Document, Part, Prose, References, Section, Table, Task, Verdict

_BLANKS = re.compile(r"\s+")
# A low line within a word means nothing.
_SPECIAL = re.compile(r"([\\`*\[\]<>#|~&$]|(?<![^\W_])_|_(?![^\W_]))")
_INTERVAL = re.compile(r"\\\[(-?\d[\d.]*%?, -?\d[\d.]*%?)\\\](?![(:]|\\\[)")
# What begins a list, a rule or a title if a line begins with it.
_STARTS_A_BLOCK = re.compile(r"^([-+=]|\d+[.)])(?=\s|[-+=]|$)")


def write(document: Document) -> str:
    """The document; a page with headings, anything else with its titles in bold.

    >>> import polars as pl
    >>> scores = Table.of("scores", pl.DataFrame({"a|b": ["x"], "AP": [0.5]}))
    >>> print(write(Document("example", (Section("s", parts=(scores,)),))), end="")
    | a\\|b | AP |
    | --- | ---: |
    | x | 0.5000 |
    """
    blocks = [f"# {escaped(document.title)}"] if document.page else []
    for section in document.sections:
        blocks += _section(section, 2 if document.page else 0)
    return "\n\n".join(block for block in blocks if block) + "\n"


def _section(section: Section, level: int) -> Iterator[str]:
    parts = [] if section.long else [block for part in section.still() for block in _part(part, level)]
    if not parts:
        return
    if section.title:
        yield f"{'#' * level} {escaped(section.title)}" if level else f"**{escaped(section.title)}**"
    yield escaped(section.lead)
    yield from parts


def _part(part: Part, level: int) -> Iterator[str]:
    if isinstance(part, Section):
        yield from _section(part, level and level + 1)
    elif isinstance(part, Table):
        yield f"**{escaped(part.caption)}**" if part.caption else ""
        part = part.at_most()
        yield table(part)
        yield from map(escaped, part.notes)
    elif isinstance(part, Verdict):
        yield f"## {escaped(part.heading)}" if part.heading else ""
        yield escaped(part.text) if part.heading else f"**{escaped(part.text)}**"
    elif isinstance(part, Task):
        head = f"**{escaped(part.word)}** `{part.code}`: {escaped(part.text)}" if part.code else escaped(part.text)
        yield "\n".join([f"- [ ] {head}", *(f"  - {escaped(line)}" for line in part.evidence)])
    elif isinstance(part, References):
        yield "\n".join(f"{place}. {escaped(work.entry)}" for place, work in enumerate(part.works, 1))
    elif isinstance(part, Prose):
        yield from _prose(part)


def _prose(prose: Prose) -> Iterator[str]:
    yield f"**{escaped(prose.title)}**" if prose.title else ""
    if prose.style == "code":
        yield code(prose.lines)
    elif prose.points:
        yield escaped(prose.text)
        yield "\n".join(f"- {escaped(point)}" for point in prose.points)
    else:
        text = escaped(prose.text)
        yield {"claim": f"**{text}**", "fine": f"<sub>{text}</sub>"}.get(prose.style, text)


def table(rows: Table) -> str:
    """A pipe table; the best number of each column in bold."""
    cells = grid(rows)
    lines = [
        piped([escaped(column.head) for column in cells.columns]),
        piped(["---" if place < cells.names else "---:" for place in range(len(cells.columns))]),
    ]
    return "\n".join([*lines, *(piped([_cell(cell) for cell in row]) for row in cells.rows)])


def _cell(cell: Cell) -> str:
    text = escaped(cell.words)
    return f"**{text}**" if cell.best else text


def escaped(text: str) -> str:
    """Text that Markdown shows as it is.

    >>> print(escaped("a_b _b_ *c* <d> [e] [0.5, 0.75]"), escaped("1. first"))
    a_b \\_b\\_ \\*c\\* \\<d\\> \\[e\\] [0.5, 0.75] 1\\. first
    """
    line = _SPECIAL.sub(r"\\\1", _BLANKS.sub(" ", on_one_line(text)).strip())
    line = _INTERVAL.sub(r"[\1]", line)
    return _STARTS_A_BLOCK.sub(lambda start: f"{start[0][:-1]}\\{start[0][-1]}", line)


def piped(cells: Sequence[str]) -> str:
    """A row of a pipe table."""
    return f"| {' | '.join(cells)} |"


def code(lines: Iterable[str]) -> str:
    """Lines to be typed, or copied, as they are."""
    text = "\n".join(_BLANKS.sub(" ", legible(line)) for line in lines)
    # A fence longer than any in the text cannot be closed from within.
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{fence}text\n{text}\n{fence}" if text else ""
