"""What people do on result pages, on `BehaviourCounts`: every number is a ratio of two sums over users.

A search is a run of pages of one query in a session: going to the second page of results is no new search. Where the
log has no sessions, measures that need them are undefined, and so is what needs times, ranks or dwell that it has not.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

import numpy as np
import polars as pl

from assay.core.domains import Flag, Real
from assay.measures.counting.behaviour import BehaviourCounts
from assay.measures.definition import Cutoff
from assay.measures.registry import measure
from assay.measures.steps import PerUnit

Seconds: TypeAlias = Annotated[float, Real(0.0, inside=True)]
Portion: TypeAlias = Annotated[float, Real(0.0, 1.0)]
Switch: TypeAlias = Annotated[bool, Flag()]

_ONE = pl.lit(1)
_CLICKED = pl.col("clicks") > 0
_NO_PAGE, _NO_CLICK = "there is no result page", "nothing was clicked"
_NO_SESSION = "there is no session"
_SESSION, _TIME, _RANK = "impressions.session_id", "impressions.time", "events.rank"


@measure(aliases=("ClickThrough", "ClickThroughRate"), counted_as=None)
def CTR(behaviour: BehaviourCounts, *, cutoff: Cutoff = None) -> PerUnit:
    r"""Click-through rate: the share of result pages with a click; `CTR@1` on the first result, `CTR@k` on the first k.

    .. math:: \frac{|\{\text{pages with a click}\}|}{|\{\text{pages}\}|}

    A page with several clicks counts once. Pages without results count, too.

    >>> from assay.tables.log import Log
    >>> pages = BehaviourCounts.of(Log.from_pages([("q", ["a", "b"], ["b"]), ("q", ["a", "b"], [])]))
    >>> CTR.per_unit(pages).pooled().values, (CTR @ 1).per_unit(pages).pooled().values
    (array([0.5]), array([0.]))
    """
    if cutoff is None:
        return behaviour.total("pages with a click", _CLICKED) / _pages(behaviour)
    near = (pl.col("highest") <= cutoff).fill_null(value=False)
    return behaviour.total(f"pages with a click on the first {cutoff}", near, _RANK) / _pages(behaviour)


@measure(aliases=("ClicksPerPage",), bounds=None, counted_as=None, higher_is_better=None)
def ClicksPerQuery(behaviour: BehaviourCounts) -> PerUnit:
    r"""Clicks per result page.

    .. math:: \frac{|\{\text{clicks}\}|}{|\{\text{pages}\}|}

    More may mean better results, or that people had to try several: it is neither good nor bad by itself.

    >>> from assay.tables.log import Log
    >>> pages = BehaviourCounts.of(Log.from_pages([("q", ["a", "b"], ["b", "a"]), ("q", ["a", "b"], [])]))
    >>> ClicksPerQuery.per_unit(pages).pooled().values
    array([1.])
    """
    return _clicks(behaviour) / _pages(behaviour)


@measure(aliases=("ClickMRR", "MRR"), counted_as=None)
def ClickRR(behaviour: BehaviourCounts) -> PerUnit:
    r"""Mean reciprocal rank of the first click: 1 over its rank, 0 for a page without clicks.

    .. math:: \frac{1}{|\{\text{pages}\}|} \sum_{\text{pages with a click}} \frac{1}{\text{rank of the first click}}

    The first click is the first in time. Pages without clicks count as 0: left out, a system that is clicked only when
    the first result is right would look perfect.

    >>> from assay.tables.log import Log
    >>> pages = BehaviourCounts.of(Log.from_pages([("q", ["a", "b"], ["b", "a"]), ("q", ["a", "b"], [])]))
    >>> ClickRR.per_unit(pages).pooled().values  # (1/2 + 0) / 2
    array([0.25])
    """
    reciprocal = (1 / pl.col("first_rank")).fill_null(0.0)
    return behaviour.total("reciprocal ranks of first clicks", reciprocal, _RANK) / _pages(behaviour)


@measure(bounds=(1.0, np.inf), counted_as=None, higher_is_better=False)
def FirstClickRank(behaviour: BehaviourCounts) -> PerUnit:
    r"""Mean rank of the first click in time, over pages with a click.

    .. math:: \frac{1}{|\{\text{pages with a click}\}|} \sum \text{rank of the first click}

    Pages without clicks have no rank, so that fewer clicks may make it better: read it beside CTR.

    >>> from assay.tables.log import Log
    >>> FirstClickRank.per_unit(BehaviourCounts.of(Log.from_pages([("q", ["a", "b"], ["b", "a"])]))).pooled().values
    array([2.])
    """
    return _rank_of(behaviour, "first_rank", "ranks of first clicks")


@measure(bounds=(1.0, np.inf), counted_as=None, higher_is_better=None)
def LastClickRank(behaviour: BehaviourCounts) -> PerUnit:
    r"""Mean rank of the last click in time, over pages with a click.

    .. math:: \frac{1}{|\{\text{pages with a click}\}|} \sum \text{rank of the last click}

    >>> from assay.tables.log import Log
    >>> LastClickRank.per_unit(BehaviourCounts.of(Log.from_pages([("q", ["a", "b"], ["b", "a"])]))).pooled().values
    array([1.])
    """
    return _rank_of(behaviour, "last_rank", "ranks of last clicks")


@measure(aliases=("AverageClickPosition",), bounds=(1.0, np.inf), counted_as=None, higher_is_better=False)
def MeanClickRank(behaviour: BehaviourCounts) -> PerUnit:
    r"""Mean rank of all clicks.

    .. math:: \frac{1}{|\{\text{clicks}\}|} \sum_{\text{clicks}} \text{rank}

    >>> from assay.tables.log import Log
    >>> MeanClickRank.per_unit(BehaviourCounts.of(Log.from_pages([("q", ["a", "b"], ["b", "a"])]))).pooled().values
    array([1.5])
    """
    ranks = behaviour.total("ranks of clicks", pl.col("rank_sum").fill_null(0), _RANK)
    return ranks / behaviour.total("clicks", pl.col("ranked").fill_null(0), _RANK, when_zero=_NO_CLICK)


@measure(bounds=(0.0, np.inf), counted_as=None, higher_is_better=False)
def Skips(behaviour: BehaviourCounts) -> PerUnit:
    r"""Results skipped per page with a click: those above the lowest click that were not clicked.

    .. math:: \frac{1}{|\{\text{pages with a click}\}|} \sum |\{\text{results above the lowest click, not clicked}\}|

    Results count that the page showed: a second page whose ranks begin at 11 has none above these.

    >>> from assay.tables.log import Log
    >>> Skips.per_unit(BehaviourCounts.of(Log.from_pages([("q", ["a", "b", "c"], ["c", "a"])]))).pooled().values
    array([1.])
    """
    skipped = pl.col("skipped").fill_null(0)
    return behaviour.total("skipped results", skipped, _RANK) / _with_rank(behaviour)


@measure(bounds=(0.0, np.inf), counted_as=None, higher_is_better=False)
def TimeToFirstClick(behaviour: BehaviourCounts, *, horizon: Seconds = 60.0) -> PerUnit:
    r"""Seconds to the first click, no more than the `horizon`, over all pages: a restricted mean.

    .. math:: \frac{1}{|\{\text{pages}\}|} \sum \min(\text{seconds to the first click}, \text{horizon})

    A page without a click within the horizon counts as the horizon; one whose first click came before it, as clocks
    differ, is left out. A mean over clicked pages alone would call a system fast on which only those click who know at
    once; and an estimate that takes who left for somebody who would have clicked later, as Kaplan and Meier's does, is
    about a click that never comes.

    >>> from assay.tables.log import Log
    >>> TimeToFirstClick.per_unit(BehaviourCounts.of(Log.from_pages([("q", ["a"], [])]))).reason(0)
    'the log has no times of pages'
    """
    waited = pl.min_horizontal(pl.col("wait").fill_null(horizon), pl.lit(horizon))
    # It is known how long a page waited if it has no click, or one that came after it.
    timed = pl.col("time").is_not_null() & (~_CLICKED | pl.col("wait").is_not_null())
    seconds = behaviour.total("seconds", pl.when(timed).then(waited).otherwise(0.0), _TIME, "events.time")
    return seconds / behaviour.total("pages", timed, _TIME, when_zero=_NO_PAGE)


@measure(counted_as=None, higher_is_better=False)
def Abandonment(behaviour: BehaviourCounts) -> PerUnit:
    r"""The share of result pages without a click.

    .. math:: \frac{|\{\text{pages without a click}\}|}{|\{\text{pages}\}|}

    Some of it is good: see `GoodAbandonment`.

    >>> from assay.tables.log import Log
    >>> Abandonment.per_unit(BehaviourCounts.of(Log.from_pages([("q", ["a"], [])]))).pooled().values
    array([1.])
    """
    return behaviour.total("pages without a click", ~_CLICKED) / _pages(behaviour)


@measure(counted_as=None)
def GoodAbandonment(behaviour: BehaviourCounts) -> PerUnit:
    r"""Of the pages without a click, the share on which an answer stood, so that nobody had to click.

    .. math:: \frac{|\{\text{pages without a click, with an answer}\}|}{|\{\text{pages without a click}\}|}

    Pages of which the log says nothing had none.

    >>> from assay.tables.log import Log
    >>> log = Log.from_pages([("q", ["a"], []), ("q", ["a"], [])], answered=[True, False])
    >>> GoodAbandonment.per_unit(BehaviourCounts.of(log)).pooled().values
    array([0.5])
    """
    answered = pl.col("answered").fill_null(value=False)
    with_answer = behaviour.total("pages without a click, with an answer", ~_CLICKED & answered, "impressions.answered")
    return with_answer / behaviour.total("pages without a click", ~_CLICKED, when_zero="every page has a click")


@measure(aliases=("ZeroResultRate", "NullRate"), counted_as=None, higher_is_better=False)
def ZeroResults(behaviour: BehaviourCounts) -> PerUnit:
    r"""The share of result pages without results.

    .. math:: \frac{|\{\text{pages without results}\}|}{|\{\text{pages}\}|}

    >>> from assay.tables.log import Log
    >>> ZeroResults.per_unit(BehaviourCounts.of(Log.from_pages([("q", [], []), ("q", ["a"], [])]))).pooled().values
    array([0.5])
    """
    return behaviour.total("pages without results", pl.col("n_results") == 0) / _pages(behaviour)


@measure(counted_as=None, higher_is_better=False)
def Reformulation(behaviour: BehaviourCounts, *, within: Seconds = 1800.0, overlap: Portion = 0.0) -> PerUnit:
    r"""The share of searches that are followed by one in other words, in the same session and soon.

    .. math:: \frac{|\{\text{searches with another query within so many seconds}\}|}{|\{\text{searches}\}|}

    Case, blanks and forms of characters make no difference. `within`: seconds from the last page of the one to the
    first page of the other. `overlap`: the share of all words of the two queries that both have, at least; with 0, any
    other query counts, also one for something else.

    >>> from assay.tables.log import Log
    >>> Reformulation.per_unit(BehaviourCounts.of(Log.from_pages([("q", ["a"], [])]))).reason(0)
    'the log has no sessions'
    """
    again = pl.col("next_is_new") & (pl.col("until_next") <= within).fill_null(value=False)
    again = again & (pl.col("in_common") >= overlap).fill_null(value=False) if overlap else again
    repeated = behaviour.total("searches followed by another", again, _SESSION, _TIME)
    return repeated / behaviour.total("searches", pl.col("is_new"), _SESSION, _TIME, when_zero=_NO_PAGE)


@measure(aliases=("Pogo",), counted_as=None, higher_is_better=False)
def PogoSticking(behaviour: BehaviourCounts, *, dwell: Seconds = 10.0) -> PerUnit:
    r"""The share of clicks from which people came back soon, to click something else on the page.

    .. math:: \frac{|\{\text{clicks with less dwell, followed by a click on another result}\}|}{|\{\text{clicks}\}|}

    `dwell`: seconds. Where the log has no dwell time of a click, it is the time to the next click or page of the
    session. A second click on the same result, such as a double click, is no return.

    >>> from assay.tables.log import Log
    >>> PogoSticking.per_unit(BehaviourCounts.of(Log.from_pages([("q", ["a"], ["a"])]))).reason(0)
    'the log has neither dwell times nor times of clicks'
    """
    short = ((pl.col("dwell") < dwell) & pl.col("goes_elsewhere")).fill_null(value=False)
    back = behaviour.over_clicks(f"back within {dwell:g}", short)
    return behaviour.total("clicks with a quick return", back, "dwell") / _clicks(behaviour, _NO_CLICK)


@measure(counted_as=None, higher_is_better=None)
def Pagination(behaviour: BehaviourCounts) -> PerUnit:
    r"""The share of result pages that are a second or a later one.

    .. math:: \frac{|\{\text{pages after the first of their query}\}|}{|\{\text{pages}\}|}

    >>> from assay.tables.log import Log
    >>> log = Log.from_pages([("q", ["a"], []), ("q", ["b"], [])], page=[1, 2])
    >>> Pagination.per_unit(BehaviourCounts.of(log)).pooled().values
    array([0.5])
    """
    later = (pl.col("page") > 1).fill_null(value=False)
    return behaviour.total("second and later pages", later, "impressions.page") / _pages(behaviour)


@measure(aliases=("SAT", "SatClicks"), counted_as=None, cites="fox2005")
def SatisfiedClicks(behaviour: BehaviourCounts, *, dwell: Seconds = 30.0, last: Switch = True) -> PerUnit:
    r"""The share of clicks after which people stayed, or did not come back.

    .. math:: \frac{|\{\text{clicks with so much dwell, or, if unknown, last in the session}\}|}{|\{\text{clicks}\}|}

    `dwell`: seconds. Where the log has no dwell time of a click, it is the time to the next click or page of the
    session. `last`: whether a click counts whose dwell nobody knows, as there is no click and no page after it in the
    session; without sessions, no click on the page. One of which the log says that people left soon does not count.

    >>> from assay.tables.log import Log
    >>> SatisfiedClicks.per_unit(BehaviourCounts.of(Log.from_pages([("q", ["a"], ["a"])]))).reason(0)
    'the log has neither dwell times nor times of clicks'
    """
    satisfied = _satisfied(behaviour, dwell, last)
    return behaviour.total("satisfied clicks", satisfied, "dwell") / _clicks(behaviour, _NO_CLICK)


@measure(counted_as=None)
def SessionSuccess(behaviour: BehaviourCounts, *, dwell: Seconds = 30.0, last: Switch = True) -> PerUnit:
    r"""The share of sessions with a satisfied click.

    .. math:: \frac{|\{\text{sessions with a satisfied click}\}|}{|\{\text{sessions}\}|}

    Which clicks satisfy is said of `SatisfiedClicks`. A session is one of the system that answered its first page.

    >>> from assay.tables.log import Log
    >>> SessionSuccess.per_unit(BehaviourCounts.of(Log.from_pages([("q", ["a"], ["a"])]))).reason(0)
    'the log has no sessions'
    """
    any_here = (_satisfied(behaviour, dwell, last) > 0).any().over("person", "session") & pl.col("starts")
    won = behaviour.total("sessions with a satisfied click", any_here, _SESSION, "dwell")
    return won / behaviour.total("sessions", pl.col("starts"), _SESSION, when_zero=_NO_SESSION)


@measure(bounds=(1.0, np.inf), counted_as=None, higher_is_better=None)
def QueriesPerSession(behaviour: BehaviourCounts) -> PerUnit:
    r"""Searches per session.

    .. math:: \frac{|\{\text{searches}\}|}{|\{\text{sessions}\}|}

    >>> from assay.tables.log import Log
    >>> log = Log.from_pages([("q", ["a"], []), ("r", ["b"], [])], session_id=["s", "s"])
    >>> QueriesPerSession.per_unit(BehaviourCounts.of(log)).pooled().values
    array([2.])
    """
    searches = behaviour.total("searches", pl.col("is_new"), _SESSION)
    return searches / behaviour.total("sessions", pl.col("starts"), _SESSION, when_zero=_NO_SESSION)


@measure(bounds=(0.0, np.inf), counted_as=None, higher_is_better=False)
def Latency(behaviour: BehaviourCounts) -> PerUnit:
    r"""Mean milliseconds until the results were there, over pages of which that is known.

    .. math:: \frac{1}{|\{\text{pages}\}|} \sum \text{latency in milliseconds}

    >>> from assay.tables.log import Log
    >>> log = Log.from_pages([("q", ["a"], []), ("q", ["a"], [])], latency_ms=[40.0, 60.0])
    >>> Latency.per_unit(BehaviourCounts.of(log)).pooled().values
    array([50.])
    """
    column = "impressions.latency_ms"
    milliseconds = behaviour.total("milliseconds", pl.col("latency_ms").fill_null(0.0), column)
    return milliseconds / behaviour.total("pages", pl.col("latency_ms").is_not_null(), column, when_zero=_NO_PAGE)


def _pages(behaviour: BehaviourCounts) -> PerUnit:
    return behaviour.total("pages", _ONE, when_zero=_NO_PAGE)


def _clicks(behaviour: BehaviourCounts, when_zero: str = "0/0") -> PerUnit:
    return behaviour.total("clicks", pl.col("clicks"), when_zero=when_zero)


def _with_rank(behaviour: BehaviourCounts) -> PerUnit:
    known = pl.col("highest").is_not_null()
    return behaviour.total("pages with a click", known, _RANK, when_zero=_NO_CLICK)


def _rank_of(behaviour: BehaviourCounts, column: str, text: str) -> PerUnit:
    return behaviour.total(text, pl.col(column).fill_null(0), _RANK) / _with_rank(behaviour)


def _satisfied(behaviour: BehaviourCounts, dwell: float, last: bool) -> pl.Expr:
    stayed = (pl.col("dwell") >= dwell).fill_null(value=False)
    ended = pl.col("is_last") & pl.col("dwell").is_null()
    name = f"satisfied by {dwell:g}{' or last' if last else ''}"
    return behaviour.over_clicks(name, stayed | ended if last else stayed)
