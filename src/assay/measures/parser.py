"""Text -> measure: `nDCG(gain='exp')@10`, and the names of the other tools; lists of names.

The grammar is `Name(parameter=value, ...)@value`. Values are numbers, words with or without quotes, and tables such as
`{1: 3, 2: 9}`. Names of the reference tool (`ndcg_cut_10`, `ndcg_cut.10`, `map`), of ir_measures and of ranx
(`ndcg@10`, `mrr`, `hit_rate@5`) are understood too.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable
from typing import Any

from assay.core.domains import Flag
from assay.core.errors import ParameterError, UnknownMeasureError, did_you_mean
from assay.measures.registry import AVERAGES_SHOWN, Measure
from assay.measures.vocabularies import OF_SCORES, Vocabulary, by_alias, by_name, known_names, load_packages, registered
from assay.tables import Direction

_SHAPE = r"(?s)(?P<name>[^(@]*+)(?:\((?P<inside>.*)\)\s*+)?(?:@(?P<at>[^@()]*+))?"

#: How averages over classes are printed after a measure's name, as `F1 (macro)`.
_AVERAGES = {shown.strip(" ()"): average for average, shown in AVERAGES_SHOWN.items() if shown}
_PRINTED = rf"(?s)(?P<measure>.*\S)\s*\((?P<average>{'|'.join(_AVERAGES)})\)\s*"

_MOST_DIGITS = 18
# A vocabulary of fewer measures is listed where a name is not known.
_FEW = 8

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"

_IR_MEASURES_NAMES = {"gains": "gain", "max_rel": "max_grade"}
# ir_measures names the pair of gain and discount; these are the two it knows.
_IR_MEASURES_DCG: dict[str, dict[str, Any]] = {"log2": {}, "exp-log2": {"gain": "exp"}}


def parse_measure(text: str | Measure, vocabulary: Vocabulary = "ranking") -> Measure:
    """Read a measure's name, in Assay's notation or in that of another tool.

    The vocabulary says what is measured, as names differ: rankings, or classifiers of two or of more classes.

    >>> parse_measure("nDCG(gain='exp')@10")
    nDCG(gain='exp')@10
    >>> parse_measure("ndcg_cut_10"), parse_measure("recip_rank"), parse_measure("hit_rate@5")
    (nDCG@10, RR, Success@5)
    >>> parse_measure("hit_rate", "binary"), parse_measure("F1", "multiclass")
    (Recall, F)
    >>> parse_measure("F1 (micro)", "multiclass")  # as it is printed
    F(average='micro')
    """
    if isinstance(text, Measure):
        return text
    if not isinstance(text, str):
        raise ParameterError(f"a measure is given by name, such as 'nDCG@10', not {text!r}")
    if printed := re.fullmatch(_PRINTED, text):
        return parse_measure(printed["measure"], vocabulary)(average=_AVERAGES[printed["average"]])
    shape = re.fullmatch(_SHAPE, text)
    if shape is None:
        raise ParameterError(f"{text!r} is not of the form Name(parameter=value)@value")
    name = shape["name"].strip()
    inside = shape["inside"]
    at = shape["at"] and shape["at"].strip()
    measure = _known(name, vocabulary)
    if measure is None and load_packages():
        measure = _known(name, vocabulary)
    if measure is None:
        names = list(registered(vocabulary))
        lists = f"; there are {', '.join(names)}" if len(names) < _FEW else "; `assay measures` lists them"
        raise UnknownMeasureError(
            f"no measure is called {name!r}{did_you_mean(name, known_names(vocabulary)) or lists}"
        )
    if inside is not None and inside.strip():
        arguments = parse_arguments(inside, text)
        if vocabulary == "ranking" and measure.name == "SetP" and "relative" in arguments:
            # The one measure that ir_measures makes of another by a parameter.
            relative = Flag().check("relative of SetP", arguments.pop("relative"))
            measure = registered()["SetRelP"] if relative else measure
        measure = measure(**arguments)
    if at is None:
        return measure
    value = parse_value(at)
    if not isinstance(value, int | float):
        raise ParameterError(f"{text!r}: expected a number after @, got {at!r}")
    if measure.definition.at in measure.chosen:
        raise ParameterError(f"{text!r}: {measure.definition.at} is given twice")
    return measure @ value


def _known(name: str, vocabulary: Vocabulary) -> Measure | None:
    """The measure that has a name, here or in another tool, among those that are loaded."""
    measure = by_name(name, vocabulary)
    if measure is None and vocabulary == "ranking":
        measure = _of_the_reference_tool(name)
    return measure or by_alias(name, vocabulary)


def split_measures(text: str) -> list[str]:
    """Take several measures in one text apart; commas in parentheses belong to a measure.

    >>> split_measures("AP,nDCG(gain={1: 3, 2: 9})@10"), split_measures("P@5,10"), split_measures("P.5,10")
    (['AP', 'nDCG(gain={1: 3, 2: 9})@10'], ['P@5', 'P@10'], ['P.5', 'P.10'])
    >>> split_measures("IPrec@0.1,0.5"), split_measures("iprec_at_recall.0.1,0.2")
    (['IPrec@0.1', 'IPrec@0.5'], ['iprec_at_recall.0.1', 'iprec_at_recall.0.2'])
    """
    if "," not in text:
        return [text]
    listed: list[str] = []
    for part in re.split(r",(?![^(]*\))", text):
        stem = re.match(r"(.*?@|[^.@(]+\.)[\d.]+$", listed[-1]) if listed else None
        listed.append(stem[1] + part if stem and re.fullmatch(r"[\d.]+", part) else part)
    return listed


def _of_the_reference_tool(name: str) -> Measure | None:
    """Match `ndcg_cut_10` or `ndcg_cut.10` against the names that measures have in trec_eval."""
    templates = ((known, template) for known in registered().values() for template in known.definition.trec_eval)
    for known, template in templates:
        stem, _, parameter = template.partition(".")
        if name == stem:
            return known
        if parameter and (match := re.fullmatch(rf"{re.escape(stem)}[._]({_NUMBER})", name)):
            return known(**{parameter.strip("{}"): float(match[1])})
    return None


def parse_arguments(inside: str, text: str) -> dict[str, Any]:
    """Read what stands in the parentheses of a text, such as `beta=2, average=macro`."""
    arguments: dict[str, Any] = {}
    # Commas inside braces belong to a table.
    for part in re.split(r",(?![^{]*\})", inside):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not name.isidentifier():
            raise ParameterError(f"{text!r}: expected parameter=value in the parentheses, got {part.strip()!r}")
        if name == "dcg" and parse_value(value) in _IR_MEASURES_DCG:
            meant = _IR_MEASURES_DCG[parse_value(value)]
        else:
            meant = {_IR_MEASURES_NAMES.get(name, name): parse_value(value)}
        if twice := set(meant) & set(arguments):
            raise ParameterError(f"{text!r}: {twice.pop()} is given twice")
        arguments |= meant
    return arguments


def parse_value(text: str) -> Any:
    """Read the value of a parameter: a number, a word with or without quotes, or a table.

    >>> parse_value("0.5"), parse_value("exp"), parse_value("{1: 3}")
    (0.5, 'exp', {1: 3})
    """
    if text.startswith("{") and text.endswith("}"):
        pairs = (pair.partition(":") for pair in text[1:-1].split(",") if pair.strip())
        return {parse_value(key.strip()): parse_value(value.strip()) for key, _, value in pairs}
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    if re.fullmatch(_NUMBER, text):
        return int(text) if text.lstrip("+-").isdecimal() and len(text) <= _MOST_DIGITS else float(text)
    return {"None": None, "True": True, "False": False, "inf": math.inf}.get(text, text)


def meanings(name: str, vocabularies: Iterable[Vocabulary] = OF_SCORES) -> list[Measure]:
    """The measures that have this name: of rankings, of classifiers, of clusterings, in this order.

    A name as Assay writes it goes before what is only another word for a measure: ERR is that of rankings, though
    people also say err for the error rate. Where no measure has a name, it may be one that other tools write with
    underscores, or with `_score` at its end.

    >>> [one.definition.vocabulary for one in meanings("LogLoss")], meanings("latency_ms")
    (['binary', 'multiclass'], [])
    >>> [one.name for one in meanings("ERR")], [one.name for one in meanings("err")]
    (['ERR'], ['ERR', 'ErrorRate', 'ErrorRate'])
    >>> {one.name for name in ("log_loss", "brier_score") for one in meanings(name)} == {"LogLoss", "Brier"}
    True
    """
    vocabularies = list(vocabularies)
    spellings = dict.fromkeys((name, name.replace("_", ""), name.removesuffix("_score").replace("_", "")))
    known = next(filter(None, (_parsed(spelling, vocabularies) for spelling in spellings)), [])
    exact = [measure for measure in known if measure.name == re.split(r"[(@]", name)[0].strip()]
    return exact or known


def is_measure(name: str) -> bool:
    """Tell whether a name is that of a measure, of whatever.

    >>> is_measure("nDCG@10"), is_measure("anna")
    (True, False)
    """
    return bool(meanings(name))


def _parsed(name: str, vocabularies: Iterable[Vocabulary]) -> list[Measure]:
    known = []
    for vocabulary in vocabularies:
        try:
            known.append(parse_measure(name, vocabulary))
        except ParameterError:
            continue
    return known


def agreed_direction(known: Iterable[Measure]) -> Direction:
    """The direction of numbers that may be of any of these measures; unknown where none is known, or they disagree.

    >>> [agreed_direction(meanings(name)) for name in ("nDCG@10", "LogLoss", "NumRet", "latency_ms")]
    ['higher', 'lower', 'neither', 'unknown']
    """
    directions = {measure.definition.direction for measure in known}
    return directions.pop() if len(directions) == 1 else "unknown"


def same_name(name: str | Measure, known: Collection[str]) -> str:
    """The one of known names that a measure has there, however it was typed; the name itself if there is none.

    >>> same_name("F(average=macro)", ["Accuracy", "F1 (macro)"]), same_name("latency_ms", ["Accuracy"])
    ('F1 (macro)', 'latency_ms')
    """
    if isinstance(name, Measure) or name in known:
        return str(name)
    return next((str(measure) for measure in meanings(name) if str(measure) in known), name)
