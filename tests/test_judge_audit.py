"""A model's labels against people's: every criterion, when it holds, fails or stays open; and the verdict."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from cases import in_turn
from command import invoke, run_assay
from sklearn.metrics import cohen_kappa_score

from assay import InputError, JudgeAudit, Labels, ParameterError, Qrels, agree_on_systems, audit_judge
from assay.core.registry import WRITERS
from assay.core.results import written
from assay.stats.bootstrap import wilson

DATA = Path(__file__).parents[1] / "src" / "assay" / "data"
RUNS = sorted((DATA / "bicycles" / "runs").glob("*.run"))
TOPICS, DOCUMENTS, SYSTEMS = 12, 15, 8


def truth(seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    rows = [(f"q{q}", f"d{d}", int(rng.integers(0, 4))) for q in range(TOPICS) for d in range(DOCUMENTS)]
    return pl.DataFrame(rows, schema=["query_id", "doc_id", "label"], orient="row")


def runs(frame: pl.DataFrame, seed: int = 1) -> dict[str, pl.DataFrame]:
    """Systems that see the grades through more and more noise, so that their order is clear."""
    rng = np.random.default_rng(seed)
    scores = {f"s{n}": frame["label"].to_numpy() + rng.normal(0, 0.1 + n, frame.height) for n in range(SYSTEMS)}
    return {name: frame.select("query_id", "doc_id", score=pl.Series(values)) for name, values in scores.items()}


def people(frame: pl.DataFrame) -> Labels:
    return Labels.of(frame.rename({"doc_id": "item_id"}).with_columns(judge=pl.lit("ana")))


def noisy(frame: pl.DataFrame, share: float, shift: int = 0, seed: int = 2) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    labels = frame["label"].to_numpy()
    moved = np.where(rng.random(len(labels)) < share, labels + (shift or rng.choice([-1, 1], len(labels))), labels)
    return frame.with_columns(label=pl.Series(np.clip(moved, 0, 3)))


def audited(model: pl.DataFrame, **arguments: Any) -> JudgeAudit:
    base = truth()
    return audit_judge(model, people(base), **({"runs": runs(base)} | arguments))


def test_a_model_that_agrees_is_usable_and_says_what_that_rests_on() -> None:
    audit = audited(noisy(truth(), 0.05))
    assert audit.verdict == "usable"
    assert [each.name for each in audit.criteria] == ["kappa", "leniency", "ranking"]
    assert all(each.holds for each in audit.criteria)
    assert "0.4 or more" in audit.criterion("kappa").asked


def test_kappa_is_cohens_and_the_interval_holds_it() -> None:
    model = noisy(truth(), 0.4)
    for weights in ("none", "linear", "quadratic"):
        found = audited(model, runs=None, weights=weights).criterion("kappa")
        expected = cohen_kappa_score(
            truth()["label"].to_numpy(), model["label"].to_numpy(), weights=None if weights == "none" else weights
        )
        assert found.value == pytest.approx(expected)
        assert found.low < expected < found.high


def test_a_generous_model_is_not_usable() -> None:
    model = noisy(truth(), 0.6, shift=1)
    audit = audited(model)
    lenient = audit.criterion("leniency")
    apart = (model["label"] - truth()["label"]).mean() / 3  # type: ignore[operator]
    assert lenient.value == pytest.approx(apart)
    assert lenient.holds is False
    assert audit.verdict == "not usable"
    assert audit.confusion["1"].to_list()[2:] == [0, 0]  # nothing was marked down


def test_a_model_to_which_nothing_is_relevant_is_not_usable() -> None:
    """Then no system has a number by its labels: that leaves the ranking open, and is no error."""
    audit = audited(truth().with_columns(label=pl.lit(0)), families={"s0": "gpt"}, family="gpt")
    assert (audit.verdict, audit.criterion("kappa").holds, audit.criterion("ranking").holds) == (
        "not usable",
        False,
        None,
    )
    assert "nothing is relevant" in audit.criterion("ranking").reason
    assert audit.systems["model_place"].null_count() == SYSTEMS
    base = people(truth())
    third = base.frame.with_columns(judge=pl.lit("cy"), label=pl.lit(0, base.frame["label"].dtype))
    same = base.frame.with_columns(judge=pl.lit("ben"))
    ranked = agree_on_systems(Labels.of(pl.concat([base.frame, same, third])), runs(truth()), resamples=20)
    assert ranked.conclusion.startswith("All judges whose labels tell them apart put the systems in the same order")


def test_without_runs_nobody_can_say() -> None:
    audit = audited(truth(), runs=None)
    assert audit.verdict == "cannot say"
    assert "no runs were given" in audit.criterion("ranking").reason
    few = audited(truth(), runs=dict(list(runs(truth()).items())[:3]))
    assert few.verdict == "cannot say"
    assert few.criterion("ranking").value == 1.0
    assert "3 systems" in few.criterion("ranking").reason


def test_a_model_that_turns_the_ranking_round_is_not_usable() -> None:
    turned = truth().with_columns(label=3 - pl.col("label"))
    audit = audited(turned)
    assert audit.criterion("ranking").value < 0
    assert audit.criterion("ranking").holds is False


def test_flips_are_counted_at_one_position_and_over_positions() -> None:
    first = truth().with_columns(position=pl.lit(1), repeat=pl.lit(1))
    again = first.head(40).with_columns(repeat=pl.lit(2))
    again = again.with_columns(
        label=pl.when(pl.int_range(pl.len()) < 10).then((pl.col("label") + 1) % 4).otherwise("label")
    )
    elsewhere = first.head(30).with_columns(position=pl.lit(5))
    flips = audited(pl.concat([first, again, elsewhere], how="vertical_relaxed")).flips
    assert flips.select("kind", "items", "flips").rows() == [("repeat", 40, 10), ("position", 30, 0)]
    assert flips["low"][0] == pytest.approx(wilson(10, 40).low)
    audit = audited(pl.concat([first, again, elsewhere], how="vertical_relaxed"))
    assert audit.criterion("flips").holds is False
    assert audit.criterion("position flips").holds is None  # none of 30, which may be more than one in ten


def test_a_model_may_favour_its_own_family() -> None:
    base = truth()
    systems = runs(base)
    # The model lifts whatever the two systems of its family rank first.
    tops = pl.concat([
        systems[name].sort("score", descending=True).group_by("query_id").head(6) for name in ("s6", "s7")
    ]).select("query_id", "doc_id", lifted=pl.lit(1)).unique()  # fmt: skip
    model = base.join(tops, on=["query_id", "doc_id"], how="left", maintain_order="left")
    model = model.with_columns(label=pl.when(pl.col("lifted") == 1).then(3).otherwise("label")).drop("lifted")
    families = {name: "ours" if name in {"s6", "s7"} else "theirs" for name in systems}
    audit = audited(model, families=families, family="ours")
    assert audit.criterion("family").value > 0
    assert audit.criterion("family").holds is False
    fair = audited(base, families=families, family="ours").criterion("family")
    assert (fair.value, fair.holds) == (0.0, True)
    with pytest.raises(ParameterError, match="go together"):
        audited(base, families=families)


def test_slices_show_where_it_fails() -> None:
    model = truth().with_columns(
        language=pl.when(pl.int_range(pl.len()) < 60).then(pl.lit("de")).otherwise(pl.lit("en"))
    )
    model = model.with_columns(label=pl.when(pl.col("language") == "de").then(0).otherwise("label"))
    slices = audited(model, slices=["language", "query_id"]).slices
    by_group = {row["group"]: row for row in slices.filter(slice="language").iter_rows(named=True)}
    assert by_group["en"]["kappa"] == 1.0
    assert by_group["de"]["kappa"] == 0.0
    assert by_group["de"]["leniency"] < 0
    assert slices.filter(slice="query_id").height == TOPICS
    with pytest.raises(ParameterError, match="no column dialect"):
        audited(truth(), slices=["dialect"])


def test_what_made_the_labels_is_recorded_from_columns() -> None:
    model = truth().with_columns(model=pl.lit("m-1"), temperature=pl.lit(0.0), Prompt_Hash=pl.lit("abc"))
    audit = audited(model, runs=None)
    assert dict(audit.recorded) == {"model": "m-1", "temperature": "0.0", "prompt_hash": "abc"}
    assert "Recorded: model m-1" in str(audit)
    assert "Not recorded" in str(audited(truth(), runs=None))


def test_of_several_people_the_majority_counts_and_ties_are_left_out() -> None:
    rows = [("d1", "ana", 1), ("d1", "ben", 1), ("d1", "cleo", 0), ("d2", "ana", 0), ("d2", "ben", 1), ("d3", "ana", 0)]
    audit = audit_judge(Labels.of([(f"d{n}", "m", 1) for n in (1, 2, 3)]), Labels.of(rows))
    assert audit.settings["items"] == 2
    assert any("1 item left out" in note for note in audit.warnings)
    assert audit.settings["people_agreement"] == pytest.approx((1 / 3 + 0) / 2)


def test_judgments_are_labels_too() -> None:
    judged = Qrels.of({"q": {"d1": 1, "d2": 0, "d3": 1}})
    assert audit_judge(judged, judged).criterion("kappa").value == 1.0


@in_turn(
    ("model", "message"),
    [
        ([("x1", "m", 1), ("x2", "m", 0)], "0 items in common"),
        ([("d1", "m", "yes"), ("d2", "m", "no")], "no scale in common"),
    ],
)
def test_tables_that_do_not_fit_are_refused(model: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        audit_judge(Labels.of(model), Labels.of([("d1", "a", 1), ("d2", "a", 0)]))
    two = pl.DataFrame({"doc_id": ["d1", "d1"], "label": [1, 0], "model": ["m-1", "m-2"]})
    with pytest.raises(InputError, match="expected the labels of one model, got those of m-1, m-2"):
        audit_judge(two, Labels.of([("d1", "a", 1), ("d2", "a", 0)]))
    with pytest.raises(InputError, match="expected the labels of one model, got those of m-1, m-2"):
        audit_judge(two.rename({"model": "judge"}), Labels.of([("d1", "a", 1), ("d2", "a", 0)]))


def test_one_label_everywhere_has_no_kappa_and_says_why() -> None:
    same = Labels.of([("d1", "a", 1), ("d2", "a", 1)])
    kappa = audit_judge(same, same).criterion("kappa")
    assert (kappa.holds, np.isnan(kappa.value)) == (None, True)
    assert "one category" in kappa.reason


def test_the_command_gives_every_form(tmp_path: Path) -> None:
    model, judged = str(DATA / "crowd" / "model.csv"), str(DATA / "bicycles" / "judgments.txt")
    done = invoke(["crowd", "audit", model, judged, *map(str, RUNS), "--slice", "query_id", "--json", "--quiet"])
    assert done.exit_code == 0, done.output
    data = json.loads(done.stdout, parse_constant=pytest.fail)
    assert data["kind"] == "judge audit"
    audit = audit_judge(model, judged)
    for form in WRITERS:
        assert written(audit.document(), form).strip()
    (tmp_path / "bad.csv").write_text("query_id,doc_id,label\nq,d,1\nq,e,\n", encoding="utf-8")
    bad = run_assay("crowd", "audit", "bad.csv", judged, folder=tmp_path)
    assert bad.returncode == 2
    assert bad.stderr.startswith("assay: bad.csv:3: expected a label of the model")


def test_judgments_of_several_judges_are_no_models_and_a_measure_needs_runs() -> None:
    """Whoever mixes the two files up would otherwise read that the people's differences are flips."""
    model, judged = str(DATA / "crowd" / "model.csv"), str(DATA / "bicycles" / "judgments.txt")
    swapped = run_assay("crowd", "audit", judged, judged, folder=DATA)
    assert swapped.returncode == 2
    assert "expected the labels of one model, got those of ana, ben, cleo" in swapped.stderr
    unused = run_assay("crowd", "audit", model, judged, "-m", "AP", folder=DATA)
    assert (unused.returncode, unused.stdout) == (2, "")
    assert "-m, --measure is what runs are ranked by: name runs" in unused.stderr


def test_people_who_contradict_themselves_are_an_error_that_can_be_settled(tmp_path: Path) -> None:
    (tmp_path / "model.csv").write_text("doc_id,label\na,1\nb,0\nc,1\n")
    (tmp_path / "people.csv").write_text("doc_id,judge,label\na,ana,1\nb,ana,0\nc,ana,1\nb,ana,1\n")
    words = ["crowd", "audit", "model.csv", "people.csv"]
    refused = run_assay(*words, folder=tmp_path)
    assert refused.returncode == 2
    assert "people.csv:5: expected one label of 'b' by 'ana'" in refused.stderr
    assert "--repeated" in refused.stderr
    settled = run_assay(*words, "--repeated", "last", "--csv", "--table", "confusion", folder=tmp_path)
    assert settled.stdout == "people,0,1\n0,0,0\n1,1,2\n"


def test_words_have_no_order_unless_one_is_stated() -> None:
    """In the alphabet, high stands before low: leniency would have the wrong sign."""
    names = ["none", "some", "much", "most"]
    frame = truth().with_columns(pl.col("label").replace_strict(dict(enumerate(names))))
    more = frame.with_columns(pl.col("label").replace({"none": "some"}))
    model = more.rename({"doc_id": "item_id"}).with_columns(judge=pl.lit("model"))
    unordered = audit_judge(model, people(frame), resamples=100)
    assert (unordered.criterion("leniency").holds, unordered.verdict) == (None, "cannot say")
    assert "state their order" in unordered.criterion("leniency").reason
    ordered = audit_judge(model, people(frame), categories=names, runs=runs(truth()), resamples=100)
    moved = int((frame["label"] == "none").sum())
    assert ordered.criterion("leniency").value == pytest.approx(moved / 3 / frame.height)
    assert ordered.criterion("ranking").value > 0.8
    two = frame.with_columns(label=pl.when(pl.col("label") == "none").then(pl.lit("poor")).otherwise(pl.lit("good")))
    assert audit_judge(people(two), people(two), resamples=0).criterion("leniency").holds is None
    with pytest.raises(InputError, match="expected grades"):
        audit_judge(people(two), people(two), runs=runs(truth()), resamples=0)
    with pytest.raises(InputError, match="got 'most'"):
        audit_judge(model, people(frame), categories=names[:3], resamples=0)


def test_families_that_do_not_fit_the_runs_are_refused() -> None:
    labels, model = people(truth()), people(truth())
    for stated, message in (
        ({"families": {"s0": "x"}}, "go together"),
        ({"family": "x"}, "go together"),
        ({"families": {"s0": "x"}, "family": "x"}, "name runs"),
        ({"families": {"s99": "x"}, "family": "x", "runs": runs(truth())}, "not 's99'"),
    ):
        with pytest.raises(ParameterError, match=message):
            audit_judge(model, labels, resamples=0, **stated)


def test_documents_in_the_pool_that_nobody_judged_are_no_labels(tmp_path: Path) -> None:
    """As `pool make -o pool.qrels` writes them; in a table, a label below 0 is one like the others."""
    judged = "".join(f"q1 0 d{n} {n % 2}\n" for n in range(20))
    (tmp_path / "people.qrels").write_text(judged + "q1 0 d20 -1\nq1 0 d21 -1\n")
    model = pl.DataFrame(
        [("q1", f"d{n}", n % 2) for n in range(22)], schema=["query_id", "doc_id", "label"], orient="row"
    )
    audit = audit_judge(model, tmp_path / "people.qrels", resamples=0)
    assert (audit.settings["items"], audit.criterion("kappa").value) == (20, 1.0)


def test_people_who_speak_as_one_need_no_name_and_what_they_left_open_is_no_label(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("query_id,doc_id,relevance\nq,a,1\nq,b,0\nq,c,-1\n")
    (tmp_path / "model.csv").write_text("query_id,doc_id,label\nq,a,1\nq,b,1\nq,c,1\n")
    audit = audit_judge(tmp_path / "model.csv", tmp_path / "people.csv", resamples=0)
    assert audit.confusion.rows() == [("0", 0, 1), ("1", 0, 1)]
    words = pl.DataFrame({"item_id": ["a", "b"], "label": ["yes", "no"]})
    assert audit_judge(words, words, resamples=0).criterion("kappa").value == 1.0


# Labels of any type ---------------------------------------------------------------------------------------------------

PAIRS = [f"q{n % 3},d{n}" for n in range(12)]


def table(path: Path, labels: list[Any]) -> None:
    rows = (f"{pair},{label}\n" for pair, label in zip(PAIRS, labels, strict=True))
    path.write_text("query_id,doc_id,label\n" + "".join(rows), encoding="utf-8")


@pytest.mark.parametrize(
    ("ours", "theirs", "leniency"),
    [
        ([True, False] * 6, [True] * 6 + [False] * 6, 0.0),
        ([True] * 12, [1, 0] * 6, 0.5),
        ([1, 0] * 6, ["FALSE", "true"] * 6, 0.0),
        (["good", "bad"] * 6, ["good"] * 6 + ["bad"] * 6, None),
        ([1.0, 0.5] * 6, [1, 0] * 6, 0.25),
    ],
)
def test_an_audit_takes_words_truth_values_and_numbers(
    ours: list[Any], theirs: list[Any], leniency: float | None, tmp_path: Path
) -> None:
    table(tmp_path / "model.csv", ours)
    table(tmp_path / "people.csv", theirs)
    done = run_assay("crowd", "audit", "model.csv", "people.csv", "--csv", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    values = {row["name"]: row["value"] for row in pl.read_csv(done.stdout.encode()).iter_rows(named=True)}
    assert values["leniency"] == (leniency if leniency is None else pytest.approx(leniency))


def test_a_row_of_the_model_without_a_label_is_refused_where_it_stands(tmp_path: Path) -> None:
    """Among numbers, NA is no label."""
    table(tmp_path / "model.csv", [1, 0, 1, "NA", *[1] * 8])
    table(tmp_path / "people.csv", [1, 0] * 6)
    done = run_assay("crowd", "audit", "model.csv", "people.csv", folder=tmp_path)
    assert (done.returncode, done.stderr) == (2, "assay: model.csv:5: expected a label of the model, got 'NA'\n")


def test_grades_against_0_and_1_are_told_and_the_advice_makes_one_scale_of_them(tmp_path: Path) -> None:
    table(tmp_path / "model.csv", [n % 4 for n in range(12)])
    table(tmp_path / "people.csv", [int(n % 4 > 0) for n in range(12)])
    words = ["crowd", "audit", "model.csv", "people.csv"]
    told = run_assay(*words, folder=tmp_path)
    assert "the model's labels are 0, 1, 2, 3, people's are 0, 1" in told.stderr
    advice = re.search(r"--binarise \S+", told.stderr)
    assert advice is not None
    followed = run_assay(*words, *advice.group().split(), "--csv", "--table", "confusion", folder=tmp_path)
    assert (followed.stdout, followed.stderr) == ("people,0,1\n0,3,0\n1,0,9\n", "")
    table(tmp_path / "people.csv", ["good", "bad"] * 6)
    refused = run_assay("crowd", "audit", "people.csv", "people.csv", "--binarise", "1", folder=tmp_path)
    assert (refused.returncode, refused.stderr) == (2, "assay: --binarise is a grade, and these labels are words\n")


def test_people_whom_crowd_workers_flags_are_named_beside_their_agreement(tmp_path: Path) -> None:
    rows = [
        (f"d{n}", judge, {"clicker": 1}.get(judge, int(n * n % 7 in {1, 4}) ^ (judge == "ben" and n % 9 == 0)))
        for n in range(60)
        for judge in ("ana", "ben", "clicker")
    ]
    (tmp_path / "people.csv").write_text("doc_id,judge,label\n" + "".join(f"{d},{j},{label}\n" for d, j, label in rows))
    (tmp_path / "model.csv").write_text(
        "doc_id,label\n" + "".join(f"d{n},{int(n * n % 7 in {1, 4})}\n" for n in range(60))
    )
    done = run_assay("crowd", "audit", "model.csv", "people.csv", folder=tmp_path)
    flagged = run_assay("crowd", "workers", "people.csv", folder=tmp_path)
    reason = re.search(r"clicker: (.*)", flagged.stdout)
    assert reason is not None
    assert f"flagged: clicker ({reason.group(1)})." in done.stdout.replace("\n", " ")
