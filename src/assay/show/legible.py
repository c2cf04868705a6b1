"""Text that can be drawn: what XML and the scripts of charts cannot hold is replaced."""

from __future__ import annotations

import re
from collections.abc import Sequence

# Everything but the characters of XML 1.0; the program that draws ends at once where one of these comes in. XML allows
# some controls that terminals obey: they go, too.
_NOT_XML = "[^\t\n\r\u0020-\u007e\u00a0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
# Marks that turn the direction of writing: those of a name would reverse the sentence around it.
_DIRECTIONS = "[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
_LINE_ENDS = "[\u0085\u2028\u2029]"  # they end a line within a script's strings

# What is to be typed stays as it is: its first group.
_MINUS = re.compile(r"(--[\w-]+ \S+)|(?<![^\s(±\[])-(?=\d)")


def legible(text: str) -> str:
    r"""Replace what is not legal in XML, marks that turn the direction of writing, and line ends that break scripts.

    >>> legible("a\x08b\u2028c\u202ed")
    'a\ufffdb c\ufffdd'
    """
    if text.isprintable():  # nearly all text is, and tables are long
        return text
    # Compiled when first needed, since the ranges take longer than a small command.
    for pattern, replacement in ((_LINE_ENDS, " "), (_DIRECTIONS, "\ufffd"), (_NOT_XML, "\ufffd")):
        text = re.sub(pattern, replacement, text)
    return text


def on_one_line(text: str) -> str:
    r"""The same for a line or a cell that people read: what ends lines, or goes back in them, is a blank.

    >>> on_one_line("two\r\nlines\x1b[31m")
    'two lines\ufffd[31m'
    """
    return text if text.isprintable() else legible(" ".join(text.splitlines()).replace("\t", " "))


def with_minus_signs(text: str) -> str:
    """A sentence or a cell with true minus signs before its numbers; an option with its value stays as it is typed.

    >>> with_minus_signs("-0.05 to +0.1 of top-10; say --noise -1")
    '−0.05 to +0.1 of top-10; say --noise -1'
    """
    # There are thousands of cells: most are looked at no further.
    return _MINUS.sub(lambda minus: minus[1] or "−", text) if "-" in text else text


def cut_apart(names: Sequence[str], most: int) -> list[str]:
    """Names cut in the middle where they are longer than `most`; longer ones stay where two would be the same.

    >>> cut_apart(["tea", "complaint about a refund", "complaint about a parcel"], 16)
    ['tea', 'complai… refund', 'complai… parcel']
    """
    longest = max(map(len, names), default=0)
    while most < longest:
        half = most // 2 - 1
        cut = [name if len(name) <= most else f"{name[:half]}…{name[-half:]}" for name in names]
        if len(set(cut)) == len(set(names)):
            return cut
        most *= 2
    return list(names)
