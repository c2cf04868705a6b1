"""`assay evaluate`, and the same of classifiers, clusterings, spans and judges."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from assay.cli import inputs, items, options, output
from assay.cli.options import ClusterInputs, LabelInputs, Measured, Output, group
from assay.core import options as shared
from assay.core.domains import Choice
from assay.core.errors import ParameterError
from assay.core.evaluation_options import CONTENTS, OUTPUT, Undefined, option
from assay.core.registry import load

if TYPE_CHECKING:
    from assay.subjects.ranking.evaluation import Evaluation


@group
class Evaluating(Output, Measured):
    """By which measures systems are evaluated, and how that is shown."""


class ListedContents(TypedDict, total=False):
    """What is shown of a classifier."""

    normalize: Annotated[str, option(help="Show the matrix as shares of: true, pred or all.", panel=CONTENTS)]
    errors: Annotated[int, option(help="List N misclassified items.", panel=CONTENTS, least=0)]
    most_confused: Annotated[int, option(help="List the N most confused pairs of labels.", panel=CONTENTS, least=0)]
    prevalences: Annotated[
        tuple[float, ...],
        option("--prevalence", help="Show PPV and NPV if this share of items were positive; repeat.", panel=CONTENTS),
    ]
    orientation: options.Orientation


class ClusterParts(TypedDict, total=False):
    """What is shown of a clustering."""

    per_class: Annotated[bool, option(help="Show where each class went, and its best match.")]
    per_cluster: Annotated[bool, option(help="Show what each cluster contains.")]
    moves: Annotated[bool, option(help="Show which classes are split, and which clusters merge classes.")]


def search(
    qrels: options.Judgments,
    runs: options.Runs,
    to: Evaluating,
    rules: shared.EvaluationOptions,
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
    sampling: shared.Sampling,
    files: options.PredictionFiles | None = None,
    matrix: options.Matrix | None = None,
    threshold: shared.Threshold | None = None,
    undefined: Undefined = "counted_as",
    mute: options.Mute = (),
) -> None:
    """Evaluate a classifier: confusion matrix, measures with intervals and baselines, classes, advice.

    Two labels, more, or several per item are detected. Name the positive one of two labels with --positive, unless
    it is 1 or true.

    $ assay classifier evaluate letters/spam.csv --positive spam
    $ assay classifier evaluate --matrix '13 4 2; 2 15 1; 5 1 57' --labels Woman,Man,Child
    """
    orientation = contents.get("orientation")
    if orientation is not None:
        Choice(("rows_are_true", "rows_are_predicted")).check("orientation", orientation)
    if labels.one_class is not None and labels.pos_label is not None:
        raise ParameterError("--positive goes without --class, which makes its class the positive one")
    items.one_source({"a file of predictions": files, "--matrix": matrix})
    # The class is told to the verb, for matrices too.
    read, positive = options.without(labels, "one_class"), labels.pos_label
    if matrix is not None:
        if contents.get("errors"):
            raise ParameterError("--errors goes with predictions: a matrix holds no items")
        systems: Any = items.typed_matrix(
            matrix, read, orientation, to.measures, one_class=labels.one_class, quiet=to.quiet
        )
        positive = None
    else:
        systems = items.predictions(files or [], read, quiet=to.quiet)
    stated = {"pos_label": positive, "threshold": threshold, "one_class": labels.one_class, "mute": mute, **sampling}
    stated["undefined"] = undefined
    view = load("assay.subjects.labels.result:ClassificationView")(**contents)
    place = "assay.subjects.labels.evaluation:classify"
    result = inputs.result_of(place, "computing intervals", to, systems, to.measures or None, shown=view, **stated)
    if contents.get("prevalences") and result.task != "binary":
        raise ParameterError(
            f"--prevalence is about two labels, and there are {len(result.labels)}: --class compares one with all "
            f"others, as in --class {result.labels[0]}"
        )
    output.give(result, to, notes=result.notes)


def clustering(
    to: Evaluating,
    clusters: ClusterInputs,
    parts: ClusterParts,
    sampling: shared.Sampling,
    files: options.ClusterFiles | None = None,
    table: options.Table | None = None,
    mute: options.Mute = (),
) -> None:
    """Evaluate a clustering: measures with intervals, against classes and by points, splits, merges, advice.

    Classes are a column of the file, such as `class`; --points names the columns of points. Either is enough.

    $ assay clustering evaluate notes/notes.csv --unlabelled drop
    $ assay clustering evaluate --contingency '5 1 2; 1 4 0; 0 1 3' -m NMI -m ARI
    """
    items.one_source({"a file of clusters": files, "--contingency": table})
    rules = items.cluster_rules(clusters)
    if table is not None:
        systems: Any = items.typed_contingency(table, clusters)
    else:
        systems = items.clusterings(files or [], clusters, quiet=to.quiet)
    view = load("assay.subjects.clusters.result:ClusteringView")(**parts)
    place, stated = "assay.subjects.clusters.evaluation:cluster", {"mute": mute, "shown": view}
    inputs.give(place, "computing intervals", to, systems, to.measures or None, **stated, **rules, **sampling)


def extraction(
    truth: options.TrueSpans,
    rules: shared.SpanMeanRules,
    sampling: shared.Sampling,
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
    inputs.each_named(truth, [predicted])
    place = "assay.subjects.spans.evaluation:extract"
    result = inputs.result_of(place, "matching", to, truth, predicted, **rules, **sampling)
    wanted = [name for name, asked in (("misses", misses), ("false_alarms", false_alarms)) if asked]
    output.give(result.showing(*wanted), to, warnings=(), notes=result.notes)


def agreement(
    labels: options.LabelFiles,
    to: Evaluating,
    rules: shared.AgreementRules,
    sampling: shared.Sampling,
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
    held, place = items.labels_of_judges(labels, rules), "assay.subjects.judges.evaluation:agree"
    stated = {"measures": to.measures or None, "by_topic": by_topic, **rules, **sampling}
    result = inputs.result_of(place, "computing intervals", to, held, **stated)
    if runs:
        place, opened = "assay.ground_truth.judge_rankings:agree_on_systems", inputs.opened("", runs)
        asked = {name: value for name, value in rules.items() if name in {"judges", "relevance_level"}}
        ranked = inputs.result_of(place, "ranking systems", to, held, opened, measure=by, **asked, **sampling)
        result = replace(result, rankings=ranked)
    output.give(result, to)


def clicks(
    logs: options.LogFiles,
    to: Evaluating,
    rules: shared.ClickRules,
    reading: shared.LogRules,
    by: shared.Segments | None = None,
    confidence: shared.Confidence = 0.95,
) -> None:
    """Measure what users do on result pages: click-through, ranks of clicks, abandonment, success, with intervals.

    Without -m: all measures that the log has the data for. The systems are those that the log names.

    $ assay clicks evaluate clicks/log.ndjson.gz
    $ assay clicks evaluate clicks/log.ndjson.gz -m CTR -m SessionSuccess --by week
    """
    stated = {"measures": to.measures or None, "by": by, "confidence": confidence, **rules}
    logs_read = items.click_logs(logs, reading)
    inputs.give("assay.subjects.clicks.evaluation:clicks", "counting clicks", to, logs_read, **stated)
