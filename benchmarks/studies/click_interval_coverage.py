"""Measure how often intervals of relevance by click models hold the truth, on clicks of known people.

Usage: python -m benchmarks.studies.click_interval_coverage [REPEATS]

People read from the top; they click on what attracts them, leave when satisfied, and read on otherwise (the dynamic
Bayesian network without stopping unsatisfied). `SDBN` counts as if nobody read on below the last click: its error is no
sampling error, and neither the likelihood ratio nor a bootstrap over pages covers it. So it has no intervals, and those
that its counts would have are shown here for comparison.
"""

import sys

import numpy as np
import polars as pl

from assay import ClickedLists, fit_clicks
from assay.stats.click_models.estimation import product_interval
from assay.stats.click_models.fitting import ClickModel

DOCUMENTS, RESAMPLES = 10, 200


def drawn_pages(attracts: np.ndarray, satisfies: np.ndarray, pages: int, rng: np.random.Generator) -> ClickedLists:
    """Pages of ten documents in any order, with clicks."""
    made = []
    for _ in range(pages):
        shown, clicked = rng.permutation(DOCUMENTS), []
        for doc in shown:
            if rng.random() < attracts[doc]:
                clicked.append(f"d{doc}")
                if rng.random() < satisfies[doc]:
                    break
        made.append(("q", [f"d{doc}" for doc in shown], clicked))
    return ClickedLists.of(made)


def likelihood_ends(fit: ClickModel, confidence: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
    """Ends by the likelihood ratio, also of a model that shows none."""
    parts = [fit.interval(name, confidence) for name in ("attractiveness", "satisfaction")]
    return product_interval(*parts)


def bootstrap_ends(lists: ClickedLists, name: str, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Ends by percentiles of fits to pages that were drawn anew."""
    values = []
    for _ in range(RESAMPLES):
        again = lists.taken(rng.integers(0, len(lists), len(lists)))
        values.append(fit_clicks(again, name, prior=(0, 0)).relevance().sort("doc_id")["relevance"].to_numpy())
    low, high = np.nanpercentile(np.array(values), [2.5, 97.5], axis=0)
    return low, high


def coverage(name: str, *, repeats: int, pages: int, bootstrap: bool = False, seed: int = 0) -> float:
    """The share of documents whose 95 % interval holds their true relevance."""
    rng, held = np.random.default_rng(seed), []
    for _ in range(repeats):
        attracts, satisfies = rng.uniform(0.1, 0.8, DOCUMENTS), rng.uniform(0.1, 0.9, DOCUMENTS)
        lists = drawn_pages(attracts, satisfies, pages, rng)
        fit = fit_clicks(lists, name, prior=(0, 0))
        low, high = bootstrap_ends(lists, name, rng) if bootstrap else likelihood_ends(fit)
        places = fit.pairs["doc_id"].str.slice(1).cast(pl.Int64).to_numpy()
        places = np.sort(places) if bootstrap else places
        truth = (attracts * satisfies)[places]
        held.append((low <= truth) & (truth <= high))
    return float(np.mean(held))


def main() -> None:
    """Print the table."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    print("| model | interval | pages | coverage of 95 % intervals |")
    print("| --- | --- | ---: | ---: |")
    for pages in (200, 800, 3_200):
        for name in ("SDBN", "SDBN-exact"):
            share = coverage(name, repeats=repeats, pages=pages)
            print(f"| {name} | likelihood ratio | {pages:,} | {share:.3f} |", flush=True)
        share = coverage("SDBN", repeats=repeats, pages=pages, bootstrap=True)
        print(f"| SDBN | bootstrap over pages | {pages:,} | {share:.3f} |", flush=True)


if __name__ == "__main__":
    main()
