"""`assay crowd aggregate|workers LABELS`, `assay crowd hits TOPICS POOL`, `assay crowd audit MODEL PEOPLE RUN...`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypedDict

from assay.cli import inputs, options, output
from assay.cli.options import Output
from assay.core.errors import ParameterError, argument
from assay.core.evaluation_options import COLUMNS, RULES, Columns, Level, option
from assay.core.options import Alpha, Categories, RepeatedLabels, SeedOption

LabelFile = Annotated[str, options.argument("LABELS", "Labels, one row each: item, worker, label; - for stdin.")]


class CrowdInputs(TypedDict, total=False):
    """The way labels of a crowd are read and put together."""

    method: Annotated[str, option(help="dawid-skene (default), mace, majority, weighted (by accuracy), median.")]
    ties: Annotated[
        str, option("--vote-ties", help="Tied labels: lowest (default), highest, random, none.", panel=RULES)
    ]
    categories: Categories
    repeated: RepeatedLabels
    no_gold: Annotated[
        str,
        option("--gold-missing", metavar="LABEL", help="Value that means no gold label, such as -1.", panel=COLUMNS),
    ]
    price: Annotated[float, option(help="Price of one label, for the cost.")]
    gold: Annotated[str, option(metavar="FILE", help="Correct answers: judgments, or the key from `crowd hits`.")]
    columns: Columns
    alpha: Alpha


Excluded = Annotated[
    tuple[str, ...],
    option("--exclude", metavar="WORKER", help="Leave out this worker, or WORKER=REASON; or all flagged ones; repeat."),
]


@options.group
class Aggregating(Output):
    """The form of labels that were combined; judgments have an option of their own."""

    @property
    def form(self) -> str | None:
        """The form asked for, which is not that of judgments."""
        if self.path is not None and self.path.suffix.lower() in {".qrels", ".trec"}:
            advice = argument("qrels", str(self.path))
            raise ParameterError(f"{self.path}: -o is for the report; judgments are written by `{advice}`")
        return super().form


def aggregate(
    labels: LabelFile,
    crowd: CrowdInputs,
    drawing: SeedOption,
    to: Aggregating,
    exclude: Excluded = (),
    qrels: Annotated[Path | None, option(metavar="FILE", help="Also write judgments to this file.")] = None,
    rule: Annotated[
        str | None, option("--grade-by", help="Grades of --qrels: chosen (default), expected, probability, relevant.")
    ] = None,
    level: Level | None = None,
) -> None:
    """Combine many workers' labels into one label per item, by a model of the workers, by votes, or by the median.

    $ assay crowd aggregate crowd/labels.csv --qrels crowd.qrels
    """
    for name, value in (("--grade-by", rule), ("--level", level)):
        if value is not None and qrels is None:
            raise ParameterError(f"{name} has no effect without --qrels")
    if level is not None and rule not in {"probability", "relevant"}:
        raise ParameterError("--level has no effect: it goes with --grade-by probability, or relevant")
    result = _crowd(labels, crowd, exclude, drawing, to)
    judgments: Any = None
    if qrels is not None:
        judgments = result.to_qrels(rule or "chosen", level=1.0 if level is None else level)
    text = output.rendered(result, to)
    output.remarks(result.warnings, quiet=to.quiet)
    from assay.files.writing import write

    others = [] if qrels is None else [partial(write, judgments, qrels, overwrite=to.overwrite)]
    with output.delivered(text, to, *others):
        if qrels is not None and not to.quiet:
            output.message(f"{qrels}: {len(judgments.frame):,} judgments")


def workers(labels: LabelFile, crowd: CrowdInputs, drawing: SeedOption, to: Output, exclude: Excluded = ()) -> None:
    """Measure how good each worker is on gold and against the others, how fast, and who answers at random.

    $ assay crowd workers crowd/labels.csv
    """
    from assay.ground_truth.crowd_sections import workers_document

    # Workers are looked at in the same way whatever the method, and votes need no model.
    result = _crowd(labels, {"method": "majority", **crowd}, exclude, drawing, to)
    text = output.written(workers_document(result), to)
    output.remarks(result.warnings, quiet=to.quiet)
    output.deliver(text, to)


def _crowd(labels: str, rules: CrowdInputs, exclude: tuple[str, ...], drawing: SeedOption, to: Output) -> Any:
    from assay.ground_truth.crowd import crowd

    stated: dict[str, Any] = {**rules, **drawing, "exclude": _excluded(exclude)}
    return inputs.result_of(crowd, "aggregating", to, inputs.kept(labels), **stated)


def _excluded(texts: tuple[str, ...]) -> Any:
    if "flagged" in texts:
        if len(texts) > 1:
            raise ParameterError("--exclude flagged leaves out all that are flagged: name no others beside it")
        return "flagged"
    pairs = (text.partition("=") for text in texts)
    return {worker: reason or "left out by name" for worker, _, reason in pairs}


class HitRules(TypedDict, total=False):
    """The cut of HITs."""

    gold: Annotated[str, option(metavar="QRELS", help="Judgments to mix in as gold questions.")]
    documents: options.Documents
    per_hit: Annotated[int, option(help="Questions per HIT, gold included (5).", least=1)]
    redundancy: Annotated[int, option(help="Workers per HIT (5).", least=1)]
    price: Annotated[float, option("--pay", help="Pay of one assignment (0.05).")]


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
    from assay.ground_truth.hits import make_hits

    if Path("-") in {output_path, key}:
        raise ParameterError("HITs and their key are two files, not stdout: name them by --output and --key")
    to = Output(json=json, quiet=quiet)
    result = inputs.result_of(make_hits, "cutting", to, topics, pool, **rules, **drawing)
    result.write(output_path, key, overwrite=overwrite)
    output.give(result, to)


class AuditRules(TypedDict, total=False):
    """The labels that a model's are held against, and what they have to reach."""

    family: Annotated[str, option("--own-family", metavar="FAMILY", help="Family of the judging model.")]
    slices: Annotated[
        tuple[str, ...], option("--slice", metavar="COLUMN", help="Also audit within the groups of a column; repeat.")
    ]
    categories: Categories
    binarise: Annotated[float, option(metavar="N", help="Count grades of N or more as 1 on both sides, others as 0.")]
    least_kappa: Annotated[
        float, option(help="Smallest kappa that passes, with its whole interval (0.4).", panel=RULES)
    ]
    least_tau: Annotated[float, option(help="Smallest tau between system rankings that passes (0.9).", panel=RULES)]
    most_lenient: Annotated[
        float, option(help="Largest mean difference that passes, as a share of the scale (0.1).", panel=RULES)
    ]
    most_flips: Annotated[float, option(help="Largest share of flipped items that passes (0.1).", panel=RULES)]
    repeated: RepeatedLabels
    columns: Columns


def audit(
    model: Annotated[str, options.argument("MODEL", "Labels of the model: a table, or judgments.")],
    people: Annotated[str, options.argument("PEOPLE", "Labels of people for the same items: a table, or judgments.")],
    rules: AuditRules,
    drawing: SeedOption,
    to: Output,
    runs: Annotated[list[str] | None, options.argument("RUN", "Runs to rank by both; name=FILE names one.")] = None,
    measures: options.Measures = (),
    families: Annotated[
        tuple[str, ...],
        option("--family-of", metavar="RUN=FAMILY", help="Model family that a run is built on; repeat."),
    ] = (),
) -> None:
    """Check whether a language model's labels can replace people's: kappa, leniency, flips, the ranking of systems.

    $ assay crowd audit crowd/model.csv bicycles/judgments.txt
    """
    from assay.ground_truth.llm import audit_judge

    stated: dict[str, Any] = {**rules, **drawing, "runs": inputs.opened(people, runs) if runs else None}
    if families:
        stated["families"] = dict(map(_run_and_family, families))
    if measures and not runs:
        raise ParameterError("-m, --measure is what runs are ranked by: name runs")
    if measures:
        stated["measure"] = options.only(measures, "-m, --measure")
    files = map(inputs.kept, (model, people))
    result = inputs.result_of(audit_judge, "auditing", to, *files, **stated)
    output.give(result, to, warnings=(), notes=result.warnings)


def _run_and_family(text: str) -> tuple[str, str]:
    run, _, family = text.partition("=")
    if not (run and family):
        raise ParameterError(f"--family-of: expected RUN=FAMILY, got {text!r}")
    return run, family
