"""Definition cards of measures: from the registry and the docstrings, for the terminal and for the docs."""

from __future__ import annotations

import inspect
import math
import re
import sys
import textwrap
from typing import TYPE_CHECKING

from assay.measures.counting.confusion import Confusion
from assay.measures.counting.probabilities import Probabilities

if TYPE_CHECKING:
    from assay.measures.definition import Definition, Parameter
    from assay.measures.registry import Measure

_DIRECTIONS = {True: "larger is better", False: "smaller is better", None: "neither good nor bad"}
_OVER_QUERIES = {"mean": "mean over queries", "geometric": "geometric mean over queries", "sum": "sum over queries"}
_NONE_MEANS = {
    "cutoff": "the whole list",
    "rel": "the evaluation's level, 1 unless changed",
    "max_grade": "the largest grade of the judgments",
}


def first_sentence(measure: Measure) -> str:
    """What the measure is, in one sentence."""
    first = inspect.cleandoc(measure.__doc__ or "").split("\n\n", 1)[0]
    return re.sub(r":math:`(.+?)`", r"\1", " ".join(first.split())).replace("*", "")


def family(measure: Measure) -> str:
    """What the measures defined beside this one have in common: the first line of their module."""
    return (inspect.getdoc(sys.modules[measure.__module__]) or "").split("\n", 1)[0].rstrip(".")


def facts(measure: Measure) -> list[tuple[str, str]]:
    """What the registry knows: parameters, bounds, how units are put together, names elsewhere."""
    definition = measure.definition
    known = {
        parameter.name: f"{parameter.domain.describe()} (default {_default(parameter)})"
        for parameter in definition.parameters.values()
    }
    if definition.bounds is not None:
        known["values"] = values_between(*definition.bounds)
    if definition.vocabulary == "ranking":
        known |= _facts_of_rankings(definition)
    else:
        is_clustering = definition.vocabulary == "clustering"
        known["direction"] = _DIRECTIONS[definition.higher_is_better] if is_clustering else ""
        known["computed from"] = getattr(definition.counts, "described", definition.counts.__name__)
        known |= {} if is_clustering else _facts_of_classifiers(definition)
        known["scikit-learn"] = definition.sklearn or ""
    meant = {
        name: ", ".join(f"{parameter}={value!r}" for parameter, value in stands_for.items())
        for name, stands_for in definition.aliases.items()
    }
    known["also called"] = ", ".join(f"{name} ({values})" if values else name for name, values in meant.items())
    return [(name, text) for name, text in known.items() if text]


def _facts_of_rankings(definition: Definition) -> dict[str, str]:
    micro = "; micro: the formula on counts summed over queries" if "average" in definition.parameters else ""
    counted_as = definition.counted_as
    return {
        "put together by": _OVER_QUERIES[definition.summary] + micro,
        "undefined values": "left out" if counted_as is None else f"counted as {counted_as:g}",
        "user": "" if definition.user_model in {None, "-"} else str(definition.user_model),
        "ties=expected": "closed form" if definition.closed_under_ties else "mean over sampled orders",
        "trec_eval": ", ".join(map(name_elsewhere, definition.trec_eval)),
        "ir_measures": name_elsewhere(definition.ir_measures or ""),
        "ranx": name_elsewhere(definition.ranx or ""),
    }


def _facts_of_classifiers(definition: Definition) -> dict[str, str]:
    together = "one number for the whole table"
    if definition.counts is Probabilities:
        together = "one number for all items" if definition.summary == "pooled" else "mean over items"
    elif definition.counts is Confusion:
        over = "see average" if "average" in definition.parameters else "mean over classes"
        together = "sum over classes" if definition.summary == "sum" else over
    return {
        "put together by": together,
        "undefined values": "left out of averages, and told",
        "interval": "that of a proportion (Wilson)" if definition.proportion else "",
    }


def values_between(low: float, high: float) -> str:
    """The range of a measure, in words where it has no end.

    >>> values_between(0, 1), values_between(0, math.inf), values_between(-math.inf, 1)
    ('0 to 1', 'from 0 on', 'up to 1')
    """
    if math.isinf(high):
        return f"from {low:g} on"
    return f"up to {high:g}" if math.isinf(low) else f"{low:g} to {high:g}"


def _default(parameter: Parameter) -> str:
    value = parameter.default
    if value == math.e:
        return "e"
    if value is None:
        return _NONE_MEANS.get(parameter.name, "none")
    return f"{value:g}" if isinstance(value, float) else str(value)


def card(measure: Measure, width: int = 100) -> str:
    """The card as plain text: definition, formula, facts, example."""
    known = facts(measure)
    left = max(len(name) for name, _ in known)
    hanging = textwrap.TextWrapper(max(width, left + 24), subsequent_indent=" " * (left + 4))
    listed = "\n".join(hanging.fill(f"  {name:<{left}}  {value}") for name, value in known)
    prose, _, example = inspect.cleandoc(measure.__doc__ or "").partition("\n>>>")
    paragraphs = [_paragraph(part, width) for part in prose.strip().split("\n\n")]
    return "\n\n".join([str(measure), *paragraphs, listed, "Example\n  >>>" + example.replace("\n", "\n  ")])


def name_elsewhere(template: str) -> str:
    """A name template as people write it: P.{cutoff} is P.k.

    >>> name_elsewhere("ndcg_cut.{cutoff}")
    'ndcg_cut.k'
    """
    return re.sub(r"\{(\w+)\}", lambda match: {"cutoff": "k", "p": "0.8"}.get(match[1], match[1]), template)


def _paragraph(text: str, width: int) -> str:
    """A paragraph of a docstring without its markup, formulas indented."""
    if text.startswith(".. math::"):
        return textwrap.indent(textwrap.fill(plain_formula(text.removeprefix(".. math::")), width - 4), "    ")
    text = re.sub(r":math:`(.+?)`", lambda match: plain_formula(match[1]), " ".join(text.split()))
    return textwrap.fill(re.sub(r"`([^`]+)`", r"\1", re.sub(r"\*([^*\s][^*]*)\*", r"\1", text)), width)


_SIGNS = {
    r"\sum": "Σ", r"\prod": "Π", r"\max": "max", r"\min": "min", r"\log": "log", r"\ln": "ln", r"\exp": "exp",
    r"\alpha": "α", r"\beta": "β", r"\varepsilon": "ε", r"\cdot": "·", r"\le": "≤", r"\ge": "≥",
    r"\lfloor": "⌊", r"\rfloor": "⌋",
    r"\quad": " ", r"\Big": "", r"\big": "", r"\#": "#", r"\{": "{", r"\}": "}", r"\,": " ", r"\ ": " ", r"\_": "_",
}  # fmt: skip


def plain_formula(formula: str) -> str:
    r"""LaTeX as used on the cards -> one line of text.

    >>> plain_formula(r"\frac{1}{R} \sum_{i=1}^{k} x_i \, P@i")
    '1/R Σ_{i=1}^k x_i P@i'
    """
    text = re.sub(r"\\(?:mathrm|text)\{([^{}]*)\}", r"\1", " ".join(formula.split()))
    root = re.compile(r"\\sqrt\{((?:[^{}]|\{[^{}]*\})*)\}")
    text = root.sub(lambda match: f"√{match[1]}" if match[1].isalnum() else f"√({match[1]})", text)
    # Innermost fractions first; a numerator or denominator of several terms gets parentheses.
    fraction = re.compile(r"\\frac\{((?:[^{}]|\{[^{}]*\})*)\}\{((?:[^{}]|\{[^{}]*\})*)\}")
    while match := fraction.search(text):
        over, under = (part if re.fullmatch(r"[\w@]+", part) else f"({part})" for part in match.groups())
        text = f"{text[: match.start()]}{over}/{under}{text[match.end() :]}"
    for sign in sorted(_SIGNS, key=len, reverse=True):
        text = text.replace(sign, _SIGNS[sign])
    return " ".join(re.sub(r"([_^])\{\s*(\w+|\*)\}", r"\1\2", text).replace("{ ", "{").split())
