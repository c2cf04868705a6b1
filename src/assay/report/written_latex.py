"""A report in LaTeX: a document that compiles as it is, whose parts can be taken over into a paper."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from assay.report.layout import Cell, Table, latex
from assay.show.legible import legible

if TYPE_CHECKING:
    from assay.reporting.contents import Provenance, Reference

_BLANKS = re.compile(r"\s+")
#: Characters of our own sentences that fonts of pdfLaTeX do not have.
_SYMBOLS = {
    "▲": r"$\blacktriangle$", "▼": r"$\blacktriangledown$", "≈": r"$\approx$", "±": r"$\pm$", "…": r"\ldots{}",
    "↑": r"$\uparrow$", "↓": r"$\downarrow$",
    "\ufffd": r"\fbox{?}",  # LuaLaTeX takes this one for a defect of the file
}  # fmt: skip
_PREAMBLE = r"""\documentclass{article}
\ifdefined\pdftexversion\usepackage[T1]{fontenc}\fi
\usepackage{booktabs,amssymb,graphicx}
\usepackage[margin=2cm]{geometry}"""
# What the fonts of pdfLaTeX have besides the Latin script: dashes, quotes, daggers, bullets, dots and such.
_KNOWN = set("–—‘’‚“”„†‡•…‰‹›€™")
_LATIN = 0x17F


def whole(made: Provenance, parts: Iterable[str]) -> str:
    """A document of these parts, with its head."""
    head, body = ("\n\n".join(filter(None, part)) for part in (_head(made), parts))
    return f"{head}\n{_boxes(body)}\\begin{{document}}\n\n{body}\n"


def _boxes(text: str) -> str:
    """Definitions by which pdfLaTeX shows characters that its fonts lack as their numbers, in a box."""
    lines = [line for line in text.splitlines() if not line.startswith("%")]
    foreign = sorted({letter for line in lines for letter in line if ord(letter) > _LATIN and letter not in _KNOWN})
    if not foreign:
        return ""
    defined = (
        rf"\DeclareUnicodeCharacter{{{ord(letter):04X}}}{{\fbox{{\tiny {ord(letter):04X}}}}}" for letter in foreign
    )
    return "\n".join([r"\ifdefined\pdftexversion", *defined, r"\fi", ""])


def escaped(text: str) -> str:
    r"""Text as LaTeX shows it, on one line.

    >>> print(escaped("±0.01 of a_b"))
    $\pm$0.01 of a\_b
    """
    shown = latex(_BLANKS.sub(" ", legible(text)).strip())
    return "".join(_SYMBOLS.get(character, character) for character in shown)


def tabular(table: Table) -> str:
    """A booktabs table; the best number of each column in bold."""
    lines = [
        rf"\begin{{tabular}}{{{'l' * len(table.names)}{'r' * len(table.numbers)}}}",
        r"\toprule",
        " & ".join(map(escaped, (*table.names, *table.numbers))) + r" \\",
        r"\midrule",
        *(" & ".join([*map(escaped, names), *map(_cell, cells)]) + r" \\" for names, cells in table.rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines)


def _cell(cell: Cell) -> str:
    return rf"\textbf{{{escaped(cell.text)}}}" if cell.best else escaped(cell.text)


def _head(made: Provenance) -> Iterator[str]:
    yield _comment(f"Made by Assay {made.version}, {made.made}" + (f", by: {made.command}" if made.command else ""))
    yield "% Names in other scripts than the Latin one: compile with lualatex or xelatex and a font that has them."
    yield _PREAMBLE


def floated(table: str, caption: str) -> str:
    """A table with its caption, no wider than the page."""
    return "\n".join(
        [
            r"\begin{table}[htbp]",
            r"\centering\small",
            rf"\caption{{{escaped(caption)}}}",
            r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
            f"{table}}}",
            r"\end{table}",
        ]
    )


def paragraphs(title: str, lines: list[str]) -> Iterator[str]:
    """Lines below a title; no title without a line."""
    if lines:
        yield rf"\section*{{{title}}}" + "\n" + "\n\n".join(map(escaped, lines))


def references_part(references: Sequence[Reference]) -> Iterator[str]:
    """The list of references, and the same for BibTeX."""
    if not references:
        return
    keys = [re.sub(r"^@\w+\{([^,]+),.*", r"\1", one.bibtex, flags=re.DOTALL) for one in references]
    items = [rf"\bibitem{{{key}}} {escaped(one.entry)}" for key, one in zip(keys, references, strict=True)]
    widest = len(items)
    yield "\n".join([rf"\begin{{thebibliography}}{{{widest}}}", *items, r"\end{thebibliography}"])
    entries = "\n".join(one.bibtex for one in references)
    yield "% The same for a BibTeX file:\n" + "\n".join(f"% {line}" for line in entries.splitlines())


def provenance_part(made: Provenance) -> Iterator[str]:
    """Version, seed, inputs with digests, and signatures."""
    lines = [f"Assay {made.version}, {made.made}, seed {made.seed}."]
    lines += [f"{one.role}: {one.name} ({one.says}), SHA-256 {one.sha256 or 'none'}" for one in made.inputs]
    yield (
        r"\section*{How this was made}"
        + "\n\\begin{raggedright}\\footnotesize\n"
        + "\n\n".join(map(_breakable, [*lines, *made.signatures]))
        + "\n\n\\end{raggedright}"
    )


def _breakable(text: str) -> str:
    """Long words without blanks, such as digests and signatures, may be broken where they are long."""
    words = (
        r"\allowbreak{}".join(escaped(word[start : start + 16]) for start in range(0, len(word), 16))
        for word in _BLANKS.sub(" ", text).split(" ")
    )
    return " ".join(words)


def _comment(text: str) -> str:
    return f"% {_BLANKS.sub(' ', legible(text)).strip()}".replace("\ufffd", "?")
