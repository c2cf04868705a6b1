"""Documents as LaTeX: a page compiles as it is, and its parts can be taken over into a paper."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from assay import __version__
from assay.show.cells import Cell, grid
from assay.show.legible import legible, on_one_line, with_minus_signs
from assay.show.model import Document, Part, Prose, References, Section, Table, Task, Verdict

_BLANKS = re.compile(r"\s+")
_ESCAPES = str.maketrans(
    {c: f"\\{c}" for c in "&%$#_{}"}
    | {c: f"${c}$" for c in "<>|"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    # Characters of our own sentences that fonts of pdfLaTeX do not have.
    | {"▲": r"$\blacktriangle$", "▼": r"$\blacktriangledown$", "≈": r"$\approx$", "±": r"$\pm$", "…": r"\ldots{}"}
    | {"↑": r"$\uparrow$", "↓": r"$\downarrow$", "−": "$-$", "×": r"$\times$", "→": r"$\rightarrow$"}
    | {"√": r"$\surd$", "²": "$^2$", "α": r"$\alpha$", "β": r"$\beta$", "ε": r"$\varepsilon$", "–": "--"}
    | {"\ufffd": r"\fbox{?}"}  # LuaLaTeX takes this one for a defect of the file
)
_PREAMBLE = r"""\documentclass{article}
\ifdefined\pdftexversion\usepackage[T1]{fontenc}\fi
\usepackage{booktabs,amssymb,graphicx}
\usepackage[margin=2cm]{geometry}"""
_ON_FONTS = "% Names in other scripts than the Latin one: compile with lualatex or xelatex and a font that has them."
_LONG_WORD = 16


def write(document: Document) -> str:
    """A page as a document; of anything else the tables, and its words as comments, for whoever writes the caption.

    >>> import polars as pl
    >>> scores = Table.of("scores", pl.DataFrame({"system": ["a_b"], "AP": [0.5]}))
    >>> print(write(Document("example", (Section("s", parts=(scores, Prose("On 2 topics."))),))).splitlines()[4])
    a\\_b & 0.5000 \\\\
    """
    if not document.page:
        say = _said if document.words == "text" else comment
        blocks = [block for section in document.sections for block in _fragment(section, say)]
        return "\n\n".join(filter(None, blocks)) + "\n"
    body = [rf"\section*{{{escaped(document.title)}}}"]
    body += [block for section in document.sections for block in _section(section, r"\section*")]
    text = "\n\n".join(block for block in body if block)
    head = f"% Made by Assay {__version__}\n{_ON_FONTS}\n{_PREAMBLE}"
    return f"{head}\n\\begin{{document}}\n\n{text}\n\n\\end{{document}}\n"


def _fragment(section: Section, say: Callable[[str], str]) -> Iterator[str]:
    """The tables of a section, and all its words as comments or as text."""
    if section.title:
        yield say(section.title)
    for part in section.still():
        if isinstance(part, Section):
            yield from _fragment(part, say)
        elif isinstance(part, Table):
            yield (f"{say(part.caption)}\n" if part.caption else "") + tabular(part)
            yield from map(say, part.notes)
        elif isinstance(part, Task | Verdict | Prose):
            yield "\n".join(map(say, part.lines))


def _said(text: str) -> str:
    """A line of an example."""
    return rf"{{\raggedright\noindent {_breakable(text)}\par}}"


def _section(section: Section, command: str) -> Iterator[str]:
    is_shown = section.paper and not section.long
    parts = [block for part in section.still() for block in _part(part)] if is_shown else []
    if not parts:
        return
    if section.title:
        yield rf"{command}{{{escaped(section.title)}}}"
    yield escaped(section.lead)
    yield from parts


def _part(part: Part) -> Iterator[str]:
    if isinstance(part, Section):
        yield from _section(part, r"\subsection*")
    elif isinstance(part, Table):
        table = part.at_most()
        caption = ". ".join(text.removesuffix(".") for text in (table.caption, *table.notes) if text)
        yield _floated(tabular(table), f"{caption}." if caption else "")
    elif isinstance(part, References):
        yield _bibliography(part)
    elif isinstance(part, Verdict):
        yield rf"\textbf{{{escaped(part.text)}}}"
    elif isinstance(part, Task):
        yield _prose(Prose(part.head, points=part.evidence))
    elif isinstance(part, Prose):
        yield _prose(part)


def _prose(prose: Prose) -> str:
    title = rf"\textbf{{{escaped(prose.title)}}} " if prose.title else ""
    if prose.style == "code":
        lines = "\n\n".join(map(_breakable, prose.lines))
        return f"\\begin{{raggedright}}\\footnotesize\n{title}{lines}\n\n\\end{{raggedright}}"
    if not prose.points:
        return title + escaped(prose.text)
    items = "\n".join(rf"\item {escaped(point)}" for point in prose.points)
    return f"{title}{escaped(prose.text)}\n\\begin{{itemize}}\n{items}\n\\end{{itemize}}"


def tabular(table: Table) -> str:
    """A booktabs table; the best number of each column in bold."""
    cells = grid(table)
    align = "".join("l" if place < cells.names else "r" for place in range(len(cells.columns)))
    rows = (" & ".join(map(_cell, row)) + r" \\" for row in cells.rows)
    heads = " & ".join(escaped(column.head) for column in cells.columns) + r" \\"
    return "\n".join(
        [rf"\begin{{tabular}}{{{align}}}", r"\toprule", heads, r"\midrule", *rows, r"\bottomrule", r"\end{tabular}"]
    )


def _cell(cell: Cell) -> str:
    return rf"\textbf{{{escaped(cell.words)}}}" if cell.best else escaped(cell.words)


def _floated(table: str, caption: str) -> str:
    """A table with its caption, no wider than the page."""
    above = rf"\caption{{{escaped(caption)}}}" + "\n" if caption else ""
    narrow = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
    return f"\\begin{{table}}[htbp]\n\\centering\\small\n{above}{narrow}\n{table}}}\n\\end{{table}}"


def _bibliography(references: References) -> str:
    """The list of references, and the same for BibTeX."""
    works = references.works
    keys = [re.sub(r"^@\w+\{([^,]+),.*", r"\1", work.bibtex, flags=re.DOTALL) for work in works]
    items = [rf"\bibitem{{{key}}} {escaped(work.entry)}" for key, work in zip(keys, works, strict=True)]
    entries = [f"% {legible(line)}" for work in works for line in work.bibtex.splitlines()]
    listed = "\n".join([rf"\begin{{thebibliography}}{{{len(items)}}}", *items, r"\end{thebibliography}"])
    return "\n".join([listed, "", "% The same for a BibTeX file:", *entries])


def escaped(text: str) -> str:
    r"""Text as LaTeX shows it, on one line, its numbers with true minus signs.

    >>> print(escaped("-0.05 ±0.01 of a_b, 50 %"))
    $-$0.05 $\pm$0.01 of a\_b, 50 \%
    """
    return _to_the_letter(with_minus_signs(on_one_line(text)))


def _to_the_letter(text: str) -> str:
    """The same for what is to be typed."""
    line = _BLANKS.sub(" ", on_one_line(text)).strip()
    return line.translate(_ESCAPES).replace("--", "-{}-")  # two hyphens would be one dash


def comment(text: str) -> str:
    """A comment, on one line."""
    return f"% {_BLANKS.sub(' ', on_one_line(text)).strip()}".replace("\ufffd", "?")


def _breakable(text: str) -> str:
    """Long words without blanks, such as digests and signatures, may be broken where they are long."""
    words = (
        r"\allowbreak{}".join(
            _to_the_letter(word[start : start + _LONG_WORD]) for start in range(0, len(word), _LONG_WORD)
        )
        for word in _BLANKS.sub(" ", text).split(" ")
    )
    return " ".join(words)
