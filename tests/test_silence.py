"""Silence never pays: what a system leaves undefined counts against it, what the truth does counts for nobody."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from command import run_assay

import assay
from assay import Log, Predictions
from assay.core.evaluation_options import Undefined

LABELS = ("a", "b", "c", "d")
MEASURES = ("Precision", "Recall", "F", "Jaccard")
OF_ITEMS = tuple(f"{name}(average='samples')" for name in MEASURES)
#: What `zero_division` of scikit-learn makes each measure of items what it is here by default.
ZERO_DIVISION = {"Precision": 0.0, "Recall": np.nan, "F": 1.0, "Jaccard": 1.0}
SEEDS = range(4)
Sets = list[list[str]]


def truth_of(rng: np.random.Generator, items: int = 80, *, empty: float = 0.1) -> Sets:
    """True labels; some items have none, and the last label may occur nowhere."""
    labels = LABELS[: rng.integers(3, 5)]
    return [[] if rng.random() < empty else [label for label in labels if rng.random() < 0.4] for _ in range(items)]


def answers_to(truth: Sets, rng: np.random.Generator, right: float = 0.85) -> Sets:
    """Predicted labels, most of them right; some items get none."""
    return [[label for label in LABELS if (rng.random() < right) == (label in labels)] for labels in truth]


def silenced(predicted: Sets, truth: Sets, share: float, rng: np.random.Generator) -> Sets:
    """The same with nothing predicted for a share of the items that have a label."""
    return [[] if labels and rng.random() < share else said for labels, said in zip(truth, predicted, strict=True)]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Predictions of 300 items by a good system, and by a lazy one that says nothing for 270 of them."""
    folder, rng = tmp_path_factory.mktemp("silence"), np.random.default_rng(0)
    truth = [labels or ["a"] for labels in truth_of(rng, 300)]
    lazy = [labels if item < 30 else [] for item, labels in enumerate(truth)]
    for name, predicted in (("good", answers_to(truth, rng)), ("lazy", lazy)):
        rows = [
            [str(item), ";".join(true), ";".join(said)]
            for item, (true, said) in enumerate(zip(truth, predicted, strict=True))
        ]
        frame = pl.DataFrame(rows, schema=["item_id", "truth", "prediction"], orient="row")
        frame.write_csv(folder / f"{name}.csv", quote_style="non_numeric")
    return folder


READ = ("--list-separator", ";")
PRECISION = ("-m", "Precision(average=samples)")
NO_RESAMPLES = ("--resamples", "0")


def test_evaluate_counts_silence_as_0_and_says_so_in_every_form(files: Path) -> None:
    said = run_assay("classifier", "evaluate", "lazy.csv", *READ, *PRECISION, *NO_RESAMPLES, folder=files)
    assert "0.1000" in said.stdout
    assert "270 items as 0" in said.stdout
    sentence = "counts 270 items (30, 31, 32, …) as 0: nothing is predicted positive"
    assert sentence in said.stdout
    told = run_assay("classifier", "evaluate", "lazy.csv", *READ, *PRECISION, *NO_RESAMPLES, "--json", folder=files)
    (row,) = json.loads(told.stdout)["sections"]["measures"]["measures"]
    assert (row["value"], row["counted_as"], len(row["counted"]), row["unit_kind"]) == (0.1, 0.0, 270, "item")
    result = assay.classify(assay.read_predictions(files / "lazy.csv", list_separator=";"), PRECISION[1], resamples=0)
    for form in (str(result), result.to_html(), result.to_markdown(), result.report().to_html()):
        assert sentence in form or "270 items" in form


def test_compare_and_gate_do_not_fall_for_silence(files: Path) -> None:
    both = ("good.csv", "lazy.csv", *READ, *PRECISION, "--seed", "1")
    compared = run_assay("classifier", "compare", *both, "--permutations", "500", folder=files)
    assert "lazy is worse than good" in compared.stdout
    assert "270 items" in compared.stderr
    assert run_assay("classifier", "gate", *both, folder=files).returncode == 1
    skipped = run_assay("classifier", "compare", *both, "--undefined", "skip", folder=files)
    words = " ".join(skipped.stdout.split())
    assert "lazy and good cannot be compared under" in words
    assert "lazy has no value on 253 of the 282 items that good has one on" in words
    gated = run_assay("classifier", "gate", *both, "--undefined=skip", folder=files)
    assert (gated.returncode, "cannot be compared" in " ".join(gated.stdout.split())) == (3, True)


def test_a_class_that_is_never_predicted_is_no_way_through_a_gate(tmp_path: Path) -> None:
    """c is hard: who never predicts it has the better precision of a and b, and none of c."""
    rng = np.random.default_rng(3)
    truth = rng.choice(list("abc"), 300, p=[0.45, 0.45, 0.1])
    fair = np.where(rng.random(300) < 0.75, truth, rng.choice(list("abc"), 300))
    shy = np.where(truth == "c", rng.choice(list("ab"), 300), np.where(rng.random(300) < 0.9, truth, "a"))
    for name, said in (("fair", fair), ("shy", shy)):
        pl.DataFrame({"truth": truth, "prediction": said}).write_csv(tmp_path / f"{name}.csv")
    gated = run_assay("classifier", "gate", "fair.csv", "shy.csv", "-m", "Precision", "--json", folder=tmp_path)
    assert gated.returncode == 1
    assert "Precision (macro) of shy counts class c as 0: nothing is predicted positive" in gated.stdout


def indicators(sets: Sets, labels: Sequence[str]) -> np.ndarray[Any, np.dtype[np.int64]]:
    return np.array([[int(label in said) for label in labels] for said in sets])


@cache
def sklearn_functions() -> dict[str, Callable[..., float]]:
    metrics = pytest.importorskip("sklearn.metrics")
    named = {"Precision": "precision_score", "Recall": "recall_score", "F": "f1_score", "Jaccard": "jaccard_score"}
    return {name: getattr(metrics, function) for name, function in named.items()}


def theirs(name: str, truth: Sets, predicted: Sets, labels: Sequence[str], average: str, division: float) -> float:
    """scikit-learn's number; its Jaccard index knows no NaN."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        arrays = indicators(truth, labels), indicators(predicted, labels)
        return float(sklearn_functions()[name](*arrays, average=average, zero_division=division))


@pytest.mark.parametrize("seed", SEEDS)
def test_means_are_those_of_scikit_learn(seed: int) -> None:
    """With its default for precision; recall of an item without a label is left out, F and Jaccard of a rightly empty
    answer are 1; of labels, those that occur nowhere are left out."""
    rng = np.random.default_rng(seed)
    truth = truth_of(rng)
    predicted = silenced(answers_to(truth, rng), truth, 0.4, rng)
    predicted = [[label for label in said if label != "b"] for said in predicted]
    table = Predictions.of(truth, predicted, labels=LABELS)
    result = assay.classify(table, [*OF_ITEMS, *MEASURES], resamples=0)
    occurring = [label for label in LABELS if any(label in said for said in (*truth, *predicted))]
    true = [label for label in LABELS if any(label in said for said in truth)]
    for name, division in ZERO_DIVISION.items():
        ours = result.value(f"{name}(average='samples')")
        assert ours == pytest.approx(theirs(name, truth, predicted, LABELS, "samples", division)), name
        labels = true if name == "Recall" else occurring
        assert result.value(name) == pytest.approx(theirs(name, truth, predicted, labels, "macro", 0.0)), name


@pytest.mark.parametrize("policy", ["0", "1", "skip"])
@pytest.mark.parametrize("seed", SEEDS)
def test_policies_are_the_zero_division_of_scikit_learn(seed: int, policy: Undefined) -> None:
    rng = np.random.default_rng(seed)
    truth = truth_of(rng)
    predicted = silenced(answers_to(truth, rng), truth, 0.4, rng)
    table = Predictions.of(truth, predicted, labels=LABELS)
    division = {"0": 0.0, "1": 1.0, "skip": np.nan}[policy]
    names = [*OF_ITEMS, *MEASURES]
    here = assay.classify(table, names, undefined=policy, resamples=0)
    alike = assay.classify(table, names, zero_division=division, resamples=0)
    for name in MEASURES if policy != "skip" else MEASURES[:3]:  # their Jaccard index knows no NaN
        for average, asked in (("samples", f"{name}(average='samples')"), ("macro", name)):
            wanted = theirs(name, truth, predicted, LABELS, average, division)
            assert here.value(asked) == alike.value(asked) == pytest.approx(wanted), asked


@pytest.mark.parametrize(
    ("predicted", "truth"), [("bbbb", "abbb"), ("bbbb", "bbbb"), ("aabb", "bbbb"), ("abbb", "abab")]
)
@pytest.mark.parametrize("policy", ["0", "1"])
def test_of_two_labels_0_or_1_is_what_0_divided_by_0_becomes_as_in_scikit_learn(
    predicted: str, truth: str, policy: Undefined
) -> None:
    division = int(policy)
    items = Predictions.of([*truth], [*predicted], pos_label="a", labels=["a", "b"])
    here = assay.classify(items, MEASURES, zero_division=division, resamples=50)
    left = assay.classify(items, MEASURES, resamples=0)
    report = assay.classification_report([*truth], [*predicted], labels=["a", "b"], zero_division=division)
    of_a = report.to_dict()["a"]
    for name, function in sklearn_functions().items():
        wanted = function([*truth], [*predicted], pos_label="a", zero_division=division)
        assert here.value(name) == pytest.approx(wanted), name
        assert assay.scorer(name, "a", labels=["a", "b"], zero_division=division)([*truth], [*predicted]) == wanted
        assert assay.explain(name, items, undefined=policy).value == pytest.approx(wanted)
        if name != "Jaccard":
            assert of_a[{"Precision": "precision", "Recall": "recall", "F": "f1-score"}[name]] == pytest.approx(wanted)
        if np.isnan(left.value(name)):
            reason = left.estimate(name).undefined
            assert re.search(f"counts? as {division}: {reason}", str(here))
            row = here.to_frame().row(by_predicate=pl.col("measure") == str(here.measure(name)), named=True)
            assert (row["value"], row["counted"], row["counted_as"]) == (division, "all", division)


@pytest.mark.parametrize(("policy", "value"), [("counted_as", None), ("skip", None), ("0", 0.0), ("1", 1.0)])
def test_precision_of_no_extraction_at_all_is_what_was_asked_for(policy: Undefined, value: float | None) -> None:
    result = assay.extract([("d", 0, 4, "PER")], [], undefined=policy)
    row = result.to_frame().row(by_predicate=pl.col("type") == "all (micro)", named=True)
    assert row["precision"] == value
    assert result.value("Precision") == pytest.approx(np.nan if value is None else value, nan_ok=True)
    assert ("It counts as" in str(result)) == (value is not None)


# Falling silent, unit by unit: the mean never rises, and no verdict turns in favour of the silent system.


def of_items(share: float, seed: int) -> Predictions:
    rng = np.random.default_rng(seed)
    truth = truth_of(rng)
    predicted = answers_to(truth, rng)
    return Predictions.of(
        truth, silenced(predicted, truth, share, np.random.default_rng(99)), labels=LABELS, name="new"
    )


def without_label(labels: Sequence[str], seed: int) -> Predictions:
    rng = np.random.default_rng(seed)
    truth = truth_of(rng, empty=0.0)
    predicted = [[label for label in said if label not in labels] for said in answers_to(truth, rng)]
    return Predictions.of(truth, predicted, labels=LABELS, name="new")


def never_rises(values: Sequence[float]) -> bool:
    return all(after <= before + 1e-12 for before, after in pairwise(values))


@pytest.mark.parametrize("seed", SEEDS)
def test_silence_on_more_items_never_raises_a_mean(seed: int) -> None:
    results = [assay.classify(of_items(share, seed), OF_ITEMS, resamples=0) for share in (0.0, 0.2, 0.5, 0.9, 1.0)]
    for name in OF_ITEMS:
        assert never_rises([result.value(name) for result in results]), name


@pytest.mark.parametrize("seed", SEEDS)
def test_silence_about_more_labels_never_raises_a_mean(seed: int) -> None:
    """Labels that occur, of course: who is silent about one that does not is right."""
    occurring = [
        label for label in LABELS if any(label in said for said in truth_of(np.random.default_rng(seed), empty=0.0))
    ]
    averages = [*MEASURES, *(f"{name}(average='weighted')" for name in MEASURES)]
    systems = [without_label(occurring[:number], seed) for number in range(len(occurring) + 1)]
    results = [assay.classify(system, averages, resamples=0) for system in systems]
    for name in averages:
        assert never_rises([result.value(name) for result in results]), name
    single = [of_one_label("abc"[:number], seed) for number in range(4)]
    for name in ("Precision", "Recall", "F", "FOfMeans", "Precision(average='weighted')"):
        values = [assay.classify(system, name, resamples=0).value() for system in single]
        assert never_rises(values), name


def of_one_label(unsaid: str, seed: int) -> Predictions:
    """One label per item, absent for a class that is never predicted."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(list("abc"), 120)
    said = np.where(rng.random(120) < 0.8, truth, rng.choice(list("abc"), 120))
    labels = [None if label in unsaid else label for label in said.tolist()]
    return Predictions.of(truth, labels, nulls="label", labels=list("abc"))


@pytest.mark.parametrize("seed", SEEDS)
def test_silence_on_more_queries_never_raises_a_mean(seed: int) -> None:
    rng = np.random.default_rng(seed)
    queries = [f"q{number}" for number in range(30)]
    qrels = {query: {f"d{n}": int(rng.random() < 0.4) for n in range(8)} | {"d9": 1} for query in queries}
    run = {query: {f"d{n}": float(rng.random()) for n in rng.choice(10, 5, replace=False)} for query in queries}
    names = ["SetP", "SetR", "SetF", "Jaccard", "AP", "nDCG@5", "RR"]
    values = []
    for answered in (30, 25, 12, 3):
        part = {query: run[query] if place < answered else {} for place, query in enumerate(queries)}
        result = assay.evaluate(qrels, {"run": part}, names)
        values.append([result.mean(name) for name in names])
    for name, column in zip(names, zip(*values, strict=True), strict=False):
        assert never_rises(column), name
    discovery = [
        assay.evaluate(qrels, {"run": {query: run[query] for query in queries[:number]}}, "FDR").mean()
        for number in (30, 12, 3)
    ]
    assert never_rises([-value for value in discovery])


@pytest.mark.parametrize("seed", SEEDS)
def test_silence_on_more_documents_never_raises_a_mean(seed: int) -> None:
    rng = np.random.default_rng(seed)
    documents = [f"d{number}" for number in range(20)]
    truth = [(name, 10 * n, 10 * n + 4, kind) for name in documents for n, kind in enumerate(("PER", "LOC"))]
    found = [row if rng.random() < 0.7 else (row[0], row[1] + 5, row[2] + 5, row[3]) for row in truth]
    for name in MEASURES[:3]:
        by_document = [
            assay.extract(truth, [row for row in found if row[0] in documents[:kept]]).value(name, average="documents")
            for kept in (20, 12, 4, 1)
        ]
        assert never_rises(by_document), name
        both, alone = (
            assay.extract(truth, [row for row in found if row[3] in kinds]).value(name, average="macro")
            for kinds in (("PER", "LOC"), ("PER",))
        )
        assert alone <= both, name


def log_of(silent: float, seed: int, name: str) -> Log:
    """Three pages for each of 60 users, of whom a share gets empty pages."""
    rng = np.random.default_rng(seed)
    pages, users = [], []
    for user in range(60):
        for query in range(3):
            clicked = [f"d{rank}" for rank in range(5) if rng.random() < 0.5 / (rank + 1)]
            empty = user < silent * 60
            pages.append((f"q{query}", [] if empty else [f"d{rank}" for rank in range(5)], [] if empty else clicked))
            users.append(f"{name} {user}")
    return Log.from_pages(pages, user_id=users, system=[name] * len(pages))


def test_silence_towards_more_users_never_raises_a_rate_and_wins_no_verdict() -> None:
    names = ("CTR", "CTR@1", "ClickRR", "Abandonment", "ZeroResults")
    of_clicks = ("MeanClickRank", "Skips", "FirstClickRank")
    logs = [log_of(share, 5, "new") for share in (0.0, 0.3, 0.6)]
    results = [assay.clicks(log, names) for log in logs]
    for name in names:
        sign = 1 if results[0].measure(name).definition.higher_is_better else -1
        assert never_rises([sign * result.value(name) for result in results]), name
    compared = assay.compare({"before": log_of(0.0, 4, "old"), "after": logs[2]}, measures=[*names, *of_clicks])
    for finding in compared.findings:
        assert finding.verdict.word in {"worse", "inconclusive"}, finding.measure
        if finding.measure in of_clicks:
            assert finding.verdict.incomparable
            assert "have a value" in str(finding.verdict)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_verdict_turns_in_favour_of_a_silent_system(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = truth_of(rng)
    base = Predictions.of(truth, answers_to(truth, rng, 0.8), labels=LABELS, name="old")
    quick = {"resamples": 500, "bootstrap_resamples": 200}
    for policy in ("counted_as", "skip"):
        words, outcomes = [], []
        for share in (0.0, 0.3, 0.8):
            new = of_items(share, seed)
            both: Any = [base, new]
            rules: Any = quick | {"measures": OF_ITEMS, "undefined": policy}
            words.append([finding.verdict.word for finding in assay.compare(both, **rules).findings])
            outcomes.append([check.outcome for check in assay.gate(base, new, **rules).checks])
        for before, after in pairwise(words):
            assert all(now != "better" or was == "better" for was, now in zip(before, after, strict=True)), policy
        for was, now in pairwise(outcomes):
            assert all(later != "pass" or earlier == "pass" for earlier, later in zip(was, now, strict=True)), policy


# What nobody has a value for, and few


def scores(frame: dict[str, list[float | None]]) -> assay.Scores:
    rows = [
        {"system": system, "measure": "Happiness", "unit_kind": "query", "unit": f"q{place}", "value": value}
        for system, values in frame.items()
        for place, value in enumerate(values)
    ]
    table = pl.DataFrame(rows, schema_overrides={"value": pl.Float64}).with_columns(undefined=pl.lit(None, pl.String))
    return assay.Scores(table)


@pytest.mark.parametrize(("lacking", "comparable"), [(0, True), (2, True), (3, False)])
def test_a_verdict_needs_values_on_all_but_5_percent_of_what_the_other_has(lacking: int, comparable: bool) -> None:
    some = scores({"a": [0.5 + n / 100 for n in range(40)], "b": [None] * lacking + [0.9] * (40 - lacking)})
    found = assay.compare(some, direction="higher", resamples=1000).finding()
    assert found.verdict.incomparable is not comparable
    assert found.verdict.word == ("better" if comparable else "inconclusive")
    if not comparable:
        assert str(found.verdict) == "cannot be compared: b has no value on 3 of the 40 queries that a has one on"


def test_scores_alone_take_the_policies(tmp_path: Path) -> None:
    """b has no value for 3 of 40 queries: left out, there is no verdict; as 0, it loses 3 times."""
    values: list[float | None] = [0.5 + n / 100 for n in range(40)]
    some = scores({"a": values, "b": [None, None, None, *values[3:]]})
    some.frame.select("system", "measure", "unit", "value").write_csv(tmp_path / "scores.csv")
    rules = ("--undefined", "0", "--direction", "higher")
    left_out = run_assay("scores", "compare", "scores.csv", *rules[2:], folder=tmp_path)
    assert "b has no value on 3 of the 40" in " ".join(left_out.stdout.split())
    counted = run_assay("scores", "compare", "scores.csv", *rules, "--json", folder=tmp_path)
    (row,) = json.loads(counted.stdout)["sections"]["findings"]["findings"]
    assert (row["value"], row["units"]) == (pytest.approx(sum(filter(None, values[3:])) / 40), 40)
    gated = run_assay("scores", "gate", "scores.csv", *rules, "-b", "a", "-c", "b", folder=tmp_path)
    assert gated.returncode in {1, 3}
    with pytest.raises(assay.InputError, match="Happiness of b on q0: expected a number, got none"):
        assay.compare(some, undefined="error")
    silent = scores({"a": values, "b": [None] * 40})
    assert assay.compare(silent, undefined="0", direction="higher").finding().verdict.word == "worse"


def test_what_the_truth_leaves_open_is_left_out_for_all_alike() -> None:
    """No item is z: recall of z is nobody's, whatever they predict; precision of z is 0 for who predicts it."""
    truth = ["x", "y", "x", "y"]
    systems = [Predictions.of(truth, said, labels=["x", "y", "z"], name=name) for name, said in
               (("wild", ["x", "z", "x", "y"]), ("tame", ["x", "x", "x", "y"]))]  # fmt: skip
    result = assay.classify(systems, ["Recall", "Precision"], resamples=0)
    assert [result.value("Recall", name) for name in ("wild", "tame")] == [(1 + 1 / 2) / 2] * 2
    assert result.value("Precision", "wild") == pytest.approx((1 + 1 + 0) / 3)
    alone = assay.classify(systems[1], "Precision", resamples=0)
    assert result.value("Precision", "tame") == alone.value() == pytest.approx((2 / 3 + 1) / 2)
    assert not assay.compare(systems, measures="Precision", resamples=100).finding().verdict.incomparable


def test_a_policy_that_allows_nothing_undefined_refuses_it() -> None:
    table = Predictions.of(["a", "b", "c"], ["a", "b", "a"])
    with pytest.raises(assay.InputError, match=r"Precision \(macro\) is undefined for 1 of 3 classes: nothing"):
        assay.classify(table, "Precision", undefined="error")
    assert assay.classify(table, "Recall", undefined="error", resamples=50).value() == pytest.approx(2 / 3)
    with pytest.raises(
        assay.ParameterError, match="undefined is one of counted_as, skip, error, 0, 1, nan, not 'zero'"
    ):
        assay.classify(table, "Precision", undefined="zero")  # type: ignore[arg-type]
    with pytest.raises(assay.ParameterError, match="another name of undefined"):
        assay.classify(table, "Precision", undefined="skip", zero_division=0)
    assert assay.scorer("Precision", zero_division=1)(["a", "b", "c"], ["a", "b", "a"]) == pytest.approx(2.5 / 3)


@pytest.mark.parametrize(("policy", "value"), [("counted_as", 0.5), ("0", 0.5), ("1", 1.0), ("skip", 1.0)])
def test_rankings_take_the_same_policies(tmp_path: Path, policy: str, value: float) -> None:
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\nq2 0 d1 1\n")
    (tmp_path / "run.txt").write_text("q1 Q0 d1 1 1.0 r\n")
    told = run_assay("evaluate", "qrels.txt", "run.txt", "-m", "SetP", "--undefined", policy, "--json", folder=tmp_path)
    assert str(value) in told.stdout
    evaluated = assay.evaluate(tmp_path / "qrels.txt", tmp_path / "run.txt", "SetP", undefined=policy)  # type: ignore[arg-type]
    assert evaluated.mean() == value


@pytest.mark.parametrize("policy", ["counted_as", "skip", "0"])
def test_a_system_that_retrieves_nothing_at_all_has_a_precision_of_0(policy: Undefined) -> None:
    """What it leaves undefined for every query is its own doing; where the judgments do, nobody has a mean."""
    qrels = {f"q{number}": {"d1": 1} for number in range(8)}
    runs = {"good": {query: {"d1": 1.0} for query in qrels}, "silent": {query: {} for query in qrels}}
    rules: Any = {"measures": "SetP", "undefined": policy}
    result, compared = assay.evaluate(qrels, runs, **rules), assay.compare(qrels, runs, resamples=500, **rules)
    gated = assay.gate(qrels, runs["good"], runs["silent"], max_missing=1.0, resamples=500, **rules)
    told = assay.explain("SetP", qrels, runs["silent"], undefined=policy)
    if policy == "skip":
        assert np.isnan([result.mean(system="silent"), told.value]).all()
        assert compared.finding().verdict.why == "undefined for silent (nothing was retrieved)"
        assert gated.outcome == "invalid"
        return
    assert (result.mean(system="silent"), told.value, compared.finding().verdict.word) == (0.0, 0.0, "worse")
    assert gated.outcome == "fail"
    nobody = assay.compare({query: {"d2": 0} for query in qrels}, runs, resamples=500, measures="AP", undefined=policy)
    assert nobody.finding().verdict.word == "inconclusive" if policy == "counted_as" else "identical"


@pytest.mark.parametrize(
    ("policy", "value", "words"), [("counted_as", 0.25, "counted as 0"), ("skip", 0.5, "left out")]
)
def test_explanations_and_evaluations_tell_the_same(tmp_path: Path, policy: str, value: float, words: str) -> None:
    """Of a, 1 of 2 predictions is right; b is never predicted."""
    (tmp_path / "p.csv").write_text("truth,prediction\na,a\nb,a\n")
    typed = ("-m", "Precision(average=macro)", "--positive", "a", "--undefined", policy)
    said = run_assay("classifier", "evaluate", "p.csv", *typed, "--json", folder=tmp_path)
    assert json.loads(said.stdout)["sections"]["measures"]["measures"][0]["value"] == value
    for source in (("p.csv", "--positive", "a"), ("--matrix", "1 0; 1 0")):
        told = run_assay(
            "classifier", "explain", "Precision(average=macro)", *source, "--undefined", policy, folder=tmp_path
        )
        assert f"= {value:g}" in told.stdout, told.stderr
        assert f"1 class without a number: {words}" in told.stdout
