"""Make short notes with their classes and points, and what three ways to cluster do with them.

Usage: python scripts/make_notes.py [OUTPUT_FOLDER]

The notes are invented: a verb and a thing of one of four classes, some things of two. Their points are drawn around the
centres of the classes, so that garden and kitchen overlap. Three clusterings: ``kmeans`` with four means, ``density``,
which leaves points in thin places in no cluster (-1), and ``words``, a cluster for each thing. A few notes have no
class. Everything is deterministic: the same script gives the same bytes. File: ``notes.csv``.
"""

import argparse
import csv
import math
import random
from collections.abc import Sequence
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "src" / "assay" / "data" / "notes"
SEED = 17

NOTES = {
    "garden": (36, ("prune", "water", "plant"), ("roses", "beans", "herbs", "hedge", "pots", "soil")),
    "kitchen": (34, ("buy", "chop", "boil"), ("herbs", "beans", "rice", "onions", "pots", "eggs")),
    "travel": (30, ("book", "check", "pack"), ("tickets", "passport", "tent", "maps", "hotel", "bags")),
    "money": (20, ("pay", "file", "check"), ("rent", "tickets", "taxes", "loan", "receipts")),
}
CENTRES = {
    "garden": (0.0, 0.0, 0.5),
    "kitchen": (2.2, 0.6, 0.0),
    "travel": (1.0, 6.0, -0.5),
    "money": (7.0, 4.0, 1.5),
}
SPREAD = 0.9
WITHOUT_CLASS = (7, 31, 48, 66, 90, 113)
#: Density: so many points within this distance make a place dense.
NEAR, ENOUGH = 1.15, 5

Point = tuple[float, ...]


def kmeans(points: Sequence[Point], k: int, rng: random.Random) -> list[int]:
    """Lloyd's rounds from means that were drawn far apart."""
    means = [rng.choice(points)]
    while len(means) < k:
        means.append(max(points, key=lambda point: min(math.dist(point, mean) for mean in means)))
    labels: list[int] = []
    while True:
        nearest = [min(range(k), key=lambda at, point=point: math.dist(point, means[at])) for point in points]
        if nearest == labels:
            return labels
        labels = nearest
        for at in range(k):
            own = [point for point, label in zip(points, labels, strict=True) if label == at]
            means[at] = tuple(sum(values) / len(own) for values in zip(*own, strict=True))


def density(points: Sequence[Point]) -> list[int]:
    """Dense points that are near one another are a cluster, with the points near them; the others are in none."""
    near = [[at for at, other in enumerate(points) if math.dist(point, other) <= NEAR] for point in points]
    dense = {at for at, others in enumerate(near) if len(others) >= ENOUGH}
    labels = [-1] * len(points)
    cluster = 0
    for start in sorted(dense):
        if labels[start] >= 0:
            continue
        reached = [start]
        while reached:
            at = reached.pop()
            if labels[at] >= 0:
                continue
            labels[at] = cluster
            if at in dense:
                reached += [other for other in near[at] if labels[other] < 0]
        cluster += 1
    return labels


def notes(rng: random.Random) -> list[tuple[str, str, str, Point]]:
    """Class, text, thing and point of each note, in a random order."""
    made = []
    for label, (count, verbs, things) in NOTES.items():
        for _ in range(count):
            thing = rng.choice(things)
            point = tuple(round(rng.gauss(centre, SPREAD), 2) for centre in CENTRES[label])
            made.append((label, f"{rng.choice(verbs)} the {thing}", thing, point))
    rng.shuffle(made)
    return made


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", nargs="?", type=Path, default=DATA)
    folder = parser.parse_args().output
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(SEED)
    made = notes(rng)
    points = [point for *_, point in made]
    by_means, by_density = kmeans(points, len(NOTES), rng), density(points)
    with (folder / "notes.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(
            ["item_id", "note", "class", "x", "y", "z", "cluster_kmeans", "cluster_density", "cluster_words"]
        )
        for number, (label, text, thing, point) in enumerate(made, 1):
            known = "" if number in WITHOUT_CLASS else label
            writer.writerow([f"n{number:03}", text, known, *point, by_means[number - 1], by_density[number - 1], thing])


if __name__ == "__main__":
    main()
