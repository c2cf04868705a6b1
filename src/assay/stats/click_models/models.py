"""The click models by name: what each assumes, how it is fitted, how it walks down a list. Adding one is one class."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
import polars as pl

from assay.core.errors import InputError, not_among
from assay.core.options import Clickless
from assay.measures.counting.clicked_lists import ClickedLists, sums
from assay.measures.counting.judgments import Floats, Mask
from assay.stats.click_models.chains import Chain, Continuation, Expected, PageBlock, fit_chain
from assay.stats.click_models.estimation import FittingRules, ParameterEvidence, share
from assay.stats.click_models.two_factors import fit_two_factors
from assay.stats.click_models.walks import BrowsingWalk, IndependentWalk, ReadingWalk, Walk

#: Ranks whose pairs fit into memory.
_MOST_RANKS = 5_000
RelevanceRule: TypeAlias = Literal["attractiveness", "attractiveness x satisfaction", "attractiveness squared", ""]


@dataclass(frozen=True, eq=False)
class FittedParameters:
    """Parameters by pair, with evidence, and the others in a frame: `parameter`, `rank`, `click_above`, `value`."""

    shared: pl.DataFrame
    attractiveness: Floats | None = None
    satisfaction: Floats | None = None
    evidence: Mapping[str, ParameterEvidence] = field(default_factory=dict)
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
        values = np.full(max(self.ranks, int(rows["rank"].to_numpy().max(initial=0)) + 1), np.nan)
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
        ranks = max(self.ranks, int(rows["rank"].to_numpy().max(initial=0)) + 1)
        if ranks > _MOST_RANKS:
            raise InputError(f"expected ranks up to {_MOST_RANKS - 1:,}, which UBM can tell apart by the click above, "
                             f"got {ranks - 1:,}")  # fmt: skip
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
    #: Why its relevance has no intervals, if it has none.
    no_interval: ClassVar[str | None] = None

    @property
    def shares(self) -> Mapping[str, tuple[str, ...]]:
        """The parameters that all pairs share, and what there is one of each for: ranks, clicks above, or nothing."""
        return {}

    @abstractmethod
    def fit(self, lists: ClickedLists, rules: FittingRules, clickless: Clickless) -> FittedParameters:
        """Estimate the parameters."""

    @abstractmethod
    def walker(self, parameters: Parameters) -> Callable[[PageBlock], Walk]:
        """The walk down the lists of a block."""


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


def shared_frame(parameter: str, value: Floats, rank: Any = None, above: Any = None, count: Any = None) -> pl.DataFrame:
    """Rows of parameters that all pairs share."""
    size = len(value)
    columns = {"rank": rank, "click_above": above}
    return pl.DataFrame(
        {
            "parameter": pl.Series([parameter] * size, dtype=pl.String),
            **{name: pl.Series([None] * size if each is None else each, dtype=pl.Int64)
               for name, each in columns.items()},
            "value": pl.Series(value, dtype=pl.Float64).fill_nan(None),
            "shown": pl.Series([None] * size if count is None else count, dtype=pl.Float64),
        }
    )  # fmt: skip


# Rates ----------------------------------------------------------------------------------------------------------------


class _Rate(Model):
    """A click rate for each group of results."""

    by_rank: ClassVar[bool] = False

    @property
    def shares(self) -> Mapping[str, tuple[str, ...]]:
        """The rates."""
        return {"click rate": ("rank",) if self.by_rank else ()}

    def walker(self, parameters: Parameters) -> Callable[[PageBlock], Walk]:
        rate = parameters.by_rank("click rate")
        return lambda block: IndependentWalk(block, np.ones(block.pair.shape), rate)


@click_model("GCTR", "one click rate for all results", "")
class GlobalRate(_Rate):
    """Every result is clicked at one rate."""

    def fit(self, lists: ClickedLists, rules: FittingRules, clickless: Clickless) -> FittedParameters:
        """Clicks by results."""
        count = lists.row_weight.sum()
        rate = share(np.array([lists.row_weight[lists.clicked].sum()]), np.array([count]), rules)
        return FittedParameters(shared_frame("click rate", rate, count=[count]))


@click_model("RCTR", "a click rate for each rank", "")
class RankRate(_Rate):
    """Every rank has its click rate."""

    by_rank = True

    def fit(self, lists: ClickedLists, rules: FittingRules, clickless: Clickless) -> FittedParameters:
        """Clicks by results, rank by rank."""
        count = sums(lists.rank, lists.row_weight)
        clicks = sums(lists.rank, lists.row_weight * lists.clicked)
        known = np.flatnonzero(count)
        return FittedParameters(
            shared_frame("click rate", share(clicks, count, rules)[known], known, count=count[known])
        )


@click_model("DCTR", "a click rate for each query and document")
class DocumentRate(Model):
    """Every pair has its click rate, wherever it stands."""

    def fit(self, lists: ClickedLists, rules: FittingRules, clickless: Clickless) -> FittedParameters:
        """Clicks by results, pair by pair."""
        count, clicks = lists.by_pair(), lists.by_pair(lists.clicked)
        rate = share(clicks, count, rules)
        return FittedParameters(
            shared_frame("click rate", np.zeros(0)), rate,
            evidence={"attractiveness": ParameterEvidence.of_counts(clicks, count - clicks, rate)},
        )  # fmt: skip

    def walker(self, parameters: Parameters) -> Callable[[PageBlock], Walk]:
        """No rank matters."""
        ones = np.ones(parameters.ranks)
        return lambda block: IndependentWalk(block, parameters.attractiveness[block.pair], ones)


# Two factors ----------------------------------------------------------------------------------------------------------


class _TwoFactors(Model):
    by_click_above: ClassVar[bool]

    @property
    def shares(self) -> Mapping[str, tuple[str, ...]]:
        """The examined shares."""
        return {"examination": ("rank", "click_above") if self.by_click_above else ("rank",)}

    def fit(self, lists: ClickedLists, rules: FittingRules, clickless: Clickless) -> FittedParameters:
        """Expectation-maximisation on cells."""
        cells = lists.cells(by_click_above=self.by_click_above)
        fitted = fit_two_factors(cells, lists.pairs.height, rules)
        clicks = lists.by_pair(lists.clicked)
        count = sums(cells.group, cells.shown, len(cells.groups))
        above = cells.groups[:, 1] if self.by_click_above else None
        up = ParameterEvidence.of_counts(clicks, np.zeros_like(clicks), fitted.attractiveness)
        return FittedParameters(
            shared_frame("examination", fitted.examination, cells.groups[:, 0], above, count), fitted.attractiveness,
            evidence={"attractiveness": ParameterEvidence(up.up, up.up_squared, *fitted.against)},
            trace=tuple(fitted.trace.values), converged=fitted.trace.converged,
        )  # fmt: skip


@click_model("PBM", "position-based model")
class PositionBased(_TwoFactors):
    """A result is clicked if it attracts and its rank is examined; ranks are examined whatever was clicked."""

    by_click_above = False

    def walker(self, parameters: Parameters) -> Callable[[PageBlock], Walk]:
        """Clicks do not depend on one another."""
        rate = parameters.by_rank("examination")
        return lambda block: IndependentWalk(block, parameters.attractiveness[block.pair], rate)


@click_model("UBM", "user browsing model")
class UserBrowsing(_TwoFactors):
    """The position-based model, with examination that depends on the rank of the click above, too."""

    by_click_above = True

    def walker(self, parameters: Parameters) -> Callable[[PageBlock], Walk]:
        """The click above matters."""
        rate = parameters.by_click_above("examination")
        return lambda block: BrowsingWalk(block, parameters.attractiveness[block.pair], rate)


# Chains ---------------------------------------------------------------------------------------------------------------

_AFTER = ("continuation after a skip", "continuation after a click", "continuation when satisfied")


class _Chain(Model):
    """People read from the top, and go on or stop after each result."""

    #: Whose satisfaction it is: that of each pair, the same as attractiveness, or none.
    satisfaction: ClassVar[Literal["own", "attractiveness", "none"]] = "none"
    #: How probable it is to go on after a skip, after a click and when satisfied: fixed, or where iterations start.
    start: ClassVar[tuple[float, float, float]]
    #: What is estimated of it: the parameter, and after which of the three it holds.
    estimated: ClassVar[Mapping[str, tuple[int, ...]]] = {}
    #: Whether going on after a click depends on the rank.
    by_rank: ClassVar[bool] = False

    @property
    def shares(self) -> Mapping[str, tuple[str, ...]]:
        """The estimates of going on."""
        return dict.fromkeys(self.estimated, ("rank",) if self.by_rank else ())

    def going_on(self, parameters: Parameters) -> Continuation:
        """The probabilities of going on."""
        values = [np.full(parameters.ranks, value) for value in self.start]
        for name, after in self.estimated.items():
            for each in after:
                values[each] = parameters.by_rank(name, otherwise=self.start[each])
        return Continuation(float(values[0][0]), values[1], float(values[2][0]))

    def walker(self, parameters: Parameters) -> Callable[[PageBlock], Walk]:
        """From the top, until people stop."""
        near = parameters.attractiveness
        content = {"own": parameters.satisfaction, "attractiveness": near, "none": np.zeros_like(near)}
        chain = Chain(near, content[self.satisfaction], self.going_on(parameters))
        return lambda block: ReadingWalk(block, chain)


class _ClosedForm(_Chain):
    """It is taken as known which results were read, so that counting is enough."""

    def fit(self, lists: ClickedLists, rules: FittingRules, clickless: Clickless) -> FittedParameters:
        """Count."""
        read = self.read(lists, clickless)
        yes, count = lists.by_pair(lists.clicked & read), lists.by_pair(read)
        alpha, sigma = share(yes, count, rules), None
        evidence = {"attractiveness": ParameterEvidence.of_counts(yes, count - yes, alpha)}
        last = np.zeros(len(lists.pair), dtype=np.bool_)
        last[lists.last_click[lists.last_click >= 0]] = True
        if self.satisfaction == "own":
            clicks, final = lists.by_pair(lists.clicked), lists.by_pair(last)
            sigma = share(final, clicks, rules)
            evidence["satisfaction"] = ParameterEvidence.of_counts(final, clicks - final, sigma)
        shared = shared_frame("continuation", np.zeros(0))
        if self.by_rank:
            clicks, final = (sums(lists.rank, lists.row_weight * each) for each in (lists.clicked, last))
            ranks = np.flatnonzero(clicks)
            going = share(clicks - final, clicks, rules)[ranks]
            shared = shared_frame("continuation", going, ranks, count=clicks[ranks])
        return FittedParameters(shared, alpha, sigma, evidence)

    def read(self, lists: ClickedLists, clickless: Clickless) -> Mask:
        """Results down to the last click; on lists without clicks all, or none."""
        end = np.where(lists.last_click >= 0, lists.last_click + 1, lists.offsets[1:] if clickless == "examined" else 0)
        read: Mask = np.arange(len(lists.pair)) < np.repeat(end, lists.length)
        return read


@click_model("CM", "cascade model")
class Cascade(_ClosedForm):
    """People read until they click, and then leave: a list with several clicks is impossible."""

    start = (1.0, 0.0, 0.0)

    def read(self, lists: ClickedLists, clickless: Clickless) -> Mask:
        """Results down to the first click."""
        read: Mask = lists.previous_click == 0
        return read


@click_model("DCM", "dependent click model, simplified: people left after the last click")
class SimplifiedDependentClicks(_ClosedForm):
    """After a click people go on or leave, depending on its rank; they left after the last click."""

    start, estimated, by_rank = (1.0, 0.0, 0.0), {"continuation": (1,)}, True


@click_model("SDBN", "simplified dynamic Bayesian network: read down to the last click",
             "attractiveness x satisfaction")  # fmt: skip
class SimplifiedBayesian(_ClosedForm):
    """After a click people are satisfied and leave, or go on; they read down to the last click and no further."""

    # Counting takes who read on without a click for satisfied: no sampling error, so that no resampling covers it.
    no_interval = (
        "SDBN has no intervals of relevance: it is counted as if nobody read on below the last click, and how far that "
        "is wrong the clicks do not tell; SDBN-exact, which does not assume it, has intervals"
    )
    satisfaction, start = "own", (1.0, 1.0, 0.0)


class _Iterated(_Chain):
    """A chain fitted by expectation-maximisation on collapsed lists."""

    def fit(self, lists: ClickedLists, rules: FittingRules, clickless: Clickless) -> FittedParameters:
        """Iterate, and take stock."""
        ranks = int(lists.rank.max(initial=0)) + 1
        skip, click, satisfied = self.start
        start = Continuation(skip, np.full(ranks, click), satisfied)
        fitted = fit_chain(lists, rules, start, self._improved, self._free, satisfaction=self.satisfaction)
        size, expected = lists.pairs.height, fitted.expected
        alpha, sigma = fitted.chain.attractiveness[:size], fitted.chain.satisfaction[:size]
        clicks, assumed = lists.by_pair(lists.clicked), rules.clicks + rules.skips > 0
        up = ParameterEvidence.of_counts(clicks, np.zeros_like(clicks), alpha)
        near = ParameterEvidence(up.up, up.up_squared, *expected.against)
        content = ParameterEvidence(*expected.for_satisfaction, *expected.against_satisfaction)
        evidence = {"attractiveness": near}
        if self.satisfaction == "own":
            evidence["satisfaction"] = content
            # A click with nothing below it to be clicked does not tell whether it satisfied.
            told = content.up_squared + content.down_squared > 0
            sigma = np.where(told | assumed, sigma, np.nan)
        elif self.satisfaction == "attractiveness":
            evidence["attractiveness"] = ParameterEvidence(
                *(np.add(*slopes) for slopes in zip(near, content, strict=True))
            )
        return FittedParameters(
            self._shared(expected, fitted.chain.going_on, assumed=assumed), alpha,
            sigma if self.satisfaction == "own" else None, evidence, tuple(fitted.trace.values), fitted.trace.converged,
        )  # fmt: skip

    def _counts(self, fitted: Expected, after: tuple[int, ...]) -> Floats:
        """Expected counts of people who went on, and who could have: by rank, or in all."""
        if self.by_rank:
            return fitted.click
        parts = (fitted.skip, fitted.click.sum(axis=0), fitted.satisfied_click)
        counts: Floats = np.sum([parts[each] for each in after], axis=0)[None]
        return counts

    def _values(self, now: Continuation, after: tuple[int, ...]) -> Floats:
        return now.click if self.by_rank else np.array([(now.skip, now.click[0], now.satisfied)[after[0]]])

    def _improved(self, fitted: Expected, rules: FittingRules, now: Continuation) -> Continuation:
        values: list[Any] = list(now)
        for after in self.estimated.values():
            counts = self._counts(fitted, after)
            value = share(counts[:, 0], counts[:, 1], rules, self._values(now, after))
            for each in after:
                values[each] = np.resize(value, len(now.click)) if each == 1 else float(value[0])
        return Continuation(*values)

    def _free(self, fitted: Expected, now: Continuation) -> Floats:
        parts = [self._values(now, each)[self._counts(fitted, each)[:, 1] > 0] for each in self.estimated.values()]
        return np.concatenate([*parts, np.zeros(0)])

    def _shared(self, fitted: Expected, now: Continuation, *, assumed: bool) -> pl.DataFrame:
        frames = [shared_frame("continuation", np.zeros(0))]
        for name, after in self.estimated.items():
            counts = self._counts(fitted, after)[:, 1]
            known = np.flatnonzero(counts) if self.by_rank else np.array([0])
            ranks = known if self.by_rank else None
            # Where no list has two results, nobody could have gone on.
            value = np.where((counts > 0) | assumed, self._values(now, after), np.nan)
            frames.append(shared_frame(name, value[known], ranks, count=counts[known]))
        return pl.concat(frames)


@click_model("DBN", "dynamic Bayesian network", "attractiveness x satisfaction")
class DynamicBayesian(_Iterated):
    """After a click people are satisfied and leave; else, and after a skip, they go on with one probability."""

    satisfaction, start, estimated = "own", (0.9, 0.9, 0.0), {"continuation": (0, 1)}


@click_model("SDBN-exact", "dynamic Bayesian network without stopping unsatisfied, by maximum likelihood",
             "attractiveness x satisfaction")  # fmt: skip
class ExactSimplifiedBayesian(_Iterated):
    """SDBN without the assumption that nothing was read below the last click."""

    satisfaction, start = "own", (1.0, 1.0, 0.0)


@click_model("DCM-exact", "dependent click model by maximum likelihood")
class ExactDependentClicks(_Iterated):
    """DCM without the assumption that people left after the last click."""

    start, estimated, by_rank = (1.0, 0.5, 0.0), {"continuation": (1,)}, True


@click_model("CCM", "click chain model", "attractiveness squared")
class ClickChain(_Iterated):
    """People go on after a skip, after a click, and after one that satisfied, which is as probable as attraction."""

    satisfaction, start = "attractiveness", (0.9, 0.7, 0.5)
    estimated = {name: (place,) for place, name in enumerate(_AFTER)}  # noqa: RUF012  # never changed
