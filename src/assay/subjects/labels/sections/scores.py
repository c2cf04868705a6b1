"""What a system's scores would give: a threshold to move through all of them, what rules choose, and what is in use."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from markupsafe import Markup

from assay.core.digits import as_percent, counted, number, significant, threshold
from assay.measures.counting.confusion import Confusion
from assay.measures.counting.scored import Scored, ScoreTable
from assay.measures.parser import parse_measure
from assay.show import charts
from assay.show.figure import Axis, Figure, Mark, Series
from assay.show.model import Column, Section, Table, Widget
from assay.stats.estimates import NO_INTERVAL, Estimate
from assay.subjects.labels.curves import bin_edges, in_bins
from assay.subjects.labels.result import Classification
from assay.subjects.labels.sections.thresholds import CELLS
from assay.subjects.labels.thresholds.candidates import Candidates
from assay.subjects.labels.thresholds.choice import best_places
from assay.subjects.labels.thresholds.rules import closest_to_corner, max_accuracy, max_f, youden
from assay.tables.predictions import Predictions
from assay.verbs.sections.estimates import number_with_interval, settings_of

#: Of more thresholds than these, some are left out.
MOST_THRESHOLDS = 500
#: So many thresholds stand in the table for readers without a script.
_MOST_LISTED = 21
_BINS = 40
#: Of charts, in pixels.
_HEIGHT = 250
_START = "in use"
_RULES = (
    (max_accuracy, "max accuracy", "most items right"),
    (youden, "Youden", "the largest sum of true positive and true negative rate"),
    (closest_to_corner, "corner", "closest to the upper left corner of the ROC curve"),
    (max_f, "max F1", "the largest harmonic mean of precision and recall"),
)
#: The measures that are shown at a threshold, and how each is made of the four cells, for readers.
FORMULAS = {
    "Precision": "TP / (TP + FP)",
    "Recall": "TP / (TP + FN)",
    "Specificity": "TN / (TN + FP)",
    "NPV": "TN / (TN + FN)",
    "Accuracy": "(TP + TN) / all",
    "BalancedAccuracy": "(Recall + Specificity) / 2",
    "F1": "2 TP / (2 TP + FP + FN)",
    "MCC": "correlation of truth and prediction",
    "Youden": "Recall + Specificity − 1",
    "Jaccard": "TP / (TP + FP + FN)",
    "FPR": "FP / (FP + TN)",
    "FNR": "FN / (FN + TP)",
}
_SHARES = {"tpr": "TPR", "fpr": "FPR", "precision": "precision"}
#: Those that stand in the table of what rules choose.
_IN_TABLE = ("Precision", "Recall", "Specificity", "Accuracy", "F1", "MCC")
_ON_OTHERS = (
    "Thresholds chosen on these items look better on them than they are on others: judge the one you choose on items "
    "that had no part in the choice."
)


@dataclass(frozen=True, eq=False)
class ExplorerThresholds:
    """What each threshold of a system would do: they descend, and the first one is infinite.

    `labels`: the positive one, and the other. `rows` hold the four cells of each threshold; where these are too many,
    some of them, so spread that the curves look the same, of `every`. `start` is the row that is shown first,
    `start_says` why; `in_use`: whether the system decides there. `chosen` are the start and what rules choose, with
    measures. `scores`: edges of bins, and how many positive and negative items are in each.
    """

    system: str
    labels: tuple[str, str]
    positive_first: bool
    rows: pl.DataFrame
    every: int
    start: int
    start_says: str
    in_use: bool
    chosen: pl.DataFrame
    scores: tuple[list[float], list[float], list[float]]
    auc: Estimate
    average_precision: Estimate

    @property
    def texts(self) -> list[str]:
        """The thresholds in digits that decide as they do, with true minus signs."""
        return [text.replace("-", "−") for text in self.rows["says"]]

    @property
    def rules(self) -> list[dict[str, Any]]:
        """What each rule chooses."""
        return self.chosen[1:].to_dicts()

    @property
    def measures(self) -> list[tuple[str, str, str]]:
        """The measures at the start, with their formulas."""
        return [(name, formula, number(self.chosen[name][0])) for name, formula in FORMULAS.items()]

    @property
    def matrix(self) -> list[tuple[str, list[tuple[str, str, str]]]]:
        """The four cells at the start, with shares of the true label; labels in the order of the other matrices."""
        at, turn = self.rows.row(self.start, named=True), slice(None, None, 1 if self.positive_first else -1)
        rows = []
        for label, names in list(zip(self.labels, (("tp", "fn"), ("fp", "tn")), strict=True))[turn]:
            total = sum(at[name] for name in names)
            cells = [(name, counted(at[name]), as_percent(at[name] / total) if total else "–") for name in names]
            rows.append((label, cells[turn]))
        return rows

    @property
    def script(self) -> Markup:
        """The four cells at every threshold, for the script: numbers, and nothing from outside."""
        edges = self.scores[0]
        axis = Axis(edges[0], edges[-1])
        places = [round(axis.at(min(at, edges[-1])), 6) for at in self.rows["threshold"]]
        cells = {name: self.rows[name].to_list() for name in CELLS}
        data = {"says": self.texts, "place": places, **cells, "start": self.start}
        return Markup(json.dumps(data, separators=(",", ":")))

    def spread(self) -> Figure:
        """How many items of each label have a score in each bin, as shares of it: the positive up, the other down."""
        edges, *sides = self.scores
        counts = zip(self.labels, (np.array(side) / (sum(side) or 1.0) for side in sides), strict=True)
        bins = {"system": self.system, "low": edges[:-1], "high": edges[1:]}
        frame = pl.concat([pl.DataFrame({**bins, "label": label, "share": shares}) for label, shares in counts])
        cuts = {self.system: min(self.rows["threshold"][self.start], edges[-1])}
        figure = charts.score_distributions(frame, {self.system: ""}, cuts, mirrored=True, size=(480, _HEIGHT))
        caption = f"Scores of {self.labels[0]} (up) and {self.labels[1]} (down), by {self.system}"
        return replace(figure, key=None, says=caption)

    def listed(self) -> Table:
        """Some of the thresholds as a table."""
        last = self.rows.height - 1
        step = max(1, math.ceil(last / (_MOST_LISTED - 1)))
        frame = self.rows[sorted({*range(0, last + 1, step), self.start, last})]
        shares = (Column(name, title, "number") for name, title in _SHARES.items())
        columns = (Column("says", "threshold"), *CELLS.values(), *shares)
        fold = f"{frame.height:,} of the thresholds as a table"
        return Table("listed", frame, columns, f"Thresholds of {self.system}", fold=fold)

    def table(self) -> Table:
        """What rules choose, below the threshold that is in use, if one is."""
        values = (Column(name, kind="number") for name in _IN_TABLE)
        columns = (Column("rule", also="why"), Column("says", "threshold"), *CELLS.values(), *values)
        frame = self.chosen if self.in_use else self.chosen[1:]
        notes = (f"{self.labels[0]} is predicted from the threshold on. {_ON_OTHERS}",)
        return Table("rules", frame, columns, f"Thresholds of {self.system}", notes, look="rules")

    def payload(self) -> dict[str, Any]:
        """Everything besides the table, for other programs."""
        settings = settings_of(self, "system", "every", "start", "start_says", "in_use", "positive_first")
        return settings | {
            "positive": self.labels[0],
            "negative": self.labels[1],
            "rows": self.rows.drop("says").to_dicts(),
            "values": self.chosen.select(*FORMULAS).row(0, named=True),
            "scores": dict(zip(("edges", "positive", "negative"), self.scores, strict=True)),
            "auc": self.auc._asdict(),
            "average_precision": self.average_precision._asdict(),
        }


def thresholds_of(result: Classification, system: str, names: dict[str, str]) -> ExplorerThresholds | None:
    """Everything about a system's thresholds; None without scores, or where one of the two classes has no item."""
    scored, predictions = result.scored(system), result.system(system).predictions
    if scored is None or predictions is None or not (scored.positives and scored.negatives):
        return None
    candidates = Candidates(scored)
    places = {rule: int(best_places(rule, candidates)[0]) for rule, *_ in _RULES}
    start, why, in_use = _start(result, system, candidates, places[youden])
    kept = _kept(scored.table, [start, *places.values()])
    rows = _rows(scored.table, kept)
    at = [kept.index(place) for place in (start, *places.values())]
    words = [(_START, ""), *((name, f" ({why})") for _, name, why in _RULES)]
    rules = pl.DataFrame(words, schema=["rule", "why"], orient="row").with_columns(row=pl.Series(at))
    edges = bin_edges([scored], _BINS)
    return ExplorerThresholds(
        system=system,
        labels=(names[str(predictions.positive)], names[str(predictions.negative)]),
        positive_first=result.labels[0] == result.positive,
        rows=rows,
        every=len(scored.table.threshold),
        start=at[0],
        start_says=why,
        in_use=in_use,
        chosen=_measured(rules.hstack(rows[at])),
        scores=(edges.tolist(), *(side.tolist() for side in in_bins(scored, edges))),
        auc=_area(result, system, "AUC", scored),
        average_precision=_area(result, system, "AveragePrecision", scored),
    )


def _start(result: Classification, system: str, candidates: Candidates, best: int) -> tuple[int, str, bool]:
    """The threshold that the system decides by, and True; if that is not known, one that is as good as any."""
    at, predictions = result.system(system).threshold, result.system(system).predictions
    if at is not None:
        return candidates.place(at), f"where it decides (positive from {significant(at, 6)} on)", True
    decided = None if predictions is None else decided_from(predictions)
    if decided is not None:
        return candidates.place(decided), "where its predictions were made", True
    predicts = predictions is not None and predictions.prediction is not None
    why = "its own predictions follow no threshold" if predicts else "it predicts nothing itself"
    return best, f"where true positive and true negative rate have their largest sum; {why}", False


def decided_from(predictions: Predictions) -> float | None:
    """The lowest score that was predicted positive, if all lower ones were predicted negative; else None.

    >>> decided_from(Predictions.of([1, 1, 0], [1, 0, 0], y_score=[0.9, 0.3, 0.2]))
    0.9
    >>> decided_from(Predictions.of([1, 1, 0], [0, 1, 0], y_score=[0.9, 0.3, 0.2])) is None
    True
    """
    if predictions.prediction is None or predictions.score is None:
        return None
    scores, positive = predictions.score.to_numpy(), (predictions.prediction == predictions.positive).to_numpy()
    lowest = scores[positive].min(initial=np.inf)
    return float(lowest) if scores[~positive].max(initial=-np.inf) < lowest else None


def _kept(table: ScoreTable, wanted: Sequence[int]) -> list[int]:
    """The places of the thresholds that are shown: all, or some at even steps along the ROC curve."""
    every = len(table.threshold)
    if every <= MOST_THRESHOLDS:
        return list(range(every))
    must = {0, every - 1, *wanted}
    along = table.tpr + table.fpr
    steps = np.linspace(0.0, along[-1], MOST_THRESHOLDS - len(must))
    return sorted(must | {int(place) for place in np.searchsorted(along, steps).clip(0, every - 1)})


def _rows(table: ScoreTable, places: Sequence[int]) -> pl.DataFrame:
    """The four cells at some thresholds; `below` is the next lower score: each number above it decides alike."""
    frame = table.to_frame().with_columns(below=pl.col("threshold").shift(-1, fill_value=-math.inf))[list(places)]
    texts = [threshold(*ends) for ends in frame.select("threshold", "below").iter_rows()]
    return frame.with_columns(pl.Series("says", texts), precision=pl.col("tp") / (pl.col("tp") + pl.col("fp")))


def _measured(rows: pl.DataFrame) -> pl.DataFrame:
    """The measures at each threshold, by the measures' own formulas."""
    tp, fp, fn, tn = (rows[name].to_numpy() for name in CELLS)
    confusion = Confusion(tuple(map(str, range(rows.height))), tp, fp, fn, tn, "table")
    return rows.with_columns(pl.Series(name, parse_measure(name, "binary").of(confusion)) for name in FORMULAS)


def _area(result: Classification, system: str, name: str, scored: Scored) -> Estimate:
    """An area under a curve: as it was estimated, or else the number alone."""
    measure = parse_measure(name, "binary")
    if measure in result.measures:
        return result.estimate(measure, system)
    return Estimate(float(measure.of(scored)[0]), math.nan, math.nan, NO_INTERVAL)


def area(name: str, estimate: Estimate) -> str:
    """An area under a curve with its interval."""
    if math.isnan(estimate.value):
        return f"{name}: {estimate.undefined or 'not known'}"
    return f"{name} {number_with_interval(estimate)}"


def explorer(systems: Sequence[ExplorerThresholds], place: int) -> Section:
    """A threshold to move, with the curves of a system, those of the others behind them, and what rules choose.

    What stands in it is the state at the start, complete without a script.
    """
    system = systems[place]
    widget = Widget("threshold", {"shown": system, "curves": _curves(systems, system)}, ())
    parts = (widget, Section("rules", "What rules choose", (system.table(),)))
    name, aside = f"threshold-{place + 1}", area("AUC", system.auc)
    return Section(name, system.system, parts, aside=aside, data=system.payload())


def _curves(systems: Sequence[ExplorerThresholds], front: ExplorerThresholds) -> list[Figure]:
    """The ROC curve, and precision and recall, each with a point that moves."""
    columns = ("fpr", "tpr", pl.col("tpr").alias("recall"), "precision")
    parts = [each.rows.select(pl.lit(each.system).alias("system"), *columns) for each in systems]
    frame, series = pl.concat(parts).fill_nan(None), [Series(each.system) for each in systems]
    at, first = (front.rows.row(row, named=True) for row in (front.start, 0))
    key, prevalence = "" if len(systems) > 1 else None, first["fn"] / (first["fn"] + first["tn"])
    roc = charts.roc(frame, series, key=key, front=front.system)
    steps = charts.precision_by_threshold(frame, series, key=key, prevalence=prevalence, front=front.system)
    precision = area("Average precision", front.average_precision)
    return [
        _pointed(roc, charts.here(at["fpr"], at["tpr"], "roc"), "ROC curve", area("AUC", front.auc)),
        _pointed(steps, charts.here(at["tpr"], at["precision"], "pr"), "Precision and recall", precision),
    ]


def _pointed(figure: Figure, here: Mark, title: str, text: str) -> Figure:
    (panel,) = figure.panels
    panels = (replace(panel, marks=(*panel.marks, here), height=_HEIGHT),)
    return replace(figure, panels=panels, title=title, subtitle=text)
