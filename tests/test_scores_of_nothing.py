"""Scores that rest on nothing are warned about, with the likely cause and where to look; sound data are not."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from cases import in_turn
from command import run_assay
from documents import json_of
from shared_data import shared

from assay import TopicError, compare, evaluate

Table = dict[str, dict[str, float]]
TOPICS = [str(number) for number in range(51, 59)]
#: Ten documents per topic, the best first, and six of them judged: one highly relevant, two relevant, three not.
QRELS: Table = {
    topic: {f"é-{topic}{place:03}a": grade for place, grade in enumerate((2.0, 1.0, 0.0, 1.0, 0.0, 0.0))}
    for topic in TOPICS
}
RUN: Table = {topic: {f"é-{topic}{place:03}a": 20.0 - place for place in range(10)} for topic in TOPICS}


def documents(table: Mapping[str, Mapping[str, float]], change: Callable[[str], str]) -> Table:
    return {topic: {change(name): value for name, value in held.items()} for topic, held in table.items()}


def values(table: Mapping[str, Mapping[str, float]], change: Callable[[float], float]) -> Table:
    return {topic: {name: change(value) for name, value in held.items()} for topic, held in table.items()}


def as_run(table: Mapping[str, Mapping[str, float]]) -> str:
    return "".join(
        f"{topic} Q0 {name} {rank} {score!r} t\n"
        for topic, held in table.items()
        for rank, (name, score) in enumerate(held.items(), 1)
    )


def as_qrels(table: Mapping[str, Mapping[str, float]]) -> str:
    return "".join(f"{topic} 0 {name} {grade:g}\n" for topic, held in table.items() for name, grade in held.items())


def warned(qrels: object, run: object, words: str) -> bool:
    """Whether `evaluate` and `compare` both say it, and where to look."""
    said = evaluate(qrels, {"mine": run}, ["AP", "nDCG@10"]).warnings
    comparison = compare(qrels, {"mine": run, "yours": run}, measures="AP")
    also = comparison.warnings
    assert json_of(comparison)["method"]["warnings"] == list(also)
    return all(any(words in one and "doctor" in one for one in warnings) for warnings in (said, also))


def test_sound_data_get_no_warning() -> None:
    assert evaluate(QRELS, RUN).warnings == ()
    assert compare(QRELS, {"a": RUN, "b": values(RUN, lambda score: score / 2)}).warnings == ()


ID_FAULTS: dict[str, tuple[Callable[[str], str], str]] = {
    "a prefix": (lambda name: f"doc-{name}", "the start 'doc-'"),
    "a suffix": (lambda name: f"{name}.txt", "a file ending"),
    "upper case": (str.upper, "upper and lower case"),
    "blanks": (lambda name: f" {name}", "blanks or invisible characters"),
    "NBSP": (lambda name: f"{name}\u00a0", "blanks or invisible characters"),
    "zero width": (lambda name: f"\u200b{name}", "blanks or invisible characters"),
    "decomposed": (lambda name: unicodedata.normalize("NFD", name), "Unicode normal form"),
    "quotes": (lambda name: f'"{name}"', "quotation marks"),
}


@in_turn("fault", ID_FAULTS)
def test_documents_that_are_written_differently_are_named_with_what_differs(fault: str) -> None:
    change, words = ID_FAULTS[fault]
    assert warned(QRELS, documents(RUN, change), f"document ids differ in {words}")
    assert warned(documents(QRELS, change), RUN, "document ids differ in ")


def test_documents_that_differ_in_leading_zeros() -> None:
    plain = documents(QRELS, lambda name: str(int(name[2:-1])))
    padded = documents(RUN, lambda name: f"{int(name[2:-1]):08}")
    assert warned(
        plain, padded, "document ids differ in leading zeros: '00051000' in the run, '51000' in the judgments"
    )


def test_a_run_of_another_collection_is_said_to_be_unjudged() -> None:
    others = documents(RUN, lambda name: f"{name[::-1]}#{len(name)}x{name}y")
    assert warned(QRELS, others, "of 80 retrieved documents, none is judged: are run and judgments of the same")


def test_a_run_that_is_hardly_judged_at_all() -> None:
    deep = {topic: {f"other{place}": 1000.0 - place for place in range(900)} for topic in TOPICS}
    deep["51"][next(iter(QRELS["51"]))] = 0.5
    many = {topic: held | {f"x{place}": 0.0 for place in range(200)} for topic, held in QRELS.items()}
    assert warned(many, deep, "of 7,201 retrieved documents, only 1 is judged")


def test_sparse_judgments_are_no_reason_to_warn() -> None:
    """One relevant document per topic, as in many collections, found in half of the topics."""
    sparse = {topic: {list(RUN[topic])[-1] if place % 2 else "not retrieved": 1} for place, topic in enumerate(TOPICS)}
    said = evaluate(sparse, RUN, ["RR"]).warnings
    assert not any("judged:" in warning or "differ" in warning for warning in said)


def test_topics_that_differ_in_leading_zeros_are_named_where_some_match() -> None:
    run = {topic if topic < "54" else f"0{topic}": held for topic, held in RUN.items()}
    assert warned(QRELS, run, "5 topics would be judged but for leading zeros: '054' in the run, '54' in the judgments")


def test_topics_of_which_none_matches_are_refused_with_what_differs() -> None:
    with pytest.raises(TopicError, match=r"they differ in leading zeros: '051' in the run, '51' in the judgments"):
        evaluate(QRELS, {f"0{topic}": held for topic, held in RUN.items()}, "AP")


def test_grades_below_the_relevance_level() -> None:
    halves = values(QRELS, lambda grade: grade / 4)
    assert warned(halves, RUN, "no document counts as relevant: the highest grade is 0.5, and the relevance level is 1")
    assert evaluate(halves, RUN, ["AP"], relevance_level=0.5).warnings == ()
    assert evaluate(halves, RUN, ["AP(rel=0.5)", "nDCG@10"]).warnings == ()
    mostly = values(QRELS, lambda grade: {2.0: 1.0, 1.0: 0.7}.get(grade, 0.0))
    assert warned(mostly, RUN, "only 8 of 24 grades above 0 reach the relevance level 1")


def test_grades_that_are_all_the_same_stand_in_another_column_or_are_a_golden_set() -> None:
    twos, ones = values(QRELS, lambda _: 2.0), values(QRELS, lambda _: 1.0)
    assert warned(twos, RUN, "all 48 grades are 2: they may stand in another column")
    assert not evaluate(twos, RUN, "AP").is_golden
    listed = evaluate(ones, RUN, "AP")
    assert (listed.warnings, listed.is_golden) == ((), True)
    assert "all 48 judgments are of relevant documents" in listed.notes[0]


def test_grades_in_column_two_are_no_golden_set(tmp_path: Path) -> None:
    rows = [f"{topic} {grade:g} {doc} 1" for topic, held in QRELS.items() for doc, grade in held.items()]
    (tmp_path / "swapped.txt").write_text("\n".join(rows))
    evaluation = evaluate(tmp_path / "swapped.txt", RUN, "AP")
    assert (len(evaluation.warnings), evaluation.notes, evaluation.is_golden) == (1, (), False)
    assert "the grade may be in column 2" in evaluation.warnings[0]


def test_one_relevant_document_per_topic_is_no_reason_to_warn() -> None:
    golden = {topic: dict.fromkeys(list(held)[:1], 1.0) for topic, held in QRELS.items()}
    assert evaluate(golden, RUN, ["RR"]).warnings == ()


def test_grades_of_which_none_is_above_zero() -> None:
    assert warned(values(QRELS, lambda _: 0.0), RUN, "no document was judged relevant: the highest grade is 0")
    assert warned(values(QRELS, lambda _: -1.0), RUN, "no document was judged: the highest grade is -1")


def test_grades_in_column_two(tmp_path: Path) -> None:
    swapped = "".join(f"{topic} {grade:g} {name} 0\n" for topic, held in QRELS.items() for name, grade in held.items())
    (tmp_path / "swapped.qrels").write_text(swapped)
    (tmp_path / "sound.qrels").write_text(as_qrels(QRELS))
    words = "column 4 is always 0, and column 2 is 0, 1 or 2: the grade may be in column 2"
    assert any(words in warning for warning in evaluate(tmp_path / "swapped.qrels", RUN, "AP").warnings)
    assert evaluate(tmp_path / "sound.qrels", RUN, "AP").warnings == ()


def test_scores_that_rise_with_the_rank(tmp_path: Path) -> None:
    (tmp_path / "distances.run").write_text(as_run(values(RUN, lambda score: 1 / score)))
    assert warned(QRELS, tmp_path / "distances.run", "scores rise with the rank, yet the highest count as best")
    assert warned(QRELS, values(RUN, lambda score: -score), "scores rise with the rank")
    shuffled = {topic: dict(sorted(held.items(), key=lambda row: row[0][::-1])) for topic, held in RUN.items()}
    assert evaluate(QRELS, shuffled, "AP").warnings == ()


def test_lower_scores_that_seem_better_in_a_sorted_file(tmp_path: Path) -> None:
    upside_down = {
        topic: dict(reversed([(name, -score) for name, score in held.items()])) for topic, held in RUN.items()
    }
    (tmp_path / "sorted.run").write_text(as_run(upside_down))
    assert warned(QRELS, tmp_path / "sorted.run", "lower scores seem to be better: reversed, the run wins in 8 of 8")


def test_ranks_that_are_wrong_beside_sound_scores_are_no_reason_to_warn(tmp_path: Path) -> None:
    rows = [line.split() for line in as_run(RUN).splitlines()]
    (tmp_path / "odd.run").write_text("".join(f"{q} Q0 {d} {100 - int(r)} {s} {t}\n" for q, _, d, r, s, t in rows))
    assert evaluate(QRELS, tmp_path / "odd.run", "AP").warnings == ()


def test_scores_that_are_all_the_same(tmp_path: Path) -> None:
    flat = values(RUN, lambda _: 1.0)
    words = "in 8 of 8 queries, all documents have the same score"
    assert warned(QRELS, flat, words)
    (tmp_path / "flat.run").write_text(as_run(flat))
    assert warned(QRELS, tmp_path / "flat.run", words)
    assert evaluate(QRELS, tmp_path / "flat.run", "AP", rank_by="rank").warnings == ()


def test_scores_that_overflow(tmp_path: Path) -> None:
    (tmp_path / "huge.run").write_text(as_run(RUN).replace(" 20.0 ", " 1e999 ").replace(" 19.0 ", " 1e998 "))
    assert warned(QRELS, tmp_path / "huge.run", "scores are infinite in 8 queries: numbers overflow")
    single = evaluate(QRELS, values(RUN, lambda score: score * 1e38), "AP", score_precision="single")
    assert any("scores are infinite in 8 queries" in warning for warning in single.warnings)


def test_sums_that_overflow() -> None:
    huge = values(QRELS, lambda grade: grade * 8e307)
    said = evaluate(huge, RUN, ["DCG"]).warnings
    assert any("DCG overflow to infinity: the highest grade is 1.6e+308" in warning for warning in said)


COMMANDS: dict[str, tuple[str, str, str]] = {
    "ids": (as_qrels(QRELS), as_run(documents(RUN, lambda name: f"x{name}")), "document ids differ in the start 'x'"),
    "grades": (as_qrels(values(QRELS, lambda grade: grade / 4)), as_run(RUN), "no document counts as relevant"),
    "order": (as_qrels(QRELS), as_run(values(RUN, lambda score: -score)), "scores rise with the rank"),
    "ties": (as_qrels(QRELS), as_run(values(RUN, lambda _: 1.0)), "all documents have the same score"),
}


@in_turn("fault", COMMANDS)
def test_the_command_line_warns_and_names_the_command_to_run(fault: str, tmp_path: Path) -> None:
    qrels, run, words = COMMANDS[fault]
    (tmp_path / "my qrels.txt").write_text(qrels)
    (tmp_path / "a.run").write_text(run)
    (tmp_path / "b.run").write_text(run)
    for verb, *files in (("evaluate", "a.run"), ("compare", "a.run", "b.run")):
        said = run_assay(verb, "my qrels.txt", *files, folder=tmp_path)
        assert said.returncode == 0
        [line] = [line for line in said.stderr.splitlines() if words in line and "b.run" not in line]
        assert line.startswith("warning: ")
        assert "`assay doctor 'my qrels.txt' a.run`" in line
    doctor = run_assay("doctor", "my qrels.txt", "a.run", folder=tmp_path)
    assert doctor.returncode in {0, 1}
    assert "error" in doctor.stdout


#: Runs of the round that were submitted upside down: read from its end, each has several times its AP.
REVERSED = {"ERST_PROSE.gz", "yn-r1-concepttext.gz"}


def test_official_runs_get_no_warning_unless_they_are_upside_down() -> None:
    qrels = shared("trec-covid-r1", "qrels.covid-round1.txt")
    runs = sorted(shared("trec-covid-r1", "runs").iterdir())
    said = {run.name: evaluate(qrels, run, "AP").warnings for run in runs}
    assert len(runs) > len(REVERSED)
    assert {name for name, warnings in said.items() if any("doctor" in warning for warning in warnings)} == REVERSED


def test_twenty_thousand_topics_upside_down_are_told_at_once() -> None:
    """With sums of exact binomials, this would take a minute."""
    qrels = {str(topic): {"a": 0, "b": 0, "c": 1} for topic in range(20_000)}
    run = {str(topic): {"a": 3.0, "b": 2.0, "c": 1.0} for topic in range(20_000)}
    said = evaluate(qrels, run, "AP").warnings
    assert any("reversed, the run wins in 20,000 of 20,000 topics" in one for one in said)


@in_turn(
    ("qrels", "run"),
    [
        (("dl19-bm25", "qrels.dl19-passage.txt"), ("dl19-bm25", "run.msmarco-v1-passage.bm25-default.dl19.txt")),
        (("trec_eval-test", "qrels.test"), ("trec_eval-test", "results.test")),
        (("trec_eval-test", "qrels.rel_level"), ("trec_eval-test", "results.test")),
        (("trec_eval-test", "qrels-302.test"), ("trec_eval-test", "results-302.test")),
    ],
)
def test_public_data_get_no_warning(qrels: tuple[str, str], run: tuple[str, str]) -> None:
    assert evaluate(shared(*qrels), shared(*run)).warnings == ()
