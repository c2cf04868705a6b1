"""The click models by name: what each assumes, how it is fitted, how it walks down a list. Adding one is one class."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from assay.core.errors import not_among
from assay.measures.counting.clicked_lists import ClickedLists
from assay.measures.counting.judgments import Floats, Mask
from assay.stats.click_models.blocks import Block
from assay.stats.click_models.chains import Chain, Continuation, Expected, fit_chain
from assay.stats.click_models.convergence import Rules, share
from assay.stats.click_models.two_factors import fit_two_factors
from assay.stats.click_models.walks import BrowsingWalk, IndependentWalk, ReadingWalk, Walk

#: Lists without clicks, to the closed forms of DCM and SDBN: read to the end, or left out.
Clickless: TypeAlias = Literal["examined", "dropped"]
RelevanceRule: TypeAlias = Literal["attractiveness", "attractiveness x satisfaction", "attractiveness squared", ""]


class Evidence(NamedTuple):
    """How steeply the likelihood of a pair's results rises and falls with a parameter: sums of slopes, of squares."""

    up: Floats
    up_squared: Floats
    down: Floats
    down_squared: Floats

    @classmethod
    def of_counts(cls, yes: Floats, no: Floats, value: Floats) -> Evidence:
        """That of so many times yes and no."""
        with np.errstate(divide="ignore", invalid="ignore"):
            up, down = np.where(yes > 0, 1 / value, 0.0), np.where(no > 0, 1 / (1 - value), 0.0)
        return cls(yes * up, yes * up**2, no * down, no * down**2)


@dataclass(frozen=True, eq=False)
class Estimate:
    """Parameters by pair, with evidence, and the others in a frame: `parameter`, `rank`, `click_above`, `value`."""

    shared: pl.DataFrame
    attractiveness: Floats | None = None
    satisfaction: Floats | None = None
    evidence: Mapping[str, Evidence] = field(default_factory=dict)
    trace: tuple[float, ...] = ()
    converged: bool = True


@dataclass(frozen=True, eq=False)
class Parameters:
    """The parameters of a model for some lists: by pair of these, with one more for what is below the end of a list."""

    attractiveness: Floats
    satisfaction: Floats
    shared: pl.DataFrame
    ranks: int

    def by_rank(self, name: str, otherwise: float = 1.0) -> Floats:
        """A parameter for each rank; one that is not known is that of the nearest rank above it on the list."""
        rows = self.shared.filter((pl.col("parameter") == name) & pl.col("value").is_not_null())
        if rows["rank"].null_count():
            return np.full(self.ranks, float(rows["value"][0]))
        values = np.full(max(self.ranks, int(rows["rank"].max() or 0) + 1), np.nan)  # type: ignore[call-overload]
        values[rows["rank"].to_numpy()] = rows["value"].to_numpy()
        known = np.flatnonzero(~np.isnan(values))
        if not len(known):
            return np.full(self.ranks, otherwise)
        place = np.maximum(np.searchsorted(known, np.arange(len(values)), side="right") - 1, 0)
        return values[known[place]]

    def by_click_above(self, name: str) -> Floats:
        """A parameter for each rank and rank of the click above.

        What is not known is that of the same distance one rank further up; without clicks, of the rank above.
        """
        rows = self.shared.filter((pl.col("parameter") == name) & pl.col("value").is_not_null())
        ranks = max(self.ranks, int(rows["rank"].max() or 0) + 1)  # type: ignore[call-overload]
        values = np.full((ranks, ranks), np.nan)
        values[rows["rank"].to_numpy(), rows["click_above"].to_numpy()] = rows["value"].to_numpy()
        mean = float(np.nanmean(values)) if rows.height else 1.0
        for rank in range(1, ranks):
            further_up = values[rank - 1, np.maximum(np.arange(ranks) - 1, 0)]
            further_up[:2] = values[rank - 1, :2]
            values[rank] = np.where(np.isnan(values[rank]), further_up, values[rank])
        return np.where(np.isnan(values), mean, values)


class Model(ABC):
    """A click model: a name, what it assumes, what relevance is, how it is fitted and how it walks down lists."""

    name: ClassVar[str]
    title: ClassVar[str]
    relevance: ClassVar[RelevanceRule] = "attractiveness"

    @abstractmethod
    def fit(self, lists: ClickedLists, rules: Rules, clickless: Clickless) -> Estimate:
        """Estimate the parameters."""

    @abstractmethod
    def walker(self, parameters: Parameters) -> Callable[[Block], Walk]:
        """What goes down the lists of a block."""


MODELS: dict[str, Model] = {}


def click_model(name: str, title: str, relevance: RelevanceRule = "attractiveness") -> Callable[[type[Model]], type]:
    """Register a model by its name."""

    def register(kind: type[Model]) -> type[Model]:
        kind.name, kind.title, kind.relevance = name, title, relevance
        MODELS[name] = kind()
        return kind

    return register


def model_of(name: str) -> Model:
    """A model by its name, in whatever case.

    >>> model_of("pbm").title
    'position-based model'
    """
    by_name = {each.lower(): model for each, model in MODELS.items()}
    if str(name).lower() not in by_name:
        raise not_among("click model", name, MODELS)
    return by_name[name.lower()]


def shared_frame(
    parameter: str, value: Floats, rank: object = None, above: object = None, shown: object = None
) -> pl.DataFrame:
    """Rows of parameters that all pairs share."""
    size = len(value)
    columns = {"rank": rank, "click_above": above}
    return pl.DataFrame(
        {
            "parameter": [parameter] * size,
            **{name: pl.Series([None] * size if each is None else each, dtype=pl.Int64)
               for name, each in columns.items()},
            "value": pl.Series(value, dtype=pl.Float64).fill_nan(None),
            "shown": pl.Series([None] * size if shown is None else shown, dtype=pl.Float64),
        }
    )  # fmt: skip


# Rates ----------------------------------------------------------------------------------------------------------------


class _Rate(Model):
    """A click rate for each group of results."""

    def walker(self, parameters: Parameters) -> Callable[[Block], Walk]:
        rate = parameters.by_rank("click rate")
        return lambda block: IndependentWalk(block, np.ones(block.pair.shape), rate)


@click_model("GCTR", "one click rate for all results", "")
class GlobalRate(_Rate):
    """Every result is clicked at one rate."""

    def fit(self, lists: ClickedLists, rules: Rules, clickless: Clickless) -> Estimate:
        """Clicks by results."""
        shown = lists.row_weight.sum()
        rate = share(np.array([lists.row_weight[lists.clicked].sum()]), np.array([shown]), rules)
        return Estimate(shared_frame("click rate", rate, shown=[shown]))


@click_model("RCTR", "a click rate for each rank", "")
class RankRate(_Rate):
    """Every rank has its click rate."""

    def fit(self, lists: ClickedLists, rules: Rules, clickless: Clickless) -> Estimate:
        """Clicks by results, rank by rank."""
        shown = np.bincount(lists.rank, weights=lists.row_weight)
        clicks = np.bincount(lists.rank, weights=lists.row_weight * lists.clicked)
        known = np.flatnonzero(shown)
        return Estimate(shared_frame("click rate", share(clicks, shown, rules)[known], known, shown=shown[known]))


@click_model("DCTR", "a click rate for each query and document")
class DocumentRate(Model):
    """Every pair has its click rate, wherever it stands."""

    def fit(self, lists: ClickedLists, rules: Rules, clickless: Clickless) -> Estimate:
        """Clicks by results, pair by pair."""
        shown, clicks = lists.by_pair(), lists.by_pair(lists.clicked)
        rate = share(clicks, shown, rules)
        return Estimate(
            shared_frame("click rate", np.zeros(0)), rate,
            evidence={"attractiveness": Evidence.of_counts(clicks, shown - clicks, rate)},
        )  # fmt: skip

    def walker(self, parameters: Parameters) -> Callable[[Block], Walk]:
        """No rank matters."""
        ones = np.ones(parameters.ranks)
        return lambda block: IndependentWalk(block, parameters.attractiveness[block.pair], ones)


# Two factors ----------------------------------------------------------------------------------------------------------


class _TwoFactors(Model):
    by_click_above: ClassVar[bool]

    def fit(self, lists: ClickedLists, rules: Rules, clickless: Clickless) -> Estimate:
        """Expectation-maximisation on cells."""
        cells = lists.cells(by_click_above=self.by_click_above)
        found = fit_two_factors(cells, lists.pairs.height, rules)
        clicks = lists.by_pair(lists.clicked)
        shown = np.bincount(cells.group, weights=cells.shown, minlength=len(cells.groups))
        above = cells.groups[:, 1] if self.by_click_above else None
        up = Evidence.of_counts(clicks, np.zeros_like(clicks), found.attractiveness)
        return Estimate(
            shared_frame("examination", found.examination, cells.groups[:, 0], above, shown), found.attractiveness,
            evidence={"attractiveness": Evidence(up.up, up.up_squared, *found.against)},
            trace=tuple(found.trace.values), converged=found.trace.converged,
        )  # fmt: skip


@click_model("PBM", "position-based model")
class PositionBased(_TwoFactors):
    """A result is clicked if it attracts and its rank is examined; ranks are examined whatever was clicked."""

    by_click_above = False

    def walker(self, parameters: Parameters) -> Callable[[Block], Walk]:
        """Clicks do not depend on one another."""
        rate = parameters.by_rank("examination")
        return lambda block: IndependentWalk(block, parameters.attractiveness[block.pair], rate)


@click_model("UBM", "user browsing model")
class UserBrowsing(_TwoFactors):
    """As the position-based model, but examination depends on the rank of the click above, too."""

    by_click_above = True

    def walker(self, parameters: Parameters) -> Callable[[Block], Walk]:
        """The click above matters."""
        rate = parameters.by_click_above("examination")
        return lambda block: BrowsingWalk(block, parameters.attractiveness[block.pair], rate)


# Chains ---------------------------------------------------------------------------------------------------------------


class _Chain(Model):
    """People read from the top."""

    #: Whose satisfaction it is: that of each pair, the same as attractiveness, or none.
    satisfaction: ClassVar[Literal["own", "attractiveness", "none"]] = "none"

    @abstractmethod
    def going_on(self, parameters: Parameters) -> Continuation:
        """How probable it is to go on."""

    def walker(self, parameters: Parameters) -> Callable[[Block], Walk]:
        """From the top, until people stop."""
        near = parameters.attractiveness
        content = {"own": parameters.satisfaction, "attractiveness": near, "none": np.zeros_like(near)}
        chain = Chain(near, content[self.satisfaction], self.going_on(parameters))
        return lambda block: ReadingWalk(block, chain)


def _read(lists: ClickedLists, clickless: Clickless) -> Mask:
    """Results down to the last click; on lists without clicks all, or none."""
    end = np.where(lists.last_click >= 0, lists.last_click + 1, lists.offsets[1:] if clickless == "examined" else 0)
    return np.arange(len(lists.pair)) < np.repeat(end, lists.length)


def _last(lists: ClickedLists) -> Mask:
    """Which rows are the last click of their list."""
    last = np.zeros(len(lists.pair), dtype=np.bool_)
    last[lists.last_click[lists.last_click >= 0]] = True
    return last


def _attraction(lists: ClickedLists, read: Mask, rules: Rules) -> tuple[Floats, Evidence]:
    """Attractiveness where it is known which results were read."""
    clicks, shown = lists.by_pair(lists.clicked & read), lists.by_pair(read)
    alpha = share(clicks, shown, rules)
    return alpha, Evidence.of_counts(clicks, shown - clicks, alpha)


@click_model("CM", "cascade model")
class Cascade(_Chain):
    """People read until they click, and then leave: a list with several clicks is impossible."""

    def fit(self, lists: ClickedLists, rules: Rules, clickless: Clickless) -> Estimate:
        """Closed form, on results down to the first click."""
        alpha, evidence = _attraction(lists, lists.previous_click == 0, rules)
        return Estimate(shared_frame("continuation", np.zeros(0)), alpha, evidence={"attractiveness": evidence})

    def going_on(self, parameters: Parameters) -> Continuation:
        """After a skip always, after a click never."""
        return Continuation(1.0, np.zeros(parameters.ranks), 0.0)


class _DependentClicks(_Chain):
    def going_on(self, parameters: Parameters) -> Continuation:
        """After a skip always, after a click depending on its rank."""
        return Continuation(1.0, parameters.by_rank("continuation", otherwise=0.0), 0.0)


@click_model("DCM", "dependent click model, simplified: the last click satisfied")
class SimplifiedDependentClicks(_DependentClicks):
    """After a click people go on or leave, depending on the rank; they left after the last click."""

    def fit(self, lists: ClickedLists, rules: Rules, clickless: Clickless) -> Estimate:
        """Closed form."""
        alpha, evidence = _attraction(lists, _read(lists, clickless), rules)
        weight = lists.row_weight
        clicks, last = (np.bincount(lists.rank, weights=weight * each) for each in (lists.clicked, _last(lists)))
        ranks = np.flatnonzero(np.bincount(lists.rank))
        value = share(clicks - last, clicks, rules)[ranks]
        return Estimate(
            shared_frame("continuation", value, ranks, shown=clicks[ranks]), alpha,
            evidence={"attractiveness": evidence},
        )  # fmt: skip


@click_model("SDBN", "simplified dynamic Bayesian network: read exactly down to the last click",
             "attractiveness x satisfaction")  # fmt: skip
class SimplifiedBayesian(_Chain):
    """After a click people are satisfied and leave, or go on; they read down to the last click and no further."""

    satisfaction = "own"

    def fit(self, lists: ClickedLists, rules: Rules, clickless: Clickless) -> Estimate:
        """Closed form."""
        alpha, evidence = _attraction(lists, _read(lists, clickless), rules)
        clicks, last = lists.by_pair(lists.clicked), lists.by_pair(_last(lists))
        sigma = share(last, clicks, rules)
        return Estimate(
            shared_frame("continuation", np.zeros(0)), alpha, sigma,
            {"attractiveness": evidence, "satisfaction": Evidence.of_counts(last, clicks - last, sigma)},
        )  # fmt: skip

    def going_on(self, parameters: Parameters) -> Continuation:
        """Unless satisfied."""
        return Continuation(1.0, np.ones(parameters.ranks), 0.0)


class _Iterated(_Chain):
    """A chain fitted by expectation-maximisation."""

    @abstractmethod
    def start(self, ranks: int) -> Continuation:
        """Where iterations start from."""

    @abstractmethod
    def improved(self, found: Expected, rules: Rules, now: Continuation) -> Continuation:
        """How probable it is to go on, from what is expected."""

    @abstractmethod
    def free(self, found: Expected, now: Continuation) -> Floats:
        """The parameters of going on that are estimated."""

    @abstractmethod
    def shared(self, going_on: Continuation, found: Expected) -> pl.DataFrame:
        """The parameters that all pairs share."""

    def fit(self, lists: ClickedLists, rules: Rules, clickless: Clickless) -> Estimate:
        """Expectation-maximisation on collapsed lists."""
        ranks = int(lists.rank.max(initial=0)) + 1
        found = fit_chain(lists, rules, self.start(ranks), self.improved, self.free, satisfaction=self.satisfaction)
        size = lists.pairs.height
        alpha, sigma = found.chain.attractiveness[:size], found.chain.satisfaction[:size]
        clicks = lists.by_pair(lists.clicked)
        expected = found.expected
        up = Evidence.of_counts(clicks, np.zeros_like(clicks), alpha)
        near = Evidence(up.up, up.up_squared, *(expected.against or ()))
        content = Evidence(*(expected.for_satisfaction or ()), *(expected.against_satisfaction or ()))
        evidence = {"attractiveness": near}
        if self.satisfaction == "own":
            evidence["satisfaction"] = content
            sigma = np.where((clicks > 0) | (rules.clicks + rules.skips > 0), sigma, np.nan)
        elif self.satisfaction == "attractiveness":
            evidence["attractiveness"] = Evidence(
                *(first + second for first, second in zip(near, content, strict=True))
            )
        return Estimate(
            self.shared(found.chain.going_on, expected), alpha, sigma if self.satisfaction == "own" else None,
            evidence, tuple(found.trace.values), found.trace.converged,
        )  # fmt: skip


@click_model("DBN", "dynamic Bayesian network", "attractiveness x satisfaction")
class DynamicBayesian(_Iterated):
    """After a click people are satisfied and leave; else, and after a skip, they go on with one probability."""

    satisfaction = "own"

    def start(self, ranks: int) -> Continuation:
        return Continuation(0.9, np.full(ranks, 0.9), 0.0)

    def improved(self, found: Expected, rules: Rules, now: Continuation) -> Continuation:
        sums = found.skip + found.click.sum(axis=0)
        gamma = share(sums[:1], sums[1:], rules, now.skip)
        return Continuation(float(gamma[0]), np.full(len(found.click), gamma[0]), 0.0)

    def free(self, found: Expected, now: Continuation) -> Floats:
        return np.array([now.skip])

    def shared(self, going_on: Continuation, found: Expected) -> pl.DataFrame:
        return shared_frame("continuation", np.array([going_on.skip]),
                            shown=[found.skip[1] + found.click[:, 1].sum()])  # fmt: skip

    def going_on(self, parameters: Parameters) -> Continuation:
        gamma = parameters.by_rank("continuation")
        return Continuation(float(gamma[0]), gamma, 0.0)


@click_model("SDBN-exact", "dynamic Bayesian network in which people go on unless satisfied, by maximum likelihood",
             "attractiveness x satisfaction")  # fmt: skip
class ExactSimplifiedBayesian(_Iterated):
    """SDBN without the assumption that nothing was read below the last click."""

    satisfaction = "own"

    def start(self, ranks: int) -> Continuation:
        return Continuation(1.0, np.ones(ranks), 0.0)

    def improved(self, found: Expected, rules: Rules, now: Continuation) -> Continuation:
        return now

    def free(self, found: Expected, now: Continuation) -> Floats:
        return np.zeros(0)

    def shared(self, going_on: Continuation, found: Expected) -> pl.DataFrame:
        return shared_frame("continuation", np.zeros(0))

    def going_on(self, parameters: Parameters) -> Continuation:
        return self.start(parameters.ranks)


@click_model("DCM-exact", "dependent click model by maximum likelihood")
class ExactDependentClicks(_Iterated, _DependentClicks):
    """DCM without the assumption that people left after the last click."""

    def start(self, ranks: int) -> Continuation:
        return Continuation(1.0, np.full(ranks, 0.5), 0.0)

    def improved(self, found: Expected, rules: Rules, now: Continuation) -> Continuation:
        return Continuation(1.0, share(found.click[:, 0], found.click[:, 1], rules, now.click), 0.0)

    def free(self, found: Expected, now: Continuation) -> Floats:
        return now.click[found.click[:, 1] > 0]

    def shared(self, going_on: Continuation, found: Expected) -> pl.DataFrame:
        ranks = np.flatnonzero(found.click[:, 1])
        return shared_frame("continuation", going_on.click[ranks], ranks, shown=found.click[ranks, 1])


_AFTER = ("continuation after a skip", "continuation after a click", "continuation when satisfied")


@click_model("CCM", "click chain model", "attractiveness squared")
class ClickChain(_Iterated):
    """People go on with one probability after a skip, others after a click, satisfied (as probable as attraction) or not."""

    satisfaction = "attractiveness"

    def start(self, ranks: int) -> Continuation:
        return Continuation(0.9, np.full(ranks, 0.7), 0.5)

    def improved(self, found: Expected, rules: Rules, now: Continuation) -> Continuation:
        sums = np.stack([found.skip, found.click.sum(axis=0), found.satisfied_click])
        tau = share(sums[:, 0], sums[:, 1], rules, self.free(found, now))
        return Continuation(float(tau[0]), np.full(len(found.click), tau[1]), float(tau[2]))

    def free(self, found: Expected, now: Continuation) -> Floats:
        return np.array([now.skip, now.click[0], now.satisfied])

    def shared(self, going_on: Continuation, found: Expected) -> pl.DataFrame:
        values = (going_on.skip, float(going_on.click[0]), going_on.satisfied)
        counts = (found.skip[1], found.click[:, 1].sum(), found.satisfied_click[1])
        rows = zip(_AFTER, values, counts, strict=True)
        return pl.concat([shared_frame(name, np.array([value]), shown=[count]) for name, value, count in rows])

    def going_on(self, parameters: Parameters) -> Continuation:
        skip, click, satisfied = (parameters.by_rank(name) for name in _AFTER)
        return Continuation(float(skip[0]), click, float(satisfied[0]))
