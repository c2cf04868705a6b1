"""Where a pipeline looks for the outcome of `assay gate` besides the exit code: JUnit, a summary, annotations."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import typer

from assay.cli import output
from assay.core.errors import AssayError, InputError

if TYPE_CHECKING:
    from assay.gating.result import GateResult


class Pipeline(NamedTuple):
    """Where a pipeline looks for the outcome besides the exit code."""

    junit: Path | None
    summary: Path | None
    annotations: str | None

    def write(self, result: GateResult) -> None:
        """Write the files."""
        if self.junit is not None:
            output.deliver(result.to_junit(), self.junit)
        if self.summary is not None:
            _append(self.summary, result.to_markdown())

    def write_problem(self, problem: Exception) -> None:
        """Leave what went wrong in the same places; one that cannot be written to does not keep it from the others."""
        from assay.gating.annotations import annotation  # noqa: PLC0415
        from assay.gating.junit import junit_of_problem  # noqa: PLC0415
        from assay.sections.gates import problem_document  # noqa: PLC0415
        from assay.show.legible import legible  # noqa: PLC0415

        said = f"unexpected {type(problem).__name__}: {problem}"
        if isinstance(problem, AssayError):
            said = str(problem)
        if self.junit is not None:
            with suppress(AssayError):
                output.deliver(junit_of_problem(said), self.junit)
        if self.summary is not None:
            with suppress(AssayError):
                _append(self.summary, output.written(problem_document(said), "markdown"))
        if self.annotations == "github":
            typer.echo(legible(annotation("error", "Quality gate", f"Invalid input: {said}")), nl=False, err=True)

    def say(self, result: GateResult, text: str | None, is_log: bool) -> None:
        """Print the result, if it goes to stdout, and the annotations.

        GitHub looks for commands in all that is printed, ids included: a text for people to read is fenced off. The
        commands then go to stdout, too, before it: of two streams, the order would be open.
        """
        if self.annotations is None:
            told, apart = text, ""
        else:
            from assay.gating.annotations import without_commands  # noqa: PLC0415
            from assay.show.legible import legible  # noqa: PLC0415

            apart = legible(result.to_annotations())
            told = text
            if text is not None and is_log:
                told, apart = output.Styled(apart + without_commands(text)), ""
        if apart:
            typer.echo(apart, nl=False, err=True)
        if told is not None:
            output.deliver(told, None)


def _append(path: Path, text: str) -> None:
    from assay.files import originals  # noqa: PLC0415  # `assay --help` need not load Polars

    originals.check([path])
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as problem:
        raise InputError(f"{path}: cannot be written: {(problem.strerror or str(problem)).lower()}") from problem
