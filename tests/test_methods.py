"""The methods paragraph says what was done, and cites it; every work that it may cite is whole."""

from __future__ import annotations

from typing import Any

from cases import in_turn

from assay import Predictions, classify, compare, make_report
from assay.core.words import INTERVALS
from assay.measures import registered
from assay.measures.kernels import GAINS_CITE
from assay.show.model import References
from assay.stats import arm_estimates, estimates, group_sequential, power, tests, verdict
from assay.subjects.judges import report as judges_report
from assay.verbs.sections.methods import entries

VOCABULARIES = ("ranking", "binary", "multiclass", "clustering", "agreement", "behaviour", "order")


def test_every_work_is_whole_and_cited_for_something_that_exists() -> None:
    measures = [one for vocabulary in VOCABULARIES for one in registered(vocabulary).values()]
    tables = (tests.CITES, verdict.CITES_OF_CORRECTIONS, estimates.CITES)
    cited = {
        *(one.definition.cites for one in measures if one.definition.cites),
        *GAINS_CITE.values(),
        *(key for table in tables for keys in table.values() for key in keys),
        *(verdict.CITES, power.CITES, judges_report.CITES),
        *(arm_estimates.CITES.values()),
        *(group_sequential.CITES),
    }
    assert cited == set(entries())
    assert set(tests.CITES) <= set(tests.EVERY_TEST)
    assert set(verdict.CITES_OF_CORRECTIONS) == set(verdict.CORRECTIONS) - {"none"}
    assert set(estimates.CITES) <= set(INTERVALS)
    for key, one in entries().items():
        assert {"author", "title", "year"} <= set(one.fields)
        assert one.fields["year"] in str(one)
        assert key.endswith(one.fields["year"])
        assert one.bibtex.startswith("@book") or "pages" in one.fields
        assert one.bibtex.count("{") == one.bibtex.count("}")


def test_a_comparison_of_classifiers_is_told_with_its_tests_and_what_equivalent_means() -> None:
    truth = [1, 1, 0, 0, 1, 0] * 10
    first, second = [*truth[:30], *[0] * 30], [*truth[:50], *[1] * 10]
    systems = {"first": Predictions.of(truth, first), "second": Predictions.of(truth, second)}
    result = classify(systems, ["Accuracy", "F"])
    compared = compare(result, measures=["Accuracy", "F"], baseline="first")
    section = make_report(compared).section("methods")
    text, (references,) = section.data["paragraph"], section.parts[1:]
    assert isinstance(references, References)
    works = references.works
    tested = "Differences from first were tested two-sidedly at the level 0.05: McNemar's test [{}] for Accuracy; "
    mcnemar = next(work for work in works if work.entry.startswith("McNemar"))
    assert tested.format(mcnemar.key.strip("[]")) in text
    assert "paired permutation test that swaps predictions for F1." in text
    assert "A system is called equivalent to the baseline if the 90% interval" in text
    assert [work.key for work in works] == [f"[{place}]" for place in range(1, len(works) + 1)]


@in_turn("key", ["holm1979", "buckley2005", "efron1993"])
def test_an_entry_names_authors_year_title_and_where_it_was_published(key: str) -> None:
    entry = entries()[key]
    assert str(entry).startswith(f"{entry.fields['author'].split(' and ')[0]}")
    assert f"({entry.fields['year']}). {entry.fields['title']}." in str(entry)
    assert str(entry).endswith(f"{entry.fields.get('publisher', entry.fields.get('pages', '').replace('--', '–'))}.")


@in_turn("rules", [{"judged_only": True, "unjudged": "error"}, {"judged_only": True}, {"complete": True}])
def test_rules_on_documents_without_judgment_have_their_words(rules: dict[str, Any]) -> None:
    """Also both of them together, where every document is judged."""
    judged = {f"q{n}": {"a": 1, "b": 0} for n in range(6)}
    runs = {name: {query: {"a": 1.0, "b": 2.0} for query in judged} for name in ("old", "new")}
    paragraph = make_report(judged, runs, "RR", **rules).section("methods").data["paragraph"]
    assert "documents without judgment counted as not relevant" not in paragraph
    assert ("every document that was looked at has a judgment" in paragraph) == ("unjudged" in rules)
