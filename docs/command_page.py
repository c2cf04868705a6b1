"""The page on the command line, from the declarations of commands and options.

The template, `cli.template.md`, is written by hand: prose and console sessions. Each of its marks, `<!-- COMMAND -->`,
becomes the usage and the options of that command, and `<!-- overview -->` the list of all commands.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from assay.cli.commands import SUBJECTS, TOP, application
from assay.cli.help_pages import panels_of, usage_of
from assay.core.evaluation_options import INPUTS, OPTIONS

TEMPLATE = Path(__file__).with_name("cli.template.md")
MARK = re.compile(r"^<!-- (?P<command>[a-z -]+) -->\n", re.MULTILINE)
#: Panels that have a section of their own at the end of the page.
SECTIONS = {
    "Rules of counting": "#rules-of-counting",
    "Test": "#test",
    "Columns": "#columns",
    "Output": "#output",
}


def page() -> str:
    """The template with its marks filled in, and groups of commands that it does not mention."""
    app, template = application(), TEMPLATE.read_text(encoding="utf-8")
    blocks = {"overview": overview()}
    page = MARK.sub(lambda mark: blocks.get(mark["command"]) or block(app, mark["command"]), template)
    return page + "".join(group(app, subject) for subject in SUBJECTS if f"\n## assay {subject}\n" not in template)


def group(app: Any, subject: str) -> str:
    """A group of commands, as its declaration describes it."""
    summary, verbs = SUBJECTS[subject]
    commands = (
        f"### assay {subject} {verb}\n\n{text}\n\n{block(app, f'{subject} {verb}')}"
        for verb, (_, text) in verbs.items()
    )
    return "\n".join([f"\n## assay {subject}\n\n{summary}\n", *commands])


def overview() -> str:
    """A table of all commands, with links to their sections."""
    groups = {"": TOP, **{f"{subject} ": verbs for subject, (_, verbs) in SUBJECTS.items()}}
    rows = [
        f"| [`assay {subject}{verb}`](#assay-{subject.strip()}{'-' * bool(subject)}{verb}) | {text} |"
        for subject, verbs in groups.items()
        for verb, (_, text) in verbs.items()
    ]
    return "\n".join(["| command | does |", "| --- | --- |", *rows, ""])


def block(app: Any, command: str) -> str:
    """The usage of a command, its inputs and main options in a table, and the names of the others."""
    panels = panels_of(app, command)
    lines = ["```text", usage_of(app, command), "```", ""]
    if rows := [*panels[INPUTS], *panels[OPTIONS]]:
        lines += table("input or option", rows)
    for title, entries in panels.items():
        if title in SECTIONS:
            names = [name for spellings, _ in entries for name in re.findall(r"--[a-z-]+", spellings)]
            lines += [f"[{title}]({SECTIONS[title]}): {', '.join(f'`{name}`' for name in names)}.", ""]
        elif title not in {INPUTS, OPTIONS}:
            lines += [f"{title}:", "", *table("option", entries)]
    return "\n".join(lines)


def table(heading: str, entries: list[tuple[str, str]]) -> list[str]:
    """The lines of a table of options."""
    rows = [f"| `{spellings}` | {text.replace('|', chr(92) + '|')} |" for spellings, text in entries]
    return [f"| {heading} | meaning |", "| --- | --- |", *rows, ""]


def write_page(path: Path) -> None:
    """Bring the page up to date; one that has not changed is left alone, so that it is not built again."""
    text = page()
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> ExtensionMetadata:
    app.connect("builder-inited", lambda app: write_page(Path(app.srcdir) / "cli.md"))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
