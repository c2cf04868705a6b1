"""Which items are learned from and which are tested, fold by fold: scikit-learn's splitters, chosen by a word."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from assay.counting.judgments import Ints
from assay.errors import InputError, ParameterError, did_you_mean, need, number_of
from assay.given import whole

WORDS = (
    "k-fold", "stratified", "group", "stratified-group", "repeated", "repeated-group",
    "leave-one-out", "leave-p-out", "time", "split", "5x2",
)  # fmt: skip
#: More splits than these are refused: a model would be fitted for each.
MOST_SPLITS = 10_000
#: How often folds are drawn anew where nothing but "repeated" is said.
_REPEATS = 10


class Split(NamedTuple):
    """The items that one model learns from, and those that it is tested on, as row numbers from 0."""

    repeat: int
    fold: int
    train: Ints
    test: Ints


class Splits(NamedTuple):
    """All splits, how they were made in words, and what is odd about them."""

    each: tuple[Split, ...]
    says: str
    #: Whether folds are of so few items that most measures of a single fold are undefined.
    tiny: bool = False
    warnings: tuple[str, ...] = ()


class Asked(NamedTuple):
    """What was asked for: see `crossval`."""

    cv: Any = 5
    folds: int = 5
    repeats: int = 1
    stratify: bool = True
    test_size: float = 0.2
    leave: int = 2
    seed: int = 0


class _Held(NamedTuple):
    """The items to be split: how many, and the codes of their labels and groups, and the rows in the order of time."""

    items: int
    labels: Ints | None
    groups: Ints | None
    order: Ints | None


def split_items(
    items: int, labels: Ints | None, groups: Ints | None, asked: Asked, order: Ints | None = None
) -> Splits:
    """Make the splits; `order` is that of time, the rows of the items from the first one on.

    >>> found = split_items(10, np.array([0, 1] * 5), None, Asked(cv=5))
    >>> found.says, [(one.fold, len(one.train), len(one.test)) for one in found.each][:2]
    ('5 folds, stratified by label, shuffled with seed 0', [(1, 8, 2), (2, 8, 2)])
    """
    need("sklearn", extra="sklearn", purpose="splitting items")
    asked = asked._replace(
        folds=whole("folds", asked.folds, 2),
        repeats=whole("repeats", asked.repeats, 1),
        seed=whole("seed", asked.seed, 0),
    )
    held, cv = _Held(items, labels, groups, order), asked.cv
    if isinstance(cv, str):
        found = _by_word(cv, held, asked)
    elif isinstance(cv, bool) or cv is None:
        raise ParameterError(f"cv is a number of folds, a word ({', '.join(WORDS)}), a splitter or pairs, not {cv!r}")
    elif hasattr(cv, "__index__"):
        found = _in_folds(_usual(held, asked), held, asked._replace(folds=whole("cv", cv, 2)))
    else:
        found = _by_splitter(cv, held)
    _refuse_empty(found.each)
    # In a single split it goes without saying that most items are not tested.
    return found if isinstance(cv, str) and cv == "split" else _counted(found, items)


def _usual(held: _Held, asked: Asked) -> str:
    """Stratified folds, if there are labels; whole groups, if there are groups."""
    stratified = asked.stratify and held.labels is not None
    if held.groups is None:
        return "stratified" if stratified else "k-fold"
    return "stratified-group" if stratified else "group"


def _by_word(word: str, held: _Held, asked: Asked) -> Splits:
    if word not in WORDS:
        raise ParameterError(f"cv is one of {', '.join(WORDS)}, not {word!r}{did_you_mean(word, WORDS)}")
    if "group" in word and held.groups is None:
        raise ParameterError(f"cv={word!r} needs groups=..., one a row: whose item it is")
    if "stratified" in word and held.labels is None:
        raise ParameterError(f"cv={word!r} needs labels")
    if word in {"repeated", "repeated-group"}:
        asked = asked._replace(repeats=asked.repeats if asked.repeats > 1 else _REPEATS)
        groups = held.groups if word == "repeated-group" else None
        return _in_folds(_usual(held._replace(groups=groups), asked), held, asked)
    if word == "5x2":  # what the 5x2cv tests of two models are made for
        asked = asked._replace(folds=2, repeats=5)
        return _in_folds(_usual(held, asked), held, asked)
    if word == "split":
        return _at_random(held, asked)
    if word not in _LEFT_OUT:
        return _in_folds(word, held, asked)
    if asked.repeats > 1:
        raise ParameterError(f"cv={word!r} gives the same splits each time: leave repeats out")
    return _LEFT_OUT[word](held, asked)


def _leave_one_out(held: _Held, _: Asked) -> Splits:
    from sklearn.model_selection import LeaveOneOut  # noqa: PLC0415  # an extra: only who splits items needs it

    return _made(LeaveOneOut(), held, "leave-one-out", tiny=True)


def _leave_p_out(held: _Held, asked: Asked) -> Splits:
    from sklearn.model_selection import LeavePOut  # noqa: PLC0415

    leave = whole("leave", asked.leave, 1)
    if (splits := math.comb(held.items, leave)) > MOST_SPLITS:
        made = f"{splits:,} splits of {held.items:,} items"
        raise ParameterError(f"leave-p-out with p = {leave} makes {made}, and {MOST_SPLITS:,} is the most: use folds")
    return _made(LeavePOut(leave), held, f"leave-{leave}-out", tiny=True, one_repeat=True)


def _in_time(held: _Held, asked: Asked) -> Splits:
    from sklearn.model_selection import TimeSeriesSplit  # noqa: PLC0415

    found, order = _made(TimeSeriesSplit(asked.folds), held, f"{asked.folds} folds in the order of time"), held.order
    if order is None:
        return found._replace(says=f"{asked.folds} folds in the order of the rows, taken for that of time")
    return found._replace(each=tuple(one._replace(train=order[one.train], test=order[one.test]) for one in found.each))


_LEFT_OUT: dict[str, Callable[[_Held, Asked], Splits]] = {
    "leave-one-out": _leave_one_out,
    "leave-p-out": _leave_p_out,
    "time": _in_time,
}


def _at_random(held: _Held, asked: Asked) -> Splits:
    """Some of the items to test, the rest to learn from; drawn anew in each repeat."""
    from sklearn import model_selection as ways  # noqa: PLC0415

    size, kind = _share(asked.test_size), _usual(held, asked)
    # There is no splitter of scikit-learn that keeps groups whole and shares of labels alike in a single split.
    name = (
        "GroupShuffleSplit" if "group" in kind else "StratifiedShuffleSplit" if kind == "stratified" else "ShuffleSplit"
    )
    splitter = getattr(ways, name)(n_splits=asked.repeats, test_size=size, random_state=asked.seed)
    how = ", groups kept whole" if "group" in kind else ", stratified by label" if kind == "stratified" else ""
    said = f"{1 - size:.0%} of items to learn from, {size:.0%} to test{how}{_shuffled(asked)}"
    found = _made(splitter, held, said, one_repeat=True)
    return found._replace(each=tuple(one._replace(repeat=one.fold, fold=1) for one in found.each))


def _shuffled(asked: Asked) -> str:
    return f", shuffled with seed {asked.seed}" + (f", {asked.repeats} times" if asked.repeats > 1 else "")


def _in_folds(word: str, held: _Held, asked: Asked) -> Splits:
    """Every item in one fold of each repeat; repeats have seeds one after another."""
    from sklearn import model_selection as ways  # noqa: PLC0415

    folds = asked.folds
    names = {"k-fold": "KFold", "stratified": "StratifiedKFold", "stratified-group": "StratifiedGroupKFold"}
    parts = []
    for place in range(asked.repeats):
        own = asked.seed + place
        if word == "group":
            splitter = _group_folds(folds, own, asked.repeats)
        else:
            splitter = getattr(ways, names[word])(folds, shuffle=True, random_state=own)
        parts.append(_made(splitter, held if "group" in word else held._replace(groups=None), ""))
    how = ", stratified by label" if "stratified" in word else ""
    how += ", groups kept whole" if "group" in word else ""
    # In folds of groups made once nothing is drawn: the largest groups are dealt out first.
    how += "" if word == "group" and asked.repeats == 1 else _shuffled(asked)
    each = tuple(one._replace(repeat=place) for place, part in enumerate(parts, 1) for one in part.each)
    said = dict.fromkeys(warning for part in parts for warning in part.warnings)
    return Splits(each, f"{folds} folds{how}", warnings=tuple(said))


def _group_folds(folds: int, seed: int, repeats: int) -> Any:
    from sklearn.model_selection import GroupKFold  # noqa: PLC0415

    if repeats == 1:
        return GroupKFold(folds)
    try:
        return GroupKFold(folds, shuffle=True, random_state=seed)
    except TypeError:
        raise ParameterError("repeated folds of groups need scikit-learn 1.6 or newer") from None


def _share(size: Any) -> float:
    if isinstance(size, bool) or not isinstance(size, int | float | np.number) or not 0 < size < 1:
        raise ParameterError(f"test_size is a share of the items between 0 and 1, such as 0.2, not {size!r}")
    return float(size)


def _by_splitter(cv: Any, held: _Held) -> Splits:
    """The splits of somebody's splitter, or pairs of row numbers; a repeat ends where an item would be tested twice."""
    name = type(cv).__name__ if hasattr(cv, "split") else "given splits"
    drawn = getattr(cv, "shuffle", True) and getattr(cv, "random_state", 0) is None
    tiny = name in {"LeaveOneOut", "LeavePOut"}
    found = _made(cv, held, name, tiny=tiny, one_repeat=name == "LeavePOut")
    if not drawn:
        return found
    said = f"{name} has no random_state: its folds are others each time"
    return found._replace(warnings=(*found.warnings, said))


def _made(cv: Any, held: _Held, says: str, *, tiny: bool = False, one_repeat: bool = False) -> Splits:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            pairs = [*_pairs(cv, held)]
        except (ValueError, TypeError) as problem:
            raise InputError(f"items cannot be split so: {' '.join(str(problem).split())}") from problem
    each = _numbered(pairs, held.items, one_repeat=one_repeat)
    said = dict.fromkeys(" ".join(str(one.message).split()) for one in caught)
    return Splits(tuple(each), says or f"{number_of('split', len(pairs))}", tiny, tuple(said))


def _pairs(cv: Any, held: _Held) -> Iterator[tuple[Any, Any]]:
    if hasattr(cv, "split"):
        yield from cv.split(np.zeros((held.items, 1)), held.labels, held.groups)
    elif isinstance(cv, Iterable):
        for pair in cv:
            if not isinstance(pair, tuple | list) or len(pair) != 2:
                raise InputError("cv: expected pairs of row numbers, those to learn from and those to test on")
            yield pair[0], pair[1]
    else:
        raise ParameterError(f"cv is a number of folds, a word, a splitter or pairs, not {type(cv).__name__}")


def _numbered(pairs: list[tuple[Any, Any]], items: int, *, one_repeat: bool) -> Iterator[Split]:
    tested, repeat, numbers = np.zeros(items, dtype=np.bool_), 1, count(1)
    for train, test in pairs:
        learned, held = (_rows(part, items) for part in (train, test))
        if not one_repeat and tested[held].any():
            tested, repeat, numbers = np.zeros(items, dtype=np.bool_), repeat + 1, count(1)
        tested[held] = True
        yield Split(repeat, next(numbers), learned, held)


def _rows(part: Any, items: int) -> Ints:
    rows = np.asarray(part)
    if rows.dtype == np.bool_ and len(rows) == items:
        rows = np.flatnonzero(rows)
    if rows.ndim != 1 or (rows.size and rows.dtype.kind not in "iu"):
        raise InputError("cv: expected row numbers from 0 on, or a mask of all rows")
    if rows.size and not (rows.min() >= 0 and rows.max() < items):
        wrong = rows.min() if rows.min() < 0 else rows.max()
        raise InputError(f"cv: expected row numbers from 0 to {items - 1:,}, got {wrong}")
    return rows.astype(np.int64)


def _refuse_empty(splits: tuple[Split, ...]) -> None:
    if not splits:
        raise InputError("cv: expected at least one split, got none")
    for one in splits:
        for side, rows in (("learn from", one.train), ("test on", one.test)):
            if not len(rows):
                raise InputError(f"cv: fold {one.fold} of repeat {one.repeat} has no item to {side}")


def _counted(found: Splits, items: int) -> Splits:
    """Say how many items are never tested."""
    tested = np.zeros(items, dtype=np.bool_)
    for one in found.each:
        tested[one.test] = True
    if tested.all():
        return found
    said = f"{int((~tested).sum()):,} of {number_of('item', items)} are never tested"
    return found._replace(warnings=(*found.warnings, said))
