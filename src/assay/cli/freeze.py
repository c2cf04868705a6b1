"""`assay gate freeze QRELS RUN -o FILE`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli import inputs, options, output
from assay.cli.output import message
from assay.core.errors import number_of

Measures = Annotated[
    list[str] | None, typer.Option("-m", "--measure", help="A measure; repeat for more. Default: nDCG@10.")
]


def freeze(
    qrels: options.Judgments,
    run: Annotated[str, typer.Argument(metavar="RUN", help="The run; name=FILE gives it a name.")],
    to: Annotated[Path, typer.Option("-o", "--output", help="The file to write; - for stdout.")],
    measure: Measures = None,
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
) -> None:
    """Freeze a run's scores as the baseline of later gates: a file with every topic's scores, rules and digests."""
    from assay.gating import frozen as verb  # noqa: PLC0415  # `assay --help` need not load Polars

    rules = options.rules(
        level, ties, missing, unjudged, duplicates, rank_by, depth, judged_only, collection_size, complete
    )
    rules |= {"undefined": undefined, "compat": compat, "judge": judge}
    verb.refuse_predictions(qrels, inputs.named(run)[1])
    files = inputs.opened(qrels, [run])
    made = verb.freeze(qrels, {files[0].name: files[0]}, measure or verb.DEFAULT_MEASURES, **rules)
    if str(to) == "-":
        output.deliver(made.to_json(), None)
    else:
        made.save(to)
    if not quiet:
        topics = made.coverage.topics
        message(f"{to}: {made.system}, {', '.join(made.measures)} on {number_of('topic', topics)}")
