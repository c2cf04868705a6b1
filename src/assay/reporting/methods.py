"""How it was done, in a paragraph to paste into a paper, with the works that it cites."""

from __future__ import annotations

from collections.abc import Iterator

from assay import __version__
from assay.comparison import Comparison
from assay.core.digits import as_level
from assay.core.errors import number_of, several
from assay.core.words import INTERVALS, TESTS
from assay.evaluation import Evaluation
from assay.measures.registry import Measure
from assay.reporting.basis import Basis
from assay.reporting.contents import Reference
from assay.reporting.naming import joined
from assay.reporting.rules import other_topics, rules, topics_of
from assay.reporting.works import (
    OF_CORRECTIONS,
    OF_EQUIVALENCE,
    OF_EXPONENTIAL_GAIN,
    OF_INTERVALS,
    OF_MEASURES,
    OF_POWER,
    OF_TESTS,
    work,
)
from assay.sections.testing import family
from assay.stats.permutation import NOTHING_DIFFERS
from assay.stats.suited_tests import SIMULTANEOUS

_MOST_NAMES = 8
#: From so many different notes on, tests do not say how each was done.
_MOST_NOTES = 2


class Citations:
    """Works numbered in the order in which they are first cited.

    >>> cite = Citations()
    >>> cite("holm1979"), cite("efron1987", "holm1979")
    (' [1]', ' [2, 1]')
    """

    def __init__(self) -> None:
        self._keys: list[str] = []

    def __call__(self, *keys: str) -> str:
        """A citation to put after a word; empty without works."""
        self._keys += [key for key in keys if key not in self._keys]
        numbers = ", ".join(str(self._keys.index(key) + 1) for key in keys)
        return f" [{numbers}]" if keys else ""

    def references(self) -> list[Reference]:
        """The list of references."""
        return [Reference(f"[{n}]", work(key).entry(), work(key).bibtex) for n, key in enumerate(self._keys, 1)]


def methods(basis: Basis) -> tuple[str, list[Reference]]:
    """The paragraph, and its references; only what was used is in it."""
    cite = Citations()
    sentences: list[str] = []
    if basis.evaluation is None:
        units = number_of(basis.unit_kind, len(basis.paired[basis.main].units))
        systems = f"{number_of('system', len(basis.systems))} ({joined(basis.systems, _MOST_NAMES)})"
        names = joined(basis.measures, most=len(basis.measures))
        sentences.append(f"The scores of {systems} on {units} were taken as given: {names}.")
    else:
        sentences += _evaluated(basis, basis.evaluation, cite)
    if basis.comparison is not None:
        sentences += _compared(basis, basis.comparison, cite)
    else:
        sentences += _with_intervals(basis, cite)
    sentences.append(f"All numbers were computed with Assay {__version__} (seed {basis.settings.seed}).")
    return " ".join(sentences), cite.references()


def _evaluated(basis: Basis, evaluation: Evaluation, cite: Citations) -> Iterator[str]:
    grades = evaluation.qrels.frame["relevance"].to_numpy()
    judgments = number_of("relevance judgment", len(grades))
    scale = f"grades {grades.min():g} to {grades.max():g}" if len(grades) else "no grade"
    systems = f"{number_of('system', len(basis.systems))} ({joined(basis.systems, _MOST_NAMES)})"
    level = f"a document of grade {evaluation.policies.relevance_level:g} or more counted as relevant"
    were = "was" if len(basis.systems) == 1 else "were"
    others = other_topics(basis)
    topics = f"{topics_of(basis, evaluation)}{f' ({others})' if others else ''}"
    yield f"{systems} {were} evaluated on {topics} with {judgments} ({scale}); {level}."
    top = evaluation.systems[0].ranks.max_grade
    named = [_measure(basis.measure(name), top, cite) for name in basis.measures]
    yield f"Effectiveness was measured by {joined(named, most=len(named))}."
    yield rules(basis, evaluation)


def _measure(measure: Measure, top: float, cite: Citations) -> str:
    """A measure, the work that it comes from, and the parameters that its name does not show.

    `top` is the largest grade of the judgments: the top of the scale, where a measure wants one and none was named.
    """
    at = measure.definition.at
    chosen = {
        name: value
        for name, value in measure.parameters.items()
        if name not in {at, *measure.given} and value is not None
    }
    works = [OF_MEASURES[measure.name]] if measure.name in OF_MEASURES else []
    if measure.parameters.get("gain") == "exp":
        works.append(OF_EXPONENTIAL_GAIN)
    details = ", ".join(
        f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}" for name, value in chosen.items()
    )
    if "max_grade" in measure.parameters and measure.parameters["max_grade"] is None:
        details += f"{', ' if details else ''}max_grade {top:g}, the largest in the judgments"
    return f"{measure}{cite(*works)}{f' ({details})' if details else ''}"


def _compared(basis: Basis, comparison: Comparison, cite: Citations) -> Iterator[str]:
    settings = comparison.settings
    test, cited = TESTS[settings.test], cite(*OF_TESTS[settings.test])
    article = "" if test.startswith("Tukey's") else "the "
    yield (
        f"Differences from {basis.baseline} were tested two-sidedly at the level {settings.alpha:g} by {article}{test}"
        f"{cited}{_how(comparison)}; {_family(comparison, cite)}."
    )
    yield from _with_intervals(basis, cite)
    margins = sorted({one.margin.value for one in comparison.findings})
    span = f"{margins[0]:g}" if len(margins) == 1 else f"{margins[0]:.2g} to {margins[-1]:.2g}, by measure"
    yield (
        f"A system is called equivalent to the baseline if the {as_level(1 - 2 * settings.alpha)} interval of the "
        f"difference lies within the smallest difference that matters (±{span}), as two one-sided tests would have it"
        f"{cite(OF_EQUIVALENCE)}."
    )
    yield (
        f"The number of {several(basis.unit_kind)} needed is that of a paired t test with a power of "
        f"{as_level(settings.power)}{cite(OF_POWER)}."
    )


def _how(comparison: Comparison) -> str:
    """How the test was done, in brackets: how many swaps were drawn, or what an analysis of variance gave."""
    settings = comparison.settings
    said = dict.fromkeys((one.measure, one.outcome.note) for one in comparison.findings)
    notes = {(measure, note): None for measure, note in said if note not in {"", NOTHING_DIFFERS}}
    if settings.test == "tukey" and len(comparison.measures) > 1:  # its numbers are those of one measure
        told = [f"{measure}: {note}" for measure, note in notes]
        return f" ({'. '.join(told)})" if told else ""
    distinct = list(dict.fromkeys(note for _, note in notes))
    if 0 < len(distinct) <= _MOST_NOTES:
        return f" ({'; '.join(distinct)})"
    if settings.resamples is not None:
        return f" ({settings.resamples:,} random swaps, or all there are where these are fewer)"
    return ""


def _family(comparison: Comparison, cite: Citations) -> str:
    """What p-values were corrected over."""
    settings = comparison.settings
    if settings.test in SIMULTANEOUS:
        under = ", measure by measure" if len(comparison.measures) > 1 else ""
        return f"p-values hold for all {number_of('pair', comparison.family_size)} of systems at once{under}"
    over = family(comparison)
    if comparison.family_size == 1:
        return over
    correction = OF_CORRECTIONS.get(settings.correction)
    return f"p-values were {over}{cite(correction) if correction else ''}"


def _with_intervals(basis: Basis, cite: Citations) -> Iterator[str]:
    settings = basis.settings
    if basis.paired:
        adjusted = (
            ", not adjusted for the number of comparisons"
            if basis.comparison is not None and basis.comparison.family_size > 1
            else ""
        )
        for way in dict.fromkeys(one.method for _, one in basis.standings.values() if one.method in OF_INTERVALS):
            drawn = f", from {settings.bootstrap_resamples:,} resamples of the {several(basis.unit_kind)}"
            yield (
                f"Intervals are {INTERVALS[way].full}{cite(*OF_INTERVALS[way])} at the "
                f"{as_level(1 - settings.alpha)} level{'' if way == 't' else drawn}{adjusted}."
            )
