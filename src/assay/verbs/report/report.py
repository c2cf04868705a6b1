"""`make_report`: a subject's sections between a head and the methods; and where a report comes from."""

from __future__ import annotations

import datetime
import hashlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Unpack

import polars as pl

from assay import __version__
from assay.core import registry
from assay.core.errors import InputError, ParameterError, merged, number_of
from assay.core.options import ReportOptions
from assay.measures.registry import Measure
from assay.show.model import Column, Document, Prose, Section, Table
from assay.stats.tests import SIMULTANEOUS
from assay.verbs.comparison import Comparison, compare
from assay.verbs.report.subject import IN_MEMORY, InputFile, Reported, Request
from assay.verbs.sections.methods import methods
from assay.verbs.sections.report import Report
from assay.verbs.subject import check_rules, subject_of

_EPOCH = "SOURCE_DATE_EPOCH"

_INPUTS = (
    Column("role", "input"),
    Column("name", "file"),
    Column("says", "what it is"),
    Column("sha256", "SHA-256", "code", missing="not a file"),
)


def provenance(subject: Reported, command: str) -> Section:
    """Everything that the report can be made again from; `before` are the stamps of files before they were read."""
    data: dict[str, Any] = {
        "version": __version__,
        "command": command,
        "made": now(),
        "seed": subject.seed,
        "signatures": tuple(subject.signatures),
    }
    parts: list[Prose | Table] = [Prose(command, "code", title="Command")] if command else []
    settings = [("Assay", __version__), ("made", data["made"]), ("seed", str(data["seed"]))]
    settings += [(name, str(value)) for name, value in subject.configuration().items() if value is not None]
    frame = pl.DataFrame(settings, schema=["setting", "value"], orient="row")
    parts.append(Table("settings", frame, (Column("setting"), Column("value")), "Settings", look="settings"))
    if rows := [_described(source) for source in subject.inputs()]:
        frame = pl.DataFrame(rows, infer_schema_length=None)
        parts.append(Table("inputs", frame, _INPUTS, "Inputs", look="inputs"))
    if data["signatures"]:
        parts.append(Prose("", "code", data["signatures"], "Signatures"))
    lead = "Everything it takes to make this report again."
    return Section("provenance", "How it was made", tuple(parts), lead, "Provenance", data)


def now() -> str:
    """The time in UTC; that of `SOURCE_DATE_EPOCH` where it is set, so that the same inputs give the same bytes."""
    epoch = os.environ.get(_EPOCH)
    if epoch is None:
        moment = datetime.datetime.now(datetime.UTC)
    else:
        try:
            moment = datetime.datetime.fromtimestamp(int(epoch), datetime.UTC)
        except (ValueError, OverflowError, OSError):
            raise ParameterError(f"{_EPOCH} is a number of seconds since 1970, not {epoch!r}") from None
    return moment.strftime("%Y-%m-%d %H:%M:%S UTC")


def _described(source: InputFile) -> dict[str, str | None]:
    """A file that went in, with its digest; or what was in memory."""
    path, place, digest = Path(source.origin), source.origin, None
    if source.format != IN_MEMORY and path.is_file():
        digest = digest_of(path)
        # A path below the working folder goes without what leads to it: a report may travel.
        place = (path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path).as_posix()
    description = f"{source.format}, {source.counts}" + ("" if digest else "; not a file, so without a digest")
    name = place if source.name in {None, place} else f"{source.name} = {place}"
    return {"role": source.role, "name": name, "sha256": digest, "says": description}


def digest_of(path: Path) -> str:
    """SHA-256 of a file's bytes, compressed or not, as they are."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as problem:
        raise InputError(f"{path}: cannot be read: {(problem.strerror or str(problem)).lower()}") from problem


def correction_of(comparison: Comparison) -> str:
    """Whose correction of p-values, and over how many comparisons."""
    size = comparison.family_size
    if comparison.settings.test in SIMULTANEOUS:
        return f"none: the test covers all {number_of('pair', size)} of systems at once"
    separator = ":" if size == 1 else ","
    return f"{comparison.correction or 'none'}{separator} {number_of('comparison', size)}"


#: What reports show besides, where they are about rankings.
_DETAILS = ("system", "topics", "documents", "changed", "show", "wording")


def make_report(
    given: Any,
    runs: Any = None,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    **options: Unpack[ReportOptions],
) -> Report:
    """Put together everything that is known about systems: who is better, how sure that is, and what it rests on.

    `given` is judgments, with `runs` (what `evaluate` takes); or an `Evaluation`; or a `Comparison` with one baseline;
    or scores (what `compare` takes). Further keyword arguments are those of `compare` (`alpha`, `margin`, `test`,
    `seed`, …) and, with judgments and runs, the rules of `evaluate`. A `Classification`, predictions or a comparison of
    them give a report on classifiers; its further arguments are those of `classify`. A `Clustering`, `Clusters` or a
    comparison of them give a report on clusterings, with the further arguments of `cluster`, and `over_k`: what
    `number_of_clusters` found.

    `measures`: the first is the main one, which verdicts, charts and queries are about. `baseline`: the system that
    the others are held against; the first unless given. `system`: whose queries are shown beside the baseline's; the
    best of the others unless given. `topics` and `documents` (files, tables or dicts of texts) put words to ids.
    `changed`: how many of the most changed queries to show (6 unless given), half of them gains and half losses;
    `show`: how many ranks of each (10 unless given). `command` is the command line that made it.

    >>> judged = {f"q{n}": {"good": 1} for n in range(6)}
    >>> runs = {"down": {q: {"bad": 2.0} for q in judged}, "up": {q: {"good": 2.0} for q in judged}}
    >>> report = make_report(judged, runs, ["RR", "P@1"], topics={"q0": "bitter tea"})
    >>> report.table("findings")["verdict"].to_list(), report.section("changed").data["queries"][0]["text"]
    (['better', 'better'], 'bitter tea')
    """
    subject = subject_of(getattr(given, "pairing", given), runs)
    kind: type[Reported] = registry.load(subject.reported)
    rules: dict[str, Any] = dict(options)
    asked = {name: value for name in _DETAILS if (value := rules.pop(name, None)) is not None}
    baseline, title, command = rules.pop("baseline", None), rules.pop("title", None), rules.pop("command", "")
    known = (*subject.report_rules, *(compare.__kwdefaults__ or ()))
    check_rules([name for name in rules if name not in known], subject, ReportOptions.__annotations__)
    reported = kind.of(Request(given, runs, measures, baseline, asked, rules))
    sections, notes = list[Section](), list(reported.notes)
    for part in reported.sections():
        if isinstance(part, str):
            notes.append(part)
        else:
            sections.append(part)
    sections += [methods(reported), provenance(reported, command)]
    if notes:
        sections.append(Section("notes", "Notes", (Prose(style="list", points=tuple(merged(notes))),), short="Notes"))
    return Report(Document("report", tuple(sections), title or reported.title, page=True, eyebrow=reported.eyebrow))
