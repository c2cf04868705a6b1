"""Every option that functions and commands share, declared once: its type, what it means, how a command calls it.

An option is a type with an `Option` beside it. Signatures name it (`alpha: Alpha = 0.05`), and so do groups of options:
typed dicts, whose names editors complete where a function passes options on (`**rules: Unpack[EvaluationRules]`). The
command line takes groups whole; what was not set is not in them, so that defaults stand in the functions alone.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal, TypedDict

from assay.core.evaluation_options import COLUMNS, RULES, TEST, Columns, EvaluationRules, Level, Seed, Undefined, option

# How items are read and counted ---------------------------------------------------------------------------------------

Positive = Annotated[Any, option("--positive", metavar="LABEL", help="The positive label, unless it is 1 or true.")]
Threshold = Annotated[float, option(help="Predict positive at this score or above.")]
Noise = Annotated[Any, option(metavar="LABEL", help="Label of noise (items in no cluster), such as -1.")]
NoisePolicy = Annotated[
    Literal["cluster", "drop", "singletons"],
    option(help="Noise items: drop (default), singletons, cluster.", panel=COLUMNS),
]
UnlabelledPolicy = Annotated[
    Literal["error", "drop", "class"],
    option(help="Items without a class: error (default), drop, class.", panel=COLUMNS),
]
Metric = Annotated[str, option(help="Distance between points: euclidean (default), cosine, ...", panel=COLUMNS)]
SampleSize = Annotated[int, option(help="Average silhouettes over N random items.", panel=COLUMNS, least=2)]
Match = Annotated[
    Literal["exact", "overlap", "type_overlap"],
    option(help="What counts as a match: exact (default), overlap, type_overlap."),
]
Beta = Annotated[float, option(help="Weight of recall against precision in F (1).")]
JudgeNames = Annotated[Sequence[str] | None, option("--judges", metavar="A,B", help="Only these judges.")]
Scale = Annotated[
    Literal["nominal", "ordinal", "interval", "ratio"],
    option(help="Scale of the labels: nominal, ordinal (default for three or more grades), interval, ratio."),
]
Categories = Annotated[
    Sequence[Any] | None, option(metavar="0,1,2", help="All labels in order; others are errors (detected).")
]
RepeatedLabels = Annotated[
    Literal["error", "first", "last"],
    option(help="Conflicting labels of one judge for an item: error (default), first, last.", panel=RULES),
]


class AgreementRules(TypedDict, total=False):
    """Rules by which labels of several judges are read and counted."""

    judges: JudgeNames
    scale: Scale | None
    categories: Categories
    relevance_level: Level
    repeated: RepeatedLabels
    columns: Columns


class LabelRules(TypedDict, total=False):
    """Rules by which predictions of labels are counted."""

    pos_label: Positive
    threshold: Threshold | None


class PointRules(TypedDict, total=False):
    """Rules by which points are counted: their distances, and the number of silhouettes to average."""

    metric: Metric
    sample_size: SampleSize | None


class ClusterRules(PointRules, total=False):
    """Rules by which clusterings are counted: noise, items without a class, distances."""

    noise: Noise
    noise_as: NoisePolicy
    unlabelled: UnlabelledPolicy


class SpanRules(TypedDict, total=False):
    """Rules by which spans are read and matched."""

    columns: Columns
    match: Match
    beta: Beta


class SpanMeanRules(SpanRules, total=False):
    """The same, and how numbers of types become one."""

    undefined: Undefined


# How click logs are read ----------------------------------------------------------------------------------------------

LogFormatName = Annotated[
    str, option("--from", metavar="FORMAT", help="Layout of the log (detected): ubi, yandex, baidu, table, ...")
]
TimeZone = Annotated[
    str,
    option("--zone", metavar="NAME", help="Time zone of times without one, such as Europe/Berlin (UTC).", panel=RULES),
]
RankBase = Annotated[int, option(help="First rank in the log, 0 or 1 (detected).", panel=RULES, least=0)]
SessionGap = Annotated[
    float, option(metavar="MINUTES", help="Pause that ends a session, if the log has no sessions (30).", panel=RULES)
]
Since = Annotated[
    str, option(metavar="TIME", help="Only result pages from this time on, such as 2026-03-01.", panel=RULES)
]
Until = Annotated[str, option(metavar="TIME", help="Only result pages before this time.", panel=RULES)]
LogSystems = Annotated[
    tuple[str, ...], option("--system", metavar="NAME", help="Only pages of this system; repeat.", panel=RULES)
]
Exclude = Annotated[
    tuple[str, ...],
    option(metavar="COLUMN=PATTERN", help="Leave out matching pages, such as user_id=qa-*; repeat.", panel=RULES),
]
MostPerMinute = Annotated[
    int, option(help="Leave out users with more queries than this in any minute.", panel=RULES, least=1)
]
LongestDwell = Annotated[float, option(metavar="MINUTES", help="Treat longer dwell times as unknown.", panel=RULES)]
RepeatedEvents = Annotated[
    Literal["drop", "keep"], option(help="Events sent twice: drop (default), keep.", panel=RULES)
]
MalformedLines = Annotated[
    Literal["error", "drop"], option("--malformed", help="Malformed lines: error (default), drop.",
                                     panel=RULES),
]  # fmt: skip


FoldQueries = Annotated[
    bool, option(help="Queries that differ only in case and blanks are one (default: as they stand).", panel=RULES)
]


class LogRules(TypedDict, total=False):
    """Rules by which a click log is read, and by which its pages are left out."""

    columns: Columns
    format: LogFormatName | None
    zone: TimeZone | None
    rank_base: RankBase | None
    session_gap: SessionGap
    since: Since | None
    until: Until | None
    systems: LogSystems
    exclude: Exclude
    most_per_minute: MostPerMinute | None
    longest_dwell: LongestDwell | None
    repeated_events: RepeatedEvents
    malformed: MalformedLines
    fold_queries: FoldQueries


UnitOfLog = Annotated[
    Literal["user", "session", "page"],
    option(help="Unit of intervals and tests: user, session, page (the first known)."),
]
Segments = Annotated[
    str, option(metavar="SEGMENT", help="Also break down by day, week, weekday, hour (UTC), frequency, or a column.")
]


class ClickRules(TypedDict, total=False):
    """Rules by which a log of clicks is counted."""

    unit: UnitOfLog | None


HeldOut = Annotated[float, option(help="Share of pages to hold out (0.2).")]
SplitBy = Annotated[
    Literal["time", "random"], option(help="Hold out the latest pages (time; default if known) or random ones.")
]
Prior = Annotated[
    tuple[float, float],
    option(metavar="CLICKS SKIPS", help="Pseudo-clicks and pseudo-skips for every parameter (1 1; 0 0: none)."),
]
Iterations = Annotated[int, option(help="Maximum number of iterations (500).", panel=RULES, least=1)]
Tolerance = Annotated[
    float, option(help="Stop when an iteration adds less than this share of the log-likelihood (1e-7).", panel=RULES)
]
Clickless = Annotated[
    Literal["examined", "dropped"],
    option(help="Pages without clicks, in DCM and SDBN: examined (default), dropped.", panel=RULES),
]


class ClickFitOptions(TypedDict, total=False):
    """Options of fitting click models."""

    prior: Prior
    iterations: Iterations
    tolerance: Tolerance
    clickless: Clickless


class ModelTrialOptions(ClickFitOptions, total=False):
    """Options of fitting click models, and of the pages they are tried on."""

    held_out: HeldOut
    split: SplitBy | None


# How A/B tests are read -----------------------------------------------------------------------------------------------

Control = Annotated[
    str | None, option(metavar="VARIANT", help="The variant that the others are held against (detected by its name).")
]
VariantWeights = Annotated[
    Sequence[float] | None,
    option("--weights", metavar="A,B", help="Planned shares of the variants, the control's first (equal ones)."),
]


Covariates = Annotated[
    Mapping[str, str] | None,
    option("--covariate", metavar="MEASURE=BEFORE", help="Adjust a measure by one of before the test (CUPED); repeat."),
]
SequentialMode = Annotated[
    Literal["fixed", "group", "hybrid", "always"],
    option(help="Looks while it runs: fixed (one look; default), group (alpha spending), hybrid, always."),
]
PlannedUsers = Annotated[
    float, option("--planned", metavar="USERS", help="Users of all variants at the planned end, for looks before it.")
]
EarlierLooks = Annotated[
    Sequence[float] | None,
    option("--looks", metavar="A,B", help="Users at the looks before this one, for group.", panel=TEST),
]
PlanFile = Annotated[Any, option("--plan", metavar="FILE", help="A plan of `assay abtest plan`: test what it says.")]


EventsFile = Annotated[
    Any, option("--events", metavar="FILE", help="What users did, where TEST has their exposures: one row per event.")
]
WindowDays = Annotated[float, option(metavar="DAYS", help="Events so many days after the exposure count (all later).")]


Clusters = Annotated[
    str | None,
    option("--unit", metavar="COLUMN", help="What was assigned, if not users: a column, such as store or time block."),
]
GroupsOfUsers = Annotated[
    str, option("--by", metavar="COLUMN", help="Also break down by a column of users: device, country, day, ...")
]
WithBayes = Annotated[bool, option("--bayes", help="Also show the chance to be better, and the expected loss.")]

SameVariants = Annotated[bool, option("--aa", help="Variants are the same (an A/A test): a difference is a fault.")]


class ExperimentRules(TypedDict, total=False):
    """Rules by which an A/B test is read, and what was planned."""

    columns: Columns
    control: Control
    weights: VariantWeights
    covariates: Covariates
    sequential: SequentialMode | None
    planned: PlannedUsers | None
    looks: EarlierLooks
    plan: PlanFile
    events: EventsFile
    window: WindowDays | None
    cluster: Clusters


class SubjectRules(
    EvaluationRules, LabelRules, ClusterRules, SpanRules, AgreementRules, ClickRules, ExperimentRules, total=False
):
    """The rules of all subjects: a verb takes those of what it is given. `missing` may also be `drop`, of items."""


# What clicks say ------------------------------------------------------------------------------------------------------

JudgedBy = Annotated[
    str, option("--by", help="COEC (clicks over expected clicks; default), or a click model: PBM, DBN, ...")
]
MinImpressions = Annotated[int, option(help="Impressions that a document needs (10).", least=1)]
MinExpected = Annotated[float, option(help="Expected clicks that a document needs, for COEC (1).", panel=RULES)]
Shrinkage = Annotated[
    float, option(help="Clicks added to both sides of COEC, which pulls it towards 1 (1).", panel=RULES)
]
GradeQuantiles = Annotated[
    Sequence[float],
    option("--quantiles", metavar="A,B,C", help="Quantiles above which grades begin (0.5,0.75,0.9).", panel=RULES),
]
GradeThresholds = Annotated[
    Sequence[float] | None,
    option("--thresholds", metavar="A,B,C", help="Estimates at which grades begin, instead of quantiles."),
]
SameText = Annotated[bool, option(help="Merge queries with the same text, whatever their ids.")]
PreferenceStrategy = Annotated[
    str, option(help="skip-above (default), last-click, earlier-click, skip-previous, no-click-next, query-chain.")
]
MinVotes = Annotated[int, option(help="Votes that a pair needs to be tested (5).", least=1)]
StrengthPrior = Annotated[
    float, option("--prior", help="Pseudo-wins and pseudo-losses of each document (0.5; 0: none).", panel=RULES)
]
RankCutoff = Annotated[int, option("-k", "--cutoff", help="Number of ranks that count (10).", least=1)]
ExaminationCurve = Annotated[
    Sequence[float] | None,
    option("--examination", metavar="1,0.6,...", help="Probability that each rank is examined (default: fitted, PBM)."),
]
Clip = Annotated[float | None, option(help="Largest weight of a click (default: no limit).")]
MinCoverage = Annotated[float, option(help="Share of a ranking's examination that the log must cover (0.5).")]


class JudgingRules(TypedDict, total=False):
    """Rules by which clicks become judgments: see `judge_clicks`."""

    by: JudgedBy
    min_impressions: MinImpressions
    min_expected: MinExpected
    shrinkage: Shrinkage
    quantiles: GradeQuantiles
    thresholds: GradeThresholds
    same_text: SameText


# Tests, intervals, and what they are drawn from -----------------------------------------------------------------------

Confidence = Annotated[float, option(help="Confidence level of intervals (0.95).", panel=TEST)]
Resamples = Annotated[
    int,
    option("--resamples", help="Resamples for intervals (0: no intervals, where possible).",
           panel=TEST, least=0),
]  # fmt: skip
Permutations = Annotated[
    int,
    option(
        "--permutations", help="Random permutations in the test (enough for the correction).", panel=TEST, least=100
    ),
]
Alpha = Annotated[float, option(help="Significance level; intervals are at 1 - alpha (0.05).", panel=TEST)]
Power = Annotated[float, option(help="Probability of detecting a real difference (0.8).", panel=TEST)]
Margin = Annotated[float, option(metavar="N", help="Smallest difference that matters (0.01 of the measure's range).")]
TestName = Annotated[
    str,
    option(help="permutation, bootstrap, t, wilcoxon, sign; over all systems randomised_tukey; for classifiers "
           "swap, mcnemar, delong; for ratios welch. Default: the measure's own.", panel=TEST),
]  # fmt: skip
Correction = Annotated[str, option(help="holm (default), bonferroni, benjamini-hochberg, none.", panel=TEST)]
Family = Annotated[
    Literal["measure", "all"],
    option(help="Correct over the comparisons of each measure (measure; default), or all.", panel=TEST),
]
Method = Annotated[
    Literal["hull", "bca", "percentile", "t"],
    option(help="hull (of t and bca; default), bca, percentile, t.", panel=TEST),
]
Difference = Annotated[
    float, option(help="The difference to detect (default: a small, a medium and the observed difference).")
]
Deviation = Annotated[
    float,
    option(metavar="N", help="Plan without data: the standard deviation of the differences between two systems, from "
           "unit to unit; where each system has users of its own, that of their numbers."),
]  # fmt: skip
Inconclusive = Annotated[
    Literal["report", "pass", "fail"], option(help="When inconclusive: report (exit 3; default), pass (0), fail (1).")
]
MaxMissing = Annotated[float, option(help="Largest share of units that a system may be missing (0.1).", panel=TEST)]
MinJudged = Annotated[
    float, option(help="Smallest judged share of the top 10, in both runs (default: none).", panel=TEST)
]


class SeedOption(TypedDict, total=False):
    """The seed of what is drawn at random."""

    seed: Seed


class Sampling(SeedOption, total=False):
    """Intervals: their level, what they are drawn from, and the seed."""

    confidence: Confidence
    resamples: Resamples


class EvaluationOptions(EvaluationRules, SeedOption, total=False):
    """All rules of `evaluate`."""


class TestSettings(TypedDict, total=False):
    """Settings of tests of differences, and of the size that matters, but for the seed."""

    margin: Margin | None
    test: TestName | None
    correction: Correction
    family: Family
    interval: Method
    alpha: Alpha
    power: Power
    resamples: Permutations | None
    bootstrap_resamples: Resamples


class PlanSettings(SeedOption, total=False):
    """The effect to be found, and the chance to find it."""

    difference: Difference | None
    sd: Deviation | None
    power: Power
    alpha: Alpha
    resamples: Permutations | None


class ComparisonOptions(SubjectRules, TestSettings, total=False):
    """Arguments of `compare`, but for the seed."""


class CompareOptions(ComparisonOptions, SeedOption, total=False):
    """Arguments of `compare` besides its inputs."""

    measures: Any
    baseline: str | Iterable[str] | None
    direction: str | Mapping[str, str] | None
    all_pairs: bool
    look_into: bool


class ExplanationRules(SubjectRules, SeedOption, total=False):
    """Arguments of `explain` besides the place of a number: the rules by which it came about."""

    labels: Sequence[Any] | None
    one_class: Any


class PlaceOptions(TypedDict, total=False):
    """The place of the number that is explained, and how much of it is shown: see `explain`."""

    label: Any
    item: str | None
    threshold: Threshold | None
    show: int | None
    running: bool


class GateLevels(TypedDict, total=False):
    """Levels at which a candidate may take the baseline's place."""

    alpha: Alpha
    max_missing: MaxMissing
    seed: Seed


class GateOptions(SubjectRules, GateLevels, total=False):
    """Arguments of `gate` besides its inputs, but for what is inconclusive."""

    baseline: Any
    candidate: Any
    measures: Any
    margin: float | Mapping[str, float] | None
    direction: str | Mapping[str, str] | None
    min_judged: MinJudged | None
    slices: str | None
    topics: Any
    resamples: Permutations | None
    bootstrap_resamples: Resamples


class ReportOptions(ComparisonOptions, SeedOption, total=False):
    """Arguments of `make_report` besides its inputs; it says what each means."""

    baseline: str | None
    system: str | None
    topics: Any
    documents: Any
    title: str | None
    changed: int | None
    show: int | None
    command: str
    direction: str | Mapping[str, str] | None
    comparison: Mapping[str, Any]
    labels: Sequence[Any] | None
    by_topic: bool
    bayes: WithBayes
    same: SameVariants
    confidence: Confidence
    mute: Sequence[str] | str
