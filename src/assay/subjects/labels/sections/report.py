"""Reports on classifiers: how they are compared, their sections and notes, and where the numbers come from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Self

from assay.core.errors import InputError, ParameterError
from assay.core.notes import Note
from assay.show.model import Section
from assay.subjects.labels.evaluation import classify
from assay.subjects.labels.pairing import Classifiers
from assay.subjects.labels.result import Classification
from assay.subjects.labels.sections.methods import of_classifiers, thresholds_of
from assay.subjects.labels.sections.parts import Evidence, sections
from assay.subjects.labels.sections.scores import MOST_THRESHOLDS
from assay.subjects.labels.sections.words import lead_of, worth_of
from assay.verbs.comparison import Comparison, compare
from assay.verbs.report.items import further_advice, summary
from assay.verbs.report.subject import Request
from assay.verbs.sections.bibliography import Citations

#: Of more labels than these, a resample is a large matrix: as few are drawn as for the intervals.
MANY_LABELS = 12


class ReportedClassifiers(Evidence):
    """Classifiers, by the items whose labels are known.

    >>> from assay import Predictions, make_report
    >>> report = make_report(Predictions.of([1, 1, 0, 0], [1, 0, 0, 0]))
    >>> report.table("matrix").row(1)  # one item of 1 taken for 0
    ('1', 1.0, 1.0, 2.0)
    """

    eyebrow = "Classifier report"
    details = "matrices, curves and classes"
    verb = staticmethod(classify)
    result_type = Classification
    subject = "labels"

    @classmethod
    def of(cls, request: Request) -> Self:
        """The same; intervals are at the level that is asked for comparisons, where there is no other."""
        alpha = (request.rules.get("comparison") or {}).get("alpha")
        if alpha is not None and not isinstance(request.source, Classification):
            request.rules.setdefault("confidence", round(1 - alpha, 12))
        return super().of(request)

    @staticmethod
    def taken_from(classifiers: Classifiers) -> tuple[list[Any], dict[str, Any]]:
        """The predictions that were compared, and the rules by which labels were read off scores."""
        thresholds = set(classifiers.thresholds)
        threshold = thresholds.pop() if len(thresholds) == 1 else None
        return list(classifiers.predictions), {"pos_label": classifiers.positive, "threshold": threshold}

    def compared(self, asked: dict[str, Any], comparison: Comparison | None) -> Self:
        """The same with the classifiers held against the baseline, by the measures that allow for it."""
        result, notes = self.result, list(self.notes)
        if len(result.labels) > MANY_LABELS:
            asked.setdefault("bootstrap_resamples", result.resamples)
        try:
            paired = Classifiers.of(result)
        except (InputError, ParameterError) as problem:
            return replace(self, notes=(*notes, f"the classifiers are not compared: {problem}"))
        known, wanted = list(map(str, result.measures)), list[str]()
        # By what classifiers are usually compared, where it is among the measures computed; else by all of them.
        for name in [name for name in (*paired.usual_measures, "AUC") if name in known] or known:
            try:
                paired.sample(name)
            except (InputError, ParameterError) as problem:
                notes.append(Note.on(name, f"not compared: {problem}"))
            else:
                wanted.append(name)
        if wanted and comparison is None:
            comparison = compare(result, measures=wanted, baseline=self.baseline, **asked)
        if wanted and comparison is not None:
            notes += [*comparison.notes, *(paired.why_not_accuracy() if wanted[0] == paired.headline else ())]
        return replace(self, comparison=comparison if wanted else None, paired=paired, notes=tuple(notes))

    def sections(self) -> Iterator[Section | str]:
        """All that has something to show, and what could not be shown."""
        result = self.result
        positive = str(result.positive) if result.task == "binary" else None
        task = {"task": result.task, "positive": positive, "labels": list(self.names)}
        yield summary(self, lead_of(self), worth_of(self), data=task)
        measures, *others = sections(self)
        yield measures
        yield from further_advice(result)
        yield from others
        yield from self.too_many()
        if result.task == "multilabel":
            yield "items with several labels have no confusion matrix: the classes are in the table"
        predictions = [system.predictions for system in result.systems]
        if None in predictions:
            yield "a matrix holds no items: none are listed behind its cells, and there is no curve"
        scored = map(result.scored, self.close)
        if any(each is not None and len(each.table.threshold) > MOST_THRESHOLDS for each in scored):
            yield f"of the thresholds, {MOST_THRESHOLDS} at most are in the page; `threshold_table` gives all"
        if any(each is not None and each.weight is not None for each in predictions):
            yield "items have weights: shares in the matrix have no intervals"

    def methods(self, cite: Citations) -> Iterator[str]:
        """How it was done, in sentences for a paper."""
        return of_classifiers(self.result, self.held, cite)

    def configuration(self) -> dict[str, str | None]:
        """How the numbers were made, for readers."""
        result = self.result
        return {
            "task": result.task,
            "positive": str(result.positive) if result.task == "binary" else None,
            "threshold": thresholds_of(result) or None,
            "confidence": f"{result.confidence:g}",
            "resamples": f"{result.resamples:,}",
        }
