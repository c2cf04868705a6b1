"""The verb `cluster`: clusters beside classes or points -> measures with intervals, tables and advice."""

from assay.core.declarations import Declaration, usual_commands

DECLARATION = Declaration(
    name="clusters",
    subject="assay.subjects.clusters.subject:CLUSTERS",
    word="clustering",
    summary="Evaluate clusterings, against classes or by points.",
    module="assay.cli.clustering",
    commands={
        "evaluate": "Evaluate a clustering: measures, splits, merges, advice.",
        **usual_commands("clustering", "clusterings"),
        "compare": "Decide whether one clustering is better than another.",
        "plot": "Draw silhouettes, classes by clusters, or measures by number.",
        "number": "Choose the number of clusters.",
        "by-use": "Measure what clusters of search results are worth to a reader.",
    },
    lacks={
        "power": "clusterings have no test whose power could be planned: see assay clustering compare",
    },
    table="clusters",
    vocabularies=("clustering",),
    listed={"clusterings": "List measures of clusterings."},
    presenters={
        "clustering": "assay.subjects.clusters.sections:document",
        "number of clusters": "assay.subjects.clusters.sections:number_of_clusters",
    },
    figures={
        "silhouette": "assay.subjects.clusters.figures:silhouettes_figure",
        "contingency": "assay.subjects.clusters.figures:contingency_figure",
        "over_k": "assay.subjects.clusters.figures:over_k_figure",
    },
    public={
        "assay.subjects.clusters.result": ("Clustering",),
        "assay.subjects.clusters.evaluation": ("cluster",),
        "assay.subjects.clusters.number_of_clusters": ("number_of_clusters",),
        "assay.subjects.clusters.over_k": ("NumberOfClusters",),
    },
    curves={"cluster_curves": "assay.subjects.clusters.curves"},
)
