"""A/B tests: variants that users were assigned to, compared by what these users did."""

from assay.core.declarations import Declaration, usual_commands

DECLARATION = Declaration(
    name="experiments",
    subject="assay.subjects.experiments.subject:EXPERIMENTS",
    word="abtest",
    summary="Decide A/B tests: is B better live, and is the test sound?",
    module="assay.cli.abtest",
    commands={
        "evaluate": "Show what users of each variant did, and whether the split is right.",
        **usual_commands("variant", "an A/B test", "users"),
        "assign": "Assign users to variants by hash, and check the assignment.",
    },
    looks_like="assay.files.experiments:looks_like_experiment",
    presenters={
        "experiment": "assay.subjects.experiments.report:document",
        "assignment": "assay.subjects.experiments.assignment_sections:document",
    },
    public={
        "assay.subjects.experiments.evaluation": ("ABTest", "abtest"),
        "assay.subjects.experiments.assigned": ("AssignedUnits", "assign_units"),
    },
)
