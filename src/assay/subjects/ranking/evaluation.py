"""`evaluate`: judgments and runs in any shape -> an `Evaluation`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, Unpack, cast

import polars as pl

from assay.core import registry
from assay.core.domains import Choice, Whole
from assay.core.errors import EmptyFileError, ParameterError, listed, naming, number_of, only_one, refuse_unknown
from assay.core.evaluation_options import Compat, Judge, PolicyRules, Samples, Seed, Subtopics, Undefined
from assay.core.idle_options import OF_RUNS, refuse_idle
from assay.core.results import Result, as_pandas, frame_as_csv, written
from assay.files import Source, is_file, read_qrels, scan_run
from assay.files.manifest import judgments_and_runs
from assay.measures import Judged, NumRelRet, parse_measure
from assay.measures.counting.judgments import Judgments
from assay.measures.counting.ranking import Policies, policies
from assay.measures.counting.ranks import Ranks
from assay.measures.parser import split_measures
from assay.measures.registry import Measure
from assay.measures.remarks import (
    by_subtopics,
    check_subtopics,
    golden_set,
    is_golden,
    refuse_idle_rules,
    remarks_on_judgments,
    remarks_on_run,
    where_to_look,
)
from assay.measures.steps import PerUnit
from assay.measures.summary import Summary, signature, summarise
from assay.measures.undefined import policy_of
from assay.tables import Batches, Qrels, Run, Scores
from assay.tables.nearest_first import best_first
from assay.tables.roles import ColumnNames, named_by

if TYPE_CHECKING:
    import pandas as pd

    from assay.show.model import Document
    from assay.verbs.explanation import Explanation


#: The format of a file that holds nothing.
EMPTY_FILE = "empty file"


def named_runs(runs: Any) -> dict[str, Batches]:
    """Give every run a name: its key, its file's name or its own; no two the same.

    >>> list(named_runs({"bm25": {"q1": {"d1": 1.0}}, "dense": {"q1": {"d1": 0.5}}}))
    ['bm25', 'dense']
    """
    if isinstance(runs, Mapping) and not _is_one_run(runs):
        return {str(name): opened_run(run, str(name)) for name, run in runs.items()}
    listed = list(runs) if isinstance(runs, list | tuple) and not _is_rows(runs) else [runs]
    if not listed:
        raise ParameterError("there is no run to evaluate")
    opened = [opened_run(run, None) for run in listed]
    named = {_name(run, opened): run for run in opened}
    if len(named) < len(opened):
        names = [run.name for run in opened]
        twice = next(name for name in names if names.count(name) > 1)
        raise ParameterError(f"two runs are called {twice!r}: each needs a name of its own, {naming()}")
    return named


def _is_one_run(runs: Mapping[Any, Any]) -> bool:
    """Tell {query: {doc: score}} from {system: run}: the values of its values are numbers."""
    first: Any = next((value for value in runs.values() if not (isinstance(value, Mapping) and not value)), {})
    return isinstance(first, Mapping) and not any(isinstance(value, Mapping) for value in first.values())


def _is_rows(runs: Sequence[Any]) -> bool:
    """Tell a list of (query_id, doc_id, score) rows from a list of runs."""
    return bool(runs) and isinstance(runs[0], tuple | list) and not any(isinstance(x, tuple | list) for x in runs[0])


def opened_run(run: Any, name: str | None = None) -> Batches:
    """A run, opened if it is a file; one without a line is that of a system that returned nothing.

    >>> opened_run({"q1": {"d1": 1.0}}, "bm25").name
    'bm25'
    """
    if hasattr(run, "batches"):
        return cast("Batches", run)
    if not is_file(run):
        return Run.of(run, name or "run")
    source = Source.of(run)
    try:
        return scan_run(source, name=name)
    except EmptyFileError:
        nothing = pl.DataFrame(schema={"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64})
        return Run(nothing, name or source.stem, EMPTY_FILE, origin=source.name)


def _name(run: Batches, others: list[Batches]) -> str:
    """The run's name; with its folder in front where another run has the same."""
    alike = [other for other in others if other.name == run.name]
    return Path(run.origin).as_posix() if len(alike) > 1 else run.name


def check_text(name: str) -> None:
    """Refuse names with halves of characters, as file names in another encoding have them: no table holds those."""
    try:
        name.encode()
    except UnicodeEncodeError:
        raise ParameterError(f"the run's name {name!a} is not text: give it another, {naming()}") from None


def judgments_of(qrels: Any, judge: str | None = None, subtopics: bool = False) -> Qrels:
    """Take judgments from a file or from memory; column 2 is kept if it names judges or subtopics that matter.

    >>> judgments_of({"q1": {"d1": 1}}).topics
    ['q1']
    """
    if is_file(qrels) and subtopics:
        return read_qrels(qrels, subtopics=True)
    if is_file(qrels):
        return read_qrels(qrels, judges=None if judge is None else True)
    return Qrels.of(qrels)


def texts_of(texts: Any, kind: Any, read: Callable[[Any], Any]) -> Any:
    """Topics or documents from a file, which `read` opens, or from memory; None if there are none.

    >>> from assay.tables import Topics
    >>> len(texts_of({"q1": "bitter tea"}, Topics, read_qrels))
    1
    """
    if texts is None or isinstance(texts, kind):
        return texts
    return read(texts) if is_file(texts) else kind.of(texts)


#: What `evaluate` computes unless told otherwise.
DEFAULT_MEASURES = ("AP", "nDCG@10", "RR", "P@1", "P@5", "P@10", "P@20", "R@1", "R@5", "R@10", "R@20", "Judged@10")

_PROFILES: dict[str, dict[str, Any]] = {
    "trec_eval-9": {"missing": "skip", "score_precision": "single"},
    "trec_eval-10": {"missing": "skip"},
}


class RankedSystem(NamedTuple):
    """One system's counts and results."""

    name: str
    ranks: Ranks
    results: Mapping[Measure, PerUnit]


@dataclass(frozen=True, eq=False)
class Evaluation(Result):
    """Scores of one or more systems, with what they rest on.

    >>> from assay import evaluate
    >>> result = evaluate({"q1": {"d1": 1}}, {"q1": {"d1": 2.0, "d2": 1.0}}, ["AP", "P@1"])
    >>> result.mean("AP")
    1.0
    """

    subject: ClassVar[str] = "ranking"

    kind = "evaluation"

    systems: tuple[RankedSystem, ...]
    measures: tuple[Measure, ...]
    policies: Policies
    undefined: Undefined
    qrels: Qrels
    seed: int
    samples: int
    compat: str | None = None
    judge: str | None = None
    subtopics: bool = False
    #: The runs themselves, to look at their documents once more.
    runs: Mapping[str, Batches] = field(default_factory=dict)
    warnings: tuple[str, ...] = field(default=())
    notes: tuple[str, ...] = field(default=())

    def __repr__(self) -> str:
        systems = ", ".join(system.name for system in self.systems)
        warned = f"; {number_of('warning', len(self.warnings))}" if self.warnings else ""
        measures = ", ".join(map(str, self.measures))
        return f"<Evaluation of {systems} on {number_of('topic', len(self.qrels.topics))}: {measures}{warned}>"

    @cached_property
    def scores(self) -> Scores:
        """One number per system, measure and query."""
        frames = [
            Scores.rows(system.name, measure, system.ranks.unit_kind, system.ranks.queries, result)
            for system in self.systems
            for measure, result in system.results.items()
        ]
        directions = {str(measure): measure.definition.direction for measure in self.measures}
        frame = pl.concat(frames) if frames else pl.DataFrame(schema=Scores.SCHEMA)
        return Scores(frame, directions, self.undefined)

    def summary(self, measure: str | Measure | None = None, system: str | None = None) -> Summary:
        """One system's number under one measure; both may be left out if there is only one."""
        chosen, wanted = self.system(system), self.measure(measure)
        summarised = (chosen.results[wanted], self.undefined)
        return self._once("summary", (wanted, chosen.name), lambda: summarise(wanted, *summarised))

    def complete(self) -> Self:
        """Finish what the scores rest on, and every system's number under every measure."""
        for system in self.systems:
            for measure in self.measures:
                self.summary(measure, system.name)
        return self._finish("coverage", "without_number")

    def mean(self, measure: str | Measure | None = None, system: str | None = None) -> float:
        """The value of `summary`: the mean over queries for most measures."""
        return self.summary(measure, system).value

    def explain(
        self,
        measure: str | Measure | None = None,
        *,
        query: str | None = None,
        system: str | None = None,
        show: int | None = None,
        running: bool = False,
    ) -> Explanation:
        """Show how a number of this evaluation came about, step by step: see `explain`.

        Measure and system may be left out if there is only one; without a query, how all are put together.

        >>> evaluate({"q1": {"d1": 1}}, {"q1": {"d2": 0.9, "d1": 0.8}}, "RR").explain(query="q1").value
        0.5
        """
        explain = registry.verb("explain")
        explanation: Explanation = explain(
            self.measure(measure), self, query=query, system=system, show=show, running=running
        )
        return explanation

    def to_frame(self, per_query: bool = False) -> pl.DataFrame:
        """One row per system (or per system and query), one column per measure.

        >>> evaluate({"q1": {"d1": 1}}, {"q1": {"d1": 0.9}}, ["AP", "RR"]).to_frame(per_query=True).rows()
        [('run', 'q1', 1.0, 1.0)]
        """
        if per_query:
            return pl.concat([_queries(system) for system in self.systems])
        means = [[self.mean(measure, system.name) for measure in self.measures] for system in self.systems]
        names = {"system": [system.name for system in self.systems]}
        columns = zip(map(str, self.measures), zip(*means, strict=True), strict=True)
        return pl.DataFrame(names | {name: pl.Series(values).fill_nan(None) for name, values in columns})

    def sorted_by(self, measure: str | Measure) -> Evaluation:
        """The same with the best system under a measure first."""
        means = {system.name: self.mean(measure, system.name) for system in self.systems}
        sign = 1 if self.measure(measure).definition.higher_is_better is False else -1
        order = sorted(self.systems, key=lambda system: (math.isnan(means[system.name]), sign * means[system.name]))
        return replace(self, systems=tuple(order))

    @cached_property
    def coverage(self) -> pl.DataFrame:
        """The basis of each system's scores: topics, missing and ignored ones, documents, and the share judged."""
        return pl.DataFrame([_coverage(system) for system in self.systems])

    @cached_property
    def is_golden(self) -> bool:
        """True if all judgments are of relevant documents, and nobody said how other documents count."""
        return not self.subtopics and is_golden(self.qrels, self.policies)

    @cached_property
    def without_number(self) -> tuple[str, ...]:
        """The measures that have no number, for which systems and why: no unit has a value."""
        return tuple(_without_number(self.systems, self.measures, self.undefined))

    @property
    def signatures(self) -> dict[str, str]:
        """Everything each number depends on, by measure."""
        top = self.systems[0].ranks.max_grade
        judges: dict[str, Any] = {"judge": self.judge, "subtopics": self.subtopics, "release": self.qrels.release}
        return {
            str(measure): signature(
                measure, self.policies, top, self.undefined, seed=self.seed, samples=self.samples, **judges
            )
            for measure in self.measures
        }

    def document(self, per_query: bool = False) -> Document:
        """The contents that are shown, as data: scores, what they rest on, and with `per_query` every query."""
        document: Document = registry.presenter(self.kind)(self.complete(), per_query)
        return document

    def to_pandas(self, per_query: bool = False) -> pd.DataFrame:
        """The table of `to_frame`, as a pandas frame."""
        return as_pandas(self.to_frame(per_query))

    def to_json(self, per_query: bool = False) -> str:
        """Scores, coverage and signatures as JSON."""
        return written(self.document(per_query), "json")

    def to_csv(self, per_query: bool = False, *, spreadsheet: bool = False) -> str:
        """The table of systems, or of queries, as CSV; for a `spreadsheet`, no cell is a formula."""
        return frame_as_csv(self.to_frame(per_query), spreadsheet=spreadsheet)

    def to_markdown(self, per_query: bool = False) -> str:
        """The table of systems, or of queries, as Markdown; below, why there is no number where there is none."""
        return self._table_alone("markdown", per_query)

    def to_latex(self, per_query: bool = False) -> str:
        """The table of systems, or of queries, as LaTeX (booktabs)."""
        return self._table_alone("latex", per_query)

    def to_html(self, title: str = "Evaluation") -> str:
        """The page of `report`; the first system is what the others are compared with."""
        page: str = self.report(title=title).to_html()
        return page

    def _repr_html_(self) -> str:
        return self._table_alone("html")

    def _table_alone(self, form: str, per_query: bool = False) -> str:
        document = self.document(per_query)
        names = ("queries" if per_query else "systems", "undefined")
        return written(replace(document, sections=tuple(map(document.section, names))), form)

    def system(self, name: str | None = None) -> RankedSystem:
        """A system by name; may be left out if there is only one."""
        return only_one("system", name, {system.name: system for system in self.systems})

    def measure(self, name: str | Measure | None = None) -> Measure:
        """A measure of this evaluation, in any tool's notation; may be left out if there is only one."""
        wanted = None if name is None else listed_measures(name, self.compat)[0]
        return only_one("measure", wanted, {measure: measure for measure in self.measures})


def evaluate(
    qrels: Any,
    runs: Any = None,
    measures: Iterable[str | Measure] | str | Measure = DEFAULT_MEASURES,
    *,
    undefined: Undefined = "counted_as",
    compat: Compat | None = None,
    judge: Judge | None = None,
    subtopics: Subtopics | None = None,
    seed: Seed = 0,
    samples: Samples = 100,
    columns: ColumnNames = None,
    **rules: Unpack[PolicyRules],
) -> Evaluation:
    """Evaluate one run or several against judgments.

    `qrels` and `runs` are paths, open files, dicts of dicts, data frames or tables; `runs` may also be a list, or a
    dict from system names to runs. A collection (its folder, or what `open_collection` gives) stands for both; with
    `runs`, for the judgments. Further keyword arguments are policies, such as `ties="expected"`: see `Policies`.
    `undefined`: what undefined values do in a mean (`counted_as` the measure's declared value, `skip`, `error`).
    `compat`: rank, skip and round as another tool does. `judge`: whose judgments count, where several judged.
    `subtopics`: column 2 (in tables: `judge`) names the subtopic that a document was judged for, as measures of
    diversity want it; others take the largest grade. None: if such a measure is asked for, the column is taken for
    subtopics where documents are judged under several of its names, and a warning says so.
    `samples` and `seed` serve `ties="expected"` for measures without a closed form.
    `columns`: which columns of files and frames have which role, as in `columns={"query_id": "Search term"}`, unless
    they have a usual name.

    >>> evaluate({"q1": {"d1": 1}}, {"q1": {"d1": 0.9}}, "RR").mean()
    1.0
    """
    refuse_unknown(rules, Policies, evaluate)
    refuse_idle(OF_RUNS, {**rules, "samples": samples}, {**asdict(Policies()), "samples": 100})
    samples, seed = Whole(1).check("samples", samples), Whole(0).check("seed", seed)
    stated: dict[str, Any] = {**_profile(compat), **rules}
    chosen = policies(None, **stated)
    wanted = listed_measures(measures, compat)
    refuse_idle_rules(wanted, chosen, policy_of(undefined))
    check_subtopics(subtopics, judge)
    qrels, runs = judgments_and_runs(qrels, runs)
    if runs is None:
        raise ParameterError("there is no run to evaluate")
    with named_by(columns):
        table = judgments_of(qrels, judge, subtopics is True)
        opened = named_runs(runs)
    opened = {name: best_first(run, lower_is_better=chosen.lower_is_better) for name, run in opened.items()}
    if judge is not None:
        table = table.by_judge(judge)
    by_subtopic, table, remarks = by_subtopics(table, subtopics, wanted)
    judgments = Judgments.of(table, by_subtopic)
    systems = []
    for name, run in opened.items():
        check_text(name)
        ranks = Ranks.from_tables(run, judgments, chosen)
        results = {measure: measure.per_unit(ranks, seed=seed, samples=samples) for measure in wanted}
        systems.append(RankedSystem(name, ranks, results))
    return Evaluation(
        tuple(systems),
        wanted,
        chosen,
        undefined,
        table,
        seed,
        samples,
        compat,
        judge,
        by_subtopic,
        opened,
        warnings=(
            *table.warnings,
            *remarks,
            *_remarks(judgments, wanted, table, list(zip(systems, opened.values(), strict=True))),
            *_distances(opened, chosen),
            *_warnings(systems, opened),
            *_without_number(systems, wanted, undefined),
        ),
        notes=() if by_subtopic else golden_set(table, chosen),
    )


def _distances(runs: Mapping[str, Batches], policies: Policies) -> list[str]:
    """Runs whose lowest scores count as best by the name of their column, unless somebody says so."""
    if policies.lower_is_better:
        return []
    return [warning for run in runs.values() for warning in getattr(run, "warnings", ())]


def listed_measures(
    measures: Iterable[str | Measure] | str | Measure, compat: str | None = None
) -> tuple[Measure, ...]:
    """Measures one by one; text may hold several, separated by commas.

    >>> listed_measures("AP, RR")
    (AP, RR)
    """
    if not isinstance(measures, str | Measure | Iterable):
        raise ParameterError(f"measures are given by name, such as 'nDCG@10', not {measures!r}")
    items = [measures] if isinstance(measures, str | Measure) else measures
    split = [name for item in items for name in (split_measures(item) if isinstance(item, str) else [item])]
    wanted = [parse_measure(measure) for measure in split]
    if not wanted:
        raise ParameterError("there is no measure to compute")
    if compat is not None:
        # The reference tool's rounding of recall levels belongs to its profile, unless somebody asked for another.
        wanted = [m(rule=compat) if "rule" in m.parameters and "rule" not in m.given else m for m in wanted]
    return tuple(dict.fromkeys(wanted))


def _profile(compat: str | None) -> dict[str, Any]:
    if compat is None:
        return {}
    Choice(_PROFILES).check("compat", compat)
    return _PROFILES[compat]


def _queries(system: RankedSystem) -> pl.DataFrame:
    """One row per query, one column per measure; null where a value is undefined."""
    values = {str(measure): pl.Series(result.values).fill_nan(None) for measure, result in system.results.items()}
    queries = pl.Series(system.ranks.queries, dtype=pl.String)
    return pl.DataFrame({"query_id": queries} | values).select(pl.lit(system.name).alias("system"), pl.all())


def _coverage(system: RankedSystem) -> dict[str, Any]:
    ranks = system.ranks
    judged = summarise(Judged(cutoff=10), Judged(cutoff=10).per_unit(ranks))
    return {
        "system": system.name,
        "topics": len(ranks.queries),
        "missing": len(ranks.missing_topics),
        "ignored": len(ranks.ignored_topics),
        "retrieved": int(ranks.retrieved.sum()),
        "relevant": int(ranks.relevant().sum()),
        "relevant_retrieved": round(float(NumRelRet.of(ranks).sum())),
        "tied": int((ranks.hits.tie_last > ranks.hits.tie_first).sum()),
        "judged@10": judged.value,
        "without_relevant": int((ranks.relevant() == 0).sum()),
    }


def _remarks(
    judgments: Judgments, measures: Sequence[Measure], qrels: Qrels, systems: Sequence[tuple[RankedSystem, Batches]]
) -> Iterable[str]:
    """Doubts that scores rest on anything, and where to look closer."""
    for system, run in systems[:1]:
        for remark in remarks_on_judgments(judgments, measures, system.ranks.policies, qrels):
            yield f"{remark}; {where_to_look(qrels, run)}"
    for system, run in systems:
        for remark in remarks_on_run(system.name, system.ranks, run, system.results):
            yield f"{remark}; {where_to_look(qrels, run)}"


def _warnings(systems: Sequence[RankedSystem], runs: Mapping[str, Batches]) -> Iterable[str]:
    for system in systems:
        missing, ignored = system.ranks.missing_topics, system.ranks.ignored_topics
        if not system.ranks.in_run.any():
            yield f"{runs[system.name].origin}: the run is empty: scored as a system that returned nothing"
        if missing:
            treated = "left out" if system.ranks.left_out else "counted as empty"
            yield f"{system.name}: {number_of('judged topic', len(missing))} missing, {treated}"
        if ignored:
            yield f"{system.name}: {number_of('topic', len(ignored))} without judgments, ignored"


def _without_number(
    systems: Sequence[RankedSystem], measures: Iterable[Measure], undefined: Undefined
) -> Iterable[str]:
    """The measures that have no number, for which systems and why; undefined="error" raises here."""
    lacking: dict[tuple[Measure, str], list[str]] = {}
    for measure in measures:
        for system in systems:
            if reason := summarise(measure, system.results[measure], undefined).reason:
                lacking.setdefault((measure, reason), []).append(system.name)
    return [f"{listed(names)}: {measure} is undefined: {reason}" for (measure, reason), names in lacking.items()]
