"""Lists as they are typed on a command line -> counts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.core.errors import ParameterError

if TYPE_CHECKING:
    from assay.cli.typed_numbers import Named
    from assay.counting import Confusion, Ranks
    from assay.measures.curve_input import GivenCurve

#: What goes with which kind of list.
GRADES_ONLY = "goes with --grades"


class Typed(NamedTuple):
    """Lists as they were typed, and what was said of them."""

    grades: list[str] | None
    counts: list[str] | None
    points: list[str] | None
    relevant: list[int] | None
    exist: list[str] | None
    swap: list[str] | None
    #: Whether --counts are of a classifier: what its class is called, if there is one.
    classes: bool = False
    positive: str | None = None

    def refuse(self, why: str, *names: str) -> None:
        """Refuse what has no meaning here."""
        for name in names:
            if getattr(self, name):
                raise ParameterError(f"--{name} {why}")

    def counted(self, level: float, collection_size: int | None) -> Ranks | Confusion | GivenCurve:
        """The counts that the lists stand for."""
        if self.grades:
            return self._ranks(level, collection_size)
        why = f"{GRADES_ONLY}, not with --{'counts' if self.counts else 'points'}"
        self.refuse(why, "relevant", "exist", "swap")
        if level != 1:
            raise ParameterError(f"--level {why}: what is relevant is decided there")
        if self.counts:
            return self._confusion(self.counts, collection_size)
        return _curve(self.points or [], collection_size)

    def _ranks(self, level: float, collection_size: int | None) -> Ranks:
        from assay.cli.typed_numbers import grades_in, numbers_by_grade, swapped  # noqa: PLC0415
        from assay.explanation import ranks_of  # noqa: PLC0415

        lists = _named(self.grades or [])
        grades = [grades_in(one.text) for one in lists]
        for ranks in self.swap or []:
            grades = [swapped(one, ranks) for one in grades]
        said: dict[str, Any] = {"relevant": self.relevant or None}
        said["exist"] = [numbers_by_grade(text) for text in self.exist] if self.exist else None
        return ranks_of(*grades, **said, collection_size=collection_size, level=level, names=_names(lists))

    def _confusion(self, typed: list[str], collection_size: int | None) -> Confusion:
        from assay.cli.typed_numbers import cells_in  # noqa: PLC0415

        lists = _named(typed)
        tables = [cells_in(one.text) for one in lists]
        what = "class" if self.classes else "query"
        if len({len(cells) for cells in tables}) > 1:
            raise ParameterError(f"give TP,FP,FN,TN for every {what}, or TP,FP,FN for every {what}")
        if collection_size is not None:
            if any(len(cells) == 4 or collection_size < sum(cells) for cells in tables):
                raise ParameterError("--collection-size goes with TP,FP,FN, and is not less than their sum")
            tables = [[*cells, collection_size - sum(cells)] for cells in tables]
        if not self.classes:
            return _confusion_of(tables, _names(lists), what)
        if len(lists) == 1:
            lists = [lists[0]._replace(name=lists[0].name or self.positive or "the positive class")]
        # Several tables about one class are several classifiers, or folds; otherwise each is about a class of its own.
        what = "table" if self.positive is not None and len(lists) > 1 else what
        return _confusion_of(tables, _names(lists, f"{what} "), what)


def _confusion_of(tables: list[list[int]], names: list[str], unit_kind: str) -> Confusion:
    import numpy as np  # noqa: PLC0415

    from assay.counting import Confusion  # noqa: PLC0415

    tp, fp, fn, *tn = (np.array(cell, dtype=np.int64) for cell in zip(*tables, strict=True))
    return Confusion(tuple(names), tp, fp, fn, tn[0] if tn else None, unit_kind)


def _curve(typed: list[str], collection_size: int | None) -> GivenCurve:
    from assay.cli.typed_numbers import points_in  # noqa: PLC0415
    from assay.measures.curve_input import GivenCurve  # noqa: PLC0415

    if collection_size is not None:
        raise ParameterError("--collection-size has no meaning for points of a precision-recall curve")
    lists = _named(typed)
    return replace(GivenCurve.from_points(*(points_in(one.text) for one in lists)), units=tuple(_names(lists)))


def _named(typed: list[str]) -> list[Named]:
    from assay.cli.typed_numbers import Named  # noqa: PLC0415

    return [Named.of(text) for text in typed]


def _names(lists: list[Named], prefix: str = "q") -> list[str]:
    """What the queries are called: as said, or q1, q2 and so on."""
    names = [one.name or f"{prefix}{number}" for number, one in enumerate(lists, 1)]
    for name in names:
        if names.count(name) > 1:
            raise ParameterError(f"two lists are called {name!r}")
    return names
