"""The numbers of a report: the table of systems, curves, coverage, bounds and power."""

from __future__ import annotations

import math

from assay.comparison import Finding
from assay.core.errors import ParameterError, joined
from assay.evaluation import Evaluation
from assay.measures import Judged
from assay.measures.curve_points import averaged_precision, level_measures
from assay.measures.summary import summarise
from assay.rankings.noticed import PAGE
from assay.rankings.unjudged import bounds_of
from assay.report.estimates import best
from assay.report.written import MARKS
from assay.reporting.basis import Basis, on_units
from assay.reporting.contents import Bound, Coverage, PowerOf, PrecisionRecall, Score, SystemRow

_JUDGED_AT = (5, 10, 20)
_LEVELS = 11


def systems_table(basis: Basis) -> list[SystemRow]:
    """A row a system, best first: its numbers with intervals, marked where they differ from the baseline's."""
    findings = {(one.measure, one.system): one for name in basis.measures for one in basis.findings(name)}
    judged: dict[str, float] = {}
    if basis.evaluation is not None and not basis.is_complete:
        judged = dict(basis.evaluation.coverage.select("system", "judged@10").rows())
    tops = {name: _best(basis, name) for name in basis.measures}
    return [
        SystemRow(
            system,
            system == basis.baseline,
            tuple(_score(basis, name, system, findings.get((name, system)), tops[name]) for name in basis.measures),
            judged.get(system, math.nan),
        )
        for system in basis.systems
    ]


def _score(basis: Basis, measure: str, system: str, finding: Finding | None, best: float | None) -> Score:
    value, interval = basis.standings[measure, system]
    number = Score(measure, value, interval.low, interval.high, "", value == best)
    if finding is None:
        return number
    mark = MARKS.get(finding.verdict.word, "")
    return number._replace(mark=mark, difference=finding.difference, p=finding.p, verdict=str(finding.verdict))


def _best(basis: Basis, measure: str) -> float | None:
    """The best number of a column, unless all are alike, or none is better than another."""
    values = [basis.standings[measure, system][0] for system in basis.systems]
    return best(values, basis.higher_is_better(measure))


def curves(basis: Basis) -> tuple[list[PrecisionRecall], list[str]]:
    """The averaged precision-recall curve of each system that is looked at closely."""
    evaluation = basis.evaluation
    if evaluation is None:
        return [], []
    measures = level_measures(_LEVELS, evaluation.compat)  # type: ignore[arg-type]  # rules and profiles share names
    results = {}
    for name in basis.detailed:
        ranks = evaluation.system(name).ranks
        if basis.main in basis.paired:  # the same topics as in the table
            ranks = on_units(ranks, basis.paired[basis.main].units)
        results[name] = {one: one.per_unit(ranks, seed=evaluation.seed, samples=evaluation.samples) for one in measures}
    # What was refused as undefined was so under the measures asked for; the curve is not one of them.
    undefined = "counted_as" if evaluation.undefined == "error" else evaluation.undefined
    frame, _ = averaged_precision(results, undefined)
    drawn = []
    for name in basis.detailed:
        points = frame.filter(system=name).drop_nulls("precision")
        if points.height:
            recall, precision = (tuple(points[column].to_list()) for column in ("recall", "precision"))
            drawn.append(PrecisionRecall(name, recall, precision))
    if not drawn:
        return [], ["there is no precision-recall curve: precision at levels of recall is undefined for every topic"]
    return drawn, []


def coverage(basis: Basis) -> list[Coverage]:
    """What each system's scores rest on."""
    evaluation = basis.evaluation
    if evaluation is None:
        return []
    rows = {row["system"]: row for row in evaluation.coverage.to_dicts()}
    told = []
    for system in basis.systems:
        counts = {name: rows[system][name] for name in Coverage._fields if name != "judged"}
        cutoffs = () if basis.is_complete else _JUDGED_AT
        judged = tuple((cutoff, _judged(evaluation, system, cutoff)) for cutoff in cutoffs)
        told.append(Coverage(**counts, judged=judged))
    return told


def _judged(evaluation: Evaluation, system: str, cutoff: int) -> float:
    measure = Judged(cutoff=cutoff)
    return summarise(measure, measure.per_unit(evaluation.system(system).ranks)).value


def bounds(basis: Basis) -> tuple[list[Bound], list[str]]:
    """How low and how high the numbers could be with other grades for unjudged documents."""
    if basis.no_documents or basis.evaluation is None:
        return [], [basis.no_documents]
    if basis.is_complete:
        return [], []
    measures = [basis.measure(name) for name in basis.measures if name in basis.paired]
    cutoffs = [measure.parameters.get("cutoff") for measure in measures]
    depth = None if None in cutoffs else max([PAGE, *(int(cutoff) for cutoff in cutoffs if cutoff)])
    counts = basis.retrieved(basis.detailed, depth)
    found: list[Bound] = []
    notes = []
    for measure in measures:
        name = str(measure)
        try:
            for system in basis.detailed:
                ranks = on_units(counts[system], basis.paired[name].units)
                limits = bounds_of(measure, ranks, basis.evaluation.undefined)
                value = basis.standings[name, system][0]
                found.append(Bound(system, name, value, limits.mean_low, limits.mean_high, limits.exact))
        except ParameterError as problem:
            notes.append(f"unjudged documents are not looked at: {problem}")
    return found, notes


def power(basis: Basis) -> tuple[list[PowerOf], list[str]]:
    """What so many queries can show, by the main measure; where differences do not vary, nothing can be said of it."""
    told = []
    constant = []
    for one in basis.findings():
        if one.system not in basis.detailed:
            continue
        if not one.spread > 0:
            if not one.all_zero:
                constant.append(one.system)
            continue
        told.append(
            PowerOf(
                one.measure,
                one.baseline,
                one.system,
                one.units,
                one.difference,
                one.spread,
                one.detectable,
                one.margin.value,
                one.needed,
                basis.settings.power,
                basis.unit_kind,
            )
        )
    if not constant:
        return told, []
    names = joined(constant, most=len(constant))
    return told, [f"there is no power of {names}: the difference is the same for every {basis.unit_kind}"]
