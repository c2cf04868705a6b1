"""Bytes <-> tables: one module a format, registered where it is defined."""

# They register their formats; the classic layouts first, which look like columns to those that separate by blanks.
from assay.files import cystic_fibrosis as _cf, lisa as _lisa, npl as _npl, time_magazine as _time  # noqa: F401  # isort: skip
from assay.files import smart as _smart, trec as _trec  # noqa: F401  # isort: skip
from assay.files.reading import read_documents, read_qrels, read_run, read_topics, scan_run
from assay.files.registry import Format, detect, formats
from assay.files.runs import RunFile
from assay.files.sources import Readable, Source, is_file

__all__ = [
    "Format",
    "Readable",
    "RunFile",
    "Source",
    "detect",
    "formats",
    "is_file",
    "read_documents",
    "read_qrels",
    "read_run",
    "read_topics",
    "scan_run",
]
