"""Preferences between documents: an item is a pair of documents of a topic, and its grade says which one is better."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from assay.core.domains import Whole
from assay.core.errors import InputError
from assay.store.scales import SCALES, Scale
from assay.tables import Documents

if TYPE_CHECKING:
    from assay.ground_truth.pooling import Pool

#: What stands between the two documents in the name of a pair.
_BETWEEN: Final = " : "
#: What stands before each of the texts of a pair.
_LEFT: Final = "LEFT: "
_RIGHT: Final = "\n\nRIGHT: "


def are_preferences(scale: Scale) -> bool:
    """True of the scale on which one of two documents is better."""
    return scale.name == SCALES["preference"].name


def in_pairs(
    pool: Pool, documents: Documents | Iterable[Documents], *, each: int = 4, seed: int = 0
) -> tuple[Pool, Documents]:
    """A pool whose documents are pairs, and the texts of the pairs: what is on the left, then what is on the right.

    `each`: the pairs that every document of a topic is in, as far as there are so many others. Which documents meet,
    and on which side, is drawn by the seed and follows no rank.
    """
    Whole(1).check("pairs", each)
    to_judge = pool.to_judge()
    if odd := [name for name in to_judge["doc_id"].unique().sort() if _BETWEEN in name]:
        raise InputError(f"{odd[0]!r}: expected documents without {_BETWEEN!r} in their names, to make pairs of them")
    rng = np.random.default_rng(seed)
    pairs = [
        (topic, left, right)
        for (topic,), rows in to_judge.sort("query_id", "doc_id").group_by("query_id", maintain_order=True)
        for left, right in _pairs_of(rows["doc_id"].to_list(), each, rng)
    ]
    if not pairs:
        raise InputError("preferences need two documents or more of a topic")
    names = [f"{left}{_BETWEEN}{right}" for _, left, right in pairs]
    frame = pl.DataFrame({
        "query_id": [topic for topic, _, _ in pairs], "doc_id": names, "order": range(1, len(pairs) + 1),
        "priority": range(1, len(pairs) + 1), "stratum": 0, "inclusion": 1.0,
    })  # fmt: skip
    texts = _texts(documents, {name for _, *both in pairs for name in both})
    known = {
        name: f"{_LEFT}{texts[left]}{_RIGHT}{texts[right]}"
        for name, (_, left, right) in zip(names, pairs, strict=True)
        if left in texts and right in texts
    }
    return replace(pool, frame=frame), Documents.of(known)


def sides_of(text: str) -> tuple[str, str] | None:
    r"""The texts of the two documents of a pair, to show them side by side; None if the text is none of a pair.

    >>> sides_of("LEFT: tea is hot\n\nRIGHT: tea is cold")
    ('tea is hot', 'tea is cold')
    """
    left, between, right = text.partition(_RIGHT)
    # A document that holds the mark itself leaves open where the other one begins: then they are shown as one text.
    if not (left.startswith(_LEFT) and between) or _RIGHT in right:
        return None
    return left.removeprefix(_LEFT), right


def sides(frame: pl.DataFrame) -> pl.DataFrame:
    """Judgments of pairs with a column for each side, and the name of the document that is better."""
    both = pl.col("doc_id").str.split_exact(_BETWEEN, 1)
    left, right = both.struct.field("field_0"), both.struct.field("field_1")
    preferred = pl.when(pl.col("relevance") < 0).then(left).when(pl.col("relevance") > 0).then(right)
    return frame.with_columns(left=left, right=right, preferred=preferred).select(
        "query_id", "left", "right", "preferred", pl.exclude("query_id", "doc_id", "left", "right", "preferred")
    )


def _pairs_of(names: list[str], each: int, rng: np.random.Generator) -> Iterator[tuple[str, str]]:
    """Pairs in which every document is as often: neighbours on a circle of drawn order, then neighbours but one, ..."""
    order = [names[place] for place in rng.permutation(len(names))]
    seen = set[frozenset[str]]()
    for step in range(1, min((each + 1) // 2, len(order) - 1) + 1):
        for place, name in enumerate(order):
            other = order[(place + step) % len(order)]
            if name != other and frozenset((name, other)) not in seen:
                seen.add(frozenset((name, other)))
                yield (name, other) if rng.random() < 0.5 else (other, name)


def _texts(documents: Documents | Iterable[Documents], wanted: set[str]) -> dict[str, str]:
    """The texts of documents under their titles."""
    pieces = [documents] if isinstance(documents, Documents) else documents
    return {
        name: "\n".join(part for part in (title, text) if part)
        for piece in pieces
        for name, title, text in piece.frame.select("doc_id", "title", "text").iter_rows()
        if name in wanted
    }
