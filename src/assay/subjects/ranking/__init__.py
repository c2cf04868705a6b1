"""Two rankings, document by document: what users would notice, what changed, what unjudged documents could do.

Counts of every retrieved document (`counting.retrieved`) to numbers and tables; the verb `compare` wires them.
"""

from assay.core.declarations import Declaration

DECLARATION = Declaration(
    name="ranking",
    subject="assay.subjects.ranking.subject:RANKING",
    module="assay.cli.search",
    commands={
        "evaluate": "Score runs against judgments.",
        "compare": "Test whether one run is better than another.",
        "explain": "Show how a score was computed, step by step.",
        "report": "Write a report: which run is better, and how certain that is.",
        "gate": "Decide in CI whether a new run may replace the baseline.",
        "freeze": "Save a run's scores as the baseline for later gates.",
        "audit": "Find the rule by which another tool got its number.",
        "doctor": "Check judgments and runs for problems that make scores wrong.",
        "plot": "Draw a curve: precision-recall, ROC, by cutoff, by query.",
        "power": "Estimate how many topics it takes to detect a difference.",
        "correlate": "Check whether two measures or judgments rank systems alike.",
        "tune": "Choose a setting by cross-validation over topics.",
        "trec-eval": "Print what trec_eval prints.",
    },
    modules={"audit": "assay.cli.audit", "trec-eval": "assay.cli.trec_eval"},
    vocabularies=("ranking",),
    presenters={
        "clusters by use": "assay.subjects.ranking.sections.results:clusters_by_use_document",
        "evaluation": "assay.subjects.ranking.sections.results:evaluation_document",
        "audit": "assay.subjects.ranking.sections.results:audit_document",
        "signatures": "assay.subjects.ranking.sections.results:differences",
        "tuning": "assay.subjects.ranking.sections.results:tuning_document",
    },
    figures={
        "pr": "assay.subjects.ranking.figures:precision_recall",
        "roc": "assay.subjects.ranking.figures:roc",
        "cutoff": "assay.subjects.ranking.figures:by_cutoff",
        "queries": "assay.subjects.ranking.figures:per_query",
        "difference": "assay.subjects.ranking.figures:differences",
    },
    public={
        "assay.subjects.ranking.audit.audit": ("Audit", "audit"),
        "assay.subjects.ranking.audit.signatures": (
            "Signature",
            "SignatureComparison",
            "compare_signatures",
            "parse_signature",
        ),
        "assay.subjects.ranking.clustered_results": ("ClustersByUse", "clusters_by_use"),
        "assay.subjects.ranking.tuning": ("Tuning", "tune"),
        "assay.subjects.ranking.evaluation": ("Evaluation", "evaluate"),
        "assay.subjects.ranking.baselines": ("Baseline", "freeze"),
    },
    curves={"curves": "assay.subjects.ranking.curves"},
)
