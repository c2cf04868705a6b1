"""Commands on runs and judgments: `assay evaluate QRELS RUN...` and all others without a subject's name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from assay.cli import inputs, items, options, output
from assay.cli.compare import Comparing, Lists, deliver_comparison
from assay.cli.correlate import Correlating, chosen_ways, deliver_correlations, drawing_of, topics_or_measures
from assay.cli.doctor import Diagnosing, deliver_diagnosis
from assay.cli.explain import Explaining, TypedLists, counts_of, deliver_explanation
from assay.cli.folds import Folds, folds_of
from assay.cli.gate import Gating, decided, runs_and_baseline
from assay.cli.options import Evaluating, Output, settings
from assay.cli.plot import Target, check_kind, deliver_curve
from assay.cli.power import Planning, deliver_plan, plan_without_data
from assay.cli.report import Reporting, write_report
from assay.core import options as shared
from assay.core.domains import Choice
from assay.core.errors import ParameterError, number_of
from assay.core.evaluation_options import CONTENTS, OUTPUT, Columns, EvaluationRules, Level, option

if TYPE_CHECKING:
    from assay.subjects.ranking.evaluation import Evaluation
    from assay.verbs.curves import Curve


def evaluate(
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
    from assay.subjects.ranking.evaluation import DEFAULT_MEASURES, evaluate

    form = to.form
    files = inputs.opened(qrels, runs)
    with inputs.progress(files, hidden=to.quiet):
        result = evaluate(qrels, files, to.measures or DEFAULT_MEASURES, **rules)
        result = result if sort is None else result.sorted_by(sort)
        output.finish(result, to)
    if not to.quiet:
        inputs.say_what_was_read(result, besides=result.without_number if form is None else ())
    text = _rendered(result, form, per_query, to)
    lines = result.signatures.values() if signatures else ()
    if lines and form is None:
        from assay.show.legible import on_one_line

        text = output.Styled("\n".join([text, *map(on_one_line, lines), ""]))
    output.deliver(text, to)
    for signature in lines if form in {"csv", "markdown", "latex"} else ():  # a table for other programs stays a table
        output.message(signature)


def _rendered(result: Evaluation, form: str | None, per_query: bool, to: Output) -> str:
    if form == "html":
        with inputs.working("putting the report together", hidden=to.quiet):
            return result.to_html()
    if form in {"csv", "markdown", "latex"} and to.table is None:
        return str(getattr(result, f"to_{form}")(per_query))
    return output.written(result.document(per_query), to)


def compare(qrels: options.Judgments, runs: options.Runs, to: Comparing, lists: Lists, rules: EvaluationRules) -> None:
    """Test whether one run is better than another, how certain that is, and what it rests on.

    The first of two runs is the baseline; of more, every two are compared unless -b names one. Without -m: AP, nDCG@10,
    RR and P@10.

    $ assay compare qrels.txt words.run stems.run
    $ assay compare qrels.txt words.run stems.run -m nDCG@10 --judge-next 5
    $ assay compare qrels.txt words.run stems.run alphabet.run -b words
    """
    if (lists.slices is None) != (lists.topics is None):
        raise ParameterError("--slices ATTRIBUTE and --topics FILE go together")
    deliver_comparison([qrels, inputs.opened(qrels, runs)], rules, to, lists)


def explain(
    measure: options.MeasureName,
    lists: TypedLists,
    to: Explaining,
    rules: EvaluationRules,
    qrels: options.Judgments | None = None,
    run: options.Run | None = None,
    query: options.Query | None = None,
) -> None:
    """Show how a score was computed: every step, the formula with its numbers, the result.

    From files: MEASURE QRELS RUN --query ID; without --query, how the numbers of all queries are put together. Or from
    a list: --grades, with --relevant or --exist for what was not retrieved; --counts; or --points.

    $ assay explain nDCG@5 qrels.txt words.run --query t1
    $ assay explain AP --grades 1,0,1,0 --relevant 3
    $ assay explain F1 --counts 4,6,4
    """
    items.one_source({"judgments and a run": qrels, "--grades": lists.grades, "--counts": lists.counts,
                      "--points": lists.points})  # fmt: skip
    if not lists.grades:
        items.refuse(settings(lists, "relevant", "exist"), "goes with --grades")
    if qrels is not None:
        if run is None:
            raise ParameterError("give a run after the judgments; the measure comes first: MEASURE QRELS RUN")
        deliver_explanation(measure, [qrels, _opened_run(qrels, run)], {**rules, "query": query}, to)
        return
    of_lists = {"collection_size", "undefined", *(["relevance_level"] if lists.grades else [])}
    items.refuse({name: rules for name in rules if name not in of_lists}, "goes with judgments and runs")
    stated = {name: value for name, value in rules.items() if name == "undefined"}
    deliver_explanation(measure, [counts_of(measure, lists, rules)], {**stated, "query": query}, to)


def _opened_run(qrels: str, run: str) -> Any:
    """The run; a file that is empty is named, as nothing below would tell."""
    from assay.subjects.ranking.evaluation import EMPTY_FILE

    (opened,) = inputs.opened(qrels, [run])
    if opened.format == EMPTY_FILE:
        output.message(f"warning: {opened.origin}: the file is empty")
    return opened


def report(
    qrels: options.Judgments,
    runs: options.Runs,
    to: Reporting,
    rules: EvaluationRules,
    system: options.ListedSystem | None = None,
    topics: options.Topics | None = None,
    documents: options.Documents | None = None,
    changed: Annotated[
        int | None, option(help="Number of most changed queries to show (6).", panel=CONTENTS, least=0)
    ] = None,
    show: options.Show | None = None,
) -> None:
    """Write a report: which run is better, how certain that is, query by query, and how it was computed.

    One page that loads nothing from elsewhere; or Markdown, LaTeX or JSON, by the ending of the file's name. The first
    measure is the main one (nDCG@10, AP, RR, P@10), the first run the baseline.

    $ assay report qrels.txt words.run stems.run
    $ assay report qrels.txt words.run stems.run --topics topics.tsv -o report.html -o report.md
    """
    more = {"topics": topics, "documents": documents, "changed": changed, "show": show, "system": system}
    write_report(qrels, inputs.opened(qrels, runs), {**to.testing, **more, **rules}, to)


@decided
def gate(
    qrels: options.Judgments,
    old: Annotated[str, options.argument("OLD", "The baseline: a run, or a file from `assay freeze`.")],
    new: Annotated[str, options.argument("NEW", "The candidate: a run; name=FILE names it.")],
    to: Gating,
    rules: EvaluationRules,
    min_judged: shared.MinJudged | None = None,
    slices: options.Slices | None = None,
    topics: options.Topics | None = None,
) -> Any:
    """Decide whether a new run may replace the baseline: exit 0 not worse, 1 worse, 3 inconclusive.

    Worse means: by the margin or more. Exit 2 if the input is invalid. Without -m: nDCG@10, or all measures of a
    frozen baseline.

    $ assay gate qrels.txt words.run stems.run -m AP --margin 0.02
    """
    if (slices is None) != (topics is None):
        raise ParameterError("--slices ATTRIBUTE and --topics FILE go together")
    runs, baseline = runs_and_baseline(qrels, old, new)
    more = {"min_judged": min_judged, "slices": slices, "topics": topics, **rules}
    with inputs.progress(runs, hidden=to.quiet):
        return to.gate([qrels, baseline, {runs[-1].name: runs[-1]}], more)


def freeze(
    qrels: options.Judgments,
    run: options.Run,
    path: Annotated[Path, option("-o", "--output", help="File to write; - for stdout.")],
    rules: EvaluationRules,
    measures: options.Measures = (),
    overwrite: options.Overwrite = False,  # noqa: ARG001  # heeded by whoever calls
    quiet: options.Quiet = False,
) -> None:
    """Save a run's scores as the baseline for later gates: every topic's scores, with rules and digests.

    $ assay freeze qrels.txt words.run -o baseline.json
    """
    from assay.subjects.ranking import baselines as frozen

    frozen.refuse_predictions(qrels, inputs.named(run)[1])
    (opened,) = inputs.opened(qrels, [run])
    with inputs.progress([opened], hidden=quiet):
        baseline = frozen.freeze(qrels, {opened.name: opened}, measures or frozen.DEFAULT_MEASURES, **rules)
    if str(path) == "-":
        output.deliver(baseline.to_json())
    else:
        baseline.save(path)
    if not quiet:
        topics = number_of("topic", baseline.coverage.topics)
        output.message(f"{path}: {baseline.system}, {', '.join(baseline.measures)} on {topics}")


def doctor(
    qrels: options.Judgments,
    runs: options.Runs,
    to: Diagnosing,
    measures: options.Measures = (),
    topics: options.Topics | None = None,
    documents: options.Documents | None = None,
    grades: Annotated[
        str | None, option(metavar="0..3", help="The scale, as 0..3 or 0,1,2; other grades are errors.")
    ] = None,
    level: Level = 1.0,
    columns: Columns = None,  # noqa: ARG001  # `calling` sees to it
) -> int:
    """Check judgments and runs for anything that makes scores wrong or misleading.

    It goes on where `assay evaluate` refuses a file. Exit 1 if there is an error among the findings, 0 if not.

    $ assay doctor qrels.txt words.run
    """
    from assay.verbs.diagnosis import doctor

    named = inputs.by_name(runs, "runs", qrels)
    stated = {"topics": topics, "documents": documents, "grades": grades, "level": level}
    return deliver_diagnosis(inputs.result_of(doctor, "examining", to, qrels, named, measures or None, **stated), to)


#: The kinds of pictures, and the options that each takes, besides those that say what to read.
OF_RUNS = {
    "pr": ("query", "levels"), "roc": ("query",), "cutoff": ("measure", "query"),
    "queries": ("measure",), "difference": ("measure",),
}  # fmt: skip


class CurveOfRuns(TypedDict, total=False):
    """The contents of a curve of runs."""

    query: options.Query
    levels: Annotated[int, option(help="Levels of recall, evenly spaced from 0 to 1 (pr; 11).", panel=CONTENTS)]


def plot(
    qrels: options.Judgments,
    runs: options.Runs,
    look: CurveOfRuns,
    rules: shared.EvaluationOptions,
    to: Target,
    kind: Annotated[
        str, option("-k", "--kind", help="pr (precision-recall; default), roc, cutoff, queries, difference.")
    ] = "pr",
    measures: options.Measures = (),
) -> None:
    """Draw a curve: precision-recall, ROC, a measure by cutoff, query by query, or the difference of two runs.

    $ assay plot qrels.txt words.run stems.run -o curve.svg
    $ assay plot qrels.txt words.run stems.run --kind difference -m AP -o difference.svg
    """
    Choice(OF_RUNS).check("--kind", kind)
    chosen: dict[str, Any] = {**look}
    if measures:
        chosen["measure"] = options.only(measures, "-m")
    check_kind(chosen, OF_RUNS[kind], kind)
    target = to.checked(kind)
    files = inputs.opened(qrels, runs)
    with inputs.progress(files, hidden=to.quiet):
        curve = _of_runs(kind, qrels, files, chosen, rules)
    deliver_curve(curve, target, quiet=to.quiet)


def _of_runs(kind: str, qrels: str, files: Any, chosen: dict[str, Any], rules: shared.EvaluationOptions) -> Curve:
    from assay.subjects.ranking import curves
    from assay.subjects.ranking.evaluation import evaluate

    if kind in {"pr", "roc", "cutoff"}:
        kinds: dict[str, Any] = {"pr": curves.precision_recall, "roc": curves.roc, "cutoff": curves.by_cutoff}
        curve: Curve = kinds[kind](qrels, files, **chosen, **rules)
        return curve
    if kind == "difference" and len(files) != 2:
        raise ParameterError(f"--kind difference is between two runs: the second against the first; got {len(files)}")
    evaluation = evaluate(qrels, files, chosen.get("measure", "nDCG@10"), **rules)
    if len(evaluation.measures) > 1:
        raise ParameterError(f"--kind {kind} draws one measure, not {len(evaluation.measures)}")
    return curves.per_query(evaluation) if kind == "queries" else curves.differences(evaluation)


def power(
    to: Planning, rules: EvaluationRules, qrels: options.Judgments | None = None, runs: options.Runs | None = None
) -> None:
    """Estimate how many topics it takes to detect a difference, and the smallest one that these topics can show.

    Without files, --sd and --difference say how many topics a difference takes.

    $ assay power qrels.txt words.run stems.run -m AP --difference 0.02
    $ assay power --sd 0.2 --difference 0.05
    """
    if qrels is None or not runs:
        plan_without_data(to, "query", ("QRELS", qrels), ("RUN", runs), **rules)
        return
    from assay.subjects.ranking.evaluation import evaluate
    from assay.subjects.ranking.subject import COMPARED_BY

    files = inputs.opened(qrels, runs)
    with inputs.progress(files, hidden=to.quiet):
        evaluation = evaluate(qrels, files, to.measures or COMPARED_BY, **rules)
    deliver_plan(evaluation, {}, to)


def correlate(
    qrels: options.Judgments,
    runs: options.Runs,
    to: Correlating,
    sampling: shared.Sampling,
    rules: EvaluationRules,
    other_qrels: Annotated[
        tuple[str, ...], option(metavar="QRELS", help="Other judgments for the same runs; repeat.")
    ] = (),
) -> None:
    """Check whether two measures, two sets of judgments or two topic sets rank systems alike.

    Name two measures; or --other-qrels, --topics-of or --split and one measure.

    $ assay correlate qrels.txt words.run stems.run alphabet.run -m AP -m nDCG@10
    """
    from assay.subjects.ranking.evaluation import evaluate
    from assay.verbs.correlation import correlate

    names = options.measure_names(to.measures)
    chosen = chosen_ways(to, names, other_qrels)
    if not chosen and len(names) < 2:
        raise ParameterError("say two measures, as in -m AP -m nDCG@10; or --other-qrels, --topics-of or --split")
    evaluations = []
    for judgments in (qrels, *other_qrels):
        files = inputs.opened(judgments, runs)
        with inputs.progress(files, hidden=to.quiet):
            evaluations.append(evaluate(judgments, files, names, **rules))
    with inputs.working("correlating", hidden=to.quiet):
        if other_qrels:
            result = correlate(*evaluations, **drawing_of(sampling))
        else:
            result = topics_or_measures(evaluations[0], names, to, drawing_of(sampling))
    for evaluation in () if to.quiet else evaluations:
        inputs.say_what_was_read(evaluation)
    deliver_correlations(result, None, to)


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
    from assay.subjects.ranking.tuning import tune

    if len(to.measures) > 1:
        raise ParameterError("a setting is chosen by one measure: give -m once")
    stated = to.compared() | folds_of(folds, fold, topics) | {**drawing, **rules}
    stated["baseline"] = options.only(to.baseline, "-b, --baseline")
    runs_read = inputs.opened(qrels, runs)
    result = inputs.result_of(tune, "tuning", to, qrels, runs_read, *to.measures, **stated)
    text = output.rendered(result, to)
    evaluation = result.evaluation
    if evaluation is not None and not to.quiet:
        inputs.say_what_was_read(evaluation)
    read = () if evaluation is None else evaluation.warnings
    output.remarks([each for each in result.warnings if each not in read], result.notes, quiet=to.quiet)
    output.deliver(text, to)
