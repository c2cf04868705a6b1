"""The layout is law: stages import only from stages before them, heavy packages have one home each."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from functools import cache
from pathlib import Path

from assay.core import registry

SOURCE = Path(__file__).parents[1] / "src" / "assay"

# A module imports only from its own folder and from those before it, imports inside functions included.
STAGES = [
    "core", "tables", "files", "measures", "stats", "show", "verbs", "subjects", "ground_truth", "systems", "engines",
    "store", "web", "cli", "__main__",
]  # fmt: skip
# Folders that are loaded only when they are asked for, and check at their door that their packages are there.
ASKED_FOR = {"store", "web"}
HEAVY_HOMES = {
    "altair": "show", "vl_convert": "show", "sqlalchemy": "store", "fastapi": "web", "starlette": "web",
    "uvicorn": "web", "argon2": "web", "pydantic": "web", "pyspark": "engines",
}  # fmt: skip
# Packages that no part of the core may load, and that nothing may load unasked.
NEVER_AT_IMPORT = ["polars", "numpy", "pandas", "pyarrow", "narwhals", "altair", "sqlalchemy", "fastapi", "pyspark",
                   "vl_convert", "sklearn", "scipy", "statsmodels", "cyclopts", "rich", "zstandard"]  # fmt: skip
FORBIDDEN_NAMES = {"utils", "common", "helpers", "base", "misc"}
MOST_LINES = 520
# What is called as a subject is, by modules of verbs: tables of steps, vocabularies of measures.
OTHER_THINGS = {
    "explanation/explain.py": {"ranking"},
    "explanation/numbers.py": {"ranking"},
    "sections/explanations.py": {"clusters", "ranking"},
}
# Folders of words, tables and files: nothing there computes a number of a result.
DATA = {"core", "tables", "files"}
# Functions of measures that presenters may call: their names and words.
WORDS_OF_MEASURES = {"parse_measure", "registered"}
# What comparing two runs may load of Assay.
MOST_LOADED = 130


def modules() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def stage_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def _imported(package: str, name: str) -> str:
    """What `from package import name` loads: the module of that name, if there is one, or the package."""
    place = SOURCE.parent.joinpath(*package.split("."), name)
    return f"{package}.{name}" if place.with_suffix(".py").exists() or (place / "__init__.py").exists() else package


@cache
def imports(path: Path) -> list[tuple[str, bool]]:
    """Modules imported, and whether at the top level (type-checking blocks do not count)."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found: list[tuple[str, bool]] = []

    def visit(node: ast.AST, top: bool) -> None:
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return
        if isinstance(node, ast.Import):
            found.extend((alias.name, top) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.extend((_imported(node.module, alias.name), top) for alias in node.names)
        inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):  # no expression holds an import
                visit(child, top and not inside)

    visit(tree, True)
    return found


def test_a_module_imports_only_from_folders_before_its_own() -> None:
    wrong = []
    for path in modules():
        stage = stage_of(path)
        if stage == "__init__":
            names = [name for name, _ in imports(path)]
            assert not [name for name in names if name.split(".")[0] not in sys.stdlib_module_names | {"__future__"}]
            continue
        assert stage in STAGES, f"{stage} is not a folder of the design"
        others = [name for name, _ in imports(path) if name.startswith("assay.")]
        wrong += [f"{path}: {name}" for name in others if STAGES.index(name.split(".")[1]) > STAGES.index(stage)]
    assert not wrong


def test_no_subject_imports_another() -> None:
    wrong = []
    for path in modules():
        parts = path.relative_to(SOURCE).parts
        if parts[0] == "subjects" and len(parts) > 2:
            names = [name for name, _ in imports(path) if name.startswith("assay.subjects.")]
            wrong += [f"{path}: {name}" for name in names if name.split(".")[2] != parts[1]]
    assert not wrong


def test_verbs_name_no_subject() -> None:
    """Neither by its name nor by its modules; a word may be the name of something else as well."""
    wrong = []
    for path in sorted((SOURCE / "verbs").rglob("*.py")):
        known = OTHER_THINGS.get(path.relative_to(SOURCE / "verbs").as_posix(), set())
        tree = ast.parse(path.read_text(encoding="utf-8"))
        texts = {
            node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
        wrong += [f"{path} names {name}" for name in texts & registry.SUBJECTS.keys() - known]
        wrong += [f"{path} loads {text}" for text in texts if text.startswith("assay.subjects.")]
        modules = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        wrong += [f"{path} imports {name}" for name in modules if name.startswith("assay.subjects")]
    assert not wrong


def test_declarations_load_nothing_but_what_a_declaration_is() -> None:
    """`assay --help` reads all of them."""
    for place in registry.SUBJECTS.values():
        path = SOURCE.parent.joinpath(*place.partition(":")[0].split("."), "__init__.py")
        assert {name for name, _ in imports(path)} == {"assay.core.declarations"}, path


def test_every_place_in_a_declaration_is_there() -> None:
    """Nothing loads a presenter, a figure or a command before somebody asks for it."""
    for name in registry.SUBJECTS:
        declared = registry.load(registry.SUBJECTS[name])
        assert declared.name == name == registry.subject(name).name
        for place in (*declared.presenters.values(), *declared.figures.values(), declared.looks_like):
            assert not place or registry.load(place) is not None, place
        for place, _ in declared.places().values():
            module, _, command = place.rpartition(".")
            assert callable(getattr(importlib.import_module(module), command)), place


def is_presenter(path: Path) -> bool:
    """Writers, sections, and the reports and figures of subjects: they show numbers, and compute none."""
    stage, *folders = path.relative_to(SOURCE).with_suffix("").parts
    if stage not in {"verbs", "subjects", "ground_truth", "store"}:
        return stage == "show"
    name = folders[-1]
    return (
        "sections" in folders or name.endswith("_sections") or (stage == "subjects" and name in {"report", "figures"})
    )


def test_presenters_import_nothing_that_computes() -> None:
    """Functions of presenters alone; of what computes, verbs and the evidence of a report included, only classes and
    constants. Type-checking blocks do not count.
    """
    wrong = []
    for path in filter(is_presenter, modules()):
        at_run_time = {name for name, _ in imports(path)}
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ImportFrom) or not node.module:
                continue
            for name in {alias.name for alias in node.names} - WORDS_OF_MEASURES:
                place = _imported(node.module, name)
                computes = place.startswith("assay.") and place.split(".")[1] not in DATA
                if computes and place in at_run_time and name == name.lower() and not is_presenter(_file(place)):
                    wrong.append(f"{path} imports {name} of {node.module}")
    assert not wrong


def _file(module: str) -> Path:
    place = SOURCE.parent.joinpath(*module.split("."))
    return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")


def test_there_are_no_import_cycles() -> None:
    names = {".".join(("assay", *path.relative_to(SOURCE).with_suffix("").parts)): path for path in modules()}
    names = {name.removesuffix(".__init__"): path for name, path in names.items()}
    above = {name: {other for other, _ in imports(path) if other in names} - {name} for name, path in names.items()}
    while leaves := [name for name, others in above.items() if not others & above.keys()]:
        for name in leaves:
            del above[name]
    assert not above, "a cycle is among these"


def test_each_heavy_package_has_one_home() -> None:
    for path in modules():
        for name, top in imports(path):
            home = HEAVY_HOMES.get(name.split(".")[0])
            assert home is None or (home == stage_of(path) and (not top or home in ASKED_FOR)), f"{path} imports {name}"


def test_modules_are_named_for_what_they_hold_and_fit_a_sitting() -> None:
    for path in modules():
        assert path.stem not in FORBIDDEN_NAMES
        lines = len(path.read_text(encoding="utf-8").splitlines())
        assert lines <= MOST_LINES, f"{path} has {lines} lines"


def test_comparing_rankings_loads_no_other_subject(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("".join(f"q{n} 0 d 1\n" for n in range(6)), encoding="utf-8")
    for name, rank in (("a", 1), ("b", 2)):
        lines = "".join(f"q{n} Q0 {'d' if rank == 1 or n % 2 else 'x'} 1 1 {name}\n" for n in range(6))
        (tmp_path / name).write_text(lines, encoding="utf-8")
    code = (
        "import sys\nfrom assay.cli.calling import call\n"
        "assert call(['compare', 'qrels', 'a', 'b', '-m', 'RR', '--quiet']) == 0\n"
        "print(*(name for name in sys.modules if name.startswith('assay')), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    loaded = done.stderr.split()
    # A folder alone is the declaration of its subject.
    below = [name.split(".") for name in loaded if name.startswith("assay.subjects.")]
    assert {parts[2] for parts in below if len(parts) > 3} == {"ranking"}
    assert len(loaded) <= MOST_LOADED


def test_importing_assay_loads_nothing_else() -> None:
    code = f"import sys, assay; print([name for name in {NEVER_AT_IMPORT!r} if name in sys.modules])"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.strip() == "[]"


def test_evaluating_loads_only_what_it_needs() -> None:
    heavy = [name for name in NEVER_AT_IMPORT if name not in {"polars", "numpy", "zstandard"}]
    code = (
        "import sys, assay; assay.evaluate({'q': {'d': 1}}, {'q': {'d': 1.0}}, 'AP').mean();"
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.strip() == "[]"


def test_printing_an_evaluation_does_not_load_what_only_comparisons_need(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q 0 d 1\n", encoding="utf-8")
    (tmp_path / "run").write_text("q Q0 d 1 1 a\n", encoding="utf-8")
    heavy = ["scipy", "rich", "jinja2", "assay.stats"]
    code = (
        "import sys\nfrom assay.cli.calling import call\nassert call(['evaluate', 'qrels', 'run']) == 0\n"
        f"print([name for name in {heavy!r} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[-1] == "[]"


def test_every_public_name_can_be_imported_and_every_import_is_public() -> None:
    import assay  # noqa: PLC0415  # the lazy front door is what is tested

    for name in assay.__all__:
        assert getattr(assay, name) is not None
    declared = {
        alias.asname
        for node in ast.walk(ast.parse((SOURCE / "__init__.py").read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname
    }
    assert declared == set(assay.__all__) - {"__version__"}
