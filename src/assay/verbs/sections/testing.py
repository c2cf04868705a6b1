"""How differences were tested, and their intervals made, in the words of a methods section."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.core.digits import as_level
from assay.core.errors import joined, number_of
from assay.core.words import CORRECTIONS, INTERVALS, TESTS
from assay.stats.confidence import SUBSAMPLING
from assay.stats.tests import SIMULTANEOUS

if TYPE_CHECKING:
    from assay.verbs.comparison.findings import Finding
    from assay.verbs.comparison.result import Comparison

#: From more different notes than this on, tests do not say how each was done.
_MOST_NOTES = 2


def method(comparison: Comparison) -> str:
    """How it was made, in a sentence for a paper."""
    test = _tests(comparison)
    margins = sorted({finding.margin.value for finding in comparison.findings if not math.isnan(finding.margin.value)})
    least, most = (margins[0], margins[-1]) if margins else (math.nan, math.nan)
    extent = f"{least:.2g} to {most:.2g}" if least < most else f"{least:g}"
    margin = f"{extent} ({' or '.join(dict.fromkeys(finding.margin.says for finding in comparison.findings))})"
    return (
        f"{test[0].upper()}{test[1:]}, {family(comparison)}; {intervals_in_words(comparison)}; margin {margin}; "
        f"alpha {comparison.settings.alpha:g}; seed {comparison.settings.seed}."
    )


def _tests(comparison: Comparison) -> str:
    """The test; of several, which measures each is for."""
    by_test: dict[str, list[Finding]] = {}
    for finding in comparison.findings:
        by_test.setdefault(finding.outcome.test, []).append(finding)
    names = []
    for test, findings in by_test.items():
        differ = [finding for finding in findings if not finding.all_zero]
        tested = [finding for finding in differ if not math.isnan(finding.outcome.p)] or differ
        notes = dict.fromkeys(finding.outcome.note for finding in tested if finding.outcome.note)
        how = f" ({'; '.join(notes)})" if 0 < len(notes) <= _MOST_NOTES else ""
        measures = list(dict.fromkeys(finding.measure for finding in findings))
        names.append(f"{TESTS[test]}{f' for {joined(measures)}' if len(by_test) > 1 else ''}{how}")
    return ", ".join(names)


def intervals_in_words(comparison: Comparison) -> str:
    """How intervals were made: those that take resamples first, then the others."""
    level = as_level(1 - comparison.settings.alpha)
    drawn: dict[str, None] = {}
    plain: dict[str, None] = {}
    for finding in comparison.findings:
        outcome, method = finding.outcome, finding.interval.method
        if method == SUBSAMPLING:
            drawn[f"intervals at {level} from {outcome.resamples or 0:,} {INTERVALS[method].short}"] = None
        elif method in INTERVALS and INTERVALS[method].is_drawn:
            # Measures of scores are computed anew for each resample, and so take fewer.
            fewer = outcome.resamples if outcome.test == "bootstrap_interval" else None
            resamples = fewer or comparison.settings.bootstrap_resamples
            drawn[f"{INTERVALS[method].adjective} intervals at {level} ({resamples:,} resamples)"] = None
        elif method in INTERVALS:
            plain[f"{INTERVALS[method].adjective} intervals at {level}"] = None
    return ", ".join((*drawn, *plain)) or "no intervals"


def family(comparison: Comparison) -> str:
    """The family of comparisons, and how p-values were corrected for it."""
    settings, pairs, measures = comparison.settings, comparison.pairs, len(comparison.measures)
    together = settings.family == "all" and measures > 1
    if len(pairs.pairs) == 1 and not together:
        return "one comparison" if measures == 1 else "one comparison under each measure"
    if pairs.all_pairs:
        over = f"all {number_of('pair', len(pairs.pairs))} of systems"
    else:
        baselines = dict.fromkeys(finding.baseline for finding in comparison.findings)
        over = f"{number_of('comparison', len(pairs.pairs))} with {' and '.join(baselines)}"
    if measures > 1:
        over += f", under {measures} measures together" if together else ", measure by measure"
    if settings.test in SIMULTANEOUS:
        return f"for {over}"
    if settings.correction == "bonferroni" and comparison.samples[0].decides_by == "interval":
        level = as_level(1 - settings.alpha / comparison.family_size)
        return f"which is wider ({level}, by Bonferroni's method) for {over}"
    return f"{CORRECTIONS[settings.correction]} over {over}"
