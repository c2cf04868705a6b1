"""The methods paragraph: how systems were tested, and the works it cites, from `works.bib`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from assay import __version__
from assay.core.digits import as_level
from assay.core.errors import joined, number_of, several
from assay.core.words import CORRECTIONS, INTERVALS, TESTS
from assay.show.model import Prose, References, Section, Work
from assay.stats.estimates import CITES as CITES_OF_INTERVALS
from assay.stats.estimates import SUBSAMPLING
from assay.stats.power import CITES as CITES_OF_POWER
from assay.stats.tests import SIMULTANEOUS
from assay.stats.verdict import CITES as CITES_OF_VERDICTS
from assay.stats.verdict import CITES_OF_CORRECTIONS

if TYPE_CHECKING:
    from assay.measures.registry import Measure
    from assay.verbs.comparison.findings import Finding
    from assay.verbs.comparison.result import Comparison
    from assay.verbs.report.report import Reported


_ENTRY = re.compile(r"^@(?P<kind>\w+)\{(?P<key>\w+),\n(?P<fields>.*?)^\}$", re.MULTILINE | re.DOTALL)

_FIELD = re.compile(r"^  (?P<name>\w+) = \{(?P<value>.*)\},$", re.MULTILINE)


class Entry(NamedTuple):
    """A published work: the fields of its entry of the BibTeX file, and that entry."""

    fields: dict[str, str]
    bibtex: str

    def __str__(self) -> str:
        """The entry of a list of references.

        >>> print(entries()["holm1979"])
        Holm, S. (1979). A simple sequentially rejective multiple test procedure.
        Scandinavian Journal of Statistics, 6(2), 65–70.
        """
        fields = self.fields
        authors = fields["author"].split(" and ")
        names = authors[0] if len(authors) == 1 else f"{', '.join(authors[:-1])}, & {authors[-1]}"
        issue = fields.get("volume", "") + (f"({fields['number']})" if "number" in fields else "")
        pages = fields.get("pages", "").replace("--", "–")
        where = ", ".join(filter(None, (self._container, issue, pages)))
        parts = (f"{names} ({fields['year']})", fields["title"], where, fields.get("publisher", ""))
        return " ".join(f"{part.removesuffix('.')}." for part in parts if part)

    @property
    def _container(self) -> str:
        """The journal, or the proceedings or the book with its editors."""
        book = self.fields.get("booktitle", "")
        if "editor" in self.fields:
            editors = [" ".join(reversed(name.split(", "))) for name in self.fields["editor"].split(" and ")]
            book = f"{' & '.join(editors)} (Eds.), {book}"
        return self.fields.get("journal") or (f"In {book}" if book else "")


@cache
def entries() -> dict[str, Entry]:
    """All works by their keys."""
    text = (files("assay.verbs.sections") / "works.bib").read_text(encoding="utf-8")
    return {
        # Braces keep the capitals of a title, and `&` is escaped, for BibTeX only.
        entry["key"]: Entry(
            {
                field["name"]: field["value"].strip("{}").replace(r"\&", "&")
                for field in _FIELD.finditer(entry["fields"])
            },
            entry[0],
        )
        for entry in _ENTRY.finditer(text)
    }


class Citations:
    """Works numbered in the order in which they are first cited.

    >>> cite = Citations()
    >>> cite("holm1979"), cite("efron1987", "holm1979"), cite("unknown")
    (' [1]', ' [2, 1]', '')
    >>> [work.key for work in cite.works()]
    ['[1]', '[2]']
    """

    def __init__(self) -> None:
        self._places: dict[str, int] = {}

    def __call__(self, *keys: str) -> str:
        """A citation to put after a word; empty without works. Users' measures may name works that are not here."""
        known = (key for key in keys if key in entries())
        places = [str(self._places.setdefault(key, len(self._places) + 1)) for key in known]
        return f" [{', '.join(places)}]" if places else ""

    def works(self) -> tuple[Work, ...]:
        """The works cited, in order."""
        cited = ((place, entries()[key]) for key, place in self._places.items())
        return tuple(Work(f"[{place}]", str(entry), entry.bibtex) for place, entry in cited)


#: From more different notes than this on, tests do not say how each was done.
_MOST_NOTES = 2


def method(comparison: Comparison) -> str:
    """The way a comparison was made, in a sentence for a paper."""
    test = _tests(comparison)
    margins = sorted({finding.margin.value for finding in comparison.findings if not math.isnan(finding.margin.value)})
    least, most = (margins[0], margins[-1]) if margins else (math.nan, math.nan)
    extent = f"{least:.2g} to {most:.2g}" if least < most else f"{least:g}"
    margin = f"{extent} ({' or '.join(dict.fromkeys(finding.margin.says for finding in comparison.findings))})"
    return (
        f"{test[0].upper()}{test[1:]}, {family(comparison)}; {intervals_in_words(comparison)}; margin {margin}; "
        f"alpha {comparison.settings.alpha:g}; seed {comparison.settings.seed}."
    )


def _tests(comparison: Comparison) -> str:
    """The test; of several, which measures each is for."""
    by_test: dict[str, list[Finding]] = {}
    for finding in comparison.findings:
        by_test.setdefault(finding.outcome.test, []).append(finding)
    names = []
    for test, findings in by_test.items():
        differ = [finding for finding in findings if not finding.all_zero]
        tested = [finding for finding in differ if not math.isnan(finding.outcome.p)] or differ
        notes = dict.fromkeys(finding.outcome.note for finding in tested if finding.outcome.note)
        how = f" ({'; '.join(notes)})" if 0 < len(notes) <= _MOST_NOTES else ""
        measures = list(dict.fromkeys(finding.measure for finding in findings))
        names.append(f"{TESTS[test]}{f' for {joined(measures)}' if len(by_test) > 1 else ''}{how}")
    return ", ".join(names)


def intervals_in_words(comparison: Comparison) -> str:
    """The ways intervals were made: those that take resamples first, then the others."""
    level = as_level(1 - comparison.settings.alpha)
    drawn: dict[str, None] = {}
    plain: dict[str, None] = {}
    for finding in comparison.findings:
        outcome = finding.outcome
        method = finding.interval.method
        if method == SUBSAMPLING:
            drawn[f"intervals at {level} from {outcome.resamples or 0:,} {INTERVALS[method].short}"] = None
        elif method in INTERVALS and INTERVALS[method].is_drawn:
            # Measures of scores are computed anew for each resample, and so take fewer.
            fewer = outcome.resamples if outcome.test == "bootstrap_interval" else None
            resamples = fewer or comparison.settings.bootstrap_resamples
            if resamples:  # none are drawn for a measure that is undefined
                drawn[f"{INTERVALS[method].adjective} intervals at {level} ({resamples:,} resamples)"] = None
        elif method in INTERVALS:
            plain[f"{INTERVALS[method].adjective} intervals at {level}"] = None
    return ", ".join((*drawn, *plain)) or "no intervals"


def family(comparison: Comparison) -> str:
    """The family of comparisons, and how p-values were corrected for it."""
    settings = comparison.settings
    pairs = comparison.pairs
    measures = len(comparison.measures)
    together = settings.family == "all" and measures > 1
    if len(pairs.pairs) == 1 and not together:
        return "one comparison" if measures == 1 else "one comparison under each measure"
    if pairs.all_pairs:
        over = f"all {number_of('pair', len(pairs.pairs))} of systems"
    else:
        baselines = dict.fromkeys(finding.baseline for finding in comparison.findings)
        over = f"{number_of('comparison', len(pairs.pairs))} with {' and '.join(baselines)}"
    if measures > 1:
        over += f", under {measures} measures together" if together else ", measure by measure"
    if settings.test in SIMULTANEOUS:
        return f"for {over}"
    if settings.correction == "bonferroni" and comparison.samples[0].decides_by == "interval":
        level = as_level(1 - settings.alpha / comparison.family_size)
        return f"which is wider ({level}, by Bonferroni's method) for {over}"
    return f"{CORRECTIONS[settings.correction]} over {over}"


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
    text = " ".join(sentences)
    works = cite.works()
    parts = (Prose(text, "copy", title="Methods paragraph"), *([References(works)] if works else ()))
    return Section("methods", "Methods", parts, "Ready to paste into a paper.", "Methods", {"paragraph": text})


def tested(comparison: Comparison) -> str:
    """Differences were tested, and at which level."""
    return f"{differences_from(comparison)} were tested two-sidedly at the level {comparison.settings.alpha:g}"


def differences_from(comparison: Comparison) -> str:
    """The differences that were compared."""
    return f"Differences from {comparison.findings[0].baseline}"


def correction(comparison: Comparison, cite: Citations) -> str:
    """The comparisons that p-values were corrected over."""
    settings = comparison.settings
    if settings.test in SIMULTANEOUS:
        under = ", measure by measure" if len(comparison.measures) > 1 else ""
        return f"p-values hold for all {number_of('pair', comparison.family_size)} of systems at once{under}"
    if comparison.family_size == 1:
        return family(comparison)
    return f"p-values were {family(comparison)}{cite(*CITES_OF_CORRECTIONS.get(settings.correction, ()))}"


def equivalence(comparison: Comparison, unit_kind: str, cite: Citations) -> Iterator[str]:
    """The meaning of equivalent, and the number of units needed to tell more."""
    settings = comparison.settings
    margins = sorted({finding.margin.value for finding in comparison.findings})
    span = f"{margins[0]:g}" if len(margins) == 1 else f"{margins[0]:.2g} to {margins[-1]:.2g}, by measure"
    yield (
        f"A system is called equivalent to the baseline if the {as_level(1 - 2 * settings.alpha)} interval of the "
        f"difference lies within the smallest difference that matters (±{span}), as two one-sided tests would have it"
        f"{cite(CITES_OF_VERDICTS)}."
    )
    yield (
        f"The number of {several(unit_kind)} needed is that of a paired t test with a power of "
        f"{as_level(settings.power)}{cite(CITES_OF_POWER)}."
    )


def systems_named(kind: str, names: Sequence[str], most: int = MOST_NAMES) -> str:
    """The number of systems, and their names.

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
    return f"{'It was' if systems == 1 else 'They were'} measured by {cited_measures(called, cite)}."


def cited_measures(called: Mapping[Measure, str], cite: Citations) -> str:
    """Measures by their names, each with the works that it is from."""
    return joined([f"{name}{cite(*measure.works)}" for measure, name in called.items()])


def intervals_of(way: str, confidence: float, resamples: int, units: str, cite: Citations) -> str:
    """The way the intervals of single systems were made.

    >>> intervals_of("percentile", 0.95, 2000, "items", Citations())
    'Intervals at the 95% level are percentile bootstrap intervals [1], from 2,000 resamples of the items.'
    """
    drawn = f", from {resamples:,} resamples of the {units}" if resamples else ""
    cited = cite(*CITES_OF_INTERVALS.get(way, ()))
    return f"Intervals at the {as_level(confidence)} level are {INTERVALS[way].full}{cited}{drawn}."


def compared_by(comparison: Comparison, unit: str) -> str:
    """The tests of differences, unit by unit."""
    return f"{differences_from(comparison)}, by {unit}: {method(comparison)}"
