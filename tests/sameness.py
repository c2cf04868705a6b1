"""Tables as files in any form, and what differs between two documents, whatever the order of their lists."""

from __future__ import annotations

import gzip
import io
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import zstandard
from odd_data import Rows

#: Of where a result comes from, and of rows as they stand in a file, nothing is compared.
NOT_COMPARED = {
    "format", "origin", "line", "provenance", "running_sum", "examples", "lost_most", "losses",
}  # fmt: skip
#: What stands before each id that was renamed; their order stays what it was.
RENAMED = "zz"
_NAMES_FIRST = ("measure", "system", "baseline", "unit", "item_id", "query_id", "truth", "prediction")


def text_of(value: Any) -> str:
    """A cell as text; nothing where there is no value."""
    return "" if value is None else str(value)


def delimited(rows: Rows, separator: str = ",", *, every: bool = False) -> str:
    """A header and rows; fields are quoted where need be, or `every` one."""

    def field(value: Any) -> str:
        text = text_of(value)
        odd = (every and text) or any(sign in text for sign in ',;"\t\n')
        return '"' + text.replace('"', '""') + '"' if odd else text

    lines = [list(rows[0]), *(row.values() for row in rows)]
    return "".join(separator.join(map(field, line)) + "\n" for line in lines)


def frame_of(rows: Rows) -> pl.DataFrame:
    """The rows as a data frame."""
    return pl.DataFrame({name: [row[name] for row in rows] for name in rows[0]}, infer_schema_length=None)


def trec(rows: Rows) -> str:
    """A run or judgments in TREC's format."""
    if "relevance" in rows[0]:
        return "".join(f"{row['query_id']} 0 {row['doc_id']} {row['relevance']}\n" for row in rows)
    return "".join(f"{row['query_id']} Q0 {row['doc_id']} {n} {row['score']} t\n" for n, row in enumerate(rows))


def nested(rows: Rows) -> str:
    """A run or judgments as JSON: query to document to number."""
    table: dict[str, dict[str, Any]] = {}
    for row in rows:
        table.setdefault(row["query_id"], {})[row["doc_id"]] = row.get("relevance", row.get("score"))
    return json.dumps(table)


#: The text of rows in each form, and what its files end in.
TEXTS: dict[str, tuple[Callable[[Rows], str], str]] = {
    "csv": (delimited, ".csv"),
    "semicolons": (lambda rows: delimited(rows, ";"), ".csv"),
    "quoted": (lambda rows: "\ufeff" + delimited(rows, every=True).replace("\n", "\r\n"), ".csv"),
    "tsv": (lambda rows: delimited(rows, "\t"), ".tsv"),
    "jsonl": (lambda rows: "".join(json.dumps(row) + "\n" for row in rows), ".jsonl"),
    "list": (lambda rows: json.dumps(rows, indent=1, ensure_ascii=False), ".json"),
    "trec": (trec, ".txt"),
    "json": (nested, ".json"),
}
PACKED: dict[str, Callable[[bytes], bytes]] = {"gz": gzip.compress, "zst": zstandard.compress}


def written(rows: Rows, folder: Path, name: str, form: str = "csv") -> Path:
    """Write rows to a file in a form, such as `tsv`, `parquet` or `jsonl.gz`."""
    form, _, packing = form.partition(".")
    if form in {"parquet", "arrow"}:
        sink = io.BytesIO()
        frame_of(rows).write_parquet(sink) if form == "parquet" else frame_of(rows).write_ipc(sink)
        path, content = folder / f"{name}.{form}", sink.getvalue()
    else:
        text, ending = TEXTS[form]
        path, content = folder / f"{name}{ending}", text(rows).encode()
    if packing:
        path, content = path.with_name(f"{path.name}.{packing}"), PACKED[packing](content)
    path.write_bytes(content)
    return path


def plain(value: Any, folder: Path) -> Any:
    """A document without what is not compared: files by their names, ids as they were before they were renamed."""
    if isinstance(value, dict):
        if isinstance(value.get("first"), str) and "second" in value:  # a pair, in either order
            value = value | dict(zip(("first", "second"), sorted((value["first"], value["second"])), strict=True))
        if "of_truth" in value:  # a cell of a matrix, with some of its items in the order of the file
            value = {key: held for key, held in value.items() if key != "items"}
        return {_unnamed(key, folder): plain(held, folder) for key, held in value.items() if key not in NOT_COMPARED}
    if isinstance(value, list):
        return sorted((plain(held, folder) for held in value), key=_place)
    if isinstance(value, str):  # names stand in prose in the order of the file, and the first of them as examples
        prose = re.sub(r"\([^()]*…\)", "", _unnamed(value, folder))
        return " ".join(sorted(re.findall(r"[^\s,;:()]*[^\s,;:().]", prose)))
    return value


def _unnamed(text: str, folder: Path) -> str:
    """A text without folders, the endings of files, and the marks of renamed ids."""
    whole = text.replace(f"{folder}/", "").replace(RENAMED, "")
    return re.sub(r"(\w)\.(csv|tsv|jsonl|json|parquet|arrow|txt)(\.(gz|zst))?\b", r"\1", whole)


def _place(value: Any) -> str:
    """Where something stands in a sorted list: by its texts, those that name it first, and then by its numbers."""
    return repr((list(_texts(value))[:6], _rounded(value)))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    if isinstance(value, dict):
        for key in sorted(value, key=lambda key: (key not in _NAMES_FIRST, key)):
            yield from _texts(value[key])


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return [(key, _rounded(held)) for key, held in sorted(value.items())]
    if isinstance(value, list):
        return [_rounded(held) for held in value]
    return f"{value:.7g}" if isinstance(value, float) else value


def differences(one: Any, other: Any, where: str = "") -> Iterator[str]:
    """Where two plain documents differ: numbers by more than 1e-12."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in one | other:
            yield from differences(one.get(key, "absent"), other.get(key, "absent"), f"{where}.{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for place, pair in enumerate(zip(one, other, strict=True)):
            yield from differences(*pair, f"{where}[{place}]")
    elif not _alike(one, other):
        yield f"{where}: {one!r} and {other!r}"


def _alike(one: Any, other: Any) -> bool:
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in (one, other))
    return bool(abs(one - other) <= 1e-12 * max(1, abs(one))) if numbers else bool(one == other)
