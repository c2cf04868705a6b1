"""What a gate shows: the outcome and why, what to do, one row for each check, the units behind it, the coverage."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING

import polars as pl

from assay.core.errors import number_of, several
from assay.core.words import OUTCOME_MARKS, OUTCOMES, tone_of
from assay.show.model import Column, Document, Prose, Section, Table, Verdict
from assay.verbs.gating.sentences import advice, details, method, sentence

if TYPE_CHECKING:
    from assay.verbs.gating.checks import Check
    from assay.verbs.gating.result import GateResult

#: Of more checks than this, the queries that lost most are listed of the first one only.
_MOST_LISTED = 4
#: The outcomes of checks, in a column.
_WORDS = {"pass": "pass", "fail": "FAIL", "inconclusive": "inconclusive"}
_RIGHT = {1.0: "right", 0.0: "wrong"}


def document(result: GateResult) -> Document:
    """The sentence first, for whoever reads the log of a pipeline; then what to do, and what it rests on."""
    sections = (
        _outcome(result),
        Section.of_lines("advice", advice(result), "paragraph"),
        Section("checks", parts=(_checks(result),)),
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
    return Document("gate", (Section("outcome", parts=(_verdict("invalid", problem),)),))


def _verdict(outcome: str, text: str) -> Verdict:
    heading = f"{OUTCOME_MARKS[outcome]} Quality gate: {OUTCOMES[outcome].lower()}"
    return Verdict(outcome, tone_of(outcome), text, heading)


def _outcome(result: GateResult) -> Section:
    frozen, signatures = result.frozen, result.pairing.signatures([check.measure for check in result.checks])
    data = {
        "outcome": result.outcome,
        "exit_code": result.exit_code,
        "baseline": result.baseline,
        "candidate": result.candidate,
        "settings": result.settings._asdict(),
        "guards": [guard._asdict() for guard in result.guards],
        "signatures": signatures,
        "frozen": frozen and {"version": frozen.version, "qrels": dict(frozen.qrels), "run": dict(frozen.run)},
    }
    words = tuple(Prose(text, "paragraph") for text in details(result))
    return Section("outcome", parts=(_verdict(result.outcome, sentence(result)), *words), data=data)


def _checks(result: GateResult) -> Table:
    is_open = result.outcome == "invalid"
    words = ["not decided" if is_open else _WORDS[check.outcome] for check in result.checks]
    columns = (
        Column("measure"),
        *([Column("slice", "topics")] if any(check.slice for check in result.checks) else []),
        Column("units", several(result.checks[0].unit_kind), "count"),
        Column("baseline_value", result.baseline, "number", compared="row"),
        Column("value", result.candidate, "number", compared="row"),
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
    frame, kind = pl.DataFrame([loss._asdict() for loss in check.worst]), check.unit_kind
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
