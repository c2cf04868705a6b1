"""The options of commands that the library has no argument for (inputs, columns, output), and the groups they form.

What the library has an argument for is declared in `core/options`. `--help` shows what is in the panel `OPTIONS`,
`--help-all` the other panels, too.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, TypeVar, dataclass_transform

from assay.core.errors import ParameterError
from assay.core.evaluation_options import (
    COLUMNS,
    CONTENTS,
    INPUTS,
    OUTPUT,
    TEST,
    Columns,
    MissingItems,
    Option,
    Undefined,
    option,
)
from assay.core.options import ClusterRules, Positive, SeedOption, TestSettings, Threshold
from assay.core.registry import ENDINGS

Group = TypeVar("Group")


def argument(metavar: str, help: str) -> Option:
    """An input, by its place."""
    return Option(help, INPUTS, (metavar,), metavar)


@dataclass_transform(frozen_default=True, kw_only_default=True)
def group(cls: type[Group]) -> type[Group]:
    """A frozen dataclass whose fields are options of every command that takes it."""
    # Methods that nobody calls would be generated at every start.
    return dataclass(frozen=True, kw_only=True, eq=False, repr=False)(cls)


def settings(group: Any, *names: str) -> dict[str, Any]:
    """The options of a group that were set, or some of them by name: 0 is a value, an empty list is none.

    >>> settings(Output(csv=True, path=Path("a.csv")), "csv", "json")
    {'csv': True}
    """
    values = {name: getattr(group, name) for name in names or [each.name for each in fields(group)]}
    return {name: value for name, value in values.items() if is_set(value)}


def is_set(value: Any) -> bool:
    """True if an option was set."""
    return value is not None and value is not False and value not in ((), [], {})


def without(group: Group, *names: str) -> Group:
    """A group of options in which some are not set."""
    defaults = {each.name: each.default for each in fields(group)}  # type: ignore[arg-type]
    return replace(group, **{name: defaults[name] for name in names})  # type: ignore[type-var]


def stated(rules: Any, *but: str) -> dict[str, Any]:
    """The rules that were set, but for those that were heeded when files were read.

    >>> stated({"level": 2.0, "repeated": "last"}, "repeated")
    {'level': 2.0}
    """
    return {name: value for name, value in rules.items() if name not in but}


def measure_names(texts: tuple[str, ...]) -> list[str]:
    """The measures that were asked for, also several in one text."""
    from assay.measures.parser import split_measures

    return [name for text in texts for name in split_measures(text)]


def only(values: tuple[str, ...], name: str) -> str | None:
    """The only value of an option that can be repeated, where a command has a use for one."""
    if len(values) > 1:
        raise ParameterError(f"{name} can be given once here, got {' and '.join(values)}")
    return values[0] if values else None


# Inputs ---------------------------------------------------------------------------------------------------------------

Judgments = Annotated[str, argument("QRELS", "Judgments: a file (also .gz, .zst), - for stdin, or a collection.")]

Runs = Annotated[
    list[str], argument("RUN", "One run or more, or - for stdin; name=FILE names one. A collection has its own.")
]

Run = Annotated[str, argument("RUN", "The run; name=FILE names it.")]

MeasureName = Annotated[str, argument("MEASURE", "The measure; `assay measures` lists them.")]

PredictionFiles = Annotated[
    list[str], argument("FILE", "Predictions with true labels: one file or more, or - for stdin; name=FILE names one.")
]

PredictionFile = Annotated[str, argument("FILE", "Predictions with true labels, or - for stdin.")]

ClusterFiles = Annotated[
    list[str], argument("FILE", "Cluster assignments: one file or more, or - for stdin; name=FILE names one.")
]

ClusterFile = Annotated[str, argument("FILE", "A file of points or clusters, or - for stdin.")]

ScoreFile = Annotated[
    str, argument("SCORES", "A CSV: system,measure,unit,value, or one column per system; - for stdin.")
]

TrueSpans = Annotated[str, argument("TRUTH", "True spans: tagged tokens (CoNLL), JSONL, or a table; - for stdin.")]

SpanFile = Annotated[str, argument("SYSTEM", "Predicted spans, unless TRUTH holds them.")]

SpanFiles = Annotated[list[str], argument("SYSTEM", "Predicted spans, one file per system; name=FILE names one.")]

LabelFiles = Annotated[
    list[str], argument("LABELS", "Labels of several judges, or one file per judge, as in ana=FILE; - for stdin.")
]

LabelSets = Annotated[list[str], argument("LABELS", "Labels of several judges, one file per set; name=FILE names one.")]

LabelFile = Annotated[str, argument("LABELS", "Labels of several judges, or - for stdin.")]

LogFiles = Annotated[
    list[str], argument("LOG", "A click log: files or a folder, or - for stdin; name=FILE for separate logs.")
]

ByTopic = Annotated[bool, option(help="Resample topics, not items, for intervals.", panel=TEST)]

Groups = Annotated[
    tuple[str, ...],
    option("--group", metavar="NAME=A,B", help="Judges of one file that form a group; repeat for another."),
]

Baseline = Annotated[str, argument("OLD", "The baseline; name=FILE names it.")]

Candidate = Annotated[str, argument("NEW", "The candidate, if it is in a file of its own.")]

# Options that commands share ------------------------------------------------------------------------------------------

Measures = Annotated[
    tuple[str, ...],
    option("-m", "--measure", help="A measure; repeat, or separate by commas. `assay measures` lists them."),
]

Json = Annotated[bool, option(help="As JSON, with full precision.")]

Quiet = Annotated[bool, option(help="No messages on stderr.", panel=OUTPUT)]

Overwrite = Annotated[bool, option(help="Allow the output to replace an input file.", panel=OUTPUT)]

Baselines = Annotated[
    tuple[str, ...], option("-b", "--baseline", metavar="NAME", help="The system that the others are compared with.")
]

System = Annotated[tuple[str, ...], option(metavar="NAME", help="Use only this system; repeat for more.")]

ListedSystem = Annotated[
    str, option("--system", metavar="NAME", help="Whose documents and queries to show, of several systems.")
]

Topics = Annotated[str, option(metavar="FILE", help="Topics file.", panel=CONTENTS)]

Documents = Annotated[str, option(metavar="FILE", help="Documents file.", panel=CONTENTS)]

Slices = Annotated[
    str,
    option(
        metavar="ATTRIBUTE", help="Also compare within groups of topics, by an attribute of --topics.", panel=CONTENTS
    ),
]

Query = Annotated[str, option("-q", "--query", metavar="ID", help="Only this query.")]

Show = Annotated[int, option(help="Number of ranks to show.", panel=CONTENTS, least=1)]

Matrix = Annotated[
    str, option(metavar="'13 4; 2 15'", help="A confusion matrix instead of predictions, typed or in a file.")
]

Orientation = Annotated[
    str, option(help="Layout of the matrix: rows_are_true (default), rows_are_predicted.", panel=CONTENTS)
]

TypedScores = Annotated[
    str,
    option(
        "--scores", metavar="'P .90, N .70'", help="Typed scores instead of a file: P or N and the score of each item."
    ),
]

Table = Annotated[
    str,
    option("--contingency", metavar="'5 1; 0 4'",
           help="Counts instead of a file, one row per class, one column per cluster."),
]  # fmt: skip

Ks = Annotated[str, option(metavar="2:10", help="Cluster the points into 2 to 10, or 2,4,8. Needs scikit-learn.")]

Mute = Annotated[tuple[str, ...], option(metavar="CODE", help="Suppress this remark; repeat for more.", panel=CONTENTS)]

Direction = Annotated[
    tuple[str, ...], option(metavar="lower", help="Which scores are good: higher, lower, or MEASURE=lower; repeat.")
]

InverseGrades = Annotated[bool, option(help="Grade 1 is the best, as in Cranfield: reverse the grades.")]

Kind = Annotated[str, option(help="What the file holds: run, qrels, topics, documents (detected).")]

# Groups ---------------------------------------------------------------------------------------------------------------


ReplaceLog = Annotated[bool, option("--overwrite", help="Replace a folder that holds a log.", panel=OUTPUT)]


#: What is expected in files that end so is neither text nor a form that results have.
_NO_TEXT = {
    ".arrow", ".bz2", ".feather", ".gz", ".ipc", ".jsonl", ".ndjson", ".parquet", ".pdf", ".png", ".pq", ".qrels",
    ".rel", ".run", ".svg", ".trec", ".tsv", ".xls", ".xlsx", ".xml", ".xz", ".zip", ".zst",
}  # fmt: skip


@group
class Output:
    """In which form a result is given, and where to."""

    json: Json = False
    csv: Annotated[bool, option(help="As CSV, with full precision.")] = False
    markdown: Annotated[bool, option(help="As Markdown.", panel=OUTPUT)] = False
    latex: Annotated[bool, option(help="As LaTeX tables.", panel=OUTPUT)] = False
    html: Annotated[bool, option(help="As HTML.", panel=OUTPUT)] = False
    table: Annotated[
        str | None, option(metavar="NAME", help="With --csv: this table instead of the main one.", panel=OUTPUT)
    ] = None
    spreadsheet: Annotated[
        bool, option(help="With --csv: put an apostrophe before cells that would be formulas.", panel=OUTPUT)
    ] = False
    path: Annotated[
        Path | None, option("-o", "--output", help="Write to a file; .json, .csv, .md, .tex and .html name the form.")
    ] = None
    overwrite: Overwrite = False
    quiet: Quiet = False
    #: Endings of files that hold something else than the result in a form of its own.
    of_tables: ClassVar[frozenset[str]] = frozenset()

    def __post_init__(self) -> None:
        """`-` is stdout, which is what no file means."""
        if self.path == Path("-"):
            object.__setattr__(self, "path", None)

    @property
    def form(self) -> str | None:
        """The form asked for, or that the ending of the file names; None is text for the terminal.

        >>> Output(path=Path("a.md")).form, Output(json=True, path=Path("a.md")).form, Output(path=Path("a.txt")).form
        ('markdown', 'json', None)
        """
        chosen = [name for name in ENDINGS.values() if getattr(self, name)]
        if len(chosen) > 1:
            raise ParameterError(f"choose one of --{' and --'.join(chosen)}")
        ending = "" if self.path is None else self.path.suffix.lower()
        form = chosen[0] if chosen else ENDINGS.get(ending)
        if form is None and ending in _NO_TEXT - self.of_tables:
            forms = ", ".join(ENDINGS)
            raise ParameterError(f"{self.path}: the ending names no form of a result: {forms}, or .txt for text")
        for name, is_asked in (("--spreadsheet", self.spreadsheet), ("--table", self.table is not None)):
            if is_asked and form != "csv":
                raise ParameterError(f"{name} goes with --csv")
        return form

    def check(self) -> None:
        """Refuse what cannot be given, before anything is read."""
        _ = self.form


@group
class JudgmentsOutput(Output):
    """The form of a result that can be written as judgments."""

    of_tables: ClassVar[frozenset[str]] = frozenset({".qrels", ".trec", ".txt"})


@group
class Measured:
    """The measures asked for."""

    measures: Measures = ()


@group
class Evaluating(Output, Measured):
    """By which measures systems are evaluated, and how that is shown."""


class Testing(TestSettings, SeedOption, total=False):
    """The test of differences, with the seed."""


@group
class Tested(Measured):
    """By which measures and tests systems are compared."""

    baseline: Baselines = ()
    testing: Testing


Truth = Annotated[str, option(metavar="COLUMN", help="True labels or classes (detected).")]

ItemId = Annotated[str, option("--item-id", metavar="COLUMN", help="Item ids (detected).", panel=COLUMNS)]

Weight = Annotated[str, option(metavar="COLUMN", help="Item weights (detected).", panel=COLUMNS)]


@group
class PredictionColumns:
    """The columns of predictions."""

    columns: Columns = None
    truth: Truth | None = None
    prediction: Annotated[str | None, option(metavar="COLUMN", help="Predicted labels (detected).")] = None
    score: Annotated[str | None, option(metavar="COLUMN", help="Scores of the positive label (detected).")] = None
    item: ItemId | None = None
    weight: Weight | None = None
    list_separator: Annotated[
        str | None, option(metavar="';'", help="Separator between several labels in a cell.", panel=COLUMNS)
    ] = None
    pos_label: Positive = None


@group
class LabelInputs(PredictionColumns):
    """Predictions: their columns, and which labels and systems count."""

    system: System = ()
    one_class: Annotated[
        str | None, option("--class", metavar="LABEL", help="Evaluate this class against all others.")
    ] = None
    labels: Annotated[str | None, option(metavar="A,B,C", help="All labels, in order.", panel=COLUMNS)] = None
    nulls: Annotated[
        str | None, option(help="Missing labels: error (default), drop, label (counts as wrong).", panel=COLUMNS)
    ] = None


@group
class PairedLabels(LabelInputs):
    """Predictions of several systems, whose items are paired."""

    threshold: Threshold | None = None
    missing: MissingItems | None = None
    undefined: Undefined | None = None


@group
class PointColumns:
    """The columns of points."""

    columns: Columns = None
    truth: Truth | None = None
    points: Annotated[
        str | None, option(metavar="x,y", help="Coordinates of the points, or rest: all other numeric columns.")
    ] = None
    item: ItemId | None = None


@group
class ClusterColumns(PointColumns):
    """The columns of clusterings."""

    cluster: Annotated[tuple[str, ...], option(metavar="COLUMN", help="Clusters; repeat for several clusterings.")] = ()
    weight: Weight | None = None


@group
class ClusterInputs(ClusterColumns):
    """Clusterings: the columns of a file, which of several are meant, and how they are counted."""

    system: System = ()
    rules: ClusterRules = field(default_factory=ClusterRules)


@group
class PairedClusters(ClusterInputs):
    """Clusterings whose items are paired."""

    missing: MissingItems | None = None
