"""`assay pool make RUN...`, `choose N RUN...`, `simulate` and `bias QRELS RUN...`, `estimate POOL QRELS RUN...`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from assay.cli import inputs, options, output
from assay.cli.options import Measured, Output, group, settings
from assay.core.errors import ParameterError
from assay.core.options import Confidence, SeedOption, option

if TYPE_CHECKING:
    from collections.abc import Sequence


PoolDepth: TypeAlias = Annotated[
    int | None, option("--depth", help="Read the top N documents of each run per topic.", least=1)
]


@group
class Groups:
    """Which runs are of one group."""

    groups: Annotated[
        str | None, option(metavar="FILE", help="Table of run,group: runs of one team find the same documents.")
    ] = None


def make(
    runs: options.Runs,
    teams: Groups,
    drawing: SeedOption,
    to: Output,
    strategy: Annotated[
        str | None, option(help="depth (default), take, rbp, rrf; sample: at random, by best rank.")
    ] = None,
    depth: PoolDepth = None,
    budget: Annotated[int | None, option(help="At most N documents per topic.", least=1)] = None,
    strata: Annotated[
        str | None, option(metavar="10=1,50=0.2", help="With --strategy sample: the share to judge, by best rank.")
    ] = None,
    order: Annotated[str | None, option(help="Order of judging: random (default), priority.")] = None,
    qrels: Annotated[
        str | None, option(metavar="FILE", help="Existing judgments, to count relevant documents.")
    ] = None,
    topics: options.Topics | None = None,
) -> None:
    """Pool the top documents of several runs: a list of documents to judge, with the runs each comes from.

    --topics restricts the pool to the topics of a file. The ending of -o names the form: .csv, .json, or .qrels: TREC
    judgments in which -1 stands for what is in the pool and not judged yet.

    $ assay pool make words.run stems.run alphabet.run --depth 5
    $ assay pool make words.run stems.run --strategy rrf --budget 10 -o pool.csv
    """
    from assay.collections.pooling import make_pool  # noqa: PLC0415  # `assay --help` need not load Polars

    opened = inputs.opened(qrels or "", runs)
    stated: dict[str, Any] = {"strategy": strategy, "depth": depth, "budget": budget, "order": order, "qrels": qrels}
    stated |= {"strata": None if strata is None else _strata(strata), "groups": _groups(teams, opened)}
    if topics is not None:
        from assay.files import read_topics  # noqa: PLC0415

        stated["topics"] = read_topics(topics).frame["query_id"].to_list()
    with inputs.progress(opened, hidden=to.quiet), inputs.working("pooling", hidden=to.quiet):
        pool = make_pool(opened, **{name: value for name, value in stated.items() if value is not None}, **drawing)
    output.give_judgments(pool, to)


@group
class Simulating(Output, Measured):
    """What is simulated, and the form."""

    strategy: Annotated[
        tuple[str, ...],
        option(help="depth, take, rbp, rrf, move-to-front, max-mean or thompson; repeat (default: all)."),
    ] = ()
    budgets: Annotated[str | None, option(metavar="10,20,50", help="Numbers of judged documents per topic to try.")] = (
        None
    )
    batch: Annotated[int | None, option(help="Judgments between two updates of adaptive strategies (1).", least=1)] = (
        None
    )
    topics: options.Topics | None = None
    documents: options.Documents | None = None


def simulate(
    qrels: options.Judgments, runs: options.Runs, to: Simulating, drawing: SeedOption, depth: PoolDepth = None
) -> None:
    """Simulate how many relevant documents each strategy finds, by number judged, and whether systems keep their order.

    With --topics and --documents also: what it would cost to judge all documents with all or any of the title's words.

    $ assay pool simulate qrels.txt words.run stems.run alphabet.run
    """
    from assay.collections.simulation import STRATEGIES, simulate_pool  # noqa: PLC0415

    opened = inputs.opened(qrels, runs)
    stated: dict[str, Any] = _texts(to.topics, to.documents) | settings(to, "batch", "measures")
    if to.budgets is not None:
        stated["budgets"] = _whole_numbers(to.budgets, "--budgets")
    if to.strategy:
        stated["strategies"] = to.strategy
    with inputs.bar("simulating", len(to.strategy or STRATEGIES), hidden=to.quiet) as advance:
        result = simulate_pool(qrels, opened, depth=depth, advance=advance, **stated, **drawing)
    output.give(result, to, warnings=result.warnings)


def choose(
    number: Annotated[int, options.argument("N", "Number of runs to choose.")],
    runs: options.Runs,
    drawing: SeedOption,
    to: Output,
    depth: PoolDepth = None,
    qrels: Annotated[str | None, option(metavar="FILE", help="Judgments, to choose by new relevant documents.")] = None,
    compare_with: Annotated[
        str | None, option(metavar="A,B,C", help="Another selection of runs to compare with, by name.")
    ] = None,
) -> None:
    """Choose the runs that make a varied pool, one after the other by what they add; compare with other selections.

    $ assay pool choose 2 words.run stems.run alphabet.run --depth 5
    """
    from assay.collections.choice import choose_runs  # noqa: PLC0415

    opened = inputs.opened(qrels or "", runs)
    other = [] if compare_with is None else [name.strip() for name in compare_with.split(",")]
    limits = {} if depth is None else {"depth": depth}
    with inputs.progress(opened, hidden=to.quiet), inputs.working("choosing", hidden=to.quiet):
        result = choose_runs(opened, number, qrels=qrels, compared_with=other, **limits, **drawing)
    output.give(result, to, warnings=result.warnings)


@group
class Looking(Output, Measured):
    """What pool bias is looked at by, and the form."""

    depths: Annotated[
        str | None, option(metavar="5,10,20", help="Shallower pools to compare with all judgments (5,10,20).")
    ] = None
    topics: options.Topics | None = None
    documents: options.Documents | None = None


def bias(
    qrels: options.Judgments,
    runs: options.Runs,
    teams: Groups,
    to: Looking,
    drawing: SeedOption,
    depth: Annotated[
        int | None, option(help="Depth of the pool (default: estimated from the judgments).", least=1)
    ] = None,
) -> None:
    """Check whether the judgments can score a system that was not in the pool, and by which measures.

    Leaves out what each run (or group) alone found and scores it again; looks at shallower pools and at sparse
    judgments. --depth is that of the pool, if it is known. With --topics and --documents also: relevant documents
    without a word of their topic's title.

    $ assay pool bias qrels.txt words.run stems.run alphabet.run -m P@5,AP
    """
    from assay.collections.bias import pool_bias  # noqa: PLC0415

    opened = inputs.opened(qrels, runs)
    stated: dict[str, Any] = _texts(to.topics, to.documents) | settings(to, "measures")
    if to.depths is not None:
        stated["depths"] = _whole_numbers(to.depths, "--depths")
    with inputs.progress(opened, hidden=to.quiet), inputs.working("leaving out", hidden=to.quiet):
        result = pool_bias(qrels, opened, depth=depth, groups=_groups(teams, opened), **stated, **drawing)
    output.give(result, to, warnings=result.warnings)


@group
class Estimating(Output, Measured):
    """What is estimated, and the form."""

    confidence: Confidence | None = None


def estimate(
    pool: Annotated[str, options.argument("POOL", "A sampled pool from `assay pool make --strategy sample`.")],
    qrels: options.Judgments,
    runs: options.Runs,
    to: Estimating,
) -> None:
    """Estimate average precision and nDCG from judgments of a sampled pool, with intervals.

    Measures: xinfAP, infNDCG, infNDCG@10 (or another cut-off).

    $ assay pool make words.run stems.run --strategy sample --strata 3=1,10=0.5 -o sample.csv
    $ assay pool estimate sample.csv qrels.txt words.run stems.run
    """
    from assay.collections.inference import inferred_scores  # noqa: PLC0415

    opened = inputs.opened(qrels, runs)
    stated = settings(to, "confidence", "measures")
    with inputs.progress(opened, hidden=to.quiet), inputs.working("estimating", hidden=to.quiet):
        result = inferred_scores(pool, qrels, opened, **stated)
    output.give(result, to, warnings=result.warnings)


def _groups(teams: Groups, runs: Sequence[Any]) -> dict[str, str] | None:
    from assay.collections.pooling import read_groups  # noqa: PLC0415
    from assay.subjects.ranking.evaluation import named_runs  # noqa: PLC0415

    return None if teams.groups is None else read_groups(teams.groups, list(named_runs(runs)))


def _texts(topics: str | None, documents: str | None) -> dict[str, Any]:
    if (topics is None) != (documents is None):
        raise ParameterError("--topics and --documents go together: words of topics are looked for in documents")
    if topics is None or documents is None:
        return {}
    from assay.files import read_documents, read_topics  # noqa: PLC0415

    return {"topics": read_topics(topics), "documents": read_documents(documents)}


def _strata(text: str) -> dict[int, float]:
    """`10=1,50=0.2` as shares by best rank."""
    rates: dict[int, float] = {}
    for part in text.split(","):
        rank, equals, rate = part.partition("=")
        try:
            rates[int(rank)] = float(rate) if equals else 1.0
        except ValueError:
            raise ParameterError(f"--strata is as 10=1,50=0.2: best rank and share; got {part!r}") from None
    return rates


def _whole_numbers(text: str, name: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise ParameterError(f"{name} are whole numbers, as 10,20,50; got {text!r}") from None
