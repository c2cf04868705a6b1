"""Shown digits never lie: no number is rounded onto 0, 1 or 100 %, and what is compared differs where it does."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path

from command import run_assay
from hypothesis import given, settings
from hypothesis import strategies as st

import assay

HERE = Path(__file__).parent
#: A number by itself: not part of a name, a range of labels or a longer number.
NUMBERS = re.compile(r"(?<![\w.])[+-]?\d+\.\d+%?(?![\w.])")


def shown(*arguments: object) -> str:
    done = run_assay(*arguments, folder=HERE)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_an_accuracy_that_is_nearly_one_is_not_shown_as_one() -> None:
    lines = shown("classifier", "explain", "Accuracy", "--counts", "4,6,4,999986").splitlines()
    assert "Accuracy = 0.99999 (99.999 %)" in lines  # (4 + 999986) / 1000000


def test_the_table_of_a_classifier_shows_no_one_and_no_zero_that_is_none() -> None:
    """TP 999986, FP 4, FN 6, TN 4 of a million: nothing but the recall of always saying 1 is 1."""
    text = shown("classifier", "evaluate", "--matrix", "4 4; 6 999986", "--positive", "1")
    rows = {line.split()[0]: line.split() for line in text.splitlines() if line and line[0].isupper()}
    assert rows["Precision"][1] == "0.999996"  # 999986 / 999990
    assert rows["Recall"][1] == "0.999994"  # 999986 / 999992
    assert rows["Accuracy"][1] == "0.99999"
    assert rows["Specificity"][-1] == "0.000008"  # chance: 8 / 1000000
    of_one = [name for name, cells in rows.items() if "1.0000" in cells]
    assert of_one == ["Recall"]


def test_two_shares_that_differ_are_not_called_the_same() -> None:
    """Always saying 1 errs in 8 of a million, the classifier in 10."""
    [remark] = [
        line
        for line in shown("classifier", "evaluate", "--matrix", "4 4; 6 999986", "--positive", "1").splitlines()
        if "misleads" in line
    ]
    assert "99.9992% of the items are 1" in remark
    assert "would score 99.9992%, this classifier scores 99.999%" in remark


def test_a_difference_and_its_values_show_that_there_is_one() -> None:
    """One of 40,000 documents decides: the means differ by 1 / 40000 in each of six queries."""
    relevant = {f"q{n}": {f"d{place}": 1 for place in range(40_000)} for n in range(6)}
    runs = {
        name: {query: {f"d{place}": -float(place) for place in range(found)} for query in relevant}
        for name, found in (("fewer", 20_000), ("more", 20_001))
    }
    comparison = assay.compare(assay.evaluate(relevant, runs, "SetR"))
    text = str(comparison)
    assert "0.50003 against 0.50000," in text  # 20001 / 40000 = 0.500025
    assert "+0.000025" in text
    table = comparison.to_markdown()
    assert "0.50003" in table
    assert " 0.0000 " not in table


def test_systems_side_by_side_have_decimals_until_they_differ() -> None:
    judged = {"q": {f"d{place}": 1 for place in range(30_000)}}
    runs = {name: {"q": {f"d{place}": -float(place) for place in range(found)}}
            for name, found in (("a", 15_000), ("b", 15_001))}  # fmt: skip
    text = assay.evaluate(judged, runs, "SetR").to_markdown()
    assert re.findall(r"0\.50\d+", text) == ["0.50000", "0.50003"]  # 15000 / 30000, 15001 / 30000


def test_systems_in_one_sentence_of_a_report_have_decimals_until_they_differ() -> None:
    """Of 40,000 items, 20000, 20001 and 20002 are right: 0.5, 0.500025 and 0.50005."""
    truth = [0, 1] * 20_000
    guessed = {f"last{right}": [0] * (40_000 - 2 * right) + [0, 1] * right for right in (0, 1, 2)}
    systems = [assay.Predictions.of(truth, labels, pos_label=1, name=name) for name, labels in guessed.items()]
    sentence, *_ = str(assay.make_report(systems)).splitlines()
    assert sentence == "Under Accuracy, last0 has 0.50000, last1 has 0.500025 and last2 has 0.500050."


def test_a_confidence_of_999_per_mille_is_not_called_100_percent() -> None:
    """Rounded to whole percents it would be."""
    text = shown("classifier", "evaluate", "--matrix", "40 10; 10 40", "--confidence", "0.9996")
    assert "99.96% interval" in text
    assert "100%" not in text


def test_json_and_csv_hold_numbers_in_full() -> None:
    told = json.loads(shown("classifier", "evaluate", "--matrix", "4 4; 6 999986", "--positive", "1", "--json"))
    measures = {row["measure"]: row["value"] for row in told["sections"]["measures"]["measures"]}
    assert measures["Accuracy"] == (4 + 999986) / 1000000
    csv = shown("classifier", "evaluate", "--matrix", "4 4; 6 999986", "--positive", "1", "--csv")
    assert repr(999986 / 999992) in csv


counts = st.one_of(st.integers(0, 3), st.integers(0, 10**9))


@settings(max_examples=24, deadline=None)
@given(st.tuples(counts, counts, counts, counts).filter(lambda cells: cells[0] + cells[1] and cells[2] + cells[3]))
def test_a_shown_value_is_zero_or_one_only_if_it_is(cells: tuple[int, int, int, int]) -> None:
    """Accuracy, recall and precision of any table: the fraction is exact, and so is what the text may say."""
    tn, fp, fn, tp = cells
    total = sum(cells)
    fractions = {"Accuracy": (tp + tn, total), "Recall": (tp, tp + fn), "Precision": (tp, tp + fp)}
    matrix = assay.ConfusionMatrix.from_matrix([[tn, fp], [fn, tp]])
    result = assay.classify(matrix, list(fractions), pos_label=1, resamples=10)
    rows = {line.split()[0]: line.split() for line in str(result).splitlines() if line.split()}
    for name, (part, whole) in fractions.items():
        if not whole:
            continue
        text = rows[name][1]
        assert (float(text) == 0) == (part == 0), text
        assert (float(text) == 1) == (part == whole), text
        assert abs(Fraction(text) - Fraction(part, whole)) <= Fraction(1, 20_000)
