"""Bytes -> text, for files of texts: UTF-8, or else Latin-1, which old collections are in, and then it is said."""

from __future__ import annotations

import re

from assay.files.sources import Source, without_end_mark

#: A character by its number: no character has one so long, and Python refuses to read one that is much longer.
_NO_CHARACTER = re.compile(r"&#\d{20,}+;?")


def decoded(source: Source) -> tuple[str, tuple[str, ...]]:
    """The text of a file, and a warning if it is not in UTF-8.

    >>> import io
    >>> decoded(Source(io.BytesIO(b"caf\\xe9"), name="menu"))
    ('café', ('menu: the text is not in UTF-8; it is read as Latin-1',))
    """
    data = without_end_mark(source.read())
    try:
        return data.decode(), ()
    except UnicodeDecodeError:
        return data.decode("latin-1"), (f"{source.name}: the text is not in UTF-8; it is read as Latin-1",)


def lines_of(text: str) -> list[str]:
    """Cut a text into lines where newlines or carriage returns are, and nowhere else.

    >>> lines_of("one\\r\\ntwo\\u2028too\\n")
    ['one', 'two\\u2028too']
    """
    return text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n").split("\n")


def without_entities(text: str) -> str:
    """A text with entities as what they stand for; a number that no character has is a replacement character.

    >>> without_entities("tea &amp; milk&#33;"), without_entities("&#" + "9" * 5000 + ";")
    ('tea & milk!', '\ufffd')
    """
    import html  # noqa: PLC0415  # its table of names is long, and most texts have none

    return html.unescape(_NO_CHARACTER.sub("\ufffd", text))
