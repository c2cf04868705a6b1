"""`Place`: which number is meant; and what has no meaning for it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from assay.core.errors import ParameterError
from assay.measures.counting.confusion_matrix import Orientation
from assay.verbs.subject import misplaced


class Place(NamedTuple):
    """Which system, query, class, item and threshold a number is about, and how matrices are turned.

    >>> Place(label="spam").refuse("is about classifiers", "item", "label")
    Traceback (most recent call last):
        ...
    assay.core.errors.ParameterError: label is about classifiers
    """

    system: str | None = None
    query: str | None = None
    label: Any = None
    item: str | None = None
    threshold: float | None = None
    orientation: Orientation = "rows_are_true"

    def refuse(self, why: str, *names: str) -> None:
        """Refuse what has no meaning here."""
        for name in names:
            if getattr(self, name) is not None:
                raise ParameterError(f"{name} {why}")

    def refuse_labels(self) -> None:
        """Refuse what goes with classifiers only."""
        self.refuse("is about classifiers: give their predictions, scores or matrix", "label", "item", "threshold")

    def of_counts(self, rules: Iterable[str]) -> None:
        """Refuse what goes with files, evaluations or classifiers only: counts by hand are of nobody.

        >>> Place().of_counts(["noise"])
        Traceback (most recent call last):
            ...
        assay.core.errors.ParameterError: 'noise' is a rule of clusterings: it goes with clusters of items
        """
        for name in rules:
            raise misplaced(name)
        self.refuse("says whose number of an evaluation is meant: counts are of nobody", "system")
        self.refuse_labels()


def not_explained(value: object) -> ParameterError:
    """The error for what holds no number that could be taken apart.

    >>> raise not_explained({"q1": 0.5})
    Traceback (most recent call last):
        ...
    assay.core.errors.ParameterError: explain takes judgments and a run, or counts, not dict alone
    """
    return ParameterError(f"explain takes judgments and a run, or counts, not {type(value).__name__} alone")
