"""`doctor`: look for what is wrong with judgments, runs and predictions before numbers are believed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from assay.core.errors import ParameterError
from assay.files import is_file, read_documents, read_topics
from assay.files.prediction_columns import StatedColumns
from assay.measures import parse_measure
from assay.measures.parser import split_measures
from assay.measures.registry import Measure
from assay.subjects.labels.checks.examined_predictions import ExaminedPredictions, PredictionsFile, open_predictions
from assay.subjects.labels.checks.leakage import Trained, comparable, open_training
from assay.subjects.ranking.checks.case import ExaminedCollection, ExaminedRun
from assay.tables import Documents, Topics
from assay.verbs.diagnosis.examined_files import Opened, named, open_judgments, open_run
from assay.verbs.diagnosis.findings import SEVERITIES, About, Diagnosis, Finding, checks, checks_of_predictions


def examine(
    inputs: Sequence[Any],
    *,
    train: Any = None,
    column_names: StatedColumns | None = None,
    pos_label: Any = None,
    list_separator: str | None = None,
    watch: Callable[[str], None] | None = None,
) -> Diagnosis:
    """Look files of predictions over: `Predictions` or files, one or several; `{name: file}` names a file's system.

    `said`: which columns hold what; `list_separator`: what stands between several labels in a cell.

    >>> from assay import Predictions
    >>> examine([Predictions.of(["a", "b"] * 20, ["a", "A"] * 20)]).findings[0].check
    'label-spelling'
    """
    findings: list[Finding] = []
    files: list[PredictionsFile] = []
    systems: list[ExaminedPredictions] = []
    known: list[About] = ["predictions"]
    for path in inputs:
        file, its_systems = open_predictions(path, column_names or StatedColumns(), pos_label, list_separator)
        if watch is not None:
            watch(file.file)
        files.append(file)
        systems += its_systems
        findings += _findings_in_predictions("predictions", file)
        if file.frame is not None and train is not None:
            trained: Trained = open_training(file, train)
            comparable(trained)
            findings += _findings_in_predictions("training", trained)
            known.append("training")
        for system in its_systems:
            findings += _of_system(system, known)
    tables = list({id(system.of): system for system in reversed(systems)}.values())[::-1]
    if len(tables) > 1:
        findings += _findings_in_predictions("together", tables)
        known.append("together")
    if not files:
        raise ParameterError("there is no file of predictions to look at")
    findings.sort(key=lambda finding: SEVERITIES.index(finding.severity))
    selected = tuple(check for check in checks_of_predictions() if check.about in known)
    not_made = tuple(check for check in checks_of_predictions() if check.about not in known)
    names, called = tuple(file.file for file in files), tuple(system.name for system in systems)
    return Diagnosis(tuple(findings), "", (), selected, (), not_made, names, called)


def _of_system(system: ExaminedPredictions, known: list[About]) -> Iterator[Finding]:
    """What one system's columns allow to be looked at."""
    about: list[About] = ["system"]
    about += ["scored"] if system.scored is not None else []
    about += ["probabilities"] if system.probabilities is not None else []
    known += about
    for subject in about:
        yield from _findings_in_predictions(subject, system)


def _findings_in_predictions(about: About, what: Any) -> Iterator[Finding]:
    for check in checks_of_predictions():
        if check.about == about:
            yield from check.find(what)


#: What ties and topics are judged by, unless somebody asks for other measures.
DEFAULT_MEASURES = ("nDCG@10", "AP", "RR", "P@10")


def doctor(
    qrels: Any,
    runs: Any = None,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    *,
    topics: Any = None,
    documents: Any = None,
    grades: str | Sequence[float] | None = None,
    level: float = 1.0,
    train: Any = None,
    pos_label: Any = None,
    watch: Callable[[str], None] | None = None,
) -> Diagnosis:
    """Look judgments and runs, or predictions, over for whatever makes numbers wrong or misleading.

    It goes on where `evaluate` refuses: bad lines are named, the others are looked at. `measures` are those that ties
    and topics are judged by (nDCG@10, AP, RR and P@10, unless given). `topics` and `documents`: files or tables that
    judged ids should be in. `grades`: the scale, as in `"0..3"`, `"0,1,2"` or a list. `level`: the smallest grade that
    counts as relevant. `watch` is called with the name of each run before it is read.

    Of a classifier, give `Predictions` or a file of them (or a list of such) alone. `train`: a file or a Polars frame
    of the items that it was trained on, which should not be among those it is judged by. `pos_label`: the positive one
    of two labels.

    >>> doctor({"q1": {"d1": 2, "d2": 0}}, {"q1": {"d1": 2.0, "d2": 1.0}}, "AP").verdict
    'nothing found'
    >>> from assay import Predictions
    >>> doctor(Predictions.of([0, 1] * 10, [1, 1] * 10)).findings[0].says
    "'1' is predicted for all items, and right for 10 of 20 items"
    """
    if runs is None:
        if (measures, topics, documents, grades) != (None, None, None, None):
            raise ParameterError("measures, topics, documents and grades go with judgments and runs")
        several = isinstance(qrels, Sequence) and not isinstance(qrels, str)
        return examine(qrels if several else [qrels], train=train, pos_label=pos_label, watch=watch)
    if train is not None or pos_label is not None:
        raise ParameterError("train and pos_label go with predictions, not with judgments and runs")
    wanted = _measures(DEFAULT_MEASURES if measures is None else measures)
    scale, is_range = _scale(grades)
    judgments = open_judgments(qrels)
    runs_by_name = named(runs)
    if not runs_by_name:
        raise ParameterError("there is no run to look at")
    case = ExaminedCollection(
        judgments,
        wanted,
        measures is not None,
        level,
        scale,
        is_range,
        _texts(topics, Topics, read_topics),
        _texts(documents, Documents, read_documents),
    )
    findings = list(_findings(["file"], judgments))
    known: list[About] = ["file"]
    if is_judged := _is_usable(judgments):
        known.append("judgments")
        findings += _findings(["judgments"], case)
    systems = []
    for name, run in runs_by_name:
        if watch is not None:
            watch(name)
        system = ExaminedRun(open_run(run, name), case)
        findings += _findings(["file"], system.run)
        if _is_usable(system.run):
            systems.append(system)
            findings += _findings(["ranking", "run"] if is_judged else ["ranking"], system)
    if systems:
        known += ["ranking", "rankings"]
        findings += _findings(["rankings"], systems)
        if is_judged:
            known += ["run", "runs"]
            findings += _findings(["runs"], systems)
    findings.sort(key=lambda finding: SEVERITIES.index(finding.severity))
    names = tuple(name for name, _ in runs_by_name)
    selected = tuple(check for check in checks() if check.about in known)
    not_made = tuple(check for check in checks() if check.about not in known)
    return Diagnosis(tuple(findings), judgments.file, names, selected, tuple(map(str, wanted)), not_made)


def _findings(about: Sequence[About], what: Any) -> Iterator[Finding]:
    for check in checks():
        if check.about in about:
            yield from check.find(what)


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
