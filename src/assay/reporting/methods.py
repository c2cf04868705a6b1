"""How it was done, in a paragraph to paste into a paper, with the works that it cites."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay import __version__
from assay.comparison import Comparison
from assay.errors import number_of, several
from assay.evaluation import Evaluation
from assay.measures.registry import Measure
from assay.report.comparisons import TESTS, family
from assay.reporting.basis import Basis
from assay.reporting.contents import Reference
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
from assay.stats.permutation import NOTHING_DIFFERS

_MOST_NAMES = 8
_TIES = {
    "doc_id_descending": "documents with equal scores were put in descending order of their ids",
    "doc_id_ascending": "documents with equal scores were put in ascending order of their ids",
    "input_order": "documents with equal scores stayed in the order of the run file",
    "expected": "values are means over all orders of documents with equal scores",
}
_MISSING = {
    "zero": "a topic that a run lacks counted as one without results",
    "skip": "topics that a run lacks were left out",
    "error": "every run has all topics",
}
_UNDEFINED = {
    "counted_as": "undefined values counted as the measure declares (mostly 0)",
    "skip": "undefined values were left out of means",
    "error": "no value was undefined",
}


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
        sentences.append(
            f"The scores of {number_of('system', len(basis.systems))} ({_names(basis.systems)}) on {units} were taken "
            f"as given: {_names(basis.measures)}."
        )
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
    topics = number_of("topic", len(evaluation.qrels.topics))
    scale = f"grades {grades.min():g} to {grades.max():g}" if len(grades) else "no grade"
    systems = f"{number_of('system', len(basis.systems))} ({_names(basis.systems)})"
    level = f"a document of grade {evaluation.policies.relevance_level:g} or more counted as relevant"
    were = "was" if len(basis.systems) == 1 else "were"
    yield f"{systems} {were} evaluated on {topics} with {judgments} ({scale}); {level}."
    named = [_measure(basis.measure(name), cite) for name in basis.measures]
    yield f"Effectiveness was measured by {_names(named, most=len(named))}."
    rules = [_TIES[evaluation.policies.ties], "documents without judgment counted as not relevant"]
    if evaluation.policies.unjudged == "error":
        rules[1] = "every document that was looked at has a judgment"
    if evaluation.policies.judged_only:
        rules[1] = "documents without judgment were taken out of the rankings"
    if evaluation.policies.depth is not None:
        rules.append(f"only the first {evaluation.policies.depth:,} documents of a topic were looked at")
    rules += [_MISSING[evaluation.policies.missing], _UNDEFINED[evaluation.undefined]]
    text = "; ".join(rules)
    yield f"{text[0].upper()}{text[1:]}."


def _measure(measure: Measure, cite: Citations) -> str:
    """A measure, the work that it comes from, and the parameters that its name does not show."""
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
    return f"{measure}{cite(*works)}{f' ({details})' if details else ''}"


def _compared(basis: Basis, comparison: Comparison, cite: Citations) -> Iterator[str]:
    settings = comparison.settings
    said = dict.fromkeys(one.outcome.note for one in comparison.findings)
    notes = [note for note in said if note not in {"", NOTHING_DIFFERS}]
    how = f" ({'; '.join(notes)})" if 0 < len(notes) <= 2 else ""
    if not how and settings.resamples is not None:
        how = f" ({settings.resamples:,} random swaps, or all there are where these are fewer)"
    over = family(comparison)
    correction = OF_CORRECTIONS.get(settings.correction)
    corrected = f"p-values were {over}" if over.startswith(("corrected", "not corrected")) else over
    cited = cite(*OF_TESTS[settings.test])
    cited_too = cite(correction) if correction and over.startswith("corrected") else ""
    yield (
        f"Differences from {basis.baseline} were tested two-sidedly at the level {settings.alpha:g} by the "
        f"{TESTS[settings.test]}{cited}{how}; {corrected}{cited_too}."
    )
    yield from _with_intervals(basis, cite)
    margins = sorted({one.margin.value for one in comparison.findings})
    span = f"{margins[0]:g}" if len(margins) == 1 else f"{margins[0]:.2g} to {margins[-1]:.2g}, by measure"
    yield (
        f"A system is called equivalent to the baseline if the {1 - 2 * settings.alpha:.0%} interval of the difference "
        f"lies within the smallest difference that matters (±{span}), as two one-sided tests would have it"
        f"{cite(OF_EQUIVALENCE)}."
    )
    yield (
        f"The number of {several(basis.unit_kind)} needed is that of a paired t test with a power of "
        f"{settings.power:.0%}{cite(OF_POWER)}."
    )


def _with_intervals(basis: Basis, cite: Citations) -> Iterator[str]:
    settings = basis.settings
    if basis.paired:
        kind = "bias-corrected and accelerated (BCa)" if settings.interval == "bca" else "percentile"
        yield (
            f"Intervals are {kind} bootstrap intervals{cite(OF_INTERVALS[settings.interval])} at the "
            f"{1 - settings.alpha:.0%} level, from {settings.bootstrap_resamples:,} resamples of the "
            f"{several(basis.unit_kind)}."
        )


def _names(names: Sequence[str], most: int = _MOST_NAMES) -> str:
    shown = list(names) if len(names) <= most else [*names[:most], f"{len(names) - most} others"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
