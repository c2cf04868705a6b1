"""Which keyword arguments reports take besides their own: those of the verbs that they are made with."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from assay.comparison import compare
from assay.pairing import check_rules


def check_options(given: Iterable[str], verb: Callable[..., Any]) -> None:
    """Refuse what neither the verb takes nor any other that a report may be made with."""
    from assay.classification import classify  # noqa: PLC0415  # reports on rankings need not load these
    from assay.clustering import cluster  # noqa: PLC0415

    check_rules([name for name in given if name not in {"comparison", "over_k"}], verb, compare, classify, cluster)
