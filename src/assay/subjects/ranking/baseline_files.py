"""Files of frozen baselines: told from runs by their first bytes, and read strictly, or not at all."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from polars.exceptions import PolarsError

from assay.core.errors import AssayError, FormatError
from assay.files import Readable, Source
from assay.files.json_values import loaded
from assay.files.sources import BYTE_ORDER_MARK
from assay.measures.counting.policies import Policies
from assay.subjects.ranking.baselines import MARK, SCHEMA_VERSION, Baseline
from assay.subjects.ranking.digests import of_json
from assay.verbs.gating.guards import Coverage

_AGAIN = "freeze the baseline again"
_MARKED = re.compile(rb"\s*\{\s*\"" + MARK.encode() + rb"\"\s*:")


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
        return _MARKED.match(file.read(256).removeprefix(BYTE_ORDER_MARK)) is not None


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
    stated = payload.pop("digest", None)
    try:
        digest = of_json(payload)
    except (ValueError, RecursionError) as problem:
        raise refused("finite numbers") from problem
    if stated != digest:
        changed = f"its digest does not fit: it was changed; {_AGAIN}"
        raise FormatError(source.name, None, expected="a file as it was written", note=changed)
    try:
        return _made(payload)
    except (AssayError, LookupError, TypeError, ValueError, AttributeError, ArithmeticError, PolarsError) as problem:
        raise refused("what `assay freeze` writes", f"{type(problem).__name__}: {problem}") from problem


def _made(payload: dict[str, Any]) -> Baseline:
    """The baseline that a file with these contents is of."""
    rest = {name: payload[name] for name in ("system", "measures", "rules", "qrels", "run", "version")}
    policies, coverage = Policies(**payload["policies"]), payload["coverage"]
    payload["policies"] = asdict(policies)  # a rule that is younger than the file is as it was before
    judged = math.nan if coverage["judged"] is None else coverage["judged"]
    made = Baseline(**rest, policies=policies, coverage=Coverage(rest["system"], **coverage | {"judged": judged}))
    if not made.scores.frame.height or made.contents() != payload:
        raise ValueError("other keys or values")
    return made
