"""`assay show FILE`, `assay convert IN OUT`, `assay examples [FOLDER]`, `assay demo` and `assay completion SHELL`."""

from __future__ import annotations

import shlex
import shutil
import sys
import tempfile
from functools import partial
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from assay.cli import inputs, options
from assay.cli.commands import app_of, application, every_command
from assay.cli.options import Output
from assay.cli.output import deliver, message, remarks, written
from assay.core.domains import Choice
from assay.core.errors import InputError, ParameterError
from assay.core.evaluation_options import option

if TYPE_CHECKING:
    from assay.files.writing import Table

_KINDS = ("run", "qrels", "topics", "documents")
#: Files of these stand in the folder itself; the other collections are folders in it.
HOME = "tea"


def show(
    to: Output,
    path: Annotated[str | None, options.argument("FILE", "A file, a folder with a collection, or - for stdin.")] = None,
    kind: options.Kind | None = None,
    lines: Annotated[int, option("-n", "--lines", help="Number of rows to show (5).", least=0)] = 5,
    inverse_grades: options.InverseGrades = False,
    formats: Annotated[bool, option(help="List all formats that can be read and written.")] = False,
) -> None:
    """Show what a file contains: its format, rows, topics, grades, first rows; or what a folder contains.

    $ assay show qrels.txt
    $ assay show --formats
    """
    from assay.files.contents import contents_of, contents_of_collection
    from assay.verbs.sections.results import document_of_formats

    if formats:
        deliver(written(document_of_formats(), to), to)
        return
    if path is None:
        raise ParameterError("name a file or a folder, or ask for --formats")
    if path != "-" and Path(path).is_dir():
        from assay.files.collections import read_collection

        contents = contents_of_collection(read_collection(path, inverse_grades=inverse_grades))
    else:
        table = _opened(path, kind, inverse_grades=inverse_grades)
        with inputs.progress([table], hidden=to.quiet):
            contents = contents_of(table, path, lines)
    deliver(written(contents.document(), to), to)


def convert(
    source: Annotated[str, options.argument("IN", "A file in any known format, or - for stdin.")],
    target: Annotated[
        Path, options.argument("OUT", "File to write; its ending names the format. - for stdout, with --to.")
    ],
    kind: options.Kind | None = None,
    from_format: Annotated[str | None, option("--from", metavar="FORMAT", help="The format of IN (detected).")] = None,
    to_format: Annotated[
        str | None, option("--to", metavar="FORMAT", help="The format of OUT (by its ending).")
    ] = None,
    inverse_grades: options.InverseGrades = False,
    overwrite: options.Overwrite = False,  # noqa: ARG001  # heeded by whoever calls
    quiet: options.Quiet = False,
) -> None:
    """Write a run, judgments, topics or documents in another format. Runs stream: memory stays bounded.

    $ assay convert words.run words.jsonl
    """
    from assay.files.writing import kind_of, left_out, write

    if str(target) == "-" and to_format is None:
        raise ParameterError("-: stdout has no ending that names a format: say it with --to")
    table = _opened(source, kind, from_format, inverse_grades)
    with inputs.progress([table], hidden=quiet):
        written_as = _to_stdout(table, to_format) if str(target) == "-" else write(table, target, format=to_format)
    if not quiet:
        message(f"{source}: {table.format} -> {target}: {kind_of(table)} as {written_as}")
        if lost := left_out(table, written_as):
            message(f"warning: {target}: {written_as} has no place for {', '.join(lost)}")
        remarks(getattr(table, "warnings", ()), quiet=False)


def examples(
    folder: Annotated[Path, options.argument("FOLDER", "A folder that does not exist yet.")] = Path("assay-examples"),
) -> None:
    """Copy the example data into a new folder, in which every command of the documentation runs.

    $ assay examples tea
    """
    lay_out(folder)
    text = f"{folder}: made; go there (cd {shlex.quote(str(folder))}) and try: assay evaluate qrels.txt words.run"
    message(text, err=False)


def lay_out(folder: Path) -> None:
    """Copy the examples; the folder appears when all of them are there, or not at all."""
    from assay.files.atomic import replacing_folder

    if folder.exists():
        raise InputError(f"{folder}: expected a folder that does not exist yet, got one that does: name another")
    with replacing_folder(folder) as place, resources.as_file(resources.files("assay") / "data") as data:
        for each in sorted(data.glob("*/**/*")):
            collection, *below = each.relative_to(data).parts
            target = place.joinpath(*below) if collection == HOME else place.joinpath(collection, *below)
            if each.is_file():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(each, target)


def _to_stdout(table: Table, format: str | None) -> str:
    """Write to stdout; to a terminal, nothing that it would obey."""
    from assay.files.writing import write

    if not sys.stdout.writable():
        raise InputError("-: cannot be written: standard output is closed")
    if not sys.stdout.isatty():
        return write(table, "/dev/stdout", format=format)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "text"
        written_as = write(table, place, format=format)
        deliver(place.read_text(encoding="utf-8", errors="replace"))
    return written_as


def _opened(source: str, kind: str | None, format: str | None = None, inverse_grades: bool = False) -> Table:
    """Read a file of any kind, or part of a dataset."""
    from assay import files
    from assay.files.collections import is_dataset

    if kind is not None:
        Choice(_KINDS).check("kind", kind)
    readable: Any = source if is_dataset(source) else files.Source(source)
    detected = files.detect(readable, kind, format) if not is_dataset(readable) else None  # type: ignore[arg-type]
    readers: dict[str, Any] = {
        "run": files.scan_run,
        "qrels": partial(files.read_qrels, inverse_grades=inverse_grades),
        "topics": files.read_topics,
        "documents": files.read_documents,
    }
    read = readers[detected.kind if detected else kind or "qrels"]
    table: Table = read(readable, format=detected.name if detected else None)
    return table


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
    from assay.show.terminal import Screen, show
    from assay.subjects.ranking.evaluation import evaluate
    from assay.verbs.report.report import check_targets

    check_targets([path])  # before anything is read
    screen = Screen.of(sys.stdout)
    screen.line("Six ways to search 189 notes on bicycles, judged on 20 topics (0 not relevant to 3 answers it fully):")
    screen.line()
    for name, description in SYSTEMS.items():
        screen.line(f"  {name:<10} {description}")
    screen.line()
    with (
        resources.as_file(resources.files("assay") / "data" / "bicycles") as folder,
        inputs.working("comparing", hidden=False),
    ):
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


def completion(
    shell: Annotated[Literal["bash", "zsh", "fish"], options.argument("SHELL", "bash, zsh or fish.")],
) -> None:
    """Print the completion script for your shell: commands and options.

    For bash, put it into ~/.local/share/bash-completion/completions/assay; for zsh into ~/.zfunc/_assay; for fish into
    ~/.config/fish/completions/assay.fish.

    $ assay completion bash
    """
    Choice(("bash", "zsh", "fish")).check("SHELL", shell)
    app = application()
    for command in every_command():
        app_of(app, command)
    deliver(app.generate_completion(prog_name="assay", shell=shell))
