"""Preferences between two items at a time: their tests, and the Bradley-Terry model that makes a ranking of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assay.core.errors import ParameterError
from assay.measures.counting.judgments import Floats, Ints

_MOST_ROUNDS, _STEADY = 100, 1e-9
#: Why there is no ranking.
NOT_CONNECTED = "some items never lost to, or never won against, the others: no finite strengths fit"


class BradleyTerry(NamedTuple):
    """Log strengths of items, their standard errors, and whether the preferences alone would have determined them.

    Item i is preferred to item j with probability `1 / (1 + exp(strength_j - strength_i))`. The mean of the strengths
    is 0, and errors are those of distances from it. NaN where there are none.
    """

    strength: Floats
    error: Floats
    connected: bool
    rounds: int


def components(wins: Floats) -> Ints:
    """Groups of items that can all be reached from one another along wins: Ford's condition holds within each.

    >>> components(np.array([[0, 2, 0], [1, 0, 5], [0, 0, 0]]))  # the third never won
    array([0, 0, 1])
    """
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415  # slow to load

    _, label = connected_components(wins > 0, directed=True, connection="strong")
    _, first = np.unique(label, return_index=True)
    order = np.argsort(np.argsort(first))
    numbered: Ints = order[label].astype(np.int64)
    return numbered


def bradley_terry(wins: Floats, prior: float = 0.0) -> BradleyTerry:
    """Fit strengths by maximum likelihood, in Newton's steps: some ten, where those of minorisation take hundreds.

    `wins[i, j]`: how often i was preferred to j. `prior`: so many imagined wins, and as many losses, of each item
    against one of strength 0; with it, strengths are always finite. Without, they are only if every item can be reached
    from every other along wins (Ford 1957); else all are NaN.

    >>> fit = bradley_terry(np.array([[0, 3], [1, 0]]))
    >>> fit.strength  # the difference is log 3
    array([ 0.5493, -0.5493])
    >>> bradley_terry(np.array([[0, 3], [0, 0]])).connected
    False
    """
    wins = np.array(wins, dtype=np.float64)
    if wins.ndim != 2 or wins.shape[0] != wins.shape[1] or (wins < 0).any() or prior < 0:
        raise ParameterError("wins are a square table of counts from 0 on, and so is the prior a number from 0 on")
    np.fill_diagonal(wins, 0.0)
    items = len(wins)
    connected = items > 1 and int(components(wins).max()) == 0
    if not (connected or prior):
        nothing = np.full(items, np.nan)
        return BradleyTerry(nothing, nothing.copy(), connected, 0)
    games = wins + wins.T
    won = wins.sum(axis=1) + prior
    strength = np.zeros(items)
    rounds = 0
    for rounds in range(1, _MOST_ROUNDS + 1):  # noqa: B007  # how many there were is part of the result
        slope = won - (games * _chance(strength)).sum(axis=1) - 2 * prior * _logistic(strength)
        step = _covariance(games, strength, prior) @ slope
        # The likelihood is concave, so that a step which is short enough goes up.
        now = _likelihood(wins, prior, strength)
        while np.abs(step).max() >= _STEADY and _likelihood(wins, prior, strength + step) < now:
            step = step / 2
        if np.abs(step).max() < _STEADY:
            break
        strength = strength + step
    covariance = _covariance(games, strength, prior)
    centred = covariance - covariance.mean(axis=0)
    errors = np.sqrt(np.diag(centred - centred.mean(axis=1, keepdims=True)))
    return BradleyTerry(strength - strength.mean(), errors, connected, rounds)


def _logistic(strength: Floats) -> Floats:
    chance: Floats = 1 / (1 + np.exp(-strength))
    return chance


def _chance(strength: Floats) -> Floats:
    """Chances that each item is preferred to each other one."""
    return _logistic(strength[:, None] - strength)


def _likelihood(wins: Floats, prior: float, strength: Floats) -> float:
    apart = np.logaddexp(0.0, strength - strength[:, None])
    imagined = np.logaddexp(0.0, strength) + np.logaddexp(0.0, -strength)
    return -float((wins * apart).sum() + prior * imagined.sum())


def _covariance(games: Floats, strength: Floats, prior: float) -> Floats:
    """The inverse of the observed information; without a prior, where strengths have the mean 0."""
    chance = _chance(strength)
    weight = games * chance * (1 - chance)
    even = _logistic(strength)
    information = np.diag(weight.sum(axis=1) + 2 * prior * even * (1 - even)) - weight
    inverse = np.linalg.inv(information) if prior else np.linalg.pinv(information, hermitian=True)
    return inverse.astype(np.float64, copy=False)


def sign_tests(won: Ints, lost: Ints) -> Floats:
    """Two-sided exact p-values of wins against losses, at even chances; 1 where there are neither.

    >>> sign_tests(np.array([4, 5, 0]), np.array([0, 5, 0]))
    array([0.125, 1. , 1. ])
    """
    from scipy.special import bdtr  # noqa: PLC0415  # slow to load

    p: Floats = 2 * bdtr(np.minimum(won, lost).astype(np.float64), (won + lost).astype(np.int64), 0.5)
    return np.minimum(p, 1.0)


def one_sided_sign_tests(won: Ints, lost: Ints) -> Floats:
    """Chances of so few wins, or fewer, in even games: small where losses prevail.

    >>> one_sided_sign_tests(np.array([0, 4]), np.array([4, 0]))
    array([0.0625, 1. ])
    """
    from scipy.special import bdtr  # noqa: PLC0415  # slow to load

    p: Floats = bdtr(won.astype(np.float64), (won + lost).astype(np.int64), 0.5)
    return p
