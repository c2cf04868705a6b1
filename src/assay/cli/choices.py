"""What is chosen: a threshold, a setting by folds of items or topics, a number of clusters; clusters by their use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from assay.cli import inputs, items, options, output
from assay.cli.literals import names_in, numbers_in
from assay.cli.options import LabelInputs, Measured, Output, PointColumns, group, settings
from assay.core import options as shared
from assay.core.errors import ParameterError, listed
from assay.core.errors import number_of as counted
from assay.core.evaluation_options import COLUMNS, CONTENTS, TEST, EvaluationRules, Level, Seed, option

if TYPE_CHECKING:
    from assay.files import Source
    from assay.subjects.clusters.over_k import NumberOfClusters
    from assay.tables.clusters import Clusters as Clustering

#: Thresholds printed as text, evenly spaced; other forms have all of them.
_MOST_ROWS = 40
_BY_BOUND = {
    "tnr": "max_tpr_given_tnr", "tpr": "max_tnr_given_tpr", "recall": "max_precision_given_recall",
    "precision": "max_recall_given_precision",
}  # fmt: skip


@group
class ThresholdChoices:
    """Rules by which a threshold is chosen; without any, all that need no parameter."""

    rule: Annotated[
        tuple[str, ...], option("-r", "--rule", help="A rule, such as youden or 'max_f(beta=2)'; repeat. Default: all.")
    ] = ()
    tnr: Annotated[float | None, option(help="Highest TPR with at least this TNR.", panel=CONTENTS)] = None
    tpr: Annotated[float | None, option(help="Highest TNR with at least this TPR.", panel=CONTENTS)] = None
    recall: Annotated[float | None, option(help="Highest precision with at least this recall.")] = None
    precision: Annotated[float | None, option(help="Highest recall with at least this precision.")] = None
    cost: Annotated[str | None, option(metavar="fp=1,fn=10", help="Lowest cost per item; also tp=, tn=.")] = None
    prevalence: Annotated[
        float | None, option(help="Share of positives in production, for --cost.", panel=CONTENTS)
    ] = None
    budget: Annotated[
        str | None, option(metavar="50", help="Most positives found with this many alerts, or this share: 5%.")
    ] = None
    threshold: shared.Threshold | None = None


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
    if (path is None) == (typed is None):
        raise ParameterError("give a file with truth and scores, or --scores with a list, such as 'P .90, N .70'")
    wanted = _rules(choices)
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
    place = "assay.subjects.labels.thresholds.choice"
    if every:
        shown = _MOST_ROWS if to.form is None else None
        result = inputs.result_of(f"{place}:threshold_table", "counting", to, **scored, rows=shown)
    else:
        other = None if judge_on is None else items.scored([judge_on], options.without(labels, "system"), keep)
        chosen = {"rules": wanted or None, "judged_on": other, "groups": group, **sampling}
        result = inputs.result_of(f"{place}:thresholds", "resampling items", to, **scored, **chosen)
        result = result[result.chosen[0].rule] if len(result) == 1 else result
    output.give(result, to)


def _rules(choices: ThresholdChoices) -> list[Any]:
    """The rules that were asked for, in whatever way."""
    from assay.subjects.labels.thresholds.rules import parse_rule  # noqa: PLC0415

    rules = [parse_rule(text) for text in choices.rule]
    bounds = options.settings(choices, *_BY_BOUND)
    rules += [parse_rule(f"{_BY_BOUND[name]}({value!r})") for name, value in bounds.items()]
    if choices.cost is not None:
        costly = parse_rule(f"cost({choices.cost})")
        rules.append(costly if choices.prevalence is None else costly(prevalence=choices.prevalence))
    elif choices.prevalence is not None:
        raise ParameterError("--prevalence goes with --cost, such as --cost fp=1,fn=10")
    if choices.budget is not None:
        rules.append(_budget(choices.budget))
    if choices.threshold is not None:
        rules.append(parse_rule("fixed")(threshold=choices.threshold))
    return rules


def _budget(text: str) -> Any:
    """The rule for a number of alerts, or for a share of the items with a percent sign."""
    from assay.subjects.labels.thresholds.rules import parse_rule  # noqa: PLC0415

    try:
        if text.strip().endswith("%"):
            parameters: Any = {"share": float(text.strip().removesuffix("%")) / 100}
        else:
            parameters = {"alerts": int(text)}
    except ValueError:
        raise ParameterError(f"--budget is a number of alerts or a share, such as 50 or 5%, not {text!r}") from None
    return parse_rule("budget")(**parameters)


@group
class Folds(Output, Measured):
    """By which measure folds are looked at, what they are compared with, and the form."""

    baseline: options.Baselines = ()
    margin: shared.Margin | None = None
    confidence: shared.Confidence | None = None

    def compared(self) -> dict[str, Any]:
        """The margin and the level of the test, as far as they were set."""
        if self.confidence is not None and not 0.5 < self.confidence < 1:
            raise ParameterError(f"--confidence lies between 0.5 and 1, not {self.confidence:g}")
        level = {} if self.confidence is None else {"alpha": round(1 - self.confidence, 12)}
        return settings(self, "margin") | level


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
    kept: dict[str, Any] = {name: columns.get(name) for name in FoldColumns.__annotations__}
    systems = items.predictions(files, labels, keep=kept, quiet=to.quiet, what="row")
    stated = settings(to, "confidence") | settings(labels, "pos_label") | {"threshold": threshold}
    stated |= {"measures": to.measures or None, "shows_folds": per_fold}
    place = "assay.subjects.labels.crossvalidation.validation:crossval"
    outcome = result = inputs.result_of(place, "measuring folds", to, systems, **stated)
    with inputs.working("comparing folds", hidden=to.quiet):
        if compare or to.baseline or test is not None or to.margin is not None:
            chosen = to.compared() | ({} if test is None else {"test": test})
            outcome = result.compare(options.only(to.baseline, "-b, --baseline"), **chosen)
        notes = list(dict.fromkeys([*result.notes, *outcome.notes]))
        text = output.rendered(outcome, to)
    output.remarks(result.warnings, notes, quiet=to.quiet)
    output.deliver(text, to)


def tune(
    qrels: options.Judgments,
    runs: options.Runs,
    to: Folds,
    drawing: shared.SeedOption,
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
    if len(to.measures) > 1:
        raise ParameterError("a setting is chosen by one measure: give -m once")
    stated = to.compared() | _folds(folds, fold, topics) | {**drawing, **rules}
    stated["baseline"] = options.only(to.baseline, "-b, --baseline")
    place, runs_read = "assay.subjects.ranking.tuning:tune", inputs.opened(qrels, runs)
    result = inputs.result_of(place, "tuning", to, qrels, runs_read, *to.measures, **stated)
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


#: So many subsamples and data sets without structure, unless told otherwise.
RESAMPLES = 20


@group
class Numbers(Measured):
    """Which numbers of clusters are tried, and how."""

    ks: options.Ks | None = None
    resamples: shared.Resamples | None = None
    seed: Seed | None = None


def number(
    path: options.ClusterFile, numbers: Numbers, points: PointColumns, rules: shared.PointRules, to: Output
) -> None:
    """Choose the number of clusters: cluster the points into each number of --ks, and compare.

    $ assay clustering number notes/notes.csv --points x,y,z --ks 2:4
    """
    result = number_of([path], points, rules, numbers, hidden=to.quiet)
    output.give(result, to)


def by_use(
    qrels: options.Judgments,
    run: options.Run,
    path: Annotated[str, options.argument("CLUSTERS", "A file with columns doc_id and cluster.")],
    drawing: shared.SeedOption,
    to: Output,
    measures: options.Measures = (),
    order: Annotated[
        str, option(help="Order of reading clusters: best-rank (default), size, mean-score.")
    ] = "best-rank",
    level: Level = 1.0,
) -> None:
    """Measure what clusters of a run's results are worth to a reader: the best cluster, and reading cluster by cluster.

    $ assay clustering by-use qrels.txt words.run clusters.csv
    """
    place, activity = "assay.subjects.ranking.clustered_results:clusters_by_use", "judging clusters by use"
    files, clusters = inputs.opened(qrels, [run]), inputs.named(path)[1]
    stated = {"order": order, "level": level, **drawing}
    inputs.give(place, activity, to, qrels, files, clusters, measures or None, **stated)


def number_of(
    files: Sequence[str | Source],
    columns: PointColumns,
    rules: shared.PointRules,
    asked: Numbers,
    *,
    hidden: bool = True,
) -> NumberOfClusters:
    """Cluster the points of a file; a bar shows how far it is, unless it is hidden."""
    from assay.subjects.clusters.number_of_clusters import number_of_clusters  # noqa: PLC0415

    if asked.ks is None:
        raise ParameterError("name the numbers of clusters to try, as in --ks 2:10")
    if len(files) != 1:
        raise ParameterError(f"expected one file to choose a number of clusters for, got {len(files)}")
    sampling, measures = options.settings(asked, "seed"), asked.measures or None
    tried, points = numbers_in(asked.ks), points_of(files[0], columns)
    if not hidden:
        shape = f"points of {counted('number', len(points.point_names))}: {listed(list(points.point_names))}"
        output.message(f"{points.origin}: {counted('item', len(points))}, {shape}")
    resamples = RESAMPLES if asked.resamples is None else asked.resamples
    sampling |= {name: value for name, value in rules.items() if name in {"metric", "sample_size"}}
    with inputs.bar("clustering", 2 * len(tried) + resamples, hidden=hidden) as advance:
        tell = (lambda: None) if advance is None else (lambda: advance(1))
        return number_of_clusters(points, tried, measures=measures, resamples=resamples, tell=tell, **sampling)


def points_of(file: str | Source, stated: PointColumns) -> Clustering:
    """The points of a file, and the classes if there are any; it need not hold clusters."""
    from assay.files.clusters import read_points  # noqa: PLC0415

    if stated.points is None:
        raise ParameterError("--ks: expected the columns of the points, as --points x,y or --points rest")
    name, path = inputs.named(file)
    columns = {role: getattr(stated, role, None) for role in ("truth", "item", "weight")}
    return read_points(path, points=names_in(stated.points, "--points", "columns"), **columns, name=name)
