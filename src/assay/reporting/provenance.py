"""Where a report comes from: the files and their digests, the settings, the version, the time."""

from __future__ import annotations

import datetime
import hashlib
import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from assay import __version__
from assay.comparison import Comparison
from assay.core.digits import as_level
from assay.core.errors import InputError, ParameterError, number_of
from assay.core.words import INTERVALS, TESTS
from assay.reporting.basis import Basis
from assay.reporting.contents import Input, Provenance, Role
from assay.reporting.stamps import Stamp, check_unchanged, stamp_of
from assay.stats.tests import SIMULTANEOUS

_EPOCH = "SOURCE_DATE_EPOCH"
_IN_MEMORY = "in memory"


def provenance(basis: Basis, command: str, before: Mapping[str, Stamp]) -> Provenance:
    """Everything that the report can be made again from; `before` are the stamps of files before they were read."""
    evaluation = basis.evaluation
    return Provenance(
        version=__version__,
        command=command,
        made=now(),
        seed=basis.settings.seed,
        inputs=tuple(inputs(basis, before)),
        signatures=() if evaluation is None else tuple(evaluation.signatures[name] for name in basis.measures),
        settings=tuple(settings(basis)),
    )


def now() -> str:
    """The time in UTC; that of `SOURCE_DATE_EPOCH` where it is set, so that the same inputs give the same bytes."""
    given = os.environ.get(_EPOCH)
    if given is None:
        moment = datetime.datetime.now(datetime.UTC)
    else:
        try:
            moment = datetime.datetime.fromtimestamp(int(given), datetime.UTC)
        except (ValueError, OverflowError, OSError):
            raise ParameterError(f"{_EPOCH} is a number of seconds since 1970, not {given!r}") from None
    return moment.strftime("%Y-%m-%d %H:%M:%S UTC")


def inputs(basis: Basis, before: Mapping[str, Stamp]) -> list[Input]:
    """The judgments, the runs in the order of the table (or the scores), topics and documents."""
    told = []
    evaluation, texts = basis.evaluation, basis.shown.texts
    _input = partial(described, before)
    if evaluation is None:
        told.append(
            _input("scores", basis.origin or "scores", "scores" if basis.origin else _IN_MEMORY, _counts(basis))
        )
    else:
        qrels = evaluation.qrels
        counts = f"{number_of('topic', len(qrels.topics))}, {number_of('judgment', qrels.frame.height)}"
        told.append(_input("qrels", qrels.name, qrels.format, counts))
        rows = dict(evaluation.coverage.select("system", "retrieved").rows())
        for name in basis.systems:
            run = evaluation.runs[name]
            told.append(
                _input(
                    "run", run.origin, run.format, f"{number_of('document', rows[name])} for judged topics", name=name
                )
            )
    if texts.topics is not None:
        told.append(_input("topics", texts.topics.name, texts.topics.format, number_of("topic", len(texts.topics))))
    if texts.documents is not None:
        count = number_of("document", len(texts.documents))
        told.append(_input("documents", texts.documents.name, texts.documents.format, count))
    return told


def _counts(basis: Basis) -> str:
    """What scores are of."""
    units = len({unit for one in basis.paired.values() for unit in one.units})
    parts = (("system", len(basis.systems)), ("measure", len(basis.measures)), (basis.unit_kind, units))
    return ", ".join(number_of(what, count) for what, count in parts)


def described(
    before: Mapping[str, Stamp], role: Role, origin: str, format: str, counts: str, *, name: str | None = None
) -> Input:
    """A file that went in, with its digest; or what was in memory. `before` are the stamps of files as they were."""
    path = Path(origin)
    digest = None
    if format != _IN_MEMORY and path.is_file():
        known = before.get(os.path.realpath(path), stamp_of(path))
        digest = digest_of(path)
        check_unchanged(path, known)
    says = f"{format}, {counts}" if digest else f"{format}, {counts}; not a file, so without a digest"
    shown = _from_here(origin) if digest else origin
    return Input(role, shown if name in {None, shown} else f"{name} = {shown}", digest, says)


def _from_here(path: str) -> str:
    """A path below the working folder without what leads to it: a report may travel."""
    given = Path(path)
    return given.relative_to(Path.cwd()).as_posix() if given.is_relative_to(Path.cwd()) else given.as_posix()


def digest_of(path: Path) -> str:
    """SHA-256 of a file's bytes, compressed or not, as they are."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as problem:
        raise InputError(f"{path}: cannot be read: {(problem.strerror or str(problem)).lower()}") from problem


def correction_of(comparison: Comparison) -> str:
    """Whose correction of p-values, and over how many comparisons."""
    size = comparison.family_size
    if comparison.settings.test in SIMULTANEOUS:
        return f"none: the test covers all {number_of('pair', size)} of systems at once"
    separator = ":" if size == 1 else ","
    return f"{comparison.correction or 'none'}{separator} {number_of('comparison', size)}"


def settings(basis: Basis) -> list[tuple[str, str]]:
    """How the numbers were made, name and value, for readers."""
    chosen = basis.settings
    told: dict[str, Any] = {"main measure": basis.main}
    if basis.comparison is not None:
        margins = sorted({f"{one.margin.value:g} ({one.margin.says})" for one in basis.comparison.findings})
        told |= {
            "baseline": basis.baseline,
            "test": TESTS[chosen.test],
            "random swaps": "none" if chosen.resamples is None else f"{chosen.resamples:,}",
            "correction": correction_of(basis.comparison),
            "family": "pairs under one measure" if chosen.family == "measure" else "pairs under all measures together",
            "margin": ", ".join(margins),
            "power": as_level(chosen.power),
        }
    methods = dict.fromkeys(one.method for _, one in basis.standings.values() if one.method in INTERVALS)
    ways = [INTERVALS[each] for each in methods]
    told |= {
        "alpha": f"{chosen.alpha:g}",
        "interval": ", ".join(way.short for way in ways) or "none",
        "bootstrap resamples": f"{chosen.bootstrap_resamples:,}" if any(way.is_drawn for way in ways) else None,
    }
    if basis.evaluation is not None:
        told["undefined values"] = basis.evaluation.undefined
        told["rules for"] = basis.evaluation.compat
    return [(name, str(value)) for name, value in told.items() if value is not None]
