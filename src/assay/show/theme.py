"""The colours of the page, each with a name, once for light and once for dark.

Charts and text take colours by name only, so that whatever is drawn is drawn well in both. The page follows the
reader's system; the switch, a plain check box, turns it round without a script. Paper is always light.
"""

from __future__ import annotations

from typing import NamedTuple


class Colour(NamedTuple):
    """A colour of the page by what it is for."""

    light: str
    dark: str


COLOURS = {
    "page": Colour("#f5f7f6", "#0f1413"),
    "surface": Colour("#ffffff", "#171d1c"),
    "sunken": Colour("#edf1f0", "#212928"),
    "ink": Colour("#16201f", "#e9efed"),
    "dim": Colour("#55625f", "#a4b1ae"),
    "line": Colour("#dbe2e0", "#2d3836"),
    "axis": Colour("#7f8b88", "#75837f"),
    "accent": Colour("#0a6c66", "#5fc7bc"),
    "on-accent": Colour("#ffffff", "#08211f"),
    "soft": Colour("#d9eeea", "#14383a"),
    "band": Colour("#e3e9e7", "#2a3433"),
    # How a verdict is meant. Never alone: a mark and a word stand beside each.
    "good": Colour("#0a6c66", "#5fc7bc"),
    "good-soft": Colour("#def0ed", "#12312f"),
    "bad": Colour("#b23c12", "#f39a72"),
    "bad-soft": Colour("#fbe9e1", "#3a2016"),
    "even": Colour("#3d579f", "#a3b6f2"),
    "even-soft": Colour("#e7ecf8", "#1f2842"),
    "open": Colour("#735800", "#dbc070"),
    "open-soft": Colour("#f6efd8", "#322a12"),
    # Lines of charts, told apart by most kinds of colour vision; each has its own dashes and marks as well.
    "line-1": Colour("#0072b2", "#56b4e9"),
    "line-2": Colour("#c04800", "#ff9a5c"),
    "line-3": Colour("#00855f", "#3ecf9f"),
    "line-4": Colour("#a84a80", "#e79ac4"),
    "line-5": Colour("#111111", "#f2f2f2"),
    "line-6": Colour("#6352c9", "#b7aefc"),
    "line-7": Colour("#8f5d00", "#f0c24a"),
    "line-8": Colour("#5a6872", "#a9b8c2"),
}
LINES = sum(name.startswith("line-") for name in COLOURS)


def variables() -> str:
    """The colours as CSS: light, dark where the reader's system is, and the other one where the switch is set.

    >>> variables().splitlines()[0][:36]
    ':root { color-scheme: light; --page:'
    """
    light, dark = (
        f"color-scheme: {theme}; "
        + " ".join(f"--{name}: {getattr(colour, theme)};" for name, colour in COLOURS.items())
        for theme in ("light", "dark")
    )
    switched = ":root:has(#theme:checked)"
    return "\n".join(
        [
            f":root {{ {light} }}",
            f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} {switched} {{ {light} }} }}",
            f"@media screen and (prefers-color-scheme: light) {{ {switched} {{ {dark} }} }}",
        ]
    )


def contrast(one: str, other: str) -> float:
    """How well two colours are told apart: the ratio of their luminances, 1 to 21, as WCAG 2 defines it.

    >>> contrast("#000000", "#ffffff"), contrast("#777777", "#ffffff")
    (21.0, 4.48)
    """
    brighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    red, green, blue = (_linear(int(colour[place : place + 2], 16) / 255) for place in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(share: float) -> float:
    return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4
