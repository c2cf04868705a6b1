"""What commands print and write, and how messages name options."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from assay.cli.options import Output
from assay.core.errors import ArgumentWording, ParameterError, Value
from assay.core.registry import writer
from assay.core.results import Result

if TYPE_CHECKING:
    from assay.show.model import Document


#: Arguments whose options are called otherwise; the others keep their names.
_RENAMED = {
    "pos_label": "positive", "one_class": "class", "label": "class", "item": "item-id", "relevance_level": "level",
    "labels_true": "truth", "judged_on": "judge-on",
}  # fmt: skip
#: Rules of an evaluation that there are no options for.
_PYTHON_ONLY = {"score_precision"}


class Options(ArgumentWording):
    """How the command line is spoken."""

    naming = "as in name=FILE"

    def __init__(self, known: Callable[[], Mapping[str, Sequence[str]]] = dict) -> None:
        """`known` gives the options of the command by their arguments; it is asked where something is wrong."""
        self.known = known

    def name(self, name: str) -> str:
        """The option that an argument is, if the command has one.

        >>> Options(lambda: {"max_missing": ["--max-missing"]}).name("max_missing"), Options().name("the margin")
        ('--max-missing', 'the margin')
        """
        return max(self.known().get(name, ()), key=len, default=name) if name.isidentifier() else name

    def argument(self, name: str, value: Value) -> str:
        """An option with its value.

        >>> Options().argument("one_class", "two words"), Options().argument("overwrite", True)
        ("--class 'two words'", '--overwrite')
        """
        option = f"--{_RENAMED.get(name, name.replace('_', '-'))}"
        return option if value is ... or value is True else f"{option} {_quoted(_text(value))}"

    def evaluation(self, measure: str, rules: Mapping[str, Any]) -> str:
        """The command that evaluates a run by rules; the call in Python if there is no option for one of them.

        >>> Options().evaluation("P@5", {"relevance_level": 2.0})
        'assay evaluate QRELS RUN -m P@5 --level 2'
        """
        if _PYTHON_ONLY & rules.keys():
            return super().evaluation(measure, rules)
        options = (f" {self.argument(name, value)}" for name, value in rules.items())
        return f"assay evaluate QRELS RUN -m {_quoted(measure)}{''.join(options)}"


def option(name: str) -> str:
    """The option of an argument.

    >>> option("relevance_level"), option("max_missing")
    ('--level', '--max-missing')
    """
    return Options().argument(name, ...)


def _text(value: Value) -> str:
    """In full: what differs in the last digit is another level."""
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


def _quoted(word: str) -> str:
    """A word as a shell takes it; in double quotes where it holds single ones, which reads best."""
    return f'"{word}"' if "'" in word and not set(word) & set('"$`\\!') else shlex.quote(word)


#: The form of a file by its ending; those of judgments.
_ENDINGS = {".csv": "csv", ".json": "json", ".md": "markdown", ".html": "html", ".tex": "latex"}
_QRELS = (".qrels", ".trec", ".txt")
FORMS = ("json", "csv", "markdown", "latex", "html")
#: What is said on stderr while the rest is on its way.
_ON_STDERR = {"notes", "warnings"}


def form_of(output: Output) -> str | None:
    """The form asked for; None is text for the terminal."""
    chosen = [name for name in FORMS if getattr(output, name)]
    if len(chosen) > 1:
        raise ParameterError(f"choose one of --{' and --'.join(chosen)}")
    for name, is_asked in (("--spreadsheet", output.spreadsheet), ("--table", output.table is not None)):
        if is_asked and not output.csv:
            raise ParameterError(f"{name} goes with --csv")
    return chosen[0] if chosen else None


class Styled(str):
    """Text that a screen has made, with colours of its own and nothing of the data that terminals obey."""

    __slots__ = ()


def deliver(text: str, output: Output | None = None) -> None:
    """Print, or write to a file, whole or not at all: to the letter, but to a terminal nothing that it would obey."""
    output = output or Output()
    if output.spreadsheet:
        from assay.files.writing import for_spreadsheets  # noqa: PLC0415

        text = for_spreadsheets(text)
    if output.path is None:
        is_safe = isinstance(text, Styled) or not sys.stdout.isatty()
        sys.stdout.write(text if is_safe else _on_terminal(text, is_csv=output.csv))
        sys.stdout.flush()
        return
    from assay.files.atomic import write_text  # noqa: PLC0415

    write_text(output.path, text)


def _on_terminal(text: str, *, is_csv: bool) -> str:
    """The text without what terminals obey; of CSV, each row on a line."""
    from assay.show.legible import legible, on_one_line  # noqa: PLC0415  # `assay --help` need not wait for it

    if not is_csv:
        return legible(text)
    from assay.files.writing import each_cell  # noqa: PLC0415

    return each_cell(text, on_one_line)


def message(text: str, *, err: bool = True) -> None:
    """Tell on stderr, or on stdout, on one line and legibly, whatever the names in it hold."""
    from assay.show.legible import on_one_line  # noqa: PLC0415

    (sys.stderr if err else sys.stdout).write(f"{on_one_line(text)}\n")


def remarks(warnings: Sequence[str] = (), notes: Sequence[str] = (), *, quiet: bool) -> None:
    """Tell on stderr what is odd, and what is worth a note."""
    if not quiet:
        for text in [*(f"warning: {each}" for each in warnings), *(f"note: {each}" for each in notes)]:
            message(text)


def written(document: Document, form: str | None, plain: bool = True) -> str:
    """A document in the form asked for; for the terminal without its notes, which went to stderr."""
    return str(writer(form)(document)) if form is not None else on_screen(document, plain)


def on_screen(document: Document, plain: bool = False) -> Styled:
    """A document for the terminal, without what went to stderr."""
    from assay.show.terminal import Screen, show  # noqa: PLC0415  # `assay --help` need not load Polars

    screen = Screen.of(sys.stdout, plain=plain)
    show(replace(document, sections=tuple(part for part in document.sections if part.name not in _ON_STDERR)), screen)
    return Styled(screen.text)


def give(result: Result, output: Output, *, warnings: Sequence[str] = (), notes: Sequence[str] = ()) -> None:
    """Give a result in the form asked for, and tell on stderr what is odd, and what is worth a note."""
    text = rendered(result, output)
    remarks(warnings, notes, quiet=output.quiet)
    deliver(text, output)


def give_judgments(result: Any, output: Output) -> None:
    """Give a result that has judgments in the form asked for, or that the ending of the file names."""
    form, path = form_of(output), output.path
    ending = "" if path is None else path.suffix.lower()
    if form is None and path is not None and ending in _QRELS:
        from assay.files.writing import write  # noqa: PLC0415

        write(result.to_qrels(), path, format="trec-qrels", overwrite=output.overwrite)
        remarks(result.warnings, quiet=output.quiet)
    else:
        named: dict[str, Any] = {_ENDINGS[ending]: True} if form is None and ending in _ENDINGS else {}
        give(result, replace(output, **named), warnings=result.warnings)
    if path is not None and not output.quiet:
        message(f"{path}: {result.document().title}")


def rendered(result: Result, output: Output) -> str:
    """A result in the form asked for; for the terminal without its notes, which went to stderr.

    An HTML file is a page by itself; printed, it is part of another page.
    """
    form = form_of(output)
    if form != "csv":
        document = result.document()
        if form == "html" and output.path is not None:
            title = document.title or document.kind.replace("_", " ").capitalize()
            document = replace(document, page=True, title=title)
        return written(document, form, plain=output.path is not None)
    if output.table is None:
        return result.to_csv()
    from assay.show.data import write_csv  # noqa: PLC0415  # `assay --help` need not load Polars

    return write_csv(result.document(), output.table)
