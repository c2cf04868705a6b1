"""`assay abtest ...`: commands on A/B tests."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, TypeAlias, TypeVar

from assay.cli import inputs, options, output
from assay.cli.compare import Comparing, deliver_comparison
from assay.cli.doctor import Diagnosing, examined
from assay.cli.explain import Explaining, deliver_explanation
from assay.cli.gate import Gating, TwoNames, decided
from assay.cli.literals import list_of_numbers
from assay.cli.options import Evaluating, Output, group
from assay.cli.power import Planning, deliver_plan, plan_without_data
from assay.cli.report import Reporting, write_report
from assay.core import options as shared
from assay.core.errors import ParameterError
from assay.core.evaluation_options import Columns, option

Held = TypeVar("Held")
Variants = Annotated[
    str, option("--variants", metavar="A,B", help="The variants, the control first (control,treatment).")
]
SpendingShape = Annotated[
    str, option("--spending", help="How alpha is spent over looks: kim-demets (default), obrien-fleming, pocock.")
]
TestFile: TypeAlias = Annotated[
    str, options.argument("TEST", "One row per user, with the variant and what the user did; - for stdin.")
]


def evaluate(
    path: TestFile,
    to: Evaluating,
    rules: shared.ExperimentRules,
    confidence: shared.Confidence = 0.95,
    by: shared.GroupsOfUsers | None = None,
    bayes: shared.WithBayes = False,
) -> None:
    """Show what the users of each variant did, with intervals, and whether users are divided as planned.

    Without -m: the mean of every column of numbers. Ratios are `-m clicks/pages`; also `median(seconds)`,
    `quantile(seconds, 0.9)`, `capped(revenue, 500)` and `winsorised(revenue, 0.999)`.

    $ assay abtest evaluate abtest/users.csv
    $ assay abtest evaluate abtest/users.csv -m clicks/searches --weights 1,1
    """
    from assay.subjects.experiments.evaluation import abtest

    more = {"by": by, "bayes": bayes, "confidence": confidence}
    stated = {"measures": to.measures or None, **more, **_stated(rules)}
    inputs.give(abtest, "counting", to, _opened(path, rules), **stated)


def compare(path: TestFile, to: Comparing, rules: shared.ExperimentRules, direction: options.Direction = ()) -> None:
    """Test whether users of one variant do better than those of the control, by Welch's test.

    The control is a variant called so, or the first by name, unless -b names one.

    $ assay abtest compare abtest/users.csv
    $ assay abtest compare abtest/users.csv -m converted -m clicks/searches
    """
    test = _opened(path, rules)
    agreed = _of_plan(rules, to) | ({} if to.baseline else {"baseline": test.variants[0]})
    deliver_comparison([test], _stated(rules) | inputs.directions(direction) | agreed, to)


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
    deliver_explanation(measure, [_opened(path, rules)], {**_stated(rules), "system": variant}, to)


def report(
    path: TestFile,
    to: Reporting,
    rules: shared.ExperimentRules,
    direction: options.Direction = (),
    by: shared.GroupsOfUsers | None = None,
    bayes: shared.WithBayes = False,
    same: shared.SameVariants = False,
) -> None:
    """Write a report on an A/B test: the decision, its soundness, every difference, and what heavy users do to it.

    $ assay abtest report abtest/users.csv -m converted -o abtest.html
    """
    more = {name: value for name, value in (("by", by), ("bayes", bayes), ("same", same)) if value}
    stated = {**to.testing, **_stated(rules), **inputs.directions(direction), **more}
    write_report(_opened(path, rules), None, stated, to)


@decided
def gate(
    path: TestFile, two: TwoNames, to: Gating, rules: shared.ExperimentRules, direction: options.Direction = ()
) -> Any:
    """Decide whether a variant may replace the control: exit 0 not worse, 1 worse, 3 inconclusive.

    Worse means: by the margin or more. Exit 2 if the input is invalid. Without -m: the first column of numbers.

    $ assay abtest gate abtest/users.csv -m converted
    """
    return to.gate([_opened(path, rules), *two.names], _stated(rules) | inputs.directions(direction))


def doctor(path: TestFile, rules: shared.ExperimentRules, to: Diagnosing) -> int:
    """Check an A/B test for what makes numbers wrong: the split, users in several variants, single large users.

    Exit 1 if there is an error among the findings.

    $ assay abtest doctor abtest/users.csv
    """
    layout = {name: value for name, value in rules.items() if name in {"control", "events", "window", "cluster"}}
    return examined("experiments", [inputs.kept(path)], to, {**layout, **_stated(rules)})


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
    deliver_plan(_opened(path, rules), _stated(rules), to)


@group
class PlannedSize:
    """What varies how much, and what is to be found."""

    difference: Annotated[float | None, option(help="The difference in the primary measure to be found.")] = None
    margin: Annotated[
        float | None, option(help="Instead: how much worse it may be (non-inferiority, for a cheaper ranker).")
    ] = None
    past: Annotated[str | None, option("--from", metavar="FILE", help="Users before the test: one row each.")] = None
    mean: Annotated[float | None, option(help="The control's number; of a share (0 to 1), its spread follows.")] = None
    sd: Annotated[float | None, option(help="The standard deviation of the users' numbers, without --from.")] = None
    users_per_day: Annotated[float | None, option(metavar="N", help="Users per day, of all variants.")] = None
    users: Annotated[int | None, option(help="Plan for so many users, whatever they show.", least=2)] = None
    covariate: Annotated[
        str | None, option(metavar="BEFORE", help="Adjust the primary measure by this number of before (CUPED).")
    ] = None
    looks: Annotated[int, option(help="Looks, the last one at the end (1).", least=1)] = 1
    spending: SpendingShape = "kim-demets"
    alpha: shared.Alpha = 0.05
    power: shared.Power = 0.8


def plan(
    key: Annotated[str, options.argument("EXPERIMENT", "A name for the test, which is also hashed with each user.")],
    size: PlannedSize,
    measure: Annotated[str | None, option("-m", "--measure", help="The primary measure: the one that decides.")] = None,
    secondary: Annotated[tuple[str, ...], option(metavar="MEASURE", help="A secondary measure; repeat.")] = (),
    guardrails: Annotated[
        tuple[str, ...], option("--guardrail", metavar="MEASURE=MARGIN", help="What may be worse by less; repeat.")
    ] = (),
    direction: options.Direction = (),
    variants: Variants = "control,treatment",
    weights: shared.VariantWeights = None,
    hypothesis: Annotated[str, option(metavar="TEXT", help="What is expected, and why.")] = "",
    output_file: Annotated[
        Path | None, option("-o", "--output", metavar="FILE", help="Write the plan (.toml), for --plan of compare.")
    ] = None,
    json: options.Json = False,
    overwrite: options.Overwrite = False,
    quiet: options.Quiet = False,
) -> None:
    """Plan a test: how many users and days it takes to show a difference, and when one looks; and write that down.

    With -o plan.toml, `compare --plan`, `report --plan` and `watch` test what was planned.

    $ assay abtest plan ranking -m converted --mean 0.08 --difference 0.02 --users-per-day 400
    $ assay abtest plan ranking -m clicks --from abtest/users.csv --difference 0.2
    """
    from assay.files.atomic import write_text  # `assay --help` need not load Polars
    from assay.subjects.experiments.planning import plan_test

    decides = _needed(measure, "-m", "the measure that decides")
    pairs = [text.rpartition("=") for text in guardrails]
    if not all(name for name, _, _ in pairs):
        raise ParameterError("--guardrail is MEASURE=MARGIN, as in latency_ms=5")
    stated = options.settings(size)
    if size.past is not None:
        stated["past"] = inputs.kept(size.past)
    ways = [(name, way) for name, _, way in (text.rpartition("=") for text in direction)]
    to = Output(json=json, overwrite=overwrite, quiet=quiet)
    result = inputs.result_of(
        plan_test, "planning", to, key, decides, secondary=secondary, hypothesis=hypothesis,
        guardrails=[(name, list_of_numbers(margin, "--guardrail")[0]) for name, _, margin in pairs],
        directions=[(name or decides, way) for name, way in ways], variants=tuple(variants.split(",")),
        weights=_shares(weights), **stated,
    )  # fmt: skip
    text = output.rendered(result, to)
    if output_file is not None:
        write_text(output_file, result.plan.to_toml(), overwrite=overwrite)
    output.deliver(text, to)


def watch(
    path: TestFile,
    to: Output,
    plan_file: Annotated[
        str | None, option("--plan", metavar="FILE", help="The plan, from `assay abtest plan -o`.")
    ] = None,
    record: Annotated[
        Path | None, option(metavar="FILE", help="Where looks are written down (PLAN.looks.jsonl).")
    ] = None,
    when: Annotated[str | None, option(metavar="TEXT", help="What this look is called (the time).")] = None,
    columns: Columns = None,
) -> None:
    """Look at a running test as it was planned: the same command each day, on all users so far.

    Bounds allow for all looks that are written down; this one is added. A look at as many users as the last one takes
    its place.

    $ assay abtest plan k -m clicks --sd 3 --margin 0.3 --variants 'control,new ranking' -o plan.toml
    $ assay abtest watch abtest/users.csv --plan plan.toml --when 'day 12'
    """
    from assay.files.atomic import write_text  # `assay --help` need not load Polars
    from assay.subjects.experiments.looks import looks_as_text, read_looks, watch

    agreed = _needed(plan_file, "--plan", "the file of the plan")
    target = Path(agreed).with_suffix(".looks.jsonl") if record is None else record
    test = _opened(path, {"columns": columns})
    result = inputs.result_of(watch, "looking", to, test, agreed, earlier=read_looks(target), when=when)
    text = output.rendered(result, to)
    output.remarks(result.warnings, quiet=to.quiet)
    write_text(target, looks_as_text(result.looks), overwrite=True)
    output.deliver(text, to)


def simulate(
    past: Annotated[str, options.argument("USERS", "Past users, one row each; - for stdin.")],
    to: Output,
    drawing: shared.SeedOption,
    measure: Annotated[str | None, option("-m", "--measure", help="The measure.")] = None,
    difference: Annotated[float | None, option(help="The difference that is added, to be found.")] = None,
    users: Annotated[
        int | None, option(help="Users of both variants (enough for --power in one look).", least=4)
    ] = None,
    looks: Annotated[int, option(help="Looks, equally far apart (14).", least=1)] = 14,
    tests: Annotated[int, option(help="Simulated tests (1000).", least=10)] = 1000,
    spending: SpendingShape = "kim-demets",
    alpha: shared.Alpha = 0.05,
    power: shared.Power = 0.8,
) -> None:
    """Simulate tests on your own users, of nothing and of a difference: what peeking costs, and what each way finds.

    $ assay abtest simulate abtest/users.csv -m clicks --difference 0.3
    """
    from assay.subjects.experiments.simulation import simulate_tests  # `--help` need not load Polars

    named = _needed(measure, "-m", "the measure")
    stated: dict[str, Any] = {"difference": _needed(difference, "--difference", "the difference to be found")}
    stated |= {"users": users, "looks": looks, "tests": tests, "spending": spending, "alpha": alpha, "power": power}
    inputs.give(simulate_tests, "simulating", to, inputs.kept(past), named, **stated, **drawing)


def assign(
    key: Annotated[str, options.argument("EXPERIMENT", "The key of the experiment, which is hashed with each user.")],
    to: Output,
    units: Annotated[
        str | None, options.argument("USERS", "Ids: one per line, or a table with a column user_id; - for stdin.")
    ] = None,
    unit: Annotated[tuple[str, ...], option("--unit", metavar="ID", help="A user instead of a file; repeat.")] = (),
    variants: Variants = "control,treatment",
    weights: shared.VariantWeights = None,
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
    from assay.core.assignment import Assignment, Namespace
    from assay.subjects.experiments.assigned import assign_units  # `assay --help` need not load Polars

    if (units is None) == (not unit):
        raise ParameterError("give a file of users, or --unit, and not both")
    shares: Any = _shares(weights)
    space = None
    if namespace is not None:
        name, *ends = namespace.split(",")
        low, high = list_of_numbers(",".join(ends), "--namespace") if len(ends) == 2 else (0.0, 1.0)
        space = Namespace(name, low, high)
    named: Any = {
        "variants": tuple(variants.split(",")),
        "weights": None if shares is None else tuple(shares),
        "hash": hash,
    }
    experiment = Assignment(key, **named, coverage=coverage, seed=seed, namespace=space)
    others = [Assignment(other, **named) for other in against]
    given = list(unit) if units is None else inputs.kept(units)
    inputs.give(assign_units, "assigning", to, given, experiment, against=others)


def _of_plan(rules: shared.ExperimentRules, to: Comparing) -> dict[str, Any]:
    """The level and the control of the plan, unless others are stated."""
    from assay.subjects.experiments.plans import read_plan

    agreed = None if rules.get("plan") is None else read_plan(rules["plan"])
    return {} if agreed is None or "alpha" in to.testing else {"alpha": agreed.alpha}


def _shares(typed: Any) -> list[float] | None:
    """The planned shares, as they were typed."""
    return None if typed is None else list_of_numbers(typed, "--weights")


def _needed(value: Held | None, name: str, what: str) -> Held:
    """What a command cannot do without."""
    if value is None:
        raise ParameterError(f"{name} is missing: {what}")
    return value


#: What is heeded when files are read.
_OF_FILES = ("columns", "control", "events", "window", "cluster")


def _opened(path: str, rules: shared.ExperimentRules) -> Any:
    """The A/B test in a file."""
    from assay.subjects.experiments.inputs import open_experiment  # `assay --help` need not load Polars

    stated: dict[str, Any] = {name: value for name, value in rules.items() if name in _OF_FILES}
    return open_experiment(inputs.kept(path), **stated)


def _stated(rules: shared.ExperimentRules) -> dict[str, Any]:
    """What was stated of the test, as the library takes it."""
    stated: dict[str, Any] = {name: value for name, value in rules.items() if name not in _OF_FILES}
    for name in ("weights", "looks"):
        if name in stated:
            stated[name] = list_of_numbers(stated[name], f"--{name}")
    if "covariates" in stated:
        pairs = [text.partition("=") for text in stated["covariates"]]
        if not all(equals and before for _, equals, before in pairs):
            raise ParameterError("--covariate is MEASURE=BEFORE, as in clicks=clicks_before")
        stated["covariates"] = {measure: before for measure, _, before in pairs}
    return stated
