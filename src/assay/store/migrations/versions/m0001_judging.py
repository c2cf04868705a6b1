"""The tables of judging, and triggers that keep what was said: as they were, whatever becomes of them later."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

#: SQLite counts rows by itself only where the key is an INTEGER.
KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
OPEN = sa.text("state = 'open' AND taken < wanted")
LEASED = sa.text("state = 'leased'")
APPEND_ONLY = ("label", "label_aspect", "adjudication", "release", "event", "guideline")


def upgrade() -> None:
    """Make all tables, and let rows of some of them only ever be added."""
    _make_tables()
    if op.get_bind().dialect.name == "sqlite":
        for name in APPEND_ONLY:
            for verb in ("UPDATE", "DELETE"):
                op.execute(
                    f'CREATE TRIGGER keep_{name}_{verb.lower()} BEFORE {verb} ON "{name}" '
                    f"BEGIN SELECT RAISE(ABORT, 'rows of {name} are only ever added'); END"
                )
        return
    op.execute(
        "CREATE FUNCTION keep_rows() RETURNS trigger AS $$ BEGIN "
        "RAISE EXCEPTION 'rows of % are only ever added', TG_TABLE_NAME; END $$ LANGUAGE plpgsql"
    )
    for name in APPEND_ONLY:
        op.execute(
            f'CREATE TRIGGER keep_{name} BEFORE UPDATE OR DELETE ON "{name}" FOR EACH ROW EXECUTE FUNCTION keep_rows()'
        )


def _make_tables() -> None:
    op.create_table(
        "collection",
        sa.Column("id", KEY, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_collection"),
    )
    op.create_table(
        "scale",
        sa.Column("id", KEY, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_scale"),
    )
    op.create_table(
        "document",
        sa.Column("id", KEY, nullable=False),
        sa.Column("collection_id", KEY, nullable=False),
        sa.Column("doc_id", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), server_default="", nullable=False),
        sa.Column("body", sa.Text(), server_default="", nullable=False),
        sa.Column("details", sa.Text(), server_default="{}", nullable=False),
        sa.ForeignKeyConstraint(["collection_id"], ["collection.id"], name="fk_document_collection_id"),
        sa.PrimaryKeyConstraint("id", name="pk_document"),
        sa.UniqueConstraint("collection_id", "doc_id", name="uq_document_collection_id_doc_id"),
    )
    op.create_table(
        "grade",
        sa.Column("id", KEY, nullable=False),
        sa.Column("scale_id", KEY, nullable=False),
        sa.Column("value", sa.Integer(), nullable=False),
        sa.Column("place", sa.SmallInteger(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("help", sa.Text(), server_default="", nullable=False),
        sa.Column("gain", sa.Float(), nullable=False),
        sa.Column("is_relevant", sa.Boolean(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["scale_id"], ["scale.id"], name="fk_grade_scale_id"),
        sa.PrimaryKeyConstraint("id", name="pk_grade"),
        sa.UniqueConstraint("scale_id", "key", name="uq_grade_scale_id_key"),
        sa.UniqueConstraint("scale_id", "value", name="uq_grade_scale_id_value"),
    )
    op.create_table(
        "project",
        sa.Column("id", KEY, nullable=False),
        sa.Column("collection_id", KEY, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.String(length=16), server_default="open", nullable=False),
        sa.Column("pool", sa.Text(), server_default="{}", nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("state IN ('open', 'paused', 'closed')", name="ck_project_state"),
        sa.ForeignKeyConstraint(["collection_id"], ["collection.id"], name="fk_project_collection_id"),
        sa.PrimaryKeyConstraint("id", name="pk_project"),
        sa.UniqueConstraint("name", name="uq_project_name"),
    )
    op.create_table(
        "run",
        sa.Column("id", KEY, nullable=False),
        sa.Column("collection_id", KEY, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["collection_id"], ["collection.id"], name="fk_run_collection_id"),
        sa.PrimaryKeyConstraint("id", name="pk_run"),
        sa.UniqueConstraint("collection_id", "name", name="uq_run_collection_id_name"),
    )
    op.create_table(
        "topic",
        sa.Column("id", KEY, nullable=False),
        sa.Column("collection_id", KEY, nullable=False),
        sa.Column("topic_id", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), server_default="", nullable=False),
        sa.Column("narrative", sa.Text(), server_default="", nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["collection_id"], ["collection.id"], name="fk_topic_collection_id"),
        sa.PrimaryKeyConstraint("id", name="pk_topic"),
        sa.UniqueConstraint("collection_id", "topic_id", name="uq_topic_collection_id_topic_id"),
    )
    op.create_table(
        "aspect",
        sa.Column("id", KEY, nullable=False),
        sa.Column("project_id", KEY, nullable=False),
        sa.Column("scale_id", KEY, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("question", sa.Text(), server_default="", nullable=False),
        sa.Column("place", sa.SmallInteger(), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_aspect_project_id"),
        sa.ForeignKeyConstraint(["scale_id"], ["scale.id"], name="fk_aspect_scale_id"),
        sa.PrimaryKeyConstraint("id", name="pk_aspect"),
        sa.UniqueConstraint("project_id", "name", name="uq_aspect_project_id_name"),
        sa.UniqueConstraint("project_id", "place", name="uq_aspect_project_id_place"),
    )
    op.create_table(
        "assessor",
        sa.Column("id", KEY, nullable=False),
        sa.Column("project_id", KEY, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("alias", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=16), server_default="human", nullable=False),
        sa.Column("details", sa.Text(), server_default="{}", nullable=False),
        sa.Column("is_active", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("asked", sa.Integer(), server_default="0", nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("kind IN ('human', 'program', 'model', 'import')", name="ck_assessor_kind"),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_assessor_project_id"),
        sa.PrimaryKeyConstraint("id", name="pk_assessor"),
        sa.UniqueConstraint("project_id", "alias", name="uq_assessor_project_id_alias"),
        sa.UniqueConstraint("project_id", "name", name="uq_assessor_project_id_name"),
    )
    op.create_table(
        "event",
        sa.Column("id", KEY, nullable=False),
        sa.Column("project_id", KEY, nullable=True),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("verb", sa.Text(), nullable=False),
        sa.Column("what", sa.Text(), server_default="", nullable=False),
        sa.Column("details", sa.Text(), server_default="{}", nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_event_project_id"),
        sa.PrimaryKeyConstraint("id", name="pk_event"),
    )
    op.create_table(
        "guideline",
        sa.Column("id", KEY, nullable=False),
        sa.Column("project_id", KEY, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_guideline_project_id"),
        sa.PrimaryKeyConstraint("id", name="pk_guideline"),
        sa.UniqueConstraint("project_id", "version", name="uq_guideline_project_id_version"),
    )
    op.create_table(
        "item",
        sa.Column("id", KEY, nullable=False),
        sa.Column("project_id", KEY, nullable=False),
        sa.Column("topic_id", KEY, nullable=False),
        sa.Column("doc_id", sa.Text(), nullable=False),
        sa.Column("stratum", sa.Integer(), server_default="0", nullable=False),
        sa.Column("inclusion", sa.Float(), server_default="1", nullable=False),
        sa.Column("priority", sa.Integer(), server_default="0", nullable=False),
        sa.Column("urgency", sa.Integer(), server_default="0", nullable=False),
        sa.Column("shuffle", sa.Integer(), nullable=False),
        sa.Column("wanted", sa.SmallInteger(), nullable=False),
        sa.Column("taken", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("state", sa.String(length=16), server_default="open", nullable=False),
        sa.CheckConstraint("state IN ('open', 'disputed', 'settled')", name="ck_item_state"),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_item_project_id"),
        sa.ForeignKeyConstraint(["topic_id"], ["topic.id"], name="fk_item_topic_id"),
        sa.PrimaryKeyConstraint("id", name="pk_item"),
        sa.UniqueConstraint("project_id", "topic_id", "doc_id", name="uq_item_project_id_topic_id_doc_id"),
    )
    op.create_index(
        "ix_item_open",
        "item",
        ["project_id", sa.literal_column("urgency DESC"), "taken", "shuffle"],
        sqlite_where=OPEN,
        postgresql_where=OPEN,
    )
    op.create_index(
        "ix_item_open_topic",
        "item",
        ["project_id", "topic_id", sa.literal_column("urgency DESC"), "taken", "shuffle"],
        sqlite_where=OPEN,
        postgresql_where=OPEN,
    )
    op.create_index("ix_item_state", "item", ["project_id", "state"])
    op.create_table(
        "release",
        sa.Column("id", KEY, nullable=False),
        sa.Column("project_id", KEY, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("policy", sa.Text(), nullable=False),
        sa.Column("facts", sa.Text(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("note", sa.Text(), server_default="", nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_release_project_id"),
        sa.PrimaryKeyConstraint("id", name="pk_release"),
        sa.UniqueConstraint("project_id", "version", name="uq_release_project_id_version"),
    )
    op.create_table(
        "adjudication",
        sa.Column("id", KEY, nullable=False),
        sa.Column("item_id", KEY, nullable=False),
        sa.Column("value", sa.Integer(), nullable=True),
        sa.Column("reason", sa.Text(), server_default="", nullable=False),
        sa.Column("decided_by", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name="fk_adjudication_item_id"),
        sa.PrimaryKeyConstraint("id", name="pk_adjudication"),
    )
    op.create_index("ix_adjudication_item_id", "adjudication", ["item_id"])
    op.create_table(
        "assignment",
        sa.Column("id", KEY, nullable=False),
        sa.Column("item_id", KEY, nullable=False),
        sa.Column("assessor_id", KEY, nullable=False),
        sa.Column("purpose", sa.String(length=16), server_default="main", nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("handed_at", sa.BigInteger(), nullable=False),
        sa.Column("lease_until", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("purpose IN ('main', 'gold', 'repeat', 'import')", name="ck_assignment_purpose"),
        sa.CheckConstraint("state IN ('leased', 'done', 'skipped', 'released')", name="ck_assignment_state"),
        sa.ForeignKeyConstraint(["assessor_id"], ["assessor.id"], name="fk_assignment_assessor_id"),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name="fk_assignment_item_id"),
        sa.PrimaryKeyConstraint("id", name="pk_assignment"),
        sa.UniqueConstraint("item_id", "assessor_id", "purpose", name="uq_assignment_item_id_assessor_id_purpose"),
    )
    op.create_index("ix_assignment_assessor", "assignment", ["assessor_id", "state", "number"])
    op.create_index("ix_assignment_leased", "assignment", ["lease_until"], sqlite_where=LEASED, postgresql_where=LEASED)
    op.create_table(
        "gold",
        sa.Column("item_id", KEY, nullable=False),
        sa.Column("expected", sa.Integer(), nullable=False),
        sa.Column("tolerance", sa.Integer(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name="fk_gold_item_id"),
        sa.PrimaryKeyConstraint("item_id", name="pk_gold"),
    )
    op.create_table(
        "share",
        sa.Column("assessor_id", KEY, nullable=False),
        sa.Column("topic_id", KEY, nullable=False),
        sa.ForeignKeyConstraint(["assessor_id"], ["assessor.id"], name="fk_share_assessor_id"),
        sa.ForeignKeyConstraint(["topic_id"], ["topic.id"], name="fk_share_topic_id"),
        sa.PrimaryKeyConstraint("assessor_id", "topic_id", name="pk_share"),
    )
    op.create_table(
        "source",
        sa.Column("item_id", KEY, nullable=False),
        sa.Column("run", sa.Text(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name="fk_source_item_id"),
        sa.PrimaryKeyConstraint("item_id", "run", name="pk_source"),
    )
    op.create_table(
        "label",
        sa.Column("id", KEY, nullable=False),
        sa.Column("assignment_id", KEY, nullable=False),
        sa.Column("verdict", sa.String(length=16), nullable=False),
        sa.Column("value", sa.Integer(), nullable=True),
        sa.Column("note", sa.Text(), server_default="", nullable=False),
        sa.Column("active_ms", sa.Integer(), nullable=True),
        sa.Column("input", sa.String(length=16), server_default="", nullable=False),
        sa.Column("shown", sa.String(length=64), server_default="", nullable=False),
        sa.Column("guideline_id", KEY, nullable=True),
        sa.Column("client_key", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("client_at", sa.BigInteger(), nullable=True),
        sa.Column("supersedes", KEY, nullable=True),
        sa.Column("is_late", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("is_surplus", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.CheckConstraint("(verdict = 'graded') = (value IS NOT NULL)", name="ck_label_value"),
        sa.CheckConstraint("verdict IN ('graded', 'cannot_judge', 'withdrawn')", name="ck_label_verdict"),
        sa.ForeignKeyConstraint(["assignment_id"], ["assignment.id"], name="fk_label_assignment_id"),
        sa.ForeignKeyConstraint(["guideline_id"], ["guideline.id"], name="fk_label_guideline_id"),
        sa.ForeignKeyConstraint(["supersedes"], ["label.id"], name="fk_label_supersedes"),
        sa.PrimaryKeyConstraint("id", name="pk_label"),
        sa.UniqueConstraint("client_key", name="uq_label_client_key"),
        sa.UniqueConstraint("supersedes", name="uq_label_supersedes"),
    )
    op.create_index("ix_label_assignment_id", "label", ["assignment_id"])
    op.create_table(
        "label_aspect",
        sa.Column("label_id", KEY, nullable=False),
        sa.Column("aspect_id", KEY, nullable=False),
        sa.Column("value", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["aspect_id"], ["aspect.id"], name="fk_label_aspect_aspect_id"),
        sa.ForeignKeyConstraint(["label_id"], ["label.id"], name="fk_label_aspect_label_id"),
        sa.PrimaryKeyConstraint("label_id", "aspect_id", name="pk_label_aspect"),
    )
