"""`assay power QRELS RUN...`, `assay power SCORES`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from assay.cli import inputs, options, output


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="power")(power)


def power(
    given: Annotated[
        str, typer.Argument(metavar="QRELS", help="Judgments; or, without runs, a CSV of scores per system and unit.")
    ],
    runs: Annotated[
        list[str] | None, typer.Argument(metavar="RUN", help="Two runs or more; name=FILE gives a name.")
    ] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option("-m", "--measure", help="A measure, such as nDCG@10; repeat. Default: AP, nDCG@10, RR, P@10."),
    ] = None,
    difference: Annotated[
        float | None, typer.Option(help="The difference to find; default 0.01 of the measure's range.")
    ] = None,
    chance: Annotated[float, typer.Option("--power", help="The chance to find it.")] = 0.8,
    alpha: Annotated[float, typer.Option(help="Level of the two-sided test.")] = 0.05,
    baseline: Annotated[
        str | None, typer.Option("-b", "--baseline", help="Pair the others with this system, not every two.")
    ] = None,
    resamples: Annotated[
        int | None, typer.Option(help="Random swaps; default enough for the correction.", min=100)
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of everything random.", min=0)] = 0,
    json: output.Json = False,
    csv: output.Csv = False,
    markdown: output.Markdown = False,
    latex: output.Latex = False,
    to: output.Output = None,
    quiet: options.Quiet = False,
    level: options.Level = 1.0,
    ties: options.Ties = "doc_id_descending",
    missing: options.Missing = None,
    unjudged: options.Unjudged = "irrelevant",
    duplicates: options.Duplicates = "error",
    rank_by: options.RankBy = "score",
    depth: options.Depth = None,
    judged_only: options.JudgedOnly = False,
    collection_size: options.CollectionSize = None,
    undefined: options.Undefined = "counted_as",
    compat: options.Compat = None,
    judge: options.Judge = None,
) -> None:
    """Say how many topics are needed to find a difference, and how small a one these topics can show.

    Give judgments and two runs or more; or a CSV of scores as `assay compare` reads it.
    """
    form = output.form_of(json=json, csv=csv, markdown=markdown, latex=latex)
    from assay import planning as verb  # noqa: PLC0415  # `assay --help` need not load Polars
    from assay.pairing import DEFAULT_MEASURES  # noqa: PLC0415

    settings: dict[str, Any] = {
        "difference": difference, "power": chance, "alpha": alpha, "baseline": baseline, "resamples": resamples,
        "seed": seed,
    }  # fmt: skip
    evaluation = None
    rules = options.rules(level, ties, missing, unjudged, duplicates, rank_by, depth, judged_only, collection_size)
    rules |= {"undefined": undefined, "compat": compat, "judge": judge}
    if runs:
        evaluation = inputs.evaluated(given, runs, measure or DEFAULT_MEASURES, rules, quiet)
    else:
        options.refuse_rules(rules)
        inputs.refuse_judgments(given)
        settings["measures"] = measure or None
    with inputs.working("planning", hidden=quiet):
        result = verb.plan(given if evaluation is None else evaluation, **settings)
    text = output.rendered(result, form, plain=to is not None)
    if not quiet:
        inputs.say(evaluation, result.notes)
    output.deliver(text, to)
