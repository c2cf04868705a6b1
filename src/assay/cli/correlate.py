"""`correlate`, of runs and of scores: its options, and what is held against what."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from assay.cli import output
from assay.cli.options import Measured, Output, group
from assay.core.errors import InputError, ParameterError, number_of
from assay.core.evaluation_options import option
from assay.core.options import Sampling

if TYPE_CHECKING:
    from assay.verbs.correlation import Correlations


@group
class Correlating(Output, Measured):
    """The lists that are correlated: of measures, or of sets of topics; and the form."""

    topics_of: Annotated[
        tuple[str, ...], option(metavar="FILE", help="A file of topics, one id per line; give two.")
    ] = ()
    split: Annotated[int | None, option(help="Two random sets of N topics each.", least=1)] = None


def drawing_of(sampling: Sampling) -> dict[str, Any]:
    """The options of intervals that were set, as `correlate` calls them."""
    return {"level" if name == "confidence" else name: value for name, value in sampling.items()}


def chosen_ways(topics: Correlating, measures: list[str], other_qrels: tuple[str, ...]) -> list[str]:
    """The lists that were asked for, besides those of measures."""
    ways = {"--other-qrels": other_qrels, "--topics-of": topics.topics_of, "--split": topics.split}
    chosen = [name for name, value in ways.items() if value]
    if len(chosen) > 1:
        raise ParameterError(f"choose one of {' and '.join(chosen)}")
    if chosen and len(measures) != 1:
        raise ParameterError(f"{chosen[0]} takes one measure: say -m once")
    if len(topics.topics_of) == 1:
        raise ParameterError("--topics-of takes a file of topics: give it twice")
    return chosen


def topics_or_measures(table: Any, measures: list[str], topics: Correlating, stated: dict[str, Any]) -> Correlations:
    """Two sets of topics under one measure, or measures, held against each other."""
    from assay.verbs.correlation import correlate

    if topics.topics_of:
        from assay.files.small_tables import read_ids

        sets = [read_ids(file) for file in topics.topics_of]
        names = [Path(file).stem for file in topics.topics_of]
        return correlate(table, measure=measures[0], units=sets, names=names, **stated)
    if topics.split:
        return correlate(table, measure=measures[0], split=topics.split, **stated)
    return correlate(table, *measures, **stated)


def deliver_correlations(result: Correlations, file: str | None, to: Output) -> None:
    """Give the result; lists without an order are refused, `file` is the one that all of them come from."""
    if result.constant:
        where = "" if file is None else f"{file}: "
        several = number_of(result.item, 2).removeprefix("2 ")
        names = " and ".join(result.constant)
        raise InputError(f"{where}{names}: all {several} have the same number: there is no order to correlate")
    output.give(result, to, notes=result.notes)
