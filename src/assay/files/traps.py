"""What gives wrong scores silently in old collections: grades upside down, and ids that differ between files."""

from __future__ import annotations

import polars as pl

from assay.errors import number_of
from assay.tables import Documents, Qrels, Topics

_CRANFIELD = {-1.0, 1.0, 2.0, 3.0, 4.0}


def turned_round(qrels: Qrels) -> Qrels:
    """Grades of which 1 is the best: the largest becomes 1, and what is not positive 0.

    >>> turned_round(Qrels.of([("q1", "d1", 1), ("q1", "d2", 4), ("q1", "d3", -1)])).frame["relevance"].to_list()
    [4.0, 1.0, 0.0]
    """
    grade = pl.col("relevance")
    turned = pl.when(grade > 0).then(grade.max() + 1 - grade).otherwise(0.0)
    return Qrels(qrels.frame.with_columns(relevance=turned), qrels.name, qrels.format, qrels.warnings)


def upside_down(qrels: Qrels) -> list[str]:
    """A warning if grades look as if 1 were the best one."""
    negative = qrels.frame.filter(pl.col("relevance") < 0)
    if set(qrels.frame["relevance"].unique().to_list()) != _CRANFIELD or not negative["query_id"].is_unique().all():
        return []
    return [
        f"{qrels.name}: these look like Cranfield's codes: 1 is the best grade, 4 the least, and what the one -1 "
        "a query means is a choice; inverse_grades=True (--inverse-grades) turns 1..4 into 4..1, and -1 into 0"
    ]


def fitted(qrels: dict[str, Qrels], topics: Topics | None) -> tuple[dict[str, Qrels], Topics | None, list[str]]:
    """Bring the ids of topics and judgments together, where they differ in a known way, and say so."""
    if topics is None:
        return qrels, None, []
    said: list[str] = []
    done: dict[str, Qrels] = {}
    for split, given in qrels.items():
        judged = given
        ids = topics.frame["query_id"].to_list()
        strange = set(judged.topics) - set(ids)
        if strange and _differ_in_zeros(ids, judged.topics):
            judged = _renamed(judged, {topic: _plain(topic) for topic in judged.topics})
            topics = _renumbered(topics, [_plain(topic) for topic in ids])
            said.append(f"{judged.name}: query ids differ in leading zeros from {topics.name}; they are left out")
        elif strange and _are_positions(judged.topics, len(ids)):
            topics = _renumbered(topics, [str(place) for place in range(1, len(ids) + 1)])
            said.append(
                f"{judged.name}: queries are numbered by position, not by the ids of {topics.name}; "
                "the topics are numbered so too, and their own ids are in the column `given_id`"
            )
        done[split] = judged
    for judged in done.values():
        known = set(topics.frame["query_id"])
        strange = set(judged.topics) - known
        if strange:
            said.append(f"{judged.name}: {len(strange)} judged queries are not among the topics, as {min(strange)!r}")
        if without := len(known - set(judged.topics)):
            said.append(f"{judged.name}: {number_of('topic', without)} without judgments")
    return done, topics, said


def unknown_documents(qrels: Qrels, documents: Documents | None) -> list[str]:
    """A warning if documents were judged that the collection lacks."""
    if documents is None:
        return []
    strange = qrels.frame["doc_id"].unique(maintain_order=True)
    strange = strange.filter(~strange.is_in(documents.frame["doc_id"].implode()))
    if not strange.len():
        return []
    return [f"{qrels.name}: {strange.len()} judged documents are not in the collection, such as {strange[0]!r}"]


def _differ_in_zeros(ids: list[str], judged: list[str]) -> bool:
    """Whether the judged queries are topics, if one looks at the numbers and not at how they are written."""
    if not all(name.isdecimal() and name.isascii() for name in (*ids, *judged)):
        return False
    plain = {_plain(name) for name in ids}
    once = len(plain) == len(ids) and len({_plain(name) for name in judged}) == len(judged)
    return once and all(_plain(name) in plain for name in judged)


def _are_positions(judged: list[str], topics: int) -> bool:
    return set(judged) <= {str(place) for place in range(1, topics + 1)}


def _plain(number: str) -> str:
    return number.lstrip("0") or "0"


def _renamed(qrels: Qrels, names: dict[str, str]) -> Qrels:
    frame = qrels.frame.with_columns(pl.col("query_id").replace_strict(names, return_dtype=pl.String))
    return Qrels(frame, qrels.name, qrels.format, qrels.warnings)


def _renumbered(topics: Topics, ids: list[str]) -> Topics:
    if ids == topics.frame["query_id"].to_list():
        return topics
    given = {} if "given_id" in topics.frame.columns else {"given_id": topics.frame["query_id"]}
    frame = topics.frame.with_columns(pl.Series("query_id", ids), **given)
    return Topics(frame, topics.name, topics.format, topics.warnings)
