"""Clicks: what users do on result pages, from a log."""

from assay.core.declarations import Declaration, usual_commands

DECLARATION = Declaration(
    name="clicks",
    subject="assay.subjects.clicks.subject:CLICKS",
    word="clicks",
    summary="Measure what users click, and learn from it.",
    module="assay.cli.clicks",
    commands={
        "evaluate": "Measure what users do: click-through, abandonment, success.",
        **usual_commands("system", "a click log", "users"),
        "compare": "Test whether users of one system do better than of another.",
        "explain": "Show how a number was computed, and which users move it most.",
        "report": "Write a report on what users do.",
        "plot": "Draw clicks by rank, or a measure over time.",
        "fit": "Fit click models, and measure how well they predict clicks.",
        "simulate": "Simulate clicks by a model, on the pages of a log or a run.",
        "judge": "Turn clicks into graded judgments, with counts and intervals.",
        "agree": "Check whether clicks and judgments agree, and where not.",
        "calibrate": "Fit the user models of ERR, EBU, rrDBN and uUBM to a log.",
        "prefer": "Find which documents users prefer to which.",
        "value": "Estimate what other rankings would have earned on a log.",
    },
    looks_like="assay.files.log_looks:looks_like_log",
    vocabularies=("behaviour",),
    presenters={
        "click model comparison": "assay.subjects.clicks.model_sections:comparison_document",
        "behaviour": "assay.subjects.clicks.report:document",
        "log overview": "assay.subjects.clicks.log_overview:document",
        "click judgments": "assay.subjects.clicks.feedback_sections:judgments_document",
        "click agreement": "assay.subjects.clicks.feedback_sections:agreement_document",
        "click preferences": "assay.subjects.clicks.feedback_sections:preferences_document",
        "calibrated measures": "assay.subjects.clicks.feedback_sections:calibration_document",
        "ranking values": "assay.subjects.clicks.feedback_sections:values_document",
    },
    figures={
        "click_ranks": "assay.subjects.clicks.figures:click_ranks_figure",
        "over_time": "assay.subjects.clicks.figures:over_time_figure",
    },
)
