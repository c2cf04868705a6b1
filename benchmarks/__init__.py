"""Assay timed beside its peers, on seeded data: `python -m benchmarks`."""
