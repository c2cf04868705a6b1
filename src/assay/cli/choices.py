"""Options of choices: rules for a threshold, folds of items and of topics."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from assay.cli import options
from assay.cli.options import Measured, Output, group, settings
from assay.core import options as shared
from assay.core.errors import ParameterError
from assay.core.evaluation_options import COLUMNS, CONTENTS, option

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
        rules.append(parse_rule("fixed")(threshold=choices.threshold))
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
    return parse_rule("budget")(**parameters)


@group
class Folds(Output, Measured):
    """By which measure folds are looked at, what they are compared with, and the form."""

    baseline: options.Baselines = ()
    margin: shared.Margin | None = None
    confidence: shared.Confidence | None = None

    def compared(self) -> dict[str, Any]:
        """The margin and the level of the test, as far as they were set."""
        if self.confidence is not None and not 0.5 < self.confidence < 1:
            raise ParameterError(f"--confidence lies between 0.5 and 1, not {self.confidence:g}")
        level = {} if self.confidence is None else {"alpha": round(1 - self.confidence, 12)}
        return settings(self, "margin") | level


class FoldColumns(TypedDict, total=False):
    """Further columns of predictions that were cross-validated."""

    fold: Annotated[str, option(metavar="COLUMN", help="The folds (detected).")]
    repeat: Annotated[
        str, option(metavar="COLUMN", help="Repeats, if the items were split several times.", panel=COLUMNS)
    ]
    split: Annotated[str, option(metavar="COLUMN", help="Tells training rows from test rows.", panel=COLUMNS)]
    group: Annotated[
        str, option(metavar="COLUMN", help="Groups that must not be in both training and test rows.", panel=COLUMNS)
    ]
    time: Annotated[
        str, option(metavar="COLUMN", help="Times, to check that no model was trained on the future.", panel=COLUMNS)
    ]


def folds_of(folds: str | None, fold: str | None, topics: str | None) -> dict[str, Any]:
    """How topics are split, as `tune` takes it."""
    from assay.files import read_topics  # noqa: PLC0415
    from assay.subjects.ranking.tuning import LEAVE_ONE_OUT  # noqa: PLC0415

    if (fold is None) != (topics is None):
        raise ParameterError("--topics FILE and --fold ATTRIBUTE go together")
    if topics is not None and folds is not None:
        raise ParameterError("choose --folds, or folds by an attribute of --topics")
    if topics is not None:
        return {"folds": read_topics(topics), "by": fold}
    if folds is None:
        return {}
    is_number = folds.isascii() and folds.isdigit()
    if not is_number and folds != LEAVE_ONE_OUT:
        raise ParameterError(f"--folds is a whole number from 2 on, or {LEAVE_ONE_OUT}, not {folds!r}")
    return {"folds": int(folds) if is_number else LEAVE_ONE_OUT}
