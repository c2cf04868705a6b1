"""Bare scores: numbers that somebody else computed, one per system, measure and unit."""

from assay.core.declarations import Declaration, usual_commands

DECLARATION = Declaration(
    name="scores",
    subject="assay.subjects.scores.subject:SCORES",
    word="scores",
    summary="Compare systems by scores per unit, from any tool.",
    module="assay.cli.scores",
    commands={
        **usual_commands("system", "scores", "units"),
        "explain": "Show how a rank correlation was computed, step by step.",
        "correlate": "Check whether measures, topics or lists rank systems alike.",
    },
    lacks={
        "evaluate": "scores are evaluated already: assay scores report shows them",
    },
    table="scores",
    vocabularies=("order",),
    listed={"orders": "List rank correlations."},
)
