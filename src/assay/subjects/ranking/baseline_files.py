"""Files of frozen baselines: told from runs by their first bytes, and read strictly, or not at all."""

from __future__ import annotations

import math
import os
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from assay.core.errors import AssayError, FormatError, listed
from assay.files import Readable, Source
from assay.files.json_values import loaded
from assay.files.sources import BYTE_ORDER_MARK
from assay.measures import parse_measure
from assay.measures.counting.policies import Policies
from assay.subjects.ranking.baselines import MARK, SCHEMA_VERSION, Baseline, Frozen, Origin
from assay.subjects.ranking.digests import of_json
from assay.verbs.gating.guards import Coverage

_AGAIN = "freeze the baseline again"
_MARKED = re.compile(rb"\s*\{\s*\"" + MARK.encode() + rb"\"\s*:")
_MARKED_LATER = re.compile(rb"[,{]\s*\"" + MARK.encode() + rb"\"\s*:\s*\d+\s*[,}]")
_MOST_LOOKED_AT = 32 << 20
#: From what was expected, and what came, to the error.
_Refused: TypeAlias = Callable[[str, Any], FormatError]


def is_baseline(given: Any) -> bool:
    """Whether a path or a source holds a frozen baseline, by its mark; anything else is a run, or not there.

    >>> is_baseline("bm25.run")
    False
    """
    if isinstance(given, str | os.PathLike) and Path(given).is_file():
        given = Source(given)
    # Pipes are left alone unless they come as a source: what was read of them is gone.
    if not isinstance(given, Source):
        return False
    with given.open() as file:
        start = file.read(256).removeprefix(BYTE_ORDER_MARK)
        if _MARKED.match(start) or not start.lstrip().startswith(b"{"):
            return _MARKED.match(start) is not None
        # Somebody's tool may have put the keys into another order.
        return _MARKED_LATER.search(start + file.read(_MOST_LOOKED_AT)) is not None


def frozen_in(given: Any) -> Baseline | None:
    """The frozen baseline that was given: itself, its file, or one of both under a name; None if it is something else.

    >>> frozen_in({"q1": {"d1": 1.0}}) is None
    True
    """
    if isinstance(given, Baseline):
        return given
    if isinstance(given, Mapping) and len(given) == 1:
        name, inner = next(iter(given.items()))
        frozen = None if isinstance(inner, Mapping) else frozen_in(inner)
        return None if frozen is None else replace(frozen, system=str(name))
    return read_baseline(given) if is_baseline(given) else None


def read_baseline(given: Readable | Source) -> Baseline:
    """Read a frozen baseline; refuse one of another schema, or one that was changed since.

    >>> import io
    >>> read_baseline(io.BytesIO(b'{"assay_baseline": 99}'))
    Traceback (most recent call last):
        ...
    assay.core.errors.FormatError: <file>: expected a baseline of schema 1, got '99' (freeze the baseline again)
    """
    source = given if isinstance(given, Source) else Source(given)

    def refused(expected: str, got: Any = None) -> FormatError:
        shown = got if got is None or isinstance(got, str) else repr(got)[:80]
        return FormatError(source.name, None, expected=expected, got=shown, note=_AGAIN)

    payload = loaded(source)
    if not isinstance(payload, dict) or MARK not in payload:
        raise refused(f"a frozen baseline, with the key {MARK!r}")
    if isinstance(payload[MARK], bool) or payload[MARK] != SCHEMA_VERSION:
        raise refused(f"a baseline of schema {SCHEMA_VERSION}", payload[MARK])
    try:
        digest = of_json({key: value for key, value in payload.items() if key != "digest"})
    except (ValueError, RecursionError) as problem:
        raise refused("finite numbers") from problem
    if payload.get("digest", digest) != digest:
        changed = f"its digest does not fit: it was changed; {_AGAIN}"
        raise FormatError(source.name, None, expected="a file as it was written", note=changed)
    if isinstance(payload.get("policies"), dict):
        # What was frozen before judgments could be declared complete does not say so.
        payload["policies"] = {"complete": False} | payload["policies"]
    _check(payload, _FILE, "the file", refused)
    if not payload["system"]:
        raise refused("a name of the system", "")
    try:
        policies = Policies(**payload["policies"])
    except (AssayError, TypeError) as problem:
        raise refused("policies that exist", str(problem)) from problem
    coverage = payload["coverage"] | ({} if payload["coverage"]["judged"] is not None else {"judged": math.nan})
    if not coverage["topics"] or coverage["missing"] > coverage["topics"]:
        raise refused("not more topics missing than there are", f"{coverage['missing']} of {coverage['topics']}")
    return Baseline(
        payload["system"],
        _measures(payload["measures"], refused),
        policies,
        payload["rules"],
        Coverage(payload["system"], **coverage),
        Origin(**payload["qrels"]),
        Origin(**payload["run"]),
        payload["version"],
    )


def _measures(measures: dict[str, Any], refused: _Refused) -> dict[str, Frozen]:
    """Every measure by its name, each with values of the same topics."""
    if not measures:
        raise refused("at least one measure", None)
    for name, frozen in measures.items():
        try:
            known = str(parse_measure(name))
        except AssayError as problem:
            raise refused("measures by name", name) from problem
        if known != name:
            raise refused(f"the measure {known} by this name", name)
        if {unit for unit, number in frozen["values"].items() if number is None} != set(frozen["undefined"]):
            raise refused(f"a reason for every value of {name} that there is not, and for no other", None)
    topics = [set(frozen["values"]) for frozen in measures.values()]
    if any(each != topics[0] for each in topics) or not topics[0]:
        raise refused("values of the same topics, one or more, under every measure", None)
    return {
        name: Frozen(
            frozen["signature"],
            {unit: None if number is None else float(number) for unit, number in frozen["values"].items()},
            frozen["undefined"],
        )
        for name, frozen in measures.items()
    }


class _Kind(NamedTuple):
    """What a value of the file has to be, in words, and whether one is."""

    words: str
    fits: Callable[[Any], bool]


def _is_text(value: Any) -> bool:
    """Whether it is text without halves of characters, which no table holds."""
    return isinstance(value, str) and value.encode(errors="ignore").decode() == value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 63


_TEXT, _WHOLE = _Kind("as text", _is_text), _Kind("as a whole number from 0 on", _is_whole)
_NUMBER = _Kind("as a number, or null", lambda value: value is None or _is_number(value))
_NOTE = _Kind("as text, or null", lambda value: value is None or _is_text(value))
_SHARE = _Kind("as a share from 0 to 1", lambda value: value is None or (_is_number(value) and 0 <= value <= 1))
_ANY = _Kind("as it is", lambda _: True)
_UNDEFINED = ("counted_as", "skip", "error")
_ORIGIN = {"name": _TEXT, "sha256": _TEXT}
#: Stands for every key of an object whose keys are not known.
_EACH = "*"
#: What a file holds: the keys of every object, and what is under them.
_FILE: dict[str, Any] = {
    MARK: _ANY,
    "version": _TEXT,
    "system": _TEXT,
    "qrels": _ORIGIN,
    "run": _ORIGIN,
    "policies": {field.name: _ANY for field in fields(Policies)},
    "rules": {
        "undefined": _Kind(f"to be {listed(_UNDEFINED)}", lambda value: value in _UNDEFINED),
        "compat": _NOTE,
        "judge": _NOTE,
        "subtopics": _Kind("to be true or false", lambda value: isinstance(value, bool)),
        "seed": _WHOLE,
        "samples": _WHOLE,
    },
    "coverage": {"topics": _WHOLE, "missing": _WHOLE, "judged": _SHARE},
    "measures": {_EACH: {"signature": _TEXT, "values": {_EACH: _NUMBER}, "undefined": {_EACH: _TEXT}}},
    "digest": _TEXT,
}


def _check(value: Any, shape: Any, what: str, refused: _Refused) -> None:
    """Refuse a value that has not this shape."""
    if isinstance(shape, _Kind):
        if not shape.fits(value):
            raise refused(f"{what} {shape.words}", value)
        return
    if not isinstance(value, dict):
        raise refused(f"{what} to be an object", value)
    each = shape.get(_EACH)
    if each is None and (odd := sorted(set(value) ^ set(shape))):
        raise refused(f"{what} with the keys {', '.join(shape)}", f"{odd[0]} too many or missing")
    for key, inner in value.items():
        _check(key, _TEXT, f"a key of {what}", refused)
        _check(inner, each or shape[key], key, refused)
