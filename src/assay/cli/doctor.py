"""`assay doctor QRELS RUN...`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from assay.cli import inputs, options, output
from assay.errors import ParameterError


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="doctor")(doctor)


def doctor(
    qrels: options.Judgments,
    runs: options.Runs,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "-m", "--measure", help="A measure to judge ties and topics by; repeat. Default: nDCG@10, AP, RR, P@10."
        ),
    ] = None,
    topics: Annotated[str | None, typer.Option(help="A file of topics: judged ones should be in it.")] = None,
    documents: Annotated[str | None, typer.Option(help="A file of documents: those judged should be in it.")] = None,
    grades: Annotated[
        str | None, typer.Option("--grades", "--scale", help="The scale, as 0..3 or 0,1,2: other grades are errors.")
    ] = None,
    level: options.Level = 1.0,
    every: Annotated[
        bool, typer.Option("--all", help="List the checks that found nothing, too.", rich_help_panel=options.OUTPUT)
    ] = False,
    json: output.Json = False,
    csv: output.Csv = False,
    markdown: output.Markdown = False,
    to: output.Output = None,
    quiet: options.Quiet = False,
) -> None:
    """Look judgments and runs over for whatever makes numbers wrong or misleading.

    It goes on where `assay evaluate` refuses a file. Exit 1 if there is an error among the findings, 0 if not.
    """
    form = output.form_of(json=json, csv=csv, markdown=markdown)
    from assay import diagnosis as verb  # noqa: PLC0415  # `assay --help` need not load Polars
    from assay.report.diagnoses import show  # noqa: PLC0415

    with inputs.working("examining", hidden=quiet):
        found = verb.doctor(
            qrels, _named(qrels, runs), measure or None, topics=topics, documents=documents, grades=grades, level=level
        )
    if form is None:
        text = output.text_of(lambda out: show(found, out, every=every), plain=to is not None)
    else:
        text = str(getattr(found, f"to_{form}")())
    output.deliver(text, to)
    if not found.is_healthy:
        raise typer.Exit(1)


def _named(qrels: str, runs: list[str]) -> Any:
    """Runs by name, if one was given a name as `name=FILE`; a list of files otherwise."""
    parts = inputs.each_named(qrels, runs)
    if all(name is None for name, _ in parts):
        return runs
    from assay.diagnosis.opening import named  # noqa: PLC0415

    named_runs: dict[str, Any] = {}
    for name, path in parts:
        called, file = named([path])[0] if name is None else (name, path)
        if called in named_runs:
            raise ParameterError(f"two runs are called {called!r}: each needs a name of its own (name=FILE)")
        named_runs[called] = file
    return named_runs
