"""Which columns of a file hold the truth, the predictions, the scores: as said, or guessed by their names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from assay.core.arguments import argument, worded
from assay.core.errors import FormatError, ParameterError, did_you_mean, listed
from assay.files.headers import columns_of, folded_name

#: One column; several, a system each (or, of scores, a label each); or names (of systems, of labels) to columns.
Columns: TypeAlias = str | Sequence[str] | Mapping[str, str] | None

# Where a file has several of these, the plainer word counts: beside `gold`, a `label` may be anybody's.
TRUTH = ("truth", "y_true", "true_label", "gold", "ground_truth", "actual", "true", "target", "label", "labels")
PREDICTION = ("prediction", "y_pred", "predicted", "pred", "predicted_label", "predictions")
SCORE = ("score", "y_score", "probability", "prob", "proba", "y_proba", "y_prob", "confidence", "scores")
ITEM = ("item_id", "id", "item", "example_id", "sample_id", "")
WEIGHT = ("weight", "sample_weight")
SYSTEM = ("system", "model", "classifier")
_TRUTH_STEMS = ("truth", "y_true", "gold")
_PREDICTION_STEMS = ("prediction", "y_pred", "predicted", "pred")
_SCORE_STEMS = ("score", "y_score", "probability", "prob", "proba", "y_proba", "y_prob")
_MARKS = ("_", ":")
SHAPE = (
    "a table with a column `truth` and a column `prediction` or `score` "
    "(other names are said with {truth}, {prediction}, {score})"
)


_NOTHING: Mapping[str, str] = MappingProxyType({})


class SystemColumns(NamedTuple):
    """The columns of one system; `None` is a name that the file does not tell."""

    name: str | None
    prediction: str | None = None
    #: Labels to columns of 0 and 1, where items have several labels.
    indicators: Mapping[str, str] = _NOTHING
    score: str | None = None
    #: Labels to columns of scores.
    class_scores: Mapping[str, str] = _NOTHING


class ColumnPlan(NamedTuple):
    """What each column is; `truth` is one column, or `indicators` are labels to columns of 0 and 1."""

    truth: str | None
    indicators: dict[str, str]
    item: str | None
    weight: str | None
    #: A column that names the system of each row.
    system: str | None
    systems: list[SystemColumns]
    #: What was read from one column though another one has a name for it, too.
    aside: tuple[str, ...] = ()


class StatedColumns(NamedTuple):
    """What the caller says about columns."""

    truth: Columns = None
    prediction: Columns = None
    score: Columns = None
    item: str | None = None
    weight: str | None = None


def looks_like(names: Sequence[str]) -> bool:
    """Whether a header is one of predictions: a truth, and predictions or scores; and not of a run or of judgments.

    >>> looks_like(["id", "label", "pred"]), looks_like(["query_id", "doc_id", "label", "score"])
    (True, False)
    """
    if columns_of("run", names) or columns_of("qrels", names):
        return False
    truth = _exact(names, TRUTH) or len(_suffixed(names, _TRUTH_STEMS, TRUTH)) > 1
    if not truth:
        return False
    if _exact(names, PREDICTION) or _exact(names, SCORE):
        return True
    return bool(_suffixed(names, (*_PREDICTION_STEMS, *_SCORE_STEMS), (*PREDICTION, *SCORE, *TRUTH)))


def plan(
    path: str, names: Sequence[str], stated: StatedColumns, labels: Callable[[Iterable[str]], set[str]]
) -> ColumnPlan:
    """Say what each column is; `labels` gives the labels that occur in columns, as text."""
    for columns in (stated.truth, stated.prediction, stated.score, stated.item, stated.weight):
        _refuse_absent(path, names, columns)
    truth, indicators = _truth(path, names, stated.truth)
    item = stated.item or _exact(names, ITEM)
    weight = stated.weight or _exact(names, WEIGHT)
    taken = {truth, item, weight, *indicators.values()}
    free = [name for name in names if name not in taken]
    predictions = _predictions(path, free, stated.prediction, indicators)
    held = [column for system in predictions for column in (system.prediction,) if column]
    used = {*held, *(column for system in predictions for column in system.indicators.values())}
    rest = [name for name in free if name not in used]

    def known() -> set[str]:
        return set(indicators) or labels([*([truth] if truth else []), *held])

    systems = _with_scores(path, predictions, rest, stated.score, known)
    if not systems:
        raise FormatError(path, 1, expected=worded(SHAPE), got=", ".join(names))
    layout = ColumnPlan(truth, indicators, item, weight, _exact(free, SYSTEM), systems)
    return layout._replace(aside=_aside(names, stated, layout))


def _aside(names: Sequence[str], columns: StatedColumns, layout: ColumnPlan) -> tuple[str, ...]:
    """Say which column was guessed to be something where a second one has a name for it and is left aside."""
    truth, item, weight, systems = layout.truth, layout.item, layout.weight, layout.systems
    nameless = next((system for system in systems if system.name is None), SystemColumns(None))
    scored = nameless.score or next((system.score for system in systems if system.score), None)
    guessed = {
        "truth": (columns.truth, truth, TRUTH), "prediction": (columns.prediction, nameless.prediction, PREDICTION),
        "score": (columns.score, scored, SCORE), "item": (columns.item, item, ITEM),
        "weight": (columns.weight, weight, WEIGHT),
    }  # fmt: skip
    read = {truth, item, weight, *(column for system in systems for column in _columns_of(system))}
    notes = []
    for what, (stated, chosen, known) in guessed.items():
        others = [name for name in names if name and folded_name(name) in known and name not in read]
        if stated is None and chosen is not None and others:
            ways = f"say {argument(what)} for another"
            notes.append(f"the {what} is read from the column {chosen!r}, not from {listed(others)}: {ways}")
    return tuple(notes)


def _columns_of(system: SystemColumns) -> tuple[str | None, ...]:
    return system.prediction, system.score, *system.indicators.values(), *system.class_scores.values()


def _truth(path: str, names: Sequence[str], stated: Columns) -> tuple[str | None, dict[str, str]]:
    if isinstance(stated, str):
        return stated, {}
    if stated is not None:
        return None, dict(stated) if isinstance(stated, Mapping) else {
            _label(name, _TRUTH_STEMS): name for name in stated
        }
    column = _exact(names, TRUTH)
    indicators: dict[str, str] = {} if column else _suffixed(names, _TRUTH_STEMS, TRUTH)
    if column is None and not indicators:
        raise FormatError(path, 1, expected=worded(SHAPE), got=", ".join(names))
    return column, indicators


def _predictions(path: str, free: Sequence[str], stated: Columns, indicators: Mapping[str, str]) -> list[SystemColumns]:
    """The systems that have predictions, each with its column or columns."""
    if isinstance(stated, str):
        return [SystemColumns(None, stated)]
    if stated is not None:
        pairs = (
            stated.items()
            if isinstance(stated, Mapping)
            else ((_label(name, _PREDICTION_STEMS), name) for name in stated)
        )
        return [SystemColumns(name, column) for name, column in pairs]
    plain = _exact(free, PREDICTION)
    systems = [SystemColumns(None, plain)] if plain else []
    suffixed = _suffixed(free, _PREDICTION_STEMS, (*PREDICTION, *TRUTH))
    scored = set(_scores_of_predictions(free).values())
    suffixed = {name: column for name, column in suffixed.items() if column not in scored}
    if not indicators:
        return systems + [SystemColumns(name, column) for name, column in suffixed.items()]
    indicated = {label: suffixed.pop(label) for label in indicators if label in suffixed}
    systems += [SystemColumns(None, indicators=indicated)] if indicated else []
    others: dict[str, dict[str, str]] = {}
    for rest, column in suffixed.items():
        label = next((name for name in indicators if rest.endswith(tuple(mark + name for mark in _MARKS))), None)
        if label is None:
            expected = f"predictions of the labels of the truth, {listed(list(indicators))}"
            raise FormatError(path, 1, expected=expected, got=column, note=f"no column truth_{rest} goes with it")
        others.setdefault(rest[: -len(label) - 1], {})[label] = column
    systems += [SystemColumns(name, indicators=columns) for name, columns in others.items()]
    for system in systems:
        if system.indicators and (lacking := [label for label in indicators if label not in system.indicators]):
            of = "" if system.name is None else f" of {system.name}"
            expected = f"a column of predictions{of} for each label of the truth, {listed(list(indicators))}"
            raise FormatError(path, 1, expected=expected, note=f"there is none for {listed(lacking)}")
    return systems


def _with_scores(
    path: str, systems: list[SystemColumns], rest: Sequence[str], stated: Columns, known: Callable[[], set[str]]
) -> list[SystemColumns]:
    """Add the columns of scores to the systems; those of systems that have nothing else make systems."""
    if stated is not None:
        return _with_said_scores(path, systems, stated)
    beside = _scores_of_predictions([*rest, *(system.prediction for system in systems if system.prediction)])
    plain = _exact(rest, SCORE) or beside.get("")
    nameless = next((system for system in systems if system.name is None), None)
    named = {
        system.name: system._replace(score=beside.get(system.name)) for system in systems if system.name is not None
    }
    if plain and nameless is None and len(named) == 1:
        named = {name: system._replace(score=plain) for name, system in named.items()}
    elif plain:
        nameless = (nameless or SystemColumns(None))._replace(score=plain)
    suffixed = _suffixed([name for name in rest if name != plain], _SCORE_STEMS, SCORE)
    labels = known() if suffixed else set()
    others: dict[str, str] = {}
    for rest_of_name, column in suffixed.items():
        system, label = _split(rest_of_name, named, labels)
        if system is None:
            others[rest_of_name] = column
        elif label:
            held = named[system].class_scores
            named[system] = named[system]._replace(class_scores={**held, label: column})
        else:
            named[system] = named[system]._replace(score=column)
    if set(others) & labels or any(":" in column for column in others.values()):
        # Scores of labels, also of those that never occur. They are those of the only system.
        if nameless is None and len(named) == 1:
            named = {name: system._replace(class_scores=others) for name, system in named.items()}
        elif nameless is None and named:
            raise FormatError(path, 1, expected=f"scores of {listed(list(named))}", got=listed(list(others.values())))
        else:
            nameless = (nameless or SystemColumns(None))._replace(class_scores=others)
        others = {}
    only_scores = [SystemColumns(name, score=column) for name, column in others.items()]
    return [*([] if nameless is None else [nameless]), *named.values(), *only_scores]


def _scores_of_predictions(names: Sequence[str]) -> dict[str, str]:
    """What is called prediction_score or pred_NAME_prob is the score of a prediction: by NAME, or under no name."""
    suffixed = _suffixed(names, _PREDICTION_STEMS, (*PREDICTION, *TRUTH))
    columns: dict[str, str] = {}
    for rest, column in suffixed.items():
        system, _, word = rest.rpartition("_")
        if folded_name(word) in SCORE and (not system or system in suffixed):
            columns.setdefault(system, column)
    return columns


def _split(text: str, systems: Mapping[str, SystemColumns], labels: set[str]) -> tuple[str | None, str]:
    """The system and the label in the rest of a column's name: `bm25`, `bm25_spam`, `spam`."""
    if text in systems:
        return text, ""
    for system in systems:
        for mark in _MARKS:
            if text.startswith(system + mark) and (mark == ":" or text.removeprefix(system + mark) in labels):
                return system, text.removeprefix(system + mark)
    return None, text


def _with_said_scores(path: str, systems: list[SystemColumns], stated: Columns) -> list[SystemColumns]:
    if isinstance(stated, str):
        first = systems[0] if systems else SystemColumns(None)
        return [first._replace(score=stated), *systems[1:]]
    if isinstance(stated, Mapping):
        first = systems[0] if systems else SystemColumns(None)
        return [first._replace(class_scores=dict(stated)), *systems[1:]]
    columns = list(stated or ())
    if len(systems) > 1:
        if len(systems) != len(columns):
            raise ParameterError(f"{path}: {len(systems)} columns of predictions, and {len(columns)} of scores")
        return [system._replace(score=column) for system, column in zip(systems, columns, strict=True)]
    if len(columns) == 1:
        return _with_said_scores(path, systems, columns[0])
    first = systems[0] if systems else SystemColumns(None)
    return [first._replace(class_scores={_label(column, _SCORE_STEMS): column for column in columns})]


def _exact(names: Sequence[str], known: Sequence[str]) -> str | None:
    folded = {folded_name(name): name for name in reversed(names)}
    return next((folded[name] for name in known if name in folded), None)


def _suffixed(names: Sequence[str], stems: Sequence[str], whole: Sequence[str]) -> dict[str, str]:
    """Names that start with one of these words and a mark, by what follows."""
    columns: dict[str, str] = {}
    for name in names:
        rest = _label(name, stems)
        if rest != name and rest and folded_name(name) not in whole:
            columns.setdefault(rest, name)
    return columns


def _label(name: str, stems: Sequence[str]) -> str:
    """What follows the first word of a name, if it is one of these; else the whole name."""
    for stem in sorted(stems, key=len, reverse=True):
        for mark in _MARKS:
            if name.casefold().startswith(stem + mark):
                return name[len(stem) + 1 :]
    return name


def _refuse_absent(path: str, names: Sequence[str], columns: Columns) -> None:
    wanted = (
        []
        if columns is None
        else [columns]
        if isinstance(columns, str)
        else list(columns.values() if isinstance(columns, Mapping) else columns)
    )
    for name in wanted:
        if name not in names:
            raise ParameterError(f"{path}: no column is called {name!r}: there are {listed(list(names))}"
                                 f"{did_you_mean(name, names)}")  # fmt: skip
