"""Options that have no effect beside others, declared here once: what is said in vain is refused, not passed over."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any, NamedTuple

from assay.core.errors import ParameterError, argument, argument_name

#: Tests that draw nothing at random.
UNDRAWN = frozenset({"t", "wilcoxon", "sign", "mcnemar", "delong", "welch", "division"})
#: The tests of samples whose intervals are computed by a formula, too, and never draw.
BY_FORMULA = frozenset({"t", "delong", "welch", "division"})
_AT_ONCE = frozenset({"randomised_tukey"})


class Idle(NamedTuple):
    """An option that has no effect where another one has one of some values, and why."""

    option: str
    beside: str
    values: Container[Any]
    why: str


#: Of comparisons and reports.
OF_TESTS = (
    Idle("resamples", "test", UNDRAWN, "this test draws no permutations"),
    Idle("bootstrap_resamples", "interval", {"t"}, "Student's t draws no resamples"),
    Idle("correction", "test", _AT_ONCE, "this test covers all pairs at once, without a correction"),
    Idle("family", "test", _AT_ONCE, "this test covers all pairs of a measure at once, without a correction"),
    Idle("family", "correction", {"none"}, "nothing is corrected"),
)
#: Of evaluations of runs.
OF_RUNS = (
    Idle("samples", "ties", {"doc_id_descending", "doc_id_ascending", "input_order"}, "no random orders are drawn"),
)
#: Of gates: only where units may be missing does it matter how many are.
OF_GATES = (Idle("max_missing", "missing", {"error"}, "a missing unit is an error"),)
#: Of ROC curves.
OF_BANDS = (Idle("resamples", "band", {"none"}, "no band is drawn"),)


def refuse_idle(rows: Sequence[Idle], values: Mapping[str, Any], defaults: Mapping[str, Any]) -> None:
    """Refuse an option that was set, to something else than its default, beside one that takes its effect away.

    >>> refuse_idle(OF_TESTS, {"test": "t", "resamples": 500}, {"resamples": None})
    Traceback (most recent call last):
        ...
    assay.core.errors.ParameterError: resamples has no effect with test='t': this test draws no permutations
    """
    every = {**defaults, **values}
    for option, beside, takes_away, why in rows:
        is_set = option in values and values[option] != defaults.get(option)
        if is_set and beside in every and every[beside] in takes_away:
            raise ParameterError(f"{argument_name(option)} has no effect with {argument(beside, every[beside])}: {why}")
