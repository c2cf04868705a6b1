"""One question has one answer, whichever command it is asked of; and a measure one name, however it was typed."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from command import run_assay

import assay
from assay import Predictions, compare, gate, plan
from assay.core.errors import ParameterError
from assay.measures import parse_measure, registered
from assay.measures.vocabularies import Vocabulary
from assay.subjects.labels.curves import calibration
from assay.verbs.sections.explanations import plain_formula

LETTERS = Path(assay.__file__).parent / "data" / "letters"
SPAM, TOPICS, TAGS = LETTERS / "spam.csv", LETTERS / "topics.csv", LETTERS / "tags.jsonl"
VOCABULARIES: tuple[Vocabulary, ...] = (
    "ranking",
    "binary",
    "multiclass",
    "clustering",
    "agreement",
    "behaviour",
    "order",
)


def told(folder: Path, command: str) -> dict[str, Any]:
    """The sections of a command's JSON."""
    done = run_assay(*shlex.split(command), "--json", folder=folder)
    assert done.returncode in {0, 1, 3}, done.stderr
    sections: dict[str, Any] = json.loads(done.stdout)["sections"]
    return sections


def two_classifiers() -> tuple[Predictions, Predictions]:
    """Of 100 items, the second fixes 14 that the first has wrong, and breaks 5."""
    truth = [item % 2 for item in range(100)]
    first = [1 - label if item < 20 else label for item, label in enumerate(truth)]
    second = [1 - label if 14 <= item < 25 else label for item, label in enumerate(truth)]
    scores = [0.7 * label + 0.003 * (item % 97) for item, label in enumerate(first)]
    others = [0.7 * label + 0.003 * (item % 89) for item, label in enumerate(second)]
    return (
        Predictions.of(truth, first, y_score=scores, name="first"),
        Predictions.of(truth, second, y_score=others, name="second"),
    )


@pytest.mark.parametrize("measure", ["Accuracy", "F1", "MCC", "AUC", "LogLoss"])
def test_plan_and_gate_use_the_test_of_compare(measure: str) -> None:
    both = two_classifiers()
    if measure == "LogLoss":
        both = tuple(Predictions.of(each.truth, y_score=each.score * 0.9, name=each.name) for each in both)  # type: ignore[assignment,operator]
    finding = compare(both, measures=measure).findings[0]
    [planned] = plan(both, measures=measure).measures
    assert planned.pairs[0].p == pytest.approx(finding.p, rel=1e-12)
    [check] = gate(*both, measures=measure).checks
    assert check.compared == finding.verdict.word
    assert check.compared_p == pytest.approx(finding.p, rel=1e-12)
    assert check.test.startswith(f"{finding.outcome.test}") or measure == "LogLoss"


def test_the_line_of_a_gate_says_that_it_asks_another_question_and_what_compare_says(tmp_path: Path) -> None:
    options = f"{SPAM} --positive spam -m Accuracy"
    [finding] = told(tmp_path, f"classifier compare {options}")["findings"]["findings"]
    line = " ".join(
        run_assay("classifier", "gate", *shlex.split(options), folder=tmp_path).stdout.split("\n\n")[0].split()
    )
    said = re.search(
        r"The gate asks about a loss of 0\.01 or more; compare, whether the two differ: (.+), two-sided p (.+)\.", line
    )
    assert said is not None
    assert said[1] == f"words is {finding['verdict']}"


def test_the_same_classifier_has_nothing_to_be_compared() -> None:
    first, _ = two_classifiers()
    same = Predictions.of(first.truth, first.prediction, name="same")
    assert "compare" not in gate(first, same).sentence


NAMES = {
    f"{SPAM} --positive spam --system bayes": {"F": "F1", "Precision(average=macro)": "Precision (macro)",
                                               "ECE": "ECE(bins=15)", "ECE(bins=10)": "ECE(bins=10)"},
    f"{TOPICS}": {"F1": "F1 (macro)", "F(average=macro)": "F1 (macro)", "F1 (micro)": "F1 (micro)",
                  "Recall": "Recall (macro)", "F(beta=2)": "F(beta=2) (macro)", "ECE": "ECE(bins=15)"},
    f"{TAGS}": {"Precision(average=samples)": "Precision (per item)", "HammingLoss": "ErrorRate (micro)"},
}  # fmt: skip


@pytest.mark.parametrize(
    ("data", "typed", "printed"), [(data, *names) for data, table in NAMES.items() for names in table.items()]
)
def test_evaluate_and_explain_print_one_name_which_can_be_typed(
    data: str, typed: str, printed: str, tmp_path: Path
) -> None:
    for name in (typed, printed):
        words = f"classifier evaluate {data} -m {shlex.quote(name)} --resamples 0"
        [row] = told(tmp_path, words)["measures"]["measures"]
        assert row["measure"] == printed
        assert f"\n{printed} " in run_assay(*shlex.split(words), folder=tmp_path).stdout
        explained = f"classifier explain {shlex.quote(name)} {data}"
        assert told(tmp_path, explained)["arithmetic"]["measure"] == printed
        assert run_assay(*shlex.split(explained), folder=tmp_path).stdout.startswith(printed)


@pytest.mark.parametrize(("typed", "printed"), [("F", "F1"), ("F1", "F1"), ("F(average=macro)", "F1 (macro)")])
def test_compare_gate_power_and_reports_print_that_name_too(typed: str, printed: str, tmp_path: Path) -> None:
    options = f"{SPAM} --positive spam -m {shlex.quote(typed)}"
    assert {each["measure"] for each in told(tmp_path, f"classifier compare {options}")["findings"]["findings"]} == {
        printed
    }
    assert {
        each["measure"]
        for each in told(tmp_path, f"classifier gate {options} --margin {shlex.quote(typed)}=0.02")["checks"]["checks"]
    } == {printed}
    shown = run_assay("classifier", "power", *shlex.split(options), folder=tmp_path).stdout
    assert f"\n{printed} " in shown


def test_a_result_is_asked_under_any_name_of_a_measure() -> None:
    comparison = compare(two_classifiers(), measures=["F", "Accuracy"])
    assert comparison.measures == ("F1", "Accuracy")
    for name in ("F", "F1", "F(beta=1)"):
        assert comparison.finding(name).measure == "F1"
        assert comparison.standing(name)[0].measure == "F1"


@pytest.mark.parametrize("vocabulary", VOCABULARIES)
def test_the_printed_name_of_every_measure_is_accepted(vocabulary: Vocabulary) -> None:
    for measure in registered(vocabulary).values():
        averages = measure.definition.parameters.get("average")
        settings = [measure]
        for average in ("macro", "micro", "weighted", "samples", "binary") if averages else ():
            try:
                settings.append(measure(average=average))
            except ParameterError:
                continue
        names = [str(each) for each in dict.fromkeys(settings)]
        assert len(names) == len(set(names))
        for each in settings:
            assert parse_measure(str(each), vocabulary) == each


def test_calibration_is_drawn_in_the_bins_that_it_is_measured_in() -> None:
    _, second = two_classifiers()
    items = Predictions.of(second.truth, y_score=(second.frame["score"] / 2).to_list(), name="second")
    curve, result = calibration([items]), assay.classify(items, ["ECE", "ECE(bins=10)"])
    assert curve.summary.row(0)[:2] == ("second", "ECE(bins=15)")
    assert curve.summary["value"][0] == pytest.approx(result.value("ECE"), rel=1e-12)
    assert [str(measure) for measure in result.measures] == ["ECE(bins=15)", "ECE(bins=10)"]
    assert result.value("ECE(bins=10)") != pytest.approx(result.value("ECE"))


FEW = "truth,prediction,score\n0,0,.1\n1,1,.3\n1,1,.7\n0,1,.6\n"
RIGHT = "truth,prediction\n" + "a,a\nb,b\n" * 5


@pytest.mark.parametrize(
    ("table", "options", "lines"),
    [
        (FEW, "-m F -m Recall", ["No interval (–) of F1: fewer than 5 items are too few to draw anew."]),
        (FEW, "-m ECE", ["No interval (–) of ECE(bins=15): in items drawn anew it is larger by chance alone."]),
        (RIGHT, "--positive a -m MCC", ["No interval (–) of MCC: every resample gives the same number, or none."]),
        (RIGHT, "--positive a -m MCC --resamples 0", ["No interval (–) of MCC: it takes resamples."]),
        (RIGHT, "--positive a -m Accuracy", []),
        (f"{FEW}1,1,.3\n", "-m Brier -m F", []),
    ],
)
def test_each_missing_interval_has_a_reason_of_its_own(
    table: str, options: str, lines: list[str], tmp_path: Path
) -> None:
    (tmp_path / "mine.csv").write_text(table)
    done = run_assay("classifier", "evaluate", "mine.csv", *shlex.split(options), folder=tmp_path)
    said = [line for line in done.stdout.splitlines() if line.startswith("No interval") and " of a, b:" not in line]
    assert [line for line in said if " of 0, 1:" not in line] == lines


@pytest.mark.parametrize("vocabulary", VOCABULARIES)
def test_no_card_of_a_measure_shows_a_formula_half_turned_into_text(vocabulary: Vocabulary) -> None:
    for name, measure in registered(vocabulary).items():
        text = measure.__doc__ or ""
        for formula in re.findall(r"\.\. math::(.*?)\n\n|:math:`(.+?)`", text, re.DOTALL):
            assert re.findall(r"\\[A-Za-z]+|≤ft", plain_formula("".join(formula))) == [], name


def test_the_card_of_ece_shows_its_bars(tmp_path: Path) -> None:
    shown = run_assay("measures", "ECE", "--classifiers", folder=tmp_path).stdout
    assert "Σ_b n_b/N | y\u0304_b - p\u0304_b |" in shown
