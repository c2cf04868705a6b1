"""Every kind of part and column is written in every form, whatever text stands in its cells."""

from __future__ import annotations

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import get_args

import polars as pl
import pytest
from cases import in_turn
from command import run_assay
from html_structure import problems_of

from assay.core import registry
from assay.show import data, html, latex, markdown, model, terminal
from assay.show.cells import WORDINGS, grid
from assay.show.figure import Axis, Figure, Mark, MarkKind, Panel, Scale, Series
from assay.show.model import (
    Column,
    Document,
    Kind,
    Part,
    Prose,
    References,
    Section,
    Style,
    Table,
    Task,
    Verdict,
    Widget,
    Work,
)

HOSTILE = {
    "script": "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "attribute": '" onmouseover="alert(1)" x=\'',
    "control codes": "\x1b[31mred\x1b[0m\x00\x07\x08\r\nnext\ttab\u2028line\u2029",
    "right to left": "\u202eevil\u202c שלום עולם مرحبا",
    "LaTeX": r"\input{/etc/passwd} $x$ 50% a_b #1 {x} ~ ^ & -- \\",
    "Markdown": "| a | **b** `c` [d](javascript:alert(1)) <i> # h\n- x\n1. y ~~z~~ $e$",
    "long": "w" * 5_000,
    "formula": '=HYPERLINK("http://x")',
    "braces": "{{ 7*7 }} {% raw %} {0} %s",
    "nothing": "",
}


def table(kind: Kind, text: str) -> Table:
    numbers = [0.25, 0.5, None]
    frame = pl.DataFrame(
        {
            "name": [text, "plain", text],
            "words": [text, None, "b"],
            "value": [text, "better", None] if kind in {"text", "link", "code", "verdict"} else numbers,
            "flag": [True, False, None],
            "low": [0.1, None, None],
            "high": [0.4, None, None],
            "place": ["there", text, None],
            "also": [text, "", None],
        }
    )
    column = Column(
        "flag" if kind == "flag" else "value",
        f"head {text}",
        kind,
        ends=("low", "high"),
        link="place" if kind == "link" else "",
        also="also",
        best="high" if kind in {"number", "percent"} else None,
        note=text,
        axis=Axis(0, 1) if kind == "interval" else None,
    )
    return Table("shown", frame, (Column("name"), column), text, (text,), fold=text)


@cache
def parts(text: str) -> dict[str, Part]:
    figures = {f"mark {kind}": figure(kind, text) for kind in get_args(MarkKind)}
    tables = {f"column {kind}": table(kind, text) for kind in get_args(Kind)}
    proses = {
        f"prose {style}": Prose(text, style, (text, "point") if style == "list" else (), text)
        for style in get_args(Style)
    }
    others: dict[str, Part] = {
        "verdict": Verdict(text, "good", text),
        "task": Task(text, "bad", text, "code", (text,), text),
        "widget": Widget("glance", {"claim": text, "sentences": [text], "links": [], "rest": 0}, (Prose(text),)),
        "references": References((Work("[1]", text, f"@misc{{key,\n  title = {{{text}}},\n}}"),)),
        "section": Section("inner", text, (Prose(text),), text, text, {"note": text}, "open", text),
    }
    return {**tables, **proses, **figures, **others}


def figure(kind: MarkKind, text: str) -> Figure:
    """A figure with marks of a kind, and the text wherever there is some."""
    frame = pl.DataFrame({"x": [0.0, 1.0], "y": [0.2, 0.8], "end": [0.4, 0.9], "who": [text, text], "dark": [0.1, 0.9]})
    end = "end" if kind in {"area", "bar", "rule"} else ""
    shade = "dark" if kind == "text" else ""
    mark = Mark(kind, frame, "x", "y", y2=end, series="who", label="who", tips=("who", "y"), shade=shade, dots=True)
    panel = Panel(Scale(text), Scale(text), (mark,), text)
    return Figure("drawn", (panel,), text, text, (text,), text, (Series(text, text),), text)


NAMES = list(parts(""))


def documents(name: str, text: str) -> Iterator[Document]:
    part = parts(text)[name]
    summary = Section("summary", parts=(Prose(text, "claim"), Prose(text, "warning", title="Mind this")), lead=text)
    for page in (True, False):
        yield Document("example", (summary, Section("shown", text, (part,), text, "short")), text, page, "Example")


@pytest.mark.parametrize("form", [form for form in registry.WRITERS if form != "csv"])
@pytest.mark.parametrize("hostile", HOSTILE)
def test_every_part_is_written_in_every_form_whatever_its_text(form: str, hostile: str) -> None:
    for name in NAMES:
        for document in documents(name, HOSTILE[hostile]):
            written = registry.writer(form)(document)
            CHECKS[form](written, document)


def check_text(written: str, _document: Document) -> None:
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", written)


def check_html(written: str, document: Document) -> None:
    assert "<script>alert" not in written
    assert "onerror=alert" not in re.sub(r"&[a-z#0-9]+;[^<]*", "", written)
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\u202a-\u202e]", written)
    assert "{{" not in written.replace("{{ 7*7 }}", "")
    assert "7*7" not in document.title or "7*7" in written
    assert not problems_of(written)


def check_markdown(written: str, _document: Document) -> None:
    check_text(written, _document)
    written = re.sub(r"^(`{3,})text\n.*?^\1$", "", written, flags=re.MULTILINE | re.DOTALL)  # what is to be typed
    rows = [line for line in written.splitlines() if line.startswith("| ")]
    assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) <= 1
    assert not re.search(r"(?<!\\)<(script|img|i)\b", written)


def check_latex(written: str, document: Document) -> None:
    check_text(written, document)
    code = "\n".join(line for line in written.splitlines() if not line.startswith("%"))
    assert r"\input{" not in code.replace(r"\textbackslash{}input\{", "")
    for row in re.findall(r"^.*\\\\$", code, flags=re.MULTILINE):
        assert len(re.findall(r"(?<!\\)&", row)) <= 1


def check_json(written: str, document: Document) -> None:
    loaded = json.loads(written, parse_constant=pytest.fail)
    assert set(loaded) == {"schema_version", "kind", "title", "sections"}
    assert loaded["title"] == document.title
    assert all(isinstance(section, dict) for section in loaded["sections"].values())


CHECKS = {
    "text": check_text,
    "html": check_html,
    "markdown": check_markdown,
    "latex": check_latex,
    "json": check_json,
}


@in_turn("kind", get_args(Kind))
def test_csv_holds_the_values_to_the_letter(kind: Kind) -> None:
    for text in HOSTILE.values():
        shown = Document("example", (Section("s", parts=(table(kind, text),)),))
        rows = list(csv.reader(io.StringIO(data.write_csv(shown), newline="")))
        assert rows[1][0] == text


def test_every_form_has_a_check() -> None:
    assert set(CHECKS) | {"csv"} == set(registry.WRITERS)


def test_every_kind_has_a_case() -> None:
    names = str(vars(model)["Part"]).split(" | ")  # a text, so that tables do not wait for figures
    assert {type(part).__name__ for part in parts("").values()} == set(names)
    assert set(WORDINGS) == set(get_args(Kind))
    assert {f"column {kind}" for kind in get_args(Kind)} | {f"prose {style}" for style in get_args(Style)} <= {*NAMES}


def test_a_widget_is_what_stands_for_it_in_forms_without_scripts() -> None:
    shown = Document("example", (Section("s", parts=(Widget("heat", None, (Prose("instead"),)),)),))
    for write in (terminal.write, markdown.write, latex.write, html.write):
        assert "instead" in write(shown)


def test_numbers_are_the_same_in_every_form() -> None:
    frame = pl.DataFrame({"system": ["a", "b"], "value": [0.99999, 1.0], "low": [-0.1, 0.2], "high": [0.5, None]})
    columns = (
        Column("system"),
        Column("value", kind="number", compared="column", best="low"),
        Column("value", "reach", "interval", signed=True, ends=("low", "high")),
    )
    shown = Document("example", (Section("s", parts=(Table("t", frame, columns),)),))
    texts = [cell.words for row in grid(next(iter(shown.tables().values()))).rows for cell in row]
    assert texts == ["a", "0.99999", "-0.1000 to +0.5000", "b", "1.00000", "NA"]
    for form in ("text", "markdown", "latex"):
        written = registry.writer(form)(shown).replace("$-$", "-")
        assert all(text in written for text in texts)
    assert "$-$0.1000 to +0.5000" in registry.writer("latex")(shown)
    assert "−0.1000 to +0.5000" in registry.writer("html")(shown)


def test_a_figure_is_xml() -> None:
    for text in HOSTILE.values():
        for kind in get_args(MarkKind):
            written = html.write(Document("example", (Section("s", parts=(figure(kind, text),)),)))
            root = ET.fromstring(written)  # which raises if it is not well formed
            assert [element.tag for element in root.iter() if element.tag.endswith("svg")]


def test_csv_gives_the_main_table_or_the_one_that_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.qrels").write_text("q1 0 d1 1\nq2 0 d2 1\n")
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 2.0 a\n")
    given = ("evaluate", "a.qrels", "a.run", "-m", "RR", "--quiet")
    assert run_assay(*given, "--csv", folder=tmp_path).stdout == "system,RR\na,0.5\n"
    coverage = run_assay(*given, "--csv", "--table", "coverage", folder=tmp_path).stdout
    assert coverage.startswith("system,topics,missing,ignored,")
    for wrong, why in ((("--csv", "--table", "covrage"), "did you mean coverage?"), (("--table", "x"), "with --csv")):
        refused = run_assay(*given, *wrong, folder=tmp_path)
        assert (refused.returncode, refused.stdout, why in refused.stderr) == (2, "", True)


def test_each_line_of_code_is_a_line_on_the_page() -> None:
    page = html.write(
        Document("test", (Section("s", "Made", (Prose("", "code", ("first", "second"), "Lines"),)),), page=True)
    )
    assert "first\nsecond</pre>" in page


def test_every_table_of_a_page_has_a_heading_that_people_see() -> None:
    frame = pl.DataFrame({"run": ["a"]})
    found, tau = Table.of("found", frame, "Share found"), Table.of("tau", frame, "Kendall's tau")
    alone, together = Section("alone", parts=(found,)), Section("together", parts=(Prose("Both."), found, tau))
    page = html.write(Document("example", (alone, together, Section("words", parts=(Prose("No table."),))), page=True))
    assert re.findall(r"<h([23])[^>]*>([^<]*)</h", page) == [
        ("2", "Share found"), ("3", "Share found"), ("3", "Kendall&#39;s tau"),
    ]  # fmt: skip
    assert re.findall(r'<li><a href="#(\w+)">', page) == ["alone"]


def test_tables_of_each_system_have_headings_and_notes_are_called_so() -> None:
    """What stands below a section without a title has headings, too; what the title of the page says is said once."""
    frame = pl.DataFrame({"run": ["a"]})
    systems = [Section(name, parts=(Table.of("classes", frame, f"{name}: classes"),)) for name in ("bayes", "words")]
    sections = (
        Section("top", parts=(Prose("Two systems", "claim"), Prose("On 20 items."))),
        Section("systems", parts=tuple(systems)),
        Section("again", parts=(Table.of("again", frame, "two systems"),)),
        Section("notes", parts=(Prose("One left out."),)),
    )
    page = html.write(Document("example", sections, title="Two systems", page=True))
    assert re.findall(r"<h([123])[^>]*>([^<]*)</h", page) == [
        ("1", "Two systems"), ("3", "bayes: classes"), ("3", "words: classes"), ("2", "Notes"),
    ]  # fmt: skip
    assert page.count("Two systems") == 2  # the heading, and the title of the window
    assert "On 20 items." in page


def test_a_table_named_like_a_measure_keeps_its_small_letter() -> None:
    frame = pl.DataFrame({"system": ["bm25"], "value": [0.5]})
    tables = [
        Table(name, frame, (Column("system"), Column("value", name, "number")), name) for name in ("nDCG@10", "bpref")
    ]
    page = html.write(Document("example", (Section("standings", parts=(*tables,)),), page=True))
    assert re.findall(r"<h3[^>]*>([^<]*)</h", page) == ["nDCG@10", "bpref"]


def test_what_is_to_be_typed_is_set_as_code_and_advice_has_one_mark() -> None:
    task = Task("note", "even", "id `<b>`", "ids", ("line 3",), "`assay compare` says <more>")
    warning = Prose("", "warning", ("scores rise: `assay doctor x` says more",), "Mind this")
    summary = Section("summary", parts=(warning,))
    page = html.write(Document("example", (summary, Section("s", parts=(task,))), page=True))
    assert "<li>scores rise: <code>assay doctor x</code> says more</li>" in page
    assert "id `&lt;b&gt;`" in page
    assert '<li>line 3</li><li class="to-do"><code>assay compare</code> says &lt;more&gt;</li>' in page
