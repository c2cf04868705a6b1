"""Accounts, sessions, memberships, links, tokens, failures to sign in, and long work."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

#: SQLite counts rows by itself only where the key is an INTEGER.
KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the tables of who may do what."""
    op.create_table(
        "account",
        sa.Column("id", KEY, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("folded", sa.Text(), nullable=False),
        sa.Column("password", sa.Text(), server_default="", nullable=False),
        sa.Column("is_administrator", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("is_active", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_account"),
        sa.UniqueConstraint("folded", name="uq_account_folded"),
    )
    op.create_table(
        "throttle",
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("failed_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_throttle"),
    )
    op.create_table(
        "session",
        sa.Column("id", KEY, nullable=False),
        sa.Column("account_id", KEY, nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_session_account_id"),
        sa.PrimaryKeyConstraint("id", name="pk_session"),
        sa.UniqueConstraint("digest", name="uq_session_digest"),
    )
    op.create_index("ix_session_account_id", "session", ["account_id"])
    op.create_table(
        "membership",
        sa.Column("id", KEY, nullable=False),
        sa.Column("project_id", KEY, nullable=False),
        sa.Column("account_id", KEY, nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("assessor_id", KEY, nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(
            "role IN ('owner', 'manager', 'adjudicator', 'assessor', 'contestant', 'viewer')", name="ck_membership_role"
        ),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_membership_account_id"),
        sa.ForeignKeyConstraint(["assessor_id"], ["assessor.id"], name="fk_membership_assessor_id"),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_membership_project_id"),
        sa.PrimaryKeyConstraint("id", name="pk_membership"),
        sa.UniqueConstraint("assessor_id", name="uq_membership_assessor_id"),
        sa.UniqueConstraint("project_id", "account_id", name="uq_membership_project_id_account_id"),
    )
    op.create_index("ix_membership_account_id", "membership", ["account_id"])
    op.create_table(
        "invitation",
        sa.Column("id", KEY, nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("purpose", sa.String(length=16), nullable=False),
        sa.Column("project_id", KEY, nullable=True),
        sa.Column("account_id", KEY, nullable=True),
        sa.Column("role", sa.String(length=16), server_default="", nullable=False),
        sa.Column("note", sa.Text(), server_default="", nullable=False),
        sa.Column("invited_by", sa.Text(), server_default="", nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("used_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("purpose IN ('invite', 'first', 'sign-in')", name="ck_invitation_purpose"),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_invitation_account_id"),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_invitation_project_id"),
        sa.PrimaryKeyConstraint("id", name="pk_invitation"),
        sa.UniqueConstraint("digest", name="uq_invitation_digest"),
    )
    op.create_index("ix_invitation_project_id", "invitation", ["project_id"])
    op.create_table(
        "token",
        sa.Column("id", KEY, nullable=False),
        sa.Column("account_id", KEY, nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("scope", sa.String(length=16), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("scope IN ('read', 'judge', 'all')", name="ck_token_scope"),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_token_account_id"),
        sa.PrimaryKeyConstraint("id", name="pk_token"),
        sa.UniqueConstraint("digest", name="uq_token_digest"),
    )
    op.create_index("ix_token_account_id", "token", ["account_id"])
    op.create_table(
        "job",
        sa.Column("id", KEY, nullable=False),
        sa.Column("project_id", KEY, nullable=True),
        sa.Column("account_id", KEY, nullable=True),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("given", sa.Text(), server_default="{}", nullable=False),
        sa.Column("state", sa.String(length=16), server_default="queued", nullable=False),
        sa.Column("done", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("total", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("message", sa.Text(), server_default="", nullable=False),
        sa.Column("result", sa.LargeBinary(), nullable=True),
        sa.Column("is_unwanted", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("beat_at", sa.BigInteger(), nullable=True),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint(
            "state IN ('queued', 'running', 'done', 'failed', 'cancelled', 'interrupted')", name="ck_job_state"
        ),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_job_account_id"),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_job_project_id"),
        sa.PrimaryKeyConstraint("id", name="pk_job"),
    )
    op.create_index("ix_job_project_id", "job", ["project_id"])
    op.create_index("ix_job_state", "job", ["state"])
