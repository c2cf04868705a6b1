"""Models compared over folds, for people: a row a finding, sentences, and what the test takes for granted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.core.digits import as_level, numbers, p_value, signed, signed_span
from assay.core.errors import number_of
from assay.core.words import CORRECTED_BY, TESTS
from assay.report.layout import Cell, Table, as_json
from assay.report.titled import Titled
from assay.sections.sentences import of_finding

if TYPE_CHECKING:
    from assay.comparison.findings import Finding
    from assay.crossvalidation.comparing import FoldComparison

JSON_SCHEMA_VERSION = 1


def tables(result: FoldComparison) -> list[Titled]:
    """One row a finding."""
    first, two = result.findings[0], len(result.pairs.pairs) == 1
    level = f"{as_level(1 - result.settings.alpha)} interval"
    shown = (first.baseline, first.system) if two else ("baseline's", "value")
    rows = tuple(
        ((one.measure,) if two else (one.measure, one.system, one.baseline), tuple(map(Cell, _cells(one))))
        for one in result.findings
    )
    names = ("measure",) if two else ("measure", "system", "baseline")
    return [Titled("", Table(names, (*shown, "difference", level, "p", "won/tied/lost", "verdict"), rows))]


def _cells(one: Finding) -> Iterator[str]:
    yield from (*numbers([one.baseline_value, one.value]), signed(one.difference))
    yield signed_span(one.interval.low, one.interval.high)
    yield p_value(one.p)
    yield "/".join(map(str, one.record))
    yield f"{one.verdict.word}{' (negligible)' if one.verdict.negligible else ''}"


def lines(result: FoldComparison) -> list[str]:
    """The findings in sentences, the method, and what it does not cover."""
    return [*_sentences(result), _method(result), _scope(result), *result.notes]


def _sentences(result: FoldComparison) -> Iterator[str]:
    for one in result.findings:
        yield of_finding(one, "fold", result.settings.power)


def _method(result: FoldComparison) -> str:
    settings = result.settings
    noted = [*dict.fromkeys(one.outcome.note for one in result.findings)]
    how = f", {noted[0]}" if len(noted) == 1 and noted[0] else ""
    over, margins = len(result.pairs.pairs), dict.fromkeys(f"{one.margin.value:g}" for one in result.findings)
    family = f"; p corrected by {CORRECTED_BY[settings.correction]} over {number_of('pair', over)}"
    corrected = family if over > 1 and settings.correction in CORRECTED_BY else ""
    test = TESTS[settings.test]
    return f"{test[0].upper()}{test[1:]}{how}{corrected}; margin {' or '.join(margins)}; alpha {settings.alpha:g}."


def _scope(result: FoldComparison) -> str:
    return (
        f"{result.says}. It is about models that learn from so many items of this kind; folds drawn again from the "
        "same items add little, more items add more."
    )


def to_json(result: FoldComparison) -> str:
    """Everything, numbers in full."""
    told = {
        "schema_version": JSON_SCHEMA_VERSION,
        "settings": result.settings._asdict(),
        "splits": result.says,
        "findings": [
            row
            | {
                "test": one.outcome._asdict(),
                "interval": one.interval._asdict(),
                "equivalence_interval": one.narrow._asdict(),
                "margin_is": one.margin.says,
                "why": one.verdict.why,
            }
            for one, row in zip(result.findings, result.to_frame().to_dicts(), strict=True)
        ],
        "sentences": [*_sentences(result)],
        "method": _method(result),
        "notes": list(result.notes),
    }
    return as_json(told)
