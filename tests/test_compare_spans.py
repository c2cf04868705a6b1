"""Extractions compared by document, against a slow twin; their reports, explanations and refusals."""

from __future__ import annotations

import itertools
import json
import random
import re
from pathlib import Path

import numpy as np
import pytest
from cases import in_turn
from command import run_assay

from assay import Extraction, InputError, ParameterError, compare, explain, extract, make_report, plan
from assay.cli.files import lay_out
from assay.subjects.spans.spans import Spans

Row = tuple[str, int, int, str]
Counts = dict[str, tuple[int, int, int]]
approx = pytest.approx


def rows(documents: int, seed: int = 3) -> tuple[list[Row], list[Row], list[Row]]:
    """True spans, and what two systems make of them: one misses much, the other has false alarms."""
    draw = random.Random(seed)
    truth = [
        (f"d{number}", 10 * place, 10 * place + 4, draw.choice(["PER", "LOC"]))
        for number in range(documents)
        for place in range(draw.randint(1, 5))
    ]
    old = [row for row in truth if draw.random() < 0.5]
    new = [row for row in truth if draw.random() < 0.9]
    new += [(row[0], row[1] + 5, row[1] + 7, row[3]) for row in truth if draw.random() < 0.3]
    return truth, old, new


def pair(documents: int, seed: int = 3) -> tuple[Extraction, Extraction]:
    truth, old, new = rows(documents, seed)
    return extract(truth, old, name="old"), extract(truth, new, name="new")


def counted(truth: list[Row], predicted: list[Row]) -> Counts:
    """Hits, false alarms and misses of each document, by sets."""
    cells = {}
    for document in {row[0] for row in (*truth, *predicted)}:
        true, called = ({row for row in side if row[0] == document} for side in (truth, predicted))
        cells[document] = len(true & called), len(called - true), len(true - called)
    return cells


def number(measure: str, cells: list[tuple[int, int, int]]) -> float:
    """A measure of all counts together."""
    tp, fp, fn = (sum(column) for column in zip(*cells, strict=True))
    numbers: dict[str, float] = {
        "F": 2 * tp / (2 * tp + fp + fn),
        "Precision": tp / (tp + fp),
        "Recall": tp / (tp + fn),
    }
    return numbers[measure]


@in_turn("measure", ["F", "Precision", "Recall"])
@in_turn("seed", [3, 4])
def test_the_test_swaps_the_counts_of_documents(measure: str, seed: int) -> None:
    truth, old, new = rows(9, seed)
    first, second = counted(truth, old), counted(truth, new)
    units = sorted(first)
    apart = []
    for swap in itertools.product([False, True], repeat=len(units)):
        sides = [(second[unit], first[unit]) if swapped else (first[unit], second[unit])
                 for unit, swapped in zip(units, swap, strict=True)]  # fmt: skip
        apart.append(number(measure, [b for _, b in sides]) - number(measure, [a for a, _ in sides]))
    observed = apart[0]
    finding = compare(*pair(9, seed), measures=measure).finding(measure)
    assert (finding.difference, finding.value) == approx((observed, number(measure, [second[unit] for unit in units])))
    assert finding.outcome.p == approx(np.mean(np.abs(apart) >= abs(observed) - 1e-12))
    assert finding.outcome.test == "permutation"


def test_the_interval_is_made_by_drawing_documents_anew() -> None:
    truth, old, new = rows(40)
    cells, units, draw = (counted(truth, old), counted(truth, new)), sorted({row[0] for row in truth}), random.Random(1)
    redrawn = []
    for _ in range(3000):
        again = draw.choices(units, k=len(units))
        redrawn.append(
            number("F", [cells[1][unit] for unit in again]) - number("F", [cells[0][unit] for unit in again])
        )
    interval = compare(*pair(40), measures="F", interval="percentile").finding("F").interval
    assert (interval.low, interval.high) == approx(np.quantile(redrawn, [0.025, 0.975]), abs=0.01)


def test_extractions_come_in_several_shapes() -> None:
    truth, old, new = rows(12)
    results = pair(12)
    expected = compare(*results).to_frame()
    by_name = {"old": old, "new": new}
    for comparison in (
        compare(list(results)),
        compare({"old": results[0], "new": results[1]}),
        compare(Spans.of(truth), by_name),
        compare(Spans.of(truth), {name: Spans.of(spans) for name, spans in by_name.items()}),
    ):
        assert comparison.to_frame().equals(expected)
    assert compare(*results).measures == ("F1", "Precision", "Recall")
    relaxed = compare(Spans.of(truth), by_name, match="overlap").finding("F")
    assert relaxed.value >= compare(*results).finding("F").value
    assert plan(list(results), measures="F").measures[0].units == 12


def test_a_document_that_one_system_alone_has_is_paired() -> None:
    truth = [(f"d{number}", 0, 4, "PER") for number in range(6)]
    extra = extract(truth, [*truth, ("elsewhere", 0, 2, "PER")], name="extra")
    finding = compare(extract(truth, truth, name="all"), extra).finding("Precision")
    assert finding.value == approx(6 / 7)


def test_where_the_true_spans_were_read_from_does_not_matter(tmp_path: Path) -> None:
    truth, old, new = rows(6)
    lines = [",".join(map(str, row)) for row in [("document", "start", "end", "type"), *truth]]
    (tmp_path / "truth.csv").write_text("\n".join(lines), encoding="utf-8")
    from_file = extract(tmp_path / "truth.csv", old, name="old")
    assert compare(from_file, extract(truth[::-1], new, name="new")).finding("Recall").units == 6


def test_extractions_that_cannot_be_compared_are_refused() -> None:
    truth, old, _ = rows(6)
    first = extract(truth, old, name="old")
    with pytest.raises(ParameterError, match="old and new were matched by different rules"):
        compare(first, extract(truth, old, name="new", match="overlap"))
    with pytest.raises(InputError, match="old and new were compared with different true spans"):
        compare(first, extract(truth[:-1], old, name="new"))
    with pytest.raises(ParameterError, match="each system has a name of its own, not old, old"):
        compare(first, first)
    with pytest.raises(ParameterError, match="'match' was decided when the spans were matched"):
        compare(first, extract(truth, truth, name="new"), match="overlap")
    with pytest.raises(ParameterError, match="give extractions, or the true spans and"):
        compare(Spans.of(truth), Spans.of(old))


def test_a_report_says_which_is_better_and_where_it_goes_wrong() -> None:
    report = make_report(list(pair(12)), title="Taggers")
    names = [section.name for section in report.document().sections]
    parts = ["summary", "measures", "compared", "types", "documents", "mistakes", "methods", "provenance"]
    assert [name for name in names if name != "notes"] == parts
    assert str(report).startswith("new is better than old under F1: ")
    wrong = report.table("documents-1").select("FP", "FN").sum_horizontal().to_list()
    assert wrong == sorted(wrong, reverse=True)
    assert report.table("misses-1").height == pair(12)[0].misses.height
    assert "a predicted span is a hit if document, start, end and type are equal" in str(report.section("methods"))
    json.loads(report.to_json(), parse_constant=pytest.fail)
    page = report.to_html()
    assert re.search(r"<h3>Misses \(\d+\)</h3>", page), "two tables of spans look alike: each has its name above it"
    assert ">Mistakes</a>" in page
    assert make_report(compare(*pair(12))).table("findings").equals(report.table("findings"))
    assert make_report(list(pair(12)), baseline="new", alpha=0.1).table("findings")["baseline"].unique().to_list() == [
        "new"
    ]


def test_a_report_on_one_system_has_nothing_to_compare() -> None:
    truth, *_ = rows(6)
    report = make_report(extract(truth, truth, name="perfect"), measures="Recall")
    assert report.table("measures")["Recall"].to_list() == [1.0]
    assert report.notes == ("no mistakes to list: every span was found, and nothing else",)
    assert "compared" not in [section.name for section in report.document().sections]
    with pytest.raises(ParameterError, match="topics has no meaning in a report on extractions"):
        make_report(extract(truth, truth), topics={"q": "tea"})


def test_a_number_is_explained_in_all_by_type_and_by_document() -> None:
    truth = [("d1", 0, 4, "PER"), ("d1", 9, 12, "LOC"), ("d2", 0, 3, "PER")]
    result = extract(truth, [*truth[:2], ("d2", 7, 9, "LOC")])
    assert explain("F", result).formula.numbers == "2 × 2 / (3 + 3)"
    assert explain("Precision", result, label="LOC").formula.numbers == "1 / 2"
    assert explain("Recall", result, item="d2").value == 0
    for measure in ("F", "Precision", "Recall"):
        assert explain(measure, result).value == approx(result.value(measure))
        assert explain(measure, result, label="PER").value == approx(result.value(measure, type="PER"))
    assert explain("F", result, label="PER").signature == "F|match=exact|type=PER"
    with pytest.raises(ParameterError, match="choose a type of LOC, PER, not 'PERS'; did you mean PER"):
        explain("F", result, label="PERS")
    with pytest.raises(ParameterError, match="query has no meaning for spans"):
        explain("F", result, query="q1")


def test_the_command_line_says_what_the_library_says(tmp_path: Path) -> None:
    folder = tmp_path / "tea"
    lay_out(folder)
    files = [f"letters/{name}.conll" for name in ("mentions", "lists", "capitals")]
    done = run_assay("extraction", "compare", *files, "--json", folder=folder)
    read = [extract(folder / files[0], folder / path, name=Path(path).stem) for path in files[1:]]
    assert json.loads(done.stdout) == json.loads(compare(read).to_json())
    stdin = (folder / files[0]).read_bytes()
    assert (
        run_assay("extraction", "compare", "-", *files[1:], "--json", folder=folder, stdin=stdin).stdout == done.stdout
    )
    run_assay("extraction", "report", files[0], f"old={files[1]}", "-o", "r.json", folder=folder)
    inputs = json.loads((folder / "r.json").read_text())["sections"]["provenance"]["inputs"]
    assert [row["name"] for row in inputs] == [files[0], f"old = {files[1]}"]
    done = run_assay("extraction", "compare", *files, "-m", "nDCG", folder=folder)
    assert (done.returncode, done.stdout) == (2, "")
