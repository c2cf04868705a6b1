"""`gate`: judgments, a baseline and a candidate -> a `GateResult`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isnan
from typing import Any, Unpack

from assay import __version__
from assay.core import options, registry
from assay.core.domains import SHARE, Choice, Whole, check_levels
from assay.core.errors import InputError, ParameterError
from assay.core.options import SubjectRules
from assay.measures.registry import Measure
from assay.stats.corrections import resamples_for
from assay.stats.pairing import Directions, Pairing
from assay.stats.samples import Sample, few_units
from assay.verbs.comparison.slices import attribute_of
from assay.verbs.gating.checks import GateSettings, as_drawn, checks_of, parts_of
from assay.verbs.gating.result import GateResult
from assay.verbs.gating.rules import Inconclusive, Margins, margins_of
from assay.verbs.gating.sides import Sides, Two
from assay.verbs.subject import check_rules, name_of, subject_of


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
    max_missing: options.MaxMissing = 0.1,
    min_judged: options.MinJudged | None = None,
    slices: str | None = None,
    topics: Any = None,
    resamples: options.Permutations | None = None,
    bootstrap_resamples: options.Resamples = 10_000,
    seed: options.Seed = 0,
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
        if not sample.averages_units and isnan(value):
            raise InputError(f"{measure} is undefined for {system}: there is nothing to compare")
    return sample
