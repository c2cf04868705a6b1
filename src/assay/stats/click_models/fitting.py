"""`fit_clicks`: a click model fitted to a log, and what it says of pairs, ranks, lists and clicks to come."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from assay.core.domains import CONFIDENCE, Choice, Real, Whole
from assay.core.errors import InputError, ParameterError, number_of
from assay.core.evaluation_options import Seed
from assay.core.options import Clickless, Confidence, Iterations, Prior, Tolerance
from assay.files.logs import read_log
from assay.measures.counting.click_counts import with_query_ids
from assay.measures.counting.clicked_lists import ClickedLists, sums
from assay.measures.counting.judgments import Floats, Mask
from assay.stats.click_models.chains import PageBlock, blocks
from assay.stats.click_models.estimation import FittingRules, ParameterEvidence, likelihood_interval, product_interval
from assay.stats.click_models.model_files import read_fields, write_fields
from assay.stats.click_models.models import Model, Parameters, model_of
from assay.stats.click_models.surprise import Surprise
from assay.stats.click_models.walks import Walk

#: What lists can be given as: lists, a log, or what `read_log` reads.
ListsInput: TypeAlias = Any
#: One pseudo-click and one pseudo-skip: what was not clicked yet may be.
DEFAULT_PRIOR = (1.0, 1.0)
_EVIDENCE = ParameterEvidence._fields


@dataclass(frozen=True, eq=False)
class ClickModel:
    """A fitted click model.

    `pairs`: one row per query and document: how often shown and clicked, and its parameters. `shared`: the parameters
    that all pairs share, such as examination by rank. `trace`: the log-likelihood after each iteration (with a prior,
    the penalised one); models in closed form have none. A pair that was never shown has the mean of the parameters of
    all results that were; a rank that was never shown, that of the nearest rank above it.
    """

    name: str
    pairs: pl.DataFrame
    shared: pl.DataFrame
    settings: Mapping[str, Any]
    trace: tuple[float, ...] = ()
    converged: bool = True
    evidence: pl.DataFrame = field(default_factory=pl.DataFrame)

    @property
    def model(self) -> Model:
        """The kind of model."""
        return model_of(self.name)

    @property
    def keys(self) -> list[str]:
        """The columns that name a pair: query and document, or a group."""
        return self.pairs.columns[: self.pairs.columns.index("impressions")]

    def __repr__(self) -> str:
        state = "" if self.converged else f", not converged after {number_of('iteration', len(self.trace) - 1)}"
        clicks, skips = self.settings["prior"]
        by = f"prior {clicks:g} {skips:g}" if clicks or skips else "maximum likelihood"
        return f"<ClickModel {self.name}: {number_of('pair', self.pairs.height)}, {by}{state}>"

    def relevance(self, confidence: Confidence = 0.95) -> pl.DataFrame:
        """The relevance of each pair, with its interval, and how often it was shown and clicked.

        Relevance is attractiveness; of DBN and SDBN, times satisfaction; of CCM, squared. Intervals are by the
        likelihood ratio with the other parameters as they are; of a product, distances add up as squares. Where
        nothing is known the interval is 0 to 1 and there is no relevance. SDBN has none: see `no_interval`.

        >>> lists = ClickedLists.of([("q", ["a", "b"], ["b"])] * 3 + [("q", ["a", "b"], [])])
        >>> fit = fit_clicks(lists, "DCTR", prior=(0, 0))
        >>> fit.relevance().rows()
        [('q', 'a', 4, 0, 0.0, 0.0, 0.3813), ('q', 'b', 4, 3, 0.75, 0.2776, 0.9838)]
        """
        CONFIDENCE.check("confidence", confidence)
        rule = self.model.relevance
        if not rule:
            raise ParameterError(f"{self.name} ({self.model.title}) has no relevance of documents")
        ends = {name: self.interval(name, confidence) for name in self._parameters}
        value, low, high = ends["attractiveness"]
        if rule == "attractiveness squared":
            value, low, high = value**2, low**2, high**2
        elif rule == "attractiveness x satisfaction":
            low, high = product_interval(ends["attractiveness"], ends["satisfaction"])
            value = np.where(value == 0, 0.0, value * ends["satisfaction"][0])
        if self.no_interval is not None:
            low, high = np.full((2, len(value)), np.nan)
        return self.pairs.select(*self.keys, "impressions", "clicks").with_columns(
            relevance=pl.Series(value).fill_nan(None), low=pl.Series(low).fill_nan(None),
            high=pl.Series(high).fill_nan(None),
        )  # fmt: skip

    @property
    def no_interval(self) -> str | None:
        """The reason why relevance has no intervals; None if it has."""
        return self.model.no_interval

    @property
    def _parameters(self) -> list[str]:
        return [name for name in ("attractiveness", "satisfaction") if name in self.pairs.columns]

    def interval(self, name: str, confidence: float = 0.95) -> tuple[Floats, Floats, Floats]:
        """A parameter of each pair, with both ends by the likelihood ratio."""
        value = self.pairs[name].cast(pl.Float64).fill_null(np.nan).to_numpy()
        known = ParameterEvidence(*(self.evidence[f"{name}_{each}"].to_numpy() for each in _EVIDENCE))
        return value, *likelihood_interval(value, known, self._rules, confidence)

    @property
    def _rules(self) -> FittingRules:
        clicks, skips = self.settings["prior"]
        return FittingRules(clicks, skips)

    # What it says of lists ----------------------------------------------------------------------------------------

    def click_probabilities(self, lists: ListsInput, *, conditional: bool = True) -> Floats:
        """Probabilities of a click on each result, given the clicks above it on its list or given nothing.

        >>> lists = ClickedLists.of([("q", ["a", "b"], ["a"]), ("q", ["a", "b"], ["b"])])
        >>> fit = fit_clicks(lists, "CM", prior=(0, 0))
        >>> fit.click_probabilities(lists), fit.click_probabilities(lists, conditional=False)
        (array([0.5, 0. , 0.5, 1. ]), array([0.5, 0.5, 0.5, 0.5]))
        """
        counted = lists_of(lists)
        probability = np.zeros(len(counted.pair))
        for block, walk in self._walks(counted):
            if conditional:
                for place in range(block.places):
                    high = int(block.height[place])
                    probability[block.row[place, :high]] = walk.probability(place)
                    walk.advance(place, block.clicked[place, :high])
            else:
                probability[block.row[block.inside]] = (walk.near * walk.examination())[block.inside]
        return probability

    def examination(self, lists: ListsInput) -> pl.DataFrame:
        """Probabilities that results of these lists are examined, by rank; of PBM, its parameters.

        >>> lists = ClickedLists.of([("q", ["a", "b"], ["a"]), ("q", ["b", "a"], []), ("q", ["b", "a"], ["b"])])
        >>> fit_clicks(lists, "CM", prior=(0, 0)).examination(lists).rows()
        [(1, 1.0, 3), (2, 0.5, 3)]
        """
        counted = lists_of(lists)
        examined = np.zeros(len(counted.pair))
        for block, walk in self._walks(counted):
            examined[block.row[block.inside]] = walk.examination()[block.inside]
        count = sums(counted.rank, counted.row_weight)
        ranks = np.flatnonzero(count)
        total = sums(counted.rank, counted.row_weight * examined)
        return pl.DataFrame({
            "rank": ranks, "examination": total[ranks] / count[ranks], "shown": count[ranks].astype(np.int64)
        })  # fmt: skip

    def log_probabilities(self, lists: ListsInput, *, conditional: bool = True) -> Floats:
        """The logarithm of how probable what happened at each result is; -inf where the model rules it out."""
        counted = lists_of(lists)
        click = self.click_probabilities(counted, conditional=conditional)
        with np.errstate(divide="ignore"):
            return np.log(np.where(counted.clicked, click, 1 - click))

    def log_likelihood(self, lists: ListsInput) -> float:
        """The logarithm of how probable all clicks on these lists are: -inf if one of them is impossible.

        >>> lists = ClickedLists.of([("q", ["a"], ["a"]), ("q", ["a"], [])])
        >>> fit_clicks(lists, "DCTR", prior=(0, 0)).log_likelihood(lists)  # 2 log 0.5
        -1.3863
        """
        counted = lists_of(lists)
        return float(counted.row_weight @ self.log_probabilities(counted))

    def sample(self, lists: ListsInput, seed: Seed = 0) -> ClickedLists:
        """The same lists with clicks drawn from the model.

        >>> lists = ClickedLists.of([("q", ["a"], ["a"])] * 20 + [("q", ["a"], [])] * 20)
        >>> int(fit_clicks(lists, "PBM", prior=(0, 0)).sample(lists, seed=1).clicked.sum())
        20
        """
        counted = lists_of(lists)
        rng = np.random.default_rng(Whole(0).check("seed", seed))
        clicks: Mask = np.zeros(len(counted.pair), dtype=np.bool_)
        for block, walk in self._walks(counted):
            for place in range(block.places):
                chance = walk.probability(place)
                clicked = rng.random(len(chance)) < chance
                clicks[block.row[place, : len(chance)]] = clicked
                walk.advance(place, clicked)
        return counted.with_clicks(clicks)

    def surprise(self, lists: ListsInput, *, conditional: bool = False) -> Surprise:
        """The surprise of the model at the clicks of lists: whatever was clicked above, or knowing it."""
        counted = lists_of(lists)
        if not len(counted.pair):
            raise InputError("there is no result on any page: a click model has nothing to predict")
        return Surprise(counted, -self.log_probabilities(counted, conditional=conditional) / math.log(2))

    def perplexity(
        self, lists: ListsInput, *, conditional: bool = False, confidence: Confidence = 0.95
    ) -> pl.DataFrame:
        """Perplexity at each rank, with the number of results there and an interval over users, sessions or lists.

        `conditional`: of a click given the clicks above it on its list. The last row, without a rank, is the mean over
        ranks: 1 is perfect, 2 what a coin would do.

        >>> lists = ClickedLists.of([("q", ["a", "b"], ["a"]), ("q", ["a", "b"], []), ("q", ["a"], ["a"])])
        >>> fit_clicks(lists, "GCTR", prior=(0, 0)).perplexity(lists).select("rank", "shown", "perplexity").rows()
        [(1, 3, 2.1840), (2, 2, 1.6667), (None, 5, 1.9253)]
        """
        CONFIDENCE.check("confidence", confidence)
        surprise = self.surprise(lists, conditional=conditional)
        mean = surprise.perplexity
        low, high = surprise.perplexity_interval(confidence)
        last = pl.DataFrame({"rank": [None], "shown": [int(surprise.shown.sum())], "perplexity": [mean], "low": [low],
                             "high": [high]})  # fmt: skip
        return pl.concat([surprise.by_rank(confidence), last], how="vertical_relaxed").fill_nan(None)

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the model to a JSON file, which `ClickModel.load` reads."""
        fields = {
            "name": self.name, "settings": dict(self.settings), "trace": list(self.trace), "converged": self.converged,
            "pairs": self.pairs, "shared": self.shared, "evidence": self.evidence,
        }  # fmt: skip
        write_fields(path, fields, overwrite=overwrite)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> ClickModel:
        """Read a model that was saved.

        >>> import tempfile
        >>> fit = fit_clicks(ClickedLists.of([("q", ["a"], ["a"]), ("q", ["a"], [])]), "DCTR")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     fit.save(f"{folder}/model.json")
        ...     ClickModel.load(f"{folder}/model.json").relevance().rows() == fit.relevance().rows()
        True
        """
        return cls(**read_fields(path))

    def is_seen(self, lists: ListsInput) -> Mask:
        """A mask of the results whose pair was among those that the model was fitted to."""
        counted = lists_of(lists)
        seen: Mask = self._places(counted.pairs)[counted.pair] >= 0
        return seen

    def _places(self, pairs: pl.DataFrame) -> Any:
        """The row of each pair in the model's, -1 where it has none."""
        if pairs.columns != self.keys:
            raise InputError(f"the model knows {' and '.join(self.keys)}, the lists {' and '.join(pairs.columns)}")
        known = self.pairs.select(self.keys).with_row_index("place")
        joined = pairs.join(known, on=self.keys, how="left", maintain_order="left")
        return joined["place"].cast(pl.Int64).fill_null(-1).to_numpy()

    def _walks(self, lists: ClickedLists) -> Iterator[tuple[PageBlock, Walk]]:
        place = self._places(lists.pairs)
        values = {name: _spread(self.pairs[name].to_numpy(), place, mean) for name, mean in self._means.items()}
        nothing = np.zeros(len(place) + 1)
        parameters = Parameters(
            values.get("attractiveness", nothing), values.get("satisfaction", nothing), self.shared,
            int(lists.rank.max(initial=0)) + 1,
        )  # fmt: skip
        start = self.model.walker(parameters)
        return ((block, start(block)) for block in blocks(lists))

    @cached_property
    def _means(self) -> dict[str, float]:
        """The mean of each parameter over results; of satisfaction, over clicks."""
        weights = {"attractiveness": "impressions", "satisfaction": "clicks"}
        return {name: _mean(self.pairs[name], self.pairs[weights[name]]) for name in self._parameters}


def _mean(values: pl.Series, weights: pl.Series) -> float:
    known = values.is_not_null() & (weights > 0)
    if not known.any():
        return 0.0
    return float(np.average(values.filter(known).to_numpy(), weights=weights.filter(known).to_numpy()))


def _spread(values: Floats, place: Any, mean: float) -> Floats:
    """Parameters of pairs at these places, with that of nobody at the end."""
    known = np.append(np.where(np.isnan(values.astype(np.float64)), mean, values), mean)
    return np.append(known[place], 0.0)


def lists_of(data: Any) -> ClickedLists:
    """Lists as they are, or those of a log, or of what `read_log` reads; pages without a query are left out."""
    return data if isinstance(data, ClickedLists) else ClickedLists.from_log(with_query_ids(read_log(data)))


def fit_clicks(
    data: ListsInput,
    model: str = "PBM",
    *,
    prior: Prior = DEFAULT_PRIOR,
    iterations: Iterations = 500,
    tolerance: Tolerance = 1e-7,
    clickless: Clickless = "examined",
) -> ClickModel:
    """Fit a click model to a log (or what `read_log` reads), or to `ClickedLists`.

    `model`: GCTR, RCTR, DCTR, PBM, UBM, CM, DCM, SDBN, DBN, CCM; DCM-exact and SDBN-exact, which maximise the whole
    likelihood instead of assuming what people did after the last click. `prior`: pseudo-clicks and pseudo-skips of
    every parameter, one of each unless stated, as in `compare_click_models`; (0, 0) is plain maximum likelihood, which
    takes a document that was never clicked for one that never will be. `iterations` end when one adds less than
    `tolerance` of the log-likelihood. `clickless`: pages without clicks, to DCM and SDBN in closed form: read to the
    end (`examined`), or left out (`dropped`). Of PBM and UBM only products of attractiveness and examination are known:
    the largest examination is 1.

    >>> from assay import Log
    >>> pages = [("q", ["a", "b"], ["a"]), ("q", ["b", "a"], ["a"]), ("q", ["b", "a"], ["b"])]
    >>> fit = fit_clicks(Log.from_pages(pages), "PBM", prior=(0, 0))
    >>> fit.shared.select("parameter", "rank", "value").rows()
    [('examination', 1, 1.0), ('examination', 2, 0.5)]
    """
    chosen = model_of(model)
    clicks, skips = (Real(0.0).check("prior", each) for each in _two(prior))
    rules = FittingRules(
        clicks, skips, Whole(1).check("iterations", iterations), Real(0.0, 1.0).check("tolerance", tolerance)
    )
    Choice(Clickless).check("clickless", clickless)
    lists = lists_of(data)
    if not len(lists.pair):
        raise InputError("there is no result on any page: a click model has nothing to be fitted to")
    fitted = chosen.fit(lists, rules, clickless)
    counted = lists.by_pair()
    clicked = lists.by_pair(lists.clicked)
    parameters = {"attractiveness": fitted.attractiveness, "satisfaction": fitted.satisfaction}
    seen = pl.Series(counted > 0)
    pairs = lists.pairs.with_columns(
        impressions=pl.Series(counted.astype(np.int64)), clicks=pl.Series(clicked.astype(np.int64)),
        **{name: pl.Series(values).fill_nan(None) for name, values in parameters.items() if values is not None},
    ).filter(seen)  # fmt: skip
    evidence = pl.DataFrame({
        f"{name}_{each}": values for name, sums in fitted.evidence.items() for each, values in sums._asdict().items()
    })  # fmt: skip
    settings = {
        "prior": [clicks, skips], "iterations": rules.iterations, "tolerance": rules.tolerance, "clickless": clickless,
        "pages": int(lists.weight.sum()), "results": int(lists.row_weight.sum()),
    }  # fmt: skip
    return ClickModel(
        chosen.name, pairs, fitted.shared, settings, fitted.trace, fitted.converged,
        evidence.filter(seen) if evidence.width else evidence,
    )  # fmt: skip


def _two(prior: Any) -> tuple[float, float]:
    try:
        clicks, skips = prior
    except (TypeError, ValueError):
        raise ParameterError(f"prior is two numbers, of pseudo-clicks and pseudo-skips, not {prior!r}") from None
    return clicks, skips
