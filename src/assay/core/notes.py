"""Notes: what to say beside numbers, as text that knows what it is about."""

from __future__ import annotations

from collections.abc import Iterable

from assay.core.errors import AssayError


class Note(str):
    """A line of text that knows its kind, or the measure that it is about: notes alike then share a line.

    >>> note = Note.on("AP", "2 queries left out")
    >>> note, note.measure
    ('AP: 2 queries left out', 'AP')
    """

    __slots__ = ("kind", "lead", "measure", "remark")
    kind: str
    lead: str
    measure: str
    remark: str

    def __new__(cls, remark: str, *, kind: str = "", lead: str = "", measure: str = "") -> Note:
        """`lead` and the measure, where there is one, stand before the remark."""
        note = super().__new__(cls, f"{lead}{measure}: {remark}" if measure else f"{lead}{remark}")
        note.kind, note.lead, note.measure, note.remark = kind, lead, measure, remark
        return note

    @classmethod
    def on(cls, measure: str, remark: str) -> Note:
        """What to say of a measure."""
        return cls(remark, measure=measure)

    @classmethod
    def of_problem(cls, problem: AssayError, *, lead: str = "", end: str = "") -> Note:
        """What was wrong, in a note; it is about the measure that the problem is about."""
        return cls(f"{problem.remark}{end}", lead=lead, measure=problem.measure)


def merged(notes: Iterable[str]) -> list[str]:
    """Notes without repetition: what is said of several measures in the same words is said of them together.

    >>> merged([Note.on("AP", "2 left out"), "an aside", Note.on("RR", "2 left out"), "an aside"])
    ['AP, RR: 2 left out', 'an aside']
    """
    groups: dict[tuple[str, str], list[str]] = {}
    for note in notes:
        about = note if isinstance(note, Note) else Note(note)
        measures = groups.setdefault((about.lead, about.remark), [])
        if about.measure not in measures:
            measures.append(about.measure)
    return [str(Note(remark, lead=lead, measure=", ".join(names))) for (lead, remark), names in groups.items()]
