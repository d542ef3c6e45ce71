"""Who may import whom, and what an import may cost."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
HEAVY = (
    "cvxpy", "ortools", "pulp", "highspy", "numba", "scipy", "networkx", "sklearn",
    "matplotlib", "rich", "yaml", "joblib", "dask",
)  # fmt: skip
COURT = {"check.py", "proofs.py"}


def imported(path, *, top_level=False):
    """Return the modules that a file imports, or only those it imports when it is imported."""
    tree = ast.parse(path.read_text())
    nodes = tree.body if top_level else ast.walk(tree)
    out = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            out.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            out.add(node.module)
    return out


def files(folder):
    return sorted((ROOT / folder).rglob("*.py"))


def test_there_is_something_to_check():
    assert len(files("fairopt")) > 20
    assert len(files("solvers")) > 20


@pytest.mark.parametrize("path", files("fairopt"), ids=lambda p: str(p.relative_to(ROOT)))
def test_fairopt_does_not_import_solvers(path):
    assert not [m for m in imported(path) if m.split(".")[0] == "fairopt_solvers"]


@pytest.mark.parametrize("path", files("fairopt"), ids=lambda p: str(p.relative_to(ROOT)))
def test_fairopt_imports_nothing_heavy_at_the_top(path):
    late = {"rich"} if "cli" in path.parts else set()
    heavy = {m.split(".")[0] for m in imported(path, top_level=True)} & set(HEAVY)
    assert not heavy - late


@pytest.mark.parametrize(
    "path",
    [p for p in files("fairopt/problems") if p.name in COURT or p.name.startswith("proofs")],
    ids=lambda p: str(p.relative_to(ROOT)),
)
def test_the_court_uses_no_solver(path):
    allowed = set(sys.stdlib_module_names) | {"numpy", "fairopt"}
    assert {m.split(".")[0] for m in imported(path)} <= allowed


@pytest.mark.parametrize("path", files("solvers"), ids=lambda p: str(p.relative_to(ROOT)))
def test_no_solver_family_imports_another(path):
    own = path.relative_to(ROOT / "solvers" / "fairopt_solvers").parts[0].removesuffix(".py")
    for module in imported(path):
        parts = module.split(".")
        if parts[0] == "fairopt_solvers" and len(parts) > 1:
            assert parts[1] in {own, "backends", "jit"}, module


@pytest.mark.parametrize(
    "code", ["import fairopt", "import fairopt.cli", "import fairopt_solvers.backends"]
)
def test_light_imports(code):
    script = f"import sys; {code}; print(*sorted({{m.split('.')[0] for m in sys.modules}}))"
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": f"{ROOT}:{ROOT / 'solvers'}", "PATH": ""},
    )
    assert not set(done.stdout.split()) & set(HEAVY)
