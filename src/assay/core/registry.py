"""The parts above that are reached by name: subjects, writers of forms, presenters of results, verbs.

Each is loaded when needed. A result must not import what presents it, since that knows the result; so both meet here,
by their names. To add a subject, name its declaration in `SUBJECTS`; to add a form, write one module and name it in
`WRITERS`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from assay.core import packages
from assay.core.errors import not_among

if TYPE_CHECKING:
    from assay.core.declarations import Columns, Declaration

#: The form of a document -> its writer, a function from a `Document` to text.
WRITERS = {
    "text": "assay.show.terminal:write",
    "json": "assay.show.data:write_json",
    "csv": "assay.show.data:write_csv",
    "markdown": "assay.show.markdown:write",
    "latex": "assay.show.latex:write",
    "html": "assay.show.html:write",
}
#: The ending of a file's name -> the form that is written to it.
ENDINGS = {".html": "html", ".md": "markdown", ".tex": "latex", ".json": "json", ".csv": "csv"}
#: The kind of a result -> its presenter, a function from the result to a `Document`; subjects declare those of theirs.
PRESENTERS = {
    "comparison": "assay.verbs.sections.comparisons:document",
    "gate": "assay.verbs.sections.results:gate_document",
    "explanation": "assay.verbs.sections.explanations:document",
    "diagnosis": "assay.verbs.sections.results:diagnosis_document",
    "contents": "assay.verbs.sections.results:contents_document",
    "plan": "assay.verbs.sections.plans:plan_document",
    "spread_plan": "assay.verbs.sections.plans:spread_plan_document",
    "curve": "assay.verbs.sections.curves:document",
    "correlations": "assay.verbs.sections.results:correlations_document",
    "judge rankings": "assay.ground_truth.judge_rankings:document",
    "collection statistics": "assay.ground_truth.collection_sections:statistics_document",
    "collection check": "assay.ground_truth.collection_sections:check_document",
    "catalogue": "assay.ground_truth.collection_sections:catalogue_document",
    "topic sample": "assay.ground_truth.collection_sections:sample_document",
    "crowd labels": "assay.ground_truth.crowd_sections:crowd_document",
    "hits": "assay.ground_truth.crowd_sections:hits_document",
    "judge audit": "assay.ground_truth.crowd_sections:audit_document",
    "pool": "assay.ground_truth.pool_sections:pool_document",
    "pool bias": "assay.ground_truth.pool_sections:bias_document",
    "pool simulation": "assay.ground_truth.pool_sections:simulation_document",
    "run choice": "assay.ground_truth.pool_sections:choice_document",
    "inferred scores": "assay.ground_truth.pool_sections:inferred_document",
    "judging status": "assay.store.sections:status_document",
    "disputes": "assay.store.sections:disputes_document",
    "releases": "assay.store.sections:releases_document",
    "release difference": "assay.store.sections:diff_document",
    "label import": "assay.store.sections:import_document",
    "judge next": "assay.store.sections:next_document",
    "store check": "assay.store.sections:check_document",
}
#: What can be evaluated -> its `Declaration`. A line here is all that a subject needs outside of its folder and its
#: module of commands; packages add theirs by entry points `assay.subjects`.
SUBJECTS = {
    "ranking": "assay.subjects.ranking:DECLARATION",
    "labels": "assay.subjects.labels:DECLARATION",
    "clusters": "assay.subjects.clusters:DECLARATION",
    "spans": "assay.subjects.spans:DECLARATION",
    "scores": "assay.subjects.scores:DECLARATION",
    "judges": "assay.subjects.judges:DECLARATION",
    "clicks": "assay.subjects.clicks:DECLARATION",
    "experiments": "assay.subjects.experiments:DECLARATION",
}
#: The subject of inputs that do not tell it: one alone, one alone that `doctor` looks at, and several together.
ALONE, EXAMINED, TOGETHER = "scores", "labels", "ranking"
#: The kind of a curve -> its figure: see `assay.verbs.sections.curves.drawn_from`; subjects declare those of theirs.
FIGURES = {
    "intervals": "assay.verbs.sections.curves:intervals",
}
#: What reads the judgments of a release of a judging project, by its name.
RELEASES = "assay.store.references:released"
#: Verbs that results have as methods.
VERBS = {
    "compare": "assay.verbs.comparison:compare",
    "report": "assay.verbs.report:make_report",
    "explain": "assay.verbs.explanation:explain",
    "chart": "assay.show.vega:chart",
    "save": "assay.show.svg:save",
}


def writer(form: str) -> Any:
    """The writer of a form."""
    return _loaded("form", form, WRITERS)


def presenter(kind: str) -> Any:
    """The presenter of a kind of result."""
    return _declared("kind of result", kind, PRESENTERS, attrgetter("presenters"))


def figure(kind: str) -> Any:
    """The figure of a kind of curve."""
    return _declared("kind of curve", kind, FIGURES, attrgetter("figures"))


def subject(name: str) -> Any:
    """A subject."""
    places = SUBJECTS if name in SUBJECTS else SUBJECTS | packages.added("assay.subjects")
    declared: Declaration = _loaded("subject", name, places)
    return load(declared.subject)


def subjects() -> list[Any]:
    """All subjects, with those that packages add."""
    return [load(each.subject) for each in every_declaration()]


def every_declaration() -> list[Declaration]:
    """The declarations of all subjects, with those that packages add."""
    return [*declarations(), *of_packages()]


def declarations() -> list[Declaration]:
    """The declarations of the subjects here."""
    return [load(place) for place in SUBJECTS.values()]


def of_packages() -> list[Declaration]:
    """The declarations of subjects that packages add; none takes the name of one that is here."""
    return [packages.load("assay.subjects", name) for name in packages.added("assay.subjects") if name not in SUBJECTS]


def public_names() -> dict[str, str]:
    """The names that subjects give to `assay`, and the module of each."""
    return {name: home for each in declarations() for home, names in each.public.items() for name in names}


def curves() -> dict[str, str]:
    """The modules of curves that subjects give to `assay`, by name."""
    return {name: module for each in declarations() for name, module in each.curves.items()}


def subject_of_table(kind: str) -> str:
    """The subject of a kind of table.

    >>> subject_of_table("predictions"), subject_of_vocabulary("multiclass")
    ('labels', 'labels')
    """
    return next(each.name for each in one_by_one() if each.table == kind)


def declared_columns() -> dict[str, Columns]:
    """The columns of the tables that subjects declare, by the kinds of these."""
    return {each.table: each.columns for each in every_declaration() if each.columns is not None}


def subject_of_vocabulary(vocabulary: str) -> str:
    """The subject that measures of a vocabulary are of."""
    return next(each.name for each in one_by_one() if vocabulary in each.vocabularies)


def families(vocabulary: str) -> list[str]:
    """The modules that subjects declare to hold the measures of a vocabulary."""
    return [family for each in every_declaration() if vocabulary in each.vocabularies for family in each.families]


def one_by_one() -> Iterator[Declaration]:
    """All declarations; who finds one that is here does not wait for packages."""
    yield from declarations()
    yield from of_packages()


def verb(name: str) -> Any:
    """A verb."""
    return _loaded("verb", name, VERBS)


def _declared(what: str, kind: str, shared: dict[str, str], of: Callable[[Declaration], Mapping[str, str]]) -> Any:
    """The entry that all subjects share, or one declares; packages are looked for last."""
    known = dict(shared)
    for each in (list, declarations, of_packages):
        for declared in each():
            known |= of(declared)
        if kind in known:
            break
    return _loaded(what, kind, known)


def _loaded(what: str, name: str, places: dict[str, str]) -> Any:
    if name not in places:
        raise not_among(what, name, places)
    return load(places[name])


@cache
def load(place: str) -> Any:
    """The object of this name in a module, such as `assay.show.markdown:write`.

    >>> load("assay.core.errors:listed")(["a", "b"])
    'a, b'
    """
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)
