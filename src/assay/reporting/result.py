"""`Report`: what is known about systems, to be written in every form."""

from __future__ import annotations

import html
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Protocol

from assay.core.errors import ParameterError
from assay.files.atomic import write_texts
from assay.report.layout import Table
from assay.report.written import as_json_text, systems_table
from assay.reporting.contents import Contents
from assay.show.legible import legible, on_one_line

#: The forms of a report by the ending of the file's name.
FORMS = {".html": "to_html", ".md": "to_markdown", ".tex": "to_latex", ".json": "to_json"}


class Held(Protocol):
    """What every kind of report holds, whatever else it does."""

    @property
    def title(self) -> str:
        """What it is about."""

    @property
    def lead(self) -> str:
        """How much of it there is."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is odd about the inputs."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What is not shown, and why."""


if TYPE_CHECKING:
    from typing_extensions import TypeVar  # of Python's own, only those from 3.13 on have a default

    Holds = TypeVar("Holds", bound=Held, default=Contents)
else:
    from typing import TypeVar

    Holds = TypeVar("Holds")


@dataclass(frozen=True, eq=False)
class Report(ABC, Generic[Holds]):
    """Verdicts, systems with intervals, queries, coverage, methods and provenance, as plain data and in every form.

    >>> from assay import make_report
    >>> judged = {f"q{n}": {"good": 1} for n in range(6)}
    >>> runs = {"down": {q: {"bad": 2.0} for q in judged}, "up": {q: {"good": 2.0} for q in judged}}
    >>> print(make_report(judged, runs, "RR"))
    up is better than down under RR: 1.0000 against 0.0000, +1.0000 (95% interval +1.0000 to +1.0000, p = 0.0312).
    """

    contents: Holds

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is odd about the inputs."""
        return self.contents.warnings

    @property
    def notes(self) -> tuple[str, ...]:
        """What the report does not show, and why."""
        return self.contents.notes

    @property
    def advice(self) -> str:
        """What to do next; empty where there is nothing to compare."""
        return str(getattr(self.contents, "advice", None) or "")

    def __repr__(self) -> str:
        return f"<Report {self.contents.title!r}: {self.contents.lead}>"

    @abstractmethod
    def to_html(self) -> str:
        """One page of its own: it loads nothing from anywhere."""

    @abstractmethod
    def to_markdown(self) -> str:
        """As GitHub shows it."""

    @abstractmethod
    def to_latex(self) -> str:
        """A document with the tables (booktabs), the methods and the references, to take parts from."""

    def to_json(self) -> str:
        """Everything, numbers in full, with the version of the schema; what is not a number is null."""
        return as_json_text(self.contents)

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
        """Write the form that the name ends in (.html, .md, .tex, .json), whole or not at all.

        A file that was read is not replaced, unless `overwrite` says so.
        """
        return self.save_all([path], overwrite=overwrite)[0]

    def save_all(self, paths: Iterable[str | os.PathLike[str]], *, overwrite: bool = False) -> list[Path]:
        """Write several forms, each as its name ends, all of them or none."""
        wanted = [Path(path) for path in paths]
        write_texts({path: str(getattr(self, form_of(path))()) for path in wanted}, overwrite=overwrite)
        return wanted

    @abstractmethod
    def _table(self) -> Table:
        """What a notebook shows of it, below its words."""

    def _repr_html_(self) -> str:
        title, said = html.escape(self.contents.title), html.escape(str(self)).replace("\n", "<br>")
        return legible(f"<p><b>{title}</b></p><p>{said}</p>{self._table().to_html()}")


class RankingReport(Report[Contents]):
    """A report on rankings, or on scores by system and unit."""

    def __str__(self) -> str:
        return "\n".join(map(on_one_line, (*self.contents.summary, *self.contents.caveats)))

    def to_html(self) -> str:
        """One page of its own: it loads nothing from anywhere."""
        from assay.report.html import page  # noqa: PLC0415  # whoever wants another form need not load it

        return page(self.contents)

    def to_markdown(self) -> str:
        """As GitHub shows it."""
        from assay.report.written_markdown import to_markdown  # noqa: PLC0415

        return to_markdown(self.contents)

    def to_latex(self) -> str:
        """A document with the table of systems (booktabs), the methods and the references, to take parts from."""
        from assay.report.written_latex import to_latex  # noqa: PLC0415

        return to_latex(self.contents)

    def _table(self) -> Table:
        return systems_table(self.contents)


def form_of(path: str | os.PathLike[str]) -> str:
    """The method that writes a file of this name.

    >>> form_of("report.tex")
    'to_latex'
    """
    suffix = Path(path).suffix.lower()
    if suffix not in FORMS:
        raise ParameterError(f"{os.fspath(path)}: the name of a report ends in one of {', '.join(FORMS)}")
    return FORMS[suffix]
