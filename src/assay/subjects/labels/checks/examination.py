"""Predictions as the doctor looks at them, one file after the other."""

from __future__ import annotations

from collections.abc import Iterator

from assay.core.errors import ParameterError, listed, number_of
from assay.files.predictions import StatedColumns
from assay.subjects.labels.checks.examined_predictions import ExaminedPredictions, PredictionsFile, open_predictions
from assay.subjects.labels.checks.items import comparable, open_training
from assay.verbs.diagnosis.examination import Examination, Examined, Overview


class LabelsExamination(Examination):
    """A file of predictions, one beside what was trained on, systems, their scores and probabilities, all files.

    Further options: `column_names`: which columns hold what; `list_separator`: what stands between several labels in a
    cell. `{name: file}` as an input names a file's system.
    """

    modules = tuple(f"assay.subjects.labels.checks.{name}" for name in ("columns", "items"))
    options = ("train", "pos_label")

    def things(self) -> Iterator[Examined]:
        """Each file, with its systems, then all files together."""
        if not self.inputs:
            raise ParameterError("there is no file of predictions to look at")
        self.files: list[PredictionsFile] = []
        self.systems: list[ExaminedPredictions] = []
        names, train = self.stated.get("column_names") or StatedColumns(), self.stated.get("train")
        for path in self.inputs:
            separator = self.stated.get("list_separator")
            file, systems = open_predictions(path, names, self.stated.get("pos_label"), separator)
            self.watch(file.file)
            self.files.append(file)
            self.systems += systems
            yield Examined(file, ("predictions",))
            if file.frame is not None and train is not None:
                trained = open_training(file, train)
                comparable(trained)
                yield Examined(trained, ("training",))
            for system in systems:
                yield Examined(system, ("system",))
                if system.scored is not None:
                    yield Examined(system, ("scored",))
                if system.probabilities is not None:
                    yield Examined(system, ("probabilities",))
        tables = list({id(system.of): system for system in reversed(self.systems)}.values())[::-1]
        if len(tables) > 1:
            yield Examined(tables, ("together",))

    def overview(self) -> Overview:
        """The files, and the systems in them."""
        files, systems = tuple(file.file for file in self.files), tuple(system.name for system in self.systems)
        title = f"{listed(files)}, {number_of('system', len(systems))}"
        return Overview(title, {"predictions": [*files], "systems": [*systems]}, len(systems), systems=systems)
