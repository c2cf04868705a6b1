"""`assay extract TRUTH [PREDICTED]`."""

from __future__ import annotations

from typing import Annotated

import typer

from assay.cli import inputs, options, output
from assay.core.errors import ParameterError

_LISTS = "Which spans"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="extract")(extract)


def extract(
    truth: Annotated[
        str,
        typer.Argument(
            metavar="TRUTH", help="True spans: tagged tokens (CoNLL), JSONL, or a table; may hold the predictions, too."
        ),
    ],
    predicted: Annotated[
        str | None, typer.Argument(metavar="PREDICTED", help="Predicted spans, if they are in a file of their own.")
    ] = None,
    match: Annotated[
        str, typer.Option(help="When a predicted span is the true one: exact, overlap, type_overlap.")
    ] = "exact",
    bio: Annotated[
        str, typer.Option(help="An I- without B- before it: conlleval (starts a span), strict (is an error).")
    ] = "conlleval",
    beta: Annotated[float, typer.Option(help="How much recall weighs in F, against precision.")] = 1.0,
    confidence: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    resamples: Annotated[int, typer.Option(help="How often documents are drawn anew.", min=1)] = 2000,
    seed: Annotated[int, typer.Option(help="Seed of everything random.", min=0)] = 0,
    misses: Annotated[
        bool, typer.Option("--misses", help="List the true spans that were not found.", rich_help_panel=_LISTS)
    ] = False,
    false_alarms: Annotated[
        bool, typer.Option("--false-alarms", help="List the predicted spans that are none.", rich_help_panel=_LISTS)
    ] = False,
    json: output.Json = False,
    csv: output.Csv = False,
    markdown: output.Markdown = False,
    latex: output.Latex = False,
    to: output.Output = None,
    quiet: options.Quiet = False,
) -> None:
    """Score spans that were extracted from documents: precision, recall and F, in all and per type.

    One file with two columns of tags at the end (truth, then prediction), or two files. With --misses or
    --false-alarms, --csv writes these lists instead of the numbers.
    """
    form = output.form_of(json=json, csv=csv, markdown=markdown, latex=latex)
    if truth == predicted == "-":
        raise ParameterError("stdin (-) can be read only once: give the other file by name")
    from assay.extraction import extract as verb  # noqa: PLC0415  # `assay --help` need not load Polars

    with inputs.working("matching", hidden=quiet):
        result = verb(
            truth,
            predicted,
            match=match,  # type: ignore[arg-type]  # checked there
            bio=bio,  # type: ignore[arg-type]
            beta=beta,
            confidence=confidence,
            resamples=resamples,
            seed=seed,
        )
    wanted = [name for name, asked in (("misses", misses), ("false_alarms", false_alarms)) if asked]
    result = result.showing(*wanted)
    text = output.rendered(result, form, plain=to is not None)
    if not quiet:
        inputs.say(None, result.notes)
    output.deliver(text, to)
