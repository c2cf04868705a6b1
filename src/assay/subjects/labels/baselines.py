"""Classifiers that look at no item, as baselines: always the commonest label, and labels drawn at random."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
import polars as pl

from assay.core.evaluation_options import Undefined
from assay.measures.counting.confusion_matrix import ConfusionMatrix, LabelSets
from assay.measures.counting.probabilities import Probabilities
from assay.measures.counting.scored import Scored
from assay.measures.matrices import overall
from assay.measures.registry import Measure
from assay.measures.undefined import lenient
from assay.subjects.labels.measurement import LABEL_COUNTS, averages, is_per_item, mean_of, of_label_sets

_NOISE = 1e-9


class NoSkillBaseline(NamedTuple):
    """A classifier that looks at no item: what it does, and its numbers (NaN where it has none).

    `majority` always predicts the commonest label, with the shares of the labels as scores; `chance` draws labels at
    random, each as often as it is true.
    """

    kind: Literal["majority", "chance"]
    says: str
    values: Mapping[Measure, float]


def majority_matrix(matrix: ConfusionMatrix) -> ConfusionMatrix:
    """The commonest label, the first of several, predicted for all items.

    >>> majority_matrix(ConfusionMatrix.from_matrix([[5, 1], [2, 2]])).table
    array([[6, 0],
           [4, 0]])
    """
    support = matrix.table.sum(axis=1)
    tables = np.zeros_like(matrix.tables)
    tables[0, :, int(np.argmax(support))] = support
    return replace(matrix, tables=tables)


def chance_matrix(matrix: ConfusionMatrix) -> ConfusionMatrix:
    """The mean matrix of labels drawn at random, each as often as it is true.

    >>> chance_matrix(ConfusionMatrix.from_matrix([[6, 2], [2, 0]])).table
    array([[6.4, 1.6],
           [1.6, 0.4]])
    """
    support = matrix.table.sum(axis=1).astype(np.float64)
    return replace(matrix, tables=(np.outer(support, support) / support.sum())[None])


def baselines_of(
    counts: Mapping[type, Any], measures: Sequence[Measure], undefined: Undefined = "counted_as"
) -> tuple[NoSkillBaseline, ...]:
    """Both baselines, by the same measures; random labels have no scores."""
    undefined = lenient(undefined)
    if LabelSets in counts:
        return _of_sets(counts[LabelSets], measures, undefined)
    of_labels = [measure for measure in measures if measure.definition.counts in LABEL_COUNTS]
    always = "always the same"
    blind = dict[Measure, float]()
    random = dict[Measure, float]()
    if ConfusionMatrix in counts:
        matrix: ConfusionMatrix = counts[ConfusionMatrix]
        always = f"always {matrix.labels[int(np.argmax(matrix.table.sum(axis=1)))]}"
        blindly, randomly = majority_matrix(matrix), chance_matrix(matrix)
        blind = {measure: float(overall(measure, blindly, undefined).values[0]) for measure in of_labels}
        random = {measure: _exact(float(overall(measure, randomly, undefined).values[0])) for measure in of_labels}
    blind |= {measure: _of_shares(measure, counts) for measure in measures if measure not in blind}
    random |= {measure: math.nan for measure in measures if measure not in random}
    return (NoSkillBaseline("majority", always, blind), NoSkillBaseline("chance", "chance", random))


def _exact(value: float) -> float:
    """Numbers that chance leaves at nothing, such as MCC, without the noise of a difference of large numbers."""
    return 0.0 if abs(value) < _NOISE else value


def _of_shares(measure: Measure, counts: Mapping[type, Any]) -> float:
    """A measure of scores where all items have the same ones: the shares of the labels."""
    if measure.definition.counts is Scored:
        scored: Scored = counts[Scored]
        alike: Any = replace(scored, positive=np.zeros(len(scored.positive)), negative=np.zeros(len(scored.negative)))
    else:
        probabilities: Probabilities = counts[Probabilities]
        share = np.bincount(probabilities.truth, weights=probabilities.weight, minlength=len(probabilities.labels))
        alike = replace(probabilities, scores=np.tile(share / share.sum(), (len(probabilities.truth), 1)))
    return mean_of(measure, measure.per_unit(alike), {measure.definition.counts: alike})


def _of_sets(sets: LabelSets, measures: Sequence[Measure], undefined: Undefined) -> tuple[NoSkillBaseline, ...]:
    """Labels that more than half of the items have, for every item; and each label as often as it is true."""
    classes = sets.per_label()
    tn = 0 * classes.tp if classes.tn is None else classes.tn
    true = classes.tp + classes.fn
    total = classes.tp + classes.fp + classes.fn + tn
    common = [label for label, items, of in zip(sets.labels, true, total, strict=True) if items > of / 2]
    alike = pl.Series("prediction", [common], dtype=pl.List(pl.String)).new_from_index(0, len(sets.truth))
    always = replace(sets, prediction=alike)
    blind = {
        measure: mean_of(measure, of_label_sets(measure, always, undefined), {LabelSets: always}, undefined)
        for measure in measures
    }
    false = total - true
    chance_cells = (np.stack([true**2, false * true, true * false, false**2], axis=-1) / total[:, None])[None]
    random = {
        measure: math.nan if is_per_item(measure) else float(averages(measure, chance_cells, undefined)[0])
        for measure in measures
    }
    name = f"always {' and '.join(common)}" if common else "no label"
    return (NoSkillBaseline("majority", name, blind), NoSkillBaseline("chance", "chance", random))
