"""The commands by subject, each a module and a function that is loaded when it is called."""

from __future__ import annotations

from cyclopts import App, Parameter

#: Where each command is, as module and function, and what it does.
SEARCH = {
    "evaluate": ("evaluate.search", "Score runs against judgments."),
    "compare": ("compare.search", "Test whether one run is better than another."),
    "explain": ("explain.search", "Show how a score was computed, step by step."),
    "report": ("report.search", "Write a report: which run is better, and how certain that is."),
    "gate": ("gate.search", "Decide in CI whether a new run may replace the baseline."),
    "freeze": ("gate.freeze", "Save a run's scores as the baseline for later gates."),
    "audit": ("audit.search", "Find the rule by which another tool got its number."),
    "doctor": ("doctor.search", "Check judgments and runs for problems that make scores wrong."),
    "plot": ("plot.search", "Draw a curve: precision-recall, ROC, by cutoff, by query."),
    "power": ("power.search", "Estimate how many topics it takes to detect a difference."),
    "correlate": ("correlate.search", "Check whether two measures or judgments rank systems alike."),
    "tune": ("crossval.search", "Choose a setting by cross-validation over topics."),
    "trec-eval": ("trec_eval.command", "Print what trec_eval prints."),
}
TOOLS = {
    "measures": ("measures.measures", "List the measures, or describe one."),
    "show": ("files.show", "Show what a file or a folder contains."),
    "convert": ("files.convert", "Convert a file to another format."),
    "demo": ("demo.demo", "Take a first look, on data that comes with Assay."),
    "examples": ("files.examples", "Copy the files of the documentation into a new folder."),
    "completion": ("completion.completion", "Print the completion script for your shell."),
}
SUBJECTS = {
    "classifier": ("Evaluate classifiers by their predictions.", {
        "evaluate": ("evaluate.classifier", "Evaluate a classifier: matrix, measures, baselines, advice."),
        "compare": ("compare.classifier", "Test whether one classifier is better than another."),
        "explain": ("explain.classifier", "Show how a number was computed, step by step."),
        "report": ("report.classifier", "Write a report on one classifier or more."),
        "gate": ("gate.classifier", "Decide in CI whether a classifier may replace the baseline."),
        "doctor": ("doctor.classifier", "Check predictions for problems that make numbers wrong."),
        "plot": ("plot.classifier", "Draw a curve: ROC, precision-recall, calibration, gain, lift."),
        "power": ("power.classifier", "Estimate how many items it takes to detect a difference."),
        "thresholds": ("thresholds.thresholds", "Choose the score from which items count as positive."),
        "crossval": ("crossval.classifier", "Evaluate cross-validated classifiers, fold by fold."),
    }),
    "clustering": ("Evaluate clusterings, against classes or by points.", {
        "evaluate": ("evaluate.clustering", "Evaluate a clustering: measures, splits, merges, advice."),
        "compare": ("compare.clustering", "Decide whether one clustering is better than another."),
        "explain": ("explain.clustering", "Show how a number was computed, step by step."),
        "report": ("report.clustering", "Write a report on one clustering or more."),
        "gate": ("gate.clustering", "Decide in CI whether a clustering may replace the baseline."),
        "doctor": ("doctor.clustering", "Check clusterings for problems that make numbers wrong."),
        "plot": ("plot.clustering", "Draw silhouettes, classes by clusters, or measures by number."),
        "number": ("clusters.number", "Choose the number of clusters."),
        "by-use": ("clusters.by_use", "Measure what clusters of search results are worth to a reader."),
    }),
    "extraction": ("Evaluate spans extracted from texts, such as names.", {
        "evaluate": ("evaluate.extraction", "Score spans: precision, recall and F, overall and per type."),
        "compare": ("compare.extraction", "Test whether one system is better than another."),
        "explain": ("explain.extraction", "Show how a number was computed, step by step."),
        "report": ("report.extraction", "Write a report on one system or more."),
        "gate": ("gate.extraction", "Decide in CI whether a system may replace the baseline."),
        "power": ("power.extraction", "Estimate how many documents it takes to detect a difference."),
        "doctor": ("doctor.extraction", "Check spans for problems that make numbers wrong."),
    }),
    "scores": ("Compare systems by scores per unit, from any tool.", {
        "compare": ("compare.scores", "Test whether one system is better than another."),
        "explain": ("explain.scores", "Show how a rank correlation was computed, step by step."),
        "report": ("report.scores", "Write a report: which system is better, how certain that is."),
        "gate": ("gate.scores", "Decide in CI whether a system may replace the baseline."),
        "doctor": ("doctor.scores", "Check scores for problems that make comparisons wrong."),
        "power": ("power.scores", "Estimate how many units it takes to detect a difference."),
        "correlate": ("correlate.scores", "Check whether measures, topics or lists rank systems alike."),
    }),
    "agreement": ("Measure agreement between judges.", {
        "evaluate": ("evaluate.agreement", "Measure how far judges agree, and whether rankings depend on it."),
        "compare": ("compare.agreement", "Test whether one set of labels or group of judges agrees better."),
        "explain": ("explain.agreement", "Show how a coefficient was computed: P(A) and P(E) in numbers."),
        "report": ("report.agreement", "Write a report on the agreement of judges."),
        "gate": ("gate.agreement", "Decide in CI whether new labels agree as well as the baseline's."),
        "doctor": ("doctor.agreement", "Check labels for problems that make agreement wrong."),
        "convert": ("items.convert_labels", "Convert labels to a table, or to judgments."),
    }),
    "clicks": ("Measure what users click, and learn from it.", {
        "evaluate": ("evaluate.clicks", "Measure what users do: click-through, abandonment, success."),
        "compare": ("compare.clicks", "Test whether users of one system do better than of another."),
        "explain": ("explain.clicks", "Show how a number was computed, and which users move it most."),
        "report": ("report.clicks", "Write a report on what users do."),
        "gate": ("gate.clicks", "Decide in CI whether a system may replace the baseline."),
        "doctor": ("doctor.clicks", "Check a click log for problems that make numbers wrong."),
        "plot": ("plot.clicks", "Draw clicks by rank, or a measure over time."),
        "power": ("power.clicks", "Estimate how many users it takes to detect a difference."),
        "fit": ("clicks.fit", "Fit click models, and measure how well they predict clicks."),
        "simulate": ("clicks.simulate", "Simulate clicks by a model, on the pages of a log or a run."),
        "judge": ("clicks.judge", "Turn clicks into graded judgments, with counts and intervals."),
        "agree": ("clicks.agree", "Check whether clicks and judgments agree, and where not."),
        "calibrate": ("clicks.calibrate", "Fit the user models of ERR, EBU, rrDBN and uUBM to a log."),
        "prefer": ("clicks.prefer", "Find which documents users prefer to which."),
        "value": ("clicks.value", "Estimate what other rankings would have earned on a log."),
    }),
    "log": ("Import and check click logs.", {
        "import": ("log.import_", "Import a log of any size into tables."),
        "show": ("log.show", "Count what a log holds: pages, users, systems, clicks by rank."),
        "check": ("log.check", "Check a log for problems that make numbers wrong."),
    }),
    "crowd": ("Combine labels of a crowd; audit language models as judges.", {
        "aggregate": ("crowd.aggregate", "Combine many workers' labels into one label per item."),
        "workers": ("crowd.workers", "Measure how good each worker is, and who gives only noise."),
        "hits": ("crowd.hits", "Write HITs for Mechanical Turk, with gold questions mixed in."),
        "audit": ("crowd.audit", "Check whether a model's labels can replace people's."),
    }),
    "pool": ("Choose documents to judge, and find what a pool misses.", {
        "make": ("pool.make", "Pool the top documents of runs, to be judged."),
        "simulate": ("pool.simulate", "Simulate pooling strategies on existing judgments."),
        "choose": ("pool.choose", "Choose the runs that make a varied pool."),
        "bias": ("pool.bias", "Check whether the judgments can score a new system fairly."),
        "estimate": ("pool.estimate", "Estimate scores from judgments of a sampled pool."),
    }),
    "topics": ("Sample or write topics for a new collection.", {
        "sample": ("topics.sample", "Sample topics from a query log."),
        "write": ("topics.write", "Write a text file in which to edit topics by hand."),
    }),
    "collection": ("Build, check and find test collections.", {
        "new": ("collection.new", "Make a collection from files."),
        "add": ("collection.add", "Add documents, topics, judgments or runs."),
        "show": ("collection.show", "Count documents, topics, relevant documents, coverage."),
        "check": ("collection.check", "Find what is missing or inconsistent."),
        "export": ("collection.export", "Write it in TREC's layout."),
        "list": ("collection.catalogue", "Search the catalogue of well-known collections."),
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
