"""`assay topics sample LOG` and `assay topics write OUT`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from assay.cli import options, output
from assay.cli.options import Output
from assay.core.errors import number_of
from assay.core.options import SeedOption, option


def sample(
    log: Annotated[
        str, options.argument("LOG", "A table with a column of queries, or one query per line; - for stdin.")
    ],
    /,
    *,
    size: Annotated[int, option("-n", "--size", help="How many topics to draw (50).", least=1)] = 50,
    by: Annotated[str, option(help="uniform (default), frequency, or head-torso-tail.")] = "uniform",
    target: Annotated[
        Path | None, option("-o", "--output", help="Write the topics: .tsv, .jsonl, .trec, .ini (to edit).")
    ] = None,
    drawing: SeedOption = SeedOption(),
    json: options.Json = False,
    overwrite: options.Overwrite = False,
    quiet: options.Quiet = False,
) -> None:
    """Draw topics from a query log, and say from which strata; the seed is part of the result.

    $ assay topics sample log.txt -n 50 --by head-torso-tail -o topics.tsv
    """
    from assay.collections.topic_sampling import sample_topics  # noqa: PLC0415  # `assay --help` need not load Polars
    from assay.files.writing import write  # noqa: PLC0415

    drawn = sample_topics(log, size, by=by, **drawing)  # type: ignore[arg-type]
    if target is not None:
        write(drawn.topics, target, overwrite=overwrite)
    output.give(drawn, Output(json=json, quiet=quiet))


def write(
    target: Annotated[Path, options.argument("OUT", "A text file to edit, such as topics.ini.")],
    /,
    *,
    size: Annotated[int, option("-n", "--size", help="How many empty topics (5).", least=1)] = 5,
    given: Annotated[str | None, option("--from", metavar="FILE", help="Topics to go on with, in any format.")] = None,
    overwrite: options.Overwrite = False,
    quiet: options.Quiet = False,
) -> None:
    """Write a text file for topics by hand: a section per topic, with title, description and narrative.

    Assay reads it wherever topics are asked for.

    $ assay topics write my-topics.ini --from topics.tsv
    """
    from assay.collections.topic_templates import write_topics_to_edit  # noqa: PLC0415

    count = write_topics_to_edit(target, size, given=given, overwrite=overwrite)
    if not quiet:
        output.message(f"{target}: {number_of('topic', count)} to edit", err=False)
