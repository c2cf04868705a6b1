"""Two rankings, document by document: what users would notice, what changed, what unjudged documents could do.

Counts of every retrieved document (`counting.retrieved`) to numbers and tables; the verb `compare` wires them.
"""
