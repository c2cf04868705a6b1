"""`assay abtest ...`: commands on A/B tests."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from assay.cli import inputs, options
from assay.cli.compare import Comparing, deliver_comparison
from assay.cli.doctor import Diagnosing, examined
from assay.cli.explain import Explaining, deliver_explanation
from assay.cli.gate import Gating, TwoNames, decided
from assay.cli.literals import list_of_numbers
from assay.cli.options import Evaluating, Output
from assay.cli.power import Planning, deliver_plan, plan_without_data
from assay.cli.report import Reporting, write_report
from assay.core import options as shared
from assay.core.errors import ParameterError
from assay.core.evaluation_options import option

TestFile: TypeAlias = Annotated[
    str, options.argument("TEST", "One row per user, with the variant and what the user did; - for stdin.")
]


def evaluate(
    path: TestFile, to: Evaluating, rules: shared.ExperimentRules, confidence: shared.Confidence = 0.95
) -> None:
    """Show what the users of each variant did, with intervals, and whether users are divided as planned.

    Without -m: the mean of every column of numbers. Ratios are `-m clicks/pages`; also `median(seconds)`,
    `quantile(seconds, 0.9)`, `capped(revenue, 500)` and `winsorised(revenue, 0.999)`.

    $ assay abtest evaluate abtest/users.csv
    $ assay abtest evaluate abtest/users.csv -m clicks/searches --weights 1,1
    """
    from assay.subjects.experiments.evaluation import abtest

    stated = {"measures": to.measures or None, "confidence": confidence, **_weights(rules)}
    inputs.give(abtest, "counting", to, _opened(path, rules), **stated)


def compare(path: TestFile, to: Comparing, rules: shared.ExperimentRules, direction: options.Direction = ()) -> None:
    """Test whether users of one variant do better than those of the control, by Welch's test.

    The control is a variant called so, or the first by name, unless -b names one.

    $ assay abtest compare abtest/users.csv
    $ assay abtest compare abtest/users.csv -m converted -m clicks/searches
    """
    deliver_comparison([_opened(path, rules)], _weights(rules) | inputs.directions(direction), to)


def explain(
    measure: options.MeasureName,
    path: TestFile,
    rules: shared.ExperimentRules,
    to: Explaining,
    variant: Annotated[str | None, option(metavar="VARIANT", help="Whose number, of several variants.")] = None,
) -> None:
    """Show the sums that a number is made of, its test against the control, and the users with the largest numbers.

    $ assay abtest explain clicks abtest/users.csv
    """
    deliver_explanation(measure, [_opened(path, rules)], {**_weights(rules), "system": variant}, to)


def report(path: TestFile, to: Reporting, rules: shared.ExperimentRules, direction: options.Direction = ()) -> None:
    """Write a report on an A/B test: the decision, its soundness, every difference, and what heavy users do to it.

    $ assay abtest report abtest/users.csv -m converted -o abtest.html
    """
    stated = {**to.testing, **_weights(rules), **inputs.directions(direction)}
    write_report(_opened(path, rules), None, stated, to)


@decided
def gate(
    path: TestFile, two: TwoNames, to: Gating, rules: shared.ExperimentRules, direction: options.Direction = ()
) -> Any:
    """Decide whether a variant may replace the control: exit 0 not worse, 1 worse, 3 inconclusive.

    Worse means: by the margin or more. Exit 2 if the input is invalid. Without -m: the first column of numbers.

    $ assay abtest gate abtest/users.csv -m converted
    """
    return to.gate([_opened(path, rules), *two.names], _weights(rules) | inputs.directions(direction))


def doctor(path: TestFile, rules: shared.ExperimentRules, to: Diagnosing) -> int:
    """Check an A/B test for what makes numbers wrong: the split, users in several variants, single large users.

    Exit 1 if there is an error among the findings.

    $ assay abtest doctor abtest/users.csv
    """
    return examined("experiments", [inputs.kept(path)], to, _weights(rules))


def power(to: Planning, rules: shared.ExperimentRules, path: TestFile | None = None) -> None:
    """Estimate how many users it takes to detect a difference, and the smallest one that these users can show.

    Users are those of all variants together, divided between them as in the file; without a file, --sd is the standard
    deviation of the users' numbers, and each of two variants has half of the users.

    $ assay abtest power abtest/users.csv -m converted --difference 0.01
    $ assay abtest power --sd 0.4 --difference 0.01
    """
    if path is None:
        plan_without_data(to, "user", ("TEST", path), groups=2, **rules)
        return
    deliver_plan(_opened(path, rules), _weights(rules), to)


def assign(
    key: Annotated[str, options.argument("EXPERIMENT", "The key of the experiment, which is hashed with each user.")],
    to: Output,
    units: Annotated[
        str | None, options.argument("USERS", "Ids: one per line, or a table with a column user_id; - for stdin.")
    ] = None,
    unit: Annotated[tuple[str, ...], option("--unit", metavar="ID", help="A user instead of a file; repeat.")] = (),
    variants: Annotated[str, option(metavar="A,B", help="The variants (control,treatment).")] = "control,treatment",
    weights: Annotated[str | None, option(metavar="0.9,0.1", help="Their shares (equal ones).")] = None,
    coverage: Annotated[float, option(help="Share of all users that take part (1).")] = 1.0,
    hash: Annotated[str, option(help="v2 (default) and v1, as GrowthBook's SDKs have them; blake2.")] = "v2",
    seed: Annotated[str | None, option("--salt", metavar="TEXT", help="What is hashed instead of the key.")] = None,
    namespace: Annotated[
        str | None, option(metavar="NAME,0,0.5", help="A part of all users that excludes the other parts.")
    ] = None,
    against: Annotated[
        tuple[str, ...], option(metavar="KEY", help="Also check independence of this experiment; repeat.")
    ] = (),
) -> None:
    """Assign users to variants by a hash of their ids, and check that it is uniform and independent.

    As CSV: one row per user. A search service imports `assay.core.assignment`, which loads nothing else.

    $ assay abtest assign new-ranking abtest/users.csv --weights 0.9,0.1
    $ assay abtest assign new-ranking --unit u0001 --unit u0002 --csv
    """
    from assay.core.assignment import Assignment, Namespace  # noqa: PLC0415
    from assay.subjects.experiments.assigned import assign_units  # noqa: PLC0415  # `assay --help` need not load Polars

    if (units is None) == (not unit):
        raise ParameterError("give a file of users, or --unit, and not both")
    shares: Any = None if weights is None else tuple(list_of_numbers(weights, "--weights"))
    space = None
    if namespace is not None:
        name, *ends = namespace.split(",")
        low, high = list_of_numbers(",".join(ends), "--namespace") if len(ends) == 2 else (0.0, 1.0)
        space = Namespace(name, low, high)
    named: Any = {"variants": tuple(variants.split(",")), "weights": shares, "hash": hash}
    experiment = Assignment(key, **named, coverage=coverage, seed=seed, namespace=space)
    others = [Assignment(other, **named) for other in against]
    given = list(unit) if units is None else inputs.kept(units)
    inputs.give(assign_units, "assigning", to, given, experiment, against=others)


def _opened(path: str, rules: shared.ExperimentRules) -> Any:
    """The A/B test in a file."""
    from assay.files.experiments import read_experiment

    return read_experiment(inputs.kept(path), columns=rules.get("columns"), control=rules.get("control"))


def _weights(rules: shared.ExperimentRules) -> dict[str, Any]:
    """The planned shares, as they were typed."""
    typed: Any = rules.get("weights")
    return {} if typed is None else {"weights": list_of_numbers(typed, "--weights")}
