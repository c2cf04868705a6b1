"""Cross-validate two simple classifiers on the letters, and write down what they said in each fold.

Usage: python scripts/make_folds.py [OUTPUT_FOLDER]

The letters are those of ``spam.csv`` (see ``make_letters.py``). Some of their labels are turned over, so that there is
something to be wrong about. One classifier is naive Bayes on words, the other remembers every letter and says what the
most similar ones were. Files: ``folds.csv``, a row for each letter in each fold: as a letter that was tested or as one
that was learned from. Everything is deterministic: the same script gives the same bytes.
"""

import argparse
import csv
import random
from collections.abc import Sequence
from pathlib import Path

from make_letters import DATA, Bayes, Letter, words_of

SEED, LETTERS, FOLDS, TURNED, NEAREST = 7, 100, 5, 0.12, 3


def letters(folder: Path) -> list[tuple[str, Letter]]:
    """The first letters of the file by their ids, some of them under the other label."""
    rng = random.Random(SEED)
    other = {"spam": "ham", "ham": "spam"}
    with (folder / "spam.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))[:LETTERS]
    return [
        (row["item_id"], Letter(row["text"], other[row["truth"]] if rng.random() < TURNED else row["truth"]))
        for row in rows
    ]


def folds_of(count: int) -> list[int]:
    """In which fold each letter is tested, from 1 on."""
    order = list(range(count))
    random.Random(SEED).shuffle(order)
    found = [0] * count
    for place, letter in enumerate(order):
        found[letter] = place % FOLDS + 1
    return found


def by_nearest(text: str, known: Sequence[Letter]) -> float:
    """The share of spam among the letters that have most words in common with a text."""
    own = set(words_of(text))

    def alike(letter: Letter) -> float:
        words = set(words_of(letter.text))
        return len(own & words) / len(own | words)

    # Sorting keeps the order of letters that are alike.
    nearest = sorted(known, key=alike, reverse=True)[:NEAREST]
    return sum(letter.label == "spam" for letter in nearest) / NEAREST


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", nargs="?", type=Path, default=DATA)
    folder: Path = parser.parse_args().output
    given = letters(DATA)
    tested_in = folds_of(len(given))
    with (folder / "folds.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        names = ("prediction_bayes", "score_bayes", "prediction_nearest", "score_nearest")
        writer.writerow(("item_id", "fold", "split", "truth", *names))
        for fold in range(1, FOLDS + 1):
            known = [letter for (_, letter), own in zip(given, tested_in, strict=True) if own != fold]
            bayes = Bayes(known)
            for (item, letter), own in zip(given, tested_in, strict=True):
                scores = (bayes.scores(letter.text)["spam"], by_nearest(letter.text, known))
                said = [cell for score in scores for cell in ("spam" if score >= 0.5 else "ham", f"{score:.3f}")]
                writer.writerow((item, fold, "test" if own == fold else "train", letter.label, *said))


if __name__ == "__main__":
    main()
