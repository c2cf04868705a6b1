"""`assay classifier crossval FILE...` and `assay tune QRELS RUN...`: what is chosen and judged fold by fold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from assay.cli import inputs, items, options, output
from assay.cli.options import COLUMNS, Output, SearchRules, group, margin_of, option, settings
from assay.cli.subject_options import LabelInputs
from assay.core.errors import ParameterError

if TYPE_CHECKING:
    from assay.subjects.ranking.tuning_result import Tuning

Fold = Annotated[
    str | None, option("--fold", metavar="NAME", help="The column, or the attribute of --topics, that says the fold.")
]


@group
class FoldColumns:
    """Further columns of predictions that were cross-validated."""

    fold: Fold = None
    repeat: Annotated[
        str | None, option("--repeat", metavar="COLUMN", help="The repeats, where items were split several times.",
                           panel=COLUMNS)
    ] = None  # fmt: skip
    split: Annotated[
        str | None, option("--split", metavar="COLUMN", help="Train and test, where rows learned from are there.",
                           panel=COLUMNS)
    ] = None  # fmt: skip
    group: Annotated[
        str | None,
        option("--group", metavar="COLUMN", help="Groups, which should not be on both sides.", panel=COLUMNS),
    ] = None
    time: Annotated[
        str | None, option("--time", metavar="COLUMN", help="Times, which should not be learned from too early.",
                           panel=COLUMNS)
    ] = None  # fmt: skip


def classifier(
    files: options.PredictionFiles,
    /,
    *,
    measures: options.Measures = (),
    folds: FoldColumns = FoldColumns(),
    per_fold: Annotated[bool, option("--per-fold", help="Show every fold.")] = False,
    compare: Annotated[bool, option("--compare", help="Say which system is better, over these folds.")] = False,
    baseline: options.Baselines = (),
    test: Annotated[
        str | None,
        option(
            "--test",
            help="corrected-t (default); of five repeats of two folds also 5x2cv.",
            panel=options.TEST,
        ),
    ] = None,
    margin: options.Margin = (),
    labels: LabelInputs = LabelInputs(),
    threshold: options.Threshold = None,
    confidence: options.Confidence = None,
    to: Output = Output(),
) -> None:
    """Say how good classifiers are that were cross-validated: the mean of folds, its spread, pooled, the gap.

    A row is what was said of an item in a fold. With a column split, rows of the training set show how much better a
    classifier looks on what it has learned from. With --compare, say which of several classifiers is better.

    $ assay classifier crossval letters/folds.csv --positive spam
    $ assay classifier crossval letters/folds.csv --positive spam --compare
    """
    from assay.subjects.labels.crossvalidation.validation import crossval  # noqa: PLC0415  # `assay --help` need not load Polars

    output.form_of(to)
    keep = {name: getattr(folds, name) for name in ("fold", "repeat", "split", "group", "time")}
    systems = items.predictions(files, labels, keep=keep, quiet=to.quiet, what="row")
    stated = options.stated(threshold=threshold, confidence=confidence, pos_label=labels.pos_label)
    with inputs.working("measuring folds", hidden=to.quiet):
        result = crossval(systems, measures=measures or None, shows_folds=per_fold, **stated)
        outcome: Any = result
        if compare or baseline or test is not None or margin:
            chosen = options.stated(test=test) | margin_of(margin) | _alpha(confidence)
            outcome = result.compare(options.only(baseline, "-b, --baseline"), **chosen)
        text = output.rendered(outcome, to)
    output.remarks(result.warnings, list(dict.fromkeys([*result.notes, *outcome.notes])), quiet=to.quiet)
    output.deliver(text, to)


def search(
    qrels: options.Judgments,
    runs: options.Runs,
    /,
    *,
    measures: options.Measures = (),
    folds: Annotated[
        str | None, option("--folds", metavar="N", help="How many folds of topics (5), or leave-one-out.")
    ] = None,
    fold: Fold = None,
    topics: options.Topics = None,
    baseline: options.Baselines = (),
    margin: options.Margin = (),
    confidence: options.Confidence = None,
    seed: options.Seed = None,
    rules: SearchRules = SearchRules(),
    to: Output = Output(),
) -> None:
    """Choose a setting of a search system by the topics of other folds, and say what the system is then worth.

    Each run is another setting of one search system; the result stands beside what the best setting looks like in
    hindsight. Without -m: AP.

    $ assay tune qrels.txt words.run stems.run alphabet.run --folds 4
    """
    from assay.subjects.ranking.tuning import tune  # noqa: PLC0415  # `assay --help` need not load Polars

    output.form_of(to)
    if len(measures) > 1:
        raise ParameterError("a setting is chosen by one measure: give -m once")
    stated = settings(rules) | margin_of(margin) | _alpha(confidence) | options.stated(seed=seed)
    stated |= _folds(folds, fold, topics)
    with inputs.working("tuning", hidden=to.quiet):
        result = tune(
            qrels, inputs.opened(qrels, runs), *measures, baseline=options.only(baseline, "-b, --baseline"), **stated
        )
        text = output.rendered(result, to)
    if not to.quiet:
        _say(result)
    output.deliver(text, to)


def _folds(folds: str | None, fold: str | None, topics: str | None) -> dict[str, Any]:
    """How topics are split, as `tune` takes it."""
    from assay.files import read_topics  # noqa: PLC0415
    from assay.subjects.ranking.tuning import LEAVE_ONE_OUT  # noqa: PLC0415

    if (fold is None) != (topics is None):
        raise ParameterError("--topics FILE and --fold ATTRIBUTE go together")
    if topics is not None and folds is not None:
        raise ParameterError("choose --folds, or folds by an attribute of --topics")
    if topics is not None:
        return {"folds": read_topics(topics), "by": fold}
    if folds is None:
        return {}
    is_number = folds.isascii() and folds.isdigit()
    if not is_number and folds != LEAVE_ONE_OUT:
        raise ParameterError(f"--folds is a whole number from 2 on, or {LEAVE_ONE_OUT}, not {folds!r}")
    return {"folds": int(folds) if is_number else LEAVE_ONE_OUT}


def _alpha(confidence: float | None) -> dict[str, float]:
    if confidence is None:
        return {}
    if not 0.5 < confidence < 1:
        raise ParameterError(f"--confidence lies between 0.5 and 1, not {confidence:g}")
    return {"alpha": round(1 - confidence, 12)}


def _say(result: Tuning) -> None:
    """Tell on stderr what was read, and what is odd about it or about the choices."""
    evaluation = result.evaluation
    read = () if evaluation is None else evaluation.warnings
    if evaluation is not None:
        inputs.say_what_was_read(evaluation)
    output.remarks([warning for warning in result.warnings if warning not in read], result.notes, quiet=False)
