"""Extraction: tags become spans by the rules of conlleval, spans match one to one, nothing is counted twice."""

from __future__ import annotations

import io
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from cases import in_turn
from command import invoke
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import quickly

from assay import AssayError, FormatError, InputError, ParameterError, compare, extract
from assay.files.sources import Source
from assay.subjects.spans.span_files import Tag, read_spans, tag_of
from assay.subjects.spans.span_files import tagged_spans as spans_in
from assay.subjects.spans.spans import SpanPlace, Spans, overlapping

thoroughly = settings(quickly, max_examples=80)
LETTERS = Path(__file__).parents[1] / "src" / "assay" / "data" / "letters" / "names.conll"


def named(text: str, name: str = "n.conll") -> Source:
    return Source(io.BytesIO(text.encode()), name=name)


def tags(text: str) -> list[Tag]:
    return [tag for word in text.split() if (tag := tag_of(word))]


def spans(text: str) -> list[tuple[int, int, str]]:
    return [(span.start, span.end, span.type) for span in spans_in(tags(text))]


# Tags.


@in_turn(
    ("text", "found"),
    [
        ("B-PER I-PER O B-LOC", [(0, 2, "PER"), (3, 4, "LOC")]),
        ("B-PER B-PER", [(0, 1, "PER"), (1, 2, "PER")]),
        ("I-PER I-PER O I-PER", [(0, 2, "PER"), (3, 4, "PER")]),  # IOB1, or orphans: a span starts all the same
        ("B-PER I-LOC", [(0, 1, "PER"), (1, 2, "LOC")]),  # another type ends one and starts one
        ("I-PER B-PER I-PER", [(0, 1, "PER"), (1, 3, "PER")]),
        ("S-PER B-LOC I-LOC E-LOC O", [(0, 1, "PER"), (1, 4, "LOC")]),
        ("U-PER B-LOC I-LOC L-LOC O", [(0, 1, "PER"), (1, 4, "LOC")]),
        ("E-PER E-PER", [(0, 1, "PER"), (1, 2, "PER")]),
        ("B-PER E-PER I-PER", [(0, 2, "PER"), (2, 3, "PER")]),
        ("S-PER I-PER", [(0, 1, "PER"), (1, 2, "PER")]),
        ("B I O B", [(0, 2, "any"), (3, 4, "any")]),
        ("B-a-b I-a-b", [(0, 2, "a-b")]),
        ("O O", []),
    ],
)
def test_spans_of_tags_are_those_of_the_shared_tasks(text: str, found: list[tuple[int, int, str]]) -> None:
    assert spans(text) == found


def twin_of_tags(given: list[Tag]) -> list[SpanPlace]:
    """Whether a span ends before a token, and whether one starts there, told from two neighbours alone."""
    found, start = [], 0
    before = Tag("O")
    for place, now in enumerate([*given, Tag("O")]):
        ends = before.mark != "O" and (before.mark in "ES" or now.mark in "BSO" or before.type != now.type)
        starts = now.mark != "O" and (now.mark in "BS" or before.mark in "ESO" or before.type != now.type)
        if ends:
            found.append(SpanPlace(start, place, before.type))
        if starts:
            start = place
        before = now
    return found


some_tags = st.just(Tag("O")) | st.builds(Tag, st.sampled_from("BIES"), st.sampled_from(["PER", "LOC"]))


@thoroughly
@given(st.lists(some_tags, max_size=12))
def test_spans_are_those_that_two_neighbours_tell(given: list[Tag]) -> None:
    assert spans_in(given) == twin_of_tags(given)


@thoroughly
@given(st.lists(st.tuples(st.sampled_from(["PER", "LOC", "O"]), st.integers(1, 4)), max_size=6), st.booleans())
def test_what_is_tagged_well_reads_back(parts: list[tuple[str, int]], ends: bool) -> None:
    made: list[Tag] = []
    expected = []
    for kind, length in parts:
        start = len(made)
        if kind == "O":
            made += [Tag("O")] * length
            continue
        expected.append(SpanPlace(start, start + length, kind))
        marks = "B" + "I" * (length - 1)
        if ends:
            marks = "S" if length == 1 else marks[:-1] + "E"
        made += [Tag(mark, kind) for mark in marks]
    assert spans_in(made) == expected


# Files.


def test_a_file_with_two_columns_of_tags_has_truth_and_predictions() -> None:
    result = extract(LETTERS)
    # Counted by hand: found are Ada Lovelace, the Science Museum, Oslo, and Tea and Letters.
    assert (result.types.units, result.types.tp.tolist()) == (("LOC", "ORG", "PER"), [1, 2, 1])
    assert (result.types.fp.tolist(), result.types.fn.tolist()) == ([0, 1, 2], [2, 0, 1])
    assert result.value("Precision") == result.value("Recall") == result.value("F") == pytest.approx(4 / 7)
    assert result.value("F", average="macro") == pytest.approx((2 / 4 + 4 / 5 + 2 / 5) / 3)
    assert result.value("Recall", type="LOC") == pytest.approx(1 / 3)
    assert result.misses["text"].to_list() == ["London", "Ms Noor Haddad", "Kyoto"]
    assert result.misses["line"].to_list() == [10, 14, 21]
    assert result.false_alarms["text"].to_list() == ["London", "Noor Haddad", "May"]
    assert result.documents.unit_kind == "document"
    assert result.documents.tp.tolist() == [1, 1, 1, 1]  # each sentence is a document
    assert result.types.unit_kind == "class"


def test_two_files_with_the_same_tokens_give_what_one_file_gives() -> None:
    lines = LETTERS.read_text(encoding="utf-8").splitlines()
    truth = "\n".join("\t".join(line.split()[:2]) for line in lines)
    predicted = "\n".join(" ".join([line.split()[0], "x", line.split()[2]]) if line else "" for line in lines)
    two = extract(named(truth), named(predicted, "p.conll"))
    assert two.to_frame().equals(extract(LETTERS).to_frame())
    assert two.misses.equals(extract(LETTERS).misses)


def test_documents_are_parted_by_a_mark_or_are_sentences() -> None:
    text = "-DOCSTART- -X- O O\n\na B-X B-X\n\nb B-X O\n\n-DOCSTART- -X- O O\n\nc B-X B-X\n"
    result = extract(named(text))
    assert result.documents.units == ("1", "2")
    assert result.documents.fn.tolist() == [1, 0]
    assert result.truth.frame["start"].to_list() == [0, 1, 0]  # places go on through the sentences of a document
    comments = "# id 7\na B-X B-X\n# B-X B-X\n"
    assert extract(named(comments)).truth.frame["text"].to_list() == ["a", "#"]


@in_turn("marked", ["truth", "predicted"])
def test_only_one_of_two_files_need_mark_where_documents_begin(marked: str) -> None:
    mark, sentences = "-DOCSTART- -X- O\n\n", ["a B-X\n\nb O\n\n", "c B-X\n\nd B-X\n"]
    texts = {"truth": mark.join(["", *sentences]), "predicted": "".join(sentences)}
    first, second = texts.values() if marked == "truth" else [*texts.values()][::-1]
    result = extract(named(first), named(second, "p.conll"))
    assert (result.value("F"), result.warnings) == (1.0, ())
    assert len(result.documents.units) == 2


def test_spans_of_a_table_have_the_line_that_they_were_read_from() -> None:
    table = "document,start,end,type\nd,0,2,X\n\nd,5,9,X\n"
    assert extract(named(table), named("document,start,end\n")).misses["line"].to_list() == [2, 4]


@in_turn(
    ("truth", "predicted", "says"),
    [
        ("a O\nb NNP\n", "a O\nb O\n", "^n.conll:2: expected a token and its tag.*got 'b NNP'"),
        ("a B-PER\n", None, "^n.conll:1: expected two tags at the end of the line"),
        ("a O\nb O\n", "a O\nc O\n", "^p.conll:2: expected the token of n.conll:2, 'b', got 'c'"),
        (
            "a O\nb O\n",
            "a O\n",
            "^p.conll:1: expected a sentence of 2 tokens, as at n.conll:1, got '1 token'",
        ),
        ("a O\n\nb O\n", "a O\n", "^p.conll: expected 2 sentences, as in n.conll, got '1 sentence'"),
        ("", None, "there are no data in the file"),
        ("\n\n", None, "there are no data in the file"),
        (
            '{"id": 1, "text": "x"}\n',
            '{"id": 1, "spans": []}',
            "^n.conll:1: expected an object with a list as",
        ),
        (
            '{"document": "d", "start": 3, "end": 3}\n',
            '{"id": 1, "spans": []}',
            "n.conll:1: expected a span that",
        ),
        (
            '{"document": "d", "start": "a", "end": 3}\n',
            '{"id": 1, "spans": []}',
            "n.conll:1: expected a whole",
        ),
        (
            "document,start,end\nd,1,2.5\n",
            "document,start,end\nd,1,2\n",
            "^n.conll:2: expected a whole number as end",
        ),
        ("document,start,end\nd,1,2\n", None, "truth and predictions in one file, or a second file"),
        ("document,start,end\nd,1,2\nd,5,3\n", "", "^n.conll:3: expected a span that starts at 0 or later"),
        (
            "document,start,type\nd,1,X\n",
            "",
            "^n.conll:1: expected a table with the columns `document`, `start`, `end`",
        ),
    ],
)
def test_files_that_cannot_be_used_are_refused_by_file_and_line(truth: str, predicted: str | None, says: str) -> None:
    with pytest.raises(AssayError, match=says) as caught:
        extract(named(truth), None if predicted is None else named(predicted, "p.conll"))
    assert "\n" not in str(caught.value)


def test_orphans_count_and_are_counted() -> None:
    result = extract(named("a I-PER B-PER\nb I-PER I-PER\n"))
    assert result.value("F") == 1.0
    assert result.warnings == ("n.conll: 1 span without B- at the start, counted",)


def test_json_has_a_span_a_line_a_document_a_line_or_both_sides() -> None:
    places = [(0, 3, "PER"), (4, 8, "LOC")]
    rows = "".join(json.dumps({"document": "d", "start": s, "end": e, "type": t}) + "\n" for s, e, t in places)
    document = json.dumps({"id": "d", "text": "Ada Rome", "entities": [[0, 3, "PER"], [4, 8, "LOC"]]})
    objects = json.dumps([{"doc_id": "d", "spans": [{"start": s, "end": e, "label": t} for s, e, t in places]}])
    table = "doc_id\tbegin\tend\tlabel\nd\t0\t3\tPER\nd\t4\t8\tLOC\n"
    for text in (rows, document, objects, table):
        assert read_spans(named(text)).frame.select("document", "start", "end", "type").rows() == [
            ("d", 0, 3, "PER"), ("d", 4, 8, "LOC"),
        ]  # fmt: skip
    assert read_spans(named(document)).frame["text"].to_list() == ["Ada", "Rome"]
    both = json.dumps({"id": "d", "truth": [[0, 3, "PER"]], "prediction": [[0, 3, "PER"], [5, 6, "LOC"]]})
    result = extract(named(both + "\n" + json.dumps({"id": "e", "truth": [], "prediction": []})))
    assert (result.documents.units, result.documents.fp.tolist()) == (("d", "e"), [1, 0])


TRUE = '{"id": "d", "spans": [[0, 4, "PER"]]}\n{"id": "e", "spans": []}\n'


@in_turn("nothing", ["", "\n", "[]", "document,start,end,type\n", "doc_id\tbegin\tend\n"])
def test_an_empty_file_of_predictions_says_that_nothing_was_found(nothing: str) -> None:
    result = extract(named(TRUE, "t.jsonl"), named(nothing, "p"))
    assert (result.value("Recall"), result.total.fn[0], len(result.predicted)) == (0.0, 1, 0)
    assert result.warnings == ("p: no spans in the file: nothing was found",)
    # An empty truth is more likely a mistake.
    with pytest.raises(FormatError):
        extract(named(nothing, "t"), named(TRUE, "p.jsonl"))


def test_a_table_without_rows_says_that_nothing_was_found(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text(TRUE, encoding="utf-8")
    pl.DataFrame(schema={"document": pl.String, "start": pl.Int64, "end": pl.Int64}).write_parquet(
        tmp_path / "p.parquet"
    )
    assert extract(tmp_path / "t.jsonl", tmp_path / "p.parquet").value("Recall") == 0.0
    assert extract([("d", 0, 4, "PER")], tmp_path / "p.parquet").value("Recall") == 0.0


def test_beside_tagged_tokens_an_empty_file_lacks_the_tokens() -> None:
    with pytest.raises(FormatError, match="no data in the file"):
        extract(named("a B-PER\n"), named("", "p.conll"))


def test_no_tuples_were_found_among_tuples() -> None:
    truth = Spans.of_tuples([("d", "Rome", "capital of", "Italy")])
    nothing: Any
    for nothing in ([], named("", "p.jsonl"), named('{"id": "d", "tuples": []}', "p.jsonl")):
        assert extract(truth, nothing).value("Recall") == 0.0
    assert extract([], truth).value("Precision") == 0.0


def test_where_nothing_is_tagged_nothing_is_defined_and_the_reasons_are_told() -> None:
    result = extract(named("a O O\n\nb O O\n"))
    assert all(math.isnan(result.value(measure)) for measure in ("Precision", "Recall", "F"))
    assert math.isnan(result.value("F", average="macro"))
    assert result.value("F", average="documents") == 1  # two documents without a span, and rightly without a prediction
    assert list(result.undefined) == ["precision", "recall", "F"]
    assert "Recall is undefined: nothing is positive." in str(result)
    told = json.loads(result.to_json())["sections"]
    assert [row["F"] for row in told["types"]["types"]] == [None, None]
    assert told["basis"]["undefined"]["precision"] == "nothing is predicted positive"
    assert not result.interval("F").is_known
    with pytest.raises(InputError, match="there is no document"):
        extract([], [])


def test_documents_on_one_side_only_are_counted() -> None:
    truth = [("a", 0, 1), ("b", 0, 1), ("c", 0, 1)]
    assert extract(truth, [("a", 0, 1), ("x", 0, 1)]).warnings == (
        "2 documents of the truth without predictions (b, c): all spans there are misses",
        "1 document of the predictions unknown to the truth (x): all spans there are false alarms",
    )
    assert extract(truth, [("x", 0, 1)]).warnings == (
        "truth and predictions have no document in common: a, b, c in the truth, x in the predictions",
    )
    # Who names a document has looked at it, and found nothing.
    assert extract({"a": [(0, 1)], "b": [(2, 3)]}, {"a": [(0, 1)], "b": []}).warnings == ()


def test_places_in_tokens_against_other_places_are_spoken_of() -> None:
    places = '{"document": "1", "start": 0, "end": 5, "type": "PER"}'
    said = "n.conll has places in tokens: spans match only if p.jsonl counts tokens, not characters"
    assert extract(named("Smith B-PER\n"), named(places, "p.jsonl")).warnings == (said,)
    assert said in extract(named(places, "p.jsonl"), named("Smith B-PER\n")).warnings


def test_tuples_match_exactly_or_not_at_all() -> None:
    truth = Spans.of_tuples([("d", "Rome", "capital of", "Italy"), ("d", "Oslo", "capital of", "Norway")])
    found = (["Rome", "capital of", "Italy"], ["Rome", "in", "Italy"])
    lines = "\n".join(json.dumps({"document": "d", "values": values}) for values in found)
    result = extract(truth, read_spans(named(lines)))
    assert (result.value("Precision"), result.value("Recall")) == (0.5, 0.5)
    assert result.misses["text"].to_list() == ["Oslo | capital of | Norway"]
    of_document = '{"id": "d", "tuples": [["Rome", "capital of", "Italy"], [1990, 2000]]}'
    assert read_spans(named(of_document)).frame["values"].to_list()[1] == ["1990", "2000"]
    with pytest.raises(ParameterError, match="match='overlap' goes with spans"):
        extract(truth, truth, match="overlap")
    with pytest.raises(InputError, match="one of each"):
        extract(truth, Spans.of([("d", 0, 1, "X")]))


# Matching.


def twin_of_overlaps(truth: list[SpanPlace], predicted: list[SpanPlace], same_type: bool) -> list[tuple[int, int]]:
    """Look at all pairs, take the best one, strike it out, and look again."""
    free, left = set(range(len(truth))), set(range(len(predicted)))
    pairs: list[tuple[int, int]] = []
    while True:
        best = None
        for one in sorted(free):
            for other in sorted(left):
                a, b = truth[one], predicted[other]
                shared = len(set(range(a.start, a.end)) & set(range(b.start, b.end)))
                if shared == 0 or (same_type and a.type != b.type):
                    continue
                rank = (-shared, a.type != b.type, one, other)
                best = rank if best is None or rank < best else best
        if best is None:
            return sorted(pairs)
        pairs.append(best[2:])
        free.discard(best[2])
        left.discard(best[3])


places = st.builds(
    lambda start, length, kind: SpanPlace(start, start + length, kind),
    st.integers(0, 12), st.integers(1, 6), st.sampled_from("AB"),
)  # fmt: skip
sides = st.lists(places, max_size=7, unique=True).map(sorted)


@thoroughly
@given(sides, sides, st.booleans())
def test_overlaps_are_paired_largest_first_and_one_to_one(truth: Any, predicted: Any, same_type: bool) -> None:
    assert overlapping(truth, predicted, same_type=same_type) == twin_of_overlaps(truth, predicted, same_type)


rows = st.lists(
    st.tuples(st.sampled_from("xy"), st.integers(0, 9), st.integers(1, 4), st.sampled_from("AB")), max_size=8
)


@thoroughly
@given(rows, rows, st.sampled_from(["exact", "overlap", "type_overlap"]))
def test_counts_are_those_of_plain_loops(truth: Any, predicted: Any, match: Any) -> None:
    gold = [(doc, start, start + length, kind) for doc, start, length, kind in truth]
    found = [(doc, start, start + length, kind) for doc, start, length, kind in predicted]
    if not gold and not found:
        return
    result = extract(gold, found, match=match)
    hits = misses = alarms = 0
    for document in "xy":
        ours = sorted({SpanPlace(*row[1:]) for row in gold if row[0] == document})
        theirs = sorted({SpanPlace(*row[1:]) for row in found if row[0] == document})
        if match == "exact":
            pairs = len(set(ours) & set(theirs))
        else:
            pairs = len(twin_of_overlaps(ours, theirs, match == "type_overlap"))
        hits, misses, alarms = hits + pairs, misses + len(ours) - pairs, alarms + len(theirs) - pairs
    for counts in (result.documents, result.types, result.total):
        assert (counts.tp.sum(), counts.fn.sum(), counts.fp.sum()) == (hits, misses, alarms)
    assert (result.hits.height, result.misses.height, result.false_alarms.height) == (hits, misses, alarms)
    expected = 2 * hits / (2 * hits + misses + alarms)
    assert result.value("F") == pytest.approx(expected)
    precision = hits / (hits + alarms) if hits + alarms else math.nan
    assert result.value("Precision") == pytest.approx(precision, nan_ok=True)


def test_one_span_over_the_whole_text_does_not_make_matching_slow() -> None:
    short = [SpanPlace(10 * number, 10 * number + 4, "A") for number in range(20_000)]
    long = SpanPlace(0, 200_000, "A")
    for truth, predicted in (([long, *short], short), (short, [long, *short]), ([long, *short], [long, *short])):
        pairs = overlapping(truth, predicted, same_type=True)
        assert len(pairs) == min(len(truth), len(predicted))  # looking at all pairs would take minutes


def test_the_looser_the_match_the_more_hits() -> None:
    truth = [("d", 0, 4, "PER"), ("d", 6, 9, "LOC")]
    predicted = [("d", 0, 3, "PER"), ("d", 6, 9, "ORG")]
    hits = [extract(truth, predicted, match=match).hits.height for match in ("exact", "type_overlap", "overlap")]
    assert hits == [0, 1, 2]
    loose = extract(truth, predicted, match="overlap")
    assert loose.hits["predicted_type"].to_list() == ["PER", "ORG"]
    # A hit counts for the type of the true span.
    assert (loose.types.units, loose.types.tp.tolist()) == (("LOC", "ORG", "PER"), [1, 0, 1])


# The result.


def test_spans_given_twice_count_once_and_are_said() -> None:
    result = extract([("d", 0, 1, "A")] * 3, [("d", 0, 1, "A")])
    assert (result.total.tp[0], result.total.fn[0]) == (1, 0)
    assert result.warnings == ("in memory: 2 repeated true spans, counted once",)


def test_without_predictions_precision_is_undefined_and_recall_is_none() -> None:
    result = extract([("d", 0, 1, "A")], [])
    assert math.isnan(result.value("Precision"))
    assert (result.value("Recall"), result.value("F")) == (0.0, 0.0)
    assert result.scores.of("extraction", "Precision")["undefined"].null_count() == 0


def test_beta_weighs_recall() -> None:
    truth, predicted = [("d", n, n + 1, "A") for n in range(8)], [("d", n, n + 1, "A") for n in range(4, 14)]
    result = extract(truth, predicted, beta=2)
    assert result.value("F") == pytest.approx(5 * 0.4 * 0.5 / (4 * 0.4 + 0.5))
    assert "F(beta=2)" in result.to_frame().columns
    for beta in (0, -1, math.nan, True, "2"):
        with pytest.raises(ParameterError, match="beta is a number above 0"):
            extract(truth, predicted, beta=beta)  # type: ignore[arg-type]


def test_intervals_are_those_of_documents_drawn_one_by_one() -> None:
    rng = np.random.default_rng(1)
    rows = [(f"d{n % 60}", n, n + 1, "AB"[n % 2]) for n in range(240)]
    difficulty = {f"d{n}": rng.random() for n in range(60)}
    found = [row for row in rows if rng.random() > difficulty[row[0]]]
    found += [(document, start + 900, end + 900, kind) for document, start, end, kind in rows[:40]]
    result = extract(rows, found)
    per_document = [
        ({row for row in rows if row[0] == document}, {row for row in found if row[0] == document})
        for document in difficulty
    ]
    twins: dict[str, list[float]] = {"micro": [], "macro": [], "A": []}
    for _ in range(1000):
        drawn = [per_document[place] for place in rng.integers(60, size=60)]
        numbers = []
        for kind in ("A", "B", "AB"):
            hits = sum(len({row for row in gold & mine if row[3] in kind}) for gold, mine in drawn)
            both = sum(len({row for row in side if row[3] in kind}) for pair in drawn for side in pair)
            numbers.append(2 * hits / both)
        for name, number in zip(
            ("A", "micro", "macro"), (numbers[0], numbers[2], (numbers[0] + numbers[1]) / 2), strict=True
        ):
            twins[name].append(number)
    for name, ours in (
        ("micro", result.interval("F")), ("macro", result.interval("F", average="macro")),
        ("A", result.interval("F", type="A")),
    ):  # fmt: skip
        assert (ours.low, ours.high) == pytest.approx(np.quantile(twins[name], [0.025, 0.975]), abs=0.02)


def test_intervals_depend_on_the_seed_and_the_level_alone() -> None:
    first = extract(LETTERS)
    assert first.to_frame().equals(extract(LETTERS).to_frame())
    wide, narrow = first.interval("F"), extract(LETTERS, confidence=0.5).interval("F")
    assert wide.low <= narrow.low <= narrow.high <= wide.high
    assert wide.high - wide.low > narrow.high - narrow.low
    rows = [(f"d{n}", 0, 1, "A") for n in range(40)]
    assert extract(rows, rows[:20]).interval("Recall") == extract(rows[::-1], rows[:20]).interval("Recall")
    assert not extract(rows[:1], rows[:1]).interval("F").is_known  # one document says nothing about others
    assert not extract(rows, rows).interval("F").is_known  # nor do forty without a mistake
    for wrong in ({"confidence": 95}, {"resamples": 0}, {"seed": -1}):
        with pytest.raises(ParameterError):
            extract(LETTERS, **wrong)  # type: ignore[arg-type]


def test_averages_are_those_of_values() -> None:
    result = extract(LETTERS)
    assert result.value("TP") == 4
    assert result.value("F", average="documents") == pytest.approx(result.per_document["F"].mean())
    with pytest.raises(ParameterError, match="average is one of micro, macro, not 'documents'"):
        result.interval("F", average="documents")  # type: ignore[arg-type]


def test_two_extractions_are_compared_document_by_document() -> None:
    truth = [(f"d{n}", 0, 2, "A") for n in range(12)]
    good = extract(truth, truth, name="good").scores.frame
    half = extract(truth, [row for row in truth if row[0] in {"d1", "d2"}], name="half").scores.frame
    frame = pl.concat([good, half]).filter(pl.col("measure") == "F1")
    from assay import Scores  # noqa: PLC0415

    assert "half" in str(compare(Scores(frame)))


def test_the_result_is_written_in_every_form() -> None:
    result = extract(LETTERS).showing("misses", "false_alarms")
    told = json.loads(result.to_json())["sections"]
    types = told["types"]["types"]
    assert [row["type"] for row in types] == ["LOC", "ORG", "PER", "all (micro)", "mean of types (macro)"]
    assert len(told["misses"]["misses"]) == 3
    assert "Misses (3)" in str(result)
    assert "| London |" in result.to_markdown()
    assert "\\toprule" in result.to_latex()
    assert "<table>" in result._repr_html_()
    assert pl.read_csv(result.to_csv().encode())["list"].to_list() == ["miss"] * 3 + ["false alarm"] * 3
    assert result.to_pandas().shape == (5, 15)
    assert told["basis"]["intervals"] == {
        "confidence": 0.95, "method": "t", "unit": "document", "resamples": 0, "seed": 0,
    }  # fmt: skip
    assert types[3]["F_low"] == result.interval("F").low
    assert "Intervals: Student's t, as 4 documents are too few for a bootstrap" in str(result)
    with pytest.raises(ParameterError, match="choose of misses, false_alarms"):
        result.showing("hits")
    with pytest.raises(ParameterError, match="choose a type of LOC, ORG, PER, not 'LOX'; did you mean LOC"):
        result.value("F", type="LOX")


@in_turn("rows", [[("d", 0)], ["abc"], 3, [("d", "x", 2)], [("d", 2, 1)], [(None, 0, 1)]])
def test_rows_that_are_no_spans_are_refused(rows: Any) -> None:
    with pytest.raises(InputError, match="expected"):
        extract(rows, [("d", 0, 1)])


def test_the_command_prints_numbers_and_lists_and_ends_with_2_on_bad_input(tmp_path: Path) -> None:
    done = invoke(["extraction", "evaluate", str(LETTERS), "--misses", "--csv"])
    assert (done.exit_code, done.stdout.splitlines()[1]) == (0, "miss,2,4,5,LOC,London,10")
    shown = invoke(["extraction", "evaluate", str(LETTERS), "--match", "type_overlap"])
    assert "all (micro)               7          7   5   2   2     0.7143  0.7143  0.7143" in shown.stdout
    bad = tmp_path / "bad.conll"
    bad.write_text("a B-X B-X\nb X\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"bad.conll:2: expected two tags"):
        invoke(["extraction", "evaluate", str(bad)], catch_exceptions=False)
    with pytest.raises(ParameterError, match=r"stdin .* can be read only once"):
        invoke(["extraction", "evaluate", "-", "-"], catch_exceptions=False)


def test_places_that_a_program_wrote_as_0_0_are_whole_numbers() -> None:
    found = extract(io.StringIO('{"id": "d1", "truth": [[0.0, 4.0, "PER"]], "prediction": [[0, 4, "PER"]]}\n'))
    assert found.value("F") == 1
    assert found.hits.height == 1
    with pytest.raises(InputError, match=r":1: expected a whole number as start, got 0\.5"):
        extract(io.StringIO('{"id": "d1", "truth": [[0, 4, "PER"]], "prediction": [[0.5, 4, "PER"]]}\n'))


def test_a_tuple_among_spans_is_refused_with_its_line() -> None:
    file = '{"id": "d1", "spans": [[0, 4, "PER"]]}\n{"id": "d2", "spans": [["0", 4, "PER"]]}\n'
    with pytest.raises(FormatError, match=":2: expected spans, as above, got 'a tuple'"):
        read_spans(io.StringIO(file))
