"""Which of two labels is the positive one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.core.arguments import argument
from assay.core.errors import ParameterError, did_you_mean, listed

#: Pairs of labels of which everybody knows the positive one, the negative one first.
KNOWN_PAIRS: tuple[tuple[Any, Any], ...] = (
    (False, True),
    (0, 1),
    ("0", "1"),
    ("false", "true"),
    ("False", "True"),
    (-1, 1),
)
_POSITIVE = (1, True, "1", "true", "True")
_MOST_LABELS = 2


def positive_label(labels: Sequence[Any], pos_label: Any = None) -> Any:
    """The positive one of two labels: the stated one, else 1, True, "1", "true" or "True"; else an error says how.

    >>> positive_label([0, 1]), positive_label(["ham", "spam"], "spam"), positive_label([0, 1], "0")
    (1, 'spam', 0)
    >>> positive_label(["ham", "spam"])
    Traceback (most recent call last):
        ...
    assay.core.errors.ParameterError: which label is positive, ham or spam? say pos_label='ham' or
    pos_label='spam'
    """
    if pos_label is not None:
        return label_among(labels, pos_label)
    known = [label for label in labels if _is_known(label)]
    if len(labels) <= _MOST_LABELS and len(known) == 1:
        return known[0]
    if not labels or len(labels) > _MOST_LABELS:
        names = listed([str(label) for label in labels]) or "none"
        raise ParameterError(f"a positive label is one of two labels: there are {len(labels)} ({names})")
    ways = [argument("pos_label", label) for label in labels]
    if len(labels) == 1:
        raise ParameterError(f"is {labels[0]} the positive label? say {ways[0]}, or name the other one")
    raise ParameterError(f"which label is positive, {labels[0]} or {labels[1]}? say {' or '.join(ways)}")


def both_labels(labels: Sequence[Any], pos_label: Any = None) -> tuple[Any, ...]:
    """The labels that occur; where that is one only, with the other one, if it was stated as positive or is known.

    >>> both_labels([0]), both_labels(["spam"], "ham"), both_labels(["ham"])
    ((0, 1), ('ham', 'spam'), ('ham',))
    """
    if len(labels) != 1:
        return tuple(labels)
    (only,) = labels
    if pos_label is not None and (stated := label_like(only, pos_label)) != only:
        return tuple(sorted([only, stated]))
    return next((pair for pair in KNOWN_PAIRS if type(pair[0]) is type(only) and only in pair), (only,))


def label_like(known: Any, label: Any) -> Any:
    """A label in the type of a known one: text, a whole number, or true or false.

    >>> label_like(7, "1"), label_like("a", 1), label_like(False, "true")
    (1, '1', True)
    """
    if isinstance(known, bool):
        return bool(label) if label in (0, 1) else label_among([False, True], label)
    if isinstance(known, str):
        return str(label)
    try:
        number = int(label)
    except (TypeError, ValueError, OverflowError):
        number = None
    if number is None or not (isinstance(label, str) or number == label):
        raise ParameterError(f"expected a whole number as a label, as in the data, got {label!r}")
    return number


def label_among(labels: Sequence[Any], label: Any) -> Any:
    """The label that is meant; as text, where it was written so on a command line.

    >>> label_among([1, 2, 3], "2"), label_among([False, True], "true")
    (2, True)
    """
    for known in labels:
        if type(known) is type(label) and known == label:
            return known
    for known in labels:  # 1 is True, and 1.0 is 1, as in Python
        if known == label:
            return known
    text = str(label)
    for known in labels:
        if str(known) == text or (isinstance(known, bool) and str(known).lower() == text.lower()):
            return known
    names = [str(known) for known in labels]
    raise ParameterError(f"expected a label of {listed(names) or 'none'}, got {label!r}{did_you_mean(text, names)}")


def _is_known(label: Any) -> bool:
    return any(type(label) is type(word) and label == word for word in _POSITIVE)
