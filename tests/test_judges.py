"""Agreement of judges: oracles, brute force with missing labels, intervals, readers, verbs, refusals."""

from __future__ import annotations

import io
import itertools
import json
import math
import random
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from cases import in_turn
from command import invoke, run_assay
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay import (
    FormatError,
    InputError,
    Labels,
    ParameterError,
    agree,
    agree_on_systems,
    audit_judge,
    compare,
    doctor,
    read_labels,
)
from assay.files.writing import write
from assay.measures.agreement import Alpha
from benchmarks.studies import simulate_agreement

BICYCLES = Path(assay.__file__).parent / "data" / "bicycles"
JUDGMENTS = str(BICYCLES / "judgments.txt")
RUNS = {name: str(BICYCLES / "runs" / f"{name}.run") for name in ("bm25", "titles", "shuffled")}
approx = pytest.approx
Rows = list[tuple[str, str, Any]]


def random_rows(seed: int, judges: int = 4, items: int = 25, categories: int = 3, missing: float = 0.3) -> Rows:
    """Labels of judges who mostly follow what an item is, some of them missing."""
    draw = random.Random(seed)
    rows: Rows = []
    for item in range(items):
        right = draw.randrange(categories)
        for judge in range(judges):
            if draw.random() >= missing:
                label = right if draw.random() < 0.6 else draw.randrange(categories)
                rows.append((f"d{item}", f"j{judge}", label))
    return rows


def by_item(rows: Rows) -> list[list[Any]]:
    """The labels of each item that has two or more."""
    items: dict[str, list[Any]] = {}
    for item, _, label in rows:
        items.setdefault(item, []).append(label)
    return [labels for labels in items.values() if len(labels) > 1]


def value(rows: Rows, measure: str, **rules: Any) -> float:
    return agree(Labels.of(rows), measures=measure, resamples=0, **rules).value(measure)


# Oracles ----------------------------------------------------------------------------------------------------------


@in_turn("seed", range(5))
def test_kappa_is_that_of_scikit_learn(seed: int) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rows = random_rows(seed, judges=2, missing=0.0)
    first, second = ([label for _, judge, label in rows if judge == name] for name in ("j0", "j1"))
    assert value(rows, "Kappa") == approx(metrics.cohen_kappa_score(first, second))
    for weights in ("linear", "quadratic"):
        expected = metrics.cohen_kappa_score(first, second, weights=weights)
        assert value(rows, f"Kappa(weights='{weights}')") == approx(expected)


@in_turn("seed", range(5))
def test_fleiss_kappa_is_that_of_statsmodels(seed: int) -> None:
    raters = pytest.importorskip("statsmodels.stats.inter_rater")
    rows = random_rows(seed, judges=5, missing=0.0)
    table = [[labels.count(category) for category in range(3)] for labels in by_item(rows)]
    assert value(rows, "FleissKappa") == approx(raters.fleiss_kappa(np.array(table)))


def distance(scale: str, one: float, other: float, sizes: Counter[float]) -> float:
    if scale == "nominal":
        return float(one != other)
    if scale == "interval":
        return (one - other) ** 2
    if scale == "ratio":
        return ((one - other) / (one + other)) ** 2 if one + other else 0.0
    low, high = sorted((one, other))
    between = sum(count for value, count in sizes.items() if low <= value <= high)
    return (between - (sizes[one] + sizes[other]) / 2) ** 2 if one != other else 0.0


@in_turn("scale", ["nominal", "ordinal", "interval", "ratio"])
@in_turn("seed", range(3))
def test_alpha_is_what_counting_pairs_gives(scale: str, seed: int) -> None:
    rows = random_rows(seed)
    items = by_item(rows)
    every = [label for labels in items for label in labels]
    sizes = Counter(every)
    observed = sum(
        sum(distance(scale, one, other, sizes) for one, other in itertools.permutations(labels, 2)) / (len(labels) - 1)
        for labels in items
    )
    chance = sum(distance(scale, one, other, sizes) for one, other in itertools.permutations(every, 2))
    expected = 1 - observed / (chance / (len(every) - 1))
    assert value(rows, f"Alpha(scale='{scale}')") == approx(expected)


@in_turn("seed", range(5))
def test_gwet_and_scott_are_what_counting_pairs_gives(seed: int) -> None:
    rows = random_rows(seed)
    items = by_item(rows)
    agreed = np.mean([np.mean([a == b for a, b in itertools.permutations(labels, 2)]) for labels in items])
    labelled: dict[str, list[Any]] = {}
    for item, _, label in rows:
        labelled.setdefault(item, []).append(label)
    shares = [np.mean([labels.count(k) / len(labels) for labels in labelled.values()]) for k in range(3)]
    chance = sum(share * (1 - share) for share in shares) / 2
    assert value(rows, "AC1") == approx((agreed - chance) / (1 - chance))
    two = [row for row in rows if row[1] in {"j0", "j1"}]
    pairs = by_item(two)
    same = np.mean([one == other for one, other in pairs])
    pooled = Counter(label for labels in pairs for label in labels)
    by_chance = sum((count / (2 * len(pairs))) ** 2 for count in pooled.values())
    assert value(two, "ScottPi") == approx((same - by_chance) / (1 - by_chance))


# Properties -------------------------------------------------------------------------------------------------------


@given(st.integers(0, 1000), st.randoms(use_true_random=False))
@settings(max_examples=8, deadline=None)
def test_order_of_rows_and_names_of_judges_make_no_difference(seed: int, shuffler: random.Random) -> None:
    rows = random_rows(seed, judges=3)
    other = [(item, {"j0": "zoe", "j1": "abe", "j2": "mia"}[judge], label) for item, judge, label in rows]
    shuffler.shuffle(other)
    one, two = (agree(Labels.of(each), resamples=0) for each in (rows, other))
    for measure in one.measures:
        assert one.value(measure) == approx(two.value(measure), nan_ok=True)


def test_judges_who_always_agree_have_1_and_no_interval() -> None:
    result = agree(Labels.of([(f"d{n}", judge, n % 3) for n in range(30) for judge in "ab"]))
    estimate = result.estimate("Alpha")
    assert estimate.value == 1
    assert np.isnan(estimate.low)
    assert "same number" in str(estimate.no_interval)


@in_turn("judges", [["ana", "ben"], ["ana", "ben", "cleo"]])
def test_without_an_item_in_common_every_coefficient_has_that_for_a_reason(judges: list[str]) -> None:
    result = agree(Labels.of([(f"d{place}", judge, place % 2) for place, judge in enumerate(judges)]))
    assert set(result.undefined()) == set(map(str, result.measures))
    assert set(result.undefined().values()) == {"no item has labels from two judges"}
    assert result.pairs.is_empty()
    for text in (str(result), result.to_html(), assay.make_report(result).to_html()):
        assert "no item has labels from two judges" in text


def test_one_category_is_undefined_with_a_reason() -> None:
    result = agree(Labels.of([(f"d{n}", judge, 0) for n in range(30) for judge in "ab"]))
    assert result.value("Agreement") == 1
    for measure in ("Kappa", "Alpha", "AC1"):
        estimate = result.estimate(measure)
        assert np.isnan(estimate.value)
        assert estimate.undefined
    assert "undefined" in str(result)


@pytest.mark.parametrize(
    ("coefficient", "case"),
    [
        ("Kappa", "balanced"), ("Alpha(scale='ordinal')", "rare"),
    ],
)  # fmt: skip
def test_intervals_cover_what_was_simulated(coefficient: str, case: str) -> None:
    """95% intervals over items: 93 to 97 of 100 hold that of the population. `benchmarks.studies` has all of them."""
    assert 0.93 <= simulate_agreement.coverage(coefficient, case, 100, repeats=100, resamples=300) <= 0.97


def test_intervals_over_topics_are_wider_where_topics_differ() -> None:
    draw = random.Random(3)
    rows = []
    for topic in range(12):
        good = topic % 2
        for item in range(20):
            label = draw.randrange(2)
            rows.append((f"q{topic}", f"d{item}", "ana", label))
            rows.append((f"q{topic}", f"d{item}", "ben", label if good else draw.randrange(2)))
    labels = Labels.of(pl.DataFrame(rows, schema=["query_id", "item_id", "judge", "label"], orient="row"))
    items, topics = (agree(labels, measures="Kappa", by_topic=each).estimate("Kappa") for each in (False, True))
    assert items.value == topics.value
    assert topics.high - topics.low > 1.5 * (items.high - items.low)


# The three assessors of the bundled collection ----------------------------------------------------------------------


def test_the_bundled_assessors() -> None:
    result = agree(JUDGMENTS, resamples=200)
    assert result.labels.sizes == (2043, 681, 3)
    assert result.pairs.select("first", "second", "items").rows() == [
        ("ana", "ben", 681), ("ana", "cleo", 681), ("ben", "cleo", 681),
    ]  # fmt: skip
    assert result.per_topic.height == 20
    assert result.per_topic["items"].sum() == 681
    assert result.confusion("ana", "ben").select(pl.exclude("ana")).to_numpy().sum() == 681
    assert result.scale == "ordinal"
    assert "Landis and Koch" in str(result)


def test_thirds_of_time_are_shown_where_times_are_known() -> None:
    rows = [(f"d{n}", judge, n % 2 if judge == "a" or n < 20 else 0, n) for n in range(60) for judge in "ab"]
    frame = pl.DataFrame(rows, schema=["item_id", "judge", "label", "time"], orient="row")
    over_time = agree(Labels.of(frame)).over_time
    assert over_time["items"].to_list() == [20, 20, 20]
    assert over_time["Agreement"].to_list() == [1.0, 0.5, 0.5]


def test_rare_labels_bring_the_kappa_paradox_up() -> None:
    rows = [(f"d{n}", judge, int(n == (0 if judge == "a" else 1))) for n in range(100) for judge in "ab"]
    text = str(agree(Labels.of(rows)))
    assert "judges would agree most of the time by chance" in text


def test_whether_the_ranking_of_systems_changes_with_the_judge() -> None:
    result = agree_on_systems(JUDGMENTS, RUNS, resamples=200)
    assert result.judges == ("ana", "ben", "cleo")
    assert result.correlations["tau"].to_list() == [1.0] * 6
    assert set(result.verdicts["outcome"]) <= {"same", "decided by some"}
    row = result.scores.filter(system="bm25").row(0, named=True)
    own = assay.evaluate(JUDGMENTS, RUNS["bm25"], "nDCG@10", judge="ana").mean()
    assert row["ana"] == approx(own)
    assert "same order" in result.conclusion


def test_judges_may_be_called_as_columns_are() -> None:
    rows = [
        (f"q{n}", f"d{d}", judge, d) for n in range(6) for d in (0, 1) for judge in ("median", "system", "majority")
    ]
    frame = pl.DataFrame(rows, schema=["query_id", "item_id", "judge", "label"], orient="row")
    runs = {"a": {f"q{n}": {"d0": 2.0, "d1": 1.0} for n in range(6)}}
    runs |= {"b": {f"q{n}": {"d1": 2.0, "d0": 1.0} for n in range(6)}}
    ranked = agree_on_systems(Labels.of(frame), runs, measure="RR", resamples=10)
    assert ranked.scores.columns == ["system", "judge median", "judge system", "judge majority", "majority"]
    assert ranked.verdicts["outcome"].to_list() == ["same"]
    assert ranked.conclusion.endswith("of 1 verdict, 1 is the same with every judge, and 0 reversed.")


def test_a_judge_never_gets_the_name_of_another() -> None:
    judges = ("median", "judge median")
    rows = [(f"q{n}", f"d{d}", judge, d) for n in range(6) for d in (0, 1) for judge in judges]
    frame = pl.DataFrame(rows, schema=["query_id", "item_id", "judge", "label"], orient="row")
    runs = {name: {f"q{n}": {"d0": 1.0, "d1": score} for n in range(6)} for name, score in (("a", 0.5), ("b", 2.0))}
    ranked = agree_on_systems(Labels.of(frame), runs, measure="RR", resamples=10)
    assert ranked.judges == ("judge judge median", "judge median")


def test_rankings_need_topics_grades_and_two_systems() -> None:
    labels = Labels.of([("d1", "a", 1), ("d1", "b", 0)])
    with pytest.raises(InputError, match="expected topics"):
        agree_on_systems(labels, RUNS)
    with pytest.raises(ParameterError, match="two systems"):
        agree_on_systems(JUDGMENTS, {"bm25": RUNS["bm25"]})


# Verbs --------------------------------------------------------------------------------------------------------------


def test_groups_of_judges_are_compared_on_the_items_that_both_have() -> None:
    labels = read_labels(JUDGMENTS)
    new = labels.only(["ben", "cleo"])
    result = compare(
        {"old": labels.only(["ana", "ben"]), "new": new}, measures="Agreement", resamples=1000, bootstrap_resamples=200
    )
    finding = result.findings[0]
    assert finding.units == 681
    assert finding.value == approx(agree(new, resamples=0).value("Agreement"))
    assert finding.verdict.word == "worse"


def test_true_and_false_are_labels_like_others() -> None:
    rows = [(f"d{n}", judge, n % 2 == 0 or (judge == "b" and n < 3)) for n in range(12) for judge in "ab"]
    alike, other = (Labels.of(each, name=name) for each, name in ((rows[::-1], "x"), (rows, "y")))
    assert agree(alike).ratings.categories == ("false", "true")
    assert compare([alike, other]).finding("Agreement").verdict.word == "identical"


def test_explain_shows_both_parts() -> None:
    rows = [(f"d{n}", judge, "yes" if n < cut else "no") for judge, cut in (("a", 5), ("b", 4)) for n in range(10)]
    explanation = assay.explain("Kappa", Labels.of(rows))
    assert explanation.value == approx(0.8)
    parts = {row["part"]: row["value"] for row in explanation.steps[1].frame.to_dicts()}
    assert parts == approx({"P(A)": 0.9, "P(E)": 0.5})
    assert explanation.formula.words == "(P(A) - P(E)) / (1 - P(E))"
    with pytest.raises(ParameterError, match="Kappa is for two judges: choose two of ana, ben, cleo"):
        assay.explain("Kappa", read_labels(JUDGMENTS))


def test_doctor_finds_what_makes_agreement_misleading() -> None:
    rows = [(f"d{n}", "ana", n % 2) for n in range(40)] + [(f"d{n}", "ben", 1) for n in range(38)]
    rows += [(f"d{n}", "cy", 1 - n % 2) for n in range(40)] + [("d99", "ana", 7)]
    found = {finding.check for finding in doctor(Labels.of(rows), grades="0,1").findings}
    assert {"constant-judge", "contrary-judge", "outside-scale", "few-common-items"} <= found
    assert {finding.check for finding in doctor(Labels.of([("d", "a", 1)])).findings} == {"one-judge"}
    few = doctor(Labels.of([("d", "a", 1), ("d", "b", 0)]))
    assert {finding.check for finding in few.findings} == {"few-common-items"}


# Readers ------------------------------------------------------------------------------------------------------------

THREE = [("d1", "ana", 1), ("d1", "ben", 0), ("d2", "ana", 2)]


def rows_of(labels: Labels) -> list[tuple[Any, ...]]:
    return labels.frame.select("item_id", "judge", "label").rows()


def test_long_tables_under_foreign_names() -> None:
    text = "docID\tworkerID\tgold\tlabel\nd1\tana\t-1\t1\nd1\tben\t-1\t0\nd2\tana\t2\t2\n"
    labels = read_labels(io.StringIO(text), no_gold=-1)
    assert rows_of(labels) == THREE
    assert labels.frame["gold"].to_list() == [None, None, 2]
    stated = io.StringIO("doc,Who,What\nd1,ana,1\nd1,ben,0\nd2,ana,2\n")
    assert rows_of(read_labels(stated, columns={"judge": "Who", "label": "What"})) == THREE
    lines = "".join(json.dumps(dict(zip(("item", "judge", "label"), row, strict=True))) + "\n" for row in THREE)
    assert rows_of(read_labels(io.StringIO(lines))) == THREE


def test_wide_tables_have_a_column_for_each_judge() -> None:
    text = "item,ana,ben,note\nd1,1,0,x\nd2,2,,y\n"
    assert rows_of(read_labels(io.StringIO(text), judges=["ana", "ben"])) == THREE
    assert read_labels(pl.DataFrame({"item": ["d1"], "ana": ["a"], "ben": ["b"]})).judges == ("ana", "ben")


def test_numbered_judges_of_a_wide_table_are_no_columns_of_judgments() -> None:
    """Its header has four words, the last a number, as judgments have."""
    labels = read_labels(io.StringIO("doc,Rater 1,Rater 2,Rater 3\nd1,1,0,\nd2,1,1,1\n"))
    assert labels.judges == ("Rater 1", "Rater 2", "Rater 3")
    assert len(labels) == 5


def test_marks_for_missing_numbers_are_no_labels_and_slips_are_told() -> None:
    wide = read_labels(io.StringIO("doc,ana,ben\nd1,1,NA\nd2,0,1\nd3,n/a,2\n"))
    assert wide.frame["label"].to_list() == [1, 0, 1, 2]
    mixed = read_labels(io.StringIO("item,judge,label\nd1,ana,1\nd1,ben,x\nd2,ana,0\n"))
    assert mixed.remarks == ("labels are read as text: 1 of 3 labels not a number (x)",)
    spelt = read_labels(io.StringIO("item,judge,label\nd1,ana,yes\nd1,ben,Yes\n"))
    assert spelt.remarks == ("labels that differ only in case count as different: yes, Yes",)
    assert [finding.check for finding in doctor(spelt).findings if "case" in finding.says] == ["odd-labels"]


def test_judges_whose_names_are_nearly_the_same_are_told() -> None:
    labels = read_labels(io.StringIO("item,judge,label\nd1,ana,1\nd1,Ana ,1\nd1,ben,0\n"))
    assert labels.judges == ("ana", "Ana ", "ben")
    assert labels.remarks == ("judges whose names differ only in case or blanks count as several: 'ana', 'Ana '",)


@pytest.mark.parametrize("table", [
    "item,judge,label\na,x,01\na,y,1\nb,x,001\nb,y,2\nc,x,2.0\nc,y,10\n", "item,x,y\na,01,1\nb,001,2\nc,2.0,10\n",
])  # fmt: skip
def test_codes_that_are_read_as_one_number_are_named(table: str) -> None:
    assert read_labels(io.StringIO(table)).remarks == (
        "labels written in different ways are read as one number: 001 and 01 and 1",
    )


@pytest.mark.parametrize("table", ["item,x,y\na,01,02\nb,02,01\n", "item,x,y\na,01,1\nb,1,none at all\n"])
def test_codes_that_stay_apart_are_not(table: str) -> None:
    assert not any("one number" in remark for remark in read_labels(io.StringIO(table)).remarks)


def test_nan_is_no_label() -> None:
    nan = float("nan")
    frame = pl.DataFrame({"item_id": ["d1", "d1", "d2", "d2"], "judge": list("abab"), "label": [1.0, nan, 0.0, 0.5]})
    for labels in (Labels.of(frame), read_labels(list(frame.rows()))):
        assert sorted(labels.frame.select("judge", "label").rows()) == [("a", 0), ("a", 1), ("b", 0.5)]


def test_many_grades_are_an_interval_scale() -> None:
    rows = [(f"d{n}", judge, n % 40) for n in range(80) for judge in "ab"]
    assert agree(Labels.of(rows), resamples=0).scale == "interval"
    thirty = agree(Labels.of([(item, judge, label % 30) for item, judge, label in rows]), resamples=0)
    assert thirty.value(thirty.headline) == 1
    assert thirty.scale == "ordinal"


def test_judgments_with_the_judge_in_column_2_or_one_file_per_judge() -> None:
    labels = read_labels(io.StringIO("q1 ana d1 1\nq1 ben d1 0\nq1 ana d2 2\n"))
    assert rows_of(labels) == THREE
    assert labels.has_topics
    parts = {"ana": io.StringIO("q1 0 d1 1\nq1 0 d2 2\n"), "ben": io.StringIO("q1 0 d1 0\n")}
    assert sorted(rows_of(read_labels(parts))) == THREE


@in_turn(
    ("name", "first", "second"),
    [
        ("beir.tsv", *(f"query-id\tcorpus-id\tscore\nq\ta\t1\nq\tb\t{grade}\n" for grade in (0, 2))),
        ("nested.json", '{"q": {"a": 1, "b": 0}}', '{"q": {"a": 1, "b": 2}}'),
        ("three.txt", "q a 1\nq b 0\n", "q a 1\nq b 2\n"),
        ("opensearch.json", *(json.dumps({"name": "w", "judgmentRatings": [{"query": "q", "ratings": [
            {"docId": "a", "rating": "1.000"}, {"docId": "b", "rating": grade}]}]}) for grade in ("0.000", "2.000"))),
    ],
    ids=["BEIR", "nested", "three columns", "OpenSearch"],
)  # fmt: skip
def test_judgments_without_a_place_for_the_judge_are_one_judges_each(
    tmp_path: Path, name: str, first: str, second: str
) -> None:
    files = {judge: tmp_path / f"{judge}-{name}" for judge in ("ana", "ben")}
    for path, text in zip(files.values(), (first, second), strict=True):
        path.write_text(text)
    labels = read_labels(files)
    assert sorted(labels.frame.select("query_id", "item_id", "judge", "label").rows()) == [
        ("q", "a", "ana", 1), ("q", "a", "ben", 1), ("q", "b", "ana", 0), ("q", "b", "ben", 2),
    ]  # fmt: skip
    with pytest.raises(InputError, match=f"ana-{name}.*expected"):
        read_labels(files["ana"])
    audit = audit_judge(files["ana"], files["ben"], resamples=0)
    assert audit.confusion.rows() == [("0", 0, 0, 0), ("1", 0, 1, 0), ("2", 1, 0, 0)]


def test_a_message_about_one_file_of_judgments_without_judges_says_what_is_lacking() -> None:
    with pytest.raises(InputError, match=r"expected labels of several judges, got 'JSON of qrels'.*one file per judge"):
        read_labels(io.StringIO('{"q": {"a": 1, "b": 0}}'))


def test_exports_of_label_studio() -> None:
    def annotation(who: Any, choice: str) -> dict[str, Any]:
        result = [{"value": {"choices": [choice]}, "type": "choices"}]
        return {"completed_by": who, "result": result, "lead_time": 3.5, "created_at": "2024-01-02T10:00:00.123Z"}

    tasks = [
        {"id": 7, "data": {"text": "a"}, "annotations": [annotation(1, "yes"), annotation({"email": "b@x"}, "no")]},
        {"id": 8, "data": {"text": "b"}, "annotations": [{**annotation(1, "no"), "was_cancelled": True}]},
    ]
    labels = read_labels(io.StringIO(json.dumps(tasks)))
    assert rows_of(labels) == [("7", "1", "yes"), ("7", "b@x", "no")]
    assert labels.frame["seconds"].to_list() == [3.5, 3.5]
    assert labels.frame["time"].null_count() == 0
    flat = [{"id": 7, "text": "a", "sentiment": "yes", "annotator": who, "annotation_id": 1, "lead_time": 2.0,
             "created_at": "2024-01-02T10:00:00Z"} for who in (1, 2)]  # fmt: skip
    short = read_labels(io.StringIO(json.dumps(flat)), columns={"label": "sentiment"})
    assert rows_of(short) == [("7", "1", "yes"), ("7", "2", "yes")]
    with pytest.raises(FormatError, match=r"label may be called .*or name it with columns"):
        read_labels(io.StringIO(json.dumps(flat)))


def test_of_several_questions_in_label_studio_one_is_the_label_whatever_their_order() -> None:
    """Answers stand in the order in which they were given, which differs from judge to judge."""

    def part(question: str, **value: Any) -> dict[str, Any]:
        return {"from_name": question, "value": value}

    asked = [part("fluency", choices=["good"]), part("on_topic", choices=["yes"]), part("why", text=["because"])]
    task = {"id": 7, "data": {}, "annotations": [{"completed_by": 1, "result": asked},
                                                 {"completed_by": 2, "result": asked[::-1]}]}  # fmt: skip
    text = json.dumps([task])
    assert rows_of(read_labels(io.StringIO(text), columns={"label": "on_topic"})) == [
        ("7", "1", "yes"),
        ("7", "2", "yes"),
    ]
    with pytest.raises(FormatError, match=r"which one is the label.*fluency, on_topic"):
        read_labels(io.StringIO(text))
    task["annotations"] = [{"completed_by": 1, "result": asked[1:]}, {"completed_by": 2, "result": asked[:0:-1]}]
    assert rows_of(read_labels(io.StringIO(json.dumps([task])))) == [("7", "1", "yes"), ("7", "2", "yes")]


def test_exports_of_doccano_and_prodigy() -> None:
    ana = '{"id": 1, "text": "x", "label": ["pos"]}\n{"id": 2, "text": "y", "label": []}\n'
    ben = '{"id": 1, "text": "x", "label": ["neg"]}\n'
    both = read_labels({"ana": io.StringIO(ana), "ben": io.StringIO(ben)})
    assert rows_of(both) == [("1", "ana", "pos"), ("1", "ben", "neg")]
    old = '{"id": 1, "text": "x", "annotations": [{"label": 2, "user": 5}, {"label": 3, "user": 6}]}\n'
    assert rows_of(read_labels(io.StringIO(old))) == [("1", "5", 2), ("1", "6", 3)]
    oldest = '{"doc_id": 1, "text": "x", "labels": ["pos"], "username": "ana"}\n'
    assert rows_of(read_labels(io.StringIO(oldest))) == [("1", "ana", "pos")]
    several = '{"id": 1, "text": "x", "label": ["pos", "neg"], "user": "ana"}\n'
    with pytest.raises(FormatError, match="one label of an item by a judge"):
        read_labels(io.StringIO(several))
    task = {"_input_hash": 11, "_task_hash": 22, "_timestamp": 1700000000}
    lines = [
        {**task, "accept": ["A"], "answer": "accept", "_annotator_id": "db-ana"},
        {**task, "accept": ["B"], "answer": "accept", "_annotator_id": "db-ben"},
        {**task, "accept": [], "answer": "ignore", "_annotator_id": "db-cy"},
    ]
    labels = read_labels(io.StringIO("\n".join(map(json.dumps, lines))))
    assert rows_of(labels) == [("11", "db-ana", "A"), ("11", "db-ben", "B")]
    assert labels.remarks == ("1 answer ignored or rejected: no label",)
    binary = {**task, "label": "SPAM", "answer": "reject", "_session_id": "s1"}
    assert rows_of(read_labels(io.StringIO(json.dumps(binary)))) == [("22", "s1", "reject")]


TURK = (
    '"HITId","AssignmentId","WorkerId","AssignmentStatus","SubmitTime","WorkTimeInSeconds","Input.docno","Input.topic",'
    '"Answer.rel"\n'
    '"h1","a1","w1","Approved","Mon Jan 19 20:33:03 PST 2015","12","d1","t1","1"\n'
    '"h1","a2","w2","Rejected","Mon Jan 19 20:34:03 PST 2015","3","d1","t1","0"\n'
)


def test_results_of_mechanical_turk() -> None:
    labels = read_labels(io.StringIO(TURK))
    assert labels.frame.select("query_id", "item_id", "judge", "label", "seconds").rows() == [
        ("t1", "d1", "w1", 1, 12.0), ("t1", "d1", "w2", 0, 3.0),
    ]  # fmt: skip
    first, second = labels.frame["time"].to_list()
    assert second - first == 60
    assert "rejected" in labels.remarks[0]
    with pytest.raises(FormatError, match="one column of answers"):
        read_labels(io.StringIO(TURK.replace("Input.topic", "Answer.why").replace("Answer.rel", "Answer.Q1")))


def test_times_are_read_with_a_zone_or_without_and_labels_may_be_fractions() -> None:
    text = "item,judge,label,time\nd1,ana,0.5,2026-03-01T10:00:00\nd2,ana,1,2026-03-01T11:00+01:00\nd3,ana,2,\n"
    labels = read_labels(io.StringIO(text))
    assert labels.frame["time"].to_list() == [1772359200.0, 1772359200.0, None]
    again = read_labels(pl.DataFrame({"item": ["d1", "d2"], "judge": ["ana", "ana"], "label": [0.5, math.nan]}))
    assert (labels.frame["label"].to_list(), rows_of(again)) == ([0.5, 1.0, 2.0], [("d1", "ana", 0.5)])


def test_times_of_data_frames_are_times(tmp_path: Path) -> None:
    """Parquet and data frames have times of their own; a clock in another zone shows the same moment."""
    times = [datetime(2026, 1, 1, hour, tzinfo=UTC) for hour in range(4)]
    frame = pl.DataFrame({"item": ["a", "a", "b", "b"], "judge": ["x", "y"] * 2, "label": [1, 0, 1, 1], "time": times})
    frame.write_parquet(tmp_path / "labels.parquet")
    wanted = [time.timestamp() for time in times]
    zoneless = frame.with_columns(pl.col("time").dt.replace_time_zone(None))
    zoned = frame.with_columns(pl.col("time").dt.convert_time_zone("Europe/Berlin"))
    for table in (frame, zoneless, zoned, zoneless.to_pandas(), zoned.to_pandas(), tmp_path / "labels.parquet"):
        assert read_labels(table).frame["time"].to_list() == wanted
    gone = zoneless.to_pandas().assign(time=lambda held: held["time"].where(held["item"] == "a"))
    assert read_labels(gone).frame["time"].to_list() == [*wanted[:2], None, None]
    days = frame.with_columns(pl.col("time").cast(pl.Date))
    assert read_labels(days).frame["time"].to_list() == [wanted[0]] * 4


def test_rows_without_a_judge_or_an_item_are_refused() -> None:
    for row, what in ((("d1", None, 1), "judge"), ((None, "ana", 1), "item_id")):
        with pytest.raises(FormatError, match=f"row 2: expected text or a number as {what}"):
            Labels.of([("d1", "ana", 1), row])


def test_labels_are_written_and_read_again(tmp_path: Path) -> None:
    labels = read_labels(JUDGMENTS)
    for ending in ("csv", "tsv", "jsonl", "parquet", "qrels"):
        write(labels, tmp_path / f"labels.{ending}")
        again = read_labels(tmp_path / f"labels.{ending}")
        assert again.frame.select(labels.frame.columns).equals(labels.frame)
    with pytest.raises(ParameterError, match="ending"):
        write(labels, tmp_path / "labels.doc")


# Bad input ----------------------------------------------------------------------------------------------------------


def test_refusals_name_the_place() -> None:
    twice = "item,judge,label\nd1,ana,1\nd1,ben,1\nd1,ana,0\n"
    with pytest.raises(FormatError, match=r":4: expected one label of 'd1' by 'ana', which is 1 above, got '0'"):
        read_labels(io.StringIO(twice))
    assert rows_of(read_labels(io.StringIO(twice), repeated="last"))[-1] == ("d1", "ana", 0)
    with pytest.raises(FormatError, match=r":2: expected 4 columns `query_id judge doc_id grade`"):
        read_labels(io.StringIO("q1 ana d1 1\nq1 ana d2\n"))
    for bad in ("q1 ana d1 1\nq1 ben d1 nan\n", "query_id,item,judge,label\nq1,d1,ana,inf\nq1,d1,ben,0\n"):
        wrong = r":2: expected a (number as grade, got 'nan'|finite number as label, got 'inf')"
        with pytest.raises(FormatError, match=wrong):
            read_labels(io.StringIO(bad))
    for broken in ('"annotations": [5]', '"annotations": [{"result": [5], "completed_by": 1}]'):
        with pytest.raises(FormatError, match="expected a record of Label Studio, got"):
            read_labels(io.StringIO(f'[{{"id": 1, "data": {{}}, {broken}}}]'))
    with pytest.raises(ParameterError, match="or rows of item_id, judge and label, got int"):
        read_labels(5)
    with pytest.raises(FormatError, match="expected a table with the columns `item_id`, `judge`, `label`"):
        read_labels(io.StringIO("a,b\n1,2\n"))
    for rows in ([("d1", "ana", 1), ("d1", "ben")], [1, 2], pl.DataFrame({"item_id": ["d1"]})):
        with pytest.raises(InputError, match=r"expected (rows of|the columns) item"):
            Labels.of(rows)
    with pytest.raises(InputError, match="two judges or more, got those of 'ana' alone"):
        agree(Labels.of([("d1", "ana", 1)]))
    with pytest.raises(InputError, match="judge 'ben', item 'd1': expected a label of 0, 1, got '7'"):
        agree(Labels.of([("d1", "ana", 1), ("d1", "ben", 7)]), categories=[0, 1])
    with pytest.raises(ParameterError, match="no judge is called 'bea'"):
        agree(JUDGMENTS, judges="ana,bea")
    with pytest.raises(InputError, match="expected a column of topics to resample by"):
        agree(Labels.of([("d1", "a", 1), ("d1", "b", 0)]), by_topic=True)


def test_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    runs = ("--runs", RUNS["bm25"], "--runs", RUNS["titles"])
    done = invoke(["agreement", "evaluate", JUDGMENTS, "--resamples", "200", "--json", *runs], catch_exceptions=False)
    assert json.loads(done.stdout)["sections"]["rankings"]["rankings"][0]["tau"] == 1.0
    few = read_labels(JUDGMENTS)
    small = "small.csv"
    write(Labels(few.frame.filter(pl.col("query_id").is_in(["1", "2", "3"]))), small)
    groups = ("--group", "old=ana,ben", "--group", "new=ana,cleo")
    for words in (
        ["explain", "Kappa", small, "--judges", "ana,ben"],
        ["gate", small, *groups, "--margin", "0.5"],
        ["compare", small, *groups, "-m", "Agreement"],
        ["doctor", small],
        ["report", small, "-o", "page.html", "-o", "page.md"],
        ["convert", small, "-o", "labels.csv"],
    ):
        assert invoke(["agreement", *words], catch_exceptions=False).exit_code == 0, words
    assert "| ana" in (tmp_path / "page.md").read_text(encoding="utf-8")
    (tmp_path / "one.csv").write_text("item,judge,label\nd1,ana,1\n", encoding="utf-8")
    refused = run_assay("agreement", "evaluate", "one.csv", "-o", "out.txt", folder=tmp_path)
    assert refused.returncode == 2
    assert "two judges or more" in refused.stderr
    assert not (tmp_path / "out.txt").exists()
    alone = run_assay("agreement", "compare", small, folder=tmp_path)
    assert alone.returncode == 2
    assert "a comparison takes two sets of labels or more, not 1: two files, or --group twice" in alone.stderr


def test_columns_that_are_no_judges_are_left_out_of_wide_tables(tmp_path: Path) -> None:
    """Seconds have a role, and a title beside numbers is no label; a table of texts is no table of labels."""
    path = tmp_path / "wide.csv"
    path.write_text("item,title,seconds,ana,ben\nd1,Tea,3,1,0\nd2,Milk,4,1,1\nd3,Cup,5,0,0\n")
    labels = read_labels(path)
    assert labels.judges == ("ana", "ben")
    assert labels.remarks == ("columns without numbers are not taken as judges: title",)
    path.write_text("item,ana,ben\nd1,yes,no\nd2,no,no\n")
    assert read_labels(path).judges == ("ana", "ben")
    path.write_text("doc_id,title,text\n" + "".join(f"d{n},Title {n},Text {n}\n" for n in range(12)))
    with pytest.raises(FormatError, match="`item_id`, `judge`, `label`"):
        read_labels(path)
    assert read_labels(path, judges=["title", "text"]).judges == ("title", "text")


def test_labels_are_finite_and_nan_is_none(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("item,judge,label\nd1,a,1\nd1,b,inf\n")
    with pytest.raises(FormatError, match=r"labels\.csv:3: expected a finite number as label, got 'inf'"):
        read_labels(path)
    with pytest.raises(FormatError, match="expected a finite number as label, got 'inf'"):
        read_labels(io.StringIO('{"id": 1, "annotations": [{"label": 1e400, "user": 5}, {"label": 3, "user": 6}]}\n'))
    frame = pl.DataFrame({"item": ["d1", "d1"], "judge": ["a", "b"], "label": [1.0, float("nan")]})
    labels = read_labels(frame)
    assert (len(labels), labels.remarks) == (1, ("1 row without a label left out",))


@in_turn("data", [None, 5, np.ones((2, 2)), {"ana": [1, 0], "ben": [1, 1]}, [("d1", "a")], [None]])
def test_what_holds_no_labels_is_refused_in_a_sentence(data: Any) -> None:
    with pytest.raises(
        ParameterError, match="labels: expected a file, a data frame, or rows of item_id, judge and label"
    ):
        agree(data)


def test_frames_in_a_list_are_of_one_judge_each() -> None:
    frame = pl.DataFrame({"item": ["d1", "d2"], "label": [1, 0]})
    assert agree([frame, frame]).value("Agreement") == 1.0


def test_answers_of_mechanical_turk_that_stand_together_as_json() -> None:
    """Radio buttons are true or false by option, a classifier has a label, a field has its text."""
    head = "HITId,WorkerId,Input.query_id,Input.doc_id_1,Input.doc_id_2,Answer.taskAnswers\n"
    answers = json.dumps([{"label_1": {"0": False, "2": True}, "label_2": {"label": "1"}, "comment": "fine"}])
    text = head + "".join(f'h1,{worker},q,a,b,"{answers.replace(chr(34), chr(34) * 2)}"\n' for worker in ("w1", "w2"))
    labels = read_labels(io.StringIO(text))
    assert sorted(rows_of(labels)) == [("a", "w1", 2), ("a", "w2", 2), ("b", "w1", 1), ("b", "w2", 1)]
    with pytest.raises(FormatError, match="2: expected a list of one JSON object"):
        read_labels(io.StringIO(head + "h1,w1,q,a,b,oops\n"))
    unanswered = json.dumps([{"label_1": {"0": False, "2": False}, "label_2": {"label": "1"}}]).replace('"', '""')
    with pytest.raises(FormatError, match=r"2: expected an answer in Answer\.label_1"):
        read_labels(io.StringIO(f'{head}h1,w1,q,a,b,"{unanswered}"\n'))


def test_buttons_and_comments_in_results_of_mechanical_turk() -> None:
    """Radio buttons come as a column each, true or false; of several answers, the one with a label's name counts."""
    head = "HITId,WorkerId,Input.doc_id,Answer.comment,Answer.grade.0,Answer.grade.1,Answer.grade.2\n"
    text = head + "h1,w1,a,,false,false,true\nh1,w2,a,good,true,false,false\nh2,w1,b,,false,false,false\n"
    labels = read_labels(io.StringIO(text))
    assert rows_of(labels) == [("a", "w1", 2), ("a", "w2", 0)]
    assert labels.remarks == ("1 row without a label left out",)
    switch = read_labels(io.StringIO("WorkerId,Input.doc_id,Answer.grade.on\nw1,a,true\nw2,a,false\n"))
    assert rows_of(switch) == [("a", "w1", "true"), ("a", "w2", "false")]


def test_ratings_in_the_flat_exports_of_label_studio() -> None:
    """JSON-MIN and CSV have a rating as a list of one object; several labels of one judge are refused."""
    tasks = [{"id": 1, "rating": [{"rating": n}], "annotator": n} for n in (1, 2)]
    expected = [("1", "1", 1), ("1", "2", 2)]
    assert rows_of(read_labels(io.StringIO(json.dumps(tasks)))) == expected
    text = 'annotator,id,rating\n1,1,"[{""rating"": 1}]"\n2,1,"[{""rating"": 2}]"\n'
    assert rows_of(read_labels(io.StringIO(text))) == expected
    lists = '{"item": "d", "judge": "ana", "label": ["a"]}\n{"item": "d", "judge": "ben", "label": ["a", "b"]}\n'
    with pytest.raises(FormatError, match="2: expected one label of an item by a judge, got 'a, b'"):
        read_labels(io.StringIO(lists))


def test_hundreds_of_categories_take_seconds() -> None:
    draw, width = random.Random(5), 500
    rows = [(f"d{n}", judge, f"tag{n % width if draw.random() < 0.8 else draw.randrange(width)}")
            for n in range(1500) for judge in ("ana", "ben")]  # fmt: skip
    start = time.process_time()
    result = agree(rows, ["Kappa", "FleissKappa"])
    assert all(low < value < high for value, low, high in result.to_frame().select("value", "low", "high").rows())
    assert time.process_time() - start < 15


def test_agreement_below_chance_is_called_that() -> None:
    result = agree(Labels.of([(f"d{n}", judge, (n + (judge == "b")) % 2) for n in range(12) for judge in "ab"]))
    assert "Alpha -0.9167 means that judges agree less than by chance" in result.to_markdown()


def test_words_have_no_order_but_the_one_stated() -> None:
    """In the alphabet, high stands before low: what goes by the order would be wrong, and is undefined instead."""
    names = ["low", "medium", "high"]
    rows = [(f"d{n}", judge, names[min((n + (judge == "b")) % 3, 2)]) for n in range(12) for judge in "ab"]
    measures = ["Kappa", "Kappa(weights='linear')", "AC2", "Alpha(scale='ordinal')", "Alpha(scale='nominal')"]
    words = agree(Labels.of(rows), measures, resamples=0)
    assert set(words.undefined()) == {"Kappa(weights='linear')", "AC2", "Alpha(scale='ordinal')"}
    assert "state their order" in words.undefined()["AC2"]
    stated = agree(Labels.of(rows), measures, categories=names, resamples=0)
    grades = agree(Labels.of([(item, judge, names.index(name)) for item, judge, name in rows]), measures, resamples=0)
    assert stated.to_frame()["value"].to_list() == grades.to_frame()["value"].to_list()
    with pytest.raises(ParameterError, match="state their order"):
        compare(Labels.of(rows, name="x"), Labels.of(rows, name="y"), scale="ordinal")
    for measure in ("Alpha(scale='ordinal')", "AC2"):
        with pytest.raises(ParameterError, match="state their order"):
            compare(Labels.of(rows, name="x"), Labels.of(rows, name="y"), measures=measure)
        with pytest.raises(ParameterError, match="state their order"):
            assay.explain(measure, Labels.of(rows))
    with pytest.raises(ParameterError, match="have no median"):
        assay.crowd(Labels.of(rows), method="median")


def test_two_words_need_no_order() -> None:
    """Whichever of the two stands first, they are equally far apart."""
    rows = [(f"d{n}", judge, "yes" if (n + (judge == "b")) % 3 else "no") for n in range(12) for judge in "ab"]
    both = compare(Labels.of(rows, name="x"), Labels.of(rows, name="y"), scale="ordinal")
    assert both.finding("Alpha(scale='ordinal')").value == agree(Labels.of(rows), resamples=0).value("Alpha")


def test_a_wide_table_whose_judges_cannot_be_told_from_other_columns_is_refused() -> None:
    table = "item,ana,ben,clear,short\nd1,yes,no,1,0\nd2,no,no,0,0\n"
    with pytest.raises(
        FormatError, match=r"text in ana, ben, numbers in clear, short.*name those of the judges: judges="
    ):
        read_labels(io.StringIO(table))
    assert read_labels(io.StringIO(table), judges=["ana", "ben"]).judges == ("ana", "ben")


def test_columns_outside_the_scale_of_the_others_are_no_judges() -> None:
    """Neither numbers that no other column has, nor what is called a price or a time, nor many values beside few."""
    table = "item,ana,ben,page,size\nd1,yes,no,3,10\nd2,no,no,4,20\n"
    labels = read_labels(io.StringIO(table))
    assert labels.judges == ("ana", "ben")
    assert labels.remarks == ("columns that look like no judges are left out: page, size",)
    table = "item,ana,ben,unit_price,labelled_at,length\n" + "".join(
        f"d{row},{row % 3},{row % 2},{row % 2},{row % 2},{row}\n" for row in range(20)
    )
    labels = read_labels(io.StringIO(table))
    assert labels.judges == ("ana", "ben")
    assert labels.remarks == ("columns that look like no judges are left out: unit_price, labelled_at, length",)


def test_sliders_have_many_values_and_are_judges_all_the_same() -> None:
    table = "item,ana,ben\n" + "".join(f"d{row},{row * 7 % 100},{row * 5 % 100}\n" for row in range(40))
    assert read_labels(io.StringIO(table)).judges == ("ana", "ben")


def test_a_row_that_contradicts_another_is_numbered_as_it_was_given() -> None:
    with pytest.raises(FormatError, match="row 3"):
        Labels.of([("d1", "ana", None), ("d1", "ben", 1), ("d1", "ben", 2)])


def test_files_of_two_judges_with_the_same_name_are_not_taken_for_one(tmp_path: Path) -> None:
    files = [tmp_path / judge / "labels.csv" for judge in ("ana", "ben")]
    for place, file in enumerate(files):
        file.parent.mkdir()
        file.write_text(f"item,label\nd1,{place}\nd2,0\n", encoding="utf-8")
    with pytest.raises(ParameterError, match="two judges are called 'labels': give each a name of its own"):
        read_labels(files)
    assert read_labels(dict(zip(("ana", "ben"), files, strict=True))).judges == ("ana", "ben")


JUDGES = ("ana", "ben")


def test_documents_of_topics_are_told_apart_whatever_blanks_their_ids_hold(tmp_path: Path) -> None:
    rows = [f"{item},{judge},{label}\n" for item, label in (("a b,c", 1), ("a,b c", 0), ("q,d", 0)) for judge in "xy"]
    (tmp_path / "labels.csv").write_text("query_id,item_id,judge,label\n" + "".join(rows))
    result = assay.agree(tmp_path / "labels.csv")
    assert result.ratings.units == ('"a b" c', "a b c", "q d")
    assert result.value("Agreement") == 1.0
    assert assay.crowd(tmp_path / "labels.csv", method="majority").items["label"].to_list() == [1, 0, 0]


def test_alpha_without_a_scale_is_the_same_wherever_it_is_asked_for(tmp_path: Path) -> None:
    """On three grades or more it is ordinal: in the table, in the sentence below, explained, compared, in Python."""
    for name, every in (("one", 3), ("two", 4)):
        high = {("ben", n): 3 for n in range(0, 40, every)}
        rows = (f"d{n},{judge},{high.get((judge, n), n % 4 // 2)}\n" for n in range(40) for judge in JUDGES)
        (tmp_path / f"{name}.csv").write_text("item,judge,label\n" + "".join(rows))
    labels = read_labels(tmp_path / "one.csv")
    value = agree(labels, ["Alpha(scale='ordinal')"], resamples=0).to_frame()["value"].item()
    nominal = agree(labels, ["Alpha(scale='nominal')"], resamples=0).to_frame()["value"].item()
    assert abs(value - nominal) > 0.02
    bare = agree(labels, "Alpha", resamples=0)
    assert bare.to_frame().select("measure", "value").rows() == [("Alpha(scale='ordinal')", value)]
    assert (bare.value("Alpha"), assay.explain("Alpha", labels).value) == (value, value)
    assert (bare.value(Alpha), agree(labels, Alpha(scale="nominal"), resamples=0).to_frame()["value"][0]) == (
        value,
        nominal,
    )
    shown = run_assay("agreement", "evaluate", "one.csv", "-m", "Alpha", folder=tmp_path)
    assert f"Alpha(scale='ordinal') {value:.4f} means that" in " ".join(shown.stdout.split())
    compared = run_assay("agreement", "compare", "one.csv", "two.csv", "-m", "Alpha", folder=tmp_path)
    assert f"{value:.4f}" in compared.stdout
    stated = run_assay("agreement", "evaluate", "one.csv", "-m", "Alpha(scale='nominal')", folder=tmp_path)
    assert f"Alpha {nominal:.4f} means that" in " ".join(stated.stdout.split())


@pytest.mark.parametrize("label", ["99999999999999999999999", "18446744073709551616", "-9223372036854775809"])
def test_a_label_beyond_64_bits_is_refused_with_its_row(label: str, tmp_path: Path) -> None:
    (tmp_path / "good.csv").write_text("item,judge,label\nd1,ana,1\nd1,ben,0\nd2,ana,1\nd2,ben,1\n")
    (tmp_path / "wide.csv").write_text(f"item,judge,label\nd1,ana,1\nd1,ben,0\nd2,ana,{label}\nd2,ben,1\n")
    for command in (
        ("agreement", "compare", "good.csv", "wide.csv"),
        ("agreement", "evaluate", "wide.csv"),
        ("crowd", "aggregate", "wide.csv"),
        ("crowd", "audit", "wide.csv", "good.csv"),
    ):
        done = run_assay(*command, folder=tmp_path)
        assert done.returncode == 2
        assert done.stderr.startswith("assay: wide.csv:4: expected a number of 64 bits as label, got ")
    with pytest.raises(FormatError, match="row 1: expected a number of 64 bits as label"):
        Labels.of([("d1", "ana", int(label)), ("d1", "ben", 0)])


def test_the_largest_label_of_64_bits_stays_as_it_is(tmp_path: Path) -> None:
    most = str(10**18 - 1)
    rows = "".join(f"d{n},{judge},{most if n % 2 else 0}\n" for n in range(4) for judge in JUDGES)
    (tmp_path / "labels.csv").write_text(f"item,judge,label\n{rows}")
    done = run_assay("crowd", "aggregate", "labels.csv", "--csv", folder=tmp_path)
    assert [line.split(",")[1] for line in done.stdout.splitlines()[1:]] == ["0", most, "0", most]


def test_whole_grades_and_halves_are_on_one_scale() -> None:
    whole = Labels.of([(f"d{n}", judge, n % 2) for n in range(12) for judge in JUDGES], name="whole")
    rows = [(f"d{n}", judge, n % 2 / 2 + (judge == "ben" and n % 3 == 0) / 2) for n in range(12) for judge in JUDGES]
    halves = Labels.of(rows, name="halves")
    compared = compare([whole, halves], measures="Agreement").to_frame()
    assert compared.select("baseline_value", "value").row(0) == pytest.approx((1.0, 8 / 12))
    assert agree(whole, "Agreement", categories=[0, 0.5, 1], resamples=0).value("Agreement") == 1.0
