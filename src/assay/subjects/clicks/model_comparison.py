"""`compare_click_models`: which click model predicts the clicks of pages that it was not fitted to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
import polars as pl

from assay.core.digits import as_percents
from assay.core.domains import CONFIDENCE, Choice, Real, Whole
from assay.core.errors import InputError, ParameterError, number_of
from assay.core.evaluation_options import Seed
from assay.core.options import Clickless, Confidence, HeldOut, Iterations, Prior, SplitBy, Tolerance
from assay.core.results import Result
from assay.measures.counting.clicked_lists import ClickedLists
from assay.measures.counting.judgments import Mask
from assay.stats.click_models.fitting import DEFAULT_PRIOR, ClickModel, fit_clicks
from assay.stats.click_models.models import model_of
from assay.stats.click_models.surprise import Surprise, interval
from assay.stats.ratio_samples import FEW_USERS
from assay.subjects.clicks.inputs import grades_of, opened_log, opened_qrels
from assay.subjects.clicks.judgments import beside_grades
from assay.tables.log import Log

#: The models that are compared unless others are named.
USUAL_MODELS = ("GCTR", "RCTR", "DCTR", "PBM", "UBM", "CM", "DCM", "SDBN", "DBN", "CCM")
#: Pairs shown less often say little about a grade.
_FEWEST_SHOWN = 10
#: Called after each model.
Watch: TypeAlias = Callable[[float], None]


@dataclass(frozen=True, eq=False)
class ClickModelComparison(Result):
    """A comparison of click models by their predictions of held-out clicks.

    `models`: as fitted to the training pages, by name. `table`: one row per model; `ranks`: one per model and rank.
    `examination`: how probable it is that a result of the held-out pages is examined, by model and rank.
    `disagreements`: of the best model that has a relevance, judged documents by how far the interval of their relevance
    is from the mean of their grade, the most different first; None without judgments.
    """

    kind: ClassVar[str] = "click model comparison"

    models: Mapping[str, ClickModel]
    table: pl.DataFrame
    ranks: pl.DataFrame
    examination: pl.DataFrame
    settings: Mapping[str, Any]
    disagreements: pl.DataFrame | None = None
    warnings: tuple[str, ...] = ()
    name: str = "log"

    def __repr__(self) -> str:
        return f"<ClickModelComparison of {', '.join(self.models)}>"

    def to_frame(self) -> pl.DataFrame:
        """One row per model."""
        return self.table

    @property
    def order(self) -> list[str]:
        """The models, that which predicts the held-out clicks best first."""
        return _ordered(self.table)["model"].to_list()

    @property
    def best(self) -> str:
        """The model that predicts the held-out clicks best."""
        return self.order[0]

    @property
    def is_enough(self) -> bool:
        """True if there are enough users, sessions or pages to call a model better than another."""
        return bool(min(self.settings["held_out_units"], self.settings["held_out_pages"]) >= FEW_USERS)


def compare_click_models(
    log: Any,
    models: Iterable[str] | str = USUAL_MODELS,
    *,
    held_out: HeldOut = 0.2,
    split: SplitBy | None = None,
    qrels: Any = None,
    prior: Prior = DEFAULT_PRIOR,
    iterations: Iterations = 500,
    tolerance: Tolerance = 1e-7,
    clickless: Clickless = "examined",
    confidence: Confidence = 0.95,
    seed: Seed = 0,
    watch: Watch | None = None,
) -> ClickModelComparison:
    """Fit click models to some pages of a log, and say how well they predict the clicks of the others.

    `log`: a log, or what `read_log` reads. `held_out`: the share of pages that is held out: the latest ones, or random
    ones where the log has no times (`split` says which). `qrels`: judgments to hold against the clicks. `prior`,
    `iterations`, `tolerance` and `clickless` as in `fit_clicks`. A model is called best if there are enough users (or
    sessions, or pages) to say so.

    >>> log = Log.from_pages([("q", ["a", "b"], ["a"]), ("q", ["a", "b"], [])] * 20)
    >>> compare_click_models(log, ["GCTR", "PBM"]).table.select("model", "perplexity").rows()
    [('GCTR', 1.8169), ('PBM', 1.5135)]
    """
    names = [model_of(name).name for name in ([models] if isinstance(models, str) else models)]
    if not names or len(set(names)) < len(names):
        raise ParameterError(f"name each click model once, not {names or 'none'}")
    Real(0.0, 1.0, inside=True).check("held_out", held_out)
    CONFIDENCE.check("confidence", confidence)
    opened, _ = opened_log(log)
    lists = ClickedLists.from_log(opened)
    is_test, how = _split(opened, lists, held_out, split, Whole(0).check("seed", seed))
    train = lists.taken(np.flatnonzero(~is_test))
    test = lists.taken(np.flatnonzero(is_test))
    for part, what in ((train, "training"), (test, "held-out")):
        if not len(part.pair):
            raise InputError(f"{opened.origin}: there is no result on any {what} page: hold out another share")
    if not train.clicked.any():
        raise InputError(
            f"{opened.origin}: expected clicks to fit models to, got none on {len(train):,} training pages"
        )
    fitted = {}
    for name in names:
        fitted[name] = fit_clicks(
            train, name, prior=prior, iterations=iterations, tolerance=tolerance, clickless=clickless
        )
        if watch is not None:
            watch(1.0)
    surprises = {
        name: tuple(model.surprise(test, conditional=conditional) for conditional in (True, False))
        for name, model in fitted.items()
    }
    table = _table(fitted, surprises, confidence)
    settings = {
        "held_out": held_out, "split": how, "training_pages": len(train), "held_out_pages": len(test),
        "unit": lists.unit_kind, "prior": [float(each) for each in prior], "clickless": clickless, "seed": seed,
        "confidence": confidence, "unseen": float(1 - next(iter(fitted.values())).is_seen(test).mean()),
        "several_clicks": _several(lists), "held_out_units": next(iter(surprises.values()))[0].units,
    }  # fmt: skip
    return ClickModelComparison(
        fitted, table, _ranks(surprises, confidence),
        pl.concat([model.examination(test).select(pl.lit(name).alias("model"), pl.all())
                   for name, model in fitted.items()]),
        settings, _disagreements(fitted, table, qrels, confidence), _warnings(fitted, opened, settings), opened.name,
    )  # fmt: skip


def _split(log: Log, lists: ClickedLists, share: float, split: str | None, seed: int) -> tuple[Mask, str]:
    """A mask of the pages that are held out, and the way they were chosen."""
    if split is not None:
        Choice(SplitBy).check("split", split)
    times = log.impressions.select("time").collect()["time"] if split != "random" else pl.Series(dtype=pl.Int64)
    if split != "random" and times.null_count() < len(times):
        known = times.drop_nulls().sort()
        early = min(max(round((1 - share) * len(known)), 1), max(len(known) - 1, 1))
        last = known[early - 1]
        late = (times > last).fill_null(value=False).to_numpy()
        if late.any() and not late.all():
            return late, "time"
    if split == "time":
        raise ParameterError("the pages have no times, or one only: hold out random ones")
    count = min(max(round(share * len(lists)), 1), max(len(lists) - 1, 0))
    chosen = np.zeros(len(lists), dtype=np.bool_)
    chosen[np.random.default_rng(seed).permutation(len(lists))[:count]] = True
    return chosen, "random"


def _several(lists: ClickedLists) -> float:
    """The share of lists with several clicks."""
    clicks = np.bincount(np.repeat(np.arange(len(lists)), lists.length)[lists.clicked], minlength=len(lists))
    return float((clicks > 1).mean())


def _table(
    fitted: Mapping[str, ClickModel], surprises: Mapping[str, tuple[Surprise, ...]], confidence: float
) -> pl.DataFrame:
    top = max((conditional for conditional, _ in surprises.values()), key=lambda each: each.log_likelihood)
    rows = []
    for name, (conditional, plain) in surprises.items():
        likelihood, pull = conditional.log_likelihood, conditional.log_likelihood_pull
        with np.errstate(invalid="ignore"):  # what a model rules out has no interval
            behind = likelihood - top.log_likelihood, pull - top.log_likelihood_pull
        row: dict[str, Any] = {"model": name}
        for what, value, ends in (
            ("log_likelihood", likelihood, conditional.log_likelihood_interval(confidence)),
            ("behind_best", behind[0], interval(*behind, confidence)[:2]),
            ("perplexity", plain.perplexity, plain.perplexity_interval(confidence)),
            ("conditional_perplexity", conditional.perplexity, conditional.perplexity_interval(confidence)),
        ):
            row |= {what: value, f"{what}_low": ends[0], f"{what}_high": ends[1]}
        model = fitted[name]
        row |= {
            "impossible_pages": conditional.impossible, "iterations": len(model.trace) - 1 if model.trace else None,
            "converged": model.converged, "reason": _reason(name, conditional.impossible),
        }  # fmt: skip
        rows.append(row)
    return _finite(pl.DataFrame(rows, infer_schema_length=None))


def _finite(frame: pl.DataFrame) -> pl.DataFrame:
    """Numbers that are none, or infinite, are missing."""
    numbers = pl.selectors.float()
    return frame.with_columns(pl.when(numbers.is_finite()).then(numbers))


def _ordered(table: pl.DataFrame) -> pl.DataFrame:
    return table.sort("log_likelihood", descending=True, nulls_last=True, maintain_order=True)


def _reason(name: str, impossible: float) -> str | None:
    if not impossible:
        return None
    why = "it rules out several clicks on a page" if name == "CM" else "it rules out a click that happened, or its lack"
    return f"impossible on {as_percents([impossible])[0]} of the held-out pages: {why}"


def _ranks(surprises: Mapping[str, tuple[Surprise, ...]], confidence: float) -> pl.DataFrame:
    frames = []
    for name, (conditional, plain) in surprises.items():
        parts = [
            each.by_rank(confidence).rename({"perplexity": what, "low": f"{what}_low", "high": f"{what}_high"})
            for what, each in (("perplexity", plain), ("conditional_perplexity", conditional))
        ]
        joined = parts[0].join(parts[1].drop("shown"), on="rank", how="left", maintain_order="left")
        frames.append(joined.select(pl.lit(name).alias("model"), pl.all()))
    return _finite(pl.concat(frames))


def _disagreements(
    fitted: Mapping[str, ClickModel], table: pl.DataFrame, qrels: Any, confidence: float
) -> pl.DataFrame | None:
    """Judged documents by how far the interval of their relevance is from the mean of their grade."""
    if qrels is None:
        return None
    names = [name for name in _ordered(table)["model"] if fitted[name].model.relevance]
    model = next((fitted[name] for name in names if fitted[name].no_interval is None), None)
    if names and model is None:
        raise ParameterError(f"no comparison with judgments: {fitted[names[0]].no_interval}")
    if model is None:
        raise ParameterError(f"{', '.join(fitted)} has no relevance of documents to compare with judgments")
    enough = (pl.col("impressions") >= _FEWEST_SHOWN) & pl.col("relevance").is_not_null()
    opened = opened_qrels(qrels)
    judged = beside_grades(model.relevance(confidence).filter(enough), grades_of(opened), "relevance")
    if not judged.height:
        raise InputError(f"{opened.name}: expected judgments of documents that were shown "
                         f"{number_of('time', _FEWEST_SHOWN)} or more, got none: do queries and documents have the "
                         "same names in both?")  # fmt: skip
    judged = judged.sort("distance", "query_id", "doc_id", descending=[True, False, False])
    return judged.rename({"usual": "grade_mean"}).select(pl.lit(model.name).alias("model"), pl.all())


def _warnings(fitted: Mapping[str, ClickModel], log: Log, settings: Mapping[str, Any]) -> tuple[str, ...]:
    warnings = list(log.remarks)
    kind, units, pages = settings["unit"], settings["held_out_units"], settings["held_out_pages"]
    if min(units, pages) < FEW_USERS:
        on = "" if kind == "page" else f" on {number_of('page', pages)}"
        warnings.append(
            f"{number_of(f'held-out {kind}', units)}{on} only: with fewer than {FEW_USERS}, intervals are too narrow, "
            "and no model is called better than another"
        )
    slow = [name for name, model in fitted.items() if not model.converged]
    if slow:
        warnings.append(f"{', '.join(slow)}: not converged when iterations ended; allow more of them")
    return tuple(warnings)
