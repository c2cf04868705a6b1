"""`power`, of any subject: its options, and a plan by data or, without files, by a spread."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from assay.cli import inputs, options, output
from assay.cli.options import Measured, Output, group
from assay.core.errors import ParameterError
from assay.core.options import PlanSettings

if TYPE_CHECKING:
    from assay.verbs.planning_by_spread import Groups


@group
class Planning(Output, Measured):
    """The difference to be found, and with which chance."""

    baseline: options.Baselines = ()
    plan: PlanSettings


def plan_without_data(
    to: Planning, unit_kind: str, *files: tuple[str, Any], groups: Groups = 1, **rules: object
) -> None:
    """Plan by what was stated alone; an error says which files are missing, where that was not meant."""
    from assay.verbs.planning_by_spread import plan_by_spread, refuse_without_data

    plan: Mapping[str, Any] = {**to.plan}
    missing = [name for name, given in files if not given]
    if "sd" not in plan:
        are = f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing"
        raise ParameterError(f"{are}; to plan without data, state --sd and --difference")
    if len(missing) < len(files):
        raise ParameterError(f"--sd is for a plan without data: leave {files[0][0]} out")
    stated = {"resamples": plan.get("resamples"), "measures": to.measures or None, "baseline": to.baseline or None}
    refuse_without_data(stated | rules)
    chosen = {name: plan[name] for name in ("power", "alpha") if name in plan}
    result = plan_by_spread(plan.get("difference"), plan["sd"], groups=groups, unit_kind=unit_kind, **chosen)
    output.give(result, to)


def deliver_plan(systems: Any, rules: dict[str, Any], to: Planning) -> None:
    """Plan by what systems show, and give the plan."""
    from assay.verbs.planning import plan

    evaluation = systems if getattr(systems, "subject", "") == "ranking" else None
    chosen: dict[str, Any] = {"baseline": options.only(to.baseline, "-b, --baseline")}
    chosen["measures"] = None if evaluation is not None else to.measures or None
    result: Any = inputs.result_of(plan, "planning", to, systems, **chosen, **to.plan, **rules)
    text = output.rendered(result, to)
    inputs.say(evaluation, result.notes, quiet=to.quiet)
    output.deliver(text, to)
