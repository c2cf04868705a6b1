"""Rules by which a threshold is chosen: options, and what they stand for."""

from __future__ import annotations

from typing import Annotated, Any

from assay.cli import options
from assay.cli.options import group
from assay.core import options as shared
from assay.core.errors import ParameterError
from assay.core.evaluation_options import CONTENTS, option

_BY_BOUND = {
    "tnr": "max_tpr_given_tnr", "tpr": "max_tnr_given_tpr", "recall": "max_precision_given_recall",
    "precision": "max_recall_given_precision",
}  # fmt: skip


@group
class ThresholdChoices:
    """Rules by which a threshold is chosen; without any, all that need no parameter."""

    rule: Annotated[
        tuple[str, ...], option("-r", "--rule", help="A rule, such as youden or 'max_f(beta=2)'; repeat. Default: all.")
    ] = ()
    tnr: Annotated[float | None, option(help="Highest TPR with at least this TNR.", panel=CONTENTS)] = None
    tpr: Annotated[float | None, option(help="Highest TNR with at least this TPR.", panel=CONTENTS)] = None
    recall: Annotated[float | None, option(help="Highest precision with at least this recall.")] = None
    precision: Annotated[float | None, option(help="Highest recall with at least this precision.")] = None
    cost: Annotated[str | None, option(metavar="fp=1,fn=10", help="Lowest cost per item; also tp=, tn=.")] = None
    prevalence: Annotated[
        float | None, option(help="Share of positives in production, for --cost.", panel=CONTENTS)
    ] = None
    budget: Annotated[
        str | None, option(metavar="50", help="Most positives found with this many alerts, or this share: 5%.")
    ] = None
    threshold: shared.Threshold | None = None


def rules_of(choices: ThresholdChoices) -> list[Any]:
    """The rules that were asked for, in whatever way."""
    from assay.subjects.labels.thresholds.rules import parse_rule

    rules = [parse_rule(text) for text in choices.rule]
    bounds = options.settings(choices, *_BY_BOUND)
    rules += [parse_rule(f"{_BY_BOUND[name]}({value!r})") for name, value in bounds.items()]
    if choices.cost is not None:
        costly = parse_rule(f"cost({choices.cost})")
        rules.append(costly if choices.prevalence is None else costly(prevalence=choices.prevalence))
    elif choices.prevalence is not None:
        raise ParameterError("--prevalence goes with --cost, such as --cost fp=1,fn=10")
    if choices.budget is not None:
        rules.append(_budget(choices.budget))
    if choices.threshold is not None:
        rules.append(parse_rule("fixed")(threshold=choices.threshold))
    return rules


def _budget(text: str) -> Any:
    """The rule for a number of alerts, or for a share of the items with a percent sign."""
    from assay.subjects.labels.thresholds.rules import parse_rule

    try:
        if text.strip().endswith("%"):
            parameters: Any = {"share": float(text.strip().removesuffix("%")) / 100}
        else:
            parameters = {"alerts": int(text)}
    except ValueError:
        raise ParameterError(f"--budget is a number of alerts or a share, such as 50 or 5%, not {text!r}") from None
    return parse_rule("budget")(**parameters)
