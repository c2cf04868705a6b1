"""`assay demo`: a first look, on a collection that comes with the package."""

from __future__ import annotations

import shlex
import sys
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated

from assay.cli import options
from assay.core.options import option

#: The systems of the demo, and what they do; the first is what the others are held against.
SYSTEMS = {
    "bm25": "BM25 over titles and texts, with the words of the topic's title",
    "described": "BM25 with the words of the topic's title and description",
    "expanded": "BM25, then a second query with words of its best results",
    "tfidf": "cosine of tf-idf vectors, no stemming",
    "titles": "BM25 over the notes' titles only",
    "shuffled": "the results of bm25 in a random order",
}
MEASURES = ("nDCG@10", "AP", "RR", "P@5", "R@20")
_LONGEST_LINE = 88


def demo(
    *,
    path: Annotated[Path, option("-o", "--output", help="Where to write the report (assay-demo.html).")] = Path(
        "assay-demo.html"
    ),
    overwrite: options.Overwrite = False,  # noqa: ARG001  # heeded by whoever calls
) -> None:
    """Compare six ways to search notes on bicycles, and write a report to look at.

    $ assay demo
    """
    from rich.markup import escape  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    from assay.cli.inputs import working  # noqa: PLC0415
    from assay.show.legible import on_one_line  # noqa: PLC0415
    from assay.show.terminal import console, show  # noqa: PLC0415
    from assay.subjects.ranking.evaluation import evaluate  # noqa: PLC0415  # `assay --help` need not load Polars
    from assay.verbs.sections.report import check_targets  # noqa: PLC0415

    check_targets([path])  # before anything is read
    out = console()
    out.print("Six ways to search 189 notes on bicycles, judged on 20 topics (0 not relevant to 3 answers it fully):\n")
    for name, description in SYSTEMS.items():
        out.print(f"  [bold]{name:<10}[/] {description}")
    out.print()
    with as_file(files("assay") / "data" / "bicycles") as folder, working("comparing", hidden=False):
        result = evaluate(folder / "qrels.txt", {name: folder / "runs" / f"{name}.run" for name in SYSTEMS}, MEASURES)
        report = result.report(
            title="Six ways to search notes on bicycles",
            topics=folder / "topics.trec",
            documents=folder / "documents.jsonl",
            command=shlex.join(["assay", *sys.argv[1:]]),
        )
        report.save(path)
    show(result.sorted_by("nDCG@10").document(), out)
    out.print("\n[bold]Is one better than bm25?[/]")
    for sentence in str(report).splitlines():
        out.print(Text(on_one_line(sentence)), width=min(out.width, _LONGEST_LINE))
    out.print(
        "\nWhy, query by query, with the rankings side by side, and how sure it is:\n"
        f"  [bold]{escape(on_one_line(str(path.resolve())))}[/]",
        soft_wrap=True,
    )
    out.print("\nNext: [bold]assay report QRELS RUN...[/] on your own files, and [bold]assay measures[/].")
