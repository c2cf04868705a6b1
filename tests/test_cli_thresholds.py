"""`assay thresholds`, and `assay plot` of a classifier's scores, as they are typed."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from command import invoke, run_assay

import assay
from assay import AssayError

DATA = Path(assay.__file__).parent / "data" / "letters"
C6 = (
    "P .90, P .80, N .70, P .60, P .55, P .54, N .53, N .52, P .51, N .50, "
    "P .40, N .39, P .38, N .37, N .36, N .35, P .34, N .33, P .30, N .10"
)
SPAM = ("letters/spam.csv", "--positive", "spam", "--system", "bayes", "--resamples", "50")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(DATA, tmp_path / "letters")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(*typed: str) -> str:
    """The one line that a wrong call ends with, in this process, which is faster than in one of its own."""
    done = invoke(list(typed))
    assert isinstance(done.exception, AssayError), done.output
    assert done.stdout == ""
    return str(done.exception)


def test_all_rules_are_shown_a_row_each_and_the_warning_is_on_stderr(folder: Path) -> None:
    done = run_assay("classifier", "thresholds", *SPAM, folder=folder)
    assert done.returncode == 0
    assert done.stdout.startswith("Thresholds of bayes, positive: spam\nrule ")
    for rule in ("max_accuracy", "closest_to_corner", "youden", "max_f(beta=1)", "max_tpr_given_tnr(0.9)"):
        assert done.stdout.count(f"\n{rule} ") >= 2
    assert "warning: chosen and judged on the same data" in done.stderr
    assert "same data" not in done.stdout


def test_the_worked_example_can_be_typed(folder: Path) -> None:
    done = run_assay("classifier", "thresholds", "--scores", C6, "--resamples", "0", "--csv", "--quiet", folder=folder)
    rows = [line.split(",") for line in done.stdout.splitlines()]
    assert [row[:2] for row in rows[1:4]] == [
        ["max_accuracy", "0.54"],
        ["closest_to_corner", "0.51"],
        ["youden", "0.54"],
    ]
    assert done.stderr == ""


def test_the_whole_table(folder: Path) -> None:
    done = run_assay("classifier", "thresholds", "--scores", C6, "--all-thresholds", folder=folder)
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["threshold", "TP", "FP", "FN", "TN", "TPR", "FPR", "ACC"]
    assert lines[1].startswith("above all scores   0   0  10  10")
    assert lines[7].split() == ["0.54", "5", "1", "5", "9", "0.5000", "0.1000", "0.7000"]
    assert lines[-1].startswith("the list: 20 items, 10 positive; AUC 0.6800")
    cut = run_assay("classifier", "thresholds", *SPAM[:5], "--all-thresholds", folder=folder)
    assert "40 of " in cut.stdout
    whole = run_assay("classifier", "thresholds", *SPAM[:5], "--all-thresholds", "--csv", folder=folder)
    assert len(whole.stdout.splitlines()) > 90


def test_one_rule_shows_every_measure(folder: Path) -> None:
    done = run_assay("classifier", "thresholds", *SPAM, "--rule", "max_f(beta=2)", folder=folder)
    assert done.stdout.startswith("Threshold of bayes, positive: spam\n")
    for word in ("What it counts", "Specificity", "MCC", "NPV"):
        assert word in done.stdout


def test_rules_have_options_of_their_own(folder: Path) -> None:
    asked = ("--tnr", "0.95", "--tpr", "0.9", "--recall", "0.8", "--precision", "0.7", "--cost", "fp=1,fn=10")
    more = ("--prevalence", "0.01", "--budget", "20", "--threshold", "0.5", "-r", "weighted(0.7)", "--json")
    told = json.loads(run_assay("classifier", "thresholds", *SPAM, *asked, *more, folder=folder).stdout)["sections"]
    assert [one["rule"] for one in told["thresholds"]["thresholds"]] == [
        "weighted(w=0.7)", "max_tpr_given_tnr(0.95)", "max_tnr_given_tpr(0.9)", "max_precision_given_recall(0.8)",
        "max_recall_given_precision(0.7)", "cost(fp=1, fn=10, prevalence=0.01)", "budget(alerts=20)",
        "fixed(threshold=0.5)",
    ]  # fmt: skip
    settings = told["meaning"]
    assert [settings[key] for key in ("system", "positive", "resamples", "seed")] == ["bayes", "spam", 50, 0]
    share = json.loads(run_assay("classifier", "thresholds", *SPAM, "--budget", "5%", "--json", folder=folder).stdout)[
        "sections"
    ]
    (row,) = share["thresholds"]["thresholds"]
    assert row["rule"] == "budget(share=0.05)"
    assert row["tp"] + row["fp"] <= 10


def test_other_data_to_judge_on(folder: Path) -> None:
    lines = (folder / "letters" / "spam.csv").read_text(encoding="utf-8").splitlines()
    (folder / "first.csv").write_text("\n".join(lines[:101]) + "\n", encoding="utf-8")
    (folder / "second.csv").write_text("\n".join([lines[0], *lines[101:]]) + "\n", encoding="utf-8")
    done = run_assay("classifier", "thresholds", "first.csv", *SPAM[1:], "--judge-on", "second.csv", folder=folder)
    assert "What they count on second.csv" in done.stdout
    assert "corrected" not in done.stdout
    assert "same data" not in done.stderr


@pytest.mark.parametrize("form", ["--csv", "--json", "--markdown", "--latex"])
def test_every_form_goes_to_a_file_too(form: str, folder: Path) -> None:
    done = run_assay("classifier", "thresholds", *SPAM, form, "-o", "out.txt", folder=folder)
    assert (done.returncode, done.stdout) == (0, "")
    assert (folder / "out.txt").read_text(encoding="utf-8") == run_assay(
        "classifier", "thresholds", *SPAM, form, folder=folder
    ).stdout


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ((), "give a file with truth and scores, or --scores"),
        (("letters/spam.csv",), "which label is positive, ham or spam? say --positive ham"),
        (("letters/spam.csv", "--positive", "spam"), "there are bayes, words: say --system bayes"),
        (("letters/spam.csv", "--positive", "sapm"), "expected a label of ham, spam, got 'sapm'; did you mean spam?"),
        ((*SPAM, "--rule", "yuoden"), "no rule is called 'yuoden'; did you mean youden?"),
        ((*SPAM, "--budget", "many"), "--budget is a number of alerts or a share, such as 50 or 5%, not 'many'"),
        ((*SPAM, "--cost", "fp"), "expected parameter=value"),
        ((*SPAM, "--prevalence", "0.1"), "--prevalence goes with --cost"),
        ((*SPAM, "--all-thresholds", "--rule", "youden"), "--all-thresholds shows all thresholds"),
        ((*SPAM, "--scores", C6), "give a file with truth and scores, or --scores"),
        ((*SPAM, "--json", "--csv"), "choose one of --json and --csv"),
        (("--scores", "P .9, X .3"), "--scores: expected a class and a score each"),
        (("--scores", "P .9", "--system", "a"), "--system goes with a file, not with --scores"),
        (("--scores", "P .9", "--nulls", "drop"), "--nulls goes with a file, not with --scores"),
        (("--scores", "P .9", "--class", "P"), "--class goes with a file, not with --scores"),
        (("letters/topics.csv",), "choose the class to compare with all others, as in --class complaint"),
        (("letters/topics.csv", "--positive", "order"), "as in --class complaint"),
        (("letters/spam.csv", "--positive", "spam", "--class", "spam"), "leave --positive out"),
        (("nothing.csv",), "nothing.csv: cannot be read: no such file or directory"),
        (("labels.csv",), "labels.csv: expected scores, one per item, got labels only"),
        (("bad.csv",), "bad.csv"),
        (("empty.csv",), "empty.csv"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_one_line(typed: tuple[str, ...], says: str, folder: Path) -> None:
    (folder / "labels.csv").write_text("truth,prediction\n1,0\n0,0\n", encoding="utf-8")
    (folder / "bad.csv").write_text("truth,score\n1,0.5\n0,high\n", encoding="utf-8")
    (folder / "empty.csv").write_text("truth,score\n", encoding="utf-8")
    line = refused("classifier", "thresholds", *typed)
    assert says in line
    assert "\n" not in line


def test_a_wrong_call_ends_with_exit_code_2(folder: Path) -> None:
    done = run_assay("classifier", "thresholds", "nothing.csv", folder=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "assay: nothing.csv: cannot be read: no such file or directory\n"


def test_one_class_gives_na_with_the_reason(folder: Path) -> None:
    (folder / "one.csv").write_text("truth,score\n1,0.5\n1,0.6\n", encoding="utf-8")
    done = run_assay("classifier", "thresholds", "one.csv", "--resamples", "0", folder=folder)
    assert done.returncode == 0
    assert "youden: NA, there is no negative item." in done.stdout


class TestPlot:
    @pytest.mark.parametrize("kind", ["roc", "pr", "det", "calibration", "gain", "lift", "scores"])
    def test_every_kind_is_written(self, kind: str, folder: Path) -> None:
        done = invoke(["classifier", "plot", "letters/spam.csv", "--kind", kind, "--positive", "spam", "-o", "x.csv"])
        assert done.exit_code == 0, done.output
        assert done.stderr.startswith("x.csv: ")
        assert (folder / "x.csv").read_text(encoding="utf-8").startswith("system,")

    def test_a_picture_of_one_class_of_several(self, folder: Path) -> None:
        pytest.importorskip("vl_convert", reason="charts in files need the extra `report`")
        done = run_assay("classifier", "plot", "letters/topics.csv", "--class", "order", "-o", "x.svg", folder=folder)
        assert (done.returncode, (folder / "x.svg").read_text(encoding="utf-8")[:4]) == (0, "<svg")

    def test_files_are_put_side_by_side(self, folder: Path) -> None:
        for name in ("a", "b"):
            (folder / f"{name}.csv").write_text("truth,score\n1,0.9\n0,0.2\n1,0.4\n", encoding="utf-8")
        run_assay("classifier", "plot", "a.csv", "other=b.csv", "-o", "x.json", folder=folder)
        told = json.loads((folder / "x.json").read_text(encoding="utf-8"))["sections"]["curve"]
        assert [one["system"] for one in told["summary"]] == ["a", "other"]
        assert told["points"][0]["threshold"] is None

    @pytest.mark.parametrize(
        ("typed", "says"),
        [
            ((*SPAM[:3], "--binning", "mass"), "--binning has no meaning for --kind roc"),
            ((*SPAM[:3], "-k", "pr", "--seed", "4"), "--seed has no meaning for --kind pr"),
            (("letters/spam.csv", "--level", "2"), "--level goes with assay plot"),
            (("letters/spam.csv", "--subtopics"), "--subtopics goes with assay plot"),
            (("one.csv",), "one: a ROC curve needs positive and negative items: none is negative"),
            ((*SPAM[:3], "--kind", "scores", "--threshold", "yuoden"), "no rule is called 'yuoden'"),
        ],
    )  # fmt: skip
    def test_what_is_wrong_is_said_in_one_line(self, typed: tuple[str, ...], says: str, folder: Path) -> None:
        (folder / "one.csv").write_text("truth,score\n1,0.5\n1,0.6\n", encoding="utf-8")
        line = refused("classifier", "plot", *typed, "-o", "x.csv")
        assert says in line
        assert "\n" not in line
        assert not (folder / "x.csv").exists()


@pytest.mark.parametrize("words", [("--help",), (*SPAM, "-r", "youden", "--json")])
def test_threshold_and_thresholds_are_one_command(words: tuple[str, ...], folder: Path) -> None:
    one, other = (run_assay("classifier", word, *words, folder=folder) for word in ("threshold", "thresholds"))
    assert one.returncode == 0
    assert one.stdout == other.stdout


@pytest.mark.parametrize(
    ("rules", "rule", "reason"),
    [
        ((), "youden", "23.5% of the items are positive, so positives and negatives found count alike"),
        (("-r", "youden", "--cost", "fp=1,fn=10"), "cost(fp=1, fn=10)", "costs least by what you said errors cost"),
        (("-r", "youden", "--recall", "0.8"), "max_precision_given_recall(0.8)", "keeps the recall that you asked for"),
        (("-r", "max_accuracy", "-r", "max_f"), "max_accuracy", "it is the first rule that you named"),
    ],
)  # fmt: skip
def test_several_rules_end_in_one_recommendation_with_its_reason(
    rules: tuple[str, ...], rule: str, reason: str, folder: Path
) -> None:
    done = run_assay("classifier", "thresholds", *SPAM, *rules, folder=folder)
    [line] = [line for line in done.stdout.splitlines() if line.startswith("Recommended: ")]
    told = json.loads(run_assay("classifier", "thresholds", *SPAM, *rules, "--json", folder=folder).stdout)["sections"]
    assert told["recommendation"]["rule"] == rule
    assert f", by {rule}: " in line
    assert reason in line
    [chosen] = [each for each in told["thresholds"]["thresholds"] if each["rule"] == rule]
    assert told["recommendation"]["threshold"] == chosen["threshold"]
    if "say so: " in line:  # the advice works
        advice = line.split("say so: ")[1].rstrip(".")
        again = run_assay("classifier", "thresholds", *SPAM, *shlex.split(advice), folder=folder)
        assert "cost(fp=1, fn=10)" in again.stdout


def test_where_positives_are_rare_f_is_recommended_for_what_the_others_decide(folder: Path) -> None:
    scores = ", ".join(["P .9", "P .6", *(f"N .{number:02}" for number in range(5, 70, 3))])
    done = run_assay("classifier", "thresholds", "--scores", scores, "--resamples", "0", folder=folder)
    assert (
        "by max_f(beta=1): 8.3% of the items are positive, so the other class decides accuracy and TNR" in done.stdout
    )


def test_one_rule_needs_no_recommendation(folder: Path) -> None:
    assert "Recommended" not in run_assay("classifier", "thresholds", *SPAM, "-r", "youden", folder=folder).stdout


def of_queries(folder: Path, weight: str = "") -> Path:
    """Twelve queries with eight items each; the items of a query are alike."""
    rows = [f"q{query},{int(query % 3 == 0)},{(query * 7 % 12) / 12 + item / 1000:.4f}{weight}"
            for query in range(12) for item in range(8)]  # fmt: skip
    path = folder / "queries.csv"
    path.write_text("\n".join([f"query_id,truth,score{',weight' if weight else ''}", *rows]))
    return path


@pytest.mark.parametrize("weight", ["", ",2.5"])
def test_intervals_of_groups_are_those_of_whole_queries_drawn_anew(weight: str, folder: Path) -> None:
    """By a second way: items drawn query by query, in plain NumPy."""
    path = of_queries(folder, weight)
    words = ("classifier", "thresholds", path, "-r", "fixed(threshold=0.5)", "--json")
    told = {}
    for group in ((), ("--group", "query_id")):
        document = json.loads(run_assay(*words, *group, folder=folder).stdout)["sections"]
        [told[bool(group)]] = document["thresholds"]["thresholds"]
    assert document["meaning"]["groups"] == 12
    wide = {each: row["value_high"] - row["value_low"] for each, row in told.items()}
    assert wide[True] > 1.5 * wide[False]
    rng, lines = np.random.default_rng(1), [line.split(",") for line in path.read_text().splitlines()[1:]]
    query, truth, score = (np.array(column) for column in list(zip(*lines, strict=True))[:3])
    positive, predicted = truth == "1", score.astype(float) >= 0.5
    cells = [[(query == f"q{number}") & positive & predicted, (query == f"q{number}") & positive,
              (query == f"q{number}") & ~positive & ~predicted, (query == f"q{number}") & ~positive]
             for number in range(12)]  # fmt: skip
    sums = np.sum(cells, axis=2)[rng.integers(12, size=(20_000, 12))].sum(axis=1)
    with np.errstate(invalid="ignore"):
        youden = sums[:, 0] / sums[:, 1] + sums[:, 2] / sums[:, 3] - 1
    low, high = np.nanquantile(youden, [0.025, 0.975])
    assert (told[True]["value_low"], told[True]["value_high"]) == pytest.approx((low, high), abs=0.08)


def test_python_takes_groups_by_item_or_by_column(folder: Path) -> None:
    path = of_queries(folder)
    columns = pl.read_csv(path)
    items = assay.Predictions.of(columns["truth"], y_score=columns["score"])
    rule = "fixed(threshold=0.5)"
    by_column = assay.thresholds(path, rules=[rule], groups="query_id")[rule]
    by_item = assay.thresholds(items, rules=[rule], groups=columns["query_id"])[rule]
    assert by_item.value_interval.is_known
    assert by_column.value_interval == by_item.value_interval


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("queries.csv", "--group", "query"), "no column is called 'query'"),
        (("--scores", C6, "--group", "query_id"), "--group names a column of a file: typed scores have none"),
        (("queries.csv", "--group", "one"), "expected two groups of items or more, got 1"),
    ],
)
def test_groups_that_are_none_are_refused(words: tuple[str, ...], says: str, folder: Path) -> None:
    lines = of_queries(folder).read_text().splitlines()
    (folder / "queries.csv").write_text("\n".join([f"{lines[0]},one", *(f"{line},a" for line in lines[1:])]))
    assert says in refused("classifier", "thresholds", *words)
