"""Options that have no effect beside others are refused, in every subject that takes both; all others do something."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from command import run_assay
from documents import json_of

import assay
from assay import Predictions, Scores
from assay.core import idle_options
from assay.core.idle_options import Idle

DATA = Path(assay.__file__).parent / "data"
RUNS = [str(DATA / "tea" / name) for name in ("qrels.txt", "words.run", "stems.run")]
SPAM = [str(DATA / "letters" / "spam.csv"), "--positive", "spam"]
SPANS = [str(DATA / "letters" / name) for name in ("mentions.conll", "lists.conll", "capitals.conll")]
LOG = [str(DATA / "clicks" / "log.ndjson.gz")]
LABELS = [str(DATA / "crowd" / "labels.csv")]
NOTES = [str(DATA / "notes" / "notes.csv"), "--unlabelled", "drop"]

#: What is typed, and the option that has no effect in it.
TYPED: list[tuple[list[str], str]] = [
    (["compare", *RUNS, "--test", "t", "--permutations", "500"], "--permutations"),
    (["compare", *RUNS, "--test", "wilcoxon", "--permutations", "500"], "--permutations"),
    (["compare", *RUNS, "--test", "sign", "--permutations", "500"], "--permutations"),
    (["compare", *RUNS, "--interval", "t", "--resamples", "500"], "--resamples"),
    (["compare", *RUNS, "--test", "randomised_tukey", "--correction", "bonferroni"], "--correction"),
    (["compare", *RUNS, "--test", "randomised_tukey", "--family", "all"], "--family"),
    (["compare", *RUNS, "--correction", "none", "--family", "all"], "--family"),
    (["report", *RUNS, "--test", "t", "--permutations", "500"], "--permutations"),
    (["report", *RUNS, "--interval", "t", "--resamples", "500"], "--resamples"),
    (["evaluate", *RUNS, "--samples", "7"], "--samples"),
    (["evaluate", *RUNS, "--samples", "7", "--ties", "input_order"], "--samples"),
    (["power", *RUNS, "--samples", "7"], "--samples"),
    (["correlate", *RUNS, "-m", "AP", "-m", "RR", "--samples", "7"], "--samples"),
    (["plot", *RUNS, "--samples", "7"], "--samples"),
    (["gate", *RUNS, "--missing", "error", "--max-missing", "0.5"], "--max-missing"),
    (["classifier", "gate", *SPAM, "-b", "words", "-c", "bayes", "--max-missing", "0.5"], "--max-missing"),
    (["classifier", "compare", *SPAM, "-m", "Accuracy", "--permutations", "500"], "--permutations"),
    (["classifier", "compare", *SPAM, "-m", "AUC", "--permutations", "500"], "--permutations"),
    (["classifier", "compare", *SPAM, "-m", "AUC", "--resamples", "500"], "--resamples"),
    (["classifier", "compare", *SPAM, "-m", "AUC", "--interval", "t"], "--interval"),
    (["classifier", "compare", *SPAM, "--interval", "t", "--resamples", "500"], "--resamples"),
    (["classifier", "report", *SPAM, "--test", "mcnemar", "-m", "Accuracy", "--permutations", "500"], "--permutations"),
    (["classifier", "plot", *SPAM, "--resamples", "500"], "--resamples"),
    (["classifier", "power", *SPAM, "-m", "AUC", "--permutations", "500"], "--permutations"),
    (["clustering", "gate", *NOTES, "-b", "density", "-c", "kmeans", "--max-missing", "0.5"], "--max-missing"),
    (["extraction", "compare", *SPANS, "--interval", "t", "--resamples", "500"], "--resamples"),
    (["extraction", "gate", *SPANS, "--max-missing", "0.5"], "--max-missing"),
    (["classifier", "evaluate", *SPAM, "-m", "AUC", "--undefined", "skip"], "--undefined"),
    (["classifier", "evaluate", *SPAM, "-m", "AUC", "--zero-division", "nan"], "--undefined"),
    (["classifier", "compare", *SPAM, "-m", "Accuracy", "--undefined", "1"], "--undefined"),
    (["classifier", "gate", *SPAM, "-b", "words", "-c", "bayes", "--undefined", "skip"], "--undefined"),
    (["classifier", "report", *SPAM, "-m", "AUC", "--undefined", "skip"], "--undefined"),
    (["classifier", "power", *SPAM, "-m", "Brier", "--undefined", "0"], "--undefined"),
    (["classifier", "explain", "AUC", *SPAM, "--system", "bayes", "--undefined", "skip"], "--undefined"),
    (["classifier", "gate", *SPAM, "-b", "words", "-c", "bayes", "-m", "AUC", "--threshold", "0.3"], "--threshold"),
    (["classifier", "power", *SPAM, "-m", "Brier", "--threshold", "0.3"], "--threshold"),
    (["evaluate", *RUNS, "-m", "SetP(average=micro)", "--undefined", "skip"], "--undefined"),
    (["compare", *RUNS, "-m", "SetF(average=micro)", "--undefined", "1"], "--undefined"),
    (["gate", *RUNS, "-m", "SetP(average=micro)", "--undefined", "0"], "--undefined"),
    (["evaluate", *RUNS, "-m", "nDCG@10", "--collection-size", "5000"], "--collection-size"),
    (["report", *RUNS, "--collection-size", "5000"], "--collection-size"),
    (["extraction", "compare", *SPANS, "-m", "Precision", "--beta", "2"], "--beta"),
    (["extraction", "gate", *SPANS, "-m", "Precision,Recall", "--beta", "0.5"], "--beta"),
    (["extraction", "power", *SPANS, "-m", "Recall", "--beta", "2"], "--beta"),
    (["agreement", "evaluate", *LABELS, "-m", "Alpha", "--level", "1"], "--level"),
    (["crowd", "aggregate", *LABELS, "--level", "1"], "--level"),
    (["crowd", "aggregate", *LABELS, "--grade-by", "expected"], "--grade-by"),
    (["crowd", "aggregate", *LABELS, "--qrels", "x.qrels", "--level", "1"], "--level"),
    (["clicks", "compare", *LOG, "--permutations", "500"], "--permutations"),
    (["clicks", "compare", *LOG, "--resamples", "500"], "--resamples"),
    (["clicks", "compare", *LOG, "--interval", "bca"], "--interval"),
    (["clicks", "power", *LOG, "--permutations", "500"], "--permutations"),
]


@pytest.mark.parametrize(("words", "option"), TYPED, ids=[" ".join(w for w in t[0] if "/" not in w) for t in TYPED])
def test_an_option_without_effect_is_refused(words: list[str], option: str, tmp_path: Path) -> None:
    done = run_assay(*words, folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.search(rf"{option}( \S+)? has no effect", done.stderr), done.stderr
    assert not list(tmp_path.iterdir())


def test_every_row_of_the_table_is_typed_somewhere() -> None:
    rows = [row for name, rows in vars(idle_options).items() if name.startswith("OF_") for row in rows]
    typed = {option.removeprefix("--").replace("-", "_") for _, option in TYPED}
    called = {"resamples": {"permutations", "resamples"}, "bootstrap_resamples": {"resamples"}}
    assert all(isinstance(row, Idle) for row in rows)
    assert all(called.get(row.option, {row.option}) & typed for row in rows)


def test_a_level_that_no_measure_of_a_gate_asks_for_is_noted(tmp_path: Path) -> None:
    words = ["gate", *RUNS, "--level", "2", "--inconclusive", "pass"]
    note = "note: --level 2 has no effect on nDCG@10"
    assert note in run_assay(*words, folder=tmp_path).stderr
    assert note not in run_assay(*words, "-m", "AP", folder=tmp_path).stderr


#: Options beside others that give them an effect.
HEEDED: list[list[str]] = [
    ["classifier", "evaluate", *SPAM, "-m", "AUC", "-m", "Precision", "--undefined", "skip"],
    ["classifier", "evaluate", *SPAM, "-m", "AUC", "--undefined", "error"],
    ["classifier", "compare", *SPAM, "-m", "AUC,F", "--undefined", "1", "--threshold", "0.3"],
    ["evaluate", *RUNS, "-m", "SetP(average=micro)", "-m", "AP", "--undefined", "skip"],
    ["evaluate", *RUNS, "-m", "nDCG,AUC", "--collection-size", "5000"],
    ["extraction", "compare", *SPANS, "--beta", "2"],
    ["agreement", "evaluate", *LABELS, "-m", "PosAgree", "-m", "Alpha", "--level", "1"],
    ["crowd", "aggregate", *LABELS, "--qrels", "x.qrels", "--level", "1", "--grade-by", "relevant"],
]


@pytest.mark.parametrize("words", HEEDED, ids=[" ".join(w for w in each if "/" not in w) for each in HEEDED])
def test_an_option_with_an_effect_is_taken(words: list[str], tmp_path: Path) -> None:
    done = run_assay(*words, folder=tmp_path)
    assert done.returncode == 0, done.stderr


#: Values of each option of a comparison that are not its defaults.
OTHERS: dict[str, Sequence[Any]] = {
    "test": ("bootstrap", "t", "wilcoxon", "sign", "randomised_tukey"), "resamples": (300,),
    "bootstrap_resamples": (300,), "interval": ("t", "percentile"), "correction": ("none",), "family": ("all",),
    "margin": (0.2,), "alpha": (0.3,), "power": (0.6,), "seed": (5,),
}  # fmt: skip


def _numbers(data: Any, **options: Any) -> str | None:
    """All that a comparison says but its settings; None if it is refused, as the options have no effect."""
    try:
        told = json_of(assay.compare(data, **options))
    except assay.ParameterError as problem:
        assert "has no effect" in str(problem)  # noqa: PT017  # any other refusal is a fault
        return None
    told.pop("method")
    return json.dumps(told)


def test_beside_each_option_every_other_one_changes_something_or_is_refused() -> None:
    rng = np.random.default_rng(3)
    rows = [
        (system, measure, f"u{unit}", 0.3 + 0.05 * place + rng.normal(0, 0.2))
        for place, system in enumerate("abc")
        for measure in ("X", "Y")
        for unit in range(25)
    ]
    frame = pl.DataFrame(rows, schema=["system", "measure", "unit", "value"], orient="row")
    scores = Scores(
        frame.with_columns(unit_kind=pl.lit("query"), undefined=pl.lit(None, pl.String)).select(Scores.SCHEMA.keys()),
        dict.fromkeys("XY", "higher"),
    )
    drawn = {"seed"}  # harmless where nothing is drawn
    silent = []
    for first, values in OTHERS.items():
        for value in values:
            base: dict[str, Any] = {"bootstrap_resamples": 200, "resamples": 200} | {first: value}
            for name in ("bootstrap_resamples", "resamples"):
                if name != first and _numbers(scores, **{first: value, name: 200}) is None:
                    base.pop(name)
            plain = _numbers(scores, **base)
            for second in OTHERS.keys() - {first} - drawn:
                for other in OTHERS[second]:
                    if _numbers(scores, **base | {second: other}) == plain:
                        silent.append((first, value, second, other))
    assert not silent


def test_what_has_an_effect_is_still_taken() -> None:
    truth, scores = [0, 1] * 60, np.random.default_rng(1).random((2, 120))
    first, second = (
        Predictions.of(truth, (score > 0.5).astype(int), y_score=score, name=name)
        for name, score in zip("ab", scores, strict=True)
    )
    assert assay.compare([first, second], measures=["F", "AUC"], resamples=300).findings
    mixed = assay.compare([first, second], measures=["F", "AUC"], interval="percentile", bootstrap_resamples=300)
    assert mixed.settings.bootstrap_resamples == 300
    assert assay.gate(first, second, missing="drop", max_missing=0.5).outcome
    assert assay.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, "RR", ties="expected", samples=7).samples == 7
