"""Names of measures: rankings, classifiers of two and of more classes, and clusterings have words of their own.

"Hit rate" is Success@k for rankings and recall for classifiers; "accuracy" is made of four cells where two labels are
told apart, and of the whole matrix where there are more.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

from assay.core import registry
from assay.core.domains import Choice
from assay.core.errors import ParameterError
from assay.core.packages import load_added
from assay.measures.counting.confusion import Confusion

if TYPE_CHECKING:
    from assay.measures.registry import Measure


#: The words of one kind of thing that is measured, by name: one of those here, or one that a subject declares.
Vocabulary: TypeAlias = str
_HERE = ("ranking", "binary", "multiclass", "clustering", "agreement", "behaviour", "order")
#: The vocabularies of classifiers.
LABELS: tuple[Vocabulary, ...] = ("binary", "multiclass")

#: Those that the names of somebody's own scores may be of: what they call latency need not be that of a log.
OF_SCORES: tuple[Vocabulary, ...] = ("ranking", *LABELS, "clustering", "agreement")

#: The families of measures in the order in which they are listed: each is loaded when one of its names is looked for.
_FAMILIES: dict[str, tuple[Vocabulary, ...]] = {
    "average_precision": ("ranking",),
    "cascade": ("ranking",),
    "click_utility": ("ranking",),
    "decisions": ("ranking", *LABELS),
    "diversity": ("ranking",),
    "gain": ("ranking",),
    "sets": ("ranking", *LABELS),
    "precision": ("ranking",),
    "precision_recall": ("ranking",),
    "rates": ("ranking", *LABELS),
    "reference": ("ranking",),
    "matrices": LABELS,
    "score_curves": LABELS,
    "probabilities": LABELS,
    "partitions": ("clustering",),
    "item_pairs": ("clustering",),
    "partition_information": ("clustering",),
    "geometry": ("clustering",),
    "agreement": ("agreement",),
    "behaviour": ("behaviour",),
    "orders": ("order",),
}
#: Most measures that people ask for are in these: a ranking's measures are looked for there before all are loaded.
_OFTEN_ASKED_FOR = ("precision", "average_precision", "gain", "cascade")
#: What people look for first about labels.
_LOOKED_FOR = ("Precision", "Recall", "F", "Accuracy", "ErrorRate", "BalancedAccuracy", "MCC", "Kappa")
_PACKAGE = __name__.rpartition(".")[0]


#: Measures of each vocabulary by their names, and by names and aliases in lower case.
_NAMES: dict[str, dict[str, Measure]] = {vocabulary: {} for vocabulary in _HERE}
_ALIASES: dict[str, dict[str, Measure]] = {vocabulary: {} for vocabulary in _HERE}


def enter(entry: Measure, aliases: Mapping[str, Mapping[str, Any]]) -> None:
    """Give a measure its names in its vocabulary; a name belongs to one measure of a kind of counts."""
    vocabulary = entry.definition.vocabulary
    # Measures of one's own come after all that are here, and may not take their names.
    if not entry.__module__.startswith(f"{_PACKAGE}."):
        _load(vocabulary)
    known = {entry.name.casefold(): entry} | {name.casefold(): entry(**stands) for name, stands in aliases.items()}
    for name in known:
        other = _ALIASES[vocabulary].get(name, entry)
        # A module may define its measure anew, as notebooks do; nobody takes over somebody else's name.
        if other.__module__ != entry.__module__ and other.definition.counts is entry.definition.counts:
            raise ParameterError(f"{name!r} is the name of a measure already, from {other.__module__}")
    for table, entries in ((_NAMES[vocabulary], {entry.name: entry}), (_ALIASES[vocabulary], known)):
        for name, word in entries.items():
            if name not in table or _goes_before(entry, table[name]):
                table[name] = word


def _goes_before(entry: Measure, other: Measure) -> bool:
    """Of two measures with a name: the later of one kind; four cells are for two labels, a matrix is for more."""
    ours, theirs = (side.definition.counts is Confusion for side in (entry, other))
    return ours is theirs or ours is (entry.definition.vocabulary == "binary")


def load_packages() -> bool:
    """Load the measures that packages add; whether there are any. Only who finds no measure by a name waits for it."""
    return load_added("assay.measures")


def registered(vocabulary: Vocabulary = "ranking", unit_kind: str | None = None) -> dict[str, Measure]:
    """All measures of a vocabulary by name, or those for one kind of unit: in the order of their definition.

    Those of labels that people look for first come first.

    >>> from assay.measures import registered
    >>> registered()["nDCG"].definition.bounds
    (0.0, 1.0)
    >>> "ExactMatch" in registered("binary"), "ExactMatch" in registered("binary", unit_kind="table")
    (True, False)
    """
    _load(vocabulary)
    measures = sorted(_NAMES[vocabulary].values(), key=_place)
    return {measure.name: measure for measure in measures if unit_kind is None or measure.suits(unit_kind)}


def _place(entry: Measure) -> tuple[int, int]:
    """The place of a measure in a list; measures of one's own come last."""
    name = entry.name
    family = entry.__module__.removeprefix(f"{_PACKAGE}.")
    first = entry.definition.vocabulary in LABELS and name in _LOOKED_FOR
    return (
        _LOOKED_FOR.index(name) if first else len(_LOOKED_FOR),
        [*_FAMILIES].index(family) if family in _FAMILIES else len(_FAMILIES),
    )


def by_name(name: str, vocabulary: Vocabulary = "ranking") -> Measure | None:
    """A measure by its exact name."""
    if vocabulary == "ranking":
        for family in _OFTEN_ASKED_FOR:
            _load_family(family)
            if name in _NAMES[vocabulary]:
                return _NAMES[vocabulary][name]
    _load(vocabulary)
    return _NAMES[vocabulary].get(name)


def by_alias(name: str, vocabulary: Vocabulary = "ranking") -> Measure | None:
    """A measure by its name or an alias, in any case."""
    _load(vocabulary)
    return _ALIASES[vocabulary].get(name.casefold())


def known_names(vocabulary: Vocabulary = "ranking") -> list[str]:
    """Names and aliases, for suggestions."""
    load_packages()
    return [*registered(vocabulary), *sorted(_ALIASES[vocabulary])]


@cache
def _load(vocabulary: Vocabulary) -> None:
    """Load all measures of a vocabulary, whose families stand here or in the declaration of a subject."""
    for family, vocabularies in _FAMILIES.items():
        if vocabulary in vocabularies:
            _load_family(family)
    declared = [] if vocabulary in _HERE else registry.families(vocabulary)
    if not declared:
        Choice(_NAMES).check("vocabulary", vocabulary)
    for table in (_NAMES, _ALIASES):
        table.setdefault(vocabulary, {})
    for module in declared:
        importlib.import_module(module)


def _load_family(family: str) -> None:
    importlib.import_module(f"{_PACKAGE}.{family}")
