"""The lowest and the highest that unjudged documents could make of each query: a search among hypotheses."""

from __future__ import annotations

import numpy as np

from assay.counting.graded import place_in_group
from assay.counting.judgments import Floats, Ints
from assay.rankings.hypotheses import Chosen
from assay.rankings.trials import Trials, none

# Up to so many rows, every unjudged document is tried one by one, and once more after each change.
_FEW_ROWS = 1 << 21
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


def extreme(trials: Trials, sign: int) -> Floats:
    """The systems' values (rows) at the highest (sign 1) or lowest (-1) height found for each query (columns).

    >>> from assay.counting.retrieved import retrieved
    >>> from assay.measures import RR
    >>> from assay.tables import Qrels, Run
    >>> counts = retrieved({"mine": Run.of({"q": {"new": 2, "good": 1}})}, Qrels.of({"q": {"good": 1}}))
    >>> trials = Trials(RR, [counts["mine"]], "counted_as")
    >>> extreme(trials, -1), extreme(trials, 1)
    (array([[0.5]]), array([[1.]]))
    """
    search = _Search(trials, sign)
    if not len(trials.unjudged.query):
        return search.values
    if trials.others_irrelevant:
        search.try_sets(trials.queries, none)
    if trials.rows > _FEW_ROWS:
        search.in_long_lists()
    else:
        search.in_short_lists()
    return search.values


class _Search:
    """The best hypothesis so far of each query; whatever is tried and turns out better takes its place.

    `sign` is 1 where the highest is the best, -1 where the lowest is, and heights are multiplied by it.
    """

    def __init__(self, trials: Trials, sign: int) -> None:
        self.trials, self.sign = trials, sign
        self.query = trials.unjudged.query
        self.values = trials.observed.copy()
        self._height = np.where(trials.counted, sign * trials.height(trials.observed), -np.inf)
        self._chosen = np.zeros(len(self.query), dtype=np.bool_)

    def in_long_lists(self) -> None:
        """Try sets of a few sizes, made of what helps most by its ranks."""
        trials, advantage = self.trials, self.sign * self.trials.advantage()
        # Of a single system any document may help; of two, those further up in one of them do.
        self._try_parts(advantage, 0.0 if len(trials.systems) == 2 else -np.inf)
        # Where being there counts more than the rank, what only one system returns comes first.
        in_one_first = advantage + _BEFORE_THE_REST * self.sign * trials.only_in_one()
        self._try_parts(in_one_first, _LARGEST_ADVANTAGE)

    def in_short_lists(self) -> None:
        """Try sets of all sizes, made of what helps most by itself or by its ranks; then change single documents."""
        trials = self.trials
        effect = trials.height(trials.one_by_one) - trials.height(trials.observed)[self.query]
        for key in (self.sign * np.nan_to_num(effect), self.sign * trials.advantage()):
            place, number = self._places(key)
            query = np.repeat(trials.queries, number)
            self._try_sizes(place, query, place_in_group(query) + 1)
        self._change_single_documents()

    def try_sets(self, query: Ints, chosen: Chosen) -> Ints:
        """Keep the hypothesis that is best for its query, if it is better than what there was; give those kept."""
        if not len(query):
            return query
        values = self.trials.values(query, chosen)
        height = np.nan_to_num(self.sign * self.trials.height(values), nan=-np.inf)
        order = np.lexsort((-height, query))
        first = order[np.append(True, np.diff(query[order]) != 0)]
        better = height[first] > self._height[query[first]] + ROUNDING
        won: Ints = first[better & self.trials.counted[query[first]]]
        self._height[query[won]] = height[won]
        self.values[:, query[won]] = values[:, won]
        return won

    def _try_parts(self, key: Floats, least: float) -> None:
        """Take some of the documents that help (their key is above the least), the most helpful first; then all."""
        place, number = self._places(key)
        helpful = np.bincount(self.query[key > least], minlength=len(self.trials.queries))
        sizes = self._try_sizes(place, *_listed(np.column_stack([helpful[:, None] * _PARTS, number])))
        for width in _FINER:
            near = np.minimum(sizes[:, None] * (1 + width * _NEAR), number[:, None])
            better = self._try_sizes(place, *_listed(near))
            sizes = np.where(better > 0, better, sizes)

    def _try_sizes(self, place: Ints, query: Ints, size: Ints) -> Ints:
        """Take so many documents, by their place, to be relevant; give the size kept for each query, 0 for none."""
        won = self.try_sets(query, lambda unit, number: place[number] < size[unit])
        kept = np.zeros(len(self.trials.queries), dtype=np.int64)
        kept[query[won]] = size[won]
        of_document = kept[self.query]
        self._chosen = np.where(of_document > 0, place < of_document, self._chosen)
        return kept

    def _change_single_documents(self) -> None:
        """Change the one document of each query that helps most, as long as one does."""
        numbers = np.arange(len(self.query))
        for _ in range(_MOST_CHANGES):
            won = self.try_sets(
                self.query[numbers],
                lambda unit, number: self._chosen[number] ^ (numbers[unit] == number),  # noqa: B023  # used at once
            )
            if not len(won):
                return
            self._chosen[numbers[won]] ^= True
            numbers = np.flatnonzero(np.isin(self.query, self.query[numbers[won]]))

    def _places(self, key: Floats) -> tuple[Ints, Ints]:
        """The place of each document in its query by a key, largest first, from 0; and how many each query has."""
        order = np.lexsort((-key, self.query))
        place = np.empty_like(self.query)
        place[order] = place_in_group(self.query[order])
        return place, np.bincount(self.query, minlength=len(self.trials.queries))


def _listed(sizes: Floats) -> tuple[Ints, Ints]:
    """Sizes of sets, one row a query: the queries and the whole numbers from 1 on, each once."""
    whole = np.sort(np.ceil(sizes).astype(np.int64), axis=1)
    new = (whole > 0) & (np.diff(whole, axis=1, prepend=0) > 0)
    query, column = np.nonzero(new)
    return query, whole[query, column]
