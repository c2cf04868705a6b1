"""Make labels of an invented crowd, and of an invented language model, for documents of the bicycles collection.

Usage: python scripts/make_crowd.py [OUTPUT_FOLDER]

Twelve workers say whether a document is relevant (1) or not (0), five of them each: most are careful in some measure,
one always says 1, one takes turns, one clicks at random and fast. The model gives grades from 0 to 3, a little more
generous than the assessors; some documents it labelled again, and at another place of the prompt. Everything is
deterministic: the same script gives the same bytes. Files: ``labels.csv``, ``model.csv``.
"""

import argparse
import csv
import random
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "src" / "assay" / "data"
SEED = 23
TOPICS, PER_TOPIC, PER_ITEM, GOLD = 12, 20, 5, 48
CAREFUL = {"w1": 0.93, "w2": 0.9, "w3": 0.88, "w4": 0.86, "w5": 0.84, "w6": 0.82, "w7": 0.8, "w8": 0.7, "w9": 0.66}
CONSTANT, TURNS, RANDOM = "w10", "w11", "w12"
SECONDS = {**dict.fromkeys(CAREFUL, 22.0), CONSTANT: 9.0, TURNS: 8.0, RANDOM: 2.5}
#: How the model errs, by the true grade: the chances of each grade.
MODEL = {0: (0.93, 0.05, 0.02, 0.0), 1: (0.15, 0.6, 0.2, 0.05), 2: (0.05, 0.15, 0.6, 0.2), 3: (0.02, 0.03, 0.1, 0.85)}
AGAIN, FLIP, FLIP_ELSEWHERE = 120, 0.04, 0.1


def read_qrels(path: Path) -> list[tuple[str, str, int]]:
    """Pairs with their grades, in the order of the file."""
    lines = [line.split() for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return [(query, doc, int(grade)) for query, _, doc, grade in lines]


def crowd(pairs: list[tuple[str, str, int]], rng: random.Random) -> list[list[object]]:
    """Labels of the crowd, in the order in which they came in."""
    rows: list[list[object]] = []
    by_topic: dict[str, list[tuple[str, str, int]]] = {}
    for pair in pairs:
        by_topic.setdefault(pair[0], []).append(pair)
    items = []
    for topic in list(by_topic)[:TOPICS]:
        relevant = [pair for pair in by_topic[topic] if pair[2] > 0]
        others = [pair for pair in by_topic[topic] if pair[2] == 0]
        items += relevant + rng.sample(others, PER_TOPIC - len(relevant))
    rng.shuffle(items)
    gold = set(rng.sample(range(len(items)), GOLD))
    turns = 0
    for place, (query, doc, grade) in enumerate(items):
        truth = int(grade > 0)
        for worker in sorted(rng.sample(sorted(SECONDS), PER_ITEM), key=lambda name: int(name[1:])):
            if worker == CONSTANT:
                label = 1
            elif worker == TURNS:
                label, turns = turns % 2, turns + 1
            elif worker == RANDOM:
                label = rng.randrange(2)
            else:
                label = truth if rng.random() < CAREFUL[worker] else 1 - truth
            seconds = SECONDS[worker] * rng.lognormvariate(0, 0.4)
            rows.append([query, doc, worker, label, f"{seconds:.1f}", truth if place in gold else ""])
    return rows


def model(pairs: list[tuple[str, str, int]], rng: random.Random) -> list[list[object]]:
    """Labels of the model: all pairs, then some again, then the same at another position."""
    said = {(query, doc): rng.choices(range(4), MODEL[grade])[0] for query, doc, grade in pairs}
    rows = [[query, doc, label, 1, 1] for (query, doc), label in said.items()]
    again = rng.sample(sorted(said), AGAIN)
    for position, repeat, chance in ((1, 2, FLIP), (4, 1, FLIP_ELSEWHERE)):
        for pair in again:
            label = said[pair]
            if rng.random() < chance:
                label += 1 if label < 3 else -1
            rows.append([*pair, label, position, repeat])
    return [[*row, "example-model-1", "3f9a1c", 0] for row in rows]


def write(path: Path, header: str, rows: list[list[object]]) -> None:
    """Write a table with a header."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header.split(","))
        writer.writerows(rows)


def main() -> None:
    """Write both files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=DATA / "crowd")
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    pairs = read_qrels(DATA / "bicycles" / "qrels.txt")
    write(folder / "labels.csv", "query_id,doc_id,worker,label,seconds,gold", crowd(pairs, random.Random(SEED)))
    header = "query_id,doc_id,label,position,repeat,model,prompt_hash,temperature"
    write(folder / "model.csv", header, model(pairs, random.Random(SEED)))


if __name__ == "__main__":
    main()
