"""`plan`: from the scores there are to the number of units (topics) that a comparison needs."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from assay.comparison.pairing import pairs_of
from assay.errors import InputError, ParameterError, need, number_of
from assay.measures.registry import Measure
from assay.scored import Scored
from assay.stats import pairs as pairwise
from assay.stats.corrections import corrected
from assay.stats.paired import Paired
from assay.stats.power import smallest_detectable, units_needed
from assay.stats.samples import Averaged
from assay.stats.stability import Stability, discriminative_power, ranking_stability

if TYPE_CHECKING:
    import pandas as pd

    from assay.report.titled import Titled

JSON_SCHEMA_VERSION = 1
# More pairs than this are summed up, not listed.
_MOST_PAIRS_SHOWN = 10
_STABILITY_RESAMPLES = 1000


class PairPlan(NamedTuple):
    """Two systems under one measure.

    `spread`: standard deviation of the units' differences. `detectable`: the smallest difference that these units show
    with the power asked for. `needed`: the units that show the difference asked for; None if no number of them does.
    """

    measure: str
    baseline: str
    system: str
    units: int
    observed: float
    spread: float
    detectable: float
    difference: float
    needed: int | None
    p: float


class MeasurePlan(NamedTuple):
    """One measure: how many pairs of systems it tells apart, and how stable its ranking of the systems is."""

    measure: str
    unit_kind: str
    units: int
    difference: float
    difference_says: str
    pairs: tuple[PairPlan, ...]
    told_apart: float
    stability: Stability

    def spreads(self) -> tuple[float, float, float]:
        """Median, smallest and largest spread over the pairs."""
        return _middle([pair.spread for pair in self.pairs])

    def detectable(self) -> tuple[float, float, float]:
        """Median, smallest and largest detectable difference over the pairs."""
        return _middle([pair.detectable for pair in self.pairs])

    def needed(self) -> tuple[float, float, float]:
        """Median, smallest and largest number of units needed over the pairs; infinite if no number is enough."""
        return _middle([math.inf if pair.needed is None else float(pair.needed) for pair in self.pairs])


@dataclass(frozen=True, eq=False)
class Plan:
    """How many units a comparison needs, measure by measure.

    >>> judged = {f"q{n}": {"good": 1} for n in range(8)}
    >>> first = {f"q{n}": {"good": 1.0, "bad": 2.0 * (n % 2)} for n in range(8)}
    >>> second = {f"q{n}": {"good": 1.0, "bad": 2.0 * (n % 3 > 1)} for n in range(8)}
    >>> found = plan(judged, {"first": first, "second": second}, measures="RR", difference=0.1)
    >>> found.measures[0].pairs[0].needed, found.measures[0].pairs[0].spread
    (101, 0.3536)
    """

    measures: tuple[MeasurePlan, ...]
    alpha: float
    power: float
    resamples: int
    seed: int
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        names = ", ".join(one.measure for one in self.measures)
        return f"<Plan for {names}: {number_of('pair', len(self.measures[0].pairs))} of systems>"

    def __str__(self) -> str:
        from assay.report.titled import to_text  # noqa: PLC0415  # results reach the report inside functions only

        return to_text(self.tables(), self.lines())

    def to_frame(self) -> pl.DataFrame:
        """One row a measure and pair of systems."""
        rows = [pair._asdict() for one in self.measures for pair in one.pairs]
        return pl.DataFrame(rows, infer_schema_length=None).with_columns(pl.col(pl.Float64).fill_nan(None))

    def to_pandas(self) -> pd.DataFrame:
        """The table of `to_frame`, as a pandas frame."""
        need("pandas", extra="pandas", purpose="to_pandas")
        import pandas as pd  # noqa: PLC0415

        return pd.DataFrame(self.to_frame().to_dict(as_series=False))

    def to_csv(self) -> str:
        """The table of `to_frame`, numbers in full."""
        return self.to_frame().write_csv()

    def to_json(self) -> str:
        """Measures, pairs and settings; numbers in full, null where there is none."""
        from assay.report.layout import as_json  # noqa: PLC0415

        told = {
            "schema_version": JSON_SCHEMA_VERSION,
            "alpha": self.alpha,
            "power": self.power,
            "resamples": self.resamples,
            "seed": self.seed,
            "notes": list(self.notes),
            "measures": [
                one._asdict()
                | {"pairs": [pair._asdict() for pair in one.pairs]}
                | {"stability": {name: part._asdict() for name, part in one.stability._asdict().items()}}
                for one in self.measures
            ],
        }
        return as_json(told)

    def to_markdown(self) -> str:
        """The tables as Markdown."""
        from assay.report.titled import to_markdown  # noqa: PLC0415

        return to_markdown(self.tables(), self.lines())

    def to_latex(self) -> str:
        """The tables as LaTeX (booktabs)."""
        from assay.report.titled import to_latex  # noqa: PLC0415

        return to_latex(self.tables(), self.lines())

    def _repr_html_(self) -> str:
        from assay.report.titled import to_html  # noqa: PLC0415

        return to_html(self.tables(), self.lines())

    def tables(self) -> list[Titled]:
        """What is shown: the pairs if they are few, else their median and range; then what the measures tell apart."""
        from assay.report.plans import tables  # noqa: PLC0415

        return tables(self, _MOST_PAIRS_SHOWN)

    def lines(self) -> list[str]:
        """What the numbers rest on, in words."""
        from assay.report.plans import lines  # noqa: PLC0415

        return [*lines(self, _MOST_PAIRS_SHOWN), *self.notes]


def plan(
    given: Any,
    runs: Any = None,
    *,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    difference: float | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    baseline: str | None = None,
    resamples: int | None = None,
    seed: int = 0,
    **rules: Any,
) -> Plan:
    """Say how large a difference the units at hand can show, and how many units a given difference needs.

    `given` is an `Evaluation`, or judgments (with `runs`, and the rules of `evaluate`), or scores: a `Scores` table or
    a file of one. `difference`: the difference in a measure to be found; unless given, 0.01 of the measure's range.
    `power` is the chance to find it, with a two-sided test at level `alpha`. `baseline`: pair the others with it, not
    every two systems. Power is that of the paired t test; which pairs are told apart, with these units, is tested by
    permutation, with Holm's correction, from `seed`.

    >>> scores = plan({"q1": {"d": 1}, "q2": {"d": 1}}, {"a": {"q1": {"d": 1}}, "b": {"q2": {"d": 1}}}, measures="RR")
    >>> scores.measures[0].pairs[0].units
    2
    """
    if difference is not None and not (np.isfinite(difference) and difference > 0):
        raise ParameterError(f"the difference is a number above 0, not {difference!r}")
    scored = Scored.of(given, runs, measures, seed=seed, **rules)
    paired = [_paired(scored, name) for name in scored.measures(measures)]
    notes = [
        f"{one.measure} is a sum over units: it grows with them, and is left out" for one in paired if _is_sum(one)
    ]
    usable = [one for one in paired if not _is_sum(one)]
    if not usable:
        raise InputError(f"{paired[0].measure} is a sum over units, which grows with them: plan by another measure")
    planned = []
    for one in usable:
        pairs = pairs_of(one.systems, baseline, all_pairs=baseline is None).pairs
        drawn = pairwise.resamples_for(len(pairs), alpha) if resamples is None else resamples
        planned.append(_measure_plan(one, pairs, difference, (alpha, power), (drawn, seed)))
        if one.left_out:
            notes.append(f"{one.measure}: {number_of(one.unit_kind, one.left_out)} that not all systems have left out")
    return Plan(tuple(planned), alpha, power, drawn, seed, tuple(dict.fromkeys(notes)))


def _measure_plan(
    paired: Paired,
    pairs: tuple[tuple[int, int], ...],
    difference: float | None,
    levels: tuple[float, float],
    drawing: tuple[int, int],
) -> MeasurePlan:
    (alpha, power), (resamples, seed) = levels, drawing
    units, observed = len(paired.units), paired.observed
    wanted, says = paired.margin(pairs[0][0], difference)
    without_each = paired.sample.without_each()
    found = pairwise.tested(paired, pairs, "permutation", resamples, seed)
    p = corrected(np.array([one.p for one in found]), "holm")
    planned = []
    for (first, second), own in zip(pairs, p.tolist(), strict=True):
        # The spread that a mean's change without each unit tells: of differences, for a mean exactly.
        spread = float((units - 1) * np.std(without_each[:, second] - without_each[:, first], ddof=1))
        spread = spread if spread > 1e-12 else 0.0
        planned.append(
            PairPlan(
                paired.measure,
                paired.systems[first],
                paired.systems[second],
                units,
                float(observed[second] - observed[first]),
                spread,
                smallest_detectable(spread, units, alpha, power),
                wanted,
                units_needed(wanted, spread, alpha, power),
                own,
            )
        )
    stability = ranking_stability(paired.sample, _STABILITY_RESAMPLES, seed)
    apart = discriminative_power(p, alpha)
    return MeasurePlan(paired.measure, paired.unit_kind, units, wanted, says, tuple(planned), apart, stability)


def _paired(scored: Scored, measure: str) -> Paired:
    paired = scored.paired(measure)
    if len(paired.units) < 2:
        kind = number_of(paired.unit_kind, 2)
        raise InputError(f"{measure}: a spread takes {kind} at least that all systems have, got {len(paired.units)}")
    return paired


def _is_sum(paired: Paired) -> bool:
    return isinstance(paired.sample, Averaged) and paired.sample.summary == "sum"


def _middle(numbers: list[float]) -> tuple[float, float, float]:
    ordered = sorted(numbers)
    return ordered[len(ordered) // 2], ordered[0], ordered[-1]
