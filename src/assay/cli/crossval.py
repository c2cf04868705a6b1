"""`assay classifier crossval FILE...` and `assay tune QRELS RUN...`: what is chosen and judged fold by fold."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from assay.cli import inputs, items, options, output
from assay.cli.options import LabelInputs, Measured, Output, group, settings
from assay.core.errors import ParameterError
from assay.core.options import COLUMNS, TEST, Confidence, EvaluationRules, Margin, SeedOption, Threshold, option


@group
class Folds(Output, Measured):
    """By which measure folds are looked at, what they are compared with, and the form."""

    baseline: options.Baselines = ()
    margin: Margin | None = None
    confidence: Confidence | None = None

    def compared(self) -> dict[str, Any]:
        """The margin and the level of the test, as far as they were set."""
        if self.confidence is not None and not 0.5 < self.confidence < 1:
            raise ParameterError(f"--confidence lies between 0.5 and 1, not {self.confidence:g}")
        level = {} if self.confidence is None else {"alpha": round(1 - self.confidence, 12)}
        return settings(self, "margin") | level


@group
class FoldColumns:
    """Further columns of predictions that were cross-validated."""

    fold: Annotated[str | None, option(metavar="COLUMN", help="The folds (detected).")] = None
    repeat: Annotated[
        str | None,
        option(metavar="COLUMN", help="Repeats, if the items were split several times.", panel=COLUMNS),
    ] = None
    split: Annotated[
        str | None,
        option(metavar="COLUMN", help="Tells training rows from test rows.", panel=COLUMNS),
    ] = None
    group: Annotated[
        str | None,
        option(metavar="COLUMN", help="Groups that must not be in both training and test rows.", panel=COLUMNS),
    ] = None
    time: Annotated[
        str | None,
        option(metavar="COLUMN", help="Times, to check that no model was trained on the future.", panel=COLUMNS),
    ] = None


def classifier(
    files: options.PredictionFiles,
    columns: FoldColumns,
    to: Folds,
    labels: LabelInputs,
    per_fold: Annotated[bool, option(help="Show every fold.")] = False,
    compare: Annotated[bool, option(help="Test which system is better, over these folds.")] = False,
    test: Annotated[
        str | None, option(help="corrected-t (default); of five repeats of two folds also 5x2cv.", panel=TEST)
    ] = None,
    threshold: Threshold | None = None,
) -> None:
    """Evaluate cross-validated classifiers: mean and spread over folds, pooled value, gap to training.

    A row is what was said of an item in a fold. With a column split, rows of the training set show how much better a
    classifier looks on what it has learned from. With --compare, say which of several classifiers is better.

    $ assay classifier crossval letters/folds.csv --positive spam
    $ assay classifier crossval letters/folds.csv --positive spam --compare
    """
    from assay.subjects.labels.crossvalidation.validation import crossval  # noqa: PLC0415  # `assay --help` need not load Polars

    systems = items.predictions(files, labels, keep=asdict(columns), quiet=to.quiet, what="row")
    stated = settings(to, "confidence") | settings(labels, "pos_label")
    with inputs.working("measuring folds", hidden=to.quiet):
        result = crossval(systems, measures=to.measures or None, shows_folds=per_fold, threshold=threshold, **stated)
        outcome: Any = result
        if compare or to.baseline or test is not None or to.margin is not None:
            chosen = to.compared() | ({} if test is None else {"test": test})
            outcome = result.compare(options.only(to.baseline, "-b, --baseline"), **chosen)
        notes = list(dict.fromkeys([*result.notes, *outcome.notes]))
        text = output.rendered(outcome, to)
    output.remarks(result.warnings, notes, quiet=to.quiet)
    output.deliver(text, to)


def search(
    qrels: options.Judgments,
    runs: options.Runs,
    to: Folds,
    drawing: SeedOption,
    rules: EvaluationRules,
    folds: Annotated[str | None, option(metavar="N", help="Number of folds of topics (5), or leave-one-out.")] = None,
    fold: Annotated[str | None, option(metavar="NAME", help="The attribute of --topics that names the fold.")] = None,
    topics: options.Topics | None = None,
) -> None:
    """Choose a setting of a search system by cross-validation over topics, and estimate what the tuned system is worth.

    Each run is another setting of one search system; the result stands beside what the best setting looks like in
    hindsight. Without -m: AP.

    $ assay tune qrels.txt words.run stems.run alphabet.run --folds 4
    """
    from assay.subjects.ranking.tuning import tune  # noqa: PLC0415  # `assay --help` need not load Polars

    if len(to.measures) > 1:
        raise ParameterError("a setting is chosen by one measure: give -m once")
    stated = to.compared() | _folds(folds, fold, topics)
    baseline = options.only(to.baseline, "-b, --baseline")
    with inputs.working("tuning", hidden=to.quiet):
        runs_read = inputs.opened(qrels, runs)
        result = tune(qrels, runs_read, *to.measures, baseline=baseline, **stated, **drawing, **rules)
        text = output.rendered(result, to)
    evaluation = result.evaluation
    if evaluation is not None and not to.quiet:
        inputs.say_what_was_read(evaluation)
    read = () if evaluation is None else evaluation.warnings
    output.remarks([each for each in result.warnings if each not in read], result.notes, quiet=to.quiet)
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
