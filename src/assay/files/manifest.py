"""`collection.toml`: the manifest that makes a folder a collection, read and written; no table is opened here."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

from assay.core.errors import FormatError, InputError, ParameterError, did_you_mean, listed, reason
from assay.files import atomic

MANIFEST = "collection.toml"
#: What a file of a collection holds.
Part: TypeAlias = Literal["documents", "topics", "judgments", "runs"]
_WORDS = ("name", "description", "language", "licence")
_KEYS = {
    "": (*_WORDS, "documents", "topics", "judgments", "runs"),
    "judgments": ("name", "path"),
    "runs": ("name", "path", "group", "manual"),
}
_HEADER = re.compile(r"\s*\[\[\s*(\w+)\s*\]\]")
_KEY = re.compile(r"""\s*["']?([\w-]+)["']?\s*=""")


class RunEntry(NamedTuple):
    """A run of a collection: its file, the group that made it, and whether people had a hand in it."""

    path: Path
    group: str = ""
    manual: bool = False


@dataclass(frozen=True)
class CollectionFolder:
    """A collection as its manifest describes it: which file holds what. Files are read by whoever needs them.

    Verbs take it, or its folder, in place of judgments and runs.

    >>> from importlib.resources import files
    >>> bicycles = files("assay") / "data" / "bicycles"
    >>> CollectionFolder(bicycles, "bicycles", judgments={"official": bicycles / "qrels.txt"}).qrels().name
    'qrels.txt'
    """

    subject: ClassVar[str] = "ranking"

    root: Path
    name: str
    description: str = ""
    language: str = ""
    licence: str = ""
    documents: tuple[Path, ...] = ()
    topics: Path | None = None
    judgments: Mapping[str, Path] = ()  # type: ignore[assignment]  # made a dict below
    runs: Mapping[str, RunEntry] = ()  # type: ignore[assignment]  # made a dict below

    def __post_init__(self) -> None:
        object.__setattr__(self, "judgments", dict(self.judgments))
        object.__setattr__(self, "runs", dict(self.runs))

    def qrels(self, name: str | None = None) -> Path:
        """The file of a set of judgments; of the first one unless named."""
        if not self.judgments:
            raise InputError(f"{self.root}: expected a collection with judgments, there are none yet")
        if name is not None and name not in self.judgments:
            known = listed(list(self.judgments))
            raise ParameterError(
                f"{self.root}: no judgments are called {name!r}: there are {known}{did_you_mean(name, self.judgments)}"
            )
        return self.judgments[name or next(iter(self.judgments))]

    def run_files(self) -> dict[str, Path]:
        """The files of the runs, by the names of these."""
        if not self.runs:
            raise InputError(f"{self.root}: expected a collection with runs, there are none yet")
        return {name: entry.path for name, entry in self.runs.items()}

    def files(self) -> dict[Path, str]:
        """Every file that the manifest names, with what it should hold."""
        parts = dict.fromkeys(self.documents, "documents")
        parts |= {} if self.topics is None else {self.topics: "topics"}
        parts |= dict.fromkeys(self.judgments.values(), "judgments")
        return parts | {entry.path: "a run" for entry in self.runs.values()}

    def with_file(
        self, part: Part, path: Path, name: str, *, group: str = "", manual: bool = False
    ) -> CollectionFolder:
        """The same with one more file; what is there already is refused, but for topics that hold judgments, too."""
        if path in self.files() and not (part == "judgments" and path == self.topics):
            raise InputError(f"{path}: is part of the collection already")
        if part == "documents":
            return replace(self, documents=(*self.documents, path))
        if part == "topics":
            if self.topics is not None:
                raise InputError(f"{path}: the collection has topics already, in {self.topics}")
            return replace(self, topics=path)
        known: Mapping[str, Any] = getattr(self, part)
        if name in known:
            word = "judgments" if part == "judgments" else "a run"
            raise InputError(f"{path}: the collection has {word} called {name!r} already: give another name")
        entry = path if part == "judgments" else RunEntry(path, group, manual)
        changes: dict[str, Any] = {part: {**known, name: entry}}
        return replace(self, **changes)

    def save(self) -> Path:
        """Write the manifest: whole, or not at all."""
        target = self.root / MANIFEST
        atomic.write_text(target, self.as_toml(), overwrite=True)
        return target

    def as_toml(self) -> str:
        """The text of the manifest; paths are relative to the folder."""
        values = {key: getattr(self, key) for key in _WORDS}
        lines = [f"{key} = {_quoted(value)}" for key, value in values.items() if value]
        if self.documents:
            lines.append(f"documents = [{', '.join(_quoted(self._relative(path)) for path in self.documents)}]")
        if self.topics is not None:
            lines.append(f"topics = {_quoted(self._relative(self.topics))}")
        for name, path in self.judgments.items():
            lines += ["", "[[judgments]]", f"name = {_quoted(name)}", f"path = {_quoted(self._relative(path))}"]
        for name, entry in self.runs.items():
            lines += ["", "[[runs]]", f"name = {_quoted(name)}", f"path = {_quoted(self._relative(entry.path))}"]
            lines += [f"group = {_quoted(entry.group)}"] if entry.group else []
            lines += ["manual = true"] if entry.manual else []
        return "\n".join([*lines, ""])

    def _relative(self, path: Path) -> str:
        return Path(os.path.relpath(path, self.root)).as_posix()


def is_collection(value: object) -> bool:
    """True for a collection: one that is open, or a folder with a manifest.

    >>> is_collection("no-such-folder"), is_collection({"q1": {"d1": 1}})
    (False, False)
    """
    if isinstance(value, CollectionFolder):
        return True
    # What is too long for a path is no folder.
    return isinstance(value, str | os.PathLike) and os.path.isfile(os.path.join(value, MANIFEST))  # noqa: PTH113, PTH118


def open_collection(folder: str | os.PathLike[str] | CollectionFolder) -> CollectionFolder:
    """Read the manifest of a collection; the files that it names are not opened yet.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "collection.toml").write_text('name = "tea"\\ntopics = "topics.tsv"')
    ...     open_collection(folder).topics.name
    'topics.tsv'
    """
    if isinstance(folder, CollectionFolder):
        return folder
    root = Path(folder)
    path = root / MANIFEST
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as problem:
        raise InputError(f"{root}: expected a collection, a folder with a {MANIFEST}: {reason(problem)}") from problem
    except UnicodeDecodeError as problem:
        raise FormatError(str(path), None, expected="text in UTF-8") from problem
    return _Manifest(root, str(path), text).collection()


def judgments_and_runs(given: Any, runs: Any = None) -> tuple[Any, Any]:
    """The inputs of a verb; of a collection, its judgments, and its runs unless others were given.

    >>> judgments_and_runs({"q1": {"d1": 1}}, "bm25.run")
    ({'q1': {'d1': 1}}, 'bm25.run')
    """
    if not is_collection(given):
        return given, runs
    collection = open_collection(given)
    return collection.qrels(), collection.run_files() if runs is None else runs


class _Manifest:
    """The text of a manifest, whose values are checked one by one, with their lines."""

    def __init__(self, root: Path, path: str, text: str) -> None:
        self.root, self.path = root, path
        self.text = text.splitlines()
        import tomllib  # noqa: PLC0415  # few have a manifest

        try:
            self.data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as problem:
            place = re.search(r"\(at line (\d+)", str(problem))
            line = int(place[1]) if place else len(self.text) or 1
            got = self.text[line - 1] if line <= len(self.text) else ""
            note = str(problem).partition(" (at ")[0].lower()
            raise FormatError(path, line, expected="TOML", got=got, note=note) from problem
        self.lines = self._lines()

    def _lines(self) -> dict[tuple[str, int, str], int]:
        """On which line the key of a table stands; an array's tables are numbered from 0."""
        lines: dict[tuple[str, int, str], int] = {}
        table = ""
        counts = dict[str, int]()
        for number, line in enumerate(self.text, 1):
            if header := _HEADER.match(line):
                table = header[1]
                counts[table] = counts.get(table, -1) + 1
                lines[table, counts[table], ""] = number
            elif key := _KEY.match(line):
                lines[table, counts.get(table, 0), key[1]] = number
        return lines

    def collection(self) -> CollectionFolder:
        self._refuse_unknown(self.data, "", 0)
        words = {key: self._text(self.data, "", 0, key) for key in _WORDS if key in self.data}
        documents = self.data.get("documents", [])
        documents = [documents] if isinstance(documents, str) else documents
        if not isinstance(documents, list) or not all(isinstance(path, str) and path for path in documents):
            raise self._error("", 0, "documents", "a path, or a list of paths", str(documents))
        topics = self._text(self.data, "", 0, "topics") if "topics" in self.data else None
        runs = self._entries("runs")
        return CollectionFolder(
            self.root,
            words.pop("name", self.root.resolve().name),
            documents=tuple(self.root / path for path in documents),
            topics=None if topics is None else self.root / topics,
            judgments={name: self.root / entry["path"] for name, entry in self._entries("judgments").items()},
            runs={
                name: RunEntry(self.root / entry["path"], entry.get("group", ""), entry.get("manual", False))
                for name, entry in runs.items()
            },
            **words,
        )

    def _entries(self, table: str) -> dict[str, dict[str, Any]]:
        """The tables of an array by their names, which no two share."""
        entries = self.data.get(table, [])
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            raise self._error("", 0, table, f"tables, each under [[{table}]]", str(entries))
        named: dict[str, dict[str, Any]] = {}
        for place, entry in enumerate(entries):
            self._refuse_unknown(entry, table, place)
            for key in ("name", "path", *(["group"] if "group" in entry else [])):
                self._text(entry, table, place, key)
            if not isinstance(entry.get("manual", False), bool):
                raise self._error(table, place, "manual", "true or false", str(entry["manual"]))
            if entry["name"] in named:
                raise self._error(table, place, "name", f"each name once in [[{table}]]", entry["name"])
            named[entry["name"]] = entry
        return named

    def _refuse_unknown(self, values: Mapping[str, Any], table: str, place: int) -> None:
        for key in values:
            if key not in _KEYS[table]:
                expected = f"one of {', '.join(_KEYS[table])}"
                raise self._error(table, place, key, expected, key)

    def _text(self, values: Mapping[str, Any], table: str, place: int, key: str) -> str:
        value = values.get(key)
        if not isinstance(value, str) or not value:
            raise self._error(table, place, key, f"{key} = a text in quotes", "" if value is None else str(value))
        return value

    def _error(self, table: str, place: int, key: str, expected: str, got: str) -> FormatError:
        line = self.lines.get((table, place, key)) or self.lines.get((table, place, ""))
        return FormatError(self.path, line, expected=expected, got=got)


def _quoted(text: str) -> str:
    """A text as TOML has it: JSON's escapes, and one more character that TOML wants escaped."""
    import json  # noqa: PLC0415  # only who writes a manifest waits for it

    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
