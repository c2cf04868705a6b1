"""`GateResult`: outcome, checks, guards and exit code; in sentences, as JUnit XML, as annotations."""

from __future__ import annotations

import math
import re
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias
from xml.etree import ElementTree

import polars as pl

from assay.core.digits import as_level, decimals, number, numbers, p_phrase, signed
from assay.core.errors import argument, number_of, several, worded
from assay.core.results import Result
from assay.core.words import INTERVALS, OUTCOMES
from assay.stats.estimates import SUBSAMPLING
from assay.stats.pairing import Pairing
from assay.stats.verdict import FEWEST_UNITS
from assay.verbs.gating.checks import (
    EXIT_CODES,
    Check,
    Coverage,
    GateSettings,
    Guard,
    Outcome,
    worst,
)

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
    baseline, candidate, level = result.baseline, result.candidate, as_level(1 - result.settings.alpha)
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
        return f"{never} ({_listed(names['pass'])})."
    parts = [
        f"{len(those)} {OUTCOMES[outcome].lower()}" + ("" if outcome == "pass" else f" ({_listed(those)})")
        for outcome, those in names.items()
        if those
    ]
    return f"of {total} of {result.candidate} against {result.baseline}, {', '.join(parts)}."


def _listed(names: list[str]) -> str:
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
    alpha, by_interval = settings.alpha, checks[0].at_best is not None
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


#: What XML 1.0 cannot hold, not even escaped.
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_ELEMENTS: dict[Outcome, str] = {"fail": "failure", "invalid": "error", "inconclusive": "skipped"}


class Case(NamedTuple):
    """A test case: what is tested, how it came out, and that in a sentence."""

    kind: str
    name: str
    outcome: Outcome
    says: str


def junit(result: GateResult) -> str:
    """The guards and checks of a gate as JUnit XML.

    >>> from assay import gate
    >>> judged = {f"q{n}": {"good": 1} for n in range(6)}
    >>> run = {query: {"good": 1.0} for query in judged}
    >>> print(junit(gate(judged, run, run, measures="RR")))
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="assay gate" tests="6" failures="0" errors="0">
      <testsuite name="candidate against baseline" tests="6" failures="0" errors="0" skipped="0">
        <testcase classname="assay.gate.inputs" name="missing topics: baseline">
    ...
    """
    cases = [
        Case("inputs", f"{guard.name}: {guard.system}", "pass" if guard.holds else "invalid", guard.says)
        for guard in result.guards
    ]
    invalid = result.outcome == "invalid"
    for check in result.checks:
        outcome = "inconclusive" if invalid else result.counted(check.outcome)
        says = "Not decided, as the inputs are not fit to be compared." if invalid else of_check(check, result)
        cases.append(Case("checks", check.name, outcome, says))
    return to_xml(f"{result.candidate} against {result.baseline}", cases)


def junit_of_problem(problem: str) -> str:
    """A problem with the inputs as JUnit XML: one test case with an error.

    >>> "<error" in junit_of_problem("new.run: expected TREC run")
    True
    """
    return to_xml("inputs", [Case("inputs", "inputs", "invalid", problem)])


def to_xml(suite: str, cases: Sequence[Case]) -> str:
    """Test cases as the text of a file.

    >>> print(to_xml("new", [Case("checks", "AP", "fail", "it fell")]), end="")
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="assay gate" tests="1" failures="1" errors="0">
      <testsuite name="new" tests="1" failures="1" errors="0" skipped="0">
        <testcase classname="assay.gate.checks" name="AP">
          <failure type="fail" message="it fell">it fell</failure>
        </testcase>
      </testsuite>
    </testsuites>
    """
    counts = {name: sum(_ELEMENTS.get(case.outcome) == name for case in cases) for name in _ELEMENTS.values()}
    totals = {"tests": str(len(cases)), "failures": str(counts["failure"]), "errors": str(counts["error"])}
    root = ElementTree.Element("testsuites", {"name": "assay gate"} | totals)
    own = {"name": _clean(suite)} | totals | {"skipped": str(counts["skipped"])}
    parent = ElementTree.SubElement(root, "testsuite", own)
    for case in cases:
        naming = {"classname": f"assay.gate.{case.kind}", "name": _clean(case.name)}
        element = ElementTree.SubElement(parent, "testcase", naming)
        said = _clean(case.says)
        if case.outcome == "pass":
            ElementTree.SubElement(element, "system-out").text = said
        elif case.outcome == "inconclusive":
            ElementTree.SubElement(element, "skipped", {"message": said})
        else:
            told = {"type": case.outcome, "message": said}
            ElementTree.SubElement(element, _ELEMENTS[case.outcome], told).text = said
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _clean(text: str) -> str:
    return _NO_XML.sub("", text)


Level: TypeAlias = Literal["error", "warning", "notice"]

_LEVELS: dict[Outcome, Level] = {"pass": "notice", "inconclusive": "warning", "fail": "error", "invalid": "error"}

_IN_MESSAGES = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})

_IN_PROPERTIES = _IN_MESSAGES | str.maketrans({":": "%3A", ",": "%2C"})
#: The service shows ten of a level a step; the first says it all.
_MOST = 10


def annotated(result: GateResult) -> str:
    """A line for the outcome and, of several checks, one for each that did not pass, worst first.

    >>> from assay import gate
    >>> judged = {f"q{n}": {"good": 1} for n in range(6)}
    >>> run = {query: {"good": 1.0} for query in judged}
    >>> print(annotated(gate(judged, run, run, measures="RR")))
    ::notice title=Quality gate::Passed: candidate and baseline are identical under RR: no query differs (1.0000).
    """
    made = [annotation(_LEVELS[result.counted(result.outcome)], "Quality gate", result.sentence)]
    for check, said in zip(result.decisive, details(result), strict=False):
        made.append(annotation(_LEVELS[result.counted(check.outcome)], f"Quality gate: {check.name}", said))
    return "".join(made[:_MOST])


def without_commands(text: str) -> str:
    """Text of a log in which nothing is taken for a command, whatever the ids in it begin with.

    >>> print(without_commands("::error::not ours\\n"), end="")
    ::stop-commands::...
    ::error::not ours
    ::...::
    """
    # Nobody who writes the text may know the word that ends it, so it is not drawn from a seed.
    word = secrets.token_hex(16)
    return f"::stop-commands::{word}\n{text.removesuffix(chr(10))}\n::{word}::\n"


def annotation(level: Level, title: str, message: str) -> str:
    """One command for annotations; characters that would end it or its properties are escaped.

    >>> annotation("error", "nDCG@10, short", "50% fell: see below")
    '::error title=nDCG@10%2C short::50%25 fell: see below\\n'
    """
    return f"::{level} title={title.translate(_IN_PROPERTIES)}::{message.translate(_IN_MESSAGES)}\n"


@dataclass(frozen=True, eq=False)
class GateResult(Result):
    """The decision whether a candidate may take the baseline's place, and the reasons.

    `checks`: a measure each, on all topics or on a slice of them; `guards`: whether the inputs were fit to be compared.
    `evaluation` is that of the candidate, and of the baseline unless that was `frozen`. Where predictions, or
    clusters, were compared, there is none, nor a coverage. A result is true if it `passed`.

    >>> from assay import gate
    >>> judged = {f"q{n}": {"good": 1} for n in range(6)}
    >>> run = {query: {"good": 1.0} for query in judged}
    >>> result = gate(judged, run, run, measures="RR")
    >>> result.outcome, result.exit_code
    ('pass', 0)
    >>> assert result
    >>> print(result.sentence)
    Passed: candidate and baseline are identical under RR: no query differs (1.0000).
    """

    kind = "gate"

    baseline: str
    candidate: str
    checks: tuple[Check, ...]
    guards: tuple[Guard, ...]
    coverage: tuple[Coverage, ...]
    settings: GateSettings
    #: What was compared.
    pairing: Pairing
    #: The `Baseline`, if it was frozen.
    frozen: Any = None
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        checks = number_of("check", len(self.checks))
        return f"<GateResult {self.outcome}: {self.candidate} against {self.baseline}, {checks}>"

    @property
    def evaluation(self) -> Any:
        """The `Evaluation` of the candidate, and of the baseline unless that was frozen; None if there are no runs."""
        return self.pairing.evaluation

    @property
    def outcome(self) -> Outcome:
        """The worst of all: invalid if a guard does not hold, else fail, inconclusive or pass."""
        guarded: list[Outcome] = ["pass" if guard.holds else "invalid" for guard in self.guards]
        return worst([*guarded, *(check.outcome for check in self.checks)])

    @property
    def exit_code(self) -> int:
        """0 pass, 1 fail, 2 invalid, 3 inconclusive, unless the settings turn that into 0 or 1."""
        return EXIT_CODES[self.counted(self.outcome)]

    @property
    def passed(self) -> bool:
        """True if the exit code is 0: an inconclusive result has not passed, unless the settings let it."""
        return self.exit_code == 0

    def __bool__(self) -> bool:
        return self.passed

    def counted(self, outcome: Outcome) -> Outcome:
        """The value of an outcome: an inconclusive one may have been asked to pass or to fail."""
        if outcome != "inconclusive" or self.settings.inconclusive == "report":
            return outcome
        return self.settings.inconclusive

    @property
    def sentence(self) -> str:
        """The reason why it passed, failed, was refused, or is inconclusive."""
        return sentence(self)

    @property
    def decisive(self) -> list[Check]:
        """The checks that did not pass, worst first."""
        return [check for outcome in ("fail", "inconclusive") for check in self.checks if check.outcome == outcome]

    def to_frame(self) -> pl.DataFrame:
        """One row for each check."""
        frame = pl.DataFrame([check.row() for check in self.checks], infer_schema_length=None)
        return frame.fill_nan(None)

    def to_junit(self) -> str:
        """JUnit XML, a test case for every guard and check: see `gating.junit`."""
        return junit(self)

    def to_annotations(self) -> str:
        """Workflow commands, by which GitHub Actions shows the outcome beside a change: see `gating.annotations`."""
        return annotated(self)
