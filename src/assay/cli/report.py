"""`assay report QRELS RUN...`, and the same of classifiers, clusterings, spans and scores."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

from assay.cli import inputs, items, options
from assay.cli.clusters import Numbers, number_of
from assay.cli.inputs import directions
from assay.cli.options import CONTENTS, SearchRules, Testing, group, option, settings
from assay.cli.output import remarks, say
from assay.cli.subject_options import ClusterInputs, LabelInputs, SpanRules


@group
class Pages:
    """The files to write, and what stands above."""

    targets: Annotated[
        tuple[Path, ...],
        option("-o", "--output", help="The file to write: .html (report.html), .md, .tex, .json; repeat."),
    ] = ()
    title: Annotated[str | None, option("--title", metavar="TEXT", help="The title.")] = None
    overwrite: options.Overwrite = False
    quiet: options.Quiet = False


def search(
    qrels: options.Judgments,
    runs: options.Runs,
    /,
    *,
    measures: options.Measures = (),
    testing: Testing = Testing(),
    system: options.System = (),
    topics: options.Topics = None,
    documents: options.Documents = None,
    changed: Annotated[
        int | None,
        option("--changed", help="How many of the most changed queries to show (6).", panel=CONTENTS, least=0),
    ] = None,
    show: options.Show = None,
    rules: SearchRules = SearchRules(),
    pages: Pages = Pages(),
) -> None:
    """Write a report: who is better, how sure that is, query by query, and how it was made.

    One page that loads nothing from elsewhere; or Markdown, LaTeX or JSON, by the ending of the file's name. The first
    measure is the main one (nDCG@10, AP, RR, P@10), the first run the baseline.

    $ assay report qrels.txt words.run stems.run
    $ assay report qrels.txt words.run stems.run --topics topics.tsv -o report.html -o report.md
    """
    more = options.stated(topics=topics, documents=documents, changed=changed, show=show)
    more |= {"system": options.only(system, "--system")} | settings(rules)
    _check(pages)
    files = inputs.opened(qrels, runs)
    with inputs.progress(files, hidden=pages.quiet):
        _write(qrels, files, measures, testing.settings() | more, pages)


def classifier(
    files: options.PredictionFiles,
    /,
    *,
    measures: options.Measures = (),
    labels: LabelInputs = LabelInputs(),
    threshold: options.Threshold = None,
    testing: Testing = Testing(),
    pages: Pages = Pages(),
) -> None:
    """Write a report on one classifier or several: matrix, measures, thresholds, calibration, advice.

    $ assay classifier report letters/spam.csv --positive spam
    """
    _check(pages)
    more = options.stated(threshold=threshold)
    _write(items.predictions(files, labels), None, measures, _compared(testing) | more, pages)


def clustering(
    files: options.ClusterFiles,
    /,
    *,
    measures: options.Measures = (),
    clusters: ClusterInputs = ClusterInputs(),
    ks: options.Ks = None,
    testing: Testing = Testing(),
    pages: Pages = Pages(),
) -> None:
    """Write a report on one clustering or several: measures, clusters, classes, silhouettes, advice.

    $ assay clustering report notes/notes.csv --unlabelled drop
    """
    _check(pages)
    numbers, counted = Numbers(ks=ks), None
    sources: list[Any] = list(files)
    with inputs.working("putting the report together", hidden=pages.quiet):
        if ks is not None:
            # Which number is best is a question about the points, not about the clusters reported on.
            unread = ("cluster", "system", "noise", "noise_as")
            sources = [inputs.kept(file) for file in files]
            counted = number_of(sources, options.without(clusters, *unread), numbers, testing.seed)
        systems = items.clusterings(sources, clusters)
        more = _compared(testing) | {"over_k": counted} | items.cluster_rules(clusters)
        _write(systems, None, measures, more, pages)


def extraction(
    truth: options.TrueSpans,
    systems: options.OptionalSpanFiles = None,
    /,
    *,
    measures: options.Measures = (),
    rules: SpanRules = SpanRules(),
    testing: Testing = Testing(),
    pages: Pages = Pages(),
) -> None:
    """Write a report on extracted spans: measures, verdicts, types, documents, misses and false alarms.

    $ assay extraction report letters/names.conll
    $ assay extraction report letters/mentions.conll letters/lists.conll letters/capitals.conll
    """
    files = systems or []
    _check(pages)
    level = {} if testing.alpha is None else {"confidence": 1 - testing.alpha}
    read = items.extractions(truth, files, rules, **level, **options.stated(seed=testing.seed))
    _write(read, None, measures, testing.settings(), pages)


def scores(
    path: options.ScoreFile,
    /,
    *,
    columns: options.Columns = (),  # noqa: ARG001  # `calling` sees to it
    measures: options.Measures = (),
    direction: options.Direction = (),
    testing: Testing = Testing(),
    pages: Pages = Pages(),
) -> None:
    """Write a report from bare scores: who is better, how sure that is, and how it was made.

    $ assay scores report scores.csv -m AP -o scores.html
    """
    _check(pages)
    more = testing.settings() | directions(direction)
    _write(path, None, measures, more, pages)


def _check(pages: Pages) -> None:
    """Refuse targets that cannot be written, before anything is read."""
    from assay.verbs.sections.report import check_targets  # noqa: PLC0415  # `assay --help` need not load Polars

    check_targets(_targets(pages))


def _targets(pages: Pages) -> list[Path]:
    return list(pages.targets) or [Path("report.html")]


def _compared(testing: Testing) -> dict[str, Any]:
    """What was set of the test, as a report on items takes it."""
    stated = testing.settings()
    baseline = stated.pop("baseline", ())
    return {"baseline": baseline, "comparison": stated} | options.stated(seed=testing.seed)


def _write(subjects: Any, runs: Any, measures: tuple[str, ...], stated: dict[str, Any], pages: Pages) -> None:
    """Put the report together, write the files, and say what is in them."""
    from assay.verbs.report import make_report  # noqa: PLC0415

    stated["baseline"] = options.only(stated.get("baseline", ()), "-b, --baseline")
    command = shlex.join(["assay", *sys.argv[1:]])
    with inputs.working("putting the report together", hidden=pages.quiet):
        report = make_report(subjects, runs, measures or None, title=pages.title, command=command, **stated)
    targets = _targets(pages)
    report.save_all(targets)
    remarks(report.warnings, report.notes, quiet=pages.quiet)
    sys.stdout.write(f"{report}\n")
    if report.advice:
        say(f"What to do: {report.advice}")
    for target in targets:
        say(str(target.resolve()))
