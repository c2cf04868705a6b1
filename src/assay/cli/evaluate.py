"""`assay evaluate`, `assay classifier evaluate`, `assay clustering evaluate`, `assay extraction evaluate`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from assay.cli import inputs, items, options, output
from assay.cli.options import CONTENTS, OUTPUT, RULES, Output, Sampling, SearchRules, group, option, settings
from assay.cli.subject_options import ClusterInputs, LabelInputs, SpanRules
from assay.core.domains import Choice
from assay.core.errors import ParameterError

if TYPE_CHECKING:
    from assay.subjects.ranking.evaluation import Evaluation


@group
class ListedContents:
    """What is shown of a classifier."""

    normalize: Annotated[
        str | None, option("--normalize", help="The matrix as shares of true, pred or all items.", panel=CONTENTS)
    ] = None
    errors: Annotated[
        int | None, option("--errors", help="List N items that were predicted wrongly.", panel=CONTENTS, least=0)
    ] = None
    most_confused: Annotated[
        int | None, option("--most-confused", help="List N pairs of labels that are confused.", panel=CONTENTS, least=0)
    ] = None
    prevalences: Annotated[
        tuple[float, ...],
        option("--prevalence", help="PPV and NPV where this share of items is positive; repeat.", panel=CONTENTS),
    ] = ()


@group
class ClusterParts:
    """What is shown of a clustering."""

    per_class: Annotated[bool, option("--per-class", help="Where each class went, and its best match.")] = False
    per_cluster: Annotated[bool, option("--per-cluster", help="What is in each cluster.")] = False
    moves: Annotated[bool, option("--moves", help="Classes that are split, clusters that merge some.")] = False


def search(
    qrels: options.Judgments,
    runs: options.Runs,
    /,
    *,
    measures: options.Measures = (),
    per_query: Annotated[
        bool, option("-q", "--per-query", help="Also every query (in CSV, Markdown, LaTeX: instead of the means).")
    ] = False,
    sort: Annotated[
        str | None, option("--sort", metavar="MEASURE", help="Best system under this measure first.")
    ] = None,
    signatures: Annotated[
        bool, option("--signatures", help="Also print what each number depends on.", panel=OUTPUT)
    ] = False,
    rules: SearchRules = SearchRules(),
    seed: options.Seed = None,
    samples: Annotated[
        int | None, option("--samples", help="Orders drawn for --ties expected (100).", panel=RULES, least=1)
    ] = None,
    to: Output = Output(),
) -> None:
    """Score runs against judgments.

    Without -m: AP, nDCG@10, RR, P and R at 1, 5, 10, 20, and Judged@10.

    $ assay evaluate qrels.txt words.run
    $ assay evaluate qrels.txt old=words.run new=stems.run -m nDCG@10 -m AP --per-query
    $ assay evaluate qrels.txt words.run --compat trec_eval-10 --csv
    """
    from assay.subjects.ranking.evaluation import evaluate  # noqa: PLC0415  # `assay --help` need not load Polars

    form = output.form_of(to)
    more = options.stated(measures=measures, seed=seed, samples=samples) | settings(rules)
    files = inputs.opened(qrels, runs)
    with inputs.progress(files, hidden=to.quiet):
        result = evaluate(qrels, files, **more)
    if sort is not None:
        result = result.sorted_by(sort)
    if not to.quiet:
        inputs.say_what_was_read(result, besides=result.without_number if form is None else ())
    text = _rendered(result, form, per_query, to)
    if signatures and form is None:
        from assay.show.legible import on_one_line  # noqa: PLC0415

        lines = "".join(f"{on_one_line(signature)}\n" for signature in result.signatures.values())
        text = output.Styled(f"{text}\n{lines}")
    output.deliver(text, to)
    if signatures and form in {"csv", "markdown", "latex"}:  # a table for other programs stays a table
        for signature in result.signatures.values():
            output.message(signature)


def _rendered(result: Evaluation, form: str | None, per_query: bool, to: Output) -> str:
    if form == "html":
        return result.to_html()
    if form == "csv" and not per_query:
        return output.rendered(result, to)
    if form is not None:
        return str(getattr(result, f"to_{form}")(per_query))
    return output.on_screen(result.document(per_query), plain=to.path is not None)


def classifier(
    files: Annotated[list[str] | None, options.PredictionFiles.__metadata__[0]] = None,
    /,
    *,
    measures: options.Measures = (),
    matrix: options.Matrix = None,
    labels: LabelInputs = LabelInputs(),
    threshold: options.Threshold = None,
    orientation: options.Orientation = None,
    contents: ListedContents = ListedContents(),
    mute: options.Mute = (),
    sampling: Sampling = Sampling(),
    to: Output = Output(),
) -> None:
    """Say how good a classifier is: confusion matrix, measures with intervals and baselines, classes, advice.

    Two labels, more, or several per item: the file decides. Name the positive one of two labels with --positive, unless
    it is 1 or true.

    $ assay classifier evaluate letters/spam.csv --positive spam
    $ assay classifier evaluate --matrix '13 4 2; 2 15 1; 5 1 57' --labels Woman,Man,Child
    """
    from assay.subjects.labels.evaluation import classify  # noqa: PLC0415  # `assay --help` need not load Polars
    from assay.subjects.labels.result import ClassificationView  # noqa: PLC0415  # `assay --help` need not load Polars

    output.form_of(to)
    stated = settings(contents)
    if orientation is not None:
        stated["orientation"] = Choice(items.ORIENTATIONS).check("--orientation", orientation)
    if contents.normalize is not None:
        Choice(("true", "pred", "all")).check("--normalize", contents.normalize)
    verb_settings: dict[str, Any] = settings(sampling) | {"shown": ClassificationView(**stated), "mute": mute}
    verb_settings |= {"threshold": threshold, "one_class": labels.one_class}
    if labels.one_class is not None and labels.pos_label is not None:
        raise ParameterError("--positive goes without --class, which makes its class the positive one")
    # The class is told to the verb, for matrices too.
    read = options.without(labels, "one_class")
    if matrix is not None:
        if files:
            raise ParameterError("give predictions or --matrix, not both")
        if contents.errors:
            raise ParameterError("--errors goes with predictions: a matrix holds no items")
        systems: Any = items.typed_matrix(matrix, read, orientation)
    else:
        if not files:
            raise ParameterError("expected a file of predictions, or --matrix: got neither")
        systems = items.predictions(files, read, quiet=to.quiet)
        verb_settings["pos_label"] = labels.pos_label
    with inputs.working("computing intervals", hidden=to.quiet):
        result = classify(systems, measures or None, **verb_settings)
        if contents.prevalences and result.task != "binary":
            raise ParameterError(
                f"--prevalence is about two labels, and there are {len(result.labels)}: --class holds one against all "
                f"others, as in --class {result.labels[0]}"
            )
        text = output.rendered(result, to)
    output.remarks(result.warnings, result.notes, quiet=to.quiet)
    output.deliver(text, to)


def clustering(
    files: Annotated[list[str] | None, options.ClusterFiles.__metadata__[0]] = None,
    /,
    *,
    measures: options.Measures = (),
    table: options.Table = None,
    clusters: ClusterInputs = ClusterInputs(),
    parts: ClusterParts = ClusterParts(),
    mute: options.Mute = (),
    sampling: Sampling = Sampling(),
    to: Output = Output(),
) -> None:
    """Say how good a clustering is: measures with intervals against classes and by points, splits, merges, advice.

    Classes are a column of the file, such as `class`; points are named with --points. Either will do.

    $ assay clustering evaluate notes/notes.csv --unlabelled drop
    $ assay clustering evaluate --contingency '5 1 2; 1 4 0; 0 1 3' -m NMI -m ARI
    """
    from assay.subjects.clusters.evaluation import cluster  # noqa: PLC0415  # `assay --help` need not load Polars
    from assay.subjects.clusters.result import ClusteringView  # noqa: PLC0415  # `assay --help` need not load Polars

    output.form_of(to)
    verb_settings = settings(sampling) | {"mute": mute, "shown": ClusteringView(**settings(parts))}
    if table is not None:
        if files:
            raise ParameterError("give a file of clusters or --contingency, not both")
        systems: Any = items.typed_contingency(table, clusters)
    else:
        if not files:
            raise ParameterError("expected a file of clusters, or --contingency: got neither")
        verb_settings |= items.cluster_rules(clusters)
        systems = items.clusterings(files, clusters, quiet=to.quiet)
    with inputs.working("computing intervals", hidden=to.quiet):
        result = cluster(systems, measures or None, **verb_settings)
        text = output.rendered(result, to)
    output.remarks(result.warnings, quiet=to.quiet)
    output.deliver(text, to)


def extraction(
    truth: options.TrueSpans,
    predicted: Annotated[
        str | None, options.argument("PREDICTED", "Predicted spans, if they are in a file of their own.")
    ] = None,
    /,
    *,
    rules: SpanRules = SpanRules(),
    misses: Annotated[bool, option("--misses", help="List the true spans that were not found.")] = False,
    false_alarms: Annotated[bool, option("--false-alarms", help="List false-positive spans.")] = False,
    sampling: Sampling = Sampling(),
    to: Output = Output(),
) -> None:
    """Score spans that were extracted from documents: precision, recall and F, in all and per type.

    One file with two columns of tags at the end (truth, then prediction), or two files. With --misses or
    --false-alarms, --csv writes these lists instead of the numbers.

    $ assay extraction evaluate letters/names.conll
    """
    from assay.subjects.spans.evaluation import extract  # noqa: PLC0415  # `assay --help` need not load Polars

    output.form_of(to)
    if truth == predicted == "-":
        raise ParameterError("stdin (-) can be read only once: give the other file by name")
    with inputs.working("matching", hidden=to.quiet):
        result = extract(truth, predicted, **settings(rules, sampling))
    wanted = [name for name, asked in (("misses", misses), ("false_alarms", false_alarms)) if asked]
    result = result.showing(*wanted)
    text = output.rendered(result, to)
    output.remarks(notes=result.notes, quiet=to.quiet)
    output.deliver(text, to)
