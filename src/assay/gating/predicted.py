"""A gate on predictions of classifiers: which system is the baseline, which the candidate, and what they lack."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from assay.classification.opening import opened
from assay.classification.pairing import Classifiers, are_predictions
from assay.errors import ParameterError, did_you_mean, listed, number_of
from assay.gating.guards import MISSING_ITEMS, Guard

#: What a gate on classifiers looks at unless told otherwise.
DEFAULT_MEASURES = ("Accuracy",)
_RULES = ("pos_label", "threshold", "missing")


def two_classifiers(given: Any, baseline: Any, candidate: Any, rules: Mapping[str, Any]) -> Classifiers:
    """The baseline and the candidate, on the same items.

    `given` and, where they are predictions too, `baseline` and `candidate` hold the systems; where the latter are
    names, they choose among the systems. Unless named, the first of two systems is the baseline.

    >>> from assay import Predictions
    >>> truth = [0, 1, 1]
    >>> old, new = (Predictions.of(truth, said, name=name) for name, said in (("old", [0, 0, 1]), ("new", truth)))
    >>> two_classifiers(old, new, None, {}).names, two_classifiers([old, new], "new", "old", {}).names
    (('old', 'new'), ('new', 'old'))
    """
    for name in rules:
        if name not in _RULES:
            hint = did_you_mean(name, _RULES)
            raise ParameterError(f"{name!r} is no rule for predictions; those are {', '.join(_RULES)}{hint}")
    sides = [given, *(one for one in (baseline, candidate) if one is not None and are_predictions(one))]
    systems = [opened(one, rules.get("pos_label")) for one in sides]
    # In many pipelines both files have the same name.
    if [len(found) for found in systems] == [1, 1] and systems[0][0].name == systems[1][0].name:
        for found, role in zip(systems, ("baseline", "candidate"), strict=True):
            found[0] = replace(found[0], name=f"{found[0].name} ({role})")
    every = [one for found in systems for one in found]
    chosen = _chosen([one.name for one in every], *(_name(one) for one in (baseline, candidate)))
    return Classifiers.of([one for name in chosen for one in every if one.name == name], **rules)


def missing_items(classifiers: Classifiers, allowed: float) -> tuple[Guard, ...]:
    """Whether neither system lacks too many of the items that the other has."""
    guards, common = [], len(classifiers.items)
    for system, other, size in zip(classifiers.names, classifiers.names[::-1], classifiers.sizes[::-1], strict=True):
        lacking = size - common
        says = f"{system} lacks {lacking:,} of {number_of('item', size)} of {other} ({lacking / size:.1%})"
        holds = lacking <= allowed * size + 1e-9
        guards.append(Guard(MISSING_ITEMS, system, holds, f"{says}; allowed are {allowed:.1%}"))
    return tuple(guards)


def _name(given: Any) -> str | None:
    """A system's name, where that is what was given."""
    if given is None or are_predictions(given):
        return None
    if not isinstance(given, str):
        kind = type(given).__name__
        raise ParameterError(f"beside predictions, expected more of them or the name of a system, not {kind}")
    return given


def _chosen(names: list[str], baseline: str | None, candidate: str | None) -> tuple[str, str]:
    for name in (baseline, candidate):
        if name is not None and name not in names:
            raise ParameterError(f"choose a system of {listed(names)}, not {name!r}{did_you_mean(name, names)}")
    rest = [name for name in names if name not in {baseline, candidate}]
    first = baseline or (rest.pop(0) if rest else None)
    second = candidate or (rest.pop(0) if rest else None)
    if first is None or second is None or first == second:
        raise ParameterError(f"a gate takes a baseline and a candidate, not {listed(names)} alone")
    if rest and (baseline is None or candidate is None):
        raise ParameterError(f"which of {listed(names)} is the baseline, and which the candidate? name both")
    return first, second
