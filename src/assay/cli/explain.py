"""`assay explain MEASURE QRELS RUN --query Q`, `assay explain MEASURE --grades 3,2,0,1`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from assay.cli import inputs, options, output
from assay.errors import ParameterError

if TYPE_CHECKING:
    from assay.counting import Confusion, Ranks
    from assay.files.lists import Named
    from assay.measures import Measure
    from assay.measures.given_curve import GivenCurve

_LIST = "A list instead of files; repeat it for several queries, NAME=LIST gives one a name"
#: What goes with which kind of list.
_GRADES_ONLY = "goes with --grades"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="explain")(explain)


def explain(
    measure: Annotated[str, typer.Argument(metavar="MEASURE", help="The measure, such as nDCG@10.")],
    qrels: Annotated[str | None, typer.Argument(metavar="QRELS", help="Judgments.")] = None,
    run: Annotated[str | None, typer.Argument(metavar="RUN", help="The run.")] = None,
    query: Annotated[
        str | None, typer.Option("-q", "--query", help="Which query; without it, how all are put together.")
    ] = None,
    show: Annotated[int | None, typer.Option(help="How many ranks to show; default the cut-off, or 20.", min=1)] = None,
    running: Annotated[bool, typer.Option("--running", help="Also the measure cut off at every rank.")] = False,
    grades: Annotated[
        list[str] | None,
        typer.Option(help="Grades by rank, such as 3,2,0,-,1 or R,N,N,R; - is not judged.", rich_help_panel=_LIST),
    ] = None,
    relevant: Annotated[
        list[int] | None,
        typer.Option(help="How many relevant documents there are in all.", min=0, rich_help_panel=_LIST),
    ] = None,
    exist: Annotated[
        list[str] | None, typer.Option(help="How many documents of each grade exist: 3:5,2:10.", rich_help_panel=_LIST)
    ] = None,
    swap: Annotated[
        list[str] | None, typer.Option(help="Exchange the documents at two ranks: 2,3.", rich_help_panel=_LIST)
    ] = None,
    counts: Annotated[
        list[str] | None, typer.Option(help="TP,FP,FN or TP,FP,FN,TN, for measures of sets.", rich_help_panel=_LIST)
    ] = None,
    points: Annotated[
        list[str] | None,
        typer.Option(help="Points of a curve, precision@recall: .1@1,.5@.9,1@0.", rich_help_panel=_LIST),
    ] = None,
    gain: Annotated[str | None, typer.Option(help="As the parameter of the measure.", rich_help_panel=_LIST)] = None,
    discount: Annotated[
        str | None, typer.Option(help="As the parameter of the measure.", rich_help_panel=_LIST)
    ] = None,
    json: output.Json = False,
    csv: output.Csv = False,
    markdown: output.Markdown = False,
    latex: output.Latex = False,
    html: Annotated[bool, typer.Option("--html", help="As HTML tables.", rich_help_panel=options.OUTPUT)] = False,
    to: output.Output = None,
    level: options.Level = 1.0,
    ties: options.Ties = "doc_id_descending",
    missing: options.Missing = None,
    unjudged: options.Unjudged = "irrelevant",
    duplicates: options.Duplicates = "error",
    rank_by: options.RankBy = "score",
    depth: options.Depth = None,
    judged_only: options.JudgedOnly = False,
    collection_size: options.CollectionSize = None,
    undefined: options.Undefined = "counted_as",
    compat: options.Compat = None,
    judge: options.Judge = None,
    subtopics: options.Subtopics = False,
) -> None:
    """Show how a number came about: every step, the formula with the numbers in it, the result.

    From files: MEASURE QRELS RUN --query ID; without --query, how the numbers of all queries are put together. From a
    list: MEASURE --grades 3,2,0,1, with --relevant or --exist for what was not retrieved; MEASURE --counts TP,FP,FN,TN;
    or MEASURE --points precision@recall,...
    """
    form = output.form_of(json=json, csv=csv, markdown=markdown, latex=latex, html=html)
    from assay.explanation import explain as verb  # noqa: PLC0415  # `assay --help` need not load Polars
    from assay.measures import parse_measure  # noqa: PLC0415

    wanted = _with_parameters(parse_measure(measure), gain=gain, discount=discount)
    sources = {"QRELS": qrels, "--grades": grades, "--counts": counts, "--points": points}
    given = [name for name, value in sources.items() if value]
    if len(given) != 1:
        raise ParameterError(
            "give judgments and a run, or --grades, or --counts, or --points" + (", not several" if given else "")
        )
    rules = options.rules(level, ties, missing, unjudged, duplicates, rank_by, depth, judged_only, collection_size)
    rules |= {"compat": compat, "judge": judge, "undefined": undefined}
    typed = _Typed(grades, counts, points, relevant, exist, swap)
    if qrels is not None:
        if run is None:
            raise ParameterError("give a run after the judgments")
        typed.refuse("goes with --grades, not with files", "relevant", "exist", "swap")
        rules |= {"subtopics": True} if subtopics else {}  # not said is not no
        result = verb(wanted, qrels, inputs.opened(qrels, [run]), query=query, show=show, running=running, **rules)
    else:
        named = {"relevance_level", "collection_size", "undefined"}
        options.refuse_rules({name: value for name, value in rules.items() if name not in named})
        counted = typed.counted(level, collection_size)
        result = verb(wanted, counted, query=query, show=show, running=running, undefined=undefined)
    result = replace(result, more="--show {}")
    output.deliver(output.rendered(result, form, plain=to is not None), to)


def _with_parameters(measure: Measure, **typed: str | None) -> Measure:
    """The measure with parameters that were typed as options, unless the measure's own text has them."""
    from assay.measures.parser import parse_value  # noqa: PLC0415

    said = {name: text for name, text in typed.items() if text is not None}
    for name in said:
        if name in measure.given:
            raise ParameterError(f"{name} is said twice: in {measure} and by --{name}")
    return measure(**{name: parse_value(text) for name, text in said.items()})


class _Typed(NamedTuple):
    """Lists as they were typed, and what was said of them."""

    grades: list[str] | None
    counts: list[str] | None
    points: list[str] | None
    relevant: list[int] | None
    exist: list[str] | None
    swap: list[str] | None

    def refuse(self, why: str, *names: str) -> None:
        """Refuse what has no meaning here."""
        for name in names:
            if getattr(self, name):
                raise ParameterError(f"--{name} {why}")

    def counted(self, level: float, collection_size: int | None) -> Ranks | Confusion | GivenCurve:
        """The counts that the lists stand for."""
        if self.grades:
            return self._ranks(level, collection_size)
        why = f"{_GRADES_ONLY}, not with --{'counts' if self.counts else 'points'}"
        self.refuse(why, "relevant", "exist", "swap")
        if level != 1:
            raise ParameterError(f"--level {why}: what is relevant is decided there")
        if self.counts:
            return _confusion(self.counts, collection_size)
        return _curve(self.points or [], collection_size)

    def _ranks(self, level: float, collection_size: int | None) -> Ranks:
        from assay.explanation import ranks_of  # noqa: PLC0415
        from assay.files.lists import grades_in, numbers_by_grade, swapped  # noqa: PLC0415

        lists = _named(self.grades or [])
        grades = [grades_in(one.text) for one in lists]
        for ranks in self.swap or []:
            grades = [swapped(one, ranks) for one in grades]
        said: dict[str, Any] = {"relevant": self.relevant or None}
        said["exist"] = [numbers_by_grade(text) for text in self.exist] if self.exist else None
        return ranks_of(*grades, **said, collection_size=collection_size, level=level, names=_names(lists))


def _confusion(typed: list[str], collection_size: int | None) -> Confusion:
    from assay.files.lists import cells_in  # noqa: PLC0415

    lists = _named(typed)
    tables = [cells_in(one.text) for one in lists]
    if len({len(cells) for cells in tables}) > 1:
        raise ParameterError("give TP,FP,FN,TN for every query, or TP,FP,FN for every query")
    if collection_size is not None:
        if any(len(cells) == 4 or collection_size < sum(cells) for cells in tables):
            raise ParameterError("--collection-size goes with TP,FP,FN, and is not less than their sum")
        tables = [[*cells, collection_size - sum(cells)] for cells in tables]
    return _confusion_of(tables, _names(lists))


def _confusion_of(tables: list[list[int]], names: list[str]) -> Confusion:
    import numpy as np  # noqa: PLC0415

    from assay.counting import Confusion  # noqa: PLC0415

    tp, fp, fn, *tn = (np.array(cell, dtype=np.int64) for cell in zip(*tables, strict=True))
    return Confusion(tuple(names), tp, fp, fn, tn[0] if tn else None)


def _curve(typed: list[str], collection_size: int | None) -> GivenCurve:
    from assay.files.lists import points_in  # noqa: PLC0415
    from assay.measures.given_curve import GivenCurve  # noqa: PLC0415

    if collection_size is not None:
        raise ParameterError("--collection-size has no meaning for points of a precision-recall curve")
    lists = _named(typed)
    return replace(GivenCurve.from_points(*(points_in(one.text) for one in lists)), units=tuple(_names(lists)))


def _named(typed: list[str]) -> list[Named]:
    from assay.files.lists import Named  # noqa: PLC0415

    return [Named.of(text) for text in typed]


def _names(lists: list[Named]) -> list[str]:
    """What the queries are called: as said, or q1, q2 and so on."""
    names = [one.name or f"q{number}" for number, one in enumerate(lists, 1)]
    for name in names:
        if names.count(name) > 1:
            raise ParameterError(f"two lists are called {name!r}")
    return names
