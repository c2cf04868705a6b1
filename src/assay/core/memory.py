"""A check of memory before a command: libraries abort, or wait for ever, where an allocation fails.

So the limits of the process and of its control group, and what is free, are compared with an estimate before the work
begins. The estimate is what was measured, by command and by what it reads: a little more than the largest.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from assay.core.errors import InputError

_MB = 1_000_000
#: Polars, NumPy and SciPy with two threads take so much: of memory, of data segments, and of addresses.
_RESIDENT, _DATA, _ADDRESSES = 150 * _MB, 340 * _MB, 1350 * _MB
#: Addresses that each further thread reserves.
_PER_THREAD = 60 * _MB


class Need(NamedTuple):
    """The memory of each kind that a command takes; or that it takes for each byte that it reads."""

    resident: float
    data: float
    addresses: float

    def __add__(self, other: Need) -> Need:  # type: ignore[override]
        """Both together."""
        return Need(*(first + second for first, second in zip(self, other, strict=True)))

    def times(self, number: float, most: Need | None = None) -> Need:
        """So many times that, and no more than the most."""
        each = [one * number for one in self]
        return Need(*(each if most is None else map(min, each, most)))


class Rate(NamedTuple):
    """What a command takes for its input: so much for each byte up to the most, and so much for each byte in any case.

    It is no more than `in_all`, where a file is read in pieces and nothing is kept of them. Pieces that are read at the
    same time are of one size, however large the file is.
    """

    first: Need
    most: Need
    each: Need = Need(0, 0, 0)
    in_all: Need | None = None

    def of(self, size: int) -> Need:
        """What is taken for so many bytes."""
        return (self.first.times(size, self.most) + self.each.times(size)).times(1, self.in_all)


_NOTHING = Need(0, 0, 0)
#: Runs, of which one piece after the other is counted.
_RUNS = Rate(Need(6, 8, 14), Need(120 * _MB, 150 * _MB, 260 * _MB))
#: Judgments, which are held as a whole.
_JUDGED = Rate(_NOTHING, _NOTHING, Need(15, 26, 34))
#: Tables of items, which are held as a whole, too; and labels of several judges.
_ITEMS = Rate(Need(5, 6, 20), Need(50 * _MB, 60 * _MB, 200 * _MB), Need(18, 13, 27))
_LABELS = Rate(_NOTHING, _NOTHING, Need(27, 38, 55))
#: Logs that are counted, and those that are looked through and imported.
_LOGS = Rate(Need(40, 50, 60), Need(240 * _MB, 400 * _MB, 520 * _MB), Need(3, 15, 15.5))
_LOOKED_THROUGH = _LOGS._replace(each=Need(1.5, 5.5, 5.5), in_all=Need(650 * _MB, 2000 * _MB, 2000 * _MB))
#: Numbers of units; and runs of which all documents are looked at, or written.
_SCORES = Rate(_NOTHING, _NOTHING, Need(14, 52, 60))
_EXAMINED, _CONVERTED = Rate(_NOTHING, _NOTHING, Need(8, 14, 17)), Rate(_NOTHING, _NOTHING, Need(10, 15, 29))
_SHOWN = Rate(_NOTHING, _NOTHING, Need(2, 3.5, 7))
_RATES = {
    "agreement": _LABELS, "classifier": _ITEMS, "clicks": _LOGS, "clustering": _ITEMS, "convert": _CONVERTED,
    "crowd": _LABELS, "doctor": _EXAMINED, "log": _LOOKED_THROUGH, "scores": _SCORES, "show": _SHOWN,
}  # fmt: skip
#: Commands whose first input is judgments.
_OF_JUDGMENTS = frozenset({
    "audit", "compare", "correlate", "doctor", "evaluate", "explain", "freeze", "gate", "plot", "pool bias",
    "pool simulate", "power", "report", "trec-eval", "tune",
})  # fmt: skip
#: Commands that compare runs draw queries anew, for each measure; in pieces, where there are many.
_DRAWING = frozenset({"compare", "gate", "report"})
_DRAWN, _OF_QUERY = Need(40 * _MB, 100 * _MB, 180 * _MB), Need(0.2 * _MB, 0.45 * _MB, 0.45 * _MB)
_MOST_DRAWN = Need(150 * _MB, 330 * _MB, 330 * _MB)
#: Two measures or more take so many times what one does.
_AT_ONCE = 4
#: So much of a file tells how many queries it is about.
_START = 1 << 16
#: Bytes of the judgments of a query, where they cannot be looked at.
_OF_A_QUERY = 500
#: How much larger than its file a table is as text.
_COMPRESSED = {".gz": 5, ".zst": 5, ".bz2": 5, ".xz": 5, ".parquet": 3}
#: Which files say what a control group may take, and what it takes: in the second version, and in the first.
_NAMES = ("memory.max", "memory.current"), ("memory.limit_in_bytes", "memory.usage_in_bytes")
#: What a control group says if it has no limit, in the first version.
_NO_LIMIT = 1 << 60


class Limit(NamedTuple):
    """A limit of one kind of memory, in bytes, and its source."""

    most: int
    said: str


class Input(NamedTuple):
    """What a command reads: bytes of judgments and of all else, queries; and how many measures are asked for."""

    size: int = 0
    judged: int = 0
    queries: int = 0
    measures: int = _AT_ONCE


def refuse_too_little(command: str, words: Sequence[str]) -> None:
    """Refuse a command, before any work is done, if it has less memory than it takes with these files."""
    given = _input(command, words)
    need, size = needed(command, given, _threads()), given.size + given.judged
    kinds = ((need.addresses, _of_process("RLIMIT_AS", "-v")), (need.data, _of_process("RLIMIT_DATA", "-d")),
             (need.resident, [*_of_group(), *_free()]))  # fmt: skip
    for bytes_needed, limits in kinds:
        for limit in limits:
            if limit.most < bytes_needed:
                data = f" with {_said(size)} of input" if size > _MB else ""
                raise InputError(
                    f"too little memory: assay {command}{data} takes about {_said(bytes_needed)}, and {limit.said}"
                )


def needed(command: str, given: Input, threads: int) -> Need:
    """The memory that a command takes for what it reads.

    >>> needed("classifier evaluate", Input(10_000_000), 2).resident / 1e6
    380.0
    """
    need = Need(_RESIDENT, _DATA, _ADDRESSES + max(0, threads - 2) * _PER_THREAD)
    need += _RATES.get(command.partition(" ")[0], _RUNS).of(given.size) + _JUDGED.of(given.judged)
    if command in _DRAWING:
        drawn = _OF_QUERY.times(given.queries, _MOST_DRAWN)
        need += _DRAWN + (drawn if given.measures == 1 else drawn.times(_AT_ONCE))
    return need


def _input(command: str, words: Sequence[str]) -> Input:
    """What the words of a command name: of files that are compared, the first holds judgments."""
    sizes = [(word, size) for word in words if (size := _size(word))]
    if command not in _OF_JUDGMENTS or not sizes:
        return Input(sum(size for _, size in sizes))
    (first, judged), *others = sizes
    asked = [name for option, word in pairwise(words) if option in {"-m", "--measure"} for name in word.split(",")]
    queries = _queries(first, judged) if command in _DRAWING else 0
    usual = 1 if command == "gate" else _AT_ONCE
    return Input(sum(size for _, size in others), judged, queries, len(asked) or usual)


def _queries(name: str, size: int) -> int:
    """About how many queries a file is about, by its first lines: each begins with its query."""
    if Path(name).suffix.lower() in _COMPRESSED:
        return size // _OF_A_QUERY
    with suppress(OSError), open(name, "rb") as file:  # noqa: PTH123
        lines = file.read(_START).splitlines()
        read = sum(map(len, lines)) + len(lines)
        queries = {re.split(rb"[\s,]", line, maxsplit=1)[0] for line in lines}
        return len(queries) * max(1, size // max(1, read))
    return 0


def _threads() -> int:
    """The number of threads that libraries start."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _size(word: str) -> int:
    """The size of the text that a word of the command names, if it names a file; `name=FILE` does, too."""
    for name in (word, word.partition("=")[2]):
        with suppress(OSError, ValueError):
            if name and os.path.isfile(name):  # noqa: PTH113
                return os.stat(name).st_size * _COMPRESSED.get(Path(name).suffix.lower(), 1)  # noqa: PTH116
    return 0


def _of_process(name: str, option: str) -> Iterator[Limit]:
    with suppress(ImportError, AttributeError, OSError, ValueError):
        import resource  # noqa: PLC0415  # not on Windows

        most = resource.getrlimit(getattr(resource, name))[0]
        if most != resource.RLIM_INFINITY:
            yield Limit(most, f"the process may take {_said(most)} (ulimit {option})")


def _of_group(root: Path = Path("/sys/fs/cgroup"), of_process: Path = Path("/proc/self/cgroup")) -> Iterator[Limit]:
    """Limits of the control groups of the process: the group itself, and those above it."""
    for line in _text(of_process).splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if controllers and "memory" not in controllers.split(","):
            continue
        top = root / "memory" if controllers else root
        most, used = _NAMES[bool(controllers)]
        group = top / path.lstrip("/")
        for place in (group, *group.parents) if group.is_dir() else (top,):  # a container sees its own as the top
            limit = _number(place / most)
            if limit is not None and limit < _NO_LIMIT:
                left = limit - max(0, (_number(place / used) or 0) - _reclaimable(place))
                yield Limit(left, f"its control group, which may take {_said(limit)}, leaves {_said(left)}")
            if place == top:
                break


def _reclaimable(group: Path) -> int:
    """Pages of files, which the system takes back when memory is short."""
    held = dict(line.split()[:2] for line in _text(group / "memory.stat").splitlines() if len(line.split()) > 1)
    return int(held.get("total_inactive_file", held.get("inactive_file", 0)))


def _free(path: Path = Path("/proc/meminfo")) -> Iterator[Limit]:
    rows = dict(line.split()[:2] for line in _text(path).splitlines() if len(line.split()) > 1)
    if "MemAvailable:" in rows:
        free = 1024 * (int(rows["MemAvailable:"]) + int(rows.get("SwapFree:", 0)))
        yield Limit(free, f"{_said(free)} is free")


def _number(path: Path) -> int | None:
    text = _text(path).strip()
    return int(text) if text.isdecimal() else None


def _text(path: Path) -> str:
    with suppress(OSError, UnicodeDecodeError):
        return path.read_text()
    return ""


def _said(number: float) -> str:
    return f"{number / 1e9:.1f} GB" if number >= 1e9 else f"{max(0, number) / 1e6:.0f} MB"
