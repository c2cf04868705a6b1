"""`assay audit QRELS RUN --value 0.7537`, also of a bare list; `assay audit --signature S --signature T`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli import inputs, options, output
from assay.core.errors import ParameterError

if TYPE_CHECKING:
    from assay.auditing import Audit, SignatureComparison

_LIST = "A list instead of files"
_SIGNATURES = "Signatures instead of values"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="audit")(audit)


def audit(
    qrels: Annotated[str | None, typer.Argument(metavar="QRELS", help="Judgments.")] = None,
    run: Annotated[str | None, typer.Argument(metavar="RUN", help="The run.")] = None,
    measure: Annotated[str, typer.Option("-m", "--measure", help="The measure, such as nDCG@5.")] = "nDCG@10",
    query: Annotated[str | None, typer.Option("-q", "--query", help="One query, instead of the mean.")] = None,
    value: Annotated[
        str | None, typer.Option(help="What another tool printed: which rule gives it? Exit code 1 if none does.")
    ] = None,
    digits: Annotated[
        int | None, typer.Option(help="Decimals that agree; default as many as --value has.", min=0)
    ] = None,
    judged: Annotated[
        str | None, typer.Option(help="Judged documents and grades: A:3,B:2,C:0.", rich_help_panel=_LIST)
    ] = None,
    ranking: Annotated[
        str | None, typer.Option(help="Documents as they were returned: A,X,B.", rich_help_panel=_LIST)
    ] = None,
    signature: Annotated[
        list[str] | None,
        typer.Option(help="A signature; give two, to see what differs in words.", rich_help_panel=_SIGNATURES),
    ] = None,
    json: output.Json = False,
    csv: output.Csv = False,
    markdown: output.Markdown = False,
    latex: output.Latex = False,
    to: output.Output = None,
    quiet: options.Quiet = False,
    level: options.Level = 1.0,
    ties: options.Ties = "doc_id_descending",
    missing: options.Missing = None,
    unjudged: options.Unjudged = "irrelevant",
    duplicates: Annotated[
        str | None,
        typer.Option(help="A document twice in a query: first (default), best, error.", rich_help_panel=options.RULES),
    ] = None,
    rank_by: options.RankBy = "score",
    depth: options.Depth = None,
    judged_only: options.JudgedOnly = False,
    collection_size: options.CollectionSize = None,
    undefined: options.Undefined = "counted_as",
    compat: options.Compat = None,
    judge: options.Judge = None,
) -> None:
    """Show what other tools' rules make of the same data, and which of them gives a value that somebody else got.

    From files: QRELS RUN, for the mean or for one --query. From a list: --judged A:3,B:2 --ranking A,X,B. Two
    signatures: --signature S --signature T. The rules below are those of Assay's own value.
    """
    form = output.form_of(json=json, csv=csv, markdown=markdown, latex=latex)
    rules = options.rules(level, ties, missing, unjudged, "error", rank_by, depth, judged_only, collection_size)
    rules |= {"undefined": undefined, "compat": compat, "judge": judge}
    del rules["duplicates"]
    if duplicates is not None:
        rules["duplicates"] = duplicates
    _refuse_mixtures(qrels, run, judged, ranking, signature)
    if signature:
        options.refuse_rules(rules)
        _refuse("goes with judgments and a run", query=query, value=value, digits=digits)
        compared = _compared(signature)
        output.deliver(output.rendered(compared, form, plain=to is not None), to)
        return
    asked = {"query": query, "value": value, "digits": digits}
    with inputs.working("counting by other rules", hidden=quiet):
        if judged is not None:
            audited = _of_list(judged, ranking, measure, asked, rules)
        else:
            audited = _of_files(qrels, run, measure, asked, rules)
    if not quiet:
        inputs.say(None, audited.notes)
    output.deliver(output.rendered(audited, form, plain=to is not None), to)
    if value is not None and not audited.is_found:
        raise typer.Exit(1)


def _of_files(qrels: str | None, run: str | None, measure: str, asked: dict[str, Any], rules: dict[str, Any]) -> Audit:
    from assay.auditing import audit as verb  # noqa: PLC0415  # `assay --help` need not load Polars

    return verb(str(qrels), inputs.opened(str(qrels), [str(run)]), measure, **asked, **rules)


def _of_list(judged: str, ranking: str | None, measure: str, asked: dict[str, Any], rules: dict[str, Any]) -> Audit:
    from assay.auditing import audit as verb  # noqa: PLC0415

    _refuse("goes with files, not with a list", query=asked["query"], judge=rules["judge"])
    documents = [document.strip() for document in str(ranking).split(",")]
    if "" in documents:
        raise ParameterError(f"--ranking is documents in order, such as A,X,B, not {ranking!r}")
    return verb(_grades(judged), documents, measure, **asked, **rules)


def _grades(text: str) -> dict[str, float]:
    grades: dict[str, float] = {}
    for pair in text.split(","):
        document, colon, grade = pair.strip().rpartition(":")
        try:
            number = float(grade)
        except ValueError:
            number = float("nan")
        if not colon or not document or not abs(number) < float("inf"):
            raise ParameterError(f"--judged is documents and grades, such as A:3,B:2, not {pair.strip()!r}")
        if document in grades:
            raise ParameterError(f"--judged names document {document!r} twice")
        grades[document] = number
    return grades


def _compared(signatures: list[str]) -> SignatureComparison:
    from assay.auditing import compare_signatures  # noqa: PLC0415

    if len(signatures) != 2:
        times = "once" if len(signatures) == 1 else f"{len(signatures)} times"
        raise ParameterError(f"--signature is given twice, to compare the two; it was given {times}")
    return compare_signatures(*signatures)


def _refuse_mixtures(
    qrels: str | None, run: str | None, judged: str | None, ranking: str | None, signature: list[str] | None
) -> None:
    given = {"QRELS RUN": qrels, "--judged and --ranking": judged or ranking, "--signature": signature}
    named = [name for name, value in given.items() if value]
    if len(named) != 1:
        raise ParameterError(
            "give judgments and a run, or --judged and --ranking, or two signatures"
            + (", not several" if named else "")
        )
    if qrels is not None and run is None:
        raise ParameterError("give a run after the judgments")
    if (judged is None) != (ranking is None):
        raise ParameterError("--judged and --ranking go together")


def _refuse(why: str, **given: Any) -> None:
    for name, value in given.items():
        if value is not None:
            raise ParameterError(f"--{name} {why}")
