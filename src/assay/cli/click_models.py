"""`assay clicks fit LOG...` and `assay clicks simulate MODEL PAGES`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from assay.cli import inputs, options, output
from assay.cli.options import Output, group, settings
from assay.core.errors import ParameterError
from assay.core.options import ClickFitOptions, LogRules, ModelTrialOptions, SeedOption, option


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
    stated: FitInputs,
    trial: ModelTrialOptions,
    rules: LogRules,
    drawing: SeedOption,
    to: Output,
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
    drawing: SeedOption,
    folder: Annotated[
        Path, option("-o", "--output", metavar="FOLDER", help="A new folder for the log (made-log).")
    ] = Path("made-log"),
    times: Annotated[int, option(help="Times each page is shown (1).", least=1)] = 1,
    depth: Annotated[int, option("--results", help="Results per page of a run (10).", least=1)] = 10,
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
