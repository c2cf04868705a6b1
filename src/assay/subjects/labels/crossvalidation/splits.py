"""Items in folds, by scikit-learn's splitters; and what a model may know of the items it is tested on."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assay.core.digits import as_level
from assay.core.domains import CONFIDENCE, Choice, Whole
from assay.core.errors import InputError, ParameterError, listed, need, number_of
from assay.measures.counting.judgments import Floats, Ints
from assay.subjects.labels.crossvalidation.measuring import TINY, FoldRecord, LabelTask

#: Rows tell items apart if such a share of them is distinct; or a smaller one, if equal rows have equal labels.
_TELLING, _LEAST_TELLING = 0.5, 0.1


def codes_of(values: Iterable[Any]) -> Ints:
    """A number for each distinct value, in the order of their first appearance.

    >>> codes_of(["b", "a", "b"]).tolist()
    [0, 1, 0]
    """
    places: dict[Any, int] = {}
    return np.fromiter((places.setdefault(value, len(places)) for value in values), dtype=np.int64)


def row_codes(X: Any) -> Ints | None:  # noqa: N803  # what scikit-learn calls the features
    """A number for each distinct row of features; None where rows cannot be told apart so.

    >>> row_codes(np.array([[1.0, 2.0], [0.0, 0.0], [1.0, 2.0]])).tolist()
    [0, 1, 0]
    """
    if hasattr(X, "tocsr"):
        rows = X.tocsr(copy=True)
        rows.sum_duplicates()
        rows.eliminate_zeros()
        sides = pairwise(rows.indptr)
        return codes_of((rows.indices[low:high].tobytes(), rows.data[low:high].tobytes()) for low, high in sides)
    is_plain = isinstance(X, np.ndarray) or hasattr(X, "to_numpy")
    table = np.asarray(X, dtype=None if is_plain else object)
    table = table.reshape(len(table), -1)
    if table.dtype.kind in "biuf":
        # Adding 0 makes one zero of the two.
        return codes_of(row.tobytes() for row in np.ascontiguousarray(table + 0))
    try:
        return codes_of(map(tuple, table.tolist()))
    except TypeError:  # lists and the like, which have no hash
        return None


def twin_codes(X: Any, labels: Ints) -> Ints | None:  # noqa: N803
    """A number for each distinct row, where equal rows are likely to be copies of one item; else None.

    Of few features with few values most items have equals, which are no copies: there, nothing can be told.

    >>> twin_codes(np.array([[0.1], [0.2], [0.3], [0.1]]), np.array([0, 1, 1, 1])).tolist()
    [0, 1, 2, 0]
    >>> twin_codes(np.array([[0], [1], [0], [1], [1]]), np.array([0, 1, 1, 0, 0])) is None
    True
    """
    rows = row_codes(X)
    if rows is None or not len(rows):
        return rows
    distinct = (int(rows.max()) + 1) / len(rows)
    several = len(np.unique(np.column_stack([rows, labels]), axis=0)) / len(rows)
    return rows if distinct >= _TELLING or (distinct >= _LEAST_TELLING and several == distinct) else None


def on_both_sides(codes: Ints, splits: Sequence[Split]) -> int:
    """How many items are tested by a model that has learned from one with the same code.

    >>> from assay.subjects.labels.crossvalidation.splits import Split
    >>> on_both_sides(np.array([0, 1, 0]), [Split(1, 1, np.array([0, 1]), np.array([2]))])
    1
    """
    is_known = np.zeros(len(codes), dtype=np.bool_)
    known = np.zeros(int(codes.max(initial=-1)) + 1, dtype=np.bool_)
    for split in splits:
        known[:] = False
        known[codes[split.train]] = True
        is_known[split.test[known[codes[split.test]]]] = True
    return int(is_known.sum())


def leaks(
    splits: Sequence[Split],
    truth: Sequence[Any],
    labels: Sequence[Any],
    *,
    X: Any = None,  # noqa: N803
    ids: Iterable[Any] | None = None,
    groups: Iterable[Any] | None = None,
    times: Floats | None = None,
) -> list[str]:
    """Warnings of the same item, group or features on both sides of a fold, and of learning from the future.

    And of labels that cannot be learned; `labels` is empty where items have several.
    """
    places = {label: place for place, label in enumerate(labels)}
    codes = np.array([places[label] for label in truth if labels], dtype=np.int64)
    tested = number_of("item", len(np.unique(np.concatenate([split.test for split in splits]))))
    by_row = {
        "them": range(len(truth)),
        "a row with the same id": ids,
        "a row with the very same features: copies of one item should be in one group": (
            None if X is None else twin_codes(X, codes)
        ),
    }
    warnings: list[str] = []
    for what, values in (by_row | {"their group": groups}).items():
        if values is None or (warnings and what in by_row):
            continue
        if same := on_both_sides(codes_of(values), splits):
            warnings.append(f"leak: {same:,} of {tested} are tested by a model that has learned from {what}")
    early = 0 if times is None else sum(times[split.train].max() > times[split.test].min() for split in splits)
    if early:
        where = f"in {early} of {number_of('fold', len(splits))}"
        warnings.append(f"leak: {where} a model has learned from items of a later time than some it is tested on")
    return warnings + (labels_not_learned(splits, codes, labels) if labels else [])


def labels_not_learned(splits: Sequence[Split], codes: Ints, labels: Sequence[Any]) -> list[str]:
    """A warning of folds whose training set lacks a label; `codes` are the places of labels.

    >>> from assay.subjects.labels.crossvalidation.splits import Split
    >>> labels_not_learned([Split(1, 7, np.array([0]), np.array([1]))], np.array([0, 1]), ["ham", "spam"])
    ['in 1 of 1 fold a label is missing from the training items: fold 7 has none of spam']
    """
    absent = [np.bincount(codes[split.train], minlength=len(labels)) == 0 for split in splits]
    lacking = [(split.fold, gone) for split, gone in zip(splits, absent, strict=True) if gone.any()]
    if not lacking:
        return []
    first, gone = lacking[0]
    without = listed([str(label) for label, is_absent in zip(labels, gone, strict=True) if is_absent])
    where = f"{len(lacking)} of {number_of('fold', len(splits))}"
    return [f"in {where} a label is missing from the training items: fold {first} has none of {without}"]


#: What `cv` may be besides a number of folds, a splitter or pairs of row numbers.
WORDS = ("repeated", "5x2", "leave-one-out", "time", "split")
#: More splits than these are refused: a model would be fitted for each.
MOST_SPLITS = 10_000


@dataclass(frozen=True, eq=False)
class FoldItems:
    """What estimators learn from: features and labels, as scikit-learn takes them, with ids and weights."""

    X: Any
    y: Any
    labels: tuple[Any, ...]
    #: The positive one, where there are two labels.
    positive: Any
    ids: pl.Series
    weight: Floats | None = None
    #: As they were given.
    groups: Any = None
    times: Floats | None = None

    def __len__(self) -> int:
        return len(self.y)

    @property
    def task(self) -> LabelTask:
        """What is to be learned."""
        return LabelTask("binary" if len(self.labels) == 2 else "multiclass", self.labels, self.positive)

    def taken(self, rows: Ints) -> FoldItems:
        """Some of the items."""
        columns = {name: getattr(self, name) for name in ("y", "ids", "weight", "groups", "times")}
        some = {name: column[rows] for name, column in columns.items() if column is not None}
        return replace(self, X=rows_of(self.X, rows), **some)


def rows_of(X: Any, rows: Ints) -> Any:  # noqa: N803  # what scikit-learn calls the features
    """Some rows of features, of whatever kind.

    >>> rows_of(["a", "b", "c"], np.array([2, 0]))
    ['c', 'a']
    """
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if isinstance(X, list | tuple):
        return [X[row] for row in rows]
    return (X.tocsr() if hasattr(X, "tocsr") else X)[rows]


class Split(NamedTuple):
    """The items that one model learns from, and those that it is tested on, as row numbers from 0.

    Where it is not `stated` what is learned from, that is all of `known` but the tested items: thousands of folds that
    each leave out an item would not fit into memory row by row.

    >>> Split(1, 1, np.arange(4), np.array([2]), stated=False).train.tolist()
    [0, 1, 3]
    """

    repeat: Any
    fold: Any
    known: Ints
    test: Ints
    stated: bool = True

    @property
    def train(self) -> Ints:
        """The rows learned from."""
        return self.known if self.stated else np.setdiff1d(self.known, self.test, assume_unique=True)

    @property
    def record(self) -> FoldRecord:
        """How many items there are on either side."""
        return FoldRecord(self.repeat, self.fold, len(self.train), len(self.test))


class Splits(NamedTuple):
    """All splits, how they were made in words, and what is odd about them."""

    each: tuple[Split, ...]
    says: str
    warnings: tuple[str, ...] = ()
    #: Whether items are tested several times in a repeat.
    overlap: bool = False

    @property
    def tiny(self) -> bool:
        """Whether folds are of so few items that most measures of a single fold are undefined."""
        return max(len(split.test) for split in self.each) <= TINY


def split_items(
    items: FoldItems, cv: Any, *, repeats: int = 1, stratify: bool = True, test_size: float = 0.2, seed: int = 0
) -> Splits:
    """Split items as `crossval` says."""
    need("sklearn", extra="sklearn", purpose="splitting items")
    Whole(1).check("repeats", repeats)
    Whole(0).check("seed", seed)
    is_word = isinstance(cv, str)
    is_given = not is_word and (hasattr(cv, "split") or isinstance(cv, Iterable))
    if not is_given:
        (Choice(WORDS) if is_word else Whole(2)).check("cv", cv)
    if repeats > 1 and (is_given or (is_word and cv not in {"repeated", "split"})):
        raise ParameterError(f"repeats={repeats} has no effect with cv={cv if is_word else 'a splitter'}: leave it out")
    if is_given:
        splitters, says = [cv], type(cv).__name__ if hasattr(cv, "split") else "given splits"
        seen = items.X, items.y, items.groups
    else:  # these look at no features, and at codes only
        splitters, says = _splitters(items, cv, repeats=repeats, stratify=stratify, test_size=test_size, seed=seed)
        seen = (
            np.zeros((len(items), 1)),
            codes_of(items.y.tolist()),
            items.groups if items.groups is None else codes_of(items.groups),
        )
    each: list[Split] = []
    overlap = False
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for repeat, splitter in enumerate(splitters, 1):
            numbered, overlap = _numbered(splitter, _pairs_of(splitter, says, *seen))
            each += numbered if len(splitters) == 1 else [split._replace(repeat=repeat) for split in numbered]
    if is_word and cv == "time" and items.times is not None:
        order = np.argsort(items.times, kind="stable")
        each = [Split(1, split.fold, order[split.train], order[split.test]) for split in each]
    messages = dict.fromkeys(" ".join(str(warning.message).split()) for warning in caught)
    if is_given and getattr(cv, "shuffle", True) and getattr(cv, "random_state", 0) is None:
        messages[f"{says} has no random_state: its folds differ from run to run"] = None
    return Splits(tuple(each), f"{says}, splits overlap" if overlap else says, tuple(messages), overlap)


@dataclass(frozen=True)
class DrawnFolds:
    """Folds that are drawn anew for every set of labels, as scikit-learn asks a splitter for them."""

    items: FoldItems
    cv: Any
    stratify: bool
    seed: int

    def split(self, X: Any, y: Any, groups: Any = None) -> list[tuple[Ints, Ints]]:  # noqa: N803
        """Rows to learn from and to test on; groups are those of the items."""
        splits = split_items(replace(self.items, X=X, y=y), self.cv, stratify=self.stratify, seed=self.seed)
        return [(split.train, split.test) for split in splits.each]

    def get_n_splits(self, X: Any, y: Any, groups: Any = None) -> int:  # noqa: N803
        """How many splits there are."""
        return len(self.split(X, y, groups))


def _splitters(
    items: FoldItems, cv: Any, *, repeats: int, stratify: bool, test_size: float, seed: int
) -> tuple[list[Any], str]:
    """A splitter of scikit-learn for each repeat, by our own words, and how items are then split, in words."""
    from sklearn import model_selection  # noqa: PLC0415  # an extra

    if cv == "leave-one-out":
        return [model_selection.LeaveOneOut()], cv
    if cv == "time":
        basis = "the rows, taken for that of time" if items.times is None else "time"
        return [model_selection.TimeSeriesSplit(5)], f"5 folds in the order of {basis}"
    by_group, stratified = items.groups is not None, "Stratified" if stratify else ""
    alike, whole = ", stratified by label" * stratify, ", groups kept whole" * by_group
    if cv == "split":
        # There is none that keeps groups whole and shares of labels alike in a single random split.
        kind = "GroupShuffleSplit" if by_group else f"{stratified}ShuffleSplit"
        size = CONFIDENCE.check("test_size", test_size)
        splitters = [getattr(model_selection, kind)(n_splits=repeats, test_size=size, random_state=seed)]
        says = f"{as_level(1 - size)} of items to learn from, {as_level(size)} to test{whole or alike}"
    else:
        # Five times two folds are what the 5x2cv tests of two models are made for.
        words = {"repeated": (5, repeats if repeats > 1 else 10), "5x2": (2, 5)}
        folds, repeats = words[cv] if isinstance(cv, str) else (int(cv), repeats)
        fold = getattr(model_selection, f"{stratified}{'Group' * by_group}KFold")
        says = f"{folds} folds{alike}{whole}"
        if by_group and not stratify and repeats == 1:
            return [fold(folds)], says  # nothing is drawn: the largest groups are dealt out first
        splitters = [fold(folds, shuffle=True, random_state=seed + repeat) for repeat in range(repeats)]
    says += f", shuffled with seed {seed}"
    return splitters, f"{says}, {repeats} times" if repeats > 1 else says


def _pairs_of(cv: Any, name: str, *seen: Any) -> list[Split]:
    """Rows to learn from and to test, checked; an error if there are too many pairs, or none can be made."""
    every = np.arange(len(seen[1]))
    try:
        pairs = cv.split(*seen) if hasattr(cv, "split") else cv
        each = [_split(number, pair, every) for number, pair in enumerate(islice(pairs, MOST_SPLITS + 1), 1)]
    except InputError:
        raise
    except (ValueError, TypeError) as problem:
        raise InputError(f"the items cannot be split like this: {' '.join(str(problem).split())}") from problem
    if len(each) > MOST_SPLITS:
        raise ParameterError(f"{name} makes more than {MOST_SPLITS:,} splits, which is the most: use folds")
    if not each:
        raise InputError("cv: expected at least one split, got none")
    return each


def _split(number: int, pair: Any, every: Ints) -> Split:
    """A split, its rows checked; it does not hold those learned from if these are all others."""
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise InputError("cv: expected pairs of row numbers, those to learn from and those to test on")
    learned, tested = (_rows(part, len(every)) for part in pair)
    if not len(learned) or not len(tested):
        raise InputError(f"cv: split {number} has no item to {'test on' if len(learned) else 'learn from'}")
    if len(np.unique(tested)) < len(tested):
        raise InputError(f"cv: split {number} tests row {np.bincount(tested).argmax()} several times")
    others = Split(1, 1, every, tested, stated=False)
    return others if np.array_equal(learned, others.train) else Split(1, 1, learned, tested)


def _rows(part: Any, items: int) -> Ints:
    rows = np.asarray(part)
    if rows.dtype == np.bool_ and len(rows) == items:
        rows = np.flatnonzero(rows)
    if rows.ndim != 1 or (rows.size and (rows.dtype.kind not in "iu" or rows.min() < 0 or rows.max() >= items)):
        raise InputError(f"cv: expected row numbers from 0 to {items - 1:,}, or a mask of all rows")
    return rows.astype(np.int64, copy=False)


def _numbered(cv: Any, pairs: list[Split]) -> tuple[list[Split], bool]:
    """Splits with repeats and folds, and whether they overlap within a repeat.

    A repeat ends where an item would be tested twice. If repeats do not all test the same items, they are none: then
    each random split stands alone, and others, such as those that leave out all pairs of groups, overlap.
    """
    from sklearn.model_selection import BaseShuffleSplit  # noqa: PLC0415

    if isinstance(cv, BaseShuffleSplit):
        return [pair._replace(repeat=place) for place, pair in enumerate(pairs, 1)], False
    each: list[Split] = []
    tested: list[set[int]] = []
    fold = 0
    for pair in pairs:
        rows = set(pair.test.tolist())
        if not tested or not tested[-1].isdisjoint(rows):
            tested.append(set())
            fold = 0
        tested[-1] |= rows
        fold += 1
        each.append(pair._replace(repeat=len(tested), fold=fold))
    if all(rows == tested[0] for rows in tested):
        return each, False
    return [pair._replace(repeat=1, fold=place) for place, pair in enumerate(pairs, 1)], True
