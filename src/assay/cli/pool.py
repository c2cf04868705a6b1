"""`assay pool make RUN...`, `choose N RUN...`, `simulate` and `bias QRELS RUN...`, `estimate POOL QRELS RUN...`."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias, TypedDict

from assay.cli import inputs, options, output
from assay.cli.options import Measured, Output, group, settings
from assay.core.errors import ParameterError
from assay.core.options import Confidence, SeedOption, option

PoolDepth: TypeAlias = Annotated[
    int, option("--depth", help="Read the top N documents of each run per topic.", least=1)
]
GroupFile: TypeAlias = Annotated[
    str, option("--groups", metavar="FILE", help="Table of run,group: runs of one team find the same documents.")
]


class PoolRules(TypedDict, total=False):
    """What is pooled, and in which order it is judged."""

    strategy: Annotated[str, option(help="depth (default), take, rbp, rrf; sample: at random, by best rank.")]
    depth: PoolDepth
    budget: Annotated[int, option(help="At most N documents per topic.", least=1)]
    strata: Annotated[
        str, option(metavar="10=1,50=0.2", help="With --strategy sample: the share to judge, by best rank.")
    ]
    order: Annotated[str, option(help="Order of judging: random (default), priority.")]


def make(
    runs: options.Runs,
    /,
    *,
    rules: PoolRules = PoolRules(),
    qrels: Annotated[
        str | None, option(metavar="FILE", help="Existing judgments, to count relevant documents.")
    ] = None,
    topics: options.Topics | None = None,
    groups: GroupFile | None = None,
    drawing: SeedOption = SeedOption(),
    to: Output = Output(),
) -> None:
    """Pool the top documents of several runs: a list of documents to judge, with the runs each comes from.

    --topics restricts the pool to the topics of a file. The ending of -o names the form: .csv, .json, or .qrels: TREC
    judgments in which -1 stands for what is in the pool and not judged yet.

    $ assay pool make words.run stems.run alphabet.run --depth 5
    $ assay pool make words.run stems.run --strategy rrf --budget 10 -o pool.csv
    """
    from assay.collections.pooling import make_pool  # noqa: PLC0415  # `assay --help` need not load Polars

    opened = inputs.opened(qrels or "", runs)
    stated: dict[str, Any] = {**rules, **_groups(groups, opened), "qrels": qrels}
    if "strata" in rules:
        stated["strata"] = _strata(rules["strata"])
    if topics is not None:
        from assay.files import read_topics  # noqa: PLC0415

        stated["topics"] = read_topics(topics).frame["query_id"].to_list()
    with inputs.progress(opened, hidden=to.quiet), inputs.working("pooling", hidden=to.quiet):
        pool = make_pool(opened, **stated, **drawing)
    output.give_judgments(pool, to)


@group
class WithTexts(Output, Measured):
    """By which measures, with which texts, and the form."""

    topics: options.Topics | None = None
    documents: options.Documents | None = None

    def stated(self) -> dict[str, Any]:
        """The measures, topics and documents."""
        if (self.topics is None) != (self.documents is None):
            raise ParameterError("--topics and --documents go together: words of topics are looked for in documents")
        stated = settings(self, "measures")
        if self.topics is not None and self.documents is not None:
            from assay.files import read_documents, read_topics  # noqa: PLC0415

            stated |= {"topics": read_topics(self.topics), "documents": read_documents(self.documents)}
        return stated


def simulate(
    qrels: options.Judgments,
    runs: options.Runs,
    /,
    *,
    depth: PoolDepth | None = None,
    strategy: Annotated[
        tuple[str, ...],
        option(help="depth, take, rbp, rrf, move-to-front, max-mean or thompson; repeat (default: all)."),
    ] = (),
    budgets: Annotated[str, option(metavar="10,20,50", help="Numbers of judged documents per topic to try.")] = "",
    to: WithTexts = WithTexts(),
    drawing: SeedOption = SeedOption(),
) -> None:
    """Simulate how many relevant documents each strategy finds, by number judged, and whether systems keep their order.

    With --topics and --documents also: what it would cost to judge all documents with all or any of the title's words.

    $ assay pool simulate qrels.txt words.run stems.run alphabet.run
    """
    from assay.collections.simulation import STRATEGIES, simulate_pool  # noqa: PLC0415

    opened, names = inputs.opened(qrels, runs), strategy or STRATEGIES
    stated = to.stated() | _whole_numbers("budgets", budgets)
    with inputs.bar("simulating", len(names), hidden=to.quiet) as advance:
        result = simulate_pool(qrels, opened, strategies=names, depth=depth, advance=advance, **stated, **drawing)
    output.give(result, to, warnings=result.warnings)


def choose(
    number: Annotated[int, options.argument("N", "Number of runs to choose.")],
    runs: options.Runs,
    /,
    *,
    depth: PoolDepth = 20,
    qrels: Annotated[str | None, option(metavar="FILE", help="Judgments, to choose by new relevant documents.")] = None,
    compare_with: Annotated[
        str, option(metavar="A,B,C", help="Another selection of runs to compare with, by name.")
    ] = "",
    drawing: SeedOption = SeedOption(),
    to: Output = Output(),
) -> None:
    """Choose the runs that make a varied pool, one after the other by what they add; compare with other selections.

    $ assay pool choose 2 words.run stems.run alphabet.run --depth 5
    """
    from assay.collections.choice import choose_runs  # noqa: PLC0415

    opened = inputs.opened(qrels or "", runs)
    other = [name.strip() for name in compare_with.split(",")] if compare_with else []
    with inputs.progress(opened, hidden=to.quiet), inputs.working("choosing", hidden=to.quiet):
        result = choose_runs(opened, number, depth=depth, qrels=qrels, compared_with=other, **drawing)
    output.give(result, to, warnings=result.warnings)


def bias(
    qrels: options.Judgments,
    runs: options.Runs,
    /,
    *,
    depth: Annotated[
        int | None, option(help="Depth of the pool (default: estimated from the judgments).", least=1)
    ] = None,
    depths: Annotated[
        str, option(metavar="5,10,20", help="Shallower pools to compare with all judgments (5,10,20).")
    ] = "",
    groups: GroupFile | None = None,
    to: WithTexts = WithTexts(),
    drawing: SeedOption = SeedOption(),
) -> None:
    """Check whether the judgments can score a system that was not in the pool, and by which measures.

    Leaves out what each run (or group) alone found and scores it again; looks at shallower pools and at sparse
    judgments. --depth is that of the pool, if it is known. With --topics and --documents also: relevant documents
    without a word of their topic's title.

    $ assay pool bias qrels.txt words.run stems.run alphabet.run -m P@5,AP
    """
    from assay.collections.bias import pool_bias  # noqa: PLC0415

    opened = inputs.opened(qrels, runs)
    stated = to.stated() | _whole_numbers("depths", depths) | _groups(groups, opened)
    with inputs.progress(opened, hidden=to.quiet), inputs.working("leaving out", hidden=to.quiet):
        result = pool_bias(qrels, opened, depth=depth, **stated, **drawing)
    output.give(result, to, warnings=result.warnings)


@group
class Estimating(Output, Measured):
    """What is estimated, and the form."""

    confidence: Confidence | None = None


def estimate(
    pool: Annotated[str, options.argument("POOL", "A sampled pool from `assay pool make --strategy sample`.")],
    qrels: options.Judgments,
    runs: options.Runs,
    /,
    *,
    to: Estimating = Estimating(),
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


def _groups(table: str | None, runs: Any) -> dict[str, Any]:
    if table is None:
        return {}
    from assay.collections.run_ranks import read_groups  # noqa: PLC0415
    from assay.subjects.ranking.evaluation import named_runs  # noqa: PLC0415

    return {"groups": read_groups(table, list(named_runs(runs)))}


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


def _whole_numbers(name: str, text: str) -> dict[str, list[int]]:
    try:
        return {name: [int(part) for part in text.split(",")]} if text else {}
    except ValueError:
        raise ParameterError(f"--{name} are whole numbers, as 10,20,50; got {text!r}") from None
