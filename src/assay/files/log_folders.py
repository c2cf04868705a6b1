"""The folder of a click log: three Parquet files, and a manifest: where it comes from, and what was left out."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from assay.core.errors import FormatError, InputError, ParameterError, argument
from assay.files import atomic
from assay.files.json_values import loaded
from assay.files.log_looks import MANIFEST, is_log_folder
from assay.files.parquet import check_file, names_in
from assay.files.sources import Source
from assay.files.writing import disk_errors
from assay.tables.log import TABLES, Log, Oddity

_VERSION = 1


def write_log(log: Log, folder: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
    """Write a log as a folder of three Parquet files and a small manifest, which `read_log` reads lazily.

    The folder appears when all of it is written. A folder that is there is replaced only if it holds a log, if
    `overwrite` says so, and if the log was not read from it.

    >>> from assay import read_log
    >>> import tempfile
    >>> log = Log.from_pages([("q1", ["d1", "d2"], ["d2"])])
    >>> with tempfile.TemporaryDirectory() as place:
    ...     read_log(write_log(log, Path(place) / "kept"))
    <Log 'log': 1 result page, 2 results, 1 click>
    """
    frames = {"impressions": log.impressions, "results": log.results, "events": log.events}
    with replacing_folder(Path(folder), overwrite, [log.origin]) as place:
        for table, frame in frames.items():
            with disk_errors():
                frame.sink_parquet(place / f"{table}.parquet", maintain_order=True)
        write_manifest(place, log.name, log.origin, log.remarks, log.oddities)
    return Path(folder)


def write_manifest(place: Path, name: str, source: str, remarks: Sequence[str], oddities: Sequence[Oddity]) -> None:
    """Say what tables hold, where they come from, and what was left out."""
    counts = {table: pl.scan_parquet(place / f"{table}.parquet").select(pl.len()).collect().item() for table in TABLES}
    content = {
        "assay_log": _VERSION, "name": name, "source": source, "counts": counts, "remarks": list(remarks),
        "oddities": [oddity._asdict() for oddity in oddities],
    }  # fmt: skip
    atomic.write_text(place / MANIFEST, json.dumps(content, indent=2, ensure_ascii=False) + "\n")


@contextmanager
def replacing_folder(folder: Path, overwrite: bool, inputs: Sequence[str]) -> Iterator[Path]:
    """A new folder that takes the place of `folder` once all is written; if anything fails, nothing has happened."""
    target = Path(os.path.realpath(folder))
    if target.exists() and not overwrite:
        raise InputError(f"{folder}: already exists: name another folder, or use {argument('overwrite', True)}")
    if target.exists() and not is_log_folder(target):
        raise InputError(f"{folder}: not the folder of a log, and so not replaced: name another")
    if any(Path(os.path.realpath(each)).is_relative_to(target) for each in inputs):
        raise ParameterError(f"{folder}: is an input and would be replaced: name another folder")
    with atomic.replacing_folder(folder, overwrite=overwrite) as place:
        yield place


def open_folder(folder: Path) -> Log:
    """The log in a folder, as files that are scanned."""
    path = folder / MANIFEST
    manifest = loaded(Source(path))
    if not isinstance(manifest, dict) or manifest.get("assay_log") != _VERSION:
        raise FormatError(str(path), None, expected=f"the manifest of a log, version {_VERSION}")
    frames = []
    for table, schema in TABLES.items():
        part = folder / f"{table}.parquet"
        source = Source(part)
        check_file(source)
        names = names_in(source)
        if absent := [column for column in schema if column not in names]:
            note = f"there is no {', '.join(absent)}"
            raise FormatError(str(part), None, expected=f"the columns of {table}", note=note)
        frames.append(pl.scan_parquet(part).select(pl.col(column).cast(kind) for column, kind in schema.items()))
    try:
        oddities = tuple(Oddity(**each) for each in manifest.get("oddities", ()))
    except TypeError as problem:
        raise FormatError(str(path), None, expected="oddities with code, number, says and example") from problem
    pages, results, events = frames
    return Log(
        pages, results, events, name=str(manifest.get("name", folder.name)), origin=str(folder),
        remarks=tuple(map(str, manifest.get("remarks") or ())), oddities=oddities,
    )  # fmt: skip
