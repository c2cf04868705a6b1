"""An audit as a table of values and lines of reasons; two signatures as a table of what differs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

from assay.core.digits import NOT_AVAILABLE, number, signed
from assay.core.errors import number_of
from assay.report.layout import Cell, Table
from assay.report.titled import Titled

if TYPE_CHECKING:
    from assay.auditing import Audit, SignatureComparison
    from assay.auditing.registry import Rule
    from assay.auditing.search import Answer, Match

_Row: TypeAlias = tuple[tuple[str, str, str], tuple[Cell, ...]]

_MOST_MATCHES = 5
#: Fewer decimals are reached by many rules.
_TELLING_DIGITS = 3
_CLEANED = "after removing duplicates"


def tables(audit: Audit) -> list[Titled]:
    """Assay's value and those that differ from it, largest first; the value that was asked for stands out."""
    rows = [((name,), cells) for (name, _, _), cells in _rows(audit)]
    return [Titled(f"{audit.measure}, {audit.where}", Table(("rule",), ("value", "difference"), tuple(rows)))]


def full_tables(audit: Audit) -> list[Titled]:
    """The same with tools and reasons, for pages, which have room for them."""
    names = ("rule", "tools", "why")
    return [Titled(f"{audit.measure}, {audit.where}", Table(names, ("value", "difference"), tuple(_rows(audit))))]


def lines(audit: Audit, reasons: bool = True) -> list[str]:
    """The value asked for, the tools and the reasons, what makes no difference, and the signature."""
    said = [] if audit.answer is None else [*_answered(audit.answer), ""]
    if audit.repeated_rows:
        rows = number_of("row", audit.repeated_rows)
        said += [f"{rows} with a document that the query had before; Assay's own value counts each document once.", ""]
    if reasons and audit.tools:
        cleaned = f", {_CLEANED}" if audit.repeated_rows else ""
        said += [f"Assay's own value is also that of {', '.join(audit.tools)}{cleaned}.", ""]
    if reasons and audit.answer is None and audit.different:
        said += [
            *(f"{_cleaned(_with_tools(finding.rule), audit)}: {finding.rule.why}" for finding in audit.different),
            "",
        ]
    if audit.same:
        names = dict.fromkeys(_cleaned(finding.rule.name, audit) for finding in audit.same)
        said += [f"Would give the same here: {'; '.join(names)}.", ""]
    return [*said, audit.signature, *audit.notes]


def _cleaned(name: str, audit: Audit) -> str:
    """A rule's name; trec_eval itself stops at a document that comes again."""
    return f"{name} ({_CLEANED})" if audit.repeated_rows and name.startswith("as trec_eval") else name


def _rows(audit: Audit) -> list[_Row]:
    own = ("Assay's own", ", ".join(audit.tools), "")
    rows: list[_Row] = [(own, (Cell(number(audit.value), _fits(audit, audit.value)), Cell("")))]
    for finding in audit.different:
        rule = finding.rule
        cells = (Cell(number(finding.value), _fits(audit, finding.value)), Cell(_signed(finding.difference)))
        rows.append(((rule.name, ", ".join(rule.tools), rule.why), cells))
    return rows


def difference_tables(comparison: SignatureComparison) -> list[Titled]:
    """What differs, the two side by side."""
    if comparison.is_same:
        return []
    rows = tuple(((one.field,), (Cell(one.first), Cell(one.second))) for one in comparison.differences)
    return [Titled("", Table(("differs",), ("first", "second"), rows))]


def difference_lines(comparison: SignatureComparison) -> list[str]:
    """What follows from each difference, and what to pass to get either number."""
    if comparison.is_same:
        return ["Both numbers were made by the same rules: what differs are the data."]
    said = [f"{one.field}: {one.follows}" for one in comparison.differences]
    return [
        *said,
        "",
        f"To get the first: {comparison.first_command or comparison.first_call}",
        f"To get the second: {comparison.second_command or comparison.second_call}",
    ]


def _answered(answer: Answer) -> list[str]:
    wanted = answer.wanted
    guessed = wanted.percent and not wanted.text.endswith("%")
    value = f"{wanted.text} (as a percentage)" if guessed else wanted.text
    if not answer.matches:
        return [f"No rule gives {value}.", *_tried(answer)]
    if not answer.matches[0].rules:
        others = list(dict.fromkeys(rule.name for match in answer.matches for rule in match.rules))
        too = f" Rules that differ less than its decimals tell: {'; '.join(others)}." if others else ""
        return [f"{value} is Assay's own value.{too}", *_few_decimals(answer)]
    said = []
    for match in answer.matches[:_MOST_MATCHES]:
        said += [f"{value} is what this gives: {_named(match)}.", *(f"  {rule.why}" for rule in match.rules)]
    if (more := len(answer.matches) - _MOST_MATCHES) > 0:
        said.append(f"{number_of('other way', more)} of counting would give it, too.")
    said += _few_decimals(answer)
    if wanted.digits >= _TELLING_DIGITS and any(len(match.rules) > 1 for match in answer.matches):
        said.append(f"No single rule gives it; among {answer.tried:,} ways of counting, some may agree by chance.")
    return said


def _few_decimals(answer: Answer) -> list[str]:
    """A warning where the value says little: 1 is what any value from 0.5 on is rounded to."""
    if answer.wanted.digits >= _TELLING_DIGITS:
        return []
    return ["So few decimals may agree by chance: with more, fewer rules are left."]


def _tried(answer: Answer) -> list[str]:
    """What was done in vain, and what came nearest."""
    said = [f"{answer.tried:,} ways of counting were tried: single rules, and a few pairs."]
    if answer.nearest is not None:
        said.append(f"Nearest is {number(answer.nearest.value)}: {_named(answer.nearest)}.")
    return [*said, "The data may differ: other judgments, another run, other topics."]


def _named(match: Match) -> str:
    return " + ".join(map(_with_tools, match.rules)) or "Assay's own value"


def _with_tools(rule: Rule) -> str:
    tools = ", ".join(rule.tools)
    return f"{rule.name} [{tools}]" if tools and rule.name != f"as {tools}" else rule.name


def _fits(audit: Audit, value: float) -> bool:
    return audit.answer is not None and audit.answer.wanted.fits(value)


def _signed(value: float) -> str:
    if math.isnan(value):
        return NOT_AVAILABLE
    return signed(value)
