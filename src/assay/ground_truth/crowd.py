"""`crowd`: one label per item from those of many workers, what these are worth, and what more labels would add."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, Self, TypeAlias, get_args

import numpy as np
import polars as pl

from assay.core.domains import Choice, Real, Whole
from assay.core.errors import InputError, ParameterError, argument, argument_name, did_you_mean, listed, number_of
from assay.core.evaluation_options import Columns, Seed
from assay.core.options import Alpha, Categories, RepeatedLabels
from assay.core.results import Result
from assay.files.labels import read_labels
from assay.ground_truth.workers import hits, majority_of_others, worker_statistics
from assay.measures.counting.judgments import Floats, Ints, Mask
from assay.measures.counting.ratings import Ratings, label_name
from assay.stats.aggregation import Aggregate, Ties, dawid_skene, mace, majority, median
from assay.stats.bootstrap import Interval, wilson
from assay.subjects.judges.evaluation import is_numeric, opened, ratings_of
from assay.subjects.ranking.evaluation import judgments_of
from assay.tables import Qrels
from assay.tables.labels import Labels, item_names

CrowdMethod: TypeAlias = Literal["dawid-skene", "mace", "majority", "weighted", "median"]
QrelsRule: TypeAlias = Literal["chosen", "expected", "probability", "relevant"]

_MODELS = ("dawid-skene", "mace")
#: So many gold items tell how many labels are enough; with fewer, the label of all workers is the reference.
_FEWEST_REFERENCES = 20
#: The most labels per item that are tried, and the share of items that has to have them.
_MOST_LABELS, _SHARE_OF_ITEMS = 10, 0.5
#: A worker without any merit has this weight, so that an item that only such workers labelled has a label.
_LEAST_WEIGHT = 0.01


@dataclass(frozen=True, eq=False)
class CrowdLabels(Result):
    """One label per item, and what is known of the workers.

    `items`: one row per item: its label, how probable it is, the number of labels, the entropy in bits, whether it was
    tied, the gold. `workers`: one row per worker, also of those left out. `enough`: accuracy by the number of labels
    per item. `excluded`: who was left out, and why; `labels` still has all that they said.
    """

    kind: ClassVar[str] = "crowd labels"

    labels: Labels
    items: pl.DataFrame
    workers: pl.DataFrame
    enough: pl.DataFrame
    excluded: Mapping[str, str]
    aggregate: Aggregate
    ratings: Ratings
    settings: Mapping[str, Any]
    warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<CrowdLabels of {number_of('item', self.items.height)} by {self.settings['method']}>"

    def to_frame(self) -> pl.DataFrame:
        """One row per item."""
        return self.items

    def complete(self) -> Self:
        """Finish the accuracy on gold items, which has an interval."""
        return self._finish("accuracy")

    @property
    def labels_enough(self) -> int | None:
        """The fewest labels per item that are nearly as good as the most that were tried."""
        return enough_labels(self.enough)

    @cached_property
    def accuracy(self) -> tuple[int, int, Interval]:
        """Counts of gold items and of their right labels, and an interval of the share."""
        known = self.items.filter(pl.col("gold").is_not_null() & pl.col("label").is_not_null())
        right = int((known["gold"] == known["label"]).sum())
        return right, known.height, wilson(right, known.height)

    @property
    def cost(self) -> float | None:
        """The cost of all labels, those of workers left out as well; None without a price."""
        price = self.settings["price"]
        return None if price is None else price * len(self.labels)

    def excluding(self, exclude: Mapping[str, str] | Iterable[str]) -> CrowdLabels:
        """The same with these workers left out, and no others: `excluding([])` takes all of them back in."""
        return crowd(self.labels, **{**self.settings, "exclude": exclude})

    def to_qrels(self, rule: QrelsRule = "chosen", *, level: float = 1.0) -> Qrels:
        """Judgments by a rule, with `probability` and the number of `labels` beside each.

        `chosen`: the label is the grade. `expected`: the mean grade under the probabilities. `probability`: how
        probable a grade of `level` or more is. `relevant`: 1 where that is at least one half, else 0. Of labels that
        are words, the first of the `categories` stated is grade 0, the next is 1, and so on. Items without a label have
        the grade -1: in the pool, not judged.

        >>> labels = Labels.of(pl.DataFrame({"query_id": ["q"] * 3, "item_id": ["d"] * 3, "judge": ["a", "b", "c"],
        ...                                  "label": [2, 2, 0]}))
        >>> crowd(labels, method="majority").to_qrels("expected").frame.rows()
        [('q', 'd', 1.3333, 0.6667, 3)]
        """
        Choice(get_args(QrelsRule)).check("rule", rule)
        if not self.labels.has_topics:
            raise ParameterError(
                "judgments are of documents for topics, and these labels have no topics: name their column as query_id"
            )
        if not is_numeric(self.labels) and self.settings["categories"] is None:
            names = listed(self.ratings.categories)
            stated = f"{argument('categories')}, as in {','.join(self.ratings.categories)}"
            raise ParameterError(f"the labels are words ({names}): state them from the lowest grade up with {stated}")
        values = self.ratings.values
        relevant = (values >= level).astype(np.float64)
        posterior, chosen = self.aggregate.posterior, self.aggregate.chosen
        number = {
            "chosen": values[np.maximum(chosen, 0)],
            "expected": posterior @ values,
            "probability": posterior @ relevant,
            "relevant": (posterior @ relevant >= 0.5).astype(np.float64),
        }[rule]
        is_judged = chosen >= 0 if rule == "chosen" else ~np.isnan(number)
        frame = self.items.select(
            "query_id",
            doc_id="item_id",
            relevance=pl.Series(np.where(is_judged, number, -1.0)),
            probability="probability",
            labels="labels",
        )
        return Qrels(frame, self.labels.name, f"labels of a crowd by {self.settings['method']}, {rule}")


def crowd(
    labels: Any,
    *,
    method: CrowdMethod = "dawid-skene",
    gold: Any = None,
    exclude: Mapping[str, str] | Iterable[str] | Literal["flagged"] = (),
    ties: Ties = "lowest",
    price: float | None = None,
    categories: Categories = None,
    draws: int = 10,
    alpha: Alpha = 0.05,
    seed: Seed = 0,
    columns: Columns = None,
    repeated: RepeatedLabels = "error",
    no_gold: Any = None,
) -> CrowdLabels:
    """Make one label per item of many workers' labels, and look at the workers.

    `labels`: a file or a table, one row per label, as `read_labels` takes it. `method`: by models of the workers
    (`dawid-skene`: a confusion matrix each; `mace`: whether they know or guess), by votes (`majority`, or `weighted` by
    accuracy), or the `median`. `gold`: right answers, unless the table has them: judgments, a file of them (the key of
    `make_hits` is one), or labels by item.
    `exclude`: workers to leave out, with a reason each if you like, or "flagged"; their labels stay in the table.
    `ties`: which of several equally good labels is taken; "none" leaves the item open. `categories`: all labels in
    their order; others are an error. `price`: of one label. `draws`: how often labels are drawn, to see how many are
    enough.

    >>> rows = [("d1", "ana", 1), ("d1", "ben", 1), ("d1", "cleo", 0), ("d2", "ana", 0), ("d2", "ben", 0)]
    >>> result = crowd(rows, method="majority")
    >>> result.items.select("item_id", "label", "probability", "labels").rows()
    [('d1', 1, 0.6667, 3), ('d2', 0, 1.0, 2)]
    """
    Choice(get_args(CrowdMethod)).check("method", method)
    Whole(0).check("draws", draws)
    Real(0.0, optional=True).check("price", price)
    table = opened(read_labels(labels, columns=columns, repeated=repeated, no_gold=no_gold))
    answers = _answers(table, gold)
    ratings = ratings_of(table, categories=_scale(table, answers) if categories is None else categories)
    ratings = ratings.on_items(ratings.items.arg_sort().to_numpy())  # whatever the order of the labels
    places = {name: place for place, name in enumerate(ratings.categories)}
    right = np.array([places.get(answers.get(item, ""), -1) for item in ratings.items])
    left_out = {} if exclude == "flagged" else _excluded(exclude, ratings.judges)
    included = np.array([name not in left_out for name in ratings.judges])
    workers = worker_statistics(table, ratings, right, included, alpha)
    if exclude == "flagged":
        flagged = workers.filter("flagged")
        left_out = dict(zip(flagged["worker"], flagged["reason"], strict=True))
        included = ~workers["flagged"].to_numpy()
    if not included.any():
        raise ParameterError(f"{argument_name('exclude')}: no worker is left")
    kept = ratings.only(*(name for name in ratings.judges if name not in left_out))
    if method == "median" and not is_numeric(table) and categories is None:
        raise ParameterError("the labels are words, which have no median: state their order as categories")
    if method in _MODELS and len(kept.categories) < 2:
        ways = f"{argument('method', 'majority')}, or state the whole scale as {argument_name('categories')}"
        raise InputError(
            f"{table.origin}: all labels are {kept.categories[0]}, which leaves nothing to model: use {ways}"
        )
    fits: dict[str, Callable[[], Aggregate]] = {
        "dawid-skene": lambda: dawid_skene(kept, ties=ties, seed=seed),
        "mace": lambda: mace(kept, ties=ties, seed=seed),
        "majority": lambda: majority(kept, ties=ties, seed=seed),
        "weighted": lambda: majority(kept, weights=_weights(ratings, right, included), ties=ties, seed=seed),
        "median": lambda: median(kept, ties=ties),
    }
    aggregate = fits[method]()
    enough = _enough(kept, right, aggregate, ties=ties, draws=draws, seed=seed, price=price)
    settings = {
        "method": method, "gold": gold, "exclude": dict(left_out), "ties": ties, "price": price,
        "categories": categories, "draws": draws, "alpha": alpha, "seed": seed,
    }  # fmt: skip
    items = _items(table, kept, aggregate, right)
    return CrowdLabels(
        table, items, workers.with_columns(excluded=pl.Series(~included)), enough, left_out, aggregate, kept, settings,
        tuple(_remarks(table, kept, aggregate, items, answers)),
    )  # fmt: skip


def _excluded(exclude: Mapping[str, str] | Iterable[str], judges: Sequence[str]) -> dict[str, str]:
    names = [exclude] if isinstance(exclude, str) else exclude
    stated = names if isinstance(names, Mapping) else dict.fromkeys(names, "left out by name")
    for name in stated:
        if name not in judges:
            raise ParameterError(
                f"{argument_name('exclude')}: no worker is called {name!r}{did_you_mean(name, judges)}"
            )
    return dict(stated)


def _answers(labels: Labels, gold: Any) -> dict[str, str]:
    """The right answer to each item, as the category is called, as far as it is known."""
    if gold is None and "gold" not in labels.frame.columns:
        return {}
    if gold is None:
        known = labels.frame.select("gold").with_columns(item=labels.items).drop_nulls().unique(maintain_order=True)
    elif isinstance(gold, Mapping) and not any(isinstance(label, Mapping) for label in gold.values()):
        known = pl.DataFrame({"item": list(gold), "gold": list(gold.values())})
    else:
        judged = judgments_of(gold).frame.filter(pl.col("relevance") >= 0)
        known = judged.select(item_names("query_id", "doc_id"), gold="relevance").unique()
    twice = known.filter(known["item"].is_duplicated())
    if twice.height:
        several = [str(label) for label in twice.filter(pl.col("item") == twice["item"][0])["gold"]]
        raise InputError(f"{labels.origin}: item {twice['item'][0]!r} has several gold labels: {listed(several)}")
    return {item: label_name(label) for item, label in known.select("item", "gold").iter_rows()}


def _scale(labels: Labels, answers: Mapping[str, str]) -> list[Any]:
    """The labels that were given, and those that should have been."""
    label = labels.frame["label"]
    more = pl.Series([*set(answers.values())], dtype=pl.String).cast(label.dtype, strict=False).drop_nulls()
    return pl.concat([label, more]).unique().sort().to_list()


def _weights(ratings: Ratings, gold: Ints, included: Mask) -> Floats:
    """Log odds of being right, against guessing: by gold where it is known, else by what the others say."""
    known = gold[ratings.item]
    tested = hits(ratings, np.where(known >= 0, known, majority_of_others(ratings, included)))
    width = max(len(ratings.categories), 2)
    share = (tested.right + 1) / (tested.labels + width)
    weights: Floats = np.maximum(np.log(share * (width - 1) / (1 - share)), _LEAST_WEIGHT)[included]
    return weights


def _items(table: Labels, ratings: Ratings, aggregate: Aggregate, gold: Ints) -> pl.DataFrame:
    """One row per item, in the order of the table."""
    kind = table.frame["label"].dtype
    tied = np.zeros(len(ratings.items), dtype=bool)
    tied[aggregate.tied] = True
    columns = {
        "label": ratings.labels_at(aggregate.chosen, kind),
        "probability": pl.Series(aggregate.probability).fill_nan(None),
        "labels": pl.Series(ratings.labels_of_item),
        "entropy": pl.Series(aggregate.entropy).fill_nan(None),
        "tied": pl.Series(tied),
        "gold": ratings.labels_at(gold, kind),
    }  # fmt: skip
    keys = [column for column in ("query_id", "item_id") if column in table.frame.columns]
    named = table.frame.select(*keys, item=table.items).unique("item", maintain_order=True)
    held = pl.DataFrame({"item": ratings.items, **columns})
    return named.join(held, on="item", how="left", maintain_order="left").drop("item")


def _enough(
    ratings: Ratings, gold: Ints, aggregate: Aggregate, *, ties: Ties, draws: int, seed: int, price: float | None
) -> pl.DataFrame:
    """Shares of right majorities among k labels, drawn at random: by gold, or by the label of all workers."""
    by_gold = int((gold >= 0).sum()) >= _FEWEST_REFERENCES
    reference = gold if by_gold else aggregate.chosen
    usable = np.where(reference >= 0, ratings.labels_of_item, 0)
    enough = [k for k in range(1, _MOST_LABELS + 1) if (usable >= k).sum() >= _SHARE_OF_ITEMS * (usable > 0).sum() > 0]
    most = max(enough, default=0)
    rng = np.random.default_rng(seed)
    held = (usable >= max(most, 1))[ratings.item]
    item, category = ratings.item[held], ratings.category[held]
    right = np.zeros((draws, most))
    count = int((usable >= max(most, 1)).sum())
    starts = np.concatenate([[0], np.cumsum(np.bincount(item, minlength=len(ratings.items)))])
    for draw in range(draws if most else 0):
        order = np.lexsort((rng.random(len(item)), item))
        place = np.arange(len(item)) - starts[item]
        for k in range(1, most + 1):
            few = order[place < k]
            part = ratings.with_labels(item[few], np.zeros(len(few), dtype=np.int64), category[few])
            chosen = majority(part, ties=ties, seed=seed + draw).chosen
            right[draw, k - 1] = ((chosen == reference) & (usable >= most)).sum() / count
    table = pl.DataFrame({"labels_per_item": range(1, most + 1 if draws else 1)}, schema={"labels_per_item": pl.Int64})
    shares = right.T if draws else np.empty((0, 1))
    return table.with_columns(
        items=pl.lit(count),
        reference=pl.lit("gold" if by_gold else "all labels"),
        share=shares.mean(axis=1),
        low=shares.min(axis=1, initial=1.0),
        high=shares.max(axis=1, initial=0.0),
        cost=pl.lit(price, pl.Float64) * pl.col("labels_per_item") * len(ratings.items),
    )


def enough_labels(enough: pl.DataFrame, within: float = 0.01) -> int | None:
    """The fewest labels per item that are nearly as good as the most that were tried; None where nothing was tried.

    >>> enough_labels(pl.DataFrame({"labels_per_item": [1, 2, 3], "share": [0.7, 0.795, 0.8]}))
    2
    """
    if not enough.height:
        return None
    good = enough.filter(pl.col("share") >= pl.col("share").last() - within)
    return int(good["labels_per_item"][0])


def _remarks(
    table: Labels, ratings: Ratings, aggregate: Aggregate, items: pl.DataFrame, answers: Mapping[str, str]
) -> Iterable[str]:
    yield from table.remarks
    chosen = aggregate.chosen
    unheard = (chosen >= 0) & (ratings.counts[np.arange(len(chosen)), np.maximum(chosen, 0)] == 0)
    if unheard.any():
        alone = int((ratings.labels_of_item[unheard] == 1).sum())
        first = ratings.items[int(unheard.argmax())]
        yield (
            f"{number_of('item', int(unheard.sum()))} got a label that nobody gave them, {alone:,} of them from one "
            f"label (the first: {first!r}): {argument('method', 'majority')} chooses among the labels given"
        )
    if aggregate.method == "weighted votes" and items["gold"].null_count() < items.height:
        yield "the weights come from the gold labels, so that the accuracy on these is too good"
    if answers and not items["gold"].count():
        yield "no item has a gold label: are the ids, and the labels, the same?"
    if not aggregate.converged:
        yield (
            f"{aggregate.method} was stopped after {number_of('iteration', len(aggregate.trace))}: a probability still "
            f"changed by {aggregate.change:.2g} in the last one, so that some labels may still change"
        )
    open_items = items["label"].null_count()
    if open_items:
        yield f"{number_of('item', open_items)} without a label: tied, or all of its workers are left out"
    if items["labels"].max() == 1:
        yield "every item has one label: workers cannot be compared with one another"
