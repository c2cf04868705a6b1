"""The layout is law: stages import only from stages before them, heavy packages have one home each."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "assay"

# The stages in the order of the data's way; a module imports only from its own stage and from those above it.
STAGES = [
    "core", "tables", "files", "measures", "stats", "show", "verbs", "subjects", "collections", "systems", "engines",
    "store", "web", "cli", "__main__",
]  # fmt: skip
# The verbs' results and the lazy front door reach these, inside functions or for type checkers only; an `Evaluation`
# reaches `explanation` so, for its method `explain`.
REACHED_FROM_FUNCTIONS = {"show", "reporting", "web", "explanation"}
HEAVY_HOMES = {"altair": "show", "vl_convert": "show", "sqlalchemy": "store", "fastapi": "web",
               "pyspark": "engines"}  # fmt: skip
# Packages that no part of the core may load, and that nothing may load unasked.
NEVER_AT_IMPORT = ["polars", "numpy", "pandas", "pyarrow", "narwhals", "altair", "sqlalchemy", "fastapi", "pyspark",
                   "vl_convert", "sklearn", "scipy", "statsmodels", "cyclopts", "rich", "zstandard"]  # fmt: skip
FORBIDDEN_NAMES = {"utils", "common", "helpers", "base", "misc"}
MOST_LINES = 400


def modules() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def stage_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


@cache
def imports(path: Path) -> list[tuple[str, bool]]:
    """Modules imported, and whether at the top level (type-checking blocks do not count)."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found: list[tuple[str, bool]] = []

    def visit(node: ast.AST, top: bool) -> None:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            return
        if isinstance(node, ast.Import):
            found.extend((alias.name, top) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.append((node.module, top))
        inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for child in ast.iter_child_nodes(node):
            visit(child, top and not inside)

    visit(tree, True)
    return found


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_module_imports_only_from_stages_above_it(path: Path) -> None:
    stage = stage_of(path)
    if stage == "__init__":
        assert not [
            name for name, _ in imports(path) if name.split(".")[0] not in sys.stdlib_module_names | {"__future__"}
        ]
        return
    assert stage in STAGES, f"{stage} is not a stage of the design"
    for name, top in imports(path):
        if not name.startswith("assay."):
            continue
        other = name.split(".")[1]
        allowed = STAGES.index(other) <= STAGES.index(stage)
        assert allowed or (not top and other in REACHED_FROM_FUNCTIONS), f"{stage} imports {name}"


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_each_heavy_package_has_one_home(path: Path) -> None:
    for name, top in imports(path):
        home = HEAVY_HOMES.get(name.split(".")[0])
        assert home is None or (home == stage_of(path) and not top), f"{path} imports {name}"


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_modules_are_named_for_what_they_hold_and_fit_a_sitting(path: Path) -> None:
    assert path.stem not in FORBIDDEN_NAMES
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MOST_LINES


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


def test_printing_an_evaluation_does_not_load_what_only_comparisons_need() -> None:
    code = (
        "import sys, assay.cli, assay.subjects.ranking.evaluation, assay.show.terminal; print('scipy' in sys.modules)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.strip() == "False"


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
