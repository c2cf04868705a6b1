"""What is measured: the cases, their files and the tools that take part."""

from dataclasses import dataclass
from pathlib import Path

DATA = Path(__file__).parent / "data"
#: Goes up when the generator changes, so that old data is not used again.
DATA_VERSION = 1
IMPORT_REPETITIONS = 9
#: Processes of half a second vary by a tenth and more: it takes more of them to tell who is faster.
SHORT_REPETITIONS = 15
#: Repetitions at most, for tools that take minutes on the big files.
SLOW = 3


@dataclass(frozen=True)
class Sizes:
    """How many queries (and runs) the data has."""

    name: str
    passages: int
    thrice: int
    short: tuple[int, int, int]
    runs: int

    @property
    def folder(self) -> Path:
        """Where the data is."""
        return DATA / f"{self.name}-{DATA_VERSION}"


FULL = Sizes("full", 6_980, 20_940, (50_000, 100_000, 200_000), 40)
QUICK = Sizes("quick", 300, 900, (2_500, 5_000, 10_000), 4)


@dataclass(frozen=True)
class Entry:
    """A tool that takes part in a case; `at_most` caps its repetitions."""

    tool: str
    at_most: int | None = None


@dataclass(frozen=True)
class Case:
    """Files and tools; the first tool is the one that the others are compared with."""

    name: str
    title: str
    entries: tuple[Entry, ...]
    qrels: Path = Path()
    runs: tuple[Path, ...] = ()
    dicts: bool = False
    repetitions: int | None = None


ASSAY, PYTREC_EVAL = Entry("assay"), Entry("pytrec_eval")


def cases(sizes: Sizes) -> list[Case]:
    """All cases, at these sizes."""
    folder = sizes.folder
    half, whole, double = sizes.short
    passages, deep = folder / "passages.qrels", folder / "deep.qrels"
    big = f"{sizes.passages:,} queries x 1,000 documents"
    slow = (Entry("ir_measures", SLOW), Entry("ranx", SLOW))
    files = {
        "big": (big, (ASSAY, PYTREC_EVAL, *slow, Entry("scan_csv")), passages, "passages.run"),
        "shuffled": (f"{big}, lines shuffled", (ASSAY, PYTREC_EVAL), passages, "shuffled.run"),
        "interleaved": (f"{big}, queries interleaved", (ASSAY, PYTREC_EVAL), passages, "interleaved.run"),
        "thrice": (
            f"{sizes.thrice:,} queries x 1,000 documents: three times the rows",
            (ASSAY, Entry("pytrec_eval", 1)),
            folder / "thrice.qrels",
            "thrice.run",
        ),
        "deep": (
            "50 queries x 1,000 documents, about 300 judged a query, many ties",
            (ASSAY, PYTREC_EVAL, *slow, Entry("import polars"), Entry("nothing")),
            deep,
            "deep-00.run",
        ),
        "short-half": (
            f"{half:,} queries x 10 documents",
            (ASSAY, PYTREC_EVAL),
            folder / "short-0.qrels",
            "short-0.run",
        ),
        "short": (
            f"{whole:,} queries x 10 documents",
            (ASSAY, PYTREC_EVAL, *slow),
            folder / "short-1.qrels",
            "short-1.run",
        ),
        "short-double": (
            f"{double:,} queries x 10 documents",
            (ASSAY, PYTREC_EVAL),
            folder / "short-2.qrels",
            "short-2.run",
        ),
    }
    from_files = [
        Case(name, title, entries, qrels, (folder / run,), repetitions=SHORT_REPETITIONS if name == "deep" else None)
        for name, (title, entries, qrels, run) in files.items()
    ]
    both = (ASSAY, PYTREC_EVAL)
    each = Entry("assay, a call a run")
    many = tuple(folder / f"deep-{number:02}.run" for number in range(sizes.runs))
    imports = (Entry("from assay import evaluate"), Entry("import assay"), Entry("import polars"))
    return [
        *from_files,
        Case("dicts-big", f"{big}, from dicts", both, passages, (folder / "passages.run",), dicts=True),
        Case("dicts-deep", "50 queries x 1,000 documents, from dicts", both, deep, many[:1], True, SHORT_REPETITIONS),
        Case("runs", f"{sizes.runs} runs of 50 queries x 1,000 documents", (ASSAY, each, PYTREC_EVAL), deep, many),
        Case("imports", "Imports alone", imports, repetitions=IMPORT_REPETITIONS),
    ]
