"""Signs of a click log in its first lines: nobody who compares rankings loads more than this."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from assay.core.errors import AssayError
from assay.files.named_columns import names_in_any, names_of
from assay.files.registry import Head, head_of
from assay.files.sources import Source, is_file
from assay.tables.roles import columns_of, is_frame

#: What makes a folder that of a log.
MANIFEST = "log.json"
#: Lines of the bulk interface that say where the next one goes.
INDEX = ("index", "create", "update", "delete")
#: Where a line of an index's dump has the document itself.
DUMPED = "_source"
#: What events of UBI have besides a name; some lack the time.
_OF_EVENTS = ("timestamp", "event_attributes")
_YANDEX_LINE = re.compile(r"[^\t]+\t\d+\t(Q\t[^\t]+\t[^\t]+\t\S|C\t\S)")
SAMPLE_RECORD = re.compile(r"\s*([^\t:;]+)\t([^\t:;]+?)\s*:([^:;\t]*)")
#: How many columns lines of Baidu-ULTR have, and which of a result says whether it was clicked.
BAIDU_QUERY, BAIDU_RESULT, CLICKED = 3, 17, 5


def is_ubi(record: Mapping[str, Any]) -> bool:
    """True for a first record of UBI: a query, an event, or a line that says where the next one goes.

    >>> is_ubi({"user_query": "flat tyre"}), is_ubi({"index": {"_index": "ubi_events"}}), is_ubi({"query": "flat tyre"})
    (True, True, False)
    """
    if isinstance(record.get(DUMPED), Mapping):
        return is_ubi(record[DUMPED])
    index = next((record[name] for name in INDEX if len(record) == 1 and name in record), None)
    if isinstance(index, Mapping):
        return "ubi" in str(index.get("_index", "ubi"))
    return "user_query" in record or ("action_name" in record and not record.keys().isdisjoint(_OF_EVENTS))


def _starts_as_ubi(head: Head) -> bool:
    return head.text.startswith("{") and is_ubi(head.first_object or {})


def is_yandex(head: Head) -> bool:
    """True if a file is in the challenge's layout."""
    return _YANDEX_LINE.match(head.first) is not None


def is_yandex_sample(head: Head) -> bool:
    """True if a file holds pages with their clicks behind a colon, separated by semicolons."""
    record = SAMPLE_RECORD.match(head.first.partition(";")[0])
    return record is not None and "," in record[2]


def is_baidu(head: Head) -> bool:
    """True if a file holds a query line of three columns, and then results."""
    rows = [line.split(b"\t") for _, line in head.numbered[:2]]
    return (
        len(rows) == 2 and len(rows[0]) == BAIDU_QUERY and len(rows[1]) >= BAIDU_RESULT
        and rows[1][0].isdigit() and rows[1][CLICKED].strip() in {b"0", b"1"}
    )  # fmt: skip


def _is_table(head: Head) -> bool:
    return columns_of("log", names_of(head)) is not None


LOOKS: dict[str, Callable[[Head], bool]] = {
    "ubi": _starts_as_ubi, "yandex": is_yandex, "yandex-sample": is_yandex_sample, "baidu": is_baidu,
    "table": _is_table,
}  # fmt: skip


def layout_of(head: Head) -> str | None:
    """The name of the layout that a file is in; None if it is no click log."""
    return next((name for name, matches in LOOKS.items() if matches(head)), None) if head.numbered else None


def is_log_folder(path: object) -> bool:
    """True for a folder that `write_log` has written.

    >>> is_log_folder("nowhere")
    False
    """
    return isinstance(path, str | os.PathLike) and path != "-" and (Path(path) / MANIFEST).is_file()


def looks_like_log(value: object) -> bool:
    """True if a folder, a file or a data frame is a click log.

    >>> import io
    >>> looks_like_log(io.StringIO('{"user_query": "tea"}')), looks_like_log(io.StringIO("q1 Q0 d1 1 0.5 tag"))
    (True, False)
    """
    if is_log_folder(value):
        return True
    if not is_file(value) or value == "-":
        return is_frame(value) and columns_of("log", names_in_any(value)) is not None
    try:
        return layout_of(head_of(Source.of(value))) is not None  # type: ignore[arg-type]
    except AssayError:
        return False
