"""`audit --value` explains a number by one rule or a stated pair, and otherwise says that nothing does."""

from __future__ import annotations

import json
from pathlib import Path

from command import run_assay

import assay

HERE = Path(__file__).parent
JUDGED = {"A": 3, "B": 2, "C": 2, "D": 1, "E": 1, "F": 1, "G": 1, "H": 1}
RANKING = ["B", "X", "D", "C", "Y", "E"]
LIST = ("--judged", ",".join(f"{doc}:{grade}" for doc, grade in JUDGED.items()), "--ranking", ",".join(RANKING))
RUN = {doc: float(-place) for place, doc in enumerate(RANKING)}


def value_of(measure: str) -> str:
    return f"{assay.evaluate({'q': JUDGED}, {'q': RUN}, measure).mean():.6f}"


def asked(value: str) -> tuple[int, list[list[str]]]:
    """The exit code, and the rules of each match."""
    done = run_assay("audit", *LIST, "-m", "nDCG@4", "--value", value, "--json", folder=HERE)
    return done.returncode, [
        match["rules"] for match in json.loads(done.stdout)["sections"]["signature"]["asked"]["matches"]
    ]


def test_one_rule_and_a_stated_pair_are_named() -> None:
    code, matches = asked(value_of("nDCG(gain='exp')@4"))
    assert (code, ["exponential gain"] in matches) == (0, True)
    code, matches = asked(value_of("nDCG(gain='exp', ideal='retrieved')@4"))
    assert (code, ["exponential gain", "ideal of the retrieved documents"] in matches) == (0, True)


def test_three_rules_at_once_explain_nothing() -> None:
    stacked = value_of("nDCG(gain='exp', discount='zipf', ideal='retrieved')@4")
    assert asked(stacked) == (1, [])


def test_few_invented_numbers_are_explained_and_none_by_more_than_two_rules() -> None:
    """A hundred ways of counting, of ten thousand numbers in four decimals, give one in a hundred at most."""
    explained = 0
    for number in range(5, 10_000, 997):
        result = assay.audit(JUDGED, RANKING, "nDCG@4", value=f"{number / 10_000:.4f}")
        assert result.answer is not None
        assert result.answer.tried < 100
        assert all(len(match.rules) <= 2 for match in result.answer.matches)
        explained += result.is_found
    assert explained <= 1


def test_the_sentence_says_what_was_tried_and_what_came_nearest() -> None:
    done = run_assay("audit", *LIST, "-m", "nDCG@4", "--value", "0.1234", folder=HERE)
    assert done.returncode == 1
    assert "No rule gives 0.1234." in done.stdout
    assert "single rules, and a few pairs" in done.stdout
    assert "Nearest is" in done.stdout
