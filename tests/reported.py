"""What reports in tests are made of: the demo's collection, and judgments and runs drawn from a seed."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import assay
from assay import Report, make_report

BICYCLES = Path(assay.__file__).parent / "data" / "bicycles"
TEA = BICYCLES.parent / "tea"
NAMES = ("bm25", "described", "expanded", "tfidf", "titles", "shuffled")
RUNS = {name: BICYCLES / "runs" / f"{name}.run" for name in NAMES}
MEASURES = ("nDCG@10", "AP", "RR")
FORMS = ("to_html", "to_markdown", "to_latex", "to_json")
Table = dict[str, dict[str, float]]


@cache
def bicycles_report() -> Report:
    """The report on the demo's six systems, with topics and documents."""
    topics, documents = BICYCLES / "topics.trec", BICYCLES / "documents.jsonl"
    return make_report(BICYCLES / "qrels.txt", RUNS, MEASURES, topics=topics, documents=documents)


def random_data(systems: int, queries: int = 8, seed: int = 1) -> tuple[Table, dict[str, Table]]:
    """Judgments of a dozen documents a query, and systems that return others, too, in any order."""
    rng = random.Random(seed)
    qrels = {f"q{n}": {f"d{d}": float(rng.choice([0, 0, 1, 2])) for d in range(12)} for n in range(queries)}
    runs = {
        f"s{s}": {query: {f"d{d}": rng.random() for d in rng.sample(range(20), 14)} for query in qrels}
        for s in range(systems)
    }
    return qrels, runs
