"""Printing and writing of results, and names of options in messages."""

from __future__ import annotations

import shlex
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from assay.cli.options import JudgmentsOutput, Output
from assay.core import signals
from assay.core.digits import in_full
from assay.core.errors import ArgumentWording, Value
from assay.core.registry import writer
from assay.core.results import Result

if TYPE_CHECKING:
    from assay.show.model import Document


#: Arguments whose options are called otherwise; the others keep their names.
_RENAMED = {
    "pos_label": "positive", "one_class": "class", "label": "class", "item": "item-id", "relevance_level": "level",
    "labels_true": "truth", "judged_on": "judge-on", "family": "own-family", "families": "family-of",
}  # fmt: skip
#: Rules of an evaluation that there are no options for.
_PYTHON_ONLY = {"score_precision"}


class Options(ArgumentWording):
    """The words of the command line for options."""

    naming = "as in name=FILE"

    def __init__(
        self,
        known: Callable[[], Mapping[str, Sequence[str]]] = dict,
        repeated: Callable[[list[str], str], str | None] | None = None,
    ) -> None:
        """`known` gives the options of the command by their arguments; it is asked where something is wrong.

        `repeated` gives the command that was typed with further words, or that of another verb on the same files.
        """
        self.known = known
        self.repeated = repeated

    def name(self, name: str) -> str:
        """The option that an argument is, if the command has one.

        >>> Options(lambda: {"max_missing": ["--max-missing"]}).name("max_missing"), Options().name("the margin")
        ('--max-missing', 'the margin')
        """
        names = self.known().get(name, ())
        own = f"--{name.replace('_', '-')}"
        if own in names:
            return own
        return max(names, key=len, default=name) if name.isidentifier() else name

    def argument(self, name: str, value: Value) -> str:
        """An option with its value.

        >>> Options().argument("one_class", "two words"), Options().argument("overwrite", True)
        ("--class 'two words'", '--overwrite')
        """
        option = f"--{_RENAMED.get(name, name.replace('_', '-'))}"
        return option if value is ... or value is True else f"{option} {_quoted(in_full(value))}"

    def call_with(self, arguments: Mapping[str, Value], verb: str, python: str) -> str:
        """The command that was typed, with further options; or that of another verb. The options, if there is none."""
        del python
        options = " ".join(self.argument(name, value) for name, value in arguments.items())
        command = self.repeated(shlex.split(options), verb) if self.repeated is not None else None
        return command or options

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


def _quoted(word: str) -> str:
    """A word as a shell takes it; in double quotes where it holds single ones, which reads best."""
    return f'"{word}"' if "'" in word and not set(word) & set('"$`\\!') else shlex.quote(word)


#: What is said on stderr while the rest is on its way.
_ON_STDERR = {"notes", "warnings"}


#: Set while a line of progress stands on the terminal: what is printed takes its place.
progress_line = threading.Event()


def clear_progress() -> None:
    """Take the line of progress off the terminal, where there is one."""
    if progress_line.is_set():
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()
        progress_line.clear()


class Styled(str):
    """Text that a screen has made, with colours of its own and nothing of the data that terminals obey."""

    __slots__ = ()


def refuse_absent_columns() -> None:
    """Before anything is written, and after all was read: refuse `--columns` that no table has."""
    if roles := sys.modules.get("assay.tables.roles"):  # else no table was read
        roles.refuse_absent()


def deliver(text: str, output: Output | None = None) -> None:
    """Print, or write to a file, whole or not at all: to the letter, but to a terminal nothing that it would obey."""
    output = output or Output()
    refuse_absent_columns()
    if output.spreadsheet:
        from assay.files.writing import for_spreadsheets

        text = for_spreadsheets(text)
    signals.obey()
    if output.path is None:
        clear_progress()
        if output.form == "html":  # which has a way of its own to escape what the stream cannot say
            encoding = sys.stdout.encoding or "utf-8"
            text = text.encode(encoding, "xmlcharrefreplace").decode(encoding)
        is_safe = isinstance(text, Styled) or not sys.stdout.isatty()
        sys.stdout.write(text if is_safe else _on_terminal(text, is_csv=output.csv))
        sys.stdout.flush()
        return
    from assay.files.atomic import write_text

    write_text(output.path, text)


@contextmanager
def delivered(text: str, to: Output, *others: Callable[[], object]) -> Iterator[None]:
    """Write a result and what else is written, all or nothing; then say so; then print the result, if it has no file.

    Whoever reads stdout may close it: it comes last.
    """
    from assay.files.atomic import together

    refuse_absent_columns()
    with together():
        for write in others:
            write()
        if to.path is not None:
            deliver(text, to)
    yield
    if to.path is None:
        deliver(text, to)


def _on_terminal(text: str, *, is_csv: bool) -> str:
    """The text without what terminals obey; of CSV, each row on a line."""
    from assay.show.legible import legible, on_one_line

    if not is_csv:
        return legible(text)
    from assay.files.writing import each_cell

    return each_cell(text, on_one_line)


def message(text: str, *, err: bool = True) -> None:
    """Tell on stderr, or on stdout, on one line and legibly, whatever the names in it hold."""
    from assay.show.legible import on_one_line

    clear_progress()
    (sys.stderr if err else sys.stdout).write(f"{on_one_line(text)}\n")


def remarks(warnings: Sequence[str] = (), notes: Sequence[str] = (), *, quiet: bool) -> None:
    """Tell on stderr what is odd, and what is worth a note."""
    if not quiet:
        for text in [*(f"warning: {each}" for each in warnings), *(f"note: {each}" for each in notes)]:
            message(text)


def written(document: Document, output: Output) -> str:
    """A document in the form asked for; for the terminal without its notes, which went to stderr.

    An HTML file is a page by itself; printed, it is part of another page.
    """
    form = output.form
    if form is None:
        return on_screen(document, plain=output.path is not None)
    if form == "csv":
        from assay.show.data import write_csv

        return write_csv(document, output.table)
    if form == "html" and output.path is not None:
        title = document.title or document.kind.replace("_", " ").capitalize()
        document = replace(document, page=True, title=title)
    return str(writer(form)(document))


def on_screen(document: Document, plain: bool = False) -> Styled:
    """A document for the terminal, without what went to stderr."""
    from assay.show.terminal import Screen, show

    screen = Screen.of(sys.stdout, plain=plain)
    show(replace(document, sections=tuple(part for part in document.sections if part.name not in _ON_STDERR)), screen)
    return Styled(screen.text)


def give(result: Result, output: Output, *, warnings: Sequence[str] | None = None, notes: Sequence[str] = ()) -> None:
    """Give a result in the form asked for, and tell on stderr what is odd (its warnings), and what is worth a note."""
    text = rendered(result, output)
    remarks(getattr(result, "warnings", ()) if warnings is None else warnings, notes, quiet=output.quiet)
    deliver(text, output)


def give_judgments(result: Any, output: JudgmentsOutput) -> None:
    """Give a result that has judgments in the form asked for; as judgments if the ending of the file says so."""
    path = output.path
    if output.form is None and path is not None and path.suffix.lower() in output.of_tables:
        from assay.files.writing import write

        write(result.to_qrels(), path, format="trec-qrels", overwrite=output.overwrite)
        remarks(result.warnings, quiet=output.quiet)
    else:
        give(result, output)
    if path is not None and not output.quiet:
        message(f"{path}: {result.document().title}")


def finish(result: Result, output: Output) -> None:
    """Finish the numbers that the form asked for shows, which are fewer where it is the main table alone."""
    if _is_main_table(output):
        result.to_frame()
    else:
        result.complete()


def rendered(result: Result, output: Output) -> str:
    """A result in the form asked for."""
    return result.to_csv() if _is_main_table(output) else written(result.document(), output)


def _is_main_table(output: Output) -> bool:
    return output.form == "csv" and output.table is None
