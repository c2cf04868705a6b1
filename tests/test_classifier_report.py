"""What a report on classifiers holds, how it is made, and its forms."""

from __future__ import annotations

import hashlib
import json
import math
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from cases import in_turn
from command import invoke
from made_classifiers import KINDS, inside, labelled, labels_of, made_reports, rows, scored
from test_report_page import HOSTILE, Read

import assay
from assay import AssayError, ParameterError, Predictions, Report, classify, make_report, parse_measure
from assay.show.model import References
from assay.stats.bootstrap import wilson
from assay.subjects.labels.evidence import MOST_LABELS
from assay.subjects.labels.moving_threshold import FORMULAS, MOST_THRESHOLDS
from assay.verbs.sections.heat_maps import MOST_ITEMS, MOST_ITEMS_IN_ALL

LETTERS = Path(assay.__file__).parent / "data" / "letters"


def test_cells_hold_the_counts_their_shares_and_their_items() -> None:
    predictions = scored(400)
    result = classify(predictions)
    (matrix,) = inside(make_report(predictions), "confusion")
    frame = result.system().predictions.frame  # type: ignore[union-attr]
    table, labels = result.matrix().table, ["ham", "spam"]
    assert labels_of(matrix) == ("ham", "spam")
    assert [(cell["truth"], cell["prediction"]) for cell in matrix.data["cells"]] == [
        (truth, label) for truth in labels for label in labels
    ]
    for cell in matrix.data["cells"]:
        row, column = labels.index(cell["truth"]), labels.index(cell["prediction"])
        given = frame.filter((pl.col("truth") == cell["truth"]) & (pl.col("prediction") == cell["prediction"]))
        assert cell["number"] == cell["all_items"] == given.height == table[row, column]
        assert cell["of_truth"] == cell["number"] / table[row].sum()
        assert cell["of_prediction"] == cell["number"] / table[:, column].sum()
        interval = wilson(cell["number"], 400)
        assert (cell["of_all_low"], cell["of_all_high"]) == (interval.low, interval.high)
        assert len(cell["items"]) == min(MOST_ITEMS, given.height)
        surest = given.sort("score", descending=column == 1, maintain_order=True).head(MOST_ITEMS)
        shown = [(item["item_id"], item["score"]) for item in cell["items"]]
        assert shown == surest.select("item_id", "score").rows()


def items_of(report: Report) -> list[str]:
    """The ids of all items that stand behind cells."""
    cells = [cell for part in inside(report, "confusion") for cell in part.data["cells"]]
    return [item["item_id"] for cell in cells for item in cell.get("items", ())]


def test_items_without_ids_are_named_by_their_row() -> None:
    assert items_of(make_report(Predictions.of([0, 1, 1], [0, 0, 1]))) == ["1", "2", "3"]


@in_turn("labels", [[True, False, True], [1, 0, 1], ["yes", "no", "yes"]])
def test_labels_of_any_type_find_their_items(labels: list[bool] | list[int] | list[str]) -> None:
    given = Predictions.of(labels, labels[:2] + labels[1:2], pos_label=labels[0])
    assert len(items_of(make_report(given))) == 3


def test_labels_of_an_enum_find_their_items() -> None:
    kind = pl.Enum(["low", "middle", "high"])
    truth, given = (pl.Series(values, dtype=kind) for values in (["low", "high", "middle"], ["low", "low", "middle"]))
    (matrix,) = inside(make_report(Predictions.of(truth, given)), "confusion")
    assert labels_of(matrix) == ("low", "middle", "high")
    (cell,) = (cell for cell in matrix.data["cells"] if (cell["truth"], cell["prediction"]) == ("high", "low"))
    assert cell["items"][0]["item_id"] == "2"


@in_turn("items", [30, 5000])
def test_rows_of_thresholds_are_those_of_the_table_and_hold_what_rules_choose(items: int) -> None:
    predictions = scored(items)
    (part,) = inside(make_report(predictions), "threshold")
    shown, found = part.data["rows"], rows(part, "rules")
    scores, truth = predictions.score.to_numpy(), predictions.truth.to_numpy() == "spam"  # type: ignore[union-attr]
    for row in shown[:: max(1, len(shown) // 40)]:
        given = scores >= row["threshold"]
        counts = ((given & truth).sum(), (given & ~truth).sum(), (~given & truth).sum(), (~given & ~truth).sum())
        assert _cells(row) == counts
        assert row["below"] == max(scores[scores < row["threshold"]], default=-math.inf)
    assert part.data["every"] == len(np.unique(scores)) + 1
    assert len(shown) <= MOST_THRESHOLDS
    assert [row["threshold"] for row in shown] == sorted((row["threshold"] for row in shown), reverse=True)
    assert shown[part.data["start"]]["threshold"] == scores[scores >= 0.5].min()
    for chosen in found.iter_rows(named=True):
        assert _cells(chosen) == _cells(shown[chosen["row"]])
    best = {name: max(_value(name, row) for row in shown) for name in ("Accuracy", "Youden", "F1")}
    for rule, name in (("max accuracy", "Accuracy"), ("Youden", "Youden"), ("max F1", "F1")):
        value = found.filter(pl.col("rule") == rule)[name].item()
        assert value == pytest.approx(best[name], abs=1e-12)


def _cells(row: dict[str, Any]) -> tuple[float, ...]:
    return tuple(row[name] for name in ("tp", "fp", "fn", "tn"))


def _value(name: str, row: dict[str, Any]) -> float:
    tp, fp, fn, tn = _cells(row)
    if name == "Accuracy":
        return (tp + tn) / (tp + fp + fn + tn)
    if name == "Youden":
        return tp / (tp + fn) + tn / (tn + fp) - 1
    return 2 * tp / (2 * tp + fp + fn)


def test_predictions_that_follow_no_threshold_are_not_said_to() -> None:
    """As many of each cell as a threshold would give, but other items."""
    predictions = Predictions.of([1, 1, 0, 0], [0, 1, 0, 1], y_score=[0.9, 0.1, 0.8, 0.2])
    (part,) = inside(make_report(predictions), "threshold")
    assert "its own predictions follow no threshold" in part.data["start_says"]


@in_turn("score", [1e17, 0.5, -3.0])
def test_a_score_that_is_the_same_for_all_items_has_a_page(score: float) -> None:
    read = Read(make_report(Predictions.of([1, 0, 1], [1, 1, 1], y_score=[score] * 3)).to_html())
    assert "above all scores" in read.text


def test_names_of_measures_are_those_of_the_terminal() -> None:
    result = classify(Predictions.of(["a", "b", "c", "a"], ["a", "b", "a", "a"]))
    names = [str(measure) for measure in result.measures]
    report = result.report()
    assert report.table("measures")["measure"].to_list() == names
    assert all(name in methods_of(report) for name in names)


def methods_of(report: Report) -> str:
    """The methods paragraph."""
    (text,) = report.section("methods").parts[0].lines  # type: ignore[union-attr]
    return str(text)


def test_weights_are_not_called_items_and_sums_of_some_labels_not_all() -> None:
    weighted = Predictions.of([1, 0, 1], [1, 0, 0], sample_weight=[2.0, 3.0, 4.0])
    assert "1 item of 1 predicted rightly, with a weight of 2" in Read(classify(weighted).report().to_html()).text
    many = [f"label {place % 40:02}" for place in range(200)]
    text = Read(classify(Predictions.of(many, many[1:] + many[:1])).report().to_html()).text
    assert "shown" in text


def test_measures_at_a_threshold_are_the_registered_ones() -> None:
    for part in inside(made_reports()["a pair"], "threshold"):
        predictions = scored() if part.data["system"] == "words" else scored(name="letters", sharpness=2.5)
        at = classify(predictions.at(part.data["rows"][part.data["start"]]["threshold"]), list(FORMULAS))
        values = {name: at.value(parse_measure(name, "binary")) for name in FORMULAS}
        assert part.data["values"] == pytest.approx(values, nan_ok=True)


def test_predictions_that_follow_no_threshold_are_said_to() -> None:
    truth, given, score = [1, 1, 0, 0], [0, 0, 1, 1], [0.2, 0.9, 0.1, 0.4]
    (part,) = inside(make_report(Predictions.of(truth, given, y_score=score)), "threshold")
    assert "follow no threshold" in part.data["start_says"]
    (other,) = inside(make_report(Predictions.of(truth, [0, 1, 0, 1], y_score=score)), "threshold")
    assert other.data["start_says"] == "where its predictions were made"
    assert other.data["rows"][other.data["start"]]["threshold"] == 0.4


def test_calibration_counts_every_item_once() -> None:
    (part,) = inside(made_reports()["binary"], "calibration")
    bins, error = rows(part, "bins"), part.data["error"]
    assert bins["items"].sum() == 200
    assert error == pytest.approx((bins["items"] * (bins["probability"] - bins["came_true"]).abs()).sum() / 200)
    assert error == pytest.approx(classify(scored(), "ECE").value())
    assert bins.filter(pl.col("came_true").is_between("low", "high")).height == bins.height
    (other,) = inside(make_report(scored(sharpness=3), threshold=0.4), "calibration")
    assert not rows(other, "bins").equals(bins)
    outside = Predictions.of([0, 1, 1], y_score=[-3.0, 0.5, 8.0])
    assert inside(make_report(outside, threshold=0.0), "calibration") == []


def test_weighted_items_have_the_calibration_of_the_curve_with_its_intervals() -> None:
    rng = np.random.default_rng(3)
    truth, score, weight = rng.random(80) < 0.4, rng.random(80), rng.random(80) * 3
    report = make_report(Predictions.of(truth, y_score=score, sample_weight=weight))
    (part,) = inside(report, "calibration")
    curve = assay.subjects.labels.curves.calibration(truth, score, sample_weight=weight)
    names = ["items", "probability", "came_true", "low", "high"]
    drawn, expected = (frame.select(names).to_numpy() for frame in (rows(part, "bins"), curve.frame))
    assert drawn == pytest.approx(expected, rel=1e-12)  # the curve adds up positive items first
    assert part.data["error"] == pytest.approx(curve.summary["value"][0], rel=1e-12)


def test_weighted_items_of_several_labels_have_intervals_of_calibration_too() -> None:
    """A weight of 2 for all is worth as many items as none."""
    rng = np.random.default_rng(4)
    scores = rng.dirichlet([1, 1, 1], 60)
    by_label = {label: scores[:, place] for place, label in enumerate("abc")}
    truth = rng.choice(list("abc"), 60).tolist()
    plain, doubled = (
        inside(make_report(Predictions.of(truth, y_score=by_label, sample_weight=weight)), "calibration")[0]
        for weight in (None, [2.0] * 60)
    )
    both = [rows(part, "bins").select("came_true", "low", "high").to_numpy() for part in (doubled, plain)]
    assert both[0] == pytest.approx(both[1], rel=1e-12)
    assert not np.isnan(both[0]).any()


@in_turn("scores", [[3e307, -3e307, 1e307, -2e307], [1.7e308, -1.7e308, 3e307, 0.0], [5e-324, 0.0, -5e-324, -1e-323]])
def test_scores_of_any_size_are_drawn_within_the_page(scores: list[float]) -> None:
    report = make_report(Predictions.of([1, 0, 1, 0], y_score=scores), threshold=0.0)
    text = report.to_html()
    drawn = text.partition('class="at-scores"')[2].partition("</figure>")[0]
    places = [float(place) for place in re.findall(r'<rect x="(\S+)%"[^>]* class="box s[12]', drawn)]
    assert len(places) >= 2
    assert all(0 <= place < 100 for place in places)
    (data,) = re.findall(r'<script type="application/json" class="data">(.*?)</script>', text)
    assert all(0 <= place <= 1 for place in json.loads(data)["place"])
    assert max(map(len, re.findall(r"\d+", re.sub("[0-9-]+ [0-9:]+ UTC", "", Read(text).text)))) < 40


def test_all_matrices_of_a_page_have_the_same_labels_in_one_order() -> None:
    many = [labelled(800, labels=40, seed=0), labelled(800, labels=40, seed=0)]
    other = many[1].prediction
    assert other is not None
    turned = Predictions.of(many[1].truth, other.reverse(), item_id=many[1].item_id, name="turned")
    one, two = inside(make_report([many[0], turned], measures="Accuracy"), "confusion")
    assert labels_of(one) == labels_of(two)
    ready = [
        assay.ConfusionMatrix.from_matrix([[5, 1, 0], [0, 4, 1], [1, 0, 3]], ["a", "b", "c"]),
        assay.ConfusionMatrix.from_matrix([[3, 2, 1], [0, 7, 0], [0, 0, 2]], ["c", "a", "b"]),
    ]
    result = classify({"one": ready[0], "two": ready[1]}, "Accuracy")
    one, two = inside(result.report(), "confusion")
    assert labels_of(one) == labels_of(two) == ("a", "b", "c")
    assert [cell["number"] for cell in two.data["cells"]] == [7, 0, 0, 0, 2, 0, 2, 1, 3]
    shown = list(result.document().section("matrices").tables())
    assert [[column.head for column in table.columns[1:]] for table in shown] == [["a", "b", "c", "items"]] * 2


@in_turn("labels", [["ham", "spam"], ["spam", "ham"]])
def test_the_matrix_at_the_threshold_has_the_order_of_the_other_one(labels: list[str]) -> None:
    given = Predictions.of(["ham", "spam", "ham"], y_score=[0.1, 0.9, 0.6], labels=labels, pos_label="spam")
    report = make_report(given)
    assert labels_of(inside(report, "confusion")[0]) == tuple(labels)
    assert inside(report, "threshold")[0].data["positive_first"] == (labels[0] == "spam")
    cells = re.findall(r'data-cell="(..)"', report.to_html())
    assert cells == (["tn", "fp", "fn", "tp"] if labels[0] == "ham" else ["tp", "fn", "fp", "tn"])


def test_long_names_that_begin_alike_are_told_apart() -> None:
    labels = [f"{'what is known about tea and its ' * 4}, chapter {number}, {'x' * 90}" for number in range(4)]
    truth = [labels[place % 4] for place in range(40)]
    report = make_report(Predictions.of(truth, truth[1:] + truth[:1]))
    shown = labels_of(inside(report, "confusion")[0])
    assert len(set(shown)) == 4
    assert tuple(report.table("classes")["label"]) == shown
    assert set(report.table("pairs")["truth"]) == set(shown)


def test_scores_without_predictions_have_a_report_without_a_matrix() -> None:
    given = Predictions.of([1, 0, 1, 0], y_score=[3.5, -1.0, 0.2, 0.4])
    report = make_report(given, measures=["AUC"])
    assert str(report).splitlines()[0] == "AUC of predictions is 0.7500 (0.0693 to 0.9918)."
    assert [part for name in ("confusion", "classes", "pairs") for part in inside(report, name)] == []
    (part,) = inside(report, "threshold")
    assert part.data["start_says"].endswith("it predicts nothing itself")
    assert not part.data["in_use"]
    assert "in use" not in report.to_markdown()
    assert any("there is no matrix" in note for note in report.notes)
    assert "Confusion matrix of" in Read(report.to_html()).text  # the one at the threshold


def test_a_report_on_classifiers_is_a_report_and_short_to_look_at() -> None:
    report = make_report(scored())
    assert isinstance(report, Report)
    assert repr(report) == "<Report 'words': 1 classifier, 200 items, 2 labels (ham and spam); positive is spam>"


def test_many_labels_are_shown_in_part_and_said_to() -> None:
    report = made_reports()["many labels"]
    (matrix,) = inside(report, "confusion")
    assert len(labels_of(matrix)) == MOST_LABELS
    assert "The 20 of 40 labels that are confused most; " in report.to_markdown()
    assert len(items_of(report)) <= MOST_ITEMS_IN_ALL
    assert report.table("classes").height == 40


def test_several_labels_an_item_have_classes_and_no_matrix() -> None:
    report = made_reports()["several labels"]
    assert inside(report, "confusion") == []
    assert report.table("classes").height == 5
    assert any("no confusion matrix" in note for note in report.notes)


def test_weights_leave_out_intervals_and_say_so() -> None:
    report = made_reports()["weights"]
    (matrix,) = inside(report, "confusion")
    assert [cell["number"] for cell in matrix.data["cells"]] == [3.0, 0.0, 0.5, 1.0]
    assert all(math.isnan(cell["of_all_low"]) for cell in matrix.data["cells"])
    assert any("weights" in note for note in report.notes)


def test_two_classifiers_are_compared_and_their_items_counted() -> None:
    report, given = made_reports()["a pair"], [scored(), scored(name="letters", sharpness=2.5)]
    held, found = assay.compare(given, baseline="words"), report.table("findings")
    assert set(found["measure"]) >= {"Accuracy", "F1", "MCC", "AUC"}
    accuracy = found.filter(pl.col("measure") == "Accuracy").row(0, named=True)
    same = next(finding for finding in held.findings if finding.measure == "Accuracy")
    assert (accuracy["difference"], accuracy["p"]) == (same.difference, same.p)
    _, part = inside(report, "compared")
    flips = part.data["counts"]
    right, then = (system.truth == system.prediction for system in (each.at(0.5) for each in given))
    assert (flips["fixed"], flips["broken"]) == ((~right & then).sum(), (right & ~then).sum())
    assert flips["fixed"] - flips["broken"] == round(200 * accuracy["difference"])
    _, turned = inside(make_report(given, baseline="letters"), "compared")
    assert turned.data["counts"]["fixed"] == flips["broken"]


@pytest.mark.parametrize(
    ("systems", "options", "correction", "comparisons"),
    [(2, {}, "", 1), (4, {}, "Holm", 3), (4, {"correction": "none"}, "", 3), (2, {"family": "all"}, "Holm", None)],
)
def test_what_p_values_of_classifiers_are_corrected_over_is_told(
    systems: int, options: dict[str, Any], correction: str, comparisons: int | None
) -> None:
    """The family is the pairs under one measure, or under all of them, and the methods name the correction."""
    given = [scored(200, name=f"model {n}", sharpness=1.0 + n) for n in range(systems)]
    report = make_report(given, comparison={"bootstrap_resamples": 500, **options})
    found, (part, *_) = report.table("findings"), inside(report, "compared")
    expected = comparisons or found["measure"].n_unique()
    assert (part.data["correction"], part.data["comparisons"]) == (correction, expected)
    narrow = found.unnest("equivalence_interval", separator="_")
    assert (narrow["equivalence_interval_low"] <= narrow["equivalence_interval_high"]).all()
    assert (narrow["low"] <= narrow["equivalence_interval_low"]).all()
    methods = methods_of(report)
    assert ("Holm's method" in methods) == bool(correction)
    assert ("not corrected" in methods) == (expected > 1 and not correction)


def test_one_class_only_has_a_page_without_curves() -> None:
    report = make_report(Predictions.of([1, 1, 1], y_score=[0.2, 0.6, 0.9]))
    assert inside(report, "threshold") == []
    assert "is undefined: there is no negative item" in Read(report.to_html()).text


def test_a_ready_matrix_has_a_page_without_items() -> None:
    matrix = assay.ConfusionMatrix.from_matrix([[13, 4], [2, 15]], ["w", "m"], pos_label="w")
    report = classify(matrix).report()
    assert [cell["number"] for cell in inside(report, "confusion")[0].data["cells"]] == [13, 4, 2, 15]
    assert "Choose a cell" not in Read(report.to_html()).text
    assert any("a matrix holds no items" in note for note in report.notes)


def test_a_million_items_make_a_small_page() -> None:
    """What is in a page does not grow with the items: 500 thresholds, 40 bins, 25 items a cell."""
    rng = np.random.default_rng(5)
    truth = rng.random(1_000_000) < 0.2
    given = Predictions.of(truth, y_score=rng.normal(truth * 1.0, 1.0))
    report = make_report(given, measures=["Accuracy", "AUC"], threshold=0.5)
    (part,) = inside(report, "threshold")
    assert len(part.data["rows"]) <= MOST_THRESHOLDS < part.data["every"]
    assert len(report.to_html()) < 250_000
    assert len(report.to_json()) < 250_000
    assert any("500 at most" in note for note in report.notes)


def test_the_largest_page_is_bounded() -> None:
    """Six systems, more labels than are drawn, long names: 6 MB are the most."""
    long = "x" * 300
    systems = [labelled(1500, labels=25, seed=seed, name=f"system{seed}", text=long) for seed in range(7)]
    systems = [Predictions.of(systems[0].truth, one.prediction, item_id=one.item_id, name=one.name) for one in systems]
    report = make_report(systems, measures=["Accuracy"], comparison={"bootstrap_resamples": 100})
    assert len(inside(report, "confusion")) == 6
    assert len(report.to_html()) < 6_000_000


def test_sections_say_where_they_show_some_of_the_classifiers() -> None:
    assert "Shown for" not in made_reports()["a pair"].to_markdown()
    systems = [scored(40, name=f"system {place}") for place in range(7)]
    text = make_report(systems, measures=["Accuracy"]).to_markdown()
    assert text.count("Shown for 6 of 7 classifiers.") == 3  # matrices, thresholds, classes


# Ways to make one, and forms.


def test_reports_are_made_of_whatever_holds_predictions() -> None:
    path, wanted = LETTERS / "spam.csv", ["Precision", "AUC"]
    made: list[Any] = [
        make_report(path, measures=wanted, pos_label="spam"),
        make_report(classify(path, wanted, pos_label="spam")),
        classify(path, wanted, pos_label="spam").report(),
        make_report(assay.read_predictions(path, pos_label="spam"), measures=wanted),
    ]
    assert all(isinstance(report, Report) for report in made)
    assert len(set(map(str, made))) == 1
    (digest,) = made[0].table("inputs")["sha256"]
    assert digest == hashlib.sha256(path.read_bytes()).hexdigest()
    assert "Precision|average=binary|" in made[0].to_json()


def test_what_does_not_belong_is_refused() -> None:
    with pytest.raises(ParameterError, match="topics has no meaning in a report on classifiers"):
        make_report(scored(), topics={"q1": "tea"})
    with pytest.raises(ParameterError, match="measures belongs to the classification"):
        make_report(classify(scored()), measures="AUC")
    with pytest.raises(ParameterError, match="unknown argument 'posible'"):
        make_report(scored(), posible=1)  # type: ignore[call-arg]
    with pytest.raises(ParameterError, match="choose a baseline of words, not 'word'; did you mean words"):
        make_report(scored(), baseline="word")


@in_turn("kind", KINDS)
def test_every_form_is_written_whatever_names_hold(kind: str) -> None:
    report = made_reports(HOSTILE)[kind]
    markdown = report.to_markdown()
    prose = "".join(re.split(r"^(?:`{3,})text\n.*?^`{3,}$", markdown, flags=re.MULTILINE | re.DOTALL))
    assert not re.search(r"(?<!\\)<", prose)
    for table in re.findall(r"(?:^\|.*\n)+", prose, flags=re.MULTILINE):
        assert len({re.sub(r"\\.", "", row).count("|") for row in table.splitlines()}) == 1, table
    latex = report.to_latex()
    begun, ended = (re.findall(rf"\\{word}{{(\w+)}}", latex) for word in ("begin", "end"))
    assert sorted(begun) == sorted(ended)
    data = json.loads(report.to_json())
    assert data["sections"]["summary"]["task"] in {"binary", "multiclass", "multilabel"}
    estimates = data["sections"]["measures"]["estimates"]
    assert len({row["system"] for row in estimates}) == (2 if kind == "a pair" else 1)
    assert "<script>" not in report._repr_html_()


@in_turn("program", ["pdflatex", "lualatex"])
def test_latex_compiles(tmp_path: Path, program: str) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    made_reports(r" a_b%&\$#{}~^<b>|é")["a pair"].save(tmp_path / "r.tex")
    command = [program, "-halt-on-error", "-interaction=nonstopmode", "r.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]


def test_the_same_predictions_give_the_same_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    assert make_report(scored()).to_html() == make_report(scored()).to_html()


def test_works_are_cited_for_what_was_used() -> None:
    report = made_reports()["binary"]
    (references,) = (part for part in report.section("methods").parts if isinstance(part, References))
    cited = [work.bibtex.split("{")[1].split(",")[0] for work in references.works]
    assert cited == [
        "vanrijsbergen1979",
        "matthews1975",
        "brier1950",
        "wilson1927",
        "efron1993",
        "delong1988",
        "student1908",
    ]
    assert "Wilson's" in methods_of(report)


# The command.


def test_the_command_writes_all_forms_and_says_what_it_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    targets = [tmp_path / f"r.{ending}" for ending in ("html", "md", "tex", "json")]
    wanted = [part for target in targets for part in ("-o", str(target))]
    arguments = ["classifier", "report", str(LETTERS / "spam.csv"), "--positive", "spam", *wanted]
    monkeypatch.setattr("sys.argv", ["/somewhere/bin/assay", *arguments])
    done = invoke(arguments)
    assert done.exit_code == 0, done.output
    assert "of all spam" in done.stdout
    assert all(target.stat().st_size > 5000 for target in targets)
    made = json.loads(targets[3].read_text(encoding="utf-8"))["sections"]["provenance"]
    assert made["text"][0] == shlex.join(["assay", *arguments])


@in_turn(
    ("given", "said"),
    [
        ([], "which label is positive, ham or spam"),
        (["--positive", "spam", "--topics", "x.txt"], "--topics goes with assay report"),
        (["--positive", "spam", "--depth", "3"], "--depth goes with assay report"),
        (
            [str(LETTERS / "names.conll"), "--positive", "spam"],
            "names.conll:1: expected a table with the columns",
        ),
        (["--positive", "spam", "-m", "Recal"], "Recal"),
        (["--positive", "spam", "--threshold", "nan"], "--threshold is a finite number, not nan"),
    ],
)
def test_bad_calls_are_refused_before_a_file_is_written(tmp_path: Path, given: list[str], said: str) -> None:
    target = tmp_path / "r.html"
    with pytest.raises(AssayError, match=said) as problem:
        invoke(["classifier", "report", str(LETTERS / "spam.csv"), *given, "-o", str(target)], catch_exceptions=False)
    assert "\n" not in str(problem.value)
    assert not target.exists()


def test_options_of_classifiers_are_refused_for_rankings(tmp_path: Path) -> None:
    tea = LETTERS.parent / "tea"
    with pytest.raises(ParameterError, match="--positive goes with assay classifier report"):
        invoke(
            ["report", *map(str, (tea / "qrels.txt", tea / "words.run", "--positive", 1, "-o", tmp_path / "r.html"))],
            catch_exceptions=False,
        )
