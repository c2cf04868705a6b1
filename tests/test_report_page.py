"""The page of a report as text: well formed, inert, complete, and legible in both themes. A browser is not needed."""

from __future__ import annotations

import base64
import hashlib
import itertools
import math
import re
from collections import Counter
from html.parser import HTMLParser

import pytest
from made_contents import made_contents

from assay.report.html import page
from assay.report.html.axis import Axis, around, rounded_out
from assay.report.html.curve import label_places
from assay.report.html.theme import COLOURS, LINES, contrast, variables
from assay.reporting.contents import Contents

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
        return "".join(self.texts)


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
    text = Read(page(contents._replace(changed=(changed,)))).text
    assert "Returned nothing for this query." in text
    assert all(item.doc_id in text for item in bare)


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
    placed = [place for place in label_places(curves) if place is not None]
    assert placed
    for one, other in itertools.combinations(placed, 2):
        assert abs(one.x - other.x) > 0.05 or abs(one.y - other.y) > 0.05
    assert label_places(curves[:1] * 3) is not None  # three lines in one place


def test_a_page_is_made_from_a_real_report() -> None:
    from assay import make_report  # noqa: PLC0415

    judged = {f"q{n}": {"good": 1, "bad": 0} for n in range(6)}
    runs = {"down": {q: {"bad": 2.0, "good": 1.0} for q in judged}, "up": {q: {"good": 2.0} for q in judged}}
    contents: Contents = make_report(judged, runs, ["RR", "nDCG@10"]).contents
    text = Read(page(contents)).text
    assert all(said in text for said in contents.summary)
