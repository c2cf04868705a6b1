"""`GateResult`: outcome, checks, guards and exit code; in sentences, as JUnit XML, as annotations."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias
from xml.etree import ElementTree

import polars as pl

from assay.core.errors import number_of
from assay.core.results import Result
from assay.verbs.gating.checks import (
    EXIT_CODES,
    Check,
    Coverage,
    GateSettings,
    Guard,
    Outcome,
    worst,
)
from assay.verbs.sections.gates import details, of_check, sentence

if TYPE_CHECKING:
    from assay.stats.pairing import Pairing

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
