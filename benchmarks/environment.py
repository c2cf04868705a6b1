"""The peers' own environment, and what the machine is."""

import json
import os
import platform
import shutil
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
CONSTRAINTS = HERE / "peers-constraints.txt"
PEERS = ("pytrec_eval-terrier", "ir_measures", "ranx")
_HOME = ROOT / ".venv-peers"
_MARK = _HOME / "installed.txt"
_VERSIONS = "import importlib.metadata as m, json, sys; print(json.dumps({n: m.version(n) for n in sys.argv[1:]}))"


def peers_python() -> str:
    """Return the interpreter with the peers, installed once for each state of the constraints."""
    python = _HOME / ("Scripts" if os.name == "nt" else "bin") / "python"
    wanted = f"{platform.python_version()}\n{CONSTRAINTS.read_text(encoding='utf-8')}"
    if not _MARK.exists() or _MARK.read_text(encoding="utf-8") != wanted:
        print(f"installing the peers into {_HOME.name} ...", file=sys.stderr, flush=True)
        shutil.rmtree(_HOME, ignore_errors=True)
        venv.create(_HOME, with_pip=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        done = subprocess.run([*pip, "-c", str(CONSTRAINTS), *PEERS], capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"the peers cannot be installed:\n{done.stderr}")
        _MARK.write_text(wanted, encoding="utf-8")
    return str(python)


def own_environment(name: str, packages: tuple[str, ...]) -> str:
    """The interpreter of an environment with these packages, pinned by version, installed once."""
    home = ROOT / f".venv-{name}"
    python, mark = home / ("Scripts" if os.name == "nt" else "bin") / "python", home / "installed.txt"
    if not mark.exists() or mark.read_text(encoding="utf-8") != "\n".join(packages):
        print(f"installing {', '.join(packages)} into {home.name} ...", file=sys.stderr, flush=True)
        shutil.rmtree(home, ignore_errors=True)
        venv.create(home, with_pip=True)
        subprocess.run(
            [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", *packages], check=True
        )
        mark.write_text("\n".join(packages), encoding="utf-8")
    return str(python)


def versions(python: str, names: tuple[str, ...]) -> dict[str, str]:
    """Ask an interpreter for the versions of its packages."""
    done = subprocess.run([python, "-c", _VERSIONS, *names], capture_output=True, text=True, check=True)
    found: dict[str, str] = json.loads(done.stdout)
    return found


def machine(python: str, peers: str) -> str:
    """Describe the machine and every version that matters, in one line."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    ours = versions(python, ("assay", "polars", "numpy"))
    theirs = versions(peers, (*PEERS, "numba"))
    packages = ", ".join(f"{name} {version}" for name, version in (ours | theirs).items())
    return (
        f"{os.cpu_count()} cores ({_processor()}), {memory:.0f} GiB, {platform.system()} {platform.machine()}, "
        f"Python {platform.python_version()}; {packages}."
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown")
