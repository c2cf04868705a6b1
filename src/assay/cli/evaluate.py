"""`assay evaluate`, and the same of classifiers, clusterings, spans and judges."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from assay.cli import inputs, items, options, output
from assay.cli.options import ClusterInputs, LabelInputs, Measured, Output, group, settings
from assay.core.domains import Choice
from assay.core.errors import ParameterError
from assay.core.options import (
    CONTENTS,
    OUTPUT,
    AgreementRules,
    ClickRules,
    Confidence,
    EvaluationOptions,
    LogRules,
    Sampling,
    Segments,
    SpanRules,
    Threshold,
    option,
)

if TYPE_CHECKING:
    from assay.subjects.ranking.evaluation import Evaluation


@group
class Evaluating(Output, Measured):
    """By which measures systems are evaluated, and how that is shown."""


@group
class ListedContents:
    """What is shown of a classifier."""

    normalize: Annotated[
        str | None, option(help="Show the matrix as shares of: true, pred or all.", panel=CONTENTS)
    ] = None
    errors: Annotated[int | None, option(help="List N misclassified items.", panel=CONTENTS, least=0)] = None
    most_confused: Annotated[
        int | None, option(help="List the N most confused pairs of labels.", panel=CONTENTS, least=0)
    ] = None
    prevalences: Annotated[
        tuple[float, ...],
        option("--prevalence", help="Show PPV and NPV if this share of items were positive; repeat.", panel=CONTENTS),
    ] = ()
    orientation: options.Orientation | None = None


@group
class ClusterParts:
    """What is shown of a clustering."""

    per_class: Annotated[bool, option(help="Show where each class went, and its best match.")] = False
    per_cluster: Annotated[bool, option(help="Show what each cluster contains.")] = False
    moves: Annotated[bool, option(help="Show which classes are split, and which clusters merge classes.")] = False


def search(
    qrels: options.Judgments,
    runs: options.Runs,
    to: Evaluating,
    rules: EvaluationOptions,
    per_query: Annotated[
        bool, option("-q", "--per-query", help="Also show every query (in CSV, Markdown, LaTeX: instead of the means).")
    ] = False,
    sort: Annotated[str | None, option(metavar="MEASURE", help="Sort systems by this measure, best first.")] = None,
    signatures: Annotated[
        bool, option(help="Also print the signature of each number: what it depends on.", panel=OUTPUT)
    ] = False,
) -> None:
    """Score runs against judgments.

    Without -m: AP, nDCG@10, RR, P and R at 1, 5, 10, 20, and Judged@10.

    $ assay evaluate qrels.txt words.run
    $ assay evaluate qrels.txt old=words.run new=stems.run -m nDCG@10 -m AP --per-query
    $ assay evaluate qrels.txt words.run --compat trec_eval-10 --csv
    """
    from assay.subjects.ranking.evaluation import DEFAULT_MEASURES, evaluate  # noqa: PLC0415  # `--help` loads no Polars

    form = to.form
    files = inputs.opened(qrels, runs)
    with inputs.progress(files, hidden=to.quiet):
        result = evaluate(qrels, files, to.measures or DEFAULT_MEASURES, **rules)
    if sort is not None:
        result = result.sorted_by(sort)
    if not to.quiet:
        inputs.say_what_was_read(result, besides=result.without_number if form is None else ())
    text = _rendered(result, form, per_query, to)
    lines = result.signatures.values() if signatures else ()
    if lines and form is None:
        from assay.show.legible import on_one_line  # noqa: PLC0415

        text = output.Styled("\n".join([text, *map(on_one_line, lines), ""]))
    output.deliver(text, to)
    for signature in lines if form in {"csv", "markdown", "latex"} else ():  # a table for other programs stays a table
        output.message(signature)


def _rendered(result: Evaluation, form: str | None, per_query: bool, to: Output) -> str:
    if form == "html":
        return result.to_html()
    if form in {"csv", "markdown", "latex"} and to.table is None:
        return str(getattr(result, f"to_{form}")(per_query))
    return output.written(result.document(per_query), to)


def classifier(
    to: Evaluating,
    labels: LabelInputs,
    contents: ListedContents,
    sampling: Sampling,
    files: options.PredictionFiles | None = None,
    matrix: options.Matrix | None = None,
    threshold: Threshold | None = None,
    mute: options.Mute = (),
) -> None:
    """Evaluate a classifier: confusion matrix, measures with intervals and baselines, classes, advice.

    Two labels, more, or several per item are detected. Name the positive one of two labels with --positive, unless
    it is 1 or true.

    $ assay classifier evaluate letters/spam.csv --positive spam
    $ assay classifier evaluate --matrix '13 4 2; 2 15 1; 5 1 57' --labels Woman,Man,Child
    """
    from assay.subjects.labels.evaluation import classify  # noqa: PLC0415  # `assay --help` need not load Polars
    from assay.subjects.labels.result import ClassificationView  # noqa: PLC0415

    if contents.orientation is not None:
        Choice(("rows_are_true", "rows_are_predicted")).check("orientation", contents.orientation)
    if labels.one_class is not None and labels.pos_label is not None:
        raise ParameterError("--positive goes without --class, which makes its class the positive one")
    items.one_source({"a file of predictions": files, "--matrix": matrix})
    # The class is told to the verb, for matrices too.
    read, positive = options.without(labels, "one_class"), labels.pos_label
    if matrix is not None:
        if contents.errors:
            raise ParameterError("--errors goes with predictions: a matrix holds no items")
        systems: Any = items.typed_matrix(matrix, read, contents.orientation)
        positive = None
    else:
        systems = items.predictions(files or [], read, quiet=to.quiet)
    with inputs.working("computing intervals", hidden=to.quiet):
        result = classify(
            systems, to.measures or None, pos_label=positive, threshold=threshold, one_class=labels.one_class,
            mute=mute, shown=ClassificationView(**settings(contents)), **sampling,
        )  # fmt: skip
        if contents.prevalences and result.task != "binary":
            raise ParameterError(
                f"--prevalence is about two labels, and there are {len(result.labels)}: --class compares one with all "
                f"others, as in --class {result.labels[0]}"
            )
    output.give(result, to, warnings=result.warnings, notes=result.notes)


def clustering(
    to: Evaluating,
    clusters: ClusterInputs,
    parts: ClusterParts,
    sampling: Sampling,
    files: options.ClusterFiles | None = None,
    table: options.Table | None = None,
    mute: options.Mute = (),
) -> None:
    """Evaluate a clustering: measures with intervals, against classes and by points, splits, merges, advice.

    Classes are a column of the file, such as `class`; --points names the columns of points. Either is enough.

    $ assay clustering evaluate notes/notes.csv --unlabelled drop
    $ assay clustering evaluate --contingency '5 1 2; 1 4 0; 0 1 3' -m NMI -m ARI
    """
    from assay.subjects.clusters.evaluation import cluster  # noqa: PLC0415  # `assay --help` need not load Polars
    from assay.subjects.clusters.result import ClusteringView  # noqa: PLC0415

    items.one_source({"a file of clusters": files, "--contingency": table})
    rules = items.cluster_rules(clusters)
    if table is not None:
        systems: Any = items.typed_contingency(table, clusters)
    else:
        systems = items.clusterings(files or [], clusters, quiet=to.quiet)
    with inputs.working("computing intervals", hidden=to.quiet):
        view = ClusteringView(**settings(parts))
        result = cluster(systems, to.measures or None, mute=mute, shown=view, **rules, **sampling)
    output.give(result, to, warnings=result.warnings)


def extraction(
    truth: options.TrueSpans,
    rules: SpanRules,
    sampling: Sampling,
    to: Output,
    predicted: options.SpanFile | None = None,
    misses: Annotated[bool, option(help="List the true spans that were not found.")] = False,
    false_alarms: Annotated[bool, option(help="List false-positive spans.")] = False,
) -> None:
    """Score extracted spans: precision, recall and F, overall and per type.

    One file with two columns of tags at the end (truth, then prediction), or two files. With --misses or
    --false-alarms, --csv writes these lists instead of the numbers.

    $ assay extraction evaluate letters/names.conll
    """
    from assay.subjects.spans.evaluation import extract  # noqa: PLC0415  # `assay --help` need not load Polars

    inputs.each_named(truth, [predicted])
    with inputs.working("matching", hidden=to.quiet):
        result = extract(truth, predicted, **rules, **sampling)
    wanted = [name for name, asked in (("misses", misses), ("false_alarms", false_alarms)) if asked]
    output.give(result.showing(*wanted), to, notes=result.notes)


def agreement(
    labels: options.LabelFiles,
    to: Evaluating,
    rules: AgreementRules,
    sampling: Sampling,
    runs: Annotated[
        tuple[str, ...],
        option(metavar="RUN", help="Score this run by each judge's labels: do rankings change? Repeat."),
    ] = (),
    by: Annotated[
        str, option(metavar="MEASURE", help="With --runs: the measure to rank them by (nDCG@10).")
    ] = "nDCG@10",
    by_topic: options.ByTopic = False,
) -> None:
    """Measure how far judges agree beyond chance: coefficients with intervals, pairs, topics, guidance.

    LABELS is a table with one row per label or one column per judge, judgments whose second column names the judge, or
    an export of Label Studio, doccano, Prodigy or Mechanical Turk.

    $ assay agreement evaluate bicycles/judgments.txt
    $ assay agreement evaluate bicycles/judgments.txt --judges ana,ben -m Kappa
    """
    from assay.subjects.judges.evaluation import agree  # noqa: PLC0415  # `assay --help` need not load Polars

    held = items.labels_of_judges(labels, rules)
    with inputs.working("computing intervals", hidden=to.quiet):
        result = agree(held, measures=to.measures or None, by_topic=by_topic, **rules, **sampling)
        if runs:
            from assay.collections.judge_rankings import agree_on_systems  # noqa: PLC0415

            asked = {name: value for name, value in rules.items() if name in {"judges", "relevance_level"}}
            ranked = agree_on_systems(held, inputs.opened("", runs), measure=by, **asked, **sampling)  # type: ignore[arg-type]
            result = replace(result, rankings=ranked)
    output.give(result, to, warnings=result.warnings)


def clicks(
    logs: options.LogFiles,
    to: Evaluating,
    rules: ClickRules,
    reading: LogRules,
    by: Segments | None = None,
    confidence: Confidence = 0.95,
) -> None:
    """Measure what users do on result pages: click-through, ranks of clicks, abandonment, success, with intervals.

    Without -m: all measures that the log has the data for. The systems are those that the log names.

    $ assay clicks evaluate clicks/log.ndjson.gz
    $ assay clicks evaluate clicks/log.ndjson.gz -m CTR -m SessionSuccess --by week
    """
    from assay.subjects.clicks.evaluation import clicks as evaluate_clicks  # noqa: PLC0415

    with inputs.working("counting clicks", hidden=to.quiet):
        held = items.click_logs(logs, reading)
        result = evaluate_clicks(held, measures=to.measures or None, by=by, confidence=confidence, **rules)
    output.give(result, to, warnings=result.warnings)
