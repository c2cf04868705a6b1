"""Which items are learned from and which are tested, fold by fold: scikit-learn's splitters, chosen by a word."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from assay.core.digits import as_level
from assay.core.domains import CONFIDENCE, Whole
from assay.core.errors import AssayError, InputError, ParameterError, did_you_mean, need, number_of
from assay.measures.counting.judgments import Ints

WORDS = (
    "k-fold", "stratified", "group", "stratified-group", "repeated", "repeated-group",
    "leave-one-out", "leave-p-out", "time", "split", "5x2",
)  # fmt: skip
#: More splits than these are refused: a model would be fitted for each.
MOST_SPLITS = 10_000
#: How often folds are drawn anew where nothing but "repeated" is said.
_REPEATS = 10
#: Of folds with so few items most measures say nothing.
TINY = 2
#: Words for folds, and what scikit-learn calls its splitter into folds and at random; it has none that keeps groups
#: whole and shares of labels alike in a single random split.
_IN_FOLDS = {
    "k-fold": "KFold",
    "stratified": "StratifiedKFold",
    "group": "GroupKFold",
    "stratified-group": "StratifiedGroupKFold",
}
_AT_RANDOM = {
    "k-fold": "ShuffleSplit",
    "stratified": "StratifiedShuffleSplit",
    "group": "GroupShuffleSplit",
    "stratified-group": "GroupShuffleSplit",
}
#: Words for splits that are the same each time.
_WITHOUT_CHANCE = {"leave-one-out", "leave-p-out", "time"}
#: What is taken where nothing is said.
_FOLDS, _TEST_SIZE, _LEAVE = 5, 0.2, 2


class Split(NamedTuple):
    """The items that one model learns from, and those that it is tested on, as row numbers from 0.

    `learned` is a number where all of so many items are learned from but the tested ones: thousands of folds that each
    leave out an item would not fit into memory row by row.

    >>> Split(1, 1, 4, np.array([2])).train.tolist()
    [0, 1, 3]
    """

    repeat: int
    fold: int
    learned: Ints | int
    test: Ints

    @property
    def train(self) -> Ints:
        """The rows learned from."""
        return _all_but(self.learned, self.test) if isinstance(self.learned, int) else self.learned


def _all_but(items: int, test: Ints) -> Ints:
    return np.delete(np.arange(items), test)


class Splits(NamedTuple):
    """All splits, how they were made in words, and what is odd about them."""

    each: tuple[Split, ...]
    says: str
    warnings: tuple[str, ...] = ()
    #: Whether items are tested several times in a repeat.
    overlap: bool = False

    def warned(self, warning: str) -> Splits:
        """The same with one more warning."""
        return self._replace(warnings=(*self.warnings, warning))

    def reordered(self, order: Ints | None) -> Splits:
        """The same where the rows split were the places in an order, if there is one."""
        if order is None:
            return self
        moved = (split._replace(learned=order[split.train], test=order[split.test]) for split in self.each)
        return self._replace(each=tuple(moved))

    @property
    def tiny(self) -> bool:
        """Whether folds are of so few items that most measures of a single fold are undefined."""
        return max(len(split.test) for split in self.each) <= TINY


class SplitDesign(NamedTuple):
    """What was asked for, None where nothing was: see `crossval`."""

    cv: Any = 5
    folds: int | None = None
    repeats: int = 1
    stratify: bool = True
    test_size: float | None = None
    leave: int | None = None
    seed: int = 0


class Raw(NamedTuple):
    """What a splitter is handed: features, labels and groups; somebody else's gets to see them as they were given."""

    X: Any
    y: Any = None
    groups: Any = None


def split_items(
    items: int,
    labels: Ints | None,
    groups: Ints | None,
    asked: SplitDesign,
    order: Ints | None = None,
    *,
    raw: Raw | None = None,
) -> Splits:
    """Make the splits; `order` is that of time, the rows of the items from the first one on.

    `raw` is what a splitter gets to see, if one is asked for.

    >>> splits = split_items(10, np.array([0, 1] * 5), None, SplitDesign(cv=5))
    >>> splits.says, [(split.fold, len(split.train), len(split.test)) for split in splits.each][:2]
    ('5 folds, stratified by label, shuffled with seed 0', [(1, 8, 2), (2, 8, 2)])
    """
    need("sklearn", extra="sklearn", purpose="splitting items")
    # Our own splitters look at no features, and at codes only.
    codes, cv = Raw(np.zeros((items, 1)), labels, groups), asked.cv
    asked = _checked(asked)
    if _is_splitter(cv):
        name = type(cv).__name__ if hasattr(cv, "split") else "given splits"
        splits = _splits_by([cv], raw or codes, items, name)
        if getattr(cv, "shuffle", True) and getattr(cv, "random_state", 0) is None:
            splits = splits.warned(f"{name} has no random_state: its folds are others each time")
    else:
        word = cv if isinstance(cv, str) else _usual(codes, asked)
        splits = _by_word(word, codes, asked if isinstance(cv, str) else asked._replace(folds=int(cv)), order)
    _refuse_odd(splits.each)
    return splits if _leaves_out(cv) else _with_untested(splits, items)


def _leaves_out(cv: Any) -> bool:
    """Whether it goes without saying that some items are not tested: the first in time, most in a single split."""
    from sklearn.model_selection import BaseShuffleSplit, TimeSeriesSplit  # noqa: PLC0415  # an extra

    return cv in {"split", "time"} if isinstance(cv, str) else isinstance(cv, BaseShuffleSplit | TimeSeriesSplit)


def _checked(asked: SplitDesign) -> SplitDesign:
    """What was asked for, where all of it has an effect; otherwise an error says what has none."""
    cv, word, is_splitter = asked.cv, asked.cv if isinstance(asked.cv, str) else "", _is_splitter(asked.cv)
    if isinstance(cv, bool) or not (word or hasattr(cv, "__index__") or is_splitter):
        raise ParameterError(f"cv is a number of folds, a word, a splitter or pairs, not {cv!r}")
    if word and word not in WORDS:
        raise ParameterError(f"cv is one of {', '.join(WORDS)}, not {cv!r}{did_you_mean(cv, WORDS)}")
    asked = asked._replace(
        folds=None if asked.folds is None else Whole(2).check("folds", asked.folds),
        repeats=Whole(1).check("repeats", asked.repeats),
        seed=Whole(0).check("seed", asked.seed),
    )
    if word in _WITHOUT_CHANCE and asked.repeats > 1:
        raise ParameterError(f"cv={cv!r} gives the same splits each time: leave repeats out")
    number = None if word or is_splitter else Whole(2).check("cv", cv)
    in_folds = word and word not in {"leave-one-out", "leave-p-out", "split", "5x2"}
    idle = {
        f"folds={asked.folds}": asked.folds not in {None, number} and not in_folds,
        f"repeats={asked.repeats}": asked.repeats > 1 and (word == "5x2" or is_splitter),
        f"test_size={asked.test_size}": asked.test_size is not None and word != "split",
        f"leave={asked.leave}": asked.leave is not None and word != "leave-p-out",
        "stratify=False": not asked.stratify and "stratified" in word,
    }
    if without := next((option for option, is_idle in idle.items() if is_idle), None):
        name = ("a splitter" if hasattr(cv, "split") else "pairs") if is_splitter else repr(cv)
        raise ParameterError(f"{without} has no effect with cv={name}: leave it out")
    return asked


def _is_splitter(cv: Any) -> bool:
    """Whether it is a splitter, or pairs of row numbers."""
    return not isinstance(cv, str) and (hasattr(cv, "split") or isinstance(cv, Iterable))


def _usual(codes: Raw, asked: SplitDesign) -> str:
    """Stratified folds, if there are labels; whole groups, if there are groups."""
    stratified = asked.stratify and codes.y is not None
    if codes.groups is None:
        return "stratified" if stratified else "k-fold"
    return "stratified-group" if stratified else "group"


def _by_word(word: str, codes: Raw, asked: SplitDesign, order: Ints | None) -> Splits:
    """The splits of scikit-learn's splitters that a word stands for; every repeat of folds has a seed of its own."""
    from sklearn import model_selection  # noqa: PLC0415  # an extra: only who splits items needs it

    items, folds = len(codes.X), asked.folds or _FOLDS
    if "group" in word and codes.groups is None:
        raise ParameterError(f"cv={word!r} needs groups=..., one a row: whose item it is")
    if "stratified" in word and codes.y is None:
        raise ParameterError(f"cv={word!r} needs labels")
    if word == "leave-one-out":
        return _splits_by([model_selection.LeaveOneOut()], codes, items, word)
    if word == "leave-p-out":
        leave = Whole(1).check("leave", _LEAVE if asked.leave is None else asked.leave)
        return _splits_by([model_selection.LeavePOut(leave)], codes, items, f"leave-{leave}-out")
    if word == "time":
        basis = "the rows, taken for that of time" if order is None else "time"
        text = f"{folds} folds in the order of {basis}"
        return _splits_by([model_selection.TimeSeriesSplit(folds)], codes, items, text).reordered(order)
    if word == "5x2":  # what the 5x2cv tests of two models are made for
        folds, asked = 2, asked._replace(repeats=5)
    elif word.startswith("repeated"):
        asked = asked._replace(repeats=asked.repeats if asked.repeats > 1 else _REPEATS)
    kind = word if word in _IN_FOLDS else _usual(codes, asked)
    by_group, shuffled = "group" in kind, f", shuffled with seed {asked.seed}"
    shuffled += f", {asked.repeats} times" if asked.repeats > 1 else ""
    whole = ", groups kept whole" if by_group else ""
    if word == "split":
        size = CONFIDENCE.check("test_size", _TEST_SIZE if asked.test_size is None else asked.test_size)
        shuffle = getattr(model_selection, _AT_RANDOM[kind])
        splitter = shuffle(n_splits=asked.repeats, test_size=size, random_state=asked.seed)
        how = whole or (", stratified by label" if kind == "stratified" else "")
        text = f"{as_level(1 - size)} of items to learn from, {as_level(size)} to test{how}{shuffled}"
        return _splits_by([splitter], codes, items, text)
    # In folds of groups made once nothing is drawn: the largest groups are dealt out first.
    is_dealt = kind == "group" and asked.repeats == 1
    fold = getattr(model_selection, _IN_FOLDS[kind])
    try:
        splitters = [
            fold(folds) if is_dealt else fold(folds, shuffle=True, random_state=asked.seed + repeat)
            for repeat in range(asked.repeats)
        ]
    except TypeError:
        raise ParameterError("repeated folds of groups need scikit-learn 1.6 or newer") from None
    how = (", stratified by label" if "stratified" in kind else "") + whole + ("" if is_dealt else shuffled)
    return _splits_by(splitters, codes if by_group else codes._replace(groups=None), items, f"{folds} folds{how}")


def _splits_by(splitters: Sequence[Any], seen: Raw, items: int, name: str) -> Splits:
    """The splits of a splitter, or of one splitter per repeat, with what these warn of."""
    each: list[Split] = []
    messages: dict[str, None] = {}
    overlap = False
    for repeat, splitter in enumerate(splitters, 1):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            pairs = _pairs_of(splitter, seen, items, name)
        numbered, overlap = _numbered(splitter, pairs)
        each += numbered if len(splitters) == 1 else [split._replace(repeat=repeat) for split in numbered]
        messages |= dict.fromkeys(" ".join(str(warning.message).split()) for warning in caught)
    return Splits(tuple(each), f"{name}, splits overlap" if overlap else name, tuple(messages), overlap)


def _pairs_of(cv: Any, seen: Raw, items: int, name: str) -> list[tuple[Ints | int, Ints]]:
    """Rows to learn from and to test, checked; an error if there are too many pairs, or none can be made."""
    from sklearn.model_selection import BaseCrossValidator  # noqa: PLC0415

    try:
        if isinstance(cv, BaseCrossValidator) and (number := cv.get_n_splits(*seen)) > MOST_SPLITS:
            raise ParameterError(f"{name} makes {number:,} splits, and {MOST_SPLITS:,} is the most: use folds")
        pairs = [_sides(*pair, items) for pair in islice(_pairs(cv, seen), MOST_SPLITS + 1)]
    except AssayError:
        raise
    except (ValueError, TypeError) as problem:
        raise InputError(f"items cannot be split so: {' '.join(str(problem).split())}") from problem
    if len(pairs) > MOST_SPLITS:
        raise ParameterError(f"{name} makes more than {MOST_SPLITS:,} splits, which is the most: use folds")
    return pairs


def _pairs(cv: Any, raw: Raw) -> Iterator[tuple[Any, Any]]:
    if hasattr(cv, "split"):
        yield from cv.split(*raw)
        return
    for pair in cv:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise InputError("cv: expected pairs of row numbers, those to learn from and those to test on")
        yield pair[0], pair[1]


def _sides(train: Any, test: Any, items: int) -> tuple[Ints | int, Ints]:
    """What is learned from, as `Split` has it, and what is tested."""
    learned, tested = _rows(train, items), _rows(test, items)
    return items if np.array_equal(learned, _all_but(items, tested)) else learned, tested


def _numbered(cv: Any, pairs: list[tuple[Ints | int, Ints]]) -> tuple[tuple[Split, ...], bool]:
    """Splits with repeats and folds, and whether they overlap within a repeat.

    A repeat ends where an item would be tested twice. If repeats do not all test the same items, they are none: then
    each random split stands alone, and others, such as those that leave out all pairs of groups, overlap.
    """
    from sklearn.model_selection import BaseShuffleSplit  # noqa: PLC0415

    if isinstance(cv, BaseShuffleSplit):
        return tuple(Split(place, 1, *pair) for place, pair in enumerate(pairs, 1)), False
    repeats: list[list[Split]] = []
    tested: list[set[int]] = []
    for train, test in pairs:
        rows = set(test.tolist())
        if not tested or not tested[-1].isdisjoint(rows):
            repeats.append([])
            tested.append(set())
        tested[-1] |= rows
        repeats[-1].append(Split(len(repeats), len(repeats[-1]) + 1, train, test))
    if all(rows == tested[0] for rows in tested):
        return tuple(split for repeat in repeats for split in repeat), False
    return tuple(Split(1, place, *pair) for place, pair in enumerate(pairs, 1)), True


def _rows(part: Any, items: int) -> Ints:
    rows = np.asarray(part)
    if rows.dtype == np.bool_ and len(rows) == items:
        rows = np.flatnonzero(rows)
    if rows.ndim != 1 or (rows.size and rows.dtype.kind not in "iu"):
        raise InputError("cv: expected row numbers from 0 on, or a mask of all rows")
    if rows.size and not (rows.min() >= 0 and rows.max() < items):
        wrong = rows.min() if rows.min() < 0 else rows.max()
        raise InputError(f"cv: expected row numbers from 0 to {items - 1:,}, got {wrong}")
    return rows.astype(np.int64, copy=False)


def _refuse_odd(splits: tuple[Split, ...]) -> None:
    """Refuse folds without items, and with one that is tested twice."""
    if not splits:
        raise InputError("cv: expected at least one split, got none")
    for split in splits:
        for side, rows in (("learn from", split.train), ("test on", split.test)):
            if not len(rows):
                raise InputError(f"cv: fold {split.fold} of repeat {split.repeat} has no item to {side}")
        if len(np.unique(split.test)) < len(split.test):
            row = np.bincount(split.test).argmax()
            raise InputError(f"cv: fold {split.fold} of repeat {split.repeat} tests row {row} several times")


def _with_untested(splits: Splits, items: int) -> Splits:
    """Say how many items are never tested."""
    tested = np.zeros(items, dtype=np.bool_)
    for split in splits.each:
        tested[split.test] = True
    remark = f"{int((~tested).sum()):,} of {number_of('item', items)} are never tested"
    return splits if tested.all() else splits.warned(remark)
