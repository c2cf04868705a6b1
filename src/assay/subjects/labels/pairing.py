"""`Classifiers`: several systems' predictions of the same items, paired for a comparison."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
import polars as pl

from assay.core.digits import as_percents
from assay.core.errors import InputError, Note, ParameterError, argument, listed, number_of
from assay.core.evaluation_options import MissingItems, Undefined
from assay.measures.counting.confusion import Confusion
from assay.measures.counting.confusion_matrix import ConfusionMatrix, LabelSets
from assay.measures.counting.judgments import Floats
from assay.measures.counting.label_pairs import codes, column
from assay.measures.counting.probabilities import Probabilities
from assay.measures.counting.scored import Scored
from assay.measures.registry import Measure
from assay.measures.steps import quantity as counted
from assay.measures.undefined import Gaps, as_counted, lenient, policy_of, refuse_idle_policy
from assay.measures.vocabularies import Vocabulary
from assay.stats.label_samples import LabelSample
from assay.stats.mean_samples import MeanSample
from assay.stats.pairing import ItemPairing, Wanted
from assay.stats.samples import UNDEFINED, Drawing, Sample
from assay.stats.score_samples import ScoreSample
from assay.stats.weighted_samples import PooledSample
from assay.subjects.labels.inputs import all_labels, opened, prepare, same_task
from assay.subjects.labels.measurement import (
    LABEL_COUNTS,
    LEADING,
    SPARE,
    bounds_of,
    computed,
    counts_of,
    gaps_of,
    imbalance_of,
    is_per_item,
    measure_of,
)
from assay.subjects.labels.result import Classification, ClassifiedSystem, label_signature, no_predictions
from assay.tables import Predictions
from assay.tables.alignment import aligned, of_some_weight

if TYPE_CHECKING:
    from assay.verbs.comparison.findings import Finding

#: What classifiers are compared by unless told otherwise; AUC as well where all have scores of the positive label. The
#: first one is the headline; where one label has most items, another is: see `Classifiers.headline`.
DEFAULT_MEASURES = ("Accuracy", "F", "MCC")
#: The same for items with several labels each.
_OF_LABEL_SETS = ("ExactMatch", "F(average='samples')", "F(average='micro')")


def _stated(predictions: Any) -> Undefined | None:
    """The policy of the classifications that were given, if it is one."""
    parts = list(predictions.values()) if isinstance(predictions, Mapping) else predictions
    several = parts if isinstance(parts, list | tuple) else [parts]
    policies = {each.undefined for each in several if isinstance(each, Classification)}
    return policies.pop() if len(policies) == 1 else None


class Flips(NamedTuple):
    """Items that two systems predict differently: `fixed` only the second has right, `broken` only the first.

    `changed`: both are wrong, each in its own way.
    """

    items: int
    fixed: int
    broken: int
    changed: int


def of_flips(flips: Flips, baseline: str, system: str) -> str:
    """A sentence on the items that one classifier has right and the other wrong.

    >>> of_flips(Flips(items=200, fixed=14, broken=5, changed=0), "old", "new")
    'Of 200 items, new fixed 14 that old has wrong, and broke 5 that old has right.'
    """
    items = number_of("item", flips.items)
    if not (flips.fixed or flips.broken or flips.changed):
        return f"{system} and {baseline} predict the same for all of {items}."
    fixed = f"{system} fixed {flips.fixed:,} that {baseline} has wrong"
    changed = f"; {flips.changed:,} went from one mistake to another" if flips.changed else ""
    return f"Of {items}, {fixed}, and broke {flips.broken:,} that {baseline} has right{changed}."


@dataclass(frozen=True, eq=False)
class Classifiers(ItemPairing):
    """Systems' predictions of the same items, in the same order.

    >>> old = Predictions.of([0, 1, 1], [0, 0, 0], item_id=["a", "b", "c"], name="old")
    >>> new = Predictions.of([1, 1, 0], [1, 1, 0], item_id=["c", "b", "a"], name="new")
    >>> both = Classifiers.of([old, new])
    >>> both.sample("Recall").observed
    array([0., 1.])
    >>> both.flips("old", "new")
    Flips(items=3, fixed=2, broken=0, changed=0)
    """

    subject: ClassVar[str] = "labels"

    predictions: tuple[Predictions, ...]
    task: str
    labels: tuple[Any, ...]
    positive: Any = None
    #: From which score on each system predicts positive here; None if its predictions were given.
    thresholds: tuple[float | None, ...] = ()
    #: What was decided for lack of being said, and what is odd.
    notes: tuple[str, ...] = ()
    #: How many items each system had before those were left out that others lack.
    sizes: tuple[int, ...] = ()
    #: What averages over classes and items do with those that have no number.
    undefined: Undefined = "counted_as"

    holds: ClassVar[str] = "predictions"
    gate_test: ClassVar[str] = "test"
    to_have_more: ClassVar[str] = "Label"

    @classmethod
    def of(
        cls,
        predictions: Any,
        *,
        pos_label: Any = None,
        threshold: float | None = None,
        missing: MissingItems = "error",
        undefined: Undefined | float | None = None,
    ) -> Classifiers:
        """Take a `Classification`; or `Predictions`, a path of a file of them, a list of such, or a dict of names.

        `missing`: an item that a system lacks is an error, or is left out and counted (`drop`). `threshold`: predict
        positive from this score on; unless given it is 0.5 where there are no predictions, and scores from 0 to 1.
        `undefined`: what averages do with classes and items that have no number, as in `classify`; unless given, as a
        `Classification` has it.
        """
        tables = opened(predictions, pos_label)
        prepared = [
            prepare(table.name, table, None, None, threshold, scores_alone=True)
            for table in of_some_weight(aligned(tables, missing=missing))
        ]
        task, labels = same_task(prepared), all_labels(prepared)
        systems: list[Any] = [system.given for system in prepared]
        notes = [text for system in prepared for text in (*system.notes, *system.warnings)]
        return cls(
            tuple(systems),
            task,
            labels,
            prepared[0].positive,
            tuple(system.threshold for system in prepared),
            tuple(dict.fromkeys(notes)),
            tuple(len(table) if table.weight is None else int((table.weight > 0).sum()) for table in tables),
            policy_of(_stated(predictions) if undefined is None else undefined),
        )

    def refuse_idle(self, measures: Wanted, rules: Mapping[str, Any]) -> None:
        """Refuse rules that none of the measures has any use for."""
        wanted = [self.measure(name) for name in self.measure_names(measures)]
        if rules.get("undefined") is not None:
            refuse_idle_policy(wanted, self.undefined)
        threshold = rules.get("threshold")
        if threshold is not None and not any(measure.definition.counts in LABEL_COUNTS for measure in wanted):
            names = listed([str(measure) for measure in wanted])
            raise ParameterError(
                f"{argument('threshold', threshold)} has no effect on {names}: scores count as they are"
            )

    @property
    def names(self) -> tuple[str, ...]:
        """The systems, in the order in which they were given."""
        return tuple(table.name for table in self.predictions)

    @property
    def systems(self) -> tuple[ClassifiedSystem, ...]:
        """The systems as a `Classification` has them, without numbers of their own."""
        return tuple(
            ClassifiedSystem(table.name, table, {}, {}, at)
            for table, at in zip(self.predictions, self.thresholds, strict=True)
        )

    def signature(self, measure: str | Measure) -> str:
        """Everything that a number depends on, in one line.

        >>> both = Classifiers.of([Predictions.of([0, 1], [0, 1], name=name) for name in ("a", "b")])
        >>> both.signature("Recall")
        'Recall|average=binary|positive=1|undefined=skip|v1'
        """
        return label_signature(self.measure(measure), self, *self.systems)

    @property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary in which measures are looked up."""
        return "binary" if self.task == "binary" else "multiclass"

    @cached_property
    def items(self) -> tuple[str, ...]:
        """The ids of the items."""
        return tuple(self.predictions[0].item_id.to_list())

    def measure(self, name: str | Measure) -> Measure:
        """A measure by name."""
        return measure_of(name, self.task)

    def usual(self) -> tuple[str, ...]:
        """The measures that classifiers are compared by."""
        scored = self.task == "binary" and all(table.score is not None for table in self.predictions)
        labelled = all(table.prediction is not None for table in self.predictions)
        return (*(self.usual_measures if labelled or not scored else ()), *(("AUC",) if scored else ()))

    @cached_property
    def imbalance(self) -> tuple[str, float] | None:
        """The label that most items have and its share, if accuracy misleads for that."""
        return imbalance_of(self.predictions[0])

    @cached_property
    def headline(self) -> str:
        """The measure that comes first unless others are asked for: one that means something for these labels."""
        if self.imbalance is None or any(table.prediction is None for table in self.predictions):
            return DEFAULT_MEASURES[0]
        truth, predicted = self._codes
        one_label = [bool((labels == labels[0]).all()) for labels in (truth, *predicted.T)]
        return SPARE if any(one_label) else LEADING

    @property
    def usual_measures(self) -> tuple[str, ...]:
        """The measures that are compared unless told otherwise, the headline first; without scores."""
        if self.task == "multilabel":
            return _OF_LABEL_SETS
        first, *others = DEFAULT_MEASURES
        return tuple(dict.fromkeys([self.headline, *(others if self.headline != first else ()), *DEFAULT_MEASURES]))

    def why_not_accuracy(self, instead: str = "is the headline") -> list[str]:
        """The reason why accuracy is not the headline, where it is not: the score of a guess, and of the systems."""
        if self.imbalance is None or self.headline == DEFAULT_MEASURES[0]:
            return []
        label, share = self.imbalance
        truth, predicted = self._codes
        right = np.average(predicted == truth[:, None], axis=0, weights=self._weight)
        guess, *shares = as_percents([share, *right.tolist()])
        each = listed([f"{name} {value}" for name, value in zip(self.names, shares, strict=True)])
        return [
            f"{guess} of the items are {label}, so accuracy misleads: always predicting {label} would be right that "
            f"often ({each}); {self.headline} {instead}"
        ]

    def undirected(self, measure: str | Measure) -> Sample:
        """The systems under one measure, item by item."""
        wanted = self.measure(measure)
        kind = wanted.definition.counts
        if self.task == "multilabel":
            return self._of_label_sets(wanted)
        if kind in {Confusion, ConfusionMatrix}:
            return self._named(wanted, self._labels(wanted))
        if kind is Scored:
            return self._named(wanted, self._scores(wanted))
        if kind is Probabilities:
            return self._of_items(wanted)
        raise ParameterError(f"{wanted} is computed from {kind.__name__}: it is not compared between classifiers")

    def remarks(self, measures: Sequence[str], *, usual: bool, instead: str = "is the headline") -> list[str]:
        """Remarks on the predictions, on what measures leave out, and on why accuracy is not the usual one."""
        return [*self.notes, *self.notes_on(measures), *(self.why_not_accuracy(instead) if usual else ())]

    def between(self, findings: Sequence[Finding], drawing: Drawing) -> tuple[list[Finding], list[str]]:
        """The findings with how many items the one classifier has right that the other has wrong."""
        del drawing
        flips = {pair: self.flips(*pair) for pair in {(finding.baseline, finding.system) for finding in findings}}
        return [finding._replace(flips=flips[finding.baseline, finding.system]) for finding in findings], []

    def further_sentences(self, finding: Finding, *, alone: bool) -> Iterator[str]:
        """Numbers of items that were set right, and broken."""
        if finding.flips is not None:
            yield of_flips(finding.flips, finding.baseline, finding.system)

    def notes_on(self, measures: Iterable[str | Measure]) -> list[str]:
        """Notes on the classes, or items, that the averages of each system count as something, or leave out."""
        notes: list[str] = []
        for measure in map(self.measure, measures):
            if measure.definition.counts not in LABEL_COUNTS:
                continue
            each = {name: self._gaps(measure, place) for place, name in enumerate(self.names)}
            first = next(iter(each.values()))
            if all(gaps == first for gaps in each.values()):
                notes += first.in_words(str(measure))
                continue
            notes += [note for name, gaps in each.items() for note in gaps.in_words(str(measure), f" of {name}")]
        return [Note(note, kind=UNDEFINED) for note in notes]

    def _gaps(self, measure: Measure, place: int) -> Gaps:
        """The classes, or items, in which a measure of a system is undefined."""
        counts = counts_of(self.predictions[place], self.labels, self.positive)
        result = computed(measure, counts, self.names[place], self.undefined)
        return gaps_of(measure, result, counts, self.undefined)

    def _named(self, measure: Measure, sample: Sample, units: tuple[str, ...] | None = None) -> Sample:
        held = self.items if units is None else units
        return replace(
            sample,
            systems=self.names,
            units=held,
            measure=str(measure),
            unit_kind="item",
            bounds=bounds_of(measure, two_labels=self.task == "binary"),
            direction=measure.definition.direction,
            left_out=len(self.items) - len(held),
        )

    def _labels(self, measure: Measure) -> LabelSample:
        """The data of label measures."""
        truth, predicted = self._codes
        place = None if self.positive is None else self.labels.index(self.positive)
        sample = LabelSample.of_items(
            measure,
            self.labels,
            truth,
            predicted,
            weight=self._weight,
            positive=place,
            undefined=lenient(self.undefined),
            systems=tuple(table.name for table in self.predictions),
        )
        if self.undefined == "error":
            for name, reason in zip(self.names, sample.undefined(), strict=True):
                if reason is not None:
                    raise InputError(f"{measure} of {name} is undefined: {reason}")
        return sample

    @cached_property
    def _codes(self) -> tuple[Any, Any]:
        """True labels, and predicted ones with a column a system, as places among the labels."""
        for table in self.predictions:
            if table.prediction is None:
                raise no_predictions(table.name)
        predicted = [table.prediction for table in self.predictions if table.prediction is not None]
        if self.task == "multilabel":  # a set of labels is right as a whole, or wrong
            sets = pl.concat([column.list.unique().list.sort() for column in (self.predictions[0].truth, *predicted)])
            ranked = sets.list.join("\x1f").rank("dense").to_numpy()
            whole = ranked.astype(np.int64).reshape(1 + len(predicted), -1)
            return whole[0], whole[1:].T
        columns = [codes(column(labels, "labels"), self.labels) for labels in (self.predictions[0].truth, *predicted)]
        return columns[0], np.column_stack(columns[1:])

    @cached_property
    def _weight(self) -> Floats | None:
        weight = self.predictions[0].weight
        return None if weight is None else weight.to_numpy().astype(np.float64)

    def _scores(self, measure: Measure) -> ScoreSample:
        """The data of measures of scores."""
        if self.task != "binary":
            raise ParameterError(f"{measure} is about two labels, and here are more: take one class against all others")
        for table in self.predictions:
            if table.score is None:
                raise ParameterError(f"{measure} takes a score of the positive label, and {table.name} has none")
        truth = (self.predictions[0].truth == self.positive).to_numpy()
        scores = tuple(
            table.score.to_numpy().astype(np.float64) for table in self.predictions if table.score is not None
        )
        return ScoreSample(measure, truth, scores, self._weight)

    def _of_items(self, measure: Measure) -> Sample:
        """A measure of probabilities: it has a number for each item, whose mean is compared."""
        results = [measure.per_unit(Probabilities.from_predictions(table)) for table in self.predictions]
        if any(len(result.values) != len(self.items) for result in results):
            raise ParameterError(f"{measure} is one number for all items together: there is no test for it")
        return self._averaged(measure, np.column_stack([result.values for result in results]))

    def _of_label_sets(self, measure: Measure) -> Sample:
        """A measure of items with several labels each: of items, or of decisions summed over items."""
        if measure.definition.counts is not Confusion:
            raise ParameterError(f"{measure} is not a measure of items with several labels each")
        of_items = is_per_item(measure)
        sets = [LabelSets.from_predictions(replace(table, labels=self.labels)) for table in self.predictions]
        results = [measure.per_unit(counts.per_item(absent=of_items)) for counts in sets]
        if of_items:
            pairs = zip(sets, results, strict=True)
            taken = [as_counted(measure, each.per_item(), result, self.undefined) for each, result in pairs]
            return self._averaged(measure, np.column_stack(taken))
        if not measure.is_micro:
            raise ParameterError(
                f"{measure} is an average over labels, which is not compared: use average='micro' or 'samples'"
            )
        if self._weight is not None:
            raise ParameterError(f"{measure}: decisions about items with weights are not compared")
        return self._named(measure, PooledSample(tuple(results)))

    def _averaged(self, measure: Measure, numbers: Floats) -> Sample:
        """One number an item (row) and system (column); the mean is compared, by weight if items have weights.

        Each system's mean is over the items that it has a number for, as it is where a system is measured alone.
        """
        items = np.array(self.items, dtype=object)
        keep = np.flatnonzero(~np.isnan(numbers).all(axis=1))
        if not len(keep):
            raise InputError(f"{measure} is undefined for every item")
        if self.predictions[0].has_ids:  # what is drawn at random must not depend on the order of a file
            keep = keep[np.argsort(items[keep], kind="stable")]
        units, numbers = tuple(items[keep].tolist()), numbers[keep]
        known = ~np.isnan(numbers)
        if self._weight is None and known.all():
            return self._named(measure, MeanSample(numbers), units)
        weights = known * (1.0 if self._weight is None else self._weight[keep, None])
        formulas = (
            counted("value", weight * np.where(weight > 0, numbers_of_system, 0.0)) / counted("weight", weight)
            for weight, numbers_of_system in zip(weights.T, numbers.T, strict=True)
        )
        sample = self._named(measure, PooledSample(tuple(formulas)), units)
        return replace(sample, of_one_only=int(np.count_nonzero(~known.all(axis=1))))

    def check_flips(self) -> None:
        """Predictions flip."""

    def flips(self, first: str, second: str) -> Flips | None:
        """Numbers of items by which of the two systems is right; None without labels."""
        if any(table.prediction is None for table in self.predictions):
            return None
        truth, predicted = self._codes
        left, other = (predicted[:, self.names.index(name)] for name in (first, second))
        fixed = (left != truth) & (other == truth)
        broken = (left == truth) & (other != truth)
        changed = (left != other) & (left != truth) & (other != truth)
        return Flips(len(truth), *(int(np.count_nonzero(mask)) for mask in (fixed, broken, changed)))

    def flipped(self, first: str, second: str) -> pl.DataFrame:
        """The items that two systems predict differently: fixed, broken, and changed from one mistake to another."""
        truth, predicted = self._codes
        left, other = (predicted[:, self.names.index(name)] for name in (first, second))
        rows = np.flatnonzero(left != other)
        change = np.where(other[rows] == truth[rows], "fixed", np.where(left[rows] == truth[rows], "broken", "changed"))
        both: list[Any] = [self.predictions[self.names.index(name)] for name in (first, second)]
        columns = {"item_id": both[0].item_id[rows], "truth": both[0].truth[rows]}
        columns |= {f"prediction_{table.name}": table.prediction[rows] for table in both}
        frame = pl.DataFrame(columns | {"change": change})
        return frame.sort(pl.col("change").cast(pl.Enum(["fixed", "broken", "changed"])), maintain_order=True)
