"""A real PostgreSQL for tests: in a temporary folder, on a free port, as a user of its own where root runs them."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import pytest

#: `make test` sets this: there a missing server is a failure. Elsewhere the tests are skipped.
REQUIRED = "ASSAY_POSTGRES"
#: initdb refuses root; this user comes with Debian's package.
_USER = "postgres"
#: Tests may lose all on a power cut, but not on a killed process: so nothing needs to reach the disk.
_SETTINGS = ("fsync=off", "max_connections=60", "listen_addresses=127.0.0.1", "unix_socket_directories=")


@contextmanager
def serving() -> Iterator[str]:
    """A server; the URL of it without a database."""
    programs = _programs()
    memory = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(prefix="assay-postgres-", dir=memory if memory.is_dir() else None))
    as_user = [] if os.geteuid() else ["runuser", "-u", _USER, "--"]
    if as_user:
        shutil.chown(folder, _USER)
    data, port = folder / "data", free_port()
    try:
        _run(
            [*as_user, str(programs / "initdb"), "-D", str(data), "-U", _USER, "-A", "trust", "-E", "UTF8", "--no-sync"]
        )
        options = " ".join(f"-c {each}" for each in (*_SETTINGS, f"port={port}"))
        server = [*as_user, str(programs / "pg_ctl"), "-D", str(data), "-w", "-l", str(folder / "log")]
        _run([*server, "-o", options, "start"])
        try:
            yield f"postgresql://{_USER}@127.0.0.1:{port}"
        finally:
            _run([*server, "-m", "immediate", "stop"])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def make_database(server: str, name: str, template: str = "template1") -> str:
    """A new database, a copy of another one that nobody uses; its URL."""
    import psycopg  # noqa: PLC0415  # only where there is a server

    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
    return f"{server}/{name}"


def _programs() -> Path:
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin")) if Path("/usr/lib/postgresql").is_dir() else []
    on_path = shutil.which("initdb")
    places += [Path(on_path).parent] if on_path else []
    found = next((each for each in reversed(places) if (each / "initdb").exists()), None)
    if found is None:
        _missing("no PostgreSQL on this machine: apt-get install postgresql")
    return found


def free_port() -> int:
    """A port of this machine at which nothing answers."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _run(command: list[str]) -> None:
    done = subprocess.run(command, cwd="/", capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stdout}{done.stderr}")


def _missing(reason: str) -> NoReturn:
    if os.environ.get("CI") == "true" or os.environ.get(REQUIRED) == "required":
        pytest.fail(reason)
    pytest.skip(reason)
