"""What reports on classifiers and on clusterings have alike: the summary, advice, verdicts, provenance."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from assay import __version__
from assay.core.errors import ParameterError, did_you_mean, listed, number_of
from assay.core.words import tone_of
from assay.reporting.contents import Input, Provenance, Role
from assay.reporting.provenance import described, now
from assay.reporting.stamps import Stamp
from assay.sections.conflicts import conflict
from assay.sections.sentences import headline, of_verdict, without_caveat
from assay.sections.verdicts import verdicts_table
from assay.show.model import Prose, Section, Verdict

if TYPE_CHECKING:
    from assay.classification import Classification
    from assay.clustering import Clustering
    from assay.comparison import Comparison

#: Of more systems than these, only the first are looked at closely; all are in the table.
MOST_SYSTEMS = 6
#: So many remarks stand beside the claim; the others below it.
_MOST_REMARKS = 4
_A_PAIR = 2
_IN_MEMORY = "in memory"
#: Advice on items that all systems were given; all other advice is on what a system made of them.
_ABOUT_ITEMS = frozenset({"left_out"})


def refuse_told(told: Mapping[str, Any], result: str, verb: str) -> None:
    """A report that is made of a result takes its measures and rules from there."""
    for name in [name for name, value in told.items() if value is not None]:
        raise ParameterError(f"{name} belongs to the {result} that the report is made of: give it to {verb}")


def refuse_unknown(rules: Iterable[str], known: Sequence[str], of: str) -> None:
    """A rule that there is none of, with the one that may be meant."""
    for name in rules:
        if name not in known:
            raise ParameterError(f"{name!r} is no rule of {of}{did_you_mean(name, known)}")


def baseline_of(result: Classification | Clustering, baseline: str | None) -> str:
    """The system that the others are held against: the first one unless another is named."""
    names = [system.name for system in result.systems]
    if baseline is not None and baseline not in names:
        hint = did_you_mean(baseline, names)
        raise ParameterError(f"the baseline is one of {listed(names)}, not {baseline!r}{hint}")
    return baseline or names[0]


def renamed(held: Comparison, called: Mapping[str, str]) -> Comparison:
    """A comparison whose measures are named as people call them."""
    findings = (finding._replace(measure=called.get(finding.measure, finding.measure)) for finding in held.findings)
    return replace(held, findings=tuple(findings))


def summary(result: Classification | Clustering, lead: str, worth: Iterable[str], held: Comparison | None) -> Section:
    """What the systems are worth in words, what to know about that, and what to mind.

    The verdict on a single pair under the main measure stands on top: short, then with its numbers.
    """
    claim, *rest = worth
    parts: list[Prose | Verdict] = [Prose(claim, "claim"), *map(Prose, rest)]
    if held is not None and len(result.systems) == _A_PAIR:
        finding = held.findings[0]
        short = f"{headline(finding)} under {finding.measure}."
        numbers = filter(None, (of_verdict(finding, "item"), conflict(finding, "item")))
        word = finding.verdict.word
        parts = [Verdict(word, tone_of(word), short), *map(Prose, numbers), Prose(claim), *map(Prose, rest)]
    remarks = tuple(remarks_of(result))
    if remarks:
        parts.append(Prose(style="advice", title="What to know", points=remarks[:_MOST_REMARKS]))
    if result.warnings:
        parts.append(Prose(style="warning", title="Mind this", points=tuple(result.warnings)))
    advice = [remark._asdict() for remark in result.advice]
    return Section("summary", "", tuple(parts), lead, data={"confidence": result.confidence, "advice": advice})


def further_advice(result: Classification | Clustering) -> Iterator[Section]:
    """The remarks that have no place beside the claim."""
    if rest := tuple(remarks_of(result))[_MOST_REMARKS:]:
        yield Section("advice", "More to know", (Prose(style="list", points=rest),), short="Advice")


def remarks_of(result: Classification | Clustering) -> Iterator[str]:
    """The advice in sentences; of several systems, each names the one that it is about, unless it is about all."""
    several = len(result.systems) > 1
    every = [(remark.code, remark.says) for remark in result.advice]
    once: set[tuple[str, str]] = set()
    # In turn: what stands on top must not be about the first system alone.
    by_system = [[remark for remark in result.advice if remark.system == system.name] for system in result.systems]
    for remark in filter(None, (remark for turn in zip_longest(*by_system) for remark in turn)):
        key = remark.code, remark.says
        of_all = remark.code in _ABOUT_ITEMS and every.count(key) == len(result.systems)
        if of_all and key in once:
            continue
        once.add(key)
        yield f"{remark.system}: {remark.says}." if several and not of_all else f"{remark.says}."


def verdicts(held: Comparison, caption: str, drawn: Collection[str]) -> Section:
    """Each verdict on a line, and all of them in words; differences are drawn of measures in `drawn`."""
    tested = any(not math.isnan(finding.p) for finding in held.findings)  # clusterings have intervals only
    table = verdicts_table(held.findings, name="verdicts", caption=caption, effects="none", tested=tested, drawn=drawn)
    words = tuple(Prose(without_caveat(finding, "item", held.settings.power)) for finding in held.findings)
    settings = {"comparisons": held.family_size, "correction": held.correction, "settings": held.settings._asdict()}
    return Section("verdicts", parts=(table, Section("words", "In words", words, fold="closed")), data=settings)


def shown_for(shown: int, result: Classification | Clustering, what: str) -> str:
    """That a section does not show all systems, where it does not."""
    systems = len(result.systems)
    return "" if shown == systems else f" Shown for {shown:,} of {number_of(what, systems)}."


def provenance_of(
    result: Classification | Clustering,
    settings: Mapping[str, str | None],
    inputs: Iterable[Input],
    command: str,
) -> Provenance:
    """Everything that the report can be made again from."""
    return Provenance(
        version=__version__,
        command=command,
        made=now(),
        seed=result.seed,
        inputs=tuple(inputs),
        # Of systems that were counted by the same rules, each number has one signature.
        signatures=tuple(dict.fromkeys(text for by in result.signatures.values() for text in by.values())),
        settings=tuple((name, value) for name, value in settings.items() if value is not None),
    )


def inputs_of(
    origins: Mapping[str, str | None], role: Role, says: Callable[[str], str], counts: str, before: Mapping[str, Stamp]
) -> Iterator[Input]:
    """The files, each once, and what was in memory; `origins` are those of the systems, None if there is none."""
    groups: dict[str, list[str]] = {}
    for name, origin in origins.items():
        groups.setdefault(origin or _IN_MEMORY, []).append(name)
    for origin, names in groups.items():
        systems = ", ".join(names)
        if origin == _IN_MEMORY:
            yield described(before, role, systems, _IN_MEMORY, counts)
        else:
            yield described(before, role, origin, says(systems), counts)
