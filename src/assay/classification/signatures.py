"""Everything that a classifier's number depends on, in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.measures.registry import Measure
from assay.measures.summary import escaped_judge

if TYPE_CHECKING:
    from assay.classification.pairing import Classifiers
    from assay.classification.result import Classification


def label_signature(measure: Measure, of: Classification | Classifiers) -> str:
    """The measure with all its parameters, and the rules under which items were counted."""
    at = measure.definition.at
    parameters = measure.parameters
    parts = [measure.name if at is None or parameters[at] is None else f"{measure.name}@{_shown(parameters[at])}"]
    parts += [f"{name}={_shown(value)}" for name, value in parameters.items() if name != at]
    if of.task == "binary":
        parts.append(f"positive={escaped_judge(str(of.positive))}")
    else:
        parts.append(f"labels={','.join(escaped_judge(str(label)) for label in of.labels)}")
    if of.threshold is not None:
        parts += [f"threshold={_shown(of.threshold)}", "ties=>="]
    weighted = any(one.predictions is not None and one.predictions.weight is not None for one in of.systems)
    parts += ["weighted=true"] if weighted else []
    return "|".join([*parts, "undefined=skip", f"v{measure.definition.version}"])


def _shown(value: object) -> str:
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)
