"""How well two colours are told apart."""

from __future__ import annotations


def contrast(first: str, second: str) -> float:
    """How well two colours are told apart: the ratio of their luminances, 1 to 21, as WCAG 2 defines it.

    >>> contrast("#000000", "#ffffff"), contrast("#777777", "#ffffff")
    (21.0, 4.48)
    """
    brighter, darker = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    red, green, blue = (_linear(int(colour[place : place + 2], 16) / 255) for place in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(share: float) -> float:
    return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4
