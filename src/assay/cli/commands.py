"""The commands by subject, each a module and a function that is loaded when it is called."""

from __future__ import annotations

from cyclopts import App, Parameter

#: Where each command is, as module and function, and what it does.
SEARCH = {
    "evaluate": ("evaluate.search", "Score runs against judgments."),
    "compare": ("compare.search", "Say whether one run is better than another, and how sure that is."),
    "explain": ("explain.search", "Show how a number came about, step by step."),
    "report": ("report.search", "Write a report: who is better, how sure that is, query by query."),
    "gate": ("gate.search", "Say whether a run may take the baseline's place, for pipelines."),
    "freeze": ("gate.freeze", "Keep a run's scores as the baseline of later gates."),
    "audit": ("audit.search", "Count by other tools' rules, and name the rule that gives a number."),
    "doctor": ("doctor.search", "Look judgments and runs over for what makes numbers wrong."),
    "plot": ("plot.search", "Draw a curve: precision and recall, ROC, by cut-off, query by query."),
    "power": ("power.search", "Say how many topics are needed, and what these can show."),
    "correlate": ("correlate.search", "Say whether measures, judgments or topics order systems alike."),
    "tune": ("crossval.search", "Choose a setting of a search system by cross-validation over topics."),
    "trec-eval": ("trec_eval.command", "Print what trec_eval prints."),
}
TOOLS = {
    "measures": ("measures.measures", "List the measures, or show the card of one."),
    "show": ("files.show", "Say what a file or a folder holds."),
    "convert": ("files.convert", "Write a file in another format."),
    "demo": ("demo.demo", "A first look, on data that come with the package."),
    "examples": ("files.examples", "Copy the files of the documentation into a new folder."),
    "completion": ("completion.completion", "Print the script by which your shell completes commands."),
}
SUBJECTS = {
    "classifier": ("Classifiers, by their predictions.", {
        "evaluate": ("evaluate.classifier", "Say how good a classifier is: matrix, measures, advice."),
        "compare": ("compare.classifier", "Say whether one classifier is better than another."),
        "explain": ("explain.classifier", "Show how a number came about, step by step."),
        "report": ("report.classifier", "Write a report on one classifier or several."),
        "gate": ("gate.classifier", "Say whether a classifier may take the baseline's place, for pipelines."),
        "doctor": ("doctor.classifier", "Look predictions over for what makes numbers wrong."),
        "plot": ("plot.classifier", "Draw a curve: ROC, precision and recall, calibration, gain, lift."),
        "power": ("power.classifier", "Say how many items are needed, and what these can show."),
        "thresholds": ("thresholds.thresholds", "Say from which score on an item should count as positive."),
        "crossval": ("crossval.classifier", "Say how good cross-validated classifiers are, fold by fold."),
    }),
    "clustering": ("Clusterings, by classes or by points.", {
        "evaluate": ("evaluate.clustering", "Say how good a clustering is: measures, splits, merges, advice."),
        "compare": ("compare.clustering", "Say whether one clustering is better than another."),
        "explain": ("explain.clustering", "Show how a number came about, step by step."),
        "report": ("report.clustering", "Write a report on one clustering or several."),
        "gate": ("gate.clustering", "Say whether a clustering may take the baseline's place, for pipelines."),
        "doctor": ("doctor.clustering", "Look clusterings over for what makes numbers wrong."),
        "plot": ("plot.clustering", "Draw silhouettes, classes by clusters, or measures by number of clusters."),
        "number": ("clusters.number", "Say which number of clusters the points have."),
        "by-use": ("clusters.by_use", "Say what clusters of search results are good for."),
    }),
    "extraction": ("Spans that were extracted from documents.", {
        "evaluate": ("evaluate.extraction", "Score spans: precision, recall and F, in all and per type."),
        "compare": ("compare.extraction", "Say whether one system is better than another."),
        "explain": ("explain.extraction", "Show how a number came about, step by step."),
        "report": ("report.extraction", "Write a report on one system or several."),
        "gate": ("gate.extraction", "Say whether a system may take the baseline's place, for pipelines."),
        "power": ("power.extraction", "Say how many documents are needed, and what these can show."),
        "doctor": ("doctor.extraction", "Look true and predicted spans over for what makes numbers wrong."),
    }),
    "log": ("Click logs: what people saw, and what they clicked.", {
        "import": ("log.import_", "Read a log of any size, and write it as tables."),
        "show": ("log.show", "Count what a log holds: pages, users, systems, clicks by rank."),
        "check": ("log.check", "Look a log over for what makes numbers wrong."),
    }),
    "collection": ("Test collections.", {
        "new": ("collection.new", "Make a collection from files."),
        "add": ("collection.add", "Add documents, topics, judgments or runs."),
        "show": ("collection.show", "Count documents, topics, relevant documents, what runs cover."),
        "check": ("collection.check", "Say what is missing or inconsistent."),
        "export": ("collection.export", "Write it in TREC's layout, as a folder or a .zip."),
        "list": ("collection.catalogue", "Search the catalogue of well-known collections."),
    }),
    "topics": ("Topics for a new collection.", {
        "sample": ("topics.sample", "Draw topics from a query log."),
        "write": ("topics.write", "Write a text file in which to write topics by hand."),
    }),
    "scores": ("Scores of systems per unit, from any tool.", {
        "compare": ("compare.scores", "Say whether one system is better than another."),
        "explain": ("explain.scores", "Show how a rank correlation of two orders came about."),
        "report": ("report.scores", "Write a report: who is better, and how sure that is."),
        "gate": ("gate.scores", "Say whether a system may take the baseline's place, for pipelines."),
        "doctor": ("doctor.scores", "Look scores over for what makes comparisons wrong."),
        "power": ("power.scores", "Say how many units are needed, and what these can show."),
        "correlate": ("correlate.scores", "Say whether measures, topics or lists order systems alike."),
    }),
    "agreement": ("Judges, by the labels they gave the same items.", {
        "evaluate": ("evaluate.agreement", "Say how far judges agree, and whether rankings depend on the judge."),
        "compare": ("compare.agreement", "Say whether one set of labels, or group of judges, agrees better."),
        "explain": ("explain.agreement", "Show how a coefficient came about: P(A) and P(E) in numbers."),
        "report": ("report.agreement", "Write a report on the agreement of judges."),
        "gate": ("gate.agreement", "Say whether new labels agree as well as the baseline's, for pipelines."),
        "doctor": ("doctor.agreement", "Look labels over for what makes agreement wrong or misleading."),
        "convert": ("items.convert_labels", "Write labels as a table, or as judgments with the judge in column 2."),
    }),
    "clicks": ("Users, by what they click on result pages.", {
        "evaluate": ("evaluate.clicks", "Say what users do: click-through, ranks, abandonment, success."),
        "compare": ("compare.clicks", "Say whether users of one system do better than those of another."),
        "explain": ("explain.clicks", "Show how a number came about: its sums, and who moves it most."),
        "report": ("report.clicks", "Write a report on what users do."),
        "gate": ("gate.clicks", "Say whether a system may take the baseline's place, for pipelines."),
        "doctor": ("doctor.clicks", "Look a click log over for what makes numbers wrong."),
        "plot": ("plot.clicks", "Draw clicks by rank, or a measure over time."),
        "power": ("power.clicks", "Say how many users are needed, and what these can show."),
        "fit": ("click_models.fit", "Fit click models, and say how well they foresee clicks."),
        "simulate": ("click_models.simulate", "Draw clicks from a model, on the pages of a log or a run."),
        "judge": ("clicks_feedback.judge", "Make graded judgments of clicks, with counts and intervals."),
        "agree": ("clicks_feedback.agree", "Say whether clicks and judgments agree, and where they do not."),
        "calibrate": ("clicks_feedback.calibrate", "Fit the users of ERR, EBU, rrDBN and uUBM to a log."),
        "prefer": ("clicks_feedback.prefer", "Say which documents clicks prefer to which."),
        "value": ("clicks_feedback.value", "Say what other rankings would have earned on a log."),
    }),
    "crowd": ("Labels of a crowd, and of language models.", {
        "aggregate": ("crowd.aggregate", "Make one label per item of many workers' labels."),
        "workers": ("crowd.workers", "Say how good each worker is, and who answers at random."),
        "hits": ("crowd.hits", "Write a file of HITs for Mechanical Turk, gold questions mixed in."),
        "audit": ("crowd.audit", "Say whether a model's labels can stand for those of people."),
    }),
    "pool": ("Pools: which documents to judge, and what they miss.", {
        "make": ("pool.make", "Pool the first documents of runs, to be judged."),
        "simulate": ("pool.simulate", "Say what strategies would have found, from existing judgments."),
        "choose": ("pool.choose", "Choose the runs that make a varied pool."),
        "bias": ("pool.bias", "Say whether the judgments can score a new system fairly."),
        "estimate": ("pool.estimate", "Estimate scores from judgments of a sampled pool."),
    }),
}  # fmt: skip
#: How the first page of help groups them.
PANELS = {"Search": SEARCH, "Files and measures": TOOLS}
TOP = SEARCH | TOOLS


def every_command() -> dict[str, str]:
    """Where each command is, by the words that call it.

    >>> every_command()["classifier gate"]
    'gate.classifier'
    """
    groups = {"": TOP, **{f"{subject} ": verbs for subject, (_, verbs) in SUBJECTS.items()}}
    return {f"{subject}{verb}": place for subject, verbs in groups.items() for verb, (place, _) in verbs.items()}


def application() -> App:
    """The app: commands are registered by place, and none is loaded."""
    app = _app("assay")
    subjects = {subject: _app(subject) for subject in SUBJECTS}
    for command, place in every_command().items():
        subject, _, verb = command.rpartition(" ")
        subjects.get(subject, app).command(f"assay.cli.parameters:{place}", name=verb)
    for below in subjects.values():
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
