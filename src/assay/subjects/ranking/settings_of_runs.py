"""Settings of one search system, read off the names of its runs: `bm25-k1=0.9,b=0.4` has k1 = 0.9 and b = 0.4."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

#: A name before an equals sign, at the start or after something that separates.
_NAMED = re.compile(r"(?:^|(?<=[-_,;:+ &/]))([A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)*)=")
#: What stands between a value and the name that follows it.
_BETWEEN = "-_,;:+ &/"


#: The values of a setting's parameters, if the name of its run tells them.
Parameters: TypeAlias = Mapping[str, float | str]


def parameters_in(name: str) -> dict[str, float | str]:
    """The NAME=VALUE pairs in a run's name, in their order, if there are any; values are numbers where they can be.

    >>> parameters_in("bm25-k1=0.9,b=0.4")
    {'k1': 0.9, 'b': 0.4}
    >>> parameters_in("lm_smoothing=dirichlet_mu=1000"), parameters_in("plain")
    ({'lm_smoothing': 'dirichlet', 'mu': 1000.0}, {})
    """
    marks = [*_NAMED.finditer(name)]
    ends = [*(mark.start() for mark in marks), len(name)][1:]
    parameters: dict[str, float | str] = {}
    for mark, end in zip(marks, ends, strict=True):
        text = name[mark.end() : end]
        text = text.rstrip(_BETWEEN) if end < len(name) else text
        if text and mark[1] not in parameters:
            parameters[mark[1]] = _value(text)
    return parameters


def settings_of(names: Sequence[str]) -> dict[str, Parameters]:
    """The settings that runs stand for; parameters count only if every name has the same ones.

    >>> settings_of(["mu=500", "mu=1000"]), settings_of(["mu=500", "default"])
    ({'mu=500': {'mu': 500.0}, 'mu=1000': {'mu': 1000.0}}, {'mu=500': {}, 'default': {}})
    """
    read = {name: parameters_in(name) for name in names}
    shared = all(parameters and parameters.keys() == read[names[0]].keys() for parameters in read.values())
    return {name: parameters if shared else {} for name, parameters in read.items()}


def grid_of(settings: Mapping[str, Parameters]) -> dict[str, list[float]]:
    """The numeric parameters and the values that the grid has of each, in their order.

    >>> grid_of(settings_of(["k1=0.9,b=0.4", "k1=1.2,b=0.4"]))
    {'k1': [0.9, 1.2], 'b': [0.4]}
    """
    grid: dict[str, list[float]] = {}
    for name in next(iter(settings.values())):
        values = [parameters[name] for parameters in settings.values()]
        numbers = [value for value in values if not isinstance(value, str)]
        if len(numbers) == len(values):
            grid[name] = sorted(set(numbers))
    return grid


def _value(text: str) -> float | str:
    try:
        number = float(text)
    except ValueError:
        return text
    # Words such as "nan" and "inf" are numbers to Python, and 1_000 is one with a mark.
    return number if re.fullmatch(r"[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?", text) else text
