"""Documents as HTML: a page of its own that loads nothing from anywhere, or a part of one, for notebooks.

A page's policy lets nothing in but its own style and script, by their digests, so that no document could run anything
even if it got through unescaped. Markup stands in templates; what is put into them is escaped unless it is `Markup`.
"""

from __future__ import annotations

import base64
import hashlib
import math
import re
from dataclasses import replace
from functools import cache
from typing import Any, get_args

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from assay import __version__
from assay.core.words import MARKS
from assay.show import canvas, svg
from assay.show.cells import Cell, grid
from assay.show.figure import Axis, Figure, around
from assay.show.legible import legible, with_minus_signs
from assay.show.model import Column, Document, Prose, Section, Style, Table
from assay.show.svg import asset

_STYLES = ("theme.css", "style.css", "classifier.css", "cluster.css", "figure.css")
_SCRIPTS = ("script.js", "classifier.js")
#: The first part of a page, beside its title.
_SUMMARY = "summary"
#: Parts of a page that are called as they are named.
_NAMED = {"notes", "warnings"}
_TYPED = re.compile(r"`([^`]+)`")
_P = re.compile(r"\bp ([=<>]) (?=\d)")
# Letters that are written from right to left, and words of them one after the other.
_LEFTWARD = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
_LEFTWARD_WORDS = re.compile(rf"[{_LEFTWARD}][\w{_LEFTWARD}-]*(?:\s+[{_LEFTWARD}][\w{_LEFTWARD}-]*)*")
#: Tables of so few rows are kept on one sheet of paper; more rows than the second number scroll below their head; from
#: so many columns on, these stand closer together.
_SHORT, _TALL, _WIDE = 14, 24, 8
#: With more links than this, a figure can be skipped.
_CROWDED = 12


def write(document: Document) -> str:
    """The document: a page if it is one, else a part of a page.

    >>> shown = Document("example", (Section("s", "Note", (Prose("from -0.05 to <b>"),)),))
    >>> print(write(shown))
    <div class="assay"><h3>Note</h3><p>from −0.05 to &lt;b&gt;</p></div>
    """
    if not document.page:
        return legible(_squeezed(_template("fragment.html").render(document=document)))
    summary = next(filter(_is_summary, document.sections), Section(_SUMMARY))
    style, script = _put_together(_STYLES), _put_together(_SCRIPTS)
    text = _template("page.html").render(
        document=document,
        summary=summary,
        sections=[_titled(section, document) for section in document.sections if section is not summary],
        version=__version__,
        style=style,
        script=script,
        policy=(
            f"default-src 'none'; img-src data:; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
            "base-uri 'none'; form-action 'none'"
        ),
    )
    return legible(text) + "\n"


def sections(document: Document) -> Markup:
    """The sections as they stand on a page, for a page of somebody else that has the same styles.

    >>> shown = Document("example", (Section("s", "Note", (Prose("a"),)),))
    >>> print("".join(sections(shown).splitlines()))
    <section id="s" aria-labelledby="s-title"><div class="head"><h2 id="s-title">Note</h2></div><p>a</p></section>
    """
    text = _template("sections.html").render(sections=[_titled(section, document) for section in document.sections])
    return Markup(legible(text))


def styles() -> str:
    """The styles of a page, for files that several pages share."""
    return _put_together(_STYLES)


def scripts() -> str:
    """The scripts of a page."""
    return _put_together(_SCRIPTS)


def _is_summary(section: Section) -> bool:
    """True if a section stands beside the title of a page: a table has its place, and its heading, below."""
    return section.name == _SUMMARY and not any(isinstance(part, Table) for part in section.parts)


def prose(text: str) -> Markup:
    """A sentence of ours, its numbers with true minus signs; names in it that are written from right to left are set
    apart, so that what follows them stays in its place.

    >>> prose("from -0.05 to +0.1 (-3%) under the top-10")
    Markup('from −0.05 to +0.1 (−3%) under the top-10')
    >>> prose("say --noise -1")  # to be typed as it is
    Markup('say --noise -1')
    """
    text = with_minus_signs(text)
    if "p " in text:
        text = _P.sub("p\u00a0\\1\u00a0", text)
    safe = escape(text)
    return safe if text.isascii() else Markup(_LEFTWARD_WORDS.sub(r"<bdi>\g<0></bdi>", str(safe)))


def named(text: str) -> Markup:
    """Text from outside: escaped, and set apart so that its direction of writing does not reach what is around it.

    >>> named("<script>")
    Markup('<bdi>&lt;script&gt;</bdi>')
    """
    return Markup(f"<bdi>{escape(text)}</bdi>")


def coded(text: Markup) -> Markup:
    """A sentence of ours in which what is to be typed stands between backquotes.

    >>> coded(prose("say `--noise -1`"))
    Markup('say <code>--noise -1</code>')
    """
    return Markup(_TYPED.sub(r"<code>\1</code>", str(text)))


def slug(text: str) -> str:
    """A text as a part of an id.

    >>> slug("Methods paragraph"), slug("<x>")
    ('methods-paragraph', 'x')
    """
    return re.sub(r"[^a-z0-9]+", "-", text.lower())[:40].strip("-") or "text"


def _headed(section: Section) -> Section:
    """A section of a page without a title takes that of its only table; several tables have one each.

    >>> import polars as pl
    >>> table = Table.of("runs", pl.DataFrame({"run": ["a"]}), "what each run adds")
    >>> _headed(Section("contributions", parts=(table,))).title
    'What each run adds'
    """
    if section.title:
        return section
    if section.name in _NAMED:
        return replace(section, title=section.name.capitalize())
    parts = [_headed(part) if isinstance(part, Section) else part for part in section.parts]
    tables = [part for part in parts if isinstance(part, Table) and part.caption and not part.look]
    if len(tables) == 1 and not any(isinstance(part, Section) for part in parts):
        return replace(section, title=_heading(tables[0]))
    parts = [Section(part.name, _heading(part), (part,)) if part in tables else part for part in parts]
    return replace(section, parts=tuple(parts))


def _titled(section: Section, document: Document) -> Section:
    """A section of a page with its heading, and without what the title of the page says already."""
    claims = [Prose(document.title, style) for style in get_args(Style) if document.title]
    parts = [part for part in section.parts if part not in claims]
    headed = _headed(replace(section, parts=tuple(parts)))
    return replace(headed, title="") if headed.title == _capital(document.title) else headed


def _heading(table: Table) -> str:
    """The caption of a table as a heading; the name of a measure, as its column has it, stays as it is: nDCG."""
    is_name = any(column.head == table.caption for column in table.columns)
    return table.caption if is_name else _capital(table.caption)


def _capital(caption: str) -> str:
    """A caption as a heading; one that begins with the name of a system stays as it is."""
    return caption if ":" in caption else caption[:1].upper() + caption[1:]


def _squeezed(text: str) -> str:
    return re.sub(r">\s+<", "><", text).strip()


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("assay.show"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"prose": prose, "coded": coded, "named": named, "slug": slug}
    environment.globals |= {
        "rows_of": _rows_of,
        "size_of": _size_of,
        "draw": svg.draw,
        "standalone": svg.standalone,
        "drawings": canvas,
        "kind_of": _kind,
        "marks": MARKS,
        "is_crowded": _is_crowded,
    }
    return environment


def _template(name: str) -> Any:
    return _environment().get_template(name)


def _kind(part: Any) -> str:
    """The kind of a part, for templates."""
    return type(part).__name__.lower()


def _is_crowded(figure: Figure) -> bool:
    """True for so many links that readers who go from one to the next want to skip them."""
    marks = (mark for panel in figure.panels for mark in panel.marks)
    return sum(mark.frame.height for mark in marks if mark.link) > _CROWDED


def _size_of(table: Table) -> str:
    rows, columns = table.frame.height, len(table.columns)
    if rows <= _SHORT:
        height = "short"
    elif rows > _TALL:
        height = "tall"
    else:
        height = ""
    return f"{height} wide" if columns >= _WIDE else height


def _rows_of(table: Table) -> dict[str, Any]:
    """A table as its template takes it: heads, and rows of cells with what is drawn in them."""
    table = table.on_page()
    cells = grid(table, drawn=True)
    axes = [_axis(column, [row[place] for row in cells.rows]) for place, column in enumerate(cells.columns)]
    ids = table.frame[table.ids].to_list() if table.ids else [""] * len(cells.rows)
    marked = table.frame[table.marked].to_list() if table.marked else [False] * len(cells.rows)
    is_drawn = table.frame[table.drawn].to_list() if table.drawn else [True] * len(cells.rows)
    drawn = [
        [_drawn(row, *each) if draws else Markup() for each in zip(cells.columns, axes, row, strict=True)]
        for draws, row in zip(is_drawn, cells.rows, strict=True)
    ]
    return {
        "columns": list(zip(cells.columns, axes, strict=True)),
        "names": cells.names,
        "rows": [
            (name, is_marked, list(zip(cells.columns, row, drawings_of, strict=True)))
            for name, is_marked, row, drawings_of in zip(ids, marked, cells.rows, drawn, strict=True)
        ],
    }


def _axis(column: Column, cells: list[Cell]) -> Axis | None:
    """The axis that a column is drawn on: its own, or one that holds all of its intervals; None: it is not drawn."""
    if column.axis is not None or column.ends is None or column.kind == "estimate":
        return column.axis
    return around((end for cell in cells for end in (cell.value, cell.low, cell.high)), zero=column.signed)


def _drawn(row: tuple[Cell, ...], column: Column, axis: Axis | None, cell: Cell) -> Markup:
    """The drawing in a cell, beside or below its words, in the colour of the verdict of its row, if there is one."""
    if column.kind == "bar" and not math.isnan(cell.value):
        return canvas.shares({"filled": cell.value, "empty": 1 - cell.value}, cell.text, "meter")
    if axis is None:
        return Markup()
    reach = canvas.Reach(cell.value, cell.low, cell.high)
    title = f"{row[0].text}, {column.head}: {cell.words}"
    verdict = next((each.tone for each in row if each.tone and not each.mark), None)
    tone = cell.tone or verdict or "plain"
    tone = "even" if cell.mark and tone == "open" else tone  # higher and lower, which is neither good nor bad
    return canvas.whisker(axis, reach, title, tone, ground=cell.ground, band=column.band)


def _put_together(names: tuple[str, ...]) -> Markup:
    return Markup("\n".join(map(asset, names)))  # files of ours


def _digest(text: str) -> str:
    """The digest by which a policy lets one style or script in."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
