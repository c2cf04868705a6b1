"""The verb `doctor`: what is wrong with files of judgments and runs, how grave it is, and what to do about it."""

from assay.verbs.diagnosis.examination import CheckFinding, Diagnosis, DoctorCheck, Example, checks, doctor

__all__ = ["CheckFinding", "Diagnosis", "DoctorCheck", "Example", "checks", "doctor"]
