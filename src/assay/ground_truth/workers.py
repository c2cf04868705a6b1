"""Workers of a crowd: how right, how fast and how varied their labels are, and who gives nothing but noise."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl
from scipy import special

from assay.measures.counting.judgments import Floats, Ints, Mask
from assay.measures.counting.ratings import Ratings
from assay.stats.bootstrap import wilson
from assay.stats.verdict import corrected
from assay.tables.labels import Labels

#: A worker is tested on gold from so many gold labels on, else on what the others say.
FEWEST_GOLD = 30
#: Nobody of fewer labels is accused, or tells what is usual; answers are constant, or in a rhythm, from so many on.
FEWEST_LABELS, _FEWEST_ALIKE = 10, 20
#: From this share of equal answers on they are constant, or their order repeats; and periods that are looked for.
_CONSTANT, _REPEATING, _PERIODS = 0.95, 0.9, (2, 3, 4, 5, 6)
#: Neighbours agree less than labels one period apart by this, where a rhythm is at work and not a sorted list.
_RHYTHM = 0.25
#: Faster than this share of the usual seconds is too fast.
_TOO_FAST = 1 / 3


class RightLabels(NamedTuple):
    """Per judge: labels that could be compared, those that were right, and the share right by chance."""

    labels: Ints
    right: Ints
    chance: Floats

    @property
    def share(self) -> Floats:
        """The share that was right, NaN without a label to compare."""
        with np.errstate(invalid="ignore", divide="ignore"):
            share: Floats = self.right / self.labels
        return share

    def where(self, rows: Mask, other: RightLabels) -> RightLabels:
        """These numbers for some judges, and others for the rest."""
        labels, right = np.where(rows, self.labels, other.labels), np.where(rows, self.right, other.right)
        return RightLabels(labels, right, np.where(rows, self.chance, other.chance))

    @property
    def usual_merit(self) -> float:
        """The way that workers come from chance to being right always, at the median of those with enough labels."""
        merit = (self.share - self.chance) / np.maximum(1 - self.chance, 1e-9)
        enough = merit[self.labels >= FEWEST_LABELS]
        return float(np.median(enough)) if len(enough) else 0.0


def hits(ratings: Ratings, reference: Ints) -> RightLabels:
    """Hold each label against a reference (a category per label, -1: none); chance keeps each worker's own habits.

    >>> ratings = Ratings.from_labels({"ana": [0, 1, 1], "ben": [1, 1, 1]})
    >>> hits(ratings, np.array([0, 0, 1, 1, 1, 1])).right
    array([3, 2])
    """
    rows = reference >= 0
    judge = ratings.judge[rows]
    answer = ratings.category[rows]
    true = reference[rows]
    labels = np.bincount(judge, minlength=len(ratings.judges))
    right = np.bincount(judge[answer == true], minlength=len(ratings.judges))
    answers, theirs = (ratings.by_judge(judge, which) for which in (answer, true))
    with np.errstate(invalid="ignore", divide="ignore"):
        chance = (answers * theirs).sum(axis=1) / labels.astype(np.float64) ** 2
    return RightLabels(labels, right, chance)


def majority_of_others(ratings: Ratings, included: Mask) -> Ints:
    """For each label the category that most of the other judges chose; -1 where two are equally frequent."""
    others = ratings.labels_of_others(included)
    best = others.max(axis=1)
    clear = (best > 0) & ((others == best[:, None]).sum(axis=1) == 1)
    return np.where(clear, others.argmax(axis=1), -1)


def worker_statistics(labels: Labels, ratings: Ratings, gold: Ints, included: Mask, alpha: float) -> pl.DataFrame:
    """One row per worker: labels, accuracy, agreement with the others, speed, habits, the test, flags and reasons."""
    by_gold = hits(ratings, gold[ratings.item])
    by_others = hits(ratings, majority_of_others(ratings, included))
    on_gold = by_gold.labels >= FEWEST_GOLD
    tested = by_gold.where(on_gold, by_others)
    p = special.bdtrc(tested.right - 1.0, tested.labels, np.nan_to_num(tested.chance))
    p = np.where(tested.labels > 0, p, np.nan)
    table = ratings.by_judge(ratings.judge, ratings.category)
    total = table.sum(axis=1)
    intervals = [wilson(*pair) for pair in zip(by_gold.right, by_gold.labels, strict=True)]
    habits = _habits(labels, ratings.judges, alpha)
    frame = pl.DataFrame(
        {
            "worker": ratings.judges,
            "labels": total,
            "gold": by_gold.labels,
            "accuracy": by_gold.share,
            "low": [each.low for each in intervals],
            "high": [each.high for each in intervals],
            "agreement": by_others.share,
            "seconds": habits["seconds"],
            "commonest": [ratings.categories[place] for place in table.argmax(axis=1)],
            "commonest_share": table.max(axis=1) / np.maximum(total, 1),
            "period": habits["period"],
            "tested_on": np.where(on_gold, "gold", "others").tolist(),
            "right": tested.share,
            "chance": tested.chance,
            "p": p,
            "p_corrected": corrected(p, "holm"),
            "lost": _is_lost(tested, on_gold, p, alpha),
            "constant": _is_constant(ratings, table, alpha),
        }
    ).with_columns(pl.col(pl.Float64).fill_nan(None))
    usual = pl.col("seconds").median()
    fast = (pl.col("seconds") < _TOO_FAST * usual) & (pl.col("labels") >= FEWEST_LABELS) & ~(pl.col("p") <= alpha)
    frame = frame.with_columns(fast=fast.fill_null(False), usual=usual)
    reasons = pl.Series(["; ".join(_reasons(row)) for row in frame.iter_rows(named=True)], dtype=pl.String)
    return frame.drop("right", "lost", "constant", "fast", "usual").with_columns(flagged=reasons != "", reason=reasons)


def _is_lost(tested: RightLabels, on_gold: Mask, p: Floats, alpha: float) -> Mask:
    """True if a worker is not told from chance, and worse than any honest one would be.

    To be accused, a worker has to fail two tests at alpha: they do not beat chance, and they are right less often than
    somebody with half the usual merit would be.
    """
    lost = np.zeros(len(p), dtype=bool)
    for rows in (on_gold, ~on_gold):
        part = RightLabels(tested.labels[rows], tested.right[rows], tested.chance[rows])
        half = part.chance + (1 - part.chance) * max(part.usual_merit, 0.0) / 2
        as_bad = special.bdtr(part.right.astype(np.float64), part.labels, np.nan_to_num(half))
        lost[rows] = (p[rows] > alpha) & (as_bad < alpha) & (part.labels >= FEWEST_LABELS)
    return lost


def _is_constant(ratings: Ratings, table: Ints, alpha: float) -> Mask:
    """True if nearly all answers are one, and by no accident, going by others' labels of the same items."""
    total, commonest = table.sum(axis=1), table.argmax(axis=1)
    most = table.max(axis=1)
    overall = table.sum(axis=0) / table.sum()
    others = ratings.labels_of_others()
    same = others[np.arange(len(others)), commonest[ratings.judge]]
    agreeing, every = (
        np.bincount(ratings.judge, weights=count, minlength=len(total)) for count in (same, others.sum(axis=1))
    )
    share = (agreeing + overall[commonest]) / (every + 1)  # of others, and of all labels where there are none
    p = corrected(special.bdtrc(most - 1.0, total, np.minimum(share, 1.0)), "holm")
    constant: Mask = (total >= _FEWEST_ALIKE) & (most >= _CONSTANT * total) & (p < alpha)
    return constant


def _habits(labels: Labels, judges: tuple[str, ...], alpha: float) -> pl.DataFrame:
    """The median `seconds` of each judge, and the `period` after which their answers repeat, null if they do not.

    Labels are in the order of their times where these are known, else as they stand in the table.
    """
    frame = labels.frame
    label = pl.col("label")
    ordered = frame.sort("time", maintain_order=True) if "time" in frame.columns else frame
    lags = (1, *_PERIODS)
    seconds = pl.col("seconds").cast(pl.Float64).median() if "seconds" in frame.columns else pl.lit(None, pl.Float64)
    habits = ordered.group_by("judge").agg(
        seconds.alias("seconds"),
        pl.len().alias("labels"),
        ((label.unique_counts() / pl.len()) ** 2).sum().alias("chance"),
        *((label == label.shift(lag)).sum().alias(f"equal {lag}") for lag in lags),
    )
    habits = pl.DataFrame({"judge": judges}).join(habits, on="judge", how="left", maintain_order="left")
    equal = {lag: habits[f"equal {lag}"].to_numpy() for lag in lags}
    pairs = {lag: np.maximum(habits["labels"].to_numpy().astype(np.int64) - lag, 1) for lag in lags}
    period = np.zeros(len(judges), dtype=np.int64)
    level = alpha / (len(judges) * len(_PERIODS))
    for lag in reversed(_PERIODS):
        share = equal[lag] / pairs[lag]
        is_rhythm = (share >= _REPEATING) & (equal[1] / pairs[1] <= share - _RHYTHM) & (pairs[lag] >= _FEWEST_ALIKE)
        by_chance = special.bdtrc(equal[lag] - 1.0, pairs[lag], habits["chance"].to_numpy())
        period[is_rhythm & (by_chance < level)] = lag
    return habits.with_columns(period=pl.Series(period).replace(0, None))


def _reasons(row: dict[str, object]) -> list[str]:
    """The reasons why a worker is flagged, in words; empty if there are none."""
    reasons = []
    if row["lost"]:
        what = "right on gold" if row["tested_on"] == "gold" else "with the majority of the others"
        reasons.append(f"no better than chance: {row['right']:.0%} {what}, {row['chance']:.0%} by chance")
    if row["constant"]:
        reasons.append(f"the same answer nearly always: {row['commonest']} in {row['commonest_share']:.0%} of labels")
    if row["period"] is not None:
        reasons.append(f"answers repeat every {row['period']} labels")
    if row["fast"]:
        reasons.append(f"too fast: {row['seconds']:.1f} s per label, others {row['usual']:.1f} s")
    return reasons
