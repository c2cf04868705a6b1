"""Make the runs of the bicycles collection with real rankers.

Usage: python scripts/make_bicycles_runs.py [OUTPUT_FOLDER]

Six rankers order the documents of ``src/assay/data/bicycles`` for each topic and write one TREC run each: BM25
over everything, BM25 over titles, BM25 with the description, BM25 with feedback, tf-idf, and a shuffled baseline.
Everything is deterministic: the same documents and topics give the same bytes. Needs scikit-learn, and an SQLite
with FTS5.
"""

import argparse
import json
import random
import re
import sqlite3
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.feature_extraction.text import (  # type: ignore[import-not-found, import-untyped, unused-ignore]
    ENGLISH_STOP_WORDS,
    TfidfVectorizer,
)

DATA = Path(__file__).resolve().parent.parent / "src" / "assay" / "data" / "bicycles"
DEPTH = 50
FEEDBACK_DOCUMENTS = 3
FEEDBACK_TERMS = 8
FEEDBACK_WEIGHT = 0.4
SEED = 20

Ranking = list[tuple[str, float]]
Run = dict[str, Ranking]


class Document(NamedTuple):
    """One note of the collection."""

    doc_id: str
    title: str
    text: str


class Topic(NamedTuple):
    """One information need; the rankers do not see its narrative."""

    query_id: str
    title: str
    description: str


def read_documents(path: Path) -> list[Document]:
    """Read the notes, one JSON object a line."""
    with path.open(encoding="utf-8") as lines:
        return [Document(**json.loads(line)) for line in lines]


def read_topics(path: Path) -> list[Topic]:
    """Read the topics from the classic TREC markup, whose fields have no closing tags."""
    field = re.compile(
        r"<num>\s*Number:\s*(?P<num>\S+)\s*<title>\s*(?P<title>.*?)\s*"
        r"<desc>\s*Description:\s*(?P<desc>.*?)\s*<narr>",
        re.DOTALL,
    )
    return [Topic(m["num"], m["title"], m["desc"]) for m in field.finditer(path.read_text(encoding="utf-8"))]


def words(text: str) -> list[str]:
    """Return the distinct lower-case words of a text, in order of first appearance, without stop words."""
    return [word for word in dict.fromkeys(re.findall(r"\w+", text.lower())) if word not in ENGLISH_STOP_WORDS]


def ranked(scores: Iterable[tuple[str, float]]) -> Ranking:
    """Sort by score, best first, equal scores by document id, and cut at the depth."""
    return sorted(scores, key=lambda pair: (-pair[1], pair[0]))[:DEPTH]


class Index:
    """A full-text index in memory, with Porter stemming and the BM25 of SQLite."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._database = sqlite3.connect(":memory:")
        self._database.execute(
            "CREATE VIRTUAL TABLE notes USING fts5(doc_id UNINDEXED, title, text, tokenize = 'porter unicode61')"
        )
        self._database.executemany("INSERT INTO notes VALUES (?, ?, ?)", documents)

    def scores(self, terms: Iterable[str]) -> dict[str, float]:
        """Score the documents that hold any of the terms; SQLite's BM25 is negative, so its sign is turned."""
        any_term = " OR ".join(f'"{term}"' for term in terms)
        rows = self._database.execute("SELECT doc_id, -bm25(notes) FROM notes WHERE notes MATCH ?", (any_term,))
        return dict(rows.fetchall())


class TermWeights:
    """Tf-idf vectors of the notes."""

    def __init__(self, documents: list[Document]) -> None:
        self._ids = [document.doc_id for document in documents]
        self._vectorizer = TfidfVectorizer(sublinear_tf=True, stop_words="english")
        self._matrix = self._vectorizer.fit_transform(f"{d.title} {d.text}" for d in documents)
        self._terms: list[str] = self._vectorizer.get_feature_names_out().tolist()

    def similarities(self, query: str) -> dict[str, float]:
        """Return the cosine of the query with each document that shares a term with it."""
        cosines = (self._matrix @ self._vectorizer.transform([query]).T).toarray().ravel()
        return {doc_id: float(c) for doc_id, c in zip(self._ids, cosines, strict=True) if c > 0}

    def strongest(self, doc_ids: Iterable[str], known: Iterable[str]) -> list[str]:
        """Return the terms with the highest summed weight in some documents, other than the known ones."""
        rows = [self._ids.index(doc_id) for doc_id in doc_ids]
        weights = np.round(np.asarray(self._matrix[rows].sum(axis=0)).ravel(), 9)
        skipped = set(known)
        order = sorted(range(len(self._terms)), key=lambda i: (-float(weights[i]), self._terms[i]))
        return [self._terms[i] for i in order if self._terms[i] not in skipped][:FEEDBACK_TERMS]


def expand(index: Index, weights: TermWeights, topic: Topic) -> Ranking:
    """Add the strongest terms of the best documents as a second, lighter query."""
    query = words(topic.title)
    first = index.scores(query)
    best = [doc_id for doc_id, _ in ranked(first.items())[:FEEDBACK_DOCUMENTS]]
    second = index.scores(weights.strongest(best, query))
    found = first.keys() | second.keys()
    return ranked((d, first.get(d, 0.0) + FEEDBACK_WEIGHT * second.get(d, 0.0)) for d in found)


def shuffle(run: Run) -> Run:
    """Put the documents of each topic in a random order that is the same every time."""
    source = random.Random(SEED)
    shuffled: Run = {}
    for query_id, ranking in run.items():
        doc_ids = [doc_id for doc_id, _ in ranking]
        source.shuffle(doc_ids)
        shuffled[query_id] = [(doc_id, float(len(doc_ids) - i)) for i, doc_id in enumerate(doc_ids)]
    return shuffled


def make_runs(documents: list[Document], topics: list[Topic]) -> dict[str, Run]:
    """Rank the documents for every topic with every ranker."""
    index = Index(documents)
    title_index = Index(document._replace(text="") for document in documents)
    weights = TermWeights(documents)
    rankers: dict[str, Callable[[Topic], Ranking]] = {
        "bm25": lambda t: ranked(index.scores(words(t.title)).items()),
        "tfidf": lambda t: ranked(weights.similarities(t.title).items()),
        "titles": lambda t: ranked(title_index.scores(words(t.title)).items()),
        "expanded": lambda t: expand(index, weights, t),
        "described": lambda t: ranked(index.scores(words(f"{t.title} {t.description}")).items()),
    }
    runs = {name: {topic.query_id: ranker(topic) for topic in topics} for name, ranker in rankers.items()}
    runs["shuffled"] = shuffle(runs["bm25"])
    return runs


def write_run(path: Path, run: Run) -> None:
    """Write a run under a temporary name first, so that nobody ever reads half of it."""
    lines = [
        f"{query_id} Q0 {doc_id} {rank} {score:.4f} {path.stem}\n"
        for query_id, ranking in run.items()
        for rank, (doc_id, score) in enumerate(ranking, start=1)
    ]
    temporary = path.with_name(f"{path.name}.tmp")
    temporary.write_text("".join(lines), encoding="utf-8", newline="\n")
    temporary.replace(path)


def main() -> None:
    """Read the collection and write its runs."""
    parser = argparse.ArgumentParser(description="Make the runs of the bicycles collection.")
    parser.add_argument("output", nargs="?", type=Path, default=DATA / "runs", help="folder for the runs")
    output: Path = parser.parse_args().output
    output.mkdir(parents=True, exist_ok=True)
    runs = make_runs(read_documents(DATA / "documents.jsonl"), read_topics(DATA / "topics.trec"))
    for name, run in runs.items():
        write_run(output / f"{name}.run", run)


if __name__ == "__main__":
    main()
