"""Write the imports of `src/assay/__init__.py` that type checkers and editors read, from what subjects declare.

python scripts/public_names.py
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import assay
from assay.core import registry

TARGET = Path(assay.__file__)
_BLOCK = re.compile(r"(?<=^if TYPE_CHECKING:\n)(?:    .*\n)+", re.MULTILINE)


def main() -> None:
    """Write the block, in the order in which imports are sorted."""
    homes = assay._HOME_OF | registry.public_names()
    lines = [f"    from {home} import {name} as {name}\n" for home, name in sorted((h, n) for n, h in homes.items())]
    text = TARGET.read_text(encoding="utf-8")
    TARGET.write_text(_BLOCK.sub("".join(lines), text, count=1), encoding="utf-8")
    subprocess.run([sys.executable, "-m", "ruff", "check", "-q", "--fix", "--select", "I", str(TARGET)], check=True)


if __name__ == "__main__":
    main()
