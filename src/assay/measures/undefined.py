"""The treatment of undefined numbers of classes, labels, items and documents in a mean: the rule, and the policy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple, cast

import numpy as np

from assay.core.domains import Choice
from assay.core.errors import InputError, ParameterError, argument, listed, number_of, of_kind
from assay.core.evaluation_options import Undefined
from assay.measures.counting.confusion import Confusion
from assay.measures.counting.judgments import Floats, Mask
from assay.measures.registry import Measure
from assay.measures.steps import PerUnit

#: The averages over classes or items, some of which may have no number.
AVERAGES = frozenset({"macro", "weighted", "samples"})
#: Units of which there are few, and that are called by their names.
_NAMED = frozenset({"class", "type"})
#: What a number is of that is no mean of others.
_WHOLE = "table"
#: Tables of one unit or more, with zeros in all places where there can be some.
_TP, _FP, _FN, _TN = ((np.arange(1, 16) >> place) & 1 for place in range(4))
_EVERY_ZERO = Confusion(tuple(map(str, range(1, 16))), _TP, _FP, _FN, _TN, "table")
#: What scikit-learn's `zero_division` calls the policies.
_ZERO_DIVISION = {"0": "0", "0.0": "0", "warn": "0", "1": "1", "1.0": "1", "nan": "skip"}


def policy_of(undefined: Any, zero_division: Any = None) -> Undefined:
    """The policy by its name here, or as scikit-learn's `zero_division` has it: 0, 1 or NaN.

    >>> policy_of("skip"), policy_of(float("nan")), policy_of("counted_as", zero_division=1)
    ('skip', 'skip', '1')
    """
    if zero_division is not None:
        if undefined not in {None, "counted_as"}:
            raise ParameterError("zero_division is another name of undefined: give one of them")
        undefined = zero_division
    plain = "counted_as" if undefined is None else undefined
    word = plain if isinstance(plain, bool) else _ZERO_DIVISION.get(str(plain).lower(), plain)
    Choice(Undefined).check("undefined", word)
    return cast("Undefined", word)


def lenient(undefined: Undefined) -> Undefined:
    """The policy for numbers that nobody asked for, such as those of resamples: what they lack is no error."""
    return "counted_as" if undefined == "error" else undefined


def as_counted(measure: Measure, counts: Confusion, result: PerUnit, undefined: Undefined = "counted_as") -> Floats:
    """The numbers of units as a mean takes them: NaN where they are left out.

    Unless another policy is chosen, what the system's own doing makes undefined counts as the worst: 0, or 1 where
    lower is better. What the truth makes undefined, whatever the answer, is left out; so is a class that occurs neither
    in the truth nor among the predictions. An item or a document without anything true and without anything predicted
    is answered rightly: it counts as 1 where a measure compares the two sets (F, Jaccard).

    >>> from assay.measures import parse_measure
    >>> cells = (np.array(cell) for cell in ([1, 0, 0], [1, 0, 0], [0, 2, 0], [5, 5, 7]))
    >>> classes = Confusion(("a", "never predicted", "nowhere"), *cells, "class")
    >>> precision, f = parse_measure("Precision", "multiclass"), parse_measure("F", "multiclass")
    >>> as_counted(precision, classes, precision.per_unit(classes))
    array([0.5, 0. , nan])
    >>> empty = Confusion(("an item",), *(np.array([cell]) for cell in (0, 0, 0, 3)), "item")
    >>> as_counted(f, empty, f.per_unit(empty))
    array([1.])
    """
    values = result.values
    without: Mask = np.isnan(values)
    if undefined == "skip" or not without.any():
        return values
    if undefined == "error":
        refuse_undefined(measure, counts.unit_kind, result)
    if undefined in {"0", "1"}:
        return np.where(without, float(undefined), values)
    positives = counts.tp + counts.fn
    empty = (positives == 0) & (counts.tp + counts.fp == 0)
    filled: Floats = values.copy()
    if counts.unit_kind == "class":
        without &= ~empty
    elif (right := measure.definition.rightly_empty) is not None:
        filled[without & empty] = right
        without &= ~empty
    worst = worst_of(measure)
    if worst is not None and without.any():
        faultless = (counts.fp == 0) & (counts.fn == 0) & (positives > 0)
        filled[without & ~faultless & _own_doing(measure, counts)] = worst
    return filled


def is_as_asked(measure: Measure, undefined: Undefined) -> bool:
    """True if 0 or 1 was asked for, for a measure of classes from 0 to 1: what scikit-learn calls `zero_division`."""
    return undefined in {"0", "1"} and "average" in measure.parameters and measure.definition.bounds == (0.0, 1.0)


def as_asked(measure: Measure, result: PerUnit, undefined: Undefined) -> PerUnit:
    """A number that is no mean of others, as the policy has it: of a share that is 0/0, 0 or 1 if that was asked for.

    >>> from assay.measures import parse_measure
    >>> never = Confusion(("all",), *(np.array([cell]) for cell in (0, 0, 3, 7)), "table")
    >>> precision = parse_measure("Precision", "binary")
    >>> [as_asked(precision, precision.per_unit(never), policy).values.item() for policy in ("1", "counted_as")]
    [1.0, nan]
    """
    if not is_as_asked(measure, undefined):
        return result
    without = np.isnan(result.values)
    values = np.where(without, float(undefined), result.values)
    return replace(result, values=values, undefined={}) if without.any() else result


def is_heeded(measure: Measure, undefined: Undefined) -> bool:
    """True if a policy can have an effect on a measure: on a mean, or on a share that can be 0/0.

    >>> from assay.measures import parse_measure
    >>> [is_heeded(parse_measure(name, "binary"), "skip") for name in ("Precision", "Accuracy", "AUC")]
    [True, False, False]
    """
    if undefined in {"counted_as", "error"}:
        return True
    if measure.definition.vocabulary == "ranking":
        return not measure.is_micro
    if measure.parameters.get("average") in AVERAGES:
        return True
    return is_as_asked(measure, "0") and bool(np.isnan(measure.per_unit(_EVERY_ZERO).values).any())


def refuse_idle_policy(measures: Sequence[Measure], undefined: Undefined) -> None:
    """Refuse a policy that has no effect on any of these measures."""
    if not measures or any(is_heeded(measure, undefined) for measure in measures):
        return
    names = listed([str(measure) for measure in measures])
    why = "no mean over units, and no share that can be 0/0"
    raise ParameterError(f"{argument('undefined', undefined)} has no effect on {names}: {why}")


def refuse_undefined(measure: Measure, unit_kind: str, result: PerUnit) -> None:
    """Refuse units without a number, where the policy is that there be none."""
    without = np.flatnonzero(np.isnan(result.values))
    if len(without):
        reason = result.reason(int(without[0]))
        of = number_of(unit_kind, len(result.values))
        raise InputError(f"{measure} is undefined for {len(without):,} of {of}: {reason}")


def worst_of(measure: Measure) -> float | None:
    """The value of a number that a system withholds; None where no number is the worst.

    >>> from assay.measures import parse_measure
    >>> [worst_of(parse_measure(name, "binary")) for name in ("Precision", "FDR", "LRPlus", "Prevalence")]
    [0.0, 1.0, None, None]
    """
    bounds, higher = measure.definition.bounds, measure.definition.higher_is_better
    if higher is None or bounds is None or not np.isfinite(bounds).all():
        return None
    return 0.0 if higher else bounds[1]


def _own_doing(measure: Measure, counts: Confusion) -> Mask:
    """True if another answer, half right about everything, would have had a number, the truth being what it is."""
    positives = counts.tp + counts.fn
    negatives = np.ones(len(counts.units), dtype=counts.tp.dtype)
    tn = None
    if counts.tn is not None:
        negatives = counts.fp + counts.tn
        tn = negatives
    other = Confusion(counts.units, positives, negatives, positives, tn, counts.unit_kind)
    mask: Mask = ~np.isnan(measure.per_unit(other).values)
    return mask


class Gaps(NamedTuple):
    """The units without a number of their own: those that a mean counts all the same, and those that it leaves out.

    `kind`: what the units are; `counted_as`: what they count as; `why`: the reason that most of those counted have.
    """

    kind: str = "class"
    counted: tuple[str, ...] = ()
    counted_as: float | None = None
    left_out: tuple[str, ...] = ()
    why: str | None = None

    @classmethod
    def of(cls, kind: str, units: Sequence[str], result: PerUnit, filled: Floats) -> Gaps:
        """Compare numbers of units with what a mean takes for them.

        >>> from assay.measures.steps import quantity
        >>> ratio = quantity("right", [1, 0]) / quantity("predicted", [2, 0], "nothing is predicted")
        >>> Gaps.of("class", ["a", "b"], ratio, np.array([0.5, 0.0])).in_words("Precision")
        ['Precision counts class b as 0: nothing is predicted']
        """
        without = np.isnan(result.values)
        counted = np.flatnonzero(without & ~np.isnan(filled))
        left = np.flatnonzero(np.isnan(filled))
        if not len(counted) and not len(left):
            return cls(kind)
        reasons = result.reasons() if len(counted) else []
        why = Counter(reasons[place] for place in counted).most_common(1)
        return cls(
            kind,
            tuple(str(units[int(place)]) for place in counted),
            float(filled[counted[0]]) if len(counted) else None,
            tuple(str(units[int(place)]) for place in left),
            why[0][0] if why else None,
        )

    def names(self, which: str) -> str | None:
        """The classes `counted` or `left_out` by their names; of items, which may be very many, how many; or None."""
        units: tuple[str, ...] = getattr(self, which)
        if not units:
            return None
        return ", ".join(units) if self.kind in {*_NAMED, _WHOLE} else number_of(self.kind, len(units))

    def briefly(self, which: str) -> str:
        """The same for a cell of a table, with what they are counted as; empty where there are none.

        >>> Gaps("class", ("b", "c"), 0.0).briefly("counted"), Gaps("item", left_out=("7", "9")).briefly("left_out")
        ('b, c as 0', '2 items')
        """
        units: tuple[str, ...] = getattr(self, which)
        if not units:
            return ""
        if self.kind == _WHOLE:
            return f"{self.counted_as:g}"
        names = listed(units) if self.kind in _NAMED else number_of(self.kind, len(units))
        return f"{names} as {self.counted_as:g}" if which == "counted" else names

    def in_words(self, measure: str, of: str = "", *, several: bool = False) -> list[str]:
        """A sentence on what a measure, or several, count as what, and leave out; `of`: whose they are."""
        lines = []
        if self.counted:
            where = f": {self.why}" if self.why else ""
            counts = "count" if several else "counts"
            what = "" if self.kind == _WHOLE else f" {units_in_words(self.kind, self.counted)}"
            lines.append(f"{measure}{of} {counts}{what} as {self.counted_as:g}{where}")
        if self.left_out:
            leaves, is_so = ("leave", "they are") if several else ("leaves", "it is")
            units = units_in_words(self.kind, self.left_out)
            lines.append(f"{measure}{of} {leaves} out {units}, where {is_so} undefined")
        return lines


def units_in_words(kind: str, units: Sequence[str], most: int = 3) -> str:
    """Classes by their names; of items, which may be very many, how many there are and the first.

    >>> units_in_words("class", ["b", "c"]), units_in_words("item", list("abcdef"))
    ('classes b, c', '6 items (a, b, c, …)')
    """
    if kind in _NAMED or len(units) == 1:
        return of_kind(kind, units)
    first = ", ".join(units[:most]) + (", …" if len(units) > most else "")
    return f"{number_of(kind, len(units))} ({first})"
