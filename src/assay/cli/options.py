"""Every option of the command line, declared once: shared fields, and groups of them that commands take whole.

A group is a frozen dataclass whose fields have the names of the library's arguments. What was not set stays None, False
or empty, and `settings` passes on only what was: defaults stand in the library alone. `--help` shows what is in the
panel `OPTIONS`, `--help-all` the other panels, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any, TypeAlias, TypeVar, dataclass_transform

from cyclopts import Parameter

from assay.core.errors import ParameterError

Group = TypeVar("Group")

INPUTS, OPTIONS, RULES, TEST, COLUMNS, CONTENTS, OUTPUT = (
    "Inputs", "Options", "Rules of counting", "Test", "Columns", "What is shown", "Output",
)  # fmt: skip


def option(*names: str, help: str, panel: str = OPTIONS, metavar: str | None = None, least: int | None = None) -> Any:
    """An option by its names; `least` is the smallest number that it takes."""
    return Parameter(
        name=names, help=help, group=panel, metavar=metavar, allow_leading_hyphen=True, negative=(),
        validator=None if least is None else _at_least(least),
    )  # fmt: skip


def argument(metavar: str, help: str) -> Any:
    """An input, by its place."""
    return Parameter(name=metavar, metavar=metavar, help=help, group=INPUTS, negative=())


@dataclass_transform(frozen_default=True, kw_only_default=True)
def group(cls: type[Group]) -> type[Group]:
    """A frozen dataclass whose fields are options of every command that takes it."""
    return Parameter(name="*")(dataclass(frozen=True, kw_only=True)(cls))


def _at_least(least: int) -> Callable[[Any, Any], None]:
    def check(_: Any, value: Any) -> None:
        for number in value if isinstance(value, tuple) else (value,):
            if number is not None and number < least:
                raise ValueError(f"{number} is not a whole number from {least} on")

    return check


def settings(*groups: Any, without: tuple[str, ...] = ()) -> dict[str, Any]:
    """What was set in groups of options, by the names of the library's arguments.

    >>> settings(SearchRules(depth=10, judged_only=True))
    {'depth': 10, 'judged_only': True}
    """
    values = {field.name: getattr(each, field.name) for each in groups for field in fields(each)}
    return stated(**{name: value for name, value in values.items() if name not in without})


def stated(**values: Any) -> dict[str, Any]:
    """The values that were set, by name.

    >>> stated(seed=0, level=None)
    {'seed': 0}
    """
    return {name: value for name, value in values.items() if is_set(value)}


def is_set(value: Any) -> bool:
    """Whether an option was set: 0 is a value, an empty list is none."""
    return value is not None and value is not False and value != ()


def without(group: Group, *names: str) -> Group:
    """A group of options in which some are not set."""
    plain = type(group)()
    return replace(group, **{name: getattr(plain, name) for name in names})  # type: ignore[type-var]


def only(values: tuple[str, ...], name: str) -> str | None:
    """The only value of an option that can be repeated, where a command has a use for one."""
    if len(values) > 1:
        raise ParameterError(f"{name} can be given once here, got {' and '.join(values)}")
    return values[0] if values else None


# Inputs ---------------------------------------------------------------------------------------------------------------

Judgments: TypeAlias = Annotated[str, argument("QRELS", "Judgments: a file (also .gz, .zst), or - for stdin.")]
Runs: TypeAlias = Annotated[
    list[str], argument("RUN", "Runs: one file or several, or - for stdin; name=FILE names one.")
]
Run: TypeAlias = Annotated[str, argument("RUN", "The run; name=FILE names it.")]
OptionalJudgments: TypeAlias = Annotated[str | None, argument("QRELS", "Judgments.")]
OptionalRun: TypeAlias = Annotated[str | None, argument("RUN", "The run.")]
MeasureName: TypeAlias = Annotated[str, argument("MEASURE", "The measure, such as nDCG@10, F1 or NMI.")]
PredictionFiles: TypeAlias = Annotated[
    list[str],
    argument("FILE", "Predictions beside the truth, one file or several, or - for stdin; name=FILE names one."),
]
PredictionFile: TypeAlias = Annotated[str | None, argument("FILE", "Predictions beside the truth, or - for stdin.")]
ClusterFiles: TypeAlias = Annotated[
    list[str], argument("FILE", "Clusters of items, one file or several, or - for stdin; name=FILE names one.")
]
ClusterFile: TypeAlias = Annotated[str, argument("FILE", "A file with points or clusters, or - for stdin.")]
ScoreFile: TypeAlias = Annotated[
    str, argument("SCORES", "A CSV: system,measure,unit,value, or one column per system; - for stdin.")
]
TrueSpans: TypeAlias = Annotated[
    str, argument("TRUTH", "True spans: tagged tokens (CoNLL), JSONL, or a table; - for stdin.")
]
SpanFiles: TypeAlias = Annotated[
    list[str], argument("SYSTEM", "Predicted spans, one file per system; name=FILE names one.")
]
OptionalSpanFiles: TypeAlias = Annotated[
    list[str] | None, argument("SYSTEM", "Predicted spans, one file per system, unless TRUTH has them, too.")
]
Baseline: TypeAlias = Annotated[str, argument("OLD", "The baseline; name=FILE names it.")]
Candidate: TypeAlias = Annotated[str | None, argument("NEW", "The candidate, if it is in a file of its own.")]

# Fields that groups and commands share --------------------------------------------------------------------------------

Measures: TypeAlias = Annotated[
    tuple[str, ...],
    option("-m", "--measure", help="A measure; repeat, or separate by commas. `assay measures` lists them."),
]
Json: TypeAlias = Annotated[bool, option("--json", help="As JSON, numbers in full.")]
Quiet: TypeAlias = Annotated[bool, option("--quiet", help="No messages on stderr.", panel=OUTPUT)]
Overwrite: TypeAlias = Annotated[
    bool, option("--overwrite", help="Let the output replace a file that is read.", panel=OUTPUT)
]
Seed: TypeAlias = Annotated[int | None, option("--seed", help="Seed of everything random (0).", panel=TEST, least=0)]
Confidence: TypeAlias = Annotated[
    float | None, option("--confidence", help="Level of the intervals (0.95).", panel=TEST)
]
Resamples: TypeAlias = Annotated[
    int | None,
    option("--resamples", help="How often units are drawn anew, for intervals (0: none, where that is possible).",
           panel=TEST, least=0),
]  # fmt: skip
Permutations: TypeAlias = Annotated[
    int | None,
    option("--permutations", help="Random swaps of the test (enough for the correction).", panel=TEST, least=100),
]
Alpha: TypeAlias = Annotated[
    float | None, option("--alpha", help="Level of the test; intervals are at 1 - alpha (0.05).", panel=TEST)
]
Margin: TypeAlias = Annotated[
    tuple[str, ...],
    option("--margin", metavar="N", help="Smallest difference that matters (0.01 of the measure's range)."),
]
Power: TypeAlias = Annotated[
    float | None, option("--power", help="Chance to find a difference that is there (0.8).", panel=TEST)
]
Baselines: TypeAlias = Annotated[
    tuple[str, ...],
    option("-b", "--baseline", metavar="NAME", help="The system that the others are compared with."),
]
System: TypeAlias = Annotated[
    tuple[str, ...], option("--system", metavar="NAME", help="Only this system of several; repeat.")
]
Topics: TypeAlias = Annotated[str | None, option("--topics", metavar="FILE", help="The topics.", panel=CONTENTS)]
Documents: TypeAlias = Annotated[
    str | None, option("--documents", metavar="FILE", help="The documents.", panel=CONTENTS)
]
Slices: TypeAlias = Annotated[
    str | None, option("--slices", metavar="ATTRIBUTE", help="Also within groups of --topics.", panel=CONTENTS)
]
Threshold: TypeAlias = Annotated[float | None, option("--threshold", help="Predict positive from this score on.")]
Level: TypeAlias = Annotated[float | None, option("-l", "--level", help="Smallest grade that counts as relevant (1).")]
Query: TypeAlias = Annotated[str | None, option("-q", "--query", metavar="ID", help="One query, instead of all.")]
Show: TypeAlias = Annotated[int | None, option("--show", help="How many ranks to show.", panel=CONTENTS, least=1)]
Matrix: TypeAlias = Annotated[
    str | None,
    option("--matrix", metavar="'13 4; 2 15'", help="A confusion matrix instead of a file, typed or in a file."),
]
Orientation: TypeAlias = Annotated[
    str | None,
    option("--orientation", help="Of a matrix: rows_are_true (default), rows_are_predicted.", panel=CONTENTS),
]
TypedScores: TypeAlias = Annotated[
    str | None,
    option("--scores", metavar="'P .90, N .70'", help="A list instead of a file: P or N and the score of each item."),
]
Table: TypeAlias = Annotated[
    str | None,
    option("--contingency", metavar="'5 1; 0 4'",
           help="Counts instead of a file, one row per class, one column per cluster."),
]  # fmt: skip
Ks: TypeAlias = Annotated[
    str | None, option("--ks", metavar="2:10", help="Cluster the points into 2 to 10, or 2,4,8. Needs scikit-learn.")
]
Mute: TypeAlias = Annotated[
    tuple[str, ...], option("--mute", metavar="CODE", help="A remark not to make; repeat.", panel=CONTENTS)
]
Direction: TypeAlias = Annotated[
    tuple[str, ...],
    option("--direction", metavar="lower", help="Which scores are good: higher, lower, or MEASURE=lower; repeat."),
]
Truth: TypeAlias = Annotated[
    str | None, option("--truth", metavar="COLUMN", help="The true labels, or classes (detected).")
]
ItemId: TypeAlias = Annotated[
    str | None, option("--item-id", metavar="COLUMN", help="The items' ids (detected).", panel=COLUMNS)
]
Weight: TypeAlias = Annotated[
    str | None, option("--weight", metavar="COLUMN", help="The items' weights (detected).", panel=COLUMNS)
]
Columns: TypeAlias = Annotated[
    tuple[str, ...],
    option("--columns", metavar="ROLE=NAME", panel=COLUMNS,
           help="Which columns hold what, as query_id='Search term',doc_id=url (detected)."),
]  # fmt: skip
MissingItems: TypeAlias = Annotated[
    str | None, option("--missing", help="Items that a system lacks: error (default), drop.", panel=RULES)
]
PictureFile: TypeAlias = Annotated[
    Path | None,
    option("-o", "--output", help="The file: .svg, .png, .pdf, .html, .json, .csv, .md (assay-KIND.html)."),
]
InverseGrades: TypeAlias = Annotated[
    bool, option("--inverse-grades", help="1 is the best grade, as in Cranfield's codes: turn grades round.")
]
Kind: TypeAlias = Annotated[
    str | None, option("--kind", help="What the file holds: run, qrels, topics, documents (found out).")
]

# Groups ---------------------------------------------------------------------------------------------------------------


@group
class SearchRules:
    """How a run is turned into counts: the fields of `Policies`, and the rules of `evaluate`."""

    columns: Columns = ()
    relevance_level: Level = None
    ties: Annotated[
        str | None,
        option("--ties", help="Equal scores: doc_id_descending (default), doc_id_ascending, input_order, expected.",
               panel=RULES),
    ] = None  # fmt: skip
    missing: Annotated[
        str | None,
        option("--missing", help="Judged topics that a run lacks: zero (default), skip, error.", panel=RULES),
    ] = None
    unjudged: Annotated[
        str | None, option("--unjudged", help="Documents without judgment: irrelevant (default), error.", panel=RULES)
    ] = None
    duplicates: Annotated[
        str | None, option("--duplicates", help="A document twice in a query: error, first, best.", panel=RULES)
    ] = None
    rank_by: Annotated[
        str | None, option("--rank-by", help="Order by score (default), or by the rank column.", panel=RULES)
    ] = None
    depth: Annotated[int | None, option("--depth", help="Score only the top N documents per query.", panel=RULES)] = (
        None
    )
    judged_only: Annotated[bool, option("--judged-only", help="Take unjudged documents out first.", panel=RULES)] = (
        False
    )
    complete: Annotated[
        bool,
        option("--complete", help="The judgments hold all that is relevant: other documents are not.", panel=RULES),
    ] = False
    collection_size: Annotated[
        int | None,
        option("--collection-size", help="Documents in the collection, for accuracy, fallout, AUC.", panel=RULES),
    ] = None
    undefined: Annotated[
        str | None, option("--undefined", help="Undefined values in a mean: counted_as, skip, error.", panel=RULES)
    ] = None
    compat: Annotated[
        str | None, option("--compat", help="Rank, skip and round as trec_eval-9 or trec_eval-10.", panel=RULES)
    ] = None
    judge: Annotated[
        str | None, option("--judge", metavar="NAME", help="Whose judgments count, if column 2 names judges.",
                           panel=RULES)
    ] = None  # fmt: skip
    subtopics: Annotated[
        bool, option("--subtopics", help="Column 2 of the judgments names the subtopic (found out).", panel=RULES)
    ] = False


@group
class Sampling:
    """Intervals: their level, what they are drawn from, and the seed."""

    confidence: Confidence = None
    resamples: Resamples = None
    seed: Seed = None


@group
class Testing:
    """How differences are tested, and how large they have to be to matter."""

    baseline: Baselines = ()
    margin: Margin = ()
    test: Annotated[
        str | None,
        option("--test", help="permutation, bootstrap, t, wilcoxon, sign; of all systems tukey, randomised_tukey; of "
               "classifiers swap, mcnemar, delong. Default: the measure's own.", panel=TEST),
    ] = None  # fmt: skip
    correction: Annotated[
        str | None, option("--correction", help="holm (default), bonferroni, benjamini-hochberg, none.", panel=TEST)
    ] = None
    family: Annotated[
        str | None, option("--family", help="Correct over the comparisons by one measure, or by all.", panel=TEST)
    ] = None
    interval: Annotated[
        str | None, option("--interval", help="hull (of t and bca; default), bca, percentile, t.", panel=TEST)
    ] = None
    alpha: Alpha = None
    power: Power = None
    resamples: Permutations = None
    bootstrap_resamples: Resamples = None
    seed: Seed = None

    def settings(self) -> dict[str, Any]:
        """What was set, as `compare` takes it."""
        return settings(self) | margin_of(self.margin)


@group
class Gating:
    """When a candidate may take the baseline's place, and where a pipeline looks for the outcome."""

    margin: Annotated[
        tuple[str, ...],
        option("--margin", metavar="N", help="Smallest loss that matters: 0.01, or nDCG@10=0.02; repeat."),
    ] = ()
    alpha: Alpha = None
    inconclusive: Annotated[
        str | None, option("--inconclusive", help="When inconclusive: report (exit 3; default), pass (0), fail (1).")
    ] = None
    max_missing: Annotated[
        float | None, option("--max-missing", help="Share of units that a system may lack (0.1).", panel=TEST)
    ] = None
    seed: Seed = None
    junit: Annotated[Path | None, option("--junit", help="Also write JUnit XML to this file.")] = None
    summary: Annotated[
        Path | None, option("--summary", help="Also append Markdown to this file, such as $GITHUB_STEP_SUMMARY.")
    ] = None
    annotations: Annotated[
        str | None, option("--annotations", metavar="github", help="Also print workflow commands.")
    ] = None


@group
class Output:
    """In which form a result is given, and where to."""

    json: Json = False
    csv: Annotated[bool, option("--csv", help="As CSV, numbers in full.")] = False
    markdown: Annotated[bool, option("--markdown", help="As Markdown.", panel=OUTPUT)] = False
    latex: Annotated[bool, option("--latex", help="As LaTeX tables.", panel=OUTPUT)] = False
    html: Annotated[bool, option("--html", help="As HTML.", panel=OUTPUT)] = False
    table: Annotated[
        str | None,
        option("--table", metavar="NAME", help="With --csv: another table than the main one.", panel=OUTPUT),
    ] = None
    spreadsheet: Annotated[
        bool,
        option("--spreadsheet", help="With --csv: an apostrophe before what would be a formula.", panel=OUTPUT),
    ] = False
    path: Annotated[Path | None, option("-o", "--output", help="Write to a file instead of stdout.")] = None
    overwrite: Overwrite = False
    quiet: Quiet = False


def margin_of(texts: tuple[str, ...]) -> dict[str, float]:
    """The margin as a number, if it was set.

    >>> margin_of(("0.02",)), margin_of(())
    ({'margin': 0.02}, {})
    """
    text = only(texts, "--margin")
    if text is None:
        return {}
    try:
        return {"margin": float(text)}
    except ValueError:
        raise ParameterError(f"--margin is a number, not {text!r}") from None
