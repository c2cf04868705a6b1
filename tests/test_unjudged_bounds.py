"""Bounds for unjudged documents: no grades lead beyond them, by brute force. Judgments that are declared complete."""

from __future__ import annotations

import itertools
import json
import re
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pytest
from cases import in_turn
from command import run_assay
from documents import json_of, lines_of

import assay
from assay import Comparison, Measure, parse_measure
from assay.measures import registered
from assay.measures.counting.judgments import Floats
from assay.subjects.ranking.baselines import of_json

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
    """Judgments and two runs of which up to three documents per query have no judgment, and every way to judge them."""

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


@pytest.fixture(scope="module", params=range(3))
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
            assert [low, high] == approx([lowest, highest]), name
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
        numbers = [
            [put_together(measure, [fixed[row], one[row], other[row]]) for row in (0, 1)]
            for one, other in itertools.product(ways[0].T, ways[1].T)
        ]
        differences = np.diff(numbers)[:, 0]
        differences = differences[~np.isnan(differences)]
        observed, low, high = differences[-1], differences.min(), differences.max()
        turned = low < -1e-9 if observed > 1e-9 else high > 1e-9 if observed < -1e-9 else max(-low, high) > 1e-9
        geometric = measure.definition.summary == "geometric"
        if "rel" in measure.given:
            assert finding.reach.low <= low + 1e-9
            assert finding.reach.high >= high - 1e-9
            assert finding.reach.changes_sign >= turned
            continue
        assert finding.reach.changes_sign == turned, finding.measure
        assert bool(finding.verdict.unjudged) == turned
        if not geometric:
            assert finding.reach[:2] == approx((low, high)), finding.measure
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


def test_a_measure_of_subtopics_takes_no_other_bounds_with_it() -> None:
    qrels: Table = {f"q{number}": {"good": 1, "bad": 0} for number in range(3)}
    runs = {"a": {query: {"good": 2.0, "new": 1.0} for query in qrels}, "b": {q: {"new": 1.0} for q in qrels}}
    both, alone = (assay.compare(qrels, runs, measures=names) for names in (["AP", "alpha_nDCG@5"], ["AP"]))
    assert both.bounds().rows() == alone.bounds().rows()
    with pytest.raises(assay.AssayError, match="to which subtopics"):
        assay.compare(qrels, runs, measures="alpha_nDCG@5").bounds()


# Judgments that are declared complete: a golden set of what is relevant, and nothing else.

GOLDEN: Table = {f"q{number}": {"good": 1} for number in range(8)}
OLD: Table = {query: {"other": 3.0, "good": 2.0, "else": 1.0} for query in GOLDEN}
NEW: Table = {query: {"new": 3.0, "else": 2.0, "good": 1.0} for query in GOLDEN}


@pytest.fixture
def golden(tmp_path: Path) -> Path:
    """The golden set and two runs in files."""
    lines = [f"{query} 0 {doc} {grade}\n" for query, judged in GOLDEN.items() for doc, grade in judged.items()]
    (tmp_path / "qrels.txt").write_text("".join(lines), encoding="utf-8")
    for name, run in {"old": OLD, "new": NEW}.items():
        rows = [f"{query} Q0 {doc} 1 {score} x\n" for query, docs in run.items() for doc, score in docs.items()]
        (tmp_path / f"{name}.run").write_text("".join(rows), encoding="utf-8")
    return tmp_path


#: The same with a document that was judged, and is not relevant.
JUDGED: Table = {query: judged | {"bad": 0} for query, judged in GOLDEN.items()}


def test_a_verdict_depends_on_unjudged_documents_unless_the_judgments_are_declared_complete() -> None:
    runs = {"old": OLD, "new": NEW}
    plain, complete = (assay.compare(JUDGED, runs, measures="RR", complete=said) for said in (False, True))
    assert plain.finding().verdict.unjudged > 0
    assert complete.finding().verdict.unjudged == 0
    assert complete.finding().reach is None
    assert complete.finding().noticed == plain.finding().noticed
    assert complete.finding().difference == plain.finding().difference == approx(1 / 3 - 1 / 2)
    assert "unjudged" not in str(complete) + "".join(lines_of(complete))
    assert "judgments declared complete" in "".join(lines_of(complete))


def test_the_declaration_stands_in_signatures_and_json() -> None:
    evaluation = assay.evaluate(GOLDEN, {"old": OLD}, "RR", complete=True)
    assert "|complete=true|" in next(iter(evaluation.signatures.values()))
    assert json.loads(evaluation.to_json())["sections"]["settings"]["policies"]["complete"] is True
    signature = assay.parse_signature(next(iter(evaluation.signatures.values())))
    assert signature.policies.complete
    payload = json_of(assay.compare(GOLDEN, {"old": OLD, "new": NEW}, measures="RR", complete=True))
    assert payload["method"]["complete"] is True
    assert "|complete=true|" in payload["method"]["signatures"]["RR"]
    assert payload["findings"]["findings"][0]["unjudged"] is None


def test_a_report_says_so_and_asks_nobody_to_judge() -> None:
    runs = {"old": OLD, "new": NEW}
    plain, complete = (assay.make_report(JUDGED, runs, ["RR"], complete=said) for said in (False, True))
    for text in (complete.to_html(), complete.to_markdown(), complete.to_latex()):
        assert "declared complete" in text
        assert "judge these first" not in text
        assert "depends on unjudged" not in text
        assert "other grades" not in text
    assert "judge these first" in plain.to_markdown()


def test_a_gate_minds_no_coverage() -> None:
    nothing: Table = {query: {"else": 1.0} for query in GOLDEN}
    neither: Table = {query: {"other": 1.0} for query in GOLDEN}
    assert assay.gate(GOLDEN, nothing, neither, measures="RR").outcome == "invalid"  # no document was judged
    result = assay.gate(GOLDEN, nothing, neither, measures="RR", complete=True)
    assert result.outcome == "pass"
    assert "judgments declared complete" in [guard.says for guard in result.guards]
    lost = assay.gate(GOLDEN, OLD, nothing, measures="RR", complete=True)
    assert lost.outcome == "fail"
    assert not [note for note in lost.notes if "without judgment" in note]


def test_a_frozen_baseline_keeps_the_declaration(tmp_path: Path) -> None:
    frozen = assay.freeze(GOLDEN, {"old": OLD}, "RR", complete=True)
    frozen.save(tmp_path / "baseline.json")
    result = assay.gate(GOLDEN, tmp_path / "baseline.json", NEW)
    assert "judgments declared complete" in [guard.says for guard in result.guards]
    told = json.loads((tmp_path / "baseline.json").read_text(encoding="utf-8"))
    assert "complete=true" in json.dumps(told)


@in_turn("other", [{"judged_only": True}, {"unjudged": "error"}], ids=str)
def test_rules_that_contradict_the_declaration_are_refused(other: dict[str, object]) -> None:
    with pytest.raises(assay.AssayError, match="complete=True says that a document without judgment is irrelevant"):
        assay.evaluate(GOLDEN, {"old": OLD}, "RR", complete=True, **other)  # type: ignore[arg-type]


def test_nothing_is_asked_about_unjudged_documents_where_there_are_none() -> None:
    comparison = assay.compare(GOLDEN, {"old": OLD, "new": NEW}, measures="RR", complete=True)
    for ask in (comparison.bounds, comparison.judge_next):
        with pytest.raises(assay.AssayError, match="declared complete: no document is unjudged"):
            ask()
    with pytest.raises(assay.AssayError, match="min_judged asks how much is judged"):
        assay.gate(GOLDEN, OLD, NEW, measures="RR", complete=True, min_judged=0.5)
    with pytest.raises(assay.AssayError, match="complete is True or False, not 'yes'"):
        assay.evaluate(GOLDEN, {"old": OLD}, "RR", complete="yes")  # type: ignore[arg-type]


def test_the_command_line_says_it_in_every_verb(golden: Path) -> None:
    files = ("qrels.txt", "old.run", "new.run")
    for verb in (
        ("evaluate", *files),
        ("compare", *files),
        ("gate", files[0], files[1], files[2]),
    ):
        done = run_assay(*verb, "-m", "RR", "--complete", folder=golden)
        assert "declared complete" in done.stdout
        assert "depends on unjudged" not in done.stdout
        assert "judge" not in done.stdout.replace("judgments", "").replace("judged documents with tied scores", "")
    run_assay("report", *files, "-m", "RR", "--complete", "-o", "report.md", folder=golden)
    assert "the judgments were declared complete" in (golden / "report.md").read_text(encoding="utf-8")
    frozen = run_assay("freeze", *files[:2], "-m", "RR", "--complete", "-o", "-", folder=golden)
    assert "complete=true" in frozen.stdout


VERBS = {
    "evaluate": ("evaluate", "qrels.txt", "old.run", "new.run", "-m", "RR"),
    "compare": ("compare", "qrels.txt", "old.run", "name with=new.run", "-m", "RR"),
    "gate": ("gate", "qrels.txt", "old.run", "new.run", "-m", "RR"),
    "report": ("report", "qrels.txt", "old.run", "new.run", "-o", "report.md"),
    "doctor": ("doctor", "qrels.txt", "old.run", "new.run", "--all"),
    "power": ("power", "qrels.txt", "old.run", "new.run", "-m", "RR"),
}


@pytest.mark.parametrize("verb", VERBS)
def test_a_golden_set_is_recognised_and_the_command_that_takes_it_as_complete_can_be_copied(
    verb: str, golden: Path
) -> None:
    said = " ".join(run_assay(*VERBS[verb], folder=golden, together=True).stdout.split())
    assert said.count("judgments are of relevant documents") == 1
    assert "depends on unjudged" not in said
    assert "anywhere from" not in said
    (command,) = re.findall(r"`assay ([^`]* --complete)`", said)
    again = run_assay(*shlex.split(command), folder=golden, together=True)
    assert again.returncode == (1 if verb == "gate" else 0)
    assert "judgments are of relevant documents" not in again.stdout
    assert "depends on unjudged" not in again.stdout


def test_one_judged_document_that_is_not_relevant_makes_no_golden_set_nor_do_a_few_judgments() -> None:
    one_bad = GOLDEN | {"q0": {"good": 1.0, "bad": 0.0}}
    few = {query: GOLDEN[query] for query in list(GOLDEN)[:4]}
    cases: list[tuple[Table, dict[str, object], bool]] = [
        (GOLDEN, {}, True),
        (GOLDEN, {"complete": True}, False),
        (GOLDEN, {"judged_only": True}, False),
        (GOLDEN, {"relevance_level": 2}, False),
        (one_bad, {}, False),
        (few, {}, False),
    ]
    for judged, rules, is_golden in cases:
        evaluation = assay.evaluate(judged, {"old": OLD, "new": NEW}, "RR", **rules)  # type: ignore[arg-type]
        assert evaluation.is_golden is bool(evaluation.notes) is is_golden, rules


def test_of_a_golden_set_the_bounds_are_still_known_to_those_who_ask() -> None:
    comparison = assay.compare(GOLDEN, {"old": OLD, "new": NEW}, measures="RR")
    assert comparison.finding().reach is not None
    assert comparison.bounds()["high"].to_list() == [1.0, 1.0]
    assert comparison.judge_next().height
    assert "complete=True" in "".join(comparison.notes)


def test_a_report_prints_the_whole_command_that_lists_what_to_judge(golden: Path) -> None:
    rows = [f"{query} 0 {doc} {grade}\n" for query, judged in JUDGED.items() for doc, grade in judged.items()]
    (golden / "my qrels.txt").write_text("".join(rows), encoding="utf-8")
    (golden / "third.run").write_text((golden / "new.run").read_text(encoding="utf-8"), encoding="utf-8")
    for runs in (["old.run", "new.run"], ["old.run", "b=new.run", "third.run"]):
        options = ["-m", "RR", "--level=1", "--seed", "3", "--title", "To be or not", "-o", "report.md"]
        said = run_assay("report", "my qrels.txt", *runs, *options, folder=golden).stdout
        command = said.partition("judge these first (assay ")[2].partition(").\n")[0]
        assert "--level=1 --seed 3" in command
        listed = run_assay(*shlex.split(command), folder=golden)
        assert listed.returncode == 0, listed.stderr
        assert "Judge these next, for the difference in RR" in listed.stdout


@pytest.mark.parametrize("other", [["--judged-only"], ["--unjudged", "error"], ["--bounds"], ["--judge-next", "3"]])
def test_the_command_line_refuses_what_contradicts_it(other: list[str], golden: Path) -> None:
    done = run_assay("compare", "qrels.txt", "old.run", "new.run", "--complete", *other, folder=golden)
    assert done.returncode == 2
    assert "complete" in done.stderr
    assert not done.stdout


def test_what_was_frozen_before_there_was_the_declaration_can_still_be_compared_with(tmp_path: Path) -> None:
    told = json.loads(assay.freeze(GOLDEN, {"old": OLD}, "RR").to_json())
    del told["digest"], told["policies"]["complete"]
    text = json.dumps(told | {"digest": of_json(told)})
    (tmp_path / "older.json").write_text(text, encoding="utf-8")
    assert assay.gate(GOLDEN, tmp_path / "older.json", OLD).outcome == "pass"
