"""`compare`, of any subject: its options, and what is listed besides the verdicts."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from assay.cli import inputs, items, options, output
from assay.cli.options import Output, Tested, group
from assay.cli.output import option as spelt
from assay.core.errors import ParameterError
from assay.core.evaluation_options import CONTENTS, option

if TYPE_CHECKING:
    from assay.show.model import Section
    from assay.verbs.comparison import Comparison


@group
class Comparing(Output, Tested):
    """By which measures and tests systems are compared, and how that is shown."""

    plot: Annotated[
        Path | None, option(help="Also draw the intervals, to a file: .svg, .png, .pdf, .html.", panel=CONTENTS)
    ] = None

    def check(self) -> None:
        """Refuse what cannot be given or drawn, before anything is read."""
        super().check()
        if self.plot is not None:
            from assay.show.svg import suffix_of

            suffix_of(self.plot)


@group
class Lists:
    """Lists besides the verdicts: of documents and of queries."""

    system: options.ListedSystem | None = None
    judge_next: Annotated[
        int | None, option(help="List N unjudged documents that would decide the comparison.", least=1)
    ] = None
    changes: Annotated[
        str | None, option(metavar="QUERY", help="List documents gained, lost and moved in a query, or in all.")
    ] = None
    queries: Annotated[int | None, option(help="List the N queries that make most of the difference.", least=1)] = None
    bounds: Annotated[
        bool, option(help="Show how low and high each score could be, by unjudged documents.", panel=CONTENTS)
    ] = False
    slices: options.Slices | None = None
    topics: options.Topics | None = None


def deliver_comparison(
    systems: list[Any], rules: Any, to: Comparing, lists: Lists = Lists(), flipped: int | None = None
) -> None:
    """Compare, and give the verdicts with what is listed besides."""
    from assay.verbs.comparison import compare

    chosen = {"measures": to.measures or None, "baseline": to.baseline or None, **to.testing, **rules}
    result = inputs.result_of(compare, "comparing", to, *systems, **chosen)
    with inputs.working("comparing", hidden=to.quiet):
        sections = _sections(result, lists, flipped)
    text = _rendered(result, sections, to)
    drawn = [] if to.plot is None else [partial(result.intervals().save, to.plot)]
    with output.delivered(text, to, *drawn):
        inputs.say(result.evaluation, result.notes, quiet=to.quiet)


def _sections(result: Comparison, lists: Lists, flipped: int | None) -> list[Section]:
    """The lists besides the verdicts, a section each: under the first measure, of the system asked for."""
    from assay.files import read_topics
    from assay.verbs.sections.comparisons import list_section

    sections: list[Section] = []
    if lists.bounds:
        title = "What unjudged documents could make of each score"
        sections.append(list_section("bounds", result.bounds(), title))
    if not options.settings(options.without(lists, "system", "bounds")) and flipped is None:
        items.refuse(options.settings(lists, "system"), "goes with --queries, --changes, --judge-next or --slices")
        return sections
    systems = {finding.system for finding in result.findings}
    if len(systems) > 1 and flipped is not None:
        raise ParameterError("--flipped is about two systems: choose them with --system A --system B")
    if len(systems) > 1 and lists.system is None:
        raise ParameterError(f"choose whose documents or queries to list: --system {', '.join(sorted(systems)[:5])}")
    finding = result.finding(result.measures[0], lists.system)
    pair: dict[str, Any] = {"measure": finding.measure, "system": finding.system, "baseline": finding.baseline}
    words = f"in {finding.measure} of {finding.system} and {finding.baseline}"
    if lists.queries is not None:
        title = f"The queries that make most of the difference {words}"
        sections.append(list_section("queries", result.queries(**pair).head(lists.queries), title))
    if lists.changes is not None:
        changes = _of_query(result.changes(**pair), lists.changes)
        sections.append(list_section("changes", changes, f"What changed {words}"))
    if lists.judge_next is not None:
        title = f"Judge these next, for the difference {words}"
        sections.append(list_section("judge_next", result.judge_next(lists.judge_next, **pair), title))
    if lists.slices is not None:
        frame = result.slices(read_topics(str(lists.topics)), lists.slices, **pair)
        sections.append(list_section("slices", frame, f"By {lists.slices}, the difference {words}"))
    if flipped is not None:
        frame = result.flipped(finding.baseline, finding.system)
        part = "" if frame.height <= flipped else f", {flipped} of {frame.height:,}"
        title = f"Items that {finding.system} predicts otherwise than {finding.baseline}{part}"
        sections.append(list_section("flipped", frame.head(flipped), title))
    return sections


def _of_query(changes: Any, query: str) -> Any:
    known = changes["query_id"].unique(maintain_order=True).to_list()
    if query not in {"all", *known}:
        raise ParameterError(f"--changes: there is no query {query!r}; there are {', '.join(known[:5])}, …")
    return changes if query == "all" else changes.filter(query_id=query)


def _rendered(result: Comparison, lists: list[Section], to: Output) -> str:
    """The comparison; in forms for other programs, what was asked for besides takes its place."""
    form = to.form
    if form is not None and not lists:
        return output.rendered(result, to)
    document = result.document()
    if form is None:
        sections = [_with_hint(each, result) for each in document.sections]
        return output.written(replace(document, sections=(*sections, *lists)), to)
    if len(lists) > 1 and form != "json" and to.table is None:
        names = ", ".join(spelt(each) for each in ("queries", "changes", "judge_next", "bounds", "slices", "flipped"))
        raise ParameterError(f"--{form} gives one table: choose one of {names}")
    return output.written(replace(document, sections=tuple(lists)), to)


def _with_hint(section: Section, result: Comparison) -> Section:
    """The legend with the option that lists what a verdict depends on."""
    from assay.show.model import Prose

    if section.name != "legend" or not section.parts or not any(each.verdict.unjudged for each in result.findings):
        return section
    hint = Prose(f"{spelt('judge_next')} lists the documents to judge first.", "fine")
    return replace(section, parts=(*section.parts, hint))
