"""The verb `extract`: how well spans or tuples were found in documents."""

from assay.core.declarations import Declaration, usual_commands

DECLARATION = Declaration(
    name="spans",
    subject="assay.subjects.spans.subject:SPANS",
    word="extraction",
    summary="Evaluate spans extracted from texts, such as names.",
    module="assay.cli.extraction",
    commands={
        "evaluate": "Score spans: precision, recall and F, overall and per type.",
        **usual_commands("system", "spans", "documents"),
    },
    presenters={
        "extraction": "assay.subjects.spans.report:document",
    },
    public={
        "assay.subjects.spans.evaluation": ("extract",),
        "assay.subjects.spans.result": ("Extraction",),
    },
)
