"""How fast classifiers are evaluated: `python -m benchmarks.classifiers`.

scikit-learn does each piece of work beside ours, in the same process and in turn; what both give is compared as well.
"""

import argparse
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn import metrics as sklearn_metrics

from assay.measures import Measure, parse_measure, registered
from assay.measures.counting.confusion import Confusion
from assay.measures.counting.confusion_matrix import ConfusionMatrix
from assay.measures.counting.judgments import Floats
from assay.measures.counting.scored import Scored
from assay.measures.matrices import overall
from assay.stats.score_samples import score_interval
from assay.subjects.labels.evaluation import LabelReport, classification_report
from assay.subjects.labels.thresholds.choice import thresholds

HERE = Path(__file__).parent
CLASSES = ("bank", "bill", "claim", "invite", "news", "offer", "order", "other", "private", "travel")
SIZES = (100_000, 1_000_000, 10_000_000)
BOOTSTRAPPED, RESAMPLES = 100_000, 1_000
#: scikit-learn is asked for so many resamples, and its time is that of as many as ours.
THEIR_RESAMPLES = 50


class Work(NamedTuple):
    """A piece of work: what it is, ours, theirs, how many times theirs is part of the whole, and what is promised."""

    what: str
    ours: Callable[[], Any]
    theirs: Callable[[], Any]
    promised: float | None = None
    times: float = 1.0
    #: What both have to give alike.
    ours_gives: Callable[[Any], float] | None = None
    theirs_give: Callable[[Any], float] | None = None
    #: So many calls in a row are timed together, before it is the other's turn.
    calls: int = 1


def labels(items: int, seed: int = 0) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """True and predicted classes, of which three in four agree."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, len(CLASSES), items)
    predicted = np.where(rng.random(items) < 0.75, truth, rng.integers(0, len(CLASSES), items))
    return truth, predicted


def scored(items: int, seed: int = 0) -> tuple[NDArray[np.int64], Floats]:
    """Truth and scores of a binary classifier whose area is about 0.76."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, items)
    return truth, rng.normal(size=items) + truth


def label_measures() -> list[Measure]:
    """All measures of a confusion matrix."""
    known = registered("multiclass", unit_kind="table").values()
    return [one for one in known if one.definition.counts in {Confusion, ConfusionMatrix}]


def all_measures(truth: Any, predicted: Any, wanted: list[Measure]) -> dict[str, float]:
    """A confusion matrix and every measure of it."""
    matrix = ConfusionMatrix.from_labels(truth, predicted)
    return {str(one): float(overall(one, matrix).values[0]) for one in wanted}


def report(truth: Any, predicted: Any) -> LabelReport:
    """Numbers of classes, their support, averages, accuracy."""
    return classification_report(truth, predicted)


def sklearn_report(truth: Any, predicted: Any) -> Any:
    """The same by scikit-learn."""
    return sklearn_metrics.classification_report(truth, predicted, output_dict=True)


def _works_on_labels(items: int) -> list[Work]:
    truth, predicted = labels(items)
    names = np.array(CLASSES)
    as_text = [pl.Series(names[codes], dtype=pl.String) for codes in (truth, predicted)]
    wanted = label_measures()
    compared: dict[str, Any] = {
        "ours_gives": lambda told: told["F"],
        "theirs_give": lambda told: told["macro avg"]["f1-score"],
    }
    text = Work(
        f"confusion and all {len(wanted)} measures, {items:,} strings",
        lambda: all_measures(as_text[0], as_text[1], wanted),
        lambda: sklearn_report(as_text[0], as_text[1]),
        50 if items == SIZES[-1] else None,
        **compared,
    )
    whole = Work(
        f"confusion and all {len(wanted)} measures, {items:,} whole numbers",
        lambda: all_measures(truth, predicted, wanted),
        lambda: sklearn_report(truth, predicted),
        15 if items == SIZES[-1] else None,
        **compared,
    )
    return [text, whole]


def _works_on_scores(items: int) -> list[Work]:
    truth, scores = scored(items)
    area = parse_measure("AUC", "binary")
    largest = items == SIZES[-1]
    return [
        Work(
            f"exact AUC, {items:,} scores",
            lambda: float(area.of(Scored.from_scores(truth, scores))[0]),
            lambda: float(sklearn_metrics.roc_auc_score(truth, scores)),
            8 if largest else None,
            ours_gives=float,
            theirs_give=float,
        ),
        Work(
            f"the full ROC, {items:,} scores",
            lambda: Scored.from_scores(truth, scores).table,
            lambda: sklearn_metrics.roc_curve(truth, scores, drop_intermediate=False),
            2 if largest else None,
            ours_gives=lambda table: len(table.threshold),
            theirs_give=lambda curve: len(curve[2]),
        ),
    ]


def _works_on_thresholds(items: int) -> list[Work]:
    truth, scores = scored(items)
    six = ("max_accuracy", "closest_to_corner", "youden", "weighted(w=0.7)", "max_f", "max_tpr_given_tnr(tnr=0.9)")
    return [
        Work(
            f"six threshold rules, {items:,} scores (scikit-learn: the four cells alone)",
            lambda: thresholds(truth, scores, six, resamples=0),
            lambda: sklearn_metrics.confusion_matrix_at_thresholds(truth, scores),
        )
    ]


def _bootstrap() -> Work:
    truth, scores = scored(BOOTSTRAPPED)
    rng = np.random.default_rng(1)

    def theirs() -> float:
        drawn = [rng.integers(0, BOOTSTRAPPED, BOOTSTRAPPED) for _ in range(THEIR_RESAMPLES)]
        return float(np.std([sklearn_metrics.average_precision_score(truth[rows], scores[rows]) for rows in drawn]))

    def ours() -> float:
        scored, measure = Scored.from_scores(truth, scores), parse_measure("AveragePrecision", "binary")
        interval, _ = score_interval(scored, measure, 0.95, RESAMPLES, seed=0)
        return interval.high - interval.low

    return Work(
        f"interval of average precision, {BOOTSTRAPPED:,} scores (scikit-learn: {RESAMPLES:,} resamples)",
        ours,
        theirs,
        20,
        RESAMPLES / THEIR_RESAMPLES,
    )


def _small() -> list[Work]:
    truth, predicted = labels(1_000)
    names = np.array(CLASSES)
    works = []
    for what, pair in (
        ("whole numbers", (truth, predicted)),
        ("strings in lists", (names[truth].tolist(), names[predicted].tolist())),
        ("strings in arrays", (names[truth], names[predicted])),
    ):
        # A single call finds the processor's caches full of what the other left there; in a row, as in a loop over
        # groups or resamples, calls do not.
        for calls, how in ((1, "one by turns"), (20, "twenty in a row")):
            works.append(
                Work(
                    f"a whole report of 1,000 {what}, {how}",
                    lambda pair=pair: report(*pair),  # type: ignore[misc]
                    lambda pair=pair: sklearn_report(*pair),  # type: ignore[misc]
                    30,
                    ours_gives=lambda told: told.f1.macro,
                    theirs_give=lambda told: told["macro avg"]["f1-score"],
                    calls=calls,
                )
            )
    return works


def seconds(work: Callable[[], object], calls: int = 1) -> float:
    """How long the work takes, the mean of some calls in a row."""
    start = time.perf_counter()
    for _ in range(calls):
        work()
    return (time.perf_counter() - start) / calls


def compared(work: Work) -> str:
    """Whether both give the same number, where both have one."""
    if work.ours_gives is None or work.theirs_give is None:
        return ""
    ours, theirs = work.ours_gives(work.ours()), work.theirs_give(work.theirs())
    return "yes" if np.isclose(ours, theirs, rtol=1e-9) else f"NO: {ours} and {theirs}"


def row(work: Work, repeats: int) -> str:
    """A line of the table; both are timed in turn, so that a busy machine slows both."""
    alike = compared(work)  # and both are warm
    times = [(seconds(work.ours, work.calls), seconds(work.theirs, work.calls) * work.times) for _ in range(repeats)]
    ours, theirs = median(one for one, _ in times), median(other for _, other in times)
    promised = "" if work.promised is None else f"{work.promised:g}"
    return f"| {work.what} | {theirs:.4g} | {ours:.4g} | {theirs / ours:.1f} | {promised} | {alike} |"


def lines(repeats: int, sizes: tuple[int, ...]) -> list[str]:
    """The table of all works."""
    told = [
        f"Medians of {repeats}, side by side in one process; seconds. Labels are of {len(CLASSES)} classes.",
        f"The bootstrap of scikit-learn is that of {THEIR_RESAMPLES} resamples, times {RESAMPLES // THEIR_RESAMPLES}.",
        "",
        "| work | scikit-learn | Assay | times as fast | promised | same number |",
        "| --- | ---: | ---: | ---: | ---: | --- |",
    ]
    for make in (_works_on_labels, _works_on_scores, _works_on_thresholds):
        for items in sizes:
            # Large works are scikit-learn's for the most part: half a minute each.
            told += [row(work, max(1, repeats // 2) if items == SIZES[-1] else repeats) for work in make(items)]
    told.append(row(_bootstrap(), max(1, repeats // 2)))
    return told + [row(work, max(5, 20 * repeats // work.calls)) for work in _small()]


def main() -> None:
    """Print the table; `--write` also puts it into CLASSIFIERS.md."""
    about = (__doc__ or "").split("\n")[0]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.classifiers", description=about)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="the smallest size only")
    parser.add_argument("--write", action="store_true", help="write CLASSIFIERS.md")
    options = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        text = "\n".join(["# Classifiers", "", *lines(options.repeats, SIZES[:1] if options.quick else SIZES)])
    print(text)
    if options.write:
        command = "Made by `python -m benchmarks.classifiers --write`.\n"
        (HERE / "CLASSIFIERS.md").write_text(f"{text}\n\n{command}", encoding="utf-8")


if __name__ == "__main__":
    main()
