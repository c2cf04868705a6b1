"""The page of a report as text: well formed, inert, complete, and legible in both themes. A browser is not needed."""

from __future__ import annotations

import base64
import hashlib
import itertools
import math
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest
from assay.report.html.bars import Bar, bars
from assay.report.html.curve import label_places
from browser import NAMES
from made_contents import made_contents

from assay.report.html import page
from assay.report.written import LEGEND, MARKS
from assay.reporting.contents import Advice, Contents, Measured, NoticedOf
from assay.show.axis import Axis, around, rounded_out
from assay.show.theme import COLOURS, LINES, contrast, variables

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


REPORTS = {
    "usual": made_contents(),
    "one measure": made_contents(measures=1),
    "a pair": made_contents(systems=2),
    "one system": made_contents(systems=1),
    "many systems": made_contents(systems=12),
    "hostile": made_contents(text=HOSTILE),
}


@pytest.fixture(params=REPORTS, scope="module")
def read(request: pytest.FixtureRequest) -> Read:
    return Read(page(REPORTS[request.param]))


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


@pytest.mark.parametrize("name", REPORTS)
def test_the_policy_names_the_digests_of_style_and_script(name: str) -> None:
    text = page(REPORTS[name])
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', text)
    assert policy is not None
    said = policy[1].replace("&#x27;", "'")
    assert said.startswith("default-src 'none'; ")
    assert "unsafe" not in said
    for tag in ("style", "script"):
        found = re.findall(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(found[0].encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in said


def test_hostile_text_is_text() -> None:
    read = Read(page(REPORTS["hostile"]))
    plain = Read(page(made_contents(text="x" * len(HOSTILE))))
    # The same elements as with harmless text, and nothing of it lost but characters that no page can hold.
    assert [tag for tag, _ in read.elements] == [tag for tag, _ in plain.elements]
    assert read.text.count("<script>window.hacked=1</script><img src=x onerror=window.hacked=1>") > 100
    assert not re.search("[\x00\x08]", page(REPORTS["hostile"]))


def test_what_there_is_none_of_is_left_out() -> None:
    sections = [one["id"] for one in Read(page(made_contents(systems=1))).all("section") if "id" in one]
    assert sections == ["systems", "differences", "curves", "coverage", "methods", "provenance", "notes"]
    bare = made_contents()._replace(
        verdicts=(), noticed=(), differences=(), curves=(), changed=(), coverage=(), bounds=(), power=(), notes=(),
        warnings=(), queries=None, references=(),
    )  # fmt: skip
    read = Read(page(bare))
    assert [one["id"] for one in read.all("section") if "id" in one] == ["systems", "methods", "provenance"]
    assert [one["href"] for one in read.all("a") if one.get("class") is None] == ["#systems", "#methods", "#provenance"]


def turned(contents: Contents, higher_is_better: bool | None) -> Contents:
    """The same contents under measures that are better if lower, or neither."""
    return contents._replace(measures=tuple(Measured(one.name, higher_is_better) for one in contents.measures))


def test_colours_say_what_is_good_and_marks_say_which_way() -> None:
    contents = made_contents()
    up, down, neither = (Read(page(turned(contents, way))) for way in (True, False, None))
    of_up, of_down, of_neither = (one.classes("rect") for one in (up, down, neither))
    assert of_up["gain"] == of_down["loss"] == of_neither["rise"] > 0
    assert of_up["loss"] == of_down["gain"] == of_neither["fall"] > 0
    assert [of[name] for of in (of_up, of_down) for name in ("rise", "fall")] == [0] * 4
    assert [of_neither[name] for name in ("gain", "loss")] == [0, 0]
    # Of the most changed queries, too, and with words where down is good.
    for query in contents.changed:
        mark = "▲" if query.difference > 0 else "▼"
        said = f"{mark} {query.difference:+.4f}".replace("-", "−")
        assert said in up.text
        assert f"{said} ({'worse' if query.difference > 0 else 'better'})" in down.text
    assert "lower is better" not in up.text
    assert "Difference in nDCG@10 (lower is better), best first." in down.text
    assert "nDCG@10, lower is better" in down.text  # on the cards
    assert "nDCG@10lower is better" in down.text  # in the head of the table, on a line of its own
    assert "Difference in nDCG@10 (neither high nor low is taken as better), largest rise first." in neither.text


def test_a_mark_in_the_table_says_better_only_where_something_is() -> None:
    contents = made_contents(measures=1)
    verdicts = ("higher; depends on unjudged documents", "lower", "identical")
    rows = [
        row._replace(scores=(row.scores[0]._replace(mark=mark, verdict=verdict, is_best=False),))
        for row, mark, verdict in zip(contents.systems[1:], "↑↓=", verdicts, strict=True)
    ]
    read = Read(page(contents._replace(systems=(contents.systems[0], *rows))))
    assert (
        "↑ higher than the baseline (p below 0.05). ↓ lower than the baseline (p below 0.05). "
        "= identical with the baseline (no value differs)." in read.text
    )
    assert "better than the baseline" not in read.text
    assert not {"mark-good", "mark-bad"} & set(read.classes("span"))


def test_one_system_alone_is_sorted_by_what_is_good() -> None:
    contents = made_contents(systems=1)
    assert contents.queries is not None
    for higher_is_better in (True, False):
        text = page(turned(contents, higher_is_better))
        values = [float(found) for found in re.findall(r"<title>Query [^<]*\n([\d.]+)</title>", text)]
        assert len(values) == 20
        assert values == sorted(values, reverse=higher_is_better)


def test_a_card_says_what_its_p_value_and_its_intervals_are() -> None:
    contents = made_contents(systems=3, measures=1)
    corrected = [
        one._replace(correction="Holm", comparisons=47, narrow_low=-0.01, narrow_high=0.02, narrow_level=0.9)
        for one in contents.verdicts
    ]
    read, plain = (Read(page(contents._replace(verdicts=tuple(told)))) for told in (corrected, contents.verdicts))
    assert read.text.count("p = 0.0400 (Holm, 47 comparisons)") == 2
    assert read.classes("g")["narrow"] == 2
    assert read.text.count("the 90% interval, by which equivalence is judged") == 1
    assert read.text.count("intervals are not adjusted") == 1
    assert plain.classes("g")["narrow"] == 0
    assert "equivalence is judged" not in plain.text
    assert "Holm" not in plain.text
    assert "not adjusted" not in plain.text


def test_what_all_verdicts_depend_on_is_said_once() -> None:
    said = "2 of 2 verdicts depend on unjudged documents: with other grades for them, the sign could change."
    contents = made_contents(systems=3, measures=1)
    contents = contents._replace(caveats=(said,), warnings=())
    some = Read(page(contents))
    all_of_them = [one._replace(caveat="It depends on 7 documents: many.", unjudged=7) for one in contents.verdicts]
    every = Read(page(contents._replace(verdicts=tuple(all_of_them))))
    assert [one.classes("p")["caveat"] for one in (some, every)] == [1, 0]
    assert ["It depends on 7 unjudged documents." in one.text for one in (some, every)] == [True, False]
    for read in (some, every):
        assert read.text.count(said) == 1
        assert read.classes("aside")["warnings"] == 1
    assert every.text.count("It depends on 7 documents: many.") == 2


def test_a_single_pair_is_told_in_words_first() -> None:
    contents = made_contents(systems=2)
    main = contents.verdicts[0]
    contents = contents._replace(
        summary=("A sentence with 0.1234 and 0.5678.", "By the other measures: better under AP."),
        noticed=(NoticedOf("system0", "system1", "the first result changes for 3 of 20 queries."),),
        advice=Advice("Better, but 7 are unjudged: judge these first.", "assay compare … -m RBP(p=0.8)"),
    )
    text = page(contents)
    assert f'<p class="claim">{main.headline} under nDCG@10.</p>' in text
    assert "0.1234" not in text
    assert "By the other measures" not in text  # there is a mark for each
    assert re.findall(r'<li><a href="#v1"><bdi>([^<]+)</bdi>', text) == [one.name for one in contents.measures]
    assert "<bdi>system1</bdi> in place of <bdi>system0</bdi></b>: the first result changes for 3 of 20" in text
    assert "<p>Better, but 7 are unjudged: judge these first.</p>" in text
    assert "<code>assay compare … -m RBP(p=0.8)</code>" in text


def test_systems_without_a_card_are_counted() -> None:
    contents = made_contents(systems=12, measures=1)
    assert "more in the table" not in page(contents)
    assert "as marks" not in page(contents)
    some = contents._replace(verdicts=contents.verdicts[:7])
    text = Read(page(some)).text
    assert "+4 more in the table" in text
    assert "4 more verdicts stand as marks in the table of systems." in text


def test_names_written_from_right_to_left_stay_where_they_are_named() -> None:
    contents = made_contents(systems=2)
    name = "חיפוש-2"
    spoken = contents.verdicts[0]._replace(headline=f"{name} is better than system0")
    text = page(contents._replace(title=f"{name} against system0", verdicts=(spoken,)))
    assert f"<h1><bdi>{name}</bdi> against system0</h1>" in text
    assert f"<h3><bdi>{name}</bdi> is better than system0</h3>" in text


def test_bars_fill_their_chart() -> None:
    """The highest and the lowest bar end near the edge: no axis is rounded out to twice its length."""
    for values in ([0.22, -0.41], [0.6, -0.02], [0.001, -0.0004]):
        chart = bars([Bar(f"q{n}", value, "gain", "") for n, value in enumerate(values)], "", lambda at: f"#{at}")
        spans = re.findall(r'y="([\d.]+)%" width="[\d.]+%" height="([\d.]+)%" class="gain"', chart)
        assert sum(float(height) for _, height in spans) > 90
        assert chart.count('class="grid"') >= 2


def test_make_looks_for_the_same_browsers_as_the_tests() -> None:
    makefile = (Path(__file__).parents[1] / "Makefile").read_text(encoding="utf-8")
    said = re.search("^BROWSERS := (.+)$", makefile, re.MULTILINE)
    assert said is not None
    assert tuple(said[1].split()) == NAMES


def test_verdicts_come_first_and_say_everything() -> None:
    contents = made_contents()
    read = Read(page(contents))
    assert next(one["id"] for one in read.all("section")) == "verdicts"
    for spoken in contents.verdicts:
        for said in (spoken.word, spoken.paragraph.replace(" -", " −"), spoken.caveat):
            assert said in read.text
    assert all(one.headline in read.text for one in contents.verdicts[: len(contents.systems) - 1])


def test_every_query_has_a_bar_that_leads_to_it() -> None:
    contents = made_contents(systems=3, queries=50)
    read = Read(page(contents))
    links = [str(one["href"]) for one in read.all("a") if re.fullmatch(r"#(d\d+-\d+|q\d+)", str(one["href"]))]
    drawn, listed = Counter(links), sum("#q" in link for link in links)
    assert sum(drawn.values()) == 2 * 50 + listed / 2  # a query that is shown in full has a link in the list as well
    first = contents.differences[0].queries[0]
    assert f"Query {first.query_id}: {first.text}\n+{first.difference:.4f}" in read.text


def test_thousands_of_queries_stay_a_page_that_opens() -> None:
    text = page(made_contents(systems=3, queries=6000))
    assert len(text) < 1_500_000
    read = Read(text)
    assert sum(str(one["href"]).startswith(("#d1-", "#q")) for one in read.all("a")) < 220
    assert "5,800 between them are left out" in read.text


def test_documents_without_title_or_text_show_what_they_have() -> None:
    contents = made_contents(systems=2)
    query = contents.changed[0]
    bare = tuple(item._replace(title="", text="") for item in query.system.ranking)
    changed = query._replace(system=query.system._replace(ranking=bare), baseline=query.baseline._replace(ranking=()))
    text = page(contents._replace(changed=(changed,)))
    assert "Returned nothing for this query." in text
    assert re.findall('<span class="document"><bdi>(.*?)</bdi></span>', text) == [item.doc_id for item in bare]


def test_the_same_contents_give_the_same_page() -> None:
    assert page(made_contents()) == page(made_contents())


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_colours_are_told_apart_in_both_themes(theme: str) -> None:
    colour = {name: getattr(both, theme) for name, both in COLOURS.items()}
    for ground in ("page", "surface", "sunken"):
        assert contrast(colour["ink"], colour[ground]) >= 7
        for text in ("dim", "accent", "good", "bad", "even", "open"):
            assert contrast(colour[text], colour[ground]) >= 4.5, (text, ground)
    for tone in ("good", "bad", "even", "open"):
        assert contrast(colour[tone], colour[f"{tone}-soft"]) >= 4.5, tone
    assert contrast(colour["on-accent"], colour["accent"]) >= 4.5
    for number in range(1, LINES + 1):
        assert contrast(colour[f"line-{number}"], colour["surface"]) >= 4.5, number  # names are in these colours
    assert contrast(colour["axis"], colour["surface"]) >= 3


def test_every_colour_that_the_style_names_exists() -> None:
    text = re.findall("<style>(.*?)</style>", page(made_contents()), re.DOTALL)[0]
    own = {"tone", "s", "d"}
    assert set(re.findall(r"var\(--([a-z0-9-]+)", text)) - own == set(COLOURS)
    assert variables() in text


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


def test_names_of_curves_do_not_stand_on_one_another() -> None:
    curves = made_contents(systems=6).curves
    for drawn in (curves[::3], curves[:1] * 3):  # two lines apart, and three in one place
        placed = [place for place in label_places(drawn) if place is not None]
        assert len(placed) > 1
        for one, other in itertools.combinations(placed, 2):
            assert abs(one.x - other.x) > 0.05 or abs(one.y - other.y) > 0.05


def test_a_page_is_made_from_a_real_report() -> None:
    from assay import make_report  # noqa: PLC0415

    judged = {f"q{n}": {"good": 1, "bad": 0} for n in range(6)}
    runs = {"down": {q: {"bad": 2.0, "good": 1.0} for q in judged}, "up": {q: {"good": 2.0} for q in judged}}
    contents: Contents = make_report(judged, runs, ["RR", "nDCG@10"]).contents
    text = Read(page(contents)).text
    assert all(said in text for said in (contents.verdicts[0].headline, contents.verdicts[0].paragraph))
    assert contents.advice is not None
    assert contents.advice.text in text


def test_every_mark_has_one_meaning() -> None:
    assert list(MARKS.values()) == list(LEGEND)
    assert all(word in LEGEND[mark] for word, mark in MARKS.items())
