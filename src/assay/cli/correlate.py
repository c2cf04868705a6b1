"""`assay correlate QRELS RUN...` and `assay scores correlate FILE...`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from assay.cli import inputs, items, options, output
from assay.cli.options import Measured, Output, group, settings
from assay.core.errors import InputError, ParameterError, number_of
from assay.core.evaluation_options import EvaluationRules, option
from assay.core.options import Sampling

if TYPE_CHECKING:
    from assay.verbs.correlation import Correlations


@group
class Correlating(Output, Measured):
    """What is held against what: measures, or sets of topics; and the form."""

    topics_of: Annotated[
        tuple[str, ...], option(metavar="FILE", help="A file of topics, one id per line; give two.")
    ] = ()
    split: Annotated[int | None, option(help="Two random sets of N topics each.", least=1)] = None


def search(
    qrels: options.Judgments,
    runs: options.Runs,
    to: Correlating,
    sampling: Sampling,
    rules: EvaluationRules,
    other_qrels: Annotated[
        tuple[str, ...], option(metavar="QRELS", help="Other judgments for the same runs; repeat.")
    ] = (),
) -> None:
    """Check whether two measures, two sets of judgments or two topic sets rank systems alike.

    Name two measures; or --other-qrels, --topics-of or --split and one measure.

    $ assay correlate qrels.txt words.run stems.run alphabet.run -m AP -m nDCG@10
    """
    from assay.subjects.ranking.evaluation import evaluate  # noqa: PLC0415
    from assay.verbs.correlation import correlate  # noqa: PLC0415  # `assay --help` need not load Polars

    names = options.measure_names(to.measures)
    chosen = _chosen(to, names, other_qrels)
    if not chosen and len(names) < 2:
        raise ParameterError("say two measures, as in -m AP -m nDCG@10; or --other-qrels, --topics-of or --split")
    evaluations = []
    for judgments in (qrels, *other_qrels):
        files = inputs.opened(judgments, runs)
        with inputs.progress(files, hidden=to.quiet):
            evaluations.append(evaluate(judgments, files, names, **rules))
    with inputs.working("correlating", hidden=to.quiet):
        if other_qrels:
            result = correlate(*evaluations, **_drawing(sampling))
        else:
            result = _topics_or_measures(evaluations[0], names, to, _drawing(sampling))
    for evaluation in () if to.quiet else evaluations:
        inputs.say_what_was_read(evaluation)
    _deliver(result, None, to)


def scores(
    files: Annotated[
        list[str], options.argument("FILE", "A CSV of scores, with -m; or one or two CSVs of names and numbers.")
    ],
    to: Correlating,
    sampling: Sampling,
    direction: options.Direction = (),
) -> None:
    """Check whether measures, topic sets or lists of numbers rank systems alike.

    A CSV of scores as `assay scores compare` reads it, with -m. Or lists: one CSV with a column of names and two of
    numbers, or two CSVs with a column each.

    $ assay scores correlate scores.csv -m AP -m RR
    """
    from assay.files.small_tables import read_scores  # noqa: PLC0415  # `assay --help` need not load Polars

    names = options.measure_names(to.measures)
    stated = _drawing(sampling) | inputs.directions(direction)
    if names:
        _chosen(to, names, ())
        if len(files) > 1:
            raise ParameterError(f"expected one file of scores with -m, got {len(files)}")
        table = read_scores(files[0], measure=names[0])
        result = _topics_or_measures(table, names, to, stated)
    else:
        why = "goes with scores and -m, not with lists: if this is a matrix of scores, add -m NAME"
        items.refuse(settings(to, "topics_of", "split"), why)
        result = _of_lists(files, stated)
    _deliver(result, files[0] if len(files) == 1 else None, to)


def _drawing(sampling: Sampling) -> dict[str, Any]:
    """What was set of the intervals, as `correlate` calls it."""
    return {"level" if name == "confidence" else name: value for name, value in sampling.items()}


def _chosen(topics: Correlating, measures: list[str], other_qrels: tuple[str, ...]) -> list[str]:
    """What is held against what, besides measures."""
    ways = {"--other-qrels": other_qrels, "--topics-of": topics.topics_of, "--split": topics.split}
    chosen = [name for name, value in ways.items() if value]
    if len(chosen) > 1:
        raise ParameterError(f"choose one of {' and '.join(chosen)}")
    if chosen and len(measures) != 1:
        raise ParameterError(f"{chosen[0]} takes one measure: say -m once")
    if len(topics.topics_of) == 1:
        raise ParameterError("--topics-of takes a file of topics: give it twice")
    return chosen


def _topics_or_measures(table: Any, measures: list[str], topics: Correlating, stated: dict[str, Any]) -> Correlations:
    from assay.verbs.correlation import correlate  # noqa: PLC0415

    if topics.topics_of:
        from assay.files.small_tables import read_ids  # noqa: PLC0415

        sets = [read_ids(file) for file in topics.topics_of]
        names = [Path(file).stem for file in topics.topics_of]
        return correlate(table, measure=measures[0], units=sets, names=names, **stated)
    if topics.split:
        return correlate(table, measure=measures[0], split=topics.split, **stated)
    return correlate(table, *measures, **stated)


def _of_lists(files: list[str], stated: dict[str, Any]) -> Correlations:
    """Columns of numbers, matched by the names in the first column."""
    from assay.files.small_tables import read_numbers  # noqa: PLC0415
    from assay.verbs.correlation import correlate  # noqa: PLC0415

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
    return correlate(*numbers, names=names, **stated)


def _deliver(result: Correlations, file: str | None, to: Output) -> None:
    """Give the result; lists without an order are refused, `file` is the one that all of them come from."""
    if result.constant:
        where = "" if file is None else f"{file}: "
        several = number_of(result.item, 2).removeprefix("2 ")
        names = " and ".join(result.constant)
        raise InputError(f"{where}{names}: all {several} have the same number: there is no order to correlate")
    output.give(result, to, notes=result.notes)
