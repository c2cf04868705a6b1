"""Documents of the results of `correlate`, `plan`, `doctor` and `gate`, and of the contents of a collection."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import polars as pl

from assay.core.digits import as_level
from assay.core.errors import number_of, several
from assay.core.words import OUTCOME_MARKS, OUTCOMES, Tone, tone_of
from assay.files import formats
from assay.files.contents import Contents, grades_in_words
from assay.files.writing import writers
from assay.show.model import Column, Document, Prose, Section, Table, Task, Verdict
from assay.verbs.diagnosis.examination import SEVERITIES
from assay.verbs.sections.gates import advice, details, method, sentence

if TYPE_CHECKING:
    from assay.verbs.correlation import Correlations, PairOfLists
    from assay.verbs.diagnosis import CheckFinding, Diagnosis
    from assay.verbs.diagnosis.examination import DoctorCheck
    from assay.verbs.gating.checks import Check
    from assay.verbs.gating.result import GateResult


def correlations_document(result: Correlations) -> Document:
    """Of two lists the coefficients and the items, of more a matrix of each coefficient; and what they mean."""
    pair = result.pairs[0]
    is_one = len(result.pairs) == 1
    names = [coefficient.name for coefficient in pair.coefficients]
    tables = (_coefficients(result, pair), _items(result, pair)) if is_one else tuple(_matrix(result, n) for n in names)
    every = [{"lists": [each.first, each.second], "items": each.items.to_dicts()} for each in result.pairs]
    full = {} if is_one else {"coefficients": result.to_frame().to_dicts(), "pairs": every}
    redrawn = any(each.with_other_units for each in result.pairs)
    settings = {"unit_kind": result.unit_kind, "resamples": result.resamples if redrawn else 0, "seed": result.seed}
    sections = (
        Section("correlations", parts=tables, data=full),
        Section.of_lines("meaning", _lines(result), data=settings),
        Section.of_lines("notes", result.notes),
    )
    return Document("correlations", sections, " and ".join(result.lists))


def _coefficients(result: Correlations, pair: PairOfLists) -> Table:
    level = pair.coefficients[-1].level
    columns = [
        Column("coefficient"),
        Column("value", kind="number"),
        Column("value", f"{as_level(level)} interval" if level < 1 else "bounds", "interval", ends=("low", "high")),
    ]
    if pair.with_other_units:
        title = f"{several(result.unit_kind or 'unit')} redrawn"
        columns.append(Column("value", title, "interval", ends=("low_units", "high_units")))
    return Table("coefficients", result.to_frame(), tuple(columns), f"{pair.first} and {pair.second}")


def _items(result: Correlations, pair: PairOfLists) -> Table:
    columns = [Column("item", result.item)]
    for side, name in (("first", pair.first), ("second", pair.second)):
        has_values = side in pair.items.columns
        columns += [Column(side, name, "number")] if has_values else []
        columns.append(Column(f"{side}_rank", "rank" if has_values else name, "chosen"))
    return Table("items", pair.items, (*columns, Column("movement", kind="chosen", signed=True)))


def _matrix(result: Correlations, coefficient: str) -> Table:
    """A coefficient of every two lists, the first as the row."""
    rows, columns = result.lists[:-1], result.lists[1:]
    values = {
        (pair.first, pair.second): each.value
        for pair in result.pairs
        for each in pair.coefficients
        if each.name == coefficient
    }
    frame = pl.DataFrame({"": rows} | {other: [values.get((row, other)) for row in rows] for other in columns})
    numbers = (Column(name, kind="number", missing="") for name in columns)
    return Table(coefficient, frame, (Column(""), *numbers), coefficient)


def _lines(result: Correlations) -> list[str]:
    """The meaning of the numbers, in words."""
    pair = result.pairs[0]
    items = several(result.item)
    if len(result.pairs) > 1:
        of = number_of(result.item, pair.items.height)
        return [f"{of}; the row is the reference of tau_AP, the column is compared with it."]
    level = as_level(pair.coefficients[-1].level)
    lines = []
    if any(each.level < 1 and not math.isnan(each.low) for each in pair.coefficients):
        lines.append(f"{level} interval: over {items}, had others been drawn.")
    if pair.with_other_units:
        lines.append(
            f"{several(result.unit_kind or 'unit')} redrawn: where {level} of the values for these {items} lie, over "
            f"{result.resamples:,} resamples (seed {result.seed}). Not a confidence interval: resampling adds noise to "
            "both lists, so they lie low."
        )
    for note in dict.fromkeys(each.note for each in pair.coefficients if each.note):
        lines.append(f"{', '.join(each.name for each in pair.coefficients if each.note == note)}: {note}.")
    return lines


_TONES: dict[str, Tone] = {"error": "bad", "warning": "open", "note": "even"}
#: Of a finding in many runs, this many are listed in full, the worst first.
_TOLD_IN_FULL = 5


def diagnosis_document(diagnosis: Diagnosis, *, every: bool = False) -> Document:
    """The verdict and the findings; with `every`, the checks that found nothing, too."""
    files = tuple(_files(diagnosis))
    sections = [
        Section("verdict", parts=(Prose(_verdict(diagnosis), "claim"),), data=_about(diagnosis)),
        Section("findings", parts=files, data={"findings": [*map(_payload, diagnosis.findings)]}),
    ]
    if every:
        sections += _checks("passed", "Found nothing", "good", diagnosis.passed)
        sections += _checks("not_made", "Not made for lack of files", "even", diagnosis.not_made)
    return Document("diagnosis", tuple(sections), _verdict(diagnosis))


def _about(diagnosis: Diagnosis) -> dict[str, Any]:
    return dict(diagnosis.overview.data) | {
        "verdict": diagnosis.verdict,
        "counts": {severity: len(diagnosis.of(severity)) for severity in SEVERITIES},
        "passed": [check.name for check in diagnosis.passed],
        "not_made": [check.name for check in diagnosis.not_made],
    }


def _payload(finding: CheckFinding) -> dict[str, Any]:
    payload = {name: value for name, value in vars(finding).items() if name != "weight"}
    examples = [example._asdict() for example in finding.examples]
    return payload | {"examples": examples, "details": [dict(row) for row in finding.details]}


def _verdict(diagnosis: Diagnosis) -> str:
    """The things looked at and the number of findings, in one line."""
    number, passed = len(diagnosis.checks), len(diagnosis.passed)
    checks = number_of("check", number) if number == passed else f"{passed} of {number} checks found nothing"
    rest = f"; {len(diagnosis.not_made)} not made" if diagnosis.not_made else ""
    return f"{diagnosis.subject}: {diagnosis.verdict} ({checks}{rest})"


def _files(diagnosis: Diagnosis) -> Iterator[Section]:
    """Findings by file; what one check found in several runs is put together."""
    together: dict[tuple[str, str], list[CheckFinding]] = {}
    for finding in diagnosis.findings:
        if finding.system is not None:
            together.setdefault((finding.check, finding.severity), []).append(finding)
    shared = {key: several for key, several in together.items() if len({each.system for each in several}) > 1}
    files: dict[str, list[Task]] = {}
    what = diagnosis.overview.system
    total = number_of(diagnosis.overview.system, diagnosis.overview.number)
    for finding in diagnosis.findings:
        several = shared.get((finding.check, finding.severity), [])
        if finding.system is None or not several:
            # A run is a file; of the systems in a file of predictions it is told which one is meant.
            whose = finding.system is not None and len(diagnosis.systems) > 1
            title = f"{finding.file}, {finding.system}" if whose else finding.file
            files.setdefault(title, []).append(_task(finding, finding.says, _examples(finding)))
        elif finding is several[0]:
            worst = sorted(several, key=lambda each: -each.weight)
            text = f"{len({each.system for each in several})} of {total}"
            files.setdefault(f"several {what}s", []).append(_task(worst[0], text, _systems(worst)))
    first = [title for title in (diagnosis.overview.first, f"several {what}s") if title in files]
    for title in dict.fromkeys((*first, *files)):
        yield Section(title, title, tuple(files[title]))


def _task(finding: CheckFinding, text: str, points: Iterable[str]) -> Task:
    tone = _TONES[finding.severity]
    return Task(finding.severity, tone, text, finding.check, tuple(points), finding.advice)


def _examples(finding: CheckFinding) -> Iterator[str]:
    """The first cases, and how many more there are."""
    yield from map(str, finding.examples)
    more = finding.count - len(finding.examples)
    if finding.examples and all(example.line for example in finding.examples) and more > 0:
        yield f"… and {more:,} more"


def _systems(findings: list[CheckFinding]) -> Iterator[str]:
    """The findings on each system, the worst first."""
    for finding in findings[:_TOLD_IN_FULL]:
        first = f" ({finding.examples[0]})" if finding.examples and finding.examples[0].line else ""
        yield f"{finding.system}: {finding.says}{first}"
    if rest := dict.fromkeys(str(finding.system) for finding in findings[_TOLD_IN_FULL:]):
        yield f"also {', '.join(rest)}"


def _checks(name: str, title: str, tone: Tone, checks: Iterable[DoctorCheck]) -> Iterator[Section]:
    if tasks := tuple(Task("", tone, f"{check.name}: {check.question}") for check in checks):
        yield Section(name, title, tasks)


#: Of more checks than this, the queries that lost most are listed of the first one only.
_MOST_LISTED = 4
#: The outcomes of checks, in a column.
_WORDS = {"pass": "pass", "fail": "FAIL", "inconclusive": "inconclusive"}

_RIGHT = {1.0: "right", 0.0: "wrong"}


#: What JSON has of guards.
_OF_GUARDS = ("name", "system", "holds", "says")


def gate_document(result: GateResult) -> Document:
    """The sentence first, for readers of the log of a pipeline; then what to do, and what it rests on."""
    sections = (
        _outcome(result),
        Section.of_lines("advice", advice(result), "paragraph"),
        Section("checks", parts=(_gates_checks(result),)),
        Section("losses", parts=tuple(_losses(result))),
        _coverage(result),
        Section.of_lines("method", [method(result)], "fine"),
        Section.of_lines("notes", result.notes),
    )
    return Document("gate", sections, f"{result.candidate} against {result.baseline}")


def problem_document(problem: str) -> Document:
    """The same for what could not be compared at all.

    >>> from assay.show.markdown import write
    >>> print(write(problem_document("a_b.run: cannot be read")), end="")
    ## ⚠️ Quality gate: invalid input
    <BLANKLINE>
    a_b.run: cannot be read
    """
    return Document("gate", (Section("outcome", parts=(_gates_verdict("invalid", problem),)),))


def _gates_verdict(outcome: str, text: str) -> Verdict:
    heading = f"{OUTCOME_MARKS[outcome]} Quality gate: {OUTCOMES[outcome].lower()}"
    return Verdict(outcome, tone_of(outcome), text, heading)


def _outcome(result: GateResult) -> Section:
    frozen = result.frozen
    signatures = result.pairing.signatures([check.measure for check in result.checks])
    data = {
        "outcome": result.outcome,
        "exit_code": result.exit_code,
        "baseline": result.baseline,
        "candidate": result.candidate,
        "settings": result.settings._asdict(),
        "guards": [dict(zip(_OF_GUARDS, guard, strict=False)) for guard in result.guards],
        "signatures": signatures,
        "frozen": frozen and {"version": frozen.version, "qrels": dict(frozen.qrels), "run": dict(frozen.run)},
    }
    words = tuple(Prose(text, "paragraph") for text in details(result))
    return Section("outcome", parts=(_gates_verdict(result.outcome, sentence(result)), *words), data=data)


def _gates_checks(result: GateResult) -> Table:
    is_open = result.outcome == "invalid"
    has_numbers = not all(math.isnan(check.value) for check in result.checks)
    words = ["not decided" if is_open else _WORDS[check.outcome] for check in result.checks]
    values = (
        Column("baseline_value", result.baseline, "number", compared="row"),
        Column("value", result.candidate, "number", compared="row"),
    )
    columns = (
        Column("measure"),
        *([Column("slice", "topics")] if any(check.slice for check in result.checks) else []),
        Column("units", several(result.checks[0].unit_kind), "count"),
        *(values if has_numbers else ()),
        Column("difference", kind="number", signed=True),
        Column("at_worst", "at worst", "number", signed=True, compared="margin", missing="–"),
        Column("allowed", kind="chosen", signed=True, compared="margin"),
        *([Column("p", kind="p")] if result.checks[0].at_best is None else []),
        Column("word", "outcome"),
    )
    lost_most = [[loss._asdict() for loss in check.worst] for check in result.checks]
    frame = result.to_frame().with_columns(word=pl.Series(words), lost_most=pl.Series(lost_most))
    return Table("checks", frame, columns)


def _losses(result: GateResult) -> Iterator[Table]:
    """The units that lost most behind checks that did not pass; labels are right or wrong for all measures."""
    behind = [check for check in result.checks if check.outcome == result.outcome != "pass" and check.worst]
    tables = {table.caption: table for table in (_lost(check, result) for check in behind)}
    yield from list(tables.values())[: None if len(behind) <= _MOST_LISTED else 1]


def _lost(check: Check, result: GateResult) -> Table:
    frame = pl.DataFrame([loss._asdict() for loss in check.worst])
    kind = check.unit_kind
    pair = {"baseline_value": result.baseline, "value": result.candidate}
    if check.of_labels:
        frame = frame.with_columns(pl.col(*pair).replace_strict(_RIGHT, return_dtype=pl.String))
        caption = f"Broken: {min(len(check.worst), check.worsened)} of {number_of(kind, check.worsened)}"
        return Table(check.name, frame, (Column("unit", kind), *itertools.starmap(Column, pair.items())), caption)
    numbers = (Column(name, title, "number", compared="row") for name, title in pair.items())
    columns = (Column("unit", kind), *numbers, Column("difference", kind="number", signed=True))
    return Table(check.name, frame, columns, f"Lost most under {check.name}")


def _coverage(result: GateResult) -> Section:
    if not result.coverage:
        return Section("coverage")
    frame = pl.DataFrame([coverage._asdict() for coverage in result.coverage])
    judged = Column("judged", "judged in top 10", "percent")
    if result.pairing.is_complete:
        frame, judged = frame.with_columns(complete=pl.lit("declared complete")), Column("complete", "judgments")
    columns = (Column("system"), Column("topics", kind="count"), Column("missing", kind="count"), judged)
    return Section("coverage", parts=(Table("coverage", frame, columns, "Coverage"),))


_METADATA = "ir_metadata"
#: Two columns without heads: what something is called, and what it is.
_NAMED = (Column("name", ""), Column("value", ""))


def contents_document(contents: Contents) -> Document:
    """One line per fact, then the warnings and the first rows."""
    facts = {name: _words(value) for name, value in contents.facts.items() if name != _METADATA}
    metadata = str(contents.facts.get(_METADATA, "")).splitlines()
    sections = [
        Section("facts", parts=(named_table("facts", facts),), data={"facts": contents.facts}),
        Section("metadata", parts=(Prose(style="code", points=tuple(metadata), title=_METADATA),) if metadata else ()),
        Section("doubts", parts=tuple(Prose(f"warning: {warning}") for warning in contents.warnings)),
    ]
    if contents.rows is not None and contents.rows.height:
        sections.append(Section("rows", parts=(Table.of("rows", contents.rows),)))
    return Document("contents", tuple(section for section in sections if section.parts))


def document_of_formats() -> Document:
    """All formats, by kind: how they are called, what they look like, and whether they can be written."""
    sections = []
    for kind in ("run", "qrels", "topics", "documents"):
        read = {known.name: f"{known.title}, {known.shape}" for known in formats(kind)}
        written = {known.name: " ".join(known.endings) for known in writers(kind)}
        sections += [
            Section(f"{kind}_read", f"{kind}: read", (named_table("formats", read),)),
            Section(f"{kind}_written", f"{kind}: written", (named_table("formats", written),)),
        ]
    return Document("formats", tuple(sections))


def named_table(name: str, facts: dict[str, str]) -> Table:
    """Facts by their names, without heads.

    >>> named_table("facts", {"kind": "run"}).frame.rows()
    [('kind', 'run')]
    """
    frame = pl.DataFrame(
        {"name": list(facts), "value": list(facts.values())}, schema=dict.fromkeys(["name", "value"], pl.String)
    )
    return Table(name, frame, _NAMED)


def _words(value: Any) -> str:
    if isinstance(value, dict):
        return grades_in_words(value)
    return f"{value:,}" if isinstance(value, int) else str(value)
