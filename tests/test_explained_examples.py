"""Every worked example is reproduced by a command that the documentation lists: all of them are run, by id."""

from __future__ import annotations

import math
import re
import shlex
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from cases import in_turn
from command import explained, invoke

PAGE = Path(__file__).parents[1] / "docs" / "worked-examples.md"
IDS = [
    *(f"S{number}" for number in range(1, 10)),
    *(f"R{number}" for number in range(1, 16)),
    *(f"G{number}" for number in range(1, 10)),
    *(f"C{number}" for number in (1, 2, 3, 4, 5, 6, 8, 9, 10)),
]
#: Worked examples that are about two systems: they belong to `compare`.
COMPARED = {"R14"}


class Shows(NamedTuple):
    """What a command shows: the value (None if it is undefined), and columns of its steps or its queries."""

    value: float | None
    within: float = 5e-5
    columns: dict[str, list[float | None]] | None = None
    says: str = ""


TEN = "--grades R,N,N,R,N,R,N,N,R,N --relevant 8"
SEVEN = "--grades R,N,R,R,R,R,R,N,R,N --relevant 20"
TWENTY = "--grades 1,0,1,1,1,1,1,0,1,0,1,0,0,1,0,0,0,0,0,1"
EIGHT = "--points .1@1,.5@.9,.6@.7,.6@.5,.5@.4,.5@.4,.7@.3,.9@.1,1@0"
FIVE_WAYS = (
    "--counts M1=80,0,20,20 --counts M2=70,20,30,0 --counts M3=100,20,0,0 --counts M4=0,0,100,20 --counts M5=50,0,50,20"
)
DEEP = "--grades 0,2,1,3,0,2,0,3,1,3 --exist 3:5,2:10"
CLASSES = "--counts Woman=13,6,7,74 --counts Man=15,3,5,77 --counts Child=57,6,3,34"
METHODS = "--counts A=95,30,5,70 --counts B=40,80,60,20 --counts C=90,70,10,30 --counts D=60,5,40,95"
ROC = "--grades R,R,N,R,R,R,N,N,R,N,R,N,R,N,N,N,R,N,R,N --collection-size 20"


def decided(counts: str, **expected: float) -> dict[str, Shows]:
    """Measures of one table of decisions, to the digits that are printed for it."""
    return {f"{measure} --counts {counts}": Shows(value, 5e-4) for measure, value in expected.items()}


EXAMPLES: dict[str, dict[str, Shows]] = {
    "S1": {
        **decided("4,6,4,999986", SetP=0.4, SetR=0.5, ArithmeticMean=0.45, SetF=0.444),
        "Accuracy --counts 4,6,4,999986": Shows(0.99999, 1e-9),
        "ErrorRate --counts 4,6,4,999986": Shows(0.00001, 1e-9),
        f"SetF {TEN} --collection-size 1000000": Shows(
            4 / 9, columns={"retrieved": [4, 6, 10], "not_retrieved": [4, 999_986, 999_990]}
        ),
    },
    "S2": {
        "ErrorRate --counts 0,0,8,999992": Shows(0.000008, 1e-9),
        "SetR --counts 0,0,8,999992": Shows(0),
        "SetP --counts 0,0,8,999992": Shows(None, says="NA (nothing was retrieved)"),
    },
    "S3": decided("1,0,7,999992", SetP=1, SetR=0.125, ArithmeticMean=0.5625, SetF=0.222),
    "S4": {
        "SetP --counts 8,999992,0,0": Shows(0.000008, 1e-9),
        "SetR --counts 8,999992,0,0": Shows(1),
        "ArithmeticMean --counts 8,999992,0,0": Shows(0.500004, 1e-9),
        "SetF --counts 8,999992,0,0": Shows(0.000016, 1e-9),
    },
    "S5": {
        "SetP --counts 7,7,13": Shows(0.5),
        "SetR --counts 7,7,13": Shows(0.35),
        "SetF --counts 7,7,13": Shows(0.41, 5e-3),
    },
    "S6": {
        "SetP --counts 4,2,16": Shows(0.67, 5e-3),
        "SetR --counts 4,2,16": Shows(0.2),
        "SetF --counts 4,2,16": Shows(0.31, 5e-3),
    },
    "S7": {
        f"SetP {FIVE_WAYS}": Shows((1 + 7 / 9 + 5 / 6 + 0 + 1) / 5, columns={"SetP": [1, 7 / 9, 5 / 6, None, 1]}),
        f"SetP {FIVE_WAYS} --undefined skip": Shows(
            (1 + 7 / 9 + 5 / 6 + 1) / 4, columns={"SetP": [1, 7 / 9, 5 / 6, None, 1]}
        ),
        f"SetR {FIVE_WAYS}": Shows(0.6, columns={"SetR": [0.8, 0.7, 1, 0, 0.5]}),
        f"Accuracy {FIVE_WAYS}": Shows(0.6, columns={"Accuracy": [100 / 120, 70 / 120, 100 / 120, 20 / 120, 70 / 120]}),
        f"SetF {FIVE_WAYS}": Shows(
            (160 / 180 + 140 / 190 + 200 / 220 + 0 + 100 / 150) / 5,
            columns={"SetF": [160 / 180, 140 / 190, 200 / 220, None, 100 / 150]},
        ),
    },
    "S8": {
        **decided("9,1,81", SetF=0.18, GeometricMean=0.3, ArithmeticMean=0.5),
        **decided("5,5,5", SetF=0.5, GeometricMean=0.5, ArithmeticMean=0.5),
    },
    "S9": {
        "SetP --counts 200,0,0 --counts 200,0,0 --counts 0,1,1": Shows(2 / 3, columns={"SetP": [1, 1, 0]}),
        "MicroP --counts 200,0,0 --counts 200,0,0 --counts 0,1,1": Shows(
            400 / 401, columns={"TP": [200, 200, 0], "retrieved": [200, 200, 1]}
        ),
    },
    "R1": {
        f"P@10 {TEN} --running": Shows(
            0.4, columns={"P@k": [1, 1 / 2, 1 / 3, 2 / 4, 2 / 5, 3 / 6, 3 / 7, 3 / 8, 4 / 9, 4 / 10]}
        ),
        f"R@10 {TEN} --running": Shows(0.5, columns={"R@k": [n / 8 for n in (1, 1, 1, 2, 2, 3, 3, 3, 4, 4)]}),
        f"Rprec {TEN}": Shows(3 / 8),
        f"AP {TEN}": Shows(
            (1 / 1 + 2 / 4 + 3 / 6 + 4 / 9) / 8,
            columns={"precision": [1, None, None, 1 / 2, None, 1 / 2, None, None, 4 / 9, None]},
            says="AP = (1 + 0.5000 + 0.5000 + 0.4444) / 8",
        ),
    },
    "R2": {
        "AUC --grades R,N,N,R,N,R,N,N,R,N --collection-size 10": Shows(
            14 / 24,
            columns={
                "TPR": [n / 4 for n in (1, 1, 1, 2, 2, 3, 3, 3, 4, 4)],
                "FPR": [n / 6 for n in (0, 1, 2, 2, 3, 3, 4, 5, 5, 6)],
            },
            says="= 0.5833",
        ),
        f"AUC {TEN} --collection-size 1000000": Shows(
            (20 - 6 + 4 * 999_986 + 0.5 * 4 * 999_986) / 8 / 999_992,
            1e-9,
            columns={"FPR": [n / 999_992 for n in (0, 1, 2, 2, 3, 3, 4, 5, 5, 6)]},
            says="the ROC curve is trivial",
        ),
        f"'AUC(unretrieved=relevant_last)' {TEN} --collection-size 1000000": Shows(
            (20 - 6 + 4 * 999_986) / 8 / 999_992, 1e-9, says="unretrieved=relevant_last"
        ),
    },
    "R3": {
        "IPrecMean --grades 0,1,0,0,1,0,0,1,0,0 --relevant 4": Shows(
            (3 * 0.5 + 3 * 0.4 + 2 * 0.375) / 11,
            columns={
                "recall": [None, 0.25, None, None, 0.5, None, None, 0.75, None, None],
                "precision": [None, 0.5, None, None, 0.4, None, None, 0.375, None, None],
                "value": [0.5, 0.5, 0.5, 0.4, 0.4, 0.4, 0.375, 0.375, 0, 0, 0],
            },
        ),
        "IPrec@0.3 --grades 0,1,0,0,1,0,0,1,0,0 --relevant 4": Shows(0.4),
    },
    "R4": {
        f"P@10 {SEVEN} --running": Shows(
            0.7, columns={"P@k": [1, 1 / 2, 2 / 3, 3 / 4, 4 / 5, 5 / 6, 6 / 7, 6 / 8, 7 / 9, 7 / 10]}
        ),
        f"R@10 {SEVEN} --running": Shows(0.35, columns={"R@k": [n / 20 for n in (1, 1, 2, 3, 4, 5, 6, 6, 7, 7)]}),
    },
    "R5": {
        f"AP {TWENTY}": Shows(0.76, 5e-3),
        "AP --grades 1,1,0,1,1,1,1,0,1,0,1,0,0,1,0,0,0,0,0,1": Shows(0.79, 5e-3),
        "AP --grades 1,0,1,1,1,1,1,1,0,0,1,0,0,1,0,0,0,0,0,1": Shows(0.77, 5e-3),
    },
    "R6": {
        "AP --grades 1,1,1,1,1,1,1,1,1,1,0,0,0,0,0,0,0,0,0,0": Shows(1),
        "AP --grades 0,0,0,0,0,0,0,0,0,0,1,1,1,1,1,1,1,1,1,1": Shows(0.33, 5e-3),
    },
    "R7": {
        "AP --grades 1,0,1,1,1,0,0,1 --grades 1,0,1,0,1,1,0,0": Shows(
            0.75, 5e-3, columns={"AP": [(1 + 2 / 3 + 3 / 4 + 4 / 5 + 5 / 8) / 5, (1 + 2 / 3 + 3 / 5 + 4 / 6) / 4]}
        )
    },
    "R8": {
        f"IPrec@0 {EIGHT}": Shows(1),
        f"IPrec@0.5 {EIGHT}": Shows(0.6),
        f"IPrec@0.9 {EIGHT}": Shows(0.5),
        f"IPrec@1 {EIGHT}": Shows(0.1),
        f"IPrecMean {EIGHT}": Shows(
            0.62, 5e-3, columns={"value": [1, 0.9, 0.7, 0.7, 0.6, 0.6, 0.6, 0.6, 0.5, 0.5, 0.1]}
        ),
    },
    "R9": {"P@3 --grades 1,0,1 --relevant 5": Shows(2 / 3), "R@3 --grades 1,0,1 --relevant 5": Shows(2 / 5)},
    "R10": {
        f"SystemEfficiency {TEN}": Shows(0.4715, says="at rank 9"),
        f"SystemEfficiency {TWENTY}": Shows(0.7609),
        "SystemEfficiency --grades 1,1,1": Shows(1),
        f"SystemEfficiency {EIGHT}": Shows(1 - 0.5 / 2**0.5, says="in the row of recall 0.7000"),
    },
    "R11": {
        f"PrecisionAtRecall@0.2 {TWENTY}": Shows(
            2 / 3,
            columns={"precision": [1, None, 2 / 3] + [None] * 17, "reached": [0, None, 2 / 3] + [None] * 17},
        )
    },
    "R12": {
        f"BreakEven {TEN}": Shows(0.375, columns={"crossing": [0, 0, 0, 0, 0, 0, 0, 3 / 8, 0, 0]}),
        f"BreakEven {EIGHT}": Shows(0.6),
    },
    "R13": {
        "RR --grades 1 --grades 0,1 --grades 0,0,0,1 --grades 0,0 --relevant 1": Shows(
            0.4375, columns={"RR": [1, 1 / 2, 1 / 4, 0]}
        )
    },
    "R14": {},
    "R15": {
        f"InterpolatedAP {TEN}": Shows(
            (1 + 1 / 2 + 1 / 2 + 4 / 9) / 8,
            columns={"interpolated": [1, None, None, 1 / 2, None, 1 / 2, None, None, 4 / 9, None]},
        )
    },
    "G1": {
        "'DCG(discount=log2max2)' --grades 4,3,4,2,0,0,0,1,1,0": Shows(
            11.17,
            5e-3,
            columns={
                "discount": [1, 1, 0.63, 0.50, 0.43, 0.39, 0.36, 0.33, 0.32, 0.30],
                "running_sum": [4, 7, 9.52, 10.52, 10.52, 10.52, 10.52, 10.86, 11.17, 11.17],
            },
        )
    },
    "G2": {"'DCG(discount=log2max2)' --grades 3,3,4,2,0,0,0,1,1,0": Shows(10.17, 5e-3)},
    "G3": {"'DCG(discount=log2max2)' --grades 4,3,4,2,0,0,0,1,1,3": Shows(12.08, 1e-2)},
    "G4": {
        f"CG {DEEP}": Shows(15, columns={"running_sum": [0, 2, 3, 6, 6, 8, 8, 11, 12, 15]}),
        f"'nCG(ideal=scale, max_grade=3)@10' {DEEP} --running": Shows(
            0.5,
            5e-3,
            columns={
                "nCG(ideal='scale', max_grade=3)@k": [0, 0.33, 0.33, 0.5, 0.4, 0.44, 0.38, 0.46, 0.44, 0.5],
            },
        ),
        f"DCG {DEEP}": Shows(
            5.88, 5e-3, columns={"running_sum": [0, 1.26, 1.76, 3.05, 3.05, 3.77, 3.77, 4.71, 5.01, 5.88]}
        ),
        f"IDCG@10 {DEEP}": Shows(
            12.04, 5e-3, columns={"running_sum": [3, 4.89, 6.39, 7.68, 8.85, 9.56, 10.22, 10.86, 11.46, 12.04]}
        ),
        f"nDCG@10 {DEEP} --running": Shows(
            0.49, 5e-3, columns={"nDCG@k": [0, 0.26, 0.28, 0.40, 0.35, 0.39, 0.37, 0.43, 0.44, 0.49]}
        ),
        f"P@10 {DEEP}": Shows(0.7),
    },
    "G5": {
        "CG --grades 3,2,3,0,1,2": Shows(11),
        "DCG --grades 3,2,3,0,1,2": Shows(6.86, 5e-3, columns={"contribution": [3, 1.26, 1.5, 0, 0.39, 0.71]}),
        "IDCG --grades 3,2,3,0,1,2": Shows(7.14, 5e-3),
        "nDCG --grades 3,2,3,0,1,2": Shows(0.96, 5e-3),
    },
    "G6": {
        "'IDCG(discount=none)@1' --grades 3,4,4": Shows(4, columns={"gain": [4]}),
        "'IDCG(discount=none)@2' --grades 3,4,4": Shows(8, columns={"gain": [4, 4]}),
        "'IDCG(discount=none)@3' --grades 3,4,4": Shows(11, columns={"gain": [4, 4, 3]}),
    },
    "G7": {
        "'DCG(gain=exp)' --grades 3,2,3,0,1,2": Shows(13.848, 5e-3, columns={"gain": [7, 3, 7, 0, 1, 3]}),
        "'DCG(base=10)' --grades 3,2,3,0,1,2": Shows(6.861 * 3.3219, 5e-3),
        "'DCG(base=3, discount=log2max2)' --grades 3,2,3,0,1,2": Shows(
            3 + 2 + 3 + 0.6826 + 1.2263, 5e-3, columns={"discount": [1, 1, 1, 0.7925, 0.6826, 0.6131]}
        ),
    },
    "G8": {"'ERR(max_grade=3)' --grades 3,0,2": Shows(0.890625, columns={"satisfied": [7 / 8, 0, 3 / 8]})},
    "G9": {"\"ERR(satisfaction='binary')\" --grades 0,0,1,0,1": Shows(1 / 3), "RR --grades 0,0,1,0,1": Shows(1 / 3)},
    "C1": {
        **decided("20,180,10,1820", Prevalence=0.0148, PPV=0.1, NPV=0.9945, TPR=0.667, TNR=0.91, Accuracy=0.906),
        "Accuracy --counts 0,0,30,2000": Shows(0.985, 5e-4),
    },
    "C2": decided("595,4965,105,94335", Prevalence=0.007, PPV=0.107, NPV=0.999, TPR=0.85, TNR=0.95, Accuracy=0.949),
    "C3": {
        f"MicroR {CLASSES}": Shows(0.85, columns={"TP": [13, 15, 57], "relevant": [20, 20, 60]}),
        **{
            command: shows._replace(within=5e-3)
            for counts, values in {
                "13,6,7,74": {"PPV": 0.68, "NPV": 0.91, "TPR": 0.65, "TNR": 0.925, "Accuracy": 0.87},
                "57,6,3,34": {"PPV": 0.90, "NPV": 0.92, "TPR": 0.95, "TNR": 0.85, "Accuracy": 0.91},
            }.items()
            for command, shows in decided(counts, **values).items()
        },
    },
    "C4": {"MicroR --counts 5,2,0,9 --counts 3,2,1,10 --counts 4,0,3,9": Shows(12 / 16)},
    "C5": {
        **{
            f"{name} {METHODS}": Shows(sum(values) / 4, 5e-3, columns={measure: [*values]})
            for name, measure, values in (
                ("TPR", "SetR", (0.95, 0.40, 0.90, 0.60)),
                ("FPR", "Fallout", (0.30, 0.80, 0.70, 0.05)),
                ("PPV", "SetP", (0.76, 0.33, 0.56, 0.92)),
                ("NPV", "NPV", (0.93, 0.25, 0.75, 0.70)),
                ("Accuracy", "Accuracy", (0.825, 0.30, 0.60, 0.775)),
            )
        },
        **decided("60,20,40,80", TPR=0.6, FPR=0.2),
    },
    "C6": {f"AUC {ROC}": Shows(0.68)},
    "C8": {
        "MCC --counts 20,180,10,1820": Shows(0.2335),
        "MCC --counts 20,0,0,80": Shows(1),
        "MCC --counts 0,80,20,0": Shows(-1),
        "MCC --counts 0,0,30,2000": Shows(None, says="in a mean over queries it is counted as 0"),
        "Jaccard --counts 20,180,10,1820": Shows(0.0952, says="(9.524 %)"),
    },
    "C9": {
        f"MicroP {CLASSES}": Shows(0.85),
        f"MicroF {CLASSES}": Shows(0.85),
        f"SetP {CLASSES}": Shows(0.8074),
        f"SetR {CLASSES}": Shows(0.7833),
        f"SetF {CLASSES}": Shows(0.7943),
    },
    "C10": {
        "'SetF(beta=0.5)' --counts 4,6,4": Shows(1.25 * 0.4 * 0.5 / (0.25 * 0.4 + 0.5), says="1 / (0.8000 / precision"),
        "SetF --counts 4,6,4": Shows(2 * 0.4 * 0.5 / (0.4 + 0.5), says="1 / (0.5000 / 0.4000 + 0.5000 / 0.5000)"),
        "'SetF(beta=2)' --counts 4,6,4": Shows(5 * 0.4 * 0.5 / (4 * 0.4 + 0.5), says="1 / (0.2000 / precision"),
        "'SetF(beta=0)' --counts 4,6,4": Shows(0.4),
        "'SetF(beta=1000)' --counts 4,6,4": Shows(0.5),
    },
}


def listed() -> dict[str, dict[str, str]]:
    """The commands about rankings and sets and what to look at, by the id in the heading above, in reading order."""
    found: dict[str, dict[str, str]] = {}
    name = ""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if heading := re.match(r"### ([A-Z]\d+)\b", line):
            name = heading[1]
            found[name] = {}
        elif row := re.match(r"\| `assay explain (.*?)` \| (.*) \|$", line):
            found[name][row[1]] = row[2]
    return {name: commands for name, commands in found.items() if commands or name in COMPARED}


def test_the_page_lists_every_worked_example_in_reading_order() -> None:
    assert list(listed()) == IDS
    assert list(EXAMPLES) == IDS


@in_turn("name", IDS)
def test_the_page_lists_the_commands_that_are_run_here(name: str) -> None:
    assert sorted(listed()[name]) == sorted(EXAMPLES[name])
    assert EXAMPLES[name] or name in COMPARED


@pytest.mark.parametrize("name", [name for name, commands in EXAMPLES.items() if commands])
def test_the_commands_give_the_numbers(name: str) -> None:
    for command, expected in EXAMPLES[name].items():
        gives(command, expected)


def gives(command: str, expected: Shows) -> None:
    """Fail unless a command shows the number that is expected, and all else that is."""
    told = explained(typed(f"{command} --json"))
    if expected.value is None:
        assert told["value"] is None, command
    else:
        assert told["value"] == pytest.approx(expected.value, rel=0, abs=expected.within)
    for column, values in (expected.columns or {}).items():
        found, wanted = numbers(shown(told, column)), numbers(values)
        assert len(found) == len(wanted), column
        assert found == pytest.approx(wanted, rel=0, abs=expected.within, nan_ok=True), column
    text = typed(command)
    assert expected.says in text
    if expected.value is not None:  # what people read holds the number too
        number = re.escape(f"{told['value']:.10g}")
        assert re.search(rf"= {number}( \(.*%\))?$", text, re.MULTILINE)


@pytest.mark.parametrize("name", IDS)
def test_what_the_page_says_to_look_at_is_there_to_the_last_digit(name: str) -> None:
    for command, look_at in listed()[name].items():
        told = explained(typed(f"{command} --json"))
        for part in look_at.split("; "):
            if column := re.fullmatch(r"`(.*)`: (.*)", part):
                printed = column[2].split(", ")
                found = shown(told, column[1])
                if len(found) != len(printed):  # blanks are not printed on the page
                    found = [value for value in found if value is not None]
                assert len(found) == len(printed), (command, part)
                assert all(map(is_printed_as, found, printed)), (command, part)
            else:
                assert is_printed_as(told["value"], part.removeprefix("result ").partition(",")[0]), (command, part)


def is_printed_as(value: float | None, text: str) -> bool:
    if value is None or text == "NA":
        return value is None and text == "NA"
    decimals = len(text.partition(".")[2])
    return abs(value - float(text)) <= 0.5 * 0.1**decimals + 1e-12


def numbers(values: list[float | None]) -> list[float]:
    return [math.nan if value is None else value for value in values]


def typed(command: str) -> str:
    done = invoke(["explain", *shlex.split(command)])
    assert done.exit_code == 0, done.output
    return done.stdout


def shown(told: dict[str, Any], column: str) -> list[float | None]:
    """A column of the first table that has it."""
    table = next(table["rows"] for table in told["steps"].values() if column in table["rows"][0])
    return [row[column] for row in table]
