"""A diagnosis as a checklist: the verdict first, then what was found, file by file."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from assay.core.errors import number_of
from assay.report.layout import Table
from assay.report.titled import Titled
from assay.show.legible import on_one_line

if TYPE_CHECKING:
    from rich.console import Console

    from assay.diagnosis import Diagnosis, Finding

_SEVERAL, _SEVERAL_SYSTEMS = "several runs", "several systems"
_MARKS = {"error": "✗", "warning": "!", "note": "·"}
_STYLES = {"error": "bold red", "warning": "yellow", "note": "cyan"}
_LONGEST_LINE = 100
_INDENT = 2
#: Of a finding in many runs, so many are told in full, the worst first.
_TOLD_IN_FULL = 5
_MARKDOWN = re.compile(r"([\\`*_<>\[\]|#])")


class Group(NamedTuple):
    """What one check found in a file, or in several runs, the worst first."""

    findings: tuple[Finding, ...]

    @property
    def first(self) -> Finding:
        """The worst."""
        return self.findings[0]


class Section(NamedTuple):
    """A file, or several runs, and what was found there."""

    title: str
    groups: tuple[Group, ...]


class Line(NamedTuple):
    """A line of text below a finding, and what it is: a case, or advice."""

    text: str
    is_advice: bool = False


def sections(diagnosis: Diagnosis) -> list[Section]:
    """Findings by file; what one check found in several runs is put together."""
    runs: dict[tuple[str, str], list[Finding]] = {}
    for one in diagnosis.findings:
        if one.system is not None:
            runs.setdefault((one.check, one.severity), []).append(one)
    several = _SEVERAL_SYSTEMS if diagnosis.predictions else _SEVERAL
    shared = {key: found for key, found in runs.items() if len({one.system for one in found}) > 1}
    files: dict[str, list[Group]] = {}
    for one in diagnosis.findings:
        key = (one.check, one.severity)
        if one.system is None or key not in shared:
            # A run is a file; of the systems in a file of predictions it is told which one is meant.
            whose = one.system is not None and len(diagnosis.systems) > 1
            files.setdefault(f"{one.file}, {one.system}" if whose else one.file, []).append(Group((one,)))
        elif one is shared[key][0]:
            worst = sorted(shared[key], key=lambda finding: -finding.weight)
            files.setdefault(several, []).append(Group(tuple(worst)))
    first = [title for title in (diagnosis.judgments, several) if title in files]
    return [Section(title, tuple(files[title])) for title in dict.fromkeys((*first, *files))]


def verdict(diagnosis: Diagnosis) -> str:
    """What was looked at and how much was found, in one line."""
    made, passed = len(diagnosis.checks), len(diagnosis.passed)
    checks = f"{number_of('check', made)}" if made == passed else f"{passed} of {made} checks found nothing"
    rest = f"; {len(diagnosis.not_made)} not made" if diagnosis.not_made else ""
    return f"{diagnosis.subject}: {diagnosis.verdict} ({checks}{rest})"


def says(group: Group, diagnosis: Diagnosis) -> str:
    """The heading of a finding."""
    if len(group.findings) == 1:
        return group.first.says
    systems = len({one.system for one in group.findings})
    if diagnosis.predictions:
        return f"{systems} of {number_of('system', len(diagnosis.systems))}"
    return f"{systems} of {number_of('run', len(diagnosis.runs))}"


def below(group: Group) -> list[Line]:
    """The evidence and what to do, line by line."""
    said = []
    if len(group.findings) == 1:
        said += [Line(str(example)) for example in group.first.examples]
        more = group.first.count - len(group.first.examples)
        if group.first.examples and all(one.line for one in group.first.examples) and more > 0:
            said.append(Line(f"… and {more:,} more"))
    else:
        for one in group.findings[:_TOLD_IN_FULL]:
            first = f" ({one.examples[0]})" if one.examples and one.examples[0].line else ""
            said.append(Line(f"{one.system}: {one.says}{first}"))
        rest = dict.fromkeys(str(one.system) for one in group.findings[_TOLD_IN_FULL:])
        if rest:
            said.append(Line(f"also {', '.join(rest)}"))
    return [*said, Line(group.first.advice, is_advice=True)]


def show(diagnosis: Diagnosis, to: Console, *, every: bool = False) -> None:
    """Print the checklist; with `every`, the checks that found nothing, too."""
    from rich.text import Text  # noqa: PLC0415  # results that are never printed need no Rich

    width = min(to.width, _LONGEST_LINE)
    worst = diagnosis.findings[0].severity if diagnosis.findings else None
    to.print(Text(verdict(diagnosis), style="bold" if worst is None else f"bold {_STYLES[worst]}"))
    for section in sections(diagnosis):
        to.print()
        to.print(Text(section.title, style="bold"))
        for group in section.groups:
            for text, style in _printed(group, diagnosis, width):
                to.print(Text(text, style=style), no_wrap=True, overflow="ignore", crop=False)
    others = [("found nothing", "✓", diagnosis.passed), ("not made, for want of files", "-", diagnosis.not_made)]
    for title, mark, checks in others if every else ():
        if checks:
            to.print()
            to.print(Text(title, style="bold"))
        for check in checks:
            for text in _wrapped(f"{mark} {check.name}: {check.question}", width, _INDENT, _INDENT + 2):
                to.print(Text(text, style="dim"), no_wrap=True, overflow="ignore", crop=False)


def _printed(group: Group, diagnosis: Diagnosis, width: int) -> Iterator[tuple[str, str]]:
    one = group.first
    head = f"{_MARKS[one.severity]} {one.severity}: {says(group, diagnosis)} [{one.check}]"
    for text in _wrapped(head, width, _INDENT, _INDENT + 2):
        yield text, _STYLES[one.severity]
    for line in below(group):
        start = _INDENT + 2
        text = f"→ {line.text}" if line.is_advice else line.text
        for part in _wrapped(text, width, start, start + 2):
            yield part, "" if line.is_advice else "dim"


def _wrapped(text: str, width: int, first: int, others: int) -> list[str]:
    # Ids are never cut: whoever copies one wants it whole.
    return textwrap.wrap(
        text, width, initial_indent=" " * first, subsequent_indent=" " * others, break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip


def to_text(diagnosis: Diagnosis) -> str:
    """The checklist as plain text."""
    from assay.show.terminal import console  # noqa: PLC0415

    out = console(plain=True)
    with out.capture() as captured:
        show(diagnosis, out)
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


def to_markdown(diagnosis: Diagnosis) -> str:
    """The checklist as Markdown, a task a finding."""
    parts = [f"**{_plain(verdict(diagnosis))}**\n"]
    for section in sections(diagnosis):
        tasks = [f"\n### {_plain(section.title)}\n"]
        for group in section.groups:
            one = group.first
            tasks.append(f"- [ ] **{one.severity}** `{one.check}`: {_plain(says(group, diagnosis))}")
            tasks += [f"  - → {line.text}" if line.is_advice else f"  - {_plain(line.text)}" for line in below(group)]
        parts.append("\n".join(tasks) + "\n")
    return "".join(parts)


def _plain(text: str) -> str:
    """Text that Markdown shows as it is."""
    return _MARKDOWN.sub(r"\\\1", on_one_line(text))


def tables(diagnosis: Diagnosis) -> list[Titled]:
    """The findings, a row each."""
    if not diagnosis.findings:
        return []
    shown = diagnosis.to_frame().select("severity", "check", "file", "says")
    return [Titled("What was found", Table.of(shown))]


def lines(diagnosis: Diagnosis) -> list[str]:
    """The verdict."""
    return [verdict(diagnosis)]
