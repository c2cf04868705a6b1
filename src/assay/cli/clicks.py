"""`assay clicks ...`: commands on click logs: what users do, models, judgments, preferences, values."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypeAlias, TypedDict

from assay.cli import inputs, items, options, output
from assay.cli.compare import Comparing, deliver_comparison
from assay.cli.doctor import Diagnosing, examined
from assay.cli.explain import Explaining, deliver_explanation
from assay.cli.gate import Gating, TwoFiles, decided
from assay.cli.items import refuse
from assay.cli.literals import list_of_numbers
from assay.cli.options import Evaluating, JudgmentsOutput, Output
from assay.cli.plot import Target, deliver_curve
from assay.cli.power import Planning, deliver_plan, plan_without_data
from assay.cli.report import Reporting, write_report
from assay.core import options as shared
from assay.core.domains import Choice
from assay.core.errors import ParameterError
from assay.core.evaluation_options import Level, option
from assay.core.options import ClickFitOptions, JudgingRules, LogRules, ModelTrialOptions, Sampling, SeedOption

LogFile: TypeAlias = Annotated[
    str, options.argument("LOG", "A click log: a file, or a folder from `log import`; - for stdin.")
]


def evaluate(
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
    from assay.subjects.clicks.evaluation import clicks

    stated = {"measures": to.measures or None, "by": by, "confidence": confidence, **rules}
    logs_read = items.click_logs(logs, reading)
    inputs.give(clicks, "counting clicks", to, logs_read, **stated)


def compare(logs: options.LogFiles, to: Comparing, rules: shared.ClickRules, reading: shared.LogRules) -> None:
    """Test whether users of one system do better than those of another, by Welch's test over users.

    The systems are those that a log names, or one log each. Without -m: CTR, ClickRR, SessionSuccess, Reformulation,
    ZeroResults and Latency, as far as the log knows enough.

    $ assay clicks compare clicks/log.ndjson.gz
    $ assay clicks compare clicks/log.ndjson.gz -m CTR@1 -b described --most-per-minute 20
    """
    deliver_comparison([items.click_logs(logs, reading)], rules, to)


def explain(
    measure: options.MeasureName,
    logs: options.LogFiles,
    rules: shared.ClickRules,
    reading: shared.LogRules,
    to: Explaining,
    user: Annotated[str | None, option(metavar="ID", help="Only this user (or session, or page).")] = None,
) -> None:
    """Show the two sums that a number is a ratio of, and which users move it most.

    Of several systems, --system names one.

    $ assay clicks explain CTR clicks/log.ndjson.gz --system bm25
    $ assay clicks explain SessionSuccess clicks/log.ndjson.gz --system bm25 --user u029
    """
    deliver_explanation(measure, [items.click_logs(logs, reading)], {**rules, "item": user}, to)


def report(
    logs: options.LogFiles,
    to: Reporting,
    rules: shared.ClickRules,
    reading: shared.LogRules,
    by: shared.Segments | None = None,
) -> None:
    """Write a report on what users do: verdicts, every measure, by rank, over time, by segment.

    $ assay clicks report clicks/log.ndjson.gz --by frequency
    """
    segmented = {} if by is None else {"by": by}
    write_report(items.click_logs(logs, reading), None, {**to.testing, **rules, **segmented}, to)


@decided
def gate(two: TwoFiles, to: Gating, rules: shared.ClickRules, reading: shared.LogRules) -> Any:
    """Decide whether users do as well with a new system: exit 0 not worse, 1 worse, 3 inconclusive.

    Worse means: by the margin or more. Exit 2 if the input is invalid. Give one log that names its systems, or two
    logs, the baseline's first. Without -m: CTR.

    $ assay clicks gate clicks/log.ndjson.gz -b bm25 -c described
    """
    logs = [log for part in two.read(lambda file: items.click_logs([file], reading)) for log in part]
    names = zip(("baseline", "candidate"), two.names, strict=True)
    return to.gate(logs, {**rules, **{role: name for role, name in names if name is not None}})


def doctor(logs: options.LogFiles, reading: shared.LogRules, to: Diagnosing) -> int:
    """Check a click log for what makes numbers wrong: robots, clocks, clicks on results that were not shown.

    It goes on where a line is no record. Exit 1 if there is an error among the findings.

    $ assay clicks doctor clicks/log.ndjson.gz
    """
    return examined("clicks", [inputs.kept(each) for each in logs], to, {"log_rules": {**reading}})


def power(
    to: Planning, rules: shared.ClickRules, reading: shared.LogRules, logs: options.LogFiles | None = None
) -> None:
    """Estimate how many users it takes to detect a difference, and the smallest one that these users can show.

    Users are those of all systems together, divided between them as in the log; without a log, --sd is the standard
    deviation of the users' numbers, and each of two systems has half of the users.

    $ assay clicks power clicks/log.ndjson.gz -m CTR --difference 0.02
    $ assay clicks power --sd 0.3 --difference 0.02
    """
    if not logs:
        plan_without_data(to, "user", ("LOG", logs), groups=2, **rules, **reading)
        return
    deliver_plan(items.click_logs(logs, reading), {**rules}, to)


OF_CLICKS = ("ranks", "time")


def plot(
    logs: options.LogFiles,
    rules: shared.ClickRules,
    reading: shared.LogRules,
    to: Target,
    kind: Annotated[
        str, option("-k", "--kind", help="ranks (default): clicks by rank; time: a measure by day.")
    ] = "ranks",
    measures: options.Measures = (),
) -> None:
    """Draw how often each rank is clicked, or a measure over time, with confidence bands.

    $ assay clicks plot clicks/log.ndjson.gz -o ranks.svg
    $ assay clicks plot clicks/log.ndjson.gz --kind time -m ZeroResults -o zero-results.svg
    """
    from assay.subjects.clicks import curves
    from assay.subjects.clicks.evaluation import clicks as evaluate_clicks

    Choice(OF_CLICKS).check("--kind", kind)
    items.refuse({"measures": measures} if measures and kind == "ranks" else {}, "goes with --kind time")
    if len(measures) > 1:
        raise ParameterError(f"--kind {kind} draws one measure, not {len(measures)}")
    target = to.checked(kind)
    with inputs.working("counting clicks", hidden=to.quiet):
        result = evaluate_clicks(items.click_logs(logs, reading), measures=[*(measures or ("CTR",))], **rules)
        curve = curves.by_rank(result) if kind == "ranks" else curves.over_time(result)
    deliver_curve(curve, target, quiet=to.quiet)


def fit(
    sources: Annotated[
        list[str], options.argument("LOG", "Files of one click log, or a folder from `log import`; - for stdin.")
    ],
    trial: ModelTrialOptions,
    rules: LogRules,
    drawing: SeedOption,
    to: Output,
    models: Annotated[
        tuple[str, ...],
        option("--model", metavar="NAME", help="GCTR, RCTR, DCTR, PBM (default), UBM, CM, DCM, SDBN, DBN, CCM, "
               "DCM-exact, SDBN-exact; all: the first ten; repeat."),
    ] = (),
    qrels: Annotated[str | None, option(metavar="QRELS", help="Judgments to compare with the clicks.")] = None,
    save: Annotated[
        Path | None, option(metavar="FILE", help="Also fit the best model to all pages, and write it as JSON.")
    ] = None,
) -> None:  # fmt: skip
    """Fit click models to a log, and measure how well they predict the clicks of held-out pages.

    $ assay clicks fit clicks/log.ndjson.gz --model PBM --model SDBN --save model.json
    $ assay clicks fit clicks/log.ndjson.gz --model UBM --qrels bicycles/qrels.txt --html -o m.html
    """
    from assay.stats.click_models.fitting import fit_clicks
    from assay.subjects.clicks.model_comparison import USUAL_MODELS, compare_click_models

    named = (USUAL_MODELS if each == "all" else (each,) for each in models or ("PBM",))
    names = [*dict.fromkeys(name for each in named for name in each)]
    if not {"DCM", "SDBN"} & {name.upper() for name in names}:
        refuse(_stated(trial, "clickless"), "goes with --model DCM or SDBN")
    log = inputs.whole_log(sources, rules)
    with inputs.bar("fitting", len(names), hidden=to.quiet) as watch:
        result = compare_click_models(log, names, watch=watch, qrels=qrels, **trial, **drawing)
        text = output.rendered(result, to)
        others = []
        if save is not None:
            rules_of_fit = {"prior": result.settings["prior"], **_stated(trial, *ClickFitOptions.__annotations__)}
            whole = fit_clicks(log, result.best, **rules_of_fit)
            others = [partial(whole.save, save, overwrite=to.overwrite)]
    output.remarks(result.warnings, quiet=to.quiet)
    with output.delivered(text, to, *others):
        if save is not None and not to.quiet:
            output.message(f"{save}: {result.best}, fitted to all pages")


def simulate(
    model: Annotated[str, options.argument("MODEL", "A click model from `clicks fit --save`.")],
    pages: Annotated[str, options.argument("PAGES", "A click log, or a run: one page per query.")],
    drawing: SeedOption,
    folder: Annotated[
        Path, option("-o", "--output", metavar="FOLDER", help="A new folder for the log (made-log).")
    ] = Path("made-log"),
    times: Annotated[int, option(help="Times each page is shown (1).", least=1)] = 1,
    depth: Annotated[int | None, option("--results", help="Results per page of a run (10).", least=1)] = None,
    overwrite: options.ReplaceLog = False,
    quiet: options.Quiet = False,
) -> None:
    """Simulate clicks by a model, on the pages of a log or the results of a run, and write them as a log.

    $ assay clicks fit clicks/log.ndjson.gz --save pbm.json
    $ assay clicks simulate pbm.json bicycles/runs/bm25.run -o made --times 100
    """
    from assay.files.log_folders import write_log
    from assay.subjects.clicks.click_simulation import simulate_clicks

    to = Output(quiet=quiet)
    shape = {"times": times, "depth": depth}
    files = map(inputs.kept, (model, pages))
    log = inputs.result_of(simulate_clicks, "drawing clicks", to, *files, **shape, **drawing)
    write_log(log, folder, overwrite=overwrite)
    _, *remarks = log.remarks  # the first says where the clicks come from
    output.remarks(remarks, quiet=quiet)
    if not quiet:
        output.message(f"{folder}: {str(log).partition(': ')[2].removesuffix('>')}")


def judge(log: LogFile, judging: JudgingRules, reading: LogRules, to: JudgmentsOutput) -> None:
    """Turn clicks into graded judgments, with counts and intervals (people judge documents by `assay judge`).

    Grades are made by clicks over expected clicks, or by a click model. With -o FILE.qrels, write TREC judgments; with
    .csv, all numbers behind them.

    $ assay clicks judge clicks/log.ndjson.gz --by PBM -o clicks.qrels
    $ assay clicks judge clicks/log.ndjson.gz --thresholds 0.8,1.5,2.5
    """
    from assay.subjects.clicks.judgments import judge_clicks

    whole = inputs.whole_log([log], reading)
    output.give_judgments(inputs.result_of(judge_clicks, "judging", to, whole, **_judging(judging)), to)


class Agreeing(TypedDict, total=False):
    """The level from which a judgment is relevant, and a difference more than chance."""

    relevance_level: Level
    alpha: shared.Alpha


def agree(
    qrels: options.Judgments,
    log: LogFile,
    judging: JudgingRules,
    rules: Agreeing,
    drawing: SeedOption,
    reading: LogRules,
    to: Output,
) -> None:
    """Check whether clicks and judgments agree, where they do not, and which judgments look out of date.

    $ assay clicks agree bicycles/qrels.txt clicks/log.ndjson.gz
    """
    from assay.subjects.clicks.agreement import agree_with_clicks

    whole = inputs.whole_log([log], reading)
    inputs.give(agree_with_clicks, "comparing", to, inputs.kept(qrels), whole, **rules, **_judging(judging), **drawing)


class Calibrating(TypedDict, total=False):
    """The ranks that count, and the queries that are one."""

    cutoff: shared.RankCutoff
    same_text: shared.SameText


def calibrate(qrels: options.Judgments, log: LogFile, rules: Calibrating, reading: LogRules, to: Output) -> None:
    """Fit the user models of ERR, EBU, rrDBN and uUBM to a log, as measures to copy and score runs with.

    With -o FILE.txt, write the measures alone, one per line.

    $ assay clicks calibrate bicycles/qrels.txt clicks/log.ndjson.gz
    """
    from assay.subjects.clicks.calibration import calibrate_measures

    whole = inputs.whole_log([log], reading)
    result = inputs.result_of(calibrate_measures, "fitting", to, inputs.kept(qrels), whole, **rules)
    if to.path is None or to.path.suffix.lower() != ".txt" or to.form is not None:
        output.give(result, to)
        return
    output.remarks(result.warnings, quiet=to.quiet)
    output.deliver(result.to_text(), to)


class Preferring(TypedDict, total=False):
    """The way preferences are read off clicks, tested and made a ranking."""

    qrels: Annotated[str, option(metavar="FILE", help="Judgments to compare with the preferences.")]
    strategy: shared.PreferenceStrategy
    min_votes: shared.MinVotes
    prior: shared.StrengthPrior
    same_text: shared.SameText
    alpha: shared.Alpha


def prefer(log: LogFile, rules: Preferring, drawing: SeedOption, reading: LogRules, to: JudgmentsOutput) -> None:
    """Find which documents users prefer to which, whether that is more than chance, and the ranking it implies.

    With -o FILE.csv, write the preferences; with .qrels, grades by place in the ranking.

    $ assay clicks prefer clicks/log.ndjson.gz --qrels bicycles/qrels.txt
    """
    from assay.subjects.clicks.preferences import prefer_clicks

    whole = inputs.whole_log([log], reading)
    output.give_judgments(inputs.result_of(prefer_clicks, "counting", to, whole, **rules, **drawing), to)


class Valuing(TypedDict, total=False):
    """The basis of the value of a ranking."""

    cutoff: shared.RankCutoff
    examination: shared.ExaminationCurve
    clip: shared.Clip
    min_coverage: shared.MinCoverage


def value(log: LogFile, runs: options.Runs, rules: Valuing, drawing: Sampling, reading: LogRules, to: Output) -> int:
    """Estimate the clicks that other rankings would have earned on the pages of a log, and how far the log can tell.

    Exit 1 if the log covers too little of a ranking.

    $ assay clicks value clicks/log.ndjson.gz bicycles/runs/described.run
    """
    from assay.subjects.clicks.counterfactual import value_rankings

    stated = _with_numbers(rules, "examination")
    whole = inputs.whole_log([log], reading)
    opened = inputs.opened(log, runs)
    result = inputs.give(value_rankings, "weighing", to, whole, opened, **stated, **drawing)
    return 1 if result.refused else 0


def _judging(rules: JudgingRules) -> dict[str, Any]:
    if rules.get("by", "COEC") != "COEC":
        refuse(_stated(rules, "min_expected", "shrinkage"), "goes with --by COEC")
    if "thresholds" in rules:
        refuse(_stated(rules, "quantiles"), "goes without --thresholds")
    return _with_numbers(rules, "quantiles", "thresholds")


def _with_numbers(rules: Any, *names: str) -> dict[str, Any]:
    """The rules with lists of numbers in place of their text."""
    stated = _stated(rules, *names).items()
    return {**rules, **{name: list_of_numbers(str(text), f"--{name}") for name, text in stated}}


def _stated(rules: Any, *names: str) -> dict[str, Any]:
    """Those of the rules that were set."""
    return {name: rules[name] for name in names if name in rules}
