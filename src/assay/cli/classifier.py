"""`assay classifier ...`: commands on predictions, with or without scores."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, Any, TypedDict

from assay.cli import inputs, items, options, output
from assay.cli.compare import Comparing, deliver_comparison
from assay.cli.doctor import Diagnosing, examined
from assay.cli.explain import Counts, Explaining, decisions_in, deliver_explanation
from assay.cli.folds import Folds
from assay.cli.gate import Gating, TwoFiles, decided
from assay.cli.options import Evaluating, LabelInputs, Output, PairedLabels, PredictionColumns, settings
from assay.cli.plot import Target, check_kind, deliver_curve
from assay.cli.power import Planning, deliver_plan, plan_without_data
from assay.cli.report import Reporting, write_report
from assay.cli.thresholds import ThresholdChoices, rules_of
from assay.core import options as shared
from assay.core.domains import Choice
from assay.core.errors import ParameterError
from assay.core.evaluation_options import COLUMNS, CONTENTS, TEST, Undefined, option


class FoldColumns(TypedDict, total=False):
    """Further columns of predictions that were cross-validated."""

    fold: Annotated[str, option(metavar="COLUMN", help="The folds (detected).")]
    repeat: Annotated[
        str, option(metavar="COLUMN", help="Repeats, if the items were split several times.", panel=COLUMNS)
    ]
    split: Annotated[str, option(metavar="COLUMN", help="Tells training rows from test rows.", panel=COLUMNS)]
    group: Annotated[
        str, option(metavar="COLUMN", help="Groups that must not be in both training and test rows.", panel=COLUMNS)
    ]
    time: Annotated[
        str, option(metavar="COLUMN", help="Times, to check that no model was trained on the future.", panel=COLUMNS)
    ]


class ListedContents(TypedDict, total=False):
    """The parts of a classifier's result that are shown."""

    normalize: Annotated[str, option(help="Show the matrix as shares of: true, pred or all.", panel=CONTENTS)]
    errors: Annotated[int, option(help="List N misclassified items.", panel=CONTENTS, least=0)]
    most_confused: Annotated[int, option(help="List the N most confused pairs of labels.", panel=CONTENTS, least=0)]
    prevalences: Annotated[
        tuple[float, ...],
        option("--prevalence", help="Show PPV and NPV if this share of items were positive; repeat.", panel=CONTENTS),
    ]
    orientation: options.Orientation


def evaluate(
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
    from assay.subjects.labels.evaluation import classify
    from assay.subjects.labels.result import ClassificationView

    orientation = contents.get("orientation")
    if orientation is not None:
        Choice(("rows_are_true", "rows_are_predicted")).check("orientation", orientation)
    if labels.one_class is not None and labels.pos_label is not None:
        raise ParameterError("--positive goes without --class, which makes its class the positive one")
    items.one_source({"a file of predictions": files, "--matrix": matrix})
    # The class is told to the verb, for matrices too.
    read = options.without(labels, "one_class")
    positive = labels.pos_label
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
    parts: dict[str, Any] = {**contents}
    view = ClassificationView(**parts)
    result = inputs.result_of(classify, "computing intervals", to, systems, to.measures or None, shown=view, **stated)
    if contents.get("prevalences") and result.task != "binary":
        raise ParameterError(
            f"--prevalence is about two labels, and there are {len(result.labels)}: --class compares one with all "
            f"others, as in --class {result.labels[0]}"
        )
    output.give(result, to, notes=result.notes)


def compare(
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
    deliver_comparison([systems], items.item_rules(labels), to, flipped=flipped)


def explain(
    measure: options.MeasureName,
    labels: LabelInputs,
    to: Explaining,
    path: options.PredictionFile | None = None,
    matrix: options.Matrix | None = None,
    typed: options.TypedScores | None = None,
    counts: Counts = (),
    item: Annotated[str | None, option(metavar="ID", help="Which item, for measures of single items.")] = None,
    threshold: shared.Threshold | None = None,
    undefined: Undefined | None = None,
    orientation: options.Orientation | None = None,
) -> None:
    """Show how a classifier's number was computed: every step, the formula with its numbers, the result.

    From a file of predictions, a --matrix, --scores, or --counts of one class (--positive names it) or several.

    $ assay classifier explain F1 letters/spam.csv --positive spam --system bayes
    $ assay classifier explain MCC --matrix '5 0; 1 3'
    $ assay classifier explain AUC --scores 'P .90, N .70, P .60'
    """
    items.one_source({"a file of predictions": path, "--matrix": matrix, "--scores": typed, "--counts": counts})
    if orientation is not None and (typed is not None or counts):
        raise ParameterError("--orientation goes with a matrix, not with --scores or --counts")
    # What of a classifier is meant: the verb shows it beside the whole.
    chosen = {"label": labels.one_class, "item": item, "threshold": threshold}
    chosen |= {} if orientation is None else {"orientation": orientation}
    chosen |= {} if undefined is None else {"undefined": undefined}
    read = options.without(labels, "one_class")
    if matrix is not None:
        named = str(measure)
        system: Any = items.typed_matrix(matrix, read, orientation, [named], one_class=labels.one_class, quiet=to.quiet)
    elif typed is not None:
        from assay.measures.counting.scored import Scored

        truth, scores = items.typed_scores(typed, read)
        system = Scored.from_scores(truth, scores, pos_label=True)
    elif counts:
        items.refuse(settings(options.without(labels, "pos_label")), "goes with predictions, not with --counts")
        system = decisions_in(counts, None, classes=True, positive=labels.pos_label)
    else:
        system = items.only_system(items.predictions([str(path)], read))
    deliver_explanation(measure, [system], chosen, to, positive=labels.pos_label if counts else None)


def report(
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
    write_report(items.predictions(files, labels), None, to.of_items() | rules, to)


@decided
def gate(two: TwoFiles, to: Gating, labels: PairedLabels) -> Any:
    """Decide whether a new classifier may replace the baseline: exit 0 not worse, 1 worse, 3 inconclusive.

    Worse means: by the margin or more. Exit 2 if the input is invalid. Give two files of predictions, or one with
    several systems, and name two of them by -b and -c. Without -m: Accuracy.

    $ assay classifier gate letters/spam.csv -b words -c bayes --positive spam
    """
    sides = two.sides(lambda file: items.predictions([file], labels, quiet=to.quiet))
    return to.gate(sides, items.item_rules(labels))


def doctor(
    files: options.PredictionFiles,
    columns: PredictionColumns,
    to: Diagnosing,
    train: Annotated[str | None, option(metavar="FILE", help="The items that the classifier was trained on.")] = None,
) -> int:
    """Check a classifier's predictions for anything that makes numbers wrong or misleading.

    It goes on where `assay classifier evaluate` refuses a file. Exit 1 if there is an error among the findings.

    $ assay classifier doctor letters/spam.csv
    """
    from assay.files.predictions import StatedColumns

    inputs.each_named("", files)
    stated = StatedColumns(columns.truth, columns.prediction, columns.score, columns.item, columns.weight)
    further = options.settings(columns, "pos_label", "list_separator") | ({} if train is None else {"train": train})
    return examined("labels", [*map(items.source_of, files)], to, {"column_names": stated, **further})


def power(to: Planning, labels: PairedLabels, files: options.PredictionFiles | None = None) -> None:
    """Estimate how many items it takes to detect a difference, and the smallest one that these items can show.

    Without files, --sd and --difference say how many items a difference takes; for accuracy, the standard deviation is
    close to the square root of the share of items on which the classifiers differ in being right.

    $ assay classifier power letters/spam.csv --positive spam -m Accuracy
    $ assay classifier power --sd 0.3 --difference 0.02
    """
    if not files:
        plan_without_data(to, "item", ("FILE", files), **options.settings(labels))
        return
    deliver_plan(items.predictions(files, labels), items.item_rules(labels), to)


OF_SCORES = {
    "roc": ("band", "confidence", "resamples", "seed"), "pr": (), "det": (),
    "calibration": ("binning", "confidence"), "gain": (), "lift": (), "scores": ("threshold",),
}  # fmt: skip


class CurveOfScores(TypedDict, total=False):
    """The contents of a curve of a classifier's scores."""

    threshold: Annotated[
        str, option(help="Threshold to mark in scores: a number, or a rule such as youden.", panel=CONTENTS)
    ]
    binning: Annotated[str, option(help="Calibration bins of equal width (default) or mass.", panel=CONTENTS)]
    band: Annotated[str, option(help="Band around the ROC curve: none (default) or pointwise.", panel=CONTENTS)]


def plot(
    files: options.PredictionFiles,
    labels: LabelInputs,
    look: CurveOfScores,
    sampling: shared.Sampling,
    to: Target,
    kind: Annotated[
        str, option("-k", "--kind", help="roc (default), pr, det, calibration, gain, lift, scores.")
    ] = "roc",
) -> None:
    """Draw a curve of classifiers' scores.

    $ assay classifier plot letters/spam.csv --positive spam -o roc.svg
    $ assay classifier plot letters/spam.csv --positive spam --kind calibration -o calibration.svg
    """
    from assay.subjects.labels import curves as classifier_curves

    Choice(OF_SCORES).check("--kind", kind)
    chosen: dict[str, Any] = {**look, **sampling}
    check_kind(chosen, OF_SCORES[kind], kind)
    with suppress(ValueError, KeyError):
        chosen["threshold"] = float(chosen["threshold"])
    target = to.checked(kind)
    draw = getattr(classifier_curves, {"pr": "precision_recall", "scores": "score_distributions"}.get(kind, kind))
    with inputs.working("drawing", hidden=to.quiet):
        curve = draw(items.scored(files, labels), **chosen)
    deliver_curve(curve, target, quiet=to.quiet)


def thresholds(
    choices: ThresholdChoices,
    labels: LabelInputs,
    sampling: shared.Sampling,
    to: Output,
    path: options.PredictionFile | None = None,
    judge_on: Annotated[str | None, option(metavar="FILE", help="Other items to evaluate the thresholds on.")] = None,
    every: Annotated[
        bool, option("--all-thresholds", help="Show TP, FP, FN, TN, TPR, FPR and ACC at every threshold.")
    ] = False,
    typed: options.TypedScores | None = None,
    group: Annotated[
        str | None, option(metavar="COLUMN", help="Items that belong together, as of a query: drawn whole.")
    ] = None,
) -> None:
    """Choose the score from which items count as positive, by one rule or more.

    Give a file with the truth and a score of each item. Each rule names a threshold, what it counts, and how sure you
    can be of it; of several one is recommended. With one rule all measures are shown.

    $ assay classifier thresholds letters/spam.csv --positive spam --system bayes -r youden
    $ assay classifier thresholds --scores 'P .90, N .70, P .60, N .20' --cost fp=1,fn=10
    """
    from assay.subjects.labels.thresholds import choice

    if (path is None) == (typed is None):
        raise ParameterError("give a file with truth and scores, or --scores with a list, such as 'P .90, N .70'")
    wanted = rules_of(choices)
    if every and (wanted or judge_on):
        raise ParameterError("--all-thresholds shows all thresholds: rules and --judge-on go without it")
    if group is not None and path is None:
        raise ParameterError("--group names a column of a file: typed scores have none")
    keep = None if group is None else {"group": group}
    scored: Any
    if path is not None:
        scored = {"y_true": items.scored([path], labels, keep)}
    else:
        truth, scores = items.typed_scores(typed or "", labels)
        scored = {"y_true": truth, "y_score": {"the list": scores}, "pos_label": True}
    result: Any
    if every:
        shown = _MOST_ROWS if to.form is None else None
        result = inputs.result_of(choice.threshold_table, "counting", to, **scored, rows=shown)
    else:
        other = None if judge_on is None else items.scored([judge_on], options.without(labels, "system"), keep)
        chosen = {"rules": wanted or None, "judged_on": other, "groups": group, **sampling}
        result = inputs.result_of(choice.thresholds, "resampling items", to, **scored, **chosen)
        result = result[result.chosen[0].rule] if len(result) == 1 else result
    output.give(result, to)


#: Thresholds printed as text, evenly spaced; other forms have all of them.
_MOST_ROWS = 40


def crossval(
    files: options.PredictionFiles,
    columns: FoldColumns,
    to: Folds,
    labels: LabelInputs,
    per_fold: Annotated[bool, option(help="Show every fold.")] = False,
    compare: Annotated[bool, option(help="Test which system is better, over these folds.")] = False,
    test: Annotated[
        str | None, option(help="corrected-t (default); of five repeats of two folds also 5x2cv.", panel=TEST)
    ] = None,
    threshold: shared.Threshold | None = None,
) -> None:
    """Evaluate cross-validated classifiers: mean and spread over folds, pooled value, gap to training.

    A row is what was said of an item in a fold. With a column split, rows of the training set show how much better a
    classifier looks on what it has learned from. With --compare, say which of several classifiers is better.

    $ assay classifier crossval letters/folds.csv --positive spam
    $ assay classifier crossval letters/folds.csv --positive spam --compare
    """
    from assay.subjects.labels.crossvalidation.validation import crossval

    kept: dict[str, Any] = {name: columns.get(name) for name in FoldColumns.__annotations__}
    systems = items.predictions(files, labels, keep=kept, quiet=to.quiet, what="row")
    stated = settings(to, "confidence") | settings(labels, "pos_label") | {"threshold": threshold}
    stated |= {"measures": to.measures or None, "shows_folds": per_fold}
    result = inputs.result_of(crossval, "measuring folds", to, systems, **stated)
    outcome: Any = result
    with inputs.working("comparing folds", hidden=to.quiet):
        if compare or to.baseline or test is not None or to.margin is not None:
            chosen = to.compared() | ({} if test is None else {"test": test})
            outcome = result.compare(options.only(to.baseline, "-b, --baseline"), **chosen)
        notes = list(dict.fromkeys([*result.notes, *outcome.notes]))
        text = output.rendered(outcome, to)
    output.remarks(result.warnings, notes, quiet=to.quiet)
    output.deliver(text, to)
