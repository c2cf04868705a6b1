"""`assay compare QRELS RUN...`, and the same of classifiers, clusterings, spans, scores and judges."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from assay.cli import inputs, items, options, output
from assay.cli.options import Output, PairedClusters, PairedLabels, Tested, group
from assay.cli.output import option as spelt
from assay.core import options as shared
from assay.core.errors import ParameterError
from assay.core.evaluation_options import CONTENTS, Columns, EvaluationRules, Undefined, option

if TYPE_CHECKING:
    from assay.show.model import Section
    from assay.verbs.comparison import Comparison


@group
class Comparing(Output, Tested):
    """By which measures and tests systems are compared, and how that is shown."""

    plot: Annotated[
        Path | None, option(help="Also draw the intervals, to a file: .svg, .png, .pdf, .html.", panel=CONTENTS)
    ] = None

    def check(self) -> None:
        """Refuse what cannot be given or drawn, before anything is read."""
        super().check()
        if self.plot is not None:
            from assay.show.svg import suffix_of  # noqa: PLC0415  # `assay --help` need not load Polars

            suffix_of(self.plot)


@group
class Lists:
    """What is listed besides the verdicts: documents and queries."""

    system: options.ListedSystem | None = None
    judge_next: Annotated[
        int | None, option(help="List N unjudged documents that would decide the comparison.", least=1)
    ] = None
    changes: Annotated[
        str | None, option(metavar="QUERY", help="List documents gained, lost and moved in a query, or in all.")
    ] = None
    queries: Annotated[int | None, option(help="List the N queries that make most of the difference.", least=1)] = None
    bounds: Annotated[
        bool, option(help="Show how low and high each score could be, by unjudged documents.", panel=CONTENTS)
    ] = False
    slices: options.Slices | None = None
    topics: options.Topics | None = None


def search(qrels: options.Judgments, runs: options.Runs, to: Comparing, lists: Lists, rules: EvaluationRules) -> None:
    """Test whether one run is better than another, how certain that is, and what it rests on.

    The first of two runs is the baseline; of more, every two are compared unless -b names one. Without -m: AP, nDCG@10,
    RR and P@10.

    $ assay compare qrels.txt words.run stems.run
    $ assay compare qrels.txt words.run stems.run -m nDCG@10 --judge-next 5
    $ assay compare qrels.txt words.run stems.run alphabet.run -b words
    """
    if (lists.slices is None) != (lists.topics is None):
        raise ParameterError("--slices ATTRIBUTE and --topics FILE go together")
    _deliver([qrels, inputs.opened(qrels, runs)], rules, to, lists)


def classifier(
    files: options.PredictionFiles,
    to: Comparing,
    labels: PairedLabels,
    flipped: Annotated[
        int | None, option(help="List N items that two classifiers predict differently.", least=1)
    ] = None,
) -> None:
    """Test whether one classifier is better than another, and how certain that is.

    One file with several systems side by side, or one file per system, whose items are paired by their ids. Without
    -m: Accuracy, F, MCC and AUC (MCC first where one label has most items).

    $ assay classifier compare letters/spam.csv --positive spam
    $ assay classifier compare letters/spam.csv --positive spam -m Accuracy --flipped 5
    """
    systems = items.predictions(files, labels, quiet=to.quiet)
    _deliver([systems], items.item_rules(labels), to, flipped=flipped)


def clustering(files: options.ClusterFiles, to: Comparing, clusters: PairedClusters) -> None:
    """Decide whether one clustering is better than another, by the interval of the difference.

    Clusterings of the same items, side by side in one file, or one file each. Without -m: ARI, NMI, BCubedF,
    Silhouette, DaviesBouldin.

    $ assay clustering compare notes/notes.csv --unlabelled drop -b kmeans -m ARI
    """
    rules = items.cluster_rules(clusters)
    _deliver([items.clusterings(files, clusters, quiet=to.quiet)], rules, to)


def extraction(truth: options.TrueSpans, systems: options.SpanFiles, to: Comparing, rules: shared.SpanRules) -> None:
    """Test whether one system extracts spans better than another, and how certain that is.

    Numbers are of all spans together, and paired by document. The first of two systems is the baseline; of more, every
    two are compared unless -b names one. Without -m: F, Precision and Recall.

    $ assay extraction compare letters/mentions.conll letters/lists.conll letters/capitals.conll
    """
    _deliver([items.extractions(truth, systems, rules)], {}, to)


def scores(
    path: options.ScoreFile,
    to: Comparing,
    direction: options.Direction = (),
    undefined: Undefined | None = None,
    columns: Columns = None,  # noqa: ARG001  # `calling` sees to it
) -> None:
    """Test whether one system is better than another, from scores alone, and how certain that is.

    Scores are `system,measure,unit,value`, what `assay evaluate -q --csv` writes, or a matrix with one column per
    system (then -m names what was measured).

    $ assay evaluate qrels.txt words.run stems.run -q --csv -o scores.csv
    $ assay scores compare scores.csv -m AP
    """
    rules = {} if undefined is None else {"undefined": undefined}
    _deliver([inputs.kept(path)], inputs.directions(direction) | rules, to)


def agreement(
    labels: options.LabelSets, to: Comparing, rules: shared.AgreementRules, groups: options.Groups = ()
) -> None:
    """Test whether judges agree better in one set of labels than in another, on the same items.

    One file per set, such as two rounds of labelling; or one file, whose judges --group divides. Without -m: Alpha,
    Agreement, PositiveAgreement.

    $ assay agreement compare bicycles/judgments.txt --group old=ana,ben --group new=ben,cleo
    """
    sets = items.label_sets(labels, groups, rules)
    if len(sets) < 2:
        raise ParameterError("a comparison takes two sets of labels or more, not 1: two files, or --group twice")
    _deliver([sets], options.stated(rules, "repeated", "columns"), to)


def clicks(logs: options.LogFiles, to: Comparing, rules: shared.ClickRules, reading: shared.LogRules) -> None:
    """Test whether users of one system do better than those of another, by Welch's test over users.

    The systems are those that a log names, or one log each. Without -m: CTR, ClickRR, SessionSuccess, Reformulation,
    ZeroResults and Latency, as far as the log knows enough.

    $ assay clicks compare clicks/log.ndjson.gz
    $ assay clicks compare clicks/log.ndjson.gz -m CTR@1 -b described --most-per-minute 20
    """
    _deliver([items.click_logs(logs, reading)], rules, to)


def _deliver(systems: list[Any], rules: Any, to: Comparing, lists: Lists = Lists(), flipped: int | None = None) -> None:
    """Compare, and give the verdicts with what is listed besides."""
    chosen = {"measures": to.measures or None, "baseline": to.baseline or None, **to.testing, **rules}
    result = inputs.result_of("assay.verbs.comparison:compare", "comparing", to, *systems, **chosen)
    with inputs.working("comparing", hidden=to.quiet):
        sections = _sections(result, lists, flipped)
    text = _rendered(result, sections, to)
    drawn = [] if to.plot is None else [partial(result.intervals().save, to.plot)]
    with output.delivered(text, to, *drawn):
        inputs.say(result.evaluation, result.notes, quiet=to.quiet)


def _sections(result: Comparison, lists: Lists, flipped: int | None) -> list[Section]:
    """What is listed besides the verdicts, a section each: under the first measure, of the system asked for."""
    from assay.files import read_topics  # noqa: PLC0415
    from assay.verbs.sections.comparisons import list_section  # noqa: PLC0415

    sections: list[Section] = []
    if lists.bounds:
        title = "What unjudged documents could make of each score"
        sections.append(list_section("bounds", result.bounds(), title))
    if not options.settings(options.without(lists, "system", "bounds")) and flipped is None:
        items.refuse(options.settings(lists, "system"), "goes with --queries, --changes, --judge-next or --slices")
        return sections
    systems = {finding.system for finding in result.findings}
    if len(systems) > 1 and flipped is not None:
        raise ParameterError("--flipped is about two systems: choose them with --system A --system B")
    if len(systems) > 1 and lists.system is None:
        raise ParameterError(f"choose whose documents or queries to list: --system {', '.join(sorted(systems)[:5])}")
    finding = result.finding(result.measures[0], lists.system)
    pair: dict[str, Any] = {"measure": finding.measure, "system": finding.system, "baseline": finding.baseline}
    words = f"in {finding.measure} of {finding.system} and {finding.baseline}"
    if lists.queries is not None:
        title = f"The queries that make most of the difference {words}"
        sections.append(list_section("queries", result.queries(**pair).head(lists.queries), title))
    if lists.changes is not None:
        changes = _of_query(result.changes(**pair), lists.changes)
        sections.append(list_section("changes", changes, f"What changed {words}"))
    if lists.judge_next is not None:
        title = f"Judge these next, for the difference {words}"
        sections.append(list_section("judge_next", result.judge_next(lists.judge_next, **pair), title))
    if lists.slices is not None:
        frame = result.slices(read_topics(str(lists.topics)), lists.slices, **pair)
        sections.append(list_section("slices", frame, f"By {lists.slices}, the difference {words}"))
    if flipped is not None:
        frame = result.flipped(finding.baseline, finding.system)
        part = "" if frame.height <= flipped else f", {flipped} of {frame.height:,}"
        title = f"Items that {finding.system} predicts otherwise than {finding.baseline}{part}"
        sections.append(list_section("flipped", frame.head(flipped), title))
    return sections


def _of_query(changes: Any, query: str) -> Any:
    known = changes["query_id"].unique(maintain_order=True).to_list()
    if query not in {"all", *known}:
        raise ParameterError(f"--changes: there is no query {query!r}; there are {', '.join(known[:5])}, …")
    return changes if query == "all" else changes.filter(query_id=query)


def _rendered(result: Comparison, lists: list[Section], to: Output) -> str:
    """The comparison; in forms for other programs, what was asked for besides takes its place."""
    form = to.form
    if form is not None and not lists:
        return output.rendered(result, to)
    document = result.document()
    if form is None:
        sections = [_with_hint(each, result) for each in document.sections]
        return output.written(replace(document, sections=(*sections, *lists)), to)
    if len(lists) > 1 and form != "json" and to.table is None:
        names = ", ".join(spelt(each) for each in ("queries", "changes", "judge_next", "bounds", "slices", "flipped"))
        raise ParameterError(f"--{form} gives one table: choose one of {names}")
    return output.written(replace(document, sections=tuple(lists)), to)


def _with_hint(section: Section, result: Comparison) -> Section:
    """The legend with the option that lists what a verdict depends on."""
    from assay.show.model import Prose  # noqa: PLC0415

    if section.name != "legend" or not section.parts or not any(each.verdict.unjudged for each in result.findings):
        return section
    hint = Prose(f"{spelt('judge_next')} lists the documents to judge first.", "fine")
    return replace(section, parts=(*section.parts, hint))
