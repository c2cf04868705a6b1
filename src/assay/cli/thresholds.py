"""`assay classifier thresholds FILE`."""

from __future__ import annotations

from typing import Annotated, Any

from assay.cli import inputs, items, options, output
from assay.cli.options import LabelInputs, Output, group
from assay.core.errors import ParameterError
from assay.core.options import CONTENTS, Sampling, Threshold, option

#: Thresholds printed as text, evenly spaced; other forms have all of them.
_MOST_ROWS = 40
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
    threshold: Threshold | None = None


def thresholds(
    choices: ThresholdChoices,
    labels: LabelInputs,
    sampling: Sampling,
    to: Output,
    path: options.PredictionFile | None = None,
    judge_on: Annotated[str | None, option(metavar="FILE", help="Other items to evaluate the thresholds on.")] = None,
    every: Annotated[
        bool, option("--all-thresholds", help="Show TP, FP, FN, TN, TPR, FPR and ACC at every threshold.")
    ] = False,
    typed: options.TypedScores | None = None,
) -> None:
    """Choose the score from which items count as positive, by one rule or more.

    Give a file with the truth and a score of each item. Each rule names a threshold, what it counts, and how sure you
    can be of it. With one rule all measures are shown.

    $ assay classifier thresholds letters/spam.csv --positive spam --system bayes -r youden
    $ assay classifier thresholds --scores 'P .90, N .70, P .60, N .20' --cost fp=1,fn=10
    """
    from assay.subjects.labels.thresholds import choice  # noqa: PLC0415  # `--help` need not load Polars

    form = to.form
    if (path is None) == (typed is None):
        raise ParameterError("give a file with truth and scores, or --scores with a list, such as 'P .90, N .70'")
    wanted = _rules(choices)
    if every and (wanted or judge_on):
        raise ParameterError("--all-thresholds shows all thresholds: rules and --judge-on go without it")
    scored: Any
    if path is not None:
        scored = {"y_true": items.scored([path], labels)}
    else:
        truth, scores = items.typed_scores(typed or "", labels)
        scored = {"y_true": truth, "y_score": {"the list": scores}, "pos_label": True}
    result: Any
    if every:
        result = choice.threshold_table(**scored, rows=_MOST_ROWS if form is None else None)
    else:
        other = None if judge_on is None else items.scored([judge_on], options.without(labels, "system"))
        with inputs.working("resampling items", hidden=to.quiet):
            result = choice.thresholds(**scored, rules=wanted or None, judged_on=other, **sampling)
        result = result[result.chosen[0].rule] if len(result) == 1 else result
    output.give(result, to, warnings=result.notes)


def _rules(choices: ThresholdChoices) -> list[Any]:
    """The rules that were asked for, in whatever way."""
    from assay.subjects.labels.thresholds.rules import parse_rule  # noqa: PLC0415

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
        rules.append(parse_rule("fixed", threshold=choices.threshold))
    return rules


def _budget(text: str) -> Any:
    """The rule for a number of alerts, or for a share of the items with a percent sign."""
    from assay.subjects.labels.thresholds.rules import parse_rule  # noqa: PLC0415

    try:
        if text.strip().endswith("%"):
            parameters: Any = {"share": float(text.strip().removesuffix("%")) / 100}
        else:
            parameters = {"alerts": int(text)}
    except ValueError:
        raise ParameterError(f"--budget is a number of alerts or a share, such as 50 or 5%, not {text!r}") from None
    return parse_rule("budget", **parameters)
