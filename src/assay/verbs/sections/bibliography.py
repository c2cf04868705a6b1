"""The works that a methods paragraph may cite, from `works.bib`; what each is cited for stands where it is defined."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from assay.show.model import Work

_ENTRY = re.compile(r"^@(?P<kind>\w+)\{(?P<key>\w+),\n(?P<fields>.*?)^\}$", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r"^  (?P<name>\w+) = \{(?P<value>.*)\},$", re.MULTILINE)


class Entry(NamedTuple):
    """A published work: the fields of its entry of the BibTeX file, and that entry."""

    fields: dict[str, str]
    bibtex: str

    def __str__(self) -> str:
        """The entry of a list of references.

        >>> print(entries()["holm1979"])
        Holm, S. (1979). A simple sequentially rejective multiple test procedure.
        Scandinavian Journal of Statistics, 6(2), 65–70.
        """
        fields = self.fields
        authors = fields["author"].split(" and ")
        names = authors[0] if len(authors) == 1 else f"{', '.join(authors[:-1])}, & {authors[-1]}"
        issue = fields.get("volume", "") + (f"({fields['number']})" if "number" in fields else "")
        pages = fields.get("pages", "").replace("--", "–")
        where = ", ".join(filter(None, (self._container, issue, pages)))
        parts = (f"{names} ({fields['year']})", fields["title"], where, fields.get("publisher", ""))
        return " ".join(f"{part.removesuffix('.')}." for part in parts if part)

    @property
    def _container(self) -> str:
        """The journal, or the proceedings or the book with its editors."""
        book = self.fields.get("booktitle", "")
        if "editor" in self.fields:
            editors = [" ".join(reversed(name.split(", "))) for name in self.fields["editor"].split(" and ")]
            book = f"{' & '.join(editors)} (Eds.), {book}"
        return self.fields.get("journal") or (f"In {book}" if book else "")


@cache
def entries() -> dict[str, Entry]:
    """All works by their keys."""
    text = (files("assay.verbs.sections") / "works.bib").read_text(encoding="utf-8")
    return {
        # Braces keep the capitals of a title, and `&` is escaped, for BibTeX only.
        entry["key"]: Entry(
            {
                field["name"]: field["value"].strip("{}").replace(r"\&", "&")
                for field in _FIELD.finditer(entry["fields"])
            },
            entry[0],
        )
        for entry in _ENTRY.finditer(text)
    }


class Citations:
    """Works numbered in the order in which they are first cited.

    >>> cite = Citations()
    >>> cite("holm1979"), cite("efron1987", "holm1979"), cite("unknown")
    (' [1]', ' [2, 1]', '')
    >>> [work.key for work in cite.works()]
    ['[1]', '[2]']
    """

    def __init__(self) -> None:
        self._places: dict[str, int] = {}

    def __call__(self, *keys: str) -> str:
        """A citation to put after a word; empty without works. Users' measures may name works that are not here."""
        known = (key for key in keys if key in entries())
        places = [str(self._places.setdefault(key, len(self._places) + 1)) for key in known]
        return f" [{', '.join(places)}]" if places else ""

    def works(self) -> tuple[Work, ...]:
        """What was cited, in order."""
        cited = ((place, entries()[key]) for key, place in self._places.items())
        return tuple(Work(f"[{place}]", str(entry), entry.bibtex) for place, entry in cited)
