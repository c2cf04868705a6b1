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
_VERSIONS = "import importlib.metadata as m, json, sys; print(json.dumps({n: m.version(n) for n in sys.argv[1:]}))"


class InstallError(Exception):
    """Packages of peers cannot be installed: the installer's last line says why."""


def peers_python() -> str:
    """The interpreter of the environment with the peers of rankings."""
    return own_environment("peers", PEERS, CONSTRAINTS)


def own_environment(name: str, packages: tuple[str, ...], constraints: Path | None = None) -> str:
    """The interpreter of an environment with these packages, installed once for each state of what is asked for."""
    home = ROOT / f".venv-{name}"
    python, mark = home / ("Scripts" if os.name == "nt" else "bin") / "python", home / "installed.txt"
    pins = constraints.read_text(encoding="utf-8") if constraints else ""
    wanted = "\n".join([platform.python_version(), *packages, pins])
    if not mark.exists() or mark.read_text(encoding="utf-8") != wanted:
        print(f"installing {', '.join(packages)} into {home.name} ...", file=sys.stderr, flush=True)
        shutil.rmtree(home, ignore_errors=True)
        venv.create(home, with_pip=True)
        pinned = ["-c", str(constraints)] if constraints else []
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *pinned, *packages]
        done = subprocess.run(pip, capture_output=True, text=True, check=False)
        if done.returncode:
            raise InstallError((done.stderr.strip().splitlines() or ["no reason"])[-1])
        mark.write_text(wanted, encoding="utf-8")
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
