"""The catalogue of well-known collections: searched by words, and what an import is recognised by."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources

import polars as pl

from assay.core.results import Result

_UNSTATED = "not stated"
#: What is counted, with the words for it.
COUNTED = {
    "documents": "documents", "topics": "topics", "judged": "topics with judgments", "judgments": "judgments",
    "classes": "classes",
}  # fmt: skip


@dataclass(frozen=True)
class CatalogueEntry:
    """Facts about a collection; counts as papers state them (`published`) and as the files have them."""

    name: str
    title: str
    task: str
    year: str
    purpose: str
    licence: str
    obtain: str
    aliases: tuple[str, ...] = ()
    language: tuple[str, ...] = ()
    published: Mapping[str, int] = field(default_factory=dict)
    distributed: Mapping[str, int] = field(default_factory=dict)
    note: str = ""

    def count(self, what: str) -> str:
        """A count in words: as published, and as distributed where that differs.

        >>> catalogue("time").entries[0].count("documents"), catalogue("inspec").entries[0].count("topics")
        ('425 published, 423 distributed', 'not stated')
        """
        published, distributed = self.published.get(what), self.distributed.get(what)
        if published is not None and distributed is not None and published != distributed:
            return f"{published:,} published, {distributed:,} distributed"
        known = published if published is not None else distributed
        return _UNSTATED if known is None else f"{known:,}"

    def matches(self, word: str) -> bool:
        """True if a word stands in the entry."""
        texts = (self.name, self.title, self.task, self.purpose, self.licence, self.obtain, self.note, self.year)
        return word.casefold() in " ".join((*texts, *self.aliases, *self.language)).casefold()


@dataclass(frozen=True, eq=False)
class Catalogue(Result):
    """Collections that were asked for.

    >>> [entry.name for entry in catalogue("aerodynamics").entries]
    ['cranfield']
    """

    kind = "catalogue"

    entries: tuple[CatalogueEntry, ...]

    def to_frame(self) -> pl.DataFrame:
        """One row per collection: counts in words, and all that is said of it."""
        words = ("name", "title", "task", "year")
        counts = ("documents", "topics", "classes")
        columns: dict[str, list[str]] = {word: [getattr(entry, word) for entry in self.entries] for word in words}
        columns["language"] = [", ".join(entry.language) for entry in self.entries]
        columns |= {what: [entry.count(what) for entry in self.entries] for what in counts}
        for word in ("purpose", "licence", "obtain", "note"):
            columns[word] = [getattr(entry, word) for entry in self.entries]
        return pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))


@cache
def _entries() -> tuple[CatalogueEntry, ...]:
    text = (resources.files("assay") / "ground_truth" / "catalogue.toml").read_text(encoding="utf-8")
    entries = []
    for values in tomllib.loads(text)["collection"]:
        aliases, language = tuple(values.pop("aliases")), tuple(values.pop("language"))
        entries.append(CatalogueEntry(**values, aliases=aliases, language=language))
    return tuple(entries)


def catalogue(*words: str) -> Catalogue:
    """The well-known collections that hold all the words: of the name, the task, the language, or what is said of it.

    >>> [entry.name for entry in catalogue("classification", "english").entries]
    ['20-newsgroups', 'reuters-21578', 'rcv1']
    """
    entries = tuple(entry for entry in _entries() if all(entry.matches(word) for word in words))
    named = tuple(entry for entry in entries if " ".join(words).casefold() in _names(entry))
    return Catalogue(named or entries)


def _names(entry: CatalogueEntry) -> set[str]:
    return {entry.name, entry.title.casefold(), *entry.aliases}


def recognise(name: str, counts: Mapping[str, int]) -> CatalogueEntry | None:
    """The collection that an import is: the one with its counts; of several such, the one with its name.

    Two counts have to agree, of documents, topics and judgments; one will do where the name is that of the collection.

    >>> recognise("raw", {"documents": 423, "topics": 83, "judgments": 324}).name
    'time'
    >>> recognise("mine", {"documents": 423, "topics": 7})
    """
    best, most = None, 0
    for entry in _entries():
        if "search" not in entry.task:
            continue
        agreeing = sum(
            what in counts and counts[what] in (entry.published.get(what), entry.distributed.get(what))
            for what in ("documents", "topics", "judgments")
        )
        is_named = name.casefold() in _names(entry)
        if agreeing + is_named > max(most, 1):
            best = entry
            most = agreeing + is_named
    return best


def differences(entry: CatalogueEntry, counts: Mapping[str, int]) -> tuple[list[str], list[str]]:
    """Differences of an import's counts from the files that circulate; and of these from what was published.

    >>> time = catalogue("time").entries[0]
    >>> differences(time, {"documents": 420, "topics": 83})[0]
    ['420 documents, but TIME has 423 (425 published)']
    >>> differences(time, {"documents": 423})[1]
    ['423 documents, as in the circulating files of TIME; 425 were published']
    """
    wrong, known = [], []
    for what, number in counts.items():
        published, distributed = entry.published.get(what), entry.distributed.get(what)
        stated = distributed if distributed is not None else published
        if stated is None:
            continue
        differs = published is not None and published != stated
        if number != stated:
            also = f" ({published:,} published)" if differs else ""
            wrong.append(f"{number:,} {COUNTED[what]}, but {entry.title} has {stated:,}{also}")
        elif differs:
            files = f"{number:,} {COUNTED[what]}, as in the circulating files of {entry.title}"
            known.append(f"{files}; {published:,} were published")
    return wrong, known
