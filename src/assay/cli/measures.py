"""`assay measures [NAME]`, `assay measures --for SITUATION`."""

from __future__ import annotations

import json as json_module
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.errors import ParameterError

if TYPE_CHECKING:
    from assay.measures.registry import Measure


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="measures")(measures)


def measures(
    name: Annotated[str | None, typer.Argument(help="A measure, in any tool's notation.")] = None,
    situation: Annotated[
        str | None,
        typer.Option(
            "--for",
            help="Recommend measures for web-search, fact-checking, patent, sparse-judgments, recommendation or "
            "question-answering.",
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """List the measures, or show the card of one: definition, parameters, names elsewhere, example."""
    from assay.measures import parse_measure, registered  # noqa: PLC0415  # `assay --help` need not load Polars

    if situation is not None:
        if name:
            raise ParameterError("give the name of a measure, or a situation with --for, not both")
        _recommend(situation, json)
    elif json:
        chosen = [parse_measure(name)] if name else list(registered().values())
        typer.echo(json_module.dumps([_as_json(measure) for measure in chosen], indent=2, ensure_ascii=False))
    elif name:
        _card(parse_measure(name))
    else:
        _list(registered())


def _recommend(name: str, json: bool) -> None:
    from rich.table import Table  # noqa: PLC0415

    from assay.measures.advice import advice  # noqa: PLC0415
    from assay.report.terminal import console  # noqa: PLC0415

    situation = advice(name)
    if json:
        measures = [recommended._asdict() for recommended in situation.measures]
        told = {"situation": situation.name, "description": situation.description, "measures": measures}
        typer.echo(json_module.dumps(told, indent=2, ensure_ascii=False))
        return
    table = Table(box=None, header_style="bold", padding=(0, 1))
    table.add_column("measure", no_wrap=True)
    table.add_column("why")
    for recommended in situation.measures:
        table.add_row(recommended.measure, recommended.reason)
    out = console()
    out.print(situation.description, highlight=False)
    out.print()
    out.print(table)


def _list(known: dict[str, Measure]) -> None:
    from rich.table import Table  # noqa: PLC0415

    from assay.report.cards import family, first_sentence, name_elsewhere  # noqa: PLC0415
    from assay.report.terminal import console  # noqa: PLC0415

    table = Table(box=None, header_style="bold", padding=(0, 1))
    table.add_column("measure", no_wrap=True)
    table.add_column("what it is")
    table.add_column("in trec_eval", style="dim")
    heading = None
    for measure in known.values():
        if (of_family := family(measure)) != heading:
            heading = of_family
            table.add_row()
            table.add_row("", f"[italic]{heading}[/]")
        notation = f"{measure.name}@k" if measure.definition.at == "cutoff" else measure.name
        elsewhere = ", ".join(map(name_elsewhere, measure.definition.trec_eval))
        table.add_row(notation, first_sentence(measure), elsewhere)
    console().print(table)


def _card(measure: Measure) -> None:
    from assay.report.cards import card  # noqa: PLC0415
    from assay.report.terminal import console  # noqa: PLC0415

    out = console()
    out.print(card(measure, min(out.width, 100)), markup=False, soft_wrap=True)


def _as_json(measure: Measure) -> dict[str, Any]:
    from assay.report.cards import first_sentence  # noqa: PLC0415

    definition = measure.definition
    return {
        "name": measure.name,
        "summary": first_sentence(measure),
        "parameters": {
            p.name: {"default": p.default, "domain": p.domain.describe()} for p in definition.parameters.values()
        },
        "counts": definition.counts.__name__,
        "bounds": definition.bounds,
        "user_model": definition.user_model,
        "put_together_by": definition.summary,
        "undefined_counts_as": definition.counted_as,
        "trec_eval": definition.trec_eval,
        "ir_measures": definition.ir_measures,
        "ranx": definition.ranx,
        "aliases": list(definition.aliases),
    }
