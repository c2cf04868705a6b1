"""Two signatures compared: what differs, whether it can matter, and how to get one number's rules for the other."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import NamedTuple

import polars as pl

from assay.auditing.signatures import Signature, parse_signature
from assay.core.arguments import evaluation
from assay.core.results import Result
from assay.counting.policies import DEFAULT_POLICIES, Policies
from assay.measures.registry import Measure

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
    left, right = _told(ours), _told(other)
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


def _told(signature: Signature) -> dict[str, str]:
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
