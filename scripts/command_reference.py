"""Write the inputs and options of every command into docs/cli.md, from where they are declared.

    .venv/bin/python scripts/command_reference.py [--check]

What stands between `<!-- COMMAND -->` and `<!-- end -->` is made here, and so is the overview; all else on the page is
written by hand.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from assay.cli.commands import SUBJECTS, TOP, application, every_command
from assay.cli.help_pages import panels_of, usage_of
from assay.core.evaluation_options import INPUTS, OPTIONS

PAGE = Path(__file__).parents[1] / "docs" / "cli.md"
BLOCK = re.compile(r"<!-- (?P<command>[a-z -]+) -->\n(?P<body>.*?)<!-- end -->", re.DOTALL)
SECTIONS = {
    "Rules of counting": "#rules-of-counting",
    "Test": "#test",
    "Columns": "#columns",
    "Output": "#output",
}


def overview() -> str:
    """What each command does, with a link to where it is described."""
    groups = {"": TOP, **{f"{subject} ": verbs for subject, (_, verbs) in SUBJECTS.items()}}
    rows = [
        f"| [`assay {subject}{verb}`](#assay-{subject.strip()}{'-' * bool(subject)}{verb}) | {text} |"
        for subject, verbs in groups.items()
        for verb, (_, text) in verbs.items()
    ]
    return "\n".join(["| command | does |", "| --- | --- |", *rows, ""])


def block(command: str) -> str:
    """The usage of a command, its inputs and main options in a table, and the names of the others."""
    if command == "overview":
        return overview()
    app = application()
    panels = panels_of(app, command)
    rows = [f"| `{names}` | {text.replace('|', chr(92) + '|')} |" for names, text in panels[INPUTS] + panels[OPTIONS]]
    lines = ["```text", usage_of(app, command), "```", ""]
    if rows:
        lines += ["| input or option | meaning |", "| --- | --- |", *rows, ""]
    for title, entries in panels.items():
        if title in {INPUTS, OPTIONS}:
            continue
        heading = f"[{title}]({SECTIONS[title]})" if title in SECTIONS else title
        if title in SECTIONS:
            first = [re.findall(r"--[a-z-]+", names)[0] for names, _ in entries]
            lines += [f"{heading}: {', '.join(f'`{name}`' for name in first)}.", ""]
        else:
            lines += [f"{heading}:", "", "| option | meaning |", "| --- | --- |"]
            lines += [*(f"| `{names}` | {text} |" for names, text in entries), ""]
    return "\n".join(lines)


def main() -> None:
    """Write the page anew, or only say whether it is as it should be."""
    text = PAGE.read_text(encoding="utf-8")
    made = BLOCK.sub(lambda found: f"<!-- {found['command']} -->\n{block(found['command'])}<!-- end -->", text)
    lacking = [command for command in every_command() if f"<!-- {command} -->" not in text and command != "trec-eval"]
    if lacking:
        print(f"docs/cli.md lacks {', '.join(lacking)}")
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(made, encoding="utf-8")
    sys.exit(1 if lacking or ("--check" in sys.argv[1:] and made != text) else 0)


if __name__ == "__main__":
    main()
