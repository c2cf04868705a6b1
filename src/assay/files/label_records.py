"""Labels in JSON, one object after the other: what the readers of all tools' exports share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

import polars as pl

from assay.core.errors import FormatError
from assay.files.json_values import records
from assay.files.sources import Source
from assay.tables.roles import TABLES, Where, roles_in

ROLES = {role.name: role for role in TABLES["labels"]}
#: Makes an error that names the place: what was expected, and what came.
Wrong: TypeAlias = Callable[[str, Any], FormatError]


class LabelRows(NamedTuple):
    """Rows in our columns, as they stand in a file, and who finds their lines."""

    frame: pl.DataFrame
    where: Where
    remarks: tuple[str, ...] = ()


#: Reads a file; the judge whose it is, if the file does not say so.
Reader: TypeAlias = Callable[[Source, str | None], LabelRows]


def gathered(
    source: Source,
    tool: str,
    rows_of: Callable[[dict[str, Any], Wrong], Iterator[dict[str, Any]]],
    found: Iterable[tuple[int | None, Any]] | None = None,
) -> LabelRows:
    """The labels of each object in the export of a tool; `found`: the objects, where they are not the file's own."""
    rows: list[dict[str, Any]] = []
    places: list[int | None] = []
    for number, (line, record) in enumerate(records(source) if found is None else found, 1):

        def wrong(expected: str, got: Any, line: int | None = line, number: int = number) -> FormatError:
            note = None if line is not None else f"in object {number} of the list"
            return FormatError(source.name, line, expected=expected, got=str(got), note=note)

        try:
            labelled = list(rows_of(record, wrong))
        except (AttributeError, TypeError, KeyError) as problem:
            raise wrong(f"a record of {tool}", record) from problem
        rows += labelled
        places += [line] * len(labelled)
    if not rows:
        raise FormatError(source.name, None, expected="labels", note="nothing in it is labelled")
    return LabelRows(frame_of(rows), lambda row: (source.name, places[row]))


def frame_of(rows: list[dict[str, Any]]) -> pl.DataFrame:
    """Rows as a frame, whichever cells they have."""
    return pl.DataFrame(rows, infer_schema_length=None, strict=False)


def only(choices: Any, wrong: Wrong) -> Any:
    """The one label of a list; several labels of one judge for an item have no agreement here."""
    values = choices if isinstance(choices, list) else [choices]
    if len(values) != 1 or isinstance(values[0], dict | list):
        raise wrong("one label of an item by a judge", ", ".join(map(str, values)))
    return values[0]


def item_in(*places: Any) -> dict[str, str]:
    """The item that was labelled, where one of several objects names it: the document, and its topic."""
    ids: dict[str, str] = {}
    for place in places:
        roles = roles_in("labels", list(place)) if isinstance(place, Mapping) else {}
        for role in {"item_id", "query_id"} & roles.keys() - ids.keys():
            value = place[roles[role]]
            if isinstance(value, str | int) and value != "":
                ids[role] = str(value)
    return ids
