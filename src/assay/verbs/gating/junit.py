"""A gate as JUnit XML, which every continuous-integration service reads: a test case for each guard and check.

An invalid input is an `error`, and the checks are then `skipped`; a check that fails is a `failure`; one that is
inconclusive is `skipped`, unless it was asked to count as passed or failed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple
from xml.etree import ElementTree

from assay.verbs.gating.rules import Outcome
from assay.verbs.gating.sentences import of_check

if TYPE_CHECKING:
    from assay.verbs.gating.result import GateResult

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
    """What could not be read at all, as JUnit XML: one test case with an error.

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
