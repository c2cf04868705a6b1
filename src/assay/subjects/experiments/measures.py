"""What an A/B test is measured by: means, ratios and quantiles of the columns of its users.

`clicks` is the mean per user, `clicks/pages` the ratio of both sums, `median(seconds)` and `quantile(seconds, 0.9)` are
quantiles over users, `capped(revenue, 500)` caps at a number, and `winsorised(revenue, 0.999)` at a quantile of all.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

from assay.core.errors import ParameterError, not_among
from assay.measures.counting.arms import Arm
from assay.tables import Direction

_NUMBER = r"[0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?"
_MEDIAN = re.compile(r"median\((?P<column>.+)\)")
_CUT = re.compile(rf"(?P<how>quantile|capped|winsori[sz]ed)\((?P<column>.+?)\s*,\s*(?P<at>{_NUMBER})\)")
#: Parts of names that say which way a number is good; those of the second kind are looked for first.
_GOOD = (
    "retention", "retained", "conver", "purchas", "revenue", "order", "bought", "buys", "sales", "profit", "success",
    "click", "ctr", "signup", "sign_up", "subscri", "activ", "spend", "spent", "install",
)  # fmt: skip
_BAD = (
    "latency", "error", "bounce", "abandon", "churn", "unsubscri", "crash", "refund", "complain", "zero_result",
    "cancel", "cost", "fail", "timeout",
)  # fmt: skip


class Cut(NamedTuple):
    """A column that is cut off at a number, or at a quantile of all users' values."""

    column: str
    how: Literal["capped", "winsorised"]
    at: float


class OnlineDefinition(NamedTuple):
    """What explanations ask of a measure's definition: what it is counted from, and its bounds."""

    counts: type[Arm] = Arm
    bounds: tuple[float, float] | None = None


@dataclass(frozen=True)
class OnlineMeasure:
    """A measure of an A/B test: its name, its kind, and the columns that it is made of.

    >>> OnlineMeasure.parse("clicks/pages", ["clicks", "pages"]).kind
    'ratio'
    """

    name: str
    kind: Literal["mean", "ratio", "quantile"]
    columns: tuple[str | Cut, ...]
    level: float = 0.5
    #: The direction, where the data tell it.
    stated: Direction | None = None

    #: An explanation shows no units of it one by one.
    is_micro: ClassVar[bool] = False
    definition: ClassVar[OnlineDefinition] = OnlineDefinition()

    @classmethod
    def parse(
        cls, text: str, columns: Sequence[str], ratios: Mapping[str, tuple[str, str, Direction | None]] | None = None
    ) -> OnlineMeasure:
        """Read a measure of these columns; a column's own name goes first, whatever is in it."""
        text = text.strip()
        if ratios and text in ratios:
            numerator, denominator, direction = ratios[text]
            return cls(text, "ratio", (numerator, denominator), 0.5, direction)
        if text in columns:
            return cls(text, "mean", (text,))
        if found := _MEDIAN.fullmatch(text):
            return cls(text, "quantile", (_column(found["column"], columns),))
        found = _CUT.fullmatch(text)
        if found is not None and found["how"] == "quantile":
            level = float(found["at"])
            if not 0 < level < 1:
                raise ParameterError(f"{text}: the level of a quantile lies between 0 and 1, not at {level:g}")
            return cls(text, "quantile", (_column(found["column"], columns),), level)
        if found is not None:
            return cls(text, "mean", (_column(text, columns),))
        for place in (place for place, mark in enumerate(text) if mark == "/"):
            parts = text[:place].strip(), text[place + 1 :].strip()
            if all(part in columns or _CUT.fullmatch(part) for part in parts):
                above, below = (_column(part, columns) for part in parts)
                return cls(text, "ratio", (above, below))
        raise not_among("measure", text, [*(ratios or ()), *columns])

    def __str__(self) -> str:
        return self.name

    @property
    def direction(self) -> Direction:
        """Whether higher or lower is better, as far as its name tells.

        >>> [OnlineMeasure.parse(name, [name]).direction for name in ("retention_7", "error_rate", "rounds")]
        ['higher', 'lower', 'unknown']
        """
        if self.stated is not None:
            return self.stated
        above = self.columns[0]
        name = (above if isinstance(above, str) else above.column).casefold().replace("-", "_").replace(" ", "_")
        if any(part in name for part in _BAD):
            return "lower"
        return "higher" if any(part in name for part in _GOOD) else "unknown"


def _column(text: str, columns: Sequence[str]) -> str | Cut:
    """A column, or one that is cut off."""
    text = text.strip()
    if text in columns:
        return text
    found = _CUT.fullmatch(text)
    if found is None or found["how"] == "quantile":
        raise not_among("column", text, columns)
    inner, at = found["column"].strip(), float(found["at"])
    if inner not in columns:
        raise not_among("column", inner, columns)
    if found["how"] == "capped":
        return Cut(inner, "capped", at)
    if not 0 < at < 1:
        raise ParameterError(f"{text}: values are winsorised at a quantile between 0 and 1, not at {at:g}")
    return Cut(inner, "winsorised", at)


def named(column: str | Cut) -> str:
    """The name of a column, also of one that is cut off.

    >>> named(Cut("clicks", "capped", 500))
    'capped(clicks, 500)'
    """
    return column if isinstance(column, str) else f"{column.how}({column.column}, {column.at:g})"
