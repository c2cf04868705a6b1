"""`assay clicks fit|simulate|judge|prefer|value` on a log, `assay clicks agree|calibrate` on judgments and a log."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, TypeAlias

from assay.cli import inputs, options, output
from assay.cli.options import Output, group, settings
from assay.core.errors import ParameterError
from assay.core.options import (
    Alpha,
    ClickFitOptions,
    Clip,
    ExaminationCurve,
    JudgingRules,
    Level,
    LogRules,
    MinCoverage,
    MinVotes,
    ModelTrialOptions,
    PreferenceStrategy,
    RankCutoff,
    SameText,
    Sampling,
    SeedOption,
    StrengthPrior,
    option,
)


@group
class FitInputs:
    """Which models are fitted, and what they are tried on."""

    models: Annotated[
        tuple[str, ...],
        option("--model", metavar="NAME", help="GCTR, RCTR, DCTR, PBM (default), UBM, CM, DCM, SDBN, DBN, CCM, "
               "DCM-exact, SDBN-exact; all: the first ten; repeat."),
    ] = ()  # fmt: skip
    qrels: Annotated[str | None, option(metavar="QRELS", help="Judgments to compare with the clicks.")] = None
    save: Annotated[
        Path | None, option(metavar="FILE", help="Also fit the best model to all pages, and write it as JSON.")
    ] = None


def fit(
    sources: Annotated[
        list[str], options.argument("LOG", "Files of one click log, or a folder from `log import`; - for stdin.")
    ],
    /,
    *,
    stated: FitInputs = FitInputs(),
    trial: ModelTrialOptions = ModelTrialOptions(),
    rules: LogRules = LogRules(),
    drawing: SeedOption = SeedOption(),
    to: Output = Output(),
) -> None:
    """Fit click models to a log, and measure how well they predict the clicks of held-out pages.

    $ assay clicks fit clicks/log.ndjson.gz --model PBM --model SDBN --save model.json
    $ assay clicks fit clicks/log.ndjson.gz --model UBM --qrels bicycles/qrels.txt --html -o m.html
    """
    from assay.stats.click_models.fitting import fit_clicks  # noqa: PLC0415  # `assay --help` need not load Polars
    from assay.subjects.clicks.model_comparison import USUAL_MODELS, compare_click_models  # noqa: PLC0415

    names = stated.models or ("PBM",)
    if "all" in names:
        if len(names) > 1:
            raise ParameterError("--model all is ten models: name no others beside it")
        names = USUAL_MODELS
    log = inputs.whole_log(sources, rules)
    with inputs.bar("fitting", len(names), hidden=to.quiet) as watch:
        result = compare_click_models(log, names, watch=watch, **settings(stated, "qrels"), **trial, **drawing)
        text = output.rendered(result, to)
        if stated.save is not None:
            rules_of_fit = {name: trial[name] for name in ClickFitOptions.__annotations__ if name in trial}  # type: ignore[literal-required]
            whole = fit_clicks(log, result.best, **{"prior": result.settings["prior"], **rules_of_fit})
            whole.save(stated.save, overwrite=to.overwrite)
    output.remarks(result.warnings, quiet=to.quiet)
    if stated.save is not None and not to.quiet:
        output.message(f"{stated.save}: {result.best}, fitted to all pages")
    output.deliver(text, to)


def simulate(
    model: Annotated[str, options.argument("MODEL", "A click model from `clicks fit --save`.")],
    pages: Annotated[str, options.argument("PAGES", "A click log, or a run: one page per query.")],
    /,
    *,
    folder: Annotated[
        Path, option("-o", "--output", metavar="FOLDER", help="A new folder for the log (made-log).")
    ] = Path("made-log"),
    times: Annotated[int, option(help="Times each page is shown (1).", least=1)] = 1,
    depth: Annotated[int, option("--results", help="Results per page of a run (10).", least=1)] = 10,
    drawing: SeedOption = SeedOption(),
    overwrite: options.ReplaceLog = False,
    quiet: options.Quiet = False,
) -> None:
    """Simulate clicks by a model, on the pages of a log or the results of a run, and write them as a log.

    $ assay clicks fit clicks/log.ndjson.gz --save pbm.json
    $ assay clicks simulate pbm.json bicycles/runs/bm25.run -o made --times 100
    """
    from assay.files.log_folders import write_log  # noqa: PLC0415  # `assay --help` need not load Polars
    from assay.subjects.clicks.click_simulation import simulate_clicks  # noqa: PLC0415

    with inputs.working("drawing clicks", hidden=quiet):
        log = simulate_clicks(inputs.kept(model), inputs.kept(pages), times=times, depth=depth, **drawing)
        write_log(log, folder, overwrite=overwrite)
    if not quiet:
        output.message(f"{folder}: {str(log).partition(': ')[2].removesuffix('>')}")


LogFile: TypeAlias = Annotated[
    str, options.argument("LOG", "A click log: a file, or a folder from `log import`; - for stdin.")
]


def judge(
    log: LogFile, /, *, judging: JudgingRules = JudgingRules(), reading: LogRules = LogRules(), to: Output = Output()
) -> None:
    """Turn clicks into graded judgments, by clicks over expected clicks or by a click model, with counts and intervals.

    With -o FILE.qrels, write TREC judgments; with .csv, all numbers behind them.

    $ assay clicks judge clicks/log.ndjson.gz --by PBM -o clicks.qrels
    $ assay clicks judge clicks/log.ndjson.gz --thresholds 0.8,1.5,2.5
    """
    from assay.subjects.clicks.judgments import judge_clicks  # noqa: PLC0415  # `assay --help` need not load Polars

    with inputs.working("judging", hidden=to.quiet):
        result = judge_clicks(inputs.whole_log([log], reading), **_judging(judging))
    output.give_judgments(result, to)


def agree(
    qrels: options.Judgments,
    log: LogFile,
    /,
    *,
    judging: JudgingRules = JudgingRules(),
    relevance_level: Level = 1.0,
    alpha: Alpha = 0.05,
    drawing: SeedOption = SeedOption(),
    reading: LogRules = LogRules(),
    to: Output = Output(),
) -> None:
    """Check whether clicks and judgments agree, where they do not, and which judgments look out of date.

    $ assay clicks agree bicycles/qrels.txt clicks/log.ndjson.gz
    """
    from assay.subjects.clicks.agreement import agree_with_clicks  # noqa: PLC0415  # `assay --help` need not load Polars

    rules = {"relevance_level": relevance_level, "alpha": alpha, **_judging(judging), **drawing}
    with inputs.working("comparing", hidden=to.quiet):
        result = agree_with_clicks(inputs.kept(qrels), inputs.whole_log([log], reading), **rules)
    output.give(result, to, warnings=result.warnings)


def calibrate(
    qrels: options.Judgments,
    log: LogFile,
    /,
    *,
    cutoff: RankCutoff = 10,
    same_text: SameText = False,
    reading: LogRules = LogRules(),
    to: Output = Output(),
) -> None:
    """Fit the user models of ERR, EBU, rrDBN and uUBM to a log, as measures to copy and score runs with.

    With -o FILE.txt, write the measures alone, one per line.

    $ assay clicks calibrate bicycles/qrels.txt clicks/log.ndjson.gz
    """
    from assay.subjects.clicks.calibration import calibrate_measures  # noqa: PLC0415  # `assay --help` loads no Polars

    with inputs.working("fitting", hidden=to.quiet):
        result = calibrate_measures(
            inputs.kept(qrels), inputs.whole_log([log], reading), cutoff=cutoff, same_text=same_text
        )
    if to.path is None or to.path.suffix.lower() != ".txt" or to.form is not None:
        output.give(result, to, warnings=result.warnings)
        return
    output.remarks(result.warnings, quiet=to.quiet)
    output.deliver(result.to_text(), to)


@group
class Preferring:
    """How preferences are read off clicks, tested and made a ranking."""

    strategy: PreferenceStrategy = "skip-above"
    min_votes: MinVotes = 5
    prior: StrengthPrior = 0.5
    same_text: SameText = False
    alpha: Alpha = 0.05


def prefer(
    log: LogFile,
    /,
    *,
    qrels: Annotated[str | None, option(metavar="FILE", help="Judgments to compare with the preferences.")] = None,
    rules: Preferring = Preferring(),
    drawing: SeedOption = SeedOption(),
    reading: LogRules = LogRules(),
    to: Output = Output(),
) -> None:
    """Find which documents users prefer to which, whether that is more than chance, and the ranking it implies.

    With -o FILE.csv, write the preferences; with .qrels, grades by place in the ranking.

    $ assay clicks prefer clicks/log.ndjson.gz --qrels bicycles/qrels.txt
    """
    from assay.subjects.clicks.preferences import prefer_clicks  # noqa: PLC0415  # `assay --help` need not load Polars

    with inputs.working("counting", hidden=to.quiet):
        result = prefer_clicks(inputs.whole_log([log], reading), qrels=qrels, **settings(rules), **drawing)
    output.give_judgments(result, to)


@group
class Valuing:
    """What the value of a ranking rests on."""

    cutoff: RankCutoff = 10
    examination: ExaminationCurve = None
    clip: Clip = None
    min_coverage: MinCoverage = 0.5


def value(
    log: LogFile,
    runs: options.Runs,
    /,
    *,
    rules: Valuing = Valuing(),
    drawing: Sampling = Sampling(),
    reading: LogRules = LogRules(),
    to: Output = Output(),
) -> int:
    """Estimate the clicks that other rankings would have earned on the pages of a log, and how far the log can tell.

    Exit 1 if the log covers too little of a ranking.

    $ assay clicks value clicks/log.ndjson.gz bicycles/runs/described.run
    """
    from assay.subjects.clicks.counterfactual import value_rankings  # noqa: PLC0415  # `assay --help` loads no Polars

    stated = settings(rules)
    if rules.examination is not None:
        stated["examination"] = _numbers(str(rules.examination), "--examination")
    with inputs.working("weighing", hidden=to.quiet):
        result = value_rankings(inputs.whole_log([log], reading), inputs.opened(log, runs), **stated, **drawing)
    output.give(result, to, warnings=result.warnings)
    return 1 if result.refused else 0


def _judging(stated: JudgingRules) -> Any:
    """The rules with lists of numbers in place of their text."""
    typed = {name: value for name, value in stated.items() if name in {"quantiles", "thresholds"}}
    return {**stated, **{name: _numbers(str(text), f"--{name}") for name, text in typed.items()}}


def _numbers(text: str, name: str) -> list[float]:
    try:
        return [float(word) for word in text.split(",")]
    except ValueError:
        raise ParameterError(f"{name}: expected numbers such as 0.5,0.75,0.9, got {text!r}") from None
