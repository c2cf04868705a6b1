"""Judges: how far people, crowds or models agree on the labels of the same items."""

from assay.core.declarations import Declaration, usual_commands

DECLARATION = Declaration(
    name="judges",
    subject="assay.subjects.judges.subject:JUDGES",
    word="agreement",
    summary="Measure agreement between judges.",
    module="assay.cli.agreement",
    commands={
        "evaluate": "Measure how far judges agree, and whether rankings depend on it.",
        **usual_commands("set of labels", "labels"),
        "compare": "Test whether one set of labels or group of judges agrees better.",
        "explain": "Show how a coefficient was computed: P(A) and P(E) in numbers.",
        "report": "Write a report on the agreement of judges.",
        "gate": "Decide in CI whether new labels agree as well as the baseline's.",
        "convert": "Convert labels to a table, or to judgments.",
    },
    table="labels",
    vocabularies=("agreement",),
    listed={"agreement": "List measures of agreement between judges."},
    presenters={
        "judge agreement": "assay.subjects.judges.report:document",
    },
    public={
        "assay.subjects.judges.evaluation": ("JudgeAgreement", "agree"),
    },
)
