"""The verdicts, as cards: one a system, the main measure in full, the others in a line each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.core.digits import as_level, numbers, signed, signed_percent
from assay.core.errors import number_of
from assay.report.html.direction import counts, noted
from assay.report.html.markup import Html, change, element, given, joined, prose, table, tested
from assay.report.html.whiskers import Reach, difference, shares, whisker
from assay.show.axis import Axis, around

if TYPE_CHECKING:
    from assay.reporting.contents import Contents, Spoken

#: Up to so many cards show their paragraphs; more show them when asked.
FEW = 2


def by_pair(verdicts: Sequence[Spoken]) -> list[list[Spoken]]:
    """The verdicts on each pair of systems, the one under the main measure first."""
    pairs: dict[tuple[str, str], list[Spoken]] = {}
    for spoken in verdicts:
        pairs.setdefault((spoken.baseline, spoken.system), []).append(spoken)
    return list(pairs.values())


def without_card(contents: Contents) -> int:
    """How many systems that are compared stand in the table only."""
    compared = sum(any(score.verdict for score in row.scores) for row in contents.systems)
    return compared - len(by_pair(contents.verdicts))


def cards(contents: Contents) -> Html:
    """A card for each pair of systems, in the order in which they come, and what there is to know of all cards."""
    verdicts = contents.verdicts
    pairs = by_pair(verdicts)
    axes = {
        measure: _axis([spoken for spoken in verdicts if spoken.measure == measure])
        for measure in dict.fromkeys(spoken.measure for spoken in verdicts)
    }
    is_open = len(pairs) <= FEW
    # What is to be said of all is said once, above; a card has it in its words.
    is_said = all(of_pair[0].unjudged for of_pair in pairs)
    alone = len(pairs) if len(pairs) % 3 == 1 else None  # in rows of three the last one has all the room
    listed = [
        _card(contents, of_pair, axes, place, is_open=is_open or place == alone, is_said=is_said)
        for place, of_pair in enumerate(pairs, start=1)
    ]
    size = "cards one" if len(pairs) == 1 else "cards" if len(pairs) in {2, 4} else "cards many"
    return joined(element("div", *listed, class_=size), element("p", _legend(contents), class_="dim small legend"))


def at_a_glance(contents: Contents) -> Html:
    """The verdicts in a line of words, each a link to its card: on each system, or on the only one by each measure."""
    pairs = by_pair(contents.verdicts)
    if len(pairs) == 1:
        told = [(spoken.measure, spoken, 1) for spoken in pairs[0]]
    else:
        told = [(of_pair[0].system, of_pair[0], place) for place, of_pair in enumerate(pairs, start=1)]
    links = [element("li", element("a", given(name), badge(spoken), href=f"#v{place}")) for name, spoken, place in told]
    rest = without_card(contents)
    if rest:
        links.append(element("li", element("a", f"+{rest} more in the table", href="#systems", class_="rest")))
    return element("ul", *links, class_="glance") if links else Html("")


def _legend(contents: Contents) -> Html:
    """What the drawings mean, and what is not on the cards."""
    says = []
    drawn = next((one for one in contents.verdicts if not math.isnan(one.low)), None)
    if drawn:
        says.append(f"Line: the {as_level(drawn.level)} interval of the difference.")
        if not math.isnan(drawn.narrow_low):
            says.append(f"Its thick part: the {as_level(drawn.narrow_level)} interval, by which equivalence is judged.")
    says.append("Shaded: differences too small to matter.")
    several = next((one for one in contents.verdicts if one.correction), None)
    if several:
        says.append("p\u2011values are corrected for several comparisons; intervals are not adjusted for them.")
    rest = sum(bool(score.verdict) for row in contents.systems for score in row.scores) - len(contents.verdicts)
    more = joined(
        f" {number_of('more verdict', rest)} {'stands as a mark' if rest == 1 else 'stand as marks'} in the ",
        element("a", "table of systems", href="#systems"),
        ".",
    )
    return joined(" ".join(says), *([more] if rest else []))


def _axis(verdicts: Sequence[Spoken]) -> Axis:
    """One axis for all differences under a measure, so that cards can be compared by eye."""
    return around(
        value
        for spoken in verdicts
        for value in (spoken.low, spoken.high, spoken.difference, -1.5 * spoken.margin, 1.5 * spoken.margin)
    )


def badge(spoken: Spoken) -> Html:
    """A verdict in a word, with its mark."""
    mark = element("span", spoken.mark or "?", aria_hidden="true")
    return element("span", mark, f" {spoken.word}", class_=f"badge {spoken.tone}")


def _card(
    contents: Contents, of_pair: Sequence[Spoken], axes: dict[str, Axis], place: int, *, is_open: bool, is_said: bool
) -> Html:
    main, *others = of_pair
    way = contents.higher_is_better(main.measure)
    note = f", {noted(way)}" if noted(way) else ""
    relative = "" if math.isnan(main.relative) else signed_percent(main.relative).replace("-", "−")
    figures = element(
        "div",
        element(
            "p",
            badge(main),
            " ",
            element("span", f"{main.measure}{note}", class_="measure"),
            class_="top",
        ),
        element("h3", prose(main.headline)),
        element(
            "p",
            element("span", change(main.difference), class_="big"),
            *([" ", element("span", relative, class_="relative")] if relative else []),
            element("span", " → ".join(numbers([main.baseline_value, main.value])).replace("-", "−"), class_="values"),
            class_="figures",
        ),
        difference(axes[main.measure], _reach(main), _narrow(main), main.margin, _says(main)),
        element("p", *_interval(main), class_="facts dim small"),
        element(
            "p",
            shares(main.won, main.tied, main.lost, way),
            element("span", counts(main.won, main.tied, main.lost, way), class_="dim small counts"),
            class_="won",
        ),
    )
    words = element(
        "div",
        element(
            "details",
            element("summary", "In words"),
            element("p", prose(main.paragraph)),
            *([element("p", prose(main.caveat))] if main.caveat else []),
            class_="words",
            open=is_open,
        ),
        *([element("p", prose(main.conflict_says), class_="caveat")] if main.conflict_says and not is_open else []),
        *([element("p", _depends(main), class_="caveat")] if main.unjudged and not is_said else []),
        *([_others(contents, others, axes)] if others else []),
    )
    return element("article", figures, words, class_=f"card verdict {main.tone}", id=f"v{place}")


def _depends(spoken: Spoken) -> str:
    """What a verdict depends on, without how that is known: the words of the card say it."""
    return f"It depends on {number_of('unjudged document', spoken.unjudged)}."


def _interval(spoken: Spoken) -> list[Html]:
    parts = []
    if not math.isnan(spoken.low):
        parts.append(f"{as_level(spoken.level)} interval {change(spoken.low)} to {change(spoken.high)}")
    if not math.isnan(spoken.p):
        over = f" ({spoken.correction}, {number_of('comparison', spoken.comparisons)})" if spoken.correction else ""
        parts.append(f"{tested(spoken.p)}{over}")
    if not math.isnan(spoken.d_z):
        parts.append(f"d_z {signed(spoken.d_z, 2)}".replace("-", "−"))
    return [element("span", part) for part in parts]


def _reach(spoken: Spoken) -> Reach:
    return Reach(spoken.difference, spoken.low, spoken.high)


def _narrow(spoken: Spoken) -> Reach:
    return Reach(spoken.difference, spoken.narrow_low, spoken.narrow_high)


def _says(spoken: Spoken) -> str:
    said = f"{spoken.system} less {spoken.baseline} under {spoken.measure}: {change(spoken.difference)}"
    return said if math.isnan(spoken.low) else f"{said}, interval {change(spoken.low)} to {change(spoken.high)}"


def _way(higher_is_better: bool | None) -> list[Html]:
    says = noted(higher_is_better)
    return [element("span", says, class_="way")] if says else []


def _others(contents: Contents, others: Sequence[Spoken], axes: dict[str, Axis]) -> Html:
    """What the other measures say: a line each, and their paragraphs behind it."""
    head = joined(
        element("th", "also under", scope="col"),
        element("th", "verdict", scope="col"),
        element("th", "difference", scope="col", class_="n"),
        element("th", "interval", scope="col", class_="drawn"),
    )
    rows = [
        element(
            "tr",
            element("th", other.measure, *_way(contents.higher_is_better(other.measure)), scope="row"),
            element("td", badge(other)),
            element("td", change(other.difference), class_="n"),
            element(
                "td",
                whisker(axes[other.measure], _reach(other), _says(other), other.tone, zero=True),
                class_="drawn",
            ),
        )
        for other in others
    ]
    paragraphs = [
        joined(
            element("p", prose(other.paragraph)),
            element("p", prose(other.caveat)) if other.caveat else Html(""),
        )
        for other in others
    ]
    system = others[0].system
    return joined(
        table(f"{system} under the other measures", head, rows, "plain"),
        element("details", element("summary", "The other measures in words"), *paragraphs, class_="words"),
    )
