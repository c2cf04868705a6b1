"""Long work outside of requests: in a process of its own, that can be stopped, and that a death interrupts."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from judging import fast_folder
from sqlalchemy import update
from test_web_results import RUNS_OF_TEN, released
from workbench import Workbench, opened, running

from assay.store import jobs
from assay.store import schema as db
from assay.store.kept_runs import known_runs
from assay.store.releases import open_release
from assay.web import makings, work, working
from assay.web.makings import Progress

#: A worker whose only work takes longer than any test.
_SLOW = """
import time
from assay.web import makings, work
makings.MAKINGS["slow"] = lambda project, given, progress: (progress.step(1, 3, "halfway"), time.sleep(60))
work.main()
"""


@pytest.fixture
def bench() -> Iterator[Workbench]:
    with fast_folder() as folder, opened(folder, runs=RUNS_OF_TEN) as workbench:
        yield workbench


@contextmanager
def worker(workbench: Workbench, key: int) -> Iterator[subprocess.Popen[str]]:
    """A process that is at a job, as the server begins it."""
    with subprocess.Popen([sys.executable, "-c", _SLOW], stdin=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdin is not None
            process.stdin.write(json.dumps({"place": workbench.database.place, "job": key}) + "\n")
            process.stdin.flush()
            until(lambda: state(workbench, key).message == "halfway")
            yield process
        finally:
            process.kill()


def state(workbench: Workbench, key: int) -> jobs.Job:
    found = jobs.job_of(workbench.project, key)
    assert found is not None
    return found


def until(holds: Callable[[], bool], seconds: float = 60) -> None:
    """Wait until something holds."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.05)


def silent_for(workbench: Workbench, key: int, milliseconds: int) -> None:
    """Let nobody have heard of a job for a while."""
    with workbench.database.writing() as connection:
        beat = db.job.c.beat_at - milliseconds
        connection.execute(update(db.job).where(db.job.c.id == key).values(beat_at=beat))


def test_work_is_stopped_from_its_page(bench: Workbench) -> None:
    key, _ = jobs.add_job(bench.project, "slow", {})
    with worker(bench, key) as process:
        running = state(bench, key)
        assert (running.state, running.done, running.total) == ("running", 1, 3)
        assert jobs.cancel(bench.project, key)
        process.wait(30)
    assert state(bench, key).state == "cancelled"
    waiting, _ = jobs.add_job(bench.project, "slow", {"n": 2})
    assert jobs.cancel(bench.project, waiting)
    assert jobs.begin(bench.database, waiting) is None
    assert not jobs.cancel(bench.project, waiting)


def test_work_ends_with_the_server_that_began_it_and_is_interrupted(bench: Workbench) -> None:
    key, _ = jobs.add_job(bench.project, "slow", {})
    with worker(bench, key) as process:
        assert process.stdin is not None
        process.stdin.close()  # what the death of the server does, by whatever signal
        process.wait(30)
    assert state(bench, key).state == "interrupted"


def test_work_whose_process_was_killed_does_not_run_for_ever(bench: Workbench) -> None:
    key, _ = jobs.add_job(bench.project, "slow", {"n": 1})
    with worker(bench, key) as process:
        process.kill()
        process.wait(30)
    assert state(bench, key).state == "running"
    silent_for(bench, key, jobs.SILENCE + 1000)
    assert state(bench, key).state == "interrupted"
    again, is_new = jobs.add_job(bench.project, "slow", {"n": 1})
    assert is_new
    assert again != key
    silent_for(bench, again, jobs.SILENCE + 1000)  # nobody came to do it
    assert jobs.interrupt_silent(bench.database) == 1
    assert [each.state for each in jobs.jobs_of(bench.project, ["slow"])] == ["interrupted", "interrupted"]


def test_what_is_wrong_with_work_is_said_and_it_can_be_tried_again(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    released(bench)
    begun: list[int] = []
    monkeypatch.setattr(working, "start", lambda _, key: begun.append(key))
    owner = bench.browser("owner")
    what = makings.asked(open_release(bench.project), known_runs(bench.project), "AP")
    first, _ = jobs.add_job(bench.project, "leaderboard", {**what, "runs": {"first": "another"}})
    work.do(bench.database, first, Progress())
    assert (state(bench, first).state, "changed meanwhile" in state(bench, first).message) == ("failed", True)
    second, _ = jobs.add_job(bench.project, "leaderboard", what)

    def broken(*_: Any) -> None:
        raise RuntimeError("a secret of the inside")

    with monkeypatch.context() as patch:
        patch.setitem(makings.MAKINGS, "leaderboard", broken)
        work.do(bench.database, second, Progress())
    page = owner.get(f"{bench.at}/jobs/{second}").text
    assert "something went wrong" in page
    assert "inside" not in page
    assert "RuntimeError" in capsys.readouterr().err
    answer = owner.post(f"{bench.at}/jobs/{second}/again")
    assert answer.headers["location"] == f"{bench.at}/jobs/{begun[0]}"
    work.do(bench.database, begun[0], Progress())
    assert owner.get(f"{bench.at}/jobs/{begun[0]}.json").json()["job"]["state"] == "done"


def test_a_report_is_made_by_the_server_in_a_process_of_its_own_and_a_killed_server_is_told_of(tmp_path: Path) -> None:
    """The server is killed by SIGKILL while a report is under way, and started again on what it left."""
    with opened(tmp_path, runs=RUNS_OF_TEN) as bench:
        released(bench)
        secret = bench.browser("owner")
        cookies = {"assay": secret.client.cookies["assay"]}
        given = {"baseline": "first", "system": "second"}
        headers = {"X-CSRF-Token": secret.csrf}
        with (
            running(tmp_path / "judging.db") as server,
            httpx2.Client(base_url=server.address, cookies=cookies, headers=headers, timeout=60) as client,
        ):
            sent = client.post(f"/api{bench.at}/results/report", json=given).json()
            place = f"{bench.at}/jobs/{sent['data']['job']}"
            until(lambda: client.get(f"{place}.json").json()["job"]["state"] == "done", 120)
            assert "<title>" in client.get(f"{place}/file").text
            other = client.post(f"/api{bench.at}/results/report", json={**given, "measure": "P@5"}).json()["data"][
                "job"
            ]
            server.kill()
        until(lambda: not state(bench, other).is_open)
        assert state(bench, other).state == "interrupted"
