"""Files of frozen baselines: told from runs by their first bytes, and read strictly, or not at all."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from assay.core.errors import AssayError, FormatError
from assay.files import Readable, Source
from assay.files.json_values import loaded
from assay.files.sources import BYTE_ORDER_MARK
from assay.measures import parse_measure
from assay.measures.counting.policies import Policies
from assay.subjects.ranking.baselines import MARK, SCHEMA_VERSION, Baseline, Frozen, Origin
from assay.subjects.ranking.digests import of_json
from assay.verbs.gating.guards import Coverage

_KEYS = (MARK, "version", "system", "qrels", "run", "policies", "rules", "coverage", "measures", "digest")
_AGAIN = "freeze the baseline again"
_MARKED = re.compile(rb"\s*\{\s*\"" + MARK.encode() + rb"\"\s*:")
_MARKED_LATER = re.compile(rb"[,{]\s*\"" + MARK.encode() + rb"\"\s*:\s*\d+\s*[,}]")
_MOST_LOOKED_AT = 32 << 20


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
        found = None if isinstance(inner, Mapping) else frozen_in(inner)
        return None if found is None else replace(found, system=str(name))
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
    told = loaded(source)
    return _File(source.name).baseline(told)


class _File:
    """A file's values, each taken as what it should be, or refused with the file's name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def baseline(self, told: Any) -> Baseline:
        if not isinstance(told, dict) or MARK not in told:
            raise self.refused(f"a frozen baseline, with the key {MARK!r}")
        if isinstance(told[MARK], bool) or told[MARK] != SCHEMA_VERSION:
            raise self.refused(f"a baseline of schema {SCHEMA_VERSION}", told[MARK])
        self.keys(told, _KEYS, "the file")
        stated = self.text(told["digest"], "the digest")
        if self.digest({key: value for key, value in told.items() if key != "digest"}) != stated:
            raise FormatError(
                self.name,
                None,
                expected="a file as it was written",
                note=f"its digest does not fit: it was changed; {_AGAIN}",
            )
        system = self.text(told["system"], "the system")
        if not system:
            raise self.refused("a name of the system", system)
        measures = self.table(told["measures"], "measures")
        if not measures:
            raise self.refused("at least one measure")
        measured = {self.measure(name): self.measured(value, name) for name, value in measures.items()}
        units = [set(one.values) for one in measured.values()]
        if any(one != units[0] for one in units) or not units[0]:
            raise self.refused("values of the same topics, one or more, under every measure")
        return Baseline(
            system,
            measured,
            self.policies(told["policies"]),
            self.rules(told["rules"]),
            self.coverage(told["coverage"], system),
            self.origin(told["qrels"], "qrels"),
            self.origin(told["run"], "run"),
            self.text(told["version"], "the version"),
        )

    def digest(self, told: dict[str, Any]) -> str:
        try:
            return of_json(told)
        except (ValueError, RecursionError) as problem:
            raise self.refused("finite numbers") from problem

    def measure(self, name: str) -> str:
        try:
            known = str(parse_measure(name))
        except AssayError as problem:
            raise self.refused("measures by name", name) from problem
        if known != name:
            raise self.refused(f"the measure {known} by this name", name)
        return name

    def measured(self, value: Any, name: str) -> Frozen:
        self.keys(value, ("signature", "values", "undefined"), name)
        reasons = {
            self.text(unit, "a topic"): self.text(why, f"why {name} is undefined")
            for unit, why in self.table(value["undefined"], "undefined").items()
        }
        values = {
            self.text(unit, "a topic"): None if number is None else self.number(number, f"{name} of {unit}")
            for unit, number in self.table(value["values"], "values").items()
        }
        if {unit for unit, number in values.items() if number is None} != set(reasons):
            raise self.refused(f"a reason for every value of {name} that there is not, and for no other")
        return Frozen(self.text(value["signature"], "a signature"), values, reasons)

    def policies(self, value: Any) -> Policies:
        # What was frozen before judgments could be declared complete does not say so.
        told = {"complete": False} | self.table(value, "policies")
        self.keys(told, [field.name for field in fields(Policies)], "policies")
        try:
            return Policies(**told)
        except (AssayError, TypeError) as problem:
            raise self.refused("policies that exist", str(problem)) from problem

    def rules(self, value: Any) -> dict[str, Any]:
        self.keys(value, ("undefined", "compat", "judge", "subtopics", "seed", "samples"), "rules")
        if value["undefined"] not in ("counted_as", "skip", "error"):
            raise self.refused("undefined to be counted_as, skip or error", value["undefined"])
        for name in ("compat", "judge"):
            if value[name] is not None:
                self.text(value[name], name)
        if not isinstance(value["subtopics"], bool):
            raise self.refused("subtopics to be true or false", value["subtopics"])
        return dict(value) | {name: self.whole(value[name], name) for name in ("seed", "samples")}

    def coverage(self, value: Any, system: str) -> Coverage:
        self.keys(value, ("topics", "missing", "judged"), "coverage")
        topics, missing = (self.whole(value[name], name) for name in ("topics", "missing"))
        judged = math.nan if value["judged"] is None else self.number(value["judged"], "judged")
        if judged < 0 or judged > 1:
            raise self.refused("judged as a share from 0 to 1", judged)
        if not topics or missing > topics:
            raise self.refused("not more topics missing than there are", f"{missing} of {topics}")
        return Coverage(system, topics, missing, judged)

    def origin(self, value: Any, what: str) -> Origin:
        self.keys(value, ("name", "sha256"), what)
        return Origin(self.text(value["name"], what), self.text(value["sha256"], f"the digest of {what}"))

    def keys(self, value: Any, wanted: Any, what: str) -> None:
        known = self.table(value, what)
        if set(known) != set(wanted):
            odd = sorted(set(known) ^ set(wanted))
            raise self.refused(f"{what} with the keys {', '.join(wanted)}", f"{odd[0]} too many or missing")

    def table(self, value: Any, what: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self.refused(f"{what} to be an object", value)
        return value

    def text(self, value: Any, what: str) -> str:
        return str(self.of_kind(value, str, f"{what} as text", _encodes))

    def number(self, value: Any, what: str) -> float:
        try:
            return float(self.of_kind(value, (int, float), f"{what} as a number", math.isfinite))
        except OverflowError as problem:
            raise self.refused(f"{what} as a number", value) from problem

    def whole(self, value: Any, what: str) -> int:
        return int(self.of_kind(value, int, f"{what} as a whole number from 0 on", lambda found: 0 <= found < 1 << 63))

    def of_kind(self, value: Any, kind: Any, expected: str, fits: Callable[[Any], bool]) -> Any:
        if not isinstance(value, kind) or isinstance(value, bool) or not fits(value):
            raise self.refused(expected, value)
        return value

    def refused(self, expected: str, got: Any = None) -> FormatError:
        return FormatError(self.name, None, expected=expected, got=None if got is None else _shown(got), note=_AGAIN)


def _encodes(text: str) -> bool:
    """Whether text has no halves of characters, which no table holds."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else repr(value)[:80]
