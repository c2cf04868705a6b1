"""How it was done, in a paragraph to paste into a paper, with the works that it cites: only what was used is in it.

Each subject has sentences of its own (`Reported.methods`); here is what they share.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from assay import __version__
from assay.core.digits import as_level
from assay.core.errors import joined, number_of, several
from assay.show.model import Prose, References, Section
from assay.stats import corrections, power, verdict
from assay.stats.tests import SIMULTANEOUS
from assay.verbs.sections.bibliography import Citations
from assay.verbs.sections.testing import family

if TYPE_CHECKING:
    from assay.measures.registry import Measure
    from assay.verbs.comparison import Comparison
    from assay.verbs.report.subject import Reported

#: So many names of systems are in a sentence.
MOST_NAMES = 6


def methods(subject: Reported) -> Section:
    """The paragraph, and the works that it cites.

    >>> from assay import Predictions, make_report
    >>> section = make_report(Predictions.of([1, 1, 0, 0], [1, 0, 0, 0]), measures="MCC").section("methods")
    >>> print(section.parts[0].text.partition(" All numbers")[0], section.parts[1].works[0].entry, sep=chr(10))
    1 classifier (predictions) was evaluated on 4 items with 2 labels (1 being the positive one).
    It was measured by MCC [1].
    Matthews, B. W. (1975). Comparison of the predicted and observed secondary structure of T4 phage lysozyme.
    Biochimica et Biophysica Acta (BBA) – Protein Structure, 405(2), 442–451.
    """
    cite = Citations()
    sentences = [*subject.methods(cite), f"All numbers were computed with Assay {__version__} (seed {subject.seed})."]
    text, works = " ".join(sentences), cite.works()
    parts = (Prose(text, "copy", title="Methods paragraph"), *([References(works)] if works else ()))
    return Section("methods", "Methods", parts, "Ready to paste into a paper.", "Methods", {"paragraph": text})


def tested(comparison: Comparison) -> str:
    """Differences were tested, and at which level."""
    return f"{differences_from(comparison)} were tested two-sidedly at the level {comparison.settings.alpha:g}"


def differences_from(comparison: Comparison) -> str:
    """What was compared."""
    return f"Differences from {comparison.findings[0].baseline}"


def correction(comparison: Comparison, cite: Citations) -> str:
    """What p-values were corrected over."""
    settings = comparison.settings
    if settings.test in SIMULTANEOUS:
        under = ", measure by measure" if len(comparison.measures) > 1 else ""
        return f"p-values hold for all {number_of('pair', comparison.family_size)} of systems at once{under}"
    if comparison.family_size == 1:
        return family(comparison)
    return f"p-values were {family(comparison)}{cite(*corrections.CITES.get(settings.correction, ()))}"


def equivalence(comparison: Comparison, unit_kind: str, cite: Citations) -> Iterator[str]:
    """What equivalent means, and how many units would be needed to tell more."""
    settings = comparison.settings
    margins = sorted({finding.margin.value for finding in comparison.findings})
    span = f"{margins[0]:g}" if len(margins) == 1 else f"{margins[0]:.2g} to {margins[-1]:.2g}, by measure"
    yield (
        f"A system is called equivalent to the baseline if the {as_level(1 - 2 * settings.alpha)} interval of the "
        f"difference lies within the smallest difference that matters (±{span}), as two one-sided tests would have it"
        f"{cite(verdict.CITES)}."
    )
    yield (
        f"The number of {several(unit_kind)} needed is that of a paired t test with a power of "
        f"{as_level(settings.power)}{cite(power.CITES)}."
    )


def systems_named(kind: str, names: Sequence[str], most: int = MOST_NAMES) -> str:
    """How many systems there are, and their names.

    >>> systems_named("classifier", ["trees", "bayes"])
    '2 classifiers (trees and bayes)'
    """
    return f"{number_of(kind, len(names))} ({joined(names, most)})"


def were(systems: Sequence[object]) -> str:
    """The verb that goes with so many systems.

    >>> were(["a"]), were(["a", "b"])
    ('was', 'were')
    """
    return "was" if len(systems) == 1 else "were"


def measured_by(called: Mapping[Measure, str], systems: int, cite: Citations) -> str:
    """By which measures, each with the works that it is from."""
    names = [f"{name}{cite(*measure.works)}" for measure, name in called.items()]
    return f"{'It was' if systems == 1 else 'They were'} measured by {joined(names)}."
