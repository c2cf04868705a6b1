"""The commands by subject, each a module and a function that is loaded when it is called."""

from __future__ import annotations

from typing import NamedTuple

from cyclopts import App, Parameter


class Command(NamedTuple):
    """Where a command is, and what it does."""

    place: str
    summary: str


SEARCH = {
    "evaluate": Command("evaluate.search", "Score runs against judgments."),
    "compare": Command("compare.search", "Say whether one run is better than another, and how sure that is."),
    "explain": Command("explain.search", "Show how a number came about, step by step."),
    "report": Command("report.search", "Write a report: who is better, how sure that is, query by query."),
    "gate": Command("gate.search", "Say whether a run may take the baseline's place, for pipelines."),
    "freeze": Command("gate.freeze", "Keep a run's scores as the baseline of later gates."),
    "audit": Command("audit.search", "Count by other tools' rules, and name the rule that gives a number."),
    "doctor": Command("doctor.search", "Look judgments and runs over for what makes numbers wrong."),
    "plot": Command("plot.search", "Draw a curve: precision and recall, ROC, by cut-off, query by query."),
    "power": Command("power.search", "Say how many topics are needed, and what these can show."),
    "correlate": Command("correlate.search", "Say whether measures, judgments or topics order systems alike."),
    "tune": Command("crossval.search", "Choose a setting of a search system by cross-validation over topics."),
    "trec-eval": Command("trec_eval.command", "Print what trec_eval prints."),
}
TOOLS = {
    "measures": Command("measures.measures", "List the measures, or show the card of one."),
    "show": Command("files.show", "Say what a file or a folder holds."),
    "convert": Command("files.convert", "Write a file in another format."),
    "demo": Command("demo.demo", "A first look, on data that come with the package."),
    "examples": Command("files.examples", "Copy the files of the documentation into a new folder."),
    "completion": Command("completion.completion", "Print the script by which your shell completes commands."),
}
SUBJECTS: dict[str, tuple[str, dict[str, Command]]] = {
    "classifier": ("Classifiers, by their predictions.", {
        "evaluate": Command("evaluate.classifier", "Say how good a classifier is: matrix, measures, advice."),
        "compare": Command("compare.classifier", "Say whether one classifier is better than another."),
        "explain": Command("explain.classifier", "Show how a number came about, step by step."),
        "report": Command("report.classifier", "Write a report on one classifier or several."),
        "gate": Command("gate.classifier", "Say whether a classifier may take the baseline's place, for pipelines."),
        "doctor": Command("doctor.classifier", "Look predictions over for what makes numbers wrong."),
        "plot": Command("plot.classifier", "Draw a curve: ROC, precision and recall, calibration, gain, lift."),
        "power": Command("power.classifier", "Say how many items are needed, and what these can show."),
        "thresholds": Command("thresholds.thresholds", "Say from which score on an item should count as positive."),
        "crossval": Command("crossval.classifier", "Say how good cross-validated classifiers are, fold by fold."),
    }),
    "clustering": ("Clusterings, by classes or by points.", {
        "evaluate": Command("evaluate.clustering", "Say how good a clustering is: measures, splits, merges, advice."),
        "compare": Command("compare.clustering", "Say whether one clustering is better than another."),
        "explain": Command("explain.clustering", "Show how a number came about, step by step."),
        "report": Command("report.clustering", "Write a report on one clustering or several."),
        "gate": Command("gate.clustering", "Say whether a clustering may take the baseline's place, for pipelines."),
        "doctor": Command("doctor.clustering", "Look clusterings over for what makes numbers wrong."),
        "plot": Command("plot.clustering", "Draw silhouettes, classes by clusters, or measures by number of clusters."),
        "number": Command("clusters.number", "Say which number of clusters the points have."),
        "by-use": Command("clusters.by_use", "Say what clusters of search results are good for."),
    }),
    "extraction": ("Spans that were extracted from documents.", {
        "evaluate": Command("evaluate.extraction", "Score spans: precision, recall and F, in all and per type."),
        "compare": Command("compare.extraction", "Say whether one system is better than another."),
        "explain": Command("explain.extraction", "Show how a number came about, step by step."),
        "report": Command("report.extraction", "Write a report on one system or several."),
        "gate": Command("gate.extraction", "Say whether a system may take the baseline's place, for pipelines."),
        "power": Command("power.extraction", "Say how many documents are needed, and what these can show."),
        "doctor": Command("doctor.extraction", "Look true and predicted spans over for what makes numbers wrong."),
    }),
    "scores": ("Scores of systems per unit, from any tool.", {
        "compare": Command("compare.scores", "Say whether one system is better than another."),
        "explain": Command("explain.scores", "Show how a rank correlation of two orders came about."),
        "report": Command("report.scores", "Write a report: who is better, and how sure that is."),
        "gate": Command("gate.scores", "Say whether a system may take the baseline's place, for pipelines."),
        "doctor": Command("doctor.scores", "Look scores over for what makes comparisons wrong."),
        "power": Command("power.scores", "Say how many units are needed, and what these can show."),
        "correlate": Command("correlate.scores", "Say whether measures, topics or lists order systems alike."),
    }),
}  # fmt: skip
#: How the first page of help groups them.
PANELS = {"Search": SEARCH, "Files and measures": TOOLS}
TOP = SEARCH | TOOLS


def every_command() -> dict[str, Command]:
    """All commands by the words that call them.

    >>> every_command()["classifier gate"].place
    'gate.classifier'
    """
    below = {f"{subject} {verb}": each for subject, (_, verbs) in SUBJECTS.items() for verb, each in verbs.items()}
    return TOP | below


def application() -> App:
    """The app: commands are registered by place, and none is loaded."""
    app = _app("assay")
    for verb, command in TOP.items():
        app.command(f"assay.cli.parameters:{command.place}", name=verb)
    for subject, (_, verbs) in SUBJECTS.items():
        below = _app(subject)
        for verb, command in verbs.items():
            below.command(f"assay.cli.parameters:{command.place}", name=verb)
        app.command(below)
    return app


def _app(name: str) -> App:
    """An app that leaves help, the version and the result to `main`."""
    return App(
        name=name, help_flags=(), version_flags=(), default_parameter=Parameter(negative=()),
        result_action="return_value",
    )  # fmt: skip


def names_of(app: App, command: str) -> list[str]:
    """The options of a command, by all their names."""
    return [name for names in options_of(app, command).values() for name in names]


def options_of(app: App, command: str) -> dict[str, list[str]]:
    """The names of each option of a command, by the argument that it stands for."""
    for word in command.split():
        app = app[word]
    arguments = {(each.keys or (each.field_info.name,))[-1]: each.names for each in app.assemble_argument_collection()}
    options = {argument: [name for name in names if name[:1] == "-"] for argument, names in arguments.items()}
    return {argument: names for argument, names in options.items() if names}
