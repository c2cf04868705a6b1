"""`@measure` and `Measure`: a measure is a value (an object, a string, a dict key), registered where it is defined."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cached_property, partial, wraps
from typing import Any, ClassVar, Concatenate, ParamSpec, Protocol, TypeAlias, cast, overload

import numpy as np

from assay.core.digits import in_full
from assay.core.domains import Whole
from assay.core.errors import ParameterError, did_you_mean, worded
from assay.measures.counting.confusion import Confusion
from assay.measures.counting.judgments import Floats
from assay.measures.counting.ranking import Policies
from assay.measures.counting.ranks import Ranks
from assay.measures.definition import (
    AVERAGE,
    AVERAGES_OF_CLASSES,
    LEVEL,
    Definition,
    GivenCurve,
    Parameter,
    Summary,
    declared,
)
from assay.measures.kernels import GAINS_CITE
from assay.measures.steps import PerUnit
from assay.measures.vocabularies import Vocabulary, enter, registered


class LabelCounts(Protocol):
    """Counts of classifiers or clusterings: they say for themselves in which vocabularies their measures stand."""

    vocabularies: ClassVar[tuple[str, ...]]

    @property
    def unit_kind(self) -> str:
        """The kind of a unit."""

    @property
    def units(self) -> tuple[str, ...]:
        """The name of the units, in the plural."""


Counts: TypeAlias = Ranks | Confusion | GivenCurve | LabelCounts

# What other tools set measure by measure and Assay for the whole evaluation.
_RULES_OF_EVALUATION = {
    "judged_only": "; it is a rule of the evaluation: {judged_only=True}",
    "rel": "; the level is a rule of the evaluation: {relevance_level=2}",
}
_P = ParamSpec("_P")


class Measure:
    """A measure with its parameters. Call it to change them; `@` sets the cut-off.

    >>> from assay.measures import nDCG
    >>> nDCG(gain="exp") @ 10
    nDCG(gain='exp')@10
    >>> nDCG @ 10 == nDCG(cutoff=10)
    True
    """

    def __init__(
        self, definition: Definition, chosen: Mapping[str, Any] | None = None, given: frozenset[str] = frozenset()
    ) -> None:
        self.definition = definition
        self.chosen = dict(chosen or {})
        #: Parameters that somebody asked for, also if at their default: profiles leave those alone.
        self.given = given
        self.__name__ = self.__qualname__ = definition.name
        self.__doc__ = definition.function.__doc__
        self.__module__ = definition.function.__module__
        self.__wrapped__ = definition.function

    @property
    def name(self) -> str:
        """The name, as the literature writes it."""
        return self.definition.name

    @property
    def parameters(self) -> dict[str, Any]:
        """All parameters with their values, chosen or default."""
        return {name: self.chosen.get(name, p.default) for name, p in self.definition.parameters.items()}

    def __call__(self, /, **changes: ParameterValue) -> Measure:
        """Give the measure with other parameters."""
        known = self.definition.parameters
        checked = {}
        for name, value in changes.items():
            if name not in known:
                takes = ", ".join(known) or "no parameters"
                hint = worded(_RULES_OF_EVALUATION.get(name, "")) or did_you_mean(name, known)
                raise ParameterError(f"{self.name} has no parameter {name!r}; it takes {takes}{hint}")
            checked[name] = known[name].domain.check(f"{name} of {self.name}", value)
        chosen = {**self.chosen, **checked}
        # In the order of declaration, whatever the order of the call: equal measures are written alike.
        different = {k: chosen[k] for k in known if k in chosen and chosen[k] != known[k].default}
        return Measure(self.definition, different, self.given | set(changes))

    def __matmul__(self, value: float) -> Measure:
        if self.definition.at is None:
            raise ParameterError(f"{self.name} has nothing to set with @")
        return self(**{self.definition.at: value})

    def per_unit(self, counts: Counts, *, seed: int = 0, samples: int = 100) -> PerUnit:
        """Compute one number a unit, with its steps and the reasons where there is none."""
        if isinstance(counts, Ranks) and counts.hits.averaged and self.is_sampled(counts.policies):
            return self._sampled(counts, seed, samples)
        if self.definition.counts is Confusion and isinstance(counts, Ranks):
            counts = Confusion.from_ranks(counts, self.parameters.get("rel"))
        elif self.definition.counts is Confusion and self.parameters.get("rel") is not None:
            raise ParameterError(f"rel of {self.name} needs documents with grades; these are counted already")
        if isinstance(counts, GivenCurve):
            return self._of_points(counts)
        matrix: Any = counts
        if self.definition.counts is Confusion and hasattr(matrix, "per_class"):
            counts = matrix.positive_class() if self.parameters.get("average") == "binary" else matrix.per_class()
        if not isinstance(counts, self.definition.counts):
            raise ParameterError(
                f"{self.name} is computed from {self.definition.counts.__name__}, not {type(counts).__name__}"
            )
        if isinstance(counts, Confusion) and not self.suits(counts.unit_kind):
            kinds = " or ".join(self.definition.unit_kinds or ())
            raise ParameterError(f"{self.name} is a number for each {kinds}, not for a {counts.unit_kind}")
        result = self.definition.function(counts, **self.arguments)
        if not isinstance(result, PerUnit):
            return _plain(self, result, counts)
        return result if self.definition.bounds is None else result.within(*self.definition.bounds)

    def suits(self, unit_kind: str) -> bool:
        """True if it has a number for such a unit: a query, a class, an item, a document or a whole table.

        >>> from assay.measures import ExactMatch, MCC
        >>> MCC.suits("table"), ExactMatch.suits("item"), ExactMatch.suits("table")
        (True, True, False)
        """
        return self.definition.unit_kinds is None or unit_kind in self.definition.unit_kinds

    @cached_property
    def arguments(self) -> dict[str, Any]:
        """The arguments of the function: its own parameters, not those of counting (`rel`) and of the summary."""
        defaults = inspect.unwrap(self.definition.function).__kwdefaults__ or {}
        return {name: value for name, value in self.parameters.items() if name in defaults}

    def _of_points(self, curve: GivenCurve) -> PerUnit:
        """Read the number off points of a precision-recall curve."""
        function = self.definition.of_points
        if function is None:
            able = ", ".join(name for name, other in registered().items() if other.definition.of_points is not None)
            raise ParameterError(f"{self.name} cannot be read off points of a precision-recall curve; {able} can")
        takes = inspect.signature(function).parameters
        for name in self.chosen:
            if name not in takes:
                raise ParameterError(f"{name} of {self.name} has no meaning for points of a precision-recall curve")
        return function(curve, **{name: value for name, value in self.arguments.items() if name in takes})

    @property
    def is_micro(self) -> bool:
        """True if the units are put together by summing up their counts."""
        return bool(self.parameters.get("average") == "micro")

    @property
    def works(self) -> tuple[str, ...]:
        """The works to cite for it, by their keys in the bibliography: of the measure, and of its gain."""
        gain = self.parameters.get("gain")
        return tuple(filter(None, (self.definition.cites, GAINS_CITE.get(gain, "") if isinstance(gain, str) else "")))

    @property
    def depends_on_level(self) -> bool:
        """True if the smallest relevant grade changes the value."""
        return (
            self.definition.counts is Confusion
            or "rel" in self.parameters
            or "binary" in (self.parameters.get("gain"), self.parameters.get("satisfaction"))
        )

    @property
    def substitute(self) -> float | None:
        """The value of undefined numbers in the summary; None if they are left out.

        >>> from assay.measures import AP, GMAP, Judged
        >>> AP.substitute, GMAP(floor=0.01).substitute, Judged.substitute
        (0.0, 0.01, None)
        """
        return self.parameters.get("floor", self.definition.counted_as)

    def is_sampled(self, policies: Policies) -> bool:
        """True if the mean over orders of tied documents has to be sampled: there is not always a closed form."""
        if policies.ties != "expected":
            return False
        table = self.parameters.get("gain")
        unjudged_gain = isinstance(table, tuple) and any(grade < 0 for grade, _ in table)
        # Where the depth cuts through a tie, it is open which documents are retrieved.
        of_retrieved = self.parameters.get("ideal") == "retrieved" or "unretrieved" in self.parameters
        cut = policies.depth is not None and (self.definition.counts is Confusion or of_retrieved)
        return not self.definition.closed_under_ties or unjudged_gain or cut

    def _sampled(self, ranks: Ranks, seed: int, samples: int) -> PerUnit:
        """The mean over random orders of tied documents, where no closed form is known."""
        Whole(1).check("samples", samples)
        rng = np.random.default_rng(seed)
        results = [self.per_unit(ranks.drawn(rng)) for _ in range(samples)]
        values = np.array([result.values for result in results])
        never = np.isnan(values).all(axis=0)
        # In an order that leaves a unit undefined it counts as declared; undefined is what no order defines.
        counted = self.definition.counted_as
        total = np.where(np.isnan(values), np.nan if counted is None else counted, values)
        mean = np.where(never, np.nan, np.nansum(total, axis=0) / np.maximum((~np.isnan(total)).sum(axis=0), 1))
        undefined = {reason: mask & never for reason, mask in results[0].undefined.items()}
        kept = tuple(results) if self.is_micro else ()
        return PerUnit(mean, f"mean of {samples} orders of ties", undefined=undefined, draws=kept)

    def of(self, counts: Counts) -> Floats:
        """Compute one number a unit, NaN where it is undefined.

        >>> from assay.measures import RR
        >>> RR.of(Ranks.from_grades([0, 1]))
        array([0.5])
        """
        return self.per_unit(counts).values

    def __reduce__(self) -> tuple[Any, ...]:
        asked_for = {name: self.parameters[name] for name in self.definition.parameters if name in self.given}
        return _restored, (self.name, self.definition.vocabulary, asked_for)

    def __repr__(self) -> str:
        return self._notation(self.chosen)

    def _notation(self, stated: Mapping[str, Any]) -> str:
        """The name with these parameters, as it is typed."""
        at = self.definition.at
        inner = ", ".join(f"{name}={_text(value)}" for name, value in stated.items() if name != at)
        after = "" if at is None or self.parameters[at] is None else f"@{_text(self.parameters[at])}"
        return f"{self.name}{f'({inner})' if inner else ''}{after}"

    def __str__(self) -> str:
        """The one name that is printed, in every form: people say F1, and which average over classes it is."""
        return self.name_of_units + (AVERAGES_SHOWN[str(self.parameters["average"])] if self._is_of_classes else "")

    @property
    def name_of_units(self) -> str:
        """The name of the number of a single class or item: the printed name without an average over them."""
        stated = {
            name: value for name, value in self.parameters.items() if name in {*self.chosen, *self.definition.shown}
        }
        if self._is_of_classes:
            stated.pop("average", None)
        text = self._notation(stated)
        return text if self.definition.vocabulary == "ranking" else _USUAL.get(text, text)

    @property
    def _is_of_classes(self) -> bool:
        return self.definition.vocabulary in _OF_CLASSES and self.parameters.get("average") in AVERAGES_SHOWN

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Measure) and (self.definition, self.chosen) == (other.definition, other.chosen)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.name, tuple(sorted(self.chosen.items(), key=str))))


#: What people call measures with their usual parameters.
_USUAL = {"F": "F1", "PairF": "PairF1", "BCubedF": "BCubedF1", "PurityF": "PurityF1"}
#: The vocabularies in which averages are over classes, or over items with several labels.
_OF_CLASSES = frozenset({"binary", "multiclass"})
#: How averages over classes are shown after a measure's name.
AVERAGES_SHOWN = {
    "binary": "",
    "macro": " (macro)",
    "micro": " (micro)",
    "weighted": " (weighted)",
    "samples": " (per item)",
}

#: What a parameter of a measure may be.
ParameterValue: TypeAlias = str | float | Mapping[Any, float] | tuple[tuple[float, float], ...] | None


class _Decorator(Protocol[_P]):
    """A decorator that is written with parameters, or bare."""

    @overload
    def __call__(self, function: Callable[..., Any], /) -> Measure: ...  # type: ignore[overload-overlap]  # no parameter is positional
    @overload
    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> Callable[[Callable[..., Any]], Measure]: ...


def _decorator(declare: Callable[Concatenate[Callable[..., Any], _P], Measure]) -> _Decorator[_P]:
    register: Callable[..., Measure] = declare

    @wraps(declare)
    def decorator(function: Callable[..., Any] | None = None, /, **options: object) -> Any:
        return partial(register, **options) if function is None else register(function, **options)

    return cast("_Decorator[_P]", decorator)


@_decorator
def measure(
    function: Callable[..., Any],
    /,
    *,
    trec_eval: str | tuple[str, ...] = (),
    ir_measures: str | None = None,
    ranx: str | None = None,
    aliases: Mapping[str, Mapping[str, Any]] | tuple[str, ...] = (),
    bounds: tuple[float, float] | None = (0.0, 1.0),
    user_model: str | None = None,
    counted_as: float | None = 0.0,
    summary: Summary = "mean",
    closed_under_ties: bool = False,
    higher_is_better: bool | None = True,
    subtopics: bool = False,
    micro: bool = False,
    version: int = 1,
    also: Mapping[str, Callable[..., PerUnit]] | None = None,
    of_points: Callable[..., PerUnit] | None = None,
    classifier: str | None = "",
    classifier_aliases: Mapping[str, Mapping[str, Any]] | None = None,
    sklearn: str | None = None,
    proportion: bool = False,
    unit_kinds: tuple[str, ...] | None = None,
    cites: str = "",
    rightly_empty: float | None = None,
    shown: tuple[str, ...] = (),
) -> Measure:
    """Register a function from counts to one number a unit as a measure.

    The function's name is the measure's; the type of its first parameter says from which counts it is computed;
    keyword parameters with declared domains become the measure's; the docstring is its definition card.

    `trec_eval`, `ir_measures`, `ranx`: the measure's name there, `{cutoff}` standing for the parameter.
    `aliases`: further names, or a table of names and the parameters that they stand for.
    `bounds`: smallest and largest value. `user_model`: how the measure imagines its user. `counted_as`: what an
    undefined value counts as in a mean (None: it is left out). `summary`: how units are put together
    (`pooled`: not at all, it is one number for all).
    `closed_under_ties`: the function itself averages over tied documents, which sets of documents need not.
    `higher_is_better`: whether more is good; None if it is neither good nor bad.
    `subtopics`: it is computed from judgments of subtopics (`Ranks.subtopics`).
    `micro`: the measure is made of counts that can be summed over units, and gets the parameter `average`: `macro` (the
    default) is the mean over units, `micro` the same formula on the summed counts.
    `also`: other ways to the same number, by what they are called: functions with the same parameters, for `explain`.
    `of_points`: the same from given points of a precision-recall curve, if it can be read off those.
    `classifier`: what a measure of yes-or-no decisions is called for classifiers, if not by its own name (None: it is
    not for classifiers), with `classifier_aliases`, if not `aliases`. `sklearn`: what scikit-learn calls it.
    `proportion`: it is the share of so many items, counted one by one, and has the interval of a proportion.
    `unit_kinds`: what it has a number for (`query`, `item`, `document`), if not for classes and whole tables as well.
    `shown`: parameters without whose value nobody knows what a number is, printed with the name even at their default.
    `cites`: the work that it comes from, by its key in `works.bib`; what is textbook knowledge has none.
    `rightly_empty`: what it counts as, in a mean over items, for one that has nothing and is predicted to.

    >>> from assay import Ranks, measure
    >>> @measure
    ... def JudgedHits(ranks: Ranks) -> object:
    ...     "Number of judged documents retrieved."
    ...     return np.bincount(ranks.hits.query, minlength=len(ranks.queries))
    >>> JudgedHits.of(Ranks.from_grades([1, None, 0]))
    array([2.])
    """
    counts, parameters, at = declared(function)
    table = aliases if isinstance(aliases, Mapping) else {name: {} for name in aliases}
    names = (trec_eval,) if isinstance(trec_eval, str) else trec_eval
    plain = Definition(
        function.__name__, "ranking", function, counts, parameters, at, bounds, user_model, counted_as, summary,
        names, ir_measures, ranx, table, closed_under_ties or counts is Confusion, higher_is_better, subtopics,
        version, also or {}, of_points, sklearn, proportion, unit_kinds, cites, rightly_empty, shown,
    )  # fmt: skip
    called = function.__name__ if classifier == "" else classifier
    measures = [_of_rankings(plain, micro)] if "ranking" in counts.vocabularies else []
    if called is not None:
        words = table if classifier_aliases is None else classifier_aliases
        kept = [vocabulary for vocabulary in counts.vocabularies if vocabulary != "ranking"]
        measures += [_of_labels(plain, called, vocabulary, words, micro) for vocabulary in kept]
    for entry in measures:
        enter(entry, entry.definition.aliases)
    return measures[0]


def _of_rankings(plain: Definition, micro: bool) -> Measure:
    """Of a retrieved set it is a question which grades are relevant: the function only gets what was counted."""
    more = {"average": Parameter("average", "macro", AVERAGE)} if micro else {}
    if plain.counts is Confusion:
        more["rel"] = Parameter("rel", None, LEVEL)
    return Measure(plain._replace(parameters={**plain.parameters, **more}))


def _of_labels(
    plain: Definition, name: str, vocabulary: Vocabulary, words: Mapping[str, Mapping[str, Any]], micro: bool
) -> Measure:
    """The same for classifiers and clusterings: averages are over classes, see `measures/undefined.py`."""
    parameters = dict(plain.parameters)
    if micro:
        default = "binary" if vocabulary == "binary" else "macro"
        parameters["average"] = Parameter("average", default, AVERAGES_OF_CLASSES[vocabulary])
    changed = plain._replace(name=name, vocabulary=vocabulary, parameters=parameters, counted_as=None, aliases=words)
    return Measure(changed._replace(trec_eval=(), ir_measures=None, ranx=None))


def _restored(name: str, vocabulary: Vocabulary, chosen: dict[str, Any]) -> Measure:
    """A measure that was sent to another process."""
    return registered(vocabulary)[name](**chosen)


def _plain(self: Measure, result: Any, counts: Counts) -> PerUnit:
    """Accept plain arrays from users' own measures; NaN is undefined."""
    if self.is_micro:
        raise ParameterError(f"{self.name} gives numbers, not a formula: a micro average needs the counts in it")
    units = len(counts.queries if isinstance(counts, Ranks) else counts.units)
    values = np.asarray(result, dtype=np.float64)
    if values.shape != (units,):
        raise ParameterError(f"{self.name} gives {units} numbers, one per unit, not an array of shape {values.shape}")
    undefined = {"not a number": np.isnan(values)} if np.isnan(values).any() else {}
    return PerUnit(values, self.name, undefined=undefined)


def _text(value: Any) -> str:
    if isinstance(value, float):
        return in_full(value)
    if isinstance(value, tuple):
        return "{" + ", ".join(f"{_text(key)}: {_text(item)}" for key, item in value) + "}"
    return repr(value)
