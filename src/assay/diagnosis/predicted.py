"""`doctor` on predictions: files of a classifier's predictions -> what is wrong with them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from assay.core.errors import ParameterError
from assay.diagnosis.findings import SEVERITIES, Finding
from assay.diagnosis.labelled import Labelled, LabelledFile, open_predictions
from assay.diagnosis.leakage import Trained, comparable, open_training
from assay.diagnosis.registry import About, checks_of_predictions
from assay.diagnosis.result import Diagnosis
from assay.files.prediction_columns import StatedColumns


def examine(
    given: Sequence[Any],
    *,
    train: Any = None,
    said: StatedColumns | None = None,
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
    files: list[LabelledFile] = []
    systems: list[Labelled] = []
    known: list[About] = ["predictions"]
    for one in given:
        file, own = open_predictions(one, said or StatedColumns(), pos_label, list_separator)
        if watch is not None:
            watch(file.file)
        files.append(file)
        systems += own
        findings += _found("predictions", file)
        if file.frame is not None and train is not None:
            trained: Trained = open_training(file, train)
            comparable(trained)
            findings += _found("training", trained)
            known.append("training")
        for system in own:
            findings += _of_system(system, known)
    tables = list({id(system.of): system for system in reversed(systems)}.values())[::-1]
    if len(tables) > 1:
        findings += _found("together", tables)
        known.append("together")
    if not files:
        raise ParameterError("there is no file of predictions to look at")
    findings.sort(key=lambda finding: SEVERITIES.index(finding.severity))
    made = tuple(check for check in checks_of_predictions() if check.about in known)
    not_made = tuple(check for check in checks_of_predictions() if check.about not in known)
    names, called = tuple(file.file for file in files), tuple(system.name for system in systems)
    return Diagnosis(tuple(findings), "", (), made, (), not_made, names, called)


def _of_system(system: Labelled, known: list[About]) -> Iterator[Finding]:
    """What one system's columns allow to be looked at."""
    about: list[About] = ["system"]
    about += ["scored"] if system.scored is not None else []
    about += ["probabilities"] if system.probabilities is not None else []
    known += about
    for one in about:
        yield from _found(one, system)


def _found(about: About, what: Any) -> Iterator[Finding]:
    for check in checks_of_predictions():
        if check.about == about:
            yield from check.find(what)
