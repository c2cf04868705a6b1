"""The verb `classify`: predictions beside the truth -> measures with intervals, baselines and advice."""

from assay.core.declarations import Declaration, usual_commands

DECLARATION = Declaration(
    name="labels",
    subject="assay.subjects.labels.subject:LABELS",
    word="classifier",
    summary="Evaluate classifiers by their predictions.",
    module="assay.cli.classifier",
    commands={
        "evaluate": "Evaluate a classifier: matrix, measures, baselines, advice.",
        **usual_commands("classifier", "predictions", "items"),
        "plot": "Draw a curve: ROC, precision-recall, calibration, gain, lift.",
        "thresholds": "Choose the score from which items count as positive.",
        "crossval": "Evaluate cross-validated classifiers, fold by fold.",
    },
    table="predictions",
    vocabularies=(
        "binary",
        "multiclass",
    ),
    listed={"classifiers": "List measures of classifiers (default: of rankings)."},
    presenters={
        "fold comparison": "assay.subjects.labels.sections.crossvalidations:fold_document",
        "classification": "assay.subjects.labels.sections.parts:document",
        "thresholds": "assay.subjects.labels.sections.thresholds:several",
        "chosen_threshold": "assay.subjects.labels.sections.thresholds:chosen",
        "threshold_table": "assay.subjects.labels.sections.thresholds:every",
        "label_report": "assay.subjects.labels.sections.parts:label_report",
        "cross-validation": "assay.subjects.labels.sections.crossvalidations:document",
        "nested cross-validation": "assay.subjects.labels.sections.crossvalidations:nested_document",
        "leakage check": "assay.subjects.labels.sections.crossvalidations:leakage_document",
    },
    figures={
        "classifier_roc": "assay.subjects.labels.figures:roc",
        "classifier_pr": "assay.subjects.labels.figures:precision_recall",
        "det": "assay.subjects.labels.figures:det",
        "calibration": "assay.subjects.labels.figures:calibration",
        "gain": "assay.subjects.labels.figures:gain",
        "lift": "assay.subjects.labels.figures:lift",
        "scores": "assay.subjects.labels.figures:scores",
    },
    public={
        "assay.subjects.labels.result": ("Classification",),
        "assay.subjects.labels.evaluation": ("LabelReport", "classification_report", "scorer", "classify"),
        "assay.subjects.labels.crossvalidation.result": ("Nested", "CrossValidation", "FoldComparison"),
        "assay.subjects.labels.crossvalidation.validation": ("LeakageCheck", "leakage_check", "crossval"),
        "assay.subjects.labels.crossvalidation.nested_choice": ("nested",),
        "assay.subjects.labels.thresholds.result": ("ChosenThreshold", "Thresholds"),
        "assay.subjects.labels.thresholds.choice": ("choose_threshold", "thresholds"),
    },
    curves={"classifier_curves": "assay.subjects.labels.curves"},
)
