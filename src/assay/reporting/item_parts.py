"""What reports on classifiers and on clusterings are put together from alike."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from assay import __version__
from assay.core.errors import ParameterError, did_you_mean, listed
from assay.reporting.contents import Input, Provenance, Role, Spoken
from assay.reporting.item_contents import RemarkOf, ShownMeasure
from assay.reporting.provenance import described, now
from assay.reporting.stamps import Stamp
from assay.reporting.verdicts import spoken
from assay.sections.conflicts import conflict
from assay.sections.sentences import of_verdict

if TYPE_CHECKING:
    from assay.classification import Classification
    from assay.clustering import Clustering
    from assay.comparison import Comparison
    from assay.measures.registry import Measure

#: Of more systems than these, only the first are looked at closely; all are in the table.
MOST_SYSTEMS = 6
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


def verdicts_of(held: Comparison, called: Mapping[str, str], systems: int) -> tuple[tuple[Spoken, ...], list[str]]:
    """The verdicts, measures as people call them; and those under the main measure in words, of a single pair."""
    findings = [one._replace(measure=called.get(one.measure, one.measure)) for one in held.findings]
    main = [one for one in findings if one.measure == findings[0].measure]
    said = [text for one in main for text in (of_verdict(one, "item"), conflict(one, "item")) if text]
    summary = said if systems == _A_PAIR else []
    return tuple(spoken(one, held, "item") for one in findings), summary


def shown_measure(measure: Measure, name: str, note: str = "") -> ShownMeasure:
    """A measure of the table with its bounds, infinite where it has none."""
    low, high = measure.definition.bounds or (-math.inf, math.inf)
    return ShownMeasure(name, float(low), float(high), measure.definition.higher_is_better, note)


def remarks_of(result: Classification | Clustering) -> Iterator[RemarkOf]:
    """The advice; of several systems, each remark names the one that it is about, unless it is about items of all."""
    several = len(result.systems) > 1
    said = [(one.code, one.says) for one in result.advice]
    once: set[tuple[str, str]] = set()
    # In turn: what stands on top must not be about the first system alone.
    by_system = [[one for one in result.advice if one.system == system.name] for system in result.systems]
    for one in filter(None, (remark for turn in zip_longest(*by_system) for remark in turn)):
        of_all = one.code in _ABOUT_ITEMS and said.count((one.code, one.says)) == len(result.systems)
        if of_all and (one.code, one.says) in once:
            continue
        once.add((one.code, one.says))
        yield RemarkOf(one.code, one.says, one.system if several and not of_all else "")


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
        signatures=tuple(dict.fromkeys(one for by in result.signatures.values() for one in by.values())),
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
