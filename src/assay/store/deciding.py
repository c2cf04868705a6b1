"""The next documents to judge, and the time to stop: those that decide a comparison, and how far they move it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import polars as pl
from sqlalchemy import select

from assay.core.errors import InputError, listed, not_among
from assay.core.results import Result
from assay.store import schema as db
from assay.store.handout import ask_first
from assay.store.kept_runs import kept_runs
from assay.store.pool_growth import add_to_pool
from assay.store.preferences import are_preferences
from assay.store.projects import Project
from assay.store.releases import Policy, judged
from assay.tables import Qrels, Scores

if TYPE_CHECKING:
    from assay.tables import Documents


@dataclass(frozen=True, eq=False)
class JudgeNext(Result):
    """The documents that would change a difference most, and how far unjudged ones could still move it.

    `low`, `high`: the differences where all unjudged documents favour the baseline, and the system; `verdict_low`,
    `verdict_high`: the verdicts there (None where values by query are not known, or are all the same). `without`:
    topics without any judgment, which count as no difference until they have some. `queued`: documents that are handed
    out first now; `added`: of these, new in the pool; `outside`: documents that are in no pool, and left out; `closed`:
    those that wait for no judgment, such as what nobody could judge.
    """

    kind: ClassVar[str] = "judge next"

    name: str
    measure: str
    system: str
    baseline: str
    verdict: str
    difference: float
    low: float
    high: float
    is_exact: bool
    verdict_low: str | None
    verdict_high: str | None
    topics: int
    without: int
    unjudged: int
    documents: pl.DataFrame
    queued: int
    added: int
    outside: int
    closed: int

    @property
    def can_turn(self) -> bool:
        """True if other grades of unjudged documents could turn the sign of the difference."""
        return self.low < 0 < self.high

    @property
    def can_change(self) -> bool:
        """True if more judgments could change the verdict, or turn the difference."""
        ends = {self.verdict_low, self.verdict_high} - {None}
        return self.can_turn or bool(ends - {self.verdict})

    def to_frame(self) -> pl.DataFrame:
        """The documents, the most decisive first."""
        return self.documents


def judge_next(
    project: Project,
    runs: Mapping[str, Any] | None = None,
    *,
    number: int = 20,
    measure: str = "nDCG@10",
    system: str | None = None,
    baseline: str | None = None,
    policy: Policy | None = None,
    queue: bool = True,
    documents: Documents | Iterable[Documents] | None = None,
    actor: str = "",
) -> JudgeNext:
    """Find the documents that would decide between two runs, by the labels so far; and hand them out first.

    Of several runs, the two are those that the labels so far nearly tell apart, unless they are named. All topics of
    the pool count, also those without any label. `queue`: put the documents before all others. `documents`: the texts
    of those that are in no pool: with them, they are added to it.
    """
    if are_preferences(project.scale):
        raise InputError(f"{project.name}: preferences between documents decide no comparison of runs by grades")
    runs = kept_runs(project) if runs is None else dict(runs)
    if len(runs) < 2:
        raise InputError(f"{project.name}: a comparison takes two runs or more, got {listed(list(runs)) or 'none'}")
    for name in (baseline, system):
        if name is not None and name not in runs:
            raise not_among("run", name, runs)
    if baseline is not None and baseline == system:
        raise InputError(f"{baseline} is held against itself: name two runs")
    with project.database.reading() as connection:
        frame = judged(connection, project, policy or Policy())
    known = frame.drop_nulls("relevance")
    if not known.height:
        raise InputError(f"{project.name}: nothing is judged yet: judge some documents first")
    grades = frame.select("query_id", "doc_id", pl.col("relevance").cast(pl.Float64).fill_null(-1.0))
    outlook = _outlook(Qrels(grades, project.name), runs, measure, (baseline, system), max(project.scale.values))
    chosen = outlook.documents.head(number)
    pairs = chosen.select("query_id", "doc_id").rows()
    placed = put_first(project, pairs, documents=documents, only_count=not queue, actor=actor)
    topics = set(frame["query_id"])
    return replace(
        outlook, name=project.name, documents=chosen, topics=len(topics), without=len(topics - set(known["query_id"])),
        **placed._asdict(),
    )  # fmt: skip


class Placed(NamedTuple):
    """Numbers of documents: handed out first now; new in the pool; left out, in no pool; that wait for no judgment."""

    queued: int
    added: int
    outside: int
    closed: int


def put_first(
    project: Project,
    pairs: Sequence[tuple[str, str]],
    *,
    documents: Documents | Iterable[Documents] | None = None,
    only_count: bool = False,
    actor: str = "",
) -> Placed:
    """Have documents of topics handed out before all others, the first of them first.

    `documents`: the texts of those that are in no pool, which are added to it. `only_count`: change nothing.
    """
    with project.database.reading() as connection:
        states = {
            (topic, document): state
            for topic, document, state in connection.execute(_STATES.where(db.item.c.project_id == project.id))
        }
    outside, added = [pair for pair in pairs if pair not in states], set[tuple[str, str]]()
    if documents is not None and outside and not only_count:
        added = add_to_pool(project, outside, documents, actor=actor)
    asked = [pair for pair in pairs if states.get(pair) == "open" or pair in added]
    if asked and not only_count:
        ask_first(project, {pair: len(asked) - place for place, pair in enumerate(asked)}, actor=actor)
    closed = sum(states.get(pair, "open") != "open" for pair in pairs)
    return Placed(0 if only_count else len(asked), len(added), len(outside) - len(added), closed)


def ask_soon(project: Project, pairs: Sequence[tuple[str, str]], *, actor: str = "") -> int:
    """Hand out documents of topics before all others, as far as they are in the pool and wait for labels; how many."""
    mine = _STATES.where(db.item.c.project_id == project.id, db.topic.c.topic_id.in_({topic for topic, _ in pairs}))
    with project.database.reading() as connection:
        states = {(topic, document): state for topic, document, state in connection.execute(mine)}
    waiting = [pair for pair in pairs if states.get(pair) == "open"]
    if waiting:
        ask_first(project, {pair: len(waiting) - place for place, pair in enumerate(waiting)}, actor=actor)
    return len(waiting)


_STATES = select(db.topic.c.topic_id, db.item.c.doc_id, db.item.c.state).join(
    db.topic, db.topic.c.id == db.item.c.topic_id
)


def _outlook(
    qrels: Qrels, runs: Mapping[str, Any], measure: str, pair: tuple[str | None, str | None], top: int
) -> JudgeNext:
    """The comparison of two runs as it is, at the ends of what it could be, and the documents between."""
    from assay.verbs.comparison import compare  # noqa: PLC0415  # loads SciPy

    baseline, system = pair if None not in pair else _nearly_told(qrels, runs, measure, pair)
    assert baseline is not None
    assert system is not None
    two = {name: runs[name] for name in (baseline, system)}
    result = compare(qrels, two, measures=[measure], baseline=baseline, look_into=False)
    finding = result.findings[0]
    reach, ends = result.documents.reach(finding, top)
    now = str(finding.verdict.word)
    verdicts: list[str | None] = [None, None]
    if not reach.documents:
        verdicts = [now, now]
    elif ends:
        verdicts = [_verdict_of(end, finding.measure, (baseline, system)) for end in ends]
    documents = result.documents.judge_next(finding, max(reach.documents, 1), top)
    return JudgeNext(
        name="", measure=str(finding.measure), system=system, baseline=baseline, verdict=now,
        difference=finding.difference, low=reach.low, high=reach.high, is_exact=reach.exact, verdict_low=verdicts[0],
        verdict_high=verdicts[1], topics=0, without=0, unjudged=reach.documents, documents=documents, queued=0, added=0,
        outside=0, closed=0,
    )  # fmt: skip


def _nearly_told(
    qrels: Qrels, runs: Mapping[str, Any], measure: str, pair: tuple[str | None, str | None]
) -> tuple[str, str]:
    """The two runs, one of which may be named, that are nearest to being told apart and are not."""
    from assay.verbs.comparison import compare  # noqa: PLC0415  # loads SciPy

    named = next((name for name in pair if name is not None), None)
    findings: Sequence[Any] = compare(
        qrels, runs, measures=[measure], baseline=named, all_pairs=named is None, look_into=False
    ).findings
    open_ones = [each for each in findings if each.verdict.word == "inconclusive"] or findings
    chosen = min(
        open_ones, key=lambda each: (1.0 if math.isnan(each.outcome.p) else each.outcome.p, -abs(each.difference))
    )
    first, second = chosen.baseline, chosen.system
    return (second, first) if pair[1] == first else (first, second)


def _verdict_of(values: pl.DataFrame, measure: str, names: tuple[str, str]) -> str | None:
    """The verdict on values by query; None where these are too few, or all the same."""
    from assay.verbs.comparison import compare  # noqa: PLC0415  # loads SciPy

    rows = [
        pl.DataFrame({"system": name, "measure": measure, "unit_kind": "query", "unit": values["query_id"],
                      "value": values[column], "undefined": None})
        for name, column in zip(names, ("first", "second"), strict=True)
    ]  # fmt: skip
    scores = Scores(pl.concat(rows).cast(Scores.SCHEMA))
    try:
        return str(compare(scores, baseline=names[0], look_into=False).findings[0].verdict.word)
    except InputError:
        return None
