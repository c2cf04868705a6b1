"""Bounds for unjudged documents: no grades lead beyond them, by brute force; and judgments that are declared complete."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pytest
from command import run_assay

import assay
from assay import Comparison, Measure
from assay.counting.judgments import Floats
from assay.measures import parse_measure, registered

Table: TypeAlias = dict[str, dict[str, float]]
#: A grade for each unjudged document; None: it stays unjudged.
Grades: TypeAlias = tuple[float | None, ...]

approx = pytest.approx
SYSTEMS = ("a", "b")
COLLECTION = 50
MEASURES = [measure for measure in registered().values() if not measure.definition.subtopics]
VARIANTS = [
    "P@1", "P@3", "P(rel=2)@3", "R@2", "R@3", "F@3", "RelP@3", "Success@2", "AP@2", "AP(rel=2)", "RR@2", "ERR@2",
    "nERR@3", "RBP@3", "RBP(gain='exp')", "RBP(gain='binary')", "nDCG@2", "nDCG@3", "nDCG(gain='exp')@3",
    "nDCG(gain='binary')@3", "nDCG(gain={1: 5, 2: 1})@3", "nDCG(gain={0: 1, 1: 3})@3", "nDCG(ideal='uncut')@2",
    "nDCG(ideal='retrieved')@3", "nDCG(discount='none')@3", "DCG@2", "DCG(gain={1: 5, 2: 1})", "CG@2", "nCG@3",
    "nCG(ideal='scale')@3", "Q@2", "Q@3", "Q(beta=10)", "IDCG@2", "IPrec@0.5", "RprecMult(factor=2)",
    "RprecMult(factor=0.5)", "gAP(thresholds={1: 1, 2: 3})", "SetF(beta=2)", "Judged@2", "NumRelRet@2", "INST(T=2)",
]  # fmt: skip
ALL_MEASURES = [*MEASURES, *map(parse_measure, VARIANTS)]
TOP = 2
QUERIES = ("q1", "q2")


class Case:
    """Judgments and two runs of which up to three documents a query have no judgment, and every way to judge them."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        docs = [f"d{number}" for number in range(6)]
        # The last query has the highest grade, so that it is the same under all judgments.
        self.qrels: Table = {"last": {"x": TOP}}
        self.runs: dict[str, Table] = {system: {"last": {"x": 1.0}} for system in SYSTEMS}
        for query in QUERIES:
            unjudged = int(rng.integers(1, 4))
            self.qrels[query] = {doc: int(rng.integers(0, TOP + 1)) for doc in docs[unjudged:]}
            if rng.random() < 0.3:
                self.qrels[query][docs[0]] = -1  # in the pool, and yet not judged
            for system in SYSTEMS:
                returned = rng.permutation(docs)[: int(rng.integers(2, 6))].tolist()
                self.runs[system][query] = {doc: -float(place) for place, doc in enumerate(returned)}
        self.ways = {query: self._ways(query) for query in QUERIES}
        self.values = self._values()

    def unjudged(self, query: str, systems: Iterable[str] = SYSTEMS, cutoff: int | None = None) -> list[str]:
        """The unjudged documents that one of the systems has within a cut-off."""
        ranked = [doc for system in systems for doc in list(self.runs[system][query])[:cutoff]]
        return sorted({doc for doc in ranked if self.qrels[query].get(doc, -1) < 0})

    def _ways(self, query: str) -> list[Grades]:
        return list(itertools.product((None, *range(TOP + 1)), repeat=len(self.unjudged(query))))

    def _values(self) -> dict[tuple[str, str, str], Floats]:
        """By system, measure and query: the value under each way to judge, every one a query of one evaluation."""
        qrels: Table = {"last": self.qrels["last"]}
        runs: dict[str, Table] = {system: {"last": self.runs[system]["last"]} for system in SYSTEMS}
        for query in QUERIES:
            for number, grades in enumerate(self.ways[query]):
                name = f"{query}-{number:04d}"
                judged = zip(self.unjudged(query), grades, strict=True)
                qrels[name] = self.qrels[query] | {doc: grade for doc, grade in judged if grade is not None}
                for system in SYSTEMS:
                    runs[system][name] = self.runs[system][query]
        evaluation = assay.evaluate(qrels, runs, ALL_MEASURES, collection_size=COLLECTION)
        found = {}
        for row in evaluation.scores.frame.partition_by("system", "measure"):
            system, name, substitute = row["system"][0], row["measure"][0], parse_measure(row["measure"][0]).substitute
            values = row["value"].cast(float).fill_null(np.nan if substitute is None else substitute).to_numpy()
            units = row["unit"].to_list()
            for query in ("last", *QUERIES):
                rows = [place for place, unit in enumerate(units) if unit.split("-")[0] == query]
                found[system, name, query] = values[sorted(rows, key=units.__getitem__)]
        return found

    def reachable(self, measure: Measure, query: str, systems: Iterable[str]) -> Floats:
        """The values (rows: systems) under all ways to judge the documents that count; the last is that as judged."""
        within = set(self.unjudged(query, systems, measure.parameters.get("cutoff")))
        counts = [doc in within for doc in self.unjudged(query)]
        ways = [
            number
            for number, grades in enumerate(self.ways[query])
            if all((grade is not None) == counted for grade, counted in zip(grades, counts, strict=True))
        ]
        return np.array([self.values[system, str(measure), query][[*ways, 0]] for system in systems])


@pytest.fixture(scope="module", params=range(4))
def compared(request: pytest.FixtureRequest) -> tuple[Case, Comparison]:
    case = Case(request.param)
    defined = [measure for measure in ALL_MEASURES if not measure.is_micro and _is_defined(case, measure)]
    comparison = assay.compare(
        case.qrels, case.runs, measures=defined, baseline="a", collection_size=COLLECTION, bootstrap_resamples=100
    )
    return case, comparison


def _is_defined(case: Case, measure: Measure) -> bool:
    """Whether each query has a value as judged, so that all are in the mean."""
    queries = ("last", *QUERIES)
    return all(np.isfinite(case.values[system, str(measure), query][0]) for system in SYSTEMS for query in queries)


def put_together(measure: Measure, values: list[float]) -> float:
    if measure.definition.summary == "geometric":
        return float(np.exp(np.mean(np.log(values))))
    return float(np.sum(values) if measure.definition.summary == "sum" else np.mean(values))


def test_no_grades_lead_beyond_the_bounds_of_a_score_and_some_lead_to_them(compared: tuple[Case, Comparison]) -> None:
    case, comparison = compared
    for system, name, _, low, high, exact in comparison.bounds().rows():
        measure = parse_measure(name)
        fixed = float(case.values[system, name, "last"][0])
        by_query = [case.reachable(measure, query, [system])[0] for query in QUERIES]
        lowest, highest = (
            put_together(measure, [fixed, *(end(values) for values in by_query)]) for end in (np.nanmin, np.nanmax)
        )
        if "rel" in measure.given:  # a level that no judgment reaches can be reached by a document all the same
            assert low <= lowest + 1e-9 <= highest + 1e-9 <= high + 2e-9
        else:
            assert (name, low, high) == (name, approx(lowest), approx(highest))
        assert exact


def test_no_grades_lead_beyond_the_reach_of_a_difference_or_change_its_sign_unnoticed(
    compared: tuple[Case, Comparison],
) -> None:
    case, comparison = compared
    for finding in comparison.findings:
        measure = parse_measure(finding.measure)
        assert finding.reach is not None
        ways = [case.reachable(measure, query, SYSTEMS) for query in QUERIES]
        fixed = [float(case.values[system, finding.measure, "last"][0]) for system in SYSTEMS]
        differences = np.array([
            np.subtract(*(put_together(measure, [fixed[row], one[row], other[row]]) for row in (1, 0)))
            for one, other in itertools.product(ways[0].T, ways[1].T)
        ])  # fmt: skip
        differences = differences[~np.isnan(differences)]
        observed, low, high = differences[-1], differences.min(), differences.max()
        turned = low < -1e-9 if observed > 1e-9 else high > 1e-9 if observed < -1e-9 else max(-low, high) > 1e-9
        geometric = measure.definition.summary == "geometric"
        if "rel" in measure.given:
            assert finding.reach.low <= low + 1e-9
            assert finding.reach.high >= high - 1e-9
            assert finding.reach.changes_sign >= turned
            continue
        assert (finding.measure, finding.reach.changes_sign) == (finding.measure, turned)
        assert bool(finding.verdict.unjudged) == turned
        if not geometric:
            assert (finding.measure, *finding.reach[:2]) == (finding.measure, approx(low), approx(high))
        assert finding.reach.exact == (not geometric)


def test_micro_averages_have_the_bounds_that_brute_force_finds() -> None:
    measures = [f"{name}(average='micro')" for name in ("SetP", "SetR", "SetF")]
    for seed in range(2):
        case = Case(seed)
        comparison = assay.compare(case.qrels, case.runs, measures=measures, baseline="a", bootstrap_resamples=100)
        numbers: dict[tuple[str, str], list[float]] = {}
        docs = [(query, doc) for query in QUERIES for doc in case.unjudged(query)]
        for grades in itertools.product((0, TOP), repeat=len(docs)):
            judged = {query: dict(rows) for query, rows in case.qrels.items()}
            for (query, doc), grade in zip(docs, grades, strict=True):
                judged[query][doc] = grade
            evaluation = assay.evaluate(judged, case.runs, measures)
            for name, system in itertools.product(comparison.measures, SYSTEMS):
                numbers.setdefault((name, system), []).append(evaluation.mean(name, system))
        for finding in comparison.findings:
            differences = np.subtract(numbers[finding.measure, "b"], numbers[finding.measure, "a"])
            assert finding.reach is not None
            assert finding.reach[:2] == approx((differences.min(), differences.max()))
            assert finding.reach.exact
