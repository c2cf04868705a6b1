"""`assay measures [NAME]`, `assay measures --classifiers`, `assay measures --for SITUATION`."""

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
    classifiers: Annotated[
        bool, typer.Option("--classifiers", help="The measures of classifiers; those of rankings otherwise.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """List the measures, or show the card of one: definition, parameters, names elsewhere, example."""
    if situation is not None:
        if name:
            raise ParameterError("give the name of a measure, or a situation with --for, not both")
        _recommend(situation, json)
    elif json:
        chosen = _named(name, classifiers) if name else _all(classifiers)
        typer.echo(json_module.dumps([_as_json(measure) for measure in chosen], indent=2, ensure_ascii=False))
    elif name:
        for number, measure in enumerate(_named(name, classifiers)):
            if number:
                typer.echo()
            _card(measure)
    else:
        _list(_all(classifiers), classifiers)


def _all(classifiers: bool) -> list[Measure]:
    """The measures of rankings, or those of classifiers, the two kinds with one name side by side."""
    from assay.measures import registered  # noqa: PLC0415  # `assay --help` need not load Polars

    if not classifiers:
        return list(registered().values())
    both = [*registered("binary").values(), *registered("multiclass").values()]
    found = list({measure.definition.function: measure for measure in both}.values())
    families = list(dict.fromkeys(measure.__module__ for measure in found))
    return sorted(found, key=lambda measure: families.index(measure.__module__))


def _named(name: str, classifiers: bool) -> list[Measure]:
    """The measure of rankings, or those of classifiers if asked for, or if rankings have none of that name.

    Both, if rankings have another name for it: `Precision` is `P` there, and a measure of its own for classifiers.
    """
    from assay.errors import UnknownMeasureError  # noqa: PLC0415
    from assay.measures import parse_measure  # noqa: PLC0415
    from assay.measures.vocabularies import by_name  # noqa: PLC0415

    of_rankings = []
    if not classifiers:
        try:
            of_rankings = [parse_measure(name)]
            if of_rankings[0].name == name or by_name(name, "binary") is None:
                return of_rankings
        except UnknownMeasureError as unknown:
            try:
                parse_measure(name, "multiclass")
            except UnknownMeasureError:
                raise unknown from None
    found = [parse_measure(name, vocabulary) for vocabulary in ("binary", "multiclass")]
    return [*of_rankings, *list({measure.definition.function: measure for measure in reversed(found)}.values())[::-1]]


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


def _list(known: list[Measure], classifiers: bool) -> None:
    from rich.table import Table  # noqa: PLC0415

    from assay.report.cards import family, first_sentence, name_elsewhere  # noqa: PLC0415
    from assay.report.terminal import console  # noqa: PLC0415

    table = Table(box=None, header_style="bold", padding=(0, 1))
    table.add_column("measure", no_wrap=True)
    table.add_column("what it is")
    table.add_column("in scikit-learn" if classifiers else "in trec_eval", style="dim")
    heading = None
    for measure in known:
        if (of_family := family(measure)) != heading:
            heading = of_family
            table.add_row()
            table.add_row("", f"[italic]{heading}[/]")
        notation = f"{measure.name}@k" if measure.definition.at in {"cutoff", "k"} else measure.name
        names = (measure.definition.sklearn or "",) if classifiers else measure.definition.trec_eval
        elsewhere = ", ".join(map(name_elsewhere, names))
        table.add_row(notation, first_sentence(measure), elsewhere)
    out = console()
    out.print(table)
    if not classifiers:
        out.print("\n[dim]assay measures --classifiers lists those of classifiers.[/]")


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
        "vocabulary": definition.vocabulary,
        "scikit_learn": definition.sklearn,
        "aliases": list(definition.aliases),
    }
