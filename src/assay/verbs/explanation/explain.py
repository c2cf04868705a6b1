"""`explain`: by what a number came about, of data or of grades that somebody types in."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeVar, Unpack

from assay.core import registry
from assay.core.domains import Whole
from assay.core.errors import ParameterError, argument_name, number_of, refuse_unknown
from assay.core.options import ExplanationRules
from assay.files.sources import Source
from assay.measures import parse_measure
from assay.measures.counting.confusion import Confusion
from assay.measures.counting.confusion_matrix import Orientation
from assay.measures.counting.ranking import policies
from assay.measures.counting.ranks import Ranks
from assay.measures.registry import Measure
from assay.measures.vocabularies import by_alias
from assay.verbs.explanation.numbers import View
from assay.verbs.explanation.result import Explanation, Place
from assay.verbs.subject import Subject, name_of

Grades = Sequence[float | None]

Given = TypeVar("Given")


def ranks_of(
    *lists: Grades,
    relevant: int | Sequence[int] | None = None,
    exist: Mapping[float, int] | Sequence[Mapping[float, int]] | None = None,
    collection_size: int | None = None,
    level: float = 1.0,
    names: Sequence[str] = (),
) -> Ranks:
    """Count lists of grades by rank, None for a document that was not judged; each list is a query.

    `relevant`: how many relevant documents there are in all (those not in the list have grade 1, or the level if that
    is higher); `exist`: how many documents of each grade there are; for all lists, or one for each. Unless one of them
    is given, a list holds all that were judged. `collection_size`: all documents there are. `names`: what the queries
    are called.

    >>> ranks_of([1, 0, 0, 1], relevant=8).relevant()
    array([8])
    >>> ranks_of([0, 2, 3], exist={3: 5, 2: 10}).ideal.grade[:6]
    array([3., 3., 3., 3., 3., 2.])
    """
    if relevant is not None and exist is not None:
        raise ParameterError("say how many documents are relevant, or how many of each grade exist, not both")
    if not lists:
        raise ParameterError("there is no list of grades")
    grades = [_grades(grades_of_list) for grades_of_list in lists]
    totals, tables = _one_each(relevant, len(lists), "relevant"), _one_each(exist, len(lists), "exist")
    rest = [_missed(graded, total, table, level) for graded, total, table in zip(grades, totals, tables, strict=True)]
    ranks = Ranks.from_grades(*grades, judged=rest, level=level)
    if names:
        if len(names) != len(lists) or len(set(names)) < len(names):
            raise ParameterError(f"each list has a name of its own, not {', '.join(map(str, names))}")
        ranks = replace(ranks, queries=tuple(names))
    chosen = policies(ranks.policies, collection_size=collection_size)
    needed = max(len(graded) + len(others) for graded, others in zip(grades, rest, strict=True))
    if chosen.collection_size is not None and chosen.collection_size < needed:
        size = f"{argument_name('collection_size')} is {chosen.collection_size}"
        raise ParameterError(f"{size}, but a query has {needed} documents")
    return replace(ranks, policies=chosen)


def _grades(values: Grades) -> list[float | None]:
    if isinstance(values, str | Mapping) or not isinstance(values, Iterable):
        raise ParameterError(
            f"a ranking is a list of grades by rank, None for a document nobody judged, not {values!r}"
        )
    return [None if grade is None else _grade(grade) for grade in values]


def _grade(value: object) -> float:
    if isinstance(value, bool | str) or not hasattr(value, "__float__") or not math.isfinite(number := float(value)):
        raise ParameterError(f"a grade is a number, not {value!r}")
    return number


def _one_each(values: Given | Sequence[Given] | None, number: int, name: str) -> list[Given | None]:
    """One for each list: as given, or the same for all."""
    if isinstance(values, Sequence):
        if len(values) not in {1, number}:
            raise ParameterError(
                f"{name} is given {len(values)} times for {number} lists: once for all, or once for each"
            )
        return [*values] if len(values) == number else [values[0]] * number
    return [values] * number


def _missed(
    grades: Sequence[float | None], relevant: int | None, exist: Mapping[float, int] | None, level: float
) -> list[float]:
    """The grades of the documents that were judged and not retrieved."""
    known = [grade for grade in grades if grade is not None]
    rest: list[float] = []
    if relevant is not None:
        total = Whole(0).check("relevant", relevant)
        known_relevant = sum(grade >= level for grade in known)
        if total < known_relevant:
            verb = "is" if known_relevant == 1 else "are"
            raise ParameterError(
                f"{number_of('document', known_relevant)} of the list {verb} relevant, so {total} in all is too few"
            )
        rest = [max(level, 1.0)] * (total - known_relevant)
    if exist is not None and not isinstance(exist, Mapping):
        raise ParameterError(f"exist is a table of grades and how many documents have them, not {exist!r}")
    for key, count in (exist or {}).items():
        grade = _grade(key)
        total = Whole(0).check("exist", count)
        listed = Counter(known)[grade]
        if total < listed:
            holds = number_of("document", listed)
            raise ParameterError(f"the list holds {holds} of grade {grade:g}, so that {total} exist is too few")
        rest += [grade] * (total - listed)
    return rest


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
    subject: Subject = registry.subject(_name_of(measure, given, run))
    if not {*rules} <= {*subject.rules, "seed"}:  # who explains a ranking need not wait for what classifies
        _check(rules)
    return subject.explain(measure, [given] if run is None else [given, run], place, view, dict(rules))


def _name_of(measure: str | Measure, value: Any, run: Any) -> str:
    """The subject of what was given; two orders have measures of their own, and for decisions the measure tells it."""
    if isinstance(measure, Measure):
        is_of_orders = measure.definition.vocabulary == "order"
    else:
        is_of_orders = by_alias(str(measure).partition("(")[0].strip(), "order") is not None
    if is_of_orders:
        return registry.subject_of_vocabulary("order")
    if run is not None:
        return registry.TOGETHER
    if isinstance(value, Confusion):
        of_classes = value.unit_kind != "query" or is_of_classes(measure)
        return registry.subject_of_vocabulary("binary") if of_classes else registry.TOGETHER
    if vocabularies := getattr(value, "vocabularies", ()):
        return registry.subject_of_vocabulary(vocabularies[0])
    # A file alone holds no judgments with a run.
    alone = registry.EXAMINED if isinstance(value, str | os.PathLike | Source) else registry.TOGETHER
    return name_of(value) or alone


def is_of_classes(measure: str | Measure) -> bool:
    """True if only classifiers have a measure of right and wrong decisions by this name, and retrieved sets have none.

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
    every = registry.subjects()
    refuse_unknown(rules, explain, *(each.rules for each in every), *(registry.load(each.verb) for each in every))
