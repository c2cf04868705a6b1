"""The options of `evaluate`, which waits for no others; and what an option is: a type with an `Option` beside it.

Commands show an option by its help, in a panel; see `assay.core.options`, where the options of all other verbs stand.
"""

from collections.abc import Mapping
from typing import Annotated, Literal, NamedTuple, TypeAlias, TypedDict

INPUTS, OPTIONS, RULES, TEST, COLUMNS, CONTENTS, OUTPUT = (
    "Inputs", "Options", "Rules of counting", "Test", "Columns", "What is shown", "Output",
)  # fmt: skip


class Option(NamedTuple):
    """The meaning of an option, and its look in commands: its panel, and its names if not that of its argument.

    `metavar` stands for its value; `least` is the smallest number that it takes. `several`: one name takes all values
    up to the next option.
    """

    help: str
    panel: str
    names: tuple[str, ...]
    metavar: str | None = None
    least: int | None = None
    several: bool = False


def option(
    *names: str,
    help: str,
    panel: str = OPTIONS,
    metavar: str | None = None,
    least: int | None = None,
    several: bool = False,
) -> Option:
    """An option by its names."""
    return Option(help, panel, names, metavar, least, several)


Seed = Annotated[int, option(help="Random seed (0).", panel=TEST, least=0)]

# How a run is turned into counts --------------------------------------------------------------------------------------

Ties = Annotated[
    Literal["doc_id_descending", "doc_id_ascending", "input_order", "expected"],
    option(help="Equal scores: doc_id_descending (default), doc_id_ascending, input_order, expected.", panel=RULES),
]
Unjudged = Annotated[
    Literal["irrelevant", "error"], option(help="Unjudged documents: irrelevant (default), error.", panel=RULES)
]
MissingTopics = Annotated[
    Literal["zero", "skip", "error"],
    option(help="Judged topics missing from a run: zero (default), skip, error.", panel=RULES),
]
MissingItems = Annotated[
    Literal["error", "drop"], option(help="Items missing from a system: error (default), drop.", panel=RULES)
]
Duplicates = Annotated[
    Literal["error", "first", "best"],
    option(help="Duplicate documents in a query: error (default), first, best.", panel=RULES),
]
RankBy = Annotated[
    Literal["score", "rank"], option(help="Order by score (default), or by the rank column.", panel=RULES)
]
LowerIsBetter = Annotated[
    bool, option(help="The lowest scores are best, as with distances (known by names such as distance).", panel=RULES)
]
Depth = Annotated[int, option(help="Score only the top N documents per query.", panel=RULES)]
JudgedOnly = Annotated[bool, option(help="Remove unjudged documents before scoring.", panel=RULES)]
Level = Annotated[float, option("-l", "--level", help="Smallest grade that counts as relevant (1).")]
ScorePrecision: TypeAlias = Literal["double", "single"]
CollectionSize = Annotated[int, option(help="Documents in the collection, for accuracy, fallout, AUC.", panel=RULES)]
Complete = Annotated[
    bool,
    option(
        help="Judgments are complete, as a golden set of all right answers is: documents without one are irrelevant."
    ),
]
Undefined = Annotated[
    Literal["counted_as", "skip", "error", "0", "1", "nan"],
    option(
        "--undefined",
        "--zero-division",
        help="Undefined values in a mean: counted_as (default), skip, error; or 0, 1, nan.",
        panel=RULES,
    ),
]
Compat = Annotated[
    Literal["trec_eval-9", "trec_eval-10"],
    option(help="Rank, skip and round like trec_eval-9 or trec_eval-10.", panel=RULES),
]
Judge = Annotated[
    str, option(metavar="NAME", help="Use only this judge's judgments (column 2 names judges).", panel=RULES)
]
Subtopics = Annotated[bool, option(help="Column 2 of the judgments names the subtopic (detected).", panel=RULES)]
Samples = Annotated[int, option(help="Random orders for --ties expected (100).", panel=RULES, least=1)]


Columns = Annotated[
    Mapping[str, str] | None,
    option(metavar="ROLE=NAME", help="Name columns, as in query_id='Search term',doc_id=url; repeat.",
           panel=COLUMNS),
]  # fmt: skip


class PolicyRules(TypedDict, total=False):
    """Rules by which a run is turned into counts: the fields of `Policies`, which says what each means."""

    relevance_level: Level
    ties: Ties
    missing: MissingTopics | MissingItems  # of runs; of items that are paired
    unjudged: Unjudged
    duplicates: Duplicates
    rank_by: RankBy
    lower_is_better: LowerIsBetter
    depth: Depth | None
    judged_only: JudgedOnly
    complete: Complete
    collection_size: CollectionSize | None
    score_precision: ScorePrecision


class EvaluationRules(PolicyRules, total=False):
    """All rules of `evaluate`, but for the seed."""

    undefined: Undefined
    compat: Compat | None
    judge: Judge | None
    subtopics: Subtopics | None
    samples: Samples
    columns: Columns
