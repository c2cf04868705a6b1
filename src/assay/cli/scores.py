"""`assay scores ...`: commands on numbers that any tool made."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from assay.cli import inputs, items, options
from assay.cli.compare import Comparing, deliver_comparison
from assay.cli.correlate import Correlating, chosen_ways, deliver_correlations, drawing_of, topics_or_measures
from assay.cli.doctor import Diagnosing, examined
from assay.cli.explain import Explaining, deliver_explanation
from assay.cli.gate import Gating, TwoNames, decided
from assay.cli.literals import order_in
from assay.cli.options import settings
from assay.cli.power import Planning, deliver_plan, plan_without_data
from assay.cli.report import Reporting, write_report
from assay.core import options as shared
from assay.core.errors import ParameterError
from assay.core.evaluation_options import Columns, Undefined, option

if TYPE_CHECKING:
    from assay.verbs.correlation import Correlations


def compare(
    path: options.ScoreFile,
    to: Comparing,
    direction: options.Direction = (),
    undefined: Undefined | None = None,
    columns: Columns = None,  # noqa: ARG001  # `calling` sees to it
) -> None:
    """Test whether one system is better than another, from scores alone, and how certain that is.

    Scores are `system,measure,unit,value`, what `assay evaluate -q --csv` writes, or a matrix with one column per
    system (then -m names what was measured).

    $ assay evaluate qrels.txt words.run stems.run -q --csv -o scores.csv
    $ assay scores compare scores.csv -m AP
    """
    rules = {} if undefined is None else {"undefined": undefined}
    deliver_comparison([inputs.kept(path)], inputs.directions(direction) | rules, to)


def explain(
    measure: Annotated[str, options.argument("COEFFICIENT", "Kendall, tau, Spearman, tau_AP or RBO.")],
    to: Explaining,
    path: Annotated[str | None, options.argument("FILE", "A CSV of names and two columns of numbers.")] = None,
    order: Annotated[
        tuple[str, ...], option(metavar="'A B=C D'", help="Items, the best first, = between tied ones; twice.")
    ] = (),
) -> None:
    """Show how a rank correlation of two orders was computed, step by step.

    $ assay scores explain Kendall --order 'A B C D' --order 'B A C D'
    """
    from assay.measures import parse_measure

    deliver_explanation(parse_measure(measure, "order"), _two_orders(measure, order, path), {}, to)


def _two_orders(measure: str, orders: tuple[str, ...], path: str | None) -> list[Any]:
    """The two orders that were typed, or the two columns of numbers in a file."""
    if orders:
        if path is not None or len(orders) != 2:
            raise ParameterError(f"{measure} takes --order twice, and no file: got {len(orders)} of them")
        return [order_in(text) for text in orders]
    if path is None:
        raise ParameterError(f"{measure} is about two orders: --order 'A B C' --order 'B A C', or a CSV of numbers")
    from assay.files.small_tables import read_numbers

    columns = read_numbers(path)
    if len(columns) != 2:
        raise ParameterError(f"{path}: expected two columns of numbers beside the names, got {len(columns)}")
    for name, numbers in columns.items():
        for item, number in numbers.items():
            if number is None:
                raise ParameterError(f"{path}: {name}: {item}: expected a number, got nothing")
    return list(columns.values())


def report(
    path: options.ScoreFile,
    to: Reporting,
    direction: options.Direction = (),
    columns: Columns = None,  # noqa: ARG001  # `calling` sees to it
) -> None:
    """Write a report from scores alone: which system is better, and how certain that is.

    $ assay scores report scores.csv -m AP -o scores.html
    """
    write_report(inputs.kept(path), None, {**to.testing, **inputs.directions(direction)}, to)


@decided
def gate(
    path: options.ScoreFile,
    two: TwoNames,
    to: Gating,
    direction: options.Direction = (),
    undefined: Undefined | None = None,
    columns: Columns = None,  # noqa: ARG001  # `calling` sees to it
) -> Any:
    """Decide whether a new system may replace the baseline: exit 0 not worse, 1 worse, 3 inconclusive.

    Worse means: by the margin or more. Exit 2 if the input is invalid. Name two of several systems by -b and -c.
    Without -m: all measures in the file.

    $ assay scores gate scores.csv -b words -c stems -m AP
    """
    from assay.files.small_tables import read_scores

    table = read_scores(path, **({"measure": to.measures[0]} if to.measures else {}))
    rules = {} if undefined is None else {"undefined": undefined}
    return to.gate([table, *two.names], inputs.directions(direction) | rules)


def doctor(
    path: options.ScoreFile,
    to: Diagnosing,
    columns: Columns = None,  # noqa: ARG001  # `calling` sees to it
) -> int:
    """Check scores of systems for anything that makes comparisons wrong or misleading.

    It goes on where `assay scores compare` refuses a second value. Exit 1 if there is an error among the findings.

    $ assay scores doctor scores.csv
    $ assay scores doctor scores.csv --all
    """
    return examined("scores", [path], to)


def power(
    to: Planning,
    path: options.ScoreFile | None = None,
    columns: Columns = None,  # noqa: ARG001  # `calling` sees to it
) -> None:
    """Estimate how many units it takes to detect a difference, and the smallest one that these units can show.

    Without a file, --sd and --difference say how many units a difference takes.

    $ assay scores power scores.csv -m AP
    $ assay scores power --sd 0.2 --difference 0.05
    """
    if path is None:
        plan_without_data(to, "unit", ("SCORES", path))
        return
    deliver_plan(inputs.kept(path), {}, to)


def correlate(
    files: Annotated[
        list[str], options.argument("FILE", "A CSV of scores, with -m; or one or two CSVs of names and numbers.")
    ],
    to: Correlating,
    sampling: shared.Sampling,
    direction: options.Direction = (),
) -> None:
    """Check whether measures, topic sets or lists of numbers rank systems alike.

    A CSV of scores as `assay scores compare` reads it, with -m. Or lists: one CSV with a column of names and two of
    numbers, or two CSVs with a column each.

    $ assay scores correlate scores.csv -m AP -m RR
    """
    from assay.files.small_tables import read_scores

    names = options.measure_names(to.measures)
    stated = drawing_of(sampling) | inputs.directions(direction)
    if names:
        chosen_ways(to, names, ())
        if len(files) > 1:
            raise ParameterError(f"expected one file of scores with -m, got {len(files)}")
        table = read_scores(files[0], measure=names[0])
        with inputs.working("correlating", hidden=to.quiet):
            result = topics_or_measures(table, names, to, stated)
    else:
        why = "goes with scores and -m, not with lists: if this is a matrix of scores, add -m NAME"
        items.refuse(settings(to, "topics_of", "split"), why)
        with inputs.working("correlating", hidden=to.quiet):
            result = _of_lists(files, stated)
    deliver_correlations(result, files[0] if len(files) == 1 else None, to)


def _of_lists(files: list[str], stated: dict[str, Any]) -> Correlations:
    """Columns of numbers, matched by the names in the first column."""
    from assay.files.small_tables import read_numbers
    from assay.verbs.correlation import correlate

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
