"""Which measure a name stands for: rankings, classifiers of two and of more classes, and clusterings have their words.

"Hit rate" is Success@k for rankings and recall for classifiers; "accuracy" is made of four cells where two labels are
told apart, and of the whole matrix where there are more.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

from assay.core.domains import Choice
from assay.core.errors import ParameterError
from assay.measures.counting.confusion import Confusion

if TYPE_CHECKING:
    from assay.measures.registry import Measure


Vocabulary: TypeAlias = Literal["ranking", "binary", "multiclass", "clustering", "agreement", "behaviour", "order"]
#: The vocabularies of classifiers.
LABELS: tuple[Vocabulary, ...] = ("binary", "multiclass")
#: Those in which a measure has a name of its own beside the one for rankings.
BESIDE_RANKINGS: tuple[Vocabulary, ...] = (*LABELS, "clustering", "agreement", "behaviour", "order")

#: Those that the names of somebody's own scores may be of: what they call latency need not be that of a log.
OF_SCORES: tuple[Vocabulary, ...] = ("ranking", *LABELS, "clustering", "agreement")

_OF_LABELS = ("matrices", "score_curves", "probabilities")
#: Families that only one kind of data has a use for: nobody else waits until they are loaded.
_FAMILIES: dict[str, tuple[str, ...]] = {
    "binary": _OF_LABELS,
    "multiclass": _OF_LABELS,
    "clustering": ("partitions", "item_pairs", "partition_information", "geometry"),
    "agreement": ("agreement",),
    "behaviour": ("behaviour",),
    "order": ("orders",),
}
#: What people look for first about labels.
_LOOKED_FOR = ("Precision", "Recall", "F", "Accuracy", "ErrorRate", "BalancedAccuracy", "MCC", "Kappa")
_PACKAGE = __name__.rpartition(".")[0]


class _Words(NamedTuple):
    """Measures by their names, and by names and aliases in lower case."""

    names: dict[str, Measure]
    aliases: dict[str, Measure]


_WORDS: dict[str, _Words] = {vocabulary: _Words({}, {}) for vocabulary in get_args(Vocabulary)}


def enter(entry: Measure, aliases: Mapping[str, Mapping[str, Any]]) -> None:
    """Give a measure its names in its vocabulary; a name belongs to one measure of a kind of counts."""
    vocabulary = entry.definition.vocabulary
    # Measures of one's own come after all that are here, and may not take their names.
    words = _WORDS[vocabulary] if entry.__module__.startswith(f"{_PACKAGE}.") else _words(vocabulary)
    called = {entry.name.casefold(): entry} | {name.casefold(): entry(**stands) for name, stands in aliases.items()}
    for name in called:
        other = words.aliases.get(name, entry)
        # A module may define its measure anew, as notebooks do; nobody takes over somebody else's name.
        if other.__module__ != entry.__module__ and other.definition.counts is entry.definition.counts:
            raise ParameterError(f"{name!r} is the name of a measure already, from {other.__module__}")
    if entry.name not in words.names or _goes_before(entry, words.names[entry.name]):
        words.names[entry.name] = entry
    words.aliases.update(
        {
            name: word
            for name, word in called.items()
            if name not in words.aliases or _goes_before(entry, words.aliases[name])
        }
    )


def _goes_before(entry: Measure, other: Measure) -> bool:
    """Of two measures with a name: the later of one kind; four cells are for two labels, a matrix is for more."""
    ours, theirs = (side.definition.counts is Confusion for side in (entry, other))
    return ours is theirs or ours is (entry.definition.vocabulary == "binary")


def registered(vocabulary: Vocabulary = "ranking", unit_kind: str | None = None) -> dict[str, Measure]:
    """All measures of a vocabulary by name, or those for one kind of unit: in the order of their definition.

    Those of labels that people look for first come first.

    >>> from assay.measures import registered
    >>> registered()["nDCG"].definition.bounds
    (0.0, 1.0)
    >>> "ExactMatch" in registered("binary"), "ExactMatch" in registered("binary", unit_kind="table")
    (True, False)
    """
    names = _words(vocabulary).names
    first = [name for name in _LOOKED_FOR if name in names] if vocabulary in LABELS else []
    return {
        name: names[name]
        for name in dict.fromkeys([*first, *names])
        if unit_kind is None or names[name].suits(unit_kind)
    }


def by_name(name: str, vocabulary: Vocabulary = "ranking") -> Measure | None:
    """A measure by its exact name."""
    return _words(vocabulary).names.get(name)


def by_alias(name: str, vocabulary: Vocabulary = "ranking") -> Measure | None:
    """A measure by its name or an alias, in any case."""
    return _words(vocabulary).aliases.get(name.casefold())


def known_names(vocabulary: Vocabulary = "ranking") -> list[str]:
    """Names and aliases, for suggestions."""
    words = _words(vocabulary)
    return [*words.names, *words.aliases]


def _words(vocabulary: str) -> _Words:
    Choice(_WORDS).check("vocabulary", vocabulary)
    if vocabulary in _FAMILIES:
        for family in _FAMILIES[vocabulary]:
            importlib.import_module(f"{_PACKAGE}.{family}")
        _FAMILIES.pop(vocabulary, None)  # by now another thread may have done so
    return _WORDS[vocabulary]
