"""`gate`, of any subject: its options, and what a pipeline reads of the outcome."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from assay.cli import inputs, options, output
from assay.cli.options import Measured, Output, group
from assay.core import options as shared
from assay.core import signals
from assay.core.domains import Choice
from assay.core.errors import AssayError, ParameterError
from assay.core.evaluation_options import option
from assay.core.registry import ENDINGS

if TYPE_CHECKING:
    from assay.verbs.gating.result import GateResult


@group
class TwoNames:
    """The two systems that a gate is about, of several in a file."""

    baseline: Annotated[
        tuple[str, ...],
        option("-b", "--baseline", metavar="NAME", help="The baseline, where a file holds several systems."),
    ] = ()
    candidate: Annotated[
        str | None,
        option("-c", "--candidate", metavar="NAME", help="The candidate, where a file holds several systems."),
    ] = None

    @property
    def names(self) -> tuple[str | None, str | None]:
        """Both names, as far as they were said."""
        return options.only(self.baseline, "-b, --baseline"), self.candidate


@group
class TwoFiles(TwoNames):
    """The two systems that a gate is about, in two files or in one."""

    old: options.Baseline
    new: options.Candidate | None = None

    def read(self, systems_of: Callable[[str], list[Any]]) -> list[list[Any]]:
        """The systems of each file."""
        return [systems_of(file) for file in (self.old, self.new) if file is not None]

    def sides(self, systems_of: Callable[[str], list[Any]]) -> list[Any]:
        """Two files of systems, or the systems of all by their names: what a gate takes first."""
        read = self.read(systems_of)
        if len(read) == 2 and self.names == (None, None):
            return [read[0], None, read[1]]
        return [[system for systems in read for system in systems], *self.names]


@group
class Gating(Output, Measured):
    """The conditions for a candidate to take the baseline's place, and where a pipeline looks for the outcome."""

    margin: Annotated[
        tuple[str, ...], option(metavar="N", help="Smallest loss that matters: 0.01, or nDCG@10=0.02; repeat.")
    ] = ()
    inconclusive: shared.Inconclusive | None = None
    rules: shared.GateLevels
    junit: Annotated[Path | None, option(help="Also write JUnit XML to this file.")] = None
    summary: Annotated[Path | None, option(help="Also append Markdown to this file, such as $GITHUB_STEP_SUMMARY.")] = (
        None
    )
    annotations: Annotated[str | None, option(metavar="github", help="Also print annotations for GitHub Actions.")] = (
        None
    )

    def gate(self, systems: Sequence[Any], rules: Mapping[str, Any]) -> GateResult:
        """Gate under these rules; a terminal shows that it is at work."""
        from assay.verbs.gating.checks import margins_in
        from assay.verbs.gating.gate import gate

        margins = margins_in(self.margin)
        stated = {**self.rules, **options.settings(self, "inconclusive"), **rules}
        with inputs.working("comparing", hidden=self.quiet):
            return gate(*systems, margin=margins, measures=self.measures or None, **stated)


def decided(gate: Callable[..., Any]) -> Callable[..., int]:
    """A command that gates: it writes what a pipeline reads, be it that something is wrong, and gives the exit code."""

    @wraps(gate)
    def command(*, to: Gating, **arguments: object) -> int:
        _refuse_other_forms(to)
        try:
            Choice(("github",)).check("--annotations", to.annotations or "github")
            result: GateResult = gate(to=to, **arguments)
            from assay.files.atomic import together

            output.refuse_absent_columns()
            text: str = output.rendered(result, to)
            with together():
                if to.path is not None:
                    output.deliver(text, to)
                _write(to, result.to_junit(), result.to_markdown())
        except Exception as problem:
            signals.obey()  # what a library makes of Ctrl-C is no problem of the input
            _write_problem(to, problem)
            raise
        _deliver(result, text, to)
        return result.exit_code

    return command


def runs_and_baseline(qrels: str, old: str, new: str) -> tuple[list[Any], Any]:
    """The runs, the candidate last; and the baseline, which may be frozen."""
    from assay.files import Source
    from assay.subjects.ranking.baselines import frozen_in, is_baseline
    from assay.subjects.ranking.evaluation import opened_run

    name, path = inputs.named(old)
    inputs.each_named(qrels, [path, inputs.named(new)[1]])
    if is_baseline(inputs.named(new)[1]):
        raise ParameterError(f"{new} looks like a frozen baseline: it comes before the run")
    # One source for both looks at the file: stdin and pipes can be read only once.
    source = Source(path)
    frozen = frozen_in(source if name is None else {name: source})
    runs = inputs.opened(qrels, [new])
    if frozen is not None:
        return runs, frozen
    run = opened_run(source, name)
    return [run, *runs], {run.name: run}


def _deliver(result: GateResult, text: str, to: Gating) -> None:
    """Tell what was read, and print the outcome unless it is in a file, with annotations where they are asked for."""
    inputs.say(result.evaluation, result.notes, quiet=to.quiet)
    apart = ""
    if to.annotations is not None:
        from assay.show.legible import legible
        from assay.verbs.gating.result import without_commands

        apart = legible(result.to_annotations())
        # GitHub looks for commands in all that is printed, ids included: a text for people to read is fenced off. The
        # commands then go to stdout, too, before it: of two streams, the order would be open.
        if to.path is None and to.form is None:
            text, apart = output.Styled(apart + without_commands(text)), ""
    sys.stderr.write(apart)
    if to.path is None:  # whoever reads stdout may close it: it comes last
        output.deliver(text, to)


def _refuse_other_forms(to: Gating) -> None:
    """Refuse the names of files that end as if something else were written to them."""
    named = ("--junit", to.junit, ".xml", "JUnit XML"), ("--summary", to.summary, ".md", "Markdown")
    for name, path, ending, form in named:
        if path is not None and path.suffix.lower() in {*ENDINGS, ".xml"} - {ending}:
            better = path.with_suffix(ending)
            raise ParameterError(f"{path}: {name} writes {form}, which another ending names: `{name} {better}`")


def _write(to: Gating, junit: str, summary: str) -> None:
    """Write the files that a pipeline reads."""
    from assay.files.atomic import append_text, write_text

    if to.junit is not None:
        write_text(to.junit, junit)
    if to.summary is not None:
        append_text(to.summary, summary)


def _write_problem(to: Gating, problem: Exception) -> None:
    """Leave what went wrong in the same places; one that cannot be written to does not keep it from the others."""
    from assay.show.legible import legible
    from assay.verbs.gating.result import annotation, junit_of_problem
    from assay.verbs.sections.results import problem_document

    text = str(problem) if isinstance(problem, AssayError) else f"unexpected {type(problem).__name__}: {problem}"
    for each in (options.without(to, "summary"), options.without(to, "junit")):
        with suppress(AssayError):
            _write(each, junit_of_problem(text), output.written(problem_document(text), Output(markdown=True)))
    if to.annotations == "github":
        sys.stderr.write(legible(annotation("error", "Quality gate", f"Invalid input: {text}")))
