"""What is rounding, and not a difference."""

import numpy as np

from assay.measures.counting.judgments import Floats

#: Numbers that differ by a smaller part of themselves are the same: sums in another order differ in the last digits.
ROUNDING = 1e-12


def snapped(numbers: Floats) -> Floats:
    """The same numbers, those that differ by rounding only made equal: the smallest of them stands for all.

    >>> snapped(np.array([0.1 + 0.2, 0.3, 0.5])).tolist()
    [0.3, 0.3, 0.5]
    """
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    starts = np.append(True, np.diff(ordered) > ROUNDING * np.abs(ordered[1:]))[: len(ordered)]
    result = np.empty_like(numbers)
    result[order] = ordered[starts][np.cumsum(starts) - 1] if len(ordered) else ordered
    return result
