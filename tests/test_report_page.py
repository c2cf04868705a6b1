"""The page of a report as text: well formed, inert, complete, and legible in both themes. A browser is not needed."""

from __future__ import annotations

import base64
import hashlib
import itertools
import math
import random
import re
from collections import Counter
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from browser import NAMES
from cases import in_turn
from contrast import contrast
from reported import contents_of, made_report, random_data

from assay import Report, Scores, make_report
from assay.core.words import LEGEND, MARKS
from assay.show.figure import MOST_SERIES, Axis, around, rounded_out
from assay.show.svg import COLOURS

VOID = {"meta", "link", "input", "br", "wbr"}
HOSTILE = (
    "</title></style></script></svg><script>window.hacked=1</script><img src=x onerror=window.hacked=1>"
    "\"'><a href=javascript:hacked>&amp;\u202e\u2066\x00\x08"
)


class Read(HTMLParser):
    """What a page holds; fails where tags are not closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.parents: list[str] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(attrs) == len(dict(attrs)), f"{tag} has an attribute twice"
        self.elements.append((tag, dict(attrs)))
        self.parents.append(self.open[-1] if self.open else "")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in {"style", "script"}:
            self.texts.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def text(self) -> str:
        return "".join(self.texts).replace("\u00a0", " ")

    def classes(self, under: str) -> Counter[str]:
        """How often each class occurs among elements of a name."""
        return Counter(name for one in self.all(under) for name in str(one.get("class", "")).split())


@cache
def report_of(name: str) -> Report:
    """Reports of all shapes."""
    shapes: dict[str, dict[str, Any]] = {
        "usual": {}, "one measure": {"measures": 1}, "a pair": {"systems": 2}, "one system": {"systems": 1},
        "many systems": {"systems": 12}, "hostile": {"text": HOSTILE},
    }  # fmt: skip
    return made_report(**shapes[name])


REPORTS = ("usual", "one measure", "a pair", "one system", "many systems", "hostile")


@pytest.fixture(params=REPORTS, scope="module")
def read(request: pytest.FixtureRequest) -> Read:
    return Read(report_of(request.param).to_html())


def test_ids_are_unique_and_every_link_leads_somewhere(read: Read) -> None:
    ids = Counter(str(attributes["id"]) for _, attributes in read.elements if "id" in attributes)
    assert [name for name, count in ids.items() if count > 1] == []
    links = [str(attributes["href"]) for tag, attributes in read.elements if tag in {"a", "use"}]
    assert links
    assert [link for link in links if link[0] != "#" or link[1:] not in ids] == []


def test_nothing_is_loaded_and_nothing_runs_but_the_pages_own_script(read: Read) -> None:
    assert [tag for tag, _ in read.elements if tag in {"img", "iframe", "object", "embed", "form", "base"}] == []
    assert [attributes for _, attributes in read.elements if "src" in attributes or "style" in attributes] == []
    assert [name for _, attributes in read.elements for name in attributes if name.startswith("on")] == []
    assert len(read.all("script")) == len(read.all("style")) == 1
    assert [one["href"][:5] for one in read.all("link") if one["href"]] == ["data:"]


def test_headings_come_in_order_without_a_gap(read: Read) -> None:
    levels = [int(tag[1]) for tag, _ in read.elements if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


def test_tables_have_captions_and_every_head_a_scope(read: Read) -> None:
    assert len(read.all("caption")) == len(read.all("table")) > 0
    assert [attributes for attributes in read.all("th") if attributes.get("scope") not in {"col", "row"}] == []
    regions = [attributes for attributes in read.all("div") if attributes.get("role") == "region"]
    assert len(regions) == len(read.all("table"))
    assert all(region.get("tabindex") == "0" and region.get("aria-label") for region in regions)


def test_every_chart_says_what_it_shows_or_is_hidden_from_screen_readers(read: Read) -> None:
    for place, (tag, attributes) in enumerate(read.elements):
        if tag != "svg" or read.parents[place] == "svg":
            continue
        if attributes.get("role") == "img":
            assert read.elements[place + 1][0] == "title"
        else:
            assert attributes.get("aria-hidden") == "true" or attributes.get("aria-label")


def test_no_number_is_written_that_is_none(read: Read) -> None:
    assert re.search(r"\b(nan|inf|None)\b", read.text) is None


@in_turn("name", REPORTS)
def test_the_policy_names_the_digests_of_style_and_script(name: str) -> None:
    text = report_of(name).to_html()
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', text)
    assert policy is not None
    said = policy[1].replace("&#39;", "'")
    assert said.startswith("default-src 'none'; ")
    assert "unsafe" not in said
    for tag in ("style", "script"):
        found = re.findall(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(found[0].encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in said


def test_hostile_text_is_text() -> None:
    text = report_of("hostile").to_html()
    read, plain = Read(text), Read(made_report(text="x" * len(HOSTILE)).to_html())
    # The same elements as with harmless text, and nothing of it lost but characters that no page can hold.
    assert [tag for tag, _ in read.elements] == [tag for tag, _ in plain.elements]
    assert read.text.count("<script>window.hacked=1</script><img src=x onerror=window.hacked=1>") > 100
    assert not re.search("[\x00\x08]", text)


def test_what_there_is_none_of_is_left_out() -> None:
    read = Read(report_of("one system").to_html())
    assert [one["id"] for one in read.all("section") if "id" in one] == [
        "systems", "differences", "curves", "coverage", "methods", "provenance",
    ]  # fmt: skip
    links = [one["href"] for one in read.all("a") if one.get("class") is None]
    assert links[:3] == ["#systems", "#differences", "#curves"]


def scores(systems: int, units: int = 20) -> Scores:
    """Scores of a measure that nobody knows the direction of, drawn from a seed."""
    rng = random.Random(units)
    rows = [(f"s{s}", "quality", "query", f"u{n}", rng.random(), None) for s in range(systems) for n in range(units)]
    return Scores(pl.DataFrame(rows, schema=Scores.SCHEMA, orient="row"))


def test_colours_say_what_is_good_and_marks_say_which_way() -> None:
    known = scores(3)
    up, down, neither = (Read(make_report(known, direction=way).to_html()) for way in ("higher", "lower", None))
    of_up, of_down, of_neither = (one.classes("rect") for one in (up, down, neither))
    assert of_up["gain"] == of_down["loss"] == of_neither["rise"] > 0
    assert of_up["loss"] == of_down["gain"] == of_neither["fall"] > 0
    assert [of[name] for of in (of_up, of_down) for name in ("rise", "fall")] == [0] * 4
    assert [of_neither[name] for name in ("gain", "loss")] == [0, 0]
    assert "lower is better" not in up.text
    assert "Difference in quality (lower is better), best first." in down.text
    assert "quality, lower is better" in down.text  # on the cards
    assert "qualitylower is better" in down.text  # in the head of the table, on a line of its own
    assert "Difference in quality (neither high nor low is taken as better), largest rise first." in neither.text


def test_where_down_is_good_the_most_changed_queries_say_so() -> None:
    qrels, runs = random_data(2, queries=12)
    report = make_report(qrels, runs, "ErrorRate", collection_size=100)
    text = Read(report.to_html()).text
    for query in contents_of(report).changed:
        mark, word = ("▲", "worse") if query.difference > 0 else ("▼", "better")
        assert f"{mark} {query.difference:+.4f} ({word})".replace("-", "−") in text


def test_one_system_alone_is_sorted_by_what_is_good() -> None:
    qrels, runs = random_data(1, queries=20)
    for measure, falls in (("AP", True), ("ErrorRate", False)):
        size: Any = {} if falls else {"collection_size": 100}  # which the share of errors takes, and AP refuses
        text = make_report(qrels, runs, measure, **size).to_html()
        values = [float(found) for found in re.findall(r"<title>Query [^<]*\n([\d.]+)</title>", text)]
        assert len(values) == 20
        assert values == sorted(values, reverse=falls)


def test_a_card_says_what_its_p_value_and_its_intervals_are() -> None:
    several, alone = (Read(make_report(scores(systems)).to_html()) for systems in (3, 2))
    assert len(re.findall(r"p = [\d.]+ \(Holm, 2 comparisons\)", several.text)) == 2
    assert several.classes("g")["narrow"] == 2
    assert several.text.count("the 90% interval, by which equivalence is judged") == 1
    assert several.text.count("intervals are not adjusted") == 1
    assert "Holm" not in alone.text.partition("Methods")[0]
    assert "not adjusted" not in alone.text


JUDGED = {f"q{n}": {"good": 1.0} | {f"bad{d}": 0.0 for d in range(1, 11)} for n in range(12)}


def at_rank(rank: int, unjudged: int = 0) -> dict[str, dict[str, float]]:
    """A run whose only relevant document stands at a rank, below so many documents that nobody judged."""
    names = [f"{'new' if place <= unjudged else 'bad'}{place}" for place in range(1, rank)]
    return {query: {doc: 100.0 - place for place, doc in enumerate([*names, "good"])} for query in JUDGED}


def test_what_all_verdicts_depend_on_is_said_once() -> None:
    runs = {"first": at_rank(1), "third": at_rank(3, unjudged=2), "fourth": at_rank(4, unjudged=2)}
    every = Read(make_report(JUDGED, runs, "P@2").to_html())
    some = Read(make_report(JUDGED, runs | {"fourth": at_rank(4)}, "P@2").to_html())
    assert [one.classes("p")["caveat"] for one in (some, every)] == [1, 0]
    assert ["It depends on 24 unjudged documents." in one.text for one in (some, every)] == [True, False]
    for read, which in ((some, "1 of 2"), (every, "2 of 2")):
        assert read.text.count(f"{which} verdicts depend on unjudged documents") == 1
        assert read.classes("aside")["warnings"] == 1


def test_a_single_pair_is_told_in_words_first() -> None:
    text = make_report(JUDGED, {"third": at_rank(3, unjudged=2), "first": at_rank(1)}, ["RR", "P@2"]).to_html()
    assert '<p class="claim">first is better than third under RR.</p>' in text
    assert "By the other measures" not in text  # there is a mark for each
    assert re.findall(r'<li><a href="#v1"><bdi>([^<]+)</bdi>', text) == ["RR", "P@2"]
    assert "first in place of third: the first result changes for 12 of 12 queries" in text
    assert re.search(
        r"\d+ unjudged documents could (?:decide|turn) it: judge these first.</p>\s*<code>assay\.compare\(",
        text,
    )


def test_systems_without_a_card_are_counted() -> None:
    few, many = (Read(made_report(systems, measures=1).to_html()).text for systems in (8, 12))
    assert "more in the table" not in few
    assert "as marks" not in few
    assert "+4 more in the table" in many
    assert "4 more verdicts stand as marks in the table of systems." in many


def test_names_written_from_right_to_left_stay_where_they_are_named() -> None:
    name = "חיפוש-2"
    text = make_report(JUDGED, {"third": at_rank(3), name: at_rank(1)}, "RR").to_html()
    assert f"<h1><bdi>{name}</bdi> against third</h1>" in text
    assert f"<h3><bdi>{name}</bdi> is better than third</h3>" in text


def test_make_looks_for_the_same_browsers_as_the_tests() -> None:
    makefile = (Path(__file__).parents[1] / "Makefile").read_text(encoding="utf-8")
    said = re.search("^BROWSERS := (.+)$", makefile, re.MULTILINE)
    assert said is not None
    assert tuple(said[1].split()) == NAMES


def test_verdicts_come_first_and_say_everything() -> None:
    report = report_of("usual")
    read, contents = Read(report.to_html()), contents_of(report)
    assert next(one["id"] for one in read.all("section")) == "verdicts"
    for spoken in contents.verdicts:
        for said in (spoken.word, spoken.paragraph, spoken.caveat):
            assert re.sub(r"(?<=[ (])-(?=\d)", "−", said) in read.text
    assert all(one.headline in read.text for one in contents.verdicts[: len(contents.systems) - 1])


def test_every_query_has_a_bar_that_leads_to_it() -> None:
    report = made_report(systems=3, queries=50)
    read = Read(report.to_html())
    links = [str(one["href"]) for one in read.all("a") if re.fullmatch(r"#(d\d+-\d+|q\d+)", str(one["href"]))]
    drawn, listed = Counter(links), sum("#q" in link for link in links)
    assert sum(drawn.values()) == 2 * 50 + listed / 2  # a query that is shown in full has a link in the list as well
    first = contents_of(report).differences[0].queries[0]
    assert f"Query {first.query_id}: {first.text}\n+{first.difference:.4f}" in read.text


def test_thousands_of_queries_stay_a_page_that_opens() -> None:
    text = make_report(scores(3, units=3000), direction="higher", resamples=100).to_html()
    assert len(text) < 1_500_000
    read = Read(text)
    assert sum(str(one["href"]).startswith(("#d1-", "#q")) for one in read.all("a")) < 220
    assert "2,800 between them are left out" in read.text


def test_documents_without_title_or_text_show_what_they_have() -> None:
    first = at_rank(1)
    del first["q0"]
    text = make_report(JUDGED, {"first": first, "third": at_rank(3)}, "RR").to_html()
    assert "Returned nothing for this query." in text
    assert '<span class="document"><bdi>good</bdi></span>' in text


@in_turn("theme", ["light", "dark"])
def test_colours_are_told_apart_in_both_themes(theme: str) -> None:
    colour = {name: getattr(both, theme) for name, both in COLOURS.items()}
    for ground in ("page", "surface", "sunken"):
        assert contrast(colour["ink"], colour[ground]) >= 7
        for text in ("dim", "accent", "good", "bad", "even", "open"):
            assert contrast(colour[text], colour[ground]) >= 4.5, (text, ground)
    for tone in ("good", "bad", "even", "open"):
        assert contrast(colour[tone], colour[f"{tone}-soft"]) >= 4.5, tone
    assert contrast(colour["on-accent"], colour["accent"]) >= 4.5
    for number in range(1, MOST_SERIES + 1):
        assert contrast(colour[f"line-{number}"], colour["surface"]) >= 4.5, number  # names are in these colours
    assert contrast(colour["axis"], colour["surface"]) >= 3


def test_every_colour_that_the_style_names_exists() -> None:
    text = re.findall("<style>(.*?)</style>", report_of("usual").to_html(), re.DOTALL)[0]
    own = {"tone", "s", "d", "c", "hue", "p", "shade", "t"}
    assert set(re.findall(r"var\(--([a-z0-9-]+)", text)) - own == set(COLOURS)
    assert len(COLOURS) == text.count("light-dark(")


def test_axes_hold_their_values() -> None:
    for values in ([0.5, -0.25], [0.0], [1e-9], [12.0, 7.0], [-3.0], [float("nan"), 0.1], [0.1 + 0.2]):
        known = [value for value in values if not math.isnan(value)]
        for axis in (around(values), rounded_out(values)):
            assert axis.low <= min(0, *known) <= max(0, *known) <= axis.high + 1e-12
            assert all(0 <= axis.at(value) <= 1 for value in known)
            ticks = axis.ticks()
            assert ticks == sorted(ticks)
            assert 2 <= len(ticks) <= 8, (values, ticks)
    assert Axis(0, 1).at(2) == 1


def test_every_mark_has_one_meaning() -> None:
    assert list(MARKS.values()) == list(LEGEND)
    assert all(word in LEGEND[mark] for word, mark in MARKS.items())
