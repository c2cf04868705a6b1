"""`explain`: take a number apart, whatever it is a number of."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any, Unpack

from assay.core import registry
from assay.core.domains import Whole
from assay.core.errors import ParameterError, refuse_unknown
from assay.core.options import ExplanationRules
from assay.files.sources import Source
from assay.measures import parse_measure
from assay.measures.counting.confusion import Confusion
from assay.measures.counting.confusion_matrix import ConfusionMatrix, Orientation
from assay.measures.counting.points import Points
from assay.measures.counting.scored import Scored
from assay.measures.registry import Measure
from assay.verbs.explanation.coefficients import is_coefficient, of_two_lists
from assay.verbs.explanation.numbers import View
from assay.verbs.explanation.place import Place
from assay.verbs.explanation.result import Explanation
from assay.verbs.subject import Subject, name_of

#: Counts that somebody made by hand -> the subject that they are of.
_COUNTS = {ConfusionMatrix: "labels", Scored: "labels", Points: "clusters"}


def explain(
    measure: str | Measure,
    given: Any,
    run: Any = None,
    *,
    query: str | None = None,
    system: str | None = None,
    label: Any = None,
    item: str | None = None,
    orientation: Orientation = "rows_are_true",
    show: int | None = None,
    running: bool = False,
    **rules: Unpack[ExplanationRules],
) -> Explanation:
    """Show how a number came about: the steps, the formula with the numbers in it, the result and its signature.

    `given` is judgments, with a `run` and the rules of `evaluate` as keyword arguments; or an evaluation (`system` says
    whose number, if there are several); or counts: `Ranks` such as `Ranks.from_grades` makes, `Confusion`, or
    `GivenCurve`, the points of a precision-recall curve. `query`: which one; without it, how the numbers of all
    queries are put together. `show`: how many ranks to show; unless given, down to the measure's cut-off, or 20.
    `running`: with a column for the measure cut off at every rank. Of the rules of `evaluate`, `undefined` goes with
    counts too.

    Of a classifier, `given` is `Predictions` or a file of them, with the rules of `classify` as keyword arguments; or
    a `Classification`, a `ConfusionMatrix`, `Scored`, or `Confusion` with classes or items as units. `label`: which
    class, against the rest; `item`: which item, for measures of single items; `threshold`: from which score on
    positive is predicted; `orientation`: whether rows of a matrix are true or predicted labels; `running`: with the
    measure at every threshold.

    Of a clustering, `given` is `Clusters` or a file of them, with the rules of `cluster`; or a `Clustering`, a
    `Contingency`, or `Points`. `item`: one point's silhouette.

    Of spans, `given` is an `Extraction`. `label`: the spans of one type; `item`: those of one document.

    Of two orders of the same items (`given` and `run`: lists with the best first, or dicts of numbers), `measure` is a
    coefficient: Kendall, tau, Spearman, tau_AP, RBO(p=0.9).

    >>> explain("AP", {"q1": {"a": 1, "c": 1}}, {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}}).formula.numbers
    '(1 + 0.6667) / 2'
    >>> from assay import Predictions
    >>> explain("Precision", Predictions.of([1, 0, 1], [1, 1, 1])).formula.numbers
    '2 / 3'
    """
    place = Place(system, None if query is None else str(query), label, item, rules.pop("threshold", None), orientation)
    view = View(None if show is None else Whole(1).check("show", show), running)
    if isinstance(measure, str) and is_coefficient(measure):
        _check(rules)
        place.refuse("has no meaning for two orders", "system", "query", "label", "item", "threshold")
        for option in (*rules, *(["running"] if running else [])):
            raise ParameterError(f"{option} has no meaning for two orders")
        explanation = of_two_lists(measure, given, run)
        return explanation if view.depth is None else replace(explanation, shown=view.depth)
    subject: Subject = registry.subject("ranking" if run is not None else _name_of(measure, given))
    if not {*rules} <= {*subject.rules, "seed"}:  # who explains a ranking need not wait for what classifies
        _check(rules)
    return subject.explain(measure, [given] if run is None else [given, run], place, view, dict(rules))


def _name_of(measure: str | Measure, value: Any) -> str:
    """The subject of what was given without a run; of counts of decisions, the measure tells it too."""
    if isinstance(value, Confusion):
        return "labels" if value.unit_kind != "query" or is_of_classes(measure) else "ranking"
    counts = next((name for kind, name in _COUNTS.items() if isinstance(value, kind)), "")
    # A file alone is no ranking: whoever has judgments gives a run with them.
    return counts or name_of(value) or ("labels" if isinstance(value, str | os.PathLike | Source) else "ranking")


def is_of_classes(measure: str | Measure) -> bool:
    """Whether only classifiers have a measure of right and wrong decisions by this name, and retrieved sets have none.

    >>> is_of_classes("Precision"), is_of_classes("SetP"), is_of_classes("NPV")
    (True, False, False)
    """
    kinds: dict[str, Any] = {}
    for vocabulary in ("ranking", "binary"):
        with suppress(ParameterError):  # no such name, or parameters that it does not take
            kinds[vocabulary] = parse_measure(measure, vocabulary).definition
    of_sets, of_classes = (kinds.get(vocabulary) for vocabulary in ("ranking", "binary"))
    if of_sets is not None and of_sets.counts is Confusion and of_sets.vocabulary == "ranking":
        return False
    return of_classes is not None and of_classes.counts is Confusion


def _check(rules: Iterable[str]) -> None:
    """Refuse keyword arguments that no kind of numbers has for a rule."""
    every = [registry.subject(name) for name in registry.SUBJECTS]
    refuse_unknown(rules, explain, *(each.rules for each in every), *(registry.load(each.verb) for each in every))
