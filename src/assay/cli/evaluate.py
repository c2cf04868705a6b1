"""`assay evaluate QRELS RUN...`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli import inputs, options
from assay.cli import output as output_forms

if TYPE_CHECKING:
    from assay.evaluation import Evaluation


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="evaluate")(evaluate)


def evaluate(
    qrels: options.Judgments,
    runs: options.Runs,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--measure",
            help="A measure, such as nDCG@10; repeat, or separate by commas. `assay measures` lists them.",
        ),
    ] = None,
    per_query: Annotated[
        bool,
        typer.Option(
            "-q",
            "--per-query",
            help="Also every query (in CSV, Markdown, LaTeX: instead of the means).",
            rich_help_panel=options.OUTPUT,
        ),
    ] = False,
    json: output_forms.Json = False,
    csv: output_forms.Csv = False,
    markdown: output_forms.Markdown = False,
    latex: output_forms.Latex = False,
    html: Annotated[bool, typer.Option("--html", help="As a page of its own.", rich_help_panel=options.OUTPUT)] = False,
    sort: Annotated[
        str | None, typer.Option(help="Best system under this measure first.", rich_help_panel=options.OUTPUT)
    ] = None,
    output: output_forms.Output = None,
    signatures: Annotated[
        bool,
        typer.Option("--signatures", help="Also print what each number depends on.", rich_help_panel=options.OUTPUT),
    ] = False,
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
    complete: options.Complete = False,
    undefined: options.Undefined = "counted_as",
    compat: options.Compat = None,
    judge: options.Judge = None,
    subtopics: options.Subtopics = False,
    seed: options.Seed = 0,
    samples: options.Samples = 100,
) -> None:
    """Score runs against judgments.

    Without `-m`: AP, nDCG@10, RR, P and R at 1, 5, 10, 20, and Judged@10.
    """
    from assay import evaluation as verb  # noqa: PLC0415  # `assay --help` need not load Polars

    form = output_forms.form_of(json=json, csv=csv, markdown=markdown, latex=latex, html=html)
    rules = options.rules(
        level, ties, missing, unjudged, duplicates, rank_by, depth, judged_only, collection_size, complete
    )
    files = inputs.opened(qrels, runs)
    with inputs.progress(files, hidden=quiet):
        result = verb.evaluate(
            qrels,
            files,
            measure or verb.DEFAULT_MEASURES,
            undefined=undefined,  # type: ignore[arg-type]  # checked there, with suggestions
            compat=compat,  # type: ignore[arg-type]
            judge=judge,
            subtopics=subtopics or None,  # not said is not no
            seed=seed,
            samples=samples,
            **rules,
        )
    if sort is not None:
        result = result.sorted_by(sort)
    if not quiet:
        inputs.say_what_was_read(result, besides=result.without_number if form is None else ())
    text = _rendered(result, form, per_query, plain=output is not None)
    if signatures and form is None:
        from assay.show.legible import on_one_line  # noqa: PLC0415

        text = output_forms.Styled(text + "\n" + "".join(f"{on_one_line(one)}\n" for one in result.signatures.values()))
    output_forms.deliver(text, output)
    if signatures and form in {"csv", "markdown", "latex"}:  # a table for other programs stays a table
        for signature in result.signatures.values():
            output_forms.message(signature)


def _rendered(result: Evaluation, form: str | None, per_query: bool, plain: bool) -> str:
    if form == "html":
        return result.to_html()
    if form == "csv" and not per_query:
        return output_forms.rendered(result, form, plain)
    if form is not None:
        return str(getattr(result, f"to_{form}")(per_query))
    return output_forms.on_screen(result.document(per_query), plain)
