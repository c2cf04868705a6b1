"""Make a collection of a million documents, and show and export it within a bound of memory.

    .venv/bin/python scripts/stream_documents.py [DOCUMENTS] [MEGABYTES]

The numbers are printed; exit code 1 if it took more memory than the bound.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from pathlib import Path

from assay import check_collection, describe_collection, export_collection, new_collection


def main() -> None:
    """Build, count, check, export."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    bound = int(sys.argv[2]) if len(sys.argv) > 2 else 500
    text = "The water for green tea should not boil. " * 12
    with tempfile.TemporaryDirectory() as place:
        documents = Path(place) / "documents.jsonl"
        with documents.open("w", encoding="utf-8") as file:
            for number in range(count):
                file.write(json.dumps({"_id": f"doc-{number}", "title": f"Tea {number}", "text": text}) + "\n")
        judgments = Path(place) / "qrels.txt"
        judgments.write_text("".join(f"1 0 doc-{number} 1\n" for number in range(0, count, 1000)), encoding="utf-8")
        made = new_collection(Path(place) / "tea", [documents, judgments], copy=False)
        size = documents.stat().st_size
        for name, step in (
            ("show", lambda: describe_collection(made).facts["documents"]),
            ("check", lambda: check_collection(made).is_sound),
            ("export", lambda: export_collection(made, Path(place) / "out").name),
        ):
            start = time.perf_counter()
            outcome = step()
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(f"{name}: {outcome}, {time.perf_counter() - start:.1f} s, at most {peak:,.0f} MB of memory so far")
    print(f"{count:,} documents, {size / 1e6:,.0f} MB on disk")
    sys.exit(0 if peak <= bound else 1)


if __name__ == "__main__":
    main()
