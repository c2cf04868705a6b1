"""Which items are learned from and which are tested, fold by fold: scikit-learn's splitters, chosen by a word."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from assay.core.digits import as_level
from assay.core.domains import CONFIDENCE, Whole
from assay.core.errors import AssayError, InputError, ParameterError, did_you_mean, need, number_of
from assay.counting.judgments import Ints

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

    @property
    def tiny(self) -> bool:
        """Whether folds are of so few items that most measures of a single fold are undefined."""
        return max(len(split.test) for split in self.each) <= TINY


class Asked(NamedTuple):
    """What was asked for, None where nothing was: see `crossval`."""

    cv: Any = 5
    folds: int | None = None
    repeats: int = 1
    stratify: bool = True
    test_size: float | None = None
    leave: int | None = None
    seed: int = 0


class Raw(NamedTuple):
    """What a splitter of somebody else's is handed: features, labels and groups, as they were given."""

    X: Any
    y: Any = None
    groups: Any = None


class _Held(NamedTuple):
    """The items to be split: how many, and the codes of their labels and groups, and the rows in the order of time."""

    items: int
    labels: Ints | None
    groups: Ints | None
    order: Ints | None

    @property
    def raw(self) -> Raw:
        """What our own splitters are handed: they look at no features, and at codes only."""
        return Raw(np.zeros((self.items, 1)), self.labels, self.groups)


def split_items(
    items: int,
    labels: Ints | None,
    groups: Ints | None,
    asked: Asked,
    order: Ints | None = None,
    *,
    raw: Raw | None = None,
) -> Splits:
    """Make the splits; `order` is that of time, the rows of the items from the first one on.

    `raw` is what a splitter gets to see, if one is asked for.

    >>> found = split_items(10, np.array([0, 1] * 5), None, Asked(cv=5))
    >>> found.says, [(one.fold, len(one.train), len(one.test)) for one in found.each][:2]
    ('5 folds, stratified by label, shuffled with seed 0', [(1, 8, 2), (2, 8, 2)])
    """
    need("sklearn", extra="sklearn", purpose="splitting items")
    held, cv = _Held(items, labels, groups, order), asked.cv
    asked = _checked(asked)
    if isinstance(cv, str):
        splits = _by_word(cv, held, asked)
    elif _is_splitter(cv):
        splits = _by_splitter(cv, held, raw or held.raw)
    else:
        splits = _in_folds(_usual(held, asked), held, asked._replace(folds=int(cv)))
    _refuse_odd(splits.each)
    return splits if _leaves_out(cv) else _counted(splits, items)


def _leaves_out(cv: Any) -> bool:
    """Whether it goes without saying that some items are not tested: the first in time, most in a single split."""
    from sklearn.model_selection import BaseShuffleSplit, TimeSeriesSplit  # noqa: PLC0415  # an extra

    return cv in {"split", "time"} if isinstance(cv, str) else isinstance(cv, BaseShuffleSplit | TimeSeriesSplit)


def _checked(asked: Asked) -> Asked:
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


def _usual(held: _Held, asked: Asked) -> str:
    """Stratified folds, if there are labels; whole groups, if there are groups."""
    stratified = asked.stratify and held.labels is not None
    if held.groups is None:
        return "stratified" if stratified else "k-fold"
    return "stratified-group" if stratified else "group"


def _by_word(word: str, held: _Held, asked: Asked) -> Splits:
    if "group" in word and held.groups is None:
        raise ParameterError(f"cv={word!r} needs groups=..., one a row: whose item it is")
    if "stratified" in word and held.labels is None:
        raise ParameterError(f"cv={word!r} needs labels")
    if word in {"repeated", "repeated-group", "5x2"}:
        repeats = asked.repeats if asked.repeats > 1 else _REPEATS
        # 5x2 is what the 5x2cv tests of two models are made for.
        asked = asked._replace(folds=2, repeats=5) if word == "5x2" else asked._replace(repeats=repeats)
        return _in_folds(_usual(held, asked), held, asked)
    if word == "split":
        return _at_random(held, asked)
    return _WITHOUT_CHANCE[word](held, asked) if word in _WITHOUT_CHANCE else _in_folds(word, held, asked)


def _leave_one_out(held: _Held, _: Asked) -> Splits:
    from sklearn.model_selection import LeaveOneOut  # noqa: PLC0415  # an extra: only who splits items needs it

    return _made(LeaveOneOut(), held, "leave-one-out")


def _leave_p_out(held: _Held, asked: Asked) -> Splits:
    from sklearn.model_selection import LeavePOut  # noqa: PLC0415

    leave = Whole(1).check("leave", _LEAVE if asked.leave is None else asked.leave)
    return _made(LeavePOut(leave), held, f"leave-{leave}-out")


def _in_time(held: _Held, asked: Asked) -> Splits:
    from sklearn.model_selection import TimeSeriesSplit  # noqa: PLC0415

    folds, order = asked.folds or _FOLDS, held.order
    splits = _made(TimeSeriesSplit(folds), held, f"{folds} folds in the order of time")
    if order is None:
        return splits._replace(says=f"{folds} folds in the order of the rows, taken for that of time")
    return splits._replace(
        each=tuple(split._replace(learned=order[split.train], test=order[split.test]) for split in splits.each)
    )


_WITHOUT_CHANCE: dict[str, Callable[[_Held, Asked], Splits]] = {
    "leave-one-out": _leave_one_out,
    "leave-p-out": _leave_p_out,
    "time": _in_time,
}


def _at_random(held: _Held, asked: Asked) -> Splits:
    """Some of the items to test, the rest to learn from; drawn anew in each repeat."""
    from sklearn import model_selection as ways  # noqa: PLC0415

    size = CONFIDENCE.check("test_size", _TEST_SIZE if asked.test_size is None else asked.test_size)
    kind = _usual(held, asked)
    # There is no splitter of scikit-learn that keeps groups whole and shares of labels alike in a single split.
    name = (
        "GroupShuffleSplit" if "group" in kind else "StratifiedShuffleSplit" if kind == "stratified" else "ShuffleSplit"
    )
    splitter = getattr(ways, name)(n_splits=asked.repeats, test_size=size, random_state=asked.seed)
    how = ", groups kept whole" if "group" in kind else ", stratified by label" if kind == "stratified" else ""
    text = f"{as_level(1 - size)} of items to learn from, {as_level(size)} to test{how}{_shuffled(asked)}"
    return _made(splitter, held, text)


def _shuffled(asked: Asked) -> str:
    return f", shuffled with seed {asked.seed}" + (f", {asked.repeats} times" if asked.repeats > 1 else "")


def _in_folds(word: str, held: _Held, asked: Asked) -> Splits:
    """Every item in one fold of each repeat; repeats have seeds one after another."""
    from sklearn import model_selection as ways  # noqa: PLC0415

    folds = asked.folds or _FOLDS
    names = {"k-fold": "KFold", "stratified": "StratifiedKFold", "stratified-group": "StratifiedGroupKFold"}
    parts = []
    for place in range(asked.repeats):
        seed = asked.seed + place
        if word == "group":
            splitter = _group_folds(folds, seed, asked.repeats)
        else:
            splitter = getattr(ways, names[word])(folds, shuffle=True, random_state=seed)
        parts.append(_made(splitter, held if "group" in word else held._replace(groups=None), ""))
    how = ", stratified by label" if "stratified" in word else ""
    how += ", groups kept whole" if "group" in word else ""
    # In folds of groups made once nothing is drawn: the largest groups are dealt out first.
    how += "" if word == "group" and asked.repeats == 1 else _shuffled(asked)
    each = tuple(split._replace(repeat=place) for place, part in enumerate(parts, 1) for split in part.each)
    messages = dict.fromkeys(warning for part in parts for warning in part.warnings)
    return Splits(each, f"{folds} folds{how}", warnings=tuple(messages))


def _group_folds(folds: int, seed: int, repeats: int) -> Any:
    from sklearn.model_selection import GroupKFold  # noqa: PLC0415

    if repeats == 1:
        return GroupKFold(folds)
    try:
        return GroupKFold(folds, shuffle=True, random_state=seed)
    except TypeError:
        raise ParameterError("repeated folds of groups need scikit-learn 1.6 or newer") from None


def _by_splitter(cv: Any, held: _Held, raw: Raw) -> Splits:
    """The splits of somebody's splitter, or pairs of row numbers."""
    name = type(cv).__name__ if hasattr(cv, "split") else "given splits"
    is_random = getattr(cv, "shuffle", True) and getattr(cv, "random_state", 0) is None
    splits = _made(cv, held, name, raw)
    if not is_random:
        return splits
    remark = f"{name} has no random_state: its folds are others each time"
    return splits._replace(warnings=(*splits.warnings, remark))


def _made(cv: Any, held: _Held, name: str, raw: Raw | None = None) -> Splits:
    from sklearn.model_selection import BaseCrossValidator  # noqa: PLC0415

    seen = raw or held.raw
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            if isinstance(cv, BaseCrossValidator) and (number := cv.get_n_splits(*seen)) > MOST_SPLITS:
                raise ParameterError(f"{name} makes {number:,} splits, and {MOST_SPLITS:,} is the most: use folds")
            pairs = [_sides(*pair, held.items) for pair in islice(_pairs(cv, seen), MOST_SPLITS + 1)]
        except AssayError:
            raise
        except (ValueError, TypeError) as problem:
            raise InputError(f"items cannot be split so: {' '.join(str(problem).split())}") from problem
    if len(pairs) > MOST_SPLITS:
        raise ParameterError(f"{name} makes more than {MOST_SPLITS:,} splits, which is the most: use folds")
    each, overlap = _numbered(cv, pairs)
    messages = dict.fromkeys(" ".join(str(warning.message).split()) for warning in caught)
    return Splits(each, f"{name}, splits overlap" if overlap else name, tuple(messages), overlap)


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


def _counted(splits: Splits, items: int) -> Splits:
    """Say how many items are never tested."""
    tested = np.zeros(items, dtype=np.bool_)
    for split in splits.each:
        tested[split.test] = True
    if tested.all():
        return splits
    remark = f"{int((~tested).sum()):,} of {number_of('item', items)} are never tested"
    return splits._replace(warnings=(*splits.warnings, remark))
