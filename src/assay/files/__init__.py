"""Bytes <-> tables: one module a format, registered where it is defined."""

from assay.files import trec as _trec  # noqa: F401  # registers its formats
from assay.files.registry import Format, detect, formats
from assay.files.runs import RunFile, read_qrels, read_run, scan_run
from assay.files.sources import Readable, Source, is_file

__all__ = [
    "Format",
    "Readable",
    "RunFile",
    "Source",
    "detect",
    "formats",
    "is_file",
    "read_qrels",
    "read_run",
    "scan_run",
]
