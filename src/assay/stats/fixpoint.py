"""Expectation-maximisation to its fixpoint: by plain passes first, then in longer steps where these go the same way."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from assay.measures.counting.judgments import Floats

#: Logarithms of probabilities, which add up to 1 along the last axis of each array.
Parameters: TypeAlias = tuple[Floats, ...]
#: What is maximised and the posterior under some parameters.
Expect: TypeAlias = Callable[[Parameters], tuple[float, Floats]]
#: The best parameters under a posterior, which was expected under those given.
Maximise: TypeAlias = Callable[[Parameters, Floats], Parameters]

#: So many passes are plain, so that the basin is the one that the votes lie in.
_PLAIN = 20
#: The longest step at first, in plain ones; by this it grows where it was taken and went well.
_GROWTH = 4.0


class Fixpoint(NamedTuple):
    """The end of the passes.

    `trace`: what was maximised, pass by pass. `change`: the largest change of a probability in the last plain pass.
    """

    posterior: Floats
    parameters: Parameters
    trace: tuple[float, ...]
    change: float
    converged: bool


def fixpoint(
    expect: Expect, maximise: Maximise, parameters: Parameters, *, iterations: int, tolerance: float
) -> Fixpoint:
    """Pass until no probability changes by more than the tolerance, or the passes are over.

    Passes are slow where judges say little, so every two of them are followed by a step along their course, of the
    length that squared iterative methods choose (Varadhan and Roland 2008); it counts only if what is maximised grows.
    """
    total, posterior = expect(parameters)
    trace = [total]
    change = np.inf
    farthest = _GROWTH
    while len(trace) < iterations:
        after = maximise(parameters, posterior)
        total, moved = expect(after)
        trace.append(total)
        change, posterior, before, parameters = _largest(moved - posterior), moved, parameters, after
        if change <= tolerance:
            return Fixpoint(posterior, parameters, tuple(trace), change, converged=True)
        if len(trace) < _PLAIN or len(trace) == iterations:
            continue
        ahead, reach = _ahead(before, after, maximise(parameters, posterior), farthest)
        total, moved = expect(ahead)
        if total >= trace[-1]:
            parameters, posterior = ahead, moved
            farthest *= _GROWTH if reach == farthest else 1.0
        else:
            farthest = max(reach / 2, _GROWTH)
        trace.append(max(total, trace[-1]))
    return Fixpoint(posterior, parameters, tuple(trace), change, converged=False)


def _ahead(first: Parameters, second: Parameters, third: Parameters, farthest: float) -> tuple[Parameters, float]:
    """Parameters further on, where the two steps lead in the end if each is as much shorter; and how far, in steps."""
    steps = [(b - a, (c - b) - (b - a)) for a, b, c in zip(first, second, third, strict=True)]
    length = np.sqrt(sum(float((step**2).sum()) for step, _ in steps))
    bend = np.sqrt(sum(float((turn**2).sum()) for _, turn in steps))
    reach = min(max(length / bend, 1.0), farthest) if bend > 0 else 1.0
    moved = (a + 2 * reach * step + reach**2 * turn for a, (step, turn) in zip(first, steps, strict=True))
    return tuple(map(_as_shares, moved)), float(reach)


def _as_shares(logs: Floats) -> Floats:
    logs = logs - logs.max(axis=-1, keepdims=True)
    shares: Floats = logs - np.log(np.exp(logs).sum(axis=-1, keepdims=True))
    return shares


def _largest(change: Floats) -> float:
    return float(np.abs(change).max(initial=0.0))
