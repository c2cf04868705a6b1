"""Numbers as people read them: as few decimals as tell the truth.

A number is never rounded onto 0, 1 or -1, nor a share onto 0 % or 100 %, unless it is that; numbers that are compared
with one another have decimals until they differ. What is within `NOISE` of such a value is that value: each
floating-point operation may be off by 1e-16, and thousands of them add up. Numbers within `ALIKE` look alike.

>>> number(0.5), number(0.99999), number(0.000006), number(0.1 + 0.2 - 0.3)
('0.5000', '0.99999', '0.000006', '0.0000')
>>> as_percent(0.5), as_percent(0.99999), as_percent(1.0), as_percent(-0.0)
('50.0%', '99.999%', '100.0%', '0.0%')
>>> numbers([0.70001, 0.70002]), as_percents([0.00001, 0.000008])
(['0.70001', '0.70002'], ['0.001%', '0.0008%'])
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from decimal import ROUND_FLOOR, Decimal

#: Nearer than this to 0, 1 or -1 is that: what is left is rounding of sums, not of what is shown.
NOISE = 1e-12
#: Numbers that differ by less than a billionth are not told apart: expected values are off by more than sums are.
ALIKE = 1e-9
_MARKS = (0.0, 1.0, -1.0)
NOT_AVAILABLE = "NA"
ABOVE_ALL = "above all scores"
#: From here on, floating-point numbers have no decimals.
_LARGE = 1e16
#: A threshold has at least so many digits, if it has them.
_DIGITS = 4


def decimals(values: Iterable[float], least: int = 4) -> int:
    """The decimals that show numbers truthfully that stand below one another and are compared.

    >>> decimals([0.5, 0.25]), decimals([0.5, 0.99996]), decimals([0.123456, 0.123457])
    (4, 5, 6)
    """
    return max(_places([_settled(value) for value in values], least), default=least)


def numbers(values: Iterable[float], least: int = 4) -> list[str]:
    """Numbers that are compared, with decimals until they differ.

    >>> numbers([0.99999, 1.0, math.nan]), numbers([0.70001, 0.70002, 0.5])
    (['0.99999', '1.0000', 'NA'], ['0.70001', '0.70002', '0.5000'])
    >>> numbers([0.5, 0.500025, 0.50005])  # not 0.50000, 0.50003 and 0.5000
    ['0.50000', '0.500025', '0.500050']
    """
    settled = [_settled(value) for value in values]
    both = zip(settled, _places(settled, least), strict=True)
    return [NOT_AVAILABLE if math.isnan(value) else _written(value, places) for value, places in both]


def _written(value: float, places: int) -> str:
    """A number with so many decimals; one that has none, in as few digits as it takes.

    >>> _written(0.5, 4), _written(1e300, 4)
    ('0.5000', '1e+300')
    """
    return f"{value:.{places}f}" if abs(value) < _LARGE else f"{value:.6g}"


def number(value: float, least: int = 4) -> str:
    """One number, with `least` decimals or more."""
    return numbers([value], least)[0]


def signed(value: float, least: int = 4) -> str:
    """A difference with its sign; none has none.

    >>> signed(0.05), signed(-0.000002), signed(-0.0), signed(math.nan)
    ('+0.0500', '-0.000002', '0.0000', 'NA')
    """
    return _with_sign(number(value, least), _settled(value))


def span(low: float, high: float) -> str:
    """From where to where, such as an interval.

    >>> span(0.5, 0.75), span(math.nan, math.nan)
    ('0.5000 to 0.7500', 'NA')
    """
    return " to ".join(numbers([low, high])) if math.isfinite(low) and math.isfinite(high) else NOT_AVAILABLE


def signed_span(low: float, high: float) -> str:
    """From where to where, of a difference.

    >>> signed_span(-0.05, 0.00001), signed_span(0.05001, 0.05002)
    ('-0.0500 to +0.00001', '+0.05001 to +0.05002')
    """
    if not (math.isfinite(low) and math.isfinite(high)):
        return NOT_AVAILABLE
    return " to ".join(
        _with_sign(text, _settled(end)) for text, end in zip(numbers([low, high]), (low, high), strict=True)
    )


def bracketed(low: float, high: float, least: int = 4) -> str:
    """Both ends of an interval in brackets.

    >>> bracketed(0.5, 0.75)
    '[0.5000, 0.7500]'
    """
    return f"[{', '.join(numbers([low, high], least))}]"


def as_percents(values: Iterable[float], least: int = 1) -> list[str]:
    """Shares that are compared, in percent.

    >>> as_percents([0.99996, 0.99994]), as_percents([0.5, math.nan])
    (['99.996%', '99.994%'], ['50.0%', 'NA'])
    """
    parts = [100 * _settled(value) for value in values]
    both = zip(parts, _places(parts, least, [100 * mark for mark in _MARKS]), strict=True)
    return [NOT_AVAILABLE if math.isnan(part) else f"{_written(part, places)}%" for part, places in both]


def as_percent(value: float, least: int = 1) -> str:
    """One share in percent, with `least` decimals or more."""
    return as_percents([value], least)[0]


def percent_span(low: float, high: float) -> str:
    """From where to where, in percent.

    >>> percent_span(0.5, 0.99999)
    '50.0% to 99.999%'
    """
    return " to ".join(as_percents([low, high]))


def signed_percent(value: float, least: int = 1) -> str:
    """A relative difference in percent, with its sign.

    >>> signed_percent(0.125), signed_percent(-0.00004), signed_percent(0.0)
    ('+12.5%', '-0.004%', '0.0%')
    """
    return _with_sign(as_percent(value, least), _settled(value))


def as_level(value: float) -> str:
    """A level that somebody chose, such as that of an interval, in as many digits as it takes.

    >>> as_level(0.95), as_level(1 - 0.05 / 3), as_level(0.99999)
    ('95%', '98.33%', '99.999%')
    """
    return f"{float(as_percent(value, 2).removesuffix('%')):.15g}%"


def significant(value: float, digits: int, marks: Sequence[float] = _MARKS) -> str:
    """A number in so many digits, or more where it would become a mark, without zeros at its end.

    >>> significant(2 / 3, 4), significant(0.5, 4), significant(0.99999, 4), significant(1e-05, 4)
    ('0.6667', '0.5', '0.99999', '1e-05')
    """
    settled = _settled(value, marks)
    texts = (f"{settled:.{count}g}" for count in itertools.count(digits))
    return next(text for text in texts if settled in marks or float(text) not in marks)


def short(value: float) -> str:
    """A number as people write it down: whole numbers whole, others with four decimals at most.

    >>> short(3.0), short(0.63092975), short(1e-05), short(0.99999)
    ('3', '0.6309', '1e-05', '0.99999')
    """
    if not math.isfinite(value):
        return "?" if math.isnan(value) else f"{value}"
    if value == round(value) and abs(value) < 1e15:
        return number(value + 0.0, 0)  # no -0
    return number(value) if 1e-3 <= abs(value) < 1e15 else significant(value, 3)


def counted(count: float) -> str:
    """A number of items, or their weight: whole numbers in full, others with two decimals or four digits.

    >>> counted(1200), counted(0.25), counted(10873.456), counted(0.00123), counted(0.999)
    ('1,200', '0.25', '10,873.46', '0.00123', '0.999')
    """
    if count == math.floor(count):
        return f"{count:,.0f}"
    return f"{count:,.{decimals([count], 2)}f}" if abs(count) >= 0.1 else significant(count, 4)


def in_full(value: object) -> str:
    """A number with all its digits, and no more: what differs in the last one is another number. Else, its text.

    >>> in_full(2.0), in_full(0.40000001), in_full(3), in_full("macro")
    ('2', '0.40000001', '3', 'macro')
    """
    return repr(float(value)).removesuffix(".0") if isinstance(value, float) else str(value)


def threshold(value: float, below: float) -> str:
    """A threshold in few digits that decide as it does: not above it, and above the next lower score.

    >>> threshold(0.54, below=0.53), threshold(0.7312345678, below=0.7299), threshold(0.7312345678, below=0.73123)
    ('0.54', '0.7312', '0.731234')
    >>> threshold(math.inf, below=0.9), threshold(math.nan, below=0.9)
    ('above all scores', 'NA')
    """
    if not math.isfinite(value):
        return NOT_AVAILABLE if math.isnan(value) else ABOVE_ALL
    exact = Decimal(repr(value))
    for digits in range(_DIGITS, 18):
        places = digits - exact.adjusted() - 1
        cut = exact.quantize(Decimal(1).scaleb(-places), rounding=ROUND_FLOOR)
        if float(cut) > below:
            return in_full(float(cut))
    return in_full(value)


def p_value(p: float, alpha: float = 0.05) -> str:
    """A p-value as papers print it; one that is nearly alpha shows on which side of it it lies.

    >>> p_value(0.04), p_value(0.00001), p_value(0.99999), p_value(1.0), p_value(0.050004)
    ('0.0400', '< 0.0001', '> 0.9999', '1.0000', '0.050004')
    """
    settled = _settled(p)
    if settled < 0.0001:
        return "< 0.0001"
    if 0.9999 < settled < 1:
        return "> 0.9999"
    return numbers([settled, alpha])[0]


def p_phrase(p: float) -> str:
    """The same in a sentence.

    >>> p_phrase(0.04), p_phrase(0.00001), p_phrase(math.nan)
    ('p = 0.0400', 'p < 0.0001', 'p not available')
    """
    if math.isnan(p):
        return "p not available"
    text = p_value(p)
    return f"p {text}" if text[0] in "<>" else f"p = {text}"


def _settled(value: float, marks: Sequence[float] = _MARKS) -> float:
    """The value, or the mark that it is off by noise only."""
    return next((mark for mark in marks if abs(value - mark) <= NOISE * max(1.0, abs(mark))), float(value))


def _places(values: Sequence[float], least: int, marks: Sequence[float] = _MARKS) -> list[int]:
    """The fewest decimals at which no number becomes a mark that it is not, and all stand in their order."""
    places = [max((_off(value, mark, least) for mark in marks), default=least) for value in values]
    ordered = sorted((place for place, value in enumerate(values) if math.isfinite(value)), key=values.__getitem__)
    neighbours = list(itertools.pairwise(ordered))
    changed = True
    while changed:  # more decimals for a pair may lead one of them past its other neighbour
        changed = False
        for lower, upper in neighbours:
            low = values[lower]
            high = values[upper]
            most = max(places[lower], places[upper])
            apart = high - low > ALIKE * max(1.0, abs(low), abs(high))
            if apart and round(low, places[lower]) >= round(high, places[upper]):
                places[lower] = places[upper] = most + 1
                changed = True
            elif not apart and places[lower] != places[upper]:
                places[lower] = places[upper] = most
                changed = True
    return places


def _off(value: float, mark: float, least: int) -> int:
    """The fewest decimals that keep a number off a mark, and show roughly how far off it is."""
    places = least
    if math.isfinite(value) and value != mark and round(value, least) == mark:
        while abs(round(value, places) - value) > 0.1 * abs(value - mark):  # 0.000006 is not 0.00001
            places += 1
    return places


def _with_sign(text: str, value: float) -> str:
    return f"+{text}" if value > 0 else text
