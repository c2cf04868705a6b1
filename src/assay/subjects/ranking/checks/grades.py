"""Checks of the grades, of what was judged at all, and of measures that do not suit the judgments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from assay.core.digits import number
from assay.core.errors import argument, call_with, number_of, quote
from assay.files.records import upside_down
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.remarks import NEARLY_ALL
from assay.subjects.ranking.checks.examination import ALL_RUNS, LEAST_TOPICS, ExaminedCollection, ExaminedRun
from assay.tables import Qrels
from assay.verbs.diagnosis.examination import EXAMPLES, CheckFinding, Example, Severity, check, finding, share

#: A scale with more different grades than this is taken for a continuous one.
_MOST_GRADES = 12
#: A grade is lonely if at most this share of the judgments has it,
_LONELY_SHARE = 0.01
#: and if it is so many times as far away as all others together are wide: the second, with fewer judgments than these.
_HUGE, _HUGE_OF_FEW, _KNOWN = 2, 10, 50

_WIDE = 4.0
#: Fractions are odd among whole grades if less than this share of the judgments has them.
_FEW_FRACTIONS = 0.05
#: A topic with fewer judged documents is thinly judged, if the median topic has at least so many times more.
FEW_JUDGED, MANY_TIMES = 5, 4
#: Grades look like ranks if topics with at least so many documents have the grades 1, 2, 3 ... once each.
_RANKED = 5


def _of_rows(case: ExaminedCollection, name: str, severity: Severity, message: str, rows: pl.Series) -> CheckFinding:
    file = case.judgments
    chosen = rows.arg_true()
    places = chosen.head(EXAMPLES).to_list()
    examples = [file.example(row, f": {file.rows['relevance'][row]:g}") for row in places]
    return finding(name, severity, file, message, chosen.len(), examples=examples)


@check(
    "scale", "judgments", "error", "warning", "note",
    advice="look at these judgments: a typo changes all scores of its topic; below 0 means pooled, not judged",
)  # fmt: skip
def scale(case: ExaminedCollection) -> Iterator[CheckFinding]:
    """Are there grades outside the scale: other than `{grades}` says, lonely extremes, odd fractions, below 0?"""
    grade = case.judgments.rows["relevance"]
    if case.scale:
        low, high = min(case.scale), max(case.scale)
        outside = (grade < low) | (grade > high) if case.is_range else ~grade.is_in(list(case.scale))
        if case.is_range and all(float(end).is_integer() for end in case.scale):
            outside |= grade.floor() != grade
        if outside.any():
            scale_text = f"{low:g} to {high:g}" if case.is_range else ", ".join(f"{each:g}" for each in case.scale)
            message = f"{number_of('grade', int(outside.sum()))} outside the scale ({scale_text})"
            yield _of_rows(case, "scale", "error", message, outside)
        return
    counts = grade.value_counts().sort("relevance")
    values, times = counts["relevance"].to_numpy(), counts["count"].to_numpy()
    fractional = grade.floor() != grade
    if 0 < fractional.sum() < _FEW_FRACTIONS * grade.len():
        message = f"{number_of('grade', int(fractional.sum()))} with a fraction, where all others are whole"
        yield _of_rows(case, "scale", "warning", message, fractional)
    whole = values == np.floor(values)
    for grades, message in _lonely(values[whole], times[whole], grade.len()):
        yield _of_rows(case, "scale", "warning", message, grade.is_in(grades))
    if (grade < 0).any():
        message = f"{number_of('grade', int((grade < 0).sum()))} below 0: these documents count as not judged"
        yield _of_rows(case, "scale", "note", message, grade < 0)


def _lonely(values: Floats, times: Ints, judgments: int) -> Iterator[tuple[list[float], str]]:
    """Grades at an end of the scale that hardly any judgment has, far from the others; and what to say of them."""
    if not 2 <= len(values) <= _MOST_GRADES:
        return
    huge = _HUGE if judgments >= _KNOWN else _HUGE_OF_FEW
    for sign in (1, -1):
        # The outermost first; at the lower end, the scale is looked at upside down.
        scale = (sign * values)[::sign]
        counts = times[::sign]
        for place in range(len(scale) - 1, 0, -1):
            count = int(counts[place:].sum())
            last = scale[place - 1]
            if count > max(1, _LONELY_SHARE * judgments):
                break
            if scale[place] - last > max(_WIDE, huge * max(1.0, last - scale[0])):
                grades = (sign * scale[place:]).tolist()
                named = ", ".join(f"{value:g}" for value in grades)
                far = f"far from the next grade, {sign * last:g}"
                yield grades, f"{number_of('judgment', count)} with the grade {named}, {far}"
                break


@check(
    "inverse-grades", "judgments", "warning",
    advice="invert the grades: `{inverse_grades=True}`, when the file is read or converted",
)  # fmt: skip
def inverse_grades(case: ExaminedCollection) -> Iterator[CheckFinding]:
    """Is 1 the best grade, as in Cranfield's codes?"""
    if upside_down(Qrels(case.grades, case.judgments.name)):
        message = "these look like Cranfield's codes: 1 is the best grade, 4 the least"
        yield finding("inverse-grades", "warning", case.judgments, message)


@check(
    "grades-like-ranks", "judgments", "error",
    question="Do grades count up from 1 in every topic, as ranks do?",
    advice="this looks like a run in three columns (query, document, rank): give the judgments",
)  # fmt: skip
def grades_like_ranks(case: ExaminedCollection) -> Iterator[CheckFinding]:
    """A ranking that was taken for judgments."""
    grade = pl.col("relevance")
    topics = case.judgments.rows.group_by("query_id").agg(
        ranked=(grade.n_unique() == pl.len()) & (grade.min() == 1) & (grade.max() == pl.len()), count=pl.len()
    )
    if topics["ranked"].all() and (topics["count"].max() or 0) >= _RANKED:  # type: ignore[operator]  # counts are numbers
        message = f"in {number_of('topic', topics.height)}, the grades are 1, 2, 3 ... once each"
        yield finding("grades-like-ranks", "error", case.judgments, message, topics.height)


@check(
    "no-relevant", "judgments", "error", "warning",
    advice="most measures give such topics 0 whatever a system does: leave them out, or judge more; check `{level}`",
)  # fmt: skip
def no_relevant(case: ExaminedCollection) -> Iterator[CheckFinding]:
    """Are there topics without a relevant document?"""
    topics = case.by_topic
    without = topics.filter(pl.col("relevant") == 0)
    if not without.height:
        return
    all_of_them = without.height == topics.height
    which = "no topic has" if all_of_them else f"{share(without.height, topics.height, 'topic')} without"
    level = "" if case.level == 1 else f" (grade {case.level:g} or more)"
    examples = tuple(
        Example(f"topic {quote(row['query_id'])}, {number_of('document', row['judged'])} judged")
        for row in without.head(EXAMPLES).to_dicts()
    )
    yield finding(
        "no-relevant", "error" if all_of_them else "warning", case.judgments, f"{which} a relevant document{level}",
        without.height, examples=examples,
    )  # fmt: skip


@check(
    "few-judged", "judgments", "warning",
    question="Are there topics with fewer than 5 judged documents, where the median topic has at least 20?",
    advice="their scores say little: judge more documents for them, or leave them out",
)  # fmt: skip
def few_judged(case: ExaminedCollection) -> Iterator[CheckFinding]:
    """Topics that were hardly judged, beside others that were."""
    topics = case.by_topic
    median = float(np.median(topics["judged"].to_numpy()))
    few = topics.filter(pl.col("judged") < FEW_JUDGED)
    if not few.height or median < FEW_JUDGED * MANY_TIMES:
        return
    examples = tuple(
        Example(f"topic {quote(row['query_id'])}, {row['judged']} judged") for row in few.head(EXAMPLES).to_dicts()
    )
    message = (
        f"{number_of('topic', few.height)} with fewer than {FEW_JUDGED} judged documents; the median is {median:g}"
    )
    yield finding("few-judged", "warning", case.judgments, message, few.height, examples=examples)


_ELSE = "else prefer RR or R@k to P@k and nDCG, and say how much is judged"


@check(
    "only-relevant", "judgments", "note",
    advice=f"if no other is relevant: `{{complete=True}}`; {_ELSE}",
)  # fmt: skip
def only_relevant(case: ExaminedCollection) -> Iterator[CheckFinding]:
    """Were only relevant documents judged?"""
    if case.lists_only_relevant:
        count = case.grades.height
        grades = case.grades["relevance"]
        message = "the only judgment is" if count == 1 else f"all {count:,} judgments are"
        message += f" of {'a relevant document' if count == 1 else 'relevant documents'}"
        if grades.n_unique() > 1:
            low, high = (float(end) for end in grades.sort().gather([0, -1]))
            message += f"; if {low:g} of {low:g} to {high:g} means not relevant, give `{argument('level')}`"
        todo = f"if no other is relevant, treat the list as complete: `{call_with('evaluate', complete=True)}`; {_ELSE}"
        yield finding("only-relevant", "note", case.judgments, message, count, todo=todo)


#: A measure with a cut-off that can reach less than this, on average, is far from the judgments.
_CEILING = 0.5
#: Runs with fewer documents than the cut-off in more than this share of topics.
_OFTEN_SHORT = 0.1


@check(
    "measure-fit", "judgments", "warning",
    question="Is 0.5 out of reach for P@k or R@k, is AP the same as RR, or is ERR's top grade below the scale's?",
    advice="choose a cut-off near the number of relevant documents, or RCap@k; RR for AP; state max_grade for ERR",
)  # fmt: skip
def measure_fit(case: ExaminedCollection) -> Iterator[CheckFinding]:
    """Recall far below the number of relevant documents, precision far above it, AP of one document, ERR's top."""
    relevant = case.by_topic["relevant"].to_numpy().astype(np.float64)
    relevant = relevant[relevant > 0]
    if not case.asked or not len(relevant):
        return
    top = float(case.grades["relevance"].max())  # type: ignore[arg-type]  # some grade is relevant
    for measure in case.measures:
        cutoff = measure.parameters.get("cutoff")
        name = measure.name
        message = ""
        if name in {"R", "P"} and cutoff:
            reach = np.minimum(1, cutoff / relevant if name == "R" else relevant / cutoff).mean()
            if reach < _CEILING:
                median = float(np.median(relevant))
                what = f"{median:g} relevant {'document' if median == 1 else 'documents'}"
                message = f"{measure} can reach {number(reach, 2)} at most: the median topic has {what}"
        elif name in {"AP", "GMAP"} and len(relevant) >= LEAST_TOPICS and (relevant == 1).mean() >= NEARLY_ALL:
            message = f"{measure}: with one relevant document per topic it is RR, and its name promises more"
        elif name in {"ERR", "nERR"} and measure.parameters.get("max_grade") is None and top < max(case.scale or (0,)):
            message = f"{measure} takes {top:g} for the top of the scale, which is {max(case.scale):g}"
        if message:
            yield finding("measure-fit", "warning", case.judgments, message)


@check(
    "short-lists", "runs", "warning", "note",
    question="Does a run return fewer documents than P@k counts, in more than 10 % of the topics (a note without -m)?",
    advice="the places left empty count as irrelevant: return more, or choose a smaller cut-off",
)  # fmt: skip
def short_lists(systems: Sequence[ExaminedRun]) -> Iterator[CheckFinding]:
    """Precision beyond the end of the list, where there are more relevant documents to find."""
    counted = [(system, system.ranks) for system in systems if system.ranks is not None]
    case = systems[0].case
    cutoffs = {measure.parameters["cutoff"] for measure in case.measures if measure.name == "P"}
    for cutoff in sorted(cutoffs - {None}):  # without one, the whole list is looked at
        # Unless somebody asked for it, a cut-off that no run reaches says more about the collection than about a run.
        if not (case.asked or any((ranks.retrieved >= cutoff).any() for _, ranks in counted)):
            continue
        for system, ranks in counted:
            in_run, returned = ranks.in_run, ranks.retrieved
            is_relevant = (ranks.hits.grade >= case.level) & (ranks.hits.grade > 0)
            hits = np.bincount(ranks.hits.query[is_relevant], minlength=len(in_run))
            # A short list costs nothing if it holds all there is to find.
            short = in_run & (returned < cutoff) & (hits < ranks.relevant())
            count = int(short.sum())
            if count <= _OFTEN_SHORT * in_run.sum():
                continue
            worst = int(np.argmin(np.where(short, returned, 1 << 40)))
            example = Example(f"topic {quote(ranks.queries[worst])}: {number_of('document', int(returned[worst]))}")
            message = f"fewer than {cutoff} documents in {share(count, int(in_run.sum()), 'topic')}"
            severity: Severity = "warning" if case.asked else "note"
            yield finding("short-lists", severity, system.run, message, count, examples=[example])


@check(
    "few-topics", "runs", "warning",
    question="Are there fewer than 5 topics to compare runs by?",
    advice="judge more topics; `assay power` says how many it takes",
)  # fmt: skip
def few_topics(systems: Sequence[ExaminedRun]) -> Iterator[CheckFinding]:
    """Too few topics for any difference to be significant."""
    counted = [system for system in systems if system.ranks]
    topics = len(systems[0].case.topic_ids)
    if len(counted) > 1 and topics < LEAST_TOPICS:
        message = f"with {number_of('topic', topics)}, no difference between runs can be significant"
        yield finding("few-topics", "warning", ALL_RUNS, message)
