"""What a classifier did, as a command is given it: a matrix, scores, or a file of predictions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.errors import InputError, ParameterError

if TYPE_CHECKING:
    from assay.counting.confusion_matrix import ConfusionMatrix
    from assay.counting.scored import Scored
    from assay.tables import Predictions


class LabelInputs(NamedTuple):
    """Options about classifiers, as they were typed."""

    matrix: str | None = None
    scores: str | None = None
    labels: str | None = None
    positive: str | None = None
    orientation: str | None = None
    system: str | None = None
    truth: str | None = None
    prediction: str | None = None
    score: str | None = None
    weight: str | None = None
    ids: str | None = None
    nulls: str | None = None

    def refuse(self, why: str, *names: str) -> None:
        """Refuse what has no meaning here."""
        for name in names or self._fields:
            if getattr(self, name) is not None:
                raise ParameterError(f"--{name} {why}")

    def confusion_matrix(self) -> ConfusionMatrix:
        """The matrix that was typed, or that a file holds."""
        from assay.counting.confusion_matrix import ConfusionMatrix  # noqa: PLC0415
        from assay.files.matrices import read_matrix  # noqa: PLC0415
        from assay.files.typed_labels import labels_in, looks_like_matrix, matrix_in  # noqa: PLC0415

        self.refuse("goes with predictions, not with --matrix", "system", *_COLUMNS)
        turned: Any = self.orientation
        text = self.matrix or ""
        labels = None if self.labels is None else labels_in(self.labels)
        if looks_like_matrix(text):
            rows = matrix_in(text)
            if labels is not None and len(labels) != len(rows):
                raise ParameterError(f"--labels: expected {len(rows)}, one for each row, got {len(labels)}")
            orientation = {} if turned is None else {"orientation": turned}
            return ConfusionMatrix.from_matrix(rows, labels, **orientation, pos_label=self.positive)
        found = read_matrix(text, orientation=turned)
        made = ConfusionMatrix.from_matrix(found.table, found.labels, pos_label=self.positive)
        return made if labels is None else made.in_order(labels)

    def scored(self) -> Scored:
        """The scores that were typed."""
        from assay.counting.scored import Scored  # noqa: PLC0415
        from assay.files.typed_labels import scores_in  # noqa: PLC0415

        self.refuse("goes with a matrix, not with --scores", "labels", "positive", "orientation")
        self.refuse("goes with predictions, not with --scores", "system", *_COLUMNS)
        truth, scores = scores_in(self.scores or "")
        return Scored.from_scores(truth, scores, pos_label=True)

    def predictions(self, path: str) -> Predictions | None:
        """One system's predictions in a file; None if it holds something else."""
        from assay.files.predictions import looks_like_predictions, read_predictions  # noqa: PLC0415
        from assay.files.sources import Source  # noqa: PLC0415
        from assay.files.typed_labels import labels_in  # noqa: PLC0415

        source = Source(path)
        said = any(getattr(self, name) is not None for name in _COLUMNS)
        if not said and not looks_like_predictions(source):
            if path != "-" and not Path(path).exists():
                raise InputError(f"{path}: cannot be read: no such file or directory")
            return None
        made = read_predictions(
            source, truth=self.truth, prediction=self.prediction, score=self.score, item=self.ids, weight=self.weight,
            systems=None if self.system is None else [self.system], pos_label=self.positive,
            labels=None if self.labels is None else labels_in(self.labels), nulls=_nulls(self.nulls),
        )  # fmt: skip
        if len(made) > 1:
            names = ", ".join(one.name for one in made)
            raise InputError(f"{path}: whose predictions? say --system NAME: there are {names}")
        return made[0]


#: Options that say which columns of a file hold what.
_COLUMNS = ("truth", "prediction", "score", "weight", "ids", "nulls")


def _nulls(said: str | None) -> Any:
    known = ("error", "drop", "label")
    if said not in {None, *known}:
        raise ParameterError(f"--nulls is one of {', '.join(known)}, not {said!r}")
    return said or "error"
