"""`audit_judge`: can the labels of a model stand for those of people, on this collection?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from assay.core.domains import Real
from assay.core.errors import ParameterError, argument, not_among, number_of
from assay.core.evaluation_options import Columns, Seed
from assay.core.options import Categories, RepeatedLabels, Resamples
from assay.core.results import Result
from assay.ground_truth.audited_labels import as_judges, in_common, key_of, labels_of_people, on_one_scale, passes_of
from assay.ground_truth.crowd import crowd
from assay.ground_truth.judge_rankings import JudgeRankings, agree_on_systems
from assay.measures.counting.judgments import Floats
from assay.measures.definition import WeightsName
from assay.measures.steps import quantity
from assay.stats.bootstrap import Interval, wilson
from assay.stats.samples import Drawing
from assay.stats.weighted_samples import PatternSample
from assay.subjects.judges.evaluation import JudgeAgreement, agree, is_numeric
from assay.subjects.ranking.evaluation import named_runs
from assay.tables.labels import Labels
from assay.tables.roles import named_by

Outcome: TypeAlias = Literal["usable", "not usable", "cannot say"]

#: What a model has to reach, unless stated otherwise.
LEAST_KAPPA, LEAST_TAU, MOST_LENIENT, MOST_FLIPS = 0.4, 0.9, 0.1, 0.1
#: Fewer systems than this have no order to speak of.
FEWEST_SYSTEMS = 5


class Criterion(NamedTuple):
    """A criterion of the verdict: the number found, the number asked for, and whether that holds (None: open)."""

    name: str
    value: float
    low: float
    high: float
    asked: str
    holds: bool | None
    reason: str = ""

    @classmethod
    def within(
        cls, name: str, estimate: tuple[float, float, float], bounds: tuple[float, float], asked: str
    ) -> Criterion:
        """It holds if the whole interval of a number (value, low, high) is within bounds, and fails if none is."""
        value, low, high = estimate
        ends = (value, value) if math.isnan(low) else (low, high)
        is_in = bounds[0] <= ends[0] and ends[1] <= bounds[1]
        is_out = ends[1] < bounds[0] or ends[0] > bounds[1]
        return cls(name, value, low, high, asked, is_in if is_in or is_out else None)

    @classmethod
    def unknown(cls, name: str, asked: str, reason: str) -> Criterion:
        """One that nothing could be found out about, and why."""
        return cls(name, math.nan, math.nan, math.nan, asked, None, reason)


@dataclass(frozen=True, eq=False)
class JudgeAudit(Result):
    """The labels of a model compared with those of people.

    `criteria`: what the verdict rests on. `confusion`: people's label (row) by the model's (column). `flips`: items
    that were labelled again, and differently. `systems`: each run's number by both judgments. `slices`: agreement and
    leniency within groups. `recorded`: model, prompt and parameters.
    """

    kind: ClassVar[str] = "judge audit"

    verdict: Outcome
    criteria: tuple[Criterion, ...]
    confusion: pl.DataFrame
    flips: pl.DataFrame
    systems: pl.DataFrame
    slices: pl.DataFrame
    recorded: Mapping[str, str]
    settings: Mapping[str, Any]
    warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<JudgeAudit: {self.verdict}, {number_of('item', self.settings['items'])}>"

    def to_frame(self) -> pl.DataFrame:
        """One row per criterion."""
        rows = [each._asdict() for each in self.criteria]
        return pl.DataFrame(rows, infer_schema_length=None).with_columns(pl.col(pl.Float64).fill_nan(None))

    def criterion(self, name: str) -> Criterion:
        """A criterion by its name: kappa, leniency, flips, position flips, ranking, family."""
        known = {each.name: each for each in self.criteria}
        if name not in known:
            raise not_among("criterion", name, known)
        return known[name]


def audit_judge(
    model: Any,
    people: Any,
    *,
    runs: Any = None,
    measure: str = "nDCG@10",
    families: Mapping[str, str] | None = None,
    family: str | None = None,
    categories: Categories = None,
    binarise: float | None = None,
    slices: Sequence[str] = (),
    weights: WeightsName = "none",
    least_kappa: float = LEAST_KAPPA,
    least_tau: float = LEAST_TAU,
    most_lenient: float = MOST_LENIENT,
    most_flips: float = MOST_FLIPS,
    repeated: RepeatedLabels = "error",
    columns: Columns = None,
    resamples: Resamples = 1000,
    seed: Seed = 0,
) -> JudgeAudit:
    """Hold the labels of a model against those of people, and say whether they can stand for them here.

    `model` and `people`: tables of labels, or judgments; of several people the majority counts, and ties are left out.
    An item that the model's table has again was labelled again, at another place in the prompt if a column `position`
    says so; columns such as `model`, `prompt_hash` and `temperature` say how the labels came about.
    With `runs`, systems are ranked by both judgments under `measure`; `families` says which model each run is built on,
    `family` the judge's own. `slices`: columns of the model's table, or `query_id`, within which both are compared.
    `categories`: all labels in their order, which has to be stated where they are words; true and false are 1 and 0.
    `binarise`: the smallest grade that counts as 1, on both sides; all others are 0. `repeated`: what holds where
    one of the people labels an item again, and differently.

    Usable: kappa is at least `least_kappa` with its whole interval, the mean difference of labels is at most
    `most_lenient` of the scale, labels flip for at most `most_flips` of items labelled again, and the ranking of
    systems has a tau of `least_tau` or more. Without runs nobody can say.

    >>> people = Labels.of([(f"d{n}", "ana", n % 2) for n in range(40)])
    >>> model = Labels.of([(f"d{n}", "gpt", 1) for n in range(40)])
    >>> audit = audit_judge(model, people)
    >>> audit.verdict, audit.criterion("leniency").value
    ('not usable', 0.5)
    """
    for name, share in (("most_lenient", most_lenient), ("most_flips", most_flips), ("least_tau", least_tau)):
        Real(0.0, 1.0).check(name, share)
    Real(-1.0, 1.0).check("least_kappa", least_kappa)
    _check_families(families, family, runs)
    with named_by(columns):
        passes, recorded = passes_of(model, slices)
        judged = labels_of_people(people, repeated)
    passes, judged, remarks = on_one_scale(passes, judged, binarise=binarise, has_order=categories is not None)
    first = passes.unique(key_of(passes), keep="first", maintain_order=True)
    both, notes = in_common(first, judged)
    result = agree(as_judges(both), ["Agreement"], categories=categories, resamples=resamples, seed=seed)
    is_ordered = categories is not None or is_numeric(result.labels)
    apart = _apart(result, is_ordered)
    coefficient = f"Kappa(weights='{weights}')"
    kappa = result.estimate(coefficient)
    flips = _flips(passes)
    asked = f"at most {most_flips:.0%} of items labelled again"
    criteria = [
        Criterion.unknown("kappa", f"{least_kappa:g} or more", kappa.undefined)
        if kappa.undefined
        else Criterion.within("kappa", kappa[:3], (least_kappa, 1.0), f"{least_kappa:g} or more"),
        _leniency(apart, most_lenient, Drawing(resamples, seed)),
        *(Criterion.within(row["criterion"], (row["share"], row["low"], row["high"]), (0.0, most_flips), asked)
          for row in flips.iter_rows(named=True)),
    ]  # fmt: skip
    systems = pl.DataFrame()
    if runs is None:
        missing = "no runs were given: whether systems keep their order is not known"
        criteria.append(Criterion.unknown("ranking", f"tau of {least_tau:g} or more", missing))
    else:
        graded = _graded(result) if is_ordered else result.labels
        ranked = agree_on_systems(graded, runs, measure=measure, resamples=resamples, seed=seed)
        systems = _systems(ranked, families)
        criteria.append(_order(ranked, least_tau))
        if families is not None and family is not None:
            criteria.append(_own_family(ranked, families, family))
    agreement = agree(judged, resamples=0).value("Agreement") if len(judged.judges) > 1 else math.nan
    settings: dict[str, Any] = {
        "items": both.height, "people": len(judged.judges),
        "people_agreement": None if math.isnan(agreement) else agreement,
        "measure": measure if runs is not None else None, "weights": weights, "least_kappa": least_kappa,
        "least_tau": least_tau, "most_lenient": most_lenient, "most_flips": most_flips, "resamples": resamples,
        "seed": seed,
    }  # fmt: skip
    settings |= {} if binarise is None else {"binarise": binarise}
    if len(judged.judges) > 1:
        flagged = crowd(judged, method="majority", draws=0).workers.filter("flagged")
        settings |= {"people_flagged": dict(flagged.select("worker", "reason").iter_rows())} if flagged.height else {}
    holds = [each.holds for each in criteria]
    verdict: Outcome
    if False in holds:
        verdict = "not usable"
    elif None in holds:
        verdict = "cannot say"
    else:
        verdict = "usable"
    confusion = result.confusion("people", "model").rename(lambda name: name.removeprefix("model "))
    return JudgeAudit(
        verdict, tuple(criteria), confusion, flips, systems, _slices(result, apart, both, slices, coefficient),
        recorded, settings, (*remarks, *notes),
    )  # fmt: skip


# Item by item ---------------------------------------------------------------------------------------------------------


def _apart(result: JudgeAgreement, is_ordered: bool) -> Floats:
    """Leniency: labels of the model less those of people, item by item, in shares of the scale; NaN if unordered."""
    people, model = result.ratings.only("people", "model").pair()
    values = result.ratings.values if is_ordered else np.full(len(result.ratings.values), np.nan)
    apart: Floats = (values[model] - values[people]) / (float(np.ptp(values)) or 1.0)
    return apart


def _leniency(apart: Floats, most: float, drawing: Drawing) -> Criterion:
    """The mean difference with its interval, by drawing items anew."""
    asked = f"from -{most:g} to {most:g} of the scale"
    if np.isnan(apart).any():
        return Criterion.unknown("leniency", asked, "the labels are words: state their order as categories")
    sample = PatternSample(
        (quantity("difference", apart) / quantity("items", np.ones(len(apart))),), bounds=(-1.0, 1.0)
    )
    interval = sample.intervals((0,), [0.95], drawing)[0] if drawing.resamples else Interval.unknown(0.95)
    return Criterion.within("leniency", (float(apart.mean()), interval.low, interval.high), (-most, most), asked)


def _flips(passes: pl.DataFrame) -> pl.DataFrame:
    """Of items labelled again, how many have different labels: at one position, and over several positions."""
    key = key_of(passes)
    place = ["position"] if "position" in passes.columns else []
    first = passes.unique([*key, *place], keep="first", maintain_order=True)
    rows = []
    for kind, name, groups in (
        ("repeat", "flips", passes.group_by([*key, *place])),
        ("position", "position flips", first.group_by(key)),
    ):
        again = groups.agg(labels=pl.len(), kinds=pl.col("label").n_unique()).filter(pl.col("labels") > 1)
        if again.height:
            differ = int((again["kinds"] > 1).sum())
            interval = wilson(differ, again.height)
            rows.append((kind, name, again.height, differ, differ / again.height, interval.low, interval.high))
    kinds = {"kind": pl.String, "criterion": pl.String, "items": pl.Int64, "flips": pl.Int64}
    return pl.DataFrame(rows, schema=kinds | dict.fromkeys(("share", "low", "high"), pl.Float64), orient="row")


def _slices(
    result: JudgeAgreement, apart: Floats, both: pl.DataFrame, slices: Sequence[str], kappa: str
) -> pl.DataFrame:
    """Agreement and leniency within the groups of a column."""
    parts = []
    for name in slices:
        groups = both[name].drop_nulls().unique(maintain_order=True).to_list()
        places = {group: place for place, group in enumerate(groups)}
        place = both[name].replace_strict(places, default=-1, return_dtype=pl.Int64).to_numpy()
        table = result.within("group", groups, place, kappa)
        lenient = [float(apart[place == number].mean()) for number in range(len(groups))]
        parts.append(table.with_columns(slice=pl.lit(name), leniency=pl.Series(lenient, dtype=pl.Float64)))
    names = {"Agreement": "agreement", "Kappa": "kappa", "Kappa_low": "low", "Kappa_high": "high"}
    columns = ["slice", "group", "items", *names.values(), "leniency"]
    return pl.concat(parts).rename(names).select(columns) if parts else pl.DataFrame(schema=columns)


# System by system -----------------------------------------------------------------------------------------------------


def _check_families(families: Mapping[str, str] | None, family: str | None, runs: Any) -> None:
    """Refuse families without the model's own, or of runs that there are not."""
    if (families is None) != (family is None):
        both = f"{argument('families')} and {argument('family')}"
        raise ParameterError(f"families of runs and the model's own go together: say {both}")
    if families is not None and runs is None:
        raise ParameterError("families are those of runs: name runs")
    names = list(named_runs(runs)) if families else []
    for name in families or ():
        if name not in names:
            raise not_among("run", name, names)


def _graded(result: JudgeAgreement) -> Labels:
    """The labels as numbers, by which systems are scored: words by their places in the order."""
    if is_numeric(result.labels):
        return result.labels
    places = {name: place for place, name in enumerate(result.ratings.categories)}
    label = pl.col("label").replace_strict(places, return_dtype=pl.Int64)
    return replace(result.labels, frame=result.labels.frame.with_columns(label))


def _systems(ranked: JudgeRankings, families: Mapping[str, str] | None) -> pl.DataFrame:
    """Each run's number and place by both judgments, and its family."""
    places = {
        f"{side}_place": pl.col(side).fill_nan(None).rank("min", descending=True).cast(pl.Int64)
        for side in ("people", "model")
    }
    columns = ["system", "people", "people_place", "model", "model_place"]
    table = ranked.scores.with_columns(**places).select(columns)
    family = pl.col("system").replace_strict(dict(families or {}), default=None, return_dtype=pl.String)
    return table if families is None else table.insert_column(1, table.select(family=family)["family"])


def _order(ranked: JudgeRankings, least: float) -> Criterion:
    """The criterion of order: a tau that other topics could have lifted above the bar leaves it open."""
    asked = f"tau of {least:g} or more"
    systems = ranked.scores.height
    tau, low, high = ranked.correlations.select("tau", "tau_low", "tau_high").fill_null(math.nan).row(0)
    if math.isnan(tau):
        nobody = "by the labels of people, or the model's, systems are tied or nothing is relevant: they have no order"
        return Criterion.unknown("ranking", asked, nobody)
    if systems < FEWEST_SYSTEMS:
        reason = f"{systems} systems have too few orders to tell: give {FEWEST_SYSTEMS} or more"
        return Criterion("ranking", tau, low, high, asked, None, reason)
    is_open = tau < least <= high
    return Criterion("ranking", tau, low, high, asked, None if is_open else tau >= least)


def _own_family(ranked: JudgeRankings, families: Mapping[str, str], family: str) -> Criterion:
    """The model's favour of systems of its own family over others, topic by topic."""
    people, model = (ranked.evaluations[side].to_frame(per_query=True) for side in ("people", "model"))
    is_own = pl.col("system").replace_strict(dict(families), default="") == family
    lift = pl.col(f"{ranked.measure}_right") - pl.col(ranked.measure)
    lifted = people.join(model, on=["system", "query_id"]).select("query_id", own=is_own, lift=lift)
    by_topic = lifted.group_by("query_id").agg(
        gap=pl.col("lift").filter("own").mean() - pl.col("lift").filter(~pl.col("own")).mean()
    )
    gaps = by_topic["gap"].drop_nulls().drop_nans().to_numpy()
    asked = "no lift for systems of the model's own family"
    if len(gaps) < 2:
        return Criterion.unknown(
            "family", asked, f"no system, or no other one, is of the family {family!r}, or nothing is relevant"
        )
    error = float(gaps.std(ddof=1)) / math.sqrt(len(gaps))
    interval = Interval.by_t(float(gaps.mean()), error, len(gaps) - 1, 0.95, "t")
    is_favoured = interval.low > 0 if interval.is_known else gaps.mean() > 0
    return Criterion("family", float(gaps.mean()), interval.low, interval.high, asked, not is_favoured)
