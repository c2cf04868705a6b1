"""`make_report`: what it asks of a subject (`Reported`), provenance, and `Report`, which is written to files."""

from __future__ import annotations

import datetime
import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, Self, Unpack

import polars as pl

from assay import __version__
from assay.core import registry
from assay.core.errors import InputError, ParameterError, merged, not_among, reason
from assay.core.options import ReportOptions
from assay.core.results import Result
from assay.files.atomic import check_target, write_texts
from assay.files.manifest import judgments_and_runs
from assay.show.legible import on_one_line
from assay.show.model import Column, Document, Prose, Section, Table, Widget
from assay.verbs.comparison import Comparison, compare
from assay.verbs.sections.methods import Citations, methods
from assay.verbs.subject import check_rules, subject_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from assay.measures.registry import Measure

IN_MEMORY = "in memory"


class InputFile(NamedTuple):
    """An input file: its origin, its format and counts, and the system that it is, where its name is another.

    `role`: what it was read as, such as "qrels".
    """

    role: str
    origin: str
    format: str
    counts: str
    name: str | None = None

    @classmethod
    def of(cls, role: str, origin: str, format: str, counts: str, name: str | None = None) -> InputFile:
        """A file; or what was in memory, by its name.

        >>> InputFile.of("labels", IN_MEMORY, "labels of judges", "8 labels", "round 1").origin
        'round 1'
        """
        if origin == IN_MEMORY:
            return cls(role, name or format, IN_MEMORY, counts)
        return cls(role, origin, format, counts, name)


@dataclass(frozen=True, kw_only=True)
class Request:
    """The inputs and options of `make_report`.

    `details`: what `Reported.asks` names, as far as it was asked for; `rules`, what the verbs take.
    """

    source: Any
    runs: Any
    measures: Any
    baseline: str | None
    details: dict[str, Any]
    rules: dict[str, Any]

    def inputs(self) -> list[Any]:
        """The inputs."""
        return [self.source] if self.runs is None else [self.source, self.runs]

    def compared(
        self, data: Any, measures: Any, names: Sequence[str], what: str, *, others: Collection[str]
    ) -> tuple[Comparison | None, tuple[str, ...]]:
        """The systems `names` held against the baseline; where they cannot be, a note that says why.

        `others`: rules that are not for `compare`. One system alone is not compared.
        """
        check_name("baseline", self.baseline, names)
        if len(names) == 1:
            return None, ()
        rules = {name: value for name, value in self.rules.items() if name not in others}
        try:
            comparison = compare(data, measures=measures, baseline=self.baseline or names[0], **rules)
        except InputError as problem:
            return None, (f"the {what} are not compared: {problem}",)
        return comparison, comparison.notes


class Reported(Protocol):
    """The content of a report: results, their comparison with a baseline, and the texts on them.

    To report on something new, write such a class in a module of its own, and name its place in `Subject.reported`.
    What inherits from this one need not say what it has nothing to say of.
    """

    #: Keyword arguments of `make_report` that no verb takes, and that say what else to show.
    asks: ClassVar[tuple[str, ...]] = ()

    @property
    def eyebrow(self) -> str:
        """The line above the title."""

    @classmethod
    def of(cls, request: Request) -> Self:
        """Evaluate and compare what was given, as far as that has not been done."""

    def complete(self) -> Self:
        """Finish every number that the sections show, before any of them is made."""
        return self

    @property
    def notes(self) -> Sequence[str]:
        """Notes on the numbers, made before anything is shown."""
        return ()

    @property
    def title(self) -> str:
        """The title of the report unless somebody gives it one."""

    @property
    def seed(self) -> int:
        """The seed of everything random."""
        return 0

    @property
    def signatures(self) -> Iterable[str]:
        """The signatures of the numbers."""
        return ()

    def sections(self) -> Iterator[Section | str]:
        """All that has something to show, in reading order; and, in words, what cannot be shown, and why."""

    def methods(self, cite: Citations) -> Iterator[str]:
        """The methods, in sentences for a paper."""

    def configuration(self) -> Mapping[str, object]:
        """The configuration, for readers; None where there is nothing to say."""
        return {}

    def inputs(self) -> Iterable[InputFile]:
        """The inputs."""
        return ()


def refuse_repeated(options: Mapping[str, Any], result: str, verb: str) -> None:
    """A report that is made of a result takes its measures and rules from there."""
    for name in [name for name, value in options.items() if value is not None]:
        raise ParameterError(f"{name} belongs to the {result} that the report is made of: give it to {verb}")


def check_name(role: str, name: str | None, known: Sequence[str]) -> None:
    """Refuse a name that is not among those known."""
    if name is not None and name not in known:
        raise not_among(role, name, known)


def compared_with(comparison: Comparison, baseline: str | None) -> str:
    """The one baseline of a comparison; if another was asked for, or there are several, it is no basis of a report."""
    baselines = list(dict.fromkeys(finding.baseline for finding in comparison.findings))
    if len(baselines) > 1:
        raise ParameterError("a report compares systems with one baseline: compare(..., baseline=NAME)")
    if baseline is not None and baseline != baselines[0]:
        raise ParameterError(f"the baseline of the comparison is {baselines[0]}, not {baseline!r}")
    return baselines[0]


#: Sentences of these styles say what was found; the others, what to do and what to mind.
_FOUND = {"claim", "plain"}
#: The forms of a report by the ending of the file's name; CSV would be one of its many tables.
FORMS = {ending: form for ending, form in registry.ENDINGS.items() if form != "csv"}


@dataclass(frozen=True, eq=False)
class Report(Result):
    """Verdicts, systems with intervals, queries or items, methods and provenance: sections of a document, as data."""

    kind = "report"

    made: Document

    def __repr__(self) -> str:
        return f"<Report {self.made.title!r}: {self.made.section('summary').lead}>"

    def __str__(self) -> str:
        """The findings in words, and what they depend on."""
        summary = self.made.section("summary")
        parts = [each for part in summary.parts for each in (part.fallback if isinstance(part, Widget) else (part,))]
        lines = [line for part in parts if isinstance(part, Prose) and part.style in _FOUND for line in part.lines]
        return "\n".join(map(on_one_line, (*lines, *summary.data.get("caveats", ()))))

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the inputs."""
        return tuple(self.made.section("summary").data.get("warnings", ()))

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on what the report does not show, with the reason."""
        sections = [section for section in self.made.sections if section.name == "notes"]
        return tuple(line for section in sections for part in section.parts for line in getattr(part, "lines", ()))

    @property
    def advice(self) -> str:
        """Advice on the next step, in a sentence; empty where there is nothing to compare."""
        advice = self.made.section("summary").data.get("advice") or {"text": ""}
        text = str(advice["text"])
        command = advice.get("command")
        return f"{text.removesuffix('.')} ({command})." if command else text

    def _repr_html_(self) -> str:
        """The findings and the main numbers, for a notebook."""
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
    path = Path(source.origin)
    place = source.origin
    digest = None
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
        raise InputError(f"{path}: cannot be read: {reason(problem)}") from problem


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
    comparison of them give a report on clusterings, with the further arguments of `cluster`.

    `measures`: the first is the main one, which verdicts, charts and queries are about. `baseline`: the system that
    the others are compared with; the first unless given. `system`: whose queries are shown beside the baseline's; the
    best of the others unless given. `topics` and `documents` (files, tables or dicts of texts) put words to ids.
    `changed`: how many of the most changed queries to show (6 unless given), half of them gains and half losses;
    `show`: how many ranks of each (10 unless given). `command` is the command line that made it.

    >>> judged = {f"q{n}": {"good": 1} for n in range(6)}
    >>> runs = {"down": {q: {"bad": 2.0} for q in judged}, "up": {q: {"good": 2.0} for q in judged}}
    >>> report = make_report(judged, runs, ["RR", "P@1"], topics={"q0": "bitter tea"})
    >>> report.table("findings")["verdict"].to_list(), report.section("changed").data["queries"][0]["text"]
    (['better', 'better'], 'bitter tea')
    """
    given, runs = judgments_and_runs(given, runs)
    subject = subject_of(getattr(given, "pairing", given), runs)
    kind: type[Reported] = registry.load(subject.reported)
    rules: dict[str, Any] = dict(options)
    details = {name: value for name in kind.asks if (value := rules.pop(name, None)) is not None}
    baseline = rules.pop("baseline", None)
    title = rules.pop("title", None)
    command = rules.pop("command", "")
    known = (*subject.report_rules, *(compare.__kwdefaults__ or ()))
    every = ReportOptions.__annotations__
    # What another subject's report takes may be there, if nothing is said by it.
    wrong = [name for name in rules if name not in known and (rules[name] is not None or name not in every)]
    check_rules(wrong, subject, every)
    for name in wrong:
        raise ParameterError(f"{name} has no meaning in a report on {subject.words.rules_of}")
    rules = {name: value for name, value in rules.items() if name in known}
    request = Request(
        source=given, runs=runs, measures=measures, baseline=baseline, details=details, rules=rules,
    )  # fmt: skip
    reported = kind.of(request).complete()
    sections = list[Section]()
    notes = list(reported.notes)
    for part in reported.sections():
        if isinstance(part, str):
            notes.append(part)
        else:
            sections.append(part)
    sections += [methods(reported), provenance(reported, command)]
    if notes:
        sections.append(Section("notes", "Notes", (Prose(style="list", points=tuple(merged(notes))),), short="Notes"))
    return Report(Document("report", tuple(sections), title or reported.title, page=True, eyebrow=reported.eyebrow))
