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
_LONGEST_LINE, _LONGEST_PATH = 88, 5000


def demo(
    path: Annotated[Path, option("-o", "--output", help="Where to write the report (assay-demo.html).")] = Path(
        "assay-demo.html"
    ),
    overwrite: options.Overwrite = False,  # noqa: ARG001  # heeded by whoever calls
) -> None:
    """Compare six ways to search notes on bicycles, and write a report to look at.

    $ assay demo
    """
    from assay.cli.inputs import working  # noqa: PLC0415
    from assay.show.terminal import Screen, show  # noqa: PLC0415
    from assay.subjects.ranking.evaluation import evaluate  # noqa: PLC0415  # `assay --help` need not load Polars
    from assay.verbs.report.report import check_targets  # noqa: PLC0415

    check_targets([path])  # before anything is read
    screen = Screen.of(sys.stdout)
    screen.line("Six ways to search 189 notes on bicycles, judged on 20 topics (0 not relevant to 3 answers it fully):")
    screen.line()
    for name, description in SYSTEMS.items():
        screen.line(f"  {name:<10} {description}")
    screen.line()
    with as_file(files("assay") / "data" / "bicycles") as folder, working("comparing", hidden=False):
        result = evaluate(folder / "qrels.txt", {name: folder / "runs" / f"{name}.run" for name in SYSTEMS}, MEASURES)
        report = result.report(
            title="Six ways to search notes on bicycles",
            topics=folder / "topics.trec",
            documents=folder / "documents.jsonl",
            command=shlex.join(["assay", *sys.argv[1:]]),
        )
        report.save(path)
    show(result.sorted_by("nDCG@10").document(), screen)
    screen.line()
    screen.line("Is one better than bm25?", "bold")
    for sentence in str(report).splitlines():
        screen.line(sentence, width=min(screen.width, _LONGEST_LINE))
    screen.line()
    screen.line("Why, query by query, with the rankings side by side, and how sure it is:")
    screen.line(f"  {path.resolve()}", "bold", _LONGEST_PATH)
    screen.line()
    screen.line("Next: assay report QRELS RUN... on your own files, and assay measures.")
    sys.stdout.write(screen.text)
