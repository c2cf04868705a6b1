"""The basis of the sections of a report on rankings (`Basis`), and texts of topics and documents (`Texts`)."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import polars as pl

from assay.core.domains import Whole, check_levels
from assay.core.errors import InputError, Note, ParameterError, call_with, number_of
from assay.files import Source, is_file, read_documents, read_topics
from assay.measures.counting.ranks import Ranks
from assay.measures.registry import Measure
from assay.stats.bootstrap import Interval
from assay.stats.pairing import UNSEEN, ScorePairing
from assay.stats.samples import Sample, few_units
from assay.subjects.ranking.document_analysis import PAGE, every_document, on_units, why_unseen, with_document_analysis
from assay.subjects.ranking.evaluation import Evaluation, texts_of
from assay.tables import Documents, Topics
from assay.verbs.comparison import Comparison, Finding, compare
from assay.verbs.comparison.findings import Settings
from assay.verbs.report.report import Request, check_name, compared_with, refuse_repeated
from assay.verbs.sections.reports import shortened
from assay.verbs.subject import unit_pairing_of

#: What a report shows unless told otherwise; charts and queries are of the first one.
DEFAULT_MEASURES = ("nDCG@10", "AP", "RR", "P@10")
#: Of more systems than these, only some are looked at closely; all are in the table.
MOST_SYSTEMS = 8
#: Verdicts under other measures than the main one are told in words as long as all are not more than this.
MOST_VERDICTS = 12
#: How a comparison is made, besides the rules of evaluation, and what holds unless told otherwise.
COMPARED_BY: dict[str, Any] = {name: (compare.__kwdefaults__ or {})[name] for name in Settings._fields}

COMPARED_BY["test"] = "permutation"


_LONGEST_TITLE = 160

_LONGEST_TEXT = 480


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
        return cls(texts_of(topics, Topics, read_topics), texts_of(documents, Documents, read_documents))

    def of_queries(self, queries: Iterable[str]) -> dict[str, str]:
        """The text of each query: the topic's title, or its description; empty where it is not known."""
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
        """Notes where ids and texts do not fit together."""
        notes = []
        units = list(queries)
        if self.topics is not None and units and not any(self.of_queries(units).values()):
            notes.append(f"{self.topics.name}: no topic id is that of a query")
        ids = list(documents)
        if self.documents is not None and ids and not any(map(any, self.of_documents(ids).values())):
            notes.append(f"{self.documents.name}: it has none of the documents shown")
        return notes


@dataclass(frozen=True, eq=False)
class Basis:
    """The basis of the sections of a report: a comparison, or where there is none what it would rest on.

    `names`: the systems as they were given. `changed`: how many of the most changed queries to show, `show`: how many
    ranks of each. `counts`: every document of those in `detailed`; empty where documents cannot be looked at, and
    `no_documents` says why.
    """

    evaluation: Evaluation | None
    comparison: Comparison | None
    settings: Settings
    measures: tuple[str, ...]
    names: tuple[str, ...]
    baseline: str
    paired: Mapping[str, Sample]
    notes: Sequence[str]
    texts: Texts
    asked_system: str | None
    changed: int
    show: int
    origin: str = ""  # of scores alone: the file that they were read from
    counts: Mapping[str, Ranks] = field(default_factory=dict)

    @classmethod
    def of(cls, request: Request) -> Self:
        """Evaluate and compare what was given, as far as it has not been done; `rules` are those of both verbs."""
        source = request.source
        runs = request.runs
        wanted = request.measures
        baseline = request.baseline
        details = request.details
        rules = request.rules
        shown: dict[str, Any] = {
            "texts": Texts.of(details.get("topics"), details.get("documents")),
            "asked_system": details.get("system"),
            "changed": Whole(0).check("changed", details.get("changed", 6)),
            "show": Whole(1).check("show", details.get("show", 10)),
        }
        if isinstance(source, Comparison):
            refuse_repeated({"runs": runs, "measures": wanted, **rules}, "comparison", "compare")
            first = compared_with(source, baseline)
            of_comparison = (source.evaluation, source, source.settings, source.measures, source.systems, first)
            samples = {each.measure: each for each in source.samples}
            return cls(*of_comparison, samples, source.notes, **shown)._with_documents()
        asked = {name: rules.pop(name, default) for name, default in COMPARED_BY.items()}
        check_levels(alpha=asked["alpha"], power=asked["power"], margin=asked["margin"])
        if runs is not None and wanted is None:
            wanted = DEFAULT_MEASURES
        seed = Whole(0).check("seed", asked["seed"])
        direction = rules.pop("direction", None)
        pairing = unit_pairing_of(
            compare, "a report on rankings", source, runs, wanted, seed=seed, direction=direction, rules=rules
        )
        samples, notes = _paired(pairing, wanted)
        measures = tuple(pairing.measure_names(wanted) if pairing.evaluation is not None else samples)
        systems = tuple(map(str, pairing.scores.frame["system"].unique(maintain_order=True)))
        settings = Settings(**{**asked, "resamples": None})
        comparison = None
        first = (baseline or systems[0]) if len(systems) > 1 else ""
        if first:
            check_name("baseline", baseline, systems)
        elif baseline is not None or shown["asked_system"] is not None:
            raise ParameterError(f"there is one system, {systems[0]}: leave baseline and system out")
        if first and samples:
            comparison = compare(pairing, measures=list(samples), baseline=first, look_into=False, **asked)
            settings = comparison.settings
            notes += comparison.notes
        else:
            notes += [note for each in samples.values() for note in few_units(each.unit_kind, len(each.units))]
        shown["origin"] = _origin(source) if pairing.evaluation is None else ""
        basis = cls(pairing.evaluation, comparison, settings, measures, systems, first, samples, notes, **shown)
        return basis._with_documents()._looked_into()

    @property
    def main(self) -> str:
        """The measure that charts and queries are shown for."""
        return self.measures[0]

    @property
    def unit_kind(self) -> str:
        """The units of the values: queries, mostly."""
        return next((paired.unit_kind for paired in self.paired.values()), "query")

    def findings(self, measure: str | None = None) -> list[Finding]:
        """The findings on each system, best first, under the main measure unless another is named."""
        if self.comparison is None:
            return []
        of_measure = {each.system: each for each in self.comparison.findings if each.measure == (measure or self.main)}
        return [of_measure[system] for system in self.systems if system in of_measure]

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """The systems, best first by the main measure."""
        if self.comparison is not None and self.main in self.paired:
            return tuple(standing.system for standing in self.comparison.standing(self.main))
        if self.evaluation is None:
            return self.names
        return tuple(system.name for system in self.evaluation.sorted_by(self.main).systems)

    @cached_property
    def system(self) -> str:
        """The one whose queries are shown beside the baseline's; empty if there is one system only."""
        others = [name for name in self.systems if name != self.baseline]
        check_name("system", self.asked_system, others)
        if not self.baseline:
            return ""
        # Of a system whose queries are all the same, there is nothing to show.
        same = {finding.system for finding in self.findings() if finding.all_zero}
        return self.asked_system or next((name for name in others if name not in same), others[0])

    @cached_property
    def detailed(self) -> tuple[str, ...]:
        """The systems that are looked at closely."""
        first = [name for name in (self.baseline, self.system) if name]
        rest = [name for name in self.systems if name not in first]
        chosen = {*first, *rest[: MOST_SYSTEMS - len(first)]}
        return tuple(name for name in self.systems if name in chosen)

    @cached_property
    def no_documents(self) -> str:
        """The reason why documents cannot be looked at; empty if they can."""
        if self.evaluation is None:
            return "scores alone say nothing about documents: there is no coverage, no curve and no ranking"
        why = why_unseen(self.evaluation)
        return f"documents are not looked at: {why}" if why else ""

    @cached_property
    def standings(self) -> Mapping[tuple[str, str], tuple[float, Interval]]:
        """Each system's number under each measure and its interval, where there is one."""
        compared = () if self.comparison is None else self.comparison.standings
        standings = {(each.measure, each.system): (each.value, each.interval) for each in compared}
        places = ((name, system) for name in self.measures for system in self.names)
        return standings | {place: self._alone(*place) for place in places if place not in standings}

    def _alone(self, measure: str, system: str) -> tuple[float, Interval]:
        """The number of a system that is not compared; with an interval, if it has values for its units."""
        sample = self.paired.get(measure)
        settings = self.settings
        if sample is None:
            value = math.nan if self.evaluation is None else self.evaluation.mean(measure, system)
            return value, Interval.unknown(math.nan)
        place = sample.systems.index(system)
        (interval,) = sample.intervals((place,), [1 - settings.alpha], settings.drawing, settings.bootstrap)
        return float(sample.observed[place]), interval

    def _with_documents(self) -> Self:
        """The same with the documents of the systems that are looked at closely, and with a note on the others."""
        notes = list(self.notes)
        detailed = self.detailed
        counts = dict[str, Ranks]()
        if self.no_documents:  # the report says so itself, of all that it lacks
            notes = [note for note in notes if not isinstance(note, Note) or note.kind != UNSEEN]
        if len(self.systems) > MOST_SYSTEMS:
            notes.append(
                f"{number_of('system', len(self.systems))} are too many to show each in detail: verdicts in words, "
                f"curves and bounds are of {len(detailed)} (the baseline, the one looked at and the best of the "
                "others), the table has all; report on some of the runs to see others"
            )
        if self.evaluation is not None and not self.no_documents:
            counts = every_document(self.evaluation, detailed, self.measures, max(PAGE, self.show))
        return replace(self, counts=counts, notes=self._further(notes))

    def _looked_into(self) -> Self:
        """The same with what documents tell about the findings that are told in words."""
        if self.comparison is None or not self.counts:
            return self
        only = {(finding.measure, finding.system) for finding in self.told}
        seen = with_document_analysis(self.comparison, only, self.counts)
        return replace(self, comparison=seen, notes=self._further([*self.notes, *seen.notes]))

    def _further(self, notes: Iterable[str]) -> tuple[str, ...]:
        """The notes, each once, but for those on the judgments, which stand on top of the report."""
        said = () if self.evaluation is None else self.evaluation.notes
        return tuple(note for note in dict.fromkeys(notes) if note not in said)

    @property
    def told(self) -> list[Finding]:
        """The findings that are told in words: by the main measure, then by the others if all are few."""
        every = [each for name in self.measures for each in self.findings(name) if each.system in self.detailed]
        return every if len(every) <= MOST_VERDICTS else [each for each in every if each.measure == self.main]

    def higher_is_better(self, measure: str) -> bool | None:
        """True if more of a measure is good; None if it is neither good nor bad."""
        if measure in self.paired:  # it knows what was stated, too
            return self.paired[measure].higher_is_better
        return self.measure(measure).definition.higher_is_better

    @property
    def is_complete(self) -> bool:
        """True if the judgments were declared complete, so that nothing is unjudged."""
        return self.evaluation is not None and self.evaluation.policies.complete

    def judge_next(self, finding: Finding) -> str:
        """The command for the documents that a verdict depends on most."""
        pair = {"system": finding.system, "baseline": finding.baseline} if len(self.systems) > 2 else {}
        asked = "".join(f", {name}={value!r}" for name, value in {"measure": finding.measure, **pair}.items())
        python = f"assay.compare(qrels, runs).judge_next(25{asked})"
        return call_with("compare", python, measure=finding.measure, judge_next=25, **pair)

    def is_unchecked(self, finding: Finding) -> bool:
        """True if documents without judgment may matter to a verdict, and nobody has looked at what they do."""
        if self.evaluation is None or self.evaluation.policies.unjudged == "error" or self.is_complete:
            return False
        return finding.reach is None and not math.isnan(finding.difference)

    def measure(self, name: str) -> Measure:
        """A measure of the evaluation."""
        if self.evaluation is None:
            raise ParameterError(self.no_documents)
        return self.evaluation.measure(name)

    def on_units(self, ranks: Ranks, measure: str) -> Ranks:
        """The counts of the queries that a measure's numbers are of."""
        return ranks if measure not in self.paired else on_units(ranks, self.paired[measure].units)

    @staticmethod
    def column_of(system: str) -> str:
        """The column with a system's values: its name, unless a column of every table is called so."""
        return f"{system} (system)" if system in {"query_id", "text"} else system


def _origin(scores: Any) -> str:
    """The origin of scores: a path, or what stands for one."""
    if isinstance(scores, str | os.PathLike):
        return "<stdin>" if scores == "-" else os.fspath(scores)
    return str(getattr(scores, "name", "")) if is_file(scores) or isinstance(scores, Source) else ""


def _paired(pairing: ScorePairing, wanted: Any) -> tuple[dict[str, Sample], list[str]]:
    """The systems paired by unit under each measure; and why not, where they cannot be."""
    if pairing.evaluation is None:  # scores that cannot be paired are good for nothing
        samples, notes = pairing.comparable(wanted)
        return {sample.measure: sample for sample in samples}, notes
    paired = dict[str, Sample]()
    notes = []
    for name in pairing.measure_names(wanted):
        try:
            paired[name] = pairing.samples([name])[0]
        except InputError as problem:
            notes.append(Note.on(name, f"no interval and no comparison: {problem.remark}"))
    return paired, notes
