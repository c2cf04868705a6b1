"""Make runs of the bicycles collection over a grid of two parameters, to choose among.

Usage: python scripts/make_bicycles_grid.py [OUTPUT_FOLDER]

One ranker, BM25 over words, with every combination of k1 (how soon repeating a word stops to count) and of the weight
of titles (how many times a title counts as part of its note). A run is called after its parameters, such as
``bm25-k1=1.2,title=1.run``. Everything is deterministic: the same documents and topics give the same bytes.
"""

import argparse
import math
import re
from collections import Counter
from itertools import product
from pathlib import Path

from make_bicycles_runs import DATA, Document, Topic, read_documents, read_topics, words, write_run

K1, TITLE, B = (0.3, 1.2, 2.4), (0, 1, 2, 4), 0.75
DEPTH = 20


def counted(document: Document, title: int) -> Counter[str]:
    """How often each word occurs in a note whose title counts so many times."""
    found = Counter(re.findall(r"\w+", document.text.lower()))
    for word in re.findall(r"\w+", document.title.lower()):
        found[word] += title
    return +found


def rank(documents: list[Document], topics: list[Topic], k1: float, title: int) -> dict[str, list[tuple[str, float]]]:
    """Rank the notes for every topic by BM25."""
    counts = {one.doc_id: counted(one, title) for one in documents}
    lengths = {doc_id: sum(found.values()) for doc_id, found in counts.items()}
    usual = sum(lengths.values()) / len(lengths)
    holding = Counter(word for found in counts.values() for word in found)
    run = {}
    for topic in topics:
        scores: Counter[str] = Counter()
        for word in words(topic.title):
            rare = math.log(1 + (len(counts) - holding[word] + 0.5) / (holding[word] + 0.5))
            for doc_id, found in counts.items():
                if found[word]:
                    norm = k1 * (1 - B + B * lengths[doc_id] / usual)
                    scores[doc_id] += rare * found[word] * (k1 + 1) / (found[word] + norm)  # type: ignore[assignment]
        run[topic.query_id] = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))[:DEPTH]
    return run


def main() -> None:
    """Read the collection and write a run for every point of the grid."""
    parser = argparse.ArgumentParser(description="Make runs of the bicycles collection over a grid.")
    parser.add_argument("output", nargs="?", type=Path, default=DATA / "grid", help="folder for the runs")
    output: Path = parser.parse_args().output
    output.mkdir(parents=True, exist_ok=True)
    documents, topics = read_documents(DATA / "documents.jsonl"), read_topics(DATA / "topics.trec")
    for k1, title in product(K1, TITLE):
        write_run(output / f"bm25-k1={k1:g},title={title}.run", rank(documents, topics, k1, title))


if __name__ == "__main__":
    main()
