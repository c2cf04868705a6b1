"""Whose runs are whose: those of contestants belong to their accounts."""

from __future__ import annotations

from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the column."""
    kind = "INTEGER" if op.get_bind().dialect.name == "sqlite" else "BIGINT"
    op.execute(f"ALTER TABLE run ADD COLUMN account_id {kind} CONSTRAINT fk_run_account_id REFERENCES account (id)")
