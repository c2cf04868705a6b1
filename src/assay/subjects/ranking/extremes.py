"""The lowest and the highest that unjudged documents could make of each query: a search among hypotheses."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assay.measures.counting.judgments import Floats, Ints, Mask, place_in_group
from assay.subjects.ranking.hypothetical_judgments import Grading, Trials, Way, none, places, way_of

# Up to so many rows in all, every grade of every document is tried with every grade of the others.
_ROWS_FOR_ALL = 1 << 21
_MOST_FOR_ALL = 1 << 12
# Up to so many rows, every unjudged document is tried one by one, and once more after each change.
FEW_ROWS = 1 << 21
_MOST_CHANGES = 12
# In longer lists only some sets are tried: so much of what is to a side's advantage, the best of it first.
_PARTS = np.array([1 / 16, 1 / 4, 1 / 2, 1.0])
# Then the number that was best, a little less and a little more.
_NEAR = np.array([-1.0, -0.5, 0.5, 1.0])
_FINER = (0.5, 0.125)
# No advantage is larger than that of the first rank. What twice as much is added to comes before all the rest.
_LARGEST_ADVANTAGE = 1.0
_BEFORE_THE_REST = 2 * _LARGEST_ADVANTAGE
# A difference below this is rounding.
ROUNDING = 1e-12


class Extremes(NamedTuple):
    """The systems' values (rows) at the lowest and at the highest height of each query (columns).

    `sure`: the queries for which nothing lies beyond; for the others, grades that were not tried may lead further.
    """

    low: Floats
    high: Floats
    sure: Mask


def extremes(trials: Trials) -> Extremes:
    """The lowest and the highest height of each query.

    >>> from assay.measures.counting.ranks import retrieved
    >>> from assay.measures import RR
    >>> from assay.tables import Qrels, Run
    >>> counts = retrieved({"mine": Run.of({"q": {"new": 2, "good": 1}})}, Qrels.of({"q": {"good": 1}}))
    >>> extremes(Trials(RR, [counts["mine"]], "counted_as"))
    Extremes(low=array([[0.5]]), high=array([[1.]]), sure=array([ True]))
    """
    both = [_Search(trials, sign) for sign in (-1, 1)]
    number = np.bincount(trials.unjudged.query, minlength=len(trials.queries))
    if trials.others_irrelevant:
        _try_in(both, trials.queries, none)
    way = way_of(trials.measure, len(trials.systems))
    sure = (number == 0) | trials.alike
    if way == "all":
        sure |= _every_grading(both, number, ~sure)
    elif way == "one":
        documents = trials.before_first_relevant
        values = trials.values_with(documents)
        for search in both:
            search.keep(trials.unjudged.query[documents], values)
        sure[:] = True
    elif way == "numbers":
        sure |= _every_number(both, number)
    rest = np.flatnonzero(~sure)
    if len(rest):
        sure[rest] = np.logical_and(*(search.among(rest, way) for search in both))
    certain = (trials.all_grades | (number == 0) | trials.alike) & ~(both[0].undefined & trials.counted)
    return Extremes(both[0].values, both[1].values, sure & certain)


def _every_grading(both: list[_Search], number: Ints, wanted: Mask) -> Mask:
    """Try all grades of all documents with one another, where these are not too many; give the queries tried."""
    trials = both[0].trials
    grades = trials.grades
    levels = len(trials.grades)
    ways = np.float64(levels) ** np.minimum(number, _MOST_FOR_ALL.bit_length())
    rows = np.where(wanted & (ways <= _MOST_FOR_ALL), ways * trials.sizes, np.inf)
    # The queries with the fewest first, as long as there are rows left.
    order = np.argsort(rows, kind="stable")
    tried = np.zeros(len(rows), dtype=np.bool_)
    tried[order] = np.cumsum(rows[order]) <= _ROWS_FOR_ALL
    query = np.repeat(trials.queries[tried], ways[tried].astype(np.int64))
    code = place_in_group(query)
    power = levels ** np.minimum(place_in_group(trials.unjudged.query), _MOST_FOR_ALL.bit_length())
    _try_in(both, query, lambda unit, document: grades[code[unit] // power[document] % levels])
    return tried


def _every_number(both: list[_Search], number: Ints) -> Mask:
    """Try all numbers of relevant documents, of those in the one system, in the other and in both."""
    trials = both[0].trials
    kind = trials.kind
    many = np.column_stack(
        [np.bincount(trials.unjudged.query[kind == group], minlength=len(number)) for group in range(3)]
    )
    ways = np.prod(many + 1.0, axis=1)
    tried: Mask = ways * trials.sizes <= _ROWS_FOR_ALL / len(number)
    query = np.repeat(trials.queries[tried], ways[tried].astype(np.int64))
    code = place_in_group(query)
    sizes = []
    for group in range(3):
        sizes.append(code % (many[query, group] + 1))
        code //= many[query, group] + 1
    wanted = np.array(sizes)
    top = trials.grades[-1]
    # The place of a document among those of its query and kind.
    place = places(3 * trials.unjudged.query + kind)
    _try_in(both, query, lambda unit, document: np.where(place[document] < wanted[kind[document], unit], top, 0.0))
    return tried


def _try_in(both: list[_Search], query: Ints, grading: Grading) -> None:
    """Try hypotheses for the lowest and for the highest value at once."""
    if len(query):
        values = both[0].trials.values(query, grading)
        for search in both:
            search.keep(query, values)


class _Search:
    """The best hypothesis so far of each query; whatever is tried and turns out better takes its place.

    `sign` is 1 where the highest is the best, -1 where the lowest is, and heights are multiplied by it.
    """

    def __init__(self, trials: Trials, sign: int) -> None:
        self.trials, self.sign = trials, sign
        self.query = trials.unjudged.query
        self.values = trials.observed.copy()
        self._height = np.where(trials.counted, sign * trials.height(trials.observed), -np.inf)
        #: The queries that some hypothesis leaves without a value.
        self.undefined = np.zeros(len(trials.queries), dtype=np.bool_)
        self._level = np.zeros(len(self.query), dtype=np.int64)

    def keep(self, query: Ints, values: Floats) -> Ints:
        """Keep the hypothesis that is best for its query, if it is better than what there was; give those kept."""
        height = self.sign * self.trials.height(values)
        self.undefined[query[np.isnan(height)]] = True
        height = np.nan_to_num(height, nan=-np.inf)
        order = np.lexsort((-height, query))
        first = order[np.append(True, np.diff(query[order]) != 0)[: len(order)]]
        better = height[first] > self._height[query[first]] + ROUNDING
        won: Ints = first[better & self.trials.counted[query[first]]]
        self._height[query[won]] = height[won]
        self.values[:, query[won]] = values[:, won]
        return won

    def among(self, queries: Ints, way: Way) -> Mask:
        """Search the best of some queries; give for which of them it is sure."""
        trials = self.trials
        rows = trials.sizes[self.query[np.isin(self.query, queries)]].sum() * (len(trials.grades) - 1)
        if rows > FEW_ROWS:
            self._in_long_lists(queries)
            return np.zeros(len(queries), dtype=np.bool_)
        if way == "cut at R":
            self._cut_at_number_of_relevant(queries)
            return np.ones(len(queries), dtype=np.bool_)
        if way == "ranks":
            self._in_steps(queries, self.sign * trials.advantage())
            return np.ones(len(queries), dtype=np.bool_)
        effect = trials.height(trials.one_by_one) - trials.height(trials.observed)[self.query]
        settled = self._in_steps(queries, self.sign * np.nan_to_num(effect))
        if way == "steps":
            return settled
        self._in_steps(queries, self.sign * trials.advantage())
        self._change_single_documents(queries)
        return np.zeros(len(queries), dtype=np.bool_)

    def _in_long_lists(self, queries: Ints) -> None:
        """Try sets of a few sizes, made of what helps most by its ranks."""
        trials = self.trials
        advantage = self.sign * self.trials.advantage()
        # Of a single system any document may help; of two, those further up in one of them do.
        self._try_parts(queries, advantage, 0.0 if len(trials.systems) == 2 else -np.inf)
        # Where being there counts more than the rank, what only one system returns comes first.
        in_one_first = advantage + _BEFORE_THE_REST * self.sign * trials.only_in_one()
        self._try_parts(queries, in_one_first, _LARGEST_ADVANTAGE)

    def _try_parts(self, queries: Ints, key: Floats, least: float) -> None:
        """Take some of the documents that help (their key is above the least), the most helpful first; then all."""
        place, number = self._places(key)
        helpful = np.bincount(self.query[key > least], minlength=len(self.trials.queries))
        sizes = np.column_stack([helpful[:, None] * _PARTS, number])
        best = np.zeros(len(number))
        for width in (0.0, *_FINER):
            if width:
                sizes = np.minimum(best[:, None] * (1 + width * _NEAR), number[:, None])
            query, size = _up_to_sizes(sizes[queries])
            query = queries[query]
            won = self._try_steps(query, size[:, None], place)
            best[query[won]] = size[won]

    def _cut_at_number_of_relevant(self, queries: Ints) -> None:
        """So many are relevant, and the first so many ranks count: of each number, what is within them in one alone."""
        trials = self.trials
        top = self.trials.grades[-1]
        number = np.bincount(self.query, minlength=len(trials.queries))[queries]
        query = np.repeat(queries, number)
        size = place_in_group(query) + 1
        cutoff = trials.cutoff_at(query, size)

        def grading(unit: Ints, document: Ints) -> Floats:
            within = [(rank[document] <= cutoff[unit]).astype(np.float64) for rank in trials.ranks]
            helps = self.sign * (within[-1] - within[0] if len(within) == 2 else within[0])
            return np.where(places(unit, -helps) < size[unit], top, 0.0)

        self.keep(query, trials.values(query, grading))

    def _in_steps(self, queries: Ints, key: Floats) -> Mask:
        """Give the top grade to the documents with the largest keys, no higher ones to the next; all sizes of steps.

        First all documents from some place on are irrelevant. Then the step of one grade is moved, whatever it takes of
        the others, as long as that helps. Gives the queries for which nothing helps any more.
        """
        place, number = self._places(key)
        levels = len(self.trials.grades) - 1
        steps = np.zeros((len(self.trials.queries), levels), dtype=np.int64)
        moved = queries
        level = np.arange(levels)
        query = np.repeat(moved, number[moved])
        size = place_in_group(query) + 1
        won = self._try_steps(query, size[:, None], place)
        steps[query[won]] = size[won][:, None]
        for _ in range(_MOST_CHANGES if levels > 1 else 0):
            query = np.repeat(moved, (number[moved] + 1) * levels)
            size, at = np.divmod(place_in_group(query), levels)
            # A higher grade never goes to more documents than a lower one does.
            lower = level < at[:, None]
            higher = level > at[:, None]
            tried = np.where(level == at[:, None], size[:, None], steps[query])
            tried = np.where(lower, np.maximum(tried, size[:, None]), tried)
            tried = np.where(higher, np.minimum(tried, size[:, None]), tried)
            won = self._try_steps(query, tried, place)
            steps[query[won]] = tried[won]
            moved = query[won]
            if not len(moved):
                break
        unsettled = moved if levels > 1 else moved[:0]
        return ~np.isin(queries, unsettled)

    def _try_steps(self, query: Ints, steps: Ints, place: Ints) -> Ints:
        """Try grades by place: each document has the highest grade whose step it stands before; one step is the top."""
        grades = self.trials.grades
        trials = self.trials
        height = (len(grades) - 1) // steps.shape[1]

        def level(unit: Ints, document: Ints) -> Ints:
            reached: Ints = height * (place[document][:, None] < steps[unit]).sum(axis=1)
            return reached

        won = self.keep(query, trials.values(query, lambda unit, document: grades[level(unit, document)]))
        kept = np.full(len(trials.queries), -1, dtype=np.int64)
        kept[query[won]] = won
        changed = np.flatnonzero(kept[self.query] >= 0)
        self._level[changed] = level(kept[self.query[changed]], changed)
        return won

    def _change_single_documents(self, queries: Ints) -> None:
        """Change the grade of the one document of each query that helps most, as long as one does."""
        grades = self.trials.grades
        trials = self.trials
        others = np.arange(1, len(grades))
        documents = np.flatnonzero(np.isin(self.query, queries))
        for _ in range(_MOST_CHANGES):
            named = np.repeat(documents, len(others))
            level = (self._level[named] + np.tile(others, len(documents))) % len(grades)

            def grading(unit: Ints, document: Ints) -> Floats:
                changed = named[unit] == document  # noqa: B023  # used at once
                return grades[np.where(changed, level[unit], self._level[document])]  # noqa: B023

            won = self.keep(self.query[named], trials.values(self.query[named], grading))
            if not len(won):
                return
            self._level[named[won]] = level[won]
            documents = np.flatnonzero(np.isin(self.query, self.query[named[won]]))

    def _places(self, key: Floats) -> tuple[Ints, Ints]:
        """The place of each document in its query by a key, largest first, from 0; and how many each query has."""
        return places(self.query, -key), np.bincount(self.query, minlength=len(self.trials.queries))


def _up_to_sizes(sizes: Floats) -> tuple[Ints, Ints]:
    """Sizes of sets, one row a query: the queries and the whole numbers from 1 on, each once."""
    whole = np.sort(np.ceil(sizes).astype(np.int64), axis=1)
    new = (whole > 0) & (np.diff(whole, axis=1, prepend=0) > 0)
    query, column = np.nonzero(new)
    return query, whole[query, column]
