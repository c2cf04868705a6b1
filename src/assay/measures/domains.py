"""The domains of measures' parameters: declared once, in the type; checking, parsing and help follow from them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias, get_args

from assay.core.errors import ParameterError, did_you_mean

_TOO_LARGE = 1 << 62


class Domain:
    """A set of allowed values that can check a value and say what it is."""

    def check(self, name: str, value: Any) -> Any:
        """Give the value in its proper type, or refuse it."""
        raise ParameterError(f"{name} takes no value {value!r}")

    def describe(self) -> str:
        """Say in words which values are allowed."""
        return "anything"


class Whole(Domain):
    """Whole numbers from `low` on; None as well if `optional`.

    >>> Whole(1).check("cutoff", 10)
    10
    """

    def __init__(self, low: int = 1, optional: bool = False) -> None:
        self.low, self.optional = low, optional

    def check(self, name: str, value: Any) -> int | None:
        """Accept whole numbers, also written as 10.0."""
        if value is None and self.optional:
            return None
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not hasattr(value, "__index__") or not self.low <= int(value) < _TOO_LARGE:
            raise ParameterError(f"{name} is {self.describe()}, not {value!r}")
        return int(value)

    def describe(self) -> str:
        """Say in words which values are allowed."""
        return f"a whole number from {self.low} on"


class Real(Domain):
    """Numbers between two ends; `inside` leaves the ends out. `infinite`: there is a limit at infinity, `inf`."""

    def __init__(
        self,
        low: float = -math.inf,
        high: float = math.inf,
        inside: bool = False,
        optional: bool = False,
        infinite: bool = False,
    ) -> None:
        self.low, self.high, self.inside, self.optional, self.infinite = low, high, inside, optional, infinite

    def check(self, name: str, value: Any) -> float | None:
        """Accept any number type, but no truth values."""
        if value is None and self.optional:
            return None
        if isinstance(value, bool | str) or not hasattr(value, "__float__"):
            raise ParameterError(f"{name} is {self.describe()}, not {value!r}")
        try:
            number = float(value)
        except (OverflowError, TypeError, ValueError):
            raise ParameterError(f"{name} is {self.describe()}, not {value!r}") from None
        fits = self.low < number < self.high if self.inside else self.low <= number <= self.high
        if not fits or math.isnan(number) or (math.isinf(number) and not self.infinite):
            raise ParameterError(f"{name} is {self.describe()}, not {value!r}")
        return number

    def describe(self) -> str:
        """Say in words which values are allowed."""
        ends = "between" if self.inside else "from"
        if self.high == math.inf:
            if self.low == -math.inf:
                return "a finite number"
            limit = ", or inf" if self.infinite else ""
            return f"a number above {self.low:g}" if self.inside else f"a number from {self.low:g} on{limit}"
        return f"a number {ends} {self.low:g} {'and' if self.inside else 'to'} {self.high:g}"


class Choice(Domain):
    """One of a few words."""

    def __init__(self, words: tuple[str, ...]) -> None:
        self.words = words

    def check(self, name: str, value: Any) -> Any:
        """Accept one of the words."""
        if value not in self.words:
            nearest = did_you_mean(str(value), self.words)
            raise ParameterError(f"{name} is {self.describe()}, not {value!r}{nearest}")
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
        found = {"true": True, "false": False}.get(str(value).lower())
        if found is None or (isinstance(value, float | int) and not isinstance(value, bool)):
            raise ParameterError(f"{name} is {self.describe()}, not {value!r}")
        return found

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
        pairs = value.items() if isinstance(value, Mapping) else value if isinstance(value, tuple) else None
        if pairs is None:
            return super().check(name, value)
        try:
            within = f"a number in {name}"
            table = {self.keys.check(within, key): self.values.check(within, item) for key, item in pairs}
        except ParameterError:
            raise
        except (TypeError, ValueError):
            raise ParameterError(f"{name} is {self.describe()}, not {value!r}") from None
        return tuple(sorted(table.items()))

    def describe(self) -> str:
        """Say in words which values are allowed."""
        return f"{super().describe()}, or a table such as {self.example}"


class At:
    """Marks the parameter that is written after the `@`."""


GainName = Literal["linear", "exp", "binary"]
DiscountName = Literal["log2", "log2max2", "zipf", "none"]
IdealName = Literal["judged", "uncut", "retrieved"]
RuleName = Literal["exact", "trec_eval-9", "trec_eval-10"]
SatisfactionName = Literal["exponential", "binary"]
GainIdealName = Literal["judged", "scale"]
AverageName = Literal["macro", "micro"]
WeightsName = Literal["none", "linear", "quadratic"]
BinsName = Literal["width", "mass"]
OfName = Literal["auto", "positive", "predicted"]
UnretrievedName = Literal["random_order", "relevant_last", "left_out"]
MeanName = Literal["arithmetic", "geometric", "min", "max"]
GainTable: TypeAlias = tuple[tuple[float, float], ...]

Cutoff: TypeAlias = Annotated[int | None, Whole(1, optional=True), At]
TopK: TypeAlias = Annotated[int, Whole(1), At]
Depth: TypeAlias = Annotated[int, Whole(1), At]
LEVEL = Real(0.0, optional=True)
Level: TypeAlias = Annotated[float | None, LEVEL]
Alpha: TypeAlias = Annotated[float | None, Real(0.0, 1.0, optional=True)]
Beta: TypeAlias = Annotated[float, Real(0.0, infinite=True)]
Recall: TypeAlias = Annotated[float, Real(0.0, 1.0), At]
Factor: TypeAlias = Annotated[float, Real(0.0, inside=True), At]
Points: TypeAlias = Annotated[int, Whole(2)]
Persistence: TypeAlias = Annotated[float, Real(0.0, 1.0, inside=True)]
Redundancy: TypeAlias = Annotated[float, Real(0.0, 1.0)]
MaxGrade: TypeAlias = Annotated[float | None, Real(0.0, inside=True, optional=True)]
Coefficient: TypeAlias = Annotated[float, Real()]
CollectionSize: TypeAlias = Annotated[int, Whole(0)]
Gain: TypeAlias = Annotated[GainName | GainTable, WordOrTable(get_args(GainName))]
Satisfaction: TypeAlias = Annotated[
    SatisfactionName | GainTable,
    WordOrTable(get_args(SatisfactionName), Real(0.0), Real(0.0, 1.0), example="{1: 0.2, 2: 0.9}"),
]
PlainGain: TypeAlias = Annotated[GainName, Choice(get_args(GainName))]
GainByGrade: TypeAlias = Annotated[Literal["linear"] | GainTable, WordOrTable(("linear",))]
Discount: TypeAlias = Annotated[DiscountName, Choice(get_args(DiscountName))]
Base: TypeAlias = Annotated[float, Real(1.0, inside=True)]
Ideal: TypeAlias = Annotated[IdealName, Choice(get_args(IdealName))]
Rule: TypeAlias = Annotated[RuleName, Choice(get_args(RuleName))]
Floor: TypeAlias = Annotated[float, Real(0.0, 1.0, inside=True)]
GainIdeal: TypeAlias = Annotated[GainIdealName, Choice(get_args(GainIdealName))]
Thresholds: TypeAlias = Annotated[Literal["uniform"] | GainTable, WordOrTable(("uniform",))]
Expected: TypeAlias = Annotated[float, Real(0.5)]
Horizon: TypeAlias = Annotated[int | None, Whole(1, optional=True)]
Adjusted: TypeAlias = Annotated[bool, Flag()]
Weights: TypeAlias = Annotated[WeightsName, Choice(get_args(WeightsName))]
Bins: TypeAlias = Annotated[int, Whole(1)]
Binning: TypeAlias = Annotated[BinsName, Choice(get_args(BinsName))]
Of: TypeAlias = Annotated[OfName, Choice(get_args(OfName))]
Unretrieved: TypeAlias = Annotated[UnretrievedName, Choice(get_args(UnretrievedName))]
MeanOfEntropies: TypeAlias = Annotated[MeanName, Choice(get_args(MeanName))]

#: How measures that have a micro average are put together; see `micro` of `@measure`.
AVERAGE = Choice(get_args(AverageName))
#: The same over classes; `binary` is no average, but the number of the positive class, and `samples` one over items,
#: where these have several labels each.
AVERAGES_OF_CLASSES = {
    "binary": Choice(("binary", "macro", "micro", "weighted")),
    "multiclass": Choice(("macro", "micro", "weighted", "samples")),
}
