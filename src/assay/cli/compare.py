"""`assay compare QRELS RUN...`, and the same of classifiers, clusterings, spans and scores."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from assay.cli import inputs, items, options, output
from assay.cli.inputs import directions
from assay.cli.options import CONTENTS, Output, SearchRules, Testing, group, option, settings
from assay.cli.subject_options import ClusterInputs, LabelInputs, SpanRules
from assay.cli.wording import option as spelt
from assay.core.errors import ParameterError

if TYPE_CHECKING:
    from assay.show.model import Document, Section
    from assay.verbs.comparison import Comparison, Finding

Picture = Annotated[
    Path | None, option("--plot", help="Also draw the intervals: a file in .svg, .png, .pdf, .html.", panel=CONTENTS)
]


@group
class Lists:
    """What is listed besides the verdicts: documents and queries."""

    system: options.System = ()
    judge_next: Annotated[
        int | None, option("--judge-next", help="List N unjudged documents that would decide the comparison.", least=1)
    ] = None
    changes: Annotated[
        str | None,
        option("--changes", metavar="QUERY", help="List documents gained, lost and moved; all: every query."),
    ] = None
    queries: Annotated[
        int | None, option("--queries", help="List the N queries that make most of the difference.", least=1)
    ] = None
    bounds: Annotated[
        bool,
        option("--bounds", help="How low and high each score could be with unjudged documents.", panel=CONTENTS),
    ] = False
    slices: options.Slices = None
    topics: options.Topics = None


def search(
    qrels: options.Judgments,
    runs: options.Runs,
    /,
    *,
    measures: options.Measures = (),
    testing: Testing = Testing(),
    lists: Lists = Lists(),
    plot: Picture = None,
    rules: SearchRules = SearchRules(),
    to: Output = Output(),
) -> None:
    """Say whether one run is better than another, how sure you can be, and what it rests on.

    The first of two runs is the baseline; of more, every two are compared unless -b names one. Without -m: AP, nDCG@10,
    RR and P@10.

    $ assay compare qrels.txt words.run stems.run
    $ assay compare qrels.txt words.run stems.run -m nDCG@10 --judge-next 5
    $ assay compare qrels.txt words.run stems.run alphabet.run -b words
    """
    if (lists.slices is None) != (lists.topics is None):
        raise ParameterError("--slices ATTRIBUTE and --topics FILE go together")
    _check(plot, to)
    files = inputs.opened(qrels, runs)
    with inputs.progress(files, hidden=to.quiet):
        _deliver(qrels, files, measures, settings(rules), testing, plot, to, lists=lists)


def classifier(
    files: options.PredictionFiles,
    /,
    *,
    measures: options.Measures = (),
    labels: LabelInputs = LabelInputs(),
    threshold: options.Threshold = None,
    missing: options.MissingItems = None,
    testing: Testing = Testing(),
    flipped: Annotated[
        int | None, option("--flipped", help="List N items that two classifiers predict differently.", least=1)
    ] = None,
    plot: Picture = None,
    to: Output = Output(),
) -> None:
    """Say whether one classifier is better than another, and how sure you can be.

    One file with several systems side by side, or one file per system, whose items are paired by their ids. Without
    -m: Accuracy, F, MCC and AUC (MCC first where one label has most items).

    $ assay classifier compare letters/spam.csv --positive spam
    $ assay classifier compare letters/spam.csv --positive spam -m Accuracy --flipped 5
    """
    _check(plot, to)
    rules = items.item_rules(labels, threshold, missing)
    read = options.without(labels, "system")
    systems = items.predictions(files, read, quiet=to.quiet)
    chosen = Lists(system=labels.system)
    _deliver(systems, None, measures, rules, testing, plot, to, lists=chosen, flipped=flipped)


def clustering(
    files: options.ClusterFiles,
    /,
    *,
    measures: options.Measures = (),
    clusters: ClusterInputs = ClusterInputs(),
    missing: options.MissingItems = None,
    testing: Testing = Testing(),
    plot: Picture = None,
    to: Output = Output(),
) -> None:
    """Say whether one clustering is better than another: the interval of the difference decides.

    Clusterings of the same items, side by side in one file, or one file each. Without -m: ARI, NMI, BCubedF,
    Silhouette, DaviesBouldin.

    $ assay clustering compare notes/notes.csv --unlabelled drop -b kmeans -m ARI
    """
    _check(plot, to)
    rules = items.cluster_rules(clusters) | options.stated(missing=missing)
    systems = items.clusterings(files, clusters, quiet=to.quiet)
    _deliver(systems, None, measures, rules, testing, plot, to)


def extraction(
    truth: options.TrueSpans,
    systems: options.SpanFiles,
    /,
    *,
    measures: options.Measures = (),
    rules: SpanRules = SpanRules(),
    testing: Testing = Testing(),
    plot: Picture = None,
    to: Output = Output(),
) -> None:
    """Say whether one system extracts spans better than another, and how sure you can be.

    Numbers are of all spans together, and paired by document. The first of two systems is the baseline; of more, every
    two are compared unless -b names one. Without -m: F, Precision and Recall.

    $ assay extraction compare letters/mentions.conll letters/lists.conll letters/capitals.conll
    """
    _check(plot, to)
    _deliver(items.extractions(truth, systems, rules), None, measures, {}, testing, plot, to)


def scores(
    path: options.ScoreFile,
    /,
    *,
    columns: options.Columns = (),  # noqa: ARG001  # `calling` sees to it
    measures: options.Measures = (),
    direction: options.Direction = (),
    testing: Testing = Testing(),
    plot: Picture = None,
    to: Output = Output(),
) -> None:
    """Say whether one system is better than another, from bare scores, and how sure you can be.

    Scores are `system,measure,unit,value`, what `assay evaluate -q --csv` writes, or a matrix with one column per
    system (then -m names what was measured).

    $ assay evaluate qrels.txt words.run stems.run -q --csv -o scores.csv
    $ assay scores compare scores.csv -m AP
    """
    _check(plot, to)
    _deliver(path, None, measures, directions(direction), testing, plot, to)


def _check(plot: Path | None, to: Output) -> None:
    """Refuse what cannot be written before anything is read."""
    output.form_of(to)
    if plot is not None:
        from assay.show.pictures import suffix_of  # noqa: PLC0415  # `assay --help` need not load Polars

        suffix_of(plot)


def _deliver(
    systems: Any,
    runs: Any,
    measures: tuple[str, ...],
    rules: dict[str, Any],
    testing: Testing,
    plot: Path | None,
    to: Output,
    *,
    lists: Lists = Lists(),
    flipped: int | None = None,
) -> None:
    """Compare, and give the verdicts with what is listed besides."""
    from assay.verbs.comparison import compare  # noqa: PLC0415

    with inputs.working("comparing", hidden=to.quiet):
        result = compare(systems, runs, measures=measures or None, **(testing.settings() | rules))
        sections = _sections(Pair(result, options.only(lists.system, "--system")), lists, flipped)
    text = _rendered(result, sections, to)
    if plot is not None:
        result.intervals().save(plot)
    if not to.quiet:
        inputs.say(result.evaluation, result.notes)
    output.deliver(text, to)


class Pair(NamedTuple):
    """The pair whose documents and queries are listed: under the first measure, the system asked for."""

    result: Comparison
    system: str | None

    def finding(self) -> Finding:
        """The finding that they are about."""
        systems = {finding.system for finding in self.result.findings}
        if self.system is None and len(systems) > 1:
            raise ParameterError(
                f"say whose documents, queries or items to list: --system {', '.join(sorted(systems)[:5])}"
            )
        return self.result.finding(self.result.measures[0], self.system)

    def words(self) -> str:
        """What is compared, in words."""
        finding = self.finding()
        return f"in {finding.measure} of {finding.system} and {finding.baseline}"

    def table(self, name: str, *arguments: Any) -> Any:
        """A table that the comparison gives for the pair."""
        finding = self.finding()
        which = {"measure": finding.measure, "system": finding.system, "baseline": finding.baseline}
        return getattr(self.result, name)(*arguments, **which)


def _sections(pair: Pair, lists: Lists, flipped: int | None) -> list[Section]:
    """What is listed besides the verdicts, a section each."""
    from assay.verbs.sections.comparisons import list_section  # noqa: PLC0415

    tables: list[tuple[str, Any, str]] = []
    if lists.queries is not None:
        title = f"The queries that make most of the difference {pair.words()}"
        tables.append(("queries", pair.table("queries").head(lists.queries), title))
    if lists.changes is not None:
        tables.append(("changes", _changes(pair, lists.changes), f"What changed {pair.words()}"))
    if lists.bounds:
        tables.append(("bounds", pair.result.bounds(), "What unjudged documents could make of each score"))
    if lists.judge_next is not None:
        title = f"Judge these next, for the difference {pair.words()}"
        tables.append(("judge_next", pair.table("judge_next", lists.judge_next), title))
    if lists.slices is not None:
        from assay.files import read_topics  # noqa: PLC0415

        frame = pair.table("slices", read_topics(str(lists.topics)), lists.slices)
        tables.append(("slices", frame, f"By {lists.slices}, the difference {pair.words()}"))
    if flipped is not None:
        finding = pair.finding()
        frame = pair.result.flipped(finding.baseline, finding.system)
        part = "" if frame.height <= flipped else f", {flipped} of {frame.height:,}"
        title = f"Items that {finding.system} predicts otherwise than {finding.baseline}{part}"
        tables.append(("flipped", frame.head(flipped), title))
    return [list_section(*table) for table in tables]


def _changes(pair: Pair, query: str) -> Any:
    moved = pair.table("changes")
    if query == "all":
        return moved
    known = moved["query_id"].unique(maintain_order=True).to_list()
    if query not in known:
        raise ParameterError(f"--changes: there is no query {query!r}; there are {', '.join(known[:5])}, …")
    return moved.filter(query_id=query)


def _rendered(result: Comparison, lists: list[Section], to: Output) -> str:
    """The comparison; in forms for other programs, what was asked for besides takes its place."""
    form = output.form_of(to)
    if form is None:
        return output.written(_with_options(result, lists), None, plain=to.path is not None)
    if not lists:
        return output.rendered(result, to)
    if len(lists) > 1 and form != "json":
        names = ", ".join(spelt(each) for each in ("queries", "changes", "judge_next", "bounds", "slices", "flipped"))
        raise ParameterError(f"--{form} gives one table: choose one of {names}")
    return output.written(replace(result.document(), sections=tuple(lists)), form)


def _with_options(result: Comparison, lists: list[Section]) -> Document:
    """What is shown, with the lists below, and the option that lists what a verdict depends on."""
    from assay.show.model import Prose  # noqa: PLC0415

    document = result.document()
    is_open = any(finding.verdict.unjudged for finding in result.findings)
    hint = Prose(f"{spelt('judge_next')} lists the documents to judge first.", "fine")
    sections = [
        replace(each, parts=(*each.parts, hint)) if each.name == "legend" and each.parts and is_open else each
        for each in document.sections
    ]
    return replace(document, sections=(*sections, *lists))
