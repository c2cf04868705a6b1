"""Corrections of p-values for the number of comparisons they are a family of.

Bonferroni's and Holm's keep the chance of even one false alarm below alpha; Benjamini and Hochberg's keeps the expected
share of false alarms among the alarms below it.
"""

from __future__ import annotations

import numpy as np

from assay.core.domains import Choice
from assay.counting.judgments import Floats

#: The corrections by name.
CORRECTIONS = ("none", "bonferroni", "holm", "benjamini-hochberg")
#: The works to cite for them, by their keys in the bibliography.
CITES = {"bonferroni": ("dunn1961",), "holm": ("holm1979",), "benjamini-hochberg": ("benjamini1995",)}


def corrected(p: Floats, method: str) -> Floats:
    """Correct a family of p-values, in the order given; a NaN is no member of the family and stays NaN.

    >>> corrected(np.array([0.01, 0.04, 0.03]), "holm")  # 3 x 0.01, 2 x 0.03, at least as much as the one before
    array([0.03, 0.06, 0.06])
    """
    Choice(CORRECTIONS).check("correction", method)
    members = np.flatnonzero(~np.isnan(p))
    order = members[np.argsort(p[members], kind="stable")]
    ascending, size = p[order], len(order)
    places = np.arange(1, size + 1)
    if method == "bonferroni":
        ascending = ascending * size
    elif method == "holm":
        ascending = np.maximum.accumulate(ascending * (size + 1 - places))
    elif method == "benjamini-hochberg":
        ascending = np.minimum.accumulate((ascending * size / places)[::-1])[::-1]
    result = np.full(len(p), np.nan)
    result[order] = np.minimum(ascending, 1.0)
    return result


def corrected_as_stated(p: Floats, method: str) -> Floats:
    """Correct over the family as it was stated: a comparison without a p-value is a member, and keeps having none.

    >>> corrected_as_stated(np.array([0.01, np.nan]), "bonferroni")
    array([0.02,  nan])
    """
    return np.where(np.isnan(p), np.nan, corrected(np.where(np.isnan(p), 1.0, p), method))
