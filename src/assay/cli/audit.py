"""`assay audit QRELS RUN --value 0.7537`, also of a bare list; `assay audit --signature S --signature T`."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from assay.cli import inputs, items, options, output
from assay.cli.literals import grades_by_document, names_in
from assay.cli.options import Output
from assay.core.errors import ParameterError
from assay.core.evaluation_options import EvaluationRules, option


class AuditQuestion(TypedDict, total=False):
    """The question that is asked of the data."""

    query: options.Query
    value: Annotated[
        str, option(metavar="N", help="A value that another tool printed: which rule gives it? Exit 1 if none.")
    ]


def audit(
    asked: AuditQuestion,
    rules: EvaluationRules,
    to: Output,
    qrels: options.Judgments | None = None,
    run: options.Run | None = None,
    measures: options.Measures = (),
    judged: Annotated[
        str | None, option(metavar="A:3,B:2", help="Judged documents and grades, instead of files.")
    ] = None,
    ranking: Annotated[
        str | None, option(metavar="A,X,B", help="With --judged: documents in the order returned.")
    ] = None,
    signature: Annotated[
        tuple[str, ...], option(metavar="TEXT", help="A signature; give two to see how they differ.")
    ] = (),
) -> int:
    """Show what other tools' rules make of the same data, and which of them gives a value that somebody else got.

    From files: QRELS RUN, for the mean or for one --query. From a list: --judged A:3,B:2 --ranking A,X,B. Two
    signatures: --signature S --signature T. The rules below are those of Assay's own value.

    $ assay audit qrels.txt words.run -m nDCG@5
    $ assay audit --judged A:3,B:2,C:1 --ranking A,X,B -m nDCG@3
    """
    from assay.subjects.ranking.audit.audit import audit

    items.one_source({"judgments and a run": qrels, "--judged and --ranking": judged or ranking,
                      "two signatures": signature})  # fmt: skip
    if signature:
        items.refuse({**rules, **asked}, "goes with judgments and a run")
        output.give(_compared(signature), to)
        return 0
    judgments: Any
    documents: Any
    if qrels is None:
        if judged is None or ranking is None:
            raise ParameterError("--judged and --ranking go together")
        of_files = {"query": asked.get("query"), "judge": rules.get("judge")}
        items.refuse({name: value for name, value in of_files.items() if value}, "goes with files, not with a list")
        judgments = grades_by_document(judged)
        documents = names_in(ranking, "--ranking", "documents")
    elif run is None:
        raise ParameterError("give a run after the judgments")
    else:
        judgments = qrels
        documents = inputs.opened(qrels, [run])
    stated = {"measure": options.only(measures, "-m, --measure")} if measures else {}
    result = inputs.result_of(audit, "counting by other rules", to, judgments, documents, **stated, **asked, **rules)
    output.give(result, to, notes=result.notes)
    return 1 if "value" in asked and not result.is_found else 0


def _compared(signatures: tuple[str, ...]) -> Any:
    from assay.subjects.ranking.audit.signatures import compare_signatures

    if len(signatures) != 2:
        times = "once" if len(signatures) == 1 else f"{len(signatures)} times"
        raise ParameterError(f"--signature is given twice, to compare the two; it was given {times}")
    return compare_signatures(*signatures)
