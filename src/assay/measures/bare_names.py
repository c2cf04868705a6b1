"""What a name beside somebody's own numbers stands for: it may come from any vocabulary, or from none."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import get_args

from assay.core.errors import ParameterError
from assay.measures.parser import parse_measure
from assay.measures.registry import Measure
from assay.measures.vocabularies import Vocabulary
from assay.tables import Direction


def meanings(name: str, vocabularies: Iterable[Vocabulary] = get_args(Vocabulary)) -> list[Measure]:
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


def _parsed(name: str, vocabularies: Iterable[Vocabulary]) -> list[Measure]:
    known = []
    for vocabulary in vocabularies:
        try:
            known.append(parse_measure(name, vocabulary))
        except ParameterError:
            continue
    return known


def agreed_direction(known: Iterable[Measure]) -> Direction:
    """Which way numbers are good that may be of any of these measures; unknown where there is none, or they disagree.

    >>> [agreed_direction(meanings(name)) for name in ("nDCG@10", "LogLoss", "NumRet", "latency_ms")]
    ['higher', 'lower', 'neither', 'unknown']
    """
    directions = {measure.definition.direction for measure in known}
    return directions.pop() if len(directions) == 1 else "unknown"
