"""Hints for commands and options as they were called before: what to type now."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.commands import SUBJECTS, every_command, names_of

if TYPE_CHECKING:
    from cyclopts import App

#: Commands that have another name now.
COMMANDS = {
    "classify": "classifier evaluate",
    "thresholds": "classifier thresholds",
    "crossval": "classifier crossval, or of search systems assay tune",
    "cluster": "clustering evaluate",
    "extract": "extraction evaluate",
}
#: Options that have another name now, or an input's place, by command; "" is any.
OPTIONS = {
    ("gate", "-b"): "the baseline comes second: assay gate QRELS OLD NEW",
    ("gate", "--baseline"): "the baseline comes second: assay gate QRELS OLD NEW",
    ("gate", "-c"): "the candidate comes third: assay gate QRELS OLD NEW",
    ("gate", "--candidate"): "the candidate comes third: assay gate QRELS OLD NEW",
    ("clustering evaluate", "--ks"): "which number of clusters there are is said by assay clustering number",
    ("clustering evaluate", "--over-k"): "which number of clusters there are is said by assay clustering number",
    ("clustering evaluate", "--qrels"): "clusters of search results: assay clustering by-use QRELS RUN CLUSTERS",
    ("clustering evaluate", "--run"): "clusters of search results: assay clustering by-use QRELS RUN CLUSTERS",
    ("", "--bootstrap-resamples"): "it is called --resamples now; the random swaps of a test are --permutations",
}
#: Commands of search that took files of every subject, and kinds of pictures that were typed before the files.
_OF_ALL_SUBJECTS = ("compare", "explain", "report", "gate", "doctor", "plot", "power", "correlate")
_PICTURES = {
    "classifier": ("roc", "pr", "det", "calibration", "gain", "lift", "scores"),
    "clustering": ("silhouette", "contingency", "over-k"),
}


def hint(app: App, command: str, words: list[str]) -> str | None:
    """What to type instead of an old spelling; None if there is none in the call."""
    if words and words[0] in COMMANDS:
        return f"`assay {words[0]}` is now: assay {COMMANDS[words[0]]}"
    options = [word.partition("=")[0] for word in words if word.startswith("-")]
    for option in options:
        for place in (command, ""):
            if (place, option) in OPTIONS:
                return f"{option}: {OPTIONS[place, option]}"
    return _of_another_subject(app, command, options)


def refused_word(command: str, word: str) -> str | None:
    """What to type where a word was not always a file: `plot roc FILE`, `gate freeze QRELS RUN`."""
    if command == "gate" and word == "freeze":
        return "`assay gate freeze` is now: assay freeze QRELS RUN -o FILE"
    for subject, kinds in _PICTURES.items():
        if command.endswith("plot") and word in kinds:
            return f"`assay plot {word} FILE` is now: assay {subject} plot FILE --kind {word}"
    return None


def other_subject(command: str, words: list[str]) -> str | None:
    """Which command takes the files, where one of search was called that took all subjects before."""
    from assay.cli.inputs import named  # noqa: PLC0415
    from assay.files.clusters import looks_like_clusters  # noqa: PLC0415  # `assay --help` need not load Polars
    from assay.files.predictions import looks_like_predictions  # noqa: PLC0415

    files = [path for word in words[1:] if (path := named(word)[1]) and Path(path).is_file()]
    if command not in _OF_ALL_SUBJECTS or not files:
        return None
    for subject, holds in (("clustering", looks_like_clusters), ("classifier", looks_like_predictions)):
        if all(holds(path) for path in files) and command in SUBJECTS[subject][1]:
            return f"these are files for: assay {subject} {command}"
    if len(files) == 1 and command in SUBJECTS["scores"][1] and files[0].endswith((".csv", ".tsv")):
        return f"of scores: assay scores {command}"
    return None


def _of_another_subject(app: App, command: str, options: list[str]) -> str | None:
    """Where an option that the command lacks goes: to the same verb of another subject."""
    known = every_command()
    if command not in known:
        return None
    here, verb = names_of(app, command), command.rpartition(" ")[2]
    others = [f"{subject} {verb}" for subject in SUBJECTS if f"{subject} {verb}" in known] + [verb] * (verb in known)
    for option in (each for each in options if each not in here and each.startswith("--")):
        places = [other for other in others if other != command and option in names_of(app, other)]
        if places:
            return f"{option} goes with {' or '.join(f'assay {place}' for place in places)}"
    return None
