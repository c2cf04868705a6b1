"""A/B tests as a subject: variants compared and gated by what their users did, and a number taken apart."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, cast

import polars as pl

from assay.core.errors import InputError, Note, ParameterError, not_among, number_of, several
from assay.measures import Measure
from assay.measures.steps import quantity
from assay.stats.pairing import Pairing, Wanted
from assay.stats.samples import NO_DRAWING, Sample
from assay.subjects.experiments.evaluation import ABTest, abtest
from assay.subjects.experiments.measures import named
from assay.subjects.experiments.plans import families, roles_note
from assay.subjects.experiments.soundness import control_note, directions_note
from assay.tables.experiment import UNIT
from assay.verbs.explanation.numbers import View
from assay.verbs.explanation.result import Explanation, StepTable, formula
from assay.verbs.gating.gate import Sides, Two, chosen_two
from assay.verbs.subject import Subject, Words

if TYPE_CHECKING:
    from assay.stats.arm_samples import ArmSample
    from assay.subjects.experiments.measures import OnlineMeasure
    from assay.verbs.explanation.result import Place

#: The keyword arguments by which A/B tests are read.
RULES = ("control", "weights", "covariates", "sequential", "planned", "looks", "plan", "events", "window", "cluster")
#: So many users are listed where a number is taken apart.
_MOST_USERS = 5


@dataclass(frozen=True, eq=False)
class PairedVariants(Pairing):
    """Variants of an A/B test, each with users of its own.

    >>> rows = {"user": range(8), "variant": ["old", "new"] * 4, "clicks": [1, 2, 0, 3, 1, 1, 2, 4]}
    >>> PairedVariants(abtest(pl.DataFrame(rows))).sample("clicks").observed
    array([1. , 2.5])
    """

    result: ABTest

    subject: ClassVar[str] = "experiments"
    holds: ClassVar[str] = "A/B tests"
    gate_test: ClassVar[str] = "test"
    to_have_more: ClassVar[str] = "Wait for"

    @property
    def is_bare(self) -> bool:
        """True: columns are somebody's own, and what their names tell of directions may be wrong."""
        return True

    def measure_names(self, wanted: Wanted = None) -> list[str]:
        """The measures asked for, or all columns."""
        names = [each.name for each in self.result.with_measures(wanted).measures]
        if not names:
            raise ParameterError("there is no measure to compute")
        return names

    def undirected(self, measure: str | Measure) -> Sample:
        """All variants under one measure."""
        sample = self.result.sample(str(measure))
        reasons = sample.undefined()
        if all(reasons):
            raise InputError(f"{sample.measure} is undefined: {reasons[0]}")
        return sample

    def families(self, measures: Sequence[str]) -> list[list[str]]:
        """The families of the plan; none without one."""
        plan = self.result.plan
        return [] if plan is None else [names for _, names in families(plan, measures)]

    def remarks(self, measures: Sequence[str], *, usual: bool, instead: str = "is the headline") -> list[str]:
        """Remarks on the soundness of the test, and on what was taken for granted."""
        del usual, instead
        plan = self.result.plan
        known = [self.result.measure(name) for name in measures if name not in self.directions]
        known = [each for each in known if plan is None or plan.measure(each.name) is None]
        assumed = ["" if plan is not None else control_note(self.result), directions_note(known)]
        if plan is not None:
            assumed += [roles_note(plan, measures)]
        return [
            *(Note(text, kind="soundness") for text in self.result.warnings),
            *(Note(text, kind="assumed") for text in assumed if text),
        ]

    def signatures(self, measures: Sequence[str]) -> dict[str, str]:
        """Everything that each measure's number depends on, in one line."""
        return {name: self.result.signature(name) for name in measures}


class ExperimentsSubject(Subject):
    """A/B tests: users with their variants, and what they did."""

    name = "experiments"
    words = Words("variant", "user", "A/B tests", "A/B tests")
    verb = "assay.subjects.experiments.evaluation:abtest"
    gated = "assay.subjects.experiments.subject:two_variants"
    reported = "assay.subjects.experiments.report:ReportedTest"
    examination = "assay.subjects.experiments.checks:ExperimentsExamination"
    explained = "assay.subjects.experiments.subject:explain_variant"
    rules = RULES
    report_rules = (*RULES, "confidence", "by", "bayes", "same")

    def pairing(self, inputs: Sequence[Any], measures: Any, seed: int, rules: Mapping[str, Any]) -> PairedVariants:
        """The variants of one test."""
        del seed
        return PairedVariants(tested(inputs, measures, rules))


EXPERIMENTS = ExperimentsSubject()


def tested(inputs: Sequence[Any], measures: Any, rules: Mapping[str, Any]) -> ABTest:
    """The one A/B test among inputs."""
    data = inputs[0]
    while isinstance(data, list | tuple) and len(data) == 1:
        (data,) = data
    if len(inputs) > 1 or isinstance(data, list | tuple):
        raise ParameterError("an A/B test is one table with all variants: give one, and nothing else")
    return abtest(data, measures, **rules)


def two_variants(data: Any, two: Two, measures: Any, seed: int, rules: Mapping[str, Any]) -> Sides:
    """The baseline and the candidate of a gate: variants by name, or the control and the other one.

    >>> rows = {"user": range(8), "variant": ["old", "new"] * 4, "clicks": [1, 2, 0, 3, 1, 1, 2, 4]}
    >>> two_variants(pl.DataFrame(rows), Two(), None, 0, {}).pairing.sample("clicks").systems
    ('old', 'new')
    """
    del seed
    for side in two:
        if side is not None and not isinstance(side, str):
            raise ParameterError(f"of an A/B test, baseline and candidate are variants, not {type(side).__name__}")
    result = tested([data], measures, rules)
    chosen = chosen_two([*result.variants], *two)
    experiment = result.experiment
    kept = replace(
        experiment, variants=tuple(chosen), frame=experiment.frame.filter(pl.col("variant").is_in(list(chosen)))
    )
    weights = None if result.weights is None else {name: result.weights[name] for name in chosen}
    narrowed = replace(result, experiment=kept, weights=weights)
    pairing = PairedVariants(narrowed)
    if measures is None and result.plan is not None:
        gated = [each.name for each in result.plan.measures if each.role != "secondary"]
        return Sides(pairing, gated)
    return Sides(pairing, pairing.measure_names(measures)[: None if measures is not None else 1])


def explain_variant(
    measure: str | OnlineMeasure | Measure, inputs: Sequence[Any], place: Place, view: View, rules: Mapping[str, Any]
) -> Explanation:
    """The number of a variant with the sums that it is made of, its test against the control, and its largest users."""
    place.refuse("has no meaning for A/B tests: choose a variant by system", "query", "label", "threshold", "item")
    view.refuse_running("A/B tests")
    result = tested(inputs, [str(measure)], {name: rules[name] for name in RULES if name in rules})
    variants = result.variants
    variant = place.system or (variants[1] if len(variants) == 2 else None)
    if variant not in variants:
        raise not_among("variant", variant, variants)
    return _explained(result, result.measures[0], variant, view.depth or _MOST_USERS)


def _explained(result: ABTest, measure: OnlineMeasure, variant: str, shown: int) -> Explanation:
    """The sums, the difference from the control over its standard error, and the users with the largest numbers."""
    sample, place = result.sample(measure), result.variants.index(variant)
    arm, kind = result.arms[variant], several(result.unit_kind)
    estimate, columns = sample.arms[place], list(map(named, measure.columns))
    values = arm.values(*columns)
    if measure.kind == "quantile":
        whole = quantity(f"quantile {measure.level:g} of {columns[0]}", [estimate.value])
    else:
        below = ("sum of " + columns[1], values[1].sum()) if measure.kind == "ratio" else (kind, len(values[0]))
        above = quantity(f"sum of {columns[0]}", [values[0].sum()])
        whole = above / quantity(below[0], [below[1]], when_zero=f"the {below[0]} is 0")
    tables = [_largest(result, measure, variant, shown)]
    if place:
        tables.insert(0, _against_control(result, sample, place))
    return Explanation(
        measure=cast("Measure", measure),
        unit=f"{variant}, {number_of(result.unit_kind, len(values[0]))}",
        unit_kind=result.unit_kind,
        value=estimate.value,
        reason=estimate.undefined,
        steps=tuple(tables),
        counts=(),
        formula=formula(whole, 0),
        signature=f"{result.signature(measure)}|variant={variant}",
        shown=max(shown, len(result.variants)),
    )


def _against_control(result: ABTest, sample: ArmSample, place: int) -> StepTable:
    """How far the variant is from the control, in standard errors."""
    gap = sample.gap(0, place)
    (outcome,) = sample.test([(0, place)], None, NO_DRAWING)
    names = (result.control, result.variants[place])
    rows = [(f"{name}: value", sample.arms[at].value) for name, at in zip(names, (0, place), strict=True)]
    rows += [
        (f"{name}: standard error", math.sqrt(sample.arms[at].variance))
        for name, at in zip(names, (0, place), strict=True)
    ]
    rows += [("difference", gap.difference), ("its standard error", gap.error), ("t", outcome.statistic),
             ("degrees of freedom", gap.freedom), ("p", outcome.p)]  # fmt: skip
    frame = pl.DataFrame(rows, {"step": pl.String, "number": pl.Float64}, orient="row")
    return StepTable("against the control", (), frame, {})


def _largest(result: ABTest, measure: OnlineMeasure, variant: str, shown: int) -> StepTable:
    """The users of a variant with the largest numbers, and their share of the sum."""
    column = measure.columns[0]
    name = column if isinstance(column, str) else column.column
    rows = result.experiment.arm(variant).select(pl.col(UNIT).alias(result.unit_kind), pl.col(name))
    rows = rows.drop_nulls().sort(name, result.unit_kind, descending=[True, False])
    rows = rows.with_columns(share=pl.col(name) / pl.col(name).sum()).head(shown)
    return StepTable(f"{several(result.unit_kind)} with the largest numbers", (), rows, {})
