"""Signatures read again: text -> `Signature`, with everything that the number it stands beside depends on."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, NoReturn, cast

import polars as pl

from assay.core.arguments import evaluation
from assay.core.domains import Domain, Real, Whole, WordOrTable
from assay.core.errors import ParameterError, UnknownMeasureError, did_you_mean, quote
from assay.core.results import Result
from assay.measures.counting.policies import DEFAULT_POLICIES, Policies, policies
from assay.measures.registry import Measure
from assay.measures.summary import UNSAID, Undefined, judge_of, signature
from assay.measures.vocabularies import by_name
from assay.measures.vocabularies import registered as measures_registered

_ALWAYS = ("ties", "unjudged", "missing")
_POLICIES = tuple(field.name for field in fields(Policies))
_AFTER = ("samples", "seed", "judge", "subtopics", "undefined")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]\d+)?", re.ASCII)


@dataclass(frozen=True)
class Signature:
    """What a number depends on: the measure, the rules of counting, and whose judgments they were.

    `fields` are the names and values as they are written. `max_grade` is the top of the scale, where the measure needs
    one and was given none.

    >>> from assay import parse_signature
    >>> written = "P@5|rel=1|ties=expected|unjudged=irrelevant|missing=zero|undefined=0|v1"
    >>> parse_signature(written).policies.ties, str(parse_signature(written)) == written
    ('expected', True)
    """

    measure: Measure
    policies: Policies
    max_grade: float
    undefined: Undefined
    seed: int
    samples: int
    judge: str | None
    subtopics: bool
    version: int
    fields: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        text = signature(
            self.measure,
            self.policies,
            self.max_grade,
            self.undefined,
            seed=self.seed,
            samples=self.samples,
            judge=self.judge,
            subtopics=self.subtopics,
        )
        return text.removesuffix(f"|v{self.measure.definition.version}") + f"|v{self.version}"

    def arguments(self) -> tuple[Measure, dict[str, Any]]:
        """The measure with all that it took from the data, and the rules of `evaluate` that are not the default."""
        measure = self.measure
        if "max_grade" in measure.parameters and self.max_grade > 0:
            measure = measure(max_grade=self.max_grade)
        rules: dict[str, Any] = {
            name: value
            for name in _POLICIES
            if (value := getattr(self.policies, name)) != getattr(DEFAULT_POLICIES, name)
        }
        if self.undefined != "counted_as":
            rules["undefined"] = self.undefined
        if measure.is_sampled(self.policies):
            rules |= {"samples": self.samples, "seed": self.seed}
        if self.judge is not None:
            rules["judge"] = self.judge
        if self.subtopics:
            rules["subtopics"] = True
        return measure, rules


def parse_signature(text: str) -> Signature:
    """Read a signature as Assay writes it; anything else is an error that says what was expected.

    >>> parse_signature("AP|rel=2|ties=doc_id_descending|unjudged=irrelevant|missing=skip|undefined=0|v1").measure
    AP
    """
    if not isinstance(text, str):
        raise ParameterError(f"a signature is text, not {text!r}")
    reading = _Reading(text.strip())
    parsed = reading.parsed()
    if str(parsed) != reading.text:
        raise ParameterError(f"signature {quote(reading.text)}: Assay would write it as {str(parsed)!r}")
    return parsed


class _Reading:
    """A signature under way: its parts in order, and the place reached."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.parts = text.split("|")
        self.fields: list[tuple[str, str]] = []

    def refuse(self, expected: str, got: str, hint: str = "") -> NoReturn:
        raise ParameterError(f"signature {quote(self.text)}: expected {expected}, got {quote(got)}{hint}")

    def parsed(self) -> Signature:
        measure = self._measure(self.parts.pop(0))
        known = [*measure.definition.parameters, *_POLICIES, "rel", *_AFTER]
        chosen, level, top = {}, None, 0.0
        for name, parameter in measure.definition.parameters.items():
            if name == measure.definition.at or (name in UNSAID and not self._is_next(name)):
                continue
            value = self._next(name, known)
            if name == "rel":
                level = self._number(name, value)
            elif name == "max_grade":
                top = self._number(name, value)
            else:
                chosen[name] = self._value(name, value, parameter.domain)
        measure = measure(**chosen)
        if "rel" not in measure.parameters and measure.depends_on_level:
            level = self._number("rel", self._next("rel", known))
        rules: dict[str, Any] = {name: self._next(name, known) for name in _ALWAYS}
        for name in _POLICIES:
            if name not in _ALWAYS and name != "relevance_level" and self._is_next(name):
                rules[name] = self._rule(name, self._next(name, known))
        if level is not None:
            rules["relevance_level"] = level
        chosen_policies = policies(None, **rules)
        sampled = {"samples": 0, "seed": 0}
        if measure.is_sampled(chosen_policies):
            sampled = {name: self._whole(name, self._next(name, known)) for name in sampled}
        judge = judge_of(self._next("judge", known)) if self._is_next("judge") else None
        subtopics = self._is_next("subtopics")
        if subtopics and self._next("subtopics", known) != "true":
            self.refuse("subtopics=true", f"subtopics={self.fields[-1][1]}")
        undefined = self._undefined(measure, self._next("undefined", known))
        version = self._version(known)
        return Signature(
            measure, chosen_policies, top, undefined, **sampled, judge=judge, subtopics=subtopics,
            version=version, fields=tuple(self.fields),
        )  # fmt: skip

    def _measure(self, head: str) -> Measure:
        name, at, value = head.partition("@")
        measure = by_name(name)
        if measure is None:
            names = measures_registered()
            raise UnknownMeasureError(
                f"signature {quote(self.text)}: no measure is called {quote(name)}{did_you_mean(name, names)}"
            )
        parameter = measure.definition.at
        self.fields.append(("measure", name))
        if parameter is None:
            if at:
                self.refuse(f"{name} without @", head)
            return measure
        domain = measure.definition.parameters[parameter].domain
        self.fields.append((parameter, value if at else "None"))
        if not at:
            # Without a cut-off the whole list is looked at; where that is no choice, the number is always written.
            return measure(**{parameter: domain.check(f"{parameter} of {name}", None)})
        return measure(**{parameter: self._value(parameter, value, domain)})

    def _version(self, known: list[str]) -> int:
        text = "|".join(self.parts)
        if not re.fullmatch(r"v[1-9]\d{0,8}", text, re.ASCII):
            self._unexpected(text, "a version, such as v1, at the end", known)
        return int(text[1:])

    def _is_next(self, name: str) -> bool:
        return bool(self.parts) and self.parts[0].startswith(f"{name}=")

    def _next(self, name: str, known: list[str]) -> str:
        if not self._is_next(name):
            self._unexpected(self.parts[0] if self.parts else "", f"{name}=...", known)
        value = self.parts.pop(0).removeprefix(f"{name}=")
        # A measure may have a parameter that is called like a policy.
        taken = any(name == other for other, _ in self.fields)
        self.fields.append((f"{name} (rule)" if taken else name, value))
        return value

    def _unexpected(self, part: str, expected: str, known: list[str]) -> NoReturn:
        field = part.partition("=")[0]
        self.refuse(expected, part, "" if field in known else did_you_mean(field, known))

    def _number(self, name: str, text: str) -> float:
        if not _NUMBER.fullmatch(text):
            self.refuse(f"a number as {name}", text)
        return float(text)

    def _whole(self, name: str, text: str) -> int:
        if not re.fullmatch(r"\d{1,30}", text, re.ASCII):
            self.refuse(f"a whole number as {name}", text)
        return int(text)

    def _value(self, name: str, text: str, domain: Domain) -> Any:
        """A parameter's value, by its domain; the domain itself checks it."""
        if isinstance(domain, Whole | Real) and text == "None":
            return None
        if isinstance(domain, Real) and domain.infinite and text == "inf":
            return math.inf
        if isinstance(domain, Whole | Real):
            return self._whole(name, text) if isinstance(domain, Whole) else self._number(name, text)
        if isinstance(domain, WordOrTable) and (":" in text or not text):
            pairs = (pair.partition(":") for pair in text.split(",") if pair)
            return {self._number(name, grade): self._number(name, gain) for grade, _, gain in pairs}
        return text

    def _rule(self, name: str, text: str) -> Any:
        """A policy's value: a word, unless its default says that it is something else."""
        default = getattr(DEFAULT_POLICIES, name)
        if isinstance(default, bool):
            if text not in {"true", "false"}:
                self.refuse(f"{name}=true or {name}=false", text)
            return text == "true"
        return self._whole(name, text) if default is None else text

    def _undefined(self, measure: Measure, text: str) -> Undefined:
        """Which policy for undefined values writes this."""
        if measure.is_micro and text == "summed":
            return "counted_as"
        if text in {"skip", "error"}:
            return "counted_as" if text == "skip" and measure.substitute is None else cast("Undefined", text)
        if measure.is_micro or measure.substitute is None or self._number("undefined", text) != measure.substitute:
            counted = "skip" if measure.substitute is None else f"{measure.substitute:g}"
            self.refuse(f"undefined=summed for {measure}" if measure.is_micro else f"undefined={counted}", text)
        return "counted_as"


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
    "complete": "Changes no value: with true, documents without judgment are known to be irrelevant.",
    "undefined": "Matters where topics have no value of their own, mostly for lack of a relevant document.",
    "samples": "Both are estimates; more samples are closer to the exact mean over orders of ties.",
    "seed": "Both are estimates of the same value: they differ by chance.",
    "judge": "Other judgments: a difference may lie in the judges alone.",
    "subtopics": "Judged by subtopic a document counts with its largest grade.",
    "version": "The definition of the measure has changed between versions of Assay.",
}
_OTHERWISE = "A parameter of the measure: values can change for every query."


class Difference(NamedTuple):
    """One rule that differs: what it is in both, and what follows."""

    field: str
    first: str
    second: str
    follows: str


@dataclass(frozen=True, eq=False)
class SignatureComparison(Result):
    """What differs between two signatures, and what to pass to get each.

    >>> from assay import compare_signatures
    >>> rules = "ties=doc_id_descending|unjudged=irrelevant|missing=zero|undefined=0|v1"
    >>> result = compare_signatures(f"P@5|rel=1|{rules}", f"P@5|rel=2|{rules}")
    >>> [difference.field for difference in result.differences], result.second_call
    (['rel'], "assay.evaluate(qrels, run, 'P@5', relevance_level=2.0)")
    """

    kind = "signatures"

    first: Signature
    second: Signature
    differences: tuple[Difference, ...]

    def __repr__(self) -> str:
        fields = ", ".join(difference.field for difference in self.differences)
        return f"<SignatureComparison: {fields or 'no difference'}>"

    @property
    def is_same(self) -> bool:
        """Whether both numbers were made by the same rules."""
        return not self.differences

    @property
    def first_call(self) -> str:
        """What to write to evaluate by the first one's rules: a call in Python, on the command line a command."""
        return _call(self.first)

    @property
    def second_call(self) -> str:
        """The same by the second one's rules."""
        return _call(self.second)

    def to_frame(self) -> pl.DataFrame:
        """One row per difference."""
        return pl.DataFrame(self.differences, schema=dict.fromkeys(Difference._fields, pl.String), orient="row")


def compare_signatures(first: str | Signature, second: str | Signature) -> SignatureComparison:
    """Say what differs between two signatures, whether it can matter, and what to pass to get each.

    >>> rules = "unjudged=irrelevant|missing=zero|undefined=0|v1"
    >>> result = compare_signatures(f"RR|rel=1|ties=doc_id_descending|{rules}", f"RR|rel=1|ties=input_order|{rules}")
    >>> result.differences[0].follows
    'Matters where documents of one query have equal scores.'
    """
    ours, other = (parse_signature(text) if isinstance(text, str) else text for text in (first, second))
    left, right = _all_fields(ours), _all_fields(other)
    names = list(dict.fromkeys([*left, *right]))
    if ours.measure.name != other.measure.name:
        # Parameters of two measures are no more to be compared than the measures.
        names = [name for name in names if name not in {**ours.measure.parameters, **other.measure.parameters}]
    differing = [name for name in names if left.get(name, NOT_SAID) != right.get(name, NOT_SAID)]
    return SignatureComparison(
        ours,
        other,
        tuple(
            Difference(name, left.get(name, NOT_SAID), right.get(name, NOT_SAID), _follows(name, ours.measure))
            for name in differing
        ),
    )


def _all_fields(signature: Signature) -> dict[str, str]:
    """All fields, those that are written only when in force as well."""
    written = {name: NOT_SAID if value == "None" else value for name, value in signature.fields if name != "undefined"}
    rules = {
        name: str(getattr(DEFAULT_POLICIES, name)).lower().replace("none", NOT_SAID)
        for name in (field.name for field in fields(Policies))
        if name != "relevance_level" and name not in signature.measure.parameters
    }
    after = {"undefined": dict(signature.fields)["undefined"], "version": f"v{signature.version}"}
    return {**written, **{name: value for name, value in rules.items() if name not in written}, **after}


def _follows(name: str, measure: Measure) -> str:
    if name == measure.definition.at and name != "cutoff":
        return _OTHERWISE
    return FOLLOWS.get(name.removesuffix(" (rule)"), _OTHERWISE)


def _call(signature: Signature) -> str:
    measure, rules = signature.arguments()
    return evaluation(str(measure), rules)
