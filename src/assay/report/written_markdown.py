"""A report in Markdown, as GitHub shows it: everything that comes from files is escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from assay.core.digits import number, numbers, short, signed
from assay.report.layout import Cell, Table, piped
from assay.report.written import (
    NOT_ALL_TRIED,
    bounds_table,
    coverage_table,
    marks,
    of_correction,
    power_sentences,
    systems_table,
    verdicts_table,
)
from assay.show.legible import legible

if TYPE_CHECKING:
    from assay.reporting.contents import ChangedQuery, Contents, Differences, Provenance, Queries, Ranked, Side

#: In a page to read, so many queries are listed; JSON and HTML have all.
_MOST_QUERIES = 20
_SPECIAL = re.compile(r"([\\`*_\[\]<>#|~&$])")
_BLANKS = re.compile(r"\s+")
# What begins a list, a rule or a title if a line begins with it.
_STARTS_A_BLOCK = re.compile(r"^([-+=]|\d+[.)])(?=\s|[-+=]|$)")
_FIRST: dict[bool | None, str] = {
    True: "the largest gain first",
    False: "the largest gain first; lower is better, so that a gain is a fall",
    None: "the largest rise first; neither a rise nor a fall is better",
}
_CHANGES = {"gained": "new", "lost": "lost", "up": "↑", "down": "↓", "same": "="}


def to_markdown(contents: Contents) -> str:
    """Verdicts first, then what they rest on."""
    return "\n\n".join(block for block in _blocks(contents) if block) + "\n"


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


def _blocks(contents: Contents) -> Iterator[str]:
    yield f"# {escaped(contents.title)}"
    yield f"{escaped(contents.lead)}."
    yield from (f"**{escaped(sentence)}**" for sentence in (*contents.summary, *contents.caveats))
    yield f"What to do: {escaped(str(contents.advice))}" if contents.advice else ""
    yield from with_title("Warnings", [listed_lines(contents.warnings)] if contents.warnings else [])
    yield from with_title("Verdicts", _verdicts(contents))
    yield "## Systems"
    yield table(systems_table(contents))
    is_bold = any(score.is_best for row in contents.systems for score in row.scores)
    legend = [*marks(contents), *(["in bold: the best number of a column"] if is_bold else [])]
    yield escaped("; ".join(legend)) + "." if legend else ""
    noticed = (f"{one.system} in place of {one.baseline}: {one.text}" for one in contents.noticed)
    yield from with_title("What users would notice", map(escaped, noticed))
    yield from with_title("Query by query", _queries(contents))
    yield from with_title("The queries that changed most", _changed(contents.changed))
    yield from with_title("Precision and recall", [_curves(contents)] if contents.curves else [])
    yield from with_title("What the scores rest on", _rests_on(contents))
    yield from with_title("What so many queries can show", [listed_lines(power_sentences(contents))])
    yield from with_title("Notes", [listed_lines(contents.notes)])
    yield from with_title("Methods", [escaped(contents.methods)])
    yield "\n".join(f"{number}. {escaped(one.entry)}" for number, one in enumerate(contents.references, 1))
    yield from with_title("How this report was made", provenance_blocks(contents.provenance))


def with_title(title: str, blocks: Iterable[str]) -> Iterator[str]:
    """The blocks below a title; no title without a block."""
    kept = [block for block in blocks if block]
    if kept:
        yield f"## {title}"
        yield from kept


def listed_lines(lines: Iterable[str]) -> str:
    """A list; empty without lines."""
    return "\n".join(f"- {escaped(line)}" for line in lines)


def _verdicts(contents: Contents) -> Iterator[str]:
    if not contents.verdicts:
        return
    yield table(verdicts_table(contents.verdicts))
    if any(one.caveat for one in contents.verdicts):
        yield escaped("* depends on unjudged documents")
    yield escaped(of_correction(contents))
    for one in contents.verdicts:
        yield escaped(f"{one.paragraph} {one.caveat}")


def _queries(contents: Contents) -> Iterator[str]:
    if contents.differences:
        first = contents.differences[0]
        yield from _differences(first, contents.higher_is_better(first.measure))
    elif contents.queries is not None:
        yield from _values(contents.queries)


def _differences(given: Differences, higher_is_better: bool | None) -> Iterator[str]:
    rows = given.queries
    yield escaped(f"{given.measure} of {given.system} and {given.baseline}, {_FIRST[higher_is_better]}.")
    half = _MOST_QUERIES // 2
    shown = rows if len(rows) <= _MOST_QUERIES else (*rows[:half], *rows[-half:])
    yield table(
        Table(
            ("query", "text"),
            (given.baseline, given.system, "difference"),
            tuple(
                (
                    (one.query_id, one.text),
                    (*map(Cell, numbers([one.baseline_value, one.value])), Cell(signed(one.difference))),
                )
                for one in shown
            ),
        )
    )
    if len(shown) < len(rows):
        yield f"{len(rows) - len(shown):,} in between are left out; the JSON and the HTML form have all."


def _values(given: Queries) -> Iterator[str]:
    shown = given.rows[:_MOST_QUERIES]
    rows = tuple(((one.query_id, one.text), tuple(Cell(number(value)) for value in one.values)) for one in shown)
    yield escaped(f"{given.measure}, query by query.")
    yield table(Table(("query", "text"), given.systems, rows))
    if len(shown) < len(given.rows):
        yield f"{len(given.rows) - len(shown):,} more are left out; the JSON form has all."


def _changed(queries: Iterable[ChangedQuery]) -> Iterator[str]:
    for one in queries:
        said = f"{one.query_id}: {one.text}" if one.text else one.query_id
        yield f"### {escaped(said)}"
        yield escaped(
            f"{one.measure}: {number(one.baseline.value)} with {one.baseline.system}, {number(one.system.value)} with "
            f"{one.system.system}, {signed(one.difference)}."
        )
        yield _side_by_side(one.baseline, one.system)
        if one.no_steps:
            yield escaped(f"There are no contributions by rank: {one.no_steps}.")


def _side_by_side(before: Side, after: Side) -> str:
    adds = [{step.rank: step.adds for step in side.steps} for side in (before, after)]
    ranks = range(1, 1 + max(len(before.ranking), len(after.ranking)))
    by_rank = [{one.rank: one for one in side.ranking} for side in (before, after)]
    lines = [
        piped(["rank", escaped(before.system), "grade", "adds", escaped(after.system), "grade", "adds", "change"]),
        piped(["---:", "---", "---:", "---:", "---", "---:", "---:", "---"]),
    ]
    for rank in ranks:
        cells = [str(rank)]
        for known, added in zip(by_rank, adds, strict=True):
            cells += _ranked(known.get(rank), added.get(rank))
        there = by_rank[1].get(rank)
        lines.append(piped([*cells, "" if there is None else _CHANGES[there.change]]))
    return "\n".join(lines)


def _ranked(one: Ranked | None, adds: float | None) -> list[str]:
    if one is None:
        return ["", "", ""]
    grade = "?" if one.grade is None else f"{one.grade:g}"
    said = f"{one.doc_id}: {one.title}" if one.title else one.doc_id
    return [escaped(said), grade, "" if adds is None else short(adds)]


def _curves(contents: Contents) -> str:
    levels = contents.curves[0].recall
    rows = tuple(
        ((one.system,), tuple(Cell(number(value)) for value in one.precision))
        for one in contents.curves
        if one.recall == levels
    )
    return table(Table(("precision at recall",), tuple(f"{level:g}" for level in levels), rows))


def _rests_on(contents: Contents) -> Iterator[str]:
    if contents.coverage:
        yield table(coverage_table(contents))
    if contents.bounds:
        yield "With other grades for unjudged documents, the numbers could be as low and as high as this:"
        yield table(bounds_table(contents))
        if not all(one.exact for one in contents.bounds):
            yield NOT_ALL_TRIED


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
