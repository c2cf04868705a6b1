"""`assay measures [NAME]`, `assay measures --classifiers` and the like, `assay measures --for SITUATION`."""

from __future__ import annotations

import itertools
import sys
import tomllib
from contextlib import suppress
from dataclasses import make_dataclass
from importlib import resources
from typing import TYPE_CHECKING, Annotated, Any

from assay.cli import options, output
from assay.cli.options import Output
from assay.core import registry
from assay.core.domains import Choice
from assay.core.errors import InputError, ParameterError, joined
from assay.core.evaluation_options import option

if TYPE_CHECKING:
    from assay.core.declarations import Declaration
    from assay.measures.registry import Measure
    from assay.show.model import Document


def _declared() -> list[Declaration]:
    """The subjects that have measures of their own; bare scores come last: they were measured elsewhere."""
    declared = registry.declarations()
    # Where a package cannot be loaded, the others are listed all the same: a warning says so.
    with suppress(InputError):
        declared += registry.of_packages()
    return sorted((each for each in declared if each.listed), key=lambda each: each.name == registry.ALONE)


#: What measures are of, as an option says it, and the vocabularies that these are listed in.
KINDS = {"rankings": ("ranking",)} | {kind: each.vocabularies for each in _declared() for kind in each.listed}
_HELP = [listed for each in _declared() for listed in each.listed.items()]
#: An option for each kind, as subjects declare them.
Listed = make_dataclass("Listed", [(kind, Annotated[bool, option(help=text)], False) for kind, text in _HELP])


def measures(
    of: Listed,  # type: ignore[valid-type]
    to: Output,
    name: Annotated[str | None, options.argument("NAME", "A measure, in the notation of any tool.")] = None,
    situation: Annotated[
        str | None,
        option(
            "--for",
            metavar="SITUATION",
            help="Recommend measures for web-search, fact-checking, patent, "
            "sparse-judgments, recommendation or question-answering.",
        ),
    ] = None,
) -> None:
    """List the measures, or describe one: definition, parameters, names in other tools, example.

    $ assay measures
    $ assay measures nDCG
    $ assay measures --for web-search
    """
    kinds = [kind for kind, _ in _HELP if getattr(of, kind)]
    if len(kinds) > 1:
        raise ParameterError(f"choose {' or '.join(f'--{kind}' for kind in kinds)}, not both")
    kind = kinds[0] if kinds else None
    if situation is not None:
        if name:
            raise ParameterError("give the name of a measure, or a situation with --for, not both")
        document = _recommended(situation)
    elif name and to.form is None:
        output.deliver("\n".join(map(_card, _named(name, kind))), to)
        return
    else:
        document = _listing(_named(name, kind) if name else _all(kind or "rankings"), kind, to.form)
    output.deliver(output.written(document, to), to)


def _all(kind: str) -> list[Measure]:
    """The measures of one kind; those of classifiers of two and of more classes side by side."""
    from assay.measures import registered
    from assay.measures.vocabularies import load_packages

    load_packages()
    if kind == "rankings":
        return list(registered().values())
    known = [measure for vocabulary in KINDS[kind] for measure in registered(vocabulary).values()]
    matches = list({measure.definition.function: measure for measure in known}.values())
    families = list(dict.fromkeys(measure.__module__ for measure in matches))
    return sorted(matches, key=lambda measure: families.index(measure.__module__))


def _named(name: str, kind: str | None) -> list[Measure]:
    """The measure of the kind that is asked for; else of the first of these kinds that has it.

    Both, if rankings have another name for it: `Precision` is `P` there, and a measure of its own for classifiers.
    """
    from assay.core.errors import UnknownMeasureError, did_you_mean
    from assay.measures import parse_measure
    from assay.measures.vocabularies import by_name, known_names

    kinds = tuple(KINDS) if kind is None else (kind,)
    for tried in kinds:
        try:
            matches = [parse_measure(name, vocabulary) for vocabulary in KINDS[tried]]
        except UnknownMeasureError:
            continue
        if tried == "rankings" and matches[0].name != name and by_name(name, "binary") is not None:
            matches += _named(name, "classifiers")
        return list({measure.definition.function: measure for measure in reversed(matches)}.values())[::-1]
    bare = name.partition("(")[0].partition("@")[0].strip()
    names = [known for tried in kinds for vocabulary in KINDS[tried] for known in known_names(vocabulary)]
    nearest = did_you_mean(bare, names) or "; `assay measures` lists them"
    raise UnknownMeasureError(f"no measure is called {bare!r}{nearest}")


def situations() -> dict[str, Any]:
    """Situations of search, each with a `description` and the `measures` that suit it, the most important first."""
    return tomllib.loads((resources.files("assay") / "measures" / "situations.toml").read_text(encoding="utf-8"))


def _recommended(name: str) -> Document:
    import polars as pl

    from assay.show.model import Document, Prose, Section, Table

    known = situations()
    Choice(known).check("a situation", name)
    measures = pl.DataFrame([*known[name]["measures"].items()], ["measure", "why"], orient="row")
    parts = (Prose(known[name]["description"]), Table.of("measures", measures))
    return Document("advice", (Section("situation", parts=parts, data={"situation": name}),), f"Measures for {name}")


def _listing(known: list[Measure], kind: str | None, form: str | None) -> Document:
    """The measures in a table; for people on a terminal, with the families as headings in it."""
    import polars as pl

    from assay.show.model import Document, Prose, Section, Table
    from assay.verbs.sections.explanations import family, first_sentence, name_elsewhere

    of_rankings = all(measure.definition.vocabulary == "ranking" for measure in known)
    rows: list[tuple[str, str, str]] = []
    for heading, measures in itertools.groupby(known, family):
        rows += [("", "", ""), ("", heading, "")] if form is None else []
        for measure in measures:
            notation = f"{measure.name}@k" if measure.definition.at in {"cutoff", "k"} else measure.name
            names = measure.definition.trec_eval if of_rankings else (measure.definition.sklearn or "",)
            rows.append((notation, first_sentence(measure), ", ".join(map(name_elsewhere, names))))
    heads = ["measure", "what it is", "in trec_eval" if of_rankings else "in scikit-learn"]
    frame = pl.DataFrame(rows, schema=heads, orient="row")
    if not any(elsewhere for *_, elsewhere in rows):
        frame = frame.drop(heads[-1])
    parts: list[Table | Prose] = [Table.of("measures", frame)]
    if kind is None and form is None:
        others = joined([f"--{kind}" for kind, _ in _HELP])
        parts.append(Prose(f"assay measures {others} list the others.", "dim"))
    section = Section("measures", parts=tuple(parts), data={"measures": [_described(measure) for measure in known]})
    return Document("measures", (section,), "Measures")


def _card(measure: Measure) -> str:
    from assay.show.terminal import Screen
    from assay.verbs.sections.explanations import card

    return f"{card(measure, min(Screen.of(sys.stdout).width, 100))}\n"


def _described(measure: Measure) -> dict[str, Any]:
    """All that is known of a measure, for JSON."""
    from assay.verbs.sections.explanations import first_sentence

    definition = measure.definition
    return {
        "name": measure.name,
        "summary": first_sentence(measure),
        "parameters": {
            p.name: {"default": p.default, "domain": p.domain.describe()} for p in definition.parameters.values()
        },
        "counts": definition.counts.__name__,
        "bounds": definition.bounds,
        "user_model": definition.user_model,
        "higher_is_better": definition.higher_is_better,
        "put_together_by": definition.summary,
        "undefined_counts_as": definition.counted_as,
        "trec_eval": definition.trec_eval,
        "ir_measures": definition.ir_measures,
        "ranx": definition.ranx,
        "vocabulary": definition.vocabulary,
        "scikit_learn": definition.sklearn,
        "aliases": list(definition.aliases),
    }
