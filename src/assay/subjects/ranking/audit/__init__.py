"""`audit`: the same ranking under other tools' rules, and signatures compared in words."""

from assay.subjects.ranking.audit.audit import audit
from assay.subjects.ranking.audit.search import Audit
from assay.subjects.ranking.audit.signatures import Signature, SignatureComparison, compare_signatures, parse_signature

__all__ = ["Audit", "Signature", "SignatureComparison", "audit", "compare_signatures", "parse_signature"]
