"""Kernels that several families of measures share: relevant hits, gains, discounts."""

from __future__ import annotations

import numpy as np

from assay.core.errors import ParameterError
from assay.measures.counting.judgments import Floats, Graded, Ints, place_in_group
from assay.measures.counting.ranks import Ranks
from assay.measures.definition import DiscountName, GainName, GainTable, IdealName
from assay.measures.steps import PerUnit, Steps, quantity

_LARGEST_EXPONENT = 1000.0
#: The work to cite for a gain, by its key in the bibliography; the grade itself needs none.
GAINS_CITE = {"exp": "burges2005"}
NO_RELEVANT = "no relevant document"
NO_RELEVANT_FOUND = "no relevant document was retrieved"
NOTHING_RETRIEVED = "nothing was retrieved"
NO_GAIN = "no judged document has a gain"
NO_IRRELEVANT = "no irrelevant document"
SIZE_UNKNOWN = "the size of the collection is not known: give {collection_size}"


def steps_of(rows: Graded, units: int, kind: str = "ranking") -> Steps:
    """Start the working with rank and grade."""
    return Steps(rows.query, units, {"rank": rows.rank, "grade": rows.grade}, kind)


def relevant_rows(ranks: Ranks, rel: float | None) -> Graded:
    """The retrieved documents that are relevant."""
    return ranks.hits.where(ranks.hits.grade >= ranks.level(rel))


def within(rows: Graded, cutoff: int | None) -> Graded:
    """The rows down to a cut-off."""
    return rows if cutoff is None else rows.where(rows.rank <= cutoff)


def share_within(rows: Graded, cutoff: Ints | int | None) -> Floats:
    """The share of each row that lies within the cut-off: 0 or 1, or a share where ties are averaged.

    The cut-off may differ from row to row.
    """
    if not rows.averaged:
        return np.ones(len(rows.rank)) if cutoff is None else (rows.rank <= cutoff).astype(np.float64)
    size = rows.tie_last - rows.tie_first + 1
    share: Floats = np.maximum(rows.last_within(cutoff) - rows.tie_first + 1, 0) / size
    return share


def found_within(ranks: Ranks, cutoff: Ints | int | None, rel: float | None) -> PerUnit:
    """The number of relevant documents found down to the cut-off."""
    return found_steps(relevant_rows(ranks, rel), len(ranks.queries), cutoff).sum("found")


def found_steps(rows: Graded, units: int, cutoff: Ints | int | None, where: str = "within the cut-off") -> Steps:
    """Relevant documents, and which of them lie within the cut-off."""
    means = "1 for a relevant document" if cutoff is None else f"1 for a relevant document {where}"
    steps = steps_of(rows, units).with_columns(found=share_within(rows, cutoff))
    return steps.meaning(found=f"{means}, or its share there" if rows.averaged else means)


def relevant_total(ranks: Ranks, rel: float | None) -> PerUnit:
    """The number of relevant documents."""
    return quantity("relevant", ranks.relevant(rel), when_zero=NO_RELEVANT)


def retrieved_total(ranks: Ranks) -> PerUnit:
    """The number of documents retrieved."""
    return quantity("retrieved", ranks.retrieved, when_zero=NOTHING_RETRIEVED)


def gains(grade: Floats, gain: GainName | GainTable, level: float) -> Floats:
    """Gains of documents of these grades; without a judgment (a negative grade): nothing."""
    if gain == "linear":
        return np.maximum(grade, 0.0)
    if gain == "exp":
        if grade.max(initial=0.0) > _LARGEST_EXPONENT:
            raise ParameterError(f"gain='exp' is 2 to the grade, which is too large for grade {grade.max():g}")
        return np.exp2(np.maximum(grade, 0.0)) - 1.0
    if gain == "binary":
        return ((grade >= level) & (grade >= 0)).astype(np.float64)
    worth = np.maximum(grade, 0.0)
    for of_grade, value in gain:
        worth = np.where(grade == of_grade, value, worth)
    return worth


def gain_in_words(gain: GainName | GainTable, grade: Floats) -> str:
    """The formula of a gain, for documents of these grades.

    >>> gain_in_words("exp", np.ones(1)), gain_in_words(((1.0, 3.0), (2.0, 9.0)), np.ones(1))
    ('2^grade - 1', 'the grade, but 3 for grade 1, 9 for grade 2')
    >>> gain_in_words("linear", np.array([-1.0]))
    'the grade, 0 for a negative one'
    """
    if gain == "binary":
        return "1 if relevant"
    named = gain if isinstance(gain, tuple) else ()
    words = "2^grade - 1" if gain == "exp" else "the grade"
    if named:
        words += ", but " + ", ".join(f"{value:g} for grade {of_grade:g}" for of_grade, value in named)
    others = grade[(grade < 0) & ~np.isin(grade, [of_grade for of_grade, _ in named])]
    return f"{words}, 0 for a negative one" if len(others) else words


def discounts(rank: Ints, discount: DiscountName, base: float) -> Floats:
    """Discounts: the share of its gain that a document keeps at a rank."""
    position = rank.astype(np.float64)
    if discount == "log2":
        divisor = np.log2(position + 1) / np.log2(base)  # base 2 stays exact: log2(2) is 1
    elif discount == "log2max2":
        divisor = np.maximum(1.0, np.log2(position) / np.log2(base))
    else:
        divisor = position if discount == "zipf" else np.ones_like(position)
    kept: Floats = 1.0 / divisor
    return kept


def discounted(
    rows: Graded,
    worth: Floats,
    units: int,
    *,
    cutoff: int | None,
    discount: DiscountName,
    base: float,
    kind: str = "ranking",
) -> Steps:
    """Gain, discount and their product, document by document down to the cut-off."""
    if cutoff is not None:
        reached = (rows.tie_first if rows.averaged else rows.rank) <= cutoff
        rows, worth = rows.where(reached), worth[reached]

    def weight(rank: Ints) -> Floats:
        kept = 1.0 if cutoff is None else (rank <= cutoff).astype(np.float64)
        return discounts(rank, discount, base) * kept

    kept = rows.at_rank(weight)
    steps = steps_of(rows, units, kind).with_columns(gain=worth)
    if discount == "none" and not rows.averaged:
        return steps.with_columns(contribution=worth * kept).meaning(contribution="gain")
    steps = steps.with_columns(discount=kept, contribution=worth * kept)
    return steps.meaning(discount=discount_in_words(discount, base, rows.averaged), contribution="gain × discount")


def discount_in_words(discount: DiscountName, base: float, averaged: bool = False) -> str:
    """The formula of a discount.

    >>> discount_in_words("log2", 2.0), discount_in_words("log2max2", 10.0)
    ('1 / log2(rank + 1)', '1 / log10(max(rank, 10))')
    """
    written = {
        "log2": f"1 / log{base:g}(rank + 1)",
        "log2max2": f"1 / log{base:g}(max(rank, {base:g}))",
        "zipf": "1 / rank",
        "none": "1",
    }[discount]
    return f"{written}, the mean over tied ranks" if averaged else written


def persistence(rank: Ints, p: float) -> Floats:
    """The weight of a rank for a user who goes on with probability p; all weights add up to 1."""
    weight: Floats = (1.0 - p) * np.power(p, rank - 1.0)
    return weight


def weight_in_words(p: float) -> str:
    """The formula of `persistence`.

    >>> weight_in_words(0.8)
    '(1 - 0.8) × 0.8^(rank - 1)'
    """
    return f"(1 - {p:g}) × {p:g}^(rank - 1)"


def chance_of_satisfaction(grade: Floats, max_grade: float) -> Floats:
    """The chance that a document of this grade satisfies: (2^grade - 1) / 2^max_grade, also for grades in percent."""
    chance: Floats = np.exp2(np.maximum(grade, 0.0) - max_grade) - np.exp2(-max_grade)
    return chance


def rows_with_gain(ranks: Ranks, gain: GainName | GainTable) -> Graded:
    """The hits; all retrieved documents if the table gives a gain to those without judgment (grades -1 and -2)."""
    if isinstance(gain, tuple) and any(grade < 0 for grade, _ in gain):
        return ranks.every_rank()
    return ranks.hits


def best_first(rows: Graded, worth: Floats) -> tuple[Graded, Floats]:
    """The ideal ranking: documents with a positive gain, largest first, ranked anew."""
    positive = worth > 0
    rows, worth = rows.where(positive), worth[positive]
    order = np.lexsort((-worth, rows.query))
    query, worth = rows.query[order], worth[order]
    rank = place_in_group(query) + 1
    return Graded(query, rank, rows.grade[order], rank, rank, rows.document[order]), worth


def ideal_rows(ranks: Ranks, gain: GainName | GainTable, ideal: IdealName = "judged") -> tuple[Graded, Floats]:
    """The ideal ranking of all judged documents, or of the retrieved ones only, with its gains."""
    rows = ranks.hits if ideal == "retrieved" else ranks.ideal
    rows = rows.where(rows.grade >= 0)  # a negative grade is no judgment, whatever gain a table gives it
    return best_first(rows, gains(rows.grade, gain, ranks.level()))


def max_grade_of(ranks: Ranks, max_grade: float | None) -> float:
    """The top of the scale: as given, or the largest grade of the judgments; no grade may lie above it."""
    if max_grade is None:
        return ranks.max_grade
    if ranks.max_grade > max_grade:
        raise ParameterError(f"max_grade is {max_grade:g}, but the judgments go up to {ranks.max_grade:g}")
    return max_grade


def running_at(steps: Steps, at: Steps, beyond: float = 0.0) -> Floats:
    """The running total of `steps` at the ranks of `at`; beyond the last row, `beyond` is added for each rank."""
    # Unit and rank in one number, so that one search finds the last row at or above each rank.
    width = 1 + int(max(steps["rank"].max(initial=0), at["rank"].max(initial=0)))
    row = np.searchsorted(steps.unit * width + steps["rank"], at.unit * width + at["rank"], side="right") - 1
    there = (row >= 0) & (np.append(steps.unit, -1)[row] == at.unit)
    total = np.where(there, np.append(steps["total"], 0.0)[row], 0.0)
    over = at["rank"] - np.where(there, np.append(steps["rank"], 0.0)[row], 0.0)
    return total + beyond * over
