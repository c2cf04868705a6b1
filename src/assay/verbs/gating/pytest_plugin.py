"""The pytest plug-in: a fixture `assay_gate` that fails a test when quality fell.

pytest finds it by itself wherever Assay is installed; `-p no:assay` leaves it out. Nothing else of Assay is loaded
before a test uses it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Unpack

import pytest

if TYPE_CHECKING:
    from assay.core.options import GateOptions
    from assay.verbs.gating.result import GateResult

_CHOICES = ("fail", "pass", "skip")


@pytest.fixture(scope="session")
def assay_gate() -> Callable[..., GateResult]:
    """Gate a candidate in a test: `assay_gate(qrels, baseline=..., candidate=..., measures=..., margin=...)`.

    Takes what `assay.gate` takes, and returns its result. The test fails where the gate does; where that is
    inconclusive, it fails, too, unless `inconclusive` is `pass` or `skip`. Invalid input raises an error.
    """
    return gated


def gated(qrels: Any, *two: Any, inconclusive: str = "fail", **settings: Unpack[GateOptions]) -> GateResult:
    """Gate, and tell pytest what came of it.

    >>> judged = {f"q{n}": {"good": 1} for n in range(6)}
    >>> run = {query: {"good": 1.0} for query in judged}
    >>> gated(judged, baseline=run, candidate=run, measures="RR").outcome
    'pass'
    """
    __tracebackhide__ = True
    from assay.core.domains import Choice  # noqa: PLC0415  # pytest must start fast
    from assay.core.errors import InputError  # noqa: PLC0415
    from assay.verbs.gating.gate import gate  # noqa: PLC0415
    from assay.verbs.sections.gates import advice, details  # noqa: PLC0415

    Choice(_CHOICES).check("inconclusive", inconclusive)
    counted = "report" if inconclusive == "skip" else inconclusive
    result = gate(qrels, *two, inconclusive=counted, **settings)  # type: ignore[arg-type]
    said = "\n".join([result.sentence, *details(result), *advice(result)])
    if result.outcome == "invalid":
        raise InputError(said)
    outcome = result.counted(result.outcome)
    if outcome == "fail":
        pytest.fail(said, pytrace=False)
    if outcome == "inconclusive":
        pytest.skip(said)
    return result
