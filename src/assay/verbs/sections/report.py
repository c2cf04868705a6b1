"""`Report`: a document of its own about systems, to be saved in every form."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from assay.core import registry
from assay.core.errors import ParameterError
from assay.core.results import Result
from assay.files.atomic import check_target, write_texts
from assay.show.legible import on_one_line
from assay.show.model import Document, Prose, Section, Widget

#: Sentences of these styles say what was found; the others, what to do and what to mind.
_FOUND = {"claim", "plain"}
#: The forms of a report by the ending of the file's name.
FORMS = {".html": "html", ".md": "markdown", ".tex": "latex", ".json": "json"}


@dataclass(frozen=True, eq=False)
class Report(Result):
    """Verdicts, systems with intervals, queries or items, methods and provenance: sections of a document, as data."""

    kind = "report"

    made: Document

    def __repr__(self) -> str:
        return f"<Report {self.made.title!r}: {self.made.section('summary').lead}>"

    def __str__(self) -> str:
        """What was found, in words, and what that depends on."""
        summary = self.made.section("summary")
        parts = [each for part in summary.parts for each in (part.fallback if isinstance(part, Widget) else (part,))]
        lines = [line for part in parts if isinstance(part, Prose) and part.style in _FOUND for line in part.lines]
        return "\n".join(map(on_one_line, (*lines, *summary.data.get("caveats", ()))))

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is odd about the inputs."""
        return tuple(self.made.section("summary").data.get("warnings", ()))

    @property
    def notes(self) -> tuple[str, ...]:
        """What the report does not show, and why."""
        sections = [section for section in self.made.sections if section.name == "notes"]
        return tuple(line for section in sections for part in section.parts for line in getattr(part, "lines", ()))

    @property
    def advice(self) -> str:
        """What to do next, in a sentence; empty where there is nothing to compare."""
        advice = self.made.section("summary").data.get("advice") or {"text": ""}
        text, command = str(advice["text"]), advice.get("command")
        return f"{text.removesuffix('.')} ({command})." if command else text

    def _repr_html_(self) -> str:
        """What a notebook shows: what was found, and the main numbers."""
        summary = Section("summary", self.made.title, (Prose("", points=tuple(str(self).splitlines())),))
        tables = self.made.tables()
        main = tables.get("systems") or tables.get("measures")
        numbers = Section("numbers", parts=(main,) if main else ())
        text: str = registry.writer("html")(Document("report", (summary, numbers)))
        return text

    def document(self) -> Document:
        """The report as data."""
        return self.made

    def section(self, name: str) -> Section:
        """A section by its name."""
        return self.made.section(name)

    def table(self, name: str) -> pl.DataFrame:
        """The numbers of a table by its name."""
        return self.made.tables()[name].frame

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
        """Write the form that the name ends in (.html, .md, .tex, .json), whole or not at all.

        A file that was read is not replaced, unless `overwrite` says so.
        """
        return self.save_all([path], overwrite=overwrite)[0]

    def save_all(self, paths: Iterable[str | os.PathLike[str]], *, overwrite: bool = False) -> list[Path]:
        """Write several forms, each as its name ends, all of them or none."""
        wanted = [Path(path) for path in paths]
        write_texts({path: self._written(form_of(path)) for path in wanted}, overwrite=overwrite)
        return wanted


def check_targets(targets: Sequence[Path]) -> None:
    """Refuse names with unknown endings, places where nothing can be written, and the same file twice.

    >>> check_targets([Path("report.html"), Path("report.html")])
    Traceback (most recent call last):
    assay.core.errors.ParameterError: report.html: named twice; a report is written to different files
    """
    for target in targets:
        form_of(target)
        check_target(target)
        if [os.path.realpath(other) for other in targets].count(os.path.realpath(target)) > 1:
            raise ParameterError(f"{target}: named twice; a report is written to different files")


def form_of(path: str | os.PathLike[str]) -> str:
    """The form of a file of this name.

    >>> form_of("report.tex")
    'latex'
    """
    suffix = Path(path).suffix.lower()
    if suffix not in FORMS:
        raise ParameterError(f"{os.fspath(path)}: the name of a report ends in one of {', '.join(FORMS)}")
    return FORMS[suffix]
