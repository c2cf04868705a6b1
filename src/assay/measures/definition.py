"""The definition of a measure: parameters, signature, docstring, decorator; and curves as input."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, TypeAlias, get_args, get_origin, get_type_hints

import numpy as np

from assay.core.domains import Choice, Domain, Flag, Real, Whole, WordOrRows, WordOrTable
from assay.core.errors import ParameterError
from assay.measures.steps import PerUnit, Steps
from assay.measures.vocabularies import Vocabulary
from assay.tables import Direction


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

Continuation: TypeAlias = Annotated[float, Real(0.0, 1.0)]

Examination: TypeAlias = Annotated[str, WordOrRows(("distance",), Real(0.0, 1.0))]

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


Summary: TypeAlias = Literal["mean", "geometric", "sum", "pooled"]


class Parameter(NamedTuple):
    """A keyword parameter of a measure: its name, default and domain."""

    name: str
    default: Any
    domain: Domain


class Definition(NamedTuple):
    """The definition of a measure, read off its function's signature, docstring and decorator."""

    name: str
    vocabulary: Vocabulary
    function: Callable[..., Any]
    counts: type[Any]
    parameters: Mapping[str, Parameter]
    at: str | None
    bounds: tuple[float, float] | None
    user_model: str | None
    counted_as: float | None
    summary: Summary
    trec_eval: tuple[str, ...]
    ir_measures: str | None
    ranx: str | None
    aliases: Mapping[str, Mapping[str, Any]]
    closed_under_ties: bool
    higher_is_better: bool | None
    subtopics: bool
    version: int
    also: Mapping[str, Callable[..., PerUnit]]
    of_points: Callable[..., PerUnit] | None
    sklearn: str | None
    proportion: bool
    #: What its units can be, if not everything: the mistakes of a whole table are not those of an item.
    unit_kinds: tuple[str, ...] | None
    #: The work to cite for it, by its key in the bibliography; empty if it is textbook knowledge.
    cites: str = ""
    #: What it counts as for an item that truly has nothing, and for which nothing was predicted; None: no such rule.
    rightly_empty: float | None = None
    #: Parameters that are printed with the name even at their default.
    shown: tuple[str, ...] = ()

    @property
    def direction(self) -> Direction:
        """The direction in which it is good, in a word that travels with its scores."""
        if self.higher_is_better is None:
            return "neither"
        if self.higher_is_better:
            return "higher"
        return "lower"


def declared(function: Callable[..., Any]) -> tuple[Any, dict[str, Parameter], str | None]:
    """The declared parameters of a function; read from its code, as `inspect.signature` takes ten times as long."""
    hints = _hints(function)
    plain = inspect.unwrap(function)
    named = plain.__code__.co_argcount + plain.__code__.co_kwonlyargcount
    first, *rest = plain.__code__.co_varnames[:named]
    counts = hints.get(first)
    if not hasattr(counts, "vocabularies"):
        raise ParameterError(
            f"{function.__name__}: the first parameter is annotated with counts, as Ranks or Confusion, not {counts}"
        )
    parameters = {}
    at = None
    defaults = plain.__kwdefaults__ or {}
    for name in rest:
        extras = get_args(hints[name])[1:] if get_origin(hints.get(name)) is Annotated else ()
        domain = next((extra for extra in extras if isinstance(extra, Domain)), None)
        if name not in defaults or domain is None:
            raise ParameterError(f"{function.__name__}: {name} is keyword-only with a default and a declared domain")
        parameters[name] = Parameter(name, defaults[name], domain)
        at = name if At in extras else at
    return counts, parameters, at


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    """The types in a signature. Most are names, and looking those up is ten times faster than evaluating them."""
    named = {name: function.__globals__.get(annotation) for name, annotation in function.__annotations__.items()}
    return get_type_hints(function, include_extras=True) if None in named.values() else named


@dataclass(frozen=True, eq=False, repr=False)
class GivenCurve:
    """Points of one precision-recall curve a unit, by falling recall.

    >>> GivenCurve.from_points([(1.0, 0.0), (0.5, 1.0)]).points["recall"]  # (precision, recall)
    array([1., 0.])
    """

    unit_kind: ClassVar[str] = "query"

    units: tuple[str, ...]
    points: Steps

    @classmethod
    def from_points(cls, *curves: Sequence[tuple[float, float]]) -> "GivenCurve":
        """Make curves by hand: each a list of (precision, recall)."""
        if not curves:
            raise ParameterError("there is no precision-recall curve")
        rows: list[tuple[int, float, float]] = []
        for unit, curve in enumerate(curves):
            if not isinstance(curve, Sequence) or not curve:
                raise ParameterError(f"a precision-recall curve is a list of one point at least, not {curve!r}")
            checked = sorted((_point(point) for point in curve), key=lambda point: -point[1])
            rows += [(unit, recall, precision) for precision, recall in checked]
        units, recalls, precisions = zip(*rows, strict=True)
        columns = {"recall": np.array(recalls, dtype=np.float64), "precision": np.array(precisions, dtype=np.float64)}
        points = Steps(np.array(units, dtype=np.int64), len(curves), columns, says="points")
        return cls(tuple(f"q{number}" for number in range(1, len(curves) + 1)), points)


def _point(point: object) -> tuple[float, float]:
    """A point of a curve, checked."""
    pair = tuple(point) if isinstance(point, Sequence) and not isinstance(point, str) else ()
    if len(pair) != 2 or any(isinstance(value, bool | str) or not hasattr(value, "__float__") for value in pair):
        raise ParameterError(f"a point of a curve is two numbers, (precision, recall), not {point!r}")
    precision, recall = (float(value) for value in pair)
    if not (0 <= precision <= 1 and 0 <= recall <= 1):
        raise ParameterError(f"precision and recall lie between 0 and 1, not {precision:g} at recall {recall:g}")
    return precision, recall
