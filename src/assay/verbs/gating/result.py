"""`GateResult`: the outcome, the checks and guards behind it, and the exit code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from assay.core.errors import number_of
from assay.core.results import Result
from assay.stats.pairing import Pairing
from assay.verbs.gating.annotations import annotated
from assay.verbs.gating.checks import Check, GateSettings
from assay.verbs.gating.guards import Coverage, Guard
from assay.verbs.gating.junit import junit
from assay.verbs.gating.rules import EXIT_CODES, Outcome, worst
from assay.verbs.gating.sentences import sentence


@dataclass(frozen=True, eq=False)
class GateResult(Result):
    """Whether a candidate may take the baseline's place, and why.

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
        """Whether the exit code is 0: an inconclusive result has not passed, unless the settings let it."""
        return self.exit_code == 0

    def __bool__(self) -> bool:
        return self.passed

    def counted(self, outcome: Outcome) -> Outcome:
        """What an outcome counts as: an inconclusive one may have been asked to pass or to fail."""
        if outcome != "inconclusive" or self.settings.inconclusive == "report":
            return outcome
        return self.settings.inconclusive

    @property
    def sentence(self) -> str:
        """Why it passed, failed, was refused, or is inconclusive."""
        return sentence(self)

    @property
    def decisive(self) -> list[Check]:
        """The checks that did not pass, worst first."""
        return [check for outcome in ("fail", "inconclusive") for check in self.checks if check.outcome == outcome]

    def to_frame(self) -> pl.DataFrame:
        """One row for each check."""
        frame = pl.DataFrame([check.row() for check in self.checks], infer_schema_length=None)
        return frame.with_columns(pl.col(pl.Float64).fill_nan(None))

    def to_junit(self) -> str:
        """JUnit XML, a test case for every guard and check: see `gating.junit`."""
        return junit(self)

    def to_annotations(self) -> str:
        """Workflow commands, by which GitHub Actions shows the outcome beside a change: see `gating.annotations`."""
        return annotated(self)
