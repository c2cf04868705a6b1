"""Topics for a new collection: drawn from a log, and written by hand."""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from pathlib import Path

import pytest
from cases import in_turn
from command import run_assay

from assay import (
    FormatError,
    InputError,
    ParameterError,
    Topics,
    read_topics,
    sample_topics,
    write,
    write_topics_to_edit,
)

LOG = [query for number, query in enumerate("abcdefghijklmnopqrst") for _ in range(max(1, 40 // (number + 1)))]


def test_queries_count_as_they_stand_and_those_that_differ_in_case_and_blanks_are_one_if_asked_for() -> None:
    log = ["Green tea", " green \t TEA", "milk"]
    plain = sample_topics(log, 3)
    assert plain.frame["title"].sort().to_list() == ["Green tea", "green \t TEA", "milk"]
    assert plain.notes == (
        "2 queries differ from others only in case or blanks, such as 'Green tea' and 'green \\t TEA', and count as "
        "different: fold_queries=True makes them one",
    )
    folded = sample_topics(log, 2, fold_queries=True)
    assert folded.frame.select("title", "frequency").rows() == [("green tea", 2), ("milk", 1)]
    assert not folded.notes


#: What a file holds, and its queries with how often they were asked.
FILES = {
    "a click table: result pages count": (
        "log.csv", "query_id,doc_id,rank,clicks\ntea,d1,1,0\ntea,d2,2,1\nmilk,d1,1,0\ntea,d1,1,0\ntea,d2,2,0\n",
        {"tea": 2, "milk": 1},
    ),
    "a run: each query counts once": ("run.csv", "query,doc_id,score\ntea,d1,2\ntea,d2,1\n", {"tea": 1}),
    "ids and titles without a header": ("t.tsv", "t5\thow to make matcha\nt6\ticed tea\n",
                                        {"how to make matcha": 1, "iced tea": 1}),
    "topics of TREC": ("t.trec", "<top>\n<num> Number: 7\n<title> iced tea\n</top>\n", {"iced tea": 1}),
    "one column with a header": ("log.txt", "Search term\ntea\ntea\n", {"tea": 2}),
    "lines with commas": ("log.txt", "tea, green\nmilk\ntea, green\n", {"tea, green": 2, "milk": 1}),
}  # fmt: skip


@pytest.mark.parametrize("case", FILES)
def test_the_searches_of_a_log_are_counted_whatever_its_layout(case: str, tmp_path: Path) -> None:
    name, text, counts = FILES[case]
    (tmp_path / name).write_text(text, "utf-8")
    sample = sample_topics(tmp_path / name, len(counts))
    assert dict(sample.frame.select("title", "frequency").iter_rows()) == counts


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("querylog.csv", "time,what they typed\n2026-10-01 07:29:06,small camera\n2026-10-01 07:30:00,tripod\n"),
        ("querylog.txt", "when;what they typed\n2026-10-01 07:29:06;small camera\n2026-10-01 07:30:00;tripod\n"),
        ("querylog.tsv", "topic\twhat they typed\nq1\tsmall camera\nq2\ttripod\n"),
    ],
)
def test_a_file_with_a_header_is_never_read_as_lines(name: str, text: str, tmp_path: Path) -> None:
    """The advice works as it is printed."""
    (tmp_path / name).write_text(text, "utf-8")
    refused = run_assay("topics", "sample", name, "-n", "2", folder=tmp_path)
    assert refused.returncode == 2
    assert f"{name}:1: expected a table with the column `query`" in refused.stderr
    (advice,) = re.findall(r"--columns, as in (query='.*?')", refused.stderr)
    done = run_assay("topics", "sample", name, "-n", "2", "--columns", *shlex.split(advice), folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "1         small camera" in done.stdout


def test_rows_without_a_header_are_no_queries(tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text("2026-10-01 07:29:06,small camera\n2026-10-01 07:30:00,tripod\n", "utf-8")
    with pytest.raises(FormatError, match="a table needs a first line that names its columns"):
        sample_topics(tmp_path / "log.txt", 1)


@in_turn("by", ["uniform", "frequency", "head-torso-tail"])
def test_a_sample_depends_on_the_seed_and_not_on_the_order_of_the_log(by: str) -> None:
    first = sample_topics(LOG, 6, by=by, seed=3)  # type: ignore[arg-type]
    again = sample_topics(LOG[::-1], 6, by=by, seed=3)  # type: ignore[arg-type]
    assert first.frame.equals(again.frame)
    assert first.seed == 3
    assert first.frame["title"].n_unique() == 6
    assert any(not sample_topics(LOG, 6, by=by, seed=seed).frame.equals(first.frame) for seed in range(9))  # type: ignore[arg-type]
    assert json.loads(first.to_json())


def test_frequent_queries_are_drawn_more_often_by_frequency_and_as_often_as_others_evenly() -> None:
    def drawn(by: str) -> Counter[str]:
        samples = (sample_topics(LOG, 1, by=by, seed=seed) for seed in range(200))  # type: ignore[arg-type]
        return Counter(sample.frame["title"][0] for sample in samples)

    # 'a' makes up 40 of len(LOG) searches, and is one of 20 queries.
    assert drawn("frequency")["a"] / 200 == pytest.approx(40 / len(LOG), abs=0.07)
    assert drawn("uniform")["a"] / 200 == pytest.approx(1 / 20, abs=0.04)


def test_strata_hold_thirds_of_the_searches_and_give_a_third_of_the_topics_each() -> None:
    sample = sample_topics(LOG, 9, by="head-torso-tail")
    shares = dict(sample.strata.select("stratum", "drawn").iter_rows())
    # 40 + 20 of 152 searches are not more than a third before them: a and b; the head has but few queries.
    assert sample.strata["queries"].sum() == 20
    assert sum(shares.values()) == 9
    assert shares["head"] == min(3, sample.strata["queries"][0])
    assert sample.strata["share"].sum() == pytest.approx(1)


def test_a_log_may_be_a_table_with_counts(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("user,Query,count\nx,tea,3\ny,milk,1\nz,milk,1\n", "utf-8")
    (tmp_path / "log.jsonl").write_text('{"query": "tea"}\n{"query": "milk"}\n{"query": "tea"}\n', "utf-8")
    assert sample_topics(tmp_path / "log.csv", 2).frame["frequency"].to_list() == [3, 2]
    assert sample_topics(tmp_path / "log.jsonl", 2).frame["frequency"].to_list() == [2, 1]


def test_too_few_queries_and_unknown_plans_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected 5 different queries or more, got 1"):
        sample_topics(["tea", "tea"], 5)
    with pytest.raises(ParameterError, match="by"):
        sample_topics(["tea"], 1, by="luck")  # type: ignore[arg-type]
    (tmp_path / "empty").write_text("\n\n", "utf-8")
    with pytest.raises(FormatError, match="no data"):
        sample_topics(tmp_path / "empty", 1)
    (tmp_path / "other.jsonl").write_text('{"user": "x"}\n', "utf-8")
    with pytest.raises(InputError, match="expected a table with the column `query`, got 'user'"):
        sample_topics(tmp_path / "other.jsonl", 1)


def test_sampled_topics_are_written_and_read(tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text("\n".join(LOG), "utf-8")
    for name in ("topics.tsv", "topics.ini", "topics.trec"):
        done = run_assay("topics", "sample", "log.txt", "-n", "3", "--seed", "5", "-o", name, folder=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "seed 5" in done.stdout
        wanted = sample_topics(LOG, 3, seed=5).frame["title"].to_list()
        assert read_topics(tmp_path / name).frame["title"].to_list() == wanted


def test_topics_by_hand_are_read_with_texts_over_several_lines(tmp_path: Path) -> None:
    path = tmp_path / "topics.ini"
    path.write_text(
        "# mine\n[topic 7]\ntitle: green tea\nnarrative: Relevant are notes\n  on water: its heat\n# but\n"
        "\tand hardness.\n\n[Topic b 2]\nTitle: milk\ndescription: Which?\n", "utf-8",
    )  # fmt: skip
    topics = read_topics(path)
    assert topics.format == "topics in sections"
    assert topics.frame.rows() == [
        ("7", "green tea", "", "Relevant are notes on water: its heat and hardness."),
        ("b 2", "milk", "Which?", ""),
    ]
    write(topics, tmp_path / "again.ini")
    assert read_topics(tmp_path / "again.ini").frame.equals(topics.frame)


@in_turn(
    ("text", "line", "expected"),
    [
        ("[topic 1]\ntitle: a\ntitle: b\n", 3, "one title per topic"),
        ("[topic 1]\ntitel: a\n", 2, "title:, description:, narrative:"),
        ("[topic 1]\n\n[topic 2]\ntitle: b\n", 1, "a title for topic 1"),
        ("[topic 1]\ntitle: a\n[topic 1]\ntitle: b\n", 3, "each query_id once"),
    ],
)
def test_bad_topics_by_hand_are_refused_with_their_line(tmp_path: Path, text: str, line: int, expected: str) -> None:
    (tmp_path / "topics.ini").write_text(text, "utf-8")
    with pytest.raises(FormatError) as refused:
        read_topics(tmp_path / "topics.ini")
    assert refused.value.line == line
    assert expected in refused.value.expected


def test_a_file_to_write_in_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "topics.ini"
    write_topics_to_edit(path, 3)
    with pytest.raises(InputError, match=r"already exists.*overwrite=True"):
        write_topics_to_edit(path)
    write(Topics.of({"1": "tea"}), tmp_path / "topics.tsv")
    assert run_assay("convert", "topics.tsv", "b.ini", folder=tmp_path).returncode == 0
    assert read_topics(tmp_path / "b.ini").frame["title"].to_list() == ["tea"]
    (tmp_path / "log.txt").write_text("milk\n")
    sample = ("topics", "sample", "log.txt", "-n", 1, "-o", "b.ini")
    refused = run_assay(*sample, folder=tmp_path)
    assert refused.returncode == 2
    assert "already exists, and may have been edited: name another file, or use --overwrite" in refused.stderr
    assert read_topics(tmp_path / "b.ini").frame["title"].to_list() == ["tea"]
    assert run_assay(*sample, "--overwrite", folder=tmp_path).returncode == 0
    assert read_topics(tmp_path / "b.ini").frame["title"].to_list() == ["milk"]


def test_frequencies_may_be_shares_or_very_large(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("query,frequency\nflat tyre,0.5\nbell,0.3\nlights,0.2\n")
    sample = sample_topics(log, 2, by="frequency")
    assert sample.strata["searches"].sum() == pytest.approx(1.0)
    assert sample.frame.height == 2
    log.write_text("query,frequency\nflat tyre,1e300\nbell,3\n")
    assert sample_topics(log, 1, by="frequency").frame["title"].to_list() == ["flat tyre"]
