"""What a report holds: plain data, from which every form of it (HTML, Markdown, LaTeX, JSON) is written."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

#: How a verdict is meant: for the system, against it, as good as the baseline, or open.
Tone = Literal["good", "bad", "even", "open"]
Change = Literal["gained", "lost", "up", "down", "same"]
#: What a file was read as.
Role = Literal["qrels", "run", "scores", "topics", "documents", "predictions", "clusters"]


class Measured(NamedTuple):
    """A measure, and whether more of it is good; None if it is neither good nor bad."""

    name: str
    higher_is_better: bool | None = True


class Spoken(NamedTuple):
    """One comparison: the verdict in a few words, in a paragraph, and the numbers behind it.

    `low` and `high` are the interval of the difference at `level`; NaN where there is none. `narrow_low` and
    `narrow_high`, at `narrow_level` (1 - 2 alpha), are what equivalence is decided by. `caveat` says what the verdict
    depends on: `unjudged` documents that could change the sign of the difference; empty, and 0, if none is known to.
    `mark` is that of `Score`.

    `p` is corrected over a family of `comparisons` by the method that `correction` names (empty: it is not corrected,
    since there is one comparison only, or the test covers all at once, or nobody asked for it); `p_uncorrected` never
    is, nor are the intervals. `conflict`: how test, interval and difference do not fit together (that of `Verdict`;
    empty if they do), and `conflict_says` the same in words.
    """

    measure: str
    baseline: str
    system: str
    tone: Tone
    word: str
    headline: str
    paragraph: str
    caveat: str
    baseline_value: float
    value: float
    difference: float
    relative: float
    low: float
    high: float
    level: float
    p: float
    d_z: float
    margin: float
    won: int
    tied: int
    lost: int
    mark: str = ""
    unjudged: int = 0
    p_uncorrected: float = math.nan
    comparisons: int = 1
    correction: str = ""  # "Holm"
    narrow_low: float = math.nan
    narrow_high: float = math.nan
    narrow_level: float = math.nan
    conflict: str = ""
    conflict_says: str = ""


class Score(NamedTuple):
    """A system's number under one measure, with its interval, and how it stands to the baseline's.

    `mark` is `▲` or `▼` where the test tells the system from the baseline (better, worse), `↑` or `↓` where the measure
    is neither good nor bad (higher, lower), `≈` where both are equivalent, `=` where they are identical, and empty
    where one cannot tell. `is_best`: no system has a better number. `difference` (from the baseline), `p` and
    `verdict` are those of the comparison; NaN and empty for the baseline, and where there was none.
    """

    measure: str
    value: float
    low: float
    high: float
    mark: str
    is_best: bool
    difference: float = math.nan
    p: float = math.nan
    verdict: str = ""


class SystemRow(NamedTuple):
    """A row of the table of systems; `judged` is the share of judged documents in the first ten."""

    system: str
    is_baseline: bool
    scores: tuple[Score, ...]
    judged: float


class NoticedOf(NamedTuple):
    """What users would notice of a system in place of the baseline; `text` goes on after a colon."""

    baseline: str
    system: str
    text: str


class Advice(NamedTuple):
    """What to do next: a sentence, and the command that does it; empty where there is none.

    >>> print(Advice("Judge these first.", "assay compare …"))
    Judge these first (assay compare …).
    """

    text: str
    command: str = ""

    def __str__(self) -> str:
        return f"{self.text.removesuffix('.')} ({self.command})." if self.command else self.text


class QueryDifference(NamedTuple):
    """What one query adds to a difference; `text` is empty where the topics were not given."""

    query_id: str
    text: str
    baseline_value: float
    value: float
    difference: float


class Differences(NamedTuple):
    """The differences of a system from the baseline, query by query, the best change first.

    Where lower is better, that is the largest fall; where neither is, the largest rise.
    """

    measure: str
    baseline: str
    system: str
    queries: tuple[QueryDifference, ...]


class QueryValues(NamedTuple):
    """A query and its value under each system, in the order of `Queries.systems`; NaN where there is none."""

    query_id: str
    text: str
    values: tuple[float, ...]


class Queries(NamedTuple):
    """The main measure, query by query, of the systems that are looked at closely."""

    measure: str
    systems: tuple[str, ...]
    rows: tuple[QueryValues, ...]


class PrecisionRecall(NamedTuple):
    """A system's mean interpolated precision at levels of recall."""

    system: str
    recall: tuple[float, ...]
    precision: tuple[float, ...]


class Ranked(NamedTuple):
    """A document in a ranking; `grade` is None if nobody judged it, `other_rank` None if the other system lacks it."""

    rank: int
    doc_id: str
    title: str
    text: str
    grade: float | None
    change: Change
    other_rank: int | None


class Contribution(NamedTuple):
    """A step of a waterfall: what the document at a rank adds to the value, and the value so far.

    The last step may have no document: it adds up what stands below the ranking that is shown, down to its rank.
    """

    rank: int
    doc_id: str
    grade: float | None
    adds: float
    running: float


class Side(NamedTuple):
    """One system's answer to a query: the value, the ranking, and the steps where a value adds up over documents."""

    system: str
    value: float
    ranking: tuple[Ranked, ...]
    steps: tuple[Contribution, ...]


class ChangedQuery(NamedTuple):
    """A query whose value changed much: both systems' rankings, side by side; `no_steps` says why there are no steps.

    `best` is the largest value that any ranking could have had, None where it is not known.
    """

    measure: str
    query_id: str
    text: str
    baseline: Side
    system: Side
    difference: float
    best: float | None
    no_steps: str


class Coverage(NamedTuple):
    """What a system's scores rest on."""

    system: str
    topics: int
    missing: int
    ignored: int
    retrieved: int
    relevant: int
    relevant_retrieved: int
    tied: int
    judged: tuple[tuple[int, float], ...]  # the share of judged documents in the first 5, 10, 20


class Bound(NamedTuple):
    """How low and how high a system's number could be with other grades for unjudged documents.

    Where that is not `exact`, other grades may lead a little further: there were too many to try them all.
    """

    system: str
    measure: str
    value: float
    low: float
    high: float
    exact: bool = True


class PowerOf(NamedTuple):
    """What so many queries can show: the smallest difference detected, and the queries that the margin takes."""

    measure: str
    baseline: str
    system: str
    units: int
    difference: float
    spread: float
    detectable: float
    margin: float
    needed: int | None
    power: float
    unit_kind: str = "query"


class Reference(NamedTuple):
    """A work that the methods paragraph cites: a key such as `[2]`, the entry, and the same for BibTeX."""

    key: str
    entry: str
    bibtex: str = ""


class Input(NamedTuple):
    """A file that went in; `sha256` is the digest of its bytes, None where it was not a file."""

    role: Role
    name: str
    sha256: str | None
    says: str  # format and counts, such as "TREC qrels, 20 topics, 682 judgments"


class Provenance(NamedTuple):
    """How the report was made, so that it can be made again."""

    version: str
    command: str  # empty where it was made from Python
    made: str  # date and time, UTC
    seed: int
    inputs: tuple[Input, ...]
    signatures: tuple[str, ...]
    settings: tuple[tuple[str, str], ...]  # alpha, test, correction, ...: name and value


class Contents(NamedTuple):
    """Everything in a report, in reading order. What cannot be had is empty, and `notes` says why."""

    title: str
    lead: str  # "6 systems, 20 topics, 682 judgments"
    measures: tuple[Measured, ...]  # the first one is what charts and queries are shown for
    alpha: float  # of the tests; intervals are at the level 1 - alpha
    verdicts: tuple[Spoken, ...]  # of the main measure first
    summary: tuple[str, ...]  # sentences that stand above the verdicts' details: who is better, how sure
    caveats: tuple[str, ...]  # sentences on what unjudged documents could do to the verdicts, or that nobody looked
    noticed: tuple[NoticedOf, ...]
    systems: tuple[SystemRow, ...]
    differences: tuple[Differences, ...]
    curves: tuple[PrecisionRecall, ...]
    changed: tuple[ChangedQuery, ...]
    coverage: tuple[Coverage, ...]
    bounds: tuple[Bound, ...]
    power: tuple[PowerOf, ...]
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    methods: str
    references: tuple[Reference, ...]
    provenance: Provenance
    queries: Queries | None = None  # every query's value, also of one system alone
    advice: Advice | None = None  # None if there is nothing to compare

    def higher_is_better(self, measure: str) -> bool | None:
        """Whether more of one of the measures is good; None if it is neither good nor bad."""
        return dict(self.measures)[measure]
