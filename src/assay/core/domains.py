"""Domains of parameters, options and fields: declared once; checking, parsing, messages and help follow from them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, get_args

from assay.core.digits import in_full
from assay.core.errors import ParameterError, argument_name, did_you_mean

_TOO_LARGE = (1 << 62) - 1


class Domain:
    """A set of allowed values that can check a value and say what it is."""

    def check(self, name: str, value: Any) -> Any:
        """Give the value in its proper type, or refuse it."""
        raise self.refusal(name, value)

    def describe(self) -> str:
        """Say in words which values are allowed."""
        return "anything"

    def refusal(self, name: str, value: Any, hint: str = "") -> ParameterError:
        """The error for a value that is not allowed."""
        return ParameterError(f"{argument_name(name)} is {self.describe()}, not {value!r}{hint}")


class Whole(Domain):
    """Whole numbers from `low` on, or up to `high`; None as well if `optional`.

    >>> Whole(1).check("cutoff", 10)
    10
    >>> Whole(0, high=15).describe()
    'a whole number from 0 to 15'
    """

    def __init__(self, low: int = 1, optional: bool = False, high: int | None = None) -> None:
        self.low, self.optional, self.high = low, optional, high

    def check(self, name: str, value: Any) -> Any:
        """Accept whole numbers, also written as 10.0."""
        if value is None and self.optional:
            return None
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        high = _TOO_LARGE if self.high is None else self.high
        if isinstance(value, bool) or not hasattr(value, "__index__") or not self.low <= int(value) <= high:
            raise self.refusal(name, value)
        return int(value)

    def describe(self) -> str:
        """Say in words which values are allowed."""
        return f"a whole number from {self.low} {'on' if self.high is None else f'to {self.high}'}"


class Real(Domain):
    """Numbers between two ends; `inside` leaves the ends out. `infinite`: there is a limit at infinity, `inf`.

    >>> Real(0.0, inside=True, infinite=True).check("beta", math.inf)
    inf
    """

    def __init__(
        self,
        low: float = -math.inf,
        high: float = math.inf,
        inside: bool = False,
        optional: bool = False,
        infinite: bool = False,
    ) -> None:
        self.low, self.high, self.inside, self.optional, self.infinite = low, high, inside, optional, infinite

    def check(self, name: str, value: Any) -> Any:
        """Accept any number type, but no truth values."""
        if value is None and self.optional:
            return None
        if isinstance(value, bool | str) or not hasattr(value, "__float__"):
            raise self.refusal(name, value)
        try:
            number = float(value)
        except (OverflowError, TypeError, ValueError):
            raise self.refusal(name, value) from None
        fits = self.low < number < self.high if self.inside else self.low <= number <= self.high
        if not (fits and math.isfinite(number)) and not (self.infinite and number == self.high == math.inf):
            raise self.refusal(name, value)
        return number

    def describe(self) -> str:
        """Say in words which values are allowed."""
        ends = "between" if self.inside else "from"
        if self.high == math.inf:
            if self.low == -math.inf:
                return "a finite number"
            limit = ", or inf" if self.infinite else ""
            return f"a number {f'above {self.low:g}' if self.inside else f'from {self.low:g} on'}{limit}"
        return f"a number {ends} {self.low:g} {'and' if self.inside else 'to'} {self.high:g}"


class Choice(Domain):
    """One of a few words: those of a `Literal`, or any others.

    >>> Choice(["error", "drop"]).check("nulls", "dorp")
    Traceback (most recent call last):
    assay.core.errors.ParameterError: nulls is one of error, drop, not 'dorp'; did you mean drop?
    """

    def __init__(self, words: Any) -> None:
        literal = words.__origin__ if hasattr(words, "__metadata__") else words
        self.words: tuple[str, ...] = get_args(literal) or tuple(words)

    def check(self, name: str, value: Any) -> Any:
        """Accept one of the words."""
        if value not in self.words:
            raise self.refusal(name, value, did_you_mean(str(value), self.words))
        return value

    def describe(self) -> str:
        """Say in words which values are allowed."""
        return f"one of {', '.join(self.words)}"


class Flag(Domain):
    """Yes or no.

    >>> Flag().check("adjusted", "true")
    True
    """

    def check(self, name: str, value: Any) -> bool:
        """Accept truth values, also as words."""
        truth = {"true": True, "false": False}.get(str(value).lower())
        if truth is None or (isinstance(value, float | int) and not isinstance(value, bool)):
            raise self.refusal(name, value)
        return truth

    def describe(self) -> str:
        """Say in words which values are allowed."""
        return "True or False"


class WordOrTable(Choice):
    """One of a few words, or a table of numbers such as {1: 3, 2: 9}; `keys` and `values` say which numbers."""

    def __init__(
        self,
        words: tuple[str, ...],
        keys: Real | None = None,
        values: Real | None = None,
        example: str = "{1: 3, 2: 9}",
    ) -> None:
        super().__init__(words)
        self.keys, self.values, self.example = keys or Real(), values or Real(), example

    def check(self, name: str, value: Any) -> Any:
        """Accept a word or a mapping of numbers to numbers; give the latter as a sorted tuple of pairs."""
        pairs = tuple(value.items()) if isinstance(value, Mapping) else value
        if not isinstance(pairs, tuple):
            return super().check(name, value)
        try:
            within = f"a number in {name}"
            table = {self.keys.check(within, key): self.values.check(within, item) for key, item in pairs}
        except ParameterError:
            raise
        except (TypeError, ValueError):
            raise self.refusal(name, value) from None
        return tuple(sorted(table.items()))

    def describe(self) -> str:
        """Say in words which values are allowed."""
        return f"{super().describe()}, or a table such as {self.example}"


class WordOrRows(Choice):
    """One of a few words, or rows of numbers that grow by one: `'1; 0.8 0.9'`; `values` says which numbers.

    >>> WordOrRows(["distance"], Real(0.0, 1.0)).check("examination", [[1], [0.8, 0.9]])
    '1; 0.8 0.9'
    """

    def __init__(self, words: Any, values: Real) -> None:
        super().__init__(words)
        self.values = values

    def check(self, name: str, value: Any) -> Any:
        """Accept a word, or rows as text or as lists; give the latter as text."""
        if value in self.words:
            return value
        try:
            rows = (
                [row.split() for row in str(value).split(";")] if isinstance(value, str | float | int) else list(value)
            )
            numbers = [[self.values.check(f"a number in {name}", float(each)) for each in row] for row in rows]
        except (TypeError, ValueError) as problem:
            if isinstance(problem, ParameterError):
                raise
            raise self.refusal(name, value, did_you_mean(str(value), self.words)) from None
        if [len(row) for row in numbers] != list(range(1, len(numbers) + 1)):
            raise self.refusal(name, value)
        return "; ".join(" ".join(in_full(each) for each in row) for row in numbers)

    def describe(self) -> str:
        """Say in words which values are allowed."""
        return f"{super().describe()}, or rows of 1, 2, 3, ... numbers such as '1; 0.8 0.9'"


#: A share of something, ends included; a level of an interval, or the chance that something holds, ends left out.
SHARE, CONFIDENCE = Real(0.0, 1.0), Real(0.0, 1.0, inside=True)
#: What may be larger without an end, but not 0: a margin, a difference to find.
POSITIVE = Real(0.0, inside=True)


def check_levels(*, alpha: float, power: float, margin: float | None = None) -> None:
    """Refuse levels and margins that are none.

    >>> check_levels(alpha=0.05, power=0.8)
    """
    Real(0.0, 0.5, inside=True).check("alpha", alpha)
    CONFIDENCE.check("power", power)
    if margin is not None:
        POSITIVE.check("the margin", margin)
