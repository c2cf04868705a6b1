"""`assay topics sample LOG` and `assay topics write OUT`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

from assay.cli import options, output
from assay.cli.options import Output
from assay.core.errors import number_of
from assay.core.options import SeedOption, option

Size: TypeAlias = Annotated[int, option("-n", "--size", help="Number of topics.", least=1)]


def sample(
    log: Annotated[
        str, options.argument("LOG", "A table with a column of queries, or one query per line; - for stdin.")
    ],
    drawing: SeedOption,
    size: Size = 50,
    by: Annotated[str, option(help="uniform (default), frequency, or head-torso-tail.")] = "uniform",
    target: Annotated[
        Path | None, option("-o", "--output", help="Write the topics: .tsv, .jsonl, .trec, .ini (to edit).")
    ] = None,
    json: options.Json = False,
    overwrite: options.Overwrite = False,
    quiet: options.Quiet = False,
) -> None:
    """Sample 50 topics, or -n, from a query log, and list the strata; the seed is part of the result.

    $ assay topics sample log.txt -n 50 --by head-torso-tail -o sampled.tsv
    """
    from assay.collections.topic_sampling import sample_topics  # noqa: PLC0415  # `assay --help` need not load Polars
    from assay.files.writing import write  # noqa: PLC0415

    result = sample_topics(log, size, by=by, **drawing)  # type: ignore[arg-type]
    if target is not None:
        write(result.topics, target, overwrite=overwrite)
    output.give(result, Output(json=json, quiet=quiet))


def write(
    target: Annotated[Path, options.argument("OUT", "A text file to edit, such as topics.ini.")],
    size: Size = 5,
    topics: options.Topics | None = None,
    overwrite: options.Overwrite = False,
    quiet: options.Quiet = False,
) -> None:
    """Write a text file for topics by hand: a section per topic, with title, description and narrative.

    There are 5 empty topics, or -n; with --topics, those of a file in any format. Assay reads it wherever topics are
    asked for.

    $ assay topics write my-topics.ini --topics topics.tsv
    """
    from assay.collections.topic_sampling import write_topics_to_edit  # noqa: PLC0415

    count = write_topics_to_edit(target, size, given=topics, overwrite=overwrite)
    if not quiet:
        output.message(f"{target}: {number_of('topic', count)} to edit", err=False)
