"""The workbench: judging projects in the browser, of pages that show what the store and the verbs give."""

from assay.core.errors import need

for _package in ("fastapi", "uvicorn", "argon2", "python_multipart"):
    need(_package, extra="web", purpose="the workbench")
need("sqlalchemy", extra="store", purpose="the workbench")
