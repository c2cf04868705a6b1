"""The rules of counting that people disagree about, each a parameter with a name."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any, Literal, TypeAlias, get_args, get_type_hints

import numpy as np

from assay.core.errors import ParameterError, did_you_mean, refuse_unknown

Ties: TypeAlias = Literal["doc_id_descending", "doc_id_ascending", "input_order", "expected"]
Unjudged: TypeAlias = Literal["irrelevant", "error"]
Missing: TypeAlias = Literal["zero", "skip", "error"]
Duplicates: TypeAlias = Literal["error", "first", "best"]
RankBy: TypeAlias = Literal["score", "rank"]
ScorePrecision: TypeAlias = Literal["double", "single"]


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
    missing: Missing = "zero"
    duplicates: Duplicates = "error"
    rank_by: RankBy = "score"
    depth: int | None = None
    judged_only: bool = False
    relevance_level: float = 1.0
    score_precision: ScorePrecision = "double"
    collection_size: int | None = None
    complete: bool = False

    def __post_init__(self) -> None:
        for name, choices in _choices().items():
            value = getattr(self, name)
            if value not in choices:
                nearest = did_you_mean(str(value), choices)
                raise ParameterError(f"{name} is one of {', '.join(choices)}, not {value!r}{nearest}")
        level = self.relevance_level
        for name in ("depth", "collection_size"):
            self._check_whole(name)
        numeric = isinstance(level, int | float | np.number) and not isinstance(level, bool)
        if not numeric or not 0 <= level < float("inf"):
            raise ParameterError(f"relevance_level is a number from 0 on, not {level!r}")
        for name in ("judged_only", "complete"):
            if not isinstance(getattr(self, name), bool | np.bool):
                raise ParameterError(f"{name} is True or False, not {getattr(self, name)!r}")
            object.__setattr__(self, name, bool(getattr(self, name)))
        # NumPy's numbers become Python's, so that they can be written anywhere.
        object.__setattr__(self, "relevance_level", float(level))
        if self.ties == "expected" and self.judged_only and self.depth is not None:
            raise ParameterError("ties='expected' cannot be combined with both depth and judged_only")
        if self.complete and (self.judged_only or self.unjudged == "error"):
            other = "judged_only=True" if self.judged_only else "unjudged='error'"
            raise ParameterError(
                f"complete=True says that a document without judgment is irrelevant, and {other} that it is not: "
                "leave one of them out"
            )

    def _check_whole(self, name: str) -> None:
        value = getattr(self, name)
        if value is None:
            return
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or not 1 <= value < 1 << 62:
            raise ParameterError(f"{name} is a whole number from 1 on, not {value!r}")
        object.__setattr__(self, name, int(value))

    def signature(self) -> str:
        """The rules in the words of their parameters; those off the beaten track only when they are in force."""
        always = ("ties", "unjudged", "missing")
        told = {field.name: getattr(self, field.name) for field in fields(self)}
        changed = [name for name in told if name not in always and told[name] != getattr(DEFAULT_POLICIES, name)]
        return "|".join(f"{name}={_shown(told[name])}" for name in (*always, *changed) if name != "relevance_level")


@cache
def _choices() -> dict[str, tuple[str, ...]]:
    """The words that each policy may be, read off the types once."""
    hints = {name: get_args(hint) for name, hint in get_type_hints(Policies).items()}
    return {name: words for name, words in hints.items() if words and all(isinstance(word, str) for word in words)}


DEFAULT_POLICIES = Policies()


def policies(given: Policies | None = None, **changes: Any) -> Policies:
    """Make policies from keyword arguments, on top of given ones."""
    refuse_unknown(sorted(changes), Policies)
    return replace(given or DEFAULT_POLICIES, **changes)


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
