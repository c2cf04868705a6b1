"""The domains of measures' parameters, declared once, in the type."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias, get_args

from assay.core.domains import Choice, Flag, Real, Whole, WordOrTable


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
