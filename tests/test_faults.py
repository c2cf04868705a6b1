"""Faults on the way out: the commands that write, and what can go wrong while they do."""

from __future__ import annotations

import io
import json
import operator
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from command import run_assay

import assay
from assay.cli.files import lay_out
from assay.cli.streams import Closed
from assay.core import memory
from assay.files import atomic

#: Commands that write, and what: files that are new or replaced, folders, and files that are added to.
WRITING = {
    "evaluate": ("evaluate qrels.txt words.run -m AP --json -o o.json", ["o.json"]),
    "compare": (
        "compare qrels.txt words.run stems.run -m AP --permutations 100 --resamples 100 -o o.html --plot p.svg",
        ["o.html", "p.svg"],
    ),
    "gate": (
        "gate qrels.txt words.run stems.run -m AP --csv -o o.csv --junit j.xml --summary s.md",
        ["o.csv", "j.xml", "s.md"],
    ),
    "report": ("report qrels.txt words.run stems.run -m AP -o o.md -o o.json", ["o.md", "o.json"]),
    "freeze": ("freeze qrels.txt words.run -o o.json", ["o.json"]),
    "convert": ("convert words.run o.jsonl", ["o.jsonl"]),
    "convert to Parquet": ("convert words.run o.parquet", ["o.parquet"]),
    "plot": ("plot qrels.txt words.run -o o.svg", ["o.svg"]),
    "classifier": ("classifier evaluate letters/spam.csv --positive spam -m F1 --resamples 20 -o o.json", ["o.json"]),
    "crowd": ("crowd aggregate crowd/labels.csv -o o.csv --qrels j.qrels", ["o.csv", "j.qrels"]),
    "clicks": ("clicks fit clicks/log.ndjson.gz --model GCTR --save m.json -o o.json", ["m.json", "o.json"]),
    "judges": ("agreement convert bicycles/judgments.txt -o o.csv", ["o.csv"]),
    "topics": ("topics write o.ini", ["o.ini"]),
    "log": ("log import clicks/log.ndjson.gz -o made", ["made"]),
    "collection": ("collection new made qrels.txt words.run", ["made"]),
    "examples": ("examples made", ["made"]),
}
SEVERAL = [name for name, (_, outputs) in WRITING.items() if len(outputs) > 1]
BEFORE = b"before\n"
#: What looks like a half of this command's, and is none.
OF_OTHERS = [".o.json.abcdefgh", f".other.json.abcdefgh{atomic._ENDING}"]
TEMPORARY = re.compile(r"unfinished|/\.|assay-log-|/tmp/tmp")


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("faults") / "examples"
    lay_out(folder)
    return folder


@pytest.fixture(scope="module")
def whole(examples: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder in which a command wrote all it writes, where a process that was killed had left its halves."""

    @cache
    def written(name: str) -> Path:
        folder = linked(examples, tmp_path_factory.mktemp("whole"))
        for output in outputs_of(name):
            left = folder / f".{output}.abcdefgh{atomic._ENDING}"
            if output == "made":
                (left / "made").mkdir(parents=True)
            else:
                left.write_bytes(b"half")
        for other in OF_OTHERS:
            (folder / other).write_bytes(b"")
        assert runs(name, folder).returncode in {0, 1, 3}
        return folder

    return written


@pytest.fixture
def folder(examples: Path, tmp_path: Path) -> Path:
    """A folder with the examples."""
    return linked(examples, tmp_path)


def linked(examples: Path, folder: Path) -> Path:
    for each in examples.iterdir():
        (folder / each.name).symlink_to(each)
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    """What was written to a folder."""
    paths = (Path(place) / name for place, _, names in os.walk(folder) for name in names)
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths if not path.is_symlink()}


def outputs_of(name: str) -> list[str]:
    """What a command makes anew; summaries are added to."""
    return [output for output in WRITING[name][1] if output != "s.md"]


def with_old_versions(folder: Path, name: str) -> None:
    for output in WRITING[name][1]:
        if output != "made" and name != "topics":
            (folder / output).write_bytes(BEFORE)


def runs(name: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return run_assay(*WRITING[name][0].split(), folder=folder)


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """No file grows beyond so many bytes, as on a disk that is full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("name", WRITING)
def test_on_a_full_disk_all_is_as_it_was(name: str, folder: Path, whole: Callable[[str], Path]) -> None:
    """The disk is full just before the end of the longest output: the others have been made by then."""
    with_old_versions(folder, name)
    before, longest = contents(folder), max(map(len, contents(whole(name)).values()))
    with largest_file(longest - 1):
        done = runs(name, folder)
    after = contents(folder)
    if name == "gate":  # which tells a pipeline what went wrong
        assert "cannot be written" in after.pop("j.xml").decode()
        assert re.match(r"before\n## \S+ Quality gate: invalid input\n", after.pop("s.md").decode())
    assert (done.returncode, after) == (2, {path: before[path] for path in after})
    assert len(before) - len(after) == (2 if name == "gate" else 0)
    assert done.stderr.splitlines()[-1].startswith("assay: ")
    assert "cannot be written: file too large" in done.stderr
    assert not re.search("bug|Traceback", done.stderr)
    assert not TEMPORARY.search(done.stderr.replace(str(folder), "")), done.stderr


def test_a_summary_is_added_whole_or_not_at_all(folder: Path) -> None:
    summary, call = (
        folder / "s.md",
        ["gate", "qrels.txt", "words.run", "stems.run", "-m", "AP", "--summary", "s.md", "-o", "o.txt"],
    )
    summary.write_bytes(BEFORE * 200)
    with largest_file(len(BEFORE) * 200 + 10):
        done = run_assay(*call, folder=folder)
    assert (done.returncode, summary.read_bytes(), (folder / "o.txt").exists()) == (2, BEFORE * 200, False)
    done = run_assay(*call, folder=folder)
    assert done.returncode in {0, 1, 3}
    assert summary.read_bytes().startswith(BEFORE * 200 + b"#")


@pytest.mark.parametrize("name", SEVERAL)
def test_if_the_last_cannot_be_put_in_place_a_summary_is_not_there(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_old_versions(folder, name)
    before = contents(folder)

    def refuse(*_: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Path, "replace", refuse)
    done = runs(name, folder)
    after = contents(folder)
    if name == "gate":  # which tells a pipeline what went wrong
        assert re.findall("Quality gate.*", after["s.md"].decode()) == ["Quality gate: invalid input"]
        after["s.md"] = BEFORE
    assert (done.returncode, after) == (2, before)
    assert "cannot be written: read-only file system" in done.stderr


@pytest.mark.parametrize("call", [
    "gate qrels.txt words.run stems.run -o z.json --junit z.json",
    "gate qrels.txt words.run stems.run --junit z.json --summary ./z.json",
    "compare qrels.txt words.run stems.run -o z.html --plot z.html",
    "crowd aggregate crowd/labels.csv -o z.csv --qrels z.csv",
    "crowd hits topics.tsv qrels.txt -o z.csv --key z.csv",
    "clicks fit clicks/log.ndjson.gz --save z.json -o z.json",
    "report qrels.txt words.run -o z.html -o z.html",
])  # fmt: skip
def test_two_outputs_of_one_name_are_refused(call: str, folder: Path) -> None:
    done = run_assay(*call.split(), folder=folder)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert re.match(r"assay: \S*z\.\w+: (-.* are two files, not one|named twice)", done.stderr), done.stderr
    assert not [path for path in contents(folder) if Path(path).stem == "z"]


def test_a_device_may_be_named_twice(folder: Path) -> None:
    call = "gate qrels.txt words.run stems.run -m AP --junit /dev/null --summary /dev/null"
    assert run_assay(*call.split(), folder=folder).returncode in {0, 1, 3}


def wrapped() -> None:
    """Ctrl-C in a library that makes an error of its own of it."""
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        raise pl.exceptions.ComputeError("KeyboardInterrupt: ") from None


def swallowed() -> None:
    """Ctrl-C, or SIGTERM, where Python cannot raise."""
    with suppress(SystemExit):
        signal.raise_signal(signal.SIGTERM)


def refused() -> None:
    """Ctrl-C that a reader takes for a damaged file."""
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        raise assay.InputError("x: expected an intact file") from None


INTERRUPTS: dict[str, tuple[Callable[[], None], int]] = {
    "plain": (lambda: signal.raise_signal(signal.SIGINT), 130),
    "wrapped": (wrapped, 130),
    "swallowed": (swallowed, 143),
    "refused": (refused, 130),
}


CASES = [(name, [*INTERRUPTS][place % 4]) for place, name in enumerate(WRITING)]
CASES += [(name, way) for name in ("gate", "convert", "log") for way in INTERRUPTS if (name, way) not in CASES]


@pytest.mark.parametrize(("name", "way"), CASES)
def test_an_interrupt_is_one_wherever_it_falls(
    name: str, way: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupt, code = INTERRUPTS[way]
    with_old_versions(folder, name)
    before = contents(folder)
    finish = atomic._Temporary.finish

    def interrupted(temporary: Any) -> None:
        interrupt()
        finish(temporary)

    monkeypatch.setattr(atomic._Temporary, "finish", interrupted)
    if name == "examples":  # which are copied
        monkeypatch.setattr(shutil, "copyfile", lambda *_: interrupt())
    done = runs(name, folder)
    assert (done.returncode, contents(folder)) == (code, before), done.stderr
    assert not re.search("bug|Traceback|expected|ignored", done.stderr)


def in_a_process(script: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", script, *arguments], check=False, capture_output=True, text=True, cwd=folder
    )


def test_sigterm_while_the_process_leaves_is_not_success(folder: Path) -> None:
    script = (
        "import assay.__main__ as command, assay.cli.calling as calling, atexit, signal\n"
        "call = calling.call\n"
        "def late(words):\n"
        "    atexit.register(signal.raise_signal, signal.SIGTERM)\n"
        "    return call(words)\n"
        "calling.call = late\n"
        "command.main()\n"
    )
    done = in_a_process(script, folder, "--version")
    assert (done.returncode, done.stdout, done.stderr) == (143, f"assay {assay.__version__}\n", "")


#: Processes that kill themselves while a folder is replaced: before, after, or (where none can swap) between renames.
KILLED = """
import os, signal
from pathlib import Path
from assay.files import atomic
real, swap = Path.rename, atomic._exchanged
for step in ("before", "after", "between"):
    Path(step, "kept").mkdir(parents=True)
    Path(step, "kept", "version").write_text("old")
    if not os.fork():
        break
    assert os.wait()[1] == signal.SIGKILL
else:
    raise SystemExit
def die():
    os.kill(os.getpid(), signal.SIGKILL)
def swapped(one, other):
    if step == "before":
        die()
    done = step != "between" and swap(one, other)
    if step == "after":
        die()
    return done
def renamed(path, target):
    made = real(path, target)
    if step == "between":
        die()
    return made
atomic._exchanged, Path.rename = swapped, renamed
with atomic.replacing_folder(f"{step}/kept", overwrite=True) as place:
    (place / "version").write_text("new")
"""


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("killed")
    assert in_a_process(KILLED, folder).returncode == 0
    return folder


@pytest.mark.parametrize(("step", "version"), [("before", "old"), ("after", "new")])
def test_a_log_that_is_replaced_is_never_missing(step: str, version: str, killed: Path) -> None:
    folder = killed / step
    assert (folder / "kept" / "version").read_text() == version
    assert len(list(folder.iterdir())) == 2  # what is left of the process
    with atomic.replacing_folder(folder / "kept", overwrite=True) as place:
        (place / "version").write_text("newer")
    assert contents(folder) == {"kept/version": b"newer"}


def test_where_folders_cannot_swap_the_next_write_brings_the_old_one_back(killed: Path) -> None:
    folder = killed / "between"
    assert not (folder / "kept").exists()
    with pytest.raises(ZeroDivisionError), atomic.replacing_folder(folder / "kept", overwrite=True):
        raise ZeroDivisionError  # even if it fails itself
    assert contents(folder) == {"kept/version": b"old"}


@pytest.mark.parametrize("name", WRITING)
def test_what_a_killed_process_left_is_removed_by_the_next_write(name: str, whole: Callable[[str], Path]) -> None:
    folder = whole(name)
    left_over = sorted(path.name for path in folder.iterdir() if path.name.startswith("."))
    assert left_over == sorted(OF_OTHERS)  # what belongs to others stays
    assert all((folder / output).exists() for output in outputs_of(name))


def test_what_a_process_is_writing_is_left_alone(folder: Path) -> None:
    with atomic.replacing(folder / "o.jsonl") as file:
        file.write(b"mine\n")
        assert runs("convert", folder).returncode == 0
    assert (folder / "o.jsonl").read_bytes() == b"mine\n"  # who ends last has the last word


@pytest.mark.parametrize(("call", "said"), [
    ("log import clicks/log.ndjson.gz -o made", "assay: {} (TMPDIR, for temporary files): cannot be written: "),
    ("show -", "assay: <stdin>: cannot be kept in {} (TMPDIR, for temporary files): "),
])  # fmt: skip
def test_no_room_for_temporary_files_names_their_place_alone(
    call: str, said: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.files.logs._PART_BYTES", 10_000)
    monkeypatch.setattr("assay.files.log_assembly._ROWS_AT_ONCE", 1000)
    monkeypatch.setattr("assay.files.sources._SPOOL_BYTES", 1000)
    with largest_file(2000):
        done = run_assay(*call.split(), folder=folder, stdin=b"q1 Q0 d1 1 2.5 mine\n" * 1000)
    assert (done.returncode, contents(folder)) == (2, {})
    assert done.stderr == f"{said.format(tempfile.gettempdir())}file too large\n"


def test_names_as_long_as_the_file_system_takes_can_be_written(folder: Path) -> None:
    name = f"{'é' * 124}.jsonl"
    assert run_assay("convert", "words.run", name, folder=folder).returncode == 0
    assert (folder / name).exists()


# Streams --------------------------------------------------------------------------------------------------------------

SPOKEN = [
    "evaluate qrels.txt words.run -q", "evaluate qrels.txt words.run -q --json",
    "evaluate qrels.txt words.run -q --csv",
    "compare qrels.txt words.run stems.run", "compare qrels.txt words.run stems.run --markdown",
    "explain AP qrels.txt words.run --query café", "doctor qrels.txt words.run", "show topics.tsv", "measures nDCG",
    "gate qrels.txt words.run stems.run", "trec-eval -q qrels.txt words.run", "audit qrels.txt words.run -q café",
]  # fmt: skip


@pytest.fixture(scope="module")
def accented(examples: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The examples with ids that few encodings have."""
    folder = tmp_path_factory.mktemp("accented")
    for name in ("qrels.txt", "words.run", "stems.run", "topics.tsv"):
        text = (examples / name).read_text(encoding="utf-8")
        (folder / name).write_text(re.sub(r"(?m)^t1\b", "café", text), encoding="utf-8")
    return folder


def spoken(call: str, folder: Path, encoding: str) -> tuple[int, str]:
    """What a command prints in an encoding."""
    done = run_assay(*call.split(), folder=folder, encoding=encoding)
    return done.returncode, done.stdout


@pytest.mark.parametrize(
    ("call", "encoding"),
    [*((call, "ascii") for call in SPOKEN), *((SPOKEN[place], "latin-1") for place in (1, 3)), (SPOKEN[6], "cp1252")],
)
def test_a_result_is_whole_in_any_encoding(call: str, encoding: str, accented: Path) -> None:
    code, expected = spoken(call, accented, "utf-8")
    assert code in {0, 1, 3}
    again, text = spoken(call, accented, encoding)
    unescaped = re.sub(r"\\u([0-9a-f]{4})", lambda unit: chr(int(unit[1], 16)), text)
    assert (again, unescaped) == (code, expected)
    if "--json" in call:
        assert json.loads(text) == json.loads(expected)


def test_html_escapes_in_its_own_way(accented: Path) -> None:
    call = "evaluate qrels.txt words.run -q --html"
    code, text = spoken(call, accented, "ascii")
    assert (code, "caf&#233;" in text, "\\u" in text) == (0, True, False)


@pytest.mark.parametrize("call", [
    "evaluate qrels.txt words.run", "compare qrels.txt words.run stems.run -m AP", "convert words.run - --to csv",
    "trec-eval qrels.txt words.run", "freeze qrels.txt words.run -o -", "measures", "--help", "--version",
    "report qrels.txt words.run -o o.html",
])  # fmt: skip
def test_a_result_that_nobody_can_get_is_no_success(call: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a stdout that was closed from the start."""
    told = io.StringIO()
    monkeypatch.setattr(sys, "stderr", told)
    code = closed(call, folder, monkeypatch)
    assert code == 2
    assert told.getvalue().splitlines()[-1].endswith("standard output is closed")


def test_a_result_in_a_file_needs_no_stdout(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert closed("evaluate qrels.txt words.run --json -o o.json", folder, monkeypatch) == 0
    assert json.loads((folder / "o.json").read_bytes())


def closed(call: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    from assay.cli import main  # noqa: PLC0415

    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["assay", *call.split()])
    monkeypatch.setattr(sys, "stdout", Closed())
    on_pipes = signal.getsignal(signal.SIGPIPE)
    try:
        main()
    except SystemExit as end:
        return int(end.code or 0)
    finally:
        signal.signal(signal.SIGPIPE, on_pipes)
    return 0


@pytest.mark.parametrize(("redirected", "codes", "told"), [
    (">&-", [2], "standard output is closed"), (">/dev/full", [2], "no space left on device"),
    ("| true", [0, 141], None),
])  # fmt: skip
def test_a_reader_that_went_away_is_no_error_and_a_full_disk_is(
    redirected: str, codes: list[int], told: str | None, folder: Path
) -> None:
    call = f"set -o pipefail; '{sys.executable}' -m assay --help {redirected}"
    done = subprocess.run(["bash", "-c", call], check=False, capture_output=True, text=True, cwd=folder)
    assert done.returncode in codes
    assert done.stderr == (f"assay: reading or writing failed: {told}\n" if told else "")


# Memory ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", ["-v 150000", "-v 600000", "-v 1200000", "-d 200000"])
def test_too_little_memory_is_one_line_before_the_work_begins(limit: str, folder: Path) -> None:
    call = f"ulimit {limit}; '{sys.executable}' -m assay compare qrels.txt words.run stems.run -o o.txt"
    done = subprocess.run(["bash", "-c", call], check=False, capture_output=True, text=True, cwd=folder)
    assert (done.returncode, done.stdout, (folder / "o.txt").exists()) == (2, "", False)
    assert re.fullmatch(
        r"assay: too little memory: assay compare takes about \d.*B, and the process may take \d.*B \(ulimit -[vd]\)\n",
        done.stderr,
    )


@pytest.mark.parametrize(("own", "above", "left"), [("max", "max", None), (300, "max", 250), (500, 200, 150)])
@pytest.mark.parametrize("version", [1, 2])
def test_control_groups_are_asked_for_what_they_leave(
    own: int | str, above: int | str, left: int | None, version: int, tmp_path: Path
) -> None:
    """70 MB are used, of which 20 MB are pages of files."""
    most, used, inactive = {
        1: ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
        2: ("memory.max", "memory.current", "inactive_file"),
    }[version]
    top = tmp_path / "memory" if version == 1 else tmp_path
    for group, limit in ((top / "jobs" / "mine", own), (top / "jobs", above)):
        group.mkdir(parents=True, exist_ok=True)
        number = (1 << 63) - 4096 if version == 1 else "max"
        (group / most).write_text(f"{limit * 10**6 if isinstance(limit, int) else number}\n")
        (group / used).write_text("70000000\n")
        (group / "memory.stat").write_text(f"cache 5\n{inactive} 20000000\n")
    listed = tmp_path / "cgroup"
    listed.write_text("5:cpu:/jobs/mine\n4:memory:/jobs/mine\n" if version == 1 else "0::/jobs/mine\n")
    limits = [limit.most for limit in memory._of_group(tmp_path, listed)]
    assert min(limits, default=None) == (None if left is None else left * 10**6)


def test_data_that_are_read_in_pieces_take_memory_up_to_a_limit() -> None:
    sizes = [memory.Input(size) for size in (0, 10**7, 10**11)]
    small, large, huge = (memory.needed("evaluate", size, 2).resident for size in sizes)
    assert small < large < huge < 10**9
    assert memory.needed("classifier evaluate", memory.Input(10**9), 2).resident > 8 * 10**9
    assert memory.needed("evaluate", memory.Input(0, judged=10**9), 2).resident > 10**10
    assert memory.needed("log import", memory.Input(10**12), 2).resident < 10**9


def test_the_first_lines_of_judgments_say_how_many_queries_are_drawn(folder: Path) -> None:
    lines = [f"q{number // 10} 0 d{number} 1\n" for number in range(50_000)]
    (folder / "many.txt").write_text("".join(lines))
    os.chdir(folder)
    given = memory._input("compare", ["compare", "many.txt", "words.run", "-m", "AP,RR", "--measure", "P@5"])
    assert (given.judged, given.size, given.measures) == (sum(map(len, lines)), Path("words.run").stat().st_size, 3)
    assert given.queries == pytest.approx(5000, rel=0.15)
    more, fewer = (memory.needed("compare", given._replace(queries=number), 2) for number in (500, 5))
    assert all(map(operator.gt, more, fewer))
    assert memory._input("classifier evaluate", ["many.txt"]).judged == 0


def test_files_count_by_what_they_hold(folder: Path) -> None:
    (folder / "big.run.gz").write_bytes(b"x" * 1000)
    os.chdir(folder)
    assert memory._size("big.run.gz") == memory._size("name=big.run.gz") == 5000
    assert memory._size("-m") == memory._size("absent.run") == 0
