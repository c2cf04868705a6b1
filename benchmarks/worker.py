"""One measured process: import a tool, evaluate, and print what it took as JSON.

Runs as a script in either environment, so it needs the standard library only. The argument is a job in JSON:
`tool`, `qrels`, `runs` (paths), `dicts` (hand over dicts instead of paths), `values` (where per-query values go).
"""

import importlib
import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

Dicts = dict[str, dict[str, Any]]
#: Of each query, the values of the five measures.
Values = dict[str, list[float]]

MEASURES = ["AP", "nDCG@10", "RR", "P@10", "R@100"]
_PYTREC_EVAL = {
    "map": "map",
    "ndcg_cut.10": "ndcg_cut_10",
    "recip_rank": "recip_rank",
    "P.10": "P_10",
    "recall.100": "recall_100",
}
_RANX = ["map", "ndcg@10", "mrr", "precision@10", "recall@100"]


class Outcome(NamedTuple):
    """The five means, and how to get at the values of each query; the latter is not timed."""

    means: list[float]
    per_query: Callable[[], Values]


def assay(module: Any, qrels: Any, runs: list[Any]) -> Outcome:
    """All runs in one call."""
    result = module.evaluate(qrels, {str(number): run for number, run in enumerate(runs)}, MEASURES)
    systems = [system.name for system in result.systems]
    means = [_mean([result.mean(measure, system) for system in systems]) for measure in MEASURES]
    return Outcome(means, lambda: _assay_values(result, systems))


def assay_each(module: Any, qrels: Any, runs: list[Any]) -> Outcome:
    """A call for each run."""
    results = [module.evaluate(qrels, run, MEASURES) for run in runs]
    means = [_mean([result.mean(measure) for result in results]) for measure in MEASURES]

    def values() -> Values:
        found: Values = {}
        for number, result in enumerate(results):
            one = _assay_values(result, [result.systems[0].name])
            found |= {f"{number}:{key.split(':', 1)[1]}": row for key, row in one.items()}
        return found

    return Outcome(means, values)


def _assay_values(result: Any, systems: list[str]) -> Values:
    found: Values = {}
    for system in systems:
        for measure in MEASURES:
            frame = result.scores.of(system, measure)
            for unit, value in zip(frame["unit"].to_list(), frame["value"].to_list(), strict=True):
                found.setdefault(f"{system}:{unit}", []).append(float("nan") if value is None else value)
    return found


def pytrec_eval(module: Any, qrels: Any, runs: list[Any]) -> Outcome:
    """Judgments prepared once, then run after run."""
    evaluator = module.RelevanceEvaluator(_opened(qrels, module.parse_qrel), set(_PYTREC_EVAL))
    results = [evaluator.evaluate(_opened(run, module.parse_run)) for run in runs]
    means = [
        _mean([_mean([values[name] for values in result.values()]) for result in results])
        for name in _PYTREC_EVAL.values()
    ]
    return Outcome(
        means,
        lambda: {
            f"{number}:{query}": [values[name] for name in _PYTREC_EVAL.values()]
            for number, result in enumerate(results)
            for query, values in result.items()
        },
    )


def ir_measures(module: Any, qrels: Any, runs: list[Any]) -> Outcome:
    """Its own readers and its default providers; one run."""
    measures = [module.parse_measure(name) for name in MEASURES]
    result = module.calc(measures, module.read_trec_qrels(qrels), module.read_trec_run(runs[0]))

    def values() -> Values:
        found: Values = {}
        for metric in result.per_query:
            row = found.setdefault(f"0:{metric.query_id}", [0.0] * len(MEASURES))
            row[measures.index(metric.measure)] = float(metric.value)
        return found

    return Outcome([float(result.aggregated[measure]) for measure in measures], values)


def ranx(module: Any, qrels: Any, runs: list[Any]) -> Outcome:
    """Its own readers; one run."""
    run = module.Run.from_file(runs[0], kind="trec")
    means = module.evaluate(module.Qrels.from_file(qrels, kind="trec"), run, _RANX)

    def values() -> Values:
        queries = list(run.scores[_RANX[0]])
        return {f"0:{query}": [float(run.scores[name][query]) for name in _RANX] for query in queries}

    return Outcome([float(means[name]) for name in _RANX], values)


def scan_csv(module: Any, _qrels: Any, runs: list[Any]) -> Outcome:
    """The floor: Polars reads the three columns that matter, and nothing more is done."""
    text, number = module.String, module.Float64
    schema = {"query_id": text, "q0": text, "doc_id": text, "rank": module.Int64, "score": number, "tag": text}
    scan = module.scan_csv(runs[0], separator=" ", has_header=False, schema=schema)
    scan.select("query_id", "doc_id", "score").collect()
    return Outcome([], dict)


def only_import(_module: Any, _qrels: Any, _runs: list[Any]) -> Outcome:
    """Nothing beyond the import."""
    return Outcome([], dict)


#: Of each tool, the module whose import is timed, and what is done with it.
TOOLS: dict[str, tuple[str, Callable[[Any, Any, list[Any]], Outcome]]] = {
    "assay": ("assay.subjects.ranking.evaluation", assay),
    "assay, a call a run": ("assay.subjects.ranking.evaluation", assay_each),
    "pytrec_eval": ("pytrec_eval", pytrec_eval),
    "ir_measures": ("ir_measures", ir_measures),
    "ranx": ("ranx", ranx),
    "scan_csv": ("polars", scan_csv),
    "import assay": ("assay", only_import),
    "from assay import evaluate": ("assay.subjects.ranking.evaluation", only_import),
    "import polars": ("polars", only_import),
    "nothing": ("sys", only_import),
}


def _opened(given: Any, parse: Callable[[Any], Any]) -> Any:
    """Dicts as they are, paths through the tool's own parser."""
    if isinstance(given, dict):
        return given
    with Path(given).open() as file:
        return parse(file)


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _dicts(path: str, column: int, number: Callable[[str], float]) -> Dicts:
    """Read a run or judgments as {query: {document: number}}."""
    found: Dicts = {}
    with Path(path).open() as file:
        for line in file:
            fields = line.split()
            found.setdefault(fields[0], {})[fields[2]] = number(fields[column])
    return found


def main(job: dict[str, Any]) -> dict[str, Any]:
    """Do one job, each part timed by itself."""
    started = time.perf_counter()
    qrels, runs = job["qrels"], job["runs"]
    if job["dicts"]:
        qrels, runs = _dicts(qrels, 3, int), [_dicts(run, 4, float) for run in runs]
    module_name, work = TOOLS[job["tool"]]
    prepared = time.perf_counter()
    module = importlib.import_module(module_name)
    imported = time.perf_counter()
    outcome = work(module, qrels, runs)
    done = time.perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    if job["values"]:
        Path(job["values"]).write_text(json.dumps(outcome.per_query()), encoding="utf-8")
    return {
        "import_seconds": imported - prepared,
        "work_seconds": done - imported,
        # What the parent takes off the whole process: dicts made beforehand, values written afterwards.
        "aside_seconds": (prepared - started) + (time.perf_counter() - done),
        "peak_bytes": peak,
        "means": dict(zip(MEASURES, outcome.means, strict=False)),
    }


if __name__ == "__main__":
    print(json.dumps(main(json.loads(sys.argv[1]))))
