"""Workers of a crowd: how right, how fast and how varied their labels are, and who gives nothing but noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl
from scipy import stats

from assay.measures.counting.judgments import Floats, Ints, Mask
from assay.measures.counting.ratings import Ratings
from assay.stats.bootstrap import wilson
from assay.stats.verdict import corrected
from assay.tables.labels import Labels

#: A worker is tested on gold from so many gold labels on, else on what the others say.
FEWEST_GOLD = 30
#: Workers are tested, and rhythms looked for, from so many labels on; answers that never change, from so many.
FEWEST_LABELS, _FEWEST_CONSTANT = 10, 20
#: A worker with the usual accuracy would be told from chance with this chance, or nothing is said.
POWER = 0.8
#: From this share of equal answers on they are constant, or their order repeats; and periods that are looked for.
_CONSTANT, _REPEATING, _PERIODS = 0.95, 0.9, (2, 3, 4, 5, 6)
#: Neighbours agree less than labels one period apart by this, where a rhythm is at work and not a sorted list.
_RHYTHM = 0.25
#: Faster than this share of the usual seconds is too fast.
_TOO_FAST = 1 / 3


@dataclass(frozen=True, eq=False)
class Answers:
    """Labels as numbers: `ratings`, the right category of each item (-1: none), who counts, and rows in file order."""

    ratings: Ratings
    gold: Ints
    included: Mask
    #: Categories and judges of the labels in the order in which they were given.
    sequence: Ints
    sequence_judge: Ints

    @classmethod
    def of(cls, labels: Labels, ratings: Ratings, gold: Ints, excluded: set[str]) -> Answers:
        """Order the labels by time where that is known, else as they stand in the table."""
        frame = labels.frame
        order = frame["time"].arg_sort() if "time" in frame.columns else pl.int_range(frame.height, eager=True)
        judges = frame["judge"].gather(order)
        places = judges.replace_strict(list(ratings.judges), list(range(len(ratings.judges))), return_dtype=pl.Int64)
        known = _categories(frame["label"].gather(order), ratings)
        by_judge = np.argsort(places.to_numpy(), kind="stable")
        included = np.array([name not in excluded for name in ratings.judges])
        return cls(ratings, gold, included, known[by_judge], places.to_numpy()[by_judge])


def _categories(labels: pl.Series, ratings: Ratings) -> Ints:
    names = labels.cast(pl.String) if not labels.dtype.is_float() else labels.map_elements("{:g}".format, pl.String)
    places = dict(zip(ratings.categories, range(len(ratings.categories)), strict=True))
    return names.replace_strict(places, return_dtype=pl.Int64).to_numpy()


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


def hits(ratings: Ratings, reference: Ints) -> RightLabels:
    """Hold each label against a reference (a category per label, -1: none); chance keeps each worker's own habits.

    >>> ratings = Ratings.from_labels({"ana": [0, 1, 1], "ben": [1, 1, 1]})
    >>> hits(ratings, np.array([0, 0, 1, 1, 1, 1])).right
    array([3, 2])
    """
    judges, width = len(ratings.judges), len(ratings.categories)
    rows = reference >= 0
    judge, said, true = ratings.judge[rows], ratings.category[rows], reference[rows]
    labels = np.bincount(judge, minlength=judges)
    right = np.bincount(judge[said == true], minlength=judges)
    own, theirs = (
        np.bincount(judge * width + which, minlength=judges * width).reshape(judges, width) for which in (said, true)
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        chance = (own * theirs).sum(axis=1) / labels.astype(np.float64) ** 2
    return RightLabels(labels, right, chance)


def majority_of_others(answers: Answers) -> Ints:
    """For each label the category that most of the other judges who count chose; -1 where two are equally frequent."""
    ratings = answers.ratings
    width, size = len(ratings.categories), len(ratings.items)
    counted = answers.included[ratings.judge]
    code = ratings.item * width + ratings.category
    counts = np.bincount(code[counted], minlength=size * width).reshape(size, width)
    others = counts[ratings.item]
    others[np.arange(len(ratings.item)), ratings.category] -= counted
    best = others.max(axis=1)
    clear = (best > 0) & ((others == best[:, None]).sum(axis=1) == 1)
    return np.where(clear, others.argmax(axis=1), -1)


def worker_statistics(answers: Answers, labels: Labels, *, alpha: float) -> pl.DataFrame:
    """One row per worker: labels, accuracy, agreement with the others, speed, habits, the test, flags and reasons."""
    ratings = answers.ratings
    judges, width = len(ratings.judges), len(ratings.categories)
    gold = hits(ratings, answers.gold[ratings.item])
    others = hits(ratings, majority_of_others(answers))
    table = np.bincount(ratings.judge * width + ratings.category, minlength=judges * width).reshape(judges, width)
    total = table.sum(axis=1)
    intervals = [wilson(*pair) for pair in zip(gold.right, gold.labels, strict=True)]
    by_gold = gold.labels >= FEWEST_GOLD
    tested = RightLabels(*(np.where(by_gold, ours, theirs) for ours, theirs in zip(gold, others, strict=True)))
    p = np.where(tested.labels > 0, stats.binom.sf(tested.right - 1, tested.labels, np.nan_to_num(tested.chance)), 1.0)
    p = np.where(tested.labels > 0, p, np.nan)
    frame = pl.DataFrame(
        {
            "worker": ratings.judges,
            "labels": total,
            "gold": gold.labels,
            "accuracy": gold.share,
            "low": [each.low for each in intervals],
            "high": [each.high for each in intervals],
            "agreement": others.share,
            "seconds": _seconds(labels, ratings.judges),
            "commonest": [ratings.categories[place] for place in table.argmax(axis=1)],
            "commonest_share": table.max(axis=1) / np.maximum(total, 1),
            "period": _periods(answers, alpha),
            "tested_on": np.where(by_gold, "gold", "others").tolist(),
            "chance": tested.chance,
            "p": p,
            "p_corrected": corrected(p, "holm"),
        }
    ).with_columns(pl.col(pl.Float64).fill_nan(None))
    lost = _no_better_than_chance(tested, by_gold, p, alpha)
    constant = _constant(table, alpha)
    reasons = [
        "; ".join(_reasons(row, lost[place], constant[place], tested.share[place], frame["seconds"].median()))
        for place, row in enumerate(frame.iter_rows(named=True))
    ]
    return frame.with_columns(flagged=pl.Series([bool(reason) for reason in reasons]), reason=pl.Series(reasons))


def _seconds(labels: Labels, judges: tuple[str, ...]) -> pl.Series:
    """The median seconds per label."""
    if "seconds" not in labels.frame.columns:
        return pl.repeat(None, len(judges), dtype=pl.Float64, eager=True)
    medians = labels.frame.group_by("judge").agg(pl.col("seconds").cast(pl.Float64).median())
    return pl.DataFrame({"judge": judges}).join(medians, on="judge", how="left", maintain_order="left")["seconds"]


def _no_better_than_chance(tested: RightLabels, by_gold: Mask, p: Floats, alpha: float) -> Mask:
    """Whether a worker is not told from chance, on labels on which nearly all workers of usual accuracy would be.

    Nobody is accused lightly: the worker's own p-value is not corrected, the level that the others would have to reach
    is, for as many workers as there are.
    """
    lost = np.zeros(len(p), dtype=bool)
    for reference in (by_gold, ~by_gold):
        enough = reference & (tested.labels >= FEWEST_LABELS)
        if not enough.any():
            continue
        usual = float(np.median(tested.share[enough]))
        needed = stats.binom.isf(alpha / len(p), tested.labels[enough], tested.chance[enough])
        power = stats.binom.sf(needed, tested.labels[enough], usual)
        lost[enough] = (p[enough] > alpha) & (power >= POWER)
    return lost


def _constant(table: Ints, alpha: float) -> Mask:
    """Whether nearly all answers are one, and so often by no accident, going by how often everybody gives it."""
    total, most = table.sum(axis=1), table.max(axis=1)
    share = (table.sum(axis=0) / table.sum())[table.argmax(axis=1)]
    p = corrected(stats.binom.sf(most - 1, total, share), "holm")
    constant: Mask = (total >= _FEWEST_CONSTANT) & (most >= _CONSTANT * total) & (p < alpha)
    return constant


def _periods(answers: Answers, alpha: float) -> list[int | None]:
    """After how many labels a worker's answers repeat; None where they do not, or are all the same."""
    judge, said = answers.sequence_judge, answers.sequence
    judges, width = len(answers.ratings.judges), len(answers.ratings.categories)
    table = np.bincount(judge * width + said, minlength=judges * width).reshape(judges, width)
    total = np.maximum(table.sum(axis=1), 1)
    chance = ((table / total[:, None]) ** 2).sum(axis=1)
    shares, p_values = {}, {}
    for lag in (1, *_PERIODS):
        inside = judge[lag:] == judge[:-lag]
        pairs = np.bincount(judge[lag:][inside], minlength=judges)
        equal = np.bincount(judge[lag:][inside & (said[lag:] == said[:-lag])], minlength=judges)
        shares[lag] = equal / np.maximum(pairs, 1)
        p_values[lag] = np.where(pairs >= FEWEST_LABELS, stats.binom.sf(equal - 1, pairs, chance), 1.0)
    found: list[int | None] = [None] * judges
    level = alpha / (judges * len(_PERIODS))
    for lag in reversed(_PERIODS):
        is_rhythm = (shares[lag] >= _REPEATING) & (shares[1] <= shares[lag] - _RHYTHM) & (p_values[lag] < level)
        for place in np.flatnonzero(is_rhythm):
            found[place] = lag
    return found


def _reasons(row: dict[str, object], is_lost: bool, is_constant: bool, right: float, usual: object) -> list[str]:
    """Why a worker is flagged, in words; nothing if they are not."""
    reasons = []
    if is_lost:
        what = "right on gold" if row["tested_on"] == "gold" else "with the majority of the others"
        reasons.append(f"no better than chance: {right:.0%} {what}, {row['chance']:.0%} by chance")
    if is_constant:
        reasons.append(f"the same answer nearly always: {row['commonest']} in {row['commonest_share']:.0%} of labels")
    if row["period"] is not None:
        reasons.append(f"answers repeat every {row['period']} labels")
    seconds = row["seconds"]
    if isinstance(seconds, float) and isinstance(usual, float) and seconds < _TOO_FAST * usual:
        reasons.append(f"too fast: {seconds:.1f} s per label, others {usual:.1f} s")
    return reasons
