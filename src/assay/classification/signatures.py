"""Everything that a classifier's number depends on, in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.classification.computing import LABEL_COUNTS
from assay.measures.registry import Measure
from assay.measures.summary import escaped

if TYPE_CHECKING:
    from assay.classification.pairing import Classifiers
    from assay.classification.result import Classification, ClassifiedSystem


def label_signature(measure: Measure, of: Classification | Classifiers, *systems: ClassifiedSystem) -> str:
    """The measure with all its parameters, and the rules under which these systems' items were counted."""
    at = measure.definition.at
    parameters = measure.parameters
    parts = [measure.name if at is None or parameters[at] is None else f"{measure.name}@{_shown(parameters[at])}"]
    parts += [f"{name}={_shown(value)}" for name, value in parameters.items() if name != at]
    if of.task == "binary":
        parts.append(f"positive={escaped(str(of.positive))}")
    else:
        parts.append(f"labels={','.join(escaped(str(label), marks='|,') for label in of.labels)}")
    # A measure of scores does not ask from which one on positive is predicted.
    thresholds = {system.threshold: None for system in systems}
    if any(threshold is not None for threshold in thresholds) and measure.definition.counts in LABEL_COUNTS:
        named = ("given" if threshold is None else _shown(threshold) for threshold in thresholds)
        parts += [f"threshold={','.join(named)}", "ties=>="]
    weighted = any(system.predictions is not None and system.predictions.weight is not None for system in systems)
    parts += ["weighted=true"] if weighted else []
    return "|".join([*parts, "undefined=skip", f"v{measure.definition.version}"])


def _shown(value: object) -> str:
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)
