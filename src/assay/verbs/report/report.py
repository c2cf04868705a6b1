"""`make_report`: judgments and runs, predictions, clusters, a result or a comparison -> a `Report`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Unpack

from assay.core import registry
from assay.core.notes import merged
from assay.core.options import ReportOptions
from assay.measures.registry import Measure
from assay.show.model import Document, Prose, Section
from assay.verbs.comparison import compare
from assay.verbs.report.provenance import provenance
from assay.verbs.report.subject import Reported, Request
from assay.verbs.sections.methods import methods
from assay.verbs.sections.report import Report
from assay.verbs.subject import check_rules, subject_of

#: What reports show besides, where they are about rankings.
_DETAILS = ("system", "topics", "documents", "changed", "show", "wording")


def make_report(
    given: Any,
    runs: Any = None,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    **options: Unpack[ReportOptions],
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
    `show`: how many ranks of each (10 unless given). `command` is the command line that made it.

    >>> judged = {f"q{n}": {"good": 1} for n in range(6)}
    >>> runs = {"down": {q: {"bad": 2.0} for q in judged}, "up": {q: {"good": 2.0} for q in judged}}
    >>> report = make_report(judged, runs, ["RR", "P@1"], topics={"q0": "bitter tea"})
    >>> report.table("findings")["verdict"].to_list(), report.section("changed").data["queries"][0]["text"]
    (['better', 'better'], 'bitter tea')
    """
    subject = subject_of(getattr(given, "pairing", given), runs)
    kind: type[Reported] = registry.load(subject.reported)
    rules: dict[str, Any] = dict(options)
    asked = {name: value for name in _DETAILS if (value := rules.pop(name, None)) is not None}
    baseline, title, command = rules.pop("baseline", None), rules.pop("title", None), rules.pop("command", "")
    known = (*subject.report_rules, *(compare.__kwdefaults__ or ()))
    check_rules([name for name in rules if name not in known], subject, ReportOptions.__annotations__)
    reported = kind.of(Request(given, runs, measures, baseline, asked, rules))
    sections, notes = list[Section](), list(reported.notes)
    for part in reported.sections():
        if isinstance(part, str):
            notes.append(part)
        else:
            sections.append(part)
    sections += [methods(reported), provenance(reported, command)]
    if notes:
        sections.append(Section("notes", "Notes", (Prose(style="list", points=tuple(merged(notes))),), short="Notes"))
    return Report(Document("report", tuple(sections), title or reported.title, page=True, eyebrow=reported.eyebrow))
