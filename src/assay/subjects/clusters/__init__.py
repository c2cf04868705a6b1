"""The verb `cluster`: clusters beside classes or points -> measures with intervals, tables and advice."""
