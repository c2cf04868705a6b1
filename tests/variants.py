"""Every registered measure with parameters to try, and tables to try them on."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from strategies import TOP_GRADE, random_tables

from assay import Measure, ParameterError, Ranks
from assay.core.domains import Choice, Flag, Real, Whole, WordOrRows, WordOrTable
from assay.measures import registered
from assay.measures.counting.judgments import Floats
from assay.measures.definition import Parameter

EXACT = 1e-9
MEASURES = tuple(registered().values())
DATA = {
    "graded": random_tables(1),
    "fractions": random_tables(2, fractions=True),
    "small": random_tables(3, topics=16, documents=5, levels=2),
    "untied": random_tables(4, levels=None, fractions=True),
}


def values(parameter: Parameter) -> list[Any]:
    """Values that the parameter's domain lets in: its ends and something in between."""
    match parameter.domain:
        case WordOrTable(words=words, values=worth):
            return [*words, {1: min(3, worth.high), 2: min(9.5, worth.high / 2)}, {0: 0.5, TOP_GRADE: 1}]
        case Choice(words=words):
            return [*words, *(["1", "1; 0.5 1; 0.25 0.5 0"] if isinstance(parameter.domain, WordOrRows) else [])]
        case Flag():
            return [False, True]
        case Whole(low=low):
            return [low, low + 2, low + 9]
        case Real(low=low) if math.isinf(low):
            return [-1.0, 0.0, 2.0]
        case Real(low=low, high=high, inside=inside):
            width = TOP_GRADE if math.isinf(high) else high - low
            shares = (0.1, 0.25, 0.5, 0.9) if inside else (0.0, 0.1, 0.25, 0.5, 0.9, 1.0)
            return [low + width * share for share in shares] + [math.inf] * parameter.domain.infinite
        case domain:
            raise NotImplementedError(f"no values to try for {domain}")


@cache
def variants(measure: Measure) -> tuple[Measure, ...]:
    """The measure with its defaults, with each parameter changed, and so with a cut-off too."""
    parameters = measure.definition.parameters
    one = [measure(**{name: value}) for name, parameter in parameters.items() for value in values(parameter)]
    at = measure.definition.at
    both = [] if at is None else [changed @ values(parameters[at])[1] for changed in one]
    return tuple(filter(_takes_all_grades, dict.fromkeys([measure, *one, *both])))


def _takes_all_grades(measure: Measure) -> bool:
    """Whether the parameters allow for the grades of the test data (a `max_grade` may be too low)."""
    try:
        measure.of(Ranks.from_grades([TOP_GRADE]))
    except ParameterError:
        return False
    return True


def has_gain_table(measure: Measure) -> bool:
    """Whether gains can be given by a table."""
    gain = measure.definition.parameters.get("gain")
    return gain is not None and isinstance(gain.domain, WordOrTable)


def gain_table(measure: Measure) -> dict[float, float]:
    """The gains by grade, or the chances to satisfy, if the measure has a table of them."""
    if "attraction" in measure.parameters:  # clicked and satisfied: the other of the two goes by the grade
        tables = [
            table for name in ("attraction", "satisfaction") if isinstance(table := measure.parameters.get(name), tuple)
        ]
        return {grade: chance * (2**grade - 1) for grade, chance in tables[0]} if tables else {}
    gain = measure.parameters.get("gain", measure.parameters.get("satisfaction"))
    return dict(gain) if isinstance(gain, tuple) else {}


@cache
def counted(name: str, **rules: Any) -> Ranks:
    """The counts of one of the tables."""
    return Ranks.from_tables(DATA[name].run, DATA[name].qrels, **rules)


def by_query(measure: Measure, ranks: Ranks) -> dict[str, float]:
    """The values by the names of the queries."""
    return dict(zip(ranks.queries, measure.of(ranks).tolist(), strict=True))


def same(left: Floats | list[float], right: Floats | list[float], tolerance: float = EXACT) -> bool:
    """Whether all values are the same, and undefined for the same queries."""
    return bool(np.allclose(left, right, rtol=0, atol=tolerance, equal_nan=True))


def fill(measure: Measure, template: str, value: Any = None) -> tuple[Measure, str]:
    """Put a value for the parameter that the template names into the measure, and into the template."""
    named = [name for name in measure.definition.parameters if f"{{{name}}}" in template]
    if not named:
        return measure, template
    value = values(measure.definition.parameters[named[0]])[1] if value is None else value
    return measure(**{named[0]: value}), template.format(**{named[0]: value})
