"""What `make_report` asks of a subject, each of which has a class named in the registry; and texts cut to fit."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, Self

import polars as pl

from assay.core.digits import numbers
from assay.core.errors import ParameterError, joined, not_among
from assay.files import is_file, read_documents, read_topics
from assay.show.model import Part, Prose, Section
from assay.tables import Documents, Topics
from assay.verbs.comparison.result import Comparison

if TYPE_CHECKING:
    from assay.verbs.sections.methods import Citations


IN_MEMORY = "in memory"
#: What a file was read as.
Role = Literal["qrels", "run", "scores", "topics", "documents", "predictions", "clusters", "spans"]


class InputFile(NamedTuple):
    """What went in: where it is from, its format and counts, and the system that it is, where its name is another."""

    role: Role
    origin: str
    format: str
    counts: str
    name: str | None = None


class Request(NamedTuple):
    """What was given to `make_report`, and what was asked for.

    `details` are what only reports on rankings show, as far as it was asked for; `rules`, what the verbs take.
    """

    source: Any
    runs: Any
    measures: Any
    baseline: str | None
    details: dict[str, Any]
    rules: dict[str, Any]


class Reported(Protocol):
    """What a report is about: results, their comparison with a baseline, and all that is said of them.

    To report on something new, write such a class in a module of its own, and name its place in `Subject.reported`.
    """

    @property
    def eyebrow(self) -> str:
        """What stands above the title."""

    @classmethod
    def of(cls, request: Request) -> Self:
        """Evaluate and compare what was given, as far as that has not been done."""

    @property
    def notes(self) -> Sequence[str]:
        """What is to be said of the numbers, before anything is shown."""

    @property
    def title(self) -> str:
        """What the report is called unless somebody gives it a title."""

    @property
    def seed(self) -> int:
        """What everything random is drawn from."""

    @property
    def signatures(self) -> Iterable[str]:
        """How each number was computed."""

    def sections(self) -> Iterator[Section | str]:
        """All that has something to show, in reading order; and, in words, what cannot be shown, and why."""

    def methods(self, cite: Citations) -> Iterator[str]:
        """How it was done, in sentences for a paper."""

    def configuration(self) -> Mapping[str, object]:
        """How the numbers were made, for readers; None where there is nothing to say."""

    def inputs(self) -> Iterable[InputFile]:
        """What went in."""


def refuse_repeated(options: Mapping[str, Any], result: str, verb: str) -> None:
    """A report that is made of a result takes its measures and rules from there."""
    for name in [name for name, value in options.items() if value is not None]:
        raise ParameterError(f"{name} belongs to the {result} that the report is made of: give it to {verb}")


def check_name(role: str, name: str | None, known: Sequence[str]) -> None:
    """Refuse a name that is not among those known."""
    if name is not None and name not in known:
        raise not_among(role, name, known)


def compared_with(comparison: Comparison, baseline: str | None) -> str:
    """The one baseline of a comparison; if another was asked for, or there are several, it is no basis of a report."""
    baselines = list(dict.fromkeys(finding.baseline for finding in comparison.findings))
    if len(baselines) > 1:
        raise ParameterError("a report holds systems against one baseline: compare(..., baseline=NAME)")
    if baseline is not None and baseline != baselines[0]:
        raise ParameterError(f"the baseline of the comparison is {baselines[0]}, not {baseline!r}")
    return baselines[0]


_LONGEST_TITLE = 160

_LONGEST_TEXT = 480

_BLANKS = re.compile(r"\s+")


class Texts(NamedTuple):
    """Topics and documents, either of which may not be known."""

    topics: Topics | None
    documents: Documents | None

    @classmethod
    def of(cls, topics: Any, documents: Any) -> Texts:
        """Take both as files, tables, data frames or dicts of texts.

        >>> Texts.of({"q1": "bitter tea"}, None).of_queries(["q1", "q2"])
        {'q1': 'bitter tea', 'q2': ''}
        """
        if topics is not None and not isinstance(topics, Topics):
            topics = read_topics(topics) if is_file(topics) else Topics.of(topics)
        if documents is not None and not isinstance(documents, Documents):
            documents = read_documents(documents) if is_file(documents) else Documents.of(documents)
        return cls(topics, documents)

    def of_queries(self, queries: Iterable[str]) -> dict[str, str]:
        """What each query looks for: the topic's title, or its description; empty where it is not known."""
        texts: dict[str, str] = {}
        wanted = list(queries)
        if self.topics is not None:
            known = self.topics.frame.filter(pl.col("query_id").is_in(wanted))
            rows = known.select("query_id", "title", "description").rows()
            texts = {query: shortened(title or description, _LONGEST_TEXT) for query, title, description in rows}
        return {query: texts.get(query, "") for query in wanted}

    def of_documents(self, documents: Iterable[str]) -> dict[str, tuple[str, str]]:
        """Title and text of each document, not too long; empty where they are not known."""
        texts: dict[str, tuple[str, str]] = {}
        wanted = list(dict.fromkeys(documents))
        if self.documents is not None:
            known = self.documents.frame.filter(pl.col("doc_id").is_in(wanted))
            for document, title, text in known.select("doc_id", "title", "text").rows():
                texts[document] = shortened(title, _LONGEST_TITLE), shortened(text, _LONGEST_TEXT)
        return {document: texts.get(document, ("", "")) for document in wanted}

    def notes(self, queries: Iterable[str], documents: Iterable[str]) -> list[str]:
        """What to say where ids and texts do not fit together."""
        notes, units = [], list(queries)
        if self.topics is not None and units and not any(self.of_queries(units).values()):
            notes.append(f"{self.topics.name}: no topic has the id of a query")
        ids = list(documents)
        if self.documents is not None and ids and not any(map(any, self.of_documents(ids).values())):
            notes.append(f"{self.documents.name}: none of the documents shown is there")
        return notes


def shortened(text: str, most: int) -> str:
    """Text on one line, cut where it is too long.

    >>> shortened("one  two\\nthree", 9)
    'one two …'
    """
    line = _BLANKS.sub(" ", text).strip()
    if len(line) <= most:
        return line
    return f"{line[: most - 1].rstrip()} …" if line[most - 2] == " " else f"{line[: most - 1]}…"


def values_of_systems(values: Mapping[str, float], most: int) -> str:
    """The number of each system in a sentence, with decimals until they differ.

    >>> values_of_systems({"a": 0.5, "b": 0.90001, "c": 0.90002}, most=6)
    'a has 0.5000, b has 0.90001 and c has 0.90002'
    """
    texts = zip(values, values.values(), numbers(values.values()), strict=True)
    return joined([f"{name} has {'no number' if math.isnan(value) else text}" for name, value, text in texts], most)


def summed_up(
    lead: str, claims: Sequence[Part], advice: Prose | None, minded: Sequence[str], data: Mapping[str, Any]
) -> Section:
    """What stands on top of every report: the claims, then advice, then what to mind.

    >>> [part.style for part in summed_up("2 runs", [Prose("a is better", "claim")], None, ["few topics"], {}).parts]
    ['claim', 'warning']
    """
    parts = [*claims, advice] if advice is not None else [*claims]
    if minded:
        parts.append(Prose(style="warning", title="Mind this", points=tuple(minded)))
    return Section("summary", "", tuple(parts), lead, data=data)
