"""Make an A/B test of an invented shop's search: who saw the old ranking, who the new one, and what they did.

Usage: python scripts/make_abtest.py [OUTPUT_FOLDER]

Users differ: most search little, some a lot, and who did before does so again. The new ranking is clicked more often
per search, and sells a little more; pages take a little longer. Everything is deterministic: the same script gives the
same bytes. File: ``users.csv``, one row per user, with what they did in the two weeks before the test and during it.
"""

import argparse
import math
import random
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "src" / "assay" / "data"
SEED, USERS = 7, 2400
#: The chances of a click per search and of a purchase per click, and what the new ranking adds to them.
CLICKED, BOUGHT = 0.42, 0.035
GAIN_CLICKED, GAIN_BOUGHT = 0.055, 0.004
DEVICES = ("desktop", "phone", "phone", "tablet")


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?", type=Path, default=DATA / "abtest")
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(SEED)
    lines = ["user_id,variant,device,searches_before,clicks_before,searches,clicks,converted,revenue,latency_ms"]
    lines += [user(number, rng) for number in range(1, USERS + 1)]
    (folder / "users.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def user(number: int, rng: random.Random) -> str:
    """A line of the file."""
    treated = rng.random() < 0.5
    eagerness, taste = rng.lognormvariate(1.3, 0.8), rng.gauss(0, 0.12)
    before, during = (1 + poisson(eagerness, rng) for _ in range(2))
    rate = min(max(CLICKED + taste, 0.02), 0.95)
    clicks_before = sum(rng.random() < rate for _ in range(before))
    clicks = sum(rng.random() < min(rate + treated * GAIN_CLICKED, 0.98) for _ in range(during))
    orders = sum(rng.random() < BOUGHT + treated * GAIN_BOUGHT for _ in range(clicks))
    revenue = sum(rng.lognormvariate(3.6, 0.7) for _ in range(orders))
    latency = rng.lognormvariate(math.log(180 + 6 * treated), 0.25)
    name, variant = f"u{number:04}", "new ranking" if treated else "control"
    numbers = f"{before},{clicks_before},{during},{clicks},{int(orders > 0)},{revenue:.2f},{latency:.0f}"
    return f"{name},{variant},{rng.choice(DEVICES)},{numbers}"


def poisson(mean: float, rng: random.Random) -> int:
    """A number that is so large on average."""
    limit, product, count = math.exp(-mean), rng.random(), 0
    while product > limit:
        product *= rng.random()
        count += 1
    return count


if __name__ == "__main__":
    main()
