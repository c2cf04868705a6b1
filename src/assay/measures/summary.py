"""Numbers of units -> one number: the mean, the geometric mean or the sum, and what undefined values count as."""

import math
import re
from collections.abc import Container
from typing import NamedTuple

import numpy as np

from assay.core.digits import in_full
from assay.core.errors import InputError
from assay.core.evaluation_options import Undefined
from assay.measures.counting.judgments import Floats
from assay.measures.counting.ranking import Policies
from assay.measures.kernels import NOTHING_RETRIEVED
from assay.measures.registry import Measure
from assay.measures.steps import PerUnit
from assay.measures.undefined import AVERAGES, policy_of

#: Parameters that stand in for another one, and are not spoken of unless they are given: alpha of F, for beta.
UNSAID = frozenset({"alpha"})


class Summary(NamedTuple):
    """One number for a system: NaN if no unit has a value. `undefined` units were counted as declared, or left out.

    A micro average is made of the units' counts, so that none is counted as anything, or left out. `reason`: why there
    is no number.
    """

    value: float
    units: int
    undefined: int
    reason: str | None = None


def summarise(measure: Measure, result: PerUnit, undefined: Undefined = "counted_as") -> Summary:
    """Put the units together the way the measure is put together.

    >>> from assay.measures import AP
    >>> from assay.measures.counting import Ranks
    >>> summarise(AP, AP.per_unit(Ranks.from_grades([1, 0], [0, 0])))
    Summary(value=0.5, units=2, undefined=1, reason=None)
    >>> summarise(AP, AP.per_unit(Ranks.from_grades([0, 0], [0, 0])))  # what no unit has is counted as nothing
    Summary(value=nan, units=0, undefined=2, reason='no relevant document')
    >>> from assay.measures import SetP
    >>> from assay.measures.counting.confusion import Confusion
    >>> summarise(SetP, SetP.per_unit(Confusion.from_table(tp=0, fp=0, fn=4)))  # nothing was retrieved at all
    Summary(value=0.0, units=1, undefined=1, reason=None)
    """
    undefined = policy_of(undefined)
    values = result.values
    if measure.is_micro:  # what is undefined for a unit may be part of a sum all the same
        total = result.pooled()
        if undefined == "error" and (reason := total.reason(0)):
            raise InputError(f"{measure} is undefined: {reason}")
        return Summary(float(total.values[0]), len(values), 0, total.reason(0))
    without = np.isnan(values)
    count = int(without.sum())
    if count and undefined == "error":
        reason = result.reason(int(np.flatnonzero(without)[0]))
        raise InputError(f"{measure} is undefined for {count} of {len(values)} units: {reason}")
    if (
        count == len(values)
        and not (count and takes_none(measure, result.undefined, undefined))
        and (count or measure.definition.summary != "sum")
    ):
        return Summary(math.nan, 0, count, _commonest(result) if count else "there is nothing to average")
    values = filled(measure, values, undefined)
    values = values[~np.isnan(values)]
    return Summary(combined(measure, values), len(values), count)


def filled(measure: Measure, values: Floats, undefined: Undefined = "counted_as") -> Floats:
    """Values of units as a summary takes them: undefined ones as the measure declares, NaN if they are left out.

    That is for units beside others that have a value: where none has one, there is no summary. See `counted`.

    >>> from assay.measures import AP, Judged
    >>> filled(AP, np.array([0.5, np.nan])), filled(Judged, np.array([0.5, np.nan]))
    (array([0.5, 0. ]), array([0.5, nan]))
    """
    stand_in = float(undefined) if undefined in {"0", "1"} else measure.substitute
    if undefined == "skip" or stand_in is None:
        return values
    return np.where(np.isnan(values), stand_in, values)


def takes_none(measure: Measure | None, reasons: Container[str], undefined: Undefined = "counted_as") -> bool:
    """True if there is a summary even where no unit has a value: if it was asked for, or is the system's own doing.

    `reasons`: why units have none. Who retrieves nothing at all has a precision of 0.
    """
    if undefined in {"0", "1"}:
        return True
    if undefined == "skip" or measure is None or measure.substitute is None:
        return False
    return NOTHING_RETRIEVED in reasons


def values_in_mean(measure: Measure, result: PerUnit, undefined: Undefined = "counted_as") -> Floats:
    """The values of all units of a system, `filled`; left as they are where no unit has one, and that is no 0.

    >>> from assay.measures import AP
    >>> from assay.measures.counting import Ranks
    >>> [values_in_mean(AP, AP.per_unit(Ranks.from_grades([0, 0], each))) for each in ([0, 1], [0, 0])]
    [array([0. , 0.5]), array([nan, nan])]
    """
    nowhere = bool(np.isnan(result.values).all())
    if nowhere and not takes_none(measure, result.undefined, undefined):
        return result.values
    return filled(measure, result.values, undefined)


def _commonest(result: PerUnit) -> str | None:
    """The reason that most units have."""
    counts = {reason: int(mask.sum()) for reason, mask in result.undefined.items()}
    return max(counts, key=counts.__getitem__, default=None)


def combined(measure: Measure, values: Floats) -> float:
    """The number that values of units make together, as the measure has it: a mean, a geometric mean or a sum.

    >>> from assay.measures import AP, NumRet
    >>> combined(AP, np.array([0.5, 1.0])), combined(NumRet, np.array([10.0, 20.0]))
    (0.75, 30.0)
    """
    how = measure.definition.summary
    if how == "sum":
        return float(values.sum())
    if not len(values):
        return math.nan
    if how == "geometric":
        return float(np.exp(np.log(values).mean()))
    return float(values.mean())


def signature(
    measure: Measure,
    policies: Policies | None,
    max_grade: float,
    undefined: Undefined = "counted_as",
    *,
    seed: int = 0,
    samples: int = 0,
    judge: str | None = None,
    subtopics: bool = False,
    release: str = "",
) -> str:
    """Everything that a number depends on, in the words of its parameters and policies.

    No policies: for numbers from counts that somebody gives, of which it is not known how they were counted.

    >>> from assay.measures import nDCG
    >>> signature(nDCG @ 10, Policies(), max_grade=3)
    'nDCG@10|gain=linear|discount=log2|base=2|ideal=judged|ties=doc_id_descending|unjudged=irrelevant|missing=zero|undefined=0|v1'
    """
    definition = measure.definition
    at = definition.at
    name = (
        measure.name
        if at is None or measure.parameters[at] is None
        else f"{measure.name}@{_text(measure.parameters[at])}"
    )
    parts = [name]
    for parameter, value in measure.parameters.items():
        if parameter == at:
            continue
        if value is None and ((parameter == "rel" and policies is None) or parameter in UNSAID):
            continue
        taken_from_data = {"rel": None if policies is None else policies.relevance_level, "max_grade": max_grade}
        in_force = taken_from_data.get(parameter) if value is None else value
        parts.append(f"{parameter}={_text(in_force)}")
    if policies is not None:
        if "rel" not in measure.parameters and measure.depends_on_level:
            parts.append(f"rel={_text(policies.relevance_level)}")
        parts.append(policies.signature())
        if measure.is_sampled(policies):
            parts.append(f"samples={samples}|seed={seed}")
    if judge is not None:
        parts.append(f"judge={escaped(judge)}")
    if subtopics:
        parts.append("subtopics=true")
    if release:
        parts.append(f"release={escaped(release)}")
    counted = "skip" if measure.substitute is None else _text(float(measure.substitute))
    if measure.is_micro:
        parts.append("undefined=summed")
    elif measure.definition.vocabulary != "ranking" and measure.parameters.get("average") in AVERAGES:
        parts.append(f"undefined={undefined}")
    else:
        parts.append(f"undefined={counted if undefined == 'counted_as' else undefined}")
    return "|".join([*parts, f"v{definition.version}"])


def escaped(text: str, marks: str = "|") -> str:
    """A judge's name or a label without the signs that part the fields, so written that it can be read again.

    >>> escaped("NIST"), escaped("a|b"), escaped("50%25"), escaped("a, b", marks="|,")
    ('NIST', 'a%7Cb', '50%2525', 'a%2C b')
    """
    codes = {mark: f"{ord(mark):02X}" for mark in marks}
    text = re.sub(f"%(?=25|{'|'.join(codes.values())})", "%25", text)
    for mark, code in codes.items():
        text = text.replace(mark, f"%{code}")
    return text


def judge_of(text: str) -> str:
    """The judge's name from what `escaped` made of it.

    >>> judge_of(escaped("50%25|%"))
    '50%25|%'
    """
    return re.sub("%(25|7C)", lambda match: "%" if match[1] == "25" else "|", text)


def _text(value: object) -> str:
    if isinstance(value, tuple):
        return ",".join(f"{_text(grade)}:{_text(gain)}" for grade, gain in value)
    return in_full(value)
