"""Signatures read again: text -> `Signature`, with everything that the number it stands beside depends on."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import polars as pl

from assay.core.errors import ParameterError, UnknownMeasureError, did_you_mean, evaluation, quote
from assay.core.results import Result
from assay.measures.counting.ranking import DEFAULT_POLICIES, Policies, policies
from assay.measures.parser import parse_value
from assay.measures.registry import Measure
from assay.measures.summary import judge_of, signature
from assay.measures.vocabularies import by_name
from assay.measures.vocabularies import registered as measures_registered

_POLICIES = tuple(field.name for field in fields(Policies) if field.name != "relevance_level")
_AFTER = ("samples", "seed", "judge", "subtopics", "release", "undefined")
_RULE = " (rule)"


@dataclass(frozen=True)
class Signature:
    """Everything that a number depends on: the measure, the rules of counting, and whose judgments they were.

    `rules` are the arguments of `evaluate` that are not the default. `fields` are the names and values as they are
    written; a rule that is called like a parameter of the measure has `(rule)` behind its name.

    >>> from assay import parse_signature
    >>> written = "P@5|rel=1|ties=expected|unjudged=irrelevant|missing=zero|undefined=0|v1"
    >>> parse_signature(written).rules, str(parse_signature(written)) == written
    ({'ties': 'expected'}, True)
    """

    text: str
    measure: Measure
    policies: Policies
    rules: Mapping[str, Any]
    fields: Mapping[str, str]

    def __str__(self) -> str:
        return self.text

    @property
    def call(self) -> str:
        """The call in Python that evaluates by these rules; on the command line, the command."""
        return evaluation(str(self.measure), self.rules)


def parse_signature(text: str) -> Signature:
    """Read a signature as Assay writes it; anything else is an error that says what was expected.

    >>> parse_signature("AP|rel=2|ties=doc_id_descending|unjudged=irrelevant|missing=skip|undefined=0|v1").measure
    AP
    """
    if not isinstance(text, str):
        raise ParameterError(f"a signature is text, not {text!r}")
    text = text.strip()
    measure, stated = _fields(text)
    parameters = {name: _value(stated[name]) for name in measure.definition.parameters if name in stated}
    level = parameters.pop("rel", _value(stated.get("rel", "1")))
    if parameters.get("max_grade") == 0:  # what is written where no document is relevant
        del parameters["max_grade"]
    measure = measure(**parameters)
    rules = {name.removesuffix(_RULE): _value(value) for name, value in stated.items() if name not in parameters}
    rules = {name: value for name, value in rules.items() if name in _POLICIES}
    chosen = policies(None, relevance_level=level, **rules)
    others: dict[str, Any] = {name: _value(stated[name]) for name in ("samples", "seed") if name in stated}
    if "judge" in stated:
        others["judge"] = judge_of(stated["judge"])
    if "subtopics" in stated:
        others["subtopics"] = True
    if (undefined := stated.get("undefined")) == "error" or (undefined == "skip" and measure.substitute is not None):
        others["undefined"] = undefined
    release = judge_of(stated.get("release", ""))
    written = signature(measure, chosen, 0.0, **others, release=release).rpartition("|")[0] + f"|{stated['version']}"
    if written != text:
        raise ParameterError(f"signature {quote(text)}: Assay would write it as {written!r}")
    changed = {field.name: getattr(chosen, field.name) for field in fields(Policies)}
    changed = {name: value for name, value in changed.items() if value != getattr(DEFAULT_POLICIES, name)}
    return Signature(text, measure, chosen, changed | others, stated)


def _fields(text: str) -> tuple[Measure, dict[str, str]]:
    """The measure, and all that is written, by name; the version last."""
    head, *parts = text.split("|")
    name, at, value = head.partition("@")
    measure = by_name(name)
    if measure is None:
        nearest = did_you_mean(name, measures_registered())
        raise UnknownMeasureError(f"signature {quote(text)}: no measure is called {quote(name)}{nearest}")
    version = parts.pop() if parts else ""
    if not re.fullmatch(r"v[1-9]\d{0,8}", version, re.ASCII):
        raise ParameterError(
            f"signature {quote(text)}: expected a version, such as v1, at the end, got {quote(version)}"
        )
    stated = {"measure": name}
    if measure.definition.at is not None:
        stated[measure.definition.at] = value if at else "None"
    known = {*measure.definition.parameters, *_POLICIES, "rel", *_AFTER}
    for part in parts:
        field, _, value = part.partition("=")
        if field not in known:
            nearest = did_you_mean(field, known)
            raise ParameterError(f"signature {quote(text)}: {measure.name} has no field {quote(field)}{nearest}")
        stated[field + _RULE if field in stated else field] = value
    return measure, stated | {"version": version}


def _value(text: str) -> Any:
    """A value as it is written; the domain of whatever has it checks it."""
    if text.isascii() and text.isdecimal() and len(text) < 40:
        return int(text)
    if ":" in text or not text:
        return parse_value(f"{{{text}}}")
    return {"true": True, "false": False}.get(text, parse_value(text))


NOT_SAID = "–"
#: What follows where a rule or a parameter differs.
FOLLOWS = {
    "measure": "Two measures: their values are not to be compared.",
    "cutoff": "Results below the smaller cut-off count in one of them only.",
    "gain": "Matters where judgments have other grades than 0 and 1; without such, all words for gains mean the same.",
    "discount": "Matters for every relevant document below rank 1; of two values, neither is the larger one always.",
    "base": "Changes DCG by a factor and cancels out in nDCG, unless ranks up to the base are not discounted.",
    "ideal": "Matters for every query whose ideal ranking changes: more than k documents with a gain, or missed ones.",
    "p": "The larger p looks deeper into the list: the values are on different scales.",
    "beta": "The larger beta gives recall more weight.",
    "rel": "Matters where judgments have grades between the two levels, to measures of relevant documents.",
    "max_grade": "The scale of the gains: all values change, unless nothing relevant was found.",
    "rule": "Matters where a level of recall is no whole number of relevant documents.",
    "average": "Macro weighs queries alike, micro weighs them by their documents.",
    "ties": "Matters where documents of one query have equal scores.",
    "unjudged": "The same value where both give one: with error there is none if a document has no judgment.",
    "missing": "Matters where the run lacks judged topics: they count as 0, are left out of the mean, or are an error.",
    "duplicates": "Matters where a document comes twice in a query.",
    "rank_by": "Matters where the rank column contradicts the scores.",
    "depth": "Results below the smaller depth count in one of them only.",
    "judged_only": "Matters where a document without judgment stands above a judged one.",
    "score_precision": "Matters where scores of one query agree in their first seven digits.",
    "collection_size": "Changes whatever counts documents that were rightly left out.",
    "lower_is_better": "Matters for distances: with true, the lowest scores are best.",
    "complete": "Changes no value: with true, documents without judgment are known to be irrelevant.",
    "undefined": "Matters where topics have no value of their own, mostly for lack of a relevant document.",
    "samples": "Both are estimates; more samples are closer to the exact mean over orders of ties.",
    "seed": "Both are estimates of the same value: they differ by chance.",
    "judge": "Other judgments: a difference may lie in the judges alone.",
    "release": "Other judgments: scores by different releases must not be compared with one another.",
    "subtopics": "Judged by subtopic a document counts with its largest grade.",
    "version": "The definition of the measure has changed between versions of Assay.",
}
_OTHERWISE = "A parameter of the measure: values can change for every query."


@dataclass(frozen=True, eq=False)
class SignatureComparison(Result):
    """The differences between two signatures, by field: as the first has it, and the second.

    >>> from assay import compare_signatures
    >>> rules = "ties=doc_id_descending|unjudged=irrelevant|missing=zero|undefined=0|v1"
    >>> result = compare_signatures(f"P@5|rel=1|{rules}", f"P@5|rel=2|{rules}")
    >>> result.differences, result.second.call
    ({'rel': ('1', '2')}, "assay.evaluate(qrels, run, 'P@5', relevance_level=2.0)")
    """

    kind = "signatures"

    first: Signature
    second: Signature
    differences: Mapping[str, tuple[str, str]]

    def __repr__(self) -> str:
        return f"<SignatureComparison: {', '.join(self.differences) or 'no difference'}>"

    @property
    def is_same(self) -> bool:
        """True if both numbers were made by the same rules."""
        return not self.differences

    def to_frame(self) -> pl.DataFrame:
        """One row per difference: the field, what it is in both, and what follows."""
        rows = [(name, *values, self._follows(name)) for name, values in self.differences.items()]
        schema = dict.fromkeys(("field", "first", "second", "follows"), pl.String)
        return pl.DataFrame(rows, schema=schema, orient="row")

    def _follows(self, name: str) -> str:
        if name == self.first.measure.definition.at and name != "cutoff":
            return _OTHERWISE
        return FOLLOWS.get(name.removesuffix(_RULE), _OTHERWISE)


def compare_signatures(first: str | Signature, second: str | Signature) -> SignatureComparison:
    """Say what differs between two signatures, whether it can matter, and what to pass to get each.

    >>> rules = "unjudged=irrelevant|missing=zero|undefined=0|v1"
    >>> result = compare_signatures(f"RR|rel=1|ties=doc_id_descending|{rules}", f"RR|rel=1|ties=input_order|{rules}")
    >>> result.to_frame()["follows"].item()
    'Matters where documents of one query have equal scores.'
    """
    ours, other = (parse_signature(text) if isinstance(text, str) else text for text in (first, second))
    left, right = _all_fields(ours), _all_fields(other)
    names = list(dict.fromkeys([*left, *right]))
    if ours.measure.name != other.measure.name:
        # Parameters of two measures are no more to be compared than the measures.
        names = [name for name in names if name not in {**ours.measure.parameters, **other.measure.parameters}]
    pairs = {name: (left.get(name, NOT_SAID), right.get(name, NOT_SAID)) for name in names}
    return SignatureComparison(ours, other, {name: pair for name, pair in pairs.items() if pair[0] != pair[1]})


def _all_fields(signature: Signature) -> dict[str, str]:
    """All fields, those that are written only when in force as well."""
    defaults = {name: str(getattr(DEFAULT_POLICIES, name)).lower() for name in _POLICIES}
    stated = dict(signature.fields)
    last = {name: stated.pop(name) for name in ("undefined", "version")}
    unsaid = {name: value for name, value in defaults.items() if name not in stated}
    fields = {**stated, **unsaid, **last}
    return {name: NOT_SAID if value in {"None", "none"} else value for name, value in fields.items()}
