"""What reports on classifiers and on clusterings have alike in Markdown and in LaTeX."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from assay.report import estimates, written_latex, written_markdown
from assay.report.written_markdown import listed_lines, provenance_blocks, with_title

if TYPE_CHECKING:
    from assay.reporting.item_contents import ItemContents


def remarks(contents: ItemContents) -> list[str]:
    """The advice, a sentence each."""
    return [f"{one.system}: {one.says}" if one.system else one.says for one in contents.remarks]


def without_interval(contents: ItemContents, mark: str = "–") -> list[str]:
    """Why numbers have no interval, where that is known; a sentence a reason."""
    found = ((one.measure, row.system, one.no_interval) for row in contents.systems for one in row.estimates)
    return list(estimates.without_interval(found, len(contents.systems), mark))


def as_markdown(contents: ItemContents, body: Iterable[str]) -> str:
    """What the systems are worth, then what that rests on: `body` are the tables between the two."""
    return "\n\n".join(block for block in _blocks(contents, body) if block) + "\n"


def _blocks(contents: ItemContents, body: Iterable[str]) -> Iterator[str]:
    escaped = written_markdown.escaped
    yield f"# {escaped(contents.title)}"
    yield f"{escaped(contents.lead)}."
    yield from (f"**{escaped(sentence)}**" for sentence in contents.summary)
    yield from with_title("What to know", [listed_lines(remarks(contents))])
    yield from with_title("Warnings", [listed_lines(contents.warnings)])
    yield from body
    yield from with_title("Notes", [listed_lines(contents.notes)])
    yield from with_title("Methods", [escaped(contents.methods)])
    yield "\n".join(f"{place}. {escaped(one.entry)}" for place, one in enumerate(contents.references, 1))
    yield from with_title("How this report was made", provenance_blocks(contents.provenance))


def as_latex(contents: ItemContents, body: Iterable[str]) -> str:
    """The summary, the tables (`body`), the methods, the references and BibTeX entries for them."""
    return written_latex.whole(contents.provenance, _parts(contents, body))


def _parts(contents: ItemContents, body: Iterable[str]) -> Iterator[str]:
    escaped, paragraphs = written_latex.escaped, written_latex.paragraphs
    yield rf"\section*{{{escaped(contents.title)}}}" + f"\n{escaped(contents.lead)}."
    yield escaped(" ".join(contents.summary))
    yield from paragraphs("What to know", [f"{text}." for text in remarks(contents)])
    yield from body
    yield from paragraphs("Notes", [*contents.warnings, *contents.notes])
    yield r"\section*{Methods}" + f"\n{escaped(contents.methods)}"
    yield from written_latex.references_part(contents.references)
    yield from written_latex.provenance_part(contents.provenance)
    yield r"\end{document}"
