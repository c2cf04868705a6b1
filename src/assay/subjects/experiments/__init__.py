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
        "plan": "Plan a test: users, days, looks; and write the plan to test by.",
        "watch": "Look at a running test as it was planned, and write the look down.",
        "simulate": "Simulate tests on your own users: what peeking costs, what a plan finds.",
        "assign": "Assign users to variants by hash, and check the assignment.",
    },
    looks_like="assay.files.experiments:looks_like_experiment",
    presenters={
        "experiment": "assay.subjects.experiments.report:document",
        "watched test": "assay.subjects.experiments.watch_sections:document",
        "simulated tests": "assay.subjects.experiments.simulation_sections:document",
        "test plan": "assay.subjects.experiments.plan_sections:document",
        "assignment": "assay.subjects.experiments.assignment_sections:document",
    },
    public={
        "assay.subjects.experiments.evaluation": ("ABTest", "abtest"),
        "assay.subjects.experiments.planning": ("TestPlan", "plan_test"),
        "assay.subjects.experiments.looks": ("Look", "Watched", "read_looks", "watch"),
        "assay.subjects.experiments.simulation": ("SimulatedTests", "simulate_tests"),
        "assay.subjects.experiments.plans": ("PlannedMeasure", "PlannedTest", "read_plan"),
        "assay.subjects.experiments.assigned": ("AssignedUnits", "assign_units"),
    },
)
