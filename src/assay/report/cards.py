"""Definition cards of measures: from the registry and the docstrings, for the terminal and for the docs."""

from __future__ import annotations

import inspect
import math
import re
import sys
import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.measures.definition import Definition, Parameter
    from assay.measures.registry import Measure


def first_sentence(measure: Measure) -> str:
    """What the measure is, in one sentence."""
    first = inspect.cleandoc(measure.__doc__ or "").split("\n\n", 1)[0]
    return re.sub(r":math:`(.+?)`", r"\1", " ".join(first.split())).replace("*", "")


def family(measure: Measure) -> str:
    """What the measures defined beside this one have in common: the first line of their module."""
    return (inspect.getdoc(sys.modules[measure.__module__]) or "").split("\n", 1)[0].rstrip(".")


def facts(measure: Measure) -> list[tuple[str, str]]:
    """What the registry knows: parameters, bounds, names elsewhere."""
    definition = measure.definition
    listed = [
        (parameter.name, f"{parameter.domain.describe()} (default {_default(parameter)})")
        for parameter in definition.parameters.values()
    ]
    if definition.bounds is not None:
        listed.append(("values", values_between(*definition.bounds)))
    if definition.vocabulary == "clustering":
        return listed + _facts_of_clusterings(definition)
    if definition.vocabulary != "ranking":
        return listed + _facts_of_classifiers(definition)
    together = {"mean": "mean over queries", "geometric": "geometric mean over queries", "sum": "sum over queries"}
    micro = "; micro: the formula on counts summed over queries" if "average" in definition.parameters else ""
    listed.append(("put together by", together[definition.summary] + micro))
    substitute = "left out" if definition.counted_as is None else f"counted as {definition.counted_as:g}"
    listed.append(("undefined values", substitute))
    if definition.user_model not in {None, "-"}:
        listed.append(("user", str(definition.user_model)))
    ties = "closed form" if definition.closed_under_ties else "mean over sampled orders"
    listed.append(("ties=expected", ties))
    elsewhere = {
        "trec_eval": ", ".join(map(name_elsewhere, definition.trec_eval)),
        "ir_measures": name_elsewhere(definition.ir_measures or ""),
        "ranx": name_elsewhere(definition.ranx or ""),
        "also called": ", ".join(_alias(name, stands_for) for name, stands_for in definition.aliases.items()),
    }
    listed.extend((tool, name) for tool, name in elsewhere.items() if name)
    return listed


def values_between(low: float, high: float) -> str:
    """The range of a measure, in words where it has no end.

    >>> values_between(0, 1), values_between(0, math.inf), values_between(-math.inf, 1)
    ('0 to 1', 'from 0 on', 'up to 1')
    """
    if math.isinf(high):
        return f"from {low:g} on"
    return f"up to {high:g}" if math.isinf(low) else f"{low:g} to {high:g}"


_COUNTED = {
    "Contingency": "how many items of each class are in each cluster",
    "Points": "the items' features or distances, and their clusters",
    "Confusion": "right and wrong decisions about a class (TP, FP, FN, TN)",
    "ConfusionMatrix": "the confusion matrix of all classes",
    "Probabilities": "the probabilities, or scores, of all classes, item by item",
    "Scored": "the scores of positive and of negative items",
}


def _facts_of_classifiers(definition: Definition) -> list[tuple[str, str]]:
    """What it is computed from, how classes or items are put together, and its names."""
    if definition.counts.__name__ == "Probabilities":
        together = "one number for all items" if definition.summary == "pooled" else "mean over items"
    elif definition.counts.__name__ == "Confusion":
        together = "sum over classes" if definition.summary == "sum" else "see average"
    else:
        together = "one number for the whole table"
    told = {
        "computed from": _COUNTED.get(definition.counts.__name__, definition.counts.__name__),
        "put together by": together,
        "undefined values": "left out of averages, and told",
        "interval": "that of a proportion (Wilson)" if definition.proportion else "",
        "scikit-learn": definition.sklearn or "",
        "also called": ", ".join(_alias(name, stands_for) for name, stands_for in definition.aliases.items()),
    }
    if "average" not in definition.parameters and together == "see average":
        told["put together by"] = "mean over classes"
    return [(name, value) for name, value in told.items() if value]


def _facts_of_clusterings(definition: Definition) -> list[tuple[str, str]]:
    """What it is computed from, which way is better, and its names."""
    better = {True: "larger is better", False: "smaller is better", None: "neither good nor bad"}
    told = {
        "direction": better[definition.higher_is_better],
        "computed from": _COUNTED.get(definition.counts.__name__, definition.counts.__name__),
        "scikit-learn": definition.sklearn or "",
        "also called": ", ".join(_alias(name, stands_for) for name, stands_for in definition.aliases.items()),
    }
    return [(name, value) for name, value in told.items() if value]


def card(measure: Measure, width: int = 100) -> str:
    """The card as plain text: definition, formula, facts, example."""
    told = facts(measure)
    left = max(len(name) for name, _ in told)
    hanging = textwrap.TextWrapper(max(width, left + 24), subsequent_indent=" " * (left + 4))
    listed = "\n".join(hanging.fill(f"  {name:<{left}}  {value}") for name, value in told)
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


def _alias(name: str, stands_for: Mapping[str, object]) -> str:
    meant = ", ".join(f"{parameter}={value!r}" for parameter, value in stands_for.items())
    return f"{name} ({meant})" if meant else name


_NONE_MEANS = {
    "cutoff": "the whole list",
    "rel": "the evaluation's level, 1 unless changed",
    "max_grade": "the largest grade of the judgments",
}


def _default(parameter: Parameter) -> str:
    value = parameter.default
    if value == math.e:
        return "e"
    if value is None:
        return _NONE_MEANS.get(parameter.name, "none")
    return f"{value:g}" if isinstance(value, float) else str(value)
