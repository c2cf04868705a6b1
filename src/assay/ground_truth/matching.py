"""Documents that hold the words of a topic: a plain search as a way to choose what to judge."""

from __future__ import annotations

import re

import polars as pl

from assay.files.records import fitted, fitted_documents
from assay.tables import Documents, Qrels, Topics

_WORD = re.compile(r"\w+")
#: Words of titles that say nothing about the topic.
_EMPTY = frozenset({
    "a", "an", "and", "are", "as", "at", "be", "by", "can", "do", "does", "for", "from", "has",
    "have", "how", "i", "in", "is", "it", "my", "of", "on", "or", "should", "that", "the", "their",
    "there", "this", "to", "was", "what", "when", "where", "which", "who", "why", "will", "with", "you", "your",
})  # fmt: skip


def words_of(text: str | None) -> set[str]:
    """The words of a text, in lower case.

    >>> sorted(words_of("Green tea, GREEN cups"))
    ['cups', 'green', 'tea']
    """
    return set(_WORD.findall((text or "").casefold()))


def under_same_ids(
    judged: pl.DataFrame, topics: Topics, documents: Documents
) -> tuple[pl.DataFrame, Topics, list[str]]:
    """Judgments and topics whose ids agree, also where files of a collection write them differently; say so.

    >>> judged = pl.DataFrame({"query_id": ["01"], "doc_id": ["d1"], "relevance": [1.0]})
    >>> under_same_ids(judged, Topics.of({"1": "green tea"}), Documents.of({"d1": "tea"}))[0].rows()
    [('1', 'd1', 1.0)]
    """
    name = "judgments"
    together, settled, remarks = fitted({name: Qrels(judged, name)}, topics)
    qrels, more = fitted_documents(together[name], documents)
    return qrels.frame, settled or topics, [*remarks, *more]


def matches(topics: Topics, documents: Documents) -> pl.DataFrame:
    """Documents with a word of the topic's title, and whether they hold all: `query_id, doc_id, all_words`.

    Words are compared as they are written, but for upper case; function words such as "the" do not count.

    >>> texts = Documents.of({"d1": "green tea", "d2": "black tea", "d3": "coffee"})
    >>> matches(Topics.of({"q": "Green tea"}), texts).rows()
    [('q', 'd1', True), ('q', 'd2', False)]
    """
    title = "title" if "title" in topics.frame.columns else "text"
    wanted = {query: words_of(text) - _EMPTY for query, text in topics.frame.select("query_id", title).iter_rows()}
    queries_of: dict[str, list[str]] = {}
    for query, words in wanted.items():
        for word in words:
            queries_of.setdefault(word, []).append(query)
    columns = [name for name in ("title", "text") if name in documents.frame.columns]
    text = pl.concat_str(columns, separator=" ", ignore_nulls=True)
    rows = []
    for doc_id, content in documents.frame.select("doc_id", text=text).iter_rows():
        counts: dict[str, int] = {}
        for word in words_of(content) & queries_of.keys():
            for query in queries_of[word]:
                counts[query] = counts.get(query, 0) + 1
        rows += [(query, doc_id, count == len(wanted[query])) for query, count in counts.items()]
    schema = {"query_id": pl.String, "doc_id": pl.String, "all_words": pl.Boolean}
    return pl.DataFrame(rows, schema=schema, orient="row")
