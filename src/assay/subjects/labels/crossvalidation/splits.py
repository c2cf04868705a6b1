"""Items in folds, by scikit-learn's splitters; and what a model may know of the items it is tested on."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from assay.core.digits import as_level
from assay.core.domains import CONFIDENCE, Choice, Whole
from assay.core.errors import InputError, ParameterError, need
from assay.measures.counting.judgments import Floats, Ints
from assay.subjects.labels.crossvalidation.items import FoldItems, codes_of
from assay.subjects.labels.crossvalidation.measuring import TINY, FoldRecord

#: What `cv` may be besides a number of folds, a splitter or pairs of row numbers.
WORDS = ("repeated", "5x2", "leave-one-out", "time", "split")
#: Folds and repeats of those words that stand for shuffled folds; the second are those that 5x2cv tests are made for.
_SHUFFLED = {"repeated": (5, 10), "5x2": (2, 5)}
#: More splits than these are refused: a model would be fitted for each.
MOST_SPLITS = 10_000


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

    def in_order(self, times: Floats) -> Split:
        """The same with the rows learned from in the order of time."""
        train = self.train
        return self._replace(known=train[np.argsort(times[train], kind="stable")], stated=True)

    @property
    def record(self) -> FoldRecord:
        """Numbers of items on either side."""
        return FoldRecord(self.repeat, self.fold, len(self.train), len(self.test))


class Splits(NamedTuple):
    """All splits, how they were made in words, and what is odd about them; scikit-learn takes them as `cv`."""

    each: tuple[Split, ...]
    says: str
    warnings: tuple[str, ...] = ()
    #: Whether items are tested several times in a repeat.
    overlap: bool = False

    @property
    def tiny(self) -> bool:
        """True if folds are of so few items that most measures of a single fold are undefined."""
        return max(len(split.test) for split in self.each) <= TINY

    def split(self, *items: Any, groups: Any = None) -> Iterator[tuple[Ints, Ints]]:
        """Rows to learn from and to test on, a pair at a time."""
        return ((split.train, split.test) for split in self.each)

    def get_n_splits(self, *items: Any, groups: Any = None) -> int:
        """The number of splits."""
        return len(self.each)


@dataclass(frozen=True, eq=False)
class Splitter:
    """One or more splitters of scikit-learn, one a repeat, as one; `says`: what they do, in words.

    Those that were made from a number or a word see codes of labels and groups, in the order of their appearance.
    """

    repeats: tuple[Any, ...]
    says: str
    is_made: bool
    groups: Any = None

    @classmethod
    def of(
        cls,
        cv: Any,
        *,
        groups: Any = None,
        times: Floats | None = None,
        repeats: int = 1,
        stratify: bool = True,
        test_size: float = 0.2,
        seed: int = 0,
    ) -> Splitter:
        """The splitter that `crossval` names, with whole groups if there are any."""
        need("sklearn", extra="sklearn", purpose="splitting items")
        from sklearn import model_selection  # noqa: PLC0415

        Whole(1).check("repeats", repeats)
        Whole(0).check("seed", seed)
        is_word = isinstance(cv, str)
        is_made = is_word or not (hasattr(cv, "split") or isinstance(cv, Iterable))
        if is_made:
            (Choice(WORDS) if is_word else Whole(2)).check("cv", cv)
        if repeats > 1 and (not is_made or (is_word and cv not in {"repeated", "split"})):
            name = cv if is_word else "a splitter"
            raise ParameterError(f"repeats={repeats} has no effect with cv={name}: leave it out")
        if not is_made:
            says = type(cv).__name__ if hasattr(cv, "split") else "given splits"
            return cls((model_selection.check_cv(cv),), says, is_made, groups)
        if cv == "leave-one-out":
            return cls((model_selection.LeaveOneOut(),), cv, is_made)
        if cv == "time":
            basis = "the rows, taken for that of time" if times is None else "time"
            return cls((model_selection.TimeSeriesSplit(5),), f"5 folds in the order of {basis}", is_made)
        by_group = groups is not None
        stratified = "Stratified" if stratify else ""
        alike, whole = ", stratified by label" * stratify, ", groups kept whole" * by_group
        if cv == "split":
            # There is none that keeps groups whole and shares of labels alike in a single random split.
            kind = "GroupShuffleSplit" if by_group else f"{stratified}ShuffleSplit"
            size = CONFIDENCE.check("test_size", test_size)
            splitters = [getattr(model_selection, kind)(n_splits=repeats, test_size=size, random_state=seed)]
            says = f"{as_level(1 - size)} of items to learn from, {as_level(size)} to test{whole or alike}"
        else:
            folds, usual = _SHUFFLED[cv] if is_word else (int(cv), 1)
            repeats = repeats if repeats > 1 else usual
            kind = f"{stratified}{'Group' * by_group}KFold"
            says = f"{folds} folds{alike}{whole}"
            if kind == "GroupKFold" and repeats == 1:  # nothing is drawn: the largest groups are dealt out first
                return cls((model_selection.GroupKFold(folds),), says, is_made, groups)
            splitters = [
                getattr(model_selection, kind)(folds, shuffle=True, random_state=seed + repeat)
                for repeat in range(repeats)
            ]
        says += f", shuffled with seed {seed}" + (f", {repeats} times" if repeats > 1 else "")
        return cls(tuple(splitters), says, is_made, groups)

    def split(self, X: Any, y: Any, groups: Any = None) -> Iterator[tuple[Any, Any]]:  # noqa: N803
        """Rows to learn from and to test on."""
        groups = self.groups if groups is None else groups
        if self.is_made:
            X, y = np.zeros((len(y), 1)), codes_of(y.tolist())  # noqa: N806
            groups = None if groups is None else codes_of(groups)
        return (pair for splitter in self.repeats for pair in splitter.split(X, y, groups))

    def get_n_splits(self, X: Any, y: Any, groups: Any = None) -> int:  # noqa: N803
        """The number of splits."""
        return sum(1 for _ in self.split(X, y, groups))


def split_items(
    items: FoldItems, cv: Any, *, repeats: int = 1, stratify: bool = True, test_size: float = 0.2, seed: int = 0
) -> Splits:
    """Split items as `crossval` says."""
    from sklearn.model_selection import BaseShuffleSplit  # noqa: PLC0415

    splitter = Splitter.of(
        cv,
        groups=items.groups,
        times=items.times,
        repeats=repeats,
        stratify=stratify,
        test_size=test_size,
        seed=seed,
    )
    with warnings.catch_warnings(record=True, action="always") as caught:
        pairs = _pairs(splitter, items)
    if items.times is not None and isinstance(cv, str) and cv == "time":
        order = np.argsort(items.times, kind="stable")
        pairs = [Split(1, 1, order[pair.train], order[pair.test]) for pair in pairs]
    each, overlap = _numbered(pairs, alone=isinstance(splitter.repeats[0], BaseShuffleSplit))
    messages = dict.fromkeys(" ".join(str(warning.message).split()) for warning in caught)
    if not splitter.is_made and getattr(cv, "shuffle", True) and getattr(cv, "random_state", 0) is None:
        messages[f"{splitter.says} has no random_state: its folds differ from run to run"] = None
    says = f"{splitter.says}, splits overlap" if overlap else splitter.says
    return Splits(tuple(each), says, tuple(messages), overlap)


def _pairs(splitter: Splitter, items: FoldItems) -> list[Split]:
    """Rows to learn from and to test, checked; an error if there are too many pairs, or none can be made."""
    every = np.arange(len(items))
    try:
        pairs = enumerate(islice(splitter.split(items.X, items.y), MOST_SPLITS + 1), 1)
        each = [_split(f"cv: split {number}", pair, every) for number, pair in pairs]
    except InputError:
        raise
    except (ValueError, TypeError) as problem:
        raise InputError(f"the items cannot be split like this: {' '.join(str(problem).split())}") from problem
    if len(each) > MOST_SPLITS:
        raise ParameterError(f"{splitter.says} makes more than {MOST_SPLITS:,} splits, which is the most: use folds")
    if not each:
        raise InputError("cv: expected at least one split, got none")
    return each


def _split(name: str, pair: Any, every: Ints) -> Split:
    """A split, its rows checked; it does not hold those learned from if these are all others."""
    try:
        learned, tested = (every[np.asarray(part, dtype=None if len(part) else np.int64)] for part in pair)
    except (IndexError, TypeError, ValueError):
        rows = f"row numbers from 0 to {len(every) - 1:,}, or masks of all rows"
        raise InputError(f"{name}: expected a pair of {rows}: to learn from and to test on") from None
    if not len(learned) or not len(tested) or len(np.unique(tested)) < len(tested):
        raise InputError(f"{name}: expected rows to learn from, and rows to test on, each of them once")
    others = Split(1, 1, every, tested, stated=False)
    return others if np.array_equal(learned, others.train) else Split(1, 1, learned, tested)


def _numbered(pairs: Sequence[Split], *, alone: bool) -> tuple[list[Split], bool]:
    """Splits with repeats and folds, and whether they overlap within a repeat; random splits stand `alone`.

    A repeat ends where an item would be tested twice. If repeats do not all test the same items, they are none: splits
    such as those that leave out all pairs of groups overlap.
    """
    if alone:
        return [pair._replace(repeat=place) for place, pair in enumerate(pairs, 1)], False
    each: list[Split] = []
    tested: list[set[int]] = []
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
    return [pair._replace(fold=place) for place, pair in enumerate(pairs, 1)], True
