"""What an A/B test comes to: ship, do not ship, keep running, stop, or that it cannot be trusted; numbers to words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from assay.core.errors import joined
from assay.stats.group_sequential import bounds, drift_of, futility

if TYPE_CHECKING:
    from assay.show.model import Tone
    from assay.stats.arm_samples import ArmSample
    from assay.subjects.experiments.evaluation import ABTest
    from assay.subjects.experiments.plans import PlannedTest
    from assay.verbs.comparison.findings import Finding

DecisionWord: TypeAlias = Literal[
    "ship", "do not ship", "keep running", "stop: futile", "no difference", "cannot be trusted", "undecided"
]

_TONES: dict[DecisionWord, Tone] = {
    "ship": "good", "do not ship": "bad", "keep running": "open", "stop: futile": "bad", "no difference": "even",
    "cannot be trusted": "bad", "undecided": "open",
}  # fmt: skip


class Decision(NamedTuple):
    """The decision on a variant, in a word or three, and why."""

    word: DecisionWord
    variant: str
    why: str

    @property
    def tone(self) -> Tone:
        """How it is meant."""
        return _TONES[self.word]

    @property
    def sentence(self) -> str:
        """The decision in a sentence."""
        what = {"ship": f"Ship {self.variant}", "do not ship": f"Do not ship {self.variant}"}
        return f"{what.get(self.word, self.word.capitalize())}: {self.why}."


def decisions_of(result: ABTest, findings: Sequence[Finding]) -> Iterator[Decision]:
    """The decision on each variant that was held against the control."""
    for variant in dict.fromkeys(each.system for each in findings):
        of_variant = [each for each in findings if each.system == variant]
        wrong = [each for each in result.health if each.state == "wrong"]
        if wrong:
            yield Decision("cannot be trusted", variant, wrong[0].says)
        elif result.same:
            yield _of_the_same(of_variant)
        elif result.plan is not None:
            yield planned_decision(result, of_variant)
        else:
            yield decision_of(of_variant)


def _of_the_same(findings: Sequence[Finding]) -> Decision:
    """The decision on an A/A test: variants that are the same should not differ."""
    variant, alpha = findings[0].system, 1 - findings[0].interval.level
    if sure := [each.measure for each in findings if each.p < alpha]:
        why = f"in an A/A test nothing should differ, and {joined(sure)} does"
        return Decision("cannot be trusted", variant, why)
    return Decision("no difference", variant, "as it should be in an A/A test")


def decision_of(findings: Sequence[Finding]) -> Decision:
    """The decision on one variant without a plan: by every measure that has a direction; worse goes before better."""
    variant = findings[0].system
    known = [each for each in findings if each.direction in {"higher", "lower"}]
    if not known:
        names = joined([each.measure for each in findings])
        return Decision("undecided", variant, f"whether higher or lower is better is not known of {names}")
    words: dict[str, list[Finding]] = {}
    for each in known:
        words.setdefault(each.verdict.word, []).append(each)
    ways: tuple[tuple[str, DecisionWord], ...] = (("worse", "do not ship"), ("better", "ship"))
    for word, comes_to in ways:
        if found := words.get(word):
            names = joined([each.measure for each in found])
            return Decision(comes_to, variant, f"{variant} is {word} than {found[0].baseline} under {names}")
    open_ones = words.get("inconclusive", [])
    if not open_ones:
        names = joined([each.measure for each in known])
        return Decision("no difference", variant, f"{variant} is as good as {known[0].baseline} under {names}")
    first = open_ones[0]
    why = f"no clear difference under {joined([each.measure for each in open_ones])}"
    if first.needed is not None and first.spread > 0:
        why += (
            f"; with {first.needed:,} users in all, a difference of {first.margin.value:.3g} in {first.measure} "
            f"would be found 80% of the time, and there are {first.units:,}"
        )
    return Decision("keep running", variant, why)


def planned_decision(result: ABTest, findings: Sequence[Finding]) -> Decision:
    """The decision on one variant by its plan: the primary measure decides, unless a guardrail is broken."""
    plan = result.plan
    by_name = {each.measure: each for each in findings}
    if plan is None or plan.primary.name not in by_name:
        return decision_of(findings)
    primary = by_name[plan.primary.name]
    rails = [by_name[each.name] for each in plan.measures if each.role == "guardrail" and each.name in by_name]
    if result.monitoring is None and _users(result) < plan.users:
        return Decision("keep running", primary.system, f"{_until(result, plan)}: the plan has no look before its end")
    rails = [primary, *rails] if plan.primary.margin is not None else rails
    has_margin = plan.primary.margin is not None
    loss = _loss(primary, [each for each in rails if _is_beyond(each)], has_margin=has_margin)
    if loss:
        return Decision("do not ship", primary.system, loss)
    if primary.verdict.word == "better" or (plan.primary.margin is not None and _is_safe(primary)):
        return _of_gain(result, plan, primary, [each.measure for each in rails if not _is_safe(each)])
    return _of_no_gain(result, plan, primary)


def _loss(primary: Finding, broken: Sequence[Finding], *, has_margin: bool) -> str:
    """What speaks against the variant, in a sentence; empty if nothing does."""
    worse = f"{primary.system} is worse than {primary.baseline}"
    if broken:
        return f"{worse} by more than the margin in {joined([each.measure for each in broken])}"
    is_worse = primary.verdict.word == "worse" and not has_margin
    return f"{worse} under {primary.measure}" if is_worse else ""


def _of_gain(result: ABTest, plan: PlannedTest, primary: Finding, unsure: Sequence[str]) -> Decision:
    """The decision where the primary measure is better."""
    variant = primary.system
    is_better = primary.verdict.word == "better"
    good = f"{'better' if is_better else 'not worse by the margin'} than {primary.baseline} under {primary.measure}"
    if not unsure:
        return Decision("ship", variant, f"{variant} is {good}")
    but = f"{variant} is {good}, but may be worse by more than the margin in {joined(unsure)}"
    if _users(result) >= plan.users:
        return Decision("do not ship", variant, but)
    return Decision("keep running", variant, f"{_until(result, plan)}: {but}")


def _of_no_gain(result: ABTest, plan: PlannedTest, primary: Finding) -> Decision:
    """The decision where nothing is sure of the primary measure."""
    variant, name = primary.system, primary.measure
    if _users(result) >= plan.users:
        sought = "a gain" if plan.primary.margin is None else "that the loss is small"
        return Decision("do not ship", variant, f"the test is at its end, and did not show {sought} in {name}")
    if _is_futile(result, variant):
        return Decision("stop: futile", variant, f"the planned gain in {name} is hardly to be expected any more")
    return Decision("keep running", variant, f"{_until(result, plan)}: no clear difference under {name}")


def _until(result: ABTest, plan: PlannedTest) -> str:
    return f"until there are {plan.users:,} users ({_users(result):,} so far)"


def _users(result: ABTest) -> int:
    return result.experiment.units


def _loss_ends(finding: Finding) -> tuple[float, float]:
    """From where to where the loss may lie, at the level of a one-sided test."""
    ends = finding.narrow.low, finding.narrow.high
    return (-ends[1], -ends[0]) if finding.direction == "higher" else ends


def _is_beyond(finding: Finding) -> bool:
    """True if the loss is surely above 0, and reaches the margin."""
    low, _ = _loss_ends(finding)
    size = -finding.difference if finding.direction == "higher" else finding.difference
    return low > 0 and size >= finding.margin.value


def _is_safe(finding: Finding) -> bool:
    """True if the loss is surely below the margin."""
    return _loss_ends(finding)[1] < finding.margin.value


def _is_futile(result: ABTest, variant: str) -> bool:
    """True if the primary measure is below the bound of futility at this look; bounds do not bind."""
    plan, monitoring = result.plan, result.monitoring
    if plan is None or monitoring is None or monitoring.mode != "group" or plan.primary.difference is None:
        return False
    sample: ArmSample = result.sample(plan.primary.name)
    gap = sample.gap(0, result.variants.index(variant))
    if not gap.error > 0:
        return False
    z = gap.difference / gap.error * (1 if plan.primary.direction == "higher" else -1)
    shares = monitoring.shares(sample.looked_at)
    limits = bounds(shares, plan.alpha, plan.spending, rho=plan.rho)
    drift = drift_of(plan.power, plan.alpha)
    return z < futility(limits, drift, 1 - plan.power, alpha=plan.alpha, shape=plan.spending, rho=plan.rho).futile[-1]
