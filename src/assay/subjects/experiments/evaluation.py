"""`abtest`: users with their variants -> an `ABTest`: every measure of every variant, and whether the test is sound."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import polars as pl

from assay.core.digits import p_phrase
from assay.core.errors import InputError, ParameterError, listed, only_one, several
from assay.core.evaluation_options import Columns
from assay.core.options import (
    Clusters,
    Confidence,
    Control,
    Covariates,
    EarlierLooks,
    EventsFile,
    GroupsOfUsers,
    PlanFile,
    PlannedUsers,
    SameVariants,
    SequentialMode,
    VariantWeights,
    WindowDays,
    WithBayes,
)
from assay.core.results import Result
from assay.files.experiment_sums import refuse_without_users
from assay.measures.counting.arms import Arm, Moments, SummedArm, moments_by
from assay.stats.arm_estimates import ArmEstimate, adjusted, lift, mean_of, quantile_of, ratio_of
from assay.stats.arm_samples import ArmSample
from assay.stats.bootstrap import Interval
from assay.stats.estimates import Estimate, checked_confidence, standard_errors
from assay.stats.monitoring import Monitoring
from assay.stats.pairing import Wanted, each_measure
from assay.stats.sample_ratio import MISMATCH, SUSPICIOUS, mismatch
from assay.stats.samples import NO_DRAWING
from assay.subjects.experiments.groups import Chance, Group, chances, check_groups, groups_of
from assay.subjects.experiments.imbalance import Imbalance, imbalances
from assay.subjects.experiments.inputs import open_experiment
from assay.subjects.experiments.measures import Cut, OnlineMeasure, named
from assay.subjects.experiments.plans import PlannedTest, read_plan, refuse_beside_plan
from assay.subjects.experiments.soundness import Health, Heavy, distribution_of, health_of, heavy_of, warnings_of
from assay.tables.experiment import VARIANT, Experiment


@dataclass(frozen=True, eq=False)
class ABTest(Result):
    """An A/B test: what users of each variant did, with intervals, and whether the test is sound.

    >>> rows = {"user": range(8), "variant": ["old", "new"] * 4, "clicks": [1, 2, 0, 3, 1, 1, 2, 4]}
    >>> result = abtest(pl.DataFrame(rows))
    >>> result.value("clicks", "old"), result.value("clicks", "new")
    (1.0, 2.5)
    """

    kind: ClassVar[str] = "experiment"
    subject: ClassVar[str] = "experiments"

    experiment: Experiment
    measures: tuple[OnlineMeasure, ...]
    weights: Mapping[str, float] | None = None
    confidence: float = 0.95
    warnings: tuple[str, ...] = ()
    #: What each measure is adjusted by: a number of the same kind from before the test.
    covariates: Mapping[str, OnlineMeasure] = field(default_factory=dict)
    #: How the test is looked at while it runs; None: once.
    monitoring: Monitoring | None = None
    plan: PlannedTest | None = None
    #: The column of users that the differences are broken down by.
    by: str | None = None
    #: Whether to say how likely each variant is better, too.
    bayes: bool = False
    #: Whether the variants are the same (an A/A test).
    same: bool = False

    def __repr__(self) -> str:
        return f"<ABTest of {listed(list(self.variants))}: {', '.join(map(str, self.measures))}>"

    @property
    def name(self) -> str:
        """The name of the data."""
        return self.experiment.name

    @property
    def variants(self) -> tuple[str, ...]:
        """The variants, the control first."""
        return self.experiment.variants

    @property
    def control(self) -> str:
        """The variant that the others are held against."""
        return self.variants[0]

    @property
    def unit_kind(self) -> str:
        """The unit of assignment and analysis, in a word."""
        return self.experiment.unit_kind

    @cached_property
    def arms(self) -> dict[str, Arm]:
        """The users of each variant, with all columns that measures are made of."""
        if self.experiment.sums:
            self._refuse_unsummed()
            return {name: SummedArm(*each) for name, each in self.experiment.sums.items()}
        rows, known = self._cells, self._moments
        parts, empty = rows.partition_by(VARIANT, as_dict=True), rows.clear()
        names = [name for name in rows.columns if name != VARIANT]
        return {
            variant: Arm(
                {name: parts.get((variant,), empty)[name].fill_null(math.nan).to_numpy() for name in names},
                known.get(variant, {}),
            )
            for variant in self.variants
        }

    @cached_property
    def _moments(self) -> dict[str, dict[tuple[str, ...], Moments]]:
        """The moments of all measures that are made of them, by variant, in one pass."""
        groups = [self._columns(each) for each in self.measures if each.kind != "quantile"]
        return moments_by(self._cells, VARIANT, groups) if groups else {}

    def _columns(self, measure: OnlineMeasure) -> tuple[str, ...]:
        """The columns of a measure, and of its covariate."""
        before = self.covariates.get(measure.name)
        return tuple(map(named, (*measure.columns, *(() if before is None else before.columns))))

    @cached_property
    def _cells(self) -> pl.DataFrame:
        """The variant of each user, and the columns that measures are made of; null where a user has no value."""
        every = (*self.measures, *self.covariates.values())
        columns = {named(column): self._column(column) for each in every for column in each.columns}
        # Who is new has no number of before the test, and stays in it: the mean of all takes nothing off.
        measured = {named(column) for each in self.measures for column in each.columns}
        for name in columns.keys() - measured:
            columns[name] = columns[name].fill_null(columns[name].mean() or 0.0)
        variant = self.experiment.frame[VARIANT]
        return pl.DataFrame([variant, *(cells.alias(name) for name, cells in columns.items())])

    def _refuse_unsummed(self) -> None:
        """Refuse measures that sums per variant do not tell."""
        for each in (*self.measures, *self.covariates.values()):
            if each.kind == "quantile" or not all(isinstance(column, str) for column in each.columns):
                refuse_without_users(self.experiment, each.name)
        for each in self.measures:
            columns = [*map(named, each.columns), *map(named, getattr(self.covariates.get(each.name), "columns", ()))]
            for variant, sums in self.experiment.sums.items():
                for pair in ((one, other) for one in columns for other in columns):
                    if pair not in sums.product:
                        what = " and ".join(dict.fromkeys(pair))
                        raise InputError(
                            f"{self.experiment.origin}: {each.name} of {variant} needs the sum of products of {what} "
                            f"(a column {pair[0]}_{pair[1]}_sum_product), and there is none"
                        )

    def _column(self, column: str | Cut) -> pl.Series:
        """A column of all users, cut off where that is asked for."""
        name = column if isinstance(column, str) else column.column
        values = self.experiment.frame[name]
        if not isinstance(column, Cut):
            return values
        at = column.at if column.how == "capped" else values.quantile(column.at, "linear")
        return values.clip(upper_bound=at)

    def measure(self, name: str | OnlineMeasure) -> OnlineMeasure:
        """A measure of the columns of the test."""
        return name if isinstance(name, OnlineMeasure) else of_experiment(str(name), self.experiment)

    def with_measures(self, measures: Wanted) -> Self:
        """The same with other measures, if any are asked for."""
        if measures is None:
            return self
        wanted = tuple(dict.fromkeys(self.measure(str(name)) for name in each_measure(measures)))
        return self if wanted == self.measures else replace(self, measures=wanted)

    def sample(self, measure: str | OnlineMeasure) -> ArmSample:
        """All variants under one measure."""
        wanted = self.measure(measure)
        if wanted not in self.measures:
            return replace(self, measures=(wanted,)).sample(wanted)
        return self._once("sample", wanted, lambda: self._sample(wanted))

    def _sample(self, measure: OnlineMeasure) -> ArmSample:
        planned = None if self.plan is None else self.plan.measure(measure.name)
        return ArmSample(
            tuple(self._estimates(measure)),
            tuple(self.experiment.sizes.values()),
            self.monitoring,
            None if planned is None else planned.margin,
            systems=self.variants,
            measure=measure.name,
            unit_kind=self.unit_kind,
            direction=measure.direction if planned is None else planned.direction,
        )

    def _estimates(self, measure: OnlineMeasure) -> list[ArmEstimate]:
        """The numbers of the variants, adjusted by the covariate of the measure if it has one."""
        if measure.kind == "quantile":
            return [
                quantile_of(self.arms[name].values(*self._columns(measure))[0], measure.level) for name in self.variants
            ]
        if self.experiment.sums:
            moments = [self.arms[name].moments(*self._columns(measure)) for name in self.variants]
        else:
            moments = [self._moments[name][self._columns(measure)] for name in self.variants]
        if measure.name in self.covariates:
            return adjusted(moments, len(measure.columns))
        return [mean_of(each) if measure.kind == "mean" else ratio_of(each) for each in moments]

    def saving(self, measure: str | OnlineMeasure) -> float:
        """The share of the variance that the covariate of a measure takes away; 0 where it has none."""
        wanted = self.measure(measure)
        if wanted.name not in self.covariates:
            return 0.0
        with_it, without = (
            sum(each.variance for each in estimates)
            for estimates in (self._estimates(wanted), replace(self, covariates={})._estimates(wanted))
        )
        return 1 - with_it / without if without else 0.0

    def estimate(self, measure: str | OnlineMeasure, variant: str | None = None) -> Estimate:
        """The number of a variant with its interval."""
        sample = self.sample(measure)
        place = only_one("variant", variant, {name: place for place, name in enumerate(self.variants)})
        (interval,) = sample.intervals((place,), [self.confidence], NO_DRAWING)
        return Estimate(
            sample.arms[place].value, interval.low, interval.high, interval.method, sample.undefined()[place]
        )

    def value(self, measure: str | OnlineMeasure, variant: str | None = None) -> float:
        """The number of a variant; NaN where it is undefined."""
        return self.estimate(measure, variant).value

    def difference(self, measure: str | OnlineMeasure, variant: str) -> Interval:
        """The interval of a variant's number less the control's."""
        places = (0, self.variants.index(variant))
        return self.sample(measure).intervals(places, [self.confidence], NO_DRAWING)[0]

    def lift(self, measure: str | OnlineMeasure, variant: str) -> Estimate:
        """The relative difference from the control, with its interval by the delta method."""
        sample = self.sample(measure)
        value, error = lift(sample.arms[0], sample.arms[self.variants.index(variant)])
        reach = standard_errors(self.confidence) * error
        return Estimate(value, value - reach, value + reach, "delta")

    def to_frame(self) -> pl.DataFrame:
        """One row per measure and variant: the number, and its difference from the control, with intervals."""
        return self._frame

    @cached_property
    def _frame(self) -> pl.DataFrame:
        rows = []
        for measure in self.measures:
            sample = self.sample(measure)
            for place, variant in enumerate(self.variants):
                row = {"measure": measure.name, "variant": variant, "users": sample.units_of(place)}
                row |= self.estimate(measure, variant).as_columns()
                if place:
                    reach = self.difference(measure, variant)
                    apart = sample.difference(0, place)
                    row |= Estimate(apart, reach.low, reach.high, "delta").as_columns("difference", "from", "to")
                    row |= self.lift(measure, variant).as_columns("lift", "lift_from", "lift_to")
                rows.append(row)
        return pl.DataFrame(rows, schema=_SCHEMA)

    @cached_property
    def sample_ratio(self) -> float:
        """The chance of a split at least as uneven, if users were assigned as planned; NaN of one variant."""
        weights = None if self.weights is None else [self.weights[name] for name in self.variants]
        return mismatch(list(self.experiment.sizes.values()), weights)

    @cached_property
    def health(self) -> tuple[Health, ...]:
        """Whether the test is sound: the split, and users in several variants."""
        return tuple(health_of(self))

    @cached_property
    def imbalances(self) -> tuple[Imbalance, ...]:
        """Where an uneven split comes from, as far as columns tell; empty where the split is as planned."""
        if not self.sample_ratio < SUSPICIOUS:
            return ()
        return tuple(imbalances(self.experiment, self.weights))

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """The differences within groups of users, where these were asked for."""
        return () if self.by is None else tuple(groups_of(self, self.by))

    @cached_property
    def distribution(self) -> pl.DataFrame:
        """Quantiles of the numbers of users, by measure and variant."""
        return pl.DataFrame(list(distribution_of(self)), infer_schema_length=None)

    @cached_property
    def chances(self) -> tuple[Chance, ...]:
        """How likely each variant is better, where that was asked for."""
        return tuple(chances(self)) if self.bayes else ()

    @cached_property
    def heavy(self) -> tuple[Heavy, ...]:
        """What the users with the largest numbers do to each difference of means."""
        means = [measure for measure in self.measures if measure.kind == "mean" and not self.experiment.sums]
        rows = [each for measure in means for each in heavy_of(self, measure)]
        return tuple(rows)

    def complete(self) -> Self:
        """Finish every number."""
        return self._finish(
            "_frame", "sample_ratio", "health", "imbalances", "heavy", "groups", "chances", "distribution"
        )

    def signature(self, measure: str | OnlineMeasure) -> str:
        """Everything that a measure's number depends on, in one line."""
        wanted = self.measure(measure)
        before = self.covariates.get(wanted.name)
        parts = [wanted.name, f"test={self.name}", f"unit={self.unit_kind}", "several=left out"]
        parts += [] if before is None else [f"cuped={before}"]
        return "|".join([*parts, "v1"])


_ENDS = ("value", "low", "high", "difference", "from", "to", "lift", "lift_from", "lift_to")
_SCHEMA = {
    "measure": pl.String, "variant": pl.String, "users": pl.Int64, **dict.fromkeys(_ENDS, pl.Float64)
}  # fmt: skip


def abtest(
    data: Any,
    measures: Wanted = None,
    *,
    control: Control = None,
    weights: VariantWeights = None,
    covariates: Covariates = None,
    sequential: SequentialMode | None = None,
    planned: PlannedUsers | None = None,
    looks: EarlierLooks = None,
    plan: PlanFile = None,
    events: EventsFile = None,
    window: WindowDays | None = None,
    cluster: Clusters = None,
    by: GroupsOfUsers | None = None,
    bayes: WithBayes = False,
    same: SameVariants = False,
    columns: Columns = None,
    confidence: Confidence = 0.95,
) -> ABTest:
    """Say what the users of each variant of an A/B test did, and whether the test is sound.

    `data`: a table with one row per user (a file, or a data frame), or an `Experiment`; exposures (`user_id`, `time`,
    `variant`), with `events` (`user_id`, `time`, `event`, `value`) beside them, of which those within `window` days of
    the first exposure count; or a log of clicks, whose systems are the variants. `measures`: columns, of which
    the mean per user counts, ratios of two such as `clicks/pages`, `median(x)`, `quantile(x, 0.9)`, and what is
    `capped(x, 500)` or `winsorised(x, 0.999)`; unless given, all columns of numbers. `control`: the variant that the
    others are held against; unless given, the one with a usual name, or the first. `weights`: the planned share of each
    variant, by name or in this order; unless given, equal ones.

    `cluster`: the column of what was assigned, if that was not users (stores, blocks of time). `by`: also show the
    differences within groups of users, by a column. `bayes`: also say how likely a variant is better. `same`: variants
    are the same (an A/A test), and a difference is a fault.

    `covariates`: for each measure, one of before the test that it is adjusted by (CUPED), as in
    `{"clicks": "clicks_before"}`. `sequential`: how a test is looked at while it runs: `fixed` (once), `group` (bounds
    by alpha spending), `hybrid`, or `always`; `planned`: the users of the planned end; `looks`: how many there were at
    earlier looks. See `Monitoring`. `plan`: a file of `assay abtest plan`, or a `PlannedTest`, which says all this.

    Users of several variants are left out, and counted.

    >>> rows = {"user": range(6), "variant": ["a", "b"] * 3, "clicks": [1, 2, 0, 3, 1, 1], "pages": [1, 3, 1, 4, 2, 2]}
    >>> abtest(pl.DataFrame(rows), "clicks/pages").value("clicks/pages", "a")  # 2 / 4
    0.5
    """
    confidence = checked_confidence(confidence)
    stated = (weights, covariates, sequential, planned, looks, plan, events, window, cluster)
    if isinstance(data, ABTest):
        if control in {None, data.control} and all(each is None for each in stated):
            shown = replace(data, by=data.by if by is None else by, bayes=data.bayes or bayes, same=data.same or same)
            told = [(each.by, each.bayes, each.same) for each in (data, shown)]
            return (data if told[0] == told[1] else shown).with_measures(measures)
        data, measures = data.experiment, measures or [each.name for each in data.measures]
    agreed = None if plan is None else read_plan(plan)
    stated_shares: Mapping[str, float] | Sequence[float] | None = weights
    if agreed is not None:
        refuse_beside_plan(weights=weights, covariates=covariates, sequential=sequential, planned=planned)
        control, stated_shares = control or agreed.control, agreed.shares
        covariates, sequential, planned = agreed.covariates, agreed.sequential, agreed.users
        measures = measures or agreed.measure_names
    experiment = open_experiment(data, columns=columns, control=control, events=events, window=window, cluster=cluster)
    if agreed is not None and set(agreed.variants) != set(experiment.variants):
        got = listed(list(experiment.variants))
        raise InputError(f"{experiment.origin}: the plan is of {listed(list(agreed.variants))}, got the variants {got}")
    if len(experiment.variants) < 2:
        names = listed(list(experiment.variants))
        raise InputError(f"{experiment.origin}: expected two variants or more, got {names} alone")
    for name, size in experiment.sizes.items():
        if not size:
            kind = several(experiment.unit_kind)
            raise InputError(f"{experiment.origin}: {name} has no {kind} but those who are in other variants, too")
    wanted = tuple(of_experiment(name, experiment) for name in experiment.usual)
    monitoring = Monitoring.of(
        sequential, planned, looks or (), *(() if agreed is None else (agreed.spending, agreed.rho))
    )
    shares, before_test = _weights(stated_shares, experiment.variants), covariates_of(covariates, experiment)
    result = ABTest(experiment, wanted, shares, confidence, (), before_test, monitoring, agreed, by, bayes, same)
    if by is not None:
        check_groups(experiment, by)
    result = result.with_measures(measures)
    for before in result.covariates.values():
        _refuse_leak(result, before)
    return replace(result, warnings=tuple(warnings_of(result)))


def of_experiment(name: str, experiment: Experiment) -> OnlineMeasure:
    """A measure of the columns of a test, by its name."""
    return OnlineMeasure.parse(name, experiment.numbers, experiment.ratios)


def covariates_of(stated: Mapping[str, str] | None, experiment: Experiment) -> dict[str, OnlineMeasure]:
    """The covariates by the names of their measures."""
    found = {}
    for name, before in (stated or {}).items():
        measure, covariate = (of_experiment(text, experiment) for text in (name, before))
        if measure.kind != covariate.kind or measure.kind == "quantile":
            kind = "mean" if measure.kind == "quantile" else measure.kind
            raise ParameterError(f"covariates: {name} is adjusted by a {kind} of before the test, not by {before}")
        found[measure.name] = covariate
    return found


def _refuse_leak(result: ABTest, before: OnlineMeasure) -> None:
    """Refuse a covariate that the variants differ in: what was measured before the test cannot depend on them."""
    sample = replace(result, covariates={}, monitoring=None, plan=None).sample(before)
    for place, variant in enumerate(result.variants[1:], 1):
        (outcome,) = sample.test([(0, place)], None, NO_DRAWING)
        if outcome.p < MISMATCH:
            raise InputError(
                f"{result.experiment.origin}: covariates are of before the test, and {before} differs between "
                f"{result.control} and {variant} ({p_phrase(outcome.p)}): was it measured after users saw a variant?"
            )


def _weights(
    weights: Mapping[str, float] | Sequence[float] | None, variants: Sequence[str]
) -> Mapping[str, float] | None:
    """The planned shares by variant."""
    if weights is None:
        return None
    shares = dict(weights) if isinstance(weights, Mapping) else dict(zip(variants, weights, strict=False))
    if set(shares) != set(variants) or (not isinstance(weights, Mapping) and len(weights) != len(variants)):
        raise ParameterError(f"weights: give one for each of {listed(list(variants))}")
    if not all(math.isfinite(share) and share > 0 for share in shares.values()):
        raise ParameterError("weights: a planned share is above 0")
    return shares
