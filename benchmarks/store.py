"""How fast judging is, and what is left when assessors are killed: `python -m benchmarks.store [--faults]`.

Documents are handed out and labels saved by one person after the other on SQLite, each a transaction of its own that is
on disk before it is acknowledged: with no label in the database, with 500,000 and with 1,000,000. Then all labels are
released. `--faults` kills assessors at random moments instead, on SQLite and on PostgreSQL.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path
from statistics import median

from sqlalchemy import insert, text

from assay import make_pool
from assay.store import schema as db
from assay.store.database import Database, open_database
from assay.store.handout import hand_out
from assay.store.projects import Project, add_assessors, create_project, open_project
from assay.store.releases import Policy, make_release
from assay.store.saving import save
from assay.store.scales import SCALES
from assay.store.settings import Settings
from assay.tables import Documents, Topics
from benchmarks.cases import DATA

HERE = Path(__file__).parent
TOPICS, DEPTH, OVERLAP = 100, 1000, 12
#: Who judges while it is timed; the others have judged before.
JUDGES = [f"person {number}" for number in (OVERLAP - 2, OVERLAP - 1)]
#: Labels that are in the database already.
SIZES = (0, 250_000, 500_000, 1_000_000)
PROMISED = 500.0
_BATCH = 20_000


def make(database: Database, topics: int = TOPICS, depth: int = DEPTH) -> Project:
    """A project of so many documents for each topic."""
    run = {f"t{t}": {f"d{t}-{d}": float(depth - d) for d in range(depth)} for t in range(topics)}
    project = create_project(
        database, "large", make_pool({"run": run}, depth=depth), Topics.of({name: f"about {name}" for name in run}),
        Documents.of({each: "Some text to judge. " * 20 for found in run.values() for each in found}),
        scale=SCALES["graded"], settings=Settings(overlap=OVERLAP, most=OVERLAP, order="random"),
    )  # fmt: skip
    add_assessors(project, [f"person {number}" for number in range(OVERLAP)])
    return project


def fill(project: Project, first: int, last: int) -> None:
    """Let labels be there from one number up to another, person after person: written in bulk, as if one by one."""
    with project.database.writing() as connection:
        items = connection.execute(text("SELECT id FROM item ORDER BY id")).scalars().all()
        people = {row.name: row.id for row in connection.execute(text("SELECT name, id FROM assessor"))}
        key = (connection.scalar(text("SELECT max(id) FROM assignment")) or 0) + 1
        for start in range(first, last, _BATCH):
            part = [divmod(number, len(items)) for number in range(start, min(start + _BATCH, last))]
            connection.execute(insert(db.assignment), [
                {"id": key + place, "item_id": items[item], "assessor_id": people[f"person {person}"],
                 "state": "done", "number": item + 1, "handed_at": 0, "lease_until": 0}
                for place, (person, item) in enumerate(part)
            ])  # fmt: skip
            connection.execute(insert(db.label), [
                {"assignment_id": key + place, "verdict": "graded", "value": (items[item] + person // 3) % 4,
                 "client_key": uuid.uuid4().hex, "created_at": 1}
                for place, (person, item) in enumerate(part)
            ])  # fmt: skip
            key += len(part)
        connection.execute(text(
            "UPDATE item SET taken = (SELECT count(*) FROM assignment WHERE assignment.item_id = item.id)"
        ))  # fmt: skip
        connection.execute(text("ANALYZE"))


def rate(project: Project, people: list[str], number: int) -> float:
    """Documents handed out and labels saved in a second."""
    started = time.perf_counter()
    for place in range(number):
        who = people[place % len(people)]
        task = hand_out(project, who)
        assert task is not None
        save(project, who, task.assignment, place % 4, client_key=uuid.uuid4().hex, shown=task.shown)
    return number / (time.perf_counter() - started)


def fsyncs(folder: Path, number: int = 200) -> float:
    """How often a second this disk can write a page and know that it is there: no store is faster than that."""
    import os  # noqa: PLC0415

    with (folder / "probe").open("wb", buffering=0) as file:
        started = time.perf_counter()
        for _ in range(number):
            file.write(b"x" * 4096)
            os.fdatasync(file.fileno())
        return number / (time.perf_counter() - started)


def lines(number: int, topics: int = TOPICS, depth: int = DEPTH, sizes: tuple[int, ...] = SIZES) -> list[str]:
    """The tables: pairs of hand-out and save in a second, by labels there are; and the release."""
    told = [
        f"{topics * depth:,} documents, overlap {OVERLAP}; {number:,} pairs of hand-out and save in each of 3 turns, "
        "the median, each in a transaction of its own. *Processor* is the time of a pair without waiting. *Disk*: how "
        "often a second a page of 4 kB reaches this disk, for which each label waits once.",
        "",
        "| labels before | pairs per second | processor | disk | promised |",
        "| ---: | ---: | ---: | ---: | ---: |",
    ]
    releases = []
    DATA.mkdir(exist_ok=True)  # on a disk: some systems keep temporary files in memory
    with tempfile.TemporaryDirectory(dir=DATA) as name:
        folder = Path(name)
        place = str(folder / "judging.db")
        with open_database(place, create=True) as database:
            project = make(database, topics, depth)
            filled = 0
            for size in sizes:
                fill(project, filled, size)
                filled = size
                used, found = time.process_time(), median(rate(project, JUDGES, number) for _ in range(3))
                used = (time.process_time() - used) / (3 * number)
                disk = fsyncs(folder)
                told.append(f"| {size:,} | {found:,.0f} | {1000 * used:.2f} ms | {disk:,.0f} | {PROMISED:,.0f} |")
                methods = ("majority", "median", "dawid-skene") if size == sizes[-1] else ("majority",)
                releases += [_released(place, method) for method in methods]
    return [
        *told,
        "",
        "Releases of all labels, each in a process of its own, read anew; *peak* is its peak memory, *before* that of "
        "opening the project.",
        "",
        "| policy | labels | seconds | processor | peak | before |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
        *releases,
    ]


def _released(place: str, method: str) -> str:
    """A row about a release by a policy."""
    command = [sys.executable, "-m", "benchmarks.store", "--release", method, place]
    done = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    memory = f"{done['peak']:,.0f} MB | {done['before']:,.0f} MB"
    return f"| {method} | {done['labels']:,} | {done['seconds']:.1f} | {done['processor']:.1f} s | {memory} |"


def release(method: str, place: str) -> None:
    """Release by a policy, and print how long it took."""
    with open_database(place) as database:
        project = open_project(database)
        before, started, used = _peak(), time.perf_counter(), time.process_time()
        made = make_release(project, Policy.of({"method": method}))
        print(json.dumps({
            "labels": made.facts["labels"], "seconds": time.perf_counter() - started,
            "processor": time.process_time() - used, "peak": _peak(), "before": before,
        }))  # fmt: skip


def _peak() -> float:
    """The peak memory of this process in MB; what `getrusage` reports would be no less than that of its parent."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def faults(kills: int) -> list[str]:
    """Kill assessors on both databases, and say what was lost."""
    sys.path.insert(0, str(HERE.parent / "tests"))
    from judging import make_project  # noqa: PLC0415  # tests and benchmarks share them
    from judging_faults import kill_assessors  # noqa: PLC0415
    from postgres import make_database, serving  # noqa: PLC0415

    told = [
        "8 people judge at once; one of them is killed (SIGKILL) at a random moment and begins anew.",
        "",
        "| database | kills | labels acknowledged | lost, twice, or beyond the overlap | seconds |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    people = [f"person {number}" for number in range(8)]
    with serving() as server, tempfile.TemporaryDirectory() as name:
        for kind in ("SQLite", "PostgreSQL"):
            folder = Path(name) / kind
            folder.mkdir()
            place = make_database(server, "faults") if kind == "PostgreSQL" else str(folder / "judging.db")
            with open_database(place, create=True) as database:
                make_project(database, people=people, topics=20, documents=kills, overlap=2, most=3)
            started = time.perf_counter()
            found = kill_assessors(place, folder, people=8, kills=kills)
            told.append(
                f"| {kind} | {found.kills:,} | {found.acknowledged:,} | {len(found.problems)} | "
                f"{time.perf_counter() - started:,.0f} |"
            )
            told += [f"\n{problem}" for problem in found.problems[:10]]
    return told


def main() -> None:
    """Print the tables and, if asked, write them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.store", description="Time and break judging.")
    parser.add_argument("--pairs", type=int, default=2000)
    parser.add_argument("--faults", action="store_true", help="kill assessors")
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--write", action="store_true", help="write STORE.md, or STORE-FAULTS.md")
    parser.add_argument("--release", nargs=2, metavar=("POLICY", "FILE"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.release:
        release(*options.release)
        return
    name, option = ("STORE-FAULTS.md", " --faults") if options.faults else ("STORE.md", "")
    told = "\n".join(faults(options.kills) if options.faults else lines(options.pairs))
    print(told)
    if options.write:
        title = "Faults of judging" if options.faults else "Judging"
        (HERE / name).write_text(
            f"# {title}\n\n`python -m benchmarks.store{option} --write`\n\n{told}\n", encoding="utf-8"
        )


if __name__ == "__main__":
    main()
