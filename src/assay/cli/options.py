"""Options that several commands have: the inputs, and the rules of counting."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypeAlias

import typer

from assay.core.domains import Choice
from assay.core.errors import ParameterError

OUTPUT = "Output"
RULES = "Rules"

Judgments: TypeAlias = Annotated[
    str, typer.Argument(metavar="QRELS", help="Judgments: a file (also .gz, .zst), or - for stdin.")
]
Runs: TypeAlias = Annotated[
    list[str],
    typer.Argument(metavar="RUN", help="Runs: one file or several, or - for stdin; name=FILE gives a name."),
]
Quiet: TypeAlias = Annotated[bool, typer.Option("--quiet", help="No messages on stderr.", rich_help_panel=OUTPUT)]
Level: TypeAlias = Annotated[
    float, typer.Option("-l", "--level", help="Smallest grade that counts as relevant.", rich_help_panel=RULES)
]
Ties: TypeAlias = Annotated[
    str,
    typer.Option(
        help="Equal scores: doc_id_descending, doc_id_ascending, input_order, expected.", rich_help_panel=RULES
    ),
]
Missing: TypeAlias = Annotated[
    str | None,
    typer.Option(help="Judged topics that a run lacks: zero (default), skip, error.", rich_help_panel=RULES),
]
Unjudged: TypeAlias = Annotated[
    str, typer.Option(help="Documents without judgment: irrelevant, error.", rich_help_panel=RULES)
]
Duplicates: TypeAlias = Annotated[
    str, typer.Option(help="A document twice in a query: error, first, best.", rich_help_panel=RULES)
]
RankBy: TypeAlias = Annotated[str, typer.Option(help="Order by score, or by the rank column.", rich_help_panel=RULES)]
Depth: TypeAlias = Annotated[
    int | None, typer.Option(help="Look at so many documents a query only.", rich_help_panel=RULES)
]
JudgedOnly: TypeAlias = Annotated[
    bool, typer.Option("--judged-only", help="Take unjudged documents out first.", rich_help_panel=RULES)
]
Complete: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--complete",
        help="The judgments hold all that is relevant: what is not in them is irrelevant.",
        rich_help_panel=RULES,
    ),
]
CollectionSize: TypeAlias = Annotated[
    int | None,
    typer.Option(help="Documents in the collection, for accuracy, fallout, AUC and the like.", rich_help_panel=RULES),
]
Undefined: TypeAlias = Annotated[
    str, typer.Option(help="Undefined values in a mean: counted_as, skip, error.", rich_help_panel=RULES)
]
Compat: TypeAlias = Annotated[
    str | None, typer.Option(help="Rank, skip and round as trec_eval-9 or trec_eval-10.", rich_help_panel=RULES)
]
Judge: TypeAlias = Annotated[
    str | None, typer.Option(help="Whose judgments count, where column 2 names the judge.", rich_help_panel=RULES)
]
Subtopics: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--subtopics",
        help="Column 2 of the judgments names the subtopic (default: if it looks so, for measures of diversity).",
        rich_help_panel=RULES,
    ),
]
Seed: TypeAlias = Annotated[int, typer.Option(help="Seed for --ties expected.", rich_help_panel=RULES)]
Samples: TypeAlias = Annotated[
    int, typer.Option(help="Orders drawn for --ties expected.", min=1, rich_help_panel=RULES)
]


def one_of(name: str, said: str | None, known: tuple[str, ...]) -> Any:
    """What was said, if it is one of the words that the option takes."""
    return None if said is None else Choice(known).check(f"--{name}", said)


def refuse(said: Mapping[str, Any], why: str) -> None:
    """Refuse options that were said, by the names of their parameters, where they have no meaning.

    >>> refuse({"per_class": True}, "goes with classes")
    Traceback (most recent call last):
    assay.core.errors.ParameterError: --per-class goes with classes
    """
    for name, value in said.items():
        if value is not None and value is not False and value != []:
            raise ParameterError(f"--{name.replace('_', '-')} {why}")


def refuse_rules(given: dict[str, Any]) -> None:
    """Refuse rules of counting that were set where there is nothing to count."""
    defaults = rules(1.0, "doc_id_descending", None, "irrelevant", "error", "score", None, False, None)
    defaults |= {"undefined": "counted_as", "compat": None, "judge": None}
    for name, value in given.items():
        if value != defaults.get(name):
            option = "level" if name == "relevance_level" else name.replace("_", "-")
            raise ParameterError(f"--{option} goes with judgments and runs")


def rules(
    level: float,
    ties: str,
    missing: str | None,
    unjudged: str,
    duplicates: str,
    rank_by: str,
    depth: int | None,
    judged_only: bool,
    collection_size: int | None,
    complete: bool = False,
) -> dict[str, Any]:
    """The rules as `evaluate` takes them; what was not said is left to a profile."""
    said: dict[str, Any] = {
        "ties": ties, "unjudged": unjudged, "duplicates": duplicates, "rank_by": rank_by, "depth": depth,
        "judged_only": judged_only, "relevance_level": level, "collection_size": collection_size,
        "complete": complete,
    }  # fmt: skip
    return said if missing is None else said | {"missing": missing}
