"""A check of memory before a command: libraries abort, or wait for ever, where an allocation fails.

So the limits of the process and of its control group, and what is free, are compared with an estimate before the work
begins. The estimate is what was measured for small data, and what larger ones take at least.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from assay.core.errors import InputError

_MB = 1_000_000
#: Polars, NumPy and SciPy with two threads take so much: of memory, of data segments, and of addresses.
_RESIDENT, _DATA, _ADDRESSES = 150 * _MB, 340 * _MB, 1350 * _MB
#: Addresses that each further thread reserves.
_PER_THREAD = 60 * _MB
#: Memory for each byte of what is read, by group of commands, and where it ends, since the rest is read in pieces.
_HELD: dict[str, tuple[float, int | None]] = {"": (1.5, 300 * _MB), "clicks": (8.0, 500 * _MB), "log": (8.0, 500 * _MB)}
_HELD |= dict.fromkeys(("classifier", "clustering", "scores", "agreement", "crowd"), (8.0, None))
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


class Need(NamedTuple):
    """The memory of each kind that a command takes."""

    resident: int
    data: int
    addresses: int


def refuse_too_little(command: str, words: Iterable[str]) -> None:
    """Refuse a command, before any work is done, if it has less memory than it takes with these files."""
    size = sum(_size(word) for word in words)
    need = needed(command, size, _threads())
    kinds = ((need.addresses, _of_process("RLIMIT_AS", "-v")), (need.data, _of_process("RLIMIT_DATA", "-d")),
             (need.resident, [*_of_group(), *_free()]))  # fmt: skip
    for bytes_needed, limits in kinds:
        for limit in limits:
            if limit.most < bytes_needed:
                data = f" with {_said(size)} of input" if size > _MB else ""
                raise InputError(
                    f"too little memory: assay {command}{data} takes about {_said(bytes_needed)}, and {limit.said}"
                )


def needed(command: str, size: int, threads: int) -> Need:
    """The memory that a command takes with so many bytes of text to read.

    >>> needed("classifier evaluate", 10_000_000, 2).resident
    230000000
    """
    rate, most = _HELD.get(command.partition(" ")[0], _HELD[""])
    held = int(size * rate) if most is None else min(int(size * rate), most)
    return Need(_RESIDENT + held, _DATA + held, _ADDRESSES + held + max(0, threads - 2) * _PER_THREAD)


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


def _said(number: int) -> str:
    return f"{number / 1e9:.1f} GB" if number >= 1e9 else f"{max(0, number) / 1e6:.0f} MB"
