"""What goes wrong beneath judging: disks, permissions, locks, damage, servers, kills. Nothing acknowledged is lost."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from judging import RUNS, fast_folder, judge_all, make_project, new_database, say
from judging_faults import kill_assessors
from postgres import free_port, make_database
from sqlalchemy import inspect, text
from sqlalchemy.event import listen

from assay import evaluate
from assay.store import database as store_database
from assay.store import schema as db
from assay.store.database import Database, StoreError, open_database
from assay.store.handout import Task, hand_out
from assay.store.labels_table import history
from assay.store.projects import Project, open_project
from assay.store.releases import make_release
from assay.store.upkeep import check_store

#: Who may not read what others forbid; root may.
_NOBODY = 65534


@contextmanager
def as_nobody() -> Iterator[None]:
    """Without root's right to write everywhere."""
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(_NOBODY)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)


@pytest.fixture
def place() -> Iterator[Path]:
    """A project with one label, in a folder and a file that everybody may write to."""
    with fast_folder() as folder:
        folder.chmod(0o777)
        file = folder / "judging.db"
        with new_database(file) as database:
            judge_all(make_project(database), "ana", lambda _: 1, most=1)
        file.chmod(0o666)
        yield file
        folder.chmod(0o777)


def judge_one(place: Path | str) -> Task | None:
    """Open it, hand a document out, save a label."""
    with open_database(str(place)) as database:
        project = open_project(database)
        task = hand_out(project, "ana")
        if task is not None:
            say(project, "ana", task, 2)
        return task


def read_only_file(file: Path) -> None:
    file.chmod(stat.S_IREAD | stat.S_IRGRP | stat.S_IROTH)


def read_only_folder(file: Path) -> None:
    file.parent.chmod(0o555)


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def overwritten(file: Path) -> None:
    whole = file.read_bytes()
    file.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))


FAULTS: dict[str, tuple[Callable[[Path], object], str]] = {
    "a file that is read-only": (read_only_file, "is read-only: nothing can be saved"),
    "a folder that is read-only": (read_only_folder, "is read-only: nothing can be saved"),
    "no permission": (lambda file: file.chmod(0), "cannot be read: permission denied"),
    "a file that was cut": (cut, "is damaged, or no database; restore a backup with `assay judge restore`"),
    "a file that was overwritten": (overwritten, "is damaged, or no database; restore a backup with"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_database_that_cannot_be_used_says_so_in_one_line(fault: str, place: Path) -> None:
    break_it, message = FAULTS[fault]
    break_it(place)
    with pytest.raises(StoreError) as said, as_nobody():
        judge_one(place)
    assert str(said.value).startswith(f"{place}: {message}")
    assert "\n" not in str(said.value)


def test_a_release_can_be_used_where_nothing_may_be_written(place: Path) -> None:
    """Such as one that lies beside the runs on a disk that many share."""
    with open_database(str(place)) as database:
        judge_all(open_project(database), "ana", lambda _: 3)
        make_release(open_project(database))
    read_only_file(place)
    read_only_folder(place)
    with as_nobody():
        assert evaluate(f"{place}@1", {"first": RUNS["first"]}, "P@1").mean("P@1") == 1.0


def test_nobody_waits_for_ever_for_another_writer(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_database, "_PATIENCE", 0.1)
    other = sqlite3.connect(place, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="is locked: another program has been writing to it"):
        judge_one(place)
    other.execute("ROLLBACK")
    other.close()
    assert judge_one(place) is not None


def _until_full(project: Project) -> tuple[int, str]:
    """Judge until nothing more can be saved: how many labels were acknowledged, and what was said then."""
    count = 0
    while (task := hand_out(project, "ana")) is not None:
        try:
            say(project, "ana", task, 1, note="n" * 100_000)
        except StoreError as problem:
            return count, str(problem)
        count += 1
    return count, ""


def test_a_full_disk_keeps_what_was_acknowledged_and_no_more(tmp_path: Path) -> None:
    with new_database(tmp_path / "judging.db") as database:
        project = make_project(database, topics=1, documents=30)
        # A database that may not grow is what a full disk looks like from within.
        database.engine.dispose()
        listen(database.engine, "connect", lambda connection, _: connection.execute("PRAGMA max_page_count=250"))
        saved, said = _until_full(project)
        assert said == f"{database.name}: the disk is full: nothing was saved; make room and try again"
    with open_database(str(tmp_path / "judging.db")) as database:
        assert 0 < saved == len(list(history(open_project(database))))
        assert not check_store(database).problems


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount")
def test_a_disk_that_is_full_at_some_moment_can_go_on_later(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)], check=False)
    if mounted.returncode:
        pytest.skip("no right to mount")
    try:
        with new_database(disk / "judging.db") as database:
            project = make_project(database, topics=1, documents=30)
            ballast = disk / "ballast"
            ballast.write_bytes(b"x" * 200_000)
            saved, said = _until_full(project)
            assert said.endswith("the disk is full: nothing was saved; make room and try again")
            ballast.unlink()
            assert judge_one(disk / "judging.db") is not None
            assert len(list(history(project))) == saved + 1
            assert not check_store(database).problems
    finally:
        subprocess.run(["umount", "--lazy", str(disk)], check=True)


def _be_cut_off(database: Database) -> None:
    with database.writing() as connection:
        connection.execute(text("UPDATE item SET taken = 99"))
        connection.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))


def test_a_server_that_goes_half_way_saves_nothing_and_comes_back(postgres: str) -> None:
    """The connection is cut within a transaction."""
    place = make_database(postgres, "cut")
    with open_database(place, create=True) as database:
        project = make_project(database)
        task = hand_out(project, "ana")
        assert task is not None
        with pytest.raises(StoreError) as said:
            _be_cut_off(database)
        assert str(said.value) == (
            f"{database.name}: the server has gone: what was not acknowledged was not saved; try again"
        )
        say(project, "ana", task, 1)
        assert len(list(history(project))) == 1
        assert not check_store(database).problems


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("postgresql://ana:secret@127.0.0.1:FREE/judging", "no server answers there"),
        ("postgresql://ana:secret@nowhere.invalid/judging", "there is no such host"),
        (
            "postgresql://ana:secret@localhost:port/judging",
            "ana:***@localhost:port/judging: expected postgresql://USER:PASSWORD@HOST:PORT/DATABASE",
        ),
    ],
)
def test_a_server_that_is_not_there_is_said_without_the_password(place: str, message: str) -> None:
    with pytest.raises(StoreError) as said:
        open_database(place.replace("FREE", str(free_port())))
    assert message in str(said.value)
    assert "secret" not in str(said.value)
    assert "\n" not in str(said.value)


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_assessors_killed_at_any_moment_lose_nothing_that_was_acknowledged(
    kind: str, request: pytest.FixtureRequest
) -> None:
    people = [f"person {number}" for number in range(8)]
    with fast_folder() as folder:
        place = str(folder / "judging.db")
        if kind == "postgres":
            place = make_database(request.getfixturevalue("postgres"), "killed")
        with open_database(place, create=True) as database:
            make_project(database, people=people, topics=10, documents=40, overlap=2, most=3)
        found = kill_assessors(place, folder, people=8, kills=30)
    assert found.kills == 30
    assert found.acknowledged > 0
    assert not found.problems


def test_a_database_or_a_user_that_is_not_there_is_said(postgres: str) -> None:
    for place, message in (
        (f"{postgres}/nothing", "there is no such database; make it with createdb"),
        (postgres.replace("postgres@", "zoe:secret@") + "/postgres", "the password is wrong, or the user is unknown"),
    ):
        with pytest.raises(StoreError, match=message):
            open_database(place)


def test_the_first_migration_makes_the_tables_of_the_schema(place: Path) -> None:
    """It is written out, so that a later change of the schema needs a migration of its own."""
    with open_database(str(place)) as database, database.reading() as connection:
        assert compare_metadata(MigrationContext.configure(connection, opts={"compare_type": True}), db.METADATA) == []
        found = inspect(connection)
        for table in db.METADATA.sorted_tables:
            made = {each["name"] for each in found.get_check_constraints(table.name)}
            assert made == {each.name for each in table.constraints if each.name and str(each.name).startswith("ck_")}
        kept = connection.execute(text("SELECT tbl_name FROM sqlite_master WHERE type = 'trigger'")).scalars().all()
    assert set(kept) == {"label", "label_aspect", "adjudication", "release", "event", "guideline"}
    migration = Path(store_database.__file__).parent / "migrations" / "versions" / "m0001_judging.py"
    assert "assay.store" not in migration.read_text()
