"""`assay collection new|add|show|check|export|list`, `assay topics sample LOG` and `assay topics write OUT`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from assay.cli import inputs, options, output
from assay.cli.options import Output, group
from assay.core.errors import number_of
from assay.core.evaluation_options import Columns, option
from assay.core.options import FoldQueries, SeedOption

Folder: TypeAlias = Annotated[Path, options.argument("COLLECTION", "The folder of the collection.")]
Files: TypeAlias = Annotated[
    list[str],
    options.argument("FILE", "Documents, topics, judgments or runs (detected); name=FILE names judgments or a run."),
]


@group
class Adding:
    """The way files become part of a collection."""

    group: Annotated[str, option(metavar="NAME", help="The group that made the runs.")] = ""
    refer: Annotated[bool, option(help="Refer to the files where they are, instead of copying them.")] = False
    quiet: options.Quiet = False

    def add(self, function: Callable[..., Any], folder: Path, files: list[str], **words: str) -> None:
        """Copy the files, or refer to them, and say what the collection holds."""
        named = inputs.by_name(files, "files")
        how = {"group": self.group, "copy": not self.refer}
        collection = inputs.result_of(function, "copying", self, folder, named, **how, **words)
        if self.quiet:
            return
        parts = ["documents"] if collection.documents else []
        parts += ["topics"] if collection.topics is not None else []
        parts += [f"judgments ({', '.join(collection.judgments)})"] if collection.judgments else []
        parts += [number_of("run", len(collection.runs))] if collection.runs else []
        output.message(f"{collection.root}: {', '.join(parts) or 'nothing yet'}", err=False)


def new(
    folder: Folder,
    how: Adding,
    files: Files | None = None,
    name: Annotated[str, option(metavar="TEXT", help="Name of the collection (default: the folder's).")] = "",
    language: Annotated[str, option(metavar="TEXT", help="Language of the documents.")] = "",
) -> None:
    """Make a collection: a folder with one small manifest, and the files copied into it.

    In a folder that exists, the manifest is written beside the files that are there.

    $ assay collection new tea-collection topics.tsv qrels.txt words.run stems.run
    """
    from assay.ground_truth.building import new_collection

    how.add(new_collection, folder, files or [], name=name, language=language)


def add(folder: Folder, files: Files, how: Adding) -> None:
    """Add documents, topics, judgments or runs to a collection: all of the files, or none.

    $ assay collection add bikes bicycles/runs/bm25.run --group lexical
    """
    from assay.ground_truth.building import add_to_collection

    how.add(add_to_collection, folder, files)


def show(folder: Folder, to: Output, inverse_grades: options.InverseGrades = False) -> None:
    """Count documents, topics, relevant documents per topic, grades, and what each run covers.

    Any folder with a collection will do; a well-known one is recognised by its counts.

    $ assay collection show bicycles
    """
    from assay.ground_truth.description import describe_collection

    inputs.give(describe_collection, "counting", to, folder, inverse_grades=inverse_grades)


def check(folder: Folder, to: Output) -> int:
    """Find what is missing or inconsistent. Exit 1 if anything is wrong, 0 if not.

    $ assay collection check bicycles
    """
    from assay.ground_truth.description import check_collection

    checked = inputs.give(check_collection, "checking", to, folder)
    return 0 if checked.is_sound else 1


def export(
    folder: Folder,
    target: Annotated[Path, options.argument("OUT", "A new folder.")],
    inverse_grades: options.InverseGrades = False,
    quiet: options.Quiet = False,
) -> None:
    """Write a collection in TREC's layout: documents, topics, qrels and runs, with a manifest.

    $ assay collection export bicycles trec-bicycles
    """
    from assay.ground_truth.building import export_collection

    to = Output(quiet=quiet)
    exported = inputs.result_of(export_collection, "writing", to, folder, target, inverse_grades=inverse_grades)
    if not quiet:
        output.message(f"{folder} -> {exported}: TREC layout")


def catalogue(
    to: Output,
    words: Annotated[
        list[str] | None, options.argument("WORD", "Words to search for; entries match all of them.")
    ] = None,
) -> None:
    """List well-known collections: documents, topics, year, what each is for; if only one matches, show all about it.

    Words are searched in names, tasks (search, classification), languages and descriptions.

    $ assay collection list medical
    $ assay collection list news english
    """
    from assay.ground_truth.catalogue import catalogue

    inputs.give(catalogue, "searching", to, *(words or ()))


Size: TypeAlias = Annotated[int, option("-n", "--size", help="Number of topics.", least=1)]


def sample_topics(
    log: Annotated[
        str,
        options.argument("LOG", "A table with a column of queries, one query per line, or a click log; - for stdin."),
    ],
    drawing: SeedOption,
    size: Size = 50,
    by: Annotated[str, option(help="uniform (default), frequency, or head-torso-tail.")] = "uniform",
    fold_queries: FoldQueries = False,
    columns: Columns = None,  # noqa: ARG001  # `calling` sees to it
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
    from assay.files.writing import write
    from assay.ground_truth.topic_sampling import sample_topics

    to = Output(json=json, quiet=quiet)
    result = inputs.result_of(sample_topics, "sampling", to, log, size, by=by, fold_queries=fold_queries, **drawing)
    if target is not None:
        if target.suffix.lower() == ".ini" and not overwrite:
            from assay.ground_truth.topic_sampling import refuse_edited

            refuse_edited(target)
        write(result.topics, target, overwrite=overwrite)
    output.give(result, to, notes=result.notes)


def write_topics(
    target: Annotated[Path, options.argument("OUT", "A text file to edit, such as topics.ini.")],
    size: Size = 5,
    overwrite: options.Overwrite = False,
    quiet: options.Quiet = False,
) -> None:
    """Write a text file for topics by hand: a section per topic, with title, description and narrative.

    There are 5 empty topics, or -n. Assay reads it wherever topics are asked for.

    $ assay topics write my-topics.ini -n 3
    """
    from assay.ground_truth.topic_sampling import write_topics_to_edit

    inputs.result_of(write_topics_to_edit, "writing", Output(quiet=quiet), target, size, overwrite=overwrite)
    if not quiet:
        output.message(f"{target}: {number_of('topic', size)} to edit", err=False)
