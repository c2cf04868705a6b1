"""What `assay compare` lists besides: documents, queries, slices, items that flipped."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.cli import output
from assay.cli.wording import option
from assay.core.errors import ParameterError

if TYPE_CHECKING:
    from assay.comparison import Comparison, Finding
    from assay.show.model import Document, Section


class Pair(NamedTuple):
    """The pair whose documents and queries are listed: under the first measure, the system asked for."""

    result: Comparison
    system: str | None

    def finding(self) -> Finding:
        """The finding that they are about."""
        systems = {one.system for one in self.result.findings}
        if self.system is None and len(systems) > 1:
            raise ParameterError(
                f"say whose documents, queries or items to list: --system {', '.join(sorted(systems)[:5])}"
            )
        return self.result.finding(self.result.measures[0], self.system)

    def says(self) -> str:
        """What is compared, in words."""
        finding = self.finding()
        return f"in {finding.measure} of {finding.system} and {finding.baseline}"

    def table(self, name: str, *arguments: Any) -> Any:
        """A table that the comparison gives for the pair."""
        finding = self.finding()
        which = {"measure": finding.measure, "system": finding.system, "baseline": finding.baseline}
        return getattr(self.result, name)(*arguments, **which)


def extras(
    pair: Pair,
    judge_next: int | None,
    changes: str | None,
    queries: int | None,
    bounds: bool,
    slices: str | None,
    topics: str | None,
    flipped: int | None,
) -> list[Section]:
    """The lists besides the comparison, a section each."""
    from assay.sections.comparisons import list_section  # noqa: PLC0415  # `assay --help` need not load Polars

    sections = []
    if queries is not None:
        title = f"The queries that make most of the difference {pair.says()}"
        sections.append(list_section("queries", pair.table("queries").head(queries), title))
    if changes is not None:
        sections.append(list_section("changes", _changes(pair, changes), f"What changed {pair.says()}"))
    if bounds:
        title = "What unjudged documents could make of each score"
        sections.append(list_section("bounds", pair.result.bounds(), title))
    if judge_next is not None:
        title = f"Judge these next, for the difference {pair.says()}"
        sections.append(list_section("judge_next", pair.table("judge_next", judge_next), title))
    if slices is not None:
        from assay.files import read_topics  # noqa: PLC0415

        frame = pair.table("slices", read_topics(str(topics)), slices)
        sections.append(list_section("slices", frame, f"By {slices}, the difference {pair.says()}"))
    if flipped is not None:
        finding = pair.finding()
        frame = pair.result.flipped(finding.baseline, finding.system)
        shown = "" if frame.height <= flipped else f", {flipped} of {frame.height:,}"
        title = f"Items that {finding.system} predicts otherwise than {finding.baseline}{shown}"
        sections.append(list_section("flipped", frame.head(flipped), title))
    return sections


def _changes(pair: Pair, query: str) -> Any:
    moved = pair.table("changes")
    if query == "all":
        return moved
    known = moved["query_id"].unique(maintain_order=True).to_list()
    if query not in known:
        raise ParameterError(f"--changes: there is no query {query!r}; there are {', '.join(known[:5])}, …")
    return moved.filter(query_id=query)


def rendered(result: Comparison, form: str | None, lists: list[Section], plain: bool) -> str:
    """The comparison; in forms for other programs, what was asked for besides takes its place."""
    if form is None:
        return output.written(_with_options(result, lists), None, plain)
    if not lists:
        return output.rendered(result, form, plain)
    if len(lists) > 1 and form != "json":
        names = ", ".join(option(each) for each in ("queries", "changes", "judge_next", "bounds", "slices", "flipped"))
        raise ParameterError(f"--{form} gives one table: choose one of {names}")
    return output.written(replace(result.document(), sections=tuple(lists)), form)


def _with_options(result: Comparison, lists: list[Section]) -> Document:
    """What is shown, with the lists below, and the option that lists what a verdict depends on."""
    from assay.show.model import Prose  # noqa: PLC0415

    document = result.document()
    is_open = any(finding.verdict.unjudged for finding in result.findings)
    hint = Prose(f"{option('judge_next')} lists the documents to judge first.", "fine")
    sections = [
        replace(each, parts=(*each.parts, hint)) if each.name == "legend" and each.parts and is_open else each
        for each in document.sections
    ]
    return replace(document, sections=(*sections, *lists))
