"""Everything Assay raises on purpose, and notes; and how messages name arguments: as Python does, or as options.

::

    AssayError
    ├── InputError                 what was given cannot be used (exit 2)
    │   ├── FormatError            a file is not what it should be: path, line, expected, got
    │   │   ├── DuplicateError     the same document twice in one query
    │   │   └── EmptyFileError     a file without data
    │   └── TopicError             topics of the run and of the judgments do not fit together
    ├── ParameterError             a name or a value that does not exist (also a ValueError)
    │   └── UnknownMeasureError    ... of a measure, with the nearest names
    └── MissingDependencyError     an optional package is needed, and which extra brings it

>>> from assay.core.errors import FormatError
>>> str(FormatError("bad.run", 3, expected="6 columns", got="q1 Q0 d2"))
"bad.run:3: expected 6 columns, got 'q1 Q0 d2'"
>>> str(FormatError("bad.csv", 3, expected="a label", got=""))
'bad.csv:3: expected a label, got nothing'
"""

from __future__ import annotations

import importlib.util
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import EllipsisType
from typing import Any, Self, TypeAlias, TypeVar

Held = TypeVar("Held")

_LONGEST_QUOTE, _LONGEST_ID, _LONGEST_NAME = 80, 60, 200


class AssayError(Exception):
    """The root: catch this to catch whatever Assay raises on purpose."""

    #: The measure that it is about, if it is about one.
    measure = ""
    _remark = ""

    @classmethod
    def on(cls, measure: object, remark: str) -> Self:
        """The error about a measure.

        >>> problem = InputError.on("AP", "there is one query only")
        >>> print(problem, problem.remark, sep=chr(10))
        AP: there is one query only
        there is one query only
        """
        problem = cls(f"{measure}: {remark}")
        problem.measure, problem._remark = str(measure), remark
        return problem

    @property
    def remark(self) -> str:
        """The message without the measure."""
        return self._remark or str(self)


class InputError(AssayError):
    """An input that cannot be used."""


class FormatError(InputError):
    """A file is not what it should be: says where, what was expected, what came."""

    def __init__(
        self, path: str, line: int | None, *, expected: str, got: str | None = None, note: str | None = None
    ) -> None:
        self.path = path
        self.line = line
        self.expected = expected
        self.got = got
        where = path if line is None else f"{path}:{line}"
        received = "" if got is None else f", got {quote(got) if got else 'nothing'}"
        remark = "" if note is None else f" ({note})"
        #: The message without the place.
        self.reason = f"expected {expected}{received}{remark}"
        super().__init__(f"{where}: {self.reason}")


class DuplicateError(FormatError):
    """The same document occurs twice in one query."""


class EmptyFileError(FormatError):
    """A file holds no data; of a run that may be meant, as a system may find nothing."""

    def __init__(self, path: str, expected: str) -> None:
        super().__init__(path, None, expected=expected, note="there are no data in the file")


class TopicError(InputError):
    """Topics of the run and of the judgments do not fit together."""


class ParameterError(AssayError, ValueError):
    """A name or a value that does not exist or is out of range."""


class UnknownMeasureError(ParameterError):
    """No measure has this name; the message suggests the nearest ones."""


class MissingDependencyError(AssayError, ImportError):
    """An optional package is needed."""


def need(package: str, *, extra: str, purpose: str) -> None:
    """Ask for an optional package at the door, by name.

    >>> need("no_such_package", extra="report", purpose="charts")
    Traceback (most recent call last):
        ...
    assay.core.errors.MissingDependencyError: charts needs no_such_package: pip install 'assay[report]'
    """
    if importlib.util.find_spec(package) is None:
        raise MissingDependencyError(f"{purpose} needs {package}: pip install 'assay[{extra}]'")


def reason(problem: OSError | ValueError) -> str:
    """The reason why something cannot be read or written, as the system puts it.

    >>> reason(OSError(28, "No space left on device")), reason(OSError("No space left on device (os error 28)"))
    ('no space left on device', 'no space left on device')
    """
    text = getattr(problem, "strerror", None) or str(problem)
    return re.sub(r" \(os error \d+\)$", "", text).lower()


def quote(text: str) -> str:
    """Show untrusted text in a message: escaped, on one line, not too long."""
    return repr(text if len(text) <= _LONGEST_QUOTE else text[: _LONGEST_QUOTE - 1] + "…")


def spelt(text: str) -> str:
    """An id as evidence of how it is written: what may look like something else, or like nothing, is spelt out.

    >>> print(spelt("d1"), spelt("caf\u00e9"))
    'd1' 'caf\xe9'
    """
    return quote(text) if text.isascii() else ascii(text if len(text) <= _LONGEST_ID else text[: _LONGEST_ID - 1] + "…")


def did_you_mean(word: object, known: Iterable[str]) -> str:
    """Suggest the nearest known names as the end of an error message, or nothing.

    >>> did_you_mean("ndgc", ["nDCG", "AP"])
    '; did you mean nDCG?'
    """
    import difflib  # noqa: PLC0415  # only who has misspelt something waits for it

    by_folded: dict[str, str] = {}
    for name in known:
        by_folded.setdefault(name.casefold(), name)
    near = difflib.get_close_matches(str(word).casefold(), by_folded, n=3, cutoff=0.6)
    return f"; did you mean {' or '.join(by_folded[name] for name in near)}?" if near else ""


def number_of(what: str, number: int) -> str:
    """Count things in words.

    >>> number_of("topic", 1), number_of("query", 1200)
    ('1 topic', '1,200 queries')
    """
    return f"{number:,} {what if number == 1 else several(what)}"


def several(what: str) -> str:
    """The plural of a thing.

    >>> several("query"), several("class")
    ('queries', 'classes')
    """
    if what.endswith("ry"):
        return f"{what.removesuffix('y')}ies"
    return f"{what}es" if what.endswith("ss") else f"{what}s"


def listed(names: Sequence[str]) -> str:
    """Names for a message: all of a few, the first of many; on one line, whatever they hold.

    >>> print(listed(["a", "b\\n"]))
    a, b\\n
    """
    texts = [name if name.isprintable() else repr(name)[1:-1] for name in names[:8]]
    texts = [text if len(text) <= _LONGEST_NAME else text[: _LONGEST_NAME - 1] + "…" for text in texts]
    return ", ".join(texts) + (f", … ({len(names)} in all)" if len(names) > 8 else "")


def joined(names: Sequence[str], most: int | None = None) -> str:
    """Names as people say them; of more than `most`, the first.

    >>> joined(["a", "b", "c"]), joined(["a", "b", "c", "d"], most=2)
    ('a, b and c', 'a, b and 2 others')
    """
    few = most is None or len(names) <= most
    parts = list(names) if few else [*names[:most], number_of("other", len(names[most:]))]
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def of_kind(what: str, names: Sequence[str]) -> str:
    """Things of a kind by their names, in a sentence.

    >>> of_kind("class", ["c"]), of_kind("class", ["c", "d"])
    ('class c', 'classes c, d')
    """
    return f"{what if len(names) == 1 else several(what)} {listed(names)}"


def only_one(what: str, name: Any, known: Mapping[Any, Held]) -> Held:
    """The one that is named, or the only one that there is; otherwise an error says which there are.

    >>> only_one("system", None, {"bm25": 1})
    1
    """
    if name is None and len(known) == 1:
        return next(iter(known.values()))
    if name not in known:
        raise not_among(what, name, [*known])
    return known[name]


def not_among(kind: str, wanted: object, known: Iterable[object]) -> ParameterError:
    """The error for a name that is none of those known, or that was left out where there are several.

    >>> str(not_among("system", "bm52", ["bm25", "dense"])), str(not_among("system", None, ["bm25", "dense"]))
    ("choose a system of bm25, dense, not 'bm52'; did you mean bm25?", 'choose a system of bm25, dense')
    """
    names = [str(name) for name in known]
    wrong = "" if wanted is None else f", not {str(wanted)!r}{did_you_mean(str(wanted), names)}"
    return ParameterError(f"choose a {kind} of {listed(names)}{wrong}")


def refuse_unknown(arguments: Iterable[str], *known: Callable[..., Any] | Iterable[str]) -> None:
    """Refuse keyword arguments that nothing takes: neither these functions and dataclasses, nor any of further names.

    >>> refuse_unknown({"samlpes": 3}, lambda measures, *, samples=100: 0)
    Traceback (most recent call last):
        ...
    assay.core.errors.ParameterError: unknown argument 'samlpes'; did you mean samples?
    """
    names = list(arguments)
    taken: list[str] = []
    nearby: list[str] = []
    for source in known if names else ():
        if hasattr(source, "__dataclass_fields__"):
            taken += source.__dataclass_fields__
        elif callable(source):
            code = inspect.unwrap(source).__code__
            nearby += code.co_varnames[: code.co_argcount]
            taken += code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
        else:
            taken += source
    for name in names:
        if name not in taken:
            hint = did_you_mean(name, [*taken, *nearby])
            raise ParameterError(f"unknown argument {name!r}{hint}")


#: What is said of an argument: a value, or `...` where any would do.
Value: TypeAlias = str | float | bool | EllipsisType | None

_TEMPLATE = re.compile(r"\{([a-z]\w*)(?:=([^{}]*))?\}")


class ArgumentWording:
    """The wording of Python: the words of functions and of their arguments."""

    #: How something is given a name of its own.
    naming = "as a key of a dict"

    def name(self, name: str) -> str:
        """The name of an argument; a word of other kind is said as it is."""
        return name

    def argument(self, name: str, value: Value) -> str:
        """An argument with its value.

        >>> ArgumentWording().argument("pos_label", "ham"), ArgumentWording().argument("threshold", ...)
        ("pos_label='ham'", 'threshold=...')
        """
        return f"{name}={'...' if value is ... else repr(value)}"

    def evaluation(self, measure: str, rules: Mapping[str, Any]) -> str:
        """The call that evaluates a run by rules.

        >>> ArgumentWording().evaluation("P@5", {"relevance_level": 2.0})
        "assay.evaluate(qrels, run, 'P@5', relevance_level=2.0)"
        """
        arguments = "".join(f", {name}={value!r}" for name, value in rules.items())
        return f"assay.evaluate(qrels, run, {measure!r}{arguments})"

    def call_with(self, arguments: Mapping[str, Value], verb: str, python: str) -> str:
        """The call that is under way with further arguments; or that of another verb.

        In Python, the arguments alone, or what stands in their place.
        """
        del verb
        return python or ", ".join(self.argument(name, value) for name, value in arguments.items())


_PYTHON = ArgumentWording()

_spoken: ContextVar[ArgumentWording] = ContextVar("wording", default=_PYTHON)


@contextmanager
def speaking(wording: ArgumentWording) -> Iterator[None]:
    """Within this, messages are put in other words.

    >>> class Shouting(ArgumentWording):
    ...     def argument(self, name, value):
    ...         return name.upper()
    >>> with speaking(Shouting()):
    ...     argument("threshold")
    'THRESHOLD'
    """
    token = _spoken.set(wording)
    try:
        yield
    finally:
        _spoken.reset(token)


def argument(name: str, value: Value = ...) -> str:
    """An argument as whoever reads the message would write it.

    >>> argument("nulls", "drop"), argument("overwrite", True), argument("truth")
    ("nulls='drop'", 'overwrite=True', 'truth=...')
    """
    return _spoken.get().argument(name, value)


def argument_name(name: str) -> str:
    """The name of an argument as whoever reads the message would write it."""
    return _spoken.get().name(name)


def evaluation(measure: str, rules: Mapping[str, Any]) -> str:
    """The call that evaluates a run by rules."""
    return _spoken.get().evaluation(measure, rules)


def call_with(verb: str = "", python: str = "", **arguments: Value) -> str:
    """The same call with further arguments, or by another verb: on the command line, a whole command.

    >>> call_with(complete=True)
    'complete=True'
    """
    return _spoken.get().call_with(arguments, verb, python)


def naming() -> str:
    """The way to give something a name of its own."""
    return _spoken.get().naming


def worded(template: str) -> str:
    """A text with arguments in it, each in braces, as whoever reads it would write them.

    >>> worded("choose a judge ({judge}), or leave them out ({nulls=drop}); {complete=True} is another way")
    "choose a judge (judge=...), or leave them out (nulls='drop'); complete=True is another way"
    """

    def wording(place: re.Match[str]) -> str:
        name, value = place.groups()
        literals: dict[str | None, Value] = {None: ..., "True": True}
        return argument(name, literals.get(value, int(value) if str(value).isdecimal() else value))

    return _TEMPLATE.sub(wording, template)


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
    def on(cls, measure: str, remark: str, *, kind: str = "") -> Note:
        """The words for an error about a measure."""
        return cls(remark, measure=measure, kind=kind)

    @classmethod
    def of_problem(cls, problem: AssayError, *, lead: str = "", end: str = "") -> Note:
        """The problem, in a note; it is about the measure that the problem is about."""
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
