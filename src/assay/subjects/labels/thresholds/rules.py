"""Rules by which a threshold is chosen, each registered where it is defined."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import getdoc, signature
from typing import Annotated, Any, NamedTuple, TypeAlias, get_args, get_type_hints

import numpy as np

from assay.core.digits import in_full
from assay.core.domains import Domain, Real, Whole
from assay.core.errors import ParameterError, did_you_mean
from assay.measures.counting.judgments import Floats, Mask
from assay.measures.definition import Beta, Coefficient
from assay.measures.parser import parse_arguments
from assay.measures.sets import square_of_beta
from assay.stats.estimates import ROUNDING
from assay.subjects.labels.thresholds.candidates import ThresholdCells, ratio

_SHAPE = re.compile(r"\s*(?P<name>\w+)\s*(?:\((?P<inside>.*)\))?\s*", re.DOTALL)


class Bound(NamedTuple):
    """A quantity to be kept, by threshold, and the least (or, with `at_most`, the most) it may be."""

    says: str
    quantity: Floats
    limit: float
    at_most: bool = False

    def kept(self) -> Mask:
        """A mask of the thresholds that keep it; rounding does not decide."""
        nearly = ROUNDING * max(1.0, abs(self.limit))
        if self.at_most:
            return np.asarray(self.quantity <= self.limit + nearly)
        return np.asarray(self.quantity >= self.limit - nearly)

    def __str__(self) -> str:
        return f"{self.says} {'<=' if self.at_most else '>='} {in_full(self.limit)}"


class Objective(NamedTuple):
    """The objective of a rule, by threshold: its criterion, NaN where that is undefined, and a bound to be kept.

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
    """The definition of a rule, read off its function and the decorator."""

    function: Callable[..., Objective]
    criterion: str
    smallest: bool
    bounds: tuple[float, float]
    domains: Mapping[str, Domain]
    defaults: Mapping[str, Any]
    says: str


@dataclass(frozen=True)
class Rule:
    """A rule with its parameters; call it to change them.

    >>> from assay.subjects.labels.thresholds.rules import max_f
    >>> max_f(beta=2), parse_rule("max_f(beta=2)") == max_f(beta=2)
    (max_f(beta=2), True)
    """

    name: str
    chosen: tuple[tuple[str, Any], ...] = ()

    @property
    def definition(self) -> Defined:
        """The definition of the rule."""
        return _RULES[self.name]

    @property
    def parameters(self) -> dict[str, Any]:
        """All parameters with their values, chosen or default."""
        return {**self.definition.defaults, **dict(self.chosen)}

    @property
    def criterion(self) -> str:
        """The criterion of the rule."""
        return self.definition.criterion

    @property
    def is_given(self) -> bool:
        """True if the threshold is given, not chosen by looking at data."""
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

    def of(self, cells: ThresholdCells) -> Objective:
        """The objective of the rule at each threshold."""
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
) -> Callable[[Callable[..., Objective]], Rule]:
    """Register a function from cells to what a rule looks at; the threshold with the largest criterion is chosen.

    The function's name is the rule's; its keyword parameters have declared domains. `smallest`: the smallest is chosen.
    `bounds`: the smallest and the largest value that the criterion can have.
    """

    def register(function: Callable[..., Objective]) -> Rule:
        hints = get_type_hints(function, include_extras=True)
        parameters = list(signature(function).parameters.values())[1:]
        domains = {
            parameter.name: next(d for d in get_args(hints[parameter.name]) if isinstance(d, Domain))
            for parameter in parameters
        }
        defaults = {parameter.name: parameter.default for parameter in parameters}
        summary = (getdoc(function) or "").splitlines()[0]
        _RULES[function.__name__] = Defined(function, criterion, smallest, bounds, domains, defaults, summary)
        return Rule(function.__name__)

    return register


def registered_rules() -> dict[str, Rule]:
    """All rules by name.

    >>> list(registered_rules())[:3]
    ['max_accuracy', 'closest_to_corner', 'youden']
    """
    return {name: Rule(name) for name in _RULES}


def parse_rule(text: str | Rule) -> Rule:
    """Read a rule, such as `max_f(beta=2)`.

    >>> parse_rule("cost(fp=1, fn=10)"), parse_rule("weighted(0.7)")
    (cost(fp=1, fn=10), weighted(w=0.7))
    """
    if isinstance(text, Rule):
        return text
    shape = _SHAPE.fullmatch(text) if isinstance(text, str) else None
    if shape is None:
        raise ParameterError(f"a rule is given by name, such as 'youden' or 'max_f(beta=2)', not {text!r}")
    known = registered_rules()
    if shape["name"] not in known:
        hint = did_you_mean(shape["name"], known) or f"; there are {', '.join(known)}"
        raise ParameterError(f"no rule is called {shape['name']!r}{hint}")
    inside = (shape["inside"] or "").strip()
    domains = known[shape["name"]].definition.domains
    if inside and "=" not in inside and len(domains) == 1:  # of one parameter only the value need be written
        inside = f"{next(iter(domains))}={inside}"
    return known[shape["name"]](**parse_arguments(inside, str(text))) if inside else known[shape["name"]]


Share: TypeAlias = Annotated[float, Real(0.0, 1.0)]
OptionalShare: TypeAlias = Annotated[float | None, Real(0.0, 1.0, optional=True)]
Alerts: TypeAlias = Annotated[int | None, Whole(0, optional=True)]
Threshold: TypeAlias = Annotated[float | None, Real(optional=True, infinite=True)]


@rule("accuracy")
def max_accuracy(cells: ThresholdCells) -> Objective:
    """Most items decided rightly."""
    return Objective(cells.accuracy, corners=True)


@rule("distance", smallest=True, bounds=(0.0, math.sqrt(2)))
def closest_to_corner(cells: ThresholdCells) -> Objective:
    """The point of the ROC curve that is nearest to the upper left corner: FPR 0, TPR 1."""
    return Objective(np.sqrt(cells.fpr**2 + (1 - cells.tpr) ** 2), corners=True)


@rule("Youden's J", bounds=(-1.0, 1.0))
def youden(cells: ThresholdCells) -> Objective:
    """The largest sum of true positive and true negative rate: Youden's index J is that sum less 1."""
    return Objective(cells.tpr + cells.tnr - 1, corners=True)


@rule("weighted rate")
def weighted(cells: ThresholdCells, *, w: Share = 0.5) -> Objective:
    """The largest weighted mean of true positive and true negative rate: w TPR + (1 - w) TNR."""
    return Objective(w * cells.tpr + (1 - w) * cells.tnr, corners=0 < w < 1)


@rule("F")
def max_f(cells: ThresholdCells, *, beta: Beta = 1.0) -> Objective:
    """The largest F: recall counts `beta` times as much as precision. Without a positive item nothing is chosen."""
    possible = cells.positives > 0  # else F is 0 wherever positive is predicted, and one threshold as good as another
    if (square := square_of_beta(beta)) is None:
        return Objective(cells.tpr, possible=possible)
    value = ratio((1 + square) * cells.tp, square * cells.positives + cells.predicted)
    return Objective(value, corners=square > 0, possible=possible)


@rule("TPR")
def max_tpr_given_tnr(cells: ThresholdCells, *, tnr: Share = 0.9) -> Objective:
    """The largest true positive rate (sensitivity) with at least this true negative rate (specificity)."""
    return Objective(cells.tpr, Bound("TNR", cells.tnr, tnr), corners=True)


@rule("TNR")
def max_tnr_given_tpr(cells: ThresholdCells, *, tpr: Share = 0.9) -> Objective:
    """The largest true negative rate (specificity) with at least this true positive rate (sensitivity)."""
    return Objective(cells.tnr, Bound("TPR", cells.tpr, tpr), corners=True)


@rule("precision")
def max_precision_given_recall(cells: ThresholdCells, *, recall: Share = 0.9) -> Objective:
    """The largest precision with at least this recall."""
    return Objective(cells.precision, Bound("recall", cells.tpr, recall), corners=True)


@rule("recall")
def max_recall_given_precision(cells: ThresholdCells, *, precision: Share = 0.9) -> Objective:
    """The largest recall with at least this precision."""
    return Objective(cells.tpr, Bound("precision", cells.precision, precision), corners=True)


@rule("cost per item", smallest=True, bounds=(-math.inf, math.inf))
def cost(
    cells: ThresholdCells,
    *,
    fp: Coefficient = 1.0,
    fn: Coefficient = 1.0,
    tp: Coefficient = 0.0,
    tn: Coefficient = 0.0,
    prevalence: OptionalShare = None,
) -> Objective:
    """The lowest expected cost per item; `prevalence` is the share of positive items where the classifier will be used.

    Gains are negative costs. Without a prevalence it is that of the data.
    """
    scale = max(abs(fp), abs(fn), abs(tp), abs(tn))
    corners = tp < fn and tn < fp and prevalence not in {0.0, 1.0}
    if prevalence is None:
        total = tp * cells.tp + fn * cells.fn + fp * cells.fp + tn * cells.tn
        return Objective(ratio(total, cells.items), scale=scale, corners=corners)
    of_positive = tp * cells.tpr + fn * (1 - cells.tpr) if prevalence > 0 else 0.0
    of_negative = fp * cells.fpr + tn * (1 - cells.fpr) if prevalence < 1 else 0.0
    expected = np.asarray(prevalence * of_positive + (1 - prevalence) * of_negative)
    return Objective(expected, scale=scale, corners=corners)


@rule("TPR")
def budget(cells: ThresholdCells, *, alerts: Alerts = None, share: OptionalShare = None) -> Objective:
    """The largest true positive rate with at most this many items, or this share of them, predicted positive."""
    if (alerts is None) == (share is None):
        raise ParameterError(
            "a budget is a number of alerts or a share of the items: budget(alerts=50), budget(share=0.05)"
        )
    if alerts is not None:
        return Objective(cells.tpr, Bound("alerts", cells.predicted, alerts, at_most=True))
    return Objective(
        cells.tpr, Bound("share of alerts", ratio(cells.predicted, cells.items), share or 0.0, at_most=True)
    )


@rule("Youden's J", bounds=(-1.0, 1.0))
def fixed(cells: ThresholdCells, *, threshold: Threshold = None) -> Objective:
    """A threshold that is given, not chosen; its criterion is Youden's index."""
    if threshold is None:
        raise ParameterError("a fixed threshold is given as in fixed(threshold=0.5)")
    return Objective(cells.tpr + cells.tnr - 1)


#: What is shown if no rule is asked for.
DEFAULT_RULES = (
    max_accuracy,
    closest_to_corner,
    youden,
    max_f,
    max_tpr_given_tnr,
    max_tnr_given_tpr,
    max_precision_given_recall,
    max_recall_given_precision,
)
