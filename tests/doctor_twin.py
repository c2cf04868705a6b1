"""The slow twin of the doctor's checks of ties and ranks: plain loops over the lines of a file."""

from __future__ import annotations

import gzip
import math
from collections.abc import Iterator
from itertools import permutations, product
from pathlib import Path
from typing import NamedTuple, TypeAlias

Grades: TypeAlias = dict[str, dict[str, float]]
_SAME = 1e-12


class Row(NamedTuple):
    """What a run says of a document."""

    doc_id: str
    rank: float
    score: float


def read_qrels(path: Path) -> Grades:
    """The grades of each topic."""
    grades: Grades = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        query, _, doc, grade = line.split()
        grades.setdefault(query, {})[doc] = float(grade)
    return grades


def read_run(path: Path) -> dict[str, list[Row]]:
    """The rows of each query."""
    queries: dict[str, list[Row]] = {}
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            query, _, doc, rank, score, *_ = line.split()
            queries.setdefault(query, []).append(Row(doc, float(rank), float(score)))
    return queries


def contradicts(rows: list[Row]) -> bool:
    """Whether a document has a worse rank and a higher score than another: every pair of documents is looked at."""
    return any(one.rank < other.rank and one.score < other.score for one in rows for other in rows)


def contradicts_in_one_pass(rows: list[Row]) -> bool:
    """The same for long lists: a score higher than the lowest one at better ranks."""
    by_rank: dict[float, list[float]] = {}
    for row in rows:
        by_rank.setdefault(row.rank, []).append(row.score)
    lowest = math.inf
    for rank in sorted(by_rank):
        if max(by_rank[rank]) > lowest:
            return True
        lowest = min(lowest, *by_rank[rank])
    return False


def tied(rows: list[Row]) -> list[list[str]]:
    """The documents by falling score, those with equal scores together."""
    by_score: dict[float, list[str]] = {}
    for row in rows:
        by_score.setdefault(row.score, []).append(row.doc_id)
    return [by_score[score] for score in sorted(by_score, reverse=True)]


def every_order(rows: list[Row]) -> Iterator[list[str]]:
    """All rankings that the scores allow."""
    for orders in product(*(permutations(group) for group in tied(rows))):
        yield [doc for group in orders for doc in group]


def best_and_worst(rows: list[Row], grades: dict[str, float]) -> tuple[list[str], list[str]]:
    """The ranking with the highest grades first among equal scores, and the one with the lowest."""
    best, worst = [], []
    for group in tied(rows):
        if len(group) == 1:
            best += group
            worst += group
            continue
        best += sorted(group, key=lambda doc: -max(grades.get(doc, 0), 0))
        worst += sorted(group, key=lambda doc: max(grades.get(doc, 0), 0))
    return best, worst


def measures(ranking: list[str], grades: dict[str, float]) -> dict[str, float]:
    """nDCG@10, AP, RR and P@10 of one topic."""
    found = [(rank, grades[doc]) for rank, doc in enumerate(ranking, 1) if grades.get(doc, 0) > 0]
    ideal = sorted((grade for grade in grades.values() if grade > 0), reverse=True)
    relevant = sum(grade >= 1 for grade in ideal)
    at = [rank for rank, grade in found if grade >= 1]
    best = _dcg(list(enumerate(ideal, 1)))
    return {
        "nDCG@10": _dcg(found) / best if best else 0.0,
        "AP": sum(number / rank for number, rank in enumerate(at, 1)) / relevant if relevant else 0.0,
        "RR": 1 / at[0] if at else 0.0,
        "P@10": sum(rank <= 10 for rank in at) / 10,
    }


def _dcg(found: list[tuple[int, float]]) -> float:
    return sum(grade / math.log2(rank + 1) for rank, grade in found if rank <= 10)


def ranges(run: dict[str, list[Row]], qrels: Grades) -> dict[str, tuple[float, float]]:
    """The means at worst and at best of the measures that an order of equal scores can change in some topic."""
    sums: dict[str, list[float]] = {}
    changed = set()
    for query, grades in qrels.items():
        best, worst = best_and_worst(run.get(query, []), grades)
        high = measures(best, grades)
        low = high if best == worst else measures(worst, grades)
        for name in high:
            total = sums.setdefault(name, [0.0, 0.0])
            total[0] += low[name]
            total[1] += high[name]
            if high[name] - low[name] > _SAME:
                changed.add(name)
    return {name: (low / len(qrels), high / len(qrels)) for name, (low, high) in sums.items() if name in changed}
