"""`agree`: labels of several judges -> a `JudgeAgreement`, every coefficient with an interval over items or topics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import polars as pl
from scipy import sparse

from assay.core.domains import Choice, Whole
from assay.core.errors import (
    InputError,
    ParameterError,
    argument,
    argument_name,
    did_you_mean,
    listed,
    number_of,
    several,
)
from assay.core.evaluation_options import Columns, Level, Seed
from assay.core.options import Categories, Confidence, JudgeNames, Method, RepeatedLabels, Resamples
from assay.core.options import Scale as ScaleOption
from assay.core.results import Result
from assay.files.labels import read_labels
from assay.measures import Measure, parse_measure
from assay.measures.agreement import MOST_CATEGORIES, NO_PAIR, ScaleName
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.counting.ratings import Ratings
from assay.measures.steps import PerUnit
from assay.stats.estimates import Estimate, checked_confidence
from assay.stats.pairing import Wanted, each_measure
from assay.stats.samples import Drawing
from assay.stats.weighted_samples import PatternSample
from assay.tables.labels import NEEDED, Labels

#: Of more pairs of judges than this, those with the most items in common are looked at.
MOST_PAIRS = 50
_PARTS_OF_TIME = ("first third", "second third", "last third")
#: Of so many judges, a table says who gave which label.
_TWO = 2
#: In simulations (benchmarks/studies/simulate_agreement.py) it holds the truth 93 to 97 times in 100,
#: mostly; others do too often.
INTERVAL: Method = "percentile"
_AGREEMENT = parse_measure("Agreement", "agreement")
#: Scales and weights that do not go by the order of the labels.
_WITHOUT_ORDER = {"nominal", "none"}


@dataclass(frozen=True, eq=False)
class JudgeAgreement(Result):
    """The agreement of judges: coefficients with intervals; by topic, by pair of judges, over time.

    >>> from assay import Labels, agree
    >>> ana, ben = [0, 1, 0, 1] * 3, [0, 1, 0, 0] * 3
    >>> rows = [(f"d{n}", judge, said[n]) for judge, said in (("ana", ana), ("ben", ben)) for n in range(12)]
    >>> result = agree(Labels.of(rows))
    >>> result.value("Agreement"), result.value("Kappa")
    (0.75, 0.5)
    """

    kind: ClassVar[str] = "judge agreement"
    subject: ClassVar[str] = "judges"

    labels: Labels
    ratings: Ratings
    measures: tuple[Measure, ...]
    scale: ScaleName
    #: The topic of each item, and the topics; none if items have none.
    topic: Ints
    topics: tuple[str, ...]
    by_topic: bool = False
    confidence: float = 0.95
    resamples: int = 2000
    seed: int = 0
    warnings: tuple[str, ...] = ()
    #: How alike the judges rank systems, where somebody has asked: what `agree_on_systems` gives.
    rankings: Result | None = None
    #: Whether the order of the labels means something: words have none, unless it was stated.
    is_ordered: bool = True

    def __repr__(self) -> str:
        return f"<JudgeAgreement of {self.name}: {', '.join(map(str, self.measures))}>"

    @property
    def name(self) -> str:
        """The name of the labels."""
        return self.labels.name

    @property
    def unit(self) -> str:
        """The unit of intervals: topics or items, resampled."""
        return "topic" if self.by_topic else "item"

    @property
    def is_graded(self) -> bool:
        """True if labels have an order in which some are farther apart than others: three grades or more."""
        return self.scale != "nominal"

    @property
    def headline(self) -> Measure:
        """The coefficient that serves all of it: any number of judges, labels missing, any scale."""
        return parse_measure("Alpha", "agreement")(scale=self.scale)

    def measure(self, name: str | Measure) -> Measure:
        """A measure of agreement by name; alpha is on the scale of the labels, unless the name says another."""
        return measure_on(self.scale, name)

    def estimate(self, measure: str | Measure) -> Estimate:
        """A coefficient with its interval; where there is none, the reason."""
        wanted = self.measure(measure)
        topic = self.topic if self.by_topic else None
        return self._once("estimate", str(wanted), lambda: self._estimated(wanted, self.ratings, topic))

    def complete(self) -> Self:
        """Finish every coefficient with its interval; of pairs of judges, of topics and over time, too."""
        for measure in (*self.measures, self.headline, _AGREEMENT):
            self.estimate(measure)
        if self.rankings is not None:
            self.rankings.complete()
        if len(self.ratings.judges) == _TWO:
            self.confusion(*self.ratings.judges)
        else:
            self._finish("pairs")
        return self._finish("over_time", *(["per_topic"] if len(self.topics) > 1 else []))

    def ranking(self, rankings: Result) -> Self:
        """The same with how alike the judges rank systems; what was computed is kept."""
        ranked = copy(self)  # with all that was computed
        object.__setattr__(ranked, "rankings", rankings)
        return ranked

    def value(self, measure: str | Measure) -> float:
        """A coefficient; NaN where it is undefined."""
        return self.estimate(measure).value

    def undefined(self) -> dict[str, str]:
        """Reasons why a coefficient has no number, by measure."""
        reasons = {str(measure): self.estimate(measure).undefined for measure in self.measures}
        return {name: reason for name, reason in reasons.items() if reason}

    def to_frame(self) -> pl.DataFrame:
        """One row per coefficient, with the ends of its interval."""
        rows = [
            (str(measure), *self.estimate(measure)[:3], self.estimate(measure).undefined) for measure in self.measures
        ]
        kinds = [pl.String, *[pl.Float64] * 3, pl.String]
        schema = dict(zip(("measure", "value", "low", "high", "undefined"), kinds, strict=True))
        return pl.DataFrame(rows, schema=schema, orient="row").fill_nan(None)

    @cached_property
    def per_topic(self) -> pl.DataFrame:
        """Agreement of each topic, and the headline coefficient with its interval; empty without topics."""
        return self.within("topic", self.topics, self.topic)

    @cached_property
    def over_time(self) -> pl.DataFrame:
        """The same of the items that were labelled first, later and last; empty where times are not known."""
        frame = self.labels.frame
        if "time" not in frame.columns or frame["time"].null_count() == frame.height:
            return self.within("time", (), np.full(len(self.ratings.items), -1))
        times = frame.with_columns(item=self.labels.items).group_by("item").agg(pl.col("time").mean())
        order = pl.DataFrame({"item": self.ratings.items}).join(times, on="item", how="left", maintain_order="left")
        known = order["time"].is_not_null().to_numpy() & (self.ratings.labels_of_item > 1)
        rank = np.argsort(np.argsort(order["time"].to_numpy()[known], kind="stable"), kind="stable")
        third = np.full(len(known), -1)
        third[known] = rank * len(_PARTS_OF_TIME) // max(len(rank), 1)
        return self.within("time", _PARTS_OF_TIME, third)

    def within(self, key: str, names: Sequence[str], group: Ints, measure: str | Measure | None = None) -> pl.DataFrame:
        """Agreement within groups of items (-1: in none), and a coefficient, or the headline, with its interval."""
        wanted = self.headline if measure is None else self.measure(measure)
        rows = []
        for place, name in enumerate(names):
            items = np.flatnonzero((group == place) & (self.ratings.labels_of_item > 1))
            rows.append({key: name, **self._row(self.ratings.on_items(items), wanted)})
        numbers = ("Agreement", wanted.name, f"{wanted.name}_low", f"{wanted.name}_high")
        kinds = {key: pl.String, "items": pl.Int64, **dict.fromkeys(numbers, pl.Float64), "undefined": pl.String}
        return pl.DataFrame(rows, schema=kinds).fill_nan(None)

    @cached_property
    def pairs(self) -> pl.DataFrame:
        """Every two judges: items in common, agreement, Cohen's kappa with its interval, weighted ones for grades."""
        kappa = self.measure("Kappa")
        rows = []
        weights = ("linear", "quadratic") if self.is_graded else ()
        for first, second in self._pairs_in_common():
            two = self.ratings.only(first, second)
            places = np.flatnonzero(two.labels_of_item > 1)
            two, topic = two.on_items(places), self.topic[places] if self.by_topic else None
            weighted = {f"Kappa {how}": self._estimated(kappa(weights=how), two, interval=False)[0] for how in weights}
            rows.append({"first": first, "second": second, **self._row(two, kappa, topic), **weighted})
        numbers = ("Agreement", "Kappa", "Kappa_low", "Kappa_high", *(f"Kappa {how}" for how in weights))
        kinds = {"first": pl.String, "second": pl.String, "items": pl.Int64, **dict.fromkeys(numbers, pl.Float64)}
        return pl.DataFrame(rows, schema={**kinds, "undefined": pl.String}).fill_nan(None)

    def _pairs_in_common(self) -> list[tuple[str, str]]:
        """Pairs of judges with items in common, the most first where not all pairs are shown."""
        ratings = self.ratings
        shape = (len(self.ratings.items), len(self.ratings.judges))
        who = sparse.csr_array((np.ones(len(ratings.item), dtype=np.int64), (ratings.item, ratings.judge)), shape=shape)
        together = sparse.triu(who.T @ who, k=1).tocoo()
        common = sorted(zip(together.row.tolist(), together.col.tolist(), together.data.tolist(), strict=True))
        if len(common) > MOST_PAIRS:
            common = sorted(common, key=lambda pair: -pair[2])[:MOST_PAIRS]
        return [(ratings.judges[first], ratings.judges[second]) for first, second, _ in common]

    def confusion(self, first: str, second: str) -> pl.DataFrame:
        """Counts of each label by the second judge (columns) where the first one (rows) gave which.

        >>> from assay import Labels, agree
        >>> rows = [("d1", "ana", 1), ("d1", "ben", 0), ("d2", "ana", 1), ("d2", "ben", 1)]
        >>> agree(Labels.of(rows)).confusion("ana", "ben").rows()
        [('0', 0, 0), ('1', 1, 1)]
        """
        for name in (first, second):
            check_judge(name, self.ratings.judges)
        return self._once("confusion", (first, second), lambda: self._confusion(first, second))

    def _confusion(self, first: str, second: str) -> pl.DataFrame:
        names = self.ratings.categories
        cells = self.ratings.only(first, second).confusion()
        columns = {f"{second} {name}": cells[:, place] for place, name in enumerate(names)}
        return pl.DataFrame({first: names, **columns})

    def _sample(self, measure: Measure, ratings: Ratings, topic: Ints | None) -> PatternSample:
        refuse_unordered(measure, self.is_ordered)
        formula = measure.per_unit(ratings)
        kind = "item"
        if topic is not None:
            formula, kind = formula.pooled(lambda counts: _by_topic(counts, topic)), "topic"
        return PatternSample((formula,), systems=(self.name,), measure=str(measure), unit_kind=kind,
                             bounds=measure.definition.bounds)  # fmt: skip

    def _estimated(
        self, measure: Measure, ratings: Ratings, topic: Ints | None = None, *, interval: bool = True
    ) -> Estimate:
        if not (ratings.labels_of_item > 1).any():
            return Estimate(np.nan, np.nan, np.nan, "none", NO_PAIR)
        try:
            sample = self._sample(measure, ratings, topic)
        except ParameterError as problem:  # two judges are asked for, or two categories
            return Estimate(np.nan, np.nan, np.nan, "none", str(problem))
        value, (reason,) = float(sample.observed[0]), sample.undefined()
        if np.isnan(value) or not interval or not self.resamples:
            return Estimate(value, np.nan, np.nan, "none", reason)
        drawing = Drawing(self.resamples, self.seed)
        (reach,) = sample.intervals((0,), [self.confidence], drawing, INTERVAL)
        resamples = sample.redraws(drawing, INTERVAL).resamples
        if not reach.low < reach.high:
            why = f"every resample of the {several(sample.unit_kind)} gives the same number"
            return Estimate(value, np.nan, np.nan, reach.method, None, resamples, why)
        return Estimate(value, reach.low, reach.high, reach.method, None, resamples)

    def _row(self, ratings: Ratings, measure: Measure, topic: Ints | None = None) -> dict[str, Any]:
        """Items, agreement, and a coefficient with its interval, as cells of a row."""
        value, low, high = (estimate := self._estimated(measure, ratings, topic))[:3]
        agreement = self._estimated(_AGREEMENT, ratings, interval=False).value
        ends = {f"{measure.name}_low": low, f"{measure.name}_high": high, "undefined": estimate.undefined}
        return {"items": len(ratings.items), "Agreement": agreement, measure.name: value, **ends}


def agree(
    labels: Any,
    measures: Wanted = None,
    *,
    judges: JudgeNames = None,
    scale: ScaleOption | None = None,
    categories: Categories = None,
    relevance_level: Level | None = None,
    by_topic: bool = False,
    repeated: RepeatedLabels = "error",
    columns: Columns = None,
    confidence: Confidence = 0.95,
    resamples: Resamples = 2000,
    seed: Seed = 0,
) -> JudgeAgreement:
    """Say how far judges agree on the labels of the same items, beyond what chance would give.

    `labels`: `Labels`, a file or a data frame that `read_labels` reads, or rows of item, judge and label. `measures`:
    coefficients of the vocabulary of agreement; unless given, those that suit the judges and the scale. "Alpha" is on
    the scale of the labels, "Alpha(scale='nominal')" on another one. `judges`: only these. `scale`: nominal, ordinal,
    interval or ratio; unless given, ordinal for three grades or more, interval for more than 30, else nominal.
    `categories`: all labels there are, in their order, others are refused; unless given, those that occur.
    `relevance_level`: the smallest grade that counts as relevant, for positive agreement and overlap.

    Intervals come from drawing items anew, each with all its labels; with `by_topic`, from drawing topics anew, which
    is right where other topics are what you want to speak of.

    >>> from assay import Labels
    >>> rows = [(f"d{n}", judge, "yes" if n < cut else "no") for judge, cut in (("a", 5), ("b", 4)) for n in range(10)]
    >>> agree(Labels.of(rows)).value("Kappa")  # P(A) 9/10, P(E) 0.5
    0.8
    """
    confidence = checked_confidence(confidence)
    resamples, seed = Whole(0).check("resamples", resamples), Whole(0).check("seed", seed)
    if scale is not None:
        Choice(ScaleName).check("scale", scale)
    held = opened(labels, judges=judges, repeated=repeated, columns=columns)
    ratings = ratings_of(held, categories=categories, level=relevance_level)
    if by_topic and not held.has_topics:
        raise InputError(f"{held.origin}: expected a column of topics to resample by, got labels without one")
    known = is_numeric(held)
    used = scale or usual_scale(ratings.categories, known)
    topic, topics = _topics_of(held)
    wanted = tuple(measure_on(used, name) for name in each_measure(measures or usual(ratings, used, known)))
    refuse_idle_level(wanted, relevance_level)
    return JudgeAgreement(
        held, ratings, tuple(dict.fromkeys(wanted)), used, topic, topics,
        by_topic, confidence, resamples, seed, held.remarks,
        is_ordered=have_order(ratings, known, categories),
    )  # fmt: skip


def agreement_of(ratings: Ratings, name: str, *, origin: str, resamples: int = 2000) -> JudgeAgreement:
    """The agreement on grades that are counted already, of which there may be too many for a table: by alpha."""
    check_several(ratings.judges, origin)
    held = ratings.labels_of_item > 0
    place = (np.cumsum(held) - 1).astype(ratings.item.dtype)
    counted = ratings.with_labels(place[ratings.item], ratings.judge, ratings.category)
    labelled = replace(counted, items=ratings.items.filter(pl.Series(held)))
    scale = usual_scale(ratings.categories, numeric=True)
    no_rows = Labels(pl.DataFrame(schema=dict.fromkeys(NEEDED, pl.String)), name, origin)
    topic = np.zeros(len(labelled.items), dtype=np.int64)
    return JudgeAgreement(no_rows, labelled, (measure_on(scale, "Alpha"),), scale, topic, (), resamples=resamples)


def have_order(ratings: Ratings, numeric: bool, categories: Categories) -> bool:
    """True if the order of the labels means something: words have none, unless it was stated; two need none."""
    return numeric or categories is not None or len(ratings.categories) < 3


def refuse_unordered(measure: Measure, is_ordered: bool) -> None:
    """Refuse a coefficient that goes by the order of the labels, where they have none."""
    if not is_ordered and measure.parameters and _WITHOUT_ORDER.isdisjoint(measure.parameters.values()):
        raise ParameterError("the labels are words: state their order as categories, from the lowest up")


def opened(
    labels: Any, *, judges: JudgeNames = None, repeated: RepeatedLabels = "error", columns: Columns = None
) -> Labels:
    """Labels of at least two judges; of some judges only, where these are named."""
    held = labels if isinstance(labels, Labels) else read_labels(labels, repeated=repeated, columns=columns)
    if judges is not None:
        wanted = [name.strip() for name in judges.split(",")] if isinstance(judges, str) else list(judges)
        for name in wanted:
            check_judge(name, held.judges)
        held = held.only(wanted)
    check_several(held.judges, held.origin)
    return held


def check_several(judges: Sequence[str], origin: str) -> None:
    """Refuse the labels of one judge alone."""
    if len(judges) < 2:
        only = f"{judges[0]!r} alone" if judges else "none"
        raise InputError(f"{origin}: expected labels of two judges or more, got those of {only}")


def check_judge(name: str, known: Sequence[str]) -> None:
    """Refuse a judge that there is not."""
    if name not in known:
        raise ParameterError(f"no judge is called {name!r}: there are {listed(known)}{did_you_mean(name, known)}")


def ratings_of(labels: Labels, *, categories: Categories = None, level: float | None = None) -> Ratings:
    """The labels counted; a label outside the categories is refused, with the item and the judge that have it."""
    frame = labels.frame.select("judge", "label").with_columns(item=labels.items)
    known = None if categories is None else as_labels(categories, frame["label"])
    if known is not None:
        if any(isinstance(value, float) for value in known):  # a scale with fractions, of which none may occur
            frame = frame.with_columns(pl.col("label").cast(pl.Float64))
        strange = frame.filter(~pl.col("label").is_in(known))
        if strange.height:
            row = strange.row(0, named=True)
            which = f"judge {row['judge']!r}, item {row['item']!r}"
            more = "" if strange.height == 1 else f"; {number_of('label', strange.height)} outside the scale in all"
            scale = listed([str(value) for value in known])
            raise InputError(f"{labels.origin}: {which}: expected a label of {scale}, got {str(row['label'])!r}{more}")
    return Ratings.from_frame(frame, known, level)


def as_labels(categories: Iterable[Any], labels: pl.Series) -> list[Any]:
    """Categories in the type of the labels, as words that somebody types stand for numbers.

    >>> as_labels("0..2", pl.Series([0, 1])), as_labels("no,yes", pl.Series(["no"]))
    ([0, 1, 2], ['no', 'yes'])
    """
    values = list(categories)
    if isinstance(categories, str):
        ends = categories.split("..")
        whole = len(ends) == 2 and all(end.strip().lstrip("-").isdecimal() for end in ends)
        values = (
            list(range(int(ends[0]), int(ends[1]) + 1)) if whole else [part.strip() for part in categories.split(",")]
        )
    if len(set(values)) < len(values):
        raise ParameterError(
            f"{argument_name('categories')}: expected each one once, got {listed(list(map(str, values)))}"
        )
    if not labels.dtype.is_numeric():
        return [str(value) for value in values]
    try:
        if labels.dtype.is_integer() and all(float(value).is_integer() for value in values):
            return [int(value if isinstance(value, int) else float(value)) for value in values]
        return [float(value) for value in values]
    except (TypeError, ValueError):
        stated = listed(list(map(str, values))) or "none"
        raise ParameterError(
            f"{argument_name('categories')}: expected numbers, as the labels are, got {stated}"
        ) from None


#: Measures for which it matters which labels count as relevant.
OF_RELEVANCE = ("PositiveAgreement", "NegativeAgreement", "Overlap")


def refuse_idle_level(measures: Iterable[Measure], level: float | None) -> None:
    """Refuse a level of relevance where no measure asks which labels are relevant."""
    names = [measure.name for measure in measures]
    if level is not None and not set(names) & set(OF_RELEVANCE):
        option = argument("relevance_level", level)
        raise ParameterError(f"{option} has no effect on {listed(names)}: it is for {', '.join(OF_RELEVANCE)}")


def measure_on(scale: str, name: str | Measure) -> Measure:
    """A measure of agreement; alpha is on the scale of the labels, unless another was asked for.

    >>> measure_on("ordinal", "Alpha"), measure_on("ordinal", "Alpha(scale='nominal')"), measure_on("nominal", "Alpha")
    (Alpha(scale='ordinal'), Alpha, Alpha)
    """
    wanted = parse_measure(name, "agreement")
    return wanted(scale=scale) if wanted.name == "Alpha" and "scale" not in wanted.given else wanted


def usual_scale(categories: Sequence[str], numeric: bool) -> ScaleName:
    """The scale of labels of which nobody has said it.

    >>> usual_scale(["0", "1", "2"], True), usual_scale(["0", "1"], True), usual_scale(["a", "b", "c"], False)
    ('ordinal', 'nominal', 'nominal')
    """
    if not numeric or len(categories) < 3:
        return "nominal"
    return "ordinal" if len(categories) <= MOST_CATEGORIES else "interval"


def is_numeric(labels: Labels) -> bool:
    """True if labels are grades."""
    return labels.frame["label"].dtype.is_numeric()


def usual(ratings: Ratings, scale: str, numeric: bool) -> list[str]:
    """The measures that suit: of two judges Cohen's kappa, of more Fleiss'; weighted ones for grades."""
    names = ["Agreement"]
    graded = scale != "nominal"
    if len(ratings.judges) == 2:
        names += ["Kappa", *(["Kappa(weights='linear')", "Kappa(weights='quadratic')"] if graded else []), "ScottPi"]
    else:
        names.append("FleissKappa")
    names += [f"Alpha(scale='{scale}')", "AC1", *(["AC2"] if graded else [])]
    return names + (["PositiveAgreement", "NegativeAgreement", "Overlap"] if is_relevance(ratings, numeric) else [])


def is_relevance(ratings: Ratings, numeric: bool) -> bool:
    """True if some labels say relevant, and others do not: grades, or two categories."""
    return (numeric or len(ratings.categories) == 2) and bool(ratings.relevant.any()) and not ratings.relevant.all()


def _topics_of(labels: Labels) -> tuple[Ints, tuple[str, ...]]:
    """The place of each item's topic among the topics, and these."""
    if not labels.has_topics:
        return np.zeros(labels.items.n_unique(), dtype=np.int64), ()
    topic = labels.frame.select("query_id", item=labels.items).unique("item", maintain_order=True)["query_id"]
    topics = topic.unique(maintain_order=True)
    return topic.replace_strict(topics, range(len(topics)), return_dtype=pl.Int64).to_numpy(), tuple(topics)


def _by_topic(counts: Floats, topic: Ints) -> Floats:
    return np.bincount(topic, counts).astype(np.float64)


def selected(formula: PerUnit, items: Ints) -> PerUnit:
    """The formula on some of the items."""
    return formula.pooled(lambda counts: counts[items].astype(np.float64))
