"""`audit`: the same ranking under other tools' rules, and signatures compared in words."""

from assay.auditing.auditing import audit
from assay.auditing.result import Audit
from assay.auditing.signature_differences import SignatureComparison, compare_signatures
from assay.auditing.signatures import Signature, parse_signature

__all__ = ["Audit", "Signature", "SignatureComparison", "audit", "compare_signatures", "parse_signature"]
