"""`assay correlate QRELS RUN...`, `assay correlate SCORES`, `assay correlate A.csv B.csv`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli import inputs, options, output
from assay.cli import tests_of_differences as tested
from assay.core.errors import InputError, ParameterError, number_of

if TYPE_CHECKING:
    from assay.correlation import Correlations

_LISTS = "What is correlated"
_TABLES = (".csv", ".tsv")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="correlate")(correlate)


def correlate(
    given: Annotated[
        str, typer.Argument(metavar="QRELS", help="Judgments; or a CSV of scores; or a CSV of names and numbers.")
    ],
    runs: Annotated[
        list[str] | None, typer.Argument(metavar="RUN", help="Runs; or a second CSV of names and numbers.")
    ] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option("-m", "--measure", help="Two measures or more; one, if judgments or topics differ."),
    ] = None,
    other_qrels: Annotated[
        list[str] | None,
        typer.Option(help="Other judgments for the same runs; repeat.", rich_help_panel=_LISTS),
    ] = None,
    topics_of: Annotated[
        list[str] | None,
        typer.Option(help="A file of topics, an id a line; give two.", rich_help_panel=_LISTS),
    ] = None,
    split: Annotated[
        int | None, typer.Option(help="Two random sets of so many topics each.", min=1, rich_help_panel=_LISTS)
    ] = None,
    direction: tested.Direction = None,
    confidence: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    resamples: Annotated[int, typer.Option(help="How often topics are drawn anew; 0 for not.", min=0)] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of everything random.", min=0)] = 0,
    json: output.Json = False,
    csv: output.Csv = False,
    markdown: output.Markdown = False,
    latex: output.Latex = False,
    to: output.Output = None,
    quiet: options.Quiet = False,
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
) -> None:
    """Say whether two measures, two sets of judgments or two topic sets order systems alike.

    Give judgments, runs and two measures; or --other-qrels, --topics-of or --split and one measure. Or a CSV of scores
    as `assay compare` reads it, with -m. Or lists: one CSV with a column of names and two of numbers, or two CSVs with
    a column each.
    """
    form = output.form_of(json=json, csv=csv, markdown=markdown, latex=latex)
    files = [given, *(runs or ())]
    settings: dict[str, Any] = {"level": confidence, "resamples": resamples, "seed": seed}
    settings["direction"] = tested.directions(direction)
    if not measure and len(files) <= 2 and all(Path(file).suffix.lower() in _TABLES for file in files):
        _refuse(other_qrels=other_qrels, topics_of=topics_of, split=split)
        result = _of_lists(files, settings)
    else:
        rules = options.rules(level, ties, missing, unjudged, duplicates, rank_by, depth, judged_only, collection_size)
        rules |= {"undefined": undefined, "compat": compat, "judge": judge}
        result = _of_systems(
            given, runs or [], _measures(measure), (other_qrels, topics_of, split), settings, rules, quiet=quiet
        )
    _refuse_constant(result, None if runs else given)
    text = output.rendered(result, form, plain=to is not None)
    if not quiet:
        inputs.say(None, result.notes)
    output.deliver(text, to)


def _of_systems(
    given: str,
    runs: list[str],
    measures: list[str],
    asked: tuple[list[str] | None, list[str] | None, int | None],
    settings: dict[str, Any],
    rules: dict[str, Any],
    *,
    quiet: bool,
) -> Correlations:
    from assay import correlation as verb  # noqa: PLC0415  # `assay --help` need not load Polars
    from assay.files.small_tables import read_scores  # noqa: PLC0415

    other_qrels, topics_of, split = asked
    chosen = [
        name for name, said in (("--other-qrels", other_qrels), ("--topics-of", topics_of), ("--split", split)) if said
    ]
    if len(chosen) > 1:
        raise ParameterError(f"choose one of {' and '.join(chosen)}")
    if chosen and len(measures) != 1:
        raise ParameterError(f"{chosen[0]} takes one measure: say -m once")
    if not chosen and runs and len(measures) < 2:
        raise ParameterError("say two measures, as in -m AP -m nDCG@10; or --other-qrels, --topics-of or --split")
    if topics_of and len(topics_of) < 2:
        raise ParameterError("--topics-of takes a file of topics: give it twice")
    if other_qrels and not runs:
        raise ParameterError("--other-qrels goes with judgments and runs, not with scores")
    if not runs:
        scores = read_scores(given, measure=measures[0] if measures else "score")
        return _topics_or_measures(scores, measures, topics_of, split, settings)
    evaluation, *others = (
        inputs.evaluated(qrels, runs, measures, rules, quiet) for qrels in (given, *(other_qrels or ()))
    )
    with inputs.working("correlating", hidden=quiet):
        if others:
            result = verb.correlate(evaluation, *others, **settings)
        else:
            result = _topics_or_measures(evaluation, measures, topics_of, split, settings)
    for one in () if quiet else (evaluation, *others):
        inputs.say_what_was_read(one)
    return result


def _topics_or_measures(
    given: Any, measures: list[str], topics_of: list[str] | None, split: int | None, settings: dict[str, Any]
) -> Correlations:
    from assay import correlation as verb  # noqa: PLC0415

    if topics_of:
        from assay.files.small_tables import read_ids  # noqa: PLC0415

        sets = [read_ids(file) for file in topics_of]
        names = [Path(file).stem for file in topics_of]
        return verb.correlate(given, measure=measures[0], units=sets, names=names, **settings)
    if split:
        return verb.correlate(given, measure=measures[0], split=split, **settings)
    return verb.correlate(given, *measures, **settings)


def _measures(given: list[str] | None) -> list[str]:
    from assay.measures.parser import split_measures  # noqa: PLC0415

    return [name for text in given or () for name in split_measures(text)]


def _refuse(**given: Any) -> None:
    for name, value in given.items():
        if value:
            option = name.replace("_", "-")
            raise ParameterError(
                f"--{option} goes with judgments and runs, or with scores and -m, not with lists: "
                "if this is a matrix of scores, add -m NAME"
            )


def _of_lists(files: list[str], settings: dict[str, Any]) -> Correlations:
    """Columns of numbers, matched by the names in the first column."""
    from assay import correlation as verb  # noqa: PLC0415
    from assay.files.small_tables import read_numbers  # noqa: PLC0415

    stems = [Path(file).stem for file in files]
    called = stems if len(set(stems)) == len(stems) else files
    names: list[str] = []
    numbers: list[dict[str, float | None]] = []
    for file, short in zip(files, called, strict=True):
        for name, values in read_numbers(file).items():
            names.append(f"{name} ({short})" if len(files) > 1 else name)
            numbers.append(values)
    if len(numbers) < 2:
        raise ParameterError(f"{files[0]}: one column of numbers: give a second one, or a second file")
    return verb.correlate(*numbers, names=names, **settings)


def _refuse_constant(result: Correlations, file: str | None) -> None:
    """Refuse lists without an order; `file` is the one that all lists come from, if there is one."""
    if result.constant:
        where = "" if file is None else f"{file}: "
        several = number_of(result.item, 2).removeprefix("2 ")
        names = " and ".join(result.constant)
        raise InputError(f"{where}{names}: all {several} have the same number: there is no order to correlate")
