"""Curves of scores with a threshold to move: ROC, precision-recall, distributions, confusion and measures together.

What is drawn and written here is the state at one threshold, complete without a script. `classifier.js` moves it: the
numbers of every threshold lie beside it as data.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from assay.core.digits import as_percent, counted
from assay.core.digits import threshold as in_digits
from assay.report.html.classifier_curves import (
    area,
    distributions,
    figure,
    key_of,
    precision_recall,
    roc,
    share_of,
)
from assay.report.html.markup import Html, element, given, heads, joined, number, table
from assay.show.axis import Axis

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.reporting.classifier_contents import AtThreshold, SystemThresholds

#: How each measure is made of the four cells, for readers.
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
#: So many thresholds stand in the table for readers without a script.
MOST_LISTED = 21


def explorers(parts: Sequence[SystemThresholds]) -> Html:
    """One for each system, the first one open."""
    if len(parts) == 1:
        return explorer(parts, 0)
    return joined(
        *(
            element(
                "details",
                element(
                    "summary", element("h3", given(part.system)), element("span", area("AUC", part.auc), class_="dim")
                ),
                explorer(parts, place),
                class_="panel on-paper",
                open=place == 0,
            )
            for place, part in enumerate(parts)
        )
    )


def explorer(parts: Sequence[SystemThresholds], place: int) -> Html:
    """The curves of one system, with those of the others behind them, and everything at one threshold."""
    part = parts[place]
    at = part.rows[part.start]
    head = element(
        "p",
        "Threshold ",
        element("output", threshold(at), class_="at-threshold"),
        element("span", f": {part.start_says}", class_="start-says"),
        class_="now",
    )
    figures = [
        figure("ROC curve", area("AUC", part.auc), "true positive rate", "false positive rate", roc(parts, place)),
        figure(
            "Precision and recall",
            area("Average precision", part.average_precision),
            "precision",
            "recall",
            precision_recall(parts, place),
        ),
        distributions(part, at),
        element(
            "div",
            element("h4", "Confusion"),
            _matrix(part, at),
            element("h4", "Measures"),
            _measures(part),
            class_="at-now",
        ),
    ]
    return element(
        "div",
        element("div", head, _controls(part), class_="controls"),
        element("div", *figures, class_="together"),
        key_of(parts) if len(parts) > 1 else Html(""),
        element("p", _counts(part), class_="dim small"),
        _rules(part),
        _listed(part),
        _data(part),
        class_="explorer",
    )


def threshold(at: AtThreshold) -> str:
    """A threshold in digits that decide as it does, and a true minus."""
    return in_digits(at.threshold, at.below).replace("-", "−")


def _controls(part: SystemThresholds) -> Html:
    """The slider and the rules' thresholds; they show themselves where there are scripts."""
    last = len(part.rows) - 1
    slider = element(
        "input",
        type="range",
        min=0,
        max=last,
        step=1,
        value=last - part.start,
        class_="slider",
        aria_label=f"Threshold of {part.system}",
        autocomplete="off",
    )
    places = {row.threshold: place for place, row in enumerate(part.rows)}
    buttons = [
        element("button", name, type="button", data_row=place, title=says)
        for name, says, place in (
            ("back to the start", part.start_says, part.start),
            *((rule.name, rule.says, places[rule.at.threshold]) for rule in part.rules),
        )
    ]
    return element("div", slider, element("div", *buttons, class_="quick"), class_="movers", hidden=True)


def _matrix(part: SystemThresholds, at: AtThreshold) -> Html:
    """The four cells, the labels in the order of the other matrices."""
    labels, cells = [part.positive, part.negative], [["tp", "fn"], ["fp", "tn"]]
    if not part.positive_first:
        labels, cells = labels[::-1], [row[::-1] for row in cells[::-1]]
    head = joined(
        element("th", "truth ↓ predicted →", scope="col", class_="corner"),
        *(element("th", element("span", given(label), title=label), scope="col", class_="n") for label in labels),
    )

    def cell(name: str) -> Html:
        count = getattr(at, name)
        row = at.tp + at.fn if name in {"tp", "fn"} else at.fp + at.tn
        return element(
            "td",
            element("span", name.upper(), class_="cell-name dim"),
            element("b", counted(count), data_cell=name),
            element("span", as_percent(count / row) if row else "–", data_share=name, class_="dim small block"),
            class_=f"n {'right' if name in {'tp', 'tn'} else 'wrong'}",
        )

    rows = [
        element("tr", element("th", element("span", given(label), title=label), scope="row"), *map(cell, row))
        for label, row in zip(labels, cells, strict=True)
    ]
    return table(f"Confusion matrix of {part.system} at the threshold", head, rows, "two-by-two")


def _measures(part: SystemThresholds) -> Html:
    head = heads("measure", "value")
    rows = [
        element(
            "tr",
            element("th", name, element("span", formula, class_="way"), scope="row"),
            element("td", number(value), class_="n", data_measure=name),
        )
        for (name, formula), value in zip(FORMULAS.items(), part.values, strict=True)
    ]
    return table(f"Measures of {part.system} at the threshold", head, rows, "plain at-values")


def _counts(part: SystemThresholds) -> str:
    said = (
        f"An item is predicted {part.positive} if its score is at least the threshold. Grey and dashed: a classifier "
        "that guesses. The slider goes through "
    )
    if len(part.rows) < part.every:
        return f"{said}{len(part.rows):,} of {part.every:,} thresholds, spread evenly along the ROC curve."
    return f"{said}all {part.every:,} thresholds that make a difference."


def _rules(part: SystemThresholds) -> Html:
    """What the rules choose, in numbers."""
    if not part.rules:
        return Html("")
    shown = ("Precision", "Recall", "Specificity", "Accuracy", "F1", "MCC")
    names = list(FORMULAS)
    head = heads("rule", "threshold", "TP", "FP", "FN", "TN", *shown)
    rows = [
        element(
            "tr",
            element("th", rule.name, element("span", rule.says, class_="way"), scope="row"),
            element("td", threshold(rule.at), class_="n"),
            *(element("td", counted(count), class_="n") for count in rule.at.cells),
            *(element("td", number(rule.values[names.index(name)]), class_="n") for name in shown),
        )
        for rule in part.rules
    ]
    said = (
        "Thresholds chosen on these items look better on them than they are on others: judge the one you choose on "
        "items that had no part in the choice."
    )
    return joined(
        element("h4", "What rules choose", class_="rules-title"),
        table(f"Thresholds chosen for {part.system}", head, rows),
        element("p", said, class_="dim small"),
    )


def _listed(part: SystemThresholds) -> Html:
    """Some of the thresholds as a table."""
    step = max(1, math.ceil((len(part.rows) - 1) / (MOST_LISTED - 1)))
    kept = sorted({*range(0, len(part.rows), step), part.start, len(part.rows) - 1})
    rows = [
        element(
            "tr",
            element("th", threshold(row), scope="row"),
            *(element("td", counted(count), class_="n") for count in row.cells),
            *(
                element("td", number(value), class_="n")
                for value in (share_of(row.tp, row.fn), share_of(row.fp, row.tn), share_of(row.tp, row.fp))
            ),
        )
        for row in (part.rows[place] for place in kept)
    ]
    head = heads("threshold", "TP", "FP", "FN", "TN", "TPR", "FPR", "precision")
    return element(
        "details",
        element("summary", f"{len(kept):,} of the thresholds as a table"),
        table(f"Thresholds of {part.system}", head, rows),
        class_="numbers",
    )


def _data(part: SystemThresholds) -> Html:
    """The four cells at every threshold, for the script; numbers and what is made of them, nothing from outside."""
    edges = part.histogram.edges
    told = {
        "says": [threshold(row) for row in part.rows],
        "place": [
            round(Axis(edges[0], edges[-1]).at(min(row.threshold, edges[-1])), 6) for row in part.rows
        ],
        "tp": [row.tp for row in part.rows],
        "fp": [row.fp for row in part.rows],
        "fn": [row.fn for row in part.rows],
        "tn": [row.tn for row in part.rows],
        "start": part.start,
    }  # fmt: skip
    return element("script", Html(json.dumps(told, separators=(",", ":"))), type="application/json", class_="data")
