"""A gate in words and tables: one sentence that says why, a row a check, the queries behind it, what to do."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from assay.core.digits import as_level, as_percent, decimals, number, numbers, p_phrase, p_value, signed
from assay.core.errors import number_of, several
from assay.core.words import INTERVALS
from assay.report.layout import Cell, Table, as_json
from assay.report.titled import Titled
from assay.stats.bootstrap import FEWEST_DRAWN
from assay.stats.interval_names import SUBSAMPLING
from assay.stats.permutation import NOTHING_DIFFERS
from assay.stats.verdict import FEWEST_UNITS

if TYPE_CHECKING:
    from rich.console import Console

    from assay.gating.checks import Check
    from assay.gating.result import GateResult

#: How an outcome is said; and, where a short word is wanted, as in a column.
SAID = {"pass": "Passed", "fail": "Failed", "inconclusive": "Cannot tell", "invalid": "Invalid input"}
_WORDS = {"pass": "pass", "fail": "FAIL", "inconclusive": "cannot tell"}
#: Of more checks than this, the queries that lost most are listed of the first one only.
_MOST_LISTED = 4
#: Of several checks, so many sentences are written out.
_MOST_SENTENCES = 6
#: Longer lines of prose are hard to read.
_LONGEST_LINE = 88
_COMPLETE = "declared complete"
JSON_SCHEMA_VERSION = 1
#: By guard: what to do if it does not hold, and the settings that are named in it.
_WHAT_TO_DO: dict[str, tuple[str, tuple[str, ...]]] = {
    "missing topics": ("What to do: complete the run; or allow more with {0}.", ("--max-missing",)),
    "defined values": (
        "What to do: look whether the judgments hold relevant documents at this {0}, and whether the measure needs to "
        "be told something, such as {1}.",
        ("--level", "--collection-size"),
    ),
    "judged at all": (
        "What to do: look whether runs and judgments are of the same collection, with document ids spelt alike.",
        (),
    ),
    "judged documents": ("What to do: judge more documents; or ask for less with {0}.", ("--min-judged",)),
}
#: The same, where predictions are compared.
_OF_PREDICTIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "missing items": ("What to do: predict all items; or allow more to be missing with {0}.", ("--max-missing",)),
}


def sentence(result: GateResult) -> str:
    """The outcome and its reason, in a sentence."""
    if result.outcome == "invalid":
        return f"{SAID['invalid']}: {'; '.join(guard.says for guard in result.guards if not guard.holds)}."
    if len(result.checks) == 1:
        return of_check(result.checks[0], result)
    return f"{SAID[result.outcome]}{_counted(result, result.outcome)}: {_of_several(result)}"


def _counted(result: GateResult, outcome: str) -> str:
    if outcome != "inconclusive" or result.settings.inconclusive == "report":
        return ""
    return f" (counted as {'passed' if result.settings.inconclusive == 'pass' else 'failed'}, as asked for)"


def of_check(check: Check, result: GateResult) -> str:
    """One check in words: its outcome, and why."""
    colon = " " if check.outcome == "inconclusive" else ": "
    return f"{SAID[check.outcome]}{_counted(result, check.outcome)}{colon}{_why(check, result)}"


def _why(check: Check, result: GateResult) -> str:
    baseline, candidate = result.baseline, result.candidate
    under = f"under {check.measure}" + (f" for {check.slice}" if check.slice else "")
    values = " against ".join(numbers([check.value, check.baseline_value]))
    change, at_worst = f"{values}, {signed(check.difference)}", _at_worst(check)
    allowed = f"{check.allowed:+g}"
    level = as_level(1 - result.settings.alpha)
    if check.outcome == "pass" and check.why == NOTHING_DIFFERS:
        kind = check.unit_kind
        return f"{candidate} and {baseline} are identical {under}: no {kind} differs ({number(check.value)})."
    if check.outcome == "pass":
        return (
            f"{candidate} is not worse than {baseline} {under} by {abs(check.allowed):g} or more: {change}, at worst "
            f"{at_worst} (one-sided {level} bound)."
        )
    if check.outcome == "fail":
        return (
            f"{candidate} is worse than {baseline} {under}: {change}, which reaches the margin {allowed} and is "
            f"hardly chance ({_evidence(check)})."
        )
    cannot = f"whether {candidate} is worse than {baseline} {under}: {change}"
    could = f"at worst {at_worst} (one-sided {level} bound), which is not within the margin {allowed}"
    return cannot + _why_not(check, could, result.settings.alpha)


def _why_not(check: Check, could: str, alpha: float) -> str:
    """Why one cannot tell."""
    if math.isnan(check.difference) or check.one_sided:
        alike = f"; no {check.unit_kind} differs where both have a value, but {check.why}."
        return alike if check.one_sided else ", as a system has no number."
    if check.units < FEWEST_UNITS:
        verb = "is" if check.units == 1 else "are"
        return f", but {number_of(check.unit_kind, check.units)} {verb} too few to tell anything."
    if math.isnan(check.at_worst):
        return ", and there is no interval to tell by."
    p = _evidence(check)
    if check.is_surely_worse(alpha):
        return f"; it is surely worse ({p}), but perhaps by less than matters: {could}."
    if abs(check.difference) >= abs(check.allowed) and check.difference * check.allowed > 0:
        return f"; the loss reaches the margin {check.allowed:+g}, but could be chance ({p})."
    return f", {could}; nor is it shown to be worse ({p})."


def _evidence(check: Check) -> str:
    """What tells whether a loss is chance: the p-value; where there is no test, the good end of the interval."""
    if check.at_best is None:
        return f"one-sided {p_phrase(check.p)}"
    return "no interval" if math.isnan(check.at_best) else f"at best {signed(check.at_best)}"


def _of_several(result: GateResult) -> str:
    """How many checks went which way, and which they were."""
    total, outcome = number_of("check", len(result.checks)), result.outcome
    if outcome == "pass":
        return (
            f"{result.candidate} is not worse than {result.baseline} by the margin or more in any of {total} "
            f"({_named(result, 'pass')})."
        )
    parts = []
    for one, says in (("fail", "failed"), ("inconclusive", "could not tell"), ("pass", "passed")):
        count = sum(check.outcome == one for check in result.checks)
        if count:
            parts.append(f"{count} {says}" + ("" if one == "pass" else f" ({_named(result, one)})"))
    return f"of {total} of {result.candidate} against {result.baseline}, {', '.join(parts)}."


def _named(result: GateResult, outcome: str) -> str:
    names = [check.name for check in result.checks if check.outcome == outcome]
    return "; ".join(names[:5]) + (f"; and {len(names) - 5} more" if len(names) > 5 else "")


def advice(result: GateResult, in_python: bool = False) -> Iterator[str]:
    """What to do, where one cannot tell or the inputs are not fit; settings are named as options, or as arguments."""

    def setting(option: str) -> str:
        name = {"--level": "--relevance-level"}.get(option, option)
        return name.removeprefix("--").replace("-", "_") if in_python else option

    if result.outcome == "invalid":
        # Each kind of guard once, though both systems may have failed it.
        for name in dict.fromkeys(guard.name for guard in result.guards if not guard.holds):
            text, settings = (_WHAT_TO_DO | _OF_PREDICTIONS)[name]
            yield text.format(*map(setting, settings))
        return
    unsure = [check for check in result.checks if check.outcome == "inconclusive"]
    if not unsure:
        return
    kind = several(unsure[0].unit_kind)
    told = [check for check in unsure if check.needed is not None and check.units >= FEWEST_UNITS]
    if told:
        most = max(told, key=lambda check: check.needed or 0)
        more = "Label" if result.classifiers is not None else "Cluster" if result.clusterings is not None else "Judge"
        yield (
            f"What to do: if {result.candidate} is really as good, about {most.needed:,} {kind} of this sort would "
            f"show it 80% of the time ({most.name}; there are {most.units:,}). {more} more {kind}, or allow a wider "
            f"{setting('--margin')}."
        )
    if any(check.units < FEWEST_UNITS for check in unsure):
        yield f"What to do: {FEWEST_UNITS} {kind} are the least that anything can be said about."
    if result.settings.inconclusive == "report" and in_python:
        yield "inconclusive='pass' or 'fail' makes it count as that."
    elif result.settings.inconclusive == "report":
        yield "The exit code is 3; --inconclusive pass or fail turns it into 0 or 1."


def method(result: GateResult) -> str:
    """How it was decided, in full."""
    settings, checks = result.settings, result.checks
    alpha, interval = settings.alpha, _intervals(result)
    drawn = "; ".join(dict.fromkeys(check.test for check in checks))
    margins = ", ".join(dict.fromkeys(f"{abs(check.allowed):g} ({check.margin_says})" for check in checks))
    test = "paired permutation test" if result.classifiers is None else "test"
    fails = f"a one-sided {test} ({drawn}) gives p < {alpha:g}"
    if result.clusterings is not None:
        wide = as_level(1 - 2 * alpha / len(checks))
        fails = f"even its good end ({wide} interval) is a loss (clusterings have no test)"
    said = (
        f"Passes if the bad end of the {as_level(1 - 2 * alpha)} interval of the difference ({interval}) is better "
        f"than the margin; fails if {fails} and the loss reaches the margin. "
        f"Margin: {margins}; seed {settings.seed}."
    )
    if len(checks) > 1 and result.clusterings is not None:
        said += (
            f" The outcome is the worst of {len(checks)} checks. All have to pass, so that their bounds need no "
            "correction (intersection-union); a single failure is enough, so that the good ends have one (Bonferroni)."
        )
    elif len(checks) > 1:
        said += (
            f" The outcome is the worst of {len(checks)} checks. All have to pass, so that their bounds need no "
            f"correction (intersection-union); a single failure is enough, so p is corrected over all of them (Holm)."
        )
    return said


def _intervals(result: GateResult) -> str:
    """How intervals were made; of several ways, which measures each is for."""
    ways: dict[str, list[str]] = {}
    for check in result.checks:
        if check.interval == "t":
            ways.setdefault(f"{INTERVALS['t'].short}, for fewer than {FEWEST_DRAWN} {several(check.unit_kind)}", [])
            continue
        way = INTERVALS.get(check.interval)
        name = None if way is None or way.is_drawn else way.adjective
        if check.is_untested:
            name = f"{check.redrawn:,} random halves of the items" if check.interval == SUBSAMPLING else "none"
        if name is None:
            name = f"{INTERVALS[check.interval].short} over {several(check.unit_kind)}, {check.redrawn:,} resamples"
        ways.setdefault(name, []).append(check.measure)
    if len(ways) == 1:
        return next(iter(ways))
    return "; ".join(
        f"{name}, for {' and '.join(dict.fromkeys(measures))}" if measures else name for name, measures in ways.items()
    )


def tables(result: GateResult) -> list[Titled]:
    """The checks, the queries that lost most behind those that did not pass, and the coverage."""
    made = [Titled("", _checks(result))]
    behind = [check for check in result.checks if check.outcome == result.outcome != "pass" and check.worst]
    if behind and len(behind) <= _MOST_LISTED:
        shown = {_lost(check): _losses(check, result) for check in behind}  # labels are right or wrong for all measures
        made += [Titled(title, table) for title, table in shown.items()]
    elif behind:
        made.append(Titled(_lost(behind[0]), _losses(behind[0], result)))
    if not result.coverage:
        return made
    complete = result.evaluation is not None and result.evaluation.policies.complete
    rows = tuple(
        (
            (one.system,),
            tuple(
                map(Cell, (f"{one.topics:,}", f"{one.missing:,}", _COMPLETE if complete else as_percent(one.judged)))
            ),
        )
        for one in result.coverage
    )
    judged = "judgments" if complete else "judged in top 10"
    made.append(Titled("Coverage", Table(("system",), ("topics", "missing", judged), rows)))
    return made


def _at_worst(check: Check) -> str:
    """The bad end of the interval, which is compared with the margin."""
    return signed(check.at_worst, decimals([check.at_worst, check.allowed]))


def _checks(result: GateResult) -> Table:
    sliced = any(check.slice for check in result.checks)
    names = ("measure", "topics") if sliced else ("measure",)
    kind = several(result.checks[0].unit_kind)
    p = () if result.clusterings is not None else ("p",)
    columns = (kind, result.baseline, result.candidate, "difference", "at worst", "allowed", *p, "outcome")
    rows = []
    for one in result.checks:
        told = (
            f"{one.units:,}",
            *numbers([one.baseline_value, one.value]),
            signed(one.difference),
            "–" if math.isnan(one.at_worst) else _at_worst(one),
            f"{one.allowed:+g}",
            *(() if result.clusterings is not None else (p_value(one.p),)),
            "not decided" if result.outcome == "invalid" else _WORDS[one.outcome],
        )
        rows.append(((one.measure, one.slice or "all")[: len(names)], tuple(map(Cell, told))))
    return Table(names, columns, tuple(rows))


def of_labels(check: Check) -> bool:
    """Whether a check is about predicted labels, which are right or wrong."""
    return check.test.startswith(("mcnemar", "swap"))


def _lost(check: Check) -> str:
    if not of_labels(check):
        return f"Lost most under {check.name}"
    return f"Broken: {min(len(check.worst), check.worsened)} of {number_of(check.unit_kind, check.worsened)}"


def _losses(check: Check, result: GateResult) -> Table:
    if of_labels(check):
        told = {1.0: Cell("right"), 0.0: Cell("wrong")}
        items = tuple(((one.unit,), (told[one.baseline_value], told[one.value])) for one in check.worst)
        return Table((check.unit_kind,), (result.baseline, result.candidate), items)
    rows = tuple(
        ((one.unit,), tuple(map(Cell, (*numbers([one.baseline_value, one.value]), signed(one.difference)))))
        for one in check.worst
    )
    return Table((check.unit_kind,), (result.baseline, result.candidate, "difference"), rows)


def show(result: GateResult, to: Console) -> None:
    """Print to a console: the sentence first, for whoever reads the log of a pipeline; then what it rests on."""
    from rich.text import Text  # noqa: PLC0415  # results that are never printed need no Rich

    from assay.report.terminal import show_table  # noqa: PLC0415

    style = {"pass": "bold green", "fail": "bold red", "inconclusive": "bold yellow", "invalid": "bold red"}
    width = min(to.width, _LONGEST_LINE)
    to.print(Text(sentence(result), style=style[result.outcome]), width=width)
    for line in details(result):
        to.print(Text(line), width=width)
    for title, table in tables(result):
        to.print()
        if title:
            to.print(Text(title, style="bold"))
        show_table(table, to)
    to.print()
    for line in advice(result):
        to.print(Text(line), width=width)
    to.print(Text(method(result), style="dim"), width=width)


def lines(result: GateResult) -> list[str]:
    """The sentences, what to do, and the method."""
    return [sentence(result), *details(result), *advice(result), *result.notes, method(result)]


def details(result: GateResult) -> Iterator[str]:
    """Of several checks, those that decided, worst first, each in a sentence."""
    if len(result.checks) == 1 or result.outcome == "invalid":
        return
    decisive = [check for check in result.checks if check.outcome == "fail"]
    decisive += [check for check in result.checks if check.outcome == "inconclusive"]
    for check in decisive[:_MOST_SENTENCES]:
        yield of_check(check, result)


def to_markdown(result: GateResult) -> str:
    """A heading, the sentences, the tables, and the method in small; names from files are escaped everywhere."""
    from assay.report.written_markdown import escaped, table  # noqa: PLC0415  # only pipelines write Markdown

    marks = {"pass": "✅", "fail": "❌", "inconclusive": "❔", "invalid": "⚠️"}
    said = [sentence(result), *details(result), *advice(result)]
    head = [
        f"## {marks[result.outcome]} Quality gate: {SAID[result.outcome].lower()}\n",
        *(f"{escaped(line)}\n" for line in said),
    ]
    body = [(f"**{escaped(title)}**\n\n" if title else "") + f"{table(content)}\n" for title, content in tables(result)]
    rest = [f"<sub>{escaped(line)}</sub>\n" for line in (*result.notes, method(result))]
    return "\n".join([*head, *body, *rest])


def problem_markdown(problem: str) -> str:
    """The same for what could not be compared at all.

    >>> print(problem_markdown("a_b.run: cannot be read"), end="")
    ## ⚠️ Quality gate: invalid input
    <BLANKLINE>
    a\\_b.run: cannot be read
    """
    from assay.report.written_markdown import escaped  # noqa: PLC0415

    return f"## ⚠️ Quality gate: {SAID['invalid'].lower()}\n\n{escaped(problem)}\n"


def _signatures(result: GateResult) -> dict[str, str]:
    if result.evaluation is not None:
        return result.evaluation.signatures
    itemised = result.classifiers or result.clusterings
    return {} if itemised is None else {check.measure: itemised.signature(check.measure) for check in result.checks}


def to_json(result: GateResult) -> str:
    """Everything, numbers in full."""
    frozen = result.frozen
    told: dict[str, Any] = {
        "schema_version": JSON_SCHEMA_VERSION,
        "outcome": result.outcome,
        "exit_code": result.exit_code,
        "sentence": sentence(result),
        "advice": list(advice(result)),
        "baseline": result.baseline,
        "candidate": result.candidate,
        "settings": result.settings._asdict(),
        "checks": [check.row() | {"lost_most": [loss._asdict() for loss in check.worst]} for check in result.checks],
        "guards": [guard.row() for guard in result.guards],
        "coverage": [one._asdict() for one in result.coverage],
        "signatures": _signatures(result),
        "frozen": None
        if frozen is None
        else {"version": frozen.version, "qrels": frozen.qrels._asdict(), "run": frozen.run._asdict()},
        "method": method(result),
        "notes": list(result.notes),
    }
    return as_json(told)
