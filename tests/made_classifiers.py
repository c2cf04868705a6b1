"""Predictions made up from a seed, for tests of how a report on classifiers looks."""

from __future__ import annotations

from functools import cache

import numpy as np
import polars as pl

from assay import Predictions, Report, make_report
from assay.show.model import Section

TOPICS = ("tea", "coffee", "cocoa", "water", "milk")


def scored(
    items: int = 200, *, name: str = "words", seed: int = 0, text: str = "", sharpness: float = 4.0
) -> Predictions:
    """A binary classifier's scores; `text` stands in every label and id."""
    rng = np.random.default_rng(seed)
    truth = rng.random(items) < 0.3
    scores = np.where(truth, rng.beta(sharpness, 2, items), rng.beta(2, sharpness, items)).round(3)
    labels = np.where(truth, f"spam{text}", f"ham{text}").tolist()
    ids = [f"letter{number}{text}" for number in range(items)]
    return Predictions.of(labels, y_score=scores, pos_label=f"spam{text}", item_id=ids, name=f"{name}{text}")


def labelled(items: int = 200, *, name: str = "topics", labels: int = 5, seed: int = 0, text: str = "") -> Predictions:
    """A classifier of several labels, three quarters of whose predictions are right."""
    rng = np.random.default_rng(seed)
    known = [f"{TOPICS[number % 5]}{number // 5 or ''}{text}" for number in range(labels)]
    truth = rng.integers(labels, size=items)
    given = np.where(rng.random(items) < 0.75, truth, rng.integers(labels, size=items))
    ids = [f"letter{number}{text}" for number in range(items)]
    return Predictions.of([known[n] for n in truth], [known[n] for n in given], item_id=ids, name=f"{name}{text}")


def several_labels(items: int = 60, text: str = "") -> Predictions:
    """Items with several labels each."""
    rng = np.random.default_rng(3)
    names = [f"{topic}{text}" for topic in TOPICS]
    truth, given = (
        [[name for name, has in zip(names, row, strict=True) if has] for row in rng.random((items, 5)) < 0.4]
        for _ in range(2)
    )
    return Predictions.of(truth, given, name=f"tags{text}")


KINDS = ("binary", "a pair", "topics", "many labels", "several labels", "weights")


@cache
def made_reports(text: str = "") -> dict[str, Report]:
    """Reports on each kind of classifier; `text` stands in names, labels and ids."""
    pair = [scored(text=text), scored(name="letters", sharpness=2.5, text=text)]
    by_sign = Predictions.of([1, 1, 0, 0], [1, 0, 0, 0], sample_weight=[1.0, 0.5, 2.0, 1.0])
    given: dict[str, Predictions | list[Predictions]] = {
        "binary": pair[0],
        "a pair": pair,
        "topics": labelled(text=text),
        "many labels": labelled(600, labels=40, text=text),
        "several labels": several_labels(text=text),
        "weights": by_sign,
    }
    return {kind: make_report(given[kind], title=f"A report{text}", resamples=200) for kind in KINDS}


def inside(report: Report, name: str) -> list[Section]:
    """The parts of a section, one for each system; none if there is no such section."""
    sections = [section for section in report.document().sections if section.name == name]
    return [part for section in sections for part in section.parts if isinstance(part, Section)]


def rows(part: Section, name: str) -> pl.DataFrame:
    """The numbers of a table in a part."""
    return next(table.frame for table in part.tables() if table.name == name)


def labels_of(part: Section) -> tuple[str, ...]:
    """The labels of a confusion matrix, without its sums."""
    return tuple(rows(part, "matrix")["row"][:-1])
