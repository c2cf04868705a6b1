"""Judgments and runs as the doctor looks at them, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from assay.core.errors import ParameterError, number_of
from assay.files import is_file, read_documents, read_topics
from assay.measures import parse_measure
from assay.measures.parser import split_measures
from assay.measures.registry import Measure
from assay.subjects.ranking.checks.case import ExaminedCollection, ExaminedRun, Opened, named, open_judgments, open_run
from assay.tables import Documents, Topics
from assay.verbs.diagnosis.examination import Examination, Examined, Overview

#: What ties and topics are judged by, unless somebody asks for other measures.
DEFAULT_MEASURES = ("nDCG@10", "AP", "RR", "P@10")


class RankingExamination(Examination):
    """A file as it was read, the judgments, each run by itself or with the judgments, all runs likewise."""

    modules = tuple(
        f"assay.subjects.ranking.checks.{name}" for name in ("lines", "grades", "identifiers", "run_scores")
    )
    options = ("measures", "topics", "documents", "grades", "level")

    def things(self) -> Iterator[Examined]:
        """The judgments, then the runs, then all runs together."""
        if len(self.inputs) != 2:
            raise ParameterError("doctor takes judgments and runs: give both")
        qrels, runs = self.inputs
        measures = self.stated.get("measures")
        self.measures = _measures(DEFAULT_MEASURES if measures is None else measures)
        scale, is_range = _scale(self.stated.get("grades"))
        self.judgments, self.runs = open_judgments(qrels), named(runs)
        if not self.runs:
            raise ParameterError("there is no run to look at")
        case = ExaminedCollection(
            self.judgments,
            self.measures,
            measures is not None,
            self.stated.get("level", 1.0),
            scale,
            is_range,
            _texts(self.stated.get("topics"), Topics, read_topics),
            _texts(self.stated.get("documents"), Documents, read_documents),
        )
        yield Examined(self.judgments, ("file",))
        if is_judged := _is_usable(self.judgments):
            yield Examined(case, ("judgments",))
        systems = []
        for name, run in self.runs:
            self.watch(name)
            system = ExaminedRun(open_run(run, name), case)
            yield Examined(system.run, ("file",))
            if _is_usable(system.run):
                systems.append(system)
                yield Examined(system, ("ranking", "run") if is_judged else ("ranking",))
        if systems:
            yield Examined(systems, ("rankings",))
            if is_judged:
                yield Examined(systems, ("runs",))

    def overview(self) -> Overview:
        """The judgments, the runs, and the measures that they were looked at by."""
        file, names = self.judgments.file, [name for name, _ in self.runs]
        data = {"judgments": file, "runs": names, "measures": [*map(str, self.measures)]}
        return Overview(f"{file} and {number_of('run', len(names))}", data, len(names), "run", first=file)


def _is_usable(file: Opened) -> bool:
    """Whether there are rows to look at."""
    return file.frame is not None and file.rows.height > 0


def _measures(measures: Iterable[str | Measure] | str | Measure) -> tuple[Measure, ...]:
    listed = [measures] if isinstance(measures, str | Measure) else measures
    split = [
        name for measure in listed for name in (split_measures(measure) if isinstance(measure, str) else [measure])
    ]
    if not split:
        raise ParameterError("there is no measure to look at")
    return tuple(dict.fromkeys(map(parse_measure, split)))


def _texts(texts: Any, kind: Any, read: Callable[[Any], Any]) -> Any:
    if texts is None or isinstance(texts, kind):
        return texts
    return read(texts) if is_file(texts) else kind.of(texts)


class _Scale(NamedTuple):
    grades: tuple[float, ...]
    is_range: bool


def _scale(scale: str | Sequence[float] | None) -> _Scale:
    """The scale of grades: `0..3`, `0,1,3`, or a list of grades."""
    if scale is None:
        return _Scale((), is_range=False)
    parts: Sequence[Any] = scale
    is_range = isinstance(scale, str) and ".." in scale
    if isinstance(scale, str):
        parts = scale.split("..") if is_range else scale.split(",")
    try:
        grades = tuple(sorted({float(part) for part in parts}))
    except (TypeError, ValueError):
        grades = ()
    if not grades or not all(abs(grade) < float("inf") for grade in grades) or (is_range and len(parts) != 2):
        raise ParameterError(f"grades are given as 0..3 or 0,1,2, not {scale!r}")
    return _Scale(grades, is_range)
