"""Make letters to a tea merchant in which names are tagged, and what two simple taggers make of them.

Usage: python scripts/make_mentions.py [OUTPUT_FOLDER]

The letters are invented: sentences put together at random from names and phrases. One tagger looks words up in lists
that do not have all names; the other takes capitals for names, and the word before for a hint at their kind. Everything
is deterministic: the same script gives the same bytes. Files: ``mentions.conll`` (the true tags), ``lists.conll`` and
``capitals.conll`` (the taggers), a token and its tag a line.
"""

import argparse
import random
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "src" / "assay" / "data" / "letters"
SEED, LETTERS = 11, 40

NAMES = {
    "PER": ("Ada Lovelace", "Noor Haddad", "Otto Brandt", "Mei Tanaka", "Ravi Menon", "Clara Rosewater"),
    "LOC": ("London", "Oslo", "Kyoto", "Assam", "Cape Town", "New Delhi"),
    "ORG": ("Science Museum", "Tea and Letters", "Harbour Bank", "Northern Railway", "Oslo Tea House"),
}
#: What the first tagger has never heard of.
UNLISTED = ("Clara Rosewater", "Ravi Menon", "Cape Town", "Northern Railway", "Oslo Tea House", "Tea and Letters")
SENTENCES = (
    "the parcel for {PER} went to {LOC} by mistake",
    "{PER} writes from {LOC} again",
    "the {ORG} in {LOC} wants two tins of Darjeeling",
    "please send the bill of May to {PER} at the {ORG}",
    "in {LOC} the post is slow , says {PER}",
    "the {ORG} has not paid since Easter",
    "thank you for the last parcel",
    "Monday is too late for {PER}",
    "the {ORG} sells our tea in {LOC}",
)
PLACED_BEFORE, FIRM_BEFORE = {"in", "from", "to"}, {"the", "The"}
Tagged = list[tuple[str, str]]


def tagged(words: list[str], kind: str) -> Tagged:
    """The words of a name with their tags."""
    return [(word, f"{'I' if place else 'B'}-{kind}") for place, word in enumerate(words)]


def letter(random_: random.Random) -> Tagged:
    """Two sentences with their true tags."""
    tokens: Tagged = []
    for sentence in random_.sample(SENTENCES, 2):
        for word in [*sentence.split(), "."]:
            kind = word.strip("{}")
            tokens += tagged(random_.choice(NAMES[kind]).split(), kind) if kind in NAMES else [(word, "O")]
    return tokens


def by_lists(words: list[str]) -> Tagged:
    """The longest names of the lists, from left to right."""
    known = {tuple(name.split()): kind for kind, names in NAMES.items() for name in names if name not in UNLISTED}
    tokens: Tagged = []
    while len(tokens) < len(words):
        rest = words[len(tokens) :]
        fits = [name for name in known if tuple(rest[: len(name)]) == name]
        name = max(fits, key=len, default=())
        tokens += tagged(list(name), known[name]) if name else [(rest[0], "O")]
    return tokens


def by_capitals(words: list[str]) -> Tagged:
    """Words with capitals that follow one another; the word before says which kind of name they are."""
    tokens: Tagged = []
    while len(tokens) < len(words):
        rest = words[len(tokens) :]
        size = next((place for place, word in enumerate(rest) if not word[0].isupper()), len(rest))
        before = words[len(tokens) - 1] if tokens else ""
        kind = "LOC" if before in PLACED_BEFORE else "ORG" if before in FIRM_BEFORE else "PER"
        tokens += tagged(rest[:size], kind) if size else [(rest[0], "O")]
    return tokens


def main() -> None:
    """Write the files."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=DATA)
    folder = parser.parse_args().folder
    random_ = random.Random(SEED)
    letters = [letter(random_) for _ in range(LETTERS)]
    words = [[word for word, _ in tokens] for tokens in letters]
    for name, every in (
        ("mentions", letters),
        ("lists", [by_lists(each) for each in words]),
        ("capitals", [by_capitals(each) for each in words]),
    ):
        text = "\n".join("".join(f"{word} {tag}\n" for word, tag in tokens) for tokens in every)
        (folder / f"{name}.conll").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
