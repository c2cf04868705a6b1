"""How the workbench bears load: `python -m benchmarks.workbench [--documents N] [--write]`.

Fifty assessors judge at once on SQLite, through a server process of its own: what a save takes, and whether all labels
are there. Then the first bytes of pages with an empty project, and with 100,000 documents and 500 runs (`--documents
1000000` for more).
"""

import argparse
import re
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles

import httpx2
import zstandard
from sqlalchemy import func, insert, select

from assay import make_pool
from assay.store import schema as db
from assay.store.accounts import add_account, open_session
from assay.store.database import open_database
from assay.store.memberships import add_member
from assay.store.projects import create_project
from assay.store.scales import SCALES
from assay.store.settings import Settings
from assay.tables import Documents, Topics
from assay.web.asking import csrf_of
from benchmarks.cases import DATA

HERE = Path(__file__).parent
PEOPLE, EACH = 50, 20
#: Seconds for which each of them reads a document: few people are as fast.
PAUSE = 5.0
#: What a save takes at most for 95 of 100, in milliseconds, and the first byte of a page at the median.
PROMISED, FIRST_BYTE = 100.0, 50.0
TOPICS = 50


@contextmanager
def served(place: str) -> Iterator[str]:
    """A server on a database; its address."""
    command = [sys.executable, "-m", "assay", "serve", "--db", place, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            found = re.search(r"serving (\S+)", process.stderr.readline())
            assert found is not None
            yield found[1]
        finally:
            process.terminate()


def make(place: str, documents: int, runs: int = 0, people: int = 1) -> tuple[int, list[str]]:
    """A project of so many documents and runs; its key, and the secrets of sessions of people who may judge."""
    depth = max(documents // TOPICS, 1)
    run = {f"t{t}": {f"d{t}-{d}": float(depth - d) for d in range(depth)} for t in range(TOPICS)}
    with open_database(place, create=True) as database:
        project = create_project(
            database, "load", make_pool({"run": run}, depth=depth), Topics.of({each: f"about {each}" for each in run}),
            Documents.of({each: "Some text to judge. " * 20 for found in run.values() for each in found}),
            scale=SCALES["graded"], settings=Settings(overlap=2, most=2, order="random"),
        )  # fmt: skip
        with database.writing() as connection:
            for number in range(runs):
                lines = "".join(
                    f"t{t} Q0 d{t}-{d} {d + 1} {100 - d} r{number}\n" for t in range(TOPICS) for d in range(10)
                )
                connection.execute(insert(db.run).values(
                    collection_id=project.collection, name=f"r{number}", sha256=f"{number:064}",
                    content=zstandard.compress(lines.encode()), created_at=0,
                ))  # fmt: skip
        secrets = []
        for number in range(people):
            user = add_account(database, f"person {number}", "")
            add_member(project, user, "owner" if number == 0 else "assessor")
            secrets.append(open_session(database, user.id))
        return project.id, secrets


def at_once(work: Callable[[int], None], number: int) -> None:
    """Let so many do the same at once."""
    threads = [threading.Thread(target=work, args=(each,)) for each in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def judging(people: int = PEOPLE, each: int = EACH, pause: float = PAUSE) -> list[str]:
    """A table about people who judge at once: what a save takes, and what is there afterwards.

    `pause`: seconds for which each of them reads a document.
    """
    with tempfile.TemporaryDirectory(dir=DATA) as folder:
        place = str(Path(folder) / "judging.db")
        key, secrets = make(place, documents=people * each * 2, people=people)
        taken: list[float] = []
        saved: list[str] = []
        problems: list[str] = []
        with served(place) as address:

            def judge(person: int) -> None:
                headers = {"X-CSRF-Token": csrf_of(secrets[person])}
                with httpx2.Client(
                    base_url=address, cookies={"assay": secrets[person]}, headers=headers, timeout=60
                ) as client:
                    time.sleep(pause * person / people)
                    for number in range(each):
                        task = client.get(f"/projects/{key}/judge.json").json()["task"]
                        time.sleep(pause)
                        given = {"assignment": task["assignment"], "key": uuid.uuid4().hex, "grade": number % 4}
                        started = time.perf_counter()
                        answer = client.post(f"/api/projects/{key}/judge", json=given)
                        taken.append(1000 * (time.perf_counter() - started))
                        (saved if answer.status_code == 200 else problems).append(given["key"])

            at_once(judge, people)
        with open_database(place) as database, database.reading() as connection:
            there = set(connection.scalars(select(db.label.c.client_key)))
            twice = connection.scalar(select(func.count()).select_from(db.label)) or 0
    lost = len(set(saved) - there)
    assert not lost, f"{lost} labels are lost"
    assert twice == len(there)
    p95 = quantiles(taken, n=20)[-1]
    return [
        "| people at once | labels | refused | lost | save, median | save, p95 | promised |",
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
        f"| {people} | {len(saved):,} | {len(problems)} | {lost} | {median(taken):.0f} ms | {p95:.0f} ms | "
        f"{PROMISED:.0f} ms |",
    ]


def pages(documents: int, runs: int, times: int = 15) -> list[str]:
    """A table of first bytes: of an empty project, and of a large one."""
    found: dict[str, list[float]] = {}
    for size, count in ((TOPICS, 0), (documents, runs)):
        with tempfile.TemporaryDirectory(dir=DATA) as folder:
            place = str(Path(folder) / "judging.db")
            key, secrets = make(place, size, count)
            at = f"/projects/{key}"
            asked = {"projects": "/", "overview": at, "judge": f"{at}/judge", "people": f"{at}/people",
                     "results": f"{at}/results", "work": f"{at}/jobs"}  # fmt: skip
            with served(place) as address, httpx2.Client(base_url=address, cookies={"assay": secrets[0]}) as client:
                for name, path in asked.items():
                    client.get(path).raise_for_status()
                    found.setdefault(name, []).append(median(_first_byte(client, path) for _ in range(times)))
    return [
        f"| page | empty | {documents:,} documents, {runs} runs | ratio | promised |",
        "| --- | ---: | ---: | ---: | ---: |",
        *(
            f"| {name} | {small:.0f} ms | {large:.0f} ms | {large / small:.1f} | {FIRST_BYTE:.0f} ms, 2 times |"
            for name, (small, large) in found.items()
        ),
    ]


def _first_byte(client: httpx2.Client, path: str) -> float:
    started = time.perf_counter()
    with client.stream("GET", path) as answer:
        next(answer.iter_bytes())
        return 1000 * (time.perf_counter() - started)


def main() -> None:
    """Measure, and print or write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--people", type=int, default=PEOPLE)
    parser.add_argument("--each", type=int, default=EACH)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    DATA.mkdir(exist_ok=True)
    text = "\n".join([
        "# The workbench under load", "",
        "Made by `python -m benchmarks.workbench --write`, on SQLite, with clients and server on one machine. "
        f"Everybody reads each document for {PAUSE:g} seconds before they judge it.", "",
        *judging(given.people, given.each), "",
        "The first byte of a page, the median; *results* without a release.", "",
        *pages(given.documents, given.runs), "",
    ])  # fmt: skip
    if given.write:
        (HERE / "WORKBENCH.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
