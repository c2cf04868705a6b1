"""What is known of a measure, and how it is read off its function: the signature, the docstring, the decorator."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, get_args, get_origin, get_type_hints

from assay.core.domains import Domain
from assay.core.errors import ParameterError
from assay.measures.domains import At
from assay.measures.steps import PerUnit
from assay.measures.vocabularies import Vocabulary
from assay.tables import Direction

Summary: TypeAlias = Literal["mean", "geometric", "sum", "pooled"]


class Parameter(NamedTuple):
    """A keyword parameter of a measure: its name, default and domain."""

    name: str
    default: Any
    domain: Domain


class Definition(NamedTuple):
    """What is known of a measure: read off its function's signature, docstring and decorator."""

    name: str
    vocabulary: Vocabulary
    function: Callable[..., Any]
    counts: type[Any]
    parameters: Mapping[str, Parameter]
    at: str | None
    bounds: tuple[float, float] | None
    user_model: str | None
    counted_as: float | None
    summary: Summary
    trec_eval: tuple[str, ...]
    ir_measures: str | None
    ranx: str | None
    aliases: Mapping[str, Mapping[str, Any]]
    closed_under_ties: bool
    higher_is_better: bool | None
    subtopics: bool
    version: int
    also: Mapping[str, Callable[..., PerUnit]]
    of_points: Callable[..., PerUnit] | None
    sklearn: str | None
    proportion: bool
    #: What its units can be, if not everything: the mistakes of a whole table are not those of an item.
    unit_kinds: tuple[str, ...] | None
    #: The work to cite for it, by its key in the bibliography; empty if it is textbook knowledge.
    cites: str = ""

    @property
    def direction(self) -> Direction:
        """Which way it is good, in a word that travels with its scores."""
        return "neither" if self.higher_is_better is None else "higher" if self.higher_is_better else "lower"


def declared(function: Callable[..., Any]) -> tuple[Any, dict[str, Parameter], str | None]:
    """What the parameters of a function say; read from its code, as `inspect.signature` takes ten times as long."""
    hints, plain = _hints(function), inspect.unwrap(function)
    named = plain.__code__.co_argcount + plain.__code__.co_kwonlyargcount
    first, *rest = plain.__code__.co_varnames[:named]
    counts = hints.get(first)
    if not hasattr(counts, "vocabularies"):
        raise ParameterError(
            f"{function.__name__}: the first parameter is annotated with counts, as Ranks or Confusion, not {counts}"
        )
    parameters, at, defaults = {}, None, plain.__kwdefaults__ or {}
    for name in rest:
        extras = get_args(hints[name])[1:] if get_origin(hints.get(name)) is Annotated else ()
        domain = next((extra for extra in extras if isinstance(extra, Domain)), None)
        if name not in defaults or domain is None:
            raise ParameterError(f"{function.__name__}: {name} is keyword-only with a default and a declared domain")
        parameters[name] = Parameter(name, defaults[name], domain)
        at = name if At in extras else at
    return counts, parameters, at


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    """The types in a signature. Most are names, and looking those up is ten times faster than evaluating them."""
    named = {name: function.__globals__.get(annotation) for name, annotation in function.__annotations__.items()}
    return get_type_hints(function, include_extras=True) if None in named.values() else named
