"""Bytes <-> tables: one module a format or a family of formats, registered where it is defined."""

from assay.files.collections import read_documents, read_qrels, read_run, read_topics, scan_run
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
