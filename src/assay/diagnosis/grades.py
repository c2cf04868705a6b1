"""Checks of the grades, and of what was judged at all."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from assay.diagnosis.case import Case
from assay.diagnosis.findings import Example, Finding, Severity, pair
from assay.diagnosis.registry import advice, check
from assay.errors import number_of, quote
from assay.files.traps import upside_down
from assay.tables import Qrels

_EXAMPLES = 3
#: A scale with more different grades than this is taken for a continuous one.
_MOST_GRADES = 12
#: A grade is lonely if at most so many judgments, and at most this share of all, have it.
_LONELY, _LONELY_SHARE = 2, 0.01
#: From so many judgments on, a scale without a grade that others would have is known well enough.
_MANY = 100
#: Fractions are odd among whole grades if less than this share of the judgments has them.
_FEW_FRACTIONS = 0.05
#: A topic with fewer judged documents is thinly judged, if the median topic has at least so many times more.
FEW_JUDGED, MANY_TIMES = 5, 4
#: Grades look like ranks if topics with at least so many documents have the grades 1, 2, 3 ... once each.
_RANKED = 5


def _rows(case: Case, name: str, severity: Severity, says: str, rows: pl.Series) -> Finding:
    file = case.judgments
    chosen = rows.arg_true()
    examples = tuple(
        Example(f"{pair(*file.rows.row(row)[:2])}: {file.rows['relevance'][row]:g}", file.line(row))
        for row in chosen.head(_EXAMPLES).to_list()
    )
    return Finding(name, severity, file.file, says, advice(name), chosen.len(), examples)


@check(
    "scale", "judgments", "error", "warning", "note",
    question="Are there grades outside the scale: other than `--grades` says, lonely extremes, odd fractions, below 0?",
    advice="look at these judgments: a typing error changes all scores of its topic; below 0 means pooled, not judged",
)  # fmt: skip
def scale(case: Case) -> Iterator[Finding]:
    """What `--grades` excludes; without it, what does not look like the other grades."""
    grade = case.judgments.rows["relevance"]
    if case.scale:
        low, high = min(case.scale), max(case.scale)
        outside = (grade < low) | (grade > high) if case.is_range else ~grade.is_in(list(case.scale))
        if case.is_range and all(float(end).is_integer() for end in case.scale):
            outside |= grade.floor() != grade
        if outside.any():
            said = f"{low:g} to {high:g}" if case.is_range else ", ".join(f"{one:g}" for one in case.scale)
            count = int(outside.sum())
            says = f"{number_of('grade', count)} outside the scale ({said})"
            yield _rows(case, "scale", "error", says, outside)
        return
    counts = grade.value_counts().sort("relevance")
    values, times = counts["relevance"].to_numpy(), counts["count"].to_numpy()
    fractional = grade.floor() != grade
    if 0 < fractional.sum() < _FEW_FRACTIONS * grade.len():
        says = f"{number_of('grade', int(fractional.sum()))} with a fraction, where all others are whole"
        yield _rows(case, "scale", "warning", says, fractional)
    whole = values == np.floor(values)
    values, times = values[whole], times[whole]
    if 2 <= len(values) <= _MOST_GRADES:
        lonely = (times <= _LONELY) & (times <= max(1, _LONELY_SHARE * grade.len()))
        gaps = np.diff(values)
        for end, gap, others in ((-1, gaps[-1], gaps[:-1]), (0, gaps[0], gaps[1:])):
            if lonely[end] and gap > max(_gap(grade.len(), len(values)), float(others.max(initial=0.0))):
                next_one = values[-2] if end else values[1]
                says = f"the grade {values[end]:g} comes {_times(int(times[end]))}, and the next one is {next_one:g}"
                yield _rows(case, "scale", "warning", says, grade == values[end])
    if (grade < 0).any():
        says = f"{number_of('grade', int((grade < 0).sum()))} below 0: these documents count as not judged"
        yield _rows(case, "scale", "note", says, grade < 0)


def _gap(judgments: int, grades: int) -> float:
    """How far a lonely grade lies from the next one at least: the further, the less is known of the scale."""
    if grades == 2:
        return 4.0
    return 1.0 if judgments >= _MANY else 2.0


def _times(number: int) -> str:
    return "once" if number == 1 else "twice" if number == 2 else f"{number} times"


@check(
    "inverse-grades", "judgments", "warning",
    question="Is 1 the best grade, as in Cranfield's codes?",
    advice="turn the grades round with `assay convert --inverse-grades`",
)  # fmt: skip
def inverse_grades(case: Case) -> Iterator[Finding]:
    """Grades 1 to 4 and one -1 a topic."""
    if upside_down(Qrels(case.grades, case.judgments.name)):
        says = "these look like Cranfield's codes: 1 is the best grade, 4 the least"
        yield Finding("inverse-grades", "warning", case.judgments.file, says, advice("inverse-grades"))


@check(
    "grades-like-ranks", "judgments", "error",
    question="Do grades count up from 1 in every topic, as ranks do?",
    advice="this looks like a run in three columns (query, document, rank): give the judgments",
)  # fmt: skip
def grades_like_ranks(case: Case) -> Iterator[Finding]:
    """A ranking that was taken for judgments."""
    grade = pl.col("relevance")
    topics = case.judgments.rows.group_by("query_id").agg(
        ranked=(grade.n_unique() == pl.len()) & (grade.min() == 1) & (grade.max() == pl.len()), count=pl.len()
    )
    if topics["ranked"].all() and (topics["count"].max() or 0) >= _RANKED:  # type: ignore[operator]  # counts are numbers
        says = f"in {number_of('topic', topics.height)}, the grades are 1, 2, 3 ... once each"
        yield Finding(
            "grades-like-ranks", "error", case.judgments.file, says, advice("grades-like-ranks"), topics.height
        )


@check(
    "no-relevant", "judgments", "error", "warning",
    question="Are there topics without a relevant document?",
    advice="most measures give such topics 0 whatever a system does: leave them out, or judge more; check `--level`",
)  # fmt: skip
def no_relevant(case: Case) -> Iterator[Finding]:
    """Topics in which no grade reaches the level; an error if none of all topics has one."""
    topics = case.by_topic
    without = topics.filter(pl.col("relevant") == 0)
    if not without.height:
        return
    all_of_them = without.height == topics.height
    which = "no topic has" if all_of_them else f"{without.height} of {number_of('topic', topics.height)} without"
    level = "" if case.level == 1 else f" (grade {case.level:g} or more)"
    examples = tuple(
        Example(f"topic {quote(row['query_id'])}, {number_of('document', row['judged'])} judged")
        for row in without.head(_EXAMPLES).to_dicts()
    )
    yield Finding(
        "no-relevant", "error" if all_of_them else "warning", case.judgments.file,
        f"{which} a relevant document{level}", advice("no-relevant"), without.height, examples,
    )  # fmt: skip


@check(
    "few-judged", "judgments", "warning",
    question="Are there topics with fewer than 5 judged documents, where the median topic has at least 20?",
    advice="their scores say little: judge more documents for them, or leave them out",
)  # fmt: skip
def few_judged(case: Case) -> Iterator[Finding]:
    """Topics that were hardly judged, beside others that were."""
    topics = case.by_topic
    median = float(np.median(topics["judged"].to_numpy()))
    few = topics.filter(pl.col("judged") < FEW_JUDGED)
    if not few.height or median < FEW_JUDGED * MANY_TIMES:
        return
    examples = tuple(
        Example(f"topic {quote(row['query_id'])}, {row['judged']} judged") for row in few.head(_EXAMPLES).to_dicts()
    )
    says = f"{number_of('topic', few.height)} with fewer than {FEW_JUDGED} judged documents; the median is {median:g}"
    yield Finding("few-judged", "warning", case.judgments.file, says, advice("few-judged"), few.height, examples)


@check(
    "only-relevant", "judgments", "note",
    question="Were only relevant documents judged?",
    advice="what is unjudged may be relevant or not: prefer RR or R@k to P@k and nDCG, and say how much was judged",
)  # fmt: skip
def only_relevant(case: Case) -> Iterator[Finding]:
    """Judgments without a single document that is not relevant, as sparse collections have them."""
    topics = case.by_topic
    if (topics["judged"] == topics["relevant"]).all() and not case.has_judges:
        says = f"all {number_of('judgment', case.grades.height)} are of relevant documents"
        yield Finding("only-relevant", "note", case.judgments.file, says, advice("only-relevant"), case.grades.height)
