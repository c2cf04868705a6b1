"""Predictions of classifiers: the options of all commands that take them, and how they are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeAlias

import typer

from assay.cli import inputs
from assay.cli.options import one_of
from assay.cli.output import message
from assay.core.errors import AssayError, EmptyFileError, InputError, ParameterError, did_you_mean, listed, number_of

if TYPE_CHECKING:
    from assay.cli.typed_labels import TypedScores
    from assay.counting.confusion_matrix import ConfusionMatrix
    from assay.files import Source
    from assay.tables import Predictions

PANEL = "Predictions of classifiers"
NULLS = ("error", "drop", "label")
UNKNOWN = ("error", "other")
ORIENTATIONS = ("rows_are_true", "rows_are_predicted")

Truth: TypeAlias = Annotated[
    str | None, typer.Option(help="Column of the true labels; usual names are known.", rich_help_panel=PANEL)
]
Prediction: TypeAlias = Annotated[
    str | None, typer.Option(help="Column of the predicted labels; usual names are known.", rich_help_panel=PANEL)
]
Score: TypeAlias = Annotated[
    str | None,
    typer.Option(help="Column of the scores of the positive label; usual names are known.", rich_help_panel=PANEL),
]
ItemId: TypeAlias = Annotated[
    str | None,
    typer.Option("--item-id", help="Column of the items' ids; usual names are known.", rich_help_panel=PANEL),
]
Weight: TypeAlias = Annotated[
    str | None, typer.Option(help="Column of the items' weights; usual names are known.", rich_help_panel=PANEL)
]
System: TypeAlias = Annotated[
    str | None, typer.Option(help="Which system, if there are several.", rich_help_panel=PANEL)
]
Systems: TypeAlias = Annotated[
    list[str] | None, typer.Option("--system", help="Only this system of several; repeat.", rich_help_panel=PANEL)
]
Nulls: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="Absent labels: error (default), drop, label (an absent prediction is never right).", rich_help_panel=PANEL
    ),
]
ListSeparator: TypeAlias = Annotated[
    str | None, typer.Option(help="What stands between several labels in a cell, such as ';'.", rich_help_panel=PANEL)
]
Labels: TypeAlias = Annotated[
    str | None, typer.Option(help="All labels in their order: Woman,Man,Child.", rich_help_panel=PANEL)
]
Unknown: TypeAlias = Annotated[
    str | None,
    typer.Option(help="Labels that --labels lacks: error (default), other (count as one).", rich_help_panel=PANEL),
]
Positive: TypeAlias = Annotated[
    str | None, typer.Option(help="The positive one of two labels, if it is not 1 or true.", rich_help_panel=PANEL)
]
OneClass: TypeAlias = Annotated[
    str | None, typer.Option("--class", help="This class against all others.", rich_help_panel=PANEL)
]
Threshold: TypeAlias = Annotated[
    float | None, typer.Option(help="Predict positive from this score on.", rich_help_panel=PANEL)
]
#: Options that only a table of predictions has a use for: whoever says them gives one.
_COLUMNS = ("truth", "prediction", "score", "item_id", "weight", "list_separator")
#: Options that have no meaning for clusters; the others are about both.
NOT_OF_CLUSTERS = (
    "prediction", "score", "nulls", "list_separator", "labels", "unknown", "positive", "one_class", "threshold",
)  # fmt: skip
#: Options that have no meaning for a matrix, or for a list of scores.
_OF_FILES = (*_COLUMNS, "system", "nulls", "unknown")


class PredictionInputs(NamedTuple):
    """Options about predictions, as they were typed."""

    truth: str | None = None
    prediction: str | None = None
    score: str | None = None
    item_id: str | None = None
    weight: str | None = None
    system: Sequence[str] | str | None = None
    nulls: str | None = None
    list_separator: str | None = None
    labels: str | None = None
    unknown: str | None = None
    positive: str | None = None
    one_class: str | None = None
    threshold: float | None = None

    def refuse(self, why: str, *names: str) -> None:
        """Refuse options, or those of the names given, where they have no meaning."""
        for name in names or self._fields:
            if getattr(self, name) not in (None, []):
                raise ParameterError(f"--{'class' if name == 'one_class' else name.replace('_', '-')} {why}")

    def looked_at(self, files: Sequence[str]) -> tuple[bool, list[str | Source]]:
        """Whether the files hold predictions, and the files: what can be read only once was opened for that.

        What was said of columns settles it, else the columns of the first file do. A file of predictions beside one of
        something else is refused, and so are options of predictions where there are none.
        """
        inputs.each_named("", list(files))
        said = self._says_columns()
        first = inputs.kept(files[0])
        if said or _holds_predictions(first):
            every = [first, *(inputs.kept(file) for file in files[1:])]
            if not said and (other := next((file for file in every if not _holds_predictions(file)), None)):
                raise _of_two_kinds(files[0], other)
            return True, every
        # A pipe among the runs is left alone: it can be read only once.
        for file in files[1:]:
            if Path(inputs.named(file)[1]).is_file() and _holds_predictions(file):
                raise _of_two_kinds(file, first)
        if first == files[0] and any(self) and not Path(path := inputs.named(files[0])[1]).exists():
            raise InputError(f"{path}: cannot be read: no such file or directory")
        self.refuse("goes with predictions of classifiers, and these are none")
        return False, [first, *files[1:]]

    def may_be_file(self, word: str) -> bool:
        """Whether a word, which may also name a system, is a file of predictions."""
        path = inputs.named(word)[1]
        return path == "-" or (Path(path).exists() and (self._says_columns() or _holds_predictions(word)))

    def _says_columns(self) -> bool:
        return any(getattr(self, name) is not None for name in _COLUMNS)

    def read(self, files: Sequence[str | Source], keep: Mapping[str, str | None] | None = None) -> list[Predictions]:
        """The systems of all files, as far as they were asked for; `name=FILE` names the system, or goes before it.

        `keep`: further columns, by the names they get, as `read_predictions` takes them.
        """
        from assay.classification.inputs import against_rest  # noqa: PLC0415  # `assay --help` loads no Polars
        from assay.cli.typed_labels import labels_in  # noqa: PLC0415
        from assay.files.predictions import read_predictions  # noqa: PLC0415

        if self.one_class is not None and self.positive is not None:
            raise ParameterError("--class makes its class the positive one: leave --positive out")
        if self.unknown is not None and self.labels is None:
            raise ParameterError("--unknown goes with --labels, which says what is known")
        rules: dict[str, Any] = {
            "nulls": one_of("nulls", self.nulls, NULLS) or "error",
            "unknown": one_of("unknown", self.unknown, UNKNOWN) or "error",
            "labels": None if self.labels is None else labels_in(self.labels),
        }
        read: list[tuple[str | None, list[Predictions]]] = []
        for file in files:
            name, path = inputs.named(file) if isinstance(file, str) else (None, file)
            own = read_predictions(
                path, truth=self.truth, prediction=self.prediction, score=self.score, item=self.item_id,
                weight=self.weight, pos_label=self.positive, list_separator=self.list_separator, name=name,
                keep=keep, **rules,
            )  # fmt: skip
            read.append((name, own))
        wanted = self._wanted([one.name for _, own in read for one in own])
        found: list[Any] = []
        for name, own in read:
            kept = [one for one in own if one.name in wanted]
            several = len(kept) > 1
            found += kept if name is None else [
                replace(one, name=f"{name} {one.name}" if several else name) for one in kept
            ]  # fmt: skip
        if self.one_class is not None:
            found = [against_rest(one, self.one_class) for one in found]
        return found

    def _wanted(self, names: list[str]) -> list[str]:
        """The systems that were asked for; all, unless some were."""
        if self.system is None or self.system == []:
            return names
        asked = [self.system] if isinstance(self.system, str) else list(self.system)
        for name in asked:
            if name not in names:
                raise ParameterError(
                    f"--system: no system is called {name!r}: there are {listed(names)}{did_you_mean(name, names)}"
                )
        return asked

    def one(self, file: str | Source) -> Predictions:
        """The only system, or the one that was asked for."""
        found = self.read([file])
        if len(found) > 1:
            where, names = found[0].origin, ", ".join(one.name for one in found)
            raise InputError(f"{where}: whose predictions? say --system NAME: there are {names}")
        return found[0]

    def scored(self, files: Sequence[str | Source]) -> list[Predictions]:
        """The systems that have a score an item, in files that hold nothing else."""
        found = self.read(files)
        scored = [one for one in found if one.score is not None or one.class_scores]
        if not scored:
            raise InputError(f"{found[0].origin}: expected scores, one an item, got labels only")
        for one in scored:
            if one.class_scores and len(one.class_scores) > 2:
                names = [str(label) for label in one.class_scores]
                raise ParameterError(
                    f"{one.name}: there is a score a class ({listed(names)}): say which class is meant, against all "
                    f"others, as in --class {names[0]}"
                )
        return scored

    def matrix(self, text: str, orientation: str | None) -> ConfusionMatrix:
        """The matrix that was typed, or that a file holds."""
        from assay.cli.typed_labels import labels_in, looks_like_matrix, matrix_in  # noqa: PLC0415
        from assay.counting.confusion_matrix import ConfusionMatrix  # noqa: PLC0415
        from assay.files.small_tables import read_matrix  # noqa: PLC0415

        self.refuse("goes with predictions, not with --matrix", *_OF_FILES)
        if not text.strip():
            raise ParameterError("--matrix: expected a matrix, such as '13 4; 2 15', or a file of one, got nothing")
        turned: Any = one_of("orientation", orientation, ORIENTATIONS)
        labels = None if self.labels is None else labels_in(self.labels)
        if looks_like_matrix(text):
            rows = matrix_in(text)
            if labels is not None and len(labels) != len(rows):
                raise ParameterError(f"--labels: expected {len(rows)}, one for each row, got {len(labels)}")
            as_said = {} if turned is None else {"orientation": turned}
            return ConfusionMatrix.from_matrix(rows, labels, **as_said, pos_label=self.positive)
        found = read_matrix(text, orientation=turned)
        made = ConfusionMatrix.from_matrix(found.table, found.labels, pos_label=self.positive)
        return made if labels is None else made.in_order(labels)

    def typed_scores(self, text: str) -> TypedScores:
        """The list of scores that was typed: whether each item is positive, and its score."""
        from assay.cli.typed_labels import scores_in  # noqa: PLC0415

        self.refuse("goes with a file, not with --scores", *_OF_FILES, "labels", "positive", "one_class")
        return scores_in(text)

    def rules(self, missing: str | None) -> dict[str, Any]:
        """The rules as `compare` and `gate` take them."""
        if missing not in {None, "error", "drop"}:
            raise ParameterError(f"--missing is error or drop for items that a system lacks, not {missing!r}")
        return {"pos_label": self.positive, "threshold": self.threshold, "missing": missing or "error"}


def say(systems: Sequence[Predictions], what: str = "item") -> None:
    """Tell on stderr what was read; `what` a row is, where it is not an item."""
    for path in dict.fromkeys(one.origin for one in systems):
        here = [one for one in systems if one.origin == path]
        names = f", systems {', '.join(one.name for one in here)}" if len(here) > 1 else ""
        message(f"{path}: {number_of(what, len(here[0]))}{names}")


def _holds_predictions(file: str | Source) -> bool:
    from assay.files.predictions import looks_like_predictions  # noqa: PLC0415

    return looks_like_predictions(inputs.named(file)[1] if isinstance(file, str) else file)


def no_predictions(file: str | Source, instead: str) -> AssayError:
    """What to say of a file that was given alone, and holds no predictions: there is none, nothing in it, or other."""
    from assay.files import Source  # noqa: PLC0415
    from assay.files.named_columns import names_of  # noqa: PLC0415
    from assay.files.prediction_columns import SHAPE  # noqa: PLC0415
    from assay.files.registry import head_of  # noqa: PLC0415

    path = inputs.named(file)[1] if isinstance(file, str) else file
    if isinstance(path, str) and path != "-" and not Path(path).exists():
        return InputError(f"{path}: cannot be read: no such file or directory")
    source = Source(path) if isinstance(path, str) else path
    try:
        head = head_of(source)
        names = names_of(head)
    except AssayError as problem:
        return problem
    if not head.numbered:
        return EmptyFileError(source.name, SHAPE)
    if names and all(name.isprintable() for name in names):
        return ParameterError(f"{source.name}: {instead}; columns {listed(names)} are no predictions")
    return ParameterError(f"{source.name}: {instead}")


def _of_two_kinds(one: str | Source, other: str | Source) -> InputError:
    names = [file if isinstance(file, str) else file.name for file in (one, other)]
    return InputError(f"{names[0]} holds predictions, and {names[1]} does not: give files of one kind")
