"""A database of judgments: projects, items, labels that are never lost, releases that never change."""

from assay.core.errors import need

need("sqlalchemy", extra="store", purpose="a judging project")
need("alembic", extra="store", purpose="a judging project")
