"""What reports in tests are made of: the demo's collection, and judgments and runs drawn from a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache, cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import assay
from assay import Report, make_report

BICYCLES = Path(assay.__file__).parent / "data" / "bicycles"
TEA = BICYCLES.parent / "tea"
NAMES = ("bm25", "described", "expanded", "tfidf", "titles", "shuffled")
RUNS = {name: BICYCLES / "runs" / f"{name}.run" for name in NAMES}
MEASURES = ("nDCG@10", "AP", "RR")
FORMS = ("to_html", "to_markdown", "to_latex", "to_json")
Table = dict[str, dict[str, float]]


@cache
def bicycles_report() -> Report:
    """The report on the demo's six systems, with topics and documents."""
    topics, documents = BICYCLES / "topics.trec", BICYCLES / "documents.jsonl"
    return make_report(BICYCLES / "qrels.txt", RUNS, MEASURES, topics=topics, documents=documents)


def random_data(systems: int, queries: int = 8, seed: int = 1) -> tuple[Table, dict[str, Table]]:
    """Judgments of a dozen documents per query, and systems that return others, too, in any order."""
    rng = random.Random(seed)
    qrels = {f"q{n}": {f"d{d}": float(rng.choice([0, 0, 1, 2])) for d in range(12)} for n in range(queries)}
    runs = {
        f"s{s}": {query: {f"d{d}": rng.random() for d in rng.sample(range(20), 14)} for query in qrels}
        for s in range(systems)
    }
    return qrels, runs


def made_report(systems: int = 4, queries: int = 20, measures: int = 3, text: str = "", **options: Any) -> Report:
    """A report on so many systems and queries drawn from a seed; `text` stands in every name, query and document."""
    judged, ranked = random_data(systems, queries)
    qrels = {f"{query}{text}": docs for query, docs in judged.items()}
    runs = {f"{name}{text}": {f"{query}{text}": docs for query, docs in run.items()} for name, run in ranked.items()}
    words = ("wheel", "chain", "spoke", "tyre", "brake")
    topics = {query: f"{words[place % 5]} {words[place % 3]}{text}" for place, query in enumerate(qrels)}
    texts = {f"d{n}": f"{' '.join(words * 5)}{text}" for n in range(20) if n % 5}
    names = ["nDCG@10", "AP", "RR", "P@5", "R@20"][:measures]
    title = f"Ways to search notes{text}"
    return make_report(qrels, runs, names, topics=topics, documents=texts, title=title, **options)


class Told:
    """What a report on rankings holds, read off its sections."""

    def __init__(self, report: Report) -> None:
        self.report, document = report, report.document()
        self.sections = {section.name: section for section in document.sections}
        summary = self.sections["summary"]
        self.title, self.lead, self.alpha = document.title, summary.lead, summary.data["alpha"]
        self.warnings, self.notes, self.advice = report.warnings, report.notes, report.advice
        self.summary, self.caveats = tuple(summary.data["summary"]), tuple(summary.data["caveats"])
        self.measures = tuple((row["name"], row["higher_is_better"]) for row in summary.data["measures"])
        self.methods = self.sections["methods"].data["paragraph"]
        self.provenance = SimpleNamespace(
            **self.sections["provenance"].data,
            inputs=self._rows("inputs"),
            settings=[(row.setting, row.value) for row in self._rows("settings")],
        )

    def _data(self, section: str, key: str) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self.sections[section].data[key] if section in self.sections else []
        return rows

    def _rows(self, table: str) -> list[Any]:
        tables = self.report.document().tables()
        return [SimpleNamespace(**row) for row in tables[table].frame.to_dicts()] if table in tables else []

    @property
    def references(self) -> list[Any]:
        """The works that are cited."""
        return [work for part in self.sections["methods"].parts for work in getattr(part, "works", ())]

    @cached_property
    def verdicts(self) -> list[Any]:
        """Each finding that is told: its row in the table, and what JSON has besides."""
        if "verdicts" not in self.sections:
            return []
        every = {key: self.sections["verdicts"].data[key] for key in ("correction", "comparisons")}
        rows = zip(self._rows("findings"), self._data("verdicts", "details"), strict=True)
        return [
            SimpleNamespace(**{**vars(row), **details, **every, **_narrow(row), "unjudged": details["depends_on"]})
            for row, details in rows
        ]

    @cached_property
    def systems(self) -> list[Any]:
        """The rows of the table of systems, with one score for each measure."""
        scores = [SimpleNamespace(**row) for row in self._data("systems", "scores")]
        table = self.report.document().tables()["systems"]
        return [
            SimpleNamespace(
                system=row["system"],
                is_baseline=row["baseline"],
                judged=row["judged@10"],
                scores=[score for score in scores if score.system == row["system"]],
            )
            for row in table.frame.to_dicts()
        ]

    @cached_property
    def differences(self) -> list[Any]:
        """Each system's differences from the baseline, query by query."""
        parts = [part for part in self._parts("differences") if part.data]
        return [
            SimpleNamespace(
                **part.data, queries=[SimpleNamespace(**row) for row in next(part.tables()).frame.to_dicts()]
            )
            for part in parts
        ]

    def _parts(self, section: str) -> Iterator[Any]:
        if section in self.sections:
            yield from (part for part in self.sections[section].parts if hasattr(part, "parts"))

    @property
    def changed(self) -> list[Any]:
        """The most changed queries, with both rankings."""
        return [_named(query) for query in self._data("changed", "queries")]

    @property
    def curves(self) -> list[Any]:
        """The points of each system's curve."""
        if "curves" not in self.sections:
            return []
        frame = self.sections["curves"].parts[0].data  # type: ignore[union-attr]
        return [
            SimpleNamespace(system=name, recall=own["recall"].to_list(), precision=own["precision"].to_list())
            for (name,), own in frame.partition_by("system", as_dict=True).items()  # type: ignore[union-attr]
        ]

    @property
    def coverage(self) -> list[Any]:
        """One row for each system."""
        return self._rows("coverage")

    @property
    def bounds(self) -> list[Any]:
        """How low and how high each number could be."""
        return self._rows("bounds")

    @property
    def power(self) -> list[Any]:
        """What so many queries can show, of each system."""
        return self._rows("power")

    @property
    def queries(self) -> list[Any]:
        """Every value of every system."""
        return self._rows("values")


def _narrow(row: Any) -> dict[str, float]:
    """The interval that equivalence is judged by."""
    return {f"narrow_{key}": row.equivalence_interval[key] for key in ("low", "high", "level")}


def _named(value: Any) -> Any:
    if isinstance(value, dict):
        return SimpleNamespace(**{key: _named(item) for key, item in value.items()})
    return [_named(item) for item in value] if isinstance(value, list) else value


def contents_of(report: Report) -> Told:
    """What a report holds."""
    return Told(report)
