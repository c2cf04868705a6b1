"""Where a report comes from: the files and their digests, the settings, the version, the time."""

from __future__ import annotations

import datetime
import hashlib
import os
from pathlib import Path
from typing import Any, Literal

from assay import __version__
from assay.errors import InputError, ParameterError, number_of
from assay.report.comparisons import CORRECTIONS, TESTS
from assay.reporting.basis import Basis
from assay.reporting.contents import Input, Provenance
from assay.reporting.texts import Texts

_EPOCH = "SOURCE_DATE_EPOCH"
_IN_MEMORY = "in memory"


def provenance(basis: Basis, texts: Texts, command: str) -> Provenance:
    """Everything that the report can be made again from."""
    evaluation = basis.evaluation
    return Provenance(
        version=__version__,
        command=command,
        made=now(),
        seed=basis.settings.seed,
        inputs=tuple(inputs(basis, texts)),
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


def inputs(basis: Basis, texts: Texts) -> list[Input]:
    """The judgments, the runs in the order of the table, topics and documents."""
    told = []
    evaluation = basis.evaluation
    if evaluation is not None:
        qrels = evaluation.qrels
        counts = f"{number_of('topic', len(qrels.topics))}, {number_of('judgment', qrels.frame.height)}"
        told.append(_input("qrels", qrels.name, qrels.format, counts))
        rows = dict(evaluation.coverage.select("system", "retrieved").rows())
        for name in basis.systems:
            run = evaluation.runs[name]
            told.append(
                _input("run", run.origin, run.format, f"{number_of('document', rows[name])} for judged topics", name)
            )
    if texts.topics is not None:
        told.append(_input("topics", texts.topics.name, texts.topics.format, number_of("topic", len(texts.topics))))
    if texts.documents is not None:
        count = number_of("document", len(texts.documents))
        told.append(_input("documents", texts.documents.name, texts.documents.format, count))
    return told


def _input(
    role: Literal["qrels", "run", "topics", "documents"], origin: str, format: str, counts: str, name: str | None = None
) -> Input:
    digest = None if format == _IN_MEMORY or not Path(origin).is_file() else digest_of(Path(origin))
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
            "correction": CORRECTIONS[chosen.correction],
            "family": "pairs under one measure" if chosen.family == "measure" else "pairs under all measures together",
            "margin": ", ".join(margins),
            "power": f"{chosen.power:.0%}",
        }
    told |= {
        "alpha": f"{chosen.alpha:g}",
        "interval": f"{'BCa' if chosen.interval == 'bca' else 'percentile'} bootstrap",
        "bootstrap resamples": f"{chosen.bootstrap_resamples:,}",
    }
    if basis.evaluation is not None:
        told["undefined values"] = basis.evaluation.undefined
        told["rules for"] = basis.evaluation.compat
    return [(name, str(value)) for name, value in told.items() if value is not None]
