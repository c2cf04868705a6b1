"""What `assay compare` lists besides: documents, queries, slices, items that flipped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from assay.cli import output
from assay.core.errors import ParameterError

if TYPE_CHECKING:
    from rich.console import Console

    from assay.comparison import Comparison, Finding
    from assay.report.layout import Table


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
) -> dict[str, Any]:
    """The tables besides the comparison, as data frames by title."""
    frames: dict[str, Any] = {}
    if queries is not None:
        frames[f"The queries that make most of the difference {pair.says()}"] = pair.table("queries").head(queries)
    if changes is not None:
        frames[f"What changed {pair.says()}"] = _changes(pair, changes)
    if bounds:
        frames["What unjudged documents could make of each score"] = pair.result.bounds()
    if judge_next is not None:
        frames[f"Judge these next, for the difference {pair.says()}"] = pair.table("judge_next", judge_next)
    if slices is not None:
        from assay.files import read_topics  # noqa: PLC0415

        frames[f"By {slices}, the difference {pair.says()}"] = pair.table("slices", read_topics(str(topics)), slices)
    return frames


def flipped_items(pair: Pair, most: int) -> dict[str, Any]:
    """The items that a pair of classifiers predicts differently."""
    finding = pair.finding()
    frame = pair.result.flipped(finding.baseline, finding.system)
    shown = "" if frame.height <= most else f", {most} of {frame.height:,}"
    return {f"Items that {finding.system} predicts otherwise than {finding.baseline}{shown}": frame.head(most)}


def _changes(pair: Pair, query: str) -> Any:
    moved = pair.table("changes")
    if query == "all":
        return moved
    known = moved["query_id"].unique(maintain_order=True).to_list()
    if query not in known:
        raise ParameterError(f"--changes: there is no query {query!r}; there are {', '.join(known[:5])}, …")
    return moved.filter(query_id=query)


def rendered(result: Comparison, form: str | None, lists: dict[str, Any], plain: bool) -> str:
    """The comparison; in forms for other programs, what was asked for besides takes its place."""
    if form is None:
        return output.text_of(lambda out: _show(result, lists, out), plain)
    if not lists:
        return str(getattr(result, f"to_{form}")())
    if form == "json":
        from assay.report.layout import as_json  # noqa: PLC0415

        frames = [frame.to_dicts() for frame in lists.values()]
        return as_json(frames[0] if len(frames) == 1 else dict(zip(lists, frames, strict=True)))
    if len(lists) > 1:
        known = "--queries, --changes, --judge-next, --bounds, --slices, --flipped"
        raise ParameterError(f"--{form} gives one table: choose one of {known}")
    frame = next(iter(lists.values()))
    if form == "csv":
        return str(frame.write_csv())
    return str(getattr(_table(frame), f"to_{form}")())


def _show(result: Comparison, lists: dict[str, Any], out: Console) -> None:
    from rich.text import Text  # noqa: PLC0415

    from assay.report.comparisons import show  # noqa: PLC0415
    from assay.report.terminal import show_table  # noqa: PLC0415

    show(result, out)
    for title, frame in lists.items():
        out.print()
        out.print(Text(title, style="bold"))
        show_table(_table(frame), out)


def _table(frame: Any) -> Table:
    from assay.report.layout import Cell, Table  # noqa: PLC0415

    # Verdicts with a conflict are rare: where there is none, people need no column for it.
    made = Table.of(frame.drop([name for name in frame.columns if name == "conflict" and frame[name].is_null().all()]))
    if made.numbers or len(made.names) < 2:
        return made
    # Where all is text, what comes first names the row.
    rows = tuple((names[:1], tuple(map(Cell, names[1:]))) for names, _ in made.rows)
    return Table(made.names[:1], made.names[1:], rows)
