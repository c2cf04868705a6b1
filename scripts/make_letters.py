"""Make the letters to a tea merchant, and what simple classifiers say of them.

Usage: python scripts/make_letters.py [OUTPUT_FOLDER]

The letters are invented: phrases put together at random, some of which occur in letters of any kind. Two thirds of
each kind teach a naive Bayes classifier, the rest are what it is judged by; a list of words is the other classifier.
Everything is deterministic: the same script gives the same bytes. Files: ``spam.csv`` (two labels, two systems side by
side), ``topics.csv`` (four labels, a score for each), ``tags.jsonl`` (any number of labels a letter).
"""

import argparse
import csv
import json
import math
import random
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

DATA = Path(__file__).resolve().parent.parent / "src" / "assay" / "data" / "letters"
SEED = 6

ANYWHERE = (
    "thank you for the last parcel",
    "please write back soon",
    "my address has not changed",
    "we drink a pot every afternoon",
    "the price seems fair to me",
    "this offer ends on Friday",
    "I saw your name in a shop window",
    "send the bill to my office",
    "do you have anything new",
    "greetings from the coast",
)
SPAM = (
    "win a free teapot today",
    "click here for a prize",
    "cheap watches for your shop",
    "lose weight with one cup",
    "you have been chosen to win money",
    "a loan without questions",
    "free samples of gold",
    "double your sales in a week",
)
TOPICS = {
    "order": (
        "please send two pounds of Assam",
        "I want to order a tin of oolong",
        "add a box of green tea to my list",
        "the usual parcel for the winter",
        "one more tin of the smoky kind",
    ),
    "question": (
        "how long does sencha keep",
        "which tea has the least caffeine",
        "how hot should the water be",
        "do you have a tea for children",
        "what is the difference between green and white",
    ),
    "complaint": (
        "the tin arrived dented",
        "the parcel came three weeks late",
        "this is not the tea that I wanted",
        "there was dust in the box",
        "I want my money back",
    ),
    "supplier": (
        "our garden offers a first flush of Darjeeling",
        "samples of the new harvest are on their way",
        "prices for a chest of Ceylon",
        "we can deliver forty chests in May",
    ),
}
TAGS = {
    "green": (("a box of sencha", "green tea for the morning"), ("green", "sencha")),
    "black": (("a pound of Assam", "Darjeeling of the first flush"), ("assam", "darjeeling", "black")),
    "herbal": (("mint leaves", "camomile for the evening", "a tea without caffeine"), ("mint", "camomile")),
    "teaware": (("a small iron pot", "two cups with saucers"), ("pot", "cups", "tin")),
    "delivery": (("by post before Friday", "the parcel is late"), ("post", "parcel")),
    "price": (("what does it cost", "the bill is too high"), ("bill", "price", "cheap")),
}
SUSPICIOUS = {
    "win": 2.0,
    "free": 1.5,
    "prize": 2.0,
    "money": 1.0,
    "cheap": 1.0,
    "loan": 1.5,
    "offer": 0.8,
    "click": 2.0,
}


class Letter(NamedTuple):
    """A letter and what it is."""

    text: str
    label: str


class Bayes:
    """Naive Bayes on words; counts start at 1."""

    def __init__(self, letters: Sequence[Letter]) -> None:
        self.labels = sorted({letter.label for letter in letters})
        self.prior = Counter(letter.label for letter in letters)
        self.words = {label: Counter[str]() for label in self.labels}
        for letter in letters:
            self.words[letter.label].update(words_of(letter.text))
        self.known = {word for counts in self.words.values() for word in counts}

    def scores(self, text: str) -> dict[str, float]:
        """The probability of each label; softened, since words are not as independent as is assumed here."""
        found = [word for word in words_of(text) if word in self.known]
        logs = {
            label: math.log(self.prior[label] / self.prior.total())
            + 0.6
            * sum(
                math.log((self.words[label][word] + 1) / (self.words[label].total() + len(self.known)))
                for word in found
            )
            for label in self.labels
        }
        top = max(logs.values())
        total = sum(math.exp(log - top) for log in logs.values())
        return {label: math.exp(log - top) / total for label, log in logs.items()}


def words_of(text: str) -> list[str]:
    """The words of a text in lower case."""
    return re.findall(r"[a-z]+", text.lower())


def letter(rng: random.Random, label: str, phrases: Sequence[str], others: Sequence[str]) -> Letter:
    """A letter of some phrases of its kind and some that may stand anywhere; now and then one of another kind."""
    chosen = rng.sample(list(phrases), rng.choice((1, 1, 2)))
    chosen += rng.sample(ANYWHERE, rng.choice((0, 1, 2)))
    if rng.random() < 0.3:
        chosen.append(rng.choice(list(others)))
    rng.shuffle(chosen)
    return Letter(", ".join(chosen), label)


def parted(rng: random.Random, letters: list[Letter], size: int) -> tuple[list[Letter], list[Letter]]:
    """Letters to learn from, and so many others to be judged by."""
    rng.shuffle(letters)
    return letters[size:], letters[:size]


def spam(folder: Path) -> None:
    """Two labels: whether a letter is spam; one score and one prediction a system."""
    rng = random.Random(SEED)
    ham = [phrase for phrases in TOPICS.values() for phrase in phrases]
    made = [letter(rng, "ham", ham, SPAM) for _ in range(460)] + [letter(rng, "spam", SPAM, ham) for _ in range(140)]
    known, new = parted(rng, made, 200)
    bayes = Bayes(known)
    rows = []
    for number, (text, label) in enumerate(new, start=1):
        learnt = bayes.scores(text)["spam"]
        weight = sum(SUSPICIOUS.get(word, 0.0) for word in words_of(text))
        listed = 1 / (1 + math.exp(1.6 - weight))
        said = ["spam" if score >= 0.5 else "ham" for score in (learnt, listed)]
        rows.append((f"letter{number:03}", label, said[0], f"{learnt:.3f}", said[1], f"{listed:.3f}", text))
    header = ("item_id", "truth", "prediction_bayes", "score_bayes", "prediction_words", "score_words", "text")
    write(folder / "spam.csv", header, rows)


def topics(folder: Path) -> None:
    """Four labels: what a letter is about; a score for each, and the most likely one as the prediction."""
    rng = random.Random(SEED + 1)
    sizes = {"order": 190, "question": 130, "complaint": 90, "supplier": 40}
    made = []
    for label, size in sizes.items():
        others = [phrase for other, phrases in TOPICS.items() if other != label for phrase in phrases]
        made += [letter(rng, label, TOPICS[label], others) for _ in range(size)]
    known, new = parted(rng, made, 150)
    bayes = Bayes(known)
    rows = []
    for number, (text, label) in enumerate(new, start=1):
        scores = {name: round(score, 3) for name, score in bayes.scores(text).items()}
        # Rounded probabilities may add up to a little more or less than 1: the largest one gives way.
        best = max(scores, key=lambda name: scores[name])
        scores[best] = round(1 - sum(score for name, score in scores.items() if name != best), 3)
        rows.append((f"letter{number:03}", label, best, *(f"{score:.3f}" for score in scores.values()), text))
    header = ("item_id", "truth", "prediction", *(f"score_{label}" for label in bayes.labels), "text")
    write(folder / "topics.csv", header, rows)


def tags(folder: Path) -> None:
    """Any number of labels: what a letter mentions; a list of words finds some of it."""
    rng = random.Random(SEED + 2)
    lines = []
    for number in range(1, 61):
        truth = sorted(tag for tag in TAGS if rng.random() < 0.3)
        phrases = [rng.choice(TAGS[tag][0]) for tag in truth] + rng.sample(ANYWHERE, 1)
        rng.shuffle(phrases)
        text = ", ".join(phrases)
        found = sorted(tag for tag, (_, words) in TAGS.items() if set(words) & set(words_of(text)))
        lines.append({"item_id": f"letter{number:03}", "truth": truth, "prediction": found, "text": text})
    text = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
    (folder / "tags.jsonl").write_text(text, encoding="utf-8")


def write(path: Path, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Write a CSV file."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([header, *rows])


def main() -> None:
    """Make the three files."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=DATA)
    folder: Path = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for make in (spam, topics, tags):
        make(folder)


if __name__ == "__main__":
    main()
