"""Everything that a clustering's number depends on, in one line."""

from __future__ import annotations

from assay.clustering.rules import Rules
from assay.counting.points import Points
from assay.measures.registry import Measure
from assay.measures.summary import escaped


def cluster_signature(measure: Measure, rules: Rules, *, weighted: bool = False) -> str:
    """The measure with all its parameters, and the rules under which items were counted.

    >>> from assay.measures import parse_measure
    >>> cluster_signature(parse_measure("Purity", "clustering"), Rules(noise=-1))
    'Purity|noise=-1|noise_as=drop|unlabelled=error|undefined=skip|v1'
    """
    parts = [measure.name, *(f"{name}={escaped(_shown(value))}" for name, value in measure.parameters.items())]
    if rules.noise is not None:
        parts += [f"noise={escaped(str(rules.noise))}", f"noise_as={rules.noise_as}"]
    if measure.definition.counts is Points:
        parts.append(f"metric={escaped(rules.metric)}")
        parts += [] if rules.sample_size is None else [f"sample_size={rules.sample_size}"]
    else:
        parts.append(f"unlabelled={rules.unlabelled}")
        parts += ["weighted=true"] if weighted else []
    return "|".join([*parts, "undefined=skip", f"v{measure.definition.version}"])


def _shown(value: object) -> str:
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)
