"""`assay pool make RUN...`, `choose N RUN...`, `simulate` and `bias QRELS RUN...`, `estimate POOL QRELS RUN...`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypedDict

from assay.cli import inputs, options, output
from assay.cli.literals import list_of_numbers
from assay.cli.options import JudgmentsOutput, Output
from assay.core.errors import ParameterError
from assay.core.evaluation_options import option
from assay.core.options import Confidence, SeedOption

if TYPE_CHECKING:
    from collections.abc import Sequence


PoolDepth: TypeAlias = Annotated[
    int, option("--depth", help="Read the top N documents of each run per topic.", least=1)
]
Groups: TypeAlias = Annotated[
    str, option(metavar="FILE", help="Table of run,group: runs of one team find the same documents.")
]


class Pooling(TypedDict, total=False):
    """The documents to be pooled, and their order."""

    strategy: Annotated[str, option(help="depth (default), take, rbp, rrf; sample: at random, by best rank.")]
    depth: PoolDepth
    budget: Annotated[int, option(help="At most N documents per topic.", least=1)]
    order: Annotated[str, option(help="Order of judging: random (default), priority.")]
    qrels: Annotated[str, option(metavar="FILE", help="Existing judgments, to count relevant documents.")]


def make(
    runs: options.Runs,
    pooling: Pooling,
    drawing: SeedOption,
    to: JudgmentsOutput,
    strata: Annotated[
        str | None, option(metavar="10=1,50=0.2", help="With --strategy sample: the share to judge, by best rank.")
    ] = None,
    topics: options.Topics | None = None,
    groups: Groups | None = None,
) -> None:
    """Pool the top documents of several runs: a list of documents to judge, with the runs each comes from.

    --topics restricts the pool to the topics of a file. The ending of -o names the form: .csv, .json, or .qrels: TREC
    judgments in which -1 stands for what is in the pool and not judged yet.

    $ assay pool make words.run stems.run alphabet.run --depth 5
    $ assay pool make words.run stems.run --strategy rrf --budget 10 -o pool.csv
    """
    from assay.ground_truth.pooling import make_pool

    opened = inputs.opened(pooling.get("qrels", ""), runs)
    stated: dict[str, Any] = {"strata": None if strata is None else _strata(strata), "groups": _groups(groups, opened)}
    if topics is not None:
        from assay.files import read_topics

        stated["topics"] = read_topics(topics).frame["query_id"].to_list()
    output.give_judgments(inputs.result_of(make_pool, "pooling", to, opened, **pooling, **stated, **drawing), to)


class Simulation(TypedDict, total=False):
    """The strategies and pools that are simulated."""

    strategies: Annotated[
        tuple[str, ...],
        option("--strategy", help="depth, take, rbp, rrf, move-to-front, max-mean or thompson; repeat (default: all)."),
    ]
    measures: options.Measures
    depth: PoolDepth


def simulate(
    qrels: options.Judgments,
    runs: options.Runs,
    simulation: Simulation,
    drawing: SeedOption,
    to: Output,
    budgets: Annotated[
        str | None, option(metavar="10,20,50", help="Numbers of judged documents per topic to try.")
    ] = None,
    topics: options.Topics | None = None,
    documents: options.Documents | None = None,
) -> None:
    """Simulate how many relevant documents each strategy finds, by number judged, and whether systems keep their order.

    With --topics and --documents also: what it would cost to judge all documents with all or any of the title's words.

    $ assay pool simulate qrels.txt words.run stems.run alphabet.run
    """
    from assay.ground_truth.simulation import STRATEGIES, simulate_pool

    stated: dict[str, Any] = {**simulation, **drawing, **_texts(topics, documents)}
    stated["budgets"] = None if budgets is None else list_of_numbers(budgets, "--budgets", int)
    with inputs.bar("simulating", len(simulation.get("strategies", STRATEGIES)), hidden=to.quiet) as advance:
        result = simulate_pool(qrels, inputs.opened(qrels, runs), advance=advance, **stated)
    output.give(result, to)


def choose(
    number: Annotated[int, options.argument("N", "Number of runs to choose.")],
    runs: options.Runs,
    drawing: SeedOption,
    to: Output,
    depth: PoolDepth | None = None,
    qrels: Annotated[str | None, option(metavar="FILE", help="Judgments, to choose by new relevant documents.")] = None,
    compare_with: Annotated[
        str | None, option(metavar="A,B,C", help="Another selection of runs to compare with, by name.")
    ] = None,
) -> None:
    """Choose the runs that make a varied pool, one after the other by what they add; compare with other selections.

    $ assay pool choose 2 words.run stems.run alphabet.run --depth 5
    """
    from assay.ground_truth.choice import choose_runs

    opened = inputs.opened(qrels or "", runs)
    stated: dict[str, Any] = {**drawing, "qrels": qrels, **({} if depth is None else {"depth": depth})}
    stated["compared_with"] = [] if compare_with is None else [name.strip() for name in compare_with.split(",")]
    inputs.give(choose_runs, "choosing", to, opened, number, **stated)


class Bias(TypedDict, total=False):
    """The settings by which pool bias is looked at."""

    measures: options.Measures
    depth: Annotated[int, option(help="Depth of the pool (default: estimated from the judgments).", least=1)]


def bias(
    qrels: options.Judgments,
    runs: options.Runs,
    looks: Bias,
    drawing: SeedOption,
    to: Output,
    depths: Annotated[
        str | None, option(metavar="5,10,20", help="Shallower pools to compare with all judgments (5,10,20).")
    ] = None,
    groups: Groups | None = None,
    topics: options.Topics | None = None,
    documents: options.Documents | None = None,
) -> None:
    """Check whether the judgments can score a system that was not in the pool, and by which measures.

    Leaves out what each run (or group) alone found and scores it again; looks at shallower pools and at sparse
    judgments. --depth is that of the pool, if it is known. With --topics and --documents also: relevant documents
    without a word of their topic's title.

    $ assay pool bias qrels.txt words.run stems.run alphabet.run -m P@5,AP
    """
    from assay.ground_truth.bias import pool_bias

    opened = inputs.opened(qrels, runs)
    stated: dict[str, Any] = {**looks, **drawing, **_texts(topics, documents), "groups": _groups(groups, opened)}
    if depths is not None:
        stated["depths"] = list_of_numbers(depths, "--depths", int)
    inputs.give(pool_bias, "leaving out", to, qrels, opened, **stated)


def estimate(
    pool: Annotated[str, options.argument("POOL", "A sampled pool from `assay pool make --strategy sample`.")],
    qrels: options.Judgments,
    runs: options.Runs,
    to: Output,
    measures: options.Measures = (),
    confidence: Confidence = 0.95,
) -> None:
    """Estimate average precision and nDCG from judgments of a sampled pool, with intervals.

    Measures: xinfAP, infNDCG, infNDCG@10 (or another cut-off).

    $ assay pool make words.run stems.run --strategy sample --strata 3=1,10=0.5 -o sample.csv
    $ assay pool estimate sample.csv qrels.txt words.run stems.run
    """
    from assay.ground_truth.inference import inferred_scores

    stated = {"measures": measures or None, "confidence": confidence}
    opened = inputs.opened(qrels, runs)
    inputs.give(inferred_scores, "estimating", to, pool, qrels, opened, **stated)


def _groups(file: str | None, runs: Sequence[Any]) -> dict[str, str] | None:
    from assay.ground_truth.run_ranks import read_groups
    from assay.subjects.ranking.evaluation import named_runs

    return None if file is None else read_groups(file, list(named_runs(runs)))


def _texts(topics: str | None, documents: str | None) -> dict[str, Any]:
    if (topics is None) != (documents is None):
        raise ParameterError("--topics and --documents go together: words of topics are looked for in documents")
    if topics is None or documents is None:
        return {}
    from assay.files import read_documents, read_topics

    return {"topics": read_topics(topics), "documents": read_documents(documents)}


def _strata(text: str) -> dict[int, float]:
    """`10=1,50=0.2` as shares by best rank."""
    rates: dict[int, float] = {}
    for part in text.split(","):
        rank, equals, rate = part.partition("=")
        try:
            depth = int(rank)
            share = float(rate) if equals else 1.0
        except ValueError:
            raise ParameterError(f"--strata is as 10=1,50=0.2: best rank and share; got {part!r}") from None
        if depth in rates:
            raise ParameterError(f"--strata has one share for each best rank; got two for {depth}")
        rates[depth] = share
    return rates
