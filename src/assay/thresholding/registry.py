"""`@rule` and `Rule`: a way of choosing a threshold is a value with parameters, registered where it is defined."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import getdoc, signature
from typing import Any, NamedTuple, get_args, get_type_hints

import numpy as np

from assay.core.domains import Domain
from assay.core.errors import ParameterError, did_you_mean
from assay.counting.judgments import Floats, Mask
from assay.measures.parser import parse_value
from assay.stats.rounding import ROUNDING
from assay.thresholding.cells import Cells

_SHAPE = re.compile(r"\s*(?P<name>\w+)\s*(?:\((?P<inside>.*)\))?\s*", re.DOTALL)


class Bound(NamedTuple):
    """What has to be kept: the quantity by threshold, and the least (or, with `at_most`, the most) it may be."""

    says: str
    quantity: Floats
    limit: float
    at_most: bool = False

    def kept(self) -> Mask:
        """Which thresholds keep it; rounding does not decide."""
        nearly = ROUNDING * max(1.0, abs(self.limit))
        if self.at_most:
            return np.asarray(self.quantity <= self.limit + nearly)
        return np.asarray(self.quantity >= self.limit - nearly)

    def __str__(self) -> str:
        return f"{self.says} {'<=' if self.at_most else '>='} {in_full(self.limit)}"


def in_full(number: float) -> str:
    """A number with all its digits, and no more.

    >>> in_full(2.0), in_full(0.40000001)
    ('2', '0.40000001')
    """
    return repr(float(number)).removesuffix(".0")


class Wanted(NamedTuple):
    """What a rule looks at, by threshold: its criterion, NaN where that is undefined, and a bound to be kept.

    `scale` is how large the criterion can get: what differs by the rounding of such numbers is the same. `corners`:
    another true positive is always good and another false one bad, if only where all else is equal, so that the best
    threshold is a corner of the ROC curve. `possible`: where a choice by the criterion makes sense, if not everywhere.
    """

    value: Floats
    bound: Bound | None = None
    scale: float = 1.0
    corners: bool = False
    possible: Any = True

    def eligible(self) -> Floats:
        """The criterion where a threshold can be chosen, NaN elsewhere."""
        may = self.possible if self.bound is None else self.possible & self.bound.kept()
        return np.where(may, self.value, np.nan)


class Defined(NamedTuple):
    """What is known of a rule: read off its function and the decorator."""

    name: str
    function: Callable[..., Wanted]
    criterion: str
    smallest: bool
    bounds: tuple[float, float]
    domains: Mapping[str, Domain]
    defaults: Mapping[str, Any]
    says: str


@dataclass(frozen=True)
class Rule:
    """A rule with its parameters; call it to change them.

    >>> from assay.thresholding.rules import max_f
    >>> max_f(beta=2), parse_rule("max_f(beta=2)") == max_f(beta=2)
    (max_f(beta=2), True)
    """

    name: str
    chosen: tuple[tuple[str, Any], ...] = field(default=())

    @property
    def definition(self) -> Defined:
        """What is known of it."""
        return _RULES[self.name]

    @property
    def parameters(self) -> dict[str, Any]:
        """All parameters with their values, chosen or default."""
        return {**self.definition.defaults, **dict(self.chosen)}

    @property
    def criterion(self) -> str:
        """What the rule looks at."""
        return self.definition.criterion

    @property
    def is_given(self) -> bool:
        """Whether the threshold is given, not chosen by looking at data."""
        return "threshold" in self.definition.domains

    def __call__(self, /, **changes: Any) -> Rule:
        """Give the rule with other parameters."""
        domains = self.definition.domains
        checked = dict(self.chosen)
        for name, value in changes.items():
            if name not in domains:
                takes = ", ".join(domains) or "no parameters"
                raise ParameterError(
                    f"{self.name} has no parameter {name!r}; it takes {takes}{did_you_mean(name, domains)}"
                )
            checked[name] = domains[name].check(f"{name} of {self.name}", value)
        return Rule(self.name, tuple((name, checked[name]) for name in domains if name in checked))

    def of(self, cells: Cells) -> Wanted:
        """What the rule looks at, at each threshold."""
        return self.definition.function(cells, **self.parameters)

    def __str__(self) -> str:
        defaults = self.definition.defaults
        arguments = [
            in_full(value) if self.name.endswith(f"_{name}") else f"{name}={in_full(value)}"
            for name, value in self.parameters.items()
            # What is at a default that changes nothing, such as a cost of 0, is not worth the room.
            if value is not None and (value != defaults[name] or defaults[name])
        ]
        return f"{self.name}({', '.join(arguments)})" if arguments else self.name

    __repr__ = __str__


_RULES: dict[str, Defined] = {}


def rule(
    criterion: str, *, smallest: bool = False, bounds: tuple[float, float] = (0.0, 1.0)
) -> Callable[[Callable[..., Wanted]], Rule]:
    """Register a function from cells to what a rule looks at; the threshold with the largest criterion is chosen.

    The function's name is the rule's; its keyword parameters have declared domains. `smallest`: the smallest is chosen.
    `bounds`: the smallest and the largest value that the criterion can have.
    """

    def register(function: Callable[..., Wanted]) -> Rule:
        hints = get_type_hints(function, include_extras=True)
        parameters = list(signature(function).parameters.values())[1:]
        domains = {
            parameter.name: next(d for d in get_args(hints[parameter.name]) if isinstance(d, Domain))
            for parameter in parameters
        }
        defaults = {parameter.name: parameter.default for parameter in parameters}
        summary = (getdoc(function) or "").splitlines()[0]
        _RULES[function.__name__] = Defined(
            function.__name__, function, criterion, smallest, bounds, domains, defaults, summary
        )
        return Rule(function.__name__)

    return register


def registered_rules() -> dict[str, Rule]:
    """All rules by name.

    >>> list(registered_rules())[:3]
    ['max_accuracy', 'closest_to_corner', 'youden']
    """
    importlib.import_module("assay.thresholding.rules")  # rules register themselves when they are loaded
    return {name: Rule(name) for name in _RULES}


def parse_rule(text: str | Rule, /, **parameters: Any) -> Rule:
    """Read a rule, such as `max_f(beta=2)`; parameters may also be given beside it.

    >>> parse_rule("cost(fp=1, fn=10)"), parse_rule("max_tpr_given_tnr", tnr=0.95), parse_rule("weighted(0.7)")
    (cost(fp=1, fn=10), max_tpr_given_tnr(0.95), weighted(w=0.7))
    """
    if isinstance(text, Rule):
        return text(**parameters) if parameters else text
    shape = _SHAPE.fullmatch(text) if isinstance(text, str) else None
    if shape is None:
        raise ParameterError(f"a rule is given by name, such as 'youden' or 'max_f(beta=2)', not {text!r}")
    known = registered_rules()
    if shape["name"] not in known:
        hint = did_you_mean(shape["name"], known) or f"; there are {', '.join(known)}"
        raise ParameterError(f"no rule is called {shape['name']!r}{hint}")
    written: dict[str, Any] = {}
    domains = known[shape["name"]].definition.domains
    for part in (shape["inside"] or "").split(",") if (shape["inside"] or "").strip() else ():
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals and len(domains) == 1:  # of one parameter only the value need be written
            name, equals, value = next(iter(domains)), "=", name
        if not equals or not name:
            raise ParameterError(f"{text!r}: expected parameter=value in the parentheses, got {part.strip()!r}")
        if name in written or name in parameters:
            raise ParameterError(f"{text!r}: {name} is given twice")
        written[name] = parse_value(value)
    return known[shape["name"]](**written, **parameters)
