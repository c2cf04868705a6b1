"""`assay report QRELS RUN...`, and the same of classifiers, clusterings, spans, scores and judges."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

from assay.cli import inputs, items, options
from assay.cli.options import ClusterInputs, LabelInputs, Tested, group
from assay.cli.output import message, refuse_absent_columns, remarks
from assay.core import options as shared
from assay.core.evaluation_options import CONTENTS, Columns, EvaluationRules, Undefined, option


@group
class Reporting(Tested):
    """By which measures and tests systems are compared, the files to write, and what stands above."""

    targets: Annotated[
        tuple[Path, ...],
        option("-o", "--output", help="File to write: .html (report.html), .md, .tex, .json; repeat."),
    ] = ()
    title: Annotated[str | None, option(metavar="TEXT", help="The title.")] = None
    overwrite: options.Overwrite = False
    quiet: options.Quiet = False

    @property
    def paths(self) -> list[Path]:
        """The files to write."""
        return list(self.targets) or [Path("report.html")]

    def check(self) -> None:
        """Refuse targets that cannot be written, before anything is read."""
        from assay.verbs.report.report import check_targets  # noqa: PLC0415  # `assay --help` need not load Polars

        check_targets(self.paths)

    def of_items(self) -> dict[str, Any]:
        """What was set of the test, as a report on items takes it."""
        stated: dict[str, Any] = {**self.testing}
        return {"comparison": stated} | ({"seed": stated["seed"]} if "seed" in stated else {})


def search(
    qrels: options.Judgments,
    runs: options.Runs,
    to: Reporting,
    rules: EvaluationRules,
    system: options.ListedSystem | None = None,
    topics: options.Topics | None = None,
    documents: options.Documents | None = None,
    changed: Annotated[
        int | None, option(help="Number of most changed queries to show (6).", panel=CONTENTS, least=0)
    ] = None,
    show: options.Show | None = None,
) -> None:
    """Write a report: which run is better, how certain that is, query by query, and how it was computed.

    One page that loads nothing from elsewhere; or Markdown, LaTeX or JSON, by the ending of the file's name. The first
    measure is the main one (nDCG@10, AP, RR, P@10), the first run the baseline.

    $ assay report qrels.txt words.run stems.run
    $ assay report qrels.txt words.run stems.run --topics topics.tsv -o report.html -o report.md
    """
    more = {"topics": topics, "documents": documents, "changed": changed, "show": show, "system": system}
    _write(qrels, inputs.opened(qrels, runs), {**to.testing, **more, **rules}, to)


def classifier(
    files: options.PredictionFiles,
    to: Reporting,
    labels: LabelInputs,
    threshold: shared.Threshold | None = None,
    undefined: Undefined = "counted_as",
) -> None:
    """Write a report on one classifier or more: confusion matrix, measures, thresholds, calibration, advice.

    $ assay classifier report letters/spam.csv --positive spam
    """
    rules = {"threshold": threshold, "undefined": undefined}
    _write(items.predictions(files, labels), None, to.of_items() | rules, to)


def clustering(files: options.ClusterFiles, to: Reporting, clusters: ClusterInputs) -> None:
    """Write a report on one clustering or more: measures, clusters, classes, silhouettes, advice.

    $ assay clustering report notes/notes.csv --unlabelled drop
    """
    _write(items.clusterings(list(files), clusters), None, to.of_items() | items.cluster_rules(clusters), to)


def extraction(
    truth: options.TrueSpans, to: Reporting, rules: shared.SpanMeanRules, systems: options.SpanFiles | None = None
) -> None:
    """Write a report on extracted spans: measures, verdicts, types, documents, misses and false alarms.

    $ assay extraction report letters/names.conll
    $ assay extraction report letters/mentions.conll letters/lists.conll letters/capitals.conll
    """
    sampling = shared.Sampling(confidence=1 - to.testing.get("alpha", 0.05), seed=to.testing.get("seed", 0))
    _write(items.extractions(truth, systems or [], rules, **sampling), None, {**to.testing}, to)


def scores(
    path: options.ScoreFile,
    to: Reporting,
    direction: options.Direction = (),
    columns: Columns = None,  # noqa: ARG001  # `calling` sees to it
) -> None:
    """Write a report from scores alone: which system is better, and how certain that is.

    $ assay scores report scores.csv -m AP -o scores.html
    """
    _write(inputs.kept(path), None, {**to.testing, **inputs.directions(direction)}, to)


def agreement(
    labels: options.LabelSets,
    to: Reporting,
    rules: shared.AgreementRules,
    groups: options.Groups = (),
    by_topic: options.ByTopic = False,
) -> None:
    """Write a report on the agreement of judges: coefficients, pairs, topics, guidance; for several sets, verdicts.

    $ assay agreement report bicycles/judgments.txt
    """
    stated = options.stated(rules, "repeated", "columns") | {**to.testing, "by_topic": by_topic}
    _write(items.label_sets(labels, groups, rules), None, stated, to)


def clicks(
    logs: options.LogFiles,
    to: Reporting,
    rules: shared.ClickRules,
    reading: shared.LogRules,
    by: shared.Segments | None = None,
) -> None:
    """Write a report on what users do: verdicts, every measure, by rank, over time, by segment.

    $ assay clicks report clicks/log.ndjson.gz --by frequency
    """
    segmented = {} if by is None else {"by": by}
    _write(items.click_logs(logs, reading), None, {**to.testing, **rules, **segmented}, to)


def _write(systems: Any, runs: Any, stated: dict[str, Any], to: Reporting) -> None:
    """Put the report together, write the files, and say what is in them."""
    stated |= {"baseline": options.only(to.baseline, "-b, --baseline"), "title": to.title}
    stated["command"] = shlex.join(["assay", *sys.argv[1:]])
    place, activity = "assay.verbs.report:make_report", "putting the report together"
    report = inputs.result_of(place, activity, to, systems, runs, to.measures or None, **stated)
    refuse_absent_columns()
    report.save_all(to.paths)
    remarks(report.warnings, report.notes, quiet=to.quiet)
    sys.stdout.write(f"{report}\n")
    if report.advice:
        message(f"What to do: {report.advice}", err=False)
    for target in to.paths:
        message(str(target.resolve()), err=False)
