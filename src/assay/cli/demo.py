"""`assay demo`: a first look, on a collection that comes with the package."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated

import typer

#: The systems of the demo, and what they do.
SYSTEMS = {
    "described": "BM25 with the words of the topic's title and description",
    "expanded": "BM25, then a second query with words of its best results",
    "bm25": "BM25 over titles and texts, with the words of the topic's title",
    "tfidf": "cosine of tf-idf vectors, no stemming",
    "titles": "BM25 over the notes' titles only",
    "shuffled": "the results of bm25 in a random order",
}
MEASURES = ("nDCG@10", "AP", "RR", "P@5", "R@20", "Judged@10")
_WIDEST_BAR = 40


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="demo")(demo)


def demo(
    output: Annotated[Path, typer.Option("-o", "--output", help="Where to write the page.")] = Path("assay-demo.html"),
) -> None:
    """Evaluate six ways to search notes on bicycles, and write a page with charts to look at."""
    from rich.markup import escape  # noqa: PLC0415

    from assay.evaluation import evaluate  # noqa: PLC0415  # `assay --help` need not load Polars
    from assay.files.atomic import write_text  # noqa: PLC0415
    from assay.report.page import page  # noqa: PLC0415
    from assay.report.terminal import console, show  # noqa: PLC0415

    out = console()
    with as_file(files("assay") / "data" / "bicycles") as folder:
        runs = {name: folder / "runs" / f"{name}.run" for name in SYSTEMS}
        result = evaluate(folder / "qrels.txt", runs, MEASURES).sorted_by("nDCG@10")
    out.print("Six ways to search 189 notes on bicycles, judged on 20 topics (0 not relevant to 3 answers it fully):\n")
    for name, says in SYSTEMS.items():
        out.print(f"  [bold]{name:<10}[/] {says}")
    out.print()
    show(result, out)
    out.print("\nnDCG@10, the mean over topics:")
    for system in result.systems:
        value = result.mean("nDCG@10", system.name)
        out.print(f"  {system.name:<10} [cyan]{'█' * round(value * _WIDEST_BAR):<{_WIDEST_BAR}}[/] {value:.4f}")
    out.print(f"\nEvery number depends on rules; this is how nDCG@10 was made:\n  {result.signatures['nDCG@10']}")
    write_text(output, page(result, title="Six ways to search notes on bicycles"))
    out.print(
        f"\nThe same as a page, with charts and every topic: [bold]{escape(str(output.resolve()))}[/]", soft_wrap=True
    )
    out.print("Next: [bold]assay evaluate QRELS RUN...[/] on your own files, and [bold]assay measures[/].")
