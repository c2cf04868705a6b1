"""`audit_judge`: can the labels of a model stand for those of people, on this collection?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from assay.core.domains import Real
from assay.core.errors import InputError, ParameterError, argument, listed, number_of
from assay.core.options import Columns, Resamples, Seed
from assay.core.results import Result
from assay.files.labels import read_labels
from assay.files.named_columns import named_columns, names_in_any
from assay.files.sources import Source, is_file
from assay.measures.agreement import Agreement, Kappa
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.counting.ratings import Ratings
from assay.measures.definition import WeightsName
from assay.measures.steps import PerUnit, quantity
from assay.stats.aggregation import majority
from assay.stats.bootstrap import Interval, wilson
from assay.stats.pattern_samples import PatternSample
from assay.stats.samples import Drawing
from assay.subjects.ranking.evaluation import Evaluation, evaluate
from assay.tables import Qrels
from assay.tables.labels import Labels
from assay.tables.named_columns import is_frame
from assay.tables.roles import folded_name, named_by, roles_in
from assay.verbs.correlation import correlate

Outcome: TypeAlias = Literal["usable", "not usable", "cannot say"]

#: What a model has to reach, unless stated otherwise.
LEAST_KAPPA, LEAST_TAU, MOST_LENIENT, MOST_FLIPS = 0.4, 0.9, 0.1, 0.1
#: Fewer systems than this have no order to speak of.
FEWEST_SYSTEMS = 5
_TAU = "Kendall's tau-b"
#: Columns in which files of model labels say how these came about.
_RECORDED = ("model", "prompt", "prompt_hash", "temperature", "parameters", "seed", "version")
#: Columns by which an item is labelled again: where it stood in the prompt, and which attempt it was.
_AGAIN = ("position", "repeat")


class Criterion(NamedTuple):
    """One thing that the verdict rests on: what was found, what is asked for, and whether that holds (None: open)."""

    name: str
    value: float
    low: float
    high: float
    asked: str
    holds: bool | None
    reason: str = ""

    @classmethod
    def unknown(cls, name: str, asked: str, reason: str) -> Criterion:
        """One that nothing could be found out about, and why."""
        return cls(name, math.nan, math.nan, math.nan, asked, None, reason)


@dataclass(frozen=True, eq=False)
class JudgeAudit(Result):
    """The labels of a model held against those of people.

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
            raise ParameterError(f"choose a criterion of {listed(list(known))}, not {name!r}")
        return known[name]


class _Case(NamedTuple):
    """Items that both have labelled: people's and the model's category of each, and what categories are worth."""

    frame: pl.DataFrame
    people: Ints
    model: Ints
    categories: tuple[str, ...]
    values: Floats
    drawing: Drawing
    weights: WeightsName

    @property
    def span(self) -> float:
        return float(self.values.max() - self.values.min()) or 1.0

    def only(self, rows: Floats) -> _Case:
        return self._replace(frame=self.frame.filter(pl.Series(rows)), people=self.people[rows], model=self.model[rows])


def audit_judge(
    model: Any,
    people: Any,
    *,
    runs: Any = None,
    measure: str = "nDCG@10",
    families: Mapping[str, str] | None = None,
    family: str | None = None,
    slices: Sequence[str] = (),
    weights: WeightsName = "none",
    recorded: Mapping[str, str] | None = None,
    least_kappa: float = LEAST_KAPPA,
    least_tau: float = LEAST_TAU,
    most_lenient: float = MOST_LENIENT,
    most_flips: float = MOST_FLIPS,
    columns: Columns = None,
    resamples: Resamples = 1000,
    seed: Seed = 0,
) -> JudgeAudit:
    """Hold the labels of a model against those of people, and say whether they can stand for them here.

    `model` and `people`: tables of labels, or judgments; of several people the majority counts, and ties are left out.
    Columns `position` and `repeat` of the model's table say that it labelled an item again; columns such as `model`,
    `prompt_hash` and `temperature`, or `recorded`, say how the labels came about. With `runs`, systems are ranked by
    both judgments under `measure`; `families` says which model each run is built on, `family` the judge's own.
    `slices`: columns of the model's table, or `query_id`, within which both are compared.

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
    with named_by(columns):
        passes, extra, said = _model_passes(model, slices)
        with_people = _labels_of(people)
    first = passes.frame.unique(_key(passes), keep="first", maintain_order=True)
    case, notes = _case(first, with_people, Drawing(resamples, seed), weights)
    criteria = [_kappa(case, least_kappa), _leniency(case, most_lenient)]
    flips = _flips(passes, extra)
    criteria += _flip_criteria(flips, most_flips)
    systems = pl.DataFrame(schema={"system": pl.String, "people": pl.Float64, "model": pl.Float64})
    if runs is not None:
        systems, of_runs = _ranking(case, runs, measure, least=least_tau, families=families, family=family)
        criteria += of_runs
    else:
        missing = "no runs were given: whether systems keep their order is not known"
        criteria.append(Criterion.unknown("ranking", f"tau of {least_tau:g} or more", missing))
    settings = {
        "items": len(case.people), "people": len(with_people.judges),
        "people_agreement": _people_agreement(with_people), "measure": measure if runs is not None else None,
        "weights": weights, "least_kappa": least_kappa, "least_tau": least_tau, "most_lenient": most_lenient,
        "most_flips": most_flips, "resamples": resamples, "seed": seed,
    }  # fmt: skip
    holds = [each.holds for each in criteria]
    verdict: Outcome = "not usable" if False in holds else "cannot say" if None in holds else "usable"
    return JudgeAudit(
        verdict, tuple(criteria), _confusion(case), flips, systems, _slices(case, extra, slices),
        {**said, **(recorded or {})}, settings, tuple(notes),
    )  # fmt: skip


# What was given -------------------------------------------------------------------------------------------------------


def _key(labels: Labels) -> list[str]:
    return [column for column in ("query_id", "item_id") if column in labels.frame.columns]


def _labels_of(given: Any) -> Labels:
    if not isinstance(given, Qrels):
        return read_labels(given)
    frame = given.frame.filter(pl.col("relevance") >= 0).rename({"doc_id": "item_id", "relevance": "label"})
    return Labels.of(frame if "judge" in frame.columns else frame.with_columns(judge=pl.lit(given.name)))


def _model_passes(given: Any, slices: Sequence[str]) -> tuple[Labels, pl.DataFrame | None, dict[str, str]]:
    """The model's labels, one "judge" per pass over the items; columns beside them; and how they came about."""
    has_columns = (is_file(given) or is_frame(given)) and not isinstance(given, Labels | Qrels)
    source = Source.of(given) if has_columns and is_file(given) else given
    if not has_columns or not {"item_id", "label"} <= set(roles_in("labels", names_in_any(source))):
        if slices and tuple(slices) != ("query_id",):
            raise ParameterError(f"slices: these labels have no further columns, so no {listed(list(slices))}")
        return _labels_of(source), None, {}
    table = named_columns(source, "labels")
    names = {folded_name(name): name for name in table.frame.columns}
    roles = roles_in("labels", table.frame.columns)
    keys = {ours: table.ids(roles[ours], ours) for ours in ("query_id", "item_id") if ours in roles}
    marks = table.labels(roles["label"])
    if marks.null_count():
        raise table.error(int(marks.is_null().arg_max() or 0), "a label of the model")
    frame = pl.DataFrame([*(values.alias(ours) for ours, values in keys.items()), marks.alias("label")])
    again = [table.frame[names[name]].cast(pl.String).alias(name) for name in _AGAIN if name in names]
    lacking = [name for name in slices if name not in table.frame.columns and name not in keys]
    if lacking:
        raise ParameterError(f"slices: {table.path} has no column {listed(lacking)}")
    wanted = [table.frame[name].cast(pl.String).alias(f"slice {name}") for name in slices if name not in keys]
    extra = frame.select(list(keys)).with_columns(*again, *wanted)
    # Each further label of an item is another pass: so none of them is lost, and all have one scale.
    occurrence = pl.int_range(pl.len()).over(list(keys)).cast(pl.String)
    labels = read_labels(frame.with_columns(judge=occurrence))
    said = {}
    for name in _RECORDED:
        if name in names:
            values = table.frame[names[name]].cast(pl.String).drop_nulls().unique(maintain_order=True).to_list()
            said[name] = listed(values)
    return Labels(labels.frame, labels.name, table.path, labels.remarks), extra, said


def _case(model: pl.DataFrame, people: Labels, drawing: Drawing, weights: WeightsName) -> tuple[_Case, list[str]]:
    """Pair people's label with the model's, item by item."""
    notes = list(people.remarks)
    if ("query_id" in model.columns) != people.has_topics:
        raise InputError("one table of labels has topics, and the other has none: name the column query_id in both")
    if model["label"].dtype.is_numeric() != people.frame["label"].dtype.is_numeric():
        raise InputError(
            "the labels of one table are numbers, those of the other are words: they have no scale in common"
        )
    names = sorted({*model["label"].to_list(), *people.frame["label"].to_list()})
    named = people.frame.with_columns(item=people.items)
    ratings = Ratings.from_frame(named.select("item", "judge", "label"), names)
    consensus = majority(ratings, ties="none")
    said = pl.DataFrame({"item": ratings.items, "people": consensus.chosen}).filter(pl.col("people") >= 0)
    if len(consensus.tied):
        notes.append(f"{number_of('item', len(consensus.tied))} left out, on which people are tied")
    item = pl.col("item_id") if not people.has_topics else pl.format("{} {}", "query_id", "item_id")
    places = {name: place for place, name in enumerate(names)}
    both = model.with_columns(item=item, model=pl.col("label").replace_strict(places, return_dtype=pl.Int64)).join(
        said, on="item", how="inner", maintain_order="left"
    )
    if both.height < 2:
        raise InputError(
            f"the model and the people have labelled {number_of('item', both.height)} in common: are the ids the same?"
        )
    if both.height < min(model.height, said.height):
        alone = f"{model.height - both.height:,} of the model's and {said.height - both.height:,} of people's"
        notes.append(f"{number_of('item', both.height)} compared; {alone} have no label of the other")
    codes = both["people"].to_numpy(), both["model"].to_numpy()
    return _Case(both, *codes, ratings.categories, ratings.values, drawing, weights), notes


# Item by item ---------------------------------------------------------------------------------------------------------


def _interval(formula: PerUnit, drawing: Drawing) -> tuple[float, Interval]:
    """A number over items, and its interval by drawing items anew."""
    sample = PatternSample((formula,))
    value = float(sample.observed[0])
    unknown = Interval.unknown(0.95)
    if math.isnan(value) or not drawing.resamples:
        return value, unknown
    return value, sample.intervals((0,), [0.95], drawing)[0]


def _kappa_of(case: _Case) -> tuple[float, Interval, str]:
    ratings = Ratings(
        case.frame["item"], ("people", "model"), case.categories, case.values, case.values >= 1.0,
        np.repeat(np.arange(len(case.people)), 2), np.tile([0, 1], len(case.people)),
        np.column_stack([case.people, case.model]).ravel(),
    )  # fmt: skip
    formula = Kappa(weights=case.weights).per_unit(ratings)
    return *_interval(formula, case.drawing), formula.pooled().reason(0) or ""


def _kappa(case: _Case, least: float) -> Criterion:
    value, interval, reason = _kappa_of(case)
    holds = None
    if not math.isnan(value) and interval.is_known:
        holds = True if interval.low >= least else False if interval.high < least else None
    return Criterion("kappa", value, interval.low, interval.high, f"{least:g} or more", holds, reason)


def _difference(case: _Case) -> tuple[float, Interval]:
    """How much higher the model's labels are than people's, as a share of the scale."""
    apart = (case.values[case.model] - case.values[case.people]) / case.span
    items = quantity("items", np.ones(len(apart)))
    return _interval(quantity("difference", apart) / items, case.drawing)


def _leniency(case: _Case, most: float) -> Criterion:
    value, interval = _difference(case)
    low, high = (interval.low, interval.high) if interval.is_known else (value, value)
    holds = True if -most <= low and high <= most else False if low > most or high < -most else None
    return Criterion("leniency", value, interval.low, interval.high, f"from -{most:g} to {most:g} of the scale", holds)


def _confusion(case: _Case) -> pl.DataFrame:
    width = len(case.categories)
    table = np.bincount(case.people * width + case.model, minlength=width * width).reshape(width, width)
    rows = {"people": case.categories} | {name: table[:, place] for place, name in enumerate(case.categories)}
    return pl.DataFrame(rows)


def _flips(passes: Labels, extra: pl.DataFrame | None) -> pl.DataFrame:
    """Of items labelled again, how many have different labels: at one position, and over several positions."""
    schema = {"kind": pl.String, "items": pl.Int64, "flips": pl.Int64, "share": pl.Float64, "low": pl.Float64,
              "high": pl.Float64}  # fmt: skip
    if extra is None or not len(passes.judges) > 1:
        return pl.DataFrame(schema=schema)
    key = _key(passes)
    frame = extra.with_columns(occurrence=pl.int_range(pl.len()).over(key).cast(pl.String))
    frame = frame.join(passes.frame.rename({"judge": "occurrence"}), on=[*key, "occurrence"], how="inner")
    place = ["position"] if "position" in frame.columns else []
    rows = []
    first = frame.unique([*key, *place], keep="first", maintain_order=True)
    for kind, groups in (("repeat", frame.group_by([*key, *place])), ("position", first.group_by(key))):
        again = groups.agg(labels=pl.len(), kinds=pl.col("label").n_unique()).filter(pl.col("labels") > 1)
        if again.height:
            differ = int((again["kinds"] > 1).sum())
            interval = wilson(differ, again.height)
            rows.append((kind, again.height, differ, differ / again.height, interval.low, interval.high))
    return pl.DataFrame(rows, schema=schema, orient="row")


def _flip_criteria(flips: pl.DataFrame, most: float) -> list[Criterion]:
    asked = f"at most {most:.0%} of items labelled again"
    found = []
    for row in flips.iter_rows(named=True):
        holds = True if row["high"] <= most else False if row["low"] > most else None
        name = "flips" if row["kind"] == "repeat" else "position flips"
        found.append(Criterion(name, row["share"], row["low"], row["high"], asked, holds))
    return found


def _slices(case: _Case, extra: pl.DataFrame | None, slices: Sequence[str]) -> pl.DataFrame:
    """Agreement and leniency within the groups of a column."""
    rows = []
    for name in slices:
        frame = case.frame
        if name not in frame.columns and extra is not None:
            key = [column for column in ("query_id", "item_id") if column in extra.columns]
            first = extra.unique(key, keep="first").select(*key, pl.col(f"slice {name}").alias(name))
            frame = frame.join(first, on=key, how="left", maintain_order="left")
        groups = frame[name]
        for group in groups.drop_nulls().unique(maintain_order=True):
            part = case.only((groups == group).fill_null(False).to_numpy())
            same = float((part.people == part.model).mean())
            kappa, interval, _ = _kappa_of(part)
            lenient, _ = _difference(part)
            rows.append((name, str(group), len(part.people), same, kappa, interval.low, interval.high, lenient))
    columns = ["slice", "group", "items", "agreement", "kappa", "low", "high", "leniency"]
    kinds = [pl.String, pl.String, pl.Int64, *[pl.Float64] * 5]
    frame = pl.DataFrame(rows, schema=dict(zip(columns, kinds, strict=True)), orient="row")
    return frame.with_columns(pl.col(pl.Float64).fill_nan(None))


# System by system -----------------------------------------------------------------------------------------------------


def _ranking(
    case: _Case,
    runs: Any,
    measure: str,
    *,
    least: float,
    families: Mapping[str, str] | None,
    family: str | None,
) -> tuple[pl.DataFrame, list[Criterion]]:
    """Score the runs by people's labels and by the model's, on the same items."""
    if "query_id" not in case.frame.columns:
        raise ParameterError("runs are ranked by documents for topics, and these labels have no topics")
    judged = [
        Qrels(case.frame.select("query_id", doc_id="item_id", relevance=pl.Series(case.values[codes])), name)
        for codes, name in ((case.people, "people"), (case.model, "model"))
    ]
    by_people, by_model = (evaluate(each, runs, [measure]) for each in judged)
    names = [system.name for system in by_people.systems]
    table = pl.DataFrame(
        {
            "system": names,
            "people": [by_people.mean(measure, name) for name in names],
            "model": [by_model.mean(measure, name) for name in names],
        }
    )
    places = [
        pl.col(side).rank("min", descending=True).cast(pl.Int64).alias(f"{side}_place") for side in ("people", "model")
    ]
    table = table.with_columns(places)
    criteria = [_order(by_people, by_model, len(names), least, case.drawing.seed)]
    if families is not None:
        criteria.append(_own_family(by_people, by_model, families, family))
        table = table.with_columns(family=pl.col("system").replace_strict(dict(families), default=None))
    return table, criteria


def _order(people: Evaluation, model: Evaluation, systems: int, least: float, seed: int) -> Criterion:
    """Whether systems keep their order; a tau that other topics could have lifted above the bar leaves it open."""
    asked = f"tau of {least:g} or more"
    if systems < 2:
        return Criterion.unknown("ranking", asked, "one run has no order")
    pair = correlate(people, model, names=("people", "model"), seed=seed).pairs[0]
    tau = next(each for each in pair.coefficients if each.name == _TAU)
    redrawn = pair.with_other_units.get(_TAU, Interval.unknown(0.95))
    if math.isnan(tau.value):
        return Criterion.unknown("ranking", asked, tau.note)
    if systems < FEWEST_SYSTEMS:
        reason = f"{systems} systems have too few orders to tell: give {FEWEST_SYSTEMS} or more"
        return Criterion("ranking", tau.value, redrawn.low, redrawn.high, asked, None, reason)
    holds = True if tau.value >= least else False if not redrawn.high >= least else None
    return Criterion("ranking", tau.value, redrawn.low, redrawn.high, asked, holds)


def _own_family(people: Evaluation, model: Evaluation, families: Mapping[str, str], family: str | None) -> Criterion:
    """How much more the model lifts systems of its own family than others, topic by topic."""
    if family is None:
        raise ParameterError(f"families are named, but not the model's own: say {argument('family')}")
    measure = str(people.measures[0])
    both = people.to_frame(per_query=True).join(model.to_frame(per_query=True), on=["system", "query_id"])
    own = pl.col("system").replace_strict(dict(families), default="") == family
    lifted = both.select("query_id", own=own, lift=pl.col(f"{measure}_right") - pl.col(measure))
    by_topic = lifted.group_by("query_id").agg(
        gap=pl.col("lift").filter("own").mean() - pl.col("lift").filter(~pl.col("own")).mean()
    )
    gaps = by_topic["gap"].drop_nulls().drop_nans().to_numpy()
    asked = "no lift for systems of the model's own family"
    if len(gaps) < 2:
        why = f"no system, or no other one, is of the family {family!r}"
        return Criterion.unknown("family", asked, why)
    error = float(gaps.std(ddof=1)) / math.sqrt(len(gaps))
    interval = Interval.by_t(float(gaps.mean()), error, len(gaps) - 1, 0.95, "t")
    favoured = interval.low > 0 if interval.is_known else gaps.mean() > 0
    return Criterion("family", float(gaps.mean()), interval.low, interval.high, asked, not favoured)


def _people_agreement(labels: Labels) -> float | None:
    """The share of pairs of people who agree on an item: more cannot be asked of a model; None for one person."""
    named = labels.frame.with_columns(item=labels.items)
    value = float(Agreement.per_unit(Ratings.from_frame(named.select("item", "judge", "label"))).pooled().values[0])
    return None if math.isnan(value) else value
