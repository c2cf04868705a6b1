"""`explain`: how a number came about, step by step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from assay.core.domains import Whole
from assay.core.errors import ParameterError, refuse_unknown
from assay.counting.confusion import Confusion
from assay.counting.confusion_matrix import Orientation
from assay.counting.policies import Policies
from assay.counting.ranks import Ranks
from assay.evaluation import Evaluation, evaluate
from assay.explanation.classified import Chosen, of_decisions
from assay.explanation.clustered import is_of_clusters, of_clusters
from assay.explanation.coefficients import is_coefficient, of_two_lists
from assay.explanation.documents import listing_of
from assay.explanation.labels import is_of_classes, is_of_labels, of_labels
from assay.explanation.numbers import Shown, explained, summarised, undefined_rule
from assay.explanation.result import Explanation
from assay.explanation.units import number_of_unit, units_of
from assay.measures import parse_measure
from assay.measures.given_curve import GivenCurve
from assay.measures.registry import Measure

_OF_EVALUATION = {*Policies.__dataclass_fields__, "undefined", "compat", "judge", "subtopics", "seed", "samples"}


def explain(
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
    shown = Shown(None if show is None else Whole(1).check("show", show), running)
    if isinstance(measure, str) and is_coefficient(measure):
        chosen.refuse("has no meaning for two orders", "system", "label", "item", "threshold")
        if rules or query is not None or running:
            said = next(iter(rules), "query" if query is not None else "running")
            raise ParameterError(f"{said} has no meaning for two orders")
        made = of_two_lists(measure, given, run)
        return made if shown.depth is None else replace(made, shown=shown.depth)
    if run is None and is_of_clusters(given):
        if query is not None:
            raise ParameterError("query is about rankings: of a clustering, choose an item")
        return of_clusters(measure, given, chosen, shown, rules)
    if run is None and is_of_labels(given):
        if query is not None:
            raise ParameterError("query is about rankings: of a classifier, choose a label or an item")
        return of_labels(measure, given, chosen, shown, rules)
    if run is None and isinstance(given, Confusion) and is_of_classes(measure):
        shown = shown._replace(undefined=undefined_rule(rules.pop("undefined", "counted_as")))
        _refuse(rules, chosen)
        return of_decisions(measure, replace(given, unit_kind="class"), Chosen(label=query), shown)
    _refuse({}, chosen._replace(system=None))
    wanted = parse_measure(measure)
    if running and "cutoff" not in wanted.parameters:
        raise ParameterError(f"{wanted} has no cut-off, so it has no value at every rank")
    if run is None and not isinstance(given, Evaluation):
        shown = shown._replace(undefined=undefined_rule(rules.pop("undefined", "counted_as")))
        _refuse(rules, chosen)
        return _of_counts(wanted, given, query, shown)
    if run is not None:
        given = evaluate(given, run, wanted, **rules)
        if len(given.systems) > 1:
            raise ParameterError("explain takes one run: explain one after the other")
        wanted = given.measures[0]  # a profile may have changed its rounding
    elif rules:
        raise _misplaced(next(iter(rules)), "the evaluation is made already")
    return _of_evaluation(given.measure(wanted), given, query, system, shown)


def _check(rules: Mapping[str, Any]) -> None:
    """Refuse keyword arguments that no kind of numbers has for a rule."""
    if not set(rules) <= _OF_EVALUATION:  # who explains a ranking need not wait for what classifies
        from assay.classification import classify  # noqa: PLC0415
        from assay.clustering import cluster  # noqa: PLC0415

        refuse_unknown(rules, explain, Policies, evaluate, classify, cluster)


def _misplaced(name: str, why: str = "") -> ParameterError:
    """The error for a rule that came too late, or that goes with other data."""
    from assay.pairing import misplaced  # noqa: PLC0415  # it loads SciPy, which rankings do without

    if why and name in _OF_EVALUATION:
        return ParameterError(f"{name!r} is a rule of evaluation, and {why}")
    return misplaced(name)


def _refuse(rules: Mapping[str, Any], chosen: Chosen) -> None:
    """What goes with files, evaluations or classifiers only."""
    if rules:
        raise _misplaced(next(iter(rules)))
    chosen.refuse("says whose number of an evaluation is meant: counts are of nobody", "system")
    chosen.refuse("is about classifiers: give their predictions, scores or matrix", "label", "item", "threshold")


def _of_counts(measure: Measure, counts: Any, query: str | None, shown: Shown) -> Explanation:
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
        return explained(measure, counts, result, number, shown)
    parts = tuple(explained(measure, counts, result, unit, shown) for unit in range(len(units_of(counts))))
    return summarised(measure, counts, result, shown, parts)


def _of_evaluation(
    measure: Measure, evaluation: Evaluation, query: str | None, system: str | None, shown: Shown
) -> Explanation:
    """What the evaluation has computed, taken apart."""
    chosen = evaluation.system(system)
    shown = shown._replace(undefined=evaluation.undefined, signature=evaluation.signatures[str(measure)])
    number = number_of_unit(chosen.ranks, query)
    if number is None:
        if shown.running:
            raise ParameterError("running is about the ranks of one query: choose one")
        return summarised(measure, chosen.ranks, chosen.results[measure], shown)
    shown = shown._replace(listing=listing_of(evaluation, chosen.name, number, shown.ranks_of(measure)))
    return explained(measure, chosen.ranks, chosen.results[measure], number, shown)
