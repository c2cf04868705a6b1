"""`gate`: may the candidate take the baseline's place? Both as a subject pairs them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import Any, NamedTuple, Self, TypeVar, Unpack

from assay import __version__
from assay.core import options, registry
from assay.core.digits import as_percents
from assay.core.domains import SHARE, Choice, Whole, check_levels
from assay.core.errors import InputError, ParameterError, argument_name, listed, not_among, number_of
from assay.core.evaluation_options import Seed
from assay.core.idle_options import OF_GATES, refuse_idle
from assay.core.options import Inconclusive, SubjectRules
from assay.measures.registry import Measure
from assay.stats.pairing import Directions, ItemPairing, MeasuredPairing, Pairing
from assay.stats.samples import Sample, few_units
from assay.stats.verdict import resamples_for
from assay.verbs.comparison.result import attribute_of
from assay.verbs.gating.checks import (
    Coverage,
    GateSettings,
    Guard,
    Margins,
    Named,
    as_drawn,
    checks_of,
    margins_of,
    parts_of,
)
from assay.verbs.gating.result import GateResult
from assay.verbs.subject import check_rules, name_of, subject_of

#: What to say where there is nothing that a gate could be on.
TAKES = (
    "a gate takes judgments, a baseline and a candidate; or predictions of two classifiers; or two clusterings; or two "
    "extractions; or scores of two systems"
)
#: A table of one system, or its result: a dataclass with a `name`.
System = TypeVar("System", bound=Any)


class Two(NamedTuple):
    """The baseline and the candidate, as they were given: systems, or names of systems, or nothing."""

    baseline: Any = None
    candidate: Any = None

    @classmethod
    def of(cls, data: Any, rest: Sequence[Any], baseline: Any, candidate: Any) -> Two:
        """The two given by name or, after the data, by place; after data that hold the truth comes the candidate
        alone.

        >>> Two.of("qrels.txt", ["old", "new"], None, None), Two.of("scores.csv", ["words"], None, "bayes")
        (Two(baseline='old', candidate='new'), Two(baseline='words', candidate='bayes'))
        """
        if len(rest) == 1 and candidate is None and name_of(data) and name_of(rest[0]) == name_of(data):
            rest = [None, *rest]
        sides = [baseline, candidate]
        if len(rest) > len(sides):
            raise ParameterError(f"a gate takes a baseline and a candidate, not {number_of('system', len(rest))}")
        for place, each in enumerate(rest):
            if each is not None and sides[place] is not None:
                raise ParameterError(f"the {cls._fields[place]} is given twice")
            sides[place] = sides[place] if each is None else each
        return cls(*sides)

    def among(self, data: Any, opened: Callable[[Any], list[System]], holds: str, truth: str = "truth") -> list[System]:
        """Both systems, baseline first; `opened` gives those that data hold.

        The data and, where they are data too, baseline and candidate hold the systems; where the latter are names, they
        choose among the systems. Of two systems, the one without a part takes the other's; where neither has one, the
        first is the baseline. `holds`: what data are, in words; `truth`: what is in them.
        """
        subject = name_of(data)
        first, second = (opened(side) if side is not None and name_of(side) == subject else [] for side in self)
        rest = opened(data)
        if first and second:
            named = listed([system.name for system in rest])
            raise ParameterError(
                f"{holds} hold the {truth} themselves: give a baseline and a candidate alone, without {named}"
            )
        groups = with_roles([group for group in (first, rest, second) if group])
        first, second = (groups[0] if first else []), (groups[-1] if second else [])
        every = [system for group in groups for system in group]
        names = [system.name for system in every]
        old, new = chosen_two(names, _name(self.baseline, first, holds), _name(self.candidate, second, holds))
        ends = ((old, every), (new, every[::-1]))
        return [next(system for system in systems if system.name == name) for name, systems in ends]


def with_roles(groups: list[list[System]]) -> list[list[System]]:
    """The systems; in many pipelines, both files have the same name: then each name gets its role."""
    if [len(group) for group in groups] != [1, 1]:
        return groups
    names = role_names([system.name for (system,) in groups])
    return [[replace(system, name=name)] for (system,), name in zip(groups, names, strict=True)]


def role_names(names: Sequence[str]) -> list[str]:
    """The names of a baseline and a candidate, with their roles where the names are the same.

    >>> role_names(["model", "model"]), role_names(["old", "new"])
    (['model (baseline)', 'model (candidate)'], ['old', 'new'])
    """
    if len(set(names)) == len(names):
        return list(names)
    return [f"{name} ({role})" for name, role in zip(names, Two._fields, strict=True)]


def _name(side: Any, opened: Sequence[Any], holds: str) -> str | None:
    """The name of the system that was meant, as far as it is known."""
    if side is None or opened:
        return opened[0].name if len(opened) == 1 else None
    if not isinstance(side, str):
        kind = type(side).__name__
        raise ParameterError(f"beside {holds}, expected more of them or the name of a system, got {kind}")
    return side


def chosen_two(names: list[str], baseline: str | None, candidate: str | None) -> tuple[str, str]:
    """The names of the baseline and the candidate, of which one or both may not have been said.

    >>> chosen_two(["old", "new"], None, "old")
    ('new', 'old')
    """
    for name in (baseline, candidate):
        if name is not None and name not in names:
            raise not_among("system", name, names)
    rest = [name for name in names if name not in {baseline, candidate}]
    first = baseline or (rest.pop(0) if rest else None)
    second = candidate or (rest.pop(0) if rest else None)
    if first is not None and first == second:
        raise ParameterError(f"the baseline and the candidate are both {first!r}")
    if first is None or second is None:
        raise ParameterError(f"a gate takes a baseline and a candidate, not {listed(names)} alone")
    if rest and (baseline is None or candidate is None):
        raise ParameterError(f"which of {listed(names)} is the baseline, and which the candidate? name both")
    return first, second


@dataclass(frozen=True, eq=False)
class Sides:
    """Baseline and candidate, paired under the same rules, and the measures to gate on.

    `named`: what a measure is called here. `coverage`: what the numbers of runs rest on. `frozen`: the baseline, where
    it was one of earlier numbers.
    """

    pairing: Pairing
    measures: list[str]
    named: Named = str
    coverage: tuple[Coverage, ...] = ()
    frozen: Any = None

    @classmethod
    def of(cls, pairing: MeasuredPairing, measures: Any, usual: Sequence[str] | None = None) -> Self:
        """Both systems; unless measures are asked for, the gate is on the `usual` ones, or on the headline."""
        names = pairing.measure_names((usual or pairing.measure_names()[:1]) if measures is None else measures)
        return cls(pairing, names, lambda measure: str(pairing.measure(measure)))

    def guards(self, samples: Sequence[Sample], settings: GateSettings) -> tuple[Guard, ...]:
        """The conditions on the inputs of both."""
        return ()

    def why_undefined(self, measure: str) -> str:
        """The reason why a measure has no value for any unit of a system, where only the subject knows."""
        return ""

    def notes(self) -> list[str]:
        """Notes on the inputs."""
        return []


class ItemSides(Sides):
    """Two systems on the same items: neither may lack too many that the other has."""

    pairing: ItemPairing

    def guards(self, samples: Sequence[Sample], settings: GateSettings) -> tuple[Guard, ...]:
        """True if neither system lacks too many of the items that the other has."""
        guards = []
        pairing = self.pairing
        allowed = settings.max_missing
        for system, other, size in zip(pairing.names, pairing.names[::-1], pairing.sizes[::-1], strict=True):
            lacking = size - len(pairing.items)
            part, most = as_percents([lacking / size, allowed])
            says = f"{system} lacks {lacking:,} of {number_of('item', size)} of {other} ({part})"
            advice = "run both systems on the same items; or allow more to be missing ({max_missing})"
            holds = lacking <= allowed * size + 1e-9
            guards.append(Guard("missing items", system, holds, f"{says}; allowed are {most}", advice))
        return tuple(guards)


#: The share of units that a system may lack, unless stated.
_MOST_MISSING = 0.1


def gate(
    qrels: Any,
    *two: Any,
    baseline: Any = None,
    candidate: Any = None,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    margin: float | Mapping[str, float] | Margins | None = None,
    direction: Directions = None,
    alpha: options.Alpha = 0.05,
    inconclusive: options.Inconclusive = "report",
    max_missing: options.MaxMissing = _MOST_MISSING,
    min_judged: options.MinJudged | None = None,
    slices: str | None = None,
    topics: Any = None,
    resamples: options.Permutations | None = None,
    bootstrap_resamples: options.Resamples = 10_000,
    seed: Seed = 0,
    **rules: Unpack[SubjectRules],
) -> GateResult:
    """Say whether a candidate may take the baseline's place: it passes, fails, or is inconclusive.

    `baseline` and `candidate`, by name or in this order, are runs in any shape that `evaluate` takes; the baseline may
    also be frozen: what `freeze` gives, or its file. It then brings its own rules, and has no others. `measures`:
    nDCG@10 unless given, or all that a frozen baseline holds. `margin`: the smallest loss that matters, for all
    measures or by measure; unless given, 0.01 of a measure's range. `direction`: whether `higher` or `lower` is better,
    for measures that are neither good nor bad when they are high, such as counts. `slices`: also check the topics that
    share a value of this attribute of `topics` (a table or a file; or a dict from topics to values, and `slices` is
    what it is called).

    A check passes if the candidate is surely not worse by the margin or more (the one-sided bound of the difference
    lies within it), and fails if it is surely worse (one-sided test, corrected by Holm over all checks) and the loss
    reaches the margin. The gate is as good as the worst of its checks. It is invalid if a run lacks more than
    `max_missing` of the judged topics, if less than `min_judged` of a run's first ten documents are judged or none of
    both runs', and if a measure is undefined for all topics of a run.

    Predictions of classifiers hold the truth themselves: `gate(old, new)`, `gate(new, baseline=old)`, or one table or
    file with several systems, of which `baseline` and `candidate` are names. `measures` is then Accuracy unless given;
    the rules are `pos_label`, `threshold` and `missing` (`error`, or `drop` items that one of them lacks, at most
    `max_missing`).

    So do clusterings: the same calls, with the rules of `cluster` and `missing`, and `measures` is ARI unless given, or
    Silhouette where no classes are known. There is no test of them: a check fails if the interval of the difference,
    made wider for the other checks, lies on the bad side of 0 as a whole, and the loss reaches the margin.

    Two results of `extract` are gated in the same way, or `gate(truth, old_spans, new_spans)`; `measures` is then F. Of
    bare `Scores`, `baseline` and `candidate` are names, and `direction` is asked for where it is not known.

    `inconclusive`: what the exit code then is: 3 (`report`), or that of `pass` or `fail`. Files that cannot be read,
    runs of other topics and a frozen baseline of other judgments raise an error.

    >>> judged = {f"q{n}": {"good": 1} for n in range(6)}
    >>> old = {query: {"good": 2.0, "bad": 1.0} for query in judged}
    >>> new = {query: {"good": 1.0, "bad": 2.0} for query in judged}
    >>> gate(judged, old, new, measures="RR").outcome, gate(judged, old, old, measures="RR").outcome
    ('fail', 'pass')
    """
    subject = subject_of(qrels) if name_of(qrels) else subject_of(qrels, *two, baseline, candidate)
    check_rules(rules, subject, gate)
    systems = Two.of(qrels, two, baseline, candidate)
    asked = {"max_missing": max_missing}
    if "missing" in subject.rules:
        refuse_idle(OF_GATES, asked | dict(rules), {"max_missing": _MOST_MISSING, "missing": subject.missing})
    elif max_missing != _MOST_MISSING:
        name = argument_name("max_missing")
        raise ParameterError(f"{name} has no effect: no unit of {subject.words.rules_of} can be said to be missing")
    check_levels(alpha=alpha, power=0.8)
    Choice(Inconclusive).check("inconclusive", inconclusive)
    seed, redraws = Whole(0).check("seed", seed), Whole(100).check("bootstrap_resamples", bootstrap_resamples)
    allowed = SHARE.check("max_missing", max_missing)
    least = None if min_judged is None else SHARE.check("min_judged", min_judged)
    if (slices is None) != (topics is None):
        raise ParameterError("slices (an attribute) and topics go together")
    attribute = {} if topics is None else attribute_of(topics, slices)
    sides: Sides = registry.load(subject.gated)(qrels, systems, measures, seed, rules)
    sides.pairing.check_drawing(resamples)
    margins = margins_of(margin, sides.named, sides.measures)
    if least is not None and not sides.coverage:
        raise ParameterError("min_judged goes with judgments and runs")
    pairing = sides.pairing.directed(direction, sides.measures)
    samples = [_sample(sides, pairing, measure) for measure in sides.measures]
    parts = parts_of(samples, margins, slices, attribute)
    swaps = resamples_for(len(parts), alpha) if resamples is None else Whole(100).check("resamples", resamples)
    settings = GateSettings(alpha, inconclusive, allowed, least, swaps, redraws, seed)
    checks = checks_of(parts, settings)
    notes = [note for sample in samples for note in sample.notes(absences=False)]
    notes += [note for part in parts if not part.slice for note in part.sample.margin_notes(part.margin)]
    notes += sides.notes()
    few = [check for check in checks if check.interval == "t" and not check.slice]
    notes += [note for check in few for note in few_units(check.unit_kind, check.units)]
    notes += pairing.remarks(sides.measures, usual=measures is None, instead="would say more")
    unknown = [check.measure for check in checks if check.outcome == "inconclusive" and isnan(check.at_worst)]
    drawing = samples[0].redraws(settings.drawing)
    notes += [note for measure in unknown for note in pairing.without_intervals(measure, samples[0].systems, drawing)]
    if sides.frozen is not None and sides.frozen.version != __version__:
        notes.append(f"the baseline was frozen by assay {sides.frozen.version}, this is {__version__}")
    first, second = samples[0].systems
    return GateResult(
        first,
        second,
        checks,
        sides.guards(samples, settings),
        sides.coverage,
        as_drawn(settings, checks),
        pairing,
        sides.frozen,
        tuple(dict.fromkeys(notes)),
    )


def _sample(sides: Sides, pairing: Pairing, measure: str) -> Sample:
    """Both systems under a measure; where one has no value to compare, that is what is said."""
    try:
        sample = pairing.sample(measure)
    except InputError as problem:
        if why := sides.why_undefined(measure):
            raise InputError(why) from problem
        raise
    for system, value in zip(sample.systems, sample.observed, strict=True):
        if not (sample.averages_units or sample.only_differences) and isnan(value):
            raise InputError(f"{measure} is undefined for {system}: there is nothing to compare")
    return sample
