"""Settings of a project: checked against each other, kept as JSON with the project."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import cache
from typing import Any, Literal, TypeAlias, get_args

from assay.core.domains import Choice, Whole
from assay.core.errors import ParameterError, refuse_unknown
from assay.store.scales import Scale
from assay.store.settling import Rules

Order: TypeAlias = Literal["topic", "random", "priority", "move-to-front", "max-mean", "thompson"]
Apart: TypeAlias = Literal["grade", "relevance"]


@dataclass(frozen=True)
class Settings:
    """The rules of hand-out of a project.

    `overlap`: labels by different people that every item gets. `most`: more people are asked, up to this, where these
    disagree. `apart`: what counts as a disagreement: another grade (beyond `tolerance`), or only whether it is
    relevant. `adjudicated`: somebody decides where people stay apart. `order`: one topic after the other, documents in
    random order; all documents in random order; by the pool's priority; or topic by topic in an order that follows
    what was judged (move-to-front, max-mean, thompson: see `store/feedback.py`). Never by rank.
    `gold_every`, `repeat_every`: after so many documents, one with a known answer, or one judged before (0: none).
    `blind`: nobody sees what others said of a document before they have judged it. `lease`: minutes that somebody may
    take before others get the document.
    """

    overlap: int = 1
    most: int = 1
    apart: Apart = "grade"
    tolerance: int = 0
    adjudicated: bool = True
    order: Order = "topic"
    gold_every: int = 0
    repeat_every: int = 0
    repeat_after: int = 20
    blind: bool = True
    lease: int = 30

    def __post_init__(self) -> None:
        for name, least in {"overlap": 1, "most": 1, "tolerance": 0, "gold_every": 0, "repeat_every": 0,
                            "repeat_after": 1, "lease": 1}.items():  # fmt: skip
            Whole(least).check(name, getattr(self, name))
        Choice(get_args(Order)).check("order", self.order)
        Choice(get_args(Apart)).check("apart", self.apart)
        if self.most < self.overlap:
            raise ParameterError(
                f"most is {self.most}, overlap {self.overlap}: an item cannot get fewer labels at most than at least"
            )
        if self.apart == "relevance" and self.tolerance:
            raise ParameterError("tolerance is about grades: it has no effect where only relevance counts")
        if self.gold_every and not self.blind:
            raise ParameterError("gold_every needs blind judges: what others said gives known answers away")
        for name in ("gold_every", "repeat_every"):
            if getattr(self, name) == 1:
                raise ParameterError(f"{name} is 1: then nothing else would ever be judged; choose 5 or more")

    def rules(self, scale: Scale) -> Rules:
        """The rules of settling items, on a scale."""
        sides = frozenset(value for value in scale.values if scale.relevant(value))
        return Rules(
            self.overlap, self.most, self.tolerance, sides if self.apart == "relevance" else None, self.adjudicated
        )

    def to_json(self) -> str:
        """The settings as they are stored."""
        return json.dumps(asdict(self), sort_keys=True)

    @staticmethod
    @cache
    def stored(text: str) -> Settings:
        """Settings as they are stored: read once for every text, so that each transaction can ask for the current ones.

        >>> Settings.stored('{"lease": 5}') is Settings.stored('{"lease": 5}')
        True
        """
        return Settings.of(text)

    @classmethod
    def of(cls, stored: str | Mapping[str, Any]) -> Settings:
        """Settings from JSON, or from names and values; `most` is at least the overlap if it is not stated."""
        values = dict(json.loads(stored) if isinstance(stored, str) else stored)
        refuse_unknown([name for name in values if name not in _NAMES], _NAMES)
        values.setdefault("most", max(int(values.get("overlap", 1)), 1))
        return cls(**values)


_NAMES = tuple(each.name for each in fields(Settings))
