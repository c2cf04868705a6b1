"""`assay trec-eval` digit by digit beside the reference tool's own arithmetic."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytrec_eval
from cases import in_turn
from command import run_assay

import assay

#: Retrieved and relevant documents, and those that are both; of these the products and quotients round differently.
SIZES = [(retrieved, relevant, both) for retrieved in (6, 7, 25, 49, 300) for relevant in (3, 10, 41, 110)
         for both in (1, 2, 3) if both <= min(retrieved, relevant)]  # fmt: skip


def collection() -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """A topic for each of the sizes."""
    qrels, run = {}, {}
    for number, (retrieved, relevant, both) in enumerate(SIZES):
        qrels[f"q{number:03}"] = {f"d{place}": 1 for place in range(relevant)}
        documents = [f"d{place}" for place in range(both)] + [f"x{place}" for place in range(retrieved - both)]
        run[f"q{number:03}"] = {document: float(-place) for place, document in enumerate(documents)}
    return qrels, run


def write(folder: Path, qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]) -> None:
    (folder / "qrels").write_text("".join(f"{q} 0 {d} {g}\n" for q, docs in qrels.items() for d, g in docs.items()))
    (folder / "run").write_text("".join(f"{q} Q0 {d} 1 {s} tag\n" for q, docs in run.items() for d, s in docs.items()))


def printed(folder: Path, *arguments: str) -> dict[tuple[str, str], str]:
    lines = run_assay("trec-eval", *arguments, "qrels", "run", folder=folder).stdout.splitlines()
    return {(name.strip(), topic): number for name, topic, number in (line.split("\t") for line in lines)}


def test_set_map_is_the_references_double() -> None:
    """num_rel_ret² / (num_ret · num_rel), with one division."""
    qrels, run = collection()
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"set_map"}).evaluate(run)
    ours = assay.evaluate(qrels, run, "SetAP").to_frame(per_query=True)
    assert dict(ours.select("query_id", "SetAP").iter_rows()) == {q: one["set_map"] for q, one in theirs.items()}


@in_turn("squared", ["1", "0.3", "2.7"])
def test_set_f_and_set_map_print_the_references_digits(squared: str, tmp_path: Path) -> None:
    """Topics whose exact value ends in a 5 after the fourth decimal go the reference's way."""
    rng = random.Random(1)
    qrels, run = collection()
    for number in range(400):
        retrieved, relevant = rng.choice([8, 16, 32, 40, 64, 80, 128]), rng.choice([8, 16, 32, 40, 64, 80, 128])
        both = rng.randint(1, min(retrieved, relevant))
        qrels[f"r{number:03}"] = {f"d{place}": 1 for place in range(relevant)}
        names = [f"d{place}" if place < both else f"x{place}" for place in range(retrieved)]
        run[f"r{number:03}"] = {name: float(-place) for place, name in enumerate(names)}
    write(tmp_path, qrels, run)
    x, shown = float(squared), printed(tmp_path, "-q", "-m", f"set_F.{squared}", "-m", "set_map")
    totals = np.zeros(2)
    for query in sorted(qrels):
        n, relevant, r = len(run[query]), len(qrels[query]), len(run[query].keys() & qrels[query].keys())
        precision, recall = r / n, r / relevant
        f, product = (x + 1.0) * precision * recall / (x * precision + recall), (r * r) / (n * relevant)
        assert shown[f"set_F_{squared}", query] == f"{f:6.4f}"
        assert shown["set_map", query] == f"{product:6.4f}"
        totals += f, product
    assert shown[f"set_F_{squared}", "all"] == f"{totals[0] / len(qrels):6.4f}"


def test_set_f_is_pytrec_evals_to_the_last_printed_digit(tmp_path: Path) -> None:
    qrels, run = collection()
    write(tmp_path, qrels, run)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"set_F", "set_map"}).evaluate(run)
    shown = printed(tmp_path, "-q", "-m", "set_F", "-m", "set_map")
    for query, numbers in theirs.items():
        assert {name: shown[name, query] for name in numbers} == {n: f"{one:6.4f}" for n, one in numbers.items()}


def test_nothing_relevant_retrieved_has_f_0(tmp_path: Path) -> None:
    write(tmp_path, {"q": {"a": 1}}, {"q": {"b": 1.0}})
    assert printed(tmp_path, "-m", "set_F")["set_F", "all"] == "0.0000"


def test_a_fractional_level_is_cut_to_its_whole_part(tmp_path: Path) -> None:
    write(tmp_path, {"q": {"a": 2, "b": 1}}, {"q": {"a": 2.0, "b": 1.0}})
    done = run_assay("trec-eval", "-l", "1.9", "-m", "num_rel_ret", "qrels", "run", folder=tmp_path)
    assert done.stdout.split()[-1] == "2"
    assert done.stderr == "warning: -l 1.9 is read as 1: the reference tool takes the whole part\n"
    assert printed(tmp_path, "-l", "2", "-m", "num_rel_ret")["num_rel_ret", "all"] == "1"
    assert printed(tmp_path, "-M", "1.5", "-m", "num_ret")["num_ret", "all"] == "1"


@in_turn("level", ["-1", "one", "1e0", ""])
def test_what_is_no_level_is_refused(level: str, tmp_path: Path) -> None:
    write(tmp_path, {"q": {"a": 2}}, {"q": {"a": 2.0}})
    done = run_assay("trec-eval", "-l", level, "qrels", "run", folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"-l takes a whole number from 0 on, not {level!r}" in done.stderr


@in_turn("flag", ["--version", "-v"])
def test_the_version_is_printed(flag: str, tmp_path: Path) -> None:
    done = run_assay("trec-eval", flag, folder=tmp_path)
    assert (done.returncode, done.stdout) == (0, f"trec_eval version 10 (assay {assay.__version__})\n")
