"""The judging store, on SQLite and on a real PostgreSQL: one body of tests for both."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import random
import sqlite3
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from hypothesis import given
from hypothesis import strategies as st
from judging import RUNS, SIZE, fast_folder, judge_all, make_project, new_database, say, tasks_of
from postgres import make_database
from sqlalchemy import event as sql_event
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from assay import InputError, ParameterError, agree, evaluate
from assay.store import database as store_database
from assay.store import handout, leases, saving
from assay.store import schema as db
from assay.store.adjudication import adjudicate, disputes
from assay.store.changes import add_gold, change_assessors, change_settings, change_state
from assay.store.database import Database, StoreError, open_database
from assay.store.deciding import judge_next
from assay.store.feedback import feed_back, feed_back_label
from assay.store.handout import ask_first, hand_out
from assay.store.kept_runs import keep_runs
from assay.store.labels_table import history, labels_of
from assay.store.leases import give_back, hand_out_more, renew_all
from assay.store.pool_growth import add_to_pool
from assay.store.projects import add_assessors, open_project
from assay.store.quality import project_status
from assay.store.release_changes import release_diff
from assay.store.releases import Policy, make_release, open_release, releases
from assay.store.saving import ConflictError, save, settle_all, skip, undo
from assay.store.scales import SCALES, scale_of
from assay.store.settings import Settings
from assay.store.settling import Rules, has_majority, standing
from assay.store.transfer import exported, take_labels
from assay.store.upkeep import back_up, check_store, restore
from assay.tables import Documents
from assay.tables.labels import Labels


@pytest.fixture(scope="module")
def empty_postgres(postgres: str) -> str:
    """The name of a database whose tables were made once, to be copied."""
    open_database(make_database(postgres, "empty"), create=True).close()
    return "empty"


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest) -> Iterator[str]:
    """Where a database without a project is."""
    if request.param == "sqlite":
        with fast_folder() as folder:
            new_database(folder / "judging.db").close()
            yield str(folder / "judging.db")
        return
    template = request.getfixturevalue("empty_postgres")
    yield make_database(request.getfixturevalue("postgres"), f"t{uuid.uuid4().hex}", template)


@pytest.fixture
def database(place: str) -> Iterator[Database]:
    with open_database(place) as opened:
        yield opened
        assert not check_store(opened).problems


def test_every_document_goes_to_as_many_people_as_asked_for_and_to_nobody_twice(database: Database) -> None:
    project = make_project(database, overlap=2)
    seen = {who: judge_all(project, who, lambda _: 1) for who in ("ana", "ben", "cleo")}
    pairs = [(task.topic_id, task.doc_id) for tasks in seen.values() for task in tasks]
    assert len(pairs) == 2 * SIZE
    assert all(pairs.count(pair) == 2 for pair in pairs)
    assert all(len({(task.topic_id, task.doc_id) for task in tasks}) == len(tasks) for tasks in seen.values())


@pytest.mark.parametrize("order", ["topic", "random", "priority"])
def test_documents_with_the_fewest_people_come_first_in_every_order(database: Database, order: str) -> None:
    project = make_project(database, overlap=3, order=order)
    seen = []
    for _ in range(SIZE):
        for who in ("ana", "ben", "cleo"):
            if (task := hand_out(project, who)) is not None:
                seen.append((task.topic_id, task.doc_id))
                say(project, who, task, 2)
    assert len(seen) == 3 * SIZE
    if order != "topic":  # a topic is finished before the next one is begun
        assert len(set(seen[:SIZE])) == SIZE


@pytest.mark.parametrize("order", ["move-to-front", "max-mean", "thompson"])
def test_an_adaptive_order_reads_on_in_the_run_that_finds_something(database: Database, order: str) -> None:
    """One run has all relevant documents; after the first batch, its documents come before those of the other."""
    runs = {name: {"q": {f"{name}{n:02}": 40.0 - n for n in range(30)}} for name in ("good", "poor")}
    project = make_project(database, runs=runs, order=order)
    seen = []
    for number, task in enumerate(tasks_of(project, "ana", 30)):
        say(project, "ana", task, 3 if task.doc_id.startswith("good") else 0)
        if number % 20 < 10:
            feed_back(project, task.topic_id)
        else:
            feed_back_label(project, task.assignment)
        seen.append(task.doc_id)
    assert sum(name.startswith("good") for name in seen[:10]) < 8
    later = [name for name in seen[10:] if name.startswith("good")]
    assert len(later) > 14
    if order != "thompson":  # which draws
        assert later == sorted(later)


def test_topic_by_topic_means_that_nobody_goes_back_and_forth(database: Database) -> None:
    project = make_project(database, topics=4, documents=5)
    topics = [task.topic_id for task in judge_all(project, "ana", lambda _: 0)]
    changes = sum(a != b for a, b in itertools.pairwise(topics))
    assert (len(topics), changes) == (20, 3)


def test_the_order_is_each_assessors_own_drawn_by_the_seed_and_follows_no_rank(database: Database) -> None:
    project = make_project(database, topics=1, documents=40, overlap=2, order="random")
    orders = {who: [task.doc_id for task in judge_all(project, who, lambda _: 0)] for who in ("ana", "ben")}
    ranked = [f"d0-{rank}" for rank in range(40)]
    assert sorted(orders["ana"]) == sorted(orders["ben"]) == sorted(ranked)
    assert orders["ana"] != orders["ben"]
    for order in orders.values():  # ranks of neighbours are no nearer than by chance
        steps = [abs(ranked.index(a) - ranked.index(b)) for a, b in itertools.pairwise(order)]
        assert sum(steps) / len(steps) > 8


def test_a_lease_that_ran_out_goes_to_somebody_else_and_a_late_label_counts(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = make_project(database, topics=1, documents=1)
    mine = hand_out(project, "ana")
    assert mine is not None
    assert hand_out(project, "ben") is None
    with monkeypatch.context() as later:
        _at(later, minutes=31)
        theirs = hand_out(project, "ben")
        assert theirs is not None
        assert theirs.doc_id == mine.doc_id
        late = say(project, "ana", mine, 2)
        assert (late.is_late, late.is_surplus) == (True, True)  # ben has the only place
        say(project, "ben", theirs, 1)
    assert labels_of(project).frame.select("judge", "label").rows() == [("assessor 2", 1)]
    assert len(list(history(project))) == 2  # nothing is lost


def test_a_late_label_takes_the_place_that_nobody_has(database: Database) -> None:
    project = make_project(database, topics=1, documents=1)
    mine = hand_out(project, "ana")
    assert mine is not None
    give_back(project, "ana")
    late = say(project, "ana", mine, 2)
    assert (late.is_late, late.is_surplus) == (True, False)
    assert hand_out(project, "ben") is None


def test_the_same_key_saves_once_and_answers_the_same(database: Database) -> None:
    project = make_project(database)
    task, other = hand_out(project, "ana"), hand_out(project, "ben")
    assert task is not None
    assert other is not None
    first = save(project, "ana", task.assignment, 2, client_key="k")
    again = save(project, "ana", task.assignment, 2, client_key="k")
    assert (again.label, again.is_repeated) == (first.label, True)
    with pytest.raises(ParameterError, match="was used for another document"):
        save(project, "ben", other.assignment, 2, client_key="k")
    assert len(list(history(project))) == 1


def test_a_change_supersedes_and_a_stale_one_is_refused(database: Database) -> None:
    project = make_project(database)
    task = hand_out(project, "ana")
    assert task is not None
    first = say(project, "ana", task, 2)
    second = say(project, "ana", task, 3, replaces=first.label)
    with pytest.raises(ConflictError) as stale:
        say(project, "ana", task, 0, replaces=first.label)
    assert stale.value.current == second.label
    assert labels_of(project).frame["label"].to_list() == [3]
    assert [row["superseded_by"] for row in history(project)] == [second.label, None]


def test_undo_gives_the_last_document_back_and_keeps_what_was_said(database: Database) -> None:
    project = make_project(database)
    task = hand_out(project, "ana")
    assert task is not None
    say(project, "ana", task, 3)
    key = uuid.uuid4().hex
    assert undo(project, "ana", client_key=key) == undo(project, "ana", client_key=key) == task.assignment
    again = hand_out(project, "ana")
    assert again is not None
    assert again.doc_id == task.doc_id
    say(project, "ana", again, 1)
    assert labels_of(project).frame["label"].to_list() == [1]
    assert [row["verdict"] for row in history(project)] == ["graded", "withdrawn", "graded"]
    assert undo(project, "ben", client_key="other") is None


def test_undo_takes_back_the_label_that_it_names_and_no_other(database: Database) -> None:
    project = make_project(database, topics=1, documents=3)
    first, second = judge_all(project, "ana", lambda _: 3, most=2)
    assert undo(project, "ben", client_key="a", assignment=first.assignment) is None
    assert undo(project, "ana", client_key="b", assignment=first.assignment) == first.assignment
    assert undo(project, "ana", client_key="c", assignment=first.assignment) is None  # there is nothing left to undo
    said = [(row["doc_id"], row["verdict"]) for row in history(project)]
    assert said == [(first.doc_id, "graded"), (second.doc_id, "graded"), (first.doc_id, "withdrawn")]


def test_documents_handed_out_ahead_come_again_before_new_ones_and_never_go_out_too_often(database: Database) -> None:
    project = make_project(database, topics=1, documents=10)
    tasks = {who: hand_out_more(project, who, 4) for who in ("ana", "ben", "cleo")}
    assert [len(found) for found in tasks.values()] == [4, 4, 2]
    assert len({task.doc_id for found in tasks.values() for task in found}) == 10
    again = hand_out_more(project, "ana", 9, besides=[tasks["ana"][0].assignment])
    assert [task.assignment for task in again] == [task.assignment for task in tasks["ana"][1:]]
    with database.reading() as connection:
        assert set(connection.scalars(text("SELECT taken FROM item"))) == {1}


def test_a_lease_that_was_renewed_elsewhere_is_not_given_back(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = make_project(database, topics=1, documents=4)
    first, second, third = hand_out_more(project, "ana", 3)
    known = {task.assignment: task.lease_until for task in (first, second)}
    with monkeypatch.context() as later:
        _at(later, minutes=10)
        renewed = renew_all(project, "ana", [second.assignment, 9999])
        assert renewed.keys() == {second.assignment}
        assert renewed[second.assignment] > second.lease_until
        assert give_back(project, "ana", leases=known) == 1
        assert not renew_all(project, "ben", [second.assignment])
        held = [task.assignment for task in hand_out_more(project, "ana", 2)]
    assert held == [second.assignment, third.assignment]


def test_skipped_documents_come_last_and_again(database: Database) -> None:
    project = make_project(database, topics=1, documents=3)
    first = hand_out(project, "ana")
    assert first is not None
    skip(project, "ana", first.assignment)
    rest = judge_all(project, "ana", lambda _: 0)
    assert [task.doc_id for task in rest][-1] == first.doc_id
    assert len(rest) == 3


def test_who_cannot_judge_is_replaced_and_the_second_one_makes_it_a_dispute(database: Database) -> None:
    project = make_project(database, topics=1, documents=1)
    for who in ("ana", "ben"):
        task = hand_out(project, who)
        assert task is not None
        say(project, who, task, None)
    assert hand_out(project, "cleo") is None
    (dispute,) = disputes(project)
    assert [each.value for each in dispute.opinions] == [None, None]
    adjudicate(project, dispute.topic_id, dispute.doc_id, None, decided_by="lead")
    assert not disputes(project)


def test_disagreement_asks_a_third_and_a_fourth_then_waits_for_a_decision(database: Database) -> None:
    project = make_project(database, topics=1, documents=1, overlap=2, most=4, people=["a", "b", "c", "d", "e"])
    for who, grade in zip("abcd", (0, 1, 2, 3), strict=True):
        task = hand_out(project, who)
        assert task is not None
        say(project, who, task, grade, note=f"because {grade}")
    assert hand_out(project, "e") is None
    (dispute,) = disputes(project)
    assert [(each.value, each.note) for each in dispute.opinions] == [(n, f"because {n}") for n in range(4)]
    adjudicate(project, dispute.topic_id, dispute.doc_id, 2, decided_by="lead", reason="half of it")
    assert not disputes(project)
    row = make_release(project).frame.row(0, named=True)
    assert (row["relevance"], row["labels"], row["otherwise"], row["provenance"]) == (2, 4, 3, "adjudicated")


@given(
    grades=st.lists(st.one_of(st.none(), st.integers(0, 3)), max_size=6),
    overlap=st.integers(1, 3), more=st.integers(0, 2), tolerance=st.integers(0, 2),
)  # fmt: skip
def test_an_item_never_waits_for_people_it_does_not_need(
    grades: list[int | None], overlap: int, more: int, tolerance: int
) -> None:
    state, wanted = standing(grades, Rules(overlap, overlap + more, tolerance))
    given_grades = [grade for grade in grades if grade is not None]
    if state == "open":
        assert wanted == len(grades) + 1 or len(given_grades) < overlap
        assert len(given_grades) < overlap + more
    else:
        assert wanted == len(grades)
    spread = max(given_grades, default=0) - min(given_grades, default=0)
    if state == "settled":
        assert len(given_grades) >= overlap
        assert spread <= tolerance or has_majority(given_grades)


def test_known_answers_and_repeats_are_mixed_in_and_counted_apart(database: Database) -> None:
    project = make_project(database, topics=1, documents=60, gold_every=10, repeat_every=10, repeat_after=3)
    add_gold(project, {("q0", f"d0-{n}"): 3 for n in range(5)})
    tasks = judge_all(project, "ana", lambda task: 3 if int(task.doc_id[3:]) < 5 else 1)
    status = project_status(project)
    row = status.assessors.filter(name="ana").row(0, named=True)
    assert (row["labels"], row["gold"], row["gold_right"]) == (55, 5, 5)
    assert row["repeats"] == row["repeated_alike"] > 3
    assert len(tasks) == 55 + 5 + row["repeats"]
    by = make_release(project).facts["by"]
    assert by == {"labels": 55, "gold": 5}


def test_a_known_answer_is_right_within_its_tolerance(database: Database) -> None:
    project = make_project(database, topics=1, documents=30, gold_every=2)
    add_gold(project, {("q0", f"d0-{n}"): 3 for n in range(10)}, tolerance=1)
    judge_all(project, "ana", lambda task: 2 if int(task.doc_id[3:]) < 7 else 0)
    row = project_status(project).assessors.filter(name="ana").row(0, named=True)
    assert (row["gold"], row["gold_right"]) == (10, 7)


def test_who_becomes_more_lenient_than_the_others_is_remarked_and_nobody_else(database: Database) -> None:
    project = make_project(database, topics=1, documents=80, overlap=3, order="priority")
    for who in ("ben", "cleo"):
        judge_all(project, who, lambda task: int(task.doc_id[3:]) % 2)
    judge_all(project, "ana", lambda task: int(task.doc_id[3:]) % 2 + (int(task.doc_id[3:]) >= 40))
    status = project_status(project)
    rows = {row["name"]: row for row in status.assessors.iter_rows(named=True)}
    assert rows["ana"]["drift"] == pytest.approx(1)
    assert rows["ben"]["drift"] == pytest.approx(-0.5)  # beside ana and cleo
    assert any(remark.startswith("ana drifts: beside the others, higher") for remark in status.remarks)
    assert status.over_time.height


def test_seconds_have_intervals_by_person_and_topic(database: Database) -> None:
    project = make_project(database, topics=2, documents=20)
    for place, task in enumerate(tasks_of(project, "ana")):
        say(project, "ana", task, 1, active_ms=1000 * (place % 20 + 1))
    status = project_status(project)
    row = status.assessors.filter(name="ana").row(0, named=True)
    assert (row["seconds_low"], row["seconds"], row["seconds_high"]) == (7.0, 10.5, 14.0)  # ranks 14 and 27 of 40
    assert status.topics.select("seconds_low", "seconds_high").null_count().row(0) == (0, 0)


def test_models_are_held_against_people_and_are_not_among_those_who_agree(database: Database) -> None:
    project = make_project(database, topics=1, documents=20, overlap=2)
    for who in ("ana", "ben"):
        judge_all(project, who, lambda task: int(task.doc_id[3:]) % 4)
    rows = [("q0", f"d0-{n}", "m", 3 - n % 4) for n in range(20)]
    frame = pl.DataFrame(rows, schema=["query_id", "item_id", "judge", "label"], orient="row")
    take_labels(project, Labels.of(frame), kind="model")
    status = project_status(project)
    assert status.agreement.filter(pl.col("measure").str.starts_with("Alpha"))["value"].to_list() == [1.0]
    assert status.assessors.filter(name="m")["with_others"][0] < 0


def test_an_aspect_has_releases_of_its_own(database: Database, place: str) -> None:
    project = make_project(database, topics=1, documents=4, aspects=["support", "tone:0=dull,1=lively,2=loud"])
    for task in tasks_of(project, "ana"):
        say(project, "ana", task, 3, further={"support": int(task.doc_id[3:]) % 2, "tone": 2})
    make_release(project)
    adjudicate(project, "q0", "d0-0", 0, decided_by="lead")
    support = make_release(project, Policy(aspect="support"))
    assert support.frame["relevance"].to_list() == [0, 1, 0, 1]  # no decision on relevance changes it
    assert support.facts["scale"] == "0 (no), 1 (yes)"
    assert exported(project, aspect="support")[0] == support.to_trec()
    assert exported(project)[0].endswith("d0-3 3\n")  # the newest of relevance
    assert evaluate(f"{place}@2", {"r": {"q0": {"d0-1": 1.0}}}, "P@1").mean("P@1") == 1.0
    assert exported(project, "judges", aspect="tone")[0].splitlines()[0] == "q0 assessor-1 d0-0 2"
    for wrong, message in (
        (
            lambda: exported(project, aspect="tone"),
            "no release of tone: .* `assay judge release --aspect 'tone'`",
        ),
        (lambda: exported(project, aspect="tea"), "no aspect is called 'tea': there are relevance, support, tone"),
        (lambda: make_release(project, Policy(aspect="tea")), "no aspect is called 'tea'"),
        (lambda: release_diff(project, open_release(project, 1), support), "have nothing in common"),
    ):
        with pytest.raises(InputError, match=message):
            wrong()


def test_a_release_counts_whom_its_policy_names(database: Database) -> None:
    project = make_project(database, topics=1, documents=2, overlap=2)
    judge_all(project, "ana", lambda _: 0)
    judge_all(project, "ben", lambda _: 3)
    for without, grade in ((("ben",), 0), (("assessor 1",), 3)):
        release = make_release(project, Policy(without=without))
        assert release.frame["relevance"].to_list() == [grade, grade]
        assert f"without {without[0]}" in open_release(project).policy.described()
    with pytest.raises(InputError, match="no assessor is called 'zoe': there are ana, ben, cleo"):
        make_release(project, Policy(without=("zoe",)))


def test_who_is_stopped_gets_nothing_more_and_leaves_what_was_begun_to_others(database: Database) -> None:
    project = make_project(database, topics=1, documents=2)
    first = hand_out(project, "ana")
    assert first is not None
    change_assessors(project, ["ana"], is_active=False)
    with pytest.raises(InputError, match="ana does not judge here any more"):
        hand_out(project, "ana")
    assert len(judge_all(project, "ben", lambda _: 0)) == 2
    change_assessors(project, ["ana"], is_active=True)
    assert hand_out(project, "ana") is None


def test_everything_is_written_record_by_record(database: Database) -> None:
    project = make_project(database, overlap=2, aspects=["support"])
    for who in ("ana", "ben"):
        for task in tasks_of(project, who):
            say(project, who, task, 1 if who == "ana" else 2, note="why", further={"support": 1})
    adjudicate(project, "q1", "d1", 2, decided_by="lead", reason="it is")
    add_gold(project, {("q1", "d2"): 1})
    release = make_release(project)
    text, said = exported(project, "everything", ending=".jsonl")
    records = [json.loads(line) for line in text.splitlines()]
    count = {kind: sum(each["record"] == kind for each in records) for kind in {each["record"] for each in records}}
    assert said == f"{len(records)} records"
    numbers = {"project": 1, "aspect": 2, "assessor": 3, "item": SIZE, "label": 2 * SIZE, "decision": 1, "gold": 1}
    assert {**count, **numbers, "release": 1, "topic": 2} == count
    assert [each["sha256"] for each in records if each["record"] == "release"] == [release.sha256]
    assert [each["reason"] for each in records if each["record"] == "decision"] == ["it is"]
    assert {"project made", "adjudicated", "released"} <= {
        each["verb"] for each in records if each["record"] == "event"
    }


def test_urgent_documents_come_before_all_others(database: Database) -> None:
    project = make_project(database, topics=3, documents=10)
    ask_first(project, {("q1", "d1-7"): 1, ("q2", "d2-9"): 2})
    first = [task.doc_id for task in judge_all(project, "ana", lambda _: 0, most=2)]
    assert first == ["d2-9", "d1-7"]


def test_topics_of_ones_own_are_all_that_is_handed_out(database: Database) -> None:
    project = make_project(database, topics=3, documents=2)
    add_assessors(project, ["ana"], topics=["q1"])
    assert {task.topic_id for task in judge_all(project, "ana", lambda _: 0)} == {"q1"}


def test_a_paused_project_hands_out_nothing_and_still_saves(database: Database) -> None:
    project = make_project(database)
    task = hand_out(project, "ana")
    assert task is not None
    change_state(project, "paused")
    with pytest.raises(StoreError, match="tea is paused: nothing is handed out"):
        hand_out(project, "ben")
    say(project, "ana", task, 1)
    assert len(labels_of(project)) == 1


def test_changed_rules_hold_for_what_is_judged_already(database: Database) -> None:
    project = make_project(database, topics=1, documents=4)
    judge_all(project, "ana", lambda _: 1)
    assert hand_out(project, "ben") is None
    changed = change_settings(project, Settings(overlap=2, most=2))
    assert len(judge_all(changed, "ben", lambda _: 1)) == 4


def test_where_items_stand_is_what_their_labels_say_after_any_course_of_judging(database: Database) -> None:
    """What is written down label by label is what comes out if all of it is counted anew."""
    project = make_project(database, people=list("abcde"), topics=1, documents=8, overlap=3, most=4)
    rng = random.Random(7)
    given: list[tuple[str, int]] = []
    for _ in range(90):
        who, key = rng.choice("abcde"), uuid.uuid4().hex
        match rng.choice(["judge", "judge", "judge", "skip", "undo", "change", "leave"]):
            case "change" if given:
                person, assignment = rng.choice(given)
                save(project, person, assignment, rng.choice([0, 3, None]), client_key=key)
            case "undo":
                undo(project, who, client_key=key)
            case kind if (task := hand_out(project, who)) is not None:
                if kind == "skip":
                    skip(project, who, task.assignment)
                elif kind == "leave":
                    give_back(project, who)
                    given.append((who, task.assignment))
                else:
                    say(project, who, task, rng.choice([0, 1, 3, None]))
                    given.append((who, task.assignment))
    stands = text("SELECT id, state, wanted, taken FROM item ORDER BY id")
    with database.writing() as connection:
        before = connection.execute(stands).all()
        settle_all(connection, project)
        assert connection.execute(stands).all() == before
    assert {row.state for row in before} == {"open", "settled", "disputed"}


def test_who_judges_already_follows_rules_that_somebody_changes(database: Database) -> None:
    project = make_project(database, topics=1, documents=1)
    task = hand_out(project, "ana")
    assert task is not None
    change_settings(open_project(database), Settings(overlap=2, most=2, lease=5))
    say(project, "ana", task, 1)  # under the old rules it would be settled now
    other = hand_out(project, "ben")
    assert other is not None
    assert other.lease_until - time.time() * 1000 <= 5 * 60_000


def test_the_same_label_sent_by_several_at_once_is_saved_once(database: Database) -> None:
    project = make_project(database)
    task = hand_out(project, "ana")
    assert task is not None
    assignment = task.assignment
    with ThreadPoolExecutor(5) as threads:
        sent = [threads.submit(save, project, "ana", assignment, 2, client_key="k") for _ in range(10)]
    assert len({each.result().label for each in sent}) == 1
    assert [each.result().is_repeated for each in sent].count(False) == 1
    assert len(list(history(project))) == 1


def test_what_others_hold_for_a_moment_is_waited_for(postgres: str, empty_postgres: str) -> None:
    """Nobody is told that nothing is left because somebody else is looking at the last document."""
    with open_database(make_database(postgres, f"t{uuid.uuid4().hex}", empty_postgres)) as database:
        project = make_project(database, topics=1, documents=1, overlap=2)
        with ThreadPoolExecutor(1) as thread:
            with database.writing() as connection:
                connection.execute(text("SELECT id FROM item FOR UPDATE"))
                waiting = thread.submit(hand_out, project, "ana")
                time.sleep(0.2)
                assert not waiting.done()
            assert waiting.result() is not None


POLICIES: list[tuple[Policy, list[int | None]]] = [
    (Policy("majority"), [0, 1, 2]),
    (Policy("majority", ties="highest"), [0, 1, 3]),
    (Policy("majority", ties="none"), [0, 1, None]),
    (Policy("median"), [0, 1, 2]),
    (Policy("median", ties="highest"), [0, 1, 3]),
    (Policy("highest"), [2, 1, 3]),
    (Policy("lowest"), [0, 0, 2]),
    (Policy("majority", minimum=3), [0, 1, None]),
]


def test_policies_by_hand(database: Database) -> None:
    project = make_project(database, topics=1, documents=3, overlap=3, adjudicated=False)
    said = {
        "d0-0": {"ana": 0, "ben": 0, "cleo": 2},
        "d0-1": {"ana": 1, "ben": 0, "cleo": 1},
        "d0-2": {"ana": 2, "ben": 3},
    }
    for who in ("ana", "ben", "cleo"):
        while (task := hand_out(project, who)) is not None and who in said[task.doc_id]:
            say(project, who, task, said[task.doc_id][who])
    for policy, expected in POLICIES:
        release = make_release(project, policy)
        assert release.frame["relevance"].to_list() == expected
        assert release.frame["provenance"].to_list() == ["none" if each is None else "labels" for each in expected]


def test_a_release_gives_the_same_bytes_for_good_and_on_either_database(database: Database, tmp_path: Path) -> None:
    project = make_project(database, overlap=2, most=3)
    rng = random.Random(3)
    for who in ("ana", "ben", "cleo"):
        judge_all(project, who, lambda _: rng.choice([0, 1, 2, 3, None]))
    release = make_release(project, note="first")
    before = release.to_trec(unjudged=True)
    for dispute in disputes(project):
        adjudicate(project, dispute.topic_id, dispute.doc_id, 0, decided_by="lead")
    assert open_release(project, 1).to_trec(unjudged=True) == before
    assert hashlib.sha256(release.content).hexdigest() == release.sha256 == open_release(project, 1).sha256
    back_up(database, tmp_path / "backup")
    with restore(tmp_path / "backup", str(tmp_path / "elsewhere.db")) as other:
        assert open_release(open_project(other), 1).content == release.content


def test_evaluate_takes_a_release_by_its_name(database: Database, place: str) -> None:
    project = make_project(database)
    judge_all(project, "ana", lambda task: 3 if task.doc_id in {"d1", "d4"} else 0)
    make_release(project)
    result = evaluate(f"{place}@1", {"first": RUNS["first"]}, "P@1")
    assert result.mean("P@1") == 1.0
    assert result.qrels.name == f"{database.name}@1"
    assert "release 1 of tea" in result.qrels.format
    with pytest.raises(InputError, match="there is no release 4: the newest is 1"):
        evaluate(f"{place}@4", {"first": RUNS["first"]}, "P@1")


def test_a_release_of_nothing_is_refused_and_two_managers_get_two_numbers(database: Database) -> None:
    project = make_project(database)
    with pytest.raises(InputError, match="nothing is judged yet"):
        make_release(project)
    judge_all(project, "ana", lambda _: 1)
    assert [make_release(project).version, make_release(project).version] == [1, 2]
    assert [each["version"] for each in releases(project)] == [1, 2]


def test_labels_adjudications_and_releases_cannot_be_changed(database: Database) -> None:
    project = make_project(database)
    judge_all(project, "ana", lambda _: 1)
    make_release(project)
    for statement in (
        "UPDATE label SET value = 0",
        "DELETE FROM label",
        "UPDATE release SET note = 'x'",
        "DELETE FROM event",
    ):
        with pytest.raises((StoreError, DBAPIError), match="only ever added"), database.writing() as connection:
            connection.execute(text(statement))


def test_nothing_that_a_judge_sees_tells_of_runs_ranks_scores_or_others(database: Database) -> None:
    project = make_project(database, overlap=2)
    judge_all(project, "ana", lambda _: 3)
    task = hand_out(project, "ben")
    assert task is not None
    seen = json.dumps(task.__dict__, default=str) + exported(project, "tasks")[0]
    seen += exported(project, "tasks", tool="quepid")[0]
    for secret in ("first", "second", "ana", "assessor 1", "rank", "score", "priority"):
        assert secret not in seen
    assert set(vars(task)) == {
        "assignment", "topic_id", "title", "description", "narrative", "doc_id", "heading", "text", "aspects",
        "guidelines", "guideline", "lease_until",
    }  # fmt: skip


def test_an_import_is_taken_once_and_what_does_not_fit_is_listed(database: Database) -> None:
    project = make_project(database)
    rows = pl.DataFrame({
        "query_id": ["q1", "q1", "q2", "q9", "q1", "q1"], "item_id": ["d1", "d2", "d4", "d1", "d99", "d3"],
        "judge": ["ana", "ana", "zoe", "ana", "ana", "ana"], "label": ["3", "related", "0", "1", "1", "7"],
    })  # fmt: skip
    labels = Labels.of(rows)
    dry = take_labels(project, labels, dry_run=True)
    assert (dry.taken, dry.known, len(list(history(project)))) == (3, 0, 0)
    assert sorted(dry.refused["reason"]) == [
        "the document is not in the topic's pool", "the grade is not on the scale", "the topic is not in the project",
    ]  # fmt: skip
    assert take_labels(project, labels).taken == 3
    again = take_labels(project, labels)
    assert (again.taken, again.known) == (0, 3)
    assert labels_of(project).frame["label"].to_list() == [3, 1, 0]
    assert {(task.topic_id, task.doc_id) for task in judge_all(project, "ben", lambda _: 0)} == {
        ("q1", "d3"), ("q2", "d5"), ("q2", "d6"),
    }  # fmt: skip


def test_labels_of_a_model_never_take_a_persons_place(database: Database) -> None:
    project = make_project(database, topics=1, documents=2)
    rows = pl.DataFrame({"query_id": ["q0"] * 2, "item_id": ["d0-0", "d0-1"], "judge": ["m"] * 2, "label": [3, 3]})
    take_labels(project, Labels.of(rows), kind="model")
    assert len(judge_all(project, "ana", lambda _: 0)) == 2
    assert make_release(project).frame["relevance"].to_list() == [0, 0]
    assert make_release(project, Policy(kinds=("model",))).frame["relevance"].to_list() == [3, 3]


def test_labels_go_out_and_come_back_whole(database: Database, tmp_path: Path) -> None:
    project = make_project(database, overlap=2)
    for who in ("ana", "ben"):
        judge_all(project, who, lambda task: int(task.doc_id[1:]) % 4)
    table, _ = exported(project, "labels", ending=".csv")
    (tmp_path / "labels.csv").write_text(table)
    assert agree(str(tmp_path / "labels.csv"), "Agreement").value("Agreement") == 1.0
    qrels, _ = exported(project, "judges")
    assert len(qrels.splitlines()) == 2 * SIZE
    assert "q1 assessor-1 d1 1" in qrels.splitlines()


def test_what_decides_is_judged_first_and_releases_can_be_compared(database: Database, tmp_path: Path) -> None:
    project = make_project(database, topics=6, documents=8)
    files = {}
    for name, step in (("up", 1), ("down", -1)):
        lines = [f"q{t} Q0 d{t}-{d} 0 {10 - step * d} {name}" for t in range(6) for d in range(8)]
        files[name] = tmp_path / f"{name}.run"
        files[name].write_text("\n".join(lines))
    keep_runs(project, {name: str(path) for name, path in files.items()})
    judge_all(project, "ana", lambda task: int(task.doc_id[-1] == "0"), most=12)
    first = make_release(project)
    found = judge_next(project, number=5, measure="P@1")
    assert found.queued == found.documents.height > 0
    asked = set(found.documents.select("query_id", "doc_id").iter_rows())
    judged = judge_all(project, "ana", lambda task: int(task.doc_id[-1] == "0"), most=found.queued)
    assert {(task.topic_id, task.doc_id) for task in judged} == asked
    judge_all(project, "ana", lambda task: int(task.doc_id[-1] == "0"))
    diff = release_diff(project, first, make_release(project), ("P@1",))
    assert (diff.changed.height, diff.added) == (0, 36)  # of 48, 12 were judged before
    (row,) = diff.verdicts.rows(named=True)
    assert (row["after"], row["verdict_after"]) == (-1.0, "worse")
    done = judge_next(project, number=5, measure="P@1")
    assert not done.can_change
    assert "you may stop" in done.to_markdown()


def test_topics_without_labels_and_grades_that_nobody_gave_yet_can_still_turn_a_verdict(database: Database) -> None:
    project = make_project(database, topics=8, documents=3)
    runs = {
        name: {f"q{t}": {f"d{t}-{d}": float(sign * d + 3) for d in range(3)} for t in range(8)}
        for name, sign in (("up", 1), ("down", -1))
    }
    add_assessors(project, ["ana"], topics=["q1", "q2"])
    judge_all(project, "ana", lambda task: int(task.doc_id in {"d1-0", "d2-0", "d2-1"}))
    found = judge_next(project, runs, number=100, measure="nDCG@3", baseline="up")
    assert (found.topics, found.without, found.unjudged) == (8, 6, 18)
    assert {"q0", "q7"} <= set(found.documents["query_id"])
    second, third = 1 / math.log2(3), 1 / math.log2(4)  # what ranks are worth, of 1 at the top
    known = (1 - third) + (1 - (second + third) / (1 + second))
    assert found.difference == pytest.approx(known / 8)
    # One good document at either end of a ranking: nothing else parts a ranking more from its reverse.
    assert found.low == pytest.approx((known - 6 * (1 - third)) / 8)
    assert found.high == pytest.approx((known + 6 * (1 - third)) / 8)
    assert (found.verdict_low, found.verdict_high) == ("inconclusive", "better")
    assert found.can_turn


def test_documents_outside_the_pool_are_added_with_their_text_and_judged_first(database: Database) -> None:
    project = make_project(database, topics=3, documents=2)
    runs = {
        "known": {f"q{t}": {f"d{t}-0": 1.0} for t in range(3)},
        "later": {f"q{t}": {f"new{t}": 2.0, f"d{t}-0": 1.0} for t in range(3)} | {"q9": {"d1": 1.0}},
    }
    judge_all(project, "ana", lambda _: 1, most=2)
    left = judge_next(project, runs, measure="nDCG@2", queue=False)
    assert (left.queued, left.outside) == (0, 3)
    texts = Documents.of({"new0": "first", "new1": "second", "d1": "of a topic that nobody has"})
    found = judge_next(project, runs, measure="nDCG@2", documents=texts)
    assert (found.added, found.outside) == (2, 1)
    first = judge_all(project, "ana", lambda _: 0, most=found.queued)
    assert {"new0", "new1"} <= {task.doc_id for task in first}
    assert {task.text for task in first if task.doc_id == "new1"} == {"second"}
    assert add_to_pool(project, [("q0", "new0")], texts) == set()


def test_a_backup_restores_what_it_saw(database: Database, tmp_path: Path) -> None:
    project = make_project(database, overlap=2)
    judge_all(project, "ana", lambda _: 2)
    rows = back_up(database, tmp_path / "backup")
    seen = [dict(row) for row in history(project)]
    judge_all(project, "ben", lambda _: 0)  # after it
    with restore(tmp_path / "backup", str(tmp_path / "restored.db")) as other:
        restored = open_project(other)
        assert [dict(row) for row in history(restored)] == seen
        assert not check_store(other).problems
        assert sum(check_store(other).counts.values()) == rows
        judge_all(restored, "ben", lambda _: 0)  # and goes on


@pytest.mark.parametrize("damage", ["cut", "flip", "other"])
def test_a_damaged_backup_leaves_nothing_behind(tmp_path: Path, damage: str) -> None:
    with open_database(str(tmp_path / "a.db"), create=True) as database:
        judge_all(make_project(database), "ana", lambda _: 1)
        back_up(database, tmp_path / "backup")
    whole = (tmp_path / "backup").read_bytes()
    broken = {
        "cut": whole[:-40],
        "flip": whole[:100] + bytes([whole[100] ^ 255]) + whole[101:],
        "other": b"q1 0 d1 1\n",
    }
    (tmp_path / "broken").write_bytes(broken[damage])
    with pytest.raises(InputError, match="broken"):
        restore(tmp_path / "broken", str(tmp_path / "b.db"))
    assert not (tmp_path / "b.db").exists()


def test_a_clock_that_was_set_back_hands_out_nothing_and_loses_no_label(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = make_project(database)
    task = hand_out(project, "ana")
    assert task is not None
    say(project, "ana", task, 1)
    other = hand_out(project, "ana")
    assert other is not None
    _at(monkeypatch, minutes=-90)
    with pytest.raises(StoreError, match=r"the clock of this machine is \d+ minutes behind"):
        hand_out(project, "ben")
    say(project, "ana", other, 2)
    times = [row["created_at"] for row in history(project)]
    assert times == sorted(times)


def test_files_that_are_no_project_are_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("q1 0 d1 1\n")
    with sqlite3.connect(tmp_path / "other.db") as other:
        other.execute("CREATE TABLE t (a)")
    sqlite3.connect(tmp_path / "empty.db").execute("VACUUM")
    cases = {
        "text.db": "expected a judging project .an SQLite database., got another file",
        "other.db": "expected a judging project, got a database of something else",
        "nowhere.db": "there is no such file; `assay judge init` makes a project",
    }
    for name, message in cases.items():
        with pytest.raises(StoreError, match=f"{name}: {message}"):
            open_database(str(tmp_path / name))


def test_a_database_of_a_newer_version_is_left_alone(database: Database, place: str) -> None:
    make_project(database)
    with database.writing() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StoreError, match="was written by a newer version of Assay"):
        open_database(place)
    with database.writing() as connection:
        connection.execute(text(f"UPDATE alembic_version SET version_num = '{store_database.NEWEST}'"))


@pytest.mark.parametrize("version", [f"{number:04}" for number in range(1, int(store_database.NEWEST))])
def test_a_database_of_an_earlier_version_is_brought_up_to_date_with_all_that_is_in_it(
    version: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    server = make_database(request.getfixturevalue("postgres"), f"v{version}")
    for place in (str(tmp_path / "judging.db"), server):
        with as_of_version(version):
            open_database(place, create=True).close()
            with open_database(place) as old:
                project = make_project(old, overlap=2)
                judge_all(project, "ana", lambda _: 2)
                adjudicate(project, "q1", "d1", 3, decided_by="lead", reason="it is")
                undo(project, "ana", client_key="back")
                before = (list(history(project)), make_release(project).content)
        with open_database(place) as database:
            project = open_project(database)
            assert (list(history(project)), open_release(project).content) == before
            assert len(judge_all(project, "ben", lambda _: 2)) == SIZE - 1  # one is decided
            assert not check_store(database).problems
            with pytest.raises((StoreError, DBAPIError), match="only ever added"), database.writing() as connection:
                connection.execute(text("DELETE FROM label"))
            with database.reading() as connection:
                context = MigrationContext.configure(connection, opts={"compare_type": True})
                assert compare_metadata(context, db.METADATA) == []


def test_settings_and_scales_that_contradict_themselves_are_refused() -> None:
    for values, message in (
        ({"overlap": 3, "most": 2}, "fewer labels at most than at least"),
        ({"apart": "relevance", "tolerance": 1}, "no effect where only relevance counts"),
        ({"gold_every": 1}, "then nothing else would ever be judged"),
        ({"overlap": 0}, "overlap"),
        ({"order": "rank"}, "order is one of"),
    ):
        with pytest.raises(ParameterError, match=message):
            Settings(**values)
    for scale in ("0=no", "0=no,0=yes", "a=no,b=yes", "tea", '[{"value": 0}]'):
        with pytest.raises(ParameterError, match="scale"):
            scale_of(scale)
    assert [grade.key for grade in SCALES["graded"].grades] == ["0", "1", "2", "3"]
    assert [grade.key for grade in scale_of("0=no/a,1=yes/c").grades] == ["a", "c"]


@pytest.mark.parametrize("order", ["topic", "random", "priority"])
def test_every_statement_of_a_hand_out_uses_an_index(tmp_path: Path, order: str) -> None:
    """A hand-out must not go through all items, nor sort them, or it would slow down as projects grow."""
    with open_database(str(tmp_path / "a.db"), create=True) as database:
        project = make_project(database, topics=3, documents=30, overlap=2, order=order)
        statements: list[tuple[str, Any]] = []

        def record(*values: Any) -> None:
            statements.append((values[2], values[3]))

        sql_event.listen(database.engine, "before_cursor_execute", record)
        task = hand_out(project, "ana")
        assert task is not None
        say(project, "ana", task, 1)
        sql_event.remove(database.engine, "before_cursor_execute", record)
        with database.reading() as connection:
            for statement, parameters in statements:
                if statement.startswith(("SELECT", "UPDATE")):
                    plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters).all()
                    scans = [row[3] for row in plan if row[3].startswith("SCAN") and "topic" not in row[3]]
                    assert not [scan for scan in scans if "CONSTANT" not in scan], statement
                    if " item." in statement.partition("FROM")[0]:
                        assert not [row[3] for row in plan if "B-TREE" in row[3]], statement


def _statements(database: Database, work: Callable[[], object]) -> int:
    """The number of statements that something takes."""
    count = itertools.count()

    def note(*_: Any) -> None:
        next(count)

    sql_event.listen(database.engine, "before_cursor_execute", note)
    work()
    sql_event.remove(database.engine, "before_cursor_execute", note)
    return next(count)


def test_statements_are_few_and_imports_take_no_more_for_more_labels(database: Database) -> None:
    """What a judge or a file waits for is mostly the number of statements."""
    project = make_project(database, topics=2, documents=300)

    def judge() -> None:
        task = hand_out(project, "ana")
        assert task is not None
        say(project, "ana", task, 1)

    judge()
    assert _statements(database, judge) <= 12
    rows = [(f"q{n % 2}", f"d{n % 2}-{n // 2}", who, n % 4) for n in range(600) for who in ("zoe", "yan")]
    few, many = (Labels.of(pl.DataFrame(part, schema=["query_id", "item_id", "judge", "label"], orient="row"))
                 for part in (rows[:60], rows[60:]))  # fmt: skip
    first = _statements(database, lambda: take_labels(project, few))
    assert _statements(database, lambda: take_labels(project, many)) <= first
    assert len(labels_of(project)) == 1202


@contextmanager
def as_of_version(version: str) -> Iterator[None]:
    """Assay as it was when a version of the tables was the newest."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store_database, "NEWEST", version)
        yield


def _at(patch: pytest.MonkeyPatch, *, minutes: float) -> None:
    """Let the store's clock be ahead."""
    real = time.time_ns
    patch.setattr(time, "time_ns", lambda: real() + round(minutes * 60e9))


def test_the_modules_that_hand_out_and_save_never_read_sources_of_items() -> None:
    """Runs and ranks stand in two tables, which neither of them names."""
    assert {"source", "run"} <= set(db.METADATA.tables)
    for module in (handout, leases, saving):
        source = Path(module.__file__ or "").read_text(encoding="utf-8")
        assert "db.source" not in source
        assert "db.run" not in source
