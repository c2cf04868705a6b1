"""Drawings of scores with a threshold that moves: curves of shares with a point on them, and how scores are spread.

They are complete as they stand; `classifier.js` moves what has a `data-` attribute.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from assay.show.axis import Axis, label
from assay.show.drawings import drawing, percent, shape
from assay.show.theme import LINES

_SHARES = Axis(0, 1)
#: A drawing that is stretched to the chart around it.
_STRETCHED = {"viewBox": "0 0 100 100", "preserveAspectRatio": "none", "width": "100%", "height": "100%"}
#: So much of the height has each side of the spread at most, in hundredths.
_TALLEST = 48


class ScoreCurve(NamedTuple):
    """Points of a system's curve, from the highest threshold on, NaN where there is none."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    is_stepped: bool = False

    @property
    def points(self) -> list[tuple[float, float]]:
        """The points that lines go through: of a step, each `y` holds from the `x` before on."""
        known = [(x, y) for x, y in zip(self.x, self.y, strict=True) if not math.isnan(x + y)]
        if not self.is_stepped:
            return known
        starts = [0.0, *(x for x, _ in known[:-1])]
        return [end for start, (x, y) in zip(starts, known, strict=True) for end in ((start, y), (x, y))]


def line_style(place: int, shown: int | None = None) -> str:
    """The class of a system's line; those of others than the one that is shown lie behind it.

    >>> line_style(0, 0), line_style(1, 0), line_style(99)
    ('line s1', 'line s2 behind', 'line rest')
    """
    style = f"line s{place + 1}" if place < LINES else "line rest"
    return style if shown in {None, place} else f"{style} behind"


def curves(
    says: str, lines: Sequence[ScoreCurve], shown: int, at: int, *, chance: tuple[float, float], name: str
) -> Markup:
    """Curves in a square of shares, with a point on the one that is shown, at one of its places.

    `chance`: from which height on the left to which on the right somebody goes who guesses. `name` is the point's.

    >>> curves("A curve", [ScoreCurve("a", [0, 0.5, 1], [0, 1, 1])], 0, 1, chance=(0, 1), name="roc").count('cx="50%"')
    1
    """
    levels = [percent(_SHARES.from_top(end)) for end in chance]
    parts = [*_grid(), shape("line", x1="0", y1=levels[0], x2="100%", y2=levels[1], class_="chance")]
    drawn = Markup().join(
        shape(
            "polyline", inside=shape("title", inside=line.name), points=_places(line), class_=line_style(place, shown)
        )
        for place, line in sorted(enumerate(lines), key=lambda each: each[0] == shown)  # what is last lies above
    )
    parts.append(shape("svg", _STRETCHED, drawn))
    x, y = float(lines[shown].x[at]), float(lines[shown].y[at])
    is_known = not math.isnan(x + y)
    place = {"cx": percent(x), "cy": percent(1 - y)} if is_known else {"cx": "0", "cy": "0", "display": "none"}
    parts.append(shape("circle", place, r=7, class_="at", data_point=name))
    return drawing(says, *parts, class_="curves square")


def _places(line: ScoreCurve) -> str:
    return " ".join(f"{100 * x:.2f},{100 - 100 * y:.2f}" for x, y in line.points)


def _grid() -> list[Markup]:
    """Lines across a square of shares, and the numbers beside and below them."""
    parts = []
    for tick in _SHARES.ticks(4):
        level = percent(_SHARES.from_top(tick))
        parts += [
            shape("line", x1="0", x2="100%", y1=level, y2=level, class_="grid" if tick else "zero"),
            shape("text", inside=label(tick), x="0", y=level, dx="-8", dy=".32em", class_="end"),
            shape("text", inside=label(tick), x=percent(tick), y="100%", dy="18", class_="middle"),
        ]
    return parts


def spread(says: str, axis: Axis, up: Sequence[float], down: Sequence[float], cut: float) -> Markup:
    """Two kinds of scores in bins of equal width, one above the line and one below, each as shares of its kind.

    `cut`: where the threshold is, as a share of the axis.

    >>> spread("Scores", Axis(0, 1), [0, 3], [2, 2], 0.5).count("data-")
    2
    """
    shares = [[count / (sum(counts) or 1.0) for count in counts] for counts in (up, down)]
    highest = max(map(max, shares)) or 1.0
    bars = zip((_bars(shares[0], -_TALLEST / highest), _bars(shares[1], _TALLEST / highest)), ("positive", "negative"),
               strict=True)  # fmt: skip
    drawn = Markup().join(shape("path", d=path, class_=f"scores-{kind}") for path, kind in bars)
    place = percent(cut)
    ticks = (
        shape("text", inside=label(tick), x=percent(axis.at(tick)), y="100%", dy="18", class_="middle")
        for tick in axis.ticks(5)
    )
    return drawing(
        says,
        shape("rect", x=place, y="0", width=percent(1 - cut), height="100%", class_="band", data_band="scores"),
        shape("svg", _STRETCHED, drawn),
        shape("line", x1="0", x2="100%", y1="50%", y2="50%", class_="zero"),
        shape("line", x1=place, x2=place, y1="0", y2="100%", class_="cut", data_line="scores"),
        *ticks,
        class_="scores",
    )


def _bars(shares: Sequence[float], scale: float) -> str:
    wide = 100 / len(shares)
    return "".join(
        f"M{place * wide:.2f} 50v{scale * share:.2f}h{wide:.2f}V50z" for place, share in enumerate(shares) if share
    )
