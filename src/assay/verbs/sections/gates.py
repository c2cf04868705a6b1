"""The decision of a gate in sentences: its outcome and the reasons, advice, and the method."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.core.digits import as_level, decimals, number, numbers, p_phrase, signed
from assay.core.errors import argument, number_of, several, worded
from assay.core.words import INTERVALS, OUTCOMES
from assay.stats.estimates import SUBSAMPLING
from assay.stats.verdict import FEWEST_UNITS
from assay.verbs.gating.checks import EXIT_CODES, Check

if TYPE_CHECKING:
    from assay.verbs.gating.result import GateResult

#: Of several checks, so many sentences are written out, and so many of each outcome named.
_MOST_SENTENCES, _MOST_NAMES = 6, 5


def sentence(result: GateResult) -> str:
    """The outcome and its reason, in a sentence."""
    if result.outcome == "invalid":
        return f"{OUTCOMES['invalid']}: {'; '.join(guard.says for guard in result.guards if not guard.holds)}."
    if len(result.checks) == 1:
        return of_check(result.checks[0], result)
    return f"{_opening(result, result.outcome)}: {_of_several(result)}"


def details(result: GateResult) -> Iterator[str]:
    """Of several checks, those that decided, worst first, each in a sentence."""
    if len(result.checks) > 1 and result.outcome != "invalid":
        yield from (of_check(check, result) for check in result.decisive[:_MOST_SENTENCES])


def of_check(check: Check, result: GateResult) -> str:
    """One check in words: its outcome, and the reason."""
    baseline = result.baseline
    candidate = result.candidate
    level = as_level(1 - result.settings.alpha)
    under = f"under {check.measure}" + (f" for {check.slice}" if check.slice else "")
    change = signed(check.difference)
    has_numbers = not math.isnan(check.value)  # of preferences, only the difference is known
    if has_numbers:
        change = f"{' against '.join(numbers([check.value, check.baseline_value]))}, {change}"
    worst = signed(check.at_worst, decimals([check.at_worst, check.allowed]))
    bound = f"at worst {worst} (one-sided {level} bound)"
    by_margin = f"{baseline} {under} by {abs(check.allowed):g} or more: {change}"
    if check.is_identical:
        same = f" ({number(check.value)})" if has_numbers else ""
        why = f"{candidate} and {baseline} are identical {under}: no {check.unit_kind} differs{same}."
    elif check.outcome == "pass":
        why = f"{candidate} is not worse than {by_margin}, {bound}."
    elif check.outcome == "fail":
        why = (
            f"{candidate} is worse than {baseline} {under}: {change}, which reaches the margin {check.allowed:+g} and "
            f"is hardly chance ({_evidence(check)})."
        )
    else:
        known = "" if math.isnan(check.at_worst) else f", {bound}, {_evidence(check)}"
        why = f"{candidate} could be worse than {by_margin}{known}; {check.why}."
    return f"{_opening(result, check.outcome)}: {why}{_of_compare(check, result)}"


def _of_compare(check: Check, result: GateResult) -> str:
    """A sentence on what `compare` asks, which is another question, and on its answer."""
    if not check.compared or check.is_identical:
        return ""
    said = check.compared
    if said in {"better", "worse"}:
        said = f"{result.candidate} is {said}"
    p = "" if math.isnan(check.compared_p) else f", two-sided {p_phrase(check.compared_p)}"
    margin = f"{abs(check.allowed):g}"
    return f" The gate asks about a loss of {margin} or more; compare, whether the two differ: {said}{p}."


def _opening(result: GateResult, outcome: str) -> str:
    """The outcome; of one that is inconclusive, what it counts as, if that was asked for."""
    if outcome != "inconclusive" or result.settings.inconclusive == "report":
        return OUTCOMES[outcome]
    return f"{OUTCOMES[outcome]} (counted as {OUTCOMES[result.settings.inconclusive].lower()}, as asked for)"


def _evidence(check: Check) -> str:
    """The evidence that a loss is no chance: the p-value; without a test, the good end of the interval."""
    if check.at_best is None:
        return f"one-sided {p_phrase(check.p)}"
    return "no interval" if math.isnan(check.at_best) else f"at best {signed(check.at_best)}"


def _of_several(result: GateResult) -> str:
    """A sentence on several checks: numbers by outcome, and their names."""
    total = number_of("check", len(result.checks))
    names = {
        outcome: [check.name for check in result.checks if check.outcome == outcome]
        for outcome in ("fail", "inconclusive", "pass")
    }
    if result.outcome == "pass":
        never = f"{result.candidate} is not worse than {result.baseline} by the margin or more in any of {total}"
        return f"{never} ({_first_names(names['pass'])})."
    parts = [
        f"{len(those)} {OUTCOMES[outcome].lower()}" + ("" if outcome == "pass" else f" ({_first_names(those)})")
        for outcome, those in names.items()
        if those
    ]
    return f"of {total} of {result.candidate} against {result.baseline}, {', '.join(parts)}."


def _first_names(names: list[str]) -> str:
    more = f"; and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return "; ".join(names[:_MOST_NAMES]) + more


def advice(result: GateResult) -> Iterator[str]:
    """Advice where the outcome is inconclusive or the inputs are not fit."""
    if result.outcome == "invalid":
        # Each kind of guard once, though both systems may have failed it.
        for advice in dict.fromkeys(guard.advice for guard in result.guards if not guard.holds):
            yield f"What to do: {worded(advice)}."
        return
    unsure = [check for check in result.checks if check.outcome == "inconclusive"]
    if not unsure:
        return
    kind = several(unsure[0].unit_kind)
    if enough := [check for check in unsure if check.needed is not None and check.units >= FEWEST_UNITS]:
        most = max(enough, key=lambda check: check.needed or 0)
        yield (
            f"What to do: if {result.candidate} is really as good, about {most.needed:,} {kind} of this sort would "
            f"show it 80% of the time ({most.name}; there are {most.units:,}). {result.pairing.to_have_more} more "
            f"{kind}, or allow a wider margin ({argument('margin')})."
        )
    if any(check.units < FEWEST_UNITS for check in unsure):
        yield f"What to do: get at least {FEWEST_UNITS} {kind}; fewer allow no verdict."
    if result.exit_code == EXIT_CODES["inconclusive"]:
        instead = f"it can count as passed or failed instead ({argument('inconclusive')})"
        yield f"The exit code is {result.exit_code}; {instead}."


def method(result: GateResult) -> str:
    """The method of the decision, in full."""
    settings, checks = result.settings, result.checks
    alpha = settings.alpha
    by_interval = checks[0].at_best is not None
    margins = ", ".join(dict.fromkeys(f"{abs(check.allowed):g} ({check.margin_says})" for check in checks))
    how = "; ".join(dict.fromkeys(check.test for check in checks))
    fails = f"a one-sided {result.pairing.gate_test} ({how}) gives p < {alpha:g}"
    if by_interval:
        wide = as_level(1 - 2 * alpha / len(checks))
        fails = f"even its good end ({wide} interval) is a loss (there is no test)"
    rule = (
        f"Passes if the bad end of the {as_level(1 - 2 * alpha)} interval of the difference ({_intervals(result)}) is "
        f"better than the margin; fails if {fails} and the loss reaches the margin. Margin: {margins}; seed "
        f"{settings.seed}."
    )
    if len(checks) == 1:
        return rule
    corrected = "that the good ends have one (Bonferroni)" if by_interval else "p is corrected over all of them (Holm)"
    return (
        f"{rule} The outcome is the worst of {len(checks)} checks. All have to pass, so that their bounds need no "
        f"correction (intersection-union); a single failure is enough, so {corrected}."
    )


def _intervals(result: GateResult) -> str:
    """The way intervals were made."""
    ways: dict[str, None] = {}
    for check in result.checks:
        way = INTERVALS.get(check.interval)
        if way is None:
            name = "none"
        elif way.is_drawn:
            name = way.short
        else:
            name = way.adjective
        if check.interval == SUBSAMPLING:
            name = f"{check.redrawn:,} {name}"
        elif way is not None and way.is_drawn:
            name = f"{name} over {several(check.unit_kind)}, {check.redrawn:,} resamples"
        ways[name] = None
    return "; ".join(ways)
