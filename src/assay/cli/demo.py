"""`assay demo`: a first look, on data that come with the package."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated

import typer

SYSTEMS = ("alphabet", "words", "stems")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="demo")(demo)


def demo(
    output: Annotated[Path, typer.Option("-o", "--output", help="Where to write the page.")] = Path("assay-demo.html"),
) -> None:
    """Evaluate three small systems on questions about tea, and write a page to look at."""
    from rich.markup import escape  # noqa: PLC0415

    from assay.evaluation import evaluate  # noqa: PLC0415  # `assay --help` need not load Polars
    from assay.files.atomic import write_text  # noqa: PLC0415
    from assay.report.page import page  # noqa: PLC0415
    from assay.report.terminal import console, show  # noqa: PLC0415

    out = console()
    with as_file(files("assay") / "data" / "tea") as folder:
        runs = {name: folder / f"{name}.run" for name in SYSTEMS}
        result = evaluate(folder / "qrels.txt", runs)
    out.print("Three ways to search 24 notes on tea, judged on 8 questions (0 not relevant, 1 somewhat, 2 fully):\n")
    out.print("  [bold]alphabet[/]  the notes in alphabetical order, whatever the question")
    out.print("  [bold]words[/]     by the number of words that note and question share; many notes tie")
    out.print("  [bold]stems[/]     by shared word beginnings, rare ones weighing more\n")
    show(result, out)
    best = max(result.systems, key=lambda system: result.mean("nDCG@10", system.name)).name
    out.print(f"\nBest by nDCG@10: [bold]{best}[/]. Every number depends on rules; this is how nDCG@10 was made:")
    out.print(f"  {result.signatures['nDCG@10']}", style="dim")
    write_text(output, page(result, title="Three ways to search notes on tea"))
    out.print(f"\nThe same as a page, with every question: [bold]{escape(str(output.resolve()))}[/]", soft_wrap=True)
    out.print("Next: [bold]assay evaluate QRELS RUN...[/] on your own files, and [bold]assay measures[/].")
