"""Settings chosen by some topics and measured on others: held against loops, simulations and real runs."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from cases import in_turn
from command import invoke
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy import stats as scipy_stats
from shared_data import shared

from assay import InputError, ParameterError, Topics, evaluate, read_topics, tune
from assay.measures.counting.judgments import Floats, Ints
from assay.stats.bootstrap import Interval
from assay.stats.fold_samples import RETUNED, Choices, t_by_error
from assay.subjects.ranking.tuning import parameters_in, settings_of

ROOT = Path(__file__).parents[1]
BICYCLES = ROOT / "src" / "assay" / "data" / "bicycles"
GRID = sorted((BICYCLES / "grid").glob("*.run"))
Runs = dict[str, dict[str, dict[str, float]]]


def drawn(topics: int, settings: int, seed: int) -> tuple[dict[str, dict[str, int]], Runs]:
    """Judgments with one relevant document a topic, and settings that rank it anywhere from 1 to 4."""
    rng = np.random.default_rng(seed)
    judged = {f"q{n:03}": {"good": 1} for n in range(topics)}
    runs = {
        f"k={k}": {q: {"good": float(-rng.integers(1, 5)), "a": -1.5, "b": -2.5, "c": -3.5} for q in judged}
        for k in range(settings)
    }
    return judged, runs


def slow_tune(values: dict[str, dict[str, float]], fold_of: dict[str, str]) -> tuple[dict[str, str], float]:
    """The setting of each fold and the mean of topics, as plain loops over {setting: {topic: value}}."""
    chosen = {}
    for fold in set(fold_of.values()):
        others = [topic for topic, own in fold_of.items() if own != fold]
        means = {name: round(sum(of[topic] for topic in others) / len(others), 12) for name, of in values.items()}
        chosen[fold] = max(means, key=lambda name: means[name])
    tested = [values[chosen[fold]][topic] for topic, fold in fold_of.items()]
    return chosen, sum(tested) / len(tested)


@in_turn("seed", range(8))
@in_turn("folds", [2, 5, "leave-one-out"])
def test_it_is_what_plain_loops_make(folds: int | str, seed: int) -> None:
    judged, runs = drawn(12, 5, seed)
    result = tune(judged, runs, "RR", folds=folds, seed=seed)
    scores = evaluate(judged, runs, "RR").scores.frame
    values = {name: dict(part.select("unit", "value").iter_rows()) for (name,), part in scores.group_by("system")}
    values = {name: values[name] for name in runs}
    fold_of = dict(result.per_topic().select("query_id", "fold").iter_rows())
    chosen, mean = slow_tune(values, fold_of)
    assert {one.fold: one.chosen for one in result.folds} == chosen
    assert result.value == pytest.approx(mean)
    best = max(runs, key=lambda name: round(sum(values[name].values()), 9))
    assert result.hindsight == best
    assert result.hindsight_value == pytest.approx(sum(values[best].values()) / 12)
    assert result.optimism == pytest.approx(result.hindsight_value - result.value)


def test_no_topic_has_a_say_in_its_own_setting() -> None:
    judged, runs = drawn(15, 4, 3)
    before = tune(judged, runs, "RR", folds="leave-one-out").per_topic()
    turned = {name: run | {"q007": {"good": 1.0 if name == "k=3" else -9.0, "a": 0.0}} for name, run in runs.items()}
    after = tune(judged, turned, "RR", folds="leave-one-out").per_topic()
    assert before.row(7)[2] == after.row(7)[2]


def test_folds_hold_each_topic_once_and_are_drawn_with_the_seed() -> None:
    judged, runs = drawn(23, 3, 0)
    first, again, other = (tune(judged, runs, "RR", folds=5, seed=seed) for seed in (1, 1, 2))
    assert sorted(one.topics for one in first.folds) == [4, 4, 5, 5, 5]
    assert first.per_topic().equals(again.per_topic())
    assert not first.per_topic()["fold"].equals(other.per_topic()["fold"])
    turned = dict(reversed(judged.items()))
    assert tune(turned, runs, "RR", folds=5, seed=1).per_topic().equals(first.per_topic())
    assert first.interval == again.interval


def test_topics_that_belong_together_stay_together() -> None:
    judged, runs = drawn(9, 3, 0)
    groups = {topic: "abc"[n % 3] for n, topic in enumerate(judged)}
    result = tune(judged, runs, "RR", folds=groups)
    assert [(one.fold, one.topics) for one in result.folds] == [("a", 3), ("b", 3), ("c", 3)]
    assert dict(result.per_topic().select("query_id", "fold").iter_rows()) == groups
    frame = {"query_id": list(groups), "title": "", "site": list(groups.values())}
    by_column = tune(judged, runs, "RR", folds=Topics.of(pl.DataFrame(frame)), by="site")
    assert by_column.per_topic().equals(result.per_topic())


def test_of_settings_that_tie_the_first_in_order_is_chosen_and_it_is_said() -> None:
    judged = {f"q{n}": {"good": 1} for n in range(6)}
    runs = {name: {q: {"good": 1.0} for q in judged} for name in ("slow", "fast")}
    assert {one.chosen for one in tune(judged, runs, "RR", folds=3).folds} == {"slow"}
    result = tune(judged, {"fast": runs["fast"], **runs}, "RR", folds=3, baseline="slow")
    assert {one.chosen for one in result.folds} == {result.hindsight} == {"fast"}
    assert result.notes == (
        "fast was chosen in every fold",
        "settings tied for the best in 3 folds: the first in order was taken",
    )
    assert result.finding is not None
    assert result.finding.verdict.word == "identical"


def test_less_is_better_where_the_measure_says_so() -> None:
    judged, runs = drawn(12, 3, 5)
    result = tune(judged, runs, "ErrorRate", folds=3, collection_size=10, depth=1)
    assert result.of(result.hindsight) == min(map(result.of, runs))
    assert result.optimism >= 0


def test_what_is_worth_a_warning_is_said() -> None:
    judged, runs = drawn(10, 3, 0)
    for q in judged:
        runs["k=2"][q]["good"] = 0.0
    result = tune(judged, runs, "RR", folds=5)
    assert result.warnings[-2:] == (
        "10 topics are few to choose by: which setting is best on them is largely chance",
        "k: the largest value of the grid, 2, was chosen in 5 of 5 folds: better ones may lie beyond",
    )
    assert result.notes[0] == "k=2 was chosen in every fold"
    assert result.stability == 1
    unsure = tune(*drawn(30, 12, 5), "RR", folds=5)
    assert unsure.stability < 0.5
    assert "none in half of them: the choice hangs on the topics" in unsure.warnings[0]


@in_turn(
    ("options", "says"),
    [
        ({"folds": 99}, "99 folds need as many topics or more"),
        ({"folds": 1}, "folds is a whole number from 2 on"),
        ({"folds": "all"}, "leave-one-out"),
        ({"folds": {"q000": "a"}}, "expected one for every topic, got none for q001"),
        ({"folds": {f"q{n:03}": "a" for n in range(6)}}, "expected two or more, got 'a' for every topic"),
        ({"folds": {"q000": "a"} | {f"q{n:03}": math.nan for n in range(1, 6)}}, "got none for q001, q002"),
        ({"by": "site"}, "names an attribute of topics"),
        ({"baseline": "k=9"}, "the baseline is one of k=0, k=1"),
        ({"alpha": 2}, "alpha is a number between"),
        ({"measure": "GMAP"}, "not a mean over topics"),
        ({"measure": "NumRet"}, "not a mean over topics"),
    ],
)
def test_a_wrong_call_gets_a_clear_line(options: dict[str, object], says: str) -> None:
    judged, runs = drawn(6, 2, 0)
    with pytest.raises((ParameterError, InputError), match=re.escape(says)):
        tune(judged, runs, **({"measure": "RR", "folds": 2} | options))  # type: ignore[arg-type]


def test_one_setting_is_nothing_to_choose_from() -> None:
    judged, runs = drawn(6, 1, 0)
    with pytest.raises(ParameterError, match="two settings or more, not k=0 alone"):
        tune(judged, runs, "RR")


@in_turn(
    ("name", "parameters"),
    [
        ("bm25-k1=0.9,b=0.4", {"k1": 0.9, "b": 0.4}),
        ("mu=1000", {"mu": 1000.0}),
        ("lm_mu=1e3_top_k=10", {"lm_mu": 1000.0, "top_k": 10.0}),
        ("w=-0.5", {"w": -0.5}),
        ("model=bge-small;pool=mean", {"model": "bge-small", "pool": "mean"}),
        ("b=nan", {"b": "nan"}),
        ("b=", {}),
        ("=3", {}),
        ("plain", {}),
    ],
)
def test_names_tell_parameters(name: str, parameters: dict[str, float | str]) -> None:
    assert parameters_in(name) == parameters


@given(st.text())
def test_any_name_is_read(name: str) -> None:
    for parameter, value in parameters_in(name).items():
        assert f"{parameter}=" in name
        assert isinstance(value, float) or value in name


@given(
    st.dictionaries(st.from_regex(r"[a-z][a-z0-9]{0,5}", fullmatch=True), st.integers(-999, 999), min_size=1),
    st.sampled_from([",", ";", "_", "+"]),
)
def test_what_is_written_is_read_again(parameters: dict[str, int], between: str) -> None:
    assert parameters_in(between.join(f"{name}={value}" for name, value in parameters.items())) == parameters


def test_parameters_count_only_if_every_setting_has_them() -> None:
    assert settings_of(["a=1,b=2", "a=1"]) == {"a=1,b=2": {}, "a=1": {}}


def slow_values(numbers: Floats, fold_of: Ints, weights: Floats) -> float:
    """Choose by the weighted units of other folds and add up one's own, as plain loops."""
    total = 0.0
    for unit, own in enumerate(fold_of):
        others = [n for n in range(len(fold_of)) if fold_of[n] != own]
        sums = [round(sum(weights[n] * numbers[n, s] for n in others), 9) for s in range(numbers.shape[1])]
        total += weights[unit] * numbers[unit, sums.index(max(sums))]
    return total / float(weights.sum())


@in_turn("seed", range(10))
def test_choosing_again_is_what_plain_loops_make(seed: int) -> None:
    rng = np.random.default_rng(seed)
    numbers, fold_of = rng.normal(size=(9, 4)), np.arange(9) % (3 if seed % 2 else 9)
    weights = rng.integers(0, 3, 9).astype(np.float64)
    found = Choices(numbers, fold_of).values(weights[None])
    assert found[0] == pytest.approx(slow_values(numbers, fold_of, weights))


@in_turn("against_first", [False, True])
def test_choosing_again_takes_the_first_of_settings_that_tie(against_first: bool) -> None:
    """Sums of tenths tie often, and differ by rounding: that must not choose."""
    rng = np.random.default_rng(7)
    for _ in range(100):
        numbers, fold_of = rng.integers(0, 11, (20, 4)) / 10, rng.permutation(np.arange(20) % 5)
        numbers -= numbers[:, [0]] if against_first else 0.0
        weights = rng.integers(0, 3, 20).astype(np.float64)
        found = Choices(numbers, fold_of).values(np.stack([np.ones(20), weights]))
        assert found == pytest.approx([slow_values(numbers, fold_of, one) for one in (np.ones(20), weights)])


@given(st.floats(-1, 1), st.floats(1e-6, 1), st.integers(2, 100), st.sampled_from([0.5, 0.9, 0.95]))
def test_the_interval_holds_0_where_the_test_does_not_reject(
    gain: float, error: float, units: int, level: float
) -> None:
    p, interval = t_by_error(gain, error, units).p, Interval.by_t(gain, error, units - 1, level, RETUNED)
    if abs(p - (1 - level)) > 1e-9:
        assert (interval.low <= 0 <= interval.high) == (p > 1 - level)


def test_a_poor_setting_in_the_grid_hides_no_gain() -> None:
    """Nobody would choose it, so the gain of another is found about as often as without it."""
    rng, found = np.random.default_rng(2), {0.0: 0, 0.4: 0}
    for seed in range(60):
        numbers, fold_of = rng.normal(0, 0.1, (50, 3)), rng.permutation(np.arange(50) % 5)
        numbers[:, 1] += 0.06
        for worse in found:
            turned = numbers - [0.0, 0.0, worse]
            choices = Choices(turned - turned[:, [0]], fold_of)
            gain = float(choices.values(np.ones((1, 50)))[0])
            found[worse] += t_by_error(gain, choices.error(200, seed), 50).p < 0.05
    assert found[0.4] >= 0.5 * 60
    assert found[0.4] >= found[0.0]


def test_the_gain_over_a_baseline_is_not_found_where_settings_do_not_differ() -> None:
    """Twelve settings that are equally good: at 5 %, tuning again keeps its promise, and a paired t test does not."""
    sets, topics, settings, rng = 300, 40, 12, np.random.default_rng(4)
    kept, plain, covered = 0, 0, 0
    for seed in range(sets):
        numbers = rng.normal(size=(topics, settings))
        differences, fold_of = numbers - numbers[:, [0]], rng.permutation(np.arange(topics) % 5)
        choices = Choices(differences, fold_of)
        gain = float(choices.values(np.ones((1, topics)))[0])
        chosen = [(differences.sum(axis=0) - differences[fold_of == fold].sum(axis=0)).argmax() for fold in range(5)]
        own = differences[np.arange(topics), np.array(chosen)[fold_of]]
        assert own.mean() == pytest.approx(gain)
        error = choices.error(200, seed)
        kept += t_by_error(gain, error, topics).p < 0.05
        plain += bool(own.any() and scipy_stats.ttest_1samp(own, 0.0).pvalue < 0.05)
        low, high, *_ = Interval.by_t(gain, error, topics - 1, 0.95, RETUNED)
        covered += low <= 0 <= high
    assert kept / sets <= scipy_stats.binom.ppf(0.999, sets, 0.05) / sets
    assert plain / sets > 0.09
    assert covered / sets >= scipy_stats.binom.ppf(0.001, sets, 0.95) / sets


def test_a_gain_that_is_there_is_found() -> None:
    judged, runs = drawn(40, 6, 1)
    for q in [*judged][:36]:
        runs["k=4"][q]["good"] = 0.0
    result = tune(judged, runs, "RR", baseline="k=0", folds=5)
    assert result.finding is not None
    assert result.finding.verdict.word == "better"
    assert result.finding.interval.low > 0
    assert result.finding.difference == pytest.approx(result.value - result.of("k=0"))


def test_a_gain_that_is_the_same_for_all_topics_is_found() -> None:
    judged = {f"q{n}": {"good": 1} for n in range(30)}
    runs = {name: {q: {"good": place, "bad": 1.0} for q in judged} for name, place in (("off", 0.0), ("on", 2.0))}
    found = tune(judged, runs, "RR", baseline="off").finding
    assert found is not None
    assert (found.p, found.verdict.word, found.interval.is_known) == (2 / 2**30, "better", False)


def test_where_settings_tie_no_end_of_the_grid_is_said_to_be_best() -> None:
    judged = {f"q{n:02}": {"good": 1} for n in range(30)}
    runs = {f"k={k}": {q: {"good": 1.0} for q in judged} for k in range(4)}
    assert tune(judged, runs, "RR", baseline="k=0").warnings == (
        "every topic has the same number under all settings: there is nothing to choose by",
    )
    runs["k=3"]["q00"] = {"bad": 1.0}
    assert tune(judged, runs, "RR").warnings == ()


def bm25(documents: list[str], queries: list[str], k1: float, b: float) -> Floats:
    """Scores of documents (columns) for queries (rows)."""
    words = [re.findall(r"[a-z0-9]+", text.lower()) for text in documents]
    places = {word: place for place, word in enumerate(dict.fromkeys(word for text in words for word in text))}
    lengths = np.array([len(text) for text in words], dtype=float)
    rows = np.repeat(np.arange(len(words)), lengths.astype(int))
    columns = [places[word] for text in words for word in text]
    counts = sparse.coo_array((np.ones(len(columns)), (rows, columns)), (len(words), len(places))).tocsr().tocoo()
    norm = k1 * (1 - b + b * lengths / lengths.mean())
    holding = np.bincount(counts.col, minlength=len(places))
    rare = np.log(1 + (len(words) - holding + 0.5) / (holding + 0.5))
    weight = rare[counts.col] * counts.data * (k1 + 1) / (counts.data + norm[counts.row])
    table = sparse.coo_array((weight, (counts.row, counts.col)), counts.shape).tocsr()
    asked = sparse.lil_array((len(queries), len(places)))
    for row, text in enumerate(queries):
        for word in set(re.findall(r"[a-z0-9]+", text.lower())) & places.keys():
            asked[row, places[word]] = 1
    return np.asarray((asked.tocsr() @ table.T).todense())


def test_bm25_on_cranfield_is_tuned() -> None:
    """A grid with a bad corner: tuning finds the good part, and its honest number lies below the best in hindsight."""
    texts = [json.loads(line) for line in shared("cranfield", "docs.jsonl").read_text(encoding="utf-8").splitlines()]
    topics = read_topics(shared("cranfield", "topics.tsv")).frame
    runs: Runs = {}
    for k1, b in product((0.2, 1.2, 2.5), (0.0, 0.4, 0.8)):
        scores = bm25([one["text"] for one in texts], topics["title"].to_list(), k1, b)
        best = np.argsort(-scores, axis=1)[:, :50]
        runs[f"bm25-k1={k1},b={b}"] = {
            query: {texts[place]["id"]: float(scores[row, place]) for place in best[row]}
            for row, query in enumerate(topics["query_id"])
        }
    result = tune(shared("cranfield", "qrels.trec"), runs, "AP", folds=5, baseline="bm25-k1=0.2,b=0.0")
    assert min(map(result.of, runs)) < result.value
    assert 0 <= result.optimism < 0.02
    assert result.finding is not None
    assert (result.finding.verdict.word, result.finding.units) == ("better", len(result.sample.units))
    assert set(result.per_setting().columns) == {"setting", "k1", "b", "AP", "chosen"}


def test_the_grid_of_bicycles_is_what_the_script_makes(tmp_path: Path) -> None:
    pytest.importorskip("sklearn", reason="the script needs scikit-learn")
    subprocess.run([sys.executable, ROOT / "scripts" / "make_bicycles_grid.py", tmp_path], check=True)
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in GRID}
    for path in GRID:
        assert (tmp_path / path.name).read_bytes() == path.read_bytes()


def called(*arguments: str | Path) -> tuple[int, str, str]:
    done = invoke(["tune", *map(str, arguments)])
    return done.exit_code, done.stdout, str(done.exception or "")


def test_the_command_gives_what_the_function_gives() -> None:
    code, shown, _ = called(BICYCLES / "qrels.txt", *GRID, "-m", "nDCG@10", "-b", GRID[5].stem, "--json", "--quiet")
    told = json.loads(shown)["sections"]
    honest, hindsight, _ = told["numbers"]["numbers"]
    result = tune(BICYCLES / "qrels.txt", GRID, "nDCG@10", baseline=GRID[5].stem)
    assert (code, honest["nDCG@10"], hindsight["setting"]) == (0, result.value, result.hindsight)
    settings, folds = told["settings"], told["folds"]
    assert (settings["settings"][5]["k1"], settings["settings"][5]["title"]) == (1.2, 1.0)
    assert (len(folds["topics"]), len(folds["folds"])) == (20, 5)
    assert result.finding is not None
    assert told["numbers"]["comparison"]["p"] == result.finding.p


def test_a_table_of_numbers_holds_the_honest_one_first() -> None:
    result = tune(BICYCLES / "qrels.txt", GRID, "nDCG@10", baseline=GRID[5].stem)
    frame = result.to_frame()
    assert frame["what"].to_list() == ["tuned on other topics", "best in hindsight", "baseline", *["setting"] * 12]
    assert frame["setting"].to_list()[:3] == [None, result.hindsight, GRID[5].stem]
    assert frame["nDCG@10"].to_list()[:3] == [result.value, result.hindsight_value, result.of(GRID[5].stem)]
    found, first = result.finding, frame.row(0, named=True)
    assert found is not None
    assert (first["interval_low"], first["interval_high"]) == result.interval[:2]
    assert (first["difference"], first["difference_low"], first["p"]) == (found.difference, found.interval.low, found.p)
    assert frame["p"].null_count() == frame["interval_low"].null_count() == 14
    assert frame[3:].select(result.per_setting().columns).equals(result.per_setting())


def test_every_form_is_written() -> None:
    files = [str(BICYCLES / "qrels.txt"), *map(str, GRID), "--quiet"]
    head = "what,setting,k1,title,AP,chosen,interval_low,interval_high\n"
    assert called(*files, "--csv")[1].startswith(f"{head}tuned on other topics,,,,")
    assert "| tuned on other topics |" in called(*files, "--markdown")[1]
    assert r"\toprule" in called(*files, "--latex")[1]
    assert "best in hindsight" in called(*files, "--folds", "leave-one-out")[1]
    assert "<table>" in tune(BICYCLES / "qrels.txt", GRID).to_html()


@in_turn(
    ("options", "says"),
    [
        (("--folds", "99"), "99 folds need"),
        (("--folds", "many"), "--folds is a whole number from 2 on, or leave-one-out, not 'many'"),
        (("--folds", ""), "--folds is a whole number from 2 on, or leave-one-out, not ''"),
        (("--confidence", "0.5"), "--confidence lies between 0.5 and 1, not 0.5"),
        (("--test", "t"), "no such option: --test"),
        (("--compare",), "no such option: --compare"),
        (("--repeat", "r"), "no such option: --repeat"),
        (("--fold", "site"), "--topics FILE and --fold ATTRIBUTE go together"),
        (("-m", "AP", "-m", "RR"), "one measure"),
        (("-b", "bm25"), "the baseline is one of"),
        (("--positive", "spam"), "no such option: --positive"),
    ],
)
def test_a_wrong_command_gets_a_clear_line(options: tuple[str, ...], says: str) -> None:
    code, shown, problem = called(BICYCLES / "qrels.txt", *GRID, *options)
    assert (code, shown) == (1, "")  # an exception here; the entry point makes it exit code 2
    assert says in problem


def test_folds_are_read_from_topics(tmp_path: Path) -> None:
    rows = [f"{n},topic {n},{'xyz'[n % 3]}" for n in range(1, 21)]
    (tmp_path / "topics.csv").write_text("query_id,title,site\n" + "\n".join(rows) + "\n", encoding="utf-8")
    given = ("--topics", tmp_path / "topics.csv", "--fold", "site", "--json", "--quiet")
    code, shown, _ = called(BICYCLES / "qrels.txt", *GRID, *given)
    assert (code, [one["fold"] for one in json.loads(shown)["sections"]["folds"]["folds"]]) == (0, ["x", "y", "z"])


def crossvalidated(*arguments: str | Path) -> tuple[int, str, str]:
    done = invoke(["classifier", "crossval", *map(str, arguments)])
    return done.exit_code, done.stdout, str(done.exception or "")


def test_models_are_compared_over_the_folds_of_a_file() -> None:
    folds = BICYCLES.parent / "letters" / "folds.csv"
    code, shown, _ = crossvalidated(folds, "--positive", "spam", "--compare", "-m", "Accuracy", "--json", "--quiet")
    (found,) = json.loads(shown)["sections"]["findings"]["findings"]
    assert (code, found["test"]["test"], found["units"]) == (0, "corrected-t", 5)
    for wrong, says in ((("--test", "wilcoxon"), "refused"), (("--folds", "3"), "no such option: --folds")):
        assert says in crossvalidated(folds, "--positive", "spam", *wrong)[2]
    assert "RUN is missing" in called(BICYCLES / "qrels.txt")[2]
