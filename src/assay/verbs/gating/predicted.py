"""A gate on predictions of classifiers: which system is the baseline, which the candidate, and what they lack."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.core.digits import as_percents
from assay.core.errors import ParameterError, did_you_mean, listed, not_among, number_of
from assay.stats.pairing import ItemPairing
from assay.subjects.labels.inputs import opened
from assay.subjects.labels.pairing import Classifiers
from assay.tables import Predictions
from assay.tables.clusters import Clusters
from assay.verbs.gating.guards import MISSING_ITEMS, Guard
from assay.verbs.subject import name_of as subject_name

#: What a gate on classifiers looks at unless told otherwise.
DEFAULT_MEASURES = ("Accuracy",)
_RULES = ("pos_label", "threshold", "missing")


def two_classifiers(given: Any, baseline: Any, candidate: Any, rules: Mapping[str, Any]) -> Classifiers:
    """The baseline and the candidate, on the same items.

    `given` and, where they are predictions too, `baseline` and `candidate` hold the systems; where the latter are
    names, they choose among the systems. Of two systems, the one without a part takes the other's; where neither has
    one, the first is the baseline.

    >>> from assay import Predictions
    >>> truth = [0, 1, 1]
    >>> old, new = (Predictions.of(truth, said, name=name) for name, said in (("old", [0, 0, 1]), ("new", truth)))
    >>> two_classifiers(new, old, None, {}).names, two_classifiers([old, new], "new", "old", {}).names
    (('old', 'new'), ('new', 'old'))
    """
    for name in rules:
        if name not in _RULES:
            hint = did_you_mean(name, _RULES)
            raise ParameterError(f"{name!r} is no rule for predictions; those are {', '.join(_RULES)}{hint}")
    first, second = (_held(one, rules.get("pos_label")) for one in (baseline, candidate))
    rest = opened(given, rules.get("pos_label"))
    if first and second:
        named = listed([one.name for one in rest])
        raise ParameterError(
            f"predictions hold the truth themselves: beside a baseline and a candidate, {named} is none"
        )
    systems = [found for found in (first, rest, second) if found]
    # In many pipelines both files have the same name.
    if [len(found) for found in systems] == [1, 1] and systems[0][0].name == systems[1][0].name:
        for found, role in zip(systems, ("baseline", "candidate"), strict=True):
            found[0] = replace(found[0], name=f"{found[0].name} ({role})")
    every = [one for found in systems for one in found]
    names = [one.name for one in every]
    chosen = chosen_two(names, name_of(baseline, first, "predictions"), name_of(candidate, second, "predictions"))
    return Classifiers.of([one for name in chosen for one in every if one.name == name], **rules)


def missing_items(pairing: ItemPairing, allowed: float) -> tuple[Guard, ...]:
    """Whether neither system lacks too many of the items that the other has."""
    guards, common = [], len(pairing.items)
    for system, other, size in zip(pairing.names, pairing.names[::-1], pairing.sizes[::-1], strict=True):
        lacking = size - common
        part, most = as_percents([lacking / size, allowed])
        says = f"{system} lacks {lacking:,} of {number_of('item', size)} of {other} ({part})"
        holds = lacking <= allowed * size + 1e-9
        guards.append(Guard(MISSING_ITEMS, system, holds, f"{says}; allowed are {most}"))
    return tuple(guards)


def in_order(two: Sequence[Any], baseline: Any, candidate: Any, *, predicted: bool) -> tuple[Any, Any]:
    """The baseline and the candidate, where some were given by their place: after predictions, or clusters, a new one.

    >>> in_order(["old", "new"], None, None, predicted=False), in_order(["words"], None, "bayes", predicted=True)
    (('old', 'new'), ('words', 'bayes'))
    """
    if predicted and len(two) == 1 and ((subject_name(two[0]) == "labels") or (subject_name(two[0]) == "clusters")):
        two = [None, *two]
    given = [baseline, candidate]
    if len(two) > len(given):
        raise ParameterError(f"a gate takes a baseline and a candidate, not {number_of('system', len(two))}")
    for place, one in enumerate(two):
        if one is not None and given[place] is not None:
            raise ParameterError(f"the {('baseline', 'candidate')[place]} is given twice")
        given[place] = given[place] if one is None else one
    return given[0], given[1]


def _held(given: Any, pos_label: Any) -> list[Predictions]:
    """The systems that were given as the baseline or the candidate, if they are more than names."""
    return opened(given, pos_label) if given is not None and (subject_name(given) == "labels") else []


def name_of(given: Any, held: Sequence[Predictions | Clusters], what: str) -> str | None:
    """The name of the system that was meant, as far as it is known."""
    if given is None or held:
        return held[0].name if len(held) == 1 else None
    if not isinstance(given, str):
        kind = type(given).__name__
        raise ParameterError(f"beside {what}, expected more of them or the name of a system, not {kind}")
    return given


def chosen_two(names: list[str], baseline: str | None, candidate: str | None) -> tuple[str, str]:
    """The names of the baseline and the candidate, of which one or both may not have been said.

    >>> chosen_two(["old", "new"], None, "old")
    ('new', 'old')
    """
    for name in (baseline, candidate):
        if name is not None and name not in names:
            raise not_among("system", name, names)
    rest = [name for name in names if name not in {baseline, candidate}]
    first = baseline or (rest.pop(0) if rest else None)
    second = candidate or (rest.pop(0) if rest else None)
    if first is not None and first == second:
        raise ParameterError(f"the baseline and the candidate are both {first!r}")
    if first is None or second is None:
        raise ParameterError(f"a gate takes a baseline and a candidate, not {listed(names)} alone")
    if rest and (baseline is None or candidate is None):
        raise ParameterError(f"which of {listed(names)} is the baseline, and which the candidate? name both")
    return first, second
