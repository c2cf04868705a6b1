"""Click models: posteriors against enumeration, parameters recovered from simulation, likelihoods that never fall."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import assay
from assay.measures.counting.clicked_lists import ClickedLists
from assay.measures.counting.judgments import Floats
from assay.stats.click_models.blocks import blocks
from assay.stats.click_models.chains import Chain, ChainData, Continuation, posterior
from assay.stats.click_models.fitting import ClickModel, fit_clicks
from assay.stats.click_models.models import MODELS
from assay.tables.log import Log

CHAINS = {
    "CM": ("none", Continuation(1.0, np.zeros(9), 0.0)),
    "DCM": ("none", Continuation(1.0, np.array([0, 0.7, 0.5, 0.3, 0.2, 0.1, 0.1, 0.1, 0.1]), 0.0)),
    "SDBN": ("own", Continuation(1.0, np.ones(9), 0.0)),
    "DBN": ("own", Continuation(0.8, np.full(9, 0.8), 0.0)),
    "CCM": ("attractiveness", Continuation(0.9, np.full(9, 0.6), 0.3)),
}


def enumerated(alpha: Floats, sigma: Floats, going: Continuation, clicks: tuple[int, ...]) -> dict[str, Any]:
    """Go through all states: examined, attracted and satisfied at each rank; what is expected given the clicks."""
    size = len(clicks)
    total, found = 0.0, {name: np.zeros(size) for name in ("E", "A", "S", "on")}
    states = itertools.product([0, 1], repeat=3)
    for path in itertools.product(list(states), repeat=size):
        weight, reads = 1.0, 1
        for rank, (examined, attracted, satisfied) in enumerate(path):
            click = examined and attracted
            weight *= (examined == reads) if rank == 0 else 1.0
            weight *= alpha[rank] if attracted else 1 - alpha[rank]
            weight *= (sigma[rank] if satisfied else 1 - sigma[rank]) if click else float(not satisfied)
            weight *= float(bool(click) == bool(clicks[rank]))
            if rank + 1 < size:
                after = (going.satisfied if satisfied else going.click[rank + 1]) if click else going.skip
                chance = after if examined else 0.0
                weight *= chance if path[rank + 1][0] else 1 - chance
            if not weight:
                break
        if weight:
            total += weight
            for rank, (examined, attracted, satisfied) in enumerate(path):
                found["E"][rank] += weight * examined
                found["A"][rank] += weight * attracted
                found["S"][rank] += weight * satisfied
                found["on"][rank] += weight * (rank + 1 < size and path[rank + 1][0])
    return {"likelihood": total, **{name: values / max(total, 1e-300) for name, values in found.items()}}


@pytest.mark.parametrize("name", CHAINS)
def test_posteriors_equal_enumeration_over_all_latent_states(name: str) -> None:
    satisfaction, going = CHAINS[name]
    rng = np.random.default_rng(3)
    size = 3
    alpha = rng.uniform(0.1, 0.9, size)
    sigma = {"own": rng.uniform(0.1, 0.9, size), "attractiveness": alpha, "none": np.zeros(size)}[satisfaction]
    docs = [f"d{rank}" for rank in range(size)]
    chain = Chain(np.append(alpha, 0), np.append(sigma, 0), going)
    for clicks in itertools.product([0, 1], repeat=size):
        truth = enumerated(alpha, sigma, going, clicks)
        lists = ClickedLists.of([("q", docs, [doc for doc, click in zip(docs, clicks, strict=True) if click])])
        block = next(iter(blocks(lists)))
        with np.errstate(divide="ignore"):
            found = posterior(block, chain)
        assert np.prod(found.probability) == pytest.approx(truth["likelihood"], abs=1e-12)
        if not truth["likelihood"]:
            continue  # what cannot happen has no posterior
        clicked = np.array(clicks, dtype=bool)
        examined = np.where(clicked, 1.0, (1 - alpha) * found.slope[:, 0])
        attracted = np.where(clicked, 1.0, alpha * (1 - examined))
        satisfied, going_on = np.zeros(size), np.zeros(size)
        for rank, (sated, _, on, on_sated) in zip(range(size - 1, -1, -1), found.clicks, strict=True):
            if len(sated):
                satisfied[rank] = sated[0]
                going_on[rank] = (1 - sated[0]) * on[0] + sated[0] * on_sated[0]
        for key, values in (("E", examined), ("A", attracted), ("S", satisfied)):
            np.testing.assert_allclose(values, truth[key], atol=1e-12, rtol=0)
        inner = clicked[:-1]
        np.testing.assert_allclose(going_on[:-1][inner], truth["on"][:-1][inner], atol=1e-12, rtol=0)
        skips = float((truth["on"][:-1] * ~inner).sum())
        if going.skip < 1:
            assert found.skip[0] == pytest.approx(skips, abs=1e-12)
            assert found.skip[1] == pytest.approx(float((truth["E"][:-1] * ~inner).sum()), abs=1e-12)
