"""`assay crowd aggregate|workers LABELS`, `assay crowd hits TOPICS POOL`, `assay crowd audit MODEL PEOPLE RUN...`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from assay.cli import inputs, options, output
from assay.cli.options import Output, group, settings
from assay.core.errors import ParameterError
from assay.core.options import COLUMNS, RULES, Alpha, Categories, Columns, Level, RepeatedLabels, SeedOption, option

if TYPE_CHECKING:
    from assay.collections.crowd import CrowdLabels

LabelFile = Annotated[str, options.argument("LABELS", "Labels, one row each: item, worker, label; - for stdin.")]


@group
class CrowdInputs:
    """How labels of a crowd are read and put together."""

    method: Annotated[str, option(help="dawid-skene (default), mace, majority, weighted (by accuracy), median.")] = (
        "dawid-skene"
    )
    exclude: Annotated[
        tuple[str, ...],
        option(metavar="WORKER", help="Leave out this worker, or WORKER=REASON; or all flagged ones; repeat."),
    ] = ()
    ties: Annotated[
        str, option("--vote-ties", help="Tied labels: lowest (default), highest, random, none.", panel=RULES)
    ] = "lowest"
    categories: Categories = None
    repeated: RepeatedLabels = "error"
    no_gold: Annotated[
        str | None,
        option("--gold-missing", metavar="LABEL", help="Value that means no gold label, such as -1.", panel=COLUMNS),
    ] = None
    price: Annotated[float | None, option(help="Price of one label, for the cost.")] = None
    gold: Annotated[
        str | None, option(metavar="FILE", help="Correct answers: judgments, or the key from `crowd hits`.")
    ] = None
    columns: Columns = None
    alpha: Alpha = 0.05


def aggregate(
    labels: LabelFile,
    crowd: CrowdInputs,
    drawing: SeedOption,
    to: Output,
    qrels: Annotated[Path | None, option(metavar="FILE", help="Also write judgments to this file.")] = None,
    rule: Annotated[
        str, option("--grade-by", help="Grades of --qrels: chosen (default), expected, probability, relevant.")
    ] = "chosen",
    level: Level = 1.0,
) -> None:
    """Combine many workers' labels into one label per item, by a model of the workers, by votes, or by the median.

    $ assay crowd aggregate crowd/labels.csv --qrels crowd.qrels
    """
    result = _crowd(labels, crowd, drawing, to)
    judgments = None if qrels is None else result.to_qrels(rule, level=level)  # type: ignore[arg-type]
    text = output.rendered(result, to)
    output.remarks(result.warnings, quiet=to.quiet)
    if judgments is not None and qrels is not None:
        from assay.files.writing import write  # noqa: PLC0415

        write(judgments, qrels, overwrite=to.overwrite)
        if not to.quiet:
            output.message(f"{qrels}: {len(judgments.frame):,} judgments")
    output.deliver(text, to)


def workers(labels: LabelFile, crowd: CrowdInputs, drawing: SeedOption, to: Output) -> None:
    """Measure how good each worker is on gold and against the others, how fast, and who answers at random.

    $ assay crowd workers crowd/labels.csv
    """
    from assay.collections.crowd_sections import workers_document  # noqa: PLC0415  # `assay --help` loads no Polars

    result = _crowd(labels, crowd, drawing, to)
    text = output.written(workers_document(result), to)
    output.remarks(result.warnings, quiet=to.quiet)
    output.deliver(text, to)


def _crowd(labels: str, stated: CrowdInputs, drawing: SeedOption, to: Output) -> CrowdLabels:
    from assay.collections.crowd import crowd  # noqa: PLC0415  # `assay --help` need not load Polars

    rules = settings(stated, "method", "gold", "ties", "price", "alpha", "repeated", "categories", "no_gold")
    with inputs.working("aggregating", hidden=to.quiet):
        return crowd(inputs.kept(labels), exclude=_excluded(stated.exclude), **rules, **drawing)


def _excluded(texts: tuple[str, ...]) -> Any:
    if "flagged" in texts:
        if len(texts) > 1:
            raise ParameterError("--exclude flagged leaves out all that are flagged: name no others beside it")
        return "flagged"
    pairs = (text.partition("=") for text in texts)
    return {worker: reason or "left out by name" for worker, _, reason in pairs}


@group
class HitRules:
    """How HITs are cut."""

    gold: Annotated[str | None, option(metavar="QRELS", help="Judgments to mix in as gold questions.")] = None
    documents: options.Documents | None = None
    per_hit: Annotated[int, option(help="Questions per HIT, gold included (5).", least=1)] = 5
    gold_per_hit: Annotated[int, option(help="Gold questions per HIT (1).", least=0)] = 1
    redundancy: Annotated[int, option(help="Workers per HIT (5).", least=1)] = 5
    price: Annotated[float, option("--pay", help="Pay of one assignment (0.05).")] = 0.05


def hits(
    topics: Annotated[str, options.argument("TOPICS", "Topics file.")],
    pool: Annotated[
        str, options.argument("POOL", "Pairs to label: a CSV or judgments (if any are below 0, only those).")
    ],
    rules: HitRules,
    drawing: SeedOption,
    output_path: Annotated[Path, option("-o", "--output", help="File to upload (hits.csv).")] = Path("hits.csv"),
    key: Annotated[
        Path, option(metavar="FILE", help="File for the key, which workers must not see (hits-key.csv).")
    ] = Path("hits-key.csv"),
    json: options.Json = False,
    overwrite: options.Overwrite = False,
    quiet: options.Quiet = False,
) -> None:
    """Write HITs for Mechanical Turk, a topic each, gold questions at random places; and say what they cost.

    $ assay crowd hits topics.tsv qrels.txt --per-hit 4 --redundancy 3
    """
    from assay.collections.hits import make_hits  # noqa: PLC0415  # `assay --help` need not load Polars

    if Path("-") in {output_path, key}:
        raise ParameterError("HITs and their key are two files, not stdout: name them by --output and --key")
    stated = settings(rules, "gold", "documents", "per_hit", "gold_per_hit", "redundancy", "price")
    result = make_hits(topics, pool, **stated, **drawing)
    result.write(output_path, key, overwrite=overwrite)
    output.give(result, Output(json=json, quiet=quiet), warnings=result.warnings)


@group
class AuditRules:
    """What a model's labels are held against, and what they have to reach."""

    measures: options.Measures = ()
    families: Annotated[
        tuple[str, ...],
        option("--family-of", metavar="RUN=FAMILY", help="Model family that a run is built on; repeat."),
    ] = ()
    family: Annotated[str | None, option("--own-family", metavar="FAMILY", help="Family of the judging model.")] = None
    slices: Annotated[
        tuple[str, ...], option("--slice", metavar="COLUMN", help="Also audit within the groups of a column; repeat.")
    ] = ()
    categories: Categories = None
    weights: Annotated[str, option("--kappa-weights", help="Weights of kappa: none (default), linear, quadratic.")] = (
        "none"
    )
    least_kappa: Annotated[
        float, option(help="Smallest kappa that passes, with its whole interval (0.4).", panel=RULES)
    ] = 0.4
    least_tau: Annotated[float, option(help="Smallest tau between system rankings that passes (0.9).", panel=RULES)] = (
        0.9
    )
    most_lenient: Annotated[
        float, option(help="Largest mean difference that passes, as a share of the scale (0.1).", panel=RULES)
    ] = 0.1
    most_flips: Annotated[float, option(help="Largest share of flipped items that passes (0.1).", panel=RULES)] = 0.1
    columns: Columns = None


def audit(
    model: Annotated[str, options.argument("MODEL", "Labels of the model: a table, or judgments.")],
    people: Annotated[str, options.argument("PEOPLE", "Labels of people for the same items: a table, or judgments.")],
    rules: AuditRules,
    drawing: SeedOption,
    to: Output,
    runs: Annotated[list[str] | None, options.argument("RUN", "Runs to rank by both; name=FILE names one.")] = None,
) -> None:
    """Check whether a language model's labels can replace people's: kappa, leniency, flips, the ranking of systems.

    $ assay crowd audit crowd/model.csv bicycles/judgments.txt
    """
    from assay.collections.llm import audit_judge  # noqa: PLC0415  # `assay --help` need not load Polars

    names = ("family", "categories", "slices", "weights", "least_kappa", "least_tau", "most_lenient", "most_flips")
    stated = settings(rules, *names)
    if rules.families:
        stated["families"] = dict(map(_run_and_family, rules.families))
    measure = options.only(rules.measures, "-m, --measure")
    stated |= {} if measure is None else {"measure": measure}
    opened = None if not runs else inputs.opened(people, runs)
    with inputs.working("auditing", hidden=to.quiet):
        result = audit_judge(inputs.kept(model), inputs.kept(people), runs=opened, **stated, **drawing)
    output.give(result, to, notes=result.warnings)


def _run_and_family(text: str) -> tuple[str, str]:
    run, _, family = text.partition("=")
    if not (run and family):
        raise ParameterError(f"--family-of: expected RUN=FAMILY, got {text!r}")
    return run, family
