"""Judges as a subject: two sets of labels of the same items compared and gated, and a coefficient taken apart."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl

from assay.core.errors import InputError, Note, ParameterError, argument, listed, number_of
from assay.measures import Measure
from assay.measures.counting.judgments import Ints
from assay.measures.counting.ratings import Ratings
from assay.measures.steps import PerUnit, quantity
from assay.stats.pairing import MeasuredPairing
from assay.stats.samples import Effects, Sample
from assay.stats.weighted_samples import PatternSample
from assay.subjects.judges.evaluation import (
    JudgeAgreement,
    agree,
    as_labels,
    have_order,
    is_numeric,
    is_relevance,
    measure_on,
    opened,
    ratings_of,
    refuse_idle_level,
    refuse_unordered,
    selected,
    usual_scale,
)
from assay.tables.labels import Labels
from assay.verbs.explanation.numbers import View, explained
from assay.verbs.explanation.result import Explanation, StepTable
from assay.verbs.explanation.result import formula as numbers_of
from assay.verbs.gating.gate import Sides, Two
from assay.verbs.subject import Words

if TYPE_CHECKING:
    from assay.verbs.explanation.result import Place

#: A part whose numbers take more characters than this is not written out.
_LONGEST = 120
_OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
#: The keyword arguments by which labels are read and counted.
RULES = ("judges", "scale", "categories", "relevance_level", "repeated")


@dataclass(frozen=True, eq=False)
class PairedJudges(MeasuredPairing):
    """Sets of labels of the same items, such as two rounds, or two groups of judges; paired by item.

    >>> rows = [(f"d{n}", judge, n % 2) for n in range(8) for judge in ("a", "b")]
    >>> alike, other = Labels.of(rows, name="alike"), Labels.of([*rows[:-1], ("d7", "b", 0)], name="other")
    >>> PairedJudges.of([[alike, other]], {}).sample("Agreement").observed
    array([1.   , 0.875])
    """

    names: tuple[str, ...]
    ratings: tuple[Ratings, ...]
    scale: str
    left_out: int
    numeric: bool
    notes: tuple[str, ...] = ()
    is_ordered: bool = True

    subject: ClassVar[str] = "judges"
    holds: ClassVar[str] = "labels"
    to_have_more: ClassVar[str] = "Label"

    @classmethod
    def of(cls, inputs: Sequence[Any], rules: Mapping[str, Any]) -> PairedJudges:
        """Take labels, or results of `agree`, in a list or by name: at least one set, on items that all sets have."""
        sets = [each for part in inputs for each in sets_of(part, rules)]
        names = [each.name for each in sets]
        if len(set(names)) < len(names):
            raise ParameterError(f"each set of labels has a name of its own, not {listed(names)}")
        numeric = {is_numeric(each) for each in sets}
        if len(numeric) > 1:
            raise InputError(f"expected labels on one scale, got numbers and text: {listed(names)}")
        sets = _on_one_type(sets)
        every = pl.concat([each.frame["label"] for each in sets])
        stated = rules.get("categories")
        known = every.unique().sort().to_list() if stated is None else as_labels(stated, every)
        counted = [ratings_of(each, categories=known, level=rules.get("relevance_level")) for each in sets]
        several = [set(each.items.filter(pl.Series(each.labels_of_item > 1))) for each in counted]
        common = set.intersection(*several)
        if not common:
            raise InputError(f"{listed(names)} have no item in common that two judges of each have labelled")
        ratings = tuple(each.on_items(_places(sorted(common), each.items)) for each in counted)
        scale = rules.get("scale") or usual_scale(known, True in numeric)
        left_out = len(set.union(*several)) - len(common)
        notes = tuple(f"{each.name}: {remark}" for each in sets for remark in each.remarks)
        is_ordered = have_order(ratings[0], True in numeric, stated)
        return cls(tuple(names), ratings, scale, left_out, True in numeric, notes, is_ordered)

    def measure(self, name: str | Measure) -> Measure:
        """A measure of agreement; alpha is on the scale of the labels, unless another was asked for."""
        return measure_on(self.scale, name)

    def usual(self) -> Sequence[str]:
        """Alpha first."""
        relevance = ["PositiveAgreement"] if is_relevance(self.ratings[0], self.numeric) else []
        return [f"Alpha(scale='{self.scale}')", "Agreement", *relevance]

    def undirected(self, measure: str | Measure) -> Sample:
        """All sets under one measure, made of all items together."""
        wanted = self.measure(measure)
        refuse_unordered(wanted, self.is_ordered)
        return AgreementSample(
            tuple(wanted.per_unit(each) for each in self.ratings),
            systems=self.names,
            units=tuple(self.ratings[0].items),
            measure=str(wanted),
            unit_kind="item",
            bounds=wanted.definition.bounds,
            direction=wanted.definition.direction,
            left_out=self.left_out,
        )

    def remarks(self, measures: Sequence[str], *, usual: bool, instead: str = "is the headline") -> list[str]:
        """Remarks on oddities of the labels, and on what a comparison of agreement does not say."""
        del measures, usual, instead
        more = "judges who agree more need not be right more often: agreement is not accuracy"
        return [*self.notes, Note(more, kind="agreement")]

    def signatures(self, measures: Sequence[str]) -> dict[str, str]:
        """Everything that each measure's number depends on, in one line."""
        scale = ",".join(self.ratings[0].categories)
        return {name: f"{name}|labels={scale}|unit=item" for name in measures}


class AgreementSample(PatternSample):
    """Coefficients of sets of labels: an item alone has none, so that none is won or lost item by item."""

    def effects(self, first: int, second: int) -> Effects:
        """Nothing is known item by item."""
        return Sample.effects(self, first, second)


def sets_of(part: Any, rules: Mapping[str, Any]) -> list[Labels]:
    """The sets of labels in what was given: one, several, or by name."""
    reading = {name: rules[name] for name in ("judges", "repeated") if name in rules}
    if isinstance(part, Mapping):
        return [replace(each, name=str(name)) for name, value in part.items() for each in sets_of(value, rules)]
    if isinstance(part, JudgeAgreement):
        return [part.labels]
    if isinstance(part, list | tuple) and (not part or not isinstance(part[0], tuple)):
        return [each for value in part for each in sets_of(value, rules)]
    return [opened(part, **reading)]


def _on_one_type(sets: Sequence[Labels]) -> list[Labels]:
    """Whole numbers as numbers where other sets have fractions."""
    if len({each.frame["label"].dtype for each in sets}) == 1:
        return list(sets)
    return [replace(each, frame=each.frame.with_columns(pl.col("label").cast(pl.Float64))) for each in sets]


def _places(names: list[str], items: pl.Series) -> Ints:
    places = {item: place for place, item in enumerate(items)}
    return np.array([places[name] for name in names])


class JudgesSubject:
    """Labels that several judges gave the same items."""

    name = "judges"
    words = Words("set of labels", "item", "agreement of judges", "labels of several judges")
    verb = "assay.subjects.judges.evaluation:agree"
    gated = "assay.subjects.judges.subject:two_sets"
    missing = "error"
    reported = "assay.subjects.judges.report:ReportedJudges"
    examination = "assay.subjects.judges.checks:JudgesExamination"
    rules = RULES
    report_rules = (*rules, "by_topic", "confidence", "seed")

    def pairing(self, inputs: Sequence[Any], measures: Any, seed: int, rules: Mapping[str, Any]) -> PairedJudges:
        """Sets of labels, paired by item."""
        del seed
        paired = PairedJudges.of(inputs, rules)
        refuse_idle_level(map(paired.measure, paired.measure_names(measures)), rules.get("relevance_level"))
        return paired

    def explain(
        self, measure: str | Measure, inputs: Sequence[Any], place: Place, view: View, rules: dict[str, Any]
    ) -> Explanation:
        """A coefficient with its P(A) and P(E), of all items or of one topic (`query`)."""
        place.refuse("has no meaning for judges: choose judges, or a query", "system", "label", "item", "threshold")
        view.refuse_running("judges")
        (data,) = inputs
        result = data if isinstance(data, JudgeAgreement) else agree(data, resamples=0, **rules)
        return view.limited(explain_agreement(measure, result, topic=place.query))


JUDGES = JudgesSubject()


def two_sets(data: Any, two: Two, measures: Any, seed: int, rules: Mapping[str, Any]) -> Sides:
    """The baseline and the candidate: two rounds of labels, or two groups of judges, on the same items.

    >>> rows = [(f"d{n}", judge, n % 2) for n in range(8) for judge in ("a", "b")]
    >>> old, new = Labels.of(rows, name="old"), Labels.of(rows, name="new")
    >>> two_sets(old, Two(None, new), None, 0, {}).pairing.sample("Agreement").systems
    ('old', 'new')
    """
    sets = two.among(data, lambda part: sets_of(part, rules), "labels", "items")
    return Sides.of(JUDGES.pairing([sets], measures, seed, rules), measures)


def explain_agreement(measure: str | Measure, result: JudgeAgreement, topic: str | None = None) -> Explanation:
    """Take a coefficient apart: the table that it is counted from, P(A) and P(E), and the formula with numbers in it.

    >>> from assay import Labels, agree
    >>> rows = [(f"d{n}", judge, "yes" if n < cut else "no") for judge, cut in (("a", 5), ("b", 4)) for n in range(10)]
    >>> explain_agreement("Kappa", agree(Labels.of(rows))).value
    0.8
    """
    wanted = result.measure(measure)
    ratings = result.ratings
    if wanted.name in {"Kappa", "ScottPi"} and len(ratings.judges) != 2:
        names = listed(ratings.judges)
        raise ParameterError(f"{wanted} is for two judges: choose two of {names} ({argument('judges')})")
    refuse_unordered(wanted, result.is_ordered)
    formula = wanted.per_unit(ratings)
    unit = number_of("item", int((ratings.labels_of_item > 1).sum()))
    rows = np.arange(len(ratings.items))
    if topic is not None:
        if topic not in result.topics:
            raise ParameterError(f"choose a topic of {listed(result.topics)}, not {topic!r}")
        rows = np.flatnonzero(result.topic == result.topics.index(topic))
        unit = f"topic {topic}"
    parts = _parts(formula, rows)
    signature = f"{wanted}|labels={','.join(ratings.categories)}|judges={len(ratings.judges)}"
    view = View(None, False, undefined="skip", signature=signature if topic is None else f"{signature}|topic={topic}")
    short = _shortened(formula, {name: float(part.values[0]) for name, part in parts.items()}, rows)
    explanation = explained(wanted, ratings, short, 0, view, before=(_label_table(ratings, rows),))
    columns = {
        "part": list(parts),
        "numbers": [_legible(numbers_of(part, 0).numbers) for part in parts.values()],
        "value": [float(part.values[0]) for part in parts.values()],
    }
    steps = (*explanation.steps[:1], *([StepTable("parts", (), pl.DataFrame(columns), {})] if parts else []))
    return replace(explanation, unit=unit, unit_kind="item", steps=steps, remarks=())


def _label_table(ratings: Ratings, rows: Any) -> StepTable:
    """Of two judges, who said what where the other did; of more, how often each label was given, and by how many."""
    if len(ratings.judges) == 2:
        cells = ratings.on_items(rows).confusion()
        columns = {f"{ratings.judges[1]} {name}": cells[:, k] for k, name in enumerate(ratings.categories)}
        frame = pl.DataFrame({ratings.judges[0]: ratings.categories, **columns, "all": cells.sum(axis=1)})
    else:
        several = ratings.labels_of_item[rows] > 1
        counts = ratings.counts[rows][several].sum(axis=0)
        frame = pl.DataFrame({"label": ratings.categories, "labels": counts, "share": counts / max(counts.sum(), 1)})
    return StepTable("labels", (), frame.with_columns(pl.col(pl.Int64).cast(pl.Float64)), {})


def _parts(formula: PerUnit, rows: Ints) -> dict[str, PerUnit]:
    """The parts of a formula that have names, on all of these items: P(A) and P(E), or the two disagreements."""
    named = dict[str, PerUnit]()
    waiting = [*formula.operands]
    while waiting:
        part = waiting.pop(0)
        if part.name is not None:
            named.setdefault(part.name, selected(part, rows).pooled())
        waiting += part.operands
    return named


def _legible(numbers: str) -> str:
    return numbers if len(numbers) <= _LONGEST else "..."


def _shortened(node: PerUnit, parts: Mapping[str, float], rows: Ints) -> PerUnit:
    """The formula on all of these items, in which named parts stand for what they are made of."""
    if node.name in parts:
        return quantity(str(node.name), [parts[str(node.name)]], when_zero=node.when_zero)
    if len(node.operands) != 2 or node.op not in _OPERATORS:
        return selected(node, rows).pooled()
    first, second = (_shortened(each, parts, rows) for each in node.operands)
    result: PerUnit = _OPERATORS[node.op](first, second)
    return replace(result, when_zero=node.when_zero)
