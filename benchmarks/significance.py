"""How fast permutation tests and their like are: `python -m benchmarks.significance`.

SciPy's `permutation_test` does the same work for one pair of systems, and is timed side by side with ours; p-values are
compared as well. The table of scores is that of the TREC-8 ad hoc track (129 systems, 50 topics) where it lies beside
the checkout, and a random one of that shape elsewhere.
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np
from scipy import stats as scipy_stats

from assay.measures.counting.judgments import Floats
from assay.stats.mean_samples import MeanSample
from assay.stats.permutation import permutation_of_pairs, permutation_test
from assay.stats.samples import Drawing
from assay.stats.tests import bootstrap_test, randomised_tukey

HERE = Path(__file__).parent
TREC_8 = HERE.parents[1] / "shared" / "data" / "system-topic-scores" / "adhoc8_ap.named.csv"
REPEATS = 5
ONE_PAIR, ALL_PAIRS = 100_000, 10_000
#: What is promised: so many times as fast as SciPy, for one pair and for each of all pairs.
TARGETS = (10, 100)
UNITS, SYSTEMS = (50, 500, 5_000), (32, 64, 128)
COMPARED = 20


def scores() -> tuple[Floats, str]:
    """A table of scores, topics x systems, and where it comes from."""
    if TREC_8.exists():
        return np.genfromtxt(TREC_8, delimiter=",", skip_header=1), "AP of the TREC-8 ad hoc track"
    return generated(50, 129), "random scores"


def generated(units: int, systems: int) -> Floats:
    """Random scores whose units and systems differ."""
    rng = np.random.default_rng(0)
    hardness, strength = rng.beta(1, 2, (units, 1)), rng.uniform(0.5, 1, (1, systems))
    return np.asarray(rng.beta(2, 2, (units, systems)) * hardness * strength)


def by_scipy(differences: Floats, resamples: int) -> float:
    """The p-value, as SciPy gives it."""
    found = scipy_stats.permutation_test(
        (differences,), lambda drawn, axis: np.mean(drawn, axis=axis), permutation_type="samples", vectorized=True,
        batch=1000, n_resamples=resamples, rng=np.random.default_rng(0),
    )  # fmt: skip
    return float(found.pvalue)


def seconds(work: Callable[[], object]) -> float:
    """How long the work takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def side_by_side(ours: Callable[[], object], theirs: Callable[[], object], repeats: int) -> tuple[float, float]:
    """The median times of both, taken in turn so that a busy machine slows both."""
    times = [(seconds(ours), seconds(theirs)) for _ in range(repeats)]
    return median(one for one, _ in times), median(other for _, other in times)


def farthest(values: Floats, p: Floats) -> tuple[float, float]:
    """How far our p-values of some pairs are from SciPy's, at most, and in standard errors of such p-values."""
    first, second = np.triu_indices(values.shape[1], 1)
    some = np.linspace(0, len(first) - 1, COMPARED).astype(int)
    theirs = np.array([by_scipy(values[:, second[at]] - values[:, first[at]], ALL_PAIRS) for at in some])
    # Ours is the share of both tails; SciPy's is twice the share of one, which varies more.
    variances = theirs * (1 - theirs) + 4 * (theirs / 2) * (1 - theirs / 2)
    errors = np.sqrt(np.maximum(variances, 1 / ALL_PAIRS) / ALL_PAIRS)
    apart = np.abs(p[some] - theirs)
    return float(apart.max()), float((apart / errors).max())


def against_scipy(repeats: int) -> list[str]:
    """The two ratios as a table."""
    values, source = scores()
    first, second = np.triu_indices(values.shape[1], 1)
    differences = values[:, 10] - values[:, 5]
    ours, theirs = side_by_side(
        lambda: permutation_test(differences, resamples=ONE_PAIR), lambda: by_scipy(differences, ONE_PAIR), repeats
    )
    together, once = side_by_side(
        lambda: permutation_of_pairs(values, first, second, resamples=ALL_PAIRS),
        lambda: by_scipy(differences, ALL_PAIRS),
        repeats,
    )
    p, expected = permutation_test(differences, resamples=ONE_PAIR).p, by_scipy(differences, ONE_PAIR)
    largest, in_errors = farthest(values, permutation_of_pairs(values, first, second, resamples=ALL_PAIRS))
    each = together / len(first)
    return [
        f"{source}, {values.shape[1]} systems, {len(values)} topics; medians of {repeats}, side by side.",
        "",
        "| work | resamples | SciPy, ms a pair | Assay, ms a pair | times as fast | promised |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
        f"| one pair | {ONE_PAIR:,} | {theirs * 1e3:.0f} | {ours * 1e3:.2f} | {theirs / ours:.0f} | {TARGETS[0]} |",
        f"| all {len(first):,} pairs | {ALL_PAIRS:,} | {once * 1e3:.1f} | {each * 1e3:.4f} | {once / each:,.0f} "
        f"| {TARGETS[1]} |",
        "",
        f"All pairs together take {together:.2f} s. The p-value of the one pair is {p:.4f} here and {expected:.4f} by",
        f"SciPy; of {COMPARED} of all pairs, p-values are at most {largest:.4f} apart, and at most {in_errors:.1f}",
        "standard errors of such a difference.",
    ]


def works(values: Floats) -> list[Callable[[], object]]:
    """What is timed for one size, in the order of the columns."""
    differences, (first, second) = values[:, 1] - values[:, 0], np.triu_indices(values.shape[1], 1)
    return [
        lambda: permutation_test(differences),
        lambda: bootstrap_test(differences),
        lambda: permutation_of_pairs(values, first, second),
        lambda: MeanSample(values).resampled(Drawing(10_000, 0)),
        lambda: randomised_tukey(values, resamples=1_000),
    ]


def growth(repeats: int) -> list[str]:
    """How the cost grows with units and with systems."""
    lines = [
        "Seconds by size. One pair: a permutation test of 100,000 resamples, a studentised bootstrap of 10,000. All",
        "systems: 10,000 resamples, 1,000 for the randomised Tukey test.",
        "",
        "| units | systems | permutation | bootstrap | all pairs | bootstrap of all | randomised Tukey |",
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    sizes = [(units, SYSTEMS[0]) for units in UNITS] + [(UNITS[0], systems) for systems in SYSTEMS[1:]]
    for units, systems in sizes:
        took = [median(seconds(work) for _ in range(repeats)) for work in works(generated(units, systems))]
        lines.append(f"| {units:,} | {systems} | " + " | ".join(f"{each:.3f}" for each in took) + " |")
    return lines


def main() -> None:
    """Print the tables; `--write` also puts them into SIGNIFICANCE.md."""
    about = (__doc__ or "").split("\n")[0]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.significance", description=about)
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument("--write", action="store_true", help="write SIGNIFICANCE.md")
    options = parser.parse_args()
    text = "\n".join(["# Statistics", "", *against_scipy(options.repeats), "", *growth(max(1, options.repeats // 2))])
    print(text)
    if options.write:
        command = "Made by `python -m benchmarks.significance --write`.\n"
        (HERE / "SIGNIFICANCE.md").write_text(f"{text}\n\n{command}", encoding="utf-8")


if __name__ == "__main__":
    main()
