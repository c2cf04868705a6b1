"""The commands by subject, each a module and a function that is loaded when it is called."""

from __future__ import annotations

from cyclopts import App, Parameter

#: Where each command is, as module and function, and what it does.
SEARCH = {
    "evaluate": ("search.evaluate", "Score runs against judgments."),
    "compare": ("search.compare", "Test whether one run is better than another."),
    "explain": ("search.explain", "Show how a score was computed, step by step."),
    "report": ("search.report", "Write a report: which run is better, and how certain that is."),
    "gate": ("search.gate", "Decide in CI whether a new run may replace the baseline."),
    "freeze": ("search.freeze", "Save a run's scores as the baseline for later gates."),
    "audit": ("audit.search", "Find the rule by which another tool got its number."),
    "doctor": ("search.doctor", "Check judgments and runs for problems that make scores wrong."),
    "plot": ("search.plot", "Draw a curve: precision-recall, ROC, by cutoff, by query."),
    "power": ("search.power", "Estimate how many topics it takes to detect a difference."),
    "correlate": ("search.correlate", "Check whether two measures or judgments rank systems alike."),
    "tune": ("search.tune", "Choose a setting by cross-validation over topics."),
    "trec-eval": ("trec_eval.command", "Print what trec_eval prints."),
}
TOOLS = {
    "measures": ("measures.measures", "List the measures, or describe one."),
    "show": ("files.show", "Show what a file or a folder contains."),
    "convert": ("files.convert", "Convert a file to another format."),
    "demo": ("files.demo", "Take a first look, on data that comes with Assay."),
    "examples": ("files.examples", "Copy the files of the documentation into a new folder."),
    "completion": ("files.completion", "Print the completion script for your shell."),
}
#: What a verb does, of any subject: of systems, with data that are checked, and units that are counted.
_VERBS = {
    "compare": "Test whether one {system} is better than another.",
    "explain": "Show how a number was computed, step by step.",
    "report": "Write a report on one {system} or more.",
    "gate": "Decide in CI whether a {system} may replace the baseline.",
    "doctor": "Check {data} for problems that make numbers wrong.",
    "power": "Estimate how many {units} it takes to detect a difference.",
}


def _regular(subject: str, system: str, data: str, units: str = "") -> dict[str, tuple[str, str]]:
    """The commands of a subject that others have, too; without units there is no power to plan."""
    texts = {verb: text.format(system=system, data=data, units=units) for verb, text in _VERBS.items()}
    return {verb: (f"{subject}.{verb}", text) for verb, text in texts.items() if units or verb != "power"}


SUBJECTS = {
    "classifier": ("Evaluate classifiers by their predictions.", {
        "evaluate": ("classifier.evaluate", "Evaluate a classifier: matrix, measures, baselines, advice."),
        **_regular("classifier", "classifier", "predictions", "items"),
        "plot": ("classifier.plot", "Draw a curve: ROC, precision-recall, calibration, gain, lift."),
        "thresholds": ("classifier.thresholds", "Choose the score from which items count as positive."),
        "crossval": ("classifier.crossval", "Evaluate cross-validated classifiers, fold by fold."),
    }),
    "clustering": ("Evaluate clusterings, against classes or by points.", {
        "evaluate": ("clustering.evaluate", "Evaluate a clustering: measures, splits, merges, advice."),
        **_regular("clustering", "clustering", "clusterings"),
        "compare": ("clustering.compare", "Decide whether one clustering is better than another."),
        "plot": ("clustering.plot", "Draw silhouettes, classes by clusters, or measures by number."),
        "number": ("clustering.number", "Choose the number of clusters."),
        "by-use": ("clustering.by_use", "Measure what clusters of search results are worth to a reader."),
    }),
    "extraction": ("Evaluate spans extracted from texts, such as names.", {
        "evaluate": ("extraction.evaluate", "Score spans: precision, recall and F, overall and per type."),
        **_regular("extraction", "system", "spans", "documents"),
    }),
    "scores": ("Compare systems by scores per unit, from any tool.", {
        **_regular("scores", "system", "scores", "units"),
        "explain": ("scores.explain", "Show how a rank correlation was computed, step by step."),
        "correlate": ("scores.correlate", "Check whether measures, topics or lists rank systems alike."),
    }),
    "agreement": ("Measure agreement between judges.", {
        "evaluate": ("agreement.evaluate", "Measure how far judges agree, and whether rankings depend on it."),
        **_regular("agreement", "set of labels", "labels"),
        "compare": ("agreement.compare", "Test whether one set of labels or group of judges agrees better."),
        "explain": ("agreement.explain", "Show how a coefficient was computed: P(A) and P(E) in numbers."),
        "report": ("agreement.report", "Write a report on the agreement of judges."),
        "gate": ("agreement.gate", "Decide in CI whether new labels agree as well as the baseline's."),
        "convert": ("agreement.convert", "Convert labels to a table, or to judgments."),
    }),
    "clicks": ("Measure what users click, and learn from it.", {
        "evaluate": ("clicks.evaluate", "Measure what users do: click-through, abandonment, success."),
        **_regular("clicks", "system", "a click log", "users"),
        "compare": ("clicks.compare", "Test whether users of one system do better than of another."),
        "explain": ("clicks.explain", "Show how a number was computed, and which users move it most."),
        "report": ("clicks.report", "Write a report on what users do."),
        "plot": ("clicks.plot", "Draw clicks by rank, or a measure over time."),
        "fit": ("clicks.fit", "Fit click models, and measure how well they predict clicks."),
        "simulate": ("clicks.simulate", "Simulate clicks by a model, on the pages of a log or a run."),
        "judge": ("clicks.judge", "Turn clicks into graded judgments, with counts and intervals."),
        "agree": ("clicks.agree", "Check whether clicks and judgments agree, and where not."),
        "calibrate": ("clicks.calibrate", "Fit the user models of ERR, EBU, rrDBN and uUBM to a log."),
        "prefer": ("clicks.prefer", "Find which documents users prefer to which."),
        "value": ("clicks.value", "Estimate what other rankings would have earned on a log."),
    }),
    "judge": ("Judge documents, alone or together: from a pool to judgments that never change.", {
        "start": ("judge.judge", "Judge documents at the terminal; `start` may be left out."),
        "init": ("judge_projects.init", "Make a project: pool runs, and ask people to judge the documents."),
        "status": ("judge.status", "Show progress, agreement, each assessor, what is worth a look."),
        "assign": ("judge.assign", "Add assessors, or give them topics of their own."),
        "change": ("judge.change", "Change the rules, the guidelines, known answers, the state."),
        "adjudicate": ("judge.adjudicate", "List the documents on which assessors differ, and decide."),
        "next": ("judge.next_documents", "Have the documents judged first that decide a comparison."),
        "release": ("judge.release", "Freeze the judgments under the next number."),
        "diff": ("judge.diff", "Show what changed between two releases, and which verdicts moved."),
        "import": ("judge.import_labels", "Take labels that were made elsewhere."),
        "export": ("judge.export", "Write judgments, labels, all that was said, or tasks."),
        "backup": ("judge.backup", "Write all of a project to a file, while others go on."),
        "restore": ("judge.restore", "Make a new project file of a backup."),
        "check": ("judge.check", "Check a project for damage."),
    }),
    "log": ("Import and check click logs.", {
        "import": ("log.import_log", "Import a log of any size into tables."),
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
        "sample": ("collection.sample_topics", "Sample topics from a query log."),
        "write": ("collection.write_topics", "Write a text file in which to edit topics by hand."),
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
#: The command of a group that is meant where none is named: `assay judge FILE` is `assay judge start FILE`.
USUAL = {"judge": "start"}
#: How the first page of help groups them.
PANELS = {"Search": SEARCH, "Files and measures": TOOLS}
TOP = SEARCH | TOOLS


def every_command() -> dict[str, str]:
    """Where each command is, by the words that call it.

    >>> every_command()["classifier gate"]
    'classifier.gate'
    """
    groups = {"": TOP, **{f"{subject} ": verbs for subject, (_, verbs) in SUBJECTS.items()}}
    return {f"{subject}{verb}": place for subject, verbs in groups.items() for verb, (place, _) in verbs.items()}


#: Other words for a command that people type.
_OTHER_WORDS = {("classifier", "threshold"): "thresholds"}


def as_called(words: list[str]) -> list[str]:
    """The words of a call, with the command as it is called.

    >>> as_called(["classifier", "threshold", "mine.csv"])
    ['classifier', 'thresholds', 'mine.csv']
    """
    name = _OTHER_WORDS.get((words[0], words[1])) if len(words) > 1 else None
    return words if name is None else [words[0], name, *words[2:]]


def completed(words: list[str]) -> list[str]:
    """The words with the command of a group that is meant where none is named.

    >>> completed(["judge", "team.db"]), completed(["judge", "status"]), completed(["judge"])
    (['judge', 'start', 'team.db'], ['judge', 'status'], ['judge', 'start'])
    """
    group = words[0] if words else ""
    if group not in USUAL or (len(words) > 1 and words[1] in SUBJECTS[group][1]):
        return words
    return [group, USUAL[group], *words[1:]]


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
