"""Sections on a system's scores: a threshold to move through all of them, what rules choose, and what is in use."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
import polars as pl
from markupsafe import Markup

from assay.core.digits import as_percent, counted, number
from assay.show import charts
from assay.show.figure import Axis, Figure, Mark, Series
from assay.show.model import Column, Section, Table, Widget
from assay.stats.estimates import Estimate
from assay.subjects.labels.moving_threshold import FORMULAS, SystemThresholds
from assay.subjects.labels.sections.thresholds import CELLS
from assay.verbs.sections.estimates import number_with_interval, settings_of

#: So many thresholds stand in the table for readers without a script.
_MOST_LISTED = 21
#: Of charts, in pixels.
_HEIGHT = 250
_SHARES = {"tpr": "TPR", "fpr": "FPR", "precision": "precision"}
#: Those that stand in the table of what rules choose.
_IN_TABLE = ("Precision", "Recall", "Specificity", "Accuracy", "F1", "MCC")
_ON_OTHERS = (
    "Thresholds chosen on these items look better on them than they are on others: judge the one you choose on items "
    "that had no part in the choice."
)


class ExplorerThresholds(SystemThresholds):
    """The thresholds of a system as a page shows them."""

    @classmethod
    def of(cls, thresholds: SystemThresholds) -> Self:
        """The thresholds as a page shows them."""
        return cls(**vars(thresholds))

    @property
    def texts(self) -> list[str]:
        """The thresholds in digits that decide as they do, with true minus signs."""
        return [text.replace("-", "−") for text in self.rows["says"]]

    @property
    def rules(self) -> list[dict[str, Any]]:
        """The choice of each rule."""
        return self.chosen[1:].to_dicts()

    @property
    def measures(self) -> list[tuple[str, str, str]]:
        """The measures at the start, with their formulas."""
        return [(name, formula, number(self.chosen[name][0])) for name, formula in FORMULAS.items()]

    @property
    def matrix(self) -> list[tuple[str, list[tuple[str, str, str]]]]:
        """The four cells at the start, with shares of the true label; labels in the order of the other matrices."""
        at = self.rows.row(self.start, named=True)
        turn = slice(None, None, 1 if self.positive_first else -1)
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
        """Items of each label with a score in each bin, as shares of it: the positive up, the other down."""
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
        """The choices of rules, below the threshold that is in use, if one is."""
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
    name = f"threshold-{place + 1}"
    aside = area("AUC", system.auc)
    return Section(name, system.system, parts, aside=aside, data=system.payload())


def _curves(systems: Sequence[ExplorerThresholds], front: ExplorerThresholds) -> list[Figure]:
    """The ROC curve, and precision and recall, each with a point that moves."""
    columns = ("fpr", "tpr", pl.col("tpr").alias("recall"), "precision")
    parts = [each.rows.select(pl.lit(each.system).alias("system"), *columns) for each in systems]
    frame = pl.concat(parts).fill_nan(None)
    series = [Series(each.system) for each in systems]
    at, first = (front.rows.row(row, named=True) for row in (front.start, 0))
    key = "" if len(systems) > 1 else None
    prevalence = first["fn"] / (first["fn"] + first["tn"])
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
