"""How often intervals hold the true number, how wide they are, and how often tests raise a false alarm.

Usage: python -m benchmarks.studies.simulate_intervals [--trials 10000] [--resamples 1000] [--units 20 50]

Every case draws many samples of units from a population whose number is known. For each sample all intervals are made
at 95 %; the table says in how many of 100 samples the interval held the truth, and how wide it is at the median, as a
multiple of the t interval's. The second table draws differences whose true mean is 0, and says in how many of 100
samples each test calls them different at 5 %; the third, where the mean is not 0. The last is the first for fewer
than 5 units. All trials of a case share the weights of their resamples, block by block, so that a bootstrap of all of
them is one product of matrices.

The tables of docs/significance.md are what this prints by default, from fixed seeds; it takes some minutes.
"""

import argparse
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from assay.stats.tests import sign_test, wilcoxon

LEVEL, ALPHA = 0.95, 0.05
#: Trials whose resamples are made at a time.
BLOCK = 250
#: What is this near is the same but for rounding.
NEARLY = 1e-12
INTERVALS = ("t", "percentile", "bca", "studentised", "skew-corrected t", "t and studentised", "hull")
#: Those of fewer than 5 units; the hull is then none of a bootstrap, but t.
OF_FEW = ("t", "percentile", "bca")
FEW = 5
TESTS = ("permutation", "t", "bootstrap", "wilcoxon", "sign", "permutation and interval")

#: Columns of counts (last axis) of units (second axis) in each trial (first axis); sums of columns -> a number.
Draw = Callable[[np.random.Generator, tuple[int, int]], Any]
Formula = Callable[[Any, Any], Any]


class Case(NamedTuple):
    """A population: how samples of it are drawn, what is made of them, and its true number.

    `rare`: the share of units without which a sample does not tell the number at all.
    """

    name: str
    draw: Draw
    truth: float
    formula: str = "mean"
    rare: float = 0.0


def reciprocal_ranks(rng: np.random.Generator, shape: tuple[int, ...], first: float) -> Any:
    """RR@10 where each rank holds the first relevant document with this chance, if no earlier one does."""
    rank = rng.geometric(first, shape)
    return np.where(rank <= 10, 1 / rank, 0.0)


def mean_reciprocal_rank(first: float) -> float:
    """What these are in the mean."""
    rank = np.arange(1, 11)
    return float(np.sum(first * (1 - first) ** (rank - 1) / rank))


def _rr_change(rng: np.random.Generator, shape: tuple[int, int], old: float, new: float) -> Any:
    """Differences in RR of a change that leaves half of the queries as they were."""
    before, after = reciprocal_ranks(rng, shape, old), reciprocal_ranks(rng, shape, new)
    return np.where(rng.random(shape) < 0.5, after - before, 0.0)


def _precisions(rng: np.random.Generator, shape: tuple[int, int], gain: float) -> Any:
    """P@5 before and after a change that makes this share of the documents that were not relevant so."""
    share = rng.beta(1, 1.5, shape)
    return rng.binomial(5, share) / 5, rng.binomial(5, share + gain * (1 - share)) / 5


def _p5_change(rng: np.random.Generator, shape: tuple[int, int], gain: float) -> Any:
    before, after = _precisions(rng, shape, gain)
    return after - before


def _sparse(rng: np.random.Generator, shape: tuple[int, int], values: Any) -> Any:
    """Half of the values, zeros for the rest."""
    return np.where(rng.random(shape) < 0.5, values, 0.0)


def _rare_loss(rng: np.random.Generator, shape: tuple[int, int], share: float) -> Any:
    """Small gains, and so large a loss for this share of units that the mean is 0."""
    gain = 0.05
    loss = gain * (1 - share) / share
    return np.where(rng.random(shape) < share, rng.normal(-loss, 0.1, shape), rng.normal(gain, 0.02, shape))


def _found(rng: np.random.Generator, retrieved: Any, share: float) -> Any:
    """How many of the retrieved are relevant, in units that differ in hardness."""
    return rng.binomial(retrieved, rng.beta(4 * share, 4 * (1 - share), retrieved.shape))


def _micro_precision(rng: np.random.Generator, shape: tuple[int, int], *shares: float) -> Any:
    """Relevant and retrieved documents of each system."""
    columns = []
    for share in shares:
        retrieved = 1 + rng.poisson(4, shape)
        columns += [_found(rng, retrieved, share), retrieved]
    return np.stack(columns, axis=-1)


def _micro_recall(rng: np.random.Generator, shape: tuple[int, int]) -> Any:
    """Found and relevant documents; few queries have most of the relevant ones."""
    relevant = 1 + rng.geometric(0.1, shape)
    return np.stack([_found(rng, relevant, 0.25), relevant], axis=-1)


def _micro_f(rng: np.random.Generator, shape: tuple[int, int]) -> Any:
    """Twice the hits, and retrieved and relevant together, of two systems, of which the second finds more."""
    relevant = 1 + rng.geometric(0.1, shape)
    share, columns = rng.beta(2, 2, shape), []
    for gain in (0.0, 0.1):
        hits = rng.binomial(relevant, share + gain * (1 - share))
        columns += [2 * hits, hits + rng.poisson(0.5 * relevant) + relevant]
    return np.stack(columns, axis=-1)


def _item_f(rng: np.random.Generator, shape: tuple[int, int], *rates: float) -> Any:
    """The same of classifiers that are right about an item, half of which are positive, at these rates."""
    positive, columns = rng.random(shape) < 0.5, []
    for rate in rates:
        predicted = np.where(rng.random(shape) < rate, positive, ~positive)
        columns += [2 * (positive & predicted), positive.astype(int) + predicted]
    return np.stack(columns, axis=-1)


def _f_of(hits: float, retrieved: float, relevant: float) -> float:
    return 2 * hits / (retrieved + relevant)


CASES = (
    Case("normal differences", lambda rng, shape: rng.normal(0.05, 0.2, shape), 0.05),
    Case("half zeros, else normal", lambda rng, shape: _sparse(rng, shape, rng.normal(0.05, 0.2, shape)), 0.025),
    Case("exponential", lambda rng, shape: rng.exponential(0.1, shape), 0.1),
    Case("half zeros, else exponential", lambda rng, shape: _sparse(rng, shape, rng.exponential(0.2, shape)), 0.1),
    Case(
        "RR, differences",
        lambda rng, shape: _rr_change(rng, shape, 0.3, 0.5),
        (mean_reciprocal_rank(0.5) - mean_reciprocal_rank(0.3)) / 2,
    ),
    Case(
        "RR, differences, most at rank 1",
        lambda rng, shape: _rr_change(rng, shape, 0.5, 0.6),
        (mean_reciprocal_rank(0.6) - mean_reciprocal_rank(0.5)) / 2,
    ),
    Case("RR, one system", lambda rng, shape: reciprocal_ranks(rng, shape, 0.5), mean_reciprocal_rank(0.5)),
    Case("P@1, differences", lambda rng, shape: rng.choice([-1.0, 0.0, 1.0], shape, p=[0.1, 0.7, 0.2]), 0.1),
    Case("P@5, differences", lambda rng, shape: _p5_change(rng, shape, 0.1), 0.06),
    Case("P@5, one system", lambda rng, shape: _precisions(rng, shape, 0.0)[0], 0.4),
    Case("AP-like, one system", lambda rng, shape: rng.beta(0.6, 1.8, shape), 0.25),
    Case("micro precision, one system", lambda rng, shape: _micro_precision(rng, shape, 0.3), 0.3, "ratio"),
    Case("micro precision, differences", lambda rng, shape: _micro_precision(rng, shape, 0.3, 0.4), 0.1, "ratios"),
    Case("micro recall, few large queries", _micro_recall, 0.25, "ratio"),
    Case(
        "micro F, differences, few large queries",
        _micro_f,
        _f_of(0.55, 0.55 + 0.5, 1) - _f_of(0.5, 0.5 + 0.5, 1),
        "ratios",
    ),
    Case("F1 of one classifier", lambda rng, shape: _item_f(rng, shape, 0.7), _f_of(0.35, 0.5, 0.5), "ratio"),
    Case("F1 of classifiers, differences", lambda rng, shape: _item_f(rng, shape, 0.7, 0.8), 0.1, "ratios"),
    Case("rare large losses (10 %)", lambda rng, shape: _rare_loss(rng, shape, 0.1), 0.0, rare=0.1),
    Case("rare large losses (5 %)", lambda rng, shape: _rare_loss(rng, shape, 0.05), 0.0, rare=0.05),
)
#: Differences whose true mean is 0.
NULLS = (
    Case("normal", lambda rng, shape: rng.normal(0, 0.2, shape), 0.0),
    Case("half zeros, else normal", lambda rng, shape: _sparse(rng, shape, rng.normal(0, 0.2, shape)), 0.0),
    Case("RR, half unchanged", lambda rng, shape: _rr_change(rng, shape, 0.5, 0.5), 0.0),
    Case("P@5", lambda rng, shape: _p5_change(rng, shape, 0.0), 0.0),
    Case("exponential, less its mean", lambda rng, shape: rng.exponential(0.1, shape) - 0.1, 0.0),
    Case(
        "half zeros, else exponential, less the mean",
        lambda rng, shape: _sparse(rng, shape, rng.exponential(0.2, shape)) - 0.1,
        0.0,
    ),
    *CASES[-2:],
)


#: Differences whose true mean is another.
REAL = (
    Case("normal, 0.1 better", lambda rng, shape: rng.normal(0.1, 0.2, shape), 0.1),
    Case(
        "half zeros, else normal, 0.1 better", lambda rng, shape: _sparse(rng, shape, rng.normal(0.2, 0.2, shape)), 0.1
    ),
    Case("RR, half unchanged", *CASES[4][1:]),
    Case("P@5, 0.06 better", *CASES[8][1:]),
    Case("exponential, 0.05 above 0", lambda rng, shape: rng.exponential(0.1, shape) - 0.05, 0.05),
)


def _ratio(sums: Any, _: Any) -> Any:
    return sums[..., 0] / sums[..., 1]


def _ratios(sums: Any, _: Any) -> Any:
    return sums[..., 2] / sums[..., 3] - sums[..., 0] / sums[..., 1]


#: What is made of the sums of columns, and of how many units they are.
FORMULAS: dict[str, Formula] = {"mean": lambda sums, units: sums[..., 0] / units, "ratio": _ratio, "ratios": _ratios}


def slopes(formula: str, sums: Any, units: int) -> list[Any]:
    """How much a number moves with each of the sums."""
    if formula == "mean":
        return [np.full(sums.shape[:-1], 1 / units)]
    pairs = [(sums[..., at], sums[..., at + 1]) for at in range(0, sums.shape[-1], 2)]
    signs = [1] if len(pairs) == 1 else [-1, 1]
    return [
        slope
        for sign, (top, bottom) in zip(signs, pairs, strict=True)
        for slope in (sign / bottom, -sign * top / bottom**2)
    ]


class Block(NamedTuple):
    """Trials of a case: their numbers, those without each unit, and those of each resample (rows)."""

    values: Any
    weights: Any
    formula: str

    @property
    def units(self) -> int:
        """How many units a trial has."""
        return int(self.values.shape[1])

    @property
    def observed(self) -> Any:
        """Each trial's number."""
        return FORMULAS[self.formula](self.values.sum(axis=1), self.units)

    @property
    def influence(self) -> Any:
        """How far each unit moves its trial's number: for means, its distance from the mean."""
        rest = self.values.sum(axis=1, keepdims=True) - self.values
        without = FORMULAS[self.formula](rest, self.units - 1)
        return (self.units - 1) * (without.mean(axis=1, keepdims=True) - without)

    def summed(self, columns: Any) -> Any:
        """The sums of a column of numbers in each resample (row) of each trial."""
        return self.weights @ columns.T


def intervals(block: Block, level: float = LEVEL) -> dict[str, tuple[Any, Any]]:
    """The ends of every interval, of each trial."""
    units, observed, influence = block.units, block.observed, block.influence
    squares, cubes = (influence**2).sum(axis=1), (influence**3).sum(axis=1)
    error = np.sqrt(squares / units / (units - 1))
    t = special.stdtrit(units - 1, (1 + level) / 2)
    spread = np.where(squares > 0, squares, 1.0)
    ends = {"t": (observed - t * error, observed + t * error)}
    sums = np.stack([block.summed(column) for column in np.moveaxis(block.values, -1, 0)], axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        resampled = FORMULAS[block.formula](sums, units)
    # Of 10,000 resamples of 20 items, one may hold no positive at all; it tells nothing of either end.
    resampled = np.where(np.isnan(resampled), observed, resampled)
    ordered = _in_order(resampled)
    # Moved out as t is from normal, as the product does.
    reach = np.sqrt(units / (units - 1)) * t
    tails = np.repeat(special.ndtr([[-reach], [reach]]), len(observed), axis=1)
    ends["percentile"] = _quantiles(ordered, tails)
    below, not_above = (np.sum(ordered < observed - NEARLY, axis=0), np.sum(ordered <= observed + NEARLY, axis=0))
    share = (below + not_above) / 2 / len(ordered)
    known = (share > 0) & (share < 1)
    bias = special.ndtri(np.where(known, share, 0.5))
    acceleration = cubes / (6 * spread**1.5)
    z = bias + np.array([[-reach], [reach]])
    ends["bca"] = _quantiles(ordered, np.where(known, special.ndtr(bias + z / (1 - acceleration * z)), tails))
    low, high = _quantiles(_in_order(_studentised(block, sums, resampled, observed)), _plain(tails, level))
    ends["studentised"] = observed - high * error, observed - low * error
    skewness = np.sqrt(units) * cubes / spread**1.5
    ends["skew-corrected t"] = tuple(observed - error * _hall(skewness, units, end) for end in (t, -t))
    ends["t and studentised"] = _hull(ends["t"], ends["studentised"])
    ends["hull"] = _hull(ends["t"], ends["bca"])
    return ends


def _in_order(resampled: Any) -> Any:
    """The numbers of each trial (column) in order; sorted where they lie side by side, which is faster."""
    return np.sort(np.ascontiguousarray(resampled.T), axis=1).T


def _plain(tails: Any, level: float) -> Any:
    return np.where(tails < 0.5, (1 - level) / 2, (1 + level) / 2)


def _hull(first: tuple[Any, Any], second: tuple[Any, Any]) -> tuple[Any, Any]:
    return np.minimum(first[0], second[0]), np.maximum(first[1], second[1])


def _hall(skewness: Any, units: int, t: float) -> Any:
    """Hall's (1992) cubic transformation of t, turned round: what t would be without the skewness."""
    share = np.where(np.abs(skewness) < 1e-9, 1e-9, skewness) / np.sqrt(units)
    return 3 / share * (np.cbrt(1 + share * (t - share / 6)) - 1)


def _studentised(block: Block, sums: Any, resampled: Any, observed: Any) -> Any:
    """How many of its own standard errors each resample's number is off."""
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = [np.nan_to_num(one, posinf=0.0, neginf=0.0) for one in slopes(block.formula, sums, block.units)]
    square = np.zeros_like(resampled)
    columns = np.moveaxis(block.values, -1, 0)
    centre = [column.mean(axis=1, keepdims=True) for column in columns]
    off = [column - middle for column, middle in zip(columns, centre, strict=True)]
    for one, (slope_of_one, one_off) in enumerate(zip(slope, off, strict=True)):
        for slope_of_other, other_off in zip(slope[: one + 1], off[: one + 1], strict=True):
            both = block.summed(one_off * other_off) - block.summed(one_off) * block.summed(other_off) / block.units
            square += (1 if slope_of_other is slope_of_one else 2) * slope_of_one * slope_of_other * both
    error = np.sqrt(np.maximum(square, 0) * block.units / (block.units - 1))
    apart = resampled - observed
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(error > NEARLY, apart / error, np.where(np.abs(apart) < NEARLY, 0.0, np.sign(apart) * 1e6))


def _quantiles(ordered: Any, tails: Any) -> tuple[Any, Any]:
    """Quantiles at the levels `tails` (rows: low and high) of each column, in proportion between two numbers."""
    place = tails * (len(ordered) - 1)
    under = np.floor(place).astype(int)
    over, column = np.minimum(under + 1, len(ordered) - 1), np.arange(ordered.shape[1])
    low, high = ordered[under, column] + (place - under) * (ordered[over, column] - ordered[under, column])
    return low, high


def alarms(block: Block, signs: Any) -> dict[str, Any]:
    """Whether each test calls the differences of each trial other than 0."""
    differences = block.values[..., 0]
    units, totals = block.units, np.abs(differences.sum(axis=1))
    swapped = np.abs(signs @ differences.T)
    permutation = (np.sum(swapped >= totals - NEARLY, axis=0) + 1) / (len(signs) + 1)
    error = differences.std(axis=1, ddof=1) / np.sqrt(units)
    t = totals / units / np.where(error > 0, error, np.inf)
    moved = differences - differences.mean(axis=1, keepdims=True)
    means = block.summed(moved) / units
    errors = np.sqrt(np.maximum(block.summed(moved**2) / units - means**2, 0) / (units - 1))
    bootstrap = (np.sum(np.abs(means) * (1 + 1e-9) >= t * errors, axis=0) + 1) / (len(means) + 1)
    low, high = intervals(block)["hull"]
    return {
        "permutation": permutation <= ALPHA,
        "t": 2 * special.stdtr(units - 1, -t) <= ALPHA,
        "bootstrap": bootstrap <= ALPHA,
        "wilcoxon": np.array([wilcoxon(trial).p <= ALPHA for trial in differences]),
        "sign": np.array([sign_test(trial).p <= ALPHA for trial in differences]),
        "permutation and interval": (permutation <= ALPHA) & ((low > 0) | (high < 0)),
    }


def blocks(case: Case, units: int, trials: int, resamples: int) -> Iterator[Block]:
    """The trials of a case, in blocks that share their resamples; from a seed that depends on the case alone."""
    rng = np.random.default_rng([units, *case.name.encode()])
    for start in range(0, trials, BLOCK):
        values = np.asarray(case.draw(rng, (min(BLOCK, trials - start), units)), dtype=float)
        weights = rng.multinomial(units, np.full(units, 1 / units), size=resamples).astype(float)
        yield Block(values[..., None] if values.ndim == 2 else values, weights, case.formula)


class Kept(NamedTuple):
    """What an interval did over all trials: the share that held the truth, and the median width."""

    coverage: float
    width: float


def covered(case: Case, units: int, trials: int, resamples: int) -> dict[str, Kept]:
    """What each interval did. Of fewer than 5 units, trials whose units are all alike do not count: they have none."""
    ways = INTERVALS if units >= FEW else OF_FEW
    held: dict[str, list[Any]] = {name: [] for name in ways}
    wide: dict[str, list[Any]] = {name: [] for name in ways}
    for block in blocks(case, units, trials, resamples):
        ends = intervals(block)
        counts = (ends["t"][1] - ends["t"][0] > NEARLY) | (units >= FEW)
        for name in ways:
            low, high = ends[name]
            held[name].append(((low <= case.truth + NEARLY) & (case.truth - NEARLY <= high))[counts])
            wide[name].append((high - low)[counts])
    t = float(np.median(np.concatenate(wide["t"])))
    return {
        name: Kept(float(np.mean(np.concatenate(held[name]))), float(np.median(np.concatenate(wide[name]))) / t)
        for name in ways
    }


def rejected(case: Case, units: int, trials: int, resamples: int) -> dict[str, float]:
    """The share of trials that each test calls different."""
    raised: dict[str, list[Any]] = {name: [] for name in TESTS}
    rng = np.random.default_rng(units)
    for block in blocks(case, units, trials, resamples):
        for name, alarm in alarms(block, rng.choice([-1.0, 1.0], (resamples - 1, units))).items():
            raised[name].append(alarm)
    return {name: float(np.mean(np.concatenate(alarm))) for name, alarm in raised.items()}


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def coverage_table(cases: tuple[Case, ...], units: list[int], trials: int, resamples: int) -> Iterator[str]:
    """Coverage and width of every interval."""
    ways = INTERVALS if min(units) >= FEW else OF_FEW
    yield _row("case", "units", *ways, "")
    yield _row(*["---"] * 2, *["---:"] * len(ways), "---")
    for number in units:
        reachable: list[dict[str, Kept]] = []
        for case in cases:
            kept = covered(case, number, trials, resamples)
            unseen = (1 - case.rare) ** number if case.rare else 0.0
            note = f"{unseen:.0%} of samples hold no loss{': out of reach' if unseen > ALPHA else ''}" if unseen else ""
            if not case.rare:
                reachable.append(kept)
            cells = [f"{100 * one.coverage:.1f} ({one.width:.2f})" for one in kept.values()]
            yield _row(case.name, str(number), *cells, note)
        least, mean = (
            [f"{100 * summary([kept[way].coverage for kept in reachable]):.1f}" for way in ways]
            for summary in (min, np.mean)
        )
        yield _row("*least, without rare losses*", str(number), *least, "")
        yield _row("*mean, without rare losses*", str(number), *mean, "")


def alarm_table(cases: tuple[Case, ...], units: list[int], trials: int, resamples: int) -> Iterator[str]:
    """How often every test calls differences other than 0."""
    yield _row("differences", "units", *TESTS)
    yield _row(*["---"] * 2, *["---:"] * len(TESTS))
    for number in units:
        for case in cases:
            shares = rejected(case, number, trials, resamples)
            yield _row(case.name, str(number), *(f"{100 * share:.1f}" for share in shares.values()))


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=10_000)
    parser.add_argument("--resamples", type=int, default=1_000)
    parser.add_argument("--units", type=int, nargs="+", default=[20, 50])
    asked = parser.parse_args()
    size = asked.trials, asked.resamples
    for title, lines in (
        (
            "Coverage of 95 % intervals (and their median width over that of t)",
            coverage_table(CASES, asked.units, *size),
        ),
        ("False alarms at 5 %: the true mean is 0", alarm_table(NULLS, asked.units, *size)),
        ("Differences found at 5 %: the true mean is not 0", alarm_table(REAL, asked.units, *size)),
        ("Coverage with fewer than 5 units", coverage_table(CASES[:4], [3, 4], *size)),
    ):
        print(f"{title}\n")
        for line in lines:
            print(line, flush=True)
        print()


if __name__ == "__main__":
    main()
