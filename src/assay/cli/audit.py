"""`assay audit QRELS RUN --value 0.7537`, also of a bare list; `assay audit --signature S --signature T`."""

from __future__ import annotations

from typing import Annotated, Any

from assay.cli import inputs, items, options, output
from assay.cli.options import Output, SearchRules, option, settings
from assay.core.errors import ParameterError


def search(
    qrels: options.OptionalJudgments = None,
    run: options.OptionalRun = None,
    /,
    *,
    measures: options.Measures = (),
    query: options.Query = None,
    value: Annotated[
        str | None,
        option("--value", metavar="N", help="What another tool printed: which rule gives it? Exit 1 if none."),
    ] = None,
    digits: Annotated[
        int | None, option("--digits", help="Decimals that agree (as many as --value has).", least=0)
    ] = None,
    judged: Annotated[
        str | None, option("--judged", metavar="A:3,B:2", help="Judged documents and grades, instead of files.")
    ] = None,
    ranking: Annotated[
        str | None, option("--ranking", metavar="A,X,B", help="Documents as they were returned, with --judged.")
    ] = None,
    signature: Annotated[
        tuple[str, ...], option("--signature", metavar="TEXT", help="Give two, to see in words what differs.")
    ] = (),
    rules: SearchRules = SearchRules(),
    to: Output = Output(),
) -> int:
    """Show what other tools' rules make of the same data, and which of them gives a value that somebody else got.

    From files: QRELS RUN, for the mean or for one --query. From a list: --judged A:3,B:2 --ranking A,X,B. Two
    signatures: --signature S --signature T. The rules below are those of Assay's own value.

    $ assay audit qrels.txt words.run -m nDCG@5
    $ assay audit --judged A:3,B:2,C:1 --ranking A,X,B -m nDCG@3
    """
    from assay.subjects.ranking.audit.audit import audit  # noqa: PLC0415  # `assay --help` need not load Polars

    output.form_of(to)
    _refuse_mixtures(qrels, run, judged, ranking, signature)
    asked = options.stated(query=query, value=value, digits=digits)
    if signature:
        items.refuse(rules, "goes with judgments and runs")
        for name in asked:
            raise ParameterError(f"--{name} goes with judgments and a run")
        output.deliver(output.rendered(_compared(signature), to), to)
        return 0
    judgments: Any
    documents: Any
    with inputs.working("counting by other rules", hidden=to.quiet):
        if judged is not None:
            if query is not None or rules.judge is not None:
                raise ParameterError(f"--{'query' if query else 'judge'} goes with files, not with a list")
            judgments, documents = _grades(judged), _documents(ranking or "")
        else:
            judgments, documents = qrels, inputs.opened(str(qrels), [str(run)])
        asked |= options.stated(measure=options.only(measures, "-m, --measure")) | settings(rules)
        result = audit(judgments, documents, **asked)
    output.remarks(notes=result.notes, quiet=to.quiet)
    output.deliver(output.rendered(result, to), to)
    return 1 if value is not None and not result.is_found else 0


def _documents(text: str) -> list[str]:
    documents = [document.strip() for document in text.split(",")]
    if "" in documents:
        raise ParameterError(f"--ranking is documents in order, such as A,X,B, not {text!r}")
    return documents


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


def _compared(signatures: tuple[str, ...]) -> Any:
    from assay.subjects.ranking.audit.signatures import compare_signatures  # noqa: PLC0415

    if len(signatures) != 2:
        times = "once" if len(signatures) == 1 else f"{len(signatures)} times"
        raise ParameterError(f"--signature is given twice, to compare the two; it was given {times}")
    return compare_signatures(*signatures)


def _refuse_mixtures(
    qrels: str | None, run: str | None, judged: str | None, ranking: str | None, signature: tuple[str, ...]
) -> None:
    sources = {"QRELS RUN": qrels, "--judged and --ranking": judged or ranking, "--signature": signature}
    named = [name for name, value in sources.items() if value]
    if len(named) != 1:
        raise ParameterError(
            "give judgments and a run, or --judged and --ranking, or two signatures"
            + (", not several" if named else "")
        )
    if qrels is not None and run is None:
        raise ParameterError("give a run after the judgments")
    if (judged is None) != (ranking is None):
        raise ParameterError("--judged and --ranking go together")
