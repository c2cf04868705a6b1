"""`make_report`: judgments and runs, an evaluation or a comparison -> a `Report`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from assay.classification.pairing import are_predictions
from assay.clustering.pairing import are_clusters
from assay.comparison.result import Comparison
from assay.core.domains import Whole
from assay.core.errors import ParameterError, number_of
from assay.measures.registry import Measure
from assay.reporting import changed as by_query
from assay.reporting import figures, verdicts
from assay.reporting.advice import advice
from assay.reporting.basis import Basis, basis_of
from assay.reporting.contents import Contents, Measured, Reference
from assay.reporting.naming import told_once
from assay.reporting.options import check_options
from assay.reporting.provenance import provenance
from assay.reporting.result import RankingReport, Report
from assay.reporting.stamps import Stamp, stamps_of
from assay.reporting.texts import Texts
from assay.sections.methods import methods, topics_of

#: Of the most changed queries, so many are shown, with so many ranks of each.
CHANGED = 6
SHOWN = 10


def make_report(
    given: Any,
    runs: Any = None,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    *,
    baseline: str | None = None,
    system: str | None = None,
    topics: Any = None,
    documents: Any = None,
    title: str | None = None,
    changed: int | None = None,
    show: int | None = None,
    command: str = "",
    stamps: Mapping[str, Stamp] | None = None,
    **rules: Any,
) -> Report[Any]:
    """Put together everything that is known about systems: who is better, how sure that is, and what it rests on.

    `given` is judgments, with `runs` (what `evaluate` takes); or an `Evaluation`; or a `Comparison` with one baseline;
    or scores (what `compare` takes). Further keyword arguments are those of `compare` (`alpha`, `margin`, `test`,
    `seed`, …) and, with judgments and runs, the rules of `evaluate`. A `Classification`, predictions or a comparison of
    them give a report on classifiers; its further arguments are those of `classify`. A `Clustering`, `Clusters` or a
    comparison of them give a report on clusterings, with the further arguments of `cluster`, and `over_k`: what
    `number_of_clusters` found.

    `measures`: the first is the main one, which verdicts, charts and queries are about. `baseline`: the system that
    the others are held against; the first unless given. `system`: whose queries are shown beside the baseline's; the
    best of the others unless given. `topics` and `documents` (files, tables or dicts of texts) put words to ids.
    `changed`: how many of the most changed queries to show (6 unless given), half of them gains and half losses;
    `show`: how many ranks of each (10 unless given). `command` is the command line that made it. `stamps` (of
    `stamps_of`) are those of files that were read before: one that has changed since is refused, as its digest would be
    that of something else.

    >>> judged = {f"q{n}": {"good": 1} for n in range(6)}
    >>> runs = {"down": {q: {"bad": 2.0} for q in judged}, "up": {q: {"good": 2.0} for q in judged}}
    >>> report = make_report(judged, runs, ["RR", "P@1"], topics={"q0": "bitter tea"})
    >>> report.contents.verdicts[0].headline, report.contents.changed[0].text
    ('up is better than down', 'bitter tea')
    """
    check_options(rules, make_report)
    told = {"system": system, "topics": topics, "documents": documents, "changed": changed, "show": show}
    compared = given if isinstance(given, Comparison) and runs is None else None
    of_predictions = are_predictions(given) and (runs is None or are_predictions(runs))
    if of_predictions or (compared is not None and compared.classifiers is not None):
        every = given if runs is None else [*_each(given), *_each(runs)]
        report: Report[Any] = _of_classifiers(
            every, measures, told, title=title, command=command, stamps=stamps, baseline=baseline, **rules
        )
        return report
    of_clusters = are_clusters(given) and (runs is None or are_clusters(runs))
    if of_clusters or (compared is not None and compared.clusterings is not None):
        every = given if runs is None else [*_each(given), *_each(runs)]
        report = _of_clusterings(
            every, measures, told, title=title, command=command, stamps=stamps, baseline=baseline, **rules
        )
        return report  # noqa: RET504  # typed as the one above
    before = stamps_of(given, runs, topics, documents) | dict(stamps or {})
    shown = by_query.Shown(
        Whole(0).check("changed", CHANGED if changed is None else changed),
        Whole(1).check("show", SHOWN if show is None else show),
    )
    texts = Texts.of(topics, documents)
    basis = basis_of(given, runs, measures, baseline=baseline, system=system, rules=rules)
    spoken, left_out = verdicts.verdicts(basis)
    parts, too_many = by_query.differences(basis, texts)
    moved, no_rankings = by_query.changed_queries(basis, parts, texts, shown)
    drawn, no_curve = figures.curves(basis)
    limits, no_bounds = figures.bounds(basis)
    power, no_power = figures.power(basis)
    every_query = by_query.queries(basis, texts)
    documents_shown = [one.doc_id for query in moved for side in (query.baseline, query.system) for one in side.ranking]
    unknown = texts.notes((row.query_id for row in every_query.rows), documents_shown)
    paragraph, works = methods(basis)
    notes = (*basis.notes, *left_out, *too_many, *no_power, *no_rankings, *no_curve, *no_bounds, *unknown)
    contents = Contents(
        title=title or _title(basis),
        lead=_lead(basis),
        measures=tuple(Measured(name, basis.higher_is_better(name)) for name in basis.measures),
        alpha=basis.settings.alpha,
        verdicts=tuple(spoken),
        summary=tuple(verdicts.summary(basis)),
        caveats=tuple(verdicts.caveats(basis)),
        noticed=tuple(verdicts.noticed(basis)),
        systems=tuple(figures.systems_table(basis)),
        differences=tuple(parts),
        curves=tuple(drawn),
        changed=tuple(moved),
        coverage=tuple(figures.coverage(basis)),
        bounds=tuple(limits),
        power=tuple(power),
        warnings=_warnings(basis, texts),
        notes=tuple(told_once([note for note in notes if note], basis.measures)),
        methods=paragraph,
        references=tuple(Reference(work.key, work.entry, work.bibtex) for work in works),
        provenance=provenance(basis, texts, command, before),
        queries=every_query,
        advice=advice(basis),
    )
    return RankingReport(contents)


def _each(given: Any) -> list[Any]:
    return list(given) if isinstance(given, list | tuple) else [given]


def _of_classifiers(given: Any, measures: Any, told: dict[str, Any], **options: Any) -> Any:
    """The report on classifiers; what only rankings have is refused."""
    from assay.reporting.classifier_making import classifier_report  # noqa: PLC0415  # rankings need not load it

    for name, value in told.items():
        if value is not None:
            raise ParameterError(f"{name} goes with rankings: a report on classifiers has none")
    return classifier_report(given, measures, **options)


def _of_clusterings(given: Any, measures: Any, told: dict[str, Any], **options: Any) -> Any:
    """The report on clusterings; what only rankings have is refused."""
    from assay.reporting.cluster_making import cluster_report  # noqa: PLC0415  # rankings need not load it

    for name, value in told.items():
        if value is not None:
            raise ParameterError(f"{name} goes with rankings: a report on clusterings has none")
    return cluster_report(given, measures, **options)


def _title(basis: Basis) -> str:
    if len(basis.systems) == 1:
        return basis.systems[0]
    others = [name for name in basis.systems if name != basis.baseline]
    return f"{others[0] if len(others) == 1 else number_of('system', len(others))} against {basis.baseline}"


def _lead(basis: Basis) -> str:
    counts = [number_of("system", len(basis.systems))]
    if basis.evaluation is None:
        counts.append(number_of(basis.unit_kind, len(basis.paired[basis.main].units)))
    else:
        counts.append(topics_of(basis, basis.evaluation))
        counts.append(number_of("judgment", basis.evaluation.qrels.frame.height))
    lower = f"; lower {basis.main} is better" if basis.higher_is_better(basis.main) is False else ""
    return ", ".join(counts) + lower


def _warnings(basis: Basis, texts: Texts) -> tuple[str, ...]:
    tables = [table for table in (basis.evaluation, texts.topics, texts.documents) if table is not None]
    return tuple(warning for table in tables for warning in table.warnings)
