"""`assay collection new|add|show|check|export|list`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, TypeAlias

from assay.cli import inputs, options, output
from assay.cli.options import Output, group
from assay.core.errors import number_of
from assay.core.options import option

Folder: TypeAlias = Annotated[Path, options.argument("COLLECTION", "The folder of the collection.")]
Files: TypeAlias = Annotated[
    list[str],
    options.argument("FILE", "Documents, topics, judgments or runs (detected); name=FILE names judgments or a run."),
]


@group
class Adding:
    """How files become part of a collection."""

    group: Annotated[str, option(metavar="NAME", help="The group that made the runs.")] = ""
    manual: Annotated[bool, option(help="Mark these runs as manual.")] = False
    refer: Annotated[bool, option(help="Refer to the files where they are, instead of copying them.")] = False
    quiet: options.Quiet = False

    def settings(self) -> dict[str, Any]:
        """As the library takes them."""
        return {"group": self.group, "manual": self.manual, "copy": not self.refer}


def new(
    folder: Folder,
    how: Adding,
    files: Files | None = None,
    name: Annotated[str, option(metavar="TEXT", help="Name of the collection (default: the folder's).")] = "",
    description: Annotated[str, option(metavar="TEXT", help="What it is for.")] = "",
    language: Annotated[str, option(metavar="TEXT", help="Language of the documents.")] = "",
    licence: Annotated[str, option(metavar="TEXT", help="Licence: who may use it, and how.")] = "",
) -> None:
    """Make a collection: a folder with one small manifest, and the files copied into it.

    In a folder that exists, the manifest is written beside the files that are there.

    $ assay collection new tea-collection topics.tsv qrels.txt words.run stems.run
    """
    from assay.collections.building import new_collection  # noqa: PLC0415  # `assay --help` need not load Polars

    words = {"name": name, "description": description, "language": language, "licence": licence}
    with inputs.working("copying", hidden=how.quiet):
        collection = new_collection(folder, inputs.by_name(files or [], "files"), **words, **how.settings())  # type: ignore[arg-type]
    _tell(collection, how.quiet)


def add(folder: Folder, files: Files, how: Adding) -> None:
    """Add documents, topics, judgments or runs to a collection: all of the files, or none.

    $ assay collection add bikes bicycles/runs/bm25.run --group lexical
    """
    from assay.collections.building import add_to_collection  # noqa: PLC0415

    with inputs.working("copying", hidden=how.quiet):
        collection = add_to_collection(folder, inputs.by_name(files, "files"), **how.settings())
    _tell(collection, how.quiet)


def show(folder: Folder, to: Output, inverse_grades: options.InverseGrades = False) -> None:
    """Count documents, topics, relevant documents per topic, grades, and what each run covers.

    Any folder with a collection will do; a well-known one is recognised by its counts.

    $ assay collection show bicycles
    """
    from assay.collections.description import describe_collection  # noqa: PLC0415

    with inputs.working("counting", hidden=to.quiet):
        statistics = describe_collection(folder, inverse_grades=inverse_grades)
    output.give(statistics, to)


def check(folder: Folder, to: Output) -> int:
    """Find what is missing or inconsistent. Exit 1 if anything is wrong, 0 if not.

    $ assay collection check bicycles
    """
    from assay.collections.description import check_collection  # noqa: PLC0415

    with inputs.working("checking", hidden=to.quiet):
        checked = check_collection(folder)
    output.give(checked, to)
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
    from assay.collections.building import export_collection  # noqa: PLC0415

    with inputs.working("writing", hidden=quiet):
        exported = export_collection(folder, target, inverse_grades=inverse_grades)
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
    from assay.collections.catalogue import catalogue as known  # noqa: PLC0415

    output.give(known(*(words or ())), to)


def _tell(collection: Any, quiet: bool) -> None:
    if quiet:
        return
    parts = ["documents"] if collection.documents else []
    parts += ["topics"] if collection.topics is not None else []
    parts += [f"judgments ({', '.join(collection.judgments)})"] if collection.judgments else []
    parts += [number_of("run", len(collection.runs))] if collection.runs else []
    output.message(f"{collection.root}: {', '.join(parts) or 'nothing yet'}", err=False)
