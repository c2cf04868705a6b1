"""Simulation studies: how far tests, intervals and advice can be trusted. `python -m benchmarks.studies.NAME`."""
