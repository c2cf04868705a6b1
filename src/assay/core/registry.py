"""What stands above and is reached by name: writers of forms, presenters of results, verbs. Each is loaded when needed.

A result must not import what presents it, since that knows the result; so both meet here, by their names. To add a
form, write one module and name it in `WRITERS`.
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any

from assay.core.errors import not_among

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
#: The kind of a result -> its presenter, a function from the result to a `Document`.
PRESENTERS = {
    "clusters by use": "assay.subjects.ranking.sections.results:clusters_by_use_document",
    "comparison": "assay.verbs.sections.comparisons:document",
    "fold comparison": "assay.subjects.labels.sections.crossvalidations:fold_document",
    "gate": "assay.verbs.sections.results:gate_document",
    "classification": "assay.subjects.labels.sections.parts:document",
    "thresholds": "assay.subjects.labels.sections.thresholds:several",
    "chosen_threshold": "assay.subjects.labels.sections.thresholds:chosen",
    "threshold_table": "assay.subjects.labels.sections.thresholds:every",
    "extraction": "assay.subjects.spans.report:document",
    "label_report": "assay.subjects.labels.sections.parts:label_report",
    "evaluation": "assay.subjects.ranking.sections.results:evaluation_document",
    "explanation": "assay.verbs.sections.explanations:document",
    "diagnosis": "assay.verbs.sections.results:diagnosis_document",
    "audit": "assay.subjects.ranking.sections.results:audit_document",
    "signatures": "assay.subjects.ranking.sections.results:differences",
    "contents": "assay.verbs.sections.results:contents_document",
    "plan": "assay.verbs.sections.plans:plan_document",
    "spread_plan": "assay.verbs.sections.plans:spread_plan_document",
    "curve": "assay.verbs.sections.curves:document",
    "correlations": "assay.verbs.sections.results:correlations_document",
    "click model comparison": "assay.subjects.clicks.model_sections:comparison_document",
    "behaviour": "assay.subjects.clicks.report:document",
    "log overview": "assay.subjects.clicks.log_overview:document",
    "judge agreement": "assay.subjects.judges.report:document",
    "judge rankings": "assay.ground_truth.judge_rankings:document",
    "clustering": "assay.subjects.clusters.sections:document",
    "collection statistics": "assay.ground_truth.collection_sections:statistics_document",
    "collection check": "assay.ground_truth.collection_sections:check_document",
    "catalogue": "assay.ground_truth.collection_sections:catalogue_document",
    "topic sample": "assay.ground_truth.collection_sections:sample_document",
    "click judgments": "assay.subjects.clicks.feedback_sections:judgments_document",
    "click agreement": "assay.subjects.clicks.feedback_sections:agreement_document",
    "click preferences": "assay.subjects.clicks.feedback_sections:preferences_document",
    "calibrated measures": "assay.subjects.clicks.feedback_sections:calibration_document",
    "ranking values": "assay.subjects.clicks.feedback_sections:values_document",
    "cross-validation": "assay.subjects.labels.sections.crossvalidations:document",
    "nested cross-validation": "assay.subjects.labels.sections.crossvalidations:nested_document",
    "leakage check": "assay.subjects.labels.sections.crossvalidations:leakage_document",
    "tuning": "assay.subjects.ranking.sections.results:tuning_document",
    "crowd labels": "assay.ground_truth.crowd_sections:crowd_document",
    "hits": "assay.ground_truth.crowd_sections:hits_document",
    "judge audit": "assay.ground_truth.crowd_sections:audit_document",
    "number of clusters": "assay.subjects.clusters.sections:number_of_clusters",
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
#: What can be evaluated -> its `Subject`: see `assay.verbs.subject`.
SUBJECTS = {
    "ranking": "assay.subjects.ranking.subject:RANKING",
    "labels": "assay.subjects.labels.subject:LABELS",
    "clusters": "assay.subjects.clusters.subject:CLUSTERS",
    "spans": "assay.subjects.spans.subject:SPANS",
    "scores": "assay.subjects.scores.subject:SCORES",
    "judges": "assay.subjects.judges.subject:JUDGES",
    "clicks": "assay.subjects.clicks.subject:CLICKS",
}
#: What the columns of a table make it (see `kind_of` in `tables/roles.py`) -> its subject.
OF_TABLES = {"predictions": "labels", "clusters": "clusters", "scores": "scores", "labels": "judges"}
#: The vocabulary of counts that somebody made by hand, or of a measure -> the subject that they are of.
OF_VOCABULARIES = {
    "ranking": "ranking",
    "binary": "labels",
    "multiclass": "labels",
    "clustering": "clusters",
    "agreement": "judges",
    "behaviour": "clicks",
    "order": "scores",
}
#: Subjects that a look at a file's first lines tells, where columns do not -> the function that looks.
RECOGNISED = {"clicks": "assay.files.log_looks:looks_like_log"}
#: The subject of inputs that do not tell it: one alone, one alone that `doctor` looks at, and several together.
ALONE, EXAMINED, TOGETHER = "scores", "labels", "ranking"
#: The kind of a curve -> its figure: see `assay.verbs.sections.curves.drawn_from`.
FIGURES = {
    "intervals": "assay.verbs.sections.curves:intervals",
    "pr": "assay.subjects.ranking.figures:precision_recall",
    "roc": "assay.subjects.ranking.figures:roc",
    "cutoff": "assay.subjects.ranking.figures:by_cutoff",
    "queries": "assay.subjects.ranking.figures:per_query",
    "difference": "assay.subjects.ranking.figures:differences",
    "classifier_roc": "assay.subjects.labels.figures:roc",
    "classifier_pr": "assay.subjects.labels.figures:precision_recall",
    "det": "assay.subjects.labels.figures:det",
    "calibration": "assay.subjects.labels.figures:calibration",
    "gain": "assay.subjects.labels.figures:gain",
    "lift": "assay.subjects.labels.figures:lift",
    "scores": "assay.subjects.labels.figures:scores",
    "silhouette": "assay.subjects.clusters.curves:silhouettes_figure",
    "contingency": "assay.subjects.clusters.curves:contingency_figure",
    "over_k": "assay.subjects.clusters.curves:over_k_figure",
    "click_ranks": "assay.subjects.clicks.curves:click_ranks_figure",
    "over_time": "assay.subjects.clicks.curves:over_time_figure",
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
    return _loaded("kind of result", kind, PRESENTERS)


def subject(name: str) -> Any:
    """A subject."""
    return _loaded("subject", name, SUBJECTS)


def verb(name: str) -> Any:
    """A verb."""
    return _loaded("verb", name, VERBS)


def _loaded(what: str, name: str, places: dict[str, str]) -> Any:
    if name not in places:
        raise not_among(what, name, places)
    return load(places[name])


@cache
def load(place: str) -> Any:
    """What is called so in a module, such as `assay.show.markdown:write`.

    >>> load("assay.core.errors:listed")(["a", "b"])
    'a, b'
    """
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)
