"""`assay trec-eval` prints what the reference tool prints."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from cases import in_turn
from shared_data import shared

import assay
from assay import ParameterError
from assay.core.errors import UnknownMeasureError
from assay.subjects.ranking.trec_eval import PrintOptions, trec_eval

PARAMETERS = (  # noqa: SIM905  # as it is typed on the command line
    "iprec_at_recall..10,.20,.25,.75,.50 P.5,7,3 recall.20,2000 Rprec_mult.5.0,0.2,0.35 utility.2,-1,0,0 "
    "11pt_avg..25,.5,.75 ndcg.1=3,2=9,4=4.5 ndcg_cut.10,20,23.4 success.2,5,20"
).split()
ALL = ["all_trec"]

REGRESSION_FILES = [
    ("out.test", "qrels.test", "results.test", PrintOptions()),
    ("out.test", "qrels.test.with-comments", "results.test", PrintOptions()),
    ("out.comment.test", "qrels.comment.test", "results.comment.test", PrintOptions()),
    ("out.test.a", "qrels.test", "results.test", PrintOptions(ALL)),
    ("out.test.aq", "qrels.test", "results.test", PrintOptions(ALL, per_topic=True)),
    ("out.test.aqc", "qrels.test", "results.trunc", PrintOptions(ALL, per_topic=True, complete=True)),
    ("out.test.aqcM", "qrels.test", "results.trunc", PrintOptions(ALL, per_topic=True, complete=True, depth=100)),
    ("out.test.aql", "qrels.rel_level", "results.test", PrintOptions([*ALL, "relstring.20"], per_topic=True, level=2)),
    ("out.test.qrels_jg", "qrels.123", "results.test", PrintOptions(["qrels_jg"], per_topic=True, by_judge=True)),
    (
        "out.test.qrels_jg",
        "qrels.comments.123",
        "results.test",
        PrintOptions(["qrels_jg"], per_topic=True, by_judge=True),
    ),
    ("out.test.meas_params", "qrels.test", "results.test", PrintOptions(PARAMETERS, per_topic=True)),
]


@in_turn(("expected", "qrels", "run", "options"), REGRESSION_FILES)
def test_the_reference_tools_regression_files_are_met_byte_for_byte(
    expected: str, qrels: str, run: str, options: PrintOptions
) -> None:
    printed = trec_eval(shared("trec_eval-test", qrels), shared("trec_eval-test", run), options)
    assert printed.text.encode() == shared("trec_eval-test", expected).read_bytes()


def test_all_runs_of_trec_covid_get_the_five_values_of_the_leaderboard() -> None:
    runs = sorted(shared("trec-covid-r1", "runs").iterdir())
    columns = {"nDCG@10": "ndcg@10", "P@5": "p@5", "RBP(p=0.5)": "RBP(p=.5)", "Bpref": "bpref", "AP": "MAP"}
    result = assay.evaluate(shared("trec-covid-r1", "qrels.covid-round1.txt"), runs, columns, depth=1000)
    official = {row["run"]: row for row in pl.read_csv(shared("trec-covid-r1", "leaderboard.csv")).to_dicts()}
    assert len(runs) == 48
    for row in result.to_frame().to_dicts():
        for ours, theirs in columns.items():
            assert f"{row[ours]:.4f}" == f"{official[row['system']][theirs]:.4f}", (row["system"], ours)


def test_dl19_with_its_own_relevance_level() -> None:
    qrels = shared("dl19-bm25", "qrels.dl19-passage.txt")
    run = shared("dl19-bm25", "run.msmarco-v1-passage.bm25-default.dl19.txt")
    result = assay.evaluate(qrels, run, ["nDCG@10", "AP(rel=2)", "AP"])
    assert round(result.mean("nDCG@10"), 4) == 0.5058
    assert result.mean("AP(rel=2)") == assay.evaluate(qrels, run, "AP", relevance_level=2).mean()
    assert result.mean("AP(rel=2)") != result.mean("AP")


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Two topics, one of which the run lacks; topic 10 sorts before topic 9."""
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("9 0 a 1\n9 0 b 2\n9 0 c 0\n9 0 d -1\n10 0 a 1\n")
    run.write_text("9 Q0 c 1 3.0 first\n9 Q0 d 2 2.0 first\n9 Q0 x 3 1.5 first\n9 Q0 a 4 1.0 last\n")
    return qrels, run


def lines(text: str) -> dict[tuple[str, str], str]:
    """Name and topic -> value."""
    split = [line.split("\t") for line in text.splitlines()]
    return {(name.rstrip(), topic): value for name, topic, value in split}


def test_topics_are_in_byte_order_and_measures_in_the_fixed_order(files: tuple[Path, Path]) -> None:
    options = PrintOptions(["recip_rank", "map", "P.2,1"], per_topic=True, complete=True)
    assert trec_eval(*files, options).text == (
        "map                   \t10\t0.0000\nrecip_rank            \t10\t0.0000\n"
        "P_1                   \t10\t0.0000\nP_2                   \t10\t0.0000\n"
        "map                   \t9\t0.1250\nrecip_rank            \t9\t0.2500\n"
        "P_1                   \t9\t0.0000\nP_2                   \t9\t0.0000\n"
        "map                   \tall\t0.0625\nrecip_rank            \tall\t0.1250\n"
        "P_1                   \tall\t0.0000\nP_2                   \tall\t0.0000\n"
    )


def test_the_run_is_called_by_the_tag_on_its_last_line(files: tuple[Path, Path]) -> None:
    assert lines(trec_eval(*files).text)["runid", "all"] == "last"


def test_missing_topics_are_left_out_with_a_warning_or_counted_with_c(files: tuple[Path, Path]) -> None:
    left_out = trec_eval(*files)
    assert "left out" in left_out.warnings[0]
    assert lines(left_out.text)["num_q", "all"] == "1"
    counted = lines(trec_eval(*files, PrintOptions(["official", "yaap", "unj"], complete=True, per_topic=True)).text)
    assert counted["num_q", "all"] == "2"
    assert counted["num_ret", "10"] == "0"
    assert counted["unj_5", "10"] == "0.0000"
    assert counted["yaap", "10"] == f"{np.log(1 / (1 + 1)):6.4f}"


def test_values_of_a_missing_topic_with_parameters_are_those_of_one_unjudged_document(files: tuple[Path, Path]) -> None:
    options = PrintOptions(["rbp_resid.p=0.5", "utility.2,-1,0,0", "relstring.20"], complete=True, per_topic=True)
    printed = lines(trec_eval(*files, options).text)
    assert printed["rbp_resid_p=0.5", "10"] == "1.0000"  # 0.5 + 0.5 * 1
    assert printed["utility_2,-1,0,0", "10"] == "-1.0000"
    assert printed["relstring_20", "10"] == "'-'"
    plain = lines(trec_eval(*files, PrintOptions(["relstring", "rbp_resid"], complete=True, per_topic=True)).text)
    assert plain["relstring", "10"] == "''"
    assert plain["rbp_resid", "10"] == "0.0000"


def test_judged_only_leaves_nothing_of_a_missing_topic(files: tuple[Path, Path]) -> None:
    options = PrintOptions(
        ["rbp_resid.p=0.5", "utility.2,-1,0,0", "relstring.20"], complete=True, per_topic=True, judged_only=True
    )
    printed = lines(trec_eval(*files, options).text)
    assert printed["rbp_resid_p=0.5", "10"] == "0.0000"
    assert printed["utility_2,-1,0,0", "10"] == "0.0000"
    assert printed["relstring_20", "10"] == "''"


def test_relstring_marks_grades_unjudged_and_unpooled_documents(files: tuple[Path, Path]) -> None:
    assert lines(trec_eval(*files, PrintOptions(["relstring"], per_topic=True)).text)["relstring", "9"] == "'0.-1'"


def test_num_rel_of_all_ignores_the_level_with_c_and_says_so(files: tuple[Path, Path]) -> None:
    printed = trec_eval(*files, PrintOptions(["num_rel"], complete=True, level=2, per_topic=True))
    assert lines(printed.text) == {("num_rel", "10"): "0", ("num_rel", "9"): "1", ("num_rel", "all"): "3"}
    assert any("num_rel" in warning for warning in printed.warnings)


def test_fractional_grades_are_cut_with_a_warning(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1.9\n1 0 b 0.9\n")
    (tmp_path / "run").write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n")
    printed = trec_eval(tmp_path / "qrels", tmp_path / "run", PrintOptions(["num_rel"]))
    assert printed.text == "num_rel               \tall\t1\n"
    assert "2 grades with a fraction" in printed.warnings[0]


def test_gains_may_be_named_for_documents_without_judgment(files: tuple[Path, Path]) -> None:
    printed = lines(trec_eval(*files, PrintOptions(["dcg.-1=0.5,-2=0.25"])).text)
    # c 0, d -2 -> 0.25, x -1 -> 0.5, a 1
    expected = 0.25 / np.log2(3) + 0.5 / np.log2(4) + 1 / np.log2(5)
    assert printed["dcg_-1=0.5,-2=0.25", "all"] == f"{expected:6.4f}"


@pytest.mark.parametrize("measures", [["foo"], ["P.0"], ["P.5,5"], ["map.5"], ["utility.1"], ["P.x"], ["map_avgjg"]])
def test_what_cannot_be_computed_is_refused(files: tuple[Path, Path], measures: list[str]) -> None:
    with pytest.raises(ParameterError):
        trec_eval(*files, PrintOptions(measures))


def test_an_unknown_measure_gets_a_suggestion(files: tuple[Path, Path]) -> None:
    with pytest.raises(UnknownMeasureError, match="did you mean recip_rank"):
        trec_eval(*files, PrintOptions(["recip_rnk"]))


def test_the_first_parameters_given_for_a_measure_win(files: tuple[Path, Path]) -> None:
    assert list(lines(trec_eval(*files, PrintOptions(["P.5", "P.10"])).text)) == [("P_5", "all")]
