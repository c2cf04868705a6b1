"""The verb `doctor`: what is wrong with files of judgments and runs, how grave it is, and what to do about it."""

from assay.diagnosis.doctoring import doctor
from assay.diagnosis.findings import Example, Finding
from assay.diagnosis.registry import Check, checks
from assay.diagnosis.result import Diagnosis

__all__ = ["Check", "Diagnosis", "Example", "Finding", "checks", "doctor"]
