"""One label of many: by majority, by weighted votes, by the median, and by models of the judges (Dawid-Skene, MACE).

Both models are fitted by expectation-maximisation on a sparse table of items by (judge, category), so that a pass costs
as much as there are labels. What they maximise never falls; its course is the trace.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Literal, TypeAlias, get_args

import numpy as np
from scipy import sparse

from assay.core.domains import Choice, Real, Whole
from assay.core.errors import ParameterError
from assay.measures.counting.judgments import Floats, Ints, Mask
from assay.measures.counting.ratings import Ratings
from assay.stats.fixpoint import Fixpoint, Parameters, fixpoint

Ties: TypeAlias = Literal["lowest", "highest", "random", "none"]
TIES = get_args(Ties)

#: Shares this near are one share: votes are whole numbers, or sums of a few weights.
_EQUAL = 1e-9
#: So many numbers at most in all confusion matrices together.
_MOST_CELLS = 30_000_000
#: Added to each expected count, so that no probability is 0: a hundredth of a label, spread over the categories.
_SMOOTHING = 0.01
#: Models are fitted until no probability changes by more than this in a pass, or for so many passes.
TOLERANCE, ITERATIONS = 1e-9, 2000


@dataclass(frozen=True, eq=False)
class Aggregate:
    """A distribution over the categories for each item, and what is known of the judges.

    `posterior`: items x categories, rows without labels are NaN. `chosen`: the category of each item, -1 where there is
    none (no label, or a tie that stays open). `tied`: items whose best categories are equally good. `ability`: a number
    per judge (what it is depends on the method, NaN where unknown). `confusion`: of Dawid-Skene, judges x true
    categories x labels. `trace`: what was maximised, pass by pass. `change`: the largest change of a
    probability in the last pass.
    """

    method: str
    posterior: Floats
    chosen: Ints
    tied: Ints
    ability: Floats
    confusion: Floats | None = None
    trace: tuple[float, ...] = ()
    converged: bool = True
    change: float = 0.0

    @property
    def probability(self) -> Floats:
        """Probabilities of the chosen categories, NaN where none is chosen."""
        rows = np.arange(len(self.chosen))
        best = self.posterior[rows, np.maximum(self.chosen, 0)]
        return np.where(self.chosen < 0, np.nan, best)

    @property
    def entropy(self) -> Floats:
        """The uncertainty of each item, in bits."""
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.where(self.posterior > 0, np.log2(self.posterior), 0.0)
        bits: Floats = 0.0 - (self.posterior * logs).sum(axis=1)
        return bits


def majority(ratings: Ratings, *, weights: Floats | None = None, ties: Ties = "lowest", seed: int = 0) -> Aggregate:
    """The category with the most votes; each judge's votes may have a weight.

    >>> votes = Ratings.from_labels([[0, 1], [0, 0], [1, 1]])
    >>> majority(votes).chosen, majority(votes).probability
    (array([0, 1]), array([0.6667, 0.6667]))
    """
    shares = _shares(ratings, weights)
    ability = np.full(len(ratings.judges), np.nan) if weights is None else np.asarray(weights, dtype=np.float64)
    method = "majority" if weights is None else "weighted votes"
    return _decided(method, shares, ability, ties=ties, seed=seed)


def _shares(ratings: Ratings, weights: Floats | None = None) -> Floats:
    """The share of the votes that each category has, item by item; NaN for items without labels."""
    width, size = len(ratings.categories), len(ratings.items)
    weight = None if weights is None else np.asarray(weights, dtype=np.float64)[ratings.judge]
    votes = np.bincount(ratings.item * width + ratings.category, weights=weight, minlength=size * width)
    votes = votes.reshape(size, width)
    total = votes.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares: Floats = np.where(total > 0, votes / total, np.nan)
    return shares


def median(ratings: Ratings, *, ties: Ties = "lowest") -> Aggregate:
    """The middle label in the order of the categories; of an even number, the lower or the higher of the two.

    >>> median(Ratings.from_labels([[0, 1], [2, 1], [3, 3]])).chosen
    array([2, 1])
    """
    if ties not in {"lowest", "highest"}:
        raise ParameterError(f"of two middle labels the median takes the lowest or the highest, not {ties!r}")
    votes = majority(ratings)
    labels = ratings.labels_of_item
    up_to = np.cumsum(ratings.counts, axis=1)
    low, high = ((up_to <= at[:, None]).sum(axis=1) for at in ((labels - 1) // 2, labels // 2))
    chosen = np.where(labels > 0, low if ties == "lowest" else high, -1)
    tied = np.flatnonzero((labels > 0) & (low != high))
    return Aggregate("median", votes.posterior, chosen, tied, votes.ability)


def dawid_skene(
    ratings: Ratings,
    *,
    iterations: int = ITERATIONS,
    tolerance: float = TOLERANCE,
    ties: Ties = "lowest",
    seed: int = 0,
) -> Aggregate:
    """Each judge has a confusion matrix, each category a prevalence (Dawid and Skene 1979); starts from the votes.

    A judge's `ability` is how often they are right, at the prevalence of the categories.

    >>> labels = [[0, 0, 1, 1, 0, 1], [0, 0, 1, 1, 0, 0], [1, 1, 0, 0, 1, 1]]
    >>> dawid_skene(Ratings.from_labels(labels)).chosen
    array([0, 0, 1, 1, 0, 0])
    """
    judges, width = len(ratings.judges), len(ratings.categories)
    if judges * width**2 > _MOST_CELLS:
        raise ParameterError(
            f"dawid-skene: {width:,} categories by {judges:,} judges are too many confusion matrices to fit: use the "
            "median, or fewer categories"
        )
    table, votes, labelled = _start(ratings, iterations, tolerance)

    def maximise(_: Parameters, posterior: Floats) -> Parameters:
        expected = (table.T @ posterior).reshape(judges, width, width).transpose(0, 2, 1) + _SMOOTHING / width
        prevalence = (posterior.sum(axis=0) + _SMOOTHING / width) / (labelled.sum() + _SMOOTHING)
        return np.log(expected / expected.sum(axis=2, keepdims=True)), np.log(prevalence)

    def expect(parameters: Parameters) -> tuple[float, Floats]:
        confusion, prevalence = parameters
        by_label = confusion.transpose(0, 2, 1).reshape(judges * width, width)
        total, posterior = _normalised(table @ by_label + prevalence)
        posterior[~labelled] = 0.0
        prior = _SMOOTHING / width * (confusion.sum() + prevalence.sum())
        return float(total[labelled].sum() + prior), posterior

    fit = fixpoint(expect, maximise, maximise((), votes), iterations=iterations, tolerance=tolerance)
    confusion, prevalence = map(np.exp, fit.parameters)
    ability = np.einsum("jkk,k->j", confusion, prevalence)
    return _decided("dawid-skene", _known(fit, labelled), ability, ties=ties, seed=seed, confusion=confusion, fit=fit)


def mace(
    ratings: Ratings,
    *,
    iterations: int = ITERATIONS,
    tolerance: float = TOLERANCE,
    ties: Ties = "lowest",
    seed: int = 0,
) -> Aggregate:
    """Each judge knows the answer with some probability, and else guesses in their own way (Hovy et al. 2013).

    A judge's `ability` is that probability. Fitted by EM with a little smoothing, from the votes.

    >>> labels = [[0, 0, 1, 1, 0, 1], [0, 0, 1, 1, 0, 1], [1, 1, 1, 1, 1, 1]]
    >>> fit = mace(Ratings.from_labels(labels))
    >>> fit.chosen, bool(fit.ability[0] > fit.ability[2])
    (array([0, 0, 1, 1, 0, 1]), True)
    """
    table, _, labelled = _start(ratings, iterations, tolerance)
    judges, width = len(ratings.judges), len(ratings.categories)
    code = ratings.judge * width + ratings.category

    def expect(parameters: Parameters) -> tuple[float, Floats]:
        knowing, guess = parameters
        right = _right(parameters)
        wrong = knowing[:, 1:] + guess
        # Every label is a guess but for those of the answer's category, which may also be known.
        base = np.bincount(ratings.item, weights=wrong.ravel()[code], minlength=len(ratings.items))
        total, posterior = _normalised(base[:, None] + table @ _answers(right - wrong) - np.log(width))
        posterior[~labelled] = 0.0
        prior = _SMOOTHING / 2 * knowing.sum() + _SMOOTHING / width * guess.sum()
        return float(total[labelled].sum() + prior), posterior

    def maximise(parameters: Parameters, posterior: Floats) -> Parameters:
        share = np.exp(parameters[0][:, :1] - _right(parameters)).ravel()[code]
        known = posterior[ratings.item, ratings.category] * share
        sure = np.bincount(ratings.judge, weights=known, minlength=judges) + _SMOOTHING / 2
        knows = sure / (np.bincount(ratings.judge, minlength=judges) + _SMOOTHING)
        guessed = np.bincount(code, weights=1 - known, minlength=judges * width).reshape(judges, width)
        guess = (guessed + _SMOOTHING / width) / (guessed.sum(axis=1, keepdims=True) + _SMOOTHING)
        return np.log(np.stack([knows, 1 - knows], axis=1)), np.log(guess)

    start = np.full((judges, 2), np.log(0.5)), np.full((judges, width), -np.log(width))
    fit = fixpoint(expect, maximise, start, iterations=iterations, tolerance=tolerance)
    return _decided("mace", _known(fit, labelled), np.exp(fit.parameters[0][:, 0]), ties=ties, seed=seed, fit=fit)


def _right(parameters: Parameters) -> Floats:
    """The logarithm of the probability of each label where it is the answer: known, or guessed; judge by category."""
    knowing, guess = parameters
    right: Floats = np.logaddexp(knowing[:, :1], knowing[:, 1:] + guess)
    return right


def _known(fit: Fixpoint, labelled: Mask) -> Floats:
    """The posterior, NaN for items without labels."""
    return np.where(labelled[:, None], fit.posterior, np.nan)


def _start(ratings: Ratings, iterations: int, tolerance: float) -> tuple[sparse.csr_array, Floats, Mask]:
    """Labels as a sparse table of items by (judge, category), the votes to start from, and which items have labels."""
    Whole(1).check("iterations", iterations)
    Real(0.0, inside=True).check("tolerance", tolerance)
    width = len(ratings.categories)
    if width < 2:
        raise ParameterError("all labels are of one category: there is nothing to tell apart")
    code = ratings.judge * width + ratings.category
    shape = (len(ratings.items), len(ratings.judges) * width)
    ends = np.cumsum(ratings.labels_of_item)  # rows are sorted by item
    table = sparse.csr_array((np.ones(len(code)), code, np.append(0, ends)), shape=shape)
    labelled = ratings.labels_of_item > 0
    return table, np.where(labelled[:, None], _shares(ratings), 0.0), labelled


def _answers(gain: Floats) -> Floats:
    """Contributions of each (judge, label) row to each answer: something where it is the label, else nothing."""
    judges, width = gain.shape
    table = np.zeros((judges, width, width))
    table[:, np.arange(width), np.arange(width)] = gain
    return table.reshape(judges * width, width)


def _normalised(joint: Floats) -> tuple[Floats, Floats]:
    """The logarithm of each row's sum, and its shares of it; column after column, as rows are short."""
    top = reduce(np.maximum, joint.T)
    shares = np.exp(joint - top[:, None])
    total = shares @ np.ones(joint.shape[1])
    shares /= total[:, None]
    return top + np.log(total), shares


def _decided(
    method: str,
    shares: Floats,
    ability: Floats,
    *,
    ties: Ties,
    seed: int,
    confusion: Floats | None = None,
    fit: Fixpoint | None = None,
) -> Aggregate:
    """Choose the category with the largest share, by the rule for ties."""
    Choice(TIES).check("ties", ties)
    known: Mask = np.asarray(~np.isnan(shares).any(axis=1))
    filled = np.where(known[:, None], shares, 0.0)
    best = filled >= filled.max(axis=1, keepdims=True) - _EQUAL
    tied = np.flatnonzero(known & (best.sum(axis=1) > 1))
    chosen = best.argmax(axis=1) if ties != "highest" else best.shape[1] - 1 - best[:, ::-1].argmax(axis=1)
    if ties == "random" and len(tied):
        draws = np.random.default_rng(seed).random((len(tied), best.shape[1]))
        chosen[tied] = np.where(best[tied], draws, -1.0).argmax(axis=1)
    if ties == "none":
        chosen[tied] = -1
    chosen = np.where(known, chosen, -1)
    if fit is None:
        return Aggregate(method, shares, chosen, tied, ability)
    return Aggregate(method, shares, chosen, tied, ability, confusion, fit.trace, fit.converged, fit.change)
