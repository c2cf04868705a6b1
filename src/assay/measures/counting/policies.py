"""The rules of counting that people disagree about, each a parameter with a name."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any, Unpack, get_args, get_type_hints

import numpy as np

from assay.core.arguments import argument
from assay.core.domains import Choice, Domain, Real, Whole
from assay.core.errors import ParameterError, refuse_unknown
from assay.core.options import (
    CollectionSize,
    Complete,
    Depth,
    Duplicates,
    JudgedOnly,
    Level,
    MissingTopics,
    PolicyRules,
    RankBy,
    ScorePrecision,
    Ties,
    Unjudged,
)


@dataclass(frozen=True)
class Policies:
    """How a run is turned into counts.

    `ties`: order of documents with equal scores; `expected` gives the mean over all orders.
    `unjudged`: documents without a judgment count as irrelevant, or are an error.
    `missing`: a judged topic that the run lacks counts as an empty result, is left out, or is an error.
    `duplicates`: a document twice in a query is an error, or its first or its best-scored row counts.
    `rank_by`: the order is that of the scores, or of the rank column.
    `depth`: only so many documents a query are looked at.
    `judged_only`: documents without a judgment are taken out, and the ranks close up.
    `relevance_level`: the smallest grade that counts as relevant.
    `score_precision`: scores are compared as 64-bit or, as older tools did, as 32-bit numbers.
    `collection_size`: how many documents there are in all; accuracy and whatever else counts what was rightly left out
    cannot do without.
    `complete`: the judgments hold every relevant document, so that what is not in them is irrelevant. It changes no
    number; nobody is warned of unjudged documents, or asked to judge more.

    >>> Policies(ties="doc_id_ascending").signature()
    'ties=doc_id_ascending|unjudged=irrelevant|missing=zero'
    """

    ties: Ties = "doc_id_descending"
    unjudged: Unjudged = "irrelevant"
    missing: MissingTopics = "zero"
    duplicates: Duplicates = "error"
    rank_by: RankBy = "score"
    depth: Depth | None = None
    judged_only: JudgedOnly = False
    relevance_level: Level = 1.0
    score_precision: ScorePrecision = "double"
    collection_size: CollectionSize | None = None
    complete: Complete = False

    def __post_init__(self) -> None:
        # NumPy's numbers become Python's, so that they can be written anywhere.
        for name, domain in _domains().items():
            object.__setattr__(self, name, domain.check(name, getattr(self, name)))
        for name in ("judged_only", "complete"):
            if not isinstance(getattr(self, name), bool | np.bool):
                raise ParameterError(f"{name} is True or False, not {getattr(self, name)!r}")
            object.__setattr__(self, name, bool(getattr(self, name)))
        if self.ties == "expected" and self.judged_only and self.depth is not None:
            ties, judged = argument("ties", "expected"), argument("judged_only", True)
            raise ParameterError(f"{ties} cannot be combined with both {argument('depth')} and {judged}")
        if self.complete and (self.judged_only or self.unjudged == "error"):
            other = argument("judged_only", True) if self.judged_only else argument("unjudged", "error")
            raise ParameterError(
                f"{argument('complete', True)} says that a document without judgment is irrelevant, "
                f"and {other} that it is not: leave one of them out"
            )

    def signature(self) -> str:
        """The rules in the words of their parameters; those off the beaten track only when they are in force."""
        always = ("ties", "unjudged", "missing")
        rules = {field.name: getattr(self, field.name) for field in fields(self)}
        changed = [name for name in rules if name not in always and rules[name] != getattr(DEFAULT_POLICIES, name)]
        return "|".join(f"{name}={_text(rules[name])}" for name in (*always, *changed) if name != "relevance_level")


@cache
def _domains() -> dict[str, Domain]:
    """What each policy may be: the words are read off the types once."""
    hints = {name: get_args(hint) for name, hint in get_type_hints(Policies).items()}
    words = {
        name: Choice(known) for name, known in hints.items() if known and all(isinstance(each, str) for each in known)
    }
    whole = Whole(1, optional=True)
    return {**words, "depth": whole, "collection_size": whole, "relevance_level": Real(0.0)}


DEFAULT_POLICIES = Policies()


def policies(base: Policies | None = None, **changes: Unpack[PolicyRules]) -> Policies:
    """Make policies from keyword arguments, on top of given ones."""
    refuse_unknown(sorted(changes), Policies)
    stated: dict[str, Any] = {**changes}
    return replace(base or DEFAULT_POLICIES, **stated)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
