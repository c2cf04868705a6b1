"""The worked examples on classifiers, C1 to C10: from Python, and by the commands that the documentation lists."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import in_turn
from command import explained, invoke

from assay import Confusion, ConfusionMatrix, Predictions, classify, explain, parse_measure
from assay.measures.counting.scored import Scored

PAGE = Path(__file__).parents[1] / "docs" / "worked-examples.md"
IDS = {f"C{number}" for number in range(1, 11)}

PEOPLE = ConfusionMatrix.from_matrix(
    [[13, 4, 2], [2, 15, 1], [5, 1, 57]], ["Woman", "Man", "Child"], orientation="rows_are_predicted"
)
#: C6: classes and scores, the highest first.
TWENTY = (
    "P .90, P .80, N .70, P .60, P .55, P .54, N .53, N .52, P .51, N .50, "
    "P .40, N .39, P .38, N .37, N .36, N .35, P .34, N .33, P .30, N .10"
)


def binary(tp: int, fp: int, fn: int, tn: int) -> ConfusionMatrix:
    return ConfusionMatrix.from_matrix([[tp, fn], [fp, tn]], ["ill", "well"], pos_label="ill")


def scored() -> Scored:
    words = [item.split() for item in TWENTY.split(", ")]
    return Scored.from_scores([word == "P" for word, _ in words], [float(score) for _, score in words], pos_label=True)


# The commands of the page


def listed() -> list[tuple[str, str, str]]:
    """The id in the heading above, the command, and what to look at."""
    found, name = [], ""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if heading := re.match(r"### (C\d+)\b", line):
            name = heading[1]
        elif row := re.match(r"\| `assay classifier explain (.*?)` \| (.*) \|$", line):
            found.append((name, row[1], row[2]))
    return found


def test_the_page_has_a_command_for_every_example() -> None:
    assert {name for name, _, _ in listed()} == IDS


@pytest.mark.parametrize(("name", "command", "look_at"), listed(), ids=lambda text: text[:50])
def test_what_the_page_says_to_look_at_is_there_to_the_last_digit(name: str, command: str, look_at: str) -> None:
    told = explained(typed(f"{command} --json"))
    for part in look_at.split("; "):
        if column := re.fullmatch(r"`(.*)`: (.*)", part):
            printed = column[2].split(", ")
            table = next(table["rows"] for table in told["steps"].values() if column[1] in table["rows"][0])
            assert len(table) == len(printed), (name, part)
            assert all(is_printed_as(row[column[1]], text) for row, text in zip(table, printed, strict=True)), part
        else:
            assert is_printed_as(told["value"], part.removeprefix("result ").partition(",")[0]), (command, part)
    if told["value"] is not None:  # what people read holds the number too
        number = re.escape(f"{told['value']:.10g}")
        assert re.search(rf"= {number}( \(.*%\))?$", typed(command), re.MULTILINE)


def is_printed_as(value: float | None, text: str) -> bool:
    if value is None or text == "NA":
        return value is None and text == "NA"
    return abs(value - float(text)) <= 0.5 * 0.1 ** len(text.partition(".")[2]) + 1e-12


def typed(command: str) -> str:
    done = invoke(["classifier", "explain", *shlex.split(command)])
    assert done.exit_code == 0, done.output
    return done.stdout


# From Python, the sums in view


def values(counts: Any, *measures: str, **chosen: Any) -> list[float]:
    """The measures as `explain` and, for a matrix without a chosen class, `classify` give them."""
    found = [explain(measure, counts, **chosen).value for measure in measures]
    if isinstance(counts, ConfusionMatrix) and not chosen:
        made = classify(counts, list(measures))
        assert [made.value(measure) for measure in measures] == pytest.approx(found, nan_ok=True)
    return found


def test_c1_a_rare_disease() -> None:
    found = values(binary(20, 180, 10, 1820), "Prevalence", "PPV", "NPV", "TPR", "TNR", "Accuracy")
    assert found == pytest.approx([30 / 2030, 20 / 200, 1820 / 1830, 20 / 30, 1820 / 2000, 1840 / 2030])
    assert found == pytest.approx([0.0148, 0.10, 0.9945, 0.667, 0.91, 0.906], abs=5e-4)
    assert values(binary(0, 0, 30, 2000), "Accuracy") == pytest.approx([0.985], abs=5e-4)


def test_c2_another_disease_by_its_own_table() -> None:
    """The percentages printed are those of its table; its prevalence is 700/100,000."""
    found = values(binary(595, 4965, 105, 94335), "Prevalence", "PPV", "NPV", "TPR", "TNR", "Accuracy")
    assert found == pytest.approx([700 / 100_000, 595 / 5560, 94335 / 94440, 595 / 700, 94335 / 99300, 94930 / 100_000])
    assert found == pytest.approx([0.007, 0.107, 0.999, 0.85, 0.95, 0.949], abs=5e-4)


def test_c3_three_classes_and_their_collapse() -> None:
    assert PEOPLE.table.sum(axis=1).tolist() == [20, 20, 60]
    assert values(PEOPLE, "Accuracy", "ErrorRate") == pytest.approx([0.85, 0.15])
    names = ("PPV", "NPV", "TPR", "TNR", "Accuracy")
    woman, child = PEOPLE.collapse("Woman"), PEOPLE.collapse("Child")
    assert woman.table.tolist() == [[13, 7], [6, 74]]
    assert child.table.tolist() == [[57, 3], [6, 34]]
    assert values(PEOPLE, *names, label="Woman") == pytest.approx([13 / 19, 74 / 81, 13 / 20, 74 / 80, 87 / 100])
    assert values(PEOPLE, *names, label="Child") == pytest.approx([57 / 63, 34 / 37, 57 / 60, 34 / 40, 91 / 100])
    assert values(woman, *names) == pytest.approx(values(PEOPLE, *names, label="Woman"))


def test_c4_accuracy_of_a_matrix() -> None:
    assert values(ConfusionMatrix.from_matrix([[5, 0, 0], [1, 3, 0], [1, 2, 4]]), "Accuracy") == [12 / 16]


METHODS = {"A": (95, 30, 5, 70), "B": (40, 80, 60, 20), "C": (90, 70, 10, 30), "D": (60, 5, 40, 95)}


@in_turn(
    ("method", "expected"),
    [
        ("A", [0.95, 0.30, 0.76, 0.93, 0.83]),
        ("B", [0.40, 0.80, 0.33, 0.25, 0.30]),
        ("C", [0.90, 0.70, 0.56, 0.75, 0.60]),
        ("D", [0.60, 0.05, 0.92, 0.70, 0.78]),
    ],
)
def test_c5_four_methods(method: str, expected: list[float]) -> None:
    found = values(binary(*METHODS[method]), "TPR", "FPR", "PPV", "NPV", "Accuracy")
    assert found == pytest.approx(expected, abs=5.0001e-3)


def test_c5_one_rules_out_one_rules_in_and_one_is_better_negated() -> None:
    codes = {name: {one.code for one in classify(binary(*cells)).advice} for name, cells in METHODS.items()}
    assert "rules_out" in codes["A"]
    assert "rules_in" in codes["D"]
    assert "below_diagonal" in codes["B"]
    assert not {"rules_out", "rules_in", "below_diagonal"} & codes["C"]
    tp, fp, fn, tn = METHODS["B"]
    assert values(binary(fn, tn, tp, fp), "TPR", "FPR") == pytest.approx([0.60, 0.20])


def test_c6_the_roc_table() -> None:
    made = explain("Accuracy", scored(), threshold=0.54, running=True)
    table = made.steps[-1].frame
    percent = (55, 60, 55, 60, 65, 70, 65, 60, 65, 60, 65, 60, 65, 60, 55, 50, 55, 50, 55, 50)
    accuracy = [part / 100 for part in percent]
    assert table["Accuracy"].to_list() == pytest.approx([0.5, *accuracy])
    positive = [word.split()[0] == "P" for word in TWENTY.split(", ")]
    assert table["TPR"].to_list() == pytest.approx([0, *np.cumsum(positive) / 10])
    assert table["FPR"].to_list() == pytest.approx([0, *np.cumsum(np.logical_not(positive)) / 10])
    assert made.value == pytest.approx(max(accuracy)) == pytest.approx(0.70)


def test_c6_auc_by_pairs_and_by_strips() -> None:
    made = explain("AUC", scored())
    assert made.value == pytest.approx(0.68)
    assert dict(made.counts) | {} == {"pairs won": 68, "ties": 0, "positive items": 10, "negative items": 10}
    assert [way.value for way in made.other_ways] == pytest.approx([0.68])


def test_c7_what_the_rules_for_thresholds_rest_on() -> None:
    table = explain("Youden", scored(), threshold=0.54, running=True).steps[-1].frame
    accuracy = explain("Accuracy", scored(), threshold=0.54, running=True).steps[-1].frame["Accuracy"]
    threshold, tpr, fpr = (table[name].to_numpy() for name in ("threshold", "TPR", "FPR"))
    assert threshold[accuracy.arg_max() or 0] == 0.54
    assert threshold[table["Youden"].arg_max() or 0] == 0.54
    assert table["Youden"].max() == pytest.approx(0.40)
    specific = 1 - fpr >= 0.9 - 1e-12
    assert (threshold[specific][tpr[specific].argmax()], tpr[specific].max()) == (0.54, 0.5)
    distance = np.hypot(1 - tpr, fpr)
    assert threshold[np.isclose(distance, distance.min())].tolist() == [0.51, 0.40]
    assert distance.min() == pytest.approx(0.5)


def test_c8_correlation_and_overlap() -> None:
    assert values(binary(20, 180, 10, 1820), "MCC", "Jaccard") == pytest.approx([0.2335, 20 / 210], abs=5e-5)
    assert values(binary(20, 0, 0, 80), "MCC") + values(binary(0, 80, 20, 0), "MCC") == pytest.approx([1, -1])
    constant = explain("MCC", binary(0, 0, 30, 2000))
    assert not constant.is_defined
    assert "0 by convention" in str(constant)
    assert "(9.524 %)" in str(explain("Jaccard", binary(20, 180, 10, 1820)))


def test_c9_micro_macro_and_both_definitions_of_macro_f1() -> None:
    assert values(PEOPLE, "MicroPrecision", "MicroRecall", "MicroF1") == pytest.approx([0.85] * 3)
    p, r = np.array([13 / 19, 15 / 18, 57 / 63]), np.array([13 / 20, 15 / 20, 57 / 60])
    mean_of_f, f_of_means = (2 * p * r / (p + r)).mean(), 2 * p.mean() * r.mean() / (p.mean() + r.mean())
    found = values(PEOPLE, "MacroPrecision", "MacroRecall", "MacroF1", "FOfMeans")
    assert found == pytest.approx([p.mean(), r.mean(), mean_of_f, f_of_means])
    assert found == pytest.approx([0.8074, 0.7833, 0.7943, 0.7952], abs=5e-5)
    said = str(explain("MacroF1", PEOPLE))
    assert "other averages: micro 0.8500" in said
    assert "F of the macro averages of precision and recall: 0.7952" in said


def test_c9_several_labels_an_item() -> None:
    """Per instance: each document's labels are decisions of their own."""
    truth, predicted = [["tea", "pot"], ["pot"], ["cup"]], [["tea"], ["pot", "cup"], ["tea"]]
    tp, fp, fn = (np.array(cell) for cell in ([1, 1, 0], [0, 1, 1], [1, 0, 1]))
    per_document = Confusion(("d1", "d2", "d3"), tp, fp, fn, unit_kind="item")
    for measure, each in {"Precision": [1, 1 / 2, 0], "Recall": [1 / 2, 1, 0]}.items():
        made = explain(measure, per_document)
        assert made.steps[0].frame[measure].to_list() == pytest.approx(each)
        assert made.value == pytest.approx(sum(each) / 3)
    predictions = Predictions.of(truth, predicted, item_id=["d1", "d2", "d3"])
    # Of 3 labels: tea 1 of 2 predictions right, pot 1 of 1, cup 0 of 1; in all 2 of 4.
    assert explain("MicroPrecision", predictions).value == pytest.approx(2 / 4)
    assert explain("MacroPrecision", predictions).value == pytest.approx((1 / 2 + 1 + 0) / 3)


@in_turn("beta", [0.5, 1, 2])
def test_c10_beta_and_alpha_are_one_weight(beta: float) -> None:
    table = Confusion.from_table(4, 6, 4, 86)
    alpha = 1 / (1 + beta**2)
    found = explain(parse_measure("F", "binary")(beta=beta), table).value
    assert found == pytest.approx(1 / (alpha / 0.4 + (1 - alpha) / 0.5))
    assert explain(parse_measure("F", "binary")(alpha=alpha), table).value == pytest.approx(found)


def test_c10_the_ends_are_precision_and_recall() -> None:
    table = Confusion.from_table(4, 6, 4, 86)
    assert explain("F(beta=0)", replaced(table)).value == pytest.approx(0.4)
    assert explain("F(beta=1e6)", replaced(table)).value == pytest.approx(0.5)


def replaced(table: Confusion) -> Confusion:
    """The same counts as those of a classifier."""
    return Confusion(table.units, table.tp, table.fp, table.fn, table.tn, "class")
