"""All commands at once: help that fits a screen, examples that run, options declared once, hints at what is new."""

from __future__ import annotations

import ast
import functools
import inspect
import re
import shlex
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from cases import in_turn
from command import invoke, run_assay

import assay
from assay import ParameterError, Policies, cli, new_collection
from assay.cli.commands import SUBJECTS, app_of, application, every_command, names_of
from assay.cli.files import lay_out
from assay.cli.help_pages import help_page
from assay.core import evaluation_options, registry
from assay.core import options as shared
from assay.core.evaluation_options import PolicyRules

APP = application()
ROOT = Path(__file__).parents[1]
HELPED = [command for command in every_command() if command != "trec-eval"]
#: The commands of each subject, and of search systems under "".
OF_SUBJECT = {
    subject: [command for command in HELPED if subject == (command.split()[0] if " " in command else "")]
    for subject in ["", *SUBJECTS]
}
each_subject = pytest.mark.parametrize("subject", OF_SUBJECT)
TYPES = re.compile(r"\b(str|int|float|bool|tuple|dict|None|Path|Optional|Annotated)\b|list\[|--no-|--empty-")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The examples that come along, with scores and clusters that are made of them."""
    folder = tmp_path_factory.mktemp("examples") / "tea"
    lay_out(folder)
    new_collection(folder / "bikes", [folder / "bicycles" / "qrels.txt"])
    (folder / "log.txt").write_text("".join(f"query {number}\n" for number in range(60)), encoding="utf-8")
    scores = ("evaluate", "qrels.txt", "words.run", "stems.run", "alphabet.run", "-q", "--csv", "-o", "scores.csv")
    run_assay(*scores, folder=folder)
    documents = {line.split()[2] for line in (folder / "words.run").read_text(encoding="utf-8").splitlines()}
    rows = "".join(f"{document},{document.partition('-')[0]}\n" for document in sorted(documents))
    (folder / "clusters.csv").write_text(f"doc_id,cluster\n{rows}", encoding="utf-8")
    return folder


@functools.cache
def arguments_of(command: str) -> list[Any]:
    return [each for each in app_of(APP, command).assemble_argument_collection() if each.parameter.help]


@in_turn("command", ["", *SUBJECTS, *HELPED])
def test_help_fits_a_screen_and_is_free_of_python(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    page = help_page(APP, command, everything=False)
    assert page.count("\n") <= (40 if command else 48)  # the first page has a line for each subject
    assert max(map(len, page.splitlines())) <= 100
    assert not TYPES.search(page + help_page(APP, command, everything=True))
    if command in HELPED:
        assert re.search(rf"^  \$ assay {command}\b", page, re.MULTILINE)


@each_subject
def test_all_options_are_on_the_long_page(subject: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    for command in OF_SUBJECT[subject]:
        page = invoke([*command.split(), "--help-all"]).stdout
        assert [name for name in names_of(APP, command) if name not in page] == [], command
        assert invoke([*command.split(), "-h"]).stdout == help_page(APP, command, everything=False)


@each_subject
def test_examples_of_help_run(subject: str, folder: Path) -> None:
    """Those that stand on a page are run there, by `tests/test_docs.py`."""
    sessions = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs").glob("*.md"))
    for command in OF_SUBJECT[subject]:
        if command == "serve":  # runs until it is stopped: see `tests/test_web.py`
            continue
        page = help_page(APP, command, everything=False)
        for example in re.findall(r"^  \$ assay (.*)$", page, re.MULTILINE):
            if f"\n$ assay {example}\n" in sessions:
                continue
            done = run_assay(*shlex.split(example), folder=folder)
            assert done.returncode in ({0, 1, 3} if "gate" in command else {0}), f"{example}\n{done.stderr}"


#: Names that are declared more than once, since they name another thing of the same kind.
SEVERAL = {
    "--output": "a result, a report, a picture, a baseline and the demo are written to files of their own kinds",
    "--margin": "a difference of a comparison; a loss of a gate, which may be stated measure by measure",
    "--kind": "kinds of pictures differ by subject; what a file holds",
    "--baseline": "the system that others are compared with; the one of a gate",
    "--missing": "topics that a run lacks; items that a system lacks",
    "--threshold": "a score; in a picture also a rule",
    "--test": "tests of paired units; tests over folds",
    "--points": "points of a curve; columns of coordinates",
    "--grades": "grades of a typed ranking; the scale that the doctor checks",
    "--order": "items with the best first; which cluster is read first; in which documents are judged",
    "--budget": "what may be spent on items; documents per topic",
    "--depth": "how far runs are scored; how far they are pooled",
    "--strategy": "the one of a pool; those to simulate",
    "--qrels": "judgments that a pool may have; judgments to choose runs by",
    "--split": "a number of topics; a column of train and test",
    "--fold": "a column of predictions; an attribute of topics",
    "--item": "an item of a classifier; a point of a clustering",
    "--prevalence": "in the card of a classifier, repeatedly; in use, for costs",
    "--group": "a column of items that stay together; the judges of a group; the team of a run",
    "--by": "the measure that judges rank systems by; how topics are drawn; segments of a log; groups of users",
    "--from": "the format of a file; the layout of a log",
    "--system": "which systems of a result are shown; whose pages of a log are read",
    "--exclude": "workers whose labels do not count; pages of a log",
    "--overwrite": "a file that is read; a folder that holds a log",
    "--gold": "right answers of a crowd; gold questions to mix in",
    "--prior": "of the strengths of preferred documents; of the parameters of click models",
    "--measure": "the measures of a result; the one that decides what is judged next",
    "--ties": "equal scores of a run; equally frequent grades of a document",
    "--unjudged": "what unjudged documents count as; whether they are exported",
    "--topics": "a file of topics; the topics of an assessor",
    "--documents": "a file beside a result; what a project judges",
    "--for": "the use of a measure; the tool of a task",
    "--scale": "of labels that are compared; of grades that are asked for",
    "--tolerance": "when a fit ends; grades between two that agree",
    "--run": "runs to pool; runs to decide between",
    "--aspect": "what is asked; what is exported",
    "--guidelines": "the first version; a later one",
    "--list": "releases, without making one; documents, without asking for them",
    "--demo": "judging at the terminal; in a browser",
    "--covariate": "of all measures of a test; of the one that a plan is about",
    "--users": "planned; simulated",
    "--difference": "to detect; to plan for; that is simulated",
    "--looks": "of a plan; of a simulation; that there were",
    "--unit": "of a log; of a test; one user to assign",
    "--sd": "of differences between systems; of users",
    "--plan": "that says what is tested; that is watched",
}


def declared() -> list[tuple[tuple[str, ...], str]]:
    """The names that options are declared with in the sources, and their help."""
    paths = [Path(shared.__file__), Path(evaluation_options.__file__), *Path(cli.__file__).parent.glob("*.py")]
    nodes = [node for path in paths for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
    calls = [each for each in nodes if isinstance(each, ast.Call) and ast.unparse(each.func) == "option"]
    options = []
    for node in calls:
        names = tuple(ast.literal_eval(each) for each in node.args if isinstance(each, ast.Constant))
        text = [each.value for each in node.keywords if each.arg == "help"]
        options += [(names, ast.literal_eval(each)) for each in text if isinstance(each, ast.Constant)]
    listed = [(name, text) for each in registry.declarations() for name, text in each.listed.items()]
    return [*options, *(((f"--{name}",), text) for name, text in listed)]


def test_every_option_is_declared_in_one_place() -> None:
    texts = [text for _, text in declared()]
    assert [text for text, count in Counter(texts).items() if count > 1] == []
    meanings: dict[str, set[str]] = {}
    for command in HELPED:
        for each in arguments_of(command):
            if each.index is None:
                assert each.parameter.help in texts
                meanings.setdefault(each.names[-1], set()).add(each.parameter.help)
    assert {name for name, several in meanings.items() if len(several) > 1} == set(SEVERAL)


def public_functions() -> list[Any]:
    """The functions that the package offers, and the methods of its classes."""
    offered = [getattr(assay, name) for name in assay.__all__ if name != "__version__"]
    methods = [value for each in offered if inspect.isclass(each) for value in vars(each).values()]
    named = [each for each in [*offered, *methods] if inspect.isfunction(each)]
    return [each for each in named if not each.__name__.startswith("_")]


def test_no_keyword_argument_of_a_public_function_is_without_a_name() -> None:
    """Editors complete what a signature or a group of options names; a misspelt one gets a suggestion."""
    several = [each for each in public_functions() if any(
        parameter.kind is inspect.Parameter.VAR_KEYWORD and "Unpack[" not in str(parameter.annotation)
        and "ParameterValue" not in str(parameter.annotation)  # what a measure takes, the measure says
        for parameter in inspect.signature(each).parameters.values())]  # fmt: skip
    assert several == []


@in_turn(
    ("function", "group"),
    [
        (assay.compare, shared.TestSettings), (assay.compare, shared.SeedOption), (assay.plan, shared.PlanSettings),
        (assay.gate, shared.GateLevels), (assay.Policies, PolicyRules), (assay.cluster, shared.ClusterRules),
        (assay.classify, shared.LabelRules), (assay.extract, shared.SpanRules), (assay.classify, shared.Sampling),
    ],
)  # fmt: skip
def test_groups_of_options_are_what_functions_take(function: Any, group: Any) -> None:
    named = inspect.signature(function).parameters
    assert set(group.__annotations__) <= set(named)


@in_turn(
    "call",
    [
        lambda: assay.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, "AP", tise="expected"),  # type: ignore[call-arg]
        lambda: assay.compare({"q": {"d": 1}}, {"a": {"q": {"d": 1.0}}}, tise="expected"),  # type: ignore[call-arg]
        lambda: assay.make_report({"q": {"d": 1}}, {"a": {"q": {"d": 1.0}}}, tise="expected"),  # type: ignore[call-arg]
        lambda: assay.explain("AP", {"q": {"d": 1}}, {"q": {"d": 1.0}}, tise="expected"),  # type: ignore[call-arg]
    ],
)
def test_a_misspelt_argument_gets_a_suggestion(call: Callable[[], Any]) -> None:
    with pytest.raises(ParameterError, match="unknown argument 'tise'; did you mean ties"):
        call()


def test_a_result_lists_its_public_names_alone() -> None:
    result = assay.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, "AP")
    assert "mean" in dir(result)
    assert [name for name in dir(result) if name.startswith("_")] == []


def test_help_names_the_words_of_every_rule() -> None:
    hints, texts = get_type_hints(Policies), {each.field_info.name: each for each in arguments_of("evaluate")}
    for name in texts.keys() & hints.keys():
        words = [word for word in get_args(hints[name]) if isinstance(word, str)]
        assert all(word in texts[name].parameter.help for word in words), name


def test_a_subject_without_a_verb_says_why_or_what_else_does_it() -> None:
    verbs = ("evaluate", "compare", "explain", "report", "gate", "doctor", "plot", "power", "correlate")
    missing = [
        (subject, verb)
        for subject, (_, commands) in SUBJECTS.items()
        for verb in verbs
        if "compare" in commands and verb not in commands
    ]
    assert ("clustering", "power") in missing
    for subject, verb in missing:
        done = invoke([subject, verb, "x"])
        assert isinstance(done.exception, ParameterError), done.output
        assert "no such" not in str(done.exception), (subject, verb)


@pytest.mark.parametrize("words", ["evaluat", "frobnicate", "classifier evaluat", "pool maek", "classify", "gat q o n"])
@pytest.mark.parametrize("asked", ["{} --help", "{} -h", "{} --help-all", "--help {}", "help {}"])
def test_an_unknown_command_is_one_with_help_as_without(words: str, asked: str, tmp_path: Path) -> None:
    plain = run_assay(*words.split(), folder=tmp_path)
    done = run_assay(*asked.format(words).split(), folder=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", plain.stderr)
    assert plain.stderr.count("\n") == 1


@pytest.mark.parametrize("command", ["", "evaluate", "classifier", "classifier gate", "trec-eval"])
def test_help_is_also_a_word(command: str, tmp_path: Path) -> None:
    words = command.split()
    page = run_assay(*words, "--help", folder=tmp_path).stdout
    assert page.startswith(f"Usage: assay {command}")
    last = [*words[:-1], "help", *words[-1:]]
    inside = last if len(words) == 2 else ["help", *words]
    for asked in (["help", *words], ["--help", *words], ["help", "help", *words], ["help", *words, "help"], inside):
        done = run_assay(*asked, folder=tmp_path)
        assert (done.returncode, done.stdout) == (0, page), asked
    assert run_assay("--version", folder=tmp_path).stdout == f"assay {assay.__version__}\n"


@each_subject
def test_unknown_options_are_refused_with_a_suggestion(subject: str) -> None:
    for command in OF_SUBJECT[subject]:
        refused_with_a_suggestion(command)


#: Options without which a command is not looked at any further.
NEEDED = {"freeze": ("-o", "q"), "abtest plan": ("-m", "x"), "abtest watch": ("--plan", "x"),
          "abtest simulate": ("-m", "x", "--difference", "1")}  # fmt: skip


def refused_with_a_suggestion(command: str) -> None:
    """Fail unless a misspelt option of a command is refused, and the right one named."""
    option = max((name for name in names_of(APP, command) if name.startswith("--")), key=len, default="")
    done = invoke(
        [
            *command.split(),
            *(["bash"] if command == "completion" else ["x", "y", "z"]),
            *NEEDED.get(command, ()),
            f"{option}s" if option else "--quiets",
        ]
    )
    assert isinstance(done.exception, ParameterError), done.output
    assert "no such option" in str(done.exception)
    assert not option or f"did you mean {option}" in str(done.exception)


@in_turn(
    ("words", "problem"),
    [
        ("compare", "QRELS is missing"),
        ("freeze q r", "-o or --output is missing"),
        ("evaluate q r -m", "-m: expected a value"),
        ("evaluate q r --depth x", "--depth: expected a whole number, got 'x'"),
        ("evaluate q r --json=x", "--json: expected no value, got 'x'"),
        ("pool choose x a", "N: expected a whole number, got 'x'"),
        ("pool make a --depth 0", "--depth: expected a whole number from 1 on, got 0"),
        ("classifier thresholds f --recall -", "--recall: expected a number, got '-'"),
        ("clicks fit l --prior 1", "--prior: expected 2 values"),
    ],
)
def test_wrong_values_are_named_in_words(words: str, problem: str) -> None:
    assert str(invoke(words.split()).exception).startswith(f"{problem}; `assay ")


@in_turn(
    ("words", "hint"),
    [
        (["compare", "letters/spam.csv"], "assay classifier compare"),
        (["report", "notes/notes.csv"], "assay clustering report"),
        (["compare", "letters/spam.csv", "letters/topics.csv"], "assay classifier compare"),
        (["doctor", "letters/spam.csv"], "assay classifier doctor"),
        (["power", "scores.csv"], "assay scores power"),
        (["explain", "F1", "--matrix", "5 0; 1 3"], "--matrix goes with assay classifier explain"),
        (["compare", "q", "r", "--metric", "AP"], "--metric: it is called --measure here"),
        (["evaluate", "q", "r", "--metrics=AP"], "--metrics: it is called --measure here"),
        (["evaluate", "q", "r", "--relevance-level", "2"], "--relevance-level: it is called --level here"),
        (["classifer", "evaluate"], "did you mean classifier?"),
        (["classifier", "comprae"], "did you mean compare?"),
    ],
)
def test_what_belongs_elsewhere_is_said_to(words: list[str], hint: str, folder: Path) -> None:
    done = run_assay(*words, folder=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert hint in done.stderr
    assert done.stderr.count("\n") == 1


@in_turn(
    ("systems", "message"),
    [(["nobody"], "no system is called 'nobody'"), (["words"], "takes at least two systems, not words alone")],
)
def test_a_comparison_of_classifiers_is_of_the_systems_named(systems: list[str], message: str, folder: Path) -> None:
    words = ["classifier", "compare", "letters/spam.csv", "--positive", "spam", "-m", "Accuracy"]
    done = run_assay(*words, *(word for name in systems for word in ("--system", name)), folder=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


STDIN = [
    ("evaluate - words.run -m AP", "qrels.txt"), ("evaluate qrels.txt - -m AP", "words.run"),
    ("compare - words.run stems.run -m AP", "qrels.txt"), ("compare qrels.txt words.run new=- -m AP", "stems.run"),
    ("explain AP - words.run", "qrels.txt"), ("report qrels.txt - -o r.md", "words.run"),
    ("gate qrels.txt - stems.run", "words.run"), ("freeze qrels.txt - -o -", "words.run"),
    ("audit qrels.txt -", "words.run"), ("doctor qrels.txt -", "words.run"), ("show -", "words.run"),
    ("plot qrels.txt - -o c.csv", "words.run"), ("power qrels.txt - stems.run -m AP", "words.run"),
    ("convert - out.jsonl", "words.run"), ("trec-eval qrels.txt -", "words.run"),
    ("classifier evaluate - --positive spam", "letters/spam.csv"),
    ("classifier report - --positive spam -o r.md", "letters/spam.csv"),
    ("classifier doctor - --positive spam", "letters/spam.csv"),
    ("clustering evaluate - --unlabelled drop", "notes/notes.csv"),
    ("clustering gate - -b density -c kmeans --unlabelled drop", "notes/notes.csv"),
    ("extraction evaluate -", "letters/names.conll"), ("scores compare - -m AP", "scores.csv"),
    ("clustering doctor -", "notes/notes.csv"), ("extraction doctor -", "letters/names.conll"),
    ("scores doctor -", "scores.csv"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "path"), STDIN)
def test_a_dash_is_standard_input(call: str, path: str, folder: Path) -> None:
    done = run_assay(*call.split(), folder=folder, stdin=(folder / path).read_bytes())
    assert done.returncode in {0, 1, 3}, done.stderr
    assert done.stdout or done.stderr.startswith(("c.csv: ", "-: TREC run -> out.jsonl"))  # written to a file
    assert "no such option" not in done.stderr


def test_the_shell_completes_commands_and_options(tmp_path: Path) -> None:
    """The script that bash is given knows the commands of a subject and their options."""
    script = tmp_path / "assay"
    script.write_text(run_assay("completion", "bash", folder=tmp_path).stdout, encoding="utf-8")
    typed = f"source {script}; COMP_WORDS=(assay classifier comp); COMP_CWORD=2; _assay; echo ${{COMPREPLY[@]}}"
    completed = subprocess.run(["bash", "-c", typed], capture_output=True, text=True, check=True).stdout
    assert completed.split() == ["compare"]


def test_flags_take_no_word_in_help(tmp_path: Path) -> None:
    for command in ("compare", "clicks judge", "topics sample"):
        text = run_assay(*command.split(), "--help-all", folder=tmp_path).stdout
        assert re.search(r"--json +As JSON", text), command
