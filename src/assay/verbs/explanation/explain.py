"""`explain`: take a number apart, whatever it is a number of."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from assay.core import registry
from assay.core.domains import Whole
from assay.core.errors import ParameterError, number_of, refuse_unknown
from assay.measures import parse_measure
from assay.measures.counting.confusion import Confusion
from assay.measures.counting.confusion_matrix import Orientation
from assay.measures.counting.policies import Policies, policies
from assay.measures.counting.ranks import Ranks
from assay.measures.curve_input import GivenCurve
from assay.measures.registry import Measure
from assay.subjects.clusters.explanation import is_of_clusters, of_clusters
from assay.subjects.labels.explained_matrices import Chosen, of_decisions
from assay.subjects.labels.explanation import is_of_classes, is_of_labels, of_labels
from assay.subjects.ranking.evaluation import Evaluation, evaluate
from assay.subjects.ranking.explanation import listing_of
from assay.verbs.explanation.coefficients import is_coefficient, of_two_lists
from assay.verbs.explanation.numbers import View, explained, number_of_unit, summarised, undefined_rule, units_of
from assay.verbs.explanation.result import Explanation

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
        raise ParameterError(f"collection_size is {chosen.collection_size}, but a query has {needed} documents")
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
        grade, total = _grade(key), Whole(0).check("exist", count)
        listed = Counter(known)[grade]
        if total < listed:
            holds = number_of("document", listed)
            raise ParameterError(f"the list holds {holds} of grade {grade:g}, so that {total} exist is too few")
        rest += [grade] * (total - listed)
    return rest


_OF_EVALUATION = {*Policies.__dataclass_fields__, "undefined", "compat", "judge", "subtopics", "seed", "samples"}


def explain(  # noqa: PLR0911, PLR0912  # one branch for each subject
    measure: str | Measure,
    given: Any,
    run: Any = None,
    *,
    query: str | None = None,
    system: str | None = None,
    label: Any = None,
    item: str | None = None,
    threshold: float | None = None,
    orientation: Orientation = "rows_are_true",
    show: int | None = None,
    running: bool = False,
    **rules: Any,
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
    _check(rules)
    query, chosen = None if query is None else str(query), Chosen(system, label, item, threshold, orientation)
    view = View(None if show is None else Whole(1).check("show", show), running)
    if isinstance(measure, str) and is_coefficient(measure):
        chosen.refuse("has no meaning for two orders", "system", "label", "item", "threshold")
        if rules or query is not None or running:
            option = next(iter(rules), "query" if query is not None else "running")
            raise ParameterError(f"{option} has no meaning for two orders")
        explanation = of_two_lists(measure, given, run)
        return explanation if view.depth is None else replace(explanation, shown=view.depth)
    if run is None and is_of_clusters(given):
        if query is not None:
            raise ParameterError("query is about rankings: of a clustering, choose an item")
        return of_clusters(measure, given, chosen, view, rules)
    if run is None and is_of_labels(given):
        if query is not None:
            raise ParameterError("query is about rankings: of a classifier, choose a label or an item")
        return of_labels(measure, given, chosen, view, rules)
    if run is None and isinstance(given, Confusion) and is_of_classes(measure):
        view = view._replace(undefined=undefined_rule(rules.pop("undefined", "counted_as")))
        _refuse(rules, chosen)
        return of_decisions(measure, replace(given, unit_kind="class"), Chosen(label=query), view)
    if run is None and (place := _hook(given)):
        refused = {"system": system, "threshold": threshold, "query": query, "running": running or None, **rules}
        return _of_subject(measure, given, place, chosen, view, refused=refused)
    _refuse({}, chosen._replace(system=None))
    wanted = parse_measure(measure)
    if running and "cutoff" not in wanted.parameters:
        raise ParameterError(f"{wanted} has no cut-off, so it has no value at every rank")
    if run is None and not isinstance(given, Evaluation):
        view = view._replace(undefined=undefined_rule(rules.pop("undefined", "counted_as")))
        _refuse(rules, chosen)
        return _of_counts(wanted, given, query, view)
    if run is not None:
        given = evaluate(given, run, wanted, **rules)
        if len(given.systems) > 1:
            raise ParameterError("explain takes one run: explain one after the other")
        wanted = given.measures[0]  # a profile may have changed its rounding
    elif rules:
        raise _misplaced(next(iter(rules)), "the evaluation is made already")
    return _of_evaluation(given.measure(wanted), given, query, system, view)


def _hook(given: Any) -> str:
    """Where the subject of an object explains its numbers; empty where it does not."""
    name = getattr(given, "subject", "")
    return str(getattr(registry.subject(name), "explained", "")) if name in registry.SUBJECTS else ""


def _of_subject(
    measure: str | Measure, given: Any, place: str, chosen: Chosen, view: View, *, refused: Mapping[str, Any]
) -> Explanation:
    """What the subject itself explains, by a label or a unit of its own."""
    for name in (name for name, value in refused.items() if value is not None):
        raise ParameterError(f"{name} has no meaning here: choose a label or an item")
    explanation: Explanation = registry.load(place)(measure, given, label=chosen.label, unit=chosen.item)
    return explanation if view.depth is None else replace(explanation, shown=view.depth)


def _check(rules: Mapping[str, Any]) -> None:
    """Refuse keyword arguments that no kind of numbers has for a rule."""
    if not set(rules) <= _OF_EVALUATION:  # who explains a ranking need not wait for what classifies
        from assay.subjects.clusters import cluster  # noqa: PLC0415
        from assay.subjects.labels import classify  # noqa: PLC0415

        refuse_unknown(rules, explain, Policies, evaluate, classify, cluster)


def _misplaced(name: str, why: str = "") -> ParameterError:
    """The error for a rule that came too late, or that goes with other data."""
    if why and name in _OF_EVALUATION:
        return ParameterError(f"{name!r} is a rule of evaluation, and {why}")
    others = (registry.subject(subject) for subject in registry.SUBJECTS)
    words = next(subject.words for subject in others if name in subject.rules)
    return ParameterError(f"{name!r} is a rule of {words.rules_of}: it goes with {words.goes_with}")


def _refuse(rules: Mapping[str, Any], chosen: Chosen) -> None:
    """What goes with files, evaluations or classifiers only."""
    if rules:
        raise _misplaced(next(iter(rules)))
    chosen.refuse("says whose number of an evaluation is meant: counts are of nobody", "system")
    chosen.refuse("is about classifiers: give their predictions, scores or matrix", "label", "item", "threshold")


def _of_counts(measure: Measure, counts: Any, query: str | None, view: View) -> Explanation:
    """Counts made by hand; of several units with each one's steps."""
    if not isinstance(counts, Ranks | Confusion | GivenCurve):
        raise ParameterError(f"explain takes judgments and a run, or counts, not {type(counts).__name__} alone")
    if measure.definition.subtopics and isinstance(counts, Ranks) and counts.subtopics is None:
        raise ParameterError(
            f"{measure} is computed from judgments of subtopics, which a list of grades does not have: "
            "explain it from judgments and a run"
        )
    result, number = measure.per_unit(counts), number_of_unit(counts, query)
    if number is not None:
        return explained(measure, counts, result, number, view)
    parts = tuple(explained(measure, counts, result, unit, view) for unit in range(len(units_of(counts))))
    return summarised(measure, counts, result, view, parts)


def _of_evaluation(
    measure: Measure, evaluation: Evaluation, query: str | None, system: str | None, view: View
) -> Explanation:
    """What the evaluation has computed, taken apart."""
    chosen = evaluation.system(system)
    view = view._replace(undefined=evaluation.undefined, signature=evaluation.signatures[str(measure)])
    number = number_of_unit(chosen.ranks, query)
    if number is None:
        if view.running:
            raise ParameterError("running is about the ranks of one query: choose one")
        return summarised(measure, chosen.ranks, chosen.results[measure], view)
    view = view._replace(listing=listing_of(evaluation, chosen.name, number, view.ranks_of(measure)))
    return explained(measure, chosen.ranks, chosen.results[measure], number, view)
