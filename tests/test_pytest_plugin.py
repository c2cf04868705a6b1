"""The pytest plug-in, in pytest runs of their own: what each outcome does to a test, and what is loaded when."""

from __future__ import annotations

import tomllib
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[1]
#: Installed, pytest finds the plug-in by itself; a checkout that was installed before it had one is told.
LOADED = () if entry_points(group="pytest11", name="assay") else ("-p", "assay.verbs.gating.pytest_plugin")

DATA = """
    import pytest
    import assay

    QRELS = {f"q{n}": {"good": 1} for n in range(12)}
    GOOD = {query: {"good": 2.0, "bad": 1.0} for query in QRELS}
    BAD = {query: {"good": 1.0, "bad": 2.0} for query in QRELS}
    MIXED = {query: GOOD[query] if number % 2 else BAD[query] for number, query in enumerate(QRELS)}
    TURNED = {query: BAD[query] if number % 2 else GOOD[query] for number, query in enumerate(QRELS)}
"""


def run(pytester: pytest.Pytester, body: str, *arguments: str) -> pytest.RunResult:
    pytester.makepyfile(DATA + body)
    return pytester.runpytest_inprocess(*LOADED, "-p", "no:cacheprovider", "-p", "no:xdist", *arguments)


def test_the_entry_point_is_declared_and_leads_to_the_plug_in() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["pytest11"]
    assert declared == {"assay": "assay.verbs.gating.pytest_plugin"}
    assert hasattr(import_module(declared["assay"]), "assay_gate")


def test_a_test_passes_or_fails_with_the_gate(pytester: pytest.Pytester) -> None:
    done = run(
        pytester,
        """
    def test_same(assay_gate):
        result = assay_gate(QRELS, baseline=GOOD, candidate=GOOD, measures="RR", margin=0.01)
        assert (result.outcome, result.exit_code) == ("pass", 0)

    def test_worse(assay_gate):
        assay_gate(QRELS, baseline=GOOD, candidate=BAD, measures="RR")
    """,
    )
    done.assert_outcomes(passed=1, failed=1)
    done.stdout.fnmatch_lines(
        [
            "Failed: candidate is worse than baseline under RR: 0.5000 against 1.0000, -0.5000*(one-sided p = 0.0002). "
            "The gate*"
        ]
    )
    assert "deciding.py" not in done.stdout.str()  # the reader of a log wants the sentence, not our code


def test_where_one_cannot_tell_the_test_fails_unless_told(pytester: pytest.Pytester) -> None:
    done = run(
        pytester,
        """
    def test_default(assay_gate):
        assay_gate(QRELS, baseline=MIXED, candidate=TURNED, measures="RR")

    def test_fail(assay_gate):
        assay_gate(QRELS, baseline=MIXED, candidate=TURNED, measures="RR", inconclusive="fail")

    def test_pass(assay_gate):
        result = assay_gate(QRELS, baseline=MIXED, candidate=TURNED, measures="RR", inconclusive="pass")
        assert result.outcome == "inconclusive"

    def test_skip(assay_gate):
        assay_gate(QRELS, baseline=MIXED, candidate=TURNED, measures="RR", inconclusive="skip")
    """,
        "-rs",
    )
    done.assert_outcomes(passed=1, failed=2, skipped=1)
    done.stdout.fnmatch_lines(["*Inconclusive: candidate could be worse than baseline under RR*"])
    done.stdout.fnmatch_lines(["*SKIPPED*Inconclusive: candidate could be worse*"])


def test_invalid_input_raises(pytester: pytest.Pytester) -> None:
    done = run(
        pytester,
        """
    def test_missing(assay_gate):
        few = {query: GOOD[query] for query in list(GOOD)[:6]}
        with pytest.raises(assay.InputError, match="candidate lacks 6 of 12 judged topics"):
            assay_gate(QRELS, baseline=GOOD, candidate=few, measures="RR")

    def test_choice(assay_gate):
        with pytest.raises(assay.ParameterError, match="inconclusive is one of fail, pass, skip, not 'maybe'"):
            assay_gate(QRELS, baseline=GOOD, candidate=GOOD, inconclusive="maybe")

    def test_nothing_there(assay_gate):
        assay_gate("nowhere.qrels", baseline=GOOD, candidate=GOOD)
    """,
    )
    done.assert_outcomes(passed=2, failed=1)
    done.stdout.fnmatch_lines(["*InputError: nowhere.qrels: cannot be read: no such file or directory*"])


def test_messages_name_arguments_and_not_options(pytester: pytest.Pytester) -> None:
    done = run(
        pytester,
        """
    def test_missing(assay_gate):
        few = {query: GOOD[query] for query in list(GOOD)[:6]}
        assay_gate(QRELS, baseline=GOOD, candidate=few, measures="RR")

    def test_unsure(assay_gate):
        assay_gate(QRELS, baseline=MIXED, candidate=TURNED, measures="RR")

    def test_skipped(assay_gate):
        assay_gate(QRELS, baseline=MIXED, candidate=TURNED, measures="RR", inconclusive="skip")
    """,
        "-rs",
    )
    done.stdout.fnmatch_lines(["*or allow more topics to be missing (max_missing=...).*"])
    done.stdout.fnmatch_lines(["*or allow a wider margin (margin=...).*"])
    done.stdout.fnmatch_lines(["*it can count as passed or failed instead (inconclusive=...).*"])
    assert "--m" not in done.stdout.str()
    assert "--inconclusive" not in done.stdout.str()


def test_nothing_heavy_is_loaded_before_a_test_asks_for_it(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
    import sys

    def test_light(request):
        plugins = request.config.pluginmanager.get_plugins()
        assert "assay.verbs.gating.pytest_plugin" in {getattr(plugin, "__name__", None) for plugin in plugins}
        heavy = ["polars", "numpy", "scipy", "rich", "cyclopts", "assay.core.errors", "assay.verbs.gating.gate"]
        assert [name for name in heavy if name in sys.modules] == []
    """)
    alone = ("-p", "no:hypothesispytest", "-p", "no:xdist", "-p", "no:cacheprovider")
    done = pytester.runpytest_subprocess(*LOADED, *alone)
    done.assert_outcomes(passed=1)


def test_warnings_as_errors_and_the_list_of_fixtures(pytester: pytest.Pytester) -> None:
    """In a process of its own: in this one, all has been imported, and has warned if it does."""
    pytester.makepyfile(
        DATA
        + """
    def test_same(assay_gate):
        assay_gate(QRELS, baseline=GOOD, candidate=GOOD)
    """
    )
    done = pytester.runpytest_subprocess(*LOADED, "-p", "no:cacheprovider", "-p", "no:xdist", "-W", "error")
    done.assert_outcomes(passed=1)
    listed = pytester.runpytest_subprocess(*LOADED, "--fixtures", "-p", "no:xdist", "-p", "no:cacheprovider")
    listed.stdout.fnmatch_lines(["assay_gate*", "*Gate a candidate in a test*"])
