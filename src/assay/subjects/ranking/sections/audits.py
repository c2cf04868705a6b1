"""What an audit shows: values by other rules, and why they differ; and what differs between two signatures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import polars as pl

from assay.core.digits import number
from assay.core.errors import number_of
from assay.show.model import Column, Document, Prose, Section, Table

if TYPE_CHECKING:
    from assay.subjects.ranking.audit.rules import ToolRule
    from assay.subjects.ranking.audit.search import Answer, Audit, RuleValue
    from assay.subjects.ranking.audit.signatures import SignatureComparison

_MOST_MATCHES = 5
#: Fewer decimals are reached by many rules.
_TELLING_DIGITS = 3


def document(audit: Audit) -> Document:
    """The value asked for, values by rule, the tools and the reasons, what makes no difference, and the signature."""
    title = f"{audit.measure}, {audit.where}"
    about = {"measure": str(audit.measure), "query": audit.query, "of": audit.where, "value": audit.value}
    about |= {"signature": audit.signature, "repeated_rows": audit.repeated_rows}
    asked = None if audit.answer is None else _asked(audit.answer)
    sections = (
        Section("rules", parts=(_rules(audit, title),), data={"rules": audit.to_frame().to_dicts()}),
        *([] if audit.answer is None else [Section.of_lines("answer", _answered(audit.answer))]),
        *(Section.of_lines(name, lines) for name, lines in _reasons(audit)),
        Section.of_lines("signature", [audit.signature], data=about | {"asked": asked}),
        Section.of_lines("notes", audit.notes, data={"notes": list(audit.notes)}),
    )
    return Document("audit", sections, title)


def differences(comparison: SignatureComparison) -> Document:
    """What differs, the two side by side; what follows from each difference, and what to pass to get either number."""
    about = {
        name: {"signature": each.text, "call": each.call, "measure": str(each.measure), "rules": dict(each.rules)}
        for name, each in (("first", comparison.first), ("second", comparison.second))
    }
    if comparison.is_same:
        same = "Both numbers were made by the same rules: what differs are the data."
        return Document("signatures", (Section.of_lines("differences", [same], data=about),))
    columns = (Column("field", "differs"), Column("first"), Column("second"))
    frame = comparison.to_frame()
    table = Table("differences", frame, columns)
    follows = (f"{field}: {follows}" for field, follows in frame.select("field", "follows").iter_rows())
    calls = (f"To get the {name}: {numbers['call']}" for name, numbers in about.items())
    sections = (
        Section("differences", parts=(table, *map(Prose, follows))),
        Section.of_lines("calls", calls, data=about),
    )
    return Document("signatures", sections, "What differs between two signatures")


def _rules(audit: Audit, title: str) -> Table:
    """Assay's value and those that differ from it, largest first; the value that was asked for stands out."""
    frame = audit.to_frame().head(1 + len(audit.different))
    own = pl.int_range(pl.len()) == 0
    values = [audit.value, *(finding.value for finding in audit.different)]
    fits = [audit.answer is not None and audit.answer.wanted.fits(value) for value in values]
    frame = frame.with_columns(pl.when(~own).then("difference"), pl.Series("fits", fits))
    columns = (
        Column("rule"),
        Column("value", kind="number", marked="fits"),
        Column("difference", kind="number", signed=True, missing=""),
    )
    return Table("rules", frame, columns, title)


def _asked(answer: Answer) -> dict[str, Any]:
    matches = [{"rules": [rule.name for rule in match.rules], "value": match.value} for match in answer.matches]
    return answer.wanted._asdict() | {"found": bool(matches), "tried": answer.tried, "matches": matches}


def _reasons(audit: Audit) -> Iterator[tuple[str, list[str]]]:
    """What the values rest on, by what it is about; trec_eval itself stops at a document that comes again."""
    cleaned = ""
    if audit.repeated_rows:
        rows = number_of("row", audit.repeated_rows)
        told = f"{rows} with a document that the query had before; Assay's own value counts each document once."
        yield "repeated", [told]
        cleaned = ", after removing duplicates"
    if audit.tools:
        yield "tools", [f"Assay's own value is also that of {', '.join(audit.tools)}{cleaned}."]
    if audit.answer is None:
        yield "reasons", [f"{_with_tools(rule)}: {rule.why}" for each in audit.different for rule in each.rules]
    if audit.same:
        names = dict.fromkeys(rule.name for each in audit.same for rule in each.rules)
        yield "same", [f"Would give the same here: {'; '.join(names)}."]


def _answered(answer: Answer) -> Iterator[str]:
    """Which rules give the value; or what was done in vain, and what came nearest."""
    wanted = answer.wanted
    is_guessed = wanted.percent and not wanted.text.endswith("%")
    value = f"{wanted.text} (as a percentage)" if is_guessed else wanted.text
    if not answer.matches:
        yield f"No rule gives {value}."
        yield f"{answer.tried:,} ways of counting were tried: single rules, and a few pairs."
        if answer.nearest is not None:
            yield f"Nearest is {number(answer.nearest.value)}: {_named(answer.nearest)}."
        yield "The data may differ: other judgments, another run, other topics."
        return
    if not answer.matches[0].rules:
        others = list(dict.fromkeys(rule.name for match in answer.matches for rule in match.rules))
        too = f" Rules that differ less than its decimals tell: {'; '.join(others)}." if others else ""
        yield f"{value} is Assay's own value.{too}"
    else:
        for match in answer.matches[:_MOST_MATCHES]:
            yield f"{value} is what this gives: {_named(match)}."
            yield from (f"  {rule.why}" for rule in match.rules)
        if (more := len(answer.matches) - _MOST_MATCHES) > 0:
            yield f"{number_of('other way', more)} of counting would give it, too."
    if wanted.digits < _TELLING_DIGITS:
        yield "So few decimals may agree by chance: with more, fewer rules are left."
    elif any(len(match.rules) > 1 for match in answer.matches):
        yield f"No single rule gives it; among {answer.tried:,} ways of counting, some may agree by chance."


def _named(match: RuleValue) -> str:
    return " + ".join(map(_with_tools, match.rules)) or "Assay's own value"


def _with_tools(rule: ToolRule) -> str:
    tools = ", ".join(rule.tools)
    return f"{rule.name} [{tools}]" if tools and rule.name != f"as {tools}" else rule.name
