"""`make_report`: judgments and runs, an evaluation or a comparison -> a `Report`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from assay.classification.pairing import are_predictions
from assay.clustering.pairing import are_clusters
from assay.comparison.result import Comparison
from assay.core import registry
from assay.core.domains import Whole
from assay.core.errors import ParameterError
from assay.measures.registry import Measure
from assay.reporting.basis import Basis, Shown, basis_of
from assay.reporting.changed import changed as changed_queries
from assay.reporting.evidence import coverage, curves, noticed, power
from assay.reporting.naming import told_once
from assay.reporting.options import check_options
from assay.reporting.provenance import provenance
from assay.reporting.queries import differences
from assay.reporting.stamps import Stamp, stamps_of
from assay.reporting.summary import summary, title_of
from assay.reporting.systems import systems
from assay.reporting.texts import Texts
from assay.reporting.verdicts import verdicts
from assay.reporting.wording import Wording
from assay.sections.closing import closing
from assay.sections.methods import methods
from assay.sections.report import Report
from assay.show.model import Document, Section

#: The sections on rankings, in reading order, but for the last ones, which every report has. A section is a function
#: that yields it, if there is something to show; and, in words, what it cannot show, and why.
SECTIONS: tuple[Callable[[Basis], Iterator[Section | str] | Iterator[Section]], ...] = (
    summary, verdicts, systems, noticed, differences, curves, changed_queries, coverage, power,
)  # fmt: skip
#: What is not about rankings: how it is recognised, and what makes the report.
OF_ITEMS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "classifiers": (are_predictions, "assay.reporting.classifier_making:classifier_report"),
    "clusterings": (are_clusters, "assay.reporting.cluster_making:cluster_report"),
}
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
    wording: Wording | None = None,
    **rules: Any,
) -> Report:
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
    that of something else. `wording`: how to ask for more, where the report says so; as in Python unless given.

    >>> judged = {f"q{n}": {"good": 1} for n in range(6)}
    >>> runs = {"down": {q: {"bad": 2.0} for q in judged}, "up": {q: {"good": 2.0} for q in judged}}
    >>> report = make_report(judged, runs, ["RR", "P@1"], topics={"q0": "bitter tea"})
    >>> report.table("findings")["verdict"].to_list(), report.section("changed").data["queries"][0]["text"]
    (['better', 'better'], 'bitter tea')
    """
    check_options(rules, make_report)
    of_rankings = {"system": system, "topics": topics, "documents": documents, "changed": changed, "show": show}
    for subject, (recognised, place) in OF_ITEMS.items():
        is_compared = isinstance(given, Comparison) and runs is None and getattr(given, subject) is not None
        if is_compared or (recognised(given) and (runs is None or recognised(runs))):
            for name, value in of_rankings.items():
                if value is not None:
                    raise ParameterError(f"{name} goes with rankings: a report on {subject} has none")
            every = given if runs is None else [*_each(given), *_each(runs)]
            report: Report = registry.load(place)(
                every, measures, title=title, command=command, stamps=stamps, baseline=baseline, **rules
            )
            return report
    before = stamps_of(given, runs, topics, documents) | dict(stamps or {})
    shown = Shown(
        Whole(0).check("changed", CHANGED if changed is None else changed),
        Whole(1).check("show", SHOWN if show is None else show),
        Texts.of(topics, documents),
        Wording() if wording is None else wording,
    )
    basis = basis_of(given, runs, measures, baseline=baseline, system=system, rules=rules, shown=shown)
    sections, notes = list[Section](), list(basis.notes)
    for part in (part for section in SECTIONS for part in section(basis)):
        if isinstance(part, Section):
            sections.append(part)
        else:
            notes.append(part)
    paragraph, works = methods(basis)
    notes += [note for note in _unknown(basis) if note not in notes]
    sections += closing(paragraph, works, provenance(basis, command, before), told_once(notes, basis.measures))
    return Report(Document("report", tuple(sections), title or title_of(basis), page=True, eyebrow="Evaluation report"))


def _unknown(basis: Basis) -> list[str]:
    """What to say where topics have other ids than queries."""
    queries = [unit for paired in basis.paired.values() for unit in paired.units]
    return basis.shown.texts.notes(queries if basis.evaluation is None else basis.evaluation.qrels.topics, ())


def _each(given: Any) -> list[Any]:
    return list(given) if isinstance(given, list | tuple) else [given]
