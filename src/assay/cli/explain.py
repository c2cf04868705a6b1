"""`assay explain MEASURE QRELS RUN --query Q`, `assay explain MEASURE --grades 3,2,0,1`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli import inputs, options, output
from assay.errors import ParameterError

if TYPE_CHECKING:
    from assay.counting import Confusion, Ranks

_LIST = "A list instead of files"
_UNJUDGED = {"-", "u", "?"}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="explain")(explain)


def explain(
    measure: Annotated[str, typer.Argument(metavar="MEASURE", help="The measure, such as nDCG@10.")],
    qrels: Annotated[str | None, typer.Argument(metavar="QRELS", help="Judgments.")] = None,
    run: Annotated[str | None, typer.Argument(metavar="RUN", help="The run.")] = None,
    query: Annotated[str | None, typer.Option("-q", "--query", help="Which query.")] = None,
    show: Annotated[int | None, typer.Option(help="How many ranks to show; default the cut-off, or 20.", min=1)] = None,
    grades: Annotated[
        str | None, typer.Option(help="Grades by rank, such as 3,2,0,-,1; - is not judged.", rich_help_panel=_LIST)
    ] = None,
    relevant: Annotated[
        int | None, typer.Option(help="How many relevant documents there are in all.", min=0, rich_help_panel=_LIST)
    ] = None,
    exist: Annotated[
        str | None, typer.Option(help="How many documents of each grade exist: 3:5,2:10.", rich_help_panel=_LIST)
    ] = None,
    counts: Annotated[
        str | None, typer.Option(help="TP,FP,FN or TP,FP,FN,TN, for measures of sets.", rich_help_panel=_LIST)
    ] = None,
    gain: Annotated[str | None, typer.Option(help="As the parameter of the measure.", rich_help_panel=_LIST)] = None,
    discount: Annotated[
        str | None, typer.Option(help="As the parameter of the measure.", rich_help_panel=_LIST)
    ] = None,
    json: output.Json = False,
    csv: output.Csv = False,
    markdown: output.Markdown = False,
    latex: output.Latex = False,
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
    compat: options.Compat = None,
    judge: options.Judge = None,
    subtopics: options.Subtopics = False,
) -> None:
    """Show how a number came about: every step, the formula with the numbers in it, the result.

    From files: MEASURE QRELS RUN --query ID. From a list: MEASURE --grades 3,2,0,1, with --relevant or --exist for what
    was not retrieved; or MEASURE --counts TP,FP,FN,TN.
    """
    form = output.form_of(json=json, csv=csv, markdown=markdown, latex=latex)
    from assay.explanation import explain as verb  # noqa: PLC0415  # `assay --help` need not load Polars
    from assay.measures import parse_measure  # noqa: PLC0415

    chosen = {name: value for name, value in {"gain": gain, "discount": discount}.items() if value is not None}
    wanted = parse_measure(measure)(**chosen)
    given = [
        name for name, value in {"QRELS": qrels, "--grades": grades, "--counts": counts}.items() if value is not None
    ]
    if len(given) != 1:
        raise ParameterError("give judgments and a run, or --grades, or --counts" + (", not several" if given else ""))
    rules = options.rules(level, ties, missing, unjudged, duplicates, rank_by, depth, judged_only, collection_size)
    rules |= {"compat": compat, "judge": judge}
    if qrels is not None:
        if run is None:
            raise ParameterError("give a run after the judgments")
        _refuse("goes with --grades, not with files", relevant=relevant, exist=exist)
        rules |= {"subtopics": True} if subtopics else {}  # not said is not no
        result = verb(wanted, qrels, inputs.opened(qrels, [run]), query=query, show=show, **rules)
    else:
        named = {"relevance_level", "collection_size"}
        options.refuse_rules({name: value for name, value in rules.items() if name not in named})
        _refuse("goes with files, not with a list", query=query)
        if counts is not None:
            _refuse("goes with --grades, not with --counts", relevant=relevant, exist=exist)
        result = verb(wanted, _counts(grades, counts, (relevant, exist, collection_size, level)), show=show)
    output.deliver(output.rendered(result, form, plain=to is not None), to)


def _counts(
    grades: str | None, counts: str | None, said: tuple[int | None, str | None, int | None, float]
) -> Ranks | Confusion:
    from assay.counting import Confusion  # noqa: PLC0415
    from assay.explanation import ranks_of  # noqa: PLC0415

    relevant, exist, collection_size, level = said
    if counts is not None:
        cells = [_number(cell, "--counts") for cell in counts.split(",")]
        if len(cells) not in {3, 4} or any(cell < 0 or cell != int(cell) for cell in cells):
            raise ParameterError(f"--counts is three or four whole numbers, TP,FP,FN[,TN], not {counts!r}")
        if collection_size is not None:
            if len(cells) == 4 or collection_size < sum(cells):
                raise ParameterError("--collection-size goes with TP,FP,FN, and is not less than their sum")
            cells.append(collection_size - sum(cells))
        return Confusion.from_table(*map(int, cells))
    listed = [None if text.strip() in _UNJUDGED else _number(text, "--grades") for text in str(grades).split(",")]
    return ranks_of(listed, relevant=relevant, exist=_table(exist), collection_size=collection_size, level=level)


def _table(text: str | None) -> dict[float, int] | None:
    if text is None:
        return None
    made: dict[float, int] = {}
    for pair in text.split(","):
        grade, colon, count = pair.partition(":")
        if not colon or not count.strip().isdigit():
            raise ParameterError(f"--exist is grades and counts, such as 3:5,2:10, not {text!r}")
        number = _number(grade, "--exist")
        if number in made:
            raise ParameterError(f"--exist names grade {number:g} twice")
        made[number] = int(count)
    return made


def _refuse(why: str, **given: Any) -> None:
    for name, value in given.items():
        if value is not None:
            raise ParameterError(f"--{name} {why}")


def _number(text: str, option: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ParameterError(f"{option}: expected a number, got {text.strip()!r}")
    return number
