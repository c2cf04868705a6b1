"""What a run says about itself: an `ir_metadata` header, which is YAML in comment lines before the first row."""

from __future__ import annotations

from assay.files.sources import BYTE_ORDER_MARK, Source

_START, _END = "ir_metadata.start", "ir_metadata.end"
# A header is read whole; one without an end is not looked for beyond this.
_MOST_BYTES = 1 << 20


def metadata_of(source: Source) -> str:
    """The header's lines without their comment signs; nothing if there is no header.

    >>> import io
    >>> metadata_of(Source(io.BytesIO(b"# ir_metadata.start\\n# tag: mine\\n# ir_metadata.end\\nq1 Q0 d1 1 2 mine\\n")))
    'tag: mine'
    """
    with source.open() as file:
        first = file.readline(_MOST_BYTES).removeprefix(BYTE_ORDER_MARK).decode(errors="replace")
        if not first.startswith("#") or _uncommented(first).strip() != _START:
            return ""
        lines: list[str] = []
        while (line := file.readline(_MOST_BYTES).decode(errors="replace")).startswith("#"):
            if _uncommented(line).strip() == _END:
                break
            lines.append(_uncommented(line))
        return "\n".join(lines)


def as_header(metadata: str) -> str:
    """The header again, as comment lines.

    >>> as_header("tag: mine")
    '# ir_metadata.start\\n# tag: mine\\n# ir_metadata.end\\n'
    """
    if not metadata:
        return ""
    return "".join(f"# {line}\n" for line in (_START, *metadata.split("\n"), _END))


def _uncommented(line: str) -> str:
    return line.rstrip("\r\n").removeprefix("#").removeprefix(" ")
