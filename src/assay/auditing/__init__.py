"""`audit`: the same ranking under other tools' rules, and signatures compared in words."""

from assay.auditing.auditing import audit
from assay.auditing.search import Audit
from assay.auditing.signatures import Signature, SignatureComparison, compare_signatures, parse_signature

__all__ = ["Audit", "Signature", "SignatureComparison", "audit", "compare_signatures", "parse_signature"]
